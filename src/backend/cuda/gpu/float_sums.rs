//! Sums of Floats that are on the GPU, in their order (see `in_parts.rs`): the kernels look at parts, the host puts together
//! what they have found.

use super::collectives::Run;
use crate::backend::collectives::in_parts::{InParts, Moves, PART, Rough, Unit};
use crate::error::Error;
use crate::fallible;

/// What a kernel tells of a part, in words.
const ROUGH: usize = 3;
const MOVES: usize = 7;
/// Neighbours of a part that has to be gone through often have to be, too: so many are copied at once.
const AT_ONCE: usize = 32;

pub(super) struct Floats<'a, 'b> {
    run: &'a mut Run<'b>,
    parts: usize,
    /// Addresses of what is told, and of units.
    told: u64,
    units: [u64; 2],
    /// Numbers from a part on.
    copied: (usize, Vec<f64>),
}

impl<'a, 'b> Floats<'a, 'b> {
    pub fn new(run: &'a mut Run<'b>) -> Result<Self, Error> {
        let parts = run.count.div_ceil(PART);
        let told = run.room(parts * 8 * (MOVES + 2), 0)?;
        let units = told + (parts * 8 * MOVES) as u64;
        Ok(Self { run, parts, told, units: [units, units + 8 * parts as u64], copied: (0, Vec::new()) })
    }

    fn read(&self, words: usize) -> Result<Vec<u64>, Error> {
        let mut told = fallible::filled(0u64, self.parts * words)?;
        self.run.read(self.told, &mut told)?;
        Ok(told)
    }

    fn write(&self, address: u64, units: &[Unit]) -> Result<(), Error> {
        let word = |unit: &Unit| u64::from(unit.exponent as u32) | u64::from(unit.odd) << 32;
        let words: Vec<u64> = fallible::collect(units.iter().map(word))?;
        self.run.write(address, &words)
    }
}

fn rough(words: &[u64]) -> Rough {
    Rough { sum: f64::from_bits(words[0]), magnitude: f64::from_bits(words[1]), granularity: words[2] as i64 }
}

fn moves(words: &[u64]) -> Moves {
    let flags = words[3] >> 32;
    Moves {
        sum: words[0] as i64,
        least: words[1] as i64,
        most: words[2] as i64,
        odd: i64::from(words[3] as i32),
        exact: flags & 1 != 0,
        clear: flags & 2 != 0,
        lost: rough(&words[4..]),
    }
}

impl InParts for Floats<'_, '_> {
    fn rough(&mut self) -> Result<Vec<Rough>, Error> {
        self.run.launch("rough", self.parts, &[self.run.from, self.run.count as u64, self.told])?;
        Ok(fallible::collect(self.read(ROUGH)?.chunks_exact(ROUGH).map(rough))?)
    }

    fn moves(&mut self, units: &[Unit], of_lost: Option<&[Unit]>) -> Result<Vec<Moves>, Error> {
        self.write(self.units[0], units)?;
        let second = match of_lost {
            None => 0,
            Some(units) => {
                self.write(self.units[1], units)?;
                self.units[1]
            }
        };
        let words = [self.run.from, self.run.count as u64, self.units[0], second, self.told];
        self.run.launch("moves", self.parts, &words)?;
        Ok(fallible::collect(self.read(MOVES)?.chunks_exact(MOVES).map(moves))?)
    }

    fn numbers(&mut self, part: usize) -> Result<Vec<f64>, Error> {
        let (first, known) = &self.copied;
        if part < *first || (part - first) * PART >= known.len() {
            let count = (self.run.count - part * PART).min(AT_ONCE * PART);
            let mut numbers = fallible::filled(0.0, count)?;
            self.run.read(self.run.from + 8 * (part * PART) as u64, &mut numbers)?;
            self.copied = (part, numbers);
        }
        let (first, known) = &self.copied;
        let at = (part - first) * PART;
        Ok(fallible::collect(known[at..known.len().min(at + PART)].iter().copied())?)
    }
}
