//! The methods of `Ikra::Column` that take its memory; `lib/ikra/column.rb` has the others.

use crate::vm::column::{self, Column};
use crate::vm::errors::Trouble;
use crate::vm::value::{self, Decoded, decode};
use crate::writing::{columns, exceptions};
use ikra_core::error::Error as CoreError;
use ikra_core::error::NoMemory;
use ikra_core::heap::TypedArray;
use ikra_core::heap::typed_array::Item;
use ikra_core::memory;
use ikra_core::types::ItemType;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::typed_data::Obj;
use magnus::value::ReprValue;
use magnus::{
    Error, IntoValue, RArray, RModule, RString, Ruby, Symbol, TryConvert, TypedData, Value, function, method,
    prelude::*,
};
use parking_lot::MutexGuard;
use rb_sys::VALUE;
use std::ffi::c_long;
use std::hint::black_box;
use std::ops::Range;

/// So many items are made at a time.
const BLOCK: usize = 256;

/// Defines methods of Array that look at all items, and are the same for a column's.
macro_rules! of_array {
    ($class:expr, $($name:literal)*) => {
        $({
            fn call(ruby: &Ruby, this: Obj<Column>, args: &[Value]) -> Result<Value, Error> {
                let array = to_a(ruby, this)?;
                match ruby.block_given() {
                    true => array.funcall_with_block($name, args, ruby.block_proc()?),
                    false => array.funcall($name, args),
                }
            }
            $class.define_method($name, method!(call, -1))?;
        })*
    };
}

pub fn init(ruby: &Ruby, ikra: RModule, native: RModule) -> Result<(), Error> {
    let class = ikra.define_class("Column", ruby.class_object())?;
    class.undef_default_alloc_func();
    class.include_module(ruby.module_enumerable())?;
    // See `gc_roots.rs`.
    <Column as TypedData>::class(ruby);
    native.define_singleton_method("column", function!(make, 2))?;
    native.define_singleton_method("column_of", function!(from_array, 2))?;
    native.define_singleton_method("column_of_bytes", function!(from_bytes, 2))?;
    native.define_singleton_method("column_holds", function!(holds, 1))?;
    class.define_method("[]", method!(get, -1))?;
    class.define_method("slice", method!(get, -1))?;
    class.define_method("at", method!(at, 1))?;
    class.define_method("[]=", method!(set, -1))?;
    class.define_method("fetch", method!(fetch, -1))?;
    class.define_method("size", method!(size, 0))?;
    class.define_method("length", method!(size, 0))?;
    class.define_method("empty?", method!(is_empty, 0))?;
    class.define_method("type", method!(item_type, 0))?;
    class.define_method("each", method!(each, 0))?;
    class.define_method("each_index", method!(each_index, 0))?;
    class.define_method("reverse_each", method!(reverse_each, 0))?;
    class.define_method("first", method!(first, -1))?;
    class.define_method("last", method!(last, -1))?;
    class.define_method("to_a", method!(to_a, 0))?;
    class.define_method("entries", method!(to_a, 0))?;
    class.define_method("to_packed", method!(to_packed, 0))?;
    class.define_method("fill", method!(fill, 1))?;
    class.define_method("==", method!(equals, 1))?;
    native.define_singleton_method("column_place", function!(place, 1))?;
    native.define_singleton_method("column_sorted", function!(sorted, 1))?;
    native.define_singleton_method("column_scan", function!(scan, 2))?;
    native.define_singleton_method("column_take_over", function!(take_over, 2))?;
    class.define_method("dup", method!(dup, 0))?;
    of_array! {
        class,
        "count" "drop" "find_index" "include?" "index" "max" "member?" "min" "minmax" "reverse" "rindex" "sort" "sum" "take"
    };
    Ok(())
}

pub fn failed(ruby: &Ruby, error: impl Into<CoreError>) -> Error {
    exceptions::exception(ruby, Trouble::from(error.into()))
}

/// The memory, with the numbers on the host.
fn home<'a>(ruby: &Ruby, column: &'a Column) -> Result<MutexGuard<'a, TypedArray>, Error> {
    column.memory.home().map_err(|error| failed(ruby, error))
}

/// What it holds now, on the host.
pub fn snapshot(ruby: &Ruby, column: &Column) -> Result<TypedArray, Error> {
    Ok(home(ruby, column)?.clone())
}

/// Where the numbers are: on the host, on a device.
fn place(this: Obj<Column>) -> (bool, bool) {
    this.memory.snapshot().place()
}

/// A type by its name; what Ruby says knows no other.
fn type_of(ruby: &Ruby, name: Symbol) -> Result<ItemType, Error> {
    let name = name.name()?;
    let found = ItemType::ALL.into_iter().find(|ty| ty.name() == name);
    found.ok_or_else(|| Error::new(ruby.exception_arg_error(), format!("unknown type of a column: {name}")))
}

pub fn new_column(ruby: &Ruby, array: Result<TypedArray, impl Into<CoreError>>) -> Result<Value, Error> {
    let array = array.map_err(|error| failed(ruby, error))?;
    memory::rest();
    Ok(column::wrap(ruby, Column::whole(ruby, array)))
}

/// So many zeros, or false.
fn make(ruby: &Ruby, count: usize, ty: Symbol) -> Result<Value, Error> {
    new_column(ruby, TypedArray::zeros(type_of(ruby, ty)?, count))
}

fn from_array(ruby: &Ruby, array: RArray, ty: Symbol) -> Result<Value, Error> {
    let ty = type_of(ruby, ty)?;
    let mut made = TypedArray::zeros(ty, array.len()).map_err(|error| failed(ruby, error))?;
    for row in 0..made.len() {
        // What asks an item how it looks may change the array.
        let item = array.entry::<Value>(row as isize)?;
        made.set(row, item_of(ruby, ty, item)?).map_err(|error| failed(ruby, error))?;
    }
    new_column(ruby, Ok::<_, NoMemory>(made))
}

fn from_bytes(ruby: &Ruby, bytes: RString, ty: Symbol) -> Result<Value, Error> {
    let ty = type_of(ruby, ty)?;
    // SAFETY: nothing of Ruby runs while the bytes are copied.
    let made = TypedArray::of_bytes(ty, unsafe { bytes.as_slice() });
    new_column(ruby, made)
}

/// The name of the type whose columns hold all items; nil where there is none.
fn holds(ruby: &Ruby, array: RArray) -> Option<Symbol> {
    let mut found = None;
    // SAFETY: nothing of Ruby runs that could change the array.
    for item in unsafe { value::items(array.as_raw()) } {
        let ty = match decode(*item) {
            Decoded::Float(_) => ItemType::Float64,
            Decoded::Integer(_) => ItemType::Int64,
            Decoded::Bool(_) => ItemType::Bool,
            _ => return None,
        };
        if *found.get_or_insert(ty) != ty {
            return None;
        }
    }
    found.map(|ty| ruby.to_symbol(ty.name()))
}

/// What is stored for a value.
fn item_of(ruby: &Ruby, ty: ItemType, given: Value) -> Result<Item, Error> {
    let decoded = decode(given.as_raw());
    Ok(match (ty, decoded) {
        (ItemType::Float64 | ItemType::Float32, Decoded::Float(number)) => Item::Float(number),
        (ItemType::Float64 | ItemType::Float32, Decoded::Integer(number)) => Item::Float(number as f64),
        (ItemType::Float64 | ItemType::Float32, Decoded::Huge) => {
            // SAFETY: a bignum; what is too large is infinite.
            Item::Float(unsafe { rb_sys::rb_big2dbl(given.as_raw()) })
        }
        (ItemType::Int64, Decoded::Integer(number)) => Item::Integer(number),
        (ItemType::Int32, Decoded::Integer(number)) if i32::try_from(number).is_ok() => Item::Integer(number),
        (ItemType::Int64 | ItemType::Int32, Decoded::Integer(_) | Decoded::Huge) => {
            let message = format!("{} does not fit {}", given.inspect(), ty.name());
            return Err(Error::new(ruby.exception_range_error(), message));
        }
        (ItemType::Bool, Decoded::Bool(truth)) => Item::Bool(truth),
        (_, other) => {
            let what = match other {
                Decoded::Nil => "nil".into(),
                Decoded::Bool(truth) => truth.to_string(),
                // SAFETY: the class is live.
                _ => unsafe { given.classname() }.into_owned(),
            };
            let message = format!("no implicit conversion of {what} into {}", ty.name());
            return Err(Error::new(ruby.exception_type_error(), message));
        }
    })
}

/// The Ruby object. May raise where there is no memory for it.
fn object(ruby: &Ruby, item: Item) -> VALUE {
    match item {
        Item::Float(number) => value::float(ruby, number),
        Item::Integer(number) => value::integer(ruby, number),
        Item::Bool(truth) => value::boolean(truth),
    }
}

fn value_of(ruby: &Ruby, item: Item) -> Result<Value, Error> {
    let object = protect(|| object(ruby, item))?;
    // SAFETY: it was just made.
    Ok(unsafe { Value::from_raw(object) })
}

fn item_at(ruby: &Ruby, column: &Column, row: usize) -> Result<Item, Error> {
    Ok(home(ruby, column)?.get(column.start + row))
}

/// As Array#[] takes an index.
fn index_of(given: Value) -> Result<i64, Error> {
    let mut index: c_long = 0;
    protect(|| {
        // SAFETY: the value is live; what is raised ends in `protect`.
        index = unsafe { rb_sys::rb_num2long(given.as_raw()) };
        value::NIL
    })?;
    Ok(index as i64)
}

/// The row of an index, where there is one.
fn row_of(column: &Column, index: i64) -> Option<usize> {
    let at = if index < 0 { index + column.length as i64 } else { index };
    usize::try_from(at).ok().filter(|at| *at < column.length)
}

/// The rows of a Range: `None` where it is no Range; nothing in it where it begins outside.
fn rows_of(column: &Column, given: Value) -> Result<Option<Option<Range<usize>>>, Error> {
    if matches!(decode(given.as_raw()), Decoded::Integer(_) | Decoded::Float(_) | Decoded::Nil) {
        return Ok(None);
    }
    let (mut start, mut count): (c_long, c_long) = (0, 0);
    let length = column.length as c_long;
    let found = protect(|| {
        // SAFETY: the value is live; what is raised ends in `protect`.
        unsafe { rb_sys::rb_range_beg_len(given.as_raw(), &mut start, &mut count, length, 0) }
    })?;
    Ok(match found {
        value::FALSE => None,
        value::NIL => Some(None),
        _ => Some(Some(start as usize..(start + count) as usize)),
    })
}

/// `column[start, count]`, as Array#[] takes them.
fn rows_from(column: &Column, start: i64, count: i64) -> Option<Range<usize>> {
    let length = column.length as i64;
    let start = if start < 0 { start + length } else { start };
    if start < 0 || start > length || count < 0 {
        return None;
    }
    Some(start as usize..(start + count.min(length - start)) as usize)
}

fn wrong_count(ruby: &Ruby, given: usize, expected: &str) -> Error {
    let message = format!("wrong number of arguments (given {given}, expected {expected})");
    Error::new(ruby.exception_arg_error(), message)
}

/// A view of rows. What is seen of a frozen column is frozen.
fn view(ruby: &Ruby, this: Obj<Column>, rows: Option<Range<usize>>) -> Value {
    let Some(rows) = rows else { return ruby.qnil().as_value() };
    let view = column::wrap(ruby, this.view(rows));
    if this.is_frozen() {
        view.freeze();
    }
    view
}

fn get(ruby: &Ruby, this: Obj<Column>, args: &[Value]) -> Result<Value, Error> {
    match args {
        [index] => match rows_of(&this, *index)? {
            Some(rows) => Ok(view(ruby, this, rows)),
            None => at(ruby, this, *index),
        },
        [start, count] => {
            let rows = rows_from(&this, index_of(*start)?, index_of(*count)?);
            Ok(view(ruby, this, rows))
        }
        _ => Err(wrong_count(ruby, args.len(), "1..2")),
    }
}

fn at(ruby: &Ruby, this: Obj<Column>, index: Value) -> Result<Value, Error> {
    match row_of(&this, index_of(index)?) {
        Some(row) => value_of(ruby, item_at(ruby, &this, row)?),
        None => Ok(ruby.qnil().as_value()),
    }
}

fn set(ruby: &Ruby, this: Obj<Column>, args: &[Value]) -> Result<Value, Error> {
    let ([_, given] | [_, _, given]) = args else { return Err(wrong_count(ruby, args.len(), "2..3")) };
    column::check_frozen(this.as_value())?;
    let rows = match args {
        [index, _] => match rows_of(&this, *index)? {
            Some(rows) => rows,
            None => {
                let index = index_of(*index)?;
                let Some(row) = row_of(&this, index) else { return Err(outside(ruby, &this, index)) };
                return set_row(ruby, this, row, *given);
            }
        },
        _ => rows_from(&this, index_of(args[0])?, index_of(args[1])?),
    };
    let Some(rows) = rows else {
        return Err(Error::new(ruby.exception_range_error(), "the rows begin outside of the column"));
    };
    set_rows(ruby, this, rows, *given)
}

fn outside(ruby: &Ruby, column: &Column, index: i64) -> Error {
    let length = column.length;
    let message = format!("index {index} outside of column bounds: -{length}...{length}");
    Error::new(ruby.exception_index_error(), message)
}

fn set_row(ruby: &Ruby, this: Obj<Column>, row: usize, given: Value) -> Result<Value, Error> {
    let item = item_of(ruby, this.ty, given)?;
    let done = home(ruby, &this)?.set(this.start + row, item);
    done.map_err(|error| failed(ruby, error))?;
    Ok(given)
}

/// `column[range] = other`, of as many items.
fn set_rows(ruby: &Ruby, this: Obj<Column>, rows: Range<usize>, given: Value) -> Result<Value, Error> {
    let other = match <Obj<Column>>::try_convert(given) {
        Ok(other) if other.ty == this.ty => other,
        _ => {
            let array: RArray = match RArray::from_value(given) {
                Some(array) => array,
                None => match <Obj<Column>>::try_convert(given) {
                    Ok(other) => to_a(ruby, other)?,
                    Err(_) => {
                        let message = format!(
                            "no implicit conversion of {} into rows of a column",
                            // SAFETY: the name is copied at once.
                            unsafe { given.classname() }
                        );
                        return Err(Error::new(ruby.exception_type_error(), message));
                    }
                },
            };
            <Obj<Column>>::try_convert(from_array(ruby, array, ruby.to_symbol(this.ty.name()))?)?
        }
    };
    if other.length != rows.len() {
        let message = format!("{} items for {} rows", other.length, rows.len());
        return Err(Error::new(ruby.exception_arg_error(), message));
    }
    column::check_frozen(this.as_value())?;
    // A copy, where both have the same memory.
    let from = snapshot(ruby, &other)?;
    let done = home(ruby, &this)?.write(this.start + rows.start, from.bytes(other.rows()));
    done.map_err(|error| failed(ruby, error))?;
    Ok(given)
}

fn fetch(ruby: &Ruby, this: Obj<Column>, args: &[Value]) -> Result<Value, Error> {
    let ([index] | [index, _]) = args else { return Err(wrong_count(ruby, args.len(), "1..2")) };
    let number = index_of(*index)?;
    if let Some(row) = row_of(&this, number) {
        return value_of(ruby, item_at(ruby, &this, row)?);
    }
    if ruby.block_given() {
        return ruby.yield_value(*index);
    }
    let length = this.length;
    let message = format!("index {number} outside of array bounds: {}...{length}", -(length as i64));
    args.get(1).copied().ok_or_else(|| Error::new(ruby.exception_index_error(), message))
}

fn size(this: Obj<Column>) -> usize {
    this.length
}

fn is_empty(this: Obj<Column>) -> bool {
    this.length == 0
}

fn item_type(ruby: &Ruby, this: Obj<Column>) -> Symbol {
    ruby.to_symbol(this.ty.name())
}

fn each(ruby: &Ruby, this: Obj<Column>) -> Result<Value, Error> {
    go_through(ruby, this, "each", 0..this.length, value_of_row)
}

fn each_index(ruby: &Ruby, this: Obj<Column>) -> Result<Value, Error> {
    go_through(ruby, this, "each_index", 0..this.length, |ruby, _, row| Ok(row.into_value_with(ruby)))
}

fn reverse_each(ruby: &Ruby, this: Obj<Column>) -> Result<Value, Error> {
    go_through(ruby, this, "reverse_each", (0..this.length).rev(), value_of_row)
}

fn value_of_row(ruby: &Ruby, column: &Column, row: usize) -> Result<Value, Error> {
    value_of(ruby, item_at(ruby, column, row)?)
}

fn go_through(
    ruby: &Ruby,
    this: Obj<Column>,
    name: &str,
    rows: impl Iterator<Item = usize>,
    value: impl Fn(&Ruby, &Column, usize) -> Result<Value, Error>,
) -> Result<Value, Error> {
    if !ruby.block_given() {
        return Ok(this.enumeratorize(name, ()).as_value());
    }
    for row in rows {
        let _: Value = ruby.yield_value(value(ruby, &this, row)?)?;
    }
    Ok(this.as_value())
}

fn first(ruby: &Ruby, this: Obj<Column>, args: &[Value]) -> Result<Value, Error> {
    end(ruby, this, args, "first", 0)
}

fn last(ruby: &Ruby, this: Obj<Column>, args: &[Value]) -> Result<Value, Error> {
    end(ruby, this, args, "last", -1)
}

fn end(ruby: &Ruby, this: Obj<Column>, args: &[Value], name: &str, index: i64) -> Result<Value, Error> {
    if !args.is_empty() {
        return to_a(ruby, this)?.funcall(name, args);
    }
    match row_of(&this, index) {
        Some(row) => value_of_row(ruby, &this, row),
        None => Ok(ruby.qnil().as_value()),
    }
}

fn to_a(ruby: &Ruby, this: Obj<Column>) -> Result<RArray, Error> {
    let items = snapshot(ruby, &this)?;
    let array = ruby.ary_new_capa(this.length);
    // On the stack, and known to others, so that the garbage collector sees what was made.
    let mut block = [value::NIL; BLOCK];
    let block = black_box(&mut block);
    let rows = this.rows();
    for start in rows.clone().step_by(BLOCK) {
        let count = (rows.end - start).min(BLOCK);
        protect(|| {
            for (at, place) in block[..count].iter_mut().enumerate() {
                *place = object(ruby, items.get(start + at));
            }
            // SAFETY: the array is live, and nobody else has it.
            unsafe { rb_sys::rb_ary_cat(array.as_raw(), block.as_ptr(), count as c_long) }
        })?;
    }
    Ok(array)
}

fn to_packed(ruby: &Ruby, this: Obj<Column>) -> Result<RString, Error> {
    let items = snapshot(ruby, &this)?;
    let bytes = items.bytes(this.rows());
    let string = protect(|| {
        // SAFETY: the bytes are copied.
        unsafe { rb_sys::rb_str_new(bytes.as_ptr().cast(), bytes.len() as c_long) }
    })?;
    // SAFETY: it was just made.
    RString::try_convert(unsafe { Value::from_raw(string) })
}

fn fill(ruby: &Ruby, this: Obj<Column>, given: Value) -> Result<Value, Error> {
    column::check_frozen(this.as_value())?;
    let item = item_of(ruby, this.ty, given)?;
    let done = home(ruby, &this)?.fill(this.rows(), item);
    done.map_err(|error| failed(ruby, error))?;
    Ok(this.as_value())
}

fn equals(ruby: &Ruby, this: Obj<Column>, other: Value) -> Result<bool, Error> {
    let Ok(other) = <Obj<Column>>::try_convert(other) else { return Ok(false) };
    let (items, others) = (snapshot(ruby, &this)?, snapshot(ruby, &other)?);
    Ok(items.equals(this.rows(), &others, other.rows()))
}

/// A new column of the same numbers in their order; nil where it takes Ruby.
fn sorted(ruby: &Ruby, this: Obj<Column>) -> Result<Option<Value>, Error> {
    made(ruby, columns::sorted(ruby, &this))
}

/// A new column of the sums up to each number, and a first one, if it is not nil. Nil where it takes Ruby.
fn scan(ruby: &Ruby, this: Obj<Column>, first: Value) -> Result<Option<Value>, Error> {
    made(ruby, columns::scan(ruby, &this, decode(first.as_raw())))
}

fn made(ruby: &Ruby, array: Result<Option<TypedArray>, Trouble>) -> Result<Option<Value>, Error> {
    let array = array.map_err(|trouble| exceptions::exception(ruby, trouble))?;
    array.map(|array| new_column(ruby, Ok::<_, NoMemory>(array))).transpose()
}

/// From now on it has the items of another column, of the same type and length, which nobody writes.
fn take_over(ruby: &Ruby, this: Obj<Column>, other: Obj<Column>) -> Result<Value, Error> {
    column::check_frozen(this.as_value())?;
    let array = other.memory.snapshot();
    if this.ty != other.ty || this.length != other.length || other.rows() != (0..array.len()) {
        return set_rows(ruby, this, 0..this.length, other.as_value());
    }
    let mut held = this.memory.array();
    if this.rows() == (0..held.len()) {
        *held = array;
        return Ok(this.as_value());
    }
    drop(held);
    set_rows(ruby, this, 0..this.length, other.as_value())
}

fn dup(ruby: &Ruby, this: Obj<Column>) -> Result<Value, Error> {
    new_column(ruby, this.memory.snapshot().copy(this.rows()))
}
