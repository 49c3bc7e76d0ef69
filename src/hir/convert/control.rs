//! Conditions, `case`, loops, and what leaves them.

use super::super::builder::{Goal, Head, Join, Region};
use super::super::code::{CodeKind, Terminator, Value};
use super::super::op::Op;
use super::{Converter, goal};
use crate::syntax::ast::{Begin, Kind, LocalId, Node, When};
use crate::syntax::walk::{assigned_by, each_node_in};

/// Something that jumps lead to or through.
pub(super) struct Frame<'a> {
    pub kind: FrameKind<'a>,
    /// Around it: the region, and the exception that is handled.
    pub region: Option<Region>,
    pub handling: Option<Value>,
}

pub(super) enum FrameKind<'a> {
    Loop {
        exit: Join,
        next: Next,
    },
    /// A clause of a `rescue`, with what `retry` leads to, if there is one.
    Clause(Option<Head>),
    /// Runs what stands there when it is left.
    Ensure(&'a Begin),
}

/// Where `next` leads in a loop.
#[derive(Clone)]
pub(super) enum Next {
    Head(Head),
    Join(Join),
}

impl<'a> Converter<'_, 'a> {
    /// The locals that nodes may assign; those in cells are not carried from block to block.
    pub(super) fn assigned(&self, nodes: &[&Node]) -> Vec<LocalId> {
        let mut all = Vec::new();
        let mut note = |local: LocalId| {
            if !self.is_in_cell(local) && !all.contains(&local) {
                all.push(local);
            }
        };
        for node in nodes {
            each_node_in(node, &mut |node| {
                assigned_by(&node.kind, &mut note);
                if let Kind::Begin(begin) = &node.kind {
                    begin.rescues.iter().filter_map(|rescue| rescue.error).for_each(&mut note);
                }
            });
        }
        all.sort_unstable();
        all
    }

    // ---- conditions ------------------------------------------------------------------------------------------------

    /// A condition: where it is neither nil nor false leads to `yes`.
    pub(super) fn condition(&mut self, node: &'a Node, yes: Goal, no: Goal) {
        if self.builder.is_dead() {
            return;
        }
        let around = self.enter_node(node);
        match &node.kind {
            Kind::True => self.builder.jump(yes),
            Kind::False | Kind::Nil => self.builder.jump(no),
            Kind::And(left, right) => {
                let both = self.join();
                self.condition(left, goal(both), no);
                self.builder.enter(both);
                self.condition(right, yes, no);
            }
            Kind::Or(left, right) => {
                let other = self.join();
                self.condition(left, yes, goal(other));
                self.builder.enter(other);
                self.condition(right, yes, no);
            }
            Kind::If { condition, then, otherwise } => {
                let (first, second) = (self.join(), self.join());
                self.condition(condition, goal(first), goal(second));
                self.builder.enter(first);
                self.condition(then, yes, no);
                self.builder.enter(second);
                self.condition(otherwise, yes, no);
            }
            Kind::Sequence(nodes) if !nodes.is_empty() => {
                let (before, last) = nodes.split_at(nodes.len() - 1);
                before.iter().for_each(|node| self.effect(node));
                last.iter().for_each(|last| self.condition(last, yes, no));
            }
            Kind::Matching(last, inner) => {
                self.last_of_next = Some(*last);
                self.condition(inner, yes, no);
            }
            Kind::Matches { value, pattern } => self.match_condition(value, pattern, yes, no),
            _ => {
                let test = self.eval_here(node, true);
                let test = test.unwrap_or_else(|| self.emit(Op::Nil));
                self.builder.branch(test, yes, no);
            }
        }
        self.leave_node(around);
    }

    /// One of several ways that join behind it.
    pub(super) fn arm(&mut self, node: &'a Node, end: Join, wanted: bool) {
        let value = if wanted { Some(self.value(node)) } else { self.eval(node, false).filter(|_| false) };
        self.builder.jump(Goal { join: end, value });
    }

    pub(super) fn if_else(
        &mut self,
        condition: &'a Node,
        then: &'a Node,
        otherwise: &'a Node,
        wanted: bool,
    ) -> Option<Value> {
        let (yes, no, end) = (self.join(), self.join(), self.join());
        // An arm that does nothing is none.
        let skips = |node: &Node| !wanted && matches!(node.kind, Kind::Nil);
        let [to_then, to_otherwise] =
            [(then, yes), (otherwise, no)].map(|(arm, join)| goal(if skips(arm) { end } else { join }));
        self.condition(condition, to_then, to_otherwise);
        for (arm, join) in [(then, yes), (otherwise, no)] {
            if !skips(arm) {
                self.builder.enter(join);
                self.arm(arm, end, wanted);
            }
        }
        self.builder.enter(end)
    }

    /// `left && right` and `left || right`.
    pub(super) fn and_or(
        &mut self,
        left: &'a Node,
        right: &'a Node,
        is_and: bool,
        wanted: bool,
    ) -> Option<Value> {
        let (more, end) = (self.join(), self.join());
        if wanted {
            let value = self.value(left);
            let (more, done) = (goal(more), Goal { join: end, value: Some(value) });
            let (yes, no) = if is_and { (more, done) } else { (done, more) };
            self.builder.branch(value, yes, no);
        } else {
            let (yes, no) = if is_and { (more, end) } else { (end, more) };
            self.condition(left, goal(yes), goal(no));
        }
        self.builder.enter(more);
        self.arm(right, end, wanted);
        self.builder.enter(end)
    }

    // ---- case ------------------------------------------------------------------------------------------------------

    pub(super) fn case(
        &mut self,
        subject: Option<&'a Node>,
        whens: &'a [When],
        otherwise: Option<&'a Node>,
        wanted: bool,
    ) -> Option<Value> {
        let subject = subject.map(|subject| self.value(subject));
        let end = self.join();
        for when in whens {
            let (yes, no) = (self.join(), self.join());
            for pattern in &when.patterns {
                let other = self.join();
                self.when(subject, pattern, goal(yes), goal(other));
                self.builder.enter(other);
            }
            self.builder.jump(goal(no));
            self.builder.enter(yes);
            self.arm(&when.body, end, wanted);
            self.builder.enter(no);
        }
        match otherwise {
            Some(otherwise) => self.arm(otherwise, end, wanted),
            None => {
                let value = wanted.then(|| self.emit(Op::Nil));
                self.builder.jump(Goal { join: end, value });
            }
        }
        self.builder.enter(end)
    }

    /// One of the patterns of a `when`.
    fn when(&mut self, subject: Option<Value>, pattern: &'a Node, yes: Goal, no: Goal) {
        match (subject, &pattern.kind) {
            (_, Kind::Splat(list)) => self.any_of(subject, pattern, list, yes, no),
            (None, _) => self.condition(pattern, yes, no),
            (Some(subject), _) => {
                let test = self.value(pattern);
                let last = self.last;
                let around = self.enter_node(pattern);
                self.last = last;
                let answer = self.call("===", test, &[subject]);
                self.builder.branch(answer, yes, no);
                self.leave_node(around);
            }
        }
    }

    /// `when *list`: the first item that matches or, without a subject, is true.
    pub(super) fn any_of(
        &mut self,
        subject: Option<Value>,
        pattern: &'a Node,
        list: &'a Node,
        yes: Goal,
        no: Goal,
    ) {
        let list = self.value(list);
        let last = self.last;
        let around = self.enter_node(pattern);
        self.last = last;
        let list = self.emit(Op::Splat(list));
        let first = self.emit(Op::Integer(0));
        let (head, index) = self.builder.begin_loop(Vec::new(), Some(first));
        let index = index.unwrap_or(first);
        let (there, other) = (self.join(), self.join());
        let fits = self.emit(Op::Fits { list, index, count: 1 });
        self.builder.branch(fits, goal(there), no);
        self.builder.enter(there);
        let item = self.emit(Op::ItemAt { list, index, offset: 0 });
        let answer = match subject {
            Some(subject) => self.call("===", item, &[subject]),
            None => item,
        };
        self.builder.branch(answer, yes, goal(other));
        self.builder.enter(other);
        let next = self.emit(Op::Next(index));
        self.builder.again(&head, Some(next));
        self.leave_node(around);
    }

    // ---- loops -----------------------------------------------------------------------------------------------------

    pub(super) fn while_loop(
        &mut self,
        condition: &'a Node,
        negated: bool,
        body_first: bool,
        body: &'a Node,
        wanted: bool,
    ) -> Option<Value> {
        let (enter, exit, after) = (self.join(), self.join(), self.join());
        let value = wanted.then(|| self.emit(Op::Nil));
        let done = Goal { join: exit, value };
        let assigned = self.assigned(&[condition, body]);
        let (head, _) = self.builder.begin_loop(assigned, None);
        let next = if body_first { Next::Join(after) } else { Next::Head(head.clone()) };
        self.push(FrameKind::Loop { exit, next });
        let test = |s: &mut Self, go_on: Goal| {
            let (yes, no) = if negated { (done, go_on) } else { (go_on, done) };
            s.condition(condition, yes, no);
        };
        if body_first {
            self.effect(body);
            self.builder.jump(goal(after));
            self.builder.enter(after);
            test(self, goal(enter));
            self.builder.enter(enter);
        } else {
            test(self, goal(enter));
            self.builder.enter(enter);
            self.effect(body);
        }
        self.builder.again(&head, None);
        self.control.pop();
        self.builder.enter(exit)
    }

    // ---- jumps -----------------------------------------------------------------------------------------------------

    pub(super) fn push(&mut self, kind: FrameKind<'a>) {
        let (region, handling) = (self.builder.region(), self.builder.handling);
        self.control.push(Frame { kind, region, handling });
    }

    /// `break`, `next`, `return` and `retry`.
    pub(super) fn leave(&mut self, kind: &'a Kind) {
        let value = match kind {
            Kind::Break(value) | Kind::Next(value) | Kind::Return(value) => value.as_deref(),
            _ => None,
        };
        let wants_value = !matches!(kind, Kind::Retry);
        let value = match value {
            Some(value) => Some(self.value(value)),
            None => wants_value.then(|| self.emit(Op::Nil)),
        };
        let is_target = |frame: &Frame<'a>| match (&frame.kind, kind) {
            (FrameKind::Loop { .. }, Kind::Break(_) | Kind::Next(_)) => true,
            (FrameKind::Clause(head), Kind::Retry) => head.is_some(),
            _ => false,
        };
        let target = self.control.iter().rposition(is_target);
        let around = (self.builder.region(), self.builder.handling);
        let left = self.run_ensures(target.map_or(0, |target| target + 1));
        self.jump_to(target, kind, value);
        // There is no way on from here, but the rest of the text stands where it stood.
        self.control.extend(left.into_iter().rev());
        self.builder.handling = around.1;
        self.builder.set_region(around.0);
    }

    fn jump_to(&mut self, target: Option<usize>, kind: &Kind, value: Option<Value>) {
        match target.map(|target| &self.control[target].kind) {
            Some(FrameKind::Loop { exit, next }) => match (kind, next.clone()) {
                (Kind::Break(_), _) => self.builder.jump(Goal { join: *exit, value }),
                (_, Next::Head(head)) => self.builder.again(&head, None),
                (_, Next::Join(join)) => self.builder.jump(goal(join)),
            },
            Some(FrameKind::Clause(Some(head))) => {
                let head = head.clone();
                self.builder.again(&head, None);
            }
            _ => match value {
                Some(value) => self.leave_code(kind, value),
                None => {
                    self.misplaced("`retry`");
                    self.builder.end(Terminator::Never);
                }
            },
        }
    }

    fn leave_code(&mut self, kind: &Kind, value: Value) {
        let end = match (kind, self.builder.code.kind) {
            (Kind::Break(_), CodeKind::Block) => Terminator::Break(value),
            (Kind::Return(_), CodeKind::Block) => Terminator::Leave(value),
            (Kind::Break(_) | Kind::Next(_), CodeKind::Method) => {
                self.misplaced("`break` or `next`");
                Terminator::Never
            }
            _ => Terminator::Return(value),
        };
        self.builder.end(end);
    }

    /// Leaves the frames from one on, and runs what they run then; gives them, innermost first.
    fn run_ensures(&mut self, from: usize) -> Vec<Frame<'a>> {
        let mut left = Vec::new();
        while self.control.len() > from {
            let Some(frame) = self.control.pop() else { break };
            if let FrameKind::Ensure(begin) = frame.kind {
                self.builder.handling = frame.handling;
                self.builder.set_region(frame.region);
                self.ensure(begin);
            }
            left.push(frame);
        }
        left
    }
}
