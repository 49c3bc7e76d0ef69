//! Loops over numbers, and Integers that are known.

use super::Lowerer;
use super::joins::JoinIndex;
use super::operand::Operand;
use crate::ir::{BinaryOp, Comparison, Value};
use crate::scalar::{Interval, Ty};
use crate::types::Type;

impl Lowerer<'_> {
    /// The value of an Integer that is known at compile time.
    pub(crate) fn literal(&self, operand: &Operand) -> Option<i64> {
        (operand.types.single() == Some(&Type::Integer)).then(|| self.b.constant(operand.value()))?
    }

    /// Runs `body` for `start`, `start + step` … as long as the index is before `end`. The body gets the index and the
    /// joins that `break` and `next` go to.
    pub(crate) fn counted(
        &mut self,
        start: Value,
        end: Value,
        step: i64,
        body: &mut dyn FnMut(&mut Self, Value, JoinIndex, JoinIndex),
    ) -> Operand {
        let (first, last) = (self.b.interval(start), self.b.interval(end));
        let interval = if step > 0 {
            Interval { low: first.low, high: last.high.saturating_sub(1).max(first.low) }
        } else {
            Interval { low: last.low.saturating_add(1).min(first.high), high: first.high }
        };
        let var = self.b.var(Ty::I64);
        self.b.set(var, start);
        self.looping(60, |s, exit, head| {
            // Beyond the end by one step at most, so that the sum below cannot overflow.
            let widened = Interval {
                low: interval.low.saturating_add(step.min(0)),
                high: interval.high.saturating_add(step.max(0)),
            };
            let i = s.b.get_within(var, widened);
            let more = s.b.compare(if step > 0 { Comparison::Lt } else { Comparison::Gt }, i, end);
            s.unless(more, 62, |s| s.jump(exit, None));
            let i = s.b.get_within(var, interval);
            if first.low >= 0 && step > 0 {
                s.b.set_below(i, end);
            }
            let by = s.b.i64(step);
            let next = s.b.binary(BinaryOp::Add, i, by);
            s.b.set(var, next);
            s.telling_progress((start, i, end), step, |s| body(s, i, exit, head));
        })
    }

    /// Runs `f` in a context of its own for the `i`th of several like things.
    pub(crate) fn within_slot<T>(&mut self, i: u32, f: impl FnOnce(&mut Self) -> T) -> T {
        let span = self.span;
        self.within(0x400 + i, |s| {
            s.span = span;
            f(s)
        })
    }
}
