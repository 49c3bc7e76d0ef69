//! Hash: one that was there before the section, whose keys and values are columns, and one made in it.

use super::hash_defaults::{default_block, default_value};
use super::made_hash::{made_part, make, new, of_arguments, put_pairs};
use super::{
    Invocation, Row, array, bare, carrying, naming, numeric, recursion, row, several_arrays, spreading,
};
use crate::infer::{Lowerer, MadeProc, Operand, RECEIVER, SUBJECT};
use crate::ir::{BinaryOp, ErrorKind, MessagePart, Receiver};
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
        super::array_parts::dig_on(s, &item, rest)
    }),
    carrying("fetch", |s, c| match (&c.block, c.args.len()) {
        _ if !s.count_arguments(c, 1, 2) => Operand::bottom(),
        (Some(block), _) => s.send_block(&c.receiver, "#fetch_block", &c.args[..1], Some(block.clone())),
        (None, 1) => s.send(&c.receiver, "#fetch", &c.args, 1),
        _ => s.send(&c.receiver, "#fetch_default", &c.args, 1),
    }),
    spreading("fetch_values", |s, c| {
        s.send_with_block(c, if c.block.is_some() { "#fetch_values_block" } else { "#fetch_values" })
    }),
    carrying("==", |s, c| compared(s, c, &recursion::EQUAL)),
    carrying("eql?", |s, c| compared(s, c, &recursion::EQL)),
    spreading("merge", |s, c| {
        s.send_with_block(c, if c.block.is_some() { "#merge_block" } else { "#merge" })
    }),
    carrying("transform_keys", |s, c| {
        by_keys(s, c, ["#transform_keys", "#rename_keys", "#rename_keys_block"])
    }),
    carrying("flatten", flatten),
    bare("to_proc", |s, c| {
        let method = s.make_of(MadeProc::Method("[]".into()), vec![c.receiver.clone()]);
        if method.is_bottom() { method } else { s.proc_of_method(&method) }
    }),
    row("to_h", |s, c| match (&c.block, sort(c)) {
        (Some(_), _) => s.send_with_block(c, "#to_h_block"),
        _ => c.receiver.clone(),
    }),
    bare("to_a", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    bare("to_hash", |_, c| c.receiver.clone()),
    bare("compare_by_identity?", |s, c| {
        let by_identity = sort(c).is_some_and(|sort| sort.by_identity);
        Operand::bool(s.b.bool(by_identity))
    }),
];

/// What changes one.
pub(super) const MADE_ROWS: &[Row] = &[
    carrying("delete", |s, c| {
        s.send_with_block(c, if c.block.is_some() { "#delete_block" } else { "#delete" })
    }),
    spreading("merge!", merge_into),
    spreading("update", merge_into),
    carrying("transform_keys!", |s, c| {
        by_keys(s, c, ["#transform_keys!", "#rename_keys!", "#rename_keys_block!"])
    }),
    carrying("replace", replace),
];

/// By a block, by a Hash, or by both.
fn by_keys(s: &mut Lowerer<'_>, call: &Invocation, names: [&str; 3]) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let name = match (&call.block, call.args.is_empty()) {
        (_, true) => names[0],
        (None, false) => names[1],
        (Some(_), false) => names[2],
    };
    s.send_with_block(call, name)
}

/// The keys and values one after the other, and what arrays among them hold, to a depth that is written out.
fn flatten(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let depth = match call.args.is_empty() {
        true => Some(1),
        false => match several_arrays::flattening(s, call) {
            Some(depth) => depth,
            None => return Operand::bottom(),
        },
    };
    let pairs = s.send(&call.receiver, "to_a", &[], 1);
    if depth == Some(0) || pairs.is_bottom() {
        return pairs;
    }
    s.within_slot(2, |s| several_arrays::flatten(s, &pairs, depth))
}

/// Ruby gives a Hash the default of the other one, too.
fn replace(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(other) = s.one_argument(call) else { return Operand::bottom() };
    let mut is_plain = true;
    for hash in [&call.receiver, &other] {
        if !hash.types.iter().all(Type::is_hash) {
            continue;
        }
        s.switch(hash, 2, &mut |s, hash| {
            is_plain &= match hash.types.single() {
                Some(Type::Hash(_, sort)) => sort.default == HashDefault::Nil && !sort.by_identity,
                _ => s.tuple_items(&hash)[3].types.iter().all(|ty| *ty == Type::Nil),
            } && !s.may_have_given_default(&hash);
            Operand::nil()
        });
    }
    if !is_plain {
        return s.refuse_here(
            "unsupported-hash",
            "`replace` of a Hash with a default, or by one, cannot run in a section",
            Some("write clear, and then merge!".into()),
        );
    }
    s.send(&call.receiver, "#replace", &[other], 1)
}

fn merge_into(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    s.send_with_block(call, if call.block.is_some() { "#merge_block!" } else { "#merge!" })
}

/// With another Hash, by a method of `core/`; nothing else is equal to one.
fn compared(s: &mut Lowerer<'_>, call: &Invocation, how: &recursion::Comparing) -> Operand {
    let Some(other) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&other, 0, &mut |s, other| match other.types.single() {
        Some(ty) if ty.is_hash() => {
            let same = s.send(&call.receiver, "#same", std::slice::from_ref(&other), 3);
            if same.is_bottom() {
                return same;
            }
            let value = s.truth(&same);
            let condition = crate::infer::Condition { value, yes: vec![], no: vec![] };
            let all = |s: &mut Lowerer<'_>| recursion::compare(s, &call.receiver, &other, how);
            s.branch(34, condition, |s| Operand::bool(s.b.bool(true)), all)
        }
        _ => Operand::bool(s.b.bool(false)),
    })
}

/// What the `deconstruct_keys` of a Hash gives.
pub(super) const ITSELF: &[Row] = &[carrying("deconstruct_keys", |_, c| c.receiver.clone())];

pub(super) const COPIES: &[Row] =
    &[bare("dup", |s, c| s.send(&c.receiver, "#copy_hash", &[], 1)), naming("clone", clone)];

/// A copy that is frozen if the Hash is, or as it is asked for.
fn clone(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let asked = match &call.keywords[..] {
        [(name, value)] if name == "freeze" => value.types.single().cloned(),
        [] => Some(Type::Nil),
        _ => None,
    };
    let (Some(asked @ (Type::True | Type::False | Type::Nil)), true) = (asked, call.args.is_empty()) else {
        return s.refuse_here(
            "unsupported-method",
            "`clone` with such arguments cannot run in a section",
            Some("write freeze: true or freeze: false, or nothing".into()),
        );
    };
    let copy = s.send(&call.receiver, "#copy_hash", &[], 1);
    if copy.is_bottom() {
        return copy;
    }
    let frozen = match asked {
        Type::True => s.b.bool(true),
        Type::Nil => s.is_frozen_hash(&call.receiver),
        _ => s.b.bool(false),
    };
    if s.b.constant(frozen) == Some(0) {
        return copy;
    }
    let condition = crate::infer::Condition { value: frozen, yes: vec![], no: vec![] };
    let freeze = |s: &mut Lowerer<'_>| {
        s.freeze_hash(&copy);
        Operand::nil()
    };
    s.branch(35, condition, freeze, |_| Operand::nil());
    copy
}

pub(super) const MODULE_ROWS: &[Row] = &[carrying("[]", of_arguments), naming("new", new)];

/// What a Hash has from Enumerable.
pub(super) const ENUMERABLE: &[Row] = &[
    row("map", map),
    row("collect", map),
    row("each_with_index", |s, c| s.send_with_block(c, "#each_with_index")),
    bare("entries", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    row("first", |s, c| match c.args.len() {
        0 => s.send(&c.receiver, "#first_pair", &[], 1),
        1 => of_pairs(s, &Invocation { name: "take".into(), ..c.with_args(c.args.clone()) }),
        _ => of_pairs(s, c),
    }),
    row("take", of_pairs),
    row("drop", of_pairs),
    row("min", of_pairs),
    row("max", of_pairs),
    row("sort", of_pairs),
    row("reverse_each", |s, c| {
        let pairs = of_pairs(s, c);
        if c.block.is_some() && !pairs.is_bottom() { c.receiver.clone() } else { pairs }
    }),
    carrying("zip", |s, c| {
        // Enumerable's looks at what it is given before it goes through pairs.
        let mut args = Vec::new();
        for (i, arg) in c.args.iter().enumerate() {
            args.push(s.within_slot(0x40 + i as u32, |s| super::several_arrays::as_zipped(s, arg)));
        }
        if args.iter().any(Operand::is_bottom) { Operand::bottom() } else { of_pairs(s, &c.with_args(args)) }
    }),
];

pub(super) const PRIMITIVES: &[Row] = &[
    bare("#keys", |s, c| s.dense_part(&c.receiver, HashPart::Keys)),
    bare("#values", |s, c| s.dense_part(&c.receiver, HashPart::Values)),
    // With dead pairs.
    bare("#raw_keys", |s, c| s.hash_part(&c.receiver, HashPart::Keys)),
    bare("#raw_values", |s, c| s.hash_part(&c.receiver, HashPart::Values)),
    // Can there be dead pairs?
    bare("#deletes?", |s, c| {
        let deletes = s.may_have_dead_pairs(&c.receiver);
        Operand::bool(s.b.bool(deletes))
    }),
    // May blocks delete pairs while these are gone through?
    bare("#deletes_within?", |s, _| {
        let deletes = s.deletes_within_loops();
        Operand::bool(s.b.bool(deletes))
    }),
    // Are pairs gone through here, maybe of this one?
    bare("#within_loops?", |s, _| {
        let within = s.hash_loops > 0;
        Operand::bool(s.b.bool(within))
    }),
    // Is a pair to be dead that is deleted?
    bare("#lazy?", |s, c| {
        let lazy = s.note_dead_pairs(&c.receiver);
        Operand::bool(s.b.bool(lazy))
    }),
    bare("#empty?", array::empty),
    bare("size", array::length),
    // A key that the section changes later would not be found any more: arrays are sealed, the rest is refused, as it
    // runs where by type it could be something else. Gives the key, of the types that it can have then.
    carrying("#check_key", |s, c| {
        let key = &c.args[0];
        let sealable = key.types.iter().filter(|ty| s.can_seal(ty, 0)).count();
        if sealable == 0 || sealable == key.types.len() {
            return sealed_key(s, key);
        }
        s.switch(key, 1, &mut |s, key| {
            if !key.types.iter().all(|ty| s.can_seal(ty, 0)) {
                let (message, hint) = refused_key(&key);
                let told = format!("{message} [unsupported-key]\n  hint: {hint}");
                return s.fail(ErrorKind::Unsupported(told), &[]);
            }
            sealed_key(s, &key)
        })
    }),
    // An array, or the TypeError of what is no pair; behind it the index where that is told.
    carrying("#pair", |s, c| {
        let value = s.through_to_ary(&c.args[0]);
        s.switch(&value, 23, &mut |s, value| {
            if let Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) = value.types.single() {
                return value;
            }
            s.each_of_bool(&value, &mut |s, value| {
                // Of an array's items MRI tells the class, elsewhere nil, true and false as they are.
                let told = value.types.iter().next().map(|ty| match c.args.get(1) {
                    Some(_) => s.host.class_name(crate::infer::class_of(ty)),
                    None => s.coercion_name(ty),
                });
                let told = told.unwrap_or_default();
                let mut message = vec![MessagePart::Text(format!("wrong element type {told}"))];
                let mut operands = vec![];
                if let Some(index) = c.args.get(1) {
                    message.push(MessagePart::Text(" at ".into()));
                    message.push(MessagePart::Inspect(Receiver::Integer, 0));
                    operands.push(index.value());
                }
                message.push(MessagePart::Text(" (expected array)".into()));
                s.fail(ErrorKind::Raise { class: ClassId::TYPE_ERROR, message: Some(message) }, &operands)
            })
        })
    }),
    carrying("#with_pairs", |s, c| {
        put_pairs(s, &c.receiver, &c.args);
        c.receiver.clone()
    }),
    // `**`, of which nil has nothing in some versions.
    carrying("#with_all", |s, c| {
        let is_nothing = s.host.dialect().nil_adds_nothing;
        let (receiver, others) = (c.receiver.clone(), s.through_to_hash(&c.args[0], is_nothing));
        s.switch(&others, 0, &mut |s, others| {
            if others.types.single() != Some(&Type::Nil) {
                s.send(&receiver, "#put_all", &[others], 1);
            }
            receiver.clone()
        })
    }),
    carrying("#hash_argument", |s, c| s.through_to_hash(&c.args[0], false)),
    bare("#slots", |s, c| s.hash_part(&c.receiver, HashPart::Slots)),
    bare("#change", |s, c| match s.change_hash(&c.receiver) {
        true => {
            s.check_unsealed_hash(&c.receiver);
            Operand::nil()
        }
        false => {
            s.b.mark_dead();
            Operand::bottom()
        }
    }),
    // A new one, for what is made of this one.
    bare("#fresh", |s, c| {
        if sort(c).is_some_and(|sort| sort.by_identity) {
            return s.refuse_here(
                "unsupported-key",
                "a Hash that compares by identity gives no other in a section",
                Some("go through its pairs with each, map or filter_map".into()),
            );
        }
        make(s, &Operand::nil())
    }),
    // With the same default.
    bare("#fresh_alike", |s, c| match sort(c) {
        Some(HashSort { by_identity: false, default: HashDefault::Nil }) => make(s, &Operand::nil()),
        Some(HashSort { by_identity: false, default: HashDefault::Value }) => {
            let default = default_value(s, &c.receiver);
            make(s, &default)
        }
        Some(HashSort { by_identity: false, default: HashDefault::Block(_) | HashDefault::Made(_) }) => {
            let block = default_block(s, c);
            make(s, &block)
        }
        Some(_) => s.refuse_here(
            "unsupported-key",
            "a copy of a Hash that compares by identity cannot be made in a section",
            Some("make it before the section".into()),
        ),
        None => {
            let default = made_part(s, c, 3);
            make(s, &default)
        }
    }),
    numeric("#find", |s, c| {
        let how = match c.receiver.types.single() {
            Some(Type::Hash(kind, _)) if !s.hash_changes(*kind) => "#find_outside",
            Some(Type::Hash(..)) => "#find_changing_dense",
            _ => "#find_dense",
        };
        find(s, c, how)
    }),
    // The same, where dead pairs may stay.
    numeric("#find_raw", |s, c| {
        let how = match c.receiver.types.single() {
            Some(Type::Hash(kind, _)) if !s.hash_changes(*kind) => "#find_outside",
            Some(Type::Hash(..)) => "#find_changing",
            _ => "#find_made",
        };
        find(s, c, how)
    }),
    // The hash of a key, as the index of the host has it, which asks no `hash` of the user's.
    numeric("#hash_of", |s, c| {
        let by_identity = sort(c).is_some_and(|sort| sort.by_identity);
        s.switch(&c.args[0], 0, &mut |s, key| match key.types.single() {
            Some(ty @ Type::Object(..)) if by_identity && s.is_alike_by_methods(ty) => {
                super::equality::hash_of_identity(s, &key)
            }
            _ => s.send(&key, "#hash", &[], 1),
        })
    }),
    // Are keys told apart by a `hash` of the user's? The index that the host makes knows none.
    numeric("#asks_keys?", |s, c| {
        if sort(c).is_some_and(|sort| sort.by_identity) {
            return Operand::bool(s.b.bool(false));
        }
        let keys = s.hash_part(&c.receiver, HashPart::Keys);
        let held = keys.types.single().map_or_else(TypeSet::empty, |ty| s.types_of_items(ty));
        let asks = [&held, &c.args[0].types].iter().any(|types| s.asks_for_hash(types, &mut Vec::new()));
        Operand::bool(s.b.bool(asks))
    }),
    bare("#refuse_keys", |s, _| {
        let message = "a Hash of more than 256 keys, whose class has an `eql?` and `hash` of its own, cannot be looked up \
                       in a section that does not change it [unsupported-key]";
        let hint = "make the class a Struct or Data, or look it up by an array of what tells them apart";
        s.fail(ErrorKind::Unsupported(format!("{message}\n  hint: {hint}")), &[])
    }),
    // Can the keys be looked up by their hash?
    numeric("#lookup?", |s, c| {
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
    // Is the first the key that the second is?
    carrying("#same_key", |s, c| {
        let by_identity = sort(c).is_some_and(|sort| sort.by_identity);
        s.send(&c.args[0], if by_identity { "#same" } else { "#alike" }, &c.args[1..], 1)
    }),
    carrying("#no_key", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, key| {
            s.each_of_bool(&key, &mut |s, key| {
                let is_long =
                    |ty: &Type| ty.is_string() || matches!(ty, Type::Tuple(_) | Type::List(_) | Type::Symbol);
                let keeps = s.keeps_facts(ClassId::KEY_ERROR, &[&c.receiver.types, &key.types]);
                let is_shown = |s: &mut Lowerer<'_>, ty: &Type| {
                    (keeps || !matches!(ty, Type::Object(..))) && ty.is_instance() && s.has_own_inspect(ty)
                };
                if key.types.iter().any(|ty| is_long(ty) || is_shown(s, ty)) {
                    return s.send(key, "#is_no_key", std::slice::from_ref(&c.receiver), 1);
                }
                let is_made = |ty: &Type| matches!(ty.shape(), Shape::Local | Shape::Made | Shape::Proc);
                if key.types.iter().any(|ty| is_made(ty) && !ty.is_made_string()) {
                    let message =
                        "fetch of an object that is made in the section found no such key [unsupported-key]";
                    return s.fail(ErrorKind::Unsupported(message.into()), &[]);
                }
                let (what, operands) = s.told(key);
                let message =
                    vec![MessagePart::Text("key not found: ".into()), MessagePart::Inspect(what, 0)];
                let given = [(RECEIVER, c.receiver.clone()), (SUBJECT, key.clone())];
                s.fail_keeping(ClassId::KEY_ERROR, message, &operands, &given)
            })
        })
    }),
];

fn sealed_key(s: &mut Lowerer<'_>, key: &Operand) -> Operand {
    if s.seal_key(key, 0) {
        return key.clone();
    }
    let (message, hint) = refused_key(key);
    s.refuse_here("unsupported-key", message, Some(hint.into()))
}

/// What is said of a key that the section may change, and what to do.
fn refused_key(key: &Operand) -> (&'static str, &'static str) {
    let is_array = |ty: &Type| matches!(ty, Type::List(_) | Type::Tuple(_) | Type::Array(_));
    match key.types.iter().all(is_array) {
        true => (
            "an array that the section changes, or that holds what it changes, cannot be the key of a Hash in it",
            "have arrays that are keys hold numbers, Strings and Symbols only, as in hash[[x, y]]",
        ),
        false => (
            "a Hash or Struct that the section changes cannot be the key of a Hash in it",
            "look values up by a number, a String or a Symbol, or by an array of these: hash[[x, y]]",
        ),
    }
}

pub(super) fn sort(call: &Invocation) -> Option<HashSort> {
    match call.receiver.types.single() {
        Some(Type::Hash(_, sort)) => Some(*sort),
        _ => None,
    }
}

/// The only method that gives a lambda of two what it takes.
fn map(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let of_two = call.block.as_ref().is_some_and(|block| s.is_lambda_of_two(block));
    s.send_with_block(call, if of_two { "#map_pairs" } else { "#map" })
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
    let name = if call.name == "take" && call.args.len() == 1 { "#take_pairs" } else { &call.name };
    s.within_slot(1, |s| s.send_block(&pairs, name, &call.args, call.block.clone()))
}

/// The place of a key. Where some of the types that it can have have no hash in a section, each is looked up for itself:
/// what is refused of one ends the section only where such a key comes.
fn find(s: &mut Lowerer<'_>, call: &Invocation, how: &str) -> Operand {
    let key = &call.args[0];
    let has_hash = |s: &mut Lowerer<'_>, ty: &Type| s.has_hash(&ty.clone().into(), &mut Vec::new());
    if key.types.len() < 2 || key.types.iter().all(|ty| has_hash(s, ty)) {
        return s.send(&call.receiver, how, &call.args, 1);
    }
    s.switch(key, 2, &mut |s, key| s.send(&call.receiver, how, &[key], 1))
}

/// Refuses keys that can only be compared by code or contents that a section does not have. False: no such key is there.
fn can_look_up(s: &mut Lowerer<'_>, hash: &Operand, key: &TypeSet) -> bool {
    let keys = s.hash_part(hash, HashPart::Keys);
    let Some(held) = keys.types.single().map(|ty| s.types_of_items(ty)) else { return false };
    let class = |s: &Lowerer<'_>, ty: &Type| s.host.real_class(crate::infer::class_of(ty));
    // An `eql?` of the user's may say so of what is of another class.
    let own: Vec<Type> =
        key.iter().filter(|ty| s.asks_for_hash(&(*ty).clone().into(), &mut Vec::new())).cloned().collect();
    let comparable: TypeSet = key
        .iter()
        .filter(|ty| {
            !held.is_empty() && own.contains(ty) || held.iter().any(|other| class(s, other) == class(s, ty))
        })
        .cloned()
        .collect();
    let by_identity = matches!(hash.types.single(), Some(Type::Hash(_, HashSort { by_identity: true, .. })));
    let known = |s: &mut Lowerer<'_>, ty: &Type| match by_identity {
        true => match ty {
            Type::Nil | Type::True | Type::False | Type::Symbol => true,
            Type::Object(..) => {
                s.is_alike_by_methods(ty) || !s.asks_for_hash(&ty.clone().into(), &mut Vec::new())
            }
            _ => false,
        },
        false => s.has_hash(&ty.clone().into(), &mut Vec::new()),
    };
    let unknown = |s: &mut Lowerer<'_>, all: &TypeSet| all.iter().find(|ty| !known(s, ty)).cloned();
    let those = held.filter(|ty| comparable.iter().any(|other| class(s, other) == class(s, ty)));
    if let Some(ty) = unknown(s, &comparable).or_else(|| unknown(s, &those)) {
        let what = s.describe(&ty.clone().into());
        let (message, hint) = match &ty {
            _ if by_identity => (
                format!(
                    "{what} as the key of a Hash that compares by identity cannot be looked up in a section"
                ),
                "look up objects or Symbols, or use a Hash that does not compare by identity",
            ),
            ty if ty.is_instance() && !crate::infer::is_held_range(ty) => (
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
