//! Takes changes out of elements that hang on nothing but what is there and what the element gives: `histogram[bin] +=
//! 1`, `item.category.total += item.price`, `best[k] = x if x < best[k]`.
//!
//! Or on even less: `seen[i] = true`, of which the last one counts.
//!
//! If a watched column (or variable, or the items of arrays) is touched in such *changes* only, in which an element
//! reads a row, makes something of it and writes the same row, and nothing else comes to know what it has read, then
//! elements need not wait for each other to have the sequential answer: what each gives is written down, and put
//! together afterwards, row by row in the order of the elements ([`Stmt::Defer`]). So the column need not be watched.
//!
//! ```text
//! v5 = load b1[v4]                 v8 = bits_to_i64 v6
//! v7 = add_f v5, v6                defer f1(v4, v8)
//! store b1[v4] = v7
//!                                  fn f1 (v0: i32, v1: i64) {
//!                                    v2 = bits_to_f64 v1
//!                                    v3 = load b1[v0]
//!                                    v4 = add_f v3, v2
//!                                    store b1[v0] = v4
//!                                  }
//! ```
//!
//! The row that a change begins with is that of all of it. `array[index]` reads item 0 where the index is out of range,
//! to write the item itself where a check has passed: where they differ, a check fails.
//!
//! It is found in the IR, so it does not matter how Ruby said it: with `op=`, through accessors and methods, with a
//! condition, over tag and payload of a union. What other kernels of the section do with the column does not matter,
//! since all calls are made before the launch ends; but a function that changes it for one kernel, and is called by
//! another that also looks at it, keeps both watched.
//!
//! Calls for one row are made in the order of the elements, and of an element in its own; so sums of Floats are Ruby's
//! bit for bit, and any operation will do. Calls for different rows are made at the same time. A call may fail
//! (Integers beyond 64 bits, NaN where there is a comparison), and so may an element that sequential Ruby would not
//! have come to: then the run ends with `Outcome::Conflict`, and begins again in order, by the program as it was before
//! (`Program::plain`), where the first error is the one that Ruby raises.

use super::{eliminate, unwatch};
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::effects::{Effects, effects};
use crate::ir::walk::{any, for_each, for_each_mut};
use crate::ir::{
    BinaryOp, Block, Buffer, BufferKind, Comparison, FuncId, Function, Label, Op, Program, Scalar,
    ScalarSource, Stmt, UnaryOp, Value, ValueData, Var, Watched,
};
use crate::scalar::{Interval, Ty};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// A call takes no more arguments, which are written to memory.
const MOST_ARGUMENTS: usize = 12;
/// How deep indices are compared.
const DEPTH: usize = 8;

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    let watched: BTreeSet<Watched> = program
        .buffers
        .iter()
        .filter_map(|buffer| match &buffer.kind {
            BufferKind::Marks(what) => Some(what.clone()),
            _ => None,
        })
        .collect();
    if watched.is_empty() {
        return Ok(());
    }
    let mut plain = program.clone();
    let mut changed = false;
    let mut facts = Facts::new(program);
    for what in watched {
        token.check()?;
        let deferring = defer(program, &what, &facts);
        if deferring.is_empty() {
            continue;
        }
        changed = true;
        facts = Facts::new(program);
        for FuncId(number) in deferring {
            unwatch::function(&mut plain.functions[number as usize].body, &plain.sites, Some(&what));
        }
    }
    if changed {
        // Both with the same buffers.
        for program in [&mut *program, &mut plain] {
            eliminate::run(program, token)?;
            forget_unused(program);
        }
        program.plain = Some(Box::new(plain));
    }
    Ok(())
}

/// What is known of all functions: what they touch with all that they call, and what they themselves load and store.
struct Facts {
    effects: Vec<Effects>,
    loads: Vec<FxHashSet<Buffer>>,
    stores: Vec<FxHashSet<Buffer>>,
}

impl Facts {
    fn new(program: &Program) -> Self {
        let count = program.functions.len();
        let (mut loads, mut stores) = (vec![FxHashSet::default(); count], vec![FxHashSet::default(); count]);
        for (number, function) in program.functions.iter().enumerate() {
            for_each(&function.body, &mut |stmt| match stmt {
                Stmt::Let { op: Op::Load(buffer, _), .. } => {
                    loads[number].insert(*buffer);
                }
                Stmt::Store { buffer, .. } => {
                    stores[number].insert(*buffer);
                }
                _ => {}
            });
        }
        Self { effects: effects(program), loads, stores }
    }
}

/// Is it what is watched so?
fn is_part(what: &Watched, kind: &BufferKind) -> bool {
    match (what, kind) {
        (Watched::Column { hierarchy, name }, BufferKind::Column { hierarchy: h, name: n, .. }) => {
            hierarchy == h && name == n
        }
        (Watched::Arrays(kind), BufferKind::ArrayValues(k, _)) => kind == k,
        (Watched::Variable(number), BufferKind::Variable(n, _) | BufferKind::Assigned(n)) => number == n,
        _ => false,
    }
}

/// Takes all changes of one thing out, in kernels that touch it in no other way; gives the functions that had them.
fn defer(program: &mut Program, what: &Watched, facts: &Facts) -> BTreeSet<FuncId> {
    let buffers = (0..).map(Buffer).zip(&program.buffers);
    let group: BTreeSet<Buffer> =
        buffers.filter(|(_, info)| is_part(what, &info.kind)).map(|(buffer, _)| buffer).collect();
    let mut finder = Finder { program, group, facts, changes: Vec::new() };
    let deferring = finder.deferring(what);
    finder.changes.clear();
    let mut functions = program.functions.clone();
    for function in &deferring {
        let Some(without) = finder.function(*function, what) else { return BTreeSet::new() };
        functions[function.0 as usize] = without;
    }
    let changes = finder.changes;
    // Mere writes to arrays that may be the element's own are cheaper watched, as then arrays are watched as wholes.
    if !changes.iter().any(|change| change.reads) && !changes.iter().all(|change| change.is_shared) {
        return BTreeSet::new();
    }
    let most = changes.iter().map(|change| change.given.len()).max().unwrap_or(0);
    let arguments = 1 + usize::from(changes.len() > 1) + most;
    if changes.is_empty() || arguments > MOST_ARGUMENTS {
        return BTreeSet::new();
    }
    let first = program.functions.len() as u32;
    for function in &deferring {
        let function = &mut functions[function.0 as usize];
        let (mut body, values) = (std::mem::take(&mut function.body), &mut function.values);
        complete(&mut body, values, &changes, (first, arguments));
        function.body = body;
    }
    let deferred = compose(&changes, arguments);
    program.functions = functions;
    program.functions.push(deferred);
    deferring
}

/// A change, with the names that it has in the function where it was found.
struct Change {
    /// That, with nothing else in it.
    function: Function,
    /// It is no mere write.
    reads: bool,
    /// The row may well be one that others change too.
    is_shared: bool,
    /// What it is given.
    given: Vec<(Value, ValueData)>,
    /// What it can find out itself: constants and kernel arguments.
    known: Vec<(Value, Op, ValueData)>,
}

struct Finder<'a> {
    program: &'a Program,
    group: BTreeSet<Buffer>,
    facts: &'a Facts,
    changes: Vec<Change>,
}

/// What is known of the function that is looked at.
struct Known {
    data: Vec<ValueData>,
    definitions: Vec<Option<Op>>,
    uses: Vec<u32>,
    var_uses: BTreeMap<Var, u32>,
}

impl Known {
    fn new(function: &Function) -> Self {
        let mut known = Self {
            data: function.values.clone(),
            definitions: vec![None; function.values.len()],
            uses: vec![0; function.values.len()],
            var_uses: BTreeMap::new(),
        };
        for_each(&function.body, &mut |stmt| {
            stmt.for_each_operand(|value| known.uses[value.0 as usize] += 1);
            if let Some(var) = var_of(stmt) {
                *known.var_uses.entry(var).or_default() += 1;
            }
            if let Stmt::Let { value, op, .. } = stmt {
                known.definitions[value.0 as usize] = Some(op.clone());
            }
        });
        known
    }

    fn definition(&self, value: Value) -> Option<&Op> {
        self.definitions[value.0 as usize].as_ref()
    }
}

/// The labels of the statements, however deep.
fn labels(statements: &[Stmt]) -> BTreeSet<Label> {
    let mut labels = BTreeSet::new();
    for_each(statements, &mut |stmt| {
        if let Stmt::Block { label, .. } | Stmt::Loop { label, .. } = stmt {
            labels.insert(*label);
        }
    });
    labels
}

/// The variable that is read or set.
const fn var_of(stmt: &Stmt) -> Option<Var> {
    match stmt {
        Stmt::Set(var, _) | Stmt::Let { op: Op::Get(var), .. } => Some(*var),
        _ => None,
    }
}

impl Finder<'_> {
    /// The functions of kernels that have changes, where all that a kernel calls touches the group in no other way, and
    /// nothing else calls them.
    fn deferring(&mut self, what: &Watched) -> BTreeSet<FuncId> {
        let entries =
            self.program.kernels.iter().map(|kernel| kernel.entries.iter().map(|entry| entry.function));
        let kernels: Vec<_> = entries.map(|entries| self.program.called_from(entries)).collect();
        let all: BTreeSet<FuncId> = kernels.iter().flatten().copied().collect();
        let has = |buffers: &FxHashSet<Buffer>| self.group.iter().any(|buffer| buffers.contains(buffer));
        let stores = |FuncId(number): &FuncId| has(&self.facts.stores[*number as usize]);
        let loads = |FuncId(number): &FuncId| has(&self.facts.loads[*number as usize]);
        // What only reads is no change.
        let touching = all.iter().filter(|f| !stores(f) && loads(f) || self.moves(**f, what));
        let touching: BTreeSet<FuncId> = touching.copied().collect();
        let mut candidates: BTreeSet<FuncId> = all.into_iter().filter(|f| stores(f)).collect();
        let others = self.others(&kernels, &touching, &candidates);
        candidates.retain(|function| !others.contains(function));
        let (mut changing, mut touching) = (BTreeSet::new(), touching);
        for function in candidates {
            let known = self.changes.len();
            if self.function(function, what).is_none() {
                touching.insert(function);
            } else if self.changes.len() > known {
                changing.insert(function);
            }
        }
        let others = self.others(&kernels, &touching, &changing);
        changing.difference(&others).copied().collect()
    }

    /// The functions of kernels that touch the group otherwise, or change what those touch.
    fn others(
        &self,
        kernels: &[BTreeSet<FuncId>],
        touching: &BTreeSet<FuncId>,
        changing: &BTreeSet<FuncId>,
    ) -> BTreeSet<FuncId> {
        // What the driver does, it does when elements have run; but it may call what they call.
        let mut others = self.program.drivers();
        loop {
            let known = others.len();
            for calls in kernels {
                let is_other = |function: &FuncId| {
                    touching.contains(function) || changing.contains(function) && others.contains(function)
                };
                if calls.iter().any(is_other) {
                    others.extend(calls);
                }
            }
            if others.len() == known {
                return others;
            }
        }
    }

    /// Does it change the lengths of such arrays? Their rows are not the same later.
    fn moves(&self, function: FuncId, what: &Watched) -> bool {
        let Watched::Arrays(kind) = what else { return false };
        let is_length = |buffer: Buffer| {
            let info = &self.program.buffers[buffer.0 as usize];
            info.kind == BufferKind::ArrayLength(*kind)
        };
        let logs = &self.program.settling.logs;
        logs.values().any(|log| is_length(log.into.length))
            || any(
                &self.program.functions[function.0 as usize].body,
                &mut |stmt| matches!(stmt, Stmt::Store { buffer, .. } if is_length(*buffer)),
            )
    }

    /// The function without its changes; `None` if it touches the group in another way.
    fn function(&mut self, FuncId(index): FuncId, what: &Watched) -> Option<Function> {
        let mut function = self.program.functions[index as usize].clone();
        unwatch::function(&mut function.body, &self.program.sites, Some(what));
        eliminate::function(&mut function, &CancellationToken::default()).ok()?;
        let known = Known::new(&function);
        let mut body = std::mem::take(&mut function.body);
        self.block((&known, &function), &mut body)?;
        Some(Function { body, ..function })
    }

    fn block(&mut self, known: (&Known, &Function), block: &mut Block) -> Option<()> {
        let mut at = 0;
        while at < block.len() {
            if self.index(&block[at]).is_some() {
                at = self.take(known, block, at)?;
                continue;
            }
            for inner in block[at].blocks_mut() {
                self.block(known, inner)?;
            }
            at += 1;
        }
        Some(())
    }

    /// Where a statement itself touches the group.
    fn index(&self, stmt: &Stmt) -> Option<Value> {
        match stmt {
            Stmt::Let { op: Op::Load(buffer, index), .. } | Stmt::Store { buffer, index, .. } => {
                self.group.contains(buffer).then_some(*index)
            }
            _ => None,
        }
    }

    /// Takes the change out that begins at `at`, and gives where it goes on.
    fn take(&mut self, (known, origin): (&Known, &Function), block: &mut Block, at: usize) -> Option<usize> {
        let row = self.index(&block[at])?;
        let mut own: BTreeSet<Value> = BTreeSet::new();
        let mut vars: BTreeSet<Var> = BTreeSet::new();
        let (mut members, mut written, mut ended) = (Vec::new(), false, false);
        for (i, stmt) in block.iter().enumerate().skip(at) {
            // What is read once something was written begins another change.
            let is_write = matches!(stmt, Stmt::Store { .. });
            let same = |index| !ended && (is_write || !written) && self.is_same_row(known, index, row, DEPTH);
            let belongs = self.index(stmt).is_some_and(same)
                || any(std::slice::from_ref(stmt), &mut |stmt| {
                    stmt.operands().iter().any(|value| own.contains(value))
                        || var_of(stmt).is_some_and(|var| vars.contains(&var))
                });
            if !belongs {
                ended |= any(std::slice::from_ref(stmt), &mut |stmt| self.index(stmt).is_some());
                continue;
            }
            members.push(i);
            written |= any(std::slice::from_ref(stmt), &mut |stmt| matches!(stmt, Stmt::Store { .. }));
            for_each(std::slice::from_ref(stmt), &mut |stmt| {
                own.extend(stmt.definitions());
                if let Stmt::Set(var, _) = stmt {
                    vars.insert(*var);
                }
            });
        }
        let last = *members.last()?;
        let labels = members.iter().flat_map(|i| labels(std::slice::from_ref(&block[*i]))).collect();
        let context = Context { finder: self, known, row, own: &own, vars: &vars, labels: &labels };
        let between = (at..=last).filter(|i| !members.contains(i));
        let fits = members.iter().all(|i| context.allows(&block[*i], false))
            && between.into_iter().all(|i| self.is_apart(&block[i]));
        if !fits {
            return None;
        }
        let statements: Block = members.iter().map(|i| block[*i].clone()).collect();
        let change = self.change((known, origin), row, statements, &own, &vars)?;
        let mut args = vec![row];
        args.extend(change.given.iter().map(|(value, _)| *value));
        let function = FuncId((self.program.functions.len() + self.changes.len()) as u32);
        self.changes.push(change);
        block[last] = Stmt::Defer { function, args };
        members.pop();
        for i in members.iter().rev() {
            block.remove(*i);
        }
        Some(last - members.len() + 1)
    }

    /// May it stay between the statements of a change?
    fn is_apart(&self, stmt: &Stmt) -> bool {
        let labels = labels(std::slice::from_ref(stmt));
        !any(std::slice::from_ref(stmt), &mut |stmt| match stmt {
            Stmt::Break(label) | Stmt::Continue(label) => !labels.contains(label),
            Stmt::Return(_) => true,
            Stmt::Call { function, .. } | Stmt::Defer { function, .. } => {
                let effects = self.facts.effects.get(function.0 as usize);
                effects.is_none_or(|effects| self.group.iter().any(|buffer| effects.touches(*buffer)))
            }
            _ => self.index(stmt).is_some(),
        })
    }

    /// What the statements need, if nobody else needs what is theirs.
    fn change(
        &self,
        (known, origin): (&Known, &Function),
        row: Value,
        statements: Block,
        own: &BTreeSet<Value>,
        vars: &BTreeSet<Var>,
    ) -> Option<Change> {
        let mut uses: BTreeMap<Value, u32> = BTreeMap::new();
        let mut var_uses: BTreeMap<Var, u32> = BTreeMap::new();
        let (mut reads, mut writes) = (false, false);
        for_each(&statements, &mut |stmt| {
            reads |= self.index(stmt).is_some() && matches!(stmt, Stmt::Let { .. });
            writes |= matches!(stmt, Stmt::Store { .. });
            if let Some(var) = var_of(stmt) {
                *var_uses.entry(var).or_default() += 1;
            }
            stmt.for_each_operand(|value| *uses.entry(value).or_default() += 1);
        });
        let is_own = |value: &Value| known.uses[value.0 as usize] == uses.get(value).copied().unwrap_or(0);
        if !writes || !own.iter().all(is_own) || vars.iter().any(|var| known.var_uses[var] != var_uses[var]) {
            return None;
        }
        let mut function = Function { body: statements, ..origin.clone() };
        for_each_mut(&mut function.body, &mut |stmt| {
            if let Stmt::Let { op: Op::Load(buffer, index), .. } | Stmt::Store { buffer, index, .. } = stmt
                && self.group.contains(buffer)
            {
                *index = row;
            }
        });
        // What the other indices were made of.
        eliminate::function(&mut function, &CancellationToken::default()).ok()?;
        let (mut given, mut found, mut seen) = (Vec::new(), Vec::new(), own.clone());
        for_each(&function.body, &mut |stmt| {
            let mut is_row = self.index(stmt).is_some();
            stmt.for_each_operand(|value| {
                // The first operand of a load or store is where.
                if std::mem::take(&mut is_row) || !seen.insert(value) {
                    return;
                }
                let data = known.data[value.0 as usize];
                match known.definition(value) {
                    Some(op @ (Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_) | Op::Scalar(_))) => {
                        found.push((value, op.clone(), data));
                    }
                    _ => given.push((value, data)),
                }
            });
        });
        let is_shared = self.is_shared(known, row);
        Some(Change { function, reads, is_shared, given, known: found })
    }

    /// Is it an item of an array that all elements have, or no item at all?
    fn is_shared(&self, known: &Known, row: Value) -> bool {
        let kind = |buffer: &Buffer| &self.program.buffers[buffer.0 as usize].kind;
        if !self.group.iter().any(|buffer| matches!(kind(buffer), BufferKind::ArrayValues(..))) {
            return true;
        }
        let offset = match known.definition(row) {
            Some(Op::Binary(BinaryOp::Add, offset, _)) => *offset,
            _ => row,
        };
        matches!(known.definition(offset), Some(Op::Load(buffer, array))
            if matches!(kind(buffer), BufferKind::ArrayOffset(_))
                && matches!(known.definition(*array), Some(Op::Scalar(_))))
    }

    /// Is `index`, where it is used, the row that the change began with?
    fn is_same_row(&self, known: &Known, index: Value, row: Value, depth: usize) -> bool {
        if self.is_equal(known, index, row, depth) {
            return true;
        }
        // `offset + index`, where the row is `offset + (index < length ? index : 0)`.
        let (Some(Op::Binary(BinaryOp::Add, a, i)), Some(Op::Binary(BinaryOp::Add, b, j))) =
            (known.definition(index), known.definition(row))
        else {
            return false;
        };
        let Some(Op::Unary(UnaryOp::WrapI64, j)) = known.definition(*j) else { return false };
        let Some(Op::Select(condition, chosen, _)) = known.definition(*j) else { return false };
        let Some(Op::Compare(Comparison::LtU, compared, _)) = known.definition(*condition) else {
            return false;
        };
        let is_it = |wide: Value| match known.definition(*i) {
            _ if matches!(known.definition(wide), Some(Op::Unary(UnaryOp::ExtendI32, narrow)) if narrow == i) => {
                true
            }
            Some(Op::Unary(UnaryOp::WrapI64, i)) => self.is_equal(known, *i, wide, depth),
            Some(Op::I32(number)) => known.definition(wide) == Some(&Op::I64(i64::from(*number))),
            _ => false,
        };
        self.is_equal(known, *a, *b, depth) && is_it(*chosen) && is_it(*compared)
    }

    /// Are two values the same, wherever both are known?
    fn is_equal(&self, known: &Known, a: Value, b: Value, depth: usize) -> bool {
        if a == b {
            return true;
        }
        let (Some(x), Some(y)) = (known.definition(a), known.definition(b)) else { return false };
        let stays = match x {
            Op::Load(buffer, _) => !self.program.buffers[buffer.0 as usize].written,
            Op::Get(_)
            | Op::Tick
            | Op::Path
            | Op::Random
            | Op::Watch { .. }
            | Op::Claim { .. }
            | Op::Match { .. }
            | Op::Print { .. }
            | Op::Intrinsic { .. }
            | Op::Group(_) => false,
            _ => true,
        };
        let mut first = x.clone();
        let others = y.operands();
        let mut others = others.iter();
        let mut equal = stays && depth > 0 && x.operands().len() == others.len();
        first.for_each_operand_mut(|value| {
            if let Some(other) = others.next() {
                equal = equal && self.is_equal(known, *value, *other, depth - 1);
                *value = *other;
            }
        });
        equal && first == *y
    }
}

/// What the statements of a change are looked at with.
struct Context<'a> {
    finder: &'a Finder<'a>,
    known: &'a Known,
    row: Value,
    own: &'a BTreeSet<Value>,
    vars: &'a BTreeSet<Var>,
    labels: &'a BTreeSet<Label>,
}

impl Context<'_> {
    /// Can it be done later? `guarded`: it is reached only where what was read says so.
    fn allows(&self, stmt: &Stmt, guarded: bool) -> bool {
        let all = |block: &Block, guarded| block.iter().all(|stmt| self.allows(stmt, guarded));
        if let Some(index) = self.finder.index(stmt) {
            return self.finder.is_same_row(self.known, index, self.row, DEPTH);
        }
        match stmt {
            Stmt::Let { op, .. } => match op {
                Op::Load(buffer, _) => !self.finder.program.buffers[buffer.0 as usize].written,
                // Where else it is set is not known later.
                Op::Get(var) => self.vars.contains(var),
                Op::Random
                | Op::Watch { .. }
                | Op::Claim { .. }
                | Op::Match { .. }
                | Op::Print { .. }
                | Op::Intrinsic { .. }
                | Op::Group(_)
                | Op::Element
                | Op::Tick
                | Op::Path => false,
                _ => true,
            },
            Stmt::Set(..) => true,
            Stmt::If { condition, then, otherwise } => {
                let guarded = guarded || self.own.contains(condition);
                all(then, guarded) && all(otherwise, guarded)
            }
            Stmt::Block { body, .. } => all(body, guarded),
            Stmt::Break(label) => self.labels.contains(label),
            // What follows may rely on it.
            Stmt::Check { condition, .. } => guarded || self.own.contains(condition),
            Stmt::Fail { .. } => guarded,
            _ => false,
        }
    }
}

/// Gives what was deferred its function and its arguments, as words.
fn complete(
    block: &mut Block,
    values: &mut Vec<ValueData>,
    changes: &[Change],
    (first, arguments): (u32, usize),
) {
    let mut at = 0;
    while at < block.len() {
        for inner in block[at].blocks_mut() {
            complete(inner, values, changes, (first, arguments));
        }
        at += 1;
        let Stmt::Defer { function, args } = &mut block[at - 1] else { continue };
        let Some(number) = function.0.checked_sub(first).filter(|n| (*n as usize) < changes.len()) else {
            continue;
        };
        *function = FuncId(first);
        let mut before = Vec::new();
        let mut word = |op, interval| {
            let value = Value(values.len() as u32);
            values.push(ValueData::new(Ty::I64, interval));
            before.push(Stmt::Let { value, op, site: None });
            value
        };
        let given = std::mem::take(args);
        args.push(given[0]);
        if changes.len() > 1 {
            args.push(word(Op::I64(i64::from(number)), Interval::constant(i64::from(number))));
        }
        for (value, data) in
            given[1..].iter().zip(&changes[number as usize].given).map(|(v, (_, data))| (*v, data))
        {
            args.push(match data.ty {
                Ty::I64 => value,
                Ty::F64 => word(Op::Unary(UnaryOp::BitsToI64, value), Interval::FULL),
                Ty::I32 => word(Op::Unary(UnaryOp::ExtendI32, value), data.interval),
                Ty::Bool => word(Op::Unary(UnaryOp::BoolToI64, value), Interval { low: 0, high: 1 }),
            });
        }
        while args.len() < arguments {
            args.push(word(Op::I64(0), Interval::constant(0)));
        }
        let count = before.len();
        block.splice(at - 1..at - 1, before);
        at += count;
    }
}

/// The function of all changes of a group: row, which of the changes, what it is given.
fn compose(changes: &[Change], arguments: usize) -> Function {
    let mut params = vec![Ty::I64; arguments];
    params[0] = Ty::I32;
    let data = |ty: Ty| ValueData::new(ty, ty.full_interval());
    let mut function = Function {
        name: "deferred".into(),
        values: params.iter().map(|ty| data(*ty)).collect(),
        params,
        ..Function::default()
    };
    let mut bodies = Vec::new();
    for change in changes {
        let first = if changes.len() > 1 { 2 } else { 1 };
        bodies.push(instance(&mut function, change, first));
    }
    let mut bodies = bodies.into_iter().enumerate().rev();
    let mut body = bodies.next().map(|(_, body)| body).unwrap_or_default();
    for (number, then) in bodies {
        let (wanted, is_it) = (Value(function.values.len() as u32), Value(function.values.len() as u32 + 1));
        let interval = Interval::constant(number as i64);
        function.values.extend([ValueData::new(Ty::I64, interval), data(Ty::Bool)]);
        let same = Op::Compare(Comparison::Eq, Value(1), wanted);
        body = vec![
            Stmt::Let { value: wanted, op: Op::I64(number as i64), site: None },
            Stmt::Let { value: is_it, op: same, site: None },
            Stmt::If { condition: is_it, then, otherwise: body },
        ];
    }
    function.body = body;
    function
}

/// The statements of a change with the names of the function that they go into.
fn instance(function: &mut Function, change: &Change, first: u32) -> Block {
    let origin = &change.function;
    let mut body = Vec::new();
    let mut names: BTreeMap<Value, Value> = BTreeMap::new();
    let no_name = Value(u32::MAX);
    let mut define = |function: &mut Function, old: Value, op: Op, data: ValueData| {
        let value = Value(function.values.len() as u32);
        function.values.push(data);
        names.insert(old, value);
        body.push(Stmt::Let { value, op, site: None });
        value
    };
    let zero = ValueData::new(Ty::I64, Interval::constant(0));
    let zero = define(function, no_name, Op::I64(0), zero);
    for (word, (old, data)) in (first..).map(Value).zip(&change.given) {
        let op = match data.ty {
            Ty::F64 => Op::Unary(UnaryOp::BitsToF64, word),
            Ty::I32 => Op::Unary(UnaryOp::WrapI64, word),
            Ty::I64 => Op::Binary(BinaryOp::Or, word, zero),
            Ty::Bool => Op::Compare(Comparison::Ne, word, zero),
        };
        define(function, *old, op, *data);
    }
    for (old, op, data) in &change.known {
        define(function, *old, op.clone(), *data);
    }
    let mut statements = origin.body.clone();
    let (mut vars, mut labels): (BTreeMap<Var, Var>, BTreeMap<Label, Label>) = Default::default();
    for_each_mut(&mut statements, &mut |stmt| {
        for_each_definition(stmt, |value| {
            let new = Value(function.values.len() as u32);
            function.values.push(origin.values[value.0 as usize]);
            names.insert(*value, new);
            *value = new;
        });
        let mut var = |var: &mut Var| {
            *var = *vars.entry(*var).or_insert_with(|| {
                function.vars.push(origin.vars[var.0 as usize]);
                Var(function.vars.len() as u32 - 1)
            });
        };
        match stmt {
            Stmt::Set(x, _) | Stmt::Let { op: Op::Get(x), .. } => var(x),
            Stmt::Block { label, .. } | Stmt::Break(label) => {
                *label = *labels.entry(*label).or_insert_with(|| {
                    function.labels += 1;
                    Label(function.labels - 1)
                });
            }
            _ => {}
        }
        // Only the row has no name.
        stmt.for_each_operand_mut(|value| *value = names.get(value).copied().unwrap_or(Value(0)));
    });
    body.append(&mut statements);
    body
}

fn for_each_definition(stmt: &mut Stmt, mut each: impl FnMut(&mut Value)) {
    if let Stmt::Let { value, .. } = stmt {
        each(value);
    }
}

/// Takes away the buffers and scalars that only watching needed.
fn forget_unused(program: &mut Program) {
    let mut buffers = vec![false; program.buffers.len()];
    let mut scalars = vec![false; program.scalars.len()];
    for function in &program.functions {
        for_each(&function.body, &mut |stmt| {
            stmt.for_each_buffer(|buffer| buffers[buffer.0 as usize] = true);
            if let Stmt::Let { op: Op::Scalar(scalar), .. } | Stmt::Assign(scalar, _) = stmt {
                scalars[scalar.0 as usize] = true;
            }
        });
    }
    for (used, buffer) in buffers.iter_mut().zip(&program.buffers) {
        *used |= !matches!(buffer.kind, BufferKind::Marks(_) | BufferKind::FirstSame(_));
    }
    for (used, scalar) in scalars.iter_mut().zip(&program.scalars) {
        *used |= !matches!(scalar.source, ScalarSource::Fine(_) | ScalarSource::Epoch);
    }
    let number = |used: &[bool]| -> Vec<u32> {
        let next = used.iter().scan(0, |next, used| {
            let number = *next;
            *next += u32::from(*used);
            Some(number)
        });
        next.collect()
    };
    let (new_buffers, new_scalars) = (number(&buffers), number(&scalars));
    for function in &mut program.functions {
        for_each_mut(&mut function.body, &mut |stmt| {
            stmt.for_each_buffer_mut(|buffer| *buffer = Buffer(new_buffers[buffer.0 as usize]));
            if let Some(scalar) = stmt.scalar_mut() {
                *scalar = Scalar(new_scalars[scalar.0 as usize]);
            }
        });
    }
    program.settling.renumber(
        |buffer| *buffer = Buffer(new_buffers[buffer.0 as usize]),
        |scalar| *scalar = Scalar(new_scalars[scalar.0 as usize]),
    );
    let mut used = buffers.iter();
    program.buffers.retain(|_| *used.next().unwrap_or(&true));
    let mut used = scalars.iter();
    program.scalars.retain(|_| *used.next().unwrap_or(&true));
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;

    const HEAD: &str = r#"
        b0 = base: i32
        b1 = marks column h0 "@x": i64 written
        b2 = column h0 "@x": i64 written
        b3 = column h0 "@y": i64
        e0 = race read column h0 "@x"
        e1 = race write column h0 "@x"
        e2 = overflow "+"
        entry f0
    "#;
    /// What stands before each access.
    const READ: &str =
        "v90 = watch_read b1[v4] by v1 at e0; v91 = i64 0; v92 = lt v90, v91; check v92 at e0 with v90, v91";
    const WRITE: &str =
        "v93 = watch_write b1[v4] by v1 at e1; v94 = lt v93, v91; check v94 at e1 with v93, v91";

    #[track_caller]
    fn changed(body: &str, after: &str) {
        let body = body.replace("READ", READ).replace("WRITE", WRITE);
        let text = format!("{HEAD}\nfn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}");
        check(run, &text, after);
    }

    /// It stays as it is.
    #[track_caller]
    fn stays(body: &str) {
        let body = body.replace("READ", READ).replace("WRITE", WRITE);
        let text = format!("{HEAD}\nfn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}");
        let before = crate::ir::parser::parse(&text).unwrap();
        let mut program = before.clone();
        run(&mut program, &crate::cancel::CancellationToken::default()).unwrap();
        assert_eq!(program.to_string(), before.to_string());
    }

    #[test]
    fn what_is_added_to_others_is_deferred() {
        changed(
            "v3 = load b0[v0]; v4 = i32 7; READ; v5 = load b2[v4]; v6 = load b3[v3]
             v7 = add_checked v5, v6 at e2; WRITE; store b2[v4] = v7",
            "fn f0 \"\" (v0: i32, v1: i64, v2: i64) {
               v3 = load b0[v0]
               v4 = i32 7
               v6 = load b2[v3]
               defer f1(v4, v6)
             }
             fn f1 \"deferred\" (v0: i32, v1: i64) {
               v2 = i64 0
               v3 = or v1, v2
               v4 = load b1[v0]
               v5 = add_checked v4, v3 at e2
               store b1[v0] = v5
             }",
        );
    }

    #[test]
    fn several_changes_are_told_apart() {
        changed(
            "v4 = i32 7; v9 = i32 8; v5 = load b2[v4]; v6 = i64 1; v7 = add v5, v6; store b2[v4] = v7
             v10 = load b2[v9]; v11 = lt v10, v1; if v11 { store b2[v9] = v1 }",
            "fn f0 \"\" (v0: i32, v1: i64, v2: i64) {
               v4 = i32 7
               v9 = i32 8
               v12 = i64 0
               v13 = i64 0
               defer f1(v4, v12, v13)
               v14 = i64 1
               defer f1(v9, v14, v1)
             }
             fn f1 \"deferred\" (v0: i32, v1: i64, v2: i64) {
               v11 = i64 0
               v12 = eq v1, v11
               if v12 {
                 v4 = i64 1
                 v5 = load b1[v0]
                 v6 = add v5, v4
                 store b1[v0] = v6
               } else {
                 v7 = i64 0
                 v8 = or v2, v7
                 v9 = load b1[v0]
                 v10 = lt v9, v8
                 if v10 {
                   store b1[v0] = v8
                 }
               }
             }",
        );
    }

    #[test]
    fn what_an_element_comes_to_know_is_not_deferred() {
        // It is read elsewhere.
        stays(
            "v4 = i32 7; READ; v5 = load b2[v4]; v7 = add v5, v1; WRITE; store b2[v4] = v7; v8 = load b2[v4]; tick v8",
        );
        // What was read is used for something else.
        stays("v4 = i32 7; READ; v5 = load b2[v4]; v7 = add v5, v1; WRITE; store b2[v4] = v7; tick v5");
        // The row that is written is another one.
        stays(
            "v3 = load b0[v0]; v4 = i32 7; READ; v5 = load b2[v4]; v7 = add v5, v1; WRITE; store b2[v3] = v7",
        );
        // Another change comes between.
        stays(
            "v4 = i32 7; v9 = i32 8; READ; v5 = load b2[v4]; v6 = load b2[v9]; v7 = add v5, v1; WRITE
             store b2[v4] = v7; v8 = add v6, v1; store b2[v9] = v8",
        );
        // A variable is read that is set elsewhere.
        stays(
            "x0 = v1; loop L0 { v4 = i32 7; READ; v5 = load b2[v4]; v6 = lt v5, v1
               if v6 { v8 = x0; v91 = i64 0; WRITE; store b2[v4] = v8 }; x0 = v2 }",
        );
        // It may leave in between.
        stays(
            "v4 = i32 7; READ; v5 = load b2[v4]; v6 = lt v1, v2; if v6 { return }; v7 = add v5, v1; WRITE; store b2[v4] = v7",
        );
    }
}
