//! Programs written by hand, run on the emulated GPU; what they should give is computed in Rust. Where NVRTC is found,
//! each is also compiled for two generations of GPUs. `IKRA_TEST_GPU=1` runs them on the GPU itself.

mod agreement;
mod arithmetic;
mod control;
mod traffic;

use super::emulator::Emulator;
use super::gpu::{Gpu, GpuDevice};
use super::{CudaBackend, emit};
use crate::backend::cpu::Driver;
use crate::backend::{Backend, Kernels, Launch, Outcome, run_with};
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::heap::{Column, JobOrder};
use crate::ir::{Program, parser, verifier};
use crate::profile::Profile;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex};

/// The emulated GPU, or with `IKRA_TEST_GPU=1` the GPU.
fn backend() -> CudaBackend {
    if std::env::var_os("IKRA_TEST_GPU").is_some_and(|v| v == "1") {
        let gpu = Gpu::open().unwrap_or_else(|e| panic!("{e}"));
        return CudaBackend { device: Box::new(GpuDevice(Arc::new(gpu))) };
    }

    let shim = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/spec/support/cuda_emulator"));
    CudaBackend { device: Box::new(Emulator::new(shim, true)) }
}

fn program(text: &str) -> Arc<Program> {
    let program = parser::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verifier::verify(&program).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    Arc::new(program)
}

/// The generated text, without prelude.
fn cuda(text: &str) -> String {
    emit::emit(&program(text)).text
}

/// One way to run a program.
struct Given {
    buffers: Vec<Column>,
    scalars: Vec<u64>,
    jobs: JobOrder,
    ticks: u64,
    interrupted: bool,
}

impl Given {
    /// All elements are of the first entry.
    fn elements(count: usize, buffers: Vec<Column>) -> Self {
        let jobs = JobOrder::new(&vec![0; count], 1, None).unwrap();
        Self { buffers, scalars: Vec::new(), jobs, ticks: 1, interrupted: false }
    }
}

const SEED: u64 = 0x0123_4567_89ab_cdef;
const CALL: u64 = 3;

/// Each program is compiled once.
fn launched(
    program: &Arc<Program>,
    columns: &mut [Column],
    launch: &Launch<'_>,
    interrupted: bool,
) -> Result<Outcome, Error> {
    static BACKEND: LazyLock<CudaBackend> = LazyLock::new(backend);
    static COMPILED: Mutex<BTreeMap<String, Arc<dyn Kernels>>> = Mutex::new(BTreeMap::new());
    let text = program.to_string();
    let found = COMPILED.lock().unwrap().get(&text).cloned();
    let kernel = match found {
        Some(kernel) => kernel,
        None => {
            let kernel: Arc<dyn Kernels> = BACKEND
                .compile(program, launch.ticks, &CancellationToken::default(), &mut Profile::default())?
                .into();
            COMPILED.lock().unwrap().insert(text, kernel.clone());
            kernel
        }
    };
    let (token, mut profile) = (CancellationToken::default(), Profile::default());
    let driver = program.driver.map(|_| Driver::new(program, &token, &mut profile)).transpose()?;
    run_with(&*kernel, driver.as_ref(), columns, launch, &AtomicBool::new(interrupted))
}

fn attempt(text: &str, given: &mut Given) -> Result<Outcome, Error> {
    let Given { scalars, jobs, ticks, .. } = given;
    let launch =
        Launch { scalars, jobs, ticks: *ticks, first_tick: 0, seed: SEED, call: CALL, progress: None };
    launched(&program(text), &mut given.buffers, &launch, given.interrupted)
}

fn run(text: &str, mut given: Given) -> (Outcome, Vec<Column>) {
    let outcome = attempt(text, &mut given).unwrap_or_else(|e| panic!("{e}"));
    (outcome, given.buffers)
}

/// The columns of a run that succeeds.
fn done(text: &str, given: Given) -> Vec<Column> {
    let (outcome, columns) = run(text, given);
    assert_eq!(outcome, Outcome::Done, "{}", cuda(text));
    columns
}
