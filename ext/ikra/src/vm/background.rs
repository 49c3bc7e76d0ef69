//! Work that cannot be interrupted, on a thread of its own: one waits for it ([`run`]), or does something else
//! meanwhile ([`Beside`]). Compiling hears interrupts in each phase. Inference has the GVL, since it asks Ruby: it
//! looks every 10 ms, and lets other threads run every 50 ms. Passes and back-ends run on a thread of their own which
//! owns all that it works on, while the calling thread waits without the GVL. When Ruby raises, it waits no more: the
//! token (`cancel.rs`) is cancelled and the thread abandoned. Passes look at the token between their sweeps; Cranelift
//! is left at its next pass (`backend/cpu/cancel.rs`). What does not look goes on for a while, and the next compilation
//! waits for it. A process may exit meanwhile (`backend/cuda/foreign.rs`), and fork: nothing in the child waits for the
//! thread, which is not there. What an abandoned thread gives is dropped.

use crate::vm::errors::Trouble;
use crate::vm::gvl::{GvlCell, check_interrupts, check_process, without_gvl};
use ikra_core::backend::cuda;
use ikra_core::cancel::CancellationToken;
use ikra_core::error::Error;
use ikra_core::reserve::{Expendable, Reserve};
use ikra_core::signals;
use ikra_core::threads::no_thread;
use magnus::Ruby;
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// How often it is looked whether Ruby wants the thread back.
const LOOK: Duration = Duration::from_millis(10);
/// Compiling recurses as deep as the code is nested: as much as inference has of a main thread.
const STACK: usize = 8 << 20;

/// A thread, as far as others know of it.
struct Known {
    /// The thread holds it until it ends.
    running: Weak<()>,
    /// It has no memory to go on with.
    asleep: Arc<AtomicBool>,
}

/// Some of the threads, and the process that they are in.
type Threads = GvlCell<(u32, Vec<Known>)>;

/// Those that nobody waits for any more.
static ABANDONED: Threads = GvlCell::new((0, Vec::new()));
/// Those that work beside Ruby.
static BESIDE: Threads = GvlCell::new((0, Vec::new()));

pub fn init(_ruby: &Ruby) {
    unsafe extern "C" fn before_exit(_: *mut rb_sys::ruby_vm_t) {
        cuda::before_exit();
    }
    // SAFETY: the function is never unloaded. Ruby calls it when its threads have ended.
    unsafe { rb_sys::ruby_vm_at_exit(Some(before_exit)) };
}

/// What the calling thread sets aside: for small things, and so that Ruby has memory to raise NoMemoryError with.
const ASIDE: usize = 4 << 20;

/// Runs `work` with the GVL released until it has ended, or Ruby raises. So many bytes are set aside for it.
pub fn run<T: Send + 'static>(
    ruby: &Ruby,
    bytes: usize,
    work: impl FnOnce(&CancellationToken) -> Result<T, Error> + Send + 'static,
) -> Result<T, Trouble> {
    // One at a time: a program that gives up waiting and tries again would fill the cores and the memory.
    while is_any(ruby, &ABANDONED) {
        without_gvl(ruby, &AtomicBool::new(false), || thread::sleep(LOOK));
        check_interrupts(ruby)?;
    }
    let beside = Beside::new(bytes, work);
    let thread = beside.begin();
    beside.wait(ruby).inspect_err(|_| {
        beside.cancel();
        ABANDONED.with(ruby, |(_, threads)| threads.extend(thread));
    })?;
    let ended = beside.take().ok_or_else(|| Error::Internal("a thread ended without a result".into()))?;
    Ok(ended.map_err(Trouble::Panic)??)
}

/// What it gave, or the panic that it ended in.
type Ended<T> = thread::Result<Result<T, Error>>;
type Work<T> = Box<dyn FnOnce(&CancellationToken) -> Result<T, Error> + Send>;

/// Work that goes on while Ruby does something else. One such at a time: what comes meanwhile begins when it has ended and
/// somebody looks ([`Self::look`]), or when somebody waits.
pub struct Beside<T> {
    /// Until it begins.
    work: Mutex<Option<Work<T>>>,
    bytes: usize,
    ended: Mutex<Option<Ended<T>>>,
    is_done: AtomicBool,
    told: Condvar,
    token: CancellationToken,
    /// It has no memory to go on with.
    asleep: Arc<AtomicBool>,
    /// In which it was made. In a child of that the locks may be held by threads that are not there.
    process: u32,
}

impl<T: Send + 'static> Beside<T> {
    /// So many bytes are set aside for it.
    pub fn new(
        bytes: usize,
        work: impl FnOnce(&CancellationToken) -> Result<T, Error> + Send + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            work: Mutex::new(Some(Box::new(work))),
            bytes,
            ended: Mutex::new(None),
            is_done: AtomicBool::new(false),
            told: Condvar::new(),
            token: CancellationToken::default(),
            asleep: Arc::default(),
            process: std::process::id(),
        })
    }

    pub fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }

    /// Will it never end, as there was no memory for it?
    pub fn is_asleep(&self) -> bool {
        self.asleep.load(Ordering::SeqCst)
    }

    /// Nobody wants it any more.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// Is there nothing more to wait for? Begins, if nothing else of this kind goes on.
    pub fn look(self: &Arc<Self>, ruby: &Ruby) -> bool {
        if self.is_done.load(Ordering::Acquire) || self.is_asleep() || !self.is_of_this_process() {
            return true;
        }
        if self.work.lock().is_some() && !is_any(ruby, &BESIDE) {
            let thread = self.begin();
            BESIDE.with(ruby, |(_, threads)| threads.extend(thread));
        }
        false
    }

    /// Begins, if it has not begun.
    fn begin(self: &Arc<Self>) -> Option<Known> {
        let work = self.work.lock().take()?;
        let running = Arc::new(());
        let known = Known { running: Arc::downgrade(&running), asleep: self.asleep.clone() };
        let this = self.clone();
        let body = move || {
            signals::block();
            let _running = running;
            let _expendable = Expendable::new(this.asleep.clone());
            let ended = catch_unwind(AssertUnwindSafe(|| {
                let _reserve = Reserve::new(this.bytes)?;
                work(&this.token)
            }));
            this.end(ended);
        };
        match thread::Builder::new().name("ikra-compile".into()).stack_size(STACK).spawn(body) {
            Ok(_) => Some(known),
            Err(error) => {
                self.end(Ok(Err(no_thread(STACK, &error))));
                None
            }
        }
    }

    fn end(&self, ended: Ended<T>) {
        let mut told = self.ended.lock();
        *told = Some(ended);
        self.is_done.store(true, Ordering::Release);
        self.told.notify_all();
    }

    /// Waits with the GVL released until it has ended, or gives what Ruby raises meanwhile.
    pub fn wait(self: &Arc<Self>, ruby: &Ruby) -> Result<(), Trouble> {
        check_process(self.process)?;
        let _aside = Reserve::new(ASIDE)?;
        let thread = self.begin();
        BESIDE.with(ruby, |(_, threads)| threads.extend(thread));
        let wanted = AtomicBool::new(false);
        loop {
            wanted.store(false, Ordering::Relaxed);
            let wait = || {
                let mut ended = self.ended.lock();
                while !self.is_done.load(Ordering::Acquire) {
                    let is_late = self.told.wait_for(&mut ended, LOOK).timed_out();
                    let is_wanted = wanted.load(Ordering::Relaxed) || self.is_asleep();
                    if is_late && is_wanted {
                        break;
                    }
                }
            };
            let waited = without_gvl(ruby, &wanted, wait);
            waited.transpose().map_err(Trouble::Panic)?;
            if self.is_done.load(Ordering::Acquire) {
                return Ok(());
            }
            if self.is_asleep() {
                return Err(Error::Memory(0).into());
            }
            check_interrupts(ruby)?;
            check_process(self.process)?;
        }
    }

    /// What it has given, for the first who asks.
    pub fn take(&self) -> Option<Ended<T>> {
        self.ended.lock().take()
    }
}

fn is_any(ruby: &Ruby, threads: &Threads) -> bool {
    threads.with(ruby, |(process, threads)| {
        if *process != std::process::id() {
            *process = std::process::id();
            threads.clear();
        }
        threads.retain(|thread| thread.running.strong_count() > 0 && !thread.asleep.load(Ordering::SeqCst));
        !threads.is_empty()
    })
}
