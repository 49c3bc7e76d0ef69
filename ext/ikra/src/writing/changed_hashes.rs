//! Hashes that a section changes: each that is another one gets its new pairs, and stays the object that it is.
//!
//! What it was read as are arrays of keys and of values, which `grown.rs` knows how to tell from what they were. As there,
//! all that may raise is done before.

use crate::reading::hashes;
use crate::vm::errors::Trouble;
use crate::vm::gvl::insist;
use crate::vm::value;
use crate::writing::born::Pairs;
use crate::writing::decoder::Decoder;
use crate::writing::exceptions;
use crate::writing::grown;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::types::ArrayKind;
use magnus::Value;
use magnus::rb_sys::{FromRawValue, protect};
use rb_sys::VALUE;
use std::collections::BTreeMap;

/// What Hashes are to be, and what they are. All are in `Pinned`.
#[derive(Default)]
pub struct Changed(Vec<Hash>);

struct Hash {
    hash: VALUE,
    now: Pairs,
    before: Pairs,
}

/// What has been written; dropped, it is what it was before.
pub struct Written(Vec<Hash>);

impl Written {
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        for Hash { hash, before, .. } in &self.0 {
            // If there is no memory for what it held there is nothing to be done.
            let _ = insist(|| clear(*hash).and_then(|()| before.put_into(*hash)));
        }
    }
}

fn clear(hash: VALUE) -> Result<(), Trouble> {
    // SAFETY: it is kept alive by `Pinned`; what is raised ends in `protect`.
    protect(|| unsafe { rb_sys::rb_hash_clear(hash) })?;
    Ok(())
}

impl Hash {
    /// Are the keys that were there still the first ones, in their order?
    fn only_gets_more(&self) -> bool {
        // SAFETY: both are kept alive by `Pinned`, and nothing runs meanwhile.
        let (now, before) = unsafe { (value::items(self.now.keys), value::items(self.before.keys)) };
        now.starts_with(before)
    }
}

impl Changed {
    /// Gives the Hashes their pairs.
    pub fn write(self) -> Result<Written, Trouble> {
        let mut written = Written(Vec::new());
        fallible::reserve(&mut written.0, self.0.len())?;
        for changed in self.0 {
            faults::point("writing a Hash that has changed")?;
            let (hash, now) = (changed.hash, changed.now);
            let only_gets_more = changed.only_gets_more();
            written.0.push(changed);
            if !only_gets_more {
                clear(hash)?;
            }
            now.put_into(hash)?;
        }
        Ok(written)
    }
}

/// Makes what Hashes are to hold, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Changed, Trouble> {
    let mut changed = Changed::default();
    for (kind, [keys, values, _]) in &decoder.schema().hashes {
        let [keys, values] = [new_items(decoder, *keys)?, new_items(decoder, *values)?];
        let rows = decoder.pinned.arrays(kind.0).len();
        for row in (0..rows).filter(|row| keys.changed.contains_key(row) || values.changed.contains_key(row))
        {
            let Some(hash) = decoder.pinned.array(kind.0, row) else { break };
            // SAFETY: `Pinned` keeps it alive.
            let (is_frozen, object) = unsafe { (value::frozen(hash), Value::from_raw(hash)) };
            if is_frozen {
                return Err(Trouble::Raised(exceptions::frozen(decoder.ruby, object)));
            }
            let before = match decoder.heap.is_committed() {
                true => {
                    let [keys, values] = hashes::contents(hash)?;
                    decoder.pinned.hold(keys)?;
                    decoder.pinned.hold(values)?;
                    Pairs { keys, values }
                }
                false => {
                    let [keys, values] =
                        [&keys, &values].map(|items| decoder.pinned.array(items.kind.0, row));
                    let Some((keys, values)) = keys.zip(values) else { break };
                    Pairs { keys, values }
                }
            };
            let [keys, values] = [(&keys, before.keys), (&values, before.values)]
                .map(|(items, before)| items.changed.get(&row).copied().unwrap_or(before));
            let now = Pairs { keys, values };
            fallible::push(&mut changed.0, Hash { hash, now, before })?;
        }
    }
    Ok(changed)
}

/// The arrays of a kind that are others now, by number.
struct NewItems {
    kind: ArrayKind,
    changed: BTreeMap<usize, VALUE>,
}

fn new_items(decoder: Decoder<'_>, kind: ArrayKind) -> Result<NewItems, Trouble> {
    let mut items = NewItems { kind, changed: BTreeMap::new() };
    for schema in decoder.schema().arrays.iter().filter(|array| array.kind == kind) {
        grown::of_kind(decoder, schema, &mut |row, array| {
            items.changed.insert(row, array.now);
            Ok(())
        })?;
    }
    Ok(items)
}
