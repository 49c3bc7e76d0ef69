//! Which threads hear signals.

/// Signals are for the program's own threads, which know what to do with them.
pub fn block() {
    #[cfg(unix)]
    // SAFETY: both calls only write to `all` and to this thread's mask.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}
