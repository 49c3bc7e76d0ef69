//! A parsed pattern as an automaton of regex-automata. There are two of each: one for Strings whose characters are bytes
//! (ASCII, or BINARY), and one for UTF-8.

use super::syntax::{Class, Item, Look, Node, Refused, nullable};
use regex_automata::meta::{Config, Regex};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{self, Capture, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir};

/// What characters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Bytes,
    Utf8,
}

#[derive(Debug)]
pub struct Machine {
    regex: Regex,
    /// The pattern began with `^`, which is not in the automaton: it is tried where lines begin.
    at_lines: bool,
    /// The pattern ended with `\Z`: this group is where it matches up to.
    ends: Option<usize>,
}

/// An automaton takes no more memory than this.
const LARGEST: usize = 4 << 20;

/// How a pattern is to be read: without a `^` at its beginning and a `\Z` at its end.
pub struct Shape<'a> {
    pub node: std::borrow::Cow<'a, Node>,
    pub at_lines: bool,
    pub ends: bool,
}

/// Takes `^` and `\Z` away, and refuses those that stand where the automaton would take them for something else. Ruby's
/// `^` does not match behind a newline at the end, which matters where nothing has to follow; and what `\Z` looks for
/// is no place that the automaton knows.
pub fn shape(node: &Node) -> Result<Shape<'_>, Refused> {
    let mut shape = Shape { node: std::borrow::Cow::Borrowed(node), at_lines: false, ends: false };
    if let Some(rest) = without_last(node) {
        shape = Shape { node: std::borrow::Cow::Owned(rest), ends: true, ..shape };
    }
    if !lines_are_followed(&shape.node, false)
        && let Some(rest) = without_first(&shape.node)
    {
        shape = Shape { node: std::borrow::Cow::Owned(rest), at_lines: true, ..shape };
    }
    if !lines_are_followed(&shape.node, false) {
        return Err(Refused { part: "^".into(), why: "what follows it may be empty" });
    }
    if has_last(&shape.node) {
        return Err(Refused { part: "\\Z".into(), why: "it does not end the pattern" });
    }
    Ok(shape)
}

/// Without the `^` that it begins with, however that is reached.
fn without_first(node: &Node) -> Option<Node> {
    match node {
        Node::Look(Look::LineStart) => Some(Node::Empty),
        Node::Group { index, inner } => {
            Some(Node::Group { index: *index, inner: Box::new(without_first(inner)?) })
        }
        Node::Concat(all) => {
            let (first, rest) = all.split_first()?;
            let first = without_first(first)?;
            Some(Node::Concat(std::iter::once(first).chain(rest.iter().cloned()).collect()))
        }
        Node::Either(all) => Some(Node::Either(all.iter().map(without_first).collect::<Option<_>>()?)),
        _ => None,
    }
}

fn without_last(node: &Node) -> Option<Node> {
    match node {
        Node::Look(Look::LastLineEnd) => Some(Node::Empty),
        Node::Concat(all) => {
            let (last, rest) = all.split_last()?;
            let last = without_last(last)?;
            Some(Node::Concat(rest.iter().cloned().chain([last]).collect()))
        }
        _ => None,
    }
}

fn has_last(node: &Node) -> bool {
    match node {
        Node::Look(look) => *look == Look::LastLineEnd,
        Node::Group { inner, .. } | Node::Repeat { inner, .. } => has_last(inner),
        Node::Concat(all) | Node::Either(all) => all.iter().any(has_last),
        _ => false,
    }
}

/// Does something that is not empty follow each `^`? `followed`: something does behind the node.
fn lines_are_followed(node: &Node, followed: bool) -> bool {
    match node {
        Node::Look(look) => *look != Look::LineStart || followed,
        Node::Group { inner, .. } | Node::Repeat { inner, .. } => lines_are_followed(inner, followed),
        Node::Either(all) => all.iter().all(|node| lines_are_followed(node, followed)),
        Node::Concat(all) => {
            let mut followed = followed;
            all.iter().rev().all(|node| {
                let fine = lines_are_followed(node, followed);
                followed |= !nullable(node);
                fine
            })
        }
        _ => true,
    }
}

impl Machine {
    /// `transient`: it is not to take long to make, however long it takes to match.
    pub fn new(shape: &Shape<'_>, groups: u32, mode: Mode, transient: bool) -> Option<Self> {
        let mut hir = translate(&shape.node, mode, groups + 2);
        let ends = shape.ends.then_some(groups as usize + 1);
        if let Some(group) = ends {
            let end = Hir::capture(Capture { index: group as u32, name: None, sub: Box::new(Hir::empty()) });
            let newline = hir::Repetition { min: 0, max: Some(1), greedy: true, sub: Box::new(byte(b'\n')) };
            hir = Hir::concat(vec![hir, end, Hir::repetition(newline), Hir::look(hir::Look::End)]);
        }
        // Only what a match begins with is looked for first: by literals further in, which regex-automata would look for of
        // itself, it misses matches (of `/ ?a[^a]*b/` in "ab", in 0.4.18).
        let first = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &hir);
        let config = Config::new().utf8_empty(mode == Mode::Utf8).nfa_size_limit(Some(LARGEST));
        let config = config.auto_prefilter(false).prefilter(first).dfa(!transient).onepass(!transient);
        let regex = Regex::builder().configure(config).build_from_hir(&hir).ok()?;
        Some(Self { regex, at_lines: shape.at_lines, ends })
    }

    /// Slots that tell where the whole match is.
    pub fn whole(&self) -> usize {
        self.ends.map_or(2, |group| 2 * group + 2)
    }

    /// The leftmost match from a place on, or `only` there: where the groups are.
    pub fn search(&self, text: &[u8], from: usize, only: bool, slots: &mut [Option<NonMaxUsize>]) -> bool {
        let found = match (self.at_lines, only) {
            (true, false) => {
                let mut from = from;
                loop {
                    match line_from(text, from) {
                        Some(line) if self.search_at(text, line, true, slots) => break true,
                        Some(line) => from = line + 1,
                        None => break false,
                    }
                }
            }
            (true, true) => is_line(text, from) && self.search_at(text, from, true, slots),
            _ => self.search_at(text, from, only, slots),
        };
        if found
            && let Some(group) = self.ends
            && slots.len() > 2 * group
        {
            slots[1] = slots[2 * group];
        }
        found
    }

    fn search_at(&self, text: &[u8], from: usize, only: bool, slots: &mut [Option<NonMaxUsize>]) -> bool {
        let anchored = if only { Anchored::Yes } else { Anchored::No };
        let input = Input::new(text).range(from..).anchored(anchored);
        match slots.len() {
            0 => self.regex.search_half(&input.earliest(true)).is_some(),
            _ => self.regex.search_slots(&input, slots).is_some(),
        }
    }
}

/// Does a line begin there, as `^` has it?
fn is_line(text: &[u8], at: usize) -> bool {
    at == 0 || at < text.len() && text[at - 1] == b'\n'
}

/// The first line that begins there or later.
fn line_from(text: &[u8], from: usize) -> Option<usize> {
    if from == 0 {
        return Some(0);
    }
    let newline = memchr::memchr(b'\n', &text[from - 1..])?;
    let line = from + newline;
    (line < text.len()).then_some(line)
}

fn byte(byte: u8) -> Hir {
    Hir::literal([byte])
}

/// `spare`: a group that nobody asks for.
fn translate(node: &Node, mode: Mode, spare: u32) -> Hir {
    match node {
        Node::Empty => Hir::empty(),
        Node::Char { char, ignore_case: false } => Hir::literal(char.to_string().into_bytes()),
        Node::Char { char, ignore_case: true } => of_set(set_of_char(*char, mode), mode),
        Node::Any { multiline } => of_set(set_of_any(*multiline, mode), mode),
        Node::Class { class, ignore_case } => of_set(set_of_class(class, *ignore_case, mode), mode),
        Node::Look(look) => Hir::look(match (look, mode) {
            (Look::LineStart, _) => hir::Look::StartLF,
            (Look::LineEnd, _) => hir::Look::EndLF,
            (Look::Start, _) => hir::Look::Start,
            (Look::End | Look::LastLineEnd, _) => hir::Look::End,
            (Look::Boundary, Mode::Bytes) => hir::Look::WordAscii,
            (Look::Boundary, Mode::Utf8) => hir::Look::WordUnicode,
            (Look::NoBoundary, Mode::Bytes) => hir::Look::WordAsciiNegate,
            (Look::NoBoundary, Mode::Utf8) => hir::Look::WordUnicodeNegate,
        }),
        Node::Group { index: Some(index), inner } => {
            let sub = Box::new(translate(inner, mode, spare));
            Hir::capture(Capture { index: *index, name: None, sub })
        }
        Node::Group { index: None, inner } => translate(inner, mode, spare),
        Node::Concat(all) => Hir::concat(all.iter().map(|node| translate(node, mode, spare)).collect()),
        Node::Either(all) => {
            let mut all: Vec<Hir> = all.iter().map(|node| translate(node, mode, spare)).collect();
            // regex-syntax takes out what all begin with, which is not the same where that can match in several ways.
            if begin_alike(&all) {
                let first = std::mem::replace(&mut all[0], Hir::empty());
                all[0] = Hir::capture(Capture { index: spare, name: None, sub: Box::new(first) });
            }
            Hir::alternation(all)
        }
        Node::Repeat { inner, least, most, greedy } => {
            let sub = Box::new(translate(inner, mode, spare));
            Hir::repetition(hir::Repetition { min: *least, max: *most, greedy: *greedy, sub })
        }
        // Of these patterns none is made.
        Node::Around { .. } | Node::Atomic(_) | Node::Again(_) => Hir::fail(),
    }
}

/// Do all begin with the same parts, of which one can match in several ways?
fn begin_alike(all: &[Hir]) -> bool {
    let parts = |hir: &Hir| match hir.kind() {
        hir::HirKind::Concat(parts) => parts.clone(),
        _ => vec![hir.clone()],
    };
    let Some((first, others)) = all.split_first() else { return false };
    let (first, others) = (parts(first), others.iter().map(parts).collect::<Vec<_>>());
    let common =
        (0..first.len()).take_while(|at| others.iter().all(|other| other.get(*at) == Some(&first[*at])));
    let is_simple = |hir: &Hir| {
        matches!(hir.kind(), hir::HirKind::Literal(_) | hir::HirKind::Class(_) | hir::HirKind::Look(_))
    };
    !others.is_empty() && common.into_iter().any(|at| !is_simple(&first[at]))
}

/// The characters of a class; of a String of bytes those below 256, which are they.
pub fn set_of_class(class: &Class, ignore_case: bool, mode: Mode) -> ClassUnicode {
    let mut set = ClassUnicode::empty();
    let mut plain = ClassUnicode::empty();
    let ranges = |ranges: &[(char, char)]| {
        ClassUnicode::new(ranges.iter().map(|(low, high)| ClassUnicodeRange::new(*low, *high)))
    };
    for item in &class.items {
        let (mut part, negated) = match item {
            Item::Range(low, high) => {
                set.push(ClassUnicodeRange::new(*low, *high));
                continue;
            }
            Item::Ascii { ranges: known, negated } => (ranges(known), *negated),
            Item::Property { ascii, negated, .. } if mode == Mode::Bytes => (ranges(ascii), *negated),
            Item::Property { name, negated, .. } => (property(name), *negated),
            Item::Nested(class) => (set_of_class(class, ignore_case, mode), false),
        };
        if negated {
            negate(&mut part, mode);
        }
        plain.union(&part);
    }
    if ignore_case {
        fold(&mut set);
    }
    set.union(&plain);
    for other in &class.and {
        set.intersect(&set_of_class(other, ignore_case, mode));
    }
    if class.negated {
        negate(&mut set, mode);
    }
    limit(&mut set, mode);
    set
}

/// The set of a class in regex-syntax's own syntax.
pub fn property(name: &str) -> ClassUnicode {
    match regex_syntax::parse(name).map(Hir::into_kind) {
        Ok(hir::HirKind::Class(hir::Class::Unicode(set))) => set,
        Ok(hir::HirKind::Class(hir::Class::Bytes(set))) => {
            set.to_unicode_class().unwrap_or_else(ClassUnicode::empty)
        }
        _ => ClassUnicode::empty(),
    }
}

fn negate(set: &mut ClassUnicode, mode: Mode) {
    set.negate();
    limit(set, mode);
}

/// Leaves out what is no character.
fn limit(set: &mut ClassUnicode, mode: Mode) {
    if mode == Mode::Bytes {
        set.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\u{ff}')]));
    }
}

/// Adds the other cases. Of what is not ASCII there are single characters only, of two cases.
fn fold(set: &mut ClassUnicode) {
    let mut others = Vec::new();
    for range in set.ranges() {
        let alone = range.start() == range.end();
        if range.start().is_ascii() {
            let end = range.end().min('\x7f');
            for char in range.start()..=end {
                others.extend([char.to_ascii_lowercase(), char.to_ascii_uppercase()]);
                match char {
                    'k' | 'K' => others.push('\u{212a}'),
                    's' | 'S' => others.push('\u{17f}'),
                    _ => {}
                }
            }
        } else if alone {
            others.extend(range.start().to_lowercase().chain(range.start().to_uppercase()));
        }
    }
    set.union(&ClassUnicode::new(others.into_iter().map(|char| ClassUnicodeRange::new(char, char))));
}

/// A character and its other cases.
pub fn set_of_char(char: char, mode: Mode) -> ClassUnicode {
    let mut set = ClassUnicode::new([ClassUnicodeRange::new(char, char)]);
    fold(&mut set);
    limit(&mut set, mode);
    set
}

/// What `.` matches.
pub fn set_of_any(multiline: bool, mode: Mode) -> ClassUnicode {
    let newline = ClassUnicodeRange::new('\n', '\n');
    let mut set = ClassUnicode::new((!multiline).then_some(newline));
    negate(&mut set, mode);
    set
}

fn of_set(set: ClassUnicode, mode: Mode) -> Hir {
    Hir::class(match mode {
        Mode::Utf8 => hir::Class::Unicode(set),
        Mode::Bytes => {
            let ranges = set.ranges().iter();
            let ranges = ranges.map(|range| ClassBytesRange::new(range.start() as u8, range.end() as u8));
            hir::Class::Bytes(ClassBytes::new(ranges.collect::<Vec<_>>()))
        }
    })
}
