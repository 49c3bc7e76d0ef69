//! The threads that all cores are used with: for the elements of a section, and for reading and writing what they are
//! made of.

use crate::error::Error;
use crate::reserve;
use rayon::ThreadPool;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// More threads than that are not started.
pub const MOST: usize = 512;
/// Room for the 10,000 frames that a program may recurse to; it is mapped only as far as it is used.
const STACK: usize = 256 << 20;

/// What was asked for; 0: what the process may use.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Sets how many threads there are from now on, at most [`MOST`]; 0: as many as the process may use cores.
pub fn set(count: usize) {
    WANTED.store(count.min(MOST), Ordering::Relaxed);
}

/// How many threads there are. Quotas of a cgroup count, as does what the process is bound to.
pub fn count() -> usize {
    // Asking the system reads files.
    static CORES: OnceLock<usize> = OnceLock::new();
    match WANTED.load(Ordering::Relaxed) {
        0 => *CORES.get_or_init(|| available_parallelism().map_or(1, usize::from).min(MOST)),
        wanted => wanted,
    }
}

struct Threads {
    process: u32,
    pool: ThreadPool,
}

/// Pools by the number of their threads, since the number may be changed to and fro. They are never dropped: a run may
/// still use one, and in a forked child that would wait for threads that are not there.
static POOLS: [AtomicPtr<Threads>; MOST + 1] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST + 1];

/// The pool of this process. Threads do not survive a fork, so the child makes its own.
pub fn pool() -> Result<&'static ThreadPool, Error> {
    let (process, count) = (std::process::id(), count());
    let place = &POOLS[count];
    let current = place.load(Ordering::Acquire);
    // SAFETY: the pointer is null or was leaked below, so it is valid for ever.
    if let Some(threads) = unsafe { current.as_ref() }
        && threads.process == process
    {
        return Ok(&threads.pool);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(|number| format!("ikra-{number}"))
        .stack_size(STACK)
        .start_handler(|_| block_signals())
        .build()
        .map_err(|error| no_thread(STACK, &error))?;
    let made = Box::into_raw(Box::new(Threads { process, pool }));
    match place.compare_exchange(current, made, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: just leaked.
        Ok(_) => Ok(unsafe { &(*made).pool }),
        Err(winner) => {
            // SAFETY: `made` was not published; `winner` was, by another thread of this process, and is leaked.
            unsafe {
                drop(Box::from_raw(made));
                Ok(&(*winner).pool)
            }
        }
    }
}

/// Why there is no thread with so much stack: too little memory, or too many threads.
pub fn no_thread(stack: usize, error: &dyn std::error::Error) -> Error {
    match reserve::probe(stack) {
        Ok(()) => Error::Device(format!("cannot start threads: {error}")),
        Err(error) => error.into(),
    }
}

/// Signals are for the program's own threads, which know what to do with them.
pub fn block_signals() {
    #[cfg(unix)]
    // SAFETY: both calls only write to `all` and to this thread's mask.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}
