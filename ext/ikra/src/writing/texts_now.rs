//! What Strings that were there before the section are in it now.

use crate::reading::strings::{Text, bytes};
use crate::vm::errors::Trouble;
use crate::vm::value::{Decoded, decode};
use crate::writing::born;
use crate::writing::decoder::Decoder;
use crate::writing::strings;
use ikra_core::error::Error;
use ikra_core::infer::Inferred;
use ikra_core::string_layout::{STRING_FROZEN, WORDS};
use ikra_core::types::{HierarchyId, Type};
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Value, prelude::*};
use rb_sys::VALUE;

/// Does the section change Strings that were there before it?
pub fn is_needed(inferred: &Inferred) -> bool {
    let schema = &inferred.schema;
    let Some(words) = schema.columns.iter().find(|column| column.name == WORDS) else { return false };
    let kind = words.stored.types.single();
    // Whatever changes a String, its words are among what may. Where what would is never reached, nothing has them.
    kind.is_some_and(|kind| schema.arrays.iter().any(|array| *kind == Type::Array(array.kind) && array.grows))
        && born::has_strings(inferred, words.hierarchy)
}

/// A String as it is now in the section, in place of itself: what a message tells.
pub fn told(decoder: Decoder<'_>, object: Value, hierarchy: HierarchyId, id: i64) -> Result<Value, Trouble> {
    let is_string = object.class().as_raw() == decoder.ruby.class_string().as_raw();
    if !is_string || !is_needed(decoder.inferred) {
        return Ok(object);
    }
    let now = text_now(decoder, (hierarchy, id as usize), object.as_raw())?;
    // SAFETY: `Pinned` keeps it alive.
    Ok(now.map_or(object, |now| unsafe { Value::from_raw(now) }))
}

/// Are these the bytes of a text of so many bytes, in words?
pub fn is_text(bytes: &[u8], (words, size): (&[i64], usize)) -> bool {
    let (full, rest) = bytes.as_chunks::<8>();
    bytes.len() == size
        && full.iter().zip(words).all(|(bytes, word)| i64::from_le_bytes(*bytes) == *word)
        && (rest.is_empty()
            || words.get(full.len()).is_some_and(|word| word.to_le_bytes()[..rest.len()] == *rest))
}

/// A new String of what one that Ruby has is to be, kept alive, where it is another one.
pub fn text_now(
    decoder: Decoder<'_>,
    (hierarchy, row): (HierarchyId, usize),
    string: VALUE,
) -> Result<Option<VALUE>, Trouble> {
    let (words, size, flags) =
        decoder.born.text(decoder.inferred, decoder.heap.store.columns(), hierarchy, row)?;
    // SAFETY: `Pinned` keeps it alive, and nothing runs meanwhile.
    let (held, encoding) = unsafe { (bytes(string), decode(Text::Encoding.of(string))) };
    let encoding_now = flags & (STRING_FROZEN - 1);
    // Of other encodings the section knows nothing.
    let Decoded::Integer(encoding) = encoding else { return Ok(None) };
    if is_text(held, (words, size)) && encoding & (STRING_FROZEN - 1) == encoding_now {
        return Ok(None);
    }
    if words.len() * 8 < size {
        return Err(Error::Internal("a String has lost its words".into()).into());
    }
    let now = strings::make_of_words(words, size, encoding_now)?;
    decoder.pinned.hold(now)?;
    Ok(Some(now))
}
