//! What elements make and put where they and others look: into arrays and Hashes of the heap, and variables of other
//! objects. `groups[key] ||= []`, `cells[[x, y]] = true`, `node.next = Node.new`
//!
//! Until the element ends such an item or variable refers to its scratch memory. Which rows of the columns may hold such
//! references it writes down in a list of its scratch memory, the *remembered set* of generational garbage collectors. At
//! its end what they refer to is evacuated and gets rows ([`super::settling`]), and who runs the driver has the columns
//! refer to those. Other elements never see what has none yet: those that touch the same thing run in order.

use super::lists::HEADER;
use super::operand::{self, Operand};
use super::pushing::is_made;
use super::results::RowWords;
use super::{Condition, Lowerer};
use crate::heap::schema::Stored;
use crate::ir::settling::RememberedRows;
use crate::ir::{BinaryOp, BufferKind, Comparison, Part, UnaryOp, Value};
use crate::types::{ArrayKind, HierarchyId, ListKind, Shape, Type, TypeSet};

/// A column that may hold what elements make: the items of arrays of a kind, or a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holders {
    Arrays(ArrayKind),
    Objects(HierarchyId, String),
}

impl Holders {
    fn part(&self, part: Part) -> BufferKind {
        match self {
            Self::Arrays(kind) => BufferKind::ArrayValues(*kind, part),
            Self::Objects(hierarchy, name) => {
                BufferKind::Column { hierarchy: *hierarchy, name: name.clone(), part }
            }
        }
    }
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
        for key in self.loops.clone() {
            self.memo.changed |= self.memo.keeping_loops.insert(key);
        }
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
        let all = self.memo.arrays.entry(kind).or_default().written.union(&value.types);
        let mut written = self.memo.with_lists(all, (u32::MAX - 18, kind.0, 0));
        written = written.union(&self.settled(&written));
        let memo = self.memo.arrays.entry(kind).or_default();
        let mut stored = memo.stored.filter(|ty| !matches!(ty, Type::List(_))).union(&written);
        stored.insert(Type::Nil);
        self.memo.changed |= memo.stored != stored || memo.written != written;
        (memo.stored, memo.written) = (stored.clone(), written);
        let value = self.listed(value, &stored);
        if !operand::covers(&stored, &value.types) || operand::scalars(&stored).is_none() {
            self.memo.changed = true;
            return None;
        }
        Some(value)
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
        let item = self.load_parts(&|part| of.part(part), row, &stored, true);
        if item.values.len() != 2 {
            self.memo.changed = true;
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
        let list = self.memo.list_kind((u32::MAX - 17, number as u32, 0));
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
    fn stored_by(&self, of: &Holders) -> TypeSet {
        let stored = match of {
            Holders::Arrays(kind) => self.memo.arrays.get(kind).map(|memo| &memo.stored),
            Holders::Objects(hierarchy, name) => {
                self.memo.columns.get(&(*hierarchy, name.clone())).map(|memo| &memo.stored)
            }
        };
        stored.cloned().unwrap_or_default()
    }

    /// Evacuates what the rows of a list refer to, and the list; gives what is in the element's words then.
    pub(super) fn evacuate_remembered(&mut self, rows: RowList, row: &RowWords) -> TypeSet {
        let RowList { list, header, of } = rows;
        let stored = self.stored_by(&of);
        let at_header = self.b.i32(header as i32);
        let length = self.list_length(at_header);
        let zero = self.b.i64(0);
        self.counted(zero, length, 1, &mut |s, i, _, _| {
            let number = s.list_item(list, at_header, i);
            if !number.is_bottom() {
                let at = s.b.unary(UnaryOp::WrapI64, number.value());
                s.evacuate_variable(&|part| of.part(part), at, &stored, row);
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
            let held = self.parts(&|part| of.part(part), &stored);
            Some((list, RememberedRows { payload: held.payload?, tag: held.tag? }))
        });
        planned.collect()
    }
}
