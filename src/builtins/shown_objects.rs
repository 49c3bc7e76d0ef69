//! `inspect` and `to_s` as all objects have them (MRI's `rb_obj_inspect`, `rb_any_to_s`): the class, where the object is in
//! memory, and its instance variables in the order in which they were set.
//!
//! Where an object that exists is, and which variables it has, the host reads as it reads variables ([`ADDRESS`],
//! [`VARIABLES`]): it does not move while the section runs. There is code for each order that the host has met; a later
//! call with another one is inferred anew. What a section makes is nowhere yet, and a variable that it sets first would
//! have its place in the order only behind the section: both are unsupported where they are shown.

use super::{Invocation, SHOWN};
use crate::infer::host::{FoundMethod, Method};
use crate::infer::{ADDRESS, Condition, Lowerer, Operand, VARIABLES, class_of};
use crate::ir::Comparison;
use crate::string_layout::Encoding;
use crate::types::{ClassId, Type, TypeSet};

/// So many orders of variables in one class have code.
const MOST_ORDERS: usize = 8;

const MADE: &str = "give its class a method of that name: Ruby's shows where the object is in memory, which of one that the \
                    section makes is known only behind the section";

/// Whether it may hold itself is asked as of Structs.
pub(super) fn inspect(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !is_shown(s, call) {
        return Operand::bottom();
    }
    s.send(&call.receiver, "#show", &[], 1)
}

pub(super) fn to_s(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    match begin(s, call) {
        Some(text) => end(s, &text),
        None => Operand::bottom(),
    }
}

/// `#<Car:0x00007f0df1829910 @a=1, @b=2>`; variables are shown with the trail, where one is given.
pub(super) fn variables(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(text) = begin(s, call) else { return Operand::bottom() };
    let Some(orders) = orders(s, call) else { return Operand::bottom() };
    let number = match &orders[..] {
        [] | [_] => None,
        _ => {
            let number = s.read_ivar(&call.receiver, VARIABLES);
            Some(existing(s, call, &number, 6))
        }
    };
    if !show_one(s, call, &text, (number.as_ref(), &orders, 0)) {
        return Operand::bottom();
    }
    end(s, &text)
}

/// `#<Car:0x00007f0df1829910 ...>`
pub(super) fn again(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(text) = begin(s, call) else { return Operand::bottom() };
    match put(s, &text, " ...", 1) {
        true => end(s, &text),
        false => Operand::bottom(),
    }
}

/// Puts the variables behind the text in the first of these orders, or if its number is another one in those behind it.
fn show_one(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    text: &Operand,
    (number, orders, at): (Option<&Operand>, &[Vec<String>], u32),
) -> bool {
    let Some((order, others)) = orders.split_first() else { return true };
    let number = number.filter(|_| !others.is_empty());
    let Some(number) = number else { return s.within_slot(at, |s| show(s, call, text, order)) };
    if number.is_bottom() {
        return false;
    }
    let known = s.b.i64(at.into());
    let value = s.b.compare(Comparison::Eq, number.value(), known);
    let condition = Condition { value, yes: vec![], no: vec![] };
    let told = |shown: bool| if shown { Operand::nil() } else { Operand::bottom() };
    let shown = s.within_slot(at, |s| {
        s.branch(
            3,
            condition,
            |s| told(show(s, call, text, order)),
            |s| told(show_one(s, call, text, (Some(number), others, at + 1))),
        )
    });
    !shown.is_bottom()
}

fn show(s: &mut Lowerer<'_>, call: &Invocation, text: &Operand, order: &[String]) -> bool {
    let method = if call.args.is_empty() { "inspect" } else { "#shown_within" };
    for (i, name) in order.iter().enumerate() {
        let value = s.read_ivar(&call.receiver, name);
        let shown = s.within_slot(i as u32, |s| s.send(&value, method, &call.args, 1));
        let before = format!("{} {name}=", if i == 0 { "" } else { "," });
        let slot = 2 * i as u32;
        if shown.is_bottom() || !put(s, text, &before, 16 + slot) {
            return false;
        }
        if s.send(text, "#put", std::slice::from_ref(&shown), 17 + slot).is_bottom() {
            return false;
        }
    }
    true
}

fn put(s: &mut Lowerer<'_>, text: &Operand, part: &str, slot: u32) -> bool {
    let part = s.string_of_text(part);
    !s.send(text, "#put", std::slice::from_ref(&part), slot).is_bottom()
}

/// The class, and where the object is.
fn begin(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    if !is_shown(s, call) {
        return None;
    }
    let class = class_of(call.receiver.types.single()?);
    let name = s.host.class_name(class);
    let address = s.read_ivar(&call.receiver, ADDRESS);
    let address = existing(s, call, &address, 4);
    if address.is_bottom() {
        return None;
    }
    let text = s.string_of_text(&format!("#<{name}:0x"));
    let binary = s.b.i64(Encoding::Binary as i64);
    s.force_encoding(&text, binary);
    let put = s.send(&text, "#put_address", std::slice::from_ref(&address), 5);
    (!put.is_bottom()).then_some(text)
}

/// The number where there is one: objects that the section has made have nil.
fn existing(s: &mut Lowerer<'_>, call: &Invocation, number: &Operand, slot: u32) -> Operand {
    s.switch(number, slot, &mut |s, number| match number.types.single() {
        Some(Type::Integer) => number,
        _ => refuse(s, call, MADE),
    })
}

fn end(s: &mut Lowerer<'_>, text: &Operand) -> Operand {
    let end = s.b.i64(b'>'.into());
    s.push_byte(text, end);
    text.clone()
}

/// Is it an object whose variables and place a section knows? Else it is refused.
fn is_shown(s: &mut Lowerer<'_>, call: &Invocation) -> bool {
    let Some(ty) = call.receiver.types.single().cloned() else { return false };
    let hint = match ty {
        Type::Object(_, class) if !s.host.is_opaque(class) => None,
        Type::Record(_) | Type::Made(_) | Type::Building(..) if ty.is_instance() => Some(MADE),
        _ => Some(SHOWN),
    };
    let name = s.host.class_name(class_of(&ty));
    let hint = hint.or((name.starts_with('#') || !name.is_ascii()).then_some(SHOWN));
    if let Some(hint) = hint {
        refuse(s, call, hint);
    }
    hint.is_none()
}

fn refuse(s: &mut Lowerer<'_>, call: &Invocation, hint: &str) -> Operand {
    let name = s.describe(&call.receiver.types);
    s.refuse_here(
        "unsupported-method",
        format!("`{name}#{}` cannot run in a section", call.name.trim_start_matches('#')),
        Some(hint.into()),
    )
}

/// The orders of variables in which such objects are shown.
fn orders(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Vec<Vec<String>>> {
    let Type::Object(hierarchy, class) = call.receiver.types.single()?.clone() else { return None };
    let orders = match s.host.variable_orders(hierarchy, class) {
        Ok(orders) => orders,
        Err(refusal) => {
            s.refuse(refusal);
            return None;
        }
    };
    let is_ascii = orders.iter().flatten().all(|name| name.is_ascii());
    // Ruby 4 asks it.
    let chosen = s.host.method(class, "instance_variables_to_inspect");
    let chooses = matches!(chosen, Ok(Some(FoundMethod { method: Method::Ruby(_), .. })));
    if orders.len() > MOST_ORDERS {
        let (name, count) = (s.host.class_name(class), orders.len());
        s.refuse_here(
            "unsupported-method",
            format!(
                "`{name}#inspect` cannot run in a section: its objects have set their instance variables in {count} orders"
            ),
            Some("set all of them in `initialize`, to nil where there is nothing else".into()),
        );
        return None;
    }
    if !is_ascii || chooses {
        refuse(s, call, SHOWN);
        return None;
    }
    let new = s.variable_set_first(&call.receiver, &orders);
    if let Some(name) = new {
        let class = s.host.class_name(class);
        s.refuse_here(
            "unsupported-method",
            format!(
                "`{class}#inspect` cannot run in a section that sets {name}, which some {class} does not have before it"
            ),
            Some(format!("set {name} in `initialize`, to nil if there is nothing else")),
        );
        return None;
    }
    Some(orders)
}

impl Lowerer<'_> {
    /// Does `inspect` of such an object show where it is, or the one that its own calls by `super`?
    pub(super) fn shows_address(&mut self, ty: &Type) -> bool {
        let Type::Object(_, class) = ty else { return false };
        if self.host.is_opaque(*class) {
            return false;
        }
        match self.host.method(*class, "inspect") {
            Ok(Some(found)) => matches!(found.method, Method::Ruby(_)) || found.owner == ClassId::KERNEL,
            _ => false,
        }
    }

    /// What its variables hold.
    pub(super) fn types_of_shown(&mut self, ty: &Type) -> TypeSet {
        let Type::Object(hierarchy, class) = ty else { return TypeSet::empty() };
        let orders = self.host.variable_orders(*hierarchy, *class).unwrap_or_default();
        let mut names: Vec<&String> = orders.iter().flatten().collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().fold(TypeSet::empty(), |all, name| all.union(&self.types_of_variable(ty, name)))
    }
}
