//! Results to Ruby, after everything has succeeded: changed rows of written columns and arrays, and the block's values.
//!
//! Here all-or-nothing is decided. Everything before works on copies. First is written what can be undone: immediates,
//! over the immediates that were read (`in_place.rs`). Then all other new values are made, it is asked whether any
//! target is frozen, and room is made for what is not there yet (variables that were never set, arrays that share their
//! memory); what of all this can be seen is undone if something fails. Only then the rest is written, which takes no
//! memory. No code of the user runs until it is undone or kept.

use crate::reading::base::Base;
use crate::reading::variables::{Access, BLOCK};
use crate::vm::errors::Trouble;
use crate::vm::gvl::insist;
use crate::vm::object_layout;
use crate::vm::value;
use crate::writing::accumulators::{Accumulators, Around};
use crate::writing::changed_hashes;
use crate::writing::changed_strings;
use crate::writing::columns;
use crate::writing::decoder::{Decoder, Values};
use crate::writing::exceptions;
use crate::writing::filling::Filling;
use crate::writing::grown;
use crate::writing::in_place::{Chunk, Holders, Place, Rows};
use crate::writing::random_states;
use crate::writing::refresh;
use crate::writing::results::Results;
use crate::writing::value_columns::{ValueColumn, is_columnar};
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::schema::{ArraySchema, ColumnSchema, Output};
use ikra_core::heap::{Column, RowSet};
use ikra_core::infer::{SET, is_plain};
use ikra_core::ir::{BufferKind, KernelId, Part};
use ikra_core::types::{ArrayKind, ClassId, Shape, TypeSet};
use magnus::rb_sys::{FromRawValue, protect};
use magnus::{RArray, Value, prelude::*};
use rb_sys::{ID, VALUE};
use std::ops::Range;

/// The changed rows of a column, or of the arrays of a kind.
struct Change<'a> {
    target: Target<'a>,
    values: Values<'a>,
    /// The values before the section. A variable that was nil may not have been set at all.
    before: Values<'a>,
    rows: RowSet,
}

#[derive(Clone, Copy)]
enum Target<'a> {
    Variable(&'a ColumnSchema),
    Elements(ArrayKind),
}

/// What of a change is alike.
#[derive(Clone, Copy)]
enum Scope<'a> {
    /// The objects of a class, the row of the first, and the name of the variable or member.
    Class(ClassId, usize, &'a str),
    Arrays(ArrayKind),
}

struct Segment<'a> {
    change: &'a Change<'a>,
    scope: Scope<'a>,
    place: Place,
    chunks: Vec<Chunk>,
}

/// Some changed rows, the objects or arrays that they are written into, and the index in each array.
struct Block<'a> {
    rows: &'a [usize],
    holders: &'a [VALUE],
    indices: &'a [usize],
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
            // It is set, so nothing is raised but what is sent, and once that is done it is not set any more.
            // SAFETY: the object is kept alive by `Pinned`, and the ID is a name's.
            let remove =
                || unsafe { rb_sys::rb_obj_remove_instance_variable(*object, rb_sys::rb_id2sym(*id)) };
            // SAFETY: as above.
            let is_set = || unsafe { rb_sys::rb_ivar_defined(*object, *id) } == value::TRUE;
            let _ = insist(|| if is_set() { Ok(protect(remove)?) } else { Ok(value::NIL) });
        }
    }
}

/// What has been written in place; dropped, it is what it was before.
struct Written<'a> {
    copy: &'a CopyBack<'a>,
    segments: Vec<Segment<'a>>,
}

impl<'a> Written<'a> {
    fn keep(mut self) -> Vec<Segment<'a>> {
        std::mem::take(&mut self.segments)
    }
}

impl Drop for Written<'_> {
    fn drop(&mut self) {
        for segment in &mut self.segments {
            let Segment { change, scope, place, chunks } = &mut *segment;
            // SAFETY: the holders are kept alive by `Pinned`, and the segments are as they were written.
            self.copy.with_rows(change, *scope, |rows| unsafe { rows.undo(place, chunks) });
            // All were immediates, and the variables are set, so nothing is raised.
            let _ = self.copy.write_left(segment, &segment.change.before, || value::NIL);
        }
    }
}

/// What copy-back looks at.
pub struct CopyBack<'a> {
    pub decoder: Decoder<'a>,
    pub form: ResultForm,
}

/// How Ruby gets what a section gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultForm {
    /// Arrays.
    Arrays,
    /// A column, if it is one of numbers; else an array.
    Column,
    /// The rows that were selected.
    Rows,
    /// An array of the items of all arrays, and of what is no array.
    Flat,
}

impl CopyBack<'_> {
    /// Writes what has changed and gives the block's values, or what was selected: an array for each column of the base.
    pub fn run(&self, base: &Base, around: Around<'_>) -> Result<Value, Trouble> {
        // The result first: it may raise, and the writes may not.
        faults::point("making the result")?;
        let made = &self.results()?;
        let result = match self.decoder.schema().output {
            Output::Nothing => self.decoder.ruby.qnil().as_value(),
            Output::Values if base.is_column && self.form == ResultForm::Arrays => {
                columns::results(self.decoder)?
            }
            Output::Values | Output::Program => self.map(None, made)?,
            Output::Kept => self.map(Some(self.selection()?), made)?,
            Output::Selection if self.form == ResultForm::Rows => ValueColumn::selection(self.decoder)?,
            Output::Selection => match columns::flags(self.decoder) {
                Some(flags) => columns::chosen(self.decoder, base, flags)?.as_value(),
                None => self.select(base)?.as_value(),
            },
        };
        if let Some(name) = base.compared_by {
            exceptions::tell_apart(self.decoder.ruby, name, result)?;
        }
        self.write_changes(around, made)?;
        Ok(result)
    }

    /// Writes what has changed so far.
    pub fn write_back(&self, around: Around<'_>) -> Result<(), Trouble> {
        self.write_changes(around, &self.results()?)
    }

    fn write_changes(&self, around: Around<'_>, made: &Option<Results<'_>>) -> Result<(), Trouble> {
        self.decoder.pinned.forget_prepared();
        let accumulators = Accumulators { decoder: self.decoder, around };
        let writes_any = !self.decoder.schema().accumulators.is_empty();
        let folded = if writes_any { Some(accumulators.fold()?) } else { None };
        let columns = columns::prepare(self.decoder)?;
        let randoms = random_states::prepare(self.decoder)?;
        let grown = grown::prepare(self.decoder)?;
        let hashes = changed_hashes::prepare(self.decoder)?;
        let strings = changed_strings::prepare(self.decoder)?;
        let refresh = refresh::prepare(self.decoder)?;
        let changes = self.changes()?;
        let mut written = Written { copy: self, segments: Vec::new() };
        self.write_in_place(&changes, &mut written.segments)?;
        let made_before = self.decoder.pinned.prepared_count();
        if let Some(holder) = self.prepare(&written.segments, made)? {
            // What it looks like is for the exception to say: nothing has changed then.
            drop(written);
            // SAFETY: the holder is kept alive by `Pinned`.
            let holder = unsafe { Value::from_raw(holder) };
            return Err(Trouble::Raised(exceptions::frozen(self.decoder.ruby, holder)));
        }
        let fresh = self.make_room(&written.segments)?;
        let grown = grown.write()?;
        let hashes = hashes.write()?;
        let strings = strings.write()?;
        if let Some(folded) = folded {
            folded.assign()?;
        }
        // From here on all is written: what another thread sends meanwhile, or a signal does, comes afterwards.
        fresh.keep();
        grown.keep();
        hashes.keep();
        strings.keep();
        columns::write(columns);
        random_states::write(self.decoder, randoms)?;
        refresh.write(self.decoder)?;
        self.write(&written.keep(), made_before)?;
        self.decoder.pinned.forget_prepared();
        Ok(())
    }

    fn changes(&self) -> Result<Vec<Change<'_>>, NoMemory> {
        let schema = self.decoder.schema();
        let columns =
            schema.columns.iter().filter(|column| column.written && is_ruby_s(&column.name)).map(|column| {
                let (hierarchy, name) = (column.hierarchy, &column.name);
                let kind = |part| BufferKind::Column { hierarchy, name: name.clone(), part };
                self.change(Target::Variable(column), kind, &column.stored.types)
            });
        let is_column = |kind: ArrayKind| {
            self.decoder.heap.memories.get(kind.0 as usize).is_some_and(|memories| !memories.is_empty())
        };
        let is_written = |array: &&ArraySchema| {
            array.written
                && !array.made
                && !array.grows
                && !is_column(array.kind)
                && !random_states::is_of_states(self.decoder, array.kind)
        };
        let arrays = schema.arrays.iter().filter(is_written).map(|array| {
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
        let [payload, tags] = [Part::Payload, Part::Tag].map(|part| self.decoder.before(&kind(part)));
        let before = Values { payload, tags, single: values.single };
        let differs = |now: Option<&Column>, was: Option<&Column>, rows: &Range<usize>| match (now, was) {
            (Some(now), Some(was)) => now.differs(was, rows.clone()),
            _ => 0,
        };
        let nil = i64::from(Shape::Nil.tag());
        let of_group = |rows: Range<usize>| {
            let payload = differs(values.payload, before.payload, &rows);
            let tag = differs(values.tags, before.tags, &rows);
            match values.tags {
                // What is under a nil has no meaning.
                Some(tags) if payload != 0 => tag | payload & !tags.passes(rows, |tag| tag == nil),
                _ => tag | payload,
            }
        };
        // What the section has made is behind.
        let count = before.payload.or(before.tags).map_or(0, Column::len);
        let rows = RowSet::of(count, of_group)?;
        Ok(Change { target, values, before, rows })
    }

    /// Writes what can be written in place, class by class, as rows are numbered. What has been written stands in the
    /// segments, which are as many as were come to.
    fn write_in_place<'a>(
        &self,
        changes: &'a [Change<'a>],
        segments: &mut Vec<Segment<'a>>,
    ) -> Result<(), Trouble> {
        for change in changes {
            faults::point("writing in place")?;
            match change.target {
                Target::Variable(column) => {
                    let ids = &self.decoder.heap.ids;
                    for (number, class) in ids.classes(column.hierarchy).iter().enumerate() {
                        let base = |number| ids.base(column.hierarchy, number as u32) as usize;
                        let rows = base(number)..base(number + 1);
                        let scope = Scope::Class(*class, rows.start, &column.name);
                        self.write_segment(change, scope, rows, segments)?;
                    }
                }
                Target::Elements(kind) => {
                    let spans = &self.decoder.heap.spans[kind.0 as usize];
                    // Behind the last array is a filler.
                    let rows = 0..spans.last().map_or(0, |(first, count)| (first + count) as usize);
                    self.write_segment(change, Scope::Arrays(kind), rows, segments)?;
                }
            }
        }
        Ok(())
    }

    fn write_segment<'a>(
        &self,
        change: &'a Change<'a>,
        scope: Scope<'a>,
        rows: Range<usize>,
        segments: &mut Vec<Segment<'a>>,
    ) -> Result<(), NoMemory> {
        self.with_rows(change, scope, |all| {
            let chunks = all.chunks(rows)?;
            if chunks.is_empty() {
                return Ok(());
            }
            let mut place = match scope {
                Scope::Class(class, _, name) => Place::new(self.decoder, class, name),
                Scope::Arrays(_) => Place::None,
            };
            fallible::reserve(segments, 1)?;
            let mut segment = Segment { change, scope, place: Place::None, chunks };
            // SAFETY: the holders are kept alive by `Pinned`.
            unsafe { all.write(&mut place, &mut segment.chunks) };
            segment.place = place;
            segments.push(segment);
            Ok(())
        })
    }

    /// Calls `f` with rows and the objects or arrays that they belong to.
    fn with_rows<R>(&self, change: &Change<'_>, scope: Scope<'_>, f: impl FnOnce(Rows<'_>) -> R) -> R {
        let Change { rows: changed, values, before, .. } = change;
        match scope {
            Scope::Class(class, base, _) => {
                let objects = self.decoder.pinned.objects(class);
                f(Rows { changed, values, before, holders: Holders::Objects(&objects, base) })
            }
            Scope::Arrays(kind) => {
                let arrays = self.decoder.pinned.arrays(kind.0);
                let spans = &self.decoder.heap.spans[kind.0 as usize];
                f(Rows { changed, values, before, holders: Holders::Arrays(&arrays, spans) })
            }
        }
    }

    /// Calls `f` with some at a time of the rows that are left.
    fn each_block(
        &self,
        segment: &Segment<'_>,
        mut f: impl FnMut(Block<'_>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let (mut rows, mut holders, mut indices) = ([0; BLOCK], [value::NIL; BLOCK], [0; BLOCK]);
        let mut array = 0;
        let mut all = segment.chunks.iter().flat_map(|chunk| segment.change.rows.rows(chunk.left()));
        loop {
            let mut count = 0;
            rows.iter_mut().zip(&mut all).for_each(|(place, row)| {
                *place = row;
                count += 1;
            });
            if count == 0 {
                return Ok(());
            }
            let rows = &rows[..count];
            match segment.scope {
                Scope::Class(class, base, _) => {
                    let objects = self.decoder.pinned.objects(class);
                    holders.iter_mut().zip(rows).for_each(|(holder, row)| *holder = objects[row - base]);
                }
                // The values of an array lie behind those of the one before.
                Scope::Arrays(kind) => {
                    let spans = &self.decoder.heap.spans[kind.0 as usize];
                    let arrays = self.decoder.pinned.arrays(kind.0);
                    for ((row, holder), index) in rows.iter().zip(&mut holders).zip(&mut indices) {
                        while spans[array].0 as usize + spans[array].1 as usize <= *row {
                            array += 1;
                        }
                        (*holder, *index) = (arrays[array], row - spans[array].0 as usize);
                    }
                }
            }
            f(Block { rows, holders: &holders[..count], indices: &indices[..count] })?;
        }
    }

    /// Everything that may raise: is something frozen that is to change (it is given then), and the values that live on
    /// the heap. These are kept in `Pinned`, in the order of the rows.
    fn prepare(
        &self,
        segments: &[Segment<'_>],
        results: &Option<Results<'_>>,
    ) -> Result<Option<VALUE>, Trouble> {
        let mut frozen = None;
        let mut values = [value::NIL; BLOCK];
        for segment in segments {
            self.each_block(segment, |Block { rows, holders, .. }| {
                faults::point("preparing a write")?;
                // SAFETY: the holders are kept alive by `Pinned`.
                let is_frozen = |holder: &&VALUE| unsafe { value::frozen(**holder) };
                frozen = frozen.or(holders.iter().find(is_frozen).copied());
                if frozen.is_some() {
                    return Ok(());
                }
                if matches!(segment.scope, Scope::Arrays(_)) {
                    protect(|| {
                        for arrays in holders.chunk_by(|a, b| a == b) {
                            // SAFETY: as above. Memory that it shares with another array is copied now.
                            unsafe { rb_sys::rb_ary_modify(arrays[0]) };
                        }
                        value::NIL
                    })?;
                }
                segment.change.values.decode(rows.iter().copied(), &mut values, |shape, payload| {
                    let made = match shape {
                        Shape::List | Shape::Made => lost(results)?.stored(payload)?,
                        _ => self.decoder.made(shape, payload)?,
                    };
                    self.decoder.pinned.prepare(made)?;
                    Ok(made)
                })?;
                Ok(())
            })?;
        }
        Ok(frozen)
    }

    /// Sets the variables that are not set yet to nil, so that no object needs to get larger afterwards. Those that are
    /// written in place have room.
    fn make_room(&self, segments: &[Segment<'_>]) -> Result<FreshVariables, Trouble> {
        let nil = i64::from(Shape::Nil.tag());
        let mut unset = Vec::new();
        for segment in segments {
            let Scope::Class(_, _, name) = segment.scope else { continue };
            let was_nil: &dyn Fn(usize) -> bool = match segment.change.before.tags {
                // It has become set.
                _ if name.starts_with(SET) => &|_| true,
                Some(before) => &|row| before.bits(row) == nil,
                None => continue,
            };
            let name = name.strip_prefix(SET).unwrap_or(name);
            if !name.starts_with('@') {
                continue;
            }
            let id = value::intern(self.decoder.ruby, name);
            self.each_block(segment, |Block { rows, holders, .. }| {
                fallible::reserve(&mut unset, rows.len())?;
                for (row, object) in rows.iter().zip(holders) {
                    // SAFETY: the object is kept alive by `Pinned`.
                    let is_set = || unsafe { rb_sys::rb_ivar_defined(*object, id) } == value::TRUE;
                    if was_nil(*row) && !is_set() {
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

    /// Writes what is left, which takes no memory; `made` values had been prepared before those of the segments.
    fn write(&self, segments: &[Segment<'_>], mut made: usize) -> Result<(), Trouble> {
        for segment in segments {
            self.write_left(segment, &segment.change.values, || {
                made += 1;
                self.decoder.pinned.prepared(made - 1)
            })?;
        }
        Ok(())
    }

    /// Writes values to where nothing is written yet; `made` gives those that live on the heap.
    fn write_left(
        &self,
        segment: &Segment<'_>,
        from: &Values<'_>,
        mut made: impl FnMut() -> VALUE,
    ) -> Result<(), Trouble> {
        if segment.chunks.iter().all(|chunk| chunk.left().is_empty()) {
            return Ok(());
        }
        let mut values = [value::NIL; BLOCK];
        let mut access = match segment.scope {
            Scope::Class(class, _, name) => {
                Access::new(self.decoder.ruby, self.decoder.heap.pool.class(class), name)
            }
            Scope::Arrays(_) => Access::Missing,
        };
        self.each_block(segment, |Block { rows, holders, indices }| {
            from.decode(rows.iter().copied(), &mut values, |_, _| Ok(made()))?;
            let values = &values[..rows.len()];
            // SAFETY: holders and values are kept alive by `Pinned`, and no holder is frozen; objects are of the class, and
            // arrays no longer shared, as `prepare` has seen to it. What is raised (no memory) ends in `protect`; nothing in
            // the closure needs dropping.
            let mut write = || unsafe {
                match segment.scope {
                    Scope::Class(..) => access.write(holders, values),
                    Scope::Arrays(_) => store(holders, indices, values),
                }
                value::NIL
            };
            insist(|| Ok(protect(&mut write)?))?;
            Ok(())
        })
    }

    /// What makes values of the words that elements have written, if they have.
    fn results(&self) -> Result<Option<Results<'_>>, Error> {
        let schema = self.decoder.schema();
        let gives = matches!(schema.output, Output::Values | Output::Program | Output::Kept);
        let has_words = schema.stores_made || gives && !is_plain(&schema.result);
        has_words.then(|| Results::new(self.decoder)).transpose()
    }

    /// The values of all elements, or of some.
    fn map(&self, selection: Option<&[i32]>, results: &Option<Results<'_>>) -> Result<Value, Trouble> {
        let types = &self.decoder.schema().result;
        if !is_plain(types) {
            let results = lost(results)?;
            return match self.form {
                ResultForm::Flat => results.flat(),
                _ => results.all(selection),
            };
        }
        if self.form == ResultForm::Column && is_columnar(types) {
            return ValueColumn::results(self.decoder, selection);
        }
        let count = selection.map_or(self.decoder.heap.length, <[i32]>::len);
        let filling = Filling { decoder: self.decoder, count, selection };
        let kind = |part| BufferKind::Result(KernelId(0), part);
        let values = filling.values(&self.decoder.values(kind, types))?.as_value();
        match self.form {
            // These may be arrays that exist.
            ResultForm::Flat => Ok(values.funcall("flatten", (1,))?),
            _ => Ok(values),
        }
    }

    fn selection(&self) -> Result<&[i32], Error> {
        match self.decoder.buffer(&BufferKind::Selection) {
            Some(Column::I32(rows)) => Ok(rows),
            _ => Err(Error::Internal("a section without a selection".into())),
        }
    }

    fn select(&self, base: &Base) -> Result<RArray, Trouble> {
        let selection = self.selection()?;
        let filling = Filling { decoder: self.decoder, count: selection.len(), selection: Some(selection) };
        let columns = self.decoder.ruby.ary_new();
        for source in &base.columns {
            columns.push(filling.base(source)?)?;
        }
        Ok(columns)
    }
}

/// Do objects of Ruby's have what the column says? Of those that no user can name it is which variables are set.
fn is_ruby_s(column: &str) -> bool {
    !column.starts_with('#') || column.starts_with(SET)
}

fn lost<'a, 'b>(results: &'a Option<Results<'b>>) -> Result<&'a Results<'b>, Error> {
    results.as_ref().ok_or_else(|| Error::Internal("what elements have made is lost".into()))
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
