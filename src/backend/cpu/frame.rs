//! The frames that functions of the IR stand in.
//!
//! An entry is a loop over jobs with the entry's body inside; its failures leave the loop with the job's number. The
//! other functions return a status first, which the caller looks at.

use super::emit::{Convention, Emitter, Flow, Ticks, clif_type};
use super::internal;
use super::live_ranges;
use super::runtime::{DONE, ThreadState};
use crate::error::Error;
use crate::ir::{BinaryOp, BufferInfo, BufferKind, FuncId, Function, Op, Program, Stmt, walk};
use crate::scalar::Ty;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self as clif, AbiParam, InstBuilder, MemFlagsData, Signature, UserFuncName, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What the first result of a callee, and the way out of any function, says.
pub const STATUS_DONE: i64 = 0;
pub const STATUS_FAILED: i64 = 1;
pub const STATUS_INTERRUPTED: i64 = 2;
/// The program did not keep to its ticks.
pub const STATUS_BROKEN: i64 = 3;

/// What becomes of an IR function.
#[derive(Clone, Copy)]
pub enum Kind<'a> {
    Entry(&'a Function),
    /// An entry that is called with one tick only.
    EntryTick(&'a Function),
    Callee(&'a Function),
    /// The driver (see [`super::driver`]).
    Driver(&'a Function),
    /// A function that a driver calls.
    Called(&'a Function),
    /// What elements defer: a loop over records (see [`super::deferred`]).
    Deferred(&'a Function),
}

impl<'a> Kind<'a> {
    fn function(self) -> &'a Function {
        match self {
            Self::Entry(function)
            | Self::EntryTick(function)
            | Self::Callee(function)
            | Self::Driver(function)
            | Self::Called(function)
            | Self::Deferred(function) => function,
        }
    }
}

/// The functions that are called from an entry, directly or not.
pub fn callees(program: &Program) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    for id in program.called_from(program.entries().map(|entry| entry.function)) {
        walk::for_each(&program.functions[id.0 as usize].body, &mut |stmt| {
            if let Stmt::Call { function, .. } = stmt {
                found.insert(*function);
            }
        });
    }
    found
}

/// Functions that call each other in a chain of this length, of a program of so many statements, have room on any thread's
/// stack: most values are on it once, in 8 bytes.
const SHORT_CHAIN: usize = 16;
const SMALL_PROGRAM: usize = 8_000;

/// Do calls of these functions and of those that they call want more of a stack than any thread has, as functions that call
/// themselves may?
pub fn nest_deeply(program: &Program, functions: &[FuncId]) -> bool {
    if program.size() > SMALL_PROGRAM {
        let calls = |id: &FuncId| {
            walk::any(&program.functions[id.0 as usize].body, &mut |stmt| matches!(stmt, Stmt::Call { .. }))
        };
        return functions.iter().any(calls);
    }
    let mut seen = HashSet::new();
    let mut open: Vec<(FuncId, usize)> = functions.iter().map(|function| (*function, 0)).collect();
    while let Some((id, depth)) = open.pop() {
        if depth > SHORT_CHAIN {
            return true;
        }
        walk::any(&program.functions[id.0 as usize].body, &mut |stmt| {
            if let Stmt::Call { function, .. } = stmt
                && seen.insert((*function, depth + 1))
            {
                open.push((*function, depth + 1));
            }
            false
        });
    }
    false
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

/// Emits a function into `target`. `functions` are the declared callees, by their number in the program, and `deferred`
/// what elements defer.
pub fn function(
    program: &Program,
    (functions, deferred): (&[Option<cranelift_module::FuncId>], &[FuncId]),
    kind: Kind<'_>,
    module: &mut JITModule,
    (target, context): (&mut clif::Function, &mut FunctionBuilderContext),
    is_shown: bool,
) -> Result<(), Error> {
    target.name = UserFuncName::default();
    target.signature = match kind {
        Kind::Entry(_) | Kind::EntryTick(_) | Kind::Deferred(_) => entry_signature(module.isa()),
        Kind::Callee(function) | Kind::Driver(function) | Kind::Called(function) => {
            callee_signature(function, module.isa())
        }
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
        Kind::Entry(_) | Kind::EntryTick(_) | Kind::Deferred(_) => (params[0], params[6]),
        Kind::Callee(_) | Kind::Driver(_) | Kind::Called(_) => (params[0], params[1]),
    };
    let leave = builder.create_block();
    let status = builder.append_block_param(leave, types::I64);
    builder.set_cold_block(leave);
    let mut emitter = Emitter {
        program,
        functions,
        deferred,
        module,
        values: vec![None; function.values.len()],
        ops: vec![None; function.values.len()],
        vars: Vec::new(),
        zeroed: Vec::new(),
        targets: HashMap::new(),
        imports: HashMap::new(),
        rows: HashMap::new(),
        hoisted: HashSet::new(),
        builder,
        function,
        args,
        state,
        convention: Convention::Callee { results: None },
        ticks: match kind {
            Kind::EntryTick(_) | Kind::Deferred(_) => Ticks::One,
            Kind::Entry(_) | Kind::Callee(_) | Kind::Driver(_) | Kind::Called(_) => Ticks::Many,
        },
        interrupt: None,
        fail: None,
        leave,
        is_driver: matches!(kind, Kind::Driver(_) | Kind::Called(_)),
        is_shown,
    };
    let shared = live_ranges::shared(function);
    let vars: Vec<Variable> =
        shared.types.iter().map(|&ty| emitter.builder.declare_var(clif_type(ty))).collect();
    emitter.vars = shared.of.into_iter().map(|which| vars[which]).collect();
    let zeroed = vars.into_iter().zip(shared.types).zip(shared.zeroed);
    emitter.zeroed = zeroed.filter(|(_, zeroed)| *zeroed).map(|(var, _)| var).collect();
    match kind {
        Kind::Entry(_) | Kind::EntryTick(_) => emitter.entry(&params, status)?,
        Kind::Deferred(_) => emitter.deferred_calls(&params, status)?,
        Kind::Callee(_) | Kind::Driver(_) | Kind::Called(_) => emitter.callee(&params, status, kind)?,
    }
    emitter.builder.finalize(config);
    Ok(())
}

impl<'a> Emitter<'a> {
    fn entry(&mut self, params: &[clif::Value], status: clif::Value) -> Result<(), Error> {
        let &[_, order, lo, hi, first, end, _] = params else { return Err(internal("entry signature")) };
        if self.function.params != [Ty::I32, Ty::I64, Ty::I64] {
            return Err(internal("an entry takes element, first tick and end tick"));
        }
        let stored = walk::any(&self.function.body, &mut |stmt| {
            matches!(
                stmt,
                Stmt::Call { .. } | Stmt::Defer { .. } | Stmt::Let { op: Op::Random | Op::Print { .. }, .. }
            )
        });
        let [header, body, ordered, known, next, exit] = [(); 6].map(|()| self.builder.create_block());
        let job = self.builder.append_block_param(header, types::I64);
        let element = self.builder.append_block_param(known, types::I32);
        let tick = self.builder.declare_var(types::I64);

        let end = match self.ticks {
            Ticks::Many => end,
            _ => self.builder.ins().iadd_imm_s(first, 1),
        };
        self.hoist()?;
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
        self.convention = Convention::Entry { element, tick, next, stored };
        if stored {
            let flags = self.state_memory();
            self.builder.ins().store(flags, element, self.state, ThreadState::ELEMENT);
        }
        self.set_tick(first);
        self.values[..3].copy_from_slice(&[Some(element), Some(first), Some(end)]);
        self.job((header, next), job)?;

        self.jobs_end(exit, job, status);
        Ok(())
    }

    /// The body, and on to the next job.
    fn job(&mut self, (header, next): (clif::Block, clif::Block), job: clif::Value) -> Result<(), Error> {
        for (var, ty) in std::mem::take(&mut self.zeroed) {
            let zero = self.zero(ty);
            self.builder.def_var(var, zero);
        }
        let body = &self.function.body;
        if self.block(body)? == Flow::Open {
            self.builder.ins().jump(next, &[]);
        }
        self.start(next);
        let following = self.builder.ins().iadd_imm_s(job, 1);
        self.builder.ins().jump(header, &[following.into()]);
        self.builder.seal_block(header);
        Ok(())
    }

    /// Behind the loop over jobs, and out of it at `job`.
    fn jobs_end(&mut self, exit: clif::Block, job: clif::Value, status: clif::Value) {
        self.start(exit);
        let done = self.builder.ins().iconst(types::I64, DONE as i64);
        self.builder.ins().return_(&[done]);
        self.fail_block();
        self.interrupt_block();
        self.start(self.leave);
        let failed = self.builder.ins().icmp_imm_s(IntCC::Equal, status, STATUS_FAILED);
        let following = self.builder.ins().iadd_imm_s(job, 1);
        let one = self.builder.ins().iconst(types::I64, 1);
        let others = self.builder.ins().isub(one, status);
        let result = self.builder.ins().select(failed, following, others);
        self.builder.ins().return_(&[result]);
    }

    /// The body for each record from `lo` to `hi`: its words are the parameters.
    fn deferred_calls(&mut self, params: &[clif::Value], status: clif::Value) -> Result<(), Error> {
        let &[_, records, lo, hi, first, ..] = params else { return Err(internal("entry signature")) };
        let [header, body, next, done, exit] = [(); 5].map(|()| self.builder.create_block());
        let job = self.builder.append_block_param(header, types::I64);
        let tick = self.builder.declare_var(types::I64);
        self.keep_rows();
        self.builder.ins().jump(header, &[lo.into()]);
        self.builder.switch_to_block(header);
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, job, hi);
        self.builder.ins().brif(more, body, &[], done, &[]);

        self.start(body);
        let words = self.function.params.len();
        let offset = self.builder.ins().imul_imm_s(job, 8 * words as i64);
        let record = self.builder.ins().iadd(records, offset);
        let flags = MemFlagsData::trusted();
        let head = self.builder.ins().load(types::I64, flags, record, 0);
        let row = self.builder.ins().ireduce(types::I32, head);
        let element = self.builder.ins().ushr_imm_u(head, 32);
        let element = self.builder.ins().ireduce(types::I32, element);
        self.values[0] = Some(row);
        for word in 1..words {
            let value = self.builder.ins().load(types::I64, flags, record, 8 * word as i32);
            self.values[word] = Some(value);
        }
        self.convention = Convention::Entry { element, tick, next, stored: false };
        self.builder.def_var(tick, first);
        self.job((header, next), job)?;
        self.start(done);
        for (buffer, row) in std::mem::take(&mut self.rows) {
            let (address, flags) = (self.buffer_address(buffer), self.buffer_memory(buffer));
            let value = self.builder.use_var(row);
            self.builder.ins().store(flags, value, address, 0);
        }
        self.builder.ins().jump(exit, &[]);
        self.jobs_end(exit, job, status);
        Ok(())
    }

    /// Has what is one row be in variables: from call to call it would wait for memory.
    fn keep_rows(&mut self) {
        let function = self.function;
        walk::for_each(&function.body, &mut |stmt| {
            let (Stmt::Let { op: Op::Load(buffer, _), .. } | Stmt::Store { buffer, .. }) = stmt else {
                return;
            };
            let BufferInfo { kind, ty, .. } = &self.program.buffers[buffer.0 as usize];
            if !matches!(kind, BufferKind::Variable(..) | BufferKind::Assigned(_))
                || self.rows.contains_key(buffer)
            {
                return;
            }
            let row = self.builder.declare_var(clif_type(*ty));
            let (address, flags) = (self.buffer_address(*buffer), self.buffer_memory(*buffer));
            let value = self.builder.ins().load(clif_type(*ty), flags, address, 0);
            self.builder.def_var(row, value);
            self.rows.insert(*buffer, row);
        });
    }

    /// Emits what is the same for all jobs before their loop: what depends on scalars and never written buffers only.
    /// It stands at the beginning of the body, so that each job would come by it.
    fn hoist(&mut self) -> Result<(), Error> {
        for stmt in &self.function.body {
            let (value, op, site) = match stmt {
                Stmt::Let { value, op, site } => (value, op, site),
                Stmt::Set(..) | Stmt::Store { .. } | Stmt::Tick(_) | Stmt::Path(_) => continue,
                _ => break,
            };
            let same = match op {
                Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_) | Op::Scalar(_) | Op::Unary(..) => true,
                Op::Load(buffer, _) => !self.program.buffers[buffer.0 as usize].written,
                Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => true,
                _ => false,
            };
            if same && op.operands().iter().all(|operand| self.hoisted.contains(operand)) {
                let result = self.op(op, self.ty(*value), *site)?;
                self.define(*value, Some(op), result);
                self.hoisted.insert(*value);
            }
        }
        Ok(())
    }

    fn callee(&mut self, params: &[clif::Value], status: clif::Value, kind: Kind<'_>) -> Result<(), Error> {
        let mut rest = &params[2..];
        if self.function.results.len() > 1 {
            self.convention = Convention::Callee { results: Some(rest[0]) };
            rest = &rest[1..];
        }
        for (value, param) in self.values.iter_mut().zip(rest) {
            *value = Some(*param);
        }
        // A driver is over soon, but for its loops and launches.
        if !matches!(kind, Kind::Driver(_)) {
            self.poll();
        }
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
        let (flags, state) = (self.state_memory(), self.state);
        if let Convention::Entry { element, tick, .. } = self.convention {
            let tick = self.builder.use_var(tick);
            self.builder.ins().store(flags, element, state, ThreadState::ELEMENT);
            self.builder.ins().store(flags, tick, state, ThreadState::TICK);
        }
        self.leave_with(STATUS_FAILED);
    }

    fn interrupt_block(&mut self) {
        let Some(block) = self.interrupt else { return };
        self.start(block);
        self.leave_with(STATUS_INTERRUPTED);
    }

    pub fn leave_with(&mut self, status: i64) {
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
    pub fn poll(&mut self) {
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
