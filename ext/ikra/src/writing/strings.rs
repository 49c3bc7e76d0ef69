//! Strings that a section has made, as Ruby's.

use crate::vm::errors::Trouble;
use ikra_core::faults;
use ikra_core::string_layout::{Encoding, STRING_FROZEN, STRING_INTERNED};
use magnus::rb_sys::protect;
use rb_sys::{VALUE, ruby_coderange_type, ruby_encoding_consts};
use std::ffi::{c_int, c_long};

/// A new String of the first bytes in these words.
pub fn make_of_words(words: &[i64], size: usize, flags: i64) -> Result<VALUE, Trouble> {
    // SAFETY: words are memory as bytes are; the lowest byte comes first on all machines that Ikra runs on.
    let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), words.len() * 8) };
    make(&bytes[..size], flags)
}

/// A new String of these bytes; `flags` tell its encoding and whether it is frozen.
pub fn make(bytes: &[u8], flags: i64) -> Result<VALUE, Trouble> {
    faults::point("making a String")?;
    let (first, length) = (bytes.as_ptr().cast(), bytes.len() as c_long);
    let encoding = flags & (STRING_FROZEN - 1);
    // SAFETY: these only tell numbers.
    let index: c_int = unsafe {
        match encoding {
            _ if encoding == Encoding::Utf8 as i64 => rb_sys::rb_utf8_encindex(),
            _ if encoding == Encoding::UsAscii as i64 => rb_sys::rb_usascii_encindex(),
            _ => rb_sys::rb_ascii8bit_encindex(),
        }
    };
    let mut known = (index as VALUE) << ruby_encoding_consts::RUBY_ENCODING_SHIFT as VALUE;
    if bytes.is_ascii() {
        // Nobody has to look at the bytes again.
        known |= ruby_coderange_type::RUBY_ENC_CODERANGE_7BIT as VALUE;
    }
    // SAFETY: the bytes are copied; what is raised ends in `protect`. A new String begins with an RBasic whose flags tell
    // of no encoding, which is number 0, and of no code range; these three encodings have numbers that fit there.
    Ok(protect(|| unsafe {
        let string = rb_sys::rb_str_new(first, length);
        (*(string as *mut rb_sys::RBasic)).flags |= known;
        match flags {
            _ if flags & STRING_INTERNED != 0 => rb_sys::rb_str_to_interned_str(string),
            _ if flags & STRING_FROZEN != 0 => rb_sys::rb_str_freeze(string),
            _ => string,
        }
    })?)
}
