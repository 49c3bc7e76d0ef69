//! `begin … rescue … else … ensure … end` and `retry`. While the body of a `begin` is lowered, an exception *region*
//! tells where its errors go. The class of an error is known where it is raised, so `fail` and `check` know at compile
//! time which clause takes it, however deep in inlined calls they stand: the failure becomes a jump to the clause's
//! join, and what was done before it stays done, as nothing is ever rolled back. Hidden locals keep the site and its
//! operands, for a `raise` without arguments; from these `error.message` and `error.class` follow
//! (`exception_methods.rs`), so most exceptions are no objects. What is more than that is told in `exceptions.rs`.
//!
//! An `ensure` is lowered once for the normal end, once for all errors, which then go on their way, and once more for
//! each jump out of it (`leave_to`).
//!
//! Some methods are functions of their own. One is called as a *guarded* one where it can raise what a region waits for
//! (the memo knows its errors): it then gives site, operands and path back beside its value, and its caller raises the
//! error.
//!
//! What Ruby would not raise (an Integer beyond 64 bits, too little memory, what is not supported, races) is never
//! rescued.

use super::backtraces::Running;
use super::failing::class_of_error;
use super::operand::Operand;
use super::{Inlined, JoinIndex, Lowerer, Temp};
use crate::ir::{ErrorKind, SiteId};
use crate::syntax::ast::{Begin, Kind, LocalId, Node};
use crate::syntax::walk::{assigned_by, each_node, each_node_in};
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Joins of a `begin`, told apart by slots: its end, where failures arrive that pass an `ensure`, the end and (next to
/// it) the head of the loop that `retry` makes, and one for each clause.
const SLOT_END: u32 = 60;
const SLOT_PASSING: u32 = 61;
const SLOT_ENSURED: u32 = 62;
const SLOT_RETRY: u32 = 63;
/// Where the errors of a guarded function arrive; its node can be that of a `begin`.
pub(super) const SLOT_GUARDED: u32 = 65;
const SLOT_CLAUSE: u32 = 70;
/// What an error is carried in; see [`Caught::temps`].
pub(super) const ERROR_WORDS: usize = 4;
/// What a guarded function gives in place of a site where it did not fail.
pub(super) const NO_SITE: i64 = -1;

/// The body of a `begin` while it is being lowered, and what the code after it may do.
#[derive(Debug)]
pub(crate) struct Region {
    pub(super) handler: Handler,
    /// Joins open around it: who jumps to one of these leaves the region.
    pub(super) joins: usize,
    pub(super) around: Around,
}

#[derive(Debug)]
pub(super) enum Handler {
    Rescue(Vec<Clause>),
    /// All errors pass here, and all jumps out.
    Ensure {
        begin: Arc<Begin>,
        passing: JoinIndex,
        error: Caught,
    },
    /// A guarded function: all errors end here, as results.
    Function {
        failed: JoinIndex,
        error: Caught,
    },
}

/// A clause: the classes that it rescues, where it begins, and what it gets.
#[derive(Debug)]
pub(super) struct Clause {
    pub(super) classes: Vec<ClassId>,
    pub(super) join: JoinIndex,
    pub(super) error: Caught,
}

/// An error that was stopped on its way: at which of these sites it was raised, and with which operands.
#[derive(Clone, Debug)]
pub(crate) struct Caught {
    pub(super) sites: Vec<SiteId>,
    /// The site's number, the operands, and the path to the function that it was raised in.
    pub(super) temps: [Temp; ERROR_WORDS],
    /// Its message, if the clause asks for it: nil where that is not kept.
    pub(super) message: Option<Temp>,
    /// The frame, local variable and version that stand for it: `rescue … => error`.
    pub(super) variable: Option<(usize, LocalId, u32)>,
    /// The object that it is, where exceptions are asked for their causes.
    pub(super) object: Option<Temp>,
}

/// The parts of a `begin` that its clauses need.
#[derive(Clone, Copy)]
struct Attempt<'a> {
    node: &'a Node,
    begin: &'a Begin,
    end: JoinIndex,
    unused: bool,
}

/// The state of the walk where a region begins, for the code of its `ensure`.
#[derive(Clone, Debug)]
pub(super) struct Around {
    pub(super) frame: usize,
    frames: usize,
    control: usize,
    return_to: Option<JoinIndex>,
    catches: usize,
    handled: usize,
    running: Option<Rc<Running>>,
    active: Vec<Inlined>,
}

impl Lowerer<'_> {
    pub(super) fn begin(&mut self, node: &Node, begin: &Arc<Begin>, unused: bool) -> Operand {
        let mut clauses = Vec::new();
        for rescue in &begin.rescues {
            let mut classes = Vec::new();
            for class in &rescue.classes {
                let more = match &class.kind {
                    Kind::Splat(list) => self.rescued_of(list, begin),
                    _ => self.rescued(class).map(|class| vec![class]),
                };
                match more {
                    Some(more) => classes.extend(more),
                    None => return Operand::bottom(),
                }
            }
            clauses.push(if rescue.classes.is_empty() { vec![ClassId::STANDARD_ERROR] } else { classes });
        }
        self.enter(node);
        if begin.ensure.is_none() {
            return self.rescuing(node, begin, &clauses, unused);
        }
        let error = self.caught();
        let (first, around) = (error.temps[0], self.around());
        let joins = self.joins.len();
        let value = self.labelled(SLOT_ENSURED, !unused, |s, end| {
            let mut error = error;
            s.labelled(SLOT_PASSING, false, |s, passing| {
                let handler = Handler::Ensure { begin: Arc::clone(begin), passing, error: error.clone() };
                s.regions.push(Region { handler, joins, around });
                let value = s.rescuing(node, begin, &clauses, unused);
                if let Some(Region { handler: Handler::Ensure { error: passed, .. }, .. }) = s.regions.pop() {
                    error = passed;
                }
                s.enter(node);
                if value.is_bottom() {
                    s.b.mark_dead();
                }
                s.ensure(begin, 1);
                s.jump(end, Some(&value));
                Operand::bottom()
            });
            let mut handled = error.clone();
            handled.object = s.object_as_cause(&error);
            let object = handled.object;
            s.handling(handled, |s| s.running_clause("ensure in", node, begin, |s| s.ensure(begin, 2)));
            if let Some(object) = object {
                s.temp_drop(object);
            }
            s.raise_again(&error)
        });
        self.temp_drop(first);
        value
    }

    /// The code of an `ensure`; `copy` tells apart the ways that lead to it.
    fn ensure(&mut self, begin: &Begin, copy: u32) {
        if let Some(code) = &begin.ensure
            && !self.b.is_dead()
        {
            self.within(copy, |s| s.arm(code, true));
        }
    }

    /// Runs `f` while an error is being handled.
    fn handling<T>(&mut self, error: Caught, f: impl FnOnce(&mut Self) -> T) -> T {
        self.memo.changed |= !std::mem::replace(&mut self.memo.handles, true);
        self.handled.push(error);
        let result = f(self);
        self.handled.pop();
        result
    }

    /// The error that a local variable stands for.
    pub(super) fn handled_in(&self, local: LocalId) -> Option<Caught> {
        let version = self.frame().locals[local.0 as usize].version;
        let variable = Some((self.current, local, version));
        self.handled.iter().rev().find(|error| error.variable == variable).cloned()
    }

    /// The class that a constant after `rescue` is.
    fn rescued(&mut self, node: &Node) -> Option<ClassId> {
        let operand = self.expr(node);
        if operand.is_bottom() {
            return None;
        }
        self.enter(node);
        self.rescued_class(&operand.types)
    }

    /// The classes of an array after `rescue`, with which the body has nothing to do: they are those that arrays of its
    /// kind hold, and it is asked whether it holds all of these.
    fn rescued_of(&mut self, node: &Node, begin: &Begin) -> Option<Vec<ClassId>> {
        if !self.is_as_it_was(node, begin) {
            self.enter(node);
            self.refuse_rescued("the array after `rescue` may be another one when something is raised");
            return None;
        }
        let list = self.expr(node);
        if list.is_bottom() {
            return None;
        }
        self.enter(node);
        let items = match list.types.single() {
            Some(Type::Nil) => return Some(Vec::new()),
            Some(Type::Module(_)) => return self.rescued_class(&list.types).map(|class| vec![class]),
            Some(Type::Tuple(items)) => {
                return items.iter().map(|types| self.rescued_class(types)).collect();
            }
            Some(Type::List(kind)) if self.list_is_mutated(*kind) => None,
            Some(Type::Array(kind)) if self.is_written_array(*kind) => None,
            Some(ty @ (Type::List(_) | Type::Array(_))) => Some(self.types_of_items(ty)),
            _ => None,
        };
        let Some(items) = items else {
            self.refuse_rescued("what stands after `rescue *` is no array that stays as it is");
            return None;
        };
        let classes: Vec<ClassId> =
            items.iter().map(|class| self.rescued_class(&class.clone().into())).collect::<Option<_>>()?;
        for (slot, class) in (0..).zip(items.iter()) {
            let class = Operand { types: class.clone().into(), ..Operand::nil() };
            let holds = self.within_slot(0x4a0 + slot, |s| s.send(&list, "include?", &[class], 1));
            if holds.is_bottom() || self.b.is_dead() {
                return None;
            }
            let holds = self.truth(&holds);
            let message = "an array after `rescue` holds other classes than another one there \
                           [unsupported-rescue]\n  hint: keep the classes in a constant, each array in one of its own";
            self.check(holds, ErrorKind::Unsupported(message.into()), &[]);
        }
        Some(classes)
    }

    /// Does a variable hold what it held when the `begin` was entered?
    fn is_as_it_was(&self, node: &Node, begin: &Begin) -> bool {
        let mut count = 0;
        match &node.kind {
            Kind::Local(local) => {
                each_node(&self.frame().code, &mut |node| {
                    assigned_by(&node.kind, &mut |assigned| count += usize::from(assigned == *local));
                });
                let mut within = 0;
                each_node_in(&begin.body, &mut |node| {
                    assigned_by(&node.kind, &mut |assigned| within += usize::from(assigned == *local));
                });
                count < 2 && within == 0
            }
            Kind::Captured(name) => {
                !self.memo.shared_variables.contains(name) && !self.memo.accumulators.contains_key(name)
            }
            _ => true,
        }
    }

    fn refuse_rescued(&mut self, message: &str) {
        let hint =
            "name the classes, as in `rescue ZeroDivisionError, TypeError`, or keep them in a constant";
        self.refuse_here("unsupported-rescue", message, Some(hint.into()));
    }

    fn rescued_class(&mut self, types: &TypeSet) -> Option<ClassId> {
        let class = match types.single() {
            Some(Type::Module(class)) => Some(*class),
            _ => None,
        };
        // Clauses ask `===`, which a class can have of its own.
        let plain = class.is_some_and(|class| {
            let found = self.host.singleton_method(class, "===").ok().flatten();
            found.is_some_and(|found| matches!(found.method, super::host::Method::Native { .. }))
        });
        if !plain {
            self.refuse_rescued("what stands after `rescue` is no class, or has a `===` of its own");
            return None;
        }
        class
    }

    pub(super) fn around(&self) -> Around {
        let frame = self.frame();
        Around {
            frame: self.current,
            frames: self.frames.len(),
            control: frame.control.len(),
            return_to: frame.return_to,
            catches: self.catches.len(),
            handled: self.handled.len(),
            running: self.running.clone(),
            active: self.active.clone(),
        }
    }

    /// Hidden locals for an error.
    pub(super) fn caught(&mut self) -> Caught {
        let zero = Operand::integer(self.b.i64(0));
        Caught {
            sites: vec![],
            temps: [(); ERROR_WORDS].map(|()| self.temp(zero.clone())),
            message: None,
            variable: None,
            object: None,
        }
    }

    /// The `begin` without its `ensure`.
    fn rescuing(&mut self, node: &Node, begin: &Begin, clauses: &[Vec<ClassId>], unused: bool) -> Operand {
        let retries = begin.rescues.iter().any(|rescue| {
            let mut found = false;
            each_node_in(&rescue.body, &mut |node| found |= matches!(node.kind, Kind::Retry));
            found
        });
        if !retries {
            return self.attempt(node, begin, clauses, unused);
        }
        self.looping(SLOT_RETRY, |s, end, head| {
            s.retries.push((s.current, head));
            let value = s.attempt(node, begin, clauses, unused);
            s.retries.pop();
            if value.is_bottom() {
                s.b.mark_dead();
            }
            s.jump(end, Some(&value));
        })
    }

    pub(super) fn retry(&mut self) -> Operand {
        let head = self.retries.iter().rev().find(|(frame, _)| *frame == self.current);
        match head.copied() {
            Some((_, head)) => self.leave_to(head, None),
            None => {
                self.refuse_here("unsupported-rescue", "`retry` stands outside a `rescue`", None);
            }
        }
        Operand::bottom()
    }

    /// The body and its clauses, once.
    fn attempt(&mut self, node: &Node, begin: &Begin, clauses: &[Vec<ClassId>], unused: bool) -> Operand {
        if clauses.is_empty() {
            let value = self.arm(&begin.body, unused || begin.otherwise.is_some());
            return self.otherwise(begin, value, unused);
        }
        self.enter(node);
        let error = self.caught();
        let first = error.temps[0];
        let value = self.labelled(SLOT_END, !unused, |s, end| {
            let clauses = clauses.iter().map(|classes| {
                let error = error.clone();
                Clause { classes: classes.clone(), join: end, error }
            });
            let (joins, around) = (s.joins.len(), s.around());
            s.regions.push(Region { handler: Handler::Rescue(clauses.collect()), joins, around });
            let attempt = Attempt { node, begin, end, unused };
            s.clause(&attempt, 0, &mut Vec::new())
        });
        self.temp_drop(first);
        value
    }

    fn otherwise(&mut self, begin: &Begin, value: Operand, unused: bool) -> Operand {
        match &begin.otherwise {
            Some(otherwise) if !value.is_bottom() => self.arm(otherwise, unused),
            _ => value,
        }
    }

    /// The clause of that number, behind a block from which its errors jump here: in that are the clauses after it, and
    /// innermost the body. `closed` has all clauses once the body is done.
    fn clause(&mut self, attempt: &Attempt<'_>, number: usize, closed: &mut Vec<Clause>) -> Operand {
        let Attempt { node, begin, end, unused } = *attempt;
        let Some(rescue) = begin.rescues.get(number) else {
            let value = self.arm(&begin.body, unused || begin.otherwise.is_some());
            if let Some(Region { handler: Handler::Rescue(clauses), .. }) = self.regions.pop() {
                *closed = clauses;
            }
            return self.otherwise(begin, value, unused);
        };
        self.enter(node);
        self.labelled(SLOT_CLAUSE + number as u32, false, |s, join| {
            if let Some(Region { handler: Handler::Rescue(clauses), .. }) = s.regions.last_mut() {
                clauses[number].join = join;
            }
            let value = s.clause(attempt, number + 1, closed);
            s.enter(node);
            if value.is_bottom() {
                s.b.mark_dead();
            }
            s.jump(end, Some(&value));
            Operand::bottom()
        });
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let mut error = closed[number].error.clone();
        self.memo.changed |= !std::mem::replace(&mut self.memo.handles, true);
        let object = match rescue.error {
            Some(local) if self.frame().code.error_objects.contains(&local) => self.caught_object(&error),
            _ => Operand::nil(),
        };
        if object.is_bottom() {
            return object;
        }
        error.variable = rescue.error.map(|local| {
            self.write_local(local, object);
            (self.current, local, self.frame().locals[local.0 as usize].version)
        });
        let object = self.object_as_cause(&error);
        error.object = object;
        self.with_message(&mut error, &rescue.body, rescue.error);
        let message = error.message;
        let value = self
            .handling(error, |s| s.running_clause("rescue in", node, begin, |s| s.arm(&rescue.body, unused)));
        for temp in message.into_iter().chain(object) {
            self.temp_drop(temp);
        }
        value
    }

    /// Jumps to a join, as `break`, `next`, `return`, `throw` and `retry` do: what is to be ensured on the way runs
    /// first.
    pub(super) fn leave_to(&mut self, join: JoinIndex, value: Option<&Operand>) {
        if self.b.is_dead() {
            return;
        }
        let is_left =
            |region: &Region| join < region.joins && matches!(region.handler, Handler::Ensure { .. });
        let Some(position) = self.regions.iter().rposition(is_left) else {
            return self.jump(join, value);
        };
        let inner = self.regions.split_off(position);
        if let Region { handler: Handler::Ensure { begin, .. }, around, .. } = &inner[0] {
            self.back_in(around, |s| s.ensure(begin, 0x300 + position as u32));
        }
        self.leave_to(join, value);
        self.regions.extend(inner);
    }

    /// Runs `f` as code of the frame that a region stands in, without what has been opened since.
    fn back_in(&mut self, around: &Around, f: impl FnOnce(&mut Self)) {
        let frames = self.frames.split_off(around.frames);
        let catches = self.catches.split_off(around.catches);
        let handled = self.handled.split_off(around.handled);
        let current = std::mem::replace(&mut self.current, around.frame);
        let active = std::mem::replace(&mut self.active, around.active.clone());
        let running = std::mem::replace(&mut self.running, around.running.clone());
        let frame = &mut self.frames[around.frame];
        let control = frame.control.split_off(around.control);
        let return_to = std::mem::replace(&mut frame.return_to, around.return_to);
        f(self);
        let frame = &mut self.frames[around.frame];
        frame.control.extend(control);
        frame.return_to = return_to;
        (self.current, self.active, self.running) = (current, active, running);
        self.catches.extend(catches);
        self.handled.extend(handled);
        self.frames.extend(frames);
    }
}

/// Would Ruby raise an exception, too?
pub const fn is_raised_by_ruby(error: &ErrorKind) -> bool {
    class_of_error(error).is_some()
}
