//! What changes an array: the items of those of the heap, and the length too of lists.

use super::integer::to_integer_argument;
use super::{Invocation, Row, bare, carrying, row, spreading};
use crate::infer::{Changing, Lowerer, Operand};
use crate::ir::{Comparison, ErrorKind, Value};
use crate::types::{ListKind, Type};

pub(super) const ROWS: &[Row] = &[
    carrying("[]=", store),
    carrying("<<", |s, c| {
        if s.one_argument(c).is_none() {
            return Operand::bottom();
        }
        push(s, c)
    }),
    spreading("push", push),
    spreading("append", push),
    row("pop", |s, c| taken(s, c, "#pop", "#pop_many")),
    row("shift", |s, c| taken(s, c, "#shift", "#shift_many")),
    spreading("unshift", prepend),
    spreading("prepend", prepend),
    spreading("insert", insert),
    carrying("delete", |s, c| {
        if maybe_mutable(s, c).is_none() || s.one_argument(c).is_none() {
            return Operand::bottom();
        }
        s.send_with_block(c, "#delete")
    }),
    row("slice!", |s, c| {
        if mutable(s, c).is_none() || !s.count_arguments(c, 1, 2) {
            return Operand::bottom();
        }
        match &c.args[..] {
            [range] if matches!(range.types.single(), Some(Type::Range { .. })) => {
                super::array_parts::slice_range(s, &c.receiver, range, "#cut")
            }
            [index] => s.send(&c.receiver, "delete_at", std::slice::from_ref(index), 1),
            [start, count, ..] => {
                let Some(start) = to_integer_argument(s, start) else { return Operand::bottom() };
                let Some(count) = to_integer_argument(s, count) else { return Operand::bottom() };
                s.send(&c.receiver, "#cut", &[Operand::integer(start), Operand::integer(count)], 1)
            }
            [] => Operand::bottom(),
        }
    }),
    row("delete_at", |s, c| {
        if maybe_mutable(s, c).is_none() {
            return Operand::bottom();
        }
        let Some(index) = s.one_argument(c) else { return Operand::bottom() };
        let Some(index) = to_integer_argument(s, &index) else { return Operand::bottom() };
        s.send(&c.receiver, "#delete_at", &[Operand::integer(index)], 1)
    }),
    row("sort!", |s, c| replaced(s, c, "sort")),
    row("sort_by!", |s, c| {
        let length = super::array::length_of(s, &c.receiver);
        let Some(length) = length.filter(|_| s.host.dialect().sort_by_bang_spares_one) else {
            return replaced(s, c, "sort_by");
        };
        let two = s.b.i64(2);
        let short = s.b.compare(Comparison::Lt, length, two);
        let condition = crate::infer::Condition { value: short, yes: vec![], no: vec![] };
        s.branch(36, condition, |_| c.receiver.clone(), |s| replaced(s, c, "sort_by"))
    }),
    row("reverse!", |s, c| replaced(s, c, "reverse")),
    row("rotate!", |s, c| replaced(s, c, "rotate")),
    row("select!", |s, c| kept(s, c, "#select!")),
    row("filter!", |s, c| kept(s, c, "#select!")),
    row("keep_if", |s, c| kept(s, c, "#keep_if")),
    row("reject!", |s, c| kept(s, c, "#reject!")),
    row("delete_if", |s, c| kept(s, c, "#delete_if")),
    row("uniq!", |s, c| replaced(s, c, "uniq")),
    row("compact!", |s, c| replaced(s, c, "compact")),
    row("flatten!", flatten),
    row("shuffle!", |s, c| match overwritten(s, c) {
        true => super::array::by_chance(s, c, 0, "#shuffle!", "#shuffle!"),
        false => Operand::bottom(),
    }),
    row("replace", |s, c| {
        let Some(to) = mutable(s, c) else { return Operand::bottom() };
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        let other = s.send(&c.receiver, "#array", &[other], 1);
        if other.is_bottom() {
            return other;
        }
        // The items of the array itself are those that it has now.
        let items = s.send(&other, "#copy", &[], 2);
        let zero = s.b.i64(0);
        s.set_length(to, zero);
        append(s, to, &items);
        c.receiver.clone()
    }),
    row("clear", |s, c| {
        let Some(of) = mutable(s, c) else { return Operand::bottom() };
        let zero = s.b.i64(0);
        s.set_length(of, zero);
        c.receiver.clone()
    }),
    spreading("concat", |s, c| {
        let Some(to) = pushable(s, c) else { return Operand::bottom() };
        if let Some(others) = super::several_arrays::all_arguments(s, c) {
            let items = s.send(&others, "#joined_items", &[], 3);
            append(s, to, &items);
            return c.receiver.clone();
        }
        let mut others = Vec::new();
        for (i, other) in (0..).zip(&c.args) {
            others.push(s.within_slot(i, |s| {
                let other = super::several_arrays::array_argument(s, other);
                // The items of the array itself are those that it has now.
                let is_alike = other.types.iter().any(|ty| c.receiver.types.contains(ty));
                if is_alike { s.send(&other, "#copy", &[], 3) } else { other }
            }));
        }
        for (i, other) in (0..).zip(&others) {
            s.within_slot(0x40 + i, |s| append(s, to, other));
        }
        c.receiver.clone()
    }),
    carrying("fill", fill),
    row("#leave_gap", leave_gap),
    // ---- what `core/` is made of
    carrying("#push", |s, c| {
        if let Some(to) = Changing::of(&c.receiver) {
            s.push_to(to, &c.args[0]);
        }
        c.receiver.clone()
    }),
    carrying("#push_front", |s, c| {
        match Changing::of(&c.receiver) {
            Some(Changing::List(kind, list)) => s.push_front(kind, list, &c.args[0]),
            Some(Changing::Array(kind, id)) => s.array_push_front(kind, id, &c.args[0]),
            Some(Changing::Log(..)) | None => {}
        }
        c.receiver.clone()
    }),
    row("#drop_front", |s, c| {
        match Changing::of(&c.receiver) {
            Some(Changing::List(kind, list)) => s.drop_front(kind, list, c.args[0].value()),
            Some(Changing::Array(kind, id)) => s.array_drop_front(kind, id, c.args[0].value()),
            Some(Changing::Log(..)) | None => {}
        }
        c.receiver.clone()
    }),
    carrying("#append", |s, c| {
        if let Some(to) = Changing::of(&c.receiver) {
            let value = s.through_to_ary(&c.args[0]);
            append(s, to, &value);
        }
        c.receiver.clone()
    }),
    carrying("#set", |s, c| {
        match c.receiver.types.single() {
            Some(Type::List(kind)) => {
                s.set_list_item(*kind, c.receiver.value(), c.args[0].value(), &c.args[1]);
            }
            Some(Type::Array(kind)) => {
                s.check_unfrozen_array(*kind, c.receiver.value());
                if let Some(value) = s.kept_item(*kind, &c.args[1]) {
                    s.array_item_store(*kind, c.receiver.value(), c.args[0].value(), &value);
                }
            }
            _ => {}
        }
        c.args[1].clone()
    }),
    // Are the items words in scratch memory that a function in Rust moves?
    bare("#moves_words?", |s, c| {
        let moves = s.has_intrinsics() && matches!(c.receiver.types.single(), Some(Type::List(_)));
        Operand::bool(s.b.bool(moves))
    }),
    row("#move_words", |s, c| {
        if let Some((kind, list)) = list_of(&c.receiver) {
            let [to, from, count] = [0, 1, 2].map(|arg| c.args[arg].value());
            s.move_list_items(kind, list, [to, from, count]);
        }
        Operand::nil()
    }),
    // Do items of another array come behind the own ones as words?
    row("#takes_words?", |s, c| {
        let takes = list_of(&c.receiver).is_some_and(|(kind, _)| s.takes_words(kind, &c.args[0]));
        Operand::bool(s.b.bool(takes))
    }),
    row("#push_words", |s, c| {
        if let Some((kind, list)) = list_of(&c.receiver) {
            s.push_words(kind, list, &c.args[0], [c.args[1].value(), c.args[2].value()]);
        }
        c.receiver.clone()
    }),
    row("#check_unfrozen", |s, c| {
        if let Some(Type::Array(kind)) = c.receiver.types.single() {
            s.check_unfrozen_array(*kind, c.receiver.value());
        }
        Operand::nil()
    }),
    row("#resize", |s, c| {
        match Changing::of(&c.receiver) {
            // What only its items are changed of is as long as before.
            Some(Changing::Array(kind, _)) if !s.array_grows(kind) => {}
            Some(of) => s.set_length(of, c.args[0].value()),
            None => {}
        }
        c.receiver.clone()
    }),
];

pub(super) fn list_of(operand: &Operand) -> Option<(ListKind, Value)> {
    match operand.types.single() {
        Some(Type::List(kind)) => Some((*kind, operand.value())),
        _ => None,
    }
}

/// The receiver as what may change its length. Tuples cannot be written to.
fn mutable(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Changing> {
    match Changing::of(&call.receiver) {
        Some(Changing::List(kind, _)) if !s.mutate_list(kind) => return None,
        Some(Changing::Array(kind, id)) if !s.grow_array(kind, id) => return None,
        Some(of) => {
            s.check_unsealed(&call.receiver);
            return (!s.b.is_dead()).then_some(of);
        }
        None => {}
    }
    let grew = s.grow_literals(&call.receiver.types);
    if s.grow_array_literals(&call.receiver) || grew {
        return None;
    }
    s.refuse_here(
        "unsupported-store",
        format!("`{}` cannot change an array of fixed length made in the section", call.name),
        Some("change a copy of it, which may get longer: dup".into()),
    );
    None
}

/// The same where what is frozen is no error as long as nothing of it changes.
fn maybe_mutable(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Changing> {
    match Changing::of(&call.receiver) {
        Some(of @ Changing::Array(kind, id)) => s.maybe_grow_array(kind, id).then_some(of),
        _ => mutable(s, call),
    }
}

/// The receiver as what gets more items.
fn pushable(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Changing> {
    match Changing::of(&call.receiver) {
        Some(Changing::Array(kind, id)) => {
            let values: Vec<&Operand> = call.args.iter().chain(&call.splat).collect();
            s.pushed_array(kind, id, &values)
        }
        _ => mutable(s, call),
    }
}

/// The receiver gets other items: is it one that may?
fn overwritten(s: &mut Lowerer<'_>, call: &Invocation) -> bool {
    match Changing::of(&call.receiver) {
        Some(Changing::Array(kind, id)) => s.overwrite_array(kind, id),
        _ => mutable(s, call).is_some(),
    }
}

/// `pop` and `shift`, of one item or of several.
fn taken(s: &mut Lowerer<'_>, call: &Invocation, one: &str, several: &str) -> Operand {
    if mutable(s, call).is_none() || !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    s.send(&call.receiver, if call.args.is_empty() { one } else { several }, &call.args, 1)
}

fn prepend(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if mutable(s, call).is_some() {
        if let Some(others) = &call.splat {
            let items = s.send(others, "#copy", &[], 3);
            s.send(&call.receiver, "#prepend_all", &[items], 4);
        }
        let zero = Operand::integer(s.b.i64(0));
        insert_all(s, &call.receiver, &zero, &call.args);
    }
    call.receiver.clone()
}

fn insert(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if mutable(s, call).is_none() {
        return Operand::bottom();
    }
    let Some(call) = &s.understood(call, 0..1) else { return Operand::bottom() };
    let Some((index, items)) = call.args.split_first() else {
        return match super::several_arrays::all_arguments(s, call) {
            Some(all) => s.send(&call.receiver, "#insert_all", &[all], 5),
            None => super::wrong_count(s, 0, "1+"),
        };
    };
    let Some(index) = to_integer_argument(s, index) else { return Operand::bottom() };
    if let Some(others) = &call.splat {
        let known = s.tuple(items);
        let all = s.send(&known, "+", std::slice::from_ref(others), 6);
        return s.send(&call.receiver, "#insert_items", &[Operand::integer(index), all], 7);
    }
    if items.is_empty() {
        return call.receiver.clone();
    }
    let place = s.send(&call.receiver, "#place", &[Operand::integer(index)], 1);
    if place.is_bottom() {
        return place;
    }
    s.send(&call.receiver, "#leave_gap", std::slice::from_ref(&place), 2);
    insert_all(s, &call.receiver, &place, items);
    call.receiver.clone()
}

/// Inserts all items before the one at `place`, the last one first.
fn insert_all(s: &mut Lowerer<'_>, receiver: &Operand, place: &Operand, items: &[Operand]) {
    for (i, item) in items.iter().enumerate().rev() {
        s.send(receiver, "#insert", &[place.clone(), item.clone()], 0x40 + i as u32);
    }
}

fn flatten(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(to) = mutable(s, call) else { return Operand::bottom() };
    let Some(depth) = super::several_arrays::flattening(s, call) else { return Operand::bottom() };
    if depth == Some(0) {
        return Operand::nil();
    }
    let nests = s.send(&call.receiver, "#nests?", &[], 1);
    let condition = s.truth_condition(&nests);
    s.branch(
        34,
        condition,
        |s| {
            let items = super::several_arrays::flatten(s, &call.receiver, depth);
            let zero = s.b.i64(0);
            s.set_length(to, zero);
            append(s, to, &items);
            call.receiver.clone()
        },
        |_| Operand::nil(),
    )
}

/// `fill(value)`, `fill(value, start, count)`, and with a block instead of the value.
fn fill(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let given = usize::from(call.block.is_none());
    if call.args.get(given).is_some_and(super::holds_range) {
        return s.opened_arguments(call, given..given + 1, &mut fill);
    }
    let is_range = |arg: &Operand| matches!(arg.types.single(), Some(Type::Range { .. }));
    if let [value @ .., range] = &call.args[..]
        && value.len() == given
        && is_range(range)
    {
        if mutable(s, call).is_none() {
            return Operand::bottom();
        }
        let start = s.send(&call.receiver, "#beginning", std::slice::from_ref(range), 5);
        let count = s.send(&call.receiver, "#count_from", &[start.clone(), range.clone()], 6);
        if start.is_bottom() || count.is_bottom() {
            return Operand::bottom();
        }
        let mut args = value.to_vec();
        args.extend([start, count]);
        return fill(s, &call.with_args(args));
    }
    if !s.count_arguments(call, given, given + 2) {
        return Operand::bottom();
    }
    if !matches!(call.receiver.types.single(), Some(Type::Array(_))) && mutable(s, call).is_none() {
        return Operand::bottom();
    }
    let Some(call) = &s.understood(call, given..given + 2) else { return Operand::bottom() };
    let mut args = call.args.clone();
    args.resize(given + 2, Operand::nil());
    let result = match &call.block {
        Some(block) => s.send_block(&call.receiver, "#fill_block", &args, Some(block.clone())),
        None => s.send(&call.receiver, "#fill", &args, 1),
    };
    if result.is_bottom() { result } else { call.receiver.clone() }
}

/// `select!` and its like, by a method of `core/`.
fn kept(s: &mut Lowerer<'_>, call: &Invocation, method: &str) -> Operand {
    match mutable(s, call) {
        Some(_) => s.send_with_block(call, method),
        None => Operand::bottom(),
    }
}

/// `sort!` and its like: what the method without `!` gives instead of the items. Some give nil
/// where they change nothing.
fn replaced(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    let maybe_nil = matches!(&call.name[..], "uniq!" | "compact!");
    let keeps = matches!(&call.name[..], "sort!" | "sort_by!" | "reverse!" | "rotate!");
    if !(if keeps { overwritten(s, call) } else { mutable(s, call).is_some() }) {
        return Operand::bottom();
    }
    let before = super::array::length_of(s, &call.receiver);
    let items = s.send_block(&call.receiver, name, &call.args, call.block.clone());
    if items.is_bottom() {
        return items;
    }
    s.send(&call.receiver, "#replace", &[items], 3);
    let (Some(before), true) = (before, maybe_nil) else { return call.receiver.clone() };
    let Some(after) = super::array::length_of(s, &call.receiver) else { return Operand::bottom() };
    let changed = s.b.compare(Comparison::Ne, before, after);
    s.or_nil(changed, &call.receiver)
}

fn push(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(to) = pushable(s, call) else { return Operand::bottom() };
    for (i, item) in call.args.iter().enumerate() {
        s.within_slot(i as u32, |s| s.push_to(to, item));
    }
    if let Some(array) = &call.splat {
        // The items of the array itself are those that it has now.
        let items = s.send(array, "#copy", &[], 3);
        append(s, to, &items);
    }
    call.receiver.clone()
}

/// Pushes the items of an array, or what is none itself.
fn append(s: &mut Lowerer<'_>, to: Changing, value: &Operand) {
    s.switch(value, 30, &mut |s, value| {
        match (value.types.single(), to) {
            (Some(Type::List(_)), Changing::List(kind, list)) if s.takes_words(kind, &value) => {
                let (first, count) = (s.b.i64(0), s.list_length(value.value()));
                s.push_words(kind, list, &value, [first, count]);
            }
            (Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)), _) => {
                s.each_item(&value, &mut |s, item, _, _| s.push_to(to, &item));
            }
            _ => s.push_to(to, &value),
        }
        Operand::nil()
    });
}

/// `array[start, count] = items`, `array[range] = items`, or what is no array instead of these.
fn splice(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 2, 3) || mutable(s, call).is_none() {
        return Operand::bottom();
    }
    let Some((value, place)) = call.args.split_last() else { return Operand::bottom() };
    let mut args = Vec::new();
    let name = match place {
        [range] => {
            args.push(range.clone());
            "#splice_range"
        }
        _ => {
            for number in place {
                let Some(number) = to_integer_argument(s, number) else { return Operand::bottom() };
                args.push(Operand::integer(number));
            }
            "#splice"
        }
    };
    let items = s.through_to_ary(value);
    let done = s.switch(&items, 37, &mut |s, items| {
        let items = match items.types.single() {
            Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => items,
            _ => s.tuple(&[items]),
        };
        // The array itself may be it.
        let items = s.send(&items, "#copy", &[], 3);
        let mut args = args.clone();
        args.push(items);
        s.send(&call.receiver, name, &args, 4)
    });
    if done.is_bottom() { done } else { value.clone() }
}

/// Where items are about to be put behind an index: it is the length at most, or the gap is filled with nils.
fn leave_gap(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let index = call.args[0].value();
    s.fill_gap(&call.receiver, index);
    let Some(length) = super::array::length_of(s, &call.receiver) else { return Operand::bottom() };
    let ok = s.b.compare(Comparison::Le, index, length);
    s.check(ok, ErrorKind::ArrayGrowth, &[index, length]);
    Operand::nil()
}

fn store(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.args.first().is_some_and(super::holds_range) {
        return s.opened_arguments(call, 0..1, &mut store);
    }
    if call.args.len() == 3
        || call.args.first().is_some_and(|a| matches!(a.types.single(), Some(Type::Range { .. })))
    {
        return splice(s, call);
    }
    if !s.count_arguments(call, 2, 2) {
        return Operand::bottom();
    }
    let Some(call) = &s.understood(call, 0..1) else { return Operand::bottom() };
    if let Some(ty) = call.args[0].types.single().filter(|ty| ty.is_text_range()) {
        let end = if ty.is_date_range() { "Date" } else { "String" };
        let message = format!("no implicit conversion of {end} into Integer");
        return s.fail(ErrorKind::TypeError(message), &[]);
    }
    let Some(index) = to_integer_argument(s, &call.args[0]) else { return Operand::bottom() };
    let value = &call.args[1];
    match call.receiver.types.single() {
        Some(Type::Array(kind)) => s.array_store(*kind, call.receiver.value(), index, value),
        Some(Type::List(_)) => {
            let Some(Changing::List(kind, list)) = mutable(s, call) else { return Operand::bottom() };
            let length = s.list_length(list);
            let zero = s.b.i64(0);
            let negative = s.b.compare(Comparison::Lt, index, zero);
            let from_end = s.b.binary(crate::ir::BinaryOp::Add, index, length);
            let at = s.b.select(negative, from_end, index);
            let ok = s.b.compare(Comparison::Ge, at, zero);
            s.check(ok, ErrorKind::IndexTooSmall, &[index, length]);
            s.fill_gap(&call.receiver, at);
            let length = s.list_length(list);
            // Behind the last item there is room for one more; where a gap of nils is to be left, that is there by now.
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
