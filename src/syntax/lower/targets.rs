//! Assignments: what can stand on their left sides, and the forms `=`, `+=`, `||=`, `&&=` and `a, b =`.

use super::calls::operands;
use super::refusals::{self, Refusal};
use super::{Lowering, text};
use crate::source::Span;
use crate::syntax::ast::{AssignOp, Kind, Multiple, Node, Target};
use ruby_prism::{self as prism, Node as P};

impl Lowering<'_> {
    /// A target of a multiple assignment, of `for`, or of a parameter list.
    pub(super) fn target(&mut self, node: &P<'_>) -> Target {
        let span = self.span(&node.location());
        self.deeper(span, |this| this.target_at(node, span)).unwrap_or_else(|| no_target(span))
    }

    fn target_at(&mut self, node: &P<'_>, span: Span) -> Target {
        if let Some(local) = node.as_local_variable_target_node() {
            return self.local_target(&local.name(), local.depth(), span);
        }
        if let Some(parameter) = node.as_required_parameter_node() {
            return Target::Local(self.parameter(&parameter.name(), parameter.is_repeated_parameter()), span);
        }
        if let Some(ivar) = node.as_instance_variable_target_node() {
            return Target::Ivar(self.variable_name(&ivar.name()), span);
        }
        if let Some(multi) = node.as_multi_target_node() {
            let multiple = self.multiple(&multi.lefts(), multi.rest(), &multi.rights());
            return Target::Multiple(Box::new(multiple), span);
        }
        if let Some(index) = node.as_index_target_node() {
            return self.index_target(
                Some(index.receiver()),
                operands(index.arguments()),
                index.block(),
                span,
            );
        }
        if let Some(call) = node.as_call_target_node() {
            return self.attribute_target(
                Some(call.receiver()),
                &text(&call.name()),
                call.is_safe_navigation(),
                span,
            );
        }
        if let Some(global) = node.as_global_variable_target_node() {
            return self.global_target(&global.name(), span);
        }
        if let Some(variable) = node.as_class_variable_target_node() {
            return Target::ClassVariable(text(&variable.name()), span);
        }
        let refusal = match node {
            P::ConstantTargetNode { .. } | P::ConstantPathTargetNode { .. } => &refusals::CONSTANT_ASSIGNMENT,
            P::ErrorRecoveryNode { .. } => &refusals::SYNTAX,
            _ => &refusals::SYNTAX_KIND,
        };
        self.refused_target(refusal, span)
    }

    pub(super) fn refused_target(&mut self, refusal: &Refusal, span: Span) -> Target {
        self.refuse(refusal, span);
        no_target(span)
    }

    pub(super) fn local_target(&mut self, name: &prism::ConstantId<'_>, depth: u32, span: Span) -> Target {
        let name = text(name);
        match self.local(&name, depth) {
            Some(local) => Target::Local(self.hash_of_collected(local, true), span),
            None => {
                self.captured_writes.push((name.clone(), span));
                Target::Captured(name, span)
            }
        }
    }

    pub(super) fn ivar_target(&self, name: &prism::ConstantId<'_>, location: &prism::Location<'_>) -> Target {
        Target::Ivar(self.variable_name(name), self.span(location))
    }

    pub(super) fn global_target(&mut self, name: &prism::ConstantId<'_>, span: Span) -> Target {
        let name = text(name);
        if super::expressions::is_hooked_global(&name) {
            let is_special = super::expressions::is_special_global(&name);
            let refusal = if is_special { &refusals::SPECIAL_GLOBAL } else { &refusals::HOOKED_GLOBAL };
            return self.refused_target(refusal, span);
        }
        Target::Global(name, span)
    }

    pub(super) fn index_target(
        &mut self,
        receiver: Option<P<'_>>,
        operands: Vec<P<'_>>,
        block: Option<prism::BlockArgumentNode<'_>>,
        span: Span,
    ) -> Target {
        let receiver = Box::new(self.receiver_or_self(receiver.as_ref(), span));
        let args = self.argument_list(operands);
        if let Some(block) = block {
            // Ruby 3.4 made it a syntax error.
            self.unexpected(&block.as_node());
        }
        Target::Index { receiver, args, id: self.id(), span }
    }

    /// `name` may end in the `=` of the method that is called.
    pub(super) fn attribute_target(
        &mut self,
        receiver: Option<P<'_>>,
        name: &str,
        safe: bool,
        span: Span,
    ) -> Target {
        let receiver = Box::new(self.receiver_or_self(receiver.as_ref(), span));
        let name = name.strip_suffix('=').unwrap_or(name).to_owned();
        Target::Attribute { receiver, name, safe, id: self.id(), span }
    }

    fn receiver_or_self(&mut self, receiver: Option<&P<'_>>, span: Span) -> Node {
        match receiver {
            Some(receiver) => self.expression(receiver),
            None => self.node(span, Kind::SelfRef),
        }
    }

    pub(super) fn assign(&mut self, target: Target, value: &P<'_>, location: &prism::Location<'_>) -> Node {
        let value = Box::new(self.expression(value));
        let span = self.span(location);
        self.node(span, Kind::Assign { target: Box::new(target), value })
    }

    pub(super) fn op_assign(
        &mut self,
        target: Target,
        op: AssignOp,
        value: &P<'_>,
        location: &prism::Location<'_>,
    ) -> Node {
        if let Target::Captured(name, _) = &target {
            self.captured_read(name);
        }
        let value = Box::new(self.expression(value));
        let span = self.span(location);
        let to_index = matches!(target, Target::Index { .. });
        let assignment = self.node(span, Kind::OpAssign { target: Box::new(target), op, value });
        self.matching_assignment(to_index, assignment)
    }

    pub(super) fn multi_assign(&mut self, write: &prism::MultiWriteNode<'_>) -> Node {
        let targets = Box::new(self.multiple(&write.lefts(), write.rest(), &write.rights()));
        let value = Box::new(self.expression(&write.value()));
        let span = self.span(&write.location());
        let mut all = targets.before.iter().chain(&targets.after);
        let to_index = all.any(|target| matches!(target, Target::Index { .. }));
        let assignment = self.node(span, Kind::MultiAssign { targets, value, discarded: false });
        self.matching_assignment(to_index, assignment)
    }

    /// `receiver[args]` of an operator assignment: the span ends with the bracket.
    pub(super) fn up_to(&self, location: &prism::Location<'_>, end: &prism::Location<'_>) -> Span {
        Span { file: self.file, start: location.start(), end: end.end() }
    }
}

/// Stands where a target was refused.
fn no_target(span: Span) -> Target {
    Target::Multiple(Box::new(Multiple { before: Vec::new(), splat: None, after: Vec::new() }), span)
}

/// `+=` and its like.
pub(super) fn operator(name: &prism::ConstantId<'_>) -> AssignOp {
    AssignOp::Operator(text(name))
}
