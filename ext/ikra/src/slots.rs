//! Which kind the arrays met at a place are of. Two places have two kinds until one array is met at both: then their
//! kinds become one, because its elements can live in one value column only.

use ikra_core::types::ArrayKind;
use rustc_hash::FxHashMap;

/// A place where arrays are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// An element of the base.
    Base,
    /// A root, by number.
    Root(u32),
    /// An instance variable of a hierarchy, by the tracer's number of it.
    Column(u32),
    /// An element of an array of this kind.
    Elements(ArrayKind),
}

#[derive(Clone, Debug, Default)]
pub struct Slots {
    kinds: FxHashMap<Slot, ArrayKind>,
    /// The kind that each kind has become; itself while it has not been joined.
    joined: Vec<ArrayKind>,
}

impl Slots {
    /// The kind that `kind` is now.
    pub fn find(&self, mut kind: ArrayKind) -> ArrayKind {
        while self.joined[kind.0 as usize] != kind {
            kind = self.joined[kind.0 as usize];
        }
        kind
    }

    /// Number of kinds ever made, joined ones included.
    pub fn len(&self) -> usize {
        self.joined.len()
    }

    pub fn kind(&self, slot: Slot) -> Option<ArrayKind> {
        self.kinds.get(&slot).map(|kind| self.find(*kind))
    }

    pub fn kind_or_new(&mut self, slot: Slot) -> ArrayKind {
        self.kind(slot).unwrap_or_else(|| {
            let kind = ArrayKind(self.joined.len() as u32);
            self.joined.push(kind);
            self.kinds.insert(slot, kind);
            kind
        })
    }

    /// An array of `kind` was met at `slot`. Gives the pairs (kept, dropped) of kinds that became one.
    pub fn meet(&mut self, slot: Slot, kind: ArrayKind) -> Vec<(ArrayKind, ArrayKind)> {
        let mut joins = Vec::new();
        let mut work = vec![(slot, kind)];
        while let Some((slot, kind)) = work.pop() {
            let kind = self.find(kind);
            let Some(own) = self.kind(slot) else {
                self.kinds.insert(slot, kind);
                continue;
            };
            if own == kind {
                continue;
            }
            let (kept, dropped) = (own.min(kind), own.max(kind));
            self.joined[dropped.0 as usize] = kept;
            joins.push((kept, dropped));
            // What is inside arrays of either is now inside arrays of one kind.
            if let Some(inner) = self.kinds.remove(&Slot::Elements(dropped)) {
                work.push((Slot::Elements(kept), inner));
            }
        }
        joins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_kinds_of_their_own_until_an_array_is_met_at_both() {
        let mut slots = Slots::default();
        let (a, b) = (slots.kind_or_new(Slot::Root(0)), slots.kind_or_new(Slot::Column(0)));
        assert_ne!(a, b);
        assert_eq!(slots.meet(Slot::Root(0), a), []);
        assert_eq!(slots.meet(Slot::Root(0), b), [(a, b)]);
        assert_eq!(slots.kind(Slot::Column(0)), Some(a));
    }

    #[test]
    fn a_place_without_a_kind_takes_that_of_the_array() {
        let mut slots = Slots::default();
        let kind = slots.kind_or_new(Slot::Base);
        assert_eq!(slots.meet(Slot::Elements(kind), kind), []);
        assert_eq!(slots.kind(Slot::Elements(kind)), Some(kind));
    }

    #[test]
    fn joining_joins_what_is_inside() {
        let mut slots = Slots::default();
        let (a, b) = (slots.kind_or_new(Slot::Root(0)), slots.kind_or_new(Slot::Root(1)));
        let (c, d) = (slots.kind_or_new(Slot::Elements(a)), slots.kind_or_new(Slot::Elements(b)));
        assert_eq!(slots.meet(Slot::Root(0), b), [(a, b), (c, d)]);
        assert_eq!(slots.find(d), c);
    }
}
