//! What Ruby changes in the middle of a section, cell by cell: what was read again, beside what the columns hold. Rows of
//! what the section has made are behind those, and arrays may have moved meanwhile.

use crate::running::heap::{Heap, Layout, Recipe};
use crate::vm::pinned::Pinned;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::schema::ColumnSchema;
use ikra_core::heap::{Column, Schema, Store};
use ikra_core::infer::Inferred;
use ikra_core::ir::{BufferKind, Part};
use ikra_core::types::{ArrayKind, HierarchyId, Shape, Type, TypeSet};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// A row of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub buffer: usize,
    pub row: usize,
    pub bits: i64,
}

/// An item of an array, wherever that is.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub buffer: usize,
    pub kind: ArrayKind,
    pub array: usize,
    pub index: usize,
    pub bits: i64,
}

/// An array is as long from now on. All its items are among those that change where it gets longer, as it may have to move.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    pub kind: ArrayKind,
    pub array: usize,
    pub length: usize,
}

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Buffers of which no part stays as it is.
    whole: Vec<(usize, Column)>,
    pub cells: Vec<Cell>,
    pub lengths: Vec<Length>,
    pub items: Vec<Item>,
}

impl Changes {
    pub fn extend(&mut self, others: Self) {
        self.whole.extend(others.whole);
        self.cells.extend(others.cells);
        self.lengths.extend(others.lengths);
        self.items.extend(others.items);
    }
}

/// The buffers of payload and tag of the same values.
#[derive(Clone, Copy)]
struct Parts {
    payload: Option<usize>,
    tags: Option<usize>,
    single: Option<Shape>,
}

impl Parts {
    /// Of the values of which a buffer is the first part.
    fn of_first(inferred: &Inferred, number: usize, recipe: &Recipe) -> Option<Self> {
        let of = |wanted: &BufferKind| inferred.program.buffers.iter().position(|info| info.kind == *wanted);
        let kind = |part| match &inferred.program.buffers[number].kind {
            BufferKind::Column { hierarchy, name, .. } => {
                Some(BufferKind::Column { hierarchy: *hierarchy, name: name.clone(), part })
            }
            BufferKind::ArrayValues(kind, _) => Some(BufferKind::ArrayValues(*kind, part)),
            _ => None,
        };
        let [payload, tags] = [Part::Payload, Part::Tag].map(|part| kind(part).and_then(|kind| of(&kind)));
        let (Recipe::Column { single, .. } | Recipe::Values(_, _, single)) = recipe else { return None };
        (payload.or(tags) == Some(number)).then_some(Self { payload, tags, single: *single })
    }

    fn all(self) -> impl Iterator<Item = usize> {
        [self.payload, self.tags].into_iter().flatten()
    }

    fn get(self, columns: &[Column], row: usize) -> (Shape, i64) {
        let shape = match self.tags {
            Some(tags) => Shape::of_tag(columns[tags].bits(row) as i32),
            None => self.single,
        };
        (shape.unwrap_or(Shape::Nil), self.payload.map_or(0, |payload| columns[payload].bits(row)))
    }
}

/// What is compared.
struct Comparison<'a> {
    now: &'a Heap,
    later: &'a Heap,
    inferred: &'a Inferred,
    pinned: &'a Pinned,
    /// Values may be of other classes than before.
    is_exact: bool,
}

impl Comparison<'_> {
    /// Are the first rows the same, as bytes?
    fn is_same(&self, buffer: usize, rows: usize) -> bool {
        let [now, later] = [self.now, self.later].map(|heap| &heap.store.columns()[buffer]);
        let size = match later.len() {
            0 => return true,
            count => later.as_bytes().len() / count,
        };
        now.len() >= rows && now.as_bytes()[..rows * size] == later.as_bytes()[..rows * size]
    }

    /// Are items of such arrays read nowhere?
    fn is_only_counted(&self, kind: ArrayKind) -> bool {
        [Part::Payload, Part::Tag]
            .iter()
            .all(|part| self.buffer(&BufferKind::ArrayValues(kind, *part)).is_none())
    }

    fn buffer(&self, kind: &BufferKind) -> Option<usize> {
        self.inferred.program.buffers.iter().position(|info| info.kind == *kind)
    }

    /// Has the section made it?
    fn is_made(&self, (shape, payload): (Shape, i64)) -> bool {
        match shape {
            Shape::Object(hierarchy) => payload >= self.now.ids.count(hierarchy) as i64,
            Shape::Array(kind) => payload >= self.pinned.arrays(kind.0).len() as i64,
            _ => false,
        }
    }

    /// May such a value stand where values of these types do?
    fn is_of_types(&self, (shape, payload): (Shape, i64), types: &TypeSet) -> bool {
        let Shape::Object(hierarchy) = shape else { return types.iter().any(|ty| ty.shape() == shape) };
        if !self.is_made((shape, payload)) {
            // The class was looked at when it was read.
            return types.iter().any(|ty| ty.shape() == shape);
        }
        let places =
            self.buffer(&BufferKind::Places(hierarchy)).map(|buffer| &self.now.store.columns()[buffer]);
        let place = places.zip(usize::try_from(payload).ok()).filter(|(places, row)| *row < places.len());
        let class = place.map(|(places, row)| places.bits(row) as usize);
        let class = class.and_then(|place| self.now.ids.classes(hierarchy).get(place));
        class.is_some_and(|class| types.iter().any(|ty| *ty == Type::Object(hierarchy, *class)))
    }

    /// Tells of values that are others later; false where that cannot be. `types`: of what may stand there, if that is the
    /// same for all; else who holds what the section has made is the section's to say, and of what class values are.
    fn each(
        &self,
        (parts, types): (Parts, Option<&TypeSet>),
        rows: impl Iterator<Item = (Option<usize>, usize)>,
        mut tell: impl FnMut(usize, i64, Option<i64>) -> Result<(), NoMemory>,
    ) -> Result<bool, NoMemory> {
        for (place, (row, later)) in rows.enumerate() {
            let is = parts.get(self.later.store.columns(), later);
            let was = row.map(|row| parts.get(self.now.store.columns(), row));
            if was.is_some_and(|was| was.0 == is.0 && (was.0 == Shape::Nil || was.1 == is.1)) {
                continue;
            }
            let may_stand = match (types, was) {
                (Some(types), _) => self.is_of_types(is, types),
                (None, Some(was)) => !self.is_made(is) && (was.0 == is.0 || self.is_exact),
                (None, None) => false,
            };
            if !may_stand {
                return Ok(false);
            }
            tell(place, is.1, parts.tags.map(|_| i64::from(is.0.tag())))?;
        }
        Ok(true)
    }

    fn of_objects(
        &self,
        parts: Parts,
        (hierarchy, name, columns): (HierarchyId, &str, &[(u32, usize)]),
        changes: &mut Changes,
    ) -> Result<bool, NoMemory> {
        let count = self.later.ids.count(hierarchy);
        if parts.all().all(|buffer| self.is_same(buffer, count)) {
            return Ok(true);
        }
        let ids = &self.now.ids;
        let rows_of = |place: u32| -> Range<usize> {
            ids.base(hierarchy, place) as usize..ids.base(hierarchy, place + 1) as usize
        };
        let rows: Vec<usize> = columns.iter().flat_map(|(place, _)| rows_of(*place)).collect();
        let is_it = |column: &&ColumnSchema| column.hierarchy == hierarchy && column.name == name;
        let column = self.inferred.schema.columns.iter().find(is_it);
        let types = column.filter(|column| column.classes.len() == 1).map(|column| &column.stored.types);
        self.each((parts, types), rows.iter().map(|row| (Some(*row), *row)), |place, payload, tag| {
            let row = rows[place];
            let cells = [(parts.payload, Some(payload)), (parts.tags, tag)];
            for (buffer, bits) in cells {
                if let Some((buffer, bits)) = buffer.zip(bits) {
                    fallible::push(&mut changes.cells, Cell { buffer, row, bits })?;
                }
            }
            Ok(())
        })
    }

    fn of_arrays(&self, parts: Parts, kind: ArrayKind, changes: &mut Changes) -> Result<bool, NoMemory> {
        let (spans, later) = (self.now.spans_now(kind), self.later.spans_now(kind));
        if spans.len() < later.len() {
            return Ok(false);
        }
        let may_grow = may_grow(self.inferred, kind);
        for (array, ((_, now), (_, later))) in spans.iter().zip(later).enumerate() {
            if now != later {
                if !may_grow {
                    return Ok(false);
                }
                let length = *later as usize;
                fallible::push(&mut changes.lengths, Length { kind, array, length })?;
            }
        }
        let schema = self.inferred.schema.arrays.iter().find(|array| array.kind == kind);
        let types = schema.map(|schema| &schema.stored.types);
        let count = later.last().map_or(0, |(offset, length)| (offset + length) as usize);
        if spans.starts_with(later) && parts.all().all(|buffer| self.is_same(buffer, count)) {
            return Ok(true);
        }
        for (array, ((offset, length), (later, count))) in spans.iter().zip(later).enumerate() {
            let (first, from, stays) = (*offset as usize, *later as usize, count <= length);
            let rows = (0..*count as usize).map(|index| (stays.then_some(first + index), from + index));
            let is_known = self.each((parts, types), rows, |index, payload, tag| {
                let cells = [(parts.payload, Some(payload)), (parts.tags, tag)];
                for (buffer, bits) in cells {
                    if let Some((buffer, bits)) = buffer.zip(bits) {
                        let item = Item { buffer, kind, array, index, bits };
                        fallible::push(&mut changes.items, item)?;
                    }
                }
                Ok(())
            })?;
            if !is_known {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Columns with what changes in them.
struct Changed<'a> {
    store: &'a Store,
    columns: BTreeMap<usize, Column>,
}

impl Changed<'_> {
    fn get(&self, buffer: usize, row: usize) -> i64 {
        self.columns.get(&buffer).unwrap_or(&self.store.columns()[buffer]).bits(row)
    }

    fn set(&mut self, buffer: usize, row: usize, bits: i64) -> Result<(), NoMemory> {
        let column = match self.columns.entry(buffer) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.store.columns()[buffer].try_clone()?),
        };
        column.set_bits(row, bits);
        Ok(())
    }
}

impl Heap {
    /// What holds something else in what was read later, with the same numbers. `None`: more than can be changed in the
    /// middle. `is_exact`: what was read later is of the types that the section was compiled for.
    pub fn changes(
        &mut self,
        (layout, inferred): (&Layout, &Inferred),
        pinned: &Pinned,
        (mut later, is_exact): (Self, bool),
    ) -> Result<Option<Changes>, NoMemory> {
        let mut changes = Changes::default();
        let mut whole = Vec::new();
        let comparison = Comparison { now: self, later: &later, inferred, pinned, is_exact };
        for (number, recipe) in layout.recipes.iter().enumerate() {
            let [now, then] = [&*self, &later].map(|heap| &heap.store.columns()[number]);
            let parts = Parts::of_first(inferred, number, recipe);
            let is_known = match (recipe, parts) {
                (Recipe::Column { hierarchy, columns, .. }, Some(parts)) => {
                    let BufferKind::Column { name, .. } = &inferred.program.buffers[number].kind else {
                        continue;
                    };
                    comparison.of_objects(parts, (*hierarchy, name, columns), &mut changes)?
                }
                (Recipe::Values(kind, ..), _) if later.is_of_memories(*kind) => {
                    if now.len() == then.len() && now.as_bytes() != then.as_bytes() {
                        whole.push(number);
                    }
                    true
                }
                (Recipe::Values(kind, ..), Some(parts)) if !is_of_section(&inferred.schema, *kind) => {
                    comparison.of_arrays(parts, *kind, &mut changes)?
                }
                (Recipe::Length(kind), _) if comparison.is_only_counted(*kind) => {
                    // Behind those that were read there may be room.
                    let rows = pinned.arrays(kind.0).len().max(later.spans_now(*kind).len());
                    comparison.is_same(number, rows.min(then.len()))
                }
                (Recipe::KeyIndex(kind), _) if !inferred.schema.hashes.contains_key(kind) => {
                    if now.len() == then.len() && now.as_bytes() != then.as_bytes() {
                        whole.push(number);
                    }
                    true
                }
                (Recipe::Frozen(_) | Recipe::FrozenArray(_), _) => {
                    // Behind those that were read there may be room.
                    let read = match recipe {
                        Recipe::FrozenArray(kind) => pinned.arrays(kind.0).len(),
                        _ => then.len(),
                    };
                    let rows = 0..now.len().min(then.len()).min(read);
                    for row in rows.filter(|row| now.bits(*row) != then.bits(*row)) {
                        let cell = Cell { buffer: number, row, bits: then.bits(row) };
                        fallible::push(&mut changes.cells, cell)?;
                    }
                    true
                }
                _ => true,
            };
            if !is_known {
                return Ok(None);
            }
        }
        let columns = later.store.columns_mut();
        let taken =
            |number: usize| (number, std::mem::replace(&mut columns[number], Column::Bool(Vec::new())));
        changes.whole = whole.into_iter().map(taken).collect();
        self.memories = later.memories;
        Ok(Some(changes))
    }

    /// Columns hold this from now on, now that all is committed. False if arrays have no room for it.
    pub fn apply(&mut self, layout: &Layout, changes: &Changes) -> Result<bool, NoMemory> {
        let mut changed = Changed { store: &self.store, columns: BTreeMap::new() };
        for (buffer, column) in &changes.whole {
            changed.columns.insert(*buffer, column.try_clone()?);
        }
        for Cell { buffer, row, bits } in &changes.cells {
            changed.set(*buffer, *row, *bits)?;
        }
        let place = |wanted: &dyn Fn(&Recipe) -> bool| layout.recipes.iter().position(wanted);
        for Length { kind, array, length } in &changes.lengths {
            let [offset, size, room, ends] = [
                place(&|recipe| matches!(recipe, Recipe::Offset(of) if of == kind)),
                place(&|recipe| matches!(recipe, Recipe::Length(of) if of == kind)),
                place(&|recipe| matches!(recipe, Recipe::Room(of) if of == kind)),
                place(&|recipe| matches!(recipe, Recipe::Ends(of) if of == kind)),
            ];
            let (Some(size), Some(room)) = (size, room) else { return Ok(false) };
            let length = *length as i64;
            if length > changed.get(room, *array) {
                let (Some(offset), Some(ends)) = (offset, ends) else { return Ok(false) };
                let (first, end) = (changed.get(ends, 0), changed.get(ends, 1));
                let wanted = [2 * length, length].into_iter().find(|wanted| first + wanted <= end);
                let Some(wanted) = wanted else { return Ok(false) };
                changed.set(ends, 0, first + wanted)?;
                changed.set(offset, *array, first)?;
                changed.set(room, *array, wanted)?;
            }
            changed.set(size, *array, length)?;
        }
        for Item { buffer, kind, array, index, bits } in &changes.items {
            let offset = place(&|recipe| matches!(recipe, Recipe::Offset(of) if of == kind));
            let known = || self.spans_now(*kind).get(*array).map_or(0, |(offset, _)| *offset as usize);
            let first = offset.map_or_else(known, |offset| changed.get(offset, *array) as usize);
            changed.set(*buffer, first + index, *bits)?;
        }
        for (buffer, column) in changed.columns {
            self.store.adopt(buffer, column);
        }
        // Lengths may be others.
        self.note_spans(layout);
        Ok(true)
    }

    /// A number that tells what objects hold from what else they could hold: of two runs of the same section.
    pub fn digest(&self, inferred: &Inferred) -> u64 {
        use std::hash::Hasher;
        let mut hasher = rustc_hash::FxHasher::default();
        let columns = self.store.columns();
        for (number, info) in inferred.program.buffers.iter().enumerate() {
            let BufferKind::Column { hierarchy, name, part } = &info.kind else {
                if matches!(info.kind, BufferKind::Places(_)) {
                    hasher.write(columns[number].as_bytes());
                }
                continue;
            };
            let tag = BufferKind::Column { hierarchy: *hierarchy, name: name.clone(), part: Part::Tag };
            let tags = inferred.program.buffers.iter().position(|info| info.kind == tag);
            match tags.filter(|_| *part == Part::Payload) {
                // What is under a nil has no meaning.
                Some(tags) => {
                    let nil = i64::from(Shape::Nil.tag());
                    let rows = (0..columns[number].len()).filter(|row| columns[tags].bits(*row) != nil);
                    rows.for_each(|row| hasher.write_i64(columns[number].bits(row)));
                }
                None => hasher.write(columns[number].as_bytes()),
            }
        }
        hasher.finish()
    }
}

/// May arrays of that kind get longer and shorter? Those of Hashes do with them only.
pub fn may_grow(inferred: &Inferred, kind: ArrayKind) -> bool {
    let Schema { hashes, given_defaults, .. } = &inferred.schema;
    let is_part = hashes.values().flatten().chain(given_defaults.values()).any(|part| *part == kind);
    !is_part && inferred.program.buffers.iter().any(|info| info.kind == BufferKind::ArrayRoom(kind))
}

/// Where Hashes of the section find keys is its own, and so is what it gives them as defaults.
fn is_of_section(schema: &Schema, kind: ArrayKind) -> bool {
    schema.hashes.values().any(|parts| parts[2] == kind)
        || schema.given_defaults.values().any(|given| *given == kind)
}
