//! The memory layout of CRuby's arrays, for writing items without asking Ruby: the same in all versions, but for a bit
//! (`ruby/internal/core/rarray.h`). [`probe`] tries it when the extension is loaded; where it differs, Ruby's functions do
//! the work.

use super::value;
use ikra_core::huge_pages;
use rb_sys::VALUE;
use std::ffi::c_long;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

static CONFIRMED: AtomicBool = AtomicBool::new(false);

/// Is the layout that of the Ruby that runs?
pub fn confirmed() -> bool {
    CONFIRMED.load(Ordering::Relaxed)
}

const ARRAY: VALUE = rb_sys::ruby_value_type::RUBY_T_ARRAY as VALUE;
const TYPE: VALUE = 0x1f;
const EMBEDDED: VALUE = rb_sys::ruby_rarray_flags::RARRAY_EMBED_FLAG as VALUE;
const EMBEDDED_LENGTH: VALUE = rb_sys::ruby_rarray_flags::RARRAY_EMBED_LEN_MASK as VALUE;
/// The items are another array's too.
const SHARED: VALUE = rb_sys::ruby_fl_type::RUBY_ELTS_SHARED as VALUE;
const FROZEN: VALUE = rb_sys::ruby_fl_type::RUBY_FL_FREEZE as VALUE;

/// So many bytes are memory fresh from the system: glibc keeps none of that size when it is given back.
const FRESH: usize = 32 << 20;

/// The array is old: only what was written down is looked at in it when young objects are collected.
const OLD: VALUE = rb_sys::ruby_fl_type::RUBY_FL_PROMOTED as VALUE;

/// What stands in an array, in words: its flags, and where the items are apart from it their number, for how many there
/// is room, and where they are.
const FLAGS: usize = 0;
const LENGTH: usize = 2;
const ROOM: usize = 3;
const ITEMS: usize = 4;
/// Items that are in the array itself begin here.
const OWN_ITEMS: usize = 2;

/// SAFETY: `array` must be a live heap object, and have so many words.
#[inline(always)]
unsafe fn word(array: VALUE, index: usize) -> VALUE {
    // SAFETY: as the caller says.
    unsafe { *(array as *const VALUE).add(index) }
}

/// The items of an array that may be written as they are: it is not frozen, and nobody else has its memory. They are
/// valid until Ruby runs.
///
/// SAFETY: `array` must be a live heap object.
#[inline]
pub unsafe fn items(array: VALUE) -> Option<(*mut VALUE, usize)> {
    // SAFETY: as the caller says; all objects are at least five words.
    unsafe {
        let flags = word(array, FLAGS);
        if flags & (TYPE | FROZEN | SHARED) != ARRAY || !confirmed() {
            return None;
        }
        Some(if flags & EMBEDDED != 0 {
            let length = (flags & EMBEDDED_LENGTH) >> EMBEDDED_LENGTH.trailing_zeros();
            ((array as *mut VALUE).add(OWN_ITEMS), length as usize)
        } else {
            (word(array, ITEMS) as *mut VALUE, word(array, LENGTH) as usize)
        })
    }
}

/// Makes `count` items of a new array with room for them and without any; `fill` gets their memory. `None` where it is not
/// known where that is: nothing is done then.
///
/// SAFETY: `array` must be live, empty, and made since Ruby last ran. `fill` must initialise all of the memory, and run
/// nothing of Ruby's; the values must be immediates, or objects that something else keeps alive which was there before the
/// array.
pub unsafe fn fill<R>(
    array: VALUE,
    count: usize,
    fill: impl FnOnce(&mut [MaybeUninit<VALUE>]) -> R,
) -> Option<R> {
    // SAFETY: as the caller says. The garbage collector looks at the items up to the length, which is set once they are
    // there. Write barriers are for young objects in old arrays, which this is not, and for objects that nobody else refers
    // to while marking goes on: it may have begun, and come past this array, when the array got its memory.
    unsafe {
        let (memory, length) = items(array)?;
        let flags = word(array, FLAGS);
        if flags & EMBEDDED != 0 || flags & OLD == OLD || length != 0 || (word(array, ROOM) as usize) < count
        {
            return None;
        }
        let bytes = count * size_of::<VALUE>();
        if bytes >= FRESH {
            huge_pages::advise(memory.cast(), bytes);
        }
        let filled = fill(std::slice::from_raw_parts_mut(memory.cast(), count));
        *(array as *mut VALUE).add(LENGTH) = count as VALUE;
        Some(filled)
    }
}

/// Tries it with arrays of all kinds; they are as Ruby's functions see them.
///
/// SAFETY: the GVL must be held. May raise.
pub unsafe fn probe() -> bool {
    CONFIRMED.store(true, Ordering::Relaxed);
    // SAFETY: arrays are live while they stand on the stack. A part of a long array shares its memory.
    let agrees = unsafe {
        [1, 3, 20, 200, 5_000].into_iter().all(|count| {
            let made = rb_sys::rb_ary_new_capa(count as c_long);
            let fits = fill(made, count, |memory| {
                for (i, item) in memory.iter_mut().enumerate() {
                    item.write(number(i));
                }
            });
            if fits.is_none() {
                for i in 0..count {
                    rb_sys::rb_ary_push(made, number(i));
                }
            }
            let long = count >= 200;
            let agrees = (fits.is_some() || !long) && agrees(made, count) && {
                let part = rb_sys::rb_ary_subseq(made, 0, count as c_long - 1);
                let shares = items(part).is_none();
                rb_sys::rb_ary_modify(part);
                rb_sys::rb_ary_modify(made);
                let changed = agrees(made, count) && items(part).is_some();
                rb_sys::rb_gc_guard!(part);
                (shares || !long) && changed
            };
            let frozen = rb_sys::rb_ary_freeze(made);
            let agrees = agrees && items(frozen).is_none();
            rb_sys::rb_gc_guard!(made);
            agrees
        })
    };
    CONFIRMED.store(agrees, Ordering::Relaxed);
    agrees
}

/// Are these the items that Ruby finds, also after they were written?
///
/// SAFETY: `array` must be live, and have so many items, which are their indices.
unsafe fn agrees(array: VALUE, count: usize) -> bool {
    // SAFETY: as the caller says, and numbers need no barrier.
    unsafe {
        let Some((memory, length)) = items(array) else { return false };
        let all = |offset: usize| {
            (0..count).all(|i| rb_sys::rb_ary_entry(array, i as c_long) == number(i + offset))
        };
        let agrees = length == count && rb_sys::RARRAY_LEN(array) as usize == count && all(0);
        if !agrees {
            return false;
        }
        (0..count).for_each(|i| *memory.add(i) = number(i + 1));
        let agrees = all(1);
        (0..count).for_each(|i| *memory.add(i) = number(i));
        agrees
    }
}

fn number(i: usize) -> VALUE {
    value::fixnum(i as i64).unwrap_or(value::NIL)
}
