//! Arrays made of several: sums and differences of them, `zip`, `product`, `flatten`.

use super::array::{copy, items_change, length_of};
use super::{Invocation, tuple};
use crate::infer::{Changing, Lowerer, Operand, class_of, is_held_range};
use crate::ir::{Comparison, ErrorKind};
use crate::types::{RangeEnd, Shape, Type};

/// Arrays in arrays are as deep as their types, and those that hold themselves have no end.
const DEEPEST: u32 = 24;

impl Lowerer<'_> {
    /// Of an Array, whether there is an item to zip with what MRI only looks at then.
    fn looks_at_zipped(&mut self, call: &Invocation, arg: &Operand) -> Option<crate::infer::Condition> {
        let is_list = |ty: &Type| matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::List(_));
        if !call.receiver.types.iter().all(is_list) || arg.types.iter().all(is_gone_through) {
            return None;
        }
        let length = length_of(self, &call.receiver)?;
        let zero = self.b.i64(0);
        let value = self.b.compare(Comparison::Gt, length, zero);
        Some(crate::infer::Condition { value, yes: vec![], no: vec![] })
    }
}

/// `+`, `-`, `&`, `|` of two arrays.
pub(super) fn operator(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let arg = s.through_to_ary(&arg);
    let receiver = call.receiver.clone();
    s.switch(&arg, 0, &mut |s, arg| match (receiver.types.single(), arg.types.single()) {
        (Some(Type::Tuple(_)), Some(Type::Tuple(_))) if name == "#plus" => {
            let items: Vec<Operand> =
                s.tuple_items(&receiver).into_iter().chain(s.tuple_items(&arg)).collect();
            s.tuple(&items)
        }
        // What a parallel call gave is put together by another one, which gives such an array again.
        (Some(a), Some(b)) if name == "#plus" && (s.is_of_calls(a) || s.is_of_calls(b)) => {
            s.concatenate(&receiver, &arg)
        }
        (_, Some(Type::Array(_) | Type::Tuple(_) | Type::List(_))) => s.send(&receiver, name, &[arg], 1),
        _ => s.fail_conversion("no implicit conversion of ", &arg, " into Array"),
    })
}

/// `union`, `difference` and `intersection` of any number of arrays.
pub(super) fn operators(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    if let Some(others) = all_arguments(s, call) {
        return s.send(&call.receiver, &format!("{name}_all"), &[others], 2);
    }
    if call.args.is_empty() && name == "#or" {
        return s.send(&call.receiver, "uniq", &[], 1);
    }
    let mut result = if call.args.is_empty() { copy(s, call) } else { call.receiver.clone() };
    for (i, other) in call.args.iter().enumerate() {
        let receiver = result.clone();
        result = s.within_slot(i as u32, |s| {
            let other = array_argument(s, other);
            s.send(&receiver, name, &[other], 1)
        });
    }
    result
}

/// `zip` with what the arguments are as arrays.
pub(super) fn zipped(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Invocation> {
    let mut args = Vec::new();
    for (i, arg) in call.args.iter().enumerate() {
        let array = s.within_slot(i as u32, |s| match s.looks_at_zipped(call, arg) {
            Some(some) => s.branch(0x30, some, |s| as_zipped(s, arg), |s| s.tuple(&[])),
            None => as_zipped(s, arg),
        });
        if array.is_bottom() {
            return None;
        }
        args.push(s.within_slot(0x20 + i as u32, |s| as_many(s, &call.receiver, array)));
    }
    Some(call.with_args(args))
}

/// What an array is zipped with: of an Enumerator, or of a range without an end, as many items as it has.
fn as_many(s: &mut Lowerer<'_>, receiver: &Operand, other: Operand) -> Operand {
    let is_open = |ty: &Type| {
        matches!(ty, Type::Enumerator(..) | Type::Range { low: RangeEnd::Integer, high: RangeEnd::None, .. })
    };
    if !other.types.single().is_some_and(is_open) {
        return other;
    }
    let length = match (length_of(s, receiver), receiver.types.single()) {
        (Some(length), _) => Operand::integer(length),
        (None, Some(Type::Range { .. })) => s.send(receiver, "#length", &[], 3),
        _ => return other,
    };
    if length.is_bottom() { length } else { s.send(&other, "first", &[length], 1) }
}

/// What another array is zipped with as it is.
fn is_sequence(ty: &Type) -> bool {
    let is_array = matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::List(_));
    is_array || matches!(ty, Type::Column(..) | Type::Range { .. } | Type::Enumerator(..))
}

/// What `zip` can take items from, so that asking for none of them raises nothing.
fn is_gone_through(ty: &Type) -> bool {
    is_sequence(ty) && !matches!(ty, Type::Range { low, .. } if *low != RangeEnd::Integer)
}

/// What `zip` takes items from.
pub(super) fn as_zipped(s: &mut Lowerer<'_>, arg: &Operand) -> Operand {
    let array = s.through_to_ary(arg);
    s.switch(&array, 0x10, &mut |s, array| match array.types.single() {
        Some(Type::Range { .. }) => {
            // One that begins with no Integer is gone through here, which is an error.
            let first = crate::infer::range_ends(&array).map(|(.., low_end, _)| low_end);
            match first {
                Some(RangeEnd::Integer) => array,
                Some(RangeEnd::Float) => super::range::cannot_iterate(s, "Float"),
                _ => super::range::cannot_iterate(s, "NilClass"),
            }
        }
        Some(ty) if is_sequence(ty) => array,
        Some(ty)
            if ty.is_string()
                || matches!(ty.shape(), Shape::Nil | Shape::Integer | Shape::Float | Shape::Symbol) =>
        {
            let class = s.host.class_name(class_of(ty));
            let message = format!("wrong argument type {class} (must respond to :each)");
            s.fail(ErrorKind::TypeError(message), &[])
        }
        Some(ty) if ty.is_made_hash() || ty.is_text_range() => s.send(&array, "to_a", &[], 1),
        Some(ty) if is_held_range(ty) => s.opened(&array, 0x20, &mut |s, range| as_zipped(s, &range)),
        _ => {
            let what = s.describe(&array.types);
            s.refuse_here(
                "unsupported-argument",
                format!("`zip` with {what} cannot run in a section"),
                Some("zip with arrays and ranges".into()),
            )
        }
    })
}

/// An array, or Ruby's TypeError.
pub(super) fn array_argument(s: &mut Lowerer<'_>, arg: &Operand) -> Operand {
    let arg = s.through_to_ary(arg);
    s.switch(&arg, 23, &mut |s, arg| match arg.types.single() {
        Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => arg,
        _ => s.fail_conversion("no implicit conversion of ", &arg, " into Array"),
    })
}

/// All arguments as one array, where their number is not known.
pub(super) fn all_arguments(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    let others = call.splat.clone()?;
    if call.args.is_empty() {
        return Some(others);
    }
    let first = s.tuple(&call.args);
    Some(s.send(&first, "+", &[others], 0x1a))
}

/// `product` of any number of arrays, or of each choice of items the block.
pub(super) fn product(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if let ([other], None, None) = (&call.args[..], &call.splat, &call.block)
        && let Some(pairs) = tuple::product(s, call, other)
    {
        return pairs;
    }
    if let Some(others) = all_arguments(s, call) {
        let call = &Invocation { splat: None, ..call.with_args(vec![others]) };
        let name = if call.block.is_some() { "#product_all_block" } else { "#product_all" };
        return s.send_with_block(call, name);
    }
    let mut arrays = vec![call.receiver.clone()];
    for (i, other) in call.args.iter().enumerate() {
        let array = s.within_slot(i as u32, |s| array_argument(s, other));
        if array.is_bottom() {
            return array;
        }
        arrays.push(array);
    }
    if let Some(block) = call.block.clone() {
        // MRI goes through copies.
        for (i, array) in arrays.iter_mut().enumerate() {
            if items_change(s, array) {
                *array = s.within_slot(0x20 + i as u32, |s| s.send(array, "#listed", &[], 0));
            }
        }
        if arrays.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        each_choice(s, &arrays, &[], &mut |s, choice| {
            s.unused = true;
            s.call_block(&block, vec![choice]);
        });
        return call.receiver.clone();
    }
    let room = s.b.i64(4);
    let out = s.new_list(0, room);
    let Some(into) = Changing::of(&out) else { return out };
    each_choice(s, &arrays, &[], &mut |s, choice| s.push_to(into, &choice));
    out
}

/// Runs `body` with an item of each array, the items of the last one changing first.
fn each_choice(
    s: &mut Lowerer<'_>,
    arrays: &[Operand],
    chosen: &[Operand],
    body: &mut dyn FnMut(&mut Lowerer<'_>, Operand),
) {
    let Some((first, rest)) = arrays.split_first() else {
        let choice = s.tuple(chosen);
        return body(s, choice);
    };
    s.within_slot(0x40 + rest.len() as u32, |s| {
        s.each_item(first, &mut |s, item, _, _| {
            let chosen: Vec<Operand> = chosen.iter().cloned().chain([item]).collect();
            each_choice(s, rest, &chosen, body);
        });
    });
}

/// How deep `flatten` goes; `None` for one that is refused.
pub(super) fn flattening(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Option<u32>> {
    if !s.count_arguments(call, 0, 1) {
        return None;
    }
    let Some(depth) = call.args.first().filter(|depth| depth.types.single() != Some(&Type::Nil)) else {
        return Some(None);
    };
    let Some(depth) = s.literal(depth) else {
        s.refuse_here(
            "unsupported-method",
            format!("`{}` takes a depth that is written out in a section", call.name),
            Some("write the number, as in flatten(1)".into()),
        );
        return None;
    };
    Some(u32::try_from(depth).ok())
}

/// A new array with the items of the arrays in it, so many levels of them.
pub(super) fn flatten(s: &mut Lowerer<'_>, array: &Operand, depth: Option<u32>) -> Operand {
    let Some(room) = length_of(s, array) else { return Operand::bottom() };
    let out = s.new_list(0, room);
    let Some(into) = Changing::of(&out) else { return out };
    s.each_item(array, &mut |s, item, _, _| flatten_into(s, into, &item, depth, 0));
    out
}

fn flatten_into(s: &mut Lowerer<'_>, into: Changing, value: &Operand, depth: Option<u32>, level: u32) {
    let value = s.through_to_ary(value);
    s.switch(&value, 30, &mut |s, value| {
        match value.types.single() {
            Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) if depth.is_none_or(|d| level < d) => {
                if level == DEEPEST {
                    return s.refuse_here(
                        "unsupported-method",
                        "`flatten` of arrays that can hold themselves cannot run in a section",
                        Some("give it a depth, as in flatten(1)".into()),
                    );
                }
                s.within_slot(level, |s| {
                    s.each_item(&value, &mut |s, item, _, _| {
                        flatten_into(s, into, &item, depth, level + 1);
                    });
                });
            }
            _ => s.push_to(into, &value),
        }
        Operand::nil()
    });
}
