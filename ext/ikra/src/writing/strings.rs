//! Strings that a section has made, as Ruby's.

use crate::vm::errors::Trouble;
use ikra_core::faults;
use ikra_core::infer::{Encoding, STRING_FROZEN, STRING_INTERNED};
use magnus::rb_sys::protect;
use rb_sys::VALUE;
use std::ffi::c_long;

/// A new String of these bytes; `flags` tell its encoding and whether it is frozen.
pub fn make(bytes: &[u8], flags: i64) -> Result<VALUE, Trouble> {
    faults::point("making a String")?;
    let (first, length) = (bytes.as_ptr().cast(), bytes.len() as c_long);
    let encoding = flags & (STRING_FROZEN - 1);
    // SAFETY: the bytes are copied; what is raised ends in `protect`.
    Ok(protect(|| unsafe {
        let string = match encoding {
            _ if encoding == Encoding::Utf8 as i64 => rb_sys::rb_utf8_str_new(first, length),
            _ if encoding == Encoding::UsAscii as i64 => rb_sys::rb_usascii_str_new(first, length),
            _ => rb_sys::rb_str_new(first, length),
        };
        match flags {
            _ if flags & STRING_INTERNED != 0 => rb_sys::rb_str_to_interned_str(string),
            _ if flags & STRING_FROZEN != 0 => rb_sys::rb_str_freeze(string),
            _ => string,
        }
    })?)
}
