//! What a block uses of the code around it: variables, the block of the method that it stands in.

use super::blocks::locals_of;
use crate::syntax::ast::{BlockArg, BlockLiteral, Kind, LocalId, Multiple, Node, Target};
use crate::syntax::walk::{assigned_by, each_node_in};
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
