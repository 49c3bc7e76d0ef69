//! Rows of equal keys. Keys that differ in few bits are sorted, so that those of one key stand together, in their order.
//! Others are partitioned by a hash, and each partition, which is small enough for a cache, has a table of its own. Groups
//! are in the order in which their first rows stand.

use super::order::{self, Keyed};
use crate::error::Error;
use crate::fallible;
use crate::parallel;

/// Some rows with one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The first of these rows.
    pub first: u32,
    /// Where its rows begin in [`Groups::items`], and how many there are.
    pub start: u32,
    pub count: u32,
}

#[derive(Debug)]
pub struct Groups {
    /// The rows, those of one group after the other.
    pub items: Vec<Keyed>,
    pub groups: Vec<Group>,
}

/// Sorting by so many digits takes no longer than a table.
const DIGITS: u32 = 2;
/// The order of hashes (D. Knuth, TAOCP 3, 6.4): a bijection, so that only equal keys have equal ones.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const NONE: u32 = u32::MAX;

impl Groups {
    pub fn of(mut items: Vec<Keyed>) -> Result<Self, Error> {
        let rows = items.len();
        if order::digits(&items)? <= DIGITS {
            let items = order::sort(items)?;
            let groups = runs(&items, 0, 0)?;
            return Ok(Self { groups: by_first(groups, rows)?, items });
        }
        let size = parallel::chunk();
        parallel::each(rows, items.chunks_mut(size), |items| {
            items.iter_mut().for_each(|item| item.key = item.key.wrapping_mul(FACTOR));
        });
        let (mut items, ends) = order::partition(items)?;
        let mut parts: Vec<Result<Vec<Group>, Error>> = Vec::new();
        fallible::reserve(&mut parts, ends.len())?;
        parts.resize_with(ends.len(), || Ok(Vec::new()));
        let mut rest = &mut items[..];
        let mut start = 0;
        let work = ends.iter().zip(&mut parts).map(|(end, part)| {
            let (some, others) = std::mem::take(&mut rest).split_at_mut(end - start);
            rest = others;
            (std::mem::replace(&mut start, *end), some, part)
        });
        parallel::each(rows, work, |(start, items, part)| *part = grouped(items, start));
        let mut groups = Vec::new();
        for part in parts {
            let part = part?;
            fallible::reserve(&mut groups, part.len())?;
            groups.extend(part);
        }
        Ok(Self { groups: by_first(groups, rows)?, items })
    }

    /// The rows of a group, in their order.
    pub fn rows(&self, group: Group) -> impl ExactSizeIterator<Item = usize> {
        let start = group.start as usize;
        self.items[start..start + group.count as usize].iter().map(|item| item.row as usize)
    }
}

/// The groups of items that stand together, which begin at a place among all.
fn runs(items: &[Keyed], start: usize, expected: usize) -> Result<Vec<Group>, Error> {
    let mut groups: Vec<Group> = Vec::new();
    fallible::reserve(&mut groups, expected)?;
    let mut start = start as u32;
    for run in items.chunk_by(|a, b| a.key == b.key) {
        if groups.len() == groups.capacity() {
            let more = groups.len().max(64);
            fallible::reserve(&mut groups, more)?;
        }
        groups.push(Group { first: run[0].row, start, count: run.len() as u32 });
        start += run.len() as u32;
    }
    Ok(groups)
}

/// Puts the items of a partition together by keys, by way of a table with open addresses.
fn grouped(items: &mut [Keyed], start: usize) -> Result<Vec<Group>, Error> {
    let slots = (2 * items.len()).next_power_of_two();
    let mut table = fallible::filled(NONE, slots)?;
    let (mut groups, mut keys): (Vec<Group>, Vec<u64>) = (Vec::new(), Vec::new());
    fallible::reserve(&mut groups, items.len())?;
    fallible::reserve(&mut keys, items.len())?;
    let mut group_of = fallible::filled(0u32, items.len())?;
    for (item, group) in items.iter().zip(&mut group_of) {
        // The highest bits are those of the partition.
        let mut slot = (item.key >> 20) as usize & (slots - 1);
        while table[slot] != NONE && keys[table[slot] as usize] != item.key {
            slot = (slot + 1) & (slots - 1);
        }
        if table[slot] == NONE {
            table[slot] = groups.len() as u32;
            groups.push(Group { first: item.row, start: 0, count: 0 });
            keys.push(item.key);
        }
        *group = table[slot];
        groups[*group as usize].count += 1;
    }
    let mut next = start as u32;
    for group in &mut groups {
        group.start = next;
        next += group.count;
    }
    if groups.len() < items.len() {
        let mut places = fallible::collect(groups.iter().map(|group| group.start))?;
        let before = fallible::collect(items.iter().copied())?;
        for (item, group) in before.into_iter().zip(group_of) {
            let place = &mut places[group as usize];
            items[*place as usize - start] = item;
            *place += 1;
        }
    }
    Ok(groups)
}

/// In the order of the first of so many rows.
fn by_first(groups: Vec<Group>, rows: usize) -> Result<Vec<Group>, Error> {
    // Where there are few, comparing them takes less than a look at all rows.
    if groups.len() < rows / 64 {
        let mut groups = groups;
        groups.sort_unstable_by_key(|group| group.first);
        return Ok(groups);
    }
    let mut group_at = fallible::filled(NONE, rows)?;
    for (number, group) in (0..).zip(&groups) {
        group_at[group.first as usize] = number;
    }
    let mut ordered = Vec::new();
    fallible::reserve(&mut ordered, groups.len())?;
    ordered
        .extend(group_at.into_iter().filter(|number| *number != NONE).map(|number| groups[number as usize]));
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(keys: &[u64]) -> Vec<Vec<usize>> {
        let groups = Groups::of(order::keyed(keys.len(), |row| keys[row]).unwrap()).unwrap();
        groups.groups.iter().map(|group| groups.rows(*group).collect()).collect()
    }

    #[test]
    fn many_keys_that_differ_in_many_bits_are_grouped_as_few_are() {
        for (count, distinct) in [(2, 1), (3, 2), (1_000, 7), (1_000, 900), (50_000, 40_000), (70_000, 3)] {
            let number = |row: u64| row.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 7;
            let keys: Vec<u64> = (0..count).map(|row| number(number(row) % distinct)).collect();
            let mut expected: Vec<Vec<usize>> = Vec::new();
            let mut known = std::collections::HashMap::new();
            for (row, key) in keys.iter().enumerate() {
                let group = *known.entry(key).or_insert(expected.len());
                if group == expected.len() {
                    expected.push(Vec::new());
                }
                expected[group].push(row);
            }
            assert_eq!(rows_of(&keys), expected);
        }
    }

    #[test]
    fn groups_are_in_the_order_of_their_first_rows() {
        assert_eq!(rows_of(&[7, 3, 7, 9, 3, 7]), [vec![0, 2, 5], vec![1, 4], vec![3]]);
    }
}
