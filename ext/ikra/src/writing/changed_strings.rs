//! Strings that were there before the section and that it has changed: each gets its new bytes, and stays the object that it
//! is. All that may raise is done before: the new bytes are those of a String of their own, which is then taken over.

use crate::vm::errors::Trouble;
use crate::vm::gvl::insist;
use crate::vm::value;
use crate::writing::decoder::Decoder;
use crate::writing::exceptions;
use crate::writing::texts_now::{is_needed, text_now};
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::types::ClassId;
use magnus::Value;
use magnus::rb_sys::{FromRawValue, protect};
use rb_sys::VALUE;

/// What Strings are to be, and what they are. All are in `Pinned`.
#[derive(Default)]
pub struct Changed(Vec<Change>);

struct Change {
    string: VALUE,
    now: VALUE,
    before: VALUE,
}

/// What has been written; dropped, it is what it was before.
pub struct Written(Vec<Change>);

impl Written {
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        for Change { string, before, .. } in &self.0 {
            // If there is no memory for what it held there is nothing to be done.
            let _ = insist(|| replace(*string, *before));
        }
    }
}

/// Gives a String what another one holds.
pub fn replace(string: VALUE, with: VALUE) -> Result<(), Trouble> {
    // SAFETY: both are kept alive by `Pinned`; what is raised ends in `protect`.
    protect(|| unsafe { rb_sys::rb_str_replace(string, with) })?;
    Ok(())
}

impl Changed {
    /// Gives the Strings their bytes.
    pub fn write(self) -> Result<Written, Trouble> {
        let mut written = Written(Vec::new());
        fallible::reserve(&mut written.0, self.0.len())?;
        for change in self.0 {
            faults::point("writing a String that has changed")?;
            let (string, now) = (change.string, change.now);
            written.0.push(change);
            replace(string, now)?;
        }
        Ok(written)
    }
}

/// Makes what Strings are to hold, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Changed, Trouble> {
    let mut changed = Changed::default();
    if !is_needed(decoder.inferred) {
        return Ok(changed);
    }
    let (hierarchy, place) = decoder.heap.pool.place(ClassId::STRING);
    let first = decoder.heap.ids.base(hierarchy, place) as usize;
    let all = decoder.pinned.objects(ClassId::STRING);
    for (number, string) in all.iter().copied().enumerate() {
        let Some(now) = text_now(decoder, (hierarchy, first + number), string)? else { continue };
        // SAFETY: `Pinned` keeps it alive.
        if unsafe { value::frozen(string) } {
            // SAFETY: as above.
            let object = unsafe { Value::from_raw(string) };
            return Err(Trouble::Raised(exceptions::frozen(decoder.ruby, object)));
        }
        // SAFETY: as above.
        let before = protect(|| unsafe { rb_sys::rb_str_dup(string) })?;
        decoder.pinned.hold(before)?;
        fallible::push(&mut changed.0, Change { string, now, before })?;
    }
    Ok(changed)
}
