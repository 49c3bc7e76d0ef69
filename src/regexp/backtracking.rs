//! A parsed pattern as one of fancy-regex, which does by backtracking what no automaton can: look-around, groups that are
//! referred to, what is atomic. As of `machine`, there are two of each. Where a match may begin an automaton finds, of a
//! pattern that matches there and elsewhere (`start.rs`): most texts are never looked at by backtracking.

use super::machine::{Machine, Mode, set_of_any, set_of_char, set_of_class, shape};
use super::start::{Start, start_of};
use super::syntax::{Look, Node};
use fancy_regex::{BytesMode, Input, Regex, RegexInput, RegexOptionsBuilder};
use regex_automata::util::primitives::NonMaxUsize;
use regex_syntax::hir::ClassUnicode;
use std::fmt::Write;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A search from one place takes no more steps than this, and from all of them no longer: Ruby is asked then.
const MOST_STEPS: usize = 1_000_000;
const LONGEST_SEARCH: Duration = Duration::from_millis(500);
/// The clock is looked at each time that so many places were none.
const PLACES: usize = 64;
const PROGRAMS: usize = 32;
/// What it holds takes no more memory, and no more instructions.
const LARGEST: usize = 4 << 20;
const LONGEST: usize = 1 << 16;

#[derive(Debug)]
pub struct Backtracking {
    /// As fancy-regex reads it.
    text: String,
    /// A program for each of so many threads of the pool: they would wait for each other's memory.
    programs: Box<[OnceLock<Regex>]>,
    /// Finds what is so many bytes before each match.
    start: Option<(Machine, usize)>,
    mode: Mode,
}

/// A search took too many steps.
#[derive(Clone, Copy, Debug)]
pub struct TooLong;

/// What is searched: bytes, or what was found to be UTF-8.
struct Text<'a> {
    bytes: &'a [u8],
    mode: Mode,
}

impl Input for Text<'_> {
    type Match<'t>
        = Range<usize>
    where
        Self: 't;

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes
    }

    fn is_char_boundary(&self, place: usize) -> bool {
        self.mode == Mode::Bytes || self.bytes.get(place).is_none_or(|byte| byte & 0xc0 != 0x80)
    }

    fn is_ascii(&self) -> bool {
        self.bytes.is_ascii()
    }

    fn prev_codepoint_ix(&self, place: usize) -> usize {
        (0..place).rev().find(|place| self.is_char_boundary(*place)).unwrap_or(0)
    }

    fn make_match(&self, start: usize, end: usize) -> Range<usize> {
        start..end
    }

    fn advance_position(&self, place: usize) -> usize {
        let end = self.bytes.len().max(place + 1);
        (place + 1..end).find(|place| self.is_char_boundary(*place)).unwrap_or(end)
    }
}

impl Backtracking {
    /// `transient`: as of [`Machine::new`].
    pub fn new(node: &Node, mode: Mode, transient: bool) -> Option<Self> {
        let mut text = String::new();
        write(node, mode, &mut text);
        let first = build(&text, mode)?;
        let start = start_of(node, mode).and_then(|Start { node, before }| {
            let machine = Machine::new(&shape(&node).ok()?, 0, mode, transient)?;
            Some((machine, before))
        });
        let programs: Box<[_]> = (0..PROGRAMS).map(|_| OnceLock::new()).collect();
        let _ = programs[0].set(first);
        Some(Self { text, programs, start, mode })
    }

    /// As of a [`Machine`].
    pub fn search(
        &self,
        bytes: &[u8],
        from: usize,
        only: bool,
        slots: &mut [Option<NonMaxUsize>],
    ) -> Result<bool, TooLong> {
        let text = Text { bytes, mode: self.mode };
        let regex = self.program();
        let Some((start, before)) = self.start.as_ref().filter(|_| !only) else {
            return search(regex, &text, from, only, slots);
        };
        let began = Instant::now();
        let mut from = from;
        for tried in 1.. {
            let mut place = [None; 2];
            if !start.search(bytes, from.saturating_sub(*before), false, &mut place) {
                break;
            }
            let place = place[0].map_or(0, NonMaxUsize::get) + before;
            if search(regex, &text, place, true, slots)? {
                return Ok(true);
            }
            if tried % PLACES == 0 && began.elapsed() > LONGEST_SEARCH {
                return Err(TooLong);
            }
            from = text.advance_position(place);
            if from > bytes.len() {
                break;
            }
        }
        Ok(false)
    }

    /// That of this thread.
    fn program(&self) -> &Regex {
        let first = || self.programs[0].get().expect("it is made with the pattern");
        let own = &self.programs[rayon::current_thread_index().unwrap_or(0) % PROGRAMS];
        own.get().unwrap_or_else(|| match build(&self.text, self.mode) {
            Some(program) => own.get_or_init(|| program),
            None => first(),
        })
    }
}

fn build(text: &str, mode: Mode) -> Option<Regex> {
    let bytes = if mode == Mode::Bytes { BytesMode::Ascii } else { BytesMode::Unicode };
    let mut options = RegexOptionsBuilder::new();
    options.bytes_mode(bytes).unicode_mode(mode == Mode::Utf8).backtrack_limit(MOST_STEPS);
    options.delegate_size_limit(LARGEST).max_prog_size(LONGEST);
    // See `Machine::new` for what it would miss.
    options.seek(false).build_delegate_prefilter(false);
    options.build(text.into()).ok()
}

fn search(
    regex: &Regex,
    text: &Text<'_>,
    from: usize,
    only: bool,
    slots: &mut [Option<NonMaxUsize>],
) -> Result<bool, TooLong> {
    let input = RegexInput::new(text).from_pos(from).anchored(only);
    match slots.len() {
        0 => regex.is_match_input(input).map_err(|_| TooLong),
        2 => {
            let Some(found) = regex.find_input(input).map_err(|_| TooLong)? else { return Ok(false) };
            (slots[0], slots[1]) = (NonMaxUsize::new(found.start), NonMaxUsize::new(found.end));
            Ok(true)
        }
        _ => {
            let Some(found) = regex.captures_input(input).map_err(|_| TooLong)? else { return Ok(false) };
            for (group, slots) in slots.chunks_exact_mut(2).enumerate() {
                let range = found.get(group);
                slots[0] = range.as_ref().and_then(|range| NonMaxUsize::new(range.start));
                slots[1] = range.and_then(|range| NonMaxUsize::new(range.end));
            }
            Ok(true)
        }
    }
}

/// Writes it as fancy-regex reads it, with nothing left to flags.
fn write(node: &Node, mode: Mode, out: &mut String) {
    let group = |open: &str, inner: &Node, out: &mut String| {
        out.push_str(open);
        write(inner, mode, out);
        out.push(')');
    };
    match node {
        Node::Empty => out.push_str("(?:)"),
        Node::Char { char, ignore_case: false } => {
            // In bytes mode a character beyond ASCII is its bytes.
            let mut buffer = [0; 4];
            match mode {
                Mode::Utf8 => write_char(*char, mode, out),
                Mode::Bytes => {
                    char.encode_utf8(&mut buffer).bytes().for_each(|byte| write_char(byte.into(), mode, out));
                }
            }
        }
        Node::Char { char, ignore_case: true } => write_set(&set_of_char(*char, mode), mode, out),
        Node::Any { multiline } => write_set(&set_of_any(*multiline, mode), mode, out),
        Node::Class { class, ignore_case } => {
            write_set(&set_of_class(class, *ignore_case, mode), mode, out);
        }
        Node::Look(look) => out.push_str(match look {
            // Ruby's `^` does not match behind a newline at the end.
            Look::LineStart => r"(?:\A|(?<=\n)(?!\z))",
            Look::LineEnd => r"(?=\n|\z)",
            Look::Start => r"\A",
            Look::End => r"\z",
            Look::LastLineEnd => r"(?=\n?\z)",
            Look::Boundary => r"\b",
            Look::NoBoundary => r"\B",
        }),
        Node::Group { index: Some(_), inner } => group("(", inner, out),
        Node::Group { index: None, inner } => group("(?:", inner, out),
        Node::Concat(all) => all.iter().for_each(|node| match node {
            Node::Either(_) => group("(?:", node, out),
            node => write(node, mode, out),
        }),
        Node::Either(all) => {
            for (number, node) in all.iter().enumerate() {
                out.push_str(if number > 0 { "|" } else { "" });
                write(node, mode, out);
            }
        }
        Node::Repeat { inner, least, most, greedy } => {
            group("(?:", inner, out);
            let _ = match most {
                None => write!(out, "{{{least},}}"),
                Some(most) => write!(out, "{{{least},{most}}}"),
            };
            out.push_str(if *greedy { "" } else { "?" });
        }
        Node::Around { behind, negated, inner } => {
            let open = match (behind, negated) {
                (false, false) => "(?=",
                (false, true) => "(?!",
                (true, false) => "(?<=",
                (true, true) => "(?<!",
            };
            group(open, inner, out);
        }
        Node::Atomic(inner) => group("(?>", inner, out),
        Node::Again(number) => {
            let _ = write!(out, r"(?:\{number})");
        }
    }
}

fn write_char(char: char, mode: Mode, out: &mut String) {
    let _ = match mode {
        _ if char.is_ascii_alphanumeric() => write!(out, "{char}"),
        Mode::Bytes => write!(out, r"\x{:02x}", char as u32),
        Mode::Utf8 => write!(out, r"\x{{{:x}}}", char as u32),
    };
}

fn write_set(set: &ClassUnicode, mode: Mode, out: &mut String) {
    if set.ranges().is_empty() {
        return out.push_str("(?!)");
    }
    out.push('[');
    for range in set.ranges() {
        write_char(range.start(), mode, out);
        if range.end() > range.start() {
            out.push('-');
            write_char(range.end(), mode, out);
        }
    }
    out.push(']');
}
