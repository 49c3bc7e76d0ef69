//! What elements make and put where they and others look: into Hashes and arrays that exist (`groups[key] ||= []`,
//! `cells[[x, y]] = true`), variables of other objects, and variables around the call that they share (`best = [x, y]
//! if …`).
//!
//! Elements that touch one of these run in order, so what one has made needs rows before the next one runs, and no
//! sooner. Most make nothing (the word has been counted before): many are launched at once, and those behind one that
//! has made something do nothing until that has rows (`wait_for_rows`).
//!
//! Until the end of its element such an item refers to its scratch memory, as a variable of its own does. Which rows of
//! columns do so it writes down in a list there (also where arrays move): the remembered set of a generational
//! collector. At its end these are evacuated, and the host has the columns refer to rows
//! (`backend/cpu/driver/remembered.rs`). What `pmap` gives in such a section gets rows, too, so that one thing is one.

use super::keys::{Context, JoinKey, Place};
use super::lists::HEADER;
use super::operand::{self, Operand};
use super::pushing::is_made;
use super::results::RowWords;
use super::{Condition, Lowerer};
use crate::heap::schema::Stored;
use crate::ir::settling::RememberedRows;
use crate::ir::{BinaryOp, BufferKind, Comparison, Part, UnaryOp, Value};
use crate::types::{ArrayKind, HierarchyId, ListKind, Shape, Type, TypeSet};

/// A column that may hold what elements make: the items of arrays of a kind, a variable of objects, one around the
/// section, or a local variable of the driver's, as [`super::memo::Memo::variables`] knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holders {
    Arrays(ArrayKind),
    Objects(HierarchyId, String),
    Captured(String),
    Local((Context, u32)),
}

/// A list of rows, where its header is, and whose rows they are.
pub(super) struct RowList {
    list: ListKind,
    header: i64,
    of: Holders,
}

impl Lowerer<'_> {
    /// `value`, which the element has made, is to be held by what exists. `None`: it cannot be, or another walk is needed.
    pub(super) fn put_made(&mut self, into: Holders, value: &Operand) -> Option<Operand> {
        let made = value.types.filter(is_made);
        if made.iter().any(Type::is_made_hash) {
            return self.is_storable(value).then(|| value.clone());
        }
        if !self.can_be_put(value) {
            return None;
        }
        self.note_keeping();
        self.note_stores_anywhere();
        self.settle_types(&made);
        let who = self.watcher();
        self.memo.changed |= !self.memo.remembered.contains_key(&into);
        self.memo.changed |= self.memo.remembered.entry(into).or_default().insert(who);
        Some(value.clone())
    }

    /// The value as the items of such arrays are stored, with a tag that tells what is made. `None`: another walk is
    /// needed.
    pub(super) fn listed_in_array(&mut self, kind: ArrayKind, value: &Operand) -> Option<Operand> {
        if !self.memo.remembered.contains_key(&Holders::Arrays(kind)) {
            return Some(value.clone());
        }
        let known = self.memo.arrays.entry(kind).or_default();
        let (all, stored) = (known.written.union(&value.types), known.stored.clone());
        let (written, stored) = self.beside_settled(all, &stored, JoinKey::new(Place::Stored(kind), 0));
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.stored != stored || memo.written != written;
        (memo.stored, memo.written) = (stored.clone(), written);
        self.listed_as(value, &stored)
    }

    /// What is written that is `all`, as lists where it is arrays, and what holds that beside what it held.
    fn beside_settled(&mut self, all: TypeSet, held: &TypeSet, place: JoinKey) -> (TypeSet, TypeSet) {
        let mut written = self.memo.with_lists(all, place);
        written = written.union(&self.settled(&written));
        let mut stored = held.filter(|ty| !matches!(ty, Type::List(_))).union(&written);
        // So there is a tag.
        stored.insert(Type::Nil);
        (written, stored)
    }

    fn listed_as(&mut self, value: &Operand, stored: &TypeSet) -> Option<Operand> {
        let value = self.listed(value, stored);
        if !operand::covers(stored, &value.types) || operand::scalars(stored).is_none() {
            self.memo.changed |= true;
            return None;
        }
        Some(value)
    }

    /// Writes a variable that elements share, which may hold what they make from then on.
    pub(super) fn write_variable(&mut self, of: &Holders, number: u32, value: &Operand) {
        let value = if self.in_driver { self.with_rows(value) } else { Some(value.clone()) };
        let Some(mut value) = value else { return };
        if !self.in_driver && value.types.iter().any(is_made) && self.can_settle_pushes() {
            let Some(put) = self.put_made(of.clone(), &value) else { return };
            value = put;
        } else if !self.is_storable(&value) {
            return;
        }
        let held = self.stored_by(of);
        let types = if self.memo.remembered.contains_key(of) {
            let place = match of {
                Holders::Local((context, index)) => Place::Local(*context, *index),
                _ => Place::Variable(number),
            };
            self.beside_settled(held.union(&value.types), &held, JoinKey::new(place, 0)).1
        } else {
            held.union(&value.types)
        };
        self.memo.changed |= types != held;
        if let Some(variable) = self.memo.variable(of) {
            variable.clone_from(&types);
        }
        self.memo.unite_rows(&types);
        let Some(value) = self.listed_as(&value, &types) else { return };
        let row = self.watch_shared(number, true);
        self.store_parts(&|part| BufferKind::Variable(number, part), row, &types, &value);
        self.remember(of, row, &value.types);
    }

    /// What a variable holds that elements share.
    pub(super) fn read_variable(&mut self, of: &Holders, number: u32) -> Operand {
        let row = self.watch_shared(number, false);
        let value = self.load_variable(of, number, row);
        self.refine(value)
    }

    pub(super) fn load_variable(&mut self, of: &Holders, number: u32, row: Value) -> Operand {
        let types = self.stored_by(of);
        let part = |part| BufferKind::Variable(number, part);
        let value = self.load_parts(&part, row, &Stored::written(types.clone()), true);
        if !self.in_driver {
            return value;
        }
        // What a driver sees has a row.
        self.narrow(&value, &types.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_))))
    }

    /// The buffers of such a column. `None`: of a variable that nobody shares in this walk.
    fn parts_of(&self, of: &Holders) -> Option<impl Fn(Part) -> BufferKind + use<>> {
        let number = match of {
            Holders::Captured(name) => Some(self.written.keys().position(|known| known == name)? as u32),
            Holders::Local(key) => {
                let at = self.driving.variables.iter().rposition(|(known, _)| known == key)?;
                Some((self.written.len() + at) as u32)
            }
            _ => None,
        };
        let of = of.clone();
        Some(move |part| match (&of, number) {
            (Holders::Arrays(kind), _) => BufferKind::ArrayValues(*kind, part),
            (Holders::Objects(hierarchy, name), _) => {
                BufferKind::Column { hierarchy: *hierarchy, name: name.clone(), part }
            }
            (_, number) => BufferKind::Variable(number.unwrap_or(u32::MAX), part),
        })
    }

    /// A value has been stored in a row, which may refer to what the element has made.
    pub(super) fn remember(&mut self, of: &Holders, row: Value, value: &TypeSet) {
        let is_made = value.iter().any(|ty| matches!(ty, Type::List(_) | Type::Made(_)));
        if is_made && !self.in_driver {
            self.remember_row(of, row);
        }
    }

    /// An item has moved to a row.
    pub(super) fn remember_moved(&mut self, kind: ArrayKind, row: Value) {
        let of = Holders::Arrays(kind);
        if self.in_driver || !self.memo.remembered.contains_key(&of) {
            return;
        }
        let stored = Stored::written(self.memo.arrays.entry(kind).or_default().stored.clone());
        let item = self.load_parts(&|part| BufferKind::ArrayValues(kind, part), row, &stored, true);
        if item.values.len() != 2 {
            self.memo.changed |= true;
            return;
        }
        let tag = self.b.unary(UnaryOp::ExtendI32, item.values[0]);
        let [list, made] = [Shape::List, Shape::Made].map(|shape| self.b.i64(shape.tag().into()));
        let [list, made] = [list, made].map(|shape| self.b.compare(Comparison::Eq, tag, shape));
        let is_made = self.b.binary(BinaryOp::OrB, list, made);
        let condition = Condition { value: is_made, yes: vec![], no: vec![] };
        self.branch(
            80,
            condition,
            |s| {
                s.remember_row(&of, row);
                Operand::nil()
            },
            |_| Operand::nil(),
        );
    }

    fn remember_row(&mut self, of: &Holders, row: Value) {
        let Some(RowList { list, header, .. }) = self.list_of_rows(of) else { return };
        let row = self.b.unary(UnaryOp::ExtendI32, row);
        let header = self.b.i32(header as i32);
        self.within_slot(0x3e8, |s| s.push(list, header, &Operand::integer(row)));
    }

    fn list_of_rows(&mut self, of: &Holders) -> Option<RowList> {
        let number = self.memo.remembered.keys().position(|known| known == of)?;
        let list = self.memo.list_kind(JoinKey::new(Place::Rows(number as u32), 0));
        let header = self.end_of_logs() + HEADER * number as i64;
        Some(RowList { list, header, of: of.clone() })
    }

    /// The kinds of all such lists.
    pub(super) fn lists_of_rows(&mut self) -> Vec<ListKind> {
        let all: Vec<Holders> = self.memo.remembered.keys().cloned().collect();
        all.iter().filter_map(|of| self.list_of_rows(of)).map(|rows| rows.list).collect()
    }

    /// Those in which elements here may have rows.
    pub(super) fn remembered_by_element(&mut self) -> Vec<RowList> {
        if self.in_driver {
            return Vec::new();
        }
        let who = self.watcher();
        let own = self.memo.remembered.iter().filter(|(_, by)| by.concern(who));
        let own: Vec<Holders> = own.map(|(of, _)| of.clone()).collect();
        own.iter().filter_map(|of| self.list_of_rows(of)).collect()
    }

    /// What such columns hold.
    pub(super) fn stored_by(&self, of: &Holders) -> TypeSet {
        let stored = match of {
            Holders::Arrays(kind) => self.memo.arrays.get(kind).map(|memo| &memo.stored),
            Holders::Objects(hierarchy, name) => {
                self.memo.columns.get(&(*hierarchy, name.clone())).map(|memo| &memo.stored)
            }
            Holders::Captured(name) => self.memo.accumulators.get(name),
            Holders::Local(key) => self.memo.variables.get(key),
        };
        stored.cloned().unwrap_or_default()
    }

    /// Evacuates what the rows of a list refer to, and the list; gives what is in the element's words then.
    pub(super) fn evacuate_remembered(&mut self, rows: RowList, row: &RowWords) -> TypeSet {
        let RowList { list, header, of } = rows;
        let stored = self.stored_by(&of);
        let Some(part) = self.parts_of(&of) else { return TypeSet::empty() };
        let at_header = self.b.i32(header as i32);
        let length = self.list_length(at_header);
        let zero = self.b.i64(0);
        self.counted(zero, length, 1, &mut |s, i, _, _| {
            let number = s.list_item(list, at_header, i);
            if !number.is_bottom() {
                let at = s.b.unary(UnaryOp::WrapI64, number.value());
                s.evacuate_variable(&part, at, &stored, row);
            }
        });
        self.copy_log(list, header, length, row);
        let mut types = stored.filter(|ty| matches!(ty, Type::List(_) | Type::Made(_)));
        types.insert(Type::List(list));
        types
    }

    /// The columns whose rows are in such lists, by the kinds of the lists.
    pub(super) fn plan_remembered(&mut self) -> Vec<(ListKind, RememberedRows)> {
        let all: Vec<Holders> = self.memo.remembered.keys().cloned().collect();
        let planned = all.iter().filter_map(|of| {
            let RowList { list, .. } = self.list_of_rows(of)?;
            let stored = Stored::written(self.stored_by(of));
            let held = self.parts(&self.parts_of(of)?, &stored);
            Some((list, RememberedRows { payload: held.payload?, tag: held.tag? }))
        });
        planned.collect()
    }
}
