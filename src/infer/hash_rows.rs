//! Rows for Hashes that a section makes and something else is to hold. Such a Hash has a row as soon as it is made,
//! from the next walk on, as those of drivers do; from there on it is one that was there before.
//!
//! A driver appends its arrays. Elements, which run at the same time, claim rows. Its row is one of some to spare,
//! claimed with an atomic addition: no code can see which one it is. Where none is left the section begins again with
//! more.

use super::Lowerer;
use super::keys::{Context, Step};
use super::operand::Operand;
use crate::ir::{BinaryOp, BufferKind, Comparison, ErrorKind, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ArrayKind, HashDefault, HashPart, HashSort, ListKind, RecordType, Type, TypeSet};

impl Lowerer<'_> {
    /// What elements make of these is to be held: the Hashes among it have rows from the next walk on. False where that is
    /// known already, or there are none that can.
    pub(super) fn give_rows_to_hashes(&mut self, types: &TypeSet) -> bool {
        if self.in_driver {
            return false;
        }
        let lists: Vec<ListKind> = types.iter().filter_map(|ty| self.keys_of(ty)).collect();
        let lists: Vec<ListKind> = lists.into_iter().map(|list| self.memo.known_list(list)).collect();
        let before = self.memo.lists_of_hashes.len();
        self.memo.lists_of_hashes.extend(lists);
        let grew = self.memo.lists_of_hashes.len() > before;
        self.memo.restart |= grew;
        self.memo.changed |= grew;
        grew
    }

    /// Do Hashes that are made here of such lists get rows?
    fn hash_has_rows(&self, lists: &[ListKind]) -> bool {
        if self.in_driver {
            return lists.iter().any(|list| self.has_rows(*list));
        }
        let keys = self.memo.known_list(lists[0]);
        self.memo.lists_of_hashes.iter().any(|list| self.memo.known_list(*list) == keys)
    }

    /// An empty Hash of the heap, where one of lists of the current node's `slots` is to have rows. `None`: it has none.
    pub(crate) fn new_hash(&mut self, slots: &[u32], default: &Operand) -> Option<Operand> {
        let lists: Vec<ListKind> =
            slots.iter().map(|slot| self.memo.list_kind(self.join_key(*slot))).collect();
        if !self.hash_has_rows(&lists) {
            return None;
        }
        let of_default = match default.types.single() {
            Some(Type::Nil) => HashDefault::Nil,
            Some(Type::Proc(number)) if self.give_proc(*number) => HashDefault::Made(*number),
            _ if default.types.iter().any(Type::is_made_proc) => return None,
            _ => HashDefault::Value,
        };
        let has_default = of_default == HashDefault::Value;
        // One place may make Hashes of several sorts, where it copies others.
        let of_sort = match of_default {
            HashDefault::Nil => 0,
            HashDefault::Value => 1,
            HashDefault::Block(number) => number.map_or(2, |number| number + 3),
            HashDefault::Made(number) => number + 3,
        };
        let place = self.memo.context(Context::ROOT, Step::Hash(lists[0]), of_sort);
        let number = self.memo.made_kind(place);
        let sort = HashSort { default: of_default, by_identity: false };
        let kind = self.host.made_hash(number, sort);
        self.memo.rows_of_lists.insert(kind, (lists[0], Some(sort)));
        if let HashDefault::Made(number) = of_default {
            self.memo.hash_blocks.insert(kind, number);
        }
        let mut parts = Vec::new();
        for part in HashPart::ALL {
            if part == HashPart::Default && !has_default
                || part == HashPart::Given && !self.memo.gives_defaults
            {
                continue;
            }
            match self.host.hash_part(kind, part) {
                Ok(of) => parts.push((part, of)),
                Err(refusal) => return Some(self.refuse(refusal)),
            }
        }
        if let Some((_, given)) = parts.iter().find(|(part, _)| *part == HashPart::Given) {
            self.memo.changed |= self.memo.given_defaults.insert(kind, *given).is_none();
        }
        self.memo.changed |= !self.in_driver && self.memo.claimed_hashes.insert(kind);
        let row = match self.memo.claimed_hashes.contains(&kind) {
            true => self.claim_row(kind, &parts),
            false => self.append_rows(&parts),
        };
        if let Some((_, of_default)) = parts.iter().find(|(part, _)| *part == HashPart::Default) {
            self.memo.changed |= self.memo.hash_defaults.insert(kind, *of_default).is_none();
            if !self.set_default(kind, *of_default, row, default) {
                return Some(Operand::bottom());
            }
        }
        let hash = Operand::one(Type::Hash(kind, sort), row);
        Some(if self.change_hash(&hash) { hash } else { Operand::bottom() })
    }

    fn append_rows(&mut self, parts: &[(HashPart, ArrayKind)]) -> Value {
        let appended = parts.iter().filter(|(part, _)| *part != HashPart::Default);
        let rows: Vec<Value> = appended.map(|(_, kind)| self.append_nothing(*kind)).collect();
        rows[0]
    }

    /// A row that no Hash has. Arrays without items are there in all that are to spare.
    fn claim_row(&mut self, kind: ArrayKind, parts: &[(HashPart, ArrayKind)]) -> Value {
        for (_, part) in parts {
            let memo = self.memo.arrays.entry(*part).or_default();
            self.memo.changed |= !std::mem::replace(&mut memo.made, true);
            for list in [BufferKind::ArrayOffset(*part), BufferKind::ArrayLength(*part)] {
                self.buffer(list, Ty::I32);
            }
        }
        let ends = self.buffer(BufferKind::ArrayEnds(kind), Ty::I64);
        self.program.buffers[ends.0 as usize].written = true;
        let (first, second, one) = (self.b.i32(0), self.b.i32(1), self.b.i64(1));
        let row = if self.in_driver {
            let row = self.b.load(ends, first, Ty::I64, true);
            let next = self.b.binary(BinaryOp::Add, row, one);
            self.b.store(ends, first, next);
            row
        } else {
            self.b.claim(ends, one)
        };
        let end = self.b.binary(BinaryOp::Add, row, one);
        let limit = self.b.load(ends, second, Ty::I64, true);
        let fits = self.b.compare(Comparison::Le, end, limit);
        self.check(fits, ErrorKind::ArraysFull(kind), &[end]);
        self.b.unary(UnaryOp::WrapI64, row)
    }

    /// False where that cannot be.
    fn set_default(&mut self, hash: ArrayKind, kind: ArrayKind, row: Value, default: &Operand) -> bool {
        if !self.memo.claimed_hashes.contains(&hash) {
            let alone = self.tuple(std::slice::from_ref(default));
            return self.array_with(kind, &alone).is_some();
        }
        self.grow_array(kind, row) && {
            self.push_to(super::growing::Changing::Array(kind, row), default);
            true
        }
    }

    /// The kind of the list of keys of a Hash that the section makes, and that can have a row.
    fn keys_of(&self, ty: &Type) -> Option<ListKind> {
        let Type::Record(record) = ty else { return None };
        let of = |name: &str| record.fields.iter().find(|(field, _)| field == name).map(|(_, types)| types);
        if !record.is_hash() {
            return None;
        }
        let is_closed =
            |ty: &Type| matches!(ty, Type::Proc(number) if self.memo.closed_procs.contains_key(number));
        if of(RecordType::HASH[3])?.iter().any(|ty| ty.is_made_proc() && !is_closed(ty)) {
            return None;
        }
        match of(RecordType::HASH[0])?.single()? {
            Type::List(kind) => Some(*kind),
            _ => None,
        }
    }

    /// Is it a Hash that the section makes, and that can have a row?
    pub(super) fn can_have_row(&self, ty: &Type) -> bool {
        self.keys_of(ty).is_some()
    }
}

/// Is it a Hash that the section makes, with a default block?
pub(super) fn has_default_block(ty: &Type) -> bool {
    matches!(ty, Type::Record(record) if record.is_hash() && record.fields[3].1.iter().any(Type::is_made_proc))
}
