//! Items of arrays of the heap that refer to what elements have made: they get the numbers of the rows that it has now.
//! See `infer/remembered.rs`.

use super::super::internal;
use super::host::{DriverState, Stop};
use super::settle::{ARRAY_HEADER, Made, Rows, Words};
use crate::error::Error;
use crate::heap::Column;
use crate::ir::settling::RememberedRows;
use crate::types::Shape;

impl DriverState<'_> {
    /// Goes through the rows that some elements have written down.
    pub(super) fn settle_remembered(
        &mut self,
        made: &Made,
        rows: &Rows,
        words: Words<'_>,
    ) -> Result<(), Stop> {
        let driver = self.driver;
        for (list, RememberedRows { payload, tag }) in &driver.settler.plan.remembered {
            let lists = made.arrays.get(list).map_or(&[][..], Vec::as_slice);
            let mut first: Option<usize> = None;
            let columns = self.session.store().columns_mut();
            let [mut tags, mut payloads] = [tag, payload]
                .map(|buffer| std::mem::replace(&mut columns[buffer.0 as usize], Column::Bool(Vec::new())));
            let done = lists.iter().try_for_each(|(element, start)| {
                let (element, start) = (*element as usize, *start as usize);
                for number in 0..words.get(element, start + 1)? as usize {
                    let row = words.get(element, start + ARRAY_HEADER + number)? as usize;
                    if settle(&mut tags, &mut payloads, row, |word| words.referred(rows, element, word))? {
                        first = Some(first.map_or(row, |first| first.min(row)));
                    }
                }
                Ok::<_, Error>(())
            });
            let columns = self.session.store().columns_mut();
            (columns[tag.0 as usize], columns[payload.0 as usize]) = (tags, payloads);
            done?;
            for buffer in [tag, payload] {
                if let Some(row) = first {
                    self.session.changed(*buffer, row);
                }
            }
        }
        Ok(())
    }
}

/// Gives an item the row of what it refers to; false if it is no such item, or has it already.
fn settle(
    tags: &mut Column,
    payloads: &mut Column,
    row: usize,
    referred: impl Fn(i64) -> Result<(Shape, i64), Error>,
) -> Result<bool, Error> {
    let (Column::I32(tags), Column::I64(payloads)) = (tags, payloads) else {
        return Err(internal("tags and payloads are no numbers"));
    };
    let (Some(tag), Some(payload)) = (tags.get_mut(row), payloads.get_mut(row)) else {
        return Err(internal("an item that was written is not there"));
    };
    if *tag != Shape::List.tag() && *tag != Shape::Made.tag() {
        return Ok(false);
    }
    let (shape, number) = referred(*payload & i64::from(u32::MAX))?;
    (*tag, *payload) = (shape.tag(), number);
    Ok(true)
}
