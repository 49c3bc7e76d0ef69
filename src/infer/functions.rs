//! Methods that are functions of their own, specialised by the classes of receiver and arguments: those that call
//! themselves, and those of which inlining all calls would cost too much (`outlining.rs`).

use super::births::Birth;
use super::call_graph::FunctionCall;
use super::calls::Arguments;
use super::closed_blocks::{ClosedBlock, Environment};
use super::failing::guarded_results;
use super::inlining::identity_number;
use super::keys::{JoinKey, Place};
use super::memo::FunctionKey;
use super::operand::{self, Operand, Values};
use super::rescue::ERROR_WORDS;
use super::{BlockRef, Frame, Lowerer};
use crate::ir::{FuncId, Function, SiteId, Stmt, Value};
use crate::scalar::Ty;
use crate::source::Span;
use crate::syntax::ast::{BlockLiteral, Code};
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A recursive method is specialised for so many argument types with each block; then they are joined.
const MAX_SPECIALISATIONS: usize = 8;
/// A built-in is in the midst of so many others of its own, for other types; then it calls itself.
const MAX_NESTED: usize = 8;

/// A function whose body is to be lowered.
#[derive(Debug)]
pub(crate) struct Pending {
    pub key: FunctionKey,
    pub function: FuncId,
    pub(super) code: Rc<Code>,
    pub(super) name: String,
    pub(super) builtin: bool,
    /// It is a built-in that makes or reads texts (`outlining.rs`), and does not call itself.
    pub is_of_texts: bool,
    /// The call that led to it first.
    pub(super) place: Span,
    /// That in the section's block, where it is of another's code or calls such.
    pub(super) called: Option<Span>,
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
        let mut key = self.key_of_call(
            identity,
            receiver,
            name,
            owner,
            code,
            builtin,
            arguments,
            block,
            &mut environment,
        );
        if key.types().any(|types| operand::scalars(types).is_none()) {
            return self.refuse_mixed_argument(name, code, &key);
        }
        if !recursive && !self.functions.contains_key(&key) && self.has_led_here(identity, builtin) {
            self.memo.recursive.insert(identity);
            self.memo.changed |= true;
            return Operand::bottom();
        }
        let callee = |key: &FunctionKey| (key.clone(), Rc::clone(code), name.to_string(), builtin);
        if self.memo.functions.get(&key).is_none() {
            // What it gives is learned at once, if that is possible.
            self.function_of(callee(&key));
        }
        let failures = self.failures_of(&key);
        let unguarded = key.clone();
        key.guarded = failures.iter().any(|site| self.handler(*site).is_some() || self.gets_cause(*site));
        let function = self.function_of(callee(&key));
        self.note_stores(&unguarded, recursive);
        let results = self.memo.functions.read(&key);
        let Some(args) = self.passed(&key, receiver, arguments, &environment, recursive) else {
            self.memo.changed |= true;
            return Operand::bottom();
        };
        let left = self.memo.left.get(&key).cloned().unwrap_or_default();
        let Some(mut result_scalars) = operand::scalars(&results) else {
            // Its lists become of one kind for the next walk.
            self.memo.changed |= true;
            return Operand::bottom();
        };
        let width = result_scalars.len();
        result_scalars.extend(left.iter().flat_map(|types| operand::scalars(types).unwrap_or_default()));
        let mut values = self.emit_call(function, args, &key, result_scalars);
        let error = key.guarded.then(|| values.drain(..ERROR_WORDS).collect::<Vec<_>>());
        let mut given_back = operands_of(left, values.split_off(width.min(values.len())));
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

    /// The sites of the errors that leave a function.
    fn failures_of(&mut self, key: &FunctionKey) -> Vec<SiteId> {
        self.memo.goes_by_failures |= self.may_be_handled();
        let failures = self.memo.failures.read(key);
        failures.into_iter().map(|site| self.numbered_site(site)).collect()
    }

    /// What the function of a call is known by.
    #[allow(clippy::too_many_arguments, reason = "the parts of a call, used together once")]
    fn key_of_call(
        &mut self,
        identity: usize,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        arguments: &Arguments,
        block: Option<ClosedBlock>,
        environment: &mut Environment,
    ) -> FunctionKey {
        let recursive = self.memo.recursive.contains(&identity);
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
            driver: self.guard_in_driver(),
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
        key
    }

    /// The scalars that a function gets; `None` where what it takes is not known yet to be that.
    fn passed(
        &mut self,
        key: &FunctionKey,
        receiver: &Operand,
        arguments: &Arguments,
        environment: &Environment,
        recursive: bool,
    ) -> Option<Values> {
        let receiver = self.within_slot(0x3df, |s| s.listed(receiver, &key.receiver));
        if !operand::covers(&key.receiver, &receiver.types) {
            return None;
        }
        let mut args = self.convert(&receiver, &key.receiver);
        let along = arguments.operands().chain(&environment.operands);
        for (i, (operand, types)) in along.zip(key.args.iter().chain(&key.environment)).enumerate() {
            let operand = self.within_slot(0x3e0 + i as u32, |s| s.listed(operand, types));
            if !operand::covers(types, &operand.types) {
                return None;
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
        Some(args)
    }

    /// The call itself: the values that it gives.
    fn emit_call(
        &mut self,
        function: FuncId,
        args: Values,
        key: &FunctionKey,
        result_scalars: Vec<Ty>,
    ) -> Vec<Value> {
        let path = (self.function.is_some()).then(|| self.b.path());
        let (number, sum) = self.b.number_to_come(path);
        let call = FunctionCall {
            within: self.function.as_ref().map_or(self.entry, |caller| caller.function),
            callee: function,
            number,
            sum,
            places: self.places_here(),
            builtin: self.public_name(),
        };
        self.function_calls.push(call);
        self.b.emit(Stmt::Path(sum));
        let all_scalars = if key.guarded { guarded_results(&result_scalars) } else { result_scalars };
        self.driving.launched |= self.in_driver;
        let values = self.b.call(function, args.into_vec(), &all_scalars);
        let path = self.own_path();
        self.b.emit(Stmt::Path(path));
        values
    }

    /// Has a code led to the function that is being lowered?
    fn has_led_here(&self, identity: usize, builtin: bool) -> bool {
        // A built-in calls itself for what is within an array, of other types.
        let most = if builtin { MAX_NESTED } else { 0 };
        self.function.as_ref().is_some_and(|pending| pending.count(identity) > most)
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
            // What has gone by the others would go by them again.
            self.memo.specialisations.entry(key.code).or_default().push(key.clone());
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
}

/// Values of these types that a function gives behind its result.
fn operands_of(types: Vec<TypeSet>, values: Vec<Value>) -> impl Iterator<Item = Operand> {
    let mut values = values.into_iter();
    types.into_iter().map(move |types| {
        let count = operand::scalars(&types).map_or(0, |scalars| scalars.len());
        Operand { types, values: values.by_ref().take(count).collect(), birth: Birth::UNKNOWN }
    })
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
