//! Functions that compiled code calls. What is done with bytes, characters and digits by the thousand is *intrinsics*
//! where it runs on the host: `Op::Intrinsic` names one function of this folder, the words that texts lie in, and
//! numbers; it gives a number, and may write behind a String that the section has made, whose header is in scratch
//! memory. So `append`, hashes, comparison, `index`, `tr`, `to_s` of numbers or `%.3f` are neither inferred nor
//! compiled, and run at the speed of Rust. Items of lists are moved and copied as words (`words.rs`): `insert`,
//! `delete_at`, parts, `+`. Drivers have intrinsics always, elements where nothing but the CPU can run them: with the
//! back-end `:cpu`, or `:auto` without NVIDIA's driver. That is part of what a version is compiled for
//! (`Kind::elements_on_cpu`); the CUDA back-end refuses them. Ruby's text for the same stays, for GPUs and as the
//! oracle: it asks `__intrinsics?`, which is known while compiling. Strings from before the section that change are
//! written by Ruby's text, as who watches their rows has to know.
//!
//! A text is words of memory from a row on: eight bytes a word, the first one lowest. One that is written is a String
//! that the section has made (`made.rs`), in scratch memory. Callers promise that the numbers that they give are within
//! texts.

mod big_integer;
mod bytes;
mod characters;
mod decimal;
mod made;
mod numbers;
mod sets;
mod words;

use crate::scalar::Interval;
use serde::{Deserialize, Serialize};

/// See the module's text. Sizes, indexes and counts are of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Intrinsic {
    /// Of two texts, by an index in each and a count: are these bytes the same (0 or 1)?
    SameBytes,
    /// Of two texts of one size, by that and the flags of both: are they the same text, in encodings in which they are
    /// (0 or 1)?
    SameText,
    /// Of two texts, by their sizes and an index: where the bytes of the second one stand first in the first, from the
    /// index on; or -1.
    IndexBytes,
    /// The same, where they stand last, at the index or before it.
    LastIndexBytes,
    /// The order of two texts by their sizes: -1, 0 or 1.
    CompareBytes,
    /// Of a text by its size: [`crate::hashing::of_bytes`].
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
    /// Of a text in UTF-8 by its size: how many bytes the character at an index has, 0 where there is none.
    CharacterWidth,
    /// The number of the character at an index that has so many bytes.
    CharacterCode,
    /// How many characters of a text are of a set, by both sizes and the encoding; below 0 for what is wrong ([`sets`]).
    CountSet,
    /// Puts a text behind a made String from its end on, by its size and whether each byte is a character.
    Reverse,
    /// Puts a text of a size there in another case of ASCII: up, down, and whether the first one is a capital.
    Recase,
    /// Puts a character there, by its number.
    PushCode,
    /// Puts there what of a text is not of a set, by both sizes and the encoding; gives what is wrong.
    DeleteSet,
    /// Puts a text there without the characters that are repeated, if a set has them or all do.
    SqueezeSet,
    /// Puts a text there as `tr` has it: sizes, the encoding of all and of the text, whether it squeezes, and
    /// whether a range of one character counts twice.
    Translate,
    /// Of all scratch memory: so many words come to a place from another one, by these three numbers.
    MoveWords,
    /// Puts behind a made String what an operation makes of two Integers of any size, by the sizes of their texts
    /// ([`big_integer`]); 0 where there is no room.
    PushBig,
    /// The same of one such Integer and a number.
    PushBigBy,
    /// What one, or two of them, are asked, by the sizes of their texts and a question.
    AskBig,
    /// Puts there the power of one such Integer with another one, modulo a third, by their sizes.
    PushPowerModulo,
}

/// Texts and numbers that one takes, and what it is called.
struct Signature {
    name: &'static str,
    symbol: &'static str,
    texts: usize,
    args: usize,
    address: *const u8,
}

macro_rules! signature {
    ($name:literal, $texts:literal, $args:literal, $function:expr) => {
        Signature {
            name: $name,
            symbol: concat!("ikra_intrinsic_", $name),
            texts: $texts,
            args: $args,
            address: $function as *const u8,
        }
    };
}

impl Intrinsic {
    pub const ALL: [Self; 29] = [
        Self::SameBytes,
        Self::SameText,
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
        Self::CharacterWidth,
        Self::CharacterCode,
        Self::CountSet,
        Self::Reverse,
        Self::Recase,
        Self::PushCode,
        Self::DeleteSet,
        Self::SqueezeSet,
        Self::Translate,
        Self::MoveWords,
        Self::PushBig,
        Self::PushBigBy,
        Self::AskBig,
        Self::PushPowerModulo,
    ];

    fn signature(self) -> Signature {
        match self {
            Self::SameBytes => signature!("same_bytes", 2, 3, bytes::same),
            Self::SameText => signature!("same_text", 2, 3, bytes::same_text),
            Self::IndexBytes => signature!("index_bytes", 2, 3, bytes::index),
            Self::LastIndexBytes => signature!("last_index_bytes", 2, 3, bytes::last_index),
            Self::CompareBytes => signature!("compare_bytes", 2, 2, bytes::compare),
            Self::HashBytes => signature!("hash_bytes", 1, 1, bytes::hash),
            Self::IsAscii => signature!("is_ascii", 1, 1, bytes::is_ascii),
            Self::IsValid => signature!("is_valid", 1, 1, characters::is_valid),
            Self::Characters => signature!("characters", 1, 3, characters::count),
            Self::SkipCharacters => signature!("skip_characters", 1, 3, characters::skip),
            Self::CharacterWidth => signature!("character_width", 1, 2, characters::width),
            Self::CharacterCode => signature!("character_code", 1, 2, characters::code),
            Self::ScanFloat => signature!("scan_float", 1, 5, numbers::scan_float),
            Self::CountSet => signature!("count_set", 2, 3, sets::count),
            Self::Append => signature!("append", 2, 3, bytes::append),
            Self::PushCode => signature!("push_code", 1, 2, characters::push_code),
            Self::PushInteger => signature!("push_integer", 1, 2, numbers::push_integer),
            Self::PushFloat => signature!("push_float", 1, 2, numbers::push_float),
            Self::PushFormatted => signature!("push_formatted", 1, 5, decimal::push_formatted),
            Self::Reverse => signature!("reverse", 2, 3, characters::reverse),
            Self::Recase => signature!("recase", 2, 5, characters::recase),
            Self::DeleteSet => signature!("delete_set", 3, 4, sets::delete),
            Self::SqueezeSet => signature!("squeeze_set", 3, 6, sets::squeeze),
            Self::Translate => signature!("translate", 4, 8, sets::translate),
            Self::MoveWords => signature!("move_words", 1, 3, words::move_words),
            Self::PushBig => signature!("push_big", 3, 4, big_integer::of_two_numbers),
            Self::PushBigBy => signature!("push_big_by", 2, 4, big_integer::by_number),
            Self::AskBig => signature!("ask_big", 2, 3, big_integer::ask),
            Self::PushPowerModulo => signature!("push_power_modulo", 4, 4, big_integer::power_modulo),
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
    /// which has the room, or that of the words which are written.
    pub const fn writes(self) -> bool {
        matches!(
            self,
            Self::Append
                | Self::PushInteger
                | Self::PushFloat
                | Self::PushFormatted
                | Self::Reverse
                | Self::Recase
                | Self::PushCode
                | Self::DeleteSet
                | Self::SqueezeSet
                | Self::Translate
                | Self::MoveWords
                | Self::PushBig
                | Self::PushBigBy
                | Self::PushPowerModulo
        )
    }

    /// Is it of Integers beyond 64 bits, which no text in Ruby does?
    pub const fn is_of_big_integers(self) -> bool {
        matches!(self, Self::PushBig | Self::PushBigBy | Self::AskBig | Self::PushPowerModulo)
    }

    /// What is known of what it gives.
    pub const fn gives(self) -> Interval {
        match self {
            Self::SameBytes | Self::SameText | Self::IsAscii | Self::IsValid => Interval { low: 0, high: 1 },
            Self::CompareBytes => Interval { low: -1, high: 1 },
            Self::IndexBytes | Self::LastIndexBytes | Self::SkipCharacters => {
                Interval { low: -1, high: i32::MAX as i64 }
            }
            Self::Characters => Interval::INDEX,
            Self::CharacterWidth => Interval { low: 0, high: 4 },
            Self::CharacterCode => Interval { low: 0, high: 0x1f_ffff },
            Self::CountSet => Interval { low: -5, high: i32::MAX as i64 },
            Self::DeleteSet | Self::SqueezeSet | Self::Translate => Interval { low: -5, high: 1 },
            Self::PushBig | Self::PushBigBy | Self::PushPowerModulo => Interval { low: 0, high: 1 },
            Self::HashBytes
            | Self::ScanFloat
            | Self::AskBig
            | Self::Append
            | Self::PushInteger
            | Self::PushFloat
            | Self::PushFormatted
            | Self::Reverse
            | Self::Recase
            | Self::PushCode
            | Self::MoveWords => Interval::FULL,
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
