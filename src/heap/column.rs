//! One buffer's contents on the host: an array of one scalar type.

use crate::ir::Ty;

#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// One byte each, 0 or 1.
    Bool(Vec<u8>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

impl Column {
    /// `len` zeros.
    pub fn zeros(ty: Ty, len: usize) -> Self {
        match ty {
            Ty::Bool => Self::Bool(vec![0; len]),
            Ty::I32 => Self::I32(vec![0; len]),
            Ty::I64 => Self::I64(vec![0; len]),
            Ty::F64 => Self::F64(vec![0.0; len]),
        }
    }

    pub const fn ty(&self) -> Ty {
        match self {
            Self::Bool(_) => Ty::Bool,
            Self::I32(_) => Ty::I32,
            Self::I64(_) => Ty::I64,
            Self::F64(_) => Ty::F64,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Bool(v) => v.len(),
            Self::I32(v) => v.len(),
            Self::I64(v) => v.len(),
            Self::F64(v) => v.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        match self {
            Self::Bool(v) => v.as_mut_ptr(),
            Self::I32(v) => v.as_mut_ptr().cast(),
            Self::I64(v) => v.as_mut_ptr().cast(),
            Self::F64(v) => v.as_mut_ptr().cast(),
        }
    }

    /// The contents as bytes in memory order.
    pub fn as_bytes(&self) -> &[u8] {
        let (ptr, size) = match self {
            Self::Bool(v) => (v.as_ptr(), 1),
            Self::I32(v) => (v.as_ptr().cast(), 4),
            Self::I64(v) => (v.as_ptr().cast(), 8),
            Self::F64(v) => (v.as_ptr().cast(), 8),
        };
        // SAFETY: the vector owns `len * size` initialised bytes, numbers have no padding, and the borrow of self
        // keeps them in place.
        unsafe { std::slice::from_raw_parts(ptr, self.len() * size) }
    }

    /// The contents as bytes to be written to; every bit pattern is a valid number, and `Bool` readers take the low bit.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        let len = self.as_bytes().len();
        // SAFETY: as in `as_bytes`; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), len) }
    }
}
