//! Mutable literals: array literals whose arrays are changed later are lists from the start. An array literal is a
//! tuple otherwise, its items side by side in registers, and what is a tuple can never change.
//!
//! The rule goes by what is written: a local variable that a changing method is called on, or whose items are assigned
//! to, makes lists of the literals assigned to it, and of those in them where the change goes deeper. What this rule
//! does not see, such as a change in another method, the walk finds: then the literals that make arrays of that type
//! are lists in the next walk (`grow_literals`).

use crate::syntax::ast::{AssignOp, BlockArg, Call, Code, Kind, LocalId, Node, NodeId, Target};
use crate::syntax::walk::each_node;
use rustc_hash::FxHashSet;

const CHANGING: [&str; 31] = [
    "<<",
    "push",
    "append",
    "pop",
    "shift",
    "unshift",
    "prepend",
    "concat",
    "clear",
    "fill",
    "map!",
    "collect!",
    "[]=",
    "delete_at",
    "sort!",
    "sort_by!",
    "reverse!",
    "rotate!",
    "select!",
    "keep_if",
    "reject!",
    "delete_if",
    "uniq!",
    "compact!",
    "delete",
    "filter!",
    "flatten!",
    "insert",
    "replace",
    "shuffle!",
    "slice!",
];

#[derive(Default)]
struct Changed {
    locals: FxHashSet<LocalId>,
    /// Arrays in the arrays of these are changed.
    deep: FxHashSet<LocalId>,
}

/// The array literals of a code that are lists.
pub(super) fn mutable_literals(code: &Code) -> FxHashSet<NodeId> {
    let mut changed = Changed::default();
    each_node(code, &mut |node| match &node.kind {
        Kind::Call(call) if CHANGING.contains(&call.name.as_str()) => {
            if let Some(receiver) = &call.receiver {
                changed.note(receiver);
            }
        }
        Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => changed.note_target(target),
        Kind::MultiAssign { targets, .. } => {
            targets.before.iter().chain(&targets.after).for_each(|target| changed.note_target(target));
        }
        _ => {}
    });
    // Another name for the same array.
    let mut aliases: Vec<(LocalId, LocalId)> = Vec::new();
    each_node(code, &mut |node| {
        if let Kind::Assign { target, value } = &node.kind
            && let (Target::Local(name, _), Kind::Local(of)) = (&**target, &value.kind)
        {
            aliases.push((*name, *of));
        }
    });
    while aliases.iter().any(|(name, of)| changed.alias(*name, *of)) {}
    let mut literals = FxHashSet::default();
    if changed.locals.is_empty() {
        return literals;
    }
    each_node(code, &mut |node| match &node.kind {
        Kind::Assign { target, value } | Kind::OpAssign { target, op: AssignOp::Or, value } => {
            changed.assigned(target, value, &mut literals);
        }
        Kind::MultiAssign { targets, value, .. } => {
            if let Kind::Array(items) = &value.kind {
                for (target, item) in targets.before.iter().zip(items) {
                    changed.assigned(target, item, &mut literals);
                }
            }
        }
        Kind::Call(call) => changed.folded(call, &mut literals),
        _ => {}
    });
    literals
}

impl Changed {
    fn note(&mut self, receiver: &Node) {
        let mut node = receiver;
        let mut depth = 0;
        loop {
            match &node.kind {
                Kind::Local(id) => {
                    self.locals.insert(*id);
                    if depth > 0 {
                        self.deep.insert(*id);
                    }
                    return;
                }
                Kind::Call(call) => {
                    // `stack << a << b` changes the stack itself.
                    depth += i32::from(call.name != "<<");
                    match &call.receiver {
                        Some(receiver) => node = receiver,
                        None => return,
                    }
                }
                _ => return,
            }
        }
    }

    /// True if something became known.
    fn alias(&mut self, name: LocalId, of: LocalId) -> bool {
        let changed = self.locals.contains(&name) && self.locals.insert(of);
        (self.deep.contains(&name) && self.deep.insert(of)) || changed
    }

    fn note_target(&mut self, target: &Target) {
        if let Target::Index { receiver, .. } = target {
            self.note(receiver);
        }
    }

    fn assigned(&self, target: &Target, value: &Node, literals: &mut FxHashSet<NodeId>) {
        if let Target::Local(id, _) = target
            && self.locals.contains(id)
        {
            mark(value, self.deep.contains(id), literals);
        }
    }

    /// `each_with_object([]) { |x, all| all << x }`, `inject([]) { |all, x| all << x }`.
    fn folded(&self, call: &Call, literals: &mut FxHashSet<NodeId>) {
        let (Some(first), Some(BlockArg::Literal(block))) = (call.args.first(), &call.block) else { return };
        let number = match call.name.as_str() {
            "each_with_object" | "with_object" => 1,
            "inject" | "reduce" => 0,
            _ => return,
        };
        if let Some(id) = block.params.required.get(number)
            && self.locals.contains(id)
        {
            mark(first, self.deep.contains(id), literals);
        }
    }
}

fn mark(value: &Node, deep: bool, literals: &mut FxHashSet<NodeId>) {
    match &value.kind {
        Kind::Array(items) => {
            literals.insert(value.id);
            if deep {
                items.iter().for_each(|item| mark(item, deep, literals));
            }
        }
        Kind::Assign { value, .. } => mark(value, deep, literals),
        Kind::If { then, otherwise, .. } => {
            mark(then, deep, literals);
            mark(otherwise, deep, literals);
        }
        Kind::Sequence(items) => {
            if let Some(last) = items.last() {
                mark(last, deep, literals);
            }
        }
        Kind::Begin(begin) => {
            let values = [Some(&begin.body), begin.otherwise.as_ref()];
            let rescues = begin.rescues.iter().map(|rescue| &rescue.body);
            values.into_iter().flatten().chain(rescues).for_each(|value| mark(value, deep, literals));
        }
        // [0] * 3, [] + xs
        Kind::Call(call) if matches!(call.name.as_str(), "*" | "+" | "-" | "|" | "&") => {
            if let Some(receiver) = &call.receiver {
                mark(receiver, deep, literals);
            }
        }
        // Array.new(3) { [] }, rows.map { [] }
        Kind::Call(call) if deep => {
            if let Some(BlockArg::Literal(block)) = &call.block {
                mark(&block.body, deep, literals);
            }
        }
        _ => {}
    }
}
