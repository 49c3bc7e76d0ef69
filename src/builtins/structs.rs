//! Struct: its members are columns named without an `@`; what Ruby's own methods do with all of them at once.

use super::{Invocation, Row, bare, row};
use crate::infer::{Lowerer, Operand};
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    row("[]", |s, c| match member(s, c, 1) {
        Some(name) => s.read_ivar(&c.receiver, &name),
        None => Operand::bottom(),
    }),
    row("[]=", |s, c| match member(s, c, 2) {
        Some(name) => {
            s.write_ivar(&c.receiver, &name, &c.args[1]);
            c.args[1].clone()
        }
        None => Operand::bottom(),
    }),
    row("==", equal),
    row("eql?", equal),
    bare("to_a", items),
    bare("deconstruct", items),
    bare("values", items),
    bare("size", size),
    bare("length", size),
];

fn class(call: &Invocation) -> Option<ClassId> {
    match call.receiver.types.iter().next() {
        Some(Type::Object(_, class)) => Some(*class),
        _ => None,
    }
}

/// The member that the first of `count` arguments names.
fn member(s: &mut Lowerer<'_>, call: &Invocation, count: usize) -> Option<String> {
    if !s.count_arguments(call, count, count) {
        return None;
    }
    let members = s.host.members(class(call)?);
    let key = &call.args[0];
    let found = match key.types.single() {
        Some(Type::Symbol) => s.symbol_name(key).filter(|name| members.contains(name)),
        Some(Type::Integer) => s.b.constant(key.value()).and_then(|index| {
            let from_end = if index < 0 { index + members.len() as i64 } else { index };
            members.get(usize::try_from(from_end).ok()?).cloned()
        }),
        _ => None,
    };
    if found.is_none() {
        s.refuse_here(
            "unsupported-method",
            format!("`{}` of a Struct takes one of its members, written out, in a section", call.name),
            Some("call the member, as in `point.x`, or write `point[:x]`".into()),
        );
    }
    found
}

fn items(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(class) = class(call) else { return Operand::bottom() };
    let names = s.host.members(class);
    let items: Vec<Operand> = names.iter().map(|name| s.read_ivar(&call.receiver, name)).collect();
    if items.iter().any(Operand::is_bottom) { Operand::bottom() } else { s.tuple(&items) }
}

/// Equal to nothing of another class; all members of two Structs are not compared.
fn equal(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let own = class(call);
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Object(_, class)) if Some(*class) == own => s.refuse_here(
            "unsupported-method",
            format!("`{}#{}` cannot run in a section", s.host.class_name(*class), call.name),
            Some("call its members, as in `a.x == b.x && a.y == b.y`".into()),
        ),
        _ => Operand::bool(s.b.bool(false)),
    })
}

fn size(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let count = class(call).map_or(0, |class| s.host.members(class).len());
    Operand::integer(s.b.i64(count as i64))
}
