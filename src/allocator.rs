//! The allocator of the extension: the system's, with large blocks that stay ([`memory`]), and with what was set aside for
//! when there is no memory left ([`reserve`]).

use crate::memory;
use crate::reserve;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

/// The system's allocator, large blocks that stay, and the reserves.
#[derive(Debug, Default)]
pub struct Allocator;

// SAFETY: each block is the system's or lies in a reserve, of which no byte is given twice before it was given back;
// which of the two it is tells its address. Nothing here unwinds or allocates.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = match is_large(layout) {
            true => memory::take(layout.size(), false),
            // SAFETY: as the caller says.
            false => unsafe { System.alloc(layout) },
        };
        if block.is_null() { emergency(layout) } else { block }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = match is_large(layout) {
            true => memory::take(layout.size(), true),
            // SAFETY: as the caller says.
            false => unsafe { System.alloc_zeroed(layout) },
        };
        if !block.is_null() {
            return block;
        }
        let block = emergency(layout);
        if !block.is_null() {
            // SAFETY: the block was just given, and is as long.
            unsafe { ptr::write_bytes(block, 0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if reserve::give_back(block) {
            return;
        }
        // SAFETY: each is given back where it is from, with the layout that it was given with.
        unsafe {
            match is_large(layout) {
                true => memory::give(block),
                false => System.dealloc(block, layout),
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller has made sure that the size is valid with this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let reserved = reserve::is_reserved(block);
        let moved = match (reserved, is_large(layout), is_large(wanted)) {
            // SAFETY: the system has given it, with this layout.
            (false, false, false) => unsafe { System.realloc(block, layout, size) },
            // SAFETY: it is from there, and nobody else uses it.
            (false, true, true) => unsafe { memory::resize(block, layout.size(), size) },
            _ => ptr::null_mut(),
        };
        if !moved.is_null() {
            return moved;
        }
        // SAFETY: the new block is another one than the old, both are as long as what is copied, and the old one goes back
        // where it is from.
        unsafe {
            let moved = match is_large(wanted) && !is_large(layout) {
                true => memory::take_growing(size),
                false => self.alloc(wanted),
            };
            let moved = if moved.is_null() { emergency(wanted) } else { moved };
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

/// Makes room for so many bytes of small blocks of this thread. The GNU system's allocator makes what threads other than the
/// first one have larger by a page at a time, with a call of the system each; what has been given back it takes again without.
pub fn widen(bytes: usize) {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return;
    }
    /// From 128 KiB on blocks have pages of their own.
    const BLOCK: usize = 120 << 10;
    const MOST: usize = 128;
    let mut blocks = [ptr::null_mut(); MOST];
    let blocks = &mut blocks[..(bytes / BLOCK).min(MOST)];
    // SAFETY: each is given back once; null may be.
    unsafe {
        blocks.iter_mut().for_each(|block| *block = libc::malloc(BLOCK));
        blocks.iter().for_each(|block| libc::free(*block));
    }
}

/// Blocks like that are from [`memory`].
const fn is_large(layout: Layout) -> bool {
    layout.size() >= memory::LARGE && layout.align() <= memory::ALIGNMENT
}

/// A block that the system does not have.
#[cold]
fn emergency(layout: Layout) -> *mut u8 {
    if !is_large(layout) && memory::release() != 0 {
        // SAFETY: no layout here is empty.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            return block;
        }
    }
    reserve::take(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reserve::Reserve;

    #[test]
    fn a_block_of_a_reserve_grows_into_the_memory_of_the_system() {
        let reserve = Reserve::new(1 << 16).unwrap();
        let layout = Layout::from_size_align(100, 8).unwrap();
        let block = emergency(layout);
        assert!(reserve::is_reserved(block));
        // SAFETY: the block is that long.
        unsafe { ptr::write_bytes(block, 7, 100) };
        drop(reserve);
        // SAFETY: the block was given with this layout, and is grown.
        let moved = unsafe { Allocator.realloc(block, layout, 200) };
        assert!(!reserve::is_reserved(moved));
        // SAFETY: as long as what was copied.
        assert_eq!(unsafe { std::slice::from_raw_parts(moved, 100) }, [7; 100]);
        // SAFETY: given with this layout.
        unsafe { Allocator.dealloc(moved, Layout::from_size_align(200, 8).unwrap()) };
    }
}
