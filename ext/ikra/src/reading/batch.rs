//! A batch of values decoded by all threads, while the calling thread waits with the GVL and Ruby does not run: values
//! of one or several columns, in chunks. Which object gets which row must not hang on chance: objects are numbered in
//! the order in which one thread would meet them, block by block and in each block column by column. So each value has
//! a *place*.
//!
//! 1. [`Batch::claim`]: threads decode chunks of fixed size, straight into the column, and claim what is new in the
//!    visited set with its place, by an atomic maximum in which the lowest place wins; each chunk counts what it
//!    claims, and loses what an earlier chunk claims after all. Where a value is met that only the tracer can handle,
//!    the batch is cut: what comes behind that place does not count.
//! 2. [`Batch::enter`]: prefix sums of the counts give each chunk its first rows, and in a second pass the chunks turn
//!    claims into rows and list the objects in `Pinned`, before Ruby can run again. Offsets of arrays are prefix sums
//!    too.

use crate::reading::column_builder::{Filled, Part, Spare, object_payload};
use crate::reading::decode::{self, Enter, Known};
use crate::reading::variables::BLOCK;
use crate::reading::visited::{Claimed, Slot, Sort, Word};
use crate::vm::pinned::Lists;
use crate::vm::value;
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::parallel;
use ikra_core::threads;
use rb_sys::VALUE;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// How much is done at once. Rows are values of one column.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Rows of a block.
    pub block: usize,
    /// Blocks of a chunk, which one thread decodes.
    chunk: usize,
    /// Rows of a batch at most.
    pub batch: usize,
    /// For fewer values, waking threads takes longer than they save.
    split: usize,
    /// What is read by the calling thread before threads are tried again, after a batch that was cut.
    again: usize,
}

/// Chosen so that what a chunk reads stays in the cache of its processor.
const SIZES: Sizes = Sizes { block: BLOCK, chunk: 8, batch: 1 << 20, split: 20_000, again: 4096 };
/// Counts are kept for each sort and chunk, so with more sorts than that one thread reads.
const MOST_SORTS: usize = 4096;

/// For tests, a small `IKRA_TEST_BATCH` has everything done in small pieces.
pub fn sizes() -> Sizes {
    static CHOSEN: OnceLock<Sizes> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let wanted = cfg!(feature = "testing").then(|| std::env::var("IKRA_TEST_BATCH").ok()).flatten();
        match wanted.and_then(|wanted| wanted.parse::<usize>().ok()) {
            Some(split) => {
                let split = split.clamp(1, BLOCK);
                Sizes { block: split, chunk: 2, batch: split * 16, split, again: split }
            }
            None => SIZES,
        }
    })
}

/// All threads, for so many values; `None`: the calling thread had better do it.
pub fn threads_for(values: usize) -> Option<AllThreads> {
    (values >= sizes().split && threads::count() > 1).then_some(AllThreads)
}

/// When the calling thread reads: at first, since what is met first is new, and again where a batch was cut, each time
/// for longer.
#[derive(Debug)]
pub struct Pace {
    until: usize,
    again: usize,
}

impl Pace {
    /// From this value or row on.
    pub fn new(at: usize) -> Self {
        Self { until: at + 1, again: sizes().again }
    }

    pub fn allows(&self, at: usize) -> bool {
        at >= self.until
    }

    pub fn cut(&mut self, at: usize) {
        self.until = at + self.again;
        self.again *= 2;
    }
}

/// Does something for each number below `count`, in any order, and gives the results in order.
pub trait Executor {
    fn map<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T>;
}

/// The calling thread and those that are free.
#[derive(Clone, Copy, Debug)]
pub struct AllThreads;

impl AllThreads {
    /// Calls `f` with each piece of work.
    pub fn each<T: Send>(self, work: impl ExactSizeIterator<Item = T> + Send, f: impl Fn(T) + Sync) {
        // As if a piece were as large as those that pay: whether it pays was asked before.
        let values = work.len().max(2).saturating_mul(parallel::chunk());
        parallel::each(values, work, f);
    }
}

impl Executor for AllThreads {
    fn map<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
        self.each(results.iter_mut().enumerate(), |(index, result)| *result = Some(work(index)));
        results.into_iter().flatten().collect()
    }
}

/// Is any of these, which are listed and so live, frozen?
pub fn any_frozen(objects: &[VALUE]) -> bool {
    let any = |objects: &[VALUE]| {
        objects.iter().enumerate().any(|(index, object)| {
            if let Some(later) = objects.get(index + 8) {
                value::prefetch(*later as *const VALUE);
            }
            // SAFETY: as the caller says; Ruby does not run meanwhile.
            unsafe { value::frozen(*object) }
        })
    };
    match threads_for(objects.len()) {
        Some(threads) => {
            let found = AtomicBool::new(false);
            threads.each(objects.chunks(parallel::chunk()), |objects| {
                if !found.load(Ordering::Relaxed) && any(objects) {
                    found.store(true, Ordering::Relaxed);
                }
            });
            found.into_inner()
        }
        None => any(objects),
    }
}

/// Where values are.
pub trait Source: Sync {
    /// The values of a column in these rows, at most [`BLOCK`], perhaps by way of `buffer`; only those before the first
    /// one that not any thread can load.
    fn load<'a>(&'a self, column: usize, rows: Range<usize>, buffer: &'a mut [VALUE; BLOCK]) -> &'a [VALUE];
}

/// Values that lie one after the other.
impl Source for &[VALUE] {
    fn load<'a>(&'a self, _: usize, rows: Range<usize>, _: &'a mut [VALUE; BLOCK]) -> &'a [VALUE] {
        &self[rows]
    }
}

/// A column of a batch: where its values go, what is known of them, and how many they are.
pub struct BatchColumn<'a> {
    pub spare: Spare,
    pub known: Known<'a>,
    pub rows: usize,
}

pub struct Batch<'a> {
    columns: Vec<BatchColumn<'a>>,
    sizes: Sizes,
    /// Values before this place count.
    cut: AtomicUsize,
    chunks: usize,
    /// The classes; behind them in the counts come the kinds.
    classes: usize,
    sorts: usize,
    /// By chunk and sort: what the chunk claims and keeps, then the row of the next of these.
    counts: Vec<AtomicU32>,
    /// By chunk, column and row: the payload is the value itself, until it has a row.
    later: Vec<AtomicU64>,
    /// Words of `later` for a chunk and column.
    words: usize,
}

/// What came of a batch.
pub struct Outcome<'a> {
    /// By column: where values went, and what each chunk has put there.
    pub columns: Vec<(BatchColumn<'a>, Vec<Filled>)>,
    /// The block in which it was cut, if it was.
    pub cut: Option<usize>,
}

/// What a chunk claims.
struct Claims<'a> {
    batch: &'a Batch<'a>,
    /// Where in [`Batch::later`] the chunk's words of the column are.
    later: usize,
    /// Of the next value: its place, and its row in the chunk.
    place: usize,
    row: usize,
    counts: Vec<u32>,
}

impl Enter for Claims<'_> {
    #[inline]
    fn enter(&mut self, _: VALUE, slot: Slot<'_>, word: Word, sort: Sort) -> Result<Option<Word>, NoMemory> {
        let claim = Word::claim(sort, self.place as u32);
        let before = match slot.claim(word, claim) {
            Claimed::Now(before) => before,
            Claimed::Before(before) => return Ok(Some(before)),
            // The tracer joins the kinds.
            Claimed::Otherwise => return Ok(None),
        };
        let number = self.batch.number(sort);
        if before.is_claim() {
            let loser = before.place() as usize / self.batch.places_of_chunk();
            self.batch.count(loser, number).fetch_sub(1, Ordering::Relaxed);
        }
        if self.counts.len() <= number {
            fallible::resize(&mut self.counts, self.batch.sorts, 0)?;
        }
        self.counts[number] += 1;
        Ok(Some(claim))
    }

    #[inline]
    fn later(&mut self) {
        let word = &self.batch.later[self.later + self.row / 64];
        // Nobody else has this word now.
        word.store(word.load(Ordering::Relaxed) | 1 << (self.row % 64), Ordering::Relaxed);
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        self.place += count;
        self.row += count;
    }
}

/// Memory of the lists of a sort behind what they hold.
#[derive(Clone, Copy)]
struct Room(*mut VALUE);

// SAFETY: each row is written by one thread, the one that has its claim.
unsafe impl Sync for Room {}
// SAFETY: as above.
unsafe impl Send for Room {}

impl<'a> Batch<'a> {
    /// `None` where there are too many sorts.
    pub fn new(columns: Vec<BatchColumn<'a>>, kinds: usize, sizes: Sizes) -> Result<Option<Self>, NoMemory> {
        let rows = columns.iter().map(|column| column.rows).max().unwrap_or(0);
        let chunks = rows.div_ceil(sizes.block * sizes.chunk);
        let classes = columns.iter().map(|column| column.known.places.len()).max().unwrap_or(0);
        let sorts = classes + kinds;
        let words = (sizes.block * sizes.chunk).div_ceil(64);
        let places = chunks * sizes.chunk * sizes.block * columns.len();
        if sorts > MOST_SORTS || places > u32::MAX as usize {
            return Ok(None);
        }
        let counts = fallible::collect((0..chunks * sorts).map(|_| AtomicU32::new(0)))?;
        let later = fallible::collect((0..chunks * columns.len() * words).map(|_| AtomicU64::new(0)))?;
        let cut = AtomicUsize::new(usize::MAX);
        Ok(Some(Self { columns, sizes, cut, chunks, classes, sorts, counts, later, words }))
    }

    fn number(&self, sort: Sort) -> usize {
        match sort {
            Sort::Object(class) => class.0 as usize,
            Sort::Array(kind) => self.classes + kind.0 as usize,
        }
    }

    fn places_of_chunk(&self) -> usize {
        self.sizes.chunk * self.sizes.block * self.columns.len()
    }

    fn count(&self, chunk: usize, number: usize) -> &AtomicU32 {
        &self.counts[chunk * self.sorts + number]
    }

    /// Of a chunk and column, the first in `later`.
    fn later_word(&self, chunk: usize, column: usize) -> usize {
        (chunk * self.columns.len() + column) * self.words
    }

    /// The blocks of a chunk, column by column: the column, its rows, and the place of the first.
    fn blocks(&self, chunk: usize) -> impl Iterator<Item = (usize, Range<usize>, usize)> {
        let first = chunk * self.sizes.chunk;
        let blocks = first..first + self.sizes.chunk;
        blocks.flat_map(move |block| {
            self.columns.iter().enumerate().filter_map(move |(number, column)| {
                let start = block * self.sizes.block;
                let rows = start..(start + self.sizes.block).min(column.rows);
                let place = (block * self.columns.len() + number) * self.sizes.block;
                (!rows.is_empty()).then_some((number, rows, place))
            })
        })
    }

    fn first_row(&self, chunk: usize) -> usize {
        chunk * self.sizes.chunk * self.sizes.block
    }

    /// Decodes; gives what each chunk has put into each column.
    ///
    /// SAFETY: Ruby does not run meanwhile, and what the source gives are live values.
    pub unsafe fn claim(
        &self,
        threads: &impl Executor,
        source: &impl Source,
    ) -> Result<Vec<Vec<Filled>>, Error> {
        threads.map(self.chunks, |chunk| self.claim_chunk(chunk, source)).into_iter().collect()
    }

    fn claim_chunk(&self, chunk: usize, source: &impl Source) -> Result<Vec<Filled>, Error> {
        if chunk == 0 {
            faults::point("reading on all threads")?;
        }
        let (first, most) = (self.first_row(chunk), self.sizes.chunk * self.sizes.block);
        let parts = self.columns.iter().map(|column| {
            let start = first.min(column.rows);
            // SAFETY: chunks do not overlap, and one thread has each. The builder waits.
            unsafe { column.spare.part(start, (column.rows - start).min(most)) }
        });
        let mut parts: Vec<Part<'_>> = parts.collect();
        let mut claims = Claims { batch: self, later: 0, place: 0, row: 0, counts: Vec::new() };
        let mut buffer = [0; BLOCK];
        for (column, rows, place) in self.blocks(chunk) {
            if place >= self.cut.load(Ordering::Relaxed) {
                break;
            }
            claims.later = self.later_word(chunk, column);
            (claims.place, claims.row) = (place, rows.start - first);
            let wanted = rows.len();
            let values = source.load(column, rows, &mut buffer);
            let count = self.columns[column].known.decode(values, &mut parts[column], &mut claims)?;
            if count < wanted {
                self.cut.fetch_min(place + count, Ordering::Relaxed);
                break;
            }
        }
        for (number, count) in claims.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.count(chunk, number).fetch_add(*count, Ordering::Relaxed);
        }
        Ok(parts.into_iter().map(Part::end).collect())
    }

    /// Lists what was claimed, by class and by kind, and gives it rows.
    ///
    /// SAFETY: `filled` is what `claim` gave, Ruby has not run since, and the lists are those whose rows the visited set
    /// has.
    pub unsafe fn enter(
        self,
        threads: &impl Executor,
        filled: Vec<Vec<Filled>>,
        objects: &mut Lists,
        arrays: &mut Lists,
    ) -> Result<Outcome<'a>, NoMemory> {
        let cut = self.cut.load(Ordering::Relaxed);
        // Chunks up to the one that was cut count.
        let chunks = self.chunks.min((cut / self.places_of_chunk()).saturating_add(1));
        let mut rooms = fallible::filled(Room(std::ptr::null_mut()), self.sorts)?;
        let mut lengths = fallible::filled(0usize, self.sorts)?;
        for number in 0..self.sorts {
            let claimed = |chunk| self.count(chunk, number).load(Ordering::Relaxed) as usize;
            let total: usize = (0..chunks).map(claimed).sum();
            if total == 0 {
                continue;
            }
            let (lists, index) = match number.checked_sub(self.classes) {
                None => (&mut *objects, number),
                Some(kind) => (&mut *arrays, kind),
            };
            if lists.len() <= index {
                lists.resize_with(index + 1, Vec::new);
            }
            let list = &mut lists[index];
            fallible::reserve(list, total)?;
            rooms[number] = Room(list.as_mut_ptr());
            lengths[number] = list.len() + total;
            let mut row = list.len();
            for chunk in 0..chunks {
                row += self.count(chunk, number).swap(row as u32, Ordering::Relaxed) as usize;
            }
        }
        let left = threads.map(self.chunks, |chunk| match chunk < chunks {
            true => self.enter_chunk(chunk, &rooms),
            false => {
                self.forget_chunk(chunk, cut);
                false
            }
        });
        if left.contains(&true) {
            threads.map(chunks, |chunk| left[chunk] && self.enter_chunk(chunk, &rooms));
        }
        for (number, length) in lengths.into_iter().enumerate().filter(|(_, length)| *length > 0) {
            let list = match number.checked_sub(self.classes) {
                None => &mut objects[number],
                Some(kind) => &mut arrays[kind],
            };
            // SAFETY: room was made above, and each row written by the chunk that had claimed it.
            unsafe { list.set_len(length) };
        }
        let cut = (cut != usize::MAX).then(|| cut / (self.sizes.block * self.columns.len()));
        let mut columns: Vec<_> = self.columns.into_iter().map(|column| (column, Vec::new())).collect();
        for chunk in filled.into_iter().take(chunks) {
            for ((_, parts), part) in columns.iter_mut().zip(chunk) {
                fallible::push(parts, part)?;
            }
        }
        Ok(Outcome { columns, cut })
    }

    /// What of a chunk has no row yet: the column, the row, and the place.
    #[inline(always)]
    fn each_later(&self, chunk: usize, mut f: impl FnMut(usize, usize, usize) -> bool) {
        /// So many rows ahead, slots are fetched into the processor's cache.
        const AHEAD: usize = 8;
        let first = self.first_row(chunk);
        for (column, rows, place) in self.blocks(chunk) {
            let (start, end) = (rows.start - first, rows.end - first);
            for word in start / 64..end.div_ceil(64) {
                let bits = &self.later[self.later_word(chunk, column) + word];
                let all = bits.load(Ordering::Relaxed);
                // Blocks may share a word.
                let from = u64::MAX << start.saturating_sub(word * 64);
                let until = u64::MAX >> ((word + 1) * 64).saturating_sub(end);
                let (mut left, mut done) = (all & from & until, 0);
                while left != 0 {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    let row = word * 64 + bit as usize;
                    if left >> bit >> AHEAD & 1 == 1 {
                        let BatchColumn { spare, known, .. } = &self.columns[column];
                        // SAFETY: this thread has the chunk, and the values were put there.
                        let [value, soon] = [0, AHEAD].map(|a| unsafe { spare.payload(first + row + a) });
                        // Objects in the order of creation are ready anyway.
                        if (value ^ soon) >> 12 != 0 {
                            known.visited.prefetch(soon as VALUE);
                        }
                    }
                    done |= u64::from(f(column, first + row, place + row - start)) << bit;
                }
                bits.store(all & !done, Ordering::Relaxed);
            }
        }
    }

    /// Is there anything left that a chunk before this one has claimed and not entered yet?
    fn enter_chunk(&self, chunk: usize, rooms: &[Room]) -> bool {
        let mut any_left = false;
        // The sort met last: its number, its next row, its room, and the place of its class.
        let mut last: Option<(Sort, usize, u32, Room, u32)> = None;
        self.each_later(chunk, |column, row, place| {
            let BatchColumn { spare, known, .. } = &self.columns[column];
            // SAFETY: this thread has the chunk, and the value was put there.
            let value = unsafe { spare.payload(row) } as VALUE;
            // Its page is there since it was claimed.
            let Ok(slot) = known.visited.slot(value) else { return false };
            let word = slot.word();
            if !word.is_present() {
                if word.place() as usize != place {
                    any_left = true;
                    return false;
                }
                let sort = word.sort();
                let (_, _, next, room, place) = match &mut last {
                    Some(last) if last.0 == sort => last,
                    last => {
                        let number = self.number(sort);
                        let count = |number| self.count(chunk, number);
                        if let Some((_, number, next, ..)) = last {
                            count(*number).store(*next, Ordering::Relaxed);
                        }
                        let next = count(number).load(Ordering::Relaxed);
                        last.insert((sort, number, next, rooms[number], decode::place(known.places, sort)))
                    }
                };
                let new = *next;
                *next += 1;
                // SAFETY: there is room for all that the chunks have claimed, and this row is this value's.
                unsafe { *room.0.add(new as usize) = value };
                slot.set(Word::present(sort, new));
                // SAFETY: as above.
                unsafe { spare.set_payload(row, object_payload(*place, new)) };
                return true;
            }
            let payload = object_payload(decode::place(known.places, word.sort()), word.row());
            // SAFETY: as above.
            unsafe { spare.set_payload(row, payload) };
            true
        });
        if let Some((_, number, next, ..)) = last {
            self.count(chunk, number).store(next, Ordering::Relaxed);
        }
        any_left
    }

    /// Takes the claims of a chunk back that are behind the cut.
    fn forget_chunk(&self, chunk: usize, cut: usize) {
        self.each_later(chunk, |column, row, _| {
            let BatchColumn { spare, known, .. } = &self.columns[column];
            // SAFETY: as in `enter_chunk`.
            let value = unsafe { spare.payload(row) } as VALUE;
            if let Ok(slot) = known.visited.slot(value) {
                let word = slot.word();
                if word.is_claim() && word.place() as usize >= cut {
                    slot.set(Word::EMPTY);
                }
            }
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::column_builder::{ColumnBuilder, Tags};
    use crate::reading::decode::InOrder;
    use crate::reading::symbols::Symbols;
    use crate::reading::visited::VisitedSet;
    use ikra_core::rng;
    use ikra_core::types::{ArrayKind, ClassId, HierarchyId};
    use rustc_hash::FxHashMap;
    use std::thread;

    /// Two threads, of which one takes the later half first.
    struct Two;

    impl Executor for Two {
        fn map<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
            let half = count / 2;
            thread::scope(|scope| {
                let later = scope.spawn(|| (half..count).rev().map(&work).collect::<Vec<_>>());
                let mut all: Vec<T> = (0..half).map(&work).collect();
                all.extend(later.join().unwrap().into_iter().rev());
                all
            })
        }
    }

    /// What is as long as the shortest objects, and has a class behind its flags.
    type Object = [u64; 5];
    const CLASSES: u64 = 3;
    const ARRAY: VALUE = 80;
    /// Not known.
    const OTHER: VALUE = 88;
    const SIZES: Sizes = Sizes { block: 3, chunk: 2, batch: 64, split: 1, again: 4 };

    unsafe fn no_float(_: VALUE) -> f64 {
        unreachable!("there is none on the heap")
    }

    struct Columns(Vec<Vec<VALUE>>);

    impl Source for Columns {
        fn load<'a>(&'a self, column: usize, rows: Range<usize>, _: &'a mut [VALUE; BLOCK]) -> &'a [VALUE] {
            &self.0[column][rows]
        }
    }

    struct World {
        visited: VisitedSet,
        pointers: FxHashMap<VALUE, ClassId>,
        modules: FxHashMap<VALUE, ClassId>,
        places: Vec<Option<(HierarchyId, u32)>>,
        symbols: Symbols,
        objects: Lists,
        arrays: Lists,
        builders: Vec<ColumnBuilder>,
    }

    impl World {
        fn new(columns: usize) -> Self {
            let place = |class: u64| Some((HierarchyId(class as u32 % 2), class as u32 / 2));
            Self {
                visited: VisitedSet::default(),
                pointers: (0..CLASSES).map(|class| (class * 8 + 8, ClassId(class as u32))).collect(),
                modules: FxHashMap::default(),
                places: (0..CLASSES).map(place).collect(),
                symbols: Symbols::new(Vec::new()),
                objects: Lists::new(),
                arrays: Lists::new(),
                builders: (0..columns).map(|_| ColumnBuilder::default()).collect(),
            }
        }

        fn known(&self, column: usize) -> Known<'_> {
            let Self { visited, pointers, modules, places, symbols, .. } = self;
            // The second column holds arrays of another kind.
            let kind = Some(ArrayKind(u32::from(column == 1)));
            Known {
                visited,
                pointers,
                modules,
                places,
                symbols,
                kind,
                array: ARRAY,
                hash: (1, None),
                float: (0, no_float),
                is_recalled: false,
                before: None,
            }
        }

        /// Reads a column to there, by one thread; what is not known is nil.
        fn read(&mut self, column: usize, values: &[VALUE]) {
            let mut builder = std::mem::take(&mut self.builders[column]);
            while builder.len() < values.len() {
                let rest = &values[builder.len()..];
                let (mut objects, mut arrays) =
                    (std::mem::take(&mut self.objects), std::mem::take(&mut self.arrays));
                let mut enter = InOrder { objects: &mut objects, arrays: &mut arrays };
                let known = self.known(column);
                let count = builder.append(rest.len(), |part| known.decode(rest, part, &mut enter)).unwrap();
                if count < rest.len() {
                    builder.push_nil();
                }
                (self.objects, self.arrays) = (objects, arrays);
            }
            self.builders[column] = builder;
        }

        fn read_block(&mut self, block: usize, columns: &[Vec<VALUE>]) {
            for (column, values) in columns.iter().enumerate() {
                self.read(column, &values[..values.len().min((block + 1) * SIZES.block)]);
            }
        }

        /// Reads all with two threads.
        fn read_all(&mut self, columns: &[Vec<VALUE>]) {
            let mut row = 0;
            while row < columns.iter().map(Vec::len).max().unwrap() {
                let rest: Vec<Vec<VALUE>> =
                    columns.iter().map(|values| values[row.min(values.len())..].to_vec()).collect();
                let mut builders = std::mem::take(&mut self.builders);
                let (mut objects, mut arrays) =
                    (std::mem::take(&mut self.objects), std::mem::take(&mut self.arrays));
                let wanted = builders.iter_mut().zip(&rest).enumerate().map(|(number, (builder, values))| {
                    let rows = values.len();
                    BatchColumn { spare: builder.spare(rows).unwrap(), known: self.known(number), rows }
                });
                let batch = Batch::new(wanted.collect(), 2, SIZES).unwrap().unwrap();
                // SAFETY: nothing of Ruby is here; builders and lists are those of the batch.
                let cut = unsafe {
                    let filled = batch.claim(&Two, &Columns(rest)).unwrap();
                    let outcome = batch.enter(&Two, filled, &mut objects, &mut arrays).unwrap();
                    for (builder, (column, filled)) in builders.iter_mut().zip(outcome.columns) {
                        builder.commit(column.spare, &filled).unwrap();
                    }
                    outcome.cut
                };
                (self.builders, self.objects, self.arrays) = (builders, objects, arrays);
                let Some(block) = cut else { return };
                let block = row / SIZES.block + block;
                self.read_block(block, columns);
                row = (block + 1) * SIZES.block;
            }
        }
    }

    #[test]
    fn two_threads_number_what_they_meet_as_one_does() {
        for seed in 0..if cfg!(miri) { 4 } else { 400 } {
            let mut draws = 0;
            let mut random = |below: u64| {
                draws += 1;
                rng::draw(seed, 0, 0, 0, draws) % below
            };
            let objects: Vec<Object> = (0..1 + random(60))
                .map(|_| match random(if seed % 2 == 0 { 12 } else { 40 }) {
                    0 => [0, OTHER, 0, 0, 0],
                    1..4 => [0, ARRAY, 0, 0, 0],
                    number => [0, number % CLASSES * 8 + 8, 0, 0, 0],
                })
                .collect();
            let address = |at: u64| (&raw const objects[at as usize % objects.len()]).expose_provenance();
            let plain = random(3) == 0;
            let columns: Vec<Vec<VALUE>> = (0..1 + random(3))
                .map(|_| {
                    let rows = random(70);
                    let value = |_| match random(if plain { 8 } else { 30 }) {
                        0..3 => random(1 << 40) << 1 | 1,
                        3 => crate::vm::value::small_float(random(100) as f64 * 0.5).unwrap(),
                        4 => crate::vm::value::NIL,
                        _ => address(random(1000)) as VALUE,
                    };
                    (0..rows).map(value).collect()
                })
                .collect();
            let (mut one, mut two) = (World::new(columns.len()), World::new(columns.len()));
            for block in 0..70usize.div_ceil(SIZES.block) {
                one.read_block(block, &columns);
            }
            two.read_all(&columns);
            assert_eq!((&one.objects, &one.arrays), (&two.objects, &two.arrays), "seed {seed}");
            for (one, two) in one.builders.iter().zip(&two.builders) {
                assert_eq!(one.payload, two.payload, "seed {seed}");
                assert!((0..one.len()).all(|row| one.tag(row) == two.tag(row)), "seed {seed}");
                assert_eq!(one.seen().types(), two.seen().types());
                assert_eq!(one.seen().narrow(), two.seen().narrow());
                assert!(!matches!(two.tags, Tags::None) || two.len() == 0);
            }
        }
    }
}
