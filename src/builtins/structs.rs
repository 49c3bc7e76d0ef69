//! Struct: its members are columns named without an `@`; what Ruby's own methods do with all of them at once.

use super::enumerator::GIVING_SELF;
use super::integer::to_integer_argument;
use super::{Invocation, Row, bare, carrying, naming, row};
use crate::infer::{Condition, Lowerer, Operand, RECEIVER, SUBJECT};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart};
use crate::string_layout::Encoding;
use crate::types::{ClassId, Type};
use std::cell::RefCell;

pub(super) const ROWS: &[Row] = &[
    row("[]", |s, c| at_member(s, c, 1, &mut |s, name| s.read_ivar(&c.receiver, name), None)),
    carrying("[]=", |s, c| {
        let mut write = |s: &mut Lowerer<'_>, name: &str| {
            s.write_ivar(&c.receiver, name, &c.args[1]);
            c.args[1].clone()
        };
        at_member(s, c, 2, &mut write, None)
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
        super::enumerator::standing_for(s, &c.receiver)
    }),
    row("each_pair", |s, c| {
        if c.block.is_none() {
            return super::make_enumerator(s, "each_pair", &c.receiver, &[]);
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
        let read = &mut |s: &mut Lowerer<'_>, name: &str| s.read_ivar(&c.receiver, name);
        let item = at_member(s, &c.with_args(vec![first.clone()]), 1, read, Some(Operand::nil()));
        if rest.is_empty() || item.is_bottom() {
            return item;
        }
        super::array_parts::dig_on(s, &item, rest)
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
    // What their Enumerator gives is the receiver, too.
    if c.block.is_none() && GIVING_SELF.contains(&c.name.as_str()) {
        return super::enumerator::over_each(s, c);
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
    if GIVING_SELF.contains(&c.name.as_str()) && c.block.is_some() && !result.is_bottom() {
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

/// Does `f` with the member that the first of `count` arguments names, by its name or its number, which may turn out
/// when the section runs. `missing` is what it is where there is none; else that is Ruby's error.
fn at_member(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    count: usize,
    f: &mut dyn FnMut(&mut Lowerer<'_>, &str) -> Operand,
    missing: Option<Operand>,
) -> Operand {
    if !s.count_arguments(call, count, count) {
        return Operand::bottom();
    }
    let Some(class) = class(call) else { return Operand::bottom() };
    let members = s.host.members(class);
    s.switch(&call.args[0], 0x640, &mut |s, key| {
        let is_name = matches!(key.types.single(), Some(ty) if *ty == Type::Symbol || ty.is_string());
        if is_name {
            let known = s.symbol_name(&key).filter(|name| members.contains(name));
            if let Some(name) = known {
                return f(s, &name);
            }
            let is_it = &mut |s: &mut Lowerer<'_>, name: &str, _| match key.types.single() {
                Some(Type::Symbol) => {
                    let number = s.symbol(name).value();
                    Operand::bool(s.b.compare(Comparison::Eq, key.value(), number))
                }
                _ => {
                    let name = s.string_of_text(name);
                    s.send(&key, "#alike", &[name], 1)
                }
            };
            return one_of_members(s, &members, 0, is_it, f, &mut |s| {
                if let Some(missing) = &missing {
                    return missing.clone();
                }
                let (what, operands) = s.told(&key);
                let text = |text: &str| MessagePart::Text(text.into());
                let message = vec![text("no member '"), MessagePart::Value(what), text("' in struct")];
                let given = [(RECEIVER, call.receiver.clone()), (SUBJECT, key.clone())];
                s.fail_keeping(ClassId::NAME_ERROR, message, &operands, &given)
            });
        }
        let Some(index) = to_integer_argument(s, &key) else { return Operand::bottom() };
        let size = members.len() as i64;
        if let Some(known) = s.b.constant(index) {
            let at = if known < 0 { known + size } else { known };
            if let Some(name) = usize::try_from(at).ok().and_then(|at| members.get(at)) {
                return f(s, name);
            }
        }
        let is_it = &mut |s: &mut Lowerer<'_>, _: &str, at: i64| {
            let (at, from_end) = (s.b.i64(at), s.b.i64(at - size));
            let from_start = s.b.compare(Comparison::Eq, index, at);
            let from_end = s.b.compare(Comparison::Eq, index, from_end);
            Operand::bool(s.b.binary(BinaryOp::OrB, from_start, from_end))
        };
        one_of_members(s, &members, 0, is_it, f, &mut |s| {
            if let Some(missing) = &missing {
                return missing.clone();
            }
            let size = s.b.i64(size);
            let given = [Operand::integer(index), Operand::integer(size)];
            s.send(&call.receiver, "#no_member", &given, 1)
        })
    })
}

/// Does `f` with the first member of which `is_it` says so, by its name and number.
fn one_of_members(
    s: &mut Lowerer<'_>,
    members: &[String],
    at: i64,
    is_it: &mut dyn FnMut(&mut Lowerer<'_>, &str, i64) -> Operand,
    f: &mut dyn FnMut(&mut Lowerer<'_>, &str) -> Operand,
    otherwise: &mut dyn FnMut(&mut Lowerer<'_>) -> Operand,
) -> Operand {
    let Some((first, others)) = members.split_first() else { return otherwise(s) };
    s.within_slot(at as u32, |s| {
        let is_first = is_it(s, first, at);
        if is_first.is_bottom() {
            return is_first;
        }
        let value = s.truth(&is_first);
        let condition = Condition { value, yes: vec![], no: vec![] };
        let f = RefCell::new(f);
        s.branch(
            37,
            condition,
            |s| s.within_slot(0, |s| (f.borrow_mut())(s, first)),
            |s| one_of_members(s, others, at + 1, is_it, &mut *f.borrow_mut(), otherwise),
        )
    })
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

/// `#<struct Node:...>`
pub(super) fn again(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !is_record(s, call) {
        return super::shown_objects::again(s, call);
    }
    let Some((what, name)) = named(s, call) else { return Operand::bottom() };
    let text = s.string_of_text(&format!("#<{what} {name}:...>"));
    let binary = s.b.i64(Encoding::Binary as i64);
    s.force_encoding(&text, binary);
    text
}

/// Is it of a Struct or Data? What all objects have shows the variables of others.
fn is_record(s: &mut Lowerer<'_>, call: &Invocation) -> bool {
    class(call).is_some_and(|class| {
        [ClassId::STRUCT, ClassId::DATA].into_iter().any(|top| s.host.is_subclass(class, top))
    })
}

/// `#<struct Point x=1, y=2>`; members are shown with the trail, where one is given.
pub(super) fn inspect(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !is_record(s, call) {
        return super::shown_objects::variables(s, call);
    }
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
    let (names, values) = (members(s, call), items(s, call));
    let pairs = s.tuple_items(&names).into_iter().zip(s.tuple_items(&values));
    let args = pairs.flat_map(|(name, value)| [name, value]).collect();
    if values.is_bottom() {
        return values;
    }
    let hash = super::made_hash::literal(s, &Invocation { block: None, ..call.with_args(args) });
    match &call.block {
        Some(block) if !hash.is_bottom() => s.send_block(&hash, "#to_h_block", &[], Some(block.clone())),
        _ => hash,
    }
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
