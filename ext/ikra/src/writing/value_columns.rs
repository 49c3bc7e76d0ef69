//! Columns that leave a section as they are: results that are Integers, Floats, nil, true and false leave the section
//! as a `Native::Values`. Orders are a stable radix sort of keys that are in the order of the numbers, groups such a
//! sort too where keys differ in few bits, else hash tables in partitions; both give rows, and items are gathered by
//! rows. Whatever a column cannot answer (nil), Ruby's own method does, over the same collection, with a block that
//! gives what the section has given: it calls that once for each element, in order. So arguments, errors and the order
//! of equals are Ruby's.

use crate::reading::variables::BLOCK;
use crate::vm::array_layout;
use crate::vm::column::{self, Column as ColumnObject};
use crate::vm::errors::Trouble;
use crate::vm::gvl::GvlCell;
use crate::vm::value::{self, Decoded};
use crate::writing::decoder::{Decoder, Values, append, immediate, immediates};
use crate::writing::{columns, exceptions};
use ikra_core::backend::collectives::groups::{Group, Groups};
use ikra_core::backend::collectives::order::{self, Keyed};
use ikra_core::backend::collectives::rows;
use ikra_core::backend::collectives::sums::Compensated;
use ikra_core::backend::collectives::{self, whole};
use ikra_core::error::Error;
use ikra_core::fallible;
use ikra_core::heap::shared::{Done, Work};
use ikra_core::heap::{Column, Numbers as View, TypedArray};
use ikra_core::ir::{BufferKind, KernelId, Reduction};
use ikra_core::parallel;
use ikra_core::types::{ItemType, Shape, Type, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::typed_data::Obj;
use magnus::{
    DataTypeFunctions, RArray, RHash, RModule, Ruby, TryConvert, TypedData, Value, function, method,
    prelude::*,
};
use rb_sys::VALUE;
use std::ffi::{CString, c_long};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Numbers, nil, true and false, in their order; or the row numbers of such a column.
#[derive(TypedData, Default)]
#[magnus(class = "Ikra::Native::Values", free_immediately)]
pub struct ValueColumn(GvlCell<Arc<Numbers>>, AtomicUsize);

impl DataTypeFunctions for ValueColumn {}

impl Drop for ValueColumn {
    fn drop(&mut self) {
        // Ruby frees the object, and what that may call is this; it does not allocate.
        self.forget();
    }
}

impl ValueColumn {
    /// The garbage collector need not reckon with its memory any more.
    fn forget(&self) {
        let told = self.1.swap(0, Ordering::Relaxed);
        // SAFETY: the GVL is held, or the garbage collector runs.
        unsafe { rb_sys::rb_gc_adjust_memory_usage(-(told as isize) as _) };
    }
}

#[derive(Default)]
struct Numbers {
    count: usize,
    payload: Option<Column>,
    tags: Option<Column>,
    /// The shape of all, where there is one.
    single: Option<Shape>,
    /// The payload is Ruby's values, all of them immediates.
    raw: bool,
}

/// Can a column of such values be without Ruby's?
pub fn is_columnar(types: &TypeSet) -> bool {
    types.iter().all(|ty| matches!(ty, Type::Integer | Type::Float | Type::Nil | Type::True | Type::False))
}

impl ValueColumn {
    /// The results of a section, or of some of its elements.
    pub fn results(decoder: Decoder<'_>, selection: Option<&[i32]>) -> Result<Value, Trouble> {
        let types = &decoder.schema().result;
        let values = decoder.values(|part| BufferKind::Result(KernelId(0), part), types);
        let some = |column: Option<&Column>| match (column, selection) {
            (None, _) => Ok(None),
            (Some(column), Some(rows)) => rows::take(column, rows).map(Some),
            (Some(column), None) => copied(column).map(Some),
        };
        let numbers = Numbers {
            count: selection.map_or(decoder.heap.length, <[i32]>::len),
            payload: some(values.payload)?,
            tags: some(values.tags)?,
            single: values.single,
            raw: false,
        };
        Ok(numbers.of_one_kind()?.wrap(decoder.ruby).as_value())
    }

    /// The items of an `Ikra::Column`, without a copy if it is all of its memory. Nil where Values have no such.
    pub fn of_column(ruby: &Ruby, column: Obj<ColumnObject>) -> Result<Option<Obj<Self>>, magnus::Error> {
        let single = match column.ty {
            ItemType::Float64 | ItemType::Float32 => Shape::Float,
            ItemType::Int64 | ItemType::Int32 => Shape::Integer,
            ItemType::Bool => return Ok(None),
        };
        caught(ruby, || {
            let array = column.memory.snapshot();
            let payload = match column.ty {
                ItemType::Int32 => {
                    let mut numbers = Column::I64(Vec::new());
                    TypedArray::new(array.column(column.rows())?).append_to(&mut numbers)?;
                    numbers
                }
                _ => array.column(column.rows())?,
            };
            let (count, payload) = (column.length, Some(payload));
            Ok(Some(Numbers { count, payload, tags: None, single: Some(single), raw: false }.wrap(ruby)))
        })
    }

    /// The rows of the elements that were selected.
    pub fn selection(decoder: Decoder<'_>) -> Result<Value, Trouble> {
        match decoder.buffer(&BufferKind::Selection) {
            Some(rows @ Column::I32(_)) => Ok(Numbers::rows(copied(rows)?).wrap(decoder.ruby).as_value()),
            _ => Err(Error::Internal("a section without a selection".into()).into()),
        }
    }

    fn numbers(&self, ruby: &Ruby) -> Arc<Numbers> {
        self.0.with(ruby, |numbers| numbers.clone())
    }

    /// The same on the host.
    fn home(&self, ruby: &Ruby) -> Result<Arc<Numbers>, magnus::Error> {
        let numbers = self.numbers(ruby);
        caught(ruby, || {
            numbers.payload.iter().try_for_each(Column::home)?;
            Ok(())
        })?;
        Ok(numbers)
    }
}

fn copied(column: &Column) -> Result<Column, Error> {
    // What is shared stays as it is.
    Ok(if column.is_shared() { column.clone() } else { column.try_clone()? })
}

impl Numbers {
    fn rows(rows: Column) -> Self {
        Self { count: rows.len(), payload: Some(rows), single: Some(Shape::Integer), ..Self::default() }
    }

    /// Values that might have been of several kinds (what an array has at an index may be nil), and all are Integers
    /// or all Floats: as the column that they would have been.
    fn of_one_kind(mut self) -> Result<Self, Error> {
        let (Some(Column::I64(payload)), Some(Column::I32(tags)), None) =
            (&self.payload, &self.tags, self.single)
        else {
            return Ok(self);
        };
        let Some(shape) = tags.first().and_then(|&tag| Shape::of_tag(tag)) else { return Ok(self) };
        if !matches!(shape, Shape::Integer | Shape::Float) || tags.iter().any(|tag| tag != &tags[0]) {
            return Ok(self);
        }
        if shape == Shape::Float {
            let floats = payload.iter().map(|&bits| f64::from_bits(bits as u64));
            self.payload = Some(Column::F64(fallible::collect(floats)?));
        }
        self.tags = None;
        self.single = Some(shape);
        Ok(self)
    }

    /// What the garbage collector is told.
    fn told(&self) -> usize {
        let columns = [&self.payload, &self.tags].into_iter().flatten();
        columns.map(|column| column::told(column.byte_len(), column.is_away())).sum()
    }

    fn wrap(self, ruby: &Ruby) -> Obj<ValueColumn> {
        let column = ruby.obj_wrap(ValueColumn::default());
        // The garbage collector is told how much hangs on so small an object.
        let told = self.told();
        column.1.store(told, Ordering::Relaxed);
        // SAFETY: the GVL is held.
        unsafe { rb_sys::rb_gc_adjust_memory_usage(told as _) };
        column.0.with(ruby, |numbers| *numbers = Arc::new(self));
        column
    }

    /// What the payload holds.
    fn view(&self) -> Option<View<'_>> {
        self.payload.as_ref().map(Column::numbers)
    }

    /// Does a device do it, which has the numbers?
    fn carry_out(&self, ruby: &Ruby, work: Work<'_>) -> Result<Option<Done>, Trouble> {
        let Some(Column::Shared(shared)) = &self.payload else { return Ok(None) };
        columns::carry_out(ruby, shared, work)
    }

    fn values(&self) -> Values<'_> {
        Values { payload: self.payload.as_ref(), tags: self.tags.as_ref(), single: self.single }
    }

    fn as_rows(&self) -> Result<&[i32], Trouble> {
        match self.view() {
            Some(View::I32(rows)) => Ok(rows),
            None if self.count == 0 => Ok(&[]),
            _ => Err(Error::Internal("a column of values is not one of rows".into()).into()),
        }
    }

    /// Ruby's value of a row, where it is an immediate.
    fn immediate(&self, row: usize) -> Option<VALUE> {
        match self.view() {
            Some(View::I64(all)) if self.raw => Some(all[row] as VALUE),
            _ => {
                let (shape, payload) = self.values().get(row).ok()?;
                immediate(shape, payload)
            }
        }
    }

    fn value(&self, ruby: &Ruby, row: usize) -> Result<VALUE, Trouble> {
        if let Some(value) = self.immediate(row) {
            return Ok(value);
        }
        let (shape, payload) = self.values().get(row)?;
        match shape {
            Shape::Integer => Ok(protect(|| value::integer(ruby, payload))?),
            Shape::Float => Ok(protect(|| value::float(ruby, f64::from_bits(payload as u64)))?),
            _ => Err(Error::Internal(format!("a column of numbers holds {shape:?}")).into()),
        }
    }

    fn array(&self, ruby: &Ruby) -> Result<RArray, Trouble> {
        if self.raw {
            return filled(ruby, self.count, |row| self.immediate(row), |row| self.value(ruby, row));
        }
        let values = &self.values();
        immediates!(values, |value| filled(ruby, self.count, value, |row| self.value(ruby, row)))
    }

    /// A key for each row, the same for those that `eql?` finds equal.
    fn keys(&self) -> Result<Option<Vec<Keyed>>, Error> {
        let keyed = |key: &(dyn Fn(usize) -> u64 + Sync)| order::keyed(self.count, key).map(Some);
        match (self.view(), self.single) {
            (Some(View::I64(all)), Some(Shape::Integer)) => keyed(&|row| order::integer_key(all[row])),
            (Some(View::I64(all)), _) if self.raw => keyed(&|row| all[row] as u64),
            (Some(View::F64(all)), Some(Shape::Float)) => match all.iter().any(|number| number.is_nan()) {
                true => Ok(None),
                false => keyed(&|row| order::float_key(all[row])),
            },
            (Some(View::Bool(all)), Some(Shape::Bool)) => keyed(&|row| u64::from(all[row] & 1)),
            (_, Some(Shape::Nil)) => keyed(&|_| 0),
            _ if (0..self.count).all(|row| self.immediate(row).is_some()) => {
                keyed(&|row| self.immediate(row).unwrap_or(value::NIL))
            }
            _ => Ok(None),
        }
    }
}

/// A new array of so many items; `made` makes those for which `immediate` gives none.
fn filled(
    ruby: &Ruby,
    count: usize,
    immediate: impl Fn(usize) -> Option<VALUE> + Sync,
    made: impl Fn(usize) -> Result<VALUE, Trouble>,
) -> Result<RArray, Trouble> {
    let array = ruby.ary_new_capa(count);
    let size = parallel::chunk();
    let fill = |memory: &mut [MaybeUninit<VALUE>]| {
        let lacking = std::sync::atomic::AtomicBool::new(false);
        parallel::each(count, memory.chunks_mut(size).enumerate(), |(number, items)| {
            for (row, item) in (number * size..).zip(items) {
                let value = immediate(row);
                if value.is_none() {
                    lacking.store(true, std::sync::atomic::Ordering::Relaxed);
                }
                item.write(value.unwrap_or(value::NIL));
            }
        });
        lacking.into_inner()
    };
    // SAFETY: the array was just made; all items are immediates, or items of an array that the caller has on its stack.
    let lacking = unsafe { array_layout::fill(array.as_raw(), count, fill) };
    match lacking {
        Some(false) => {}
        Some(true) => {
            for row in 0..count {
                if immediate(row).is_none() {
                    // SAFETY: the value was just made.
                    array.store(row as isize, unsafe { Value::from_raw(made(row)?) })?;
                }
            }
        }
        None => {
            for row in 0..count {
                let value = immediate(row).map_or_else(|| made(row), Ok)?;
                append(array, &[value])?;
            }
        }
    }
    Ok(array)
}

/// Items of an array that the caller holds, nil for those that are not there.
fn items_of(array: &RArray) -> &[VALUE] {
    // SAFETY: the array is live, and nothing of Ruby runs while the slice is used: its items stay where they are.
    unsafe {
        let (items, count) = (rb_sys::RARRAY_CONST_PTR(array.as_raw()), rb_sys::RARRAY_LEN(array.as_raw()));
        if count == 0 { &[] } else { std::slice::from_raw_parts(items, count as usize) }
    }
}

fn caught<T>(ruby: &Ruby, f: impl FnOnce() -> Result<T, Trouble>) -> Result<T, magnus::Error> {
    f().map_err(|trouble| exceptions::exception(ruby, trouble))
}

/// The numbers of rows in an array as those of a selection.
fn rows_of_array(ruby: &Ruby, array: RArray) -> Result<Obj<ValueColumn>, magnus::Error> {
    caught(ruby, || {
        let rows = array.to_vec::<i32>()?;
        Ok(Numbers::rows(Column::I32(rows)).wrap(ruby))
    })
}

/// The items of an array as a column, where all are Integers, all Floats, or all immediates; else nil.
fn of_array(ruby: &Ruby, array: RArray) -> Result<Option<Obj<ValueColumn>>, magnus::Error> {
    caught(ruby, || {
        let items = items_of(&array);
        let size = parallel::chunk();
        let count = items.len();
        let Some(first) = items.first() else { return Ok(Some(Numbers::default().wrap(ruby))) };
        let fits = std::sync::atomic::AtomicBool::new(true);
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        let column = match value::decode(*first) {
            Decoded::Integer(_) if value::is_fixnum(*first) => {
                let mut numbers = fallible::filled(0i64, count)?;
                parallel::each(
                    count,
                    numbers.chunks_mut(size).zip(items.chunks(size)),
                    |(numbers, items)| {
                        let all = items.iter().all(|item| value::is_fixnum(*item));
                        fits.fetch_and(all, relaxed);
                        if all {
                            numbers
                                .iter_mut()
                                .zip(items)
                                .for_each(|(n, item)| *n = value::fixnum_value(*item));
                        }
                    },
                );
                (Column::I64(numbers), Some(Shape::Integer), false)
            }
            Decoded::Float(_) => {
                let mut numbers = fallible::filled(0f64, count)?;
                parallel::each(
                    count,
                    numbers.chunks_mut(size).zip(items.chunks(size)),
                    |(numbers, items)| {
                        for (number, item) in numbers.iter_mut().zip(items) {
                            match value::decode(*item) {
                                Decoded::Float(float) => *number = float,
                                _ => {
                                    fits.store(false, relaxed);
                                    return;
                                }
                            }
                        }
                    },
                );
                (Column::F64(numbers), Some(Shape::Float), false)
            }
            _ => {
                let all = items.iter().all(|item| rb_sys::SPECIAL_CONST_P(*item));
                fits.store(all, relaxed);
                (Column::I64(fallible::collect(items.iter().map(|item| *item as i64))?), None, true)
            }
        };
        let (payload, single, raw) = column;
        let numbers = Numbers { count, payload: Some(payload), tags: None, single, raw };
        Ok(fits.into_inner().then(|| numbers.wrap(ruby)))
    })
}

/// The items of an array at some rows.
fn gather(ruby: &Ruby, array: RArray, rows: Obj<ValueColumn>) -> Result<RArray, magnus::Error> {
    let rows = rows.home(ruby)?;
    caught(ruby, || {
        let rows = rows.as_rows()?;
        gathered(ruby, array, rows.len(), |place| rows[place] as usize)
    })
}

fn gathered(
    ruby: &Ruby,
    array: RArray,
    count: usize,
    row: impl Fn(usize) -> usize + Sync,
) -> Result<RArray, Trouble> {
    let items = items_of(&array);
    let item = |place| Some(items.get(row(place)).copied().unwrap_or(value::NIL));
    filled(ruby, count, item, |_| Ok(value::NIL))
}

/// Gives its memory back, rather than to wait for the garbage collector.
fn clear(ruby: &Ruby, column: &ValueColumn) {
    drop(column.0.with(ruby, std::mem::take));
    column.forget();
}

fn size(ruby: &Ruby, column: &ValueColumn) -> usize {
    column.numbers(ruby).count
}

fn to_a(ruby: &Ruby, column: &ValueColumn) -> Result<RArray, magnus::Error> {
    let numbers = column.home(ruby)?;
    caught(ruby, || numbers.array(ruby))
}

fn at(ruby: &Ruby, column: &ValueColumn, row: usize) -> Result<Option<Value>, magnus::Error> {
    let numbers = column.numbers(ruby);
    if row >= numbers.count {
        return Ok(None);
    }
    if let (Some(Column::Shared(shared)), Some(shape @ (Shape::Integer | Shape::Float))) =
        (&numbers.payload, numbers.single)
        && shared.ty().bytes() == 8
    {
        return caught(ruby, || {
            let bits = shared.word(row)?;
            let made = protect(|| match shape {
                Shape::Float => value::float(ruby, f64::from_bits(bits)),
                _ => value::integer(ruby, bits as i64),
            })?;
            // SAFETY: it was just made.
            Ok(Some(unsafe { Value::from_raw(made) }))
        });
    }
    let numbers = column.home(ruby)?;
    // SAFETY: the value was just made, or is an immediate.
    caught(ruby, || Ok(Some(unsafe { Value::from_raw(numbers.value(ruby, row)?) })))
}

/// Which class all are of: `:integer`, `:float`; else nil.
fn kind(ruby: &Ruby, column: &ValueColumn) -> Option<magnus::Symbol> {
    match column.numbers(ruby).single {
        Some(Shape::Integer) => Some(ruby.to_symbol("integer")),
        Some(Shape::Float) => Some(ruby.to_symbol("float")),
        _ => None,
    }
}

/// The sum of a column of Integers; of any other nil.
fn integer_sum(ruby: &Ruby, column: &ValueColumn) -> Result<Option<Value>, magnus::Error> {
    let numbers = column.numbers(ruby);
    caught(ruby, || match &numbers.payload {
        Some(payload) if numbers.single == Some(Shape::Integer) => {
            let sum = match numbers.carry_out(ruby, Work::Sum)? {
                Some(Done::Sum(sum)) => Some(sum),
                _ => {
                    payload.home()?;
                    whole::sum(payload)?
                }
            };
            let Some(sum) = sum else { return Ok(None) };
            let made = match i64::try_from(sum) {
                Ok(sum) => protect(|| value::integer(ruby, sum))?,
                Err(_) => {
                    let digits = CString::new(sum.to_string()).unwrap_or_default();
                    // SAFETY: the text ends with a zero byte.
                    protect(|| unsafe { rb_sys::rb_cstr2inum(digits.as_ptr(), 10) })?
                }
            };
            // SAFETY: it was just made.
            Ok(Some(unsafe { Value::from_raw(made) }))
        }
        _ => Ok(None),
    })
}

/// A sum on the way (what is added up, and what was lost by rounding) with a column of numbers; of any other nil.
fn float_sum(
    ruby: &Ruby,
    column: &ValueColumn,
    sum: f64,
    lost: f64,
) -> Result<Option<(f64, f64)>, magnus::Error> {
    let numbers = column.numbers(ruby);
    if numbers.single == Some(Shape::Float)
        && let Some(Done::SumOfFloats { sum, lost }) =
            caught(ruby, || numbers.carry_out(ruby, Work::SumOfFloats { sum, lost }))?
    {
        return Ok(Some((sum, lost)));
    }
    let numbers = column.home(ruby)?;
    let mut sum = Compensated { sum, lost };
    match (numbers.view(), numbers.single) {
        (Some(View::F64(all)), Some(Shape::Float)) => {
            sum = caught(ruby, || Ok(whole::sum_of_floats(all, sum)?))?
        }
        (Some(View::I64(all)), Some(Shape::Integer)) => {
            all.iter().for_each(|number| sum.add(*number as f64));
        }
        _ => return Ok(None),
    }
    Ok(Some((sum.sum, sum.lost)))
}

/// The numbers put together in their order by an operator, beginning with a number of the same class; nil where it takes
/// Ruby.
fn reduce(
    ruby: &Ruby,
    column: &ValueColumn,
    operator: magnus::Symbol,
    from: Value,
) -> Result<Option<Value>, magnus::Error> {
    let numbers = column.home(ruby)?;
    let reduction = match &*operator.name()? {
        "+" => Reduction::Add,
        "*" => Reduction::Mul,
        "&" => Reduction::And,
        "|" => Reduction::Or,
        "^" => Reduction::Xor,
        _ => return Ok(None),
    };
    caught(ruby, || {
        let bits =
            |number: Option<i64>| number.map(|number| protect(|| value::integer(ruby, number))).transpose();
        let made = match (numbers.view(), numbers.single, value::decode(from.as_raw())) {
            (Some(View::I64(_)), Some(Shape::Integer), Decoded::Integer(from)) => match &numbers.payload {
                Some(all) => bits(collectives::reduce(reduction, all, None, from)?)?,
                None => None,
            },
            (Some(View::F64(all)), Some(Shape::Float), Decoded::Float(from)) => {
                let folded = match reduction {
                    Reduction::Add => all.iter().fold(from, |sum, number| sum + number),
                    Reduction::Mul => all.iter().fold(from, |product, number| product * number),
                    _ => return Ok(None),
                };
                Some(protect(|| value::float(ruby, folded))?)
            }
            _ => None,
        };
        // SAFETY: it was just made.
        Ok(made.map(|made| unsafe { Value::from_raw(made) }))
    })
}

/// The row of the least number, or of the greatest one: the first of these. Nil where it takes Ruby.
fn best(ruby: &Ruby, column: &ValueColumn, greatest: bool) -> Result<Option<usize>, magnus::Error> {
    let numbers = column.numbers(ruby);
    caught(ruby, || {
        let (Some(payload), Some(Shape::Integer | Shape::Float)) = (&numbers.payload, numbers.single) else {
            return Ok(None);
        };
        if let Some(Done::Row(row)) = numbers.carry_out(ruby, Work::Best { greatest })? {
            return Ok(Some(row));
        }
        payload.home()?;
        Ok(whole::best(payload, greatest)?)
    })
}

/// The rows in the order of their numbers, equal ones in the order of the rows. Nil where it takes Ruby.
fn order_of(ruby: &Ruby, column: &ValueColumn) -> Result<Option<Obj<ValueColumn>>, magnus::Error> {
    let numbers = column.home(ruby)?;
    caught(ruby, || {
        if numbers.raw || !matches!(numbers.single, Some(Shape::Integer | Shape::Float)) {
            return Ok(None);
        }
        let Some(keys) = numbers.keys()? else { return Ok(None) };
        let rows = fallible::collect(order::sort(keys)?.iter().map(|item| item.row as i32))?;
        Ok(Some(Numbers::rows(Column::I32(rows)).wrap(ruby)))
    })
}

/// The numbers of some rows.
fn take(
    ruby: &Ruby,
    column: &ValueColumn,
    rows: Obj<ValueColumn>,
) -> Result<Obj<ValueColumn>, magnus::Error> {
    let (numbers, rows) = (column.home(ruby)?, rows.home(ruby)?);
    caught(ruby, || {
        let rows = rows.as_rows()?;
        let some =
            |column: &Option<Column>| column.as_ref().map(|column| rows::take(column, rows)).transpose();
        let (payload, tags) = (some(&numbers.payload)?, some(&numbers.tags)?);
        Ok(Numbers { count: rows.len(), payload, tags, single: numbers.single, raw: numbers.raw }.wrap(ruby))
    })
}

/// Of so many rows those that are not here.
fn others(ruby: &Ruby, column: &ValueColumn, count: usize) -> Result<Obj<ValueColumn>, magnus::Error> {
    let rows = column.home(ruby)?;
    caught(ruby, || Ok(Numbers::rows(Column::I32(rows::others(rows.as_rows()?, count)?)).wrap(ruby)))
}

/// The rows whose values are true.
fn truths(ruby: &Ruby, column: &ValueColumn) -> Result<Obj<ValueColumn>, magnus::Error> {
    let numbers = column.home(ruby)?;
    caught(ruby, || {
        let mut flags = fallible::filled(0u8, numbers.count)?;
        for (row, flag) in flags.iter_mut().enumerate() {
            *flag = u8::from(!matches!(numbers.immediate(row), Some(value::NIL | value::FALSE)));
        }
        Ok(Numbers::rows(collectives::compact(&Column::Bool(flags))?).wrap(ruby))
    })
}

fn groups_of(numbers: &Numbers) -> Result<Option<Groups>, Trouble> {
    numbers.keys()?.map(Groups::of).transpose().map_err(Trouble::from)
}

/// The first row of each value, in their order. Nil where it takes Ruby.
fn firsts(ruby: &Ruby, column: &ValueColumn) -> Result<Option<Obj<ValueColumn>>, magnus::Error> {
    let numbers = column.home(ruby)?;
    caught(ruby, || {
        let Some(groups) = groups_of(&numbers)? else { return Ok(None) };
        Ok(Some(first_rows(&groups)?.wrap(ruby)))
    })
}

fn first_rows(groups: &Groups) -> Result<Numbers, Trouble> {
    let firsts = fallible::collect(groups.groups.iter().map(|group| group.first as i32))?;
    Ok(Numbers::rows(Column::I32(firsts)))
}

/// A Hash of the values and how often each is there. Nil where it takes Ruby.
fn tally(ruby: &Ruby, column: &ValueColumn) -> Result<Option<Value>, magnus::Error> {
    hash_of(ruby, column, |groups| {
        let count = |place: usize| value::fixnum(groups.groups[place].count.into());
        filled(ruby, groups.groups.len(), count, |_| Ok(value::NIL))
    })
}

/// A Hash of the values and the items of an array at their rows. Nil where it takes Ruby.
fn group(ruby: &Ruby, column: &ValueColumn, items: RArray) -> Result<Option<Value>, magnus::Error> {
    hash_of(ruby, column, |groups| {
        let lists = ruby.ary_new_capa(groups.groups.len());
        let mut rest = &groups.groups[..];
        while let Some(group) = rest.first() {
            // Small ones are made one after the other, without leaving the protection against what is raised.
            let small = rest.iter().take_while(|group| group.count as usize <= SMALL).count();
            if small == 0 {
                let start = group.start as usize;
                let row = |place: usize| groups.items[start + place].row as usize;
                lists.push(gathered(ruby, items, group.count as usize, row)?)?;
                rest = &rest[1..];
                continue;
            }
            let some = &rest[..small.min(AT_ONCE)];
            push_lists(lists, groups, some, items)?;
            rest = &rest[some.len()..];
        }
        Ok(lists)
    })
}

/// Groups of so many items at most are small.
const SMALL: usize = 64;
/// So many of them are made at once.
const AT_ONCE: usize = 1 << 12;

fn push_lists(lists: RArray, groups: &Groups, some: &[Group], items: RArray) -> Result<(), Trouble> {
    let mut list = [value::NIL; SMALL];
    let mut made = [value::NIL; BLOCK];
    // On the stack, and known to others, so that the garbage collector sees what was made.
    let made = black_box(&mut made);
    for some in some.chunks(BLOCK) {
        // SAFETY: the values are items of a live array, and what was made is on the stack. What is raised ends in `protect`;
        // nothing in the closure needs dropping.
        protect(|| unsafe {
            for (place, group) in made.iter_mut().zip(some) {
                let all = items_of(&items);
                for (item, row) in list.iter_mut().zip(groups.rows(*group)) {
                    *item = all.get(row).copied().unwrap_or(value::NIL);
                }
                *place = rb_sys::rb_ary_new_from_values(group.count.into(), list.as_ptr());
            }
            rb_sys::rb_ary_cat(lists.as_raw(), made.as_ptr(), some.len() as c_long)
        })?;
    }
    Ok(())
}

/// A Hash of the values, each with what it gets in the list of all groups.
fn hash_of(
    ruby: &Ruby,
    column: &ValueColumn,
    values: impl FnOnce(&Groups) -> Result<RArray, Trouble>,
) -> Result<Option<Value>, magnus::Error> {
    let numbers = column.home(ruby)?;
    caught(ruby, || {
        let Some(groups) = groups_of(&numbers)? else { return Ok(None) };
        let count = groups.groups.len();
        let first = |place: usize| groups.groups[place].first as usize;
        let key = |place: usize| numbers.immediate(first(place));
        let keys = filled(ruby, count, key, |place| numbers.value(ruby, first(place)))?;
        let values = values(&groups)?;
        let both = [items_of(&keys), items_of(&values)];
        let pair = |place: usize| Some(both[place % 2].get(place / 2).copied().unwrap_or(value::NIL));
        let pairs = filled(ruby, 2 * count, pair, |_| Ok(value::NIL))?;
        let hash = hash_for(ruby, count)?;
        // SAFETY: all objects are on the stack, and what is in the arrays is live.
        protect(|| unsafe {
            let all = rb_sys::RARRAY_CONST_PTR(pairs.as_raw());
            rb_sys::rb_hash_bulk_insert(2 * count as c_long, all, hash.as_raw());
            value::NIL
        })?;
        // Until here the garbage collector must see what only pointers were left of.
        black_box([keys, values, pairs]);
        Ok(Some(hash.as_value()))
    })
}

/// An empty Hash with room for so many pairs. Ruby 3.1 has no function for that, and makes room when they are put in.
fn hash_for(ruby: &Ruby, count: usize) -> Result<RHash, Trouble> {
    type NewCapa = unsafe extern "C" fn(c_long) -> VALUE;
    static NEW_CAPA: OnceLock<Option<NewCapa>> = OnceLock::new();
    let new_capa = NEW_CAPA.get_or_init(|| {
        // SAFETY: the name ends with a zero byte.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"rb_hash_new_capa".as_ptr()) };
        // SAFETY: where Ruby has a function of this name, it is that (`ruby/internal/intern/hash.h`).
        (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut std::ffi::c_void, NewCapa>(found) })
    });
    let Some(new_capa) = new_capa else { return Ok(ruby.hash_new()) };
    // SAFETY: what is raised ends in `protect`.
    let hash = protect(|| unsafe { new_capa(count as c_long) })?;
    // SAFETY: it was just made.
    Ok(RHash::try_convert(unsafe { Value::from_raw(hash) })?)
}

/// Is a method of the class Ruby's own, as it was when Ruby began?
fn is_own(class: Value, name: magnus::Symbol) -> bool {
    // SAFETY: both are live, and only looked at.
    unsafe { rb_sys::rb_method_basic_definition_p(class.as_raw(), rb_sys::rb_sym2id(name.as_raw())) != 0 }
}

pub fn init(ruby: &Ruby, native: RModule) -> Result<(), magnus::Error> {
    let class = native.define_class("Values", ruby.class_object())?;
    class.undef_default_alloc_func();
    <ValueColumn as TypedData>::class(ruby);
    class.define_method("size", method!(size, 0))?;
    class.define_method("clear", method!(clear, 0))?;
    class.define_method("to_a", method!(to_a, 0))?;
    class.define_method("[]", method!(at, 1))?;
    class.define_method("kind", method!(kind, 0))?;
    class.define_method("integer_sum", method!(integer_sum, 0))?;
    class.define_method("float_sum", method!(float_sum, 2))?;
    class.define_method("reduce", method!(reduce, 2))?;
    class.define_method("best", method!(best, 1))?;
    class.define_method("order", method!(order_of, 0))?;
    class.define_method("take", method!(take, 1))?;
    class.define_method("others", method!(others, 1))?;
    class.define_method("truths", method!(truths, 0))?;
    class.define_method("firsts", method!(firsts, 0))?;
    class.define_method("tally", method!(tally, 0))?;
    class.define_method("group", method!(group, 1))?;
    native.define_singleton_method("values", function!(of_array, 1))?;
    native.define_singleton_method("rows", function!(rows_of_array, 1))?;
    native.define_singleton_method("gather", function!(gather, 2))?;
    native.define_singleton_method("values_of_column", function!(ValueColumn::of_column, 1))?;
    native.define_singleton_method("own?", function!(is_own, 2))
}
