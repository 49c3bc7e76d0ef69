//! Hash: one that was there before the section, whose keys and values are columns, and one made in it.

use super::{Invocation, Row, array, bare, carrying, row};
use crate::infer::{Lowerer, Operand};
use crate::ir::{BinaryOp, ErrorKind, MessagePart};
use crate::types::{ClassId, HashDefault, HashPart, HashSort, Shape, Type, TypeSet};

pub(super) const ROWS: &[Row] = &[
    bare("size", array::length),
    bare("length", array::length),
    bare("empty?", array::empty),
    row("each", each),
    row("each_pair", each),
    carrying("any?", |s, c| match (&c.block, c.args.first()) {
        (_, Some(pattern)) => s.send(&c.receiver, "#any_pattern", std::slice::from_ref(pattern), 1),
        (Some(_), None) => s.send_with_block(c, "#any_block"),
        (None, None) => {
            let empty = array::empty(s, c);
            Operand::bool(s.b.unary(crate::ir::UnaryOp::Not, empty.value()))
        }
    }),
    carrying("dig", |s, c| {
        let Some((first, rest)) = c.args.split_first() else { return super::wrong_count(s, 0, "1+") };
        let item = s.send(&c.receiver, "[]", std::slice::from_ref(first), 1);
        if rest.is_empty() || item.is_bottom() {
            return item;
        }
        s.unless_nil(&item, |s, item| s.send(&item, "dig", rest, 2))
    }),
    carrying("fetch", |s, c| match (&c.block, c.args.len()) {
        _ if !s.count_arguments(c, 1, 2) => Operand::bottom(),
        (Some(block), _) => s.send_block(&c.receiver, "#fetch_block", &c.args[..1], Some(block.clone())),
        (None, 1) => s.send(&c.receiver, "#fetch", &c.args, 1),
        _ => s.send(&c.receiver, "#fetch_default", &c.args, 1),
    }),
    carrying("fetch_values", |s, c| {
        s.send_with_block(c, if c.block.is_some() { "#fetch_values_block" } else { "#fetch_values" })
    }),
    bare("to_a", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    bare("to_hash", |_, c| c.receiver.clone()),
    bare("compare_by_identity?", |s, c| {
        let by_identity = sort(c).is_some_and(|sort| sort.by_identity);
        Operand::bool(s.b.bool(by_identity))
    }),
    row("default", |s, c| {
        if !c.args.is_empty() && sort(c).is_none_or(|sort| sort.default == HashDefault::Proc) {
            return s.send(&c.receiver, "#missing", &c.args, 1);
        }
        match sort(c).map(|sort| sort.default) {
            Some(HashDefault::Value) => default_value(s, &c.receiver),
            _ => Operand::nil(),
        }
    }),
];

/// What a Hash has from Enumerable.
pub(super) const ENUMERABLE: &[Row] = &[
    row("map", |s, c| s.send_with_block(c, "#map")),
    row("collect", |s, c| s.send_with_block(c, "#map")),
    row("each_with_index", |s, c| s.send_with_block(c, "#each_with_index")),
    bare("entries", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    row("first", of_pairs),
    row("take", of_pairs),
    row("drop", of_pairs),
    row("min", of_pairs),
    row("max", of_pairs),
    row("sort", of_pairs),
    row("reverse_each", |s, c| {
        let pairs = of_pairs(s, c);
        if c.block.is_some() && !pairs.is_bottom() { c.receiver.clone() } else { pairs }
    }),
    carrying("zip", of_pairs),
];

pub(super) const PRIMITIVES: &[Row] = &[
    bare("#keys", |s, c| s.hash_part(&c.receiver, HashPart::Keys)),
    bare("#values", |s, c| s.hash_part(&c.receiver, HashPart::Values)),
    bare("#empty?", array::empty),
    bare("size", array::length),
    // Can the keys be looked up by their hash?
    row("#lookup?", |s, c| {
        Operand::bool({
            let found = can_look_up(s, &c.receiver, &c.args[0].types);
            s.b.bool(found)
        })
    }),
    row("#slot", |s, c| {
        // As `hashing::slot` has it.
        let twice = s.b.binary(BinaryOp::Add, c.args[0].value(), c.args[0].value());
        let slot = s.b.binary(BinaryOp::MulHighU, twice, c.args[1].value());
        s.b.set_below(slot, c.args[1].value());
        Operand::integer(slot)
    }),
    row("#place", |s, c| {
        let keys = s.hash_part(&c.receiver, HashPart::Keys);
        match s.key_slot(&keys, c.args[0].value()) {
            Some(place) => Operand::integer(place),
            None => Operand::bottom(),
        }
    }),
    row("#part", |s, c| {
        let pairs = s.send(&c.receiver, "#copy", &[], 1);
        s.send(&pairs, "#part", &c.args, 2)
    }),
    // Is the first the key that the second is?
    carrying("#same_key", |s, c| {
        let by_identity = sort(c).is_some_and(|sort| sort.by_identity);
        s.send(&c.args[0], if by_identity { "equal?" } else { "#alike" }, &c.args[1..], 1)
    }),
    carrying("#missing", missing),
    carrying("#no_key", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, key| {
            s.each_of_bool(&key, &mut |s, key| {
                let plain = key
                    .types
                    .iter()
                    .all(|ty| !matches!(ty.shape(), Shape::Local | Shape::List | Shape::Made | Shape::Proc));
                if !plain {
                    let message = "fetch of an array or object that is made in the section found no such key";
                    return s.fail(ErrorKind::Unsupported(message.into()), &[]);
                }
                let (what, operands) = s.receiver(key);
                let message =
                    vec![MessagePart::Text("key not found: ".into()), MessagePart::Inspect(what, 0)];
                s.fail(ErrorKind::Raise { class: ClassId::KEY_ERROR, message: Some(message) }, &operands)
            })
        })
    }),
];

fn sort(call: &Invocation) -> Option<HashSort> {
    match call.receiver.types.single() {
        Some(Type::Hash(_, sort)) => Some(*sort),
        _ => None,
    }
}

fn each(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(block) = s.block_of(call) else { return Operand::bottom() };
    s.each_item(&call.receiver, &mut |s, pair, _, _| {
        s.unused = true;
        s.call_block(&block, vec![pair]);
    });
    call.receiver.clone()
}

/// What an array of the pairs does.
fn of_pairs(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let pairs = s.send(&call.receiver, "#copy", &[], 1);
    if pairs.is_bottom() {
        return pairs;
    }
    s.within_slot(1, |s| s.send_block(&pairs, &call.name, &call.args, call.block.clone()))
}

/// Refuses keys that can only be compared by code or contents that a section does not have. False: no such key is there.
fn can_look_up(s: &mut Lowerer<'_>, hash: &Operand, key: &TypeSet) -> bool {
    let keys = s.hash_part(hash, HashPart::Keys);
    let Some(held) = keys.types.single().map(|ty| s.types_of_items(ty)) else { return false };
    let class = crate::infer::class_of;
    let comparable: TypeSet =
        key.iter().filter(|ty| held.iter().any(|other| class(other) == class(ty))).cloned().collect();
    let by_identity = matches!(hash.types.single(), Some(Type::Hash(_, HashSort { by_identity: true, .. })));
    let known = |s: &mut Lowerer<'_>, ty: &Type| match by_identity {
        true => matches!(ty, Type::Nil | Type::True | Type::False | Type::Symbol | Type::Object(..)),
        false => s.has_hash(&ty.clone().into(), &mut Vec::new()),
    };
    let unknown = |s: &mut Lowerer<'_>, all: &TypeSet| all.iter().find(|ty| !known(s, ty)).cloned();
    let those = held.filter(|ty| comparable.iter().any(|other| class(other) == class(ty)));
    if let Some(ty) = unknown(s, &comparable).or_else(|| unknown(s, &those)) {
        let what = s.describe(&ty.clone().into());
        let (message, hint) = match &ty {
            _ if by_identity => (
                format!(
                    "{what} as the key of a Hash that compares by identity cannot be looked up in a section"
                ),
                "look up objects or Symbols, or use a Hash that does not compare by identity",
            ),
            Type::Object(_, ClassId::STRING) => (
                "a Hash cannot be looked up by Strings in a section".into(),
                "use Symbols as keys: hash.transform_keys(&:to_sym) before the section",
            ),
            ty if ty.is_instance() => (
                format!(
                    "a Hash cannot be looked up by {what}, whose class has an `eql?` or `hash` of its own"
                ),
                "make it a Struct, or use an Integer, a Symbol or an array of such as the key",
            ),
            _ => (
                format!("a Hash cannot be looked up by {what} in a section"),
                "use an Integer, a Symbol, a Struct or an array of such as the key",
            ),
        };
        s.refuse_here("unsupported-key", message, Some(hint.into()));
    }
    !comparable.is_empty()
}

fn default_value(s: &mut Lowerer<'_>, hash: &Operand) -> Operand {
    let default = s.hash_part(hash, HashPart::Default);
    let zero = s.b.i64(0);
    s.item_at(&default, zero)
}

/// What the Hash gives for a key that it has not.
fn missing(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    match sort(call).map(|sort| sort.default) {
        Some(HashDefault::Value) => default_value(s, &call.receiver),
        Some(HashDefault::Proc) => s.fail(
            ErrorKind::Unsupported(
                "a key that is not there, in a Hash with a default block, cannot be looked up in a section: \
                 ask with key? or fetch"
                    .into(),
            ),
            &[],
        ),
        _ => Operand::nil(),
    }
}
