//! Source texts and places in them. A [`Span`] is three numbers; the text it points into is in a [`SourceMap`].

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// One source file (or eval text) as it was when a section was captured.
#[derive(Debug)]
pub struct SourceFile {
    /// The path as Ruby reports it in backtraces.
    pub path: String,
    pub text: String,
    /// The line number of the first line of `text` (1 except for eval'd text).
    pub first_line: u32,
    /// Does a comment at the top name another encoding than UTF-8, which its literals have then?
    pub names_other_encoding: bool,
    line_starts: Vec<u32>,
    digest: OnceLock<[u8; 32]>,
}

impl SourceFile {
    /// Of the text.
    pub fn digest(&self) -> &[u8; 32] {
        self.digest.get_or_init(|| Sha256::digest(&self.text).into())
    }

    pub fn new(path: impl Into<String>, text: impl Into<String>, first_line: u32) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        let line_starts = line_starts.collect();
        let names_other_encoding = declared_encoding(&text).is_some_and(|name| !is_utf8(name));
        let digest = OnceLock::new();
        Self { path: path.into(), line_starts, text, first_line, names_other_encoding, digest }
    }

    /// Byte offset of a (line, byte column) pair as `code_location` gives it; `None` when the text has no such place.
    pub fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let index = line.checked_sub(self.first_line)? as usize;
        let offset = self.line_starts.get(index)? + column;
        (offset as usize <= self.text.len()).then_some(offset)
    }

    /// (line, byte column) of a byte offset; lines count from `first_line`, columns from 0.
    pub fn position(&self, offset: u32) -> (u32, u32) {
        let index = self.line_starts.partition_point(|start| *start <= offset) - 1;
        (index as u32 + self.first_line, offset - self.line_starts[index])
    }

    /// The text of a line, without its newline; empty when there is no such line.
    pub fn line(&self, line: u32) -> &str {
        let index = line.wrapping_sub(self.first_line) as usize;
        let Some(start) = self.line_starts.get(index) else { return "" };
        self.text[*start as usize..].lines().next().unwrap_or("")
    }
}

/// What stands behind `coding:` or `coding=` in a comment that is the first line, or the second one behind `#!`
/// (`set_file_encoding` of MRI's parse.y).
fn declared_encoding(text: &str) -> Option<&str> {
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    let mut line = lines.next()?;
    if line.starts_with("#!") {
        line = lines.next()?;
    }
    let comment = line.trim_start().strip_prefix('#')?;
    let lower = comment.to_ascii_lowercase();
    lower.match_indices("coding").find_map(|(at, word)| {
        let rest = comment[at + word.len()..].trim_start().strip_prefix([':', '='])?.trim_start();
        let part_of_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let end = rest.find(|c| !part_of_name(c)).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    })
}

/// By a name as a comment has it, with how lines end.
fn is_utf8(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix("-unix").or(name.strip_suffix("-dos")).unwrap_or(&name);
    name == "utf-8" || name == "cp65001"
}

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// The first number of a file of the core.
const FIRST_OF_CORE: u32 = 1 << 24;

impl FileId {
    /// A file of the core, by a number below 2²⁴.
    pub const fn of_core(number: u32) -> Self {
        Self(FIRST_OF_CORE + number)
    }

    /// Is it one of the core's, and no program's?
    pub const fn is_core(self) -> bool {
        self.0 >= FIRST_OF_CORE
    }
}

/// A range of bytes in one file, end-exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// Of the Ruby of built-ins, as a path and a line, which no file has.
    pub fn place_in_core(self) -> (String, u32) {
        (format!("core:{}", self.file.0), self.start)
    }
}

/// A version of Ruby, major and minor number, whose syntax a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RubyVersion(pub u32, pub u32);

/// The newest that is known.
impl Default for RubyVersion {
    fn default() -> Self {
        Self(4, 1)
    }
}

/// The source files that sections were captured from.
#[derive(Debug, Default)]
pub struct SourceMap {
    /// The Ruby that has read them.
    pub version: RubyVersion,
    files: BTreeMap<FileId, Arc<SourceFile>>,
    /// The number of the next one: those that are forgotten leave theirs to no other.
    next: u32,
}

impl SourceMap {
    pub const fn new(version: RubyVersion) -> Self {
        Self { version, files: BTreeMap::new(), next: 0 }
    }

    /// A single file, which has a number already.
    pub fn of_one(id: FileId, file: SourceFile) -> Self {
        Self { files: [(id, Arc::new(file))].into(), ..Self::default() }
    }

    pub fn add(&mut self, file: SourceFile) -> FileId {
        let id = FileId(self.next);
        self.next += 1;
        self.files.insert(id, Arc::new(file));
        id
    }

    pub fn file(&self, id: FileId) -> &Arc<SourceFile> {
        &self.files[&id]
    }

    pub fn find_file(&self, id: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(&id)
    }

    /// The newest file with this path whose text is `text`, with this number of its first line, so that one file is parsed
    /// once.
    pub fn find(&self, path: &str, text: &str, first_line: u32) -> Option<FileId> {
        let is_it =
            |file: &SourceFile| file.path == path && file.first_line == first_line && file.text == text;
        self.files.iter().rfind(|(_, file)| is_it(file)).map(|(id, _)| *id)
    }

    /// Forgets the files that nothing points into any more.
    pub fn retain(&mut self, used: impl Fn(FileId) -> bool) {
        self.files.retain(|id, _| used(*id));
    }

    /// `path:line` of a span's start.
    pub fn place(&self, span: Span) -> (String, u32) {
        let file = self.file(span.file);
        (file.path.clone(), file.position(span.start).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_at_the_top_name_encodings() {
        let other = |text: &str| SourceFile::new("a.rb", text, 1).names_other_encoding;
        for text in
            ["# encoding: us-ascii\n", "#!/usr/bin/ruby\n# -*- coding: EUC-JP -*-", "  # CODING=binary"]
        {
            assert!(other(text), "{text}");
        }
        let same = [
            "",
            "1 # encoding: us-ascii",
            "\n# encoding: us-ascii",
            "# coding: UTF-8-unix",
            "# encodings: many",
        ];
        for text in same.into_iter().chain(["\u{feff}# encoding: utf-8", "# no coding", "# coding:"]) {
            assert!(!other(text), "{text}");
        }
    }
}
