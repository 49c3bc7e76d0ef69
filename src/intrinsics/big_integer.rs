//! Integers beyond 64 bits, as texts: two's complement, the lowest byte first, in as few words of 64 bits as hold the
//! number and its sign. What fits 128 bits is computed in registers, sums and products of few words here, and all else by
//! num-bigint.

use super::made::MadeString;
use super::text;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use smallvec::SmallVec;

const WORD: usize = 8;
/// Products of so many words are made here.
const FEW: usize = 32;

type Words = SmallVec<[u64; 2 * FEW]>;

fn words(bytes: &[u8]) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
    bytes.chunks_exact(WORD).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
}

/// A word of nothing but the sign of a last word.
const fn sign(last: u64) -> u64 {
    (last as i64 >> 63) as u64
}

/// A number that fits 128 bits.
fn small(bytes: &[u8]) -> Option<i128> {
    let word = |at: usize| i64::from_le_bytes(bytes[at..at + WORD].try_into().unwrap_or_default());
    match bytes.len() {
        8 => Some(word(0).into()),
        16 => Some(i128::from(word(8)) << 64 | i128::from(word(0) as u64)),
        _ => None,
    }
}

fn put_small(out: &mut MadeString, number: i128) {
    let bytes = number.to_le_bytes();
    let fits = i64::try_from(number).is_ok();
    out.push(if fits { &bytes[..WORD] } else { &bytes });
}

/// Puts words behind a String, without those that only repeat the sign; gives whether there was room.
fn put_words(out: &mut MadeString, mut words: &[u64]) -> bool {
    while let [rest @ .., before, last] = words
        && *last == sign(*before)
    {
        words = &words[..rest.len() + 1];
    }
    out.push_if_room(bytemuck::cast_slice(words))
}

fn big(bytes: &[u8]) -> BigInt {
    let (negative, magnitude) = magnitude(bytes);
    let digits = magnitude.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect();
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, BigUint::new(digits))
}

/// Is it negative, and its words without the sign?
fn magnitude(bytes: &[u8]) -> (bool, Words) {
    let mut all: Words = words(bytes).collect();
    let negative = all.last().is_some_and(|last| sign(*last) != 0);
    if negative {
        negate(&mut all);
    }
    (negative, all)
}

/// Negates words in place, which may need one bit more than they have.
fn negate(words: &mut [u64]) {
    let mut carry = true;
    for word in words {
        (*word, carry) = (!*word).overflowing_add(carry.into());
    }
}

/// Puts a number behind a String; gives whether there was room.
fn put(out: &mut MadeString, number: &BigInt) -> bool {
    let mut words: Words = number.iter_u64_digits().collect();
    words.push(0);
    if number.sign() == Sign::Minus {
        negate(&mut words);
    }
    put_words(out, &words)
}

/// The operations on two numbers, as `core/big_integer.rb` numbers them.
fn of_two_small(operation: i64, a: i128, b: i128) -> Option<i128> {
    match operation {
        0 => a.checked_add(b),
        1 => a.checked_sub(b),
        2 => a.checked_mul(b),
        3 => a.checked_div(b).map(|_| Integer::div_floor(&a, &b)),
        4 => a.checked_rem(b).map(|_| Integer::mod_floor(&a, &b)),
        5 => a.checked_rem(b),
        6 => Some(a & b),
        7 => Some(a | b),
        8 => Some(a ^ b),
        10 => a.checked_div(b),
        _ => None,
    }
}

fn of_two(operation: i64, a: &BigInt, b: &BigInt) -> BigInt {
    match operation {
        0 => a + b,
        1 => a - b,
        2 => a * b,
        3..=5 | 10 if b.is_zero() => BigInt::zero(),
        3 => a.div_floor(b),
        4 => a.mod_floor(b),
        5 => a % b,
        6 => a & b,
        7 => a | b,
        8 => a ^ b,
        10 => a / b,
        _ => a.gcd(b),
    }
}

/// Word by word: the sum, the difference, and what bits give.
fn by_words(operation: i64, a: &[u8], b: &[u8]) -> Option<Words> {
    let count = (a.len().max(b.len())) / WORD + 1;
    let all = |bytes| {
        let last = words(bytes).next_back().map_or(0, sign);
        words(bytes).chain(std::iter::repeat(last)).take(count)
    };
    let pairs = all(a).zip(all(b));
    Some(match operation {
        0 | 1 => {
            let (flip, mut carry) = if operation == 0 { (0, false) } else { (u64::MAX, true) };
            let add = |(a, b): (u64, u64)| {
                let (sum, first) = a.overflowing_add(b ^ flip);
                let (sum, second) = sum.overflowing_add(carry.into());
                carry = first || second;
                sum
            };
            pairs.map(add).collect()
        }
        6 => pairs.map(|(a, b)| a & b).collect(),
        7 => pairs.map(|(a, b)| a | b).collect(),
        8 => pairs.map(|(a, b)| a ^ b).collect(),
        _ => return None,
    })
}

/// The product of numbers of few words.
fn product(a: &[u8], b: &[u8]) -> Option<Words> {
    if a.len().max(b.len()) > FEW * WORD {
        return None;
    }
    let ((a_negative, a), (b_negative, b)) = (magnitude(a), magnitude(b));
    let mut out: Words = smallvec::smallvec![0; a.len() + b.len() + 1];
    for (at, x) in a.iter().enumerate() {
        let mut carry = 0;
        for (y, word) in b.iter().zip(&mut out[at..]) {
            let sum = u128::from(*x) * u128::from(*y) + u128::from(*word) + carry;
            *word = sum as u64;
            carry = sum >> 64;
        }
        out[at + b.len()] = carry as u64;
    }
    if a_negative != b_negative {
        negate(&mut out);
    }
    Some(out)
}

/// Puts what an operation makes of two numbers behind a made String; 0 where there was no room.
///
/// # Safety
/// There is such a String in the memory, and the texts have these sizes.
pub(super) unsafe extern "C" fn of_two_numbers(
    memory: *mut i64,
    a: *const i64,
    b: *const i64,
    row: i64,
    size: i64,
    other: i64,
    operation: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, a, b) = unsafe { (MadeString::new(memory, row), text(a, size), text(b, other)) };
    if let (Some(a), Some(b)) = (small(a), small(b))
        && let Some(number) = of_two_small(operation, a, b)
    {
        put_small(&mut out, number);
        return 1;
    }
    let words = if operation == 2 { product(a, b) } else { by_words(operation, a, b) };
    match words {
        Some(words) => put_words(&mut out, &words),
        None => put(&mut out, &of_two(operation, &big(a), &big(b))),
    }
    .into()
}

/// The same of one number and one of 64 bits: `<<` (below 0 `>>`), `**`, `to_s` in a base, and the root of it.
///
/// # Safety
/// As [`of_two_numbers`].
pub(super) unsafe extern "C" fn by_number(
    memory: *mut i64,
    a: *const i64,
    row: i64,
    size: i64,
    operation: i64,
    number: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, bytes) = unsafe { (MadeString::new(memory, row), text(a, size)) };
    if operation == 0
        && let Some(a) = small(bytes)
        && (-127..64).contains(&number)
        && (number < 0 || a.unsigned_abs().leading_zeros() > number as u32 + 1)
    {
        put_small(&mut out, if number < 0 { a >> -number } else { a << number });
        return 1;
    }
    let a = big(bytes);
    let given = match operation {
        0 if number >= 0 => put(&mut out, &(a << number as u64)),
        0 => put(&mut out, &(a >> number.unsigned_abs())),
        1 => put(&mut out, &a.pow(number.clamp(0, u32::MAX.into()) as u32)),
        2 => out.push_if_room(a.to_str_radix(number.clamp(2, 36) as u32).as_bytes()),
        _ => put(&mut out, &if a.is_negative() { BigInt::zero() } else { a.sqrt() }),
    };
    given.into()
}

/// Puts a power modulo a number behind a made String: of a number, an exponent that is not negative, and a modulus that is
/// not 0, whose sign the result has.
///
/// # Safety
/// As [`of_two_numbers`].
pub(super) unsafe extern "C" fn power_modulo(
    memory: *mut i64,
    base: *const i64,
    exponent: *const i64,
    modulus: *const i64,
    row: i64,
    base_size: i64,
    exponent_size: i64,
    modulus_size: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, base, exponent, modulus) = unsafe {
        let texts = (text(base, base_size), text(exponent, exponent_size), text(modulus, modulus_size));
        (MadeString::new(memory, row), texts.0, texts.1, texts.2)
    };
    let (exponent, modulus) = (big(exponent), big(modulus));
    if exponent.is_negative() || modulus.is_zero() {
        return 0;
    }
    put(&mut out, &big(base).modpow(&exponent, &modulus)).into()
}

/// What a number is asked, maybe with another one: the order of both, the bits of the nearest Float, how many bits it
/// has without its sign.
///
/// # Safety
/// As [`of_two_numbers`].
pub(super) unsafe extern "C" fn ask(
    a: *const i64,
    b: *const i64,
    size: i64,
    other: i64,
    question: i64,
) -> i64 {
    // SAFETY: as said.
    let (a, b) = unsafe { (text(a, size), text(b, other)) };
    match question {
        0 => order(a, b) as i64,
        1 => nearest(&big(a)).to_bits() as i64,
        _ => {
            // Leading words of nothing but the sign there are none but one.
            let last = words(a).next_back().unwrap_or(0);
            let within = 64 - (last ^ sign(last)).leading_zeros() as usize;
            let below = (a.len() / WORD).saturating_sub(1) * 64;
            match within {
                0 if below > 0 => below as i64,
                _ => (below + within) as i64,
            }
        }
    }
}

fn order(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    let last = |bytes| words(bytes).next_back().unwrap_or(0) as i64;
    let is_negative = |bytes| last(bytes) < 0;
    match (is_negative(a), is_negative(b)) {
        (false, true) => std::cmp::Ordering::Greater,
        (true, false) => std::cmp::Ordering::Less,
        // Of two of a sign the longer one is the further from 0; two of a size are compared as words without a sign.
        (negative, _) => {
            let by_size = a.len().cmp(&b.len());
            let by_size = if negative { by_size.reverse() } else { by_size };
            by_size.then_with(|| words(a).rev().cmp(words(b).rev()))
        }
    }
}

/// The nearest Float, the even one of two; beyond all of them an infinity.
fn nearest(number: &BigInt) -> f64 {
    number.to_f64().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::string_layout::{HEADER, ROOM, START};

    /// What a function writes behind a String with so much room.
    fn written(write: impl FnOnce(*mut i64) -> i64) -> Vec<u8> {
        let mut memory = vec![0_i64; 600];
        memory[ROOM as usize] = 4096;
        memory[START as usize] = HEADER;
        assert_eq!(write(memory.as_mut_ptr()), 1);
        let size = memory[crate::string_layout::SIZE as usize] as usize;
        bytemuck::cast_slice(&memory[HEADER as usize..])[..size].to_vec()
    }

    /// As few words as hold it.
    fn bytes(number: &BigInt) -> Vec<u8> {
        let mut bytes = number.to_signed_bytes_le();
        let sign = if number.is_negative() { 0xff } else { 0 };
        bytes.resize(bytes.len().next_multiple_of(WORD).max(WORD), sign);
        bytes
    }

    fn some() -> Vec<BigInt> {
        let powers = [0, 1, 31, 62, 63, 64, 65, 126, 127, 128, 129, 191, 192, 300, 2047, 2048, 2200];
        let near = powers
            .into_iter()
            .flat_map(|power| [-1, 0, 1, 12345].map(|more| (BigInt::from(1) << power) + more));
        near.flat_map(|number: BigInt| [number.clone(), -number]).collect()
    }

    /// Words in memory that is aligned as they are.
    fn aligned(bytes: &[u8]) -> Vec<i64> {
        words(bytes).map(|word| word as i64).collect()
    }

    #[test]
    fn operations_are_those_of_num_bigint() {
        let all = some();
        for a in &all {
            assert_eq!(big(&bytes(a)), *a);
            for b in &all {
                let (x, y) = (bytes(a), bytes(b));
                let (x_words, y_words) = (aligned(&x), aligned(&y));
                let sizes = (x.len() as i64, y.len() as i64);
                // SAFETY: the texts have these sizes.
                let order = unsafe { ask(x_words.as_ptr(), y_words.as_ptr(), sizes.0, sizes.1, 0) };
                assert_eq!(order, a.cmp(b) as i64, "{a} <=> {b}");
                for operation in 0..11 {
                    if (3..=5).contains(&operation) && b.is_zero() || operation >= 9 && b.is_zero() {
                        continue;
                    }
                    let put = written(|memory| {
                        // SAFETY: as above, and there is room.
                        unsafe {
                            of_two_numbers(
                                memory,
                                x_words.as_ptr(),
                                y_words.as_ptr(),
                                0,
                                sizes.0,
                                sizes.1,
                                operation,
                            )
                        }
                    });
                    assert_eq!(put, bytes(&of_two(operation, a, b)), "{operation} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn shifts_and_sizes_are_those_of_num_bigint() {
        for a in some() {
            let x = bytes(&a);
            let x_words = aligned(&x);
            // SAFETY: the text has this size.
            let bits = unsafe { ask(x_words.as_ptr(), x_words.as_ptr(), x.len() as i64, x.len() as i64, 2) };
            let without = if a.is_negative() { -&a - 1 } else { a.clone() };
            assert_eq!(bits, without.bits() as i64, "{a}");
            for count in [-300, -129, -128, -127, -64, -63, -1, 0, 1, 62, 63, 64, 65, 130] {
                // SAFETY: as above, and there is room.
                let put = written(|memory| unsafe {
                    by_number(memory, x_words.as_ptr(), 0, x.len() as i64, 0, count)
                });
                let shifted = if count < 0 { &a >> -count } else { &a << count };
                assert_eq!(put, bytes(&shifted), "{a} << {count}");
            }
        }
    }

    #[test]
    fn the_nearest_float_is_the_even_one_of_two() {
        let power = BigInt::from(1) << 200;
        let half = BigInt::from(1) << (200 - 53);
        let float = |n: BigInt| nearest(&n);
        assert_eq!(float(&power + &half), 2f64.powi(200));
        assert!(float(&power + &half + 1) > 2f64.powi(200));
        assert_eq!(float(BigInt::from(-1) << 2000), f64::NEG_INFINITY);
    }
}
