//! Ranges gone through in steps, or from their last Integer down.

use super::Invocation;
use super::range::{cannot_iterate, refuse_object};
use crate::infer::{BlockRef, Lowerer, Operand, range_ends};
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp, Value};
use crate::types::{RangeEnd, Type};

/// From the last Integer down.
pub(super) fn reverse_each(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(block) = s.block_of(call) else { return Operand::bottom() };
    let from_nowhere = s.host.dialect().range_reverse_each_from_nowhere;
    let Some((low, high, exclusive, low_end, high_end)) = range_ends(&call.receiver) else {
        return Operand::bottom();
    };
    let Some(high) = high else {
        if from_nowhere {
            return cannot_iterate(s, "NilClass");
        }
        return s.refuse_here("unsupported-method", "`reverse_each` of an endless range never begins", None);
    };
    match (low, low_end, high_end) {
        (Some(_), RangeEnd::Float, _) => return cannot_iterate(s, "Float"),
        (None, _, RangeEnd::Integer) if from_nowhere => {}
        (None, ..) => return cannot_iterate(s, "NilClass"),
        _ => {}
    }
    let one = s.b.i64(1);
    let start = match high_end {
        RangeEnd::Float => {
            let rounded = if exclusive { UnaryOp::CeilF } else { UnaryOp::FloorF };
            let high = s.b.unary(rounded, high);
            super::float::to_integer(s, high, "to_i")
        }
        _ => Operand::integer(high),
    };
    if start.is_bottom() {
        return start;
    }
    let start = if exclusive {
        super::integer::checked(s, BinaryOp::SubChecked, "reverse_each", start.value(), one).value()
    } else {
        start.value()
    };
    let end = match low {
        Some(low) => super::integer::checked(s, BinaryOp::SubChecked, "reverse_each", low, one).value(),
        None => s.b.i64(i64::MIN),
    };
    s.counted(start, end, -1, &mut |s, i, _, _| {
        s.unused = true;
        s.call_block(&block, vec![Operand::integer(i)]);
    });
    call.receiver.clone()
}

/// `range.step(n) { }`; `down`: may it go down?
pub(super) fn step(s: &mut Lowerer<'_>, call: &Invocation, down: bool) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let arg = call.args.first().cloned().unwrap_or_else(|| Operand::integer(s.b.i64(1)));
    let Some(block) = s.block_of(call) else { return Operand::bottom() };
    let Some((Some(low), high, exclusive, low_end, high_end)) = range_ends(&call.receiver) else {
        return s.refuse_here(
            "unsupported-method",
            "`Range#step` runs for ranges with a beginning in a section",
            Some("use Numeric#step".into()),
        );
    };
    let range = call.receiver.clone();
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer) if low_end == RangeEnd::Integer && high_end != RangeEnd::Float => {
            integer_steps(s, low, high, exclusive, arg.value(), down, &block);
            range.clone()
        }
        Some(Type::Integer | Type::Float) => {
            let down = Operand::bool(s.b.bool(down));
            s.send_block(&range, "#float_step", &[arg, down], Some(block.clone()))
        }
        _ => refuse_object(s, call),
    })
}

fn integer_steps(
    s: &mut Lowerer<'_>,
    low: Value,
    high: Option<Value>,
    exclusive: bool,
    by: Value,
    down: bool,
    block: &BlockRef,
) {
    let zero = s.b.i64(0);
    let ok = s.b.compare(Comparison::Ne, by, zero);
    s.check(ok, ErrorKind::ArgumentError("step can't be 0".into()), &[]);
    let up = s.b.compare(Comparison::Gt, by, zero);
    if !down {
        s.check(up, ErrorKind::ArgumentError("step can't be negative".into()), &[]);
    }
    let i = s.temp(Operand::integer(low));
    s.looping_with(60, &[i], |s, exit, _| {
        let at = s.temp_get(i).value();
        if let Some(high) = high {
            let (below, above) =
                if exclusive { (Comparison::Lt, Comparison::Gt) } else { (Comparison::Le, Comparison::Ge) };
            let mut more = s.b.compare(below, at, high);
            if down {
                let above = s.b.compare(above, at, high);
                more = s.b.select(up, more, above);
            }
            s.unless(more, 62, |s| s.jump(exit, None));
        }
        s.unused = true;
        s.call_block(block, vec![Operand::integer(at)]);
        let next = super::integer::checked(s, BinaryOp::AddChecked, "step", at, by);
        s.temp_set(i, next);
    });
    s.temp_drop(i);
}
