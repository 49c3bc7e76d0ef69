//! Floats as `format` writes them: with so many digits, rounded as MRI does.

use super::made::MadeString;
use super::numbers::Short;
use std::fmt::{self, Write};

/// Digits, the first one highest, of which zeros at the end are counted only.
struct Digits {
    bytes: [u8; Digits::MOST],
    written: usize,
    zeros: usize,
}

impl Digits {
    /// 2**-1074 has 767 of them behind those that are zeros, 2**1023 has 309.
    const MOST: usize = 1104;

    /// All digits of a finite number without its sign, and how many of them are behind the point.
    fn of(number: f64) -> (Self, usize) {
        let bits = number.abs().to_bits();
        let (mut power, mut mantissa) = ((bits >> 52) as i32, bits & 0xf_ffff_ffff_ffff);
        if power == 0 {
            power = 1;
        } else {
            mantissa |= 1 << 52;
        }
        power -= 1075;
        if mantissa == 0 {
            power = 0;
        } else if power < 0 {
            power += (mantissa.trailing_zeros() as i32).min(-power);
        }
        let scale = (-power).max(0) as usize;
        let mut text = Short::<1440>::new();
        let _ = write!(text, "{:.scale$}", number.abs());
        let mut digits = Self { bytes: [0; Self::MOST], written: 0, zeros: 0 };
        for byte in text.as_bytes().iter().filter(|byte| **byte != b'.') {
            // Zeros at the beginning, but a single one, are none of them.
            if digits.written == 1 && digits.bytes[0] == b'0' {
                digits.written = 0;
            }
            digits.push(*byte);
        }
        (digits, scale)
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.written) {
            *place = byte;
            self.written += 1;
        }
    }

    fn size(&self) -> usize {
        self.written + self.zeros
    }

    fn at(&self, index: usize) -> u8 {
        if index < self.written { self.bytes[index] } else { b'0' }
    }

    fn truncate(&mut self, size: usize) {
        self.zeros = self.zeros.min(size.saturating_sub(self.written));
        self.written = self.written.min(size);
    }

    fn is_same(&self, other: &Self) -> bool {
        self.size() == other.size() && (0..self.size()).all(|at| self.at(at) == other.at(at))
    }

    /// Without so many of the last ones, rounded to what is nearest. `half`: they are taken for a half, and an even digit
    /// stays.
    fn rounded(&self, cut: usize, half: bool) -> Self {
        let mut out = Self { bytes: self.bytes, written: self.written, zeros: self.zeros };
        let Some(keep) = self.size().checked_sub(cut) else {
            (out.written, out.zeros) = (0, 0);
            out.push(b'0');
            return out;
        };
        out.truncate(keep);
        if keep == 0 {
            out.push(b'0');
        }
        if cut == 0 {
            return out;
        }
        let more = (keep + 1..self.size()).any(|at| self.at(at) != b'0');
        let odd = out.at(out.size() - 1) % 2 == 1;
        let up = match self.at(keep).cmp(&b'5') {
            _ if half => odd,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => more || odd,
            std::cmp::Ordering::Greater => true,
        };
        if up {
            out.write_zeros();
            let nines = out.bytes[..out.written].iter().rev().take_while(|byte| **byte == b'9').count();
            let last = out.written - nines;
            out.bytes[last..out.written].fill(b'0');
            if last == 0 {
                out.bytes.copy_within(..out.written, 1);
                out.bytes[0] = b'1';
                out.written += 1;
            } else {
                out.bytes[last - 1] += 1;
            }
        }
        out
    }

    /// What was rounded has no more digits than there were.
    fn write_zeros(&mut self) {
        while self.zeros > 0 && self.written < Self::MOST - 1 {
            self.push(b'0');
            self.zeros -= 1;
        }
    }

    /// Those from an index to another one.
    fn put(&self, from: usize, to: usize, out: &mut MadeString) {
        let written = to.min(self.written);
        if from < written {
            out.push(&self.bytes[from..written]);
        }
        out.push_zeros(to.saturating_sub(from.max(self.written)));
    }

    /// With a point behind so many of them.
    fn put_with_point(&self, place: i64, sharp: bool, out: &mut MadeString) {
        let size = self.size();
        let Some(place) = usize::try_from(place).ok().filter(|place| *place > 0) else {
            out.push(b"0.");
            out.push_zeros(place.unsigned_abs() as usize);
            return self.put(0, size, out);
        };
        self.put(0, place, out);
        if sharp || place < size {
            out.push(b".");
        }
        self.put(place, size, out);
    }
}

/// About the logarithm of 2, as MRI has it.
#[expect(clippy::approx_constant, reason = "the digits are MRI's own")]
const LOG10_OF_2: f64 = 0.301029995663981;

/// Where MRI rounds to so many digits (`fixed`: behind the point) it tries with Floats first, and takes what may be a half
/// for one.
fn is_like_half(number: f64, count: i64, fixed: bool) -> bool {
    let bits = (number.to_bits() & (u64::MAX >> 1)) as i64;
    let (mut power, mantissa) = ((bits >> 52) - 1023, bits & 0xf_ffff_ffff_ffff);
    let unit = if power == -1023 {
        if mantissa == 0 {
            return false;
        }
        let length = i64::from(64 - mantissa.leading_zeros());
        let top = if length > 32 { mantissa >> (length - 32) } else { mantissa << (32 - length) };
        power = length - 1075;
        top as f64 / 2_147_483_648.0
    } else {
        f64::from_bits((mantissa | 0x3ff0_0000_0000_0000) as u64)
    };
    let mut k =
        ((unit - 1.5) * 0.289529654602168 + 0.1760912590558 + power as f64 * LOG10_OF_2).floor() as i64;
    let mut x = number.abs();
    let unsure = !(0..=22).contains(&k);
    if !unsure && x < ten_to(k) {
        k -= 1;
    }
    let mut limit = if fixed { count + k + 1 } else { count };
    if !(1..=14).contains(&limit) {
        return false;
    }
    let mut inexact = 2.0;
    if k > 0 {
        let mut unit = ten_to(k & 15);
        let mut rest = k >> 4;
        if rest >= 16 {
            rest -= 16;
            x /= 1e256;
            inexact += 1.0;
        }
        for power in large_powers(rest) {
            inexact += 1.0;
            unit *= power;
        }
        x /= unit;
    } else if k < 0 {
        x *= ten_to(-k & 15);
        for power in large_powers(-k >> 4) {
            inexact += 1.0;
            x *= power;
        }
    }
    if unsure && x < 1.0 {
        if fixed {
            limit -= 1;
        }
        if limit < 1 {
            return false;
        }
        x *= 10.0;
        inexact += 1.0;
    }
    let unsharp = (inexact * x + 7.0) * 2.220446049250313e-16 * ten_to(limit - 1);
    let mut i = 1;
    loop {
        x -= x.trunc();
        if x == 0.0 {
            limit = i;
        }
        if i == limit {
            return x <= 0.5 + unsharp && x >= 0.5 - unsharp;
        }
        x *= 10.0;
        i += 1;
    }
}

/// 10**power, which is a Float up to 22.
fn ten_to(power: i64) -> f64 {
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19, 1e20, 1e21, 1e22,
    ];
    POWERS[power.clamp(0, 22) as usize]
}

/// The powers of ten whose product is 10**(16 * count), each twice as far as the one before: of a count below 32.
fn large_powers(count: i64) -> impl Iterator<Item = f64> {
    let all = [1e16, 1e32, 1e64, 1e128, 1e256].into_iter().enumerate();
    all.filter(move |(step, _)| count >> step & 1 == 1).map(|(_, power)| power)
}

/// # Safety
/// There is such a String in the memory.
pub(super) unsafe extern "C" fn push_formatted(
    memory: *mut i64,
    row: i64,
    bits: i64,
    directive: i64,
    sharp: i64,
    precision: i64,
) -> i64 {
    // SAFETY: as said.
    let mut string = unsafe { MadeString::new(memory, row) };
    let _ = put_formatted(&mut string, f64::from_bits(bits as u64), directive as u8, sharp != 0, precision);
    0
}

fn put_formatted(
    out: &mut MadeString,
    number: f64,
    directive: u8,
    sharp: bool,
    precision: i64,
) -> fmt::Result {
    if number.is_nan() {
        return out.write_str("NaN");
    }
    if number.is_infinite() {
        return out.write_str("Inf");
    }
    let mut precision = if precision < 0 { 6 } else { precision as usize };
    let (mut digits, scale) = Digits::of(number);
    if directive == b'f' {
        if scale > precision {
            let half = is_like_half(number, precision as i64, true);
            digits = digits.rounded(scale - precision, half);
        } else {
            digits.zeros += precision - scale;
        }
        digits.put_with_point(digits.size() as i64 - precision as i64, sharp, out);
        return Ok(());
    }
    let short = directive | 0x20 == b'g';
    if short {
        precision = precision.saturating_sub(1);
    }
    let mut exponent = if number == 0.0 { 0 } else { digits.size() as i64 - 1 - scale as i64 };
    let mut zeros = false;
    match digits.size().checked_sub(precision + 1).filter(|cut| *cut > 0) {
        Some(cut) => {
            let exact = digits.rounded(cut, false);
            if is_like_half(number, precision as i64 + 1, false) {
                // Of small Integers MRI asks again. Zeros at the end stay where it does not go up.
                let small_integer = scale == 0 && digits.size() <= 15;
                let even = digits.at(precision) % 2 == 0;
                let half = digits.rounded(cut, true);
                zeros = even && half.is_same(&exact) == small_integer;
                digits = if even && small_integer { exact } else { half };
            } else {
                digits = exact;
            }
            if digits.size() > precision + 1 {
                exponent += 1;
                digits.truncate(precision + 1);
            }
        }
        None => digits.zeros += precision + 1 - digits.size(),
    }
    if short {
        if !(sharp || zeros) {
            let size = (1..=digits.size()).rev().find(|size| *size == 1 || digits.at(size - 1) != b'0');
            digits.truncate(size.unwrap_or(1));
        }
        if exponent >= -4 && exponent <= precision as i64 {
            digits.zeros += (exponent + 1 - digits.size() as i64).max(0) as usize;
            digits.put_with_point(exponent + 1, sharp, out);
            return Ok(());
        }
    }
    digits.put(0, 1, out);
    if sharp || digits.size() > 1 {
        out.push(b".");
    }
    digits.put(1, digits.size(), out);
    out.push(&[if short { directive - 2 } else { directive }]);
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "{sign}{:02}", exponent.abs())
}
