//! Ways through a function: the operands of a statement, the blocks nested in it, whether control comes out of it.

use super::{Block, Buffer, Items, Label, Op, Program, Scalar, Stmt, Value};

impl Program {
    /// The number of its statements.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.functions.iter().for_each(|function| for_each(&function.body, &mut |_| size += 1));
        size
    }

    /// About how many statements an element executes: those in loops count several times.
    pub fn weight(&self) -> usize {
        const TURNS: usize = 16;
        fn of(block: &Block) -> usize {
            block.iter().fold(0usize, |sum, stmt| {
                let mut inner = 0usize;
                stmt.blocks().for_each(|block| inner = inner.saturating_add(of(block)));
                let turns = if matches!(stmt, Stmt::Loop { .. }) { TURNS } else { 1 };
                sum.saturating_add(1).saturating_add(inner.saturating_mul(turns))
            })
        }
        self.functions.iter().fold(0, |sum: usize, function| sum.saturating_add(of(&function.body)))
    }
}

impl Op {
    pub fn operands(&self) -> Vec<Value> {
        let mut operands = Vec::new();
        self.for_each_operand(|value| operands.push(value));
        operands
    }

    pub fn for_each_operand(&self, mut each: impl FnMut(Value)) {
        match self {
            Self::Bool(_)
            | Self::I32(_)
            | Self::I64(_)
            | Self::F64(_)
            | Self::Get(_)
            | Self::Scalar(_)
            | Self::Element
            | Self::Tick
            | Self::Path
            | Self::Compact { .. }
            | Self::Random => {}
            Self::Unary(_, a) | Self::Load(_, a) | Self::Group(a) => each(*a),
            Self::Match { first, asks: others, .. } | Self::Print { first, tells: others, .. } => {
                std::iter::once(first).chain(others).copied().for_each(each);
            }
            Self::Intrinsic { texts, args, .. } => {
                texts.iter().map(|(_, first)| first).chain(args).copied().for_each(each);
            }
            Self::Append { count, kept, .. } => {
                std::iter::once(count).chain(kept.iter().flatten()).copied().for_each(each);
            }
            Self::Binary(_, a, b) | Self::Compare(_, a, b) => [*a, *b].into_iter().for_each(each),
            Self::Select(condition, a, b) => [*condition, *a, *b].into_iter().for_each(each),
            Self::Watch { row, me, .. } => [*row, *me].into_iter().for_each(each),
            Self::Claim { count, .. } | Self::Lengthen { count, .. } => each(*count),
            Self::Math(_, args) => args.iter().copied().for_each(each),
            Self::WideMod(args) => args.iter().copied().for_each(each),
        }
    }

    pub fn for_each_operand_mut(&mut self, mut each: impl FnMut(&mut Value)) {
        match self {
            Self::Bool(_)
            | Self::I32(_)
            | Self::I64(_)
            | Self::F64(_)
            | Self::Get(_)
            | Self::Scalar(_)
            | Self::Element
            | Self::Tick
            | Self::Path
            | Self::Compact { .. }
            | Self::Random => {}
            Self::Unary(_, a) | Self::Load(_, a) | Self::Group(a) => each(a),
            Self::Match { first, asks: others, .. } | Self::Print { first, tells: others, .. } => {
                std::iter::once(first).chain(others).for_each(each);
            }
            Self::Intrinsic { texts, args, .. } => {
                texts.iter_mut().map(|(_, first)| first).chain(args).for_each(each);
            }
            Self::Append { count, kept, .. } => {
                std::iter::once(count).chain(kept.iter_mut().flatten()).for_each(each);
            }
            Self::Binary(_, a, b) | Self::Compare(_, a, b) => {
                each(a);
                each(b);
            }
            Self::Select(condition, a, b) => {
                each(condition);
                each(a);
                each(b);
            }
            Self::Math(_, args) => args.iter_mut().for_each(each),
            Self::WideMod(args) => args.iter_mut().for_each(each),
            Self::Claim { count, .. } | Self::Lengthen { count, .. } => each(count),
            Self::Watch { row, me, .. } => {
                each(row);
                each(me);
            }
        }
    }
}

impl Stmt {
    /// What the statement itself uses, without what its nested blocks do.
    pub fn operands(&self) -> Vec<Value> {
        let mut operands = Vec::new();
        self.for_each_operand(|value| operands.push(value));
        operands
    }

    pub fn for_each_operand(&self, mut each: impl FnMut(Value)) {
        match self {
            Self::Let { op, .. } => op.for_each_operand(each),
            Self::Set(_, value)
            | Self::Tick(value)
            | Self::Path(value)
            | Self::Assign(_, value)
            | Self::Over { count: value, .. }
            | Self::Launch { ticks: Some(value), .. }
            | Self::Reduce { from: value, .. } => each(*value),
            Self::Copy { first, count, .. } | Self::Progress { done: first, total: count } => {
                [*first, *count].into_iter().for_each(each);
            }
            Self::Store { index, value, .. } => [*index, *value].into_iter().for_each(each),
            Self::If { condition, .. } => each(*condition),
            Self::Loop { .. }
            | Self::Block { .. }
            | Self::Break(_)
            | Self::Continue(_)
            | Self::Sync(_)
            | Self::Launch { ticks: None, .. } => {}
            Self::Check { condition, operands, .. } => {
                each(*condition);
                operands.iter().copied().for_each(each);
            }
            Self::Fail { operands: values, .. }
            | Self::Call { args: values, .. }
            | Self::Defer { args: values, .. }
            | Self::Return(values) => {
                values.iter().copied().for_each(each);
            }
        }
    }

    /// As [`Stmt::operands`], to change them.
    pub fn for_each_operand_mut(&mut self, mut each: impl FnMut(&mut Value)) {
        match self {
            Self::Let { op, .. } => op.for_each_operand_mut(each),
            Self::Set(_, value)
            | Self::Tick(value)
            | Self::Path(value)
            | Self::Assign(_, value)
            | Self::Over { count: value, .. }
            | Self::Launch { ticks: Some(value), .. }
            | Self::Reduce { from: value, .. } => each(value),
            Self::Copy { first, count, .. } | Self::Progress { done: first, total: count } => {
                each(first);
                each(count);
            }
            Self::Store { index, value, .. } => {
                each(index);
                each(value);
            }
            Self::If { condition, .. } => each(condition),
            Self::Loop { .. }
            | Self::Block { .. }
            | Self::Break(_)
            | Self::Continue(_)
            | Self::Sync(_)
            | Self::Launch { ticks: None, .. } => {}
            Self::Check { condition, operands, .. } => {
                each(condition);
                operands.iter_mut().for_each(each);
            }
            Self::Fail { operands: values, .. }
            | Self::Call { args: values, .. }
            | Self::Defer { args: values, .. }
            | Self::Return(values) => {
                values.iter_mut().for_each(each);
            }
        }
    }

    /// The buffers that the statement itself touches.
    pub fn for_each_buffer(&self, mut each: impl FnMut(Buffer)) {
        match self {
            Self::Let {
                op:
                    Op::Load(buffer, _)
                    | Op::Watch { marks: buffer, .. }
                    | Op::Claim { ends: buffer, .. }
                    | Op::Lengthen { buffer, .. }
                    | Op::Match { words: buffer, .. }
                    | Op::Print { words: buffer, .. },
                ..
            }
            | Self::Store { buffer, .. } => each(*buffer),
            Self::Let { op: Op::Intrinsic { texts, .. }, .. } => {
                texts.iter().for_each(|(words, _)| each(*words))
            }
            Self::Let { op: Op::Compact { flags, indices }, .. } => {
                [*flags, *indices].into_iter().for_each(each)
            }
            Self::Let { op: Op::Append { from, given, into, .. }, .. } => {
                let items = [from.payload, from.tag, *given, into.items.payload, into.items.tag];
                items.into_iter().flatten().chain([into.offset, into.length]).for_each(each);
            }
            Self::Over { own, first_same, sized, .. } => {
                let own = own.iter().flat_map(|own| [own.payload, own.tag]).flatten();
                own.chain(*first_same).chain(sized.iter().copied()).for_each(each);
            }
            Self::Copy { from, into, .. } => [*from, *into].into_iter().for_each(each),
            Self::Reduce { column, given, .. } => {
                [Some(*column), *given].into_iter().flatten().for_each(each)
            }
            _ => {}
        }
    }

    /// As [`Stmt::for_each_buffer`], to change them.
    pub fn for_each_buffer_mut(&mut self, mut each: impl FnMut(&mut Buffer)) {
        match self {
            Self::Let {
                op:
                    Op::Load(buffer, _)
                    | Op::Watch { marks: buffer, .. }
                    | Op::Claim { ends: buffer, .. }
                    | Op::Lengthen { buffer, .. }
                    | Op::Match { words: buffer, .. }
                    | Op::Print { words: buffer, .. },
                ..
            }
            | Self::Store { buffer, .. } => each(buffer),
            Self::Let { op: Op::Intrinsic { texts, .. }, .. } => {
                texts.iter_mut().for_each(|(words, _)| each(words))
            }
            Self::Let { op: Op::Compact { flags, indices }, .. } => {
                [flags, indices].into_iter().for_each(each)
            }
            Self::Let { op: Op::Append { from, given, into, .. }, .. } => {
                let Items { payload, tag } = &mut into.items;
                let items = [&mut from.payload, &mut from.tag, given, payload, tag];
                let items = items.into_iter().flatten();
                items.chain([&mut into.offset, &mut into.length]).for_each(each);
            }
            Self::Over { own, first_same, sized, .. } => {
                let own = own.iter_mut().flat_map(|own| [&mut own.payload, &mut own.tag]).flatten();
                own.chain(first_same).chain(sized).for_each(each);
            }
            Self::Copy { from, into, .. } => [from, into].into_iter().for_each(each),
            Self::Reduce { column, given, .. } => {
                each(column);
                given.iter_mut().for_each(each);
            }
            _ => {}
        }
    }

    /// The scalar that the statement reads or sets.
    pub fn scalar_mut(&mut self) -> Option<&mut Scalar> {
        match self {
            Self::Let { op: Op::Scalar(scalar), .. } | Self::Assign(scalar, _) => Some(scalar),
            _ => None,
        }
    }

    /// The values that the statement itself defines.
    pub fn definitions(&self) -> &[Value] {
        match self {
            Self::Let { value, .. } => std::slice::from_ref(value),
            Self::Call { results, .. } => results,
            Self::Reduce { results, .. } => results,
            _ => &[],
        }
    }

    /// The blocks directly in the statement.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let (first, second) = match self {
            Self::If { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Self::Loop { body, .. } | Self::Block { body, .. } => (Some(body), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        let (first, second) = match self {
            Self::If { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Self::Loop { body, .. } | Self::Block { body, .. } => (Some(body), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Nothing may stand after it in its block.
    pub const fn is_terminator(&self) -> bool {
        matches!(self, Self::Break(_) | Self::Continue(_) | Self::Return(_) | Self::Fail { .. })
    }

    /// Control may reach the next statement.
    pub fn completes(&self) -> bool {
        match self {
            Self::If { then, otherwise, .. } => completes(then) || completes(otherwise),
            Self::Loop { label, body } => breaks_to(body, *label),
            Self::Block { label, body } => completes(body) || breaks_to(body, *label),
            _ => !self.is_terminator(),
        }
    }
}

/// Control may reach the end of the block.
pub fn completes(block: &[Stmt]) -> bool {
    block.iter().all(Stmt::completes)
}

/// Some `Break` in the block, however deep, leaves `label`.
pub fn breaks_to(block: &Block, label: Label) -> bool {
    any(block, &mut |stmt| *stmt == Stmt::Break(label))
}

/// Some statement of the block, however deep, is such a one.
pub fn any(block: &[Stmt], is: &mut impl FnMut(&Stmt) -> bool) -> bool {
    block.iter().any(|stmt| is(stmt) || stmt.blocks().any(|inner| any(inner, is)))
}

/// May a loop with this body run for long? That over the ticks is cut into slices by who launches it.
pub fn may_run_long(body: &Block) -> bool {
    !any(body, &mut |stmt| matches!(stmt, Stmt::Tick(_)))
}

/// Every statement of the block, however deep, before those inside it.
pub fn for_each(block: &[Stmt], each: &mut impl FnMut(&Stmt)) {
    for stmt in block {
        each(stmt);
        for inner in stmt.blocks() {
            for_each(inner, each);
        }
    }
}

/// As [`for_each`], to change the statements.
pub fn for_each_mut(block: &mut [Stmt], each: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        each(stmt);
        for inner in stmt.blocks_mut() {
            for_each_mut(inner, each);
        }
    }
}
