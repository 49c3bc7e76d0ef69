//! What the tables of the memo are asked by: where in a section something is learned, or of which of the things that its
//! text does not name.

use crate::syntax::ast::NodeId;
use crate::types::{ArrayKind, ClassId, ListKind};

/// Where inlined code stands: the chain of calls and choices that led to it, by a number of the memo's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Context(pub(super) u32);

impl Context {
    /// Where all chains begin.
    pub const ROOT: Self = Self(0);
}

/// What leads from one context to the next; of most a number tells which one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A node of the code, and which of the choices there.
    Node(NodeId),
    /// Code of the section itself: by the type of the elements, or a driver.
    Section,
    /// A function, by the numbers of the types that it takes: its receiver and arguments, one after the other.
    Takes,
    /// The same by the block that it is given …
    Block,
    /// … by how its arguments are given …
    Form,
    /// … by the class that has it, and by what its callers ask for …
    Owner(ClassId),
    /// … by the method that goes on behind it …
    Trail(&'static str),
    /// … by what its driver rescues …
    Rescued(ClassId),
    /// … by the Integers that are known of its arguments …
    Known(i64),
    /// … and by its code.
    Code,
    /// A kernel of a driver, by its block.
    Kernel,
    /// What a kernel gets of the frames around it.
    Handed,
    /// A part of what is carried as its parts.
    Part,
    /// The array that a list gets a row as.
    Settled(ListKind),
    /// The Hash that a list of keys gets a row as, by its sort.
    Hash(ListKind),
}

/// Who makes or holds what types meet in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Node(Context, NodeId),
    /// What a function gives.
    Result(Context),
    /// What it leaves in the variables that its blocks assign.
    Left(Context),
    /// What the specialisations of a function take that have become one, by the number of the code.
    Specialised(u32),
    /// What the section gives, or each of its elements.
    Section,
    /// What a kernel of a driver gives.
    Given(Context),
    Items(ListKind),
    /// Variables of objects that are kept in memory.
    Fields(ClassId),
    /// Such objects.
    Objects(ClassId),
    /// The arrays within the items of a list, and within such variables, that get rows.
    SettledItems(ListKind),
    SettledFields(ClassId),
    /// What a column holds of what elements make, by the number of the column among such.
    Column(u32),
    /// What elements store in such arrays, and in variables that they share.
    Stored(ArrayKind),
    Local(Context, u32),
    Variable(u32),
    /// What elements push to such arrays.
    Log(ArrayKind),
    /// The rows of which elements have put what they make, by the number of the holder.
    Rows(u32),
    /// An array of fixed length of a driver that gets a row, by the number of its type.
    Fixed(u32),
}

/// Where types meet: at a place, and there in which of its slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JoinKey {
    place: Place,
    slot: u32,
}

impl JoinKey {
    pub const fn new(place: Place, slot: u32) -> Self {
        Self { place, slot }
    }

    /// The list that arrays of fixed length become where they meet here.
    pub const fn list(self) -> Self {
        Self { slot: self.slot ^ 0x200_0000, ..self }
    }

    /// What a local holds at a join here.
    pub const fn local(self, frame: usize, local: usize) -> Self {
        Self { slot: self.slot ^ (0x400_0000 + frame as u32 * 0x1_0000 + local as u32), ..self }
    }

    /// A part of what is carried as its parts.
    pub const fn part(self, number: u32) -> Self {
        Self { slot: self.slot.rotate_left(5) ^ (0x100_0000 + number), ..self }
    }

    /// The slot behind this one.
    pub const fn next(self) -> Self {
        Self { slot: self.slot + 1, ..self }
    }
}

/// What makes lambdas, procs and objects of which only the code knows the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcKey {
    /// A literal.
    Literal(Context, NodeId),
    /// A literal, anywhere, by the number that it has among those that are told apart.
    Identified(u32),
    /// One from around the section.
    Root(u32),
    /// A block that a method is given as `&block`, or that a built-in keeps.
    Passed(Context),
    Kept(Context),
    /// A call that makes one: `method`, `>>`, `curry`.
    Made(Context),
    /// An object that its `initialize` is making.
    Building(Context),
}

/// Who touches what several may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Watcher {
    /// A kernel of a driver.
    Kernel(Context),
    /// Functions: they may be called by any kernel.
    Functions,
    /// A driver, whose touches conflict with nobody's.
    Driver,
}

impl Watcher {
    /// The only kernel of a section that is one parallel call.
    pub const ONLY: Self = Self::Kernel(Context::ROOT);
}
