//! Memory for when there is none left. Too little memory is NoMemoryError, and never the end of the process. Lists as
//! long as the data may fail to grow ([`crate::fallible`]): each is an error where it stands. Everything else is small,
//! or grows with the code only, as in inference, passes and Cranelift; there Rust ends the process when an allocation
//! fails. So the extension's allocator (`allocator.rs`) has reserves. A compilation sets one aside before it begins, as
//! large as its program asks for, and ends with NoMemoryError if that cannot be had. What the system does not have any
//! more comes out of the reserve, and the compilation ends at its next [`check`], where it also looks for cancellation.
//!
//! A pass of Cranelift that takes more than all of the reserve cannot be ended: its thread, which nobody needs
//! ([`Expendable`]), goes to sleep for ever, and what it holds is lost. All that is not compiled shares one small
//! reserve, for small blocks. Prism, which is written in C, does not survive the end of memory; it is looked before how
//! much there is.

use crate::error::{Error, NoMemory};
use std::alloc::Layout;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Does this block lie in a reserve?
pub fn is_reserved(block: *const u8) -> bool {
    of_reserve(block.cast_mut()).is_some()
}

thread_local! {
    /// The reserve of what this thread is doing: its index in [`REGIONS`].
    static CURRENT: Cell<usize> = const { Cell::new(SMALL) };
    /// Something was taken from it.
    static SHORT: Cell<bool> = const { Cell::new(false) };
    /// The allocation may fail, and shall.
    static FALLIBLE: Cell<bool> = const { Cell::new(false) };
    /// Set before the thread goes to sleep for ever; null: it must not.
    static EXPENDABLE: Cell<*const AtomicBool> = const { Cell::new(ptr::null()) };
}

/// A block of the reserve of what this thread is doing; null where the allocation may fail, or there is none.
pub(crate) fn take(layout: Layout) -> *mut u8 {
    if FALLIBLE.get() {
        return ptr::null_mut();
    }
    let current = CURRENT.get();
    if current != SMALL {
        SHORT.set(true);
    }
    let block = REGIONS[current].take(layout);
    let block = if block.is_null() && current != SMALL { REGIONS[SMALL].take(layout) } else { block };
    let told = EXPENDABLE.get();
    if block.is_null() && !told.is_null() {
        // SAFETY: the thread's `Expendable` holds it.
        unsafe { &*told }.store(true, Ordering::SeqCst);
        loop {
            // SAFETY: it has no preconditions.
            unsafe { libc::pause() };
        }
    }
    block
}

/// Takes a block back that lies in a reserve; false: it does not.
pub(crate) fn give_back(block: *mut u8) -> bool {
    let region = of_reserve(block);
    region.inspect(|region| region.give_back());
    region.is_some()
}

/// Looks whether the memory that this thread had set aside is being used: its work then ends.
pub fn check() -> Result<(), Error> {
    Ok(check_memory()?)
}

/// The same, for what fails in no other way.
pub fn check_memory() -> Result<(), NoMemory> {
    if SHORT.get() { Err(NoMemory(0)) } else { Ok(()) }
}

/// What could not be had is to end this thread's work as if the memory that it had set aside were used up.
pub fn note_short() {
    SHORT.set(true);
}

/// As long as this is there, its thread goes to sleep for ever where even its reserve is too small, with all that it
/// holds, instead of ending the process.
#[derive(Debug)]
pub struct Expendable {
    told: Arc<AtomicBool>,
    _of_this_thread: PhantomData<*const ()>,
}

impl Expendable {
    /// `told` becomes true when the thread goes to sleep.
    pub fn new(told: Arc<AtomicBool>) -> Self {
        EXPENDABLE.set(Arc::as_ptr(&told));
        Self { told, _of_this_thread: PhantomData }
    }

    /// What is told when this thread goes to sleep, for others that work for it; `None` where it must not.
    pub fn of_this_thread() -> Option<Arc<AtomicBool>> {
        let told = EXPENDABLE.get();
        if told.is_null() {
            return None;
        }
        // SAFETY: it is that of an `Arc`, which the thread's `Expendable` holds, so it counts one reference more.
        unsafe {
            Arc::increment_strong_count(told);
            Some(Arc::from_raw(told))
        }
    }
}

impl Drop for Expendable {
    fn drop(&mut self) {
        debug_assert_eq!(EXPENDABLE.get(), Arc::as_ptr(&self.told));
        EXPENDABLE.set(ptr::null());
    }
}

/// Runs `allocate`, in which memory that cannot be had is an error already.
pub fn fallible<T>(allocate: impl FnOnce() -> T) -> T {
    let before = FALLIBLE.replace(true);
    let result = allocate();
    FALLIBLE.set(before);
    result
}

/// Is there so much memory now? For libraries that do not survive its end.
pub fn probe(bytes: usize) -> Result<(), NoMemory> {
    let pages = map(bytes).ok_or(NoMemory(bytes))?;
    unmap(pages, bytes);
    Ok(())
}

/// Memory that is set aside for what this thread does until this is dropped.
#[derive(Debug)]
pub struct Reserve {
    region: usize,
    /// What was before.
    outer: usize,
    was_short: bool,
    _of_this_thread: PhantomData<*const ()>,
}

impl Reserve {
    /// Sets at least so many bytes aside. They cost address space, and only where they are used memory.
    pub fn new(bytes: usize) -> Result<Self, NoMemory> {
        let size = bytes.clamp(1 << 16, 1 << MOST).next_power_of_two();
        let free = |at: &usize| {
            let start = &REGIONS[*at].start;
            start.compare_exchange(FREE, CLAIMED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        };
        // Where very many threads compile at once, some do without.
        let region = match (SMALL + 1..REGIONS.len()).find(free) {
            None => SMALL,
            Some(region) => {
                let Some(start) = map(size) else {
                    REGIONS[region].start.store(FREE, Ordering::SeqCst);
                    return Err(NoMemory(size));
                };
                REGIONS[region].state.store(0, Ordering::SeqCst);
                REGIONS[region].start.store(start | size.trailing_zeros() as usize, Ordering::SeqCst);
                region
            }
        };
        Ok(Self {
            region,
            outer: CURRENT.replace(region),
            was_short: SHORT.replace(false),
            _of_this_thread: PhantomData,
        })
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        CURRENT.set(self.outer);
        SHORT.set(self.was_short);
        if self.region != SMALL {
            REGIONS[self.region].close();
        }
    }
}

/// A piece of memory that is given from its beginning to its end, and from the beginning again when all was given back.
struct Region {
    /// The address, a page's, and in the bits below the logarithm of the size; or [`FREE`] or [`CLAIMED`].
    start: AtomicUsize,
    /// From above: is it closed? How many bytes are taken, how many blocks are not given back.
    state: AtomicU64,
}

const FREE: usize = 0;
/// Being made, or the small one, which has its memory in [`Buffer`].
const CLAIMED: usize = 1;
const MOST: u32 = 30;
const CLOSED: u64 = 1 << 63;
const TAKEN: u32 = 32;
const BLOCKS: u64 = (1 << TAKEN) - 1;

/// The one for all that is done without a reserve of its own.
const SMALL: usize = 0;
/// Larger lists than this are long because the data are.
const SMALL_BLOCK: usize = 64 << 10;

static REGIONS: [Region; 32] =
    [const { Region { start: AtomicUsize::new(FREE), state: AtomicU64::new(0) } }; 32];
/// Blocks that lie in any of them, so that others need not be looked for.
static RESERVED: AtomicUsize = AtomicUsize::new(0);

#[repr(align(4096))]
struct Buffer(UnsafeCell<[u8; 1 << 20]>);

// SAFETY: of the buffer only the address is used here; its bytes are given to one after the other.
unsafe impl Sync for Buffer {}

/// No memory until it is touched.
static BUFFER: Buffer = Buffer(UnsafeCell::new([0; 1 << 20]));

impl Region {
    /// First and last address; nothing while it is being made.
    fn bounds(&self) -> (usize, usize) {
        if ptr::eq(self, &REGIONS[SMALL]) {
            let start = BUFFER.0.get().addr();
            return (start, start + size_of::<Buffer>());
        }
        let start = self.start.load(Ordering::SeqCst);
        let size = 1 << (start & 0xfff);
        let start = start & !0xfff;
        if start == 0 { (0, 0) } else { (start, start + size) }
    }

    fn take(&self, layout: Layout) -> *mut u8 {
        let (start, end) = self.bounds();
        if ptr::eq(self, &REGIONS[SMALL]) && layout.size() > SMALL_BLOCK {
            return ptr::null_mut();
        }
        let mut given = 0;
        let taken = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| {
            let (offset, blocks) = ((state & !CLOSED) >> TAKEN, state & BLOCKS);
            given = (start + offset as usize).next_multiple_of(layout.align());
            let after = given.checked_add(layout.size())?;
            (state & CLOSED == 0 && after <= end)
                .then_some((((after - start) as u64) << TAKEN) | (blocks + 1))
        });
        if taken.is_err() {
            return ptr::null_mut();
        }
        RESERVED.fetch_add(1, Ordering::SeqCst);
        ptr::with_exposed_provenance_mut(given)
    }

    fn give_back(&self) {
        RESERVED.fetch_sub(1, Ordering::SeqCst);
        let next = |state: u64| {
            let state = state - 1;
            if state & BLOCKS == 0 { state & CLOSED } else { state }
        };
        let update = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| Some(next(state)));
        if update.map(next) == Ok(CLOSED) {
            self.free();
        }
    }

    /// No more is taken; the memory goes when all is given back.
    fn close(&self) {
        let before = self.state.fetch_or(CLOSED, Ordering::SeqCst);
        if before & BLOCKS == 0 {
            self.free();
        }
    }

    /// Called once, by who has seen it closed and empty.
    fn free(&self) {
        let (start, end) = self.bounds();
        // First of all: the system may give the same addresses to another thread at once.
        self.start.store(CLAIMED, Ordering::SeqCst);
        unmap(start, end - start);
        self.start.store(FREE, Ordering::SeqCst);
    }
}

/// Where a block is from; `None`: from the system.
#[inline]
fn of_reserve(block: *mut u8) -> Option<&'static Region> {
    if RESERVED.load(Ordering::Acquire) == 0 {
        return None;
    }
    // A region that holds the block is not freed meanwhile, and one that is made meanwhile does not hold it.
    REGIONS.iter().find(|region| {
        let (start, end) = region.bounds();
        (start..end).contains(&block.addr())
    })
}

fn map(bytes: usize) -> Option<usize> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
    // SAFETY: new pages, anywhere.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags | libc::MAP_NORESERVE, -1, 0) };
    (start != libc::MAP_FAILED).then(|| start.expose_provenance())
}

fn unmap(start: usize, bytes: usize) {
    // SAFETY: pages of `map`, of which nothing is used any more.
    unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_bytes(size: usize) -> *mut u8 {
        take(Layout::from_size_align(size, 16).unwrap())
    }

    #[test]
    fn blocks_do_not_overlap_and_go_back_where_they_are_from() {
        let reserve = Reserve::new(1 << 20).unwrap();
        assert!(check().is_ok());
        let layout = Layout::from_size_align(1000, 64).unwrap();
        let blocks: Vec<*mut u8> = (0..100).map(|_| take(layout)).collect();
        assert!(matches!(check(), Err(Error::Memory(0))));
        for pair in blocks.windows(2) {
            assert!(pair[1].addr() >= pair[0].addr() + 1000);
            assert_eq!(pair[1].addr() % 64, 0);
        }
        let region = of_reserve(blocks[0]).unwrap();
        assert!(ptr::eq(region, &REGIONS[reserve.region]));
        assert!(blocks.iter().all(|block| give_back(*block)));
        // All of it is there again.
        let all = take_bytes(1 << 20);
        assert!(!all.is_null());
        assert!(take_bytes(SMALL_BLOCK + 1).is_null());
        assert!(give_back(all));
        drop(reserve);
        assert!(check().is_ok());
    }

    #[test]
    fn a_reserve_stays_as_long_as_its_blocks() {
        let reserve = Reserve::new(1 << 16).unwrap();
        let layout = Layout::from_size_align(100, 8).unwrap();
        let block = take(layout);
        let index = reserve.region;
        drop(reserve);
        assert_ne!(REGIONS[index].start.load(Ordering::SeqCst), FREE);
        assert!(give_back(block));
        assert_eq!(REGIONS[index].start.load(Ordering::SeqCst), FREE);
    }

    #[test]
    fn without_a_reserve_of_its_own_a_thread_has_small_blocks_and_no_large_ones() {
        let layout = Layout::from_size_align(100, 8).unwrap();
        let block = take(layout);
        assert!(!block.is_null() && check().is_ok());
        assert!(take_bytes(SMALL_BLOCK + 1).is_null());
        assert!(fallible(|| take(layout)).is_null());
        assert!(give_back(block));
    }

    #[test]
    fn reserves_stand_in_each_other() {
        let outer = Reserve::new(1 << 16).unwrap();
        let inner = Reserve::new(1 << 16).unwrap();
        let block = take_bytes(10);
        assert!(check().is_err());
        drop(inner);
        assert!(check().is_ok());
        assert!(give_back(block));
        drop(outer);
    }
}
