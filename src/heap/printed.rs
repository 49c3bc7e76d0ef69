//! What a section prints. It is kept until the section ends, or Ruby runs in the middle of it, and is in the order then
//! in which elements run one after the other: tasks write it down as they come, a launch puts it in order.
//!
//! What is printed is bytes of a String, given to the thread's task (`Op::Print`) with the number of the stream.
//! Nothing in the section sees it, so it makes no elements depend on each other. When a launch has ended, the parts of
//! all tasks are put in the order of (tick, element); behind the first failure they are dropped. The driver's own stand
//! between its launches. A run that begins again forgets what it has printed; what stands before an `Ikra.sync` that
//! was done is not written again.

use crate::fallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that a section keeps at most; what prints more does not run.
pub const MOST: usize = 1 << 30;
/// What a part counts for besides its text.
const PART: usize = size_of::<Part>();

/// The streams that are whatever Ruby's variables hold when the text is written; others are [objects](stream_of).
pub const STDOUT: i64 = 0;
pub const STDERR: i64 = 1;
/// `$stderr`, unless warnings are off.
pub const WARNINGS: i64 = 2;
/// `$stdout`, where it has lines of the usual length.
pub const PRETTY: i64 = 3;

/// The number of a stream that is an object: from this bit on there is the number of its hierarchy, from 1.
pub const HIERARCHY: u32 = 32;

/// The hierarchy and the id of a stream that is an object.
pub fn stream_of(number: i64) -> Option<(u32, i64)> {
    let hierarchy = u32::try_from((number >> HIERARCHY) - 1).ok()?;
    Some((hierarchy, number & ((1 << HIERARCHY) - 1)))
}

/// How bytes are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    AsTheyAre,
    /// As a line: with a newline behind them, unless they end with one.
    Line,
    /// With a newline behind them.
    Ended,
    /// Not: the stream is flushed.
    Flush,
}

impl How {
    pub const ALL: [Self; 4] = [Self::AsTheyAre, Self::Line, Self::Ended, Self::Flush];
}

/// What one element, or the driver, has printed in one go, to one stream and in one encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub tick: u64,
    pub element: u32,
    pub stream: i64,
    pub encoding: i64,
    pub flush: bool,
    start: usize,
    end: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Printed {
    text: Vec<u8>,
    parts: Vec<Part>,
    /// Bytes of this and of all that is to be put together with it.
    used: Arc<AtomicUsize>,
}

impl Printed {
    /// An empty one whose text is to come [behind](Self::append) this.
    pub fn to_come(&self) -> Self {
        Self { text: Vec::new(), parts: Vec::new(), used: Arc::clone(&self.used) }
    }

    pub const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub const fn len(&self) -> usize {
        self.parts.len()
    }

    /// The parts in their order, with their texts.
    pub fn parts(&self) -> impl Iterator<Item = (Part, &[u8])> {
        self.parts.iter().map(|part| (*part, &self.text[part.start..part.end]))
    }

    /// Prints; `(tick, element)` says who. False: there is no room for so much.
    pub fn print(
        &mut self,
        (tick, element): (u64, u32),
        (stream, encoding): (i64, i64),
        bytes: &[u8],
        how: How,
    ) -> bool {
        let newline = match how {
            How::Line => !bytes.ends_with(b"\n"),
            How::Ended => true,
            How::AsTheyAre | How::Flush => false,
        };
        let flush = how == How::Flush;
        let size = bytes.len() + usize::from(newline);
        if size == 0 && !flush {
            return true;
        }
        let start = self.text.len();
        let to = |part: &Part| (part.tick, part.element, part.stream, part.encoding, part.flush, part.end);
        let last = self.parts.last_mut();
        let same = last.filter(|part| to(part) == (tick, element, stream, encoding, false, start) && !flush);
        let more = size + if same.is_some() { 0 } else { PART };
        if self.used.fetch_add(more, Ordering::Relaxed).saturating_add(more) > most()
            || fallible::reserve(&mut self.text, size).is_err()
        {
            return false;
        }
        self.text.extend_from_slice(bytes);
        if newline {
            self.text.push(b'\n');
        }
        let end = self.text.len();
        match same {
            Some(part) => part.end = end,
            None => {
                let part = Part { tick, element, stream, encoding, flush, start, end };
                return fallible::push(&mut self.parts, part).is_ok();
            }
        }
        true
    }

    /// Puts what others have printed behind this. False: there is no room for it.
    pub fn append(&mut self, others: &[Self]) -> bool {
        let size = others.iter().map(|other| other.text.len()).sum();
        let count = others.iter().map(Self::len).sum();
        if fallible::reserve(&mut self.text, size).is_err()
            || fallible::reserve(&mut self.parts, count).is_err()
        {
            return false;
        }
        for other in others {
            let by = self.text.len();
            self.text.extend_from_slice(&other.text);
            let parts = other.parts.iter();
            self.parts.extend(parts.map(|part| Part { start: part.start + by, end: part.end + by, ..*part }));
        }
        true
    }

    /// Puts the parts from a place on in the order of ticks and elements. An element's own parts are in theirs.
    pub fn sort(&mut self, from: usize) {
        if let Some(parts) = self.parts.get_mut(from..) {
            parts.sort_by_key(|part| (part.tick, part.element));
        }
    }

    /// Drops the parts from a place on that come behind an element of a tick, which has failed.
    pub fn cut(&mut self, from: usize, behind: (u64, u32)) {
        let mut at = 0;
        self.parts.retain(|part| {
            at += 1;
            at <= from || (part.tick, part.element) <= behind
        });
    }

    /// Nothing has been printed.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Specs have less room.
fn most() -> usize {
    if cfg!(feature = "testing")
        && let Some(most) = std::env::var("IKRA_TEST_PRINTED").ok().and_then(|most| most.parse().ok())
    {
        return most;
    }
    MOST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(printed: &Printed) -> Vec<(u64, u32, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        printed.parts().map(|(part, bytes)| (part.tick, part.element, text(bytes))).collect()
    }

    #[test]
    fn what_tasks_print_is_in_the_order_of_ticks_and_elements() {
        let mut all = Printed::default();
        assert!(all.print((0, u32::MAX), (STDOUT, 0), b"first", How::Line));
        let [mut one, mut other] = [all.to_come(), all.to_come()];
        for (tick, element) in [(0, 3), (1, 3)] {
            assert!(one.print((tick, element), (STDOUT, 0), b"a", How::AsTheyAre));
            assert!(one.print((tick, element), (STDOUT, 0), b"b\n", How::Line));
        }
        assert!(other.print((0, 1), (STDOUT, 0), b"c", How::Ended));
        assert!(other.print((1, 1), (STDOUT, 0), b"d", How::AsTheyAre));
        assert!(all.append(&[one, other]));
        all.sort(1);
        let of = |tick, element, text: &str| (tick, element, text.to_string());
        assert_eq!(
            texts(&all),
            [of(0, u32::MAX, "first\n"), of(0, 1, "c\n"), of(0, 3, "ab\n"), of(1, 1, "d"), of(1, 3, "ab\n")]
        );
        all.cut(1, (0, 1));
        assert_eq!(texts(&all), [of(0, u32::MAX, "first\n"), of(0, 1, "c\n")]);
    }

    #[test]
    fn streams_and_encodings_are_told_apart() {
        let mut printed = Printed::default();
        let stream = (3 << HIERARCHY) | 7;
        for (stream, encoding, how) in [
            (STDOUT, 0, How::AsTheyAre),
            (STDERR, 0, How::AsTheyAre),
            (STDERR, 2, How::AsTheyAre),
            (stream, 0, How::Flush),
        ] {
            let text: &[u8] = if how == How::Flush { b"" } else { b"x" };
            assert!(printed.print((0, 0), (stream, encoding), text, how));
        }
        assert_eq!(printed.len(), 4);
        assert_eq!(
            printed.parts().last().map(|(part, _)| (part.flush, stream_of(part.stream))),
            Some((true, Some((2, 7))))
        );
        assert_eq!(stream_of(WARNINGS), None);
    }
}
