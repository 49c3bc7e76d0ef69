//! Lists that must not change any more: those that are frozen, and those that have become keys of a Hash, which would
//! not be found any more. The upper half of the word of the length, which nobody reads as a part of it, says that a
//! list is one of these (of a Hash that of its keys). A row tells in a column of its own that it is frozen. What changes
//! a list asks for it, where the section seals lists of the kind.

use super::lists::LIST_FROZEN;
use super::operand::Operand;
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp, Value};
use crate::types::{HashPart, ListKind, Type, TypeSet};

/// Why a list is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seal {
    Frozen,
    Key,
}

impl Seal {
    const fn bit(self) -> i64 {
        match self {
            Self::Frozen => LIST_FROZEN,
            Self::Key => 1 << 33,
        }
    }
}

/// Keys hold others as deep as this.
const MAX_DEPTH: u32 = 6;

const CHANGED_KEY: &str = "an array is changed that is the key of a Hash, which would not find it any more \
                           [unsupported-key]\n  hint: take a copy as the key: hash[key.dup]";

const CHANGED_HASH: &str = "a Hash or Set is changed that is the key of a Hash, which would not find it any more \
                           [unsupported-key]\n  hint: take a copy as the key: hash[key.dup]";

impl Lowerer<'_> {
    /// Seals a list.
    pub(crate) fn seal(&mut self, kind: ListKind, list: Value, seal: Seal) {
        let memo = self.memo.list(kind);
        let is_new = !memo.sealed;
        memo.sealed = true;
        self.memo.changed |= is_new || !self.memo.seals;
        self.memo.seals = true;
        let word = self.header(list, 0);
        let bit = self.b.i64(seal.bit());
        let word = self.b.binary(BinaryOp::Or, word, bit);
        self.set_header(list, 0, word);
    }

    /// Is the list sealed for that?
    pub(crate) fn is_sealed(&mut self, kind: ListKind, list: Value, seal: Seal) -> Value {
        if !self.memo.list(kind).sealed {
            return self.b.bool(false);
        }
        let word = self.header(list, 0);
        let (bit, zero) = (self.b.i64(seal.bit()), self.b.i64(0));
        let word = self.b.binary(BinaryOp::And, word, bit);
        self.b.compare(Comparison::Ne, word, zero)
    }

    /// The length in a first word.
    pub(super) fn length_in(&mut self, word: Value) -> Value {
        if !self.memo.seals && !self.memo.freezes_arrays {
            return word;
        }
        // To wrap it would be to say that there is no more.
        let lower = self.b.i64((1 << 32) - 1);
        self.b.binary(BinaryOp::And, word, lower)
    }

    /// The same with whether the list is frozen, as results have it.
    pub(super) fn leaving_length(&mut self, word: Value) -> Value {
        if !self.memo.seals {
            return word;
        }
        let told = self.b.i64(LIST_FROZEN | (LIST_FROZEN - 1));
        self.b.binary(BinaryOp::And, word, told)
    }

    /// A change of a list: Ruby's FrozenError, or an error for what would not be found any more.
    pub(crate) fn check_unsealed(&mut self, receiver: &Operand) {
        let Some(Type::List(kind)) = receiver.types.single() else { return };
        let (kind, list) = (*kind, receiver.value());
        if !self.memo.list(kind).sealed {
            return;
        }
        let frozen = self.is_sealed(kind, list, Seal::Frozen);
        let condition = Condition { value: frozen, yes: vec![], no: vec![] };
        self.branch(0x960, condition, |s| s.send(receiver, "#refuse_frozen", &[], 0x60), |_| Operand::nil());
        if self.b.is_dead() {
            return;
        }
        let key = self.is_sealed(kind, list, Seal::Key);
        let ok = self.b.unary(UnaryOp::Not, key);
        self.check(ok, ErrorKind::Unsupported(CHANGED_KEY.into()), &[]);
    }

    /// A Hash is about to change: it may be frozen, and that of a Set may be a key.
    pub(crate) fn check_unsealed_hash(&mut self, hash: &Operand) {
        let Some((kind, list)) = self.list_of_made(hash) else { return };
        if !self.memo.list(kind).sealed {
            return;
        }
        let frozen = self.is_sealed(kind, list, Seal::Frozen);
        let condition = Condition { value: frozen, yes: vec![], no: vec![] };
        self.branch(0x960, condition, |s| s.send(hash, "#refuse_frozen", &[], 0x60), |_| Operand::nil());
        if self.b.is_dead() {
            return;
        }
        let key = self.is_sealed(kind, list, Seal::Key);
        let ok = self.b.unary(UnaryOp::Not, key);
        self.check(ok, ErrorKind::Unsupported(CHANGED_HASH.into()), &[]);
    }

    /// The keys of a Hash that the section has made.
    fn keys_of_made(&mut self, hash: &Operand) -> Option<Operand> {
        hash.types.single().filter(|ty| ty.is_made_hash())?;
        self.tuple_items(hash).into_iter().next()
    }

    /// The list that a Hash is known by which the section has made: that of its keys.
    fn list_of_made(&mut self, hash: &Operand) -> Option<(ListKind, Value)> {
        let keys = self.keys_of_made(hash)?;
        match keys.types.single() {
            Some(Type::List(kind)) => Some((*kind, keys.value())),
            _ => None,
        }
    }

    /// Freezes a Hash that the section has made: the list of its keys says so, to whom has the Hash and to who is given it.
    /// One that was there before is refused, unless it is frozen. To freeze one that has a row is to change it, so that no
    /// other element looks at it meanwhile.
    pub(crate) fn freeze_hash(&mut self, hash: &Operand) -> Operand {
        if let Some(Type::Hash(kind, _)) = hash.types.single() {
            let (kind, id) = (*kind, hash.value());
            let keys = self.hash_part(hash, HashPart::Keys);
            if let Some(Type::Array(keys)) = keys.types.single()
                && self.memo.rows_of_lists.contains_key(&kind)
            {
                self.note_written_array(*keys);
                let changes = self.maybe_grow_array(*keys, id) && self.freeze_row(kind, id);
                return if changes { hash.clone() } else { Operand::bottom() };
            }
            let frozen = self.is_frozen_array(kind, id);
            return self.unless_frozen(hash, frozen, "a Hash that exists cannot be frozen in a section");
        }
        self.make_dense(hash);
        if let Some((kind, list)) = self.list_of_made(hash).filter(|_| !self.b.is_dead()) {
            self.note_frozen_array();
            self.seal(kind, list, Seal::Frozen);
        }
        hash.clone()
    }

    pub(crate) fn is_frozen_hash(&mut self, hash: &Operand) -> Value {
        if let Some(Type::Hash(kind, _)) = hash.types.single() {
            let keys = self.hash_part(hash, HashPart::Keys);
            if let (true, Some(Type::Array(keys))) = (self.memo.freezes_arrays, keys.types.single()) {
                self.watch_length(*keys, hash.value());
            }
            return self.is_frozen_array(*kind, hash.value());
        }
        match self.list_of_made(hash) {
            Some((kind, list)) => self.is_sealed(kind, list, Seal::Frozen),
            None => self.b.bool(false),
        }
    }

    /// Can it change what such a key is compared by?
    fn needs_seal(&mut self, ty: &Type, depth: u32) -> bool {
        if self.may_change_as_key(ty, &mut Vec::new()) || self.is_set(ty) || ty.is_made_hash() {
            return true;
        }
        let items = match ty {
            Type::List(_) | Type::Tuple(_) if depth < MAX_DEPTH => self.types_of_items(ty),
            _ => return false,
        };
        items.iter().any(|ty| self.needs_seal(ty, depth + 1))
    }

    /// Can such a key be sealed, with all that it may hold?
    pub(crate) fn can_seal(&mut self, ty: &Type, depth: u32) -> bool {
        if !self.needs_seal(ty, depth) {
            return true;
        }
        let items = match ty {
            ty if self.is_set(ty) => return true,
            Type::Record(record) if record.is_hash() && depth < MAX_DEPTH => {
                let values = record.fields[1].1.single().cloned();
                values.map_or_else(TypeSet::empty, |values| self.types_of_items(&values))
            }
            Type::List(_) | Type::Tuple(_) if depth < MAX_DEPTH => self.types_of_items(ty),
            _ => return false,
        };
        items.iter().all(|ty| self.can_seal(ty, depth + 1))
    }

    /// A key of a Hash, with all that it is compared by: false if it may change unnoticed.
    pub(crate) fn seal_key(&mut self, key: &Operand, depth: u32) -> bool {
        let types: Vec<Type> = key.types.iter().cloned().collect();
        if !types.iter().any(|ty| self.needs_seal(ty, depth)) {
            return true;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        let mut all = true;
        self.switch(key, 0x61, &mut |s, key| {
            all &= match key.types.single().cloned() {
                Some(ty) if !s.needs_seal(&ty, depth) => true,
                Some(ty) if s.is_set(&ty) => s.seal_set(&key),
                Some(ty) if ty.is_made_hash() => s.seal_made_hash(&key, depth),
                Some(Type::List(kind)) => s.seal_list(kind, &key, depth),
                Some(Type::Tuple(_)) => {
                    let items = s.tuple_items(&key);
                    (0..)
                        .zip(items)
                        .all(|(i, item)| s.within_slot(0x62 + i, |s| s.seal_key(&item, depth + 1)))
                }
                _ => false,
            };
            Operand::nil()
        });
        all
    }

    fn seal_list(&mut self, kind: ListKind, list: &Operand, depth: u32) -> bool {
        let mut all = true;
        let items: Vec<Type> = self.types_of_items(&Type::List(kind)).iter().cloned().collect();
        if items.iter().any(|ty| self.needs_seal(ty, depth + 1)) {
            self.builtins.each_item(self, list, &mut |s, item, _, _| all &= s.seal_key(&item, depth + 1));
        }
        if self.list_is_mutated(kind) {
            self.seal(kind, list.value(), Seal::Key);
        }
        all
    }

    /// Its keys have been sealed when they were put into it.
    fn seal_made_hash(&mut self, hash: &Operand, depth: u32) -> bool {
        let Some((kind, list)) = self.list_of_made(hash) else { return false };
        let mut all = true;
        if let Some(values) = self.tuple_items(hash).get(1).cloned()
            && let Some(items) = values.types.single().map(|ty| self.types_of_items(ty))
            && items.iter().any(|ty| self.needs_seal(ty, depth + 1))
        {
            self.builtins.each_item(self, &values, &mut |s, item, _, _| all &= s.seal_key(&item, depth + 1));
        }
        self.seal(kind, list, Seal::Key);
        all
    }

    /// A Set that the section may change is known by the keys of its Hash.
    fn seal_set(&mut self, set: &Operand) -> bool {
        let hash = self.read_ivar(set, "@hash");
        let mut all = true;
        self.switch(&hash, 0x63, &mut |s, hash| {
            match hash.types.single() {
                Some(Type::Hash(kind, _)) => all &= !s.hash_changes(*kind),
                _ => match s.list_of_made(&hash) {
                    Some((kind, list)) => s.seal(kind, list, Seal::Key),
                    None => all = false,
                },
            }
            Operand::nil()
        });
        all
    }
}
