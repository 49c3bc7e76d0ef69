//! `begin … rescue … else … ensure … end`.

use super::super::builder::Goal;
use super::super::code::{BlockKind, Terminator, Value};
use super::super::op::Op;
use super::super::scopes::retries;
use super::control::FrameKind;
use super::{Converter, MAX_VALUES, goal};
use crate::syntax::ast::{Begin, Kind, LocalId, Node, Rescue};

impl<'a> Converter<'_, 'a> {
    pub(super) fn begin_node(&mut self, begin: &'a Begin, wanted: bool) -> Option<Value> {
        if begin.ensure.is_none() {
            return self.rescuing(begin, wanted);
        }
        let (outer, handling) = (self.builder.region(), self.builder.handling);
        let end = self.join();
        let assigned = self.assigned_in(begin);
        self.push(FrameKind::Ensure(begin));
        let region = self.builder.begin_region(BlockKind::Ensure, assigned);
        let value = self.rescuing(begin, wanted);
        self.control.pop();
        self.builder.set_region(outer);
        self.ensure(begin);
        self.done(end, value, wanted);
        let caught = self.builder.enter_handler(region);
        self.ensure(begin);
        self.builder.end(Terminator::Resume(caught));
        self.builder.handling = handling;
        self.builder.enter(end)
    }

    /// What its `ensure` does, on one of the ways through it.
    pub(super) fn ensure(&mut self, begin: &'a Begin) {
        let Some(ensure) = &begin.ensure else { return };
        if self.shared.values + self.builder.code.values.len() > MAX_VALUES {
            self.shared.too_large.get_or_insert(ensure.span);
            return;
        }
        self.effect(ensure);
    }

    /// The locals that are assigned in a `begin`, but for its `ensure`.
    fn assigned_in(&self, begin: &'a Begin) -> Vec<LocalId> {
        let mut nodes: Vec<&Node> = vec![&begin.body];
        nodes.extend(begin.rescues.iter().map(|rescue| &rescue.body).chain(&begin.otherwise));
        let mut assigned = self.assigned(&nodes);
        let errors = begin.rescues.iter().filter_map(|rescue| rescue.error);
        assigned.extend(errors.filter(|error| !self.is_in_cell(*error)));
        assigned.sort_unstable();
        assigned.dedup();
        assigned
    }

    /// Goes on behind one of the ways that lead to an end.
    fn done(&mut self, end: super::Join, value: Option<Value>, wanted: bool) {
        let value = if wanted { Some(value.unwrap_or_else(|| self.emit(Op::Nil))) } else { None };
        self.builder.jump(Goal { join: end, value });
    }

    fn rescuing(&mut self, begin: &'a Begin, wanted: bool) -> Option<Value> {
        if begin.rescues.is_empty() {
            let body = self.eval(&begin.body, wanted && begin.otherwise.is_none());
            return match &begin.otherwise {
                Some(otherwise) => self.eval(otherwise, wanted),
                None => body,
            };
        }
        let assigned = self.assigned_in(begin);
        let head = retries(begin).then(|| self.builder.begin_loop(assigned, None).0);
        let (outer, handling) = (self.builder.region(), self.builder.handling);
        let end = self.join();
        let assigned = self.assigned(&[&begin.body]);
        let region = self.builder.begin_region(BlockKind::Rescue, assigned);
        let mut value = self.eval(&begin.body, wanted && begin.otherwise.is_none());
        self.builder.set_region(outer);
        if let Some(otherwise) = &begin.otherwise {
            value = self.eval(otherwise, wanted);
        }
        self.done(end, value, wanted);
        let caught = self.builder.enter_handler(region);
        self.push(FrameKind::Clause(head));
        for rescue in &begin.rescues {
            self.clause(rescue, caught, end, wanted);
        }
        self.control.pop();
        self.builder.end(Terminator::Resume(caught));
        self.builder.handling = handling;
        self.builder.enter(end)
    }

    /// A clause; goes on where it does not rescue.
    fn clause(&mut self, rescue: &'a Rescue, caught: Value, end: super::Join, wanted: bool) {
        let (yes, no) = (self.join(), self.join());
        if rescue.classes.is_empty() {
            let path = self.name("StandardError");
            let class = self.emit(Op::Constant { path, absolute: true });
            let answer = self.call("===", class, &[caught]);
            self.builder.branch(answer, goal(yes), goal(no));
        } else {
            for class in &rescue.classes {
                let other = self.join();
                if let Kind::Splat(list) = &class.kind {
                    self.any_of(Some(caught), class, list, goal(yes), goal(other));
                } else {
                    let class = self.value(class);
                    let answer = self.call("===", class, &[caught]);
                    self.builder.branch(answer, goal(yes), goal(other));
                }
                self.builder.enter(other);
            }
            self.builder.jump(goal(no));
        }
        self.builder.enter(yes);
        if let Some(error) = rescue.error {
            self.write_local(error, caught);
        }
        self.arm(&rescue.body, end, wanted);
        self.builder.enter(no);
    }
}
