//! Characters by the sets of `count`, `delete`, `squeeze` and `tr`: single ones and ranges, `^` in front for all others.

use super::characters::{code_at, sure_width};
use super::made::MadeString;
use super::text;
use smallvec::SmallVec;

/// What is wrong, in the place of an answer: characters that are none, a range that ends before it begins, and what MRI
/// answers by what stands behind the characters.
const BROKEN: i64 = -2;
const WIDE_RANGE: i64 = -4;
const MIXTURE: i64 = -5;

/// A range of ASCII that ends before it begins, of which MRI tells the ends: seven bits each, below -256.
const fn narrow_range(low: i64, high: i64) -> i64 {
    -256 - (low << 7 | high)
}

/// The ranges of a set, in the order in which they are written.
struct Set {
    ranges: SmallVec<[Range; FEW]>,
    negated: bool,
    /// Where there are many.
    cover: Option<Cover>,
}

/// So many ranges are looked at one after the other.
const FEW: usize = 8;

impl Set {
    fn new(text: &[u8], encoding: i64, twice: bool) -> Result<Self, i64> {
        let (negated, text) = match text {
            [b'^', rest @ ..] if !rest.is_empty() => (true, rest),
            all => (false, all),
        };
        let mut set = Self::of(text, encoding, twice, None)?;
        set.negated = negated;
        set.cover = (set.ranges.len() > FEW).then(|| Cover::new(&set.ranges));
        Ok(set)
    }

    /// What a text says, of which no more is looked at than stands for so many: that may be wrong.
    fn of(text: &[u8], encoding: i64, twice: bool, count: Option<i64>) -> Result<Self, i64> {
        let mut all = Ranges { text, encoding, twice, at: 0 };
        let mut ranges = SmallVec::new();
        let mut before = 0;
        while all.at < text.len() && count.is_none_or(|count| before < count) {
            let range = Range { before, ..all.range()? };
            before += range.count;
            ranges.push(range);
        }
        Ok(Self { ranges, negated: false, cover: None })
    }

    fn size(&self) -> i64 {
        self.ranges.last().map_or(0, |last| last.before + last.count)
    }

    /// The last range that has it.
    fn range_of(&self, code: i64) -> Option<&Range> {
        match &self.cover {
            Some(cover) => cover.range_of(code).map(|range| &self.ranges[range]),
            None => self.ranges.iter().rfind(|range| range.low <= code && code <= range.high),
        }
    }

    fn has(&self, code: i64) -> bool {
        self.range_of(code).is_some() != self.negated
    }

    /// Whether it has each code that is one byte.
    fn of_bytes(&self, encoding: i64) -> [bool; 256] {
        let mut bytes = [false; 256];
        bytes[..known(encoding)].fill(self.negated);
        for range in &self.ranges {
            range.bytes(encoding).for_each(|code| bytes[code] = !self.negated);
        }
        bytes
    }

    /// What has this number, or what goes on behind the last one.
    fn nth(&self, index: i64) -> i64 {
        let up_to = self.ranges.partition_point(|range| range.before <= index);
        self.ranges[..up_to].last().map_or(0, |range| match index - range.before {
            index if index < range.count => (range.low + index).min(range.high),
            _ => range.behind(),
        })
    }
}

/// Ranges that may have the same codes, as parts that do not.
struct Cover {
    /// Where parts begin, in order.
    starts: Vec<i64>,
    /// The last range that has each of them.
    ranges: Vec<Option<usize>>,
}

impl Cover {
    fn new(ranges: &[Range]) -> Self {
        let mut starts: Vec<i64> = ranges.iter().flat_map(|range| [range.low, range.high + 1]).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut of_parts = vec![None; starts.len()];
        // From each part on, the next one that may have no range yet: each gets one once.
        let mut next: Vec<usize> = (0..=starts.len()).collect();
        for (number, range) in ranges.iter().enumerate().rev() {
            let at = |code: i64| starts.partition_point(|start| *start < code);
            let (first, end) = (at(range.low), at(range.high + 1));
            let mut part = first;
            while part < end {
                if next[part] == part {
                    of_parts[part] = Some(number);
                    next[part] = part + 1;
                }
                let behind = next[part];
                next[part] = next[behind];
                part = behind;
            }
        }
        Self { starts, ranges: of_parts }
    }

    fn range_of(&self, code: i64) -> Option<usize> {
        let part = self.starts.partition_point(|start| *start <= code).checked_sub(1)?;
        self.ranges[part]
    }
}

/// Characters from one to another one, both included, and for how many they stand.
#[derive(Clone, Copy)]
struct Range {
    low: i64,
    high: i64,
    count: i64,
    /// For how many the ranges before it stand.
    before: i64,
}

impl Range {
    /// The number of a code that it has.
    const fn place(&self, code: i64) -> i64 {
        self.before + self.count - 1 - (self.high - code)
    }

    /// Those of its codes that are one byte.
    fn bytes(&self, encoding: i64) -> std::ops::Range<usize> {
        self.low as usize..(self.high as usize + 1).min(known(encoding))
    }

    /// What MRI takes for those that it has no more of: the last one, and the next where one stands for two.
    const fn behind(&self) -> i64 {
        if self.count > self.high - self.low + 1 { self.high + 1 } else { self.high }
    }
}

struct Ranges<'a> {
    text: &'a [u8],
    encoding: i64,
    twice: bool,
    at: usize,
}

impl Ranges<'_> {
    fn character(&mut self) -> Result<i64, i64> {
        let width = sure_width(&self.text[self.at..], self.encoding).ok_or(BROKEN)?;
        let code = code_at(&self.text[self.at..], width);
        self.at += width;
        Ok(code)
    }

    fn range(&mut self) -> Result<Range, i64> {
        if self.text[self.at] == b'\\' && self.at + 1 < self.text.len() {
            self.at += 1;
        }
        let low = self.character()?;
        if self.text.get(self.at) != Some(&b'-') || self.at + 1 == self.text.len() {
            return Ok(Range { low, high: low, count: 1, before: 0 });
        }
        self.at += 1;
        let high = self.character()?;
        match low > high {
            true if low >= 0x80 || high >= 0x80 => Err(WIDE_RANGE),
            true => Err(narrow_range(low, high)),
            false => {
                let count = high - low + if low == high && self.twice { 2 } else { 1 };
                Ok(Range { low, high, count, before: 0 })
            }
        }
    }
}

/// How many of the codes are single bytes.
const fn known(encoding: i64) -> usize {
    if encoding == 2 { 256 } else { 128 }
}

/// Goes through the characters of a text: the code of each, and where its bytes are.
fn each_character(
    text: &[u8],
    encoding: i64,
    mut each: impl FnMut(i64, std::ops::Range<usize>),
) -> Result<(), i64> {
    let mut at = 0;
    while at < text.len() {
        let width = sure_width(&text[at..], encoding).ok_or(BROKEN)?;
        each(code_at(&text[at..], width), at..at + width);
        at += width;
    }
    Ok(())
}

/// A set, and whether it has each code that is one byte.
struct Table {
    set: Set,
    bytes: [bool; 256],
}

impl Table {
    fn new(set: Set, encoding: i64) -> Self {
        let bytes = set.of_bytes(encoding);
        Self { set, bytes }
    }

    /// Of a code that takes so many bytes.
    fn has(&self, code: i64, width: usize) -> bool {
        if width == 1 { self.bytes[code as usize & 0xff] } else { self.set.has(code) }
    }
}

/// The encoding of a text in which each character is a byte, as that is quicker.
fn quick(text: &[u8], encoding: i64) -> i64 {
    if text.is_ascii() { 2 } else { encoding }
}

/// # Safety
/// The texts have these sizes.
pub(super) unsafe extern "C" fn count(
    one: *const i64,
    set: *const i64,
    size: i64,
    set_size: i64,
    encoding: i64,
) -> i64 {
    // SAFETY: as said.
    let (one, set) = unsafe { (text(one, size), text(set, set_size)) };
    let counted = || {
        let table = Table::new(Set::new(set, encoding, false)?, encoding);
        if quick(one, encoding) == 2 {
            return Ok(one.iter().map(|byte| usize::from(table.bytes[*byte as usize])).sum::<usize>() as i64);
        }
        let mut count = 0;
        each_character(one, encoding, |code, bytes| {
            count += i64::from(table.has(code, bytes.len()));
        })?;
        Ok(count)
    };
    counted().unwrap_or_else(|wrong: i64| wrong)
}

/// # Safety
/// The texts have these sizes, and there is such a String with room for the first one.
pub(super) unsafe extern "C" fn delete(
    memory: *mut i64,
    one: *const i64,
    set: *const i64,
    row: i64,
    size: i64,
    set_size: i64,
    encoding: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, one, set) = unsafe { (MadeString::new(memory, row), text(one, size), text(set, set_size)) };
    let mut deleted = || {
        let table = Table::new(Set::new(set, encoding, false)?, encoding);
        if quick(one, encoding) == 2 {
            out.fill(|room| {
                let mut at = 0;
                for byte in one {
                    room[at] = *byte;
                    at += usize::from(!table.bytes[*byte as usize]);
                }
                at
            });
            return Ok(0);
        }
        let mut from = 0;
        each_character(one, encoding, |code, bytes| {
            if table.has(code, bytes.len()) {
                out.push(&one[from..bytes.start]);
                from = bytes.end;
            }
        })?;
        out.push(&one[from..]);
        Ok(0)
    };
    deleted().unwrap_or_else(|wrong: i64| wrong)
}

/// `encoding` is that of the set, `mine` that of the text. `all`: characters that are repeated go, whatever they are.
///
/// # Safety
/// As [`delete`].
pub(super) unsafe extern "C" fn squeeze(
    memory: *mut i64,
    one: *const i64,
    set: *const i64,
    row: i64,
    size: i64,
    set_size: i64,
    encoding: i64,
    mine: i64,
    all: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, one, set) = unsafe { (MadeString::new(memory, row), text(one, size), text(set, set_size)) };
    let mut squeezed = || {
        let table = if all == 0 { Some(Table::new(Set::new(set, encoding, false)?, mine)) } else { None };
        let goes = |code: i64, width: usize| table.as_ref().is_none_or(|table| table.has(code, width));
        if quick(one, mine) == 2 {
            out.fill(|room| {
                let (mut at, mut last) = (0, None);
                for byte in one {
                    room[at] = *byte;
                    at += usize::from(last != Some(*byte) || !goes(i64::from(*byte), 1));
                    last = Some(*byte);
                }
                at
            });
            return Ok(0);
        }
        let (mut last, mut from) = (-1, 0);
        each_character(one, mine, |code, bytes| {
            if code == last && goes(code, bytes.len()) {
                out.push(&one[from..bytes.start]);
                from = bytes.end;
            }
            last = code;
        })?;
        out.push(&one[from..]);
        Ok(0)
    };
    squeezed().unwrap_or_else(|wrong: i64| wrong)
}

/// As `tr`: gives whether anything became something else. `mine` is the encoding of the text alone, the other one that of
/// all; `squeeze`: what would be the same character again is left out.
///
/// # Safety
/// The texts have these sizes, and there is such a String with room for four bytes for each of the first text.
pub(super) unsafe extern "C" fn translate(
    memory: *mut i64,
    one: *const i64,
    from: *const i64,
    to: *const i64,
    row: i64,
    size: i64,
    from_size: i64,
    to_size: i64,
    encoding: i64,
    mine: i64,
    squeeze: i64,
    twice: i64,
) -> i64 {
    // SAFETY: as said.
    let (mut out, one) = unsafe { (MadeString::new(memory, row), text(one, size)) };
    // SAFETY: as said.
    let (from, to) = unsafe { (text(from, from_size), text(to, to_size)) };
    let (squeeze, twice) = (squeeze != 0, twice != 0);
    let mut translated = || {
        let sources = Set::new(from, encoding, twice)?;
        let count = (!sources.negated).then(|| sources.size());
        let targets = Set::of(to, encoding, twice, count)?;
        let last_target = targets.ranges.last().map_or(0, Range::behind);
        let is_ascii = one.is_ascii();
        if sources.negated && last_target > 127 && (is_ascii || mine != 0) {
            return Err(MIXTURE);
        }
        let becomes = |code: i64| match sources.range_of(code) {
            Some(range) if !sources.negated => Some(targets.nth(range.place(code))),
            None if sources.negated => Some(last_target),
            _ => None,
        };
        let mine = if (is_ascii || mine != 0) && !squeeze { 2 } else { mine };
        let mut table = [None; 256];
        table[..known(mine)].fill(sources.negated.then_some(last_target));
        for range in &sources.ranges {
            for code in range.bytes(mine) {
                table[code] = (!sources.negated).then(|| targets.nth(range.place(code as i64)));
            }
        }
        let mut changed = false;
        if mine == 2 && table.iter().flatten().all(|code| *code < 0x80) {
            let mut bytes = [0; 256];
            for (code, (byte, to)) in (0..).zip(bytes.iter_mut().zip(&table)) {
                *byte = to.map_or(code as u8, |to| to as u8);
            }
            out.fill(|room| {
                for (to, byte) in room.iter_mut().zip(one) {
                    *to = bytes[*byte as usize];
                }
                one.len()
            });
            return Ok(i64::from(one.iter().any(|byte| table[*byte as usize].is_some())));
        }
        let (mut last, mut from) = (None, 0);
        each_character(one, mine, |code, bytes| {
            let to = if bytes.len() == 1 { table[code as usize & 0xff] } else { becomes(code) };
            if let Some(to) = to {
                changed = true;
                out.push(&one[from..bytes.start]);
                from = bytes.end;
                if !(squeeze && last == Some(to)) {
                    out.push_code(to);
                }
            }
            last = to;
        })?;
        out.push(&one[from..]);
        Ok(i64::from(changed))
    };
    translated().unwrap_or_else(|wrong: i64| wrong)
}
