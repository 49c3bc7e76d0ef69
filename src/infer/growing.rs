//! Arrays of the heap that get longer or shorter. A list of the section has its room in scratch memory; an array of the
//! heap has it behind the items of all arrays of its kind, in the columns.
//!
//! Where a section changes the length of arrays of a kind, `ArrayOffset` and `ArrayLength` are written like other
//! columns, and `ArrayRoom` says how many items fit behind the offset, at first its length. An array that needs more
//! takes twice of what it needs from what is left ([`crate::ir::Op::Claim`], an atomic addition) and moves; where
//! nothing is left an element fails with `ArraysFull` and the section begins again with more, as for scratch memory; a
//! driver has the columns made longer. So drivers and later ticks find what is there, aliases are one array, and who
//! came first decides about places only. Such arrays are watched as wholes, their lengths too: if several elements
//! change one, they run in order, compiled.
//!
//! Whether `array[i] = x` comes behind the end, with nils between, is known when it does so: the run fails with
//! `ArrayGrowth`, and the section begins anew as one that leaves gaps on that line (`versions::Learned`); others' items
//! are not taken to be nil for that.
//!
//! Copy-back gives each such array that is another one its new items with `rb_ary_replace` (`grown.rs`), which can be
//! undone.

use super::operand::Operand;
use super::pushing::is_made;
use super::remembered::Holders;
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Buffer, BufferKind, Comparison, ErrorKind, Part, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{ArrayKind, ListKind, Type};

/// An array whose length changes: one that the section makes, or one of the heap.
#[derive(Clone, Copy)]
pub(crate) enum Changing {
    List(ListKind, Value),
    Array(ArrayKind, Value),
    /// One of the heap to which elements only push: they write it down (`super::pushing`).
    Log(ArrayKind, Value),
}

impl Changing {
    pub(crate) fn of(operand: &Operand) -> Option<Self> {
        match operand.types.single() {
            Some(Type::List(kind)) => Some(Self::List(*kind, operand.value())),
            Some(Type::Array(kind)) => Some(Self::Array(*kind, operand.value())),
            _ => None,
        }
    }
}

impl Lowerer<'_> {
    /// Does the section change how long arrays of the kind are?
    pub(crate) fn array_grows(&self, kind: ArrayKind) -> bool {
        self.memo.arrays.get(&kind).is_some_and(|memo| memo.grows)
    }

    /// The length of an array is about to change: false where that cannot be.
    pub(crate) fn grow_array(&mut self, kind: ArrayKind, id: Value) -> bool {
        if !self.begin_growth(kind, id) {
            return false;
        }
        self.watch_growth(kind, id);
        true
    }

    /// The same of an array that may be frozen, and is left as it is then.
    pub(crate) fn maybe_grow_array(&mut self, kind: ArrayKind, id: Value) -> bool {
        if self.give_rows_to_copied(&Type::Array(kind).into()) || !self.note_growth(kind) {
            return false;
        }
        self.watch_growth(kind, id);
        true
    }

    fn watch_growth(&mut self, kind: ArrayKind, id: Value) {
        let zero = self.b.i64(0);
        self.note_touch(kind);
        self.watch_item(kind, (id, zero), id, true, None);
    }

    /// The same, of whatever touches the array then.
    pub(super) fn begin_growth(&mut self, kind: ArrayKind, id: Value) -> bool {
        if self.give_rows_to_copied(&Type::Array(kind).into()) || !self.note_growth(kind) {
            return false;
        }
        self.check_unfrozen_array(kind, id);
        true
    }

    fn note_growth(&mut self, kind: ArrayKind) -> bool {
        if self.array_contents(kind).is_none() {
            return false;
        }
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= !std::mem::replace(&mut memo.grows, true);
        true
    }

    /// The words of a String of the heap, which is not frozen, are about to change: false where that cannot be.
    pub(super) fn grow_words(&mut self, kind: ArrayKind, id: Value) -> bool {
        if !self.note_growth(kind) {
            return false;
        }
        let memo = self.memo.arrays.entry(kind).or_default();
        let word = Type::Integer.into();
        self.memo.changed |= memo.stored.extend(&word) | memo.written.extend(&word);
        let zero = self.b.i64(0);
        self.note_touch(kind);
        self.watch_item(kind, (id, zero), id, true, None);
        true
    }

    /// The code here touches arrays of the kind otherwise than by pushing.
    fn note_touch(&mut self, kind: ArrayKind) {
        let who = self.watcher();
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.touched_by.insert(who);
    }

    /// All items of an array may be others from here on: false where that cannot be.
    pub(crate) fn overwrite_array(&mut self, kind: ArrayKind, id: Value) -> bool {
        if self.give_rows_to_copied(&Type::Array(kind).into()) {
            return false;
        }
        self.check_unfrozen_array(kind, id);
        true
    }

    /// The length of an array of such a kind is about to be asked for, or what changes as it does.
    pub(super) fn watch_length(&mut self, kind: ArrayKind, id: Value) {
        self.note_touch(kind);
        let zero = self.b.i64(0);
        self.watch_item(kind, (id, zero), id, false, None);
    }

    /// The length and offset of an array of such a kind.
    pub(super) fn changing_length(&mut self, kind: ArrayKind, id: Value) -> Value {
        self.watch_length(kind, id);
        self.index_of_array(BufferKind::ArrayLength(kind), id)
    }

    pub(super) fn changing_offset(&mut self, kind: ArrayKind, id: Value) -> Value {
        self.note_touch(kind);
        let offset = self.index_of_array(BufferKind::ArrayOffset(kind), id);
        self.b.unary(UnaryOp::WrapI64, offset)
    }

    /// A number of the array, as an `I64`.
    pub(super) fn index_of_array(&mut self, kind: BufferKind, id: Value) -> Value {
        let buffer = self.buffer(kind, Ty::I32);
        let number = self.b.load(buffer, id, Ty::I32, true);
        let number = self.b.unary(UnaryOp::ExtendI32, number);
        self.b.at_least_zero(number)
    }

    pub(super) fn set_index(&mut self, kind: BufferKind, id: Value, number: Value) {
        let buffer = self.written_buffer(kind, Ty::I32);
        let number = self.b.unary(UnaryOp::WrapI64, number);
        self.b.store(buffer, id, number);
    }

    fn written_buffer(&mut self, kind: BufferKind, ty: Ty) -> Buffer {
        let buffer = self.buffer(kind, ty);
        self.program.buffers[buffer.0 as usize].written = true;
        buffer
    }

    /// Puts `value` behind the items of what changes.
    pub(crate) fn push_to(&mut self, to: Changing, value: &Operand) {
        match to {
            Changing::List(kind, list) => self.push(kind, list, value),
            Changing::Array(kind, id) => self.array_push(kind, id, value),
            Changing::Log(kind, id) => self.log_push(kind, id, value),
        }
    }

    pub(crate) fn set_length(&mut self, of: Changing, length: Value) {
        match of {
            Changing::List(_, list) => self.set_list_length(list, length),
            Changing::Array(kind, id) => self.set_array_length(kind, id, length),
            Changing::Log(..) => {}
        }
    }

    /// Puts `value` behind the items.
    fn array_push(&mut self, kind: ArrayKind, id: Value, value: &Operand) {
        let Some(value) = self.kept_item(kind, value) else { return };
        let length = self.changing_length(kind, id);
        let longer = self.plus(length, 1);
        self.make_array_room(kind, id, longer);
        self.array_item_store(kind, id, length, &value);
        self.set_index(BufferKind::ArrayLength(kind), id, longer);
    }

    /// Puts `value` before the items.
    pub(crate) fn array_push_front(&mut self, kind: ArrayKind, id: Value, value: &Operand) {
        let Some(value) = self.kept_item(kind, value) else { return };
        let length = self.changing_length(kind, id);
        let longer = self.plus(length, 1);
        self.make_array_room(kind, id, longer);
        let first = self.index_of_array(BufferKind::ArrayOffset(kind), id);
        let (zero, last) = (self.b.i64(0), self.plus(length, -1));
        let (minus, behind) = (self.b.i64(-1), self.plus(first, 1));
        self.within_slot(0x3e0, |s| s.move_array_items(kind, (first, behind), (last, minus), -1));
        self.array_item_store(kind, id, zero, &value);
        self.set_index(BufferKind::ArrayLength(kind), id, longer);
    }

    /// Drops the first `count` items, which are there.
    pub(crate) fn array_drop_front(&mut self, kind: ArrayKind, id: Value, count: Value) {
        for (number, op) in [
            (BufferKind::ArrayOffset(kind), BinaryOp::Add),
            (BufferKind::ArrayLength(kind), BinaryOp::Sub),
            (BufferKind::ArrayRoom(kind), BinaryOp::Sub),
        ] {
            let before = self.index_of_array(number.clone(), id);
            let after = self.b.binary(op, before, count);
            self.set_index(number, id, after);
        }
    }

    fn set_array_length(&mut self, kind: ArrayKind, id: Value, length: Value) {
        self.make_array_room(kind, id, length);
        self.set_index(BufferKind::ArrayLength(kind), id, length);
    }

    /// What can be an item of an array of the heap.
    pub(crate) fn kept_item(&mut self, kind: ArrayKind, value: &Operand) -> Option<Operand> {
        if value.is_bottom() || self.b.is_dead() {
            return None;
        }
        let value = &self.held(value);
        if self.in_driver {
            return self.with_rows(value).filter(|value| self.is_storable(value));
        }
        if self.give_rows_to_hashes(&value.types) {
            return None;
        }
        if value.types.iter().any(is_made) && self.can_settle_pushes() {
            return self.put_made(Holders::Arrays(kind), value);
        }
        if value.types.iter().any(is_made) && self.is_beside_made(kind) {
            // A variable has held the array that does not any more, as a rule.
            let message = "what an element makes would be put into an array that exists outside the section \
                           [unsupported-store]\n  hint: put it into a new array: `@list += [object]`";
            self.fail(ErrorKind::Unsupported(message.into()), &[]);
            return None;
        }
        let made = value.types.filter(is_made);
        if !made.is_empty() && !made.iter().any(Type::is_made_hash) {
            let what = self.describe(&made);
            self.refuse_here(
                "unsupported-store",
                format!(
                    "{what} made by an element is put into an array that elements of the same call look at"
                ),
                Some("look at it in another parallel call, or make a new array: `@list += [object]`".into()),
            );
            return None;
        }
        self.is_storable(value).then(|| value.clone())
    }

    /// Moves the array where it has too little room for so many items.
    fn make_array_room(&mut self, kind: ArrayKind, id: Value, needed: Value) {
        let room = self.index_of_array(BufferKind::ArrayRoom(kind), id);
        let full = self.b.compare(Comparison::Gt, needed, room);
        let condition = Condition { value: full, yes: vec![], no: vec![] };
        self.within_slot(0x3e1, |s| {
            s.branch(
                77,
                condition,
                |s| {
                    s.move_array(kind, id, needed);
                    Operand::nil()
                },
                |_| Operand::nil(),
            );
        });
    }

    pub(super) fn move_array(&mut self, kind: ArrayKind, id: Value, needed: Value) {
        let two = self.b.i64(2);
        let doubled = self.b.binary(BinaryOp::Mul, needed, two);
        let room = self.plus(doubled, 2);
        let ends = self.written_buffer(BufferKind::ArrayEnds(kind), Ty::I64);
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let limit = self.b.load(ends, one, Ty::I64, true);
        let to = if self.in_driver {
            let first = self.b.load(ends, zero, Ty::I64, true);
            let next = self.b.binary(BinaryOp::Add, first, room);
            let fits = self.b.compare(Comparison::Le, next, limit);
            let condition = Condition { value: fits, yes: vec![], no: vec![] };
            let place = self.branch(
                80,
                condition,
                |s| {
                    s.b.store(ends, zero, next);
                    Operand::integer(first)
                },
                |s| Operand::integer(s.new_items(kind, room)),
            );
            if place.is_bottom() {
                return;
            }
            place.value()
        } else {
            let to = self.b.claim(ends, room);
            let end = self.b.binary(BinaryOp::Add, to, room);
            let fits = self.b.compare(Comparison::Le, end, limit);
            self.check(fits, ErrorKind::ArraysFull(kind), &[end]);
            to
        };
        let from = self.index_of_array(BufferKind::ArrayOffset(kind), id);
        let length = self.index_of_array(BufferKind::ArrayLength(kind), id);
        let zero = self.b.i64(0);
        self.move_array_items(kind, (from, to), (zero, length), 1);
        self.set_index(BufferKind::ArrayOffset(kind), id, to);
        self.set_index(BufferKind::ArrayRoom(kind), id, room);
    }

    /// Copies the items at `first`, `first + step` … before `end`, of what begins in one place, to another.
    fn move_array_items(
        &mut self,
        kind: ArrayKind,
        (from, to): (Value, Value),
        (first, end): (Value, Value),
        step: i64,
    ) {
        let stored = self.memo.arrays.entry(kind).or_default().stored.clone();
        let (tag, payload) = stored.column_scalars();
        let parts: Vec<(Buffer, Ty)> = [(Part::Tag, tag), (Part::Payload, payload)]
            .into_iter()
            .filter_map(|(part, ty)| Some((part, ty?)))
            .map(|(part, ty)| (self.written_buffer(BufferKind::ArrayValues(kind, part), ty), ty))
            .collect();
        self.counted(first, end, step, &mut |s, i, _, _| {
            let [source, target] = [from, to].map(|start| {
                let at = s.b.binary(BinaryOp::Add, start, i);
                s.b.unary(UnaryOp::WrapI64, at)
            });
            for (buffer, ty) in &parts {
                let item = s.b.load(*buffer, source, *ty, true);
                s.b.store(*buffer, target, item);
            }
            s.remember_moved(kind, target);
        });
    }

    /// Puts nils between the end of an array and an index behind it, where that has turned out to be needed. Elsewhere no
    /// item is nil that nobody puts there.
    pub(crate) fn fill_gap(&mut self, array: &Operand, index: Value) -> bool {
        let (path, line) = self.line_here();
        let fills = self.host.leaves_gaps(&path, line);
        let grows = match Changing::of(array) {
            Some(Changing::Array(kind, id)) if fills => self.grow_array(kind, id),
            _ => fills,
        };
        if grows {
            self.within_slot(0x3e8, |s| s.send(array, "#fill_up", &[Operand::integer(index)], 1));
        }
        grows
    }

    /// `array[length] = value` puts it behind the items of an array that may grow.
    pub(super) fn array_store_or_push(&mut self, kind: ArrayKind, id: Value, at: Value, value: &Operand) {
        let length = self.array_length(kind, id);
        let ok = self.b.compare(Comparison::Le, at, length);
        self.check(ok, ErrorKind::ArrayGrowth, &[at, length]);
        let is_there = self.b.compare(Comparison::Lt, at, length);
        let condition = Condition { value: is_there, yes: vec![], no: vec![] };
        self.branch(
            78,
            condition,
            |s| {
                s.array_item_store(kind, id, at, value);
                Operand::nil()
            },
            |s| {
                s.array_push(kind, id, value);
                Operand::nil()
            },
        );
    }
}
