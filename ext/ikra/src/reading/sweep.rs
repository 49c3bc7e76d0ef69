//! Reading objects that are remembered (`remembered.rs`): nothing has to be looked up, and no row be given. For each
//! block of objects their headers are compared, which fetches them, and then each variable is read. Where all objects
//! of a block have their variables in the same slots, and these hold Floats, or Integers, they become the column in one
//! loop. All threads take chunks of rows; what takes a function of Ruby (a shape that is new) *cuts* the sweep, as it
//! cuts a batch (`batch.rs`).

use crate::reading::batch::{self, Pace};
use crate::reading::column_builder::{ColumnBuilder, Filled, Part, Spare};
use crate::reading::decode::{Known, NoneEntered};
use crate::reading::tracer::Tracer;
use crate::reading::variables::{Access, BLOCK};
use crate::vm::errors::Stop;
use crate::vm::object_layout::{self, Headers};
use crate::vm::value;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::parallel;
use ikra_core::types::{ClassId, Shape};
use rb_sys::VALUE;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A column that is read: how, and what is known of its values.
struct Swept<'a> {
    access: &'a Access,
    known: Known<'a>,
    /// The tag of the values before.
    tag: i32,
}

/// How many rows of a chunk were read, and what was put into each column.
type Outcome = Result<(usize, Vec<Filled>), NoMemory>;

/// What all threads read.
struct Sweep<'a> {
    objects: &'a [VALUE],
    class: VALUE,
    columns: Vec<Swept<'a>>,
    /// Rows before this one count.
    cut: AtomicUsize,
    /// An object is of another class.
    is_other: AtomicBool,
    any_frozen: AtomicBool,
}

impl Sweep<'_> {
    /// Reads rows, those of a block after the other; gives how many.
    ///
    /// SAFETY: the objects must be live, and Ruby must not run.
    unsafe fn read(&self, rows: Range<usize>, parts: &mut [Part<'_>]) -> Result<usize, NoMemory> {
        let mut values = [value::NIL; BLOCK];
        let mut frozen = false;
        let mut start = rows.start;
        while start < rows.end && start < self.cut.load(Ordering::Relaxed) {
            let end = rows.end.min(start + BLOCK);
            // SAFETY: as the caller says.
            let headers = unsafe { object_layout::headers(self.objects, start..end, self.class) };
            frozen |= headers.any_frozen;
            if !headers.are_of_class {
                self.is_other.store(true, Ordering::Relaxed);
                self.cut.store(0, Ordering::Relaxed);
                break;
            }
            let objects = &self.objects[start..end];
            let mut is_whole = true;
            for (column, part) in self.columns.iter().zip(&mut *parts) {
                // SAFETY: as the caller says; they are instances of the class.
                is_whole &= unsafe { column.read(&headers, objects, part, &mut values[..objects.len()])? };
            }
            if !is_whole {
                self.cut.fetch_min(start, Ordering::Relaxed);
                break;
            }
            start = end;
        }
        if frozen {
            self.any_frozen.store(true, Ordering::Relaxed);
        }
        Ok(start - rows.start)
    }
}

impl Swept<'_> {
    /// Reads a block; false where that is for the calling thread.
    ///
    /// SAFETY: the objects must be live instances of the class with these headers, and Ruby must not run.
    unsafe fn read(
        &self,
        headers: &Headers,
        objects: &[VALUE],
        part: &mut Part<'_>,
        values: &mut [VALUE],
    ) -> Result<bool, NoMemory> {
        let tag = part.tag().unwrap_or(self.tag);
        let alike = headers.key.and_then(|key| self.access.slot(key));
        if let Some(slot) = alike {
            let are_numbers = if tag == Shape::Float.tag() {
                // SAFETY: as the caller says; the slot is that of the key.
                part.try_floats(objects.len(), |bits| unsafe {
                    slot.load_all(objects, bits, value::is_flonum, value::flonum_bits)
                })?
            } else if tag == Shape::Integer.tag() {
                // SAFETY: as above.
                part.try_integers(objects.len(), |numbers| unsafe {
                    slot.load_all(objects, numbers, value::is_fixnum, value::fixnum_value)
                })?
            } else {
                false
            };
            if are_numbers {
                return Ok(true);
            }
        }
        // SAFETY: as above.
        let count = unsafe { self.access.load(objects, values) };
        let decoded = self.known.decode(&values[..count], part, &mut NoneEntered)?;
        Ok(decoded == objects.len())
    }
}

impl Tracer<'_> {
    /// Reads all that is asked of what is remembered.
    pub(super) fn sweep(&mut self) -> Result<(), Stop> {
        for class in (0..self.pinned.classes()).map(|number| ClassId(number as u32)) {
            let columns: Vec<usize> = (0..self.asked.columns.len())
                .filter(|column| self.asked.columns[*column].1 == class)
                .collect();
            self.sweep_class(class, &columns)?;
        }
        // Names are Strings, which are objects.
        match self.asked.names && self.symbols.get(0).is_some() {
            true => Err(Stop::Forgotten),
            false => Ok(()),
        }
    }

    fn sweep_class(&mut self, class: ClassId, columns: &[usize]) -> Result<(), Stop> {
        let total = self.pinned.objects(class).len();
        let block = batch::sizes().block;
        let mut values = [value::NIL; BLOCK];
        let (mut row, mut pace) = (0, Pace::new(0));
        while row < total {
            if columns.is_empty() || pace.allows(row) {
                row = self.sweep_rows(class, columns, row)?;
                pace.cut(row);
                continue;
            }
            let end = total.min(row + block);
            {
                let objects = self.pinned.objects(class);
                // SAFETY: the objects are pinned.
                let headers = unsafe { object_layout::headers(&objects, row..end, self.pool.class(class)) };
                self.note_headers(headers.are_of_class, headers.any_frozen)?;
            }
            for column in columns {
                while self.columns[*column].len() < end {
                    self.read_block(*column, class, end, &mut values)?;
                }
            }
            row = end;
        }
        Ok(())
    }

    fn note_headers(&mut self, are_of_class: bool, any_frozen: bool) -> Result<(), Stop> {
        if let Some(recalled) = &mut self.recalled {
            recalled.any_frozen |= any_frozen;
        }
        if are_of_class { Ok(()) } else { Err(Stop::Forgotten) }
    }

    /// Reads the rows of a class from one on, on all threads if that pays; gives the row that is for the calling thread.
    fn sweep_rows(&mut self, class: ClassId, columns: &[usize], from: usize) -> Result<usize, Stop> {
        for column in columns {
            self.access(*column, class);
        }
        let mut builders: Vec<ColumnBuilder> =
            columns.iter().map(|column| std::mem::take(&mut self.columns[*column])).collect();
        let objects = self.pinned.objects(class);
        let total = objects.len();
        let tags: Vec<i32> = builders.iter().map(|builder| builder.last_tag()).collect();
        let swept = columns.iter().zip(tags).filter_map(|(column, tag)| {
            let known = self.known(self.holder(*column));
            Some(Swept { access: self.accesses[*column].as_ref()?, known, tag })
        });
        let sweep = Sweep {
            objects: &objects,
            class: self.pool.class(class),
            columns: swept.collect(),
            cut: AtomicUsize::new(usize::MAX),
            is_other: AtomicBool::new(false),
            any_frozen: AtomicBool::new(false),
        };
        let spares = builders.iter_mut().map(|builder| builder.spare(total - from));
        let spares = spares.collect::<Result<Vec<_>, _>>()?;
        let size = parallel::chunk().next_multiple_of(batch::sizes().block);
        let starts = (from..total).step_by(size);
        let mut chunks: Vec<(Range<usize>, Outcome)> = Vec::new();
        fallible::reserve(&mut chunks, starts.len())?;
        chunks.extend(starts.map(|start| (start..total.min(start + size), Ok((0, Vec::new())))));
        parallel::each((total - from) * columns.len().max(1), chunks.iter_mut(), |(rows, outcome)| {
            // SAFETY: chunks do not overlap, and one thread has each. The builders wait.
            let part = |spare| unsafe { Spare::part(spare, rows.start - from, rows.len()) };
            let mut parts: Vec<Part<'_>> = spares.iter().map(part).collect();
            // SAFETY: the objects are pinned, and the calling thread, which has the GVL, waits.
            let read = unsafe { sweep.read(rows.clone(), &mut parts) };
            *outcome = read.map(|count| (count, parts.into_iter().map(Part::end).collect()));
        });
        let (is_other, any_frozen) = (sweep.is_other.into_inner(), sweep.any_frozen.into_inner());
        drop(objects);
        let mut end = from;
        let mut filled: Vec<Vec<Filled>> = columns.iter().map(|_| Vec::new()).collect();
        for (rows, outcome) in chunks {
            let (count, parts) = outcome?;
            for (all, mut part) in filled.iter_mut().zip(parts) {
                part.count = part.count.min(count);
                all.push(part);
            }
            end += count;
            if count < rows.len() {
                break;
            }
        }
        for (((column, mut builder), spare), parts) in columns.iter().zip(builders).zip(spares).zip(&filled) {
            // SAFETY: the room is this builder's, and the chunks have filled their parts of it.
            unsafe { builder.commit(spare, parts)? };
            self.columns[*column] = builder;
        }
        self.note_headers(!is_other, any_frozen)?;
        Ok(end)
    }
}
