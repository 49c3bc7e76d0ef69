//! What does not run, and why: kinds of methods that are about something that a section does not have, each with what to
//! do instead. `docs/ruby.md` is made from this.

use crate::types::ClassId;

/// Something that sections do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outside {
    Strings,
    Hashes,
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
            Self::Enumerators => "go through the items with a loop, or do it outside the section",
            Self::Identity => {
                "compare objects with equal?; copy or freeze them outside, or make a value object with new"
            }
            Self::Reflection => "name the method or variable in the source",
            Self::World => "a section computes and prints; do this before or after it",
        }
    }
}

/// Modules of the standard library of which no method runs, although some are written in Ruby: what they come to is C.
pub(crate) fn is_library(module: &str) -> bool {
    matches!(module, "SecureRandom" | "JSON" | "Psych" | "Marshal" | "ERB")
}

/// What to do instead of a method of a class or module that sections do not have, or of its `new`.
pub(crate) fn of_class(class: &str, name: &str) -> Option<&'static str> {
    let class = class.strip_prefix("Thread::").unwrap_or(class);
    Some(match class {
        "File" if matches!(name, "join" | "basename" | "dirname" | "extname" | "expand_path") => {
            "make the path before the section, or of Strings: \"#{folder}/#{name}\""
        }
        "File" | "IO" | "Dir" | "FileTest" | "FileUtils" | "Pathname" | "Tempfile" | "Socket"
        | "TCPSocket" => {
            "read before the section, as in `text = File.read(path)`, and let the block use the variable; write after it \
             what the section gives"
        }
        "Thread" | "Fiber" | "Ractor" | "Queue" | "SizedQueue" => {
            "leave it out: the elements of a section run on all cores as they are, and each gives its value back by `pmap`"
        }
        "Mutex" | "Monitor" | "ConditionVariable" => {
            "leave the lock out: elements that would change the same thing at once are found, and run in order"
        }
        "StringIO" => {
            "put the text together in a String, as in `text = +\"\"` and `text << part`; read one with each_line"
        }
        "Enumerator::Yielder" | "Enumerator::Lazy" | "Enumerator::Chain" if name == "new" => {
            "go through the values by a loop, and put them into an array: `values << value`; or give the method that \
             yields them a block"
        }
        "StringScanner" => "go through the String by index, or take it apart with scan or split",
        "SecureRandom" => {
            "draw before the section, as in `ids = items.map { SecureRandom.hex }`; in a block, `rand` and `Random.new(seed)` \
             draw"
        }
        "JSON" | "Psych" | "ERB" | "Marshal" => {
            "read before the section, as in `data = JSON.parse(text)`, and let the block use the variable; give values back, \
             and write the text of them after it"
        }
        "Time" | "Date" | "DateTime" if matches!(name, "now" | "today") => {
            "ask the clock before the section, as in `now = Time.now.to_f`, and let the block use the number"
        }
        "Process" if name == "clock_gettime" => {
            "ask the clock before the section and after it, and let the block use the number"
        }
        "GC" | "ObjectSpace" | "TracePoint" | "Signal" => {
            "do it before the section or after it: it is about all of Ruby"
        }
        _ => return None,
    })
}

/// The same of methods that all objects have.
pub(crate) fn of_kernel(name: &str) -> Option<&'static str> {
    Some(match name {
        "caller" | "caller_locations" => {
            "take it before the section, as in `from = caller`, and let the block use the variable; what a block raises has \
             its backtrace"
        }
        "sleep" => "leave it out: nothing in a section has to be waited for",
        "require" | "require_relative" | "load" => "write it at the top of the file",
        "system" | "exec" | "spawn" | "fork" | "syscall" => {
            "run the command before the section, and let the block use what it gave; or after it, with what `pmap` gives"
        }
        "gets" | "readline" | "readlines" | "open" | "select" | "test" => {
            "read before the section, as in `lines = readlines`, and let the block use the variable"
        }
        "exit" | "exit!" | "abort" => {
            "raise an exception in the block, and end the program where it is rescued, around the section"
        }
        "at_exit" | "trap" => "set it before the section",
        "to_json" | "to_yaml" => {
            "give the value back, and write the text of it after the section: values.to_json"
        }
        "display" => "print it: print value",
        _ => return None,
    })
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
        | "crypt"
        | "each_grapheme_cluster"
        | "grapheme_clusters"
        | "unicode_normalize"
        | "unicode_normalize!"
        | "unicode_normalized?" => O::Strings,
        "Hash" | "to_set" => O::Hashes,
        "deconstruct_keys" if owner != ClassId::HASH => O::Hashes,
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
