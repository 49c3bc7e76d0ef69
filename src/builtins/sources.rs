//! Ruby's own methods that are written in Ruby: their files, the methods found in these, and which of them are large.

use crate::infer::builtins::{ANY, PRIMITIVE};
use crate::reserve;
use crate::source::{FileId, SourceFile, SourceMap};
use crate::syntax::ast::Code;
use memchr::memmem;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

/// Second names of methods in `core/`: module, name, what is written there.
pub(super) const ALIASES: &[(&str, &str, &str)] = &[
    ("Array", "collect!", "map!"),
    ("Complex", "angle", "arg"),
    ("Complex", "conj", "conjugate"),
    ("Complex", "magnitude", "abs"),
    ("Complex", "phase", "arg"),
    ("Complex", "rect", "rectangular"),
    ("ComplexClass", "rect", "rectangular"),
    ("Rational", "angle", "arg"),
    ("Rational", "phase", "arg"),
    ("Date", "ctime", "asctime"),
    ("Date", "mon", "month"),
    ("Date", "mday", "day"),
    ("Date", "rfc822", "rfc2822"),
    ("Date", "succ", "next"),
    ("Date", "xmlschema", "iso8601"),
    ("DateClass", "civil", "#new"),
    ("DateClass", "leap?", "gregorian_leap?"),
    ("DateClass", "valid_date?", "valid_civil?"),
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
    include_str!("core/complex.rb"),
    include_str!("core/complex_class.rb"),
    include_str!("core/rational.rb"),
    include_str!("core/date.rb"),
    include_str!("core/date_class.rb"),
    include_str!("core/integer_days.rb"),
    include_str!("core/big_integer.rb"),
    include_str!("core/wide_integer.rb"),
    include_str!("core/math.rb"),
    include_str!("core/enumerable.rb"),
    include_str!("core/enumerable_arrays.rb"),
    include_str!("core/enumerable_order.rb"),
    include_str!("core/array.rb"),
    include_str!("core/array_order.rb"),
    include_str!("core/array_packing.rb"),
    include_str!("core/array_choices.rb"),
    include_str!("core/array_bases.rb"),
    include_str!("core/array_changes.rb"),
    include_str!("core/enumerator.rb"),
    include_str!("core/column.rb"),
    include_str!("core/packed.rb"),
    include_str!("core/range.rb"),
    include_str!("core/text_range.rb"),
    include_str!("core/date_range.rb"),
    include_str!("core/hash.rb"),
    include_str!("core/set.rb"),
    include_str!("core/made_hash.rb"),
    include_str!("core/struct.rb"),
    include_str!("core/random.rb"),
    include_str!("core/kernel.rb"),
];

/// Those of them that are about numbers.
const NUMBERS: std::ops::Range<usize> = 2..14;

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
    include_str!("core/text/changed_string_scrub.rb"),
    include_str!("core/text/nil_class.rb"),
    include_str!("core/text/true_class.rb"),
    include_str!("core/text/false_class.rb"),
    include_str!("core/text/symbol.rb"),
    include_str!("core/text/encoding.rb"),
    include_str!("core/text/integer.rb"),
    include_str!("core/text/float.rb"),
    include_str!("core/text/complex.rb"),
    include_str!("core/text/rational.rb"),
    include_str!("core/text/date.rb"),
    include_str!("core/text/date_class.rb"),
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

/// The methods written in Ruby: a section calls few of them. A file is looked through when its class is asked for first, a
/// method of it is parsed when that is.
struct Core {
    /// By the class or module that they open: those about texts are behind the others.
    files: FxHashMap<&'static str, Vec<CoreFile>>,
}

struct CoreFile {
    text: &'static str,
    /// Its place among all.
    number: u32,
    methods: OnceCell<CoreMethods>,
}

/// By name; those of primitives are without what they begin with.
#[derive(Default)]
struct CoreMethods {
    methods: FxHashMap<&'static str, CoreMethod>,
    primitives: FxHashMap<&'static str, CoreMethod>,
}

impl CoreMethods {
    fn get(&self, name: &str) -> Option<&CoreMethod> {
        match name.strip_prefix(PRIMITIVE) {
            Some(name) => self.primitives.get(name),
            None => self.methods.get(name),
        }
    }

    #[cfg(test)]
    fn all(&self) -> impl Iterator<Item = (String, &CoreMethod)> {
        let primitives = self.primitives.iter().map(|(name, method)| (format!("{PRIMITIVE}{name}"), method));
        self.methods.iter().map(|(name, method)| ((*name).into(), method)).chain(primitives)
    }
}

struct CoreMethod {
    file: FileId,
    /// What opens its module, and it itself, with the text before that.
    parts: [&'static str; 2],
    before: &'static str,
    code: OnceCell<Option<Rc<Code>>>,
}

/// A file of the core has fewer methods: each is a file of its own, with its module around it.
const MOST_METHODS: u32 = 1 << 12;

impl Core {
    fn new() -> Self {
        let mut files: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (number, text) in (0..).zip(SOURCES.iter().chain(TEXTS)) {
            let head = text.lines().find(|line| is_head(line)).unwrap_or_default();
            let module = head.split_whitespace().nth(1).unwrap_or_default();
            files.entry(module).or_default().push(CoreFile { text, number, methods: OnceCell::new() });
        }
        Self { files }
    }

    fn find(&self, module: &str, name: &str) -> Option<&CoreMethod> {
        self.files.get(module)?.iter().find_map(|file| file.methods().get(name))
    }
}

/// Does a line open a class or module of a file of the core?
fn is_head(line: &str) -> bool {
    line.starts_with("class ") || line.starts_with("module ")
}

impl CoreFile {
    /// They are found by their layout, which is that of all our Ruby files.
    fn methods(&self) -> &CoreMethods {
        const DEF: &str = "\n  def ";
        const END: &str = "\n  end\n";
        self.methods.get_or_init(|| {
            let head = self.text.split_inclusive('\n').find(|line| is_head(line)).unwrap_or_default();
            let mut all = CoreMethods::default();
            for (number, at) in (0..).zip(memmem::find_iter(self.text.as_bytes(), DEF)) {
                let (before, text) = self.text.split_at(at + 1);
                let Some(end) = memmem::find(text.as_bytes(), END.as_bytes()) else { continue };
                let text = &text[..end + END.len()];
                let name = text[DEF.len() - 1..].split(['(', '\n']).next().unwrap_or_default();
                let file = FileId::of_core(self.number * MOST_METHODS + number);
                let method = CoreMethod { file, parts: [head, text], before, code: OnceCell::new() };
                match name.strip_prefix("__") {
                    Some(name) => all.primitives.insert(name, method),
                    None => all.methods.insert(name, method),
                };
            }
            all
        })
    }
}

impl CoreMethod {
    fn parsed(&self) -> Option<Rc<Code>> {
        if self.code.get().is_none() {
            let [head, text] = self.parts;
            let lines_before = memchr::memchr_iter(b'\n', self.before.as_bytes()).count() as u32;
            let file = SourceFile::new("<ikra core>", format!("{head}{text}end\n"), lines_before);
            // Where memory ends so does the compilation, and the method is looked for again by the next one.
            let Ok(mut methods) =
                crate::syntax::own_methods_in(&SourceMap::of_one(self.file, file), self.file, PRIMITIVE)
            else {
                reserve::note_short();
                return None;
            };
            let _ = self.code.set(methods.pop().map(Rc::new));
        }
        self.code.get()?.clone()
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

fn is_text_method(code: &Code) -> bool {
    code.span.file >= FileId::of_core(SOURCES.len() as u32 * MOST_METHODS)
}

/// Is it a method of the files about texts or numbers?
pub(crate) fn is_value_method(code: &Code) -> bool {
    let file = |number: usize| FileId::of_core(number as u32 * MOST_METHODS);
    is_text_method(code) || (file(NUMBERS.start)..file(NUMBERS.end)).contains(&code.span.file)
}

/// A method of one of those files.
pub(super) fn ruby_method(module: &str, name: &str) -> Option<Rc<Code>> {
    CORE.with(|core| core.find(module, name)?.parsed())
}

/// Is there one?
pub(super) fn has_ruby_method(module: &str, name: &str) -> bool {
    CORE.with(|core| core.find(module, name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_about_numbers_are_these() {
        let module = |text: &&'static str| {
            let head = text.lines().find(|line| is_head(line))?;
            head.split_whitespace().nth(1)
        };
        let modules: Vec<_> = SOURCES[NUMBERS].iter().filter_map(module).collect();
        assert_eq!(
            modules,
            [
                "Numeric",
                "Integer",
                "Float",
                "Complex",
                "ComplexClass",
                "Rational",
                "Date",
                "DateClass",
                "Integer",
                "BigInteger",
                "WideInteger",
                "Math"
            ]
        );
    }

    /// As much stack as there has to be where inference parses them itself.
    #[test]
    fn no_method_of_the_core_is_nested_deep() {
        let parse = || {
            let core = Core::new();
            let marker = 0_u8;
            let here = std::ptr::from_ref(&marker).addr();
            let _stack = crate::syntax::StackEnd::note(here - (513 << 10));
            for (module, files) in &core.files {
                for (name, method) in files.iter().flat_map(|file| file.methods().all()) {
                    assert!(method.parsed().is_some(), "{module}#{name}");
                }
            }
        };
        std::thread::Builder::new().stack_size(520 << 10).spawn(parse).unwrap().join().unwrap();
    }

    #[test]
    fn the_core_in_ruby_parses() {
        let core = Core::new();
        let lines = SOURCES.iter().chain(TEXTS).flat_map(|text| text.lines());
        let defs = lines.filter(|line| line.trim_start().starts_with("def ")).count();
        let mut found = 0;
        for (module, files) in &core.files {
            for (name, method) in files.iter().flat_map(|file| file.methods().all()) {
                let code = method.parsed().unwrap_or_else(|| panic!("{module}#{name} does not parse"));
                assert!(core.find(module, &name).is_some());
                assert_eq!((code.nesting.last().unwrap().as_deref(), &code.name), (Some(*module), &name));
                found += 1;
            }
        }
        assert_eq!(found, defs, "every method is found once");
        let heads = |text: &&str| text.lines().filter(|line| is_head(line)).count();
        assert!(SOURCES.iter().chain(TEXTS).all(|text| heads(text) == 1), "a file opens one class or module");
    }
}
