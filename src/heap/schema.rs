//! What the columns of a section hold, so that the heap can encode Ruby values into them and decode them back.
//!
//! A read-only column of Integers that all fit 32 bits is stored so (here that is decided), and the plan checks that at
//! each call.

use crate::ir::{KernelId, Place, SiteId};
use crate::scalar::Ty;
use crate::source::Span;
use crate::types::{ArrayKind, ClassId, HierarchyId, ItemType, Type, TypeSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a column stores its values. This is the one place that decides what is kept in 32 bits; inference loads from
/// such columns, and the host lets nothing in that does not fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    pub types: TypeSet,
    /// Integers, in 32 bits: those that the section only reads, and that all fit.
    pub narrow: bool,
}

impl Stored {
    /// What the section only reads; `integers_fit_i32` is asked where it matters.
    pub fn read_only(types: TypeSet, integers_fit_i32: impl FnOnce() -> bool) -> Self {
        let narrow = types == Type::Integer.into() && integers_fit_i32();
        Self { types, narrow }
    }

    /// The items of an `Ikra::Column` that the section only reads.
    pub fn items(ty: ItemType) -> Self {
        Self::read_only(ty.types(), || ty == ItemType::Int32)
    }

    /// What the section may write: any Integer.
    pub const fn written(types: TypeSet) -> Self {
        Self { types, narrow: false }
    }

    /// The scalars of tag and payload, as of [`TypeSet::column_scalars`].
    pub fn scalars(&self) -> (Option<Ty>, Option<Ty>) {
        let (tag, payload) = self.types.column_scalars();
        (tag, if self.narrow { Some(Ty::I32) } else { payload })
    }
}

/// An instance variable of a hierarchy. Its buffers are those of `Program::buffers` with this hierarchy and name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnSchema {
    pub hierarchy: HierarchyId,
    /// With its `@`.
    pub name: String,
    /// Found by the tracer, or written by the section.
    pub stored: Stored,
    /// The classes whose objects' values are wanted; rows of others hold zeros.
    pub classes: Vec<ClassId>,
    pub read: bool,
    pub written: bool,
}

/// A column of the base: one of the values that the block gets for each element, and where they come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BaseColumn {
    /// Read off the items of an array.
    Items(Stored),
    /// Those of an array that the section has no use for.
    Unread,
    /// The element's index.
    Index,
    /// Integers at equal distances, computed from the index; `narrow`: all of them fit 32 bits.
    Series { narrow: bool },
}

impl BaseColumn {
    pub fn types(&self) -> TypeSet {
        match self {
            Self::Items(stored) => stored.types.clone(),
            Self::Unread => Type::Nil.into(),
            Self::Index | Self::Series { .. } => Type::Integer.into(),
        }
    }

    /// Can it hold what can change?
    pub fn holds_objects(&self) -> bool {
        self.types()
            .iter()
            .any(|ty| matches!(ty, Type::Object(..) | Type::Array(_) | Type::Column(..) | Type::Hash(..)))
    }
}

/// What the block gets, made of columns of the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    Column(u32),
    /// An array of its own.
    Tuple(Vec<Self>),
}

impl Form {
    /// Calls `visit` with the number of every column in it.
    pub fn each_column(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Self::Column(column) => visit(*column),
            Self::Tuple(parts) => parts.iter().for_each(|part| part.each_column(visit)),
        }
    }
}

/// What a section is called on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Base {
    pub columns: Vec<BaseColumn>,
    /// The arguments of the block.
    pub arguments: Vec<Form>,
    /// Also a lambda takes its only argument apart, as a block does.
    pub takes_apart: bool,
}

impl Base {
    /// The column that an element is known by: that of the objects which elements are, or else of several types.
    /// The values of a Hash come last.
    pub fn own(&self) -> usize {
        let objects = self.columns.iter().rposition(BaseColumn::holds_objects);
        let mixed = || self.columns.iter().position(|column| column.types().len() > 1);
        let read = || self.columns.iter().position(|column| *column != BaseColumn::Unread);
        objects.or_else(mixed).or_else(read).unwrap_or(0)
    }
}

/// The elements of the arrays of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArraySchema {
    pub kind: ArrayKind,
    pub stored: Stored,
    pub written: bool,
    /// The driver makes them.
    pub made: bool,
    /// Only the driver knows them: their numbers may be those of others later.
    pub local: bool,
    /// Their length changes.
    pub grows: bool,
}

/// How the elements' parts of an accumulator are reduced to its new value. Elements come in the order of the base;
/// what one element gave several times (in a loop, in several ticks) has been put together already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fold {
    /// `total += x` and its like: the variable, then the operator with each element's part.
    Operator(String),
    /// `least = [least, x].min` or `max`: the better of the variable and each element's part.
    Best(String),
    /// `least = [x, least].min` or `max`: of equal ones the later.
    BestLater(String),
    /// `found ||= x`, `all &&= x`: the first (tick, element) that decides.
    Or,
    And,
    /// `last = x`: of the last (tick, element).
    Last,
    /// Elements read it, or write it in several ways: what it holds in the end. Its buffer is `Variable`. It begins with
    /// this root; `None`: with what no column has a place for, and `Assigned` says whether it holds anything else.
    Shared(Option<u32>),
}

/// Whose a variable is that a section writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Holder {
    /// A local variable around the section.
    Scope,
    /// One that a lambda or proc from around the section, the root of this number, sees.
    Closure(u32),
    Global,
    /// A class variable, of the class or module that has it.
    ClassVariable(ClassId),
    /// An instance variable of a class or module itself.
    Module(ClassId),
}

/// A local variable around the section that the section writes: an accumulator, if it does not read it. The buffers of
/// that are `Accumulator` and `AccumulatorTick` with its position in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccumulatorSchema {
    pub name: String,
    pub holder: Holder,
    pub fold: Fold,
    pub types: TypeSet,
    /// Where elements write it, then the callers, for what the fold raises.
    pub place: Vec<Place>,
}

/// A variable of a driver that elements assign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariableSchema {
    pub name: String,
    pub types: TypeSet,
}

/// A lambda or proc that the section gives: one that it makes and that uses nothing around it, or one from before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcSchema {
    /// As of `Type::Proc`.
    pub number: u32,
    /// Its literal, from `->`, or from the brace or `do` on.
    pub text: Span,
    pub lambda: bool,
    pub place: ProcPlace,
}

/// Where such a lambda stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ProcPlace {
    /// In a method: its owner, and the names of the modules around it.
    Method(ClassId, Vec<Option<String>>),
    /// In the section's block.
    Block,
    /// There, and it uses self or variables around the section.
    BlockWithin,
    /// In a lambda or proc from around the section, by its root.
    Closure(u32),
    /// It is that root itself.
    Root(u32),
}

/// How the code of a driver around a parallel call would handle what an element raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guarding {
    Rescue,
    Ensure,
}

/// A block that Ruby runs in the middle of a driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncSchema {
    /// Its text, without braces.
    pub text: Span,
    pub variables: Vec<SyncVariable>,
    /// The method it stands in; none for the section's own block.
    pub method: Option<SyncMethod>,
    /// It stands in a `loop`, which a StopIteration of it would end.
    pub in_loop: bool,
    /// It stands before an `ensure` that is to run when the block raises.
    pub ensured: bool,
    /// The frames of the block, which is first, and of the code around it.
    pub places: Vec<Place>,
}

/// A method that a block of `Ikra.sync` stands in: who owns it, the names of the modules around it as
/// [`crate::infer::Scope::Method`] has them, and its `self`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncMethod {
    pub owner: ClassId,
    pub nesting: Vec<Option<String>>,
    pub receiver: SyncReceiver,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SyncReceiver {
    /// As of `BufferKind::Variable`.
    Variable(u32),
    Module(ClassId),
}

/// A variable of the driver that such a block uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncVariable {
    pub name: String,
    /// As of `BufferKind::Variable`.
    pub number: u32,
    pub is_written: bool,
}

/// What a section gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Output {
    /// `peach`: nothing that the base has not.
    #[default]
    Nothing,
    /// `pmap`: the block's values.
    Values,
    /// `pselect`: the elements for which the block's value is true ([`crate::ir::BufferKind::Selection`]).
    Selection,
    /// `Ikra.section`: the value of its block, which is a driver.
    Program,
    /// A chain: the block's values, of the elements for which that is not the mark of a dropped one
    /// ([`crate::infer::Host::is_dropped`]). The selection says which these are.
    Kept,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    pub columns: Vec<ColumnSchema>,
    pub arrays: Vec<ArraySchema>,
    /// The Hashes that change, and the kinds of their keys, values and slots.
    pub hashes: BTreeMap<ArrayKind, [ArrayKind; 3]>,
    /// The kinds of the defaults of those that it makes, where they have one.
    pub hash_defaults: BTreeMap<ArrayKind, ArrayKind>,
    /// The kinds of the defaults that Hashes are given.
    pub given_defaults: BTreeMap<ArrayKind, ArrayKind>,
    /// The numbers of their default blocks, which are among `procs`.
    pub hash_blocks: BTreeMap<ArrayKind, u32>,
    pub accumulators: Vec<AccumulatorSchema>,
    /// What the variables of a driver hold that elements assign: their numbers come behind those of `accumulators`.
    pub variables: Vec<VariableSchema>,
    /// By the numbers of [`crate::ir::Stmt::Sync`].
    pub syncs: Vec<SyncSchema>,
    /// Those that are given.
    pub procs: Vec<ProcSchema>,
    /// Errors of elements that the driver would handle, by the kernel.
    pub guarded: Vec<(KernelId, SiteId, Guarding)>,
    /// What the base holds, and the part of its own column that each entry takes (`Program::entries`, same order).
    pub base: Base,
    pub entries: Vec<TypeSet>,
    pub output: Output,
    /// What the block gives, where that is wanted.
    pub result: TypeSet,
    /// What the arrays that the section makes hold, by [`crate::types::ListKind`]; for decoding the result.
    pub lists: Vec<TypeSet>,
    /// The variables of the objects that the section makes in memory, in the order in which they lie there.
    pub made: BTreeMap<ClassId, Vec<(String, TypeSet)>>,
    /// Arrays and objects that the section makes may be in columns: a tag says so, and beside it stand the index of the
    /// element that has made it, from 1, in the upper half, and the word where it begins in that element's in the lower.
    pub stores_made: bool,
    /// What elements make gets rows.
    pub settles: bool,
    /// Elements push to arrays that others see, which happens at their end: where none comes to that, no code does it.
    pub pushes: bool,
    /// The instance variables of the objects that leave the section. In which order they were set tells
    /// [`crate::infer::OrderNames`].
    pub leaving: BTreeMap<ClassId, Vec<String>>,
    pub orders: Vec<Vec<String>>,
}

impl Schema {
    /// Of all that is kept or given somewhere.
    pub fn types(&self) -> impl Iterator<Item = &TypeSet> {
        let columns = self.columns.iter().map(|column| &column.stored.types);
        let arrays = self.arrays.iter().map(|array| &array.stored.types);
        let variables = self.accumulators.iter().map(|variable| &variable.types);
        let variables = variables.chain(self.variables.iter().map(|variable| &variable.types));
        let made = self.made.values().flatten().map(|(_, types)| types);
        let others = std::iter::once(&self.result).chain(&self.lists).chain(&self.entries);
        columns.chain(arrays).chain(others).chain(variables).chain(made)
    }
}
