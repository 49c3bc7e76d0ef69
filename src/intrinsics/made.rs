//! Strings that a section has made: see [`crate::string_layout`].

use crate::string_layout::{FLAGS, ROOM, SIZE, START, STRING_ASCII, STRING_FROZEN};
use std::fmt;

/// One of them, in the memory that it is in.
pub(super) struct MadeString {
    memory: *mut i64,
    header: *mut i64,
}

impl MadeString {
    /// # Safety
    /// There is such a String in this memory at this row, and its bytes are where it says; only this thread uses them.
    pub unsafe fn new(memory: *mut i64, row: i64) -> Self {
        // SAFETY: as said.
        Self { memory, header: unsafe { memory.offset(row as isize) } }
    }

    fn field(&self, field: i64) -> i64 {
        // SAFETY: a header has all fields.
        unsafe { *self.header.offset(field as isize) }
    }

    fn set(&mut self, field: i64, value: i64) {
        // SAFETY: as before.
        unsafe { *self.header.offset(field as isize) = value }
    }

    fn bytes(&self) -> *mut u8 {
        // SAFETY: its bytes are in the same memory.
        unsafe { self.memory.offset(self.field(START) as isize).cast() }
    }

    /// Has the room behind its bytes filled; `fill` says how far.
    pub fn fill(&mut self, fill: impl FnOnce(&mut [u8]) -> usize) {
        let size = self.field(SIZE).max(0) as usize;
        let room = (self.field(ROOM).max(0) as usize).saturating_sub(size);
        // SAFETY: there is room for so many bytes, up to the end of a word, which nobody else looks at.
        let spare = unsafe { std::slice::from_raw_parts_mut(self.bytes().add(size), room) };
        let count = fill(spare).min(room);
        if !spare[..count].is_ascii() {
            self.set(FLAGS, self.field(FLAGS) & !STRING_ASCII);
        }
        let end = size + count;
        // SAFETY: as before.
        unsafe { std::ptr::write_bytes(self.bytes().add(end), 0, end.next_multiple_of(8) - end) };
        self.set(SIZE, end as i64);
    }

    /// Puts the bytes of a character behind it, in its encoding.
    pub fn push_code(&mut self, code: i64) {
        let rest = |shift: u32| (code >> shift & 0x3f | 0x80) as u8;
        if code < 0x80 || self.field(FLAGS) & (STRING_FROZEN - 1) > 0 {
            self.push(&[code as u8]);
        } else if code < 0x800 {
            self.push(&[(code >> 6 | 0xc0) as u8, rest(0)]);
        } else if code < 0x1_0000 {
            self.push(&[(code >> 12 | 0xe0) as u8, rest(6), rest(0)]);
        } else {
            self.push(&[(code >> 18 | 0xf0) as u8, rest(12), rest(6), rest(0)]);
        }
    }

    /// Puts bytes behind it, for which there is room: those of another String, or its own.
    pub fn push(&mut self, more: &[u8]) {
        let (size, count) = (self.field(SIZE), more.len() as i64);
        if size < 0 || count > self.field(ROOM) - size {
            return;
        }
        let (from, end) = (size as usize, size as usize + more.len());
        // SAFETY: there is room for so many bytes, up to the end of a word.
        unsafe {
            std::ptr::copy(more.as_ptr(), self.bytes().add(from), more.len());
            std::ptr::write_bytes(self.bytes().add(end), 0, end.next_multiple_of(8) - end);
        }
        if !more.is_ascii() {
            self.set(FLAGS, self.field(FLAGS) & !STRING_ASCII);
        }
        self.set(SIZE, end as i64);
    }

    /// The same; false where there is no room.
    pub fn push_if_room(&mut self, more: &[u8]) -> bool {
        let before = self.field(SIZE);
        self.push(more);
        more.is_empty() || self.field(SIZE) > before
    }

    pub fn push_zeros(&mut self, count: usize) {
        for _ in 0..count {
            self.push(b"0");
        }
    }
}

impl fmt::Write for MadeString {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}
