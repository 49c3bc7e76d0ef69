//! Random programs, on the GPU and in the interpreter of the IR.

use super::{CALL, SEED, launched};
use crate::backend::cuda::emit;
use crate::backend::interpreter;
use crate::backend::random_programs::random_program;
use crate::backend::{Launch, Outcome};
use crate::cancel::CancellationToken;
use crate::heap::column::Numbers;
use crate::heap::{Column, JobOrder};
use crate::ir::parser::parse;
use crate::ir::passes::run_all;
use crate::ir::{Op, Program, Stmt, UnaryOp, walk};
use crate::scalar::Ty;
use std::sync::Arc;

/// Each costs a run of the C++ compiler, once.
const PROGRAMS: usize = 24;

/// What IR leaves open is taken out: floats that no integer holds, and the bits of a NaN.
fn tame(program: &mut Program) {
    for function in &mut program.functions {
        walk::for_each_mut(&mut function.body, &mut |s| {
            if let Stmt::Let { op: op @ Op::Unary(UnaryOp::F64ToI64 | UnaryOp::BitsToI64, _), .. } = s {
                *op = Op::I64(5);
            }
        });
    }
}

fn columns(program: &Program, elements: usize) -> Vec<Column> {
    let ids = |step: usize| Column::I32((0..elements).map(|i| (i * step % elements) as i32).collect());
    let column = |(i, ty): (usize, Ty)| match ty {
        Ty::I32 => ids(3 + 2 * i),
        Ty::I64 => Column::I64((0..elements as i64).map(|n| n * n - 9 * i as i64).collect()),
        Ty::F64 => Column::F64((0..elements).map(|n| n as f64 * 0.75 - 2.0).collect()),
        Ty::Bool => Column::zeros(ty, elements),
    };
    program.buffers.iter().map(|b| b.ty).enumerate().map(column).collect()
}

/// Bits of what a section may have changed, any NaN being as good as another.
fn written(program: &Program, columns: &[Column]) -> Vec<Vec<u64>> {
    let bits = |column: &Column| match column.numbers() {
        Numbers::F64(v) => v.iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect(),
        Numbers::I64(v) => v.iter().map(|n| *n as u64).collect(),
        Numbers::I32(v) => v.iter().map(|n| *n as u64).collect(),
        Numbers::Bool(v) => v.iter().map(|n| u64::from(*n)).collect(),
    };
    columns.iter().zip(&program.buffers).filter(|(_, b)| b.written).map(|(c, _)| bits(c)).collect()
}

#[test]
fn random_programs_compute_what_the_interpreter_says() {
    let (elements, mut compared) = (64, 0);
    let jobs = JobOrder::new(&(0..elements).map(|i| (i % 2) as u16).collect::<Vec<_>>(), 2, None).unwrap();
    for seed in 0.. {
        let mut program = random_program(seed);
        tame(&mut program);
        run_all(&mut program, true, &CancellationToken::default(), &mut crate::profile::Profile::default())
            .unwrap();
        // Elements of the others see each other's writes, in an order that a GPU does not keep.
        if !program.kernels[0].fused {
            continue;
        }
        for ticks in [1, 3] {
            let mut results = Vec::new();
            for on_gpu in [false, true] {
                let mut buffers = columns(&program, elements);
                let launch = Launch {
                    scalars: &[12],
                    jobs: &jobs,
                    ticks,
                    first_tick: 0,
                    seed: SEED,
                    call: CALL,
                    progress: None,
                };
                let outcome = if on_gpu {
                    launched(&Arc::new(program.clone()), &mut buffers, &launch, false).unwrap()
                } else {
                    interpreter::run(&program, &mut buffers, &launch)
                };
                let done = outcome == Outcome::Done;
                results.push((outcome, done.then(|| written(&program, &buffers))));
            }
            let text = || format!("seed {seed}\n{program}\n{}", emit::emit(&program).text);
            assert_eq!(results[0], results[1], "{}", text());
        }
        compared += 1;
        if compared == PROGRAMS {
            break;
        }
    }
}

#[test]
fn what_is_deferred_is_done_in_the_order_of_the_elements() {
    let program = Arc::new(parse(interpreter::DEFERRING).unwrap());
    for elements in [1, 2, 3_000] {
        let (columns, jobs) = interpreter::deferring(elements);
        let results = [false, true].map(|on_gpu| {
            let mut buffers = columns.clone();
            let (seed, call, ticks) = (SEED, CALL, 2);
            let jobs = &jobs;
            let launch = Launch { scalars: &[], jobs, ticks, first_tick: 0, seed, call, progress: None };
            let outcome = match on_gpu {
                true => launched(&program, &mut buffers, &launch, false).unwrap(),
                false => interpreter::run(&program, &mut buffers, &launch),
            };
            (outcome, buffers)
        });
        assert_eq!(results[0], results[1], "{elements} elements");
    }
    let (mut buffers, jobs) = interpreter::deferring(100);
    buffers[1] = Column::I64(vec![i64::MAX; 7]);
    let (seed, call, ticks) = (SEED, CALL, 1);
    let launch = Launch { scalars: &[], jobs: &jobs, ticks, first_tick: 0, seed, call, progress: None };
    assert_eq!(launched(&program, &mut buffers, &launch, false).unwrap(), Outcome::Conflict);
}
