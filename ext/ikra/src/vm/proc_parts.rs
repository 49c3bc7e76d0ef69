//! What a Proc is made of that has no literal: the Method of `&method(:name)`, the two of `f >> g`, what `curry` knows,
//! the Hash of `&hash`. Ruby tells nobody; it is in the memory of the Proc, beside the C function that is called. Where that
//! is, is tried when the extension is loaded, with Procs of which all is known: they also tell which functions these are.
//! Where it is not there, such Procs have no parts.

use crate::vm::value;
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Error, RArray, Ruby, Value};
use rb_sys::VALUE;
use std::sync::OnceLock;

/// Where an object made in C has the pointer to its data, in words.
const DATA: usize = 4;
/// Newer Rubies may have it elsewhere.
const NEWEST: (u32, u32) = (4, 0);
/// In the data of a Proc: what it calls, and of which sort that is.
const CODE: usize = 2;
const SORT: usize = 3;
/// The sort of what is written in C.
const FUNCTION: u32 = 1;
/// In what describes that: the function, and what it is given.
const ADDRESS: usize = 2;
const GIVEN: usize = 3;

/// The C functions that such Procs call.
#[derive(Clone, Copy, Debug)]
struct Functions {
    method: VALUE,
    composed: VALUE,
    curried: VALUE,
    hash: VALUE,
}

static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();

/// Finds them.
pub fn init(ruby: &Ruby) -> Result<(), Error> {
    let version = (rb_sys::RUBY_API_VERSION_MAJOR, rb_sys::RUBY_API_VERSION_MINOR);
    let found = if version <= NEWEST { find(ruby)? } else { None };
    let _ = FUNCTIONS.set(found);
    Ok(())
}

fn find(ruby: &Ruby) -> Result<Option<Functions>, Error> {
    let made: RArray = ruby.eval(
        "m = 3.method(:+)
         f = ->(a, b) { a }
         g = ->(a) { a }
         h = { 1 => 2 }
         [m, m.to_proc, f, g, f >> g, f << g, f.curry, f.curry[7], h, h.to_proc]",
    )?;
    let entry = |index: isize| made.entry::<Value>(index).map(|value| value.as_raw());
    let [method, of_method, f, g] = [entry(0)?, entry(1)?, entry(2)?, entry(3)?];
    let [forward, backward, curried, further] = [entry(4)?, entry(5)?, entry(6)?, entry(7)?];
    let [hash, of_hash] = [entry(8)?, entry(9)?];
    // SAFETY: these are live Procs. Words are read in the order in which each says that the next is there.
    unsafe {
        let Some((method_function, given)) = function(of_method) else { return Ok(None) };
        let all = [forward, backward, curried, further, of_hash].map(|of| function(of));
        let [Some(forward), Some(backward), Some(curried), Some(further), Some(of_hash)] = all else {
            return Ok(None);
        };
        let is_list = |list: VALUE, items: &[VALUE]| {
            is_array(list) && items.iter().zip(0..).all(|(item, at)| rb_sys::rb_ary_entry(list, at) == *item)
        };
        let fits = given == method
            && of_hash.1 == hash
            && forward.0 == backward.0
            && curried.0 == further.0
            && is_list(forward.1, &[g, f])
            && is_list(backward.1, &[f, g])
            && is_list(curried.1, &[f])
            && is_list(further.1, &[f])
            && is_list(rb_sys::rb_ary_entry(further.1, 1), &[value::fixnum(7).unwrap_or(value::NIL)])
            && rb_sys::rb_ary_entry(further.1, 2) == value::fixnum(2).unwrap_or(value::NIL);
        let functions =
            Functions { method: method_function, composed: forward.0, curried: curried.0, hash: of_hash.0 };
        Ok(fits.then_some(functions))
    }
}

/// The C function that a Proc calls, and what that is given; `None` for one that is no such Proc.
///
/// SAFETY: it must be a live Proc.
unsafe fn function(of: VALUE) -> Option<(VALUE, VALUE)> {
    // SAFETY: an object made in C has a pointer to its data there in all these versions, and a Proc has such data.
    unsafe {
        let data = *(of as *const VALUE).add(DATA) as *const VALUE;
        if data.is_null() || *data.add(SORT) as u32 != FUNCTION {
            return None;
        }
        let code = *data.add(CODE) as *const VALUE;
        Some((*code.add(ADDRESS), *code.add(GIVEN)))
    }
}

/// SAFETY: a value that is no special constant must be a live object.
unsafe fn is_array(list: VALUE) -> bool {
    // SAFETY: as the caller says.
    !rb_sys::SPECIAL_CONST_P(list)
        && unsafe { rb_sys::RB_BUILTIN_TYPE(list) } == rb_sys::ruby_value_type::RUBY_T_ARRAY
}

/// What a Proc is made of, and how; `None` where that cannot be told.
pub fn parts(ruby: &Ruby, proc: Value) -> Result<Option<RArray>, Error> {
    let object = proc.as_raw();
    // SAFETY: what is no special constant is a live heap object; the variable is set before anything is loaded.
    let is_one =
        !rb_sys::SPECIAL_CONST_P(object) && unsafe { value::class_pointer(object) == rb_sys::rb_cProc };
    let Some(functions) = FUNCTIONS.get().copied().flatten().filter(|_| is_one) else { return Ok(None) };
    // SAFETY: it is a Proc, and these were found to be laid out so.
    let Some((called, given)) = (unsafe { function(object) }) else { return Ok(None) };
    let parts = ruby.ary_new();
    // SAFETY: the Proc holds what it was given, which was tried for each of these functions. No Ruby code has the array
    // itself.
    let entry = |at| unsafe { Value::from_raw(rb_sys::rb_ary_entry(given, at)) };
    if called == functions.method || called == functions.hash {
        parts.push(ruby.to_symbol(if called == functions.method { "method" } else { "hash" }))?;
        // SAFETY: as above.
        parts.push(unsafe { Value::from_raw(given) })?;
    } else if called == functions.composed {
        parts.push(ruby.to_symbol("composed"))?;
        parts.push(entry(1))?;
        parts.push(entry(0))?;
    } else if called == functions.curried {
        parts.push(ruby.to_symbol("curried"))?;
        (0..3).try_for_each(|at| parts.push(entry(at)))?;
    } else {
        return Ok(None);
    }
    Ok(Some(parts))
}
