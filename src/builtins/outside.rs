//! What does not run, and why: kinds of methods that are about something that a section does not have, each with what to
//! do instead. `docs/ruby.md` is made from this.

use crate::types::ClassId;

/// Something that sections do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outside {
    Strings,
    Hashes,
    Rationals,
    Enumerators,
    Identity,
    Reflection,
    World,
}

impl Outside {
    #[cfg(test)]
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::Strings => "regular expressions and other encodings",
            Self::Hashes => "hashes",
            Self::Rationals => "Rational and Complex",
            Self::Enumerators => "Enumerators",
            Self::Identity => "an object's number or state",
            Self::Reflection => "reflection",
            Self::World => "input and the process",
        }
    }

    pub(crate) const fn hint(self) -> &'static str {
        match self {
            Self::Strings => "use a String, or do it before the section",
            Self::Hashes => {
                "make a Hash of the pairs with to_h or each_with_object({}), or ask for the parts by their names"
            }
            Self::Rationals => "use Float or Integer; rationals and complex numbers do not run",
            Self::Enumerators => "go through the items with a loop, or do it outside the section",
            Self::Identity => {
                "compare objects with equal?; copy or freeze them outside, or make a value object with new"
            }
            Self::Reflection => "name the method or variable in the source",
            Self::World => "a section computes and prints; do this before or after it",
        }
    }
}

/// What a method that does not run is about, if it is about something that sections do not have at all.
pub(crate) fn outside(owner: ClassId, name: &str) -> Option<Outside> {
    use Outside as O;
    Some(match name {
        "select" if owner == ClassId::STRUCT => return None,
        "=~"
        | "!~"
        | "match"
        | "match?"
        | "scan"
        | "encode"
        | "encode!"
        | "scrub"
        | "scrub!"
        | "crypt"
        | "each_grapheme_cluster"
        | "grapheme_clusters"
        | "unicode_normalize"
        | "unicode_normalize!"
        | "unicode_normalized?" => O::Strings,
        "Hash" | "to_set" => O::Hashes,
        "deconstruct_keys" if owner != ClassId::HASH => O::Hashes,
        "to_r" | "to_c" | "rationalize" | "Rational" | "Complex" | "i" | "numerator" | "denominator" => {
            O::Rationals
        }
        "enum_for" | "to_enum" | "lazy" | "chain" | "chunk_while" | "slice_when" | "slice_before"
        | "slice_after" => O::Enumerators,
        "hash" | "object_id" | "__id__" | "freeze" | "taint" | "tainted?" | "untaint" | "trust"
        | "untrust" | "untrusted?" | "extend" | "initialize_copy" => O::Identity,
        "method"
        | "methods"
        | "public_method"
        | "public_methods"
        | "private_methods"
        | "protected_methods"
        | "singleton_class"
        | "singleton_method"
        | "singleton_methods"
        | "define_singleton_method"
        | "define_method"
        | "method_missing"
        | "instance_variable_set"
        | "instance_variable_get"
        | "instance_variable_defined?"
        | "instance_variables"
        | "remove_instance_variable"
        | "binding"
        | "eval"
        | "instance_eval"
        | "instance_exec"
        | "caller"
        | "caller_locations"
        | "local_variables"
        | "global_variables"
        | "__method__"
        | "__callee__"
        | "__dir__"
        | "set_trace_func"
        | "trace_var"
        | "untrace_var"
        | "autoload"
        | "autoload?"
        | "parameters"
        | "source_location"
        | "ruby2_keywords"
        | "iterator?"
        | "curry"
        | "try_convert" => O::Reflection,
        "gets" | "readline" | "readlines" | "open" | "select" | "test" | "system" | "exec" | "spawn"
        | "fork" | "`" | "sleep" | "trap" | "syscall" | "exit" | "exit!" | "abort" | "at_exit"
        | "require" | "require_relative" | "load" | "srand" | "new_seed" | "seed" | "urandom" | "bytes" => {
            O::World
        }
        _ => return None,
    })
}
