//! `defined?(…)`, which runs nothing, and flip-flops.

use super::{Lowering, refusals};
use crate::source::Span;
use crate::syntax::ast::{Call, Kind, LocalId, Node, Target};
use ruby_prism::{self as prism, Node as P};

impl Lowering<'_> {
    /// What inference has to look at is lowered as if it ran; the rest is known from how it is written.
    pub(super) fn defined(&mut self, value: &P<'_>, span: Span) -> Node {
        let what = match value {
            P::ParenthesesNode { .. } => return self.defined_in_parentheses(value, span),
            P::LocalVariableReadNode { .. } | P::ItLocalVariableReadNode { .. } => "local-variable",
            P::SelfNode { .. } => "self",
            P::NilNode { .. } => "nil",
            P::TrueNode { .. } => "true",
            P::FalseNode { .. } => "false",
            P::IntegerNode { .. }
            | P::FloatNode { .. }
            | P::RationalNode { .. }
            | P::ImaginaryNode { .. }
            | P::StringNode { .. }
            | P::InterpolatedStringNode { .. }
            | P::SymbolNode { .. }
            | P::LambdaNode { .. }
            | P::AndNode { .. }
            | P::OrNode { .. } => "expression",
            P::LocalVariableWriteNode { .. }
            | P::LocalVariableOperatorWriteNode { .. }
            | P::LocalVariableOrWriteNode { .. }
            | P::LocalVariableAndWriteNode { .. }
            | P::InstanceVariableWriteNode { .. }
            | P::InstanceVariableOperatorWriteNode { .. }
            | P::InstanceVariableOrWriteNode { .. }
            | P::InstanceVariableAndWriteNode { .. }
            | P::GlobalVariableWriteNode { .. }
            | P::ClassVariableWriteNode { .. }
            | P::MultiWriteNode { .. } => "assignment",
            P::YieldNode { .. } if self.method.is_some() => {
                let asked = self.expression(value);
                return self.defined_if("yield", asked, span);
            }
            P::InstanceVariableReadNode { .. } => {
                let asked = self.expression(value);
                return self.defined_if("instance-variable", asked, span);
            }
            P::ConstantReadNode { .. } | P::ConstantPathNode { .. } => {
                let asked = self.expression(value);
                return match asked.kind {
                    Kind::Constant { .. } => self.defined_if("constant", asked, span),
                    _ => self.unsupported(&refusals::DEFINED, span),
                };
            }
            P::CallNode { .. } => {
                let asked = self.expression(value);
                return match &asked.kind {
                    Kind::Call(call) if is_known(call) => self.defined_if("method", asked, span),
                    _ => self.unsupported(&refusals::DEFINED, span),
                };
            }
            _ => return self.unsupported(&refusals::DEFINED, span),
        };
        self.node(span, Kind::Defined { what, asked: None })
    }

    fn defined_if(&mut self, what: &'static str, asked: Node, span: Span) -> Node {
        self.node(span, Kind::Defined { what, asked: Some(Box::new(asked)) })
    }

    /// What is alone in parentheses is what they are.
    fn defined_in_parentheses(&mut self, value: &P<'_>, span: Span) -> Node {
        let body = value.as_parentheses_node().and_then(|parentheses| parentheses.body());
        let statements = body.and_then(|body| body.as_statements_node());
        let mut statements = statements.iter().flat_map(|statements| statements.body().iter());
        match (statements.next(), statements.next()) {
            (Some(only), None) => self.defined(&only, span),
            _ => self.unsupported(&refusals::DEFINED, span),
        }
    }

    /// A local of the method says whether it is on, as blocks in it share that. Around a block it would be the method's
    /// around the section, which keeps it from one run to the next where nobody can look.
    pub(super) fn flip_flop(&mut self, node: &prism::FlipFlopNode<'_>) -> Node {
        let span = self.span(&node.location());
        let (Some(left), Some(right), true) = (node.left(), node.right(), self.method.is_some()) else {
            return self.unsupported(&refusals::FLIP_FLOP, span);
        };
        // A number is compared with that of the line which was read last.
        let is_number = |end: &P<'_>| matches!(end, P::IntegerNode { .. });
        if is_number(&left) || is_number(&right) {
            return self.unsupported(&refusals::FLIP_FLOP, span);
        }
        let local = LocalId(self.locals.len() as u32);
        self.locals.push("#flip-flop".into());
        if let Some(method) = self.scopes.first_mut() {
            method.own.push(local);
        }
        let begins = self.expression(&left);
        let ends = self.expression(&right);
        let on = self.set(local, true, span);
        let off = self.set(local, false, span);
        let nothing = self.node(span, Kind::Nil);
        let close = self.either(ends, off, nothing, span);
        let (yes, no) = (self.node(span, Kind::True), self.node(span, Kind::False));
        let is_on = self.node(span, Kind::Local(local));
        if node.is_exclude_end() {
            // The end is not looked at when it begins.
            let close = self.node(span, Kind::Sequence(vec![close, yes]));
            let open = self.either(begins, on, no, span);
            return self.either(is_on, close, open, span);
        }
        let open = self.node(span, Kind::And(Box::new(begins), Box::new(on)));
        let is_on = self.node(span, Kind::Or(Box::new(is_on), Box::new(open)));
        let close = self.node(span, Kind::Sequence(vec![close, yes]));
        self.either(is_on, close, no, span)
    }

    /// Its value is true or false, too.
    fn set(&mut self, local: LocalId, on: bool, span: Span) -> Node {
        let value = self.node(span, if on { Kind::True } else { Kind::False });
        self.node(span, Kind::Assign { target: Box::new(Target::Local(local, span)), value: Box::new(value) })
    }

    fn either(&mut self, condition: Node, then: Node, otherwise: Node, span: Span) -> Node {
        let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
        self.node(span, Kind::If { condition, then, otherwise })
    }
}

/// Do its receiver and arguments raise nothing, so that only the method is in question?
fn is_known(call: &Call) -> bool {
    let is_plain = |node: &Node| {
        matches!(
            node.kind,
            Kind::Local(_)
                | Kind::SelfRef
                | Kind::Nil
                | Kind::True
                | Kind::False
                | Kind::Integer(_)
                | Kind::Float(_)
                | Kind::Symbol(_)
        ) || matches!(&node.kind, Kind::Captured(_))
    };
    let is_receiver = |node: &Node| is_plain(node) || matches!(node.kind, Kind::Constant { .. });
    call.receiver.as_ref().is_none_or(is_receiver)
        && call.args.iter().all(is_plain)
        && call.block.is_none()
        && !call.safe
}
