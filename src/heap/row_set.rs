//! A set of rows of a column, a bit for each: the rows that differ from the copy that was made before the run. All of
//! them, a few and a random half cost the same to write down, and any part can be gone through by itself.

use crate::error::NoMemory;
use crate::fallible;
use crate::parallel;
use std::ops::Range;

/// Rows are looked at in groups of this many, the bits of a word.
pub const GROUP: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSet {
    words: Vec<u64>,
}

impl RowSet {
    /// `f` gives the bits of the rows of a group, of the first the lowest. The last group may be shorter.
    pub fn of(rows: usize, f: impl Fn(Range<usize>) -> u64 + Sync) -> Result<Self, NoMemory> {
        let mut words = fallible::filled(0, rows.div_ceil(GROUP))?;
        let groups = parallel::chunk() / GROUP;
        parallel::each(rows, words.chunks_mut(groups).enumerate(), |(chunk, words)| {
            for (group, word) in (chunk * groups..).zip(words) {
                *word = f(group * GROUP..((group + 1) * GROUP).min(rows));
            }
        });
        Ok(Self { words })
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The groups that have rows of this range in the set: the first row of each, and the bits of those rows.
    pub fn groups(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (start, end) = (rows.start / GROUP, rows.end.div_ceil(GROUP).min(self.words.len()));
        let words = self.words.get(start..end).unwrap_or_default();
        (start..).zip(words).filter_map(move |(group, word)| {
            let first = group * GROUP;
            let below = rows.start.saturating_sub(first);
            let above = (first + GROUP).saturating_sub(rows.end);
            let word = word & (u64::MAX << below) & (u64::MAX >> above);
            (word != 0).then_some((first, word))
        })
    }

    /// The rows of this range that are in the set.
    pub fn rows(&self, rows: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        self.groups(rows).flat_map(|(first, mut word)| {
            std::iter::from_fn(move || {
                let row = (word != 0).then(|| first + word.trailing_zeros() as usize);
                word &= word.wrapping_sub(1);
                row
            })
        })
    }

    /// How many rows of this range are in the set.
    pub fn count(&self, rows: Range<usize>) -> usize {
        self.groups(rows).map(|(_, word)| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_range_are_those_of_the_set() {
        let wanted = |row: &usize| row.is_multiple_of(3) || (64..192).contains(row);
        let bits = |rows: Range<usize>| {
            rows.clone().filter(wanted).fold(0, |word, row| word | 1 << (row - rows.start))
        };
        let set = RowSet::of(300, bits).unwrap();
        for (start, end) in
            [(0, 300), (0, 0), (64, 128), (63, 65), (70, 71), (5, 299), (299, 300), (300, 300)]
        {
            let expected: Vec<usize> = (start..end).filter(wanted).collect();
            assert_eq!(set.rows(start..end).collect::<Vec<_>>(), expected);
            assert_eq!(set.count(start..end), expected.len());
        }
        assert!(RowSet::of(0, bits).unwrap().is_empty());
        assert!(RowSet::of(200, |_| 0).unwrap().is_empty());
        assert!(!set.is_empty());
    }
}
