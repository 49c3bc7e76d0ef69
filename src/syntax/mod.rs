//! Source text to our own small AST. No prism type leaves this module.
//!
//! `parse` finds the code that stands at a span, `lower` turns its prism nodes into the AST or into diagnostics, as
//! many as there are reasons, and `dump` prints the AST for tests and for people.
#![deny(unsafe_code)]

pub mod answers;
pub mod ast;
mod descend;
pub mod dump;
mod lower;
pub mod outline;
pub mod parallel_methods;
mod parse;
#[cfg(test)]
pub(crate) mod tests;
pub mod walk;

use crate::diagnostic::Diagnostic;
use crate::error::NoMemory;
use crate::source::{FileId, SourceMap, Span};
use ast::{Call, Code, CodeKind, Kind, LocalId, Node, NodeId, Params};
pub use parse::StackEnd;
use parse::{Answer, Callable, FoundCode};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Why there is no AST for a place.
#[derive(Debug)]
pub enum CodeError {
    /// No block, lambda or method stands at exactly that span: the file has changed since it was loaded.
    NotFound,
    /// It holds constructs that are not supported (all of them), or does not parse.
    Unsupported(Vec<Diagnostic>),
    /// There is too little memory to parse the text.
    Memory(NoMemory),
}

impl From<NoMemory> for CodeError {
    fn from(error: NoMemory) -> Self {
        Self::Memory(error)
    }
}

/// The code of the block literal, lambda or method definition that covers exactly bytes `start..end` of a file.
///
/// A lambda may be given from its `->` or from its parameters on. The block of `define_method` is a
/// [`CodeKind::Block`] here, since only the running program knows that it became a method.
pub fn code_at(sources: &SourceMap, file: FileId, start: u32, end: u32) -> Result<Code, CodeError> {
    code_in_binding(sources, file, start, end, &[])
}

/// As [`code_at`], for an eval'd text: `outer` are the local variables of the binding that it was evaluated in.
pub fn code_in_binding(
    sources: &SourceMap,
    file: FileId,
    start: u32,
    end: u32,
    outer: &[String],
) -> Result<Code, CodeError> {
    let source = sources.file(file);
    if u32::try_from(source.text.len()).is_err() {
        return Err(CodeError::NotFound);
    }
    let work = || {
        let version = sources.version;
        parse::with_tree(&source.text, version, outer, |tree| match parse::find(tree, version, start, end) {
            Answer::Found(found) => lower::code(source, file, tree, &found, None),
            Answer::Missing => Err(CodeError::NotFound),
            Answer::TooDeep(place) => {
                let span = Span { file, start: place.start(), end: place.end() };
                Err(CodeError::Unsupported(vec![lower::too_deep(span)]))
            }
        })
    };
    parse::on_deep_stack(&source.text, work)?
}

/// The spans of all blocks, lambdas and methods of a file, outer ones first.
pub fn codes_in(sources: &SourceMap, file: FileId) -> Result<Vec<Span>, NoMemory> {
    let source = sources.file(file);
    let work = || {
        parse::with_tree(&source.text, sources.version, &[], |tree| {
            let mut spans = Vec::new();
            parse::each_callable(tree, |callable, _, _| {
                let location = callable.location();
                spans.push(Span { file, start: location.start(), end: location.end() });
            });
            spans
        })
    };
    parse::on_deep_stack(&source.text, work)
}

/// The code of `&:name`, as if written `{ |element, *more| element.name(*more) }` at `span`, for so many more.
pub fn symbol_block(name: &str, span: Span, more: u32) -> Code {
    let locals = (0..=more).map(LocalId);
    let mut nodes = locals.clone().map(|local| Node { id: NodeId(local.0), span, kind: Kind::Local(local) });
    let call = Call {
        receiver: nodes.next(),
        name: name.into(),
        name_span: span,
        args: nodes.collect(),
        block: None,
        safe: false,
        variable: false,
    };
    Code {
        kind: CodeKind::Block,
        name: "block".into(),
        span,
        params: Params { required: locals.collect(), ..Params::default() },
        body: Node { id: NodeId(more + 1), span, kind: Kind::Call(Box::new(call)) },
        locals: (0..=more).map(|n| if n == 0 { "element".into() } else { format!("more{n}") }).collect(),
        nodes: more + 2,
        captured_reads: Vec::new(),
        captured_writes: Vec::new(),
        errors: Vec::new(),
        error_objects: vec![],
        yields: false,
        nesting: Vec::new(),
        in_binding: false,
    }
}

/// Codes by their spans, each of which may have none.
pub type Codes = FxHashMap<Span, Result<Code, CodeError>>;

/// The codes of a file at those spans; the file is parsed once.
pub fn codes_at(sources: &SourceMap, file: FileId, spans: &BTreeSet<Span>) -> Result<Codes, NoMemory> {
    let source = sources.file(file);
    let work = || {
        parse::with_tree(&source.text, sources.version, &[], |tree| {
            let mut codes = Codes::default();
            let mut short = None;
            parse::each_callable(tree, |callable, nesting, using| {
                let location = callable.location();
                let span = Span { file, start: location.start(), end: location.end() };
                if short.is_none() && spans.contains(&span) {
                    let found = FoundCode { callable, nesting: nesting.to_vec(), using };
                    match lower::code(source, file, tree, &found, None) {
                        Err(CodeError::Memory(error)) => short = Some(error),
                        code => drop(codes.insert(span, code)),
                    }
                }
            });
            short.map_or(Ok(codes), Err)
        })
    };
    parse::on_deep_stack(&source.text, work)?
}

/// The methods that a file defines, with their own nesting; those that do not lower are left out. The file is parsed
/// once.
pub fn methods_in(sources: &SourceMap, file: FileId) -> Result<Vec<Code>, NoMemory> {
    parse::on_deep_stack(&sources.file(file).text, || methods(sources, file, None))?
}

/// The same of a file of our own. Names of methods and calls that begin with two underscores begin with `primitive`
/// instead.
pub fn own_methods_in(sources: &SourceMap, file: FileId, primitive: char) -> Result<Vec<Code>, NoMemory> {
    parse::on_own_stack(&sources.file(file).text, || methods(sources, file, Some(primitive)))?
}

fn methods(sources: &SourceMap, file: FileId, primitive: Option<char>) -> Result<Vec<Code>, NoMemory> {
    codes(sources, file, primitive, |callable| matches!(callable, Callable::Def(_)))
}

/// The methods, blocks and lambdas that a file has and that lower.
#[cfg(test)]
pub(crate) fn all_codes_in(sources: &SourceMap, file: FileId) -> Vec<Code> {
    parse::on_deep_stack(&sources.file(file).text, || {
        codes(sources, file, None, |_| true).unwrap_or_default()
    })
    .unwrap_or_default()
}

fn codes(
    sources: &SourceMap,
    file: FileId,
    primitive: Option<char>,
    wanted: fn(&Callable<'_>) -> bool,
) -> Result<Vec<Code>, NoMemory> {
    let source = sources.file(file);
    parse::with_tree(&source.text, sources.version, &[], |tree| {
        let mut codes = Vec::new();
        let mut short = None;
        parse::each_callable(tree, |callable, nesting, using| {
            if short.is_none() && wanted(&callable) {
                let found = FoundCode { callable, nesting: nesting.to_vec(), using };
                match lower::code(source, file, tree, &found, primitive) {
                    Ok(code) => codes.push(code),
                    Err(CodeError::Memory(error)) => short = Some(error),
                    Err(CodeError::NotFound | CodeError::Unsupported(_)) => {}
                }
            }
        });
        short.map_or(Ok(codes), Err)
    })
}
