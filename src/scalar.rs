//! Scalars, as compiled code has them: their types, and what is known of integer ones.

use serde::{Deserialize, Serialize};

/// A scalar type. Ruby's Integer is `I64` (checked by the operations), Float is `F64`; ids of objects and arrays, tags
/// and symbols are `I32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Ty {
    /// 0 or 1; one byte in buffers.
    Bool,
    I32,
    I64,
    F64,
}

impl Ty {
    /// What one takes in a buffer.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::I32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }
}

/// A signed interval, both ends included: what is known of an integer value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Interval {
    pub low: i64,
    pub high: i64,
}

impl Interval {
    pub const FULL: Self = Self { low: i64::MIN, high: i64::MAX };
    pub const I32: Self = Self { low: i32::MIN as i64, high: i32::MAX as i64 };
    /// Lengths, offsets and ids.
    pub const INDEX: Self = Self { low: 0, high: i32::MAX as i64 };

    pub const fn constant(value: i64) -> Self {
        Self { low: value, high: value }
    }

    pub const fn fits_i32(self) -> bool {
        self.low >= i32::MIN as i64 && self.high <= i32::MAX as i64
    }

    pub const fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// `(a * b + c) mod m`, with the sign of m, which is not 0. See [`crate::ir::Op::WideMod`].
pub fn wide_mod(a: i64, b: i64, c: i64, m: i64) -> i64 {
    let (dividend, divisor) = (i128::from(a) * i128::from(b) + i128::from(c), i128::from(m));
    let rest = dividend % divisor;
    (if rest != 0 && (rest < 0) != (m < 0) { rest + divisor } else { rest }) as i64
}
