//! Large blocks of memory, which stay when they are given back. What is as long as the data is made anew by each call,
//! and fresh pages take longer than what is done with them: a million objects read into columns cost 15,000 page faults
//! a call, which was 40 % of its time. So the extension's allocator takes blocks of 64 KiB and more from here: from
//! those that were given back, or else from the system. Nothing here allocates or waits: all is done without locks, as
//! a forked child has to do with it too. It is the allocator, and not a pool of columns, because most of such memory is
//! no column: lists of objects, the visited set, what is being built.
//!
//! What is kept is bounded ([`keep`]), and goes back to the system after ten seconds without a section ([`rest`]), on
//! request ([`release`]), and when memory is short. Fresh memory is zeros already and used memory is cleared only for
//! who asks for zeros.

use std::fs;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Blocks of as many bytes or more are from here. Miri has no pages.
pub(crate) const LARGE: usize = if cfg!(miri) { usize::MAX } else { 64 << 10 };
/// What blocks may be aligned to.
pub(crate) const ALIGNMENT: usize = 64;
/// The sizes of pages of blocks are multiples of this.
const UNIT: usize = 64 << 10;
/// Blocks of this size ask for huge pages.
const HUGE: usize = 4 << 20;
/// So many blocks are kept at most.
const BLOCKS: usize = 512;
/// Without a setting: this part of the memory of the machine or of the cgroup is kept at most.
const PART: usize = 8;
/// What is not worth a thread that gives it back.
const LITTLE: usize = 8 << 20;
/// After this time without any use all is given back.
const IDLE: Duration = Duration::from_secs(10);

/// Stands before each block, at the beginning of its pages.
#[repr(C, align(64))]
struct Header {
    /// Of the pages, in bytes.
    size: usize,
    /// For whom the pages are locked: the process in the upper half; 0: they are not.
    locked: AtomicU64,
}

const _: () = assert!(size_of::<Header>() == ALIGNMENT);

/// A block that is kept.
struct Kept {
    /// Its address in units of a page, and below its size in [`UNIT`]s; 0: none.
    block: AtomicU64,
    /// When it was given back, on the clock of [`USES`].
    since: AtomicU64,
}

const SIZE_BITS: u32 = 26;
const PAGE_BITS: u32 = 12;

static KEPT: [Kept; BLOCKS] = [const { Kept { block: AtomicU64::new(0), since: AtomicU64::new(0) } }; BLOCKS];
/// Bytes of all that is kept.
static BYTES: AtomicUsize = AtomicUsize::new(0);
/// Counts blocks that were taken or given back.
static USES: AtomicU64 = AtomicU64::new(1);
/// How many bytes are kept at most; [`UNSET`]: nobody has said.
static MOST: AtomicUsize = AtomicUsize::new(UNSET);
const UNSET: usize = usize::MAX;
/// The allocator uses this.
static IN_USE: AtomicBool = AtomicBool::new(false);
/// Called with the address of locked pages before they go back to the system.
static UNLOCK: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());
/// Called when what is kept goes back to the system.
static ON_RELEASE: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());
/// The process in which a thread waits for [`IDLE`].
static WAITING: AtomicU32 = AtomicU32::new(0);

/// Pages that hold `bytes` and the header.
const fn pages(bytes: usize) -> Option<usize> {
    match bytes.checked_add(size_of::<Header>()) {
        Some(bytes) => bytes.checked_next_multiple_of(UNIT),
        None => None,
    }
}

/// How well a kept block has to fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// At most a quarter of it is left over.
    Close,
    /// It is for what grows, and will need more.
    Wide,
}

/// A block of so many bytes, [`LARGE`] or more, aligned to [`ALIGNMENT`]; null where there is none. `zeroed`: all its bytes
/// are 0.
pub(crate) fn take(bytes: usize, zeroed: bool) -> *mut u8 {
    take_fitting(bytes, zeroed, Fit::Close)
}

fn take_fitting(bytes: usize, zeroed: bool, fit: Fit) -> *mut u8 {
    let Some(size) = pages(bytes) else { return ptr::null_mut() };
    if !IN_USE.load(Ordering::Relaxed) {
        IN_USE.store(true, Ordering::Relaxed);
    }
    USES.fetch_add(1, Ordering::Relaxed);
    let (header, fresh) = match find(size, fit) {
        Some(header) => (header, false),
        None => (map(size), true),
    };
    if header.is_null() {
        return ptr::null_mut();
    }
    let block = header.wrapping_add(1).cast::<u8>();
    if zeroed && !fresh {
        // SAFETY: the block is as long, and nobody else's.
        unsafe { ptr::write_bytes(block, 0, bytes) };
    }
    block
}

/// A block of `size` bytes with the contents of one of `before` bytes, which is gone then; null where there is none:
/// then the old one stays.
///
/// SAFETY: the block must be from here and not be used any more.
pub(crate) unsafe fn resize(block: *mut u8, before: usize, size: usize) -> *mut u8 {
    // SAFETY: the header stands before each block.
    let (header, held) = unsafe { (header(block), (*header(block)).size) };
    let Some(wanted) = pages(size) else { return ptr::null_mut() };
    if wanted <= held {
        return block;
    }
    // SAFETY: as above; what is locked must not be moved.
    let locked = unsafe { (*header).locked.load(Ordering::Relaxed) } != 0;
    if let Some(found) = find(wanted, Fit::Wide) {
        let moved = found.wrapping_add(1).cast::<u8>();
        // SAFETY: both are as long, and different.
        unsafe {
            ptr::copy_nonoverlapping(block, moved, before);
            give(block);
        }
        return moved;
    }
    if locked {
        let moved = take_fitting(size, false, Fit::Close);
        if !moved.is_null() {
            // SAFETY: as above.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, before);
                give(block);
            }
        }
        return moved;
    }
    // SAFETY: pages of `map`, of which nobody else knows.
    let moved = unsafe { libc::mremap(header.cast(), held, wanted, libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    let moved = moved.cast::<Header>();
    // SAFETY: the header has moved with the pages.
    unsafe { (*moved).size = wanted };
    huge(moved, wanted);
    moved.wrapping_add(1).cast()
}

/// A block for what grew out of smaller memory; as [`take`].
pub(crate) fn take_growing(bytes: usize) -> *mut u8 {
    take_fitting(bytes, false, Fit::Wide)
}

/// Takes a block back.
///
/// SAFETY: the block must be from here and not be used any more.
pub(crate) unsafe fn give(block: *mut u8) {
    let now = USES.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller has it from here.
    let (header, size) = unsafe { (header(block), (*header(block)).size) };
    let most = most();
    if size > most || size / UNIT >= 1 << SIZE_BITS {
        return unmap(header);
    }
    while BYTES.load(Ordering::Relaxed).saturating_add(size) > most {
        if !drop_oldest() {
            break;
        }
    }
    let word = ((header.expose_provenance() >> PAGE_BITS) as u64) << SIZE_BITS | (size / UNIT) as u64;
    BYTES.fetch_add(size, Ordering::Relaxed);
    loop {
        for kept in &KEPT {
            if kept.block.load(Ordering::Relaxed) == 0 {
                kept.since.store(now, Ordering::Relaxed);
                if kept.block.compare_exchange(0, word, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                    return;
                }
            }
        }
        drop_oldest();
    }
}

const fn size_of_word(word: u64) -> usize {
    (word & ((1 << SIZE_BITS) - 1)) as usize * UNIT
}

/// Takes what is kept there, if it still is.
fn claim(kept: &Kept, word: u64) -> Option<*mut Header> {
    kept.block.compare_exchange(word, 0, Ordering::AcqRel, Ordering::Relaxed).ok()?;
    BYTES.fetch_sub(size_of_word(word), Ordering::Relaxed);
    Some(ptr::with_exposed_provenance_mut(((word >> SIZE_BITS) as usize) << PAGE_BITS))
}

/// The kept block that fits best.
fn find(size: usize, fit: Fit) -> Option<*mut Header> {
    let most = match fit {
        Fit::Close => size.saturating_add(size / 4),
        Fit::Wide => size.saturating_mul(16),
    };
    while BYTES.load(Ordering::Relaxed) != 0 {
        let words = KEPT.iter().map(|kept| (kept, kept.block.load(Ordering::Relaxed)));
        let fitting = words.filter(|(_, word)| *word != 0 && (size..=most).contains(&size_of_word(*word)));
        let (kept, word) = fitting.min_by_key(|(_, word)| size_of_word(*word))?;
        if let Some(header) = claim(kept, word) {
            return Some(header);
        }
    }
    None
}

/// Gives the block back to the system that has been kept longest; false: there is none.
fn drop_oldest() -> bool {
    let words = KEPT.iter().map(|kept| (kept, kept.block.load(Ordering::Relaxed)));
    let oldest =
        words.filter(|(_, word)| *word != 0).min_by_key(|(kept, _)| kept.since.load(Ordering::Relaxed));
    let Some((kept, word)) = oldest else { return false };
    if let Some(header) = claim(kept, word) {
        unmap(header);
    }
    true
}

/// Gives all that is kept back to the system; says how many bytes.
pub fn release() -> usize {
    let mut bytes = 0;
    let others = ON_RELEASE.load(Ordering::Acquire);
    if !others.is_null() {
        // SAFETY: only `on_release` sets it.
        unsafe { std::mem::transmute::<*mut (), fn()>(others)() };
    }
    for kept in &KEPT {
        let word = kept.block.load(Ordering::Relaxed);
        if word != 0
            && let Some(header) = claim(kept, word)
        {
            bytes += size_of_word(word);
            unmap(header);
        }
    }
    bytes
}

/// How many bytes are kept now.
pub fn kept() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// Sets how many bytes are kept at most; `None`: an eighth of the memory that the process may have.
pub fn keep(most: Option<usize>) {
    MOST.store(most.map_or(UNSET, |most| most.min(UNSET - 1)), Ordering::Relaxed);
    while kept() > self::most() && drop_oldest() {}
}

/// How many bytes are kept at most.
pub fn most() -> usize {
    /// Asking the system reads files.
    static USUAL: AtomicUsize = AtomicUsize::new(0);
    match MOST.load(Ordering::Relaxed) {
        UNSET => {}
        most => return most,
    }
    match USUAL.load(Ordering::Relaxed) {
        0 => {
            // What is allocated here is small, so it does not come back to this.
            let usual = (memory() / PART).max(1);
            USUAL.store(usual, Ordering::Relaxed);
            usual
        }
        usual => usual,
    }
}

/// Bytes that the process may have: the machine's, or its cgroup's.
fn memory() -> usize {
    // SAFETY: they have no preconditions.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let machine = (pages.max(0) as usize).saturating_mul(size.max(0) as usize);
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = files.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    limits.fold(machine, usize::min)
}

/// To be called when there is nothing to do for now: what is kept then goes back after a while without use.
pub fn rest() {
    if kept() <= LITTLE {
        return;
    }
    let process = crate::process::id();
    if WAITING.load(Ordering::Relaxed) == process {
        return;
    }
    WAITING.store(process, Ordering::Relaxed);
    let wait = || {
        crate::signals::block();
        let mut seen = USES.load(Ordering::Relaxed);
        loop {
            thread::sleep(IDLE);
            let now = USES.load(Ordering::Relaxed);
            if now == seen {
                break;
            }
            seen = now;
        }
        WAITING.store(0, Ordering::Relaxed);
        release();
    };
    if thread::Builder::new().name("ikra-memory".into()).stack_size(64 << 10).spawn(wait).is_err() {
        WAITING.store(0, Ordering::Relaxed);
    }
}

/// Locks the pages of the block that this address, the first of a list's items, begins at: `lock` is given address and
/// length of the pages, and says whether it has locked them. `epoch`: pages that this process has locked in another one are
/// locked anew. False where they are not locked: it did not, or the list has no block of its own.
pub(crate) fn lock(
    start: *const u8,
    bytes: usize,
    epoch: u32,
    lock: impl FnOnce(*mut u8, usize) -> bool,
) -> bool {
    if bytes < LARGE || !IN_USE.load(Ordering::Relaxed) || crate::reserve::is_reserved(start) {
        return false;
    }
    // SAFETY: lists of as many bytes are the allocator's, and so from here.
    let header = unsafe { header(start.cast_mut()) };
    let wanted = u64::from(crate::process::id()) << 32 | u64::from(epoch);
    // SAFETY: as above.
    let (size, locked) = unsafe { ((*header).size, &(*header).locked) };
    if locked.load(Ordering::Relaxed) == wanted {
        return true;
    }
    unlock(header);
    let done = lock(header.cast(), size);
    if done {
        locked.store(wanted, Ordering::Relaxed);
    }
    done
}

fn unlock(header: *mut Header) {
    // SAFETY: the callers have the block.
    let locked = unsafe { (*header).locked.swap(0, Ordering::Relaxed) };
    let unlock = UNLOCK.load(Ordering::Acquire);
    // What its parent has locked is not locked in a forked child.
    if (locked >> 32) as u32 == crate::process::id() && !unlock.is_null() {
        // SAFETY: only `on_unlock` sets it.
        unsafe { std::mem::transmute::<*mut (), fn(*mut u8)>(unlock)(header.cast()) };
    }
}

/// What unlocks pages: called with their address before they go back to the system.
pub(crate) fn on_unlock(unlock: fn(*mut u8)) {
    UNLOCK.store(unlock as *mut (), Ordering::Release);
}

/// What gives back what is kept elsewhere. It must not wait for anything.
pub(crate) fn on_release(release: fn()) {
    ON_RELEASE.store(release as *mut (), Ordering::Release);
}

/// SAFETY: the block must be from here.
unsafe fn header(block: *mut u8) -> *mut Header {
    block.wrapping_sub(size_of::<Header>()).cast()
}

fn huge(header: *mut Header, size: usize) {
    if size >= HUGE {
        // SAFETY: a hint for pages that are ours.
        unsafe { libc::madvise(header.cast(), size, libc::MADV_HUGEPAGE) };
    }
}

fn map(size: usize) -> *mut Header {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new pages, anywhere.
    let pages = || unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
    let mut start = pages();
    if start == libc::MAP_FAILED && release() != 0 {
        start = pages();
    }
    if start == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    let header = start.cast::<Header>();
    huge(header, size);
    // SAFETY: the pages begin with room for it, and have an address that is a multiple of a page.
    unsafe { header.write(Header { size, locked: AtomicU64::new(0) }) };
    header
}

fn unmap(header: *mut Header) {
    unlock(header);
    // SAFETY: whoever has claimed the block owns it.
    unsafe {
        let size = (*header).size;
        libc::munmap(header.cast(), size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;

    /// What is kept is the process's.
    static ALONE: Mutex<()> = Mutex::new(());

    fn give(block: *mut u8) {
        // SAFETY: the tests' blocks are from here, and given back once.
        unsafe { super::give(block) }
    }

    fn filled(bytes: usize, with: u8) -> *mut u8 {
        let block = take(bytes, false);
        // SAFETY: the block is as long.
        unsafe { ptr::write_bytes(block, with, bytes) };
        block
    }

    fn bytes(block: *mut u8, count: usize) -> Vec<u8> {
        // SAFETY: the callers' blocks are that long.
        unsafe { std::slice::from_raw_parts(block, count) }.to_vec()
    }

    #[test]
    fn what_was_given_back_is_given_again_and_cleared_if_asked() {
        let _alone = ALONE.lock();
        release();
        let block = filled(1 << 20, 7);
        assert_eq!(block.addr() % ALIGNMENT, 0);
        give(block);
        assert!(kept() >= 1 << 20);
        // Much smaller or larger ones are others.
        let (small, large) = (filled(LARGE, 1), filled(2 << 20, 2));
        assert!(small != block && large != block);
        let again = take((1 << 20) - 100, true);
        assert_eq!(again, block);
        assert_eq!(bytes(again, (1 << 20) - 100), vec![0; (1 << 20) - 100]);
        assert_eq!(kept(), 0);
        [small, large, again].into_iter().for_each(give);
        assert!(release() >= 3 << 20);
        assert_eq!(kept(), 0);
    }

    #[test]
    fn what_grows_keeps_its_contents() {
        let _alone = ALONE.lock();
        release();
        for around in [0, 8 << 20] {
            if around > 0 {
                give(filled(around, 9));
            }
            let mut block = filled(LARGE, 3);
            let mut size = LARGE;
            for next in [LARGE + 10, 2 * LARGE, 5 << 20, 6 << 20] {
                // SAFETY: the block is used by nobody else.
                block = unsafe { resize(block, size, next) };
                assert_eq!(bytes(block, LARGE), vec![3; LARGE]);
                size = next;
            }
            // SAFETY: as above.
            assert!(unsafe { resize(block, size, usize::MAX - 100) }.is_null());
            give(block);
        }
        release();
    }

    #[test]
    fn no_more_is_kept_than_was_said_and_the_oldest_goes_first() {
        let _alone = ALONE.lock();
        release();
        keep(Some(3 << 20));
        let blocks: Vec<_> = (0..4).map(|i| filled(1 << 20, i)).collect();
        blocks.iter().for_each(|block| give(*block));
        assert!((1 << 20..=3 << 20).contains(&kept()));
        let last = take(1 << 20, false);
        assert!(blocks[1..].contains(&last));
        give(filled(4 << 20, 1));
        give(last);
        keep(Some(0));
        assert_eq!(kept(), 0);
        give(filled(LARGE, 1));
        assert_eq!(kept(), 0);
        keep(None);
        assert!(most() > 0);
    }

    #[test]
    fn threads_never_have_the_same_block() {
        let _alone = ALONE.lock();
        thread::scope(|scope| {
            for thread in 0..4u8 {
                scope.spawn(move || {
                    for round in 0..500usize {
                        let size = LARGE * (1 + round % 5);
                        let blocks = [filled(size, thread), filled(size, thread)];
                        assert!(blocks.iter().all(|block| bytes(*block, size) == vec![thread; size]));
                        blocks.into_iter().for_each(give);
                    }
                });
            }
        });
        release();
    }

    #[test]
    fn too_much_is_none() {
        assert!(take(usize::MAX - 10, false).is_null());
        assert!(take(1 << 60, true).is_null());
    }
}
