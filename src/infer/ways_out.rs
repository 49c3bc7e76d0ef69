//! Blocks that lead out of the function that they were given to: what a function gives back of how each has ended, and
//! where its caller goes on.

use super::operand::Operand;
use super::{Condition, JoinIndex, Lowerer, Temp};
use crate::ir::Comparison;
use crate::syntax::ast::LocalId;

/// What a function gives back of a block that did not end more than itself, that broke, and that returned.
pub(super) const STAYED: i64 = 0;
const BROKE: i64 = 1;
const RETURNED: i64 = 2;

/// Joins of the ways out of a function: their end, and two for each block.
const SLOT_OUT: u32 = 0x3a0;

/// Where a block leads that was given to a function: the frame that it was written in, and the end of its `break`.
#[derive(Debug)]
pub(super) struct Leaving {
    pub(super) frame: usize,
    pub(super) break_to: Option<JoinIndex>,
}

/// A block that leads out of a function, in that: its frame there, and the variables that say how it did.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    pub(super) frame: usize,
    pub(super) how: Temp,
    pub(super) value: Temp,
}

impl Lowerer<'_> {
    /// What a function gives back of these blocks.
    pub(super) fn locals_of_ways(ways: &[WayOut]) -> impl Iterator<Item = (usize, LocalId)> {
        ways.iter().flat_map(|way| [Self::temp_local(way.how), Self::temp_local(way.value)])
    }

    /// Runs the body of a function, in which blocks that were given to it can lead out of it.
    pub(super) fn with_ways_out(
        &mut self,
        ways: &[WayOut],
        unused: bool,
        body: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        if ways.is_empty() {
            return body(self);
        }
        self.labelled(SLOT_OUT, !unused, |s, out| s.way_out(ways, out, Box::new(body)))
    }

    fn way_out(
        &mut self,
        ways: &[WayOut],
        out: JoinIndex,
        body: Box<dyn FnOnce(&mut Self) -> Operand + '_>,
    ) -> Operand {
        let Some((way, rest)) = ways.split_first() else { return body(self) };
        let slot = SLOT_OUT + 2 * ways.len() as u32;
        let node = self.node;
        let broken = self.labelled(slot, true, |s, break_to| {
            let returned = s.labelled(slot + 1, true, |s, return_to| {
                let frame = &mut s.frames[way.frame];
                (frame.break_to, frame.return_to) = (Some(break_to), Some(return_to));
                let result = s.way_out(rest, out, body);
                s.node = node;
                if result.is_bottom() {
                    s.b.mark_dead();
                }
                s.jump(out, Some(&result));
                Operand::bottom()
            });
            s.take_way(way, RETURNED, returned);
            s.jump(out, Some(&Operand::nil()));
            Operand::bottom()
        });
        self.take_way(way, BROKE, broken);
        Operand::nil()
    }

    fn take_way(&mut self, way: &WayOut, how: i64, value: Operand) {
        if !self.b.is_dead() {
            let how = Operand::integer(self.b.i64(how));
            self.temp_set(way.how, how);
            self.temp_set(way.value, value);
        }
    }

    /// Goes on where a block led to that was given to a function.
    pub(super) fn go_way(&mut self, leaving: &Leaving, how: &Operand, value: &Operand) {
        let return_to = self.frames[leaving.frame].return_to;
        for (slot, number, join) in [(0, BROKE, leaving.break_to), (1, RETURNED, return_to)] {
            if let (Some(join), Some(how)) = (join, how.values.first()) {
                let number = self.b.i64(number);
                let is_it = self.b.compare(Comparison::Eq, *how, number);
                let condition = Condition { value: is_it, yes: vec![], no: vec![] };
                let leave = |s: &mut Self| {
                    s.leave_to(join, Some(value));
                    Operand::bottom()
                };
                self.within_slot(0x3e0 + slot, |s| s.branch(25, condition, leave, |_| Operand::nil()));
            }
        }
    }
}
