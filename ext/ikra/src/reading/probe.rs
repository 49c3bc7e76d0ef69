//! Does the Ruby that runs keep variables and members where `vm/object_layout.rs` says? Objects of all kinds, which
//! `lib/ikra/probe.rb` makes when the extension is loaded, are read and written both ways. Where anything differs, only
//! Ruby's functions are used from then on: slower, with the same answers.

use super::hashes;
use super::variables::Access;
use crate::vm::array_layout;
use crate::vm::hash_layout;
use crate::vm::object_layout;
use crate::vm::value;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, Integer, RArray, Ruby, Symbol, TryConvert, Value};
use rb_sys::VALUE;

/// Pairs: objects of one class, and names of variables or positions of members; and Hashes, of which the first compares by
/// identity. Arrays are tried as well. Is all as the tables say?
pub fn run(ruby: &Ruby, groups: RArray, hashes: RArray) -> Result<bool, Error> {
    let knows_hashes = probe_hashes(ruby, hashes)?;
    // SAFETY: a method of Ruby's runs this; what is raised ends in `protect`.
    protect(|| unsafe { value::boolean(array_layout::probe()) })?;
    object_layout::confirm(true);
    let agrees: Result<bool, Error> = groups.into_iter().try_fold(true, |agrees, group| {
        let (objects, names) = <(RArray, RArray)>::try_convert(group)?;
        Ok(agrees && compare(objects, names)?)
    });
    object_layout::confirm(matches!(agrees, Ok(true)));
    Ok(agrees? && knows_hashes)
}

fn probe_hashes(ruby: &Ruby, hashes: RArray) -> Result<bool, Error> {
    let hashes: Vec<VALUE> = hashes.into_iter().map(|hash| hash.as_raw()).collect();
    let Some(by_identity) = hashes.first() else { return Ok(false) };
    // SAFETY: the array holds the Hashes.
    unsafe { hash_layout::confirm(true, *by_identity) };
    let agrees = hashes.iter().all(|hash| {
        let items = |list: VALUE| {
            // SAFETY: the array was just made.
            let list = RArray::from_value(unsafe { Value::from_raw(list) });
            list.map(|list| list.into_iter().map(|item| item.as_raw()).collect::<Vec<_>>())
        };
        let mut found = [Vec::new(), Vec::new()];
        // SAFETY: as above.
        let (read, lookup) = unsafe {
            let read = hash_layout::each_pair(*hash, |key, value| {
                found[0].push(key);
                found[1].push(value);
            });
            (read, hash_layout::lookup(*hash))
        };
        let asked = hashes::contents_asked(*hash);
        read && lookup == Some(hashes::asked(ruby, *hash))
            && asked.is_ok_and(|lists| lists.map(items) == found.map(Some))
    });
    // SAFETY: as above.
    unsafe { hash_layout::confirm(agrees, *by_identity) };
    Ok(agrees)
}

/// Reads all, writes all that may be written, one after the other, and reads all again.
fn compare(objects: RArray, names: RArray) -> Result<bool, Error> {
    let mut accesses = names.into_iter().map(access).collect::<Result<Vec<_>, _>>()?;
    let objects: Vec<VALUE> = objects.into_iter().map(|object| object.as_raw()).collect();
    let mut expected: Vec<Vec<VALUE>> = Vec::new();
    for access in &accesses {
        // SAFETY: the objects are live: the array holds them. So are Integers that need no heap.
        expected.push(objects.iter().map(|object| unsafe { access.ask(*object) }).collect());
    }
    let mut pairs = accesses.iter_mut().zip(&expected);
    if !pairs.all(|(access, values)| reads(access, &objects, values)) {
        return Ok(false);
    }
    for (number, access) in accesses.iter_mut().enumerate() {
        let values = &mut expected[number];
        // No object gets a variable, which it may have no room for.
        // SAFETY: as above.
        let writable = |i: &usize| values[*i] != value::NIL && !unsafe { value::frozen(objects[*i]) };
        let written: Vec<usize> = (0..objects.len()).filter(writable).collect();
        for i in &written {
            values[*i] = (values[*i] << 1) | 1;
        }
        let [holders, values] =
            [&objects, &*values].map(|all| written.iter().map(|i| all[*i]).collect::<Vec<_>>());
        protect(|| {
            // SAFETY: as above; what is frozen was left out.
            unsafe { access.write(&holders, &values) };
            value::NIL
        })?;
    }
    let holds = |access: &Access, values: &[VALUE]| {
        // SAFETY: as above.
        objects.iter().zip(values).all(|(object, value)| unsafe { access.ask(*object) } == *value)
    };
    Ok(accesses.iter().zip(&expected).all(|(access, values)| holds(access, values))
        && accesses.iter_mut().zip(&expected).all(|(access, values)| reads(access, &objects, values)))
}

fn reads(access: &mut Access, objects: &[VALUE], expected: &[VALUE]) -> bool {
    let mut values = vec![value::NIL; objects.len()];
    // SAFETY: the objects are live and of one class.
    unsafe { access.read(objects, &mut values) };
    values == expected
}

fn access(name: Value) -> Result<Access, Error> {
    match Symbol::from_value(name) {
        Some(name) => Ok(Access::variable(name)),
        None => Ok(Access::Member(Integer::try_convert(name)?.as_raw())),
    }
}
