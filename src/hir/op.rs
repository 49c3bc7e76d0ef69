//! Operations: what a value is.

use super::code::{Args, CodeId, DiagnosticId, Keys, List, Local, Name, Value};
use crate::source::Span;

/// A variable that is no local: what it holds is kept elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// Of `self`.
    Instance(Name),
    Global(Name),
    Class(Name),
    /// A local of the code around the outermost one.
    Outer(Name),
}

/// How a call is written, which tells what it may call and how it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// `receiver.name`
    Method,
    /// `self.name`: private methods, too.
    Own,
    /// `name(…)`
    Function,
    /// `name`, which could be a local variable (of an eval's binding).
    Variable,
}

/// A call; `&.` is a branch around one.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub kind: CallKind,
    pub receiver: Value,
    pub name: Name,
    pub args: Args,
    /// Where the name stands.
    pub name_span: Span,
    /// The cell that gets what a pattern matches in the call, where something reads that.
    pub last_match: Option<Value>,
}

/// Which items of a list: those behind `before` and in front of `after`. Where the list is shorter, those in front have
/// what there is, and what is missing is nil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    Front(u32),
    /// The item of that number among the last `after`.
    Back {
        before: u32,
        after: u32,
        index: u32,
    },
    /// All between them, as an array.
    Middle {
        before: u32,
        after: u32,
    },
}

/// What `defined?` asks.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    /// It is known from how it is written.
    Always,
    Yield,
    Constant {
        path: Name,
        absolute: bool,
    },
    Method {
        receiver: Value,
        name: Name,
        own: bool,
    },
    Variable(Variable),
}

/// Why a pattern does not match, for the message of NoMatchingPatternError.
#[derive(Clone, Copy, Debug)]
pub enum Reason {
    /// There are several clauses: nothing is said of them.
    Clauses,
    /// `pattern === value` is not true.
    Unequal {
        pattern: Value,
        value: Value,
    },
    Guard,
    /// The value does not respond to `deconstruct` or `deconstruct_keys`.
    Missing {
        value: Value,
        keys: bool,
    },
    Length {
        list: Value,
        wanted: u32,
        or_more: bool,
    },
    NotFound {
        list: Value,
    },
    /// There is no such key: a NoMatchingPatternKeyError.
    Key(Name),
    /// There are other keys; `rest`: than those that the pattern names.
    Keys {
        hash: Value,
        names: Keys,
        rest: bool,
    },
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// A parameter of a block, and the local that it is.
    Param(Option<Local>),
    Nil,
    True,
    False,
    Integer(i64),
    Float(f64),
    Symbol(Name),
    /// A String; a frozen one is the same object each time.
    Text {
        text: Name,
        frozen: bool,
    },
    Regexp {
        source: Name,
        options: u32,
    },
    /// The text of a value in a String with `#{…}`.
    ToString(Value),
    /// A new String of texts.
    Concat(List),
    Array(Args),
    Range {
        low: Option<Value>,
        high: Option<Value>,
        exclusive: bool,
    },
    Get(Variable),
    Set(Variable, Value),
    Constant {
        path: Name,
        absolute: bool,
    },
    /// A path that begins with a value.
    ConstantOf {
        module: Value,
        path: Name,
    },
    /// A new cell of a local, with what is in it first; then what is in one, and its change.
    Cell(Local, Value),
    Load(Value),
    Store(Value, Value),
    /// A block literal or lambda, with its captures.
    Closure {
        code: CodeId,
        captures: List,
    },
    /// The block of `&:name`.
    SymbolBlock(Name),
    Call(Call),
    /// With a block of its own or, without, with that of the method. `implicit`: with whatever arguments the method was
    /// called with, which only the running program knows here.
    Super {
        args: Args,
        implicit: bool,
    },
    Yield(Args),
    /// Was there an argument for an optional parameter?
    Given(Value),
    IsNil(Value),
    /// `*value`: by `to_a`.
    Splat(Value),
    /// What is taken apart: by `to_ary`, or an array of the value alone.
    Spread(Value),
    /// An item of an array of a [`Op::Splat`], [`Op::Spread`] or [`Op::Deconstruct`].
    Item(Value, Position),
    /// The item of a list at an index, and so many behind.
    ItemAt {
        list: Value,
        index: Value,
        offset: u32,
    },
    /// The items in front of an index, or those from an index and so many on.
    Before {
        list: Value,
        index: Value,
    },
    After {
        list: Value,
        index: Value,
        offset: u32,
    },
    /// Is there room for so many items at an index?
    Fits {
        list: Value,
        index: Value,
        count: u32,
    },
    /// The next index.
    Next(Value),
    /// Are there so many items?
    Length {
        list: Value,
        count: u32,
        or_more: bool,
    },
    /// Is there a method `deconstruct` or `deconstruct_keys`, and what they give.
    Deconstructs {
        value: Value,
        keys: bool,
    },
    Deconstruct(Value),
    /// `names: None` asks for all keys.
    DeconstructKeys {
        value: Value,
        names: Option<Keys>,
    },
    HasKey {
        hash: Value,
        key: Name,
    },
    Key {
        hash: Value,
        key: Name,
    },
    /// A Hash without some keys, and whether there are others at all.
    WithoutKeys {
        hash: Value,
        names: Keys,
    },
    OnlyKeys {
        hash: Value,
        names: Keys,
    },
    /// Raises NoMatchingPatternError.
    NoMatch {
        subject: Value,
        reason: Reason,
    },
    /// The name of what is asked for, or nil.
    Defined {
        what: &'static str,
        asked: Asked,
    },
    /// Runs the block of `Ikra.sync` with that number in [`Code::syncs`]; then what it has made of a local.
    Sync(u32),
    Synced {
        sync: Value,
        local: Local,
    },
    /// Cannot run, and says why.
    Unsupported(DiagnosticId),
}

impl Op {
    /// Can it neither raise, nor run any code, nor be noticed where its value is not used?
    pub const fn is_pure(&self) -> bool {
        matches!(
            self,
            Self::Param(_)
                | Self::Nil
                | Self::True
                | Self::False
                | Self::Integer(_)
                | Self::Float(_)
                | Self::Symbol(_)
                | Self::Text { .. }
                | Self::Regexp { .. }
                | Self::Cell(..)
                | Self::Load(_)
                | Self::Closure { .. }
                | Self::SymbolBlock(_)
                | Self::Given(_)
                | Self::IsNil(_)
                | Self::Item(..)
                | Self::ItemAt { .. }
                | Self::Before { .. }
                | Self::After { .. }
                | Self::Fits { .. }
                | Self::Next(_)
                | Self::Length { .. }
                | Self::Synced { .. }
        )
    }

    /// Can it raise?
    pub const fn raises(&self) -> bool {
        !self.is_pure() && !matches!(self, Self::Store(..))
    }

    /// Does nothing come after it?
    pub const fn never_returns(&self) -> bool {
        matches!(self, Self::NoMatch { .. })
    }

    /// Is it a literal that is the same object, or as good as that, each time?
    pub const fn is_literal(&self) -> bool {
        matches!(
            self,
            Self::Nil | Self::True | Self::False | Self::Integer(_) | Self::Float(_) | Self::Symbol(_)
        )
    }

    /// Calls `visit` for the operands that stand in it; those of lists and arguments do not.
    pub fn each_operand(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::Param(_)
            | Self::Nil
            | Self::True
            | Self::False
            | Self::Integer(_)
            | Self::Float(_)
            | Self::Symbol(_)
            | Self::Text { .. }
            | Self::Regexp { .. }
            | Self::Concat(_)
            | Self::Array(_)
            | Self::Get(_)
            | Self::Constant { .. }
            | Self::Closure { .. }
            | Self::SymbolBlock(_)
            | Self::Super { .. }
            | Self::Yield(_)
            | Self::Sync(_)
            | Self::Unsupported(_) => {}
            Self::ToString(value)
            | Self::Set(_, value)
            | Self::ConstantOf { module: value, .. }
            | Self::Cell(_, value)
            | Self::Load(value)
            | Self::Given(value)
            | Self::IsNil(value)
            | Self::Splat(value)
            | Self::Spread(value)
            | Self::Item(value, _)
            | Self::Next(value)
            | Self::Length { list: value, .. }
            | Self::Deconstructs { value, .. }
            | Self::Deconstruct(value)
            | Self::DeconstructKeys { value, .. }
            | Self::HasKey { hash: value, .. }
            | Self::Key { hash: value, .. }
            | Self::WithoutKeys { hash: value, .. }
            | Self::OnlyKeys { hash: value, .. }
            | Self::Synced { sync: value, .. } => visit(value),
            Self::Store(cell, value) => [cell, value].into_iter().for_each(visit),
            Self::ItemAt { list, index, .. }
            | Self::Before { list, index }
            | Self::After { list, index, .. }
            | Self::Fits { list, index, .. } => [list, index].into_iter().for_each(visit),
            Self::Range { low, high, .. } => low.iter_mut().chain(high).for_each(visit),
            Self::Call(call) => {
                visit(&mut call.receiver);
                call.last_match.iter_mut().for_each(visit);
            }
            Self::NoMatch { subject, reason } => {
                visit(subject);
                match reason {
                    Reason::Clauses | Reason::Guard | Reason::Key(_) => {}
                    Reason::Unequal { pattern, value } => [pattern, value].into_iter().for_each(visit),
                    Reason::Missing { value, .. }
                    | Reason::Length { list: value, .. }
                    | Reason::NotFound { list: value }
                    | Reason::Keys { hash: value, .. } => visit(value),
                }
            }
            Self::Defined { asked, .. } => {
                if let Asked::Method { receiver, .. } = asked {
                    visit(receiver);
                }
            }
        }
    }

    /// The list of its operands, and its arguments.
    pub const fn lists(&mut self) -> (Option<&mut List>, Option<&mut Args>) {
        match self {
            Self::Concat(list) | Self::Closure { captures: list, .. } => (Some(list), None),
            Self::Array(args)
            | Self::Super { args, .. }
            | Self::Yield(args)
            | Self::Call(Call { args, .. }) => (None, Some(args)),
            _ => (None, None),
        }
    }
}
