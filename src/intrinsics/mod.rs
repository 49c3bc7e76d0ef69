//! Functions that compiled code calls where it runs on the host: what they do with bytes and numbers is written once in Rust,
//! so that nobody waits for its inference and compilation. The same stands in the Ruby of [`crate::builtins`] for GPUs; what
//! both give is the same.
//!
//! A text is words of memory from a row on: eight bytes a word, the first one lowest. One that is written is a String that
//! the section has made ([`made`]), in scratch memory. Callers promise that the numbers that they give are within texts.

mod bytes;
mod characters;
mod decimal;
mod made;
mod numbers;

use crate::ir::Interval;

/// See the module's text. Sizes, indexes and counts are of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Intrinsic {
    /// Of two texts, by an index in each and a count: are these bytes the same (0 or 1)?
    SameBytes,
    /// Of two texts, by their sizes and an index: where the bytes of the second one stand first in the first, from the
    /// index on; or -1.
    IndexBytes,
    /// The same, where they stand last, at the index or before it.
    LastIndexBytes,
    /// The order of two texts by their sizes: -1, 0 or 1.
    CompareBytes,
    /// Of a text by its size: [`crate::heap::hashing::of_bytes`].
    HashBytes,
    /// Of a text by its size: is all of it ASCII (0 or 1)?
    IsAscii,
    /// Of a text in UTF-8 by its size: is it valid (0 or 1)?
    IsValid,
    /// How many characters of UTF-8 there are from an index to another one, of a text of a size. What is no part of a
    /// character counts as one.
    Characters,
    /// The index behind so many characters from an index on, of a text of a size; or -1.
    SkipCharacters,
    /// The bits of the Float that digits stand for, by the indexes that the Ruby of `__scan_decimal` has.
    ScanFloat,
    /// Puts bytes of a text, from an index on and so many, behind those of a made String.
    Append,
    /// Puts the digits of an Integer behind a made String.
    PushInteger,
    /// Puts what `to_s` of a Float by its bits gives behind a made String.
    PushFloat,
    /// Puts what `format` makes of a Float by its bits behind a made String: the directive, whether it has a `#`, and the
    /// precision.
    PushFormatted,
}

/// Texts and numbers that one takes, and what it is called.
struct Signature {
    name: &'static str,
    symbol: &'static str,
    texts: usize,
    args: usize,
    address: *const u8,
}

impl Intrinsic {
    pub const ALL: [Self; 14] = [
        Self::SameBytes,
        Self::IndexBytes,
        Self::LastIndexBytes,
        Self::CompareBytes,
        Self::HashBytes,
        Self::IsAscii,
        Self::IsValid,
        Self::Characters,
        Self::SkipCharacters,
        Self::ScanFloat,
        Self::Append,
        Self::PushInteger,
        Self::PushFloat,
        Self::PushFormatted,
    ];

    fn signature(self) -> Signature {
        let signature =
            |name, symbol, (texts, args), address| Signature { name, symbol, texts, args, address };
        match self {
            Self::SameBytes => signature("same_bytes", "ikra_same_bytes", (2, 3), bytes::same as *const u8),
            Self::IndexBytes => {
                signature("index_bytes", "ikra_index_bytes", (2, 3), bytes::index as *const u8)
            }
            Self::LastIndexBytes => {
                signature("last_index_bytes", "ikra_last_index_bytes", (2, 3), bytes::last_index as *const u8)
            }
            Self::CompareBytes => {
                signature("compare_bytes", "ikra_compare_bytes", (2, 2), bytes::compare as *const u8)
            }
            Self::HashBytes => signature("hash_bytes", "ikra_hash_bytes", (1, 1), bytes::hash as *const u8),
            Self::IsAscii => signature("is_ascii", "ikra_is_ascii", (1, 1), bytes::is_ascii as *const u8),
            Self::IsValid => {
                signature("is_valid", "ikra_is_valid", (1, 1), characters::is_valid as *const u8)
            }
            Self::Characters => {
                signature("characters", "ikra_characters", (1, 3), characters::count as *const u8)
            }
            Self::SkipCharacters => {
                signature("skip_characters", "ikra_skip_characters", (1, 3), characters::skip as *const u8)
            }
            Self::ScanFloat => {
                signature("scan_float", "ikra_scan_float", (1, 5), numbers::scan_float as *const u8)
            }
            Self::Append => signature("append", "ikra_append_bytes", (2, 3), bytes::append as *const u8),
            Self::PushInteger => {
                signature("push_integer", "ikra_push_integer", (1, 2), numbers::push_integer as *const u8)
            }
            Self::PushFloat => {
                signature("push_float", "ikra_push_float", (1, 2), numbers::push_float as *const u8)
            }
            Self::PushFormatted => signature(
                "push_formatted",
                "ikra_push_formatted",
                (1, 5),
                decimal::push_formatted as *const u8,
            ),
        }
    }

    /// As the text of the IR has it.
    pub fn name(self) -> &'static str {
        self.signature().name
    }

    /// As machine code has it.
    pub fn symbol(self) -> &'static str {
        self.signature().symbol
    }

    /// The function: it takes the address of each text (`*const i64`, or `*mut i64` of what it writes), then the numbers
    /// (`i64`), and gives one.
    pub fn address(self) -> *const u8 {
        self.signature().address
    }

    /// How many texts it takes.
    pub fn texts(self) -> usize {
        self.signature().texts
    }

    /// How many numbers it takes.
    pub fn args(self) -> usize {
        self.signature().args
    }

    /// Does it write its first text? That is all scratch memory then, in which the first number is the row of a made String,
    /// which has the room.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Append | Self::PushInteger | Self::PushFloat | Self::PushFormatted)
    }

    /// What is known of what it gives.
    pub const fn gives(self) -> Interval {
        match self {
            Self::SameBytes | Self::IsAscii | Self::IsValid => Interval { low: 0, high: 1 },
            Self::CompareBytes => Interval { low: -1, high: 1 },
            Self::IndexBytes | Self::LastIndexBytes | Self::SkipCharacters => {
                Interval { low: -1, high: i32::MAX as i64 }
            }
            Self::Characters => Interval::INDEX,
            Self::HashBytes
            | Self::ScanFloat
            | Self::Append
            | Self::PushInteger
            | Self::PushFloat
            | Self::PushFormatted => Interval::FULL,
        }
    }
}

/// So many bytes of a text.
///
/// # Safety
/// They are there, and nobody changes them as long as they are looked at.
unsafe fn text<'a>(words: *const i64, size: i64) -> &'a [u8] {
    // SAFETY: as said.
    unsafe { std::slice::from_raw_parts(words.cast(), usize::try_from(size).unwrap_or(0)) }
}
