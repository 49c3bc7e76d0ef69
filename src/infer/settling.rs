//! Rows for what elements make. Where columns are looked at again (in later ticks, by later kernels, by the driver), a
//! kernel *settles*: at an element's end what its variables hold, and what its block gives, is evacuated into words of
//! its own ([`super::evacuation`]), and after each tick this gets rows of the columns, on the host, before anything
//! else runs. [`crate::ir::settling`] says how rows are made of words.
//!
//! From then on these are ordinary objects and arrays (`Type::Object`, `Type::Array`): inference adds those to whatever
//! can hold something made. Which class an id beyond those that were read has, a column says (`BufferKind::Places`), in
//! hierarchies of which the section makes objects; elsewhere it follows from ranges as ever. What `pmap` gives in a
//! driver is settled the same way. Elements that run in order are settled one by one, rounds too. A hidden column has
//! the order in which variables were set; it is written where a variable is set later that `initialize` does not always
//! set.
//!
//! Spare room behind each class, taken by elements with atomic additions, was the alternative: rows would have hung on
//! chance, and running out would have begun the section again.
//!
//! Arrays that calls gave are put together by a kernel (`__joined` of `core/`), so sums of arrays and `compact` are
//! bases like any others.

use super::Lowerer;
use super::births::Holder;
use super::keys::{Context, JoinKey, Place, Step};
use super::leaving::{FROZEN, ORDER};
use super::lists::LIST_FROZEN;
use super::operand::{self, Operand};
use super::results::{RowWords, is_plain, width};
use super::stored::Kept;
use crate::heap::schema::{Output, Stored};
use crate::ir::settling::{HeldForm, HeldValue, NewArrays, NewObjects, Settling, SettlingKernel};
use crate::ir::{
    Arrays, BinaryOp, BufferKind, Comparison, Items, KernelId, Scalar, ScalarInfo, ScalarSource, Stmt,
};
use crate::scalar::{Interval, Ty};
use crate::types::{ArrayKind, ClassId, HierarchyId, ListKind, Type, TypeSet};
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// Gets what elements make rows?
    pub(super) fn settles(&self) -> bool {
        self.repeats
            || self.section.is_some()
            || !self.memo.logs.is_empty()
            || !self.memo.remembered.is_empty()
    }

    /// What values are when they have rows.
    pub(super) fn settled(&mut self, types: &TypeSet) -> TypeSet {
        let mut settled = TypeSet::empty();
        for ty in types {
            settled.insert(match ty {
                // The next walk has lists of these.
                Type::Tuple(_) => continue,
                Type::Made(class) => Type::Object(self.host.hierarchy(*class), *class),
                Type::List(kind) => Type::Array(self.settled_kind(*kind)),
                other => other.clone(),
            });
        }
        settled
    }

    pub(super) fn settled_kind(&mut self, kind: ListKind) -> ArrayKind {
        let place = self.memo.context(Context::ROOT, Step::Settled(kind), 0);
        let number = self.memo.made_kind(place);
        self.host.made_kind(number)
    }

    /// Does the section make objects of a class that get rows?
    pub(super) fn is_settled(&self, class: ClassId) -> bool {
        self.memo.settled.contains(&class)
    }

    /// Does it make some of a hierarchy?
    pub(super) fn is_settled_hierarchy(&mut self, hierarchy: HierarchyId) -> bool {
        let classes: Vec<ClassId> = self.memo.settled.iter().copied().collect();
        classes.into_iter().any(|class| self.host.hierarchy(class) == hierarchy)
    }

    /// Can an object of the hierarchy be frozen?
    pub(super) fn any_frozen(&mut self, hierarchy: HierarchyId) -> bool {
        let made: Vec<ClassId> = self.memo.settled.iter().copied().collect();
        let freezes = made.into_iter().any(|class| {
            (self.memo.freezing.contains(&class) || self.is_always_frozen(class))
                && self.host.hierarchy(class) == hierarchy
        });
        freezes || self.host.any_frozen(hierarchy)
    }

    /// What a variable of the objects of a class can hold that the section makes.
    pub(super) fn variable_of_settled(&mut self, class: ClassId, name: &str) -> TypeSet {
        if !self.is_settled(class) {
            return TypeSet::empty();
        }
        if class == ClassId::STRING {
            return self.part_of_settled_string(name);
        }
        let fields = self.memo.made.get(&class).map(|made| made.fields.clone()).unwrap_or_default();
        match fields.iter().find(|(field, _)| field == name) {
            Some((_, types)) => self.settled(types),
            // It may be that nothing is known yet.
            None if fields.is_empty() => TypeSet::empty(),
            None => Type::Nil.into(),
        }
    }

    /// What the block of a kernel gives, which is made: puts it where it can be settled. Gives what it is then.
    pub(super) fn give_made(&mut self, kernel: KernelId, result: &TypeSet, value: &Operand) -> TypeSet {
        if self.keep_made(result) || !self.can_leave(result) || !self.can_settle(result) {
            return TypeSet::empty();
        }
        self.settle_types(result);
        let settled = self.settled(result);
        if self.b.is_dead() || value.is_bottom() {
            return settled;
        }
        let given = given(result);
        let value = self.listed(value, &given);
        self.note_held(Holder::Result, &value);
        if !operand::covers(&given, &value.types) || operand::scalars(&given).is_none() {
            self.memo.changed |= true;
            return settled;
        }
        let element = self.b.element();
        self.store_parts(&|part| BufferKind::Given(kernel, part), element, &given, &value);
        settled
    }

    /// The same of a section that is one parallel call; false where results are not given so.
    pub(super) fn store_settled_result(&mut self, value: &Operand) -> bool {
        if self.section.is_some() || self.output != Output::Values || !self.settles() {
            return false;
        }
        let known = self.memo.given.clone();
        let given = self.memo.join(&known, &value.types, JoinKey::new(Place::Section, 0));
        let given = if is_plain(&given) {
            given
        } else {
            self.memo.with_lists(given, JoinKey::new(Place::Section, 1))
        };
        self.memo.changed |= given != known;
        self.memo.given = given.clone();
        if is_plain(&given) {
            return false;
        }
        let settled = self.give_made(KernelId(0), &given, value);
        self.memo.changed |= settled != self.memo.result;
        self.memo.result = settled;
        true
    }

    /// What `with_stored_made` is to settle of the result.
    pub(super) fn given_result(&mut self) -> Option<(TypeSet, Items)> {
        let given = self.memo.given.clone();
        if is_plain(&given) || self.section.is_some() {
            return None;
        }
        let stored = Stored::written(self.memo.result.clone());
        Some((given, self.parts(&|part| BufferKind::Result(KernelId(0), part), &stored)))
    }

    /// Has what is made the form that rows can have? Arrays of fixed length become lists, from the next walk on.
    pub(super) fn can_settle(&mut self, types: &TypeSet) -> bool {
        if self.give_rows_to_hashes(types) {
            return false;
        }
        let local = types.filter(|ty| {
            !is_plain(&ty.clone().into())
                && !matches!(ty, Type::Tuple(_) | Type::List(_) | Type::Made(_) | Type::Module(_))
        });
        if local.is_empty() {
            return true;
        }
        let what = self.describe(&local);
        self.refuse_here(
            "unsupported-store",
            format!("{what} cannot be kept by elements beyond a tick"),
            Some("keep numbers, Strings, arrays and objects of classes of your own".into()),
        );
        false
    }

    /// Where elements run in order, one that comes behind another that has made something is left for later: until then
    /// what was made has no row. So many can be launched at once, of which few make something.
    pub(super) fn wait_for_rows(&mut self) {
        if !self.memo.settling.contains(&self.watcher()) {
            return;
        }
        let in_order = *self.own.one_by_one.get_or_insert_with(|| {
            let number = self.program.scalars.len() as u32;
            self.program.scalars.push(ScalarInfo { source: ScalarSource::Driver(number), ty: Ty::I64 });
            Scalar(number)
        });
        let words = self.buffer(BufferKind::KernelWords, Ty::I64);
        self.program.buffers[words.0 as usize].written = true;
        let in_order = self.b.scalar(in_order, Ty::I64, Interval { low: 0, high: 1 });
        let (element, zero, first) = (self.b.element(), self.b.i64(0), self.b.i32(0));
        let in_order = self.b.compare(Comparison::Ne, in_order, zero);
        let is_behind = self.b.compare(Comparison::Gt, element, first);
        let may_wait = self.b.binary(BinaryOp::AndB, in_order, is_behind);
        self.when(may_wait, |s| {
            let one = s.b.i32(1);
            let before = s.b.binary(BinaryOp::Sub, element, one);
            let count = s.b.load(words, before, Ty::I64, true);
            let waits = s.b.compare(Comparison::Ge, count, zero);
            s.when(waits, |s| {
                s.b.store(words, element, zero);
                s.b.emit(Stmt::Return(Vec::new()));
            });
        });
    }

    /// Evacuates what the element keeps, and gives where its kernel `gives` that.
    pub(super) fn settle_element(
        &mut self,
        kernel: KernelId,
        base: &dyn Fn(&mut Self) -> Items,
        gives: Option<(TypeSet, Items)>,
    ) {
        let kept: Vec<Kept> = if self.in_driver { vec![] } else { self.memo.kept_by(self.own.key) };
        let who = self.watcher();
        let logs = self.logs_of_element();
        let remembered = self.remembered_by_element();
        if !kept.is_empty() || !logs.is_empty() || !remembered.is_empty() || gives.is_some() {
            self.memo.changed |= self.memo.settling.insert(who);
        }
        if self.b.is_dead() || !self.memo.settling.contains(&who) {
            return;
        }
        let known = self.program.settling.kernels.get(kernel.0 as usize).and_then(Option::as_ref);
        let known = known.map(|known| known.count);
        let count = known.unwrap_or_else(|| self.driver_scalar(Ty::I64));
        self.own.words = (!self.in_driver).then_some(count);
        let one = self.b.i64(1);
        let zero = self.b.i64(0);
        let row = RowWords { next: self.temp(Operand::integer(zero)) };
        self.take_row(&row, one);
        let (mut types, mut variables) = (Vec::new(), Vec::new());
        if let Some(id) = self.own.id {
            for (i, (hierarchy, name)) in kept.into_iter().enumerate() {
                let stored = self.memo.columns[&(hierarchy, name.clone())].stored.clone();
                let part = |part| BufferKind::Column { hierarchy, name: name.clone(), part };
                self.within_slot(0x400 + i as u32, |s| s.evacuate_variable(&part, id, &stored, &row));
                variables.push((hierarchy, self.parts(&part, &Stored::written(stored.clone()))));
                types.push(stored);
            }
        }
        for (i, rows) in (0..).zip(remembered) {
            types.push(self.within_slot(0x700 + i, |s| s.evacuate_remembered(rows, &row)));
        }
        // What follows is not seen before the tick ends.
        let seen = self.temp_get(row.next).value();
        for (i, list) in (0..).zip(logs) {
            types.push(self.within_slot(0x600 + i, |s| s.evacuate_log(list, &row)));
        }
        let mut result = None;
        if let Some((gives, into)) = gives {
            let given = given(&gives);
            let part = |part| BufferKind::Given(kernel, part);
            let element = self.element_index();
            self.within_slot(0x3f9, |s| s.evacuate_variable(&part, element, &given, &row));
            let from = self.parts(&part, &Stored::written(given.clone()));
            result = Some((from, into));
            types.push(given);
        }
        self.evacuate_rest(&types, one, &row);
        let end = self.temp_get(row.next).value();
        let is_seen = self.b.compare(Comparison::Gt, seen, one);
        let minus = self.b.binary(BinaryOp::Sub, zero, end);
        let end = self.b.select(is_seen, end, minus);
        self.set_row(zero, end);
        self.temp_drop(row.next);
        let words = self.words_buffer();
        self.own.words = None;
        let base = base(self);
        let kernels = &mut self.program.settling.kernels;
        if kernels.len() <= kernel.0 as usize {
            kernels.resize(kernel.0 as usize + 1, None);
        }
        let of = kernels[kernel.0 as usize].get_or_insert(SettlingKernel {
            words,
            count,
            base,
            variables: vec![],
            result: None,
        });
        of.variables.extend(variables);
        of.result = result.or(of.result);
        types.iter().for_each(|types| self.settle_types(types));
    }

    /// What is made of these gets rows: the columns hold it.
    pub(super) fn settle_types(&mut self, types: &TypeSet) {
        let (mut classes, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        self.held_within(types, &mut classes, &mut kinds);
        let (logs, rows) = (self.log_lists(), self.lists_of_rows());
        kinds.retain(|kind| !logs.contains(kind) && !rows.contains(kind));
        for class in classes {
            self.settle_class(class);
        }
        for kind in kinds {
            let items = self.memo.list(kind).items.clone();
            if !self.keep_made(&items) && self.can_settle(&items) {
                self.list_tuples(kind, &items);
                let (settled, array) = (self.settled(&items), self.settled_kind(kind));
                let memo = self.memo.arrays.entry(array).or_default();
                let grew = memo.stored.extend(&settled) | memo.written.extend(&settled) | !memo.made;
                memo.made = true;
                self.memo.changed |= grew;
            }
            self.memo.changed |= self.memo.settled_lists.insert(kind);
        }
    }

    /// Arrays of fixed length among the items of a list have no rows: they are lists from the next walk on.
    pub(super) fn list_tuples(&mut self, kind: ListKind, items: &TypeSet) {
        if items.iter().any(|ty| matches!(ty, Type::Tuple(_))) {
            let list = self.memo.list_kind(JoinKey::new(Place::SettledItems(kind), 0));
            self.memo.list_item(kind, &Type::List(list).into());
        }
    }

    fn settle_class(&mut self, class: ClassId) {
        if self.is_exception(class) {
            self.refuse_here(
                "unsupported-store",
                "an exception cannot be kept where later ticks or other elements look",
                Some("keep its class and message".into()),
            );
            return;
        }
        self.memo.changed |= self.memo.settled.insert(class);
        if class == ClassId::STRING {
            return self.settle_strings();
        }
        let fields = self.memo.made.get(&class).map(|made| made.fields.clone()).unwrap_or_default();
        let hierarchy = self.host.hierarchy(class);
        for (index, (name, types)) in (0..).zip(fields) {
            if self.keep_made(&types) || !self.can_settle(&types) {
                continue;
            }
            if types.iter().any(|ty| matches!(ty, Type::Tuple(_))) {
                let list = self.memo.list_kind(JoinKey::new(Place::SettledFields(class), index));
                self.memo.learn_field(class, &name, &Type::List(list).into());
            }
            let settled = self.settled(&types);
            // Of what is hidden the host knows nothing.
            if name.starts_with('#') {
                self.settle_variable(hierarchy, class, &name, &settled);
            } else if let Ok(contents) = self.host.column(hierarchy, class, &name) {
                self.settle_variable(hierarchy, class, &name, &settled.union(&contents.types));
            }
        }
    }

    pub(super) fn settle_variable(
        &mut self,
        hierarchy: HierarchyId,
        class: ClassId,
        name: &str,
        types: &TypeSet,
    ) {
        let memo = self.memo.columns.entry((hierarchy, name.to_string())).or_default();
        let mut grew = memo.stored.extend(types) | !memo.grows;
        memo.grows = true;
        if !memo.classes.contains(&class) {
            memo.classes.push(class);
            grew = true;
        }
        self.memo.changed |= grew;
    }

    /// How all that gets rows is laid out, as this walk knows it.
    pub(super) fn plan_settling(&mut self) {
        if self.program.settling.kernels.is_empty() {
            return;
        }
        let kernels = std::mem::take(&mut self.program.settling.kernels);
        for (number, kernel) in kernels.iter().enumerate() {
            self.program.kernels[number].settles = kernel.is_some();
        }
        let mut settling = Settling {
            kernels,
            room: self.scalars.get(&ScalarSource::ResultWords).copied(),
            one_by_one: self.own.one_by_one,
            ..Settling::default()
        };
        for class in self.memo.settled.clone() {
            let objects = self.plan_class(class);
            settling.classes.insert(class, objects);
        }
        for kind in self.memo.settled_lists.clone() {
            let kind = self.memo.known_list(kind);
            let types = self.memo.list(kind).items.clone();
            let number = self.settled_kind(kind);
            let Some(stored) = self.memo.arrays.get(&number).map(|memo| memo.stored.clone()) else {
                continue;
            };
            let into = self.parts(&|part| BufferKind::ArrayValues(number, part), &Stored::written(stored));
            let arrays = Arrays {
                offset: self.buffer(BufferKind::ArrayOffset(number), Ty::I32),
                length: self.buffer(BufferKind::ArrayLength(number), Ty::I32),
                items: into,
            };
            let items = HeldValue { word: 0, form: HeldForm::of(&types), into };
            if self.memo.freezes_arrays && self.memo.list(kind).sealed {
                self.note_frozen_rows(number);
            }
            let may_be_frozen = self.memo.frozen_rows.contains(&number);
            let frozen =
                may_be_frozen.then(|| (self.buffer(BufferKind::FrozenArray(number), Ty::Bool), LIST_FROZEN));
            let width = width(&types);
            settling.lists.insert(kind, NewArrays { kind: number, arrays, items, width, frozen });
        }
        for kind in self.memo.logs.clone() {
            let (items, log) = self.plan_log(kind);
            settling.logs.insert(items, log);
        }
        settling.remembered.extend(self.plan_remembered());
        self.program.settling = settling;
    }

    fn plan_class(&mut self, class: ClassId) -> NewObjects {
        if class == ClassId::STRING {
            return self.plan_strings();
        }
        let fields = self.memo.made.get(&class).map(|made| made.fields.clone()).unwrap_or_default();
        let hierarchy = self.host.hierarchy(class);
        let mut frozen =
            self.any_frozen(hierarchy).then(|| self.buffer(BufferKind::Frozen(hierarchy), Ty::Bool));
        let (mut variables, mut words) = (Vec::new(), 1);
        for (name, types) in fields {
            let form = HeldForm::of(&types);
            let key = (hierarchy, name.clone());
            let Some(stored) = self.memo.columns.get(&key).map(|memo| memo.stored.clone()) else { continue };
            let into = self.parts(
                &|part| BufferKind::Column { hierarchy, name: name.clone(), part },
                &Stored::written(stored),
            );
            variables.push(HeldValue { word: words, form, into });
            if let (true, Some(frozen)) = (name == FROZEN, &mut frozen) {
                let into = Items { payload: Some(*frozen), tag: None };
                variables.push(HeldValue { word: words, form, into });
            }
            words += width(&types);
        }
        NewObjects {
            hierarchy,
            place: self.host.class_index(hierarchy, class),
            places: self.buffer(BufferKind::Places(hierarchy), Ty::I32),
            variables,
            words,
            frozen,
            all_frozen: self.is_always_frozen(class),
            bytes: None,
        }
    }

    /// A variable of objects of the heap has been set, which the section may have made: then it is known when.
    pub(super) fn note_late(&mut self, receiver: &Operand, name: &str) {
        let is_late = |s: &Self, ty: &Type| match ty {
            Type::Object(_, class) => {
                s.is_settled(*class) && !s.memo.always_set.get(class).is_some_and(|all| all.contains(name))
            }
            _ => false,
        };
        if !name.starts_with('@') || !receiver.types.iter().any(|ty| is_late(self, ty)) {
            return;
        }
        let name = name.to_string();
        self.within_slot(0x3fa, |s| {
            s.switch(&receiver.clone(), 76, &mut |s, object| {
                if let Some(ty) = object.types.single().filter(|ty| is_late(s, ty)) {
                    let Type::Object(hierarchy, class) = *ty else { return Operand::nil() };
                    s.settle_variable(hierarchy, class, ORDER, &Type::Integer.into());
                    s.note_set(&object, class, &name);
                }
                Operand::nil()
            });
        });
    }

    /// In which order the variables of an object of the heap were set, that the section has made.
    pub(super) fn order_of_settled(&mut self, hierarchy: HierarchyId, object: &Operand) -> Operand {
        let id = object.value();
        self.watch_variable(hierarchy, ORDER, id, false);
        let part = |part| BufferKind::Column { hierarchy, name: ORDER.to_string(), part };
        self.load_parts(&part, id, &Stored::written(Type::Integer.into()), true)
    }

    pub(super) fn set_order_of_settled(&mut self, hierarchy: HierarchyId, object: &Operand, order: &Operand) {
        let (id, who) = (object.value(), self.watcher());
        let memo = self.memo.columns.entry((hierarchy, ORDER.to_string())).or_default();
        self.memo.changed |= memo.written_by.insert(who) | !memo.is_written;
        memo.is_written = true;
        self.watch_variable(hierarchy, ORDER, id, true);
        let part = |part| BufferKind::Column { hierarchy, name: ORDER.to_string(), part };
        self.store_parts(&part, id, &Type::Integer.into(), order);
    }
}

/// What the block gives, with a tag that says so.
pub(super) fn given(result: &TypeSet) -> TypeSet {
    let mut given = result.clone();
    given.insert(Type::Nil);
    if given.single_shape().is_some() {
        given.insert(Type::Integer);
    }
    given
}
