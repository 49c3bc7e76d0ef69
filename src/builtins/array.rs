//! Array: those of the heap, lists and tuples. What gives an array of known length from tuples is in `tuple.rs`, what
//! is the same for all that can be gone through in `sequence.rs`, and most of the rest in `core.rb`.

use super::integer::to_integer_argument;
use super::{Invocation, Row, row, tuple};
use crate::infer::{Lowerer, Operand};
use crate::ir::{Comparison, ErrorKind, Value};
use crate::types::{ListKind, Type};

pub(super) const ROWS: &[Row] = &[
    row("[]", at),
    row("at", at),
    row("slice", at),
    row("dig", |s, c| {
        let Some((first, rest)) = c.args.split_first() else { return super::wrong_count(s, 0, "1+") };
        let item = s.send(&c.receiver, "at", std::slice::from_ref(first), 1);
        if rest.is_empty() || item.is_bottom() {
            return item;
        }
        s.unless_nil(&item, |s, item| s.send(&item, "dig", rest, 2))
    }),
    row("fetch", fetch),
    row("values_at", |s, c| {
        let mut items = Vec::new();
        for (i, index) in c.args.iter().enumerate() {
            let item = s.send(&c.receiver, "at", std::slice::from_ref(index), 0x40 + i as u32);
            if item.is_bottom() {
                return item;
            }
            items.push(item);
        }
        s.tuple(&items)
    }),
    row("[]=", store),
    row("<<", |s, c| {
        if s.one_argument(c).is_none() {
            return Operand::bottom();
        }
        push(s, c)
    }),
    row("push", push),
    row("append", push),
    row("pop", |s, c| changing(s, c, "__pop")),
    row("shift", |s, c| changing(s, c, "__shift")),
    row("unshift", |s, c| changing(s, c, "__unshift")),
    row("prepend", |s, c| changing(s, c, "__unshift")),
    row("delete_at", |s, c| {
        if mutable(s, c).is_none() {
            return Operand::bottom();
        }
        let Some(index) = s.one_argument(c) else { return Operand::bottom() };
        let Some(index) = to_integer_argument(s, &index) else { return Operand::bottom() };
        s.send(&c.receiver, "__delete_at", &[Operand::integer(index)], 1)
    }),
    row("sort!", |s, c| replaced(s, c, "sort")),
    row("sort_by!", |s, c| replaced(s, c, "sort_by")),
    row("reverse!", |s, c| replaced(s, c, "reverse")),
    row("rotate!", |s, c| replaced(s, c, "rotate")),
    row("select!", |s, c| replaced(s, c, "select")),
    row("keep_if", |s, c| replaced(s, c, "select")),
    row("reject!", |s, c| replaced(s, c, "reject")),
    row("delete_if", |s, c| replaced(s, c, "reject")),
    row("uniq!", |s, c| replaced(s, c, "uniq")),
    row("compact!", |s, c| replaced(s, c, "compact")),
    row("clear", |s, c| {
        let Some((_, list)) = mutable(s, c) else { return Operand::bottom() };
        let zero = s.b.i64(0);
        s.set_list_length(list, zero);
        c.receiver.clone()
    }),
    row("concat", |s, c| {
        let Some((kind, list)) = mutable(s, c) else { return Operand::bottom() };
        for (i, other) in c.args.iter().enumerate() {
            s.within_slot(i as u32, |s| append(s, kind, list, other));
        }
        c.receiver.clone()
    }),
    row("fill", |s, c| match (&c.block, &c.args[..]) {
        (Some(_), []) => s.send_with_block(c, "__fill_block"),
        (None, [value]) if list_of(&c.receiver).is_some() => {
            if mutable(s, c).is_none() {
                return Operand::bottom();
            }
            s.send(&c.receiver, "__fill", std::slice::from_ref(value), 1)
        }
        (None, [value]) if matches!(c.receiver.types.single(), Some(Type::Array(_))) => {
            let value = value.clone();
            let Some(Type::Array(kind)) = c.receiver.types.single().cloned() else {
                return Operand::bottom();
            };
            let array = c.receiver.value();
            let (zero, length) = (s.b.i64(0), s.array_length(kind, array));
            s.counted(zero, length, 1, &mut |s, i, _, _| s.array_store(kind, array, i, &value));
            c.receiver.clone()
        }
        _ => s.refuse_here(
            "unsupported-method",
            "`fill` takes one value or a block in a section",
            Some("write to the indices in a loop".into()),
        ),
    }),
    row("size", length),
    row("length", length),
    row("empty?", empty),
    row("__empty?", empty),
    row("first", |s, c| ends(s, c, true)),
    row("last", |s, c| ends(s, c, false)),
    row("take", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        tuple::part(s, c, &n, |n, size| 0..n.min(size))
            .unwrap_or_else(|| s.send(&c.receiver, "__take", &[n], 1))
    }),
    row("drop", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        tuple::part(s, c, &n, |n, size| n.min(size)..size)
            .unwrap_or_else(|| s.send(&c.receiver, "__drop", &[n], 1))
    }),
    row("reverse", |s, c| {
        tuple::permuted(s, c, |i, n| n - 1 - i).unwrap_or_else(|| s.send(&c.receiver, "__reverse", &[], 1))
    }),
    row("rotate", |s, c| {
        if !s.count_arguments(c, 0, 1) {
            return Operand::bottom();
        }
        let by = c.args.first().cloned().unwrap_or_else(|| Operand::integer(s.b.i64(1)));
        if let Some(by) = s.literal(&by)
            && let Some(result) = tuple::permuted(s, c, |i, n| (i as i64 + by).rem_euclid(n as i64) as usize)
        {
            return result;
        }
        s.send(&c.receiver, "__rotate", &[by], 1)
    }),
    row("map", |s, c| tuple::map(s, c).unwrap_or_else(|| s.send_with_block(c, "__map"))),
    row("collect", |s, c| tuple::map(s, c).unwrap_or_else(|| s.send_with_block(c, "__map"))),
    row("zip", |s, c| {
        if c.block.is_some() {
            return s.send_with_block(c, "__zip_block");
        }
        tuple::zip(s, c).unwrap_or_else(|| s.send(&c.receiver, "__zip", &c.args, 1))
    }),
    row("sort", |s, c| {
        if c.block.is_some() {
            return s.send_with_block(c, "__sort_block");
        }
        tuple::sort(s, c).unwrap_or_else(|| s.send(&c.receiver, "__sort", &[], 1))
    }),
    row("each_with_index", |s, c| {
        let Some(result) = tuple::each_with_index(s, c) else {
            return s.send_with_block(c, "__each_with_index");
        };
        result
    }),
    row("+", |s, c| operator(s, c, "__plus")),
    row("-", |s, c| operator(s, c, "__minus")),
    row("difference", |s, c| operator(s, c, "__minus")),
    row("&", |s, c| operator(s, c, "__and")),
    row("intersection", |s, c| operator(s, c, "__and")),
    row("|", |s, c| operator(s, c, "__or")),
    row("union", |s, c| operator(s, c, "__or")),
    row("*", |s, c| {
        let Some(times) = s.one_argument(c) else { return Operand::bottom() };
        let Some(n) = to_integer_argument(s, &times) else { return Operand::bottom() };
        tuple::repeated(s, c, &times)
            .unwrap_or_else(|| s.send(&c.receiver, "__times", &[Operand::integer(n)], 1))
    }),
    row("product", |s, c| {
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        tuple::product(s, c, &other).unwrap_or_else(|| s.send(&c.receiver, "__product", &[other], 1))
    }),
    row("flatten", |s, c| {
        if !c.args.is_empty() {
            return s.refuse_here(
                "unsupported-method",
                "`flatten` takes no depth in a section",
                Some("use flat_map".into()),
            );
        }
        s.send(&c.receiver, "__flatten", &[], 1)
    }),
    row("index", super::sequence::index),
    row("find_index", super::sequence::index),
    row("rindex", |s, c| match (&c.block, c.args.first()) {
        (_, Some(value)) => s.send(&c.receiver, "__rindex_value", std::slice::from_ref(value), 1),
        _ => s.send_with_block(c, "__rindex_block"),
    }),
    row("dup", copy),
    row("clone", copy),
    row("to_a", |_, c| c.receiver.clone()),
    row("to_ary", |_, c| c.receiver.clone()),
    row("entries", copy),
    row("frozen?", |s, c| match c.receiver.types.single() {
        Some(Type::Array(_)) => s.refuse_here(
            "unsupported-method",
            "`Array#frozen?` cannot run in a section",
            Some("ask before the section".into()),
        ),
        _ => Operand::bool(s.b.bool(false)),
    }),
    row("==", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let receiver = c.receiver.clone();
        s.switch(&arg, 0, &mut |s, arg| match (receiver.types.single(), arg.types.single()) {
            (Some(Type::Tuple(a)), Some(Type::Tuple(b))) => {
                if a.len() != b.len() {
                    return Operand::bool(s.b.bool(false));
                }
                tuple::equal(s, &receiver, &arg)
            }
            (_, Some(Type::Array(_) | Type::Tuple(_) | Type::List(_))) => {
                s.send(&receiver, "__equal", &[arg], 1)
            }
            _ => Operand::bool(s.b.bool(false)),
        })
    }),
    row("eql?", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let receiver = c.receiver.clone();
        s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
            Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => s.send(&receiver, "__eql", &[arg], 1),
            _ => Operand::bool(s.b.bool(false)),
        })
    }),
    row("<=>", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let receiver = c.receiver.clone();
        s.switch(&arg, 0, &mut |s, arg| match (receiver.types.single(), arg.types.single()) {
            (Some(Type::Tuple(_)), Some(Type::Tuple(_))) => tuple::spaceship(s, &receiver, &arg),
            (_, Some(Type::Array(_) | Type::Tuple(_) | Type::List(_))) => {
                s.send(&receiver, "__spaceship", &[arg], 1)
            }
            _ => Operand::nil(),
        })
    }),
    // ---- what core.rb is made of
    row("__push", |s, c| {
        if let Some((kind, list)) = list_of(&c.receiver) {
            s.push(kind, list, &c.args[0]);
        }
        c.receiver.clone()
    }),
    row("__append", |s, c| {
        if let Some((kind, list)) = list_of(&c.receiver) {
            append(s, kind, list, &c.args[0]);
        }
        c.receiver.clone()
    }),
    row("__set", |s, c| {
        if let Some((kind, list)) = list_of(&c.receiver) {
            s.set_list_item(kind, list, c.args[0].value(), &c.args[1]);
        }
        c.args[1].clone()
    }),
    row("__resize", |s, c| {
        if let Some((_, list)) = list_of(&c.receiver) {
            s.set_list_length(list, c.args[0].value());
        }
        c.receiver.clone()
    }),
];

pub(super) const MODULE_ROWS: &[Row] = &[row("new", make), row("[]", |s, c| s.tuple(&c.args))];

fn list_of(operand: &Operand) -> Option<(ListKind, Value)> {
    match operand.types.single() {
        Some(Type::List(kind)) => Some((*kind, operand.value())),
        _ => None,
    }
}

/// The receiver as a list that may change. Arrays of the heap keep their length, and tuples cannot be written to.
fn mutable(s: &mut Lowerer<'_>, call: &Invocation) -> Option<(ListKind, Value)> {
    if let Some((kind, list)) = list_of(&call.receiver) {
        return s.mutate_list(kind).then_some((kind, list));
    }
    match call.receiver.types.single() {
        Some(Type::Tuple(_)) => s.refuse_here(
            "unsupported-store",
            format!("`{}` cannot change an array of fixed length made in the section", call.name),
            Some("assign it to a local variable and change it through that, or make it with Array.new".into()),
        ),
        _ => s.refuse_here(
            "array-growth",
            format!("`{}` would change the length of an array that exists outside the section", call.name),
            Some("arrays keep their length in a section; change a dup of it, or give it its full length before".into()),
        ),
    };
    None
}

fn changing(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    if mutable(s, call).is_none() {
        return Operand::bottom();
    }
    let arguments = usize::from(name == "__unshift");
    if call.args.len() != arguments {
        return s.refuse_here(
            "unsupported-method",
            format!("`{}` takes or gives one item at a time in a section", call.name),
            Some("call it in a loop".into()),
        );
    }
    s.send(&call.receiver, name, &call.args, 1)
}

/// `sort!` and its like: what the method without `!` gives instead of the items. Some give nil
/// where they change nothing.
fn replaced(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    let maybe_nil = matches!(&call.name[..], "select!" | "reject!" | "uniq!" | "compact!");
    let before = match call.receiver.types.single() {
        Some(Type::List(_)) => {
            if mutable(s, call).is_none() {
                return Operand::bottom();
            }
            length_of(s, &call.receiver)
        }
        Some(Type::Array(_)) => {
            return s.refuse_here(
                "unsupported-store",
                format!("`{}` cannot change an array that exists outside the section", call.name),
                Some(format!("write the items of {name} into it one by one, or change a dup of it")),
            );
        }
        _ => {
            mutable(s, call);
            return Operand::bottom();
        }
    };
    let items = s.send_block(&call.receiver, name, &call.args, call.block.clone());
    if items.is_bottom() {
        return items;
    }
    s.send(&call.receiver, "__replace", &[items], 3);
    let (Some(before), true) = (before, maybe_nil) else { return call.receiver.clone() };
    let Some(after) = length_of(s, &call.receiver) else { return Operand::bottom() };
    let changed = s.b.compare(Comparison::Ne, before, after);
    s.or_nil(changed, &call.receiver)
}

fn push(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some((kind, list)) = mutable(s, call) else { return Operand::bottom() };
    for (i, item) in call.args.iter().enumerate() {
        s.within_slot(i as u32, |s| s.push(kind, list, item));
    }
    call.receiver.clone()
}

/// Pushes the items of an array, or what is none itself.
fn append(s: &mut Lowerer<'_>, kind: ListKind, list: Value, value: &Operand) {
    s.switch(value, 30, &mut |s, value| {
        match value.types.single() {
            Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => {
                s.each_item(&value, &mut |s, item, _, _| s.push(kind, list, &item));
            }
            _ => s.push(kind, list, &value),
        }
        Operand::nil()
    });
}

fn copy(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    match call.receiver.types.single() {
        Some(Type::Tuple(_)) => call.receiver.clone(),
        _ => s.send(&call.receiver, "__copy", &[], 1),
    }
}

/// `+`, `-`, `&`, `|` of two arrays.
fn operator(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&arg, 0, &mut |s, arg| match (receiver.types.single(), arg.types.single()) {
        (Some(Type::Tuple(_)), Some(Type::Tuple(_))) if name == "__plus" => {
            let items: Vec<Operand> =
                s.tuple_items(&receiver).into_iter().chain(s.tuple_items(&arg)).collect();
            s.tuple(&items)
        }
        (_, Some(Type::Array(_) | Type::Tuple(_) | Type::List(_))) => s.send(&receiver, name, &[arg], 1),
        (_, Some(ty)) => {
            let name = s.coercion_name(ty);
            s.fail(ErrorKind::TypeError(format!("no implicit conversion of {name} into Array")), &[])
        }
        _ => Operand::bottom(),
    })
}

fn at(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.name != "at" && call.args.len() == 2 {
        let Some(start) = to_integer_argument(s, &call.args[0]) else { return Operand::bottom() };
        let Some(count) = to_integer_argument(s, &call.args[1]) else { return Operand::bottom() };
        return slice(s, &call.receiver, start, count);
    }
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&arg, 24, &mut |s, arg| {
        if let Some(Type::Range { .. }) = arg.types.single() {
            return slice_range(s, &receiver, &arg);
        }
        let Some(index) = to_integer_argument(s, &arg) else { return Operand::bottom() };
        item(s, &receiver, index)
    })
}

fn slice(s: &mut Lowerer<'_>, receiver: &Operand, start: Value, count: Value) -> Operand {
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
    s.send(receiver, "__slice", &[Operand::integer(start), Operand::integer(count)], 25)
}

/// `array[a..b]`.
fn slice_range(s: &mut Lowerer<'_>, receiver: &Operand, range: &Operand) -> Operand {
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
    slice(s, receiver, start, count)
}

pub(super) fn item(s: &mut Lowerer<'_>, receiver: &Operand, index: Value) -> Operand {
    match receiver.types.single() {
        Some(Type::Array(kind)) => return s.array_at(*kind, receiver.value(), index),
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
fn fetch(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 1, 2) {
        return Operand::bottom();
    }
    let Some(index) = to_integer_argument(s, &call.args[0]) else { return Operand::bottom() };
    if call.block.is_some() {
        return s.send_block(&call.receiver, "__fetch_block", &[Operand::integer(index)], call.block.clone());
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

fn store(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.args.len() == 3
        || call.args.first().is_some_and(|a| matches!(a.types.single(), Some(Type::Range { .. })))
    {
        return s.refuse_here(
            "unsupported-store",
            "one item at a time is written in a section",
            Some("write to the indices in a loop".into()),
        );
    }
    if !s.count_arguments(call, 2, 2) {
        return Operand::bottom();
    }
    let Some(index) = to_integer_argument(s, &call.args[0]) else { return Operand::bottom() };
    let value = &call.args[1];
    match call.receiver.types.single() {
        Some(Type::Array(kind)) => s.array_store(*kind, call.receiver.value(), index, value),
        Some(Type::List(_)) => {
            let Some((kind, list)) = mutable(s, call) else { return Operand::bottom() };
            let length = s.list_length(list);
            let zero = s.b.i64(0);
            let negative = s.b.compare(Comparison::Lt, index, zero);
            let from_end = s.b.binary(crate::ir::BinaryOp::Add, index, length);
            let at = s.b.select(negative, from_end, index);
            let ok = s.b.compare(Comparison::Ge, at, zero);
            s.check(ok, ErrorKind::IndexTooSmall, &[index, length]);
            // Behind the last item there is room for one more; what would leave a gap of nils is refused.
            let ok = s.b.compare(Comparison::Le, at, length);
            s.check(ok, ErrorKind::ArrayGrowth, &[at, length]);
            let inside = s.b.compare(Comparison::Lt, at, length);
            let condition = crate::infer::Condition { value: inside, yes: vec![], no: vec![] };
            s.branch(
                32,
                condition,
                |s| {
                    s.set_list_item(kind, list, at, value);
                    Operand::nil()
                },
                |s| {
                    s.push(kind, list, value);
                    Operand::nil()
                },
            );
        }
        _ => {
            mutable(s, call);
            return Operand::bottom();
        }
    }
    value.clone()
}

/// `first`, `last`, `first(n)`, `last(n)`.
fn ends(s: &mut Lowerer<'_>, call: &Invocation, first: bool) -> Operand {
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
    s.send(&call.receiver, if first { "__take" } else { "__last" }, &[Operand::integer(n)], 1)
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
        Type::List(_) => Some(s.list_length(receiver.value())),
        Type::Tuple(items) => Some(s.b.i64(items.len() as i64)),
        _ => None,
    }
}

/// `Array.new`, `Array.new(n)`, `Array.new(n, value)`, `Array.new(n) { }`: a list; from a literal length and a block
/// a tuple, unless the array is changed later.
pub(super) fn make(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 2) {
        return Operand::bottom();
    }
    let zero = s.b.i64(0);
    let size = match call.args.first() {
        None => zero,
        Some(size) => {
            if let Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) = size.types.single() {
                return s.send(size, "__copy", &[], 1);
            }
            let Some(size) = to_integer_argument(s, size) else { return Operand::bottom() };
            let ok = s.b.compare(Comparison::Ge, size, zero);
            s.check(ok, ErrorKind::ArgumentError("negative array size".into()), &[]);
            let most = s.b.i64(i64::from(i32::MAX));
            let ok = s.b.compare(Comparison::Le, size, most);
            s.check(ok, ErrorKind::ArgumentError("array size too big".into()), &[]);
            size
        }
    };
    let list = s.new_list(0x500, size);
    let Some((kind, array)) = list_of(&list) else { return list };
    let value = call.args.get(1).cloned().unwrap_or_else(Operand::nil);
    s.counted(zero, size, 1, &mut |s, i, _, _| {
        let item = match &call.block {
            Some(block) => s.call_block(block, vec![Operand::integer(i)]),
            None => value.clone(),
        };
        if item.is_bottom() {
            s.b.mark_dead();
        }
        s.push(kind, array, &item);
    });
    list
}
