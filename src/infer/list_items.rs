//! Lists get longer and shorter: items are put behind and before the others, and moved to where there is room.

use super::Lowerer;
use super::lists::MOVED;
use super::operand::Operand;
use crate::intrinsics::Intrinsic;
use crate::ir::{BinaryOp, Comparison, UnaryOp, Value};
use crate::types::{ListKind, Type};

impl Lowerer<'_> {
    /// Puts `value` behind the items.
    pub(crate) fn push(&mut self, kind: ListKind, list: Value, value: &Operand) {
        let Some(words) = self.item_words(kind, list, value) else { return };
        let length = self.list_length(list);
        let (room, _) = self.room(list);
        let full = self.b.compare(Comparison::Ge, length, room);
        self.make_room(list, full, words.len(), None);
        self.set_words(list, length, words);
        let longer = self.plus(length, 1);
        self.set_header(list, 0, longer);
    }

    /// Puts `value` before the items.
    pub(crate) fn push_front(&mut self, kind: ListKind, list: Value, value: &Operand) {
        let Some(words) = self.item_words(kind, list, value) else { return };
        let (_, before) = self.room(list);
        let zero = self.b.i64(0);
        let full = self.b.compare(Comparison::Eq, before, zero);
        self.make_room_in_front(list, full, words.len());
        let back = self.b.i64(-1);
        self.move_start(list, back, words.len());
        self.set_words(list, zero, words);
    }

    /// Drops the first `count` items, which are there.
    pub(crate) fn drop_front(&mut self, kind: ListKind, list: Value, count: Value) {
        let (_, scalars) = self.items_of(kind);
        self.move_start(list, count, scalars.len());
    }

    fn move_start(&mut self, list: Value, count: Value, width: usize) {
        let (moved, wide) = (self.b.i64(MOVED), self.b.i64(width as i64));
        let words = self.b.binary(BinaryOp::Mul, count, wide);
        let room = self.b.binary(BinaryOp::Mul, count, moved);
        for (word, op, by) in [(0, BinaryOp::Sub, count), (1, BinaryOp::Add, room), (2, BinaryOp::Add, words)]
        {
            let before = self.header(list, word);
            let after = self.b.binary(op, before, by);
            self.set_header(list, word, after);
        }
    }

    pub(super) fn set_words(&mut self, list: Value, index: Value, words: Vec<Value>) {
        let items = self.header(list, 2);
        let at = self.item_word(items, index, words.len());
        for (i, word) in words.into_iter().enumerate() {
            let at = self.plus(at, i as i64);
            self.set_word(at, word);
        }
    }

    /// For how many items there is room from the first one on, and before it.
    fn room(&mut self, list: Value) -> (Value, Value) {
        let both = self.header(list, 1);
        let (lower, half) = (self.b.i64(u32::MAX.into()), self.b.i64(32));
        let (room, before) =
            (self.b.binary(BinaryOp::And, both, lower), self.b.binary(BinaryOp::Shr, both, half));
        (room, self.b.at_least_zero(before))
    }

    /// Makes room for so many items in all, if there is none.
    fn reserve_items(&mut self, list: Value, count: Value, width: usize) {
        let (room, _) = self.room(list);
        let full = self.b.compare(Comparison::Gt, count, room);
        self.make_room(list, full, width, Some(count));
    }

    /// Where the list is `full`, makes room for so many items in all, or for one more at least.
    fn make_room(&mut self, list: Value, full: Value, width: usize, count: Option<Value>) {
        self.where_full(full, &mut |s| s.move_items(list, width, count, false));
    }

    fn make_room_in_front(&mut self, list: Value, full: Value, width: usize) {
        self.where_full(full, &mut |s| s.move_items(list, width, None, true));
    }

    fn where_full(&mut self, full: Value, f: &mut dyn FnMut(&mut Self)) {
        let condition = super::Condition { value: full, yes: vec![], no: vec![] };
        let then = |s: &mut Self| {
            f(s);
            Operand::nil()
        };
        self.within_slot(0x3f0, |s| s.branch(21, condition, then, |_| Operand::nil()));
    }

    /// Moves the items to where they have room behind them, or on both sides. They stay in their memory if more than a
    /// fourth of it is free, and get twice as much otherwise: so a change at an end takes constant time in the long run,
    /// and a queue takes no more memory for being used longer.
    fn move_items(&mut self, list: Value, width: usize, wanted: Option<Value>, in_front: bool) {
        let length = self.list_length(list);
        let (room, before) = self.room(list);
        let from = self.header(list, 2);
        let (zero, one, two, three) = (self.b.i64(0), self.b.i64(1), self.b.i64(2), self.b.i64(3));
        let wide = self.b.i64(width as i64);
        let all = self.b.binary(BinaryOp::Add, room, before);
        let free = self.b.binary(BinaryOp::Sub, all, length);
        let thrice = self.b.binary(BinaryOp::Mul, free, three);
        let stays = self.b.compare(Comparison::Gt, thrice, length);
        let (stays, wanted) = match wanted {
            Some(wanted) => {
                let fits = self.b.compare(Comparison::Ge, all, wanted);
                (self.b.binary(BinaryOp::AndB, stays, fits), wanted)
            }
            None => (stays, self.plus(length, 1)),
        };
        let doubled = self.b.binary(BinaryOp::Mul, wanted, two);
        let doubled = self.plus(doubled, 2);
        let words = self.b.binary(BinaryOp::Mul, doubled, wide);
        let words = self.b.select(stays, zero, words);
        let elsewhere = self.allocate(words);
        let offset = self.b.binary(BinaryOp::Mul, before, wide);
        let here = self.b.binary(BinaryOp::Sub, from, offset);
        let start = self.b.select(stays, here, elsewhere);
        let all = self.b.select(stays, all, doubled);
        let count = self.b.binary(BinaryOp::Mul, length, wide);
        let before = if in_front {
            let free = self.b.binary(BinaryOp::Sub, all, length);
            let free = self.plus(free, 1);
            self.b.binary(BinaryOp::Shr, free, one)
        } else {
            zero
        };
        let offset = self.b.binary(BinaryOp::Mul, before, wide);
        let to = self.b.binary(BinaryOp::Add, start, offset);
        self.move_words((to, from), count, in_front);
        let moved = self.b.i64(MOVED);
        let moved = self.b.binary(BinaryOp::Mul, before, moved);
        let room = self.b.binary(BinaryOp::Add, all, moved);
        self.set_header(list, 1, room);
        self.set_header(list, 2, to);
        let moves = self.b.unary(UnaryOp::Not, stays);
        self.note_growth_of(list, moves);
    }

    /// So many words of scratch memory come to a place from another one. `back`: to behind it, or somewhere else.
    pub(super) fn move_words(&mut self, (to, from): (Value, Value), count: Value, back: bool) {
        if self.has_intrinsics() {
            let (memory, start) = (self.scratch(), self.b.i32(0));
            self.b.intrinsic(Intrinsic::MoveWords, vec![(memory, start)], vec![to, from, count]);
            return;
        }
        // What is moved to the front begins with the first word, what is moved to the back with the last.
        let (first, end, step) = match back {
            true => (self.plus(count, -1), self.b.i64(-1), -1),
            false => (self.b.i64(0), count, 1),
        };
        self.counted(first, end, step, &mut |s, i, _, _| {
            let (source, target) = (s.b.binary(BinaryOp::Add, from, i), s.b.binary(BinaryOp::Add, to, i));
            let word = s.word(source);
            s.set_word(target, word);
        });
    }

    /// So many items come to an index from another one: all are within the list.
    pub(crate) fn move_list_items(&mut self, kind: ListKind, list: Value, [to, from, count]: [Value; 3]) {
        let width = self.items_of(kind).1.len();
        let items = self.header(list, 2);
        let places = (self.item_word(items, to, width), self.item_word(items, from, width));
        let zero = self.b.i64(0);
        let words = self.item_word(zero, count, width);
        self.move_words(places, words, false);
    }

    /// Are items of `other` words that a list of the kind can have as they are, and refer to no scratch memory?
    pub(crate) fn takes_words(&mut self, kind: ListKind, other: &Operand) -> bool {
        let Some(Type::List(of)) = other.types.single() else { return false };
        let (own, others) = (self.items_of(kind).0, self.items_of(*of).0);
        let is_plain = |ty: &Type| {
            use Type::{False, Float, Integer, Nil, Object, Symbol, True};
            matches!(ty, Nil | True | False | Integer | Float | Symbol | Object(..))
        };
        self.has_intrinsics() && !own.is_empty() && own == others && own.iter().all(is_plain)
    }

    /// Puts so many items of `other`, from an index on, behind those of a list that [`Lowerer::takes_words`] of it.
    pub(crate) fn push_words(
        &mut self,
        kind: ListKind,
        list: Value,
        other: &Operand,
        [from, count]: [Value; 2],
    ) {
        let Some(Type::List(of)) = other.types.single() else { return };
        let (types, scalars) = self.items_of(*of);
        self.note_stored(kind);
        self.memo.list_item(kind, &types);
        let width = scalars.len();
        let length = self.list_length(list);
        let longer = self.b.binary(BinaryOp::Add, length, count);
        self.reserve_items(list, longer, width);
        let (own, others) = (self.header(list, 2), self.header(other.value(), 2));
        let places = (self.item_word(own, length, width), self.item_word(others, from, width));
        let zero = self.b.i64(0);
        let words = self.item_word(zero, count, width);
        self.move_words(places, words, false);
        self.set_header(list, 0, longer);
    }
}
