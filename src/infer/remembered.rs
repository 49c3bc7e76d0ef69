//! What elements make and put into arrays of the heap that they look at: `groups[key] ||= []`, `cells[[x, y]] = true`.
//!
//! Until the element ends such an item refers to its scratch memory. Which rows of the columns may hold such references
//! it writes down in a list of its scratch memory, the *remembered set* of generational garbage collectors. At its end
//! what they refer to is evacuated and gets rows ([`super::settling`]), and who runs the driver has the items refer to
//! those. Other elements never see what has none yet: those that touch one array run in order, one after the other.

use super::Lowerer;
use super::lists::HEADER;
use super::operand::{self, Operand};
use super::pushing::is_made;
use super::results::RowWords;
use crate::heap::schema::Stored;
use crate::ir::settling::RememberedRows;
use crate::ir::{BinaryOp, BufferKind, Comparison, UnaryOp, Value};
use crate::types::{ArrayKind, ListKind, Shape, Type, TypeSet};

/// A list of rows, where its header is, and the kind of the arrays that they are of.
pub(super) type RowList = (ListKind, i64, ArrayKind);

impl Lowerer<'_> {
    /// `value`, which the element has made, is to be an item of an array of the heap. `None`: it cannot be, or another
    /// walk is needed.
    pub(super) fn prepare_item(&mut self, kind: ArrayKind, value: &Operand) -> Option<Operand> {
        let made = value.types.filter(is_made);
        if made.iter().any(Type::is_made_hash) || !self.can_be_put(value) {
            return self.is_storable(value).then(|| value.clone());
        }
        for key in self.loops.clone() {
            self.memo.changed |= self.memo.keeping_loops.insert(key);
        }
        self.note_stores_anywhere();
        self.settle_types(&made);
        let who = self.watcher();
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.remembered_by.insert(who) | self.memo.remembered.insert(kind);
        Some(value.clone())
    }

    /// The value as the items of such arrays are stored, with a tag that tells what is made. `None`: another walk is
    /// needed.
    pub(super) fn listed_in_array(&mut self, kind: ArrayKind, value: &Operand) -> Option<Operand> {
        if !self.memo.remembered.contains(&kind) {
            return Some(value.clone());
        }
        let place = (u32::MAX - 18, kind.0, 0);
        let mut all = self.memo.arrays.entry(kind).or_default().written.union(&value.types);
        if all.iter().any(|ty| matches!(ty, Type::Tuple(_))) {
            all.insert(Type::List(self.memo.list_kind((place.0, place.1, 1))));
        }
        let mut written = self.memo.widen(all, place);
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
    pub(super) fn remember(&mut self, kind: ArrayKind, row: Value, value: &TypeSet) {
        let is_made = value.iter().any(|ty| matches!(ty, Type::List(_) | Type::Made(_)));
        if is_made && !self.in_driver {
            self.remember_row(kind, row);
        }
    }

    /// An item has moved to a row.
    pub(super) fn remember_moved(&mut self, kind: ArrayKind, row: Value) {
        let stored = match self.memo.arrays.get(&kind) {
            Some(memo) if self.memo.remembered.contains(&kind) && !self.in_driver => memo.stored.clone(),
            _ => return,
        };
        let part = |part| BufferKind::ArrayValues(kind, part);
        let item = self.load_parts(&part, row, &Stored::written(stored), true);
        if item.values.len() != 2 {
            self.memo.changed = true;
            return;
        }
        let tag = self.b.unary(UnaryOp::ExtendI32, item.values[0]);
        let [list, made] = [Shape::List, Shape::Made].map(|shape| self.b.i64(shape.tag().into()));
        let [list, made] = [list, made].map(|shape| self.b.compare(Comparison::Eq, tag, shape));
        let is_made = self.b.binary(BinaryOp::OrB, list, made);
        let condition = super::Condition { value: is_made, yes: vec![], no: vec![] };
        self.branch(
            80,
            condition,
            |s| {
                s.remember_row(kind, row);
                Operand::nil()
            },
            |_| Operand::nil(),
        );
    }

    fn remember_row(&mut self, kind: ArrayKind, row: Value) {
        let Some((list, at, _)) = self.list_of_rows(kind) else { return };
        let row = self.b.unary(UnaryOp::ExtendI32, row);
        let at = self.b.i32(at as i32);
        self.within_slot(0x3e8, |s| s.push(list, at, &Operand::integer(row)));
    }

    fn list_of_rows(&mut self, kind: ArrayKind) -> Option<RowList> {
        let number = self.memo.remembered.iter().position(|known| *known == kind)? as i64;
        let list = self.memo.list_kind((u32::MAX - 17, kind.0, 0));
        Some((list, self.end_of_logs() + HEADER * number, kind))
    }

    /// The kinds of all such lists.
    pub(super) fn lists_of_rows(&mut self) -> Vec<ListKind> {
        let kinds: Vec<ArrayKind> = self.memo.remembered.iter().copied().collect();
        kinds.into_iter().filter_map(|kind| self.list_of_rows(kind)).map(|(list, ..)| list).collect()
    }

    /// Those in which elements here may have rows.
    pub(super) fn remembered_by_element(&mut self) -> Vec<RowList> {
        if self.in_driver {
            return Vec::new();
        }
        let who = self.watcher();
        let kinds: Vec<ArrayKind> = self.memo.remembered.iter().copied().collect();
        let own = kinds.into_iter().filter(|kind| self.memo.arrays[kind].remembered_by.concern(who));
        own.collect::<Vec<_>>().into_iter().filter_map(|kind| self.list_of_rows(kind)).collect()
    }

    /// Evacuates what the rows of a list refer to, and the list; gives what is in the element's words then.
    pub(super) fn evacuate_remembered(&mut self, (list, at, kind): RowList, row: &RowWords) -> TypeSet {
        let stored = self.memo.arrays.entry(kind).or_default().stored.clone();
        let header = self.b.i32(at as i32);
        let length = self.list_length(header);
        let zero = self.b.i64(0);
        self.counted(zero, length, 1, &mut |s, i, _, _| {
            let number = s.list_item(list, header, i);
            if !number.is_bottom() {
                let at = s.b.unary(UnaryOp::WrapI64, number.value());
                s.evacuate_variable(&|part| BufferKind::ArrayValues(kind, part), at, &stored, row);
            }
        });
        let start = self.b.i64(at);
        self.copy_list(list, start, length, row);
        let mut types = stored.filter(|ty| matches!(ty, Type::List(_) | Type::Made(_)));
        types.insert(Type::List(list));
        types
    }

    /// The columns whose rows are in such lists, by the kind of the list.
    pub(super) fn plan_remembered(&mut self, kind: ArrayKind) -> Option<(ListKind, RememberedRows)> {
        let (list, ..) = self.list_of_rows(kind)?;
        let stored = self.memo.arrays.get(&kind)?.stored.clone();
        let items = self.parts(&|part| BufferKind::ArrayValues(kind, part), &Stored::written(stored));
        let (Some(payload), Some(tag)) = (items.payload, items.tag) else { return None };
        Some((list, RememberedRows { payload, tag }))
    }
}
