//! What the columns of a section hold, so that the heap can encode Ruby values into them and decode them back.

use crate::types::{ArrayKind, ClassId, HierarchyId, TypeSet};

/// An instance variable of a hierarchy. Its buffers are those of `Program::buffers` with this hierarchy and name.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSchema {
    pub hierarchy: HierarchyId,
    /// With its `@`.
    pub name: String,
    /// What is stored: found by the tracer, or written by the section.
    pub types: TypeSet,
    /// The classes whose objects' values are wanted; rows of others hold zeros.
    pub classes: Vec<ClassId>,
    pub read: bool,
    pub written: bool,
}

/// The elements of the arrays of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySchema {
    pub kind: ArrayKind,
    pub types: TypeSet,
    pub written: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    pub columns: Vec<ColumnSchema>,
    pub arrays: Vec<ArraySchema>,
    /// What the base holds, and the part of it that each entry takes (`Program::entries`, same order).
    pub base: TypeSet,
    pub entries: Vec<TypeSet>,
    /// What the block gives (`pmap`); bool for `pselect`; empty for `peach`.
    pub result: TypeSet,
    /// What the arrays that the section makes hold, by [`crate::types::ListKind`]; for decoding the result.
    pub lists: Vec<TypeSet>,
}
