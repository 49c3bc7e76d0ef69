//! Reading what was asked of all that was found: instance variables block by block, so that objects stay in the
//! processor's cache from one variable to the next, and the elements of arrays. Where there is much, by all threads
//! (`batch.rs`); in which order objects are found does not depend on that.

use crate::reading::array_kinds::Holder;
use crate::reading::batch::{self, AllThreads, Batch, BatchColumn, Outcome, Pace, Source};
use crate::reading::column_builder::{ColumnBuilder, Filled};
use crate::reading::tracer::{Elements, Tracer};
use crate::reading::variables::{Access, BLOCK};
use crate::vm::errors::Stop;
use crate::vm::value;
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::types::{ArrayKind, ClassId, Collection};
use rb_sys::VALUE;
use std::hint::black_box;
use std::ops::Range;

/// Arrays whose lengths one thread asks for.
const CHUNK: usize = 4096;

/// Variables of the objects of a class: for each column how it is read, and from which row on.
struct Variables<'a> {
    objects: &'a [VALUE],
    columns: Vec<(&'a Access, usize)>,
}

impl Source for Variables<'_> {
    fn load<'a>(&'a self, column: usize, rows: Range<usize>, buffer: &'a mut [VALUE; BLOCK]) -> &'a [VALUE] {
        let (access, start) = self.columns[column];
        let objects = &self.objects[start + rows.start..start + rows.end];
        // SAFETY: the objects are pinned instances of the class, and Ruby does not run while a batch is decoded.
        let count = unsafe { access.load(objects, &mut buffer[..objects.len()]) };
        &buffer[..count]
    }
}

/// The elements of arrays, one array after the other. `spans` are their offsets and lengths; rows count from `start`.
struct Items<'a> {
    arrays: &'a [VALUE],
    spans: &'a [(u32, u32)],
    start: usize,
}

impl Source for Items<'_> {
    fn load<'a>(&'a self, _: usize, rows: Range<usize>, buffer: &'a mut [VALUE; BLOCK]) -> &'a [VALUE] {
        let (mut at, end) = (self.start + rows.start, self.start + rows.end);
        let first = self.spans.partition_point(|(offset, length)| *offset as usize + *length as usize <= at);
        let mut count = 0;
        for (array, (offset, _)) in self.arrays[first..].iter().zip(&self.spans[first..]) {
            if at >= end {
                break;
            }
            // SAFETY: the array is pinned, and Ruby has not run since its length was asked.
            let items = unsafe { value::items(*array) };
            let from = at - *offset as usize;
            let until = items.len().min(end - *offset as usize);
            if from == 0 || count > 0 || until - from < end - at {
                count += copy(&items[from..until], &mut buffer[count..]);
            } else {
                return &items[from..until];
            }
            at = *offset as usize + until;
        }
        &buffer[..count]
    }
}

/// Copies what is mostly two or three values.
#[inline]
fn copy(from: &[VALUE], to: &mut [VALUE]) -> usize {
    match *from {
        [a] => to[0] = a,
        [a, b] => to[..2].copy_from_slice(&[a, b]),
        [a, b, c] => to[..3].copy_from_slice(&[a, b, c]),
        _ => to[..from.len()].copy_from_slice(from),
    }
    from.len()
}

impl Tracer<'_> {
    /// Reads until everything asked of everything found is read.
    pub fn drain(&mut self) -> Result<(), Stop> {
        if self.recalled.is_some() {
            return self.sweep();
        }
        loop {
            let mut progress = self.read_names()?;
            for column in 0..self.asked.columns.len() {
                let class = self.asked.columns[column].1;
                if self.columns[column].len() < self.pinned.objects(class).len() {
                    progress = true;
                    self.read_columns(class)?;
                }
            }
            for kind in 0..self.asked.elements.len() {
                if self.asked.elements[kind] && self.spans(kind) < self.pinned.arrays(kind as u32).len() {
                    progress = true;
                    self.read_elements(kind)?;
                }
            }
            if !progress {
                return Ok(());
            }
        }
    }

    pub(super) fn spans(&self, kind: usize) -> usize {
        self.elements.get(kind).map_or(0, |elements| elements.spans.len())
    }

    /// Reads all that is asked of the objects of a class, in rounds: those that are there at the beginning of one, a block
    /// of each column after the other.
    fn read_columns(&mut self, class: ClassId) -> Result<(), Stop> {
        let columns: Vec<usize> =
            (0..self.asked.columns.len()).filter(|column| self.asked.columns[*column].1 == class).collect();
        let block = batch::sizes().block;
        let mut values = [value::NIL; BLOCK];
        let mut starts: Vec<usize> = Vec::with_capacity(columns.len());
        loop {
            let objects = self.pinned.objects(class).len();
            starts.clear();
            starts.extend(columns.iter().map(|column| self.columns[*column].len()));
            let rows = starts.iter().map(|start| objects - start).max().unwrap_or(0);
            if rows == 0 {
                return Ok(());
            }
            let (mut row, mut pace) = (0, Pace::new(0));
            while row < rows {
                let mut end = row + block;
                if pace.allows(row)
                    && let Some(threads) = batch::threads_for(rows - row)
                {
                    let most = batch::sizes().batch;
                    match self.read_batch(threads, class, &columns, (objects, most))? {
                        // The calling thread reads the rest of the block.
                        Some(block_of_cut) => {
                            end = row + (block_of_cut + 1) * block;
                            pace.cut(end);
                        }
                        None => {
                            row += most;
                            continue;
                        }
                    }
                }
                for (column, start) in columns.iter().zip(&starts) {
                    while self.columns[*column].len() < objects.min(start + end) {
                        let until = objects.min(start + end);
                        self.read_block(*column, class, until, &mut values)?;
                    }
                }
                row = end;
            }
        }
    }

    /// Reads the columns on all threads, of objects below `objects`: at most so many rows. Gives the block in which it was
    /// cut, if it was.
    fn read_batch(
        &mut self,
        threads: AllThreads,
        class: ClassId,
        columns: &[usize],
        (objects, most): (usize, usize),
    ) -> Result<Option<usize>, Stop> {
        for column in columns {
            self.access(*column, class);
        }
        let mut builders: Vec<ColumnBuilder> =
            columns.iter().map(|column| std::mem::take(&mut self.columns[*column])).collect();
        let holders = columns.iter().map(|column| self.holder(*column)).collect::<Vec<_>>();
        let wanted: Vec<_> = builders
            .iter_mut()
            .zip(holders)
            .map(|(builder, holder)| {
                let rows = (objects - builder.len()).min(most);
                (builder, holder, rows)
            })
            .collect();
        let starts: Vec<usize> = wanted.iter().map(|(builder, ..)| builder.len()).collect();
        let accesses = columns.iter().filter_map(|column| self.accesses[*column].as_ref());
        let columns_read = accesses.zip(starts).collect();
        let cut = self.decode_all(threads, wanted, |batch| {
            let objects = self.pinned.objects(class);
            let source = Variables { objects: &objects, columns: columns_read };
            // SAFETY: as `decode_all` says; the source gives what pinned objects hold.
            unsafe { batch.claim(&threads, &source) }
        });
        for (column, builder) in columns.iter().zip(builders) {
            self.columns[*column] = builder;
        }
        cut
    }

    pub(super) fn read_elements(&mut self, kind: usize) -> Result<(), Stop> {
        match self.asked.kinds.collection(ArrayKind(kind as u32)) {
            Some(Collection::Column(_)) => return Ok(self.read_memories(kind)?),
            Some(Collection::Hash(sort)) => return self.read_hashes(kind, sort),
            Some(Collection::Words) => return self.read_words(kind),
            None => {}
        }
        let mut elements = std::mem::take(&mut self.elements[kind]);
        let joins = self.joins;
        let mut pace = Pace::new(elements.builder.len());
        // Arrays before this one are too few for threads.
        let mut few = 0;
        let mut values = [value::NIL; BLOCK];
        loop {
            let (next, listed) = (elements.spans.len(), self.pinned.arrays(kind as u32).len());
            if next == listed {
                break;
            }
            let mut threads = None;
            if pace.allows(elements.builder.len()) && next >= few {
                threads = batch::threads_for(self.count_elements(kind, next));
                few = listed;
            }
            match threads {
                Some(threads) => self.read_arrays_at_once(threads, kind, &mut elements, &mut pace)?,
                None => {
                    if self.recalled.is_some() {
                        self.look_at_arrays(kind, next..next + BLOCK)?;
                    }
                    self.read_next_arrays(kind, &mut elements, &mut values)?;
                }
            }
            if self.joins != joins {
                // What was read so far may be of other kinds by now; `join` has cleared the rest.
                return Ok(());
            }
            if threads.is_some() {
                few = 0;
            }
        }
        self.elements[kind] = elements;
        Ok(())
    }

    /// Elements of the arrays from `next` on: how many there are, or that there are enough for threads.
    fn count_elements(&self, kind: usize, next: usize) -> usize {
        let arrays = &self.pinned.arrays(kind as u32)[next..];
        if batch::threads_for(usize::MAX).is_none() || batch::threads_for(arrays.len()).is_some() {
            return arrays.len();
        }
        // SAFETY: listed arrays are live.
        arrays.iter().map(|array| unsafe { value::items(*array) }.len()).sum()
    }

    /// Some arrays that fit `values`, which stands on the stack for the garbage collector to see it, or a longer one.
    fn read_next_arrays(
        &mut self,
        kind: usize,
        elements: &mut Elements,
        values: &mut [VALUE; BLOCK],
    ) -> Result<(), Stop> {
        let holder = Holder::Elements(ArrayKind(kind as u32));
        let (first, offset) = (elements.spans.len(), elements.builder.len());
        let mut count = 0;
        let mut long = None;
        {
            let arrays = self.pinned.arrays(kind as u32);
            for (index, array) in arrays.iter().enumerate().skip(first).take(BLOCK) {
                if let Some(later) = arrays.get(index + 8) {
                    value::prefetch(*later as *const VALUE);
                }
                // SAFETY: listed arrays are live, and nothing runs before the items are copied.
                let items = unsafe { value::items(*array) };
                if items.len() > BLOCK - count {
                    long = (index == first).then_some(*array);
                    break;
                }
                fallible::push(&mut elements.spans, ((offset + count) as u32, items.len() as u32))?;
                count += copy(items, &mut values[count..]);
            }
        }
        if let Some(array) = long {
            let joins = self.joins;
            self.read_array(array, 0, holder, &mut elements.builder)?;
            if self.joins == joins {
                let length = elements.builder.len() - offset;
                fallible::push(&mut elements.spans, (offset as u32, length as u32))?;
            }
            return Ok(());
        }
        elements.builder.reserve(count)?;
        self.observe_all(&black_box(values)[..count], holder, &mut elements.builder)
    }

    /// Arrays on all threads: their lengths, then all their elements.
    fn read_arrays_at_once(
        &mut self,
        threads: AllThreads,
        kind: usize,
        elements: &mut Elements,
        pace: &mut Pace,
    ) -> Result<(), Stop> {
        let holder = Holder::Elements(ArrayKind(kind as u32));
        let (first, start) = (elements.spans.len(), elements.builder.len());
        let Elements { builder, spans, .. } = elements;
        let total = {
            let arrays = self.pinned.arrays(kind as u32);
            let arrays = &arrays[first..arrays.len().min(first + batch::sizes().batch)];
            fallible::resize(spans, first + arrays.len(), (0, 0))?;
            measure(threads, arrays, &mut spans[first..], start)
        };
        let Some(total) = total else {
            // So many have no numbers; that is said when all is read.
            spans.truncate(first);
            pace.cut(usize::MAX / 2);
            return Ok(());
        };
        while builder.len() < start + total {
            let at = builder.len();
            let rows = (start + total - at).min(batch::sizes().batch);
            let cut = self.decode_all(threads, vec![(&mut *builder, holder, rows)], |batch| {
                let arrays = self.pinned.arrays(kind as u32);
                let source = Items { arrays: &arrays[first..], spans: &spans[first..], start: at };
                // SAFETY: as `decode_all` says; the source gives what pinned arrays hold.
                unsafe { batch.claim(&threads, &source) }
            })?;
            if cut.is_none() {
                continue;
            }
            // The calling thread reads the rest of the array; others may be changed by that.
            let at = builder.len();
            let whole = |(offset, length): &(u32, u32)| *offset as usize + *length as usize <= at;
            let array = first + spans[first..].partition_point(whole);
            let offset = spans[array].0 as usize;
            spans.truncate(array);
            pace.cut(at);
            let joins = self.joins;
            let Some(array) = self.pinned.array(kind as u32, array) else { break };
            self.read_array(array, at - offset, holder, builder)?;
            if self.joins == joins {
                fallible::push(spans, (offset as u32, (builder.len() - offset) as u32))?;
            }
            break;
        }
        Ok(())
    }

    /// The items of an array from `index` on.
    pub(super) fn read_array(
        &mut self,
        array: VALUE,
        mut index: usize,
        holder: Holder,
        into: &mut ColumnBuilder,
    ) -> Result<(), Stop> {
        let mut values = [value::NIL; BLOCK];
        let mut pace = Pace::new(index);
        loop {
            // SAFETY: the array is live (marked, or on the caller's stack). Its length is asked before each block,
            // since a class that is new may run Ruby, and other threads with it.
            let left = unsafe { value::items(array) }.get(index..).unwrap_or_default();
            into.reserve(left.len())?;
            if left.is_empty() {
                return Ok(());
            }
            if pace.allows(index)
                && let Some(threads) = batch::threads_for(left.len())
            {
                let (before, rows) = (into.len(), left.len().min(batch::sizes().batch));
                let cut = self.decode_all(threads, vec![(&mut *into, holder, rows)], |batch| {
                    // SAFETY: as `decode_all` says; the array is live.
                    unsafe { batch.claim(&threads, &left) }
                })?;
                index += into.len() - before;
                if cut.is_some() {
                    pace.cut(index);
                }
                continue;
            }
            let count = left.len().min(batch::sizes().block);
            values[..count].copy_from_slice(&left[..count]);
            self.observe_all(&black_box(&mut values)[..count], holder, into)?;
            index += count;
        }
    }

    /// Decodes on all threads what `claim` has the batch read. `Some`: it was cut in this block, before something that
    /// only the calling thread can read.
    fn decode_all(
        &self,
        threads: AllThreads,
        mut wanted: Vec<(&mut ColumnBuilder, Holder, usize)>,
        claim: impl FnOnce(&Batch<'_>) -> Result<Vec<Vec<Filled>>, Error>,
    ) -> Result<Option<usize>, Stop> {
        let columns = wanted.iter_mut().map(|(builder, holder, rows)| {
            Ok(BatchColumn { spare: builder.spare(*rows)?, known: self.known(*holder), rows: *rows })
        });
        let columns = columns.collect::<Result<Vec<_>, NoMemory>>()?;
        let Some(batch) = Batch::new(columns, self.asked.kinds.len(), batch::sizes())? else {
            return Ok(Some(0));
        };
        let filled = claim(&batch)?;
        let (mut objects, mut arrays) = self.pinned.found_mut();
        // SAFETY: the calling thread has the GVL and calls nothing of Ruby from before `claim` until everything is listed.
        let Outcome { columns, cut } = unsafe { batch.enter(&threads, filled, &mut objects, &mut arrays)? };
        for ((builder, ..), (column, filled)) in wanted.iter_mut().zip(columns) {
            // SAFETY: the room is this builder's, and the chunks have filled their parts of it.
            unsafe { builder.commit(column.spare, &filled)? };
        }
        Ok(cut)
    }
}

/// Offsets and lengths of arrays whose elements begin at `start`; gives how many elements there are, if they can be
/// numbered.
fn measure(threads: AllThreads, arrays: &[VALUE], spans: &mut [(u32, u32)], start: usize) -> Option<usize> {
    type Chunk<'a> = ((&'a mut usize, &'a mut [(u32, u32)]), &'a [VALUE]);
    let lengths = |((sum, spans), arrays): Chunk<'_>| {
        for (index, (span, array)) in spans.iter_mut().zip(arrays).enumerate() {
            if let Some(later) = arrays.get(index + 8) {
                value::prefetch(*later as *const VALUE);
            }
            // SAFETY: listed arrays are live; the calling thread waits, so Ruby does not run.
            let length = unsafe { value::items(*array) }.len();
            *span = (*sum as u32, length as u32);
            *sum += length;
        }
    };
    let mut offsets = vec![0; arrays.len().div_ceil(CHUNK)];
    threads.each(offsets.iter_mut().zip(spans.chunks_mut(CHUNK)).zip(arrays.chunks(CHUNK)), lengths);
    let mut end = start;
    for offset in &mut offsets {
        end += std::mem::replace(offset, end);
    }
    i32::try_from(end).ok()?;
    threads.each(spans.chunks_mut(CHUNK).zip(&offsets), |(spans, offset)| {
        spans.iter_mut().for_each(|span| span.0 += *offset as u32);
    });
    Some(end - start)
}
