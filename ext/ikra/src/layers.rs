//! The layers of this crate, checked: a file names nothing of a layer above its own, and no two files name each other,
//! nor more of them in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom to the top, which is the files beside `lib.rs`.
const LAYERS: [&str; 5] = ["vm", "code", "reading", "running", "writing"];

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
}

/// The modules that each module names in its code: `reading::plan` names `vm::errors`.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let name = |path: &PathBuf| {
        let relative = path.strip_prefix(&root).unwrap().with_extension("");
        relative.to_str().unwrap().replace('/', "::").trim_end_matches("::mod").to_owned()
    };
    let names: BTreeSet<String> = paths.iter().map(name).collect();
    let mut all = BTreeMap::new();
    // `lib.rs` and the test itself may name everything.
    for path in paths.iter().filter(|path| !["lib", "layers", "held"].contains(&name(path).as_str())) {
        let text = fs::read_to_string(path).unwrap();
        let mut named = BTreeSet::new();
        for line in text.lines().map(|line| line.split("//").next().unwrap()) {
            assert!(!line.contains("use crate::{"), "{}: one `use crate::` for each module", path.display());
            for rest in line.split("crate::").skip(1) {
                let rest: String =
                    rest.chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
                let parts: Vec<&str> = rest.split("::").collect();
                // The longest path that is a file, of `vm::value::fixnum` as of `vm::value`.
                let file = (1..=parts.len()).rev().map(|count| parts[..count].join("::"));
                named.extend(file.into_iter().find(|path| names.contains(path)));
            }
        }
        named.remove(&name(path));
        all.insert(name(path), named);
    }
    all
}

fn layer(module: &str) -> usize {
    let folder = module.split("::").next();
    LAYERS.iter().position(|layer| Some(*layer) == folder).unwrap_or(LAYERS.len())
}

#[test]
fn no_layer_names_one_above_it() {
    for (module, named) in dependencies() {
        for other in named {
            assert!(layer(&other) <= layer(&module), "{module} names {other}, which is above it");
        }
    }
}

#[test]
fn no_modules_name_each_other_in_a_circle() {
    let mut left = dependencies();
    // What names nothing that is left stands in no circle.
    while let Some(free) = left.iter().find(|(_, named)| !named.iter().any(|other| left.contains_key(other)))
    {
        let free = free.0.clone();
        left.remove(&free);
    }
    assert!(left.is_empty(), "a circle: {left:?}");
}
