//! What is read of a String: how many bytes it has, its encoding, and the bytes themselves, eight to a word.

use crate::vm::value;
use ikra_core::hashing;
use ikra_core::string_layout::{BYTESIZE, ENCODING, Encoding, STRING_ASCII, WORDS};
use rb_sys::VALUE;

/// What is known of a String, as if it were variables of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    Bytesize,
    Encoding,
    /// The String itself, in the place of an array of its words.
    Words,
}

impl Text {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            BYTESIZE => Self::Bytesize,
            ENCODING => Self::Encoding,
            WORDS => Self::Words,
            _ => return None,
        })
    }

    /// nil for an encoding of which sections know nothing.
    ///
    /// SAFETY: it must be a live String.
    #[inline]
    pub unsafe fn of(self, string: VALUE) -> VALUE {
        let number = match self {
            Self::Words => return string,
            // SAFETY: as the caller says.
            Self::Bytesize => (unsafe { rb_sys::RSTRING_LEN(string) }) as i64,
            // SAFETY: as the caller says.
            Self::Encoding => match encoding(unsafe { encoding_index(string) }) {
                // SAFETY: as the caller says.
                Some(encoding) if unsafe { is_ascii(string) } => encoding as i64 | STRING_ASCII,
                Some(encoding) => encoding as i64,
                None => return value::NIL,
            },
        };
        value::fixnum(number).unwrap_or(value::NIL)
    }
}

/// SAFETY: it must be a live String.
#[inline]
unsafe fn encoding_index(string: VALUE) -> i32 {
    use rb_sys::ruby_encoding_consts::{RUBY_ENCODING_INLINE_MAX, RUBY_ENCODING_SHIFT};
    // SAFETY: as the caller says; a heap object begins with an RBasic.
    let flags = unsafe { (*(string as *const rb_sys::RBasic)).flags };
    let most = RUBY_ENCODING_INLINE_MAX as VALUE;
    match flags >> RUBY_ENCODING_SHIFT as VALUE & most {
        // SAFETY: as the caller says.
        index if index == most => unsafe { rb_sys::rb_enc_get_index(string) },
        index => index as i32,
    }
}

/// Most Strings know it already.
///
/// SAFETY: it must be a live String.
unsafe fn is_ascii(string: VALUE) -> bool {
    use rb_sys::ruby_coderange_type::{RUBY_ENC_CODERANGE_7BIT, RUBY_ENC_CODERANGE_BROKEN};
    // SAFETY: as the caller says; a heap object begins with an RBasic.
    let flags = unsafe { (*(string as *const rb_sys::RBasic)).flags };
    // A broken one has the bits of both others.
    match flags & RUBY_ENC_CODERANGE_BROKEN as VALUE {
        // SAFETY: as the caller says; nothing runs meanwhile.
        0 => unsafe { bytes(string) }.is_ascii(),
        known => known == RUBY_ENC_CODERANGE_7BIT as VALUE,
    }
}

fn encoding(index: i32) -> Option<Encoding> {
    // SAFETY: these only tell numbers.
    let [utf8, ascii, binary] = unsafe {
        [rb_sys::rb_utf8_encindex(), rb_sys::rb_usascii_encindex(), rb_sys::rb_ascii8bit_encindex()]
    };
    match index {
        _ if index == utf8 => Some(Encoding::Utf8),
        _ if index == ascii => Some(Encoding::UsAscii),
        _ if index == binary => Some(Encoding::Binary),
        _ => None,
    }
}

/// The bytes of a String.
///
/// SAFETY: it must be a live String, and nothing may run before they are copied.
pub unsafe fn bytes<'a>(string: VALUE) -> &'a [u8] {
    // SAFETY: as the caller says.
    unsafe {
        let (first, length) = (rb_sys::RSTRING_PTR(string), rb_sys::RSTRING_LEN(string));
        std::slice::from_raw_parts(first.cast(), length as usize)
    }
}

/// The words of bytes: full ones, and one more.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = i64> {
    let (full, rest) = bytes.as_chunks::<8>();
    full.iter().map(|word| i64::from_le_bytes(*word)).chain([hashing::word(rest)])
}
