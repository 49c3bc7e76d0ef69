//! What a method does with the values that its block gives: with its answers. A parallel call over an `each` of the
//! user's goes through it before the block runs, when there are none yet.

use super::ast::{Begin, BlockArg, Call, Code, Kind, LocalId, Node};
use super::walk::{Part, each_node, each_part};
use std::collections::BTreeSet;

/// From the one that asks least of the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answers {
    /// Nobody looks at them: `yield` is a statement, or stands in a block of `each`.
    #[default]
    Ignored,
    /// One of them can be what the method itself gives.
    Given,
    /// The block is handed on to what is not known here.
    Unknown,
    /// Something is computed or decided by them.
    Used,
}

/// Methods that do not look at what their block gives, whatever class of Ruby's they are called on.
const INDIFFERENT: &[&str] = &[
    "each",
    "each_entry",
    "each_with_index",
    "with_index",
    "each_with_object",
    "with_object",
    "each_slice",
    "each_cons",
    "reverse_each",
    "cycle",
    "each_pair",
    "each_key",
    "each_value",
    "each_index",
    "each_char",
    "each_byte",
    "each_line",
    "each_codepoint",
    "each_grapheme_cluster",
    "times",
    "upto",
    "downto",
    "step",
    "combination",
    "permutation",
    "repeated_combination",
    "repeated_permutation",
    "product",
    "loop",
];

/// Such that do.
const CURIOUS: &[&str] = &[
    "map",
    "collect",
    "flat_map",
    "collect_concat",
    "filter_map",
    "select",
    "filter",
    "find_all",
    "reject",
    "partition",
    "find",
    "detect",
    "find_index",
    "index",
    "rindex",
    "any?",
    "all?",
    "none?",
    "one?",
    "count",
    "sum",
    "inject",
    "reduce",
    "group_by",
    "sort",
    "sort_by",
    "min",
    "max",
    "minmax",
    "min_by",
    "max_by",
    "minmax_by",
    "take_while",
    "drop_while",
    "uniq",
    "to_h",
    "to_set",
    "map!",
    "collect!",
    "select!",
    "filter!",
    "keep_if",
    "reject!",
    "delete_if",
    "bsearch",
    "chunk_while",
    "slice_when",
];

/// What a method does with what its block gives.
pub fn of(method: &Code) -> Answers {
    let mut walk = Walk { name: &method.name, block: method.params.block, ..Walk::default() };
    let defaults = method.params.optional.iter().map(|(_, node)| node);
    let keywords = method.params.keywords.iter().filter_map(|(.., node)| node.as_ref());
    defaults.chain(keywords).for_each(|node| walk.node(node, Answers::Used));
    walk.node(&method.body, Answers::Given);
    walk.found
}

/// The instance variables that it reads, with their `@`: also by a method of its own that is called as such a one is.
pub fn variables(method: &Code) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    each_node(method, &mut |node| match &node.kind {
        Kind::Ivar(name) => {
            names.insert(name.clone());
        }
        Kind::Call(call) if call.args.is_empty() => {
            if matches!(call.receiver, None | Some(Node { kind: Kind::SelfRef, .. })) {
                names.insert(format!("@{}", call.name));
            }
        }
        _ => {}
    });
    names
}

#[derive(Default)]
struct Walk<'a> {
    /// The method's, which `super` calls another one by.
    name: &'a str,
    block: Option<LocalId>,
    found: Answers,
    /// What becomes of the values of the blocks around, the innermost last.
    blocks: Vec<Answers>,
}

impl Walk<'_> {
    fn answer(&mut self, becomes: Answers) {
        self.found = self.found.max(becomes);
    }

    /// `becomes`: what is done with the value of the node.
    fn node(&mut self, node: &Node, becomes: Answers) {
        match &node.kind {
            Kind::Yield(arguments) => {
                self.answer(becomes);
                self.used(arguments);
            }
            Kind::Local(local) if Some(*local) == self.block => self.answer(Answers::Unknown),
            Kind::Unsupported(_) => self.answer(Answers::Unknown),
            Kind::Sequence(nodes) => {
                let (last, others) =
                    nodes.split_last().map_or((None, &nodes[..]), |(last, all)| (Some(last), all));
                others.iter().for_each(|node| self.node(node, Answers::Ignored));
                last.into_iter().for_each(|node| self.node(node, becomes));
            }
            Kind::If { condition, then, otherwise } => {
                self.condition(condition);
                self.node(then, becomes);
                self.node(otherwise, becomes);
            }
            Kind::And(left, right) | Kind::Or(left, right) => {
                self.condition(left);
                self.node(right, becomes);
            }
            Kind::Case { subject, whens, otherwise } => {
                subject.iter().for_each(|node| self.node(node, Answers::Used));
                for when in whens {
                    self.used(&when.patterns);
                    self.node(&when.body, becomes);
                }
                otherwise.iter().for_each(|node| self.node(node, becomes));
            }
            Kind::While { condition, body, .. } => {
                self.condition(condition);
                self.node(body, Answers::Ignored);
            }
            Kind::Begin(begin) => self.begin(begin, becomes),
            Kind::Return(Some(value)) => self.node(value, Answers::Given),
            Kind::Next(Some(value)) => {
                let becomes = self.blocks.last().copied().unwrap_or(Answers::Given);
                self.node(value, becomes);
            }
            Kind::Matching(_, inner) => self.node(inner, becomes),
            Kind::Super { args, block } => {
                self.used(args.as_deref().unwrap_or_default());
                match block {
                    Some(block) => self.block(self.name, block),
                    // It hands on the block that the method was given.
                    None => self.answer(becomes_in(self.name)),
                }
            }
            Kind::Call(call) => self.call(call, becomes),
            // What cannot give the value itself uses it.
            _ => each_part(node, &mut |part| match part {
                Part::Node(node) => self.node(node, Answers::Used),
                Part::Block(block) => self.body(&block.body, Answers::Unknown),
            }),
        }
    }

    fn used(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.node(node, Answers::Used));
    }

    /// `if block`: whether there is one.
    fn condition(&mut self, node: &Node) {
        match &node.kind {
            Kind::Local(local) if Some(*local) == self.block => {}
            Kind::Not(inner) => self.condition(inner),
            _ => self.node(node, Answers::Used),
        }
    }

    fn begin(&mut self, begin: &Begin, becomes: Answers) {
        let of_body = if begin.otherwise.is_some() { Answers::Ignored } else { becomes };
        self.node(&begin.body, of_body);
        begin.rescues.iter().for_each(|rescue| self.node(&rescue.body, becomes));
        begin.otherwise.iter().for_each(|node| self.node(node, becomes));
        begin.ensure.iter().for_each(|node| self.node(node, Answers::Ignored));
    }

    fn call(&mut self, call: &Call, becomes: Answers) {
        match &call.receiver {
            Some(Node { kind: Kind::Local(local), .. }) if Some(*local) == self.block => match &*call.name {
                "call" | "()" | "yield" | "===" | "[]" => self.answer(becomes),
                "nil?" | "arity" | "lambda?" | "parameters" => {}
                _ => self.answer(Answers::Unknown),
            },
            Some(receiver) => self.node(receiver, Answers::Used),
            None => {}
        }
        self.used(&call.args);
        if let Some(block) = &call.block {
            self.block(&call.name, block);
        }
    }

    /// A block that a method of this name is given.
    fn block(&mut self, name: &str, block: &BlockArg) {
        let becomes = becomes_in(name);
        match block {
            BlockArg::Literal(literal) => self.body(&literal.body, becomes),
            BlockArg::Symbol(..) => {}
            BlockArg::Expression(node) => match &node.kind {
                Kind::Local(local) if Some(*local) == self.block => self.answer(becomes),
                _ => self.node(node, Answers::Used),
            },
        }
    }

    fn body(&mut self, body: &Node, becomes: Answers) {
        self.blocks.push(becomes);
        self.node(body, becomes);
        self.blocks.pop();
    }
}

/// What becomes of the value of a block that a method of this name is given.
fn becomes_in(name: &str) -> Answers {
    match name {
        name if INDIFFERENT.contains(&name) => Answers::Ignored,
        name if CURIOUS.contains(&name) => Answers::Used,
        _ => Answers::Unknown,
    }
}
