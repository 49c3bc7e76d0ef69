//! Struct: its members are columns named without an `@`; what Ruby's own methods do with all of them at once.

use super::{Invocation, Row, bare, carrying, naming, row};
use crate::infer::{Encoding, Lowerer, Operand};
use crate::ir::ErrorKind;
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    row("[]", |s, c| match member(s, c, 1) {
        Some(name) => s.read_ivar(&c.receiver, &name),
        None => Operand::bottom(),
    }),
    carrying("[]=", |s, c| match member(s, c, 2) {
        Some(name) => {
            s.write_ivar(&c.receiver, &name, &c.args[1]);
            c.args[1].clone()
        }
        None => Operand::bottom(),
    }),
    carrying("initialize_copy", |_, c| c.receiver.clone()),
    bare("to_a", items),
    bare("deconstruct", items),
    bare("values", items),
    bare("members", members),
    bare("to_h", to_hash),
    row("each", |s, c| {
        if c.block.is_some() {
            return through_items(s, c, "each");
        }
        let items = items(s, c);
        s.send(&items, "each", &[], 1)
    }),
    row("each_pair", |s, c| {
        if c.block.is_none() {
            let Some(class) = class(c) else { return Operand::bottom() };
            let members = s.host.members(class);
            let pairs: Vec<Operand> = members
                .iter()
                .map(|name| {
                    let (key, value) = (s.symbol(name), s.read_ivar(&c.receiver, name));
                    s.tuple(&[key, value])
                })
                .collect();
            let pairs = s.tuple(&pairs);
            return s.send(&pairs, "each", &[], 1);
        }
        let Some(block) = s.block_of(c) else { return Operand::bottom() };
        let Some(class) = class(c) else { return Operand::bottom() };
        for (i, name) in s.host.members(class).iter().enumerate() {
            s.within_slot(i as u32, |s| {
                let (key, value) = (s.symbol(name), s.read_ivar(&c.receiver, name));
                let pair = s.tuple(&[key, value]);
                s.unused = true;
                s.call_block(&block, vec![pair])
            });
        }
        c.receiver.clone()
    }),
    row("select", |s, c| through_items(s, c, "select")),
    row("filter", |s, c| through_items(s, c, "select")),
    carrying("dig", |s, c| {
        let Some((first, rest)) = c.args.split_first() else { return super::wrong_count(s, 0, "1+") };
        let item = s.send(&c.receiver, "[]", std::slice::from_ref(first), 1);
        if rest.is_empty() || item.is_bottom() {
            return item;
        }
        super::array::dig_on(s, &item, rest)
    }),
    bare("size", size),
    bare("length", size),
];

pub(super) const DATA_ROWS: &[Row] = &[
    carrying("initialize_copy", |_, c| c.receiver.clone()),
    bare("deconstruct", items),
    bare("members", members),
    bare("to_h", to_hash),
    // A new object of the class, by way of its `initialize`.
    naming("with", |s, c| {
        let given = c.args.len();
        if given > 0 {
            let message = format!("wrong number of arguments (given {given}, expected 0)");
            return s.fail(ErrorKind::ArgumentError(message), &[]);
        }
        let Some(class) = class(c) else { return Operand::bottom() };
        if c.keywords.is_empty() {
            return c.receiver.clone();
        }
        let initialize = s.host.method(class, "initialize").ok().flatten();
        if initialize.is_some_and(|found| found.owner != ClassId::DATA)
            && !s.host.dialect().data_with_initializes
        {
            return s.refuse_here(
                "unsupported-method",
                "`with` in a class with an `initialize` of its own cannot run in a section of this Ruby",
                Some("make the object with `new`".into()),
            );
        }
        let mut arguments = c.arguments(true);
        let mut keywords: Vec<(String, Operand)> = Vec::new();
        for name in s.host.members(class) {
            let given = arguments.keywords.iter().position(|(keyword, _)| *keyword == name);
            let value = match given {
                Some(given) => arguments.keywords.remove(given).1,
                None => s.read_ivar(&c.receiver, &name),
            };
            keywords.push((name, value));
        }
        keywords.append(&mut arguments.keywords);
        arguments.keywords = keywords;
        s.construct(class, &arguments, None)
    }),
];

/// `super` in an `initialize` of the user's.
pub(super) const INITIALIZE: Row = naming("initialize", |s, c| {
    let Some(class) = class(c) else { return Operand::bottom() };
    s.initialize_struct(&c.receiver, class, &c.arguments(true));
    Operand::nil()
});

/// What Structs have from Enumerable goes through their values.
pub(super) const ENUMERABLE: Row = naming("Enumerable", |s, c| {
    if !c.keywords.is_empty() {
        let _ = s.count_arguments(c, 0, 0);
        return Operand::bottom();
    }
    let is_set = c.receiver.types.single().is_some_and(|ty| s.is_set(ty));
    let items = if is_set { s.send(&c.receiver, "to_a", &[], 2) } else { items(s, c) };
    if items.is_bottom() {
        return items;
    }
    // Those of Array itself compare in another order, and add up in another way.
    let own = match c.name.as_str() {
        "min" | "max" | "minmax" if c.args.is_empty() && c.block.is_none() => format!("#{}_each", c.name),
        "sum" => "#sum".to_string(),
        name => name.to_string(),
    };
    let mut args = c.args.clone();
    if c.name == "sum" {
        if !s.count_arguments(c, 0, 1) {
            return Operand::bottom();
        }
        args.resize_with(1, || Operand::integer(s.b.i64(0)));
    }
    let result = s.send_block(&items, &own, &args, c.block.clone());
    let gives_self = ["each_with_index", "reverse_each", "each_entry", "each_slice", "each_cons"];
    if gives_self.contains(&c.name.as_str()) && c.block.is_some() && !result.is_bottom() {
        return c.receiver.clone();
    }
    result
});

fn class(call: &Invocation) -> Option<ClassId> {
    match call.receiver.types.iter().next() {
        Some(ty @ (Type::Object(..) | Type::Record(_) | Type::Made(_) | Type::Building(..))) => {
            Some(crate::infer::class_of(ty))
        }
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

/// What `inspect` begins with: what it is, and the name of its class.
pub(super) fn named(s: &mut Lowerer<'_>, call: &Invocation) -> Option<(&'static str, String)> {
    let class = class(call)?;
    let what = if s.host.is_subclass(class, ClassId::DATA) { "data" } else { "struct" };
    let name = s.host.class_name(class);
    if name.starts_with('#') {
        s.refuse_here(
            "unsupported-method",
            format!("`{}` of a Struct whose class has no name cannot run in a section", call.name),
            Some("assign the class to a constant".into()),
        );
        return None;
    }
    Some((what, name))
}

/// `#<struct Point x=1, y=2>`; members are shown with the trail, where one is given.
pub(super) fn inspect(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(class) = class(call) else { return Operand::bottom() };
    let Some((what, name)) = named(s, call) else { return Operand::bottom() };
    let method = if call.args.is_empty() { "inspect" } else { "#shown_within" };
    let text = s.string_of_text(&format!("#<{what} {name}"));
    let binary = s.b.i64(Encoding::Binary as i64);
    s.force_encoding(&text, binary);
    let members = s.host.members(class);
    if members.is_empty() && what == "struct" {
        let space = s.b.i64(b' '.into());
        s.push_byte(&text, space);
    }
    for (i, member) in members.iter().enumerate() {
        let before = s.string_of_text(&format!("{} {member}=", if i == 0 { "" } else { "," }));
        let value = s.read_ivar(&call.receiver, member);
        let slot = 2 * i as u32;
        let shown = s.within_slot(i as u32, |s| s.send(&value, method, &call.args, 1));
        for (slot, part) in [(slot, &before), (slot + 1, &shown)] {
            if s.send(&text, "#put", std::slice::from_ref(part), 2 + slot).is_bottom() {
                return Operand::bottom();
            }
        }
    }
    let end = s.b.i64(b'>'.into());
    s.push_byte(&text, end);
    text
}

fn members(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(class) = class(call) else { return Operand::bottom() };
    let names: Vec<Operand> = s.host.members(class).iter().map(|name| s.symbol(name)).collect();
    s.tuple(&names)
}

/// The members by their names.
fn to_hash(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.block.is_some() {
        return s.refuse_here(
            "unsupported-method",
            "`to_h` of a Struct with a block cannot run in a section",
            Some("write members.zip(to_a).to_h { … }".into()),
        );
    }
    let (names, values) = (members(s, call), items(s, call));
    let pairs = s.tuple_items(&names).into_iter().zip(s.tuple_items(&values));
    let args = pairs.flat_map(|(name, value)| [name, value]).collect();
    if values.is_bottom() { values } else { super::hash::literal(s, &call.with_args(args)) }
}

pub(super) fn items(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(class) = class(call) else { return Operand::bottom() };
    let names = s.host.members(class);
    let items: Vec<Operand> = names.iter().map(|name| s.read_ivar(&call.receiver, name)).collect();
    if items.iter().any(Operand::is_bottom) { Operand::bottom() } else { s.tuple(&items) }
}

/// `each` and `select` go through the values.
fn through_items(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    if s.block_of(call).is_none() || !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    let items = items(s, call);
    let result = s.send_block(&items, name, &[], call.block.clone());
    if name == "each" && !result.is_bottom() { call.receiver.clone() } else { result }
}

fn size(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let count = class(call).map_or(0, |class| s.host.members(class).len());
    Operand::integer(s.b.i64(count as i64))
}
