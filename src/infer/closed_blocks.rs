//! Blocks given to methods that are functions. A function has no frames of its callers, so a block goes along with what
//! it uses of where it was written (it is *closed*): the function gets those variables as arguments, lowers the block's
//! body where it is called, in a frame made of them, and gives back those that the block assigns.
//!
//! A block that does nothing but hand on what it is given (`each { |x| yield x }`) to one that does the same is that one,
//! so methods that pass themselves such blocks come to an end.

use super::blocks::{has_break, has_return, locals_of};
use super::held_procs::Closure;
use super::host::Scope;
use super::operand::Operand;
use super::{
    Activation, BlockRef, Condition, Frame, Home, JoinIndex, LocalValue, Lowerer, MadeProc, Taken, Temp,
};
use crate::heap::schema::Output;
use crate::ir::Comparison;
use crate::source::Span;
use crate::syntax::ast::{BlockArg, BlockLiteral, Code, Kind, LocalId, Multiple, Node, Target};
use crate::syntax::walk::{assigned_by, each_node_in};
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
    literal: Arc<BlockLiteral>,
    lambda: bool,
    code: Rc<Code>,
    owner: ClassId,
    scope: Scope,
    closure: Option<Closure>,
    name: String,
    builtin: bool,
    /// Where it stands, or its built-in is called.
    span: Span,
    has_receiver: bool,
    /// The blocks that it stands in, outermost first.
    around: Vec<Arc<BlockLiteral>>,
    /// What it took along when it was made.
    taken: Vec<Taken>,
    /// Those that it uses of its frame, and those of them that it assigns to.
    locals: Vec<LocalId>,
    written: Vec<LocalId>,
    /// Lambdas of its frame that these variables hold.
    companions: Vec<Companion>,
    /// The block of its frame's method, where it calls that.
    outer: Option<ClosedBlock>,
    /// It can end more than itself, by `break` or `return`.
    leaves: bool,
}

/// A lambda that goes along in a variable.
#[derive(Clone, Debug)]
struct Companion {
    number: u32,
    literal: Arc<BlockLiteral>,
    lambda: bool,
    /// In how many of the blocks around it stands.
    depth: usize,
    taken: Vec<Taken>,
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

/// Where a block leads that was given to a function: the frame that it was written in, and the end of its `break`.
#[derive(Debug)]
pub(super) struct Leaving {
    frame: usize,
    break_to: Option<JoinIndex>,
}

/// A block that leads out of a function, in that: its frame there, and the variables that say how it did.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    frame: usize,
    how: Temp,
    value: Temp,
}

/// What a function gives back of a block that did not end more than itself, that broke, and that returned.
const STAYED: i64 = 0;
const BROKE: i64 = 1;
const RETURNED: i64 = 2;
/// Joins of the ways out of a function: their end, and two for each block.
const SLOT_OUT: u32 = 0x3a0;

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
        let (literal, home, break_to, lambda) = match block {
            BlockRef::Symbol { name, .. } => return Some(ClosedBlock::Symbol(name.clone())),
            BlockRef::Outer { root, code, lambda, .. } => {
                return Some(ClosedBlock::Outer { root: *root, code: Rc::clone(code), lambda: *lambda });
            }
            BlockRef::Held { class, object, code, lambda, .. } => {
                environment.operands.push(object.clone());
                return Some(ClosedBlock::Held { class: *class, code: Rc::clone(code), lambda: *lambda });
            }
            BlockRef::Literal { literal, home, break_to, lambda } => (literal, home, *break_to, *lambda),
            BlockRef::Made { what: what @ (MadeProc::Method(_) | MadeProc::Named), parts, .. } => {
                for part in parts {
                    let part = self.carrier(part.clone());
                    if part.is_bottom() || self.keep_building(&part.types) {
                        return None;
                    }
                    environment.operands.push(part);
                }
                return Some(ClosedBlock::Made(what.clone()));
            }
            BlockRef::Made { .. } => {
                self.refuse_here(
                    "unsupported-recursion",
                    "a method that calls itself is given a proc that `>>`, `<<` or `curry` has made",
                    Some("write the block out: { |x| … }".into()),
                );
                return None;
            }
        };
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
        let calls_outer = calls_outer(literal, own_block);
        let outer = frame.block.clone().filter(|_| calls_outer);
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
        let refused = if depth >= MAX_CHAIN {
            Some("a block that calls others like itself")
        } else if self.output != Output::Program && self.gives_to_captured(literal) {
            Some("a block that assigns a variable around the section")
        } else if self.uses_shared(home.frame, literal) {
            Some("a block that uses a variable which elements assign")
        } else {
            None
        };
        if let Some(what) = refused {
            self.refuse_here(
                "unsupported-recursion",
                format!("a method that calls itself is given {what}"),
                Some("collect what it gives in an array, and go through that; or keep what is still to be visited in an array, as a stack".into()),
            );
            return None;
        }
        let frame = &self.frames[home.frame];
        let receiver = frame.receiver.clone();
        let mut used = used_by(literal, own_block);
        let mut assigned = assigned_in(literal);
        let companions = self.companions(home, &mut used, &mut assigned);
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
                if known
                    || other.frame != home.frame
                    || !is_around
                    || !self.is_live(&other)
                    || calls_outer(&literal, own_block)
                {
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

    /// Makes the frames of a closed block in a function, of the values that went along.
    pub(super) fn open_block(
        &mut self,
        block: &ClosedBlock,
        values: &mut dyn Iterator<Item = Operand>,
        written: &mut Vec<(usize, LocalId)>,
        ways: &mut Vec<WayOut>,
    ) -> BlockRef {
        let closed = match block {
            ClosedBlock::Symbol(name) => return BlockRef::Symbol { name: name.clone(), active: 0 },
            ClosedBlock::Outer { root, code, lambda } => {
                return BlockRef::Outer { root: *root, code: Rc::clone(code), lambda: *lambda, active: 0 };
            }
            ClosedBlock::Held { class, code, lambda } => {
                let object = values.next().unwrap_or_else(Operand::nil);
                return BlockRef::Held {
                    class: *class,
                    object,
                    code: Rc::clone(code),
                    lambda: *lambda,
                    active: 0,
                };
            }
            ClosedBlock::Made(what) => {
                let parts = vec![values.next().unwrap_or_else(Operand::nil)];
                return BlockRef::Made { what: what.clone(), parts, active: 0 };
            }
            ClosedBlock::Literal(closed) => closed,
        };
        let mut next = || values.next().unwrap_or_else(Operand::nil);
        let receiver = if closed.has_receiver { next() } else { Operand::bottom() };
        let token = if closed.taken.contains(&Taken::Token) { next() } else { Operand::bottom() };
        let mut locals = self.fresh_locals(&closed.code);
        for local in &closed.locals {
            let version = self.fresh_version();
            locals[local.0 as usize] = LocalValue::new(next(), version);
        }
        // In the order in which its type has them.
        let value_of = |what: &Taken| match what {
            Taken::Receiver => receiver.clone(),
            Taken::Token => token.clone(),
            Taken::Local(local) => locals[local.0 as usize].operand.clone(),
        };
        let taken: Vec<(Taken, Operand)> = closed.taken.iter().map(|what| (*what, value_of(what))).collect();
        let frame = self.frames.len();
        self.frames.push(Frame {
            code: Rc::clone(&closed.code),
            locals,
            receiver,
            owner: closed.owner,
            scope: closed.scope.clone(),
            block: None,
            closure: closed.closure,
            return_to: None,
            break_to: None,
            control: vec![],
            activation: self.versions,
            blocks: Rc::default(),
            call_span: closed.span,
            caller: frame,
            builtin: closed.builtin,
            name: closed.name.clone(),
            outermost: true,
            shared: vec![],
            last_match: None,
        });
        let activation = self.fresh_version();
        self.frames[frame].activation = activation;
        let mut blocks = Vec::new();
        for literal in &closed.around {
            let number = self.fresh_version();
            let activation = Activation { number, literal: Arc::clone(literal), frame, taken: Rc::default() };
            self.live.push((activation.clone(), vec![]));
            blocks.push(activation);
        }
        written.extend(closed.written.iter().map(|local| (frame, *local)));
        if closed.leaves {
            let current = std::mem::replace(&mut self.current, frame);
            let stayed = Operand::integer(self.b.i64(STAYED));
            let (how, value) = (self.temp(stayed), self.temp(Operand::nil()));
            self.current = current;
            ways.push(WayOut { frame, how, value });
        }
        if let Some(outer) = &closed.outer {
            let outer = self.open_block(outer, values, written, ways);
            if let Some(local) = closed.code.params.block {
                self.current = frame;
                let operand = self.passed_block(Some(&outer));
                self.write_local(local, operand);
            }
            self.frames[frame].block = Some(outer);
        }
        for companion in &closed.companions {
            let blocks = &blocks[..companion.depth];
            let taken = companion.taken.iter().map(|what| (*what, Operand::nil())).collect();
            let block = opened(&companion.literal, companion.lambda, (frame, activation), blocks, taken);
            self.procs.insert(companion.number, block);
        }
        let block = opened(&closed.literal, closed.lambda, (frame, activation), &blocks, taken);
        // A lambda that has itself in a variable.
        let own = |known: &BlockRef| matches!(known, BlockRef::Literal { literal, .. } if Arc::ptr_eq(literal, &closed.literal));
        for known in self.procs.values_mut().filter(|known| own(known)) {
            let outliving = match known {
                BlockRef::Literal { home, .. } => home.outliving.take(),
                _ => None,
            };
            *known = block.clone();
            if let BlockRef::Literal { home, .. } = known {
                home.outliving = outliving;
            }
        }
        block
    }

    /// What a function gives back of these blocks.
    pub(super) fn locals_of_ways(ways: &[WayOut]) -> impl Iterator<Item = (usize, LocalId)> {
        ways.iter().flat_map(|way| [Self::temp_local(way.how), Self::temp_local(way.value)])
    }

    /// Runs the body of a function, in which blocks that were given to it can lead out of it.
    pub(super) fn with_ways_out(
        &mut self,
        ways: &[WayOut],
        unused: bool,
        body: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        if ways.is_empty() {
            return body(self);
        }
        self.labelled(SLOT_OUT, !unused, |s, out| s.way_out(ways, out, Box::new(body)))
    }

    fn way_out(
        &mut self,
        ways: &[WayOut],
        out: JoinIndex,
        body: Box<dyn FnOnce(&mut Self) -> Operand + '_>,
    ) -> Operand {
        let Some((way, rest)) = ways.split_first() else { return body(self) };
        let slot = SLOT_OUT + 2 * ways.len() as u32;
        let node = self.node;
        let broken = self.labelled(slot, true, |s, break_to| {
            let returned = s.labelled(slot + 1, true, |s, return_to| {
                let frame = &mut s.frames[way.frame];
                (frame.break_to, frame.return_to) = (Some(break_to), Some(return_to));
                let result = s.way_out(rest, out, body);
                s.node = node;
                if result.is_bottom() {
                    s.b.mark_dead();
                }
                s.jump(out, Some(&result));
                Operand::bottom()
            });
            s.take_way(way, RETURNED, returned);
            s.jump(out, Some(&Operand::nil()));
            Operand::bottom()
        });
        self.take_way(way, BROKE, broken);
        Operand::nil()
    }

    fn take_way(&mut self, way: &WayOut, how: i64, value: Operand) {
        if !self.b.is_dead() {
            let how = Operand::integer(self.b.i64(how));
            self.temp_set(way.how, how);
            self.temp_set(way.value, value);
        }
    }

    /// Goes on where a block led to that was given to a function.
    pub(super) fn go_way(&mut self, leaving: &Leaving, how: &Operand, value: &Operand) {
        let return_to = self.frames[leaving.frame].return_to;
        for (slot, number, join) in [(0, BROKE, leaving.break_to), (1, RETURNED, return_to)] {
            if let (Some(join), Some(how)) = (join, how.values.first()) {
                let number = self.b.i64(number);
                let is_it = self.b.compare(Comparison::Eq, *how, number);
                let condition = Condition { value: is_it, yes: vec![], no: vec![] };
                let leave = |s: &mut Self| {
                    s.leave_to(join, Some(value));
                    Operand::bottom()
                };
                self.within_slot(0x3e0 + slot, |s| s.branch(25, condition, leave, |_| Operand::nil()));
            }
        }
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

fn is_captured(target: &Target) -> bool {
    match target {
        Target::Captured(..) => true,
        Target::Multiple(multiple, _) => holds_captured(multiple),
        _ => false,
    }
}

fn holds_captured(targets: &Multiple) -> bool {
    let splat = targets.splat.iter().flatten();
    targets.before.iter().chain(splat).chain(&targets.after).any(is_captured)
}

/// A block in a frame that was made of what went along.
fn opened(
    literal: &Arc<BlockLiteral>,
    lambda: bool,
    (frame, activation): (usize, u32),
    blocks: &[Activation],
    taken: Vec<(Taken, Operand)>,
) -> BlockRef {
    let mut needs = super::blocks::used_of(blocks, literal);
    needs.retain(|(_, local)| !taken.iter().any(|(other, _)| *other == Taken::Local(*local)));
    let home = Home {
        frame,
        activation,
        active: 0,
        blocks: blocks.into(),
        needs: needs.into(),
        taken: taken.into(),
        outliving: None,
    };
    BlockRef::Literal { literal: Arc::clone(literal), home, break_to: None, lambda }
}

/// The variables of its frame that a block uses.
pub(super) fn used_by(literal: &BlockLiteral, own_block: Option<LocalId>) -> FxHashSet<LocalId> {
    let own = own_of(literal);
    locals_of(literal).into_iter().filter(|local| !own.contains(local) && Some(*local) != own_block).collect()
}

/// The locals of a block and of those in it.
fn own_of(literal: &BlockLiteral) -> FxHashSet<LocalId> {
    let mut own: FxHashSet<LocalId> = literal.own_locals.iter().copied().collect();
    each_node_in(&literal.body, &mut |node| match &node.kind {
        Kind::Lambda(inner) | Kind::Super { block: Some(BlockArg::Literal(inner)), .. } => {
            own.extend(&inner.own_locals)
        }
        Kind::Call(call) => {
            if let Some(BlockArg::Literal(inner)) = &call.block {
                own.extend(&inner.own_locals);
            }
        }
        _ => {}
    });
    own
}

fn assigned_in(literal: &BlockLiteral) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    each_node_in(&literal.body, &mut |node| {
        assigned_by(&node.kind, &mut |local| {
            found.insert(local);
        });
    });
    found
}

/// Does a block call that of the method which it stands in, or look whether there is one?
pub(super) fn calls_outer(literal: &BlockLiteral, own_block: Option<LocalId>) -> bool {
    let mut found = own_block.is_some_and(|local| locals_of(literal).contains(&local));
    each_node_in(&literal.body, &mut |node| {
        found |= match &node.kind {
            Kind::Yield(_) | Kind::Super { .. } => true,
            Kind::Call(call) => call.receiver.is_none() && call.name == "block_given?",
            _ => false,
        };
    });
    found
}

/// Does a block do nothing but hand its parameters on to that of the method which it stands in?
fn hands_on(literal: &BlockLiteral, own_block: Option<LocalId>) -> bool {
    let params = &literal.params;
    let plain = params.is_plain()
        && params.destructured.is_empty()
        && !params.trailing_comma
        && !params.required.is_empty();
    let is_parameters = |args: &[Node]| {
        args.len() == params.required.len()
            && args
                .iter()
                .zip(&params.required)
                .all(|(arg, local)| matches!(&arg.kind, Kind::Local(id) if id == local))
    };
    plain
        && match &only(&literal.body).kind {
            Kind::Yield(args) => is_parameters(args),
            Kind::Call(call) => {
                let on_block = call.receiver.as_ref().is_some_and(
                    |receiver| matches!(&receiver.kind, Kind::Local(id) if Some(*id) == own_block),
                );
                on_block && call.name == "call" && call.block.is_none() && is_parameters(&call.args)
            }
            _ => false,
        }
}

/// The statement of a body that has one.
fn only(body: &Node) -> &Node {
    match &body.kind {
        Kind::Sequence(all) if all.len() == 1 => only(&all[0]),
        _ => body,
    }
}
