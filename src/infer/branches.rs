//! Branches: what two arms do, of which a run takes one, and where they join.

use super::operand::Operand;
use super::{Join, Lowerer};
use crate::ir::{Stmt, Value};
use crate::types::TypeSet;

/// A condition: its value and what is known of values where it holds and where it does not.
#[derive(Debug)]
pub(crate) struct Condition {
    pub value: Value,
    pub yes: Vec<(Value, TypeSet)>,
    pub no: Vec<(Value, TypeSet)>,
}

impl Lowerer<'_> {
    /// Lowers an `if` over the join `slot` of the current node.
    pub(crate) fn branch(
        &mut self,
        slot: u32,
        condition: Condition,
        then: impl FnOnce(&mut Self) -> Operand,
        otherwise: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        match self.b.constant(condition.value) {
            Some(0) => {
                self.facts.extend(condition.no);
                return otherwise(self);
            }
            Some(_) => {
                self.facts.extend(condition.yes);
                return then(self);
            }
            None => {}
        }
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let node = self.node;
        let facts = self.facts.len();
        let way = self.births.condition();
        let join = self.open_join(slot, None, true);
        let before = self.snapshot();
        self.b.open();
        self.facts.extend(condition.yes.iter().cloned());
        let ways = self.births.enter(way, true);
        let then_value = then(self);
        self.births.leave(ways);
        self.node = node;
        if then_value.is_bottom() {
            self.b.mark_dead();
        }
        let after_then = self.snapshot();
        let (then_block, then_dead) = self.b.close();
        self.facts.truncate(facts);
        if then_dead {
            // What follows is the other arm alone: it goes on in this block, with all it knows.
            self.restore(&before);
            self.joins.truncate(join);
            self.b.emit(Stmt::If { condition: condition.value, then: then_block, otherwise: vec![] });
            self.facts.extend(condition.no);
            self.births.enter(way, false);
            let value = otherwise(self);
            self.node = node;
            return value;
        }
        self.restore(&before);
        self.b.open();
        self.facts.extend(condition.no);
        self.births.enter(way, false);
        let other_value = otherwise(self);
        self.births.leave(ways);
        self.node = node;
        if other_value.is_bottom() {
            self.b.mark_dead();
        }
        let after_other = self.snapshot();
        let (other_block, other_dead) = self.b.close();
        self.facts.truncate(facts);
        if other_dead {
            self.restore(&after_then);
            self.joins.truncate(join);
            let not = self.b.unary(crate::ir::UnaryOp::Not, condition.value);
            self.b.emit(Stmt::If { condition: not, then: other_block, otherwise: vec![] });
            self.b.splice(then_block, false);
            self.facts.extend(condition.yes);
            self.births.enter(way, true);
            return then_value;
        }
        // What both arms give is known before either sets it.
        let mut open = std::mem::replace(&mut self.joins[join], Join::placeholder());
        let arms = [(then_block, after_then, &then_value), (other_block, after_other, &other_value)];
        // What one of them changes the other has as it was: that is known when it has been found to be carried.
        for _ in 0..2 {
            let mut is_new = false;
            for (_, after, value) in &arms {
                self.restore(after);
                is_new |= self.learn_path(&open, Some(value));
            }
            if !is_new {
                break;
            }
            self.carry_all(&mut open);
        }
        open.reached = true;
        let [then, otherwise] = arms.map(|(block, after, value)| {
            self.restore(&after);
            self.b.open();
            self.b.splice(block, false);
            self.set_all(&open, Some(value));
            self.b.close().0
        });
        self.joins[join] = open;
        self.b.emit(Stmt::If { condition: condition.value, then, otherwise });
        let value = self.land(join);
        self.same_answer(&then_value, &other_value).unwrap_or(value)
    }

    /// The answer to a question that both arms answer alike, as `is_a?` does where no class that there can be is one.
    fn same_answer(&mut self, one: &Operand, other: &Operand) -> Option<Operand> {
        if [one, other].iter().any(|operand| operand.types != TypeSet::bool()) {
            return None;
        }
        let constant = |operand: &Operand| operand.values.first().and_then(|value| self.b.constant(*value));
        let answer = constant(one).filter(|answer| constant(other) == Some(*answer))?;
        Some(Operand::bool(self.b.bool(answer != 0)))
    }

    /// Fails unless `condition` holds: what follows knows that it does.
    pub(crate) fn unless(&mut self, condition: Value, slot: u32, fail: impl FnOnce(&mut Self)) {
        let condition = Condition { value: condition, yes: vec![], no: vec![] };
        self.branch(
            slot,
            condition,
            |_| Operand::nil(),
            |s| {
                fail(s);
                Operand::bottom()
            },
        );
    }
}
