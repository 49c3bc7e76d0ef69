//! What is in a Random: the words of its Mersenne Twister, and how many of them are left. Ruby's own functions of
//! marshalling give and take them.

use crate::vm::reflection::{Own, call};
use crate::vm::value::{self, Decoded};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, Ruby, Value};
use rb_sys::VALUE;
use std::ffi::c_int;

/// Of the generator's state.
const WORDS: usize = 624;
/// Behind the words stands how many are left before all are made anew.
pub const LENGTH: usize = WORDS + 1;
const FLAGS: c_int =
    rb_sys::INTEGER_PACK_LSWORD_FIRST as c_int | rb_sys::INTEGER_PACK_NATIVE_BYTE_ORDER as c_int;

/// A new array of the words and of how many are left.
pub fn state(ruby: &Ruby, random: VALUE) -> Result<VALUE, Error> {
    let dump: RArray = call(ruby, Own::DumpRandom, &[random])?;
    let (number, left) = (dump.entry::<Value>(0)?, dump.entry::<i64>(1)?);
    let mut words = [0_u32; WORDS];
    let mut items = [value::NIL; LENGTH];
    let array = protect(|| {
        // SAFETY: the Integer is live, the words are as many as are said, and the items are small Integers.
        unsafe {
            rb_sys::rb_integer_pack(number.as_raw(), words.as_mut_ptr().cast(), WORDS as _, 4, 0, FLAGS);
            for (item, word) in items.iter_mut().zip(words) {
                *item = rb_sys::LONG2FIX(i64::from(word));
            }
            items[WORDS] = rb_sys::LONG2FIX(left);
            rb_sys::rb_ary_new_from_values(LENGTH as _, items.as_ptr())
        }
    });
    // It is live until here.
    let dump = dump.as_raw();
    rb_sys::rb_gc_guard!(dump);
    array
}

pub fn seed(ruby: &Ruby, random: VALUE) -> Result<VALUE, Error> {
    let dump: RArray = call(ruby, Own::DumpRandom, &[random])?;
    Ok(dump.entry::<Value>(2)?.as_raw())
}

/// What [`load`] takes, with such items as [`state`] gives; everything else is as it is in `random`.
pub fn dump(ruby: &Ruby, random: VALUE, state: impl IntoIterator<Item = i64>) -> Result<VALUE, Error> {
    let dump: RArray = call(ruby, Own::DumpRandom, &[random])?;
    put_state(dump, state)?;
    Ok(dump.as_raw())
}

/// Gives a Random that was just allocated its state, an array of such items, and its seed.
pub fn set(ruby: &Ruby, random: VALUE, state: VALUE, seed: VALUE) -> Result<(), Error> {
    let dump = ruby.ary_new_capa(3);
    // SAFETY: the caller keeps both alive; that the items are Integers is asked.
    let items = unsafe { value::items(state) }.iter().map(|item| match value::decode(*item) {
        Decoded::Integer(item) => item,
        _ => 0,
    });
    put_state(dump, items)?;
    // SAFETY: as above.
    dump.store(2, unsafe { Value::from_raw(seed) })?;
    load(ruby, random, dump.as_raw())
}

fn put_state(dump: RArray, state: impl IntoIterator<Item = i64>) -> Result<(), Error> {
    let mut items = state.into_iter();
    let mut words = [0_u32; WORDS];
    words.iter_mut().zip(&mut items).for_each(|(word, item)| *word = item as u32);
    let left = items.next().unwrap_or(1);
    // SAFETY: the words are as many as are said; memory that there is not raises, which ends in `protect`.
    let number =
        protect(|| unsafe { rb_sys::rb_integer_unpack(words.as_ptr().cast(), WORDS as _, 4, 0, FLAGS) })?;
    // SAFETY: it was just made.
    dump.store(0, unsafe { Value::from_raw(number) })?;
    dump.store(1, left)
}

/// Gives a Random that is not frozen what [`dump`] has made, which takes no memory.
pub fn load(ruby: &Ruby, random: VALUE, dump: VALUE) -> Result<(), Error> {
    call::<Value>(ruby, Own::LoadRandom, &[random, dump]).map(|_| ())
}
