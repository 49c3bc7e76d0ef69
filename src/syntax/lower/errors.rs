//! What a code does with the exceptions that it rescues: most ask for message and class, for which there need be no object.

use crate::syntax::ast::{Call, Code, Kind, LocalId, Node, NodeId, StringPart};
use crate::syntax::walk::{each_node, each_node_in};
use std::collections::HashSet;

/// What is answered without an object.
const ASKED: &[&str] = &["message", "to_s", "class", "is_a?", "kind_of?", "instance_of?"];

/// The locals of `rescue … => name` with which more is done than that, or elsewhere than in their clauses.
pub(super) fn objects(code: &Code) -> Vec<LocalId> {
    if code.errors.is_empty() {
        return Vec::new();
    }
    let mut asked = HashSet::new();
    each_node(code, &mut |node| {
        let Kind::Begin(begin) = &node.kind else { return };
        for rescue in &begin.rescues {
            if let Some(local) = rescue.error {
                each_node_in(&rescue.body, &mut |node| asked.extend(only_asks(node, local)));
            }
        }
    });
    let mut all = Vec::new();
    each_node(code, &mut |node| {
        if let Kind::Local(local) = node.kind
            && code.errors.contains(&local)
            && !asked.contains(&node.id)
            && !all.contains(&local)
        {
            all.push(local);
        }
    });
    all
}

/// The uses of the local right within a node that need no object.
fn only_asks(node: &Node, local: LocalId) -> Vec<NodeId> {
    let is_it = |node: &&Node| matches!(node.kind, Kind::Local(of) if of == local);
    match &node.kind {
        Kind::Call(call) if is_raise(call) => call.args.iter().filter(is_it).map(|node| node.id).collect(),
        Kind::Call(call) if ASKED.contains(&call.name.as_str()) => {
            call.receiver.iter().filter(is_it).map(|node| node.id).collect()
        }
        Kind::String(parts) => {
            let parts = parts.iter().filter_map(|part| match part {
                StringPart::Expression(node) => Some(node),
                StringPart::Text(_) | StringPart::Frozen(_) => None,
            });
            parts.filter(is_it).map(|node| node.id).collect()
        }
        _ => Vec::new(),
    }
}

fn is_raise(call: &Call) -> bool {
    call.receiver.is_none() && matches!(call.name.as_str(), "raise" | "fail") && call.args.len() == 1
}
