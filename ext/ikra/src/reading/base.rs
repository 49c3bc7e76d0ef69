//! What a section is called on, as `lib/ikra/bases.rb` finds it: columns with a value for each element, and what of
//! them the block gets.
//!
//! - A column is an Array, or a *series*: first Integer and step, of which the index is one. A series is computed from
//!   the element's index, in the IR (`infer/elements.rs`), and takes no memory: Ranges and arithmetic sequences of
//!   Integers, `times`, `upto`, `downto`, the numbers of `each_with_index` and `with_index(offset)`.
//! - What `each` yields are one or several *forms*: a column, or an array of forms that is made for each element. A
//!   Hash has two columns, keys and values, and yields the pair of them; `hash.each_with_index` yields `[[0, 1], 2]`.
//!   Inference makes tuples of these, which is scalar replacement: no pair is ever made, and a key has a type of its
//!   own.
//! - Columns that the block has no use for, as its text says (`infer/unread.rs`), are not read: the keys in
//!   `prices.pmap { |name, price| price * 2 }`.
//! - One column is the *own* one (`heap/schema.rs`), by which elements are known: the last that holds objects (the
//!   values of a Hash, the items of `each_with_index`), or else the first of several types. Entries are those of its
//!   classes, repeats of its objects make rounds, and its objects are the element itself, whose variables need not be
//!   watched. It is `BufferKind::Base`; the others are `Beside`, and what they hold is told by tags.
//! - Arrays and Structs that `each` looks at all the time (`looked_at`) must not be written by the section, as it would
//!   have gone on with other elements: that is refused before it runs. So are variables of an object of the user's which
//!   its `each` reads (`read`).
//! - A Column of the user's is one more source of a column of the base. Nothing is read: its type says what the items
//!   are. If the Column is all of its memory, the buffer is that memory (`heap::Column::Shared`), else a copy of its
//!   rows. `float32` is widened; an `int32` that nobody writes is an Integer of 32 bits.
//!
//! A version of a section is for one such description: for columns of the same sorts, the same forms, and items of
//! types that it knows. Where a Range begins and ends are arguments.

use crate::vm::column;
use crate::vm::pinned::Pinned;
use ikra_core::heap::TypedArray;
use ikra_core::heap::schema::Form;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, Ruby, Symbol, TryConvert, Value, prelude::*};
use std::ops::Range;

/// Where the values of a column are.
#[derive(Clone, Debug)]
pub enum Source {
    /// The items of an Array.
    Items(RArray),
    Series(Series),
    /// Those of an `Ikra::Column`.
    Memory(Snapshot),
}

/// What an `Ikra::Column` held when the section was called.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub array: TypedArray,
    pub rows: Range<usize>,
}

/// Integers at equal distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Series {
    pub first: i64,
    pub step: i64,
    /// So many of them are those of elements that have run before.
    pub done: u64,
}

impl Series {
    /// Is it the elements' indices?
    pub fn is_index(self) -> bool {
        (self.first, self.step) == (0, 1)
    }

    /// The Integer at an index that the base has.
    pub fn at(self, index: usize) -> i64 {
        self.first.wrapping_add(self.step.wrapping_mul(self.done as i64 + index as i64))
    }

    /// Do so many of them fit 32 bits?
    pub fn is_narrow(self, length: usize) -> bool {
        [0, length.saturating_sub(1)].into_iter().all(|index| i32::try_from(self.at(index)).is_ok())
    }
}

#[derive(Clone, Debug)]
pub struct Base {
    pub columns: Vec<Source>,
    /// The number of elements, where no column is an Array.
    pub length: u64,
    pub arguments: Vec<Form>,
    pub takes_apart: bool,
    /// What goes through the elements looks at these: arrays and Structs.
    pub looked_at: Vec<Value>,
    /// An object of the user's whose `each` was gone through, and the variables of it that `each` reads.
    pub read: Option<(Value, Vec<String>)>,
    /// The arrays that are items were made by `each`, which would make others in each tick.
    pub makes_items: bool,
    /// What comes of it are columns again, no Arrays.
    pub is_column: bool,
    /// The operation changes what is looked at.
    pub is_changed: bool,
    /// The operation that looks into what the block gives, as it comes.
    pub compared_by: Option<Symbol>,
}

impl Base {
    /// `done`: so many elements have run before these, and Series begin with those. `form`: how many elements there are, what the block gets, whether it takes that apart, what is looked at, whether
    /// items were made, whether it is an `Ikra::Column`, whether the operation changes what is looked at, which one
    /// looks into what the block gives, and what `each` reads of which object. Without it `columns` is the only one, an Array that the section is called on. The caller has both on the stack, as
    /// arguments of a method.
    pub fn new(columns: RArray, form: Option<RArray>, done: u64) -> Result<Self, Error> {
        let Some(form) = form else {
            return Ok(Self {
                columns: vec![Source::Items(columns)],
                length: 0,
                arguments: vec![Form::Column(0)],
                takes_apart: false,
                looked_at: vec![columns.as_value()],
                read: None,
                makes_items: false,
                is_column: false,
                is_changed: false,
                compared_by: None,
            });
        };
        let (length, arguments, takes_apart, looked_at, makes_items, is_column, is_changed, compared_by, read) =
            <(u64, RArray, bool, RArray, bool, bool, bool, Option<Symbol>, Option<(Value, Vec<String>)>)>::try_convert(
                form.as_value(),
            )?;
        let column = |column: Value| match (RArray::from_value(column), column::of(column)) {
            (Some(items), _) => Ok(Source::Items(items)),
            (None, Some(column)) => {
                Ok(Source::Memory(Snapshot { array: column.memory.snapshot(), rows: column.rows() }))
            }
            (None, None) => {
                let (first, step) = (column.funcall("first", ())?, column.funcall("step", ())?);
                Ok(Source::Series(Series { first, step, done }))
            }
        };
        let columns: Vec<Source> = columns.into_iter().map(column).collect::<Result<_, Error>>()?;
        let mut lengths = columns.iter().filter_map(|column| match column {
            Source::Items(items) => Some(items.len()),
            Source::Memory(snapshot) => Some(snapshot.rows.len()),
            Source::Series(_) => None,
        });
        let first = lengths.next();
        if lengths.any(|length| Some(length) != first) {
            let message = "the columns of a base are not of one length";
            return Err(Error::new(Ruby::get_with(form).exception_arg_error(), message));
        }
        Ok(Self {
            columns,
            length,
            arguments: arguments.into_iter().map(parse).collect::<Result<_, _>>()?,
            takes_apart,
            looked_at: looked_at.into_iter().collect(),
            read,
            makes_items,
            is_column,
            is_changed,
            compared_by,
        })
    }

    /// Keeps all that it is made of alive.
    pub fn pin(&self, pinned: &Pinned) {
        for column in &self.columns {
            if let Source::Items(items) = column {
                pinned.pin(items.as_raw());
            }
        }
        for object in self.looked_at.iter().chain(self.read.iter().map(|(object, _)| object)) {
            pinned.pin(object.as_raw());
        }
    }

    /// From now on the arrays are copies, which nobody changes. A subclass of Array may have a `dup` of its own.
    pub fn copy_items(&mut self, pinned: &Pinned) -> Result<(), Error> {
        for column in &mut self.columns {
            if let Source::Items(items) = column {
                // SAFETY: the array is live, and the copy was just made.
                let copy = protect(|| unsafe { rb_sys::rb_ary_dup(items.as_raw()) })?;
                pinned.pin(copy);
                // SAFETY: as above.
                *items = RArray::try_convert(unsafe { Value::from_raw(copy) })?;
            }
        }
        Ok(())
    }

    /// How many elements there are now.
    pub fn len(&self) -> u64 {
        let items = self.columns.iter().find_map(|column| match column {
            Source::Items(items) => Some(items.len() as u64),
            Source::Series(_) | Source::Memory(_) => None,
        });
        items.unwrap_or(self.length)
    }
}

/// A column's number, or a list of forms.
fn parse(value: Value) -> Result<Form, Error> {
    match RArray::from_value(value) {
        Some(parts) => Ok(Form::Tuple(parts.into_iter().map(parse).collect::<Result<_, _>>()?)),
        None => Ok(Form::Column(u32::try_convert(value)?)),
    }
}
