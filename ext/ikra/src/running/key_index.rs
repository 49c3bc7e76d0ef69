//! The index of the keys of Hashes (`BufferKind::KeyIndex`): an open-addressing table for each, twice as long as there
//! are keys, in which the host puts away each key by its hash.
//!
//! Compiled code computes the same hash (`ikra_core::hashing`, `#hash` in `builtins/kernel.rs`) and compares as `uniq`
//! does, so `1` and `1.0` are two keys, `0.0` and `-0.0` are one. The index is only made for programs that look up.
//! Nothing of it can change, and a section that writes what makes up keys is refused. That Ruby finds the keys that it
//! should find (an array may have changed since it was put there) the host asks Ruby, and NaN, which is a key by
//! identity, ends the section.

use crate::reading::column_builder::{ColumnBuilder, split_object};
use crate::reading::hashes;
use crate::reading::ids::Ids;
use crate::reading::strings;
use crate::reading::tracer::Tracer;
use crate::vm::dates;
use crate::vm::errors::Trouble;
use crate::vm::value;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::hashing;
use ikra_core::infer::Inferred;
use ikra_core::ir::{BufferInfo, BufferKind, Part};
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, Type};
use magnus::rb_sys::{FromRawValue, protect};
use magnus::{Ruby, Value};
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::ffi::CStr;
use std::hint::black_box;
use std::ops::Range;

/// The slots for all arrays of a kind, which are the keys of Hashes. See `BufferKind::KeyIndex`.
pub fn build(tracer: &Tracer<'_>, ids: &Ids, kind: ArrayKind) -> Result<Vec<i32>, Trouble> {
    let mut slots = Vec::new();
    let Some(elements) = tracer.elements.get(kind.0 as usize) else { return Ok(slots) };
    fallible::resize(&mut slots, 2 * elements.builder.len() + 1, 0)?;
    let mut hasher = Hasher { tracer, ids, members: FxHashMap::default(), has_nan: false, depth: 0 };
    let mut last = None;
    for span in &elements.spans {
        // Hashes with the same keys share them.
        if last.replace(span) == Some(span) {
            continue;
        }
        let (offset, length) = (span.0 as usize, span.1 as usize);
        let own = &mut slots[2 * offset..2 * (offset + length)];
        for item in 0..length {
            let hash = hasher.hash(&elements.builder, offset + item);
            let mut slot = hashing::slot(hash, own.len());
            while own[slot] != 0 {
                slot = if slot + 1 == own.len() { 0 } else { slot + 1 };
            }
            own[slot] = item as i32 + 1;
        }
    }
    if hasher.has_nan {
        return Err(Trouble::Unsupported {
            message: "NaN is among the keys of a Hash: which NaN is which is not known in a section \
                      [unsupported-key]"
                .into(),
            hint: "take it out before the section".into(),
        });
    }
    check(tracer, kind, &|_| true)?;
    Ok(slots)
}

/// The slots of the Hashes that the section changes, as `core/text/array_keys.rb` lays them out: elements that only look
/// keys up would write them otherwise. Of few keys there are none, and none of those that may have a `hash` of their own:
/// the section makes them where it does. Arrays among the keys that
/// have changed since they were put there are refused here, too.
pub fn fill_slots(tracer: &mut Tracer<'_>, ids: &Ids, inferred: &Inferred) -> Result<(), Trouble> {
    for [keys, _, slots] in inferred.schema.hashes.values() {
        let is_read = |info: &BufferInfo| info.kind == BufferKind::ArrayValues(*slots, Part::Payload);
        check(tracer, *keys, &|key| asks_nobody(key, 0))?;
        let [keys, slots] = [keys, slots].map(|kind| kind.0 as usize);
        if tracer.elements.len() <= keys.max(slots) || !inferred.program.buffers.iter().any(is_read) {
            continue;
        }
        let mut filled = std::mem::take(&mut tracer.elements[slots]);
        let of_keys = &tracer.elements[keys];
        for (span, (offset, length)) in filled.spans.iter_mut().zip(&of_keys.spans) {
            let rows = *offset as usize..(*offset + *length) as usize;
            if rows.len() < 16
                || span.1 != 0
                || !rows.clone().all(|row| is_plain(tracer, &of_keys.builder, row))
            {
                continue;
            }
            let first = filled.builder.len();
            let own = slots_of(tracer, ids, &of_keys.builder, rows)?;
            filled.builder.reserve(own.len())?;
            own.iter().for_each(|number| filled.builder.push_integer(i64::from(*number)));
            let place = |at: usize| u32::try_from(at).map_err(|_| NoMemory(at));
            *span = (place(first)?, place(own.len())?);
        }
        tracer.elements[slots] = filled;
    }
    Ok(())
}

/// Twice as many slots as there will soon be keys, how many pairs are dead, and the number before the first one's.
fn slots_of(
    tracer: &Tracer<'_>,
    ids: &Ids,
    keys: &ColumnBuilder,
    rows: Range<usize>,
) -> Result<Vec<i32>, Trouble> {
    let mut hasher = Hasher { tracer, ids, members: FxHashMap::default(), has_nan: false, depth: 0 };
    let count = (rows.len() * 8).next_power_of_two().max(64);
    let mut own = Vec::new();
    fallible::resize(&mut own, count + 2, 0)?;
    for (number, row) in (1..).zip(rows) {
        let mut slot = hasher.hash(keys, row) as usize & (count - 1);
        while own[slot] != 0 {
            slot = (slot + 1) & (count - 1);
        }
        own[slot] = number;
    }
    Ok(own)
}

/// Is the key of a class of Ruby's whose objects are told apart by what they hold, and no NaN?
fn is_plain(tracer: &Tracer<'_>, keys: &ColumnBuilder, row: usize) -> bool {
    match Shape::of_tag(keys.tag(row)) {
        Some(Shape::Nil | Shape::Bool | Shape::Integer | Shape::Symbol) => true,
        Some(Shape::Float) => !f64::from_bits(keys.payload[row] as u64).is_nan(),
        Some(Shape::Object(hierarchy)) => {
            let (place, _) = split_object(keys.payload[row]);
            tracer.pool.of_hierarchy(hierarchy).get(place as usize) == Some(&ClassId::STRING)
        }
        _ => false,
    }
}

/// Does each Hash find its own keys? Not where one has changed since it was put there.
fn check(tracer: &Tracer<'_>, kind: ArrayKind, is_asked: &dyn Fn(VALUE) -> bool) -> Result<(), Trouble> {
    let number = kind.0 as usize;
    let is_other = |ty: &Type| match ty {
        Type::Object(_, class) => *class != ClassId::STRING,
        ty => matches!(ty.shape(), Shape::Array(_)),
    };
    if tracer.asked.elements.get(number) == Some(&true)
        && let Some(read) = tracer.elements.get(number)
        && !read.builder.seen().types().iter().any(is_other)
    {
        return Ok(());
    }
    let Some(hashes) = tracer.asked.kinds.hashes_with_keys(kind) else { return Ok(()) };
    let mut scratch = Default::default();
    for row in 0.. {
        let Some(hash) = tracer.pinned.array(hashes.0, row) else { break };
        let [keys, values] = black_box(hashes::contents(hash, &mut scratch)?);
        let mut at = 0;
        loop {
            // SAFETY: listed arrays are live, and nothing runs before the items are copied.
            let pair =
                unsafe { value::items(keys).get(at).copied().zip(value::items(values).get(at).copied()) };
            let Some((key, expected)) = pair else { break };
            at += 1;
            if !may_change(key) || !is_asked(key) {
                continue;
            }
            // SAFETY: all are live. What it asks of the keys that are compared by what they hold is Ruby's own.
            let found = protect(|| unsafe { rb_sys::rb_hash_lookup2(hash, key, rb_sys::Qundef as VALUE) })?;
            if found != expected {
                return Err(Trouble::Unsupported {
                    message: "a key of a Hash has changed since it was put there, so Ruby does not find it \
                              [unsupported-key]"
                        .into(),
                    hint: "call rehash on the Hash before the section".into(),
                });
            }
        }
    }
    Ok(())
}

/// Is the key one that Ruby compares by what it holds, and that may hold something else by now?
fn may_change(key: VALUE) -> bool {
    use rb_sys::ruby_value_type as t;
    // SAFETY: what is no special constant is a live object.
    !rb_sys::SPECIAL_CONST_P(key)
        && unsafe { matches!(rb_sys::RB_BUILTIN_TYPE(key), t::RUBY_T_ARRAY | t::RUBY_T_STRUCT) }
}

/// Is it an array, or a Struct, of what is hashed without code of the user's?
fn asks_nobody(key: VALUE, depth: u32) -> bool {
    use rb_sys::ruby_value_type as t;
    if rb_sys::SPECIAL_CONST_P(key) {
        return true;
    }
    // SAFETY: what is no special constant is a live object, and nothing runs before the items are looked at.
    unsafe {
        match rb_sys::RB_BUILTIN_TYPE(key) {
            t::RUBY_T_STRING => rb_sys::rb_obj_class(key) == rb_sys::rb_cString,
            t::RUBY_T_FLOAT | t::RUBY_T_SYMBOL | t::RUBY_T_BIGNUM => true,
            t::RUBY_T_COMPLEX | t::RUBY_T_RATIONAL => true,
            t::RUBY_T_DATA => is_date(key),
            t::RUBY_T_ARRAY => {
                let is_own = rb_sys::rb_obj_class(key) == rb_sys::rb_cArray;
                is_own
                    && depth < DEEPEST
                    && value::items(key).iter().all(|item| asks_nobody(*item, depth + 1))
            }
            t::RUBY_T_STRUCT => {
                let class = rb_sys::rb_obj_class(key);
                let is_own = |name: &CStr| {
                    rb_sys::rb_method_basic_definition_p(class, rb_sys::rb_intern(name.as_ptr())) != 0
                };
                let size = value::fixnum_value(rb_sys::rb_struct_size(key)) as VALUE;
                is_own(c"hash")
                    && is_own(c"eql?")
                    && depth < DEEPEST
                    && (0..size).all(|at| asks_nobody(rb_sys::rb_struct_aref(key, (at << 1) | 1), depth + 1))
            }
            _ => false,
        }
    }
}

/// An object of the class that has no way of its own to tell them apart, or the section would ask that.
fn is_date(key: VALUE) -> bool {
    // SAFETY: `key` is live.
    let ruby = &Ruby::get_with(unsafe { Value::from_raw(key) });
    // SAFETY: as above.
    dates::known(ruby).is_some_and(|dates| dates.class() == unsafe { rb_sys::rb_obj_class(key) })
}

struct Hasher<'t, 'a> {
    tracer: &'t Tracer<'a>,
    ids: &'t Ids,
    /// The columns of the members of a Struct, where all are read; by hierarchy and place.
    members: FxHashMap<(HierarchyId, u32), Option<Vec<usize>>>,
    has_nan: bool,
    depth: u32,
}

/// Keys that code can look up are never so deep.
const DEEPEST: u32 = 64;

impl Hasher<'_, '_> {
    /// As `builtins/kernel.rs` has it.
    fn hash(&mut self, of: &ColumnBuilder, row: usize) -> i64 {
        if self.depth == DEEPEST {
            return 0;
        }
        self.depth += 1;
        let hash = self.hash_of(of, row);
        self.depth -= 1;
        hash
    }

    fn hash_of(&mut self, of: &ColumnBuilder, row: usize) -> i64 {
        let payload = of.payload[row];
        match Shape::of_tag(of.tag(row)) {
            Some(Shape::Integer | Shape::Symbol | Shape::Bool | Shape::Module) => hashing::mix(payload),
            Some(Shape::Float) => {
                let float = f64::from_bits(payload as u64);
                self.has_nan |= float.is_nan();
                hashing::of_float(float)
            }
            Some(Shape::Array(kind)) => {
                let Some(elements) = self.tracer.elements.get(kind.0 as usize) else { return 0 };
                let Some((offset, length)) = elements.spans.get(payload as usize).copied() else { return 0 };
                let (offset, end) = (offset as usize, (offset + length) as usize);
                if end > elements.builder.len() {
                    return 0;
                }
                hashing::of_sequence((offset..end).map(|item| self.hash(&elements.builder, item)))
            }
            Some(Shape::Object(hierarchy)) => self.object(hierarchy, payload),
            _ => hashing::mix(0),
        }
    }

    fn object(&mut self, hierarchy: HierarchyId, payload: i64) -> i64 {
        let (place, row) = split_object(payload);
        let class = self.tracer.pool.of_hierarchy(hierarchy).get(place as usize).copied();
        if class == Some(ClassId::STRING)
            && let Some(string) = self.tracer.pinned.objects(ClassId::STRING).get(row as usize)
        {
            // SAFETY: listed objects are live, and nothing runs meanwhile.
            return hashing::of_bytes(unsafe { strings::bytes(*string) });
        }
        let members = match self.members.get(&(hierarchy, place)) {
            Some(members) => members.clone(),
            None => {
                let members = self.columns(hierarchy, place);
                self.members.insert((hierarchy, place), members.clone());
                members
            }
        };
        match members {
            Some(columns) => {
                let columns: Vec<_> = columns.iter().map(|column| &self.tracer.columns[*column]).collect();
                if columns.iter().any(|column| column.len() <= row as usize) {
                    return 0;
                }
                hashing::of_sequence(columns.into_iter().map(|column| self.hash(column, row as usize)))
            }
            None => hashing::mix(i64::from(self.ids.base(hierarchy, place) + row)),
        }
    }

    /// The columns of a Struct's members; `None` for what is no Struct, or is not compared by its members.
    fn columns(&self, hierarchy: HierarchyId, place: u32) -> Option<Vec<usize>> {
        let pool = &self.tracer.pool;
        let class = *pool.of_hierarchy(hierarchy).get(place as usize)?;
        let members = pool.members(class);
        if members.is_empty() {
            return None;
        }
        let asked = &self.tracer.asked;
        let column = |name: &String| {
            asked.columns.iter().position(|(variable, of)| {
                let variable = &asked.variables[*variable as usize];
                *of == class && variable.hierarchy == hierarchy && variable.name == *name
            })
        };
        members.iter().map(column).collect()
    }
}
