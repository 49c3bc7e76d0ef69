//! What neither automata nor backtracking can do, Ruby is asked for: patterns with `\g<name>`, `\X` and their like, searches
//! that take too many steps, characters that versions of Unicode match differently. A thread of a run that may ask has an [`Ask`], which hands the question to
//! the thread that waits for the run and holds Ruby's lock. Those of a run that may not have [`Nobody`], which notes that
//! they would have asked: the section begins anew as one whose threads may ask.

use super::Request;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What Ruby is asked.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// Where a match of the pattern of a source with its options begins, in a text of UTF-8 or of bytes: from a byte on, at
    /// it, or the last one that begins there or before.
    Search { source: &'a str, options: u32, text: &'a [u8], utf8: bool, from: usize, request: Request },
    /// Is it a pattern, of a source in an encoding with its options?
    Compile { source: &'a [u8], encoding: i64, options: i64 },
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// Where the groups of a match begin and end.
    Found(Vec<Option<usize>>),
    NotFound,
    /// One with so many groups, and these names.
    Pattern {
        groups: u32,
        names: Vec<(String, u32)>,
    },
    /// What Ruby says of what is no pattern, in an encoding.
    NoPattern {
        message: Vec<u8>,
        encoding: i64,
    },
    /// Sections do not know what to make of it.
    Unknown,
}

/// Asks Ruby. `None`: it answers no more, and the run ends soon.
pub trait Ask: Send + Sync {
    /// Is there an answer? Else nothing is asked.
    fn may(&self) -> bool {
        true
    }

    fn ask(&self, question: Question<'_>) -> Option<Answer>;

    /// May only the thread that has it ask? It runs alone then.
    fn is_of_one(&self) -> bool;

    /// Called now and then while the thread has nothing to ask.
    fn look(&self);
}

thread_local! {
    static ASK: RefCell<Option<Arc<dyn Ask>>> = const { RefCell::new(None) };
}

/// Whom runs have that may not ask: notes that they would have.
#[derive(Debug, Default)]
pub struct Nobody {
    missed: AtomicBool,
}

impl Nobody {
    /// Has a thread missed somebody to ask since this was asked last?
    pub fn take_missed(&self) -> bool {
        self.missed.swap(false, Ordering::Relaxed)
    }
}

impl Ask for Nobody {
    fn may(&self) -> bool {
        self.missed.store(true, Ordering::Relaxed);
        false
    }

    fn ask(&self, _: Question<'_>) -> Option<Answer> {
        None
    }

    fn is_of_one(&self) -> bool {
        false
    }

    fn look(&self) {}
}

/// Whom this thread may ask.
pub fn current() -> Option<Arc<dyn Ask>> {
    ASK.with_borrow(Clone::clone)
}

/// While it lives this thread may ask.
pub struct Asking(Option<Arc<dyn Ask>>);

impl Asking {
    pub fn begin(ask: Option<Arc<dyn Ask>>) -> Self {
        Self(ASK.replace(ask))
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        ASK.set(self.0.take());
    }
}

/// May this thread ask? Else it is noted that it would have.
pub(super) fn may_ask() -> bool {
    ASK.with_borrow(|ask| ask.as_ref().is_some_and(|ask| ask.may()))
}

pub(super) fn ask(question: Question<'_>) -> Option<Answer> {
    current()?.ask(question)
}
