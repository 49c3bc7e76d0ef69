//! Characters of UTF-8. In what is not valid each byte that is part of none is one of its own, as in MRI.

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
