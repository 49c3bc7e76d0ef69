//! Dialects: what a section gives in Rubies that differ.

use super::World;
use crate::backend::interpreter;
use crate::backend::{Launch, Outcome};
use crate::builtins::sources;
use crate::heap::schema::Output;
use crate::heap::{Column, JobOrder};
use crate::infer::dialect::Dialect;
use crate::ir::{BufferKind, KernelId, Part};
use crate::types::Type;

#[test]
fn core_asks_for_facts_that_there_are() {
    let core = [sources::SOURCES, sources::TEXTS].concat().concat();
    let names: Vec<&str> =
        core.split("__ruby?(:").skip(1).map(|rest| rest.split(')').next().unwrap_or_default()).collect();
    assert!(!names.is_empty());
    for name in names {
        assert!(Dialect::default().fact(name).is_some(), "{name}");
    }
}

/// What a block gives for 1: a Float.
fn run(block: &str, dialect: Dialect) -> f64 {
    let mut world = World::new(&format!("base.pmap {{ |n| {block} }}")).base(&[Type::Integer]);
    world.dialect = dialect;
    let program = world.must_infer(Output::Values).program;
    let mut buffers: Vec<Column> = program
        .buffers
        .iter()
        .map(|buffer| match (&buffer.kind, Column::zeros(buffer.ty, 1)) {
            (BufferKind::Scratch, _) => Column::zeros(buffer.ty, 4096),
            (BufferKind::Base(..), Column::I32(_)) => Column::I32(vec![1]),
            (BufferKind::Base(..), Column::I64(_)) => Column::I64(vec![1]),
            (_, zero) => zero,
        })
        .collect();
    let jobs = JobOrder::new(&[0], 1, None).unwrap();
    let scalars = vec![0; program.scalars.len()];
    let launch =
        Launch { scalars: &scalars, jobs: &jobs, ticks: 1, first_tick: 0, seed: 0, call: 0, progress: None };
    assert_eq!(interpreter::run(&program, &mut buffers, &launch), Outcome::Done, "{block}");
    let result =
        program.buffers.iter().position(|b| b.kind == BufferKind::Result(KernelId(0), Part::Payload));
    match &buffers[result.unwrap()] {
        Column::F64(values) => values[0],
        other => panic!("{block} gives {other:?}"),
    }
}

/// The Rubies that the specs run on have two of the three ways.
#[test]
fn array_sums_in_three_ways() {
    let old = Dialect::default();
    let plain = Dialect { array_sum_adds_up: true, ..old };
    let new = Dialect { array_sum_compensates_the_start: true, ..old };
    let twice = Dialect { array_sum_asks_twice: true, ..new };
    let seven = "0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1";
    for (block, expected) in [
        (format!("[{seven}, 0.1, 0.1, 0.1].sum(0.0)"), [1.0, 0.999_999_999_999_999_9, 1.0]),
        ("[n, -1e100].sum(1e100)".into(), [0.0, 0.0, 1.0]),
        ("[n, 2].sum(0.5)".into(), [3.5, 3.5, 3.5]),
        ("[n, n, 0.25].sum(0.5) { |x| x * 2 }".into(), [5.0, 5.0, 5.0]),
        ("calls = 0.0; [n, 0.25, 0.5].sum(0.5) { |x| calls += 1.0; x }; calls".into(), [3.0, 3.0, 3.0]),
    ] {
        assert_eq!([old, plain, new].map(|dialect| run(&block, dialect)), expected, "{block}");
    }
    let calls = "calls = 0.0; [n, 0.25, 0.5].sum(0.5) { |x| calls += 1.0; x }; calls";
    assert_eq!(run(calls, twice), 4.0);
    assert_eq!(run("[n, n, 0.25].sum(0.5) { |x| x * 2 }", twice), 5.0);
}

#[test]
fn powers_of_zero() {
    let new = Dialect { zero_pow_takes_any_modulus: true, ..Dialect::default() };
    assert_eq!(run("(n - 1).pow(13, n - 1).to_f", new), 0.0);
}
