//! Cranelift to machine code, run on all cores.
//!
//! [`emit`] turns each function of a program into Cranelift IR, entries with a loop over jobs around them, so that a
//! thread makes one call for thousands of elements; [`pool`] cuts a launch into such calls.

mod cancel;
pub(super) mod compile;
mod deferred;
mod divide;
mod driver;
mod emit;
mod float;
mod frame;
mod live_ranges;
mod loop_order;
mod object;
mod pool;
pub(crate) mod runtime;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traffic;
mod value;
mod watch;

use super::{Backend, Kernels, Launch, Outcome, Session};
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::faults;
use crate::heap::{Column, Store};
use crate::ir::{self, Buffer, KernelId, Program};
use crate::profile::{Phase, Profile};
use crate::threads;
use compile::Emitted;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, default_libcall_names};
use deferred::{Deferred, Spare};
pub use driver::Driver;
use loop_order::{LoopOrders, Tuning};
use object::Object;
use parking_lot::Mutex;
use runtime::EntryFn;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// All cores of this machine.
#[derive(Debug, Default)]
pub struct CpuBackend;

impl CpuBackend {
    /// Looks the machine's instructions up, so that no thread of a compilation is in the middle of that when the process
    /// forks.
    pub fn new() -> Result<Self, Error> {
        host_isa().map(|_| Self)
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn compile(
        &self,
        program: &Arc<Program>,
        ticks: u64,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Box<dyn Kernels>, Error> {
        let orders = LoopOrders::new(program, ticks);
        let code = cancel::within(token, || Code::new(program, orders, token, profile, None))?;
        Ok(Box::new(CpuKernel { program: Arc::clone(program), orders, code }))
    }
}

struct CpuKernel {
    program: Arc<Program>,
    orders: LoopOrders,
    code: Code,
}

/// Computes in the store's columns.
struct CpuSession<'a> {
    kernel: &'a CpuKernel,
    store: &'a mut Store,
    interrupt: &'a AtomicBool,
}

impl Session for CpuSession<'_> {
    fn launch(
        &mut self,
        kernel: KernelId,
        launch: &Launch<'_>,
        profile: &mut Profile,
    ) -> Result<Outcome, Error> {
        let CpuKernel { program, code, .. } = self.kernel;
        profile.time(Phase::Kernel, || {
            faults::point("keeping columns")?;
            self.store.home()?;
            let buffers = program.buffers.iter().enumerate();
            self.store.keep(buffers.filter(|(_, buffer)| buffer.changes()).map(|(number, _)| number))?;
            let (columns, printed) = self.store.parts_mut();
            pool::run((program, kernel), code, (columns, printed), (launch, self.interrupt))
        })
    }

    fn fetch(&mut self, column: Option<Buffer>, _profile: &mut Profile) -> Result<Outcome, Error> {
        match column {
            Some(column) => self.store.columns()[column.0 as usize].home()?,
            None => self.store.home()?,
        }
        Ok(Outcome::Done)
    }

    fn finish(&mut self, _profile: &mut Profile) -> Result<Outcome, Error> {
        Ok(Outcome::Done)
    }

    fn store(&mut self) -> &mut Store {
        self.store
    }

    fn columns(&self) -> &[Column] {
        self.store.columns()
    }

    fn changed(&mut self, _column: Buffer, _from: usize) -> usize {
        0
    }
}

impl Kernels for CpuKernel {
    fn bind<'a>(&'a self, store: &'a mut Store, interrupt: &'a AtomicBool) -> Box<dyn Session + 'a> {
        Box::new(CpuSession { kernel: self, store, interrupt })
    }

    fn suits(&self, ticks: u64) -> bool {
        self.orders == LoopOrders::Both || self.orders == LoopOrders::new(&self.program, ticks)
    }

    fn are_deep(&self) -> bool {
        self.code.deep
    }

    fn source(&self) -> String {
        let (token, mut profile) = (CancellationToken::default(), Profile::default());
        let orders = LoopOrders::new(&self.program, u64::MAX);
        let mut functions = Vec::new();
        let code = Code::new(&self.program, orders, &token, &mut profile, Some(&mut functions));
        let mut text = functions.concat();
        if let Err(error) = code {
            let _ = writeln!(text, "{error}");
        }
        text
    }
}

/// What elements of another back-end defer, as machine code of this machine.
pub struct DeferredCalls {
    code: Code,
}

impl DeferredCalls {
    /// `functions`: in the order in which their records are given later.
    pub fn new(
        program: &Program,
        functions: Vec<ir::FuncId>,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Self, Error> {
        let mut only = program.clone();
        only.plain = None;
        only.kernels.clear();
        only.driver = None;
        // Nothing else is compiled of it.
        for (number, function) in only.functions.iter_mut().enumerate() {
            if !functions.contains(&ir::FuncId(number as u32)) {
                function.body.clear();
            }
        }
        let code = cancel::within(token, || {
            Code::of(&only, functions, LoopOrders::TickMajor, token, profile, None)
        })?;
        Ok(Self { code })
    }

    /// Makes the calls of records (see [`deferred`]) on the columns of a launch: of one tick, those of a row in the order
    /// of their elements. False: one has failed.
    pub fn make(
        &self,
        records: &[Vec<u64>],
        columns: &mut [Column],
        (scalars, interrupt): (&[u64], &AtomicBool),
        tick: u64,
    ) -> Result<bool, Error> {
        let mut args: Vec<u64> =
            columns.iter_mut().map(|column| column.as_mut_ptr() as usize as u64).collect();
        args.extend_from_slice(scalars);
        let pool = threads::pool(self.code.deep)?;
        Ok(deferred::make(&self.code.deferred, &self.code.spare, (pool, records), (&args, tick, interrupt)))
    }
}

/// An entry in two forms, by loop interchange: the loop over ticks outside of that over elements, or inside. Where an
/// element's operations wait for each other, a core is faster when it runs one tick of many elements, whose operations
/// overlap, than all ticks of one element, though that keeps its state in registers.
#[derive(Clone, Copy)]
struct EntryCode {
    /// Called with one tick only.
    tick_major: EntryFn,
    /// Has the tick loop inside: fused programs, for enough ticks.
    element_major: Option<EntryFn>,
}

/// Machine code of a program, and the memory it lives in.
struct Code {
    /// Of all kernels.
    entries: Vec<EntryCode>,
    /// One for each of the entries.
    tunings: Vec<Tuning>,
    /// What elements defer, in the order of their numbers in the program.
    deferred: Vec<Deferred>,
    spare: Spare,
    /// Functions nest deeply or recurse: they want the pool's large stacks.
    deep: bool,
    /// Taken when dropped.
    module: Mutex<Option<JITModule>>,
}

impl Code {
    /// Compiles; `listing`, if asked for, gets the Cranelift IR and the assembly of each function.
    fn new(
        program: &Program,
        orders: LoopOrders,
        token: &CancellationToken,
        profile: &mut Profile,
        listing: Option<&mut Vec<String>>,
    ) -> Result<Self, Error> {
        Self::of(program, program.deferred().into_iter().collect(), orders, token, profile, listing)
    }

    /// The same, with what is deferred.
    fn of(
        program: &Program,
        deferred: Vec<ir::FuncId>,
        orders: LoopOrders,
        token: &CancellationToken,
        profile: &mut Profile,
        mut listing: Option<&mut Vec<String>>,
    ) -> Result<Self, Error> {
        let mut builder = JITBuilder::with_isa(host_isa()?, default_libcall_names());
        builder.symbols(runtime::symbols());
        // Calls reach 2 GiB, and pieces of memory had one by one can lie farther apart: stacks of threads are between.
        let bytes = (CODE + CODE_OF_A_STATEMENT * program.size()).min(MOST_CODE);
        let arena = ArenaMemoryProvider::new_with_size(bytes).map_err(|_| Error::Memory(bytes))?;
        builder.memory_provider(Box::new(arena));
        // From here on the code's owner frees it, also when a function below does not compile.
        let mut code = Self {
            entries: Vec::new(),
            tunings: Vec::new(),
            deferred: Vec::new(),
            spare: Spare::default(),
            deep: frame::nest_deeply(
                program,
                &program
                    .entries()
                    .map(|entry| entry.function)
                    .chain(deferred.iter().copied())
                    .collect::<Vec<_>>(),
            ),
            module: Mutex::new(Some(JITModule::new(builder))),
        };
        let module = code.module.get_mut().as_mut().ok_or_else(|| internal("no module"))?;

        let mut planned: Vec<Planned<'_>> = Vec::new();
        let mut plan = |module: &mut JITModule, name: String, what| {
            let signature = match what {
                frame::Kind::Callee(function) => frame::callee_signature(function, module.isa()),
                _ => frame::entry_signature(module.isa()),
            };
            let id = module.declare_anonymous_function(&signature).map_err(internal)?;
            planned.push(Planned { id, name, what });
            Ok::<_, Error>(id)
        };
        let mut functions = vec![None; program.functions.len()];
        for id in frame::callees(program) {
            let function = &program.functions[id.0 as usize];
            functions[id.0 as usize] =
                Some(plan(module, function.name.clone(), frame::Kind::Callee(function))?);
        }
        let mut ids = Vec::new();
        let entries = program
            .kernels
            .iter()
            .flat_map(|kernel| kernel.entries.iter().map(|entry| (entry, kernel.fused)));
        for (entry, fused) in entries {
            let function = &program.functions[entry.function.0 as usize];
            let tick = plan(module, format!("{}, one tick", entry.name), frame::Kind::EntryTick(function))?;
            let all = (fused && orders == LoopOrders::Both)
                .then(|| plan(module, format!("{}, all ticks", entry.name), frame::Kind::Entry(function)))
                .transpose()?;
            ids.push((tick, all));
        }
        let mut deferred_ids = Vec::new();
        for id in &deferred {
            let function = &program.functions[id.0 as usize];
            let id = plan(module, function.name.clone(), frame::Kind::Deferred(function))?;
            deferred_ids.push((id, function.params.len()));
        }

        let name = match &listing {
            None => object::name(program, module.isa(), &(orders == LoopOrders::Both, &deferred)),
            Some(_) => None,
        };
        let start = Instant::now();
        if let Some(object) = name.as_ref().and_then(|name| Object::get(name, planned.len())) {
            let all: Vec<FuncId> = planned.iter().map(|planned| planned.id).collect();
            let bytes = object.define(module, &all)?;
            profile.step("kept code", start.elapsed(), bytes as u64);
        } else {
            let mut context = FunctionBuilderContext::new();
            let mut emitted = Vec::with_capacity(planned.len());
            for planned in planned {
                faults::point("compiling a function")?;
                token.check()?;
                let one = planned.emit(
                    (program, &functions, &deferred),
                    (module, &mut context),
                    listing.is_some(),
                    profile,
                )?;
                if let Some(texts) = &mut listing {
                    texts.push(format!("; {}\n{}\n", one.name, one.context.func.display()));
                }
                emitted.push(one);
            }
            let compiled = compile::all(module, emitted, name.as_ref(), token, profile)?;
            for (text, function) in listing.into_iter().flatten().zip(&compiled) {
                let assembly = function.context.compiled_code().and_then(|code| code.vcode.as_deref());
                text.push_str(assembly.unwrap_or_default());
                text.push('\n');
            }
        }
        faults::point("making code executable")?;
        let start = Instant::now();
        module.finalize_definitions().map_err(of_module)?;
        profile.step("make executable", start.elapsed(), 1);
        let address = |id| {
            let address = module.get_finalized_function(id);
            // SAFETY: the function was declared with `entry_signature`, which is that of `EntryFn`.
            unsafe { std::mem::transmute::<*const u8, EntryFn>(address) }
        };
        code.entries = ids
            .into_iter()
            .map(|(tick_major, element_major)| EntryCode {
                tick_major: address(tick_major),
                element_major: element_major.map(address),
            })
            .collect();
        code.deferred =
            deferred_ids.into_iter().map(|(id, words)| Deferred { code: address(id), words }).collect();
        code.tunings.resize_with(code.entries.len(), Tuning::default);
        Ok(code)
    }
}

/// A function that is declared, and what it is to be.
struct Planned<'p> {
    id: FuncId,
    name: String,
    what: frame::Kind<'p>,
}

impl Planned<'_> {
    /// As Cranelift's IR. `program`: with the functions that are declared, and what elements defer.
    fn emit(
        self,
        (program, functions, deferred): (&Program, &[Option<FuncId>], &[ir::FuncId]),
        (module, builder): (&mut JITModule, &mut FunctionBuilderContext),
        is_shown: bool,
        profile: &mut Profile,
    ) -> Result<Emitted, Error> {
        let Self { id, name, what } = self;
        let start = Instant::now();
        let mut context = module.make_context();
        context.set_disasm(is_shown);
        frame::function(
            program,
            (functions, deferred),
            what,
            module,
            (&mut context.func, builder),
            is_shown,
        )?;
        profile.step("emit", start.elapsed(), 1);
        let instructions = context.func.dfg.num_insts();
        Ok(Emitted { id, name, context, instructions })
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.get_mut().take() {
            // SAFETY: pointers into the memory stand only in `entries`, which goes with it, and are called only by
            // `pool::run`, which borrows the code until every thread has come back.
            unsafe { module.free_memory() };
        }
    }
}

// Linkage is by id: nothing of ours is visible by name, C functions are.
const IMPORT: Linkage = Linkage::Import;

/// Address space for the code of a program, of which only what is used becomes memory. An entry has its statements twice,
/// each time some ten instructions for one of them.
const CODE: usize = 1 << 20;
const CODE_OF_A_STATEMENT: usize = 1 << 10;
const MOST_CODE: usize = 128 << 20;

fn of_module(error: ModuleError) -> Error {
    match error {
        ModuleError::Allocation { .. } => Error::Memory(0),
        error => internal(format!("{error:?}")),
    }
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("cpu back-end: {error}"))
}

/// The instruction set of this machine with all its extensions, looked up once.
fn host_isa() -> Result<OwnedTargetIsa, Error> {
    static ISA: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    ISA.get_or_init(|| look_up("speed", "backtracking")).clone().map_err(Error::Device)
}

/// The same for code that runs once and has no loops to speak of, which should not take long to make.
fn driver_isa() -> Result<OwnedTargetIsa, Error> {
    static ISA: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    ISA.get_or_init(|| look_up("none", "single_pass")).clone().map_err(Error::Device)
}

fn look_up(optimization: &str, register_allocation: &str) -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", optimization),
        ("regalloc_algorithm", register_allocation),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("unwind_info", "false"),
        ("enable_nan_canonicalization", "false"),
        // Frames beyond a page touch each page, so that a stack that ends is found at its guard.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("log2_min_function_alignment", "5"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
    ] {
        flags.set(name, value).map_err(|error| format!("{name}: {error}"))?;
    }
    let isa = match cfg!(feature = "testing") && std::env::var_os("IKRA_TEST_ISA").is_some() {
        // What is counted of the code is the same on each machine.
        true => cranelift_codegen::isa::lookup_by_name("x86_64").map_err(|error| error.to_string())?,
        false => cranelift_native::builder().map_err(str::to_owned)?,
    };
    isa.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
}
