//! From drafts to a code's flat arena: parameters and pure operations that nothing needs are dropped, blocks that only
//! follow one another become one, and all is numbered anew in the order of the text.

use super::builder::{Builder, DraftBlock};
use super::code::{Block, BlockData, BlockKind, Code, Edge, List, Terminator, Value, ValueData};
use super::op::Op;

/// Neither dropped nor numbered yet.
const UNKNOWN: u32 = u32::MAX;

pub(super) fn finish(builder: Builder) -> Code {
    let Builder { mut code, mut drafts, order, .. } = builder;
    let order = merge(&mut drafts, order, &code);
    let live = Liveness::of(&code, &drafts, &order);
    let mut renumbering = Renumbering { old: &code, live: &live, values: Vec::new(), numbers: Vec::new() };
    let (mut blocks, mut block_numbers) = (Vec::new(), vec![Block(UNKNOWN); drafts.len()]);
    renumbering.numbers = vec![Value(UNKNOWN); code.values.len()];
    for (number, block) in (0..).zip(&order) {
        block_numbers[block.index()] = Block(number);
        let draft = &drafts[block.index()];
        let params = renumbering.number(&draft.params);
        let body = renumbering.number(&draft.body);
        let (end, source, unwind) = (draft.end, draft.source, draft.unwind);
        blocks.push(BlockData {
            kind: draft.kind,
            params,
            body,
            end,
            source,
            unwind,
            handling: draft.handling,
        });
    }
    let Renumbering { mut values, numbers, .. } = renumbering;
    let operands = std::mem::take(&mut code.operands);
    let args = std::mem::take(&mut code.args);
    let mut pools = Pools { operands: &operands, numbers: &numbers, new: Vec::new() };
    for ValueData { op, .. } in &mut values {
        op.each_operand(&mut |value| *value = numbers[value.index()]);
        match op.lists() {
            (Some(list), _) => *list = pools.list(*list, |_| true),
            (_, Some(list)) => {
                let start = code.args.len() as u32;
                let list_args = &args[list.start as usize..][..list.count as usize];
                code.args.extend_from_slice(list_args);
                list.start = start;
            }
            _ => {}
        }
    }
    for block in &mut blocks {
        block.end.each_operand(&mut |value| *value = numbers[value.index()]);
        block.handling = block.handling.map(|value| numbers[value.index()]);
        for edge in block.end.edges().chain(&mut block.unwind) {
            let to = &drafts[edge.block.index()];
            let params = &to.params[given_by_nobody(to.kind)..];
            edge.args = pools.list(edge.args, |at| live.is_live(params[at]));
            edge.block = block_numbers[edge.block.index()];
        }
    }
    code.operands = pools.new;
    code.args.iter_mut().for_each(|arg| arg.value = numbers[arg.value.index()]);
    for (_, value, _) in code.syncs.iter_mut().flat_map(|sync| &mut sync.read) {
        *value = numbers[value.index()];
    }
    (code.values, code.blocks) = (values, blocks);
    code
}

/// So many first parameters of a block are not given by edges.
pub(super) const fn given_by_nobody(kind: BlockKind) -> usize {
    match kind {
        BlockKind::Plain | BlockKind::Loop => 0,
        BlockKind::Rescue | BlockKind::Ensure => 1,
    }
}

/// Blocks that are the only ones to jump to the next become one with it, where the same handler has both.
fn merge(drafts: &mut [DraftBlock], order: Vec<Block>, code: &Code) -> Vec<Block> {
    let mut ways = vec![0; drafts.len()];
    for block in &order {
        let draft = &mut drafts[block.index()];
        draft.end.edges().chain(&mut draft.unwind).for_each(|edge| ways[edge.block.index()] += 1);
    }
    let raises = |draft: &DraftBlock| draft.body.iter().any(|value| code.values[value.index()].op.raises());
    let mut merged = vec![false; drafts.len()];
    for block in order.iter().rev() {
        let Terminator::Jump(Edge { block: next, .. }) = drafts[block.index()].end else { continue };
        let (draft, to) = (&drafts[block.index()], &drafts[next.index()]);
        let plain = to.kind == BlockKind::Plain && to.params.is_empty() && ways[next.index()] == 1;
        let handler = match (draft.unwind, to.unwind) {
            (None, None) => None,
            (Some(from), Some(to))
                if from.block == to.block && code.list(from.args) == code.list(to.args) =>
            {
                Some(from)
            }
            (from, None) if !raises(to) && !matches!(to.end, Terminator::Resume(_)) => from,
            // What it gives the handler has to be there before the block.
            (None, to) if draft.body.is_empty() => to,
            _ => continue,
        };
        if !plain || draft.handling != to.handling {
            continue;
        }
        let (mut body, end, source) = (to.body.clone(), to.end, to.source);
        let draft = &mut drafts[block.index()];
        draft.body.append(&mut body);
        (draft.end, draft.source, draft.unwind) = (end, source, handler);
        merged[next.index()] = true;
    }
    order.into_iter().filter(|block| !merged[block.index()]).collect()
}

/// What is needed.
struct Liveness {
    values: Vec<bool>,
}

impl Liveness {
    fn of(code: &Code, drafts: &[DraftBlock], order: &[Block]) -> Self {
        let mut ways: Vec<Vec<List>> = vec![Vec::new(); drafts.len()];
        let mut places = vec![None; code.values.len()];
        let mut needed = Vec::new();
        for block in order {
            let mut draft = drafts[block.index()].clone();
            for edge in draft.end.edges().chain(&mut draft.unwind) {
                ways[edge.block.index()].push(edge.args);
            }
            let given = given_by_nobody(draft.kind);
            for (at, param) in draft.params.iter().enumerate() {
                match at.checked_sub(given) {
                    Some(at) if block.0 != 0 => places[param.index()] = Some((*block, at)),
                    _ => needed.push(*param),
                }
            }
            let is_needed = |value: &Value| {
                let op = code.op(*value);
                !op.is_pure() || matches!(op, Op::Closure { .. })
            };
            needed.extend(draft.body.iter().filter(|value| is_needed(value)));
            draft.end.each_operand(&mut |value| needed.push(*value));
        }
        let mut live = Self { values: vec![false; code.values.len()] };
        while let Some(value) = needed.pop() {
            if std::mem::replace(&mut live.values[value.index()], true) {
                continue;
            }
            match places[value.index()] {
                Some((block, at)) => {
                    needed.extend(ways[block.index()].iter().map(|args| code.list(*args)[at]));
                }
                None => needed.extend(code.operands_of(value)),
            }
        }
        live
    }

    fn is_live(&self, value: Value) -> bool {
        self.values[value.index()]
    }
}

struct Renumbering<'a> {
    old: &'a Code,
    live: &'a Liveness,
    values: Vec<ValueData>,
    numbers: Vec<Value>,
}

impl Renumbering<'_> {
    /// Numbers those of them that are needed; gives their range.
    fn number(&mut self, values: &[Value]) -> std::ops::Range<u32> {
        let start = self.values.len() as u32;
        for value in values.iter().filter(|value| self.live.is_live(**value)) {
            self.numbers[value.index()] = Value(self.values.len() as u32);
            self.values.push(self.old.values[value.index()]);
        }
        start..self.values.len() as u32
    }
}

struct Pools<'a> {
    operands: &'a [Value],
    numbers: &'a [Value],
    new: Vec<Value>,
}

impl Pools<'_> {
    /// The list with new numbers, of those that `keep` takes by their places.
    fn list(&mut self, list: List, keep: impl Fn(usize) -> bool) -> List {
        let start = self.new.len() as u32;
        let old = &self.operands[list.start as usize..][..list.count as usize];
        let kept = old.iter().enumerate().filter(|(at, _)| keep(*at));
        self.new.extend(kept.map(|(_, value)| self.numbers[value.index()]));
        List { start, count: self.new.len() as u32 - start }
    }
}
