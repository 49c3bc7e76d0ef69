//! Blocks given to methods that are functions. Such a block is *closed*: what it uses of the frame that it was written
//! in goes along as arguments, the function lowers its body where it calls it, in a frame made of these, and gives back
//! the variables that it assigns. While the function runs nothing else can see them, so they need no place in memory.
//! Where the block breaks or returns, the function returns (what is to be ensured runs first) and gives back how it was
//! left, and with which value; its caller goes on from there. The block's literal and those types are part of the
//! function's specialisation.
//!
//! A block that does nothing but hand on what it is given (`each { |x| yield x }`) to one that does the same is that
//! one, so methods that pass themselves such blocks come to an end.

use super::held_procs::Closure;
use super::host::Scope;
use super::operand::Operand;
use super::used_variables::{
    assigned_in, calls_outer, hands_on, has_break, has_return, holds_captured, is_captured, locals_of,
    used_by,
};
use super::ways_out::Leaving;
use super::{BlockRef, Home, JoinIndex, Lowerer, MadeProc, Taken};
use crate::heap::schema::Output;
use crate::source::Span;
use crate::syntax::ast::{BlockLiteral, Code, Kind, LocalId};
use crate::syntax::walk::each_node_in;
use crate::types::ClassId;
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// Blocks that call each other, as many as this.
const MAX_CHAIN: usize = 6;

/// A block without the values that it uses. Two are equal that have the same code around the same blocks.
#[derive(Clone, Debug)]
pub enum ClosedBlock {
    Symbol(String),
    /// A method by its name, of a receiver that goes along; or by a Symbol that does.
    Made(MadeProc),
    Outer {
        root: u32,
        code: Rc<Code>,
        lambda: bool,
    },
    /// A Proc that an object holds, which goes along.
    Held {
        class: ClassId,
        code: Rc<Code>,
        lambda: bool,
    },
    Literal(Rc<ClosedLiteral>),
}

/// A block or lambda of the section, and the frame that it was written in.
#[derive(Debug)]
pub struct ClosedLiteral {
    pub(super) literal: Arc<BlockLiteral>,
    pub(super) lambda: bool,
    pub(super) code: Rc<Code>,
    pub(super) owner: ClassId,
    pub(super) scope: Scope,
    pub(super) closure: Option<Closure>,
    pub(super) name: String,
    pub(super) builtin: bool,
    /// Where it stands, or its built-in is called.
    pub(super) span: Span,
    pub(super) has_receiver: bool,
    /// The blocks that it stands in, outermost first.
    pub(super) around: Vec<Arc<BlockLiteral>>,
    /// What it took along when it was made.
    pub(super) taken: Vec<Taken>,
    /// Those that it uses of its frame, and those of them that it assigns to.
    pub(super) locals: Vec<LocalId>,
    pub(super) written: Vec<LocalId>,
    /// Lambdas of its frame that these variables hold.
    pub(super) companions: Vec<Companion>,
    /// The block of its frame's method, where it or a companion calls that.
    pub(super) outer: Option<ClosedBlock>,
    /// It can end more than itself, by `break` or `return`.
    pub(super) leaves: bool,
}

/// A lambda that goes along in a variable.
#[derive(Clone, Debug)]
pub(super) struct Companion {
    pub(super) number: u32,
    pub(super) literal: Arc<BlockLiteral>,
    pub(super) lambda: bool,
    /// In how many of the blocks around it stands.
    pub(super) depth: usize,
    pub(super) taken: Vec<Taken>,
}

impl ClosedBlock {
    fn identity(&self) -> (usize, usize, bool, u32) {
        match self {
            Self::Symbol(name) => (0, name.len(), false, 0),
            Self::Made(what) => (2, what.name().len(), false, 0),
            Self::Outer { root, code, lambda } => (1, Rc::as_ptr(code) as usize, *lambda, *root),
            Self::Held { class, code, lambda } => (3, Rc::as_ptr(code) as usize, *lambda, class.0),
            Self::Literal(closed) => {
                let around = closed.around.len() + closed.taken.len() * 0x100;
                let code = Rc::as_ptr(&closed.code) as usize;
                (Arc::as_ptr(&closed.literal) as usize, code + around, closed.lambda, closed.owner.0)
            }
        }
    }
}

impl ClosedBlock {
    /// Is it the literal at this address?
    pub fn is_literal(&self, literal: usize) -> bool {
        matches!(self, Self::Literal(closed) if Arc::as_ptr(&closed.literal) as usize == literal)
    }

    /// A number that is the same in every walk.
    pub fn number(&self) -> u32 {
        match self {
            Self::Symbol(name) => number_of(name),
            Self::Made(what) => number_of(what.name()),
            Self::Outer { root, .. } => *root ^ 0x2000_0000,
            Self::Held { class, .. } => class.0 ^ 0x2800_0000,
            Self::Literal(closed) => {
                let outer = closed.outer.as_ref().map_or(0, Self::number);
                let span = closed.literal.span;
                span.start ^ span.end.rotate_left(11) ^ span.file.0.rotate_left(23) ^ outer.rotate_left(7)
            }
        }
    }
}

fn number_of(name: &str) -> u32 {
    name.bytes().fold(1, |all, byte| all.rotate_left(5) ^ u32::from(byte))
}

impl PartialEq for ClosedBlock {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
            && match (self, other) {
                (Self::Symbol(a), Self::Symbol(b)) => a == b,
                (Self::Made(a), Self::Made(b)) => a == b,
                (Self::Literal(a), Self::Literal(b)) => {
                    a.closure == b.closure
                        && a.taken == b.taken
                        && a.locals == b.locals
                        && a.companions.iter().map(|c| c.number).eq(b.companions.iter().map(|c| c.number))
                        && a.has_receiver == b.has_receiver
                        && a.leaves == b.leaves
                        && a.outer == b.outer
                }
                _ => true,
            }
    }
}

impl Eq for ClosedBlock {}

impl Hash for ClosedBlock {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// What goes along with a block.
#[derive(Debug, Default)]
pub(super) struct Environment {
    pub operands: Vec<Operand>,
    /// The variables that it assigns to, by frame, in the order in which they are given back.
    pub written: Vec<(usize, LocalId)>,
    /// The blocks that can end more than themselves. A function gives back, behind those variables, how each did and
    /// with which value.
    pub leaving: Vec<Leaving>,
}

impl Lowerer<'_> {
    /// Closes a block; `None` if it was refused, or another walk is needed.
    pub(super) fn close_block(
        &mut self,
        block: &BlockRef,
        environment: &mut Environment,
    ) -> Option<ClosedBlock> {
        self.close(block, environment, 0)
    }

    fn close(
        &mut self,
        block: &BlockRef,
        environment: &mut Environment,
        depth: usize,
    ) -> Option<ClosedBlock> {
        match block {
            BlockRef::Symbol { name, .. } => Some(ClosedBlock::Symbol(name.clone())),
            BlockRef::Outer { root, code, lambda, .. } => {
                Some(ClosedBlock::Outer { root: *root, code: Rc::clone(code), lambda: *lambda })
            }
            BlockRef::Held { class, object, code, lambda, .. } => {
                environment.operands.push(object.clone());
                Some(ClosedBlock::Held { class: *class, code: Rc::clone(code), lambda: *lambda })
            }
            BlockRef::Literal { literal, home, break_to, lambda } => {
                self.close_literal((literal, home, *break_to, *lambda), environment, depth)
            }
            BlockRef::Made { what: what @ (MadeProc::Method(_) | MadeProc::Named), parts, .. } => {
                for part in parts {
                    let part = self.carrier(part.clone());
                    if part.is_bottom() || self.keep_building(&part.types) {
                        return None;
                    }
                    environment.operands.push(part);
                }
                Some(ClosedBlock::Made(what.clone()))
            }
            BlockRef::Made { .. } => {
                self.refuse_here(
                    "unsupported-recursion",
                    "a method that calls itself is given a proc that `>>`, `<<` or `curry` has made",
                    Some("write the block out: { |x| … }".into()),
                );
                None
            }
        }
    }

    /// Closes a block that is written out.
    fn close_literal(
        &mut self,
        (literal, home, break_to, lambda): (&Arc<BlockLiteral>, &Home, Option<JoinIndex>, bool),
        environment: &mut Environment,
        depth: usize,
    ) -> Option<ClosedBlock> {
        if !self.is_live(home) {
            let (outer, frames) = (self.current, self.frames.len());
            let home = self.revive(literal, home, lambda)?;
            let block = BlockRef::Literal { literal: Arc::clone(literal), home, break_to, lambda };
            let closed = self.close(&block, environment, depth);
            self.frames.truncate(frames);
            self.current = outer;
            return closed;
        }
        let frame = &self.frames[home.frame];
        let own_block = frame.code.params.block;
        let outer = frame.block.clone();
        if let Some(next @ BlockRef::Literal { literal: other, home: others, .. }) = &outer
            && other.params.required.len() == literal.params.required.len()
            && hands_on(literal, own_block)
            && hands_on(other, self.frames[others.frame].code.params.block)
        {
            return self.close(&next.clone(), environment, depth);
        }
        let break_to = break_to.or(frame.break_to);
        let returns = !lambda && has_return(&literal.body);
        let leaves = returns || !lambda && break_to.is_some() && has_break(&literal.body);
        if returns && frame.return_to.is_none() {
            self.refuse_return();
            return None;
        }
        if self.refuses_to_close(literal, home, depth) {
            return None;
        }
        let frame = &self.frames[home.frame];
        let receiver = frame.receiver.clone();
        let mut used = used_by(literal, own_block);
        let mut assigned = assigned_in(literal);
        let companions = self.companions(home, &mut used, &mut assigned);
        let calls = |literal: &Arc<BlockLiteral>| calls_outer(literal, own_block);
        let calls_outer = calls(literal) || companions.iter().any(|companion| calls(&companion.literal));
        let outer = outer.filter(|_| calls_outer);
        let mut locals: Vec<LocalId> = used.into_iter().collect();
        locals.sort_unstable();
        let frame = &self.frames[home.frame];
        let taken: Vec<Taken> = home.taken.iter().map(|(what, _)| *what).collect();
        let written: Vec<LocalId> = locals
            .iter()
            .copied()
            .filter(|local| assigned.contains(local) && !taken.contains(&Taken::Local(*local)))
            .collect();
        let closed = ClosedLiteral {
            literal: Arc::clone(literal),
            lambda,
            code: Rc::clone(&frame.code),
            owner: frame.owner,
            scope: frame.scope.clone(),
            closure: frame.closure,
            name: frame.name.clone(),
            builtin: frame.builtin,
            span: self.user_span_of(home.frame, literal.span),
            has_receiver: !receiver.is_bottom(),
            around: home.blocks.iter().map(|activation| Arc::clone(&activation.literal)).collect(),
            taken,
            locals,
            written,
            companions,
            outer: None,
            leaves,
        };
        self.close_over(&closed, home, receiver, environment)?;
        environment.written.extend(closed.written.iter().map(|local| (home.frame, *local)));
        if leaves {
            environment.leaving.push(Leaving { frame: home.frame, break_to });
        }
        let outer = match outer {
            Some(outer) => Some(self.close(&outer, environment, depth + 1)?),
            None => None,
        };
        Some(ClosedBlock::Literal(Rc::new(ClosedLiteral { outer, ..closed })))
    }

    /// What of a block cannot be closed is refused.
    fn refuses_to_close(&mut self, literal: &BlockLiteral, home: &Home, depth: usize) -> bool {
        let what = if depth >= MAX_CHAIN {
            "a block that calls others like itself"
        } else if self.output != Output::Program && self.gives_to_captured(literal) {
            "a block that assigns a variable around the section"
        } else if self.uses_shared(home.frame, literal) {
            "a block that uses a variable which elements assign"
        } else {
            return false;
        };
        self.refuse_here(
            "unsupported-recursion",
            format!("a method that calls itself is given {what}"),
            Some("collect what it gives in an array, and go through that; or keep what is still to be visited in an array, as a stack".into()),
        );
        true
    }

    /// The receiver and the variables that a block uses, and which of its literal it is, go along with it.
    fn close_over(
        &mut self,
        closed: &ClosedLiteral,
        home: &Home,
        receiver: Operand,
        environment: &mut Environment,
    ) -> Option<()> {
        let mut operands = if closed.has_receiver { vec![receiver] } else { vec![] };
        operands.extend(
            home.taken.iter().find(|(taken, _)| *taken == Taken::Token).map(|(_, value)| value.clone()),
        );
        for local in &closed.locals {
            let along = home
                .taken
                .iter()
                .find(|(taken, _)| *taken == Taken::Local(*local))
                .map(|(_, value)| value.clone());
            operands.push(
                along.unwrap_or_else(|| self.frames[home.frame].locals[local.0 as usize].operand.clone()),
            );
        }
        for operand in operands {
            let operand = if operand.is_bottom() { Operand::nil() } else { self.carrier(operand) };
            if operand.is_bottom() || self.keep_building(&operand.types) {
                return None;
            }
            environment.operands.push(operand);
        }
        Some(())
    }

    /// The lambdas of a block's frame that the variables which it uses hold, with what these use and assign to in turn.
    fn companions(
        &mut self,
        home: &Home,
        used: &mut FxHashSet<LocalId>,
        assigned: &mut FxHashSet<LocalId>,
    ) -> Vec<Companion> {
        let own_block = self.frames[home.frame].code.params.block;
        let mut companions: Vec<Companion> = Vec::new();
        let mut seen = FxHashSet::default();
        while let Some(local) = used.iter().find(|local| !seen.contains(*local)).copied() {
            seen.insert(local);
            let types = self.frames[home.frame].locals[local.0 as usize].operand.types.clone();
            for number in self.procs_of(&types) {
                let Some(BlockRef::Literal { literal, home: other, lambda, .. }) =
                    self.procs.get(&number).cloned()
                else {
                    continue;
                };
                let numbers = |home: &Home| home.blocks.iter().map(|block| block.number).collect::<Vec<_>>();
                let known = companions.iter().any(|companion| companion.number == number);
                let is_around = numbers(home).starts_with(&numbers(&other));
                if known || other.frame != home.frame || !is_around || !self.is_live(&other) {
                    continue;
                }
                used.extend(used_by(&literal, own_block));
                assigned.extend(assigned_in(&literal));
                let taken = other.taken.iter().map(|(what, _)| *what).collect();
                companions.push(Companion { number, literal, lambda, depth: other.blocks.len(), taken });
            }
        }
        companions.sort_by_key(|companion| companion.number);
        companions
    }

    /// Does it use variables of its frame that are in memory? A function has no way to them.
    fn uses_shared(&self, frame: usize, literal: &BlockLiteral) -> bool {
        let shared = &self.frames[frame].shared;
        !shared.is_empty() && locals_of(literal).iter().any(|local| shared.iter().any(|s| s.local == *local))
    }

    /// Does the block have to do with variables around the section that the elements write? Only the section's own code
    /// has those.
    fn gives_to_captured(&self, literal: &BlockLiteral) -> bool {
        let mut found = false;
        each_node_in(&literal.body, &mut |node| {
            found |= match &node.kind {
                Kind::Captured(name) => self.written.contains_key(name),
                Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => is_captured(target),
                Kind::MultiAssign { targets, .. } => holds_captured(targets),
                _ => false,
            };
        });
        found
    }
}
