//! Statements and control flow.

use super::{Lowering, refusals, text};
use crate::source::Span;
use crate::syntax::ast::{
    Begin, BlockArg, BlockLiteral, Call, InClause, Kind, LocalId, Multiple, Node, Params, Rescue, Target,
    When,
};
use crate::syntax::walk::{assigned_by, each_node_in};
use ruby_prism::{self as prism, Node as P};
use std::sync::Arc;

/// Clauses of one `begin`: what comes after nests them in each other.
const MAX_RESCUES: u32 = 50;

/// Nobody sees the value of a statement that others follow, nor that of a loop's body and an `ensure`. To Ruby one of
/// a `begin` with a `rescue` might be seen.
fn discard(node: &mut Node) {
    match &mut node.kind {
        Kind::MultiAssign { discarded, .. } => *discarded = true,
        Kind::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|arm| discard(arm)),
        Kind::Case { whens, otherwise, .. } => {
            whens.iter_mut().for_each(|when| discard(&mut when.body));
            otherwise.iter_mut().for_each(|arm| discard(arm));
        }
        Kind::CaseIn { clauses, otherwise, .. } => {
            clauses.iter_mut().for_each(|clause| discard(&mut clause.body));
            otherwise.iter_mut().for_each(|arm| discard(arm));
        }
        Kind::And(_, second) | Kind::Or(_, second) => discard(second),
        Kind::Begin(begin) if begin.rescues.is_empty() => {
            Arc::get_mut(begin).into_iter().for_each(|begin| discard(&mut begin.body));
        }
        Kind::Sequence(items) => items.last_mut().into_iter().for_each(discard),
        _ => {}
    }
}

impl Lowering<'_> {
    /// One statement is itself, several are a sequence.
    pub(super) fn statements(&mut self, statements: &prism::StatementsNode<'_>) -> Node {
        let span = self.span(&statements.location());
        let mut nodes: Vec<Node> = statements.body().iter().map(|node| self.expression(&node)).collect();
        match nodes.len() {
            1 => nodes.remove(0),
            0 => self.node(span, Kind::Nil),
            count => {
                nodes[..count - 1].iter_mut().for_each(discard);
                self.node(span, Kind::Sequence(nodes))
            }
        }
    }

    /// The statements of an arm; `nil`, with the span of what surrounds it, for an empty one.
    pub(super) fn arm(&mut self, statements: Option<prism::StatementsNode<'_>>, around: Span) -> Node {
        match statements {
            Some(statements) => self.statements(&statements),
            None => self.node(around, Kind::Nil),
        }
    }

    pub(super) fn else_arm(&mut self, clause: Option<prism::ElseNode<'_>>, around: Span) -> Node {
        self.arm(clause.and_then(|clause| clause.statements()), around)
    }

    /// `begin … end`, and bodies with a `rescue` of their own.
    pub(super) fn begin(&mut self, begin: &prism::BeginNode<'_>) -> Node {
        let span = self.span(&begin.location());
        let body = self.arm(begin.statements(), span);
        let mut rescues = Vec::new();
        let mut clause = begin.rescue_clause();
        while let Some(rescue) = clause {
            let keyword = self.span(&rescue.keyword_loc());
            if rescues.len() as u32 == MAX_RESCUES {
                self.diagnostics.push(super::too_deep(keyword));
                break;
            }
            let classes = rescue.exceptions().iter().map(|class| self.rescued(&class)).collect();
            let error = rescue.reference().and_then(|target| self.rescue_variable(&target));
            let statements = rescue.statements();
            let text = statements.as_ref().map(|body| body.location().as_slice());
            let error = self.handling(error, text.unwrap_or_default());
            let body = self.arm(statements, span);
            self.handled(&body);
            rescues.push(Rescue { keyword, classes, error, body });
            clause = rescue.subsequent();
        }
        let otherwise = begin.else_clause().map(|clause| self.else_arm(Some(clause), span));
        let mut ensure = begin.ensure_clause().map(|clause| self.arm(clause.statements(), span));
        ensure.iter_mut().for_each(discard);
        if rescues.is_empty() && otherwise.is_none() && ensure.is_none() {
            return body;
        }
        self.node(span, Kind::Begin(Begin { body, rescues, otherwise, ensure }.into()))
    }

    /// The local that has the error in a clause with this text: the one that is named, or one for `$!`.
    fn handling(&mut self, named: Option<LocalId>, text: &[u8]) -> Option<LocalId> {
        let is_asked = text.windows(2).any(|name| name == b"$!");
        let local = named.or_else(|| is_asked.then(|| self.fresh_local("$!")));
        if named.is_none() {
            self.errors.extend(local);
        }
        self.handled.push(local.filter(|_| is_asked).map(|local| (local, None)));
        local
    }

    /// The clause has been lowered. `$!` is not what it has assigned to its local.
    fn handled(&mut self, body: &Node) {
        let Some((local, Some(read_at))) = self.handled.pop().flatten() else { return };
        let mut assigned = false;
        each_node_in(body, &mut |node| assigned_by(&node.kind, &mut |other| assigned |= other == local));
        if assigned {
            self.refuse(&refusals::SPECIAL_GLOBAL, read_at);
        }
    }

    /// `=> name`: a local variable of the section.
    fn rescue_variable(&mut self, node: &P<'_>) -> Option<LocalId> {
        let local = node.as_local_variable_target_node();
        let local = local.and_then(|local| self.local(&text(&local.name()), local.depth()));
        match local {
            Some(local) => self.errors.push(local),
            None => {
                let is_captured = node.as_local_variable_target_node().is_some();
                let span = self.span(&node.location());
                let refusal =
                    if is_captured { &refusals::RESCUE_CAPTURED } else { &refusals::RESCUE_VARIABLE };
                self.refuse(refusal, span);
            }
        }
        local
    }

    /// A class after `rescue`.
    fn rescued(&mut self, class: &P<'_>) -> Node {
        let node = self.expression(class);
        let is_constant = |node: &Node| matches!(node.kind, Kind::Constant { .. });
        let is_known = match &node.kind {
            Kind::Splat(list) => match &list.kind {
                Kind::Array(items) => items.iter().all(is_constant),
                Kind::Local(_) | Kind::Captured(_) => true,
                _ => is_constant(list),
            },
            _ => is_constant(&node),
        };
        match is_known {
            true => node,
            false => {
                let span = self.span(&class.location());
                self.refuse(&refusals::RESCUE_CLASS, span)
            }
        }
    }

    pub(super) fn rescue_modifier(&mut self, rescue: &prism::RescueModifierNode<'_>) -> Node {
        let span = self.span(&rescue.location());
        let body = self.expression(&rescue.expression());
        let instead = rescue.rescue_expression();
        let error = self.handling(None, instead.location().as_slice());
        let otherwise = self.expression(&instead);
        self.handled(&otherwise);
        let rescues = vec![Rescue {
            keyword: self.span(&rescue.keyword_loc()),
            classes: vec![],
            error,
            body: otherwise,
        }];
        self.node(span, Kind::Begin(Begin { body, rescues, otherwise: None, ensure: None }.into()))
    }

    pub(super) fn if_node(&mut self, node: &prism::IfNode<'_>) -> Node {
        let span = self.span(&node.location());
        let condition = Box::new(self.expression(&node.predicate()));
        let then = Box::new(self.arm(node.statements(), span));
        let otherwise = Box::new(match node.subsequent() {
            // `elsif`
            Some(next) if matches!(next, P::IfNode { .. }) => self.expression(&next),
            Some(next) => self.else_arm(next.as_else_node(), span),
            None => self.node(span, Kind::Nil),
        });
        self.node(span, if_kind(condition, then, otherwise))
    }

    pub(super) fn unless_node(&mut self, node: &prism::UnlessNode<'_>) -> Node {
        let span = self.span(&node.location());
        let condition = Box::new(self.expression(&node.predicate()));
        let otherwise = Box::new(self.arm(node.statements(), span));
        let then = Box::new(self.else_arm(node.else_clause(), span));
        self.node(span, if_kind(condition, then, otherwise))
    }

    pub(super) fn case(&mut self, case: &prism::CaseNode<'_>) -> Node {
        let span = self.span(&case.location());
        let subject = case.predicate().map(|subject| Box::new(self.expression(&subject)));
        let whens = case.conditions().iter().map(|when| self.when(&when)).collect();
        let otherwise = case.else_clause().map(|clause| Box::new(self.else_arm(Some(clause), span)));
        self.node(span, Kind::Case { subject, whens, otherwise })
    }

    fn when(&mut self, node: &P<'_>) -> When {
        let span = self.span(&node.location());
        let Some(when) = node.as_when_node() else {
            return When { patterns: Vec::new(), body: self.unexpected(node) };
        };
        let patterns = when.conditions().iter().map(|pattern| self.when_pattern(&pattern)).collect();
        When { patterns, body: self.arm(when.statements(), span) }
    }

    fn when_pattern(&mut self, pattern: &P<'_>) -> Node {
        match pattern {
            P::SplatNode { .. } => {
                let span = self.span(&pattern.location());
                let splat = pattern.as_splat_node();
                match splat.and_then(|splat| splat.expression()) {
                    Some(list) => {
                        let list = Box::new(self.expression(&list));
                        self.node(span, Kind::Splat(list))
                    }
                    None => self.unexpected(pattern),
                }
            }
            _ => self.expression(pattern),
        }
    }

    pub(super) fn while_node(&mut self, node: &prism::WhileNode<'_>) -> Node {
        let body_first = node.is_begin_modifier();
        self.while_loop(&node.predicate(), false, body_first, node.statements(), &node.location())
    }

    pub(super) fn until_node(&mut self, node: &prism::UntilNode<'_>) -> Node {
        let body_first = node.is_begin_modifier();
        self.while_loop(&node.predicate(), true, body_first, node.statements(), &node.location())
    }

    fn while_loop(
        &mut self,
        condition: &P<'_>,
        negated: bool,
        body_first: bool,
        statements: Option<prism::StatementsNode<'_>>,
        location: &prism::Location<'_>,
    ) -> Node {
        let span = self.span(location);
        let condition = Box::new(self.expression(condition));
        let mut body = Box::new(self.arm(statements, span));
        discard(&mut body);
        self.node(span, Kind::While { condition, negated, body_first, body })
    }

    /// `for a, b in list` is `list.each { |x, y| a, b = x, y; … }`, as for Ruby: only the parameters are the block's own.
    pub(super) fn for_loop(&mut self, node: &prism::ForNode<'_>) -> Node {
        let span = self.span(&node.location());
        let target = self.target(&node.index());
        let receiver = self.expression(&node.collection());
        let depth = self.blocks_around();
        self.fors += 1;
        let body = self.arm(node.statements(), span);
        self.fors -= 1;
        let (mut steps, mut own_locals) = (Vec::new(), Vec::new());
        let mut parameter = |this: &mut Self, target: Option<Target>| {
            let local = LocalId(this.locals.len() as u32);
            this.locals.push("for".into());
            own_locals.push(local);
            if let Some(target) = target {
                let at = target.span();
                let value = Box::new(this.node(at, Kind::Local(local)));
                steps.push(this.node(at, Kind::Assign { target: Box::new(target), value }));
            }
            local
        };
        let mut params = Params::default();
        match target {
            Target::Multiple(targets, _) => {
                let Multiple { before, splat, after } = *targets;
                params.required = before.into_iter().map(|target| parameter(self, Some(target))).collect();
                params.rest = splat.map(|target| parameter(self, target));
                params.post = after.into_iter().map(|target| parameter(self, Some(target))).collect();
            }
            target => params.required = vec![parameter(self, Some(target))],
        }
        steps.push(body);
        let body = self.node(span, Kind::Sequence(steps));
        let literal = BlockLiteral { id: self.id(), span, opened: span, params, body, own_locals, depth };
        let call = Call {
            receiver: Some(receiver),
            name: "each".into(),
            name_span: span,
            args: vec![],
            block: Some(BlockArg::Literal(Arc::new(literal))),
            safe: false,
            variable: false,
        };
        self.node(span, Kind::Call(Box::new(call)))
    }

    /// The value of `return`, `break` and `next`; several make an Array.
    pub(super) fn jump_value(&mut self, arguments: Option<prism::ArgumentsNode<'_>>) -> Option<Box<Node>> {
        let list = arguments?;
        let values = list.arguments();
        Some(Box::new(match values.first() {
            Some(only) if values.len() == 1 && !matches!(only, P::SplatNode { .. }) => self.expression(&only),
            _ => self.array(&values, &list.location()),
        }))
    }

    pub(super) fn local_read(
        &mut self,
        name: &prism::ConstantId<'_>,
        depth: u32,
        location: &prism::Location<'_>,
    ) -> Node {
        let span = self.span(location);
        let name = text(name);
        let kind = match self.local(&name, depth) {
            Some(local) => Kind::Local(self.hash_of_collected(local, true)),
            None => {
                self.captured_read(&name);
                Kind::Captured(name)
            }
        };
        self.node(span, kind)
    }
}

/// An `if`; `if value in pattern` is a `case`, whose first arm knows the names that the pattern gives.
fn if_kind(condition: Box<Node>, then: Box<Node>, otherwise: Box<Node>) -> Kind {
    match condition.kind {
        Kind::Matches { value, pattern } => {
            let clause = InClause { pattern: *pattern, guard: None, body: *then };
            Kind::CaseIn { subject: value, clauses: vec![clause], otherwise: Some(otherwise) }
        }
        _ => Kind::If { condition, then, otherwise },
    }
}
