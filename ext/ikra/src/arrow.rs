//! Columns from and to Arrow's C data interface; `lib/ikra/column_exchange.rb` has the methods.

use crate::column;
use crate::vm::column::Column;
use ikra_core::arrow::{self, Array, Owned, Part, Refusal, Schema, Stream, Table};
use ikra_core::error::NoMemory;
use ikra_core::heap::TypedArray;
use magnus::typed_data::Obj;
use magnus::{
    DataTypeFunctions, Error, RArray, RModule, RString, Ruby, TypedData, Value, function, method, prelude::*,
};
use std::cell::UnsafeCell;

/// What `Ikra::ArrowStructure` has: memory for one structure, which others read and take by its address.
#[derive(TypedData)]
#[magnus(class = "Ikra::ArrowStructure", free_immediately)]
enum Structure {
    Schema(Box<UnsafeCell<Owned<Schema>>>),
    Array(Box<UnsafeCell<Owned<Array>>>),
    Stream(Box<UnsafeCell<Owned<Stream>>>),
}

impl DataTypeFunctions for Structure {}

// SAFETY: only the holder of the GVL makes it, and frees it, where it calls what is here.
unsafe impl Send for Structure {}

impl Structure {
    fn address(&self) -> usize {
        match self {
            Self::Schema(schema) => schema.get().addr(),
            Self::Array(array) => array.get().addr(),
            Self::Stream(stream) => stream.get().addr(),
        }
    }
}

pub fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    native.define_singleton_method("columns_of_arrow", function!(of_array, 2))?;
    native.define_singleton_method("columns_of_arrow_stream", function!(of_stream, 1))?;
    native.define_singleton_method("arrow_array", function!(to_array, 2))?;
    native.define_singleton_method("arrow_stream", function!(to_stream, 2))?;
    let class = ruby.define_module("Ikra")?.define_class("ArrowStructure", ruby.class_object())?;
    class.undef_default_alloc_func();
    class.define_method("to_i", method!(Structure::address, 0))?;
    // See `gc_roots.rs`.
    <Structure as TypedData>::class(ruby);
    Ok(())
}

fn refused(ruby: &Ruby, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Type(message) => Error::new(ruby.exception_type_error(), message),
        Refusal::Value(message) => Error::new(ruby.exception_arg_error(), message),
        Refusal::Memory(error) => column::failed(ruby, error),
    }
}

/// A column, or an array of names and columns.
fn of_array(ruby: &Ruby, array: usize, schema: usize) -> Result<Value, Error> {
    // SAFETY: who calls says that they are the addresses of these.
    let found = unsafe { arrow::of_array(array as *mut Array, schema as *mut Schema) };
    columns(ruby, found)
}

/// The same, of all arrays of a stream.
fn of_stream(ruby: &Ruby, stream: usize) -> Result<Value, Error> {
    // SAFETY: who calls says that it is the address of one.
    let found = unsafe { arrow::of_stream(stream as *mut Stream) };
    columns(ruby, found)
}

fn columns(ruby: &Ruby, found: Result<Table<TypedArray>, Refusal>) -> Result<Value, Error> {
    let mut found = found.map_err(|refusal| refused(ruby, refusal))?;
    if !found.is_table {
        let (_, array) = found.columns.remove(0);
        return column::new_column(ruby, Ok::<_, NoMemory>(array));
    }
    let all = ruby.ary_new();
    for (name, array) in found.columns {
        let column = column::new_column(ruby, Ok::<_, NoMemory>(array))?;
        all.push(ruby.ary_new_from_values(&[ruby.str_new(&name).as_value(), column]))?;
    }
    Ok(all.as_value())
}

/// The columns of an array; with their names, where there are such.
fn table(ruby: &Ruby, columns: RArray, names: Option<RArray>) -> Result<Table<Part>, Error> {
    let mut all = Vec::new();
    for at in 0..columns.len() {
        let column: Obj<Column> = columns.entry(at as isize)?;
        let name = match names {
            Some(names) => names.entry::<RString>(at as isize)?.to_string()?,
            None => String::new(),
        };
        all.push((name, Part { array: column::snapshot(ruby, &column)?, rows: column.rows() }));
    }
    Ok(Table { is_table: names.is_some(), columns: all })
}

/// What says of what types they are, and where they lie.
fn to_array(ruby: &Ruby, columns: RArray, names: Option<RArray>) -> Result<(Value, Value), Error> {
    let table = table(ruby, columns, names)?;
    let made = arrow::schema_of(&table).map(Owned::new);
    let schema = made.map_err(|refusal| refused(ruby, refusal))?;
    let array = arrow::array_of(&table).map(Owned::new).map_err(|refusal| refused(ruby, refusal))?;
    Ok((
        ruby.obj_wrap(Structure::Schema(Box::new(UnsafeCell::new(schema)))).as_value(),
        ruby.obj_wrap(Structure::Array(Box::new(UnsafeCell::new(array)))).as_value(),
    ))
}

fn to_stream(ruby: &Ruby, columns: RArray, names: Option<RArray>) -> Result<Value, Error> {
    let stream = Owned::new(arrow::stream_of(table(ruby, columns, names)?));
    Ok(ruby.obj_wrap(Structure::Stream(Box::new(UnsafeCell::new(stream)))).as_value())
}
