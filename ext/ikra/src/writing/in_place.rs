//! Changed rows that are written as plain memory, by all threads. The rows of a class, or of a kind of arrays, are cut
//! into chunks that all threads take. A row is written at once, as plain memory, if the new value and the old one are
//! immediates, the slot is known and holds the value that was read, and the holder is not frozen. The old value is in
//! the copy, so the write can be undone: with a look at all objects before the first write, each would come out of
//! memory twice, which is what copy-back costs. At the first row that takes more (a Float on the heap, a reference, a
//! variable that is not set), the rest of its chunk is left to the thread that holds the GVL and Ruby's functions. A
//! shape that no object had before is looked up by that thread, and its chunk goes on.
//!
//! That is sound because the calling thread holds the GVL and waits: Ruby neither runs nor collects garbage.
//! Overwriting a reference or an immediate by an immediate needs no write barrier in any Ruby from 3.1 to 4.0
//! (`rb_obj_written` does nothing for one), also while marking goes on, which takes no snapshot. Between the first
//! write and the last nothing runs that could call code of the user, and a FrozenError is made after everything has
//! been undone, as it inspects the object.

use crate::vm::array_layout;
use crate::vm::object_layout::{self, Slot};
use crate::vm::{classes, value};
use crate::writing::decoder::{Decoder, Values, immediates};
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::{Column, RowSet};
use ikra_core::parallel;
use ikra_core::types::{ClassId, Shape};
use rb_sys::{ID, VALUE};
use std::ops::Range;

/// The objects or arrays of some rows, which are live.
#[derive(Clone, Copy)]
pub enum Holders<'a> {
    /// Objects of one class, and the row of the first.
    Objects(&'a [VALUE], usize),
    /// Arrays, and of each the first row and their number.
    Arrays(&'a [VALUE], &'a [(u32, u32)]),
}

/// Where objects of a class have a variable.
pub enum Place {
    /// In the slots of those that were met, by [`object_layout::key`].
    Variable(ID, Vec<(VALUE, Slot)>),
    /// A Struct's member, by position.
    Member(usize),
    /// Only Ruby's functions know, or it is an array.
    None,
}

impl Place {
    pub fn new(decoder: Decoder<'_>, class: ClassId, name: &str) -> Self {
        if !object_layout::confirmed() {
            return Self::None;
        }
        if name.starts_with('@') {
            return Self::Variable(value::intern(decoder.ruby, name), Vec::new());
        }
        let key = classes::member_key(decoder.heap.pool.class(class), name);
        // SAFETY: the position of a member is a small Integer.
        key.map_or(Self::None, |key| Self::Member(unsafe { rb_sys::FIX2LONG(key) } as usize))
    }
}

/// Rows of which one thread takes care.
pub struct Chunk {
    rows: Range<usize>,
    /// The rows before this one are written.
    done: usize,
    /// Why that one is not.
    miss: Miss,
    /// How many of the rows have changed.
    count: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Miss {
    /// Nobody has come to it.
    Open,
    /// Something has to be asked, made or raised.
    Asking,
    /// It is of an object of a shape that was not met yet.
    Unmet(VALUE),
}

impl Chunk {
    /// The rows that are left to the thread that holds the GVL.
    pub fn left(&self) -> Range<usize> {
        self.done..self.rows.end
    }
}

/// For so few objects looking for slots does not pay; of so many shapes they are remembered.
const FEW: usize = 16;
const SHAPES: usize = 64;

/// Changed rows of one class or kind of arrays.
pub struct Rows<'a> {
    pub changed: &'a RowSet,
    pub values: &'a Values<'a>,
    /// The values before the section.
    pub before: &'a Values<'a>,
    pub holders: Holders<'a>,
}

impl Rows<'_> {
    /// Cuts a range of rows into chunks.
    pub fn chunks(&self, rows: Range<usize>) -> Result<Vec<Chunk>, NoMemory> {
        let size = parallel::chunk();
        let mut chunks = Vec::new();
        let mut start = rows.start;
        while start < rows.end {
            let end = (start / size * size + size).min(rows.end);
            let count = self.changed.count(start..end);
            if count > 0 {
                let chunk = Chunk { rows: start..end, done: start, miss: Miss::Open, count };
                fallible::push(&mut chunks, chunk)?;
            }
            start = end;
        }
        Ok(chunks)
    }

    /// Writes what can be written in place, and finds out where that is. It can be undone: what stood there before was an
    /// immediate too, the one that was read.
    ///
    /// SAFETY: the holders must be live, and the place one of their class.
    pub unsafe fn write(&self, place: &mut Place, chunks: &mut [Chunk]) {
        let count: usize = chunks.iter().map(|chunk| chunk.count).sum();
        if count < parallel::threshold(FEW) {
            return;
        }
        while chunks.iter().any(|chunk| chunk.miss != Miss::Asking && chunk.done < chunk.rows.end) {
            immediates!(self.values, self.before, |value, before| {
                let write = |address: *mut VALUE, row: usize| {
                    let (Some(value), Some(before)) = (value(row), before(row)) else { return false };
                    // SAFETY: the address is that of a slot or item that is not frozen, and only this thread has the
                    // row. An immediate needs no barrier (`object_layout::store`).
                    unsafe {
                        let is_before = *address == before;
                        if is_before {
                            *address = value;
                        }
                        is_before
                    }
                };
                let work = chunks.iter_mut().filter(|chunk| chunk.miss != Miss::Asking);
                parallel::each(count, work, |chunk| {
                    // SAFETY: as the caller says.
                    let ended = unsafe { self.go_through(place, chunk.left(), write) };
                    (chunk.done, chunk.miss) = ended.err().unwrap_or((chunk.rows.end, Miss::Open));
                });
            });
            let Place::Variable(id, slots) = &mut *place else { return };
            for chunk in &mut *chunks {
                let Miss::Unmet(object) = chunk.miss else { continue };
                // SAFETY: the object is one of the holders.
                let (key, slot) = unsafe { (object_layout::key(object), Slot::find(object, *id)) };
                match slot {
                    // Another object with this key may tell more.
                    Slot::Unknown => chunk.miss = Miss::Asking,
                    _ if slots.iter().any(|(known, _)| *known == key) => {}
                    _ if slots.len() == SHAPES => chunk.miss = Miss::Asking,
                    _ => slots.push((key, slot)),
                }
            }
        }
    }

    /// Writes what was there before over what was written in place. Where that is not possible any more, since an object
    /// got another shape, the rest of the chunk is left ([`Chunk::left`]).
    ///
    /// SAFETY: as for [`Self::write`], with the place and the chunks as that has left them.
    pub unsafe fn undo(&self, place: &Place, chunks: &mut [Chunk]) {
        for chunk in chunks {
            let written = chunk.rows.start..chunk.done;
            immediates!(self.before, |before| {
                let write = |address: *mut VALUE, row: usize| {
                    // SAFETY: as in `write`.
                    before(row).map(|before| unsafe { *address = before }).is_some()
                };
                // SAFETY: as the caller says.
                let ended = unsafe { self.go_through(place, written.clone(), write) };
                (chunk.rows.end, chunk.done) = (written.end, ended.err().map_or(written.end, |(row, _)| row));
            });
        }
    }

    /// Calls `f` with changed rows, and where each is to be written, until it gives false; gives the row that is not written
    /// then, and why.
    ///
    /// SAFETY: the holders must be live.
    unsafe fn go_through(
        &self,
        place: &Place,
        rows: Range<usize>,
        f: impl Fn(*mut VALUE, usize) -> bool,
    ) -> Result<(), (usize, Miss)> {
        // SAFETY: the holders are live, as the caller says.
        unsafe {
            match (self.holders, place) {
                (Holders::Objects(objects, base), Place::Variable(_, slots)) => {
                    let last = (0, Slot::Unknown);
                    self.each(rows, f, Variables { objects, base, slots, last })
                }
                (Holders::Objects(objects, base), Place::Member(index)) => {
                    self.each(rows, f, Members { objects, base, index: *index })
                }
                (Holders::Objects(..), Place::None) => Err((rows.start, Miss::Asking)),
                (Holders::Arrays(arrays, spans), _) => {
                    let next = spans.partition_point(|span| end_of(span) <= rows.start);
                    let items = std::ptr::null_mut();
                    self.each(rows, f, Items { arrays, spans, next, begin: 0, end: 0, items })
                }
            }
        }
    }

    /// SAFETY: as above.
    #[inline(always)]
    unsafe fn each(
        &self,
        rows: Range<usize>,
        f: impl Fn(*mut VALUE, usize) -> bool,
        mut locate: impl Locate,
    ) -> Result<(), (usize, Miss)> {
        for (first, mut word) in self.changed.groups(rows) {
            while word != 0 {
                let row = first + word.trailing_zeros() as usize;
                word &= word - 1;
                // SAFETY: as the caller says.
                match unsafe { locate.address(row) } {
                    Ok(address) if f(address, row) => {}
                    Ok(_) => return Err((row, Miss::Asking)),
                    Err(miss) => return Err((row, miss)),
                }
            }
        }
        Ok(())
    }
}

/// Finds where the value of a row is; rows ascend.
trait Locate {
    /// SAFETY: the holders must be live.
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Miss>;
}

/// So many objects ahead, memory is asked for: as many as can be under way.
const AHEAD: usize = 16;

struct Variables<'a> {
    objects: &'a [VALUE],
    base: usize,
    slots: &'a [(VALUE, Slot)],
    /// That of the object before.
    last: (VALUE, Slot),
}

impl Variables<'_> {
    /// SAFETY: as for [`Locate::address`].
    #[cold]
    unsafe fn find(&mut self, object: VALUE, key: VALUE) -> Result<(), Miss> {
        // SAFETY: as the caller says.
        if unsafe { value::frozen(object) } {
            return Err(Miss::Asking);
        }
        let known = self.slots.iter().find(|slot| slot.0 == key);
        self.last = *known.ok_or(Miss::Unmet(object))?;
        Ok(())
    }
}

impl Locate for Variables<'_> {
    #[inline(always)]
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Miss> {
        let object = self.objects[row - self.base];
        if let Some(later) = self.objects.get(row - self.base + AHEAD) {
            self.last.1.prefetch(*later);
        }
        // SAFETY: the object is live, and the slot that of its key.
        unsafe {
            let key = object_layout::key_to_write(object);
            if key != self.last.0 {
                self.find(object, key)?;
            }
            self.last.1.address(object).ok_or(Miss::Asking)
        }
    }
}

struct Members<'a> {
    objects: &'a [VALUE],
    base: usize,
    index: usize,
}

impl Locate for Members<'_> {
    #[inline(always)]
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Miss> {
        let object = self.objects[row - self.base];
        if let Some(later) = self.objects.get(row - self.base + AHEAD) {
            value::prefetch(*later as *const VALUE);
        }
        // SAFETY: the object is live.
        unsafe {
            let address = object_layout::member(object, self.index).filter(|_| !value::frozen(object));
            address.ok_or(Miss::Asking)
        }
    }
}

struct Items<'a> {
    arrays: &'a [VALUE],
    spans: &'a [(u32, u32)],
    /// The array behind the one whose rows and memory these are.
    next: usize,
    begin: usize,
    end: usize,
    items: *mut VALUE,
}

/// The row behind the last of an array.
const fn end_of(span: &(u32, u32)) -> usize {
    (span.0 + span.1) as usize
}

impl Items<'_> {
    /// SAFETY: as for [`Locate::address`].
    unsafe fn find(&mut self, row: usize) -> Result<(), Miss> {
        while self.spans.get(self.next).is_some_and(|span| end_of(span) <= row) {
            self.next += 1;
        }
        let (array, span) = self.arrays.get(self.next).zip(self.spans.get(self.next)).ok_or(Miss::Asking)?;
        self.next += 1;
        // SAFETY: as the caller says.
        let (items, length) = unsafe { array_layout::items(*array) }.ok_or(Miss::Asking)?;
        // Another thread may have made it shorter.
        (self.items, self.begin, self.end) =
            (items, span.0 as usize, end_of(span).min(span.0 as usize + length));
        if row < self.end { Ok(()) } else { Err(Miss::Asking) }
    }
}

impl Locate for Items<'_> {
    #[inline(always)]
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Miss> {
        if row >= self.end {
            // SAFETY: as the caller says.
            unsafe { self.find(row)? };
        }
        Ok(self.items.wrapping_add(row - self.begin))
    }
}
