//! The state of one walk, and where in the code it is.

use super::builtins::{self, Builtins};
use super::growth::Growth;
use super::joins::Join;
use super::keys::{Context, JoinKey};
use super::memo::{FunctionKey, Memo};
use super::{Activation, BlockRef, Frame, Host, Inlined, JoinIndex, Listing, Operand, Trail, sites};
use crate::diagnostic::Diagnostic;
use crate::heap::schema::Output;
use crate::ir::builder::Builder;
use crate::ir::{Buffer, BufferKind, FuncId, Program, Scalar, ScalarSource, Site, SiteId, Value};
use crate::source::Span;
use crate::syntax::ast::{Code, NodeId};
use crate::types::TypeSet;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(crate) struct Lowerer<'h> {
    pub(crate) host: &'h mut dyn Host,
    pub(super) builtins: &'static dyn Builtins,
    pub(super) memo: &'h mut Memo,
    pub(super) output: Output,
    pub(super) program: Program,
    pub(crate) b: Builder,
    pub(super) buffers: FxHashMap<BufferKind, Buffer>,
    pub(super) scalars: FxHashMap<ScalarSource, Scalar>,
    pub(super) sites: FxHashMap<Site, SiteId>,
    pub(super) functions: FxHashMap<FunctionKey, FuncId>,
    pub(super) pending_functions: Vec<Rc<super::functions::Pending>>,
    /// Functions that called one which was not known to give anything.
    pub(super) awaiting: FxHashMap<FunctionKey, Vec<Rc<super::functions::Pending>>>,
    /// All calls of functions.
    pub(super) function_calls: Vec<super::call_graph::FunctionCall>,
    /// The entry being lowered, or lowered last.
    pub(super) entry: FuncId,
    /// Functions know how deep in recursion they are.
    pub(super) counts_depth: bool,
    /// What was inlined in this walk, by code (its address).
    pub(super) inlinings: FxHashMap<usize, super::outlining::Inlinings>,
    /// Steps of functions that were lowered in the midst of others.
    pub(super) elsewhere: u32,
    /// The steps when the function being lowered was begun.
    pub(super) begun_at: u32,
    /// Of a built-in that is a function: its loops are told apart from those of its callers.
    pub(super) home: Context,
    /// Functions (by address of their codes) in which something was refused.
    pub(super) refusing: BTreeSet<usize>,
    pub(super) frames: Vec<Frame>,
    /// The frame whose code is being lowered: not the last one while a block runs in a callee.
    pub(super) current: usize,
    pub(super) joins: Vec<Join>,
    pub(crate) context: Context,
    /// The node being lowered: keys joins and contexts.
    pub(crate) node: NodeId,
    pub(crate) span: Span,
    /// What is known of values on this path: the value is carried by one of these classes.
    pub(super) facts: Vec<(Value, TypeSet)>,
    /// What runs when the code being lowered does; nothing where that begins a function.
    pub(super) running: Option<Rc<super::backtraces::Running>>,
    /// Codes being inlined, outermost first, to find recursion.
    pub(super) active: Vec<Inlined>,
    /// The function being lowered, where it is that of a method.
    pub(super) function: Option<Rc<super::functions::Pending>>,
    /// In a function: what is around its calls is not known; see [`FunctionKey::detached`].
    pub(super) detached: bool,
    /// Recursion depth in it.
    pub(super) depth: Option<Value>,
    pub(super) versions: u32,
    /// The value of the expression to be lowered next is dropped.
    pub(crate) unused: bool,
    /// Captured variables that the section writes, by name.
    pub(super) written: BTreeMap<String, super::accumulators::Written>,
    /// The section runs several ticks.
    pub(super) repeats: bool,
    /// Those whose new value is being computed.
    pub(super) writing: Vec<String>,
    /// The loops being lowered, outermost first.
    pub(super) loops: Vec<JoinKey>,
    /// Those of them that find out as they run whether their memory is needed later.
    pub(super) watched: Vec<super::reuse::Watched>,
    /// The tags that a `throw` here can find, outermost first, and where each goes.
    pub(super) catches: Vec<(Operand, JoinIndex)>,
    /// Where failures go that do not end the element, outermost first.
    pub(super) regions: Vec<super::rescue::Region>,
    /// The errors being handled, innermost last: what `raise` without arguments raises again.
    pub(super) handled: Vec<super::rescue::Caught>,
    pub(super) causes: super::causes::Causes,
    /// The heads of the `begin`s that a `retry` here can go back to, with their frames.
    pub(super) retries: Vec<(usize, JoinIndex)>,
    /// Array literals that are lists, by code (its address).
    pub(super) mutable_literals: FxHashMap<usize, Rc<rustc_hash::FxHashSet<NodeId>>>,
    /// The `max` or `min` being lowered, where it is called on an array literal.
    pub(crate) array_literal: Option<Span>,
    /// The lambdas and procs met in this walk, by number.
    pub(super) procs: FxHashMap<u32, BlockRef>,
    /// The lambdas and procs from around the section that are functions, by their code: numbers of roots, and whether it
    /// is a lambda.
    pub(super) outer_functions: FxHashMap<usize, (u32, bool)>,
    /// Locals that are assigned once, by code (its address).
    /// What is assigned where in a code, by its address.
    pub(super) assigned: FxHashMap<usize, Rc<super::assigned::Assigned>>,
    pub(super) single_assignment: FxHashMap<usize, Rc<super::single_assignment::SingleAssignment>>,
    /// Lambdas and procs that may have been made in an earlier iteration of a loop (or call of a function) than the
    /// code being lowered tells, and what activations had begun when that loop did.
    pub(super) stale: FxHashMap<u32, u32>,
    /// Runs of blocks that are being lowered, with the types of their arguments; whatever frame they are in.
    pub(super) live: Vec<(Activation, Vec<TypeSet>)>,
    /// The lambda (by address) whose function is being lowered: its next call is that of its body.
    pub(super) opening: usize,
    /// Objects under construction, by number.
    pub(super) buildings: FxHashMap<u32, super::records::Building>,
    /// The Integers of more than 64 bits that constants are, by the number of the root.
    pub(super) wide_constants: FxHashMap<u32, i128>,
    /// Names of the symbols that the section writes out, by number.
    pub(crate) symbols: FxHashMap<i32, String>,
    /// How the names begin by which methods are called on a line.
    pub(super) prefixes: FxHashMap<(String, u32), String>,
    /// See [`Host::told_lines`].
    pub(super) told_lines: BTreeSet<(String, u32)>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What of the section is unsupported where an element comes to it.
    pub(super) traps: Vec<(SiteId, Diagnostic)>,
    /// So many expressions are being lowered, one within the other.
    pub(super) nested: u32,
    /// In a function: a call in the section's block that led to it.
    pub(super) called: Option<Span>,
    /// Inference has given up: what is not lowered yet is not.
    pub(super) stopped: bool,
    /// Expressions lowered in this walk and in those before.
    pub(super) steps: u32,
    pub(super) steps_before: u32,
    /// The stack may grow down to this address.
    pub(super) stack_end: usize,
    /// Where it was when the walk began.
    pub(super) stack_begin: usize,
    /// Something grew that concerns the function being lowered, and nobody else.
    pub(super) grew_within: Growth,
    /// The place where the memo grew first in this walk.
    /// And what was being lowered, where that is told.
    pub(super) grew_at: Option<(Span, Option<String>)>,
    pub(super) own: super::elements::Own,
    /// Types of expressions by place, for `Ikra.explain`.
    pub(super) listing: Listing<TypeSet>,
    /// The code being lowered is a driver's, in which parallel calls are launches.
    pub(super) in_driver: bool,
    pub(super) driving: super::parallel::Driving,
    /// How many loops over the pairs of Hashes the code is in.
    pub(crate) hash_loops: u32,
    /// The code being lowered is that of a `hash` of the user's, which a Hash asks: numbers are for it alone.
    pub(crate) hashing: bool,
    /// What Ruby's own methods are in the midst of which have called the user's code.
    pub(crate) trail: Option<Trail>,
    /// The section's own code, if that is a driver.
    pub(super) section: Option<Rc<Code>>,
    pub(super) syncs: Vec<crate::heap::schema::SyncSchema>,
    /// Lambdas and procs that leave the section.
    pub(super) given_procs: std::collections::BTreeMap<u32, crate::heap::schema::ProcSchema>,
    /// Which array is which, and where it is put.
    pub(super) births: super::births::Births,
    pub(super) costs: super::costs::Costs,
    /// What blocks of `Ikra.sync` see of variables of the driver.
    pub(super) shown: std::collections::BTreeSet<(Context, u32)>,
}

impl<'h> Lowerer<'h> {
    pub(super) fn new(
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
            running: None,
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
            causes: super::causes::Causes::default(),
            retries: Vec::new(),
            mutable_literals: FxHashMap::default(),
            procs: FxHashMap::default(),
            outer_functions: FxHashMap::default(),
            array_literal: None,
            assigned: FxHashMap::default(),
            single_assignment: FxHashMap::default(),
            stale: FxHashMap::default(),
            live: Vec::new(),
            buildings: FxHashMap::default(),
            wide_constants: FxHashMap::default(),
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
            grew_within: Growth::default(),
            grew_at: None,
            own: super::elements::Own::default(),
            listing: Listing::default(),
            in_driver: false,
            driving: super::parallel::Driving::default(),
            hashing: false,
            trail: None,
            hash_loops: 0,
            section: None,
            syncs: Vec::new(),
            given_procs: std::collections::BTreeMap::new(),
            births: super::births::Births::default(),
            costs: super::costs::Costs::default(),
            shown: std::collections::BTreeSet::new(),
        }
    }

    /// Runs `f` in the context that `choice` of the current node leads to.
    pub(crate) fn within<T>(&mut self, choice: u32, f: impl FnOnce(&mut Self) -> T) -> T {
        let (context, node, span) = (self.context, self.node, self.span);
        self.context = self.context_at(node, choice);
        let result = f(self);
        (self.context, self.node, self.span) = (context, node, span);
        result
    }

    /// The current place, or the call of the built-in that is being lowered.
    pub(super) fn user_span(&self) -> Span {
        self.user_span_of(self.current, self.span)
    }

    /// A place in a frame's code, or the call of the built-in that it is of.
    pub(super) fn user_span_of(&self, frame: usize, span: Span) -> Span {
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
    pub(super) fn calls_to(&self, frame: usize, span: Span) -> impl Iterator<Item = (&Frame, Span)> {
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

    /// That, or what a user calls it by who has called the method of which it is a part.
    pub(crate) fn public_name(&self) -> Option<String> {
        self.builtin_name().or_else(|| self.running_name().map(|name| name.to_string()))
    }

    /// A message with public names instead of those of parts of built-ins, which stand in it as `` `#part` `` or
    /// `` `Class##part` ``.
    pub(super) fn with_public_names(&self, message: &str) -> String {
        let (mut told, mut rest) = (String::new(), message);
        while let Some(at) = rest.find(builtins::PRIMITIVE) {
            told.push_str(&rest[..at]);
            let name = &rest[at + 1..];
            let is_part = told.ends_with(['`', builtins::PRIMITIVE]) && name.starts_with(char::is_lowercase);
            if !is_part {
                told.push(builtins::PRIMITIVE);
                rest = name;
                continue;
            }
            let end = name.find(|c: char| !c.is_alphanumeric() && !"_?!=".contains(c)).unwrap_or(name.len());
            told.push_str(self.public_name().as_deref().unwrap_or(&name[..end]));
            rest = &name[end..];
        }
        told + rest
    }

    /// A set in words: `Integer`, `Car or nil`.
    pub(crate) fn describe(&self, types: &TypeSet) -> String {
        sites::describe(self.host, types)
    }
}
