//! `docs/ruby.md`: what of Ruby's own classes runs, read off the tables. The document is checked by the test below and
//! written by `rake docs:ruby`.

use super::outside::outside;
use super::{hint, lookup, random};
use crate::types::{ArrayKind, ClassId, HashSort, HierarchyId, ListKind, RangeEnd, RecordType, Type};
use std::fmt::Write;

/// Methods that are syntax: `infer` knows them, not the tables.
const SPECIAL: &[&str] = &["raise", "fail", "lambda", "proc", "block_given?", "loop", "catch", "throw"];

/// What a method that runs does not take.
const LIMITS: &[(&str, &str, &str)] = &[
    (
        "Integer",
        "**",
        "a negative exponent that is not written out is unsupported, except of 1 and -1: Ruby returns a Rational; so is one \
         beyond 64 bits",
    ),
    ("Integer", "pow", "as `**`"),
    ("Integer", "round", "`half:` is a literal symbol; without it beyond 64 bits"),
    ("Integer", "times", "of up to 64 bits"),
    ("Integer", "upto", "of and to 64 bits"),
    ("Integer", "downto", "of and to 64 bits"),
    ("Float", "**", "a fractional exponent of a negative number is unsupported: Ruby returns a Complex"),
    ("Float", "floor", "up to 22 digits"),
    ("Float", "ceil", "up to 22 digits"),
    ("Float", "truncate", "up to 22 digits"),
    ("Float", "round", "up to 18 digits, and more where they keep the number; `half:` is a literal symbol"),
    ("Array", "flatten", "to a depth that is written out"),
    ("Array", "freeze", "of an array made in the section"),
    ("Array", "sample", "by the generator of `rand` in blocks, or a Random"),
    ("Array", "shuffle", "by the generator of `rand` in blocks, or a Random"),
    (
        "Hash",
        "[]",
        "by all but NaN; of more than 256 objects whose class has an `eql?` of its own, only where the section changes it",
    ),
    (
        "Enumerable",
        "lazy",
        "of what yields one value at a time; without `zip`, `chunk`, `chunk_while`, `slice_when` and the like of it",
    ),
    ("Hash", "default=", "not of a lambda"),
    ("Hash", "default_proc=", "of nil"),
    ("Hash", "flatten", "to a depth that is written out"),
    ("Hash", "replace", "where neither has a default"),
    ("String", "capitalize", "without :turkic and such"),
    ("String", "downcase", "without :turkic and such"),
    ("Array", "pack", "by a format that is written out, or `U*` and `C*`; of Integers of 64 bits"),
    ("Integer", "chr", "of encodings with UTF-8"),
    ("String", "encode", "where the bytes stay: of ASCII, or in the encoding that it has"),
    ("String", "each_line", "not with an empty separator"),
    ("String", "gsub", "by patterns on the CPU only"),
    ("String", "lines", "not with an empty separator"),
    ("String", "next", "of ASCII"),
    ("String", "split", "by patterns on the CPU only"),
    ("String", "sub", "by patterns on the CPU only"),
    ("String", "succ", "of ASCII"),
    ("String", "swapcase", "without :turkic and such"),
    ("String", "upcase", "without :turkic and such"),
    ("String", "unpack", "by a format that is written out"),
    ("String", "unpack1", "by a format that is written out"),
    ("String", "upto", "of ASCII"),
    ("Date", "+", "of whole days"),
    ("Date", "-", "of whole days, or another Date"),
    ("Date", "<<", "by an Integer"),
    ("Date", ">>", "by an Integer"),
    ("Date", "step", "by an Integer"),
    ("Date.", "iso8601", "of YYYY-MM-DD, YYYYMMDD, YYYY-DDD and YYYY-Www-D"),
    ("Date.", "parse", "of YYYY-MM-DD, YYYYMMDD, YYYY-DDD and YYYY-Www-D"),
    ("Date.", "strptime", "by %Y %y %m %b %B %h %d %e %j %F and %%"),
    ("Kernel", "to_enum", "with a literal symbol"),
    ("Kernel", "enum_for", "with a literal symbol"),
    ("Math.", "gamma", "less exact on a GPU: within 10 units in the last place"),
    ("Math.", "lgamma", "less exact on a GPU: within 20 units in the last place, but near its zeros"),
    ("Math.", "erfc", "less exact on a GPU: within 6 units in the last place"),
    ("Math.", "tanh", "less exact on a GPU: within 3 units in the last place"),
    ("Kernel functions", "Integer", "of numbers, Strings, and objects with a `to_int` or `to_i`"),
    ("Kernel functions", "Float", "of numbers, Strings, and objects with a `to_f`"),
    ("Kernel functions", "catch", "with a tag"),
    ("Kernel functions", "pp", "of numbers, texts and arrays and Hashes of them that fit a line"),
    ("Kernel functions", "print", "with arguments"),
    ("Kernel functions", "warn", "without `uplevel:` and `category:`"),
    ("Kernel functions", "throw", "not in a method that calls itself"),
    ("Kernel functions", "raise", "of what the section makes, or a class with one value"),
];

/// Which objects of a class have its methods, where not all do.
const OBJECTS: &[(&str, &str)] = &[
    (
        "Range",
        "Of ranges of numbers, Strings and Dates: those that are made in the block, and those that variables, constants, \
         arrays, Hashes and objects hold. Of Strings and Dates they have both ends, and fewer of these methods.",
    ),
    (
        "Hash",
        "Of Hashes that were there before and of those that a section makes. A Set, which is written in Ruby up to 3.4, \
         runs from its source.",
    ),
    (
        "Random",
        "Of generators that were there before and of those that a section makes: their numbers are Ruby's, and a result or \
         an object can keep one that was made, with which Ruby goes on. Where elements share one, the section runs in order.",
    ),
    (
        "String",
        "Of Strings in UTF-8, US-ASCII and BINARY that were there before, which a section reads, and of those that it makes.",
    ),
    (
        "Date",
        "The standard library's, of whole days in the calendar that all have unless they are told otherwise (`Date::ITALY`). \
         Others can only be moved around.",
    ),
    (
        "Regexp",
        "Patterns with `\\g<name>`, `\\X` and their like ask Ruby for each match; docs/regular-expressions.md has the whole. On the CPU.",
    ),
    (
        "Enumerable",
        "Of arrays, ranges, Hashes, Sets, Structs, enumerators, and of objects whose class includes Enumerable and has an \
         `each` written in Ruby.",
    ),
];

/// Does the method change the Hash?
fn is_of_made_hash(name: &str) -> bool {
    lookup(ClassId::HASH, name, &Type::Hash(ArrayKind(0), HashSort::PLAIN)).is_none()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Status {
    Runs,
    Refused(String),
    /// About what sections do not have.
    Outside(&'static str),
}

/// The classes of `ruby.txt`, each with its methods; behind the `@` of a method the version that it came with.
fn classes() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    include_str!("ruby.txt").lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (class, methods) = line.split_once(": ")?;
        Some((class, methods.split(' ').collect()))
    })
}

/// Who owns the methods listed for a class, and receivers that must all have them.
fn receivers(class: &str) -> (ClassId, Vec<Type>) {
    let object = || Type::Object(HierarchyId(0), ClassId(1000));
    let hash = || {
        let fields = RecordType::HASH.map(|name| (name.to_string(), Type::List(ListKind(0)).into()));
        Type::Record(RecordType { class: ClassId::HASH, fields: fields.to_vec() }.into())
    };
    let array = || Type::Array(ArrayKind(0));
    let range = || Type::Range { exclusive: false, low: RangeEnd::Integer, high: RangeEnd::Integer };
    match class {
        "Integer" => (ClassId::INTEGER, vec![Type::Integer]),
        "Float" => (ClassId::FLOAT, vec![Type::Float]),
        "Complex" => (ClassId::COMPLEX, vec![Type::Object(HierarchyId(0), ClassId::COMPLEX)]),
        "Complex." => (ClassId::COMPLEX, vec![Type::Module(ClassId::COMPLEX)]),
        "Rational" => (ClassId::RATIONAL, vec![Type::Object(HierarchyId(0), ClassId::RATIONAL)]),
        "Date" => (ClassId::DATE, vec![Type::Object(HierarchyId(0), ClassId::DATE)]),
        "Date." => (ClassId::DATE, vec![Type::Module(ClassId::DATE)]),
        "Numeric" => (ClassId::NUMERIC, vec![Type::Integer, Type::Float]),
        "Comparable" => (ClassId::COMPARABLE, vec![Type::Integer, Type::Float, Type::Symbol, object()]),
        "NilClass" => (ClassId::NIL, vec![Type::Nil]),
        "TrueClass" => (ClassId::TRUE, vec![Type::True]),
        "FalseClass" => (ClassId::FALSE, vec![Type::False]),
        "Symbol" => (ClassId::SYMBOL, vec![Type::Symbol]),
        "String" => (ClassId::STRING, vec![Type::Made(ClassId::STRING)]),
        "Array" => (ClassId::ARRAY, vec![array()]),
        "Range" => (ClassId::RANGE, vec![range()]),
        "Enumerable" => (ClassId::ENUMERABLE, vec![array(), range()]),
        "Hash" => (ClassId::HASH, vec![hash()]),
        "Struct" => (ClassId::STRUCT, vec![object()]),
        "Data" => (ClassId::DATA, vec![object()]),
        "Math." => (ClassId::MATH, vec![Type::Module(ClassId::MATH)]),
        "Integer." => (ClassId::INTEGER, vec![Type::Module(ClassId::INTEGER)]),
        "Regexp" => (ClassId::REGEXP, vec![Type::Object(HierarchyId(0), ClassId::REGEXP)]),
        "Regexp." => (ClassId::REGEXP, vec![Type::Module(ClassId::REGEXP)]),
        "MatchData" => {
            let record = RecordType { class: ClassId::MATCH_DATA, fields: vec![] };
            (ClassId::MATCH_DATA, vec![Type::Record(record.into())])
        }
        "Random." => (ClassId::RANDOM, vec![Type::Module(ClassId::RANDOM)]),
        _ => (ClassId::KERNEL, vec![object()]),
    }
}

fn status(class: &str, name: &str) -> Status {
    if class == "Random" {
        return match random::lookup(name) {
            Some(_) => Status::Runs,
            None => Status::Refused(hint(ClassId::RANDOM, class, name)),
        };
    }
    let (owner, receivers) = receivers(class);
    let special = class == "Kernel functions" && SPECIAL.contains(&name);
    // It is for the `hash` of a key alone.
    let is_asked = name != "hash";
    if special || is_asked && receivers.iter().all(|ty| lookup(owner, name, ty).is_some()) {
        return Status::Runs;
    }
    match outside(owner, name) {
        Some(kind) => Status::Outside(kind.what()),
        None => Status::Refused(hint(owner, class, name)),
    }
}

const HEAD: &str = "# Ruby's methods in a section

Which of Ruby's own methods run in a section. Each returns what Ruby returns, class for class and bit for bit, or raises an
error; `spec/parity_spec.rb` compares them on values where that is hard. This page is made from the compiler's tables by
`rake docs:ruby`, over the public methods of Ruby 3.1 to 4.0. Where versions differ, a section does what the running one
does, and what that does not have is a NoMethodError. An unsupported one ends the section where an element comes to it,
with its place and the hint that stands here. Classes of your own run by their source, whatever they define. Math calls
the C library that Ruby calls; on a GPU it is within 2 units in the last place where nothing else is said.

Methods *about* other encodings, Enumerators, an object's number or state, reflection, or input
and the process are not counted: a section has none of these.
";

/// The document.
fn document() -> String {
    let mut summary = String::from("| | run | of | |\n|---|---:|---:|---:|\n");
    let mut body = String::new();
    for (class, methods) in classes() {
        // Procs are not read off the tables by class alone.
        if class == "Proc" {
            continue;
        }
        let (mut runs, mut all) = (0, 0);
        let mut table = String::from("| method | | |\n|---|---|---|\n");
        let mut others: Vec<(&'static str, Vec<&str>)> = Vec::new();
        for method in methods {
            let (name, since) = match method.rsplit_once('@').filter(|(_, version)| !version.is_empty()) {
                Some((name, version)) => (name, format!("since Ruby {version}")),
                None => (method, String::new()),
            };
            let shown = name.replace('|', "\\|");
            let shown = if name == "`" { "`` ` ``".to_string() } else { format!("`{shown}`") };
            match status(class, name) {
                Status::Runs => {
                    runs += 1;
                    all += 1;
                    let limit = match LIMITS.iter().find(|l| (l.0, l.1) == (class, name)) {
                        Some(limit) => limit.2,
                        None if class == "Hash" && is_of_made_hash(name) => "of a Hash made in the section",
                        None => "",
                    };
                    let comma = if since.is_empty() || limit.is_empty() { "" } else { ", " };
                    let _ = writeln!(table, "| {shown} | runs | {since}{comma}{limit} |");
                }
                Status::Refused(hint) => {
                    all += 1;
                    let _ = writeln!(table, "| {shown} | unsupported | {hint} |");
                }
                Status::Outside(what) => match others.iter_mut().find(|(kind, _)| *kind == what) {
                    Some((_, names)) => names.push(name),
                    None => others.push((what, vec![name])),
                },
            }
        }
        let percent = if all == 0 { 100 } else { 100 * runs / all };
        let _ = writeln!(summary, "| {class} | {runs} | {all} | {percent} % |");
        let about = OBJECTS
            .iter()
            .find(|about| about.0 == class)
            .map_or_else(String::new, |a| format!("{}\n\n", a.1));
        let _ = write!(body, "\n## {class}\n\n{about}{table}");
        for (what, names) in others {
            let names: Vec<String> =
                names.iter().map(|n| if *n == "`" { "`` ` ``".into() } else { format!("`{n}`") }).collect();
            let _ = write!(body, "\nAbout {what}: {}.\n", names.join(" "));
        }
    }
    format!("{HEAD}\n{summary}{body}")
}

#[test]
fn the_document_is_not_stale() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ruby.md");
    let document = document();
    if std::env::var_os("IKRA_WRITE_DOCS").is_some() {
        std::fs::write(path, &document).expect("docs/ruby.md can be written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == document, "docs/ruby.md is stale: run rake docs:ruby");
}

#[test]
fn limits_are_of_methods_that_run() {
    for (class, method, _) in LIMITS {
        assert_eq!(status(class, method), Status::Runs, "{class} {method}");
    }
}
