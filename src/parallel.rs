//! Loops over data on all threads, while the caller waits. They differ from those over elements: the thread that waits
//! may hold the GVL, and the pool may be busy with elements of another section, for seconds. So it works itself,
//! threads of the pool help if they are free, and who comes too late finds nothing to do. With fewer than 20,000 values
//! it works alone. What comes out does not depend on who has done what: sums of Floats are made in order, by one
//! thread.

use crate::error::NoMemory;
use crate::fallible;
use crate::threads;
use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// With fewer values than that, waking other threads takes as long as the work.
const PAYS: usize = 20_000;
/// So many values are worked on at a time: few enough to stay in a cache, enough for the cost of handing them out.
const CHUNK: usize = 1 << 14;
/// The same where specs ask for it: a multiple of 64, as [`CHUNK`] is.
const TEST_CHUNK: usize = 64;

/// Only specs set this: loops over two values use all threads.
fn is_split() -> bool {
    cfg!(feature = "testing") && std::env::var_os("IKRA_TEST_SPLIT").is_some()
}

/// How many of something it takes for what pays only then: `usual`, but for specs of all that can happen.
pub fn threshold(usual: usize) -> usize {
    if is_split() { 2 } else { usual }
}

/// So many values are to be worked on at a time: a multiple of 64. What comes out must not depend on it.
pub fn chunk() -> usize {
    if is_split() { TEST_CHUNK } else { CHUNK }
}

/// Calls `f` with each piece of work, which are about `values` values in all. Other threads help if that pays.
pub fn each<T: Send>(values: usize, work: impl Iterator<Item = T> + Send, f: impl Fn(T) + Sync) {
    if values < threshold(PAYS) || threads::count() == 1 {
        return work.for_each(f);
    }
    // Without threads it takes longer.
    let Ok(pool) = threads::pool(false) else { return work.for_each(f) };
    let helpers = (pool.current_num_threads() - 1).min(values.div_ceil(chunk()));
    let work = Mutex::new(work);
    let job = || {
        loop {
            // The lock is held for this statement only.
            let next = work.lock().next();
            let Some(item) = next else { return };
            f(item);
        }
    };
    let team = Arc::new(Team::new(&job));
    for _ in 0..helpers {
        let team = team.clone();
        pool.spawn(move || team.help());
    }
    let own = catch_unwind(AssertUnwindSafe(&job));
    let others = team.close();
    if let Err(panic) = own.and(others) {
        resume_unwind(panic);
    }
}

/// A copy of a list.
pub fn copied<T: Copy + Send + Sync>(from: &[T]) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    fallible::reserve(&mut list, from.len())?;
    let chunks = list.spare_capacity_mut().chunks_mut(chunk()).zip(from.chunks(chunk()));
    each(from.len(), chunks, |(to, from)| {
        // The room behind the last one is left as it is.
        to[..from.len()].write_copy_of_slice(from);
    });
    // SAFETY: there is room for so many, and the chunks are all that `from` has.
    unsafe { list.set_len(from.len()) };
    Ok(list)
}

/// A list of what `f` makes of each item.
pub fn mapped<A: Sync, B: Send>(from: &[A], f: impl Fn(&A) -> B + Sync) -> Result<Vec<B>, NoMemory> {
    let mut list = Vec::new();
    fallible::reserve(&mut list, from.len())?;
    let chunks = list.spare_capacity_mut().chunks_mut(chunk()).zip(from.chunks(chunk()));
    each(from.len(), chunks, |(to, from)| {
        to.iter_mut().zip(from).for_each(|(place, item)| {
            place.write(f(item));
        });
    });
    // SAFETY: there is room for so many, and the chunks are all that `from` has.
    unsafe { list.set_len(from.len()) };
    Ok(list)
}

/// Copies a list over another one as long.
pub fn copy<T: Copy + Send + Sync>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "lists of one length are copied");
    let chunks = to.chunks_mut(chunk()).zip(from.chunks(chunk()));
    each(from.len(), chunks, |(to, from)| to.copy_from_slice(from));
}

/// Threads that help with a job as long as its caller is at it.
struct Team {
    job: Job,
    state: Mutex<State>,
    one_less: Condvar,
}

#[derive(Default)]
struct State {
    /// The caller has gone on: the job is no longer there.
    closed: bool,
    helping: usize,
    panic: Option<Box<dyn Any + Send>>,
}

/// It is called only between [`Team::new`] and the end of [`Team::close`].
struct Job(*const (dyn Fn() + Sync));

// SAFETY: what it points to may be shared (`Sync`), and is there as long as it is called.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Team {
    fn new<'a>(job: &'a (dyn Fn() + Sync + 'a)) -> Self {
        // SAFETY: only the lifetime is another one. `help` calls it only before the team is closed, and `close`, which
        // `each` does not end without, waits for that.
        let job =
            unsafe { std::mem::transmute::<&'a (dyn Fn() + Sync + 'a), &'static (dyn Fn() + Sync)>(job) };
        Self { job: Job(job), state: Mutex::default(), one_less: Condvar::new() }
    }

    /// Does some of the work, unless there is none any more.
    fn help(&self) {
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        state.helping += 1;
        drop(state);
        // SAFETY: the team was open, and is not given up while somebody helps.
        let ended = catch_unwind(AssertUnwindSafe(|| unsafe { (*self.job.0)() }));
        let mut state = self.state.lock();
        state.helping -= 1;
        state.panic = state.panic.take().or(ended.err());
        self.one_less.notify_all();
    }

    /// Waits for those who help; who comes later finds it closed.
    fn close(&self) -> Result<(), Box<dyn Any + Send>> {
        let mut state = self.state.lock();
        state.closed = true;
        while state.helping > 0 {
            self.one_less.wait(&mut state);
        }
        state.panic.take().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn each_piece_is_worked_on_once() {
        for values in [0, 1, PAYS - 1, PAYS, 10 * CHUNK + 1] {
            let mut times = vec![0u8; values];
            each(values, times.chunks_mut(CHUNK), |times| times.iter_mut().for_each(|n| *n += 1));
            assert!(times.iter().all(|n| *n == 1));
        }
    }

    #[test]
    fn lists_are_copied() {
        let list: Vec<usize> = (0..3 * CHUNK + 5).collect();
        assert_eq!(copied(&list), Ok(list.clone()));
        let mut other = vec![0; list.len()];
        copy(&mut other, &list);
        assert_eq!(other, list);
        assert_eq!(copied::<u8>(&[]), Ok(Vec::new()));
        assert_eq!(mapped(&list, |n| n + 1), Ok((1..=list.len()).collect()));
    }

    #[test]
    fn a_panic_is_the_callers_once_nobody_works_any_more() {
        let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            each(PAYS, 0..100, |number| {
                begun.fetch_add(1, Ordering::SeqCst);
                if number == 7 {
                    ended.fetch_add(1, Ordering::SeqCst);
                    panic!("number {number}");
                }
                ended.fetch_add(1, Ordering::SeqCst);
            });
        };
        let panic = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("number 7"));
        assert_eq!(begun.load(Ordering::SeqCst), ended.load(Ordering::SeqCst));
    }

    #[test]
    fn a_pool_that_is_busy_is_not_waited_for() {
        let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let pool = threads::pool(false).unwrap();
        for _ in 0..threads::count() {
            let over = over.clone();
            pool.spawn(move || {
                while !over.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
            });
        }
        let sum = AtomicUsize::new(0);
        each(PAYS, 0..100, |number| {
            sum.fetch_add(number, Ordering::SeqCst);
        });
        assert_eq!(sum.into_inner(), 4950);
        over.store(true, Ordering::SeqCst);
    }
}
