//! Ruby's regular expressions. `syntax` parses Ruby's patterns, refuses what cannot be done with Ruby's meaning, and makes of
//! the rest an automaton of regex-automata (`machine`), or, where none can do it, a program of fancy-regex that backtracks
//! (`backtracking`); each for bytes and for UTF-8. A Regexp is an object
//! like others, a literal too; a column beside its id holds the address of what it is compiled to, in a table of the
//! process (`table.rs`) that outlives the run. `Op::Match` asks such a pattern about bytes in memory: whether the
//! String can be matched at all (its encoding, its characters: once for each String), where the next match is, how many
//! groups there are; `Op::Group` tells where a group of the thread's last match is.
//!
//! A pattern that the section puts together (`/#{word}/`, `Regexp.new`) is a String that the same operation compiles,
//! through the table, to such an address; the Regexp is a value that holds it, and whether groups are written in it
//! stands in its type. It leaves the section as objects do: its `Maker` makes one of Ruby's of the pattern's source.
//! Where that is no pattern that sections match, the run fails with `NewPattern`, and Ruby is asked what it says of the
//! source: a RegexpError is known to the table from then on, and the section begins anew. All else is Ruby
//! (`builtins/core/text/regexp.rb`).
#![deny(unsafe_code)]

pub mod asking;
mod backtracking;
mod machine;
mod start;
pub mod syntax;
pub mod table;
#[cfg(test)]
mod tests;
mod told;

use crate::string_layout::Encoding;
use asking::{Answer, Question};
use backtracking::{Backtracking, TooLong};
use machine::{Machine, Mode};
use regex_automata::util::primitives::NonMaxUsize;
use std::cell::RefCell;
use std::sync::OnceLock;
use syntax::{Class, Flags, Item, Look, Node, Parsed, Refused};

/// What stands in the options of a Regexp.
pub const IGNORE_CASE: u32 = 1;
pub const EXTENDED: u32 = 2;
pub const MULTILINE: u32 = 4;
/// Has an encoding of its own, UTF-8.
pub const FIXED_ENCODING: u32 = 16;
pub const NO_ENCODING: u32 = 32;
/// Is the source put together of parts, as in `/a#{b}/`? No pattern is told apart by that, but what Ruby says of one that is
/// none.
pub const INTERPOLATED: u32 = 64;

/// A pattern that sections can match. Threads share it.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    options: u32,
    parsed: Parsed,
    fixed: bool,
    /// A section has put it together, and may do so with many.
    transient: bool,
    /// Only Ruby can do it: [it is asked](asking).
    asks: bool,
    /// Beyond ASCII, what it matches hangs on the version of Unicode, or on more than one character at a time.
    care: Care,
    bytes: OnceLock<Option<Engine>>,
    utf8: OnceLock<Option<Engine>>,
}

/// What finds its matches.
#[derive(Debug)]
enum Engine {
    Automaton(Machine),
    Backtracking(Backtracking),
}

impl Engine {
    /// Slots that tell where the whole match is.
    fn whole(&self) -> usize {
        match self {
            Self::Automaton(machine) => machine.whole(),
            Self::Backtracking(_) => 2,
        }
    }

    /// The leftmost match from a place on, or `only` there: where the groups are.
    fn search(
        &self,
        text: &[u8],
        from: usize,
        only: bool,
        slots: &mut [Option<NonMaxUsize>],
    ) -> Result<bool, TooLong> {
        match self {
            Self::Automaton(machine) => Ok(machine.search(text, from, only, slots)),
            Self::Backtracking(backtracking) => backtracking.search(text, from, only, slots),
        }
    }
}

/// Which characters of a String it cannot tell about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Care {
    /// Those of another length than their other case: MRI finds `ſ` by `/s/i`, but not by `/s\z/i`.
    lengths: bool,
    /// Those that two of its letters are together, as ß is ss.
    ligatures: Letters,
    /// Those about which versions of Unicode could differ.
    words: bool,
    /// All beyond ASCII.
    all: bool,
}

impl Care {
    fn add(&mut self, other: Self) {
        self.lengths |= other.lengths;
        self.words |= other.words;
        self.all |= other.all;
        self.ligatures.add(other.ligatures);
    }
}

/// How often a pattern without case has the letters that ligatures are made of. More than once stands for any number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Letters {
    f: u8,
    i: u8,
    l: u8,
    s: u8,
    t: u8,
}

impl Letters {
    fn note(&mut self, char: char, times: u8) {
        let count = match char.to_ascii_lowercase() {
            'f' => &mut self.f,
            'i' => &mut self.i,
            'l' => &mut self.l,
            's' => &mut self.s,
            't' => &mut self.t,
            _ => return,
        };
        *count = count.saturating_add(times);
    }

    fn add(&mut self, other: Self) {
        let all = [
            (&mut self.f, other.f),
            (&mut self.i, other.i),
            (&mut self.l, other.l),
            (&mut self.s, other.s),
            (&mut self.t, other.t),
        ];
        all.into_iter().for_each(|(count, more)| *count = count.saturating_add(more));
    }

    /// May it find such a character by its letters?
    fn may_be(self, ligature: char) -> bool {
        match ligature {
            'ß' | 'ẞ' => self.s > 1,
            'ﬀ' => self.f > 1,
            'ﬁ' => self.f > 0 && self.i > 0,
            'ﬂ' => self.f > 0 && self.l > 0,
            'ﬃ' => self.f > 0 && (self.f > 1 || self.i > 0),
            'ﬄ' => self.f > 0 && (self.f > 1 || self.l > 0),
            'ﬅ' | 'ﬆ' => self.s > 0 && self.t > 0,
            _ => false,
        }
    }
}

/// What a pattern is to do with a String. The first of them looks whether it can at all; what it gives is told to the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Request {
    Prepare,
    Search,
    /// At the place itself.
    Here,
    /// The last match that begins there or before.
    Back,
    /// How many groups there are, with the whole match.
    Count,
    /// The number of the group whose name the String is, or -1.
    Number,
    /// How many names there are.
    Names,
    /// How many bytes a name has (its number is the place), and one of them (its number is what preparing gave).
    NameSize,
    NameByte,
    /// Its options, with that of the encoding.
    Options,
    /// How many bytes a [`Telling`] has (its number is the place), -1 where versions of Ruby tell it differently, and one of
    /// them, as of names.
    TellingSize,
    TellingByte,
    /// The address of the pattern whose source the String is. 0: sections cannot match it; below that -1 minus the number of
    /// what Ruby says of a source that is no pattern. The place has the options, what preparing gave the String's encoding; no
    /// other pattern is asked, neither by the following.
    Compile,
    /// Of what Ruby says (its number is the place), how many bytes that has; its encoding; and one of them, as of names.
    RefusalSize,
    RefusalEncoding,
    RefusalByte,
}

/// What a pattern is as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Telling {
    Source,
    /// `Regexp#to_s`
    Embedded,
    /// `Regexp#inspect`
    Literal,
}

impl Request {
    pub const ALL: [Self; 16] = [
        Self::Prepare,
        Self::Search,
        Self::Here,
        Self::Back,
        Self::Count,
        Self::Number,
        Self::Names,
        Self::NameSize,
        Self::NameByte,
        Self::Options,
        Self::TellingSize,
        Self::TellingByte,
        Self::Compile,
        Self::RefusalSize,
        Self::RefusalEncoding,
        Self::RefusalByte,
    ];

    /// Is no pattern asked?
    pub const fn is_of_table(self) -> bool {
        matches!(self, Self::Compile | Self::RefusalSize | Self::RefusalEncoding | Self::RefusalByte)
    }
}

/// What is to be told of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Wanted {
    /// That there is one.
    Nothing,
    /// Where it begins and ends.
    Whole,
    Groups,
}

/// What [`Request::Prepare`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Prepared {
    Bytes,
    Utf8,
    /// ArgumentError: the String has invalid bytes.
    Invalid,
    /// Encoding::CompatibilityError
    Incompatible,
    /// Sections do not match such characters with this pattern.
    Unsure,
    /// Ruby is to be asked, of bytes or of UTF-8.
    AskedBytes,
    AskedUtf8,
}

thread_local! {
    /// Where the groups of the last match of the thread are.
    static SLOTS: RefCell<Vec<Option<NonMaxUsize>>> = const { RefCell::new(Vec::new()) };
}

/// Where the last match of this thread has the start or end of a group; -1 where the group matched nothing.
pub fn last_slot(number: i64) -> i64 {
    SLOTS.with_borrow(|slots| {
        let slot = usize::try_from(number).ok().and_then(|number| slots.get(number).copied().flatten());
        slot.map_or(-1, |place| place.get() as i64)
    })
}

impl Pattern {
    pub fn new(source: &str, options: u32, transient: bool) -> Result<Self, Refused> {
        let flags = Flags {
            ignore_case: options & IGNORE_CASE != 0,
            multiline: options & MULTILINE != 0,
            extended: options & EXTENDED != 0,
        };
        let parsed = syntax::parse(source, flags)?;
        if transient && parsed.node.backtracks() {
            return Err(Refused { part: source.into(), why: "whether it is a pattern only Ruby can tell" });
        }
        let mut care = Care::default();
        note_care(&parsed.node, 1, &mut care);
        let fixed = options & FIXED_ENCODING != 0 || !source.is_ascii() || writes_unicode(source);
        let pattern = Self {
            source: source.into(),
            options,
            parsed,
            fixed,
            transient,
            asks: false,
            care,
            bytes: OnceLock::new(),
            utf8: OnceLock::new(),
        };
        match pattern.engine(Mode::Bytes) {
            Some(_) => Ok(pattern),
            None => Err(Refused { part: source.into(), why: "it is too large" }),
        }
    }

    /// One that Ruby says is a pattern, and is asked to match if need be.
    fn asked(
        source: &str,
        options: u32,
        transient: bool,
        (groups, names): (u32, Vec<(String, u32)>),
    ) -> Self {
        if let Ok(pattern) = Self::new(source, options, false)
            && (pattern.groups(), pattern.names()) == (groups, &names)
        {
            return Self { transient, ..pattern };
        }
        let fixed = options & FIXED_ENCODING != 0 || !source.is_ascii() || writes_unicode(source);
        Self {
            source: source.into(),
            options,
            parsed: Parsed { node: Node::Concat(Vec::new()), groups, names },
            fixed,
            transient,
            asks: true,
            care: Care::default(),
            bytes: OnceLock::new(),
            utf8: OnceLock::new(),
        }
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Groups beside the whole match.
    pub fn groups(&self) -> u32 {
        self.parsed.groups
    }

    pub fn names(&self) -> &[(String, u32)] {
        &self.parsed.names
    }

    fn engine(&self, mode: Mode) -> Option<&Engine> {
        let made = match mode {
            Mode::Bytes => &self.bytes,
            Mode::Utf8 => &self.utf8,
        };
        let node = &self.parsed.node;
        let make = || match machine::shape(node) {
            Ok(shape) if !node.backtracks() => {
                Machine::new(&shape, self.parsed.groups, mode, self.transient).map(Engine::Automaton)
            }
            _ => Backtracking::new(node, mode, self.transient).map(Engine::Backtracking),
        };
        made.get_or_init(make).as_ref()
    }

    /// Can a String be matched, and how?
    pub fn prepare(&self, text: &[u8], encoding: i64) -> Prepared {
        let (can, utf8) = if text.is_ascii() {
            (!self.asks, false)
        } else if encoding == Encoding::Binary as i64 {
            if self.fixed {
                return Prepared::Incompatible;
            }
            (!self.asks, false)
        } else {
            let valid = if encoding == Encoding::Utf8 as i64 { std::str::from_utf8(text).ok() } else { None };
            let Some(text) = valid else { return Prepared::Invalid };
            (!self.asks && !self.is_unsure(text) && self.engine(Mode::Utf8).is_some(), true)
        };
        match (can, utf8) {
            (true, false) => Prepared::Bytes,
            (true, true) => Prepared::Utf8,
            _ if !asking::may_ask() => Prepared::Unsure,
            (false, false) => Prepared::AskedBytes,
            (false, true) => Prepared::AskedUtf8,
        }
    }

    fn is_unsure(&self, text: &str) -> bool {
        let Care { lengths, ligatures, words, all } = self.care;
        all || lengths && text.chars().any(|char| matches!(char, 'ſ' | '\u{212a}') || ligatures.may_be(char))
            || words && text.chars().any(|char| !char.is_ascii() && unsure_words().contains(char))
    }

    /// Does what is requested; -2 where only Ruby can tell: what it finds backwards may be less than there is, and some searches
    /// take too many steps. Of preparing, `place` is the String's encoding.
    pub fn ask(&self, text: &[u8], place: i64, request: Request, prepared: i64, wanted: Wanted) -> i64 {
        let name = || self.names().get(place as usize).map_or("", |(name, _)| name);
        match request {
            Request::Prepare => self.prepare(text, place) as i64,
            Request::Back if begins_with_anything(&self.parsed.node) && !asking::may_ask() => -2,
            Request::Search | Request::Here | Request::Back => {
                self.search(text, place as usize, request, prepared, wanted)
            }
            Request::Count => i64::from(self.groups()) + 1,
            Request::Number => {
                let found = self.names().iter().find(|(name, _)| name.as_bytes() == text);
                found.map_or(-1, |(_, number)| i64::from(*number))
            }
            Request::Names => self.names().len() as i64,
            Request::NameSize => name().len() as i64,
            Request::NameByte => name().as_bytes().get(prepared as usize).map_or(0, |byte| i64::from(*byte)),
            Request::Options => i64::from(self.options()),
            Request::TellingSize => self.telling(place).map_or(-1, |text| text.len() as i64),
            Request::TellingByte => {
                let text = self.telling(place).unwrap_or_default();
                text.as_bytes().get(prepared as usize).map_or(0, |byte| i64::from(*byte))
            }
            request => table::ask(text, place, request, prepared),
        }
    }

    /// As [`Self::search`], by Ruby.
    fn ask_ruby(&self, text: &[u8], from: usize, request: Request, utf8: bool) -> i64 {
        let options = self.options | if self.fixed { FIXED_ENCODING } else { 0 };
        let question = Question::Search { source: &self.source, options, text, utf8, from, request };
        // Where Ruby answers no more the run has been told to end.
        let found = if from <= text.len() { asking::ask(question) } else { None };
        SLOTS.with_borrow_mut(|slots| {
            slots.clear();
            let Some(Answer::Found(places)) = found else { return -1 };
            let place = |place: Option<usize>| place.and_then(NonMaxUsize::new);
            slots.extend(places.into_iter().map(place));
            slots.first().copied().flatten().map_or(0, |start| start.get() as i64)
        })
    }

    /// Where a match begins, or -1; [`last_slot`] has its groups, as far as they are wanted.
    pub fn search(&self, text: &[u8], from: usize, request: Request, prepared: i64, wanted: Wanted) -> i64 {
        let asks = [Prepared::AskedBytes, Prepared::AskedUtf8].iter().any(|asked| *asked as i64 == prepared);
        if asks || request == Request::Back && begins_with_anything(&self.parsed.node) {
            let utf8 = [Prepared::Utf8, Prepared::AskedUtf8].iter().any(|mode| *mode as i64 == prepared);
            return self.ask_ruby(text, from, request, utf8);
        }
        let mode = if prepared == Prepared::Utf8 as i64 { Mode::Utf8 } else { Mode::Bytes };
        let Some(engine) = self.engine(mode).filter(|_| from <= text.len()) else { return -1 };
        let found = SLOTS.with_borrow_mut(|slots| {
            slots.clear();
            let count = match wanted {
                Wanted::Nothing => 0,
                Wanted::Whole => engine.whole(),
                Wanted::Groups => engine.whole().max(2 * self.parsed.groups as usize + 2),
            };
            slots.resize(count, None);
            let found = match request {
                Request::Back => {
                    let starts = |at: &usize| {
                        mode == Mode::Bytes || text.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80)
                    };
                    let mut places = (0..=from).rev().filter(starts);
                    places.find_map(|at| match engine.search(text, at, true, slots) {
                        Ok(false) => None,
                        ended => Some(ended),
                    })
                }
                request => Some(engine.search(text, from, request == Request::Here, slots)),
            };
            Ok(match (found.transpose()?, slots.first()) {
                (None | Some(false), _) => -1,
                (Some(true), Some(Some(start))) => start.get() as i64,
                (Some(true), _) => 0,
            })
        });
        found.unwrap_or_else(|TooLong| match asking::may_ask() {
            true => self.ask_ruby(text, from, request, mode == Mode::Utf8),
            false => -2,
        })
    }
}

/// Does it begin with as many of any characters as there are? MRI looks at the beginning of the text only then, also for
/// the last match.
fn begins_with_anything(node: &Node) -> bool {
    match node {
        Node::Repeat { inner, most: None, .. } => matches!(**inner, Node::Any { multiline: true }),
        Node::Group { inner, .. } | Node::Atomic(inner) => begins_with_anything(inner),
        Node::Concat(parts) => parts.first().is_some_and(begins_with_anything),
        _ => false,
    }
}

/// Is there a `\u`, which makes a pattern one of UTF-8?
fn writes_unicode(source: &str) -> bool {
    let mut escaped = false;
    source.chars().any(|char| {
        let found = escaped && char == 'u';
        escaped = char == '\\' && !escaped;
        found
    })
}

fn note_care(node: &Node, times: u8, care: &mut Care) {
    match node {
        Node::Char { ignore_case: true, char } => {
            care.lengths = true;
            care.ligatures.note(*char, times);
        }
        Node::Class { class, ignore_case } => note_class(class, *ignore_case, care),
        Node::Look(Look::Boundary | Look::NoBoundary) => care.words = true,
        Node::Around { behind: true, inner, .. } => {
            let mut within = Care::default();
            note_care(inner, times, &mut within);
            // There is no pattern, once Ruby knows that a letter may be two.
            within.all |= within.lengths;
            care.add(within);
        }
        Node::Group { inner, .. } | Node::Around { inner, .. } | Node::Atomic(inner) => {
            note_care(inner, times, care);
        }
        Node::Repeat { inner, .. } => note_care(inner, 2, care),
        Node::Concat(all) | Node::Either(all) => all.iter().for_each(|node| note_care(node, times, care)),
        _ => {}
    }
}

fn note_class(class: &Class, ignore_case: bool, care: &mut Care) {
    care.lengths |= ignore_case;
    for item in &class.items {
        match item {
            Item::Property { .. } => {
                care.words = true;
                care.all |= ignore_case;
            }
            Item::Ascii { negated, .. } => care.all |= ignore_case && *negated,
            Item::Nested(class) => note_class(class, ignore_case, care),
            Item::Range(..) => {}
        }
    }
    class.and.iter().for_each(|class| note_class(class, ignore_case, care));
}

/// Characters that are not the same in all versions of Unicode from Ruby 3.1 on, or that Ruby takes for no part of words
/// though Unicode does.
struct Unsure(Vec<(char, char)>);

impl Unsure {
    fn contains(&self, char: char) -> bool {
        let at = self.0.partition_point(|(_, high)| *high < char);
        self.0.get(at).is_some_and(|(low, _)| *low <= char)
    }
}

fn unsure_words() -> &'static Unsure {
    static SET: OnceLock<Unsure> = OnceLock::new();
    SET.get_or_init(|| {
        let set = machine::property(r"[\P{Age=13.0}\p{Join_Control}]");
        Unsure(set.ranges().iter().map(|range| (range.start(), range.end())).collect())
    })
}
