//! What an `each` yields, taken before a section runs, as ordinary Ruby: `lib/ikra/bases.rb` asks for it.

use crate::vm::value;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, RHash, Ruby, Value};
use rb_sys::VALUE;
use std::ffi::{c_int, c_long};

/// Where these are in the array that a block fills: how often it was called; what `each` gave; the arguments of all
/// calls, where their number differs; the class of what the block gives, or nil; and the first column of as many as each
/// call has arguments.
const COUNT: c_long = 0;
const GIVEN: c_long = 1;
const ROWS: c_long = 2;
const ANSWER: c_long = 3;
const COLUMNS: c_long = 4;

/// Calls `each` with a block that takes what it is given. It gives nil, as that of Enumerable#map does, or with a class
/// an instance of it at each call, whose `@row` says which: that stands for the value of the user's block, which has not
/// run yet. Gives an array: how often the block was called, what `each` gave, the arguments of each call if their number
/// differs (or nil), the class, and the columns: the first arguments of all calls, the second ones, and so on.
pub fn take(ruby: &Ruby, collection: Value, answer: Value) -> Result<RArray, Error> {
    let taken = ruby.ary_from_vec(vec![Some(0), None, None]);
    taken.push(answer)?;
    let each = value::intern(ruby, "each");
    let given = protect(|| {
        // SAFETY: both objects are live: they are on the stack. What is raised ends in `protect`.
        unsafe {
            let none = std::ptr::null();
            rb_sys::rb_block_call(collection.as_raw(), each, 0, none, Some(push), taken.as_raw())
        }
    })?;
    // SAFETY: `each` gave it just now.
    taken.store(GIVEN as isize, unsafe { Value::from_raw(given) })?;
    Ok(taken)
}

/// The block. It has nothing to drop, since what it calls may raise.
///
/// SAFETY: Ruby calls it, with as many live arguments as it says, and the array that was given for it.
unsafe extern "C" fn push(
    _first: VALUE,
    taken: VALUE,
    argc: c_int,
    argv: *const VALUE,
    _block: VALUE,
) -> VALUE {
    // SAFETY: as the caller says. Only this block changes the array, which holds what `take` and this put there.
    unsafe {
        let count = rb_sys::rb_num2long(rb_sys::rb_ary_entry(taken, COUNT));
        let columns = rb_sys::RARRAY_LEN(taken) as c_long - COLUMNS;
        rb_sys::rb_ary_store(taken, COUNT, rb_sys::rb_int2inum(count as isize + 1));
        let mut rows = rb_sys::rb_ary_entry(taken, ROWS);
        if count == 0 {
            for _ in 0..argc {
                rb_sys::rb_ary_push(taken, rb_sys::rb_ary_new());
            }
        } else if rows == value::NIL && c_long::from(argc) != columns {
            rows = rb_sys::rb_ary_new_capa(count + 1);
            for at in 0..count {
                let row = rb_sys::rb_ary_new_capa(columns);
                for column in COLUMNS..COLUMNS + columns {
                    rb_sys::rb_ary_push(row, rb_sys::rb_ary_entry(rb_sys::rb_ary_entry(taken, column), at));
                }
                rb_sys::rb_ary_push(rows, row);
            }
            rb_sys::rb_ary_store(taken, ROWS, rows);
        }
        if rows == value::NIL {
            for at in 0..argc {
                let column = rb_sys::rb_ary_entry(taken, COLUMNS + c_long::from(at));
                rb_sys::rb_ary_push(column, *argv.add(at as usize));
            }
        } else {
            rb_sys::rb_ary_push(rows, rb_sys::rb_ary_new_from_values(argc.into(), argv));
        }
        let class = rb_sys::rb_ary_entry(taken, ANSWER);
        if class == value::NIL {
            return value::NIL;
        }
        let answer = rb_sys::rb_obj_alloc(class);
        rb_sys::rb_ivar_set(answer, rb_sys::rb_intern(c"@row".as_ptr()), rb_sys::rb_int2inum(count as isize));
        answer
    }
}

/// The keys and the values of a Hash, as they are at one time. Whatever methods its class has.
pub fn pairs(ruby: &Ruby, hash: RHash) -> Result<RArray, Error> {
    let (keys, values) = (ruby.ary_new_capa(hash.len()), ruby.ary_new_capa(hash.len()));
    let pairs = ruby.ary_new();
    pairs.push(keys)?;
    pairs.push(values)?;
    protect(|| {
        // SAFETY: the objects are live: they are on the stack. What is raised ends in `protect`.
        unsafe { rb_sys::rb_hash_foreach(hash.as_raw(), Some(push_pair), pairs.as_raw() as _) };
        value::NIL
    })?;
    Ok(pairs)
}

/// SAFETY: Ruby calls it with a live key and value, and the array that was given for it, which holds two arrays.
unsafe extern "C" fn push_pair(key: VALUE, of_key: VALUE, pairs: VALUE) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        rb_sys::rb_ary_push(rb_sys::rb_ary_entry(pairs, 0), key);
        rb_sys::rb_ary_push(rb_sys::rb_ary_entry(pairs, 1), of_key);
    }
    rb_sys::st_retval::ST_CONTINUE as c_int
}
