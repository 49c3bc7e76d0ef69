//! Integers of 128 bits in registers: what `core/wide_integer.rb` leaves to Rust. Their operations with Integers are in
//! `infer/wide_integers.rs`.

use super::{Invocation, Row, bare, row};
use crate::infer::{Condition, Lowerer, Operand, Wide};
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp, Value};
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    bare("-@", |s, c| {
        let zero = s.b.i64(0);
        let (zero, number) = (s.wide_of_word(zero), s.wide_of(&c.receiver, "-@"));
        s.wide_difference(zero, number, "-@")
    }),
    bare("~", |s, c| {
        let number = s.wide_of(&c.receiver, "~");
        let [low, high] = [number.low, number.high].map(|word| s.b.unary(UnaryOp::BitNot, word));
        s.wide_integer(low, high)
    }),
    bare("#high", |s, c| Operand::integer(s.wide_of(&c.receiver, "to_i").high)),
    bare("#low", |s, c| Operand::integer(s.wide_of(&c.receiver, "to_i").low)),
    row("<<", |s, c| shift(s, c, true)),
    row(">>", |s, c| shift(s, c, false)),
    row("/", divide),
    bare("#float_of_low", |s, c| {
        let low = s.wide_of(&c.receiver, "to_f").low;
        Operand::float(s.float_of_unsigned(low))
    }),
    bare("#narrow", |s, c| s.narrowed(&c.receiver)),
];

fn shift(s: &mut Lowerer<'_>, call: &Invocation, left: bool) -> Operand {
    let Some(amount) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&amount, 0x64, &mut |s, amount| match amount.types.single() {
        Some(Type::Integer) => {
            let number = s.wide_of(&call.receiver, &call.name);
            shift_either_way(s, number, amount.value(), left)
        }
        _ => {
            let number = s.narrowed(&call.receiver);
            s.send(&number, &call.name, &[amount], 0x65)
        }
    })
}

fn shift_either_way(s: &mut Lowerer<'_>, number: Wide, count: Value, left: bool) -> Operand {
    if s.b.interval(count).low >= 0 {
        return shift_by(s, number, count, left);
    }
    let zero = s.b.i64(0);
    let forward = s.b.compare(Comparison::Ge, count, zero);
    let condition = Condition { value: forward, yes: vec![], no: vec![] };
    s.branch(
        0x66,
        condition,
        |s| shift_by(s, number, count, left),
        |s| {
            // More than these do the same.
            let least = s.b.i64(-1000);
            let is_less = s.b.compare(Comparison::Lt, count, least);
            let count = s.b.select(is_less, least, count);
            let count = s.b.binary(BinaryOp::Sub, zero, count);
            shift_by(s, number, count, !left)
        },
    )
}

/// By 0 or more bits.
fn shift_by(s: &mut Lowerer<'_>, number: Wide, count: Value, left: bool) -> Operand {
    let word = s.b.i64(64);
    let is_within = s.b.compare(Comparison::Lt, count, word);
    let condition = Condition { value: is_within, yes: vec![], no: vec![] };
    s.branch(
        0x67,
        condition,
        |s| {
            let bits = s.b.i64(63);
            let count = s.b.binary(BinaryOp::And, count, bits);
            if left { s.wide_left(number, count) } else { s.wide_right(number, count) }
        },
        |s| if left { far_left(s, number, count) } else { far_right(s, number, count) },
    )
}

/// By 64 or more.
fn far_right(s: &mut Lowerer<'_>, number: Wide, count: Value) -> Operand {
    let (word, last) = (s.b.i64(64), s.b.i64(63));
    let rest = s.b.binary(BinaryOp::Sub, count, word);
    let beyond = s.b.compare(Comparison::Gt, rest, last);
    let rest = s.b.select(beyond, last, rest);
    let rest = s.b.binary(BinaryOp::And, rest, last);
    Operand::integer(s.b.binary(BinaryOp::Shr, number.high, rest))
}

/// By 64 or more: in two steps.
fn far_left(s: &mut Lowerer<'_>, number: Wide, count: Value) -> Operand {
    let (last, most) = (s.b.i64(63), s.b.i64(126));
    let is_within = s.b.compare(Comparison::Le, count, most);
    let condition = Condition { value: is_within, yes: vec![], no: vec![] };
    s.branch(
        0x68,
        condition,
        |s| {
            let first = s.wide_left(number, last);
            let rest = s.b.binary(BinaryOp::Sub, count, last);
            let rest = s.b.binary(BinaryOp::And, rest, last);
            let number = s.wide_of(&first, "<<");
            s.wide_left(number, rest)
        },
        |s| s.fail(ErrorKind::wide_overflow("<<".into()), &[]),
    )
}

/// By what is above 0 and fits 64 bits in registers, if it fits 64 bits without a sign itself; in memory otherwise.
fn divide(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(divisor) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&divisor, 0x69, &mut |s, divisor| {
        let in_memory = |s: &mut Lowerer<'_>| {
            let number = s.narrowed(&call.receiver);
            s.send(&number, "/", std::slice::from_ref(&divisor), 0x6a)
        };
        if divisor.types.single() != Some(&Type::Integer) {
            return in_memory(s);
        }
        let (Wide { low, high, .. }, zero) = (s.wide_of(&call.receiver, "/"), s.b.i64(0));
        let no_sign = s.b.compare(Comparison::Eq, high, zero);
        let above = s.b.compare(Comparison::Gt, divisor.value(), zero);
        let value = s.b.binary(BinaryOp::AndB, no_sign, above);
        let condition = Condition { value, yes: vec![], no: vec![] };
        s.branch(0x6b, condition, |s| quotient(s, low, divisor.value()), in_memory)
    })
}

/// The half of it is divided, doubled, and one more where the rest is as large as the divisor.
fn quotient(s: &mut Lowerer<'_>, low: Value, divisor: Value) -> Operand {
    let [one, largest] = [1, i64::MAX].map(|number| s.b.i64(number));
    let half = s.b.binary(BinaryOp::Shr, low, one);
    let half = s.b.binary(BinaryOp::And, half, largest);
    let site = s.site(ErrorKind::overflow("/".into()));
    let half = s.b.checked(BinaryOp::FloorDiv, half, divisor, site);
    let double = s.b.binary(BinaryOp::Shl, half, one);
    let product = s.b.binary(BinaryOp::Mul, double, divisor);
    let rest = s.b.binary(BinaryOp::Sub, low, product);
    let less = s.b.compare(Comparison::LtU, rest, divisor);
    let less = s.b.unary(UnaryOp::BoolToI64, less);
    let more = s.b.binary(BinaryOp::Sub, one, less);
    let result = s.b.binary(BinaryOp::Add, double, more);
    let zero = s.b.i64(0);
    s.wide_integer(result, zero)
}

/// The number that a literal or a constant is, if 128 bits hold it.
pub(super) fn of_bytes(s: &mut Lowerer<'_>, digits: &str) -> Option<Operand> {
    if digits.len() != 32 {
        return None;
    }
    let [low, high] = [&digits[..16], &digits[16..]].map(|word| u64::from_str_radix(word, 16).ok());
    let [low, high] = [low?, high?].map(|word| word.swap_bytes() as i64);
    let [low, high] = [low, high].map(|word| s.b.i64(word));
    Some(s.new_wide_integer(Wide { low, high, is_word: false }))
}
