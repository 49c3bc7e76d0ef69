//! Parts of accumulators that are all numbers, put together without Ruby: what its own operators would give.

use crate::vm::value::{self, Decoded};
use crate::writing::decoder::Values;
use ikra_core::heap::Column;
use ikra_core::heap::schema::Fold;
use ikra_core::types::Shape;
use rb_sys::VALUE;
use std::ffi::CString;

#[derive(Clone, Copy)]
enum Number {
    Integer(i64),
    Float(f64),
}

type Step = fn(Number, Number) -> Option<Number>;

/// How a part is put to what is there. `None` where the operators are the user's, or none of numbers.
fn step(fold: &Fold) -> Option<Step> {
    Some(match fold {
        Fold::Operator(name) => {
            is_rubys_own(&numbers(name), name)?;
            match name.as_str() {
                "+" => |a, b| arithmetic(a, b, i64::checked_add, |a, b| a + b),
                "-" => |a, b| arithmetic(a, b, i64::checked_sub, |a, b| a - b),
                "*" => |a, b| arithmetic(a, b, i64::checked_mul, |a, b| a * b),
                "|" => |a, b| bits(a, b, |a, b| a | b),
                "&" => |a, b| bits(a, b, |a, b| a & b),
                "^" => |a, b| bits(a, b, |a, b| a ^ b),
                _ => return None,
            }
        }
        // Of equals the first of the literal stays.
        Fold::Best(name) | Fold::BestLater(name) => {
            is_rubys_own(&numbers("<=>"), "<=>")?;
            // SAFETY: the class lives for ever.
            is_rubys_own(&[unsafe { rb_sys::rb_cArray }], name)?;
            let later = matches!(fold, Fold::BestLater(_));
            match (name.as_str(), later) {
                ("max", false) => |best, part| Some(if less(best, part)? { part } else { best }),
                ("max", true) => |best, part| Some(if less(part, best)? { best } else { part }),
                ("min", false) => |best, part| Some(if less(part, best)? { part } else { best }),
                ("min", true) => |best, part| Some(if less(best, part)? { best } else { part }),
                _ => return None,
            }
        }
        Fold::Or | Fold::And | Fold::Last | Fold::Shared(_) => return None,
    })
}

/// The variable's new value, as shape and payload. `None` where it takes Ruby: operators of the user's, other classes,
/// more than 64 bits, NaN.
pub fn fold(
    fold: &Fold,
    now: VALUE,
    values: &Values<'_>,
    rows: impl Iterator<Item = usize>,
) -> Option<(Shape, i64)> {
    let step = step(fold)?;
    let mut sum = number(now)?;
    for row in rows {
        let part = match values.get(row).ok()? {
            (Shape::Integer, payload) => Number::Integer(payload),
            (Shape::Float, payload) => Number::Float(f64::from_bits(payload as u64)),
            _ => return None,
        };
        sum = step(sum, part)?;
    }
    Some(encoded(sum))
}

/// The same where the driver has put together Integers: their order does not matter, if the variable holds one too.
pub fn fold_merged(fold: &Fold, now: VALUE, merged: i64) -> Option<(Shape, i64)> {
    let now = number(now).filter(|now| matches!(now, Number::Integer(_)))?;
    step(fold)?(now, Number::Integer(merged)).map(encoded)
}

const fn encoded(number: Number) -> (Shape, i64) {
    match number {
        Number::Integer(number) => (Shape::Integer, number),
        Number::Float(number) => (Shape::Float, number.to_bits() as i64),
    }
}

/// The same for a column of Floats, those whose tick is not 0. `None` also where the variable holds no Float.
pub fn fold_column(fold: &Fold, now: VALUE, parts: &Column, ticks: &[i64]) -> Option<(Shape, i64)> {
    let Fold::Operator(name) = fold else { return None };
    is_rubys_own(&numbers(name), name)?;
    let (Column::F64(parts), Number::Float(now)) = (parts, number(now)?) else { return None };
    let given = parts.iter().zip(ticks).filter(|(_, tick)| **tick != 0).map(|(part, _)| part);
    let sum = match name.as_str() {
        "+" => given.fold(now, |a, b| a + b),
        "-" => given.fold(now, |a, b| a - b),
        _ => return None,
    };
    Some((Shape::Float, sum.to_bits() as i64))
}

/// The classes of numbers that have this operator: Floats have no bits.
fn numbers(operator: &str) -> Vec<VALUE> {
    // SAFETY: the classes live for ever.
    let (integer, float) = unsafe { (rb_sys::rb_cInteger, rb_sys::rb_cFloat) };
    if matches!(operator, "|" | "&" | "^") { vec![integer] } else { vec![integer, float] }
}

/// Does nobody define the method of these classes anew?
fn is_rubys_own(classes: &[VALUE], method: &str) -> Option<()> {
    let name = CString::new(method).ok()?;
    // SAFETY: the name is a C string, and the classes are live.
    let is_own = |class: &VALUE| unsafe {
        rb_sys::rb_method_basic_definition_p(*class, rb_sys::rb_intern(name.as_ptr())) != 0
    };
    classes.iter().all(is_own).then_some(())
}

fn number(value: VALUE) -> Option<Number> {
    match value::decode(value) {
        Decoded::Integer(number) => Some(Number::Integer(number)),
        Decoded::Float(number) => Some(Number::Float(number)),
        _ => None,
    }
}

/// An Integer beyond this is another class inside Ruby, with its own ways of becoming a Float.
const FIXNUM: i64 = 1 << 62;

fn float(number: Number) -> Option<f64> {
    match number {
        Number::Integer(number) => (-FIXNUM..FIXNUM).contains(&number).then_some(number as f64),
        Number::Float(number) => Some(number),
    }
}

fn arithmetic(
    a: Number,
    b: Number,
    integers: impl Fn(i64, i64) -> Option<i64>,
    floats: impl Fn(f64, f64) -> f64,
) -> Option<Number> {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => integers(a, b).map(Number::Integer),
        (a, b) => Some(Number::Float(floats(float(a)?, float(b)?))),
    }
}

fn bits(a: Number, b: Number, integers: impl Fn(i64, i64) -> i64) -> Option<Number> {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Some(Number::Integer(integers(a, b))),
        _ => None,
    }
}

/// Numbers of two classes are compared exactly, which is left to Ruby.
fn less(a: Number, b: Number) -> Option<bool> {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Some(a < b),
        (Number::Float(a), Number::Float(b)) if !a.is_nan() && !b.is_nan() => Some(a < b),
        _ => None,
    }
}
