//! Locals, assignments of all kinds, and parameters.

use super::calls::{Arguments, CallType};
use super::operand::Operand;
use super::parameters::is_keywords;
use super::splats::Places;
use super::{LocalValue, Locals, Lowerer};
use crate::ir::UnaryOp;
use crate::syntax::ast::{AssignOp, Code, Kind, LocalId, Node, Target};
use crate::types::Type;
use std::rc::Rc;

impl Lowerer<'_> {
    pub(crate) fn fresh_locals(&mut self, code: &Rc<Code>) -> Locals {
        super::shown::show(code);
        code.locals.iter().map(|_| LocalValue::new(Operand::nil(), 0)).collect()
    }

    pub(crate) fn read_local(&mut self, id: LocalId) -> Operand {
        if self.frame().code.errors.contains(&id) && !self.frame().code.error_objects.contains(&id) {
            let name = self.frame().code.locals[id.0 as usize].clone();
            return self.refuse_here(
                "unsupported-rescue-variable",
                format!("`{name}` is an exception, which has no methods in a section"),
                Some(format!("write a `rescue` for each class; `raise {name}` raises it again")),
            );
        }
        if let Some(shared) = self.shared_local(id) {
            return self.read_shared_local(shared);
        }
        let operand = self.local_value(id);
        if operand.types.iter().any(is_keywords) {
            let name = self.frame().code.locals[id.0 as usize].clone();
            return self.refuse_here(
                "unsupported-hash",
                format!("`{name}` is a Hash, which cannot be used in a parallel section"),
                Some(format!("pass it on as `**{name}`, or name each keyword")),
            );
        }
        operand
    }

    /// As [`Lowerer::read_local`], also of keywords that were collected.
    pub(super) fn local_value(&mut self, id: LocalId) -> Operand {
        let operand = self.frame().locals[id.0 as usize].operand.clone();
        let operand = self.carrier(operand);
        self.refine(operand)
    }

    pub(crate) fn write_local(&mut self, id: LocalId, operand: Operand) {
        if let Some(shared) = self.shared_local(id) {
            return self.write_shared_local(shared, &operand);
        }
        let operand = self.named(operand, 0x4000_0000 | id.0);
        let version = self.fresh_version();
        let frame = self.current;
        self.frames[frame].locals[id.0 as usize] = LocalValue::new(operand, version);
    }

    /// `target = value`, evaluated in Ruby's order: receiver and arguments of the target first.
    pub(crate) fn assign_node(&mut self, target: &Target, value: &Node) -> Operand {
        let place = self.resolve(target);
        let value = self.expr(value);
        self.assign_place(&place, &value);
        value
    }

    pub(crate) fn assign(&mut self, target: &Target, value: &Operand) {
        let place = self.resolve(target);
        self.assign_place(&place, value);
    }

    /// Evaluates what a target needs before its value.
    pub(super) fn resolve<'t>(&mut self, target: &'t Target) -> Place<'t> {
        match target {
            Target::Local(id, _) => Place::Local(*id),
            Target::Captured(name, _) => Place::of_state(self.shared_captured(name, true)),
            Target::Ivar(name, _) => Place::Ivar(name),
            Target::Global(name, _) => Place::of_state(self.shared_global(name, true)),
            Target::ClassVariable(name, _) => Place::of_state(self.shared_class_variable(name, true)),
            Target::Index { receiver, args, .. } => {
                let receiver_operand = self.expr(receiver);
                let args = self.indices(target, args);
                Place::Call { target, receiver: receiver_operand, args, name: "[]", safe: false }
            }
            Target::Attribute { receiver, name, safe, .. } => {
                let receiver = self.expr(receiver);
                Place::Call { target, receiver, args: Arguments::default(), name, safe: *safe }
            }
            Target::Multiple(multiple, _) => Place::Multiple(self.resolve_multiple(multiple)),
        }
    }

    /// What stands between the brackets of a target.
    fn indices(&mut self, target: &Target, nodes: &[Node]) -> Arguments {
        let mut arguments = Arguments::default();
        for node in nodes {
            match &node.kind {
                Kind::Splat(inner) => {
                    let operand = self.expr(inner);
                    let (outer_node, outer_span) = (self.node, self.span);
                    self.enter_target(target);
                    let spread = self.spread(&operand);
                    // The value comes behind it.
                    self.add_splat(&mut arguments, spread, false);
                    (self.node, self.span) = (outer_node, outer_span);
                }
                _ => {
                    let value = self.expr(node);
                    self.add_argument(&mut arguments, value);
                }
            }
        }
        arguments
    }

    pub(super) fn assign_place(&mut self, place: &Place<'_>, value: &Operand) {
        match place {
            Place::Local(id) => self.write_local(*id, value.clone()),
            // Reported once for the whole section.
            Place::Nowhere => {}
            Place::State(name, number) => self.write_shared(name, *number, value),
            Place::Ivar(name) => {
                let receiver = self.self_operand();
                self.write_ivar(&receiver, name, value);
            }
            Place::Call { target, receiver, args, name, safe } => {
                let (outer_node, outer_span) = (self.node, self.span);
                self.enter_target(target);
                let setter = if *name == "[]" { "[]=".to_string() } else { format!("{name}=") };
                let mut all = args.clone();
                self.add_argument(&mut all, value.clone());
                if *safe {
                    self.unless_nil(receiver, |s, receiver| {
                        let call_type = s.written(&setter, CallType::Outside);
                        s.send_arguments(&receiver, &setter, &all, 1, call_type)
                    });
                } else {
                    let call_type = self.written(&setter, call_type_of(target));
                    self.send_arguments(receiver, &setter, &all, 1, call_type);
                }
                (self.node, self.span) = (outer_node, outer_span);
            }
            Place::Multiple(places) => self.assign_places(places, value, false),
        }
    }

    fn enter_target(&mut self, target: &Target) {
        if let Target::Index { id, span, .. } | Target::Attribute { id, span, .. } = target {
            self.node = *id;
            self.span = *span;
        }
    }

    fn read_place(&mut self, place: &Place<'_>) -> Operand {
        match place {
            Place::Local(id) => self.read_local(*id),
            Place::State(name, number) => self.read_shared(name, *number),
            Place::Ivar(name) => {
                let receiver = self.self_operand();
                self.read_ivar(&receiver, name)
            }
            Place::Call { target, receiver, args, name, .. } => {
                let (outer_node, outer_span) = (self.node, self.span);
                self.enter_target(target);
                let call_type = self.written(name, call_type_of(target));
                let value = self.send_arguments(receiver, name, args, 2, call_type);
                (self.node, self.span) = (outer_node, outer_span);
                value
            }
            Place::Nowhere | Place::Multiple(_) => Operand::bottom(),
        }
    }

    /// `target op= value`: receiver and arguments are evaluated once.
    pub(crate) fn op_assign(&mut self, node: &Node, target: &Target, op: &AssignOp, value: &Node) -> Operand {
        let place = self.resolve(target);
        if let Place::Call { target, receiver, args, name, safe: true } = &place {
            let receiver = receiver.clone();
            return self.unless_nil(&receiver, |s, receiver| {
                let place = Place::Call { target, receiver, args: args.clone(), name, safe: false };
                s.op_assign_place(node, &place, op, value)
            });
        }
        self.op_assign_place(node, &place, op, value)
    }

    fn op_assign_place(&mut self, node: &Node, place: &Place<'_>, op: &AssignOp, value: &Node) -> Operand {
        let old = self.read_place(place);
        self.enter(node);
        match op {
            AssignOp::Operator(name) => {
                let value = self.expr(value);
                self.enter(node);
                let new = self.send_written(&old, name, &[value], 3);
                self.assign_place(place, &new);
                new
            }
            AssignOp::Or | AssignOp::And => {
                if old.is_bottom() {
                    return old;
                }
                let is_falsy = |t: &Type| matches!(t, Type::Nil | Type::False);
                let mut condition = self.truth_condition(&old);
                if *op == AssignOp::And {
                    let not = self.b.unary(UnaryOp::Not, condition.value);
                    condition = super::Condition { value: not, yes: condition.no, no: condition.yes };
                }
                let kept = old.types.filter(|t| is_falsy(t) == (*op == AssignOp::And));
                self.branch(
                    4,
                    condition,
                    |s| s.narrow(&old, &kept),
                    |s| {
                        let value = s.expr(value);
                        s.assign_place(place, &value);
                        value
                    },
                )
            }
        }
    }
}

/// Where a value goes, with what it needs already evaluated.
pub(super) enum Place<'t> {
    Local(LocalId),
    /// A variable around the section, or a global one and the like: [`super::global_state`].
    State(String, u32),
    Ivar(&'t str),
    Call {
        target: &'t Target,
        receiver: Operand,
        args: Arguments,
        name: &'t str,
        safe: bool,
    },
    Multiple(Places<'t>),
    Nowhere,
}

impl Place<'_> {
    fn of_state(shared: Option<(String, u32)>) -> Self {
        shared.map_or(Self::Nowhere, |(name, number)| Self::State(name, number))
    }
}

/// `self.x = …` may call a private setter.
fn call_type_of(target: &Target) -> CallType {
    match target {
        Target::Attribute { receiver, .. } | Target::Index { receiver, .. }
            if matches!(receiver.kind, crate::syntax::ast::Kind::SelfRef) =>
        {
            CallType::Own
        }
        _ => CallType::Outside,
    }
}
