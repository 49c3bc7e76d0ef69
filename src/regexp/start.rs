//! Where a match of a pattern that backtracks may begin, as a pattern that an automaton can do: it matches there, and maybe
//! elsewhere. What only backtracking can tell is left out of it, or ends it. Where groups match again it would match at most
//! places that are none, and to go to each takes longer than to try all.

use super::machine::{Mode, set_of_class};
use super::syntax::{Node, nullable};

/// A match that begins somewhere has the node so many bytes before it.
pub struct Start {
    pub node: Node,
    pub before: usize,
}

/// `None`: it may begin anywhere.
pub fn start_of(node: &Node, mode: Mode) -> Option<Start> {
    if has_again(node) {
        return None;
    }
    let rest = part_of(node, true).node;
    if nullable(&rest) {
        return None;
    }
    Some(match before(node, mode) {
        Some((behind, before)) => Start { node: Node::Concat(vec![behind, rest]), before },
        None => Start { node: rest, before: 0 },
    })
}

struct Part {
    node: Node,
    /// Is it all of it? Else nothing may follow.
    whole: bool,
}

impl Part {
    fn whole(node: Node) -> Self {
        Self { node, whole: true }
    }

    fn nothing_known() -> Self {
        Self { node: Node::Empty, whole: false }
    }
}

fn has_again(node: &Node) -> bool {
    match node {
        Node::Again(_) => true,
        Node::Group { inner, .. } | Node::Atomic(inner) => has_again(inner),
        Node::Repeat { inner, .. } | Node::Around { inner, .. } => has_again(inner),
        Node::Concat(all) | Node::Either(all) => all.iter().any(has_again),
        _ => false,
    }
}

/// `last`: nothing follows it in the pattern.
fn part_of(node: &Node, last: bool) -> Part {
    match node {
        Node::Empty | Node::Char { .. } | Node::Any { .. } | Node::Class { .. } | Node::Look(_) => {
            Part::whole(node.clone())
        }
        Node::Group { inner, .. } => {
            let Part { node, whole } = part_of(inner, last);
            Part { node: Node::Group { index: None, inner: Box::new(node) }, whole }
        }
        Node::Atomic(inner) => part_of(inner, last),
        Node::Around { behind: false, negated: false, inner } if last => {
            Part { whole: false, ..part_of(inner, true) }
        }
        Node::Around { .. } => Part::whole(Node::Empty),
        Node::Again(_) => Part::nothing_known(),
        Node::Concat(all) => {
            let mut parts = Vec::with_capacity(all.len());
            for (number, node) in all.iter().enumerate() {
                let Part { node, whole } = part_of(node, last && number + 1 == all.len());
                parts.push(node);
                if !whole {
                    return Part { node: Node::Concat(parts), whole };
                }
            }
            Part::whole(Node::Concat(parts))
        }
        Node::Either(all) => {
            let all: Vec<_> = all.iter().map(|node| part_of(node, last)).collect();
            let whole = all.iter().all(|part| part.whole);
            Part { node: Node::Either(all.into_iter().map(|part| part.node).collect()), whole }
        }
        Node::Repeat { inner, least, most, greedy } => match (part_of(inner, false), *least) {
            (Part { node, whole: true }, least) => {
                let inner = Box::new(node);
                Part::whole(Node::Repeat { inner, least, most: *most, greedy: *greedy })
            }
            (_, 0) => Part::nothing_known(),
            (part, _) => part,
        },
    }
}

/// What is looked for behind the beginning of the pattern, if that is always as many bytes.
fn before(node: &Node, mode: Mode) -> Option<(Node, usize)> {
    match node {
        Node::Around { behind: true, negated: false, inner } => {
            let Part { node, whole } = part_of(inner, false);
            let size = size_of(&node, mode).filter(|_| whole)?;
            Some((node, size))
        }
        Node::Group { inner, .. } | Node::Atomic(inner) => before(inner, mode),
        Node::Concat(all) => before(all.first()?, mode),
        _ => None,
    }
}

/// How many bytes each match of it has, if all have as many.
fn size_of(node: &Node, mode: Mode) -> Option<usize> {
    match node {
        Node::Empty | Node::Look(_) => Some(0),
        Node::Char { char, ignore_case: false } => Some(char.len_utf8()),
        Node::Char { char, ignore_case: true } => {
            char.is_ascii().then_some(1).filter(|_| mode == Mode::Bytes)
        }
        Node::Class { .. } | Node::Any { .. } if mode == Mode::Bytes => Some(1),
        Node::Class { class, ignore_case } => {
            let set = set_of_class(class, *ignore_case, mode);
            let ascii = set.ranges().last().is_some_and(|range| range.end().is_ascii());
            ascii.then_some(1)
        }
        Node::Group { inner, .. } => size_of(inner, mode),
        Node::Concat(all) => all.iter().map(|node| size_of(node, mode)).sum(),
        Node::Either(all) => {
            let mut sizes = all.iter().map(|node| size_of(node, mode));
            let first = sizes.next()??;
            sizes.all(|size| size == Some(first)).then_some(first)
        }
        Node::Repeat { inner, least, most, .. } if *most == Some(*least) => {
            Some(size_of(inner, mode)? * *least as usize)
        }
        _ => None,
    }
}
