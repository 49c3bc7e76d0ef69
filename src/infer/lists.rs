//! Arrays made in the section whose length is known at run time only: *lists*.
//!
//! Each thread has scratch memory of 64-bit words. Scratch memory is an arena: it is reset for each element and tick,
//! and after iterations that leave nothing in it. Its first word says how many words are in use; a list takes words
//! above that. It is known by where its header is: length, room, where the items begin. Items of a kind are stored as
//! the scalars that carry them, a word each, with room before and behind them, so that both ends change in amortised
//! constant time. The lower half of the room is how many items there is room for from the first one on, the upper half
//! for how many there is room before it: `shift` drops the first item by moving the beginning, and `unshift` moves it
//! back.
//!
//! What an element makes lies in scratch memory, and what it gives in a part of a column. Who has too little fails
//! (`ScratchFull`): nothing counts, and the section begins again with more. That is to be rare: a thread of the CPU
//! keeps 2 MiB of scratch memory for itself, of which only what was used takes memory, whatever is asked for; few
//! elements get much room for their results.

use super::births::{Birth, Holder};
use super::operand::{self, Operand, Values};
use super::results::RowWords;
use super::{BlockRef, Changing, Lowerer};
use crate::ir::{BinaryOp, Buffer, BufferKind, Comparison, ErrorKind, ScalarSource, UnaryOp, Value};
use crate::scalar::{Interval, Ty};
use crate::syntax::ast::Kind;
use crate::syntax::walk::each_node_in;
use crate::types::{ListKind, Type, TypeSet};

/// Words of a header: length, room, first item.
pub(super) const HEADER: i64 = 3;
/// The word that the low mark is (see `reuse`).
pub(super) const LOW: i64 = 1;
/// The first word that is taken.
pub(super) const START: i64 = 2;
/// Of a frozen list, in the word that has its length.
pub const LIST_FROZEN: i64 = 1 << 32;
/// One item of room before the first item instead of behind it.
pub(super) const MOVED: i64 = (1 << 32) - 1;

/// So many items are always code side by side …
const FEW: usize = 4;
/// … and more where that is no more than so many expressions of the user's, of which a call with a block counts as so many.
const MOST_UNROLLED: usize = 400;
const OF_BLOCK: usize = 20;

impl Lowerer<'_> {
    pub(super) fn scratch(&mut self) -> Buffer {
        let buffer = self.buffer(BufferKind::Scratch, Ty::I64);
        self.program.buffers[buffer.0 as usize].written = true;
        if !self.memo.makes_lists {
            self.memo.makes_lists = true;
            self.memo.changed |= true;
        }
        buffer
    }

    /// A tick begins with empty scratch memory.
    pub(crate) fn clear_scratch(&mut self) {
        if self.memo.makes_lists {
            let start = self.clear_logs(START);
            self.set_used(start);
            self.begin_low();
        }
    }

    pub(super) fn used(&mut self) -> Value {
        let buffer = self.scratch();
        let zero = self.b.i32(0);
        self.b.load(buffer, zero, Ty::I64, true)
    }

    pub(super) fn set_used(&mut self, words: Value) {
        let buffer = self.scratch();
        let zero = self.b.i32(0);
        self.b.store(buffer, zero, words);
    }

    /// Takes words of the scratch memory: where they begin (`I64`).
    pub(super) fn allocate(&mut self, words: Value) -> Value {
        let start = self.used();
        let end = self.b.binary(BinaryOp::Add, start, words);
        let most = self.scalar(ScalarSource::ScratchWords, Ty::I64, Interval::INDEX);
        let fits = self.b.compare(Comparison::Le, end, most);
        self.check(fits, ErrorKind::ScratchFull, &[end]);
        self.set_used(end);
        start
    }

    pub(super) fn word(&mut self, at: Value) -> Value {
        let buffer = self.scratch();
        let at = self.b.unary(UnaryOp::WrapI64, at);
        self.b.load(buffer, at, Ty::I64, true)
    }

    pub(super) fn set_word(&mut self, at: Value, value: Value) {
        let buffer = self.scratch();
        let at = self.b.unary(UnaryOp::WrapI64, at);
        self.b.store(buffer, at, value);
    }

    pub(super) fn plus(&mut self, a: Value, n: i64) -> Value {
        let n = self.b.i64(n);
        self.b.binary(BinaryOp::Add, a, n)
    }

    /// A header word of the list: 0 is its length.
    pub(super) fn header(&mut self, list: Value, word: i64) -> Value {
        let list = self.b.unary(UnaryOp::ExtendI32, list);
        let at = self.plus(list, word);
        self.word(at)
    }

    pub(super) fn set_header(&mut self, list: Value, word: i64, value: Value) {
        let list = self.b.unary(UnaryOp::ExtendI32, list);
        let at = self.plus(list, word);
        self.set_word(at, value);
    }

    /// What the lists of a kind hold, and the scalars of an item.
    pub(super) fn items_of(&mut self, kind: ListKind) -> (TypeSet, Vec<Ty>) {
        let types = self.memo.list(kind).items.clone();
        match operand::scalars(&types) {
            Some(scalars) => (types, scalars),
            None if self.keep_made(&types) => (TypeSet::empty(), vec![]),
            None => {
                self.refuse_here(
                    "mixed-values",
                    format!(
                        "items of an array can be {}, which cannot be told apart at run time",
                        self.describe(&types)
                    ),
                    Some("put items of one kind into the array".into()),
                );
                (TypeSet::empty(), vec![])
            }
        }
    }

    /// An empty list with room for `room` items (`I64`, not negative), of the kind of the current node's `slot`.
    pub(crate) fn new_list(&mut self, slot: u32, room: Value) -> Operand {
        let kind = self.memo.list_kind(self.join_key(slot));
        self.new_list_of(kind, room)
    }

    /// Is what the current node's slot makes an array of the heap?
    pub(crate) fn makes_array(&mut self, slot: u32) -> bool {
        let kind = self.memo.list_kind(self.join_key(slot));
        self.has_rows(kind)
    }

    fn new_list_of(&mut self, kind: ListKind, room: Value) -> Operand {
        if self.has_rows(kind) {
            return self.new_array(kind);
        }
        self.note_made(kind);
        let (_, scalars) = self.items_of(kind);
        let width = self.b.i64(scalars.len() as i64);
        // Room comes from lengths, or was checked: the product stays far below 64 bits.
        let words = self.b.binary(BinaryOp::Mul, room, width);
        let words = self.plus(words, HEADER);
        let start = self.allocate(words);
        let list = self.b.unary(UnaryOp::WrapI64, start);
        let (zero, items) = (self.b.i64(0), self.plus(start, HEADER));
        self.set_word(start, zero);
        self.set_header(list, 1, room);
        self.set_header(list, 2, items);
        Operand::one(Type::List(kind), list)
    }

    pub(crate) fn list_length(&mut self, list: Value) -> Value {
        let word = self.header(list, 0);
        let length = self.length_in(word);
        // Lengths are indexes: the scratch memory has fewer words than that.
        let length = self.b.unary(UnaryOp::WrapI64, length);
        let length = self.b.unary(UnaryOp::ExtendI32, length);
        self.b.at_least_zero(length)
    }

    pub(crate) fn set_list_length(&mut self, list: Value, length: Value) {
        self.set_header(list, 0, length);
    }

    /// Do lists of the kind change after they were made?
    pub(crate) fn list_is_mutated(&mut self, kind: ListKind) -> bool {
        self.memo.list(kind).mutated
    }

    /// Is some array that the section makes frozen?
    pub(crate) fn freezes_arrays(&self) -> bool {
        self.memo.freezes_arrays
    }

    /// Is a list frozen?
    pub(crate) fn is_frozen_list(&mut self, list: Value) -> Value {
        if !self.memo.freezes_arrays {
            return self.b.bool(false);
        }
        let length = self.header(list, 0);
        self.is_frozen_length(length)
    }

    pub(super) fn is_frozen_length(&mut self, length: Value) -> Value {
        let (frozen, zero) = (self.b.i64(LIST_FROZEN), self.b.i64(0));
        let flag = self.b.binary(BinaryOp::And, length, frozen);
        self.b.compare(Comparison::Ne, flag, zero)
    }

    pub(crate) fn note_frozen_array(&mut self) {
        self.memo.changed |= !self.memo.freezes_arrays;
        self.memo.freezes_arrays = true;
    }

    /// Says that lists of the kind change after they were made. False if that cannot be.
    pub(crate) fn mutate_list(&mut self, kind: ListKind) -> bool {
        let list = self.memo.list(kind);
        let is_new = !list.mutated;
        list.mutated = true;
        let copies = list.has_copies;
        self.memo.changed |= is_new;
        if copies {
            let made = self.memo.copied(kind);
            let grew = made.iter().fold(false, |grew, made| self.grow_literals(made) | grew);
            if grew || made.iter().fold(false, |grew, made| self.memo.grow_all(made) | grew) {
                return false;
            }
            self.refuse_here(
                "unsupported-store",
                "this array may be one of fixed length made elsewhere in the section, which cannot be changed",
                Some(
                    "make it with Array.new or map, assign it to the local variable that changes it, or use the method \
                     that gives a new array (uniq for uniq!)"
                        .into(),
                ),
            );
        }
        !copies
    }

    /// The item at `index` (an `I64` in `0...length`).
    pub(crate) fn list_item(&mut self, kind: ListKind, list: Value, index: Value) -> Operand {
        let (types, scalars) = self.items_of(kind);
        if types.is_empty() {
            return Operand::bottom();
        }
        let items = self.header(list, 2);
        let at = self.item_word(items, index, scalars.len());
        let item = self.load_words(&types, &scalars, at);
        self.refine(item)
    }

    pub(super) fn item_word(&mut self, items: Value, index: Value, width: usize) -> Value {
        let width = self.b.i64(width as i64);
        let offset = self.b.binary(BinaryOp::Mul, index, width);
        self.b.binary(BinaryOp::Add, items, offset)
    }

    pub(super) fn load_words(&mut self, types: &TypeSet, scalars: &[Ty], at: Value) -> Operand {
        let mut values = Values::new();
        for (i, ty) in scalars.iter().enumerate() {
            let at = self.plus(at, i as i64);
            let word = self.word(at);
            values.push(self.decode_payload(word, *ty));
        }
        Operand { types: types.clone(), values, birth: Birth::UNKNOWN }
    }

    /// The operand that is carried in these words.
    pub(super) fn decoded(&mut self, types: &TypeSet, words: &[Value]) -> Operand {
        let scalars = operand::scalars(types).unwrap_or_default();
        let values = words.iter().zip(scalars).map(|(word, ty)| self.decode_payload(*word, ty)).collect();
        Operand { types: types.clone(), values, birth: Birth::UNKNOWN }
    }

    /// `list[index]` of Ruby.
    pub(crate) fn list_at(&mut self, kind: ListKind, list: Value, index: Value) -> Operand {
        let (types, scalars) = self.items_of(kind);
        if types.is_empty() {
            return Operand::nil();
        }
        let length = self.list_length(list);
        let zero = self.b.i64(0);
        let negative = self.b.compare(Comparison::Lt, index, zero);
        let from_end = self.b.binary(BinaryOp::Add, index, length);
        let index = self.b.select(negative, from_end, index);
        let in_range = self.b.compare(Comparison::LtU, index, length);
        // Out of range the first words of the memory are read and dropped: an item is far smaller than the memory.
        let safe = self.b.select(in_range, index, zero);
        let items = self.header(list, 2);
        let at = self.item_word(items, safe, scalars.len());
        let at = self.b.select(in_range, at, zero);
        let item = self.load_words(&types, &scalars, at);
        self.or_nil(in_range, &item)
    }

    /// `list[index] = value` for an index in range.
    pub(crate) fn set_list_item(&mut self, kind: ListKind, list: Value, index: Value, value: &Operand) {
        let Some(words) = self.item_words(kind, list, value) else { return };
        self.set_words(list, index, words);
    }

    /// The words that store `value` in a list of the kind.
    pub(super) fn item_words(&mut self, kind: ListKind, list: Value, value: &Operand) -> Option<Vec<Value>> {
        if value.is_bottom() || self.b.is_dead() || self.keep_building(&value.types) {
            return None;
        }
        let value = &self.named(value.clone(), self.node.0);
        self.note_stored(kind);
        self.memo.list_item(kind, &value.types);
        let (types, scalars) = self.items_of(kind);
        if types.is_empty() {
            // What items can be has been refused.
            return None;
        }
        let value = self.listed(value, &types);
        self.note_held(Holder::List(kind), &value);
        if !operand::covers(&types, &value.types) {
            self.memo.changed |= true;
            return None;
        }
        let values = self.convert(&value, &types);
        if values.len() != scalars.len() {
            self.memo.changed |= true;
            return None;
        }
        self.note_reference(list, &value);
        Some(values.into_iter().map(|value| self.encode_payload(value)).collect())
    }

    /// `operand` as it is carried where arrays are lists.
    pub(crate) fn listed(&mut self, operand: &Operand, to: &TypeSet) -> Operand {
        if operand.types == *to || self.b.is_dead() {
            return operand.clone();
        }
        // Arrays within what is carried as its parts.
        let changes = |ty: &Type| to.iter().any(|to| to != ty && operand::is_same_but_for_parts(ty, to));
        if operand.types.iter().any(changes) {
            return self.within_slot(0x3f2, |s| {
                s.switch(&operand.clone(), 23, &mut |s, part| s.listed_parts(part, to))
            });
        }
        let kind = to.iter().find_map(|t| if let Type::List(kind) = t { Some(*kind) } else { None });
        let has_tuple = operand.types.iter().any(|t| matches!(t, Type::Tuple(_)));
        if !has_tuple {
            return operand.clone();
        }
        if let Some(kind) = kind {
            let operand = operand.clone();
            return self.within_slot(0x3f1, |s| {
                s.switch(&operand, 22, &mut |s, operand| match operand.types.single() {
                    Some(Type::Tuple(_)) => s.list_of_tuple(kind, &operand),
                    _ => operand,
                })
            });
        }
        // Arrays within an array of fixed length.
        let inner =
            to.iter().find_map(|t| if let Type::Tuple(items) = t { Some(items.clone()) } else { None });
        if let (Some(Type::Tuple(_)), Some(inner)) = (operand.types.single(), inner) {
            let items = self.tuple_items(operand);
            if items.len() == inner.len() {
                let items: Vec<Operand> =
                    items.iter().zip(inner.iter()).map(|(item, to)| self.listed(item, to)).collect();
                let birth = operand.birth.with_parts(&items);
                return Operand { birth, ..self.tuple(&items) };
            }
        }
        operand.clone()
    }

    fn listed_parts(&mut self, operand: Operand, to: &TypeSet) -> Operand {
        let Some(ty) = operand.types.single() else { return operand };
        let like = |to: &&Type| operand::is_same_but_for_parts(ty, to);
        let Some(parts) = to.iter().find(like).and_then(operand::parts) else {
            return self.listed(&operand, to);
        };
        let items = self.tuple_items(&operand);
        let items: Vec<Operand> = (0..)
            .zip(items.iter().zip(&parts))
            .map(|(i, (item, to))| self.within_slot(i, |s| s.listed(item, to)))
            .collect();
        let birth = operand.birth.with_parts(&items);
        Operand {
            types: operand::with_parts(ty, items.iter().map(|item| item.types.clone()).collect()).into(),
            values: items.into_iter().flat_map(|item| item.values).collect(),
            birth,
        }
    }

    pub(super) fn list_of_tuple(&mut self, kind: ListKind, tuple: &Operand) -> Operand {
        if self.has_rows(kind) {
            return self.array_of_tuple(kind, tuple).unwrap_or_else(Operand::bottom);
        }
        self.note_copied(kind, tuple);
        let items = self.tuple_items(tuple);
        let length = self.b.i64(items.len() as i64);
        let list = self.new_list_of(kind, length);
        // There is room for them, from its beginning on.
        let mut at = self.header(list.value(), 2);
        for (i, item) in items.iter().enumerate() {
            let words = self.within_slot(i as u32, |s| s.item_words(kind, list.value(), item));
            for word in words.into_iter().flatten() {
                self.set_word(at, word);
                at = self.plus(at, 1);
            }
        }
        self.set_header(list.value(), 0, length);
        list
    }

    /// A list of so many items (`I64`), each made of its index, at the current node's `slot`.
    pub(super) fn list_of_each(
        &mut self,
        slot: u32,
        count: Value,
        item: &mut dyn FnMut(&mut Self, Value) -> Operand,
    ) -> Operand {
        let list = self.new_list(slot, count);
        let (Some(into), zero) = (Changing::of(&list), self.b.i64(0)) else { return list };
        let Changing::List(kind, start) = into else {
            self.counted(zero, count, 1, &mut |s, i, _, _| {
                let item = item(s, i);
                s.push_to(into, &item);
            });
            return list;
        };
        let first = self.header(start, 2);
        self.counted(zero, count, 1, &mut |s, i, _, _| {
            let item = item(s, i);
            let Some(words) = s.item_words(kind, start, &item) else { return };
            let before = s.op(BinaryOp::Mul, i, words.len() as i64);
            let mut at = s.b.binary(BinaryOp::Add, first, before);
            for word in words {
                s.set_word(at, word);
                at = s.plus(at, 1);
            }
        });
        self.set_length(into, count);
        list
    }

    /// A list of an array of fixed length, whose items are alike, for a block that would be too much code for each of them.
    pub(super) fn as_loop(&mut self, array: &Operand, block: &BlockRef) -> Option<Operand> {
        let (Some(Type::Tuple(items)), BlockRef::Literal { literal, .. }) = (array.types.single(), block)
        else {
            return None;
        };
        // What Ruby's own methods do with each item is little, or a call of the user's block.
        if self.frame().builtin || items.len() < FEW || items.iter().any(|item| *item != items[0]) {
            return None;
        }
        let mut nodes = 0;
        each_node_in(&literal.body, &mut |node| {
            let has_block = matches!(&node.kind, Kind::Call(call) if call.block.is_some());
            nodes += if has_block { OF_BLOCK } else { 1 };
        });
        let is_loop = self.memo.loops || nodes * items.len() > MOST_UNROLLED;
        self.memo.unrolls |= !is_loop;
        is_loop.then(|| self.make_list(0x3f3, array)).filter(|list| !list.is_bottom())
    }

    /// An array of fixed length as a list of its own, at the current node's `slot`.
    pub(crate) fn make_list(&mut self, slot: u32, tuple: &Operand) -> Operand {
        let kind = self.memo.list_kind(self.join_key(slot));
        self.list_of_tuple(kind, tuple)
    }

    /// Writes the list's length and items into the element's result; gives the word where they begin.
    pub(crate) fn store_list(&mut self, kind: ListKind, list: Value, row: &RowWords) -> Value {
        let (types, scalars) = self.items_of(kind);
        let length = self.list_length(list);
        let width = scalars.len() as i64;
        let wide = self.b.i64(width);
        let words = self.b.binary(BinaryOp::Mul, length, wide);
        let words = self.plus(words, 1);
        let start = self.take_row(row, words);
        let whole = match self.memo.freezes_arrays {
            true => {
                let word = self.header(list, 0);
                self.leaving_length(word)
            }
            false => length,
        };
        self.set_row(start, whole);
        if width == 0 {
            return start;
        }
        let first = self.plus(start, 1);
        let zero = self.b.i64(0);
        let row = *row;
        self.counted(zero, length, 1, &mut |s, i, _, _| {
            let items = s.header(list, 2);
            let at = s.item_word(items, i, width as usize);
            let item = s.load_words(&types, &scalars, at);
            let offset = s.b.binary(BinaryOp::Mul, i, wide);
            let to = s.b.binary(BinaryOp::Add, first, offset);
            s.store_words(&item, to, &row);
        });
        start
    }

    /// The number of the next free word of the result, kept in a hidden local.
    pub(crate) fn take_row(&mut self, row: &RowWords, words: Value) -> Value {
        let start = self.temp_get(row.next).value();
        let end = self.b.binary(BinaryOp::Add, start, words);
        let most = self.scalar(ScalarSource::ResultWords, Ty::I64, Interval::INDEX);
        let fits = self.b.compare(Comparison::Le, end, most);
        self.check(fits, ErrorKind::ResultFull, &[end]);
        self.temp_set(row.next, Operand::integer(end));
        start
    }
}
