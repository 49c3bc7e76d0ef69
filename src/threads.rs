//! The threads that all cores are used with: for the elements of a section, and for reading and writing what they are
//! made of.
//!
//! The system wakes a thread near the one that wakes it, and was seen to leave both threads of a pool on one core for
//! seconds while another was idle: the second then only runs when the first has done all. So a thread that has finished
//! a piece of work, and sees another of its pool that has begun none for 150 µs, takes its own core out of those that
//! the other may use; the other gets it back when it runs. Threads are bound to nothing otherwise. What was tried
//! besides, with two threads on two cores: each bound to a core of its own is as fast, and as fast with another process
//! that is bound to one of the cores; but pools of several processes that only need some of their threads would share
//! cores while others are idle, and nobody could move them. Threads that are bound only while they wait, so that they
//! are woken where they were, take 1.2 to 1.4 times as long beside that other process. To go away from a core at which
//! one finds another comes too late, as it takes a thread that runs to find out.

use crate::error::Error;
use crate::reserve;
use crate::signals;
use parking_lot::Mutex;
use rayon::ThreadPool;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// More threads than that are not started.
pub const MOST: usize = 512;
/// Room for the 10,000 frames that a program may recurse to; it is mapped only as far as it is used. It is address space,
/// of which a process may have little, so only who needs it asks for it.
pub const STACK: usize = 256 << 20;
/// Room for programs that do not recurse: they do with what any thread has.
const USUAL_STACK: usize = 8 << 20;

/// The stack of a thread that runs a program; `deep`: one that recurses.
pub const fn stack(deep: bool) -> usize {
    if deep { STACK } else { USUAL_STACK }
}

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

/// By the number of threads.
type Pools = [AtomicPtr<Threads>; MOST + 1];

/// Pools by the number of their threads, since the number may be changed to and fro; those behind are of threads with
/// [`STACK`]. They are never dropped: a run may still use one, and in a forked child that would wait for threads that are
/// not there.
static POOLS: [Pools; 2] = [const { [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST + 1] }; 2];

/// The pool of this process; `deep`: for what recurses. Threads do not survive a fork, so the child makes its own.
pub fn pool(deep: bool) -> Result<&'static ThreadPool, Error> {
    let (process, count) = (crate::process::id(), count());
    let place = &POOLS[usize::from(deep)][count];
    let current = place.load(Ordering::Acquire);
    // SAFETY: the pointer is null or was leaked below, so it is valid for ever.
    if let Some(threads) = unsafe { current.as_ref() }
        && threads.process == process
    {
        return Ok(&threads.pool);
    }
    let pool = start(if deep { affordable(count) } else { count }, deep)?;
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

/// Of so many threads with [`STACK`], those that there is address space for; one at least. A thread also takes some for
/// small blocks of memory.
fn affordable(mut count: usize) -> usize {
    const SMALL_BLOCKS: usize = 64 << 20;
    while count > 1 && reserve::probe(count * (STACK + SMALL_BLOCKS)).is_err() {
        count /= 2;
    }
    count
}

fn start(count: usize, deep: bool) -> Result<ThreadPool, Error> {
    let member = || Member { thread: AtomicI32::new(0), begun: AtomicU64::new(0), sent: Mutex::new(None) };
    let members: Arc<[Member]> = (0..count).map(|_| member()).collect();
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(|number| format!("ikra-{number}"))
        .stack_size(stack(deep))
        .start_handler(move |number| {
            signals::block();
            if deep {
                note_large_stack();
            }
            members[number].thread.store(this_thread(), Ordering::Relaxed);
            POOL.set(Some((members.clone(), number)));
        })
        .build()
        .map_err(|error| no_thread(stack(deep), &error))
}

/// What the threads of a pool know of each other.
struct Member {
    /// As the system knows it; 0: it is not there yet.
    thread: AtomicI32,
    /// The number of the work that it has begun last.
    begun: AtomicU64,
    /// It was sent from another's core, and when it runs may use these again.
    sent: Mutex<Option<Cores>>,
}

thread_local! {
    /// It has [`STACK`].
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

/// This thread has been started with [`STACK`].
pub fn note_large_stack() {
    LARGE.set(true);
}

/// Has this thread [`STACK`]?
pub fn has_large_stack() -> bool {
    LARGE.get()
}

thread_local! {
    /// The pool that this thread belongs to, and which of its threads it is.
    static POOL: RefCell<Option<(Arc<[Member]>, usize)>> = const { RefCell::new(None) };
}

/// Threads have a part in work that takes longer than this, or something keeps them from it.
const LATE: Duration = Duration::from_micros(150);

/// Pieces of work for all threads of a pool.
///
/// The system wakes threads near the one that wakes them, and may leave two on one core for seconds while another core is
/// idle: the second then runs when the first has done it all. So a thread that has finished a piece, and sees that
/// another has not begun any, sends that one from its own core. Threads are not bound otherwise: where other processes
/// are at work, the system finds a better core than a fixed one.
pub struct Together {
    number: u64,
    since: Instant,
}

impl Together {
    #[allow(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { number: NEXT.fetch_add(1, Ordering::Relaxed), since: Instant::now() }
    }

    /// A thread begins a piece.
    pub fn begin(&self) {
        POOL.with_borrow(|pool| {
            let Some((members, me)) = pool else { return };
            if let Some(cores) = members[*me].sent.lock().take() {
                cores.bind(0);
            }
            if members[*me].begun.swap(self.number, Ordering::Relaxed) == self.number {
                self.send_others(members);
            }
        });
    }

    fn send_others(&self, members: &[Member]) {
        let mut late =
            members.iter().filter(|other| other.begun.load(Ordering::Relaxed) < self.number).peekable();
        if late.peek().is_none() || self.since.elapsed() < LATE {
            return;
        }
        let Some(core) = current_core() else { return };
        for other in late {
            let (thread, mut sent) = (other.thread.load(Ordering::Relaxed), other.sent.lock());
            if thread == 0 || sent.is_some() {
                continue;
            }
            if let Some(cores) = Cores::of(thread)
                && let Some(others) = cores.without(core)
            {
                others.bind(thread);
                *sent = Some(cores);
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn current_core() -> Option<usize> {
    // SAFETY: it has no preconditions.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(not(target_os = "linux"))]
fn current_core() -> Option<usize> {
    None
}

/// A set of cores.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
struct Cores(libc::cpu_set_t);

#[cfg(target_os = "linux")]
impl Cores {
    /// Those that a thread may use; 0 is this one.
    fn of(thread: i32) -> Option<Self> {
        // SAFETY: all bits 0 are an empty set, and the call writes only to it, as much as said.
        unsafe {
            let mut cores: libc::cpu_set_t = std::mem::zeroed();
            (libc::sched_getaffinity(thread, size_of_val(&cores), &raw mut cores) == 0).then_some(Self(cores))
        }
    }

    /// All but one of them, if there are others.
    fn without(mut self, core: usize) -> Option<Self> {
        // SAFETY: the number is one of a core that a thread runs on; what is beyond a set is looked for first.
        unsafe {
            if core < libc::CPU_SETSIZE as usize {
                libc::CPU_CLR(core, &mut self.0);
            }
            (libc::CPU_COUNT(&self.0) > 0).then_some(self)
        }
    }

    /// Has a thread use no others; it does as before where that is not allowed.
    fn bind(&self, thread: i32) {
        // SAFETY: the call reads only the set, as much as said.
        unsafe { libc::sched_setaffinity(thread, size_of_val(&self.0), &raw const self.0) };
    }
}

#[cfg(target_os = "linux")]
fn this_thread() -> i32 {
    // SAFETY: it has no preconditions.
    unsafe { libc::gettid() }
}

/// Elsewhere threads are where the system wants them.
#[cfg(not(target_os = "linux"))]
struct Cores;

#[cfg(not(target_os = "linux"))]
impl Cores {
    fn of(_thread: i32) -> Option<Self> {
        None
    }

    fn without(&self, _core: usize) -> Option<Self> {
        None
    }

    fn bind(&self, _thread: i32) {}
}

#[cfg(not(target_os = "linux"))]
fn this_thread() -> i32 {
    0
}

/// Why there is no thread with so much stack: too little memory, or too many threads.
pub fn no_thread(stack: usize, error: &dyn std::error::Error) -> Error {
    match reserve::probe(stack) {
        Ok(()) => Error::Device(format!("cannot start threads: {error}")),
        Err(error) => error.into(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn cores(thread: i32) -> Vec<usize> {
        let Cores(set) = Cores::of(thread).unwrap();
        // SAFETY: the numbers are those that there can be in a set.
        (0..libc::CPU_SETSIZE as usize).filter(|core| unsafe { libc::CPU_ISSET(*core, &set) }).collect()
    }

    #[test]
    fn a_thread_at_work_has_its_core_for_itself() {
        let all = cores(0);
        if all.len() < 2 {
            return;
        }
        let pool = start(2, false).unwrap();
        let threads = pool.broadcast(|_| this_thread());
        let members =
            pool.install(|| POOL.with_borrow(|pool| pool.as_ref().map(|(all, _)| all.clone()))).unwrap();
        let work = Together { number: u64::MAX / 2, since: Instant::now() - LATE };
        let (me, core) = pool.install(|| {
            work.begin();
            // One piece may be all that there is.
            assert!(threads.iter().all(|thread| cores(*thread) == all));
            work.begin();
            (this_thread(), current_core().unwrap())
        });
        let other = *threads.iter().find(|thread| **thread != me).unwrap();
        assert_eq!(cores(me), all);
        let sent = cores(other);
        assert_eq!(sent.len(), all.len() - 1);
        // It may have gone elsewhere since.
        assert!(!sent.contains(&core) || members.iter().any(|member| member.sent.lock().is_some()));
        pool.broadcast(|_| work.begin());
        assert_eq!(cores(other), all);
    }
}
