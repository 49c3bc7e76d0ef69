//! Objects made in the section that are kept in scratch memory, as lists are: what [`super::records`] cannot carry in
//! values. A class is kept so once the walk finds that its objects change after `initialize`, that it matters which of
//! two equal ones an object is, that they hold each other without end, or that they meet others which have no common
//! form with them; the section is then inferred anew.
//!
//! An object is known by where it begins: a word with the number of its class, then its variables, each as the scalars
//! that carry it, a word each. What a variable can hold is one set for all objects of a class that the section makes.

use super::Lowerer;
use super::births::Holder;
use super::flows::Variable;
use super::joins::has_list;
use super::keys::{JoinKey, Place};
use super::leaving::FROZEN;
use super::memo::Memo;
use super::operand::{self, Operand};
use crate::ir::{Comparison, Value};
use crate::types::{ClassId, ListKind, Type, TypeSet};
use std::collections::BTreeSet;

/// The variables of a class that is kept in memory.
#[derive(Clone, Debug, Default)]
pub struct MadeMemo {
    /// In the order in which they lie in memory.
    pub fields: Vec<(String, TypeSet)>,
    /// `initialize` hands the object on, so that it is in memory before its variables are known.
    pub early: bool,
}

/// The word that holds the first variable.
pub(super) const FIELDS: i64 = 1;

impl Memo {
    /// One more type that a variable of a class that is kept in memory can hold: true if that is new.
    pub(super) fn learn_field(&mut self, class: ClassId, name: &str, types: &TypeSet) -> bool {
        let fields = &mut self.made.entry(class).or_default().fields;
        let index = fields.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            fields.push((name.to_string(), TypeSet::empty()));
            fields.len() - 1
        });
        let known = fields[index].1.clone();
        let joined = self.join(&known, types, JoinKey::new(Place::Fields(class), index as u32));
        let grew = joined != known;
        if grew {
            self.made.entry(class).or_default().fields[index].1 = joined;
            self.changed |= true;
        }
        grew
    }
}

impl Lowerer<'_> {
    /// Keeps in memory the classes of the objects in a set that are carried in values, from the next walk on. False if
    /// there are none.
    pub(crate) fn keep_made(&mut self, types: &TypeSet) -> bool {
        let mut classes = BTreeSet::new();
        self.value_classes(types, &mut |class, _| {
            classes.insert(class);
        });
        self.keep_classes(classes, false)
    }

    /// The same of those classes only whose objects are within others of their class.
    pub(super) fn keep_nested(&mut self, types: &TypeSet) -> bool {
        let mut classes = BTreeSet::new();
        self.value_classes(types, &mut |class, within| {
            if within.contains(&class) {
                classes.insert(class);
            }
        });
        self.keep_classes(classes, false)
    }

    /// Keeps in memory from its beginning what is under construction in a set. False if there is no such thing.
    pub(crate) fn keep_building(&mut self, types: &TypeSet) -> bool {
        let classes =
            types.iter().filter_map(|ty| if let Type::Building(_, class) = ty { Some(*class) } else { None });
        let classes = classes.collect();
        self.keep_classes(classes, true)
    }

    /// Keeps objects of a class in memory, where they are before `initialize` runs.
    pub(super) fn keep_from_beginning(&mut self, class: ClassId) {
        self.keep_classes(BTreeSet::from([class]), true);
    }

    pub(super) fn keep_classes(&mut self, classes: BTreeSet<ClassId>, early: bool) -> bool {
        for class in &classes {
            let known = self.memo.made.entry(*class).or_default();
            known.early |= early;
            self.memo.restart = true;
            self.memo.changed |= true;
        }
        !classes.is_empty()
    }

    /// Tells of each object that is carried in values, with the classes of those around it.
    pub(super) fn value_classes(&self, types: &TypeSet, f: &mut dyn FnMut(ClassId, &[ClassId])) {
        fn go(types: &TypeSet, within: &mut Vec<ClassId>, f: &mut dyn FnMut(ClassId, &[ClassId])) {
            for ty in types {
                let class = match ty {
                    Type::Record(record) if record.class.leaves() => Some(record.class),
                    _ => None,
                };
                if let Some(class) = class {
                    f(class, within);
                    within.push(class);
                }
                operand::parts(ty).iter().flatten().for_each(|part| go(part, within, f));
                if class.is_some() {
                    within.pop();
                }
            }
        }
        go(types, &mut Vec::new(), f);
    }

    /// Is an object kept in memory of this class?
    pub(super) fn is_made(&mut self, object: Value, class: ClassId) -> Value {
        let start = self.start_of(object);
        let word = self.word(start);
        let number = self.b.i64(class.0.into());
        self.b.compare(Comparison::Eq, word, number)
    }

    /// What is held by what a list or an object in memory is.
    pub(super) fn held_by(&mut self, ty: &Type) -> Vec<TypeSet> {
        match ty {
            Type::List(kind) => vec![self.memo.list(*kind).items.clone()],
            Type::Made(class) => {
                let made = self.memo.made.get(class);
                made.map(|made| made.fields.iter().map(|(_, types)| types.clone()).collect())
                    .unwrap_or_default()
            }
            _ => vec![],
        }
    }

    /// What tells in which loops objects of a class are made.
    pub(super) fn made_kind(&mut self, class: ClassId) -> ListKind {
        self.memo.list_kind(JoinKey::new(Place::Objects(class), 0))
    }

    /// A new object whose variables have these values, and are nil otherwise.
    pub(super) fn make(&mut self, class: ClassId, values: &[(String, Operand)]) -> Operand {
        let kind = self.made_kind(class);
        self.note_made(kind);
        let mut given = Vec::new();
        for (name, value) in values {
            if self.keep_building(&value.types) {
                return Operand::bottom();
            }
            let Some(value) = self.field_with_rows(class, name, value) else { return Operand::bottom() };
            given.push((name.clone(), value));
        }
        let values = &given;
        for (name, value) in values {
            self.memo.learn_field(class, name, &value.types);
        }
        self.learn_always_set(class, values);
        let fields = self.memo.made.entry(class).or_default().fields.clone();
        let mut words = vec![self.b.i64(class.0.into())];
        for (name, types) in &fields {
            let value = values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            let value = value.unwrap_or_else(Operand::nil);
            self.memo.learn_field(class, name, &value.types);
            let Some(value) = self.field_words(class, types, &value) else { return Operand::bottom() };
            words.extend(value);
        }
        let count = self.b.i64(words.len() as i64);
        let start = self.allocate(count);
        for (i, word) in words.into_iter().enumerate() {
            let at = self.plus(start, i as i64);
            self.set_word(at, word);
        }
        let object = self.b.unary(crate::ir::UnaryOp::WrapI64, start);
        Operand::one(Type::Made(class), object)
    }

    /// Another object with the same values in its variables, frozen only if it `stays_frozen`.
    pub(crate) fn copy_made(&mut self, object: &Operand, stays_frozen: bool) -> Operand {
        if let Some(Type::Record(record)) = object.types.single()
            && !stays_frozen
            && self.memo.freezing.contains(&record.class)
        {
            self.keep_made(&object.types);
            return Operand::bottom();
        }
        let Some(Type::Made(class)) = object.types.single() else { return object.clone() };
        let fields = self.memo.made.get(class).map(|made| made.fields.clone()).unwrap_or_default();
        let values: Vec<(String, Operand)> = fields
            .into_iter()
            .map(|(name, _)| {
                let value = match name == FROZEN && !stays_frozen {
                    true => Operand::bool(self.b.bool(false)),
                    false => self.read_made(object.value(), *class, &name),
                };
                (name, value)
            })
            .collect();
        if values.iter().any(|(_, value)| value.is_bottom()) {
            return Operand::bottom();
        }
        self.make(*class, &values)
    }

    /// The words that store `value` in a variable that holds `types`. `None`: another walk is needed, or it is refused.
    fn field_words(&mut self, class: ClassId, types: &TypeSet, value: &Operand) -> Option<Vec<Value>> {
        if has_list(&value.types) {
            let kind = self.made_kind(class);
            self.note_stored(kind);
        }
        if operand::scalars(types).is_none() {
            if !self.keep_made(types) {
                let what = self.describe(types);
                self.refuse_here(
                    "mixed-values",
                    format!("a variable of an object can be {what}, which cannot be told apart at run time"),
                    Some("let each variable hold values of one kind".into()),
                );
            }
            return None;
        }
        let value = self.listed(value, types);
        self.note_held(Holder::Made(class), &value);
        if !operand::covers(types, &value.types) {
            self.memo.changed |= true;
            return None;
        }
        let values = self.convert(&value, types);
        Some(values.into_iter().map(|value| self.encode_payload(value)).collect())
    }

    /// Where a variable lies behind the beginning, and what it can hold.
    fn field(&self, class: ClassId, name: &str) -> Option<(i64, TypeSet)> {
        let mut offset = FIELDS;
        for (known, types) in &self.memo.made.get(&class)?.fields {
            if known == name {
                return Some((offset, types.clone()));
            }
            offset += operand::scalars(types).map_or(0, |scalars| scalars.len()) as i64;
        }
        None
    }

    pub(super) fn read_made(&mut self, object: Value, class: ClassId, name: &str) -> Operand {
        let Some((offset, types)) = self.field(class, name) else {
            // Nothing has written it, as far as is known.
            return if self.learn_copied_variable(class, name) { Operand::bottom() } else { Operand::nil() };
        };
        let Some(scalars) = operand::scalars(&types) else { return Operand::bottom() };
        let start = self.start_of(object);
        let at = self.plus(start, offset);
        let value = self.load_words(&types, &scalars, at);
        let value = self.refine(value);
        self.births.flows.read(value, &Variable::Made(class, name.to_string()))
    }

    pub(super) fn write_made(&mut self, object: Value, class: ClassId, name: &str, value: &Operand) {
        if value.is_bottom() || self.b.is_dead() || self.keep_building(&value.types) {
            return;
        }
        let Some(value) = &self.field_with_rows(class, name, value) else { return };
        self.memo.learn_field(class, name, &value.types);
        self.births.flows.write(value, &Variable::Made(class, name.to_string()), self.memo);
        let Some((offset, types)) = self.field(class, name) else { return };
        let Some(words) = self.field_words(class, &types, value) else { return };
        self.note_reference(object, value);
        let start = self.start_of(object);
        for (i, word) in words.into_iter().enumerate() {
            let at = self.plus(start, offset + i as i64);
            self.set_word(at, word);
        }
    }

    pub(super) fn start_of(&mut self, object: Value) -> Value {
        self.b.unary(crate::ir::UnaryOp::ExtendI32, object)
    }
}
