//! NVIDIA's driver has destructors that run when the process exits, and must not run while a thread is inside. One that
//! translates PTX for nobody any more may be, for minutes: then the process ends without them.

use crate::cancel::CancellationToken;
use crate::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};

/// The process in the upper half, and in the lower how many of its threads are inside: none of them is in a forked
/// child.
static INSIDE: AtomicU64 = AtomicU64::new(0);

/// A thread is inside the driver.
pub(super) struct Foreign(());

impl Foreign {
    pub fn enter(token: &CancellationToken) -> Result<Self, Error> {
        let _ = INSIDE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |inside| Some(own(inside) + 1));
        // Counted first: all are cancelled before the process looks whether one is inside.
        let entered = Self(());
        token.check()?;
        Ok(entered)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The count if it is that of this process; else a new one.
fn own(inside: u64) -> u64 {
    let process = u64::from(std::process::id()) << 32;
    if inside & !0xffff_ffff == process { inside } else { process }
}

/// To be called right before the process exits, when nobody waits for a compilation any more: what is registered last
/// runs first.
pub fn before_exit() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::{c_int, c_void};
        unsafe extern "C" {
            fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        }
        extern "C" fn leave(status: c_int, _: *mut c_void) {
            // In a forked child, threads of its parent: what they had locked stays so.
            if INSIDE.load(Ordering::SeqCst) as u32 != 0 {
                // SAFETY: neither has preconditions. What C has buffered is written out, as by an exit.
                unsafe {
                    libc::fflush(std::ptr::null_mut());
                    libc::_exit(status)
                }
            }
        }
        // SAFETY: the function may be called at any time, and this library is never unloaded.
        unsafe { on_exit(leave, std::ptr::null_mut()) };
    }
}
