//! Objects that leave the section: which classes that can be, and in which order their variables were set.
//!
//! Ruby shows the order (`instance_variables`, `inspect`, Marshal), and whether a variable was set at all. So the
//! objects of a class that leaves have a hidden variable that tells which of their variables were set, and in which
//! order: a constant, but for variables that are set under a condition. The extension allocates the object and sets the
//! variables; `initialize` has run in the section.

use super::Lowerer;
use super::branches::Condition;
use super::copies::ORIGINAL;
use super::exceptions::RECEIVER;
use super::host::Method;
use super::operand::{self, Operand};
use super::variables::SET;
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp, Value};
use crate::types::{ClassId, ListKind, Shape, Type, TypeSet};
use std::collections::BTreeSet;
use std::collections::btree_map::Entry;

/// The variable that holds the order.
pub const ORDER: &str = "#order";
/// Whether the object is frozen, of classes whose objects the section freezes.
pub const FROZEN: &str = "#frozen";
/// Of so many variables, at most, the order is a number that can be computed: so many bits tell which of them are set,
/// and those above, four for each, which was the last, the one before it and so on (from 1). Of more the number is the
/// complement of an index of [`crate::heap::Schema::orders`], which has to be a constant.
const COUNTED: usize = 12;
const PLACE_BITS: i64 = 4;

/// What has been met of what leaves.
#[derive(Default)]
struct Met {
    /// Classes of objects that are carried in values.
    records: Vec<ClassId>,
    made: BTreeSet<ClassId>,
    lists: BTreeSet<ListKind>,
    /// Are they results, which lambdas may be?
    given: bool,
}

impl Lowerer<'_> {
    /// Can all that a set is made of become Ruby objects? Refuses what cannot. What matters in more than one place of the
    /// result is kept in memory from the next walk on, where it can be told which object it is.
    pub(super) fn can_leave(&mut self, types: &TypeSet) -> bool {
        self.parts_can_leave(types, &mut Met::default(), false)
    }

    /// The same for what the block gives, which may also hold lambdas and default blocks that use nothing around them.
    pub(super) fn can_be_given(&mut self, types: &TypeSet) -> bool {
        self.parts_can_leave(types, &mut Met { given: true, ..Met::default() }, false)
    }

    fn parts_can_leave(&mut self, types: &TypeSet, met: &mut Met, within: bool) -> bool {
        types.iter().all(|ty| match ty {
            Type::Tuple(items) => items.iter().all(|types| self.parts_can_leave(types, met, within)),
            Type::List(kind) => {
                let items = self.memo.list(*kind).items.clone();
                !met.lists.insert(*kind) || self.parts_can_leave(&items, met, true)
            }
            Type::Made(ClassId::STRING) => true,
            Type::Made(class) => {
                if !met.made.insert(*class) {
                    return true;
                }
                let fields = self.memo.made.get(class).map(|made| made.fields.clone()).unwrap_or_default();
                self.class_can_leave(*class)
                    && fields.iter().all(|(_, types)| self.parts_can_leave(types, met, true))
            }
            Type::Record(record) if record.is_hash() => {
                let of_default = &record.fields[3].1;
                let is_block = |ty: &Type| {
                    matches!(ty.shape(), Shape::Proc | Shape::Local) && !matches!(ty, Type::Tuple(_))
                };
                // Those of drivers that elements change are arrays of the heap.
                let is_made =
                    record.fields[..2].iter().all(|(_, list)| matches!(list.single(), Some(Type::List(_))));
                let is_lost = of_default.iter().any(|ty| match ty {
                    Type::Proc(number) if is_made => !self.give_proc(*number),
                    ty => is_block(ty),
                });
                if is_lost {
                    self.refuse_here(
                        "unsupported-result",
                        "a Hash with a default block that uses variables or self cannot leave the section",
                        Some(
                            "let the block use the Hash, the key and constants; or give a copy without it: \
                             {}.merge(hash)"
                                .into(),
                        ),
                    );
                    return false;
                }
                let mut parts = record.fields.iter().map(|(_, types)| types.filter(|ty| !is_block(ty)));
                parts.all(|types| self.parts_can_leave(&types, met, within))
            }
            Type::Record(record) if record.class.leaves() => {
                if !self.class_can_leave(record.class) {
                    return false;
                }
                if within || met.records.contains(&record.class) {
                    self.keep_made(&ty.clone().into());
                    return false;
                }
                met.records.push(record.class);
                record.fields.iter().all(|(_, types)| self.parts_can_leave(types, met, within))
            }
            // Nothing but a result has a place for one.
            Type::Range { .. } if met.given => true,
            Type::Record(record) if met.given && ty.is_text_range() => {
                record.fields.iter().all(|(_, types)| self.parts_can_leave(types, met, within))
            }
            Type::Proc(_) | Type::Closure(..) if met.given && self.can_give_proc(ty) => true,
            other if matches!(other.shape(), Shape::Local | Shape::Proc) => {
                let what = self.describe(&other.clone().into());
                let hint = match other {
                    Type::Enumerator(..) => "end the chain with to_a",
                    Type::Record(record) if record.class == ClassId::MATCH_DATA => {
                        "return what was found: its texts or places"
                    }
                    _ => "return its numbers",
                };
                let where_to =
                    if within { "be in what leaves it, or what objects keep" } else { "be returned from it" };
                self.refuse_here(
                    "unsupported-result",
                    format!("{what} made in a section cannot {where_to}"),
                    Some(hint.into()),
                );
                false
            }
            _ => true,
        })
    }

    fn class_can_leave(&mut self, class: ClassId) -> bool {
        let is_plain_exception = self.is_exception(class)
            && (!self.has_more(class)
                || self.is_of_text(class)
                || self.is_initialized_outside(class)
                // What `throw` takes out of the section.
                || class == ClassId::UNCAUGHT_THROW_ERROR);
        let is_known = class.leaves() && !class.is_plain() || self.host.is_subclass(class, ClassId::RANDOM);
        if self.host.is_opaque(class) && !is_known && !is_plain_exception {
            let name = self.host.class_name(class);
            self.refuse_here(
                "unsupported-result",
                format!("{name} is made in C, so a section cannot return one that it has made"),
                Some("return its numbers, and make it outside".into()),
            );
            return false;
        }
        let mut grew = false;
        if let Entry::Vacant(unknown) = self.memo.leaving.entry(class) {
            unknown.insert(vec![]);
            grew = true;
        }
        // Literals are frozen.
        grew |= class == ClassId::REGEXP && self.memo.freezing.insert(class);
        self.memo.restart |= grew;
        self.memo.changed |= grew;
        true
    }

    /// The variables that no user can name, of an object of which no other is set.
    pub(super) fn hidden_variables(&mut self, class: ClassId) -> Vec<(String, Operand)> {
        let mut hidden = Vec::new();
        let leaves = self.memo.leaving.contains_key(&class);
        // Numbers have it from the first walk on: as results of several kernels they would be of two kinds otherwise,
        // and kept in memory for that.
        if leaves || class.parts().is_some() {
            let none = if leaves { self.order_number(class, &[]) } else { 0 };
            hidden.push((ORDER.to_string(), Operand::integer(self.b.i64(none))));
            if self.memo.copied.contains(&class) {
                hidden.push((ORIGINAL.to_string(), Operand::integer(self.b.i64(0))));
            }
        }
        if self.memo.freezing.contains(&class) {
            hidden.push((FROZEN.to_string(), Operand::bool(self.b.bool(false))));
        }
        if self.is_exception(class) {
            hidden.extend(self.exception_variables(class));
        }
        let fields = self.memo.fields.entry(class).or_default();
        let made = self.memo.made.get(&class).map_or(&[][..], |made| &made.fields[..]);
        for asked in &self.memo.asked_set {
            if fields.contains(asked) || made.iter().any(|(name, _)| name == asked) {
                hidden.push((format!("{SET}{asked}"), Operand::bool(self.b.bool(false))));
            }
        }
        for (name, _) in &hidden {
            if !fields.contains(name) {
                fields.push(name.clone());
            }
        }
        hidden
    }

    /// Are its objects frozen as soon as they are there: those of Data, and numbers?
    pub(super) fn is_always_frozen(&self, class: ClassId) -> bool {
        class.is_number_of_parts() || self.host.is_subclass(class, ClassId::DATA)
    }

    /// Freezes an object that the section makes.
    pub(crate) fn freeze_made(&mut self, object: &Operand) -> Operand {
        let Some(ty) = object.types.single() else { return object.clone() };
        let class = super::class_of(ty);
        if self.is_always_frozen(class) {
            return object.clone();
        }
        if self.memo.freezing.insert(class) {
            self.memo.restart = true;
            self.memo.changed |= true;
        }
        let frozen = Operand::bool(self.b.bool(true));
        self.write_record(object, FROZEN, &frozen);
        if self.b.is_dead() { Operand::bottom() } else { object.clone() }
    }

    /// Is an object frozen that the section makes?
    pub(crate) fn is_frozen_made(&mut self, object: &Operand) -> Value {
        let class = object.types.single().map_or(ClassId::OBJECT, super::class_of);
        if !self.memo.freezing.contains(&class) {
            let is_frozen = self.is_always_frozen(class);
            return self.b.bool(is_frozen);
        }
        match self.record_variable(object, FROZEN).filter(|frozen| frozen.values.len() == 1) {
            Some(frozen) => frozen.value(),
            None => self.b.bool(false),
        }
    }

    /// A variable of an object is about to be written.
    pub(super) fn check_unfrozen_made(&mut self, object: &Operand, class: ClassId, name: &str) {
        if name.starts_with('#') || !self.memo.freezing.contains(&class) || self.b.is_dead() {
            return;
        }
        let frozen = self.is_frozen_made(object);
        if self.b.constant(frozen) == Some(0) {
            return;
        }
        self.refuse_frozen_made(object, class, frozen);
    }

    /// A FrozenError where what the section has made is frozen. Its message is made only for who sees it.
    pub(crate) fn refuse_frozen_made(&mut self, object: &Operand, class: ClassId, frozen: Value) {
        if !self.keeps_facts(ClassId::FROZEN_ERROR, &[&object.types]) {
            let ok = self.b.unary(UnaryOp::Not, frozen);
            self.check(ok, ErrorKind::FrozenMade(class), &[]);
            return;
        }
        if self.keep_building(&object.types) {
            return;
        }
        let condition = Condition { value: frozen, yes: vec![], no: vec![] };
        self.branch(0x3fb, condition, |s| s.fail_frozen_made(object, class), |_| Operand::nil());
    }

    fn fail_frozen_made(&mut self, object: &Operand, class: ClassId) -> Operand {
        // Of an object that has no `inspect` but Object's, Ruby tells the address: the host does, when it has one.
        let found = self.host.method(class, "inspect");
        let has_address = match &found {
            Ok(Some(found)) => {
                matches!(found.method, Method::Native { .. }) && found.owner == ClassId::KERNEL
            }
            _ => false,
        };
        if has_address {
            return self.raise_keeping(ClassId::FROZEN_ERROR, None, None, &[(RECEIVER, object.clone())]);
        }
        self.send(object, "#refuse_frozen", &[], 0x60)
    }

    /// An object has been made with these values: which variables it has from the beginning.
    pub(super) fn learn_always_set(&mut self, class: ClassId, values: &[(String, Operand)]) {
        let Some(variables) = self.memo.leaving.get(&class) else { return };
        let order = values.iter().find(|(name, _)| name == ORDER).map(|(_, order)| order.value());
        let names = order
            .and_then(|order| self.b.constant(order))
            .and_then(|order| OrderNames { orders: &self.memo.orders, variables }.of(order));
        let names: BTreeSet<String> = names.unwrap_or_default().into_iter().collect();
        match self.memo.always_set.entry(class) {
            Entry::Vacant(unknown) => {
                unknown.insert(names);
                self.memo.changed |= true;
            }
            Entry::Occupied(mut known) => {
                let before = known.get().len();
                known.get_mut().retain(|name| names.contains(name));
                self.memo.changed |= known.get().len() != before;
            }
        }
    }

    /// A variable of an object has been set.
    pub(super) fn note_set(&mut self, receiver: &Operand, class: ClassId, name: &str) {
        if !name.starts_with('@') || self.b.is_dead() {
            return;
        }
        if class == ClassId::DATE && self.memo.leaving.contains_key(&class) {
            self.refuse_here(
                "unsupported-result",
                format!("{name} of a Date made in a section, as it may leave it, cannot be set"),
                Some("keep the value in a Hash by the Date, or in an object of your own".into()),
            );
            return;
        }
        let Some(known) = self.memo.leaving.get_mut(&class) else { return };
        let place = known.iter().position(|known| known == name).unwrap_or_else(|| {
            known.push(name.to_string());
            self.memo.changed |= true;
            known.len() - 1
        });
        let count = known.len();
        let Some(order) = self.record_variable(receiver, ORDER).filter(|o| o.types == Type::Integer.into())
        else {
            return;
        };
        let next = match self.b.constant(order.value()) {
            Some(order) => {
                let schema = OrderNames { orders: &self.memo.orders, variables: &self.memo.leaving[&class] };
                let mut names = schema.of(order).unwrap_or_default();
                if names.iter().any(|set| set == name) {
                    return;
                }
                names.push(name.to_string());
                let next = self.order_number(class, &names);
                self.b.i64(next)
            }
            None if count > COUNTED => {
                let class = self.host.class_name(class);
                self.refuse_here(
                    "unsupported-result",
                    format!(
                        "it is not known in which order the {count} instance variables of a {class} are set, which \
                         leaves the section"
                    ),
                    Some(format!(
                        "set all of them at the beginning of `initialize`, or have {COUNTED} of them at most"
                    )),
                );
                return;
            }
            None => self.set_in_order(order.value(), place as i64),
        };
        self.write_record(receiver, ORDER, &Operand::integer(next));
    }

    /// An order with one variable more, if it does not have it.
    fn set_in_order(&mut self, order: Value, place: i64) -> Value {
        let (zero, bit) = (self.b.i64(0), self.b.i64(1 << place));
        let found = self.b.binary(BinaryOp::And, order, bit);
        let is_set = self.b.compare(Comparison::Ne, found, zero);
        let [all, up, wide, number] =
            [(1 << COUNTED) - 1, COUNTED as i64, PLACE_BITS, place + 1].map(|n| self.b.i64(n));
        let set = self.b.binary(BinaryOp::And, order, all);
        let set = self.b.binary(BinaryOp::Or, set, bit);
        let last = self.b.binary(BinaryOp::Shr, order, up);
        let last = self.b.binary(BinaryOp::Shl, last, wide);
        let last = self.b.binary(BinaryOp::Or, last, number);
        let last = self.b.binary(BinaryOp::Shl, last, up);
        let next = self.b.binary(BinaryOp::Or, last, set);
        self.b.select(is_set, order, next)
    }

    /// The order in which these variables of a class are set.
    fn order_number(&mut self, class: ClassId, names: &[String]) -> i64 {
        let known = &self.memo.leaving[&class];
        if known.len() > COUNTED {
            return !i64::from(self.memo.order(names.to_vec()));
        }
        let places = names.iter().filter_map(|name| known.iter().position(|known| known == name));
        let (mut set, mut last) = (0, 0);
        for place in places {
            set |= 1 << place;
            last = last << PLACE_BITS | (place as i64 + 1);
        }
        last << COUNTED | set
    }

    /// The words that a value's scalars are.
    pub(super) fn words_of(&mut self, value: &Operand) -> Vec<Value> {
        value.values.clone().into_iter().map(|scalar| self.encode_payload(scalar)).collect()
    }
}

/// What tells which variables an order has.
#[derive(Clone, Copy)]
pub struct OrderNames<'a> {
    /// As in [`crate::heap::Schema`].
    pub orders: &'a [Vec<String>],
    /// Those of the class.
    pub variables: &'a [String],
}

impl OrderNames<'_> {
    /// The variables in the order in which they were set.
    pub fn of(self, order: i64) -> Option<Vec<String>> {
        if order < 0 {
            return self.orders.get(!order as usize).cloned();
        }
        let mut last = order >> COUNTED;
        let mut names = Vec::new();
        while last > 0 {
            let place = (last & ((1 << PLACE_BITS) - 1)) as usize;
            names.push(self.variables.get(place.checked_sub(1)?)?.clone());
            last >>= PLACE_BITS;
        }
        names.reverse();
        Some(names)
    }
}

/// Could what such a value is made of stand in it in two places, so that it has to be known which object each is?
/// `items` gives what a kind of lists holds.
pub fn is_shared(types: &TypeSet, items: &dyn Fn(ListKind) -> TypeSet) -> bool {
    fn go(
        types: &TypeSet,
        items: &dyn Fn(ListKind) -> TypeSet,
        lists: &mut Vec<ListKind>,
        within: bool,
    ) -> bool {
        types.iter().any(|ty| match ty {
            // Lambdas are known by what tells them apart.
            Type::Made(_) | Type::Closure(..) => true,
            Type::List(kind) if within || lists.contains(kind) => true,
            Type::List(kind) => {
                lists.push(*kind);
                go(&items(*kind), items, lists, true)
            }
            other => operand::parts(other)
                .is_some_and(|parts| parts.iter().any(|types| go(types, items, lists, within))),
        })
    }
    go(types, items, &mut Vec::new(), false)
}
