//! Drivers as machine code. What they do with kernels and columns are calls of the functions below, which work with the
//! session that the kernels are bound to: so a driver runs on the host, whatever runs its kernels.
//!
//! Most drivers are the same but for the numbers of their buffers. These are replaced by their order in the driver, and code
//! is shared between programs by what is then left.

use super::emit::Emitter;
use super::frame::{self, STATUS_DONE, STATUS_FAILED, STATUS_INTERRUPTED};
use super::runtime::{self, ThreadState};
use super::{cancel, driver_isa, internal, of_module};
use crate::backend::{Failure, Launch, Outcome, Session, collectives};
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::faults;
use crate::heap::Column;
use crate::ir::walk::for_each_mut;
use crate::ir::{
    Buffer, BufferInfo, BufferKind, FuncId, KernelId, Program, Reduction, Scalar, ScalarInfo, ScalarSource,
    SiteId, Ty, Value,
};
use crate::profile::{Phase, Profile};
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A program's driver, compiled.
pub struct Driver {
    code: Arc<Code>,
    /// The program's numbers of the buffers and scalars that it has, by its own.
    buffers: Vec<Buffer>,
    scalars: Vec<Scalar>,
}

/// Machine code, and the memory it lives in.
struct Code {
    function: DriverFn,
    /// Taken when dropped.
    module: Mutex<Option<JITModule>>,
}

/// `args`: a word for each of the driver's buffers, which nobody reads, and its scalars. Gives one of the statuses of
/// [`frame`], or [`ENDED`].
type DriverFn = unsafe extern "C" fn(args: *const u64, state: *mut DriverState<'_>) -> i64;

/// What machine code and the functions below tell each other. Machine code knows only the first part.
#[repr(C)]
struct DriverState<'a> {
    /// Its operands are what a function gives.
    thread: ThreadState,
    session: &'a mut (dyn Session + 'a),
    launch: &'a Launch<'a>,
    profile: &'a mut Profile,
    buffers: &'a [Buffer],
    /// Why the driver ends.
    ended: Option<Result<Outcome, Error>>,
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
const STORE: &str = "ikra_store";

impl Driver {
    /// Compiles the driver of a verified program, if none like it is there.
    pub fn new(program: &Program, token: &CancellationToken, profile: &mut Profile) -> Result<Self, Error> {
        /// By text, the one used last at the end.
        static SHARED: Mutex<VecDeque<(String, Arc<Code>)>> = Mutex::new(VecDeque::new());
        let start = Instant::now();
        let (own, buffers, scalars) = own_program(program)?;
        let text = own.to_string();
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
                let code = Arc::new(cancel::within(token, || Code::new(&own))?);
                let forgotten = SHARED.try_lock().and_then(|mut shared| {
                    shared.push_back((text, code.clone()));
                    if shared.len() > MOST_SHARED { shared.pop_front() } else { None }
                });
                drop(forgotten);
                code
            }
        };
        profile.step("code: driver", start.elapsed(), own.size() as u64);
        Ok(Self { code, buffers, scalars })
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
        interrupt: &AtomicBool,
        profile: &mut Profile,
    ) -> Result<Outcome, Error> {
        let mut args = vec![0; self.buffers.len()];
        for scalar in &self.scalars {
            let word = launch.scalars.get(scalar.0 as usize);
            args.push(*word.ok_or_else(|| internal("the driver's scalars are not those of the launch"))?);
        }
        let thread = ThreadState::new(launch.seed, launch.call, interrupt);
        let mut state = DriverState { thread, session, launch, profile, buffers: &self.buffers, ended: None };
        // SAFETY: the code was made of a verified driver, whose scalars `args` has; the state outlives the call, and only
        // this thread uses it. The code lives as long as `self`.
        let status = unsafe { (self.code.function)(args.as_ptr(), &raw mut state) };
        match status {
            STATUS_DONE => Ok(Outcome::Done),
            STATUS_INTERRUPTED => Ok(Outcome::Interrupted),
            STATUS_FAILED => {
                let ThreadState { site, operands, path, .. } = state.thread;
                Ok(Outcome::Failed(Failure { site: SiteId(site), element: 0, tick: 0, operands, path }))
            }
            _ => state.ended.unwrap_or_else(|| Err(internal("a driver ended for no reason"))),
        }
    }
}

/// The driver alone, with numbers of its own for its buffers and scalars, and these in the program's numbers.
fn own_program(program: &Program) -> Result<(Program, Vec<Buffer>, Vec<Scalar>), Error> {
    let mut driver = program.driver_function().ok_or_else(|| internal("a program without a driver"))?.clone();
    let (mut buffers, mut scalars) = (Vec::new(), Vec::new());
    for_each_mut(&mut driver.body, &mut |stmt| {
        stmt.for_each_buffer_mut(|buffer| *buffer = Buffer(number(&mut buffers, *buffer)));
        if let Some(scalar) = stmt.scalar_mut() {
            *scalar = Scalar(number(&mut scalars, *scalar));
        }
    });
    // Of these only the types matter.
    let buffer = |buffer: &Buffer| BufferInfo {
        kind: BufferKind::Selection,
        ty: program.buffers[buffer.0 as usize].ty,
        written: true,
    };
    let scalar = |scalar: &Scalar| ScalarInfo {
        source: ScalarSource::BaseLength,
        ty: program.scalars[scalar.0 as usize].ty,
    };
    let own = Program {
        buffers: buffers.iter().map(buffer).collect(),
        scalars: scalars.iter().map(scalar).collect(),
        functions: vec![driver],
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
    fn new(program: &Program) -> Result<Self, Error> {
        faults::point("compiling a driver")?;
        let mut builder = JITBuilder::with_isa(driver_isa()?, default_libcall_names());
        builder.symbols(runtime::symbols());
        builder.symbols([
            (LAUNCH, launch as *const u8),
            (COMPACT, compact as *const u8),
            (REDUCE, reduce as *const u8),
            (LOAD, load as *const u8),
            (STORE, store as *const u8),
        ]);
        let bytes = CODE + CODE_OF_A_STATEMENT * program.size();
        let arena = ArenaMemoryProvider::new_with_size(bytes).map_err(|_| Error::Memory(bytes))?;
        builder.memory_provider(Box::new(arena));
        let mut module = JITModule::new(builder);
        let made = Self::function(program, &mut module);
        let module = Mutex::new(Some(module));
        match made {
            Ok(function) => Ok(Self { function, module }),
            Err(error) => {
                free(&module);
                Err(error)
            }
        }
    }

    fn function(program: &Program, module: &mut JITModule) -> Result<DriverFn, Error> {
        let driver = program.driver_function().ok_or_else(|| internal("a program without a driver"))?;
        let signature = frame::callee_signature(driver, module.isa());
        let id = module.declare_anonymous_function(&signature).map_err(internal)?;
        let mut context = module.make_context();
        let what = frame::Kind::Driver(driver);
        frame::function(
            program,
            (&[], &[]),
            what,
            module,
            &mut context.func,
            &mut FunctionBuilderContext::new(),
        )?;
        module.define_function(id, &mut context).map_err(of_module)?;
        module.finalize_definitions().map_err(of_module)?;
        let address = module.get_finalized_function(id);
        // SAFETY: a driver has neither parameters nor results, so that its signature is that of `DriverFn`.
        Ok(unsafe { std::mem::transmute::<*const u8, DriverFn>(address) })
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

    pub fn launch(&mut self, kernel: KernelId) -> Result<(), Error> {
        let kernel = self.word(kernel.0);
        self.call_host(LAUNCH, &[kernel])
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

    pub fn load_row(&mut self, buffer: Buffer, index: Value, ty: Ty) -> Result<clif::Value, Error> {
        let (buffer, index) = (self.word(buffer.0), self.bits(index)?);
        self.call_host(LOAD, &[buffer, index])?;
        Ok(self.given(0, ty))
    }

    pub fn store_row(&mut self, buffer: Buffer, index: Value, value: Value) -> Result<(), Error> {
        let (buffer, index, value) = (self.word(buffer.0), self.bits(index)?, self.bits(value)?);
        self.call_host(STORE, &[buffer, index, value])
    }
}

impl DriverState<'_> {
    fn buffer(&self, number: u64) -> Result<Buffer, Error> {
        let known = self.buffers.get(number as usize).copied();
        known.ok_or_else(|| internal("a driver's buffer is not there"))
    }
}

/// Does what machine code has asked for. `Some`: the driver ends so.
///
/// # Safety
/// `state` is the state that the calling machine code was given.
unsafe fn host(
    state: *mut DriverState<'_>,
    work: impl FnOnce(&mut DriverState<'_>) -> Result<Option<Outcome>, Error>,
) -> i64 {
    // SAFETY: the driver was called with a pointer to a live state that only this thread uses.
    let state = unsafe { &mut *state };
    let ended = catch_unwind(AssertUnwindSafe(|| work(state)));
    // A panic is a bug of ours, but must not unwind into machine code.
    let ended = ended.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Err(internal(text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()))
    });
    match ended.transpose() {
        None => STATUS_DONE,
        Some(ended) => {
            state.ended = Some(ended);
            ENDED
        }
    }
}

/// # Safety
/// As [`host`].
unsafe extern "C" fn launch(state: *mut DriverState<'_>, kernel: u64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let outcome = state.session.launch(KernelId(kernel as u32), state.launch, state.profile)?;
        Ok((outcome != Outcome::Done).then_some(outcome))
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
unsafe extern "C" fn compact(state: *mut DriverState<'_>, flags: u64, indices: u64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        faults::point("compacting")?;
        let (flags, indices) = (state.buffer(flags)?, state.buffer(indices)?);
        state.session.fetch(Some(flags), state.profile)?;
        let store = state.session.store();
        let work = || collectives::compact(&store.columns()[flags.0 as usize]);
        let rows = state.profile.time(Phase::Kernel, work)?;
        let count = rows.len() as i64;
        store.replace(indices.0 as usize, rows);
        state.thread.operands[0] = count;
        Ok(None)
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
unsafe extern "C" fn reduce(
    state: *mut DriverState<'_>,
    reduction: u64,
    column: u64,
    given: u64,
    from: i64,
) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        faults::point("reducing")?;
        let reduction = Reduction::ALL.get(reduction as usize).copied();
        let reduction = reduction.ok_or_else(|| internal("there is no such reduction"))?;
        let column = state.buffer(column)?;
        let given = if given == u64::from(u32::MAX) { None } else { Some(state.buffer(given)?) };
        for buffer in given.into_iter().chain([column]) {
            state.session.fetch(Some(buffer), state.profile)?;
        }
        let columns = state.session.store().columns();
        let given = given.map(|given| &columns[given.0 as usize]);
        let work = || collectives::reduce(reduction, &columns[column.0 as usize], given, from);
        let number = state.profile.time(Phase::Kernel, work)?;
        state.thread.operands = [number.unwrap_or(0), i64::from(number.is_some())];
        Ok(None)
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
unsafe extern "C" fn load(state: *mut DriverState<'_>, buffer: u64, index: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let buffer = state.buffer(buffer)?;
        state.session.fetch(Some(buffer), state.profile)?;
        let column = &state.session.store().columns()[buffer.0 as usize];
        state.thread.operands[0] = column.bits(row(column, index)?);
        Ok(None)
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
unsafe extern "C" fn store(state: *mut DriverState<'_>, buffer: u64, index: i64, value: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let buffer = state.buffer(buffer)?;
        let column = &mut state.session.store().columns_mut()[buffer.0 as usize];
        let row = row(column, index)?;
        column.set_bits(row, value);
        Ok(None)
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

fn row(column: &Column, index: i64) -> Result<usize, Error> {
    let row = usize::try_from(index).ok().filter(|row| *row < column.len());
    row.ok_or_else(|| internal("a driver reaches beyond a column"))
}
