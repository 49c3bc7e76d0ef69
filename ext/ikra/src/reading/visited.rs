//! The visited set of a run: what was met, by address, in a table indexed by heap page and slot. Something is looked up
//! for every reference, and a hash of pointers costs several times as much.
//!
//! Addresses stay what they are, because [`crate::vm::pinned::Pinned`] pins all that is entered here.

use crate::vm::value;
use ikra_core::fallible::{self, NoMemory};
use ikra_core::types::{ArrayKind, ClassId};
use rb_sys::VALUE;

/// An object by class and row, or an array by kind and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visited {
    Object(ClassId, u32),
    Array(ArrayKind, u32),
}

/// Objects begin at multiples of 8 bytes and are, in every Ruby so far, at least 32 bytes long, so that no two of them
/// begin within the same 32 bytes.
const SLOT_BITS: u32 = 5;
const PAGE_BITS: u32 = 14;
const REGION_BITS: u32 = 26;
const SLOTS: usize = 1 << (PAGE_BITS - SLOT_BITS);
const PAGES: usize = 1 << (REGION_BITS - PAGE_BITS);

const PRESENT: u64 = 1 << 63;
const ARRAY: u64 = 1 << 62;

/// 64 MiB of addresses: which of its pages have slots, as index + 1.
struct Region {
    number: usize,
    pages: Box<[u32; PAGES]>,
}

/// See the module's text.
#[derive(Default)]
pub struct VisitedSet {
    regions: Vec<Region>,
    /// Region numbers end in these bits; the index of the region met last with them.
    recent: [u32; 16],
    slots: Vec<u64>,
    count: usize,
}

impl VisitedSet {
    /// Number of objects and arrays.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// The entry of a value.
    #[inline]
    pub fn entry(&mut self, value: VALUE) -> Result<Entry<'_>, NoMemory> {
        let slot = self.slot(value)?;
        Ok(Entry { slot: &mut self.slots[slot], count: &mut self.count })
    }

    #[inline]
    fn slot(&mut self, value: VALUE) -> Result<usize, NoMemory> {
        let address = value as usize;
        let number = address >> REGION_BITS;
        let recent = self.recent[number % 16] as usize;
        let region = match self.regions.get(recent) {
            Some(region) if region.number == number => recent,
            _ => self.region(number),
        };
        let page = address >> PAGE_BITS & (PAGES - 1);
        let index = match self.regions[region].pages[page] {
            0 => self.page(region, page)?,
            index => index as usize - 1,
        };
        Ok(index * SLOTS + (address >> SLOT_BITS & (SLOTS - 1)))
    }

    /// Asks the processor to have the place of a value ready soon, if its page has slots.
    #[inline]
    pub fn prefetch(&self, value: VALUE) {
        let address = value as usize;
        let number = address >> REGION_BITS;
        let recent = self.recent[number % 16] as usize;
        let Some(region) = self.regions.get(recent).filter(|region| region.number == number) else { return };
        let page = region.pages[address >> PAGE_BITS & (PAGES - 1)] as usize;
        let slot = page.wrapping_sub(1).wrapping_mul(SLOTS) + (address >> SLOT_BITS & (SLOTS - 1));
        if let Some(slot) = self.slots.get(slot) {
            value::prefetch(slot);
        }
    }

    #[cold]
    fn region(&mut self, number: usize) -> usize {
        let at = self.regions.iter().position(|region| region.number == number).unwrap_or_else(|| {
            self.regions.push(Region { number, pages: Box::new([0; PAGES]) });
            self.regions.len() - 1
        });
        self.recent[number % 16] = at as u32;
        at
    }

    #[cold]
    fn page(&mut self, region: usize, page: usize) -> Result<usize, NoMemory> {
        let index = self.slots.len() / SLOTS;
        let length = self.slots.len() + SLOTS;
        fallible::resize(&mut self.slots, length, 0)?;
        self.regions[region].pages[page] = index as u32 + 1;
        Ok(index)
    }
}

/// The entry of one value.
pub struct Entry<'a> {
    slot: &'a mut u64,
    count: &'a mut usize,
}

impl Entry<'_> {
    #[inline]
    pub const fn get(&self) -> Option<Visited> {
        unpack(*self.slot)
    }

    /// Enters what is new, or gives what was visited another row.
    #[inline]
    pub fn set(self, visited: Visited) {
        *self.count += usize::from(*self.slot == 0);
        *self.slot = match visited {
            Visited::Object(class, row) => PRESENT | u64::from(class.0) << 32 | u64::from(row),
            Visited::Array(kind, row) => PRESENT | ARRAY | u64::from(kind.0) << 32 | u64::from(row),
        };
    }
}

const fn unpack(slot: u64) -> Option<Visited> {
    let (number, row) = ((slot >> 32) as u32 & 0x3fff_ffff, slot as u32);
    match slot & (PRESENT | ARRAY) {
        0 => None,
        PRESENT => Some(Visited::Object(ClassId(number), row)),
        _ => Some(Visited::Array(ArrayKind(number), row)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_entered_is_found_and_nothing_else() {
        let mut visited = VisitedSet::default();
        // Slots of 40 bytes, in regions far from each other that share the end of their numbers.
        let address = |i: usize| (((i % 40) << (REGION_BITS + 4)) + 0x7f00_0000_0000 + i * 40) as VALUE;
        let what = |i: usize| match i % 3 {
            0 => Visited::Array(ArrayKind(i as u32 % 7), i as u32),
            _ => Visited::Object(ClassId(i as u32 % 11), i as u32),
        };
        // Fewer under Miri, which is slow.
        const COUNT: usize = if cfg!(miri) { 500 } else { 10_000 };
        for i in 0..COUNT {
            let entry = visited.entry(address(i)).unwrap();
            assert_eq!(entry.get(), None);
            entry.set(what(i));
        }
        visited.entry(address(5)).unwrap().set(what(6));
        assert_eq!(visited.len(), COUNT);
        assert_eq!(visited.entry(address(5)).unwrap().get(), Some(what(6)));
        for i in 6..COUNT {
            assert_eq!(visited.entry(address(i)).unwrap().get(), Some(what(i)));
        }
        assert_eq!(visited.entry(address(COUNT)).unwrap().get(), None);
    }
}
