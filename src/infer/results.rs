//! Results of `pmap` that are arrays or objects: written out word by word, for the heap to read back.
//!
//! An element's result is the scalars that carry the value, a word each, beginning at word 0. Where a value is a list,
//! its scalar is replaced by the number of the word at which its length and then its items stand. Where one array or
//! object may stand in a result several times, [`super::evacuation`] writes it.
//!
//! What a chain drops (`Output::Kept`): the block gives the class `Ikra::Dropped`, which is a type of its own. Where
//! the entry stores the result, that type is split off: a flag says whether the element is kept, and the value is
//! stored as one of the types that are left. The driver compacts the flags; only kept rows are read.

use super::births::{Birth, Holder};
use super::leaving::is_shared;
use super::operand::{self, Operand};
use super::{Condition, Lowerer, Temp};
use crate::ir::{BinaryOp, Buffer, BufferKind, ScalarSource, UnaryOp, Value};
use crate::scalar::{Interval, Ty};
use crate::types::{RecordType, Shape, Type, TypeSet};

/// The result being written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowWords {
    /// Holds the number of the next free word.
    pub next: Temp,
}

/// How many words the result takes at least, and whether that is all.
pub fn result_words(schema: &crate::heap::Schema) -> (usize, bool) {
    (
        operand::scalars(&schema.result).map_or(0, |s| s.len()),
        !super::joins::has_list(&schema.result) && !schema.stores_made && !schema.settles,
    )
}

/// How many words carry a value of the set.
pub fn width(types: &TypeSet) -> usize {
    operand::scalars(types).map_or(0, |s| s.len())
}

/// Is a value of the set one scalar with or without a tag, so that it has columns of its own?
pub fn is_plain(types: &TypeSet) -> bool {
    types
        .iter()
        .all(|t| !matches!(t.shape(), Shape::Local | Shape::List | Shape::Made | Shape::Module | Shape::Proc))
}

impl Lowerer<'_> {
    /// Stores what a chain gives for the current element, and whether it gives anything.
    pub(crate) fn store_kept(&mut self, value: &Operand) {
        if self.b.is_dead() || value.is_bottom() {
            return;
        }
        let is_mark = |ty: &Type| matches!(ty, Type::Module(class) if self.host.is_dropped(*class));
        let kept = value.types.filter(|ty| !is_mark(ty));
        let condition = match kept.len() {
            0 => Condition { value: self.b.bool(false), yes: vec![], no: vec![] },
            count if count == value.types.len() => {
                Condition { value: self.b.bool(true), yes: vec![], no: vec![] }
            }
            _ => self.is_one_of(value, &kept),
        };
        let index = self.b.element();
        let flag = Operand::bool(condition.value);
        self.store_parts(&|_| BufferKind::Kept, index, &TypeSet::bool(), &flag);
        if kept.is_empty() {
            return;
        }
        let value = self.narrow(value, &kept);
        self.branch(
            60,
            condition,
            |s| {
                s.store_result(&value);
                Operand::nil()
            },
            |_| Operand::nil(),
        );
    }

    pub(crate) fn store_result_words(&mut self, value: &Operand, stored: &TypeSet) {
        if !self.can_be_given(stored) {
            return;
        }
        let Some(scalars) = operand::scalars(stored) else {
            if self.keep_made(stored) {
                return;
            }
            self.refuse_here(
                "mixed-values",
                format!("the block gives {}, which cannot be told apart at run time", self.describe(stored)),
                Some("make all ways through the block give the same kind of value".into()),
            );
            return;
        };
        let value = self.listed(value, stored);
        self.note_held(Holder::Result, &value);
        if !operand::covers(stored, &value.types) {
            self.memo.changed |= true;
            return;
        }
        let values = self.convert(&value, stored);
        let zero = self.b.i64(0);
        let words = self.b.i64(scalars.len() as i64);
        let row = self.own.row.unwrap_or_else(|| {
            let row = RowWords { next: self.temp(Operand::integer(zero)) };
            self.take_row(&row, words);
            row
        });
        let value = Operand { types: stored.clone(), values, birth: Birth::UNKNOWN };
        let lists = self.memo.list_items();
        // Where elements of any class keep what they have made in their objects, those of all classes write alike.
        let any_stores = !self.memo.stores_made.is_empty() && !self.settles();
        match self.own.row.is_some()
            || any_stores
            || is_shared(stored, &|kind| lists[kind.0 as usize].clone())
        {
            true => {
                self.refuse_keys_with_hashes(stored, &mut Vec::new());
                self.evacuate(&value, &row);
            }
            false => self.store_words(&value, zero, &row),
        }
        if self.own.row.is_none() {
            self.temp_drop(row.next);
        }
    }

    /// Writes the scalars of `value` into the result from word `at` on.
    pub(crate) fn store_words(&mut self, value: &Operand, at: Value, row: &RowWords) {
        let mut words = Vec::new();
        self.result_words(value, row, &mut words);
        for (i, word) in words.into_iter().enumerate() {
            let i = self.b.i64(i as i64);
            let at = self.b.binary(BinaryOp::Add, at, i);
            self.set_row(at, word);
        }
    }

    fn result_words(&mut self, value: &Operand, row: &RowWords, words: &mut Vec<Value>) {
        match value.types.single() {
            Some(Type::Record(record)) if record.is_hash() => {
                self.make_dense(value);
                for (i, part) in self.tuple_items(value).iter().enumerate() {
                    // The slots are of no use outside.
                    match RecordType::HASH[i] {
                        "#slots" => words.push(self.b.i64(0)),
                        _ => self.within_slot(i as u32, |s| s.result_words(part, row, words)),
                    }
                }
            }
            Some(Type::Tuple(_) | Type::Record(_)) => {
                for (i, item) in self.tuple_items(value).iter().enumerate() {
                    self.within_slot(i as u32, |s| s.result_words(item, row, words));
                }
            }
            Some(Type::List(kind)) => {
                let start = self.within_slot(0x3f2, |s| s.store_list(*kind, value.value(), row));
                words.push(start);
            }
            None if !is_plain(&value.types) && value.values.len() >= 2 => {
                words.push(self.encode_payload(value.values[0]));
                let list = value.types.filter(|t| matches!(t, Type::List(_)));
                let payload = match list.single() {
                    Some(Type::List(kind)) => {
                        let kind = *kind;
                        let condition = self.is_one_of(value, &list);
                        let part = self.narrow(value, &list);
                        let payload = value.values[1];
                        let stored = self.within_slot(0x3f3, |s| {
                            s.branch(
                                23,
                                condition,
                                |s| {
                                    let start = s.store_list(kind, part.value(), row);
                                    Operand::integer(start)
                                },
                                |_| Operand::integer(payload),
                            )
                        });
                        if stored.is_bottom() { payload } else { stored.value() }
                    }
                    _ => value.values[1],
                };
                words.push(payload);
                let local = value.types.filter(|t| t.shape() == Shape::Local);
                if !local.is_empty() {
                    // Where the value is another, its place holds zeros: there is no list to follow.
                    let condition = self.is_one_of(value, &local);
                    let part = self.narrow(value, &local);
                    let zero = Operand::integer(self.b.i64(0));
                    let temps: Vec<Temp> = (0..width(&local)).map(|_| self.temp(zero.clone())).collect();
                    self.within_slot(0x3f4, |s| {
                        s.branch(
                            24,
                            condition,
                            |s| {
                                let mut words = Vec::new();
                                s.result_words(&part, row, &mut words);
                                for (temp, word) in temps.iter().zip(words) {
                                    s.temp_set(*temp, Operand::integer(word));
                                }
                                Operand::nil()
                            },
                            |_| Operand::nil(),
                        );
                    });
                    words.extend(temps.iter().map(|temp| self.temp_get(*temp).value()));
                    if let Some(first) = temps.first() {
                        self.temp_drop(*first);
                    }
                }
            }
            _ => {
                for scalar in &value.values {
                    words.push(self.encode_payload(*scalar));
                }
            }
        }
    }

    /// Keys are looked at when all that they hold is there, but for Hashes.
    fn refuse_keys_with_hashes(&mut self, types: &TypeSet, inside: &mut Vec<Type>) {
        for ty in types {
            if inside.contains(ty) {
                continue;
            }
            let held = match ty {
                Type::List(_) | Type::Made(_) => {
                    inside.push(ty.clone());
                    self.held_by(ty)
                }
                Type::Record(record) if record.is_hash() => {
                    let keys = &record.fields[0].1;
                    if self.holds_hash(keys, &mut Vec::new()) {
                        self.refuse_here(
                            "unsupported-result",
                            "a Hash whose keys hold Hashes cannot be returned beside arrays or objects",
                            Some("return its pairs: hash.to_a".into()),
                        );
                    }
                    operand::parts(ty).unwrap_or_default()
                }
                other => operand::parts(other).unwrap_or_default(),
            };
            held.iter().for_each(|types| self.refuse_keys_with_hashes(types, inside));
        }
    }

    /// Can a Hash be in what is held by what such values are?
    fn holds_hash(&mut self, types: &TypeSet, inside: &mut Vec<Type>) -> bool {
        types.iter().any(|ty| {
            if ty.is_made_hash() {
                return true;
            }
            if inside.contains(ty) {
                return false;
            }
            inside.push(ty.clone());
            let held = match ty {
                Type::List(_) | Type::Made(_) => self.held_by(ty),
                other => operand::parts(other).unwrap_or_default(),
            };
            held.iter().any(|types| self.holds_hash(types, inside))
        })
    }

    /// The words of elements.
    pub(super) fn words_buffer(&mut self) -> Buffer {
        let kind = if self.own.words.is_some() { BufferKind::KernelWords } else { BufferKind::ResultWords };
        self.buffer(kind, Ty::I64)
    }

    pub(crate) fn set_row(&mut self, word: Value, value: Value) {
        let buffer = self.words_buffer();
        self.program.buffers[buffer.0 as usize].written = true;
        let at = self.row_at(word);
        self.b.store(buffer, at, value);
    }

    /// The index of a word of the element's own result.
    pub(super) fn row_at(&mut self, word: Value) -> Value {
        let count = match self.own.words {
            Some(count) => self.b.scalar(count, Ty::I64, Interval::INDEX),
            None => self.scalar(ScalarSource::BaseLength, Ty::I64, Interval::INDEX),
        };
        let element = self.element_index();
        let element = self.b.unary(UnaryOp::ExtendI32, element);
        let at = self.b.binary(BinaryOp::Mul, word, count);
        let at = self.b.binary(BinaryOp::Add, at, element);
        self.b.unary(UnaryOp::WrapI64, at)
    }
}
