//! The memory of an `Ikra::Column`: numbers behind a counted reference. Who reads it takes a clone, a *snapshot*, which
//! costs nothing and stays as it is: who writes memory that somebody else has, copies it first. So a section has what a
//! Column held when it was read, whatever other threads write meanwhile, and no lock is needed.

use crate::error::Error;
use crate::error::NoMemory;
use crate::fallible;
use crate::heap::column::Numbers;
use crate::heap::{Column, Shared};
use crate::lent::Lent;
use crate::parallel;
use crate::types::ItemType;
use bytemuck::Pod;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A clone shares the memory, and stays as it is: writing copies what is shared ([`TypedArray::set`]).
#[derive(Clone, Debug)]
pub enum TypedArray {
    /// Of any type but `float32`, as a run has them. What looks at single numbers has them [brought home](Self::home)
    /// before.
    Column(Arc<Shared>),
    Float32(Arc<Floats>),
}

/// Numbers of single precision.
#[derive(Debug)]
pub enum Floats {
    Own(Vec<f32>),
    Lent(Lent<&'static [f32]>),
}

impl Deref for Floats {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Self::Own(numbers) => numbers,
            Self::Lent(lent) => lent.numbers(),
        }
    }
}

impl From<Vec<f32>> for Floats {
    fn from(numbers: Vec<f32>) -> Self {
        Self::Own(numbers)
    }
}

/// An item by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item {
    Float(f64),
    Integer(i64),
    Bool(bool),
}

/// Calls `$body` with the numbers as a slice of their own type.
macro_rules! of_numbers {
    ($array:expr, |$numbers:ident| $body:expr) => {
        match $array {
            TypedArray::Float32(numbers) => {
                let $numbers: &[f32] = numbers;
                $body
            }
            TypedArray::Column(column) => match column.here().numbers() {
                Numbers::Bool(numbers) => {
                    let $numbers: &[u8] = numbers;
                    $body
                }
                Numbers::I32(numbers) => {
                    let $numbers: &[i32] = numbers;
                    $body
                }
                Numbers::I64(numbers) => {
                    let $numbers: &[i64] = numbers;
                    $body
                }
                Numbers::F64(numbers) => {
                    let $numbers: &[f64] = numbers;
                    $body
                }
            },
        }
    };
}

impl TypedArray {
    pub fn zeros(ty: ItemType, length: usize) -> Result<Self, NoMemory> {
        let column = |ty| Column::try_zeros(ty, length).map_err(|_| NoMemory(length.saturating_mul(8)));
        Ok(match ty.run_type() {
            Some(ty) => Self::Column(Arc::new(Shared::new(column(ty)?))),
            None => Self::floats(fallible::filled(0.0, length)?),
        })
    }

    fn floats(numbers: Vec<f32>) -> Self {
        Self::Float32(Arc::new(numbers.into()))
    }

    /// What a run has computed.
    pub fn new(mut column: Column) -> Self {
        if let Column::Bool(truths) = &mut column {
            // Others may look at more than the lowest bit.
            truths.iter_mut().for_each(|truth| *truth &= 1);
        }
        match column {
            Column::Shared(column) => Self::Column(column),
            column => Self::Column(Arc::new(Shared::new(column))),
        }
    }

    /// Numbers in the order in which they lie in memory; what is left over at the end does not count.
    pub fn of_bytes(ty: ItemType, bytes: &[u8]) -> Result<Self, NoMemory> {
        fn numbers<T: Pod>(bytes: &[u8]) -> Result<Vec<T>, NoMemory> {
            let mut numbers: Vec<T> = fallible::unset(bytes.len() / size_of::<T>())?;
            let count = numbers.len() * size_of::<T>();
            parallel::copy(bytemuck::cast_slice_mut(&mut numbers), &bytes[..count]);
            Ok(numbers)
        }
        Ok(match ty {
            ItemType::Float64 => Self::new(Column::F64(numbers(bytes)?)),
            ItemType::Int64 => Self::new(Column::I64(numbers(bytes)?)),
            ItemType::Int32 => Self::new(Column::I32(numbers(bytes)?)),
            ItemType::Bool => {
                let mut truths: Vec<u8> = numbers(bytes)?;
                truths.iter_mut().for_each(|truth| *truth = u8::from(*truth != 0));
                Self::new(Column::Bool(truths))
            }
            ItemType::Float32 => Self::floats(numbers(bytes)?),
        })
    }

    pub fn ty(&self) -> ItemType {
        match self {
            Self::Float32(_) => ItemType::Float32,
            Self::Column(column) => ItemType::of_run(column.ty()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Float32(numbers) => numbers.len(),
            Self::Column(column) => column.len(),
        }
    }

    /// Has the host the numbers, and has a device?
    pub fn place(&self) -> (bool, bool) {
        match self {
            Self::Float32(_) => (true, false),
            Self::Column(column) => (column.is_home(), column.copy().is_some()),
        }
    }

    /// Does only a device have the numbers?
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Column(column) if !column.is_home())
    }

    /// Has the host have the numbers.
    pub fn home(&self) -> Result<(), Error> {
        match self {
            Self::Float32(_) => Ok(()),
            Self::Column(column) => column.home().map(|_| ()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items in these rows, as they lie in memory.
    pub fn bytes(&self, rows: Range<usize>) -> &[u8] {
        of_numbers!(self, |numbers| bytemuck::cast_slice(&numbers[rows]))
    }

    #[inline]
    pub fn get(&self, row: usize) -> Item {
        match self {
            Self::Float32(numbers) => Item::Float(f64::from(numbers[row])),
            Self::Column(column) => match column.here().numbers() {
                Numbers::Bool(truths) => Item::Bool(truths[row] & 1 != 0),
                Numbers::I32(numbers) => Item::Integer(i64::from(numbers[row])),
                Numbers::I64(numbers) => Item::Integer(numbers[row]),
                Numbers::F64(numbers) => Item::Float(numbers[row]),
            },
        }
    }

    /// Writes an item that fits the type ([`ItemType::fits`]).
    #[inline]
    pub fn set(&mut self, row: usize, item: Item) -> Result<(), NoMemory> {
        self.unshare()?;
        match (&mut *self, item) {
            (Self::Float32(numbers), Item::Float(number)) => only(numbers)[row] = number as f32,
            (Self::Column(column), item) => match (own(column), item) {
                (Column::F64(numbers), Item::Float(number)) => numbers[row] = number,
                (Column::I64(numbers), Item::Integer(number)) => numbers[row] = number,
                (Column::I32(numbers), Item::Integer(number)) => numbers[row] = number as i32,
                (Column::Bool(truths), Item::Bool(truth)) => truths[row] = u8::from(truth),
                _ => unreachable!("an item of another type"),
            },
            _ => unreachable!("an item of another type"),
        }
        Ok(())
    }

    /// Writes an item that fits into all of these rows.
    pub fn fill(&mut self, rows: Range<usize>, item: Item) -> Result<(), NoMemory> {
        self.unshare()?;
        match (&mut *self, item) {
            (Self::Float32(numbers), Item::Float(number)) => only(numbers)[rows].fill(number as f32),
            (Self::Column(column), item) => match (own(column), item) {
                (Column::F64(numbers), Item::Float(number)) => numbers[rows].fill(number),
                (Column::I64(numbers), Item::Integer(number)) => numbers[rows].fill(number),
                (Column::I32(numbers), Item::Integer(number)) => numbers[rows].fill(number as i32),
                (Column::Bool(truths), Item::Bool(truth)) => truths[rows].fill(u8::from(truth)),
                _ => unreachable!("an item of another type"),
            },
            _ => unreachable!("an item of another type"),
        }
        Ok(())
    }

    /// Writes items of the same type, which lie in memory so, from a row on.
    pub fn write(&mut self, row: usize, bytes: &[u8]) -> Result<(), NoMemory> {
        self.unshare()?;
        let at = row * self.ty().bytes();
        let all = match self {
            Self::Float32(numbers) => bytemuck::cast_slice_mut(only(numbers).as_mut_slice()),
            Self::Column(column) => own(column).as_bytes_mut(),
        };
        parallel::copy(&mut all[at..at + bytes.len()], bytes);
        Ok(())
    }

    /// A copy of these rows.
    pub fn copy(&self, rows: Range<usize>) -> Result<Self, Error> {
        self.home()?;
        Ok(Self::of_bytes(self.ty(), self.bytes(rows))?)
    }

    /// These rows as a run has them: without a copy, where it is all of them and the run has them so; where they are, if
    /// only a device has them.
    pub fn column(&self, rows: Range<usize>) -> Result<Column, Error> {
        let is_whole = rows == (0..self.len());
        if !is_whole {
            if let Self::Column(column) = self
                && let Some(part) = column.part(&rows)?
            {
                return Ok(Column::Shared(part));
            }
            self.home()?;
        }
        match self {
            Self::Column(column) if is_whole => Ok(Column::Shared(column.clone())),
            Self::Column(column) => Ok(match column.here().numbers() {
                Numbers::Bool(all) => Column::Bool(parallel::copied(&all[rows])?),
                Numbers::I32(all) => Column::I32(parallel::copied(&all[rows])?),
                Numbers::I64(all) => Column::I64(parallel::copied(&all[rows])?),
                Numbers::F64(all) => Column::F64(parallel::copied(&all[rows])?),
            }),
            Self::Float32(all) => Ok(Column::F64(parallel::mapped(&all[rows], |number| f64::from(*number))?)),
        }
    }

    /// All of it behind what a run's column has, as numbers of its type.
    pub fn append_to(&self, column: &mut Column) -> Result<(), Error> {
        self.home()?;
        // What is alone is made by all threads.
        match (self, &mut *column) {
            (Self::Float32(from), Column::F64(to)) if to.is_empty() => {
                *to = parallel::mapped(from, |number| f64::from(*number))?;
                return Ok(());
            }
            (Self::Column(from), Column::I64(to)) if to.is_empty() => {
                if let Numbers::I32(from) = from.here().numbers() {
                    *to = parallel::mapped(from, |number| i64::from(*number))?;
                    return Ok(());
                }
            }
            _ => {}
        }
        column.try_reserve(self.len())?;
        match (self, column) {
            (Self::Float32(from), Column::F64(to)) => to.extend(from.iter().map(|number| f64::from(*number))),
            (Self::Column(from), to) => match (from.here().numbers(), to) {
                (Numbers::Bool(from), Column::Bool(to)) => to.extend_from_slice(from),
                (Numbers::I32(from), Column::I32(to)) => to.extend_from_slice(from),
                (Numbers::I32(from), Column::I64(to)) => {
                    to.extend(from.iter().map(|number| i64::from(*number)))
                }
                (Numbers::I64(from), Column::I64(to)) => to.extend_from_slice(from),
                (Numbers::F64(from), Column::F64(to)) => to.extend_from_slice(from),
                _ => unreachable!("a run has columns of another type so"),
            },
            _ => unreachable!("a run has columns of another type so"),
        }
        Ok(())
    }

    /// Is it what the other was cloned from, not written since?
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float32(a), Self::Float32(b)) => Arc::ptr_eq(a, b),
            (Self::Column(a), Self::Column(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// What these rows of a run's column are as an array of this type; they fit it.
    pub fn of_column(ty: ItemType, column: &Column, rows: Range<usize>) -> Result<Self, NoMemory> {
        Ok(match (ty, column.numbers()) {
            (ItemType::Float32, Numbers::F64(all)) => {
                Self::floats(parallel::mapped(&all[rows], |number| *number as f32)?)
            }
            (ItemType::Int32, Numbers::I64(all)) => {
                Self::new(Column::I32(parallel::mapped(&all[rows], |number| *number as i32)?))
            }
            (_, Numbers::Bool(all)) => Self::new(Column::Bool(parallel::copied(&all[rows])?)),
            (_, Numbers::I32(all)) => Self::new(Column::I32(parallel::copied(&all[rows])?)),
            (_, Numbers::I64(all)) => Self::new(Column::I64(parallel::copied(&all[rows])?)),
            (_, Numbers::F64(all)) => Self::new(Column::F64(parallel::copied(&all[rows])?)),
        })
    }

    /// The items at these rows.
    pub fn gather(&self, rows: &[i32], first: usize) -> Result<Self, Error> {
        fn chosen<T: Copy + Send + Sync>(all: &[T], rows: &[i32], first: usize) -> Result<Vec<T>, NoMemory> {
            parallel::mapped(rows, |row| all[first + *row as usize])
        }
        self.home()?;
        Ok(match self {
            Self::Float32(all) => Self::floats(chosen(all, rows, first)?),
            Self::Column(column) => Self::new(match column.here().numbers() {
                Numbers::Bool(all) => Column::Bool(chosen(all, rows, first)?),
                Numbers::I32(all) => Column::I32(chosen(all, rows, first)?),
                Numbers::I64(all) => Column::I64(chosen(all, rows, first)?),
                Numbers::F64(all) => Column::F64(chosen(all, rows, first)?),
            }),
        })
    }

    /// Are the items in these rows of two arrays equal, as Ruby's `==` says?
    pub fn equals(&self, rows: Range<usize>, other: &Self, others: Range<usize>) -> bool {
        if rows.len() != others.len() {
            return false;
        }
        if let (Self::Column(a), Self::Column(b)) = (self, other)
            && let (Numbers::F64(a), Numbers::F64(b)) = (a.here().numbers(), b.here().numbers())
        {
            return a[rows] == b[others];
        }
        if self.ty() == other.ty() && self.ty() != ItemType::Float32 {
            return self.bytes(rows) == other.bytes(others);
        }
        rows.zip(others).all(|(row, its)| match (self.get(row), other.get(its)) {
            (Item::Float(a), Item::Float(b)) => a == b,
            (Item::Integer(a), Item::Integer(b)) => a == b,
            (Item::Bool(a), Item::Bool(b)) => a == b,
            (Item::Integer(a), Item::Float(b)) | (Item::Float(b), Item::Integer(a)) => equal(a, b),
            _ => false,
        })
    }

    /// From now on nobody else has the memory.
    fn unshare(&mut self) -> Result<(), NoMemory> {
        match self {
            Self::Float32(numbers) => {
                if !matches!(Arc::get_mut(numbers), Some(Floats::Own(_))) {
                    *numbers = Arc::new(parallel::copied(numbers)?.into());
                }
            }
            Self::Column(column) => Shared::unshare(column)?,
        }
        Ok(())
    }
}

/// Are an Integer and a Float the same number?
fn equal(integer: i64, float: f64) -> bool {
    integer as f64 == float && (float as i128) == i128::from(integer)
}

fn own(shared: &mut Arc<Shared>) -> &mut Column {
    Shared::alone(shared).expect("nobody else has it")
}

fn only(shared: &mut Arc<Floats>) -> &mut Vec<f32> {
    match Arc::get_mut(shared) {
        Some(Floats::Own(numbers)) => numbers,
        _ => panic!("somebody else has it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_stays_as_it_was() {
        let mut array = TypedArray::zeros(ItemType::Int32, 3).unwrap();
        let before = array.clone();
        array.set(1, Item::Integer(7)).unwrap();
        assert_eq!([0, 1, 2].map(|row| array.get(row)), [0, 7, 0].map(Item::Integer));
        assert_eq!(before.get(1), Item::Integer(0));
        assert!(matches!(array.column(0..3), Ok(Column::Shared(_))));
        assert_eq!(array.column(1..3).unwrap(), Column::I32(vec![7, 0]));
    }

    #[test]
    fn single_precision_is_widened_and_rounded() {
        let mut array = TypedArray::zeros(ItemType::Float32, 2).unwrap();
        array.set(0, Item::Float(0.1)).unwrap();
        assert_eq!(array.get(0), Item::Float(f64::from(0.1f32)));
        assert_eq!(array.column(0..2).unwrap(), Column::F64(vec![f64::from(0.1f32), 0.0]));
        let back = TypedArray::of_column(ItemType::Float32, &Column::F64(vec![0.1, f64::MAX]), 0..2).unwrap();
        assert_eq!([back.get(0), back.get(1)], [Item::Float(f64::from(0.1f32)), Item::Float(f64::INFINITY)]);
    }

    #[test]
    fn bytes_go_both_ways() {
        let array = TypedArray::of_bytes(ItemType::Bool, &[0, 1, 255]).unwrap();
        assert_eq!(array.bytes(0..3), [0, 1, 1]);
        let numbers = [1.5f64, -0.0];
        let array = TypedArray::of_bytes(ItemType::Float64, bytemuck::cast_slice(&numbers)).unwrap();
        assert_eq!(array.bytes(1..2), (-0.0f64).to_ne_bytes());
        assert!(array.equals(1..2, &TypedArray::zeros(ItemType::Int64, 1).unwrap(), 0..1));
    }

    #[test]
    fn an_integer_is_no_float_beside_it() {
        assert!(equal(1 << 53, 9_007_199_254_740_992.0));
        assert!(!equal((1 << 53) + 1, 9_007_199_254_740_992.0));
        assert!(!equal(i64::MAX, 9_223_372_036_854_775_808.0));
        assert!(!equal(0, f64::NAN));
    }
}
