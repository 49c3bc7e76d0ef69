//! Blocks, lambdas and procs: known at compile time, and run in the frame that they were written in.

use super::births::Birth;
use super::calls::{Arguments, CallType};
use super::expressions::SLOT_LEAVE;
use super::held_procs::Closure;
use super::host::{FoundMethod, Method, Scope};
use super::inlining::{MAX_INLINE_DEPTH, identity_number};
use super::keys::ProcKey;
use super::operand::{self, Operand, Values};
use super::single_assignment::{SingleAssignment, single_assignment_locals};
use super::used_variables::{calls_outer, used_by};
use super::{Activation, BlockRef, Control, Home, Inlined, JoinIndex, Lowerer, Outliving, Taken, class_of};
use crate::heap::schema::{ProcPlace, ProcSchema};
use crate::ir::{ErrorKind, MessagePart, Missing};
use crate::source::Span;
use crate::syntax::ast::{BlockArg, BlockLiteral, Code, Kind, LocalId, Node, Target};
use crate::syntax::walk::{each_local_in, each_node_in};
use crate::types::{ClassId, Type, TypeSet};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

/// A lambda that takes others can run within its own run, with arguments of other types, as deep as this.
const MAX_NESTED_RUNS: usize = 8;

impl Lowerer<'_> {
    /// Was the block written in a built-in of ours?
    pub(crate) fn is_ours(&self, block: &BlockRef) -> bool {
        match block {
            BlockRef::Literal { home, .. } => self.frames.get(home.frame).is_some_and(|f| f.builtin),
            BlockRef::Symbol { .. }
            | BlockRef::Outer { .. }
            | BlockRef::Held { .. }
            | BlockRef::Made { .. } => false,
        }
    }

    /// Is it a lambda that takes two arguments, or more?
    pub(crate) fn is_lambda_of_two(&mut self, block: &BlockRef) -> bool {
        let params = self.params_of(block);
        params.is_some_and(|(params, is_proc)| !is_proc && params.required.len() + params.post.len() > 1)
    }

    pub(crate) fn block_literal(
        &mut self,
        literal: &Arc<BlockLiteral>,
        break_to: Option<JoinIndex>,
        lambda: bool,
    ) -> BlockRef {
        let activation = self.frame().activation;
        let blocks = Rc::clone(&self.frame().blocks);
        let needs = if blocks.is_empty() { Vec::new() } else { used_of(&blocks, literal) };
        let (needs, taken) = (needs.into(), Rc::default());
        let active = self.active.len();
        let home = Home { frame: self.current, activation, active, blocks, needs, taken, outliving: None };
        BlockRef::Literal { literal: Arc::clone(literal), home, break_to, lambda }
    }

    /// `&:name`
    pub(crate) fn symbol_block(&self, name: String) -> BlockRef {
        BlockRef::Symbol { name, active: self.active.len() }
    }

    /// `->(x) { … }`, `lambda { … }`, `proc { … }`: a value known at compile time.
    pub(crate) fn make_proc(&mut self, literal: &Arc<BlockLiteral>, lambda: bool) -> Operand {
        let closed = self.closed_in(literal, lambda);
        let number = self.number_of_proc(literal, closed.is_some());
        let mut block = self.block_literal(literal, None, lambda);
        if let BlockRef::Literal { home, .. } = &mut block {
            self.take_along(literal, home);
            self.identify(literal, home);
            self.hide_stale(number, home);
        }
        if let (Some(place), BlockRef::Literal { literal, home, break_to, lambda }) = (closed, &block) {
            // Where it is met before this is, its method is none that runs.
            let home = Home { activation: u32::MAX, ..home.clone() };
            let block = BlockRef::Literal {
                literal: Arc::clone(literal),
                home,
                break_to: *break_to,
                lambda: *lambda,
            };
            self.memo.closed_procs.insert(number, (place, block));
        }
        self.proc_operand(number, block)
    }

    /// The block of a call, which takes all along that it uses, if it is kept and called when its method has ended.
    pub(super) fn outliving_block(&mut self, literal: &Arc<BlockLiteral>, mut block: BlockRef) -> BlockRef {
        if self.memo.outliving.contains(&(Arc::as_ptr(literal) as usize))
            && let BlockRef::Literal { home, .. } = &mut block
        {
            self.take_along(literal, home);
        }
        block
    }

    /// Variables that are assigned once go along by value, and all that it uses with one that outlives its method.
    fn take_along(&mut self, literal: &Arc<BlockLiteral>, home: &mut Home) {
        let mut taken = Vec::new();
        if !home.needs.is_empty() {
            let single = self.single_assignment();
            let stands_outside = |at: &Option<Span>| {
                at.is_none_or(|at| literal.span.start < at.start || at.end < literal.span.end)
            };
            let is_single = |local: &LocalId| single.get(local).is_some_and(stands_outside);
            let (by_value, needs): (Vec<_>, Vec<_>) =
                home.needs.iter().copied().partition(|(_, local)| is_single(local));
            home.needs = needs.into();
            for (_, local) in by_value {
                taken.push((Taken::Local(local), self.read_local(local)));
            }
        }
        if self.memo.outliving.contains(&(Arc::as_ptr(literal) as usize)) {
            home.outliving = self.outlive(literal, &home.needs, &mut taken);
        }
        home.taken = taken.into();
    }

    /// A value of this type may come from an earlier iteration, whose variables are gone.
    fn hide_stale(&mut self, number: u32, home: &mut Home) {
        if let Some(begun) = self.stale_since(number)
            && (home.activation > begun || home.needs.iter().any(|(need, _)| *need > begun))
        {
            home.needs = [(u32::MAX, LocalId(0))].into();
        }
    }

    /// Where a lambda or proc stands that uses nothing of the code around it but constants, and of that around the section
    /// what Ruby finds there.
    fn closed_in(&self, literal: &BlockLiteral, lambda: bool) -> Option<ProcPlace> {
        let frame = self.frame();
        let own_block = frame.code.params.block;
        let leaves = !lambda && (has_return(&literal.body) || has_break(&literal.body));
        let place = match (&frame.scope, frame.closure) {
            (Scope::Method { owner, nesting }, None) => ProcPlace::Method(*owner, nesting.clone()),
            (Scope::Block, None) if uses_self(literal) || uses_captured(literal) => ProcPlace::BlockWithin,
            (Scope::Block, None) => ProcPlace::Block,
            (_, Some(Closure::Root(root))) => ProcPlace::Closure(root),
            _ => return None,
        };
        let is_closed = !frame.builtin
            && !leaves
            && used_by(literal, own_block).is_empty()
            && !calls_outer(literal, own_block)
            && (place == ProcPlace::BlockWithin || !uses_self(literal) && !uses_captured(literal));
        is_closed.then_some(place)
    }

    /// Can a lambda or proc that the section makes be given? Then Ruby makes it of its text.
    pub(super) fn give_proc(&mut self, number: u32) -> bool {
        let (place, text, lambda) = match self.memo.closed_procs.get(&number) {
            Some((place, BlockRef::Literal { literal, lambda, .. })) => (place, literal.span, *lambda),
            Some((place, BlockRef::Outer { code, lambda, .. })) => (place, code.span, *lambda),
            _ => return false,
        };
        let schema = ProcSchema { number, text, lambda, place: place.clone() };
        self.given_procs.insert(number, schema);
        true
    }

    /// The default block of Hashes that the section makes and that have rows.
    pub(crate) fn closed_proc(&mut self, number: u32) -> Operand {
        let Some((_, block)) = self.memo.closed_procs.get(&number) else { return Operand::bottom() };
        self.procs.entry(number).or_insert_with(|| block.clone());
        Operand { types: Type::Proc(number).into(), values: Values::new(), birth: Birth::UNKNOWN }
    }

    /// A block that is written at the call that is lowered, as a proc.
    pub(crate) fn proc_of_block(&mut self, block: &BlockRef) -> Option<Operand> {
        match block {
            BlockRef::Literal { literal, home, .. } if home.frame == self.current => {
                Some(self.make_proc(&literal.clone(), false))
            }
            _ => None,
        }
    }

    /// A lambda or proc as a value: what it took along is part of that.
    pub(super) fn proc_operand(&mut self, number: u32, block: BlockRef) -> Operand {
        let mut operand =
            Operand { types: Type::Proc(number).into(), values: Values::new(), birth: Birth::UNKNOWN };
        if let BlockRef::Literal { home, .. } = &block
            && !home.taken.is_empty()
        {
            if home.taken.iter().any(|(_, value)| value.is_bottom()) {
                return Operand::bottom();
            }
            let items = home.taken.iter().map(|(_, value)| value.types.clone()).collect();
            operand.types = Type::Closure(number, items).into();
            operand.values = home.taken.iter().flat_map(|(_, value)| value.values.clone()).collect();
            if !self.is_bounded(&operand.types) {
                return Operand::bottom();
            }
        }
        if let BlockRef::Literal { literal, home, break_to, lambda } = &block {
            // Where it is met before this is, its method is none that runs.
            let home = Home { activation: u32::MAX, ..home.clone() };
            let (literal, break_to, lambda) = (Arc::clone(literal), *break_to, *lambda);
            if matches!(operand.types.single(), Some(Type::Proc(_))) {
                operand.birth = self.birth_of_proc(&operand.types, Arc::as_ptr(&literal) as usize);
            }
            self.memo.known_procs.insert(number, BlockRef::Literal { literal, home, break_to, lambda });
        }
        self.procs.insert(number, block);
        operand
    }

    /// The block of that number, which another walk has met where this one has not been yet.
    pub(super) fn known_proc(&self, number: u32) -> Option<BlockRef> {
        self.procs.get(&number).or_else(|| self.memo.known_procs.get(&number)).cloned()
    }

    /// Has a lambda take all along that it uses of the method it stands in, if it can be called without that.
    fn outlive(
        &mut self,
        literal: &BlockLiteral,
        needs: &[(u32, LocalId)],
        taken: &mut Vec<(Taken, Operand)>,
    ) -> Option<Rc<Outliving>> {
        let frame = self.frame();
        let can_be_anew = match frame.closure {
            None => matches!(frame.scope, Scope::Method { .. } | Scope::Block),
            Some(closure) => matches!(closure, Closure::Root(_) | Closure::Method(_)),
        };
        if !needs.is_empty() || !can_be_anew || calls_outer(literal, None) {
            return None;
        }
        let mut used: Vec<LocalId> = used_by(literal, None).into_iter().collect();
        let single = self.single_assignment();
        used.retain(|local| taken.iter().all(|(other, _)| *other != Taken::Local(*local)));
        used.sort_unstable();
        for local in used {
            let at = single.get(&local)?;
            if at.is_some_and(|at| at.start <= literal.span.start && literal.span.end <= at.end) {
                return None;
            }
            taken.push((Taken::Local(local), self.read_local(local)));
        }
        let receiver = self.frame().receiver.clone();
        if !receiver.is_bottom() && uses_self(literal) {
            let receiver = self.carrier(receiver);
            if receiver.is_bottom() || self.keep_building(&receiver.types) {
                return None;
            }
            taken.push((Taken::Receiver, receiver));
        }
        let frame = self.frame();
        Some(Rc::new(Outliving {
            code: Rc::clone(&frame.code),
            name: frame.name.clone(),
            owner: frame.owner,
            scope: frame.scope.clone(),
            builtin: frame.builtin,
            closure: frame.closure,
            call_span: if frame.builtin { self.user_span() } else { frame.call_span },
        }))
    }

    /// The home of a lambda whose method has ended, in a frame that is made anew; `None` if it cannot be called without
    /// that method, or is known to be called so in the next walk only.
    pub(super) fn revive(&mut self, literal: &Arc<BlockLiteral>, home: &Home, lambda: bool) -> Option<Home> {
        let Some(outliving) = home.outliving.clone() else {
            let leaves = !lambda && (has_return(&literal.body) || has_break(&literal.body));
            if leaves || !self.memo.outliving.insert(Arc::as_ptr(literal) as usize) {
                self.refuse_escaping();
            } else {
                // What was learned of its type is that of one that takes nothing along.
                self.memo.restart = true;
                self.memo.changed |= true;
            }
            return None;
        };
        let receiver = home.taken.iter().find(|(what, _)| *what == Taken::Receiver);
        let receiver = receiver.map_or_else(Operand::bottom, |(_, value)| value.clone());
        let Outliving { code, name, owner, scope, builtin, closure, call_span } = &*outliving;
        self.push_frame(&receiver, name, *owner, code, *builtin, None);
        let frame = self.frames.len() - 1;
        self.frames[frame].scope = scope.clone();
        self.frames[frame].closure = *closure;
        self.frames[frame].call_span = *call_span;
        let activation = self.frames[frame].activation;
        Some(Home { frame, activation, blocks: Rc::default(), needs: Rc::default(), ..home.clone() })
    }

    fn single_assignment(&mut self) -> Rc<SingleAssignment> {
        let code = Rc::clone(&self.frame().code);
        let found = self.single_assignment.entry(Rc::as_ptr(&code) as usize);
        Rc::clone(found.or_insert_with(|| single_assignment_locals(&code).into()))
    }

    /// The lambdas and procs that values which come from before (an earlier iteration, a caller) can be or hold.
    pub(super) fn note_stale(&mut self, types: &TypeSet) {
        let mut numbers = FxHashSet::default();
        self.procs_in(types, &mut Vec::new(), &mut numbers);
        let begun = self.versions;
        for number in numbers {
            let is_here = self.procs.get(&number).is_some_and(|block| match block {
                BlockRef::Literal { home, .. } => self.is_live(home),
                BlockRef::Outer { .. }
                | BlockRef::Held { .. }
                | BlockRef::Symbol { .. }
                | BlockRef::Made { .. } => true,
            });
            if !is_here {
                let known = self.stale.entry(number).or_insert(begun);
                *known = begun.min(*known);
            }
        }
    }

    /// What had begun when a loop or function did that the lambda may come from an earlier iteration of.
    fn stale_since(&mut self, number: u32) -> Option<u32> {
        let mut listed = FxHashSet::default();
        if !self.loops.is_empty() || self.detached {
            // Nothing tells when an item of a list was put into it.
            for items in self.memo.list_items().into_iter().chain(self.memo.made_fields()) {
                self.procs_in(&items, &mut Vec::new(), &mut listed);
            }
        }
        if listed.contains(&number) { Some(0) } else { self.stale.get(&number).copied() }
    }

    /// The lambdas and procs that a value can be or hold.
    pub(super) fn procs_of(&mut self, types: &TypeSet) -> FxHashSet<u32> {
        let mut found = FxHashSet::default();
        self.procs_in(types, &mut Vec::new(), &mut found);
        found
    }

    /// Can a value be, or hold, a lambda or proc?
    pub(super) fn holds_procs(&mut self, types: &TypeSet) -> bool {
        !self.procs_of(types).is_empty()
    }

    fn procs_in(&mut self, types: &TypeSet, within: &mut Vec<Type>, found: &mut FxHashSet<u32>) {
        for ty in types {
            match ty {
                Type::Proc(number) => {
                    found.insert(*number);
                }
                Type::Closure(number, parts) => {
                    found.insert(*number);
                    for part in parts.iter() {
                        self.procs_in(part, within, found);
                    }
                }
                Type::List(_) | Type::Made(_) if !within.contains(ty) => {
                    within.push(ty.clone());
                    for held in self.held_by(ty) {
                        self.procs_in(&held, within, found);
                    }
                }
                other => {
                    for part in operand::parts(other).unwrap_or_default() {
                        self.procs_in(&part, within, found);
                    }
                }
            }
        }
    }

    /// Are the variables that a block uses still there?
    pub(super) fn is_live(&self, home: &Home) -> bool {
        let is_latest = |(number, local): &(u32, LocalId)| {
            let mut runs = self.live.iter().rev().filter(|(a, _)| a.frame == home.frame);
            runs.find(|(a, _)| a.has(*local)).is_some_and(|(a, _)| a.number == *number)
        };
        self.frames.get(home.frame).is_some_and(|f| f.activation == home.activation)
            && home.needs.iter().all(is_latest)
    }

    /// The block that an operand is, where it is a lambda or proc of the section.
    pub(crate) fn proc_of(&mut self, operand: &Operand) -> Option<BlockRef> {
        match operand.types.single() {
            Some(Type::Proc(number)) => self.known_proc(*number),
            Some(Type::Closure(number, _)) => {
                let mut block = self.known_proc(*number)?;
                let mut values = self.tuple_items(operand);
                if matches!(block, BlockRef::Made { .. }) && self.has_token(*number) {
                    values.pop();
                }
                match &mut block {
                    BlockRef::Literal { home, .. } => {
                        if home.taken.len() != values.len() {
                            return None;
                        }
                        home.taken = home.taken.iter().map(|(what, _)| *what).zip(values).collect();
                    }
                    BlockRef::Made { parts, .. } => *parts = values,
                    BlockRef::Outer { .. } | BlockRef::Held { .. } | BlockRef::Symbol { .. } => {}
                }
                Some(block)
            }
            Some(Type::Object(..)) => self.held_proc(operand),
            _ => None,
        }
    }

    /// Has `Symbol#to_proc` been redefined, which `&:name` calls?
    pub(super) fn refuse_symbol_block(&mut self) -> bool {
        !self.frame().builtin && self.refuse_redefined(&Type::Symbol.into(), "to_proc", "`&` of a Symbol")
    }

    /// `&expression` at a call: the method's own block handed on, a lambda, a symbol, or nil for no block at all.
    pub(super) fn block_argument(&mut self, operand: &Operand) -> Option<Option<BlockRef>> {
        if operand.types.single() == Some(&Type::Nil) {
            return Some(None);
        }
        if let Some(mut block) = self.proc_of(operand) {
            if let BlockRef::Outer { active, .. }
            | BlockRef::Held { active, .. }
            | BlockRef::Made { active, .. } = &mut block
            {
                *active = self.active.len().min(*active);
            }
            return Some(Some(block));
        }
        if operand.types.contains(&Type::Symbol) && self.refuse_symbol_block() {
            return None;
        }
        if let Some(name) = self.symbol_name(operand) {
            return Some(Some(self.symbol_block(name)));
        }
        if operand.types.single() == Some(&Type::Symbol) {
            let parts = vec![operand.clone()];
            let block =
                BlockRef::Made { what: super::made_procs::MadeProc::Named, parts, active: self.active.len() };
            return Some(Some(block));
        }
        // True and false are told apart by the error alone.
        let is_bool = operand.types.iter().all(|ty| matches!(ty, Type::True | Type::False));
        if let Some(ty) = operand.types.iter().next().filter(|_| is_bool || operand.types.len() == 1) {
            let found = match ty {
                Type::Module(module) => self.host.singleton_method(*module, "to_proc"),
                other => self.host.method(class_of(other), "to_proc"),
            };
            match found {
                Err(refusal) => {
                    self.refuse(refusal);
                    return None;
                }
                Ok(Some(FoundMethod { method: Method::Ruby(_), .. })) => {
                    let made = self.send_from(operand, "to_proc", &[], 0x3e0, CallType::Own);
                    return self.block_of_object(operand, &made);
                }
                Ok(None) if !matches!(ty, Type::Module(_)) => {
                    self.fail_no_proc(operand);
                    return None;
                }
                Ok(_) => {}
            }
        }
        if !operand.is_bottom() {
            self.refuse_here(
                "unsupported-block",
                "only a literal block, a Symbol, a lambda or Method of the section or the method's own block can be \
                 passed",
                Some("write the block out: { |x| … }".into()),
            );
        }
        None
    }

    /// The block that an object is which has given this for it by its `to_proc`.
    fn block_of_object(&mut self, object: &Operand, made: &Operand) -> Option<Option<BlockRef>> {
        let is_proc = |ty: &Type| ty.is_made_proc() || matches!(ty, Type::Object(..));
        if made.types.len() == 1 && made.types.iter().all(is_proc) {
            return self.block_argument(made);
        }
        if !made.is_bottom() && made.types.iter().any(is_proc) {
            self.refuse_here(
                "unsupported-block",
                "a `to_proc` that may give one thing or another cannot be called for a block in a section",
                Some("have it give one lambda".into()),
            );
        } else if !made.is_bottom() {
            self.fail_no_proc(object);
        }
        None
    }

    fn fail_no_proc(&mut self, operand: &Operand) {
        self.each_of_bool(operand, &mut |s, operand| {
            let class = operand.types.iter().next().map(class_of);
            let class = class.map_or_else(String::new, |class| s.host.class_name(class));
            s.fail(ErrorKind::TypeError(format!("wrong argument type {class} (expected Proc)")), &[])
        });
    }

    /// The block that the method around the section was called with is Ruby's alone.
    pub(super) fn refuse_outer_block(&mut self) -> Operand {
        self.refuse_here(
            "unsupported-block",
            "the block of the method around the section cannot be called in it",
            Some("give it a name, as in `def each(&block)`, and call it by that: block.(x)".into()),
        )
    }

    pub(crate) fn yield_to_block(&mut self, node: &Node, arguments: Arguments, unused: bool) -> Operand {
        if self.is_of_block() {
            return self.refuse_outer_block();
        }
        self.enter(node);
        match self.frame().block.clone() {
            Some(block) => {
                self.unused = unused;
                self.call_lambda(&block, arguments, None)
            }
            None => {
                let class = self.constant(&["LocalJumpError".to_string()], true);
                let Some(class) = super::conditions::module_of(&class) else { return Operand::bottom() };
                let message = vec![MessagePart::Text("no block given (yield)".into())];
                self.fail(ErrorKind::Raise { class, message: Some(message) }, &[])
            }
        }
    }

    /// Does the code being lowered belong to the section's block, or to a lambda made around the section?
    pub(crate) fn is_of_block(&self) -> bool {
        matches!(self.frame().scope, Scope::Block | Scope::Literal(_))
    }

    /// A root that is a lambda, proc or Method.
    pub(crate) fn outer_proc(&mut self, root: u32, method: u32) -> Operand {
        let (code, lambda) = match self.host.closure(root) {
            Ok(found) => found,
            Err(refusal) => return self.refuse(refusal),
        };
        let number = self.memo.proc_number(ProcKey::Root(root)) | method;
        let block = BlockRef::Outer { root, code, lambda, active: usize::MAX };
        if method == 0 {
            self.memo.closed_procs.insert(number, (ProcPlace::Root(root), block.clone()));
        }
        self.procs.insert(number, block);
        Operand { types: Type::Proc(number).into(), values: Values::new(), birth: Birth::UNKNOWN }
    }

    /// Runs a lambda or proc made around the section: as a method is, in a frame that sees what its own binding has.
    fn call_outer(
        &mut self,
        root: u32,
        code: &Rc<Code>,
        lambda: bool,
        arguments: Arguments,
        passed: Option<&BlockRef>,
        unused: bool,
    ) -> Operand {
        let inlined = Inlined::new(code, false);
        let calls_itself = self.active.contains(&inlined);
        if passed.is_none() && self.memo.recursive.contains(&inlined.code) {
            return self.outer_call((root, lambda), code, &arguments);
        }
        if passed.is_none() && calls_itself {
            // It becomes a function.
            self.memo.recursive.insert(inlined.code);
            self.memo.changed |= true;
            return Operand::bottom();
        }
        if calls_itself || self.active.len() >= MAX_INLINE_DEPTH {
            return self.refuse_here(
                "unsupported-recursion",
                "a lambda from around the section calls itself",
                Some("make it a method".into()),
            );
        }
        self.active.push(inlined);
        let outer = self.current;
        self.push_frame(&Operand::bottom(), &code.name, ClassId::OBJECT, code, false, passed);
        let frame = self.current;
        self.frames[frame].closure = Some(Closure::Root(root));
        self.frames[frame].scope = Scope::Block;
        // Its caller may be a built-in, whose lines are none of the user's.
        let called_at = std::mem::replace(&mut self.span, code.span);
        let result = self.within_here(identity_number(code), |s| {
            s.labelled(SLOT_LEAVE, !unused, |s, leave| {
                let leave = Some(leave);
                if lambda {
                    s.frames[frame].return_to = leave;
                    s.frames[frame].control.push(Control { break_to: leave, next_to: leave });
                    s.bind_method(&code.params, arguments);
                } else {
                    s.frames[frame].control.push(Control { break_to: None, next_to: leave });
                    s.bind_block(&code.params, arguments);
                }
                if s.b.is_dead() { Operand::bottom() } else { s.arm(&code.body, unused) }
            })
        });
        self.frames.pop();
        self.current = outer;
        self.active.pop();
        self.span = called_at;
        result
    }

    /// Runs a block's body here, in the frame it was written in.
    pub(crate) fn call_block(&mut self, block: &BlockRef, args: Vec<Operand>) -> Operand {
        self.call_lambda(block, Arguments { positional: args, ..Arguments::default() }, None)
    }

    /// The same with whatever a lambda or proc can be called with; `passed` is the block for its `&block`.
    pub(crate) fn call_lambda(
        &mut self,
        block: &BlockRef,
        arguments: Arguments,
        passed: Option<&BlockRef>,
    ) -> Operand {
        let unused = std::mem::take(&mut self.unused);
        if self.b.is_dead() || arguments.has_bottom() {
            return Operand::bottom();
        }
        match block {
            BlockRef::Symbol { name, active } => {
                self.suspending(*active, |s| s.call_symbol(name, arguments, passed, unused))
            }
            BlockRef::Outer { root, code, lambda, active } => {
                self.suspending(*active, |s| s.call_outer(*root, code, *lambda, arguments, passed, unused))
            }
            BlockRef::Held { class, object, code, active, .. } => {
                self.suspending(*active, |s| s.call_held((*class, object), code, arguments, passed, unused))
            }
            BlockRef::Made { what, parts, active } => {
                self.suspending(*active, |s| s.call_made(what, parts, arguments, passed, unused))
            }
            BlockRef::Literal { literal, home, break_to, lambda } => {
                if !self.is_live(home) {
                    let (outer, depth) = (self.current, self.frames.len());
                    let Some(home) = self.revive(literal, home, *lambda) else { return Operand::bottom() };
                    let block = BlockRef::Literal {
                        literal: Arc::clone(literal),
                        home,
                        break_to: *break_to,
                        lambda: *lambda,
                    };
                    self.unused = unused;
                    let result = self.call_lambda(&block, arguments, passed);
                    self.frames.truncate(depth);
                    self.current = outer;
                    return result;
                }
                let frame = home.frame;
                let taken = home.taken.iter().map(|(_, value)| value);
                let named = arguments.keywords.iter().map(|(_, value)| value);
                let given = arguments.unnamed().chain(named).chain(taken);
                let types: Vec<TypeSet> = given.map(|a| a.types.clone()).collect();
                let address = Arc::as_ptr(literal) as usize;
                let opens = std::mem::take(&mut self.opening) == address;
                if !opens && passed.is_none() && self.memo.recursive.contains(&address) {
                    return self.lambda_call(literal, frame, block, &arguments);
                }
                let same = |(a, _): &&(Activation, Vec<TypeSet>)| {
                    a.frame == frame && Arc::ptr_eq(&a.literal, literal)
                };
                let mut running = self.live.iter().filter(same);
                if running.clone().count() >= MAX_NESTED_RUNS || running.any(|(_, known)| *known == types) {
                    if passed.is_none() && break_to.is_none() {
                        // It becomes a function.
                        self.memo.recursive.insert(address);
                        self.memo.changed |= true;
                        return Operand::bottom();
                    }
                    return self.refuse_here(
                        "unsupported-recursion",
                        "a lambda or block that the section makes calls itself",
                        Some("make it a method".into()),
                    );
                }
                let number = self.fresh_version();
                let of_locals = home.taken.iter().filter_map(|(what, value)| Some((what.local()?, value)));
                let taken: Rc<[LocalId]> = of_locals.clone().map(|(local, _)| local).collect();
                let own: Vec<LocalId> = literal.own_locals.iter().chain(taken.iter()).copied().collect();
                let activation = Activation { number, literal: Arc::clone(literal), frame, taken };
                let blocks = home.blocks.iter().chain([&activation]).cloned().collect();
                let outer_blocks = std::mem::replace(&mut self.frames[frame].blocks, blocks);
                self.live.push((activation, types));
                let outer = std::mem::replace(&mut self.current, frame);
                let saved: Vec<_> =
                    own.iter().map(|l| (*l, self.frames[frame].locals[l.0 as usize].clone())).collect();
                for (local, _) in &saved {
                    let version = self.fresh_version();
                    self.frames[frame].locals[local.0 as usize] =
                        super::LocalValue::new(Operand::nil(), version);
                }
                for (local, value) in of_locals {
                    self.frames[frame].locals[local.0 as usize].operand = value.clone();
                }
                if let Some(local) = literal.params.block {
                    let operand = self.passed_block(passed);
                    self.write_local(local, operand);
                }
                let returns = *lambda && has_return(&literal.body);
                let result = self.suspending(home.active, |s| {
                    s.within_here(literal.id.0, |s| {
                        let run = |s: &mut Self, leave: Option<JoinIndex>| {
                            s.span = literal.span;
                            let break_to =
                                if *lambda { leave } else { break_to.or(s.frames[frame].break_to) };
                            s.frames[frame].control.push(Control { break_to, next_to: leave });
                            let outer_return = s.frames[frame].return_to;
                            if *lambda {
                                s.frames[frame].return_to = leave;
                                s.bind_method(&literal.params, arguments);
                            } else {
                                s.bind_block(&literal.params, arguments);
                            }
                            let value =
                                if s.b.is_dead() { Operand::bottom() } else { s.arm(&literal.body, unused) };
                            s.frames[frame].return_to = outer_return;
                            s.frames[frame].control.pop();
                            value
                        };
                        if returns || has_next(&literal.body) || (*lambda && has_break(&literal.body)) {
                            s.labelled(SLOT_LEAVE, !unused, |s, join| run(s, Some(join)))
                        } else {
                            run(s, None)
                        }
                    })
                });
                for (local, slot) in saved {
                    self.frames[frame].locals[local.0 as usize] = slot;
                }
                self.current = outer;
                self.live.pop();
                self.frames[frame].blocks = outer_blocks;
                result
            }
        }
    }

    /// Runs what was written where so many codes were being inlined.
    fn suspending(&mut self, active: usize, run: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let suspended = self.active.split_off(active.min(self.active.len()));
        let result = run(self);
        self.active.extend(suspended);
        result
    }

    pub(super) fn call_symbol(
        &mut self,
        name: &str,
        mut arguments: Arguments,
        passed: Option<&BlockRef>,
        unused: bool,
    ) -> Operand {
        if arguments.positional.is_empty() && arguments.splat.is_some() {
            return self.refuse_splat();
        }
        if arguments.positional.is_empty() {
            return self.fail(ErrorKind::ArgumentError("no receiver given".into()), &[]);
        }
        let receiver = arguments.positional.remove(0);
        if self.is_protected(&receiver, name) {
            return self.switch(&receiver, 9, &mut |s, receiver| {
                s.no_method(&receiver, name, Missing::Protected, &arguments)
            });
        }
        arguments.unused = unused;
        let span = self.span;
        self.within(0x107, |s| {
            s.span = span;
            s.dispatch(&receiver, name, &arguments, passed.cloned(), CallType::Outside)
        })
    }

    /// A block that a built-in keeps, as a value.
    pub(crate) fn kept_block(&mut self, block: &BlockRef) -> Operand {
        if let BlockRef::Literal { literal, lambda: false, .. } = block
            && has_break(&literal.body)
        {
            return self.refuse_here(
                "escaping-block",
                "a block that leaves by `break` is called after the method that it was given to has ended",
                Some("leave the loop that goes through the Enumerator instead".into()),
            );
        }
        let number = self.memo.proc_number(ProcKey::Kept(self.context));
        self.proc_operand(number, block.clone())
    }

    /// What a parameter `&block` holds.
    pub(super) fn passed_block(&mut self, passed: Option<&BlockRef>) -> Operand {
        match passed {
            Some(block) => {
                let number = self.memo.proc_number(ProcKey::Passed(self.context));
                let mut block = block.clone();
                if let BlockRef::Literal { literal, home, .. } = &mut block {
                    self.identify(literal, home);
                    if home.outliving.is_some() {
                        self.hide_stale(number, home);
                    }
                }
                self.proc_operand(number, block)
            }
            None => Operand::nil(),
        }
    }

    pub(crate) fn refuse_escaping(&mut self) -> Operand {
        self.refuse_here(
            "escaping-block",
            "a lambda or block is called after the method or block that made it has ended",
            Some("call it there, or write a method instead".into()),
        )
    }
}

impl Activation {
    /// Is the local variable one of this run's?
    fn has(&self, local: LocalId) -> bool {
        self.literal.own_locals.contains(&local) || self.taken.contains(&local)
    }
}

/// The locals of blocks around it that a block uses, and whose they are.
pub(super) fn used_of(blocks: &[Activation], literal: &BlockLiteral) -> Vec<(u32, LocalId)> {
    let mut used: Vec<LocalId> = locals_of(literal).into_iter().collect();
    used.sort_unstable();
    let owner = |local: &LocalId| blocks.iter().rev().find(|a| a.has(*local));
    used.iter().filter_map(|local| Some((owner(local)?.number, *local))).collect()
}

/// The local variables that a block reads or assigns to.
pub(super) fn locals_of(literal: &BlockLiteral) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    let mut note = |id| {
        found.insert(id);
    };
    each_local_in(&literal.body, &mut note);
    let optional = literal.params.optional.iter().map(|(_, default)| default);
    let keywords = literal.params.keywords.iter().filter_map(|(_, _, default)| default.as_ref());
    optional.chain(keywords).for_each(|default| each_local_in(default, &mut note));
    found
}

/// Does a block ask for `self`, or call it?
/// Does it use variables around the section, or those of classes?
fn uses_captured(literal: &BlockLiteral) -> bool {
    let mut found = false;
    each_node_in(&literal.body, &mut |node| {
        found |= match &node.kind {
            Kind::Captured(_) | Kind::ClassVariable(_) => true,
            Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => {
                matches!(**target, Target::Captured(..) | Target::ClassVariable(..))
            }
            _ => false,
        };
    });
    found
}

fn uses_self(literal: &BlockLiteral) -> bool {
    let mut found = false;
    let is_of_self = |target: &Target| matches!(target, Target::Ivar(..));
    each_node_in(&literal.body, &mut |node| {
        found |= match &node.kind {
            Kind::SelfRef | Kind::Ivar(_) => true,
            Kind::Call(call) => call.receiver.is_none(),
            Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => is_of_self(target),
            Kind::MultiAssign { .. } => true,
            _ => false,
        };
    });
    let optional = literal.params.optional.iter().map(|(_, default)| default);
    let keywords = literal.params.keywords.iter().filter_map(|(_, _, default)| default.as_ref());
    found || optional.chain(keywords).next().is_some()
}

/// Looks through a body for control flow of its own: what stands in nested blocks (and loops) is theirs.
fn has_own(body: &Node, found: fn(&Kind) -> bool) -> bool {
    let (mut hits, mut inner) = (Vec::new(), Vec::new());
    each_node_in(body, &mut |node| match &node.kind {
        Kind::While { .. } => inner.push(node.span),
        Kind::Lambda(literal) => inner.push(literal.span),
        Kind::Super { block: Some(BlockArg::Literal(literal)), .. } => inner.push(literal.span),
        Kind::Call(call) => {
            if let Some(BlockArg::Literal(literal)) = &call.block {
                inner.push(literal.span);
            }
        }
        kind if found(kind) => hits.push(node.span),
        _ => {}
    });
    hits.iter().any(|hit| !inner.iter().any(|i| i.start <= hit.start && hit.end <= i.end))
}

pub(super) fn has_return(body: &Node) -> bool {
    let mut found = false;
    each_node_in(body, &mut |node| found |= matches!(node.kind, Kind::Return(_)));
    found
}

pub(super) fn has_next(body: &Node) -> bool {
    has_own(body, |kind| matches!(kind, Kind::Next(_)))
}

pub(super) fn has_break(body: &Node) -> bool {
    has_own(body, |kind| matches!(kind, Kind::Break(_)))
}
