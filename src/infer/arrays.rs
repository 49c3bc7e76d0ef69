//! Arrays of the heap: their lengths, what they hold, and the loads and stores of items.

use super::operand::Operand;
use super::remembered::Holders;
use super::{Condition, Lowerer};
use crate::heap::schema::Stored;
use crate::ir::{BinaryOp, Buffer, BufferKind, Comparison, ErrorKind, Part, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ArrayKind, ClassId, Type, TypeSet};

impl Lowerer<'_> {
    /// The length of an array of the heap, as an Integer; equal for one array wherever it is asked.
    pub(crate) fn array_length(&mut self, kind: ArrayKind, id: Value) -> Value {
        if self.array_grows(kind) {
            return self.changing_length(kind, id);
        }
        let buffer = self.buffer(BufferKind::ArrayLength(kind), Ty::I32);
        let length = self.b.load_index(buffer, id);
        self.b.unary(UnaryOp::ExtendI32, length)
    }

    /// What the arrays of a kind hold: (as read, mutable).
    pub(super) fn array_contents(&mut self, kind: ArrayKind) -> Option<(TypeSet, bool)> {
        let contents = match self.host.elements(kind) {
            Ok(contents) => contents,
            Err(refusal) => {
                self.refuse(refusal);
                return None;
            }
        };
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.stored.extend(&contents.types);
        let read = contents.types.union(&memo.written);
        Some((read, memo.is_written))
    }

    /// How the arrays of a kind are stored, as far as this walk knows.
    pub(super) fn array_stored(&mut self, kind: ArrayKind) -> Stored {
        let memo = &self.memo.arrays[&kind];
        let types = memo.stored.clone();
        if memo.is_written || memo.made || !memo.read {
            return Stored::written(types);
        }
        Stored::read_only(types, || self.host.elements(kind).is_ok_and(|contents| contents.integers_fit_i32))
    }

    /// What arrays of the type hold.
    pub(crate) fn types_of_items(&mut self, ty: &Type) -> TypeSet {
        match ty {
            Type::Array(kind) | Type::Column(kind, _) => {
                self.array_contents(*kind).map_or_else(TypeSet::empty, |(read, _)| read)
            }
            Type::List(kind) => self.memo.list(*kind).items.clone(),
            Type::Tuple(items) => items.iter().fold(TypeSet::empty(), |all, types| all.union(types)),
            _ => TypeSet::empty(),
        }
    }

    /// The item at `index` (an `I64` known to be in `0...length`).
    pub(crate) fn array_item(&mut self, kind: ArrayKind, id: Value, index: Value) -> Operand {
        self.array_item_if(None, kind, id, index)
    }

    /// The same, of use only where a condition holds: then the index is this one.
    fn array_item_if(
        &mut self,
        condition: Option<(Value, Value)>,
        kind: ArrayKind,
        id: Value,
        index: Value,
    ) -> Operand {
        let Some((mut read, mutable)) = self.array_contents(kind) else {
            return Operand::bottom();
        };
        if self.in_driver {
            // What a driver sees has a row.
            read = read.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_)));
        }
        self.memo.arrays.entry(kind).or_default().read = true;
        let stored = self.array_stored(kind);
        if stored.types.is_empty() {
            // All arrays of the kind are empty: nothing can be read from them.
            return Operand::bottom();
        }
        let at = self.array_slot(kind, id, index);
        self.watch_item(kind, (id, index), at, false, condition);
        let part = |part| BufferKind::ArrayValues(kind, part);
        let item = self.load_parts(&part, at, &stored, mutable);
        let item = self.narrow(&item, &read);
        self.refine(item)
    }

    /// The column of the words of Strings, and where those of one begin.
    pub(super) fn place_of_words(&mut self, kind: ArrayKind, id: Value) -> Option<(Buffer, Value)> {
        self.array_contents(kind)?;
        self.memo.arrays.entry(kind).or_default().read = true;
        let stored = self.array_stored(kind);
        let (None, Some(Ty::I64)) = stored.scalars() else { return None };
        let words = self.buffer(BufferKind::ArrayValues(kind, Part::Payload), Ty::I64);
        Some((words, self.array_offset(kind, id)))
    }

    pub(super) fn array_offset(&mut self, kind: ArrayKind, id: Value) -> Value {
        if self.array_grows(kind) {
            return self.changing_offset(kind, id);
        }
        let buffer = self.buffer(BufferKind::ArrayOffset(kind), Ty::I32);
        self.b.load_index(buffer, id)
    }

    fn array_slot(&mut self, kind: ArrayKind, id: Value, index: Value) -> Value {
        let offset = self.array_offset(kind, id);
        let index = self.b.unary(UnaryOp::WrapI64, index);
        self.b.binary(BinaryOp::Add, offset, index)
    }

    /// `array[index]` of Ruby: negative indices count from the end, out of range gives nil.
    pub(crate) fn array_at(&mut self, kind: ArrayKind, id: Value, index: Value) -> Operand {
        let length = self.array_length(kind, id);
        let zero = self.b.i64(0);
        let index = if self.b.interval(index).low >= 0 {
            index
        } else {
            let negative = self.b.compare(Comparison::Lt, index, zero);
            let from_end = self.b.binary(BinaryOp::Add, index, length);
            let chosen = self.b.select(negative, from_end, index);
            if self.b.interval(index).high < 0 { from_end } else { chosen }
        };
        if self.b.is_below(index, length) {
            return self.array_item(kind, id, index);
        }
        let in_range = self.b.compare(Comparison::LtU, index, length);
        if self.b.constant(in_range) == Some(1) {
            return self.array_item(kind, id, index);
        }
        // An index out of range reads item 0 instead (there is a filler even behind an empty array) and drops it.
        let safe = self.b.select(in_range, index, zero);
        let item = self.array_item_if(Some((in_range, index)), kind, id, safe);
        if item.is_bottom() {
            return Operand::nil();
        }
        self.or_nil(in_range, &item)
    }

    /// `array[index] = value`. A write behind the items lets an array grow whose length changes elsewhere too, and fails
    /// otherwise.
    pub(crate) fn array_store(&mut self, kind: ArrayKind, id: Value, index: Value, value: &Operand) {
        if value.is_bottom() {
            return;
        }
        let Some(value) = &self.kept_item(kind, value) else { return };
        let length = self.array_length(kind, id);
        let zero = self.b.i64(0);
        let at = if self.b.interval(index).low >= 0 {
            index
        } else {
            let negative = self.b.compare(Comparison::Lt, index, zero);
            let from_end = self.b.binary(BinaryOp::Add, index, length);
            let at = self.b.select(negative, from_end, index);
            let ok = self.b.compare(Comparison::Ge, at, zero);
            self.check(ok, ErrorKind::IndexTooSmall, &[index, length]);
            at
        };
        self.check_unfrozen_array(kind, id);
        let length = match self.fill_gap(&Operand::one(Type::Array(kind), id), at) {
            true => self.array_length(kind, id),
            false => length,
        };
        if self.array_grows(kind) && !self.b.is_below(at, length) {
            return self.array_store_or_push(kind, id, at, value);
        }
        if !self.b.is_below(at, length) {
            let ok = self.b.compare(Comparison::Lt, at, length);
            self.check(ok, ErrorKind::ArrayGrowth, &[at, length]);
        }
        self.array_item_store(kind, id, at, value);
    }

    /// Are items of arrays of the kind written?
    pub(crate) fn is_written_array(&self, kind: ArrayKind) -> bool {
        self.memo.arrays.get(&kind).is_some_and(|memo| memo.is_written)
    }

    /// The array is about to be written: fails where it is frozen, or gone through.
    pub(crate) fn check_unfrozen_array(&mut self, kind: ArrayKind, id: Value) {
        self.note_written_array(kind);
        // That of a Hash has been asked for.
        let is_part = self.memo.hashes.values().any(|parts| parts.contains(&kind));
        if !is_part && self.any_frozen_array(kind) {
            self.refuse_frozen_row(&Operand::one(Type::Array(kind), id), kind);
        }
        self.check_base(kind, id);
    }

    pub(super) fn note_written_array(&mut self, kind: ArrayKind) {
        let who = self.watcher();
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.written_by.insert(who) | !memo.is_written;
        memo.is_written = true;
    }

    /// A FrozenError where an array or Hash of the heap is frozen. Its message is made only for who sees it.
    pub(super) fn refuse_frozen_row(&mut self, row: &Operand, kind: ArrayKind) {
        let id = row.value();
        let is_frozen = self.is_frozen_array(kind, id);
        if !self.keeps_facts(ClassId::FROZEN_ERROR, &[&row.types]) {
            let ok = self.b.unary(UnaryOp::Not, is_frozen);
            self.check(ok, ErrorKind::FrozenArray(kind), &[id]);
            return;
        }
        let condition = Condition { value: is_frozen, yes: vec![], no: vec![] };
        self.branch(0x961, condition, |s| s.send(row, "#refuse_frozen", &[], 0x60), |_| Operand::nil());
    }

    /// Writes the item at an index that is known to be in range.
    pub(crate) fn array_item_store(&mut self, kind: ArrayKind, id: Value, at: Value, value: &Operand) {
        let is_copy = self.give_rows_to_copied(&Type::Array(kind).into());
        if value.is_bottom() || is_copy || self.array_contents(kind).is_none() {
            return;
        }
        let Some(value) = &self.listed_in_array(kind, value) else { return };
        let memo = self.memo.arrays.entry(kind).or_default();
        let grew = memo.written.extend(&value.types) | memo.stored.extend(&value.types);
        let stored = memo.stored.clone();
        self.memo.changed |= grew;
        self.memo.unite_rows(&stored);
        let slot = self.array_slot(kind, id, at);
        self.watch_item(kind, (id, at), slot, true, None);
        self.store_parts(&|part| BufferKind::ArrayValues(kind, part), slot, &stored, value);
        self.remember(&Holders::Arrays(kind), slot, &value.types);
    }

    /// `freeze` of what was there before: itself where it is frozen, and unsupported else.
    pub(crate) fn unless_frozen(&mut self, receiver: &Operand, frozen: Value, message: &str) -> Operand {
        let (slug, hint) = ("unsupported-method", "freeze it before or after the section");
        if self.b.constant(frozen) == Some(0) {
            return self.refuse_here(slug, message, Some(hint.into()));
        }
        let told = format!("{message} [{slug}]\n  hint: {hint}");
        self.check(frozen, ErrorKind::Unsupported(told), &[]);
        receiver.clone()
    }

    /// The kind of arrays that are said to be frozen where these are: a Hash that the section makes has no row but those
    /// of its parts.
    fn told_frozen(&self, kind: ArrayKind) -> ArrayKind {
        match (self.memo.rows_of_lists.get(&kind), self.memo.hashes.get(&kind)) {
            (Some((_, Some(_))), Some([keys, ..])) => *keys,
            _ => kind,
        }
    }

    /// Can an array of the kind be frozen, or a Hash?
    pub(super) fn any_frozen_array(&mut self, kind: ArrayKind) -> bool {
        let kind = self.told_frozen(kind);
        self.memo.frozen_rows.contains(&kind) || self.host.any_frozen_array(kind)
    }

    /// The section may make frozen arrays of the kind, or Hashes.
    pub(super) fn note_frozen_rows(&mut self, kind: ArrayKind) {
        self.memo.changed |= self.memo.frozen_rows.insert(kind);
    }

    /// Is the array frozen, or the Hash?
    pub(crate) fn is_frozen_array(&mut self, kind: ArrayKind, id: Value) -> Value {
        // What elements have of a list of the driver's does not tell.
        let kind = self.told_frozen(kind);
        let is_copy = self.memo.freezes_arrays && self.give_rows_to_copied(&Type::Array(kind).into());
        if is_copy || !self.any_frozen_array(kind) {
            return self.b.bool(false);
        }
        let frozen = self.buffer(BufferKind::FrozenArray(kind), Ty::Bool);
        let changes = self.memo.frozen_rows.contains(&kind);
        self.b.load(frozen, id, Ty::Bool, changes)
    }

    /// The same of what has such a row, a Hash or an array.
    pub(crate) fn is_frozen_row(&mut self, kind: ArrayKind, row: &Operand) -> Value {
        match row.types.single() {
            Some(ty) if ty.is_hash() => self.is_frozen_hash(row),
            _ => self.is_frozen_array(kind, row.value()),
        }
    }

    /// Freezes a Hash that the section has made and that has a row, or an array that a driver or its calls have made.
    /// False where it may be another one; arrays that elements make have rows when the element is over.
    pub(crate) fn freeze_row(&mut self, kind: ArrayKind, id: Value) -> bool {
        let is_made = match self.memo.rows_of_lists.get(&kind) {
            Some((_, sort)) => self.in_driver || sort.is_some(),
            None => self.is_of_calls(&Type::Array(kind)),
        };
        if !is_made {
            return false;
        }
        let kind = self.told_frozen(kind);
        self.note_frozen_rows(kind);
        let frozen = self.buffer(BufferKind::FrozenArray(kind), Ty::Bool);
        self.program.buffers[frozen.0 as usize].written = true;
        let yes = self.b.bool(true);
        self.b.store(frozen, id, yes);
        true
    }
}
