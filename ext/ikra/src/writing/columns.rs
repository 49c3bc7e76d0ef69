//! Results that are `Ikra::Column`s, and columns that were written: no item is made. Results of `pmap` are in the
//! buffer as the Column has them, so that the buffer becomes its memory; a `pselect` gathers. What the block gives must
//! be of one class that a column has, or arrays of such, which is known before it runs (`column-result`). What comes of
//! an Enumerator of a Column is an Array, as in Ruby.
//!
//! A buffer that is shared is kept by the store as it is, and its copy is written; that is the copy that is made of
//! each column that will change anyway. In the end the copy becomes the memory of the Column, if it is all of one
//! memory in the type that it has there; else it is converted or copied. All that is made before anything is written,
//! and what remains is to replace a reference. If another thread has written the Column meanwhile, only the rows that
//! the section has changed are taken over.

use crate::reading::base::{Base, Snapshot, Source};
use crate::vm::column::{self, Column as Object, Memory};
use crate::vm::errors::Trouble;
use crate::vm::gvl;
use crate::vm::value::{self, Decoded};
use crate::writing::decoder::Decoder;
use crate::writing::exceptions;
use ikra_core::backend::collectives::whole;
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::shared::Done;
use ikra_core::heap::{Column, Numbers as View, Shared, TypedArray, Work};
use ikra_core::ir::{BufferKind, KernelId, Part};
use ikra_core::scalar::Ty;
use ikra_core::types::{ArrayKind, ItemType, Type, TypeSet};
use magnus::rb_sys::FromRawValue;
use magnus::{RArray, Ruby, Value, prelude::*};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
        let column = decoder.buffer(&BufferKind::Result(KernelId(0), Part::Payload)).ok_or_else(lost)?;
        return Ok(wrap(decoder, TypedArray::new(column.clone())));
    };
    let Some(Column::I64(words)) = decoder.buffer(&BufferKind::ResultWords) else {
        return Err(lost().into());
    };
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
pub fn selected(decoder: Decoder<'_>, snapshot: &Snapshot, rows: Option<&[i32]>) -> Result<Value, Trouble> {
    let array = match rows {
        Some(rows) => snapshot.array.gather(rows, snapshot.rows.start)?,
        None => snapshot.array.copy(snapshot.rows.clone())?,
    };
    Ok(wrap(decoder, array))
}

/// The flags of the elements that are chosen, where a device has been left with them.
pub fn flags(decoder: Decoder<'_>) -> Option<&Arc<Shared>> {
    match decoder.buffer(&BufferKind::Result(KernelId(0), Part::Payload)) {
        Some(Column::Shared(flags)) if flags.ty() == Ty::Bool && !flags.is_home() => Some(flags),
        _ => None,
    }
}

/// The items of the columns of a base whose flag is set.
pub fn chosen(decoder: Decoder<'_>, base: &Base, flags: &Arc<Shared>) -> Result<RArray, Trouble> {
    let columns = decoder.ruby.ary_new();
    for source in &base.columns {
        let Source::Memory(Snapshot { array, rows }) = source else {
            return Err(Error::Internal("a column is no array".into()).into());
        };
        let numbers = array.column(rows.clone())?;
        let there = match (&numbers, flags.copy()) {
            (Column::Shared(numbers), Some(copy)) => carry_out(decoder.ruby, numbers, Work::Choose(&*copy))?,
            _ => None,
        };
        let chosen = match there {
            Some(done) => done.column(array.ty().run_type().unwrap_or(Ty::F64)),
            None => None,
        };
        let chosen = match chosen {
            Some(chosen) => TypedArray::new(chosen),
            None => {
                numbers.home()?;
                let chosen = whole::chosen(&numbers, flags.home()?)?;
                TypedArray::of_column(array.ty(), &chosen, 0..chosen.len())?
            }
        };
        columns.push(wrap(decoder, chosen))?;
    }
    Ok(columns)
}

/// Has a device do it, if one has the numbers.
pub fn carry_out(ruby: &Ruby, numbers: &Shared, work: Work<'_>) -> Result<Option<Done>, Trouble> {
    if numbers.copy().is_none() {
        return Ok(None);
    }
    let interrupt = AtomicBool::new(false);
    let done = gvl::without_gvl(ruby, &interrupt, || numbers.carry_out(work));
    Ok(done.transpose().map_err(Trouble::Panic)?.transpose()?.flatten())
}

/// The numbers of a column in their order, as a new one; `None` where they have none that these say.
pub fn sorted(ruby: &Ruby, column: &Object) -> Result<Option<TypedArray>, Trouble> {
    let array = column.memory.snapshot();
    let numbers = array.column(column.rows())?;
    if let Column::Shared(shared) = &numbers
        && let Some(done) = carry_out(ruby, shared, Work::Sort)?
    {
        return Ok(done.column(shared.ty()).map(TypedArray::new));
    }
    numbers.home()?;
    let Some(sorted) = whole::sorted(&numbers)? else { return Ok(None) };
    Ok(Some(TypedArray::of_column(column.ty, &sorted, 0..sorted.len())?))
}

/// The sums of a column's numbers up to each, as a new one; `None` where they are not such as a column holds.
pub fn scan(ruby: &Ruby, column: &Object, first: Decoded) -> Result<Option<TypedArray>, Trouble> {
    let numbers = column.memory.snapshot().column(column.rows())?;
    let first_integer = match first {
        Decoded::Nil => Some(0),
        Decoded::Integer(first) => Some(first),
        _ => None,
    };
    if let (Column::Shared(shared), Some(first)) = (&numbers, first_integer)
        && let Some(done) = carry_out(ruby, shared, Work::Scan { first })?
    {
        return Ok(done.column(Ty::I64).map(TypedArray::new));
    }
    numbers.home()?;
    let sums = match (numbers.numbers(), first) {
        (View::F64(all), Decoded::Nil) => Some(whole::scan_floats(all, None)?),
        (View::F64(all), Decoded::Integer(first)) => Some(whole::scan_floats(all, Some(first as f64))?),
        (View::F64(all), Decoded::Float(first)) => Some(whole::scan_floats(all, Some(first))?),
        _ => match first_integer {
            Some(first) => whole::scan(&numbers, first)?,
            None => None,
        },
    };
    Ok(sums.map(TypedArray::new))
}

/// The memory of columns that have changed, and what it is to hold.
pub struct Changed<'a>(Vec<(&'a Memory, TypedArray)>);

/// Makes all that is to be written into columns, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Changed<'_>, Trouble> {
    let mut changed = Vec::new();
    for schema in decoder.schema().arrays.iter().filter(|array| array.written) {
        let Some(shares) = decoder.heap.memories.get(schema.kind.0 as usize) else { continue };
        let kind = BufferKind::ArrayValues(schema.kind, Part::Payload);
        let (Some(now), Some(before)) = (decoder.buffer(&kind), decoder.before(&kind)) else { continue };
        for share in shares {
            faults::point("writing a column")?;
            let rows = share.offset..share.offset + share.array.len();
            let ty = share.array.ty();
            let held = share.memory.snapshot();
            let becomes_it =
                held.is_same(&share.array) && ty.run_type() == Some(now.ty()) && rows == (0..now.len());
            // What is on a device is not fetched to be compared, if it does not matter.
            if !(now.is_away() && becomes_it && !is_some_frozen(decoder, schema.kind)) {
                now.home()?;
                before.home()?;
                if now.same_in(before, rows.clone()) {
                    continue;
                }
                if let Some(frozen) = frozen_now(decoder, schema.kind, (now, before), &rows) {
                    return Err(Trouble::Raised(exceptions::frozen(decoder.ruby, frozen)));
                }
            }
            let array = match held.is_same(&share.array) {
                true if becomes_it => TypedArray::new(now.clone()),
                true => TypedArray::of_column(ty, now, rows)?,
                // Another thread has written other items meanwhile.
                false => {
                    let mut merged = held;
                    merged.home()?;
                    for row in rows.clone().filter(|row| now.bits(*row) != before.bits(*row)) {
                        let item = TypedArray::of_column(ty, now, row..row + 1)?.get(0);
                        merged.set(row - rows.start, item)?;
                    }
                    merged
                }
            };
            changed.push((&*share.memory, array));
        }
    }
    Ok(Changed(changed))
}

fn is_some_frozen(decoder: Decoder<'_>, kind: ArrayKind) -> bool {
    // SAFETY: `Pinned` keeps the columns alive.
    decoder.pinned.arrays(kind.0).iter().any(|column| unsafe { value::frozen(*column) })
}

/// A column that was frozen while the section ran, and through which alone these rows can have been written.
fn frozen_now(
    decoder: Decoder<'_>,
    kind: ArrayKind,
    (now, before): (&Column, &Column),
    rows: &Range<usize>,
) -> Option<Value> {
    let columns = decoder.pinned.arrays(kind.0);
    let spans = &decoder.heap.spans[kind.0 as usize];
    // SAFETY: `Pinned` keeps the columns alive.
    let (frozen, free): (Vec<_>, Vec<_>) =
        columns.iter().zip(spans).partition(|(column, _)| unsafe { value::frozen(**column) });
    let covers =
        |(start, length): (u32, u32), row: usize| (start as usize..(start + length) as usize).contains(&row);
    let (column, _) = frozen.into_iter().find(|(_, span)| {
        let (start, length) = **span;
        let span_rows = (start as usize).max(rows.start)..((start + length) as usize).min(rows.end);
        span_rows
            .into_iter()
            .any(|row| now.bits(row) != before.bits(row) && !free.iter().any(|(_, free)| covers(**free, row)))
    })?;
    // SAFETY: as above.
    Some(unsafe { Value::from_raw(*column) })
}

/// Takes no memory, and cannot fail.
pub fn write(changed: Changed<'_>) {
    for (memory, array) in changed.0 {
        *memory.array() = array;
    }
}

fn wrap(decoder: Decoder<'_>, array: TypedArray) -> Value {
    column::wrap(decoder.ruby, Object::whole(decoder.ruby, array))
}
