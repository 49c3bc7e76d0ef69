//! The columns of a section, from when its objects have been read to when they are written.
//!
//! A run's columns stand in a `heap::Store`, one for each buffer of the program. Kernels are *bound* to it, which gives
//! a *session*: `launch` runs one, `fetch` brings to the store what the launch has written, one column or all that is
//! not there yet. The store knows of each column that has changed since the section began what it was then: copy-back
//! writes the rows that differ, and a run that has to begin again (a conflict, too little room, an interrupt) puts it
//! back.
//!
//! - The CPU computes in the store's columns, and keeps a copy of those that it will change before its first launch. A
//!   mark for each row that is written would cost a store in each inner loop; the copy is made once, by all threads.
//! - A GPU has copies of its own. What the host has stays what it was until results are fetched, so nothing is kept,
//!   and beginning again costs nothing.

use crate::error::Error;
use crate::heap::{Column, Printed, Shared};
use std::sync::Arc;

/// One column for each buffer of a program, in that order, as the host knows them. Back-ends are bound to it
/// ([`crate::backend::Kernels::bind`]): one that computes elsewhere has copies of its own, and brings a column here when
/// that is asked for.
#[derive(Debug, Default)]
pub struct Store {
    columns: Vec<Column>,
    /// What has changed since the section began, or since what was done was written back, as it was then.
    before: Vec<Option<Column>>,
    /// What has been written back meanwhile, as it was when the section began.
    begun: Vec<Option<Column>>,
    /// Who has it afterwards takes it from where it is.
    may_stay: Vec<bool>,
    /// What has been printed, as far as it is not written yet.
    printed: Printed,
}

impl Store {
    pub fn new(columns: Vec<Column>) -> Self {
        let none = || columns.iter().map(|_| None).collect();
        let (before, begun, may_stay) = (none(), none(), vec![false; columns.len()]);
        Self { before, begun, may_stay, columns, printed: Printed::default() }
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// For what changes columns in place: those that [`crate::ir::BufferInfo::changes`] have to be [kept](Self::keep)
    /// before.
    pub fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// The columns, and what is printed.
    pub fn parts_mut(&mut self) -> (&mut [Column], &mut Printed) {
        (&mut self.columns, &mut self.printed)
    }

    pub const fn printed(&self) -> &Printed {
        &self.printed
    }

    pub fn printed_mut(&mut self) -> &mut Printed {
        &mut self.printed
    }

    /// The column as it was when the section began, or [was committed](Self::commit), if it is another one since.
    pub fn before(&self, column: usize) -> Option<&Column> {
        self.before[column].as_ref()
    }

    /// Is some column another one than when the section began?
    pub fn has_changed(&self) -> bool {
        self.before.iter().chain(&self.begun).any(Option::is_some)
    }

    /// Keeps what these columns hold, as they are about to be changed in place.
    pub fn keep(&mut self, columns: impl Iterator<Item = usize>) -> Result<(), Error> {
        for column in columns {
            if self.before[column].is_none() {
                // What is somebody else's stays as it is, so the copy is what changes.
                self.columns[column].home()?;
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

    /// Where a column is in the end does not matter: it may stay on a device.
    pub fn let_stay(&mut self, column: usize) {
        self.may_stay[column] = true;
    }

    pub fn may_stay(&self, column: usize) -> bool {
        self.may_stay.get(column).copied().unwrap_or(false)
    }

    /// Brings all columns to the host.
    pub fn home(&self) -> Result<(), Error> {
        self.columns.iter().try_for_each(Column::home)
    }

    /// Makes the column one that can be shared, as it is: it is not written any more.
    pub fn share(&mut self, column: usize) {
        let own = &mut self.columns[column];
        if !own.is_shared() {
            *own = Column::Shared(Arc::new(Shared::new(std::mem::replace(own, Column::Bool(Vec::new())))));
        }
    }

    /// What there is now has been written back.
    pub fn commit(&mut self) {
        for (before, begun) in self.before.iter_mut().zip(&mut self.begun) {
            if let Some(before) = before.take() {
                begun.get_or_insert(before);
            }
        }
    }

    /// Takes what a column holds now that all is committed.
    pub fn adopt(&mut self, column: usize, now: Column) {
        let before = std::mem::replace(&mut self.columns[column], now);
        self.begun[column].get_or_insert(before);
    }

    /// All columns are what they were when the section began.
    pub fn begin_again(&mut self) {
        let earlier = self.before.iter_mut().zip(&mut self.begun);
        for (column, (before, begun)) in self.columns.iter_mut().zip(earlier) {
            let before = before.take();
            if let Some(before) = begun.take().or(before) {
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

    #[test]
    fn what_was_committed_can_be_as_before_too() {
        let numbers = |list: &[i64]| Column::I64(list.to_vec());
        let mut store = Store::new(vec![numbers(&[1]), numbers(&[2]), numbers(&[3])]);
        store.replace(0, numbers(&[4]));
        store.commit();
        assert_eq!(store.before(0), None);
        store.adopt(1, numbers(&[5]));
        store.replace(0, numbers(&[6]));
        store.replace(2, numbers(&[7]));
        let before: Vec<_> = (0..3).map(|column| store.before(column).cloned()).collect();
        assert_eq!(before, [Some(numbers(&[4])), None, Some(numbers(&[3]))]);
        store.begin_again();
        assert_eq!(store.columns(), [numbers(&[1]), numbers(&[2]), numbers(&[3])]);
    }
}
