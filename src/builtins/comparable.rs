//! Comparable: what needs to look at the arguments' kind; the rest is in `core/`.

use super::{Invocation, Row, carrying};
use crate::infer::{Lowerer, Operand, range_ends};
use crate::ir::ErrorKind;
use crate::types::{RangeEnd, Type};

pub(super) const ROWS: &[Row] = &[
    carrying("clamp", clamp),
    // Newer Rubies use other words, which they are asked for.
    carrying("#clamp_failed", |s, _| {
        let message = "min argument must be smaller than max argument";
        s.fail(ErrorKind::ArgumentError(message.into()), &[])
    }),
];

/// `clamp(low, high)` or `clamp(range)`.
fn clamp(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 1, 2) {
        return Operand::bottom();
    }
    if let [low, high] = &call.args[..] {
        return s.send(&call.receiver, "#clamp", &[low.clone(), high.clone()], 1);
    }
    if super::holds_range(&call.args[0]) {
        return s.opened_arguments(call, 0..1, &mut clamp);
    }
    let Some(call) = &s.understood(call, 0..1) else { return Operand::bottom() };
    if let Some(ty) = call.args[0].types.single().filter(|ty| ty.is_text_range()) {
        let is_exclusive = ty.excludes_end();
        if is_exclusive {
            return s.fail(ErrorKind::ArgumentError("cannot clamp with an exclusive range".into()), &[]);
        }
        let ends = s.tuple_items(&call.args[0]);
        return s.send(&call.receiver, "#clamp", &ends[..2], 1);
    }
    let Some((low, high, exclusive, low_end, high_end)) = range_ends(&call.args[0]) else {
        return s.switch(&call.args[0], 0, &mut |s, arg| {
            s.fail_conversion("wrong argument type ", &arg, " (expected Range)")
        });
    };
    if exclusive && high.is_some() {
        return s.fail(ErrorKind::ArgumentError("cannot clamp with an exclusive range".into()), &[]);
    }
    let end = |value, end| match (value, end) {
        (None, _) => Operand::nil(),
        (Some(value), RangeEnd::Float) => Operand::one(Type::Float, value),
        (Some(value), _) => Operand::integer(value),
    };
    s.send(&call.receiver, "#clamp", &[end(low, low_end), end(high, high_end)], 1)
}
