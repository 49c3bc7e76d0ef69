//! Arrays of the heap to which elements only push. Where the elements of a kernel touch the arrays of a kind by pushing
//! alone (`world.newborns << Rabbit.new(x)`), an element writes down the arrays and the items, in two lists at the
//! beginning of its scratch memory. They are evacuated with all that the items hold, whose objects get rows as others
//! do; then the host puts the items behind those of the arrays (`backend/cpu/driver/pushing.rs`), when all rounds of
//! the tick have run, in the order of the base. So these arrays are not watched, and what is pushed may be made by the
//! element.
//!
//! An array of the element's own object gets what was there before at once, which costs less.

use super::growing::Changing;
use super::keys::{JoinKey, Place};
use super::lists::{HEADER, START};
use super::memo::Watchers;
use super::operand::{self, Operand};
use super::results::{RowWords, is_plain, width};
use super::{Condition, Lowerer};
use crate::heap::schema::{Output, Stored};
use crate::ir::settling::{HeldForm, HeldValue, Log};
use crate::ir::{Arrays, Buffer, BufferKind, Comparison, Op, Value};
use crate::scalar::Ty;
use crate::types::{ArrayKind, ListKind, Type, TypeSet};

/// A list of a log, and where its header is.
pub(super) type LogList = (ListKind, i64);

impl Lowerer<'_> {
    /// `values` are about to be pushed to an array.
    pub(crate) fn pushed_array(
        &mut self,
        kind: ArrayKind,
        id: Value,
        values: &[&Operand],
    ) -> Option<Changing> {
        let who = self.watcher();
        let touched = self.memo.arrays.get(&kind).is_some_and(|memo| memo.touched_by.concern(who));
        let makes = values.iter().any(|value| value.types.iter().any(is_made));
        let logs = !self.in_driver && self.can_settle_pushes();
        if touched || !logs || !makes && self.is_own_array(id) {
            return self.grow_array(kind, id).then_some(Changing::Array(kind, id));
        }
        if !self.begin_growth(kind, id) {
            return None;
        }
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.pushed_by.insert(who) | self.memo.logs.insert(kind);
        Some(Changing::Log(kind, id))
    }

    /// Is there nothing else that elements leave in words of their own?
    pub(super) fn can_settle_pushes(&mut self) -> bool {
        match self.output {
            Output::Nothing | Output::Selection | Output::Program => true,
            Output::Values => {
                let [result, given] = [&self.memo.result, &self.memo.given].map(TypeSet::clone);
                self.section.is_some() || self.can_give_rows(&result) && self.can_give_rows(&given)
            }
            Output::Kept => self.section.is_some(),
        }
    }

    /// What elements give turns out to be in such words, too: then nothing is written down.
    pub(super) fn forget_logs(&mut self) {
        let any = !self.memo.logs.is_empty() || !self.memo.remembered.is_empty();
        if any && !self.can_settle_pushes() {
            self.memo.logs.clear();
            self.memo.remembered.clear();
            self.memo.arrays.values_mut().for_each(|memo| memo.pushed_by = Watchers::default());
            self.memo.changed |= true;
        }
    }

    /// Can all that values hold get rows?
    fn can_give_rows(&mut self, types: &TypeSet) -> bool {
        let (mut known, mut next) = (TypeSet::empty(), vec![(types.clone(), false)]);
        while let Some((types, is_item)) = next.pop() {
            for ty in types.iter().filter(|ty| !is_plain(&TypeSet::from((*ty).clone()))) {
                // Which class an item is needs no row.
                if is_item && matches!(ty, Type::Module(_)) || self.can_have_row(ty) {
                    continue;
                }
                if !is_made(ty) || ty.is_made_hash() {
                    return false;
                }
                if !known.contains(ty) {
                    known.insert(ty.clone());
                    let parts = operand::parts(ty).unwrap_or_default();
                    next.extend(self.held_by(ty).into_iter().chain(parts).map(|types| (types, true)));
                }
            }
        }
        true
    }

    /// Is it what a variable of the element's own object holds?
    fn is_own_array(&self, id: Value) -> bool {
        let mut value = id;
        loop {
            match self.b.definition(value) {
                Some(Op::Unary(_, of)) => value = *of,
                Some(Op::Load(buffer, index)) => {
                    let kind = &self.program.buffers[buffer.0 as usize].kind;
                    return matches!(kind, BufferKind::Column { .. }) && Some(*index) == self.own.id;
                }
                _ => return false,
            }
        }
    }

    /// Writes down that an array gets one more item.
    pub(super) fn log_push(&mut self, kind: ArrayKind, id: Value, value: &Operand) {
        let value = &self.held(value);
        if value.is_bottom() || self.b.is_dead() || !self.can_log(value) {
            return;
        }
        // What is written down is older than the call.
        self.note_stores_anywhere();
        let Some([arrays, items]) = self.lists_of_log(kind) else { return };
        let array = Operand::one(Type::Array(kind), id);
        for (slot, (list, at), item) in [(0, arrays, &array), (1, items, value)] {
            let at = self.b.i32(at as i32);
            self.within_slot(0x3e2 + slot, |s| s.push(list, at, item));
        }
        let types = self.memo.list(items.0).items.clone();
        self.list_tuples(items.0, &types);
        self.settle_types(&types);
        let settled = self.settled(&types);
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.written.extend(&settled) | memo.stored.extend(&settled);
    }

    /// Can it be put into an array after the tick? Refuses it, or learns how it is to be made.
    fn can_log(&mut self, value: &Operand) -> bool {
        if value.types.iter().any(Type::is_made_hash) {
            return self.is_storable(value);
        }
        self.can_be_put(value)
    }

    /// Can it be put into an array of the heap? Refuses it, or learns how it is to be made.
    pub(super) fn can_be_put(&mut self, value: &Operand) -> bool {
        let made = value.types.filter(is_made);
        let others = value.types.filter(|ty| !is_made(ty));
        if !others.is_empty() && !self.is_storable(&Operand { types: others, ..Operand::bottom() }) {
            return false;
        }
        if made.is_empty() {
            return true;
        }
        if self.keep_building(&value.types) || self.keep_made(&made) || !self.can_leave(&made) {
            return false;
        }
        let tuples: Vec<Type> = made.iter().filter(|ty| matches!(ty, Type::Tuple(_))).cloned().collect();
        let grew = tuples.into_iter().fold(false, |grew, tuple| self.grow_literals(&tuple.into()) | grew);
        !grew && self.can_settle(&made)
    }

    /// The lists of arrays and items.
    fn lists_of_log(&mut self, kind: ArrayKind) -> Option<[LogList; 2]> {
        let number = self.memo.logs.iter().position(|known| *known == kind)? as i64;
        let first = START + 2 * HEADER * number;
        let [arrays, items] = [0, 1].map(|part| self.memo.list_kind(JoinKey::new(Place::Log(kind), part)));
        Some([(arrays, first), (items, first + HEADER)])
    }

    /// The kinds of all such lists.
    pub(super) fn log_lists(&mut self) -> Vec<ListKind> {
        let kinds: Vec<ArrayKind> = self.memo.logs.iter().copied().collect();
        kinds.into_iter().filter_map(|kind| self.lists_of_log(kind)).flatten().map(|(list, _)| list).collect()
    }

    /// Those that elements here may have pushed to.
    pub(super) fn logs_of_element(&mut self) -> Vec<LogList> {
        if self.in_driver {
            return Vec::new();
        }
        let who = self.watcher();
        let kinds: Vec<ArrayKind> = self.memo.logs.iter().copied().collect();
        let pushed = kinds.into_iter().filter(|kind| self.memo.arrays[kind].pushed_by.concern(who));
        let pushed: Vec<ArrayKind> = pushed.collect();
        pushed.into_iter().filter_map(|kind| self.lists_of_log(kind)).flatten().collect()
    }

    /// The first word behind their headers.
    pub(super) fn end_of_logs(&self) -> i64 {
        START + 2 * HEADER * self.memo.logs.len() as i64
    }

    /// All are empty at first, and those of remembered rows behind them; gives the first word behind all.
    pub(super) fn clear_logs(&mut self, start: i64) -> Value {
        let lists = (2 * self.memo.logs.len() + self.memo.remembered.len()) as i64;
        let end = self.b.i64(start + lists * HEADER);
        let zero = self.b.i64(0);
        for list in 0..lists {
            let list = self.b.i32((start + list * HEADER) as i32);
            for (word, value) in [(0, zero), (1, zero), (2, end)] {
                self.set_header(list, word, value);
            }
        }
        end
    }

    pub(super) fn evacuate_log(&mut self, (list, at): LogList, row: &RowWords) -> TypeSet {
        let at_header = self.b.i32(at as i32);
        let length = self.list_length(at_header);
        self.copy_log(list, at, length, row);
        Type::List(list).into()
    }

    /// Copies a list of what is written down, unless there is nothing.
    pub(super) fn copy_log(&mut self, list: ListKind, at: i64, length: Value, row: &RowWords) {
        let zero = self.b.i64(0);
        let any = self.b.compare(Comparison::Gt, length, zero);
        let condition = Condition { value: any, yes: vec![], no: vec![] };
        let copy = |s: &mut Self| {
            let start = s.b.i64(at);
            s.copy_list(list, start, length, row);
            Operand::nil()
        };
        self.branch(81, condition, copy, |_| Operand::nil());
    }

    /// Where what is written down goes: by the kind of its items.
    pub(super) fn plan_log(&mut self, kind: ArrayKind) -> (ListKind, Log) {
        let lists = self.lists_of_log(kind).expect("asked of those that are");
        let [(arrays, _), (items, _)] = lists;
        let types = self.memo.list(items).items.clone();
        let stored = self.memo.arrays[&kind].stored.clone();
        let into = self.parts(&|part| BufferKind::ArrayValues(kind, part), &Stored::written(stored));
        let mut written = |buffer, ty| {
            let buffer: Buffer = self.buffer(buffer, ty);
            self.program.buffers[buffer.0 as usize].written = true;
            buffer
        };
        let log = Log {
            arrays,
            into: Arrays {
                offset: written(BufferKind::ArrayOffset(kind), Ty::I32),
                length: written(BufferKind::ArrayLength(kind), Ty::I32),
                items: into,
            },
            room: written(BufferKind::ArrayRoom(kind), Ty::I32),
            ends: written(BufferKind::ArrayEnds(kind), Ty::I64),
            items: HeldValue { word: 0, form: HeldForm::of(&types), into },
            width: width(&types),
        };
        for buffer in [into.payload, into.tag].into_iter().flatten() {
            self.program.buffers[buffer.0 as usize].written = true;
        }
        (items, log)
    }
}

pub(super) fn is_made(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(_) | Type::List(_) | Type::Record(_) | Type::Made(_))
}
