//! Source text to our own small AST. No prism type leaves this module.
#![deny(unsafe_code)]

pub mod ast;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span};
use ast::Code;

/// Why there is no AST for a place.
#[derive(Debug)]
pub enum CodeError {
    /// No block, lambda or method stands at exactly that span: the file has changed since it was loaded.
    NotFound,
    /// It holds constructs that are not supported (all of them), or does not parse.
    Unsupported(Vec<Diagnostic>),
}

/// The code of the block literal, lambda or method definition that covers exactly bytes `start..end` of a file.
pub fn code_at(_sources: &SourceMap, _file: FileId, _start: u32, _end: u32) -> Result<Code, CodeError> {
    Err(CodeError::NotFound)
}

/// The code of `&:name`, as if written `{ |element| element.name }` at `span`.
pub fn symbol_block(_name: &str, _span: Span) -> Code {
    unimplemented!()
}
