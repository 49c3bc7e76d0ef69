//! Results that are `Ikra::Column`s: the memory of the run becomes theirs, and no item is made.

use crate::reading::base::Snapshot;
use crate::vm::column::{self, Column as Object};
use crate::vm::errors::Trouble;
use crate::writing::decoder::Decoder;
use ikra_core::error::Error;
use ikra_core::fallible::{self, NoMemory};
use ikra_core::heap::{Column, TypedArray};
use ikra_core::ir::{BufferKind, Part};
use ikra_core::types::{ItemType, Type, TypeSet};
use magnus::{Value, prelude::*};

/// Is there a column, or are there columns side by side, for such values?
pub fn holds(types: &TypeSet) -> bool {
    match types.single() {
        Some(Type::Tuple(parts)) => {
            !parts.is_empty() && parts.iter().all(|part| ItemType::of_types(part).is_some())
        }
        // No element has given any.
        _ => types.is_empty() || ItemType::of_types(types).is_some(),
    }
}

/// What the block gave: a column, or for arrays an Array of columns, one for each of their items.
pub fn results(decoder: Decoder<'_>) -> Result<Value, Trouble> {
    let types = &decoder.schema().result;
    let lost = || Error::Internal("a column of results is lost".into());
    let Some(Type::Tuple(parts)) = types.single() else {
        let column = decoder.buffer(&BufferKind::Result(Part::Payload)).ok_or_else(lost)?;
        return Ok(wrap(decoder, TypedArray::new(column.clone())));
    };
    let Some(Column::I64(words)) = decoder.buffer(&BufferKind::ResultWords) else { return Err(lost().into()) };
    let count = decoder.heap.length;
    let columns = decoder.ruby.ary_new();
    for (number, part) in parts.iter().enumerate() {
        let words = words.get(number * count..(number + 1) * count).ok_or_else(lost)?;
        columns.push(wrap(decoder, of_words(words, ItemType::of_types(part).ok_or_else(lost)?)?))?;
    }
    Ok(columns.as_value())
}

fn of_words(words: &[i64], ty: ItemType) -> Result<TypedArray, NoMemory> {
    match ty {
        ItemType::Bool => {
            Ok(TypedArray::new(Column::Bool(fallible::collect(words.iter().map(|word| *word as u8))?)))
        }
        // Bits are bits.
        _ => TypedArray::of_bytes(ty, bytemuck::cast_slice(words)),
    }
}

/// What is left of a column of the base.
pub fn selected(
    decoder: Decoder<'_>,
    snapshot: &Snapshot,
    rows: Option<&[i32]>,
) -> Result<Value, Trouble> {
    let array = match rows {
        Some(rows) => snapshot.array.gather(rows, snapshot.rows.start)?,
        None => snapshot.array.copy(snapshot.rows.clone())?,
    };
    Ok(wrap(decoder, array))
}

fn wrap(decoder: Decoder<'_>, array: TypedArray) -> Value {
    column::wrap(decoder.ruby, Object::whole(decoder.ruby, array))
}
