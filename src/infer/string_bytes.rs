//! The bytes of Strings: how they are read and compared, eight at once, or by intrinsics.

use super::Lowerer;
use super::operand::Operand;
use super::strings::NOT_ASCII;
use crate::hashing;
use crate::intrinsics::Intrinsic;
use crate::ir::{BinaryOp, Comparison, UnaryOp, Value};
use crate::string_layout::{FLAGS, STRING_ASCII};
use crate::types::Type;

impl Lowerer<'_> {
    /// What an intrinsic that reads gives of the bytes of Strings and of numbers; `None` where there are none.
    pub(crate) fn ask_bytes(
        &mut self,
        function: Intrinsic,
        strings: &[&Operand],
        args: &[Value],
    ) -> Option<Value> {
        if self.has_intrinsics() { self.read_bytes(function, strings, args) } else { None }
    }

    /// The same where there is no text in Ruby for it: a GPU cannot run it.
    pub(crate) fn read_bytes(
        &mut self,
        function: Intrinsic,
        strings: &[&Operand],
        args: &[Value],
    ) -> Option<Value> {
        let texts = strings.iter().map(|string| self.place_of_bytes(string)).collect::<Option<Vec<_>>>()?;
        Some(self.b.intrinsic(function, texts, args.to_vec()))
    }

    /// The same as a truth.
    fn ask_truth(&mut self, function: Intrinsic, strings: &[&Operand], args: &[Value]) -> Option<Value> {
        let (answer, zero) = (self.ask_bytes(function, strings, args)?, self.b.i64(0));
        Some(self.b.compare(Comparison::Ne, answer, zero))
    }

    /// Does the code that is being made run on the CPU for sure, so that it can call functions in Rust?
    pub(crate) fn has_intrinsics(&self) -> bool {
        self.in_driver || self.host.elements_on_cpu()
    }

    /// The byte at an index within the String.
    pub(crate) fn string_byte(&mut self, string: &Operand, index: Value) -> Value {
        let at = self.op(BinaryOp::Shr, index, 3);
        let at = self.b.at_least_zero(at);
        let word = self.string_word(string, at);
        let shift = self.shift_of(index);
        let byte = self.b.binary(BinaryOp::Shr, word, shift);
        self.op(BinaryOp::And, byte, 0xff)
    }

    /// Eight bytes from an index within the String on. Those behind its end may be anything.
    pub(super) fn string_bytes(&mut self, string: &Operand, index: Value) -> Value {
        let at = self.op(BinaryOp::Shr, index, 3);
        let at = self.b.at_least_zero(at);
        let first = self.string_word(string, at);
        let mut next = self.plus(at, 1);
        if !string.types.single().is_some_and(Type::is_made_string) {
            let size = self.string_size(string);
            let last = self.op(BinaryOp::Shr, size, 3);
            let beyond = self.b.compare(Comparison::Gt, next, last);
            next = self.b.select(beyond, last, next);
        }
        let second = self.string_word(string, next);
        let shift = self.shift_of(index);
        let lower = self.shift_down(first, shift);
        let most = self.b.i64(63);
        let left = self.b.binary(BinaryOp::Sub, most, shift);
        let upper = self.op(BinaryOp::Shl, second, 1);
        let upper = self.b.binary(BinaryOp::Shl, upper, left);
        self.b.binary(BinaryOp::Or, lower, upper)
    }

    /// Words that hold bytes.
    pub(super) fn string_words(&mut self, size: Value) -> Value {
        let rounded = self.plus(size, 7);
        self.op(BinaryOp::Shr, rounded, 3)
    }

    /// Looks at all bytes of one that has no mark, and marks it if it is made.
    pub(crate) fn scan_ascii(&mut self, string: &Operand) -> Value {
        // Those that were there before and stay as they are have been looked at.
        if let Some(Type::Object(hierarchy, _)) = string.types.single()
            && !self.memo.changes_strings
            && !self.is_settled_hierarchy(*hierarchy)
        {
            return self.b.bool(false);
        }
        let size = self.string_size(string);
        let ascii = match self.ask_truth(Intrinsic::IsAscii, &[string], &[size]) {
            Some(ascii) => ascii,
            None => self.scan_words(string, size),
        };
        if string.types.single().is_some_and(Type::is_made_string) {
            let flags = self.string_field(string.value(), FLAGS);
            let marked = self.op(BinaryOp::Or, flags, STRING_ASCII);
            let flags = self.b.select(ascii, marked, flags);
            self.set_string_field(string.value(), FLAGS, flags);
        }
        ascii
    }

    /// Is there nothing but ASCII in so many bytes?
    fn scan_words(&mut self, string: &Operand, size: Value) -> Value {
        let words = self.string_words(size);
        let (zero, yes, no) = (self.b.i64(0), self.b.bool(true), self.b.bool(false));
        let ascii = self.b.var(crate::scalar::Ty::Bool);
        self.b.set(ascii, yes);
        self.within_slot(0x600, |s| {
            s.counted(zero, words, 1, &mut |s, i, exit, _| {
                let word = s.string_word(string, i);
                let others = s.op(BinaryOp::And, word, NOT_ASCII);
                let none = s.b.compare(Comparison::Eq, others, zero);
                s.unless(none, 85, |s| {
                    s.b.set(ascii, no);
                    s.jump(exit, None);
                });
            })
        });
        self.b.get(ascii)
    }

    /// A number that is the same for the same bytes, as [`hashing::of_bytes`] has it.
    pub(crate) fn string_hash(&mut self, string: &Operand) -> Value {
        let size = self.string_size(string);
        if let Some(hash) = self.ask_bytes(Intrinsic::HashBytes, &[string], &[size]) {
            return hash;
        }
        let words = self.string_words(size);
        let zero = self.b.i64(0);
        let hash = self.b.var(crate::scalar::Ty::I64);
        let first = self.mixed(size);
        self.b.set(hash, first);
        self.within_slot(0x601, |s| {
            s.counted(zero, words, 1, &mut |s, i, _, _| {
                let word = s.string_word(string, i);
                let before = s.b.get(hash);
                let both = s.b.binary(BinaryOp::Xor, before, word);
                let after = s.mixed(both);
                s.b.set(hash, after);
            })
        });
        self.b.get(hash)
    }

    /// [`hashing::mix`]
    pub(crate) fn mixed(&mut self, number: Value) -> Value {
        let mut mixed = number;
        for (shift, factor) in hashing::ROUNDS {
            let upper = self.op(BinaryOp::Shr, mixed, shift.into());
            mixed = self.b.binary(BinaryOp::Xor, mixed, upper);
            mixed = self.op(BinaryOp::Mul, mixed, factor);
        }
        let upper = self.op(BinaryOp::Shr, mixed, hashing::LAST.into());
        self.b.binary(BinaryOp::Xor, mixed, upper)
    }

    /// Have both the same bytes, and encodings in which they are the same text?
    pub(crate) fn same_strings(&mut self, one: &Operand, other: &Operand) -> Operand {
        let (size, others) = (self.string_size(one), self.string_size(other));
        let alike = self.b.compare(Comparison::Eq, size, others);
        self.within_slot(0x602, |s| {
            s.where_true(alike, |s| {
                let flags = [one, other].map(|string| s.string_flags(string));
                if let Some(same) =
                    s.ask_truth(Intrinsic::SameText, &[one, other], &[size, flags[0], flags[1]])
                {
                    return Operand::bool(same);
                }
                let words = s.string_words(size);
                let same = s.same_words(words, |s, i| (s.string_word(one, i), s.string_word(other, i)));
                s.where_true(same, |s| {
                    let (a, b) = (s.string_encoding(one), s.string_encoding(other));
                    let same = s.b.compare(Comparison::Eq, a, b);
                    s.where_false(same, |s| s.send(one, "#ascii?", &[], 1))
                })
            })
        })
    }

    /// What `f` gives where the condition holds, else false.
    pub(super) fn where_true(&mut self, condition: Value, f: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let condition = super::Condition { value: condition, yes: vec![], no: vec![] };
        self.within_slot(0x603, |s| s.branch(80, condition, f, |s| Operand::bool(s.b.bool(false))))
    }

    pub(super) fn where_false(&mut self, condition: Value, f: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let condition = super::Condition { value: condition, yes: vec![], no: vec![] };
        self.within_slot(0x604, |s| s.branch(81, condition, |s| Operand::bool(s.b.bool(true)), f))
    }

    /// Are all pairs of words the same?
    fn same_words(
        &mut self,
        count: Value,
        mut pair: impl FnMut(&mut Self, Value) -> (Value, Value),
    ) -> Value {
        let (zero, yes, no) = (self.b.i64(0), self.b.bool(true), self.b.bool(false));
        let same = self.b.var(crate::scalar::Ty::Bool);
        self.b.set(same, yes);
        self.within_slot(0x605, |s| {
            s.counted(zero, count, 1, &mut |s, i, exit, _| {
                let (a, b) = pair(s, i);
                let equal = s.b.compare(Comparison::Eq, a, b);
                s.unless(equal, 82, |s| {
                    s.b.set(same, no);
                    s.jump(exit, None);
                });
            })
        });
        self.b.get(same)
    }

    /// Are so many bytes the same in both, from these indices on? They are within the Strings.
    pub(crate) fn same_bytes(
        &mut self,
        one: (&Operand, Value),
        other: (&Operand, Value),
        count: Value,
    ) -> Value {
        let args = [one.1, other.1, count];
        if let Some(same) = self.ask_truth(Intrinsic::SameBytes, &[one.0, other.0], &args) {
            return same;
        }
        let words = self.string_words(count);
        self.same_words(words, |s, i| {
            let done = s.op(BinaryOp::Shl, i, 3);
            let left = s.b.binary(BinaryOp::Sub, count, done);
            let pair = [one, other].map(|(string, start)| {
                let at = s.b.binary(BinaryOp::Add, start, done);
                let bytes = s.string_bytes(string, at);
                s.first_bytes(bytes, left)
            });
            (pair[0], pair[1])
        })
    }

    /// The index at which the other String's bytes stand first, from an index on that is not negative; -1 if there is none.
    pub(crate) fn index_of_bytes(&mut self, string: &Operand, other: &Operand, from: Value) -> Value {
        let (size, sought) = (self.string_size(string), self.string_size(other));
        if let Some(index) = self.ask_bytes(Intrinsic::IndexBytes, &[string, other], &[size, sought, from]) {
            return index;
        }
        let last = self.b.binary(BinaryOp::Sub, size, sought);
        let end = self.plus(last, 1);
        let none = self.b.i64(-1);
        let found = self.b.var(crate::scalar::Ty::I64);
        self.b.set(found, none);
        let zero = self.b.i64(0);
        let begin = self.string_word(other, zero);
        let begin = self.first_bytes(begin, sought);
        self.within_slot(0x606, |s| {
            s.counted(from, end, 1, &mut |s, i, exit, _| {
                let bytes = s.string_bytes(string, i);
                let bytes = s.first_bytes(bytes, sought);
                let may = s.b.compare(Comparison::Eq, bytes, begin);
                let is_it = s.within_slot(1, |s| {
                    s.where_true(may, |s| {
                        let zero = s.b.i64(0);
                        let eight = s.b.i64(8);
                        let short = s.b.compare(Comparison::Le, sought, eight);
                        s.where_false(short, |s| {
                            let same = s.same_bytes((string, i), (other, zero), sought);
                            Operand::bool(same)
                        })
                    })
                });
                if is_it.is_bottom() {
                    return;
                }
                let goes_on = s.b.unary(UnaryOp::Not, is_it.value());
                s.unless(goes_on, 83, |s| {
                    s.b.set(found, i);
                    s.jump(exit, None);
                });
            })
        });
        // An empty one is found at the end, too.
        self.b.get(found)
    }

    /// Shifts zeros in from above, by 0 to 63.
    pub(super) fn shift_down(&mut self, word: Value, by: Value) -> Value {
        let (all, most) = (self.b.i64(-1), self.b.i64(63));
        let left = self.b.binary(BinaryOp::Sub, most, by);
        let upper = self.b.binary(BinaryOp::Shl, all, left);
        let upper = self.op(BinaryOp::Shl, upper, 1);
        let mask = self.b.unary(UnaryOp::BitNot, upper);
        let shifted = self.b.binary(BinaryOp::Shr, word, by);
        self.b.binary(BinaryOp::And, shifted, mask)
    }

    /// The bits that a byte is shifted by in its word.
    pub(super) fn shift_of(&mut self, index: Value) -> Value {
        let within = self.op(BinaryOp::And, index, 7);
        self.op(BinaryOp::Shl, within, 3)
    }

    /// The word with nothing in it but its first bytes, of which there may be more than eight.
    pub(super) fn first_bytes(&mut self, word: Value, bytes: Value) -> Value {
        let (zero, eight) = (self.b.i64(0), self.b.i64(8));
        let whole = self.b.compare(Comparison::Ge, bytes, eight);
        let partly = self.b.select(whole, zero, bytes);
        let shift = self.op(BinaryOp::Shl, partly, 3);
        let upper = self.b.i64(-1);
        let upper = self.b.binary(BinaryOp::Shl, upper, shift);
        let mask = self.b.unary(UnaryOp::BitNot, upper);
        let part = self.b.binary(BinaryOp::And, word, mask);
        self.b.select(whole, word, part)
    }
}
