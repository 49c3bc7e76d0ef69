//! How wide a value is: an Integer that is known to fit in 32 bits is an `int` of the generated text, and an operation
//! that is known not to overflow is not checked.

use crate::ir::{BinaryOp, Function, Op, Stmt, UnaryOp, Value, walk};
use crate::scalar::{Interval, Ty};

/// The C type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Bool,
    Int,
    Long,
    Double,
}

impl Width {
    pub const fn c_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Long => "i64",
            Self::Double => "double",
        }
    }

    pub const fn of(ty: Ty, interval: Interval) -> Self {
        match ty {
            Ty::Bool => Self::Bool,
            Ty::I32 => Self::Int,
            Ty::I64 if interval.fits_i32() => Self::Int,
            Ty::I64 => Self::Long,
            Ty::F64 => Self::Double,
        }
    }
}

/// What the builder knows of a value.
pub(super) fn known(function: &Function, value: Value) -> Interval {
    function.values[value.0 as usize].interval
}

/// What is known of all values and variables of a function: the builder's intervals, narrowed by what their operations
/// alone say.
pub(super) fn intervals(function: &Function) -> (Vec<Interval>, Vec<Interval>) {
    let mut values: Vec<Interval> = function.values.iter().map(|v| v.interval).collect();
    // Operands are defined before their uses, so one walk in order is enough, but for variables.
    walk::for_each(&function.body, &mut |s| {
        if let Stmt::Let { value, op, .. } = s {
            let said = match op {
                Op::I32(n) => Interval::constant(i64::from(*n)),
                Op::I64(n) => Interval::constant(*n),
                Op::Element => Interval::INDEX,
                Op::Unary(UnaryOp::ExtendI32 | UnaryOp::WrapI64, a) => values[a.0 as usize],
                Op::Unary(UnaryOp::BoolToI64, _) => Interval { low: 0, high: 1 },
                Op::Unary(UnaryOp::BitLength, _) => Interval { low: 0, high: 63 },
                Op::Select(_, a, b) => values[a.0 as usize].union(values[b.0 as usize]),
                _ => return,
            };
            let at = &mut values[value.0 as usize];
            *at = intersection(*at, said);
        }
    });
    // Variables begin as 0.
    let mut vars = vec![Interval::constant(0); function.vars.len()];
    walk::for_each(&function.body, &mut |s| {
        if let Stmt::Set(var, value) = s {
            let at = &mut vars[var.0 as usize];
            *at = at.union(values[value.0 as usize]);
        }
    });
    walk::for_each(&function.body, &mut |s| {
        if let Stmt::Let { value, op: Op::Get(var), .. } = s {
            let at = &mut values[value.0 as usize];
            *at = intersection(*at, vars[var.0 as usize]);
        }
    });
    (values, vars)
}

fn intersection(a: Interval, b: Interval) -> Interval {
    let both = Interval { low: a.low.max(b.low), high: a.high.min(b.high) };
    // Contradicting knowledge means code that is never reached: either will do.
    if both.low <= both.high { both } else { a }
}

/// The interval of an exact result, which may exceed 64 bits.
fn exact(op: BinaryOp, a: Interval, b: Interval) -> (i128, i128) {
    let (al, ah) = (i128::from(a.low), i128::from(a.high));
    let (bl, bh) = (i128::from(b.low), i128::from(b.high));
    match op {
        BinaryOp::Add | BinaryOp::AddChecked => (al + bl, ah + bh),
        BinaryOp::Sub | BinaryOp::SubChecked => (al - bh, ah - bl),
        _ => {
            let ends = [al * bl, al * bh, ah * bl, ah * bh];
            (*ends.iter().min().unwrap_or(&0), *ends.iter().max().unwrap_or(&0))
        }
    }
}

/// Can the exact result of an addition, subtraction or multiplication leave 64 bits?
pub(super) fn exceeds_long(op: BinaryOp, a: Interval, b: Interval) -> bool {
    let (low, high) = exact(op, a, b);
    low < i128::from(i64::MIN) || high > i128::from(i64::MAX)
}

/// Can a wrapping operation wrap around `2 ** bits`, when its result is known to lie in `result`? Where what wraps
/// would lie elsewhere, nothing wraps.
pub(super) fn can_wrap(op: BinaryOp, a: Interval, b: Interval, result: Interval, bits: u32) -> bool {
    let (low, high) = exact(op, a, b);
    let (modulus, most) = (1i128 << bits, (1i128 << (bits - 1)) - 1);
    if low < -most - 1 - modulus || high > most + modulus {
        return true;
    }
    let wraps_up = high > most && high - modulus >= i128::from(result.low);
    let wraps_down = low < -most - 1 && low + modulus <= i128::from(result.high);
    wraps_up || wraps_down
}

/// Can the operation fail with `Overflow`?
pub(super) fn can_overflow(op: BinaryOp, a: Interval, b: Interval) -> bool {
    match op {
        BinaryOp::AddChecked | BinaryOp::SubChecked | BinaryOp::MulChecked => exceeds_long(op, a, b),
        BinaryOp::FloorDiv => a.low == i64::MIN && b.contains(-1),
        _ => false,
    }
}
