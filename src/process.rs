//! The number of this process, without asking the system for it each time: a child of `fork` learns its own.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

/// 0: not known yet.
static ID: AtomicU32 = AtomicU32::new(0);

/// As `std::process::id`.
pub fn id() -> u32 {
    match ID.load(Ordering::Relaxed) {
        0 => ask(),
        id => id,
    }
}

#[cold]
fn ask() -> u32 {
    static PREPARED: Once = Once::new();
    static IS_TOLD: AtomicU32 = AtomicU32::new(0);
    extern "C" fn forked() {
        ID.store(0, Ordering::Relaxed);
    }
    PREPARED.call_once(|| {
        // SAFETY: it only stores to an atomic, which may be done in a child that was just forked.
        let failed = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        IS_TOLD.store(u32::from(failed == 0), Ordering::Relaxed);
    });
    let id = std::process::id();
    if IS_TOLD.load(Ordering::Relaxed) != 0 {
        ID.store(id, Ordering::Relaxed);
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_has_a_number_of_its_own() {
        assert_eq!(id(), std::process::id());
        // SAFETY: the child does nothing but ask for its number, which allocates nothing, and end.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(id() != std::process::id())) };
        }
        let mut status = -1;
        // SAFETY: the child is this process's.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
}
