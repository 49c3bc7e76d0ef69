//! What is done with a column of numbers as a whole, on the host: see [`crate::heap::Work`]. `None` where the numbers do not
//! allow it.

use super::sums::Compensated;
use super::{compact, in_parts, order, rows};
use crate::error::Error;
use crate::fallible;
use crate::heap::{Column, Numbers};
use crate::parallel;
use crate::threads;

pub fn sum(column: &Column) -> Result<Option<i128>, Error> {
    Ok(match column.numbers() {
        Numbers::I64(all) => Some(super::exact_sum(all)?),
        Numbers::I32(all) => Some(all.iter().map(|number| i128::from(*number)).sum()),
        _ => None,
    })
}

/// So many threads find the sum of so many Floats in parts, each of which takes several passes, faster than one in order.
const THREADS: usize = 8;
const FLOATS: usize = 1 << 20;

/// The sum of Floats in their order, as Array#sum makes it.
pub fn sum_of_floats(all: &[f64], mut sum: Compensated) -> Result<Compensated, Error> {
    if threads::count() >= THREADS
        && all.len() >= FLOATS
        && let Some(sum) = in_parts::sum(&mut in_parts::OnHost(all), sum)?
    {
        return Ok(sum);
    }
    all.iter().for_each(|number| sum.add(*number));
    Ok(sum)
}

pub fn best(column: &Column, greatest: bool) -> Result<Option<usize>, Error> {
    match (column.numbers(), greatest) {
        (Numbers::I64(all), false) => rows::best(all, |a, b| a < b, |_| true),
        (Numbers::I64(all), true) => rows::best(all, |a, b| a > b, |_| true),
        (Numbers::I32(all), false) => rows::best(all, |a, b| a < b, |_| true),
        (Numbers::I32(all), true) => rows::best(all, |a, b| a > b, |_| true),
        (Numbers::F64(all), false) => rows::best(all, |a, b| a < b, |number| !number.is_nan()),
        (Numbers::F64(all), true) => rows::best(all, |a, b| a > b, |number| !number.is_nan()),
        (Numbers::Bool(_), _) => Ok(None),
    }
}

/// Equal ones stay in their order.
pub fn sorted(column: &Column) -> Result<Option<Column>, Error> {
    let keys = match column.numbers() {
        Numbers::I64(all) => order::keyed(all.len(), |row| order::integer_key(all[row]))?,
        Numbers::I32(all) => order::keyed(all.len(), |row| order::integer_key(i64::from(all[row])))?,
        Numbers::F64(all) if !all.iter().any(|number| number.is_nan()) => {
            order::keyed(all.len(), |row| order::float_key(all[row]))?
        }
        _ => return Ok(None),
    };
    let rows = fallible::collect(order::sort(keys)?.iter().map(|item| item.row as i32))?;
    rows::take(column, &rows).map(Some)
}

/// Floats too, in their order.
pub fn scan(column: &Column, first: i64) -> Result<Option<Column>, Error> {
    let integers = |all: &mut dyn ExactSizeIterator<Item = i64>| {
        let mut sums = Vec::new();
        fallible::reserve(&mut sums, all.len())?;
        let mut sum = first;
        for number in all {
            let Some(next) = sum.checked_add(number) else { return Ok(None) };
            sum = next;
            sums.push(sum);
        }
        Ok(Some(Column::I64(sums)))
    };
    match column.numbers() {
        Numbers::I64(all) => integers(&mut all.iter().copied()),
        Numbers::I32(all) => integers(&mut all.iter().map(|number| i64::from(*number))),
        _ => Ok(None),
    }
}

/// The sums of Floats up to each, in their order, as `+` makes them. Without `first` they begin with the first one.
pub fn scan_floats(all: &[f64], first: Option<f64>) -> Result<Column, Error> {
    let mut sums = parallel::copied(all)?;
    let mut before = first;
    for sum in &mut sums {
        *sum = before.map_or(*sum, |before| before + *sum);
        before = Some(*sum);
    }
    Ok(Column::F64(sums))
}

/// Those whose flag is set.
pub fn chosen(column: &Column, flags: &Column) -> Result<Column, Error> {
    match compact(flags)? {
        Column::I32(rows) => rows::take(column, &rows),
        _ => Err(super::mismatch()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_64_bits_is_no_scan() {
        assert_eq!(scan(&Column::I64(vec![1, 2, -4]), 10).unwrap(), Some(Column::I64(vec![11, 13, 9])));
        assert_eq!(scan(&Column::I32(vec![1, 2]), i64::MAX - 1).unwrap(), None);
        assert_eq!(scan_floats(&[-0.0, 1.5], None).unwrap(), Column::F64(vec![-0.0, 1.5]));
        assert_eq!(scan_floats(&[-0.0], Some(0.0)).unwrap(), Column::F64(vec![0.0]));
    }

    #[test]
    fn equal_numbers_stay_in_their_order() {
        let zeros = sorted(&Column::F64(vec![1.0, 0.0, -0.0, -1.0])).unwrap();
        assert_eq!(format!("{zeros:?}"), "Some(F64([-1.0, 0.0, -0.0, 1.0]))");
        assert_eq!(sorted(&Column::F64(vec![f64::NAN])).unwrap(), None);
        assert_eq!(sorted(&Column::I32(vec![3, -1, 2])).unwrap(), Some(Column::I32(vec![-1, 2, 3])));
    }
}
