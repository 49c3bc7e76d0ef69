//! The two parts of a loop, once it is known what is serial.

use super::marks::Marks;
use super::{Fission, RECORD, Search, is_constant};
use crate::ir::{BinaryOp, Block, Label, Op, Stmt, Value, Var, walk};
use std::collections::BTreeSet;

/// The two parts being made.
pub(super) struct Parting<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) label: Label,
    pub(super) inside: BTreeSet<Value>,
    /// The labels of blocks in it.
    pub(super) blocks: BTreeSet<Label>,
    pub(super) counters: Vec<(Var, i64)>,
    pub(super) marks: Marks,
}

impl Parting<'_> {
    pub(super) fn made(self, body: &Block) -> Option<Fission> {
        let mut parallel = self.parallel(body, &mut 0);
        let mut serial = self.serial(body, false, &mut 0);
        let safe = |value: Value| self.is_next_count(body, value);
        drop_unused(&mut serial, &BTreeSet::new(), &safe);
        let stops = walk::any(&serial, &mut |stmt| match stmt {
            Stmt::Break(label) => !self.blocks.contains(label),
            Stmt::Let { op: Op::Binary(op, ..), .. } => may_overflow(*op),
            stmt => matches!(stmt, Stmt::Check { .. } | Stmt::Fail { .. } | Stmt::Return(_)),
        });
        let mut used = BTreeSet::new();
        walk::for_each(&serial, &mut |stmt| used.extend(looked_at(stmt)));
        let needed = used.into_iter().filter(|value| {
            let computed = self.search.ops.get(value).is_some_and(|op| !is_constant(op));
            self.inside.contains(value) && computed && !self.marks.values.contains(value)
        });
        let (counts, record): (Vec<Value>, Vec<Value>) = needed.partition(|value| self.is_count(*value));
        if record.len() > RECORD {
            return None;
        }
        let count = |value: Value| Stmt::Let { value, op: self.search.ops[&value].clone(), site: None };
        serial.splice(0..0, counts.into_iter().map(count));
        let wanted = record.iter().copied().collect();
        drop_unused(&mut parallel, &wanted, &safe);
        let mut carried = BTreeSet::new();
        walk::for_each(&serial, &mut |stmt| {
            if let Stmt::Set(var, _) = stmt {
                carried.insert(*var);
            }
        });
        let carried = carried.into_iter().collect();
        Some(Fission { counters: self.counters, parallel, record, serial, carried, stops })
    }

    /// What a counter is in the iteration.
    fn is_count(&self, value: Value) -> bool {
        matches!(self.search.ops.get(&value), Some(Op::Get(var)) if self.marks.counters.contains(var))
    }

    /// What a counter will be in the next one. It does not overflow if the counters have room.
    fn is_next_count(&self, body: &Block, value: Value) -> bool {
        body.iter()
            .any(|stmt| matches!(stmt, Stmt::Set(var, v) if *v == value && self.marks.counters.contains(var)))
    }

    fn parallel(&self, block: &Block, number: &mut usize) -> Block {
        let mut part = Vec::new();
        for stmt in block {
            let here = *number;
            *number += 1;
            let inner = |block: &Block, number: &mut usize| self.parallel(block, number);
            let own = match stmt {
                Stmt::If { condition, then, otherwise } => {
                    let then = inner(then, number);
                    let otherwise = inner(otherwise, number);
                    let empty = then.is_empty() && otherwise.is_empty();
                    (!empty).then_some(Stmt::If { condition: *condition, then, otherwise })
                }
                Stmt::Block { label, body } => Some(Stmt::Block { label: *label, body: inner(body, number) }),
                Stmt::Loop { label, body } => Some(Stmt::Loop { label: *label, body: inner(body, number) }),
                Stmt::Set(var, _) if self.marks.counters.contains(var) => None,
                Stmt::Set(var, _) if self.marks.vars.contains(var) => None,
                other => Some(other.clone()),
            };
            let is_constant = matches!(stmt, Stmt::Let { op, .. } if is_constant(op));
            let serial = self.marks.controlled.contains(&here) || self.marks.is_serial(stmt);
            part.extend(own.filter(|_| !serial || is_constant));
        }
        part
    }

    /// `whole`: a serial condition is around.
    fn serial(&self, block: &Block, whole: bool, number: &mut usize) -> Block {
        let mut part = Vec::new();
        for stmt in block {
            let here = *number;
            *number += 1;
            let whole = whole || self.marks.controlled.contains(&here);
            let own = match stmt {
                Stmt::If { condition, then, otherwise } => {
                    let whole = whole || self.marks.values.contains(condition);
                    let then = self.serial(then, whole, number);
                    let otherwise = self.serial(otherwise, whole, number);
                    let empty = then.is_empty() && otherwise.is_empty();
                    (!empty).then_some(Stmt::If { condition: *condition, then, otherwise })
                }
                Stmt::Block { label, body } => {
                    let body = self.serial(body, whole, number);
                    let works = walk::any(&body, &mut |stmt| self.has_effect(stmt, *label));
                    works.then_some(Stmt::Block { label: *label, body })
                }
                Stmt::Loop { body, .. } => {
                    self.serial(body, whole, number);
                    None
                }
                Stmt::Let { op, .. } if is_constant(op) => Some(stmt.clone()),
                // An iteration that the parallel part has stopped does not come here.
                Stmt::Break(label) if !whole => self.blocks.contains(label).then(|| stmt.clone()),
                Stmt::Continue(label) if !whole => (*label == self.label).then(|| stmt.clone()),
                Stmt::Set(var, _) if self.marks.counters.contains(var) => None,
                _ => (whole || self.marks.is_serial(stmt)).then(|| stmt.clone()),
            };
            part.extend(own);
        }
        if !whole && self.stops(block) { Vec::new() } else { part }
    }

    /// Does a block, once entered, stop the iteration?
    fn stops(&self, block: &Block) -> bool {
        let stays = |stmt: &Stmt| match stmt {
            Stmt::Break(label) => self.blocks.contains(label),
            stmt => *stmt == Stmt::Continue(self.label),
        };
        block.last().is_some_and(|last| !walk::completes(std::slice::from_ref(last)))
            && !walk::any(block, &mut |stmt| stays(stmt))
    }

    /// Does a statement do more than to leave its block?
    fn has_effect(&self, stmt: &Stmt, block: Label) -> bool {
        match stmt {
            Stmt::Set(..) | Stmt::Check { .. } | Stmt::Fail { .. } | Stmt::Return(_) | Stmt::Continue(_) => {
                true
            }
            Stmt::Break(label) => *label != block,
            Stmt::Let { op: Op::Binary(op, ..), .. } => may_overflow(*op),
            _ => false,
        }
    }
}

const fn may_overflow(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::AddChecked | BinaryOp::SubChecked | BinaryOp::MulChecked | BinaryOp::FloorDiv)
}

/// What a statement of a part uses: what would be told of a failure, the loop itself tells.
fn looked_at(stmt: &Stmt) -> Vec<Value> {
    match stmt {
        Stmt::Check { condition, .. } => vec![*condition],
        Stmt::Fail { .. } | Stmt::Return(_) => Vec::new(),
        stmt => stmt.operands(),
    }
}

/// Drops values that nothing uses, but those that are `wanted` or may fail (unless they are `safe`).
fn drop_unused(part: &mut Block, wanted: &BTreeSet<Value>, safe: &dyn Fn(Value) -> bool) {
    loop {
        let mut used = wanted.clone();
        walk::for_each(part, &mut |stmt| used.extend(looked_at(stmt)));
        let keeps = |stmt: &Stmt| match stmt {
            Stmt::Let { value, op, .. } => {
                let fails = matches!(op, Op::Binary(op, ..) if may_overflow(*op)) && !safe(*value);
                used.contains(value) || fails
            }
            Stmt::If { then, otherwise, .. } => !then.is_empty() || !otherwise.is_empty(),
            _ => true,
        };
        if !dropped(part, &keeps) {
            return;
        }
    }
}

fn dropped(block: &mut Block, keeps: &dyn Fn(&Stmt) -> bool) -> bool {
    let before = block.len();
    block.retain(keeps);
    let mut some = block.len() < before;
    for stmt in block {
        stmt.blocks_mut().for_each(|inner| some |= dropped(inner, keeps));
    }
    some
}
