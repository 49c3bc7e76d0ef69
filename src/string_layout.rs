//! How Strings lie in memory. One that was there before the section is a row of columns and an array of words; one that
//! the section makes is a header in scratch memory, and words.
//!
//! In both, eight bytes are a word, the first one lowest, and what is behind the last byte of the last word is zeros: so
//! Strings are compared, hashed and copied word by word. Of a String from before the section there is one word more than
//! full ones; that of a made one has room for one word more than it needs.

/// The words of the header of a made String: its class first.
pub const CLASS: i64 = 0;
pub const SIZE: i64 = 1;
/// For so many bytes there is room.
pub const ROOM: i64 = 2;
/// The word that its bytes begin with.
pub const START: i64 = 3;
/// The encoding, whether it is frozen, and whether it is known to be ASCII.
pub const FLAGS: i64 = 4;
pub const HEADER: i64 = 5;
/// The upper half of the flags, of one that has a row: the number of that, from 1.
pub const ROW: i64 = 32;
/// The flag of a frozen one; the encoding is below.
pub const STRING_FROZEN: i64 = 4;
/// The flag of the copy that a Hash takes as its key: Ruby has one such String of each text.
pub const STRING_INTERNED: i64 = 8;
/// The flag of one whose bytes are known to be ASCII, also in the column of encodings. What changes bytes maintains it;
/// where it is not set, bytes have to be looked at.
pub const STRING_ASCII: i64 = 16;
/// The columns of what is known of a String from before the section.
pub const BYTESIZE: &str = "#bytesize";
pub const ENCODING: &str = "#encoding";
pub const WORDS: &str = "#words";

/// Encodings, by what they are known as here; Strings of others are only handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    UsAscii,
    Binary,
}

/// The row of a made String with these flags, if it has one.
pub const fn row_of_string(flags: i64) -> Option<i64> {
    let row = flags >> ROW;
    if row > 0 { Some(row - 1) } else { None }
}

/// Words of a String of so many bytes that was there before the section.
pub const fn words_outside(bytes: usize) -> usize {
    bytes / 8 + 1
}

/// The bytes and flags of a String that begins at a word of this scratch memory.
pub fn string_in(memory: &[i64], start: i64) -> Option<(Vec<u8>, i64)> {
    let field = |at: i64| memory.get(usize::try_from(start + at).ok()?).copied();
    let (size, first) = (usize::try_from(field(SIZE)?).ok()?, usize::try_from(field(START)?).ok()?);
    let words = memory.get(first..first.checked_add(size.div_ceil(8))?)?;
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take(size).collect();
    Some((bytes, field(FLAGS)?))
}

/// The words of such a String: its header, and its bytes behind it.
pub fn words_of_made(memory: &[i64], start: i64) -> Option<Vec<i64>> {
    let from = usize::try_from(start).ok()?;
    let header = memory.get(from..from.checked_add(HEADER as usize)?)?;
    let [size, first] = [SIZE, START].map(|field| usize::try_from(header[field as usize]).ok());
    let (size, first) = (size?, first?);
    let bytes = memory.get(first..first.checked_add(size.div_ceil(8))?)?;
    Some([header, bytes].concat())
}
