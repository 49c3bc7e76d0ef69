//! What cannot run, said so that a user can act on it: a stable slug, a place, a message and a hint.

use crate::source::{SourceMap, Span};
use parking_lot::Mutex;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A name that does not change.
pub type Slug = &'static str;

/// One reason why a section is refused before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Stable name of the kind, such as `unsupported-call`; listed in docs/errors.md.
    #[serde(deserialize_with = "slug")]
    pub slug: Slug,
    pub span: Span,
    /// One sentence, no full stop, lower case first letter.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// In a method that the section's block calls: that call.
    pub called: Option<Span>,
}

impl Diagnostic {
    pub fn new(slug: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { slug, span, message: message.into(), hint: None, called: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// File, line, the line's text, a caret under the span, the call that led there, and the hint.
    pub fn render(&self, sources: &SourceMap) -> String {
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!("{HINT}{hint}"));
        let text = format!("{} [{}]{hint}", self.message, self.slug);
        render_text(&text, (self.span, self.called), sources)
    }
}

/// What stands between a message and its hint.
const HINT: &str = "\n  hint: ";

/// The same of a text that has the slug and the hint in it, of a place and the call that led there.
pub fn render_text(text: &str, (span, called): (Span, Option<Span>), sources: &SourceMap) -> String {
    let (message, hint) = text.split_once(HINT).map_or((text, None), |(message, hint)| (message, Some(hint)));
    let file = sources.file(span.file);
    let mut out = format!("{}:{}: {message}\n", file.path, file.position(span.start).0);
    quote(&mut out, sources, span);
    if let Some(called) = called {
        let file = sources.file(called.file);
        let _ = writeln!(out, "  called at {}:{}:", file.path, file.position(called.start).0);
        quote(&mut out, sources, called);
    }
    if let Some(hint) = hint {
        let _ = writeln!(out, "  hint: {hint}");
    }
    out
}

/// A slug that was written down: each of them is kept once.
fn slug<'d, D: Deserializer<'d>>(from: D) -> Result<Slug, D::Error> {
    static KNOWN: Mutex<BTreeSet<Slug>> = Mutex::new(BTreeSet::new());
    let slug = String::deserialize(from)?;
    let mut known = KNOWN.lock();
    if let Some(known) = known.get(slug.as_str()) {
        return Ok(known);
    }
    let slug: Slug = Box::leak(slug.into_boxed_str());
    known.insert(slug);
    Ok(slug)
}

/// The line's text and carets under the span.
fn quote(out: &mut String, sources: &SourceMap, span: Span) {
    let file = sources.file(span.file);
    let (line, column) = file.position(span.start);
    let text = file.line(line);
    let column = (column as usize).min(text.len());
    let width = (span.end.saturating_sub(span.start) as usize).min(text.len() - column);
    // Carets are placed by characters, not bytes, and tabs are kept so that they line up.
    let pad: String =
        text.get(..column).unwrap_or("").chars().map(|c| if c == '\t' { c } else { ' ' }).collect();
    let carets = text.get(column..column + width).map_or(1, |s| s.chars().count()).max(1);
    let gutter = line.to_string();
    let _ = writeln!(out, "  {gutter} | {text}");
    let _ = writeln!(out, "  {} | {pad}{}", " ".repeat(gutter.len()), "^".repeat(carets));
}

/// Renders several diagnostics, in source order, separated by blank lines.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut sorted: Vec<_> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| (d.span, d.slug));
    sorted.dedup();
    sorted.iter().map(|d| d.render(sources)).collect::<Vec<_>>().join("\n")
}
