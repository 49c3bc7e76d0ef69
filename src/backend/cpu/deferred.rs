//! What elements defer ([`crate::ir::Stmt::Defer`]): each task writes down its calls as records, in lists by partitions
//! of the rows: no two threads have the same one when the calls are made, by the same function with a loop over records
//! around it. Where jobs are in the order of the base that is done every few tasks, while the records are in a cache;
//! else at the end of the tick, sorted by element. Records are bounded: what would take more runs in order, which takes
//! none.
//!
//! A call is a *record* of 64-bit words: the element in the upper and the row in the lower half of the first, then the
//! other arguments.

use super::runtime::{DONE, EntryFn, ThreadState};
use crate::fallible;
use crate::regexp::asking::{self, Asking};
use parking_lot::Mutex;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Words of records that are in memory at the same time; what takes more runs in order, which takes none.
const MOST: usize = 32 << 20;
/// Memory for records that is kept for the next run, in words.
const MOST_KEPT: usize = 8 << 20;
/// Rows that are neighbours share a cache line.
pub const LINE: i64 = 3;
/// Words that a list has room for at first.
const FIRST: usize = 256;

/// A deferred function as machine code.
#[derive(Clone, Copy)]
pub struct Deferred {
    /// Makes the calls of some records, which it is given in place of the order of jobs.
    pub code: EntryFn,
    /// Of a record.
    pub words: usize,
}

/// Where machine code writes the next record of a list.
#[repr(C)]
struct Cursor {
    next: *mut u64,
    end: *mut u64,
}

/// The records of one task: a list for each function and partition of the rows. Machine code knows the first two fields.
#[repr(C)]
pub struct Log {
    /// One for each of the lists.
    cursors: *mut Cursor,
    /// A row's partition, after a shift by [`LINE`]; their number is a power of two.
    mask: u64,
    /// What is behind `cursors`: nobody else holds it.
    _cursors: Box<[Cursor]>,
    lists: Vec<Vec<u64>>,
    words: Vec<usize>,
    /// Words that all logs of the run have room for.
    total: Arc<AtomicUsize>,
    /// Some could not be written down.
    pub no_memory: bool,
}

// SAFETY: the pointers are to memory that the log owns.
unsafe impl Send for Log {}
// SAFETY: as above; nobody writes through a shared one.
unsafe impl Sync for Log {}

impl Log {
    pub const CURSORS: i32 = offset_of!(Self, cursors) as i32;
    pub const MASK: i32 = offset_of!(Self, mask) as i32;
    pub const NEXT: i32 = offset_of!(Cursor, next) as i32;
    pub const END: i32 = offset_of!(Cursor, end) as i32;
    pub const CURSOR: i64 = size_of::<Cursor>() as i64;

    fn new(functions: &[Deferred], partitions: usize) -> Self {
        let lists: Vec<Vec<u64>> = vec![Vec::new(); functions.len() * partitions];
        let empty = || Cursor { next: std::ptr::null_mut(), end: std::ptr::null_mut() };
        let mut cursors: Box<[Cursor]> = lists.iter().map(|_| empty()).collect();
        Self {
            cursors: cursors.as_mut_ptr(),
            mask: partitions as u64 - 1,
            _cursors: cursors,
            lists,
            words: functions.iter().map(|function| function.words).collect(),
            total: Arc::default(),
            no_memory: false,
        }
    }

    const fn partitions(&self) -> usize {
        self.mask as usize + 1
    }

    fn cursor(&mut self, list: usize) -> &mut Cursor {
        assert!(list < self.lists.len());
        // SAFETY: there is one for each of the lists.
        unsafe { &mut *self.cursors.add(list) }
    }

    /// Has the list end where its cursor is.
    fn settle(&mut self, list: usize) {
        let next = self.cursor(list).next;
        if !next.is_null() {
            let start = self.lists[list].as_ptr();
            // SAFETY: the cursor is within the list's memory, or at its end, and all before it has been written.
            unsafe {
                let length = next.cast_const().offset_from(start);
                self.lists[list].set_len(length as usize);
            }
        }
    }

    /// Makes room in a list. Null: there is none.
    fn grow(&mut self, list: usize) -> *mut u64 {
        if self.no_memory {
            return std::ptr::null_mut();
        }
        self.settle(list);
        let more = self.words[list / self.partitions()].max(self.lists[list].len()).max(FIRST);
        let total = self.total.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        if total > MOST || fallible::reserve(&mut self.lists[list], more).is_err() {
            self.no_memory = true;
            return std::ptr::null_mut();
        }
        let room = self.lists[list].spare_capacity_mut().as_mut_ptr_range();
        let (next, end) = (room.start.cast(), room.end.cast());
        *self.cursor(list) = Cursor { next, end };
        next
    }

    fn settle_all(&mut self) {
        (0..self.lists.len()).for_each(|list| self.settle(list));
    }

    fn clear(&mut self) {
        for list in 0..self.lists.len() {
            self.lists[list].clear();
            let room = self.lists[list].spare_capacity_mut().as_mut_ptr_range();
            let (next, end) = (room.start.cast(), room.end.cast());
            if self.lists[list].capacity() > 0 {
                *self.cursor(list) = Cursor { next, end };
            }
        }
    }

    fn capacity(&self) -> usize {
        self.lists.iter().map(Vec::capacity).sum()
    }
}

impl Log {
    /// As machine code does.
    fn push(&mut self, function: usize, record: &[u64]) {
        let partition = (record[0] & u64::from(u32::MAX)) >> LINE & self.mask;
        let list = function * self.partitions() + partition as usize;
        let list = &mut self.lists[list];
        if fallible::reserve(list, record.len()).is_err() {
            self.no_memory = true;
        } else {
            list.extend_from_slice(record);
        }
    }
}

/// Called by machine code where a list is full: room for a record, or null where there is none.
///
/// # Safety
/// `state` is that of the calling code, with a log.
pub unsafe extern "C" fn grow(state: *mut ThreadState, list: u64) -> *mut u64 {
    // SAFETY: the log is the running task's own, and outlives it; so does the flag.
    let (log, interrupt) = unsafe { (&mut *(*state).log, &*(*state).interrupt) };
    let room = log.grow(list as usize);
    if room.is_null() {
        // There is no need to go on.
        interrupt.store(true, Ordering::Relaxed);
    }
    room
}

/// Logs that are not in use.
#[derive(Default)]
pub struct Spare(Mutex<Vec<Log>>);

/// What the tasks of a run have deferred.
pub struct Pending<'a> {
    functions: &'a [Deferred],
    partitions: usize,
    spare: &'a Spare,
    /// By the number of the task.
    done: Mutex<Vec<(usize, Log)>>,
    total: Arc<AtomicUsize>,
}

impl<'a> Pending<'a> {
    /// Calls are to be made by so many threads.
    pub fn new(functions: &'a [Deferred], width: usize, spare: &'a Spare) -> Self {
        let partitions = if width == 1 { 1 } else { (4 * width).next_power_of_two().min(256) };
        Self { functions, partitions, spare, done: Mutex::new(Vec::new()), total: Arc::default() }
    }

    pub fn log(&self) -> Log {
        let mut spare = self.spare.0.lock();
        while let Some(log) = spare.pop() {
            if log.partitions() == self.partitions {
                return Log { total: self.total.clone(), ..log };
            }
        }
        Log { total: self.total.clone(), ..Log::new(self.functions, self.partitions) }
    }

    /// Those of a task.
    pub fn add(&self, task: usize, mut log: Log) {
        log.settle_all();
        self.done.lock().push((task, log));
    }

    /// The logs until now, in the order of their tasks. `None`: not all was written down.
    pub fn take(&self) -> Option<Vec<Log>> {
        let mut done = std::mem::take(&mut *self.done.lock());
        self.total.store(0, Ordering::Relaxed);
        done.sort_unstable_by_key(|(task, _)| *task);
        (!done.iter().any(|(_, log)| log.no_memory)).then(|| done.into_iter().map(|(_, log)| log).collect())
    }

    pub const fn partitions(&self) -> usize {
        self.partitions
    }

    pub fn are_many(&self, logs: &[Log]) -> bool {
        logs.iter().flat_map(|log| &log.lists).map(Vec::len).sum::<usize>() > 4_096
    }

    /// Makes the calls for one partition of the rows. `sorted`: tasks are in the order of their elements. False: one has
    /// failed.
    pub fn call(
        &self,
        logs: &[Log],
        partition: usize,
        sorted: bool,
        (args, tick, interrupt): (&[u64], u64, &AtomicBool),
    ) -> bool {
        self.functions.iter().enumerate().all(|(number, function)| {
            let lists = logs.iter().map(|log| &log.lists[number * self.partitions + partition][..]);
            let call = |records: &[u64]| {
                // What is one row is read and written even so (see `frame.rs`), beside who has some.
                if records.is_empty() {
                    return true;
                }
                let mut state = ThreadState::new(0, 0, interrupt);
                let count = (records.len() / function.words) as u64;
                // SAFETY: the records are the function's, with rows that elements have found to be in range; the columns
                // outlive the run; nobody else comes to these rows, nor to what the function changes at all.
                let ended = unsafe {
                    (function.code)(
                        args.as_ptr(),
                        records.as_ptr().cast(),
                        0,
                        count,
                        tick as i64,
                        tick as i64 + 1,
                        &raw mut state,
                    )
                };
                ended == DONE
            };
            if sorted {
                return lists.into_iter().all(call);
            }
            let mut records: Vec<&[u64]> = Vec::new();
            let count = lists.clone().map(|list| list.len() / function.words).sum();
            let mut all: Vec<u64> = Vec::new();
            if fallible::reserve(&mut records, count).is_err()
                || fallible::reserve(&mut all, count * function.words).is_err()
            {
                return false;
            }
            records.extend(lists.flat_map(|list| list.chunks_exact(function.words)));
            records.sort_by_key(|record| record[0] >> 32);
            records.iter().for_each(|record| all.extend_from_slice(record));
            call(&all)
        })
    }

    /// Keeps the memory of logs for others.
    pub fn give_back(&self, logs: Vec<Log>) {
        let mut spare = self.spare.0.lock();
        let mut kept: usize = spare.iter().map(Log::capacity).sum();
        for mut log in logs {
            kept += log.capacity();
            if kept <= MOST_KEPT {
                log.clear();
                spare.push(log);
            }
        }
    }
}

/// Makes calls that have been written down elsewhere, by all cores.
pub fn make(
    functions: &[Deferred],
    spare: &Spare,
    (pool, records): (&ThreadPool, &[Vec<u64>]),
    run: (&[u64], u64, &AtomicBool),
) -> bool {
    let width = pool.current_num_threads();
    let pending = Pending::new(functions, width, spare);
    let ask = asking::current();
    let of_one = ask.as_ref().is_some_and(|ask| ask.is_of_one());
    let call = |logs: &[Log], number| {
        let _asking = Asking::begin(ask.clone());
        pending.call(logs, number, false, run)
    };
    let divided = || {
        let tasks = 4 * width;
        (0..tasks).into_par_iter().for_each(|task| {
            let mut log = pending.log();
            for (number, (records, function)) in records.iter().zip(functions).enumerate() {
                let count = records.len() / function.words;
                let range =
                    count * task / tasks * function.words..count * (task + 1) / tasks * function.words;
                let records = records[range].chunks_exact(function.words);
                records.for_each(|record| log.push(number, record));
            }
            pending.done.lock().push((task, log));
        });
        pending.take()
    };
    let Some(logs) = pool.install(divided) else { return false };
    let partitions = 0..pending.partitions();
    let done = match of_one {
        true => partitions.into_iter().all(|number| call(&logs, number)),
        false => pool.install(|| {
            partitions.into_par_iter().map(|number| call(&logs, number)).reduce(|| true, |a, b| a && b)
        }),
    };
    pending.give_back(logs);
    done
}
