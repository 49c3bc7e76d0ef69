//! What is in a Hash, as arrays of Ruby's. Nothing of the user's runs for that. A Hash that was there before is read as
//! arrays: its keys, its values and, where it has one, its default. So all that is said of arrays holds of them: they
//! are in columns, in the order of the Hash, narrow where they can be, and read by all threads. Its parts are read when
//! something of it is asked for; a Hash that is only handed on costs nothing.
//!
//! Those arrays are Ruby's at first. Later calls, whose plan says which Hashes the section leaves as they are
//! (`plan.rs`), have no arrays made: pairs go straight into the columns (`Tracer::read_pairs`), which takes a sixth of the
//! time. Where a Hash has the very keys of the one before, as records have, only its values are read: both have the same
//! offset in the column of keys, and the same slots in its index.

use crate::code::methods;
use crate::reading::procs;
use crate::vm::errors::Stop;
use crate::vm::gvl::or_defer;
use crate::vm::hash_layout::{self, Lookup};
use crate::vm::object_pool::ObjectPool;
use crate::vm::reflection::{Own, call};
use crate::vm::value;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::types::{HashDefault, HashSort};
use magnus::rb_sys::{AsRawValue, protect};
use magnus::{Error, Ruby, TryConvert, Value};
use rb_sys::{VALUE, st_retval};
use std::ffi::{c_int, c_long};
use std::hint::black_box;

/// How a live Hash looks up.
///
/// `hash` must be live.
pub fn sort(ruby: &Ruby, pool: &ObjectPool, hash: VALUE) -> HashSort {
    let Lookup { default, has_block, by_identity } = lookup(ruby, hash);
    let block = default;
    let default = if has_block {
        let iseq = or_defer(methods::iseq_of(ruby, block), None);
        let number = |iseq: Value| pool.root_literal(iseq.as_raw(), procs::is_lambda(block));
        HashDefault::Block(iseq.and_then(number))
    } else if default != value::NIL {
        HashDefault::Value
    } else {
        HashDefault::Nil
    };
    HashSort { default, by_identity }
}

fn lookup(ruby: &Ruby, hash: VALUE) -> Lookup {
    // SAFETY: callers have live Hashes.
    unsafe { hash_layout::lookup(hash) }.unwrap_or_else(|| asked(ruby, hash))
}

/// The same by Ruby's methods.
pub fn asked(ruby: &Ruby, hash: VALUE) -> Lookup {
    let block = ask(ruby, Own::DefaultProc, hash, value::NIL);
    let has_block = block != value::NIL;
    Lookup {
        default: if has_block { block } else { ask(ruby, Own::HashDefault, hash, value::NIL) },
        has_block,
        by_identity: ask(ruby, Own::ComparesByIdentity, hash, value::FALSE) == value::TRUE,
    }
}

/// The block that makes what a live Hash gives for a key that it has not, or nil.
pub fn default_block(ruby: &Ruby, hash: VALUE) -> VALUE {
    let Lookup { default, has_block, .. } = lookup(ruby, hash);
    if has_block { default } else { value::NIL }
}

/// What a live Hash is made to give for a key that it has not: a value, or what a block gives, if there is one.
pub fn give_default(ruby: &Ruby, hash: VALUE, default: VALUE, block: VALUE) -> Result<(), Error> {
    let (method, given) = match block {
        value::NIL => (Own::GiveDefault, default),
        block => (Own::GiveDefaultProc, block),
    };
    call::<Raw>(ruby, method, &[hash, given]).map(|_| ())
}

/// What a live Hash gives for a key that it has not, if no block makes that; or nil.
pub fn default(ruby: &Ruby, hash: VALUE) -> VALUE {
    let Lookup { default, has_block, .. } = lookup(ruby, hash);
    if has_block { value::NIL } else { default }
}

fn ask(ruby: &Ruby, method: Own, hash: VALUE, otherwise: VALUE) -> VALUE {
    or_defer(call::<Raw>(ruby, method, &[hash]), Raw(otherwise)).0
}

/// A value as it is.
struct Raw(VALUE);

impl TryConvert for Raw {
    fn try_convert(value: Value) -> Result<Self, Error> {
        Ok(Self(value.as_raw()))
    }
}

/// The keys of a live Hash, and its values, in its order. `scratch` is memory that is used again.
pub fn contents(hash: VALUE, scratch: &mut [Vec<VALUE>; 2]) -> Result<[VALUE; 2], Stop> {
    scratch.iter_mut().for_each(Vec::clear);
    let [keys, values] = scratch;
    // SAFETY: the Hash is live.
    let size = unsafe { rb_sys::rb_hash_size_num(hash) } as usize;
    fallible::reserve(keys, size)?;
    fallible::reserve(values, size)?;
    let push = |key, value| {
        keys.push(key);
        values.push(value);
    };
    // SAFETY: as above.
    if !unsafe { hash_layout::each_pair(hash, push) } {
        return contents_asked(hash);
    }
    let list = |items: &[VALUE]| {
        // SAFETY: the Hash keeps the items alive, and is not changed until both arrays are there, as the GVL is held.
        protect(|| unsafe { rb_sys::rb_ary_new_from_values(items.len() as c_long, items.as_ptr()) })
            .map_err(|_| NoMemory(items.len()))
    };
    let keys = black_box(list(keys)?);
    Ok([keys, list(values)?])
}

/// The same by Ruby's functions.
pub fn contents_asked(hash: VALUE) -> Result<[VALUE; 2], Stop> {
    // SAFETY: the Hash is live.
    let size = unsafe { rb_sys::rb_hash_size_num(hash) } as c_long;
    let mut lists = [array(size)?, array(size)?];
    // On the stack, for the garbage collector to see them.
    let lists = black_box(&mut lists);
    let filled = protect(|| {
        // SAFETY: the callback pushes onto the two arrays, which are live; what it raises ends in `protect`.
        unsafe { rb_sys::rb_hash_foreach(hash, Some(push), std::ptr::from_mut(lists) as VALUE) };
        value::NIL
    });
    match filled {
        Ok(_) => Ok(*lists),
        Err(_) => Err(NoMemory(size as usize).into()),
    }
}

unsafe extern "C" fn push(key: VALUE, value: VALUE, lists: VALUE) -> c_int {
    // SAFETY: `contents` gives this pointer, and waits.
    let lists = unsafe { &*(lists as *const [VALUE; 2]) };
    for (list, item) in lists.iter().zip([key, value]) {
        // SAFETY: the arrays and items are live.
        unsafe { rb_sys::rb_ary_push(*list, item) };
    }
    st_retval::ST_CONTINUE as c_int
}

/// An array of what the Hash gives for a key that it has not.
pub fn default_alone(ruby: &Ruby, hash: VALUE) -> Result<VALUE, Stop> {
    let (default, list) = (black_box(default(ruby, hash)), array(1)?);
    let pushed = protect(|| {
        // SAFETY: both are live.
        unsafe { rb_sys::rb_ary_push(list, default) }
    });
    pushed.map_err(|_| NoMemory(1).into())
}

pub fn array(size: c_long) -> Result<VALUE, Stop> {
    // SAFETY: it takes any number that memory allows, and raises otherwise.
    protect(|| unsafe { rb_sys::rb_ary_new_capa(size) }).map_err(|_| NoMemory(size as usize).into())
}
