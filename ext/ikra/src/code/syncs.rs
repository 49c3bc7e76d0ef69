//! Blocks of `Ikra.sync`, which Ruby runs: their texts.

use crate::code::sources::text_at;
use ikra_core::source::{SourceMap, Span};

/// The text of a block, and where it stands.
#[derive(Debug)]
pub struct SyncText {
    pub path: String,
    pub line: u32,
    pub text: String,
    /// Its file says that String literals are frozen.
    pub frozen: bool,
}

impl SyncText {
    pub fn new(map: &SourceMap, span: Span) -> Self {
        let (path, line) = map.place(span);
        let head = map.file(span.file).text.lines().take_while(|line| line.trim_start().starts_with('#'));
        let frozen = head.into_iter().any(|line| {
            line.split_once("frozen_string_literal:").is_some_and(|(_, rest)| rest.trim() == "true")
        });
        Self { path, line, text: text_at(map, span).to_owned(), frozen }
    }
}
