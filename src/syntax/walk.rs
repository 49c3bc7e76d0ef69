//! Walking over the AST.

use super::ast::{
    BlockArg, BlockLiteral, Call, Code, KeywordArg, Kind, LocalId, Multiple, Node, Params, Pattern,
    PatternKind, StringPart, Target,
};

/// Calls `visit` for every node of a code, each before those in it; defaults of parameters included.
pub fn each_node<'a>(code: &'a Code, visit: &mut dyn FnMut(&'a Node)) {
    in_params(&code.params, visit);
    each_node_in(&code.body, visit);
}

/// Calls `visit` for a node and every node in it, blocks included.
pub fn each_node_in<'a>(node: &'a Node, visit: &mut dyn FnMut(&'a Node)) {
    visit(node);
    each_part(node, &mut |part| match part {
        Part::Node(node) => each_node_in(node, visit),
        Part::Block(block) => {
            in_params(&block.params, visit);
            each_node_in(&block.body, visit);
        }
    });
}

fn in_params<'a>(params: &'a Params, visit: &mut dyn FnMut(&'a Node)) {
    each_part_of_params(params, &mut |part| match part {
        Part::Node(node) => each_node_in(node, visit),
        Part::Block(_) => {}
    });
}

/// What a node is made of.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    Node(&'a Node),
    /// A block literal or lambda, whose locals are its own.
    Block(&'a BlockLiteral),
}

/// Takes the parts of a node.
pub type Parts<'v, 'a> = &'v mut dyn FnMut(Part<'a>);

/// Calls `visit` for what stands right within a node, in the order in which Ruby evaluates it.
pub fn each_part<'a>(node: &'a Node, visit: Parts<'_, 'a>) {
    match &node.kind {
        Kind::Unsupported(_)
        | Kind::Nil
        | Kind::True
        | Kind::False
        | Kind::SelfRef
        | Kind::Integer(_)
        | Kind::Float(_)
        | Kind::Symbol(_)
        | Kind::Regexp(..)
        | Kind::Local(_)
        | Kind::Captured(_)
        | Kind::Ivar(_)
        | Kind::Global(_)
        | Kind::ClassVariable(_)
        | Kind::Retry
        | Kind::Constant { .. } => {}
        Kind::String(parts) => {
            for part in parts {
                if let StringPart::Expression(node) = part {
                    visit(Part::Node(node));
                }
            }
        }
        Kind::Array(nodes) | Kind::Yield(nodes) | Kind::Sequence(nodes) => in_list(nodes, visit),
        Kind::Range { low, high, .. } => {
            in_option(low.as_deref(), visit);
            in_option(high.as_deref(), visit);
        }
        Kind::Splat(node)
        | Kind::Not(node)
        | Kind::Matching(_, node)
        | Kind::ConstantOf { module: node, .. } => visit(Part::Node(node)),
        Kind::Defined { asked, .. } => in_option(asked.as_deref(), visit),
        Kind::KeywordArgs(pairs) => {
            for KeywordArg::Pair(_, node) | KeywordArg::Splat(node) in pairs {
                visit(Part::Node(node));
            }
        }
        Kind::Assign { target, value } | Kind::OpAssign { target, value, .. } => {
            in_target(target, visit);
            visit(Part::Node(value));
        }
        Kind::MultiAssign { targets, value, .. } => {
            in_multiple(targets, visit);
            visit(Part::Node(value));
        }
        Kind::And(left, right) | Kind::Or(left, right) => {
            visit(Part::Node(left));
            visit(Part::Node(right));
        }
        Kind::If { condition, then, otherwise } => {
            visit(Part::Node(condition));
            visit(Part::Node(then));
            visit(Part::Node(otherwise));
        }
        Kind::Case { subject, whens, otherwise } => {
            in_option(subject.as_deref(), visit);
            for when in whens {
                in_list(&when.patterns, visit);
                visit(Part::Node(&when.body));
            }
            in_option(otherwise.as_deref(), visit);
        }
        Kind::CaseIn { subject, clauses, otherwise } => {
            visit(Part::Node(subject));
            for clause in clauses {
                each_part_of_pattern(&clause.pattern, visit);
                in_option(clause.guard.as_ref(), visit);
                visit(Part::Node(&clause.body));
            }
            in_option(otherwise.as_deref(), visit);
        }
        Kind::Matches { value, pattern } => {
            visit(Part::Node(value));
            each_part_of_pattern(pattern, visit);
        }
        Kind::While { condition, body, .. } => {
            visit(Part::Node(condition));
            visit(Part::Node(body));
        }
        Kind::Begin(begin) => {
            visit(Part::Node(&begin.body));
            for rescue in &begin.rescues {
                in_list(&rescue.classes, visit);
                visit(Part::Node(&rescue.body));
            }
            in_option(begin.otherwise.as_ref(), visit);
            in_option(begin.ensure.as_ref(), visit);
        }
        Kind::Break(value) | Kind::Next(value) | Kind::Return(value) => in_option(value.as_deref(), visit),
        Kind::Sync(sync) => in_list(&sync.read, visit),
        Kind::Super { args, block } => {
            in_list(args.as_deref().unwrap_or_default(), visit);
            in_block_arg(block.as_ref(), visit);
        }
        Kind::Call(call) => {
            let Call { receiver, args, block, .. } = &**call;
            in_option(receiver.as_ref(), visit);
            in_list(args, visit);
            in_block_arg(block.as_ref(), visit);
        }
        Kind::Lambda(block) => visit(Part::Block(block)),
    }
}

fn in_list<'a>(nodes: &'a [Node], visit: Parts<'_, 'a>) {
    for node in nodes {
        visit(Part::Node(node));
    }
}

fn in_option<'a>(node: Option<&'a Node>, visit: Parts<'_, 'a>) {
    if let Some(node) = node {
        visit(Part::Node(node));
    }
}

fn in_block_arg<'a>(block: Option<&'a BlockArg>, visit: Parts<'_, 'a>) {
    match block {
        None | Some(BlockArg::Symbol(..)) => {}
        Some(BlockArg::Expression(node)) => visit(Part::Node(node)),
        Some(BlockArg::Literal(block)) => visit(Part::Block(block)),
    }
}

/// Calls `visit` for what stands right within a list of parameters.
pub fn each_part_of_params<'a>(params: &'a Params, visit: Parts<'_, 'a>) {
    for (_, multiple) in &params.destructured {
        in_multiple(multiple, visit);
    }
    for (_, default) in &params.optional {
        visit(Part::Node(default));
    }
    for (_, _, default) in &params.keywords {
        in_option(default.as_ref(), visit);
    }
}

fn in_target<'a>(target: &'a Target, visit: Parts<'_, 'a>) {
    match target {
        Target::Local(..)
        | Target::Captured(..)
        | Target::Ivar(..)
        | Target::Global(..)
        | Target::ClassVariable(..) => {}
        Target::Index { receiver, args, .. } => {
            visit(Part::Node(receiver));
            in_list(args, visit);
        }
        Target::Attribute { receiver, .. } => visit(Part::Node(receiver)),
        Target::Multiple(multiple, _) => in_multiple(multiple, visit),
    }
}

/// Calls `visit` for what stands right within a pattern.
pub fn each_part_of_pattern<'a>(pattern: &'a Pattern, visit: Parts<'_, 'a>) {
    match &pattern.kind {
        PatternKind::Value(node) => visit(Part::Node(node)),
        PatternKind::Bind(target) => in_target(target, visit),
        PatternKind::Capture(inner, target) => {
            each_part_of_pattern(inner, visit);
            in_target(target, visit);
        }
        PatternKind::Either(left, right) => {
            each_part_of_pattern(left, visit);
            each_part_of_pattern(right, visit);
        }
        PatternKind::Hash { constant, pairs, rest, .. } => {
            in_option(constant.as_ref(), visit);
            pairs.iter().for_each(|(_, pattern)| each_part_of_pattern(pattern, visit));
            rest.iter().for_each(|target| in_target(target, visit));
        }
        PatternKind::Find { constant, before, middle, after } => {
            in_option(constant.as_ref(), visit);
            middle.iter().for_each(|pattern| each_part_of_pattern(pattern, visit));
            before.iter().chain(after).for_each(|target| in_target(target, visit));
        }
        PatternKind::Array { constant, before, rest, after } => {
            in_option(constant.as_ref(), visit);
            before.iter().for_each(|pattern| each_part_of_pattern(pattern, visit));
            rest.iter().flatten().for_each(|target| in_target(target, visit));
            after.iter().for_each(|pattern| each_part_of_pattern(pattern, visit));
        }
    }
}

fn in_multiple<'a>(multiple: &'a Multiple, visit: Parts<'_, 'a>) {
    let splat = multiple.splat.iter().flatten();
    for target in multiple.before.iter().chain(splat).chain(&multiple.after) {
        in_target(target, visit);
    }
}

/// Calls `visit` for every local variable that is read in a node or assigned to, blocks included but for their
/// parameters.
pub fn each_local_in(node: &Node, visit: &mut dyn FnMut(LocalId)) {
    each_node_in(node, &mut |node| match &node.kind {
        Kind::Local(id) => visit(*id),
        kind => assigned_by(kind, visit),
    });
}

/// Calls `visit` for the local variables that a node itself assigns to.
pub fn assigned_by(kind: &Kind, visit: &mut dyn FnMut(LocalId)) {
    match kind {
        Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => {
            locals_of_target(target, visit);
        }
        Kind::MultiAssign { targets, .. } => locals_of_multiple(targets, visit),
        Kind::CaseIn { clauses, .. } => {
            clauses.iter().for_each(|clause| locals_of_pattern(&clause.pattern, visit));
        }
        Kind::Matches { pattern, .. } => locals_of_pattern(pattern, visit),
        Kind::Sync(sync) => sync.written.iter().for_each(|local| visit(*local)),
        Kind::Matching(last, _) => visit(*last),
        _ => {}
    }
}

fn locals_of_target(target: &Target, visit: &mut dyn FnMut(LocalId)) {
    match target {
        Target::Local(id, _) => visit(*id),
        Target::Multiple(multiple, _) => locals_of_multiple(multiple, visit),
        Target::Captured(..)
        | Target::Ivar(..)
        | Target::Global(..)
        | Target::ClassVariable(..)
        | Target::Index { .. }
        | Target::Attribute { .. } => {}
    }
}

/// Calls `visit` for the local variables that a multiple assignment assigns to.
pub fn locals_of_multiple(targets: &Multiple, visit: &mut dyn FnMut(LocalId)) {
    let splat = targets.splat.iter().flatten();
    for target in targets.before.iter().chain(splat).chain(&targets.after) {
        locals_of_target(target, visit);
    }
}

/// Calls `visit` for the local variables that a pattern gives a value.
pub fn locals_of_pattern(pattern: &Pattern, visit: &mut dyn FnMut(LocalId)) {
    match &pattern.kind {
        PatternKind::Value(_) => {}
        PatternKind::Bind(target) => locals_of_target(target, visit),
        PatternKind::Capture(inner, target) => {
            locals_of_pattern(inner, visit);
            locals_of_target(target, visit);
        }
        PatternKind::Either(left, right) => {
            locals_of_pattern(left, visit);
            locals_of_pattern(right, visit);
        }
        PatternKind::Hash { pairs, rest, .. } => {
            pairs.iter().for_each(|(_, pattern)| locals_of_pattern(pattern, visit));
            rest.iter().for_each(|target| locals_of_target(target, visit));
        }
        PatternKind::Find { before, middle, after, .. } => {
            middle.iter().for_each(|pattern| locals_of_pattern(pattern, visit));
            before.iter().chain(after).for_each(|target| locals_of_target(target, visit));
        }
        PatternKind::Array { before, rest, after, .. } => {
            before.iter().chain(after).for_each(|pattern| locals_of_pattern(pattern, visit));
            rest.iter().flatten().for_each(|target| locals_of_target(target, visit));
        }
    }
}
