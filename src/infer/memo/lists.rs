//! Kinds of lists, the arrays made in a section whose length is known at run time only: their numbers, what they hold, and
//! where several become one. Widening is here, as arrays of several lengths become lists.

use super::{ListMemo, Memo};
use crate::infer::keys::{Context, JoinKey, Place};
use crate::infer::operand;
use crate::infer::remembered::Holders;
use crate::types::{ArrayKind, HashSort, HierarchyId, ListKind, Type, TypeSet};
use std::collections::BTreeMap;

impl Memo {
    /// The kind of the arrays made at a place.
    pub fn list_kind(&mut self, place: JoinKey) -> ListKind {
        let next = self.lists.len() as u32;
        let number = *self.list_numbers.entry(place).or_insert(next);
        if number == next {
            self.lists.push(ListMemo::default());
            self.changed |= true;
        }
        ListKind(self.canonical(number))
    }

    pub(super) fn canonical(&self, mut number: u32) -> u32 {
        while let Some(parent) = self.lists[number as usize].parent {
            number = parent;
        }
        number
    }

    pub fn list(&mut self, kind: ListKind) -> &mut ListMemo {
        let number = self.canonical(kind.0);
        &mut self.lists[number as usize]
    }

    /// Items of all kinds, by number.
    pub fn list_items(&self) -> Vec<TypeSet> {
        (0..self.lists.len()).map(|n| self.lists[self.canonical(n as u32) as usize].items.clone()).collect()
    }

    /// The kind that this one has become one with.
    pub fn known_list(&self, kind: ListKind) -> ListKind {
        ListKind(self.canonical(kind.0))
    }

    /// In which columns these elements keep what they make.
    pub fn kept_by(&self, who: Context) -> Vec<(HierarchyId, String)> {
        let all = self.kept.iter().filter(|(by, ..)| *by == who);
        all.map(|(_, hierarchy, name)| (*hierarchy, name.clone())).collect()
    }

    /// What variables of objects in memory can hold, of all classes.
    pub fn made_fields(&self) -> Vec<TypeSet> {
        self.made.values().flat_map(|made| made.fields.iter().map(|(_, types)| types.clone())).collect()
    }

    /// The arrays of fixed length that lists of the kind are copies of.
    pub fn copied(&mut self, kind: ListKind) -> Vec<TypeSet> {
        self.list(kind).copied.clone()
    }

    fn unite(&mut self, a: ListKind, b: ListKind) -> ListKind {
        let (a, b) = (self.canonical(a.0), self.canonical(b.0));
        if a != b {
            let (into, from) = (a.min(b), a.max(b));
            let old = std::mem::take(&mut self.lists[from as usize]);
            self.lists[from as usize].parent = Some(into);
            let list = &mut self.lists[into as usize];
            list.mutated |= old.mutated;
            list.sealed |= old.sealed;
            list.has_copies |= old.has_copies;
            list.copied.extend(old.copied);
            let named = self.list_loops.known.keys().filter(|(kind, _)| *kind == from).copied();
            for (from, home) in named.collect::<Vec<_>>() {
                let loops = self.list_loops.known.remove(&(from, home)).flatten().unwrap_or_default();
                let all = self.list_loops.entry((into, home)).get_or_insert_with(|| loops.clone());
                all.retain(|key| loops.contains(key));
            }
            self.united = true;
            self.changed |= true;
        }
        ListKind(a.min(b))
    }

    /// What `a` and `b` are together at `place`. Lists that meet become of one kind; where a list meets arrays of fixed
    /// length, or arrays of several lengths meet, all are lists.
    pub fn join(&mut self, a: &TypeSet, b: &TypeSet, place: JoinKey) -> TypeSet {
        let joined = operand::join(a, b);
        self.widen(joined, place)
    }

    /// Widening, so that the fixpoint is reached: lists for arrays of several lengths, lists of one kind for those that
    /// meet, in records too.
    pub fn widen(&mut self, types: TypeSet, place: JoinKey) -> TypeSet {
        self.unite_rows(&types);
        let (mut lists, mut tuples) = (Vec::new(), Vec::new());
        for ty in &types {
            match ty {
                Type::List(kind) => lists.push(*kind),
                Type::Tuple(items) => tuples.push(items.clone()),
                _ => {}
            }
        }
        // A Hash has no other place than values, and a set has room for one type that is carried in its parts.
        let beside_hash = !tuples.is_empty() && types.iter().any(Type::is_made_hash);
        if lists.len() + tuples.len() < 2 && !beside_hash {
            return types.iter().map(|ty| self.widen_parts(ty, place)).collect();
        }
        let first = match lists.first() {
            Some(kind) => *kind,
            None => self.list_kind(place.list()),
        };
        let kind = lists.iter().fold(first, |all, kind| self.unite(all, *kind));
        for items in tuples {
            for item in items.iter() {
                self.list_item(kind, item);
            }
            let list = self.list(kind);
            let made = TypeSet::from(Type::Tuple(items));
            if !list.copied.contains(&made) {
                list.copied.push(made);
            }
            if !list.has_copies {
                list.has_copies = true;
                self.changed |= true;
            }
        }
        let mut all = types.filter(|t| !matches!(t, Type::Tuple(_) | Type::List(_)));
        all.insert(Type::List(kind));
        all
    }

    /// What a variable that elements share holds.
    pub fn variable(&mut self, of: &Holders) -> Option<&mut TypeSet> {
        match of {
            Holders::Captured(name) => self.accumulators.get_mut(name),
            Holders::Local(key) => self.variables.get_mut(key),
            Holders::Arrays(_) | Holders::Objects(..) => None,
        }
    }

    /// Arrays of fixed length among them are lists, too.
    pub fn with_lists(&mut self, mut types: TypeSet, place: JoinKey) -> TypeSet {
        if types.iter().any(|ty| matches!(ty, Type::Tuple(_))) {
            types.insert(Type::List(self.list_kind(place)));
        }
        self.widen(types, place.next())
    }

    /// Kinds of arrays and Hashes that a driver makes on the heap become one where they meet, as those of lists do.
    pub fn unite_rows(&mut self, types: &TypeSet) {
        let mut known: BTreeMap<Option<HashSort>, ListKind> = BTreeMap::new();
        for ty in types {
            let (Type::Array(kind) | Type::Hash(kind, _)) = ty else { continue };
            let Some((list, sort)) = self.rows_of_lists.get(kind).copied() else { continue };
            let list = self.known_list(list);
            let first = *known.entry(sort).or_insert(list);
            if self.known_list(first) != list {
                self.unite(first, list);
                // What was learned names both.
                self.restart = true;
            }
        }
    }

    /// The types with the kinds that these have become.
    pub(super) fn with_united_rows(&self, types: &TypeSet) -> TypeSet {
        let now = |kind: &ArrayKind| {
            let (list, sort) = self.rows_of_lists.get(kind)?;
            let united = (self.known_list(*list), *sort);
            self.rows_of_lists.iter().find(|(_, of)| **of == united).map(|(kind, _)| *kind)
        };
        let renamed = types.iter().map(|ty| match ty {
            Type::Array(kind) => Type::Array(now(kind).unwrap_or(*kind)),
            Type::Hash(kind, sort) => Type::Hash(now(kind).unwrap_or(*kind), *sort),
            other => other.clone(),
        });
        renamed.collect()
    }

    /// The same within what is carried as its parts.
    fn widen_parts(&mut self, ty: &Type, place: JoinKey) -> Type {
        let Some(parts) = operand::parts(ty).filter(|parts| parts.iter().any(has_arrays)) else {
            return ty.clone();
        };
        let parts = (0..).zip(parts).map(|(i, types)| self.widen(types, place.part(i)));
        operand::with_parts(ty, parts.collect())
    }

    /// A list of the kind is made in these loops; true if code at `home` has gone by others.
    pub fn list_made(&mut self, kind: ListKind, home: Context, loops: &[JoinKey]) -> bool {
        let number = self.canonical(kind.0);
        self.list_loops.grow(&(number, home), |known| match known {
            None => {
                *known = Some(loops.to_vec());
                true
            }
            Some(known) => {
                let before = known.len();
                known.retain(|key| loops.contains(key));
                known.len() != before
            }
        })
    }

    /// A list of the kind takes memory, or holds what does, in these loops; true if code at `home` does not know yet.
    pub fn list_stored(&mut self, kind: ListKind, home: Context, loops: &[JoinKey]) -> bool {
        let number = self.canonical(kind.0);
        let within = self.list_loops.read(&(number, home)).unwrap_or_default();
        self.watched_loops.set_all(loops.iter().filter(|key| !within.contains(key)))
    }

    /// One more type of item.
    pub fn list_item(&mut self, kind: ListKind, item: &TypeSet) {
        let number = self.canonical(kind.0);
        // An array of fixed length that holds lists of the kind, and becomes one of them while it is joined with what
        // they hold, has further items for them: those come when that is done.
        if let Some(at) = self.joining.iter().position(|(joined, _)| self.canonical(*joined) == number) {
            self.joining[at].1.push(item.clone());
            return;
        }
        let mut joined = self.lists[number as usize].items.clone();
        let mut items = vec![item.clone()];
        while let Some(item) = items.pop() {
            self.joining.push((number, Vec::new()));
            joined = self.join(&joined, &item, JoinKey::new(Place::Items(ListKind(number)), 0));
            let waiting = self.joining.pop().map_or_else(Vec::new, |(_, waiting)| waiting);
            items.extend(waiting.into_iter().filter(|item| !item.is_subset(&joined)));
        }
        let number = self.canonical(number) as usize;
        if self.lists[number].items != joined {
            self.lists[number].items = joined;
            self.changed |= true;
        }
    }
}

fn has_arrays(types: &TypeSet) -> bool {
    types.iter().any(|t| matches!(t, Type::List(_)) || operand::parts(t).is_some())
}
