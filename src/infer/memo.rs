//! What one walk over the section learns for the next. Everything here only grows; a walk that adds nothing has seen
//! all types there are, and the IR it emitted is the section's.

use crate::types::{ArrayKind, ClassId, HierarchyId, TypeSet};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Where inlined code stands: the chain of calls and choices that led to it.
pub type Context = u32;

/// A place where control flow joins: context, node, and which of the node's joins.
pub type JoinKey = (Context, u32, u32);

/// A local variable: frame and number.
pub type Place = (usize, usize);

/// What arrives at a join.
#[derive(Debug, Default)]
pub struct JoinMemo {
    /// Locals that differ between the ways in, with all they can be.
    pub carried: BTreeMap<Place, TypeSet>,
    pub result: TypeSet,
}

#[derive(Debug, Default)]
pub struct ColumnMemo {
    /// All that is stored: traced or written.
    pub stored: TypeSet,
    /// What the section writes.
    pub written: TypeSet,
    pub classes: Vec<ClassId>,
    pub read: bool,
    pub is_written: bool,
}

#[derive(Debug, Default)]
pub struct ArrayMemo {
    pub stored: TypeSet,
    pub written: TypeSet,
    pub is_written: bool,
}

/// A method compiled as a function of its own because it calls itself: receiver and argument types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// Identity of the code.
    pub code: usize,
    pub owner: ClassId,
    pub receiver: TypeSet,
    pub args: Vec<TypeSet>,
}

#[derive(Debug, Default)]
pub struct Memo {
    contexts: FxHashMap<(Context, u32, u32), Context>,
    type_numbers: FxHashMap<TypeSet, u32>,
    proc_numbers: FxHashMap<(Context, u32), u32>,
    pub joins: FxHashMap<JoinKey, JoinMemo>,
    pub columns: BTreeMap<(HierarchyId, String), ColumnMemo>,
    pub arrays: BTreeMap<ArrayKind, ArrayMemo>,
    /// Codes (by address) that call themselves, directly or through others.
    pub recursive: FxHashSet<usize>,
    /// Result types of recursive methods so far.
    pub functions: FxHashMap<FunctionKey, TypeSet>,
    /// Number of specialisations by code: beyond a bound the arguments are joined.
    pub specialisations: FxHashMap<usize, Vec<FunctionKey>>,
    /// Instance variables that `initialize` of a class writes when a section makes its objects.
    pub fields: FxHashMap<ClassId, Vec<String>>,
    /// Those grew: what was learned about such objects before is of no use.
    pub fields_changed: bool,
    /// What elements give to captured variables.
    pub captured: BTreeMap<String, TypeSet>,
    /// What the section's block gives.
    pub result: TypeSet,
    /// Something grew in this walk.
    pub changed: bool,
}

impl Memo {
    /// The context of what `node` of `parent` leads to, told apart by `choice`.
    pub fn context(&mut self, parent: Context, node: u32, choice: u32) -> Context {
        let next = self.contexts.len() as u32 + 1;
        *self.contexts.entry((parent, node, choice)).or_insert(next)
    }

    /// The number of the lambda or proc that `node` makes in `context`.
    pub fn proc_number(&mut self, context: Context, node: u32) -> u32 {
        let next = self.proc_numbers.len() as u32;
        *self.proc_numbers.entry((context, node)).or_insert(next)
    }

    /// A number for a type set, to tell contexts apart by it; above all slots that callers use.
    pub fn type_number(&mut self, types: &TypeSet) -> u32 {
        let next = self.type_numbers.len() as u32 + 0x1000;
        *self.type_numbers.entry(types.clone()).or_insert(next)
    }
}
