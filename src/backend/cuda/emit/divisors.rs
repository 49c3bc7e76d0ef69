//! Which divisors are worth a reciprocal: those that a loop divides by and does not change.

use super::width::Width;
use crate::ir::{BinaryOp, Block, Function, Op, Stmt, Value};
use crate::scalar::Interval;
use std::collections::BTreeSet;

/// The divisors of a function that loops divide by again and again: found outside the loop that has the division.
pub(super) fn loop_divisors(function: &Function, intervals: &[Interval]) -> BTreeSet<Value> {
    let mut search = DivisorSearch {
        function,
        intervals,
        defined_in: vec![0; function.values.len()],
        loops: 0,
        found: BTreeSet::new(),
    };
    search.block(&function.body, 0);
    search.found
}

struct DivisorSearch<'a> {
    function: &'a Function,
    intervals: &'a [Interval],
    /// Number of the innermost loop around each value's definition; 0 for none, and for parameters.
    defined_in: Vec<u32>,
    loops: u32,
    found: BTreeSet<Value>,
}

impl DivisorSearch<'_> {
    fn block(&mut self, block: &Block, here: u32) {
        for s in block {
            match s {
                Stmt::Let { value, op, .. } => {
                    // Constants are everywhere, and left to the compiler.
                    let constant = matches!(op, Op::I32(_) | Op::I64(_));
                    self.defined_in[value.0 as usize] = if constant { u32::MAX } else { here };
                    if let Op::Binary(BinaryOp::FloorDiv | BinaryOp::FloorMod, a, b) = op {
                        self.division(*a, *b, here);
                    }
                }
                Stmt::Call { results, .. } => {
                    results.iter().for_each(|v| self.defined_in[v.0 as usize] = here);
                }
                Stmt::If { then, otherwise, .. } => {
                    self.block(then, here);
                    self.block(otherwise, here);
                }
                Stmt::Block { body, .. } => self.block(body, here),
                Stmt::Loop { body, .. } => {
                    self.loops += 1;
                    self.block(body, self.loops);
                }
                _ => {}
            }
        }
    }

    fn division(&mut self, a: Value, b: Value, here: u32) {
        let (known_a, known_b) = (self.intervals[a.0 as usize], self.intervals[b.0 as usize]);
        let fits = |v: Value| Width::of(self.function.values[v.0 as usize].ty, self.intervals[v.0 as usize]);
        let outside = self.defined_in[b.0 as usize] != here && self.defined_in[b.0 as usize] != u32::MAX;
        let dividend = known_a.low >= 0 || fits(a) == Width::Long;
        if outside && dividend && fits(b) == Width::Int && known_b.low >= 0 {
            self.found.insert(b);
        }
    }
}
