//! Strings. A String that was there before stays the object that it is in the types; beside its id there are columns,
//! as if it had variables, that are read when something of it is asked for: how many bytes it has, its encoding, and
//! its bytes, which are an array of 64-bit words of a kind of their own. Eight bytes are a word, the first one lowest,
//! and behind the last byte are zeros. A String that the section makes is an object in scratch memory
//! (`Type::Made(ClassId::STRING)`) with the same words: where they begin, how many bytes there are and for how many
//! there is room. So all made Strings are of one type and each is a reference, as Strings are changed; and both forms
//! are compared, hashed, searched and copied eight bytes at a time (`string_layout.rs`) by the same code, on both
//! back-ends, without a type of eight bits in the IR. What there is of an object in memory holds of them: they are
//! items, variables and results, and are evacuated with their words behind them. The extension makes Ruby's Strings of
//! these.
//!
//! Beside the encoding is a flag for what is known to be ASCII, where characters are found without looking at bytes: of
//! one from before it is Ruby's own (the code range); of a made one it is true at first, goes with the first other
//! byte, and is found again by looking at all bytes, when it is asked for. Strings have the encodings UTF-8, US-ASCII
//! and BINARY; those of others are only handed on. Frozen literals (of files that say so) are roots, and so the same
//! object each time; the name of a Symbol is the String that Ruby has for it, which a table by the Symbol's number
//! tells (`SymbolNames`). As keys they are hashed by their bytes (`hashing::of_bytes`), and one that may change and
//! becomes a key is copied, as in Ruby.
//!
//! The message of an error may tell made Strings: the operand of the failure is where one begins, and the back-end
//! takes its bytes along from the memory of the element (`Failure::texts`), which is there until the next one begins.
//! On the GPU it is not, so there such an error is an UnsupportedError; what is rescued in the section needs no bytes.
//!
//! Symbols are numbers of a run, so `to_sym` looks a String up in a table of their names (`BufferKind::SymbolIndex`).
//! Where it is none of these the run fails with `NewSymbol`, the version's pool gets the Symbol, and the section begins
//! anew with it, reading everything again (`Trouble::Anew`); a GPU cannot tell which String it was, and leaves that run
//! to the CPU.

use super::Lowerer;
use super::host::{FoundMethod, Method, RootKey};
use super::operand::Operand;
use crate::intrinsics::Intrinsic;
use crate::ir::{BinaryOp, Buffer, Comparison, UnaryOp, Value};
use crate::string_layout::{
    BYTESIZE, ENCODING, Encoding, FLAGS, SIZE, START, STRING_ASCII, STRING_FROZEN, WORDS,
};
use crate::syntax::ast::{Kind, Node, StringPart};
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;

/// The variables of a made String behind its class, as they lie in memory.
pub(super) const FIELDS: [&str; 4] = ["#bytesize", "#room", "#start", "#flags"];
/// The top bit of each byte.
pub(super) const NOT_ASCII: i64 = 0x8080_8080_8080_8080_u64 as i64;

/// Bytes up to which a text is put behind another one word by word.
pub(super) const MAX_IN_WORDS: usize = 32;

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

    /// A literal of bytes that are no text in UTF-8, told in hexadecimal digits: the same each time, if it is frozen.
    pub(crate) fn literal_of_bytes(&mut self, digits: &str, frozen: bool) -> Operand {
        let byte = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let Some(bytes) = digits.as_bytes().chunks(2).map(byte).collect() else { return Operand::bottom() };
        let literal = self.root(&RootKey::Bytes(bytes)).unwrap_or_else(Operand::bottom);
        if frozen || literal.is_bottom() { literal } else { self.send(&literal, "#copy_string", &[], 1) }
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

    pub(super) fn op(&mut self, op: BinaryOp, a: Value, b: i64) -> Value {
        let b = self.b.i64(b);
        self.b.binary(op, a, b)
    }

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

    pub(super) fn string_flags(&mut self, string: &Operand) -> Value {
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
    pub(super) fn mark_bytes(&mut self, string: &Operand, bytes: Value) {
        let flags = self.string_flags(string);
        let (others, zero) = (self.op(BinaryOp::And, bytes, NOT_ASCII), self.b.i64(0));
        let ascii = self.b.compare(Comparison::Eq, others, zero);
        let cleared = self.op(BinaryOp::And, flags, !STRING_ASCII);
        let flags = self.b.select(ascii, flags, cleared);
        self.set_string_flags(string, flags);
    }

    pub(super) fn set_string_flags(&mut self, string: &Operand, flags: Value) {
        match string.types.single() {
            Some(ty) if ty.is_made_string() => self.set_string_field(string.value(), FLAGS, flags),
            _ => self.set_outside_flags(string, flags),
        }
    }

    pub(super) fn set_string_size(&mut self, string: &Operand, size: Value) {
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
}
