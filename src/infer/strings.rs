//! Strings. One that was there before the section is an object whose bytes are an array of the heap; one that the section
//! makes is in scratch memory ([`super::made`]), as a reference, so that it can change.
//!
//! How both lie in memory is in [`crate::string_layout`]: they are compared, hashed and copied word by word.

use super::Lowerer;
use super::changing_strings::Bytes;
use super::host::{FoundMethod, Method, RootKey};
use super::operand::Operand;
use crate::hashing;
use crate::intrinsics::Intrinsic;
use crate::ir::{BinaryOp, Buffer, Comparison, UnaryOp, Value};
use crate::string_layout::{
    BYTESIZE, ENCODING, Encoding, FLAGS, HEADER, ROOM, ROW, SIZE, START, STRING_ASCII, STRING_FROZEN,
    STRING_INTERNED, WORDS,
};
use crate::syntax::ast::{Kind, Node, StringPart};
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;

/// The variables of a made String behind its class, as they lie in memory.
const FIELDS: [&str; 4] = ["#bytesize", "#room", "#start", "#flags"];
/// The top bit of each byte.
const NOT_ASCII: i64 = 0x8080_8080_8080_8080_u64 as i64;

/// Bytes up to which a text is put behind another one word by word.
const MAX_IN_WORDS: usize = 32;

impl Type {
    /// A String, from before the section or made in it.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::Object(_, ClassId::STRING)) || self.is_made_string()
    }

    pub const fn is_made_string(&self) -> bool {
        matches!(self, Self::Made(ClassId::STRING))
    }
}

/// Methods of Strings that neither keep nor give the Strings that they get, and where they make others.
const LOOKING: &[&str] = &[
    "==",
    "#equals",
    "!=",
    "===",
    "eql?",
    "<=>",
    "<",
    ">",
    "<=",
    ">=",
    "+",
    "<<",
    "concat",
    "between?",
    "start_with?",
    "end_with?",
    "include?",
    "index",
    "rindex",
    "byteindex",
    "count",
    "delete",
    "tr",
    "tr_s",
    "squeeze",
    "split",
    "casecmp",
    "casecmp?",
    "sub",
    "gsub",
    "delete_prefix",
    "delete_suffix",
    "insert",
    "prepend",
    "replace",
    "ljust",
    "rjust",
    "center",
    "chomp",
    "each_line",
    "lines",
    "unpack",
    "unpack1",
    "upto",
    "%",
];
/// Methods of Strings that give the String itself, or tell which one it is.
const ITSELF: &[&str] = &[
    "to_s",
    "to_str",
    "itself",
    "tap",
    "then",
    "yield_self",
    "freeze",
    "frozen?",
    "-@",
    "+@",
    "clamp",
    "clone",
    "equal?",
    "force_encoding",
    "object_id",
    "__id__",
];
/// Those that give it when they are done.
const GOING_THROUGH: &[&str] =
    &["each_char", "each_byte", "each_codepoint", "each_line", "each_with_index", "split", "upto"];

/// What an expression in a String gives.
pub(crate) fn text_of(s: &mut Lowerer<'_>, value: &Operand) -> Operand {
    s.switch(value, 0, &mut |s, value| match value.types.single() {
        Some(ty) if ty.is_string() => value,
        _ => s.send(&value, "to_s", &[], 1),
    })
}

impl Lowerer<'_> {
    // ---- literals --------------------------------------------------------------------------------------------------

    /// A literal as an object that is the same each time, where that cannot be told.
    pub(super) fn shared_literal(&mut self, node: &Node) -> Option<Operand> {
        let text = match &node.kind {
            Kind::String(parts) => match &parts[..] {
                [] => "",
                [StringPart::Text(text)] => text,
                _ => return None,
            },
            _ => return None,
        };
        if self.frame().builtin {
            return None;
        }
        self.enter(node);
        self.outside_literal(text)
    }

    /// A String of this text that is there before the section.
    pub(crate) fn outside_literal(&mut self, text: &str) -> Option<Operand> {
        let literal = self.root(&RootKey::Text(text.into()))?;
        if !self.b.is_dead() && !literal.is_bottom() {
            self.b.set_text(literal.value(), text);
        }
        Some(literal)
    }

    /// The text of a String that was written out, and that nobody can change.
    pub(crate) fn unchanging_text(&self, string: &Operand) -> Option<Rc<str>> {
        let is_outside = matches!(string.types.single(), Some(Type::Object(_, ClassId::STRING)));
        if is_outside { self.b.text(string.value()) } else { None }
    }

    /// A table of what the running Ruby says of characters, as a String that is there before the section.
    pub(crate) fn characters(&mut self, table: &str) -> Operand {
        self.root(&RootKey::Characters(table.into())).unwrap_or_else(Operand::bottom)
    }

    /// Does a method, called on a literal, leave it as it is and to itself?
    pub(super) fn literal_stays(&mut self, name: &str, unused: bool) -> bool {
        !ITSELF.contains(&name)
            && (unused || !GOING_THROUGH.contains(&name))
            && !self.builtins.changes_strings(name)
            && matches!(
                self.host.method(ClassId::STRING, name),
                Ok(Some(FoundMethod { method: Method::Native { .. }, .. }))
            )
    }

    /// Does a method of these receivers only look at the Strings that it is given?
    pub(super) fn only_looks(&mut self, receivers: &TypeSet, name: &str) -> bool {
        let looks = |ty: &Type| match ty {
            ty if ty.is_string() => LOOKING.contains(&name),
            ty if ty.is_hash() => matches!(name, "[]" | "key?" | "has_key?" | "include?" | "member?" | "dig"),
            Type::Array(_) | Type::List(_) | Type::Tuple(_) => {
                matches!(name, "join" | "include?" | "index" | "count" | "pack")
            }
            Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol => {
                matches!(name, "==" | "#equals" | "!=" | "===" | "eql?")
            }
            _ => false,
        };
        let formats = matches!(name, "format" | "sprintf" | "printf");
        (formats || receivers.iter().all(looks))
            && receivers.iter().all(|ty| {
                let found = self.host.method(super::class_of(ty), name);
                matches!(found, Ok(Some(FoundMethod { method: Method::Native { .. }, .. })))
            })
    }

    // ---- numbers ---------------------------------------------------------------------------------------------------

    pub(super) fn op(&mut self, op: BinaryOp, a: Value, b: i64) -> Value {
        let b = self.b.i64(b);
        self.b.binary(op, a, b)
    }

    /// Shifts zeros in from above, by 0 to 63.
    fn shift_down(&mut self, word: Value, by: Value) -> Value {
        let (all, most) = (self.b.i64(-1), self.b.i64(63));
        let left = self.b.binary(BinaryOp::Sub, most, by);
        let upper = self.b.binary(BinaryOp::Shl, all, left);
        let upper = self.op(BinaryOp::Shl, upper, 1);
        let mask = self.b.unary(UnaryOp::BitNot, upper);
        let shifted = self.b.binary(BinaryOp::Shr, word, by);
        self.b.binary(BinaryOp::And, shifted, mask)
    }

    /// The bits that a byte is shifted by in its word.
    fn shift_of(&mut self, index: Value) -> Value {
        let within = self.op(BinaryOp::And, index, 7);
        self.op(BinaryOp::Shl, within, 3)
    }

    /// The word with nothing in it but its first bytes, of which there may be more than eight.
    fn first_bytes(&mut self, word: Value, bytes: Value) -> Value {
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

    // ---- reading ---------------------------------------------------------------------------------------------------

    pub(crate) fn string_size(&mut self, string: &Operand) -> Value {
        let size = match string.types.single() {
            Some(ty) if ty.is_made_string() => {
                if self.in_driver && self.memo.changes_strings {
                    self.refresh_string(string);
                }
                self.string_field(string.value(), SIZE)
            }
            _ => match self.outside_part(string, BYTESIZE) {
                Some(size) => size,
                None => return self.b.i64(0),
            },
        };
        // It is an index: memory has fewer words than those.
        let size = self.b.unary(UnaryOp::WrapI64, size);
        let size = self.b.unary(UnaryOp::ExtendI32, size);
        self.b.at_least_zero(size)
    }

    /// See [`Encoding`].
    pub(crate) fn string_encoding(&mut self, string: &Operand) -> Value {
        let flags = self.string_flags(string);
        self.op(BinaryOp::And, flags, STRING_FROZEN - 1)
    }

    fn string_flags(&mut self, string: &Operand) -> Value {
        match string.types.single() {
            Some(ty) if ty.is_made_string() => self.string_field(string.value(), FLAGS),
            _ => self.outside_part(string, ENCODING).unwrap_or_else(|| self.b.i64(0)),
        }
    }

    /// Is it known that there are only ASCII characters in it?
    pub(crate) fn string_marked_ascii(&mut self, string: &Operand) -> Value {
        let flags = self.string_flags(string);
        let (ascii, zero) = (self.op(BinaryOp::And, flags, STRING_ASCII), self.b.i64(0));
        self.b.compare(Comparison::Ne, ascii, zero)
    }

    /// Clears the mark of a String that gets these bytes, if one of them is no ASCII.
    fn mark_bytes(&mut self, string: &Operand, bytes: Value) {
        let flags = self.string_flags(string);
        let (others, zero) = (self.op(BinaryOp::And, bytes, NOT_ASCII), self.b.i64(0));
        let ascii = self.b.compare(Comparison::Eq, others, zero);
        let cleared = self.op(BinaryOp::And, flags, !STRING_ASCII);
        let flags = self.b.select(ascii, flags, cleared);
        self.set_string_flags(string, flags);
    }

    fn set_string_flags(&mut self, string: &Operand, flags: Value) {
        match string.types.single() {
            Some(ty) if ty.is_made_string() => self.set_string_field(string.value(), FLAGS, flags),
            _ => self.set_outside_flags(string, flags),
        }
    }

    fn set_string_size(&mut self, string: &Operand, size: Value) {
        match string.types.single() {
            Some(ty) if ty.is_made_string() => self.set_string_field(string.value(), SIZE, size),
            _ => self.set_outside_size(string, size),
        }
    }

    pub(super) fn outside_part(&mut self, string: &Operand, name: &str) -> Option<Value> {
        let part = self.read_ivar(string, name);
        if part.types.contains(&Type::Nil) {
            self.refuse_here(
                "unsupported-encoding",
                "a String here may have another encoding than UTF-8, US-ASCII or BINARY",
                Some("have it encoded before the section: string.encode(\"UTF-8\")".into()),
            );
        }
        (part.types.single() == Some(&Type::Integer)).then(|| part.value())
    }

    /// The word that the bytes of a made String begin with.
    pub(super) fn start_of_bytes(&mut self, string: &Operand) -> Value {
        self.string_field(string.value(), START)
    }

    pub(super) fn string_field(&mut self, string: Value, field: i64) -> Value {
        let start = self.start_of(string);
        let at = self.plus(start, field);
        self.word(at)
    }

    pub(super) fn set_string_field(&mut self, string: Value, field: i64, value: Value) {
        let start = self.start_of(string);
        let at = self.plus(start, field);
        self.set_word(at, value);
    }

    /// A word of the bytes, within the String.
    pub(crate) fn string_word(&mut self, string: &Operand, index: Value) -> Value {
        if string.types.single().is_some_and(Type::is_made_string) {
            let start = self.string_field(string.value(), START);
            let at = self.b.binary(BinaryOp::Add, start, index);
            return self.word(at);
        }
        // What is in other encodings is refused.
        self.outside_part(string, ENCODING);
        let words = self.read_ivar(string, WORDS);
        let Some(Type::Array(kind)) = words.types.single() else { return self.b.i64(0) };
        let word = self.array_item(*kind, words.value(), index);
        if word.values.len() == 1 { word.value() } else { self.b.i64(0) }
    }

    /// The words that its bytes are in, and where they begin.
    pub(super) fn place_of_bytes(&mut self, string: &Operand) -> Option<(Buffer, Value)> {
        if string.types.single()?.is_made_string() {
            let start = self.string_field(string.value(), START);
            let first = self.b.unary(UnaryOp::WrapI64, start);
            return Some((self.scratch(), first));
        }
        self.outside_part(string, ENCODING);
        let words = self.read_ivar(string, WORDS);
        let Some(Type::Array(kind)) = words.types.single() else { return None };
        self.place_of_words(*kind, words.value())
    }

    /// Does the code that is being made run on the CPU for sure, so that it can call functions in Rust?
    pub(crate) fn has_intrinsics(&self) -> bool {
        self.in_driver || self.host.elements_on_cpu()
    }

    /// What an intrinsic that reads gives of the bytes of Strings and of numbers; `None` where there are none.
    pub(crate) fn ask_bytes(
        &mut self,
        function: Intrinsic,
        strings: &[&Operand],
        args: &[Value],
    ) -> Option<Value> {
        if !self.has_intrinsics() {
            return None;
        }
        let texts = strings.iter().map(|string| self.place_of_bytes(string)).collect::<Option<Vec<_>>>()?;
        Some(self.b.intrinsic(function, texts, args.to_vec()))
    }

    /// The same as a truth.
    fn ask_truth(&mut self, function: Intrinsic, strings: &[&Operand], args: &[Value]) -> Option<Value> {
        let (answer, zero) = (self.ask_bytes(function, strings, args)?, self.b.i64(0));
        Some(self.b.compare(Comparison::Ne, answer, zero))
    }

    /// Has an intrinsic write behind a made String, which has the room: what it puts there is of other Strings, if any, and of
    /// numbers. `None` where these are none.
    pub(crate) fn push_with(
        &mut self,
        function: Intrinsic,
        string: &Operand,
        others: &[&Operand],
        args: &[Value],
    ) -> Option<Value> {
        let others = others.iter().map(|other| self.place_of_bytes(other)).collect::<Option<Vec<_>>>()?;
        let scratch = self.scratch();
        self.program.buffers[scratch.0 as usize].written = true;
        let (memory, row) = (self.b.i32(0), self.b.unary(UnaryOp::ExtendI32, string.value()));
        let texts = std::iter::once((scratch, memory)).chain(others).collect();
        let args = std::iter::once(row).chain(args.iter().copied()).collect();
        Some(self.b.intrinsic(function, texts, args))
    }

    /// As [`Lowerer::push_with`], where room for so many bytes more has to be made.
    pub(crate) fn push_within(&mut self, function: Intrinsic, string: &Operand, more: i64, args: &[Value]) {
        let more = self.b.i64(more);
        self.string_room(string, more);
        if !self.b.is_dead() {
            self.push_with(function, string, &[], args);
        }
    }

    /// A new String of ASCII digits that an intrinsic writes, with room for so many bytes.
    pub(crate) fn digits_by(&mut self, function: Intrinsic, room: Value, args: &[Value]) -> Operand {
        let encoding = self.b.i64(Encoding::UsAscii as i64);
        let string = self.new_string(room, encoding);
        if !self.b.is_dead() {
            self.push_with(function, &string, &[], args);
        }
        string
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
    fn string_bytes(&mut self, string: &Operand, index: Value) -> Value {
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
                let zero = s.b.i64(0);
                let same = s.ask_truth(Intrinsic::SameBytes, &[one, other], &[zero, zero, size]);
                let same = same.unwrap_or_else(|| {
                    let words = s.string_words(size);
                    s.same_words(words, |s, i| (s.string_word(one, i), s.string_word(other, i)))
                });
                s.where_true(same, |s| {
                    let (a, b) = (s.string_encoding(one), s.string_encoding(other));
                    let same = s.b.compare(Comparison::Eq, a, b);
                    s.where_false(same, |s| s.send(one, "#ascii?", &[], 1))
                })
            })
        })
    }

    /// What `f` gives where the condition holds, else false.
    fn where_true(&mut self, condition: Value, f: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let condition = super::Condition { value: condition, yes: vec![], no: vec![] };
        self.within_slot(0x603, |s| s.branch(80, condition, f, |s| Operand::bool(s.b.bool(false))))
    }

    fn where_false(&mut self, condition: Value, f: impl FnOnce(&mut Self) -> Operand) -> Operand {
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

    // ---- making ----------------------------------------------------------------------------------------------------

    /// An empty String of an encoding with room for so many bytes (`I64`, not negative).
    pub(crate) fn new_string(&mut self, room: Value, encoding: Value) -> Operand {
        let kind = self.made_kind(ClassId::STRING);
        self.note_made(kind);
        let made = self.memo.made.entry(ClassId::STRING).or_default();
        if made.fields.is_empty() {
            made.fields = FIELDS.iter().map(|name| (name.to_string(), Type::Integer.into())).collect();
            self.memo.changed |= true;
        }
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

    /// Makes room for so many bytes more.
    fn string_room(&mut self, string: &Operand, more: Value) {
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

    // ---- results ---------------------------------------------------------------------------------------------------

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
