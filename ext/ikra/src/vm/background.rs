//! Work that cannot be interrupted, on a thread of its own, which is abandoned when Ruby raises meanwhile. Such a thread
//! owns all that it works on, and hears of it by its token; what it gives is dropped when it ends. At the end of the
//! process it ends with it, and in a forked child it is not there: nobody waits for it but the next such work.

use crate::vm::errors::Trouble;
use crate::vm::gvl::{GvlCell, check_interrupts, check_process, without_gvl};
use ikra_core::backend::cuda;
use ikra_core::cancel::CancellationToken;
use ikra_core::error::Error;
use ikra_core::reserve::{Expendable, Reserve};
use ikra_core::threads::{block_signals, no_thread};
use magnus::Ruby;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// How often it is looked whether Ruby wants the thread back.
const LOOK: Duration = Duration::from_millis(10);
/// Compiling recurses as deep as the code is nested: as much as inference has of a main thread.
const STACK: usize = 8 << 20;

struct Abandoned {
    /// The thread holds it until it ends.
    running: Weak<()>,
    /// It has no memory to go on with.
    asleep: Arc<AtomicBool>,
}

/// Threads that nobody waits for, and the process that they are in.
static ABANDONED: GvlCell<(u32, Vec<Abandoned>)> = GvlCell::new((0, Vec::new()));

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
    while is_one_abandoned(ruby) {
        without_gvl(ruby, &AtomicBool::new(false), || thread::sleep(LOOK));
        check_interrupts(ruby)?;
    }
    let _aside = Reserve::new(ASIDE)?;
    let token = CancellationToken::default();
    let asleep = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = sync_channel(1);
    let running = Arc::new(());
    let held = (token.clone(), running.clone(), asleep.clone());
    let body = move || {
        block_signals();
        let (token, _running, asleep) = held;
        let _expendable = Expendable::new(asleep);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let _reserve = Reserve::new(bytes)?;
            work(&token)
        }));
        // Nobody may be there to receive it.
        drop(sender.send(ended));
    };
    let thread = thread::Builder::new().name("ikra-compile".into()).stack_size(STACK).spawn(body);
    thread.map_err(|error| no_thread(STACK, &error))?;
    let ended = wait(ruby, &mut receiver, &asleep).inspect_err(|_| {
        token.cancel();
        if !asleep.load(Ordering::SeqCst) {
            ABANDONED.with(ruby, |(_, abandoned)| {
                abandoned.push(Abandoned { running: Arc::downgrade(&running), asleep: asleep.clone() })
            });
        }
    })?;
    Ok(ended.map_err(Trouble::Panic)??)
}

type Ended<T> = thread::Result<Result<T, Error>>;

/// Gives what comes, or what Ruby raises meanwhile.
fn wait<T: Send>(
    ruby: &Ruby,
    receiver: &mut Receiver<Ended<T>>,
    asleep: &AtomicBool,
) -> Result<Ended<T>, Trouble> {
    let (wanted, process) = (AtomicBool::new(false), std::process::id());
    loop {
        wanted.store(false, Ordering::Relaxed);
        // Lent whole: a thread may have it, though not two of them.
        let (receiver, looked) = (&mut *receiver, &wanted);
        let receive = move || {
            loop {
                match receiver.recv_timeout(LOOK) {
                    Err(RecvTimeoutError::Timeout) => {
                        if looked.load(Ordering::Relaxed) || asleep.load(Ordering::SeqCst) {
                            return None;
                        }
                    }
                    received => return Some(received),
                }
            }
        };
        if let Some(Ok(Some(received))) = without_gvl(ruby, &wanted, receive) {
            return received.map_err(|_| Error::Internal("a thread ended without a result".into()).into());
        }
        if asleep.load(Ordering::SeqCst) {
            return Err(Error::Memory(0).into());
        }
        check_interrupts(ruby)?;
        check_process(process)?;
    }
}

fn is_one_abandoned(ruby: &Ruby) -> bool {
    ABANDONED.with(ruby, |(process, abandoned)| {
        if *process != std::process::id() {
            *process = std::process::id();
            abandoned.clear();
        }
        abandoned.retain(|thread| thread.running.strong_count() > 0 && !thread.asleep.load(Ordering::SeqCst));
        !abandoned.is_empty()
    })
}
