//! The scratch memory of a driver, which makes what it likes in one run of any length. Where it does not suffice the whole
//! section begins again; so it is as much as there can be, of which only what is used becomes memory.

use crate::error::Error;
use crate::fallible;
use crate::heap::Column;
use crate::ir::Buffer;
use crate::scalar::Ty;
use std::cell::RefCell;

/// Words that a driver has at first.
const WORDS: usize = 1 << 27;
/// Bytes that stay with the thread for the next one.
const KEPT_BYTES: usize = 16 << 20;

thread_local! {
    static KEPT: RefCell<Option<Column>> = const { RefCell::new(None) };
}

/// See the module's text.
pub(super) struct Scratch {
    /// In the place of this one, which elements have.
    pub buffer: Buffer,
    pub memory: Column,
}

impl Scratch {
    /// At least so many words.
    pub fn new(buffer: Buffer, words: usize) -> Result<Self, Error> {
        if let Some(memory) = KEPT.take().filter(|memory| memory.len() >= words) {
            return Ok(Self { buffer, memory });
        }
        // All that specs fill with garbage becomes memory.
        let most = if fallible::fills_with_garbage() { 1 << 20 } else { WORDS };
        let unset = |words: usize| Column::unset(Ty::I64, words);
        let memory =
            unset(words.max(most)).or_else(|_| unset(words.max(most >> 7))).or_else(|_| unset(words))?;
        Ok(Self { buffer, memory })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let memory = std::mem::replace(&mut self.memory, Column::Bool(Vec::new()));
        if give_back(&memory) {
            KEPT.set(Some(memory));
        }
    }
}

/// Gives the operating system what is behind the first bytes; false where that cannot be.
#[cfg(unix)]
fn give_back(memory: &Column) -> bool {
    let bytes = memory.as_bytes();
    // SAFETY: this only tells a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(1);
    let (first, end) = (bytes.as_ptr() as usize, bytes.as_ptr() as usize + bytes.len());
    let (from, to) = ((first + KEPT_BYTES).next_multiple_of(page), end / page * page);
    // SAFETY: these pages are within memory that is this column's alone, and what stands there is not read again.
    from >= to || unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_DONTNEED) } == 0
}

#[cfg(not(unix))]
fn give_back(memory: &Column) -> bool {
    memory.as_bytes().len() <= KEPT_BYTES
}
