//! `Ikra::Column`: what it has of its own. The type of a Column is `Type::Column`, of a kind and a type of items. Kinds
//! are those of arrays (`array_kinds.rs`), so all about offsets, lengths, values, marks and frozen flags is the same;
//! but at one place the arrays and the Columns of each type are of kinds of their own. As it is a type of its own,
//! inference does not take it for an Array where Ruby does not. Its methods here and in `core/column.rb` stand on those
//! of sequences. Those that would make a Column are refused.
//!
//! In a section of several calls `peach` goes through a Column as through an array; `pmap` and `pselect`, whose values
//! would be Columns that the driver makes, are refused, but of its Enumerators (`each_with_index`), which give Arrays.
//!
//! Memory that is shared is in the buffer once: Columns with the same memory are of one kind, wherever they are met
//! (`Tracer::column_object`), and the offset of a view is where it begins in it. So two views that overlap are the same
//! rows, conflicts between them are seen, and their items are always watched one by one.
//!
//! Stores convert as Ruby's `[]=` does: `round_to_single` rounds to a `float32` at once, so that the section reads what
//! Ruby would; an Integer that does not fit an `int32` raises.

use super::integer::to_integer_argument;
use super::{Invocation, Row, array, array_parts, bare, carrying, row, several_arrays};
use crate::infer::{Lowerer, Operand, is_big_integer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, Receiver, UnaryOp};
use crate::types::{ClassId, ItemType, Type};

pub(super) const ROWS: &[Row] = &[
    row("[]", at),
    row("at", at),
    row("slice", at),
    row("[]=", store),
    carrying("fetch", array_parts::fetch),
    bare("size", array::length),
    bare("length", array::length),
    bare("empty?", array::empty),
    bare("#empty?", array::empty),
    bare("type", |s, c| {
        let name = item_type(c).map_or("", ItemType::name);
        s.symbol(name)
    }),
    row("first", |s, c| end(s, c, 0)),
    row("last", |s, c| end(s, c, -1)),
    bare("to_a", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    bare("entries", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    carrying("count", |s, c| match (&c.block, c.args.first()) {
        (_, Some(value)) => s.send(&c.receiver, "#count_value", std::slice::from_ref(value), 1),
        (Some(block), None) => s.send_block(&c.receiver, "#count_block", &[], Some(block.clone())),
        (None, None) => array::length(s, c),
    }),
    row("each_with_index", |s, c| s.send_with_block(c, "#each_with_index")),
    carrying("zip", |s, c| {
        let Some(c) = &several_arrays::zipped(s, c) else { return Operand::bottom() };
        let name = if c.block.is_some() { "#zip_block" } else { "#zip" };
        s.send_with_block(c, name)
    }),
    row("drop", of_items),
    row("reverse", of_items),
    row("sort", of_items),
    row("take", of_items),
    carrying("rindex", of_items),
    carrying("==", |s, c| {
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        let receiver = c.receiver.clone();
        s.switch(&other, 0, &mut |s, other| match other.types.single() {
            Some(Type::Column(..)) => s.send(&receiver, "#equal", &[other], 1),
            _ => Operand::bool(s.b.bool(false)),
        })
    }),
    // As rb_equal: what is the same is equal, whatever it holds.
    carrying("===", |s, c| {
        let same = s.send(&c.receiver, "#same", &c.args, 1);
        if same.is_bottom() {
            return same;
        }
        let equal = s.send(&c.receiver, "==", &c.args, 2);
        if equal.is_bottom() {
            return equal;
        }
        Operand::bool(s.b.binary(BinaryOp::OrB, same.value(), equal.value()))
    }),
    row("frozen?", |s, _| {
        s.refuse_here(
            "unsupported-method",
            "`Ikra::Column#frozen?` cannot run in a section",
            Some("ask before the section".into()),
        )
    }),
];

fn item_type(call: &Invocation) -> Option<ItemType> {
    match call.receiver.types.single() {
        Some(Type::Column(_, ty)) => Some(*ty),
        _ => None,
    }
}

/// What an array of the items does.
fn of_items(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let items = s.send(&call.receiver, "#copy", &[], 1);
    if items.is_bottom() {
        return items;
    }
    s.within_slot(1, |s| s.send_block(&items, &call.name, &call.args, call.block.clone()))
}

fn at(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let is_part = |arg: &Operand| arg.types.iter().any(|ty| matches!(ty, Type::Range { .. }));
    if call.args.len() == 2 || call.args.first().is_some_and(is_part) {
        return s.refuse_here(
            "unsupported-method",
            "a part of a column cannot be taken in a section",
            Some("take it before the section, or take its items by their indices".into()),
        );
    }
    let Some(index) = s.one_argument(call) else { return Operand::bottom() };
    let Some(index) = to_integer_argument(s, &index) else { return Operand::bottom() };
    array_parts::item(s, &call.receiver, index)
}

fn end(s: &mut Lowerer<'_>, call: &Invocation, index: i64) -> Operand {
    if !call.args.is_empty() {
        return of_items(s, call);
    }
    let index = s.b.i64(index);
    array_parts::item(s, &call.receiver, index)
}

/// `column[index] = value`
fn store(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let is_part = |arg: &Operand| arg.types.iter().any(|ty| matches!(ty, Type::Range { .. }));
    if call.args.len() == 3 || call.args.first().is_some_and(is_part) {
        return s.refuse_here(
            "unsupported-store",
            "one item at a time is written in a section",
            Some("write to the indices in a loop".into()),
        );
    }
    if !s.count_arguments(call, 2, 2) {
        return Operand::bottom();
    }
    let Some(Type::Column(kind, ty)) = call.receiver.types.single() else { return Operand::bottom() };
    let (kind, ty, id) = (*kind, *ty, call.receiver.value());
    s.check_unfrozen_array(kind, id);
    let Some(given) = to_integer_argument(s, &call.args[0]) else { return Operand::bottom() };
    let length = s.array_length(kind, id);
    let index = if s.b.interval(given).low >= 0 {
        given
    } else {
        let zero = s.b.i64(0);
        let negative = s.b.compare(Comparison::Lt, given, zero);
        let from_end = s.b.binary(BinaryOp::Add, given, length);
        s.b.select(negative, from_end, given)
    };
    if !s.b.is_below(index, length) {
        let inside = s.b.compare(Comparison::LtU, index, length);
        let text = |text: &str| MessagePart::Text(text.into());
        let number = |operand| MessagePart::Inspect(Receiver::Integer, operand);
        let message = vec![
            text("index "),
            number(0),
            text(" outside of column bounds: -"),
            number(1),
            text("..."),
            number(1),
        ];
        let error = ErrorKind::Raise { class: ClassId::INDEX_ERROR, message: Some(message) };
        s.check(inside, error, &[given, length]);
        s.b.set_below(index, length);
    }
    let value = call.args[1].clone();
    let stored = item(s, &value, ty);
    s.array_item_store(kind, id, index, &stored);
    value
}

/// What a column of the type stores for a value.
fn item(s: &mut Lowerer<'_>, value: &Operand, ty: ItemType) -> Operand {
    s.switch(value, 33, &mut |s, value| match (ty, value.types.single()) {
        (ItemType::Float64 | ItemType::Float32, Some(Type::Float | Type::Integer)) => {
            let number = match value.types.single() {
                Some(Type::Integer) => s.b.unary(UnaryOp::I64ToF64, value.value()),
                _ => value.value(),
            };
            let single = ty == ItemType::Float32;
            Operand::float(if single { s.b.unary(UnaryOp::RoundToSingle, number) } else { number })
        }
        (ItemType::Float64 | ItemType::Float32, Some(kind)) if is_big_integer(kind) => {
            let number = s.send(&value, "to_f", &[], 4);
            if number.is_bottom() { number } else { item(s, &number, ty) }
        }
        (ItemType::Int64, Some(Type::Integer)) => value,
        (ItemType::Int32, Some(Type::Integer)) => {
            let number = value.value();
            let (low, high) = (s.b.i64(i32::MIN.into()), s.b.i64(i32::MAX.into()));
            let (above, below) =
                (s.b.compare(Comparison::Ge, number, low), s.b.compare(Comparison::Le, number, high));
            let fits = s.b.binary(BinaryOp::AndB, above, below);
            let message = vec![
                MessagePart::Inspect(Receiver::Integer, 0),
                MessagePart::Text(" does not fit int32".into()),
            ];
            s.check(
                fits,
                ErrorKind::Raise { class: ClassId::RANGE_ERROR, message: Some(message) },
                &[number],
            );
            value
        }
        (ItemType::Bool, Some(Type::True | Type::False)) => value,
        (_, None)
            if ty == ItemType::Bool
                && value.types.iter().all(|ty| matches!(ty, Type::True | Type::False)) =>
        {
            value
        }
        (ItemType::Int64 | ItemType::Int32, Some(kind)) if is_big_integer(kind) => {
            let name = s.symbol(ty.name());
            s.send(&value, "#no_fit", &[name], 3)
        }
        _ => s.fail_conversion("no implicit conversion of ", &value, &format!(" into {}", ty.name())),
    })
}
