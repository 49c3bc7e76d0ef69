//! One function of the IR as Cranelift IR: control flow, memory, calls and failures. Integer division is in
//! [`super::divide`], rounding and conversion of floats in [`super::float`].
//!
//! An entry is a loop over jobs with the entry's body inside; its failures leave the loop with the job's number. The
//! other functions return a status first, which the caller looks at.

use super::runtime::{DONE, FMOD, INTERRUPTED, POW, RANDOM, ThreadState, math_address};
use super::{IMPORT, internal};
use crate::error::Error;
use crate::ir::{
    BinaryOp, Block, Buffer, Comparison, FuncId, Function, Interval, Label, MathFn, Op, Program, SiteId,
    Stmt, Ty, UnaryOp, Value,
};
use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{
    self as clif, AbiParam, AliasRegionData, BlockArg, InstBuilder, MemFlagsData, Signature, StackSlotData,
    StackSlotKind, UserFuncName, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// What the first result of a callee, and the way out of any function, says.
const STATUS_DONE: i64 = 0;
const STATUS_FAILED: i64 = 1;
const STATUS_INTERRUPTED: i64 = 2;

/// What becomes of an IR function.
#[derive(Clone, Copy)]
pub enum Kind<'a> {
    Entry(&'a Function),
    Callee(&'a Function),
}

impl<'a> Kind<'a> {
    fn function(self) -> &'a Function {
        match self {
            Self::Entry(function) | Self::Callee(function) => function,
        }
    }
}

/// The functions that are called from an entry, directly or not.
pub fn callees(program: &Program) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    let mut open: Vec<FuncId> = program.entries.iter().map(|entry| entry.function).collect();
    while let Some(id) = open.pop() {
        any(&program.functions[id.0 as usize].body, &mut |stmt| {
            if let Stmt::Call { function, .. } = stmt
                && found.insert(*function)
            {
                open.push(*function);
            }
            false
        });
    }
    found
}

/// Does a statement of the block, or of one nested there, fulfil `test`?
fn any(block: &Block, test: &mut impl FnMut(&Stmt) -> bool) -> bool {
    block.iter().any(|stmt| {
        test(stmt)
            || match stmt {
                Stmt::If { then, otherwise, .. } => any(then, test) || any(otherwise, test),
                Stmt::Loop { body, .. } | Stmt::Block { body, .. } => any(body, test),
                _ => false,
            }
    })
}

/// That of [`super::runtime::EntryFn`].
pub fn entry_signature(isa: &dyn TargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params = vec![AbiParam::new(types::I64); 7];
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// (args, state, where results go if more than one, parameters) → (status, the result if there is one).
pub fn callee_signature(function: &Function, isa: &dyn TargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params = vec![AbiParam::new(types::I64); 2];
    signature.returns.push(AbiParam::new(types::I64));
    match function.results[..] {
        [] => {}
        [result] => signature.returns.push(AbiParam::new(clif_type(result))),
        _ => signature.params.push(AbiParam::new(types::I64)),
    }
    signature.params.extend(function.params.iter().map(|&ty| AbiParam::new(clif_type(ty))));
    signature
}

/// Emits a function into `target`. `functions` are the declared callees, by their number in the program.
pub fn function(
    program: &Program,
    functions: &[Option<cranelift_module::FuncId>],
    kind: Kind<'_>,
    module: &mut JITModule,
    target: &mut clif::Function,
    context: &mut FunctionBuilderContext,
) -> Result<(), Error> {
    target.name = UserFuncName::default();
    target.signature = match kind {
        Kind::Entry(_) => entry_signature(module.isa()),
        Kind::Callee(function) => callee_signature(function, module.isa()),
    };
    let config = module.target_config();
    let function = kind.function();
    let mut builder = FunctionBuilder::new(target, context);
    let start = builder.create_block();
    builder.append_block_params_for_function_params(start);
    builder.switch_to_block(start);
    builder.seal_block(start);
    let params = builder.block_params(start).to_vec();
    let (args, state) = match kind {
        Kind::Entry(_) => (params[0], params[6]),
        Kind::Callee(_) => (params[0], params[1]),
    };
    let leave = builder.create_block();
    let status = builder.append_block_param(leave, types::I64);
    builder.set_cold_block(leave);
    let mut emitter = Emitter {
        program,
        functions,
        module,
        values: vec![None; function.values.len()],
        ops: vec![None; function.values.len()],
        vars: Vec::new(),
        targets: HashMap::new(),
        imports: HashMap::new(),
        builder,
        function,
        args,
        state,
        place: Place::Callee { results: None },
        interrupt: None,
        fail: None,
        leave,
    };
    emitter.vars = function.vars.iter().map(|&ty| emitter.builder.declare_var(clif_type(ty))).collect();
    match kind {
        Kind::Entry(_) => emitter.entry(&params, status)?,
        Kind::Callee(_) => emitter.callee(&params, status)?,
    }
    emitter.builder.finalize(config);
    Ok(())
}

pub const fn clif_type(ty: Ty) -> clif::Type {
    match ty {
        Ty::Bool => types::I8,
        Ty::I32 => types::I32,
        Ty::I64 => types::I64,
        Ty::F64 => types::F64,
    }
}

/// Where element and tick are, and what `Return` does.
#[derive(Clone, Copy)]
enum Place {
    /// In values; `next` starts the next job. `stored`: also in the state, for callees and random numbers.
    Entry { element: clif::Value, tick: Variable, next: clif::Block, stored: bool },
    /// In the state.
    Callee { results: Option<clif::Value> },
}

/// Where `Break` and `Continue` of a label go.
struct Target {
    /// Made at the first `Break`: code after a loop that nothing leaves does not exist.
    after: Option<clif::Block>,
    header: Option<clif::Block>,
}

pub struct Emitter<'a> {
    pub builder: FunctionBuilder<'a>,
    program: &'a Program,
    function: &'a Function,
    functions: &'a [Option<cranelift_module::FuncId>],
    module: &'a mut JITModule,
    values: Vec<Option<clif::Value>>,
    /// What defines each value, as far as emitted.
    ops: Vec<Option<&'a Op>>,
    vars: Vec<Variable>,
    targets: HashMap<Label, Target>,
    imports: HashMap<&'static str, clif::FuncRef>,
    args: clif::Value,
    state: clif::Value,
    place: Place,
    /// Ends the function because of an interrupt.
    interrupt: Option<clif::Block>,
    /// Ends the function with a failure: (site, two operands).
    fail: Option<clif::Block>,
    /// Ends the function with a status other than done.
    leave: clif::Block,
}

/// Did control flow reach the end of what was emitted?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Open,
    Ended,
}

// The function's frame.
impl<'a> Emitter<'a> {
    fn entry(&mut self, params: &[clif::Value], status: clif::Value) -> Result<(), Error> {
        let &[_, order, lo, hi, first, end, _] = params else { return Err(internal("entry signature")) };
        if self.function.params != [Ty::I32, Ty::I64, Ty::I64] {
            return Err(internal("an entry takes element, first tick and end tick"));
        }
        let stored = any(&self.function.body, &mut |stmt| {
            matches!(stmt, Stmt::Call { .. } | Stmt::Let { op: Op::Random, .. })
        });
        let [header, body, ordered, known, next, exit] = [(); 6].map(|()| self.builder.create_block());
        let job = self.builder.append_block_param(header, types::I64);
        let element = self.builder.append_block_param(known, types::I32);
        let tick = self.builder.declare_var(types::I64);

        self.builder.ins().jump(header, &[lo.into()]);
        self.builder.switch_to_block(header);
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, job, hi);
        self.builder.ins().brif(more, body, &[], exit, &[]);

        self.start(body);
        let same = self.builder.ins().ireduce(types::I32, job);
        self.builder.ins().brif(order, ordered, &[], known, &[same.into()]);
        self.start(ordered);
        let at = self.scaled(order, job, 2);
        let flags = self.constant_memory();
        let found = self.builder.ins().load(types::I32, flags, at, 0);
        self.builder.ins().jump(known, &[found.into()]);
        self.start(known);
        self.place = Place::Entry { element, tick, next, stored };
        if stored {
            let flags = self.state_memory();
            self.builder.ins().store(flags, element, self.state, ThreadState::ELEMENT);
        }
        self.set_tick(first);
        for (var, &ty) in self.vars.clone().into_iter().zip(&self.function.vars) {
            let zero = self.zero(ty);
            self.builder.def_var(var, zero);
        }
        self.values[..3].copy_from_slice(&[Some(element), Some(first), Some(end)]);
        let body = &self.function.body;
        if self.block(body)? == Flow::Open {
            self.builder.ins().jump(next, &[]);
        }
        self.start(next);
        let following = self.builder.ins().iadd_imm_s(job, 1);
        self.builder.ins().jump(header, &[following.into()]);
        self.builder.seal_block(header);

        self.start(exit);
        let done = self.builder.ins().iconst(types::I64, DONE as i64);
        self.builder.ins().return_(&[done]);
        self.fail_block();
        self.interrupt_block();
        self.start(self.leave);
        let failed = self.builder.ins().icmp_imm_s(IntCC::Equal, status, STATUS_FAILED);
        let following = self.builder.ins().iadd_imm_s(job, 1);
        let interrupted = self.builder.ins().iconst(types::I64, INTERRUPTED as i64);
        let result = self.builder.ins().select(failed, following, interrupted);
        self.builder.ins().return_(&[result]);
        Ok(())
    }

    fn callee(&mut self, params: &[clif::Value], status: clif::Value) -> Result<(), Error> {
        let mut rest = &params[2..];
        if self.function.results.len() > 1 {
            self.place = Place::Callee { results: Some(rest[0]) };
            rest = &rest[1..];
        }
        for (value, param) in self.values.iter_mut().zip(rest) {
            *value = Some(*param);
        }
        self.poll();
        let body = &self.function.body;
        if self.block(body)? == Flow::Open {
            if !self.function.results.is_empty() {
                return Err(internal(format!("{} ends without its results", self.function.name)));
            }
            self.return_values(&[])?;
        }
        self.fail_block();
        self.interrupt_block();
        self.start(self.leave);
        let mut results = vec![status];
        if let [result] = self.function.results[..] {
            results.push(self.zero(result));
        }
        self.builder.ins().return_(&results);
        Ok(())
    }

    fn zero(&mut self, ty: Ty) -> clif::Value {
        match ty {
            Ty::F64 => self.builder.ins().f64const(0.0),
            _ => self.builder.ins().iconst(clif_type(ty), 0),
        }
    }

    fn fail_block(&mut self) {
        let Some(block) = self.fail else { return };
        self.start(block);
        let &[site, a, b] = self.builder.block_params(block) else { return };
        let (flags, state) = (self.state_memory(), self.state);
        if let Place::Entry { element, tick, .. } = self.place {
            let tick = self.builder.use_var(tick);
            self.builder.ins().store(flags, element, state, ThreadState::ELEMENT);
            self.builder.ins().store(flags, tick, state, ThreadState::TICK);
        }
        self.builder.ins().store(flags, site, state, ThreadState::SITE);
        self.builder.ins().store(flags, a, state, ThreadState::OPERANDS);
        self.builder.ins().store(flags, b, state, ThreadState::OPERANDS + 8);
        self.leave_with(STATUS_FAILED);
    }

    fn interrupt_block(&mut self) {
        let Some(block) = self.interrupt else { return };
        self.start(block);
        self.leave_with(STATUS_INTERRUPTED);
    }

    fn leave_with(&mut self, status: i64) {
        let status = self.builder.ins().iconst(types::I64, status);
        self.builder.ins().jump(self.leave, &[status.into()]);
    }

    /// Goes on in a block all of whose predecessors are there.
    pub fn start(&mut self, block: clif::Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    pub fn cold_block(&mut self) -> clif::Block {
        let block = self.builder.create_block();
        self.builder.set_cold_block(block);
        block
    }

    /// Leaves when the run is to stop. The load is atomic so that it is done anew each time.
    fn poll(&mut self) {
        let flags = self.constant_memory();
        let address = self.builder.ins().load(types::I64, flags, self.state, ThreadState::INTERRUPT);
        let flag = self.builder.ins().atomic_load(types::I8, MemFlagsData::trusted(), address);
        let interrupt = match self.interrupt {
            Some(block) => block,
            None => self.cold_block(),
        };
        self.interrupt = Some(interrupt);
        let go_on = self.builder.create_block();
        self.builder.ins().brif(flag, interrupt, &[], go_on, &[]);
        self.start(go_on);
    }
}

// Statements.
impl<'a> Emitter<'a> {
    fn block(&mut self, block: &'a Block) -> Result<Flow, Error> {
        for stmt in block {
            if self.stmt(stmt)? == Flow::Ended {
                return Ok(Flow::Ended);
            }
        }
        Ok(Flow::Open)
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result<Flow, Error> {
        match stmt {
            Stmt::Let { value, op, site } => {
                let result = self.op(op, self.ty(*value), *site)?;
                self.define(*value, Some(op), result);
            }
            Stmt::Set(var, value) => {
                let value = self.value(*value)?;
                self.builder.def_var(self.vars[var.0 as usize], value);
            }
            Stmt::Store { buffer, index, value } => {
                let value = self.value(*value)?;
                let address = self.element_address(*buffer, *index)?;
                let flags = self.buffer_memory(*buffer);
                self.builder.ins().store(flags, value, address, 0);
            }
            Stmt::If { condition, then, otherwise } => return self.branch(*condition, then, otherwise),
            Stmt::Loop { label, body } => {
                let header = self.builder.create_block();
                self.targets.insert(*label, Target { after: None, header: Some(header) });
                self.builder.ins().jump(header, &[]);
                self.builder.switch_to_block(header);
                // The tick loop is interrupted between slices of ticks; any other may run for long.
                if !any(body, &mut |stmt| matches!(stmt, Stmt::Tick(_))) {
                    self.poll();
                }
                if self.block(body)? == Flow::Open {
                    self.builder.ins().jump(header, &[]);
                }
                self.builder.seal_block(header);
                return Ok(self.after(*label));
            }
            Stmt::Block { label, body } => {
                self.targets.insert(*label, Target { after: None, header: None });
                if self.block(body)? == Flow::Open {
                    self.break_to(*label)?;
                }
                return Ok(self.after(*label));
            }
            Stmt::Break(label) => {
                self.break_to(*label)?;
                return Ok(Flow::Ended);
            }
            Stmt::Continue(label) => {
                let header = self.targets.get(label).and_then(|target| target.header);
                let header =
                    header.ok_or_else(|| internal(format!("continue {label} outside of its loop")))?;
                self.builder.ins().jump(header, &[]);
                return Ok(Flow::Ended);
            }
            Stmt::Check { condition, site, operands } => {
                let condition = self.value(*condition)?;
                let [ok, fail] = [self.builder.create_block(), self.cold_block()];
                self.builder.ins().brif(condition, ok, &[], fail, &[]);
                self.start(fail);
                self.fail(*site, operands)?;
                self.start(ok);
            }
            Stmt::Fail { site, operands } => {
                self.fail(*site, operands)?;
                return Ok(Flow::Ended);
            }
            Stmt::Call { function, args, results } => self.call(*function, args, results)?,
            Stmt::Return(values) => {
                self.return_values(values)?;
                return Ok(Flow::Ended);
            }
            Stmt::Tick(value) => {
                let tick = self.value(*value)?;
                self.set_tick(tick);
            }
        }
        Ok(Flow::Open)
    }

    fn branch(&mut self, condition: Value, then: &'a Block, otherwise: &'a Block) -> Result<Flow, Error> {
        let condition = self.value(condition)?;
        let yes = self.builder.create_block();
        let no = self.builder.create_block();
        self.builder.ins().brif(condition, yes, &[], no, &[]);
        self.start(yes);
        let mut merge = None;
        if self.block(then)? == Flow::Open {
            // An empty else-branch is its own merge point.
            let block = if otherwise.is_empty() { no } else { self.builder.create_block() };
            self.builder.ins().jump(block, &[]);
            merge = Some(block);
        }
        if otherwise.is_empty() {
            self.start(no);
            return Ok(Flow::Open);
        }
        self.start(no);
        if self.block(otherwise)? == Flow::Open {
            let block = merge.unwrap_or_else(|| self.builder.create_block());
            self.builder.ins().jump(block, &[]);
            merge = Some(block);
        }
        Ok(merge.map_or(Flow::Ended, |block| {
            self.start(block);
            Flow::Open
        }))
    }

    fn break_to(&mut self, label: Label) -> Result<(), Error> {
        let target = self.targets.get_mut(&label);
        let target = target.ok_or_else(|| internal(format!("break {label} outside of its block")))?;
        let after = *target.after.get_or_insert_with(|| self.builder.create_block());
        self.builder.ins().jump(after, &[]);
        Ok(())
    }

    /// Goes on behind a labelled block, if something gets there.
    fn after(&mut self, label: Label) -> Flow {
        match self.targets.remove(&label).and_then(|target| target.after) {
            Some(after) => {
                self.start(after);
                Flow::Open
            }
            None => Flow::Ended,
        }
    }

    fn return_values(&mut self, values: &[Value]) -> Result<(), Error> {
        let results = match self.place {
            Place::Entry { next, .. } => {
                self.builder.ins().jump(next, &[]);
                return Ok(());
            }
            Place::Callee { results } => results,
        };
        let status = self.builder.ins().iconst(types::I64, STATUS_DONE);
        let mut returned = vec![status];
        for (i, value) in values.iter().enumerate() {
            let value = self.value(*value)?;
            match results {
                Some(slot) => {
                    self.builder.ins().store(MemFlagsData::trusted(), value, slot, 8 * i as i32);
                }
                None => returned.push(value),
            }
        }
        self.builder.ins().return_(&returned);
        Ok(())
    }

    fn call(&mut self, id: FuncId, args: &[Value], results: &[Value]) -> Result<(), Error> {
        let declared = self.functions.get(id.0 as usize).copied().flatten();
        let declared = declared.ok_or_else(|| internal(format!("{id} is not declared")))?;
        let callee = self.module.declare_func_in_func(declared, self.builder.func);
        let mut passed = vec![self.args, self.state];
        let mut slot = None;
        if results.len() > 1 {
            let size = 8 * results.len() as u32;
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
            let made = self.builder.create_sized_stack_slot(data);
            passed.push(self.builder.ins().stack_addr(types::I64, made, 0));
            slot = Some(made);
        }
        for arg in args {
            passed.push(self.value(*arg)?);
        }
        let call = self.builder.ins().call(callee, &passed);
        let returned = self.builder.inst_results(call).to_vec();
        let go_on = self.builder.create_block();
        self.builder.ins().brif(returned[0], self.leave, &[returned[0].into()], go_on, &[]);
        self.start(go_on);
        for (i, &result) in results.iter().enumerate() {
            let value = match slot {
                Some(slot) => {
                    let address = self.builder.ins().stack_addr(types::I64, slot, 0);
                    let ty = clif_type(self.ty(result));
                    self.builder.ins().load(ty, MemFlagsData::trusted(), address, 8 * i as i32)
                }
                None => returned[1],
            };
            self.define(result, None, value);
        }
        Ok(())
    }

    fn set_tick(&mut self, value: clif::Value) {
        let stored = match self.place {
            Place::Entry { tick, stored, .. } => {
                self.builder.def_var(tick, value);
                stored
            }
            Place::Callee { .. } => true,
        };
        if stored {
            let (flags, state) = (self.state_memory(), self.state);
            let zero = self.builder.ins().iconst(types::I32, 0);
            self.builder.ins().store(flags, value, state, ThreadState::TICK);
            self.builder.ins().store(flags, zero, state, ThreadState::DRAW);
        }
    }

    /// Ends the current block with a failure.
    pub fn fail(&mut self, site: SiteId, operands: &[Value]) -> Result<(), Error> {
        let mut given = [None; 2];
        for (slot, operand) in given.iter_mut().zip(operands) {
            let value = self.value(*operand)?;
            *slot = Some(match self.ty(*operand) {
                Ty::Bool => self.builder.ins().uextend(types::I64, value),
                Ty::I32 => self.builder.ins().sextend(types::I64, value),
                Ty::I64 => value,
                Ty::F64 => self.builder.ins().bitcast(types::I64, MemFlagsData::new(), value),
            });
        }
        let site = self.builder.ins().iconst(types::I32, i64::from(site.0));
        let [a, b] = given.map(|v| v.unwrap_or_else(|| self.builder.ins().iconst(types::I64, 0)));
        let block = match self.fail {
            Some(block) => block,
            None => {
                let block = self.cold_block();
                for ty in [types::I32, types::I64, types::I64] {
                    self.builder.append_block_param(block, ty);
                }
                self.fail = Some(block);
                block
            }
        };
        self.builder.ins().jump(block, &[site.into(), a.into(), b.into()]);
        Ok(())
    }

    /// Fails at `site` when a condition of ours holds.
    pub fn fail_if(&mut self, condition: clif::Value, site: Option<SiteId>) -> Result<(), Error> {
        let site = site.ok_or_else(|| internal("an operation that can fail has no site"))?;
        let [ok, fail] = [self.builder.create_block(), self.cold_block()];
        self.builder.ins().brif(condition, fail, &[], ok, &[]);
        self.start(fail);
        self.fail(site, &[])?;
        self.start(ok);
        Ok(())
    }
}

// Memory. No access traps: indexes are in range, and state and arguments outlive the call.
impl Emitter<'_> {
    /// What never changes during a call and is always readable: arguments, the order of jobs.
    fn constant_memory(&self) -> MemFlagsData {
        MemFlagsData::trusted().with_readonly().with_can_move()
    }

    fn region(&mut self, user_id: u32, description: Cow<'static, str>) -> Option<clif::AliasRegion> {
        Some(self.builder.func.dfg.alias_regions.insert(AliasRegionData { user_id, description }))
    }

    fn state_memory(&mut self) -> MemFlagsData {
        let region = self.region(0, Cow::Borrowed("state"));
        MemFlagsData::trusted().with_alias_region(region)
    }

    /// Buffers do not overlap, so each written one is a region. A load must not move above the check of its index,
    /// so it never `can_move`.
    fn buffer_memory(&mut self, buffer: Buffer) -> MemFlagsData {
        if self.program.buffers[buffer.0 as usize].written {
            let region = self.region(buffer.0 + 2, Cow::Owned(buffer.to_string()));
            MemFlagsData::trusted().with_alias_region(region)
        } else {
            let region = self.region(1, Cow::Borrowed("never written"));
            MemFlagsData::trusted().with_readonly().with_alias_region(region)
        }
    }

    fn scaled(&mut self, base: clif::Value, index: clif::Value, shift: i64) -> clif::Value {
        let offset = self.builder.ins().ishl_imm_u(index, shift);
        self.builder.ins().iadd(base, offset)
    }

    fn element_address(&mut self, buffer: Buffer, index: Value) -> Result<clif::Value, Error> {
        let flags = self.constant_memory();
        let base = self.builder.ins().load(types::I64, flags, self.args, 8 * buffer.0 as i32);
        let index = self.index(index)?;
        let shift = match self.program.buffers[buffer.0 as usize].ty {
            Ty::Bool => 0,
            Ty::I32 => 2,
            Ty::I64 | Ty::F64 => 3,
        };
        Ok(self.scaled(base, index, shift))
    }

    /// An index, which is in range and so not negative, in 64 bits.
    fn index(&mut self, index: Value) -> Result<clif::Value, Error> {
        if let Some(Op::Unary(UnaryOp::WrapI64, wide)) = self.ops[index.0 as usize] {
            return self.value(*wide);
        }
        let index = self.value(index)?;
        Ok(self.builder.ins().uextend(types::I64, index))
    }
}

// Values.
impl<'a> Emitter<'a> {
    fn define(&mut self, value: Value, op: Option<&'a Op>, result: clif::Value) {
        self.values[value.0 as usize] = Some(result);
        self.ops[value.0 as usize] = op;
    }

    pub fn value(&self, value: Value) -> Result<clif::Value, Error> {
        let found = self.values.get(value.0 as usize).copied().flatten();
        found.ok_or_else(|| internal(format!("{value} is used before it is defined")))
    }

    pub fn ty(&self, value: Value) -> Ty {
        self.function.values[value.0 as usize].ty
    }

    /// What defines a value, if it has been emitted.
    pub fn definition(&self, value: Value) -> Option<&'a Op> {
        self.ops[value.0 as usize]
    }

    pub fn interval(&self, value: Value) -> Interval {
        let known = self.function.values[value.0 as usize].interval;
        match self.definition(value) {
            Some(Op::I32(n)) => Interval::constant(i64::from(*n)),
            Some(Op::I64(n)) => Interval::constant(*n),
            Some(Op::Unary(UnaryOp::ExtendI32, narrow)) => {
                let narrow = self.interval(*narrow);
                Interval { low: known.low.max(narrow.low), high: known.high.min(narrow.high) }
            }
            _ if self.ty(value) == Ty::I32 => Interval {
                low: known.low.max(i64::from(i32::MIN)),
                high: known.high.min(i64::from(i32::MAX)),
            },
            _ => known,
        }
    }

    fn op(&mut self, op: &'a Op, ty: Ty, site: Option<SiteId>) -> Result<clif::Value, Error> {
        Ok(match op {
            Op::Bool(b) => self.builder.ins().iconst(types::I8, i64::from(*b)),
            Op::I32(n) => self.builder.ins().iconst(types::I32, i64::from(*n)),
            Op::I64(n) => self.builder.ins().iconst(types::I64, *n),
            Op::F64(x) => self.builder.ins().f64const(*x),
            Op::Get(var) => self.builder.use_var(self.vars[var.0 as usize]),
            Op::Scalar(scalar) => {
                let flags = self.constant_memory();
                let offset = 8 * (self.program.buffers.len() + scalar.0 as usize) as i32;
                let loaded = if ty == Ty::F64 { types::F64 } else { types::I64 };
                let value = self.builder.ins().load(loaded, flags, self.args, offset);
                match ty {
                    Ty::Bool | Ty::I32 => self.builder.ins().ireduce(clif_type(ty), value),
                    Ty::I64 | Ty::F64 => value,
                }
            }
            Op::Element => match self.place {
                Place::Entry { element, .. } => element,
                Place::Callee { .. } => {
                    let flags = self.constant_memory();
                    self.builder.ins().load(types::I32, flags, self.state, ThreadState::ELEMENT)
                }
            },
            Op::Tick => match self.place {
                Place::Entry { tick, .. } => self.builder.use_var(tick),
                Place::Callee { .. } => {
                    let flags = self.state_memory();
                    self.builder.ins().load(types::I64, flags, self.state, ThreadState::TICK)
                }
            },
            Op::Unary(op, a) => self.unary(*op, *a)?,
            Op::Binary(op, a, b) => self.binary(*op, *a, *b, site)?,
            Op::Compare(comparison, a, b) => self.compare(*comparison, *a, *b)?,
            Op::Select(condition, a, b) => {
                let [condition, a, b] = [self.value(*condition)?, self.value(*a)?, self.value(*b)?];
                self.builder.ins().select(condition, a, b)
            }
            Op::Load(buffer, index) => {
                let address = self.element_address(*buffer, *index)?;
                let flags = self.buffer_memory(*buffer);
                let loaded = self.builder.ins().load(clif_type(ty), flags, address, 0);
                if ty == Ty::Bool { self.builder.ins().band_imm_s(loaded, 1) } else { loaded }
            }
            Op::Math(MathFn::Sqrt, args) => {
                let x = self.value(args[0])?;
                self.builder.ins().sqrt(x)
            }
            Op::Math(function, args) => {
                debug_assert!(!math_address(*function).is_null());
                let args = args.iter().map(|arg| self.value(*arg)).collect::<Result<Vec<_>, _>>()?;
                self.call_c(function.c_name(), &args, types::F64)?
            }
            Op::Random => self.call_c(RANDOM, &[self.state], types::I64)?,
        })
    }

    /// Calls a function of [`super::runtime::symbols`].
    pub fn call_c(
        &mut self,
        name: &'static str,
        args: &[clif::Value],
        result: clif::Type,
    ) -> Result<clif::Value, Error> {
        let callee = match self.imports.get(name) {
            Some(callee) => *callee,
            None => {
                let mut signature = self.module.make_signature();
                for &arg in args {
                    signature.params.push(AbiParam::new(self.builder.func.dfg.value_type(arg)));
                }
                signature.returns.push(AbiParam::new(result));
                let id = self.module.declare_function(name, IMPORT, &signature).map_err(internal)?;
                let callee = self.module.declare_func_in_func(id, self.builder.func);
                self.imports.insert(name, callee);
                callee
            }
        };
        let call = self.builder.ins().call(callee, args);
        Ok(self.builder.inst_results(call)[0])
    }

    fn unary(&mut self, op: UnaryOp, a: Value) -> Result<clif::Value, Error> {
        let x = self.value(a)?;
        Ok(match op {
            UnaryOp::Not => match self.definition(a) {
                Some(Op::Compare(comparison, a, b)) => self.compare_not(*comparison, *a, *b)?,
                _ => self.builder.ins().bxor_imm_u(x, 1),
            },
            UnaryOp::NegF => self.builder.ins().fneg(x),
            UnaryOp::AbsF => self.builder.ins().fabs(x),
            UnaryOp::FloorF => self.builder.ins().floor(x),
            UnaryOp::CeilF => self.builder.ins().ceil(x),
            UnaryOp::TruncF => self.builder.ins().trunc(x),
            UnaryOp::RoundF => self.round_half_away(x),
            UnaryOp::RoundEvenF => self.builder.ins().nearest(x),
            UnaryOp::BitNot => self.builder.ins().bnot(x),
            UnaryOp::ExtendI32 => match self.definition(a) {
                Some(Op::Unary(UnaryOp::WrapI64, wide)) => self.value(*wide)?,
                _ if self.interval(a).low >= 0 => self.builder.ins().uextend(types::I64, x),
                _ => self.builder.ins().sextend(types::I64, x),
            },
            UnaryOp::WrapI64 => self.narrow(a)?,
            UnaryOp::I64ToF64 => self.builder.ins().fcvt_from_sint(types::F64, x),
            UnaryOp::F64ToI64 => self.builder.ins().fcvt_to_sint_sat(types::I64, x),
            UnaryOp::BoolToI64 => self.builder.ins().uextend(types::I64, x),
            UnaryOp::BitsToF64 => self.builder.ins().bitcast(types::F64, MemFlagsData::new(), x),
            UnaryOp::BitsToI64 => self.builder.ins().bitcast(types::I64, MemFlagsData::new(), x),
            UnaryOp::BitLength => {
                let sign = self.builder.ins().sshr_imm_u(x, 63);
                let magnitude = self.builder.ins().bxor(x, sign);
                let zeros = self.builder.ins().clz(magnitude);
                let bits = self.builder.ins().iconst(types::I64, 64);
                self.builder.ins().isub(bits, zeros)
            }
            UnaryOp::IsNan => self.builder.ins().fcmp(FloatCC::Unordered, x, x),
        })
    }

    /// The low half of an `I64`.
    pub fn narrow(&mut self, wide: Value) -> Result<clif::Value, Error> {
        if let Some(Op::Unary(UnaryOp::ExtendI32, narrow)) = self.definition(wide) {
            return self.value(*narrow);
        }
        let wide = self.value(wide)?;
        Ok(self.builder.ins().ireduce(types::I32, wide))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: Value,
        b: Value,
        site: Option<SiteId>,
    ) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        Ok(match op {
            BinaryOp::Add => self.builder.ins().iadd(x, y),
            BinaryOp::Sub => self.builder.ins().isub(x, y),
            BinaryOp::Mul => self.builder.ins().imul(x, y),
            BinaryOp::AddChecked => match (self.constant(a), self.constant(b)) {
                (_, Some(step)) => self.step(x, y, step, site)?,
                (Some(step), None) => self.step(y, x, step, site)?,
                _ => {
                    let (sum, overflow) = self.builder.ins().sadd_overflow(x, y);
                    self.fail_if(overflow, site)?;
                    sum
                }
            },
            BinaryOp::SubChecked => match self.constant(b).and_then(i64::checked_neg) {
                Some(step) => {
                    let y = self.builder.ins().iconst(types::I64, step);
                    self.step(x, y, step, site)?
                }
                None => {
                    let (difference, overflow) = self.builder.ins().ssub_overflow(x, y);
                    self.fail_if(overflow, site)?;
                    difference
                }
            },
            BinaryOp::MulChecked => {
                let (product, overflow) = self.builder.ins().smul_overflow(x, y);
                self.fail_if(overflow, site)?;
                product
            }
            BinaryOp::FloorDiv => self.floor_div(a, b, site)?,
            BinaryOp::FloorMod => self.floor_mod(a, b)?,
            BinaryOp::TruncRem => self.trunc_rem(a, b)?,
            BinaryOp::And => self.builder.ins().band(x, y),
            BinaryOp::Or => self.builder.ins().bor(x, y),
            BinaryOp::Xor | BinaryOp::XorB => self.builder.ins().bxor(x, y),
            BinaryOp::Shl => self.builder.ins().ishl(x, y),
            BinaryOp::Shr => self.builder.ins().sshr(x, y),
            BinaryOp::AddF => self.builder.ins().fadd(x, y),
            BinaryOp::SubF => self.builder.ins().fsub(x, y),
            BinaryOp::MulF => self.builder.ins().fmul(x, y),
            BinaryOp::DivF => self.builder.ins().fdiv(x, y),
            BinaryOp::FloorModF => self.floor_mod_float(x, y)?,
            BinaryOp::RemF => self.call_c(FMOD, &[x, y], types::F64)?,
            BinaryOp::PowF => self.call_c(POW, &[x, y], types::F64)?,
            BinaryOp::AndB => self.builder.ins().band(x, y),
            BinaryOp::OrB => self.builder.ins().bor(x, y),
            BinaryOp::MulHighU => self.builder.ins().umulhi(x, y),
        })
    }

    /// `x` plus a constant: it overflowed exactly if the sum lies on the wrong side of `x`, one comparison.
    fn step(
        &mut self,
        x: clif::Value,
        y: clif::Value,
        step: i64,
        site: Option<SiteId>,
    ) -> Result<clif::Value, Error> {
        let sum = self.builder.ins().iadd(x, y);
        let wrong = if step >= 0 { IntCC::SignedLessThan } else { IntCC::SignedGreaterThan };
        let overflow = self.builder.ins().icmp(wrong, sum, x);
        self.fail_if(overflow, site)?;
        Ok(sum)
    }

    pub fn constant(&self, value: Value) -> Option<i64> {
        let interval = self.interval(value);
        (interval.low == interval.high).then_some(interval.low)
    }

    fn compare(&mut self, comparison: Comparison, a: Value, b: Value) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        Ok(if self.ty(a) == Ty::F64 {
            self.builder.ins().fcmp(float_condition(comparison), x, y)
        } else {
            self.builder.ins().icmp(int_condition(comparison), x, y)
        })
    }

    fn compare_not(&mut self, comparison: Comparison, a: Value, b: Value) -> Result<clif::Value, Error> {
        let [x, y] = [self.value(a)?, self.value(b)?];
        Ok(if self.ty(a) == Ty::F64 {
            self.builder.ins().fcmp(float_condition(comparison).complement(), x, y)
        } else {
            self.builder.ins().icmp(int_condition(comparison).complement(), x, y)
        })
    }

    /// Jumps to `block` with one argument.
    pub fn jump(&mut self, block: clif::Block, value: clif::Value) {
        self.builder.ins().jump(block, &[BlockArg::Value(value)]);
    }
}

const fn int_condition(comparison: Comparison) -> IntCC {
    match comparison {
        Comparison::Eq => IntCC::Equal,
        Comparison::Ne => IntCC::NotEqual,
        Comparison::Lt => IntCC::SignedLessThan,
        Comparison::Le => IntCC::SignedLessThanOrEqual,
        Comparison::Gt => IntCC::SignedGreaterThan,
        Comparison::Ge => IntCC::SignedGreaterThanOrEqual,
        Comparison::LtU => IntCC::UnsignedLessThan,
    }
}

const fn float_condition(comparison: Comparison) -> FloatCC {
    match comparison {
        Comparison::Eq => FloatCC::Equal,
        Comparison::Ne => FloatCC::NotEqual,
        // `LtU` is for integers; the verifier refuses it on floats.
        Comparison::Lt | Comparison::LtU => FloatCC::LessThan,
        Comparison::Le => FloatCC::LessThanOrEqual,
        Comparison::Gt => FloatCC::GreaterThan,
        Comparison::Ge => FloatCC::GreaterThanOrEqual,
    }
}
