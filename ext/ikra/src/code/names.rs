//! By which names methods may be called where a name has turned out to be one. To learn them one after the other would
//! compile the section once for each. So with a name the section takes those that are as likely: the other commands
//! that Symbols of the section name, the other `visit_…`, of `+` the other operators of arithmetic; if the section is
//! refused with these, it does without. A name that begins as is written out (`send("visit_#{kind}")`) is guessed
//! before any has come, and so is one of a Symbol in a section with an `Ikra.sync`, as what is found out behind that
//! comes too late.

use crate::vm::classes;
use crate::vm::errors::Trouble;
use crate::vm::object_pool::ObjectPool;
use crate::vm::reflection::{Own, call};
use crate::vm::value;
use magnus::{Ruby, Value, prelude::*};
use rb_sys::VALUE;
use std::collections::BTreeSet;

/// With more of them it is not known which.
const MOST: usize = 24;
/// What other names are to begin with is as long.
const SHORTEST_PREFIX: usize = 3;

/// Operators that programs choose among.
const OPERATORS: [&[&str]; 3] = [
    &["+", "-", "*", "/", "%", "**"],
    &["<", "<=", ">", ">=", "==", "!=", "<=>"],
    &["&", "|", "^", "<<", ">>"],
];

/// Methods written in Ruby, of classes that have one of this name: those that Symbols of the section name, and those with
/// the same beginning, as far as an underscore. Of an operator those of its kind that Symbols name.
pub fn likely(
    ruby: &Ruby,
    pool: &ObjectPool,
    symbols: &[VALUE],
    name: &str,
) -> Result<BTreeSet<String>, Trouble> {
    let prefix = name.rfind('_').map(|at| &name[..=at]).filter(|prefix| prefix.len() >= SHORTEST_PREFIX);
    let symbols: BTreeSet<String> = symbols.iter().map(|symbol| value::name_of_symbol(*symbol)).collect();
    let mut found = BTreeSet::new();
    if let Some(alike) = OPERATORS.iter().find(|alike| alike.contains(&name)) {
        found.extend(symbols.iter().filter(|other| alike.contains(&other.as_str())).cloned());
    }
    for class in pool.users() {
        if !is_written(ruby, class, name)? {
            continue;
        }
        for other in classes::method_names(class)? {
            let is_likely =
                symbols.contains(&other) || prefix.is_some_and(|prefix| other.starts_with(prefix));
            if is_likely && is_written(ruby, class, &other)? {
                found.insert(other);
            }
        }
    }
    Ok(if found.len() > MOST { BTreeSet::new() } else { found })
}

/// The methods written in Ruby that begin so; where nothing is known of the beginning, those that Symbols of the section
/// name. Nothing has been called by a name there yet.
pub fn guessed(
    ruby: &Ruby,
    pool: &ObjectPool,
    symbols: &[VALUE],
    prefix: Option<&str>,
) -> Result<BTreeSet<String>, Trouble> {
    if prefix.is_some_and(|prefix| prefix.len() < SHORTEST_PREFIX) {
        return Ok(BTreeSet::new());
    }
    let symbols: BTreeSet<String> = symbols.iter().map(|symbol| value::name_of_symbol(*symbol)).collect();
    let mut found = BTreeSet::new();
    for class in pool.users() {
        for name in classes::method_names(class)? {
            let is_it = match prefix {
                Some(prefix) => name.starts_with(prefix),
                None => symbols.contains(&name),
            };
            if is_it && is_written(ruby, class, &name)? {
                found.insert(name);
            }
        }
    }
    Ok(if found.len() > MOST { BTreeSet::new() } else { found })
}

/// Has the class such a method, written in Ruby?
fn is_written(ruby: &Ruby, class: VALUE, name: &str) -> Result<bool, Trouble> {
    let Some(method) = classes::instance_method(ruby, class, value::intern(ruby, name))? else {
        return Ok(false);
    };
    let place: Value = call(ruby, Own::SourceLocation, &[method])?;
    Ok(!place.is_nil())
}
