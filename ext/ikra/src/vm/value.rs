//! Ruby values to numbers and back: the inner loop of tracing and of copy-back, so immediates are decoded inline.

use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{RString, Ruby, Symbol, Value};
use rb_sys::{ID, VALUE};
use std::sync::OnceLock;

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
    let exponent = 2 - (value >> 63);
    let bits = (exponent | (value & !3)).rotate_right(3);
    // Without a branch.
    f64::from_bits(bits & ((value == ZERO) as u64).wrapping_sub(1))
}

/// Is it an Integer or a Float that needs no heap?
#[inline]
pub const fn is_number(value: VALUE) -> bool {
    value & 3 != 0
}

#[inline]
pub const fn is_fixnum(value: VALUE) -> bool {
    value & 1 == 1
}

#[inline]
pub const fn is_flonum(value: VALUE) -> bool {
    value & 3 == 2
}

/// The number in a fixnum.
#[inline]
pub const fn fixnum_value(value: VALUE) -> i64 {
    value as i64 >> 1
}

/// The bits of the Float in a flonum.
#[inline]
pub const fn flonum_bits(value: VALUE) -> i64 {
    flonum(value).to_bits() as i64
}

/// Makes of words that are all Floats their bits, or of words that are all Integers their numbers; false: they are not,
/// and what is there then has no meaning.
pub fn decode_all(words: &mut [i64], are_floats: bool) -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has it.
        return unsafe { decode_wide(words, are_floats) };
    }
    decode_words(words, are_floats)
}

/// The same with registers of four words.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx2")]
fn decode_wide(words: &mut [i64], are_floats: bool) -> bool {
    decode_words(words, are_floats)
}

#[inline(always)]
fn decode_words(words: &mut [i64], are_floats: bool) -> bool {
    let mut others = 0;
    if are_floats {
        for word in words {
            let value = *word as VALUE;
            others |= (value & 3) ^ 2;
            *word = flonum_bits(value);
        }
    } else {
        for word in words {
            let value = *word as VALUE;
            others |= (value & 1) ^ 1;
            *word = fixnum_value(value);
        }
    }
    others == 0
}

/// The number in a Float that is on the heap. Only reads the object, so any thread may ask while Ruby does not run.
///
/// SAFETY: `value` must be a live heap object of the class Float.
pub unsafe fn heap_float(value: VALUE) -> f64 {
    // SAFETY: as the caller says.
    unsafe { rb_sys::rb_float_value(value) }
}

/// The items of an Array. Only reads the object, so any thread may ask while Ruby does not run.
///
/// SAFETY: `array` must be a live Array, and the items are to be used only until Ruby runs.
#[inline]
pub unsafe fn items<'a>(array: VALUE) -> &'a [VALUE] {
    // SAFETY: as the caller says. What is empty may have no memory.
    unsafe {
        match rb_sys::RARRAY_LEN(array) {
            0 => &[],
            length => std::slice::from_raw_parts(rb_sys::RARRAY_CONST_PTR(array), length as usize),
        }
    }
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
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(pointer.cast());
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
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

/// Is it a String that is not frozen, of which `Hash#[]=` would take a frozen copy?
///
/// SAFETY: `value` must be a live object or an immediate.
#[inline]
pub unsafe fn is_copied_as_key(value: VALUE) -> bool {
    // SAFETY: the caller's; a heap object begins with an RBasic.
    unsafe {
        !frozen(value) && {
            let flags = (*(value as *const rb_sys::RBasic)).flags;
            flags & rb_sys::ruby_value_type::RUBY_T_MASK as VALUE
                == rb_sys::ruby_value_type::RUBY_T_STRING as VALUE
        }
    }
}

/// Puts a pair into a Hash that has no such key. The key stays the object that it is, as in `tally`.
///
/// SAFETY: all must be live, and what is raised must end in `protect`.
pub unsafe fn put_pair(hash: VALUE, key: VALUE, value: VALUE) {
    unsafe extern "C" fn given(_: VALUE, _: VALUE, given: VALUE) -> VALUE {
        given
    }
    // SAFETY: the caller's. By identity keys are not copied, nor are they when one Hash takes the pairs of another by a
    // function.
    unsafe {
        if !is_copied_as_key(key) {
            rb_sys::rb_hash_aset(hash, key, value);
            return;
        }
        let name = rb_sys::rb_intern(c"compare_by_identity".as_ptr());
        let pair = rb_sys::rb_funcallv(rb_sys::rb_hash_new(), name, 0, std::ptr::null());
        rb_sys::rb_hash_aset(pair, key, value);
        rb_sys::rb_hash_update_by(hash, pair, Some(given));
    }
}

/// The Symbol of a name that is interned.
pub fn symbol_of(id: ID) -> VALUE {
    // SAFETY: IDs come from Ruby and do not die; nor does the Symbol of one.
    unsafe { rb_sys::rb_id2sym(id) }
}

/// The name that an ID stands for.
pub fn name_of(id: ID) -> String {
    name_of_symbol(symbol_of(id))
}

/// The name of a Symbol. No method is called, so nothing is raised.
pub fn name_of_symbol(symbol: VALUE) -> String {
    // SAFETY: the caller keeps the Symbol alive, which keeps its name.
    let name = unsafe { RString::from_value(Value::from_raw(rb_sys::rb_sym2str(symbol))) };
    // SAFETY: nobody changes a Symbol's name.
    name.map_or_else(String::new, |name| unsafe { name.to_string_lossy() }.into_owned())
}

/// The ID of a name.
pub fn intern(_ruby: &Ruby, name: &str) -> ID {
    // Ruby looks at the first byte of an empty name too.
    let start = if name.is_empty() { c"".as_ptr() } else { name.as_ptr().cast() };
    // SAFETY: pointer and length are those of a string; the GVL is held.
    unsafe { rb_sys::rb_intern3(start, name.len() as std::ffi::c_long, rb_sys::rb_utf8_encoding()) }
}

/// A name that code of ours has, which is looked up once: what C code interns stays, and so does its Symbol.
pub struct Name {
    pub text: &'static str,
    known: OnceLock<(ID, VALUE)>,
}

impl Name {
    pub const fn new(text: &'static str) -> Self {
        Self { text, known: OnceLock::new() }
    }

    fn known(&self, ruby: &Ruby) -> (ID, VALUE) {
        *self.known.get_or_init(|| {
            let id = intern(ruby, self.text);
            (id, symbol_of(id))
        })
    }

    pub fn id(&self, ruby: &Ruby) -> ID {
        self.known(ruby).0
    }

    /// Is it what the Symbol says?
    pub fn is(&self, ruby: &Ruby, symbol: Symbol) -> bool {
        self.known(ruby).1 == symbol.as_raw()
    }
}

/// Which of these a Symbol says.
pub fn one_of<T: Copy>(ruby: &Ruby, names: &[(Name, T)], symbol: Symbol) -> Option<T> {
    names.iter().find(|(name, _)| name.is(ruby, symbol)).map(|(_, what)| *what)
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

/// Is it a class or module? The value must be live.
pub fn is_module(value: VALUE) -> bool {
    use rb_sys::ruby_value_type as t;
    // SAFETY: what is no special constant is a live heap object.
    !rb_sys::SPECIAL_CONST_P(value)
        && matches!(unsafe { rb_sys::RB_BUILTIN_TYPE(value) }, t::RUBY_T_CLASS | t::RUBY_T_MODULE)
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
    fn integers_of_62_bits_need_no_allocation() {
        assert_eq!(fixnum(-1), Some(VALUE::MAX));
        assert_eq!(fixnum(1 << 61), Some((1 << 62) | 1));
        assert_eq!(fixnum(1 << 62), None);
    }
}
