//! Numbers as texts and back.

use super::made::MadeString;
use super::text;
use std::fmt::{self, Write};

/// A short text on the stack. What has no room in it is an error.
pub(super) struct Short<const ROOM: usize> {
    bytes: [u8; ROOM],
    size: usize,
}

impl<const ROOM: usize> Short<ROOM> {
    pub const fn new() -> Self {
        Self { bytes: [0; ROOM], size: 0 }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.size]
    }
}

impl<const ROOM: usize> Write for Short<ROOM> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.size + text.len();
        self.bytes.get_mut(self.size..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.size = end;
        Ok(())
    }
}

/// # Safety
/// There is such a String in the memory.
pub(super) unsafe extern "C" fn push_integer(memory: *mut i64, row: i64, number: i64) -> i64 {
    // SAFETY: as said.
    let mut string = unsafe { MadeString::new(memory, row) };
    let _ = write!(string, "{number}");
    0
}

/// # Safety
/// As [`push_integer`].
pub(super) unsafe extern "C" fn push_float(memory: *mut i64, row: i64, bits: i64) -> i64 {
    // SAFETY: as said.
    let mut string = unsafe { MadeString::new(memory, row) };
    let _ = put_float(&mut string, f64::from_bits(bits as u64));
    0
}

/// As `Float#to_s`.
fn put_float(out: &mut MadeString, number: f64) -> fmt::Result {
    if number.is_nan() {
        return out.write_str("NaN");
    }
    if number.is_sign_negative() {
        out.write_str("-")?;
    }
    let number = number.abs();
    if number.is_infinite() {
        return out.write_str("Infinity");
    }
    if number == 0.0 {
        return out.write_str("0.0");
    }
    // The fewest digits that are read as the number, and of those the nearest.
    let (mut fewest, mut even) = (Short::<32>::new(), Short::<32>::new());
    write!(fewest, "{number:e}")?;
    let mut text = std::str::from_utf8(fewest.as_bytes()).map_err(|_| fmt::Error)?;
    if let Some(behind) = may_be_halfway(number, text) {
        write!(even, "{number:.behind$e}")?;
        let rounded = std::str::from_utf8(even.as_bytes()).map_err(|_| fmt::Error)?;
        if rounded.parse() == Ok(number) {
            text = rounded;
        }
    }
    let (digits, power) = text.split_once('e').ok_or(fmt::Error)?;
    let power: i32 = power.parse().map_err(|_| fmt::Error)?;
    let (first, rest) = digits.split_at(1);
    let rest = rest.strip_prefix('.').unwrap_or_default();
    let (point, size) = (power + 1, 1 + rest.len() as i32);
    if point > 0 && (point < size || point <= 15) {
        let whole = (point - 1).min(size - 1) as usize;
        write!(out, "{first}{}", &rest[..whole])?;
        out.push_zeros((point - size).max(0) as usize);
        let behind = &rest[whole..];
        write!(out, ".{}", if behind.is_empty() { "0" } else { behind })
    } else if point > -4 && point <= 0 {
        out.write_str("0.")?;
        out.push_zeros(-point as usize);
        write!(out, "{first}{rest}")
    } else {
        let sign = if power < 0 { '-' } else { '+' };
        write!(out, "{first}.{}e{sign}{:02}", if rest.is_empty() { "0" } else { rest }, power.abs())
    }
}

/// The digits behind the point of a text that may stand for a number exactly between two such texts, of which MRI takes the
/// even one. Fewer than 16 digits say one number only; and a half ends with the last binary digit, which has a decimal one
/// of its own.
fn may_be_halfway(number: f64, text: &str) -> Option<usize> {
    const FEWEST: usize = 16;
    const MOST_DECIMALS: i32 = 18;
    const BIAS: i32 = 1075;
    let digits = text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    let bits = number.to_bits();
    let exponent = (bits >> 52) as i32 - BIAS + bits.trailing_zeros().min(52) as i32;
    (digits >= FEWEST && exponent >= -MOST_DECIMALS).then(|| digits - 1)
}

/// The digits of a text from an index to where the point is (`whole`), and from behind it (`fraction`) to `last`, times ten
/// to a power: the bits of that Float. There may be underscores among the digits. As MRI takes them: of those behind the
/// point no more than sixty are needed for, and zeros at their end do not count.
///
/// # Safety
/// The indexes are within the text.
pub(super) unsafe extern "C" fn scan_float(
    one: *const i64,
    from: i64,
    whole: i64,
    fraction: i64,
    last: i64,
    exponent: i64,
) -> i64 {
    // SAFETY: as said.
    let text = unsafe { text(one, last) };
    float_of(text, [from, whole, fraction].map(|at| at.max(0) as usize), exponent).to_bits() as i64
}

fn float_of(text: &[u8], [from, whole, fraction]: [usize; 3], mut exponent: i64) -> f64 {
    let last = text.len();
    let Some(first) = (from..last).find(|at| matches!(text[*at], b'1'..=b'9')) else { return 0.0 };
    let (mut digits, mut used, mut stop, mut at) = (0, 0, first, first);
    while at < last && (at < fraction || used <= 60) {
        if text[at].is_ascii_digit() {
            digits += 1;
            if text[at] > b'0' || at < whole {
                (used, stop) = (digits, at + 1);
            }
        }
        at += 1;
    }
    let is_digit = |at: &usize| text[*at].is_ascii_digit();
    exponent -= (fraction..stop).filter(is_digit).count() as i64;
    // Of very many digits these say all: what is behind them is not a half of anything.
    let mut short = Short::<1024>::new();
    let mut left_out = false;
    for at in (first..stop).filter(is_digit) {
        if short.size < 800 {
            let _ = short.write_str(std::str::from_utf8(&text[at..=at]).unwrap_or_default());
        } else {
            exponent += 1;
            left_out |= text[at] > b'0';
        }
    }
    let _ = write!(short, "{}e{}", if left_out { "1" } else { "" }, exponent - i64::from(left_out));
    std::str::from_utf8(short.as_bytes()).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_as_rust_reads_them() {
        for (text, exponent) in
            [("12.5", 0), ("0.1", 0), ("9007199254740993", 0), ("4.9", -324), ("1", 400), ("0.0", 3)]
        {
            let whole = text.find('.').unwrap_or(text.len());
            let fraction = (whole + 1).min(text.len());
            let expected: f64 = format!("{text}e{exponent}").parse().unwrap();
            assert_eq!(float_of(text.as_bytes(), [0, whole, fraction], exponent), expected, "{text}");
        }
        let digits = format!("1{}1", "0".repeat(2000));
        assert_eq!(float_of(digits.as_bytes(), [0, 2002, 2002], -2001), 1.0);
    }
}
