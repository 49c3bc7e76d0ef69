//! What a section has made and Ruby has seen in an `Ikra.sync` is compared with what Ruby holds at each later one. That
//! would take longer with each sync in a section that makes things all the time, so what nobody refers to any more is
//! forgotten: where there may be as much to forget as to keep, references are made weak, Ruby collects, and what is
//! left is held again. An object of which Ruby knows more than the columns is kept, as it could not be made anew.

use crate::vm::errors::Trouble;
use crate::vm::reentry::once;
use crate::vm::value;
use crate::writing::born::Known;
use crate::writing::decoder::Decoder;
use ikra_core::error::Error;
use ikra_core::faults;
use ikra_core::types::{ClassId, Shape};
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::value::ReprValue;
use magnus::{Module, RModule, Value};
use rb_sys::{ID, VALUE, ruby_value_type, st_data_t};
use std::os::raw::c_int;

/// So much is not worth looking for what is dead.
const FEW: usize = 2_000;

/// How much is there before any is looked for. What a collection costs grows with all that Ruby has.
fn is_time(decoder: Decoder<'_>) -> Result<bool, Trouble> {
    if cfg!(feature = "testing") && std::env::var_os("IKRA_TEST_FORGETTING").is_some() {
        return Ok(true);
    }
    let (seen, kept) = decoder.born.counts();
    Ok(seen >= FEW.max(2 * kept) && seen >= decoder.ruby.gc_stat("heap_live_slots")? / 8)
}

/// Forgets what is dead; gives which of all that Ruby has seen is left, if it was looked for. Nothing that was made is
/// being written.
pub fn forget_dead(decoder: Decoder<'_>) -> Result<Option<Vec<bool>>, Trouble> {
    if !is_time(decoder)? {
        return Ok(None);
    }
    faults::point("forgetting what is dead")?;
    let seen = decoder.born.seen();
    let space: RModule = decoder.ruby.class_object().const_get("ObjectSpace")?;
    let weak: Value = space.const_get::<_, Value>("WeakMap")?.funcall("new", ())?;
    let mut is_left = Vec::with_capacity(seen.len());
    for (number, known) in seen.iter().enumerate() {
        let stays = !says_all(decoder, known)?;
        is_left.push(stays);
        if !stays {
            // SAFETY: `Pinned` keeps it alive.
            let _: Value = weak.funcall("[]=", (number, unsafe { Value::from_raw(known.value) }))?;
        }
    }
    let strong: Vec<Known> = of_those(&seen, &is_left).collect();
    // What is raised from here on ends the section.
    decoder.born.know_only(&strong)?;
    decoder.pinned.hold_only(strong.iter().map(|known| known.value));
    // The method, as it has finalizers run at once, where the function of C leaves them to the next call: up to Ruby 3.2
    // a map gives what is dead until then.
    let gc: RModule = decoder.ruby.class_object().const_get("GC")?;
    once(decoder.ruby, || gc.funcall::<_, _, Value>("start", ()))?;
    let mut left = Vec::with_capacity(seen.len());
    for (number, known) in seen.iter().enumerate() {
        let value = match is_left[number] {
            true => known.value,
            false => match weak.funcall::<_, _, Option<Value>>("[]", (number,))? {
                Some(value) if !is_dead(value.as_raw()) => value.as_raw(),
                _ => continue,
            },
        };
        decoder.pinned.hold(value)?;
        is_left[number] = true;
        // It may have moved.
        left.push(Known { value, ..*known });
    }
    decoder.born.know_only(&left)?;
    Ok(Some(is_left))
}

/// A finalizer in which the section runs keeps those of what is dead now from running.
fn is_dead(value: VALUE) -> bool {
    // SAFETY: a map gives pointers into the heap, whose pages stay where they are.
    let kind = unsafe { rb_sys::RB_BUILTIN_TYPE(value) };
    matches!(kind, ruby_value_type::RUBY_T_NONE | ruby_value_type::RUBY_T_ZOMBIE)
}

/// Those of a list that are left.
pub fn of_those<'a, T: Copy>(all: &'a [T], is_left: &'a [bool]) -> impl Iterator<Item = T> + 'a {
    all.iter().zip(is_left).filter(|(_, is_left)| **is_left).map(|(one, _)| *one)
}

/// Do the columns say all of it, so that it can be made again and nobody sees that it is another one?
fn says_all(decoder: Decoder<'_>, known: &Known) -> Result<bool, Error> {
    let value = known.value;
    // SAFETY: `Pinned` keeps it alive.
    let is_plain = unsafe { value::class_pointer(value) == rb_sys::rb_obj_class(value) };
    let class = match known.shape {
        Shape::Object(hierarchy) => {
            decoder.class_of_born(hierarchy, known.number).map(|class| (hierarchy, class))
        }
        _ => None,
    };
    let of_class = class
        .filter(|(_, class)| *class != ClassId::STRING)
        .map(|of| decoder.born.class(decoder.ruby, &decoder.heap.pool, decoder.inferred, of))
        .transpose()?;
    let mut all = (of_class.as_ref().map_or(&[][..], |of_class| of_class.maker.all_names()), true);
    // SAFETY: it is alive, and the callback only looks names up.
    unsafe { rb_sys::rb_ivar_foreach(value, Some(look), std::ptr::from_mut(&mut all) as st_data_t) };
    Ok(is_plain && all.1)
}

unsafe extern "C" fn look(name: ID, _value: VALUE, all: st_data_t) -> c_int {
    // SAFETY: what was given to `rb_ivar_foreach`.
    let (names, is_known) = unsafe { &mut *(all as *mut (&[ID], bool)) };
    *is_known &= names.contains(&name);
    0
}
