//! Results to Ruby, after everything has succeeded: changed rows of written columns and arrays, and the block's values.
//!
//! All or nothing: what may raise (making Floats and big Integers, frozen objects, room for variables that are not set
//! yet, memory of arrays that share theirs) is done before the first write.

use crate::reading::base::{Base, Source};
use crate::reading::variables::{Access, BLOCK};
use crate::vm::errors::Trouble;
use crate::vm::object_layout;
use crate::vm::value;
use crate::writing::accumulators::Accumulators;
use crate::writing::decoder::{Decoder, Values, append};
use crate::writing::exceptions;
use crate::writing::results::Results;
use ikra_core::error::Error;
use ikra_core::fallible::{self, NoMemory};
use ikra_core::faults;
use ikra_core::heap::Column;
use ikra_core::heap::schema::{ColumnSchema, Output};
use ikra_core::infer::is_plain;
use ikra_core::ir::{BufferKind, Part};
use ikra_core::types::{ArrayKind, ClassId, Shape, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{RArray, Value, block::Proc, prelude::*};
use rb_sys::{ID, VALUE};
use std::hint::black_box;

/// The changed rows of a column, or of the arrays of a kind.
struct Change<'a> {
    target: Target<'a>,
    values: Values<'a>,
    rows: Vec<u32>,
    /// The tags before the section: a variable that was nil may not have been set at all.
    tags_before: Option<&'a Column>,
}

#[derive(Clone, Copy)]
enum Target<'a> {
    Variable(&'a ColumnSchema),
    Elements(ArrayKind),
}

/// How the rows of a block are stored in their holders.
enum Destinations<'a> {
    Variable(ClassId, &'a str),
    /// Each at an index of its array.
    Elements(&'a [usize]),
}

/// Variables that were not set before; dropped, they are so again. Their objects are in `Pinned`.
struct FreshVariables(Vec<(VALUE, ID)>);

impl FreshVariables {
    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for FreshVariables {
    fn drop(&mut self) {
        for (object, id) in &self.0 {
            // It is set, so nothing is raised.
            let _ = protect(|| {
                // SAFETY: the object is kept alive by `Pinned`, and the ID is a name's.
                unsafe { rb_sys::rb_obj_remove_instance_variable(*object, rb_sys::rb_id2sym(*id)) }
            });
        }
    }
}

/// A row as an index.
const fn index(row: &u32) -> usize {
    *row as usize
}

/// What copy-back looks at.
pub struct CopyBack<'a> {
    pub decoder: Decoder<'a>,
}

impl CopyBack<'_> {
    /// Writes what has changed and gives the block's values, or what was selected: an array for each column of the base.
    pub fn run(&self, base: &Base, block: Proc) -> Result<Value, Trouble> {
        // The result first: it may raise, and the writes may not.
        faults::point("making the result")?;
        let result = match self.decoder.schema().output {
            Output::Nothing => self.decoder.ruby.qnil().as_value(),
            Output::Values => self.map()?.as_value(),
            Output::Selection => {
                let columns = self.decoder.ruby.ary_new();
                base.columns
                    .iter()
                    .try_for_each(|source| columns.push(self.select(source)?).map_err(Trouble::from))?;
                columns.as_value()
            }
        };
        let accumulators = Accumulators { decoder: self.decoder, block };
        let writes_any = !self.decoder.schema().accumulators.is_empty();
        let folded = if writes_any { Some(accumulators.fold()?) } else { None };
        let changes = self.changes()?;
        let made = self.prepare(&changes)?;
        let fresh = self.make_room(&changes)?;
        if let Some(folded) = folded {
            folded.assign()?;
        }
        fresh.keep();
        self.write(&changes, made)?;
        Ok(result)
    }

    fn changes(&self) -> Result<Vec<Change<'_>>, NoMemory> {
        let schema = self.decoder.schema();
        let columns = schema.columns.iter().filter(|column| column.written).map(|column| {
            let (hierarchy, name) = (column.hierarchy, &column.name);
            let kind = |part| BufferKind::Column { hierarchy, name: name.clone(), part };
            self.change(Target::Variable(column), kind, &column.stored.types)
        });
        let arrays = schema.arrays.iter().filter(|array| array.written).map(|array| {
            let kind = |part| BufferKind::ArrayValues(array.kind, part);
            self.change(Target::Elements(array.kind), kind, &array.stored.types)
        });
        let mut changes = columns.chain(arrays).collect::<Result<Vec<_>, _>>()?;
        changes.retain(|change| !change.rows.is_empty());
        Ok(changes)
    }

    fn change<'a>(
        &'a self,
        target: Target<'a>,
        kind: impl Fn(Part) -> BufferKind,
        types: &TypeSet,
    ) -> Result<Change<'a>, NoMemory> {
        let values = self.decoder.values(&kind, types);
        let before = |part| self.decoder.before(&kind(part));
        let differing = |now: Option<&Column>, part| match (now, before(part)) {
            (Some(now), Some(before)) => now.differing(before),
            _ => Ok(Vec::new()),
        };
        let mut rows = differing(values.payload, Part::Payload)?;
        if let Some(tags) = values.tags {
            // What is under a nil has no meaning.
            let nil = i64::from(Shape::Nil.tag());
            rows.retain(|row| tags.bits(*row as usize) != nil);
            let tagged = differing(Some(tags), Part::Tag)?;
            fallible::reserve(&mut rows, tagged.len())?;
            rows.extend(tagged);
            rows.sort_unstable();
            rows.dedup();
        }
        Ok(Change { target, values, rows, tags_before: before(Part::Tag) })
    }

    /// Calls `f` with some of the changed rows at a time, and the objects or arrays that they are written into.
    fn each_block(
        &self,
        change: &Change<'_>,
        mut f: impl FnMut(&[u32], &[VALUE], Destinations<'_>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut rest = change.rows.as_slice();
        let mut holders = [value::NIL; BLOCK];
        match change.target {
            // Rows are numbered class by class.
            Target::Variable(column) => {
                let ids = &self.decoder.heap.ids;
                for (place, class) in ids.classes(column.hierarchy).iter().enumerate() {
                    let (base, end) = (place as u32, place as u32 + 1);
                    let (base, end) = (ids.base(column.hierarchy, base), ids.base(column.hierarchy, end));
                    let (rows, others) = rest.split_at(rest.partition_point(|row| *row < end));
                    rest = others;
                    if rows.is_empty() {
                        continue;
                    }
                    for rows in rows.chunks(BLOCK) {
                        let objects = self.decoder.pinned.objects(*class);
                        for (holder, row) in holders.iter_mut().zip(rows) {
                            *holder = objects[(row - base) as usize];
                        }
                        drop(objects);
                        f(rows, &holders[..rows.len()], Destinations::Variable(*class, &column.name))?;
                    }
                }
            }
            // The values of an array lie behind those of the one before.
            Target::Elements(kind) => {
                let spans = &self.decoder.heap.spans[kind.0 as usize];
                let (mut array, mut indices) = (0, [0; BLOCK]);
                for rows in rest.chunks(BLOCK) {
                    let arrays = self.decoder.pinned.arrays(kind.0);
                    let mut count = 0;
                    for row in rows {
                        while spans.get(array).is_some_and(|(offset, length)| *row >= offset + length) {
                            array += 1;
                        }
                        // Behind the last array is a filler.
                        let Some((offset, _)) = spans.get(array) else { break };
                        (holders[count], indices[count]) = (arrays[array], (row - offset) as usize);
                        count += 1;
                    }
                    drop(arrays);
                    f(&rows[..count], &holders[..count], Destinations::Elements(&indices[..count]))?;
                }
            }
        }
        Ok(())
    }

    /// Everything that may raise: is something frozen that is to change, and the values that live on the heap. These
    /// are kept in `Pinned`, in the order of the rows; gives the place of the first.
    fn prepare(&self, changes: &[Change<'_>]) -> Result<usize, Trouble> {
        let first = self.decoder.pinned.pin(value::NIL) + 1;
        let mut values = [value::NIL; BLOCK];
        for change in changes {
            self.each_block(change, |rows, holders, destinations| {
                faults::point("preparing a write")?;
                for holder in holders {
                    // SAFETY: the holder is kept alive by `Pinned`.
                    if unsafe { value::frozen(*holder) } {
                        // SAFETY: as above.
                        let holder = unsafe { Value::from_raw(*holder) };
                        return Err(Trouble::Raised(exceptions::frozen(self.decoder.ruby, holder)));
                    }
                }
                if matches!(destinations, Destinations::Elements(_)) {
                    protect(|| {
                        for arrays in holders.chunk_by(|a, b| a == b) {
                            // SAFETY: as above. Memory that it shares with another array is copied now.
                            unsafe { rb_sys::rb_ary_modify(arrays[0]) };
                        }
                        value::NIL
                    })?;
                }
                self.decoder.pinned.make_room(rows.len())?;
                change.values.decode(&mut rows.iter().map(index), &mut values, |shape, payload| {
                    let made = self.decoder.made(shape, payload)?;
                    self.decoder.pinned.pin(made);
                    Ok(made)
                })?;
                Ok(())
            })?;
        }
        Ok(first)
    }

    /// Sets the variables that are not set yet to nil, so that no object needs to get larger afterwards.
    fn make_room(&self, changes: &[Change<'_>]) -> Result<FreshVariables, Trouble> {
        let nil = i64::from(Shape::Nil.tag());
        let mut unset = Vec::new();
        for change in changes {
            let Some(before) = change.tags_before else { continue };
            self.each_block(change, |rows, holders, destinations| {
                let Destinations::Variable(_, name) = destinations else { return Ok(()) };
                if !name.starts_with('@') {
                    return Ok(());
                }
                let id = value::intern(self.decoder.ruby, name);
                fallible::reserve(&mut unset, rows.len())?;
                for (row, object) in rows.iter().zip(holders) {
                    // SAFETY: the object is kept alive by `Pinned`.
                    let is_set = || unsafe { rb_sys::rb_ivar_defined(*object, id) } == value::TRUE;
                    if before.bits(index(row)) == nil && !is_set() {
                        unset.push((*object, id));
                    }
                }
                Ok(())
            })?;
        }
        let mut fresh = FreshVariables(Vec::new());
        fallible::reserve(&mut fresh.0, unset.len())?;
        for block in unset.chunks(BLOCK) {
            faults::point("making room for a variable")?;
            protect(|| {
                for (object, id) in block {
                    // SAFETY: as above, and no object is frozen.
                    unsafe { rb_sys::rb_ivar_set(*object, *id, value::NIL) };
                    fresh.0.push((*object, *id));
                }
                value::NIL
            })?;
        }
        Ok(fresh)
    }

    /// Writes all changes, which takes no memory; `made` is what `prepare` gave.
    fn write(&self, changes: &[Change<'_>], mut made: usize) -> Result<(), Trouble> {
        let mut values = [value::NIL; BLOCK];
        for change in changes {
            let mut known: Option<(ClassId, Access)> = None;
            self.each_block(change, |rows, holders, destinations| {
                change.values.decode(&mut rows.iter().map(index), &mut values, |_, _| {
                    made += 1;
                    Ok(self.decoder.pinned.get(made - 1))
                })?;
                let values = &values[..rows.len()];
                // SAFETY: holders and values are kept alive by `Pinned`, and no holder is frozen. What is raised (no
                // memory) ends in `protect`; nothing in these closures needs dropping.
                let written = match destinations {
                    Destinations::Variable(class, name) => {
                        let (_, access) = match &mut known {
                            Some(known) if known.0 == class => known,
                            _ => {
                                let class_object = self.decoder.heap.pool.class(class);
                                known.insert((class, Access::new(self.decoder.ruby, class_object, name)))
                            }
                        };
                        protect(|| {
                            // SAFETY: as above; the holders are of this class.
                            unsafe { access.write(holders, values) };
                            value::NIL
                        })
                    }
                    Destinations::Elements(indices) => protect(|| {
                        // SAFETY: as above; the arrays are no longer shared, as `prepare` has seen to it.
                        unsafe { store(holders, indices, values) };
                        value::NIL
                    }),
                };
                written?;
                Ok(())
            })?;
        }
        Ok(())
    }

    fn map(&self) -> Result<RArray, Trouble> {
        let types = &self.decoder.schema().result;
        if !is_plain(types) {
            let results = Results::new(self.decoder)?;
            let all = results.all(self.decoder.heap.length, self.decoder.buffer(&BufferKind::ResultWords))?;
            return RArray::from_value(all).ok_or_else(|| Error::Internal("an array is none".into()).into());
        }
        let values = self.decoder.values(BufferKind::Result, types);
        let result = self.decoder.ruby.ary_new_capa(self.decoder.heap.length);
        self.decoder.push_all(result, &values, 0..self.decoder.heap.length)?;
        Ok(result)
    }

    fn select(&self, source: &Source) -> Result<RArray, Trouble> {
        let selection = match self.decoder.buffer(&BufferKind::Selection) {
            Some(Column::I32(rows)) => &rows[..],
            _ => return Err(Error::Internal("pselect without a selection".into()).into()),
        };
        let result = self.decoder.ruby.ary_new_capa(selection.len());
        let mut selected = selection.iter().map(|row| *row as usize);
        let mut block = [value::NIL; BLOCK];
        let block = black_box(&mut block);
        loop {
            let mut count = 0;
            for (slot, row) in block.iter_mut().zip(&mut selected) {
                *slot = match source {
                    // SAFETY: the array is a copy that nobody else has, as long as the column.
                    Source::Items(items) => unsafe { rb_sys::RARRAY_AREF(items.as_raw(), row as isize) },
                    Source::Series(series) => match value::fixnum(series.at(row)) {
                        Some(number) => number,
                        None => self.decoder.made(Shape::Integer, series.at(row))?,
                    },
                };
                count += 1;
            }
            append(result, &block[..count])?;
            if count < BLOCK {
                return Ok(result);
            }
        }
    }
}

/// Stores each value at an index of its array. Indices of an array ascend. May raise where another thread has made an
/// array shorter, which makes it longer again.
///
/// SAFETY: arrays and values must be live, the arrays neither frozen nor sharing their memory.
unsafe fn store(arrays: &[VALUE], indices: &[usize], values: &[VALUE]) {
    let mut items = indices.iter().zip(values);
    for arrays in arrays.chunk_by(|a, b| a == b) {
        let array = arrays[0];
        // SAFETY: as the caller says. What is there of an array is written directly.
        unsafe {
            let length = rb_sys::RARRAY_LEN(array) as usize;
            let first = rb_sys::RARRAY_CONST_PTR(array).cast_mut();
            for (index, value) in items.by_ref().take(arrays.len()) {
                match *index < length {
                    true => object_layout::store(array, first.add(*index), *value),
                    false => rb_sys::rb_ary_store(array, *index as std::ffi::c_long, *value),
                }
            }
        }
    }
}
