//! What elements have pushed to arrays of the heap, which they only wrote down: it comes behind the items of these when
//! all elements have run, in the order of the base. See `infer/pushing.rs`.

use super::super::internal;
use super::host::{DriverState, MOST_ROWS, Stop};
use super::settle::{ARRAY_HEADER, Made, Rows, Words, too_many};
use crate::error::Error;
use crate::fallible;
use crate::heap::Column;
use crate::ir::Buffer;
use crate::ir::settling::Log;
use crate::types::{ListKind, Shape};

/// An item that an element pushes to the arrays of a log.
pub(super) struct Pushed {
    element: u32,
    log: ListKind,
    array: i32,
    item: (Shape, i64),
}

impl DriverState<'_> {
    /// Notes what some elements push, of which all that they have made has rows.
    pub(super) fn note_pushed(&mut self, made: &Made, rows: &Rows, words: Words<'_>) -> Result<(), Stop> {
        let driver = self.driver;
        for (number, log) in &driver.settler.plan.logs {
            let (Some(arrays), Some(items)) = (made.arrays.get(&log.arrays), made.arrays.get(number)) else {
                continue;
            };
            for ((element, of_arrays), (_, of_items)) in arrays.iter().zip(items) {
                let [of_arrays, of_items] = [*of_arrays, *of_items].map(|start| start as usize);
                let count = words.get(*element as usize, of_items + 1)? as usize;
                fallible::reserve(&mut self.pushed, count)?;
                for item in 0..count {
                    let array = words.get(*element as usize, of_arrays + ARRAY_HEADER + item)? as i32;
                    let at = of_items + ARRAY_HEADER + item * log.width;
                    let item = words.held(rows, (*element as usize, at), log.items.form)?;
                    self.pushed.push(Pushed { element: *element, log: *number, array, item });
                }
            }
        }
        Ok(())
    }

    /// Pushes what has been noted.
    pub(super) fn push_all(&mut self) -> Result<(), Stop> {
        if self.pushed.is_empty() {
            return Ok(());
        }
        let mut pushed = std::mem::take(&mut self.pushed);
        // Rounds have come one after the other; of an element it stays as it was.
        pushed.sort_by_key(|item| item.element);
        let driver = self.driver;
        for (number, log) in &driver.settler.plan.logs {
            let mut columns = Columns::take(self, log)?;
            let mut items = pushed.iter().filter(|item| item.log == *number);
            let done = items.try_for_each(|item| columns.push(item));
            columns.put_back(self, log);
            done?;
        }
        Ok(())
    }
}

/// The columns of the arrays of a log.
struct Columns {
    offsets: Vec<i32>,
    lengths: Vec<i32>,
    rooms: Vec<i32>,
    /// Where room is left, and where that ends.
    ends: Vec<i64>,
    tags: Option<Column>,
    payload: Option<Column>,
}

impl Columns {
    fn take(state: &mut DriverState<'_>, log: &Log) -> Result<Self, Error> {
        let mut take = |buffer: Buffer| {
            state.change(buffer, 0, true).map(|column| std::mem::replace(column, Column::Bool(Vec::new())))
        };
        let mut numbers = |buffer: Buffer| match take(buffer)? {
            Column::I32(list) => Ok(list),
            _ => Err(internal("numbers of arrays are none")),
        };
        let (offsets, lengths) = (numbers(log.into.offset)?, numbers(log.into.length)?);
        let rooms = numbers(log.room)?;
        let Column::I64(ends) = take(log.ends)? else {
            return Err(internal("ends of arrays are no numbers"));
        };
        let tags = log.into.items.tag.map(&mut take).transpose()?;
        let payload = log.into.items.payload.map(&mut take).transpose()?;
        Ok(Self { offsets, lengths, rooms, ends, tags, payload })
    }

    fn put_back(self, state: &mut DriverState<'_>, log: &Log) {
        let columns = state.session.store().columns_mut();
        let mut put = |buffer: Buffer, column| columns[buffer.0 as usize] = column;
        put(log.into.offset, Column::I32(self.offsets));
        put(log.into.length, Column::I32(self.lengths));
        put(log.room, Column::I32(self.rooms));
        put(log.ends, Column::I64(self.ends));
        let items = [(log.into.items.tag, self.tags), (log.into.items.payload, self.payload)];
        for (buffer, column) in items {
            if let (Some(buffer), Some(column)) = (buffer, column) {
                put(buffer, column);
            }
        }
    }

    fn push(&mut self, pushed: &Pushed) -> Result<(), Stop> {
        let array = pushed.array as usize;
        if array >= self.lengths.len() {
            return Err(internal("an array to push to is not there").into());
        }
        if self.lengths[array] >= self.rooms[array] {
            self.make_room(array)?;
        }
        let at = (self.offsets[array] + self.lengths[array]) as usize;
        let (shape, payload) = pushed.item;
        if let Some(tags) = &mut self.tags {
            tags.set_bits(at, shape.tag().into());
        }
        if let Some(items) = &mut self.payload {
            items.set_bits(at, payload);
        }
        self.lengths[array] += 1;
        Ok(())
    }

    /// Twice as much room for an array, elsewhere.
    fn make_room(&mut self, array: usize) -> Result<(), Stop> {
        let length = self.lengths[array] as usize;
        let room = 2 * length + 4;
        if self.ends[0] + room as i64 > self.ends[1] {
            let items = [&mut self.tags, &mut self.payload].into_iter().flatten();
            let mut first = 0;
            for column in items {
                // A filler stands behind all items.
                first = column.len().max(1) - 1;
                let more = room + first;
                if first + more >= MOST_ROWS {
                    return Err(too_many("items of arrays"));
                }
                column.try_reserve(more)?;
                column.extend_zeros(more);
            }
            self.ends = vec![first as i64, (2 * first + room) as i64];
        }
        let to = self.ends[0] as usize;
        self.ends[0] += room as i64;
        let from = self.offsets[array] as usize;
        for column in [&mut self.tags, &mut self.payload].into_iter().flatten() {
            for item in 0..length {
                let bits = column.bits(from + item);
                column.set_bits(to + item, bits);
            }
        }
        (self.offsets[array], self.rooms[array]) = (to as i32, room as i32);
        Ok(())
    }
}
