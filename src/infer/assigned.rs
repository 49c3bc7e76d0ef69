//! Which locals loops and blocks assign, as the code is written. A loop carries them from the first walk on, with what they
//! are where it is entered: most often they stay of that kind, and no other walk is needed.

use super::memo::LocalKey;
use super::{BlockRef, Lowerer, Operand, Temp};
use crate::infer::keys::Context;
use crate::syntax::ast::{BlockArg, Code, Kind, LocalId, Node, NodeId};
use crate::syntax::walk::{Part, assigned_by, each_part};
use crate::types::{Type, TypeSet};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// So many blocks yield to one another; more are left to be found out.
const MOST_YIELDS: usize = 8;

/// What the loops, calls and blocks of a code assign.
#[derive(Debug, Default)]
pub(super) struct Assigned {
    /// In the order of the text, each with how many conditions are around; those that blocks declare apart.
    locals: Vec<(LocalId, u32)>,
    declared: Vec<LocalId>,
    /// Conditions, loops and blocks around what is looked at.
    depth: u32,
    /// Where the method's block is called, or handed on.
    yields: u32,
    /// By loop, call or literal.
    within: FxHashMap<NodeId, Within>,
}

/// Parts of the lists of [`Assigned`].
#[derive(Clone, Debug)]
struct Within {
    locals: Range<usize>,
    declared: Range<usize>,
    yields: bool,
    /// How many conditions are around what is always run.
    depth: u32,
}

/// Where a list of [`Assigned`] was when a node began.
#[derive(Clone, Copy)]
struct Begun {
    locals: usize,
    declared: usize,
    yields: u32,
}

impl Assigned {
    pub(super) fn of(code: &Code) -> Self {
        let mut all = Self::default();
        all.node(&code.body);
        all
    }

    const fn begins(&self) -> Begun {
        Begun { locals: self.locals.len(), declared: self.declared.len(), yields: self.yields }
    }

    fn node(&mut self, node: &Node) {
        let begun = self.begins();
        let outer = self.depth;
        assigned_by(&node.kind, &mut |local| self.locals.push((local, outer)));
        self.depth += u32::from(matches!(node.kind, Kind::While { .. }));
        let depth = self.depth;
        // Of what may be run or not the first part always is: a condition, what is looked at.
        let chooses = matches!(
            node.kind,
            Kind::If { .. }
                | Kind::And(..)
                | Kind::Or(..)
                | Kind::Case { .. }
                | Kind::CaseIn { .. }
                | Kind::Begin(_)
        );
        each_part(node, &mut |part| {
            match part {
                Part::Node(node) => self.node(node),
                Part::Block(block) => {
                    let begun = self.begins();
                    self.depth += 1;
                    self.declared.extend(&block.own_locals);
                    self.node(&block.body);
                    self.ends(block.id, begun);
                    self.depth -= 1;
                }
            }
            self.depth = depth + u32::from(chooses);
        });
        self.depth = depth;
        let repeats = match &node.kind {
            Kind::While { .. } | Kind::Begin(_) => true,
            Kind::Yield(_) => {
                self.yields += 1;
                true
            }
            Kind::Call(call) => {
                self.yields += u32::from(matches!(call.block, Some(BlockArg::Expression(_))));
                call.block.is_some()
            }
            Kind::Super { .. } => {
                self.yields += 1;
                true
            }
            _ => false,
        };
        if repeats {
            self.ends(node.id, begun);
        }
        self.depth = outer;
    }

    fn ends(&mut self, id: NodeId, Begun { locals, declared, yields }: Begun) {
        let within = Within {
            locals: locals..self.locals.len(),
            declared: declared..self.declared.len(),
            yields: self.yields > yields,
            depth: self.depth,
        };
        self.within.insert(id, within);
    }

    /// The locals that a loop, call or literal assigns, without those that blocks in it declare, and whether it always does;
    /// and may it call the method's block?
    fn within(&self, id: NodeId) -> Option<(FxHashMap<LocalId, bool>, bool)> {
        let Within { locals, declared, yields, depth } = self.within.get(&id)?;
        let declared = &self.declared[declared.clone()];
        let mut found = FxHashMap::default();
        for (local, at) in &self.locals[locals.clone()] {
            *found.entry(*local).or_default() |= at <= depth;
        }
        found.retain(|local, _| !declared.contains(local));
        Some((found, *yields))
    }
}

impl Lowerer<'_> {
    /// The locals that the loop which begins here assigns, as far as that is plain to see, and these temporaries; in order.
    pub(super) fn assigned_here(&mut self, temps: &[Temp]) -> Vec<LocalKey> {
        let mut found = Vec::new();
        let (mut frame, mut id) = (self.current, self.node);
        for _ in 0..MOST_YIELDS {
            let code = Rc::clone(&self.frames[frame].code);
            let known = self.assigned.entry(Rc::as_ptr(&code) as usize);
            let assigned = Rc::clone(known.or_insert_with(|| Rc::new(Assigned::of(&code))));
            let Some((locals, yields)) = assigned.within(id) else { break };
            // Our own code has branches that nobody comes to, for values of other kinds: what is assigned there is known
            // to be what it is.
            let all = !self.frames[frame].builtin;
            let locals = locals.into_iter().filter(|(local, is_sure)| {
                all || *is_sure || !self.is_constant(&self.frames[frame].locals[local.0 as usize].operand)
            });
            found.extend(locals.map(|(local, _)| (frame, local.0 as usize, Context::ROOT)));
            let Some(BlockRef::Literal { literal, home, .. }) = &self.frames[frame].block else { break };
            let is_live = self.frames.get(home.frame).is_some_and(|at| at.activation == home.activation);
            if !yields || !is_live {
                break;
            }
            (frame, id) = (home.frame, literal.id);
        }
        found.extend(temps.iter().map(|temp| {
            let (frame, LocalId(local)) = Self::temp_local(*temp);
            let local = local as usize;
            (frame, local, self.frames[frame].locals[local].maker)
        }));
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Lowerer<'_> {
    fn is_constant(&self, operand: &Operand) -> bool {
        operand.values.iter().all(|value| self.b.constant(*value).is_some())
    }
}

/// Is it of those kinds of which the code knows no more than that they are?
pub(super) fn is_simple(types: &TypeSet) -> bool {
    let mut all = types.iter();
    !types.is_empty()
        && all.all(|ty| {
            matches!(
                ty,
                Type::Nil
                    | Type::True
                    | Type::False
                    | Type::Integer
                    | Type::Float
                    | Type::Symbol
                    | Type::Object(..)
            )
        })
}
