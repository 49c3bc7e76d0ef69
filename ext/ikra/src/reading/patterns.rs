//! Regexps as sections match them.

use crate::vm::asked;
use crate::vm::reflection::{Own, call};
use crate::vm::value;
use ikra_core::regexp::{Pattern, table};
use magnus::rb_sys::protect;
use magnus::{RString, Ruby};
use rb_sys::VALUE;
use std::cell::RefCell;
use std::ffi::c_int;
use std::sync::Arc;

thread_local! {
    static REFUSED: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
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
    let (source, options) = (&source.to_string().ok()?, options as u32);
    match table::pattern(source, options, false) {
        Ok(pattern) => Some(pattern),
        Err(refused) => {
            let asked = match asked::describe(ruby, source, options) {
                Ok(Some(told)) => table::asked(source, options, false, told).ok(),
                _ => None,
            };
            if asked.is_none() {
                REFUSED.set(Some((refused.part, refused.why.into())));
            }
            asked
        }
    }
}
