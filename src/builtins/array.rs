//! Array: those of the heap, lists and tuples. What gives an array of known length from tuples is in `tuple.rs`, what
//! is the same for all that can be gone through in `sequence.rs`, what changes one in `changes.rs`, and most of the rest
//! in `core/`.

use super::array_parts::{at, dig_on, ends, fetch};
use super::integer::to_integer_argument;
use super::several_arrays::{
    all_arguments, array_argument, flatten, flattening, operator, operators, product, zipped,
};
use super::{Invocation, Row, bare, carrying, naming, numeric, random, recursion, row, spreading, tuple};
use crate::infer::{Changing, Condition, Lowerer, Operand, Seal};
use crate::ir::{Comparison, ErrorKind, Value};
use crate::types::{HashPart, Type, TypeSet};

pub(super) const ROWS: &[Row] = &[
    row("[]", at),
    row("at", at),
    row("slice", at),
    carrying("dig", |s, c| {
        let Some((first, rest)) = c.args.split_first() else { return super::wrong_count(s, 0, "1+") };
        let item = s.send(&c.receiver, "at", std::slice::from_ref(first), 1);
        if rest.is_empty() || item.is_bottom() {
            return item;
        }
        dig_on(s, &item, rest)
    }),
    carrying("fetch", fetch),
    spreading("fetch_values", |s, c| s.send_with_block(c, "#fetch_values")),
    spreading("values_at", |s, c| {
        if let Some(others) = &c.splat {
            let indices = s.tuple(&c.args);
            return s.send(&c.receiver, "#values_of", &[indices, others.clone()], 1);
        }
        if c.args.iter().any(super::holds_range) {
            return s.opened_arguments(c, 0..c.args.len(), &mut |s, c| {
                s.send(&c.receiver, "values_at", &c.args, 3)
            });
        }
        let Some(c) = &s.understood(c, 0..c.args.len()) else { return Operand::bottom() };
        if c.args.iter().any(|arg| arg.types.iter().any(|t| matches!(t, Type::Range { .. }))) {
            return s.send(&c.receiver, "#values_at", &c.args, 1);
        }
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
    row("size", length),
    row("length", length),
    row("empty?", empty),
    row("#empty?", empty),
    row("first", |s, c| ends(s, c, true)),
    row("last", |s, c| ends(s, c, false)),
    row("take", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        tuple::part(s, c, &n, |n, size| 0..n.min(size))
            .unwrap_or_else(|| s.send(&c.receiver, "#take", &[n], 1))
    }),
    row("drop", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        tuple::part(s, c, &n, |n, size| n.min(size)..size)
            .unwrap_or_else(|| s.send(&c.receiver, "#drop", &[n], 1))
    }),
    row("reverse", |s, c| {
        tuple::permuted(s, c, |i, n| n - 1 - i).unwrap_or_else(|| s.send(&c.receiver, "#reverse", &[], 1))
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
        let Some(by) = to_integer_argument(s, &by) else { return Operand::bottom() };
        s.send(&c.receiver, "#rotate", &[Operand::integer(by)], 1)
    }),
    row("map", |s, c| tuple::map(s, c).unwrap_or_else(|| s.send_with_block(c, "#map"))),
    row("collect", |s, c| tuple::map(s, c).unwrap_or_else(|| s.send_with_block(c, "#map"))),
    spreading("zip", |s, c| {
        if let Some(others) = all_arguments(s, c) {
            let c = &Invocation { splat: None, ..c.with_args(vec![others]) };
            return s.send_with_block(c, if c.block.is_some() { "#zip_all_block" } else { "#zip_all" });
        }
        let Some(c) = &zipped(s, c) else { return Operand::bottom() };
        if c.block.is_some() {
            return s.send_with_block(c, "#zip_block");
        }
        tuple::zip(s, c).unwrap_or_else(|| s.send(&c.receiver, "#zip", &c.args, 1))
    }),
    row("sort", |s, c| {
        if c.block.is_some() {
            return s.send_with_block(c, "#sort_block");
        }
        tuple::sort(s, c).unwrap_or_else(|| s.send(&c.receiver, "#sort", &[], 1))
    }),
    row("each_with_index", |s, c| {
        let Some(result) = tuple::each_with_index(s, c) else {
            return s.send_with_block(c, "#each_with_index");
        };
        result
    }),
    row("+", |s, c| operator(s, c, "#plus")),
    row("compact", |s, c| {
        let [is_of_calls, has_false] = [true, false].map(|own| {
            c.receiver.types.single().is_some_and(|ty| match own {
                true => s.is_of_calls(ty),
                false => s.types_of_items(ty).contains(&Type::False),
            })
        });
        let name = if is_of_calls && !has_false { "#present" } else { "#compact" };
        s.send(&c.receiver, name, &[], 1)
    }),
    row("-", |s, c| operator(s, c, "#minus")),
    spreading("difference", |s, c| operators(s, c, "#minus")),
    row("&", |s, c| operator(s, c, "#and")),
    spreading("intersection", |s, c| operators(s, c, "#and")),
    row("|", |s, c| operator(s, c, "#or")),
    spreading("union", |s, c| operators(s, c, "#or")),
    row("*", |s, c| {
        let Some(times) = s.one_argument(c) else { return Operand::bottom() };
        if times.types.iter().any(|ty| s.type_responds(ty, "to_str")) {
            let receiver = &c.receiver;
            return s.switch(&times, 0x17, &mut |s, times| match s.responds(&times, "to_str") {
                true => s.send(receiver, "join", &[times], 1),
                false => s.send(receiver, "*", &[times], 2),
            });
        }
        let Some(n) = to_integer_argument(s, &times) else { return Operand::bottom() };
        tuple::repeated(s, c, &times)
            .unwrap_or_else(|| s.send(&c.receiver, "#times", &[Operand::integer(n)], 1))
    }),
    spreading("product", product),
    row("flatten", |s, c| match flattening(s, c) {
        Some(depth) => flatten(s, &c.receiver, depth),
        None => Operand::bottom(),
    }),
    row("transpose", |s, c| {
        tuple::transpose(s, c).unwrap_or_else(|| s.send(&c.receiver, "#transpose", &[], 1))
    }),
    row("shuffle", |s, c| by_chance(s, c, 0, "#shuffle", "#shuffle")),
    row("sample", |s, c| by_chance(s, c, 1, "#sample", "#samples")),
    naming("#draw", random::draw),
    carrying("index", super::sequence::index),
    carrying("find_index", super::sequence::index),
    carrying("rindex", |s, c| match (&c.block, c.args.first()) {
        _ if !s.count_arguments(c, 0, 1) => Operand::bottom(),
        (_, Some(value)) => s.send(&c.receiver, "#rindex_value", std::slice::from_ref(value), 1),
        _ => s.send_with_block(c, "#rindex_block"),
    }),
    row("dup", copy),
    naming("clone", clone),
    row("to_a", |_, c| c.receiver.clone()),
    row("to_ary", |_, c| c.receiver.clone()),
    row("deconstruct", |_, c| c.receiver.clone()),
    row("entries", copy),
    row("frozen?", |s, c| match c.receiver.types.single() {
        Some(Type::Array(kind)) => Operand::bool(s.is_frozen_array(*kind, c.receiver.value())),
        Some(Type::List(_)) => Operand::bool(s.is_frozen_list(c.receiver.value())),
        _ if s.freezes_arrays() && s.grow_array_literals(&c.receiver) => Operand::bottom(),
        _ => Operand::bool(s.b.bool(false)),
    }),
    bare("freeze", freeze),
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
                let same = Operand::bool(s.b.bool(true));
                unless_same(s, &receiver, &arg, same, |s| {
                    recursion::compare(s, &receiver, &arg, &recursion::EQUAL)
                })
            }
            // Ruby asks the other object (`other == array`) where it says that it is like an array.
            (_, Some(Type::Object(..) | Type::Record(_) | Type::Made(_))) if s.responds(&arg, "to_ary") => {
                s.send(&arg, "#equals", std::slice::from_ref(&receiver), 2)
            }
            _ => Operand::bool(s.b.bool(false)),
        })
    }),
    row("eql?", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
            Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => {
                let same = Operand::bool(s.b.bool(true));
                unless_same(s, &c.receiver, &arg, same, |s| {
                    recursion::compare(s, &c.receiver, &arg, &recursion::EQL)
                })
            }
            _ => Operand::bool(s.b.bool(false)),
        })
    }),
    row("<=>", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let arg = s.through_to_ary(&arg);
        let receiver = c.receiver.clone();
        s.switch(&arg, 0, &mut |s, arg| match (receiver.types.single(), arg.types.single()) {
            (Some(Type::Tuple(_)), Some(Type::Tuple(_))) => tuple::spaceship(s, &receiver, &arg),
            (_, Some(Type::Array(_) | Type::Tuple(_) | Type::List(_))) => {
                let zero = Operand::integer(s.b.i64(0));
                unless_same(s, &receiver, &arg, zero, |s| {
                    recursion::compare(s, &receiver, &arg, &recursion::ORDER)
                })
            }
            _ => Operand::nil(),
        })
    }),
    // ---- what `core/` is made of
    numeric("#array", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        array_argument(s, &arg)
    }),
    // Do the items, and the value, have a hash? What is in registers has few items, and is gone through.
    numeric("#hashes?", |s, c| {
        let in_memory = matches!(c.receiver.types.single(), Some(Type::Array(_) | Type::List(_)));
        let hashes =
            in_memory && c.args.iter().chain([&c.receiver]).all(|operand| s.has_hash_here(&operand.types));
        Operand::bool(s.b.bool(hashes))
    }),
    // Have they all a hash, which is a `hash` of the user's for some?
    numeric("#asks_hash?", |s, c| {
        let items = c.receiver.types.single().map_or_else(TypeSet::empty, |ty| s.types_of_items(ty));
        let all = [&items, &c.args[0].types];
        let asks = all.iter().any(|types| s.asks_for_hash(types, &mut Vec::new()));
        let asks = asks && all.iter().all(|types| s.has_hash_here(types));
        Operand::bool(s.b.bool(asks))
    }),
    // Can there be objects among the items that have an `eql?` of their own?
    numeric("#own_eql?", |s, c| {
        let arrays: Vec<Type> = c
            .args
            .iter()
            .chain([&c.receiver])
            .filter_map(|operand| operand.types.single().cloned())
            .collect();
        let own = arrays.iter().any(|ty| {
            let items = s.types_of_items(ty);
            s.has_own_eql(&items)
        });
        Operand::bool(s.b.bool(own))
    }),
    row("#chosen", |s, c| match s.literal(&c.args[1]).and_then(|n| usize::try_from(n).ok()) {
        Some(count) if count <= tuple::MOST => {
            let mut items = Vec::new();
            for i in 0..count {
                let i = s.b.i64(i as i64);
                let at = s.item_at(&c.args[0], i);
                if at.is_bottom() {
                    return at;
                }
                let item = s.item_at(&c.receiver, at.value());
                if item.is_bottom() {
                    return item;
                }
                items.push(item);
            }
            s.tuple(&items)
        }
        _ => s.send(&c.receiver, "#gathered", &c.args, 1),
    }),
];

pub(super) const MODULE_ROWS: &[Row] = &[
    carrying("new", make),
    spreading("[]", |s, c| match all_arguments(s, c) {
        Some(all) => s.send(&all, "#copy", &[], 1),
        None => s.tuple(&c.args),
    }),
];

/// What `f` gives, or `same` where both are one array in memory.
fn unless_same(
    s: &mut Lowerer<'_>,
    array: &Operand,
    other: &Operand,
    same: Operand,
    f: impl FnOnce(&mut Lowerer<'_>) -> Operand,
) -> Operand {
    let in_memory = matches!(array.types.single(), Some(Type::Array(_) | Type::List(_)));
    if !in_memory || array.types.single_shape() != other.types.single_shape() {
        return f(s);
    }
    let value = s.b.compare(Comparison::Eq, array.value(), other.value());
    let condition = crate::infer::Condition { value, yes: vec![], no: vec![] };
    s.branch(34, condition, |_| same, f)
}

pub(super) fn copy(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    match call.receiver.types.single() {
        Some(Type::Tuple(_)) => {
            let items = s.tuple_items(&call.receiver);
            s.tuple(&items)
        }
        _ => s.send(&call.receiver, "#copy", &[], 1),
    }
}

/// A copy that is frozen if the array is, or as it is asked for.
fn clone(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let asked = match &call.keywords[..] {
        [(name, value)] if name == "freeze" => value.types.single().cloned(),
        [] => Some(Type::Nil),
        _ => None,
    };
    let (Some(Type::True | Type::False | Type::Nil), true) = (&asked, call.args.is_empty()) else {
        return s.refuse_here(
            "unsupported-method",
            "`clone` with such arguments cannot run in a section",
            Some("write freeze: true or freeze: false, or nothing".into()),
        );
    };
    let receiver = &call.receiver;
    let is_tuple = matches!(receiver.types.single(), Some(Type::Tuple(_)));
    if is_tuple && asked != Some(Type::False) && s.freezes_arrays() && s.grow_array_literals(receiver) {
        return Operand::bottom();
    }
    let plain = Invocation { keywords: vec![], ..call.with_args(vec![]) };
    let copied = copy(s, &plain);
    let frozen = match (asked, receiver.types.single()) {
        (Some(Type::True), _) => s.b.bool(true),
        (Some(Type::Nil), Some(Type::List(_))) => s.is_frozen_list(receiver.value()),
        (Some(Type::Nil), Some(Type::Array(kind))) => s.is_frozen_array(*kind, receiver.value()),
        _ => return copied,
    };
    if s.b.constant(frozen) == Some(0) || copied.is_bottom() {
        return copied;
    }
    let condition = Condition { value: frozen, yes: vec![], no: vec![] };
    s.branch(29, condition, |s| s.send(&copied, "freeze", &[], 1), |_| copied.clone())
}

/// An array that is made in the section and that nobody changes, or one that is frozen anyway.
fn freeze(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let existing = match call.receiver.types.single() {
        Some(Type::Tuple(_)) => None,
        Some(Type::List(kind)) => {
            s.seal(*kind, call.receiver.value(), Seal::Frozen);
            None
        }
        Some(Type::Array(kind)) if s.freeze_row(*kind, call.receiver.value()) => {
            return call.receiver.clone();
        }
        Some(Type::Array(kind)) => Some(s.is_frozen_array(*kind, call.receiver.value())),
        _ => Some(s.b.bool(false)),
    };
    if let Some(frozen) = existing {
        let message = "an array that exists cannot be frozen in a section";
        return s.unless_frozen(&call.receiver, frozen, message);
    }
    s.note_frozen_array();
    if matches!(call.receiver.types.single(), Some(Type::Tuple(_))) {
        s.note_frozen(&call.receiver);
    }
    call.receiver.clone()
}

/// May a block change the items of the array while they are gone through?
pub(super) fn items_change(s: &mut Lowerer<'_>, array: &Operand) -> bool {
    match array.types.single() {
        Some(Type::List(kind)) => s.list_is_mutated(*kind),
        Some(Type::Array(kind)) => s.is_written_array(*kind),
        _ => false,
    }
}

/// What `rand` decides, or a generator that is given.
pub(super) fn by_chance(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    most: usize,
    bare: &str,
    counted: &str,
) -> Operand {
    let Some(random) = random::generator(s, call) else { return Operand::bottom() };
    let call = &Invocation { keywords: vec![], ..call.with_args(call.args.clone()) };
    if !s.count_arguments(call, 0, most) {
        return Operand::bottom();
    }
    match call.args.first() {
        None => s.send(&call.receiver, bare, &[random], 1),
        Some(count) => s.send(&call.receiver, counted, &[random, count.clone()], 1),
    }
}

pub(super) fn empty(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(length) = length_of(s, &call.receiver) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    Operand::bool(s.b.compare(Comparison::Eq, length, zero))
}

pub(super) fn length(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    match length_of(s, &call.receiver) {
        Some(length) => Operand::integer(length),
        None => Operand::bottom(),
    }
}

pub(super) fn length_of(s: &mut Lowerer<'_>, receiver: &Operand) -> Option<Value> {
    match receiver.types.single()? {
        Type::Array(kind) | Type::Column(kind, _) => Some(s.array_length(*kind, receiver.value())),
        ty if ty.is_hash() && s.may_have_dead_pairs(receiver) => {
            let live = s.within_slot(0x621, |s| s.send(receiver, "#live", &[], 1));
            if live.is_bottom() || live.values.len() != 1 {
                return None;
            }
            let size = s.b.unary(crate::ir::UnaryOp::WrapI64, live.value());
            let size = s.b.unary(crate::ir::UnaryOp::ExtendI32, size);
            Some(s.b.at_least_zero(size))
        }
        ty if ty.is_hash() => {
            let keys = s.hash_part(receiver, HashPart::Keys);
            length_of(s, &keys)
        }
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
    let Some(call) = &s.understood(call, 0..1) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    let size = match call.args.first() {
        None => zero,
        Some(size) => {
            let size = &if call.args.len() == 1 { s.through_to_ary(size) } else { size.clone() };
            if let Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) = size.types.single() {
                return s.send(size, "#copy", &[], 1);
            }
            let Some(size) = to_integer_argument(s, size) else { return Operand::bottom() };
            let ok = s.b.compare(Comparison::Ge, size, zero);
            s.check(ok, ErrorKind::ArgumentError("negative array size".into()), &[]);
            let most = s.b.i64(i64::MAX / 8);
            let ok = s.b.compare(Comparison::Le, size, most);
            s.check(ok, ErrorKind::ArgumentError("array size too big".into()), &[]);
            let most = s.b.i64(i64::from(i32::MAX));
            let ok = s.b.compare(Comparison::Le, size, most);
            let what = "an array of 2**31 items or more cannot be made in a section [unsupported-argument]";
            s.check(ok, ErrorKind::Unsupported(what.into()), &[]);
            size
        }
    };
    let is_plain = |value: &Operand| {
        let plain = |ty: &Type| {
            matches!(ty, Type::Nil | Type::False | Type::True | Type::Integer | Type::Float | Type::Symbol)
        };
        !value.is_bottom() && value.types.iter().all(plain)
    };
    if let ([_, value], None) = (&call.args[..], &call.block)
        && is_plain(value)
        && s.makes_array(0x500)
    {
        return s.send(&Operand::integer(size), "#filled", std::slice::from_ref(value), 1);
    }
    let list = s.new_list(0x500, size);
    let Some(into) = Changing::of(&list) else { return list };
    let value = call.args.get(1).cloned().unwrap_or_else(Operand::nil);
    s.counted(zero, size, 1, &mut |s, i, _, _| {
        let item = match &call.block {
            Some(block) => s.call_block(block, vec![Operand::integer(i)]),
            None => value.clone(),
        };
        if item.is_bottom() {
            s.b.mark_dead();
        }
        s.push_to(into, &item);
    });
    list
}
