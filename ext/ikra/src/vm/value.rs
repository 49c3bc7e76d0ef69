//! Ruby values to numbers and back: the inner loop of tracing and of copy-back, so immediates are decoded inline.

use magnus::rb_sys::FromRawValue;
use magnus::{Ruby, Value};
use rb_sys::{ID, VALUE};

pub const NIL: VALUE = rb_sys::Qnil as VALUE;
pub const TRUE: VALUE = rb_sys::Qtrue as VALUE;
pub const FALSE: VALUE = rb_sys::Qfalse as VALUE;

/// A value as tracing sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decoded {
    Nil,
    Bool(bool),
    Integer(i64),
    /// An Integer beyond 64 bits.
    Huge,
    Float(f64),
    Symbol(VALUE),
    /// An instance of Array itself, without a singleton class.
    Array,
    Object,
}

#[inline]
pub fn decode(value: VALUE) -> Decoded {
    if rb_sys::FIXNUM_P(value) {
        return Decoded::Integer(value as i64 >> 1);
    }
    if rb_sys::FLONUM_P(value) {
        return Decoded::Float(flonum(value));
    }
    if rb_sys::SPECIAL_CONST_P(value) {
        return match value {
            NIL => Decoded::Nil,
            TRUE => Decoded::Bool(true),
            FALSE => Decoded::Bool(false),
            // The only special constants left are static symbols.
            _ => Decoded::Symbol(value),
        };
    }
    decode_heap(value)
}

fn decode_heap(value: VALUE) -> Decoded {
    use rb_sys::ruby_value_type as t;
    // SAFETY: `value` is no special constant, so it points to a live heap object, whose type is asked before each use.
    unsafe {
        match rb_sys::RB_BUILTIN_TYPE(value) {
            t::RUBY_T_ARRAY if class_pointer(value) == rb_sys::rb_cArray => Decoded::Array,
            t::RUBY_T_FLOAT => Decoded::Float(rb_sys::rb_float_value(value)),
            t::RUBY_T_BIGNUM => big_to_i64(value).map_or(Decoded::Huge, Decoded::Integer),
            t::RUBY_T_SYMBOL => Decoded::Symbol(value),
            _ => Decoded::Object,
        }
    }
}

/// The float in a flonum: 62 of its bits, rotated so that the common exponents need no heap (`numeric.h` of CRuby).
#[inline]
const fn flonum(value: VALUE) -> f64 {
    const ZERO: VALUE = 0x8000_0000_0000_0002;
    if value == ZERO {
        return 0.0;
    }
    let exponent = 2 - (value >> 63);
    f64::from_bits((exponent | (value & !3)).rotate_right(3))
}

/// Values are looked at in groups of this many: whether all are alike is one question without branches.
const GROUP: usize = 64;

/// Appends the bits of the leading Floats that need no heap; gives how many these are.
pub fn leading_floats(values: &[VALUE], bits: &mut Vec<i64>) -> usize {
    leading(values, bits, |value| value & 3 == 2, |value| flonum(value).to_bits() as i64)
}

/// Appends the leading Integers that need no heap; gives how many these are.
pub fn leading_integers(values: &[VALUE], numbers: &mut Vec<i64>) -> usize {
    leading(values, numbers, |value| value & 1 == 1, |value| value as i64 >> 1)
}

#[inline]
fn leading(
    values: &[VALUE],
    into: &mut Vec<i64>,
    fits: impl Fn(VALUE) -> bool,
    decode: impl Fn(VALUE) -> i64,
) -> usize {
    let before = into.len();
    for group in values.chunks(GROUP) {
        let all = group.iter().fold(true, |all, value| all & fits(*value));
        let count = if all { group.len() } else { group.iter().take_while(|value| fits(**value)).count() };
        into.extend(group[..count].iter().map(|value| decode(*value)));
        if !all {
            break;
        }
    }
    into.len() - before
}

/// SAFETY: `value` must be a bignum.
unsafe fn big_to_i64(value: VALUE) -> Option<i64> {
    let mut word = 0u64;
    let flags = rb_sys::INTEGER_PACK_2COMP | rb_sys::INTEGER_PACK_LITTLE_ENDIAN;
    // SAFETY: one word of 8 bytes is written, and a bignum converts without calling methods.
    let sign = unsafe {
        rb_sys::rb_integer_pack(value, std::ptr::from_mut(&mut word).cast(), 1, 8, 0, flags as i32)
    };
    let number = i64::from_le_bytes(word.to_ne_bytes());
    match sign {
        0 | 1 if number >= 0 => Some(number),
        -1 if number < 0 => Some(number),
        _ => None,
    }
}

/// The class pointer of a heap object: its singleton class where it has one.
///
/// SAFETY: `value` must be a live heap object.
#[inline]
pub unsafe fn class_pointer(value: VALUE) -> VALUE {
    // SAFETY: every heap object begins with an RBasic.
    unsafe { (*(value as *const rb_sys::RBasic)).klass }
}

/// Asks the processor to have what is there ready soon.
#[inline]
pub fn prefetch<T>(pointer: *const T) {
    // SAFETY: a hint: no address is invalid for it.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(pointer.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = pointer;
}

/// Is it frozen? Immediates are.
///
/// SAFETY: `value` must be a live object or an immediate.
#[inline]
pub unsafe fn frozen(value: VALUE) -> bool {
    if rb_sys::SPECIAL_CONST_P(value) {
        return true;
    }
    // SAFETY: a heap object begins with an RBasic.
    let flags = unsafe { (*(value as *const rb_sys::RBasic)).flags };
    flags & rb_sys::ruby_fl_type::RUBY_FL_FREEZE as VALUE != 0
}

/// The Symbol of a name that is interned.
pub fn symbol_of(id: ID) -> VALUE {
    // SAFETY: IDs come from Ruby and do not die; nor does the Symbol of one.
    unsafe { rb_sys::rb_id2sym(id) }
}

/// The name that an ID stands for.
pub fn name_of(id: ID) -> String {
    // SAFETY: the Symbol of an ID does not die.
    unsafe { Value::from_raw(symbol_of(id)) }.to_string()
}

/// The ID of a name.
pub fn intern(_ruby: &Ruby, name: &str) -> ID {
    // Ruby looks at the first byte of an empty name too.
    let start = if name.is_empty() { c"".as_ptr() } else { name.as_ptr().cast() };
    // SAFETY: pointer and length are those of a string; the GVL is held.
    unsafe { rb_sys::rb_intern3(start, name.len() as std::ffi::c_long, rb_sys::rb_utf8_encoding()) }
}

/// May allocate (and so raise): an Integer beyond 62 bits lives on the heap.
pub fn integer(_ruby: &Ruby, number: i64) -> VALUE {
    // SAFETY: the GVL is held.
    unsafe { rb_sys::rb_ll2inum(number) }
}

/// May allocate (and so raise): a Float of an unusual exponent lives on the heap.
pub fn float(_ruby: &Ruby, number: f64) -> VALUE {
    // SAFETY: the GVL is held.
    unsafe { rb_sys::rb_float_new(number) }
}

/// The Integer, where no allocation is needed.
pub fn fixnum(number: i64) -> Option<VALUE> {
    let doubled = number.checked_mul(2)?;
    Some(doubled as VALUE | 1)
}

/// The Float, where no allocation is needed: the reverse of [`flonum`].
pub const fn small_float(number: f64) -> Option<VALUE> {
    let bits = number.to_bits();
    // The three bits below the sign tell the exponents that fit; one pattern stands for 0.0 instead.
    match (bits >> 60) & 7 {
        3 | 4 if bits != 0x3000_0000_0000_0000 => Some((bits.rotate_left(3) & !3) | 2),
        _ if bits == 0 => Some(0x8000_0000_0000_0002),
        _ => None,
    }
}

pub const fn boolean(truth: bool) -> VALUE {
    if truth { TRUE } else { FALSE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_without_allocation_come_back_bit_for_bit() {
        for number in [0.0, 1.0, -1.0, 0.1, 1e70, -1e-70, f64::MAX.sqrt()] {
            if let Some(value) = small_float(number) {
                assert_eq!(flonum(value).to_bits(), number.to_bits());
            }
        }
        assert_eq!(small_float(-0.0), None);
        assert_eq!(small_float(f64::NAN), None);
        assert!(small_float(0.1).is_some());
    }

    #[test]
    fn leading_numbers_end_where_another_value_begins() {
        for length in [0, 1, GROUP - 1, GROUP, GROUP + 1, 3 * GROUP] {
            let numbers: Vec<f64> = (0..length).map(|i| i as f64 * 0.5).collect();
            let mut values: Vec<VALUE> = numbers.iter().filter_map(|n| small_float(*n)).collect();
            values.push(NIL);
            values.extend(fixnum(3));
            let mut bits = Vec::new();
            assert_eq!(leading_floats(&values, &mut bits), length);
            assert_eq!(bits, numbers.iter().map(|n| n.to_bits() as i64).collect::<Vec<_>>());
            assert_eq!(leading_integers(&values[length + 1..], &mut bits), 1);
            assert_eq!(bits[length], 3);
        }
    }

    #[test]
    fn integers_of_62_bits_need_no_allocation() {
        assert_eq!(fixnum(-1), Some(VALUE::MAX));
        assert_eq!(fixnum(1 << 61), Some((1 << 62) | 1));
        assert_eq!(fixnum(1 << 62), None);
    }
}
