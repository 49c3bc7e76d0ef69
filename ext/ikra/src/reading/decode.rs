//! Values → tags and payloads, as far as that takes nothing of Ruby but memory: any thread may do it while Ruby does not
//! run. What is not known yet (a class, a Symbol, a kind of arrays) is left to the tracer.

use crate::reading::column_builder::{ColumnBuilder, Part, object_payload};
use crate::reading::symbols::Symbols;
use crate::reading::visited::{Slot, Sort, VisitedSet, Word};
use crate::vm::hash_layout;
use crate::vm::pinned::{self, Lists};
use crate::vm::value;
use ikra_core::error::NoMemory;
use ikra_core::types::{ArrayKind, ClassId, Collection, HashSort, HierarchyId};
use rb_sys::VALUE;
use rustc_hash::FxHashMap;

/// Whether all values of a group are alike is one question without branches.
const GROUP: usize = 64;
const SMALL_GROUP: usize = 4;
/// So many values ahead, an object is fetched into the processor's cache.
const AHEAD: usize = 12;

/// What is known of values before they are looked at.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub visited: &'a VisitedSet,
    /// Classes of objects by class pointer.
    pub pointers: &'a FxHashMap<VALUE, ClassId>,
    /// Classes and modules that have been met as values.
    pub modules: &'a FxHashMap<VALUE, ClassId>,
    /// By class: its hierarchy, and its place there.
    pub places: &'a [Option<(HierarchyId, u32)>],
    pub symbols: &'a Symbols,
    /// Of the arrays that are met here, if any was met.
    pub kind: Option<ArrayKind>,
    /// Ruby's class Array.
    pub array: VALUE,
    /// Ruby's class Hash, and the kind of the Hashes that are met here which look up as most do, if any was met.
    pub hash: (VALUE, Option<ArrayKind>),
    /// Ruby's class Float, and what reads one that is on the heap.
    pub float: (VALUE, unsafe fn(VALUE) -> f64),
    /// Nothing is looked up: what is on the heap is known if it is a Float, or was there before.
    pub is_recalled: bool,
    pub before: Option<&'a Before>,
}

/// The words that were read at a place in a call before, and what they came to: objects, arrays, and what a word tells
/// itself. A reference of then has to be there still.
#[derive(Debug)]
pub struct Before {
    pub words: Vec<VALUE>,
    pub read: ColumnBuilder,
}

impl Before {
    /// Can a value be read that stands in this row, if it is no object?
    pub fn lets_in(&self, row: usize) -> bool {
        self.words.get(row).is_none_or(|word| rb_sys::SPECIAL_CONST_P(*word))
    }
}

/// Who enters what is met for the first time.
pub trait Enter {
    /// `word` is what the slot holds, which is not present. Gives what it holds then: something present, or a claim, for
    /// which [`Enter::later`] is called; `None`: it is for the tracer.
    fn enter(
        &mut self,
        value: VALUE,
        slot: Slot<'_>,
        word: Word,
        sort: Sort,
    ) -> Result<Option<Word>, NoMemory>;

    /// The value that is put next is a claim for now.
    fn later(&mut self) {}

    /// So many values were put.
    fn advance(&mut self, count: usize);
}

/// Where nothing is looked up.
pub struct NoneEntered;

impl Enter for NoneEntered {
    fn enter(&mut self, _: VALUE, _: Slot<'_>, _: Word, _: Sort) -> Result<Option<Word>, NoMemory> {
        Ok(None)
    }

    #[inline]
    fn advance(&mut self, _: usize) {}
}

/// Where there is one thread: what is new gets the next row at once.
pub struct InOrder<'a> {
    pub objects: &'a mut Lists,
    pub arrays: &'a mut Lists,
}

impl Enter for InOrder<'_> {
    #[inline]
    fn enter(&mut self, value: VALUE, slot: Slot<'_>, _: Word, sort: Sort) -> Result<Option<Word>, NoMemory> {
        let row = match sort {
            Sort::Object(class) => pinned::add(self.objects, class.0, value)?,
            Sort::Array(kind) => pinned::add(self.arrays, kind.0, value)?,
        };
        let word = Word::present(sort, row);
        slot.set(word);
        Ok(Some(word))
    }

    #[inline]
    fn advance(&mut self, _: usize) {}
}

/// The place that payloads of this sort have in front of the row.
pub fn place(places: &[Option<(HierarchyId, u32)>], sort: Sort) -> u32 {
    match sort {
        Sort::Array(_) => 0,
        Sort::Object(class) => places.get(class.0 as usize).copied().flatten().map_or(0, |(_, place)| place),
    }
}

impl Known<'_> {
    /// Decodes the leading values that are known; gives how many.
    pub fn decode(
        &self,
        values: &[VALUE],
        into: &mut Part<'_>,
        enter: &mut impl Enter,
    ) -> Result<usize, NoMemory> {
        if let Some(before) = self.before {
            return self.again(before, values, into, enter);
        }
        let mut at = 0;
        // Where values of several sorts follow each other, as in records, less is asked at once.
        let mut size = GROUP;
        while at < values.len() {
            let rest = &values[at..];
            let count = if rb_sys::SPECIAL_CONST_P(rest[0]) {
                let group = &rest[..rest.len().min(size)];
                let count = self.immediates(group, into)?;
                size = if count == group.len() { GROUP.min(2 * size) } else { SMALL_GROUP };
                enter.advance(count);
                count
            } else if self.is_recalled {
                self.floats(rest, into)?
            } else {
                self.objects(rest, into, enter)?
            };
            if count == 0 {
                return Ok(at);
            }
            at += count;
        }
        Ok(at)
    }

    /// The leading values of a group that need no heap.
    fn immediates(&self, group: &[VALUE], into: &mut Part<'_>) -> Result<usize, NoMemory> {
        let all = |fits: fn(VALUE) -> bool| group.iter().fold(true, |all, value| all & fits(*value));
        let bits_of = |value: &VALUE| match value::is_flonum(*value) {
            true => (true, value::flonum_bits(*value)),
            false => (false, value::fixnum_value(*value)),
        };
        let first = group[0];
        if value::is_fixnum(first) && all(value::is_fixnum) {
            into.put_integers(group.iter().map(|value| value::fixnum_value(*value)))?;
            return Ok(group.len());
        }
        if value::is_flonum(first) && all(value::is_flonum) {
            into.put_floats(group.iter().map(|value| value::flonum_bits(*value)))?;
            return Ok(group.len());
        }
        let second = group.get(1).copied().unwrap_or(first);
        if value::is_number(first) && value::is_number(second) && all(value::is_number) {
            into.put_numbers(group.iter().map(bits_of))?;
            return Ok(group.len());
        }
        for (index, &value) in group.iter().enumerate() {
            if value::is_fixnum(value) {
                into.put_integer(value::fixnum_value(value))?;
            } else if value::is_flonum(value) {
                into.put_float(f64::from_bits(value::flonum_bits(value) as u64))?;
            } else {
                match value {
                    value::NIL => into.put_nil()?,
                    value::TRUE => into.put_bool(true)?,
                    value::FALSE => into.put_bool(false)?,
                    _ if !rb_sys::SPECIAL_CONST_P(value) => return Ok(index),
                    symbol => match self.symbols.find(symbol) {
                        Some(number) => into.put_symbol(number)?,
                        None => return Ok(index),
                    },
                }
            }
        }
        Ok(group.len())
    }

    /// The leading values that are known where references are those of a call before.
    fn again(
        &self,
        before: &Before,
        values: &[VALUE],
        into: &mut Part<'_>,
        enter: &mut impl Enter,
    ) -> Result<usize, NoMemory> {
        let first = into.at();
        let rows = first..first + values.len();
        if before.words.get(rows.clone()) == Some(values) && into.put_read(&before.read, rows)? {
            enter.advance(values.len());
            return Ok(values.len());
        }
        for (index, &value) in values.iter().enumerate() {
            let row = first + index;
            if rb_sys::SPECIAL_CONST_P(value) {
                if !before.lets_in(row) || self.immediates(&[value], into)? == 0 {
                    return Ok(index);
                }
            } else if before.words.get(row) == Some(&value) {
                into.put_one(&before.read, row)?;
            } else if !before.lets_in(row) || self.floats(&[value], into)? == 0 {
                return Ok(index);
            }
            enter.advance(1);
        }
        Ok(values.len())
    }

    /// The leading Floats that are on the heap.
    fn floats(&self, values: &[VALUE], into: &mut Part<'_>) -> Result<usize, NoMemory> {
        for (index, &value) in values.iter().enumerate() {
            // SAFETY: the value was just read from a live object.
            if rb_sys::SPECIAL_CONST_P(value) || unsafe { value::class_pointer(value) } != self.float.0 {
                return Ok(index);
            }
            // SAFETY: Float has no subclass, and no other object its class.
            into.put_float(unsafe { (self.float.1)(value) })?;
        }
        Ok(values.len())
    }

    /// The leading values that are on the heap.
    fn objects(
        &self,
        values: &[VALUE],
        into: &mut Part<'_>,
        enter: &mut impl Enter,
    ) -> Result<usize, NoMemory> {
        // The class met last, and the sort put last: mostly the next is the same.
        let mut met = (0, Sort::Object(ClassId::NIL));
        let mut put: Option<(Sort, i32, u32)> = None;
        for (index, &value) in values.iter().enumerate() {
            if let Some(later) = values.get(index + AHEAD) {
                value::prefetch(*later as *const VALUE);
            }
            // Objects in the order of creation are ready anyway.
            if let Some(soon) = values.get(index + AHEAD / 2).filter(|soon| (**soon ^ value) >> 12 != 0) {
                self.visited.prefetch(*soon);
            }
            if rb_sys::SPECIAL_CONST_P(value) {
                return Ok(index);
            }
            let slot = self.visited.slot(value)?;
            let mut word = slot.word();
            let sort = if word != Word::EMPTY {
                word.sort()
            } else {
                // SAFETY: the value was just read from a live object.
                let pointer = unsafe { value::class_pointer(value) };
                if pointer == self.hash.0 {
                    // Others of the class may look up in other ways.
                    // SAFETY: as above; it is a Hash.
                    match self.hash.1.filter(|_| unsafe { hash_layout::is_plain(value) }) {
                        Some(kind) => met = (0, Sort::Array(kind)),
                        None => return Ok(index),
                    }
                } else if pointer != met.0 {
                    let sort = match self.pointers.get(&pointer) {
                        Some(class) => Sort::Object(*class),
                        None if pointer == self.float.0 => {
                            // SAFETY: Float has no subclass, and no other object its class.
                            into.put_float(unsafe { (self.float.1)(value) })?;
                            enter.advance(1);
                            continue;
                        }
                        None => match (self.kind, self.modules.get(&value)) {
                            (_, Some(module)) => {
                                into.put_module(*module)?;
                                enter.advance(1);
                                continue;
                            }
                            (Some(kind), None) if pointer == self.array => Sort::Array(kind),
                            _ => return Ok(index),
                        },
                    };
                    met = (pointer, sort);
                }
                met.1
            };
            let (_, tag, place) = match put {
                Some(put @ (same, ..)) if same == sort => put,
                _ => {
                    let Some((tag, place)) = self.note(sort, into) else { return Ok(index) };
                    *put.insert((sort, tag, place))
                }
            };
            if !word.is_present() {
                let Some(entered) = enter.enter(value, slot, word, sort)? else { return Ok(index) };
                word = entered;
            }
            let payload = match word.is_present() {
                true => object_payload(place, word.row()),
                false => {
                    enter.later();
                    value as i64
                }
            };
            into.put_tagged(tag, payload)?;
            enter.advance(1);
        }
        Ok(values.len())
    }

    /// Notes that something of this sort is put; gives its tag and its class's place. `None`: it is not known here.
    fn note(&self, sort: Sort, into: &mut Part<'_>) -> Option<(i32, u32)> {
        match sort {
            Sort::Array(kind) if self.kind == Some(kind) => Some((into.note_array(kind), 0)),
            Sort::Array(kind) if self.hash.1 == Some(kind) => {
                Some((into.note_collection(kind, Collection::Hash(HashSort::PLAIN)), 0))
            }
            Sort::Array(_) => None,
            Sort::Object(class) => {
                let (hierarchy, place) = self.places.get(class.0 as usize).copied().flatten()?;
                Some((into.note_object(hierarchy, class), place))
            }
        }
    }
}
