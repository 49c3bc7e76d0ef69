//! Hashes that exist: their parts, which are arrays of the heap, the index of their keys, and which keys may not
//! change.
//!
//! `Type::Hash` has a kind as an array has; the kinds of its parts go with it (`Holder::Part`), and the three arrays
//! have the row of the Hash, so that its keys are the same number as an array of another kind. How a Hash looks up
//! (what it gives for a key that it has not, whether it compares by identity) is part of its type (`HashSort`), as the
//! items are of a Column's, so two sorts at one place are two kinds.
//!
//! A Hash that was there before and that the section changes (`change_hash` in `infer/hashes.rs`) is what one is that
//! it makes, but of arrays of the heap that change their length: its keys, its values, and slots instead of the index
//! (`HashPart::Slots`). The host lays the slots out where there are enough keys of Ruby's own classes
//! (`key_index::fill_slots`): elements that only look keys up write nothing. So the same methods change it, but that to
//! delete a key moves those behind it, and it is watched as such arrays are: elements that touch one Hash, of which one
//! changes it, run in order. Keys and values may be made by elements. Copy-back gives it its new pairs, and all other
//! objects that hold it see them (`changed_hashes.rs`).
//!
//! A default block of such a Hash is known by its literal, which is part of the type (`HashDefault::Block`), so Hashes
//! of several literals are of several kinds. The block is a root that is read when the Hashes have been found
//! (`Source::hashes`): that of the first one. What it sees around it, and self, it may use where all Hashes of the kind
//! have one and the same proc. A lambda or proc from around the section that calls itself, as memos do, is a function.
//! That of a Hash which the section makes and stores is part of its kind, too (`HashDefault::Made`): one of those that
//! Ruby can be given (`Memo::closed_procs`). Code that meets such a Hash may be lowered before the code that makes it;
//! it calls the block as one whose method has ended.
//!
//! A default that a section gives a Hash (`default=`) stands in an array of its own, which is empty before
//! (`HashPart::Given`, `change_default`): what the Hash is made or read with stays what it is, in its type, and counts
//! where that array is empty. Hashes that the section makes have a list for it, once there is a `default=` anywhere in it.
//! Copy-back gives it to those that exist.
//!
//! A Set is an object with a Hash in `@hash`, up to Ruby 3.4, and runs from Ruby's own source; `core/set.rb` has the
//! methods whose source has what sections have not.

use super::Lowerer;
use super::births::Birth;
use super::operand::{self, Operand};
use crate::ir::{BinaryOp, BufferKind, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ArrayKind, ClassId, HashPart, Type, TypeSet};

/// A Hash that is gone through changes.
pub(crate) const OTHER_KEYS: &str = "a Hash that is gone through gets or loses keys, which a section does not follow \
                                     [unsupported-hash]\n  hint: go through a copy: hash.to_a.each { |key, value| … }";

impl Lowerer<'_> {
    /// A part of a Hash, as an array: its keys, its values, its default.
    pub(crate) fn hash_part(&mut self, hash: &Operand, part: HashPart) -> Operand {
        if hash.types.single().is_some_and(Type::is_made_hash) {
            let place = match part {
                HashPart::Keys => 0,
                HashPart::Values => 1,
                HashPart::Slots => 2,
                HashPart::Default => 3,
                HashPart::Given => 4,
            };
            return self.tuple_items(hash).into_iter().nth(place).unwrap_or_else(Operand::bottom);
        }
        let Some(Type::Hash(kind, _)) = hash.types.single() else { return Operand::bottom() };
        match self.host.hash_part(*kind, part) {
            Ok(kind) => Operand {
                types: Type::Array(kind).into(),
                values: hash.values.clone(),
                birth: Birth::UNKNOWN,
            },
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Keys or values of a Hash that has no dead pairs from now on.
    pub(crate) fn dense_part(&mut self, hash: &Operand, part: HashPart) -> Operand {
        self.make_dense(hash);
        self.hash_part(hash, part)
    }

    /// Drops dead pairs, as `core/` has them.
    pub(crate) fn make_dense(&mut self, hash: &Operand) {
        if self.may_have_dead_pairs(hash) && !self.b.is_dead() {
            self.within_slot(0x620, |s| s.send(hash, "#dense", &[], 1));
        }
    }

    pub(crate) fn may_have_dead_pairs(&self, hash: &Operand) -> bool {
        self.memo.dead_pairs && self.has_slots(hash)
    }

    /// Is it a Hash that the section makes or changes?
    fn has_slots(&self, hash: &Operand) -> bool {
        match hash.types.single() {
            Some(Type::Hash(kind, _)) => self.hash_changes(*kind),
            ty => ty.is_some_and(Type::is_made_hash),
        }
    }

    /// A Hash gets dead pairs, if it is one that can have such.
    pub(crate) fn note_dead_pairs(&mut self, hash: &Operand) -> bool {
        let has_slots = self.has_slots(hash);
        self.memo.changed |= has_slots && !self.memo.dead_pairs;
        self.memo.dead_pairs |= has_slots;
        // A function may be called anywhere.
        let within = self.hash_loops > 0 || self.function.is_some() && self.memo.hash_loops;
        self.memo.changed |= within && !self.memo.deletes_within;
        self.memo.deletes_within |= within;
        has_slots
    }

    /// All pairs of a Hash are gone through, some of which may be dead.
    pub(crate) fn note_hash_loop(&mut self) {
        self.memo.changed |= !std::mem::replace(&mut self.memo.hash_loops, true);
    }

    /// Are pairs deleted where others are gone through?
    pub(crate) fn deletes_within_loops(&self) -> bool {
        self.memo.deletes_within
    }

    /// Does the section change Hashes of the kind, which exist outside it?
    pub(crate) fn hash_changes(&self, kind: ArrayKind) -> bool {
        self.memo.hashes.contains_key(&kind)
    }

    /// A Hash is about to change. One that exists outside is from then on what one is that the section makes: its keys,
    /// values and slots are arrays that get longer and shorter. False where that cannot be.
    pub(crate) fn change_hash(&mut self, hash: &Operand) -> bool {
        if let Some(parts) = hash.types.single().and_then(operand::parts) {
            // Elements have a copy of one that the driver has made.
            return !parts.iter().fold(false, |grew, types| self.give_rows_to_copied(types) | grew);
        }
        let Some(Type::Hash(kind, sort)) = hash.types.single() else { return true };
        let (kind, id) = (*kind, hash.value());
        if sort.by_identity {
            self.refuse_here(
                "unsupported-store",
                "a Hash that compares by identity cannot be changed by a section",
                Some("use one that compares by what keys hold, or change it behind the section".into()),
            );
            return false;
        }
        let parts =
            [HashPart::Keys, HashPart::Values, HashPart::Slots].map(|part| self.hash_part(hash, part));
        let kinds = parts.each_ref().map(|part| match part.types.single() {
            Some(Type::Array(kind)) => Some(*kind),
            _ => None,
        });
        let [Some(keys), Some(values), Some(slots)] = kinds else { return false };
        self.memo.changed |= self.memo.hashes.insert(kind, [keys, values, slots]).is_none();
        let held = self.array_contents(keys).map(|contents| contents.0);
        if held.is_none_or(|types| self.any_key_written(&types)) {
            self.refuse_changed_keys();
            return false;
        }
        self.check_unfrozen_hash(hash, kind);
        [keys, values, slots].into_iter().all(|part| self.grow_array(part, id))
    }

    /// One that exists.
    fn check_unfrozen_hash(&mut self, hash: &Operand, kind: ArrayKind) {
        if self.any_frozen_array(kind) {
            self.refuse_frozen_row(hash, kind);
        }
    }

    /// Do Hashes that the section makes have room for another default?
    pub(crate) const fn gives_defaults(&self) -> bool {
        self.memo.gives_defaults
    }

    /// Can the section have given such a Hash another default? Where that stands is [`HashPart::Given`].
    pub(crate) fn may_have_given_default(&self, hash: &Operand) -> bool {
        match hash.types.single() {
            Some(Type::Hash(kind, _)) => self.memo.given_defaults.contains_key(kind),
            Some(Type::Record(record)) => record.is_hash() && record.fields.len() > 4,
            _ => false,
        }
    }

    /// A Hash is about to be given another default, where Hashes of the heap and those that the section makes have an array
    /// for it from then on. False where that cannot be.
    pub(crate) fn change_default(&mut self, hash: &Operand) -> bool {
        if !self.memo.gives_defaults {
            self.memo.gives_defaults = true;
            self.memo.restart = true;
            self.memo.changed |= true;
            return false;
        }
        let Some(Type::Hash(kind, _)) = hash.types.single() else {
            if !self.change_hash(hash) {
                return false;
            }
            self.check_unsealed_hash(hash);
            return !self.b.is_dead();
        };
        let (kind, id) = (*kind, hash.value());
        if self.memo.has_syncs {
            self.refuse_here(
                "unsupported-hash",
                "a Hash that exists, or that is put where others can look at it, cannot be given a default in a section \
                 with an `Ikra.sync`",
                Some("give it one in an `Ikra.sync` block, or before the section".into()),
            );
            return false;
        }
        let given = self.hash_part(hash, HashPart::Given);
        let Some(Type::Array(part)) = given.types.single() else { return false };
        self.memo.changed |= self.memo.given_defaults.insert(kind, *part).is_none();
        self.check_unfrozen_hash(hash, kind);
        self.grow_array(*part, id)
    }

    fn refuse_changed_keys(&mut self) {
        self.refuse_here(
            "unsupported-key",
            "the section changes objects or arrays that are keys of a Hash, which it looks into",
            Some("look values up by what does not change".into()),
        );
    }

    /// What a slot of the index of a Hash's keys holds: the index of a key and one more, or 0.
    pub(crate) fn key_slot(&mut self, keys: &Operand, slot: Value) -> Option<Value> {
        let Some(Type::Array(kind)) = keys.types.single() else { return None };
        let (kind, id) = (*kind, keys.value());
        let types = self.array_contents(kind)?.0;
        self.memo.arrays.entry(kind).or_default().read = true;
        if self.any_key_written(&types) {
            self.refuse_changed_keys();
            return None;
        }
        let buffer = self.buffer(BufferKind::ArrayOffset(kind), Ty::I32);
        let offset = self.b.load_index(buffer, id);
        let twice = self.b.binary(BinaryOp::Add, offset, offset);
        let slot = self.b.unary(UnaryOp::WrapI64, slot);
        let at = self.b.binary(BinaryOp::Add, twice, slot);
        let index = self.buffer(BufferKind::KeyIndex(kind), Ty::I32);
        let found = self.b.load_index(index, at);
        Some(self.b.unary(UnaryOp::ExtendI32, found))
    }

    /// Is it something that is compared by what it holds as a key, and that the section changes?
    pub(crate) fn may_change_as_key(&mut self, ty: &Type, inside: &mut Vec<Type>) -> bool {
        if inside.contains(ty) {
            return false;
        }
        inside.push(ty.clone());
        match ty {
            Type::List(kind) => {
                let items = self.types_of_items(ty);
                self.list_is_mutated(*kind) || items.iter().any(|ty| self.may_change_as_key(ty, inside))
            }
            Type::Tuple(items) => {
                let items = items.clone();
                items.iter().any(|types| types.iter().any(|ty| self.may_change_as_key(ty, inside)))
            }
            Type::Made(class) if !self.host.members(*class).is_empty() => {
                let members = self.types_of_members(ty);
                self.memo.changed_members.contains(class)
                    || members.iter().any(|ty| self.may_change_as_key(ty, inside))
            }
            Type::Record(record) if !self.host.members(record.class).is_empty() => {
                let members = record.fields.iter().flat_map(|(_, types)| types.iter());
                members.cloned().collect::<Vec<_>>().iter().any(|ty| self.may_change_as_key(ty, inside))
            }
            // A Hash has a copy of one that is a key itself.
            Type::Object(_, ClassId::STRING) => self.memo.changes_strings && inside.len() > 1,
            _ => self.any_written(&ty.clone().into(), &mut Vec::new()),
        }
    }

    /// Does the section write what makes up such keys? A Hash has a copy of a String that is a key itself.
    fn any_key_written(&mut self, types: &TypeSet) -> bool {
        self.any_written(&types.filter(|ty| !ty.is_string()), &mut Vec::new())
    }

    /// Does the section write what these are compared by?
    fn any_written(&mut self, types: &TypeSet, inside: &mut Vec<Type>) -> bool {
        types.iter().any(|ty| {
            if inside.contains(ty) {
                return false;
            }
            inside.push(ty.clone());
            match ty {
                Type::Array(kind) => {
                    let written = self.memo.arrays.get(kind).is_some_and(|memo| memo.is_written);
                    let items = self.types_of_items(ty);
                    written || self.any_written(&items, inside)
                }
                Type::Object(_, ClassId::STRING) => self.memo.changes_strings,
                Type::Object(hierarchy, class) => {
                    let members = self.host.members(*class);
                    members.into_iter().any(|name| {
                        let memo = self.memo.columns.get(&(*hierarchy, name));
                        memo.is_some_and(|memo| memo.is_written)
                    })
                }
                _ => false,
            }
        })
    }
}
