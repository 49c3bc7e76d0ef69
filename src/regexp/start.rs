//! Where a match of a pattern that backtracks may begin, as a pattern that an automaton can do: it matches there, and maybe
//! elsewhere. What only backtracking can tell is left out of it, or ends it.

use super::machine::{Mode, set_of_class};
use super::syntax::{Node, nullable};

/// A match that begins somewhere has the node so many bytes before it.
pub struct Start {
    pub node: Node,
    pub before: usize,
}

/// `None`: it may begin anywhere.
pub fn start_of(node: &Node, mode: Mode) -> Option<Start> {
    let mut starts = Starts::default();
    let rest = starts.of(node, true).node;
    if nullable(&rest) {
        return None;
    }
    Some(match starts.before(node, mode) {
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

/// What is found where a pattern is gone through from the left.
#[derive(Default)]
struct Starts {
    /// What the groups whose ends were come to have matched.
    groups: Vec<(u32, Node)>,
}

impl Starts {
    /// `last`: nothing follows it in the pattern.
    fn of(&mut self, node: &Node, last: bool) -> Part {
        match node {
            Node::Empty | Node::Char { .. } | Node::Any { .. } | Node::Class { .. } | Node::Look(_) => {
                Part::whole(node.clone())
            }
            Node::Group { index, inner } => {
                let Part { node, whole } = self.of(inner, last);
                if let (Some(index), true) = (index, whole) {
                    self.groups.push((*index, anywhere(&node)));
                }
                Part { node: Node::Group { index: None, inner: Box::new(node) }, whole }
            }
            Node::Atomic(inner) => self.of(inner, last),
            Node::Around { behind: false, negated: false, inner } if last => {
                Part { whole: false, ..self.of(inner, true) }
            }
            Node::Around { .. } => Part::whole(Node::Empty),
            // A group that has matched nothing fails, which is within the bounds.
            Node::Again(number) => match self.groups.iter().find(|(index, _)| index == number) {
                Some((_, node)) => Part::whole(node.clone()),
                None => Part::nothing_known(),
            },
            Node::Concat(all) => {
                let mut parts = Vec::with_capacity(all.len());
                for (number, node) in all.iter().enumerate() {
                    let Part { node, whole } = self.of(node, last && number + 1 == all.len());
                    parts.push(node);
                    if !whole {
                        return Part { node: Node::Concat(parts), whole };
                    }
                }
                Part::whole(Node::Concat(parts))
            }
            Node::Either(all) => {
                let all: Vec<_> = all.iter().map(|node| self.of(node, last)).collect();
                let whole = all.iter().all(|part| part.whole);
                Part { node: Node::Either(all.into_iter().map(|part| part.node).collect()), whole }
            }
            Node::Repeat { inner, least, most, greedy } => match (self.of(inner, false), *least) {
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
    fn before(&mut self, node: &Node, mode: Mode) -> Option<(Node, usize)> {
        match node {
            Node::Around { behind: true, negated: false, inner } => {
                let Part { node, whole } = self.of(inner, false);
                let size = size_of(&node, mode).filter(|_| whole)?;
                Some((node, size))
            }
            Node::Group { inner, .. } | Node::Atomic(inner) => self.before(inner, mode),
            Node::Concat(all) => self.before(all.first()?, mode),
            _ => None,
        }
    }
}

/// Without what looks around where it stands.
fn anywhere(node: &Node) -> Node {
    let all = |all: &[Node]| all.iter().map(anywhere).collect();
    match node {
        Node::Look(_) => Node::Empty,
        Node::Group { index, inner } => Node::Group { index: *index, inner: Box::new(anywhere(inner)) },
        Node::Concat(parts) => Node::Concat(all(parts)),
        Node::Either(parts) => Node::Either(all(parts)),
        Node::Repeat { inner, least, most, greedy } => {
            Node::Repeat { inner: Box::new(anywhere(inner)), least: *least, most: *most, greedy: *greedy }
        }
        node => node.clone(),
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
