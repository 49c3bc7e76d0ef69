//! Which locals are whose, which nested code captures, and which of those are cells: facts of how the code is written,
//! found in one walk in the order of evaluation.
//!
//! Where ways join, locals that differ are block parameters, in a loop those that it assigns, in a handler those that
//! its region assigns; what nobody reads is dropped. A local is a *cell* if nested code assigns it, or if it is
//! assigned when nested code may have it already (a loop around both counts). It becomes one where nested code first
//! gets it or, if that is in a branch, before the outermost branch; before it, it is a value. All other captured locals
//! are copied. `$~` is a cell, which calls get that may match (`matching`).

use crate::syntax::ast::{self, Begin, BlockLiteral, InClause, Kind, LocalId, Node, NodeId, Params, Target};
use crate::syntax::walk::{self, Part};
use rustc_hash::FxHashMap;

/// A code, or a block literal or lambda in it: 0 is the code.
type ScopeId = usize;

/// The facts of all locals of a code.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    locals: Vec<LocalFacts>,
    scopes: Vec<Scope>,
    /// By their literals.
    by_literal: FxHashMap<NodeId, ScopeId>,
    /// The locals that become cells where a node is evaluated.
    made_at: FxHashMap<NodeId, Vec<LocalId>>,
}

/// Where a local becomes a cell: where nested code first gets it or, if that is not so on all ways, where these part.
/// Before it, it is a value.
#[derive(Clone, Copy, Debug, Default)]
enum MadeAt {
    #[default]
    Entry,
    Node(NodeId),
}

#[derive(Debug, Default)]
struct LocalFacts {
    owner: ScopeId,
    is_cell: bool,
    /// It holds what a pattern matched last, which calls assign.
    matches: bool,
    made_at: MadeAt,
    /// Where in the walk nested code got it first, and where it was assigned last. What is in a loop is assigned as late
    /// as the loop ends.
    captured: Option<u32>,
    assigned: u32,
}

#[derive(Debug, Default)]
struct Scope {
    outer: ScopeId,
    /// Where in the walk its literal stands.
    literal: u32,
    /// Where locals that it captures become cells.
    made_at: MadeAt,
    captures: Vec<LocalId>,
}

impl Scopes {
    pub(super) fn of(code: &ast::Code) -> Self {
        let mut facts = Self::default();
        facts.locals.resize_with(code.locals.len(), LocalFacts::default);
        facts.scopes.push(Scope::default());
        let branches = Some(MadeAt::Entry);
        let mut walk = Walk { facts, scope: 0, position: 0, branches, loops: 0, in_loop: Vec::new(), code };
        walk.params(&code.params);
        walk.branches = None;
        walk.node(&code.body);
        let mut facts = walk.facts;
        for (number, local) in (0..).zip(&mut facts.locals) {
            local.is_cell |=
                local.matches || local.captured.is_some_and(|captured| captured < local.assigned);
            if local.matches {
                local.made_at = MadeAt::Entry;
            }
            if let (true, MadeAt::Node(node)) = (local.is_cell, local.made_at) {
                facts.made_at.entry(node).or_default().push(LocalId(number));
            }
        }
        facts
    }

    pub(super) fn is_cell(&self, local: LocalId) -> bool {
        self.locals.get(local.0 as usize).is_some_and(|local| local.is_cell)
    }

    /// Is it a cell from the entry of its code on?
    pub(super) fn is_cell_at_entry(&self, local: LocalId) -> bool {
        let facts = self.locals.get(local.0 as usize);
        facts.is_some_and(|local| local.is_cell && matches!(local.made_at, MadeAt::Entry))
    }

    /// The locals that become cells where a node, or a literal, is evaluated.
    pub(super) fn made_at(&self, node: NodeId) -> &[LocalId] {
        self.made_at.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The locals of enclosing code that a literal uses.
    pub(super) fn captures(&self, literal: NodeId) -> &[LocalId] {
        self.by_literal.get(&literal).map_or(&[], |scope| &self.scopes[*scope].captures)
    }

    /// The locals of the code or, if there is one, the literal.
    pub(super) fn own(&self, literal: Option<NodeId>) -> impl Iterator<Item = LocalId> {
        let scope = literal.map_or(Some(0), |literal| self.by_literal.get(&literal).copied());
        let own = self.locals.iter().enumerate().filter(move |(_, local)| Some(local.owner) == scope);
        own.map(|(number, _)| LocalId(number as u32))
    }
}

struct Walk<'a> {
    facts: Scopes,
    scope: ScopeId,
    position: u32,
    /// The outermost node of the present scope around the present place that is not run on all ways, or not once.
    branches: Option<MadeAt>,
    /// Loops of the present scope around the present place, and what is assigned in them.
    loops: u32,
    in_loop: Vec<LocalId>,
    code: &'a ast::Code,
}

impl<'a> Walk<'a> {
    fn node(&mut self, node: &'a Node) {
        self.position += 1;
        let around = self.branches;
        if branches(&node.kind) {
            self.branches.get_or_insert(MadeAt::Node(node.id));
        }
        match &node.kind {
            Kind::Local(local) => self.used(*local),
            Kind::While { .. } => self.looping(|s| s.parts(node)),
            Kind::Begin(begin) if retries(begin) => self.looping(|s| s.begin(begin)),
            Kind::Begin(begin) => self.begin(begin),
            Kind::CaseIn { subject, clauses, otherwise } => {
                self.node(subject);
                clauses.iter().for_each(|clause| self.clause(clause));
                otherwise.iter().for_each(|otherwise| self.node(otherwise));
            }
            Kind::Super { args: None, .. } => {
                // It passes what the method's parameters are.
                locals_of_params(&self.code.params).for_each(|local| self.used(local));
                self.parts(node);
            }
            Kind::Matching(last, _) => {
                self.parts(node);
                self.assigned(*last);
                self.facts.locals[last.0 as usize].matches = true;
            }
            _ => self.parts(node),
        }
        self.branches = around;
    }

    fn parts(&mut self, node: &'a Node) {
        walk::each_part(node, &mut |part| self.part(part));
        walk::assigned_by(&node.kind, &mut |local| self.assigned(local));
    }

    fn part(&mut self, part: Part<'a>) {
        match part {
            Part::Node(node) => self.node(node),
            Part::Block(literal) => self.literal(literal),
        }
    }

    fn literal(&mut self, literal: &'a BlockLiteral) {
        self.position += 1;
        let scope = self.facts.scopes.len();
        self.facts.by_literal.insert(literal.id, scope);
        let made_at = self.branches.unwrap_or(MadeAt::Node(literal.id));
        self.facts.scopes.push(Scope {
            outer: self.scope,
            literal: self.position,
            made_at,
            captures: Vec::new(),
        });
        for local in &literal.own_locals {
            self.facts.locals[local.0 as usize].owner = scope;
        }
        let around = (self.scope, self.branches, self.loops, std::mem::take(&mut self.in_loop));
        (self.scope, self.branches, self.loops) = (scope, Some(MadeAt::Entry), 0);
        self.params(&literal.params);
        self.branches = None;
        self.node(&literal.body);
        (self.scope, self.branches, self.loops, self.in_loop) = around;
    }

    fn params(&mut self, params: &'a Params) {
        locals_of_params(params).for_each(|local| self.assigned(local));
        let keywords =
            params.keywords.iter().filter_map(|(_, local, default)| Some((local, default.as_ref()?)));
        let optional = params.optional.iter().map(|(local, default)| (local, default));
        for (local, default) in optional.chain(keywords) {
            self.node(default);
            self.assigned(*local);
        }
        for (_, multiple) in &params.destructured {
            self.position += 1;
            walk::locals_of_multiple(multiple, &mut |local| self.assigned(local));
        }
    }

    fn begin(&mut self, begin: &'a Begin) {
        self.node(&begin.body);
        begin.otherwise.iter().for_each(|otherwise| self.node(otherwise));
        for rescue in &begin.rescues {
            rescue.classes.iter().for_each(|class| self.node(class));
            rescue.error.iter().for_each(|error| self.assigned(*error));
            self.node(&rescue.body);
        }
        begin.ensure.iter().for_each(|ensure| self.node(ensure));
    }

    fn clause(&mut self, clause: &'a InClause) {
        self.position += 1;
        walk::each_part_of_pattern(&clause.pattern, &mut |part| self.part(part));
        walk::locals_of_pattern(&clause.pattern, &mut |local| self.assigned(local));
        clause.guard.iter().for_each(|guard| self.node(guard));
        self.node(&clause.body);
    }

    fn looping(&mut self, walk: impl FnOnce(&mut Self)) {
        self.loops += 1;
        walk(self);
        self.loops -= 1;
        if self.loops == 0 {
            for local in std::mem::take(&mut self.in_loop) {
                self.facts.locals[local.0 as usize].assigned = self.position;
            }
        }
    }

    fn assigned(&mut self, local: LocalId) {
        self.used(local);
        let facts = &mut self.facts.locals[local.0 as usize];
        facts.assigned = self.position;
        if facts.owner != self.scope {
            facts.is_cell = true;
        } else if self.loops > 0 {
            self.in_loop.push(local);
        }
    }

    /// Notes it as captured by the scopes between the present one and its own.
    fn used(&mut self, local: LocalId) {
        let owner = self.facts.locals[local.0 as usize].owner;
        let mut scope = self.scope;
        while scope != owner && scope != 0 {
            let Scope { outer, literal, made_at, captures } = &mut self.facts.scopes[scope];
            if !captures.contains(&local) {
                captures.push(local);
            }
            let facts = &mut self.facts.locals[local.0 as usize];
            if *outer == owner && facts.captured.is_none() {
                facts.captured = Some(*literal);
                facts.made_at = *made_at;
            }
            scope = *outer;
        }
    }
}

/// Is there something in it that is not run on all ways through it, or more than once?
const fn branches(kind: &Kind) -> bool {
    match kind {
        Kind::If { .. }
        | Kind::And(..)
        | Kind::Or(..)
        | Kind::Case { .. }
        | Kind::CaseIn { .. }
        | Kind::Matches { .. }
        | Kind::While { .. }
        | Kind::Begin(_)
        | Kind::Defined { .. }
        | Kind::OpAssign { .. } => true,
        Kind::Assign { target, .. } => matches!(**target, Target::Attribute { safe: true, .. }),
        Kind::Call(call) => call.safe,
        _ => false,
    }
}

/// The locals that are parameters, in the order of [`super::Params`].
pub(super) fn locals_of_params(params: &Params) -> impl Iterator<Item = LocalId> {
    let optional = params.optional.iter().map(|(local, _)| local);
    let keywords = params.keywords.iter().map(|(_, local, _)| local);
    let positional = params.required.iter().chain(optional).chain(&params.rest).chain(&params.post);
    let others = [&params.keyword_rest, &params.keyword_hash, &params.block].into_iter().flatten();
    positional.chain(keywords).chain(others).copied()
}

/// Does one of its clauses run it again?
pub(super) fn retries(begin: &Begin) -> bool {
    let mut found = false;
    for rescue in &begin.rescues {
        walk::each_node_in(&rescue.body, &mut |node| found |= matches!(node.kind, Kind::Retry));
    }
    found
}
