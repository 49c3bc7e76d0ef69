//! Assignments: receivers and arguments of targets first, from left to right, then the value, then the targets get it.

use super::super::builder::Goal;
use super::super::code::{Arg, ArgKind, Source, Value};
use super::super::op::{Asked, CallKind, Op, Position, Variable};
use super::calls::{Sent, call_kind};
use super::{Converter, goal};
use crate::syntax::ast::{AssignOp, Kind, LocalId, Multiple, Node, Target};

/// A target whose receiver and arguments are there.
pub(super) enum Place<'a> {
    Local(LocalId),
    Variable(Variable),
    /// `receiver[args]`, with the name `[]`, and `receiver.name`.
    Call {
        kind: CallKind,
        receiver: Value,
        name: &'a str,
        args: Vec<Arg>,
        source: Source,
        safe: bool,
    },
    Multiple(Places<'a>),
}

/// As [`Multiple`].
pub(super) struct Places<'a> {
    before: Vec<Place<'a>>,
    splat: Option<Option<Box<Place<'a>>>>,
    after: Vec<Place<'a>>,
}

impl<'a> Converter<'_, 'a> {
    /// Evaluates what a target needs before its value.
    pub(super) fn resolve(&mut self, target: &'a Target) -> Place<'a> {
        match target {
            Target::Local(local, _) => Place::Local(*local),
            Target::Captured(name, _) => Place::Variable(Variable::Outer(self.name(name))),
            Target::Ivar(name, _) => Place::Variable(Variable::Instance(self.name(name))),
            Target::Global(name, _) => Place::Variable(Variable::Global(self.name(name))),
            Target::ClassVariable(name, _) => Place::Variable(Variable::Class(self.name(name))),
            Target::Index { receiver, args, id, span } => {
                let kind = call_kind(receiver);
                let receiver = self.value(receiver);
                let args = self.arguments(args);
                let source = Source { span: *span, node: *id };
                Place::Call { kind, receiver, name: "[]", args, source, safe: false }
            }
            Target::Attribute { receiver, name, safe, id, span } => {
                let kind = call_kind(receiver);
                let receiver = self.value(receiver);
                let source = Source { span: *span, node: *id };
                Place::Call { kind, receiver, name, args: Vec::new(), source, safe: *safe }
            }
            Target::Multiple(multiple, _) => Place::Multiple(self.resolve_all(multiple)),
        }
    }

    fn resolve_all(&mut self, multiple: &'a Multiple) -> Places<'a> {
        let before = multiple.before.iter().map(|target| self.resolve(target)).collect();
        let splat = multiple.splat.as_ref();
        let splat = splat.map(|splat| splat.as_ref().map(|target| Box::new(self.resolve(target))));
        let after = multiple.after.iter().map(|target| self.resolve(target)).collect();
        Places { before, splat, after }
    }

    pub(super) fn store(&mut self, place: &Place<'a>, value: Value) {
        match place {
            Place::Local(local) => self.write_local(*local, value),
            Place::Variable(variable) => {
                self.emit(Op::Set(*variable, value));
            }
            Place::Call { safe: true, receiver, .. } => {
                self.unless_nil(*receiver, false, |s| {
                    s.store_by_call(place, value);
                    value
                });
            }
            Place::Call { .. } => self.store_by_call(place, value),
            Place::Multiple(places) => {
                let list = self.emit(Op::Spread(value));
                self.store_items(places, list);
            }
        }
    }

    fn store_by_call(&mut self, place: &Place<'a>, value: Value) {
        if let Place::Call { kind, receiver, name, args, source, .. } = place {
            let mut args = args.clone();
            args.push(Arg { kind: ArgKind::Plain, value });
            self.send_to(*source, &format!("{name}="), *kind, *receiver, args);
        }
    }

    fn send_to(
        &mut self,
        source: Source,
        name: &str,
        kind: CallKind,
        receiver: Value,
        args: Vec<Arg>,
    ) -> Value {
        let around = self.builder.source;
        self.at(source);
        let value = self.send(name, Sent { kind, receiver, args, name_span: source.span });
        self.at(around);
        value
    }

    fn load(&mut self, place: &Place<'a>) -> Value {
        match place {
            Place::Local(local) => self.read_local(*local),
            Place::Variable(variable) => self.emit(Op::Get(*variable)),
            Place::Call { kind, receiver, name, args, source, .. } => {
                self.send_to(*source, name, *kind, *receiver, args.clone())
            }
            Place::Multiple(_) => self.misplaced("a list of targets"),
        }
    }

    pub(super) fn assign(&mut self, target: &'a Target, value: &'a Node, wanted: bool) -> Option<Value> {
        let place = self.resolve(target);
        let store = |s: &mut Self| {
            let value = s.value(value);
            s.store_by_call(&place, value);
            value
        };
        if let Place::Call { safe: true, receiver, .. } = &place {
            // Where the receiver is nil, there is no value either.
            return self.unless_nil(*receiver, wanted, store);
        }
        let value = self.value(value);
        self.store(&place, value);
        Some(value)
    }

    pub(super) fn op_assign(
        &mut self,
        target: &'a Target,
        op: &'a AssignOp,
        value: &'a Node,
        wanted: bool,
    ) -> Option<Value> {
        let place = self.resolve(target);
        match place {
            Place::Call { kind, receiver, name, args, source, safe: true } => {
                let place = Place::Call { kind, receiver, name, args, source, safe: false };
                self.unless_nil(receiver, wanted, |s| match s.op_assign_place(&place, op, value, wanted) {
                    Some(value) => value,
                    None => s.emit(Op::Nil),
                })
            }
            place => self.op_assign_place(&place, op, value, wanted),
        }
    }

    fn op_assign_place(
        &mut self,
        place: &Place<'a>,
        op: &'a AssignOp,
        value: &'a Node,
        wanted: bool,
    ) -> Option<Value> {
        let (more, end) = (self.join(), self.join());
        if let (Place::Variable(variable @ Variable::Class(_)), AssignOp::Or) = (place, op) {
            // It need not be there.
            let there = self.join();
            let asked = Asked::Variable(*variable);
            let found = self.emit(Op::Defined { what: "class variable", asked });
            self.builder.branch(found, goal(there), goal(more));
            self.builder.enter(there);
        }
        let old = self.load(place);
        let done = Goal { join: end, value: wanted.then_some(old) };
        match op {
            AssignOp::Operator(name) => {
                let value = self.value(value);
                let new = self.call(name, old, &[value]);
                self.store(place, new);
                return Some(new);
            }
            AssignOp::Or => self.builder.branch(old, done, goal(more)),
            AssignOp::And => self.builder.branch(old, goal(more), done),
        }
        self.builder.enter(more);
        let new = self.value(value);
        self.store(place, new);
        self.builder.jump(Goal { join: end, value: wanted.then_some(new) });
        self.builder.enter(end)
    }

    // ---- several targets -------------------------------------------------------------------------------------------

    pub(super) fn multi_assign(
        &mut self,
        targets: &'a Multiple,
        value: &'a Node,
        wanted: bool,
    ) -> Option<Value> {
        let places = self.resolve_all(targets);
        if let Kind::Array(items) = &value.kind {
            if !wanted && !items.iter().any(|item| matches!(item.kind, Kind::Splat(_) | Kind::KeywordArgs(_)))
            {
                // Nobody sees an array.
                let values: Vec<Value> = items.iter().map(|item| self.value(item)).collect();
                self.store_values(&places, &values);
                return None;
            }
            let list = self.value(value);
            self.store_items(&places, list);
            return Some(list);
        }
        let value = self.value(value);
        let list = self.emit(Op::Spread(value));
        self.store_items(&places, list);
        Some(value)
    }

    fn store_values(&mut self, places: &Places<'a>, values: &[Value]) {
        let nil = self.emit(Op::Nil);
        let behind = values.len().saturating_sub(places.after.len()).max(places.before.len());
        let value = |at: usize| values.get(at).copied().unwrap_or(nil);
        for (at, place) in places.before.iter().enumerate() {
            self.store(place, value(at));
        }
        if let Some(Some(place)) = &places.splat {
            let middle = values.get(places.before.len()..behind.min(values.len())).unwrap_or_default();
            let items: Vec<Arg> =
                middle.iter().map(|value| Arg { kind: ArgKind::Plain, value: *value }).collect();
            let items = self.builder.args(&items);
            let list = self.emit(Op::Array(items));
            self.store(place, list);
        }
        for (at, place) in places.after.iter().enumerate() {
            self.store(place, value(behind + at));
        }
    }

    fn store_items(&mut self, places: &Places<'a>, list: Value) {
        let (before, after) = (places.before.len() as u32, places.after.len() as u32);
        for (index, place) in (0..).zip(&places.before) {
            let item = self.emit(Op::Item(list, Position::Front(index)));
            self.store(place, item);
        }
        if let Some(Some(place)) = &places.splat {
            let items = self.emit(Op::Item(list, Position::Middle { before, after }));
            self.store(place, items);
        }
        for (index, place) in (0..).zip(&places.after) {
            let item = self.emit(Op::Item(list, Position::Back { before, after, index }));
            self.store(place, item);
        }
    }

    /// Takes a value apart.
    pub(super) fn take_apart(&mut self, targets: &'a Multiple, value: Value) {
        let places = self.resolve_all(targets);
        let list = self.emit(Op::Spread(value));
        self.store_items(&places, list);
    }
}
