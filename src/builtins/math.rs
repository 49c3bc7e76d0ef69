//! Math: the C library's functions with Ruby's domain checks.

use super::{Invocation, Row, numeric, row};
use crate::infer::{Lowerer, Operand, is_big_integer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MathFn, UnaryOp, Value};
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    row("sin", |s, c| plain(s, c, MathFn::Sin)),
    row("cos", |s, c| plain(s, c, MathFn::Cos)),
    row("tan", |s, c| plain(s, c, MathFn::Tan)),
    row("asin", |s, c| bounded(s, c, MathFn::Asin, -1.0, 1.0)),
    row("acos", |s, c| bounded(s, c, MathFn::Acos, -1.0, 1.0)),
    row("atan", |s, c| plain(s, c, MathFn::Atan)),
    row("sinh", |s, c| plain(s, c, MathFn::Sinh)),
    row("cosh", |s, c| plain(s, c, MathFn::Cosh)),
    row("tanh", |s, c| plain(s, c, MathFn::Tanh)),
    row("asinh", |s, c| plain(s, c, MathFn::Asinh)),
    row("acosh", |s, c| bounded(s, c, MathFn::Acosh, 1.0, f64::INFINITY)),
    row("atanh", |s, c| bounded(s, c, MathFn::Atanh, -1.0, 1.0)),
    row("exp", |s, c| plain(s, c, MathFn::Exp)),
    row("log", |s, c| {
        if c.args.len() != 2 {
            return bounded(s, c, MathFn::Log, 0.0, f64::INFINITY);
        }
        let Some(x) = float(s, &c.args[0], 30) else { return Operand::bottom() };
        check_bounds(s, x, "log", 0.0, f64::INFINITY);
        let Some(base) = float(s, &c.args[1], 31) else { return Operand::bottom() };
        check_bounds(s, base, "log", 0.0, f64::INFINITY);
        Operand::float(log_to_base(s, x, base))
    }),
    row("log1p", |s, c| bounded(s, c, MathFn::Log1p, -1.0, f64::INFINITY)),
    row("expm1", |s, c| plain(s, c, MathFn::Expm1)),
    row("log2", |s, c| bounded(s, c, MathFn::Log2, 0.0, f64::INFINITY)),
    row("log10", |s, c| bounded(s, c, MathFn::Log10, 0.0, f64::INFINITY)),
    row("sqrt", |s, c| {
        let Some([x]) = floats::<1>(s, c) else { return Operand::bottom() };
        check_bounds(s, x, "sqrt", 0.0, f64::INFINITY);
        // Math.sqrt(-0.0) is 0.0.
        let zero = s.b.f64(0.0);
        let is_zero = s.b.compare(Comparison::Eq, x, zero);
        let root = s.b.math(MathFn::Sqrt, &[x]);
        Operand::float(s.b.select(is_zero, zero, root))
    }),
    row("cbrt", |s, c| {
        let Some([x]) = floats::<1>(s, c) else { return Operand::bottom() };
        let root = s.b.math(MathFn::Cbrt, &[x]);
        // MRI makes one Newton step where it was built with glibc, whose cbrt is not exact.
        let square = s.b.binary(BinaryOp::DivF, x, root);
        let square = s.b.binary(BinaryOp::DivF, square, root);
        let two = s.b.f64(2.0);
        let doubled = s.b.binary(BinaryOp::MulF, two, root);
        let sum = s.b.binary(BinaryOp::AddF, doubled, square);
        let three = s.b.f64(3.0);
        let step = s.b.binary(BinaryOp::DivF, sum, three);
        let size = s.b.unary(UnaryOp::AbsF, root);
        let (zero, infinity) = (s.b.f64(0.0), s.b.f64(f64::INFINITY));
        let some = s.b.compare(Comparison::Gt, size, zero);
        let finite = s.b.compare(Comparison::Lt, size, infinity);
        let steps = s.b.binary(BinaryOp::AndB, some, finite);
        Operand::float(s.b.select(steps, step, root))
    }),
    row("erf", |s, c| plain(s, c, MathFn::Erf)),
    row("erfc", |s, c| plain(s, c, MathFn::Erfc)),
    row("gamma", |s, c| {
        let Some([x]) = floats::<1>(s, c) else { return Operand::bottom() };
        // Undefined at the negative whole numbers, of which -Infinity is one.
        let zero = s.b.f64(0.0);
        let negative = s.b.compare(Comparison::Lt, x, zero);
        let floor = s.b.unary(UnaryOp::FloorF, x);
        let whole = s.b.compare(Comparison::Eq, floor, x);
        let pole = s.b.binary(BinaryOp::AndB, negative, whole);
        let ok = s.b.unary(UnaryOp::Not, pole);
        s.check(ok, ErrorKind::MathDomain("gamma".into()), &[]);
        s.send(&c.receiver, "#gamma", &[Operand::float(x)], 1)
    }),
    row("lgamma", log_gamma),
    row("#tgamma", |s, c| plain(s, c, MathFn::Gamma)),
    numeric("#float", |s, c| match floats::<1>(s, c) {
        Some([x]) => Operand::float(x),
        None => Operand::bottom(),
    }),
    // The same by the rules of `NUM2DBL`, which tells of some values in another way.
    numeric("#double", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        s.switch(&arg, 29, &mut |s, arg| match arg.types.iter().next() {
            Some(Type::Nil | Type::True | Type::False) => {
                s.fail_conversion("no implicit conversion to float from ", &arg, "")
            }
            Some(ty) if ty.is_string() => {
                s.fail(ErrorKind::TypeError("no implicit conversion to float from string".into()), &[])
            }
            _ => float(s, &arg, 28).map_or_else(Operand::bottom, Operand::float),
        })
    }),
    row("atan2", |s, c| {
        let Some([y, x]) = floats::<2>(s, c) else { return Operand::bottom() };
        Operand::float(s.b.math(MathFn::Atan2, &[y, x]))
    }),
    row("hypot", |s, c| {
        let Some([x, y]) = floats::<2>(s, c) else { return Operand::bottom() };
        Operand::float(s.b.math(MathFn::Hypot, &[x, y]))
    }),
];

/// The arguments as doubles; a TypeError for what is no number.
fn floats<const N: usize>(s: &mut Lowerer<'_>, call: &Invocation) -> Option<[Value; N]> {
    if !s.count_arguments(call, N, N) {
        return None;
    }
    // The last one first, as MRI's functions of two have it.
    let mut values = Vec::new();
    for (i, arg) in call.args.iter().enumerate().rev() {
        values.push(float(s, arg, 30 + i as u32)?);
    }
    values.reverse();
    values.try_into().ok()
}

/// As `rb_to_float` has it.
pub(super) fn float(s: &mut Lowerer<'_>, arg: &Operand, slot: u32) -> Option<Value> {
    let operand = s.switch(arg, slot, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer) => Operand::float(s.b.unary(UnaryOp::I64ToF64, arg.value())),
        Some(Type::Float) => arg,
        // Of objects only numbers are converted.
        Some(ty @ (Type::Object(..) | Type::Record(_) | Type::Made(_)))
            if s.host.is_subclass(crate::infer::class_of(ty), ClassId::NUMERIC) =>
        {
            let is_big = is_big_integer(ty);
            match s.converted(&arg, "to_f", &Type::Float) {
                Some(value) if is_big && !value.is_bottom() => {
                    // Ruby has logarithms of those beyond all Floats.
                    let finite = super::float::is_finite(s, value.value());
                    s.check(finite, ErrorKind::overflow("to_f".into()), &[]);
                    value
                }
                Some(value) => value,
                None => s.fail_conversion("can't convert ", &arg, " into Float"),
            }
        }
        _ => s.fail_conversion("can't convert ", &arg, " into Float"),
    });
    operand.values.first().copied()
}

/// The logarithm of the size of the gamma function, and its sign.
fn log_gamma(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some([x]) = floats::<1>(s, call) else { return Operand::bottom() };
    let low = s.b.f64(f64::NEG_INFINITY);
    let ok = s.b.compare(Comparison::Ne, x, low);
    s.check(ok, ErrorKind::MathDomain("lgamma".into()), &[]);
    let value = s.b.math(MathFn::Lgamma, &[x]);
    // Negative between -1 and 0, -3 and -2 …, and at -0.0.
    let zero = s.b.f64(0.0);
    let negative = s.b.compare(Comparison::Lt, x, zero);
    let floor = s.b.unary(UnaryOp::FloorF, x);
    let fraction = s.b.compare(Comparison::Ne, floor, x);
    let two = s.b.f64(2.0);
    let rest = s.b.binary(BinaryOp::RemF, floor, two);
    let odd = s.b.compare(Comparison::Ne, rest, zero);
    let below = s.b.binary(BinaryOp::AndB, negative, fraction);
    let below = s.b.binary(BinaryOp::AndB, below, odd);
    let (bits, lowest) = (s.b.unary(UnaryOp::BitsToI64, x), s.b.i64(i64::MIN));
    let minus_zero = s.b.compare(Comparison::Eq, bits, lowest);
    let minus = s.b.binary(BinaryOp::OrB, below, minus_zero);
    let (plus_one, minus_one) = (s.b.i64(1), s.b.i64(-1));
    let sign = s.b.select(minus, minus_one, plus_one);
    s.tuple(&[Operand::float(value), Operand::integer(sign)])
}

/// The logarithm to a base, both of which are in the domain.
fn log_to_base(s: &mut Lowerer<'_>, x: Value, base: Value) -> Value {
    let dialect = s.host.dialect();
    let log = if dialect.log_is_natural { MathFn::Log } else { MathFn::Log2 };
    let (x_log, base_log) = (s.b.math(log, &[x]), s.b.math(log, &[base]));
    let quotient = s.b.binary(BinaryOp::DivF, x_log, base_log);
    // MRI divides here as the machine does, which is another NaN for 0 / 0 than that of `/`.
    let nan = s.b.f64(f64::NAN);
    let machine_nan = s.b.unary(UnaryOp::NegF, nan);
    let zero = s.b.f64(0.0);
    let [no_x, no_base] = [x_log, base_log].map(|log| s.b.compare(Comparison::Eq, log, zero));
    let both = s.b.binary(BinaryOp::AndB, no_x, no_base);
    let quotient = s.b.select(both, machine_nan, quotient);
    if dialect.log_divides_infinities {
        return quotient;
    }
    let zero = s.b.f64(0.0);
    // What Integers of more than 1024 bits would add, which is NaN for base 1.
    let more = s.b.binary(BinaryOp::DivF, zero, base_log);
    let more = s.b.select(no_base, machine_nan, more);
    let sum = s.b.binary(BinaryOp::AddF, quotient, more);
    let (x_zero, base_zero) = (s.b.compare(Comparison::Eq, x, zero), s.b.compare(Comparison::Eq, base, zero));
    let (low, nan, minus_zero) = (s.b.f64(f64::NEG_INFINITY), s.b.f64(f64::NAN), s.b.f64(-0.0));
    let of_zero = s.b.select(base_zero, nan, low);
    let to_base_zero = s.b.select(base_zero, minus_zero, sum);
    s.b.select(x_zero, of_zero, to_base_zero)
}

fn plain(s: &mut Lowerer<'_>, call: &Invocation, function: MathFn) -> Operand {
    let Some([x]) = floats::<1>(s, call) else { return Operand::bottom() };
    Operand::float(s.b.math(function, &[x]))
}

fn bounded(s: &mut Lowerer<'_>, call: &Invocation, function: MathFn, low: f64, high: f64) -> Operand {
    let Some([x]) = floats::<1>(s, call) else { return Operand::bottom() };
    check_bounds(s, x, &call.name, low, high);
    Operand::float(s.b.math(function, &[x]))
}

/// Math::DomainError outside `low..high`; NaN passes, as in MRI.
fn check_bounds(s: &mut Lowerer<'_>, x: Value, name: &str, low: f64, high: f64) {
    let mut outside = s.b.bool(false);
    if low.is_finite() {
        let low = s.b.f64(low);
        outside = s.b.compare(Comparison::Lt, x, low);
    }
    if high.is_finite() {
        let high = s.b.f64(high);
        let above = s.b.compare(Comparison::Gt, x, high);
        outside = s.b.binary(BinaryOp::OrB, outside, above);
    }
    let ok = s.b.unary(UnaryOp::Not, outside);
    s.check(ok, ErrorKind::MathDomain(name.into()), &[]);
}
