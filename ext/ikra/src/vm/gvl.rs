//! The global VM lock: the one place that releases it, and the cells that only its holder can open.
//!
//! An interrupt (a signal, `Thread#raise`, Timeout) sets a flag that the kernel looks at. Ruby sets it through the
//! unblocking function; where Ruby tells no one (a signal, when no other Ruby thread waits for one), the signal watcher
//! does (`signal_watcher.rs`). Then Ruby says what it wanted: if it raises, the section ends and nothing has changed.
//! If it does not (a trap handler that returns), the kernel starts again from the columns as they were, now on a thread
//! of its own, where only an interrupt that raises stops it. So signals that keep coming cannot keep a section from its
//! end.

use crate::vm::errors::Trouble;
use crate::vm::signal_watcher::Watching;
use ikra_core::signals;
use ikra_core::threads;
use magnus::error::ErrorType;
use magnus::value::BoxValue;
use magnus::{Error, Exception, Ruby, rb_sys::protect};
use parking_lot::Mutex;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Data of the whole process that only the holder of the GVL can reach. A borrow must not span a call into Ruby, which
/// may switch threads or collect garbage: a second borrow would panic.
#[derive(Debug, Default)]
pub struct GvlCell<T>(RefCell<T>);

// SAFETY: the contents are pinned through `with`, which asks for a `Ruby` handle, and through `marked`, which the
// garbage collector calls. Both exist only where the GVL is held (a `Ruby` handle cannot be sent), and the GVL orders
// the accesses of different threads.
unsafe impl<T> Sync for GvlCell<T> {}
// SAFETY: as above; dropping happens in the garbage collector or at the holder of the GVL.
unsafe impl<T> Send for GvlCell<T> {}

impl<T> GvlCell<T> {
    pub const fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }

    pub fn with<R>(&self, _ruby: &Ruby, f: impl FnOnce(&mut T) -> R) -> R {
        f(&mut self.0.borrow_mut())
    }

    /// For mark functions, which run while the thread that holds the GVL is inside Ruby and so not inside `with`.
    pub fn marked(&self, f: impl FnOnce(&T)) {
        f(&self.0.borrow());
    }
}

/// What the work gave, or the panic it ended in.
type Ended<T> = Result<T, Box<dyn Any + Send>>;

struct Work<F, T> {
    work: Option<F>,
    ended: Option<Ended<T>>,
}

/// Runs `work` with the GVL released. When Ruby wants the thread back (a signal, `Thread#raise`, `Thread#kill`),
/// `interrupt` is set and `work` should end soon. `None`: Ruby wanted it back before the work began.
pub fn without_gvl<F, T>(ruby: &Ruby, interrupt: &AtomicBool, work: F) -> Option<Ended<T>>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    unsafe extern "C" fn call<F: FnOnce() -> T, T>(job: *mut c_void) -> *mut c_void {
        // SAFETY: `job` is the `Work` below, which outlives the call and is used by no one else during it.
        let job = unsafe { &mut *job.cast::<Work<F, T>>() };
        let work = job.work.take();
        job.ended = work.map(|work| catch_unwind(AssertUnwindSafe(work)));
        std::ptr::null_mut()
    }
    unsafe extern "C" fn unblock(flag: *mut c_void) {
        // SAFETY: `flag` is the `AtomicBool` below, which outlives the call.
        unsafe { &*flag.cast::<AtomicBool>() }.store(true, Ordering::Relaxed);
    }
    let mut job = Work { work: Some(work), ended: None };
    let watching = Watching::new(ruby, interrupt);
    // Without UBF_ASYNC_SAFE, Ruby starts a thread for each call, only to call `unblock` (until 3.1).
    let flags = rb_sys::RB_NOGVL_INTR_FAIL | rb_sys::RB_NOGVL_UBF_ASYNC_SAFE;
    // SAFETY: the GVL is held (there is a `Ruby`). `call` catches panics and with INTR_FAIL `rb_nogvl` itself raises
    // nothing, so nothing unwinds through this frame; both pointers live until it returns. `unblock` only stores to an
    // atomic, which a signal handler may do. That `work` touches no Ruby object is what its bound `Send` stands for:
    // no magnus value has it.
    unsafe {
        rb_sys::rb_nogvl(
            Some(call::<F, T>),
            std::ptr::from_mut(&mut job).cast(),
            Some(unblock),
            std::ptr::from_ref(interrupt).cast_mut().cast(),
            flags as i32,
        );
    }
    drop(watching);
    job.ended
}

/// Runs `work` on this thread with the GVL held. Where it asks Ruby something, nothing may be raised through it; signals set
/// `interrupt`.
pub fn holding<T>(ruby: &Ruby, interrupt: &AtomicBool, work: impl FnOnce() -> T) -> Ended<T> {
    let watching = Watching::new(ruby, interrupt);
    let ended = catch_unwind(AssertUnwindSafe(work));
    drop(watching);
    ended
}

/// A thread that works for this one.
struct Worker<'a, T, A> {
    thread: Option<JoinHandle<T>>,
    answers: Option<SyncSender<A>>,
    interrupt: &'a AtomicBool,
    /// The process in which it is.
    process: u32,
}

impl<T, A> Worker<'_, T, A> {
    fn end(mut self) -> Ended<T> {
        drop(self.answers.take());
        match self.thread.take() {
            Some(thread) => thread.join(),
            None => Err(Box::new("a thread is waited for twice")),
        }
    }
}

impl<T, A> Drop for Worker<'_, T, A> {
    fn drop(&mut self) {
        let (thread, answers) = (self.thread.take(), self.answers.take());
        if self.process != ikra_core::process::id() {
            // There is no such thread, and it may have been about to use what both have.
            std::mem::forget((thread, answers));
            return;
        }
        if let Some(thread) = thread {
            self.interrupt.store(true, Ordering::Relaxed);
            drop(answers);
            let _ = thread.join();
        }
    }
}

/// An error, where this is a child of the process that a section, which waits for another thread, has begun in: the
/// child has only the thread that forked.
pub fn check_process(begun_in: u32) -> Result<(), Trouble> {
    if begun_in == ikra_core::process::id() {
        return Ok(());
    }
    Err(Trouble::Plain(
        "a process was forked in the middle of a section, which cannot go on in the child: its threads are not there\n  \
         hint: leave the child before the section goes on (fork { …; exit! }), or fork before the section or after it"
            .into(),
    ))
}

/// Runs `work` on a thread of its own, with a stack for what recurses where it is `deep`: it goes on while Ruby does what
/// it wants this thread for. Only if that raises, `interrupt` is set, and what was raised is given when `work` has ended.
/// What `work` asks meanwhile is answered by `answer` on this thread, with the GVL held; if that fails, `work` has no
/// answers any more, and should end soon. So is `meanwhile` called, ten times a second.
pub fn beside<T: Send, Q: Send, A: Send>(
    ruby: &Ruby,
    (deep, interrupt): (bool, &AtomicBool),
    work: impl FnOnce(&Arc<Asker<Q, A>>) -> T + Send,
    mut answer: impl FnMut(Q) -> Result<A, Trouble>,
    mut meanwhile: impl FnMut() -> Result<(), Trouble>,
) -> Result<Ended<T>, Trouble> {
    const LOOK: Duration = Duration::from_millis(2);
    const MEANWHILE: Duration = Duration::from_millis(100);
    let process = ikra_core::process::id();
    let (asks, mut asked) = mpsc::sync_channel(1);
    let (answers, answered) = mpsc::sync_channel(1);
    let body = move || {
        signals::block();
        if deep {
            threads::note_large_stack();
        }
        work(&Arc::new(Asker(Mutex::new(Some((asks, answered))))))
    };
    let stack = threads::stack(deep);
    // SAFETY: whatever the thread borrows is there until it has ended, as `Worker` waits for that; in a forked child there
    // is no such thread.
    let thread = unsafe { thread::Builder::new().stack_size(stack).spawn_unchecked(body) };
    let thread = Some(thread.map_err(|error| threads::no_thread(stack, &error))?);
    let worker = Worker { thread, answers: Some(answers), interrupt, process };
    let wanted = AtomicBool::new(false);
    let mut called = Instant::now();
    loop {
        let next = called + MEANWHILE;
        wanted.store(false, Ordering::Relaxed);
        let (receiver, looked) = (&mut asked, &wanted);
        let wait = move || loop {
            match receiver.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout)
                    if !looked.load(Ordering::Relaxed) && Instant::now() < next => {}
                other => break other,
            }
        };
        match without_gvl(ruby, &wanted, wait).and_then(Result::ok) {
            Some(Ok(question)) => {
                let answer = answer(question)?;
                check_process(process)?;
                // It may have ended meanwhile.
                let _ = worker.answers.as_ref().map(|answers| answers.send(answer));
            }
            Some(Err(RecvTimeoutError::Disconnected)) => return Ok(worker.end()),
            Some(Err(RecvTimeoutError::Timeout)) | None => {
                let raised = check_interrupts(ruby).map_err(Trouble::from);
                let called = if Instant::now() < next {
                    Ok(())
                } else {
                    called = Instant::now();
                    meanwhile()
                };
                raised.and(called)?;
                check_process(process)?;
            }
        }
    }
}

/// Whom threads of the work ask, one after the other: the thread that waits for it.
pub struct Asker<Q, A>(Mutex<Option<(SyncSender<Q>, Receiver<A>)>>);

impl<Q, A> Asker<Q, A> {
    /// `None` if it answers no more.
    pub fn ask(&self, question: Q) -> Option<A> {
        let mut ends = self.0.lock();
        let (asks, answered) = ends.as_ref()?;
        let answer = asks.send(question).ok().and_then(|()| answered.recv().ok());
        if answer.is_none() {
            // Nobody takes the next question.
            ends.take();
        }
        answer
    }
}

/// What was raised where nothing could be told of it.
enum Deferred {
    Exception(BoxValue<Exception>),
    /// A `throw`, as Timeout's: the interpreter keeps what it carries.
    Jump(Error),
}

thread_local! {
    static DEFERRED: RefCell<Option<Deferred>> = const { RefCell::new(None) };
}

/// What a question gives that raises nothing by itself. But any call of Ruby's may raise what another thread sent: that
/// is raised by [`check_deferred`] then, and `otherwise` is given.
pub fn or_defer<T>(asked: Result<T, Error>, otherwise: T) -> T {
    asked.unwrap_or_else(|error| {
        let deferred = match error.error_type() {
            ErrorType::Exception(exception) => Some(Deferred::Exception(BoxValue::new(*exception))),
            ErrorType::Jump(_) => Some(Deferred::Jump(error)),
            ErrorType::Error(..) => None,
        };
        DEFERRED.with_borrow_mut(|known| {
            if known.is_none() {
                *known = deferred;
            }
        });
        otherwise
    })
}

/// What a question gives, as [`or_defer`]: nothing where something was raised.
pub fn or_none<T>(asked: Result<T, Error>) -> Option<T> {
    or_defer(asked.map(Some), None)
}

/// So often what is raised is taken for what another thread sends.
const INTERRUPTIONS: usize = 16;

/// Does what is to be done whatever another thread sends meanwhile, or a signal does: that is deferred, and what it has
/// broken off is done again.
pub fn insist<T>(mut act: impl FnMut() -> Result<T, Trouble>) -> Result<T, Trouble> {
    for _ in 0..INTERRUPTIONS {
        match act() {
            Err(Trouble::Raised(error)) => or_defer(Err(error), ()),
            ended => return ended,
        }
    }
    act()
}

/// Raises what was deferred.
pub fn check_deferred() -> Result<(), Error> {
    match DEFERRED.take() {
        None => Ok(()),
        Some(Deferred::Jump(error)) => Err(error),
        Some(Deferred::Exception(exception)) => Err((*exception).into()),
    }
}

/// Lets Ruby do what it wanted the thread for: run trap handlers, raise what another thread sent, end the thread.
pub fn check_interrupts(_ruby: &Ruby) -> Result<(), Error> {
    check_deferred()?;
    protect(|| {
        // SAFETY: the GVL is held; what it raises is caught by `protect`.
        unsafe { rb_sys::rb_thread_check_ints() };
        rb_sys::Qnil as rb_sys::VALUE
    })
    .map(|_| ())
}

/// As [`check_interrupts`], after other threads that wait for the GVL have had it.
pub fn let_others_run(_ruby: &Ruby) -> Result<(), Error> {
    check_deferred()?;
    protect(|| {
        // SAFETY: the GVL is held; what it raises is caught by `protect`.
        unsafe { rb_sys::rb_thread_schedule() };
        rb_sys::Qnil as rb_sys::VALUE
    })
    .map(|_| ())
}

/// Is this the only thread of Ruby's?
pub fn is_alone(_ruby: &Ruby) -> bool {
    // SAFETY: the GVL is held.
    unsafe { rb_sys::rb_thread_alone() != 0 }
}
