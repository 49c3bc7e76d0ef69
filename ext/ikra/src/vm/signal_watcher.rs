//! The signal watcher: hears the signals that Ruby tells no one of. Until 3.2, the main thread without the GVL is told
//! of a signal by another Ruby thread that waits for signals. When that thread has ended, or runs a section too, a
//! section would run on as if nothing had happened. So a thread of ours asks every few milliseconds for the sections of
//! the main thread.

use ikra_core::signals;
use libloading::os::unix::Library;
use magnus::Ruby;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Is there a signal that Ruby has not handled yet? A function that libruby exports and no header has.
fn pending() -> Option<unsafe extern "C" fn() -> c_int> {
    // SAFETY: the type is that of the function in Ruby's thread.c.
    unsafe { Library::this().get(b"rb_thread_check_trap_pending").ok().map(|symbol| *symbol) }
}

const EVERY: Duration = Duration::from_millis(10);
/// So many times it finds nothing to do before it goes to sleep, since waking it costs a short section too much.
const LINGER: u32 = 100;

/// What to set for a section that runs.
struct Running(*const AtomicBool);

// SAFETY: the address of something that any thread may use.
unsafe impl Send for Running {}

#[derive(Default)]
struct State {
    running: Vec<Running>,
    asleep: bool,
}

struct SignalWatcher {
    process: u32,
    state: Mutex<State>,
    woken: Condvar,
}

impl SignalWatcher {
    /// The one of this process: its thread does not survive a fork, and its lock may be held for ever in the child.
    fn of_process() -> &'static Self {
        static WATCHER: AtomicPtr<SignalWatcher> = AtomicPtr::new(std::ptr::null_mut());
        let current = WATCHER.load(Ordering::Acquire);
        // SAFETY: the pointer is null or was leaked below, so it is valid for ever.
        if let Some(watcher) = unsafe { current.as_ref() }
            && watcher.process == ikra_core::process::id()
        {
            return watcher;
        }
        // Only the holder of the GVL comes here, so there is no second one to be lost.
        let made: &'static Self = Box::leak(Box::new(Self {
            process: ikra_core::process::id(),
            state: Mutex::default(),
            woken: Condvar::new(),
        }));
        WATCHER.store(std::ptr::from_ref(made).cast_mut(), Ordering::Release);
        // Without the thread, sections are interrupted by what Ruby tells them only.
        if let Some(pending) = pending() {
            let _ = thread::Builder::new().name("ikra-signals".into()).spawn(move || made.look(pending));
        }
        made
    }

    fn look(&self, pending: unsafe extern "C" fn() -> c_int) {
        signals::block();
        let mut idle = 0;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            idle = if state.running.is_empty() { idle + 1 } else { 0 };
            // SAFETY: it reads one number of the process, which needs no GVL. No object may be touched here: while Ruby
            // compacts its heap, not even reading one is safe.
            if idle == 0 && unsafe { pending() } != 0 {
                for Running(interrupt) in &state.running {
                    // SAFETY: `Watching` is dropped before it goes, which waits for the lock.
                    unsafe { &**interrupt }.store(true, Ordering::Relaxed);
                }
            }
            if idle > LINGER {
                state.asleep = true;
                state = self.woken.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.asleep = false;
            } else {
                drop(state);
                thread::sleep(EVERY);
                state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// While this is there, `interrupt` is set soon after a signal has come in, if the thread is the one that handles it.
pub struct Watching<'a> {
    watcher: &'static SignalWatcher,
    interrupt: &'a AtomicBool,
}

impl<'a> Watching<'a> {
    pub fn new(_ruby: &Ruby, interrupt: &'a AtomicBool) -> Option<Self> {
        // SAFETY: the GVL is held.
        if unsafe { rb_sys::rb_thread_current() != rb_sys::rb_thread_main() } {
            return None;
        }
        let watcher = SignalWatcher::of_process();
        let mut state = watcher.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running.push(Running(interrupt));
        let asleep = state.asleep;
        drop(state);
        if asleep {
            watcher.woken.notify_one();
        }
        Some(Self { watcher, interrupt })
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let mut state = self.watcher.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running.retain(|Running(interrupt)| !std::ptr::eq(*interrupt, self.interrupt));
    }
}
