//! The syntax of Ruby's regular expressions, as far as [`super::machine`] or [`super::backtracking`] can do them with
//! Ruby's meaning. What they cannot is refused here, with the part of the pattern.

/// A refused part, and why it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub part: String,
    pub why: &'static str,
}

/// `/i`, `/m` and `/x` as they hold at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub ignore_case: bool,
    pub multiline: bool,
    pub extended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Empty,
    Char {
        char: char,
        ignore_case: bool,
    },
    /// `.`
    Any {
        multiline: bool,
    },
    Class {
        class: Class,
        ignore_case: bool,
    },
    Look(Look),
    Group {
        index: Option<u32>,
        inner: Box<Self>,
    },
    Concat(Vec<Self>),
    Either(Vec<Self>),
    Repeat {
        inner: Box<Self>,
        least: u32,
        most: Option<u32>,
        greedy: bool,
    },
    /// What comes next is looked at, or what came before.
    Around {
        behind: bool,
        negated: bool,
        inner: Box<Self>,
    },
    /// Once it has matched it is not tried otherwise.
    Atomic(Box<Self>),
    /// What a group has matched, again.
    Again(u32),
}

impl Node {
    /// Is there something in it that no automaton can do?
    pub fn backtracks(&self) -> bool {
        match self {
            Self::Around { .. } | Self::Atomic(_) | Self::Again(_) => true,
            Self::Group { inner, .. } | Self::Repeat { inner, .. } => inner.backtracks(),
            Self::Concat(all) | Self::Either(all) => all.iter().any(Self::backtracks),
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    LineStart,
    LineEnd,
    Start,
    End,
    /// `\Z`: the end, or before a newline there.
    LastLineEnd,
    Boundary,
    NoBoundary,
}

/// What stands in brackets: what is in one of the items, and in each of the sets behind `&&`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    pub negated: bool,
    pub items: Vec<Item>,
    pub and: Vec<Self>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Range(char, char),
    /// Of ASCII characters, or all others.
    Ascii {
        ranges: &'static [(char, char)],
        negated: bool,
    },
    /// By the name of a property of Unicode; of ASCII in a String of bytes.
    Property {
        name: &'static str,
        ascii: &'static [(char, char)],
        negated: bool,
    },
    Nested(Class),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    pub node: Node,
    /// Groups that capture.
    pub groups: u32,
    pub names: Vec<(String, u32)>,
}

type Ranges = &'static [(char, char)];

const DIGIT: Ranges = &[('0', '9')];
const HEX: Ranges = &[('0', '9'), ('A', 'F'), ('a', 'f')];
const SPACE: Ranges = &[('\t', '\r'), (' ', ' ')];
const WORD: Ranges = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// POSIX brackets and properties of the same name: what of ASCII is in them, and the classes of regex-syntax that are
/// the same set beyond it.
const PROPERTIES: &[(&str, Ranges, &str)] = &[
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')], r"[\p{Alphabetic}\p{Nd}]"),
    ("alpha", &[('A', 'Z'), ('a', 'z')], r"\p{Alphabetic}"),
    ("blank", &[('\t', '\t'), (' ', ' ')], r"[\p{Zs}\t]"),
    ("cntrl", &[('\0', '\x1f'), ('\x7f', '\x7f')], r"\p{Cc}"),
    ("digit", DIGIT, r"\p{Nd}"),
    ("lower", &[('a', 'z')], r"\p{Lowercase}"),
    ("space", SPACE, r"\p{White_Space}"),
    ("upper", &[('A', 'Z')], r"\p{Uppercase}"),
    ("word", WORD, r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]"),
    ("xdigit", HEX, r"[0-9A-Fa-f]"),
];

/// What `\R` matches of single characters.
const LINE_BREAKS: &str = r"[\n-\r\u{85}\u{2028}\u{2029}]";

/// What brackets alone call so: with symbols of ASCII.
const PUNCTUATION: &[(&str, Ranges, &str)] =
    &[("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')], r"[\p{P}$+<=>^`|~]")];

/// Properties that are no POSIX brackets.
const CATEGORIES: &[(&str, Ranges, &str)] = &[
    ("n", DIGIT, r"\p{N}"),
    ("nd", DIGIT, r"\p{Nd}"),
    ("p", MARKS, r"\p{P}"),
    ("punct", MARKS, r"\p{P}"),
    ("z", &[(' ', ' ')], r"\p{Z}"),
];
const MARKS: Ranges = &[
    ('!', '#'),
    ('%', '*'),
    (',', '/'),
    (':', ';'),
    ('?', '@'),
    ('[', ']'),
    ('_', '_'),
    ('{', '{'),
    ('}', '}'),
];

type Parse<T> = Result<T, Refused>;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    flags: Flags,
    groups: u32,
    names: Vec<(String, u32)>,
    /// Named groups are all that captures.
    named: bool,
    /// Those that have ended.
    ended: Vec<u32>,
}

/// Patterns nested deeper are refused.
const DEEPEST: usize = 100;

pub fn parse(text: &str, flags: Flags) -> Parse<Parsed> {
    let named = has_names(text);
    let mut parser = Parser { text, at: 0, flags, groups: 0, names: Vec::new(), named, ended: Vec::new() };
    let node = parser.either(0)?;
    if parser.at < text.len() {
        return Err(parser.refused(parser.at, "it has no beginning"));
    }
    if parser.named == parser.names.is_empty() {
        return Err(Refused { part: text.into(), why: "which of its groups have names cannot be told" });
    }
    Ok(Parsed { node, groups: parser.groups, names: parser.names })
}

/// Is there a named group? Where it only looks so, groups are taken for unnamed ones; that is refused where it is met.
fn has_names(text: &str) -> bool {
    let mut escaped = false;
    let mut depth = 0;
    text.char_indices().any(|(at, char)| {
        let plain = !escaped;
        escaped = char == '\\' && plain;
        match char {
            '[' if plain => depth += 1,
            ']' if plain && depth > 0 => depth -= 1,
            _ => {}
        }
        let rest = &text[at..];
        plain
            && depth == 0
            && (rest.starts_with("(?'")
                || rest.starts_with("(?<") && !rest.starts_with("(?<=") && !rest.starts_with("(?<!"))
    })
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn skip(&mut self, text: &str) -> bool {
        let found = self.text[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn refused(&self, from: usize, why: &'static str) -> Refused {
        let until = self.at.max(from + self.text[from..].chars().next().map_or(0, char::len_utf8));
        Refused { part: self.text[from..until].into(), why }
    }

    fn either(&mut self, depth: usize) -> Parse<Node> {
        if depth > DEEPEST {
            return Err(self.refused(self.at, "it is nested too deeply"));
        }
        let mut all = vec![self.concat(depth)?];
        while self.skip("|") {
            all.push(self.concat(depth)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Either(all) })
    }

    fn concat(&mut self, depth: usize) -> Parse<Node> {
        let mut all = Vec::new();
        loop {
            let from = self.at;
            match self.peek() {
                None | Some('|' | ')') => break,
                Some('#') if self.flags.extended => {
                    self.at = self.text[from..].find('\n').map_or(self.text.len(), |end| from + end + 1);
                    continue;
                }
                Some(' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') if self.flags.extended => {
                    self.next();
                    continue;
                }
                _ => {}
            }
            let Some(node) = self.atom(depth)? else { continue };
            let node = self.repeated(node, from)?;
            all.push(node);
        }
        Ok(match all.len() {
            0 => Node::Empty,
            1 => all.remove(0),
            _ => Node::Concat(all),
        })
    }

    fn char(&self, char: char) -> Parse<Node> {
        let ignore_case = self.flags.ignore_case;
        if ignore_case && !folds_simply(char) {
            return Err(Refused { part: char.into(), why: "its case is folded in a way of its own" });
        }
        Ok(Node::Char { char, ignore_case })
    }

    fn class(&self, class: Class) -> Node {
        Node::Class { class, ignore_case: self.flags.ignore_case }
    }

    /// `None` for what matches nothing and is no atom: a comment.
    fn atom(&mut self, depth: usize) -> Parse<Option<Node>> {
        let from = self.at;
        let Some(next) = self.next() else { return Ok(None) };
        Ok(Some(match next {
            '.' => Node::Any { multiline: self.flags.multiline },
            '^' => Node::Look(Look::LineStart),
            '$' => Node::Look(Look::LineEnd),
            '[' => {
                let class = self.brackets(from, depth)?;
                self.class(class)
            }
            '(' => return self.group(from, depth),
            '\\' => self.escape(from)?,
            '*' | '+' | '?' => return Err(self.refused(from, "there is nothing that it repeats")),
            other => self.char(other)?,
        }))
    }

    fn group(&mut self, from: usize, depth: usize) -> Parse<Option<Node>> {
        let before = self.flags;
        let mut index = None;
        if self.skip("?") {
            let names = (self.text[self.at..].starts_with('<') || self.text[self.at..].starts_with('\''))
                && !self.text[self.at..].starts_with("<=")
                && !self.text[self.at..].starts_with("<!");
            if self.skip("#") {
                while let Some(next) = self.next() {
                    match next {
                        '\\' => drop(self.next()),
                        ')' => return Ok(None),
                        _ => {}
                    }
                }
                return Err(self.refused(from, "it has no end"));
            } else if names {
                let end = if self.next() == Some('<') { '>' } else { '\'' };
                let start = self.at;
                while self.peek().is_some_and(|next| next != end) {
                    self.next();
                }
                let name = self.text[start..self.at].to_string();
                self.next();
                if self.names.iter().any(|(known, _)| *known == name) {
                    return Err(self.refused(from, "another group has the same name"));
                }
                self.groups += 1;
                index = Some(self.groups);
                self.names.push((name, self.groups));
            } else if !self.skip(":") {
                return self.options(from, depth);
            }
        } else if !self.named {
            self.groups += 1;
            index = Some(self.groups);
        }
        let inner = self.either(depth + 1)?;
        if !self.skip(")") {
            return Err(self.refused(from, "it has no end"));
        }
        self.flags = before;
        self.ended.extend(index);
        Ok(Some(Node::Group { index, inner: Box::new(inner) }))
    }

    /// What stands up to the parenthesis that ends a group.
    fn inner(&mut self, from: usize, depth: usize) -> Parse<Box<Node>> {
        let before = self.flags;
        let inner = self.either(depth + 1)?;
        if !self.skip(")") {
            return Err(self.refused(from, "it has no end"));
        }
        self.flags = before;
        Ok(Box::new(inner))
    }

    /// `(?i-m:…)`, and `(?i-m)`, which holds up to the end of the group around it: alternatives included.
    fn options(&mut self, from: usize, depth: usize) -> Parse<Option<Node>> {
        let before = self.flags;
        let mut on = true;
        loop {
            let flag = match self.next() {
                Some('-') => {
                    on = false;
                    continue;
                }
                Some('i') => &mut self.flags.ignore_case,
                Some('m') => &mut self.flags.multiline,
                Some('x') => &mut self.flags.extended,
                Some(':') => {
                    let inner = self.either(depth + 1)?;
                    if !self.skip(")") {
                        return Err(self.refused(from, "it has no end"));
                    }
                    self.flags = before;
                    return Ok(Some(Node::Group { index: None, inner: Box::new(inner) }));
                }
                Some(')') => {
                    let inner = self.either(depth + 1)?;
                    self.flags = before;
                    return Ok(Some(Node::Group { index: None, inner: Box::new(inner) }));
                }
                // Nothing is there that the empty text is not at the beginning of: what `Regexp.union` gives of nothing.
                Some('!') if self.peek() == Some(')') => {
                    self.next();
                    let class = Class { negated: false, items: Vec::new(), and: Vec::new() };
                    return Ok(Some(Node::Class { class, ignore_case: false }));
                }
                Some(which @ ('=' | '!')) if self.at == from + 3 => {
                    let inner = self.inner(from, depth)?;
                    return Ok(Some(Node::Around { behind: false, negated: which == '!', inner }));
                }
                Some('<') if self.at == from + 3 => {
                    let negated = self.next() == Some('!');
                    let inner = self.inner(from, depth)?;
                    return Ok(Some(Node::Around { behind: true, negated, inner }));
                }
                Some('>') if self.at == from + 3 => return Ok(Some(Node::Atomic(self.inner(from, depth)?))),
                _ => return Err(self.refused(from, "there are no such groups")),
            };
            *flag = on;
        }
    }

    fn escape(&mut self, from: usize) -> Parse<Node> {
        let set =
            |ranges, negated| Class { items: vec![Item::Ascii { ranges, negated }], ..Class::default() };
        let Some(next) = self.next() else { return Err(self.refused(from, "it has no end")) };
        Ok(match next {
            'A' => Node::Look(Look::Start),
            'z' => Node::Look(Look::End),
            'Z' => Node::Look(Look::LastLineEnd),
            'b' => Node::Look(Look::Boundary),
            'B' => Node::Look(Look::NoBoundary),
            'd' | 'D' => self.class(set(DIGIT, next == 'D')),
            'h' | 'H' => self.class(set(HEX, next == 'H')),
            's' | 'S' => self.class(set(SPACE, next == 'S')),
            'w' | 'W' => self.class(set(WORD, next == 'W')),
            'p' | 'P' => {
                let item = self.property(from, next == 'P')?;
                self.class(Class { items: vec![item], ..Class::default() })
            }
            'u' if self.skip("{") => {
                let mut all = Vec::new();
                while let Some(next) = self.peek() {
                    match next {
                        ' ' | '\t' => drop(self.next()),
                        '}' => break,
                        _ => {
                            let char = self.number(from, 16, 1..=6)?;
                            all.push(self.char(char)?);
                        }
                    }
                }
                self.next();
                match all.len() {
                    1 => all.remove(0),
                    _ => return Err(self.refused(from, "several characters cannot be written so")),
                }
            }
            '1'..='9' | 'k' => self.again(from, next)?,
            'g' => return Err(self.refused(from, "a group cannot be called")),
            'R' => {
                let pair = ['\r', '\n'].map(|char| Node::Char { char, ignore_case: false });
                let one = Item::Property { name: LINE_BREAKS, ascii: &[('\n', '\r')], negated: false };
                let class = Class { items: vec![one], ..Class::default() };
                let one = Node::Class { class, ignore_case: false };
                Node::Atomic(Box::new(Node::Either(vec![Node::Concat(pair.into()), one])))
            }
            'G' | 'K' | 'X' | 'N' | 'O' | 'y' | 'Y' | 'Q' | 'E' => {
                return Err(self.refused(from, "it has no counterpart"));
            }
            _ => {
                let char = self.literal_escape(from, next)?;
                self.char(char)?
            }
        })
    }

    /// `\1`, `\k<name>`: of a group that has ended.
    fn again(&mut self, from: usize, next: char) -> Parse<Node> {
        let number = if next == 'k' {
            let end = match self.next() {
                Some('<') => '>',
                Some('\'') => '\'',
                _ => return Err(self.refused(from, "it names no group")),
            };
            let start = self.at;
            while self.peek().is_some_and(|next| next != end) {
                self.next();
            }
            let name = &self.text[start..self.at];
            let number = self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number);
            self.next();
            number
        } else {
            let digits = self.text[from + 1..].bytes().take_while(u8::is_ascii_digit).count();
            self.at = from + 1 + digits;
            self.text[from + 1..self.at].parse().ok().filter(|_| !self.named)
        };
        if self.flags.ignore_case {
            return Err(self.refused(from, "what is there again cannot ignore case"));
        }
        let ended = number.filter(|number| self.ended.contains(number));
        ended.map(Node::Again).ok_or_else(|| self.refused(from, "no group that it could be has ended"))
    }

    /// A character that stands behind a backslash, in brackets or not.
    fn literal_escape(&mut self, from: usize, next: char) -> Parse<char> {
        Ok(match next {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            'a' => '\x07',
            'e' => '\x1b',
            'x' => self.number(from, 16, 1..=2).and_then(|char| match char.is_ascii() {
                true => Ok(char),
                false => Err(self.refused(from, "a byte beyond ASCII cannot be written so")),
            })?,
            'u' => self.number(from, 16, 4..=4)?,
            '0' => {
                self.at -= 1;
                self.number(from, 8, 1..=3)?
            }
            _ if next.is_ascii_alphanumeric() => return Err(self.refused(from, "it has no counterpart")),
            _ => next,
        })
    }

    fn number(&mut self, from: usize, base: u32, digits: std::ops::RangeInclusive<usize>) -> Parse<char> {
        let mut number = 0;
        let mut count = 0;
        while count < *digits.end()
            && let Some(digit) = self.peek().and_then(|next| next.to_digit(base))
        {
            number = number * base + digit;
            count += 1;
            self.next();
        }
        let char = char::from_u32(number).filter(|_| count >= *digits.start());
        char.ok_or_else(|| self.refused(from, "it is no character"))
    }

    /// `\p{Alpha}`
    fn property(&mut self, from: usize, negated: bool) -> Parse<Item> {
        let negated = if self.skip("{^") {
            !negated
        } else if self.skip("{") {
            negated
        } else {
            return Err(self.refused(from, "it names no property"));
        };
        let start = self.at;
        while self.peek().is_some_and(|next| next != '}') {
            self.next();
        }
        let name = self.text[start..self.at].to_ascii_lowercase();
        self.next();
        known_property(&name, negated, CATEGORIES)
            .ok_or_else(|| self.refused(from, "of properties there are those of POSIX brackets"))
    }

    fn brackets(&mut self, from: usize, depth: usize) -> Parse<Class> {
        if depth > DEEPEST {
            return Err(self.refused(from, "it is nested too deeply"));
        }
        let mut class = Class { negated: self.skip("^"), ..Class::default() };
        let mut items = Vec::new();
        let mut parts = Vec::new();
        let mut first = true;
        loop {
            let at = self.at;
            let Some(next) = self.next() else { return Err(self.refused(from, "it has no end")) };
            let low = match next {
                ']' if first => return Err(self.refused(from, "brackets cannot be empty")),
                ']' => break,
                '&' if self.skip("&") => {
                    if items.is_empty() {
                        return Err(self.refused(from, "there is nothing before &&"));
                    }
                    parts.push(Class { items: std::mem::take(&mut items), ..Class::default() });
                    continue;
                }
                '[' if self.text[self.at..].starts_with(':') => {
                    items.push(self.posix(at)?);
                    first = false;
                    continue;
                }
                '[' => {
                    items.push(Item::Nested(self.brackets(at, depth + 1)?));
                    first = false;
                    continue;
                }
                '\\' => match self.class_escape(at)? {
                    Ok(char) => char,
                    Err(item) => {
                        items.push(item);
                        first = false;
                        continue;
                    }
                },
                other => other,
            };
            first = false;
            let mut high = low;
            let rest = &self.text[self.at..];
            if rest.starts_with('-') && !rest.starts_with("-]") {
                self.next();
                high = match self.next() {
                    Some('\\') => match self.class_escape(at)? {
                        Ok(char) => char,
                        Err(_) => return Err(self.refused(at, "a set cannot end a range")),
                    },
                    Some('[' | '&') | None => return Err(self.refused(at, "it ends no range")),
                    Some(char) => char,
                };
            }
            if low > high {
                return Err(self.refused(at, "the range is empty"));
            }
            if self.flags.ignore_case
                && !(low.is_ascii() && high.is_ascii())
                && (low != high || !folds_simply(low))
            {
                return Err(self.refused(at, "its case is folded in a way of its own"));
            }
            items.push(Item::Range(low, high));
        }
        if parts.is_empty() {
            class.items = items;
        } else {
            if items.is_empty() {
                return Err(self.refused(from, "there is nothing behind &&"));
            }
            if self.flags.ignore_case {
                return Err(self.refused(from, "&& cannot ignore case"));
            }
            parts.push(Class { items, ..Class::default() });
            class.items = vec![Item::Nested(parts.remove(0))];
            class.and = parts;
        }
        Ok(class)
    }

    /// Behind the backslash in brackets: a character, or a set.
    fn class_escape(&mut self, from: usize) -> Parse<Result<char, Item>> {
        let Some(next) = self.next() else { return Err(self.refused(from, "it has no end")) };
        let set = |ranges, negated| Ok(Err(Item::Ascii { ranges, negated }));
        match next {
            'd' | 'D' => set(DIGIT, next == 'D'),
            'h' | 'H' => set(HEX, next == 'H'),
            's' | 'S' => set(SPACE, next == 'S'),
            'w' | 'W' => set(WORD, next == 'W'),
            'p' | 'P' => Ok(Err(self.property(from, next == 'P')?)),
            'b' => Ok(Ok('\x08')),
            'u' if self.skip("{") => {
                let char = self.number(from, 16, 1..=6)?;
                match self.skip("}") {
                    true => Ok(Ok(char)),
                    false => Err(self.refused(from, "several characters cannot be written so")),
                }
            }
            'R' | 'X' => Err(self.refused(from, "it is no character")),
            _ => Ok(Ok(self.literal_escape(from, next)?)),
        }
    }

    /// `[:alpha:]`
    fn posix(&mut self, from: usize) -> Parse<Item> {
        self.next();
        let negated = self.skip("^");
        let Some(end) = self.text[self.at..].find(":]") else {
            return Err(self.refused(from, "it names no set"));
        };
        let name = &self.text[self.at..self.at + end];
        self.at += end + 2;
        known_property(name, negated, PUNCTUATION)
            .ok_or_else(|| self.refused(from, "this set does not run: write its characters out, as in [!-~]"))
    }

    /// What stands behind an atom: how often it is there.
    fn repeated(&mut self, mut node: Node, from: usize) -> Parse<Node> {
        loop {
            let start = self.at;
            let (least, most) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => match self.counts() {
                    Some(counts) => counts,
                    None => return Ok(node),
                },
                _ => return Ok(node),
            };
            let counted = self.peek() == Some('{');
            match counted {
                true => self.at += self.text[self.at..].find('}').map_or(1, |end| end + 1),
                false => drop(self.next()),
            }
            let greedy = !self.skip("?");
            if !greedy && counted && most == Some(least) {
                return Err(self.refused(start, "Ruby reads it in a way of its own"));
            }
            let possessive = !counted && self.skip("+");
            if possessive && !greedy {
                return Err(self.refused(start, "Ruby reads nested repetitions in a way of its own"));
            }
            if counted && (most.is_some_and(|most| most < least) || least.max(most.unwrap_or(0)) > 1000) {
                return Err(self.refused(start, "there cannot be so many"));
            }
            if matches!(node, Node::Look(_) | Node::Empty | Node::Around { .. }) {
                return Err(self.refused(from, "what has no width cannot be repeated"));
            }
            if most != Some(1) && nullable(&node) {
                return Err(self.refused(from, "what may be empty cannot be repeated"));
            }
            if let Node::Repeat { greedy: inner, .. } = bare(&node)
                && !(*inner && greedy)
            {
                return Err(self.refused(from, "Ruby reads nested repetitions in a way of its own"));
            }
            node = Node::Repeat { inner: Box::new(node), least, most, greedy };
            if possessive {
                node = Node::Atomic(Box::new(node));
            }
        }
    }

    /// `{2,3}`; anything else in braces is text.
    fn counts(&self) -> Option<(u32, Option<u32>)> {
        let rest = &self.text[self.at + 1..];
        let text = &rest[..rest.find('}')?];
        let number = |text: &str| match text.len() {
            1..=5 if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        };
        match text.split_once(',') {
            None => number(text).map(|count| (count, Some(count))),
            Some(("", most)) => number(most).map(|most| (0, Some(most))),
            Some((least, "")) => number(least).map(|least| (least, None)),
            Some((least, most)) => Some((number(least)?, Some(number(most)?))),
        }
    }
}

/// Without the groups around it that capture nothing.
fn bare(node: &Node) -> &Node {
    match node {
        Node::Group { index: None, inner } => bare(inner),
        other => other,
    }
}

fn known_property(name: &str, negated: bool, others: &'static [(&str, Ranges, &str)]) -> Option<Item> {
    let (_, ascii, class) = PROPERTIES.iter().chain(others).find(|(known, ..)| *known == name)?;
    Some(Item::Property { name: class, ascii, negated })
}

/// Can it match the empty String?
pub fn nullable(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Look(_) | Node::Around { .. } | Node::Again(_) => true,
        Node::Char { .. } | Node::Any { .. } | Node::Class { .. } => false,
        Node::Group { inner, .. } | Node::Atomic(inner) => nullable(inner),
        Node::Concat(all) => all.iter().all(nullable),
        Node::Either(all) => all.iter().any(nullable),
        Node::Repeat { inner, least, .. } => *least == 0 || nullable(inner),
    }
}

/// Is a character as large and as small as one other at most, so that all versions of Unicode agree?
fn folds_simply(char: char) -> bool {
    let code = char as u32;
    if char.is_ascii() || code >= 0x2e80 && char.to_lowercase().eq([char]) && char.to_uppercase().eq([char]) {
        return true;
    }
    let one = |mut all: std::char::ToLowercase| (all.next(), all.next());
    let upper = |mut all: std::char::ToUppercase| (all.next(), all.next());
    let ((Some(low), None), (Some(high), None)) = (one(char.to_lowercase()), upper(char.to_uppercase()))
    else {
        return false;
    };
    let cased = low != high && (char == low || char == high);
    let back =
        upper(low.to_uppercase()) == (Some(high), None) && one(high.to_lowercase()) == (Some(low), None);
    cased
        && back
        && ((0xc0..0x180).contains(&code) || (0x391..0x3ca).contains(&code) || (0x410..0x460).contains(&code))
        && !matches!(code, 0x130 | 0x131 | 0x149 | 0x17f)
        && !GREEK_VARIANTS.contains(&low)
}

/// Letters of which Unicode has several forms.
const GREEK_VARIANTS: &[char] = &[
    'β', 'ε', 'θ', 'ι', 'κ', 'μ', 'π', 'ρ', 'σ', 'ς', 'φ', 'ω', 'ά', 'в', 'д', 'о', 'с', 'т', 'ъ', 'ѣ', 'å',
];
