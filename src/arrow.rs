//! Columns from and to others by Arrow's C data interface and C stream interface: structures in memory that say where
//! numbers lie, and who is told when nobody looks at them any more. Numbers that lie as a column has them are not copied.

use crate::error::NoMemory;
use crate::fallible;
use crate::heap::column::LentNumbers;
use crate::heap::typed_array::Floats;
use crate::heap::{Column, TypedArray};
use crate::lent::Lent;
use crate::types::ItemType;
use bytemuck::Pod;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// `struct ArrowSchema`: of what type numbers are.
#[repr(C)]
#[derive(Debug)]
pub struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`: where they lie.
#[repr(C)]
#[derive(Debug)]
pub struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`: one array after the other.
#[repr(C)]
#[derive(Debug)]
pub struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What the three have in common.
pub trait Structure: Sized {
    /// One that was released.
    const NONE: Self;

    fn is_released(&self) -> bool;

    /// Has its producer release it, if that has not been done.
    fn release(&mut self);
}

macro_rules! structure {
    ($name:ident { $($field:ident: $none:expr),* }) => {
        impl Structure for $name {
            const NONE: Self = Self { $($field: $none,)* release: None, private_data: null_mut() };

            fn is_released(&self) -> bool {
                self.release.is_none()
            }

            fn release(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: that of its producer, called once: what it releases it marks so.
                    unsafe { release(self) }
                }
            }
        }
    };
}

structure!(Schema {
    format: null(),
    name: null(),
    metadata: null(),
    flags: 0,
    n_children: 0,
    children: null_mut(),
    dictionary: null_mut()
});
structure!(Array {
    length: 0,
    null_count: 0,
    offset: 0,
    n_buffers: 0,
    n_children: 0,
    buffers: null_mut(),
    children: null_mut(),
    dictionary: null_mut()
});
structure!(Stream { get_schema: None, get_next: None, get_last_error: None });

/// A structure that is released with this. It lies where this lies.
#[repr(transparent)]
#[derive(Debug)]
pub struct Owned<T: Structure>(T);

// SAFETY: the interface lets any thread read what an array says, and release it.
unsafe impl Send for Owned<Array> {}
// SAFETY: the same.
unsafe impl Sync for Owned<Array> {}

impl<T: Structure> Owned<T> {
    pub const fn new(structure: T) -> Self {
        Self(structure)
    }

    /// # Safety
    /// The address is null, or that of such a structure, which nobody else takes meanwhile.
    unsafe fn take(address: *mut T) -> Result<Self, Refusal> {
        // SAFETY: the caller says so.
        let found = unsafe { address.as_mut() };
        match found {
            Some(found) if !found.is_released() => Ok(Self(std::mem::replace(found, T::NONE))),
            _ => Err(Refusal::Value("nothing of Arrow's is there: it was taken or released before".into())),
        }
    }
}

impl<T: Structure> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Why something is no column.
#[derive(Debug)]
pub enum Refusal {
    /// TypeError.
    Type(String),
    /// ArgumentError.
    Value(String),
    Memory(NoMemory),
}

impl From<NoMemory> for Refusal {
    fn from(error: NoMemory) -> Self {
        Self::Memory(error)
    }
}

/// What comes or goes: a column, or a table of them with their names.
#[derive(Clone, Debug)]
pub struct Table<T> {
    pub is_table: bool,
    pub columns: Vec<(String, T)>,
}

/// How numbers of others lie, and what they become.
#[derive(Clone, Copy, Debug)]
enum Stored {
    As(ItemType),
    Bits,
    I8,
    U8,
    I16,
    U16,
    U32,
}

/// Two structures of a producer, and what is in them.
///
/// # Safety
/// The addresses are null, or those of what the interface calls for, which nobody else takes meanwhile.
pub unsafe fn of_array(array: *mut Array, schema: *mut Schema) -> Result<Table<TypedArray>, Refusal> {
    // SAFETY: the caller says so.
    let (array, schema) = unsafe { (Owned::take(array), Owned::take(schema)) };
    let (array, schema) = (array?, schema?);
    let shape = shape(&schema.0)?;
    let arrays = arrays(&shape, array)?;
    Ok(named(shape, arrays))
}

/// All arrays of a stream, one behind the other: what comes in one piece is not copied.
///
/// # Safety
/// The address is null, or that of a stream, which nobody else takes meanwhile.
pub unsafe fn of_stream(stream: *mut Stream) -> Result<Table<TypedArray>, Refusal> {
    // SAFETY: the caller says so.
    let mut stream = unsafe { Owned::take(stream) }?;
    let mut schema = Owned(Schema::NONE);
    let get_schema =
        stream.0.get_schema.ok_or_else(|| Refusal::Value("a stream without get_schema".into()))?;
    let get_next = stream.0.get_next.ok_or_else(|| Refusal::Value("a stream without get_next".into()))?;
    // SAFETY: the stream is there and was not released.
    let failed = unsafe { get_schema(&mut stream.0, &mut schema.0) };
    check(&mut stream.0, failed)?;
    let shape = shape(&schema.0)?;
    let mut pieces: Vec<Vec<TypedArray>> = vec![Vec::new(); shape.columns.len()];
    loop {
        let mut array = Owned(Array::NONE);
        // SAFETY: the same.
        let failed = unsafe { get_next(&mut stream.0, &mut array.0) };
        check(&mut stream.0, failed)?;
        if array.0.is_released() {
            break;
        }
        for (pieces, piece) in pieces.iter_mut().zip(arrays(&shape, array)?) {
            pieces.push(piece);
        }
    }
    let mut joined = Vec::new();
    for ((_, stored), pieces) in shape.columns.iter().zip(pieces) {
        joined.push(join(stored.ty(), pieces)?);
    }
    Ok(named(shape, joined))
}

fn check(stream: &mut Stream, failed: c_int) -> Result<(), Refusal> {
    if failed == 0 {
        return Ok(());
    }
    // SAFETY: the stream was not released; what it says is there until it is called again.
    let said = stream.get_last_error.and_then(|tell| unsafe { text(tell(stream)) });
    Err(Refusal::Value(said.unwrap_or_else(|| format!("the stream failed with error {failed}"))))
}

fn named(shape: Table<Stored>, arrays: Vec<TypedArray>) -> Table<TypedArray> {
    let columns = shape.columns.into_iter().zip(arrays).map(|((name, _), array)| (name, array)).collect();
    Table { is_table: shape.is_table, columns }
}

fn join(ty: ItemType, mut pieces: Vec<TypedArray>) -> Result<TypedArray, Refusal> {
    if pieces.len() == 1 {
        return Ok(pieces.remove(0));
    }
    let mut all = TypedArray::zeros(ty, pieces.iter().map(TypedArray::len).sum())?;
    let mut row = 0;
    for piece in &pieces {
        all.write(row, piece.bytes(0..piece.len()))?;
        row += piece.len();
    }
    Ok(all)
}

/// # Safety
/// The address is null, or that of a text with its end.
unsafe fn text(address: *const c_char) -> Option<String> {
    // SAFETY: the caller says so.
    (!address.is_null()).then(|| unsafe { CStr::from_ptr(address) }.to_string_lossy().into_owned())
}

/// What is told to be there, by its names.
fn shape(schema: &Schema) -> Result<Table<Stored>, Refusal> {
    // SAFETY: it was not released, so its texts are there.
    let (format, name) =
        unsafe { (text(schema.format).unwrap_or_default(), text(schema.name).unwrap_or_default()) };
    if format != "+s" {
        return Ok(Table { is_table: false, columns: vec![(name.clone(), stored(schema, &format, &name)?)] });
    }
    let mut columns = Vec::new();
    for at in 0..usize::try_from(schema.n_children).unwrap_or(0) {
        // SAFETY: it has so many children, which are there as long as it is.
        let child = unsafe { &**schema.children.add(at) };
        // SAFETY: the same.
        let (format, name) =
            unsafe { (text(child.format).unwrap_or_default(), text(child.name).unwrap_or_default()) };
        columns.push((name.clone(), stored(child, &format, &name)?));
    }
    Ok(Table { is_table: true, columns })
}

fn stored(schema: &Schema, format: &str, name: &str) -> Result<Stored, Refusal> {
    let of = if name.is_empty() { String::new() } else { format!("{name:?}: ") };
    if !schema.dictionary.is_null() {
        return Err(Refusal::Type(format!(
            "{of}no type of columns holds what a dictionary stands for: decode it before"
        )));
    }
    Ok(match format {
        "g" => Stored::As(ItemType::Float64),
        "f" => Stored::As(ItemType::Float32),
        "l" | "tdm" | "ttu" | "ttn" => Stored::As(ItemType::Int64),
        "i" | "tdD" | "tts" | "ttm" => Stored::As(ItemType::Int32),
        // Times and durations, in what unit ever.
        _ if format.starts_with("ts") || format.starts_with("tD") => Stored::As(ItemType::Int64),
        "b" => Stored::Bits,
        "c" => Stored::I8,
        "C" => Stored::U8,
        "s" => Stored::I16,
        "S" => Stored::U16,
        "I" => Stored::U32,
        _ => {
            let what = match format {
                "u" | "U" | "vu" => "texts",
                "z" | "Z" | "vz" => "bytes",
                "L" => "uint64",
                "e" => "float16",
                "n" => "nulls",
                _ => "this",
            };
            return Err(Refusal::Type(format!(
                "{of}no type of columns holds {what} (Arrow's format {format:?}): cast it, or leave it out, before"
            )));
        }
    })
}

impl Stored {
    const fn ty(self) -> ItemType {
        match self {
            Self::As(ty) => ty,
            Self::Bits => ItemType::Bool,
            Self::I8 | Self::U8 | Self::I16 | Self::U16 => ItemType::Int32,
            Self::U32 => ItemType::Int64,
        }
    }
}

/// The arrays of one structure, each of which keeps it.
fn arrays(shape: &Table<Stored>, array: Owned<Array>) -> Result<Vec<TypedArray>, Refusal> {
    let owner = Arc::new(array);
    let array = &owner.0;
    let rows = rows(array)?;
    if !shape.is_table {
        let (name, stored) = &shape.columns[0];
        return Ok(vec![column(array, rows, *stored, name, &owner)?]);
    }
    check_nulls(array, &rows, "")?;
    if usize::try_from(array.n_children) != Ok(shape.columns.len()) {
        return Err(broken());
    }
    let mut all = Vec::new();
    for (at, (name, stored)) in shape.columns.iter().enumerate() {
        // SAFETY: it has so many children, which are there as long as it is.
        let child = unsafe { &**array.children.add(at) };
        let its = self::rows(child)?;
        if its.len() < rows.end {
            return Err(broken());
        }
        all.push(column(child, its.start + rows.start..its.start + rows.end, *stored, name, &owner)?);
    }
    Ok(all)
}

fn broken() -> Refusal {
    Refusal::Value("Arrow's structures do not fit each other".into())
}

fn rows(array: &Array) -> Result<Range<usize>, Refusal> {
    let (start, count) = (usize::try_from(array.offset), usize::try_from(array.length));
    match (start, count) {
        (Ok(start), Ok(count)) => Ok(start..start.checked_add(count).ok_or_else(broken)?),
        _ => Err(broken()),
    }
}

fn buffer(array: &Array, at: usize) -> *const u8 {
    if usize::try_from(array.n_buffers).is_ok_and(|count| at < count) {
        // SAFETY: it has so many buffers.
        unsafe { *array.buffers.add(at) }.cast()
    } else {
        null()
    }
}

const fn bit(byte: u8, at: usize) -> bool {
    byte >> (at % 8) & 1 != 0
}

/// # Safety
/// There are bits for these rows.
unsafe fn bits<'a>(bytes: *const u8, rows: &Range<usize>) -> &'a [u8] {
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(bytes, rows.end.div_ceil(8)) }
}

/// A column has a number for each row.
fn check_nulls(array: &Array, rows: &Range<usize>, name: &str) -> Result<(), Refusal> {
    let bytes = buffer(array, 0);
    if array.null_count == 0 || bytes.is_null() || rows.is_empty() {
        return Ok(());
    }
    // SAFETY: what tells of nulls has a bit for each row.
    let valid = unsafe { bits(bytes, rows) };
    match rows.clone().find(|row| !bit(valid[row / 8], *row)) {
        None => Ok(()),
        Some(row) => {
            let of = if name.is_empty() { String::new() } else { format!("{name:?}: ") };
            let row = row - rows.start;
            Err(Refusal::Value(format!(
                "{of}row {row} is null, which no column holds: fill it, or leave it out, before"
            )))
        }
    }
}

fn column(
    array: &Array,
    rows: Range<usize>,
    stored: Stored,
    name: &str,
    owner: &Arc<Owned<Array>>,
) -> Result<TypedArray, Refusal> {
    check_nulls(array, &rows, name)?;
    if rows.is_empty() {
        return Ok(TypedArray::zeros(stored.ty(), 0)?);
    }
    let bytes = buffer(array, 1);
    if bytes.is_null() {
        return Err(broken());
    }
    // SAFETY: a buffer of such a type has so many numbers, which nobody writes as long as the array is not released.
    unsafe {
        Ok(match stored {
            Stored::As(ItemType::Float64) => lent(bytes, rows, owner, ItemType::Float64, |lent| {
                TypedArray::new(Column::Lent(LentNumbers::F64(lent)))
            })?,
            Stored::As(ItemType::Int64) => lent(bytes, rows, owner, ItemType::Int64, |lent| {
                TypedArray::new(Column::Lent(LentNumbers::I64(lent)))
            })?,
            Stored::As(ItemType::Int32) => lent(bytes, rows, owner, ItemType::Int32, |lent| {
                TypedArray::new(Column::Lent(LentNumbers::I32(lent)))
            })?,
            Stored::As(ItemType::Float32) => lent(bytes, rows, owner, ItemType::Float32, |lent| {
                TypedArray::Float32(Arc::new(Floats::Lent(lent)))
            })?,
            Stored::As(ItemType::Bool) | Stored::Bits => {
                let all = bits(bytes, &rows);
                TypedArray::new(Column::Bool(fallible::collect(
                    rows.map(|row| u8::from(bit(all[row / 8], row))),
                )?))
            }
            Stored::I8 => widened(bytes.cast::<i8>(), rows, i32::from, Column::I32)?,
            Stored::U8 => widened(bytes, rows, i32::from, Column::I32)?,
            Stored::I16 => widened(bytes.cast::<i16>(), rows, i32::from, Column::I32)?,
            Stored::U16 => widened(bytes.cast::<u16>(), rows, i32::from, Column::I32)?,
            Stored::U32 => widened(bytes.cast::<u32>(), rows, i64::from, Column::I64)?,
        })
    }
}

/// Numbers as they lie there; a copy where they lie so that no number does.
///
/// # Safety
/// There are so many, which nobody writes as long as the owner lives.
unsafe fn lent<T: Pod>(
    bytes: *const u8,
    rows: Range<usize>,
    owner: &Arc<Owned<Array>>,
    ty: ItemType,
    array: impl FnOnce(Lent<&'static [T]>) -> TypedArray,
) -> Result<TypedArray, Refusal> {
    // SAFETY: the caller says so.
    let first = unsafe { bytes.add(rows.start * size_of::<T>()) };
    if first.cast::<T>().is_aligned() {
        // SAFETY: the same.
        return Ok(array(unsafe {
            Lent::new(std::slice::from_raw_parts(first.cast(), rows.len()), owner.clone())
        }));
    }
    // SAFETY: the same; bytes lie everywhere.
    let bytes = unsafe { std::slice::from_raw_parts(first, rows.len() * size_of::<T>()) };
    Ok(TypedArray::of_bytes(ty, bytes)?)
}

/// # Safety
/// There are so many.
unsafe fn widened<T, W>(
    numbers: *const T,
    rows: Range<usize>,
    wide: impl Fn(T) -> W,
    column: impl FnOnce(Vec<W>) -> Column,
) -> Result<TypedArray, Refusal> {
    // SAFETY: the caller says so.
    let all = rows.map(|row| wide(unsafe { numbers.add(row).read_unaligned() }));
    Ok(TypedArray::new(column(fallible::collect(all)?)))
}

/// Rows of an array whose numbers the host has.
#[derive(Clone, Debug)]
pub struct Part {
    pub array: TypedArray,
    pub rows: Range<usize>,
}

struct SchemaParts {
    _texts: [CString; 2],
    children: Vec<*mut Schema>,
}

struct ArrayParts {
    _array: Option<TypedArray>,
    _bits: Vec<u8>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
}

struct StreamParts {
    table: Table<Part>,
    is_done: bool,
}

macro_rules! release {
    ($name:ident, $structure:ident, $parts:ident, $children:expr) => {
        /// Called by consumers, once for each that was made here.
        unsafe extern "C" fn $name(address: *mut $structure) {
            // SAFETY: the interface says that it is such a structure, and not released.
            let mut structure = unsafe { std::mem::replace(&mut *address, $structure::NONE) };
            structure.release = None;
            // SAFETY: it was made here, of this type.
            let parts = unsafe { Box::from_raw(structure.private_data.cast::<$parts>()) };
            let children: fn(&$parts) -> &[*mut $structure] = $children;
            for child in children(&parts) {
                // SAFETY: a child was made by `Box::into_raw`. Its consumer may have moved what is in it.
                unsafe { Box::from_raw(*child) }.release();
            }
        }
    };
}

release!(release_schema, Schema, SchemaParts, |parts| &parts.children);
release!(release_array, Array, ArrayParts, |parts| &parts.children);
release!(release_stream, Stream, StreamParts, |_| &[]);

const fn format(ty: ItemType) -> &'static CStr {
    match ty {
        ItemType::Float64 => c"g",
        ItemType::Float32 => c"f",
        ItemType::Int64 => c"l",
        ItemType::Int32 => c"i",
        ItemType::Bool => c"b",
    }
}

/// Says of what types a table's columns are.
///
/// # Errors
/// Where a name has an end within.
pub fn schema_of(table: &Table<Part>) -> Result<Schema, Refusal> {
    let children =
        || table.columns.iter().map(|(name, part)| schema(format(part.array.ty()), name, Vec::new()));
    if table.is_table {
        let children: Vec<Schema> = children().collect::<Result<_, _>>()?;
        return schema(c"+s", "", children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect());
    }
    children().next().unwrap_or_else(|| Err(broken()))
}

fn schema(format: &CStr, name: &str, children: Vec<*mut Schema>) -> Result<Schema, Refusal> {
    let no_name = |_| Refusal::Value(format!("{name:?} is no name of a column"));
    let texts = [format.to_owned(), CString::new(name).map_err(no_name)?];
    let mut made =
        Schema { release: Some(release_schema), n_children: children.len() as i64, ..Schema::NONE };
    [made.format, made.name] = texts.each_ref().map(|text| text.as_ptr());
    let parts = Box::into_raw(Box::new(SchemaParts { _texts: texts, children }));
    // SAFETY: it was just made, and stays where it is.
    made.children = unsafe { (*parts).children.as_mut_ptr() };
    made.private_data = parts.cast();
    Ok(made)
}

/// Says where a table's numbers lie, and keeps them until it is released. Truth values are packed.
pub fn array_of(table: &Table<Part>) -> Result<Array, Refusal> {
    if !table.is_table {
        let (_, part) = table.columns.first().ok_or_else(broken)?;
        return array_of_part(part);
    }
    let length = table.columns.first().map_or(0, |(_, part)| part.rows.len());
    // Those that were made are released where one fails.
    let made: Vec<Owned<Array>> =
        table.columns.iter().map(|(_, part)| array_of_part(part).map(Owned)).collect::<Result<_, _>>()?;
    let children = made.into_iter().map(|mut child| {
        let child = std::mem::replace(&mut child.0, Array::NONE);
        Box::into_raw(Box::new(child))
    });
    let parts =
        ArrayParts { _array: None, _bits: Vec::new(), buffers: vec![null()], children: children.collect() };
    Ok(array(length, parts))
}

fn array_of_part(part: &Part) -> Result<Array, Refusal> {
    let mut packed = Vec::new();
    let bytes = part.array.bytes(part.rows.clone());
    let first: *const u8 = if part.array.ty() == ItemType::Bool {
        packed = fallible::filled(0_u8, bytes.len().div_ceil(8))?;
        for (row, truth) in bytes.iter().enumerate() {
            packed[row / 8] |= (truth & 1) << (row % 8);
        }
        packed.as_ptr()
    } else {
        bytes.as_ptr()
    };
    let buffers = vec![null(), first.cast()];
    let parts = ArrayParts { _array: Some(part.array.clone()), _bits: packed, buffers, children: Vec::new() };
    Ok(array(part.rows.len(), parts))
}

fn array(length: usize, parts: ArrayParts) -> Array {
    let mut made = Array {
        length: length as i64,
        n_buffers: parts.buffers.len() as i64,
        n_children: parts.children.len() as i64,
        release: Some(release_array),
        ..Array::NONE
    };
    let parts = Box::into_raw(Box::new(parts));
    // SAFETY: they were just made, and stay where they are.
    (made.buffers, made.children) =
        unsafe { ((*parts).buffers.as_mut_ptr(), (*parts).children.as_mut_ptr()) };
    made.private_data = parts.cast();
    made
}

/// A stream of one array.
pub fn stream_of(table: Table<Part>) -> Stream {
    Stream {
        get_schema: Some(stream_schema),
        get_next: Some(stream_next),
        get_last_error: Some(stream_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(StreamParts { table, is_done: false })).cast(),
    }
}

/// The errors of the C library's that a stream tells.
const NO_MEMORY: c_int = 12;
const INVALID: c_int = 22;

fn answer<T>(made: Result<T, Refusal>, out: *mut T) -> c_int {
    match made {
        Ok(made) => {
            // SAFETY: the consumer gives a place for one, in which is none.
            unsafe { out.write(made) };
            0
        }
        Err(Refusal::Memory(_)) => NO_MEMORY,
        Err(_) => INVALID,
    }
}

unsafe extern "C" fn stream_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the stream was made here, and not released.
    let parts = unsafe { &*(*stream).private_data.cast::<StreamParts>() };
    answer(schema_of(&parts.table), out)
}

unsafe extern "C" fn stream_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: the same; its consumer calls it from one thread at a time.
    let parts = unsafe { &mut *(*stream).private_data.cast::<StreamParts>() };
    let done = std::mem::replace(&mut parts.is_done, true);
    answer(if done { Ok(Array::NONE) } else { array_of(&parts.table) }, out)
}

unsafe extern "C" fn stream_error(_stream: *mut Stream) -> *const c_char {
    null()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::typed_array::Item;

    fn numbers(ty: ItemType, items: &[Item]) -> TypedArray {
        let mut array = TypedArray::zeros(ty, items.len()).unwrap();
        for (row, item) in items.iter().enumerate() {
            array.set(row, *item).unwrap();
        }
        array
    }

    fn table(is_table: bool, arrays: Vec<TypedArray>) -> Table<Part> {
        let part = |array: TypedArray| Part { rows: 0..array.len(), array };
        let columns =
            arrays.into_iter().enumerate().map(|(at, array)| (format!("c{at}"), part(array))).collect();
        Table { is_table, columns }
    }

    fn there_and_back(table: &Table<Part>) -> Result<Table<TypedArray>, Refusal> {
        let (mut array, mut schema) = (array_of(table)?, schema_of(table)?);
        // SAFETY: both were just made.
        unsafe { of_array(&mut array, &mut schema) }
    }

    fn address(array: &TypedArray) -> *const u8 {
        array.bytes(0..1).as_ptr()
    }

    #[test]
    fn numbers_stay_where_they_are() {
        for (ty, item) in [
            (ItemType::Float64, Item::Float(0.1)),
            (ItemType::Float32, Item::Float(0.5)),
            (ItemType::Int64, Item::Integer(-7)),
            (ItemType::Int32, Item::Integer(9)),
        ] {
            let own = numbers(ty, &[item, item, item]);
            let mut back = there_and_back(&table(false, vec![own.clone()])).unwrap().columns.remove(0).1;
            assert_eq!((back.ty(), back.len(), address(&back)), (ty, 3, address(&own)));
            // Who writes has a copy.
            let other = back.clone();
            back.fill(0..1, if let Item::Float(_) = item { Item::Float(1.0) } else { Item::Integer(1) })
                .unwrap();
            assert_ne!(address(&back), address(&own));
            assert_eq!([own.get(0), other.get(0), other.get(2), back.get(1)], [item; 4]);
            drop(own);
            assert_eq!(other.get(1), item);
        }
    }

    #[test]
    fn truth_values_are_packed() {
        let truths = [true, false, true, true, false, false, true, false, false, true].map(Item::Bool);
        let mut from = table(false, vec![numbers(ItemType::Bool, &truths)]);
        from.columns[0].1.rows = 3..10;
        let back = &there_and_back(&from).unwrap().columns[0].1;
        assert_eq!((0..back.len()).map(|row| back.get(row)).collect::<Vec<_>>(), truths[3..]);
    }

    #[test]
    fn a_table_and_a_stream_have_names() {
        let arrays =
            [numbers(ItemType::Int32, &[Item::Integer(4)]), numbers(ItemType::Float64, &[Item::Float(2.5)])];
        let from = table(true, arrays.to_vec());
        let back = there_and_back(&from).unwrap();
        assert_eq!(
            (back.is_table, back.columns[1].0.as_str(), back.columns[1].1.get(0)),
            (true, "c1", Item::Float(2.5))
        );
        let mut stream = stream_of(from);
        // SAFETY: it was just made.
        let back = unsafe { of_stream(&mut stream) }.unwrap();
        assert_eq!(
            (back.columns[0].1.get(0), address(&back.columns[0].1)),
            (Item::Integer(4), address(&arrays[0]))
        );
        assert!(stream.is_released());
        // SAFETY: there is nothing any more.
        assert!(matches!(unsafe { of_stream(&mut stream) }, Err(Refusal::Value(_))));
    }

    /// A structure by hand: numbers of a format, with what says which are no nulls.
    fn by_hand(
        format: &CStr,
        offset: i64,
        length: i64,
        valid: *const u8,
        data: *const u8,
    ) -> Result<TypedArray, Refusal> {
        unsafe extern "C" fn forget_array(array: *mut Array) {
            // SAFETY: it is there.
            unsafe { (*array).release = None };
        }
        unsafe extern "C" fn forget_schema(schema: *mut Schema) {
            // SAFETY: it is there.
            unsafe { (*schema).release = None };
        }
        let mut buffers = [valid.cast::<c_void>(), data.cast()];
        let null_count = if valid.is_null() { 0 } else { -1 };
        let mut array = Array {
            length,
            null_count,
            offset,
            n_buffers: 2,
            buffers: buffers.as_mut_ptr(),
            release: Some(forget_array),
            ..Array::NONE
        };
        let mut schema = Schema { format: format.as_ptr(), release: Some(forget_schema), ..Schema::NONE };
        // SAFETY: both were just made, and what they point to is there until this returns.
        let mut table = unsafe { of_array(&mut array, &mut schema) }?;
        let (_, array) = table.columns.remove(0);
        // A copy, as the buffers go.
        Ok(array.copy(0..array.len()).unwrap())
    }

    #[test]
    fn what_does_not_lie_so_is_copied() {
        let bytes = [0_u8, 255, 1, 128, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let wide = by_hand(c"c", 1, 3, null(), bytes.as_ptr()).unwrap();
        assert_eq!([0, 1, 2].map(|row| wide.get(row)), [-1, 1, -128].map(Item::Integer));
        assert_eq!(by_hand(c"C", 1, 1, null(), bytes.as_ptr()).unwrap().get(0), Item::Integer(255));
        assert_eq!(by_hand(c"S", 1, 1, null(), bytes.as_ptr()).unwrap().get(0), Item::Integer(0x8001));
        // One of the two does not lie as a number of eight bytes does.
        for start in 4..6 {
            let number = u64::from_ne_bytes(bytes[start..start + 8].try_into().unwrap()) as i64;
            let array = by_hand(c"tsu:", 0, 1, null(), bytes[start..].as_ptr()).unwrap();
            assert_eq!((array.ty(), array.get(0)), (ItemType::Int64, Item::Integer(number)));
        }
    }

    #[test]
    fn nulls_and_texts_are_refused() {
        let data = [0_i64; 12];
        let data = data.as_ptr().cast::<u8>();
        let valid = [0b1111_1111_u8, 0b1111_1011];
        assert!(by_hand(c"l", 0, 10, valid.as_ptr(), data).is_ok());
        let Err(Refusal::Value(message)) = by_hand(c"l", 1, 11, valid.as_ptr(), data) else {
            panic!("row 9 is null")
        };
        assert!(message.starts_with("row 9 is null"), "{message}");
        let Err(Refusal::Type(message)) = by_hand(c"u", 0, 1, null(), data) else { panic!("texts") };
        assert!(message.contains("holds texts"), "{message}");
        assert!(matches!(by_hand(c"g", 0, 1, null(), null()), Err(Refusal::Value(_))));
        assert!(matches!(by_hand(c"g", -1, 1, null(), data), Err(Refusal::Value(_))));
        assert_eq!(by_hand(c"g", 0, 0, null(), null()).unwrap().len(), 0);
    }
}
