//! Pairs that a section has deleted from Hashes of the heap. They are dead for a while, as `core/` has it at `MadeHash`:
//! the rest of the program knows no such pairs, so they are dropped before anybody looks.

use crate::running::heap::Heap;
use ikra_core::error::Error;
use ikra_core::heap::dead_places;
use ikra_core::infer::Inferred;
use ikra_core::ir::{BufferKind, Part, Program};
use ikra_core::types::ArrayKind;

/// Where the arrays of a kind are.
struct Arrays {
    offsets: usize,
    lengths: usize,
    items: Vec<usize>,
}

impl Arrays {
    fn of(program: &Program, kind: ArrayKind) -> Option<Self> {
        let buffer = |kind| program.buffers.iter().position(|buffer| buffer.kind == kind);
        let items = [Part::Payload, Part::Tag].map(|part| buffer(BufferKind::ArrayValues(kind, part)));
        Some(Self {
            offsets: buffer(BufferKind::ArrayOffset(kind))?,
            lengths: buffer(BufferKind::ArrayLength(kind))?,
            items: items.into_iter().flatten().collect(),
        })
    }
}

impl Heap {
    /// Leaves no dead pairs.
    pub fn drop_dead_pairs(&mut self, inferred: &Inferred) -> Result<(), Error> {
        for kinds in inferred.schema.hashes.values() {
            let [keys, values, slots] = kinds.map(|kind| Arrays::of(&inferred.program, kind));
            let Some(slots) = slots else { continue };
            let pairs = [keys, values].into_iter().flatten().collect::<Vec<_>>();
            for row in 0..self.store.columns()[slots.lengths].len() {
                if let Some(dead) = self.dead_places(&slots, row) {
                    self.drop_places(&pairs, &slots, row, &dead)?;
                }
            }
        }
        Ok(())
    }

    /// The places of the dead pairs of a Hash, in order; `None`: it has none.
    fn dead_places(&self, slots: &Arrays, row: usize) -> Option<Vec<usize>> {
        let columns = self.store.columns();
        let [first, length] = [slots.offsets, slots.lengths].map(|column| columns[column].bits(row) as usize);
        let items = &columns[*slots.items.first()?];
        dead_places(length, |slot| items.bits(first + slot))
    }

    fn drop_places(
        &mut self,
        pairs: &[Arrays],
        slots: &Arrays,
        row: usize,
        dead: &[usize],
    ) -> Result<(), Error> {
        let lists = pairs.iter().chain([slots]);
        let changed = lists.flat_map(|list| list.items.iter().copied().chain([list.lengths]));
        self.store.keep(changed.collect::<Vec<_>>().into_iter())?;
        let columns = self.store.columns_mut();
        for list in pairs {
            let [first, length] =
                [list.offsets, list.lengths].map(|column| columns[column].bits(row) as usize);
            for items in &list.items {
                let items = &mut columns[*items];
                let mut dead = dead.iter().peekable();
                let mut to = first;
                for place in 0..length {
                    if dead.next_if_eq(&&place).is_none() {
                        let bits = items.bits(first + place);
                        items.set_bits(to, bits);
                        to += 1;
                    }
                }
            }
            columns[list.lengths].set_bits(row, (length - dead.len()) as i64);
        }
        columns[slots.lengths].set_bits(row, 0);
        Ok(())
    }
}
