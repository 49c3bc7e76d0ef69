//! Arrays and objects that an element makes and keeps in its own variables. Types of columns may then have lists and
//! objects of scratch memory, which a tag tells.
//!
//! While the element runs such a variable refers to its scratch memory, so it is read and changed as everything there;
//! loops around the store keep their memory. At the element's end what its variables hold is evacuated
//! (`super::evacuation`) into the words of its result, together with that, and the columns get the index of the element
//! and the word. The extension makes each thing once, by element and word, wherever it is referred to. Nothing can read
//! it there: an element that reads such a variable of another one, or of an earlier element of the same object, fails
//! and the section with it. So only sections of one tick do this.

use super::Lowerer;
use super::joins::has_list;
use super::keys::{JoinKey, Place};
use super::operand::{self, Operand};
use super::remembered::Holders;
use super::results::RowWords;
use crate::heap::schema::{Base, BaseColumn};
use crate::ir::{BinaryOp, BufferKind, Comparison, ErrorKind, Items, KernelId, Part, UnaryOp, Value};
use crate::types::{ArrayKind, HierarchyId, Shape, Type, TypeSet};

/// A variable that holds what elements make.
pub(super) type Kept = (HierarchyId, String);

impl Lowerer<'_> {
    /// The value as a variable keeps it. `None`: it cannot, or another walk is needed.
    pub(super) fn prepare_stored(
        &mut self,
        receiver: &Operand,
        name: &str,
        value: &Operand,
    ) -> Option<Operand> {
        let value = &self.held(value);
        let is_made =
            |ty: &Type| matches!(ty, Type::Tuple(_) | Type::List(_) | Type::Record(_) | Type::Made(_));
        if self.in_driver {
            return self.with_rows(value).filter(|value| self.is_storable(value));
        }
        let made = value.types.filter(is_made);
        // A Hash is carried in values, as which no variable keeps it.
        let has_hash = made.iter().any(Type::is_made_hash);
        if made.is_empty() || has_hash {
            return self.is_storable(value).then(|| value.clone());
        }
        if !self.keeps_made(receiver) || self.is_remembered(receiver, name) {
            let key = match receiver.types.single_shape() {
                Some(Shape::Object(hierarchy)) if !self.in_driver && self.can_settle_pushes() => {
                    (hierarchy, name.to_string())
                }
                _ => return self.is_storable(value).then(|| value.clone()),
            };
            // Its own element would look for it while others store there: it writes down the row, too.
            self.memo.kept.retain(|(_, hierarchy, name)| (hierarchy, name) != (&key.0, &key.1));
            let value = self.put_made(Holders::Objects(key.0, key.1.clone()), value);
            self.memo.changed |= value.is_some() && self.memo.stores_made.insert(key);
            return value;
        }
        if self.keep_building(&value.types) || self.keep_made(&made) {
            return None;
        }
        let others = value.types.filter(|ty| !is_made(ty));
        if !others.is_empty() && !self.is_storable(&Operand { types: others, ..Operand::bottom() }) {
            return None;
        }
        if !self.can_leave(&made) {
            return None;
        }
        // Arrays of fixed length are made as lists, so that it is known which one each is.
        let tuples: Vec<Type> = made.iter().filter(|ty| matches!(ty, Type::Tuple(_))).cloned().collect();
        if tuples.into_iter().fold(false, |grew, tuple| self.grow_literals(&tuple.into()) | grew) {
            return None;
        }
        self.note_keeping();
        let Some(Type::Object(hierarchy, _)) = receiver.types.iter().next() else { return None };
        if self.settles() {
            if !self.can_settle(&made) {
                return None;
            }
            self.settle_types(&made);
        }
        self.memo.changed |= self.memo.stores_made.insert((*hierarchy, name.to_string()));
        self.memo.changed |= self.memo.kept.insert((self.own.key, *hierarchy, name.to_string()));
        Some(value.clone())
    }

    /// Is it known that elements store what they make in this variable of other objects?
    pub(super) fn is_remembered(&self, receiver: &Operand, name: &str) -> bool {
        let Some(Shape::Object(hierarchy)) = receiver.types.single_shape() else { return false };
        self.memo.remembered.contains_key(&Holders::Objects(hierarchy, name.to_string()))
    }

    /// Is it the element's own object, whose variables are looked after at its end?
    pub(super) fn keeps_made(&self, receiver: &Operand) -> bool {
        let is_own = self.own.id.is_some() && receiver.values.first().copied() == self.own.id;
        is_own && !self.in_driver
    }

    /// The value as the column keeps it, where all arrays that are made are of one kind. `None`: another walk is needed.
    pub(super) fn listed_in_column(
        &mut self,
        key: &(HierarchyId, String),
        value: &Operand,
    ) -> Option<Operand> {
        let Some(number) = self.memo.stores_made.iter().position(|known| known == key) else {
            return Some(value.clone());
        };
        let place = JoinKey::new(Place::Column(number as u32), 0);
        let mut all = self.memo.columns.get(key)?.written.union(&value.types);
        if all.iter().any(|ty| matches!(ty, Type::Tuple(_))) {
            all.insert(Type::List(self.memo.list_kind(place.next())));
        }
        let mut written = self.memo.widen(all, place);
        if self.settles() {
            written = written.union(&self.settled(&written));
        }
        let memo = self.memo.columns.get_mut(key)?;
        let mut stored = memo.stored.filter(|ty| !matches!(ty, Type::List(_))).union(&written);
        // So there is a tag, which says what has been evacuated.
        stored.insert(Type::Nil);
        self.memo.changed |= memo.stored != stored || memo.written != written;
        (memo.stored, memo.written) = (stored.clone(), written);
        let value = self.listed(value, &stored);
        if !operand::covers(&stored, &value.types) || operand::scalars(&stored).is_none() {
            self.memo.changed |= true;
            return None;
        }
        Some(value)
    }

    /// Is there a variable that may hold an array of this kind or one that the section makes?
    pub(crate) fn is_beside_made(&self, kind: ArrayKind) -> bool {
        let is_array =
            |key| self.memo.columns.get(key).is_some_and(|memo| memo.stored.contains(&Type::Array(kind)));
        self.memo.stores_made.iter().any(is_array)
    }

    /// A variable is read that may hold what was made: by the element that has made it, or nobody.
    pub(super) fn check_stored_made(&mut self, value: &Operand, name: &str) {
        let is_made = value.types.iter().any(|ty| matches!(ty, Type::List(_) | Type::Made(_)));
        // What a driver sees has a row.
        if !is_made || value.values.len() < 2 || self.in_driver {
            return;
        }
        let tag = self.b.unary(UnaryOp::ExtendI32, value.values[0]);
        let (is_made, is_elsewhere) = self.stored_where(tag, value.values[1]);
        let lost = self.b.binary(BinaryOp::AndB, is_made, is_elsewhere);
        let ok = self.b.unary(UnaryOp::Not, lost);
        let message = format!(
            "{name} holds what another element has made in this section, which cannot be looked at [unsupported-store]\n  \
             hint: make it in a section of its own, before the one that looks at it"
        );
        self.check(ok, ErrorKind::Unsupported(message), &[]);
    }

    /// Has a variable what was made, and has it been evacuated?
    fn stored_where(&mut self, tag: Value, payload: Value) -> (Value, Value) {
        let [list, made, half, zero] =
            [Shape::List.tag().into(), Shape::Made.tag().into(), 32, 0].map(|n: i64| self.b.i64(n));
        let is_list = self.b.compare(Comparison::Eq, tag, list);
        let is_object = self.b.compare(Comparison::Eq, tag, made);
        let is_made = self.b.binary(BinaryOp::OrB, is_list, is_object);
        let element = self.b.binary(BinaryOp::Shr, payload, half);
        let is_elsewhere = self.b.compare(Comparison::Ne, element, zero);
        (is_made, is_elsewhere)
    }

    /// Runs `f`, which writes the element's result, and evacuates what its variables hold.
    pub(super) fn with_stored_made(&mut self, base: &Base, f: impl FnOnce(&mut Self)) {
        if self.settles() {
            f(self);
            self.forget_logs();
            let base = |s: &mut Self| match &base.columns[base.own()] {
                BaseColumn::Items(stored) => s.parts(&|part| BufferKind::Base(KernelId(0), part), stored),
                _ => Items::default(),
            };
            let gives = self.given_result();
            return self.settle_element(KernelId(0), &base, gives);
        }
        let columns = self.memo.kept_by(self.own.key);
        let (Some(id), false, false) = (self.own.id, columns.is_empty(), self.b.is_dead()) else {
            return f(self);
        };
        // What the result has for itself is no object: they begin behind that.
        let words = match super::results::is_plain(&self.memo.result) {
            true => 0,
            false => super::results::width(&self.memo.result),
        };
        let zero = self.b.i64(0);
        let row = RowWords { next: self.temp(Operand::integer(zero)) };
        let first = self.b.i64(words as i64);
        self.take_row(&row, first);
        self.own.row = Some(row);
        f(self);
        self.own.row = None;
        if self.b.is_dead() {
            return;
        }
        let mut types = vec![self.memo.result.clone()];
        for (i, (hierarchy, name)) in columns.into_iter().enumerate() {
            let stored = self.memo.columns[&(hierarchy, name.clone())].stored.clone();
            let part = |part| BufferKind::Column { hierarchy, name: name.clone(), part };
            self.within_slot(0x400 + i as u32, |s| s.evacuate_variable(&part, id, &stored, &row));
            types.push(stored);
        }
        self.evacuate_rest(&types, first, &row);
        self.temp_drop(row.next);
    }

    pub(super) fn evacuate_variable(
        &mut self,
        part: &dyn Fn(Part) -> BufferKind,
        id: Value,
        stored: &TypeSet,
        row: &RowWords,
    ) {
        // Of classes beside other things there is nothing to evacuate.
        if !has_list(stored) {
            return;
        }
        let value = self.load_parts(part, id, &crate::heap::schema::Stored::written(stored.clone()), true);
        if value.values.len() != 2 {
            self.memo.changed |= true;
            return;
        }
        let tag = self.b.unary(UnaryOp::ExtendI32, value.values[0]);
        let payload = value.values[1];
        let (is_made, is_elsewhere) = self.stored_where(tag, payload);
        let is_here = self.b.unary(UnaryOp::Not, is_elsewhere);
        let is_here = self.b.binary(BinaryOp::AndB, is_made, is_here);
        let now = self.words_where(is_here, &[payload], |s| {
            let mut words = vec![payload];
            for (slot, shape) in [(0, Shape::List), (1, Shape::Made)] {
                let part = stored.filter(|ty| ty.shape() == shape);
                if part.is_empty() {
                    continue;
                }
                let shape = s.b.i64(shape.tag().into());
                let is_it = s.b.compare(Comparison::Eq, tag, shape);
                let before = words.clone();
                words = s.within_slot(slot, |s| {
                    s.words_where(is_it, &before, |s| vec![s.evacuated_reference(&part, payload, row)])
                });
            }
            let (one, half) = (s.b.i64(1), s.b.i64(32));
            let element = s.element_index();
            let element = s.b.unary(UnaryOp::ExtendI32, element);
            let element = s.b.binary(BinaryOp::Add, element, one);
            let element = s.b.binary(BinaryOp::Shl, element, half);
            vec![s.b.binary(BinaryOp::Or, element, words[0])]
        });
        let buffer = self.buffer(part(Part::Payload), crate::scalar::Ty::I64);
        // Also where this walk stores nothing else there.
        self.program.buffers[buffer.0 as usize].written = true;
        self.b.store(buffer, id, now[0]);
    }
}
