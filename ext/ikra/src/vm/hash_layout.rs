//! The memory layout of CRuby's Hashes, for reading them without asking Ruby, which takes ten times as long: up to eight
//! pairs stand in a table without an index, more in an `st_table` (`internal/hash.h`, `st.h`). Whether the running Ruby
//! is laid out so a probe asks when the extension is loaded (`reading/probe.rs`), with Hashes of all kinds; where it
//! differs, Ruby's functions do the work.

use super::value;
use rb_sys::{VALUE, st_table};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static CONFIRMED: AtomicBool = AtomicBool::new(false);

/// What tables of Hashes have as their type that compare by identity, once it is known.
static BY_IDENTITY: AtomicUsize = AtomicUsize::new(0);

/// Is the layout that of the Ruby that runs?
pub fn confirmed() -> bool {
    CONFIRMED.load(Ordering::Relaxed)
}

/// Says whether it is. `by_identity`: a Hash that compares so.
///
/// SAFETY: it must be a live Hash whose pairs are in an `st_table`.
pub unsafe fn confirm(confirmed: bool, by_identity: VALUE) {
    // SAFETY: as the caller says.
    let type_of = unsafe { (*index(by_identity)).type_ };
    BY_IDENTITY.store(type_of as usize, Ordering::Relaxed);
    CONFIRMED.store(confirmed, Ordering::Relaxed);
}

/// Since 3.3 the table follows the Hash's own words; before, one of them points to it.
const IS_WITHIN: bool = rb_sys::RUBY_API_VERSION_MAJOR > 3 || rb_sys::RUBY_API_VERSION_MINOR >= 3;

const USER: u32 = 12;
/// RHASH_PROC_DEFAULT
const HAS_BLOCK: VALUE = 1 << (USER + 2);
/// RHASH_ST_TABLE_FLAG
const HAS_INDEX: VALUE = 1 << (USER + 3);
/// RHASH_AR_TABLE_BOUND_MASK: so many places of a table without an index are in use.
const BOUND: u32 = USER + 8;
const BOUND_BITS: VALUE = 0b1111;

/// What stands in a Hash, in words.
const FLAGS: usize = 0;
const DEFAULT: usize = if IS_WITHIN { 2 } else { 3 };
const TABLE: usize = if IS_WITHIN { 3 } else { 2 };

/// What a table without an index begins with: since 3.3 hints, which stood in the Hash before.
const HINTS: usize = if IS_WITHIN { 1 } else { 0 };

/// An entry of an `st_table`, in words: a hash, a key and a value.
const ENTRY: usize = 3;
/// The hash of an entry that is gone.
const GONE: VALUE = VALUE::MAX;

const UNDEFINED: VALUE = rb_sys::Qundef as VALUE;

/// How a Hash looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// What it gives for a key that it has not, or the block that makes that; nil.
    pub default: VALUE,
    pub has_block: bool,
    pub by_identity: bool,
}

/// SAFETY: there must be so many words.
#[inline(always)]
unsafe fn word(at: VALUE, index: usize) -> VALUE {
    // SAFETY: as the caller says.
    unsafe { *(at as *const VALUE).add(index) }
}

/// SAFETY: `hash` must be a live Hash.
unsafe fn table(hash: VALUE) -> VALUE {
    match IS_WITHIN {
        true => hash + (TABLE * size_of::<VALUE>()) as VALUE,
        // SAFETY: as the caller says.
        false => unsafe { word(hash, TABLE) },
    }
}

/// SAFETY: `hash` must be a live Hash whose pairs are in an `st_table`.
unsafe fn index(hash: VALUE) -> *const st_table {
    // SAFETY: as the caller says.
    unsafe { table(hash) as *const st_table }
}

/// `None` where the layout is not known.
///
/// SAFETY: `hash` must be a live Hash.
pub unsafe fn lookup(hash: VALUE) -> Option<Lookup> {
    if !confirmed() {
        return None;
    }
    // SAFETY: as the caller says; tables with an index have a type.
    unsafe {
        let flags = word(hash, FLAGS);
        let has_index = flags & HAS_INDEX != 0;
        Some(Lookup {
            default: word(hash, DEFAULT),
            has_block: flags & HAS_BLOCK != 0,
            by_identity: has_index && (*index(hash)).type_ as usize == BY_IDENTITY.load(Ordering::Relaxed),
        })
    }
}

/// Has it no default, and compares keys by what they are? False where the layout is not known.
///
/// SAFETY: `hash` must be a live Hash.
#[inline]
pub unsafe fn is_plain(hash: VALUE) -> bool {
    // SAFETY: as the caller says.
    let lookup = unsafe { lookup(hash) };
    lookup == Some(Lookup { default: value::NIL, has_block: false, by_identity: false })
}

/// Has the memory of a Hash come that is read soon, in two steps: its own words, then the pairs.
///
/// SAFETY: `hash` must be a live Hash.
pub unsafe fn prefetch(hash: VALUE, own: bool) {
    match own {
        true => value::prefetch(hash as *const VALUE),
        false if confirmed() => {
            // SAFETY: as the caller says.
            let first = unsafe { table(hash) } as *const VALUE;
            value::prefetch(first);
            // Three pairs and more go on in the next line of the cache.
            value::prefetch(first.wrapping_add(8));
        }
        false => {}
    }
}

/// Gives each pair, in the order of the Hash; false, and none, where the layout is not known.
///
/// SAFETY: `hash` must be a live Hash, and `each` run nothing of Ruby's.
pub unsafe fn each_pair(hash: VALUE, mut each: impl FnMut(VALUE, VALUE)) -> bool {
    if !confirmed() {
        return false;
    }
    // SAFETY: as the caller says. Places up to the bound, and entries between start and end, are initialised.
    unsafe {
        let flags = word(hash, FLAGS);
        if flags & HAS_INDEX != 0 {
            let st_table { entries, entries_start, entries_bound, .. } = *index(hash);
            let entries = entries as VALUE;
            for place in entries_start as usize..entries_bound as usize {
                if word(entries, place * ENTRY) != GONE {
                    each(word(entries, place * ENTRY + 1), word(entries, place * ENTRY + 2));
                }
            }
            return true;
        }
        let table = table(hash);
        for place in 0..(flags >> BOUND & BOUND_BITS) as usize {
            let key = word(table, HINTS + 2 * place);
            if key != UNDEFINED {
                each(key, word(table, HINTS + 2 * place + 1));
            }
        }
    }
    true
}
