//! The visited set of a run: what was met, by address, in a table indexed by heap page and slot. Something is looked up
//! for every reference, and a hash of pointers costs several times as much.
//!
//! Threads may look things up and enter them at the same time, without locks but for memory that is new. What is entered
//! so is *claimed* first, by its place in the order in which values are met: the lowest place wins, whoever comes first.
//!
//! Addresses stay what they are, because [`crate::vm::pinned::Pinned`] pins all that is entered here.

use crate::vm::value;
use bytemuck::Zeroable;
use bytemuck::allocation::{try_zeroed_box, try_zeroed_vec, zeroed_slice_box};
use ikra_core::error::NoMemory;
use ikra_core::reserve;
use ikra_core::types::{ArrayKind, ClassId};
use parking_lot::Mutex;
use rb_sys::VALUE;
use std::cell::Cell;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// An object by class and row, or an array by kind and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visited {
    Object(ClassId, u32),
    Array(ArrayKind, u32),
}

/// The class of what a section has made, which nobody else has: the row is that in a list of these.
pub const KEPT: ClassId = ClassId(Word::NUMBER as u32);

/// What an object is, apart from its row: its class, or an array's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Object(ClassId),
    Array(ArrayKind),
}

/// Objects begin at multiples of 8 bytes and are, in every Ruby so far, at least 32 bytes long, so that no two of them
/// begin within the same 32 bytes.
const SLOT_BITS: u32 = 5;
const PAGE_BITS: u32 = 14;
const REGION_BITS: u32 = 24;
const SLOTS: usize = 1 << (PAGE_BITS - SLOT_BITS);
const PAGES: usize = 1 << (REGION_BITS - PAGE_BITS);

/// Regions whose numbers end in the same bits are in one list.
const LISTS: usize = 256;
/// Pages of slots are allocated together, ever more of them up to so many.
const MOST_PAGES: usize = 1024;

/// What a slot holds: nothing (0), a claim, or what was entered. Of claims the one of the lowest place counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u64);

impl Word {
    const PRESENT: u64 = 1 << 63;
    const CLAIM: u64 = 1 << 62;
    const ARRAY: u64 = 1 << 61;
    const NUMBER: u64 = (1 << 29) - 1;

    pub const EMPTY: Self = Self(0);

    const fn of(sort: Sort) -> u64 {
        match sort {
            Sort::Object(class) => (class.0 as u64) << 32,
            Sort::Array(kind) => Self::ARRAY | (kind.0 as u64) << 32,
        }
    }

    pub const fn present(sort: Sort, row: u32) -> Self {
        Self(Self::PRESENT | Self::of(sort) | row as u64)
    }

    pub const fn claim(sort: Sort, place: u32) -> Self {
        Self(Self::CLAIM | Self::of(sort) | !place as u64)
    }

    #[inline]
    pub const fn is_present(self) -> bool {
        self.0 & Self::PRESENT != 0
    }

    #[inline]
    pub const fn is_claim(self) -> bool {
        self.0 & (Self::PRESENT | Self::CLAIM) == Self::CLAIM
    }

    /// Of what is not empty.
    #[inline]
    pub const fn sort(self) -> Sort {
        let number = (self.0 >> 32 & Self::NUMBER) as u32;
        if self.0 & Self::ARRAY == 0 { Sort::Object(ClassId(number)) } else { Sort::Array(ArrayKind(number)) }
    }

    /// Of what was entered.
    #[inline]
    pub const fn row(self) -> u32 {
        self.0 as u32
    }

    /// Of a claim.
    #[inline]
    pub const fn place(self) -> u32 {
        !(self.0 as u32)
    }

    const fn visited(self) -> Option<Visited> {
        if !self.is_present() {
            return None;
        }
        Some(match self.sort() {
            Sort::Object(class) => Visited::Object(class, self.row()),
            Sort::Array(kind) => Visited::Array(kind, self.row()),
        })
    }
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// It stands; before, there was this: nothing or a later claim.
    Now(Word),
    /// This comes before it.
    Before(Word),
    /// The value was met as something else: an array in two kinds.
    Otherwise,
}

/// The slot of one value. All accesses are atomic; what else they order, the joining of threads does.
#[derive(Clone, Copy)]
pub struct Slot<'a>(&'a AtomicU64);

impl Slot<'_> {
    #[inline]
    pub fn word(self) -> Word {
        Word(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    pub fn set(self, word: Word) {
        self.0.store(word.0, Ordering::Relaxed);
    }

    /// Enters a claim, unless what is there comes before it; `word` is what the slot held just now.
    #[inline]
    pub fn claim(self, word: Word, claim: Word) -> Claimed {
        let mut before = word;
        loop {
            if before != Word::EMPTY && before.sort() != claim.sort() {
                return Claimed::Otherwise;
            }
            if before.is_present() || before.is_claim() && before.place() < claim.place() {
                return Claimed::Before(before);
            }
            match self.0.compare_exchange(before.0, claim.0, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Claimed::Now(before),
                Err(now) => before = Word(now),
            }
        }
    }

    pub fn get(self) -> Option<Visited> {
        self.word().visited()
    }

    /// Enters what is new, or gives what was visited another row.
    pub fn enter(self, visited: Visited) {
        self.set(match visited {
            Visited::Object(class, row) => Word::present(Sort::Object(class), row),
            Visited::Array(kind, row) => Word::present(Sort::Array(kind), row),
        });
    }
}

/// 16 MiB of addresses: the slots of its pages.
struct Region {
    number: usize,
    pages: [AtomicPtr<u64>; PAGES],
    /// Others in the same list.
    next: *const Self,
}

// SAFETY: zeros are a number, and null pointers.
unsafe impl Zeroable for Region {}

/// What the set owns. Behind the pointers to it, atomics only are accessed until it is dropped.
#[derive(Default)]
struct Memory {
    regions: Vec<NonNull<Region>>,
    blocks: Vec<Vec<u64>>,
    /// Where regions have these pages, as far as these are few.
    places: Vec<NonNull<AtomicPtr<u64>>>,
    /// The pages of the last block that are not used yet.
    next: usize,
    left: usize,
}

/// See the module's text.
pub struct VisitedSet {
    /// Apart, as the set is moved about.
    lists: Starts,
    memory: Mutex<Memory>,
}

/// None where the set is about to go.
type Starts = Box<[AtomicPtr<Region>]>;

// SAFETY: regions are shared as `&Region`, and they consist of atomics and what does not change once they are published.
unsafe impl Send for VisitedSet {}
// SAFETY: as above; the rest is behind a lock.
unsafe impl Sync for VisitedSet {}

/// The memory of a set that had few pages, for the next one of the thread: what is empty has no claims and nothing entered.
struct Spare(Starts, Memory);

thread_local! {
    static SPARE: Cell<Option<Spare>> = const { Cell::new(None) };
}

/// So many pages are few.
const FEW_PAGES: usize = 16;
/// So many regions are.
const FEW_REGIONS: usize = 8;

impl Default for VisitedSet {
    fn default() -> Self {
        match SPARE.try_with(Cell::take).ok().flatten() {
            Some(Spare(lists, memory)) => Self { lists, memory: Mutex::new(memory) },
            None => Self { lists: zeroed_slice_box(LISTS), memory: Mutex::default() },
        }
    }
}

impl Drop for VisitedSet {
    fn drop(&mut self) {
        let memory = std::mem::take(self.memory.get_mut());
        let lists = std::mem::replace(&mut self.lists, Box::new([]));
        let mut spare = Spare(lists, memory);
        if spare.clear() {
            let _ = SPARE.try_with(|kept| kept.set(Some(spare)));
        }
    }
}

impl Spare {
    /// Forgets what was entered, and which pages have slots; false: there is too much of it.
    fn clear(&mut self) -> bool {
        let Memory { regions, blocks, places, next, left } = &mut self.1;
        if places.len() > FEW_PAGES || regions.len() > FEW_REGIONS {
            return false;
        }
        for place in places.drain(..) {
            // SAFETY: it is a place of a region, all of which are still there, and nobody else has the set.
            unsafe { place.as_ref() }.store(ptr::null_mut(), Ordering::Relaxed);
        }
        // The last block is the largest.
        blocks.drain(..blocks.len().saturating_sub(1));
        let Some(block) = blocks.first_mut() else { return true };
        block[..*next * SLOTS].fill(0);
        (*next, *left) = (0, *next + *left);
        true
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for region in self.regions.drain(..) {
            // SAFETY: it was leaked by `add_region`, once, and nobody else has the set any more.
            drop(unsafe { Box::from_raw(region.as_ptr()) });
        }
    }
}

impl VisitedSet {
    /// The slot of a value.
    #[inline]
    pub fn slot(&self, value: VALUE) -> Result<Slot<'_>, NoMemory> {
        let page = match self.page(value) {
            page if page.is_null() => self.add_page(value)?,
            page => page,
        };
        let slot = page.wrapping_add(value as usize >> SLOT_BITS & (SLOTS - 1));
        // SAFETY: a page has so many slots and lives as long as the set; they are accessed through atomics only.
        Ok(Slot(unsafe { AtomicU64::from_ptr(slot) }))
    }

    /// What this is, if it was met.
    pub fn get(&self, value: VALUE) -> Option<Visited> {
        let page = self.page(value);
        if page.is_null() { None } else { self.slot(value).ok()?.get() }
    }

    /// Asks the processor to have the slot of a value ready soon, if its page has slots.
    #[inline]
    pub fn prefetch(&self, value: VALUE) {
        value::prefetch(self.page(value).wrapping_add(value as usize >> SLOT_BITS & (SLOTS - 1)));
    }

    /// The slots of the page that the value is in; null: it has none yet.
    #[inline]
    fn page(&self, value: VALUE) -> *mut u64 {
        match self.region(value) {
            Some(region) => region.pages[value as usize >> PAGE_BITS & (PAGES - 1)].load(Ordering::Acquire),
            None => ptr::null_mut(),
        }
    }

    #[inline]
    fn region(&self, value: VALUE) -> Option<&Region> {
        let number = value as usize >> REGION_BITS;
        let mut next = self.lists[number % LISTS].load(Ordering::Acquire).cast_const();
        loop {
            // SAFETY: null, or a region, which lives as long as the set.
            let region = unsafe { next.as_ref() }?;
            if region.number == number {
                return Some(region);
            }
            next = region.next;
        }
    }

    #[cold]
    fn add_page(&self, value: VALUE) -> Result<*mut u64, NoMemory> {
        let mut memory = self.memory.lock();
        let region = match self.region(value) {
            Some(region) => region,
            None => self.add_region(value, &mut memory)?,
        };
        let place = &region.pages[value as usize >> PAGE_BITS & (PAGES - 1)];
        let page = place.load(Ordering::Acquire);
        if !page.is_null() {
            return Ok(page);
        }
        let page = memory.page()?;
        place.store(page, Ordering::Release);
        if memory.places.len() <= FEW_PAGES {
            memory.places.push(NonNull::from(place));
        }
        Ok(page)
    }

    fn add_region(&self, value: VALUE, memory: &mut Memory) -> Result<&Region, NoMemory> {
        let no_memory = NoMemory(size_of::<Region>());
        reserve::fallible(|| memory.regions.try_reserve(1)).map_err(|_| no_memory)?;
        let number = value as usize >> REGION_BITS;
        let list = &self.lists[number % LISTS];
        let mut region: Box<Region> = reserve::fallible(try_zeroed_box).map_err(|()| no_memory)?;
        (region.number, region.next) = (number, list.load(Ordering::Acquire));
        let region = Box::into_raw(region);
        memory.regions.extend(NonNull::new(region));
        list.store(region, Ordering::Release);
        // SAFETY: just made, and not freed before the set is dropped.
        Ok(unsafe { &*region })
    }
}

impl Memory {
    fn page(&mut self) -> Result<*mut u64, NoMemory> {
        if self.left == 0 {
            let pages = (4usize << self.blocks.len().min(16)).min(MOST_PAGES);
            let no_memory = || NoMemory(pages * SLOTS * size_of::<u64>());
            reserve::fallible(|| self.blocks.try_reserve(1)).map_err(|_| no_memory())?;
            let block = reserve::fallible(|| try_zeroed_vec(pages * SLOTS)).map_err(|()| no_memory())?;
            self.blocks.push(block);
            (self.next, self.left) = (0, pages);
        }
        let block = self.blocks.last_mut().map_or(ptr::null_mut(), |block| block.as_mut_ptr());
        let page = block.wrapping_add(self.next * SLOTS);
        self.next += 1;
        self.left -= 1;
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Fewer under Miri, which is slow.
    const COUNT: usize = if cfg!(miri) { 500 } else { 10_000 };

    /// Slots of 40 bytes, in regions far from each other, of which some share a list.
    fn address(i: usize) -> VALUE {
        (((i % 40) << (REGION_BITS + 5)) + 0x7f00_0000_0000 + i * 40) as VALUE
    }

    #[test]
    fn what_was_entered_is_found_and_nothing_else() {
        let visited = VisitedSet::default();
        let what = |i: usize| match i % 3 {
            0 => Visited::Array(ArrayKind(i as u32 % 7), i as u32),
            _ => Visited::Object(ClassId(i as u32 % 11), i as u32),
        };
        for i in 0..COUNT {
            assert_eq!(visited.get(address(i)), None);
            visited.slot(address(i)).unwrap().enter(what(i));
        }
        visited.slot(address(5)).unwrap().enter(what(6));
        assert_eq!(visited.get(address(5)), Some(what(6)));
        for i in 6..COUNT {
            assert_eq!(visited.get(address(i)), Some(what(i)));
        }
        assert_eq!(visited.get(address(COUNT)), None);
    }

    #[test]
    fn what_a_set_before_held_is_forgotten() {
        for round in 0..3 {
            let visited = VisitedSet::default();
            for i in 0..20 {
                let address = 0x7f00_0000_0000 + ((i * (round + 1)) << 13) as VALUE;
                assert_eq!(visited.get(address), None);
                visited.slot(address).unwrap().enter(Visited::Object(ClassId(1), i as u32));
                assert_eq!(visited.get(address), Some(Visited::Object(ClassId(1), i as u32)));
            }
        }
    }

    #[test]
    fn the_lowest_claim_wins_and_what_was_entered_stays() {
        let visited = VisitedSet::default();
        let sort = |i: usize| match i % 2 {
            0 => Sort::Object(ClassId(3)),
            _ => Sort::Array(ArrayKind(5)),
        };
        visited.slot(address(0)).unwrap().enter(Visited::Object(ClassId(3), 7));
        // Each thread meets all of them, at places of its own.
        thread::scope(|scope| {
            for thread in 0..4 {
                let visited = &visited;
                scope.spawn(move || {
                    for i in 0..COUNT / 5 {
                        let place = (i * 4 + (i + thread) % 4) as u32;
                        let slot = visited.slot(address(i)).unwrap();
                        assert_ne!(slot.claim(slot.word(), Word::claim(sort(i), place)), Claimed::Otherwise);
                        let other = Word::claim(Sort::Array(ArrayKind(6)), 0);
                        assert_eq!(slot.claim(slot.word(), other), Claimed::Otherwise);
                    }
                });
            }
        });
        assert_eq!(visited.get(address(0)), Some(Visited::Object(ClassId(3), 7)));
        for i in 1..COUNT / 5 {
            let word = visited.slot(address(i)).unwrap().word();
            assert!(word.is_claim() && !word.is_present());
            assert_eq!((word.sort(), word.place()), (sort(i), i as u32 * 4));
        }
        assert_eq!(visited.slot(address(COUNT)).unwrap().word(), Word::EMPTY);
    }
}
