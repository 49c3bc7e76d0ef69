//! One buffer's contents on the host: an array of one scalar type.

use crate::error::Error;
use crate::error::NoMemory;
use crate::fallible;
use crate::heap::{RowSet, Shared};
use crate::lent::Lent;
use crate::parallel;
use crate::reserve;
use crate::scalar::Ty;
use bytemuck::allocation::try_zeroed_vec;
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Column {
    /// One byte each, 0 or 1.
    Bool(Vec<u8>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    F64(Vec<f64>),
    /// Somebody else's memory, which is only read: an `Ikra::Column`'s. What is in it is not shared itself. It may be on a
    /// device; who looks at numbers has it brought [home](Self::home) before.
    Shared(Arc<Shared>),
    /// Memory of others than Ikra, which is only read: it stands in what is shared.
    Lent(LentNumbers),
}

#[derive(Clone, Debug)]
pub enum LentNumbers {
    I32(Lent<&'static [i32]>),
    I64(Lent<&'static [i64]>),
    F64(Lent<&'static [f64]>),
}

/// What a column holds, whoever has the memory.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    Bool(&'a [u8]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    F64(&'a [f64]),
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        match (self.numbers(), other.numbers()) {
            (Numbers::Bool(a), Numbers::Bool(b)) => a == b,
            (Numbers::I32(a), Numbers::I32(b)) => a == b,
            (Numbers::I64(a), Numbers::I64(b)) => a == b,
            (Numbers::F64(a), Numbers::F64(b)) => a == b,
            _ => false,
        }
    }
}

impl Column {
    #[inline]
    pub fn numbers(&self) -> Numbers<'_> {
        match self {
            Self::Bool(v) => Numbers::Bool(v),
            Self::I32(v) => Numbers::I32(v),
            Self::I64(v) => Numbers::I64(v),
            Self::F64(v) => Numbers::F64(v),
            Self::Shared(column) => column.here().numbers(),
            Self::Lent(LentNumbers::I32(lent)) => Numbers::I32(lent.numbers()),
            Self::Lent(LentNumbers::I64(lent)) => Numbers::I64(lent.numbers()),
            Self::Lent(LentNumbers::F64(lent)) => Numbers::F64(lent.numbers()),
        }
    }

    /// Has the host have the numbers.
    pub fn home(&self) -> Result<(), Error> {
        match self {
            Self::Shared(column) => column.home().map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Does only a device have them?
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Shared(column) if !column.is_home())
    }

    pub const fn is_shared(&self) -> bool {
        matches!(self, Self::Shared(_))
    }

    /// `len` zeros.
    pub fn zeros(ty: Ty, len: usize) -> Self {
        match ty {
            Ty::Bool => Self::Bool(vec![0; len]),
            Ty::I32 => Self::I32(vec![0; len]),
            Ty::I64 => Self::I64(vec![0; len]),
            Ty::F64 => Self::F64(vec![0.0; len]),
        }
    }

    /// `len` zeros, where there may be too little memory for them.
    pub fn try_zeros(ty: Ty, len: usize) -> Result<Self, Error> {
        let no_memory = |()| Error::Memory(len.saturating_mul(ty.bytes()));
        reserve::fallible(|| {
            Ok(match ty {
                Ty::Bool => Self::Bool(try_zeroed_vec(len).map_err(no_memory)?),
                Ty::I32 => Self::I32(try_zeroed_vec(len).map_err(no_memory)?),
                Ty::I64 => Self::I64(try_zeroed_vec(len).map_err(no_memory)?),
                Ty::F64 => Self::F64(try_zeroed_vec(len).map_err(no_memory)?),
            })
        })
    }

    /// `len` numbers, whatever they are, to be written before they are read.
    pub fn unset(ty: Ty, len: usize) -> Result<Self, NoMemory> {
        Ok(match ty {
            Ty::Bool => Self::Bool(fallible::unset(len)?),
            Ty::I32 => Self::I32(fallible::unset(len)?),
            Ty::I64 => Self::I64(fallible::unset(len)?),
            Ty::F64 => Self::F64(fallible::unset(len)?),
        })
    }

    /// Makes room for so many more.
    pub fn try_reserve(&mut self, count: usize) -> Result<(), NoMemory> {
        match self {
            Self::Bool(v) => fallible::reserve(v, count),
            Self::I32(v) => fallible::reserve(v, count),
            Self::I64(v) => fallible::reserve(v, count),
            Self::F64(v) => fallible::reserve(v, count),
            Self::Shared(_) | Self::Lent(_) => unreachable!("what is shared is not written"),
        }
    }

    /// A copy of its own, also of what is shared.
    pub fn try_clone(&self) -> Result<Self, NoMemory> {
        Ok(match self.numbers() {
            Numbers::Bool(v) => Self::Bool(parallel::copied(v)?),
            Numbers::I32(v) => Self::I32(parallel::copied(v)?),
            Numbers::I64(v) => Self::I64(parallel::copied(v)?),
            Numbers::F64(v) => Self::F64(parallel::copied(v)?),
        })
    }

    /// A copy of some rows.
    pub fn rows(&self, rows: Range<usize>) -> Result<Self, NoMemory> {
        let mut copy = Self::unset(self.ty(), rows.len())?;
        match (&mut copy, self.numbers()) {
            (Self::Bool(to), Numbers::Bool(from)) => parallel::copy(to, &from[rows]),
            (Self::I32(to), Numbers::I32(from)) => parallel::copy(to, &from[rows]),
            (Self::I64(to), Numbers::I64(from)) => parallel::copy(to, &from[rows]),
            (Self::F64(to), Numbers::F64(from)) => parallel::copy(to, &from[rows]),
            _ => unreachable!("columns of one type are copied"),
        }
        Ok(copy)
    }

    /// Takes over the numbers of a column of the same type and length.
    pub fn copy_from(&mut self, other: &Self) {
        match (self, other.numbers()) {
            (Self::Bool(to), Numbers::Bool(v)) => parallel::copy(to, v),
            (Self::I32(to), Numbers::I32(v)) => parallel::copy(to, v),
            (Self::I64(to), Numbers::I64(v)) => parallel::copy(to, v),
            (Self::F64(to), Numbers::F64(v)) => parallel::copy(to, v),
            _ => unreachable!("columns of one type are copied"),
        }
    }

    /// Empty, with room for `capacity` numbers.
    pub fn with_capacity(ty: Ty, capacity: usize) -> Self {
        match ty {
            Ty::Bool => Self::Bool(Vec::with_capacity(capacity)),
            Ty::I32 => Self::I32(Vec::with_capacity(capacity)),
            Ty::I64 => Self::I64(Vec::with_capacity(capacity)),
            Ty::F64 => Self::F64(Vec::with_capacity(capacity)),
        }
    }

    /// Appends `count` zeros.
    pub fn extend_zeros(&mut self, count: usize) {
        let len = self.len() + count;
        match self {
            Self::Bool(v) => v.resize(len, 0),
            Self::I32(v) => v.resize(len, 0),
            Self::I64(v) => v.resize(len, 0),
            Self::F64(v) => v.resize(len, 0.0),
            Self::Shared(_) | Self::Lent(_) => unreachable!("what is shared is not written"),
        }
    }

    /// The rows where the two differ, bit for bit. Both are of one type and length.
    pub fn differing(&self, other: &Self) -> Result<RowSet, NoMemory> {
        RowSet::of(self.len(), |rows| self.differs(other, rows))
    }

    /// Are the numbers in these rows the same, bit for bit?
    pub fn same_in(&self, other: &Self, rows: Range<usize>) -> bool {
        let size = self.ty().bytes();
        let bytes = rows.start * size..rows.end * size;
        self.as_bytes()[bytes.clone()] == other.as_bytes()[bytes]
    }

    /// The same for a group of rows ([`RowSet::of`]).
    pub fn differs(&self, other: &Self, rows: Range<usize>) -> u64 {
        match (self.numbers(), other.numbers()) {
            (Numbers::Bool(a), Numbers::Bool(b)) => differs(&a[rows.clone()], &b[rows]),
            (Numbers::I32(a), Numbers::I32(b)) => differs(&a[rows.clone()], &b[rows]),
            (Numbers::I64(a), Numbers::I64(b)) => differs(&a[rows.clone()], &b[rows]),
            (Numbers::F64(a), Numbers::F64(b)) => {
                let [a, b] = [a, b].map(|all| bytemuck::cast_slice::<_, u64>(&all[rows.clone()]));
                differs(a, b)
            }
            _ => unreachable!("columns of one type are compared"),
        }
    }

    /// The rows of a group whose number passes a test.
    pub fn passes(&self, rows: Range<usize>, test: impl Fn(i64) -> bool) -> u64 {
        bits(rows.map(|row| test(self.bits(row))))
    }

    pub fn ty(&self) -> Ty {
        match self {
            Self::Bool(_) => Ty::Bool,
            Self::I32(_) => Ty::I32,
            Self::I64(_) => Ty::I64,
            Self::F64(_) => Ty::F64,
            Self::Shared(column) => column.ty(),
            Self::Lent(LentNumbers::I32(_)) => Ty::I32,
            Self::Lent(LentNumbers::I64(_)) => Ty::I64,
            Self::Lent(LentNumbers::F64(_)) => Ty::F64,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Bool(v) => v.len(),
            Self::I32(v) => v.len(),
            Self::I64(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::Shared(column) => column.len(),
            Self::Lent(LentNumbers::I32(lent)) => lent.numbers().len(),
            Self::Lent(LentNumbers::I64(lent)) => lent.numbers().len(),
            Self::Lent(LentNumbers::F64(lent)) => lent.numbers().len(),
        }
    }

    /// How long it is in memory.
    pub fn byte_len(&self) -> usize {
        self.len() * self.ty().bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A number as 64 bits: integers and truth values extended, a float's bits.
    #[inline]
    pub fn bits(&self, row: usize) -> i64 {
        match self.numbers() {
            Numbers::Bool(values) => i64::from(values[row] & 1),
            Numbers::I32(values) => i64::from(values[row]),
            Numbers::I64(values) => values[row],
            Numbers::F64(values) => values[row].to_bits() as i64,
        }
    }

    /// The reverse of [`Self::bits`].
    pub fn set_bits(&mut self, row: usize, bits: i64) {
        match self {
            Self::Bool(values) => values[row] = bits as u8 & 1,
            Self::I32(values) => values[row] = bits as i32,
            Self::I64(values) => values[row] = bits,
            Self::F64(values) => values[row] = f64::from_bits(bits as u64),
            Self::Shared(_) | Self::Lent(_) => unreachable!("what is shared is not written"),
        }
    }

    /// Where it is. To what is shared nothing may be written.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        match self {
            Self::Shared(_) | Self::Lent(_) => self.as_bytes().as_ptr().cast_mut(),
            Self::Bool(v) => v.as_mut_ptr(),
            Self::I32(v) => v.as_mut_ptr().cast(),
            Self::I64(v) => v.as_mut_ptr().cast(),
            Self::F64(v) => v.as_mut_ptr().cast(),
        }
    }

    /// The contents as bytes in memory order.
    pub fn as_bytes(&self) -> &[u8] {
        match self.numbers() {
            Numbers::Bool(v) => v,
            Numbers::I32(v) => bytemuck::cast_slice(v),
            Numbers::I64(v) => bytemuck::cast_slice(v),
            Numbers::F64(v) => bytemuck::cast_slice(v),
        }
    }

    /// The contents as bytes to be written to; every bit pattern is a valid number, and `Bool` readers take the low
    /// bit.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Bool(v) => v,
            Self::I32(v) => bytemuck::cast_slice_mut(v),
            Self::I64(v) => bytemuck::cast_slice_mut(v),
            Self::F64(v) => bytemuck::cast_slice_mut(v),
            Self::Shared(_) | Self::Lent(_) => unreachable!("what is shared is not written"),
        }
    }
}

/// Most groups are either all the same or all different.
fn differs<T: PartialEq>(a: &[T], b: &[T]) -> u64 {
    if a == b { 0 } else { bits(a.iter().zip(b).map(|(a, b)| a != b)) }
}

fn bits(all: impl Iterator<Item = bool>) -> u64 {
    all.enumerate().fold(0, |bits, (place, bit)| bits | u64::from(bit) << place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_differ_where_bits_do() {
        let mut now = Column::zeros(Ty::F64, 200);
        let before = now.clone();
        let differing = |now: &Column, before: &Column| -> Vec<usize> {
            now.differing(before).unwrap().rows(0..200).collect()
        };
        assert!(differing(&now, &before).is_empty());
        let Column::F64(values) = &mut now else { unreachable!() };
        values[0] = -0.0;
        values[63] = 1.0;
        values[199] = f64::NAN;
        assert_eq!(differing(&now, &before), [0, 63, 199]);
        assert!(differing(&now, &now.try_clone().unwrap()).is_empty());
        assert_eq!(now.passes(64..128, |bits| bits == 0), u64::MAX);
        assert_eq!(now.passes(0..64, |bits| bits == 0), u64::MAX >> 2 << 1);
    }
}
