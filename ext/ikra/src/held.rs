//! What of Ruby's is held on Rust's heap, checked: the garbage collector finds what is on the machine stack, and else only
//! what somebody marks. A value that a call into Ruby outlives dies otherwise, or moves. So each place that can hold one is
//! listed here with the reason why it stays where it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Types that are values, or hold some.
const TYPES: [&str; 17] = [
    "VALUE",
    "Value",
    "RArray",
    "RString",
    "RHash",
    "RClass",
    "RModule",
    "RObject",
    "Proc",
    "Obj",
    "BoxValue",
    "Exception",
    "ExceptionClass",
    "Error",
    "Raw",
    "Lists",
    "Opaque",
];

const HELD: &[(&str, &[&str])] = &[
    (
        "the objects of a run: `Pinned` marks them until it ends",
        &[
            "host::AskedRoot.proc",
            "reading/drain::Items.arrays",
            "reading/drain::Variables.objects",
            "reading/remembered::Found",
            "reading/roots::BlockScope.binding",
            "reading/roots::BlockScope.block",
            "reading/roots::BlockScope.closures",
            "reading/roots::BlockScope.default_blocks",
            "reading/roots::BlockScope.instead",
            "reading/roots::BlockScope.written",
            "reading/sweep::Sweep.objects",
            "reading/symbols::Symbols.numbers",
            "reading/symbols::Symbols.values",
            "reading/tracer::Kept.value",
            "running/given_procs::GivenProc.value",
            "section::Told.known",
            "section::Told.printed",
            "sync::Syncs.at_first",
            "sync::Syncs.blocks",
            "vm/pinned::Pinned.arrays",
            "vm/pinned::Pinned.made",
            "vm/pinned::Pinned.objects",
            "vm/pinned::Pinned.others",
            "vm/pinned::Pinned.prepared",
            "vm/pinned::Pinned.singletons",
            "writing/accumulators::Place.Local",
            "writing/born::Contents.hashes",
            "writing/born::Empty.Array",
            "writing/born::Empty.Object",
            "writing/born::Known.value",
            "writing/born::Numbered.values",
            "writing/born::Pairs.keys",
            "writing/born::Pairs.values",
            "writing/changed_hashes::Default.before",
            "writing/changed_hashes::Default.block_before",
            "writing/changed_hashes::Default.hash",
            "writing/changed_hashes::Default.now",
            "writing/changed_hashes::Hash.hash",
            "writing/changed_hashes::NewItems.changed",
            "writing/changed_strings::Change.before",
            "writing/changed_strings::Change.now",
            "writing/changed_strings::Change.string",
            "writing/copy_back::FreshVariables",
            "writing/grown::Array.array",
            "writing/grown::Array.before",
            "writing/grown::Array.now",
            "writing/in_place::Holders.Arrays",
            "writing/in_place::Holders.Objects",
            "writing/in_place::Items.arrays",
            "writing/in_place::Members.objects",
            "writing/in_place::Miss.Unmet",
            "writing/in_place::Variables.objects",
            "writing/objects::Origin.object",
            "writing/random_states::Changed",
            "writing/refresh::Group.objects",
            "writing/refresh::Numbers.all",
            "writing/refresh::Refresh.arrays",
            "writing/refresh::Refresh.frozen",
            "writing/refresh::Refresh.hashes",
            "writing/refresh::Refresh.randoms",
            "writing/refresh::Refresh.strings",
            "writing/refresh::Sorted.arrays",
            "writing/refresh::Sorted.hashes",
            "writing/refresh::Sorted.strings",
            "writing/refresh::Write.objects",
            "writing/refresh::Write.values",
            "writing/results::Met.empty",
            "writing/results::Met.hashes",
            "writing/results::Met.known",
            "writing/results::Met.untold",
            "writing/results::Results.procs",
        ],
    ),
    (
        "of a version: its `ObjectPool` marks it, and whoever uses the version holds that",
        &[
            "code/methods::Expected.Same",
            "code/methods::Methods.blocks",
            "reading/decode::Known.modules",
            "reading/decode::Known.pointers",
            "reading/roots::Source.MethodBlock",
            "reading/roots::Source.Regexp",
            "reading/roots::Source.Text",
            "reading/sweep::Sweep.class",
            "reading/tracer::Tracer.modules",
            "reading/tracer::Tracer.pointers",
            "vm/method_tables::Entry.object",
            "vm/method_tables::Start.Class",
            "vm/method_tables::Start.ClassOf",
            "vm/object_pool::ClassInfo.value",
            "vm/object_pool::Contents.hierarchies",
            "vm/object_pool::Contents.literals",
            "vm/object_pool::Contents.method_entries",
            "vm/object_pool::Contents.numbers",
            "vm/object_pool::Contents.others",
            "vm/object_pool::Contents.symbols",
            "vm/object_pool::Literal.iseq",
            "vm/object_pool::Literal.nesting",
            "writing/accumulators::Place.ClassVariable",
            "writing/accumulators::Place.Module",
            "writing/objects::Maker.class",
        ],
    ),
    (
        "of the process: `GcRoots` marks it, or magnus or Ruby does",
        &[
            "capture::Key.Literal",
            "capture::RECENT",
            "vm/dates::Dates.class",
            "vm/dates::Dates.day_fraction",
            "vm/dates::Dates.jd",
            "vm/dates::Dates.make",
            "vm/dates::Dates.start",
            "vm/gvl::Deferred.Exception",
            "vm/object_pool::BUILTIN",
            "vm/pinned::SPARE",
            "vm/reflection::BOUND",
            "vm/value::Name.known",
        ],
    ),
    (
        "it stands on the machine stack, or what holds it does, in the frame of who uses it",
        &[
            "capture::CapturedBlock.handle",
            "capture::Literal.Written",
            "check::LiveRuby.constants",
            "reading/base::Base.looked_at",
            "reading/base::Base.read",
            "reading/base::Source.Items",
            "reading/decode::InOrder.arrays",
            "reading/decode::InOrder.objects",
            "reading/hashes::Raw",
            "section::Chain.owner",
            "section::Section.block",
            "section::Section.progress",
            "sync::SyncRun.block",
            "vm/errors::Trouble.Raised",
            "vm/hash_layout::Lookup.default",
            "vm/value::Decoded.Symbol",
            "writing/accumulators::Folded.values",
            "writing/copy_back::Block.holders",
            "writing/results::Pushed.array",
            "writing/results::Pushed.items",
        ],
    ),
    (
        "nobody: it is looked at only where a word that was just read holds it",
        &["reading/decode::Before.words", "reading/remembered::Remembered.lists"],
    ),
    (
        "no object, but bits or numbers that Ruby has in the type of one",
        &[
            "reading/variables::Access.Member",
            "reading/variables::Variable.recent",
            "reading/variables::Variable.slots",
            "vm/gvl::Deferred.Jump",
            "vm/method_tables::Entry.visibility",
            "vm/method_tables::Layout.visibility",
            "vm/object_layout::Headers.key",
            "vm/object_layout::ObjectLayout.embedded_members",
            "vm/object_layout::ObjectLayout.shape",
            "vm/object_layout::Pattern.bits",
            "vm/object_layout::Pattern.mask",
            "vm/object_layout::Template.fresh",
            "vm/object_layout::Template.shape",
            "writing/in_place::Place.Variable",
            "writing/in_place::Variables.last",
            "writing/in_place::Variables.slots",
        ],
    ),
    (
        "Ruby has it, and keeps it where it is while it is looked at",
        &[
            "vm/callers::Search.folder",
            "reading/batch::Room",
            "reading/decode::Known.array",
            "reading/decode::Known.float",
            "reading/decode::Known.hash",
            "reading/variables::Access.Captured",
            "vm/method_tables::Item.entry",
            "vm/proc_parts::Functions.composed",
            "vm/proc_parts::Functions.curried",
            "vm/proc_parts::Functions.hash",
            "vm/proc_parts::Functions.method",
            "writing/in_place::Items.items",
        ],
    ),
];

pub fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
}

fn names_value(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| TYPES.contains(&word))
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// A line without `pub` and the like.
fn bare(line: &str) -> &str {
    let line = line.trim_start();
    match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with(' ') => rest.trim_start(),
        Some(rest) if rest.starts_with('(') => rest.split_once(") ").map_or(line, |(_, rest)| rest),
        _ => line,
    }
}

/// The fields of structs, variants of enums and variables of the process that can hold values, as rustfmt writes them.
fn places(module: &str, text: &str, found: &mut BTreeSet<String>) {
    // Tests of a module hold what they like.
    let text = text.split("#[cfg(test)]").next().unwrap();
    let mut inside: Option<(&str, usize)> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let code = line.split("//").next().unwrap();
        let bare = bare(code);
        let item = ["struct ", "enum ", "static "].into_iter().find_map(|kind| bare.strip_prefix(kind));
        if let Some(rest) = item {
            let name = word(rest);
            if rest.trim_end().ends_with(';') || bare.starts_with("static ") {
                if names_value(&rest[name.len()..]) {
                    found.insert(format!("{module}::{name}"));
                }
            } else if rest.contains('{') && !rest.contains('}') {
                inside = Some((name, indent));
            }
            continue;
        }
        let Some((name, of)) = inside else { continue };
        if indent == of && code.trim() == "}" {
            inside = None;
        } else if names_value(&bare[word(bare).len()..]) && !word(bare).is_empty() {
            found.insert(format!("{module}::{name}.{}", word(bare)));
        }
    }
}

#[test]
fn whatever_holds_a_value_says_who_keeps_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut paths, mut found) = (Vec::new(), BTreeSet::new());
    files(&root, &mut paths);
    for path in paths {
        let module = path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().to_owned();
        if module != "held" {
            places(&module, &fs::read_to_string(&path).unwrap(), &mut found);
        }
    }
    let listed: BTreeSet<String> =
        HELD.iter().flat_map(|(_, places)| places.iter().map(|place| (*place).to_owned())).collect();
    let new: Vec<_> = found.difference(&listed).collect();
    assert!(new.is_empty(), "who keeps these values? Say so in HELD: {new:#?}");
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "these hold no value: {gone:#?}");
}
