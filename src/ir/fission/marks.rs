//! Which values and variables of a loop are serial: a fixpoint over what hangs on what, and on which conditions.

use super::{Search, is_constant, reads};
use crate::ir::{Block, Label, Op, Stmt, Value, Var, walk};
use std::collections::{BTreeMap, BTreeSet};

/// What is serial in the body of a loop.
pub(super) struct Marks {
    pub(super) values: BTreeSet<Value>,
    pub(super) vars: BTreeSet<Var>,
    pub(super) counters: BTreeSet<Var>,
    /// Statements, by their number in the walk, that run as the serial part says.
    pub(super) controlled: BTreeSet<usize>,
    /// A loop is among them.
    pub(super) loops: bool,
}

impl Marks {
    /// Variables that go from iteration to iteration, or out of the loop.
    pub(super) fn of(search: &Search<'_>, body: &Block, counters: &[(Var, i64)]) -> Self {
        let mut assigned = Assigned::default();
        assigned.block(body, Some(BTreeSet::new()));
        let own = reads(body);
        let mut vars = BTreeSet::new();
        walk::for_each(body, &mut |stmt| {
            if let Stmt::Set(var, _) = stmt
                && (assigned.exposed.contains(var) || own.get(var) != search.reads.get(var))
            {
                vars.insert(*var);
            }
        });
        let counters: BTreeSet<Var> = counters.iter().map(|(var, _)| *var).collect();
        let vars = &vars - &counters;
        Self { values: BTreeSet::new(), vars, counters, controlled: BTreeSet::new(), loops: false }
    }

    pub(super) fn is_serial(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Set(var, _) => self.vars.contains(var),
            Stmt::Check { condition, .. } | Stmt::If { condition, .. } => self.values.contains(condition),
            _ => stmt.definitions().iter().any(|value| self.values.contains(value)),
        }
    }

    /// Marks what depends on what is marked; false where nothing is new.
    pub(super) fn grow(&mut self, body: &Block) -> bool {
        let size = |marks: &Self| marks.values.len() + marks.vars.len() + marks.controlled.len();
        let before = size(self);
        self.walk(body, false, &mut false, &mut 0);
        size(self) > before
    }

    /// `controlled`: by a serial condition. `left`: the serial part may have left the line before.
    fn walk(&mut self, block: &Block, controlled: bool, left: &mut bool, number: &mut usize) {
        for stmt in block {
            let here = *number;
            *number += 1;
            let serial = controlled || *left;
            if serial {
                self.controlled.insert(here);
            }
            match stmt {
                Stmt::Let { value, op, .. } => {
                    let mut depends = serial || matches!(op, Op::Get(var) if self.vars.contains(var));
                    op.for_each_operand(|operand| depends |= self.values.contains(&operand));
                    if depends && !is_constant(op) {
                        self.values.insert(*value);
                    }
                }
                Stmt::Set(var, _) if self.counters.contains(var) => {}
                Stmt::Set(var, value) if serial || self.values.contains(value) => {
                    self.vars.insert(*var);
                }
                Stmt::Check { condition, .. } => *left |= serial || self.values.contains(condition),
                Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_) | Stmt::Fail { .. } => *left |= serial,
                Stmt::If { condition, then, otherwise } => {
                    let serial = serial || self.values.contains(condition);
                    let mut leaves = *left;
                    self.walk(then, serial, &mut leaves, number);
                    self.walk(otherwise, serial, left, number);
                    *left |= leaves;
                }
                Stmt::Loop { .. } if serial => self.loops = true,
                Stmt::Loop { body, .. } | Stmt::Block { body, .. } => self.walk(body, serial, left, number),
                _ => {}
            }
        }
    }
}

/// Which variables are read before they are set, in one iteration.
#[derive(Default)]
struct Assigned {
    exposed: BTreeSet<Var>,
    /// What is set wherever a label is left.
    ends: BTreeMap<Label, BTreeSet<Var>>,
}

impl Assigned {
    /// `None`: control does not come here.
    fn block(&mut self, block: &Block, mut set: Option<BTreeSet<Var>>) -> Option<BTreeSet<Var>> {
        for stmt in block {
            let now = set.as_mut()?;
            match stmt {
                Stmt::Let { op: Op::Get(var), .. } if !now.contains(var) => {
                    self.exposed.insert(*var);
                }
                Stmt::Set(var, _) => {
                    now.insert(*var);
                }
                Stmt::If { then, otherwise, .. } => {
                    let one = self.block(then, set.clone());
                    let other = self.block(otherwise, set.take());
                    set = met(one, other);
                }
                Stmt::Block { label, body } => {
                    let end = self.block(body, set.take());
                    set = met(end, self.ends.remove(label));
                }
                Stmt::Loop { label, body } => {
                    self.block(body, set.take());
                    set = self.ends.remove(label);
                }
                Stmt::Break(label) => {
                    let end = met(set.take(), self.ends.remove(label));
                    self.ends.extend(end.map(|end| (*label, end)));
                }
                stmt if stmt.is_terminator() => return None,
                _ => {}
            }
        }
        set
    }
}

fn met(one: Option<BTreeSet<Var>>, other: Option<BTreeSet<Var>>) -> Option<BTreeSet<Var>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(&one & &other),
        (one, other) => one.or(other),
    }
}
