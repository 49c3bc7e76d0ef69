//! Ruby's own methods that are written in Ruby: their files, the methods found in these, and which of them are large.

use crate::infer::builtins::{ANY, PRIMITIVE};
use crate::reserve;
use crate::source::{FileId, SourceFile, SourceMap};
use crate::syntax::ast::Code;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

/// Second names of methods in `core/`: module, name, what is written there.
pub(super) const ALIASES: &[(&str, &str, &str)] = &[
    ("Array", "collect!", "map!"),
    ("Enumerable", "collect_concat", "flat_map"),
    ("Enumerable", "detect", "find"),
    ("Enumerable", "filter", "select"),
    ("Enumerable", "find_all", "select"),
    ("Enumerable", "member?", "include?"),
    ("Enumerator", "collect", "map"),
    ("Float", "angle", "arg"),
    ("Float", "phase", "arg"),
    ("Hash", "filter", "select"),
    ("Hash", "has_key?", "key?"),
    ("Hash", "has_value?", "value?"),
    ("Hash", "include?", "key?"),
    ("Hash", "member?", "key?"),
    ("MadeHash", "filter!", "select!"),
    ("MadeHash", "store", "[]="),
    ("MadeHash", "update", "merge!"),
    ("Integer", "angle", "arg"),
    ("Integer", "phase", "arg"),
    ("Integer", "inspect", "to_s"),
    ("ChangedString", "next!", "succ!"),
    ("Numeric", "clone", "real"),
    ("Numeric", "conj", "real"),
    ("Numeric", "conjugate", "real"),
    ("Numeric", "dup", "real"),
    ("Numeric", "imag", "imaginary"),
    ("Numeric", "rect", "rectangular"),
    ("MatchData", "length", "size"),
    ("String", "length", "size"),
    ("Symbol", "length", "size"),
    ("Symbol", "next", "succ"),
    ("Symbol", "slice", "[]"),
    ("String", "next", "succ"),
    ("String", "slice", "[]"),
    ("Symbol", "id2name", "to_s"),
];

/// Ruby's own methods written in Ruby, over the few that are rules in Rust: a file a class, or a topic of a large one.
/// They are compiled with the section that calls them and inlined there; errors in them are reported at the caller's line.
/// Semantics are those of MRI's C. Methods whose names begin with two underscores are primitives, which the code of users
/// cannot name.
pub(crate) const SOURCES: &[&str] = &[
    include_str!("core/comparable.rb"),
    include_str!("core/exception.rb"),
    include_str!("core/numeric.rb"),
    include_str!("core/integer.rb"),
    include_str!("core/float.rb"),
    include_str!("core/math.rb"),
    include_str!("core/enumerable.rb"),
    include_str!("core/enumerable_arrays.rb"),
    include_str!("core/enumerable_order.rb"),
    include_str!("core/array.rb"),
    include_str!("core/array_order.rb"),
    include_str!("core/array_packing.rb"),
    include_str!("core/array_choices.rb"),
    include_str!("core/array_changes.rb"),
    include_str!("core/enumerator.rb"),
    include_str!("core/column.rb"),
    include_str!("core/packed.rb"),
    include_str!("core/range.rb"),
    include_str!("core/text_range.rb"),
    include_str!("core/hash.rb"),
    include_str!("core/set.rb"),
    include_str!("core/made_hash.rb"),
    include_str!("core/struct.rb"),
    include_str!("core/random.rb"),
    include_str!("core/kernel.rb"),
];

/// The same, of texts: their large methods become functions.
pub(crate) const TEXTS: &[&str] = &[
    include_str!("core/text/string.rb"),
    include_str!("core/text/string_parts.rb"),
    include_str!("core/text/string_inspect.rb"),
    include_str!("core/text/string_case.rb"),
    include_str!("core/text/string_sets.rb"),
    include_str!("core/text/string_split.rb"),
    include_str!("core/text/string_numbers.rb"),
    include_str!("core/text/string_packing.rb"),
    include_str!("core/text/string_patterns.rb"),
    include_str!("core/text/string_format.rb"),
    include_str!("core/text/changed_string.rb"),
    include_str!("core/text/changed_string_format.rb"),
    include_str!("core/text/changed_string_inspect.rb"),
    include_str!("core/text/changed_string_patterns.rb"),
    include_str!("core/text/nil_class.rb"),
    include_str!("core/text/true_class.rb"),
    include_str!("core/text/false_class.rb"),
    include_str!("core/text/symbol.rb"),
    include_str!("core/text/encoding.rb"),
    include_str!("core/text/integer.rb"),
    include_str!("core/text/float.rb"),
    include_str!("core/text/kernel.rb"),
    include_str!("core/text/io.rb"),
    include_str!("core/text/regexp.rb"),
    include_str!("core/text/regexp_class.rb"),
    include_str!("core/text/match_data.rb"),
    include_str!("core/text/array.rb"),
    include_str!("core/text/range.rb"),
    include_str!("core/text/text_range.rb"),
    include_str!("core/text/struct.rb"),
    include_str!("core/text/hash.rb"),
    include_str!("core/text/made_hash.rb"),
    include_str!("core/text/array_keys.rb"),
];

/// Nodes from which on a method of the files about texts is large.
const LARGE: u32 = 40;

/// Those that are large for what their primitives come to.
const LARGE_PRIMITIVES: &[&str] = &[
    "#append",
    "#grow",
    "#all_ascii?",
    "#interpolate",
    "#place_in",
    "#take_slot",
    "#index_in",
    "#dead_in?",
    "#slots",
    "#incompatible",
];

/// What is large, and a part of several of them: one call is enough to look up a key.
const PART_OF_LARGE: &str = "#slot_of";

/// What the names of those begin with that are for characters of several bytes: most texts have none, and are not to have
/// code for them everywhere.
const WIDE: &str = "#wide_";

/// The methods written in Ruby, each of which is parsed when it is asked for first: a section calls few of them.
struct Core {
    /// Each method, with its module around it.
    sources: SourceMap,
    /// By module, then by name.
    methods: FxHashMap<&'static str, FxHashMap<String, CoreMethod>>,
    /// The first method of the files about texts.
    first_text: FileId,
}

struct CoreMethod {
    file: FileId,
    code: OnceCell<Option<Rc<Code>>>,
}

impl Core {
    /// Finds the methods by their layout, which is that of all our Ruby files.
    fn new() -> Self {
        let (sources, methods) = (SourceMap::of_core(), FxHashMap::default());
        let mut core = Self { sources, methods, first_text: FileId(0) };
        SOURCES.iter().for_each(|source| core.find(source));
        core.first_text = core.sources.next_id();
        TEXTS.iter().for_each(|source| core.find(source));
        core
    }

    fn find(&mut self, text: &'static str) {
        let (mut head, mut start) = ("", None);
        let mut at = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            if line.starts_with("class ") || line.starts_with("module ") {
                head = line;
            } else if line.starts_with("  def ") {
                start = Some((at, number));
            } else if line == "  end\n"
                && let Some((from, first)) = start.take()
            {
                self.add(head, &text[from..at + line.len()], first);
            }
            at += line.len();
        }
    }

    fn add(&mut self, head: &'static str, text: &str, first_line: u32) {
        let def = text.lines().next().and_then(|line| line.strip_prefix("  def ")).unwrap_or_default();
        let name = def.split('(').next().unwrap_or_default();
        let primitive = name.strip_prefix("__").map(|name| format!("{PRIMITIVE}{name}"));
        let file = SourceFile::new("<ikra core>", format!("{head}{text}end\n"), first_line - 1);
        let method = CoreMethod { file: self.sources.add(file), code: OnceCell::new() };
        let module = head.split_whitespace().nth(1).unwrap_or_default();
        self.methods.entry(module).or_default().insert(primitive.unwrap_or_else(|| name.into()), method);
    }

    fn method(&self, module: &str, name: &str) -> Option<Rc<Code>> {
        let CoreMethod { file, code } = self.methods.get(module)?.get(name)?;
        if code.get().is_none() {
            // Where memory ends so does the compilation, and the method is looked for again by the next one.
            let Ok(mut methods) = crate::syntax::own_methods_in(&self.sources, *file, PRIMITIVE) else {
                reserve::note_short();
                return None;
            };
            let _ = code.set(methods.pop().map(Rc::new));
        }
        code.get()?.clone()
    }
}

thread_local! {
    static CORE: Core = Core::new();
}

/// Is it a large method of the files about texts?
pub(crate) fn is_large_text_method(code: &Code) -> bool {
    let name = code.name.as_str();
    (code.nodes >= LARGE && name != PART_OF_LARGE
        || LARGE_PRIMITIVES.contains(&name)
        || name.starts_with(WIDE)
        || name.starts_with(ANY))
        && is_text_method(code)
}

/// Is it a method of the files about texts?
pub(crate) fn is_text_method(code: &Code) -> bool {
    CORE.with(|core| code.span.file >= core.first_text)
}

/// A method of one of those files.
pub(super) fn ruby_method(module: &str, name: &str) -> Option<Rc<Code>> {
    CORE.with(|core| core.method(module, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_in_ruby_parses() {
        let core = Core::new();
        let lines = SOURCES.iter().chain(TEXTS).flat_map(|text| text.lines());
        let defs = lines.filter(|line| line.trim_start().starts_with("def ")).count();
        let mut found = 0;
        for (module, methods) in &core.methods {
            for name in methods.keys() {
                let code =
                    core.method(module, name).unwrap_or_else(|| panic!("{module}#{name} does not parse"));
                assert_eq!((code.nesting.last().unwrap().as_deref(), &code.name), (Some(*module), name));
                found += 1;
            }
        }
        assert_eq!(found, defs, "every method is found once");
    }
}
