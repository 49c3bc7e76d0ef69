//! The layers of this crate, checked: a module names only those that stand below it.

use std::fs;
use std::path::{Path, PathBuf};

/// All modules, from the bottom to the top.
const LAYERS: [&str; 36] = [
    // What knows nothing of the others.
    "hashing",
    "huge_pages",
    "lent",
    "process",
    "profile",
    "progress",
    "rng",
    "scalar",
    "signals",
    "snapshots",
    "source",
    "string_layout",
    // What goes wrong, memory, threads.
    "diagnostic",
    "error",
    "reserve",
    "memory",
    "allocator",
    "fallible",
    "cancel",
    "faults",
    "threads",
    "parallel",
    "cache",
    // What sections are made of.
    "types",
    "regexp",
    "intrinsics",
    "syntax",
    "hir",
    "ir",
    "heap",
    "arrow",
    // What runs them, and what makes them.
    "backend",
    "infer",
    "builtins",
    "check",
    "front",
];

fn files(path: &Path, all: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            files(&entry.unwrap().path(), all);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        all.push(path.to_owned());
    }
}

fn layer(module: &str) -> usize {
    LAYERS.iter().position(|layer| *layer == module).unwrap_or_else(|| panic!("{module} has no layer"))
}

#[test]
fn a_module_names_only_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().and_then(|name| name.to_str()).unwrap();
        // `lib.rs` and the test itself may name everything.
        if ["lib", "layers"].contains(&module) {
            continue;
        }
        let own = layer(module);
        let mut all = Vec::new();
        files(&path, &mut all);
        for path in all {
            let text = fs::read_to_string(&path).unwrap();
            for line in text.lines().map(|line| line.split("//").next().unwrap()) {
                assert!(
                    !line.contains("use crate::{"),
                    "{}: one `use crate::` for each module",
                    path.display()
                );
                for rest in line.split("crate::").skip(1) {
                    let name: String =
                        rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
                    assert!(
                        name == module || name.is_empty() || layer(&name) < own,
                        "{} names {name}, which is above it",
                        path.display()
                    );
                }
            }
        }
    }
}
