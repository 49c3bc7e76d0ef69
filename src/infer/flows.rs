//! What one instance variable hands to another: `@b = @a`, `node.next = other.next`. A walk meets such a line before the
//! one that tells what `@a` can hold, where the code is in that order (a list that is shifted by one, say), so each of a
//! chain of variables would take a walk of its own. Here a walk notes which variables were read into which, and all learn
//! at its end what those before them have learned in it.

use super::births::Birth;
use super::memo::Memo;
use super::operand::Operand;
use crate::types::{ClassId, HierarchyId, TypeSet};
use rustc_hash::{FxHashMap, FxHashSet};

/// An instance variable, of all objects that have their columns or their memory in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    Column(HierarchyId, String),
    Made(ClassId, String),
}

/// What a walk has found out.
#[derive(Debug, Default)]
pub struct Flows {
    variables: Vec<Variable>,
    numbers: FxHashMap<Variable, Birth>,
    /// From the first to the second, in the order of the code.
    edges: Vec<(u32, u32)>,
    known: FxHashSet<(u32, u32)>,
}

impl Flows {
    /// That of values which are read there.
    fn birth(&mut self, variable: &Variable) -> Birth {
        if let Some(known) = self.numbers.get(variable) {
            return known.clone();
        }
        let birth = Birth::read_from(self.variables.len() as u32);
        self.variables.push(variable.clone());
        self.numbers.insert(variable.clone(), birth.clone());
        birth
    }

    /// The value has been read there.
    pub fn read(&mut self, value: Operand, variable: &Variable) -> Operand {
        Operand { birth: self.birth(variable), ..value }
    }

    /// The value is put there.
    pub fn write(&mut self, value: &Operand, variable: &Variable, memo: &Memo) {
        for from in value.birth.variables() {
            // What was narrowed on the way has not all that the variable has.
            let all = memo.held(&self.variables[*from as usize]);
            if all.is_none_or(|all| !all.is_subset(&value.types)) {
                continue;
            }
            let to = self.birth(variable);
            let edges = to.variables().iter().map(|to| (*from, *to));
            self.edges.extend(edges.filter(|edge| self.known.insert(*edge)));
        }
    }

    /// Has each variable know what those that hand it theirs can hold. A walk has seen to what its code does in this order.
    pub fn close(&self, memo: &mut Memo) {
        loop {
            let mut grew = false;
            for (from, to) in self.edges.iter().rev() {
                let Some(all) = memo.held(&self.variables[*from as usize]) else { continue };
                grew |= memo.hold(&self.variables[*to as usize], &all);
            }
            if !grew {
                return;
            }
        }
    }
}

impl Memo {
    /// What a variable can hold, as far as is known. `None`: nothing is known of it yet.
    fn held(&self, variable: &Variable) -> Option<TypeSet> {
        match variable {
            Variable::Column(hierarchy, name) => {
                self.columns.get(&(*hierarchy, name.clone())).map(|column| column.stored.clone())
            }
            Variable::Made(class, name) => {
                let fields = &self.made.get(class)?.fields;
                fields.iter().find(|(known, _)| known == name).map(|(_, types)| types.clone())
            }
        }
    }

    /// True if that was new.
    fn hold(&mut self, variable: &Variable, types: &TypeSet) -> bool {
        match variable {
            Variable::Column(hierarchy, name) => {
                let Some(column) = self.columns.get_mut(&(*hierarchy, name.clone())) else { return false };
                let grew = column.written.extend(types) | column.stored.extend(types);
                let stored = column.stored.clone();
                self.changed |= grew;
                self.unite_rows(&stored);
                grew
            }
            Variable::Made(class, name) => self.learn_field(*class, name, types),
        }
    }
}
