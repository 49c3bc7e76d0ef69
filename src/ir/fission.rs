//! Loop fission: a loop is parted into what its iterations can compute at the same time, and what they do one after the
//! other (Kennedy and McKinley, "Loop distribution with arbitrary control flow", Supercomputing 1990).
//!
//! What depends on a variable that goes from iteration to iteration is *serial*, all else *parallel*; variables that only
//! count are neither, as any iteration knows what they are. Values of the parallel part that the serial one needs are
//! *recorded* for each iteration (scalar expansion). Whoever runs the loop so computes the parallel part of some
//! iterations, and then their serial parts in order. An iteration that leaves the loop or fails *stops*: neither it nor a
//! later one counts, and the loop as it was goes on with it. So nothing has to be undone but variables, and errors come
//! in their order.
//!
//! Iterations are begun that an earlier one may keep from being run. They do no harm: their number is one that the loop
//! may come to, loops that write or draw random numbers are left alone, and nothing is computed ahead of a test that
//! the serial part makes.

mod marks;
mod parting;
#[cfg(test)]
mod tests;

use super::{BinaryOp, Block, Buffer, Comparison, Function, Label, Op, Stmt, UnaryOp, Value, Var, walk};
use crate::scalar::{Interval, Ty};
use marks::Marks;
use parting::Parting;
use std::collections::{BTreeMap, BTreeSet};

/// The most values that are recorded for an iteration.
const RECORD: usize = 8;
/// A loop of fewer iterations, if that is known, is left to the loops in it.
const FEW: i64 = 16;
/// Steps are small, so that some dozens of them are far from overflowing 32 bits.
const STEP: i64 = 1 << 20;

/// How a loop is parted. In both parts `Continue` of the loop ends the iteration, and what leaves the loop stops it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fission {
    /// Variables that count, and by how much an iteration changes them. `Get` gives what they are in the iteration.
    pub counters: Vec<(Var, i64)>,
    pub parallel: Block,
    /// Values of the parallel part that the serial one uses.
    pub record: Vec<Value>,
    pub serial: Block,
    /// The variables that the serial part sets.
    pub carried: Vec<Var>,
    /// The serial part may stop the iteration.
    pub stops: bool,
}

/// An operation on a variable and a recorded value.
#[derive(Clone, Debug, PartialEq)]
pub struct Folds {
    pub op: BinaryOp,
    /// A variable for each recorded value, in their order.
    pub variables: Vec<Var>,
}

impl Fission {
    /// Where the serial part is nothing but `sum = sum + recorded` of Floats, with one operation, for each recorded value and
    /// a variable of its own.
    pub fn folds(&self) -> Option<Folds> {
        let (mut of, mut sums) = (BTreeMap::new(), BTreeMap::new());
        let mut variables = vec![None; self.record.len()];
        let mut only = None;
        for stmt in &self.serial {
            match stmt {
                Stmt::Let { value, op: Op::Get(var), .. } if !variables.contains(&Some(*var)) => {
                    of.insert(*value, *var);
                }
                Stmt::Let {
                    value,
                    op: Op::Binary(op @ (BinaryOp::AddF | BinaryOp::SubF | BinaryOp::MulF), a, b),
                    ..
                } => {
                    let (var, number) = (of.get(a)?, self.record.iter().position(|recorded| recorded == b)?);
                    if *only.get_or_insert(*op) != *op {
                        return None;
                    }
                    sums.insert(*value, (*var, number));
                }
                Stmt::Set(var, value) => {
                    let (own, number) = sums.get(value)?;
                    if own != var || variables[*number].replace(*var).is_some() {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let variables: Option<Vec<Var>> = variables.into_iter().collect();
        let variables = variables.filter(|all| {
            let different: BTreeSet<_> = all.iter().collect();
            different.len() == all.len() && self.carried.iter().all(|var| different.contains(var))
        })?;
        (!self.stops).then_some(Folds { op: only?, variables })
    }
}

/// The outermost loops of a function that can be parted. `changed`: buffers that may change while it runs.
pub fn fissions(function: &Function, changed: &dyn Fn(Buffer) -> bool) -> BTreeMap<Label, Fission> {
    let mut search =
        Search { function, changed, ops: BTreeMap::new(), reads: BTreeMap::new(), found: BTreeMap::new() };
    walk::for_each(&function.body, &mut |stmt| {
        if let Stmt::Let { value, op, .. } = stmt {
            search.ops.insert(*value, op.clone());
        }
    });
    search.reads = reads(&function.body);
    search.block(&function.body);
    search.found
}

/// How often variables are read.
fn reads(block: &Block) -> BTreeMap<Var, usize> {
    let mut reads = BTreeMap::new();
    walk::for_each(block, &mut |stmt| {
        if let Stmt::Let { op: Op::Get(var), .. } = stmt {
            *reads.entry(*var).or_default() += 1;
        }
    });
    reads
}

const fn is_constant(op: &Op) -> bool {
    matches!(op, Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_))
}

struct Search<'a> {
    function: &'a Function,
    changed: &'a dyn Fn(Buffer) -> bool,
    ops: BTreeMap<Value, Op>,
    reads: BTreeMap<Var, usize>,
    found: BTreeMap<Label, Fission>,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            if let Stmt::Loop { label, body } = stmt
                && let Some(fission) = self.part(*label, body)
            {
                self.found.insert(*label, fission);
                continue;
            }
            stmt.blocks().for_each(|inner| self.block(inner));
        }
    }

    fn part(&self, label: Label, body: &Block) -> Option<Fission> {
        if walk::any(body, &mut |stmt| !self.is_harmless(stmt)) {
            return None;
        }
        let mut inside = BTreeSet::new();
        walk::for_each(body, &mut |stmt| inside.extend(stmt.definitions()));
        let counters = self.counters(label, body);
        if !self.ends_by_count(label, body, &counters, &inside) {
            return None;
        }
        let mut marks = Marks::of(self, body, &counters);
        while marks.grow(body) {}
        // What is serial in an inner loop would have to be recorded for each of its iterations.
        let in_loop = walk::any(body, &mut |stmt| match stmt {
            Stmt::Loop { body, .. } => walk::any(body, &mut |inner| marks.is_serial(inner)),
            _ => false,
        });
        if in_loop || marks.loops {
            return None;
        }
        let mut blocks = BTreeSet::new();
        walk::for_each(body, &mut |stmt| {
            if let Stmt::Block { label, .. } = stmt {
                blocks.insert(*label);
            }
        });
        Parting { search: self, label, inside, blocks, counters, marks }.made(body)
    }

    /// Nothing is written, and nothing is read that others may write.
    fn is_harmless(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Let { op, .. } => match op {
                Op::Load(buffer, _) => !(self.changed)(*buffer),
                Op::Random
                | Op::Match { .. }
                | Op::Print { .. }
                | Op::Intrinsic { .. }
                | Op::Group(_)
                | Op::Watch { .. }
                | Op::Claim { .. }
                | Op::Compact { .. }
                | Op::Append { .. }
                | Op::Lengthen { .. } => false,
                _ => true,
            },
            Stmt::Set(..)
            | Stmt::If { .. }
            | Stmt::Loop { .. }
            | Stmt::Block { .. }
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Check { .. }
            | Stmt::Fail { .. }
            | Stmt::Return(_) => true,
            _ => false,
        }
    }

    /// Variables that each iteration changes by the same number once, in its straight line, and reads before that only.
    fn counters(&self, label: Label, body: &Block) -> Vec<(Var, i64)> {
        let mut counters = Vec::new();
        for (at, stmt) in body.iter().enumerate() {
            let Stmt::Set(var, value) = stmt else { continue };
            let mut sets = 0;
            walk::for_each(body, &mut |stmt| {
                sets += usize::from(matches!(stmt, Stmt::Set(v, _) if v == var))
            });
            let gets = |stmt: &Stmt| matches!(stmt, Stmt::Let { op: Op::Get(v), .. } if v == var);
            let skips = walk::any(&body[..at], &mut |stmt| *stmt == Stmt::Continue(label));
            if sets == 1 && !skips && !walk::any(&body[at..], &mut |stmt| gets(stmt)) {
                counters.extend(self.step(*var, *value).map(|step| (*var, step)));
            }
        }
        counters
    }

    /// By how much more a value is than the variable was.
    fn step(&self, var: Var, value: Value) -> Option<i64> {
        let is_var = |v: &Value| self.ops.get(v) == Some(&Op::Get(var));
        let (step, var) = match self.ops.get(&value)? {
            Op::Binary(BinaryOp::Add | BinaryOp::AddChecked, a, b) if is_var(a) => (self.number(*b)?, a),
            Op::Binary(BinaryOp::Add | BinaryOp::AddChecked, a, b) if is_var(b) => (self.number(*a)?, b),
            Op::Binary(BinaryOp::Sub | BinaryOp::SubChecked, a, b) if is_var(a) => {
                (self.number(*b)?.checked_neg()?, a)
            }
            _ => return None,
        };
        let is_integer = matches!(self.function.values[var.0 as usize].ty, Ty::I32 | Ty::I64);
        (is_integer && step != 0 && (-STEP..=STEP).contains(&step)).then_some(step)
    }

    fn number(&self, value: Value) -> Option<i64> {
        match self.ops.get(&value)? {
            Op::I32(n) => Some(i64::from(*n)),
            Op::I64(n) => Some(*n),
            _ => None,
        }
    }

    /// Does a counter end the loop, before it does anything else? Then iterations behind the last one know that they are.
    fn ends_by_count(
        &self,
        label: Label,
        body: &Block,
        counters: &[(Var, i64)],
        inside: &BTreeSet<Value>,
    ) -> bool {
        for stmt in body {
            match stmt {
                Stmt::Let { op: Op::Load(_, row), .. } if inside.contains(row) => return false,
                Stmt::Let { .. } | Stmt::Set(..) => {}
                Stmt::If { condition, then, otherwise } => {
                    let leaves = |block: &Block| {
                        matches!(block.last(), Some(Stmt::Break(_) | Stmt::Return(_)))
                            && !walk::any(block, &mut |stmt| *stmt == Stmt::Continue(label))
                    };
                    return leaves(then) && self.is_past(*condition, true, counters, inside)
                        || leaves(otherwise) && self.is_past(*condition, false, counters, inside);
                }
                _ => return false,
            }
        }
        false
    }

    /// If a condition is so for a counter, is it so for what the counter is later, too?
    fn is_past(&self, condition: Value, so: bool, counters: &[(Var, i64)], inside: &BTreeSet<Value>) -> bool {
        let (comparison, a, b) = match self.ops.get(&condition) {
            Some(Op::Unary(UnaryOp::Not, other)) => return self.is_past(*other, !so, counters, inside),
            Some(Op::Compare(comparison, a, b)) => (*comparison, *a, *b),
            _ => return false,
        };
        let step = |value: Value| match self.ops.get(&value) {
            Some(Op::Get(var)) if inside.contains(&value) => {
                counters.iter().find(|(counter, _)| counter == var).map(|(_, step)| *step)
            }
            _ => None,
        };
        let is_same =
            |value: Value| !inside.contains(&value) || self.ops.get(&value).is_some_and(is_constant);
        let few = |limit: Value| {
            let Interval { low, high } = self.function.values[limit.0 as usize].interval;
            let known = self.number(limit).map_or(Interval { low, high }, Interval::constant);
            known.low > -FEW && known.high < FEW
        };
        let (grows, limit) = match (step(a), step(b)) {
            (Some(step), None) if is_same(b) => (step > 0, b),
            (None, Some(step)) if is_same(a) => (step < 0, a),
            _ => return false,
        };
        let more = matches!(comparison, Comparison::Ge | Comparison::Gt);
        let less = matches!(comparison, Comparison::Le | Comparison::Lt);
        (more || less) && (more == so) == grows && !few(limit)
    }
}
