//! `floor`, `ceil`, `round` and `truncate` with a number of digits, and the small parts that `core/` does it with.

use super::integer::to_integer_argument;
use super::{Invocation, Row, bare, row};
use crate::infer::{Lowerer, Operand};
use crate::intrinsics::Intrinsic;
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, Receiver, UnaryOp, Value};
use crate::types::{ClassId, Type};

/// Larger powers of ten are no Floats.
const MOST_DIGITS: i64 = 22;
/// The most bytes of an Integer of 64 bits, and of what `Float#to_s` gives.
pub(super) const DECIMAL_ROOM: i64 = 20;
const FLOAT_ROOM: i64 = 32;

pub(super) const INTEGER_ROWS: &[Row] = &[
    row("#list", |s, c| s.new_list(0, c.args[0].value())),
    row("#power_of_ten", |s, c| {
        let power = power_of_ten(s, c.args[0].value());
        Operand::integer(power)
    }),
    bare("#decimal_digits", |s, c| {
        let room = s.b.i64(DECIMAL_ROOM);
        s.digits_by(Intrinsic::PushInteger, room, &[c.receiver.value()])
    }),
    bare("#float_of_bits", |s, c| Operand::float(s.b.unary(UnaryOp::BitsToF64, c.receiver.value()))),
];

pub(super) const FLOAT_ROWS: &[Row] = &[
    row("#list", |s, c| s.new_list(0, c.args[0].value())),
    bare("#bits", |s, c| Operand::integer(s.b.unary(UnaryOp::BitsToI64, c.receiver.value()))),
    bare("#shortest_digits", |s, c| {
        let (room, bits) = (s.b.i64(FLOAT_ROOM), s.b.unary(UnaryOp::BitsToI64, c.receiver.value()));
        s.digits_by(Intrinsic::PushFloat, room, &[bits])
    }),
    row("#formatted_digits", |s, c| {
        let bits = s.b.unary(UnaryOp::BitsToI64, c.receiver.value());
        let [room, directive, sharp, precision] = [0, 1, 2, 3].map(|i| c.args[i].value());
        s.digits_by(Intrinsic::PushFormatted, room, &[bits, directive, sharp, precision])
    }),
    bare("#floor", |s, c| Operand::float(s.b.unary(UnaryOp::FloorF, c.receiver.value()))),
    bare("#ceil", |s, c| Operand::float(s.b.unary(UnaryOp::CeilF, c.receiver.value()))),
    bare("#truncate", |s, c| Operand::float(s.b.unary(UnaryOp::TruncF, c.receiver.value()))),
    bare("#round", |s, c| Operand::float(s.b.unary(UnaryOp::RoundF, c.receiver.value()))),
    bare("#round_even", |s, c| Operand::float(s.b.unary(UnaryOp::RoundEvenF, c.receiver.value()))),
    row("#scale", |s, c| {
        let most = s.b.i64(MOST_DIGITS);
        let ok = s.b.compare(Comparison::Le, c.args[0].value(), most);
        let why = format!(
            "rounding to more than {MOST_DIGITS} digits cannot run in a section [unsupported-argument]"
        );
        s.check(ok, ErrorKind::Unsupported(why), &[]);
        // Both are Floats, and so is their product.
        let half = s.b.i64(11);
        let (few, zero) = (s.b.compare(Comparison::Le, c.args[0].value(), half), s.b.i64(0));
        let more = s.b.binary(BinaryOp::Sub, c.args[0].value(), half);
        let (first, second) = (s.b.select(few, c.args[0].value(), half), s.b.select(few, zero, more));
        let mut product = s.b.f64(1.0);
        for (i, exponent) in [first, second].into_iter().enumerate() {
            let power = s.within_slot(i as u32, |s| power_of_ten(s, exponent));
            let power = s.b.unary(UnaryOp::I64ToF64, power);
            product = s.b.binary(BinaryOp::MulF, product, power);
        }
        Operand::float(product)
    }),
    bare("#refuse_digits", |s, _| {
        let why = "so small a number is rounded to 18 digits at most in a section [unsupported-argument]";
        s.fail(ErrorKind::Unsupported(why.into()), &[])
    }),
];

/// Ten to the exponent, which is in 0..=18.
fn power_of_ten(s: &mut Lowerer<'_>, exponent: Value) -> Value {
    if let Some(n) = s.b.constant(exponent) {
        return s.b.i64(10_i64.pow(n.clamp(0, 18) as u32));
    }
    let ten = Operand::integer(s.b.i64(10));
    let power = s.send(&ten, "**", &[Operand::integer(exponent)], 40);
    match power.values.first() {
        Some(power) => *power,
        None => s.b.i64(1),
    }
}

/// The keywords that these methods have.
pub(super) fn keywords_of(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "round" => Some(&["half"]),
        "floor" | "ceil" | "truncate" => Some(&[]),
        _ => None,
    }
}

/// The number of a rounding mode.
fn mode(s: &mut Lowerer<'_>, half: &Operand) -> Operand {
    s.switch(half, 42, &mut |s, half| match half.types.single() {
        Some(Type::Nil) => Operand::integer(s.b.i64(0)),
        Some(Type::Symbol) => {
            let mut number = s.b.i64(0);
            let mut known = s.b.bool(false);
            for (mode, name) in (0..).zip(["up", "even", "down"]) {
                let symbol = s.symbol(name);
                let is_it = s.b.compare(Comparison::Eq, half.value(), symbol.value());
                let this = s.b.i64(mode);
                number = s.b.select(is_it, this, number);
                known = s.b.binary(BinaryOp::OrB, known, is_it);
            }
            let message = vec![
                MessagePart::Text("invalid rounding mode: ".into()),
                MessagePart::Value(Receiver::Symbol),
            ];
            let error = ErrorKind::Raise { class: ClassId::ARGUMENT_ERROR, message: Some(message) };
            s.check(known, error, &[half.value()]);
            Operand::integer(number)
        }
        _ => s.refuse_here(
            "unsupported-method",
            "the rounding mode of `round` is a Symbol in a section",
            Some("write half: :even, half: :up or half: :down".into()),
        ),
    })
}

/// Rounds to digits: `name` is the method, also where it is called by an alias.
pub(super) fn to_digits(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    let rounds = name == "round";
    let mut half = s.b.i64(0);
    // Those that have no keywords take them for a Hash.
    if !rounds && !call.keywords.is_empty() {
        return match call.args.len() {
            0 => s.fail(ErrorKind::TypeError("no implicit conversion of Hash into Integer".into()), &[]),
            given => super::wrong_count(s, given + 1, "0..1"),
        };
    }
    for (keyword, value) in &call.keywords {
        if keyword != "half" {
            return s.fail(ErrorKind::ArgumentError(format!("unknown keyword: :{keyword}")), &[]);
        }
        let number = mode(s, value);
        if number.is_bottom() || s.b.is_dead() {
            return Operand::bottom();
        }
        half = number.value();
    }
    let plain = Invocation { keywords: vec![], ..call.with_args(call.args.clone()) };
    if !s.count_arguments(&plain, 0, 1) {
        return Operand::bottom();
    }
    let digits = match call.args.first() {
        None => s.b.i64(0),
        Some(digits) => match to_integer_argument(s, digits) {
            Some(digits) => digits,
            None => return Operand::bottom(),
        },
    };
    let digits = s.send(&call.receiver, "#c_int", &[Operand::integer(digits)], 0x50);
    if digits.is_bottom() {
        return digits;
    }
    let mut args = vec![digits];
    if rounds {
        args.push(Operand::integer(half));
    }
    s.send(&call.receiver, &format!("#{name}_digits"), &args, 41)
}
