//! Array: those of the heap, by kind, and tuples made in the section.

use super::integer::to_integer_argument;
use super::{Invocation, Row, row};
use crate::infer::{Lowerer, Operand};
use crate::ir::{BinaryOp, Comparison, Value};
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    row("[]", at),
    row("at", at),
    row("slice", at),
    row("[]=", |s, c| {
        if !s.count_arguments(c, 2, 2) {
            return Operand::bottom();
        }
        let Some(index) = to_integer_argument(s, &c.args[0]) else { return Operand::bottom() };
        match c.receiver.types.single() {
            Some(Type::Array(kind)) => {
                s.array_store(*kind, c.receiver.value(), index, &c.args[1]);
                c.args[1].clone()
            }
            _ => s.refuse_here(
                "unsupported-store",
                "an array made in a section cannot be written to",
                Some("make it with its final items".into()),
            ),
        }
    }),
    row("size", length),
    row("length", length),
    row("empty?", empty),
    row("__empty?", empty),
    row("first", |s, c| {
        if !s.count_arguments(c, 0, 0) {
            return Operand::bottom();
        }
        let zero = s.b.i64(0);
        item(s, &c.receiver, zero)
    }),
    row("last", |s, c| {
        if !s.count_arguments(c, 0, 0) {
            return Operand::bottom();
        }
        let last = s.b.i64(-1);
        item(s, &c.receiver, last)
    }),
    row("dig", at),
    row("==", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        match (c.receiver.types.single(), arg.types.single()) {
            (Some(Type::Tuple(a)), Some(Type::Tuple(b))) if a.len() == b.len() => {
                let (a, b) = (s.tuple_items(&c.receiver), s.tuple_items(&arg));
                let mut all = s.b.bool(true);
                for (i, (a, b)) in a.iter().zip(&b).enumerate() {
                    let equal = s.send(a, "==", std::slice::from_ref(b), 0x40 + i as u32);
                    let equal = s.truth(&equal);
                    all = s.b.binary(BinaryOp::AndB, all, equal);
                }
                Operand::bool(all)
            }
            (Some(Type::Array(_)), Some(Type::Array(_) | Type::Tuple(_)))
            | (Some(Type::Tuple(_)), Some(Type::Array(_))) => s.refuse_here(
                "unsupported-method",
                "`Array#==` cannot run in a section",
                Some("compare the items in a loop, or use equal?".into()),
            ),
            _ => Operand::bool(s.b.bool(false)),
        }
    }),
];

fn at(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.args.len() == 2
        || call.args.first().is_some_and(|a| matches!(a.types.single(), Some(Type::Range { .. })))
    {
        return s.refuse_here(
            "unsupported-method",
            "a part of an array cannot be taken in a section",
            Some("go through the indices".into()),
        );
    }
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let Some(index) = to_integer_argument(s, &arg) else { return Operand::bottom() };
    item(s, &call.receiver, index)
}

fn item(s: &mut Lowerer<'_>, receiver: &Operand, index: Value) -> Operand {
    if let Some(Type::Array(kind)) = receiver.types.single() {
        return s.array_at(*kind, receiver.value(), index);
    }
    let items = s.tuple_items(receiver);
    let count = items.len() as i64;
    if let Some(i) = s.b.constant(index) {
        let i = if i < 0 { i + count } else { i };
        return usize::try_from(i).ok().and_then(|i| items.get(i).cloned()).unwrap_or_else(Operand::nil);
    }
    let (zero, count) = (s.b.i64(0), s.b.i64(count));
    let negative = s.b.compare(Comparison::Lt, index, zero);
    let from_end = s.b.binary(BinaryOp::Add, index, count);
    let index = s.b.select(negative, from_end, index);
    s.choose(&items, index, 0)
}

fn empty(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(length) = length_of(s, &call.receiver) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    Operand::bool(s.b.compare(Comparison::Eq, length, zero))
}

fn length(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    match length_of(s, &call.receiver) {
        Some(length) => Operand::integer(length),
        None => Operand::bottom(),
    }
}

pub(super) fn length_of(s: &mut Lowerer<'_>, receiver: &Operand) -> Option<Value> {
    match receiver.types.single()? {
        Type::Array(kind) => Some(s.array_length(*kind, receiver.value())),
        Type::Tuple(items) => Some(s.b.i64(items.len() as i64)),
        _ => None,
    }
}
