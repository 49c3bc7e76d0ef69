//! A run's buffers as Ruby values: what has changed, what the block gave, and what an element failed on.

use crate::reading::variables::BLOCK;
use crate::running::heap::Heap;
use crate::vm::errors::Trouble;
use crate::vm::integers;
use crate::vm::object_layout::variables_of;
use crate::vm::pinned::Pinned;
use crate::vm::value;
use crate::writing::born::{Born, Empty, Known, OfArrays, OfClass, Pairs, Variable};
use crate::writing::objects::{self, Maker, Origin, Whole};
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::{Column, Schema};
use ikra_core::infer::Inferred;
use ikra_core::ir::{BufferKind, Part, SiteId};
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{RArray, Ruby, Value, prelude::*};
use rb_sys::VALUE;
use std::cell::RefCell;
use std::hint::black_box;

/// Evaluates the last argument with a function that gives the value of a row of some [`Values`] where it is an immediate,
/// or with two, for values of the same types. These are functions of their own for each kind of column, since what is done
/// with them are inner loops.
macro_rules! immediates {
    ($values:expr, |$value:ident| $body:expr) => {
        immediates!($values, $values, |$value, _also| $body)
    };
    ($values:expr, $others:expr, |$value:ident, $other:ident| $body:expr) => {{
        let both: [&$crate::writing::decoder::Values<'_>; 2] = [$values, $others];
        match (both[0].single, both.map(|values| values.payload)) {
            (Some(Shape::Float), [Some(Column::F64(a)), Some(Column::F64(b))]) => {
                let [$value, $other] = [a, b].map(|all| |row: usize| value::small_float(all[row]));
                $body
            }
            (Some(Shape::Integer), [Some(Column::I64(a)), Some(Column::I64(b))]) => {
                let [$value, $other] = [a, b].map(|all| |row: usize| value::fixnum(all[row]));
                $body
            }
            (Some(Shape::Integer), [Some(Column::I32(a)), Some(Column::I32(b))]) => {
                let [$value, $other] = [a, b].map(|all| |row: usize| value::fixnum(i64::from(all[row])));
                $body
            }
            (Some(Shape::Bool), [Some(Column::Bool(a)), Some(Column::Bool(b))]) => {
                let [$value, $other] = [a, b].map(|all| |row: usize| Some(value::boolean(all[row] & 1 != 0)));
                $body
            }
            _ => {
                let [$value, $other] = both.map(|values| |row: usize| values.immediate(row));
                $body
            }
        }
    }};
}
pub(super) use immediates;

/// Payload and tags of one column, as they are now.
pub struct Values<'a> {
    pub payload: Option<&'a Column>,
    pub tags: Option<&'a Column>,
    /// The shape of all values, where there is one.
    pub single: Option<Shape>,
}

/// What a value is made from: shape and payload.
type Raw = (Shape, i64);

impl<'a> Values<'a> {
    pub fn of(variable: Variable, columns: &'a [Column]) -> Self {
        let [payload, tags] =
            [variable.payload, variable.tags].map(|buffer| buffer.map(|buffer| &columns[buffer]));
        Self { payload, tags, single: variable.single }
    }

    pub fn get(&self, row: usize) -> Result<Raw, Error> {
        let shape = match (self.tags, self.single) {
            (Some(tags), _) => Shape::of_tag(tags.bits(row) as i32),
            (None, single) => single,
        };
        let shape = shape.ok_or_else(|| Error::Internal("a value of no known shape".into()))?;
        Ok((shape, self.payload.map_or(0, |payload| payload.bits(row))))
    }

    /// The value of a row, where it is no object on the heap.
    pub fn immediate(&self, row: usize) -> Option<VALUE> {
        let (shape, payload) = self.get(row).ok()?;
        immediate(shape, payload)
    }

    /// The values of the next rows, as many as there is room for; gives their number. `make` gives those that live on
    /// the heap.
    pub fn decode(
        &self,
        mut rows: impl Iterator<Item = usize>,
        into: &mut [VALUE],
        mut make: impl FnMut(Shape, i64) -> Result<VALUE, Trouble>,
    ) -> Result<usize, Trouble> {
        let mut count = 0;
        immediates!(self, |immediate| {
            for (value, row) in into.iter_mut().zip(&mut rows) {
                *value = match immediate(row) {
                    Some(value) => value,
                    None => {
                        let (shape, payload) = self.get(row)?;
                        make(shape, payload)?
                    }
                };
                count += 1;
            }
        });
        Ok(count)
    }
}

/// Arrays of so few items are made with these.
const SHORT: usize = 16;

/// Everything that decoding looks at.
#[derive(Clone, Copy)]
pub struct Decoder<'a> {
    pub ruby: &'a Ruby,
    pub pinned: &'a Pinned,
    pub inferred: &'a Inferred,
    pub heap: &'a Heap,
    pub born: &'a Born,
    /// Sites that have raised exceptions of which Ruby keeps more than is known.
    pub untold: &'a RefCell<Vec<SiteId>>,
}

impl<'a> Decoder<'a> {
    pub fn schema(&self) -> &'a Schema {
        &self.inferred.schema
    }

    pub fn buffer(&self, kind: &BufferKind) -> Option<&'a Column> {
        let at = self.inferred.program.buffers.iter().position(|b| b.kind == *kind)?;
        Some(&self.heap.store.columns()[at])
    }

    /// The column as it was before, if the section has written it.
    pub fn before(&self, kind: &BufferKind) -> Option<&'a Column> {
        let at = self.inferred.program.buffers.iter().position(|b| b.kind == *kind)?;
        self.heap.store.before(at)
    }

    pub fn values(&self, kind: impl Fn(Part) -> BufferKind, types: &TypeSet) -> Values<'a> {
        Values {
            payload: self.buffer(&kind(Part::Payload)),
            tags: self.buffer(&kind(Part::Tag)),
            single: types.single_shape(),
        }
    }

    /// A value that may have to be made, which may raise.
    pub fn made(&self, shape: Shape, payload: i64) -> Result<VALUE, Trouble> {
        let made = black_box(self.made_empty(shape, payload)?);
        self.fill_born()?;
        Ok(made)
    }

    /// The same, where objects and arrays that the section has made may be empty still.
    pub fn made_empty(&self, shape: Shape, payload: i64) -> Result<VALUE, Trouble> {
        Ok(match shape {
            Shape::Integer => protect(|| value::integer(self.ruby, payload))?,
            Shape::Float => protect(|| value::float(self.ruby, f64::from_bits(payload as u64)))?,
            Shape::Array(kind) if self.is_made((shape, payload)) => self.made_array(kind, payload)?,
            Shape::Object(hierarchy) => match self.object(hierarchy, payload) {
                Some(object) => object,
                None => self.born_object(hierarchy, payload)?,
            },
            Shape::Proc => self.heap.procs.give(payload as u32)?,
            _ => self.existing(shape, payload)?,
        })
    }

    /// Is it an array that the driver has made?
    pub fn is_made(&self, (shape, payload): Raw) -> bool {
        matches!(shape, Shape::Array(kind) if self.array(kind, payload).is_none())
    }

    /// What a variable of the driver that others share can hold: see `BufferKind::Variable`.
    pub fn types_of_variable(&self, number: u32) -> &'a TypeSet {
        let Schema { accumulators, variables, .. } = self.schema();
        let number = number as usize;
        match accumulators.get(number) {
            Some(variable) => &variable.types,
            None => &variables[number - accumulators.len()].types,
        }
    }

    pub fn variable(&self, number: u32) -> Values<'a> {
        self.values(|part| BufferKind::Variable(number, part), self.types_of_variable(number))
    }

    /// An object that the section has made: each is one in Ruby.
    fn born_object(&self, hierarchy: HierarchyId, id: i64) -> Result<VALUE, Trouble> {
        if let Some(known) = self.born.object(hierarchy, id) {
            return Ok(known);
        }
        let (row, class) = self.row_of_born(hierarchy, id)?;
        if class == ClassId::STRING {
            let string =
                black_box(self.born.string(self.inferred, self.heap.store.columns(), hierarchy, row)?);
            self.pinned.hold(string)?;
            self.know(Shape::Object(hierarchy), id, string)?;
            return Ok(string);
        }
        let of_class = self.born.class(self.ruby, &self.heap.pool, self.inferred, (hierarchy, class))?;
        if let Some(parts) = of_class.maker.whole() {
            let part =
                |place: usize| Values::of(of_class.variables[place], self.heap.store.columns()).get(row);
            let number = black_box(match parts {
                Whole::Words(place) => {
                    let (shape, payload) = part(place)?;
                    integers::of_words(black_box(self.made_empty(shape, payload)?))?
                }
                Whole::Wide(low, high) => integers::of_two_words(part(low)?.1, part(high)?.1)?,
                Whole::Day(place) => {
                    let freezes = of_class.maker.freezes();
                    let is_frozen = freezes.map(part).transpose()?.is_some_and(|(_, frozen)| frozen & 1 != 0);
                    objects::make_date(self.ruby, part(place)?.1, is_frozen)?
                }
            });
            self.pinned.hold(number)?;
            self.know(Shape::Object(hierarchy), id, number)?;
            return Ok(number);
        }
        let object = black_box(of_class.maker.allocate()?);
        self.pinned.hold(object)?;
        self.know(Shape::Object(hierarchy), id, object)?;
        self.born.fill_later(Empty::Object(of_class, row, object))?;
        Ok(object)
    }

    /// What the section has made under this number is Ruby's now. That Ruby may see it before the section ends is true of
    /// all where there is an `Ikra.sync`.
    fn know(&self, shape: Shape, number: i64, value: VALUE) -> Result<(), NoMemory> {
        self.born.add(Known { shape, number, value }, !self.schema().syncs.is_empty())
    }

    /// Fills what the section has made and is empty, and what is made meanwhile.
    pub fn fill_born(&self) -> Result<(), Trouble> {
        let mut hashes = Vec::new();
        loop {
            match self.born.next() {
                Some(Empty::Object(of_class, row, object)) => self.fill_object(&of_class, row, object)?,
                Some(Empty::Array(kind, id, array)) => {
                    self.fill_array(kind, id, array)?;
                    self.freeze_as_told(kind, id, array)?;
                }
                None => match self.born.next_hash() {
                    Some((kind, id, hash)) => {
                        fallible::push(&mut hashes, (kind, id, self.pairs(kind, id, hash)?))?;
                    }
                    None => break,
                },
            }
        }
        // Keys are looked at by what they hold.
        for (kind, id, (hash, pairs)) in hashes {
            pairs.put_into(hash)?;
            self.freeze_as_told(kind, id, hash)?;
        }
        Ok(())
    }

    /// An array or Hash that the section has made has got what it holds: it is frozen, if the section has done that.
    fn freeze_as_told(&self, kind: ArrayKind, id: i64, value: VALUE) -> Result<(), Trouble> {
        if self.is_frozen(kind, id)? {
            // SAFETY: `Pinned` keeps it alive; what is raised ends in `protect`.
            protect(|| unsafe { rb_sys::rb_obj_freeze(value) })?;
        }
        Ok(())
    }

    /// Is an array or Hash frozen in the section?
    pub fn is_frozen(&self, kind: ArrayKind, id: i64) -> Result<bool, Error> {
        // Of a Hash its keys say so.
        let kind = self.schema().hashes.get(&kind).map_or(kind, |[keys, ..]| *keys);
        Ok(self.born.is_frozen(self.inferred, self.heap.store.columns(), kind, id)?)
    }

    /// A Hash that the section has made, with its keys and values, which may be empty still.
    fn pairs(&self, kind: ArrayKind, id: i64, hash: VALUE) -> Result<(VALUE, Pairs), Trouble> {
        let schema = self.schema();
        let lost = || Error::Internal("a Hash that was made is none".into());
        let [keys, values, _] = *schema.hashes.get(&kind).ok_or_else(lost)?;
        let given = match schema.given_defaults.get(&kind) {
            Some(given) => black_box(self.items(*given, id)?.as_raw()),
            None => value::NIL,
        };
        // SAFETY: `Pinned` keeps the array alive.
        let given = if given == value::NIL { None } else { unsafe { value::items(given) }.first().copied() };
        if let Some(given) = given {
            // SAFETY: as above; what is raised ends in `protect`.
            protect(|| unsafe { rb_sys::rb_hash_set_ifnone(hash, given) })?;
        } else if let Some(default) = schema.hash_defaults.get(&kind) {
            let default = self.items(*default, id)?;
            // SAFETY: `Pinned` keeps the array alive; what is raised ends in `protect`.
            let first = unsafe { value::items(default.as_raw()) }.first().copied().ok_or_else(lost)?;
            // SAFETY: as above.
            protect(|| unsafe { rb_sys::rb_hash_set_ifnone(hash, first) })?;
        }
        if let (Some(number), None) = (schema.hash_blocks.get(&kind), given) {
            let block = black_box(self.heap.procs.give(*number)?);
            // SAFETY: `Pinned` keeps both alive.
            let [hash, block] = unsafe { [Value::from_raw(hash), Value::from_raw(block)] };
            hash.funcall::<_, _, Value>("default_proc=", (block,))?;
        }
        let [keys, values] = [self.items(keys, id)?, self.items(values, id)?];
        Ok((hash, Pairs { keys: keys.as_raw(), values: values.as_raw() }))
    }

    /// A new array of the items of one that is there.
    pub fn items(&self, kind: ArrayKind, id: i64) -> Result<RArray, Trouble> {
        let (_, _, length) = self.span_of_array(kind, id)?;
        let array = protect_array(self.ruby, length)?;
        self.pinned.hold(array.as_raw())?;
        self.fill_array(kind, id, array.as_raw())?;
        Ok(array)
    }

    fn fill_object(&self, of_class: &OfClass, row: usize, object: VALUE) -> Result<(), Trouble> {
        let OfClass { maker, variables } = of_class;
        let mut block = [value::NIL; BLOCK];
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let block = black_box(&mut block);
        let Some(values) = block.get_mut(..variables.len()) else {
            return Err(Trouble::Plain(format!(
                "an object of more than {BLOCK} variables was made in a section"
            )));
        };
        let columns = self.heap.store.columns();
        let mut order = 0;
        for (place, (value, variable)) in values.iter_mut().zip(variables).enumerate() {
            let (shape, payload) = Values::of(*variable, columns).get(row)?;
            if place == maker.order() {
                order = payload;
                continue;
            }
            *value = match (immediate(shape, payload), shape) {
                (Some(value), _) => value,
                (None, Shape::Array(kind)) if maker.state() == Some(place) => {
                    self.items(kind, payload)?.as_raw()
                }
                _ => self.made_empty(shape, payload)?,
            };
        }
        let order = maker.order_of(self.ruby, self.schema(), order)?;
        maker.set(object, &order, values, self.origin(maker, values)?)
    }

    /// Of what an object is a copy, by the values of its variables.
    pub fn origin(&self, maker: &Maker, values: &[VALUE]) -> Result<Option<Origin>, Trouble> {
        let Some(mut number) = maker.original_of(values) else { return Ok(None) };
        let hierarchy = self.heap.pool.place(maker.class()).0;
        let mut later = Vec::new();
        let object = loop {
            if let Some(object) = self.object(hierarchy, number) {
                break Some(object);
            }
            // That one was made by the section too, and may be empty still.
            let (row, class) = self.row_of_born(hierarchy, number)?;
            let of_class = self.born.class(self.ruby, &self.heap.pool, self.inferred, (hierarchy, class))?;
            let word = |place: Option<usize>| {
                let buffer = place.and_then(|place| of_class.variables[place].payload);
                buffer.map_or(0, |buffer| self.heap.store.columns()[buffer].bits(row))
            };
            let order = word(Some(of_class.maker.order()));
            let order = of_class.maker.order_of(self.ruby, self.schema(), order)?;
            later.push(of_class.maker.names_of(&order).collect::<Vec<_>>());
            match word(of_class.maker.original()) {
                0 => break None,
                next => number = next - 1,
            }
        };
        let mut names = object.map_or_else(Vec::new, variables_of);
        for name in later.into_iter().rev().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(Some(Origin { object: object.unwrap_or(value::NIL), names }))
    }

    fn row_of_born(&self, hierarchy: HierarchyId, id: i64) -> Result<(usize, ClassId), Error> {
        let places = self.born.places(self.inferred, hierarchy)?;
        self.row_in(places.map(|places| &self.heap.store.columns()[places]), hierarchy, id)
    }

    pub fn class_of_born(&self, hierarchy: HierarchyId, id: i64) -> Option<ClassId> {
        self.row_of_born(hierarchy, id).ok().map(|(_, class)| class)
    }

    /// The row of an object that the section has made, and its class, by the column of the classes' places.
    pub fn row_in(
        &self,
        places: Option<&Column>,
        hierarchy: HierarchyId,
        id: i64,
    ) -> Result<(usize, ClassId), Error> {
        let place = places.zip(usize::try_from(id).ok()).filter(|(places, row)| *row < places.len());
        let class = place.and_then(|(places, row)| {
            let classes = self.heap.ids.classes(hierarchy);
            classes.get(places.bits(row) as usize).map(|class| (row, *class))
        });
        class.ok_or_else(|| Error::Internal(format!("{hierarchy:?} {id} stands for no object")))
    }

    /// An array that the section has made: each is one array in Ruby.
    fn made_array(&self, kind: ArrayKind, id: i64) -> Result<VALUE, Trouble> {
        if let Some(known) = self.born.array(kind, id) {
            return Ok(known);
        }
        let shape = Shape::Array(kind);
        if self.schema().hashes.contains_key(&kind) {
            // SAFETY: what it raises ends in `protect`.
            let hash = black_box(protect(|| unsafe { rb_sys::rb_hash_new() })?);
            self.pinned.hold(hash)?;
            self.know(shape, id, hash)?;
            self.born.fill_hash_later(kind, id, hash)?;
            return Ok(hash);
        }
        let (of, offset, length) = self.span_of_array(kind, id)?;
        if of.flat && length <= SHORT {
            // On the stack, and known to others, so that the garbage collector sees what was made.
            let mut block = [value::NIL; SHORT];
            let block = black_box(&mut block);
            let values = Values::of(of.items, self.heap.store.columns());
            let make = |shape, payload| self.made_empty(shape, payload);
            let count = values.decode(offset..offset + length, &mut block[..length], make)?;
            let (first, count) = (block.as_ptr(), count as std::ffi::c_long);
            // SAFETY: all are live; what it raises ends in `protect`.
            let array = black_box(protect(|| unsafe { rb_sys::rb_ary_new_from_values(count, first) })?);
            self.pinned.hold(array)?;
            self.freeze_as_told(kind, id, array)?;
            self.know(shape, id, array)?;
            return Ok(array);
        }
        let array = protect_array(self.ruby, length)?.as_raw();
        self.pinned.hold(array)?;
        self.know(shape, id, array)?;
        self.born.fill_later(Empty::Array(kind, id, array))?;
        Ok(array)
    }

    /// Where an array that the section has made has its items, and how many.
    pub fn span_of_array(&self, kind: ArrayKind, id: i64) -> Result<(OfArrays, usize, usize), Error> {
        let columns = self.heap.store.columns();
        let of = self.born.arrays(self.inferred, kind)?;
        let row = |list: usize| {
            let column = Some(&columns[list]);
            let column = column.filter(|column| usize::try_from(id).is_ok_and(|id| id < column.len()));
            column.map(|column| column.bits(id as usize) as usize)
        };
        let place = of.and_then(|of| Some((of, row(of.offset)?, row(of.length)?)));
        place.ok_or_else(|| Error::Internal(format!("array {id} of {kind:?} is not there")))
    }

    fn fill_array(&self, kind: ArrayKind, id: i64, array: VALUE) -> Result<(), Trouble> {
        let (of, offset, length) = self.span_of_array(kind, id)?;
        // SAFETY: the array was made above, and `Pinned` keeps it alive.
        let array = RArray::from_value(unsafe { Value::from_raw(array) });
        let array = array.ok_or_else(|| Error::Internal("an array is none".into()))?;
        self.push_all(array, &Values::of(of.items, self.heap.store.columns()), offset..offset + length)
    }

    /// A value that is there already: an immediate, or one of the objects and arrays found.
    fn existing(&self, shape: Shape, payload: i64) -> Result<VALUE, Error> {
        let found = match shape {
            Shape::Nil => Some(value::NIL),
            Shape::Bool => Some(value::boolean(payload & 1 != 0)),
            Shape::Symbol => self.heap.symbols.get(payload as i32),
            Shape::Object(hierarchy) => self.object(hierarchy, payload),
            Shape::Array(kind) => self.array(kind, payload),
            Shape::Module => {
                let class = u32::try_from(payload).ok().map(ClassId);
                class.map(|class| self.heap.pool.class(class))
            }
            Shape::Integer | Shape::Float | Shape::Proc | Shape::List | Shape::Made | Shape::Local => None,
        };
        found.ok_or_else(|| Error::Internal(format!("{shape:?} {payload} stands for no value")))
    }

    /// A value that Ruby has, if it is no number.
    pub fn known(&self, shape: Shape, payload: i64) -> Option<VALUE> {
        match shape {
            Shape::Object(hierarchy) => {
                self.object(hierarchy, payload).or_else(|| self.born.object(hierarchy, payload))
            }
            Shape::Array(kind) => self.array(kind, payload).or_else(|| self.born.array(kind, payload)),
            shape => self.existing(shape, payload).ok(),
        }
    }

    /// The object with an id of a hierarchy.
    pub fn object(&self, hierarchy: HierarchyId, id: i64) -> Option<VALUE> {
        self.heap.ids.object(self.pinned, hierarchy, u32::try_from(id).ok()?)
    }

    fn array(&self, kind: ArrayKind, id: i64) -> Option<VALUE> {
        self.pinned.array(kind.0, usize::try_from(id).ok()?)
    }

    pub fn object_value(&self, hierarchy: HierarchyId, id: i64) -> Option<Value> {
        let object = self.object(hierarchy, id).or_else(|| self.made(Shape::Object(hierarchy), id).ok());
        // SAFETY: `Pinned` keeps it alive.
        object.map(|object| unsafe { Value::from_raw(object) })
    }

    pub fn array_value(&self, kind: ArrayKind, id: i64) -> Option<Value> {
        let array = self.array(kind, id).or_else(|| self.made(Shape::Array(kind), id).ok());
        // SAFETY: `Pinned` keeps it alive.
        array.map(|array| unsafe { Value::from_raw(array) })
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
            let count = values.decode(&mut rows, block, |shape, payload| self.made_empty(shape, payload))?;
            append(array, &block[..count])?;
            if count < BLOCK {
                return Ok(());
            }
        }
    }
}

/// An array with room for so many items.
fn protect_array(ruby: &Ruby, capacity: usize) -> Result<RArray, Trouble> {
    // SAFETY: it takes any number that memory allows, and raises otherwise.
    let array = protect(|| unsafe { rb_sys::rb_ary_new_capa(capacity as std::ffi::c_long) })?;
    // SAFETY: the array was just made.
    let array = RArray::from_value(unsafe { Value::from_raw(array) });
    array.ok_or_else(|| Trouble::Raised(magnus::Error::new(ruby.exception_type_error(), "an array is none")))
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
