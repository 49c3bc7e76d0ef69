//! Results in which one array or object may stand several times, or holds itself: they are copied out of the scratch
//! memory as a copying garbage collector evacuates objects (C. J. Cheney, A Nonrecursive List Compacting Algorithm,
//! 1970). What is copied leaves its new place in its old one, and a loop over the copies replaces references. So one
//! object is one object, cycles end, and long lists are no recursion, neither here nor in the extension
//! (`writing/results.rs`), which makes them empty when it meets them and fills them later. Nothing looks at the scratch
//! memory afterwards.
//!
//! In the result an object is as in scratch memory: the number of its class, then its variables. An array is the number
//! of its kind, from -1 downwards, its length and its items. Objects of a result that are values are their variables
//! there; an object that is met in several places of a result, or that is within an array or another object of memory,
//! is kept in scratch memory, so that it is known which one it is.

use super::joins::has_list;
use super::operand::{self, Operand};
use super::results::{RowWords, width};
use super::{Condition, Lowerer, Temp};
use crate::ir::{BinaryOp, Comparison, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ClassId, ListKind, RecordType, Shape, Type, TypeSet};
use std::collections::BTreeSet;

/// Words before the items of an array: its kind and its length.
pub const ARRAY_HEADER: i64 = 2;

impl Lowerer<'_> {
    /// Writes `value` into the element's result, and all that it holds; that where the element's variables are written
    /// too, if there are any.
    pub(super) fn evacuate(&mut self, value: &Operand, row: &RowWords) {
        let words = self.words_of(value);
        let first = self.temp_get(row.next).value();
        let words = self.within_slot(0x3f5, |s| s.evacuated(&value.types, &words, row));
        for (i, word) in words.into_iter().enumerate() {
            let at = self.b.i64(i as i64);
            self.set_row(at, word);
        }
        if self.own.row.is_none() {
            self.evacuate_rest([&value.types], first, row);
        }
    }

    /// Copies what is referred to by what stands in the result from word `first` on.
    pub(super) fn evacuate_rest<'a>(
        &mut self,
        types: impl IntoIterator<Item = &'a TypeSet>,
        first: Value,
        row: &RowWords,
    ) {
        let (mut classes, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        types.into_iter().for_each(|types| self.held_within(types, &mut classes, &mut kinds));
        self.within_slot(0x3f6, |s| s.replace_references(first, &classes, &kinds, row));
    }

    /// The classes and kinds of what a value may hold, however deep.
    pub(super) fn held_within(
        &mut self,
        types: &TypeSet,
        classes: &mut BTreeSet<ClassId>,
        kinds: &mut BTreeSet<ListKind>,
    ) {
        for ty in types {
            let is_new = match ty {
                Type::Made(class) => classes.insert(*class),
                Type::List(kind) => kinds.insert(*kind),
                _ => false,
            };
            let parts = if is_new { self.held_by(ty) } else { operand::parts(ty).unwrap_or_default() };
            parts.iter().for_each(|types| self.held_within(types, classes, kinds));
        }
    }

    /// The words of a value, with what they refer to copied out.
    fn evacuated(&mut self, types: &TypeSet, words: &[Value], row: &RowWords) -> Vec<Value> {
        // Nothing carries types that a later walk will have in memory.
        let carried = !words.is_empty() && words.len() == width(types);
        if !has_list(types) || !carried || self.b.is_dead() {
            return words.to_vec();
        }
        if let Some(parts) = types.single().and_then(operand::parts) {
            let mut all = Vec::new();
            let is_hash = types.single().is_some_and(Type::is_made_hash);
            if is_hash {
                let hash = self.decoded(types, words);
                self.make_dense(&hash);
            }
            for (i, types) in parts.iter().enumerate() {
                let part = &words[all.len()..all.len() + width(types)];
                // The slots of a Hash are of no use outside.
                let stays = is_hash && RecordType::HASH[i] == "#slots";
                let part = match stays {
                    true => part.to_vec(),
                    false => self.within_slot(i as u32, |s| s.evacuated(types, part, row)),
                };
                all.extend(part);
            }
            return all;
        }
        if let Some(Shape::List | Shape::Made) = types.single_shape() {
            return vec![self.evacuated_reference(types, words[0], row)];
        }
        // Of a union the tag says which of them it is.
        let mut words = words.to_vec();
        for (slot, shape) in [(0, Shape::List), (1, Shape::Made), (2, Shape::Local)] {
            let part = types.filter(|ty| ty.shape() == shape);
            if !has_list(&part) {
                continue;
            }
            let tag = self.b.i64(shape.tag().into());
            let is_it = self.b.compare(Comparison::Eq, words[0], tag);
            let range = if shape == Shape::Local { 2..words.len() } else { 1..2 };
            let now = words[range.clone()].to_vec();
            let changed = self.within_slot(slot, |s| {
                s.words_where(is_it, &now, |s| match shape {
                    Shape::Local => s.evacuated(&part, &now, row),
                    _ => vec![s.evacuated_reference(&part, now[0], row)],
                })
            });
            words.splice(range, changed);
        }
        words
    }

    /// The words that `f` gives where a condition holds, else those that are there.
    pub(super) fn words_where(
        &mut self,
        condition: Value,
        words: &[Value],
        f: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let temps: Vec<Temp> = words.iter().map(|word| self.temp(Operand::integer(*word))).collect();
        let condition = Condition { value: condition, yes: vec![], no: vec![] };
        self.branch(
            70,
            condition,
            |s| {
                let words = f(s);
                for (temp, word) in temps.iter().zip(words) {
                    s.temp_set(*temp, Operand::integer(word));
                }
                Operand::nil()
            },
            |_| Operand::nil(),
        );
        let words = temps.iter().map(|temp| self.temp_get(*temp).value()).collect();
        if let Some(first) = temps.first() {
            self.temp_drop(*first);
        }
        words
    }

    /// Where a list or an object in scratch memory stands in the result. It is copied unless it has been.
    pub(super) fn evacuated_reference(&mut self, types: &TypeSet, start: Value, row: &RowWords) -> Value {
        let first = self.word(start);
        let zero = self.b.i64(0);
        let is_copied = self.b.compare(Comparison::Lt, first, zero);
        let there = self.b.unary(UnaryOp::BitNot, first);
        let condition = Condition { value: is_copied, yes: vec![], no: vec![] };
        let place = self.branch(
            71,
            condition,
            |_| Operand::integer(there),
            |s| {
                let to = match types.single() {
                    Some(Type::List(kind)) => {
                        let length = s.leaving_length(first);
                        s.copy_list(*kind, start, length, row)
                    }
                    _ => s.copy_object(types, start, first, row),
                };
                let mark = s.b.unary(UnaryOp::BitNot, to);
                s.set_word(start, mark);
                Operand::integer(to)
            },
        );
        if place.is_bottom() { start } else { place.value() }
    }

    pub(super) fn copy_list(&mut self, kind: ListKind, start: Value, length: Value, row: &RowWords) -> Value {
        let width = width(&self.memo.list(kind).items.clone()) as i64;
        let wide = self.b.i64(width);
        let items = self.length_in(length);
        let count = self.b.binary(BinaryOp::Mul, items, wide);
        let words = self.plus(count, ARRAY_HEADER);
        let to = self.take_row(row, words);
        let number = self.b.i64(!i64::from(kind.0));
        self.set_row(to, number);
        let at = self.plus(to, 1);
        self.set_row(at, length);
        if width > 0 {
            let header = self.plus(start, 2);
            let from = self.word(header);
            let into = self.plus(to, ARRAY_HEADER);
            self.copy_words(from, into, count);
        }
        to
    }

    fn copy_object(&mut self, types: &TypeSet, start: Value, class: Value, row: &RowWords) -> Value {
        let classes: BTreeSet<ClassId> = types
            .iter()
            .filter_map(|ty| if let Type::Made(class) = ty { Some(*class) } else { None })
            .collect();
        let is_string =
            classes.contains(&ClassId::STRING).then(|| self.is_number(class, ClassId::STRING.0.into()));
        if let Some(is_string) = is_string {
            if classes.len() == 1 {
                return self.copy_string(start, row);
            }
            let condition = Condition { value: is_string, yes: vec![], no: vec![] };
            let others = types.filter(|ty| !ty.is_made_string());
            let to = self.branch(
                76,
                condition,
                |s| Operand::integer(s.copy_string(start, row)),
                |s| Operand::integer(s.copy_object(&others, start, class, row)),
            );
            return if to.is_bottom() { start } else { to.value() };
        }
        let mut size = None;
        for class_id in classes {
            let words = self.size_of_made(class_id);
            let words = self.b.i64(words);
            size = Some(match size {
                None => words,
                Some(other) => {
                    let is_it = self.is_number(class, class_id.0.into());
                    self.b.select(is_it, words, other)
                }
            });
        }
        let size = size.unwrap_or_else(|| self.b.i64(0));
        let to = self.take_row(row, size);
        self.copy_words(start, to, size);
        to
    }

    /// A String, with its bytes behind it.
    fn copy_string(&mut self, start: Value, row: &RowWords) -> Value {
        let (bytes, from) = self.string_in_memory(start);
        let size = self.words_of_string(bytes);
        let to = self.take_row(row, size);
        let header = self.size_of_made(ClassId::STRING);
        let header = self.b.i64(header);
        let words = self.b.binary(BinaryOp::Sub, size, header);
        let behind = self.b.binary(BinaryOp::Add, to, header);
        self.within_slot(0x3f8, |s| s.copy_words(start, to, header));
        self.within_slot(0x3f9, |s| s.copy_words(from, behind, words));
        to
    }

    fn is_number(&mut self, word: Value, number: i64) -> Value {
        let number = self.b.i64(number);
        self.b.compare(Comparison::Eq, word, number)
    }

    /// Words of an object, with that of its class.
    fn size_of_made(&mut self, class: ClassId) -> i64 {
        let fields = self.held_by(&Type::Made(class));
        1 + fields.iter().map(|types| width(types) as i64).sum::<i64>()
    }

    fn copy_words(&mut self, from: Value, to: Value, count: Value) {
        let zero = self.b.i64(0);
        self.within_slot(0x3f7, |s| {
            s.counted(zero, count, 1, &mut |s, i, _, _| {
                let (source, target) = (s.b.binary(BinaryOp::Add, from, i), s.b.binary(BinaryOp::Add, to, i));
                let word = s.word(source);
                s.set_row(target, word);
            });
        });
    }

    /// Goes through what was copied from word `first` on, which grows meanwhile, and replaces the references in it.
    fn replace_references(
        &mut self,
        first: Value,
        classes: &BTreeSet<ClassId>,
        kinds: &BTreeSet<ListKind>,
        row: &RowWords,
    ) {
        let at = self.temp(Operand::integer(first));
        self.looping_with(72, &[at], |s, exit, _| {
            let (here, next) = (s.temp_get(at).value(), s.temp_get(row.next).value());
            let more = s.b.compare(Comparison::Lt, here, next);
            s.unless(more, 74, |s| s.jump(exit, None));
            let what = s.row_word(here);
            for (i, class) in classes.iter().enumerate() {
                let is_it = s.is_number(what, class.0.into());
                s.within_slot(i as u32, |s| s.passing(is_it, at, |s| s.replace_in_object(*class, here, row)));
            }
            for (i, kind) in kinds.iter().enumerate() {
                let is_it = s.is_number(what, !i64::from(kind.0));
                s.within_slot(0x1000 + i as u32, |s| {
                    s.passing(is_it, at, |s| s.replace_in_list(*kind, here, row))
                });
            }
            // What is neither would be looked at for ever; who reads the words finds it.
            let behind = s.temp_get(at).value();
            let passed = s.b.compare(Comparison::Gt, behind, here);
            s.unless(passed, 79, |s| s.jump(exit, None));
        });
        self.temp_drop(at);
    }

    /// Where a condition holds, goes by as many words as `f` gives.
    fn passing(&mut self, condition: Value, at: Temp, f: impl FnOnce(&mut Self) -> Value) {
        let condition = Condition { value: condition, yes: vec![], no: vec![] };
        self.branch(
            75,
            condition,
            |s| {
                let words = f(s);
                let here = s.temp_get(at).value();
                let behind = s.b.binary(BinaryOp::Add, here, words);
                s.temp_set(at, Operand::integer(behind));
                Operand::nil()
            },
            |_| Operand::nil(),
        );
    }

    fn replace_in_object(&mut self, class: ClassId, here: Value, row: &RowWords) -> Value {
        if class == ClassId::STRING {
            let at = self.plus(here, 1);
            let bytes = self.row_word(at);
            return self.words_of_string(bytes);
        }
        let mut offset = 1;
        for (i, types) in self.held_by(&Type::Made(class)).iter().enumerate() {
            let at = self.plus(here, offset);
            self.within_slot(i as u32, |s| s.replace_at(types, at, row));
            offset += width(types) as i64;
        }
        self.b.i64(offset)
    }

    fn replace_in_list(&mut self, kind: ListKind, here: Value, row: &RowWords) -> Value {
        let types = self.memo.list(kind).items.clone();
        let at = self.plus(here, 1);
        let length = self.row_word(at);
        let length = self.length_in(length);
        let first = self.plus(here, ARRAY_HEADER);
        let wide = self.b.i64(width(&types) as i64);
        if has_list(&types) {
            let zero = self.b.i64(0);
            let row = *row;
            self.counted(zero, length, 1, &mut |s, i, _, _| {
                let offset = s.b.binary(BinaryOp::Mul, i, wide);
                let at = s.b.binary(BinaryOp::Add, first, offset);
                s.replace_at(&types, at, &row);
            });
        }
        let words = self.b.binary(BinaryOp::Mul, length, wide);
        self.plus(words, ARRAY_HEADER)
    }

    /// Replaces the references in a value that was copied.
    fn replace_at(&mut self, types: &TypeSet, at: Value, row: &RowWords) {
        if !has_list(types) {
            return;
        }
        let places: Vec<Value> = (0..width(types)).map(|i| self.plus(at, i as i64)).collect();
        let words: Vec<Value> = places.iter().map(|at| self.row_word(*at)).collect();
        let after = self.evacuated(types, &words, row);
        for ((at, before), after) in places.into_iter().zip(words).zip(after) {
            if before != after {
                self.set_row(at, after);
            }
        }
    }

    fn row_word(&mut self, word: Value) -> Value {
        let at = self.row_at(word);
        let buffer = self.words_buffer();
        self.b.load(buffer, at, Ty::I64, true)
    }
}
