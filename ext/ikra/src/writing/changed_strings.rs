//! Strings that were there before the section and that it has changed: each gets its new bytes, and stays the object that it
//! is. All that may raise is done before: the new bytes are those of a String of their own, which is then taken over.

use crate::reading::strings::{Text, bytes};
use crate::vm::errors::Trouble;
use crate::vm::value::{self, Decoded, decode};
use crate::writing::decoder::Decoder;
use crate::writing::exceptions;
use crate::writing::strings;
use ikra_core::error::Error;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::Schema;
use ikra_core::infer::{STRING_FROZEN, WORDS};
use ikra_core::types::{ClassId, HierarchyId, Type};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Value, prelude::*};
use rb_sys::VALUE;

/// What Strings are to be, and what they are. All are in `Pinned`.
#[derive(Default)]
pub struct Changed(Vec<Change>);

struct Change {
    string: VALUE,
    now: VALUE,
    before: VALUE,
}

/// What has been written; dropped, it is what it was before.
pub struct Written(Vec<Change>);

impl Written {
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        for Change { string, before, .. } in &self.0 {
            // If there is no memory for what it held there is nothing to be done.
            let _ = replace(*string, *before);
        }
    }
}

/// Gives a String what another one holds.
pub fn replace(string: VALUE, with: VALUE) -> Result<(), Trouble> {
    // SAFETY: both are kept alive by `Pinned`; what is raised ends in `protect`.
    protect(|| unsafe { rb_sys::rb_str_replace(string, with) })?;
    Ok(())
}

impl Changed {
    /// Gives the Strings their bytes.
    pub fn write(self) -> Result<Written, Trouble> {
        let mut written = Written(Vec::new());
        fallible::reserve(&mut written.0, self.0.len())?;
        for change in self.0 {
            faults::point("writing a String that has changed")?;
            let (string, now) = (change.string, change.now);
            written.0.push(change);
            replace(string, now)?;
        }
        Ok(written)
    }
}

/// Does the section change Strings that were there before it?
pub fn is_needed(schema: &Schema) -> bool {
    let words = schema.columns.iter().find(|column| column.name == WORDS);
    let kind = words.and_then(|words| words.stored.types.single());
    // Whatever changes a String, its words are among what may.
    kind.is_some_and(|kind| schema.arrays.iter().any(|array| *kind == Type::Array(array.kind) && array.grows))
}

/// A String as it is now in the section, in place of itself: what a message tells.
pub fn told(decoder: Decoder<'_>, object: Value, hierarchy: HierarchyId, id: i64) -> Result<Value, Trouble> {
    let is_string = object.class().as_raw() == decoder.ruby.class_string().as_raw();
    if !is_string || !is_needed(decoder.schema()) {
        return Ok(object);
    }
    let now = text_now(decoder, (hierarchy, id as usize), object.as_raw())?;
    // SAFETY: `Pinned` keeps it alive.
    Ok(now.map_or(object, |now| unsafe { Value::from_raw(now) }))
}

/// Makes what Strings are to hold, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Changed, Trouble> {
    let mut changed = Changed::default();
    if !is_needed(decoder.schema()) {
        return Ok(changed);
    }
    let (hierarchy, place) = decoder.heap.pool.place(ClassId::STRING);
    let first = decoder.heap.ids.base(hierarchy, place) as usize;
    let all = decoder.pinned.objects(ClassId::STRING);
    for (number, string) in all.iter().copied().enumerate() {
        let Some(now) = text_now(decoder, (hierarchy, first + number), string)? else { continue };
        // SAFETY: `Pinned` keeps it alive.
        let before = protect(|| unsafe { rb_sys::rb_str_dup(string) })?;
        decoder.pinned.hold(before)?;
        fallible::push(&mut changed.0, Change { string, now, before })?;
    }
    Ok(changed)
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
    let is_same_text = || {
        let (full, rest) = held.as_chunks::<8>();
        full.iter().zip(words).all(|(held, word)| i64::from_le_bytes(*held) == *word)
            && words.get(full.len()).is_some_and(|word| word.to_le_bytes()[..rest.len()] == *rest)
    };
    if held.len() == size && encoding & (STRING_FROZEN - 1) == encoding_now && is_same_text() {
        return Ok(None);
    }
    // SAFETY: as above.
    if unsafe { value::frozen(string) } {
        // SAFETY: as above.
        let object = unsafe { Value::from_raw(string) };
        return Err(Trouble::Raised(exceptions::frozen(decoder.ruby, object)));
    }
    if words.len() * 8 < size {
        return Err(Error::Internal("a String has lost its words".into()).into());
    }
    let now = strings::make_of_words(words, size, encoding_now)?;
    decoder.pinned.hold(now)?;
    Ok(Some(now))
}
