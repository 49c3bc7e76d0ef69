//! Results to Ruby, after everything has succeeded: changed rows of written columns and arrays, and the block's values.
//!
//! All or nothing: what may raise (making Floats and big Integers, frozen objects, room for variables that are not set
//! yet, memory of arrays that share theirs) is done before the first write.

use crate::reading::ids::Ids;
use crate::reading::variables::{Access, BLOCK};
use crate::running::heap::{Heap, Layout};
use crate::vm::errors::{self, Trouble};
use crate::vm::pinned::Pinned;
use crate::vm::value;
use crate::writing::accumulators::Accumulators;
use crate::writing::results::Results;
use ikra_core::error::Error;
use ikra_core::fallible::{self, NoMemory};
use ikra_core::faults;
use ikra_core::heap::schema::ColumnSchema;
use ikra_core::heap::{Column, Schema};
use ikra_core::infer::{Inferred, Operation, is_plain};
use ikra_core::ir::{BufferKind, Part, Program};
use ikra_core::types::{ArrayKind, ClassId, Shape, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{RArray, Ruby, Value, block::Proc, prelude::*};
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
enum Places<'a> {
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

/// Payload and tags of one column, as they are now.
pub struct Values<'a> {
    payload: Option<&'a Column>,
    tags: Option<&'a Column>,
    /// The shape of all values, where there is one.
    single: Option<Shape>,
}

/// What a value is made from: shape and payload.
type Raw = (Shape, i64);

impl Values<'_> {
    pub fn get(&self, row: usize) -> Result<Raw, Error> {
        let shape = match (self.tags, self.single) {
            (Some(tags), _) => Shape::of_tag(bits(tags, row) as i32),
            (None, single) => single,
        };
        let shape = shape.ok_or_else(|| Error::Internal("a value of no known shape".into()))?;
        Ok((shape, self.payload.map_or(0, |payload| bits(payload, row))))
    }

    /// The values of the next rows, as many as there is room for; gives their number. `make` gives those that live on
    /// the heap.
    fn encode(
        &self,
        rows: &mut impl Iterator<Item = usize>,
        into: &mut [VALUE],
        mut make: impl FnMut(Shape, i64) -> Result<VALUE, Trouble>,
    ) -> Result<usize, Trouble> {
        let mut count = 0;
        let pairs = into.iter_mut().zip(rows);
        match (self.single, self.payload) {
            (Some(shape @ Shape::Float), Some(Column::F64(numbers))) => {
                for (value, row) in pairs {
                    let number = numbers[row];
                    *value = match value::small_float(number) {
                        Some(value) => value,
                        None => make(shape, number.to_bits() as i64)?,
                    };
                    count += 1;
                }
            }
            (Some(shape @ Shape::Integer), Some(Column::I64(numbers))) => {
                for (value, row) in pairs {
                    *value = match value::fixnum(numbers[row]) {
                        Some(value) => value,
                        None => make(shape, numbers[row])?,
                    };
                    count += 1;
                }
            }
            _ => {
                for (value, row) in pairs {
                    let (shape, payload) = self.get(row)?;
                    *value = match immediate(shape, payload) {
                        Some(value) => value,
                        None => make(shape, payload)?,
                    };
                    count += 1;
                }
            }
        }
        Ok(count)
    }
}

/// A row as an index.
const fn index(row: &u32) -> usize {
    *row as usize
}

/// A row as a payload.
pub fn bits(column: &Column, row: usize) -> i64 {
    match column {
        Column::Bool(values) => i64::from(values[row] & 1),
        Column::I32(values) => i64::from(values[row]),
        Column::I64(values) => values[row],
        Column::F64(values) => values[row].to_bits() as i64,
    }
}

/// Everything that decoding looks at.
pub struct CopyBack<'a> {
    pub ruby: &'a Ruby,
    pub pinned: &'a Pinned,
    pub layout: &'a Layout,
    pub inferred: &'a Inferred,
    pub heap: &'a Heap,
    /// The written buffers as they were before, in the order of `layout.written`.
    pub before: &'a [Column],
}

impl CopyBack<'_> {
    fn program(&self) -> &Program {
        &self.inferred.program
    }

    pub fn schema(&self) -> &Schema {
        &self.inferred.schema
    }

    /// Writes what has changed and gives the section's value.
    pub fn run(
        &self,
        operation: Operation,
        base: RArray,
        elements: RArray,
        block: Proc,
    ) -> Result<Value, Trouble> {
        // The result first: it may raise, and the writes may not.
        faults::point("making the result")?;
        let result = match operation {
            Operation::Each => base,
            Operation::Map => self.map()?,
            Operation::Select => self.select(elements)?,
        };
        let accumulators = Accumulators { copy: self, block };
        let folded = if self.schema().accumulators.is_empty() { None } else { Some(accumulators.fold()?) };
        let changes = self.changes()?;
        let made = self.prepare(&changes)?;
        let fresh = self.make_room(&changes)?;
        if let Some(folded) = folded {
            folded.assign()?;
        }
        fresh.keep();
        self.write(&changes, made)?;
        Ok(result.as_value())
    }

    pub fn buffer(&self, kind: &BufferKind) -> Option<&Column> {
        let at = self.program().buffers.iter().position(|b| b.kind == *kind)?;
        Some(&self.heap.buffers[at])
    }

    pub fn values(&self, kind: impl Fn(Part) -> BufferKind, types: &TypeSet) -> Values<'_> {
        Values {
            payload: self.buffer(&kind(Part::Payload)),
            tags: self.buffer(&kind(Part::Tag)),
            single: types.single_shape(),
        }
    }

    fn changes(&self) -> Result<Vec<Change<'_>>, NoMemory> {
        let schema = self.schema();
        let columns = schema.columns.iter().filter(|column| column.written).map(|column| {
            let (hierarchy, name) = (column.hierarchy, &column.name);
            let kind = |part| BufferKind::Column { hierarchy, name: name.clone(), part };
            self.change(Target::Variable(column), kind, &column.types)
        });
        let arrays = schema.arrays.iter().filter(|array| array.written).map(|array| {
            let kind = |part| BufferKind::ArrayValues(array.kind, part);
            self.change(Target::Elements(array.kind), kind, &array.types)
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
        let values = self.values(&kind, types);
        let before = |part| {
            let kind = kind(part);
            let at = self.layout.written.iter().position(|b| self.program().buffers[*b].kind == kind)?;
            self.before.get(at)
        };
        let differing = |now: Option<&Column>, part| match (now, before(part)) {
            (Some(now), Some(before)) => now.differing(before),
            _ => Ok(Vec::new()),
        };
        let mut rows = differing(values.payload, Part::Payload)?;
        if let Some(tags) = values.tags {
            // What is under a nil has no meaning.
            let nil = i64::from(Shape::Nil.tag());
            rows.retain(|row| bits(tags, *row as usize) != nil);
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
        mut f: impl FnMut(&[u32], &[VALUE], Places<'_>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut rest = change.rows.as_slice();
        let mut holders = [value::NIL; BLOCK];
        match change.target {
            // Rows are numbered class by class.
            Target::Variable(column) => {
                let ids = &self.heap.ids;
                for (place, class) in ids.classes(column.hierarchy).iter().enumerate() {
                    let (base, end) = (place as u32, place as u32 + 1);
                    let (base, end) = (ids.base(column.hierarchy, base), ids.base(column.hierarchy, end));
                    let (rows, others) = rest.split_at(rest.partition_point(|row| *row < end));
                    rest = others;
                    if rows.is_empty() {
                        continue;
                    }
                    for rows in rows.chunks(BLOCK) {
                        let objects = self.pinned.objects(*class);
                        for (holder, row) in holders.iter_mut().zip(rows) {
                            *holder = objects[(row - base) as usize];
                        }
                        drop(objects);
                        f(rows, &holders[..rows.len()], Places::Variable(*class, &column.name))?;
                    }
                }
            }
            // The values of an array lie behind those of the one before.
            Target::Elements(kind) => {
                let spans = &self.heap.spans[kind.0 as usize];
                let (mut array, mut indices) = (0, [0; BLOCK]);
                for rows in rest.chunks(BLOCK) {
                    let arrays = self.pinned.arrays(kind.0);
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
                    f(&rows[..count], &holders[..count], Places::Elements(&indices[..count]))?;
                }
            }
        }
        Ok(())
    }

    /// Everything that may raise: is something frozen that is to change, and the values that live on the heap. These
    /// are kept in `Pinned`, in the order of the rows; gives the place of the first.
    fn prepare(&self, changes: &[Change<'_>]) -> Result<usize, Trouble> {
        let first = self.pinned.pin(value::NIL) + 1;
        let mut values = [value::NIL; BLOCK];
        for change in changes {
            self.each_block(change, |rows, holders, places| {
                faults::point("preparing a write")?;
                for holder in holders {
                    // SAFETY: the holder is kept alive by `Pinned`.
                    if unsafe { value::frozen(*holder) } {
                        // SAFETY: as above.
                        let holder = unsafe { Value::from_raw(*holder) };
                        return Err(Trouble::Raised(errors::frozen(self.ruby, holder)));
                    }
                }
                if matches!(places, Places::Elements(_)) {
                    protect(|| {
                        for arrays in holders.chunk_by(|a, b| a == b) {
                            // SAFETY: as above. Memory that it shares with another array is copied now.
                            unsafe { rb_sys::rb_ary_modify(arrays[0]) };
                        }
                        value::NIL
                    })?;
                }
                self.pinned.make_room(rows.len())?;
                change.values.encode(&mut rows.iter().map(index), &mut values, |shape, payload| {
                    let made = self.made(shape, payload)?;
                    self.pinned.pin(made);
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
            self.each_block(change, |rows, holders, places| {
                let Places::Variable(_, name) = places else { return Ok(()) };
                if !name.starts_with('@') {
                    return Ok(());
                }
                let id = value::intern(self.ruby, name);
                fallible::reserve(&mut unset, rows.len())?;
                for (row, object) in rows.iter().zip(holders) {
                    // SAFETY: the object is kept alive by `Pinned`.
                    let is_set = || unsafe { rb_sys::rb_ivar_defined(*object, id) } == value::TRUE;
                    if bits(before, index(row)) == nil && !is_set() {
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
            self.each_block(change, |rows, holders, places| {
                change.values.encode(&mut rows.iter().map(index), &mut values, |_, _| {
                    made += 1;
                    Ok(self.pinned.get(made - 1))
                })?;
                let values = &values[..rows.len()];
                // SAFETY: holders and values are kept alive by `Pinned`, and no holder is frozen. What is raised (no
                // memory) ends in `protect`; nothing in these closures needs dropping.
                let written = match places {
                    Places::Variable(class, name) => {
                        let (_, access) = match &mut known {
                            Some(known) if known.0 == class => known,
                            _ => known
                                .insert((class, Access::new(self.ruby, self.heap.pool.class(class), name))),
                        };
                        // SAFETY: as above; the holders are of this class.
                        unsafe { access.learn(holders) };
                        protect(|| {
                            // SAFETY: as above.
                            unsafe { access.write(holders, values) };
                            value::NIL
                        })
                    }
                    Places::Elements(indices) => protect(|| {
                        for ((array, index), value) in holders.iter().zip(indices).zip(values) {
                            // SAFETY: as above.
                            unsafe { rb_sys::rb_ary_store(*array, *index as std::ffi::c_long, *value) };
                        }
                        value::NIL
                    }),
                };
                written?;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// A value that may have to be made, which may raise.
    pub fn made(&self, shape: Shape, payload: i64) -> Result<VALUE, Trouble> {
        Ok(match shape {
            Shape::Integer => protect(|| value::integer(self.ruby, payload))?,
            Shape::Float => protect(|| value::float(self.ruby, f64::from_bits(payload as u64)))?,
            _ => self.existing(shape, payload)?,
        })
    }

    /// A value that is there already: an immediate, or one of the objects and arrays found.
    fn existing(&self, shape: Shape, payload: i64) -> Result<VALUE, Error> {
        let found = match shape {
            Shape::Nil => Some(value::NIL),
            Shape::Bool => Some(value::boolean(payload & 1 != 0)),
            Shape::Symbol => self.heap.symbols.get(payload as i32),
            Shape::Object(hierarchy) => object(&self.heap.ids, self.pinned, hierarchy, payload),
            Shape::Array(kind) => self.pinned.array(kind.0, payload as usize),
            Shape::Module => {
                let class = u32::try_from(payload).ok().map(ClassId);
                class.map(|class| self.heap.pool.class(class))
            }
            Shape::Integer | Shape::Float | Shape::List | Shape::Local => None,
        };
        found.ok_or_else(|| Error::Internal(format!("{shape:?} {payload} stands for no value")))
    }

    fn map(&self) -> Result<RArray, Trouble> {
        let types = &self.schema().result;
        if !is_plain(types) {
            let results = Results::new(self, self.schema())?;
            let all = results.all(self.heap.length, self.buffer(&BufferKind::ResultWords))?;
            return RArray::from_value(all).ok_or_else(|| Error::Internal("an array is none".into()).into());
        }
        let values = self.values(BufferKind::Result, types);
        let result = self.ruby.ary_new_capa(self.heap.length);
        self.push_all(result, &values, 0..self.heap.length)?;
        Ok(result)
    }

    /// Appends the values of some rows to an array.
    pub fn push_all(
        &self,
        array: RArray,
        values: &Values<'_>,
        mut rows: impl Iterator<Item = usize>,
    ) -> Result<(), Trouble> {
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let mut block = [value::NIL; BLOCK];
        let block = black_box(&mut block);
        loop {
            let count = values.encode(&mut rows, block, |shape, payload| self.made(shape, payload))?;
            append(array, &block[..count])?;
            if count < BLOCK {
                return Ok(());
            }
        }
    }

    fn select(&self, elements: RArray) -> Result<RArray, Trouble> {
        let keep = self.buffer(&BufferKind::Result(Part::Payload));
        let keep = keep.ok_or_else(|| Error::Internal("pselect without a result".into()))?;
        let result = self.ruby.ary_new();
        let mut kept = (0..keep.len()).filter(|row| bits(keep, *row) != 0);
        let mut block = [value::NIL; BLOCK];
        let block = black_box(&mut block);
        loop {
            let mut count = 0;
            for (slot, row) in block.iter_mut().zip(&mut kept) {
                // SAFETY: the array is a copy that nobody else has, as long as the column.
                *slot = unsafe { rb_sys::RARRAY_AREF(elements.as_raw(), row as isize) };
                count += 1;
            }
            append(result, &block[..count])?;
            if count < BLOCK {
                return Ok(result);
            }
        }
    }
}

pub fn append(array: RArray, values: &[VALUE]) -> Result<(), Trouble> {
    let (values, count) = (values.as_ptr(), values.len() as std::ffi::c_long);
    // SAFETY: the array is live and so are the values.
    protect(|| unsafe { rb_sys::rb_ary_cat(array.as_raw(), values, count) })?;
    Ok(())
}

/// The value, where it is no object on the heap.
#[inline]
pub fn immediate(shape: Shape, payload: i64) -> Option<VALUE> {
    match shape {
        Shape::Integer => value::fixnum(payload),
        Shape::Float => value::small_float(f64::from_bits(payload as u64)),
        Shape::Nil => Some(value::NIL),
        Shape::Bool => Some(value::boolean(payload & 1 != 0)),
        _ => None,
    }
}

fn object(ids: &Ids, pinned: &Pinned, hierarchy: ikra_core::types::HierarchyId, id: i64) -> Option<VALUE> {
    ids.object(pinned, hierarchy, u32::try_from(id).ok()?)
}
