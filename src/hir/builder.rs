//! Makes the blocks of one code. A local that is a value is, at each place, the number of a value; where ways join, those
//! that are not the same on all of them become parameters. Loops and handlers have those that are assigned within.
//! Behind a jump there is no place, and nothing is emitted.

use super::code::{
    Arg, Args, Block, BlockKind, Code, Edge, Keys, List, Name, Source, Terminator, Value, ValueData,
};
use super::op::Op;
use crate::syntax::ast::LocalId;

/// Stands for a value where nothing is emitted.
const NOWHERE: Value = Value(u32::MAX);

/// A block that is being made.
#[derive(Clone, Debug)]
pub(super) struct DraftBlock {
    pub kind: BlockKind,
    pub params: Vec<Value>,
    pub body: Vec<Value>,
    pub end: Terminator,
    pub source: Source,
    pub unwind: Option<Edge>,
    pub handling: Option<Value>,
}

/// A block that several ways lead to, which are all known when it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Join(usize);

/// A way to a join: the edge, the value that it brings and what the locals are there.
#[derive(Debug)]
struct Way {
    from: Block,
    /// Is it the second edge of a branch?
    is_no: bool,
    value: Option<Value>,
    locals: Vec<Option<Value>>,
}

/// A way out of a condition: a join, and the value that it gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub join: Join,
    pub value: Option<Value>,
}

/// A loop's first block, and the locals that it carries.
#[derive(Clone, Debug)]
pub(super) struct Head {
    block: Block,
    carried: Vec<LocalId>,
}

/// A part of the code whose exceptions a handler gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region(usize);

#[derive(Debug)]
struct RegionData {
    kind: BlockKind,
    handler: Block,
    carried: Vec<LocalId>,
    /// What the locals are where it begins.
    locals: Vec<Option<Value>>,
    outer: Option<Region>,
    is_entered: bool,
}

#[derive(Debug)]
pub(super) struct Builder {
    /// Its pools, and its values; its blocks are the drafts until it is done.
    pub code: Code,
    pub drafts: Vec<DraftBlock>,
    /// Blocks in the order in which they were entered.
    pub order: Vec<Block>,
    /// Where it stands.
    pub source: Source,
    at: Option<Block>,
    /// By the numbers of locals: values and cells. Behind those of the AST stand [hidden ones](Self::hidden_local).
    locals: Vec<Option<Value>>,
    named: usize,
    joins: Vec<Vec<Way>>,
    regions: Vec<RegionData>,
    region: Option<Region>,
    /// Has a local that the handler gets been assigned in this block?
    is_stale: bool,
    /// The exception that is handled here.
    pub handling: Option<Value>,
}

impl Builder {
    pub(super) fn new(code: Code, locals: usize, source: Source) -> Self {
        let mut builder = Self {
            code,
            drafts: Vec::new(),
            order: Vec::new(),
            source,
            at: None,
            locals: vec![None; locals],
            named: locals,
            joins: Vec::new(),
            regions: Vec::new(),
            region: None,
            is_stale: false,
            handling: None,
        };
        let entry = builder.block(BlockKind::Plain);
        builder.enter_block(entry);
        builder
    }

    // ---- operations ------------------------------------------------------------------------------------------------

    /// Is there no way to here?
    pub(super) const fn is_dead(&self) -> bool {
        self.at.is_none()
    }

    pub(super) fn emit(&mut self, op: Op) -> Value {
        if self.is_stale && op.raises() {
            self.split();
        }
        let Some(at) = self.at else { return NOWHERE };
        let value = self.value(op);
        self.drafts[at.index()].body.push(value);
        if op.never_returns() {
            self.end(Terminator::Never);
        }
        value
    }

    fn value(&mut self, op: Op) -> Value {
        self.code.values.push(ValueData { op, source: self.source });
        Value(self.code.values.len() as u32 - 1)
    }

    /// A parameter more of a block.
    fn param_of(&mut self, block: Block, local: Option<LocalId>) -> Value {
        let local = local.filter(|local| (local.0 as usize) < self.named);
        let value = self.value(Op::Param(local.map(|local| super::Local(local.0))));
        self.drafts[block.index()].params.push(value);
        value
    }

    /// A parameter more of the entry.
    pub(super) fn param(&mut self, local: Option<LocalId>) -> Value {
        self.param_of(Block(0), local)
    }

    pub(super) fn list(&mut self, values: &[Value]) -> List {
        let start = self.code.operands.len() as u32;
        self.code.operands.extend_from_slice(values);
        List { start, count: values.len() as u32 }
    }

    pub(super) fn args(&mut self, args: &[Arg]) -> Args {
        let start = self.code.args.len() as u32;
        self.code.args.extend_from_slice(args);
        Args { start, count: args.len() as u32 }
    }

    pub(super) fn keys(&mut self, names: &[Name]) -> Keys {
        let start = self.code.keys.len() as u32;
        self.code.keys.extend_from_slice(names);
        Keys { start, count: names.len() as u32 }
    }

    // ---- locals ----------------------------------------------------------------------------------------------------

    /// The value of a local, or its cell.
    pub(super) fn local(&self, local: LocalId) -> Option<Value> {
        self.locals.get(local.0 as usize).copied().flatten()
    }

    pub(super) fn set_local(&mut self, local: LocalId, value: Value) {
        if self.is_dead() {
            return;
        }
        if let Some(slot) = self.locals.get_mut(local.0 as usize) {
            *slot = Some(value);
        }
        if let Some(region) = self.region {
            self.is_stale |= self.regions[region.0].carried.contains(&local);
        }
    }

    /// A local that the text does not have. It is there until ways join that part before here.
    pub(super) fn hidden_local(&mut self, value: Value) -> LocalId {
        self.locals.push(Some(value));
        LocalId(self.locals.len() as u32 - 1)
    }

    fn values_of(&mut self, locals: &[LocalId]) -> List {
        let values: Vec<Value> = locals.iter().filter_map(|local| self.local(*local)).collect();
        self.list(&values)
    }

    /// Those of them that are values of this code.
    fn carried(&self, locals: Vec<LocalId>) -> Vec<LocalId> {
        locals.into_iter().filter(|local| self.local(*local).is_some()).collect()
    }

    // ---- blocks ----------------------------------------------------------------------------------------------------

    fn block(&mut self, kind: BlockKind) -> Block {
        self.drafts.push(DraftBlock {
            kind,
            params: Vec::new(),
            body: Vec::new(),
            end: Terminator::Never,
            source: self.source,
            unwind: None,
            handling: None,
        });
        Block(self.drafts.len() as u32 - 1)
    }

    /// Goes on in a block, whose locals are known.
    fn enter_block(&mut self, block: Block) {
        self.at = Some(block);
        self.is_stale = false;
        self.order.push(block);
        self.drafts[block.index()].handling = self.handling;
        if let Some(region) = self.region {
            let carried = std::mem::take(&mut self.regions[region.0].carried);
            let args = self.values_of(&carried);
            self.regions[region.0].carried = carried;
            self.regions[region.0].is_entered = true;
            let handler = self.regions[region.0].handler;
            self.drafts[block.index()].unwind = Some(Edge { block: handler, args });
        }
    }

    /// Ends the block.
    pub(super) fn end(&mut self, end: Terminator) {
        let Some(at) = self.at else { return };
        if self.is_stale && matches!(end, Terminator::Resume(_)) {
            self.split();
        }
        let draft = &mut self.drafts[self.at.take().unwrap_or(at).index()];
        (draft.end, draft.source) = (end, self.source);
        self.is_stale = false;
    }

    /// Goes on in a new block.
    fn split(&mut self) {
        let Some(at) = self.at else { return };
        let next = self.block(BlockKind::Plain);
        self.drafts[at.index()].end = Terminator::Jump(Edge { block: next, args: List::default() });
        self.enter_block(next);
    }

    // ---- joins -----------------------------------------------------------------------------------------------------

    pub(super) fn join(&mut self) -> Join {
        self.joins.push(Vec::new());
        Join(self.joins.len() - 1)
    }

    fn way(&mut self, goal: Goal, is_no: bool) {
        let Some(from) = self.at else { return };
        let way = Way { from, is_no, value: goal.value, locals: self.locals.clone() };
        self.joins[goal.join.0].push(way);
    }

    /// Ends the block by a jump.
    pub(super) fn jump(&mut self, goal: Goal) {
        self.way(goal, false);
        self.end(Terminator::Jump(Edge { block: Block(0), args: List::default() }));
    }

    /// Ends the block by a branch.
    pub(super) fn branch(&mut self, test: Value, yes: Goal, no: Goal) {
        self.way(yes, false);
        self.way(no, true);
        let edge = Edge { block: Block(0), args: List::default() };
        self.end(Terminator::Branch { test, yes: edge, no: edge });
    }

    /// Goes on where the ways to a join lead; gives the value that they bring, if they do. Where there are none, there is
    /// no place any more.
    pub(super) fn enter(&mut self, join: Join) -> Option<Value> {
        let ways = std::mem::take(&mut self.joins[join.0]);
        let [first, others @ ..] = &ways[..] else {
            self.at = None;
            return None;
        };
        let block = self.block(BlockKind::Plain);
        let differs = |at: usize| others.iter().any(|way| way.locals[at] != first.locals[at]);
        let count = ways.iter().map(|way| way.locals.len()).min().unwrap_or(0);
        let merged: Vec<usize> = (0..count).filter(|at| differs(*at)).collect();
        let brings = ways.iter().all(|way| way.value.is_some());
        let is_merged = brings && others.iter().any(|way| way.value != first.value);
        self.locals.clear();
        self.locals.extend_from_slice(&first.locals[..count]);
        let value = match is_merged {
            true => Some(self.param_of(block, None)),
            false => first.value.filter(|_| brings),
        };
        for at in &merged {
            let param = self.param_of(block, Some(LocalId(*at as u32)));
            self.locals[*at] = Some(param);
        }
        for way in &ways {
            let value = way.value.filter(|_| is_merged);
            let locals = merged.iter().filter_map(|at| way.locals[*at]);
            let args: Vec<Value> = value.into_iter().chain(locals).collect();
            let edge = Edge { block, args: self.list(&args) };
            match &mut self.drafts[way.from.index()].end {
                Terminator::Jump(to) => *to = edge,
                Terminator::Branch { yes, no, .. } => *(if way.is_no { no } else { yes }) = edge,
                _ => {}
            }
        }
        self.enter_block(block);
        value
    }

    // ---- loops -----------------------------------------------------------------------------------------------------

    /// Begins a loop in which those locals are assigned; `value` is carried as well, and given as it is in each round.
    pub(super) fn begin_loop(
        &mut self,
        assigned: Vec<LocalId>,
        value: Option<Value>,
    ) -> (Head, Option<Value>) {
        let block = self.block(BlockKind::Loop);
        let carried = self.carried(assigned);
        let head = Head { block, carried };
        if self.is_dead() {
            return (head, value);
        }
        self.again(&head, value);
        let value = value.map(|_| self.param_of(block, None));
        for local in &head.carried {
            let param = self.param_of(block, Some(*local));
            self.locals[local.0 as usize] = Some(param);
        }
        self.enter_block(block);
        (head, value)
    }

    /// Jumps to the loop's first block.
    pub(super) fn again(&mut self, head: &Head, value: Option<Value>) {
        if self.is_dead() {
            return;
        }
        let locals = head.carried.iter().filter_map(|local| self.local(*local));
        let args: Vec<Value> = value.into_iter().chain(locals).collect();
        let args = self.list(&args);
        self.end(Terminator::Jump(Edge { block: head.block, args }));
    }

    // ---- exceptions ------------------------------------------------------------------------------------------------

    /// Begins a part of the code, in which those locals are assigned, with a handler.
    pub(super) fn begin_region(&mut self, kind: BlockKind, assigned: Vec<LocalId>) -> Region {
        let handler = self.block(kind);
        let carried = self.carried(assigned);
        let (locals, outer) = (self.locals.clone(), self.region);
        self.regions.push(RegionData { kind, handler, carried, locals, outer, is_entered: false });
        let region = Region(self.regions.len() - 1);
        self.set_region(Some(region));
        region
    }

    pub(super) const fn region(&self) -> Option<Region> {
        self.region
    }

    /// Goes on within another region.
    pub(super) fn set_region(&mut self, region: Option<Region>) {
        if self.region != region {
            self.region = region;
            self.split();
        }
    }

    /// Goes on in the handler of a region, which has ended; gives what it gets.
    pub(super) fn enter_handler(&mut self, region: Region) -> Value {
        let RegionData { handler, is_entered, outer, .. } = self.regions[region.0];
        self.region = outer;
        if !is_entered || !self.can_raise(handler) {
            self.at = None;
            return NOWHERE;
        }
        self.locals = std::mem::take(&mut self.regions[region.0].locals);
        let caught = self.param_of(handler, None);
        for local in std::mem::take(&mut self.regions[region.0].carried) {
            let param = self.param_of(handler, Some(local));
            self.locals[local.0 as usize] = Some(param);
        }
        debug_assert_eq!(self.drafts[handler.index()].kind, self.regions[region.0].kind);
        self.handling = Some(caught);
        self.enter_block(handler);
        caught
    }

    /// Is there something in the blocks of a handler that raises? All others lose their way to it.
    fn can_raise(&mut self, handler: Block) -> bool {
        let mut found = false;
        for draft in &mut self.drafts {
            if draft.unwind.is_none_or(|unwind| unwind.block != handler) {
                continue;
            }
            let raises = |value: &Value| self.code.values[value.index()].op.raises();
            if draft.body.iter().any(raises) || matches!(draft.end, Terminator::Resume(_)) {
                found = true;
            } else {
                draft.unwind = None;
            }
        }
        found
    }
}
