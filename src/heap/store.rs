//! The columns of a section, from when its objects have been read to when they are written.

use crate::fallible::NoMemory;
use crate::heap::Column;
use std::sync::Arc;

/// One column for each buffer of a program, in that order, as the host knows them. Back-ends are bound to it
/// ([`crate::backend::Kernels::bind`]): one that computes elsewhere has copies of its own, and brings a column here when
/// that is asked for.
#[derive(Debug, Default)]
pub struct Store {
    columns: Vec<Column>,
    /// What has changed since the section began, as it was then.
    before: Vec<Option<Column>>,
}

impl Store {
    pub fn new(columns: Vec<Column>) -> Self {
        let before = columns.iter().map(|_| None).collect();
        Self { columns, before }
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// For what changes columns in place: those that [`crate::ir::BufferInfo::changes`] have to be [kept](Self::keep)
    /// before.
    pub fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// The column as it was when the section began, if it is another one since.
    pub fn before(&self, column: usize) -> Option<&Column> {
        self.before[column].as_ref()
    }

    /// Keeps what these columns hold, as they are about to be changed in place.
    pub fn keep(&mut self, columns: impl Iterator<Item = usize>) -> Result<(), NoMemory> {
        for column in columns {
            if self.before[column].is_none() {
                // What is somebody else's stays as it is, so the copy is what changes.
                let copy = self.columns[column].try_clone()?;
                self.before[column] = Some(std::mem::replace(&mut self.columns[column], copy));
            }
        }
        Ok(())
    }

    /// Takes what was computed elsewhere.
    pub fn replace(&mut self, column: usize, now: Column) {
        let before = std::mem::replace(&mut self.columns[column], now);
        self.before[column].get_or_insert(before);
    }

    /// Makes the column one that can be shared, as it is: it is not written any more.
    pub fn share(&mut self, column: usize) {
        let own = &mut self.columns[column];
        if !own.is_shared() {
            *own = Column::Shared(Arc::new(std::mem::replace(own, Column::Bool(Vec::new()))));
        }
    }

    /// All columns are what they were.
    pub fn begin_again(&mut self) {
        for (column, before) in self.columns.iter_mut().zip(&mut self.before) {
            if let Some(before) = before.take() {
                *column = before;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_in_place_or_elsewhere_can_be_as_before() {
        let numbers = |list: &[i64]| Column::I64(list.to_vec());
        let mut store = Store::new(vec![numbers(&[1, 2]), numbers(&[3]), numbers(&[4])]);
        store.keep([0].into_iter()).unwrap();
        store.columns_mut()[0] = numbers(&[7, 2]);
        store.keep([0].into_iter()).unwrap();
        store.replace(2, numbers(&[5]));
        store.replace(2, numbers(&[6]));
        let before: Vec<_> = (0..3).map(|column| store.before(column).cloned()).collect();
        assert_eq!(before, [Some(numbers(&[1, 2])), None, Some(numbers(&[4]))]);
        assert_eq!(store.columns(), [numbers(&[7, 2]), numbers(&[3]), numbers(&[6])]);
        store.begin_again();
        assert_eq!(store.columns(), [numbers(&[1, 2]), numbers(&[3]), numbers(&[4])]);
        assert_eq!(store.before(0), None);
    }
}
