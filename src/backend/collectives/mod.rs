//! What is done with whole columns on the host, by all threads where there is much to do: here what drivers do,
//! compaction and reduction; in the modules what becomes of the columns that sections give. What a whole Column is
//! asked for ([`crate::heap::Work`]): sums of Integers, the least and the greatest, orders, sums up to each and what a
//! `pselect` chooses are made where the numbers are, and what is as long as a Column stays there. A `pselect` of
//! Columns leaves its flags on the device, the driver does not look at them (`Session::leaves`). Numbers that a key
//! does not say all of (NaN, -0.0) are sorted by the host, and a scan that leaves 64 bits is Ruby's, which says so;
//! sums of Floats up to each are the host's.

pub mod groups;
pub mod in_parts;
pub mod order;
pub mod rows;
pub mod sums;
pub mod whole;

use crate::error::Error;
use crate::fallible;
use crate::heap::{Column, Numbers};
use crate::ir::Reduction;
use crate::parallel;
use std::ops::Range;

/// Does some work over parts of a column of so many rows; what the parts give, in their order.
fn parts<T: Send + Clone>(
    rows: usize,
    nothing: T,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let size = parallel::chunk();
    let mut results = fallible::filled(nothing, rows.div_ceil(size))?;
    parallel::each(rows, results.iter_mut().enumerate(), |(number, result)| {
        *result = work(number * size..rows.min((number + 1) * size));
    });
    Ok(results)
}

/// The rows that are true, in their order.
pub fn compact(flags: &Column) -> Result<Column, Error> {
    let Column::Bool(flags) = flags else { return Err(mismatch()) };
    let count = |flags: &[u8]| flags.iter().map(|flag| usize::from(flag & 1)).sum::<usize>();
    let size = parallel::chunk();
    if flags.len() <= size {
        let mut rows = fallible::unset(count(flags))?;
        true_rows(flags, 0, &mut rows);
        return Ok(Column::I32(rows));
    }
    let counts = parts(flags.len(), 0, |rows| count(&flags[rows]))?;
    let mut rows: Vec<i32> = fallible::unset(counts.iter().sum())?;
    // Each part's rows have their place.
    let mut rest = &mut rows[..];
    let places = counts.iter().zip(flags.chunks(size)).enumerate().map(|(number, (count, flags))| {
        let (place, others) = std::mem::take(&mut rest).split_at_mut(*count);
        rest = others;
        (number * size, flags, place)
    });
    parallel::each(flags.len(), places, |(first, flags, place)| true_rows(flags, first, place));
    Ok(Column::I32(rows))
}

/// Rows of a column.
#[derive(Clone, Copy)]
pub enum Rows<'a> {
    /// So many from the beginning.
    First(usize),
    These(&'a [i32]),
}

/// Puts rows of a column into another one, from a place on, in front of its last, which is a filler. Where that has 64 bits
/// for values of all sorts, they become such.
pub fn append((to, at): (&mut Column, usize), from: &Column, rows: Rows<'_>) -> Result<(), Error> {
    match (to, from.numbers()) {
        (Column::Bool(to), Numbers::Bool(from)) => append_to((to, at), from, rows, |item| item),
        (Column::I32(to), Numbers::I32(from)) => append_to((to, at), from, rows, |item| item),
        (Column::I64(to), Numbers::I64(from)) => append_to((to, at), from, rows, |item| item),
        (Column::F64(to), Numbers::F64(from)) => append_to((to, at), from, rows, |item| item),
        (Column::I64(to), Numbers::Bool(from)) => append_to((to, at), from, rows, |item| i64::from(item & 1)),
        (Column::I64(to), Numbers::I32(from)) => append_to((to, at), from, rows, i64::from),
        (Column::I64(to), Numbers::F64(from)) => {
            append_to((to, at), from, rows, |item| item.to_bits() as i64)
        }
        // Of several shapes, where all that are given have this one.
        (Column::Bool(to), Numbers::I64(from)) => append_to((to, at), from, rows, |item| item as u8 & 1),
        (Column::I32(to), Numbers::I64(from)) => append_to((to, at), from, rows, |item| item as i32),
        (Column::F64(to), Numbers::I64(from)) => {
            append_to((to, at), from, rows, |item| f64::from_bits(item as u64))
        }
        _ => Err(mismatch()),
    }
}

/// The same with one number for all.
pub fn fill((to, at): (&mut Column, usize), count: usize, number: i32) -> Result<(), Error> {
    let Column::I32(to) = to else { return Err(mismatch()) };
    make_room(to, at + count)?;
    to[at..at + count].fill(number);
    Ok(())
}

/// So many rows, and a filler.
fn make_room<T: Copy + Default>(column: &mut Vec<T>, rows: usize) -> Result<(), Error> {
    if let Some(missing) = (rows + 1).checked_sub(column.len()) {
        fallible::reserve(column, missing)?;
        column.resize(rows + 1, T::default());
    }
    Ok(())
}

fn append_to<T: Copy + Default + Send + Sync, F: Copy + Sync>(
    (to, begin): (&mut Vec<T>, usize),
    from: &[F],
    rows: Rows<'_>,
    convert: impl Fn(F) -> T + Sync,
) -> Result<(), Error> {
    let count = match rows {
        Rows::First(count) if count <= from.len() => count,
        Rows::First(_) => return Err(mismatch()),
        Rows::These(rows) => rows.len(),
    };
    make_room(to, begin + count)?;
    let size = parallel::chunk();
    let places = to[begin..begin + count].chunks_mut(size).enumerate();
    parallel::each(count, places, |(number, place)| {
        let first = number * size;
        match rows {
            Rows::First(_) => {
                place.iter_mut().zip(&from[first..]).for_each(|(item, found)| *item = convert(*found));
            }
            Rows::These(rows) => place
                .iter_mut()
                .zip(&rows[first..])
                .for_each(|(item, row)| *item = convert(from[*row as usize])),
        }
    });
    Ok(())
}

/// Without branches on the flags: each row is noted, and the next one in its place if it is not wanted.
fn true_rows(flags: &[u8], first: usize, rows: &mut [i32]) {
    let mut at = 0;
    for (row, flag) in (first..).zip(flags) {
        let Some(place) = rows.get_mut(at) else { break };
        *place = row as i32;
        at += usize::from(flag & 1);
    }
}

/// [`crate::ir::Stmt::Reduce`]: the number's 64 bits, or `None` where it is none.
pub fn reduce(
    reduction: Reduction,
    column: &Column,
    given: Option<&Column>,
    from: i64,
) -> Result<Option<i64>, Error> {
    let given = match given.map(Column::numbers) {
        None => Given::All,
        Some(Numbers::Bool(flags)) if flags.len() == column.len() => Given::Flags(flags),
        Some(Numbers::I64(ticks)) if ticks.len() == column.len() => Given::Ticks(ticks),
        Some(_) => return Err(mismatch()),
    };
    match column.numbers() {
        Numbers::I64(numbers) => integers(reduction, numbers, given, from),
        Numbers::F64(numbers) => {
            let from = f64::from_bits(from as u64);
            Ok(floats(reduction, numbers, given, from)?.map(|number| number.to_bits() as i64))
        }
        _ => Err(mismatch()),
    }
}

/// Which rows count.
#[derive(Clone, Copy)]
enum Given<'a> {
    All,
    Flags(&'a [u8]),
    Ticks(&'a [i64]),
}

impl Given<'_> {
    /// Folds all of `rows`, with `neutral` for those that do not count: without branches, in loops for vectors.
    fn fold_all<A>(
        self,
        numbers: &[i64],
        rows: Range<usize>,
        neutral: i64,
        start: A,
        step: impl Fn(A, i64) -> A,
    ) -> A {
        let all = &numbers[rows.clone()];
        let chosen = |(number, counts): (&i64, bool)| if counts { *number } else { neutral };
        match self {
            Self::All => all.iter().copied().fold(start, step),
            Self::Flags(flags) => {
                let flags = flags[rows].iter().map(|flag| flag & 1 != 0);
                all.iter().zip(flags).map(chosen).fold(start, step)
            }
            Self::Ticks(ticks) => {
                let ticks = ticks[rows].iter().map(|tick| *tick != 0);
                all.iter().zip(ticks).map(chosen).fold(start, step)
            }
        }
    }

    /// Folds those of `rows`, in their order, until there is no result.
    fn fold<T: Copy, A>(
        self,
        numbers: &[T],
        rows: Range<usize>,
        start: A,
        mut step: impl FnMut(A, T) -> Option<A>,
    ) -> Option<A> {
        let all = &numbers[rows.clone()];
        // Filters make simpler loops than steps that do nothing.
        match self {
            Self::All => all.iter().try_fold(start, |sum, number| step(sum, *number)),
            Self::Flags(flags) => {
                let given = all.iter().zip(&flags[rows]).filter(|(_, flag)| **flag & 1 != 0);
                given.into_iter().try_fold(start, |sum, (number, _)| step(sum, *number))
            }
            Self::Ticks(ticks) => {
                let given = all.iter().zip(&ticks[rows]).filter(|(_, tick)| **tick != 0);
                given.into_iter().try_fold(start, |sum, (number, _)| step(sum, *number))
            }
        }
    }
}

/// In parts, which are put together in their order: none of these operations minds.
fn integers(
    reduction: Reduction,
    numbers: &[i64],
    given: Given<'_>,
    from: i64,
) -> Result<Option<i64>, Error> {
    match reduction {
        Reduction::Add => Ok(i64::try_from(i128::from(from) + sum(numbers, given)?).ok()),
        Reduction::Sub => Ok(i64::try_from(i128::from(from) - sum(numbers, given)?).ok()),
        // A product on the way may be beyond any number of bits.
        Reduction::Mul => Ok(given.fold(numbers, 0..numbers.len(), from, i64::checked_mul)),
        Reduction::And => in_parts(numbers, given, from, -1, |a, b| a & b),
        Reduction::Or => in_parts(numbers, given, from, 0, |a, b| a | b),
        Reduction::Xor => in_parts(numbers, given, from, 0, |a, b| a ^ b),
        Reduction::Min | Reduction::MinLast => in_parts(numbers, given, from, i64::MAX, i64::min),
        Reduction::Max | Reduction::MaxLast => in_parts(numbers, given, from, i64::MIN, i64::max),
    }
}

/// `neutral` stands for what is not given.
fn in_parts(
    numbers: &[i64],
    given: Given<'_>,
    from: i64,
    neutral: i64,
    step: impl Fn(i64, i64) -> i64 + Copy + Sync,
) -> Result<Option<i64>, Error> {
    let part = |rows| given.fold_all(numbers, rows, neutral, neutral, step);
    Ok(Some(parts(numbers.len(), neutral, part)?.into_iter().fold(from, step)))
}

/// The sum of Integers.
pub fn exact_sum(numbers: &[i64]) -> Result<i128, Error> {
    sum(numbers, Given::All)
}

/// Exactly: a part whose sum leaves 64 bits on the way is added up once more, with 128 bits.
fn sum(numbers: &[i64], given: Given<'_>) -> Result<i128, Error> {
    let part = |rows: Range<usize>| {
        let wide = |sum: i128, number: i64| Some(sum + i128::from(number));
        match given.fold(numbers, rows.clone(), 0, i64::checked_add) {
            Some(sum) => i128::from(sum),
            None => given.fold(numbers, rows, 0, wide).unwrap_or(0),
        }
    };
    Ok(parts(numbers.len(), 0, part)?.into_iter().sum())
}

/// In their order, from the first to the last: rounding makes every other order another number.
fn floats(reduction: Reduction, numbers: &[f64], given: Given<'_>, from: f64) -> Result<Option<f64>, Error> {
    let ordered = |replaces: fn(f64, f64) -> bool| {
        given.fold(numbers, 0..numbers.len(), from, |best, number| {
            let best_is = if replaces(number, best) { number } else { best };
            (!number.is_nan() && !best.is_nan()).then_some(best_is)
        })
    };
    let all = |step: fn(f64, f64) -> f64| {
        given.fold(numbers, 0..numbers.len(), from, |sum, number| Some(step(sum, number)))
    };
    Ok(match reduction {
        Reduction::Add => all(|a, b| a + b),
        Reduction::Sub => all(|a, b| a - b),
        Reduction::Mul => all(|a, b| a * b),
        Reduction::Min => ordered(|number, best| number < best),
        Reduction::MinLast => ordered(|number, best| number <= best),
        Reduction::Max => ordered(|number, best| number > best),
        Reduction::MaxLast => ordered(|number, best| number >= best),
        Reduction::And | Reduction::Or | Reduction::Xor => return Err(mismatch()),
    })
}

fn mismatch() -> Error {
    Error::Internal("a driver's columns are not those of its program".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: usize = 20_000;

    #[test]
    fn rows_that_are_true_keep_their_order() {
        for len in [0, 1, PART, 3 * PART + 17] {
            let flags: Vec<u8> = (0..len).map(|row| u8::from(row * row % 7 < 3)).collect();
            let rows = (0..len).filter(|row| flags[*row] != 0).map(|row| row as i32).collect();
            assert_eq!(compact(&Column::Bool(flags)).unwrap(), Column::I32(rows), "{len}");
        }
        assert_eq!(compact(&Column::Bool(vec![1; 9])).unwrap(), Column::I32((0..9).collect()));
    }

    #[test]
    fn integers_are_exact_or_none() {
        let large = Column::I64(vec![i64::MAX, i64::MAX, -i64::MAX, -5]);
        let of = |reduction, from| reduce(reduction, &large, None, from).unwrap();
        assert_eq!(of(Reduction::Add, 4), Some(i64::MAX - 1));
        assert_eq!(of(Reduction::Add, 6), None);
        assert_eq!(of(Reduction::Sub, -7), None);
        assert_eq!(of(Reduction::Mul, 1), None);
        assert_eq!(of(Reduction::Min, 7), Some(-i64::MAX));
        let many = Column::I64((0..3 * PART as i64).collect());
        let given = Column::Bool((0..3 * PART).map(|row| u8::from(row % 2 == 0)).collect());
        let sum = (0..3 * PART as i64).step_by(2).sum::<i64>();
        assert_eq!(reduce(Reduction::Add, &many, Some(&given), 1).unwrap(), Some(sum + 1));
    }

    #[test]
    fn floats_are_reduced_in_their_order() {
        let numbers = [1e16, 1.0, 1.0, -0.0, 0.0];
        let column = Column::F64(numbers.to_vec());
        let of = |reduction, from: f64| {
            let bits = reduce(reduction, &column, None, from.to_bits() as i64).unwrap();
            bits.map(|bits| bits as u64)
        };
        assert_eq!(of(Reduction::Add, 1.0), Some((((1.0 + 1e16) + 1.0) + 1.0_f64).to_bits()));
        assert_eq!(of(Reduction::Min, 5.0), Some((-0.0_f64).to_bits()));
        assert_eq!(of(Reduction::MinLast, 5.0), Some(0.0_f64.to_bits()));
        assert_eq!(of(Reduction::Max, f64::NAN), None);
        assert_eq!(reduce(Reduction::Max, &Column::F64(vec![]), None, -1).unwrap(), Some(-1));
    }
}
