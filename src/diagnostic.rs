//! What cannot run, said so that a user can act on it: a stable slug, a place, a message and a hint.

use crate::source::{SourceMap, Span};
use std::fmt::Write;

/// One reason why a section is refused before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable name of the kind, such as `unsupported-call`; listed in docs/errors.md.
    pub slug: &'static str,
    pub span: Span,
    /// One sentence, no full stop, lower case first letter.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn new(slug: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { slug, span, message: message.into(), hint: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// File, line, the line's text, a caret under the span, and the hint.
    pub fn render(&self, sources: &SourceMap) -> String {
        let file = sources.file(self.span.file);
        let (line, column) = file.position(self.span.start);
        let text = file.line(line);
        let column = (column as usize).min(text.len());
        let width = (self.span.end.saturating_sub(self.span.start) as usize).min(text.len() - column);
        // Carets are placed by characters, not bytes, and tabs are kept so that they line up.
        let pad: String =
            text.get(..column).unwrap_or("").chars().map(|c| if c == '\t' { c } else { ' ' }).collect();
        let carets = text.get(column..column + width).map_or(1, |s| s.chars().count()).max(1);
        let mut out = format!("{}:{line}: {} [{}]\n", file.path, self.message, self.slug);
        let gutter = line.to_string();
        let _ = writeln!(out, "  {gutter} | {text}");
        let _ = writeln!(out, "  {} | {pad}{}", " ".repeat(gutter.len()), "^".repeat(carets));
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "  hint: {hint}");
        }
        out
    }
}

/// Renders several diagnostics, in source order, separated by blank lines.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut sorted: Vec<_> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| (d.span, d.slug));
    sorted.dedup();
    sorted.iter().map(|d| d.render(sources)).collect::<Vec<_>>().join("\n")
}
