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
    decoder.schema().columns.iter().any(|column| kinds_of_states(column).any(|known| known == kind))
}

/// Those that were there before have others than those that the section makes.
fn kinds_of_states(column: &ColumnSchema) -> impl Iterator<Item = ArrayKind> {
    let types = (column.name == RANDOM_STATE).then_some(&column.stored.types);
    types.into_iter().flatten().filter_map(|ty| match ty.shape() {
        Shape::Array(kind) => Some(kind),
        _ => None,
    })
}

/// A section has drawn from a frozen Random.
pub fn frozen() -> Trouble {
    Trouble::Unsupported {
        message: "a section has drawn from a frozen Random, which it cannot write".into(),
        hint: "draw from one that is not frozen: random.dup".into(),
    }
}

/// Makes all that is to be written into Randoms, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Changed, Trouble> {
    let mut changed = Changed(Vec::new());
    for column in &decoder.schema().columns {
        let (hierarchy, name) = (column.hierarchy, &column.name);
        let part = |part| BufferKind::Column { hierarchy, name: name.clone(), part };
        for kind in kinds_of_states(column) {
            let words = BufferKind::ArrayValues(kind, Part::Payload);
            let (Some(now), Some(before)) = (decoder.buffer(&words), decoder.before(&words)) else {
                continue;
            };
            let states = decoder.values(part, &column.stored.types);
            let ids = &decoder.heap.ids;
            for (place, class) in ids.classes(hierarchy).iter().enumerate() {
                let base = ids.base(hierarchy, place as u32) as usize;
                for number in 0..decoder.pinned.objects(*class).len() {
                    let (shape, state) = states.get(base + number)?;
                    if shape != Shape::Array(kind) {
                        continue;
                    }
                    // Those that the section makes have none, and one that it does not look at is as it was.
                    let span = decoder.heap.spans[kind.0 as usize].get(state as usize);
                    let Some((first, count)) = span.copied() else { continue };
                    let rows = first as usize..(first + count) as usize;
                    if now.same_in(before, rows.clone()) {
                        continue;
                    }
                    faults::point("writing a Random")?;
                    let random = decoder.pinned.object(*class, number).unwrap_or(value::NIL);
                    // SAFETY: `Pinned` keeps it alive.
                    if unsafe { value::frozen(random) } {
                        return Err(frozen());
                    }
                    let Column::I64(now) = now else {
                        return Err(Error::Internal("the state of a Random is lost".into()).into());
                    };
                    let dump = random_state::dump(decoder.ruby, random, now[rows].iter().copied())?;
                    decoder.pinned.prepare(dump)?;
                    fallible::push(&mut changed.0, (random, dump))?;
                }
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
