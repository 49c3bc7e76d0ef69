//! Builds one function, statement by statement. A pure operation on the same values is made once (where an earlier one
//! dominates), and folded where its operands are known. Each integer value has an interval of what it can be, from
//! constants, 32-bit columns, lengths and arithmetic. Overflow checks that cannot fail are left out, and so are bounds
//! checks: the builder also knows `0 <= index < length` for values that were made so. In `a[i % a.size]` the remainder
//! is below the size, so there is no bounds check, the result is never nil, and no branch is made for it.

use super::passes::eliminate::{self, Question};
use super::walk;
use super::{
    Arrays, BinaryOp, Block, Buffer, Comparison, Function, Items, KernelId, Label, MathFn, Op, Origin,
    Reduction, Scalar, SiteId, Stmt, UnaryOp, Value, ValueData, Var,
};
use crate::intrinsics::Intrinsic;
use crate::scalar::{Interval, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Identity of a pure operation: a code and up to three operands.
type Key = (u32, u64, u64, u64);

#[derive(Debug, Default)]
struct OpenBlock {
    statements: Block,
    /// A terminator stands at its end: whatever follows is unreachable and is dropped.
    dead: bool,
    /// What was numbered in it: known no more behind its end.
    numbered: Vec<Key>,
}

/// A function under construction. Blocks are opened with [`Builder::open`] and closed with [`Builder::close`], which
/// hands out the statements for the `If`, `Loop` or `Block` that they belong to.
#[derive(Debug)]
pub struct Builder {
    function: Function,
    blocks: Vec<OpenBlock>,
    /// The operations of all open blocks.
    numbers: FxHashMap<Key, Value>,
    definitions: Vec<Option<Op>>,
    /// `index < length` and `index >= 0`, for index values that were made so.
    below: FxHashMap<Value, Value>,
    /// The texts of Strings that were written out, as they were when they were made.
    texts: FxHashMap<Value, Rc<str>>,
    /// Epoch of each mutable buffer: loads are equal only within one.
    epochs: FxHashMap<Buffer, u64>,
    has_syncs: bool,
    /// Epoch of buffers not in `epochs`.
    default_epoch: u64,
    next_epoch: u64,
    questions: Vec<Question>,
    /// What is read for questions alone.
    glances: FxHashSet<Value>,
    /// What values that are made come of.
    pub origin: Origin,
}

impl Builder {
    pub fn new(name: impl Into<String>, params: &[Ty], results: &[Ty]) -> Self {
        let mut builder = Self {
            function: Function {
                name: name.into(),
                params: params.to_vec(),
                results: results.to_vec(),
                ..Function::default()
            },
            blocks: vec![OpenBlock::default()],
            numbers: FxHashMap::default(),
            definitions: Vec::new(),
            below: FxHashMap::default(),
            texts: FxHashMap::default(),
            epochs: FxHashMap::default(),
            has_syncs: false,
            default_epoch: 0,
            next_epoch: 1,
            questions: Vec::new(),
            glances: FxHashSet::default(),
            origin: Origin::default(),
        };
        for ty in params {
            builder.fresh(*ty);
        }
        builder
    }

    /// The `i`th parameter.
    pub fn param(&self, i: usize) -> Value {
        debug_assert!(i < self.function.params.len());
        Value(i as u32)
    }

    pub fn finish(mut self) -> Function {
        debug_assert_eq!(self.blocks.len(), 1, "a block was left open");
        self.function.body = self.blocks.pop().map(|b| b.statements).unwrap_or_default();
        eliminate::answer(&mut self.function, &self.questions, &self.glances);
        self.function
    }

    /// Is the end of a function with results one that control cannot come to, though its statements do not show that?
    pub fn ends_openly(&self) -> bool {
        let body = &self.blocks[0];
        !self.function.results.is_empty() && body.dead && walk::completes(&body.statements)
    }

    /// Puts a statement at an end that control cannot come to.
    pub fn close_end(&mut self, stmt: Stmt) {
        self.blocks[0].statements.push(stmt);
    }

    /// Reads a variable for a [`Question`], which is no use of it.
    pub fn glance(&mut self, var: Var) -> Value {
        let value = self.get(var);
        self.glances.insert(value);
        value
    }

    /// `answer`, which comes of [glances](Self::glance), is of use only if one of the values is.
    pub fn ask(&mut self, about: Vec<Value>, answer: Value) {
        self.questions.push(Question { about, answer });
    }

    /// Sets the result types, known only when the body has been lowered.
    pub fn set_results(&mut self, results: &[Ty]) {
        self.function.results = results.to_vec();
    }

    // ---- blocks ------------------------------------------------------------------------------------------------

    /// Opens a nested block. What is dead outside is dead inside.
    pub fn open(&mut self) {
        let dead = self.is_dead();
        self.blocks.push(OpenBlock { dead, ..OpenBlock::default() });
    }

    /// Closes the innermost block: its statements, and whether its end cannot be reached.
    pub fn close(&mut self) -> (Block, bool) {
        let block = self.blocks.pop().expect("close without open");
        for key in block.numbered {
            self.numbers.remove(&key);
        }
        (block.statements, block.dead)
    }

    pub fn is_dead(&self) -> bool {
        self.blocks.last().is_some_and(|b| b.dead)
    }

    /// Appends a statement; the caller has built its nested blocks. Dropped in dead code.
    pub fn emit(&mut self, stmt: Stmt) {
        let terminator =
            matches!(stmt, Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_) | Stmt::Fail { .. });
        let block = self.blocks.last_mut().expect("a block is open");
        if block.dead {
            return;
        }
        block.statements.push(stmt);
        block.dead = terminator;
    }

    /// Appends statements of a closed block; `dead` as [`Builder::close`] said.
    pub fn splice(&mut self, statements: Block, dead: bool) {
        let block = self.blocks.last_mut().expect("a block is open");
        if !block.dead {
            block.statements.extend(statements);
            block.dead = dead;
        }
    }

    /// Says that the point reached now is unreachable (both arms of an `If` ended, say).
    pub fn mark_dead(&mut self) {
        self.blocks.last_mut().expect("a block is open").dead = true;
    }

    pub fn label(&mut self) -> Label {
        self.function.labels += 1;
        Label(self.function.labels - 1)
    }

    pub fn var(&mut self, ty: Ty) -> Var {
        self.function.vars.push(ty);
        Var(self.function.vars.len() as u32 - 1)
    }

    pub fn var_ty(&self, var: Var) -> Ty {
        self.function.vars[var.0 as usize]
    }

    /// `value` read as an `I64` that is known not to be negative.
    pub fn at_least_zero(&mut self, value: Value) -> Value {
        if let Some(data) = self.function.values.get_mut(value.0 as usize)
            && self.definitions[value.0 as usize].is_some()
        {
            data.interval.low = data.interval.low.max(0);
        }
        value
    }

    pub fn get(&mut self, var: Var) -> Value {
        let ty = self.var_ty(var);
        self.define(Op::Get(var), ty, Self::full(ty), None)
    }

    /// Reads a variable of which more is known than its type says (a loop counter).
    pub fn get_within(&mut self, var: Var, interval: Interval) -> Value {
        let ty = self.var_ty(var);
        self.define(Op::Get(var), ty, interval, None)
    }

    pub fn set(&mut self, var: Var, value: Value) {
        debug_assert_eq!(self.var_ty(var), self.ty(value));
        self.emit(Stmt::Set(var, value));
    }

    // ---- memory ------------------------------------------------------------------------------------------------

    /// The state of mutable buffers here; loads made under another state are not reused.
    pub fn memory_state(&self) -> u64 {
        self.epochs.values().copied().max().unwrap_or(0).max(self.default_epoch)
    }

    /// After a merge, a loop head or a call: nothing is known of mutable buffers any more.
    pub fn forget_memory(&mut self) {
        self.epochs.clear();
        self.default_epoch = self.next_epoch;
        self.next_epoch += 1;
    }

    /// The function has syncs ([`Stmt::Sync`]), which change what nobody else writes.
    pub fn syncs(&mut self) {
        self.has_syncs = true;
    }

    /// Of a driver: see [`Stmt::Sync`].
    pub fn sync(&mut self, number: u32) {
        self.emit(Stmt::Sync(number));
        self.forget_memory();
    }

    /// `index` is an `I32` in range. `mutable`: some function of the program writes the buffer.
    pub fn load(&mut self, buffer: Buffer, index: Value, ty: Ty, mutable: bool) -> Value {
        debug_assert_eq!(self.ty(index), Ty::I32);
        let epoch = self.epoch(buffer, mutable);
        // A walk that finds out that a column holds more loads it as what it was and as what it is.
        let key = (1010 + ty as u32, u64::from(buffer.0), u64::from(index.0), epoch);
        self.numbered(key, Op::Load(buffer, index), ty, Self::full(ty))
    }

    fn epoch(&self, buffer: Buffer, mutable: bool) -> u64 {
        if mutable || self.has_syncs {
            *self.epochs.get(&buffer).unwrap_or(&self.default_epoch)
        } else {
            u64::MAX
        }
    }

    /// A load of a length, offset or id: not negative. Nobody writes the buffer, but Ruby in syncs.
    pub fn load_index(&mut self, buffer: Buffer, index: Value) -> Value {
        let key = (1000, u64::from(buffer.0), u64::from(index.0), self.epoch(buffer, false));
        self.numbered(key, Op::Load(buffer, index), Ty::I32, Interval::INDEX)
    }

    pub fn store(&mut self, buffer: Buffer, index: Value, value: Value) {
        debug_assert_eq!(self.ty(index), Ty::I32);
        self.emit(Stmt::Store { buffer, index, value });
        self.epochs.insert(buffer, self.next_epoch);
        self.next_epoch += 1;
    }

    pub fn scalar(&mut self, scalar: Scalar, ty: Ty, interval: Interval) -> Value {
        self.numbered((1001, u64::from(scalar.0), 0, 0), Op::Scalar(scalar), ty, interval)
    }

    pub fn element(&mut self) -> Value {
        self.numbered((1002, 0, 0, 0), Op::Element, Ty::I32, Interval::INDEX)
    }

    /// The tick being computed (`I64`).
    pub fn tick(&mut self) -> Value {
        let interval = Interval { low: 0, high: i64::MAX - 1 };
        self.numbered((1003, 0, 0, 0), Op::Tick, Ty::I64, interval)
    }

    /// The path that led to this function.
    pub fn path(&mut self) -> Value {
        self.numbered((1004, 0, 0, 0), Op::Path, Ty::I64, Interval::FULL)
    }

    /// A number that is told later, and its sum with `value`, if there is one.
    pub fn number_to_come(&mut self, value: Option<Value>) -> (Value, Value) {
        let number = self.define(Op::I64(0), Ty::I64, Interval::FULL, None);
        let add =
            |value| self.define(Op::Binary(BinaryOp::Add, value, number), Ty::I64, Interval::FULL, None);
        (number, value.map_or(number, add))
    }

    pub fn random(&mut self) -> Value {
        self.define(Op::Random, Ty::I64, Interval::FULL, None)
    }

    /// Room for so many items ([`Op::Claim`]).
    pub fn claim(&mut self, ends: Buffer, count: Value) -> Value {
        self.define(Op::Claim { ends, count }, Ty::I64, Interval { low: 0, high: 1 << 62 }, None)
    }

    /// What is asked of a pattern (see [`Op::Match`]).
    pub fn search(&mut self, words: Buffer, first: Value, asks: Vec<Value>) -> Value {
        self.define(Op::Match { words, first, asks }, Ty::I64, Interval::FULL, None)
    }

    /// Prints bytes (see [`Op::Print`]).
    pub fn print(&mut self, words: Buffer, first: Value, tells: Vec<Value>) -> Value {
        self.define(Op::Print { words, first, tells }, Ty::Bool, Interval::FULL, None)
    }

    /// What a function written in Rust gives (see [`Op::Intrinsic`]).
    pub fn intrinsic(&mut self, function: Intrinsic, texts: Vec<(Buffer, Value)>, args: Vec<Value>) -> Value {
        self.define(Op::Intrinsic { function, texts, args }, Ty::I64, function.gives(), None)
    }

    pub fn group(&mut self, number: Value) -> Value {
        self.define(Op::Group(number), Ty::I64, Interval::FULL, None)
    }

    /// Who else touches the row (see [`Op::Watch`]).
    pub fn watch(&mut self, marks: Buffer, row: Value, me: Value, write: bool, site: SiteId) -> Value {
        self.define(Op::Watch { marks, row, me, write }, Ty::I64, Interval::FULL, Some(site))
    }

    pub fn call(&mut self, function: super::FuncId, args: Vec<Value>, results: &[Ty]) -> Vec<Value> {
        let results = self.call_beside(function, args, results);
        self.forget_memory();
        results
    }

    /// A call of a function that writes no buffer which is read elsewhere.
    pub fn call_beside(&mut self, function: super::FuncId, args: Vec<Value>, results: &[Ty]) -> Vec<Value> {
        let results: Vec<Value> = results.iter().map(|ty| self.fresh(*ty)).collect();
        self.emit(Stmt::Call { function, args, results: results.clone() });
        results
    }

    /// Of a driver: runs a kernel.
    pub fn launch(&mut self, kernel: KernelId, ticks: Option<Value>) {
        self.emit(Stmt::Launch { kernel, ticks });
        self.forget_memory();
    }

    /// Of a driver: a new array (see [`Op::Append`]).
    pub fn append(
        &mut self,
        (from, tag): (Items, Option<i32>),
        (given, count): (Option<Buffer>, Value),
        (into, local): (Arrays, bool),
    ) -> Value {
        self.define(
            Op::Append { from, tag, given, count, into, local, kept: None },
            Ty::I32,
            Interval::INDEX,
            None,
        )
    }

    /// Of a driver: the first of so many new rows (see [`Op::Lengthen`]).
    pub fn lengthen(&mut self, buffer: super::Buffer, count: Value) -> Value {
        self.define(Op::Lengthen { buffer, count }, Ty::I64, Interval::INDEX, None)
    }

    /// Of a driver: how many flags are true, whose rows are in `indices` then.
    pub fn compact(&mut self, flags: Buffer, indices: Buffer) -> Value {
        self.define(Op::Compact { flags, indices }, Ty::I64, Interval::INDEX, None)
    }

    /// Of a driver: the number, and whether it is one.
    pub fn reduce(
        &mut self,
        reduction: Reduction,
        (column, given): (Buffer, Option<Buffer>),
        from: Value,
    ) -> [Value; 2] {
        let results = [self.fresh(self.ty(from)), self.fresh(Ty::Bool)];
        self.emit(Stmt::Reduce { reduction, column, given, from, results });
        results
    }

    /// Is this the first time that the row is to be watched so, on every way that leads here?
    pub fn first_watch(&mut self, marks: Buffer, index: Value, write: bool) -> bool {
        let key = (500, u64::from(marks.0), u64::from(index.0), u64::from(write));
        let first = self.lookup(&key).is_none();
        if first {
            self.remember(key, index);
        }
        first
    }

    // ---- facts -------------------------------------------------------------------------------------------------

    /// What a value is the result of.
    pub fn definition(&self, value: Value) -> Option<&Op> {
        self.definitions[value.0 as usize].as_ref()
    }

    pub fn ty(&self, value: Value) -> Ty {
        self.function.values[value.0 as usize].ty
    }

    pub fn interval(&self, value: Value) -> Interval {
        self.function.values[value.0 as usize].interval
    }

    fn op(&self, value: Value) -> Option<&Op> {
        self.definitions[value.0 as usize].as_ref()
    }

    /// The value of an integer or boolean constant.
    pub fn constant(&self, value: Value) -> Option<i64> {
        match self.op(value)? {
            Op::I64(n) => Some(*n),
            Op::I32(n) => Some(i64::from(*n)),
            Op::Bool(b) => Some(i64::from(*b)),
            _ => None,
        }
    }

    /// The scalar that a value is.
    pub fn scalar_of(&self, value: Value) -> Option<Scalar> {
        match self.op(value)? {
            Op::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    pub fn constant_float(&self, value: Value) -> Option<f64> {
        match self.op(value)? {
            Op::F64(x) => Some(*x),
            _ => None,
        }
    }

    /// Records `0 <= index < length`.
    pub fn set_below(&mut self, index: Value, length: Value) {
        self.below.insert(index, length);
    }

    /// Records the text of a String that is written out.
    pub fn set_text(&mut self, string: Value, text: &str) {
        self.texts.insert(string, text.into());
    }

    /// The text that it had when it was made, if it was written out.
    pub fn text(&self, string: Value) -> Option<Rc<str>> {
        self.texts.get(&string).cloned()
    }

    /// Is `0 <= index < length` known?
    pub fn is_below(&self, index: Value, length: Value) -> bool {
        let (i, n) = (self.interval(index), self.interval(length));
        self.below.get(&index) == Some(&length) || (i.low >= 0 && i.high < n.low)
    }

    // ---- constants ---------------------------------------------------------------------------------------------

    pub fn bool(&mut self, value: bool) -> Value {
        self.numbered(
            (1, u64::from(value), 0, 0),
            Op::Bool(value),
            Ty::Bool,
            Interval::constant(value.into()),
        )
    }

    pub fn i32(&mut self, value: i32) -> Value {
        self.numbered((2, value as u64, 0, 0), Op::I32(value), Ty::I32, Interval::constant(value.into()))
    }

    pub fn i64(&mut self, value: i64) -> Value {
        self.numbered((3, value as u64, 0, 0), Op::I64(value), Ty::I64, Interval::constant(value))
    }

    pub fn f64(&mut self, value: f64) -> Value {
        self.numbered((4, value.to_bits(), 0, 0), Op::F64(value), Ty::F64, Interval::FULL)
    }

    /// Zero of a type.
    pub fn zero(&mut self, ty: Ty) -> Value {
        match ty {
            Ty::Bool => self.bool(false),
            Ty::I32 => self.i32(0),
            Ty::I64 => self.i64(0),
            Ty::F64 => self.f64(0.0),
        }
    }

    // ---- operations --------------------------------------------------------------------------------------------

    pub fn unary(&mut self, op: UnaryOp, a: Value) -> Value {
        use UnaryOp as U;
        if let Some(folded) = self.fold_unary(op, a) {
            return folded;
        }
        let (ty, interval) = match op {
            U::Not | U::IsNan => (Ty::Bool, Self::full(Ty::Bool)),
            U::NegF
            | U::AbsF
            | U::FloorF
            | U::CeilF
            | U::TruncF
            | U::RoundF
            | U::RoundEvenF
            | U::RoundToSingle
            | U::I64ToF64 => (Ty::F64, Interval::FULL),
            U::BitsToF64 => (Ty::F64, Interval::FULL),
            U::BitNot => {
                let i = self.interval(a);
                (Ty::I64, Interval { low: !i.high, high: !i.low })
            }
            U::ExtendI32 => (Ty::I64, self.interval(a)),
            U::WrapI64 => {
                (Ty::I32, if self.interval(a).fits_i32() { self.interval(a) } else { Interval::I32 })
            }
            U::F64ToI64 | U::BitsToI64 => (Ty::I64, Interval::FULL),
            U::BoolToI64 => (Ty::I64, Interval { low: 0, high: 1 }),
            U::BitLength => (Ty::I64, Interval { low: 0, high: 63 }),
        };
        self.numbered((10 + op as u32, u64::from(a.0), 0, 0), Op::Unary(op, a), ty, interval)
    }

    fn fold_unary(&mut self, op: UnaryOp, a: Value) -> Option<Value> {
        use UnaryOp as U;
        match (op, self.op(a)?.clone()) {
            (U::Not, Op::Bool(b)) => Some(self.bool(!b)),
            (U::Not, Op::Unary(U::Not, b)) => Some(b),
            (U::Not, Op::Compare(c, x, y))
                if self.ty(x) != Ty::F64 || matches!(c, Comparison::Eq | Comparison::Ne) =>
            {
                let (c, x, y) = match c {
                    Comparison::Eq => (Comparison::Ne, x, y),
                    Comparison::Ne => (Comparison::Eq, x, y),
                    Comparison::Lt => (Comparison::Ge, x, y),
                    Comparison::Le => (Comparison::Gt, x, y),
                    Comparison::Gt => (Comparison::Le, x, y),
                    Comparison::Ge => (Comparison::Lt, x, y),
                    Comparison::LtU => return None,
                };
                Some(self.compare(c, x, y))
            }
            (U::NegF, Op::F64(x)) => Some(self.f64(-x)),
            (U::AbsF, Op::F64(x)) => Some(self.f64(x.abs())),
            (U::BitNot, Op::I64(n)) => Some(self.i64(!n)),
            (U::ExtendI32, Op::I32(n)) => Some(self.i64(n.into())),
            (U::ExtendI32, Op::Unary(U::WrapI64, x)) if self.interval(x).fits_i32() => Some(x),
            (U::WrapI64, Op::I64(n)) => Some(self.i32(n as i32)),
            (U::WrapI64, Op::Unary(U::ExtendI32, x)) => Some(x),
            (U::I64ToF64, Op::I64(n)) => Some(self.f64(n as f64)),
            (U::BoolToI64, Op::Bool(b)) => Some(self.i64(b.into())),
            (U::BitsToI64, Op::Unary(U::BitsToF64, x)) | (U::BitsToF64, Op::Unary(U::BitsToI64, x)) => {
                Some(x)
            }
            (U::BitsToI64, Op::F64(x)) => Some(self.i64(x.to_bits() as i64)),
            _ => None,
        }
    }

    /// Wrapping or float arithmetic and bit operations; for integers that may overflow see [`Builder::checked`].
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.binary_at(op, a, b, None)
    }

    /// Integer arithmetic that fails at `site` on overflow; `op` is `AddChecked`, `SubChecked` or `MulChecked`, or one
    /// of the divisions.
    pub fn checked(&mut self, op: BinaryOp, a: Value, b: Value, site: SiteId) -> Value {
        self.binary_at(op, a, b, Some(site))
    }

    /// Can checked arithmetic, or a division, of these leave 64 bits?
    pub fn may_overflow(&self, op: BinaryOp, a: Value, b: Value) -> bool {
        let (x, y) = (self.interval(a), self.interval(b));
        match op {
            BinaryOp::FloorDiv => x.contains(i64::MIN) && y.contains(-1),
            op => arithmetic_interval(op, x, y).is_none(),
        }
    }

    fn binary_at(&mut self, op: BinaryOp, a: Value, b: Value, site: Option<SiteId>) -> Value {
        use BinaryOp as B;
        debug_assert_eq!(self.ty(a), self.ty(b));
        if let Some(folded) = self.fold_binary(op, a, b) {
            return folded;
        }
        let ty = self.ty(a);
        let (x, y) = (self.interval(a), self.interval(b));
        // A divisor is known not to be 0.
        let divisor = Interval { low: if y.low == 0 { 1 } else { y.low }, high: y.high.max(1) };
        let y = if matches!(op, B::FloorDiv | B::FloorMod | B::TruncRem) && y.low >= 0 { divisor } else { y };
        let exact = arithmetic_interval(op, x, y);
        let op = match (op, exact) {
            (B::AddChecked, Some(_)) => B::Add,
            (B::SubChecked, Some(_)) => B::Sub,
            (B::MulChecked, Some(_)) => B::Mul,
            (op, _) => op,
        };
        let interval = match exact {
            Some(i) if ty != Ty::I32 || i.fits_i32() => i,
            _ => Self::full(ty),
        };
        let checked = matches!(op, B::AddChecked | B::SubChecked | B::MulChecked)
            || (op == B::FloorDiv && x.contains(i64::MIN) && y.contains(-1));
        let site = site.filter(|_| checked || matches!(op, B::FloorDiv));
        let (l, r) = if commutes(op) && a > b { (b, a) } else { (a, b) };
        let key = (100 + op as u32, u64::from(l.0), u64::from(r.0), 0);
        // A checked operation that succeeded before gives the same value and cannot fail again.
        if let Some(value) = self.lookup(&key) {
            return value;
        }
        let value = self.define(Op::Binary(op, a, b), ty, interval, site);
        self.remember(key, value);
        if op == B::FloorMod && y.low > 0 {
            self.below.insert(value, b);
        }
        value
    }

    fn fold_binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Option<Value> {
        use BinaryOp as B;
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            let ty = self.ty(a);
            let folded = match op {
                B::Add | B::AddChecked => x.checked_add(y),
                B::Sub | B::SubChecked => x.checked_sub(y),
                B::Mul | B::MulChecked => x.checked_mul(y),
                B::FloorDiv if y != 0 => x.checked_div_euclid(y).and_then(|_| floor_div(x, y)),
                B::FloorMod if y != 0 => Some(floor_mod(x, y)),
                B::And | B::AndB => Some(x & y),
                B::Or | B::OrB => Some(x | y),
                B::Xor | B::XorB => Some(x ^ y),
                _ => None,
            }?;
            return match ty {
                Ty::Bool => Some(self.bool(folded != 0)),
                Ty::I32 => i32::try_from(folded).ok().map(|n| self.i32(n)),
                Ty::I64 => Some(self.i64(folded)),
                Ty::F64 => None,
            };
        }
        match (op, self.constant(a), self.constant(b)) {
            (B::AndB, Some(0), _) | (B::AndB, _, Some(0)) => Some(self.bool(false)),
            (B::AndB, Some(_), _) | (B::OrB, Some(0), _) => Some(b),
            (B::AndB, _, Some(_)) | (B::OrB, _, Some(0)) => Some(a),
            (B::OrB, Some(_), _) | (B::OrB, _, Some(_)) => Some(self.bool(true)),
            (
                B::Add | B::AddChecked | B::Sub | B::SubChecked | B::Or | B::Xor | B::Shl | B::Shr,
                _,
                Some(0),
            ) => Some(a),
            (B::Add | B::AddChecked | B::Or | B::Xor, Some(0), _) => Some(b),
            (B::Mul | B::MulChecked | B::FloorDiv, _, Some(1)) => Some(a),
            (B::Mul | B::MulChecked, Some(1), _) => Some(b),
            (B::FloorMod, _, Some(n)) if n > 0 => {
                let i = self.interval(a);
                (i.low >= 0 && i.high < n).then_some(a)
            }
            _ => match op {
                B::AndB | B::OrB if a == b => Some(a),
                _ => None,
            },
        }
    }

    pub fn compare(&mut self, comparison: Comparison, a: Value, b: Value) -> Value {
        use Comparison as C;
        debug_assert_eq!(self.ty(a), self.ty(b));
        if self.ty(a) != Ty::F64 {
            let (x, y) = (self.interval(a), self.interval(b));
            let known = match comparison {
                C::Eq if a == b || (x.low == x.high && x == y) => Some(true),
                C::Eq if x.high < y.low || y.high < x.low => Some(false),
                C::Ne if a == b || (x.low == x.high && x == y) => Some(false),
                C::Ne if x.high < y.low || y.high < x.low => Some(true),
                C::Lt if x.high < y.low => Some(true),
                C::Lt if x.low >= y.high || a == b => Some(false),
                C::Le if x.high <= y.low || a == b => Some(true),
                C::Le if x.low > y.high => Some(false),
                C::Gt if x.low > y.high => Some(true),
                C::Gt if x.high <= y.low || a == b => Some(false),
                C::Ge if x.low >= y.high || a == b => Some(true),
                C::Ge if x.high < y.low => Some(false),
                C::LtU if x.low >= 0 && x.high < y.low => Some(true),
                _ => None,
            };
            let known = known.or((comparison == C::Lt && self.below.get(&a) == Some(&b)).then_some(true));
            if let Some(known) = known {
                return self.bool(known);
            }
            // `select(c, k1, k2) == k` is `c` or its negation.
            if matches!(comparison, C::Eq | C::Ne)
                && let Some(k) = self.constant(b)
                && let Some(&Op::Select(c, p, q)) = self.op(a)
                && let (Some(p), Some(q)) = (self.constant(p), self.constant(q))
            {
                let (when_true, when_false) =
                    if comparison == C::Eq { (p == k, q == k) } else { (p != k, q != k) };
                return match (when_true, when_false) {
                    (true, false) => c,
                    (false, true) => self.unary(UnaryOp::Not, c),
                    (same, _) => self.bool(same),
                };
            }
            if self.ty(a) == Ty::Bool
                && let Some(k) = self.constant(b)
                && matches!(comparison, C::Eq | C::Ne)
            {
                return if (k != 0) == (comparison == C::Eq) { a } else { self.unary(UnaryOp::Not, a) };
            }
        } else if let (Some(x), Some(y)) = (self.constant_float(a), self.constant_float(b)) {
            let known = match comparison {
                C::Eq => x == y,
                C::Ne => x != y,
                C::Lt => x < y,
                C::Le => x <= y,
                C::Gt => x > y,
                C::Ge => x >= y,
                C::LtU => return self.bool(false),
            };
            return self.bool(known);
        }
        let key = (200 + comparison as u32, u64::from(a.0), u64::from(b.0), 0);
        self.numbered(key, Op::Compare(comparison, a, b), Ty::Bool, Self::full(Ty::Bool))
    }

    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.ty(a), self.ty(b));
        match self.constant(condition) {
            Some(0) => return b,
            Some(_) => return a,
            None if a == b => return a,
            None => {}
        }
        let interval = self.interval(a).union(self.interval(b));
        let key = (300, u64::from(condition.0), u64::from(a.0), u64::from(b.0));
        self.numbered(key, Op::Select(condition, a, b), self.ty(a), interval)
    }

    /// `(a * b + c) mod m`: see [`Op::WideMod`].
    pub fn wide_mod(&mut self, args: [Value; 4]) -> Value {
        let divisor = self.interval(args[3]);
        let interval = match divisor.low > 0 {
            true => Interval { low: 0, high: divisor.high - 1 },
            false => Interval::FULL,
        };
        self.define(Op::WideMod(args), Ty::I64, interval, None)
    }

    pub fn math(&mut self, function: MathFn, args: &[Value]) -> Value {
        let second = args.get(1).map_or(u64::MAX, |v| u64::from(v.0));
        let key = (400 + function as u32, u64::from(args[0].0), second, 0);
        self.numbered(key, Op::Math(function, args.to_vec()), Ty::F64, Interval::FULL)
    }

    /// Fails at `site` unless `condition` holds; nothing where it is known to.
    pub fn check(&mut self, condition: Value, site: SiteId, operands: &[Value]) {
        match self.constant(condition) {
            Some(0) => self.emit(Stmt::Fail { site, operands: operands.to_vec() }),
            Some(_) => {}
            None => self.emit(Stmt::Check { condition, site, operands: operands.to_vec() }),
        }
    }

    // ---- numbering ---------------------------------------------------------------------------------------------

    const fn full(ty: Ty) -> Interval {
        match ty {
            Ty::Bool => Interval { low: 0, high: 1 },
            Ty::I32 => Interval::I32,
            Ty::I64 | Ty::F64 => Interval::FULL,
        }
    }

    fn fresh(&mut self, ty: Ty) -> Value {
        let data = ValueData { origin: self.origin, ..ValueData::new(ty, Self::full(ty)) };
        self.function.values.push(data);
        self.definitions.push(None);
        Value(self.function.values.len() as u32 - 1)
    }

    fn define(&mut self, op: Op, ty: Ty, interval: Interval, site: Option<SiteId>) -> Value {
        let value = self.fresh(ty);
        self.function.values[value.0 as usize].interval = interval;
        self.definitions[value.0 as usize] = Some(op.clone());
        self.emit(Stmt::Let { value, op, site });
        value
    }

    fn lookup(&self, key: &Key) -> Option<Value> {
        self.numbers.get(key).copied()
    }

    /// To be known until the innermost block ends, where it is not known yet.
    fn remember(&mut self, key: Key, value: Value) {
        if let Some(block) = self.blocks.last_mut()
            && !block.dead
        {
            debug_assert!(
                !self.numbers.contains_key(&key),
                "what is known in a block is not numbered again in it"
            );
            block.numbered.push(key);
            self.numbers.insert(key, value);
        }
    }

    fn numbered(&mut self, key: Key, op: Op, ty: Ty, interval: Interval) -> Value {
        if let Some(value) = self.lookup(&key) {
            return value;
        }
        let value = self.define(op, ty, interval, None);
        self.remember(key, value);
        value
    }
}

const fn commutes(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(
        op,
        B::Add
            | B::Mul
            | B::AddChecked
            | B::MulChecked
            | B::And
            | B::Or
            | B::Xor
            | B::AndB
            | B::OrB
            | B::XorB
    )
}

/// Ruby's `Integer#/`; `None` where the quotient needs more than 64 bits.
pub fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// Ruby's `Integer#%`.
pub fn floor_mod(a: i64, b: i64) -> i64 {
    let remainder = a.wrapping_rem(b);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

/// The interval of an integer operation, where it has one within 64 bits.
fn arithmetic_interval(op: BinaryOp, x: Interval, y: Interval) -> Option<Interval> {
    use BinaryOp as B;
    let corners = |f: fn(i64, i64) -> Option<i64>| {
        let all = [f(x.low, y.low)?, f(x.low, y.high)?, f(x.high, y.low)?, f(x.high, y.high)?];
        Some(Interval { low: *all.iter().min()?, high: *all.iter().max()? })
    };
    match op {
        B::Add | B::AddChecked => {
            Some(Interval { low: x.low.checked_add(y.low)?, high: x.high.checked_add(y.high)? })
        }
        B::Sub | B::SubChecked => {
            Some(Interval { low: x.low.checked_sub(y.high)?, high: x.high.checked_sub(y.low)? })
        }
        B::Mul | B::MulChecked => corners(i64::checked_mul),
        B::FloorDiv if y.low > 0 => corners(floor_div),
        B::FloorMod if y.low > 0 => Some(if x.low >= 0 && x.high < y.low {
            x
        } else {
            Interval { low: 0, high: if x.low >= 0 { x.high.min(y.high - 1) } else { y.high - 1 } }
        }),
        B::FloorMod if y.high < 0 => Some(Interval { low: y.low + 1, high: 0 }),
        B::TruncRem if y.low > 0 => Some(Interval {
            low: if x.low >= 0 { 0 } else { -(y.high - 1) },
            high: if x.high <= 0 { 0 } else { y.high - 1 },
        }),
        B::And if x.low >= 0 || y.low >= 0 => {
            let high = match (x.low >= 0, y.low >= 0) {
                (true, true) => x.high.min(y.high),
                (true, false) => x.high,
                _ => y.high,
            };
            Some(Interval { low: 0, high })
        }
        B::Or | B::Xor if x.low >= 0 && y.low >= 0 => {
            let bits = 64 - (x.high | y.high).leading_zeros();
            let high = if bits >= 63 { i64::MAX } else { (1 << bits) - 1 };
            Some(Interval { low: 0, high })
        }
        // A factor without a sign is larger than what comes above the other one's word.
        B::MulHighU if x.low >= 0 || y.low >= 0 => {
            let bound = |of: Interval| if of.low >= 0 { (of.high - 1).max(0) } else { i64::MAX };
            Some(Interval { low: 0, high: bound(x).min(bound(y)) })
        }
        B::Shr if y.low >= 0 => {
            let (low, high) = (x.low >> y.low.min(63), x.high >> y.low.min(63));
            Some(Interval { low: low.min(x.low >> y.high.min(63)), high: high.max(x.high >> y.high.min(63)) })
        }
        _ => None,
    }
}
