//! Methods that are functions of their own, specialised by the classes of receiver and arguments: those that call
//! themselves, and those of which inlining all calls would cost too much (`outlining.rs`).

use super::births::Birth;
use super::call_graph::FunctionCall;
use super::calls::Arguments;
use super::closed_blocks::Environment;
use super::expressions::SLOT_LEAVE;
use super::held_procs::Closure;
use super::host::Scope;
use super::inlining::identity_number;
use super::keys::{Context, JoinKey, Place, Step};
use super::memo::FunctionKey;
use super::operand::{self, Operand, Values};
use super::rescue::{ERROR_WORDS, guarded_results};
use super::ways_out::WayOut;
use super::{BlockRef, Control, Frame, Inlined, Lowerer};
use crate::ir::builder::Builder;
use crate::ir::{Comparison, ErrorKind, FuncId, Function, SiteId, Stmt, Value};
use crate::scalar::Ty;
use crate::source::Span;
use crate::syntax::ast::{BlockLiteral, Code, LocalId};
use crate::types::{ClassId, Type, TypeSet};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

/// Frames of methods that call themselves, as deep as this; then SystemStackError.
pub(crate) const MAX_DEPTH: i64 = 10_000;
/// A recursive method is specialised for so many argument types with each block; then they are joined.
const MAX_SPECIALISATIONS: usize = 8;
/// A built-in is in the midst of so many others of its own, for other types; then it calls itself.
const MAX_NESTED: usize = 8;

/// A function whose body is to be lowered.
#[derive(Debug)]
pub(crate) struct Pending {
    pub key: FunctionKey,
    pub function: FuncId,
    code: Rc<Code>,
    name: String,
    builtin: bool,
    /// It is a built-in that makes or reads texts (`outlining.rs`), and does not call itself.
    pub is_of_texts: bool,
    /// The call that led to it first.
    place: Span,
    /// That in the section's block, where it is of another's code or calls such.
    called: Option<Span>,
    /// The function that called it first.
    caller: Option<Rc<Self>>,
}

/// What is being gone through by Ruby's own method of a name, so far down, while it calls the user's code.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    pub name: &'static str,
    /// An array of numbers: see `builtins/recursion.rs`.
    pub list: Operand,
    pub depth: Operand,
}

impl Pending {
    /// How often the code is one of those that led to this function.
    fn count(&self, code: usize) -> usize {
        let callers = std::iter::successors(Some(self), |pending| pending.caller.as_deref());
        callers.filter(|pending| pending.key.code == code).count()
    }
}

impl Lowerer<'_> {
    /// Calls a method that is a function of its own.
    #[allow(clippy::too_many_arguments, reason = "the parts of a call, used together once")]
    pub(super) fn function_call(
        &mut self,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        let identity = Rc::as_ptr(code) as usize;
        self.function_call_of(identity, receiver, name, owner, code, builtin, arguments, block)
    }

    /// Calls a lambda or proc of the section that calls itself.
    pub(super) fn lambda_call(
        &mut self,
        literal: &Arc<BlockLiteral>,
        frame: usize,
        block: &BlockRef,
        arguments: &Arguments,
    ) -> Operand {
        let identity = Arc::as_ptr(literal) as usize;
        let Frame { code, owner, builtin, .. } = &self.frames[frame];
        let (code, owner, builtin) = (Rc::clone(code), *owner, *builtin);
        let receiver = Operand::bottom();
        self.function_call_of(identity, &receiver, "lambda", owner, &code, builtin, arguments, Some(block))
    }

    /// Calls a lambda or proc from around the section that calls itself; `root` is its number, and whether it is a lambda.
    pub(super) fn outer_call(
        &mut self,
        root: (u32, bool),
        code: &Rc<Code>,
        arguments: &Arguments,
    ) -> Operand {
        if *self.outer_functions.entry(Rc::as_ptr(code) as usize).or_insert(root) != root {
            return self.refuse_here(
                "unsupported-recursion",
                "several procs of one literal from around the section call themselves",
                Some("make it a method".into()),
            );
        }
        let receiver = Operand::bottom();
        self.function_call(&receiver, &code.name, ClassId::OBJECT, code, false, arguments, None)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a call, used together once")]
    fn function_call_of(
        &mut self,
        identity: usize,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        let recursive = self.memo.recursive.contains(&identity);
        let arguments = &if recursive && identity == Rc::as_ptr(code) as usize {
            self.gathered(code, arguments)
        } else {
            arguments.clone()
        };
        let types = || std::iter::once(&receiver.types).chain(arguments.operands().map(|a| &a.types));
        if types().fold(false, |kept, types| self.keep_building(types) | kept) {
            return Operand::bottom();
        }
        let mut environment = Environment::default();
        let block = match block {
            Some(block) => match self.close_block(block, &mut environment) {
                Some(closed) => Some(closed),
                None => return Operand::bottom(),
            },
            None => None,
        };
        let mut key = FunctionKey {
            code: identity,
            owner,
            receiver: receiver.types.clone(),
            args: arguments.operands().map(|a| a.types.clone()).collect(),
            form: arguments.form(),
            block,
            environment: environment.operands.iter().map(|operand| operand.types.clone()).collect(),
            unused: arguments.unused && !recursive,
            detached: recursive || self.calls_detached(),
            guarded: false,
            driver: self.rescued_in_driver(),
            hashing: self.hashing,
            trail: None,
            constants: vec![],
        };
        if let Some(Trail { name, list, depth }) = self.trail.clone() {
            key.trail = Some(name);
            key.environment.extend([list.types.clone(), depth.types.clone()]);
            environment.operands.extend([list, depth]);
        }
        if builtin && !recursive {
            key.unused = false;
            if super::builtins::is_specialised(name) {
                key.constants = arguments.operands().map(|operand| self.known_integer(operand)).collect();
            }
        }
        if recursive {
            self.specialise(&mut key, identity_number(code));
        }
        if key.types().any(|types| operand::scalars(types).is_none()) {
            return self.refuse_mixed_argument(name, code, &key);
        }
        // A built-in calls itself for what is within an array, of other types.
        let most = if builtin { MAX_NESTED } else { 0 };
        let within = |pending: &Rc<Pending>| pending.count(identity) > most;
        if !recursive && !self.functions.contains_key(&key) && self.function.as_ref().is_some_and(within) {
            self.memo.recursive.insert(identity);
            self.memo.changed |= true;
            return Operand::bottom();
        }
        let callee = |key: &FunctionKey| (key.clone(), Rc::clone(code), name.to_string(), builtin);
        if !self.memo.functions.contains_key(&key) {
            // What it gives is learned at once, if that is possible.
            self.function_of(callee(&key));
        }
        let failures = self.memo.failures.get(&key).cloned().unwrap_or_default();
        let failures: Vec<SiteId> = failures.into_iter().map(|site| self.numbered_site(site)).collect();
        let unguarded = key.clone();
        key.guarded = failures.iter().any(|site| self.handler(*site).is_some());
        let function = self.function_of(callee(&key));
        self.note_stores(&unguarded, recursive);
        let results = self.memo.functions.entry(key.clone()).or_default().clone();
        let receiver = self.within_slot(0x3df, |s| s.listed(receiver, &key.receiver));
        if !operand::covers(&key.receiver, &receiver.types) {
            self.memo.changed |= true;
            return Operand::bottom();
        }
        let mut args = self.convert(&receiver, &key.receiver);
        let along = arguments.operands().chain(&environment.operands);
        for (i, (operand, types)) in along.zip(key.args.iter().chain(&key.environment)).enumerate() {
            let operand = self.within_slot(0x3e0 + i as u32, |s| s.listed(operand, types));
            if !operand::covers(types, &operand.types) {
                self.memo.changed |= true;
                return Operand::bottom();
            }
            args.extend(self.convert(&operand, types));
        }
        if self.counts_depth {
            args.push(match self.depth {
                Some(depth) if recursive => {
                    let one = self.b.i64(1);
                    self.b.binary(crate::ir::BinaryOp::Add, depth, one)
                }
                Some(depth) => depth,
                None => self.b.i64(0),
            });
        }
        let left = self.memo.left.get(&key).cloned().unwrap_or_default();
        let Some(mut result_scalars) = operand::scalars(&results) else {
            // Its lists become of one kind for the next walk.
            self.memo.changed |= true;
            return Operand::bottom();
        };
        let width = result_scalars.len();
        result_scalars.extend(left.iter().flat_map(|types| operand::scalars(types).unwrap_or_default()));
        let path = (self.function.is_some()).then(|| self.b.path());
        let (number, sum) = self.b.number_to_come(path);
        let call = FunctionCall {
            within: self.function.as_ref().map_or(self.entry, |caller| caller.function),
            callee: function,
            number,
            sum,
            places: self.places_here(),
            builtin: self.builtin_name(),
        };
        self.function_calls.push(call);
        self.b.emit(Stmt::Path(sum));
        let all_scalars = if key.guarded { guarded_results(&result_scalars) } else { result_scalars };
        self.launched |= self.in_driver;
        let mut values = self.b.call(function, args.into_vec(), &all_scalars);
        let path = self.own_path();
        self.b.emit(Stmt::Path(path));
        let error = key.guarded.then(|| values.drain(..ERROR_WORDS).collect::<Vec<_>>());
        let mut given_back = values.split_off(width.min(values.len())).into_iter();
        let mut given_back = left.into_iter().map(|types| {
            let count = operand::scalars(&types).map_or(0, |scalars| scalars.len());
            Operand { types, values: given_back.by_ref().take(count).collect(), birth: Birth::UNKNOWN }
        });
        for (frame, local) in environment.written {
            let Some(operand) = given_back.next() else { break };
            let version = self.fresh_version();
            self.frames[frame].locals[local.0 as usize].assign(operand, version);
        }
        match error {
            Some(error) => self.unless_failed(&error, &failures),
            None => failures.iter().for_each(|site| self.note_escape(*site)),
        }
        for (i, leaving) in environment.leaving.iter().enumerate() {
            if let (Some(how), Some(value)) = (given_back.next(), given_back.next()) {
                self.within_slot(0x3c8 + i as u32, |s| s.go_way(leaving, &how, &value));
            }
        }
        if results.is_empty() {
            // It never returns, as far as is known: nothing follows.
            self.b.mark_dead();
            if let Some(caller) = self.function.clone() {
                self.awaiting.entry(key).or_default().push(caller);
            }
            return Operand { types: results, values: Values::new(), birth: Birth::UNKNOWN };
        }
        Operand { types: results, values: values.into(), birth: Birth::UNKNOWN }
    }

    /// The number that an argument is, where that is known.
    fn known_integer(&self, operand: &Operand) -> Option<i64> {
        let is_integer = operand.types.single() == Some(&Type::Integer);
        is_integer.then(|| self.b.constant(operand.value()))?
    }

    /// Finds the specialisation for a call, which may take more types than the call has: those whose arrays were made at
    /// other places are one, and when there are too many the last one is widened until it takes all.
    fn specialise(&mut self, key: &mut FunctionKey, number: u32) {
        let known = self.memo.specialisations.entry(key.code).or_default().clone();
        if known.contains(key) {
            return;
        }
        let alike = known.iter().position(|other| is_alike(other, key));
        let last = || {
            let of_form = (0..known.len()).filter(|i| known[*i].has_form_of(key));
            of_form.clone().next_back().filter(|_| of_form.count() >= MAX_SPECIALISATIONS)
        };
        let found = alike.or_else(last);
        let Some(index) = found else {
            self.memo.specialisations.entry(key.code).or_default().push(key.clone());
            self.memo.changed |= true;
            return;
        };
        let mut wide = known[index].clone();
        let place = |part: usize| JoinKey::new(Place::Specialised(number), (index << 8 | part) as u32);
        for (i, (a, b)) in wide.types_mut().zip(key.types()).enumerate() {
            *a = self.memo.join(a, b, place(i));
        }
        if wide != known[index] {
            self.memo.changed |= true;
            self.memo.specialisations.entry(key.code).or_default()[index] = wide.clone();
        }
        *key = wide;
    }

    /// The function of a key, which is lowered now or later. A function that calls others waits for what they give, so
    /// one of which that is not known yet is lowered at once, as far as the stack has room for it.
    fn function_of(&mut self, (key, code, name, builtin): (FunctionKey, Rc<Code>, String, bool)) -> FuncId {
        if let Some(function) = self.functions.get(&key) {
            return *function;
        }
        let function = FuncId(self.program.functions.len() as u32);
        self.program.functions.push(Function::default());
        self.functions.insert(key.clone(), function);
        let place = self.user_span();
        let called = self.call_in_block().or_else(|| (!builtin).then_some(place));
        let is_known = self.memo.functions.get(&key).is_some_and(|results| !results.is_empty());
        let caller = self.function.clone();
        let is_of_texts = builtin && !self.memo.recursive.contains(&key.code);
        let pending =
            Rc::new(Pending { key, function, code, name, builtin, is_of_texts, place, called, caller });
        if is_known || !self.has_much_stack() {
            self.pending_functions.push(pending);
        } else {
            self.lower_function(&pending);
        }
        function
    }

    /// Names the first argument whose kinds have no common form.
    fn refuse_mixed_argument(&mut self, name: &str, code: &Code, key: &FunctionKey) -> Operand {
        if key.args.iter().fold(self.keep_made(&key.receiver), |kept, types| self.keep_made(types) | kept) {
            return Operand::bottom();
        }
        let place = key.args.iter().position(|types| operand::scalars(types).is_none());
        let unnamed = key.args.len() - key.form.keywords.len();
        let types = place.map_or(&key.receiver, |place| &key.args[place]);
        let parameter = place.map(|place| match code.params.required.get(place) {
            _ if place >= unnamed => format!("`{}`", key.form.keywords[place - unnamed]),
            Some(local) if !key.is_of_block() && !code.locals[local.0 as usize].is_empty() => {
                format!("`{}`", code.locals[local.0 as usize])
            }
            _ => format!("argument {}", place + 1),
        });
        let parameter = parameter.unwrap_or_else(|| "self".into());
        let is_array = |ty: &&Type| matches!(ty, Type::Array(_) | Type::List(_) | Type::Tuple(_));
        let (what, hint) = if types.iter().filter(is_array).count() > 1 {
            (
                "arrays made at several places (before the section, or in it)".into(),
                "pass one array and indices into it, or write a loop, with an array as its stack where it needs one",
            )
        } else {
            (self.describe(types), "pass values of one kind")
        };
        self.refuse_here(
            "mixed-values",
            format!("{parameter} of `{name}`, which calls itself, can be {what}, which cannot be told apart at run time"),
            Some(hint.into()),
        )
    }

    pub(crate) fn lower_pending_functions(&mut self) {
        while let Some(pending) = self.pending_functions.pop() {
            self.lower_function(&pending);
        }
    }

    /// Lowers a function, in the midst of another or not. Those that called it before it was known to give anything
    /// were not lowered to their ends: now they are, so that this need not wait for the next walk.
    fn lower_function(&mut self, pending: &Rc<Pending>) {
        let gives = |s: &Self| s.memo.functions.get(&pending.key).is_some_and(|results| !results.is_empty());
        let gave = gives(self);
        let steps = self.own_steps();
        let outer = self.begin_function();
        let outer_driver = std::mem::replace(&mut self.in_driver, pending.key.driver.is_some());
        let rescued = pending.key.driver.clone().unwrap_or_default();
        let outer_rescued = std::mem::replace(&mut self.rescued_outside, rescued);
        let outer_kernel = self.kernel.take();
        let outer_places = std::mem::take(&mut self.launched_at);
        let outer_hashing = std::mem::replace(&mut self.hashing, pending.key.hashing);
        let outer_trail = self.trail.take();
        self.lower_body(pending);
        self.trail = outer_trail;
        self.hashing = outer_hashing;
        (self.in_driver, self.kernel, self.launched_at) = (outer_driver, outer_kernel, outer_places);
        self.rescued_outside = outer_rescued;
        self.end_function(outer);
        self.elsewhere += self.own_steps() - steps;
        // Where this walk is one that is forgotten, so would be what they learn.
        if !gave && gives(self) && !self.memo.restart {
            let awaiting = self.awaiting.remove(&pending.key).unwrap_or_default();
            for caller in awaiting {
                if !self.pending_functions.iter().any(|other| other.function == caller.function) {
                    self.pending_functions.push(caller);
                }
            }
        }
    }

    fn lower_body(&mut self, pending: &Rc<Pending>) {
        let Pending { key, function, code, name, builtin, place, called, .. } = &**pending;
        self.called = *called;
        let mut params: Vec<Ty> = key.types().flat_map(|t| operand::scalars(t).unwrap_or_default()).collect();
        if self.counts_depth {
            params.push(Ty::I64);
        }
        self.b = Builder::new(name.clone(), &params, &[]);
        let mut at = 0;
        let mut operands = Vec::new();
        for types in key.types() {
            let width = operand::scalars(types).map_or(0, |s| s.len());
            let values = (at..at + width).map(|i| self.b.param(i)).collect();
            operands.push(Operand { types: types.clone(), values, birth: Birth::UNKNOWN });
            at += width;
        }
        for (operand, known) in operands[1..].iter_mut().zip(&key.constants) {
            if let Some(known) = known {
                *operand = Operand::integer(self.b.i64(*known));
            }
        }
        self.depth = self.counts_depth.then(|| self.b.param(at));
        self.function = Some(Rc::clone(pending));
        self.detached = key.detached;
        for operand in &operands {
            self.note_stale(&operand.types);
        }
        self.active = vec![Inlined::new(code, *builtin).with(key.types())];
        let choice = self.memo.type_number(&key.receiver);
        let mut context = self.memo.context(Context::ROOT, Step::Takes, choice);
        for types in key.types().skip(1) {
            let number = self.memo.type_number(types);
            context = self.memo.context(context, Step::Takes, number);
        }
        if let Some(block) = &key.block {
            context = self.memo.context(context, Step::Block, block.number());
        }
        let form = u32::from(key.guarded)
            | u32::from(key.unused) << 1
            | u32::from(key.detached) << 2
            | u32::from(key.driver.is_some()) << 3;
        context = self.memo.context(context, Step::Form, key.form.number());
        context = self.memo.context(context, Step::Owner(key.owner), form);
        if let Some(trail) = key.trail {
            context = self.memo.context(context, Step::Trail(trail), 0);
        }
        for class in key.driver.iter().flatten() {
            context = self.memo.context(context, Step::Rescued(*class), 0);
        }
        for (i, known) in (0..).zip(&key.constants).filter_map(|(i, known)| Some((i, (*known)?))) {
            context = self.memo.context(context, Step::Known(known), i);
        }
        self.context = self.memo.context(context, Step::Code, identity_number(code));
        if pending.is_of_texts {
            self.home = self.context;
            let mut kinds = FxHashSet::default();
            key.types().for_each(|types| self.lists_in(types, &mut kinds));
            // They are older than it.
            kinds.into_iter().for_each(|kind| self.memo.list_made(kind, self.home, &[]));
        }
        self.node = code.body.id;
        // What is refused in a built-in is told where it is called.
        self.span = if *builtin { *place } else { code.span };
        let receiver = operands.remove(0);
        let mut environment = operands.split_off(key.args.len());
        if let Some(name) = key.trail
            && let (Some(depth), Some(list)) = (environment.pop(), environment.pop())
        {
            self.trail = Some(Trail { name, list, depth });
        }
        let mut environment = environment.into_iter();
        let arguments = Arguments::of_form(&key.form, operands);
        let procs = key.block.is_some().then(|| self.procs.clone());
        let (mut written, mut ways) = (Vec::new(), Vec::new());
        let open = |block| self.open_block(block, &mut environment, &mut written, &mut ways);
        let block = key.block.as_ref().map(open);
        written.extend(Self::locals_of_ways(&ways));
        let lambda = block.as_ref().filter(|_| key.is_of_block());
        if lambda.is_none() {
            self.push_frame(&receiver, name, key.owner, code, *builtin, block.as_ref());
            let frame = self.current;
            self.frames[frame].outermost = true;
            if let Some((root, _)) = self.outer_functions.get(&key.code) {
                self.frames[frame].closure = Some(Closure::Root(*root));
                self.frames[frame].scope = Scope::Block;
            }
        }
        let body = |s: &mut Self| match lambda {
            Some(lambda) => s.function_body(key, &ways, |s| {
                s.unused = key.unused;
                s.opening = key.code;
                s.call_lambda(lambda, arguments.clone(), None)
            }),
            None => s.function_body(key, &ways, |s| s.method_body(key, code, &arguments)),
        };
        if key.guarded {
            self.giving_errors(key, &written, body);
        } else {
            let (mut types, mut values) = body(self);
            self.give_back(key, &written, &mut types, &mut values);
            self.b.set_results(&types);
            self.b.emit(Stmt::Return(values));
        }
        if self.b.ends_openly() {
            // What it calls last never returns, as this walk has it; others have known of more.
            let site = self.site(ErrorKind::Unsupported("a method that only raises has returned".into()));
            self.b.close_end(Stmt::Fail { site, operands: vec![] });
        }
        // Those that went along are the caller's again.
        self.procs.extend(procs.into_iter().flatten());
        let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
        self.program.functions[function.0 as usize] = b.finish();
    }

    fn method_body(&mut self, key: &FunctionKey, code: &Rc<Code>, arguments: &Arguments) -> Operand {
        let outer = self.outer_functions.get(&key.code).copied();
        let frame = self.current;
        self.leaving(SLOT_LEAVE, !key.unused, |s, join| {
            if let Some((_, is_lambda)) = outer {
                let to = is_lambda.then_some(join);
                s.frames[frame].return_to = to;
                s.frames[frame].control.push(Control { break_to: to, next_to: Some(join) });
                match is_lambda {
                    true => s.bind_method(&code.params, arguments.clone()),
                    false => s.bind_block(&code.params, arguments.clone()),
                }
            } else {
                s.open_ways_out(key.owner, code, join);
                s.bind_arguments(key.owner, code, arguments);
            }
            if s.b.is_dead() { Operand::bottom() } else { s.arm(&code.body, key.unused) }
        })
    }

    /// The body of a function: the scalars that it gives, with their types.
    fn function_body(
        &mut self,
        key: &FunctionKey,
        ways: &[WayOut],
        body: impl FnOnce(&mut Self) -> Operand,
    ) -> (Vec<Ty>, Vec<Value>) {
        if let Some(depth) = self.depth.filter(|_| self.memo.recursive.contains(&key.code)) {
            let limit = self.b.i64(MAX_DEPTH);
            let ok = self.b.compare(Comparison::Lt, depth, limit);
            self.check(ok, ErrorKind::StackTooDeep, &[]);
        }
        let result = self.with_ways_out(ways, key.unused, body);
        let result = if key.unused && !result.is_bottom() { Operand::nil() } else { result };
        let known = self.memo.functions.entry(key.clone()).or_default().clone();
        let place = JoinKey::new(Place::Result(self.context), 0);
        let joined = self.memo.join(&known, &result.types, place);
        self.memo.changed |= joined != known;
        self.memo.functions.insert(key.clone(), joined.clone());
        if !self.can_give(key, &joined) {
            self.keep_inlined(key.code);
        }
        let result = self.listed(&result, &joined);
        let values = self.convert(&result, &joined);
        (operand::scalars(&joined).unwrap_or_default(), values.into_vec())
    }

    /// What a function gives behind its result, whether it returns or fails: the variables that its blocks assign.
    pub(super) fn give_back(
        &mut self,
        key: &FunctionKey,
        written: &[(usize, LocalId)],
        types: &mut Vec<Ty>,
        values: &mut Vec<Value>,
    ) {
        let mut left = self.memo.left.remove(key).unwrap_or_default();
        left.resize(written.len(), TypeSet::empty());
        for (i, ((frame, local), known)) in written.iter().zip(&mut left).enumerate() {
            if self.b.is_dead() {
                types.extend(operand::scalars(known).unwrap_or_default());
                continue;
            }
            let operand = self.frames[*frame].locals[local.0 as usize].operand.clone();
            let operand = self.carrier(operand);
            let place = JoinKey::new(Place::Left(self.context), i as u32);
            let joined = self.memo.join(known, &operand.types, place);
            self.memo.changed |= joined != *known;
            let operand = self.within_slot(0x3d0 + i as u32, |s| s.listed(&operand, &joined));
            values.extend(self.convert(&operand, &joined));
            types.extend(operand::scalars(&joined).unwrap_or_default());
            *known = joined;
        }
        self.memo.left.insert(key.clone(), left);
    }
}

/// Do two specialisations differ in nothing but where arrays of theirs were made, and how long they are?
fn is_alike(a: &FunctionKey, b: &FunctionKey) -> bool {
    let is_array = |ty: &Type| matches!(ty, Type::List(_) | Type::Tuple(_));
    let alike = |a: &TypeSet, b: &TypeSet| {
        let length = |types: &TypeSet| {
            types.iter().find_map(|t| if let Type::Tuple(i) = t { Some(i.len()) } else { None })
        };
        let arrays = |types: &TypeSet| types.iter().any(is_array);
        let others = |types: &TypeSet| types.filter(|ty| !is_array(ty));
        a == b
            || arrays(a)
                && arrays(b)
                && others(a) == others(b)
                && (length(a).is_none() || length(a) != length(b))
    };
    a.owner == b.owner && a.has_form_of(b) && a.types().zip(b.types()).all(|(a, b)| alike(a, b))
}
