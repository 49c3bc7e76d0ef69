//! Lambdas and procs as values: what they take along, how long what they use is there, and which a value can be.
//!
//! A lambda captures by value those locals of blocks around it that have a single assignment (`single_assignment.rs`);
//! they are part of its type and its operand, as a record's variables are. The others it captures by reference: each
//! activation of a block (`Activation`) has a number, a lambda knows the activations that it needs, and is refused when
//! it is called after one of them has ended. What is loop-carried counts as made in one that has ended. A lambda from
//! around the section is a root whose type is its literal; what it captures are roots within that root.
//!
//! A lambda runs in the frame that it was written in. Where one turns out to be called when that method has ended, the
//! next walk has it take along by value all that it uses there: locals that are assigned once, the block of its method,
//! and self. Then a frame is made anew for each call (`revive`). What assigns such locals, or yields, is refused. So
//! does a block of a call that keeps it (`outliving_block`). One that a walk has not come to yet, as another one is
//! called first, is as the walk before has made it (`Memo::known_procs`). A lambda from around the section that sees
//! itself in a variable is the same root (`AskedRoot::same_as`), which later calls check.

use super::births::Birth;
use super::held_procs::Closure;
use super::host::Scope;
use super::operand::{self, Operand, Values};
use super::single_assignment::{SingleAssignment, single_assignment_locals};
use super::used_variables::{calls_outer, has_break, has_return, used_by, uses_captured, uses_self};
use super::{BlockRef, Home, Lowerer, Outliving, Taken};
use crate::heap::schema::{ProcPlace, ProcSchema};
use crate::source::Span;
use crate::syntax::ast::{BlockLiteral, LocalId};
use crate::types::{Type, TypeSet};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

impl Lowerer<'_> {
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
    pub(super) fn hide_stale(&mut self, number: u32, home: &mut Home) {
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

    /// Are the variables that a block uses still there?
    pub(super) fn is_live(&self, home: &Home) -> bool {
        let is_latest = |(number, local): &(u32, LocalId)| {
            let mut runs = self.live.iter().rev().filter(|(a, _)| a.frame == home.frame);
            runs.find(|(a, _)| a.has(*local)).is_some_and(|(a, _)| a.number == *number)
        };
        self.frames.get(home.frame).is_some_and(|f| f.activation == home.activation)
            && home.needs.iter().all(is_latest)
    }
}
