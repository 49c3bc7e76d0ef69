//! The data: pieces of code and their blocks.

use super::op::Op;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{NodeId, Plain};
use std::ops::Range;

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl $name {
                /// As the index of an array.
                pub const fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

entities! {
    /// A piece of code of a [`Hir`]: 0 is the outermost.
    CodeId;
    /// A block of a [`Code`]: 0 is its entry.
    Block;
    /// What an operation of a [`Code`] or a parameter of a block gives; also the operation itself.
    Value;
    /// A local variable of a [`Hir`], with the number that it has in the AST.
    Local;
    /// A text of a [`Hir`]: of a method, a variable, a constant, a Symbol or a String.
    Name;
    /// A diagnostic of a [`Hir`].
    DiagnosticId;
}

/// A method, block or lambda with everything nested in it.
#[derive(Debug, Default)]
pub struct Hir {
    pub codes: Vec<Code>,
    pub locals: Vec<LocalData>,
    pub names: Vec<String>,
    /// Why [`Op::Unsupported`] cannot run.
    pub diagnostics: Vec<Diagnostic>,
    /// The modules that it stands in, outermost first, along which constants are looked up; `None` for a computed one.
    pub nesting: Vec<Option<Name>>,
    /// The text was evaluated in a binding, whose local variables [`CallKind::Variable`](super::CallKind::Variable) can
    /// mean.
    pub in_binding: bool,
}

impl Hir {
    pub fn code(&self, id: CodeId) -> &Code {
        &self.codes[id.index()]
    }

    pub fn name(&self, name: Name) -> &str {
        &self.names[name.index()]
    }
}

/// A local variable.
#[derive(Clone, Copy, Debug)]
pub struct LocalData {
    pub name: Name,
    /// It is kept in a cell, that is by reference: code nested in that of its scope assigns it, or it is assigned in its
    /// scope when nested code may have it already, or it holds what a pattern matched last, which calls assign. All
    /// others are values, also those that nested code has: it gets a copy of what they are.
    pub is_cell: bool,
    /// `rescue => name` gives it an exception; with `object`, more is done with that than to ask for message and class
    /// and to raise it again.
    pub error: Option<ErrorUse>,
}

/// What is done with an exception that was rescued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorUse {
    Asked,
    Object,
}

/// What a [`Code`] is the text of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    Method,
    Block,
    Lambda,
}

/// A method body, block or lambda: one arena, and blocks that are ranges of it. What is captured, and `self`, are
/// parameters of its entry.
#[derive(Debug)]
pub struct Code {
    pub kind: CodeKind,
    pub name: Name,
    pub span: Span,
    /// The code that it is nested in.
    pub outer: Option<CodeId>,
    pub params: Params,
    /// The locals of enclosing code that it uses: a value each, or a cell. They are the last parameters of the entry.
    pub captures: Vec<Local>,
    pub values: Vec<ValueData>,
    pub blocks: Vec<BlockData>,
    /// What a [`List`] points into.
    pub operands: Vec<Value>,
    /// What an [`Args`] points into.
    pub args: Vec<Arg>,
    pub syncs: Vec<SyncData>,
    pub keys: Vec<Name>,
}

impl Code {
    pub fn list(&self, list: List) -> &[Value] {
        &self.operands[list.start as usize..][..list.count as usize]
    }

    pub fn arguments(&self, args: Args) -> &[Arg] {
        &self.args[args.start as usize..][..args.count as usize]
    }

    pub fn keys(&self, keys: Keys) -> &[Name] {
        &self.keys[keys.start as usize..][..keys.count as usize]
    }

    pub fn op(&self, value: Value) -> &Op {
        &self.values[value.index()].op
    }

    pub fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block.index()]
    }
}

/// The parameters of a code. Each is a parameter of the entry, behind `self` and in this order: required, optional, rest,
/// post, keywords, keyword_rest, keyword_hash, block. Whoever calls binds the arguments; an optional one that has none is
/// not [given](Op::Given), and its default is computed in the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    pub required: u32,
    pub optional: u32,
    pub rest: bool,
    pub post: u32,
    /// Names, and whether they are required.
    pub keywords: Vec<(Name, bool)>,
    pub keyword_rest: bool,
    /// `**rest` as a Hash, where more is done with it than to pass it on; `keywords_change`: that may change it.
    pub keyword_hash: bool,
    pub keywords_change: bool,
    /// `**nil`
    pub no_keywords: bool,
    pub block: bool,
    /// `|a, |`
    pub trailing_comma: bool,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    pub op: Op,
    pub source: Source,
}

/// Where something stands, and the node of the AST that it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub span: Span,
    pub node: NodeId,
}

/// A block: parameters, operations and where it leads.
#[derive(Clone, Debug)]
pub struct BlockData {
    pub kind: BlockKind,
    /// Numbers of its parameters, and behind them those of its operations.
    pub params: Range<u32>,
    pub body: Range<u32>,
    pub end: Terminator,
    /// Of its end.
    pub source: Source,
    /// Where it leads when an operation in it raises: to a [`BlockKind::Rescue`] or [`BlockKind::Ensure`], with what
    /// locals are all over this block. `None`: out of the code, or nothing in it raises.
    pub unwind: Option<Edge>,
    /// The exception that is being handled, `$!`; `None`: that of whoever runs the code.
    pub handling: Option<Value>,
}

/// How a block is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Plain,
    /// The only ones that edges lead back to.
    Loop,
    /// Its first parameter, which no edge gives, is the exception. Whatever else unwinds goes on from it at once, to where
    /// it leads itself when something in it raises.
    Rescue,
    /// Its first parameter, which no edge gives, is whatever leaves the code: an exception, a `throw`, or the `break` or
    /// `return` of a block in the code. It goes on with [`Terminator::Resume`].
    Ensure,
}

/// The end of a block.
#[derive(Clone, Copy, Debug)]
pub enum Terminator {
    Jump(Edge),
    /// Is it neither nil nor false?
    Branch {
        test: Value,
        yes: Edge,
        no: Edge,
    },
    /// Ends this code with that value: `return` of a method or lambda, `next` of a block.
    Return(Value),
    /// `break` of a block: ends the call that it was given to.
    Break(Value),
    /// `return` of a block: ends the method or lambda that the block stands in, or the block itself where the call that
    /// it is given to makes a lambda or a method of it.
    Leave(Value),
    /// Raises again what a `Rescue` or `Ensure` was entered with.
    Resume(Value),
    /// Behind an operation that never returns.
    Never,
}

/// A way to a block, with what its parameters become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub block: Block,
    pub args: List,
}

/// Values next to each other in [`Code::operands`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    pub start: u32,
    pub count: u32,
}

/// Arguments next to each other in [`Code::args`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Args {
    pub start: u32,
    pub count: u32,
}

/// Names next to each other in [`Code::keys`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    pub start: u32,
    pub count: u32,
}

/// An argument of a call, or an item of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    pub kind: ArgKind,
    pub value: Value,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    Plain,
    /// `*array`, which is an array already.
    Splat,
    /// `name: value`
    Keyword(Name),
    /// `**hash`
    KeywordSplat,
    /// A block literal, `&block` or `&:name`, always last.
    Block,
}

/// A block of `Ikra.sync`.
#[derive(Clone, Debug)]
pub struct SyncData {
    pub text: Span,
    /// The locals that it uses, what they are, and whether it assigns them.
    pub read: Vec<(Local, Value, bool)>,
    /// What some of these become, as far as that stands there.
    pub given: Vec<(Local, Plain)>,
}

impl Terminator {
    /// Calls `visit` for the operands that stand in it; arguments of edges do not.
    pub fn each_operand(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::Jump(_) | Self::Never => {}
            Self::Branch { test: value, .. }
            | Self::Return(value)
            | Self::Break(value)
            | Self::Leave(value)
            | Self::Resume(value) => visit(value),
        }
    }

    /// Where it leads.
    pub fn edges(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (first, second) = match self {
            Self::Jump(edge) => (Some(edge), None),
            Self::Branch { yes, no, .. } => (Some(yes), Some(no)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl Code {
    /// All operands of an operation, those of its lists and arguments included.
    pub fn operands_of(&self, value: Value) -> Vec<Value> {
        let mut op = *self.op(value);
        let mut all = Vec::new();
        op.each_operand(&mut |operand| all.push(*operand));
        match op.lists() {
            (Some(list), _) => all.extend(self.list(*list)),
            (_, Some(args)) => all.extend(self.arguments(*args).iter().map(|arg| arg.value)),
            _ => {}
        }
        if let Op::Sync(number) = op {
            all.extend(self.syncs[number as usize].read.iter().map(|(_, value, _)| *value));
        }
        all
    }
}
