//! Integer: 64 bits, checked.

use super::numeric::{arithmetic, to_f};
use super::{Invocation, Row, bare, numeric, row};
use crate::infer::{Lowerer, Operand, is_big_integer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MathFn, UnaryOp, Value};
use crate::scalar::Interval;
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] =
    &[
        row("+", |s, c| overflowing(s, c, BinaryOp::AddChecked, BinaryOp::AddF)),
        row("-", |s, c| overflowing(s, c, BinaryOp::SubChecked, BinaryOp::SubF)),
        row("*", |s, c| overflowing(s, c, BinaryOp::MulChecked, BinaryOp::MulF)),
        row("/", |s, c| {
            arithmetic(s, c, &|s, a, b| floor_div(s, a, b), &|s, a, b| {
                Operand::float(s.b.binary(BinaryOp::DivF, a, b))
            })
        }),
        row("%", modulo),
        row("modulo", modulo),
        row("div", |s, c| {
            arithmetic(s, c, &|s, a, b| floor_div(s, a, b), &|s, a, b| {
                let zero = s.b.f64(0.0);
                let ok = s.b.compare(Comparison::Ne, b, zero);
                s.check(ok, ErrorKind::ZeroDivision, &[]);
                let quotient = s.b.binary(BinaryOp::DivF, a, b);
                let floor = s.b.unary(UnaryOp::FloorF, quotient);
                if !s.host.dialect().large_div_truncates {
                    return super::float::to_integer_of_any_size(s, floor, "div");
                }
                let truncated = s.b.unary(UnaryOp::TruncF, quotient);
                let large = is_large(s, c.receiver.value());
                let quotient = s.b.select(large, truncated, floor);
                super::float::to_integer_of_any_size(s, quotient, "div")
            })
        }),
        row("divmod", |s, c| {
            arithmetic(
                s,
                c,
                &|s, a, b| {
                    let quotient = floor_div(s, a, b);
                    let remainder = s.b.binary(BinaryOp::FloorMod, a, b);
                    s.tuple(&[quotient, Operand::integer(remainder)])
                },
                &super::float::divmod,
            )
        }),
        row("remainder", |s, c| {
            super::numeric::refuse_objects(s, c);
            arithmetic(
                s,
                c,
                &|s, a, b| {
                    check_divisor(s, b);
                    Operand::integer(s.b.binary(BinaryOp::TruncRem, a, b))
                },
                &|s, a, b| {
                    let remainder = super::float::remainder(s, a, b);
                    // By an infinity of the other sign it is the receiver itself, if MRI can keep it in one word.
                    let (size, infinity) = (s.b.unary(UnaryOp::AbsF, b), s.b.f64(f64::INFINITY));
                    let infinite = s.b.compare(Comparison::Eq, size, infinity);
                    let zero = s.b.f64(0.0);
                    let product = s.b.binary(BinaryOp::MulF, a, b);
                    let differ = s.b.compare(Comparison::Lt, product, zero);
                    let large = is_large(s, c.receiver.value());
                    let small = s.b.unary(UnaryOp::Not, large);
                    let itself = s.b.binary(BinaryOp::AndB, infinite, differ);
                    let itself = s.b.binary(BinaryOp::AndB, itself, small);
                    let condition = crate::infer::Condition { value: itself, yes: vec![], no: vec![] };
                    s.branch(26, condition, |_| c.receiver.clone(), |_| remainder.clone())
                },
            )
        }),
        row("**", power),
        row("pow", |s, c| {
            if c.args.len() == 2 { s.send(&c.receiver, "#pow_modulo", &c.args, 1) } else { power(s, c) }
        }),
        bare("-@", |s, c| {
            let zero = s.b.i64(0);
            s.integer_arithmetic(BinaryOp::SubChecked, "-@", zero, c.receiver.value())
        }),
        bare("~", |s, c| Operand::integer(s.b.unary(UnaryOp::BitNot, c.receiver.value()))),
        row("&", |s, c| bits(s, c, BinaryOp::And)),
        row("|", |s, c| bits(s, c, BinaryOp::Or)),
        row("^", |s, c| bits(s, c, BinaryOp::Xor)),
        row("<<", |s, c| shift(s, c, true)),
        row(">>", |s, c| shift(s, c, false)),
        row("[]", |s, c| {
            if c.args.len() == 2 {
                return s.send(&c.receiver, "#part", &c.args, 1);
            }
            let Some(index) = s.one_argument(c) else { return Operand::bottom() };
            s.switch(&index, 0x2a, &mut |s, index| match index.types.single() {
                Some(Type::Range { .. }) => s.send(&c.receiver, "#bits_of", &[index], 1),
                Some(Type::Float) => s.send(&c.receiver, "#bit_at", &[index], 1),
                Some(ty) if is_big_integer(ty) => s.by_big_integer(&c.receiver, "[]", &[index]),
                _ => bit(s, &c.with_args(vec![index])),
            })
        }),
        // As an index that C keeps in a word.
        row("#index", |s, c| match to_integer_argument(s, &c.args[0]) {
            Some(index) => Operand::integer(index),
            None => Operand::bottom(),
        }),
        bare("abs", absolute),
        bare("magnitude", absolute),
        // What is no number is told apart in `core/`.
        numeric("#coerced_fdiv", |s, c| super::numeric::not_a_number(s, "fdiv", &c.receiver, &c.args[0])),
        bare("#large?", |s, c| {
            let large = is_large(s, c.receiver.value());
            Operand::bool(large)
        }),
        bare("#word?", |s, c| {
            let large = is_large(s, c.receiver.value());
            Operand::bool(s.b.unary(UnaryOp::Not, large))
        }),
        bare("even?", |s, c| parity(s, c, 0)),
        bare("odd?", |s, c| parity(s, c, 1)),
        bare("succ", |s, c| next(s, c, 1)),
        bare("next", |s, c| next(s, c, 1)),
        bare("pred", |s, c| next(s, c, -1)),
        bare("to_i", same),
        bare("to_int", same),
        row("floor", |s, c| whole(s, c, "floor")),
        row("ceil", |s, c| whole(s, c, "ceil")),
        row("round", |s, c| whole(s, c, "round")),
        row("truncate", |s, c| whole(s, c, "truncate")),
        bare("ord", same),
        bare("to_f", |s, c| {
            let value = to_f(s, &c.receiver);
            Operand::float(value)
        }),
        bare("bit_length", |s, c| Operand::integer(s.b.unary(UnaryOp::BitLength, c.receiver.value()))),
        bare("size", |s, _| Operand::integer(s.b.i64(8))),
        bare("finite?", |s, _| Operand::bool(s.b.bool(true))),
        bare("infinite?", |_, _| Operand::nil()),
        row("times", |s, c| {
            if !s.count_arguments(c, 0, 0) {
                return Operand::bottom();
            }
            let zero = s.b.i64(0);
            counted_block(s, c, zero, c.receiver.value(), 1)
        }),
        row("upto", |s, c| {
            let Some(limit) = limit_argument(s, c, UnaryOp::FloorF) else { return Operand::bottom() };
            let one = s.b.i64(1);
            let end = checked(s, BinaryOp::AddChecked, "upto", limit, one);
            counted_block(s, c, c.receiver.value(), end.value(), 1)
        }),
        row("downto", |s, c| {
            let Some(limit) = limit_argument(s, c, UnaryOp::CeilF) else { return Operand::bottom() };
            let one = s.b.i64(1);
            let end = checked(s, BinaryOp::SubChecked, "downto", limit, one);
            counted_block(s, c, c.receiver.value(), end.value(), -1)
        }),
    ];

/// Takes MRI more than one word for the Integer?
pub(super) fn is_large(s: &mut Lowerer<'_>, value: Value) -> Value {
    let (low, high) = (s.b.i64(-(1 << 62)), s.b.i64((1 << 62) - 1));
    let below = s.b.compare(Comparison::Lt, value, low);
    let above = s.b.compare(Comparison::Gt, value, high);
    s.b.binary(BinaryOp::OrB, below, above)
}

fn same(_: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    call.receiver.clone()
}

/// `floor`, `ceil`, `round`, `truncate`: itself, or rounded to tens.
pub(super) fn whole(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    if call.args.is_empty() && (call.keywords.is_empty() || name == "round") {
        call.receiver.clone()
    } else {
        super::rounding::to_digits(s, call, name)
    }
}

/// The bit at the only argument, which is an Integer or made one.
fn bit(s: &mut Lowerer<'_>, c: &Invocation) -> Operand {
    let Some(index) = integer_argument(s, c) else { return Operand::bottom() };
    // Bits beyond the 63rd are the sign's; negative positions are 0.
    let (zero, last) = (s.b.i64(0), s.b.i64(63));
    let beyond = s.b.compare(Comparison::Gt, index, last);
    let negative = s.b.compare(Comparison::Lt, index, zero);
    let amount = s.b.select(beyond, last, index);
    let amount = s.b.select(negative, zero, amount);
    let shifted = s.b.binary(BinaryOp::Shr, c.receiver.value(), amount);
    let one = s.b.i64(1);
    let bit = s.b.binary(BinaryOp::And, shifted, one);
    Operand::integer(s.b.select(negative, zero, bit))
}

/// An Integer argument, or a TypeError.
pub(super) fn integer_argument(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Value> {
    let arg = s.one_argument(call)?;
    implicit_integer(s, &arg, false)
}

/// What Ruby's implicit conversion to an index gives: Floats are truncated, objects are asked for `to_int`, others are a
/// TypeError.
pub(super) fn to_integer_argument(s: &mut Lowerer<'_>, arg: &Operand) -> Option<Value> {
    implicit_integer(s, arg, true)
}

/// `index`: nil is told as Ruby tells it of an index.
pub(super) fn implicit_integer(s: &mut Lowerer<'_>, arg: &Operand, index: bool) -> Option<Value> {
    let result = s.switch(arg, 10, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer) => arg,
        Some(Type::Float) => {
            let whole = s.b.unary(UnaryOp::TruncF, arg.value());
            if index && s.b.constant_float(whole).is_none_or(|x| x.is_nan() || x.abs() >= 9e18) {
                let (low, end) =
                    (s.b.f64(-9_223_372_036_854_775_808.0), s.b.f64(9_223_372_036_854_775_808.0));
                // NaN is neither.
                let above = s.b.compare(Comparison::Ge, whole, low);
                let below = s.b.compare(Comparison::Lt, whole, end);
                let fits = s.b.binary(BinaryOp::AndB, above, below);
                let bits = s.b.unary(UnaryOp::BitsToI64, arg.value());
                s.check(fits, ErrorKind::FloatIndex, &[bits]);
                if s.b.is_dead() {
                    return Operand::bottom();
                }
                return Operand::integer(s.b.unary(UnaryOp::F64ToI64, whole));
            }
            super::float::to_integer(s, whole, "to_i")
        }
        Some(Type::Nil) if index => {
            s.fail(ErrorKind::TypeError("no implicit conversion from nil to integer".into()), &[])
        }
        Some(ty) if is_big_integer(ty) => s.send(&arg, "#too_big", &[], 1),
        _ => match s.converted(&arg, "to_int", &Type::Integer) {
            Some(value) => value,
            None => s.fail_conversion("no implicit conversion of ", &arg, " into Integer"),
        },
    });
    result.values.first().copied()
}

/// The last Integer that `upto` or `downto` come to.
fn limit_argument(s: &mut Lowerer<'_>, call: &Invocation, inwards: UnaryOp) -> Option<Value> {
    let arg = s.one_argument(call)?;
    let limit = s.switch(&arg, 10, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer) => arg,
        Some(Type::Float) => {
            // Without a last Integer, MRI counts and compares by these.
            for name in ["+", "-", "<", ">"] {
                if s.is_redefined(ClassId::INTEGER, name) {
                    let refusal = s.redefined(ClassId::INTEGER, name, &format!("`{}` to a Float", call.name));
                    return s.refuse(refusal);
                }
            }
            let whole = s.b.unary(inwards, arg.value());
            let whole = s.within_reach(whole);
            super::float::to_integer(s, whole, "to_i")
        }
        // It is compared with each number.
        _ if s.responds(&arg, "coerce") => s.refuse_here(
            "unsupported-method",
            format!("`{}` to {} cannot run in a section", call.name, s.describe(&arg.types)),
            Some("go to an Integer or a Float".into()),
        ),
        _ => s.fail_about(false, "comparison of Integer with ".into(), &arg, " failed".into()),
    });
    limit.values.first().copied()
}

pub(super) fn checked(s: &mut Lowerer<'_>, op: BinaryOp, name: &str, a: Value, b: Value) -> Operand {
    let site = s.site(ErrorKind::overflow(name.into()));
    Operand::integer(s.b.checked(op, a, b, site))
}

fn overflowing(s: &mut Lowerer<'_>, call: &Invocation, integers: BinaryOp, floats: BinaryOp) -> Operand {
    arithmetic(s, call, &|s, a, b| s.integer_arithmetic(integers, &call.name, a, b), &|s, a, b| {
        Operand::float(s.b.binary(floats, a, b))
    })
}

fn check_divisor(s: &mut Lowerer<'_>, divisor: Value) {
    let zero = s.b.i64(0);
    let ok = s.b.compare(Comparison::Ne, divisor, zero);
    s.check(ok, ErrorKind::ZeroDivision, &[]);
}

fn floor_div(s: &mut Lowerer<'_>, a: Value, b: Value) -> Operand {
    check_divisor(s, b);
    s.integer_arithmetic(BinaryOp::FloorDiv, "/", a, b)
}

fn modulo(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    arithmetic(
        s,
        call,
        &|s, a, b| {
            check_divisor(s, b);
            let result = s.b.binary(BinaryOp::FloorMod, a, b);
            // A divisor that is not negative is positive after the check.
            if s.b.interval(b).low >= 0 {
                s.b.set_below(result, b);
            }
            Operand::integer(result)
        },
        &super::float::modulo,
    )
}

fn power(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    arithmetic(
        s,
        call,
        &|s, base, exponent| {
            let zero = s.b.i64(0);
            let negative = s.b.compare(Comparison::Lt, exponent, zero);
            if s.b.constant(negative) != Some(0) {
                // 1 and -1 stay Integers; 0 would be divided by.
                let (one, minus_one) = (s.b.i64(1), s.b.i64(-1));
                let low = s.b.compare(Comparison::Ge, base, minus_one);
                let high = s.b.compare(Comparison::Le, base, one);
                let small = s.b.binary(BinaryOp::AndB, low, high);
                let bit = s.b.binary(BinaryOp::And, exponent, one);
                let even = s.b.compare(Comparison::Eq, bit, zero);
                let inverted = s.b.select(even, one, base);
                if s.b.constant(negative) == Some(1) {
                    let condition = crate::infer::Condition { value: small, yes: vec![], no: vec![] };
                    let ratio = |s: &mut Lowerer<'_>| {
                        let exponent = checked(s, BinaryOp::SubChecked, "**", zero, exponent);
                        let below = s.power_by_squaring(&Operand::integer(base), &exponent);
                        s.send(&Operand::integer(one), "#over", &[below], 1)
                    };
                    let same = |s: &mut Lowerer<'_>| {
                        let some = s.b.compare(Comparison::Ne, base, zero);
                        s.check(some, ErrorKind::ZeroDivision, &[]);
                        Operand::integer(inverted)
                    };
                    return s.branch(28, condition, same, ratio);
                }
                let condition = crate::infer::Condition { value: negative, yes: vec![], no: vec![] };
                return s.branch(
                    27,
                    condition,
                    |s| {
                        let some = s.b.compare(Comparison::Ne, base, zero);
                        s.check(some, ErrorKind::ZeroDivision, &[]);
                        let why = "a negative exponent gives a Rational, which does not run in a section \
                                   [unsupported-argument]\n  hint: make one of them a Float, or the base a Rational";
                        s.check(small, ErrorKind::Unsupported(why.into()), &[]);
                        Operand::integer(inverted)
                    },
                    |s| s.power_by_squaring(&Operand::integer(base), &Operand::integer(exponent)),
                );
            }
            if s.b.constant(exponent) == Some(2) {
                return s.integer_arithmetic(BinaryOp::MulChecked, "**", base, base);
            }
            let operand = |v| Operand::integer(v);
            s.power_by_squaring(&operand(base), &operand(exponent))
        },
        &|s, a, b| {
            complex_check(s, a, b);
            let power = s.b.binary(BinaryOp::PowF, a, b);
            // 0 to the power NaN is 0 for an Integer.
            let zero = s.b.f64(0.0);
            let is_zero = s.b.compare(Comparison::Eq, a, zero);
            let nan = s.b.unary(UnaryOp::IsNan, b);
            let zero_to_nan = s.b.binary(BinaryOp::AndB, is_zero, nan);
            Operand::float(s.b.select(zero_to_nan, zero, power))
        },
    )
}

/// A negative base with a fractional exponent is a Complex in Ruby.
pub(super) fn complex_check(s: &mut Lowerer<'_>, base: Value, exponent: Value) {
    let zero = s.b.f64(0.0);
    let not_negative = s.b.compare(Comparison::Ge, base, zero);
    let nan = s.b.unary(UnaryOp::IsNan, base);
    let rounded = s.b.unary(UnaryOp::RoundF, exponent);
    let whole = s.b.compare(Comparison::Eq, rounded, exponent);
    let ok = s.b.binary(BinaryOp::OrB, not_negative, whole);
    let ok = s.b.binary(BinaryOp::OrB, ok, nan);
    let why =
        "a negative number to a fractional power is a Complex, which does not run in a section [unsupported-argument]\n  \
         hint: take its abs first"
            .to_string();
    s.check(ok, ErrorKind::Unsupported(why), &[]);
}

impl Lowerer<'_> {
    /// `base ** exponent` for an exponent that is not negative.
    fn power_by_squaring(&mut self, base: &Operand, exponent: &Operand) -> Operand {
        if self.takes_big_integers() {
            return self.by_big_integer(base, "#to_power", std::slice::from_ref(exponent));
        }
        let one = self.b.i64(1);
        let result = self.temp(Operand::integer(one));
        let square = self.temp(base.clone());
        let rest = self.temp(exponent.clone());
        self.looping_with(21, &[result, square, rest], |s, exit, _| {
            let n = s.temp_get(rest).value();
            let zero = s.b.i64(0);
            let more = s.b.compare(Comparison::Gt, n, zero);
            s.unless(more, 23, |s| s.jump(exit, None));
            let one = s.b.i64(1);
            let bit = s.b.binary(BinaryOp::And, n, one);
            let odd = s.b.compare(Comparison::Ne, bit, zero);
            let condition = crate::infer::Condition { value: odd, yes: vec![], no: vec![] };
            s.branch(
                24,
                condition,
                |s| {
                    let (a, b) = (s.temp_get(result).value(), s.temp_get(square).value());
                    let product = checked(s, BinaryOp::MulChecked, "**", a, b);
                    s.temp_set(result, product);
                    Operand::nil()
                },
                |_| Operand::nil(),
            );
            let half = s.b.binary(BinaryOp::Shr, n, one);
            s.temp_set(rest, Operand::integer(half));
            // The square is wanted only while bits are left: squaring further could overflow for nothing.
            let more = s.b.compare(Comparison::Gt, half, zero);
            let condition = crate::infer::Condition { value: more, yes: vec![], no: vec![] };
            s.branch(
                25,
                condition,
                |s| {
                    let a = s.temp_get(square).value();
                    let squared = checked(s, BinaryOp::MulChecked, "**", a, a);
                    s.temp_set(square, squared);
                    Operand::nil()
                },
                |_| Operand::nil(),
            );
        });
        let value = self.temp_get(result);
        self.temp_drop(result);
        value
    }
}

fn bits(s: &mut Lowerer<'_>, call: &Invocation, op: BinaryOp) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer) => Operand::integer(s.b.binary(op, call.receiver.value(), arg.value())),
        _ => super::numeric::not_a_number(s, &call.name, &call.receiver, &arg),
    })
}

fn shift(s: &mut Lowerer<'_>, call: &Invocation, left: bool) -> Operand {
    let Some(amount) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&amount, 12, &mut |s, amount| {
        if amount.types.iter().any(is_big_integer) {
            return s.by_big_integer(&call.receiver, &call.name, &[amount]);
        }
        match integer_argument(s, &call.with_args(vec![amount])) {
            Some(amount) => shift_by(s, call, amount, left),
            None => Operand::bottom(),
        }
    })
}

fn shift_by(s: &mut Lowerer<'_>, call: &Invocation, amount: Value, left: bool) -> Operand {
    let value = call.receiver.value();
    let zero = s.b.i64(0);
    let interval = s.b.interval(amount);
    if interval.low >= 0 {
        return if left { shift_left(s, value, amount) } else { shift_right(s, value, amount) };
    }
    let forward = s.b.compare(Comparison::Ge, amount, zero);
    let condition = crate::infer::Condition { value: forward, yes: vec![], no: vec![] };
    let backward = |s: &mut Lowerer<'_>| {
        let negated = s.b.binary(BinaryOp::Sub, zero, amount);
        // The opposite of i64::MIN is itself; any amount beyond 63 does the same.
        let last = s.b.i64(64);
        let low = s.b.i64(i64::MIN);
        let is_low = s.b.compare(Comparison::Eq, amount, low);
        s.b.select(is_low, last, negated)
    };
    s.branch(
        11,
        condition,
        |s| if left { shift_left(s, value, amount) } else { shift_right(s, value, amount) },
        |s| {
            let amount = backward(s);
            if left { shift_right(s, value, amount) } else { shift_left(s, value, amount) }
        },
    )
}

fn shift_right(s: &mut Lowerer<'_>, value: Value, amount: Value) -> Operand {
    let last = s.b.i64(63);
    let beyond = s.b.compare(Comparison::Gt, amount, last);
    let amount = s.b.select(beyond, last, amount);
    Operand::integer(s.b.binary(BinaryOp::Shr, value, amount))
}

fn shift_left(s: &mut Lowerer<'_>, value: Value, amount: Value) -> Operand {
    if let Some(amount @ 0..=62) = s.b.constant(amount) {
        let factor = s.b.i64(1 << amount);
        return s.integer_arithmetic(BinaryOp::MulChecked, "<<", value, factor);
    }
    // Shifted out and back it must be the same number; by more than 62 only 0 survives.
    let last = s.b.i64(63);
    let beyond = s.b.compare(Comparison::Gt, amount, last);
    let safe = s.b.select(beyond, last, amount);
    let shifted = s.b.binary(BinaryOp::Shl, value, safe);
    let back = s.b.binary(BinaryOp::Shr, shifted, safe);
    let same = s.b.compare(Comparison::Eq, back, value);
    let not_beyond = s.b.unary(UnaryOp::Not, beyond);
    let fits = s.b.binary(BinaryOp::AndB, same, not_beyond);
    let zero = s.b.i64(0);
    let is_zero = s.b.compare(Comparison::Eq, value, zero);
    let ok = s.b.binary(BinaryOp::OrB, fits, is_zero);
    if s.takes_wide_integers() {
        let number = s.wide_of_word(value);
        let number = s.new_wide_integer(number);
        return s.send(&number, "<<", &[Operand::integer(amount)], 24);
    }
    if s.takes_big_integers() {
        let condition = crate::infer::Condition { value: ok, yes: vec![], no: vec![] };
        return s.branch(
            30,
            condition,
            |_| Operand::integer(shifted),
            |s| s.by_big_integer(&Operand::integer(value), "<<", &[Operand::integer(amount)]),
        );
    }
    s.check(ok, ErrorKind::overflow("<<".into()), &[value, amount]);
    Operand::integer(shifted)
}

fn absolute(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let value = call.receiver.value();
    let Interval { low, .. } = s.b.interval(value);
    if low >= 0 {
        return call.receiver.clone();
    }
    let zero = s.b.i64(0);
    let negative = s.b.compare(Comparison::Lt, value, zero);
    if s.takes_wide_integers() || s.takes_big_integers() {
        let condition = crate::infer::Condition { value: negative, yes: vec![], no: vec![] };
        return s.branch(
            29,
            condition,
            |s| s.integer_arithmetic(BinaryOp::SubChecked, "abs", zero, value),
            |_| call.receiver.clone(),
        );
    }
    absolute_of(s, value)
}

/// The size of an Integer, which has 64 bits.
pub(super) fn absolute_of(s: &mut Lowerer<'_>, value: Value) -> Operand {
    let zero = s.b.i64(0);
    let negated = checked(s, BinaryOp::SubChecked, "abs", zero, value);
    let negative = s.b.compare(Comparison::Lt, value, zero);
    Operand::integer(s.b.select(negative, negated.value(), value))
}

fn parity(s: &mut Lowerer<'_>, call: &Invocation, wanted: i64) -> Operand {
    let (one, wanted) = (s.b.i64(1), s.b.i64(wanted));
    let bit = s.b.binary(BinaryOp::And, call.receiver.value(), one);
    Operand::bool(s.b.compare(Comparison::Eq, bit, wanted))
}

fn next(s: &mut Lowerer<'_>, call: &Invocation, step: i64) -> Operand {
    let one = s.b.i64(step);
    s.integer_arithmetic(BinaryOp::AddChecked, &call.name, call.receiver.value(), one)
}

/// Runs the call's block for `start`, `start + step` … up to (not with) `end`; gives the receiver.
fn counted_block(s: &mut Lowerer<'_>, call: &Invocation, start: Value, end: Value, step: i64) -> Operand {
    let Some(block) = s.block_of(call) else { return Operand::bottom() };
    s.counted(start, end, step, &mut |s, i, _, _| {
        s.unused = true;
        s.call_block(&block, vec![Operand::integer(i)]);
    });
    call.receiver.clone()
}

/// `Integer.sqrt`: the floor of the square root, exact.
pub(super) fn integer_sqrt(s: &mut Lowerer<'_>, value: Value) -> Operand {
    let zero = s.b.i64(0);
    let ok = s.b.compare(Comparison::Ge, value, zero);
    s.check(ok, ErrorKind::MathDomain("isqrt".into()), &[]);
    let float = s.b.unary(UnaryOp::I64ToF64, value);
    let root = s.b.math(MathFn::Sqrt, &[float]);
    let guess = s.b.unary(UnaryOp::F64ToI64, root);
    // The double's root is off by one at most; 3037000499 is the root of the largest Integer.
    let top = s.b.i64(3_037_000_499);
    let above = s.b.compare(Comparison::Gt, guess, top);
    let guess = s.b.select(above, top, guess);
    let square = s.b.binary(BinaryOp::Mul, guess, guess);
    let mut too_big = s.b.compare(Comparison::Gt, square, value);
    if s.host.dialect().sqrt_may_be_above {
        let exact = s.b.i64(1 << 53);
        let large = s.b.compare(Comparison::Ge, value, exact);
        too_big = s.b.binary(BinaryOp::AndB, too_big, large);
    }
    let too_big = s.b.unary(UnaryOp::BoolToI64, too_big);
    Operand::integer(s.b.binary(BinaryOp::Sub, guess, too_big))
}
