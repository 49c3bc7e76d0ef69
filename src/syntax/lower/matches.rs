//! What a pattern has matched last: `$~`, what is read of it, and names within a pattern that become locals. Ruby keeps it
//! for each call of a method, so it is a local without a name, of the method or of the block that is run for each element.
//! What may set it is a [`Kind::Matching`], in codes that read it.

use super::Lowering;
use crate::source::Span;
use crate::syntax::ast::{BlockArg, Call, Kind, LocalId, Node, StringPart, Target};
use crate::syntax::parallel_methods;
use ruby_prism as prism;
use std::sync::Arc;

/// Methods that set it, some in their blocks. Those that look for a pattern by `===` are among them, and those that call
/// others.
const SETTING: &[&str] = &[
    "__send__",
    "call",
    "public_send",
    "send",
    "slice_after",
    "slice_before",
    "=~",
    "===",
    "!~",
    "[]",
    "all?",
    "any?",
    "byteindex",
    "grep",
    "grep_v",
    "gsub",
    "gsub!",
    "index",
    "last_match",
    "match",
    "none?",
    "one?",
    "partition",
    "rindex",
    "rpartition",
    "scan",
    "slice",
    "slice!",
    "split",
    "start_with?",
    "sub",
    "sub!",
];

/// Methods that go through what they are called on, which may be an Enumerator that looks for a pattern only then.
const FORCING: &[&str] = &[
    "chunk_while",
    "collect",
    "collect_concat",
    "count",
    "detect",
    "drop",
    "drop_while",
    "each",
    "each_cons",
    "each_entry",
    "each_slice",
    "each_with_index",
    "each_with_object",
    "entries",
    "filter",
    "filter_map",
    "find",
    "find_all",
    "find_index",
    "first",
    "flat_map",
    "force",
    "group_by",
    "include?",
    "inject",
    "map",
    "max",
    "max_by",
    "member?",
    "min",
    "min_by",
    "minmax",
    "minmax_by",
    "reduce",
    "reject",
    "reverse_each",
    "select",
    "sort",
    "sort_by",
    "sum",
    "take",
    "take_while",
    "tally",
    "to_a",
    "to_h",
    "to_set",
    "uniq",
    "with_index",
    "with_object",
    "zip",
];

/// The local that holds the last match, in the scopes from one on.
#[derive(Clone, Copy, Default)]
pub(super) struct LastMatch {
    local: Option<LocalId>,
    scope: usize,
}

impl Lowering<'_> {
    /// Is there something in the text that reads what was matched? Nothing but time is lost where it only looks so.
    pub(super) fn reads_matches(&self, span: Span) -> bool {
        let text = self.source.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let special = |char: char| matches!(char, '~' | '&' | '`' | '\'' | '+' | '1'..='9');
        text.contains("last_match")
            || text.match_indices('$').any(|(at, _)| text[at + 1..].starts_with(special))
    }

    fn last_match(&mut self) -> LocalId {
        if let Some(local) = self.last_match.local {
            return local;
        }
        let local = LocalId(self.locals.len() as u32);
        self.locals.push("$~".into());
        if let Some(scope) = self.scopes.get_mut(self.last_match.scope) {
            scope.own.push(local);
        }
        self.last_match.local = Some(local);
        local
    }

    /// Lowers the block of a call, of which each run has its own match where elements run it.
    pub(super) fn with_match_of_its_own(
        &mut self,
        call: &str,
        lower: impl FnOnce(&mut Self) -> Option<BlockArg>,
    ) -> Option<BlockArg> {
        // What `pgrep` has matched is its block's to know, wherever it runs.
        if parallel_methods::without_p(call).is_none_or(|plain| plain == "grep") {
            return lower(self);
        }
        let own = LastMatch { local: None, scope: self.scopes.len() };
        let around = std::mem::replace(&mut self.last_match, own);
        let block = lower(self);
        let own = std::mem::replace(&mut self.last_match, around);
        match block {
            Some(BlockArg::Literal(mut literal)) => {
                if let (Some(_), Some(literal)) = (own.local, Arc::get_mut(&mut literal)) {
                    let nil = Node { id: literal.id, span: literal.span, kind: Kind::Nil };
                    let body = std::mem::replace(&mut literal.body, nil);
                    let unknown = self.node(literal.span, Kind::False);
                    literal.body = self.begin_matches(own, unknown, body);
                }
                Some(BlockArg::Literal(literal))
            }
            other => other,
        }
    }

    /// A node that may match.
    pub(super) fn matching(&mut self, node: Node) -> Node {
        if !self.keeps_matches && self.last_match.local.is_none() {
            return node;
        }
        let last = self.last_match();
        self.node(node.span, Kind::Matching(last, Box::new(node)))
    }

    /// A call of such a name.
    pub(super) fn matching_call(&mut self, name: &str, node: Node) -> Node {
        let plain = parallel_methods::without_p(name).unwrap_or(name);
        let sets = SETTING.contains(&plain) || FORCING.contains(&name);
        if sets { self.matching(node) } else { node }
    }

    /// An assignment, which matches where a Regexp is an index: `text[/pattern/] = other`.
    pub(super) fn matching_assignment(&mut self, to_index: bool, node: Node) -> Node {
        if to_index { self.matching(node) } else { node }
    }

    /// Asks what was matched, where something was.
    fn of_last_match(&mut self, span: Span, name: &str, arg: Node) -> Node {
        let receiver = Some(self.match_read(span));
        let call = Call {
            receiver,
            name: name.into(),
            name_span: span,
            args: vec![arg],
            block: None,
            safe: true,
            variable: false,
        };
        self.node(span, Kind::Call(Box::new(call)))
    }

    /// `$~`
    pub(super) fn match_read(&mut self, span: Span) -> Node {
        let last = self.last_match();
        let receiver = self.node(span, Kind::Local(last));
        self.primitive(span, receiver, "#last", vec![])
    }

    /// `$1`
    pub(super) fn numbered_reference(&mut self, reference: &prism::NumberedReferenceReadNode<'_>) -> Node {
        let span = self.span(&reference.location());
        let number = self.node(span, Kind::Integer(reference.number().into()));
        self.of_last_match(span, "#nth", number)
    }

    /// `` $& $` $' $+ ``
    pub(super) fn back_reference(&mut self, reference: &prism::BackReferenceReadNode<'_>) -> Node {
        let span = self.span(&reference.location());
        let part = match reference.name().as_slice() {
            b"$&" => 0,
            b"$`" => -1,
            b"$'" => -2,
            _ => -3,
        };
        let part = self.node(span, Kind::Integer(part));
        self.of_last_match(span, "#back_reference", part)
    }

    /// `/(?<name>…)/ =~ text`, which assigns the local `name`.
    pub(super) fn match_write(&mut self, write: &prism::MatchWriteNode<'_>) -> Node {
        let span = self.span(&write.location());
        self.last_match();
        let call = self.call(&write.call());
        let place = self.fresh_local("#place");
        let assign = |s: &mut Self, target, value| {
            s.node(span, Kind::Assign { target: Box::new(target), value: Box::new(value) })
        };
        let mut steps = vec![assign(self, Target::Local(place, span), call)];
        for target in &write.targets() {
            let Some(local) = target.as_local_variable_target_node() else {
                steps.push(self.unexpected(&target));
                continue;
            };
            let name = super::text(&local.name());
            let target = self.target(&target);
            let name = self.node(span, Kind::String(vec![StringPart::Text(name)]));
            let value = self.of_last_match(span, "#named", name);
            steps.push(assign(self, target, value));
        }
        steps.push(self.node(span, Kind::Local(place)));
        self.node(span, Kind::Sequence(steps))
    }

    /// In a section's block there is what a pattern of the chain has matched that runs it, if there is one.
    pub(super) fn begin_section_matches(&mut self, body: Node) -> Node {
        let (span, last) = (body.span, self.last_match);
        if last.local.is_none() {
            return body;
        }
        let nil = self.node(span, Kind::Nil);
        let before = self.primitive(span, nil, "#match_before", vec![]);
        self.begin_matches(last, before, body)
    }

    /// In a block that is run for each element there may be a match from before, of which nothing is known.
    fn begin_matches(&mut self, last: LastMatch, before: Node, body: Node) -> Node {
        let Some(local) = last.local else { return body };
        let span = body.span;
        let target = Box::new(Target::Local(local, span));
        let begin = self.node(span, Kind::Assign { target, value: Box::new(before) });
        self.node(span, Kind::Sequence(vec![begin, body]))
    }
}
