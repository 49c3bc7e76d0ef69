//! Regexps as sections match them.

use crate::vm::asked;
use crate::vm::gvl::or_none;
use crate::vm::reflection::{Own, call};
use crate::vm::value;
use ikra_core::regexp::{Pattern, table};
use magnus::encoding::EncodingCapable;
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
    let source: RString = or_none(call(ruby, Own::RegexpSource, &[regexp]))?;
    let mut options: c_int = 0;
    or_none(protect(|| {
        // SAFETY: the Regexp is live; what is raised ends in `protect`.
        options = unsafe { rb_sys::rb_reg_options(regexp) };
        value::NIL
    }))?;
    // SAFETY: nobody changes it meanwhile.
    let text = unsafe { source.as_slice() };
    let is_known = text.is_ascii() || source.enc_get() == ruby.utf8_encindex();
    let Some(source) = std::str::from_utf8(text).ok().filter(|_| is_known).map(str::to_owned) else {
        let part = String::from_utf8_lossy(text).into_owned();
        REFUSED.set(Some((part, "it is of another encoding than UTF-8".into())));
        return None;
    };
    let (source, options) = (&source, options as u32);
    match table::pattern(source, options, false) {
        Ok(pattern) => Some(pattern),
        Err(refused) => {
            let told = or_none(asked::describe(ruby, source, options)).flatten();
            let asked = told.and_then(|told| table::asked(source, options, false, told).ok());
            if asked.is_none() {
                REFUSED.set(Some((refused.part, refused.why.into())));
            }
            asked
        }
    }
}
