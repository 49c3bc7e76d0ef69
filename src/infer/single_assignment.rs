//! Single assignment: which locals never change once a lambda has been made that uses them: those it can take along by
//! value. The others live where their block has them, and go with it.

use crate::source::Span;
use crate::syntax::ast::{BlockArg, BlockLiteral, Code, Kind, LocalId, Node, Params};
use crate::syntax::walk::{assigned_by, each_node, locals_of_multiple};
use rustc_hash::{FxHashMap, FxHashSet};

/// Locals that are bound at most once in a run of their block or method, and the assignment that does (none for parameters).
pub(super) type SingleAssignment = FxHashMap<LocalId, Option<Span>>;

/// The single-assignment locals of a code and of all blocks in it.
pub(super) fn single_assignment_locals(code: &Code) -> SingleAssignment {
    let mut blocks: Vec<&BlockLiteral> = Vec::new();
    // What can run several times, or at another time than where it stands.
    let mut repeated: Vec<Span> = Vec::new();
    let mut assignments: FxHashMap<LocalId, Vec<Span>> = FxHashMap::default();
    each_node(code, &mut |node: &Node| {
        assigned_by(&node.kind, &mut |local| assignments.entry(local).or_default().push(node.span));
        match &node.kind {
            Kind::While { .. } => repeated.push(node.span),
            Kind::Lambda(block) | Kind::Super { block: Some(BlockArg::Literal(block)), .. } => {
                blocks.push(block)
            }
            Kind::Call(call) => {
                if let Some(BlockArg::Literal(block)) = &call.block {
                    blocks.push(block);
                }
            }
            _ => {}
        }
    });
    repeated.extend(blocks.iter().map(|block| block.span));
    let contains = |outer: Span, inner: Span| outer.start <= inner.start && inner.end <= outer.end;
    let of_blocks: FxHashSet<LocalId> = blocks.iter().flat_map(|block| &block.own_locals).copied().collect();
    let all = (0..code.locals.len() as u32).map(LocalId);
    let own: Vec<LocalId> = all.filter(|local| !of_blocks.contains(local)).collect();
    let scopes = blocks.iter().map(|block| (&block.params, &block.own_locals, block.span));
    let mut single = SingleAssignment::default();
    for (params, own_locals, span) in scopes.chain([(&code.params, &own, code.span)]) {
        let bound = of_params(params);
        let taken_apart = taken_apart(params);
        let has_defaults = !params.optional.is_empty() || !params.keywords.is_empty();
        for local in own_locals {
            match assignments.get(local).map_or(&[][..], Vec::as_slice) {
                // A lambda in a default value comes before.
                [] if has_defaults && taken_apart.contains(local) => {}
                [] => {
                    single.insert(*local, None);
                }
                [at] if !bound.contains(local) => {
                    let within = |r: &&Span| **r != span && contains(span, **r) && contains(**r, *at);
                    if contains(span, *at) && !repeated.iter().any(|r| within(&r)) {
                        single.insert(*local, Some(*at));
                    }
                }
                _ => {}
            }
        }
    }
    single
}

fn of_params(params: &Params) -> FxHashSet<LocalId> {
    let mut found: FxHashSet<LocalId> = params.required.iter().chain(&params.post).copied().collect();
    found.extend(params.optional.iter().map(|(id, _)| *id));
    found.extend(params.rest);
    found.extend(params.keywords.iter().map(|(_, id, _)| *id));
    found.extend(params.keyword_rest);
    found.extend(params.keyword_hash);
    found.extend(params.block);
    found.extend(taken_apart(params));
    found
}

/// What `(a, b)` in a parameter list binds.
fn taken_apart(params: &Params) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    for (_, multiple) in &params.destructured {
        locals_of_multiple(multiple, &mut |local| {
            found.insert(local);
        });
    }
    found
}
