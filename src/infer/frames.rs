//! Frames: activations of methods and blocks, with their locals, and what blocks know of the frames that they were
//! written in.

use super::host::Scope;
use super::keys::Context;
use super::operand::Operand;
use super::{JoinIndex, Lowerer, MadeProc};
use crate::source::Span;
use crate::syntax::ast::{BlockLiteral, Code, LocalId};
use crate::types::{ClassId, TypeSet};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

/// A local variable now: its value, and a number that an assignment changes and a narrowing does not.
#[derive(Clone, Debug)]
pub(crate) struct LocalValue {
    pub operand: Operand,
    pub version: u32,
    /// Of a hidden one, the place that made it.
    pub(super) maker: Context,
}

impl LocalValue {
    pub(crate) const fn new(operand: Operand, version: u32) -> Self {
        Self { operand, version, maker: Context::ROOT }
    }

    /// Another value.
    pub(super) fn assign(&mut self, operand: Operand, version: u32) {
        (self.operand, self.version) = (operand, version);
    }
}

/// The locals of a frame. Joins keep what they were, so they are copied only where they change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals(Rc<Vec<LocalValue>>);

impl Locals {
    /// Has nothing been assigned since one was a copy of the other?
    pub(super) fn is(&self, other: &Self) -> bool {
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
        /// The method that it was given to by name calls it of its own accord.
        directly: bool,
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
    pub(super) code: Rc<Code>,
    pub(super) name: String,
    pub(super) owner: ClassId,
    pub(super) scope: Scope,
    pub(super) builtin: bool,
    pub(super) closure: Option<super::held_procs::Closure>,
    pub(super) call_span: Span,
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
    pub closure: Option<super::held_procs::Closure>,
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
    pub shared: Vec<super::handed_over::SharedLocal>,
    /// What patterns match in the expression being lowered goes there.
    pub last_match: Option<LocalId>,
}

/// A hidden local.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Temp {
    frame: usize,
    local: usize,
}

/// The choice of a node that numbers its hidden locals.
const HIDDEN: u32 = 0x2000;

impl<'h> Lowerer<'h> {
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
    pub(super) fn temp_local(temp: Temp) -> (usize, LocalId) {
        (temp.frame, LocalId(temp.local as u32))
    }

    pub(super) fn temp_value(&self, temp: Temp) -> LocalValue {
        self.frames[temp.frame].locals[temp.local].clone()
    }

    pub(super) fn set_temp_value(&mut self, temp: Temp, slot: LocalValue) {
        self.frames[temp.frame].locals[temp.local] = slot;
    }

    /// Drops hidden locals, the first of which is `temp`.
    pub(crate) fn temp_drop(&mut self, temp: Temp) {
        self.frames[temp.frame].locals.truncate(temp.local);
    }

    pub(super) fn frame(&self) -> &Frame {
        &self.frames[self.current]
    }

    pub(super) fn fresh_version(&mut self) -> u32 {
        self.versions += 1;
        self.versions
    }
}

impl Frame {
    /// That of the section's own block.
    pub(super) fn of_section(code: &Rc<Code>, locals: super::Locals) -> Self {
        Self {
            locals,
            code: Rc::clone(code),
            receiver: Operand::bottom(),
            owner: ClassId::OBJECT,
            scope: Scope::Block,
            block: None,
            closure: None,
            return_to: None,
            break_to: None,
            control: vec![],
            activation: 0,
            blocks: Rc::default(),
            call_span: code.span,
            caller: 0,
            builtin: false,
            name: code.name.clone(),
            outermost: false,
            shared: vec![],
            last_match: None,
        }
    }
}
