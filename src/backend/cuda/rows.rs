//! Rows of columns that a driver moves, on the device: what elements have given becomes an array, the items of an array a
//! base, without a way by the host. The kernel's text has this beside its entries (`rows.cuh`); a launch of it is told
//! apart by a number of segments below zero.

use super::device::address;
use super::emit::BLOCK;
use super::layout::{Arena, Begins, Step};
use super::run::CudaSession;
use super::transfers::bring;
use crate::backend::{Moved, Outcome, Source};
use crate::error::Error;
use crate::heap::Column;
use crate::ir::{Buffer, Op, Program, Stmt, walk};
use crate::profile::{Phase, Profile};
use crate::scalar::Ty;
use std::collections::BTreeSet;

/// What follows the prelude where a driver moves rows.
pub(super) const TEXT: &str = include_str!("rows.cuh");
/// Flags that a thread counts, and counts that it adds up.
const CHUNK: usize = 64;

const FILL: u32 = 8;
const COUNT: u32 = 20;
const SCAN: u32 = 21;
const TRUE_ROWS: u32 = 22;

/// The columns that a driver moves rows of.
#[derive(Debug, Default)]
pub(super) struct MovedColumns {
    /// Of these bases are made that kernels look at.
    pub sources: BTreeSet<usize>,
    /// Flags that say which rows.
    pub flags: BTreeSet<usize>,
}

impl MovedColumns {
    /// `is_touched`: a kernel has something to do with the column.
    pub fn of(program: &Program, is_touched: impl Fn(Buffer) -> bool) -> Self {
        let mut all = Self::default();
        for_each_move(program, &mut |stmt| match stmt {
            Stmt::Copy { from, into, .. } if is_touched(*into) => {
                all.sources.insert(from.0 as usize);
            }
            Stmt::Let { op: Op::Append { given: Some(given), .. }, .. } => {
                all.flags.insert(given.0 as usize);
            }
            _ => {}
        });
        all
    }
}

/// Does a driver move rows?
pub(super) fn moves_rows(program: &Program) -> bool {
    let mut moves = false;
    for_each_move(program, &mut |_| moves = true);
    moves
}

fn for_each_move(program: &Program, each: &mut dyn FnMut(&Stmt)) {
    for id in program.drivers() {
        walk::for_each(&program.functions[id.0 as usize].body, &mut |stmt| {
            if matches!(stmt, Stmt::Copy { .. } | Stmt::Let { op: Op::Append { .. }, .. }) {
                each(stmt);
            }
        });
    }
}

/// Bytes for the numbers of rows of so many flags, and for the counts of these, level by level.
pub(super) fn room(flags: usize) -> [usize; 2] {
    [4 * flags, 4 * levels(flags).iter().sum::<usize>()]
}

/// How many counts there are: of flags, of these counts, and so on until there is one.
fn levels(flags: usize) -> Vec<usize> {
    let mut all = vec![flags.div_ceil(CHUNK)];
    while let Some(count) = all.last().filter(|count| **count > 1) {
        all.push(count.div_ceil(CHUNK));
    }
    all
}

/// Moves rows from an address to another one. `segments`: what launches can take.
fn step(segments: usize, what: u32, (from, into): (u64, u64), rows: u64, count: usize) -> Step {
    let threads = if what < COUNT { count } else { count.div_ceil(CHUNK) };
    let mut words = vec![0; 3 + 2 * segments];
    words[..5].copy_from_slice(&[from, into, u64::from(what.wrapping_neg()) << 32, rows, count as u64]);
    Step { blocks: (threads as u32).div_ceil(BLOCK), shared: false, words }
}

/// The kernel's number for rows of one type that become such of another one.
const fn conversion(from: Ty, into: Ty) -> Option<u32> {
    Some(match (from.bytes(), into.bytes()) {
        (1, 1) => 1,
        (4, 4) => 2,
        (8, 8) => 3,
        (1, 8) => 4,
        (4, 8) => 5,
        (8, 1) => 6,
        (8, 4) => 7,
        _ => return None,
    })
}

impl CudaSession<'_> {
    /// Does the device have both columns?
    pub(super) fn has_both(&self, from: Option<Buffer>, into: Buffer) -> bool {
        let Some((_, arena)) = &self.device else { return false };
        let is_there = |buffer: Buffer| !self.kernel.stays(buffer.0 as usize);
        is_there(into)
            && arena.begins[into.0 as usize] == Begins::Copied
            && from.is_none_or(|from| {
                let at = from.0 as usize;
                is_there(from) && (self.ahead[at] || arena.begins[at] == Begins::Copied)
            })
    }

    /// See [`crate::backend::Session::select`].
    pub(super) fn selected(
        &mut self,
        flags: Buffer,
        profile: &mut Profile,
    ) -> Result<(Outcome, Option<usize>), Error> {
        let at = flags.0 as usize;
        let count = self.store.columns()[at].len();
        let segments = self.kernel.source.segments;
        let Some((device, arena)) = self.device.as_mut().filter(|_| self.ahead[at] && count > 0) else {
            return Ok((Outcome::Done, None));
        };
        let base = device.base();
        let [rows, counts] = arena.selection.map(|offset| address(base, offset));
        let flags = address(base, arena.buffers[at]);
        // Where counts of a level are; the last one is the number of all.
        let levels = levels(count);
        let begins = levels.iter().scan(counts, |at, level| {
            *at += 4 * *level as u64;
            Some(*at - 4 * *level as u64)
        });
        let mut begins: Vec<u64> = begins.collect();
        if let Some(last) = begins.last_mut() {
            *last = address(base, Arena::SELECTED);
        }
        let mut steps = vec![step(segments, COUNT, (flags, begins[0]), 0, count)];
        let pairs = begins.windows(2).zip(&levels);
        steps.extend(pairs.map(|(pair, level)| step(segments, SCAN, (pair[0], pair[1]), 0, *level)));
        steps.push(step(segments, TRUE_ROWS, (flags, rows), counts, count));
        profile.time(Phase::Kernel, || steps.iter().try_for_each(|step| device.launch(step)))?;
        self.unseen += 1;
        let outcome = self.settle(profile)?;
        Ok((outcome, Some(self.selection)))
    }

    /// See [`crate::backend::Session::move_rows`].
    pub(super) fn moved(
        &mut self,
        (from, rows): (Source, Moved),
        (into, offset): (Buffer, usize),
        length: usize,
        profile: &mut Profile,
    ) -> Result<bool, Error> {
        let (Moved::Rows(_, count) | Moved::Selected(count)) = rows;
        let source = if let Source::Column(buffer) = from { Some(buffer) } else { None };
        if !self.has_both(source, into) {
            return Ok(false);
        }
        let segments = self.kernel.source.segments;
        let (Some((device, arena)), at) = (&mut self.device, into.0 as usize) else { return Ok(false) };
        let ty = self.store.columns()[at].ty();
        // What the host has made longer since the last launch may have no room there.
        let fits = |source: Buffer| {
            let at = source.0 as usize;
            self.store.columns()[at].byte_len() <= arena.room[at]
        };
        if length * ty.bytes() > arena.room[at] || !source.is_none_or(fits) {
            return Ok(false);
        }
        let base = device.base();
        let what = match from {
            Source::Number(_) => Some(FILL),
            Source::Column(from) => conversion(self.store.columns()[from.0 as usize].ty(), ty),
        };
        let Some(what) = what else { return Ok(false) };
        profile.time(Phase::Upload, || {
            for buffer in source.into_iter().chain([into]) {
                bring(&mut **device, arena, self.store.columns(), &mut self.stale, buffer)?;
            }
            let before = self.store.columns()[at].len();
            resize(&mut self.store.columns_mut()[at], length)?;
            // What is behind the last array is never used, but looked at.
            let fresh = length.saturating_sub(before) * ty.bytes();
            if fresh > 0 {
                device.clear(arena.buffers[at].wrapping_add(before * ty.bytes()), fresh)
            } else {
                Ok(())
            }
        })?;
        self.ahead[at] = true;
        if count == 0 {
            return Ok(true);
        }
        let into = address(base, arena.buffers[at].wrapping_add(offset * ty.bytes()));
        let (first, rows) = match rows {
            Moved::Rows(first, _) => (first, 0),
            Moved::Selected(_) => (0, address(base, arena.selection[0])),
        };
        let from = match from {
            Source::Number(number) => i64::from(number) as u64,
            Source::Column(from) => {
                let bytes = self.store.columns()[from.0 as usize].ty().bytes();
                address(base, arena.buffers[from.0 as usize].wrapping_add(first * bytes))
            }
        };
        let step = step(segments, what, (from, into), rows, count);
        profile.time(Phase::Kernel, || device.launch(&step))?;
        Ok(true)
    }
}

fn resize(column: &mut Column, rows: usize) -> Result<(), Error> {
    column.try_reserve(rows.saturating_sub(column.len()))?;
    match column {
        Column::Bool(list) => list.resize(rows, 0),
        Column::I32(list) => list.resize(rows, 0),
        Column::I64(list) => list.resize(rows, 0),
        Column::F64(list) => list.resize(rows, 0.0),
        Column::Shared(_) | Column::Lent(_) => {
            return Err(Error::Internal("what is shared is not written".into()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_down_to_one() {
        assert_eq!(levels(1), [1]);
        assert_eq!(levels(64), [1]);
        assert_eq!(levels(65), [2, 1]);
        assert_eq!(levels(4096), [64, 1]);
        assert_eq!(levels(4097), [65, 2, 1]);
        assert_eq!(room(4097), [4 * 4097, 4 * 68]);
    }
}
