//! `Ikra.sync { … }` in the code around parallel calls: its block is Ruby's and stays text. What is known of it is which
//! variables it uses.

use super::refusals;
use super::{Lowering, text};
use crate::source::Span;
use crate::syntax::ast::{Kind, LocalId, Node, Plain, Sync};
use crate::syntax::descend::descend;
use ruby_prism::{self as prism, Node as P, Visit};

/// A name in the block that belongs to a scope around it: so many levels out of it.
struct Outer {
    name: String,
    depth: u32,
    is_written: bool,
    /// What is assigned.
    given: Option<Plain>,
    span: Span,
}

/// Looks through the block for variables of the scopes around it.
struct Finder<'l, 's> {
    lowering: &'l Lowering<'s>,
    /// Scopes between the block (itself included) and the present node.
    inside: u32,
    found: Vec<Outer>,
    /// Lambdas, `begin`s, and blocks and loops between the block and the present node: what `return`, `retry` and `redo`
    /// there belong to.
    lambdas: u32,
    rescues: u32,
    rounds: u32,
    /// `return`, `yield` and the like, which mean the method around.
    leaves: Option<Span>,
}

impl<'pr> Finder<'_, '_> {
    fn name(
        &mut self,
        name: &prism::ConstantId<'_>,
        depth: u32,
        (is_written, given): (bool, Option<Plain>),
        location: &prism::Location<'_>,
    ) {
        if let Some(depth) = depth.checked_sub(self.inside) {
            let span = self.lowering.span(location);
            self.found.push(Outer { name: text(name), depth, is_written, given, span });
        }
    }

    fn within(&mut self, node: &P<'pr>) {
        self.inside += 1;
        descend(self, node);
        self.inside -= 1;
    }
}

impl<'pr> Visit<'pr> for Finder<'_, '_> {
    fn visit(&mut self, node: &P<'pr>) {
        let given = given_by(node);
        macro_rules! names {
            ($($variant:ident $cast:ident $is_written:literal)*) => {
                match node {
                    $(P::$variant { .. } => {
                        if let Some(node) = node.$cast() {
                            self.name(&node.name(), node.depth(), ($is_written, given), &node.location());
                        }
                    })*
                    _ => {}
                }
            };
        }
        names! {
            LocalVariableReadNode as_local_variable_read_node false
            LocalVariableWriteNode as_local_variable_write_node true
            LocalVariableOperatorWriteNode as_local_variable_operator_write_node true
            LocalVariableAndWriteNode as_local_variable_and_write_node true
            LocalVariableOrWriteNode as_local_variable_or_write_node true
            LocalVariableTargetNode as_local_variable_target_node true
        }
        match node {
            // Scopes of their own, which see none of these.
            P::DefNode { .. } | P::ClassNode { .. } | P::ModuleNode { .. } | P::SingletonClassNode { .. } => {
            }
            P::BlockNode { .. } => {
                self.rounds += 1;
                self.within(node);
                self.rounds -= 1;
            }
            P::LambdaNode { .. } => {
                self.lambdas += 1;
                self.within(node);
                self.lambdas -= 1;
            }
            P::CallNode { .. } if is_lambda(node) => {
                self.lambdas += 1;
                descend(self, node);
                self.lambdas -= 1;
            }
            P::WhileNode { .. } | P::UntilNode { .. } | P::ForNode { .. } => {
                self.rounds += 1;
                descend(self, node);
                self.rounds -= 1;
            }
            // Where else than behind `rescue` a `retry` stands, Ruby does not take it.
            P::BeginNode { .. } => {
                self.rescues += 1;
                descend(self, node);
                self.rescues -= 1;
            }
            _ => {
                let leaves = match node {
                    P::ReturnNode { .. } => self.lambdas == 0,
                    P::RedoNode { .. } => self.lambdas + self.rounds == 0,
                    P::RetryNode { .. } => self.rescues == 0,
                    P::YieldNode { .. } | P::SuperNode { .. } | P::ForwardingSuperNode { .. } => true,
                    _ => false,
                };
                if leaves {
                    self.leaves.get_or_insert(self.lowering.span(&node.location()));
                }
                descend(self, node);
            }
        }
    }
}

/// What an assignment gives, if that stands there. A number times a Float is a Float.
fn given_by(node: &P<'_>) -> Option<Plain> {
    if let Some(write) = node.as_local_variable_operator_write_node() {
        return plain(&write.value()).filter(|plain| *plain == Plain::Float);
    }
    let write = node.as_local_variable_write_node().map(|write| write.value());
    plain(&write.or_else(|| Some(node.as_local_variable_or_write_node()?.value()))?)
}

fn plain(node: &P<'_>) -> Option<Plain> {
    Some(match node {
        P::NilNode { .. } => Plain::Nil,
        P::TrueNode { .. } | P::FalseNode { .. } => Plain::Bool,
        P::IntegerNode { .. } => Plain::Integer,
        P::FloatNode { .. } => Plain::Float,
        _ => return None,
    })
}

/// Is it `lambda { … }`?
fn is_lambda(node: &P<'_>) -> bool {
    node.as_call_node().is_some_and(|call| call.receiver().is_none() && call.name().as_slice() == b"lambda")
}

/// Is it `Ikra.sync` with a block of its own?
pub(super) fn is_sync(call: &prism::CallNode<'_>) -> bool {
    let is_ikra = |receiver: P<'_>| match receiver {
        P::ConstantReadNode { .. } => {
            receiver.as_constant_read_node().is_some_and(|constant| text(&constant.name()) == "Ikra")
        }
        P::ConstantPathNode { .. } => receiver.as_constant_path_node().is_some_and(|path| {
            path.parent().is_none() && path.name().is_some_and(|name| text(&name) == "Ikra")
        }),
        _ => false,
    };
    let block = call.block().and_then(|block| block.as_block_node());
    let has_block = block.is_some_and(|block| block.parameters().is_none());
    text(&call.name()) == "sync"
        && has_block
        && call.arguments().is_none()
        && call.receiver().is_some_and(is_ikra)
}

impl Lowering<'_> {
    /// What only such blocks know of a variable around the section is of no concern to it.
    pub(super) fn note_assigned_by_syncs(&mut self) {
        for (name, span) in std::mem::take(&mut self.assigned_by_syncs) {
            let is_used = self.captured_reads.contains(&name)
                || self.captured_writes.iter().any(|(known, _)| *known == name);
            if is_used {
                self.captured_writes.push((name, span));
            }
        }
    }

    pub(super) fn sync(&mut self, call: &prism::CallNode<'_>) -> Node {
        let span = self.span(&call.location());
        let Some(block) = call.block().and_then(|block| block.as_block_node()) else {
            return self.node(span, Kind::Nil);
        };
        let mut finder = Finder {
            lowering: self,
            inside: 1,
            found: Vec::new(),
            lambdas: 0,
            rescues: 0,
            rounds: 0,
            leaves: None,
        };
        if let Some(body) = block.body() {
            finder.visit(&body);
        }
        let Finder { found, leaves, .. } = finder;
        if let Some(span) = leaves {
            return self.unsupported(&refusals::SYNC_LEAVES, span);
        }
        let (mut read, mut written): (Vec<LocalId>, Vec<LocalId>) = (Vec::new(), Vec::new());
        let mut all_given = Vec::new();
        for Outer { name, depth, is_written, given, span } in found {
            match self.local(&name, depth) {
                Some(local) => {
                    if !read.contains(&local) {
                        read.push(local);
                    }
                    if is_written && !written.contains(&local) {
                        written.push(local);
                    }
                    all_given.extend(given.map(|given| (local, given)));
                }
                None if is_written => self.assigned_by_syncs.push((name, span)),
                None => {}
            }
        }
        let read = read.into_iter().map(|local| self.node(span, Kind::Local(local))).collect();
        let (opening, closing) = (self.span(&block.opening_loc()), self.span(&block.closing_loc()));
        let text = Span { start: opening.end, end: closing.start, ..span };
        self.node(span, Kind::Sync(Box::new(Sync { text, read, written, given: all_given })))
    }
}
