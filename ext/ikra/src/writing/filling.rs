//! New arrays of results: the array of a result is as long as it gets from the beginning, and its memory is filled by
//! all threads; its length is set when all items are there. What lives on the heap is nil until then, and made
//! afterwards, one after the other. `array_layout.rs` knows where items are, and tries it when the extension is loaded.

use crate::reading::base::Source;
use crate::reading::variables::BLOCK;
use crate::vm::array_layout;
use crate::vm::errors::Trouble;
use crate::vm::object_layout;
use crate::vm::value;
use crate::writing::columns;
use crate::writing::decoder::{Decoder, Values, append, immediate, immediates};
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::Column;
use ikra_core::parallel;
use ikra_core::types::Shape;
use magnus::rb_sys::AsRawValue;
use magnus::{RArray, Value, prelude::*};
use rb_sys::VALUE;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Items that one thread makes.
struct Piece {
    items: Range<usize>,
    /// Some have to be made.
    lacks: bool,
}

/// Gives some items, nil for those that have to be made; and whether there are any.
type Fill<'a> = &'a (dyn Fn(Range<usize>, &mut [MaybeUninit<VALUE>]) -> bool + Sync);

/// Makes arrays of what a run has given.
#[derive(Clone, Copy)]
pub struct Filling<'a> {
    pub decoder: Decoder<'a>,
    /// So many items they get.
    pub count: usize,
    /// The rows that these are from, if it is not all of them.
    pub selection: Option<&'a [i32]>,
}

impl Filling<'_> {
    /// The values of a column.
    pub fn values(self, values: &Values<'_>) -> Result<RArray, Trouble> {
        let selection = self.selection;
        immediates!(values, |value| {
            let made = |row| {
                let (shape, payload) = values.get(row)?;
                immediate(shape, payload).map_or_else(|| self.decoder.made(shape, payload), Ok)
            };
            self.array(&|which, items| fill(selection, which, items, value), made)
        })
    }

    /// The items of a column of the base.
    pub fn base(self, source: &Source) -> Result<Value, Trouble> {
        if let Source::Memory(snapshot) = source {
            return columns::selected(self.decoder, snapshot, self.selection);
        }
        Ok(self.items(source)?.as_value())
    }

    fn items(self, source: &Source) -> Result<RArray, Trouble> {
        let selection = self.selection;
        match source {
            Source::Items(items) => {
                // SAFETY: the array is a copy that nobody else has, and `Pinned` keeps it alive.
                let (items, count) =
                    unsafe { (rb_sys::RARRAY_CONST_PTR(items.as_raw()), rb_sys::RARRAY_LEN(items.as_raw())) };
                // SAFETY: as above; these are its items.
                let items = unsafe { std::slice::from_raw_parts(items, count as usize) };
                let item = |row: usize| items[row];
                let item = |row| Some(item(row));
                self.array(&|which, into| fill(selection, which, into, item), |row| Ok(items[row]))
            }
            Source::Series(series) => {
                let number = |row| value::fixnum(series.at(row));
                let made =
                    |row| number(row).map_or_else(|| self.decoder.made(Shape::Integer, series.at(row)), Ok);
                self.array(&|which, items| fill(selection, which, items, number), made)
            }
            Source::Memory(_) => Err(Error::Internal("a column is no array".into()).into()),
        }
    }

    /// The rows of some items.
    fn rows(self, items: Range<usize>) -> impl Iterator<Item = usize> {
        items.map(move |item| self.selection.map_or(item, |selection| selection[item] as usize))
    }

    fn pieces(self) -> Result<Vec<Piece>, NoMemory> {
        let size = parallel::chunk();
        fallible::collect((0..self.count.div_ceil(size)).map(|number| {
            let items = number * size..((number + 1) * size).min(self.count);
            Piece { items, lacks: false }
        }))
    }

    /// A new array; `made` gives the item of a row, whatever it is.
    fn array(
        self,
        fill: Fill<'_>,
        made: impl Fn(usize) -> Result<VALUE, Trouble>,
    ) -> Result<RArray, Trouble> {
        let mut pieces = self.pieces()?;
        let count = self.count;
        let array = self.decoder.ruby.ary_new_capa(count);
        let fill_all = |mut memory: &mut [MaybeUninit<VALUE>]| {
            let work = pieces.iter_mut().map(|piece| {
                let (items, rest) = std::mem::take(&mut memory).split_at_mut(piece.items.len());
                memory = rest;
                (piece, items)
            });
            parallel::each(count, work, |(piece, items)| piece.lacks = fill(piece.items.clone(), items));
        };
        // SAFETY: the array was just made. The pieces are as many items as it gets, and all are immediates or live.
        if unsafe { array_layout::fill(array.as_raw(), count, fill_all) }.is_none() {
            self.each_block(self.rows(0..count), made, |_, items| append(array, items))?;
            return Ok(array);
        }
        for piece in &pieces {
            if piece.lacks {
                self.each_block(self.rows(piece.items.clone()), &made, |first, made| {
                    // SAFETY: the array is live.
                    let items = unsafe { array_layout::items(array.as_raw()) };
                    let (items, _) = items.filter(|(_, length)| *length == count).ok_or_else(|| {
                        Error::Internal("the array of results is no longer what it was".into())
                    })?;
                    for (item, value) in (piece.items.start + first..).zip(made) {
                        // SAFETY: the array has so many items, and the value is live.
                        unsafe { object_layout::store(array.as_raw(), items.add(item), *value) };
                    }
                    Ok(())
                })?;
            }
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

/// Fills a piece of an array with the values of the items' rows; see [`Fill`].
#[inline(always)]
fn fill(
    selection: Option<&[i32]>,
    which: Range<usize>,
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
    match selection {
        None => which.for_each(write),
        Some(selection) => selection[which].iter().map(|row| *row as usize).for_each(write),
    }
    lacks
}
