//! Regexps as sections match them. What they are compiled to is kept in a table of the process while sections run, and
//! across them as long as there are few.

use crate::vm::reflection::{Own, call};
use crate::vm::value;
use ikra_core::regexp::Pattern;
use magnus::rb_sys::protect;
use magnus::{RString, Ruby};
use parking_lot::Mutex;
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ffi::c_int;
use std::sync::Arc;

/// So many may stay when no section runs.
const MOST: usize = 500;

#[derive(Default)]
struct Patterns {
    runs: usize,
    known: FxHashMap<(String, u32), Arc<Pattern>>,
}

static PATTERNS: Mutex<Option<Patterns>> = Mutex::new(None);

thread_local! {
    static REFUSED: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// A run: what it reads stays until it ends.
pub struct Running(());

impl Running {
    pub fn begin() -> Self {
        PATTERNS.lock().get_or_insert_default().runs += 1;
        Self(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut patterns = PATTERNS.lock();
        let patterns = patterns.get_or_insert_default();
        patterns.runs -= 1;
        if patterns.runs == 0 && patterns.known.len() > MOST {
            patterns.known.clear();
        }
    }
}

/// The part of the last refused pattern that cannot be, and why.
pub fn refused() -> Option<(String, String)> {
    REFUSED.with_borrow(Clone::clone)
}

/// The address of the pattern of a Regexp; nil for what sections cannot match.
pub fn address(ruby: &Ruby, regexp: VALUE) -> VALUE {
    let Some(pattern) = pattern(ruby, regexp) else { return value::NIL };
    value::fixnum(Arc::as_ptr(&pattern) as i64).unwrap_or(value::NIL)
}

/// How many groups a Regexp has.
pub fn groups(ruby: &Ruby, regexp: VALUE) -> Option<u32> {
    pattern(ruby, regexp).map(|pattern| pattern.groups())
}

fn pattern(ruby: &Ruby, regexp: VALUE) -> Option<Arc<Pattern>> {
    let source: RString = call(ruby, Own::RegexpSource, &[regexp]).ok()?;
    let mut options: c_int = 0;
    protect(|| {
        // SAFETY: the Regexp is live; what is raised ends in `protect`.
        options = unsafe { rb_sys::rb_reg_options(regexp) };
        value::NIL
    })
    .ok()?;
    let source = source.to_string().ok()?;
    let key = (source, options as u32);
    let mut patterns = PATTERNS.lock();
    let known = &mut patterns.get_or_insert_default().known;
    if let Some(pattern) = known.get(&key) {
        return Some(Arc::clone(pattern));
    }
    match Pattern::new(&key.0, key.1) {
        Ok(pattern) => Some(Arc::clone(known.entry(key).or_insert(Arc::new(pattern)))),
        Err(refused) => {
            REFUSED.set(Some((refused.part, refused.why.into())));
            None
        }
    }
}
