//! The abstract interpreter: walks the AST with sets of exact classes and emits the IR of the last, stable walk.
//!
//! Inference and lowering are one walk. Types are flow-sensitive: each expression gives an [`operand::Operand`] (a type
//! set and the IR values that carry it). What depends on code not yet seen — what is loop-carried, what a recursive
//! method gives, what is written into a column — is the solution of a monotone fixpoint: it is read from the
//! [`memo::Memo`], which only grows; the walk is repeated until it adds nothing, and the IR of that last walk is the
//! result.
#![deny(unsafe_code)]

mod accumulators;
mod arity;
mod arrays;
mod assign;
mod basic_operations;
mod births;
mod blocks;
mod branches;
pub(crate) mod builtins;
mod call_graph;
mod calls;
mod catches;
mod changing_strings;
mod characters;
mod closed_blocks;
mod conditions;
mod constant_lists;
mod copies;
mod costs;
mod counting;
mod defined;
pub mod dialect;
mod dispatch;
mod driver;
mod elements;
mod entry;
mod evacuation;
mod exception_methods;
mod exceptions;
mod expressions;
mod flows;
mod function_bodies;
mod functions;
mod global_state;
mod growing;
mod growth;
mod handed_over;
mod hash_rows;
mod hashes;
mod held_procs;
pub mod host;
mod inlining;
mod instances;
mod joins;
mod kernels;
mod keys;
pub(crate) mod keyword_splats;
mod leaving;
mod limits;
mod lists;
mod made;
mod made_procs;
mod memo;
mod memory;
mod mutable_literals;
pub(crate) mod names;
mod no_match;
mod of_drivers;
mod opened_blocks;
mod operand;
mod outlining;
mod output;
mod parallel;
mod patterns;
mod proc_identity;
mod pushing;
mod raise;
mod raised;
pub mod recording;
mod records;
pub(crate) mod refused;
mod regexps;
mod remembered;
mod rescue;
mod results;
mod reuse;
mod roots;
mod schema;
mod sealed_lists;
mod settled_strings;
mod settling;
mod shown;
mod single_assignment;
mod sites;
mod splat_calls;
mod splats;
mod stored;
mod strings;
mod sync;
mod traps;
mod unread;
mod used_variables;
mod variables;
mod watching;
mod ways_out;
mod written_texts;

pub(crate) use births::Birth;
pub(crate) use branches::Condition;
pub(crate) use calls::{Arguments, CallType};
pub(crate) use conditions::module_of;
pub(crate) use copies::Frozen;
pub use copies::ORIGINAL;
pub use evacuation::ARRAY_HEADER;
pub(crate) use exceptions::keeps_text;
pub use exceptions::{
    ARGUMENTS, FACTS, Fact, MESSAGE as EXCEPTION_MESSAGE, MISSING_SHIFT, RAISED, RAISED_PATH, RECEIVER,
    SUBJECT, tells_too_little,
};
pub(crate) use functions::Trail;
pub(crate) use growing::Changing;
pub use held_procs::PROC_SELF;
pub use host::Host;
pub(crate) use joins::JoinIndex;
pub use leaving::{FROZEN, ORDER, OrderNames, is_shared};
pub use lists::LIST_FROZEN;

pub(crate) use operand::{Operand, Values, range_ends};
pub use raised::raised_words;
pub use regexps::PATTERN;
pub use rescue::is_raised_by_ruby;
pub use results::{is_plain, result_words, width};
pub(crate) use sealed_lists::Seal;
pub(crate) use sites::class_of;
pub(crate) use strings::text_of;
pub use unread::unread_columns;

use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::heap::Schema;
use crate::heap::schema::Output;
use crate::ir::builder::Builder;
use crate::ir::{Buffer, BufferKind, FuncId, Program, Scalar, ScalarSource, Site, SiteId, Value};
use crate::reserve;
use crate::source::Span;
use crate::syntax::ast::{BlockLiteral, Code, LocalId, NodeId};
use crate::types::{ClassId, TypeSet};
use builtins::Builtins;
use host::Scope;
use joins::Join;
use keys::{Context, JoinKey};
pub(crate) use made_procs::MadeProc;
use memo::{FunctionKey, Memo};
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

/// A compiled front: everything the back-ends and the heap need to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Inferred {
    /// As it was lowered: [`crate::ir::passes`] come next.
    pub program: Program,
    pub schema: Schema,
    pub listing: Listing,
    /// What is unsupported where an element comes to it, which it may not: by the site of the failure.
    pub traps: Vec<(SiteId, Diagnostic)>,
    /// So many walks it took, with so many expressions in the last one and in all of them.
    pub walks: u32,
    pub expressions: (u32, u32),
    /// What they were of. It is not kept.
    #[serde(skip)]
    pub costs: costs::Told,
}

/// What `Ikra.explain` shows of the user's code: the block and the methods that were inferred, and the types of
/// expressions in them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Listing<T = String> {
    pub codes: BTreeSet<Span>,
    pub types: BTreeMap<Span, T>,
}

/// Walks are bounded: each adds at least one member to some set, and real sections need fewer than ten ([`flows`] saves a
/// chain of variables that hand a value on a walk for each). What has no end mostly comes to the bound of all expressions
/// sooner.
const MAX_WALKS: u32 = 2_000;
/// What takes so many has types without end rather than too much code.
const MANY_WALKS: u32 = 200;

/// The choice of a node that numbers its hidden locals.
const HIDDEN: u32 = 0x2000;

/// Infers and lowers the section whose block is `code`, over these methods of Ruby's own.
pub(crate) fn infer(
    host: &mut dyn Host,
    builtins: &'static dyn Builtins,
    code: &Rc<Code>,
    output: Output,
    repeats: bool,
) -> Result<Inferred, Error> {
    let mut memo = Memo::default();
    let mut grew_at = code.span;
    let mut steps_before = 0;
    let mut costs = costs::Costs::default();
    // What was refused, before it was tried to do without.
    let mut refused: Option<Vec<Diagnostic>> = None;
    for walk in 1..=MAX_WALKS {
        memo.changed = growth::Growth::default();
        let mut lowerer = Lowerer::new(host, builtins, &mut memo, output);
        lowerer.steps_before = steps_before;
        lowerer.costs = costs;
        lowerer.repeats = repeats;
        let schema = if output == Output::Program { lowerer.program(code) } else { lowerer.section(code) };
        lowerer.number_calls();
        let Lowerer {
            diagnostics,
            traps,
            program,
            listing,
            stopped,
            grew_at: at,
            steps,
            refusing,
            births,
            costs: found,
            ..
        } = lowerer;
        costs = found;
        steps_before += steps;
        let (at, within) = at.unzip();
        if growth::is_told() {
            growth::tell(walk, steps, memo.changed, within.flatten().as_deref());
        }
        reserve::check()?;
        if stopped && is_too_large(&diagnostics) && walk > MANY_WALKS {
            break;
        }
        if stopped {
            let smaller = if is_too_large(&diagnostics) { memo.of_less_code() } else { None };
            let Some(smaller) = smaller else {
                return Err(Error::Unsupported(refused.unwrap_or(diagnostics)));
            };
            (memo, steps_before) = (smaller, 0);
            continue;
        }
        grew_at = at.unwrap_or(grew_at);
        if host.kinds_changed() {
            let traps = memo.traps;
            memo = Memo::default();
            memo.traps = traps;
            continue;
        }
        if !memo.restart {
            births.flows.close(&mut memo);
        }
        if memo.settle() || births.grow(&mut memo) && memo.settle() || host.found_frozen() {
            continue;
        }
        if !diagnostics.is_empty() && memo.traps {
            return Err(Error::Unsupported(refused.unwrap_or(diagnostics)));
        }
        if !diagnostics.is_empty() {
            refused.get_or_insert(diagnostics);
            // Inlined, more is known of the arguments of functions.
            match refusing.is_empty() {
                true => memo.traps = true,
                false => memo.inlined.extend(refusing),
            }
            continue;
        }
        if let Err(diagnostic) = limits::check_size(&program, code.span) {
            let Some(smaller) = memo.of_less_code() else {
                return Err(Error::Unsupported(refused.unwrap_or_else(|| vec![diagnostic])));
            };
            (memo, steps_before) = (smaller, 0);
            continue;
        }
        if traps::comes_to_one(&program, output, &traps) {
            let found = || traps.into_iter().map(|(_, diagnostic)| diagnostic).collect();
            return Err(Error::Unsupported(refused.unwrap_or_else(found)));
        }
        let types = listing.types.iter().map(|(span, types)| (*span, sites::describe(host, types)));
        let listing = Listing { types: types.collect(), codes: listing.codes };
        let expressions = (steps, steps_before);
        return Ok(Inferred {
            program,
            schema,
            listing,
            traps,
            walks: walk,
            expressions,
            costs: costs.told(),
        });
    }
    Err(Error::Unsupported(vec![Diagnostic {
        slug: "endless-types",
        span: grew_at,
        message: "what the values here can be does not come to an end for the compiler".into(),
        hint: Some("let variables, items of arrays and results keep to a few kinds of values".into()),
        called: None,
    }]))
}

fn is_too_large(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.first().is_some_and(|diagnostic| diagnostic.slug == "section-too-large")
}

/// A local variable now: its value, and a number that an assignment changes and a narrowing does not.
#[derive(Clone, Debug)]
pub(crate) struct LocalValue {
    pub operand: Operand,
    pub version: u32,
    /// Of a hidden one, the place that made it.
    maker: Context,
}

impl LocalValue {
    pub(crate) const fn new(operand: Operand, version: u32) -> Self {
        Self { operand, version, maker: Context::ROOT }
    }

    /// Another value.
    fn assign(&mut self, operand: Operand, version: u32) {
        (self.operand, self.version) = (operand, version);
    }
}

/// The locals of a frame. Joins keep what they were, so they are copied only where they change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals(Rc<Vec<LocalValue>>);

impl Locals {
    /// Has nothing been assigned since one was a copy of the other?
    fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl FromIterator<LocalValue> for Locals {
    fn from_iter<I: IntoIterator<Item = LocalValue>>(locals: I) -> Self {
        Self(Rc::new(locals.into_iter().collect()))
    }
}

impl Deref for Locals {
    type Target = Vec<LocalValue>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Locals {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Rc::make_mut(&mut self.0)
    }
}

/// What `break` and `next` mean in the code being lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    pub break_to: Option<JoinIndex>,
    pub next_to: Option<JoinIndex>,
}

/// A block passed to a call.
#[derive(Clone, Debug)]
pub(crate) enum BlockRef {
    Literal {
        literal: Arc<BlockLiteral>,
        home: Home,
        break_to: Option<JoinIndex>,
        lambda: bool,
    },
    /// Made around the section: the root that it is.
    Outer {
        root: u32,
        code: Rc<Code>,
        lambda: bool,
        /// As in [`Home`]; of one that no call has been given as its block, all.
        active: usize,
    },
    /// Held by an object: an object itself.
    Held {
        /// Its literal.
        class: ClassId,
        object: Operand,
        code: Rc<Code>,
        lambda: bool,
        /// As in [`Home`].
        active: usize,
    },
    /// `&:name`
    Symbol {
        name: String,
        /// As in [`Home`].
        active: usize,
    },
    /// Made of other values: see `made_procs.rs`.
    Made {
        what: MadeProc,
        parts: Vec<Operand>,
        /// As in [`Home`].
        active: usize,
    },
}

/// One run of a block's body, while it is being lowered: its own locals are in the frame only until it ends.
#[derive(Clone, Debug)]
pub(crate) struct Activation {
    /// Unique in a walk, and above all that began before.
    pub number: u32,
    pub literal: Arc<BlockLiteral>,
    pub frame: usize,
    /// Variables of blocks around it that it has its own values of.
    pub taken: Rc<[LocalId]>,
}

/// A code that is being inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inlined {
    /// Its address.
    pub code: usize,
    /// Written in Ruby by us.
    pub builtin: bool,
    /// Of a built-in, a hash of the types that it is called with: for what is within an array it may call itself with
    /// others.
    pub types: u64,
}

impl Inlined {
    pub fn new(code: &Rc<Code>, builtin: bool) -> Self {
        Self { code: Rc::as_ptr(code) as usize, builtin, types: 0 }
    }

    /// Called with these types.
    pub fn with<'a>(self, types: impl Iterator<Item = &'a TypeSet>) -> Self {
        if !self.builtin {
            return self;
        }
        let mut hasher = FxHasher::default();
        types.for_each(|types| types.hash(&mut hasher));
        Self { types: hasher.finish(), ..self }
    }
}

/// The frame that a block was written in.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub frame: usize,
    /// Tells whether that frame is still the same activation.
    pub activation: u32,
    /// How many of the codes being inlined are the block's own callers. The others are not being called by it.
    pub active: usize,
    /// The blocks that it stands in, outermost first.
    pub blocks: Rc<[Activation]>,
    /// Locals of theirs that it uses where they are, and whose: it can run while these do.
    pub needs: Rc<[(u32, LocalId)]>,
    /// What it takes along by value.
    pub taken: Rc<[(Taken, Operand)]>,
    /// Of what a new frame is made when that frame has ended: of a lambda that uses nothing there but what it took along.
    pub outliving: Option<Rc<Outliving>>,
}

/// What a lambda takes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// A local that never changes once the lambda is made.
    Local(LocalId),
    Receiver,
    /// Which one of its literal it is: an array of its own.
    Token,
}

impl Taken {
    pub const fn local(self) -> Option<LocalId> {
        match self {
            Self::Local(local) => Some(local),
            Self::Receiver | Self::Token => None,
        }
    }
}

/// The method, or lambda from around the section, that a lambda was written in which outlives its call.
#[derive(Debug)]
pub(crate) struct Outliving {
    code: Rc<Code>,
    name: String,
    owner: ClassId,
    scope: Scope,
    builtin: bool,
    closure: Option<held_procs::Closure>,
    call_span: Span,
}

/// One activation: a method being inlined, or the section's block.
#[derive(Debug)]
pub(crate) struct Frame {
    pub code: Rc<Code>,
    pub locals: Locals,
    pub receiver: Operand,
    /// The class or module that defines the method, for `super`.
    pub owner: ClassId,
    pub scope: Scope,
    pub block: Option<BlockRef>,
    /// Whose code this is, where that is a lambda or proc made around the section.
    pub closure: Option<held_procs::Closure>,
    pub return_to: Option<JoinIndex>,
    /// Where a `break` in the block goes that was closed in this frame.
    pub break_to: Option<JoinIndex>,
    pub control: Vec<Control>,
    /// Unique in a walk.
    pub activation: u32,
    /// The blocks that the code being lowered stands in, outermost first.
    pub blocks: Rc<[Activation]>,
    /// The place of the call, for backtraces.
    pub call_span: Span,
    /// The frame whose code calls: that of a block, where it stands in one that a method runs.
    pub caller: usize,
    /// Written in Ruby by us (a built-in): errors are reported at its caller.
    pub builtin: bool,
    /// The method's name.
    pub name: String,
    /// The callers are not known: that of a function, or of a block that was given to one.
    pub outermost: bool,
    /// In a kernel of a driver: those of its variables that are in memory, as elements assign them.
    pub shared: Vec<handed_over::SharedLocal>,
    /// What patterns match in the expression being lowered goes there.
    pub last_match: Option<LocalId>,
}

pub(crate) struct Lowerer<'h> {
    pub(crate) host: &'h mut dyn Host,
    builtins: &'static dyn Builtins,
    memo: &'h mut Memo,
    output: Output,
    program: Program,
    pub(crate) b: Builder,
    buffers: FxHashMap<BufferKind, Buffer>,
    scalars: FxHashMap<ScalarSource, Scalar>,
    sites: FxHashMap<Site, SiteId>,
    functions: FxHashMap<FunctionKey, FuncId>,
    pending_functions: Vec<Rc<functions::Pending>>,
    /// Functions that called one which was not known to give anything.
    awaiting: FxHashMap<FunctionKey, Vec<Rc<functions::Pending>>>,
    /// All calls of functions.
    function_calls: Vec<call_graph::FunctionCall>,
    /// The entry being lowered, or lowered last.
    entry: FuncId,
    /// Functions know how deep in recursion they are.
    counts_depth: bool,
    /// What was inlined in this walk, by code (its address).
    inlinings: FxHashMap<usize, outlining::Inlinings>,
    /// Steps of functions that were lowered in the midst of others.
    elsewhere: u32,
    /// The steps when the function being lowered was begun.
    begun_at: u32,
    /// Of a built-in that is a function: its loops are told apart from those of its callers.
    home: Context,
    /// Functions (by address of their codes) in which something was refused.
    refusing: BTreeSet<usize>,
    frames: Vec<Frame>,
    /// The frame whose code is being lowered: not the last one while a block runs in a callee.
    current: usize,
    joins: Vec<Join>,
    pub(crate) context: Context,
    /// The node being lowered: keys joins and contexts.
    pub(crate) node: NodeId,
    pub(crate) span: Span,
    /// What is known of values on this path: the value is carried by one of these classes.
    facts: Vec<(Value, TypeSet)>,
    /// Codes being inlined, outermost first, to find recursion.
    active: Vec<Inlined>,
    /// The function being lowered, where it is that of a method.
    function: Option<Rc<functions::Pending>>,
    /// In a function: what is around its calls is not known; see [`FunctionKey::detached`].
    detached: bool,
    /// Recursion depth in it.
    depth: Option<Value>,
    versions: u32,
    /// The value of the expression to be lowered next is dropped.
    pub(crate) unused: bool,
    /// Captured variables that the section writes, by name.
    written: BTreeMap<String, accumulators::Written>,
    /// The section runs several ticks.
    repeats: bool,
    /// Those whose new value is being computed.
    writing: Vec<String>,
    /// The loops being lowered, outermost first.
    loops: Vec<JoinKey>,
    /// Those of them that find out as they run whether their memory is needed later.
    watched: Vec<reuse::Watched>,
    /// The tags that a `throw` here can find, outermost first, and where each goes.
    catches: Vec<(Operand, JoinIndex)>,
    /// Where failures go that do not end the element, outermost first.
    regions: Vec<rescue::Region>,
    /// The errors being handled, innermost last: what `raise` without arguments raises again.
    handled: Vec<rescue::Caught>,
    /// The heads of the `begin`s that a `retry` here can go back to, with their frames.
    retries: Vec<(usize, JoinIndex)>,
    /// Array literals that are lists, by code (its address).
    mutable_literals: FxHashMap<usize, Rc<rustc_hash::FxHashSet<NodeId>>>,
    /// The `max` or `min` being lowered, where it is called on an array literal.
    pub(crate) array_literal: Option<Span>,
    /// The lambdas and procs met in this walk, by number.
    procs: FxHashMap<u32, BlockRef>,
    /// The lambdas and procs from around the section that are functions, by their code: numbers of roots, and whether it
    /// is a lambda.
    outer_functions: FxHashMap<usize, (u32, bool)>,
    /// Locals that are assigned once, by code (its address).
    single_assignment: FxHashMap<usize, Rc<single_assignment::SingleAssignment>>,
    /// Lambdas and procs that may have been made in an earlier iteration of a loop (or call of a function) than the
    /// code being lowered tells, and what activations had begun when that loop did.
    stale: FxHashMap<u32, u32>,
    /// Runs of blocks that are being lowered, with the types of their arguments; whatever frame they are in.
    live: Vec<(Activation, Vec<TypeSet>)>,
    /// The lambda (by address) whose function is being lowered: its next call is that of its body.
    opening: usize,
    /// Objects under construction, by number.
    buildings: FxHashMap<u32, records::Building>,
    /// Names of the symbols that the section writes out, by number.
    pub(crate) symbols: FxHashMap<i32, String>,
    /// How the names begin by which methods are called on a line.
    prefixes: FxHashMap<(String, u32), String>,
    /// See [`Host::told_lines`].
    told_lines: BTreeSet<(String, u32)>,
    diagnostics: Vec<Diagnostic>,
    /// What of the section is unsupported where an element comes to it.
    traps: Vec<(SiteId, Diagnostic)>,
    /// So many expressions are being lowered, one within the other.
    nested: u32,
    /// In a function: a call in the section's block that led to it.
    called: Option<Span>,
    /// Inference has given up: what is not lowered yet is not.
    stopped: bool,
    /// Expressions lowered in this walk and in those before.
    steps: u32,
    steps_before: u32,
    /// The stack may grow down to this address.
    stack_end: usize,
    /// Where it was when the walk began.
    stack_begin: usize,
    /// The place where the memo grew first in this walk.
    /// And what was being lowered, where that is told.
    grew_at: Option<(Span, Option<String>)>,
    own: elements::Own,
    /// Types of expressions by place, for `Ikra.explain`.
    listing: Listing<TypeSet>,
    /// The code being lowered is a driver's, in which parallel calls are launches.
    in_driver: bool,
    driving: parallel::Driving,
    /// How many loops over the pairs of Hashes the code is in.
    pub(crate) hash_loops: u32,
    /// The code being lowered is that of a `hash` of the user's, which a Hash asks: numbers are for it alone.
    pub(crate) hashing: bool,
    /// What Ruby's own methods are in the midst of which have called the user's code.
    pub(crate) trail: Option<Trail>,
    /// The section's own code, if that is a driver.
    section: Option<Rc<Code>>,
    syncs: Vec<crate::heap::schema::SyncSchema>,
    /// Lambdas and procs that leave the section.
    given_procs: std::collections::BTreeMap<u32, crate::heap::schema::ProcSchema>,
    /// Which array is which, and where it is put.
    births: births::Births,
    costs: costs::Costs,
    /// What blocks of `Ikra.sync` see of variables of the driver.
    shown: std::collections::BTreeSet<(Context, u32)>,
}

impl<'h> Lowerer<'h> {
    fn new(
        host: &'h mut dyn Host,
        builtins: &'static dyn Builtins,
        memo: &'h mut Memo,
        output: Output,
    ) -> Self {
        let span = Span { file: crate::source::FileId(0), start: 0, end: 0 };
        let stack_end = host.stack_end();
        let told_lines = host.told_lines().into_iter().collect();
        let counts_depth = !memo.recursive.is_empty();
        let marker = 0_u8;
        Self {
            host,
            builtins,
            memo,
            output,
            program: Program::default(),
            b: Builder::new("", &[], &[]),
            buffers: FxHashMap::default(),
            scalars: FxHashMap::default(),
            sites: FxHashMap::default(),
            functions: FxHashMap::default(),
            pending_functions: Vec::new(),
            awaiting: FxHashMap::default(),
            function_calls: Vec::new(),
            entry: FuncId(0),
            counts_depth,
            inlinings: FxHashMap::default(),
            elsewhere: 0,
            begun_at: 0,
            home: Context::ROOT,
            refusing: BTreeSet::new(),
            frames: Vec::new(),
            current: 0,
            joins: Vec::new(),
            context: Context::ROOT,
            node: NodeId(0),
            span,
            facts: Vec::new(),
            active: Vec::new(),
            function: None,
            detached: false,
            opening: 0,
            depth: None,
            versions: 0,
            unused: false,
            written: BTreeMap::new(),
            repeats: false,
            writing: Vec::new(),
            loops: Vec::new(),
            watched: Vec::new(),
            catches: Vec::new(),
            regions: Vec::new(),
            handled: Vec::new(),
            retries: Vec::new(),
            mutable_literals: FxHashMap::default(),
            procs: FxHashMap::default(),
            outer_functions: FxHashMap::default(),
            array_literal: None,
            single_assignment: FxHashMap::default(),
            stale: FxHashMap::default(),
            live: Vec::new(),
            buildings: FxHashMap::default(),
            symbols: FxHashMap::default(),
            prefixes: FxHashMap::default(),
            told_lines,
            diagnostics: Vec::new(),
            traps: Vec::new(),
            nested: 0,
            called: None,
            stopped: false,
            steps: 0,
            steps_before: 0,
            stack_end,
            stack_begin: std::ptr::from_ref(&marker).addr(),
            grew_at: None,
            own: elements::Own::default(),
            listing: Listing::default(),
            in_driver: false,
            driving: parallel::Driving::default(),
            hashing: false,
            trail: None,
            hash_loops: 0,
            section: None,
            syncs: Vec::new(),
            given_procs: std::collections::BTreeMap::new(),
            births: births::Births::default(),
            costs: costs::Costs::default(),
            shown: std::collections::BTreeSet::new(),
        }
    }

    fn fresh_version(&mut self) -> u32 {
        self.versions += 1;
        self.versions
    }

    fn frame(&self) -> &Frame {
        &self.frames[self.current]
    }

    /// Runs `f` in the context that `choice` of the current node leads to.
    pub(crate) fn within<T>(&mut self, choice: u32, f: impl FnOnce(&mut Self) -> T) -> T {
        let (context, node, span) = (self.context, self.node, self.span);
        self.context = self.context_at(node, choice);
        let result = f(self);
        (self.context, self.node, self.span) = (context, node, span);
        result
    }

    // ---- hidden locals, for built-ins that loop ------------------------------------------------------------------

    /// A hidden local of the current frame: joins carry it as they do the user's.
    pub(crate) fn temp(&mut self, operand: Operand) -> Temp {
        let version = self.fresh_version();
        let frame = self.current;
        let maker = self.context_at(self.node, HIDDEN);
        self.frames[frame].locals.push(LocalValue { operand, version, maker });
        Temp { frame, local: self.frames[frame].locals.len() - 1 }
    }

    pub(crate) fn temp_get(&mut self, temp: Temp) -> Operand {
        let operand = self.frames[temp.frame].locals[temp.local].operand.clone();
        let operand = self.carrier(operand);
        self.refine(operand)
    }

    pub(crate) fn temp_set(&mut self, temp: Temp, operand: Operand) {
        let version = self.fresh_version();
        self.frames[temp.frame].locals[temp.local].assign(operand, version);
    }

    /// A hidden local as a local.
    fn temp_local(temp: Temp) -> (usize, LocalId) {
        (temp.frame, LocalId(temp.local as u32))
    }

    fn temp_value(&self, temp: Temp) -> LocalValue {
        self.frames[temp.frame].locals[temp.local].clone()
    }

    fn set_temp_value(&mut self, temp: Temp, slot: LocalValue) {
        self.frames[temp.frame].locals[temp.local] = slot;
    }

    /// Drops hidden locals, the first of which is `temp`.
    pub(crate) fn temp_drop(&mut self, temp: Temp) {
        self.frames[temp.frame].locals.truncate(temp.local);
    }

    /// The current place, or the call of the built-in that is being lowered.
    fn user_span(&self) -> Span {
        self.user_span_of(self.current, self.span)
    }

    /// A place in a frame's code, or the call of the built-in that it is of.
    fn user_span_of(&self, frame: usize, span: Span) -> Span {
        let mut called = span;
        for (frame, span) in self.calls_to(frame, span) {
            if !frame.builtin {
                return span;
            }
            called = frame.call_span;
        }
        called
    }

    /// A place in a frame's code, then those of the calls that led there, as far as the callers are known.
    fn calls_to(&self, frame: usize, span: Span) -> impl Iterator<Item = (&Frame, Span)> {
        let at = |index: usize, span| Some((index, self.frames.get(index)?, span));
        let calls = std::iter::successors(at(frame, span), move |(index, frame, _)| {
            let known = *index > 0 && !frame.outermost;
            known.then(|| at(frame.caller, frame.call_span)).flatten()
        });
        calls.map(|(_, frame, span)| (frame, span))
    }

    /// The public name of the built-in written in Ruby that is being lowered.
    pub(crate) fn builtin_name(&self) -> Option<String> {
        let frames = self.frames[..=self.current].iter().rev();
        frames.take_while(|f| f.builtin).map(|f| &f.name).find(|n| !builtins::is_primitive(n)).cloned()
    }

    /// A set in words: `Integer`, `Car or nil`.
    pub(crate) fn describe(&self, types: &TypeSet) -> String {
        sites::describe(self.host, types)
    }
}

/// A hidden local.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Temp {
    frame: usize,
    local: usize,
}
