//! What Ruby does where values hold themselves: `inspect` writes `[...]`, and `==` and `eql?` take two for equal that are
//! being compared already (MRI's `rb_exec_recursive` and `rb_exec_recursive_paired`).
//!
//! Which types can hold themselves is known from what their items, pairs and members can be. Only those take a *trail*
//! along: an array of numbers that tell what is being gone through. Others, and what only holds such, do as ever.

use super::{Invocation, Row, bare, carrying, row, tuple};
use crate::infer::host::{FoundMethod, Method};
use crate::infer::{Condition, Lowerer, Operand, Trail};
use crate::ir::{BinaryOp, UnaryOp};
use crate::types::{HashPart, RecordType, Type, TypeSet};

pub(super) const ROWS: &[Row] = &[
    // Can it hold itself, as the method of that name goes through it?
    row("#cyclic?", |s, c| {
        let name = c.args.first().and_then(|arg| s.symbol_name(arg)).unwrap_or_default();
        if name == "inspect" && keep_identity(s, &c.receiver) {
            return Operand::bottom();
        }
        let cyclic = c.receiver.types.iter().any(|ty| s.reaches_itself(ty, &name));
        Operand::bool(s.b.bool(cyclic))
    }),
    // That of a method which has called the user's code that calls it, or a new one.
    row("#trail", |s, c| {
        let name = c.args.first().and_then(|arg| s.symbol_name(arg)).unwrap_or_default();
        trail(s, &name)
    }),
    // A number that no other value in memory has: a tag of its shape before which of these it is. What is in no memory
    // gets there for it, from the next walk on, or has 0.
    bare("#identity", |s, c| {
        let ty = c.receiver.types.single().cloned();
        let grown = match &ty {
            Some(Type::Tuple(_)) => Some(s.grow_array_literals(&c.receiver)),
            Some(ty @ Type::Record(_)) if ty.is_instance() => Some(s.keep_made(&c.receiver.types)),
            _ => None,
        };
        match grown {
            Some(true) => return Operand::bottom(),
            Some(false) => return Operand::integer(s.b.i64(0)),
            None => {}
        }
        let value = match ty {
            // Its lists are its own.
            Some(ty) if ty.is_made_hash() => s.hash_part(&c.receiver, HashPart::Keys),
            _ => c.receiver.clone(),
        };
        let Some(shape) = value.types.single_shape().filter(|_| !value.values.is_empty()) else {
            return Operand::bottom();
        };
        let number = s.b.unary(UnaryOp::ExtendI32, value.value());
        let tag = s.b.i64(i64::from(shape.tag()) << 32);
        Operand::integer(s.b.binary(BinaryOp::Add, tag, number))
    }),
    carrying("#equals_within", |s, c| within(s, c, &EQUAL)),
    carrying("#eqls_within", |s, c| within(s, c, &EQL)),
    carrying("#ordered_within", |s, c| within(s, c, &ORDER)),
    carrying("#shown_within", |s, c| {
        let goes_on = goes_on(s, &c.receiver, "inspect");
        match goes_on {
            true => s.send(&c.receiver, "#inspect_within", &c.args, 1),
            false => {
                outside(s, &c.receiver, "inspect", &c.args[0], |s| s.send(&c.receiver, "inspect", &[], 2))
            }
        }
    }),
    carrying("#joined_within", |s, c| {
        let [separator, trail] = &c.args[..] else { return Operand::bottom() };
        let goes_on = goes_on(s, &c.receiver, "join");
        match goes_on {
            true => s.send(&c.receiver, "#join_within", &[separator.clone(), trail.clone()], 1),
            false => s.send(&c.receiver, "#joined", std::slice::from_ref(separator), 2),
        }
    }),
    // As MRI's `rb_eql`: an object is eql? to itself, and else what its `eql?` says.
    carrying("#eqls", |s, c| {
        let [other] = &c.args[..] else { return Operand::bottom() };
        if c.receiver.types.iter().all(|ty| !ty.is_instance() || ty.is_string()) {
            return s.send(&c.receiver, "#alike", &c.args, 1);
        }
        let receiver = c.receiver.clone();
        let asked = |s: &mut Lowerer<'_>, other: &Operand| {
            let found = s.send(&receiver, "eql?", std::slice::from_ref(other), 2);
            if found.is_bottom() { found } else { Operand::bool(s.truth(&found)) }
        };
        s.switch(other, 3, &mut |s, other| {
            let class = |operand: &Operand| operand.types.single().map(crate::infer::class_of);
            if class(&other) != class(&receiver) {
                return asked(s, &other);
            }
            unless_same(s, &receiver, &other, |s| Operand::bool(s.b.bool(true)), |s| asked(s, &other))
        })
    }),
];

/// One of the methods that compare.
pub(super) struct Comparing {
    name: &'static str,
    /// What goes through the parts.
    plain: &'static str,
    /// The same with a trail.
    within: &'static str,
    /// What compares two parts with a trail, and without one.
    parts: [&'static str; 2],
    /// Of what is the same.
    same: fn(&mut Lowerer<'_>) -> Operand,
}

pub(super) const EQUAL: Comparing = Comparing {
    name: "==",
    plain: "#equal",
    within: "#equal_within",
    parts: ["#equals_within", "#equals"],
    same: |s| Operand::bool(s.b.bool(true)),
};

pub(super) const EQL: Comparing = Comparing {
    name: "eql?",
    plain: "#eql",
    within: "#eql_within",
    parts: ["#eqls_within", "#eqls"],
    same: |s| Operand::bool(s.b.bool(true)),
};

pub(super) const ORDER: Comparing = Comparing {
    name: "<=>",
    plain: "#spaceship",
    within: "#spaceship_within",
    parts: ["#ordered_within", "#asked_order"],
    same: |s| Operand::integer(s.b.i64(0)),
};

/// Compares the parts of two arrays or Hashes that are not the same.
pub(super) fn compare(s: &mut Lowerer<'_>, one: &Operand, other: &Operand, how: &Comparing) -> Operand {
    let both = [one, other].into_iter().all(|o| o.types.iter().any(|ty| s.reaches_itself(ty, how.name)));
    if !both {
        return s.send(one, how.plain, std::slice::from_ref(other), 1);
    }
    let trail = trail(s, how.name);
    if trail.is_bottom() {
        return trail;
    }
    let outer = s.trail.take();
    let compared = s.send(one, how.within, &[other.clone(), trail], 15);
    s.trail = outer;
    compared
}

fn trail(s: &mut Lowerer<'_>, name: &str) -> Operand {
    match s.trail.clone().filter(|trail| trail.name == name) {
        Some(Trail { list, depth, .. }) => {
            // What has come since has ended, be it with an error.
            s.send(&list, "#resize", &[depth], 14);
            list
        }
        None => {
            let room = s.b.i64(16);
            s.new_list(0, room)
        }
    }
}

/// Calls what may be a method of the user's. Where that comes back, it finds the trail.
fn outside(
    s: &mut Lowerer<'_>,
    receiver: &Operand,
    name: &'static str,
    list: &Operand,
    f: impl FnOnce(&mut Lowerer<'_>) -> Operand,
) -> Operand {
    if !receiver.types.iter().any(|ty| s.comes_back(ty, name)) {
        return f(s);
    }
    let depth = s.send(list, "size", &[], 7);
    let outer = s.trail.replace(Trail { name, list: list.clone(), depth });
    let result = f(s);
    s.trail = outer;
    result
}

/// Does Ruby's own method of that name go through what can hold it?
fn goes_on(s: &mut Lowerer<'_>, operand: &Operand, name: &str) -> bool {
    operand.types.single().is_some_and(|ty| s.has_own(ty, name) && s.reaches_itself(ty, name))
}

/// Compares two parts of what has a trail.
fn within(s: &mut Lowerer<'_>, call: &Invocation, how: &Comparing) -> Operand {
    let [other, trail] = &call.args[..] else { return Operand::bottom() };
    let (receiver, trail) = (call.receiver.clone(), trail.clone());
    let plain = |s: &mut Lowerer<'_>, other: &Operand| {
        outside(s, &receiver, how.name, &trail, |s| {
            s.send(&receiver, how.parts[1], std::slice::from_ref(other), 1)
        })
    };
    let is_tuple = |operand: &Operand| matches!(operand.types.single(), Some(Type::Tuple(_)));
    if !is_tuple(&receiver) && !goes_on(s, &receiver, how.name) {
        return plain(s, other);
    }
    s.switch(other, 3, &mut |s, other| {
        if !is_tuple(&other) && !goes_on(s, &other, how.name) {
            return plain(s, &other);
        }
        let (Some(one), Some(ty)) = (receiver.types.single(), other.types.single()) else {
            return Operand::bottom();
        };
        let class = crate::infer::class_of(one);
        if class != crate::infer::class_of(ty) {
            return plain(s, &other);
        }
        if let (Type::Tuple(a), Type::Tuple(b)) = (one, ty)
            && !s.reaches_itself(one, how.name)
        {
            return match (how.name, a.len() == b.len()) {
                ("<=>", _) => plain(s, &other),
                (_, true) => tuple::equal_by(s, &receiver, &other, how.parts[0], Some(&trail)),
                (_, false) => Operand::bool(s.b.bool(false)),
            };
        }
        let parts = [other.clone(), trail.clone()];
        unless_same(s, &receiver, &other, how.same, |s| s.send(&receiver, how.within, &parts, 6))
    })
}

fn unless_same(
    s: &mut Lowerer<'_>,
    one: &Operand,
    other: &Operand,
    same: impl FnOnce(&mut Lowerer<'_>) -> Operand,
    f: impl FnOnce(&mut Lowerer<'_>) -> Operand,
) -> Operand {
    let is_same = s.send(one, "#is", std::slice::from_ref(other), 4);
    if is_same.is_bottom() {
        return is_same;
    }
    let value = s.truth(&is_same);
    let condition = Condition { value, yes: vec![], no: vec![] };
    s.branch(5, condition, same, f)
}

/// Which array or object a value is matters where it is shown and holds what can hold it. True if it gets an identity for
/// that, from the next walk on.
fn keep_identity(s: &mut Lowerer<'_>, value: &Operand) -> bool {
    let Some(ty) = value.types.single().cloned() else { return false };
    let is_tuple = matches!(ty, Type::Tuple(_));
    if !(is_tuple || matches!(ty, Type::Record(_)) && ty.is_instance()) {
        return false;
    }
    let class = crate::infer::class_of(&ty);
    let cyclic = s.types_within(&ty, "inspect").into_iter().any(|part| {
        !matches!(part, Type::Tuple(_) | Type::Record(_))
            && crate::infer::class_of(part) == class
            && s.reaches_itself(part, "inspect")
    });
    cyclic && if is_tuple { s.grow_array_literals(value) } else { s.keep_made(&value.types) }
}

impl Lowerer<'_> {
    /// Can a value of the type be among what Ruby's own method of that name goes through within one of the type?
    pub(crate) fn reaches_itself(&mut self, ty: &Type, name: &str) -> bool {
        let within = self.types_within(ty, name);
        within.contains(ty) || within.iter().any(|part| self.comes_back(part, name))
    }

    /// Has it a method of the user's by that name that calls itself?
    fn comes_back(&mut self, ty: &Type, name: &str) -> bool {
        ty.is_instance()
            && match self.host.method(crate::infer::class_of(ty), name) {
                Ok(Some(FoundMethod { method: Method::Ruby(code), .. })) => self.is_recursive(&code),
                _ => false,
            }
    }

    /// The types of all that such a method goes through.
    fn types_within(&mut self, ty: &Type, name: &str) -> TypeSet {
        let mut found = TypeSet::empty();
        let mut open = vec![ty.clone()];
        while let Some(ty) = open.pop() {
            for part in &self.types_of_parts(&ty, name) {
                if found.insert(part.clone()) && self.has_own(part, name) {
                    open.push(part.clone());
                }
            }
        }
        found
    }

    /// Is the method Ruby's own?
    fn has_own(&mut self, ty: &Type, name: &str) -> bool {
        match self.host.method(crate::infer::class_of(ty), name) {
            Ok(Some(found)) => matches!(found.method, Method::Native { .. }),
            _ => false,
        }
    }

    /// The types of items, pairs and members.
    fn types_of_parts(&mut self, ty: &Type, name: &str) -> TypeSet {
        match ty {
            Type::Array(_) | Type::List(_) | Type::Tuple(_) => self.types_of_items(ty),
            Type::Hash(kind, _) => {
                let parts = [HashPart::Keys, HashPart::Values].map(|part| self.host.hash_part(*kind, part));
                parts
                    .into_iter()
                    .flatten()
                    .fold(TypeSet::empty(), |all, kind| all.union(&self.types_of_items(&Type::Array(kind))))
            }
            Type::Record(record) if record.is_hash() => {
                let is_part = |name: &str| RecordType::HASH[..2].contains(&name);
                let lists = record.fields.iter().filter(|(name, _)| is_part(name));
                let lists: Vec<Type> = lists.flat_map(|(_, types)| types.iter().cloned()).collect();
                lists.iter().fold(TypeSet::empty(), |all, list| all.union(&self.types_of_items(list)))
            }
            Type::Object(..) if name == "inspect" && self.shows_address(ty) => self.types_of_shown(ty),
            // Those of a Struct or Data.
            ty if ty.is_instance() && !ty.is_string() => self.types_of_members(ty),
            _ => TypeSet::empty(),
        }
    }
}
