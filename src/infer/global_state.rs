//! Global variables, class variables and instance variables of classes that a section assigns are shared as a captured
//! variable is that elements read and write ([`super::accumulators`]): in memory, where elements conflict over them, so
//! that they run in order. Which are assigned is found out on the way; from the next walk on all code reads them there.
//! They are written back behind it. So are variables that a lambda from around the section sees, if it assigns them.
//! Two pieces of code may see one variable, or two of one name: whoever holds both bindings puts a value into one and
//! looks at the other (`BlockScope::is_one_variable`); the answer is part of the plan, and asked again by later calls.

use super::Lowerer;
use super::accumulators::Written;
use super::held_procs::Closure;
use super::host::{RootKey, Scope};
use crate::heap::schema::{Fold, Holder};
use crate::types::{ClassId, TypeSet};

/// A variable that the section assigns.
#[derive(Clone, Debug)]
pub struct GlobalState {
    /// What it is read by at first.
    key: RootKey,
    pub holder: Holder,
    pub name: String,
}

impl GlobalState {
    pub(super) const fn key(&self) -> &RootKey {
        &self.key
    }
}

impl Lowerer<'_> {
    /// Those that earlier walks have found.
    pub(super) fn find_global_state(&mut self) {
        for (known, state) in self.memo.global_state.clone() {
            let root = self.host.root(&state.key).ok().flatten();
            let shared = root.and_then(|root| Some((root.number, Self::can_be_shared(&root.ty)?)));
            let (number, types) =
                shared.map_or((None, TypeSet::default()), |(root, types)| (Some(root), types));
            let held = self.memo.accumulators.entry(known.clone()).or_default();
            self.memo.changed |= held.extend(&types);
            self.written.insert(known, Written::shared(number));
        }
    }

    /// By which name and number a variable is shared; none where it is only read. One that `is_written` will be from
    /// the next walk on.
    fn shared_state(
        &mut self,
        holder: Holder,
        name: &str,
        key: RootKey,
        is_written: bool,
    ) -> Option<(String, u32)> {
        let known = match &holder {
            Holder::Scope | Holder::Global => name.to_string(),
            Holder::Closure(root) => format!("{name} of {root}"),
            Holder::ClassVariable(class) | Holder::Module(class) => {
                format!("{name} of {} ({})", self.host.class_name(*class), class.0)
            }
        };
        if let Some(number) = self.written.keys().position(|other| *other == known) {
            return Some((known, number as u32));
        }
        if is_written && !self.memo.global_state.contains_key(&known) {
            if !self.syncs.is_empty() {
                self.refuse_state_with_sync();
            }
            self.memo.global_state.insert(known, GlobalState { key, holder, name: name.into() });
            self.memo.restart = true;
            self.memo.changed |= true;
        }
        None
    }

    /// By which name and number a local variable around the section is shared, as the current code sees it; none where it
    /// is only read. Code of several closures may see one variable.
    pub(super) fn shared_captured(&mut self, name: &str, is_written: bool) -> Option<(String, u32)> {
        let closure = match self.frame().closure {
            None if let Some(number) = self.shared_number(name) => return Some((name.into(), number)),
            // Only lambdas assign it.
            None => None,
            Some(Closure::Root(root) | Closure::Method(root)) => Some(root),
            Some(Closure::Receiver) => return None,
        };
        let others: Vec<(String, RootKey)> = self.local_variables(name).collect();
        if others.is_empty() && !is_written {
            return None;
        }
        let key = RootKey::Captured(name.into());
        let key = closure.map_or(key.clone(), |root| RootKey::Within(root, Box::new(key)));
        let own = self.variable_root(&key)?;
        for (known, other) in others {
            let Some(other) = self.variable_root(&other) else { continue };
            if own != other && !self.is_one_variable(own, other) {
                continue;
            }
            if !matches!(self.written.get(&known), Some(Written { fold: Fold::Shared(_), .. })) {
                self.share(&known);
                self.memo.restart = true;
                return None;
            }
            let number = self.written.keys().position(|name| *name == known)?;
            return Some((known, number as u32));
        }
        match closure {
            Some(root) if is_written => self.shared_state(Holder::Closure(root), name, key, true),
            _ => None,
        }
    }

    /// Does the section assign a local variable of this name?
    pub(super) fn is_assigned(&self, name: &str) -> bool {
        self.local_variables(name).next().is_some()
    }

    /// The local variables of this name that the section assigns, and what they are read by at first.
    fn local_variables(&self, name: &str) -> impl Iterator<Item = (String, RootKey)> {
        self.written.keys().filter_map(move |known| match self.memo.global_state.get(known) {
            None => (known == name).then(|| (known.clone(), RootKey::Captured(known.clone()))),
            Some(state) => (state.name == name && matches!(state.holder, Holder::Closure(_)))
                .then(|| (known.clone(), state.key.clone())),
        })
    }

    fn variable_root(&mut self, key: &RootKey) -> Option<u32> {
        match self.host.root(key) {
            Ok(root) => root.map(|root| root.number),
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
        }
    }

    fn is_one_variable(&mut self, one: u32, other: u32) -> bool {
        self.host.is_one_variable(one, other).unwrap_or_else(|refusal| {
            self.refuse(refusal);
            false
        })
    }

    pub(super) fn refuse_state_with_sync(&mut self) {
        self.refuse_here(
            "unsupported-sync",
            "a section with an `Ikra.sync` cannot assign global variables, class variables or those of classes and lambdas",
            Some("keep it in a local variable, and assign that behind the section".into()),
        );
    }

    pub(super) fn shared_global(&mut self, name: &str, is_written: bool) -> Option<(String, u32)> {
        self.shared_state(Holder::Global, name, RootKey::Global(name.into()), is_written)
    }

    pub(super) fn shared_of_module(
        &mut self,
        class: ClassId,
        name: &str,
        is_written: bool,
    ) -> Option<(String, u32)> {
        if !is_written && self.memo.global_state.is_empty() {
            return None;
        }
        self.shared_state(Holder::Module(class), name, RootKey::ModuleIvar(class, name.into()), is_written)
    }

    /// A class variable as the current code sees it.
    pub(super) fn shared_class_variable(&mut self, name: &str, is_written: bool) -> Option<(String, u32)> {
        if !is_written && self.memo.global_state.is_empty() {
            return None;
        }
        let scope: Scope = self.frame().scope.clone();
        if !matches!(self.frame().closure, None | Some(Closure::Method(_))) {
            if is_written || self.memo.global_state.values().any(|state| state.name == name) {
                self.refuse_here(
                    "unsupported-class-variable",
                    "a class variable that the section assigns cannot be used by a lambda from around it",
                    Some("use it in a method".into()),
                );
            }
            return None;
        }
        let key = RootKey::ClassVariable { scope: scope.clone(), name: name.into() };
        match self.host.class_variable_owner(&scope, name) {
            Ok(Some(owner)) => self.shared_state(Holder::ClassVariable(owner), name, key, is_written),
            Ok(None) if is_written => {
                self.refuse_here(
                    "uninitialized-class-variable",
                    format!("the class variable {name} has no value here"),
                    Some("assign it in the class's body".into()),
                );
                None
            }
            Ok(None) => None,
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
        }
    }
}
