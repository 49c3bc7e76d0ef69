//! Huge pages for memory as long as the data. A fresh page costs a fault, which takes longer than what is written
//! there, and two threads are no faster at it. Ruby has switched huge pages off for its process, whose small objects
//! they would make larger; here they are permitted again for memory that asks for them.

#[cfg(target_os = "linux")]
use std::fs;

/// Where the system says to whom it gives huge pages.
#[cfg(target_os = "linux")]
const MODE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// Of prctl(2), since Linux 6.18: memory that asks for huge pages is excepted.
#[cfg(target_os = "linux")]
const EXCEPT_ADVISED: libc::c_ulong = 1 << 1;

/// Permits them for this process and its children, where memory that asks for none goes on without.
pub fn permit() {
    #[cfg(target_os = "linux")]
    // SAFETY: these calls take numbers, and change nothing but whether the kernel may use huge pages. An older kernel
    // refuses what it does not know.
    unsafe {
        const NONE: libc::c_ulong = 0;
        let is_off = libc::prctl(libc::PR_GET_THP_DISABLE, NONE, NONE, NONE, NONE) == 1;
        if !is_off
            || libc::prctl(libc::PR_SET_THP_DISABLE, 1 as libc::c_ulong, EXCEPT_ADVISED, NONE, NONE) == 0
        {
            return;
        }
        // Nobody else gets any in this mode.
        if fs::read_to_string(MODE).is_ok_and(|modes| modes.contains("[madvise]")) {
            libc::prctl(libc::PR_SET_THP_DISABLE, NONE, NONE, NONE, NONE);
        }
    }
}

/// Asks for them, for memory that is going to be written.
///
/// # Safety
/// The memory must be the caller's.
pub unsafe fn advise(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        const HUGE: usize = 2 << 20;
        let (first, end) = ((start as usize).next_multiple_of(HUGE), (start as usize + bytes) / HUGE * HUGE);
        if first < end {
            // SAFETY: whole pages of the caller's; a hint.
            unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}
