//! The code of methods that are functions: lowered in the midst of others or when these have been, and what they give.

use super::births::Birth;
use super::calls::Arguments;
use super::expressions::SLOT_LEAVE;
use super::functions::Pending;
use super::growth::Growth;
use super::held_procs::Closure;
use super::host::Scope;
use super::inlining::identity_number;
use super::keys::{Context, JoinKey, Place, Step};
use super::memo::FunctionKey;
use super::operand::{self, Operand};
use super::ways_out::WayOut;
use super::{Control, Inlined, Lowerer, Trail};
use crate::ir::builder::Builder;
use crate::ir::{Comparison, ErrorKind, Stmt, Value};
use crate::scalar::Ty;
use crate::syntax::ast::{Code, LocalId};
use crate::types::TypeSet;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Frames of methods that call themselves, as deep as this; then SystemStackError.
pub(crate) const MAX_DEPTH: i64 = 10_000;

/// So often a function is lowered in one walk.
const MAX_ROUNDS: u32 = 4;

impl Lowerer<'_> {
    pub(crate) fn lower_pending_functions(&mut self) {
        while let Some(pending) = self.pending_functions.pop() {
            self.lower_function(&pending);
        }
    }

    /// Lowers a function, in the midst of another or not. Those that called it before it was known to give anything
    /// were not lowered to their ends: now they are, so that this need not wait for the next walk.
    pub(super) fn lower_function(&mut self, pending: &Rc<Pending>) {
        let outer_growth = std::mem::take(&mut self.grew_within);
        // What is told of code is told once.
        let told = |s: &Self| [s.diagnostics.len(), s.traps.len(), s.program.kernels.len(), s.syncs.len()];
        let told_before = told(self);
        self.lower_function_once(pending);
        // Where only what concerns the function itself has grown, no other has to be lowered again.
        for _ in 1..MAX_ROUNDS {
            if !self.grew_within.is_some() || self.memo.changed.is_some() || told(self) != told_before {
                break;
            }
            self.grew_within = Growth::default();
            self.function_calls.retain(|call| call.within != pending.function);
            self.lower_function_once(pending);
        }
        self.memo.changed.extend(std::mem::replace(&mut self.grew_within, outer_growth));
    }

    fn lower_function_once(&mut self, pending: &Rc<Pending>) {
        let gives = |s: &Self| s.memo.functions.get(&pending.key).is_some_and(|results| !results.is_empty());
        let gave = gives(self);
        let steps = self.own_steps();
        let outer = self.begin_function();
        let outer_driver = std::mem::replace(&mut self.in_driver, pending.key.driver.is_some());
        let guard = pending.key.driver.clone().unwrap_or_default();
        let outer_guard = std::mem::replace(&mut self.driving.guarded_outside, guard);
        let outer_kernel = self.driving.kernel.take();
        let outer_hashing = std::mem::replace(&mut self.hashing, pending.key.hashing);
        let outer_trail = self.trail.take();
        self.lower_body(pending);
        self.trail = outer_trail;
        self.hashing = outer_hashing;
        (self.in_driver, self.driving.kernel) = (outer_driver, outer_kernel);
        self.driving.guarded_outside = outer_guard;
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
        let (mut operands, at) = self.parameters(name, key);
        self.depth = self.counts_depth.then(|| self.b.param(at));
        self.function = Some(Rc::clone(pending));
        self.detached = key.detached;
        for operand in &operands {
            self.note_stale(&operand.types);
        }
        self.active = vec![Inlined::new(code, *builtin).with(key.types())];
        self.context = self.context_of(key, code);
        if pending.is_of_texts {
            self.home = self.context;
            let mut kinds = FxHashSet::default();
            key.types().for_each(|types| self.lists_in(types, &mut kinds));
            // They are older than it.
            for kind in kinds {
                let grew = self.memo.list_made(kind, self.home, &[]);
                self.note_grown_within(grew);
            }
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
            None if *builtin => s.function_body(key, &ways, |s| s.method_body(key, code, &arguments)),
            None => s.function_body(key, &ways, |s| {
                s.running_code(code, key.owner, |s| s.method_body(key, code, &arguments))
            }),
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

    /// Begins the code of a function: its parameters, and how many scalars these are.
    fn parameters(&mut self, name: &str, key: &FunctionKey) -> (Vec<Operand>, usize) {
        let mut params: Vec<Ty> = key.types().flat_map(|t| operand::scalars(t).unwrap_or_default()).collect();
        if self.counts_depth {
            params.push(Ty::I64);
        }
        self.b = Builder::new(name, &params, &[]);
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
        (operands, at)
    }

    /// The context of a function's code: all that it is specialised by.
    fn context_of(&mut self, key: &FunctionKey, code: &Rc<Code>) -> Context {
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
            | u32::from(key.driver.is_some()) << 3
            | u32::from(key.driver.as_ref().is_some_and(|guard| guard.ensures)) << 4;
        context = self.memo.context(context, Step::Form, key.form.number());
        context = self.memo.context(context, Step::Owner(key.owner), form);
        if let Some(trail) = key.trail {
            context = self.memo.context(context, Step::Trail(trail), 0);
        }
        if let Some(guard) = &key.driver {
            for class in &guard.rescued {
                context = self.memo.context(context, Step::Rescued(*class), 0);
            }
        }
        for (i, known) in (0..).zip(&key.constants).filter_map(|(i, known)| Some((i, (*known)?))) {
            context = self.memo.context(context, Step::Known(known), i);
        }
        self.memo.context(context, Step::Code, identity_number(code))
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
        let known = self.memo.functions.get(key).cloned().unwrap_or_default();
        let place = JoinKey::new(Place::Result(self.context), 0);
        let joined = self.memo.join(&known, &result.types, place);
        self.memo.changed |= self.memo.functions.grow(key, |known| {
            *known != joined && {
                known.clone_from(&joined);
                true
            }
        });
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
