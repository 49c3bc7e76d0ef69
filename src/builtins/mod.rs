//! Ruby's own methods: typing rule and lowering side by side, one file a class.
//!
//! A row is a name with either a rule (a Rust function that checks arguments and emits IR) or a method written in Ruby
//! in `core/`, which goes through the compiler as a user's method would: parsed when it is asked for first, since a
//! section calls few of them. Errors in the latter are reported at the caller's line. Rules get a receiver of one class
//! and check their arguments; what Ruby raises, they raise.
#![deny(unsafe_code)]

mod array;
mod array_parts;
mod big_integer;
#[cfg(test)]
mod catalogue;
mod changes;
mod column;
mod comparable;
mod complex_rational;
mod conversions;
mod date;
mod enumerator;
mod equality;
mod exception;
mod float;
mod format;
mod hash;
mod hash_defaults;
mod integer;
mod iteration;
mod kernel;
mod lazy;
mod made_hash;
mod math;
mod module;
mod number_identity;
mod numeric;
mod output;
mod outside;
mod packing;
mod procs;
mod random;
mod range;
mod range_steps;
mod recursion;
mod regexp;
mod rounding;
mod sequence;
mod several_arrays;
mod shown_objects;
pub(crate) mod sources;
mod string;
mod string_format;
mod structs;
mod tuple;
mod wide_integer;

use crate::infer::builtins::{
    Builtin, Builtins, Invocation, PRIMITIVE, Row, Rule, Takes, is_lazy, is_primitive, make_enumerator,
    wrong_count,
};
use crate::infer::enumerators::named as named_enumerator;
use crate::infer::keyword_splats::has_hash_splat;
use crate::infer::names::named;
use crate::infer::{Arguments, JoinIndex, Lowerer, Operand, is_held_range, keeps_text, text_of};
use crate::syntax::ast::Code;
use crate::types::{ClassId, Shape, Type, TypeSet};
use outside::Outside;
use sources::{ALIASES, has_ruby_method, is_large_text_method, is_value_method, ruby_method};
use std::rc::Rc;

pub(crate) const fn row(name: &'static str, rule: Rule) -> Row {
    Row { name, rule, takes: Takes::Understood }
}

/// A row of a primitive that takes Integers of any size.
pub(crate) const fn numeric(name: &'static str, rule: Rule) -> Row {
    Row { name, rule, takes: Takes::Numbers }
}

/// A row of a method without arguments.
pub(crate) const fn bare(name: &'static str, rule: Rule) -> Row {
    Row { name, rule, takes: Takes::None }
}

/// A row of a method to which it does not matter what its arguments are.
pub(crate) const fn carrying(name: &'static str, rule: Rule) -> Row {
    Row { name, rule, takes: Takes::Anything }
}

/// A carrying row of a method with keywords of its own.
pub(crate) const fn naming(name: &'static str, rule: Rule) -> Row {
    Row { name, rule, takes: Takes::Named }
}

/// A carrying row of a method that takes arrays of unknown length as further arguments.
pub(crate) const fn spreading(name: &'static str, rule: Rule) -> Row {
    Row { name, rule, takes: Takes::Spread }
}

/// The same, of one that hands all on, keywords too.
pub(crate) const fn forwarding(name: &'static str, rule: Rule) -> Row {
    Row { name, rule, takes: Takes::All }
}

/// All methods that there are.
pub(crate) struct Methods;

impl Builtins for Methods {
    fn lookup(&self, owner: ClassId, name: &str, ty: &Type) -> Option<Builtin> {
        lookup(owner, name, ty)
    }

    fn is_library(&self, module: &str) -> bool {
        outside::is_library(module)
    }

    fn hint_of_class(&self, class: &str, name: &str) -> Option<&'static str> {
        outside::of_class(class, name)
    }

    fn of_random(&self, name: &str) -> Option<Builtin> {
        random::lookup(name)
    }

    fn of_stream(&self, name: &str) -> Option<Builtin> {
        output::lookup(name)
    }

    fn of_set(&self, name: &str) -> Option<Rc<Code>> {
        of_set(name)
    }

    fn of_lazy(&self, name: &str) -> Option<&'static Row> {
        lazy::of_lazy(name)
    }

    fn of_own_each(&self, name: &str) -> Option<&'static Row> {
        of_own_each(name)
    }

    fn apply(&self, s: &mut Lowerer<'_>, row: &Row, call: &Invocation) -> Operand {
        match row.takes {
            Takes::Understood | Takes::Numbers if call.args.iter().any(holds_range) => {
                s.opened_arguments(call, 0..call.args.len(), &mut |s, call| self.apply(s, row, call))
            }
            Takes::None | Takes::Understood | Takes::Numbers | Takes::Named
                if has_hash_splat(&call.keywords) =>
            {
                // Without digits Integers do not look at any.
                let is_integer = call.receiver.types.single() == Some(&Type::Integer);
                if row.name == "round" && is_integer && call.args.is_empty() {
                    return call.receiver.clone();
                }
                let Some(names) = rounding::keywords_of(row.name) else {
                    return s.refuse_hash_splat("of a Hash for a method of Ruby's own");
                };
                match s.keywords_of_spread(&call.keywords, names) {
                    Some(keywords) => {
                        self.apply(s, row, &Invocation { keywords, ..call.with_args(call.args.clone()) })
                    }
                    None => Operand::bottom(),
                }
            }
            Takes::None if !call.keywords.is_empty() => {
                s.count_arguments(call, 0, 0);
                Operand::bottom()
            }
            Takes::None if !call.args.is_empty() => wrong_count(s, call.args.len(), "0"),
            Takes::Understood | Takes::Numbers if call.args.iter().any(|arg| s.holds_opaque(arg)) => {
                match s.understood(call, 0..call.args.len()) {
                    Some(call) => self.apply(s, row, &call),
                    None => Operand::bottom(),
                }
            }
            Takes::Understood if is_primitive(row.name) && call.args.iter().any(big_integer::holds_one) => {
                match s.without_big_integers(call) {
                    Some(call) => (row.rule)(s, &call),
                    None => Operand::bottom(),
                }
            }
            Takes::Anything | Takes::Spread if !call.keywords.is_empty() => {
                match s.with_keyword_hash(&call.arguments(false)) {
                    Some(Arguments { positional: args, .. }) => {
                        (row.rule)(s, &Invocation { keywords: vec![], ..call.with_args(args) })
                    }
                    None => Operand::bottom(),
                }
            }
            _ => (row.rule)(s, call),
        }
    }

    fn each_item(
        &self,
        s: &mut Lowerer<'_>,
        sequence: &Operand,
        body: &mut dyn FnMut(&mut Lowerer<'_>, Operand, JoinIndex, JoinIndex),
    ) -> Operand {
        s.each_item(sequence, body)
    }

    fn enumerates(&self, ty: &Type, name: &str, arguments: usize) -> bool {
        enumerator::enumerates(ty, name, arguments)
    }

    fn changes_strings(&self, name: &str) -> bool {
        changes_strings(name)
    }

    fn is_value_method(&self, code: &Code) -> bool {
        is_value_method(code)
    }

    fn is_large_text_method(&self, code: &Code) -> bool {
        is_large_text_method(code)
    }

    fn hint(&self, owner: ClassId, owner_name: &str, name: &str) -> String {
        hint(owner, owner_name, name)
    }
}

/// Ruby's own method `name`, defined by `owner`, for receivers of type `ty`.
pub(crate) fn lookup(owner: ClassId, name: &str, ty: &Type) -> Option<Builtin> {
    if keeps_text(owner) && name == "initialize" {
        return Some(Builtin::Rule(&exception::INITIALIZE));
    }
    let (tables, modules): (&[&'static [Row]], &[&str]) = match ty {
        Type::Hash(..) if owner == ClassId::HASH && !is_primitive(name) => {
            (&[hash::MADE_ROWS, hash::ROWS, hash_defaults::ROWS, hash::ITSELF], &["MadeHash", "Hash"])
        }
        ty if ty.is_hash() && owner == ClassId::HASH && !is_primitive(name) => {
            (&[hash::MADE_ROWS, hash::ROWS, hash_defaults::ROWS, hash::ITSELF], &["MadeHash", "Hash"])
        }
        ty if ty.is_hash() && matches!(name, "dup" | "clone") => (&[hash::COPIES], &[]),
        ty if ty.is_hash() && (owner == ClassId::ENUMERABLE || is_primitive(name)) => (
            &[hash::PRIMITIVES, hash_defaults::PRIMITIVES, hash::ENUMERABLE, sequence::ROWS],
            &["MadeHash", "Hash", "Packed", "Enumerable"],
        ),
        ty if ty.is_string() && (owner == ClassId::STRING || is_primitive(name)) => (
            &[
                string::ROWS,
                packing::ROWS,
                string::COMMON,
                string::PRIMITIVES,
                regexp::OF_SOURCES,
                string::REFUSALS,
                comparable::ROWS,
            ],
            &["ChangedString", "String", "Comparable"],
        ),
        Type::Object(..) | Type::Record(_) | Type::Made(_)
            if owner == ClassId::REGEXP
                || is_primitive(name) && crate::infer::class_of(ty) == ClassId::REGEXP =>
        {
            (&[regexp::PRIMITIVES], &["Regexp"])
        }
        Type::Record(_) | Type::Made(_)
            if name == "frozen?" && crate::infer::class_of(ty) == ClassId::REGEXP =>
        {
            (&[regexp::MADE_ROWS], &[])
        }
        // One that was there before the section has nothing that a section could read.
        Type::Record(_) | Type::Made(_)
            if owner == ClassId::MATCH_DATA
                || is_primitive(name) && crate::infer::class_of(ty) == ClassId::MATCH_DATA =>
        {
            (&[regexp::FOUND_ROWS], &["MatchData"])
        }
        Type::Object(..) | Type::Record(_) | Type::Made(_)
            if crate::infer::class_of(ty) == ClassId::DATE
                && let Some(module) = number_module(owner, name, ty) =>
        {
            (&[complex_rational::ROWS, comparable::ROWS], module)
        }
        Type::Object(..) | Type::Record(_) | Type::Made(_)
            if let Some(module) = number_module(owner, name, ty) =>
        {
            let class = crate::infer::class_of(ty);
            let wide = if class == ClassId::WIDE_INTEGER { wide_integer::ROWS } else { &[] };
            let [rounding, counting] = match class.in_ruby() {
                ClassId::INTEGER => [big_integer::ROUNDING, big_integer::COUNTING],
                _ => [&[][..]; 2],
            };
            (&[wide, rounding, counting, complex_rational::ROWS, big_integer::ROWS, comparable::ROWS], module)
        }
        Type::Object(_, ClassId::ENCODING) if owner == ClassId::ENCODING || is_primitive(name) => {
            (&[], &["Encoding"])
        }
        ty if ty.is_string() && owner == ClassId::COMPARABLE => (&[comparable::ROWS], &["Comparable"]),
        ty if ty.is_string() => (&[string::COMMON], &[]),
        Type::Integer => (
            &[integer::ROWS, big_integer::OF_WORDS, rounding::INTEGER_ROWS, numeric::ROWS, comparable::ROWS],
            &["Integer", "Numeric", "Comparable"],
        ),
        Type::Float => (
            &[float::ROWS, rounding::FLOAT_ROWS, numeric::ROWS, comparable::ROWS],
            &["Float", "Numeric", "Comparable"],
        ),
        Type::Array(_) | Type::Tuple(_) | Type::List(_) => (
            &[array::ROWS, packing::ARRAY_ROWS, changes::ROWS, sequence::ROWS],
            &["Array", "Packed", "Enumerable"],
        ),
        Type::Column(..) => (&[column::ROWS, sequence::ROWS], &["Column", "Packed", "Enumerable", "Array"]),
        ty if ty.is_text_range() => {
            let of_dates = ty.is_date_range();
            let is_of_items = range::OF_TEXTS.contains(&name) || has_ruby_method("Packed", name);
            if owner == ClassId::ENUMERABLE || is_of_items {
                return Some(Builtin::Rule(&range::TEXT_ITEMS));
            }
            let rule = range::TEXT_ROWS.iter().find(|row| row.name == name).map(Builtin::Rule);
            let modules: &[&str] = if of_dates { &["DateRange", "TextRange"] } else { &["TextRange"] };
            let in_ruby = || modules.iter().find_map(|module| ruby_method(module, name));
            let found = rule.or_else(|| in_ruby().map(Builtin::Ruby));
            let is_of_all = is_primitive(name) || is_common(owner) && range::OF_ALL.contains(&name);
            if found.is_some() || !is_of_all {
                return found;
            }
            (&[], &[])
        }
        Type::Range { .. } => (&[range::ROWS, sequence::ROWS], &["Range", "Packed", "Enumerable"]),
        ty if is_lazy(ty) => (&[lazy::ROWS, enumerator::ROWS, sequence::ROWS], &["Enumerator", "Enumerable"]),
        Type::Enumerator(..) => (&[enumerator::ROWS, sequence::ROWS], &["Enumerator", "Enumerable"]),
        Type::Module(ClassId::ARRAY) => (&[array::MODULE_ROWS, module::ROWS], &[]),
        Type::Module(ClassId::HASH) => (&[hash::MODULE_ROWS, module::ROWS], &[]),
        Type::Module(ClassId::RANGE) => (&[range::MODULE_ROWS, module::ROWS], &[]),
        Type::Module(ClassId::STRING) => (&[string::MODULE_ROWS, module::ROWS], &[]),
        Type::Module(ClassId::MATH) => (&[math::ROWS, module::ROWS], &["Math"]),
        Type::Module(ClassId::COMPLEX) => (&[module::ROWS], &["ComplexClass"]),
        Type::Module(ClassId::DATE) => (&[date::MODULE_ROWS, module::ROWS], &["DateClass"]),
        Type::Module(ClassId::ENUMERATOR) => (&[enumerator::MODULE_ROWS, module::ROWS], &[]),
        Type::Module(ClassId::REGEXP) => (&[regexp::MODULE_ROWS, module::ROWS], &["RegexpClass"]),
        Type::Module(_) => (&[module::ROWS], &[]),
        Type::Made(_) if keeps_text(owner) && !is_primitive(name) => (&[exception::KEEPING], &[]),
        Type::Made(_) if owner == ClassId::EXCEPTION || exception::PRIMITIVES.contains(&name) => {
            (&[exception::ROWS], &["Exception"])
        }
        Type::Object(..) | Type::Record(_) | Type::Made(_)
            if owner == ClassId::COMPARABLE || is_primitive(name) =>
        {
            (&[comparable::ROWS], &["Comparable", "Struct", "Enumerable"])
        }
        Type::Building(..) if matches!(owner, ClassId::STRUCT | ClassId::DATA) && name == "initialize" => {
            return Some(Builtin::Rule(&structs::INITIALIZE));
        }
        Type::Object(..) | Type::Record(_) | Type::Made(_) if owner == ClassId::DATA => {
            let rule = structs::DATA_ROWS.iter().find(|row| row.name == name).map(Builtin::Rule);
            return rule.or_else(|| {
                matches!(name, "==" | "eql?" | "inspect" | "to_s")
                    .then(|| ruby_method("Struct", name).map(Builtin::Ruby))?
            });
        }
        Type::Object(..) | Type::Record(_) | Type::Made(_) if owner == ClassId::STRUCT => {
            let rule = structs::ROWS.iter().find(|row| row.name == name).map(Builtin::Rule);
            return rule.or_else(|| ruby_method("Struct", name).map(Builtin::Ruby));
        }
        Type::Object(..) | Type::Record(_) | Type::Made(_) if owner == ClassId::ENUMERABLE => {
            return Some(Builtin::Rule(&structs::ENUMERABLE));
        }
        Type::Object(..) if matches!(owner, ClassId::PROC | ClassId::METHOD) => {
            let rows = if owner == ClassId::PROC { procs::ROWS } else { procs::METHOD_ROWS };
            return rows.iter().chain(procs::HELD_ROWS).find(|row| row.name == name).map(Builtin::Rule);
        }
        // A class in C with a `==` of its own compares what a section does not see.
        Type::Object(..) | Type::Made(_) if !is_common(owner) => return None,
        Type::Nil => (&[kernel::NIL_ROWS, kernel::LOGIC_ROWS], &["NilClass"]),
        Type::True => (&[kernel::LOGIC_ROWS], &["TrueClass"]),
        Type::False => (&[kernel::LOGIC_ROWS], &["FalseClass"]),
        Type::Symbol if owner == ClassId::COMPARABLE || is_primitive(name) => {
            (&[kernel::SYMBOL_ROWS, comparable::ROWS], &["Symbol", "Comparable"])
        }
        Type::Symbol => (&[kernel::SYMBOL_ROWS], &["Symbol"]),
        Type::Proc(_) | Type::Closure(..) if owner == ClassId::METHOD => {
            (&[procs::METHOD_ROWS, procs::HELD_ROWS], &[])
        }
        Type::Proc(_) | Type::Closure(..) if owner == ClassId::PROC => {
            (&[procs::ROWS, procs::HELD_ROWS], &[])
        }
        _ => (&[], &[]),
    };
    if owner == ClassId::BASIC_OBJECT && name == "initialize" {
        return Some(Builtin::Rule(&kernel::INITIALIZE));
    }
    for table in tables {
        if let Some(row) = table.iter().find(|row| row.name == name) {
            return Some(Builtin::Rule(row));
        }
    }
    for module in modules {
        let name = ALIASES.iter().find(|a| (a.0, a.1) == (*module, name)).map_or(name, |a| a.2);
        if let Some(code) = ruby_method(module, name) {
            return Some(Builtin::Ruby(code));
        }
    }
    // A copy of a class, or of what Ruby's own classes are, would be one that does not exist.
    if matches!(name, "dup" | "clone")
        && matches!(ty, Type::Object(_, class) if !class.is_plain() && *class != ClassId::RANDOM)
        || matches!(ty, Type::Column(..) | Type::Module(_)) && matches!(name, "dup" | "clone")
    {
        return None;
    }
    // Freezing what exists would have to be seen everywhere; arrays and Hashes have rules of their own.
    if name == "freeze"
        && !matches!(
            ty.shape(),
            Shape::Nil | Shape::Bool | Shape::Integer | Shape::Float | Shape::Symbol | Shape::Made
        )
        && !matches!(
            ty,
            Type::Record(_)
                | Type::Building(..)
                | Type::Range { .. }
                | Type::Array(_)
                | Type::List(_)
                | Type::Tuple(_)
                | Type::Hash(..)
        )
    {
        return None;
    }
    // What has an order of its own, or shows itself, does not do so as all objects do.
    if matches!(name, "<=>" | "inspect" | "to_s") && !is_common(owner) {
        return None;
    }
    if let Some(row) = kernel::ROWS
        .iter()
        .chain(recursion::ROWS)
        .chain(complex_rational::OF_ALL)
        .chain(date::OF_ALL)
        .chain(big_integer::OF_ALL)
        .chain(output::ROWS)
        .chain(regexp::LAST_MATCH)
        .find(|row| row.name == name)
    {
        return Some(Builtin::Rule(row));
    }
    let name = if name == "yield_self" { "then" } else { name };
    ruby_method("Kernel", name).map(Builtin::Ruby)
}

/// The modules that have the methods of what is known by its parts: its own, and those of Numeric and Comparable.
fn number_module(owner: ClassId, name: &str, ty: &Type) -> Option<&'static [&'static str]> {
    let class = crate::infer::class_of(ty);
    class.parts()?;
    let is_own = owner == class || owner == ClassId::NUMERIC || owner == ClassId::COMPARABLE;
    let is_own = is_own || owner == class.in_ruby();
    (is_own || is_primitive(name)).then_some(match class {
        ClassId::BIG_INTEGER => &["BigInteger", "Numeric", "Comparable"],
        // What it has not is called on one of any size.
        ClassId::WIDE_INTEGER => &["WideInteger", "BigInteger", "Numeric", "Comparable"],
        ClassId::COMPLEX => &["Complex", "Numeric"],
        ClassId::DATE => &["Date", "Comparable"],
        _ => &["Rational", "Numeric", "Comparable"],
    })
}

/// A method of Enumerable's over an `each` of the user's.
pub(crate) fn of_own_each(name: &str) -> Option<&'static Row> {
    let enumerator = Type::Enumerator("each".into(), Rc::new([]));
    let found = lookup(ClassId::ENUMERABLE, name, &enumerator);
    found.map(|_| &enumerator::OWN_EACH)
}

/// Is it a function of Kernel's about what sections do not have at all, such as input?
pub(crate) fn of_world(name: &str) -> bool {
    let about = outside::outside(ClassId::KERNEL, name);
    outside::of_kernel(name).is_some() || matches!(about, Some(Outside::World))
}

/// Do all objects have the methods of this class or module?
pub(crate) const fn is_common(owner: ClassId) -> bool {
    matches!(owner, ClassId::OBJECT | ClassId::KERNEL | ClassId::BASIC_OBJECT | ClassId::COMPARABLE)
}

const RANDOM: &str = "draw numbers with rand, and make of them what is to be made behind the section";

/// Of `inspect` and `to_s` as all objects have them.
const SHOWN: &str = "give its class a method of that name: Ruby's shows where the object is in memory, which a section does not \
                     know; or write it before or after the section";

/// What to do instead of a method that does not run.
pub(crate) fn hint(owner: ClassId, owner_name: &str, name: &str) -> String {
    if let Some(hint) = outside::of_class(owner_name, name) {
        return hint.into();
    }
    if is_common(owner) && matches!(name, "inspect" | "to_s") {
        return SHOWN.into();
    }
    if (is_common(owner) || name.starts_with("to_"))
        && let Some(hint) = outside::of_kernel(name)
    {
        return hint.into();
    }
    match name {
        _ if matches!(owner_name, "Time" | "Date" | "DateTime" | "Process::Status" | "Process") => {
            "keep numbers, taken before the section: time.to_f, date.jd, or a difference of two of them".into()
        }
        _ if matches!(owner_name, "Regexp" | "MatchData") => {
            "ask it before the section, and keep what it tells".into()
        }
        _ if matches!(owner_name, "Method" | "UnboundMethod") => {
            "call the method by its name, as in `account.interest(x)`, or take the Method into a local variable".into()
        }
        _ if owner_name.starts_with("Random") && name != "rand" => RANDOM.into(),
        "to_proc" | "curry" | "method" | "unbind" | "<<" | ">>" if owner != ClassId::ARRAY => {
            "write a block or lambda that makes the call, as in `->(x) { x.succ }`".into()
        }
        "compare_by_identity" | "rehash" if owner == ClassId::HASH => {
            "change its pairs one by one, with []= and delete, or do it before the section".into()
        }
        _ if owner == ClassId::HASH => {
            "write it with the methods of Hash that run, which docs/ruby.md has, or do it before the section".into()
        }
        _ if owner_name == "String" => {
            "write it with the methods of String that run, which docs/ruby.md has, or do it before the section".into()
        }
        "map" | "collect" | "select" | "filter" | "reject" | "dup" | "clone" | "fill"
            if owner == ClassId::COLUMN =>
        {
            "a section makes no columns: go through the items with each, write them one by one, or take to_a".into()
        }
        "dup" | "clone" if owner != ClassId::ARRAY => {
            "make a value object with `new` and the values that it is to have, or copy it before the section".into()
        }
        "new" if owner_name == "Range" => "write the range out, as in `a..b` or `a...b`".into(),
        "new" | "allocate" => "make objects before the section; a section works on those that exist".into(),
        "<<" | "push" | "append" | "pop" | "shift" | "unshift" | "insert" | "concat" | "delete"
        | "delete_at" | "clear" | "compact!"
            if owner == ClassId::ARRAY =>
        {
            "only Arrays of the class Array itself change in a section: have such a one in the object".into()
        }
        _ if owner == ClassId::EXCEPTION => {
            "ask it for its message and class; the rest behind the section, of one that leaves it".into()
        }
        _ if owner == ClassId::STRUCT => "call its members, as in `a.x == b.x && a.y == b.y`".into(),
        _ if outside::outside(owner, name).is_some() => {
            outside::outside(owner, name).map_or_else(String::new, |kind| kind.hint().into())
        }
        _ => "do it before or after the section, or in an `Ikra.sync` block in it; or write it with arithmetic, comparisons \
              and loops"
            .into(),
    }
}

/// A method of Ruby's own Set that runs from `core/` instead of its source.
pub(crate) fn of_set(name: &str) -> Option<Rc<Code>> {
    let name = match name {
        "union" | "+" => "|",
        "difference" => "-",
        "filter!" => "select!",
        "to_s" => "inspect",
        name => name,
    };
    ruby_method("Set", name)
}

/// Does a method of String change the receiver?
pub(crate) fn changes_strings(name: &str) -> bool {
    matches!(name, "sub!" | "gsub!") || has_ruby_method("ChangedString", name)
}

/// Can it be a Range from before the section?
pub(crate) fn holds_range(operand: &Operand) -> bool {
    operand.types.iter().any(is_held_range)
}

impl Lowerer<'_> {
    fn holds_opaque(&self, operand: &Operand) -> bool {
        operand.types.iter().any(|ty| self.is_opaque(ty))
    }

    /// The call without the opaque values that these arguments could be: they fail, or are refused where there are no
    /// others. Ranges are known: where they mean something they have been opened before.
    pub(crate) fn understood(
        &mut self,
        call: &Invocation,
        which: std::ops::Range<usize>,
    ) -> Option<Invocation> {
        let mut args = call.args.clone();
        for i in which {
            let Some(arg) = call.args.get(i) else { break };
            let opaque = arg.types.filter(|ty| self.is_opaque(ty) && !is_held_range(ty));
            if opaque.is_empty() {
                continue;
            }
            let (what, hint) = self.opaque_message(call, &opaque);
            let rest = arg.types.filter(|ty| !opaque.contains(ty));
            if rest.is_empty() {
                self.refuse_here("unsupported-argument", what, Some(hint));
                return None;
            }
            let is_opaque = self.is_one_of(arg, &opaque);
            let ok = self.b.unary(crate::ir::UnaryOp::Not, is_opaque.value);
            let told = format!("{what} [unsupported-argument]\n  hint: {hint}");
            self.check(ok, crate::ir::ErrorKind::Unsupported(told), &[]);
            args[i] = self.narrow(arg, &rest);
        }
        Some(call.with_args(args))
    }

    /// What is said of an argument that is not understood, and what to do instead.
    fn opaque_message(&mut self, call: &Invocation, opaque: &TypeSet) -> (String, String) {
        let name = match call.name.strip_prefix(PRIMITIVE) {
            Some(part) => self.public_name().unwrap_or_else(|| part.into()),
            None => call.name.clone(),
        };
        let message = format!("`{name}` with {} cannot run in a section", self.describe(opaque));
        let is = |class| opaque.iter().all(|ty| self.host.is_subclass(crate::infer::class_of(ty), class));
        let hint = if is(ClassId::NUMERIC) {
            "use Integer, Float, Rational or Complex"
        } else if is(ClassId::ARRAY) {
            "make an Array of it before the section: Array.new(list)"
        } else {
            "take from it what the section needs before the section: numbers, Symbols, arrays of these"
        };
        (message, hint.into())
    }

    /// The only argument, or an ArgumentError.
    pub(crate) fn one_argument(&mut self, call: &Invocation) -> Option<Operand> {
        self.count_arguments(call, 1, 1).then(|| call.args[0].clone())
    }

    /// Checks the number of arguments.
    pub(crate) fn count_arguments(&mut self, call: &Invocation, least: usize, most: usize) -> bool {
        if !call.keywords.is_empty() {
            self.refuse_here(
                "unsupported-method",
                format!("`{}` with keyword arguments cannot run in a section", call.name),
                Some("use its positional form".into()),
            );
            return false;
        }
        let given = call.args.len();
        if (least..=most).contains(&given) {
            return true;
        }
        // Perhaps a form of Ruby's that is not in the tables, perhaps a mistake: either way it does not run.
        let what = match given {
            0 => "without arguments".into(),
            1 => "with an argument".into(),
            n => format!("with {n} arguments"),
        };
        self.refuse_here(
            "unsupported-method",
            format!("`{}` {what} cannot run in a section", call.name),
            Some("use another form of it, or write it with a loop".into()),
        );
        false
    }
}
