//! Instance variables of objects that exist: what columns hold, and their loads and stores.
//!
//! A column does not tell a variable that holds nil from one that is not set. Where that matters there is a second
//! variable of truths, `#set` with the name behind it: where the code asks (`defined?(@x)`,
//! `instance_variable_defined?`), every write of that name writes it too, also of objects that the section makes; and
//! where nil is written into objects of which some are without the variable, which the truths that the host finds there
//! tell. The host reads it from slots as it reads the variable itself, a later call with other truths is inferred anew,
//! and copy-back makes what has become true, in the order of the columns. Who does neither pays nothing.

use super::Lowerer;
use super::births::Birth;
use super::flows::Variable;
use super::host::RootKey;
use super::operand::{Operand, Values};
use super::remembered::Holders;
use crate::heap::schema::Stored;
use crate::ir::{BufferKind, ErrorKind, UnaryOp, Value};
use crate::scalar::Ty;
use crate::types::{HierarchyId, Type, TypeSet};

/// What the variable is called that says of an instance variable (behind it, with its `@`) whether it is set. No user
/// can name it. Of objects that exist the host reads it, and copy-back sets to nil what has become set.
pub const SET: &str = "#set";
/// Of objects that exist: where they are in memory, which Ruby's `inspect` shows. What a section makes has none, or nil.
pub const ADDRESS: &str = "#address";
/// Of those: which variables they have, in Ruby's order: the number of one of [`Host::variable_orders`].
///
/// [`Host::variable_orders`]: super::host::Host::variable_orders
pub const VARIABLES: &str = "#variables";

impl Lowerer<'_> {
    /// Asks the host what `name` holds in the receiver's classes and adds that to the column.
    fn column(&mut self, receiver: &Operand, name: &str) -> Option<(HierarchyId, TypeSet)> {
        let mut found: Option<(HierarchyId, TypeSet)> = None;
        for ty in receiver.types.clone().iter() {
            let Type::Object(hierarchy, class) = ty else {
                self.refuse_here(
                    "unsupported-receiver",
                    format!("{} has no instance variables in a section", self.describe(&receiver.types)),
                    Some("keep state in the objects of the base or in objects they refer to".into()),
                );
                return None;
            };
            let mut contents = match self.host.column(*hierarchy, *class, name) {
                Ok(contents) => contents,
                Err(refusal) => {
                    self.refuse(refusal);
                    return None;
                }
            };
            contents.types.extend(&self.variable_of_settled(*class, name));
            let memo = self.memo.columns.entry((*hierarchy, name.to_string())).or_default();
            if !memo.classes.contains(class) {
                memo.classes.push(*class);
                self.memo.changed |= true;
            }
            let memo = self.memo.columns.entry((*hierarchy, name.to_string())).or_default();
            self.memo.changed |= memo.stored.extend(&contents.types);
            match &mut found {
                Some((_, types)) => {
                    types.extend(&contents.types);
                }
                None => found = Some((*hierarchy, contents.types)),
            }
        }
        found
    }

    /// How a column is stored, as far as this walk knows.
    pub(super) fn column_stored(&mut self, hierarchy: HierarchyId, name: &str) -> Stored {
        let memo = &self.memo.columns[&(hierarchy, name.to_string())];
        let (types, classes) = (memo.stored.clone(), memo.classes.clone());
        if memo.is_written || memo.grows || !memo.read {
            return Stored::written(types);
        }
        Stored::read_only(types, || {
            classes.iter().all(|c| self.host.column(hierarchy, *c, name).is_ok_and(|c| c.integers_fit_i32))
        })
    }

    /// What a variable of an object can hold.
    pub(crate) fn types_of_variable(&mut self, ty: &Type, name: &str) -> TypeSet {
        match ty {
            Type::Object(hierarchy, _) => {
                let object =
                    Operand { types: ty.clone().into(), values: Values::new(), birth: Birth::UNKNOWN };
                let found = self.column(&object, name).map_or_else(TypeSet::empty, |(_, types)| types);
                let key = (*hierarchy, name.to_string());
                self.memo.columns.get(&key).map_or_else(TypeSet::empty, |memo| found.union(&memo.written))
            }
            Type::Record(record) => {
                let field = record.fields.iter().find(|(field, _)| field == name);
                field.map_or_else(|| Type::Nil.into(), |(_, types)| types.clone())
            }
            Type::Made(class) => {
                let field =
                    self.memo.made.get(class).and_then(|made| made.fields.iter().find(|(f, _)| f == name));
                field.map_or_else(TypeSet::empty, |(_, types)| types.clone())
            }
            _ => TypeSet::empty(),
        }
    }

    pub(crate) fn read_ivar(&mut self, receiver: &Operand, name: &str) -> Operand {
        if let Some(Type::Module(class)) = receiver.types.single() {
            if let Some((known, number)) = self.shared_of_module(*class, name, false) {
                return self.read_shared(&known, number);
            }
            let key = RootKey::ModuleIvar(*class, name.into());
            return self.root(&key).unwrap_or_else(Operand::nil);
        }
        if receiver.is_bottom() {
            return Operand::bottom();
        }
        if let Some(operand) = self.record_variable(receiver, name) {
            return operand;
        }
        let Some((hierarchy, mut types)) = self.column(receiver, name) else { return Operand::bottom() };
        let key = (hierarchy, name.to_string());
        let memo = self.memo.columns.get_mut(&key).expect("asked just now");
        memo.read = true;
        types.extend(&memo.written);
        let mutable = memo.is_written;
        let stored = self.column_stored(hierarchy, name);
        let part = |part| BufferKind::Column { hierarchy, name: name.to_string(), part };
        let id = receiver.value();
        self.watch_variable(hierarchy, name, id, false);
        let stored = self.load_parts(&part, id, &stored, mutable);
        self.check_stored_made(&stored, name);
        if self.in_driver {
            types = types.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_)));
        }
        let operand = self.narrow(&stored, &types);
        let operand = self.refine(operand);
        self.births.flows.read(operand, &Variable::Column(hierarchy, name.to_string()))
    }

    /// Is the variable of an object set, also to nil? True, or false or nil.
    pub(crate) fn is_ivar_set(&mut self, receiver: &Operand, name: &str) -> Operand {
        if let Some(Type::Module(_)) = receiver.types.single() {
            return self.refuse_here(
                "unsupported-defined",
                "whether an instance variable of a class or module is set cannot be asked in a section",
                Some("give the variable a first value and ask `nil?`".into()),
            );
        }
        if self.memo.asked_set.insert(name.to_string()) {
            self.memo.restart = true;
            self.memo.changed |= true;
        }
        self.read_ivar(receiver, &format!("{SET}{name}"))
    }

    /// A variable is written. Where somebody asks whether it is set, and where that is all that changes in an object
    /// that exists, it is known apart from what it holds.
    fn note_is_set(&mut self, receiver: &Operand, name: &str, value: &Operand) {
        if !name.starts_with('@') || self.b.is_dead() {
            return;
        }
        let hidden = format!("{SET}{name}");
        let is_wanted = self.memo.asked_set.contains(name)
            || value.types.contains(&Type::Nil) && self.may_be_unset(receiver, &hidden);
        if is_wanted {
            let set = Operand::bool(self.b.bool(true));
            self.write_ivar(receiver, &hidden, &set);
        }
    }

    /// Are there objects without the variable, whose own name this is, among those that exist?
    fn may_be_unset(&mut self, receiver: &Operand, hidden: &str) -> bool {
        receiver.types.clone().iter().any(|ty| match ty {
            Type::Object(hierarchy, class) => {
                let contents = self.host.column(*hierarchy, *class, hidden);
                contents.is_ok_and(|contents| contents.types.contains(&Type::False))
            }
            _ => false,
        })
    }

    pub(crate) fn write_ivar(&mut self, receiver: &Operand, name: &str, value: &Operand) {
        if receiver.is_bottom() || value.is_bottom() || self.b.is_dead() {
            return;
        }
        // Members are compared and hashed as they are.
        let has_members = receiver
            .types
            .iter()
            .any(|ty| ty.is_instance() && !self.host.members(super::class_of(ty)).is_empty());
        let value = &if has_members { self.narrowed(value) } else { value.clone() };
        if value.is_bottom() {
            return;
        }
        self.write_ivar_itself(receiver, name, value);
        self.note_is_set(receiver, name, value);
    }

    fn write_ivar_itself(&mut self, receiver: &Operand, name: &str, value: &Operand) {
        if self.write_record(receiver, name, value) {
            return;
        }
        if let Some(Type::Module(class)) = receiver.types.single() {
            if let Some((known, number)) = self.shared_of_module(*class, name, true) {
                self.write_shared(&known, number, value);
            }
            return;
        }
        let Some(value) = &self.prepare_stored(receiver, name, value) else { return };
        let Some((hierarchy, _)) = self.column(receiver, name) else { return };
        let key = (hierarchy, name.to_string());
        let Some(value) = &self.listed_in_column(&key, value) else { return };
        let who = self.watcher();
        let written_before = self.memo.columns.values().filter(|memo| memo.is_written).count();
        let memo = self.memo.columns.get_mut(&key).expect("asked just now");
        if !memo.is_written {
            memo.place = written_before;
        }
        let grew = memo.written.extend(&value.types)
            | memo.stored.extend(&value.types)
            | memo.written_by.insert(who)
            | !memo.is_written;
        memo.is_written = true;
        let stored = memo.stored.clone();
        self.memo.changed |= grew;
        self.memo.unite_rows(&stored);
        self.births.flows.write(value, &Variable::Column(hierarchy, name.to_string()), self.memo);
        let id = receiver.value();
        // Of what is known of Strings it has been seen to.
        if !name.starts_with('#') {
            self.check_unfrozen(hierarchy, id);
        }
        self.watch_variable(hierarchy, name, id, true);
        let part = |part| BufferKind::Column { hierarchy, name: name.to_string(), part };
        self.store_parts(&part, id, &stored, value);
        if self.is_remembered(receiver, name) {
            self.remember(&Holders::Objects(hierarchy, name.to_string()), id, &value.types);
        }
        self.note_late(receiver, name);
    }

    /// A variable that the section sets in objects of the receiver's class of which some do not have it: those with one of
    /// these orders of variables.
    pub(crate) fn variable_set_first(&self, receiver: &Operand, orders: &[Vec<String>]) -> Option<String> {
        let Type::Object(of, class) = receiver.types.single()? else { return None };
        let is_new =
            |name: &String| name.starts_with('@') && orders.iter().any(|order| !order.contains(name));
        let mut written = self.memo.columns.iter().filter(|((hierarchy, _), memo)| {
            hierarchy == of && memo.is_written && memo.classes.contains(class)
        });
        written.find(|((_, name), _)| is_new(name)).map(|((_, name), _)| name.clone())
    }

    /// Something of the object is about to change.
    pub(super) fn check_unfrozen(&mut self, hierarchy: HierarchyId, id: Value) {
        if self.any_frozen(hierarchy) {
            let is_frozen = self.is_frozen(hierarchy, id);
            let ok = self.b.unary(UnaryOp::Not, is_frozen);
            self.check(ok, ErrorKind::Frozen(hierarchy), &[id]);
        }
    }

    /// Is the object frozen?
    pub(crate) fn is_frozen(&mut self, hierarchy: HierarchyId, id: Value) -> Value {
        if !self.any_frozen(hierarchy) {
            return self.b.bool(false);
        }
        let frozen = self.buffer(BufferKind::Frozen(hierarchy), Ty::Bool);
        self.b.load(frozen, id, Ty::Bool, false)
    }
}
