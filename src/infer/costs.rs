//! What inference takes, and with it the code that it makes: expressions of all walks, by the user's places and by the
//! methods of `core/` that are called there.

use super::Lowerer;
use crate::source::Span;
use crate::syntax::ast::Code;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Counts of expressions. The built-ins that a place calls are a part of what it takes.
#[derive(Debug, Default)]
pub struct Costs {
    places: FxHashMap<Span, u32>,
    /// By the address of the code.
    parts: FxHashMap<usize, (Rc<Code>, u32)>,
    current: Option<Current>,
}

/// What is being lowered, and how many expressions of it have been.
#[derive(Debug)]
struct Current {
    frame: usize,
    activation: u32,
    /// Of the user's code.
    span: Option<Span>,
    count: u32,
    place: Span,
    /// Of `core/`.
    part: Option<Rc<Code>>,
}

/// The same by what they are called, the largest first.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub places: Vec<(Span, u32)>,
    /// Methods of `core/`.
    pub parts: Vec<(String, u32)>,
}

impl Costs {
    fn flush(&mut self) {
        let Some(current) = self.current.take() else { return };
        *self.places.entry(current.place).or_default() += current.count;
        if let Some(code) = current.part {
            self.parts.entry(Rc::as_ptr(&code) as usize).or_insert((code, 0)).1 += current.count;
        }
    }

    pub fn told(mut self) -> Told {
        self.flush();
        let mut by_name = FxHashMap::<String, u32>::default();
        for (code, count) in self.parts.into_values() {
            *by_name.entry(code.name.clone()).or_default() += count;
        }
        Told { places: ordered(self.places), parts: ordered(by_name) }
    }
}

fn ordered<T: Ord>(counts: FxHashMap<T, u32>) -> Vec<(T, u32)> {
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_by(|(one, count), (two, other)| other.cmp(count).then_with(|| one.cmp(two)));
    all
}

impl Lowerer<'_> {
    /// One more expression.
    pub(super) fn count_cost(&mut self) {
        let Some(frame) = self.frames.get(self.current) else { return };
        let span = (!frame.builtin).then_some(self.span);
        let (number, activation) = (self.current, frame.activation);
        match &mut self.costs.current {
            Some(now) if (now.frame, now.activation, now.span) == (number, activation, span) => {
                now.count += 1
            }
            _ => {
                self.costs.flush();
                let frame = &self.frames[number];
                let part = frame.builtin.then(|| Rc::clone(&frame.code));
                let place = self.user_span();
                self.costs.current = Some(Current { frame: number, activation, span, count: 1, place, part });
            }
        }
    }
}
