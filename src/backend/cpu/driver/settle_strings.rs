//! Strings that elements have made, among what is settled: their bytes become arrays of words, as those of Strings are that
//! were there before.

use super::super::internal;
use super::host::{DriverState, Stop};
use super::settle::{Rows, Words};
use crate::heap::Column;
use crate::ir::settling::Bytes;
use crate::ir::{Buffer, Items};
use crate::string_layout::words_outside;
use crate::types::{ClassId, Shape};

/// Words that so many bytes are in, in a String that is made.
pub(super) const fn words_of(bytes: i64) -> usize {
    (bytes as usize).div_ceil(8)
}

impl DriverState<'_> {
    /// Room for the bytes of Strings, which are listed with their elements and where they begin.
    pub(super) fn make_bytes(
        &mut self,
        Bytes { arrays, size, .. }: &Bytes,
        strings: &[(u32, u32)],
        words: Words<'_>,
    ) -> Result<usize, Stop> {
        let lengths = strings.iter().map(|(element, start)| {
            let size = words.get(*element as usize, *start as usize + size)?;
            Ok(words_outside(size as usize) as i64)
        });
        self.make_arrays(arrays, lengths)
    }

    pub(super) fn fill_strings(
        &mut self,
        (bytes, frozen): (&Bytes, Option<Buffer>),
        strings: &[(u32, u32)],
        rows: &Rows,
        words: Words<'_>,
    ) -> Result<(), Stop> {
        let (_, first) = rows.objects[&ClassId::STRING];
        let Bytes { kind, arrays, into, size, flags, frozen: is_frozen, .. } = bytes;
        self.fill(*into, first, strings.len(), |number| {
            Ok((Shape::Array(*kind), (rows.bytes + number) as i64))
        })?;
        if let Some(frozen) = frozen {
            self.fill(Items { payload: Some(frozen), tag: None }, first, strings.len(), |number| {
                let (element, start) = strings[number];
                let flags = words.get(element as usize, start as usize + flags)?;
                Ok((Shape::Bool, i64::from(flags & is_frozen != 0)))
            })?;
        }
        let Some(values) = arrays.items.payload else { return Ok(()) };
        let mut at = self.column(arrays.offset).bits(rows.bytes) as usize;
        let Column::I64(all) = &mut self.session.store().columns_mut()[values.0 as usize] else {
            return Err(internal("the bytes of Strings are no words").into());
        };
        for (element, start) in strings {
            let (element, start) = (*element as usize, *start as usize);
            let size = words.get(element, start + size)?;
            for word in 0..words_of(size) {
                all[at + word] = words.get(element, start + bytes.words + word)?;
            }
            // What is behind the bytes is zeros.
            at += words_outside(size as usize);
        }
        Ok(())
    }
}
