//! Some rows of a column.

use crate::error::Error;
use crate::fallible;
use crate::heap::{Column, Numbers};
use crate::parallel;

/// The values of some rows, in their order.
pub fn take(column: &Column, rows: &[i32]) -> Result<Column, Error> {
    Ok(match column.numbers() {
        Numbers::Bool(from) => Column::Bool(taken(from, rows)?),
        Numbers::I32(from) => Column::I32(taken(from, rows)?),
        Numbers::I64(from) => Column::I64(taken(from, rows)?),
        Numbers::F64(from) => Column::F64(taken(from, rows)?),
    })
}

fn taken<T: Copy + Default + Send + Sync>(from: &[T], rows: &[i32]) -> Result<Vec<T>, Error> {
    let mut taken = fallible::filled(T::default(), rows.len())?;
    let size = parallel::chunk();
    let work = taken.chunks_mut(size).zip(rows.chunks(size));
    parallel::each(rows.len(), work, |(taken, rows)| {
        taken.iter_mut().zip(rows).for_each(|(to, row)| *to = from[*row as usize]);
    });
    Ok(taken)
}

/// Those of `count` rows that are not among some, which ascend.
pub fn others(rows: &[i32], count: usize) -> Result<Vec<i32>, Error> {
    let mut others = Vec::new();
    fallible::reserve(&mut others, count.saturating_sub(rows.len()))?;
    let mut next = 0;
    for row in rows.iter().copied().chain([count as i32]) {
        others.extend(next..row);
        next = row + 1;
    }
    Ok(others)
}

/// The first row whose number no other one is better than. `None`: there is none, or something that cannot be compared.
pub fn best<T: Copy + Send + Sync>(
    numbers: &[T],
    better: impl Fn(T, T) -> bool + Sync,
    compares: impl Fn(T) -> bool + Sync,
) -> Result<Option<usize>, Error> {
    let size = parallel::chunk();
    let mut parts: Vec<Option<(usize, T)>> = fallible::filled(None, numbers.len().div_ceil(size))?;
    let work = numbers.chunks(size).zip(&mut parts).enumerate();
    parallel::each(numbers.len(), work, |(number, (numbers, part))| {
        let mut found = (0, numbers[0]);
        let mut compare = compares(numbers[0]);
        for (row, number) in numbers.iter().enumerate().skip(1) {
            compare &= compares(*number);
            if better(*number, found.1) {
                found = (row, *number);
            }
        }
        *part = compare.then_some((number * size + found.0, found.1));
    });
    let mut found: Option<(usize, T)> = None;
    for part in parts {
        let Some(part) = part else { return Ok(None) };
        if found.is_none_or(|found| better(part.1, found.1)) {
            found = Some(part);
        }
    }
    Ok(found.map(|(row, _)| row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_the_others() {
        assert_eq!(others(&[0, 2, 5], 7).unwrap(), [1, 3, 4, 6]);
        assert_eq!(others(&[], 2).unwrap(), [0, 1]);
        assert!(others(&[0, 1], 2).unwrap().is_empty());
    }

    #[test]
    fn of_equal_ones_the_first_is_best() {
        let least = |numbers: &[f64]| best(numbers, |a, b| a < b, |number| !number.is_nan()).unwrap();
        assert_eq!(least(&[3.0, 1.0, 2.0, 1.0]), Some(1));
        assert_eq!(least(&[0.0, -0.0]), Some(0));
        assert_eq!(least(&[1.0, f64::NAN]), None);
        assert_eq!(least(&[]), None);
    }
}
