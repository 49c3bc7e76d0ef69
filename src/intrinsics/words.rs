//! Words of scratch memory as they are.

/// # Safety
/// So many words are there at both places, and only this thread uses them.
pub(super) unsafe extern "C" fn move_words(memory: *mut i64, to: i64, from: i64, count: i64) -> i64 {
    // SAFETY: as said.
    unsafe {
        let (to, from) = (memory.offset(to as isize), memory.offset(from as isize));
        std::ptr::copy(from, to, usize::try_from(count).unwrap_or(0));
    }
    0
}
