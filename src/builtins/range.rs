//! Range of numbers.

use super::{Invocation, Row, row};
use crate::infer::{Lowerer, Operand, range_ends};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Value};
use crate::types::{RangeEnd, Type};

pub(super) const ROWS: &[Row] = &[
    row("===", covers),
    row("cover?", covers),
    row("include?", covers),
    row("member?", covers),
    row("begin", |s, c| end_of(s, c, 0)),
    row("first", |s, c| end_of(s, c, 0)),
    row("end", |s, c| end_of(s, c, 1)),
    row("exclude_end?", |s, c| {
        let exclusive = range_ends(&c.receiver).is_some_and(|r| r.2);
        Operand::bool(s.b.bool(exclusive))
    }),
    row("size", size),
    row("count", |s, c| {
        if c.args.is_empty() && c.block.is_none() {
            return size(s, c);
        }
        match (&c.block, c.args.first()) {
            (_, Some(value)) => s.send(&c.receiver, "__count_value", std::slice::from_ref(value), 1),
            (block, None) => s.send_block(&c.receiver, "__count_block", &[], block.clone()),
        }
    }),
    row("__empty?", |s, c| {
        let size = size(s, c);
        if size.is_bottom() {
            return size;
        }
        let zero = s.b.i64(0);
        Operand::bool(s.b.compare(Comparison::Eq, size.value(), zero))
    }),
    row("step", step),
    row("%", step),
];

/// `n` is between the ends.
fn covers(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let Some((low, high, exclusive, low_end, high_end)) = range_ends(&call.receiver) else {
        return Operand::bottom();
    };
    let end = |end: RangeEnd, value: Value| match end {
        RangeEnd::Float => Operand::float(value),
        _ => Operand::integer(value),
    };
    s.switch(&arg, 0, &mut |s, arg| {
        if !matches!(arg.types.single(), Some(Type::Integer | Type::Float)) {
            return Operand::bool(s.b.bool(false));
        }
        let mut inside = s.b.bool(true);
        if let Some(low) = low {
            let test = super::numeric::compare(s, Comparison::Ge, &arg, &end(low_end, low));
            inside = s.b.binary(BinaryOp::AndB, inside, test);
        }
        if let Some(high) = high {
            let op = if exclusive { Comparison::Lt } else { Comparison::Le };
            let test = super::numeric::compare(s, op, &arg, &end(high_end, high));
            inside = s.b.binary(BinaryOp::AndB, inside, test);
        }
        Operand::bool(inside)
    })
}

fn end_of(s: &mut Lowerer<'_>, call: &Invocation, which: usize) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    let Some((low, high, _, low_end, high_end)) = range_ends(&call.receiver) else {
        return Operand::bottom();
    };
    let (value, end) = if which == 0 { (low, low_end) } else { (high, high_end) };
    match (value, end) {
        (Some(value), RangeEnd::Float) => Operand::float(value),
        (Some(value), _) => Operand::integer(value),
        (None, _) => Operand::nil(),
    }
}

/// Number of Integers in a range of Integers.
fn size(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some((Some(low), Some(high), exclusive, RangeEnd::Integer, RangeEnd::Integer)) =
        range_ends(&call.receiver)
    else {
        return s.refuse_here(
            "unsupported-method",
            format!("`Range#{}` runs for ranges of Integers with both ends in a section", call.name),
            None,
        );
    };
    let span = super::integer::checked(s, BinaryOp::SubChecked, "size", high, low);
    let size = if exclusive {
        span
    } else {
        let one = s.b.i64(1);
        super::integer::checked(s, BinaryOp::AddChecked, "size", span.value(), one)
    };
    let zero = s.b.i64(0);
    let negative = s.b.compare(Comparison::Lt, size.value(), zero);
    Operand::integer(s.b.select(negative, zero, size.value()))
}

/// `range.step(n) { }` over Integers.
fn step(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let Some(block) = s.block_of(call) else { return Operand::bottom() };
    let Some((Some(low), high, exclusive, RangeEnd::Integer, high_end)) = range_ends(&call.receiver) else {
        return s.refuse_here(
            "unsupported-method",
            "`Range#step` runs for ranges of Integers in a section",
            Some("use Numeric#step for Floats".into()),
        );
    };
    let (Some(Type::Integer), true) = (arg.types.single(), high_end != RangeEnd::Float) else {
        return s.refuse_here(
            "unsupported-method",
            "`Range#step` runs for ranges of Integers in a section",
            Some("use Numeric#step for Floats".into()),
        );
    };
    let by = arg.value();
    let zero = s.b.i64(0);
    let ok = s.b.compare(Comparison::Ne, by, zero);
    s.check(ok, ErrorKind::ArgumentError("step can't be 0".into()), &[]);
    let ok = s.b.compare(Comparison::Gt, by, zero);
    s.check(ok, ErrorKind::ArgumentError("step can't be negative".into()), &[]);
    let i = s.temp(Operand::integer(low));
    s.looping(60, |s, exit, _| {
        let at = s.temp_get(i).value();
        if let Some(high) = high {
            let op = if exclusive { Comparison::Lt } else { Comparison::Le };
            let more = s.b.compare(op, at, high);
            s.unless(more, 62, |s| s.jump(exit, None));
        }
        s.unused = true;
        s.call_block(&block, vec![Operand::integer(at)]);
        let next = super::integer::checked(s, BinaryOp::AddChecked, "step", at, by);
        s.temp_set(i, next);
    });
    s.temp_drop(i);
    call.receiver.clone()
}
