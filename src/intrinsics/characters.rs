//! Characters of UTF-8. In what is not valid each byte that is part of none is one of its own, as in MRI.

use super::made::MadeString;
use super::text;

/// How many bytes the character has that a text begins with; 0 where there is none.
fn valid_width(text: &[u8]) -> usize {
    let lead = match text {
        [] => return 0,
        [lead, ..] if *lead < 0x80 => return 1,
        [lead, ..] => *lead,
    };
    let is_next = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let (low, high) = match lead {
        0xe0 => (0xa0, 0xbf),
        0xed => (0x80, 0x9f),
        0xf0 => (0x90, 0xbf),
        0xf4 => (0x80, 0x8f),
        _ => (0x80, 0xbf),
    };
    let second = text.get(1).is_some_and(|byte| (low..=high).contains(byte));
    match lead {
        0xc2..=0xdf if second => 2,
        0xe0..=0xef if second && is_next(2) => 3,
        0xf0..=0xf4 if second && is_next(2) && is_next(3) => 4,
        _ => 0,
    }
}

/// How many bytes the character has that a text begins with, in an encoding; `None` where there is none.
pub(super) fn sure_width(text: &[u8], encoding: i64) -> Option<usize> {
    match text {
        [lead, ..] if encoding == 2 || *lead < 0x80 => Some(1),
        _ if encoding == 0 => Some(valid_width(text)).filter(|width| *width > 0),
        _ => None,
    }
}

/// The number of the character that a text begins with, which has so many bytes.
pub(super) fn code_at(text: &[u8], width: usize) -> i64 {
    let byte = |at: usize| i64::from(text.get(at).copied().unwrap_or(0));
    let rest = |at: usize| byte(at) & 0x3f;
    match width {
        1 => byte(0),
        2 => (byte(0) & 0x1f) << 6 | rest(1),
        3 => (byte(0) & 0xf) << 12 | rest(1) << 6 | rest(2),
        _ => (byte(0) & 7) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3),
    }
}

/// How many bytes are ASCII at the beginning, in whole words.
fn leading_ascii(text: &[u8]) -> usize {
    let words = text.chunks_exact(8);
    8 * words.take_while(|word| word.is_ascii()).count()
}

/// # Safety
/// The text has this size.
pub(super) unsafe extern "C" fn is_valid(one: *const i64, size: i64) -> i64 {
    // SAFETY: as said.
    i64::from(std::str::from_utf8(unsafe { text(one, size) }).is_ok())
}

/// # Safety
/// As [`is_valid`].
pub(super) unsafe extern "C" fn count(one: *const i64, size: i64, from: i64, to: i64) -> i64 {
    // SAFETY: as said.
    let text = unsafe { text(one, size) };
    let (mut at, to) = (from.max(0) as usize, to.min(size).max(0) as usize);
    let mut count = 0;
    while at < to {
        let ascii = leading_ascii(&text[at..to]);
        if ascii > 0 {
            (at, count) = (at + ascii, count + ascii);
        } else {
            (at, count) = (at + valid_width(&text[at..]).max(1), count + 1);
        }
    }
    count as i64
}

/// # Safety
/// As [`is_valid`].
pub(super) unsafe extern "C" fn skip(one: *const i64, size: i64, from: i64, count: i64) -> i64 {
    // SAFETY: as said.
    let text = unsafe { text(one, size) };
    let (mut at, mut left) = (from.max(0) as usize, count);
    while left > 0 {
        let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else { return -1 };
        let most = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let ascii = leading_ascii(&rest[..most]);
        if ascii > 0 {
            (at, left) = (at + ascii, left - ascii as i64);
        } else {
            (at, left) = (at + valid_width(rest).max(1), left - 1);
        }
    }
    at as i64
}

/// # Safety
/// As [`is_valid`], and the index is within it.
pub(super) unsafe extern "C" fn width(one: *const i64, size: i64, at: i64) -> i64 {
    // SAFETY: as said.
    let text = unsafe { text(one, size) };
    text.get(at as usize..).map_or(0, |text| valid_width(text) as i64)
}

/// # Safety
/// As [`width`].
pub(super) unsafe extern "C" fn code(one: *const i64, at: i64, width: i64) -> i64 {
    // SAFETY: as said.
    let text = unsafe { text(one, at + width) };
    text.get(at as usize..).map_or(0, |text| code_at(text, width as usize))
}

/// # Safety
/// As [`is_valid`], and there is such a String with room for it.
pub(super) unsafe extern "C" fn reverse(
    memory: *mut i64,
    one: *const i64,
    row: i64,
    size: i64,
    single: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, text) = unsafe { (MadeString::new(memory, row), text(one, size)) };
    out.fill(|room| {
        let mut at = 0;
        while at < text.len() {
            let width = if single != 0 { 1 } else { valid_width(&text[at..]).max(1) };
            let end = text.len() - at;
            room[end - width..end].copy_from_slice(&text[at..at + width]);
            at += width;
        }
        text.len()
    });
    0
}

/// ASCII in another case: `up` and `down` say which letters change, `capital` that the first byte does not go down and the
/// others do not go up.
///
/// # Safety
/// As [`reverse`].
pub(super) unsafe extern "C" fn recase(
    memory: *mut i64,
    one: *const i64,
    row: i64,
    size: i64,
    up: i64,
    down: i64,
    capital: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, text) = unsafe { (MadeString::new(memory, row), text(one, size)) };
    out.fill(|room| {
        for (at, (to, byte)) in room.iter_mut().zip(text).enumerate() {
            let first = capital != 0 && at == 0;
            *to = match byte {
                b'a'..=b'z' if up != 0 || first => byte.to_ascii_uppercase(),
                b'A'..=b'Z' if down != 0 && !first => byte.to_ascii_lowercase(),
                byte => *byte,
            };
        }
        text.len()
    });
    0
}

/// Puts the bytes of a character behind a String, in its encoding.
///
/// # Safety
/// There is such a String in the memory, with room for four bytes.
pub(super) unsafe extern "C" fn push_code(memory: *mut i64, row: i64, code: i64) -> i64 {
    // SAFETY: as said.
    unsafe { MadeString::new(memory, row).push_code(code) };
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_rust_where_it_is_valid() {
        for character in ['a', 'é', '€', '한', '\u{d7ff}', '\u{e000}', '😀', '\u{10ffff}'] {
            let text = format!("{character}x");
            assert_eq!(valid_width(text.as_bytes()), character.len_utf8());
        }
        for text in
            [&b"\xc1\x80"[..], b"\xe0\x9f\x80", b"\xed\xa0\x80", b"\xf0\x8f\x80\x80", b"\xf4\x90\x80\x80"]
        {
            assert_eq!(valid_width(text), 0);
        }
        assert_eq!([valid_width(b"\xe2\x82"), valid_width(b"\x80"), valid_width(b"")], [0; 3]);
    }
}
