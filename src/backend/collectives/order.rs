//! The order of numbers: a stable radix sort of keys, which gives the rows in their order. All threads work at each digit:
//! every chunk counts its digits, prefix sums of the counts give each chunk its places, and the chunks put their items
//! there.

use crate::error::Error;
use crate::fallible;
use crate::parallel;

/// A row with its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keyed {
    pub key: u64,
    pub row: u32,
}

const BITS: u32 = 8;
const DIGITS: usize = 1 << BITS;
/// With fewer items than that, counting digits takes longer than comparing keys.
const FEW: usize = 128;
/// So many chunks at most have counts of their own.
const MOST_CHUNKS: usize = 256;

/// The key of an Integer: such keys are in the order of the Integers.
pub const fn integer_key(number: i64) -> u64 {
    number as u64 ^ 1 << 63
}

/// The key of a Float that is a number: such keys are in the order of the Floats, with one for both zeros.
pub const fn float_key(number: f64) -> u64 {
    // Adding 0 makes of the negative zero the other one.
    let bits = (number + 0.0).to_bits();
    let negative = (bits as i64 >> 63) as u64;
    bits ^ (negative | 1 << 63)
}

/// Rows with their keys, to be sorted.
pub fn keyed(rows: usize, key: impl Fn(usize) -> u64 + Sync) -> Result<Vec<Keyed>, Error> {
    let mut items = fallible::filled(Keyed::default(), rows)?;
    let size = parallel::chunk();
    parallel::each(rows, items.chunks_mut(size).enumerate(), |(number, items)| {
        for (row, item) in (number * size..).zip(items) {
            *item = Keyed { key: key(row), row: row as u32 };
        }
    });
    Ok(items)
}

fn chunk_of(count: usize) -> usize {
    parallel::chunk().max(count.div_ceil(MOST_CHUNKS))
}

/// In how many digits keys differ.
pub fn digits(items: &[Keyed]) -> Result<u32, Error> {
    let differing = differing_bits(items, chunk_of(items.len()))?;
    Ok(shifts(differing).count() as u32)
}

fn shifts(differing: u64) -> impl Iterator<Item = u32> {
    let all = (0..u64::BITS).step_by(BITS as usize);
    all.filter(move |shift| !((differing >> shift) as usize).is_multiple_of(DIGITS))
}

/// Sorts by key; items of the same key stay in their order.
pub fn sort(mut items: Vec<Keyed>) -> Result<Vec<Keyed>, Error> {
    if items.len() <= FEW {
        items.sort_by_key(|item| item.key);
        return Ok(items);
    }
    let differing = differing_bits(&items, chunk_of(items.len()))?;
    let mut others = fallible::filled(Keyed::default(), items.len())?;
    for shift in shifts(differing) {
        distribute(&items, &mut others, shift)?;
        std::mem::swap(&mut items, &mut others);
    }
    Ok(items)
}

/// Puts items together by the highest digit of their keys, in their order; gives where those of each digit end.
pub fn partition(items: Vec<Keyed>) -> Result<(Vec<Keyed>, Vec<usize>), Error> {
    let mut others = fallible::filled(Keyed::default(), items.len())?;
    let ends = distribute(&items, &mut others, u64::BITS - BITS)?;
    Ok((others, ends))
}

/// Puts items into the order of a digit, those with the same one in the order that they have. Gives where these end.
fn distribute(items: &[Keyed], others: &mut [Keyed], shift: u32) -> Result<Vec<usize>, Error> {
    let count = items.len();
    let size = chunk_of(count);
    let mut counts: Vec<[u32; DIGITS]> = fallible::filled([0; DIGITS], count.div_ceil(size))?;
    let digit = |item: &Keyed| (item.key >> shift) as usize % DIGITS;
    parallel::each(count, items.chunks(size).zip(&mut counts), |(items, counts)| {
        items.iter().for_each(|item| counts[digit(item)] += 1);
    });
    let mut place = 0;
    let mut ends = fallible::filled(0, DIGITS)?;
    for (digit, end) in ends.iter_mut().enumerate() {
        for counts in &mut counts {
            place += std::mem::replace(&mut counts[digit], place);
        }
        *end = place as usize;
    }
    let target = Target(others.as_mut_ptr());
    parallel::each(count, items.chunks(size).zip(&mut counts), |(items, places)| {
        for item in items {
            let place = &mut places[digit(item)];
            // SAFETY: `others` is as long as `items`. The places of a chunk's digit are as many as it has counted, and by
            // the prefix sums those of all chunks and digits are the places of `others`, each once: nobody else writes this
            // one.
            unsafe { target.write(*place as usize, *item) };
            *place += 1;
        }
    });
    Ok(ends)
}

/// The bits in which keys differ.
fn differing_bits(items: &[Keyed], size: usize) -> Result<u64, Error> {
    let mut parts: Vec<(u64, u64)> = fallible::filled((0, u64::MAX), items.len().div_ceil(size))?;
    parallel::each(items.len(), items.chunks(size).zip(&mut parts), |(items, part)| {
        *part = items.iter().fold(*part, |(any, all), item| (any | item.key, all & item.key));
    });
    let (any, all) = parts.into_iter().fold((0, u64::MAX), |a, b| (a.0 | b.0, a.1 & b.1));
    Ok(any ^ all)
}

/// A list that threads write to, each at places of its own.
#[derive(Clone, Copy)]
struct Target(*mut Keyed);

// SAFETY: threads write to different places only, as the caller of `write` says.
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

impl Target {
    /// # Safety
    /// The list has the place, is there, and nobody else reads or writes this place meanwhile.
    unsafe fn write(&self, place: usize, item: Keyed) {
        // SAFETY: as the caller says.
        unsafe { self.0.add(place).write(item) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same in each run (G. Marsaglia, "Xorshift RNGs", 2003).
    fn numbers(count: usize) -> impl Iterator<Item = u64> {
        let mut state = 88_172_645_463_325_252u64;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        })
        .take(count)
    }

    fn rows(keys: &[u64]) -> Vec<usize> {
        let items = keyed(keys.len(), |row| keys[row]).unwrap();
        sort(items).unwrap().into_iter().map(|item| item.row as usize).collect()
    }

    #[test]
    fn equal_keys_stay_in_their_order() {
        for count in [0, 1, 2, 100, 129, 1000, 100_003] {
            for mask in [0, 1, 0xff, 0xff00, 0xffff_0000_00ff, u64::MAX] {
                let keys: Vec<u64> = numbers(count).map(|number| number & mask).collect();
                let mut expected: Vec<usize> = (0..count).collect();
                expected.sort_by_key(|row| keys[*row]);
                assert_eq!(rows(&keys), expected);
            }
        }
    }

    #[test]
    fn keys_are_in_the_order_of_the_numbers() {
        let integers = [i64::MIN, -5, -1, 0, 1, 7, i64::MAX];
        assert!(integers.map(integer_key).is_sorted());
        let floats = [f64::NEG_INFINITY, -1e300, -1.5, -f64::MIN_POSITIVE, 0.0, 1e-310, 2.0, f64::INFINITY];
        assert!(floats.map(float_key).is_sorted());
        assert_eq!(float_key(-0.0), float_key(0.0));
    }
}
