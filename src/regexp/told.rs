//! What a pattern is as a text, to people and within other patterns.

use super::{EXTENDED, FIXED_ENCODING, IGNORE_CASE, MULTILINE, Pattern, Telling};
use super::{machine, syntax};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The options that are written, in their order.
const LETTERS: [(u32, char); 3] = [(MULTILINE, 'm'), (IGNORE_CASE, 'i'), (EXTENDED, 'x')];

impl Pattern {
    /// What `Regexp#options` gives.
    pub fn options(&self) -> u32 {
        let written = LETTERS.iter().map(|(option, _)| option).sum::<u32>();
        self.options & written | if self.fixed { FIXED_ENCODING } else { 0 }
    }

    /// The text of the [`Telling`] with that number; `None` where it has characters of which versions of Ruby say another
    /// thing.
    pub(super) fn telling(&self, number: i64) -> Option<Cow<'_, str>> {
        const EMBEDDED: i64 = Telling::Embedded as i64;
        const LITERAL: i64 = Telling::Literal as i64;
        match number {
            EMBEDDED => self.embedded().map(Cow::Owned),
            LITERAL => {
                let on = LETTERS.iter().filter(|(option, _)| self.options & option != 0);
                let on: String = on.map(|(_, letter)| letter).collect();
                Some(Cow::Owned(format!("/{}/{on}", escaped(&self.source)?)))
            }
            _ => Some(Cow::Borrowed(&self.source)),
        }
    }

    /// `(?mi-x:source)`; of a pattern that is one such group, the group.
    fn embedded(&self) -> Option<String> {
        let (mut options, mut source) = (self.options, self.source.as_str());
        while let Some(rest) = source.strip_prefix("(?") {
            let (mut now, mut rest) = (options, rest);
            let mut take = |rest: &mut &str, on: bool| {
                while let Some((option, _)) = LETTERS.iter().find(|(_, letter)| rest.starts_with(*letter)) {
                    now = if on { now | option } else { now & !option };
                    *rest = &rest[1..];
                }
            };
            take(&mut rest, true);
            if rest.len() > 1 && rest.starts_with('-') {
                rest = &rest[1..];
                take(&mut rest, false);
            }
            if let Some(rest) = rest.strip_prefix(')') {
                // It is so from here on.
                (options, source) = (now, rest);
                continue;
            }
            let inner = rest.strip_prefix(':').and_then(|rest| rest.strip_suffix(')'));
            let flags = syntax::Flags {
                ignore_case: now & IGNORE_CASE != 0,
                multiline: now & MULTILINE != 0,
                extended: now & EXTENDED != 0,
            };
            match inner.filter(|inner| syntax::parse(inner, flags).is_ok()) {
                Some(inner) => (options, source) = (now, inner),
                None => (options, source) = (self.options, self.source.as_str()),
            }
            break;
        }
        let letters = |wanted: bool| -> String {
            let those = LETTERS.iter().filter(|(option, _)| (options & option != 0) == wanted);
            those.map(|(_, letter)| letter).collect()
        };
        let (on, off) = (letters(true), letters(false));
        let minus = if off.is_empty() { "" } else { "-" };
        Some(format!("(?{on}{minus}{off}:{})", escaped(source)?))
    }
}

/// As it stands between slashes.
fn escaped(source: &str) -> Option<String> {
    if source.chars().any(is_unsure) {
        return None;
    }
    let mut out = String::with_capacity(source.len() + 2);
    let mut chars = source.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                out.push(char);
                out.extend(chars.next());
            }
            '/' => out.push_str("\\/"),
            '\t'..='\r' | ' '..='~' => out.push(char),
            char if char.is_ascii() => out.push_str(&format!("\\x{:02X}", u32::from(char))),
            char => out.push(char),
        }
    }
    Some(out)
}

/// Is it one that is not printed by all versions of Ruby?
fn is_unsure(char: char) -> bool {
    static SET: OnceLock<Vec<(char, char)>> = OnceLock::new();
    !char.is_ascii() && {
        let set = SET.get_or_init(|| {
            let set = machine::property(r"[\P{Age=13.0}\p{Cc}\p{Zl}\p{Zp}]");
            set.ranges().iter().map(|range| (range.start(), range.end())).collect()
        });
        let at = set.partition_point(|(_, high)| *high < char);
        set.get(at).is_some_and(|(low, _)| *low <= char)
    }
}
