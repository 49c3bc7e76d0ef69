//! Rows of equal keys. They are sorted by key, so that those of one key stand together, in their order; the groups are in
//! the order in which their first rows stand.

use super::order::{self, Keyed};
use crate::error::Error;
use crate::fallible;

/// Some rows with one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Groups {
    pub fn of(items: Vec<Keyed>) -> Result<Self, Error> {
        let items = order::sort(items)?;
        let mut groups: Vec<Group> = Vec::new();
        let mut start = 0;
        for run in items.chunk_by(|a, b| a.key == b.key) {
            if groups.len() == groups.capacity() {
                let more = groups.len().max(64);
                fallible::reserve(&mut groups, more)?;
            }
            groups.push(Group { first: run[0].row, start, count: run.len() as u32 });
            start += run.len() as u32;
        }
        let by_first = order::keyed(groups.len(), |group| u64::from(groups[group].first))?;
        let by_first = order::sort(by_first)?;
        let ordered = fallible::collect(by_first.iter().map(|item| groups[item.row as usize]))?;
        Ok(Self { items, groups: ordered })
    }

    /// The rows of a group, in their order.
    pub fn rows(&self, group: Group) -> impl ExactSizeIterator<Item = usize> {
        let start = group.start as usize;
        self.items[start..start + group.count as usize].iter().map(|item| item.row as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_in_the_order_of_their_first_rows() {
        let keys = [7, 3, 7, 9, 3, 7];
        let groups = Groups::of(order::keyed(keys.len(), |row| keys[row]).unwrap()).unwrap();
        let rows: Vec<Vec<usize>> = groups.groups.iter().map(|group| groups.rows(*group).collect()).collect();
        assert_eq!(rows, [vec![0, 2, 5], vec![1, 4], vec![3]]);
    }
}
