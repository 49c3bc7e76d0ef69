//! Changed rows that are written as plain memory, by all threads: their values are immediates, which need no write
//! barrier, and where they go is known and not frozen. The thread that looks and waits holds the GVL, so Ruby neither
//! runs nor collects garbage meanwhile.

use crate::vm::array_layout;
use crate::vm::object_layout::{self, Slot};
use crate::vm::{classes, value};
use crate::writing::decoder::{Decoder, Values, immediates};
use ikra_core::fallible::{self, NoMemory};
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
    pub rows: Range<usize>,
    /// How many of them have changed.
    count: usize,
    pub way: Way,
}

/// How changed rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As plain memory.
    InPlace,
    /// By the thread that holds the GVL: something has to be asked, made or raised.
    Asking,
    /// Not known as long as nobody has looked at this object, of a shape that was not met yet.
    Unmet(VALUE),
}

/// For so few objects looking for slots does not pay; of so many shapes they are remembered.
const FEW: usize = 16;
const SHAPES: usize = 64;

/// Changed rows of one class or kind of arrays.
pub struct Rows<'a> {
    pub changed: &'a RowSet,
    pub values: &'a Values<'a>,
    pub holders: Holders<'a>,
}

impl Rows<'_> {
    /// Cuts a range of rows into chunks, and finds out how each is to be written: and where, which goes into `place`.
    ///
    /// SAFETY: the holders must be live, and the place one of their class.
    pub unsafe fn chunks(&self, rows: Range<usize>, place: &mut Place) -> Result<Vec<Chunk>, NoMemory> {
        let size = parallel::chunk();
        let mut chunks = Vec::new();
        let mut start = rows.start;
        while start < rows.end {
            let end = (start / size * size + size).min(rows.end);
            let count = self.changed.count(start..end);
            if count > 0 {
                fallible::push(&mut chunks, Chunk { rows: start..end, count, way: Way::Unmet(value::NIL) })?;
            }
            start = end;
        }
        let count: usize = chunks.iter().map(|chunk| chunk.count).sum();
        if count < parallel::threshold(FEW) {
            *place = Place::None;
        }
        while chunks.iter().any(|chunk| matches!(chunk.way, Way::Unmet(_))) {
            let open = |way| matches!(way, Way::Unmet(_));
            immediates!(self.values, |value| {
                // SAFETY: as the caller says; nothing is written.
                unsafe { self.go_through(place, &mut chunks, open, |_, row| value(row).is_some()) }
            });
            let Place::Variable(id, slots) = &mut *place else { break };
            for chunk in &mut chunks {
                let Way::Unmet(object) = chunk.way else { continue };
                // SAFETY: the object is one of the holders.
                let (key, slot) = unsafe { (object_layout::key(object), Slot::find(object, *id)) };
                match slot {
                    // Another object with this key may tell more.
                    Slot::Unknown => chunk.way = Way::Asking,
                    _ if slots.iter().any(|(known, _)| *known == key) => {}
                    _ if slots.len() == SHAPES => chunk.way = Way::Asking,
                    _ => slots.push((key, slot)),
                }
            }
        }
        Ok(chunks)
    }

    /// Writes the chunks that can be written in place. Where one cannot any more, its way is another afterwards.
    ///
    /// SAFETY: the holders must be live, and the place the one that was found.
    pub unsafe fn write(&self, place: &Place, chunks: &mut [Chunk]) {
        immediates!(self.values, |value| {
            let write = |address: *mut VALUE, row: usize| match value(row) {
                Some(value) => {
                    // SAFETY: the address is that of a slot or item that is not frozen, and only this thread has the
                    // row. An immediate needs no barrier (`object_layout::store`).
                    unsafe { *address = value };
                    true
                }
                None => false,
            };
            // SAFETY: as the caller says.
            unsafe { self.go_through(place, chunks, |way| way == Way::InPlace, write) }
        });
    }

    /// Calls `f` with the changed rows of some chunks, and where each is to be written, until it gives false.
    ///
    /// SAFETY: the holders must be live.
    unsafe fn go_through(
        &self,
        place: &Place,
        chunks: &mut [Chunk],
        which: impl Fn(Way) -> bool,
        f: impl Fn(*mut VALUE, usize) -> bool + Sync,
    ) {
        let of_these = |chunk: &&mut Chunk| which(chunk.way);
        let count = chunks.iter_mut().filter(of_these).map(|chunk| chunk.count).sum();
        let chunks: Vec<_> = chunks.iter_mut().filter(of_these).collect();
        parallel::each(count, chunks.into_iter(), |chunk| {
            // SAFETY: as the caller says.
            chunk.way = unsafe { self.go_through_one(place, chunk.rows.clone(), &f) };
        });
    }

    /// SAFETY: as above.
    unsafe fn go_through_one(
        &self,
        place: &Place,
        rows: Range<usize>,
        f: impl Fn(*mut VALUE, usize) -> bool,
    ) -> Way {
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
                (Holders::Objects(..), Place::None) => Way::Asking,
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
    ) -> Way {
        for (first, mut word) in self.changed.groups(rows) {
            while word != 0 {
                let row = first + word.trailing_zeros() as usize;
                word &= word - 1;
                // SAFETY: as the caller says.
                match unsafe { locate.address(row) } {
                    Ok(address) if f(address, row) => {}
                    Ok(_) => return Way::Asking,
                    Err(way) => return way,
                }
            }
        }
        Way::InPlace
    }
}

/// Finds where the value of a row is; rows ascend.
trait Locate {
    /// SAFETY: the holders must be live.
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Way>;
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
    unsafe fn find(&mut self, object: VALUE, key: VALUE) -> Result<(), Way> {
        // SAFETY: as the caller says.
        if unsafe { value::frozen(object) } {
            return Err(Way::Asking);
        }
        let known = self.slots.iter().find(|slot| slot.0 == key);
        self.last = *known.ok_or(Way::Unmet(object))?;
        Ok(())
    }
}

impl Locate for Variables<'_> {
    #[inline(always)]
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Way> {
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
            self.last.1.address(object).ok_or(Way::Asking)
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
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Way> {
        let object = self.objects[row - self.base];
        if let Some(later) = self.objects.get(row - self.base + AHEAD) {
            value::prefetch(*later as *const VALUE);
        }
        // SAFETY: the object is live.
        unsafe {
            let address = object_layout::member(object, self.index).filter(|_| !value::frozen(object));
            address.ok_or(Way::Asking)
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
    unsafe fn find(&mut self, row: usize) -> Result<(), Way> {
        while self.spans.get(self.next).is_some_and(|span| end_of(span) <= row) {
            self.next += 1;
        }
        let (array, span) = self.arrays.get(self.next).zip(self.spans.get(self.next)).ok_or(Way::Asking)?;
        self.next += 1;
        // SAFETY: as the caller says.
        let (items, length) = unsafe { array_layout::items(*array) }.ok_or(Way::Asking)?;
        // Another thread may have made it shorter.
        (self.items, self.begin, self.end) =
            (items, span.0 as usize, end_of(span).min(span.0 as usize + length));
        if row < self.end { Ok(()) } else { Err(Way::Asking) }
    }
}

impl Locate for Items<'_> {
    #[inline(always)]
    unsafe fn address(&mut self, row: usize) -> Result<*mut VALUE, Way> {
        if row >= self.end {
            // SAFETY: as the caller says.
            unsafe { self.find(row)? };
        }
        Ok(self.items.wrapping_add(row - self.begin))
    }
}
