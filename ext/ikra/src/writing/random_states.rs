//! Generators of random numbers that a section has drawn from: their new states.

use crate::reading::variables::RANDOM_STATE;
use crate::vm::errors::Trouble;
use crate::vm::gvl::insist;
use crate::vm::{random_state, value};
use crate::writing::decoder::Decoder;
use ikra_core::error::Error;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::Column;
use ikra_core::heap::schema::ColumnSchema;
use ikra_core::ir::{BufferKind, Part};
use ikra_core::types::{ArrayKind, Shape};
use rb_sys::VALUE;

/// Randoms that have changed, and what they are to be. Both are in `Pinned`.
pub struct Changed(Vec<(VALUE, VALUE)>);

/// Do the arrays of the kind stand for the states of Randoms?
pub fn is_of_states(decoder: Decoder<'_>, kind: ArrayKind) -> bool {
    decoder.schema().columns.iter().any(|column| kind_of_states(column) == Some(kind))
}

fn kind_of_states(column: &ColumnSchema) -> Option<ArrayKind> {
    match column.stored.types.single_shape()? {
        Shape::Array(kind) if column.name == RANDOM_STATE => Some(kind),
        _ => None,
    }
}

/// Makes all that is to be written into Randoms, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Changed, Trouble> {
    let mut changed = Changed(Vec::new());
    for column in &decoder.schema().columns {
        let Some(kind) = kind_of_states(column) else { continue };
        let values = BufferKind::ArrayValues(kind, Part::Payload);
        let (hierarchy, name) = (column.hierarchy, column.name.clone());
        let states = decoder.buffer(&BufferKind::Column { hierarchy, name, part: Part::Payload });
        let (Some(states), Some(now), Some(before)) =
            (states, decoder.buffer(&values), decoder.before(&values))
        else {
            continue;
        };
        let ids = &decoder.heap.ids;
        for (place, class) in ids.classes(hierarchy).iter().enumerate() {
            let base = ids.base(hierarchy, place as u32) as usize;
            for number in 0..decoder.pinned.objects(*class).len() {
                let state = states.bits(base + number) as usize;
                let (first, count) = decoder.heap.spans[kind.0 as usize][state];
                let rows = first as usize..(first + count) as usize;
                if now.same_in(before, rows.clone()) {
                    continue;
                }
                faults::point("writing a Random")?;
                let random = decoder.pinned.object(*class, number).unwrap_or(value::NIL);
                // SAFETY: `Pinned` keeps it alive.
                if unsafe { value::frozen(random) } {
                    return Err(Trouble::Unsupported {
                        message: "a section has drawn from a frozen Random, which it cannot write".into(),
                        hint: "draw from one that is not frozen: random.dup".into(),
                    });
                }
                let Column::I64(now) = now else {
                    return Err(Error::Internal("the state of a Random is lost".into()).into());
                };
                let dump = random_state::dump(decoder.ruby, random, &now[rows])?;
                decoder.pinned.prepare(dump)?;
                fallible::push(&mut changed.0, (random, dump))?;
            }
        }
    }
    Ok(changed)
}

/// Takes no memory, and cannot fail.
pub fn write(decoder: Decoder<'_>, changed: Changed) -> Result<(), Trouble> {
    for (random, dump) in changed.0 {
        insist(|| Ok(random_state::load(decoder.ruby, random, dump)?))?;
    }
    Ok(())
}
