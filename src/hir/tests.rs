//! Snapshots of Ruby code and its HIR, in `tests/*.txt`, as [`crate::snapshots`] has them; and all of the project's Ruby,
//! which converts to what [`verify()`] takes. Those in `tests/programs` are run: below stands what Ruby prints.

mod core;
mod evaluator;
mod value;

use super::{convert, print, verify};
use crate::diagnostic::render_all;
use crate::source::{SourceFile, SourceMap};
use crate::syntax::tests::{code_in, mutations};
use crate::syntax::{CodeError, all_codes_in, methods_in, own_methods_in};
use std::path::{Path, PathBuf};
use std::rc::Rc;

fn printed(source: &str) -> String {
    match code_in(source) {
        (sources, Ok(code)) => match convert(&code) {
            Ok(hir) => print(&hir),
            Err(diagnostic) => render_all(&[diagnostic], &sources),
        },
        (sources, Err(CodeError::Unsupported(diagnostics))) => render_all(&diagnostics, &sources),
        (_, Err(error)) => format!("{error:?}\n"),
    }
}

/// The names of the files below a folder, in this folder.
fn texts_below(folder: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let name = format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap());
        if name.ends_with(".txt") {
            names.push(name);
        } else if !name.ends_with(".rs") && !name.ends_with("/programs") {
            names.extend(texts_below(&name));
        }
    }
    names.sort();
    names
}

#[test]
fn texts() {
    let names = texts_below("hir/tests");
    let cases: usize = names.iter().map(|name| crate::snapshots::check(name, &printed)).sum();
    assert!(cases >= 300, "{cases} cases");
}

/// What the `main` of a program prints.
fn run(source: &str) -> String {
    if std::env::var_os("UPDATE").is_some() {
        let ruby = std::process::Command::new("ruby").args(["-e", &format!("{source}\nmain")]).output();
        return String::from_utf8(ruby.expect("a Ruby").stdout).unwrap();
    }
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("a.rb", source, 1));
    let mut evaluator = evaluator::Evaluator::default();
    for code in methods_in(&sources, file).unwrap() {
        let hir = convert(&code).unwrap_or_else(|diagnostic| panic!("{}", diagnostic.render(&sources)));
        evaluator.methods.insert(code.name.clone(), Rc::new(hir));
    }
    for line in source.lines().filter_map(|line| line.strip_prefix("class ")) {
        let (name, parent) = line.trim_end_matches("; end").split_once(" < ").unwrap();
        evaluator.parents.insert(name.into(), parent.into());
    }
    if let Err(value::Leaving::Error(error)) =
        evaluator.call_method("main", &value::Value::Main, evaluator::Passed::default())
    {
        panic!("{}\n{source}", error.inspect());
    }
    evaluator.output.take()
}

#[test]
fn programs_do_what_ruby_does() {
    for name in texts_below("hir/tests/programs") {
        crate::snapshots::check(&name, &run);
    }
}

/// The Ruby files below a folder.
fn ruby_files(path: &Path, all: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            ruby_files(&entry.unwrap().path(), all);
        }
    } else if path.extension().is_some_and(|extension| extension == "rb") {
        all.push(path.to_owned());
    }
}

/// Converts each method, block and lambda of a text that parses; gives how many.
fn convert_all(name: &str, text: &str) -> usize {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(name, text, 1));
    let codes = all_codes_in(&sources, file);
    for code in &codes {
        let hir = convert(code).unwrap_or_else(|diagnostic| panic!("{}", diagnostic.render(&sources)));
        assert_eq!(verify(&hir), Ok(()), "{name}: {}\n{}", code.name, print(&hir));
    }
    codes.len()
}

#[test]
fn the_projects_ruby_converts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src/builtins", "examples", "benchmark", "lib", "spec"] {
        ruby_files(&root.join(folder), &mut files);
    }
    let count: usize = files
        .iter()
        .filter_map(|path| Some(convert_all(path.to_str()?, &std::fs::read_to_string(path).ok()?)))
        .sum();
    assert!(files.len() > 100 && count > 1_000, "{} files, {count} codes", files.len());
}

#[test]
fn what_people_mistype_converts() {
    let count: usize = mutations(300).iter().map(|text| convert_all("mutated", text)).sum();
    assert!(count > 1_000, "{count} codes");
}

/// Our own methods have primitives, whose names no Ruby file has.
#[test]
fn our_own_methods_convert() {
    let mut files = Vec::new();
    ruby_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/builtins"), &mut files);
    for path in files {
        let mut sources = SourceMap::default();
        let text = std::fs::read_to_string(&path).unwrap();
        let file = sources.add(SourceFile::new(path.to_str().unwrap(), text, 1));
        for code in own_methods_in(&sources, file, '#').unwrap() {
            let hir = convert(&code).unwrap_or_else(|diagnostic| panic!("{}", diagnostic.message));
            assert_eq!(verify(&hir), Ok(()), "{}", code.name);
        }
    }
}
