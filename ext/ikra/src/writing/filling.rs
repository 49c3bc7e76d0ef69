//! New arrays of results: all threads write into the memory of the array, which Ruby sees when it is full. What has to be
//! made follows one after the other, in the place of the nil that was there until then.

use crate::reading::base::Source;
use crate::reading::variables::BLOCK;
use crate::vm::array_layout;
use crate::vm::errors::Trouble;
use crate::vm::object_layout;
use crate::vm::value;
use crate::writing::decoder::{Decoder, Values, append, immediate, immediates};
use ikra_core::error::Error;
use ikra_core::fallible::{self, NoMemory};
use ikra_core::heap::{Column, RowSet};
use ikra_core::parallel;
use ikra_core::types::Shape;
use magnus::RArray;
use magnus::rb_sys::AsRawValue;
use rb_sys::VALUE;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Rows that one thread makes items of.
struct Piece {
    rows: Range<usize>,
    /// How many items these are.
    count: usize,
    /// Some have to be made.
    lacks: bool,
}

/// Gives the items of some rows, nil for those that have to be made; and whether there are any.
type Fill<'a> = &'a (dyn Fn(Range<usize>, &mut [MaybeUninit<VALUE>]) -> bool + Sync);

/// Makes arrays of what a run has given.
#[derive(Clone, Copy)]
pub struct Filling<'a> {
    pub decoder: Decoder<'a>,
    /// So many rows there are.
    pub rows: usize,
    /// The rows that are taken, if these are not all.
    pub kept: Option<&'a RowSet>,
}

impl Filling<'_> {
    /// The values of a column.
    pub fn values(self, values: &Values<'_>) -> Result<RArray, Trouble> {
        let kept = self.kept;
        immediates!(values, |value| {
            let made = |row| {
                let (shape, payload) = values.get(row)?;
                immediate(shape, payload).map_or_else(|| self.decoder.made(shape, payload), Ok)
            };
            self.array(&|rows, items| fill(kept, rows, items, value), made)
        })
    }

    /// The items of a column of the base.
    pub fn base(self, source: &Source) -> Result<RArray, Trouble> {
        let kept = self.kept;
        match source {
            Source::Items(items) => {
                // SAFETY: the array is a copy that nobody else has, and `Pinned` keeps it alive.
                let (items, count) =
                    unsafe { (rb_sys::RARRAY_CONST_PTR(items.as_raw()), rb_sys::RARRAY_LEN(items.as_raw())) };
                // SAFETY: as above; these are its items.
                let items = unsafe { std::slice::from_raw_parts(items, count as usize) };
                let item = |row: usize| items[row];
                self.array(&|rows, into| fill(kept, rows, into, |row| Some(item(row))), |row| Ok(item(row)))
            }
            Source::Series(series) => {
                let number = |row| value::fixnum(series.at(row));
                let made =
                    |row| number(row).map_or_else(|| self.decoder.made(Shape::Integer, series.at(row)), Ok);
                self.array(&|rows, items| fill(kept, rows, items, number), made)
            }
        }
    }

    fn taken(self, rows: Range<usize>) -> impl Iterator<Item = usize> {
        rows.filter(move |row| self.kept.is_none_or(|kept| kept.contains(*row)))
    }

    fn pieces(self) -> Result<Vec<Piece>, NoMemory> {
        let size = parallel::chunk();
        fallible::collect((0..self.rows.div_ceil(size)).map(|number| {
            let rows = number * size..((number + 1) * size).min(self.rows);
            let count = self.kept.map_or(rows.len(), |kept| kept.count(rows.clone()));
            Piece { rows, count, lacks: false }
        }))
    }

    /// A new array; `made` gives the item of a row, whatever it is.
    fn array(
        self,
        fill: Fill<'_>,
        made: impl Fn(usize) -> Result<VALUE, Trouble>,
    ) -> Result<RArray, Trouble> {
        let mut pieces = self.pieces()?;
        let count = pieces.iter().map(|piece| piece.count).sum();
        let array = self.decoder.ruby.ary_new_capa(count);
        let fill_all = |mut memory: &mut [MaybeUninit<VALUE>]| {
            let work = pieces.iter_mut().map(|piece| {
                let (items, rest) = std::mem::take(&mut memory).split_at_mut(piece.count);
                memory = rest;
                (piece, items)
            });
            parallel::each(count, work, |(piece, items)| piece.lacks = fill(piece.rows.clone(), items));
        };
        // SAFETY: the array was just made. The pieces are as many items as it gets, and all are immediates or live.
        if unsafe { array_layout::fill(array.as_raw(), count, fill_all) }.is_none() {
            self.each_block(self.taken(0..self.rows), made, |_, items| append(array, items))?;
            return Ok(array);
        }
        let mut start = 0;
        for piece in &pieces {
            if piece.lacks {
                self.each_block(self.taken(piece.rows.clone()), &made, |first, made| {
                    // SAFETY: the array is live.
                    let items = unsafe { array_layout::items(array.as_raw()) };
                    let (items, _) = items.filter(|(_, length)| *length == count).ok_or_else(|| {
                        Error::Internal("the array of results is no longer what it was".into())
                    })?;
                    for (item, value) in (start + first..).zip(made) {
                        // SAFETY: the array has so many items, and the value is live.
                        unsafe { object_layout::store(array.as_raw(), items.add(item), *value) };
                    }
                    Ok(())
                })?;
            }
            start += piece.count;
        }
        Ok(array)
    }

    /// Makes the items of some rows, and calls `f` with some of them at a time and the place of the first.
    fn each_block(
        self,
        mut rows: impl Iterator<Item = usize>,
        made: impl Fn(usize) -> Result<VALUE, Trouble>,
        mut f: impl FnMut(usize, &[VALUE]) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let mut block = [value::NIL; BLOCK];
        let block = black_box(&mut block);
        let mut first = 0;
        loop {
            let mut count = 0;
            for (slot, row) in block.iter_mut().zip(&mut rows) {
                *slot = made(row)?;
                count += 1;
            }
            f(first, &block[..count])?;
            if count < BLOCK {
                return Ok(());
            }
            first += count;
        }
    }
}

/// Fills a piece of an array with the values of some rows, of those kept if these are not all; see [`Fill`].
#[inline(always)]
fn fill(
    kept: Option<&RowSet>,
    rows: Range<usize>,
    items: &mut [MaybeUninit<VALUE>],
    value: impl Fn(usize) -> Option<VALUE>,
) -> bool {
    let mut lacks = false;
    let mut items = items.iter_mut();
    let write = |row| {
        let value = value(row);
        lacks |= value.is_none();
        items.next().map(|item| item.write(value.unwrap_or(value::NIL)));
    };
    match kept {
        None => rows.for_each(write),
        Some(kept) => kept.rows(rows).for_each(write),
    }
    lacks
}
