//! Checks what holds of every HIR. It runs after each conversion in debug builds, and in tests: all blocks are reached,
//! edges give what blocks take, operands dominate their uses, only unwinding leads to handlers, only loops are led back
//! to, captures are cells where they have to be.

use super::code::{Args, Block, BlockKind, Code, Hir, List, Terminator, Value};
use super::finish::given_by_nobody;
use super::op::Op;

/// The first thing that is wrong with a HIR, if there is one:
///
/// - every block but the entry is reached, and a way back leads to a loop;
/// - an edge gives each parameter of its block, but for the first of a handler;
/// - only unwinding leads to handlers, and unwinding only to them;
/// - an operand is defined before it on all ways to it, and what a handler gets before the block that may raise;
/// - a captured local is a cell where it is marked as one, and cells are only read, written and captured;
/// - code that is nested in another is made there, with all that it captures.
pub fn verify(hir: &Hir) -> Result<(), String> {
    for (number, code) in hir.codes.iter().enumerate() {
        let verifier = Verifier::of(hir, code).map_err(|what| format!("code {number}: {what}"))?;
        verifier.check().map_err(|what| format!("code {number}: {what}"))?;
    }
    Ok(())
}

struct Verifier<'a> {
    hir: &'a Hir,
    code: &'a Code,
    /// The block of each value.
    blocks: Vec<Block>,
    /// The immediate dominator of each block.
    dominators: Vec<Block>,
}

fn fail<T>(what: String) -> Result<T, String> {
    Err(what)
}

impl<'a> Verifier<'a> {
    fn of(hir: &'a Hir, code: &'a Code) -> Result<Self, String> {
        let mut blocks = Vec::new();
        for (number, block) in (0..).zip(&code.blocks) {
            if block.params.start as usize != blocks.len() || block.params.end != block.body.start {
                return fail(format!("b{number} does not follow the block before it"));
            }
            blocks.resize(block.body.end as usize, Block(number));
        }
        if blocks.len() != code.values.len() || blocks.is_empty() {
            return fail("there are values in no block".into());
        }
        let mut verifier = Self { hir, code, blocks, dominators: Vec::new() };
        verifier.dominators = verifier.dominators()?;
        Ok(verifier)
    }

    fn successors(&self, block: Block) -> Vec<Block> {
        let data = self.code.block(block);
        let mut end = data.end;
        end.edges().map(|edge| edge.block).chain(data.unwind.map(|edge| edge.block)).collect()
    }

    /// Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm.
    fn dominators(&self) -> Result<Vec<Block>, String> {
        let count = self.code.blocks.len();
        let (mut order, mut seen, mut stack) = (Vec::new(), vec![false; count], vec![(Block(0), 0)]);
        seen[0] = true;
        while let Some((block, at)) = stack.pop() {
            match self.successors(block).get(at) {
                None => order.push(block),
                Some(next) => {
                    stack.push((block, at + 1));
                    if next.index() >= count {
                        return fail(format!("b{} leads to no block", block.0));
                    }
                    if !std::mem::replace(&mut seen[next.index()], true) {
                        stack.push((*next, 0));
                    }
                }
            }
        }
        if let Some(block) = seen.iter().position(|seen| !seen) {
            return fail(format!("b{block} is not reached"));
        }
        let mut rank = vec![0; count];
        order.iter().enumerate().for_each(|(at, block)| rank[block.index()] = at);
        let mut before = vec![Vec::new(); count];
        for block in &order {
            self.successors(*block).iter().for_each(|next| before[next.index()].push(*block));
        }
        let mut found: Vec<Option<Block>> = vec![None; count];
        found[0] = Some(Block(0));
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in order.iter().rev().filter(|block| block.0 != 0) {
                let known = before[block.index()].iter().filter(|from| found[from.index()].is_some());
                let common = known.copied().reduce(|mut left, mut right| {
                    while left != right {
                        let lower =
                            if rank[left.index()] < rank[right.index()] { &mut left } else { &mut right };
                        *lower = found[lower.index()].unwrap_or(Block(0));
                    }
                    left
                });
                changed |= std::mem::replace(&mut found[block.index()], common) != common;
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn dominates(&self, above: Block, mut block: Block) -> bool {
        while block != above && block.0 != 0 {
            block = self.dominators[block.index()];
        }
        block == above
    }

    /// Is a value there at a place of a block? Values of a block are numbered in its order.
    fn is_there(&self, value: Value, block: Block, before: u32) -> bool {
        let Some(home) = self.blocks.get(value.index()) else { return false };
        if *home == block { value.0 < before } else { self.dominates(*home, block) }
    }

    fn check(&self) -> Result<(), String> {
        for (number, data) in (0..).zip(&self.code.blocks) {
            let block = Block(number);
            for at in data.params.clone() {
                if !matches!(self.code.op(Value(at)), Op::Param(_)) {
                    return fail(format!("v{at} is no parameter"));
                }
            }
            for at in data.body.clone() {
                self.operation(Value(at), block)?;
            }
            let mut end = data.end;
            let mut used = Vec::new();
            end.each_operand(&mut |value| used.push(*value));
            for edge in end.edges() {
                let kind = self.code.blocks[edge.block.index()].kind;
                if given_by_nobody(kind) > 0 {
                    return fail(format!("b{number} jumps to the handler b{}", edge.block.0));
                }
                if edge.block <= block && (kind != BlockKind::Loop || !self.dominates(edge.block, block)) {
                    return fail(format!("b{number} leads back to b{}, which is no loop", edge.block.0));
                }
                used.extend(self.edge(block, edge.block, edge.args)?);
            }
            if let Some(value) = used.iter().find(|value| !self.is_there(**value, block, data.body.end)) {
                return fail(format!("v{} is not there at the end of b{number}", value.0));
            }
            self.unwinding(block)?;
        }
        self.entry()
    }

    fn operation(&self, value: Value, block: Block) -> Result<(), String> {
        let data = self.code.block(block);
        let op = self.code.op(value);
        if matches!(op, Op::Param(_)) {
            return fail(format!("v{} is a parameter among operations", value.0));
        }
        if op.never_returns() && (value.0 + 1 != data.body.end || !matches!(data.end, Terminator::Never)) {
            return fail(format!("there is something behind v{}", value.0));
        }
        for operand in self.code.operands_of(value) {
            if !self.is_there(operand, block, value.0) {
                return fail(format!("v{} is not there at v{}", operand.0, value.0));
            }
        }
        match *op {
            Op::Load(cell) | Op::Store(cell, _) if !self.is_cell(cell) => {
                fail(format!("v{}, of v{}, is no cell", cell.0, value.0))
            }
            Op::Call(call) => self.block_is_last(value, call.args),
            Op::Super { args, .. } | Op::Yield(args) => self.block_is_last(value, args),
            Op::Closure { code, captures } => self.closure(value, self.hir.code(code), captures),
            _ => Ok(()),
        }
    }

    fn block_is_last(&self, value: Value, args: Args) -> Result<(), String> {
        let args = self.code.arguments(args);
        let before = args.split_last().map_or(args, |(_, before)| before);
        if before.iter().any(|arg| arg.kind == super::ArgKind::Block) {
            return fail(format!("the block of v{} is not the last argument", value.0));
        }
        Ok(())
    }

    fn closure(&self, value: Value, nested: &Code, captures: List) -> Result<(), String> {
        let given = self.code.list(captures);
        if given.len() != nested.captures.len() {
            return fail(format!("v{} does not give what the code captures", value.0));
        }
        for (given, local) in given.iter().zip(&nested.captures) {
            if self.is_cell(*given) != self.hir.locals[local.index()].is_cell {
                return fail(format!("v{} gives a cell for a value, or the other way round", value.0));
            }
        }
        Ok(())
    }

    fn is_cell(&self, value: Value) -> bool {
        match *self.code.op(value) {
            Op::Cell(..) => true,
            Op::Param(Some(local)) => {
                let first = self.code.blocks[0].params.end - self.code.captures.len() as u32;
                self.blocks[value.index()].0 == 0
                    && value.0 >= first
                    && self.hir.locals[local.index()].is_cell
            }
            _ => false,
        }
    }

    /// What an edge gives.
    fn edge(&self, from: Block, to: Block, args: List) -> Result<&[Value], String> {
        let data = self.code.block(to);
        if data.params.len() - given_by_nobody(data.kind) != args.count as usize {
            return fail(format!("b{} gives b{} the wrong number of arguments", from.0, to.0));
        }
        Ok(self.code.list(args))
    }

    fn unwinding(&self, block: Block) -> Result<(), String> {
        let data = self.code.block(block);
        if let Some(handled) = data.handling
            && !self.is_there(handled, block, data.body.start)
        {
            return fail(format!("what b{} handles is not there", block.0));
        }
        let Some(edge) = data.unwind else { return Ok(()) };
        if given_by_nobody(self.code.block(edge.block).kind) == 0 {
            return fail(format!("b{} unwinds to b{}, which is no handler", block.0, edge.block.0));
        }
        for value in self.edge(block, edge.block, edge.args)? {
            if !self.is_there(*value, block, data.body.start) {
                return fail(format!("v{} is not there where b{} unwinds", value.0, block.0));
            }
        }
        Ok(())
    }

    fn entry(&self) -> Result<(), String> {
        let params = &self.code.params;
        let positional = params.required + params.optional + u32::from(params.rest) + params.post;
        let keywords = params.keywords.len() as u32 + u32::from(params.keyword_rest);
        let others = u32::from(params.keyword_hash) + u32::from(params.block);
        let all = 1 + positional + keywords + others + self.code.captures.len() as u32;
        if self.code.blocks[0].params.len() as u32 != all {
            return fail("the entry has other parameters than the code".into());
        }
        Ok(())
    }
}
