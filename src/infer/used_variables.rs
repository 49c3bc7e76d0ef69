//! What a block uses of the code around it: variables, the block of the method that it stands in.

use super::Activation;
use crate::syntax::ast::{BlockArg, BlockLiteral, Kind, LocalId, Multiple, Node, Target};
use crate::syntax::walk::{assigned_by, each_local_in, each_node_in};
use rustc_hash::FxHashSet;

/// The variables of its frame that a block uses.
pub(super) fn used_by(literal: &BlockLiteral, own_block: Option<LocalId>) -> FxHashSet<LocalId> {
    let own = own_of(literal);
    locals_of(literal).into_iter().filter(|local| !own.contains(local) && Some(*local) != own_block).collect()
}

/// The locals of a block and of those in it.
fn own_of(literal: &BlockLiteral) -> FxHashSet<LocalId> {
    let mut own: FxHashSet<LocalId> = literal.own_locals.iter().copied().collect();
    each_node_in(&literal.body, &mut |node| match &node.kind {
        Kind::Lambda(inner) | Kind::Super { block: Some(BlockArg::Literal(inner)), .. } => {
            own.extend(&inner.own_locals)
        }
        Kind::Call(call) => {
            if let Some(BlockArg::Literal(inner)) = &call.block {
                own.extend(&inner.own_locals);
            }
        }
        _ => {}
    });
    own
}

pub(super) fn assigned_in(literal: &BlockLiteral) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    each_node_in(&literal.body, &mut |node| {
        assigned_by(&node.kind, &mut |local| {
            found.insert(local);
        });
    });
    found
}

/// Does a block call that of the method which it stands in, or look whether there is one?
pub(super) fn calls_outer(literal: &BlockLiteral, own_block: Option<LocalId>) -> bool {
    let mut found = own_block.is_some_and(|local| locals_of(literal).contains(&local));
    each_node_in(&literal.body, &mut |node| {
        found |= match &node.kind {
            Kind::Yield(_) | Kind::Super { .. } => true,
            Kind::Call(call) => call.receiver.is_none() && call.name == "block_given?",
            _ => false,
        };
    });
    found
}

/// Does a block do nothing but hand its parameters on to that of the method which it stands in?
pub(super) fn hands_on(literal: &BlockLiteral, own_block: Option<LocalId>) -> bool {
    let params = &literal.params;
    let plain = params.is_plain()
        && params.destructured.is_empty()
        && !params.trailing_comma
        && !params.required.is_empty();
    let is_parameters = |args: &[Node]| {
        args.len() == params.required.len()
            && args
                .iter()
                .zip(&params.required)
                .all(|(arg, local)| matches!(&arg.kind, Kind::Local(id) if id == local))
    };
    plain
        && match &only(&literal.body).kind {
            Kind::Yield(args) => is_parameters(args),
            Kind::Call(call) => {
                let on_block = call.receiver.as_ref().is_some_and(
                    |receiver| matches!(&receiver.kind, Kind::Local(id) if Some(*id) == own_block),
                );
                on_block && call.name == "call" && call.block.is_none() && is_parameters(&call.args)
            }
            _ => false,
        }
}

/// The statement of a body that has one.
fn only(body: &Node) -> &Node {
    match &body.kind {
        Kind::Sequence(all) if all.len() == 1 => only(&all[0]),
        _ => body,
    }
}

pub(super) fn is_captured(target: &Target) -> bool {
    match target {
        Target::Captured(..) => true,
        Target::Multiple(multiple, _) => holds_captured(multiple),
        _ => false,
    }
}

pub(super) fn holds_captured(targets: &Multiple) -> bool {
    let splat = targets.splat.iter().flatten();
    targets.before.iter().chain(splat).chain(&targets.after).any(is_captured)
}

/// The locals of blocks around it that a block uses, and whose they are.
pub(super) fn used_of(blocks: &[Activation], literal: &BlockLiteral) -> Vec<(u32, LocalId)> {
    let mut used: Vec<LocalId> = locals_of(literal).into_iter().collect();
    used.sort_unstable();
    let owner = |local: &LocalId| blocks.iter().rev().find(|a| a.has(*local));
    used.iter().filter_map(|local| Some((owner(local)?.number, *local))).collect()
}

/// The local variables that a block reads or assigns to.
pub(super) fn locals_of(literal: &BlockLiteral) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    let mut note = |id| {
        found.insert(id);
    };
    each_local_in(&literal.body, &mut note);
    let optional = literal.params.optional.iter().map(|(_, default)| default);
    let keywords = literal.params.keywords.iter().filter_map(|(_, _, default)| default.as_ref());
    optional.chain(keywords).for_each(|default| each_local_in(default, &mut note));
    found
}

/// Does a block ask for `self`, or call it?
/// Does it use variables around the section, or those of classes?
pub(super) fn uses_captured(literal: &BlockLiteral) -> bool {
    let mut found = false;
    each_node_in(&literal.body, &mut |node| {
        found |= match &node.kind {
            Kind::Captured(_) | Kind::ClassVariable(_) => true,
            Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => {
                matches!(**target, Target::Captured(..) | Target::ClassVariable(..))
            }
            _ => false,
        };
    });
    found
}

pub(super) fn uses_self(literal: &BlockLiteral) -> bool {
    let mut found = false;
    let is_of_self = |target: &Target| matches!(target, Target::Ivar(..));
    each_node_in(&literal.body, &mut |node| {
        found |= match &node.kind {
            Kind::SelfRef | Kind::Ivar(_) => true,
            Kind::Call(call) => call.receiver.is_none(),
            Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => is_of_self(target),
            Kind::MultiAssign { .. } => true,
            _ => false,
        };
    });
    let optional = literal.params.optional.iter().map(|(_, default)| default);
    let keywords = literal.params.keywords.iter().filter_map(|(_, _, default)| default.as_ref());
    found || optional.chain(keywords).next().is_some()
}

/// Looks through a body for control flow of its own: what stands in nested blocks (and loops) is theirs.
fn has_own(body: &Node, found: fn(&Kind) -> bool) -> bool {
    let (mut hits, mut inner) = (Vec::new(), Vec::new());
    each_node_in(body, &mut |node| match &node.kind {
        Kind::While { .. } => inner.push(node.span),
        Kind::Lambda(literal) => inner.push(literal.span),
        Kind::Super { block: Some(BlockArg::Literal(literal)), .. } => inner.push(literal.span),
        Kind::Call(call) => {
            if let Some(BlockArg::Literal(literal)) = &call.block {
                inner.push(literal.span);
            }
        }
        kind if found(kind) => hits.push(node.span),
        _ => {}
    });
    hits.iter().any(|hit| !inner.iter().any(|i| i.start <= hit.start && hit.end <= i.end))
}

pub(super) fn has_return(body: &Node) -> bool {
    let mut found = false;
    each_node_in(body, &mut |node| found |= matches!(node.kind, Kind::Return(_)));
    found
}

pub(super) fn has_next(body: &Node) -> bool {
    has_own(body, |kind| matches!(kind, Kind::Next(_)))
}

pub(super) fn has_break(body: &Node) -> bool {
    has_own(body, |kind| matches!(kind, Kind::Break(_)))
}
