//! When objects are the same, equal, or alike as keys, and the numbers by which a Hash finds those.
//!
//! Arrays, Structs and Strings are hashed by what they hold, other objects by their ids. What has an `eql?` and a
//! `hash` of its own (`AlikeBy` in `builtins/kernel.rs`) is asked for both by code of the section: while the `hash` of
//! a class runs for a Hash (`Lowerer::hashing`, part of the key of a function), `hash` of Ruby's own objects gives the
//! numbers that sections have, which are for nothing else. The host cannot compute them, so there is no index of such
//! keys: they are gone through, or put into the slots of a Hash that the section changes or makes.

use super::{Invocation, number_identity};
use crate::infer::host::{FoundMethod, Method};
use crate::infer::{ANY_RANGE, CallType, Lowerer, Operand, RANGE_PARTS, is_held_range};
use crate::ir::{BinaryOp, Comparison, UnaryOp};
use crate::types::{ClassId, HashPart, RangeEnd, Shape, Type, TypeSet};

/// How Ruby tells objects of a class apart as keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlikeBy {
    /// By which object it is. So it is where the class has an `eql?` and no `hash`, or the other way round.
    Identity,
    /// By the members of a Struct or value object.
    Members,
    /// By an `eql?` and a `hash` of its own.
    Methods,
    /// In a way that sections do not know.
    Unknown,
}

impl Lowerer<'_> {
    /// Can `__hash` tell such values apart? Not arrays that can hold themselves.
    pub(crate) fn has_hash(&mut self, types: &TypeSet, inside: &mut Vec<Type>) -> bool {
        self.hashes(types, false, inside)
    }

    /// The same for a table of the section's own: of Ranges and Hashes, too, of which the host has none.
    pub(crate) fn has_hash_here(&mut self, types: &TypeSet) -> bool {
        self.hashes(types, true, &mut Vec::new())
    }

    fn hashes(&mut self, types: &TypeSet, here: bool, inside: &mut Vec<Type>) -> bool {
        types.iter().all(|ty| match ty {
            Type::Range { .. } => here && self.is_plainly_eql(ty),
            ty if is_held_range(ty) => {
                let is_end = |ty: &Type| matches!(ty, Type::Nil | Type::Integer | Type::Float);
                here && self.is_plainly_eql(&ANY_RANGE)
                    && RANGE_PARTS[..2].iter().all(|part| self.types_of_variable(ty, part).iter().all(is_end))
            }
            Type::Hash(kind, _) => {
                let all = here && !inside.contains(ty) && self.is_plainly_eql(ty);
                inside.push(ty.clone());
                let all = all
                    && [HashPart::Keys, HashPart::Values].into_iter().all(|part| {
                        let held = self.host.hash_part(*kind, part).ok().map(Type::Array);
                        let held = held.map_or_else(TypeSet::empty, |ty| self.types_of_items(&ty));
                        self.hashes(&held, here, inside)
                    });
                inside.pop();
                all
            }
            Type::Record(record) if record.is_hash() => {
                let all = here && !inside.contains(ty) && self.is_plainly_eql(ty);
                inside.push(ty.clone());
                let all = all && record.fields[..2].iter().all(|(_, list)| self.hashes(list, here, inside));
                inside.pop();
                all
            }
            Type::Array(_) | Type::List(_) | Type::Tuple(_) => {
                let deeper = !inside.contains(ty);
                inside.push(ty.clone());
                let items = self.types_of_items(ty);
                let all = deeper && self.is_plainly_eql(ty) && self.hashes(&items, here, inside);
                inside.pop();
                all
            }
            Type::Object(..) | Type::Record(_) | Type::Made(_) if ty.is_instance() && !ty.is_string() => {
                match self.alike_by(ty) {
                    AlikeBy::Identity => !matches!(ty, Type::Record(_)),
                    AlikeBy::Methods => true,
                    AlikeBy::Unknown => false,
                    AlikeBy::Members => {
                        let deeper = !inside.contains(ty);
                        inside.push(ty.clone());
                        let all = deeper && {
                            let members = self.types_of_members(ty);
                            self.hashes(&members, here, inside)
                        };
                        inside.pop();
                        all
                    }
                }
            }
            Type::Nil
            | Type::True
            | Type::False
            | Type::Integer
            | Type::Float
            | Type::Symbol
            | Type::Object(..)
            | Type::Made(_)
            | Type::Module(_) => self.is_plainly_eql(ty),
            _ => false,
        })
    }

    /// Are such values, or some in them, told apart by a `hash` of the user's?
    pub(crate) fn asks_for_hash(&mut self, types: &TypeSet, inside: &mut Vec<Type>) -> bool {
        types.iter().any(|ty| {
            let parts = match ty {
                Type::Array(_) | Type::List(_) | Type::Tuple(_) => self.types_of_items(ty),
                Type::Object(..) | Type::Record(_) | Type::Made(_) if ty.is_instance() => {
                    match self.alike_by(ty) {
                        AlikeBy::Methods => return true,
                        AlikeBy::Members => self.types_of_members(ty),
                        _ => return false,
                    }
                }
                _ => return false,
            };
            if inside.contains(ty) {
                return false;
            }
            inside.push(ty.clone());
            let asks = self.asks_for_hash(&parts, inside);
            inside.pop();
            asks
        })
    }

    /// Can one of such values be an object that has an `eql?` of its own, whether or not Hashes ask that?
    pub(crate) fn has_own_eql(&mut self, types: &TypeSet) -> bool {
        types.iter().any(|ty| {
            ty.is_instance()
                && match self.host.method(crate::infer::class_of(ty), "eql?") {
                    Ok(Some(found)) => !matches!(found.method, Method::Native { .. }),
                    _ => false,
                }
        })
    }

    fn alike_by(&mut self, ty: &Type) -> AlikeBy {
        if !ty.is_instance() || ty.is_string() {
            return AlikeBy::Unknown;
        }
        let class = crate::infer::class_of(ty);
        let is_plain = |owner| super::is_common(owner);
        let found = ["eql?", "hash"].map(|name| self.host.method(class, name));
        match found {
            [Ok(Some(eql)), Ok(Some(hash))] => {
                let native = |found: &FoundMethod| matches!(found.method, Method::Native { .. });
                match (native(&eql), native(&hash)) {
                    (false, false) => AlikeBy::Methods,
                    (true, false) if is_plain(eql.owner) => AlikeBy::Identity,
                    (false, true) if is_plain(hash.owner) => AlikeBy::Identity,
                    (true, true) if is_plain(eql.owner) && is_plain(hash.owner) => AlikeBy::Identity,
                    (true, true) if class.parts().is_some() => {
                        let class = class.in_ruby();
                        let is_known = |owner| owner == class || owner == ClassId::NUMERIC || is_plain(owner);
                        // What of a Date is no day number does not tell it from others.
                        let is_whole = class != ClassId::DATE
                            || !self.types_of_variable(ty, ClassId::DAY).contains(&Type::Nil);
                        if is_whole && is_known(eql.owner) && is_known(hash.owner) {
                            AlikeBy::Members
                        } else {
                            AlikeBy::Unknown
                        }
                    }
                    (true, true)
                        if matches!(eql.owner, ClassId::STRUCT | ClassId::DATA)
                            && hash.owner == eql.owner
                            && !self.host.members(class).is_empty() =>
                    {
                        AlikeBy::Members
                    }
                    _ => AlikeBy::Unknown,
                }
            }
            _ => AlikeBy::Unknown,
        }
    }

    /// Has its class an `eql?` and a `hash` of the user's, which keys are asked for?
    pub(crate) fn is_alike_by_methods(&mut self, ty: &Type) -> bool {
        self.alike_by(ty) == AlikeBy::Methods
    }

    /// Is it a Struct or value object that Ruby compares by its members, also as a key?
    fn is_alike_by_members(&mut self, ty: &Type) -> bool {
        self.alike_by(ty) == AlikeBy::Members
    }

    /// Is `eql?` Ruby's own, and that of all objects if it is an object's?
    fn is_plainly_eql(&mut self, ty: &Type) -> bool {
        let class = crate::infer::class_of(ty);
        ["eql?", "hash"].iter().all(|name| match self.host.method(class, name) {
            Ok(Some(FoundMethod { owner, method: Method::Native { .. }, .. })) => {
                !ty.is_instance() || super::is_common(owner) || ty.is_string() && owner == ClassId::STRING
            }
            _ => false,
        })
    }
}

pub(super) fn identical(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let (receiver, arg) = (s.held(&call.receiver), s.held(&arg));
    let made = |o: &Operand| o.types.iter().any(|t| matches!(t, Type::Record(_)) && !t.is_made_hash());
    if made(&receiver) && made(&arg) && (s.keep_made(&receiver.types) | s.keep_made(&arg.types)) {
        return Operand::bottom();
    }
    s.switch(&arg, 0, &mut |s, arg| {
        if may_be_carried_apart(s, &receiver, &arg) || may_be_carried_apart(s, &arg, &receiver) {
            let (one, other) = (s.describe(&receiver.types), s.describe(&arg.types));
            let hint = "compare what they are made of, such as the ends of ranges, before the section";
            return s.refuse_here(
                "unsupported-identity",
                format!("whether {one} here and {other} there are the same object is not known in a section"),
                Some(hint.into()),
            );
        }
        let shape = arg.types.single_shape();
        if let [Some(one), Some(other)] = [receiver.types.single(), arg.types.single()]
            && one.is_string()
            && other.is_string()
        {
            return s.are_one_string(&receiver, &arg);
        }
        let same = match (receiver.types.single_shape(), shape) {
            (Some(a), Some(b)) if a != b => s.b.bool(false),
            (Some(Shape::Nil), _) => s.b.bool(true),
            _ if receiver.types.iter().all(Type::is_made_proc) => {
                match s.are_one_proc(&receiver, &arg, matches!(call.name.as_str(), "equal?" | "#same")) {
                    Some(same) => same,
                    None => return Operand::bottom(),
                }
            }
            (Some(Shape::Module), _) => s.b.bool(receiver.types == arg.types),
            (Some(Shape::Local), _) if is_made_hash(&receiver) && is_made_hash(&arg) => {
                // Its lists are its own.
                let (keys, others) = (s.tuple_items(&receiver), s.tuple_items(&arg));
                s.b.compare(Comparison::Eq, keys[0].value(), others[0].value())
            }
            (Some(Shape::Local), _)
                if matches!(receiver.types.single(), Some(Type::Tuple(_))) && !s.in_builtin() =>
            {
                match s.are_one_array(&receiver, &arg) {
                    Some(same) => s.b.bool(same),
                    None => return Operand::bottom(),
                }
            }
            (Some(Shape::Local), _) => s.b.bool(receiver.types == arg.types && receiver.values == arg.values),
            (Some(Shape::Bool), _) if receiver.types.len() == 1 && arg.types.len() == 1 => {
                s.b.bool(receiver.types == arg.types)
            }
            _ => {
                let same = s.b.compare(Comparison::Eq, receiver.value(), arg.value());
                number_identity::check_immediate(s, &receiver, same);
                same
            }
        };
        Operand::bool(same)
    })
}

pub(super) fn is_made_hash(operand: &Operand) -> bool {
    operand.types.single().is_some_and(Type::is_made_hash)
}

/// Can a value that is part of the code be the same as an object that was read, such as a class?
fn may_be_carried_apart(s: &Lowerer<'_>, value: &Operand, object: &Operand) -> bool {
    let (Some(ty), Some(read)) = (value.types.single(), object.types.single()) else { return false };
    match (ty, read) {
        (Type::Object(..), _) => false,
        (ty, read) => s.is_opaque(read) && s.exact_class(ty) == s.exact_class(read),
    }
}

/// As MRI's `rb_equal`: an object is equal to itself, and else what its `==` says. Ruby's own `==` say that themselves.
pub(super) fn equals(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    let asked = |s: &mut Lowerer<'_>, arg: &Operand| {
        let equal = s.send_from(&receiver, "==", std::slice::from_ref(arg), 2, CallType::Own);
        if equal.is_bottom() { equal } else { Operand::bool(s.truth(&equal)) }
    };
    let is_asked_for_nan = |ty: &Type| match ty {
        Type::Float => call.name == "#equals",
        ty => crate::infer::class_of(ty) == ClassId::COMPLEX,
    };
    if receiver.types.single().is_some_and(is_asked_for_nan) {
        return s.switch(&arg, 5, &mut |s, arg| {
            number_identity::check_decided_by_value(s, &receiver, &arg);
            asked(s, &arg)
        });
    }
    if !s.has_own_equality(&receiver) {
        return asked(s, &arg);
    }
    s.switch(&arg, 5, &mut |s, arg| {
        // Objects of other classes are others.
        let class = |operand: &Operand| operand.types.single().map(crate::infer::class_of);
        if class(&arg) != class(&receiver) {
            return asked(s, &arg);
        }
        let same = s.send(&receiver, "#same", std::slice::from_ref(&arg), 13);
        if same.is_bottom() {
            return same;
        }
        let value = s.truth(&same);
        let condition = crate::infer::Condition { value, yes: vec![], no: vec![] };
        s.branch(7, condition, |s| Operand::bool(s.b.bool(true)), |s| asked(s, &arg))
    })
}

/// Nil, true and false, which Ruby knows by what they are.
const fn is_constant(ty: &Type) -> bool {
    matches!(ty, Type::Nil | Type::True | Type::False)
}

/// Ruby's own objects whose `eql?` and `hash` a Hash calls.
fn is_asked_as_key(ty: &Type) -> bool {
    matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::List(_) | Type::Range { .. })
        || ty.is_hash()
        || is_held_range(ty)
}

/// What set operations take for the same: the same object, or one that is eql? and has the same `hash`. That of Ruby's own
/// objects that are eql? is the same.
pub(super) fn alike(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let by = call.receiver.types.single().map(|ty| s.alike_by(ty));
    let equal = if by == Some(AlikeBy::Identity) { "#same" } else { "eql?" };
    let hashes = s.asks_for_hash(&call.receiver.types, &mut Vec::new());
    let receiver = call.receiver.clone();
    let collections = receiver.types.filter(is_asked_as_key);
    if ["eql?", "hash"].iter().any(|name| s.refuse_redefined(&collections, name, "a Hash")) {
        return Operand::bottom();
    }
    let differs = |s: &mut Lowerer<'_>, arg: &Operand| {
        // `rb_eql` compares numbers, Strings and Symbols itself.
        let is_own = receiver.types.iter().all(|ty| {
            ty.is_string() || matches!(ty, Type::Integer | Type::Float | Type::Symbol) || is_constant(ty)
        });
        let call_type = if is_own { CallType::Core } else { CallType::Own };
        let found = s.send_from(&receiver, equal, std::slice::from_ref(arg), 6, call_type);
        if found.is_bottom() {
            return found;
        }
        let value = s.truth(&found);
        if !hashes || s.b.constant(value) == Some(0) {
            return Operand::bool(value);
        }
        let condition = crate::infer::Condition { value, yes: vec![], no: vec![] };
        let same_hash = |s: &mut Lowerer<'_>| {
            let [one, other] = [(8, &receiver), (9, arg)].map(|(slot, of)| s.send(of, "#hash", &[], slot));
            match one.is_bottom() || other.is_bottom() {
                true => Operand::bottom(),
                false => Operand::bool(s.b.compare(Comparison::Eq, one.value(), other.value())),
            }
        };
        s.branch(10, condition, same_hash, |s| Operand::bool(s.b.bool(false)))
    };
    s.switch(&arg, 5, &mut |s, arg| {
        number_identity::check_decided_by_value(s, &receiver, &arg);
        let same_shape = receiver.types.single_shape() == arg.types.single_shape();
        let on_heap =
            matches!(receiver.types.single_shape(), Some(Shape::Object(_) | Shape::Array(_) | Shape::Made));
        let same = if same_shape && on_heap {
            s.b.compare(Comparison::Eq, receiver.value(), arg.value())
        } else if hashes && receiver.types.single().is_some_and(Type::is_instance) {
            // An `eql?` of the user's may say no of the object itself.
            let same = s.send(&receiver, "#same", std::slice::from_ref(&arg), 13);
            if same.is_bottom() {
                return same;
            }
            s.truth(&same)
        } else {
            return differs(s, &arg);
        };
        let condition = crate::infer::Condition { value: same, yes: vec![], no: vec![] };
        s.branch(7, condition, |s| Operand::bool(s.b.bool(true)), |s| differs(s, &arg))
    })
}

/// What `hash` of a class of the user's gives, which Ruby's own objects have numbers for that are not those of Ruby.
fn own_hash(s: &mut Lowerer<'_>, receiver: &Operand) -> Operand {
    let number = raw_own_hash(s, receiver);
    if number.is_bottom() { number } else { Operand::integer(s.mixed(number.value())) }
}

pub(super) fn raw_own_hash(s: &mut Lowerer<'_>, receiver: &Operand) -> Operand {
    let outer = std::mem::replace(&mut s.hashing, true);
    let number = s.send_from(receiver, "hash", &[], 11, crate::infer::CallType::Own);
    s.hashing = outer;
    if number.is_bottom() {
        return number;
    }
    super::integer::implicit_integer(s, &number, false).map_or_else(Operand::bottom, Operand::integer)
}

/// `hash`, of Ruby's own objects: another number in each process, so it is for the `hash` of a key alone. There it has few
/// bits, so that it can be added up and multiplied by small numbers, as it is where Integers have no end.
pub(super) fn asked_hash(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let is_own = call.receiver.types.iter().any(|ty| s.is_alike_by_methods(ty));
    // A `super` of one's own `hash` would tell objects apart.
    if !s.hashing || is_own || !s.has_hash(&call.receiver.types, &mut Vec::new()) {
        let what = s.describe(&call.receiver.types);
        return s.refuse_here(
            "unsupported-method",
            format!("`{what}#hash` is another number in each process, and cannot be asked for in a section"),
            Some(
                "use the value itself as a key; in the `hash` of a class, which keys are asked for, it runs"
                    .into(),
            ),
        );
    }
    told_hash(s, &call.receiver)
}

pub(super) fn told_hash(s: &mut Lowerer<'_>, of: &Operand) -> Operand {
    const BITS: i64 = 40;
    let number = s.send(of, "#hash", &[], 12);
    if number.is_bottom() {
        return number;
    }
    let mask = s.b.i64((1 << BITS) - 1);
    Operand::integer(s.b.binary(BinaryOp::And, number.value(), mask))
}

/// A number that is the same for what is alike (see [`Lowerer::has_hash`]).
pub(super) fn hash(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let receiver = &call.receiver;
    let number = match receiver.types.single() {
        Some(Type::Integer) => receiver.value(),
        Some(Type::Float) => {
            // 0.0 and -0.0 are alike.
            let zero = s.b.f64(-0.0);
            let is_zero = s.b.compare(Comparison::Eq, receiver.value(), zero);
            let value = s.b.select(is_zero, zero, receiver.value());
            s.b.unary(UnaryOp::BitsToI64, value)
        }
        Some(ty) if s.is_alike_by_members(ty) => {
            let items = super::structs::items(s, call);
            return s.send(&items, "#hash", &[], 1);
        }
        Some(ty) if s.is_alike_by_methods(ty) => return own_hash(s, receiver),
        Some(Type::Range { exclusive, .. }) => {
            let mut number = s.b.i64(2 + i64::from(*exclusive));
            let Some((low, high, _, of_low, of_high)) = crate::infer::range_ends(receiver) else {
                return Operand::bottom();
            };
            for (slot, end, of) in [(2, low, of_low), (3, high, of_high)] {
                let Some(end) = end else { continue };
                let end = if of == RangeEnd::Float { Operand::float(end) } else { Operand::integer(end) };
                let end = s.send(&end, "#hash", &[], slot);
                let both = s.b.binary(BinaryOp::Xor, number, end.value());
                number = s.mixed(both);
            }
            number
        }
        Some(ty) if is_held_range(ty) => {
            return s.opened(receiver, 0x10, &mut |s, range| s.send(&range, "#hash", &[], 14));
        }
        Some(Type::True) => s.b.i64(1),
        None if receiver.types == TypeSet::bool() => s.b.unary(UnaryOp::BoolToI64, receiver.value()),
        Some(Type::Module(class)) => s.b.i64(class.0.into()),
        Some(Type::Symbol | Type::Object(..) | Type::Made(_)) => return hash_of_identity(s, receiver),
        _ => s.b.i64(0),
    };
    Operand::integer(s.mixed(number))
}

/// That of a Symbol or object by which one it is.
pub(super) fn hash_of_identity(s: &mut Lowerer<'_>, value: &Operand) -> Operand {
    let number = s.b.unary(UnaryOp::ExtendI32, value.value());
    Operand::integer(s.mixed(number))
}
