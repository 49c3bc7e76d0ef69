//! Work that cannot be interrupted, on a thread of its own, which is abandoned when Ruby raises meanwhile. Such a thread
//! owns all that it works on, and hears of it by its token; what it gives is dropped when it ends. At the end of the
//! process it ends with it, and in a forked child it is not there: nobody waits for it but the next such work.

use crate::vm::errors::Trouble;
use crate::vm::gvl::{GvlCell, check_interrupts, without_gvl};
use ikra_core::backend::cpu::block_signals;
use ikra_core::backend::cuda;
use ikra_core::cancel::CancellationToken;
use ikra_core::error::Error;
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

/// What abandoned threads hold until they end, and the process that they are in.
static ABANDONED: GvlCell<(u32, Vec<Weak<()>>)> = GvlCell::new((0, Vec::new()));

pub fn init(_ruby: &Ruby) {
    unsafe extern "C" fn before_exit(_: *mut rb_sys::ruby_vm_t) {
        cuda::before_exit();
    }
    // SAFETY: the function is never unloaded. Ruby calls it when its threads have ended.
    unsafe { rb_sys::ruby_vm_at_exit(Some(before_exit)) };
}

/// Runs `work` with the GVL released until it has ended, or Ruby raises.
pub fn run<T: Send + 'static>(
    ruby: &Ruby,
    work: impl FnOnce(&CancellationToken) -> Result<T, Error> + Send + 'static,
) -> Result<T, Trouble> {
    // One at a time: a program that gives up waiting and tries again would fill the cores and the memory.
    while is_one_abandoned(ruby) {
        without_gvl(ruby, &AtomicBool::new(false), || thread::sleep(LOOK));
        check_interrupts(ruby)?;
    }
    let token = CancellationToken::default();
    let (sender, mut receiver) = sync_channel(1);
    let running = Arc::new(());
    let held = (token.clone(), running.clone());
    let body = move || {
        block_signals();
        let (token, _running) = held;
        let ended = catch_unwind(AssertUnwindSafe(|| work(&token)));
        // Nobody may be there to receive it.
        drop(sender.send(ended));
    };
    let thread = thread::Builder::new().name("ikra-compile".into()).stack_size(STACK).spawn(body);
    thread.map_err(|_| Error::Memory(STACK))?;
    let ended = wait(ruby, &mut receiver).inspect_err(|_| {
        token.cancel();
        ABANDONED.with(ruby, |(_, abandoned)| abandoned.push(Arc::downgrade(&running)));
    })?;
    Ok(ended.map_err(Trouble::Panic)??)
}

type Ended<T> = thread::Result<Result<T, Error>>;

/// Gives what comes, or what Ruby raises meanwhile.
fn wait<T: Send>(ruby: &Ruby, receiver: &mut Receiver<Ended<T>>) -> Result<Ended<T>, Trouble> {
    let wanted = AtomicBool::new(false);
    loop {
        wanted.store(false, Ordering::Relaxed);
        // Lent whole: a thread may have it, though not two of them.
        let (receiver, looked) = (&mut *receiver, &wanted);
        let receive = move || {
            loop {
                match receiver.recv_timeout(LOOK) {
                    Err(RecvTimeoutError::Timeout) if looked.load(Ordering::Relaxed) => return None,
                    Err(RecvTimeoutError::Timeout) => {}
                    received => return Some(received),
                }
            }
        };
        if let Some(Ok(Some(received))) = without_gvl(ruby, &wanted, receive) {
            return received.map_err(|_| Error::Internal("a thread ended without a result".into()).into());
        }
        check_interrupts(ruby)?;
    }
}

fn is_one_abandoned(ruby: &Ruby) -> bool {
    ABANDONED.with(ruby, |(process, abandoned)| {
        if *process != std::process::id() {
            *process = std::process::id();
            abandoned.clear();
        }
        abandoned.retain(|running| running.strong_count() > 0);
        !abandoned.is_empty()
    })
}
