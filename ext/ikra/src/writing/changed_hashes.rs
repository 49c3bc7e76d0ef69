//! Hashes that a section changes: each that is another one gets its new pairs, or its new default, and stays the object
//! that it is.
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
use magnus::rb_sys::{FromRawValue, protect};
use magnus::{Ruby, Value};
use rb_sys::VALUE;
use std::collections::BTreeMap;

/// What Hashes are to be, and what they are. All are in `Pinned`.
pub struct Changed<'a> {
    ruby: &'a Ruby,
    hashes: Vec<Hash>,
    defaults: Vec<Default>,
}

struct Hash {
    hash: VALUE,
    now: Pairs,
    before: Pairs,
}

/// Of a Hash that has been given another default.
struct Default {
    hash: VALUE,
    now: VALUE,
    before: VALUE,
    block_before: VALUE,
}

/// What has been written; dropped, it is what it was before.
pub struct Written<'a>(Changed<'a>);

impl Written<'_> {
    pub fn keep(mut self) {
        self.0.hashes.clear();
        self.0.defaults.clear();
    }
}

impl Drop for Written<'_> {
    fn drop(&mut self) {
        let Changed { ruby, hashes, defaults } = &self.0;
        // If there is no memory for what it held there is nothing to be done.
        for Default { hash, before, block_before, .. } in defaults {
            let _ = insist(|| Ok(hashes::give_default(ruby, *hash, *before, *block_before)?));
        }
        for Hash { hash, before, .. } in hashes {
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

impl<'a> Changed<'a> {
    /// Gives the Hashes their pairs and defaults.
    pub fn write(self) -> Result<Written<'a>, Trouble> {
        let Self { ruby, hashes, defaults } = self;
        let mut written = Written(Changed { ruby, hashes: Vec::new(), defaults: Vec::new() });
        fallible::reserve(&mut written.0.hashes, hashes.len())?;
        fallible::reserve(&mut written.0.defaults, defaults.len())?;
        for changed in hashes {
            faults::point("writing a Hash that has changed")?;
            let (hash, now) = (changed.hash, changed.now);
            let only_gets_more = changed.only_gets_more();
            written.0.hashes.push(changed);
            if !only_gets_more {
                clear(hash)?;
            }
            now.put_into(hash)?;
        }
        for changed in defaults {
            faults::point("writing the default of a Hash")?;
            let (hash, now) = (changed.hash, changed.now);
            written.0.defaults.push(changed);
            hashes::give_default(ruby, hash, now, value::NIL)?;
        }
        Ok(written)
    }
}

/// Makes what Hashes are to hold, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Changed<'_>, Trouble> {
    let mut changed = Changed { ruby: decoder.ruby, hashes: Vec::new(), defaults: Vec::new() };
    for (kind, [keys, values, _]) in &decoder.schema().hashes {
        let [keys, values] = [new_items(decoder, *keys)?, new_items(decoder, *values)?];
        let rows = decoder.pinned.arrays(kind.0).len();
        for row in (0..rows).filter(|row| keys.changed.contains_key(row) || values.changed.contains_key(row))
        {
            let Some(hash) = decoder.pinned.array(kind.0, row) else { break };
            refuse_frozen(decoder, hash)?;
            let before = match decoder.heap.is_committed() {
                true => {
                    let [keys, values] = hashes::contents(hash, &mut <[Vec<VALUE>; 2]>::default())?;
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
            fallible::push(&mut changed.hashes, Hash { hash, now, before })?;
        }
    }
    for (kind, given) in &decoder.schema().given_defaults {
        for (row, given) in new_items(decoder, *given)?.changed {
            let Some(hash) = decoder.pinned.array(kind.0, row) else { break };
            // SAFETY: `Pinned` keeps both alive.
            let Some(now) = unsafe { value::items(given) }.first().copied() else { continue };
            refuse_frozen(decoder, hash)?;
            let [before, block_before] =
                [hashes::default, hashes::default_block].map(|of| of(decoder.ruby, hash));
            decoder.pinned.hold(before)?;
            decoder.pinned.hold(block_before)?;
            fallible::push(&mut changed.defaults, Default { hash, now, before, block_before })?;
        }
    }
    Ok(changed)
}

fn refuse_frozen(decoder: Decoder<'_>, hash: VALUE) -> Result<(), Trouble> {
    // SAFETY: `Pinned` keeps it alive.
    let (is_frozen, object) = unsafe { (value::frozen(hash), Value::from_raw(hash)) };
    match is_frozen {
        true => Err(Trouble::Raised(exceptions::frozen(decoder.ruby, object))),
        false => Ok(()),
    }
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
