//! Strings that a section makes: bytes are put behind those that are there, which move to where there is room.

use super::Lowerer;
use super::changing_strings::Bytes;

use super::operand::Operand;
use super::strings::{FIELDS, MAX_IN_WORDS, NOT_ASCII};
use crate::hashing;
use crate::intrinsics::Intrinsic;
use crate::ir::{BinaryOp, Comparison, UnaryOp, Value};
use crate::string_layout::{
    Encoding, FLAGS, HEADER, ROOM, ROW, SIZE, START, STRING_ASCII, STRING_FROZEN, STRING_INTERNED,
};
use crate::types::{ClassId, Type};

impl Lowerer<'_> {
    /// An empty String of an encoding with room for so many bytes (`I64`, not negative).
    pub(crate) fn new_string(&mut self, room: Value, encoding: Value) -> Operand {
        let kind = self.made_kind(ClassId::STRING);
        self.note_made(kind);
        let made = self.memo.made.entry(ClassId::STRING).or_default();
        if made.fields.is_empty() {
            // Whoever asks knows without.
            made.fields = FIELDS.iter().map(|name| (name.to_string(), Type::Integer.into())).collect();
        }
        let room = self.affordable(room);
        let words = self.string_words(room);
        let all = self.plus(words, HEADER + 1);
        let start = self.allocate(all);
        let (class, zero) = (self.b.i64(ClassId::STRING.0.into()), self.b.i64(0));
        let first = self.plus(start, HEADER);
        let flags = self.op(BinaryOp::Or, encoding, STRING_ASCII);
        for (i, word) in [class, zero, room, first, flags].into_iter().enumerate() {
            let at = self.plus(start, i as i64);
            self.set_word(at, word);
        }
        Operand::one(Type::Made(ClassId::STRING), self.b.unary(UnaryOp::WrapI64, start))
    }

    /// A String of this text.
    pub(crate) fn string_of_text(&mut self, text: &str) -> Operand {
        let (room, encoding) = (self.b.i64(text.len() as i64), self.b.i64(Encoding::Utf8 as i64));
        let string = self.new_string(room, encoding);
        self.set_string_text(&string, text);
        if !self.b.is_dead() {
            self.b.set_text(string.value(), text);
        }
        string
    }

    /// A String that begins with a text, with room for so many bytes.
    pub(crate) fn begun_text(&mut self, text: &str, room: Value) -> Operand {
        let encoding = self.b.i64(Encoding::Utf8 as i64);
        let string = self.new_string(room, encoding);
        self.set_string_text(&string, text);
        string
    }

    /// Puts a text behind, word by word if it is not long.
    pub(crate) fn put_written(&mut self, string: &Operand, text: &str, by: &str) -> Operand {
        if text.len() > MAX_IN_WORDS {
            let text = self.string_of_text(text);
            let (from, size) = (self.b.i64(0), self.string_size(&text));
            return match by {
                "#any_word" => {
                    self.send(string, "#append", &[text, Operand::integer(from), Operand::integer(size)], 1)
                }
                _ => self.send(string, "#interpolate", &[text], 1),
            };
        }
        for (i, bytes) in (0..).zip(text.as_bytes().chunks(8)) {
            let numbers = [hashing::word(bytes), bytes.len() as i64];
            let numbers = numbers.map(|number| Operand::integer(self.b.i64(number)));
            let put = self.within_slot(0x620 + i, |s| s.send(string, by, &numbers, 1));
            if put.is_bottom() {
                return put;
            }
        }
        Operand::nil()
    }

    /// Puts a text into a String that has just been made, with room for it.
    fn set_string_text(&mut self, string: &Operand, text: &str) {
        if self.b.is_dead() || text.is_empty() {
            return;
        }
        let start = self.start_of(string.value());
        let first = self.plus(start, HEADER);
        for (i, bytes) in text.as_bytes().chunks(8).enumerate() {
            let at = self.plus(first, i as i64);
            let word = self.b.i64(hashing::word(bytes));
            self.set_word(at, word);
        }
        let size = self.b.i64(text.len() as i64);
        self.set_string_field(string.value(), SIZE, size);
        if !text.is_ascii() {
            let all = self.b.i64(NOT_ASCII);
            self.mark_bytes(string, all);
        }
    }

    /// So many bytes, or more than there can be, of which words can still be counted.
    fn affordable(&mut self, bytes: Value) -> Value {
        const BEYOND: i64 = 1 << 40;
        let known = self.b.interval(bytes);
        if known.low >= 0 && known.high <= BEYOND {
            return bytes;
        }
        let beyond = self.b.i64(BEYOND);
        let is_less = self.b.compare(Comparison::LtU, bytes, beyond);
        self.b.select(is_less, bytes, beyond)
    }

    /// Makes room for so many bytes more.
    pub(super) fn string_room(&mut self, string: &Operand, more: Value) {
        let size = self.string_size(string);
        let wanted = self.b.binary(BinaryOp::Add, size, more);
        let fits = if string.types.single().is_some_and(Type::is_made_string) {
            let kind = self.made_kind(ClassId::STRING);
            self.note_stored(kind);
            let room = self.string_field(string.value(), ROOM);
            self.b.compare(Comparison::Le, wanted, room)
        } else {
            let Some(fits) = self.fits_outside(string, wanted) else { return };
            fits
        };
        let condition = super::Condition { value: fits, yes: vec![], no: vec![] };
        self.within_slot(0x607, |s| {
            s.branch(
                84,
                condition,
                |_| Operand::nil(),
                |s| {
                    s.send(string, "#grow", &[Operand::integer(wanted)], 1);
                    Operand::nil()
                },
            )
        });
    }

    /// Moves the bytes to where there is room for twice as many as are wanted.
    pub(crate) fn enlarge_string(&mut self, string: &Operand, wanted: Value) {
        if !string.types.single().is_some_and(Type::is_made_string) {
            return self.enlarge_outside(string, wanted);
        }
        let wanted = self.affordable(wanted);
        let room = self.op(BinaryOp::Shl, wanted, 1);
        let room = self.plus(room, 16);
        let words = self.string_words(room);
        let all = self.plus(words, 1);
        let to = self.allocate(all);
        let from = self.string_field(string.value(), START);
        let size = self.string_size(string);
        let (zero, count) = (self.b.i64(0), self.string_words(size));
        self.within_slot(0x607, |s| {
            s.counted(zero, count, 1, &mut |s, i, _, _| {
                let (a, b) = (s.b.binary(BinaryOp::Add, from, i), s.b.binary(BinaryOp::Add, to, i));
                let word = s.word(a);
                s.set_word(b, word);
            });
        });
        self.set_string_field(string.value(), ROOM, room);
        self.set_string_field(string.value(), START, to);
        let always = self.b.bool(true);
        self.note_growth_of(string.value(), always);
    }

    /// Appends a byte.
    pub(crate) fn push_byte(&mut self, string: &Operand, byte: Value) {
        let one = self.b.i64(1);
        self.string_room(string, one);
        let Some(place) = self.changing_bytes(string) else { return };
        let size = self.string_size(string);
        let byte = self.op(BinaryOp::And, byte, 0xff);
        // Behind the bytes of one from before the section is a word of zeros.
        self.put_bytes(place, size, byte, !string.types.single().is_some_and(Type::is_made_string));
        self.mark_bytes(string, byte);
        let longer = self.plus(size, 1);
        self.set_string_size(string, longer);
    }

    /// Appends up to eight bytes of a word; behind them it has zeros.
    pub(crate) fn push_word(&mut self, string: &Operand, word: Value, count: Value) {
        self.string_room(string, count);
        let Some(place) = self.changing_bytes(string) else { return };
        let size = self.string_size(string);
        self.put_bytes(place, size, word, true);
        self.mark_bytes(string, word);
        let longer = self.b.binary(BinaryOp::Add, size, count);
        self.set_string_size(string, longer);
    }

    /// Puts bytes behind those that are there, at index `size`; behind them are zeros.
    fn put_bytes(&mut self, place: Bytes, size: Value, bytes: Value, several: bool) {
        let at = self.op(BinaryOp::Shr, size, 3);
        let shift = self.shift_of(size);
        let zero = self.b.i64(0);
        let there = self.word_of(place, at);
        let fresh = self.b.compare(Comparison::Eq, shift, zero);
        let there = self.b.select(fresh, zero, there);
        let lower = self.b.binary(BinaryOp::Shl, bytes, shift);
        let word = self.b.binary(BinaryOp::Or, there, lower);
        self.set_word_of(place, at, word);
        if several {
            let next = self.plus(at, 1);
            let (one, most) = (self.b.i64(1), self.b.i64(63));
            let left = self.b.binary(BinaryOp::Sub, most, shift);
            let upper = self.shift_down(bytes, one);
            let upper = self.shift_down(upper, left);
            self.set_word_of(place, next, upper);
        }
    }

    /// Appends so many bytes of another String, from an index on.
    pub(crate) fn append_bytes(&mut self, string: &Operand, other: &Operand, from: Value, count: Value) {
        self.string_room(string, count);
        if self.has_intrinsics() && string.types.single().is_some_and(Type::is_made_string) {
            self.push_with(Intrinsic::Append, string, &[other], &[from, count]);
            return;
        }
        let Some(place) = self.changing_bytes(string) else { return };
        let size = self.string_size(string);
        let (zero, words) = (self.b.i64(0), self.string_words(count));
        let all = self.b.var(crate::scalar::Ty::I64);
        self.b.set(all, zero);
        self.within_slot(0x608, |s| {
            s.counted(zero, words, 1, &mut |s, i, _, _| {
                let done = s.op(BinaryOp::Shl, i, 3);
                let at = s.b.binary(BinaryOp::Add, from, done);
                let left = s.b.binary(BinaryOp::Sub, count, done);
                let bytes = s.string_bytes(other, at);
                let bytes = s.first_bytes(bytes, left);
                let to = s.b.binary(BinaryOp::Add, size, done);
                s.put_bytes(place, to, bytes, true);
                let before = s.b.get(all);
                let after = s.b.binary(BinaryOp::Or, before, bytes);
                s.b.set(all, after);
            })
        });
        let all = self.b.get(all);
        self.mark_bytes(string, all);
        let longer = self.b.binary(BinaryOp::Add, size, count);
        self.set_string_size(string, longer);
    }

    /// Sets the byte at an index within the String.
    pub(crate) fn set_byte(&mut self, string: &Operand, index: Value, byte: Value) {
        let Some(place) = self.changing_bytes(string) else { return };
        let at = self.op(BinaryOp::Shr, index, 3);
        let shift = self.shift_of(index);
        let there = self.word_of(place, at);
        let mask = self.b.i64(0xff);
        let byte = self.b.binary(BinaryOp::And, byte, mask);
        let mask = self.b.binary(BinaryOp::Shl, mask, shift);
        let mask = self.b.unary(UnaryOp::BitNot, mask);
        let byte = self.b.binary(BinaryOp::Shl, byte, shift);
        let rest = self.b.binary(BinaryOp::And, there, mask);
        let word = self.b.binary(BinaryOp::Or, rest, byte);
        self.set_word_of(place, at, word);
        self.mark_bytes(string, byte);
    }

    /// Drops what is behind so many bytes.
    pub(crate) fn truncate_string(&mut self, string: &Operand, size: Value) {
        let Some(place) = self.changing_bytes(string) else { return };
        let at = self.op(BinaryOp::Shr, size, 3);
        let there = self.word_of(place, at);
        let within = self.op(BinaryOp::And, size, 7);
        let word = self.first_bytes(there, within);
        self.set_word_of(place, at, word);
        self.set_string_size(string, size);
    }

    /// Sets the encoding.
    pub(crate) fn force_encoding(&mut self, string: &Operand, encoding: Value) {
        let flags = self.string_flags(string);
        let others = self.op(BinaryOp::And, flags, STRING_FROZEN | STRING_ASCII);
        let flags = self.b.binary(BinaryOp::Or, others, encoding);
        self.set_string_flags(string, flags);
    }

    /// Gives a String what a made one has, which nobody needs any more.
    pub(crate) fn take_string(&mut self, string: &Operand, other: &Operand) {
        if string.types.single().is_some_and(Type::is_made_string) {
            let kind = self.made_kind(ClassId::STRING);
            self.note_stored(kind);
            for field in [SIZE, ROOM, START] {
                let value = self.string_field(other.value(), field);
                self.set_string_field(string.value(), field, value);
            }
            self.note_reference(string.value(), other);
        } else {
            let zero = self.b.i64(0);
            self.set_string_size(string, zero);
            let size = self.string_size(other);
            let args = [other.clone(), Operand::integer(zero), Operand::integer(size)];
            self.send(string, "#append", &args, 1);
        }
        let flags = self.string_flags(string);
        let others = self.string_flags(other);
        let frozen = self.op(BinaryOp::And, flags, STRING_FROZEN);
        let taken = self.op(BinaryOp::And, others, STRING_ASCII | (STRING_FROZEN - 1));
        let flags = self.b.binary(BinaryOp::Or, frozen, taken);
        self.set_string_flags(string, flags);
    }

    pub(crate) fn is_frozen_string(&mut self, string: &Operand) -> Value {
        match string.types.single() {
            Some(Type::Object(hierarchy, _)) => self.is_frozen(*hierarchy, string.value()),
            _ => {
                let flags = self.string_field(string.value(), FLAGS);
                let (frozen, zero) = (self.op(BinaryOp::And, flags, STRING_FROZEN), self.b.i64(0));
                self.b.compare(Comparison::Ne, frozen, zero)
            }
        }
    }

    /// Is it one of which the section knows that there is no other of its text?
    pub(crate) fn is_interned_string(&mut self, string: &Operand) -> Value {
        if !string.types.iter().any(Type::is_made_string) {
            return self.b.bool(false);
        }
        let flags = self.string_field(string.value(), FLAGS);
        let (interned, zero) = (self.op(BinaryOp::And, flags, STRING_INTERNED), self.b.i64(0));
        self.b.compare(Comparison::Ne, interned, zero)
    }

    /// Has the String a row, so that it must not change?
    pub(crate) fn has_row(&mut self, string: &Operand) -> Value {
        if !self.in_driver {
            return self.b.bool(false);
        }
        let flags = self.string_field(string.value(), FLAGS);
        let (row, zero) = (self.op(BinaryOp::Shr, flags, ROW), self.b.i64(0));
        self.b.compare(Comparison::Gt, row, zero)
    }

    /// Are they the same object? Of those that Hashes have taken as keys there is one of each text.
    pub(crate) fn are_one_string(&mut self, one: &Operand, other: &Operand) -> Operand {
        let is_made = |string: &Operand| string.types.iter().any(Type::is_made_string);
        let same = match (is_made(one), is_made(other)) {
            (true, false) => self.is_copy_of(one, other),
            (false, true) => self.is_copy_of(other, one),
            _ => self.b.compare(Comparison::Eq, one.value(), other.value()),
        };
        if !self.memo.freezing.contains(&ClassId::STRING) {
            return Operand::bool(same);
        }
        self.where_false(same, |s| {
            let (a, b) = (s.string_flags(one), s.string_flags(other));
            let both = s.b.binary(BinaryOp::And, a, b);
            let (interned, zero) = (s.op(BinaryOp::And, both, STRING_INTERNED), s.b.i64(0));
            let are_keys = s.b.compare(Comparison::Ne, interned, zero);
            s.where_true(are_keys, |s| s.same_strings(one, other))
        })
    }

    /// Is that the row of a made String?
    fn is_copy_of(&mut self, made: &Operand, other: &Operand) -> Value {
        if !self.in_driver {
            return self.b.bool(false);
        }
        let flags = self.string_field(made.value(), FLAGS);
        let row = self.op(BinaryOp::Shr, flags, ROW);
        let row = self.plus(row, -1);
        let others = self.b.unary(UnaryOp::ExtendI32, other.value());
        self.b.compare(Comparison::Eq, row, others)
    }

    pub(crate) fn freeze_string(&mut self, string: &Operand, interned: bool) {
        self.memo.changed |= self.memo.freezing.insert(ClassId::STRING);
        let flags = self.string_field(string.value(), FLAGS);
        let more = if interned { STRING_FROZEN | STRING_INTERNED } else { STRING_FROZEN };
        let flags = self.op(BinaryOp::Or, flags, more);
        self.set_string_field(string.value(), FLAGS, flags);
    }

    /// Words of a made String in a result: the header and what holds bytes.
    pub(super) fn words_of_string(&mut self, size: Value) -> Value {
        let words = self.string_words(size);
        self.plus(words, HEADER)
    }

    /// Where a made String has its size, and the word that its bytes begin with.
    pub(super) fn string_in_memory(&mut self, start: Value) -> (Value, Value) {
        let [size, first] = [SIZE, START].map(|field| {
            let at = self.plus(start, field);
            self.word(at)
        });
        (size, first)
    }
}
