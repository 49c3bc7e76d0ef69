//! The AST of one block literal or method body ([`Code`]): Ruby's constructs with locals resolved to numbers,
//! `unless`/`until` turned into `if`/`while` and every node carrying its byte span.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use std::sync::Arc;

/// Number of a node, dense from 0 within one [`Code`]; keys the side tables of inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A local variable of one [`Code`], its nested blocks' locals included (each scope's locals get numbers of their own).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// A method body or a section's block, with everything nested in it.
#[derive(Clone, Debug)]
pub struct Code {
    pub kind: CodeKind,
    /// The method's name, or `block`, for backtraces.
    pub name: String,
    pub span: Span,
    pub params: Params,
    pub body: Node,
    /// Names of locals by [`LocalId`].
    pub locals: Vec<String>,
    /// Number of [`NodeId`]s in use.
    pub nodes: u32,
    /// Locals of enclosing scopes that the code reads, and those it writes.
    pub captured_reads: Vec<String>,
    pub captured_writes: Vec<(String, Span)>,
    /// Locals that `rescue … => name` gives an exception to.
    pub errors: Vec<LocalId>,
    /// Those of them with which the code does more than to ask for message and class and to raise it again.
    pub error_objects: Vec<LocalId>,
    /// True when the body holds a `yield`.
    pub yields: bool,
    /// The modules the code stands in, outermost first, as written (`A::B` is one string); constants are looked up
    /// along it. `None` in the list stands for a `class << self` or a computed module.
    pub nesting: Vec<Option<String>>,
    /// The text was evaluated in a binding, whose local variables bare names in it can be.
    pub in_binding: bool,
}

impl Code {
    /// Does it use variables of the code around it?
    pub fn captures(&self) -> bool {
        !self.captured_reads.is_empty() || !self.captured_writes.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    Method,
    /// A block literal: missing arguments are nil, surplus ones are dropped, one array is destructured.
    Block,
    Lambda,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub id: NodeId,
    pub span: Span,
    pub kind: Kind,
}

/// Every parameter is a local variable, with or without a name; `...` is `*`, `**` and `&` without names.
#[derive(Clone, Debug, Default)]
pub struct Params {
    /// Required parameters before the optional ones.
    pub required: Vec<LocalId>,
    /// Optional positional parameters with their defaults.
    pub optional: Vec<(LocalId, Node)>,
    /// `*rest`.
    pub rest: Option<LocalId>,
    /// Required parameters after the splat.
    pub post: Vec<LocalId>,
    /// Keyword parameters; without a default they are required.
    pub keywords: Vec<(String, LocalId, Option<Node>)>,
    /// `**rest`.
    pub keyword_rest: Option<LocalId>,
    /// The same as a Hash, where the code does more with it than to pass it on as `**rest`; and whether the Hash may
    /// change by that.
    pub keyword_hash: Option<LocalId>,
    pub keywords_change: bool,
    /// `**nil`: keywords are an error.
    pub no_keywords: bool,
    /// `&block`.
    pub block: Option<LocalId>,
    /// `(a, b)` in the list: required parameters that are taken apart when all defaults are known.
    pub destructured: Vec<(LocalId, Multiple)>,
    /// A block written `|a, |`: destructures like several parameters.
    pub trailing_comma: bool,
}

impl Params {
    /// Are so many positional arguments taken?
    pub fn takes(&self, count: usize) -> bool {
        let required = self.required.len() + self.post.len();
        count >= required && (self.rest.is_some() || count <= required + self.optional.len())
    }

    pub fn take_keywords(&self) -> bool {
        !self.keywords.is_empty() || self.keyword_rest.is_some()
    }

    /// Are there required ones alone?
    pub fn is_plain(&self) -> bool {
        self.optional.is_empty()
            && self.rest.is_none()
            && self.post.is_empty()
            && !self.take_keywords()
            && !self.no_keywords
            && self.block.is_none()
    }
}

/// The captured local that stands for what `__method__` is around a block; no local has such a name.
pub const METHOD_AROUND: &str = "#method";

/// The name of the only keyword where others than Symbols stand among the names: all of them are a Hash.
pub const BARE_HASH: &str = "#hash";

/// One of the keywords of a call.
#[derive(Clone, Debug)]
pub enum KeywordArg {
    /// `name: value`
    Pair(String, Node),
    /// `**keywords`
    Splat(Node),
}

/// A block literal or block argument at a call.
#[derive(Clone, Debug)]
pub enum BlockArg {
    Literal(Arc<BlockLiteral>),
    /// `&:name`
    Symbol(String, Span),
    /// `&expression`
    Expression(Box<Node>),
}

/// A block nested in a [`Code`]; its locals are numbered with the code's.
#[derive(Clone, Debug)]
pub struct BlockLiteral {
    pub id: NodeId,
    pub span: Span,
    /// From its `{` or `do` on, after the parameters of a `->`: what Ruby calls its line.
    pub opened: Span,
    pub params: Params,
    pub body: Node,
    /// Locals declared by the block (parameters included): fresh at each call of it.
    pub own_locals: Vec<LocalId>,
    /// In so many blocks of its code it stands, itself included.
    pub depth: u32,
}

/// Something that can be assigned to.
#[derive(Clone, Debug)]
pub enum Target {
    Local(LocalId, Span),
    /// A local of an enclosing scope of the section.
    Captured(String, Span),
    Ivar(String, Span),
    /// With its `$`.
    Global(String, Span),
    /// With its `@@`.
    ClassVariable(String, Span),
    /// `receiver[args] =`
    Index {
        receiver: Box<Node>,
        args: Vec<Node>,
        id: NodeId,
        span: Span,
    },
    /// `receiver.name =`
    Attribute {
        receiver: Box<Node>,
        name: String,
        safe: bool,
        id: NodeId,
        span: Span,
    },
    /// `(a, b)` nested in a multiple assignment or a parameter list.
    Multiple(Box<Multiple>, Span),
}

impl Target {
    pub const fn span(&self) -> Span {
        match self {
            Self::Local(_, span)
            | Self::Captured(_, span)
            | Self::Ivar(_, span)
            | Self::Global(_, span)
            | Self::ClassVariable(_, span)
            | Self::Index { span, .. }
            | Self::Attribute { span, .. }
            | Self::Multiple(_, span) => *span,
        }
    }
}

/// The left side of a multiple assignment: `a, *b, c`.
#[derive(Clone, Debug)]
pub struct Multiple {
    pub before: Vec<Target>,
    /// `*b`: `Some(None)` is an anonymous splat.
    pub splat: Option<Option<Target>>,
    pub after: Vec<Target>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `+=` and its like: the operator method's name.
    Operator(String),
    Or,
    And,
}

/// A block that Ruby runs, in the middle of the code around parallel calls.
#[derive(Clone, Debug)]
pub struct Sync {
    /// What stands between its braces.
    pub text: Span,
    /// The locals that it uses, each read, and those of them that it assigns.
    pub read: Vec<Node>,
    pub written: Vec<LocalId>,
    /// What some of these become, as far as that stands there.
    pub given: Vec<(LocalId, Plain)>,
}

/// What a literal without parts is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    Nil,
    Bool,
    Integer,
    Float,
}

#[derive(Clone, Debug)]
pub enum StringPart {
    Text(String),
    /// A literal by itself that is frozen, by the file's magic comment: the same object each time.
    Frozen(String),
    Expression(Node),
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// What has no place in the AST: it is unsupported where it is reached.
    Unsupported(Box<Diagnostic>),
    Nil,
    True,
    False,
    SelfRef,
    Integer(i64),
    Float(f64),
    Symbol(String),
    /// Its source and options.
    Regexp(String, u32),
    /// Its parts, which are none of an empty one.
    String(Vec<StringPart>),
    Array(Vec<Node>),
    Range {
        low: Option<Box<Node>>,
        high: Option<Box<Node>>,
        exclusive: bool,
    },
    /// `*array` in an argument list or array literal.
    Splat(Box<Node>),
    /// `name: value` and `**keywords` of a call, always last in its `args`.
    KeywordArgs(Vec<KeywordArg>),
    Local(LocalId),
    /// A local variable of the scope around the section.
    Captured(String),
    Ivar(String),
    /// With its `$`.
    Global(String),
    /// With its `@@`.
    ClassVariable(String),
    /// `A::B`; `absolute` for `::A::B`.
    Constant {
        path: Vec<String>,
        absolute: bool,
    },
    /// `self.class::LIMIT`: a path that begins with a value.
    ConstantOf {
        module: Box<Node>,
        path: Vec<String>,
    },
    Assign {
        target: Box<Target>,
        value: Box<Node>,
    },
    OpAssign {
        target: Box<Target>,
        op: AssignOp,
        value: Box<Node>,
    },
    MultiAssign {
        targets: Box<Multiple>,
        value: Box<Node>,
        /// Its value is that of a statement which others follow: nobody sees it.
        discarded: bool,
    },
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    If {
        condition: Box<Node>,
        then: Box<Node>,
        otherwise: Box<Node>,
    },
    Case {
        subject: Option<Box<Node>>,
        whens: Vec<When>,
        otherwise: Option<Box<Node>>,
    },
    /// `case … in`; where nothing matches and there is no `else`, NoMatchingPatternError. `value => pattern` is one
    /// with a single clause that gives nil.
    CaseIn {
        subject: Box<Node>,
        clauses: Vec<InClause>,
        otherwise: Option<Box<Node>>,
    },
    /// `value in pattern`: true or false.
    Matches {
        value: Box<Node>,
        pattern: Box<Pattern>,
    },
    /// `until` has `negated`; `begin … end while` has `body_first`.
    While {
        condition: Box<Node>,
        negated: bool,
        body_first: bool,
        body: Box<Node>,
    },
    /// `begin … rescue … else … ensure … end`, and `value rescue value`.
    Begin(Arc<Begin>),
    /// Runs the `begin` around its `rescue` once more.
    Retry,
    Break(Option<Box<Node>>),
    Next(Option<Box<Node>>),
    Return(Option<Box<Node>>),
    Yield(Vec<Node>),
    /// `args: None` is a bare `super`, passing the method's own parameters.
    /// `Ikra.sync { … }`
    Sync(Box<Sync>),
    Super {
        args: Option<Vec<Node>>,
        block: Option<BlockArg>,
    },
    Call(Box<Call>),
    /// `defined?(…)`: what it is, where inference finds that it is there; `asked: None`, it always is.
    Defined {
        what: &'static str,
        asked: Option<Box<Node>>,
    },
    /// A call or `case` that may match a pattern, which assigns a local.
    Matching(LocalId, Box<Node>),
    Sequence(Vec<Node>),
    /// `defined?(yield)`, `block_given?` and the like are calls; this is `->(x) { … }`.
    Lambda(Arc<BlockLiteral>),
}

#[derive(Clone, Debug)]
pub struct Call {
    /// `None`: a call on self, private methods allowed.
    pub receiver: Option<Node>,
    pub name: String,
    /// The span of the name itself, where errors point.
    pub name_span: Span,
    pub args: Vec<Node>,
    pub block: Option<BlockArg>,
    /// `&.`
    pub safe: bool,
    /// A bare name that could be a local variable (of an eval's binding).
    pub variable: bool,
}

#[derive(Clone, Debug)]
pub struct When {
    pub patterns: Vec<Node>,
    pub body: Node,
}

#[derive(Clone, Debug)]
pub struct Begin {
    pub body: Node,
    pub rescues: Vec<Rescue>,
    /// Runs after the body, with no `rescue` around it; its value is that of the whole.
    pub otherwise: Option<Node>,
    pub ensure: Option<Node>,
}

#[derive(Clone, Debug)]
pub struct Rescue {
    /// The word `rescue`.
    pub keyword: Span,
    /// Constants; none stand for StandardError.
    pub classes: Vec<Node>,
    /// `=> name`
    pub error: Option<LocalId>,
    pub body: Node,
}

#[derive(Clone, Debug)]
pub struct InClause {
    pub pattern: Pattern,
    /// `if` or, as `Not`, `unless`.
    pub guard: Option<Node>,
    pub body: Node,
}

#[derive(Clone, Debug)]
pub struct Pattern {
    pub id: NodeId,
    pub span: Span,
    pub kind: PatternKind,
}

#[derive(Clone, Debug)]
pub enum PatternKind {
    /// A literal, a range, a constant or something pinned: matches what it is `===` to.
    Value(Node),
    /// `name` and `_`: matches everything.
    Bind(Target),
    /// `pattern => name`
    Capture(Box<Pattern>, Target),
    /// `a | b`
    Either(Box<Pattern>, Box<Pattern>),
    /// `[a, *rest, b]`, `Const[…]`; `rest: Some(None)` is a splat without a name.
    Array { constant: Option<Node>, before: Vec<Pattern>, rest: Option<Option<Target>>, after: Vec<Pattern> },
    /// `[*before, a, b, *after]`, `Const[…]`: the first place where the patterns in the middle match.
    Find { constant: Option<Node>, before: Option<Target>, middle: Vec<Pattern>, after: Option<Target> },
    /// `{name: pattern}`, `Const(name: pattern)`; `closed`: there must be no other keys (`**nil`); `rest` gets a Hash of
    /// these.
    Hash { constant: Option<Node>, pairs: Vec<(String, Pattern)>, closed: bool, rest: Option<Target> },
}
