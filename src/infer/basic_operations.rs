//! Which of Ruby's own methods Ruby's own methods mean, whatever has been redefined.
//!
//! MRI's core is C, and C does not call methods to add two Integers. So what built-ins are made of, in Rust or in Ruby,
//! is Ruby's own, whatever the class has by that name (`own`). What C does call as a method (`to_s`, `coerce`, `each`
//! of a user's class) is a *protocol*, which is looked up as a call of the user's is. Between the two is what a method
//! in C calls, or asks about, where a section does neither: `OPTIMIZED_CMP` compares Integers itself unless
//! `Integer#<=>` is another one. These are listed for each method (`asked`). A section that comes to one of them while
//! what it calls is redefined is refused with both names (`redefined-method`). Which methods are Ruby's own is part of
//! a version's assumptions, so a redefinition between two calls is seen. Methods that are undefined or removed are
//! found by the same lookup, as NoMethodErrors.

use super::builtins::{Builtin, Builtins};
use super::class_of;
use crate::types::{ClassId, Type};

/// What MRI calls with `rb_funcall` and its like, on its own objects too.
const PROTOCOLS: &[&str] = &[
    "!",
    "==",
    "===",
    "<=>",
    "=~",
    "coerce",
    "deconstruct",
    "deconstruct_keys",
    "dig",
    "each",
    "eql?",
    "exception",
    "hash",
    "initialize",
    "initialize_copy",
    "inspect",
    "message",
    "method_missing",
    "respond_to_missing?",
    "to_a",
    "to_ary",
    "to_hash",
    "to_int",
    "to_proc",
    "to_s",
    "to_str",
    "to_sym",
];

/// The same, of those that the Ruby of built-ins writes for its own numbers. Where it asks a user's object it says so by a
/// primitive: `__equals`, `__asked_order`.
const OF_OWN_NUMBERS: &[&str] = &["==", "<=>", "each"];

/// What C does itself with objects of all classes.
const OF_ALL: &[&str] = &[
    "__id__",
    "class",
    "equal?",
    "frozen?",
    "instance_of?",
    "is_a?",
    "kind_of?",
    "nil?",
    "object_id",
    "raise",
];

/// Does a rule that calls a method of this name want Ruby's own?
pub(crate) fn is_own(name: &str) -> bool {
    !PROTOCOLS.contains(&name)
}

/// Does the Ruby of a built-in that calls a method of this name?
pub(crate) fn is_own_in_ruby(name: &str) -> bool {
    !PROTOCOLS.contains(&name) || OF_OWN_NUMBERS.contains(&name)
}

/// What MRI calls by `<=>` where a section compares as these classes do themselves.
const ORDERED: &[ClassId] =
    &[ClassId::INTEGER, ClassId::FLOAT, ClassId::STRING, ClassId::SYMBOL, ClassId::ARRAY];

/// The methods that a method made in C calls and a section does not, by their classes: redefined, they would be
/// followed. (MRI's `OPTIMIZED_CMP` asks whether they are; `r_less` of Ranges, and what Range leaves to Enumerable, call
/// them in any case; `int_negative_p` asks about `<`.) What belongs to Enumerable calls `each`, wherever it is.
///
/// `Integer#times` of later Rubies is written in Ruby, see `Lowerer::asks_redefined`.
pub(crate) fn asked(owner: ClassId, name: &str) -> impl Iterator<Item = (ClassId, &'static str)> + use<> {
    const EACH: &[&str] =
        &["to_a", "entries", "first", "last", "count", "sum", "min", "max", "minmax", "reverse_each"];
    const SETS: &[&str] =
        &["-", "&", "|", "uniq", "union", "difference", "intersection", "intersect?", "eql?"];
    let (mut compares, mut iterates, mut signs) = (false, false, false);
    // What is no number is added by its own `+`.
    let adds = matches!(owner, ClassId::ARRAY | ClassId::ENUMERABLE) && name == "sum";
    let added = if adds { &[ClassId::STRING, ClassId::ARRAY, ClassId::COMPLEX][..] } else { &[] };
    let added = added.iter().map(|class| (*class, "+"));
    // `rb_eql_opt` looks whether `Integer#==` is Ruby's own, and else asks `eql?`, which asks it.
    let equates = match owner {
        ClassId::ARRAY => SETS.contains(&name),
        ClassId::RANGE => ["step", "%"].contains(&name),
        ClassId::NUMERIC => ["eql?", "step"].contains(&name),
        _ => false,
    };
    match owner {
        ClassId::RANGE => {
            compares = ["===", "include?", "member?", "cover?", "min", "max", "minmax"].contains(&name);
            iterates = EACH.contains(&name);
            signs = ["last", "step", "%"].contains(&name);
        }
        ClassId::ARRAY | ClassId::ENUMERABLE => compares = ["min", "max", "minmax"].contains(&name),
        ClassId::COMPARABLE => compares = ["clamp", "between?"].contains(&name),
        ClassId::INTEGER => signs = ["digits", "remainder"].contains(&name),
        ClassId::NUMERIC => signs = name == "step",
        _ => {}
    }
    let ordered = if compares { ORDERED } else { &[] };
    let ordered = ordered.iter().map(|class| (*class, "<=>"));
    let each = iterates.then_some((ClassId::RANGE, "each"));
    // `range_to_a` calls `super`.
    let above = matches!((owner, name), (ClassId::RANGE, "to_a" | "entries"))
        .then_some((ClassId::ENUMERABLE, "to_a"));
    let equal = if equates { &["==", "eql?"][..] } else { &[] };
    let equal = equal.iter().map(|name| (ClassId::INTEGER, *name));
    let others = if equates && owner == ClassId::ARRAY { EQUATED } else { &[] };
    let equal = equal.chain(others.iter().map(|class| (*class, "eql?")));
    // `rb_hash_default_value`
    let missing = matches!((owner, name), (ClassId::HASH, "[]" | "dig" | "values_at" | "to_proc"))
        .then_some((ClassId::HASH, "default"));
    let signs = signs.then_some((ClassId::INTEGER, "<"));
    ordered.chain(missing).chain(each).chain(above).chain(signs).chain(equal).chain(added)
}

/// What set operations on short arrays ask `eql?`, besides Integers and what has parts.
const EQUATED: &[ClassId] = &[ClassId::STRING, ClassId::SYMBOL, ClassId::FLOAT, ClassId::NIL];

/// The same that hang on the receiver: what `new` and `dup` of these classes call.
pub(crate) fn asked_of(ty: &Type, owner: ClassId, name: &str) -> &'static [&'static str] {
    const COPIED: &[ClassId] = &[ClassId::ARRAY, ClassId::HASH, ClassId::STRING];
    let is_copy =
        owner == ClassId::KERNEL && !matches!(ty, Type::Module(_)) && COPIED.contains(&class_of(ty));
    match (ty, name) {
        (
            Type::Module(ClassId::ARRAY | ClassId::HASH | ClassId::STRING | ClassId::RANGE | ClassId::REGEXP),
            "new",
        ) => &["initialize"],
        (_, "dup") if is_copy => &["initialize_dup", "initialize_copy"],
        (_, "clone") if is_copy => &["initialize_clone", "initialize_copy"],
        _ => &[],
    }
}

/// What a method made in C asks of core classes that they do not have, unless somebody has added it.
pub(crate) fn asked_if_added(owner: ClassId, name: &str) -> impl Iterator<Item = (ClassId, &'static str)> {
    const JOINED: &[ClassId] = &[ClassId::INTEGER, ClassId::FLOAT, ClassId::SYMBOL, ClassId::NIL];
    let joins = owner == ClassId::ARRAY && name == "join";
    let joined = if joins { JOINED } else { &[] };
    joined.iter().map(|class| (*class, "to_str"))
}

/// Classes and modules that could define a method of Ruby's own which receivers of the type have, from the nearest on.
fn owners(ty: &Type) -> impl Iterator<Item = ClassId> {
    let above: &[ClassId] = match ty {
        Type::Integer | Type::Float => &[ClassId::NUMERIC, ClassId::COMPARABLE],
        Type::Symbol => &[ClassId::COMPARABLE],
        ty if ty.is_string() => &[ClassId::COMPARABLE],
        Type::Module(_) => &[ClassId::CLASS, ClassId::MODULE],
        Type::Nil | Type::True | Type::False | Type::Proc(_) | Type::Closure(..) => &[],
        ty if class_of(ty).parts().is_some() => &[ClassId::NUMERIC, ClassId::COMPARABLE],
        ty if matches!(class_of(ty), ClassId::MATCH_DATA | ClassId::REGEXP) => &[],
        _ => &[ClassId::ENUMERABLE],
    };
    let own = class_of(ty);
    std::iter::once(own).chain(above.iter().copied()).chain([
        ClassId::KERNEL,
        ClassId::OBJECT,
        ClassId::BASIC_OBJECT,
    ])
}

/// Is it of a class whose objects Ruby's C knows?
fn is_core(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Nil
            | Type::True
            | Type::False
            | Type::Integer
            | Type::Float
            | Type::Symbol
            | Type::Array(_)
            | Type::Tuple(_)
            | Type::List(_)
            | Type::Range { .. }
            | Type::Enumerator(..)
            | Type::Column(..)
            | Type::Module(_)
            | Type::Proc(_)
            | Type::Closure(..)
    ) || ty.is_hash()
        || ty.is_string()
        || matches!(class_of(ty), ClassId::MATCH_DATA | ClassId::REGEXP)
        || class_of(ty).parts().is_some()
}

/// Ruby's own method of that name, and who defines it.
pub(crate) fn own(builtins: &dyn Builtins, ty: &Type, name: &str) -> Option<(ClassId, Builtin)> {
    let is_part = class_of(ty).parts().is_some_and(|parts| parts.contains(&name));
    if is_part || !is_core(ty) && !OF_ALL.contains(&name) {
        return None;
    }
    owners(ty).find_map(|owner| builtins.lookup(owner, name, ty).map(|found| (owner, found)))
}
