//! Array kinds: which kind the arrays met at a place are of. Arrays are an offset and a length into one value column
//! per *kind*. What holds arrays (an instance variable, a root, the arrays of another kind) has a kind of its own until
//! one array is met in two holders: then their kinds are unified, and inference starts afresh. `Ikra::Column`s and
//! Hashes have such kinds too, at each place one for each type of items, and for each way of looking up.

use ikra_core::types::{ArrayKind, Collection, HashPart, ItemType};
use rustc_hash::FxHashMap;

/// A place where arrays are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holder {
    /// An item of a column of the base, by number.
    Base(u32),
    /// A root, by number.
    Root(u32),
    /// An instance variable of a hierarchy, by the tracer's number of it.
    Column(u32),
    /// An element of an array of this kind.
    Elements(ArrayKind),
    /// Nowhere else: what Hashes of this kind are read as.
    Part(ArrayKind, HashPart),
    /// Nowhere else: what objects of Ruby's own are read as, by the tracer's number of the variable.
    State(u32),
    /// Nowhere: arrays that a section makes, by a number of its own.
    Made(u32),
}

impl Holder {
    /// Is it in what is of this kind?
    fn is_in(self, kind: ArrayKind) -> bool {
        matches!(self, Self::Elements(of) | Self::Part(of, _) if of == kind)
    }

    /// The same place in what is of another kind.
    const fn moved_to(self, kind: ArrayKind) -> Self {
        match self {
            Self::Elements(_) => Self::Elements(kind),
            Self::Part(_, part) => Self::Part(kind, part),
            other => other,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct ArrayKinds {
    kinds: FxHashMap<(Holder, Option<Collection>), ArrayKind>,
    /// By kind: of what it is, if not of arrays.
    collections: Vec<Option<Collection>>,
    /// The kind that each kind has become; itself while it has not been joined.
    joined: Vec<ArrayKind>,
}

impl ArrayKinds {
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

    /// Of the arrays at a place.
    pub fn kind(&self, holder: Holder) -> Option<ArrayKind> {
        self.kind_of(holder, None)
    }

    /// Of the collections of a sort at a place, or of the arrays.
    pub fn kind_of(&self, holder: Holder, of: Option<Collection>) -> Option<ArrayKind> {
        self.kinds.get(&(holder, of)).map(|kind| self.find(*kind))
    }

    /// Of what the kind is; `None` for a kind of arrays.
    pub fn collection(&self, kind: ArrayKind) -> Option<Collection> {
        self.collections.get(kind.0 as usize).copied().flatten()
    }

    /// What the columns of the kind hold, if it is one of columns.
    pub fn items(&self, kind: ArrayKind) -> Option<ItemType> {
        match self.collection(kind) {
            Some(Collection::Column(items)) => Some(items),
            _ => None,
        }
    }

    /// The kinds of Hashes whose keys are the arrays of `kind`.
    pub fn hashes_with_keys(&self, kind: ArrayKind) -> Option<ArrayKind> {
        let of = |((holder, _), keys): (&(Holder, Option<Collection>), &ArrayKind)| match holder {
            Holder::Part(hashes, HashPart::Keys) if self.find(*keys) == kind => Some(self.find(*hashes)),
            _ => None,
        };
        self.kinds.iter().find_map(of)
    }

    /// Are the arrays of the kind made whenever something is read: what a Hash or String holds, or the state of a Random?
    pub fn is_part(&self, kind: ArrayKind) -> bool {
        let is_it = |((holder, _), of): (&(Holder, Option<Collection>), &ArrayKind)| {
            matches!(holder, Holder::Part(..) | Holder::State(_)) && self.find(*of) == kind
        };
        self.collection(kind) == Some(Collection::Words) || self.kinds.iter().any(is_it)
    }

    pub fn kind_or_new(&mut self, holder: Holder, of: Option<Collection>) -> ArrayKind {
        self.kind_of(holder, of).unwrap_or_else(|| {
            let kind = ArrayKind(self.joined.len() as u32);
            self.joined.push(kind);
            self.collections.push(of);
            self.kinds.insert((holder, of), kind);
            kind
        })
    }

    /// An array of `kind` was met at `holder`. Gives the pairs (kept, dropped) of kinds that became one.
    pub fn meet(&mut self, holder: Holder, kind: ArrayKind) -> Vec<(ArrayKind, ArrayKind)> {
        let mut joins = Vec::new();
        let mut work = vec![(holder, kind)];
        while let Some((holder, kind)) = work.pop() {
            let kind = self.find(kind);
            let of = self.collection(kind);
            let Some(own) = self.kind_of(holder, of) else {
                self.kinds.insert((holder, of), kind);
                continue;
            };
            if own == kind {
                continue;
            }
            let (kept, dropped) = (own.min(kind), own.max(kind));
            self.joined[dropped.0 as usize] = kept;
            joins.push((kept, dropped));
            // What is inside arrays of either is now inside arrays of one kind.
            let mut inside: Vec<_> =
                self.kinds.keys().filter(|(holder, _)| holder.is_in(dropped)).copied().collect();
            inside.sort_unstable();
            for (holder, of) in inside {
                if let Some(inner) = self.kinds.remove(&(holder, of)) {
                    work.push((holder.moved_to(kept), inner));
                }
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
        let mut kinds = ArrayKinds::default();
        let (a, b) = (kinds.kind_or_new(Holder::Root(0), None), kinds.kind_or_new(Holder::Column(0), None));
        assert_ne!(a, b);
        assert_eq!(kinds.meet(Holder::Root(0), a), []);
        assert_eq!(kinds.meet(Holder::Root(0), b), [(a, b)]);
        assert_eq!(kinds.kind(Holder::Column(0)), Some(a));
    }

    #[test]
    fn a_place_without_a_kind_takes_that_of_the_array() {
        let mut kinds = ArrayKinds::default();
        let kind = kinds.kind_or_new(Holder::Base(0), None);
        assert_eq!(kinds.meet(Holder::Elements(kind), kind), []);
        assert_eq!(kinds.kind(Holder::Elements(kind)), Some(kind));
    }

    #[test]
    fn columns_are_of_other_kinds_than_arrays() {
        let mut kinds = ArrayKinds::default();
        let arrays = kinds.kind_or_new(Holder::Root(0), None);
        let floats = kinds.kind_or_new(Holder::Root(0), Some(Collection::Column(ItemType::Float64)));
        let others = kinds.kind_or_new(Holder::Root(1), Some(Collection::Column(ItemType::Float64)));
        assert_eq!([arrays, floats].map(|kind| kinds.items(kind)), [None, Some(ItemType::Float64)]);
        assert_eq!(kinds.meet(Holder::Root(0), others), [(floats, others)]);
        assert_eq!(kinds.meet(Holder::Root(1), arrays), []);
        assert_eq!(kinds.kind(Holder::Root(1)), Some(arrays));
    }

    #[test]
    fn joining_joins_what_is_inside() {
        let mut kinds = ArrayKinds::default();
        let (a, b) = (kinds.kind_or_new(Holder::Root(0), None), kinds.kind_or_new(Holder::Root(1), None));
        let (c, d) =
            (kinds.kind_or_new(Holder::Elements(a), None), kinds.kind_or_new(Holder::Elements(b), None));
        assert_eq!(kinds.meet(Holder::Root(0), b), [(a, b), (c, d)]);
        assert_eq!(kinds.find(d), c);
    }
}
