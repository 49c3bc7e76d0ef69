//! Items and parts of arrays, by index, by range, from either end.

use super::array::length_of;
use super::integer::to_integer_argument;
use super::{Invocation, tuple};
use crate::infer::{Lowerer, Operand, class_of};
use crate::ir::{Comparison, ErrorKind, Value};
use crate::types::Type;

/// `dig` goes on with what it has found.
pub(super) fn dig_on(s: &mut Lowerer<'_>, item: &Operand, rest: &[Operand]) -> Operand {
    s.unless_nil(item, |s, item| {
        s.switch(&item, 3, &mut |s, item| {
            let found = match item.types.iter().next() {
                Some(Type::Module(module)) => s.host.singleton_method(*module, "dig"),
                Some(ty) => s.host.method(class_of(ty), "dig"),
                None => return Operand::bottom(),
            };
            if !matches!(found, Ok(None)) {
                return s.send(&item, "dig", rest, 2);
            }
            s.each_of_bool(&item, &mut |s, item| {
                let class = item.types.iter().next().map(|ty| s.exact_class(ty));
                let class = class.map_or_else(String::new, |class| s.host.class_name(class));
                // Of a class, MRI tells the singleton class.
                let class = match item.types.single() {
                    Some(Type::Module(module)) if !s.host.is_module(*module) => {
                        format!("#<Class:{}>", s.host.class_name(*module))
                    }
                    _ => class,
                };
                s.fail(ErrorKind::TypeError(format!("{class} does not have #dig method")), &[])
            })
        })
    })
}

pub(super) fn at(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.name != "at" && call.args.len() == 2 {
        let Some(start) = to_integer_argument(s, &call.args[0]) else { return Operand::bottom() };
        let Some(count) = to_integer_argument(s, &call.args[1]) else { return Operand::bottom() };
        return slice(s, &call.receiver, start, count, "#slice");
    }
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&arg, 24, &mut |s, arg| {
        if let (Some(Type::Range { .. }), true) = (arg.types.single(), call.name != "at") {
            return slice_range(s, &receiver, &arg, "#slice");
        }
        if let Some(Type::Enumerator(..)) = arg.types.single() {
            return s.refuse_here(
                "unsupported-enumerator",
                "items are not taken in steps in a section",
                Some("take them in a loop".into()),
            );
        }
        let Some(index) = to_integer_argument(s, &arg) else { return Operand::bottom() };
        item(s, &receiver, index)
    })
}

/// `name` is what takes the items from `start` on.
pub(super) fn slice(
    s: &mut Lowerer<'_>,
    receiver: &Operand,
    start: Value,
    count: Value,
    name: &str,
) -> Operand {
    if let (Some(Type::Tuple(items)), Some(start), Some(count)) =
        (receiver.types.single(), s.b.constant(start), s.b.constant(count))
    {
        let size = items.len() as i64;
        let start = if start < 0 { start + size } else { start };
        if start < 0 || start > size || count < 0 {
            return Operand::nil();
        }
        let items = s.tuple_items(receiver);
        let end = start.saturating_add(count).min(size) as usize;
        return s.tuple(&items[start as usize..end]);
    }
    s.send(receiver, name, &[Operand::integer(start), Operand::integer(count)], 25)
}

/// `array[a..b]`.
pub(super) fn slice_range(s: &mut Lowerer<'_>, receiver: &Operand, range: &Operand, name: &str) -> Operand {
    use crate::types::RangeEnd;
    let Some((low, high, exclusive, low_end, high_end)) = crate::infer::range_ends(range) else {
        return Operand::bottom();
    };
    if low_end == RangeEnd::Float || high_end == RangeEnd::Float {
        return s.refuse_here(
            "unsupported-range",
            "a part of an array is taken with a range of Integers in a section",
            Some("convert its ends with to_i".into()),
        );
    }
    let Some(size) = length_of(s, receiver) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    let from_end = |s: &mut Lowerer<'_>, value: Value| {
        let negative = s.b.compare(Comparison::Lt, value, zero);
        let moved = s.b.binary(crate::ir::BinaryOp::Add, value, size);
        s.b.select(negative, moved, value)
    };
    let start = low.unwrap_or(zero);
    let first = from_end(s, start);
    let end = match high {
        Some(high) => {
            let end = from_end(s, high);
            if exclusive {
                end
            } else {
                let one = s.b.i64(1);
                s.b.binary(crate::ir::BinaryOp::Add, end, one)
            }
        }
        None => size,
    };
    let count = s.b.binary(crate::ir::BinaryOp::Sub, end, first);
    let empty = s.b.compare(Comparison::Lt, count, zero);
    let count = s.b.select(empty, zero, count);
    // A start before the first item stays negative, so that the slice is nil.
    let below = s.b.compare(Comparison::Lt, first, zero);
    let minus = s.b.i64(i64::MIN / 2);
    let start = s.b.select(below, minus, first);
    slice(s, receiver, start, count, name)
}

pub(super) fn item(s: &mut Lowerer<'_>, receiver: &Operand, index: Value) -> Operand {
    match receiver.types.single() {
        Some(Type::Array(kind) | Type::Column(kind, _)) => {
            return s.array_at(*kind, receiver.value(), index);
        }
        Some(Type::List(kind)) => return s.list_at(*kind, receiver.value(), index),
        _ => {}
    }
    let items = s.tuple_items(receiver);
    let count = items.len() as i64;
    if let Some(i) = s.b.constant(index) {
        let i = if i < 0 { i + count } else { i };
        return usize::try_from(i).ok().and_then(|i| items.get(i).cloned()).unwrap_or_else(Operand::nil);
    }
    let (zero, count) = (s.b.i64(0), s.b.i64(count));
    let negative = s.b.compare(Comparison::Lt, index, zero);
    let from_end = s.b.binary(crate::ir::BinaryOp::Add, index, count);
    let index = s.b.select(negative, from_end, index);
    s.choose(&items, index, 0)
}

/// `fetch(i)`, `fetch(i, default)`, `fetch(i) { }`.
pub(super) fn fetch(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 1, 2) {
        return Operand::bottom();
    }
    let Some(call) = &s.understood(call, 0..1) else { return Operand::bottom() };
    let Some(index) = to_integer_argument(s, &call.args[0]) else { return Operand::bottom() };
    if call.block.is_some() {
        let args = [Operand::integer(index), call.args[0].clone()];
        return s.send_block(&call.receiver, "#fetch_block", &args, call.block.clone());
    }
    let Some(size) = length_of(s, &call.receiver) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    let negative = s.b.compare(Comparison::Lt, index, zero);
    let from_end = s.b.binary(crate::ir::BinaryOp::Add, index, size);
    let at = s.b.select(negative, from_end, index);
    let inside = s.b.compare(Comparison::LtU, at, size);
    match call.args.get(1) {
        Some(default) => {
            let condition = crate::infer::Condition { value: inside, yes: vec![], no: vec![] };
            s.branch(26, condition, |s| s.item_at(&call.receiver, at), |_| default.clone())
        }
        None => {
            s.check(inside, ErrorKind::FetchIndex, &[index, size]);
            if s.b.is_dead() { Operand::bottom() } else { s.item_at(&call.receiver, at) }
        }
    }
}

/// `first`, `last`, `first(n)`, `last(n)`.
pub(super) fn ends(s: &mut Lowerer<'_>, call: &Invocation, first: bool) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let Some(n) = call.args.first() else {
        let index = s.b.i64(if first { 0 } else { -1 });
        return item(s, &call.receiver, index);
    };
    let range = |n: usize, size: usize| if first { 0..n.min(size) } else { size - n.min(size)..size };
    if let Some(result) = tuple::part(s, call, n, range) {
        return result;
    }
    let Some(n) = to_integer_argument(s, n) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    let ok = s.b.compare(Comparison::Ge, n, zero);
    s.check(ok, ErrorKind::ArgumentError("negative array size".into()), &[]);
    s.send(&call.receiver, if first { "#take" } else { "#last" }, &[Operand::integer(n)], 1)
}
