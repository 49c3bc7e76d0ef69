//! Float: doubles.

use super::numeric::arithmetic;
use super::{Invocation, Row, bare, number_identity, row};
use crate::infer::{Lowerer, Operand};
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp, Value};
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    row("+", |s, c| float(s, c, BinaryOp::AddF)),
    row("-", |s, c| float(s, c, BinaryOp::SubF)),
    row("*", |s, c| float(s, c, BinaryOp::MulF)),
    row("/", |s, c| float(s, c, BinaryOp::DivF)),
    row("quo", |s, c| float(s, c, BinaryOp::DivF)),
    row("fdiv", |s, c| float(s, c, BinaryOp::DivF)),
    row("%", |s, c| numbers(s, c, &modulo)),
    row("modulo", |s, c| numbers(s, c, &modulo)),
    row("remainder", |s, c| {
        super::numeric::refuse_objects(s, c);
        numbers(s, c, &remainder)
    }),
    row("equal?", same),
    row("#same", same),
    row("**", power),
    row("pow", power),
    row("div", |s, c| {
        // MRI asks the divisor whether it is 0 before it asks for its `coerce`.
        if c.args.iter().any(|arg| arg.types.iter().any(Type::is_instance)) {
            return s.refuse_here(
                "unsupported-argument",
                "`Float#div` by an object cannot run in a section",
                Some("give it a number".into()),
            );
        }
        numbers(s, c, &|s, a, b| {
            check_divisor(s, b);
            let quotient = s.b.binary(BinaryOp::DivF, a, b);
            let quotient = s.b.unary(UnaryOp::FloorF, quotient);
            to_integer_of_any_size(s, quotient, "div")
        })
    }),
    row("divmod", |s, c| numbers(s, c, &divmod)),
    bare("-@", |s, c| Operand::float(s.b.unary(UnaryOp::NegF, c.receiver.value()))),
    bare("abs", |s, c| Operand::float(s.b.unary(UnaryOp::AbsF, c.receiver.value()))),
    bare("magnitude", |s, c| Operand::float(s.b.unary(UnaryOp::AbsF, c.receiver.value()))),
    bare("to_f", |_, c| c.receiver.clone()),
    bare("to_i", |s, c| whole(s, c, "to_i", UnaryOp::TruncF)),
    bare("to_int", |s, c| whole(s, c, "to_int", UnaryOp::TruncF)),
    row("truncate", |s, c| rounded(s, c, "truncate", UnaryOp::TruncF)),
    row("floor", |s, c| rounded(s, c, "floor", UnaryOp::FloorF)),
    row("ceil", |s, c| rounded(s, c, "ceil", UnaryOp::CeilF)),
    row("round", |s, c| rounded(s, c, "round", UnaryOp::RoundF)),
    bare("nan?", |s, c| Operand::bool(s.b.unary(UnaryOp::IsNan, c.receiver.value()))),
    bare("finite?", |s, c| {
        let value = is_finite(s, c.receiver.value());
        Operand::bool(value)
    }),
    bare("infinite?", |s, c| {
        let value = c.receiver.value();
        let size = s.b.unary(UnaryOp::AbsF, value);
        let infinity = s.b.f64(f64::INFINITY);
        let infinite = s.b.compare(Comparison::Eq, size, infinity);
        let zero = s.b.f64(0.0);
        let positive = s.b.compare(Comparison::Gt, value, zero);
        let (one, minus) = (s.b.i64(1), s.b.i64(-1));
        let sign = s.b.select(positive, one, minus);
        s.or_nil(infinite, &Operand::integer(sign))
    }),
    bare("integer?", |s, _| Operand::bool(s.b.bool(false))),
];

/// Are they one object? Floats that are no objects are where their bits are the same.
fn same(s: &mut Lowerer<'_>, c: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
    s.switch(&arg, 1, &mut |s, arg| {
        if arg.types.single() != Some(&Type::Float) {
            return Operand::bool(s.b.bool(false));
        }
        let a = s.b.unary(UnaryOp::BitsToI64, c.receiver.value());
        let b = s.b.unary(UnaryOp::BitsToI64, arg.value());
        let same = s.b.compare(Comparison::Eq, a, b);
        number_identity::check_immediate(s, &c.receiver, same);
        Operand::bool(same)
    })
}

fn float(s: &mut Lowerer<'_>, call: &Invocation, op: BinaryOp) -> Operand {
    numbers(s, call, &|s, a, b| Operand::float(s.b.binary(op, a, b)))
}

fn numbers(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    f: &dyn Fn(&mut Lowerer<'_>, Value, Value) -> Operand,
) -> Operand {
    arithmetic(s, call, &|_, _, _| Operand::bottom(), f)
}

fn power(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let base = call.receiver.value();
    s.switch(&arg, 13, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer) => {
            // MRI multiplies for the Integer 2 and calls C's pow for everything else.
            let square = s.b.binary(BinaryOp::MulF, base, base);
            let two = s.b.i64(2);
            let is_two = s.b.compare(Comparison::Eq, arg.value(), two);
            if s.b.constant(is_two) == Some(1) {
                return Operand::float(square);
            }
            let exponent = s.b.unary(UnaryOp::I64ToF64, arg.value());
            let power = s.b.binary(BinaryOp::PowF, base, exponent);
            Operand::float(s.b.select(is_two, square, power))
        }
        Some(Type::Float) => {
            super::integer::complex_check(s, base, arg.value());
            Operand::float(s.b.binary(BinaryOp::PowF, base, arg.value()))
        }
        _ => numbers(s, call, &|_, _, _| Operand::bottom()),
    })
}

fn check_divisor(s: &mut Lowerer<'_>, divisor: Value) {
    let zero = s.b.f64(0.0);
    let ok = s.b.compare(Comparison::Ne, divisor, zero);
    s.check(ok, ErrorKind::ZeroDivision, &[]);
}

/// `Float#%`. Rubies differ on a divisor of zero: NaN or ZeroDivisionError.
pub(super) fn modulo(s: &mut Lowerer<'_>, a: Value, b: Value) -> Operand {
    if s.host.dialect().float_modulo_raises {
        check_divisor(s, b);
    }
    Operand::float(s.b.binary(BinaryOp::FloorModF, a, b))
}

/// The floored quotient and the modulo, in the order of MRI's flodivmod.
pub(super) fn divmod(s: &mut Lowerer<'_>, a: Value, b: Value) -> Operand {
    check_divisor(s, b);
    let infinity = s.b.f64(f64::INFINITY);
    let is_infinite = |s: &mut Lowerer<'_>, x| {
        let size = s.b.unary(UnaryOp::AbsF, x);
        s.b.compare(Comparison::Eq, size, infinity)
    };
    let (a_infinite, b_infinite) = (is_infinite(s, a), is_infinite(s, b));
    let a_finite = s.b.unary(UnaryOp::Not, a_infinite);
    let keeps = s.b.binary(BinaryOp::AndB, b_infinite, a_finite);
    let rest = s.b.binary(BinaryOp::RemF, a, b);
    let rest = s.b.select(keeps, a, rest);
    let whole = s.b.binary(BinaryOp::SubF, a, rest);
    let quotient = s.b.binary(BinaryOp::DivF, whole, b);
    let quotient = s.b.unary(UnaryOp::RoundF, quotient);
    let b_finite = is_finite(s, b);
    let stays = s.b.binary(BinaryOp::AndB, a_infinite, b_finite);
    let quotient = s.b.select(stays, a, quotient);
    let product = s.b.binary(BinaryOp::MulF, b, rest);
    let (zero, one) = (s.b.f64(0.0), s.b.f64(1.0));
    let below = s.b.compare(Comparison::Lt, product, zero);
    let (up, down) = (s.b.binary(BinaryOp::AddF, rest, b), s.b.binary(BinaryOp::SubF, quotient, one));
    let modulo = s.b.select(below, up, rest);
    let quotient = s.b.select(below, down, quotient);
    let quotient = to_integer_of_any_size(s, quotient, "divmod");
    if quotient.is_bottom() { quotient } else { s.tuple(&[quotient, Operand::float(modulo)]) }
}

/// `remainder` as Numeric has it: the modulo, less the divisor where the signs differ.
pub(super) fn remainder(s: &mut Lowerer<'_>, a: Value, b: Value) -> Operand {
    let modulo = modulo(s, a, b).value();
    let zero = s.b.f64(0.0);
    let some = s.b.compare(Comparison::Ne, modulo, zero);
    let (a_negative, b_negative) =
        (s.b.compare(Comparison::Lt, a, zero), s.b.compare(Comparison::Lt, b, zero));
    let (a_positive, b_positive) =
        (s.b.compare(Comparison::Gt, a, zero), s.b.compare(Comparison::Gt, b, zero));
    let down = s.b.binary(BinaryOp::AndB, a_negative, b_positive);
    let up = s.b.binary(BinaryOp::AndB, a_positive, b_negative);
    let differ = s.b.binary(BinaryOp::OrB, down, up);
    let differ = s.b.binary(BinaryOp::AndB, some, differ);
    let less = s.b.binary(BinaryOp::SubF, modulo, b);
    let size = s.b.unary(UnaryOp::AbsF, b);
    let infinity = s.b.f64(f64::INFINITY);
    let infinite = s.b.compare(Comparison::Eq, size, infinity);
    let other = s.b.select(infinite, a, less);
    Operand::float(s.b.select(differ, other, modulo))
}

pub(super) fn is_finite(s: &mut Lowerer<'_>, value: Value) -> Value {
    let size = s.b.unary(UnaryOp::AbsF, value);
    let infinity = s.b.f64(f64::INFINITY);
    s.b.compare(Comparison::Lt, size, infinity)
}

/// `floor`, `ceil`, `round`, `truncate`: to an Integer, or to digits.
fn rounded(s: &mut Lowerer<'_>, call: &Invocation, name: &str, op: UnaryOp) -> Operand {
    if call.args.is_empty() && call.keywords.is_empty() {
        whole(s, call, name, op)
    } else {
        super::rounding::to_digits(s, call, name)
    }
}

fn whole(s: &mut Lowerer<'_>, call: &Invocation, method: &str, op: UnaryOp) -> Operand {
    let rounded = s.b.unary(op, call.receiver.value());
    to_integer_of_any_size(s, rounded, method)
}

/// The Integer of a Float without fraction: FloatDomainError for NaN and the infinities, overflow beyond 64 bits, which is
/// told of `method`.
pub(super) fn to_integer(s: &mut Lowerer<'_>, whole: Value, method: &str) -> Operand {
    if let Some(x) = s.b.constant_float(whole)
        && x.abs() < 9e18
    {
        return Operand::integer(s.b.i64(x as i64));
    }
    // One comparison finds all that do not fit: NaN compares false.
    let size = s.b.unary(UnaryOp::AbsF, whole);
    let limit = s.b.f64(9_223_372_036_854_775_808.0);
    let fits = s.b.compare(Comparison::Lt, size, limit);
    let condition = crate::infer::Condition { value: fits, yes: vec![], no: vec![] };
    s.branch(
        12,
        condition,
        |_| Operand::nil(),
        |s| {
            let finite = is_finite(s, whole);
            let bits = s.b.unary(UnaryOp::BitsToI64, whole);
            s.check(finite, ErrorKind::FloatDomain, &[bits]);
            // -2**63 fits, 2**63 does not.
            let low = s.b.f64(-9_223_372_036_854_775_808.0);
            let is_low = s.b.compare(Comparison::Eq, whole, low);
            s.check(is_low, ErrorKind::overflow(method.into()), &[bits]);
            Operand::nil()
        },
    );
    if s.b.is_dead() {
        return Operand::bottom();
    }
    Operand::integer(s.b.unary(UnaryOp::F64ToI64, whole))
}

/// The same of any size, where such have been met.
pub(super) fn to_integer_of_any_size(s: &mut Lowerer<'_>, whole: Value, method: &str) -> Operand {
    if s.b.constant_float(whole).is_some() || !s.takes_big_integers() {
        return to_integer(s, whole, method);
    }
    let size = s.b.unary(UnaryOp::AbsF, whole);
    let limit = s.b.f64(9_223_372_036_854_775_808.0);
    let fits = s.b.compare(Comparison::Lt, size, limit);
    let condition = crate::infer::Condition { value: fits, yes: vec![], no: vec![] };
    s.branch(
        14,
        condition,
        |s| Operand::integer(s.b.unary(UnaryOp::F64ToI64, whole)),
        |s| {
            let finite = is_finite(s, whole);
            let bits = s.b.unary(UnaryOp::BitsToI64, whole);
            s.check(finite, ErrorKind::FloatDomain, &[bits]);
            s.send(&Operand::float(whole), "#whole", &[], 15)
        },
    )
}
