//! Parts of accumulators that are all numbers, put together without Ruby: what its own operators would give. Those that are
//! all Integers the driver has put together. Of the others all threads put some together where the order makes no difference.

use crate::vm::value::{self, Decoded};
use crate::writing::decoder::Values;
use ikra_core::fallible;
use ikra_core::heap::Column;
use ikra_core::heap::schema::Fold;
use ikra_core::parallel;
use ikra_core::types::Shape;
use rb_sys::VALUE;
use std::ffi::CString;
use std::ops::Range;

/// How two numbers are put together. `None` where it takes Ruby.
trait Number: Copy + Send + Sync {
    fn add(self, other: Self) -> Option<Self>;
    fn subtract(self, other: Self) -> Option<Self>;
    fn multiply(self, other: Self) -> Option<Self>;
    fn bits(self, other: Self, f: fn(i64, i64) -> i64) -> Option<Self>;
    fn less(self, other: Self) -> Option<bool>;
}

impl Number for i64 {
    fn add(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }

    fn subtract(self, other: Self) -> Option<Self> {
        self.checked_sub(other)
    }

    fn multiply(self, other: Self) -> Option<Self> {
        self.checked_mul(other)
    }

    fn bits(self, other: Self, f: fn(i64, i64) -> i64) -> Option<Self> {
        Some(f(self, other))
    }

    fn less(self, other: Self) -> Option<bool> {
        Some(self < other)
    }
}

impl Number for f64 {
    fn add(self, other: Self) -> Option<Self> {
        Some(self + other)
    }

    fn subtract(self, other: Self) -> Option<Self> {
        Some(self - other)
    }

    fn multiply(self, other: Self) -> Option<Self> {
        Some(self * other)
    }

    fn bits(self, _other: Self, _f: fn(i64, i64) -> i64) -> Option<Self> {
        None
    }

    fn less(self, other: Self) -> Option<bool> {
        (!self.is_nan() && !other.is_nan()).then_some(self < other)
    }
}

/// Of either class.
#[derive(Clone, Copy)]
enum Either {
    Integer(i64),
    Float(f64),
}

use Either::{Float, Integer};

/// An Integer beyond this is another class inside Ruby, with its own ways of becoming a Float.
const FIXNUM: i64 = 1 << 62;

impl Either {
    fn of(shape: Shape, payload: i64) -> Option<Self> {
        match shape {
            Shape::Integer => Some(Integer(payload)),
            Shape::Float => Some(Float(f64::from_bits(payload as u64))),
            _ => None,
        }
    }

    fn float(self) -> Option<f64> {
        match self {
            Integer(number) => (-FIXNUM..FIXNUM).contains(&number).then_some(number as f64),
            Float(number) => Some(number),
        }
    }

    fn arithmetic(
        self,
        other: Self,
        integers: fn(i64, i64) -> Option<i64>,
        floats: fn(f64, f64) -> Option<f64>,
    ) -> Option<Self> {
        match (self, other) {
            (Integer(a), Integer(b)) => integers(a, b).map(Integer),
            (a, b) => floats(a.float()?, b.float()?).map(Float),
        }
    }
}

impl Number for Either {
    fn add(self, other: Self) -> Option<Self> {
        self.arithmetic(other, Number::add, Number::add)
    }

    fn subtract(self, other: Self) -> Option<Self> {
        self.arithmetic(other, Number::subtract, Number::subtract)
    }

    fn multiply(self, other: Self) -> Option<Self> {
        self.arithmetic(other, Number::multiply, Number::multiply)
    }

    fn bits(self, other: Self, f: fn(i64, i64) -> i64) -> Option<Self> {
        match (self, other) {
            (Integer(a), Integer(b)) => Some(Integer(f(a, b))),
            _ => None,
        }
    }

    /// Numbers of two classes are compared exactly, which is left to Ruby.
    fn less(self, other: Self) -> Option<bool> {
        match (self, other) {
            (Integer(a), Integer(b)) => a.less(b),
            (Float(a), Float(b)) => a.less(b),
            _ => None,
        }
    }
}

/// The variable's new value, as shape and payload, from the parts of those rows whose tick is not 0. `None` where there
/// are none, and where it takes Ruby: operators of the user's, other classes, more than 64 bits, NaN. `merged`: what the driver
/// has made of Integers.
pub fn fold(
    fold: &Fold,
    now: VALUE,
    (values, merged): (&Values<'_>, Option<i64>),
    ticks: &[i64],
) -> Option<(Shape, i64)> {
    let operation = Operation::of(fold)?;
    let now = match value::decode(now) {
        Decoded::Integer(number) => Integer(number),
        Decoded::Float(number) => Float(number),
        _ => return None,
    };
    let ending = match (now, values.single, values.payload) {
        (Integer(now), Some(Shape::Integer), _) => {
            ticks.iter().find(|tick| **tick != 0)?;
            operation.run(now, &[1], |_| merged).map(Integer)
        }
        (Float(now), Some(Shape::Float), Some(Column::F64(parts))) => {
            operation.run(now, ticks, |row| Some(parts[row])).map(Float)
        }
        _ => operation.run(now, ticks, |row| {
            let (shape, payload) = values.get(row).ok()?;
            Either::of(shape, payload)
        }),
    };
    Some(match ending? {
        Integer(number) => (Shape::Integer, number),
        Float(number) => (Shape::Float, number.to_bits() as i64),
    })
}

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Or,
    And,
    Xor,
    /// Of equals the later one is taken, or the one before stays.
    Greatest(bool),
    Least(bool),
}

impl Operation {
    /// If nobody defines anew what it is made of.
    fn of(fold: &Fold) -> Option<Self> {
        match fold {
            Fold::Operator(name) => {
                is_rubys_own(&numbers(name), name)?;
                Some(match name.as_str() {
                    "+" => Self::Add,
                    "-" => Self::Subtract,
                    "*" => Self::Multiply,
                    "|" => Self::Or,
                    "&" => Self::And,
                    "^" => Self::Xor,
                    _ => return None,
                })
            }
            Fold::Best(name) | Fold::BestLater(name) => {
                is_rubys_own(&numbers("<=>"), "<=>")?;
                // SAFETY: the class lives for ever.
                is_rubys_own(&[unsafe { rb_sys::rb_cArray }], name)?;
                // The literal is `[best, part]`, or `[part, best]`, and of equals its first stays.
                let later = matches!(fold, Fold::BestLater(_));
                match name.as_str() {
                    "max" => Some(Self::Greatest(later)),
                    "min" => Some(Self::Least(later)),
                    _ => None,
                }
            }
            Fold::Or | Fold::And | Fold::Last | Fold::Shared(_) => None,
        }
    }

    /// Puts the parts of all rows together with what the variable is now.
    fn run<T: Number>(self, now: T, ticks: &[i64], part: impl Fn(usize) -> Option<T> + Sync) -> Option<T> {
        let run = Run { now, ticks, part };
        match self {
            Self::Add => run.in_order(T::add),
            Self::Subtract => run.in_order(T::subtract),
            Self::Multiply => run.in_order(T::multiply),
            Self::Or => run.same(|a, b| a.bits(b, |a, b| a | b)),
            Self::And => run.same(|a, b| a.bits(b, |a, b| a & b)),
            Self::Xor => run.same(|a, b| a.bits(b, |a, b| a ^ b)),
            Self::Greatest(false) => run.same(|a, b| Some(if a.less(b)? { b } else { a })),
            Self::Greatest(true) => run.same(|a, b| Some(if b.less(a)? { a } else { b })),
            Self::Least(false) => run.same(|a, b| Some(if b.less(a)? { b } else { a })),
            Self::Least(true) => run.same(|a, b| Some(if a.less(b)? { a } else { b })),
        }
    }
}

struct Run<'a, T, P> {
    now: T,
    ticks: &'a [i64],
    part: P,
}

/// What parts come to: nothing where there are none. What they do not come to without Ruby is an error.
type Partial<T> = Result<Option<T>, ()>;

impl<T: Number, P: Fn(usize) -> Option<T> + Sync> Run<'_, T, P> {
    fn given(&self, rows: Range<usize>) -> impl Iterator<Item = Option<T>> {
        rows.filter(|row| self.ticks[*row] != 0).map(&self.part)
    }

    fn in_order(self, step: impl Fn(T, T) -> Option<T>) -> Option<T> {
        let mut given = self.given(0..self.ticks.len()).peekable();
        given.peek()?;
        given.try_fold(self.now, |sum, part| step(sum, part?))
    }

    /// Where it does not matter where the brackets are: threads put parts together that follow each other; what that gives
    /// is put together in order.
    fn same(self, step: impl Fn(T, T) -> Option<T> + Sync) -> Option<T> {
        let (rows, size) = (self.ticks.len(), parallel::chunk());
        let mut sums: Vec<Partial<T>> = fallible::filled(Ok(None), rows.div_ceil(size)).ok()?;
        parallel::each(rows, sums.iter_mut().enumerate(), |(number, sum)| {
            let mut given = self.given(number * size..((number + 1) * size).min(rows));
            if let Some(first) = given.next() {
                let all = first.and_then(|first| given.try_fold(first, |sum, part| step(sum, part?)));
                *sum = all.map(Some).ok_or(());
            }
        });
        let mut all = None;
        for sum in sums {
            if let Some(part) = sum.ok()? {
                all = Some(step(all.unwrap_or(self.now), part)?);
            }
        }
        all
    }
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
