//! Integers beyond 64 bits, as sections have them: Strings of words in two's complement, the lowest byte first.

use magnus::Error;
use magnus::rb_sys::protect;
use rb_sys::VALUE;
use std::ffi::c_int;

const WORD: usize = 8;
const FLAGS: c_int = (rb_sys::INTEGER_PACK_LITTLE_ENDIAN | rb_sys::INTEGER_PACK_2COMP) as c_int;

/// The Integer that words are, which are the bytes of a String.
pub fn of_words(words: VALUE) -> Result<VALUE, Error> {
    // SAFETY: the String is live and nobody changes it; what is raised ends in `protect`.
    protect(|| unsafe {
        let (bytes, size) = (rb_sys::RSTRING_PTR(words), rb_sys::RSTRING_LEN(words) as usize);
        rb_sys::rb_integer_unpack(bytes.cast(), (size / WORD) as _, WORD as _, 0, FLAGS)
    })
}

/// The Integer of two words.
pub fn of_two_words(low: i64, high: i64) -> Result<VALUE, Error> {
    let words = [low, high];
    // SAFETY: the words live while they are read; what is raised ends in `protect`.
    protect(|| unsafe { rb_sys::rb_integer_unpack(words.as_ptr().cast(), 2, WORD as _, 0, FLAGS) })
}

/// An Integer of more than 64 bits, and of at most 128.
pub fn wide(integer: VALUE) -> Option<i128> {
    use rb_sys::ruby_value_type::RUBY_T_BIGNUM;
    // SAFETY: what is no special constant is a live heap object, whose type is asked first; two words are written, and a
    // bignum converts without calling methods.
    let (sign, [low, high]) = unsafe {
        if rb_sys::SPECIAL_CONST_P(integer) || rb_sys::RB_BUILTIN_TYPE(integer) != RUBY_T_BIGNUM {
            return None;
        }
        let mut words = [0i64; 2];
        let sign = rb_sys::rb_integer_pack(integer, words.as_mut_ptr().cast(), 2, WORD as _, 0, FLAGS);
        (sign, words.map(i64::from_le))
    };
    let fits = sign.abs() <= 1 && (sign < 0) == (high < 0);
    let is_word = high == low >> 63;
    (fits && !is_word).then_some((i128::from(high) << 64) | i128::from(low as u64))
}

/// A new String of the words of an Integer: as few as hold it and its sign.
pub fn words(integer: VALUE) -> Result<VALUE, Error> {
    // SAFETY: the Integer is live, and the String has as many bytes as are written; what is raised ends in `protect`.
    protect(|| unsafe {
        // Of the size without the sign, for which there is a bit more.
        let mut unused: c_int = 0;
        let bytes = rb_sys::rb_absint_size(integer, &raw mut unused) as usize;
        let size = (bytes + usize::from(unused == 0)).next_multiple_of(WORD);
        let words = rb_sys::rb_str_new(std::ptr::null(), size as _);
        rb_sys::rb_integer_pack(
            integer,
            rb_sys::RSTRING_PTR(words).cast_mut().cast(),
            (size / WORD) as _,
            WORD as _,
            0,
            FLAGS,
        );
        // The least number of a size has one bit less than its size tells.
        let all = std::slice::from_raw_parts(rb_sys::RSTRING_PTR(words).cast::<i64>(), size / WORD);
        if let [.., before, last] = all
            && *last == *before >> 63
        {
            rb_sys::rb_str_set_len(words, (size - WORD) as _);
        }
        words
    })
}
