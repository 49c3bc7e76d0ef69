//! Reading objects that are remembered (`remembered.rs`): nothing has to be looked up, and no row be given. For each
//! block of objects their headers are compared, which fetches them, and then each variable is read. Where all objects
//! of a block have their variables in the same slots, and these hold Floats, or Integers, they become the column in one
//! loop. All threads take chunks of rows; what takes a function of Ruby (a shape that is new) *cuts* the sweep, as it
//! cuts a batch (`batch.rs`).

use crate::reading::batch::{self, Pace};
use crate::reading::column_builder::{ColumnBuilder, Filled, Part, Spare};
use crate::reading::decode::{Before, Known, NoneEntered};
use crate::reading::tracer::{Recalled, Tracer};
use crate::reading::variables::{Access, BLOCK};
use crate::vm::errors::Stop;
use crate::vm::object_layout::{self, Headers};
use crate::vm::value;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::parallel;
use ikra_core::types::{ClassId, Shape};
use rb_sys::VALUE;
use std::hint::black_box;
use std::mem::MaybeUninit;
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
        let alike = alike.filter(|_| self.known.before.is_none());
        if let Some(slot) = alike {
            let are_floats = tag == Shape::Float.tag();
            let load = |room: &mut [MaybeUninit<i64>]| {
                // SAFETY: as the caller says; the slot is that of the key. All of the room is filled then.
                unsafe {
                    slot.load_all(objects, room) && value::decode_all(room.assume_init_mut(), are_floats)
                }
            };
            let are_numbers = match are_floats {
                true => part.try_floats(objects.len(), load)?,
                false => tag == Shape::Integer.tag() && part.try_integers(objects.len(), load)?,
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
    /// Reads all that is asked of what is remembered, in the order in which it was found. So all that a round finds has the
    /// rows behind what was found before, and nothing is looked at that no word has led to.
    pub(super) fn sweep(&mut self) -> Result<(), Stop> {
        loop {
            let mut progress = false;
            for column in 0..self.asked.columns.len() {
                let class = self.asked.columns[column].1;
                while self.columns[column].len() < self.pinned.objects(class).len() {
                    progress = true;
                    self.sweep_class(class)?;
                }
            }
            for kind in 0..self.asked.elements.len() {
                while self.asked.elements[kind] && self.spans(kind) < self.pinned.arrays(kind as u32).len() {
                    progress = true;
                    self.sweep_arrays(kind)?;
                }
            }
            if !progress {
                break;
            }
        }
        self.sweep_rest()
    }

    /// What nothing is asked of: is it what it was? And was all found that was found then?
    fn sweep_rest(&mut self) -> Result<(), Stop> {
        for class in (0..self.pinned.classes()).map(|number| ClassId(number as u32)) {
            if self.asked.columns.iter().all(|(_, of)| *of != class) {
                self.sweep_rows(class, &[], 0)?;
            }
        }
        for kind in 0..self.elements.len() {
            if self.asked.elements.get(kind) != Some(&true) {
                self.look_at_arrays(kind, 0..usize::MAX)?;
            }
        }
        let is_whole =
            self.recalled.as_ref().is_none_or(|recalled| recalled.words.all == self.pinned.counts());
        // Names are Strings, which are objects.
        let has_names = self.asked.names && self.symbols.get(0).is_some();
        if is_whole && !has_names { Ok(()) } else { Err(Stop::Forgotten) }
    }

    /// A round of a class: the objects that are there at its beginning.
    fn sweep_class(&mut self, class: ClassId) -> Result<(), Stop> {
        let of_class = |column: &usize| self.asked.columns[*column].1 == class;
        let columns: Vec<usize> = (0..self.asked.columns.len()).filter(of_class).collect();
        let total = self.pinned.objects(class).len();
        let block = batch::sizes().block;
        let first = self.columns[columns[0]].len();
        let (mut row, mut pace) = (first, Pace::new(first));
        while row < total {
            if pace.allows(row) {
                row = self.sweep_rows(class, &columns, row)?;
                pace.cut(row);
                continue;
            }
            let end = total.min(row + block);
            {
                let objects = self.pinned.objects(class);
                // SAFETY: the objects are pinned.
                let headers = unsafe { object_layout::headers(&objects, row..end, self.pool.class(class)) };
                drop(objects);
                self.note_headers(headers.are_of_class, headers.any_frozen)?;
            }
            for column in &columns {
                self.read_again(*column, class, row..end)?;
            }
            row = end;
        }
        let columns: Vec<usize> =
            columns.into_iter().filter(|column| self.words_of(*column).is_some()).collect();
        let builders: Vec<ColumnBuilder> =
            columns.iter().map(|column| std::mem::take(&mut self.columns[*column])).collect();
        self.meet(&builders.iter().collect::<Vec<_>>(), first)?;
        columns.into_iter().zip(builders).for_each(|(column, builder)| self.columns[column] = builder);
        Ok(())
    }

    /// What the values of a column were, if there were references among them.
    fn words_of(&self, column: usize) -> Option<&Before> {
        self.recalled.as_ref()?.words.columns.get(column)?.as_ref()
    }

    /// A block of a column, by the calling thread.
    fn read_again(&mut self, column: usize, class: ClassId, rows: Range<usize>) -> Result<(), Stop> {
        let mut values = [value::NIL; BLOCK];
        let values = &mut values[..rows.len()];
        let holder = self.holder(column);
        let mut builder = std::mem::take(&mut self.columns[column]);
        builder.reserve(rows.len())?;
        let pinned = self.pinned;
        // SAFETY: the objects are pinned, and of the class, as their headers say.
        unsafe { self.access(column, class).read(&pinned.objects(class)[rows], values) };
        let mut rest = &black_box(values)[..];
        while !rest.is_empty() {
            let known = Known { before: self.words_of(column), ..self.known(holder) };
            let count = builder.append(rest.len(), |part| known.decode(rest, part, &mut NoneEntered))?;
            rest = &rest[count..];
            let Some((value, others)) = rest.split_first() else { break };
            if known.before.is_some_and(|before| !before.lets_in(builder.len())) {
                return Err(Stop::Forgotten);
            }
            // Who reads all says where an Integer is that is too large.
            self.observe(*value, holder, &mut builder).map_err(|stop| match stop {
                Stop::Overflow(_) => Stop::Forgotten,
                other => other,
            })?;
            rest = others;
        }
        self.columns[column] = builder;
        Ok(())
    }

    /// Arrays of a kind that are there, and what they hold.
    fn sweep_arrays(&mut self, kind: usize) -> Result<(), Stop> {
        // One thread looks at each when it reads it.
        if batch::threads_for(usize::MAX).is_some() {
            self.look_at_arrays(kind, self.spans(kind)..usize::MAX)?;
        }
        let first = self.elements[kind].builder.len();
        self.read_elements(kind)?;
        let elements = std::mem::take(&mut self.elements[kind]);
        self.meet(&[&elements.builder], first)?;
        self.elements[kind] = elements;
        Ok(())
    }

    /// Are these still arrays, without a singleton class?
    pub(super) fn look_at_arrays(&mut self, kind: usize, rows: Range<usize>) -> Result<(), Stop> {
        let (is_other, any_frozen) = (AtomicBool::new(false), AtomicBool::new(false));
        {
            let arrays = self.pinned.arrays(kind as u32);
            let arrays = &arrays[..rows.end.min(arrays.len())];
            // SAFETY: a variable that Ruby sets before it loads anything.
            let class = unsafe { rb_sys::rb_cArray };
            let size = parallel::chunk();
            let starts = (rows.start..arrays.len()).step_by(size);
            parallel::each(arrays.len().saturating_sub(rows.start), starts, |start| {
                let rows = start..arrays.len().min(start + size);
                // SAFETY: the arrays are pinned.
                let headers = unsafe { object_layout::headers(arrays, rows, class) };
                if !headers.are_of_class {
                    is_other.store(true, Ordering::Relaxed);
                }
                if headers.any_frozen {
                    any_frozen.store(true, Ordering::Relaxed);
                }
            });
        }
        self.note_headers(!is_other.into_inner(), any_frozen.into_inner())
    }

    /// Finds the objects and arrays that stand in columns from a row on, which were read of words that are what they were.
    pub(super) fn meet(&mut self, columns: &[&ColumnBuilder], from: usize) -> Result<(), Stop> {
        let Some(Recalled { words, .. }) = &self.recalled else { return Ok(()) };
        let counts = self.pinned.counts();
        let count_in = |of: &[Vec<usize>; 2], (are_arrays, number): (bool, usize)| {
            of[usize::from(are_arrays)].get(number).copied().unwrap_or(0)
        };
        // Tag and place, and the list.
        let mut lists: Vec<(i32, u32, (bool, usize))> = Vec::new();
        for seen in columns.iter().map(|column| column.seen()) {
            for (hierarchy, class) in seen.objects() {
                let place = self.pool.find_place(*class).ok_or(Stop::Misfit)?.1;
                lists.push((Shape::Object(*hierarchy).tag(), place, (false, class.0 as usize)));
            }
            lists.extend(seen.array().map(|kind| (Shape::Array(kind).tag(), 0, (true, kind.0 as usize))));
        }
        lists.sort_unstable();
        lists.dedup();
        lists.retain(|(.., list)| count_in(&words.all, *list) != count_in(&counts, *list));
        for (tag, place, list) in lists {
            let (count, all) = (count_in(&counts, list), count_in(&words.all, list));
            let mut end = count;
            // Each of the new ones has to be met: nothing else has led to it.
            let mut met = fallible::filled(0u64, all.saturating_sub(count).div_ceil(64))?;
            for column in columns {
                column.each_row_of(tag, place, from, |row| {
                    end = end.max(row + 1);
                    if let Some(word) = row.checked_sub(count).and_then(|new| met.get_mut(new / 64)) {
                        *word |= 1 << ((row - count) % 64);
                    }
                });
            }
            let new: usize = met.iter().map(|word| word.count_ones() as usize).sum();
            if end > all || new != end - count {
                // Specs are to see it.
                assert!(end > all || !cfg!(feature = "testing"), "objects are found in another order");
                return Err(Stop::Forgotten);
            }
            if end > count {
                // SAFETY: so many were there, and words that were read in this call have led to them.
                unsafe { self.pinned.find_again(list, end) };
            }
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
            let known = Known { before: self.words_of(*column), ..self.known(self.holder(*column)) };
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
