//! Pattern matching: `case … in`, `value in pattern` and `value => pattern`.

use super::{Lowering, refusals};
use crate::source::Span;
use crate::syntax::ast::{InClause, Kind, Node, Pattern, PatternKind, Target};
use ruby_prism::{self as prism, Node as P};

impl Lowering<'_> {
    pub(super) fn case_in(&mut self, case: &prism::CaseMatchNode<'_>) -> Node {
        let span = self.span(&case.location());
        // A `case` without a subject cannot have `in` clauses: that is a syntax error.
        let subject = Box::new(match case.predicate() {
            Some(subject) => self.expression(&subject),
            None => self.refuse(&refusals::SYNTAX, span),
        });
        let clauses = case.conditions().iter().map(|clause| self.in_clause(&clause)).collect();
        let otherwise = case.else_clause().map(|clause| Box::new(self.else_arm(Some(clause), span)));
        self.node(span, Kind::CaseIn { subject, clauses, otherwise })
    }

    fn in_clause(&mut self, node: &P<'_>) -> InClause {
        let span = self.span(&node.location());
        let Some(clause) = node.as_in_node() else {
            let body = self.unexpected(node);
            return InClause { pattern: self.no_pattern(span), guard: None, body };
        };
        let (pattern, guard) = self.guarded(&clause.pattern());
        InClause { pattern, guard, body: self.arm(clause.statements(), span) }
    }

    /// A guard stands around its pattern, as the modifier of a statement does.
    fn guarded(&mut self, node: &P<'_>) -> (Pattern, Option<Node>) {
        let (statements, predicate, negated) = if let Some(guard) = node.as_if_node() {
            (guard.statements(), guard.predicate(), false)
        } else if let Some(guard) = node.as_unless_node() {
            (guard.statements(), guard.predicate(), true)
        } else {
            return (self.pattern(node), None);
        };
        let span = self.span(&node.location());
        let pattern = match statements.and_then(|statements| statements.body().first()) {
            Some(pattern) => self.pattern(&pattern),
            None => self.no_pattern(span),
        };
        let guard = self.expression(&predicate);
        let guard = if negated { self.node(guard.span, Kind::Not(Box::new(guard))) } else { guard };
        (pattern, Some(guard))
    }

    /// `value in pattern`
    pub(super) fn match_predicate(&mut self, node: &prism::MatchPredicateNode<'_>) -> Node {
        let span = self.span(&node.location());
        let value = Box::new(self.expression(&node.value()));
        let pattern = Box::new(self.pattern(&node.pattern()));
        self.node(span, Kind::Matches { value, pattern })
    }

    /// `value => pattern` is a `case` of one clause that gives nil.
    pub(super) fn match_required(&mut self, node: &prism::MatchRequiredNode<'_>) -> Node {
        let span = self.span(&node.location());
        let subject = Box::new(self.expression(&node.value()));
        let pattern = self.pattern(&node.pattern());
        let body = self.node(span, Kind::Nil);
        let clauses = vec![InClause { pattern, guard: None, body }];
        self.node(span, Kind::CaseIn { subject, clauses, otherwise: None })
    }

    fn pattern(&mut self, node: &P<'_>) -> Pattern {
        let span = self.span(&node.location());
        match self.deeper(span, |this| this.pattern_at(node, span)) {
            Some(pattern) => pattern,
            None => self.no_pattern(span),
        }
    }

    fn pattern_at(&mut self, node: &P<'_>, span: Span) -> Pattern {
        let kind = if let Some(array) = node.as_array_pattern_node() {
            self.array_pattern(&array)
        } else if let Some(find) = node.as_find_pattern_node() {
            self.find_pattern(&find)
        } else if let Some(hash) = node.as_hash_pattern_node() {
            self.hash_pattern(&hash)
        } else if let Some(either) = node.as_alternation_pattern_node() {
            let left = self.pattern(&either.left());
            PatternKind::Either(Box::new(left), Box::new(self.pattern(&either.right())))
        } else if let Some(capture) = node.as_capture_pattern_node() {
            let inner = self.pattern(&capture.value());
            PatternKind::Capture(Box::new(inner), self.target(&capture.target().as_node()))
        } else if let Some(pin) = node.as_pinned_variable_node() {
            PatternKind::Value(self.expression(&pin.variable()))
        } else if let Some(pin) = node.as_pinned_expression_node() {
            PatternKind::Value(self.expression(&pin.expression()))
        } else {
            match node {
                P::LocalVariableTargetNode { .. } => PatternKind::Bind(self.target(node)),
                P::ParenthesesNode { .. } => {
                    let inner = node.as_parentheses_node().and_then(|parentheses| parentheses.body());
                    let statements = inner.as_ref().and_then(P::as_statements_node);
                    let inner = statements.and_then(|statements| statements.body().first()).or(inner);
                    return match inner {
                        Some(inner) => self.pattern(&inner),
                        None => self.no_pattern(span),
                    };
                }
                _ => PatternKind::Value(self.expression(node)),
            }
        };
        Pattern { id: self.id(), span, kind }
    }

    fn array_pattern(&mut self, array: &prism::ArrayPatternNode<'_>) -> PatternKind {
        let constant = array.constant().map(|constant| self.expression(&constant));
        let before = array.requireds().iter().map(|pattern| self.pattern(&pattern)).collect();
        let rest = array.rest().map(|rest| self.rest(&rest));
        let after = array.posts().iter().map(|pattern| self.pattern(&pattern)).collect();
        PatternKind::Array { constant, before, rest, after }
    }

    fn hash_pattern(&mut self, hash: &prism::HashPatternNode<'_>) -> PatternKind {
        let constant = hash.constant().map(|constant| self.expression(&constant));
        let pairs = hash.elements().iter().filter_map(|element| self.key_pattern(&element)).collect();
        let rest = hash.rest();
        let closed = matches!(rest, Some(P::NoKeywordsParameterNode { .. }));
        let rest = rest.as_ref().and_then(P::as_assoc_splat_node).and_then(|splat| splat.value());
        let rest = rest.map(|rest| self.target(&rest));
        PatternKind::Hash { constant, pairs, closed, rest }
    }

    fn find_pattern(&mut self, find: &prism::FindPatternNode<'_>) -> PatternKind {
        let constant = find.constant().map(|constant| self.expression(&constant));
        let before = self.rest(&find.left().as_node());
        let middle = find.requireds().iter().map(|pattern| self.pattern(&pattern)).collect();
        let after = self.rest(&find.right().as_node());
        PatternKind::Find { constant, before, middle, after }
    }

    /// `name: pattern`; `name:` gives what is there that name.
    fn key_pattern(&mut self, element: &P<'_>) -> Option<(String, Pattern)> {
        let pair = element.as_assoc_node();
        let key = pair.as_ref().and_then(|pair| pair.key().as_symbol_node());
        let (Some(pair), Some(key)) = (pair, key) else {
            self.unexpected(element);
            return None;
        };
        let span = self.span(&key.location());
        let name = self.utf8(key.unescaped(), span);
        let value = pair.value();
        let pattern = match value.as_implicit_node() {
            Some(implicit) => self.pattern(&implicit.value()),
            None => self.pattern(&value),
        };
        Some((name, pattern))
    }

    /// `*name`, `*` and the trailing comma of `in a,`.
    fn rest(&mut self, node: &P<'_>) -> Option<Target> {
        let splat = node.as_splat_node()?;
        let name = splat.expression()?;
        Some(self.target(&name))
    }

    /// Stands where a pattern was refused.
    fn no_pattern(&mut self, span: Span) -> Pattern {
        let value = self.node(span, Kind::Nil);
        Pattern { id: self.id(), span, kind: PatternKind::Value(value) }
    }
}
