//! Programs in the IR's text, run and compared with the same on the host.

mod arithmetic;
mod control;
mod driver;
mod random;

use super::loop_order::{LoopOrder, LoopOrders};
use super::{Code, CpuBackend, CpuKernel, Driver};
use crate::backend::interpreter;
use crate::backend::random_programs::random_program;
use crate::backend::run_with as run_with_driver;
use crate::backend::{Backend, Failure, Kernels, Launch, Outcome, run_on};
use crate::cancel::CancellationToken;
use crate::heap::job_order::{Round, Segment};
use crate::heap::{Column, JobOrder};
use crate::ir::{MathFn, Program, SiteId, parser, passes, verifier};
use crate::profile::Profile;
use crate::rng;
use crate::scalar::Ty;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A verified program, compiled.
fn kernel(text: &str) -> Box<dyn Kernels> {
    let program = match parser::parse(text) {
        Ok(program) => Arc::new(program),
        Err(error) => panic!("{error}\n{text}"),
    };
    if let Err(errors) = verifier::verify(&program) {
        panic!("{errors:#?}\n{text}");
    }
    CpuBackend
        .compile(&program, MANY_TICKS, &CancellationToken::default(), &mut Profile::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Enough for all forms of the code.
const MANY_TICKS: u64 = 1_000;

/// All of `jobs` jobs in one segment of entry 0, in the order of the elements.
fn in_order(jobs: usize) -> JobOrder {
    JobOrder::new(&vec![0; jobs], 1, None).unwrap()
}

fn run(kernel: &dyn Kernels, buffers: &mut [Column], jobs: &JobOrder, ticks: u64) -> Outcome {
    run_with(kernel, buffers, &[], jobs, ticks)
}

fn run_with(
    kernel: &dyn Kernels,
    buffers: &mut [Column],
    scalars: &[u64],
    jobs: &JobOrder,
    ticks: u64,
) -> Outcome {
    let interrupt = AtomicBool::new(false);
    let launch = Launch { scalars, jobs, ticks, first_tick: 0, seed: 42, call: 7, progress: None };
    run_on(kernel, buffers, &launch, &interrupt).unwrap()
}

fn failed(site: u32, element: u32, tick: u64, operands: [i64; 2]) -> Outcome {
    Outcome::Failed(Failure {
        site: SiteId(site),
        element,
        tick,
        operands,
        path: 0,
        kernel: None,
        texts: Default::default(),
        memory: Vec::new(),
    })
}

const HEAD: &str = "e0 = overflow \"+\"\ne1 = zero_division\nentry f0 \"T\"\n";

fn i64s(column: &Column) -> &[i64] {
    match column {
        Column::I64(values) => values,
        _ => panic!("not an I64 column"),
    }
}

fn f64s(column: &Column) -> &[f64] {
    match column {
        Column::F64(values) => values,
        _ => panic!("not an F64 column"),
    }
}
