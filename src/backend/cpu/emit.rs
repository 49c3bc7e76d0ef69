//! One function of the IR as Cranelift IR: control flow, calls and failures. Operations are in
//! [`super::value`], integer division in [`super::divide`], rounding and modulo of floats in [`super::float`].

use super::deferred::{LINE, Log};
use super::frame::{STATUS_BROKEN, STATUS_DONE};
use super::internal;
use super::runtime::{GROW, ThreadState};
use crate::error::Error;
use crate::ir::{Block, Buffer, FuncId, Function, Label, Op, Program, SiteId, Stmt, Value, walk};
use crate::scalar::Ty;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self as clif, InstBuilder, MemFlagsData, SourceLoc, StackSlotData, StackSlotKind, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use std::collections::{HashMap, HashSet};

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
pub enum Convention {
    /// In values; `next` starts the next job. `stored`: also in the state, for callees and random numbers.
    Entry { element: clif::Value, tick: Variable, next: clif::Block, stored: bool },
    /// In the state.
    Callee { results: Option<clif::Value> },
}

/// How many ticks the entry runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ticks {
    Many,
    One,
    /// One, and what is being emitted comes after it.
    Over,
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
    pub deferred: &'a [FuncId],
    pub module: &'a mut JITModule,
    pub values: Vec<Option<clif::Value>>,
    /// What defines each value, as far as emitted.
    pub ops: Vec<Option<&'a Op>>,
    /// By number; several may share one.
    pub vars: Vec<Variable>,
    /// Those that are zero before anything sets them.
    pub zeroed: Vec<(Variable, Ty)>,
    pub targets: HashMap<Label, Target>,
    pub imports: HashMap<&'static str, clif::FuncRef>,
    /// Buffers of one row, which are in variables.
    pub rows: HashMap<Buffer, Variable>,
    /// Emitted before the loop over jobs.
    pub hoisted: HashSet<Value>,
    pub args: clif::Value,
    pub state: clif::Value,
    pub convention: Convention,
    pub ticks: Ticks,
    /// Ends the function because of an interrupt.
    pub interrupt: Option<clif::Block>,
    /// Ends the function with the failure that the state names.
    pub fail: Option<clif::Block>,
    /// Ends the function with a status other than done.
    pub leave: clif::Block,
    /// Columns are not in its arguments.
    pub is_driver: bool,
    /// Somebody wants to see what comes of which expression.
    pub is_shown: bool,
}

/// Did control flow reach the end of what was emitted?
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Open,
    Ended,
}

impl<'a> Emitter<'a> {
    pub fn block(&mut self, block: &'a Block) -> Result<Flow, Error> {
        for stmt in block {
            if self.stmt(stmt)? == Flow::Ended {
                return Ok(Flow::Ended);
            }
        }
        Ok(Flow::Open)
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result<Flow, Error> {
        if self.is_shown {
            let number = self.function.origin(stmt).number();
            self.builder.set_srcloc(number.map_or_else(SourceLoc::default, SourceLoc::new));
        }
        match stmt {
            Stmt::Let { value, .. } if self.hoisted.contains(value) => {}
            Stmt::Let { value, op, site } => {
                let result = self.op(op, self.ty(*value), *site)?;
                self.define(*value, Some(op), result);
            }
            Stmt::Set(var, value) => {
                let value = self.value(*value)?;
                self.builder.def_var(self.vars[var.0 as usize], value);
            }
            Stmt::Store { buffer, index, value } if self.is_driver => {
                self.store_row(*buffer, *index, *value)?
            }
            Stmt::Launch { kernel, ticks } => self.launch(*kernel, *ticks)?,
            Stmt::Over { count, .. } => self.over(stmt, *count)?,
            Stmt::Copy { from, first, count, into } => self.copy((*from, *into), *first, *count)?,
            Stmt::Assign(scalar, value) => self.assign(*scalar, *value)?,
            Stmt::Sync(number) => self.sync(*number)?,
            Stmt::Progress { done, total } => self.progress(*done, *total)?,
            Stmt::Reduce { reduction, column, given, from, results } => {
                self.reduce(*reduction, (*column, *given), *from, *results)?;
            }
            Stmt::Store { buffer, index, value } => {
                let value = self.value(*value)?;
                if let Some(row) = self.rows.get(buffer) {
                    self.builder.def_var(*row, value);
                    return Ok(Flow::Open);
                }
                let address = self.element_address(*buffer, *index)?;
                let flags = self.buffer_memory(*buffer);
                self.builder.ins().store(flags, value, address, 0);
            }
            Stmt::If { condition, then, otherwise } => return self.branch(*condition, then, otherwise),
            Stmt::Loop { label, body } => return self.repeat(*label, body),
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
            Stmt::Defer { function, args } => self.defer(*function, args)?,
            Stmt::Return(values) => {
                self.return_values(values)?;
                return Ok(Flow::Ended);
            }
            Stmt::Tick(_) if self.ticks == Ticks::Over => {
                self.leave_with(STATUS_BROKEN);
                return Ok(Flow::Ended);
            }
            Stmt::Tick(value) => {
                let tick = self.value(*value)?;
                self.set_tick(tick);
            }
            Stmt::Path(value) => {
                let (path, flags) = (self.value(*value)?, self.state_memory());
                self.builder.ins().store(flags, path, self.state, ThreadState::PATH);
            }
        }
        Ok(Flow::Open)
    }

    fn repeat(&mut self, label: Label, body: &'a Block) -> Result<Flow, Error> {
        let header = self.builder.create_block();
        self.targets.insert(label, Target { after: None, header: Some(header) });
        let ticks = body.iter().any(|stmt| matches!(stmt, Stmt::Tick(_)));
        if self.ticks == Ticks::One && ticks {
            // The body, and then its beginning once more, where it finds that there are no more ticks: with these
            // known to be one, Cranelift folds that away and the loop is none.
            if self.block(body)? == Flow::Open {
                self.builder.ins().jump(header, &[]);
            }
            self.start(header);
            self.ticks = Ticks::Over;
            if self.block(body)? == Flow::Open {
                self.leave_with(STATUS_BROKEN);
            }
            self.ticks = Ticks::One;
            return Ok(self.after(label));
        }
        self.builder.ins().jump(header, &[]);
        self.builder.switch_to_block(header);
        if walk::may_run_long(body) {
            self.poll();
        }
        if self.block(body)? == Flow::Open {
            self.builder.ins().jump(header, &[]);
        }
        self.builder.seal_block(header);
        Ok(self.after(label))
    }

    fn branch(&mut self, condition: Value, then: &'a Block, otherwise: &'a Block) -> Result<Flow, Error> {
        let mut merge = None;
        self.branch_to(condition, (then, otherwise), &mut merge)?;
        Ok(merge.map_or(Flow::Ended, |block| {
            self.start(block);
            Flow::Open
        }))
    }

    /// Both arms go on at `merge`, which is made when the first one does.
    fn branch_to(
        &mut self,
        condition: Value,
        (then, otherwise): (&'a Block, &'a Block),
        merge: &mut Option<clif::Block>,
    ) -> Result<(), Error> {
        let condition = self.value(condition)?;
        let yes = self.builder.create_block();
        // An empty else-branch is its own merge point.
        let no = if otherwise.is_empty() { self.merge(merge) } else { self.builder.create_block() };
        self.builder.ins().brif(condition, yes, &[], no, &[]);
        self.start(yes);
        self.arm(then, merge)?;
        if !otherwise.is_empty() {
            self.start(no);
            self.arm(otherwise, merge)?;
        }
        Ok(())
    }

    /// A condition at its end goes on where it does, without a place of its own where its arms meet.
    fn arm(&mut self, block: &'a Block, merge: &mut Option<clif::Block>) -> Result<(), Error> {
        if let Some((Stmt::If { condition, then, otherwise }, before)) = block.split_last() {
            for stmt in before {
                if self.stmt(stmt)? == Flow::Ended {
                    return Ok(());
                }
            }
            return self.branch_to(*condition, (then, otherwise), merge);
        }
        if self.block(block)? == Flow::Open {
            let merge = self.merge(merge);
            self.builder.ins().jump(merge, &[]);
        }
        Ok(())
    }

    fn merge(&mut self, merge: &mut Option<clif::Block>) -> clif::Block {
        *merge.get_or_insert_with(|| self.builder.create_block())
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

    pub fn return_values(&mut self, values: &[Value]) -> Result<(), Error> {
        let results = match self.convention {
            Convention::Entry { next, .. } => {
                self.builder.ins().jump(next, &[]);
                return Ok(());
            }
            Convention::Callee { results } => results,
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

    /// Writes a record (see [`super::deferred`]).
    fn defer(&mut self, function: FuncId, args: &[Value]) -> Result<(), Error> {
        let number = self.deferred.iter().position(|deferred| *deferred == function);
        let number = number.ok_or_else(|| internal(format!("{function} is not deferred")))?;
        let words = args.iter().map(|arg| self.value(*arg)).collect::<Result<Vec<_>, _>>()?;
        let Some((row, words)) = words.split_first() else { return Err(internal("a record without a row")) };
        let flags = MemFlagsData::trusted();
        let row = self.builder.ins().uextend(types::I64, *row);
        let constant = self.constant_memory();
        let log = self.builder.ins().load(types::I64, constant, self.state, ThreadState::LOG);
        let cursors = self.builder.ins().load(types::I64, constant, log, Log::CURSORS);
        let mask = self.builder.ins().load(types::I64, constant, log, Log::MASK);
        // Lists of a function lie behind each other, one for each partition of the rows.
        let partition = self.builder.ins().ushr_imm_u(row, LINE);
        let partition = self.builder.ins().band(partition, mask);
        let partitions = self.builder.ins().iadd_imm_s(mask, 1);
        let first = self.builder.ins().imul_imm_s(partitions, number as i64);
        let list = self.builder.ins().iadd(first, partition);
        let cursor = self.builder.ins().imul_imm_s(list, Log::CURSOR);
        let cursor = self.builder.ins().iadd(cursors, cursor);
        let next = self.builder.ins().load(types::I64, flags, cursor, Log::NEXT);
        let end = self.builder.ins().load(types::I64, flags, cursor, Log::END);
        let room = self.builder.ins().isub(end, next);
        let is_full = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, room, 8 * args.len() as i64);
        let [write, full, done] =
            [self.builder.create_block(), self.cold_block(), self.builder.create_block()];
        let place = self.builder.append_block_param(write, types::I64);
        self.builder.ins().brif(is_full, full, &[], write, &[next.into()]);
        self.start(full);
        let next = self.call_c(GROW, &[self.state, list], types::I64)?;
        self.builder.ins().brif(next, write, &[next.into()], done, &[]);
        self.start(write);
        let element = self.op(&Op::Element, Ty::I32, None)?;
        let element = self.builder.ins().uextend(types::I64, element);
        let element = self.builder.ins().ishl_imm_u(element, 32);
        let head = self.builder.ins().bor(row, element);
        self.builder.ins().store(flags, head, place, 0);
        for (i, word) in words.iter().enumerate() {
            self.builder.ins().store(flags, *word, place, 8 * (i as i32 + 1));
        }
        let next = self.builder.ins().iadd_imm_s(place, 8 * args.len() as i64);
        self.builder.ins().store(flags, next, cursor, Log::NEXT);
        self.builder.ins().jump(done, &[]);
        self.start(done);
        Ok(())
    }

    pub fn set_tick(&mut self, value: clif::Value) {
        let stored = match self.convention {
            Convention::Entry { tick, stored, .. } => {
                self.builder.def_var(tick, value);
                stored
            }
            Convention::Callee { .. } => true,
        };
        if stored {
            let (flags, state) = (self.state_memory(), self.state);
            let zero = self.builder.ins().iconst(types::I32, 0);
            self.builder.ins().store(flags, value, state, ThreadState::TICK);
            self.builder.ins().store(flags, zero, state, ThreadState::DRAW);
        }
    }

    /// Ends the current block with a failure. It writes site and operands down itself: parameters of the block that ends
    /// the function would be values with as many definitions as there are failures, which take registers long to find.
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
        let (flags, state) = (self.state_memory(), self.state);
        self.builder.ins().store(flags, site, state, ThreadState::SITE);
        self.builder.ins().store(flags, a, state, ThreadState::OPERANDS);
        self.builder.ins().store(flags, b, state, ThreadState::OPERANDS + 8);
        let block = match self.fail {
            Some(block) => block,
            None => {
                let block = self.cold_block();
                *self.fail.insert(block)
            }
        };
        self.builder.ins().jump(block, &[]);
        Ok(())
    }

    /// Fails an operation of `operands` at `site` when a condition of ours holds.
    pub fn fail_if(
        &mut self,
        condition: clif::Value,
        site: Option<SiteId>,
        operands: [Value; 2],
    ) -> Result<(), Error> {
        let site = site.ok_or_else(|| internal("an operation that can fail has no site"))?;
        let [ok, fail] = [self.builder.create_block(), self.cold_block()];
        self.builder.ins().brif(condition, fail, &[], ok, &[]);
        self.start(fail);
        self.fail(site, &operands)?;
        self.start(ok);
        Ok(())
    }
}
