//! Drivers as machine code. The calling thread runs a driver, whatever runs the kernels (`backend::Executable`); one
//! with functions that call themselves, which want a larger stack, has a thread of its own. Its operations are calls of
//! Rust functions (`driver/host.rs`) that work with the `Session`: a launch goes to the back-end; what has to do with
//! whole columns fetches those that it needs and runs on the host, by all threads where they are long.
//!
//! A driver must cost the smallest section nothing. Cranelift takes 0.1 to 0.2 ms for any function at all, so code is
//! shared: numbers of buffers and scalars are replaced by their order in the driver, and a bounded table of the process
//! finds code by the text that is left. All of `peach` and `pmap` without accumulators are one driver, all such
//! `pselect`s another; to find it takes 5 µs. What is not there is compiled without optimization. A run of a driver
//! with one launch takes 200 instructions more than the launch.

mod arrays;
mod host;
mod pushing;
mod remembered;
mod scratch;
mod settle;
mod settle_strings;

use super::compile;
use super::emit::{Emitter, clif_type};
use super::frame::{self, STATUS_DONE, STATUS_FAILED, STATUS_INTERRUPTED};
use super::object::{self, Object};
use super::runtime::{self, ThreadState};
use super::{Planned, cancel, driver_isa, host_isa, internal, of_module};
use crate::backend::{AtSync, Failure, Launch, Outcome, Session};
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::faults;
use crate::heap::Column;
use crate::ir::effects::effects;
use crate::ir::walk::{for_each, for_each_mut};
use crate::ir::{
    Arrays, Buffer, BufferInfo, BufferKind, Entry, ErrorKind, FuncId, Items, Kernel, KernelId, Op, Program,
    Reduction, Scalar, ScalarInfo, ScalarSource, SiteId, Stmt, Value,
};
use crate::profile::Profile;
use crate::scalar::Ty;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use host::{DriverState, View};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use scratch::Scratch;
use settle::Settler;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A program's driver, compiled.
pub struct Driver {
    code: Arc<Code>,
    /// The program's numbers of the buffers and scalars that it has, by its own.
    buffers: Vec<Buffer>,
    scalars: Vec<Scalar>,
    /// Its own numbers of buffers, by the program's.
    own: Vec<Option<u32>>,
    /// Those that the program changes which meant something before, by the program's numbers.
    changes: Vec<bool>,
    /// Ticks are numbered in marks.
    counts_ticks: bool,
    kernels: usize,
    /// By kernel: elements that are the same object have to run one after the other.
    has_rounds: Vec<bool>,
    settler: Settler,
    /// Its scratch memory, and the failures that tell Strings which are in it.
    memory: Option<Buffer>,
    /// How much that is.
    scratch_words: Option<Scalar>,
    in_scratch: FxHashMap<SiteId, ErrorKind>,
    /// Its functions nest deeply or recurse: they want a large stack.
    pub deep: bool,
}

/// Machine code, and the memory it lives in.
struct Code {
    function: DriverFn,
    requests: Vec<Request>,
    /// Taken when dropped.
    module: Mutex<Option<JITModule>>,
}

/// `args`: a word for each of the driver's buffers, which nobody reads, and its scalars. Gives one of the statuses of
/// [`frame`], or [`ENDED`].
type DriverFn = unsafe extern "C" fn(args: *const u64, state: *mut DriverState<'_>) -> i64;

/// What a driver asks of the host with more than numbers, by its own numbers of buffers.
#[derive(Clone, Debug)]
enum Request {
    /// [`crate::ir::Stmt::Over`]
    Over { kernel: KernelId, own: Option<Items>, first_same: Option<Buffer>, sized: Vec<Buffer> },
    /// [`crate::ir::Op::Append`]
    Append { from: Items, tag: Option<i32>, given: Option<Buffer>, into: Arrays, reuses: bool },
}

/// The driver is to end, as it is written down.
const ENDED: i64 = 4;
/// The most that are kept for other programs.
const MOST_SHARED: usize = 64;
/// Address space for the code of a driver, and for each of its statements.
const CODE: usize = 64 << 10;
const CODE_OF_A_STATEMENT: usize = 1 << 10;

const LAUNCH: &str = "ikra_launch";
const COMPACT: &str = "ikra_compact";
const REDUCE: &str = "ikra_reduce";
const LOAD: &str = "ikra_load";
const SEARCH: &str = "ikra_search_row";
const PRINT: &str = "ikra_print_row";
const STORE: &str = "ikra_store";
const OVER: &str = "ikra_over";
const COPY: &str = "ikra_copy";
const APPEND: &str = "ikra_append";
const LENGTHEN: &str = "ikra_lengthen";
const ASSIGN: &str = "ikra_assign";
const KEEP: &str = "ikra_keep";
const SYNC: &str = "ikra_sync";
const PROGRESS: &str = "ikra_progress";

impl Driver {
    /// Compiles the driver of a verified program, if none like it is there.
    pub fn new(program: &Program, token: &CancellationToken, profile: &mut Profile) -> Result<Self, Error> {
        /// By text, the one used last at the end.
        static SHARED: Mutex<VecDeque<(String, Arc<Code>)>> = Mutex::new(VecDeque::new());
        let (alone, buffers, scalars) = own_program(program)?;
        let text = alone.to_string();
        // Nobody waits: a process that forks may leave the lock to a thread that is not there in the child.
        let shared = SHARED.try_lock().and_then(|mut shared| {
            let known = shared.iter().position(|(known, _)| *known == text)?;
            let known = shared.remove(known)?;
            let code = known.1.clone();
            shared.push_back(known);
            Some(code)
        });
        let code = match shared {
            Some(code) => code,
            None => {
                let code = Arc::new(cancel::within(token, || Code::new(&alone, token, profile))?);
                let forgotten = SHARED.try_lock().and_then(|mut shared| {
                    shared.push_back((text, code.clone()));
                    if shared.len() > MOST_SHARED { shared.pop_front() } else { None }
                });
                drop(forgotten);
                code
            }
        };
        let changes = program.buffers.iter().map(BufferInfo::changes).collect();
        let mut own = vec![None; program.buffers.len()];
        for (number, buffer) in (0..).zip(&buffers) {
            own[buffer.0 as usize] = Some(number);
        }
        let counts_ticks = program.is_watched();
        let deep = frame::nest_deeply(&alone, &[FuncId(0)]);
        let (settler, kernels) = (Settler::new(program), program.kernels.len());
        let has_rounds = has_rounds(program, &settler);
        let memory = program.buffers.iter().position(|buffer| buffer.kind == BufferKind::Scratch);
        let memory = memory.map(|number| Buffer(number as u32));
        let words = program.scalars.iter().position(|info| info.source == ScalarSource::ScratchWords);
        let sites = (0..).zip(&program.sites).filter(|(_, site)| site.error.refers_to_scratch());
        let in_scratch = sites.map(|(number, site)| (SiteId(number), site.error.clone())).collect();
        Ok(Self {
            code,
            buffers,
            scalars,
            own,
            changes,
            counts_ticks,
            kernels,
            has_rounds,
            settler,
            memory,
            scratch_words: words.map(|number| Scalar(number as u32)),
            in_scratch,
            deep,
        })
    }

    /// A failure of the driver itself, with what it has made.
    fn with_memory(&self, failure: Failure, state: &DriverState<'_>) -> Failure {
        let memory = state.scratch.as_ref().map(|scratch| &scratch.memory);
        match (self.in_scratch.get(&failure.site), memory) {
            (Some(error), Some(Column::I64(memory))) => failure.with_memory(error, memory),
            _ => failure,
        }
    }

    #[cfg(test)]
    pub fn shares_code_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.code, &other.code)
    }

    /// Runs it on the columns that the session is bound to, on this thread.
    pub fn run(
        &self,
        session: &mut dyn Session,
        launch: &Launch<'_>,
        at_sync: &mut AtSync<'_>,
        interrupt: &AtomicBool,
        profile: &mut Profile,
    ) -> Result<Outcome, Error> {
        let scratch = match self.memory {
            Some(buffer) => Some(Scratch::new(buffer, session.columns()[buffer.0 as usize].len())?),
            None => None,
        };
        let mut args = vec![0; self.buffers.len()];
        for scalar in &self.scalars {
            let word = launch.scalars.get(scalar.0 as usize);
            let own = scratch.as_ref().filter(|_| self.scratch_words == Some(*scalar));
            let word = own.map(|scratch| scratch.memory.len() as u64).or(word.copied());
            args.push(word.ok_or_else(|| internal("the driver's scalars are not those of the launch"))?);
        }
        let mut state = DriverState::new(self, session, launch, at_sync, interrupt, profile);
        state.use_scratch(scratch);
        // SAFETY: the code was made of a verified driver, whose scalars `args` has; the state outlives the call, and only
        // this thread uses it. The code lives as long as `self`.
        let status = unsafe { (self.code.function)(args.as_ptr(), &raw mut state) };
        let outcome = match status {
            STATUS_DONE => Outcome::Done,
            STATUS_INTERRUPTED => return Ok(Outcome::Interrupted),
            STATUS_FAILED => Outcome::Failed(self.with_memory(state.failure(), &state)),
            _ => return state.ended.unwrap_or_else(|| Err(internal("a driver ended for no reason"))),
        };
        // An earlier launch may have failed, of which nobody has heard yet.
        match state.finish() {
            Ok(()) => Ok(outcome),
            Err(stop) => stop.into(),
        }
    }
}

/// Which kernels write more than what they give, or make something. Of single calls the host knows it.
fn has_rounds(program: &Program, settler: &Settler) -> Vec<bool> {
    if program.kernels.len() <= 1 {
        return vec![true; program.kernels.len()];
    }
    let effects = effects(program);
    let info = |buffer: &Buffer| &program.buffers[buffer.0 as usize];
    let changes =
        |buffer: &Buffer| info(buffer).changes() || matches!(info(buffer).kind, BufferKind::Marks(_));
    let writes = |entry: &Entry| effects[entry.function.0 as usize].writes.iter().any(changes);
    (0..)
        .zip(&program.kernels)
        .map(|(number, kernel)| settler.settles(KernelId(number)) || kernel.entries.iter().any(writes))
        .collect()
}

/// The driver alone and what it calls, with numbers of its own for functions, buffers and scalars, and the last two in
/// the program's numbers.
fn own_program(program: &Program) -> Result<(Program, Vec<Buffer>, Vec<Scalar>), Error> {
    let driver = program.driver.filter(|driver| program.functions.get(driver.0 as usize).is_some());
    let driver = driver.ok_or_else(|| internal("a program without a driver"))?;
    let (mut ids, mut buffers, mut scalars) = (vec![driver], Vec::new(), Vec::new());
    let mut functions = Vec::new();
    while let Some(id) = ids.get(functions.len()) {
        let mut function = program.functions[id.0 as usize].clone();
        for_each_mut(&mut function.body, &mut |stmt| {
            stmt.for_each_buffer_mut(|buffer| *buffer = Buffer(number(&mut buffers, *buffer)));
            if let Some(scalar) = stmt.scalar_mut() {
                *scalar = Scalar(number(&mut scalars, *scalar));
            }
            if let Stmt::Call { function, .. } = stmt {
                *function = FuncId(number(&mut ids, *function));
            }
        });
        functions.push(function);
    }
    // Of these only the types matter, and which one is its own memory.
    let buffer = |buffer: &Buffer| {
        let BufferInfo { kind, ty, .. } = &program.buffers[buffer.0 as usize];
        let kind = if *kind == BufferKind::Scratch { BufferKind::Scratch } else { BufferKind::Selection };
        BufferInfo { kind, ty: *ty, written: true }
    };
    let scalar = |scalar: &Scalar| ScalarInfo {
        source: ScalarSource::BaseLength,
        ty: program.scalars[scalar.0 as usize].ty,
    };
    let own = Program {
        buffers: buffers.iter().map(buffer).collect(),
        scalars: scalars.iter().map(scalar).collect(),
        functions,
        kernels: vec![Kernel::default(); program.kernels.len()],
        driver: Some(FuncId(0)),
        ..Program::default()
    };
    Ok((own, buffers, scalars))
}

fn number<T: PartialEq>(all: &mut Vec<T>, one: T) -> u32 {
    let at = all.iter().position(|known| *known == one).unwrap_or_else(|| {
        all.push(one);
        all.len() - 1
    });
    at as u32
}

impl Code {
    fn new(program: &Program, token: &CancellationToken, profile: &mut Profile) -> Result<Self, Error> {
        faults::point("compiling a driver")?;
        let isa = if computes(program) { host_isa() } else { driver_isa() };
        let mut builder = JITBuilder::with_isa(isa?, default_libcall_names());
        builder.symbols(runtime::symbols());
        builder.symbols([
            (LAUNCH, host::launch as *const u8),
            (COMPACT, host::compact as *const u8),
            (REDUCE, host::reduce as *const u8),
            (LOAD, host::load as *const u8),
            (SEARCH, host::search as *const u8),
            (PRINT, host::print as *const u8),
            (STORE, host::store as *const u8),
            (OVER, host::over as *const u8),
            (COPY, host::copy as *const u8),
            (APPEND, host::append as *const u8),
            (LENGTHEN, host::lengthen as *const u8),
            (ASSIGN, host::assign as *const u8),
            (KEEP, host::keep as *const u8),
            (SYNC, host::sync as *const u8),
            (PROGRESS, host::progress as *const u8),
        ]);
        let bytes = CODE + CODE_OF_A_STATEMENT * program.size();
        let arena = ArenaMemoryProvider::new_with_size(bytes).map_err(|_| Error::Memory(bytes))?;
        builder.memory_provider(Box::new(arena));
        let mut module = JITModule::new(builder);
        let made = Self::function(program, &mut module, token, profile);
        let module = Mutex::new(Some(module));
        match made {
            Ok(function) => Ok(Self { function, requests: requests(program), module }),
            Err(error) => {
                free(&module);
                Err(error)
            }
        }
    }

    fn function(
        program: &Program,
        module: &mut JITModule,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<DriverFn, Error> {
        let mut declared = Vec::with_capacity(program.functions.len());
        let mut planned = Vec::with_capacity(program.functions.len());
        for (number, function) in program.functions.iter().enumerate() {
            let signature = frame::callee_signature(function, module.isa());
            let id = module.declare_anonymous_function(&signature).map_err(internal)?;
            declared.push(Some(id));
            let (what, name) = match number {
                0 => (frame::Kind::Driver(function), "driver".to_owned()),
                _ => (frame::Kind::Called(function), function.name.clone()),
            };
            planned.push(Planned { id, name, what });
        }
        let name = object::name(program, module.isa(), &"driver");
        let start = Instant::now();
        if let Some(object) = name.as_ref().and_then(|name| Object::get(name, planned.len())) {
            let all: Vec<_> = planned.iter().map(|planned| planned.id).collect();
            let bytes = object.define(module, &all)?;
            profile.step("kept code", start.elapsed(), bytes as u64);
        } else {
            let mut emitted = Vec::with_capacity(planned.len());
            let mut context = FunctionBuilderContext::new();
            for planned in planned {
                token.check()?;
                emitted.push(planned.emit(
                    (program, &declared, &[]),
                    (module, &mut context),
                    false,
                    profile,
                )?);
            }
            compile::all(module, emitted, name.as_ref(), token, profile)?;
        }
        module.finalize_definitions().map_err(of_module)?;
        let first = declared.first().copied().flatten();
        let address = module.get_finalized_function(first.ok_or_else(|| internal("a driver without code"))?);
        // SAFETY: a driver has neither parameters nor results, so that its signature is that of `DriverFn`.
        Ok(unsafe { std::mem::transmute::<*const u8, DriverFn>(address) })
    }
}

/// Has it loops of its own, beside those around launches? They may go over all that elements have given.
fn computes(program: &Program) -> bool {
    let mut found = false;
    for function in &program.functions {
        for_each(&function.body, &mut |stmt| {
            if let Stmt::Loop { body, .. } = stmt {
                let mut launches = false;
                for_each(body, &mut |stmt| launches |= matches!(stmt, Stmt::Launch { .. }));
                found |= !launches;
            }
        });
    }
    found
}

/// In the order in which they are met.
fn requests(program: &Program) -> Vec<Request> {
    let mut all = Vec::new();
    for function in &program.functions {
        for_each(&function.body, &mut |stmt| all.extend(request(stmt)));
    }
    all
}

fn request(stmt: &Stmt) -> Option<Request> {
    match stmt {
        Stmt::Over { kernel, own, first_same, sized, .. } => {
            let (own, first_same, sized) = (*own, *first_same, sized.clone());
            Some(Request::Over { kernel: *kernel, own, first_same, sized })
        }
        Stmt::Let { op: Op::Append { from, tag, given, into, kept, .. }, .. } => {
            let reuses = kept.is_some();
            Some(Request::Append { from: *from, tag: *tag, given: *given, into: *into, reuses })
        }
        _ => None,
    }
}

fn free(module: &Mutex<Option<JITModule>>) {
    if let Some(module) = module.lock().take() {
        // SAFETY: pointers into the memory stand only in `Code::function`, which nobody calls any more.
        unsafe { module.free_memory() };
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        free(&self.module);
    }
}

/// Emits what only drivers have, and their way to columns.
impl Emitter<'_> {
    /// Calls one of the functions below, and ends the driver where that says so.
    fn call_host(&mut self, name: &'static str, args: &[clif::Value]) -> Result<(), Error> {
        let mut all = vec![self.state];
        all.extend_from_slice(args);
        let status = self.call_c(name, &all, types::I64)?;
        let go_on = self.builder.create_block();
        self.builder.ins().brif(status, self.leave, &[status.into()], go_on, &[]);
        self.start(go_on);
        Ok(())
    }

    fn word(&mut self, word: u32) -> clif::Value {
        self.builder.ins().iconst(types::I64, i64::from(word))
    }

    /// What the function has given, by the number of its operand.
    fn given(&mut self, operand: i32, ty: Ty) -> clif::Value {
        let flags = self.state_memory();
        let loaded = if ty == Ty::F64 { types::F64 } else { types::I64 };
        let at = ThreadState::OPERANDS + 8 * operand;
        let value = self.builder.ins().load(loaded, flags, self.state, at);
        self.narrowed(value, ty)
    }

    fn bits(&mut self, value: Value) -> Result<clif::Value, Error> {
        let (number, ty) = (self.value(value)?, self.ty(value));
        Ok(match ty {
            Ty::Bool => self.builder.ins().uextend(types::I64, number),
            Ty::I32 => self.builder.ins().sextend(types::I64, number),
            Ty::I64 => number,
            Ty::F64 => self.builder.ins().bitcast(types::I64, MemFlagsData::new(), number),
        })
    }

    pub fn launch(&mut self, kernel: KernelId, ticks: Option<Value>) -> Result<(), Error> {
        let kernel = self.word(kernel.0);
        let ticks = match ticks {
            Some(ticks) => self.bits(ticks)?,
            // Those of the run.
            None => self.builder.ins().iconst(types::I64, -1),
        };
        self.call_host(LAUNCH, &[kernel, ticks])
    }

    /// The number of a request, by where it stands.
    fn request(&mut self, same: impl Fn(&Stmt) -> bool) -> Result<clif::Value, Error> {
        let (mut number, mut found) = (0, None);
        for function in &self.program.functions {
            for_each(&function.body, &mut |stmt| {
                if request(stmt).is_some() {
                    if found.is_none() && same(stmt) {
                        found = Some(number);
                    }
                    number += 1;
                }
            });
        }
        let found = found.ok_or_else(|| internal("a driver asks for what is not there"))?;
        Ok(self.word(found))
    }

    pub fn over(&mut self, stmt: &Stmt, count: Value) -> Result<(), Error> {
        let request = self.request(|other| std::ptr::eq(stmt, other))?;
        let count = self.bits(count)?;
        self.call_host(OVER, &[request, count])
    }

    pub fn copy(&mut self, (from, into): (Buffer, Buffer), first: Value, count: Value) -> Result<(), Error> {
        let (from, into) = (self.word(from.0), self.word(into.0));
        let (first, count) = (self.bits(first)?, self.bits(count)?);
        self.call_host(COPY, &[from, first, count, into])
    }

    pub fn append(&mut self, op: &Op, count: Value) -> Result<clif::Value, Error> {
        let is_it = |stmt: &Stmt| matches!(stmt, Stmt::Let { op: other, .. } if std::ptr::eq(op, other));
        let request = self.request(is_it)?;
        if let Op::Append { kept: Some(kept), .. } = op {
            for value in kept {
                let value = self.bits(*value)?;
                self.call_host(KEEP, &[value])?;
            }
        }
        let count = self.bits(count)?;
        self.call_host(APPEND, &[request, count])?;
        Ok(self.given(0, Ty::I32))
    }

    pub fn lengthen(&mut self, buffer: Buffer, count: Value) -> Result<clif::Value, Error> {
        let (buffer, count) = (self.word(buffer.0), self.bits(count)?);
        self.call_host(LENGTHEN, &[buffer, count])?;
        Ok(self.given(0, Ty::I64))
    }

    pub fn assign(&mut self, scalar: Scalar, value: Value) -> Result<(), Error> {
        let (scalar, value) = (self.word(scalar.0), self.bits(value)?);
        self.call_host(ASSIGN, &[scalar, value])
    }

    pub fn sync(&mut self, number: u32) -> Result<(), Error> {
        let number = self.word(number);
        self.call_host(SYNC, &[number])
    }

    pub fn progress(&mut self, done: Value, total: Value) -> Result<(), Error> {
        let (done, total) = (self.bits(done)?, self.bits(total)?);
        self.call_host(PROGRESS, &[done, total])
    }

    pub fn compact(&mut self, flags: Buffer, indices: Buffer) -> Result<clif::Value, Error> {
        let (flags, indices) = (self.word(flags.0), self.word(indices.0));
        self.call_host(COMPACT, &[flags, indices])?;
        Ok(self.given(0, Ty::I64))
    }

    pub fn reduce(
        &mut self,
        reduction: Reduction,
        (column, given): (Buffer, Option<Buffer>),
        from: Value,
        [number, is_one]: [Value; 2],
    ) -> Result<(), Error> {
        let which = Reduction::ALL.iter().position(|known| *known == reduction).unwrap_or_default();
        let (which, column_word) = (self.word(which as u32), self.word(column.0));
        let given = self.word(given.map_or(u32::MAX, |buffer| buffer.0));
        let from = self.bits(from)?;
        self.call_host(REDUCE, &[which, column_word, given, from])?;
        let value = self.given(0, self.ty(number));
        self.define(number, None, value);
        let value = self.given(1, Ty::Bool);
        self.define(is_one, None, value);
        Ok(())
    }

    fn is_scratch(&self, buffer: Buffer) -> bool {
        self.program.buffers[buffer.0 as usize].kind == BufferKind::Scratch
    }

    /// Where a row of its own memory is, which stays where it is as long as the driver runs.
    fn scratch_address(&mut self, index: Value) -> Result<clif::Value, Error> {
        let flags = self.constant_memory();
        let first = self.builder.ins().load(types::I64, flags, self.state, View::SCRATCH);
        let index = self.index(index)?;
        Ok(self.scaled(first, index, 3))
    }

    /// Where the column can be read now it is; else the host brings it, and then it can.
    pub fn load_row(&mut self, buffer: Buffer, index: Value, ty: Ty) -> Result<clif::Value, Error> {
        if self.is_scratch(buffer) {
            let (place, flags) = (self.scratch_address(index)?, self.buffer_memory(buffer));
            return Ok(self.builder.ins().load(clif_type(ty), flags, place, 0));
        }
        let (number, index) = (buffer.0 as i32, self.bits(index)?);
        let [here, elsewhere, both] = [(); 3].map(|()| self.builder.create_block());
        let given = self.builder.append_block_param(both, clif_type(ty));
        let flags = self.state_memory();
        let views = self.builder.ins().load(types::I64, flags, self.state, View::ALL);
        let rows = self.builder.ins().load(types::I64, flags, views, View::BYTES * number + View::ROWS);
        let has_it = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, rows);
        self.builder.ins().brif(has_it, here, &[], elsewhere, &[]);
        self.start(here);
        let first = self.builder.ins().load(types::I64, flags, views, View::BYTES * number);
        let place = self.scaled(first, index, i64::from(ty.bytes().trailing_zeros()));
        let item = self.builder.ins().load(clif_type(ty), MemFlagsData::trusted(), place, 0);
        let item = if ty == Ty::Bool { self.builder.ins().band_imm_s(item, 1) } else { item };
        self.builder.ins().jump(both, &[item.into()]);
        self.start(elsewhere);
        let number = self.word(buffer.0);
        self.call_host(LOAD, &[number, index])?;
        let item = self.given(0, ty);
        self.builder.ins().jump(both, &[item.into()]);
        self.start(both);
        Ok(given)
    }

    /// Where rows are, which the host has brought if need be. What brings one leaves the others where they are.
    pub fn rows_for_reading(&mut self, rows: &[(Buffer, Value)]) -> Result<Vec<clif::Value>, Error> {
        rows.iter().map(|(buffer, index)| self.row_address(*buffer, *index)).collect()
    }

    fn row_address(&mut self, buffer: Buffer, index: Value) -> Result<clif::Value, Error> {
        if self.is_scratch(buffer) {
            return self.scratch_address(index);
        }
        let (number, index) = (buffer.0 as i32, self.bits(index)?);
        let [elsewhere, both] = [(); 2].map(|()| self.builder.create_block());
        let flags = self.state_memory();
        let views = self.builder.ins().load(types::I64, flags, self.state, View::ALL);
        let rows = self.builder.ins().load(types::I64, flags, views, View::BYTES * number + View::ROWS);
        let has_it = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, rows);
        self.builder.ins().brif(has_it, both, &[], elsewhere, &[]);
        self.start(elsewhere);
        let word = self.word(buffer.0);
        self.call_host(LOAD, &[word, index])?;
        self.builder.ins().jump(both, &[]);
        self.start(both);
        let first = self.builder.ins().load(types::I64, flags, views, View::BYTES * number);
        Ok(self.scaled(first, index, 3))
    }

    pub fn search_row(&mut self, words: Buffer, first: Value, asks: &[Value]) -> Result<clif::Value, Error> {
        let mut args = vec![self.word(words.0), self.bits(first)?];
        for ask in asks {
            args.push(self.bits(*ask)?);
        }
        self.call_host(SEARCH, &args)?;
        Ok(self.given(0, Ty::I64))
    }

    pub fn print_row(&mut self, words: Buffer, first: Value, tells: &[Value]) -> Result<clif::Value, Error> {
        let mut args = vec![self.word(words.0), self.bits(first)?];
        for told in tells {
            args.push(self.bits(*told)?);
        }
        self.call_host(PRINT, &args)?;
        Ok(self.given(0, Ty::Bool))
    }

    /// Where it is known that the column changes there it is written; else the host does it, and then that is known.
    pub fn store_row(&mut self, buffer: Buffer, index: Value, value: Value) -> Result<(), Error> {
        if self.is_scratch(buffer) {
            let (place, flags) = (self.scratch_address(index)?, self.buffer_memory(buffer));
            let value = self.value(value)?;
            self.builder.ins().store(flags, value, place, 0);
            return Ok(());
        }
        let (number, index, shift) =
            (buffer.0 as i32, self.bits(index)?, i64::from(self.ty(value).bytes().trailing_zeros()));
        let [here, elsewhere, both] = [(); 3].map(|()| self.builder.create_block());
        let flags = self.state_memory();
        let views = self.builder.ins().load(types::I64, flags, self.state, View::ALL);
        let at = View::BYTES * number;
        let changing = self.builder.ins().load(types::I64, flags, views, at + View::CHANGING);
        let rows = self.builder.ins().load(types::I64, flags, views, at + View::CHANGING_ROWS);
        let behind = self.builder.ins().isub(index, changing);
        let is_known = self.builder.ins().icmp(IntCC::UnsignedLessThan, behind, rows);
        self.builder.ins().brif(is_known, here, &[], elsewhere, &[]);
        self.start(here);
        let first = self.builder.ins().load(types::I64, flags, views, at);
        let place = self.scaled(first, index, shift);
        let number = self.value(value)?;
        self.builder.ins().store(MemFlagsData::trusted(), number, place, 0);
        self.builder.ins().jump(both, &[]);
        self.start(elsewhere);
        let (buffer, bits) = (self.word(buffer.0), self.bits(value)?);
        self.call_host(STORE, &[buffer, index, bits])?;
        self.builder.ins().jump(both, &[]);
        self.start(both);
        Ok(())
    }
}
