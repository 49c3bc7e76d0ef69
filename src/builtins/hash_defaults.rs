//! What a Hash gives for keys that it does not have: with what it was made, and what a section gives it (`default=`).

use super::hash::sort;
use super::made_hash::{made_part, refuse_proc};
use super::{Invocation, Row, bare, carrying, row};
use crate::infer::host::RootKey;
use crate::infer::{Lowerer, Operand};
use crate::ir::{ErrorKind, MessagePart};
use crate::types::{ClassId, HashDefault, HashPart, HashSort, Type};

pub(super) const ROWS: &[Row] = &[
    row("default", |s, c| {
        if !s.count_arguments(c, 0, 1) {
            return Operand::bottom();
        }
        match c.args.is_empty() {
            true => s.send(&c.receiver, "#default", &[], 1),
            false => s.send(&c.receiver, "#missing", &c.args, 1),
        }
    }),
    carrying("default=", |s, c| {
        let Some(value) = s.one_argument(c) else { return Operand::bottom() };
        if value.types.iter().any(Type::is_made_proc) {
            return refuse_proc(s);
        }
        let given = s.send(&c.receiver, "#give_default", std::slice::from_ref(&value), 1);
        if given.is_bottom() { given } else { value }
    }),
    bare("default_proc", |s, c| match s.may_have_given_default(&c.receiver) {
        true => s.refuse_here(
            "unsupported-hash",
            "a section that gives Hashes a default cannot ask for their default blocks",
            Some("keep the block in a variable, as in Hash.new(&block), and ask that".into()),
        ),
        false => own_default_block(s, c),
    }),
    carrying("default_proc=", |s, c| {
        let Some(block) = s.one_argument(c) else { return Operand::bottom() };
        s.switch(&block, 2, &mut |s, block| match block.types.single() {
            // As `default = nil`.
            Some(Type::Nil) => {
                let given = s.send(&c.receiver, "#give_default", std::slice::from_ref(&block), 1);
                if given.is_bottom() { given } else { block }
            }
            // What gives a Proc becomes it first.
            Some(ty) if ty.is_made_proc() || becomes_proc(s, ty) => s.refuse_here(
                "unsupported-hash",
                "another default block cannot be given to a Hash in a section",
                Some("give it where the Hash is made, as in Hash.new { |hash, key| … }; or take it away: = nil".into()),
            ),
            _ => s.each_of_bool(&block, &mut |s, block| {
                let told = block.types.iter().next().map(|ty| s.host.class_name(crate::infer::class_of(ty)));
                let told = format!("wrong default_proc type {} (expected Proc)", told.unwrap_or_default());
                let message = Some(vec![MessagePart::Text(told)]);
                s.fail(ErrorKind::Raise { class: ClassId::TYPE_ERROR, message }, &[])
            }),
        })
    }),
];

pub(super) const PRIMITIVES: &[Row] = &[
    carrying("#missing", |s, c| match s.may_have_given_default(&c.receiver) {
        true => s.send(&c.receiver, "#missing_given", &c.args, 1),
        false => missing(s, c),
    }),
    carrying("#missing_own", missing),
    bare("#default", |s, c| match s.may_have_given_default(&c.receiver) {
        true => s.send(&c.receiver, "#default_given", &[], 1),
        false => own_default(s, c),
    }),
    bare("#default_own", own_default),
    // Is there, maybe, a default that the section has given it? It is in `#given` then.
    bare("#given?", |s, c| {
        let given = s.may_have_given_default(&c.receiver);
        Operand::bool(s.b.bool(given))
    }),
    bare("#given", |s, c| s.hash_part(&c.receiver, HashPart::Given)),
    bare("#change_default", |s, c| match s.change_default(&c.receiver) {
        true => Operand::nil(),
        false => {
            s.b.mark_dead();
            Operand::bottom()
        }
    }),
];

/// Of one from before the section that has a value.
pub(super) fn default_value(s: &mut Lowerer<'_>, hash: &Operand) -> Operand {
    let default = s.hash_part(hash, HashPart::Default);
    let zero = s.b.i64(0);
    s.item_at(&default, zero)
}

/// The default that a Hash was made with; nil where that is a block.
fn own_default(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.receiver.types.iter().any(Type::is_made_hash) {
        let default = made_part(s, call, 3);
        return if default.types.iter().any(Type::is_made_proc) { Operand::nil() } else { default };
    }
    match sort(call).map(|sort| sort.default) {
        Some(HashDefault::Value) => default_value(s, &call.receiver),
        _ => Operand::nil(),
    }
}

/// The block that a Hash was made with; nil where that is a value.
fn own_default_block(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.receiver.types.iter().any(Type::is_made_hash) {
        let default = made_part(s, call, 3);
        return s.switch(&default, 0, &mut |_, default| match default.types.single() {
            Some(ty) if ty.is_made_proc() => default,
            _ => Operand::nil(),
        });
    }
    match sort(call).map(|sort| sort.default) {
        Some(HashDefault::Block(_) | HashDefault::Made(_)) => default_block(s, call),
        _ => Operand::nil(),
    }
}

/// What the Hash gives for a key that it has not, if it was given no other default.
fn missing(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.receiver.types.iter().any(Type::is_made_hash) {
        let default = made_part(s, call, 3);
        return s.switch(&default, 0, &mut |s, default| match default.types.single() {
            Some(ty) if ty.is_made_proc() => {
                let args = [call.receiver.clone(), call.args[0].clone()];
                s.send(&default, "call", &args, 1)
            }
            _ => default,
        });
    }
    match sort(call).map(|sort| sort.default) {
        Some(HashDefault::Value) => default_value(s, &call.receiver),
        Some(HashDefault::Block(_) | HashDefault::Made(_)) => {
            let block = default_block(s, call);
            s.send(&block, "call", &[call.receiver.clone(), call.args[0].clone()], 1)
        }
        _ => Operand::nil(),
    }
}

/// That of a Hash from before the section.
pub(super) fn default_block(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let root = match call.receiver.types.single() {
        Some(Type::Hash(kind, HashSort { default: HashDefault::Block(Some(_)), .. })) => {
            s.root(&RootKey::DefaultBlock(*kind))
        }
        Some(Type::Hash(_, HashSort { default: HashDefault::Made(number), .. })) => {
            return s.closed_proc(*number);
        }
        _ => None,
    };
    root.unwrap_or_else(|| {
        s.refuse_here(
            "unsupported-default",
            "the default block of a Hash is none that is written as a block, as which a section knows it",
            Some("write it out: Hash.new { |hash, key| … }".into()),
        )
    })
}

fn becomes_proc(s: &mut Lowerer<'_>, ty: &Type) -> bool {
    matches!(s.host.method(crate::infer::class_of(ty), "to_proc"), Ok(Some(_)))
}
