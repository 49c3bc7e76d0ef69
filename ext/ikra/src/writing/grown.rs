//! Arrays whose length a section changes: each that is another one gets its new items, and stays the object that it is.
//!
//! All that may raise is done before: the new items are those of an array of their own, which is then taken over.

use crate::vm::errors::Trouble;
use crate::vm::gvl::insist;
use crate::vm::value;
use crate::writing::decoder::{Decoder, Values};
use crate::writing::exceptions;
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::Column;
use ikra_core::heap::schema::{ArraySchema, ColumnSchema};
use ikra_core::ir::{BufferKind, Part};
use ikra_core::string_layout::WORDS;
use ikra_core::types::{Shape, Type};
use magnus::Value;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use rb_sys::VALUE;

/// What arrays are to be, and what they are. All are in `Pinned`.
#[derive(Default)]
pub struct Grown(Vec<Array>);

pub struct Array {
    pub array: VALUE,
    pub now: VALUE,
    pub before: VALUE,
}

/// What has been written; dropped, it is what it was before.
pub struct Written(Vec<Array>);

impl Written {
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        for Array { array, before, .. } in &self.0 {
            // If there is no memory for what it held there is nothing to be done.
            let _ = insist(|| replace(*array, *before));
        }
    }
}

fn replace(array: VALUE, with: VALUE) -> Result<VALUE, Trouble> {
    // SAFETY: both are kept alive by `Pinned`; what is raised ends in `protect`.
    Ok(protect(|| unsafe { rb_sys::rb_ary_replace(array, with) })?)
}

impl Grown {
    /// Gives the arrays their items.
    pub fn write(self) -> Result<Written, Trouble> {
        let mut written = Written(Vec::new());
        fallible::reserve(&mut written.0, self.0.len())?;
        for array in self.0 {
            faults::point("writing an array that has grown")?;
            let (of, now) = (array.array, array.now);
            written.0.push(array);
            replace(of, now)?;
        }
        Ok(written)
    }
}

/// Where the items of the arrays of a kind are, as they were read and as they are now.
struct Kind<'a> {
    offsets: Option<&'a Column>,
    lengths: Option<&'a Column>,
    values: Values<'a>,
    before: Values<'a>,
}

impl Kind<'_> {
    /// First item and number of items of an array that was read so.
    fn span(&self, number: usize, (offset, length): (usize, usize)) -> (usize, usize) {
        let row =
            |column: Option<&Column>, otherwise| column.map_or(otherwise, |all| all.bits(number) as usize);
        (row(self.offsets, offset), row(self.lengths, length))
    }

    fn differs(&self, (offset, length): (usize, usize), (first, count): (usize, usize)) -> bool {
        let parts = [(self.values.payload, self.before.payload), (self.values.tags, self.before.tags)];
        let differs = |(now, was): (Option<&Column>, Option<&Column>)| {
            now.is_some_and(|now| {
                let was = was.unwrap_or(now);
                (0..count).any(|item| now.bits(first + item) != was.bits(offset + item))
            })
        };
        // What nobody has written is the same in the same place.
        count != length || parts.into_iter().any(differs) || self.values.payload.is_none() && first != offset
    }
}

/// Makes what arrays are to hold, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Grown, Trouble> {
    let mut grown = Grown::default();
    let schema = decoder.schema();
    // What Hashes and Strings are read as is no array of the program's.
    let is_words = |column: &ColumnSchema, kind| {
        column.name == WORDS && column.stored.types.single() == Some(&Type::Array(kind))
    };
    let is_part = |kind| {
        schema.hashes.values().flatten().chain(schema.given_defaults.values()).any(|part| *part == kind)
            || schema.columns.iter().any(|column| is_words(column, kind))
    };
    for schema in schema.arrays.iter().filter(|array| array.grows && !is_part(array.kind)) {
        of_kind(decoder, schema, &mut |_, array| fallible::push(&mut grown.0, array))?;
    }
    Ok(grown)
}

/// Tells of the arrays of a kind that are others now, by number.
pub fn of_kind(
    decoder: Decoder<'_>,
    schema: &ArraySchema,
    tell: &mut dyn FnMut(usize, Array) -> Result<(), NoMemory>,
) -> Result<(), Trouble> {
    let kind = schema.kind;
    let spans = decoder.heap.spans_now(kind);
    let items = |part| BufferKind::ArrayValues(kind, part);
    let values = decoder.values(items, &schema.stored.types);
    let [payload, tags] = [Part::Payload, Part::Tag].map(|part| decoder.before(&items(part)));
    let before = Values { payload, tags, single: values.single };
    let [offsets, lengths] =
        [BufferKind::ArrayOffset(kind), BufferKind::ArrayLength(kind)].map(|list| decoder.buffer(&list));
    let of = Kind { offsets, lengths, values, before };
    for (number, (offset, length)) in spans.iter().enumerate() {
        let was = (*offset as usize, *length as usize);
        let (first, count) = of.span(number, was);
        if !of.differs(was, (first, count)) {
            continue;
        }
        faults::point("making the items of an array that has grown")?;
        let array = decoder.pinned.array(kind.0, number);
        let array = array.ok_or_else(|| Error::Internal("an array that has grown is lost".into()))?;
        // SAFETY: `Pinned` keeps it alive.
        let (is_frozen, object) = unsafe { (value::frozen(array), Value::from_raw(array)) };
        if is_frozen {
            return Err(Trouble::Raised(exceptions::frozen(decoder.ruby, object)));
        }
        let part = |from: usize, count: usize| -> Result<VALUE, Trouble> {
            let (from, count) = (from as std::ffi::c_long, count as std::ffi::c_long);
            // SAFETY: as above; what is beyond its end is left out.
            let part = protect(|| unsafe { rb_sys::rb_ary_subseq(array, from, count) })?;
            decoder.pinned.hold(part)?;
            Ok(part)
        };
        let before = part(0, was.1)?;
        let (payload, tags, single) = (of.values.payload, of.values.tags, of.values.single);
        let now = if payload.is_none() && tags.is_none() && single != Some(Shape::Nil) {
            // Nobody looks at the items: they are some of those that were there.
            part(first.saturating_sub(was.0), count)?
        } else {
            let now = decoder.ruby.ary_new();
            decoder.pinned.hold(now.as_raw())?;
            decoder.push_all(now, &of.values, first..first + count)?;
            decoder.fill_born()?;
            now.as_raw()
        };
        tell(number, Array { array, now, before })?;
    }
    Ok(())
}
