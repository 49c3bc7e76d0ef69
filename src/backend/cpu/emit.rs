//! One function of the IR as Cranelift IR: control flow, calls and failures. Operations are in
//! [`super::value`], integer division in [`super::divide`], rounding and modulo of floats in [`super::float`].
//!
//! An entry is a loop over jobs with the entry's body inside; its failures leave the loop with the job's number. The
//! other functions return a status first, which the caller looks at.

use super::internal;
use super::runtime::{DONE, INTERRUPTED, ThreadState};
use crate::error::Error;
use crate::ir::{Block, FuncId, Function, Label, Op, Program, SiteId, Stmt, Ty, Value};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self as clif, AbiParam, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, UserFuncName,
    types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
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
pub enum Place {
    /// In values; `next` starts the next job. `stored`: also in the state, for callees and random numbers.
    Entry { element: clif::Value, tick: Variable, next: clif::Block, stored: bool },
    /// In the state.
    Callee { results: Option<clif::Value> },
}

/// Where `Break` and `Continue` of a label go.
pub struct Target {
    /// Made at the first `Break`: code after a loop that nothing leaves does not exist.
    after: Option<clif::Block>,
    header: Option<clif::Block>,
}

pub struct Emitter<'a> {
    pub builder: FunctionBuilder<'a>,
    pub program: &'a Program,
    pub function: &'a Function,
    pub functions: &'a [Option<cranelift_module::FuncId>],
    pub module: &'a mut JITModule,
    pub values: Vec<Option<clif::Value>>,
    /// What defines each value, as far as emitted.
    pub ops: Vec<Option<&'a Op>>,
    pub vars: Vec<Variable>,
    pub targets: HashMap<Label, Target>,
    pub imports: HashMap<&'static str, clif::FuncRef>,
    pub args: clif::Value,
    pub state: clif::Value,
    pub place: Place,
    /// Ends the function because of an interrupt.
    pub interrupt: Option<clif::Block>,
    /// Ends the function with a failure: (site, two operands).
    pub fail: Option<clif::Block>,
    /// Ends the function with a status other than done.
    pub leave: clif::Block,
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
