//! Strings that were there before the section, and that it changes.
//!
//! Such a String changes as an array of the heap does whose length changes ([`super::growing`]): the words of each are
//! an array of its own, in the spare room behind all of them; size and encoding are columns that are written. The
//! methods are the same as those of made ones (`module ChangedString`), over primitives that know where bytes are
//! (`Bytes`). That a section does so is known to the walk (`Memo::changes_strings`): else nobody copies what an
//! iteration goes over, or keys.
//!
//! Copy-back compares the words with the bytes of the object itself, and gives it those of a new String
//! (`texts_now.rs`, `changed_strings.rs`, `rb_str_replace`, undone where something else fails). A message tells a
//! String as it was when the element failed; what a GPU has changed does not come back then, so the section runs once
//! more on the CPU. A String of the driver's that has got a row and may be changed there must not be looked at by its
//! other name; that fails.

use super::operand::Operand;
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Buffer, BufferKind, Comparison, ErrorKind, UnaryOp, Value};
use crate::string_layout::{BYTESIZE, ENCODING, FLAGS, ROOM, ROW, SIZE, START, WORDS, words_outside};
use crate::types::{ArrayKind, ClassId, Type};

/// Where the bytes of a String are that changes: the words, and the first of them (`I64`).
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    words: Buffer,
    first: Value,
}

impl Lowerer<'_> {
    /// Can a String be another one later on?
    pub(crate) fn string_may_change(&self, string: &Operand) -> bool {
        self.memo.changes_strings || string.types.iter().any(Type::is_made_string)
    }

    /// A String of the heap is about to change.
    pub(crate) fn check_unfrozen_string(&mut self, string: &Operand) {
        if let Some(Type::Object(hierarchy, _)) = string.types.single() {
            self.check_unfrozen(*hierarchy, string.value());
        }
    }

    /// The driver has put a String that it makes somewhere: it is a copy of that from then on, which must not change.
    pub(crate) fn check_rowless(&mut self, string: &Operand) {
        let has_row = self.has_row(string);
        let ok = self.b.unary(UnaryOp::Not, has_row);
        let message = "a String that an object, array or element has by now cannot be changed by the code around parallel \
                       calls [unsupported-string]\n  hint: change it before, or a copy: dup";
        self.check(ok, ErrorKind::Unsupported(message.into()), &[]);
    }

    /// A copy of what has a row is about to be looked at: it becomes what that is now. Frozen ones do not change.
    pub(super) fn refresh_string(&mut self, string: &Operand) {
        let (has_row, frozen) = (self.has_row(string), self.is_frozen_string(string));
        let changes = self.b.unary(UnaryOp::Not, frozen);
        let may_differ = self.b.binary(BinaryOp::AndB, has_row, changes);
        self.within_slot(0x60a, |s| s.where_it_is(may_differ, 83, |s| s.copy_row(string)));
    }

    fn where_it_is(&mut self, condition: Value, slot: u32, f: impl FnOnce(&mut Self)) {
        let condition = Condition { value: condition, yes: vec![], no: vec![] };
        self.branch(
            slot,
            condition,
            |s| {
                f(s);
                Operand::nil()
            },
            |_| Operand::nil(),
        );
    }

    /// What the row of a made String has, into that.
    fn copy_row(&mut self, string: &Operand) {
        let flags = self.string_field(string.value(), FLAGS);
        let half = self.b.i64(ROW);
        let row = self.b.binary(BinaryOp::Shr, flags, half);
        let row = self.plus(row, -1);
        let row = self.b.unary(UnaryOp::WrapI64, row);
        let hierarchy = self.host.hierarchy(ClassId::STRING);
        let held = Operand::one(Type::Object(hierarchy, ClassId::STRING), row);
        let parts = self.outside_part(&held, BYTESIZE).zip(self.outside_part(&held, ENCODING));
        let Some((size, encoding)) = parts else { return };
        let room = self.string_field(string.value(), ROOM);
        let lacks_room = self.b.compare(Comparison::Gt, size, room);
        self.where_it_is(lacks_room, 84, |s| {
            let words = s.string_words(size);
            let all = s.plus(words, 1);
            let to = s.allocate(all);
            let room = s.op(BinaryOp::Shl, words, 3);
            s.set_string_field(string.value(), ROOM, room);
            s.set_string_field(string.value(), START, to);
            let always = s.b.bool(true);
            s.note_growth_of(string.value(), always);
        });
        let first = self.start_of_bytes(string);
        let (zero, count) = (self.b.i64(0), self.string_words(size));
        self.counted(zero, count, 1, &mut |s, i, _, _| {
            let word = s.string_word(&held, i);
            let at = s.b.binary(BinaryOp::Add, first, i);
            s.set_word(at, word);
        });
        let upper = self.b.i64(!0 << ROW);
        let row = self.b.binary(BinaryOp::And, flags, upper);
        let flags = self.b.binary(BinaryOp::Or, row, encoding);
        self.set_string_field(string.value(), SIZE, size);
        self.set_string_field(string.value(), FLAGS, flags);
    }

    /// The array of words of a String of the heap, which changes: `None` where that cannot be.
    fn changing_words(&mut self, string: &Operand) -> Option<(ArrayKind, Value)> {
        self.memo.changed |= !std::mem::replace(&mut self.memo.changes_strings, true);
        // What is in other encodings is refused.
        self.outside_part(string, ENCODING)?;
        self.outside_part(string, BYTESIZE)?;
        let words = self.read_ivar(string, WORDS);
        let Some(Type::Array(kind)) = words.types.single() else { return None };
        let id = words.value();
        self.grow_words(*kind, id).then_some((*kind, id))
    }

    /// Where the bytes of a String are, which change.
    pub(super) fn changing_bytes(&mut self, string: &Operand) -> Option<Bytes> {
        if string.types.single()?.is_made_string() {
            let first = self.start_of_bytes(string);
            return Some(Bytes { words: self.scratch(), first });
        }
        let (kind, id) = self.changing_words(string)?;
        let (words, first) = self.place_of_words(kind, id)?;
        self.program.buffers[words.0 as usize].written = true;
        let first = self.b.unary(UnaryOp::ExtendI32, first);
        Some(Bytes { words, first })
    }

    pub(super) fn word_of(&mut self, place: Bytes, index: Value) -> Value {
        let at = self.b.binary(BinaryOp::Add, place.first, index);
        let at = self.b.unary(UnaryOp::WrapI64, at);
        self.b.load(place.words, at, crate::scalar::Ty::I64, true)
    }

    pub(super) fn set_word_of(&mut self, place: Bytes, index: Value, word: Value) {
        let at = self.b.binary(BinaryOp::Add, place.first, index);
        let at = self.b.unary(UnaryOp::WrapI64, at);
        self.b.store(place.words, at, word);
    }

    /// Is there room for so many bytes, and a word behind them? `None` where it cannot change.
    pub(super) fn fits_outside(&mut self, string: &Operand, wanted: Value) -> Option<Value> {
        let (kind, id) = self.changing_words(string)?;
        let words = self.words_of_outside(wanted, 1);
        let room = self.index_of_array(BufferKind::ArrayRoom(kind), id);
        Some(self.b.compare(Comparison::Le, words, room))
    }

    /// Moves the bytes of a String of the heap to where there is room for twice as many as are wanted.
    pub(super) fn enlarge_outside(&mut self, string: &Operand, wanted: Value) {
        let Some((kind, id)) = self.changing_words(string) else { return };
        let words = self.words_of_outside(wanted, 1);
        self.within_slot(0x609, |s| s.move_array(kind, id, words));
    }

    /// Words of a String of so many bytes, and some more.
    fn words_of_outside(&mut self, bytes: Value, more: usize) -> Value {
        let three = self.b.i64(3);
        let full = self.b.binary(BinaryOp::Shr, bytes, three);
        self.plus(full, (words_outside(0) + more) as i64)
    }

    pub(super) fn set_outside_size(&mut self, string: &Operand, size: Value) {
        let Some((kind, id)) = self.changing_words(string) else { return };
        let words = self.words_of_outside(size, 0);
        self.set_index(BufferKind::ArrayLength(kind), id, words);
        self.write_ivar(string, BYTESIZE, &Operand::integer(size));
    }

    pub(super) fn set_outside_flags(&mut self, string: &Operand, flags: Value) {
        // Copy-back looks at the bytes, too.
        if self.changing_bytes(string).is_some() {
            self.write_ivar(string, ENCODING, &Operand::integer(flags));
        }
    }
}
