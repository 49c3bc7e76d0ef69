//! A run's buffers as Ruby values: what has changed, what the block gave, and what an element failed on.

use crate::reading::variables::BLOCK;
use crate::running::heap::Heap;
use crate::vm::errors::Trouble;
use crate::vm::pinned::Pinned;
use crate::vm::value;
use ikra_core::error::Error;
use ikra_core::heap::{Column, Schema};
use ikra_core::infer::Inferred;
use ikra_core::ir::{BufferKind, Part};
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{RArray, Ruby, Value};
use rb_sys::VALUE;
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

impl Values<'_> {
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

/// Everything that decoding looks at.
#[derive(Clone, Copy)]
pub struct Decoder<'a> {
    pub ruby: &'a Ruby,
    pub pinned: &'a Pinned,
    pub inferred: &'a Inferred,
    pub heap: &'a Heap,
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
        Ok(match shape {
            Shape::Integer => protect(|| value::integer(self.ruby, payload))?,
            Shape::Float => protect(|| value::float(self.ruby, f64::from_bits(payload as u64)))?,
            Shape::Array(kind) if self.is_made((shape, payload)) => self.made_array(kind, payload)?,
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

    /// An array that the driver has made: each is one array in Ruby.
    fn made_array(&self, kind: ArrayKind, id: i64) -> Result<VALUE, Trouble> {
        let key = (kind.0, id);
        if let Some(known) = self.heap.made.borrow().get(&key) {
            return Ok(*known);
        }
        let schema = self.schema().arrays.iter().find(|array| array.kind == kind);
        let row = |list: BufferKind| {
            let column =
                self.buffer(&list).filter(|column| usize::try_from(id).is_ok_and(|id| id < column.len()));
            column.map(|column| column.bits(id as usize) as usize)
        };
        let place = schema.zip(row(BufferKind::ArrayOffset(kind))).zip(row(BufferKind::ArrayLength(kind)));
        let Some(((schema, offset), length)) = place else {
            return Err(Error::Internal(format!("array {id} of {kind:?} is not there")).into());
        };
        let values = self.values(|part| BufferKind::ArrayValues(kind, part), &schema.stored.types);
        let array = protect_array(self.ruby, length)?;
        self.pinned.pin(array.as_raw());
        self.heap.made.borrow_mut().insert(key, array.as_raw());
        self.push_all(array, &values, offset..offset + length)?;
        Ok(array.as_raw())
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
            Shape::Integer | Shape::Float | Shape::List | Shape::Made | Shape::Proc | Shape::Local => None,
        };
        found.ok_or_else(|| Error::Internal(format!("{shape:?} {payload} stands for no value")))
    }

    /// The object with an id of a hierarchy.
    fn object(&self, hierarchy: HierarchyId, id: i64) -> Option<VALUE> {
        self.heap.ids.object(self.pinned, hierarchy, u32::try_from(id).ok()?)
    }

    fn array(&self, kind: ArrayKind, id: i64) -> Option<VALUE> {
        self.pinned.array(kind.0, usize::try_from(id).ok()?)
    }

    pub fn object_value(&self, hierarchy: HierarchyId, id: i64) -> Option<Value> {
        // SAFETY: `Pinned` keeps it alive.
        self.object(hierarchy, id).map(|object| unsafe { Value::from_raw(object) })
    }

    pub fn array_value(&self, kind: ArrayKind, id: i64) -> Option<Value> {
        // SAFETY: `Pinned` keeps it alive.
        self.array(kind, id).map(|array| unsafe { Value::from_raw(array) })
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
            let count = values.decode(&mut rows, block, |shape, payload| self.made(shape, payload))?;
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
