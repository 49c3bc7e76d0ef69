//! The IR: typed, structured, printable. Both back-ends consume it and nothing else.
//!
//! A [`Program`] is a set of functions over *buffers* (columns of one scalar type) and *scalars* (kernel arguments). Some
//! are the entries of its *kernels*, which run once for each element, and one is its *driver*, which launches them.
//! Values are defined once and may be used wherever their definition dominates, which in structured code means: later
//! in the same block or in a block nested there. What changes lives in a [`Var`]. Unions, ranges, tuples and nil are
//! gone by now: inference has flattened them to scalars.
//!
//! ```text
//! fn f0 "Car" (v0: i32, v1: i64, v2: i64) {       // element index, first tick, end tick
//!   v3 = load b0[v0]
//!   loop L0 {
//!     ...
//!   }
//! }
//! ```
#![deny(unsafe_code)]

pub mod access;
pub mod builder;
pub mod effects;
pub mod fission;
pub mod parser;
pub mod passes;
pub mod printer;
pub mod settling;
pub mod typing;
pub mod verifier;
pub mod walk;

use crate::intrinsics::Intrinsic;
use crate::scalar::{Interval, Ty};
use crate::source::Span;
use crate::types::{ArrayKind, ClassId, HierarchyId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{self}")
            }
        }
    };
}

entity!(/// A value of a function: defined once. 
    Value, "v");
entity!(/// A mutable variable of a function.
    Var, "x");
entity!(/// A buffer of a program.
    Buffer, "b");
entity!(/// A scalar kernel argument of a program.
    Scalar, "s");
entity!(/// A function of a program.
    FuncId, "f");
entity!(/// A kernel of a program.
    KernelId, "k");
entity!(/// A loop or labelled block of a function.
    Label, "L");
entity!(/// A place in the user's source where something can fail.
    SiteId, "e");

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueData {
    pub ty: Ty,
    /// What is known of an `I32`/`I64` value; `FULL` (or `I32`) when nothing is. Back-ends use it to choose widths: it
    /// is a promise that [`verifier`] cannot check, made by [`builder`] alone.
    pub interval: Interval,
    #[serde(skip)]
    pub origin: Origin,
}

impl ValueData {
    /// Of no place in particular.
    pub const fn new(ty: Ty, interval: Interval) -> Self {
        Self { ty, interval, origin: Origin(None) }
    }
}

/// The user's expression that something comes of, to be shown. Programs are the same wherever they come from, and what
/// is kept on disk has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(pub Option<Span>);

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Origin {
    /// A number for it, neither 0 nor the greatest one.
    pub fn number(self) -> Option<u32> {
        self.0.map(|span| (span.file.0.rotate_left(24) ^ span.start).clamp(1, u32::MAX - 1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    /// `Bool` → `Bool`
    Not,
    /// `F64` → `F64`; integers are negated by `SubChecked(0, x)`.
    NegF,
    AbsF,
    /// Rounds to an integral `F64`.
    FloorF,
    CeilF,
    TruncF,
    /// Half away from zero, as `Float#round`.
    RoundF,
    /// Half to even, as `round(half: :even)`.
    RoundEvenF,
    /// To single precision and back: what a `float32` column gives for what is stored there.
    RoundToSingle,
    /// Bitwise complement of `I64`.
    BitNot,
    /// `I32` → `I64`, sign-extended.
    ExtendI32,
    /// `I64` → `I32`; the value is known to fit.
    WrapI64,
    /// `I64` → `F64`, to nearest even.
    I64ToF64,
    /// `F64` → `I64`, truncating; the value is known to be in range (see `Builder::float_to_int`).
    F64ToI64,
    /// `Bool` → `I64`, 0 or 1.
    BoolToI64,
    /// Same 64 bits.
    BitsToF64,
    BitsToI64,
    /// Number of bits of an `I64` without its sign, as `Integer#bit_length`.
    BitLength,
    /// `F64` → `Bool`.
    IsNan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Wrapping integer arithmetic on `I32` or `I64` (both operands and the result of one type). Emitted where the
    /// intervals prove that nothing overflows, and for id arithmetic.
    Add,
    Sub,
    Mul,
    /// `I64` arithmetic that fails the element with `Overflow` at the instruction's site.
    AddChecked,
    SubChecked,
    MulChecked,
    /// `I64` floor division and modulo (the sign of the divisor), as Ruby's. The divisor is known not to be 0 (a
    /// `Check` stands before). `FloorDiv` of `i64::MIN` by -1 fails with `Overflow`; `FloorMod` gives 0 there.
    FloorDiv,
    FloorMod,
    /// `I64` truncating remainder (the sign of the dividend), as `Integer#remainder`.
    TruncRem,
    And,
    Or,
    Xor,
    /// `I64` shifts; the amount is known to be in 0..63. `Shl` wraps.
    Shl,
    Shr,
    AddF,
    SubF,
    MulF,
    /// 0 / 0 is the NaN without a sign, and NaN / -0.0 has the other sign, as MRI's `double_div` has it, whatever the
    /// machine gives.
    DivF,
    /// Ruby's `Float#%`: the sign of the divisor.
    FloorModF,
    /// C's `fmod`.
    RemF,
    /// `PowF` is C's `pow`.
    PowF,
    /// `Bool` × `Bool`, not short-circuit.
    AndB,
    OrB,
    XorB,
    /// Upper 64 bits of the 128-bit product of two `I64` read as unsigned.
    MulHighU,
}

/// Comparisons; integers (`I32`, `I64`, `Bool`) signed, floats ordered (false with NaN, except `Ne`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Unsigned, integers only.
    LtU,
}

/// C library functions of one or two doubles, the ones behind Ruby's `Math`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MathFn {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Expm1,
    Log,
    Log1p,
    Log2,
    Log10,
    Sqrt,
    Cbrt,
    Erf,
    Erfc,
    Gamma,
    Lgamma,
    Atan2,
    Hypot,
}

impl MathFn {
    /// The C name; `Gamma` is `tgamma`.
    pub const fn c_name(self) -> &'static str {
        match self {
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Tanh => "tanh",
            Self::Asinh => "asinh",
            Self::Acosh => "acosh",
            Self::Atanh => "atanh",
            Self::Exp => "exp",
            Self::Expm1 => "expm1",
            Self::Log => "log",
            Self::Log1p => "log1p",
            Self::Log2 => "log2",
            Self::Log10 => "log10",
            Self::Sqrt => "sqrt",
            Self::Cbrt => "cbrt",
            Self::Erf => "erf",
            Self::Erfc => "erfc",
            Self::Gamma => "tgamma",
            Self::Lgamma => "lgamma",
            Self::Atan2 => "atan2",
            Self::Hypot => "hypot",
        }
    }

    pub const fn arity(self) -> usize {
        match self {
            Self::Atan2 | Self::Hypot => 2,
            _ => 1,
        }
    }

    pub const ALL: [Self; 26] = [
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Asin,
        Self::Acos,
        Self::Atan,
        Self::Sinh,
        Self::Cosh,
        Self::Tanh,
        Self::Asinh,
        Self::Acosh,
        Self::Atanh,
        Self::Exp,
        Self::Expm1,
        Self::Log,
        Self::Log1p,
        Self::Log2,
        Self::Log10,
        Self::Sqrt,
        Self::Cbrt,
        Self::Erf,
        Self::Erfc,
        Self::Gamma,
        Self::Lgamma,
        Self::Atan2,
        Self::Hypot,
    ];
}

/// How [`Stmt::Reduce`] puts numbers together, in their order: what the operators of Ruby give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reduction {
    Add,
    Sub,
    Mul,
    /// Of `I64` only.
    And,
    Or,
    Xor,
    /// Of equals the first.
    Min,
    Max,
    /// Of equals the last.
    MinLast,
    MaxLast,
}

/// What defines a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    Bool(bool),
    I32(i32),
    I64(i64),
    F64(f64),
    /// The value of a variable now.
    Get(Var),
    Scalar(Scalar),
    /// Index (`I32`) of the element being computed.
    Element,
    /// The current tick (`I64`), as last set by [`Stmt::Tick`].
    Tick,
    /// The current path (`I64`), as last set by [`Stmt::Path`]; 0 where an entry begins. It is told of a failure.
    Path,
    Unary(UnaryOp, Value),
    Binary(BinaryOp, Value, Value),
    Compare(Comparison, Value, Value),
    /// `condition ? a : b`, both computed.
    Select(Value, Value, Value),
    /// `(a * b + c) mod m` of `[a, b, c, m]` (`I64`), with the sign of m: what is divided has up to 128 bits. m is known
    /// not to be 0.
    WideMod([Value; 4]),
    /// The index is an `I32` known to be in range.
    Load(Buffer, Value),
    Math(MathFn, Vec<Value>),
    /// 64 random bits (`I64`): the element's next draw in this tick (see [`crate::rng`]).
    Random,
    /// Matches a [pattern](crate::regexp::Pattern) with bytes that lie in `words` from a row (`I32`) on. `asks` (`I64`): which
    /// pattern, how many bytes, from where on (or, to prepare, in which encoding), what to do
    /// ([`crate::regexp::Request`]), what preparing gave, and what is to be told of the match. Gives what the request
    /// does (`I64`). CPU only.
    Match {
        words: Buffer,
        first: Value,
        asks: Vec<Value>,
    },
    /// Prints bytes that lie in `words` from a row (`I32`) on: they stand behind what the element has printed before, and are
    /// kept until the section ends ([`crate::heap::printed`]). `tells` (`I64`): how many bytes, in which encoding, to which
    /// stream and how ([`crate::heap::printed::How`]). Is there room for so much (`Bool`)? CPU only.
    Print {
        words: Buffer,
        first: Value,
        tells: Vec<Value>,
    },
    /// What a function of [`crate::intrinsics`] gives (`I64`; a Float's bits, 0 or 1 for a truth) of bytes that lie in words
    /// from rows (`I32`) on, and of numbers (`I64`). Some of them write the first text, which is in
    /// [`BufferKind::Scratch`]. CPU only.
    Intrinsic {
        function: Intrinsic,
        texts: Vec<(Buffer, Value)>,
        args: Vec<Value>,
    },
    /// Where the last match has the start or end of a group, by number (`I64`); -1 if it has none.
    Group(Value),
    /// Notes in the marks that the element is about to touch a row (`I32`), and says who else has touched it in this
    /// tick, where one of the two writes: -1 (`I64`) for nobody, otherwise the element in the upper 32 bits and its site
    /// in the lower, as far as is known. `me` (`I64`) is the number of the tick in the upper 32 bits, and in the lower
    /// the first element that is the same object. What can happen at the same time is in [`crate::heap::marks`].
    Watch {
        marks: Buffer,
        row: Value,
        me: Value,
        write: bool,
    },
    /// Takes so many (`I64`) of the items that are left behind the arrays of a kind: gives the first one, and adds the
    /// number to the first row of [`BufferKind::ArrayEnds`], atomically.
    Claim {
        ends: Buffer,
        count: Value,
    },
    /// The rows of `flags` (`Bool`) that are true become the rows of `indices` (`I32`), in their order; gives their count
    /// (`I64`). Of a driver only.
    Compact {
        flags: Buffer,
        indices: Buffer,
    },
    /// Makes a column longer by so many rows (`I64`) of zeros, and those that go with it
    /// ([`Program::lengthened_with`]); gives the number of the first of them (`I64`). Of a driver only.
    Lengthen {
        buffer: Buffer,
        count: Value,
    },
    /// Makes a new array of so many rows of columns (`I64`), or of those that are true in `given` where there is one
    /// (`Bool`), in their order; gives its number (`I32`). `tag`: that of all values, where the array has tags and the
    /// columns do not. `local`: numbers of such arrays are in values and variables of the driver only. `kept`, if that is
    /// known: what names the arrays of the kind that are read later, by their numbers or by places in them; the others
    /// need not stay. Of a driver only.
    Append {
        from: Items,
        tag: Option<i32>,
        given: Option<Buffer>,
        count: Value,
        into: Arrays,
        local: bool,
        kept: Option<Vec<Value>>,
    },
}

/// The columns that a value is kept in: those that its type needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items {
    pub payload: Option<Buffer>,
    pub tag: Option<Buffer>,
}

/// The columns of the arrays of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrays {
    pub offset: Buffer,
    pub length: Buffer,
    pub items: Items,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stmt {
    /// `site` names the user's source for the operations that can fail.
    Let {
        value: Value,
        op: Op,
        site: Option<SiteId>,
    },
    Set(Var, Value),
    Store {
        buffer: Buffer,
        index: Value,
        value: Value,
    },
    If {
        condition: Value,
        then: Block,
        otherwise: Block,
    },
    /// Runs until left by `Break`; `Continue` starts the next round, so does reaching the end.
    Loop {
        label: Label,
        body: Block,
    },
    /// Left at its end or by `Break`.
    Block {
        label: Label,
        body: Block,
    },
    Break(Label),
    Continue(Label),
    /// Fails the element when `condition` is false. The error is the site's; operands (`I32`, `I64`, `F64` bits) are
    /// for its message.
    Check {
        condition: Value,
        site: SiteId,
        operands: Vec<Value>,
    },
    /// Fails the element.
    Fail {
        site: SiteId,
        operands: Vec<Value>,
    },
    /// Calls fail the calling element when the callee failed.
    Call {
        function: FuncId,
        args: Vec<Value>,
        results: Vec<Value>,
    },
    /// A call of a function without results, made when all elements have run this tick: those with the same first
    /// argument (`I32`, the row of what the function changes) one after the other, in the order of the elements and, of an
    /// element, in that in which it came to them; the others at the same time. What the function writes is touched
    /// nowhere else. All arguments but the first are `I64`. Where an element or such a call fails, what has been
    /// computed says nothing of why ([`crate::backend::Outcome::Conflict`]).
    Defer {
        function: FuncId,
        args: Vec<Value>,
    },
    Return(Vec<Value>),
    /// Starts a tick: what [`Op::Tick`] gives from here, and the draw number of [`Op::Random`] is 0 again.
    Tick(Value),
    /// What [`Op::Path`] gives from here: the number of the calls that lead to the function that is called next. Behind
    /// the call it is set back.
    Path(Value),
    /// Runs a kernel over its base for so many ticks (`I64`, not negative), or for those of the run. The driver ends with a
    /// launch that fails, finds a conflict or is interrupted. Of a driver only.
    Launch {
        kernel: KernelId,
        ticks: Option<Value>,
    },
    /// The base of a kernel has so many elements from now on (`I64`). `own`: the objects that they are, which can be there
    /// several times; `first_same`: becomes the first of each. `sized`: columns by element index, which become as long.
    /// Of a driver only.
    Over {
        kernel: KernelId,
        count: Value,
        own: Option<Items>,
        first_same: Option<Buffer>,
        sized: Vec<Buffer>,
    },
    /// A column becomes a copy of so many rows (`I64`) of another one, from a row (`I32`) on. Of a driver only.
    Copy {
        from: Buffer,
        first: Value,
        count: Value,
        into: Buffer,
    },
    /// Sets a scalar ([`ScalarSource::Driver`]) for the launches to come. Of a driver only.
    Assign(Scalar, Value),
    /// What was done so far is there for the host, which does something else by this number and may change what columns
    /// hold, but no lengths. Of a driver only.
    Sync(u32),
    /// So many iterations of so many are done, as who looks is told ([`crate::progress`]). Of a driver only.
    Progress {
        done: Value,
        total: Value,
    },
    /// Reduces the rows of a column (`I64` or `F64`), or those whose row of `given` (`I64` or `Bool`) is not 0, beginning
    /// with `from`: Floats in their order, Integers exactly. The results are the number and whether it is one (`Bool`): it
    /// is none where the Integer is beyond 64 bits, or where a NaN would have to be compared. Of a driver only.
    Reduce {
        reduction: Reduction,
        column: Buffer,
        given: Option<Buffer>,
        from: Value,
        results: [Value; 2],
    },
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// The first values of the function, `v0..`, are its parameters.
    pub params: Vec<Ty>,
    pub results: Vec<Ty>,
    pub values: Vec<ValueData>,
    pub vars: Vec<Ty>,
    pub labels: u32,
    pub body: Block,
}

impl Function {
    /// What a statement comes of, if it is none that has others in it.
    pub fn origin(&self, stmt: &Stmt) -> Origin {
        let value = match stmt {
            Stmt::Let { value, .. } | Stmt::Set(_, value) | Stmt::Store { value, .. } => Some(value),
            Stmt::Assign(_, value) | Stmt::Check { condition: value, .. } => Some(value),
            Stmt::Call { args, results, .. } => results.iter().chain(args).next(),
            _ => None,
        };
        let data = value.and_then(|value| self.values.get(value.0 as usize));
        data.map_or(Origin(None), |data| data.origin)
    }
}

/// The scalar parts of a value stored in columns: a plain payload, or a tag column beside a payload of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    Payload,
    /// `I32` shape tags, see [`crate::types::Shape`].
    Tag,
}

/// What a buffer holds; the heap builds and names it from this.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BufferKind {
    /// An instance variable of all objects of a hierarchy, by id.
    Column { hierarchy: HierarchyId, name: String, part: Part },
    /// Offset (`I32`) of each array of a kind into its values.
    ArrayOffset(ArrayKind),
    /// Length (`I32`) of each array of a kind.
    ArrayLength(ArrayKind),
    /// For how many items there is room (`I32`) in each array of a kind whose arrays change their length.
    ArrayRoom(ArrayKind),
    /// Two rows (`I64`): where the next array of such a kind is put that needs more room, and where that ends.
    ArrayEnds(ArrayKind),
    /// Elements of all arrays of a kind; one filler element at the end, so that index 0 of an empty array is readable.
    ArrayValues(ArrayKind, Part),
    /// The elements of a kernel's base, by element index: the column that they are known by
    /// ([`crate::heap::schema::Base`]).
    Base(KernelId, Part),
    /// Another column of the base, by its number and element index.
    Beside(KernelId, u32, Part),
    /// What a kernel gives for each element, by element index.
    Result(KernelId, Part),
    /// `Bool`: does the section give anything for the element, by element index.
    Kept,
    /// The elements' parts of an accumulator (by its number in the schema), by element index.
    Accumulator(u32, Part),
    /// `I64`: the tick in which the element wrote its part, counted from 1; 0 if it did not.
    AccumulatorTick(u32),
    /// What the driver has made of an accumulator's parts: one row. The tag is that of nil where there is no such number.
    Merged(u32, Part),
    /// The elements that were selected (`I32`), in their order: as many rows as there are of them.
    Selection,
    /// A variable around the section that elements read and write (by its number in the schema): one row.
    Variable(u32, Part),
    /// `I64`: has such a variable been assigned? One row, for those that begin with what no column has a place for.
    Assigned(u32),
    /// What the section gives where that is arrays: word `w` of element `e` is at `w * elements + e` (`I64`).
    ResultWords,
    /// The same for what elements of a driver's kernels make, or those of several ticks: see [`settling`].
    KernelWords,
    /// What the block of a kernel gives, where it may make it (`I32` tags, `I64`): as [`settling`] finds it.
    Given(KernelId, Part),
    /// `I32`: the number of each object's class in its hierarchy, by id. What others find by where ids begin
    /// ([`ScalarSource::ClassBase`]) is not so where the section makes objects, which come behind all others.
    Places(HierarchyId),
    /// Memory of the element being computed, for the arrays it makes (`I64`); each thread sees its own. The first word
    /// is the number of words in use, which each tick sets anew.
    Scratch,
    /// `Bool`: is the object frozen, by id.
    Frozen(HierarchyId),
    /// `Bool`: is the array frozen, by id.
    FrozenArray(ArrayKind),
    /// `I32`: the first element of a kernel's base that is the same object, by element index.
    FirstSame(KernelId),
    /// `I64`: who touched each row of what is watched, some words a row (see [`crate::heap::marks`]).
    Marks(Watched),
    /// `I32`: the place of each symbol in the order of their names, by number.
    SymbolRanks,
    /// `I32`: the String that is the name of each symbol, by number.
    SymbolNames,
    /// `I32`: an open-addressing table of Symbols by the hash of their names: how many slots there are, a power of two,
    /// then the slots. A slot has the number of a Symbol and one more, or 0.
    SymbolIndex,
    /// Where the items of the arrays of a kind are that are the keys of Hashes, by their hash: of an array of n items
    /// from `offset` on, 2n slots from 2 × `offset` on. A slot has the index of an item and one more, or 0.
    KeyIndex(ArrayKind),
}

impl BufferKind {
    /// Are its rows the elements of a kernel?
    pub const fn is_by_element(&self) -> bool {
        matches!(
            self,
            Self::Base(..)
                | Self::Beside(..)
                | Self::Result(..)
                | Self::Kept
                | Self::Accumulator(..)
                | Self::AccumulatorTick(_)
                | Self::ResultWords
                | Self::KernelWords
                | Self::Given(..)
                | Self::FirstSame(_)
        )
    }
}

/// What elements may race for. Tag and payload are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Watched {
    /// Rows are those of the column.
    Column { hierarchy: HierarchyId, name: String },
    /// A variable around the section, by its number in the schema: one row.
    Variable(u32),
    /// Rows are the items of all arrays of a kind, or the arrays (see [`ScalarSource::Fine`]).
    Arrays(ArrayKind),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferInfo {
    pub kind: BufferKind,
    pub ty: Ty,
    /// Written by some function of the program. A buffer that is not never changes while the section runs; it may get new
    /// rows ([`Op::Lengthen`]), which the driver sets before anything else knows of them.
    pub written: bool,
}

impl BufferInfo {
    /// Does the program change what meant something before? Results, what elements leave for the end, marks and scratch
    /// memory begin as nothing.
    pub fn changes(&self) -> bool {
        let begins_as_nothing = matches!(
            self.kind,
            BufferKind::Result(..)
                | BufferKind::Kept
                | BufferKind::ResultWords
                | BufferKind::KernelWords
                | BufferKind::Given(..)
                | BufferKind::Scratch
                | BufferKind::Marks(_)
                | BufferKind::Accumulator(..)
                | BufferKind::AccumulatorTick(_)
        );
        self.written && !begins_as_nothing && !self.is_drivers()
    }

    /// Does the driver alone have it? It is on the host only.
    pub const fn is_drivers(&self) -> bool {
        matches!(self.kind, BufferKind::Merged(..) | BufferKind::Selection)
    }
}

/// Where a scalar kernel argument comes from, read anew at each call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScalarSource {
    /// A captured local, constant or self: the root's number in the trace plan, and which part of it.
    Root(u32, Part),
    /// First id of the `n`th class of a hierarchy, in the order of the schema.
    ClassBase(HierarchyId, u32),
    /// Number of elements of the base.
    BaseLength,
    /// The first Integer of a series in the base, by the number of its column.
    SeriesFirst(u32),
    /// How far the Integers of a series are apart.
    SeriesStep(u32),
    /// What the driver has last [set](Stmt::Assign) it to, by a number of its own: 0 at first.
    Driver(u32),
    /// Words of [`BufferKind::Scratch`] that one element has.
    ScratchWords,
    /// Words of [`BufferKind::ResultWords`] that one element has.
    ResultWords,
    /// Integer ends of a captured range: its root, low (0) or high (1).
    RootRange(u32, u32),
    /// What is added to ticks in marks: those of this run are like no others that are still there.
    Epoch,
    /// `Bool`: are the items of arrays of a kind watched one by one, rather than arrays as wholes?
    Fine(ArrayKind),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScalarInfo {
    pub source: ScalarSource,
    pub ty: Ty,
}

/// Why there is no method to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Missing {
    Undefined,
    Private,
    Protected,
    /// `super` finds none.
    Super,
}

impl Missing {
    /// All, with their names in texts.
    pub const NAMES: [(Self, &'static str); 4] = [
        (Self::Undefined, "undefined"),
        (Self::Private, "private"),
        (Self::Protected, "protected"),
        (Self::Super, "super"),
    ];

    /// Its place among these.
    pub fn number(self) -> i64 {
        Self::NAMES.iter().position(|(missing, _)| *missing == self).unwrap_or(0) as i64
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(missing, _)| *missing == self).map_or("", |(_, name)| name)
    }
}

/// What goes wrong at a site. Operands are those of the failing statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorKind {
    /// Integer result beyond 64 bits, or beyond 128 in registers (`wide`); the operator for the message.
    Overflow {
        operator: String,
        wide: bool,
    },
    ZeroDivision,
    /// `receiver` as Ruby names it in the message (`nil`, `5`'s class …); operand 0: its id where it is an object.
    NoMethod {
        name: String,
        receiver: Receiver,
        missing: Missing,
        /// Was it called with arguments? The failure does not tell them.
        arguments: bool,
    },
    /// A name that is neither a local variable nor a method of self.
    NameError {
        name: String,
        receiver: Receiver,
    },
    /// `throw` of what no `catch` of the section waits for; operands: the tag's, then the value's, where they have one.
    UncaughtThrow {
        tag: Receiver,
        value: Receiver,
    },
    /// An exception of this class that exists; operand: its id.
    RaiseExisting(ClassId, HierarchyId),
    /// Message complete.
    TypeError(String),
    ArgumentError(String),
    /// A TypeError or ArgumentError whose message tells operand 0 as `inspect` does: `before`, the operand, `after`.
    AboutOperand {
        type_error: bool,
        before: String,
        operand: Receiver,
        after: String,
    },
    /// operand 0: the float's bits; message is `NaN`, `Infinity` or `-Infinity`.
    FloatDomain,
    /// operand 0: the bits of a Float that is no index, such as `-Infinity`: it is out of range of integer.
    FloatIndex,
    /// `Math::DomainError`: Numerical argument is out of domain - "name".
    MathDomain(String),
    /// operand 0: the object's id.
    Frozen(HierarchyId),
    FrozenArray(ArrayKind),
    /// An object or String of this class that the section has made.
    FrozenMade(ClassId),
    /// operands: the index, the array's length.
    IndexTooSmall,
    /// A write past the array's end, which would grow it; operands: the index, the array's length.
    ArrayGrowth,
    /// An integer operation that has no 64-bit result, said in full.
    Range(String),
    /// `raise` in the user's code: the exception class and a message (the class's name without one). Values in the
    /// message are the operands, in order.
    Raise {
        class: ClassId,
        message: Option<Vec<MessagePart>>,
    },
    /// `raise` of an exception of this class that the section has made; operand 0: where it begins in scratch memory.
    RaiseMade(ClassId),
    StackTooDeep,
    /// operands: the index, the array's length: `index 10 outside of array bounds: -3...3`.
    FetchIndex,
    /// The element needs more scratch memory; operand 0: words. The section is run again with more.
    ScratchFull,
    /// The element's result needs more words; operand 0: how many. The section is run again with more.
    ResultFull,
    /// A String is no name of a Symbol that the section has; operand 0: where it begins. The section is run again with it.
    NewSymbol,
    /// A String is the source of a pattern that sections do not match; operands: where it begins, its options. The section is
    /// run again with what Ruby says of it, where it is none for Ruby either.
    NewPattern,
    /// A method is called by a Symbol that no call here has been by; operand 0: its number. The section is run again as one
    /// that has.
    NewName,
    /// Arrays of a kind need more room; operand 0: for how many items behind all. The section is run again with more.
    ArraysFull(ArrayKind),
    /// What cannot run in a section, met by a value that could have been of another class.
    Unsupported(String),
    /// Another element touched the same row in this tick, and one of them writes it. Operands: who (as
    /// [`Op::Watch`] gives it), and where: the object's id, or the array's in the upper and the index in the lower 32
    /// bits.
    Race {
        what: Watched,
        write: bool,
    },
}

/// A piece of an exception's message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MessagePart {
    Text(String),
    /// The next operand as `to_s` gives it, for those that have one.
    Value(Receiver),
    /// The operand of that number (for those that have one) as `inspect` gives it; one can be told more than once.
    Inspect(Receiver, u8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Receiver {
    Nil,
    True,
    False,
    /// operand 0: `I64`.
    Integer,
    /// operand 0: bits of the `F64`.
    Float,
    /// operand 0: number of the symbol.
    Symbol,
    /// operand 0: the object's id.
    Object(HierarchyId),
    /// operand 0: the array's id.
    Array(ArrayKind),
    Module(ClassId),
    /// operand 0: where a String begins that the element has made.
    MadeString,
    /// Anything else, as text.
    Text(String),
}

impl Receiver {
    /// Does an operand of the failing statement say which value it is?
    pub const fn has_operand(&self) -> bool {
        match self {
            Self::Nil | Self::True | Self::False | Self::Module(_) | Self::Text(_) => false,
            Self::Integer
            | Self::Float
            | Self::Symbol
            | Self::Object(_)
            | Self::Array(_)
            | Self::MadeString => true,
        }
    }
}

impl ErrorKind {
    /// An Integer leaves 64 bits.
    pub const fn overflow(operator: String) -> Self {
        Self::Overflow { operator, wide: false }
    }

    /// One leaves 128.
    pub const fn wide_overflow(operator: String) -> Self {
        Self::Overflow { operator, wide: true }
    }

    /// Does a `throw` leave the section there?
    pub fn is_throw(&self) -> bool {
        matches!(self, Self::UncaughtThrow { .. } | Self::RaiseMade(ClassId::UNCAUGHT_THROW_ERROR))
    }

    /// Do operands refer to scratch memory?
    pub fn refers_to_scratch(&self) -> bool {
        matches!(self, Self::RaiseMade(_)) || self.made_strings() != [false; 2]
    }

    /// Which operands are Strings that the element has made, whose bytes are needed with the failure.
    pub fn made_strings(&self) -> [bool; 2] {
        if matches!(self, Self::NewSymbol | Self::NewPattern) {
            return [true, false];
        }
        let mut made = [false; 2];
        for (at, receiver) in self.told() {
            if let Some(made) = made.get_mut(at) {
                *made |= *receiver == Receiver::MadeString;
            }
        }
        made
    }

    /// What the message of an exception tells, by operand.
    pub fn told(&self) -> impl Iterator<Item = (usize, &Receiver)> {
        let parts = match self {
            Self::Raise { message: Some(parts), .. } => &parts[..],
            _ => &[],
        };
        let mut next = 0;
        parts.iter().filter_map(move |part| match part {
            MessagePart::Text(_) => None,
            MessagePart::Value(receiver) => {
                let at = next;
                next += usize::from(receiver.has_operand());
                Some((at, receiver))
            }
            MessagePart::Inspect(receiver, operand) => Some((usize::from(*operand), receiver)),
        })
    }
}

/// A line of a backtrace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    pub path: String,
    pub line: u32,
    /// What runs there, as Ruby's backtraces have it: `move`, `block in run`.
    pub label: String,
    /// It is one of Ruby's own methods that runs, called from there.
    pub native: bool,
}

/// A place in the user's source that can fail, and how. The table stays on the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    pub error: ErrorKind,
    pub raised: Raised,
    /// Where it is, then the inlined callers.
    pub places: Vec<Place>,
    /// Of what is refused as the section runs: the expression, and the call in the block that led to it. The message has
    /// taken them over before a program is optimised.
    pub refused: Option<(Span, Option<Span>)>,
    /// Another exception is being handled there, or may be where the function is called: it is the cause of this one.
    pub has_cause: bool,
    /// `raise` says `cause: nil`: what is being handled around the section is none either.
    pub no_cause: bool,
    /// Of what leaves 64 bits in a built-in that is written in Ruby: the operation.
    pub within: Option<Span>,
}

/// Who raises an error: the message is in the encoding of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Raised {
    #[default]
    ByRuby,
    /// The same, with a text in an encoding of its own.
    ByRubysText,
    /// A `raise` of the user's; with a literal that is frozen, and nothing else.
    ByText,
    ByFrozenText,
}

impl Site {
    /// The path and line of the user's code.
    pub fn place(&self) -> (&str, u32) {
        self.places.first().map_or(("", 0), |place| (place.path.as_str(), place.line))
    }
}

impl Site {
    /// Where Integers are to be of any size for it not to fail: a line of the user's, or an operation of a built-in.
    pub fn place_of_integers(&self) -> (String, u32) {
        match self.within {
            Some(span) => span.place_in_core(),
            None => (self.place().0.to_string(), self.place().1),
        }
    }
}

impl Raised {
    pub const fn is_by_ruby(self) -> bool {
        matches!(self, Self::ByRuby | Self::ByRubysText)
    }
}

/// How messages name the built-in that runs, where only the path to it tells which one that is.
pub const THIS_METHOD: &str = "this method";

/// A call of a function: paths of these numbers led over it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callers {
    pub first: i64,
    pub last: i64,
    /// What it adds to the number of the path that led to the caller.
    pub added: i64,
    /// Where the call is, then its inlined callers.
    pub places: Vec<Place>,
    /// The built-in that the call stands in, or is of.
    pub builtin: Option<String>,
}

/// One function per class of the base's elements. Its parameters are (element index `I32`, first tick `I64`, end tick
/// `I64`); it runs the block for ticks `first...end`. It has no results: those are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// For printing: the class's name.
    pub name: String,
    pub function: FuncId,
}

/// The code of one parallel call: what each element of the base runs, by its class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    pub entries: Vec<Entry>,
    /// Every written buffer is touched only by the element it belongs to: the tick loop may run inside the thread.
    pub fused: bool,
    /// What its elements make gets rows after each tick: see [`settling`].
    pub settles: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub functions: Vec<Function>,
    pub kernels: Vec<Kernel>,
    /// What runs once, on the host: it launches the kernels, and makes what the section gives of what they leave. Without
    /// parameters and results. Programs of inference have one.
    pub driver: Option<FuncId>,
    pub buffers: Vec<BufferInfo>,
    pub scalars: Vec<ScalarInfo>,
    pub sites: Vec<Site>,
    /// Which calls the numbers of paths stand for, in the order of the numbers.
    pub callers: Vec<Callers>,
    pub uses_random: bool,
    pub settling: settling::Settling,
    /// The same with nothing deferred, and what was deferred not watched: what it is where elements run in order.
    pub plain: Option<Box<Self>>,
    /// [`Op::Watch`] says who it was: elements run in order, and marks are rows of [`crate::heap::marks::Report`].
    pub reports: bool,
}

impl Program {
    /// Of all kernels, one after the other.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.kernels.iter().flat_map(|kernel| &kernel.entries)
    }

    /// Where the entries of a kernel begin among all.
    pub fn first_entry(&self, kernel: KernelId) -> usize {
        self.kernels.iter().take(kernel.0 as usize).map(|kernel| kernel.entries.len()).sum()
    }

    /// The function of the driver.
    pub fn driver_function(&self) -> Option<&Function> {
        self.functions.get(self.driver?.0 as usize)
    }

    /// Where all calls are that a path led over, innermost first.
    pub fn callers(&self, path: i64) -> Vec<&Place> {
        self.calls(path).flat_map(|call| &call.places).collect()
    }

    /// The built-in that runs, where a path led to one.
    pub fn builtin(&self, path: i64) -> Option<&str> {
        self.calls(path).find_map(|call| call.builtin.as_deref())
    }

    fn calls(&self, mut path: i64) -> impl Iterator<Item = &Callers> {
        std::iter::from_fn(move || {
            let at = self.callers.partition_point(|call| call.last < path);
            let call = self.callers.get(at).filter(|call| call.first <= path)?;
            path -= call.added;
            Some(call)
        })
    }

    /// Elements are not known to be independent, and watched for it.
    pub fn is_watched(&self) -> bool {
        self.buffers.iter().any(|buffer| matches!(buffer.kind, BufferKind::Marks(_)))
    }

    /// The functions that these call, directly or not, with themselves.
    pub fn called_from(&self, functions: impl Iterator<Item = FuncId>) -> BTreeSet<FuncId> {
        let mut open: Vec<FuncId> = functions.collect();
        let mut all: BTreeSet<FuncId> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            let Some(function) = self.functions.get(id.0 as usize) else { continue };
            walk::for_each(&function.body, &mut |stmt| {
                if let Stmt::Call { function, .. } | Stmt::Defer { function, .. } = stmt
                    && all.insert(*function)
                {
                    open.push(*function);
                }
            });
        }
        all
    }

    /// The buffers that may change while a kernel runs: those that it writes.
    pub fn changed_by(&self, kernel: &Kernel) -> Vec<bool> {
        let mut changed = vec![false; self.buffers.len()];
        for id in self.called_from(kernel.entries.iter().map(|entry| entry.function)) {
            walk::for_each(&self.functions[id.0 as usize].body, &mut |stmt| match stmt {
                Stmt::Store { buffer, .. }
                | Stmt::Let {
                    op: Op::Watch { marks: buffer, .. } | Op::Claim { ends: buffer, .. }, ..
                } => {
                    changed[buffer.0 as usize] = true;
                }
                Stmt::Let { op, .. } => {
                    if let Some(buffer) = op.written_text() {
                        changed[buffer.0 as usize] = true;
                    }
                }
                _ => {}
            });
        }
        changed
    }

    /// The columns that [`Op::Lengthen`] makes longer where it is told one of them: those that have a row for each object
    /// of a hierarchy (where that of its places is told), for each array of a kind (that of the offsets), or for each item
    /// of such arrays. Others have none.
    pub fn lengthened_with(&self, buffer: Buffer) -> Vec<Buffer> {
        let kind = |buffer: Buffer| self.buffers.get(buffer.0 as usize).map(|info| &info.kind);
        let goes_with = |other: &BufferKind| match (kind(buffer), other) {
            (
                Some(BufferKind::Places(of)),
                BufferKind::Column { hierarchy, .. }
                | BufferKind::Frozen(hierarchy)
                | BufferKind::Places(hierarchy),
            ) => of == hierarchy,
            (
                Some(BufferKind::ArrayOffset(of)),
                BufferKind::ArrayOffset(kind)
                | BufferKind::ArrayLength(kind)
                | BufferKind::ArrayRoom(kind)
                | BufferKind::FrozenArray(kind),
            )
            | (Some(BufferKind::ArrayValues(of, _)), BufferKind::ArrayValues(kind, _)) => of == kind,
            _ => false,
        };
        let all = (0..self.buffers.len() as u32).map(Buffer);
        all.filter(|other| kind(*other).is_some_and(goes_with)).collect()
    }

    /// The driver and what it calls.
    pub fn drivers(&self) -> BTreeSet<FuncId> {
        self.called_from(self.driver.into_iter())
    }

    /// Does it print?
    pub fn prints(&self) -> bool {
        self.functions.iter().any(|function| any_op(&function.body, &mut |op| matches!(op, Op::Print { .. })))
    }

    /// Do elements compute with Integers beyond 64 bits?
    pub fn has_big_integers(&self) -> bool {
        let is_big = |op: &Op| matches!(op, Op::Intrinsic { function, .. } if function.is_of_big_integers());
        let called = self.called_from(self.entries().map(|entry| entry.function));
        called.into_iter().any(|id| any_op(&self.functions[id.0 as usize].body, &mut |op| is_big(op)))
    }

    /// The functions of [`Stmt::Defer`].
    pub fn deferred(&self) -> BTreeSet<FuncId> {
        let mut all = BTreeSet::new();
        for function in &self.functions {
            walk::for_each(&function.body, &mut |stmt| {
                if let Stmt::Defer { function, .. } = stmt {
                    all.insert(*function);
                }
            });
        }
        all
    }
}

impl Op {
    /// The words that an intrinsic writes.
    pub fn written_text(&self) -> Option<Buffer> {
        match self {
            Self::Intrinsic { function, texts, .. } if function.writes() => texts.first().map(|text| text.0),
            _ => None,
        }
    }
}

/// Does `test` hold for some operation of a block or the blocks in it?
pub fn any_op(block: &Block, test: &mut dyn FnMut(&Op) -> bool) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Let { op, .. } => test(op),
        Stmt::If { then, otherwise, .. } => any_op(then, test) || any_op(otherwise, test),
        Stmt::Loop { body, .. } | Stmt::Block { body, .. } => any_op(body, test),
        _ => false,
    })
}
