//! Control flow, calls, failures, ticks, rounds and random numbers.

use super::{CALL, Given, SEED, cuda, done, program, run};
use crate::backend::cuda::emit;
use crate::backend::{Failure, Outcome};
use crate::heap::{Column, JobOrder};
use crate::ir::SiteId;
use crate::rng;
use crate::scalar::Ty;

/// Collatz steps of each element; leaves two loops at once when a number is too large, and skips even starts.
const COLLATZ: &str = r#"
b0 = base: i64
b1 = result: i64 written
e0 = overflow "/"
entry f0 "Integer"
fn f0 "Integer" (v0: i32 in 0.., v1: i64, v2: i64) {
  var x0: i64, x1: i64, x2: i64
  v3 = load b0[v0]
  v4 = i64 0
  v5 = i64 1
  v6 = i64 2
  v7 = i64 3
  v8 = i64 1000000
  block L0 {
    x0 = v3
    loop L1 {
      x2 = v4
      loop L2 {
        v9 = x0
        v10 = gt v9, v8
        if v10 {
          v11 = i64 -1
          x1 = v11
          break L0
        }
        v12 = le v9, v5
        if v12 {
          break L1
        }
        v13 = x1
        v14 = add v13, v5
        x1 = v14
        v15 = floor_mod v9, v6
        v16 = eq v15, v4
        if v16 {
          v17 = floor_div v9, v6 at e0
          x0 = v17
          continue L1
        }
        v18 = mul v9, v7
        v19 = add v18, v5
        x0 = v19
        v20 = x2
        v21 = add v20, v5
        x2 = v21
        v22 = eq v21, v7
        if v22 {
        } else {
          continue L2
        }
        break L2
      }
    }
  }
  v23 = x1
  store b1[v0] = v23
}
"#;

#[test]
fn jumps_across_nested_loops_and_blocks() {
    let starts: Vec<i64> = (1..200).chain([999_999, 1_000_001]).collect();
    let n = starts.len();
    let columns =
        done(COLLATZ, Given::elements(n, vec![Column::I64(starts.clone()), Column::I64(vec![0; n])]));
    let expected = starts.iter().map(|start| {
        let (mut x, mut steps) = (*start, 0);
        while x > 1 && x <= 1_000_000 {
            x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            steps += 1;
        }
        if x > 1 { -1 } else { steps }
    });
    assert_eq!(columns[1], Column::I64(expected.collect()), "{}", cuda(COLLATZ));
}

const CALLS: &str = r#"
b0 = base: i64
b1 = result: i64 written
b2 = result: f64 written
e0 = stack_too_deep
e1 = overflow "*"
entry f0 "Integer"
fn f0 "Integer" (v0: i32 in 0.., v1: i64, v2: i64) {
  v3 = load b0[v0]
  v4 in 0..=1000, v5: f64 = call f1(v3)
  store b1[v0] = v4
  store b2[v0] = v5
  call f2()
}
fn f1 "fib" (v0: i64) -> (i64, f64) {
  v1 = i64 2
  v2 = lt v0, v1
  if v2 {
    v3 = i64_to_f64 v0
    return v0, v3
  }
  v4 = i64 1
  v5 = sub_checked v0, v4 at e1
  v6 = sub v0, v1
  v7: i64, v8: f64 = call f1(v5)
  v9: i64, v10: f64 = call f1(v6)
  v11 = add_checked v7, v9 at e1
  v12 = add_f v8, v10
  return v11, v12
}
fn f2 "nothing" () {
}
"#;

#[test]
fn recursive_functions_with_several_results() {
    let given = Given::elements(
        20,
        vec![Column::I64((0..20).collect()), Column::zeros(Ty::I64, 20), Column::zeros(Ty::F64, 20)],
    );
    let columns = done(CALLS, given);
    let mut fib = vec![0i64, 1];
    while fib.len() < 20 {
        fib.push(fib[fib.len() - 1] + fib[fib.len() - 2]);
    }
    assert_eq!(columns[2], Column::F64(fib.iter().map(|x| *x as f64).collect()));
    assert_eq!(columns[1], Column::I64(fib), "{}", cuda(CALLS));
    assert!(emit::emit(&program(CALLS)).recursive);
}

/// Endless recursion without a check of depth: the stack says stop.
const ENDLESS: &str = r#"
b0 = result: i64 written
entry f0 "X"
fn f0 "X" (v0: i32 in 0.., v1: i64, v2: i64) {
  v3: i64 = call f1(v1)
  store b0[v0] = v3
}
fn f1 "again" (v0: i64) -> i64 {
  v1 = i64 1
  v2 = add v0, v1
  v3: i64 = call f1(v2)
  v4 = add v3, v0
  return v4
}
"#;

#[test]
fn a_full_stack_is_an_error_of_the_device() {
    let mut given = Given::elements(3, vec![Column::zeros(Ty::I64, 3)]);
    let error = super::attempt(ENDLESS, &mut given).unwrap_err();
    assert!(error.to_string().contains("stack"), "{error}");
}

/// Adds the tick to a running sum; fails where the sum passes a limit.
const TICKS: &str = r#"
kernel k0 fused
b0 = base: i64
b1 = column h0 "@sum": i64 written
s0 = root 0: i64
e0 = range "first"
e1 = range "too much" at "a/b.rb":7
entry f0 "Even"
entry f1 "Odd"
fn f0 "Even" (v0: i32 in 0.., v1: i64, v2: i64) {
  var x0: i64, x1: i64
  v3 = load b1[v0]
  x0 = v3
  x1 = v1
  loop L0 {
    v4 = x1
    v5 = ge v4, v2
    if v5 {
      break L0
    }
    tick v4
    v6 = tick
    v7 = x0
    v8 = add_checked v7, v6 at e0
    x0 = v8
    v9 = s0
    v10 = le v8, v9
    check v10 at e1 with v8, v9
    v11 = i64 1
    v12 = add v4, v11
    x1 = v12
  }
  v13 = x0
  store b1[v0] = v13
}
fn f1 "Odd" (v0: i32 in 0.., v1: i64, v2: i64) {
  v3 = load b1[v0]
  v4 = sub v3, v2
  store b1[v0] = v4
}
"#;

fn ticks(limit: i64, ticks: u64, sums: &[i64]) -> (Outcome, Vec<Column>) {
    let n = sums.len();
    let given = Given {
        buffers: vec![Column::I64(vec![0; n]), Column::I64(sums.to_vec())],
        scalars: vec![limit as u64],
        jobs: JobOrder::new(&(0..n).map(|i| (i % 2) as u16).collect::<Vec<_>>(), 2, None).unwrap(),
        ticks,
        interrupted: false,
    };
    run(TICKS, given)
}

#[test]
fn entries_run_over_their_own_elements_in_any_order() {
    let (outcome, columns) = ticks(i64::MAX, 10, &[100, 100, 7, 8, 9]);
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(columns[1], Column::I64(vec![145, 90, 52, -2, 54]), "{}", cuda(TICKS));
}

#[test]
fn the_failure_of_the_lowest_tick_and_then_element_wins() {
    let failure = |element, tick, sum| {
        Outcome::Failed(Failure {
            site: SiteId(1),
            element,
            tick,
            operands: [sum, 20],
            path: 0,
            kernel: None,
            texts: Default::default(),
            memory: Vec::new(),
        })
    };
    assert_eq!(ticks(20, 10, &[0, 0, 0, 0]).0, failure(0, 6, 21));
    // Element 2 fails in tick 3, before element 0 in tick 6; 4 fails with it, but is later in the base.
    assert_eq!(ticks(20, 10, &[0, 0, 16, 0, 17]).0, failure(2, 3, 22));
    assert_eq!(ticks(20, 10, &[0, 0, 0, 0, 21, 0, 30]).0, failure(4, 0, 21));
}

#[test]
fn of_many_that_fail_at_once_the_first_is_told() {
    let sums: Vec<i64> = (0..200_000).map(|i| if i < 1001 { 0 } else { 21 }).collect();
    let failure = Failure {
        site: SiteId(1),
        element: 1002,
        tick: 0,
        operands: [21, 20],
        path: 0,
        kernel: None,
        texts: Default::default(),
        memory: Vec::new(),
    };
    assert_eq!(ticks(20, 3, &sums).0, Outcome::Failed(failure));
}

#[test]
fn many_ticks_are_cut_into_slices_without_a_trace() {
    let n = 600;
    let (outcome, columns) = ticks(i64::MAX, 40_000, &vec![1; n]);
    assert_eq!(outcome, Outcome::Done);
    let Column::I64(sums) = &columns[1] else { panic!("type") };
    assert_eq!(sums[0], 1 + 39_999 * 40_000 / 2);
}

/// Each element takes its right neighbour's number, read from the other of two columns: ticks must not overlap.
const RING: &str = r#"
b0 = column h0 "@a": i64 written
b1 = column h0 "@b": i64 written
s0 = base_length: i32
entry f0 "Cell"
fn f0 "Cell" (v0: i32 in 0.., v1: i64, v2: i64) {
  tick v1
  v3 = i32 1
  v4 = add v0, v3
  v5 = s0
  v6 = eq v4, v5
  v7 = i32 0
  v8 = select v6, v7, v4
  v9 = i64 2
  v10 = tick
  v11 = floor_mod v10, v9
  v12 = i64 0
  v13 = eq v11, v12
  if v13 {
    v14 = load b0[v8]
    store b1[v0] = v14
  } else {
    v15 = load b1[v8]
    store b0[v0] = v15
  }
}
"#;

#[test]
fn a_program_that_is_not_fused_sees_all_writes_of_the_tick_before() {
    for ticks in [1u64, 2, 15, 16, 63, 64, 65, 200, 1000] {
        let n = 300;
        let given = Given {
            buffers: vec![Column::I64((0..n).collect()), Column::I64(vec![0; n as usize])],
            scalars: vec![n as u64],
            jobs: JobOrder::new(&vec![0; n as usize], 1, None).unwrap(),
            ticks,
            interrupted: false,
        };
        let columns = done(RING, given);
        let expected = Column::I64((0..n).map(|i| (i + ticks as i64) % n).collect());
        assert_eq!(columns[usize::from(ticks % 2 == 1)], expected, "{ticks} ticks");
    }
}

/// Appends the element to a log of its object: order within the object is what counts.
const ROUNDS: &str = r#"
kernel k0 fused
b0 = base: i32
b1 = column h0 "@log": i64 written
entry f0 "Log"
fn f0 "Log" (v0: i32 in 0.., v1: i64, v2: i64) {
  v3 = load b0[v0] in 0..
  v4 = load b1[v3]
  v5 = i64 10
  v6 = mul v4, v5
  v7 = extend_i32 v0
  v8 = add v6, v7
  store b1[v3] = v8
}
"#;

#[test]
fn repeated_objects_run_one_after_the_other_in_each_tick() {
    let given = Given {
        buffers: vec![Column::I32(vec![0, 0, 1, 0, 1]), Column::I64(vec![0, 0])],
        scalars: Vec::new(),
        jobs: JobOrder::new(&[0; 5], 1, Some(&[0, 1, 0, 2, 1])).unwrap(),
        ticks: 2,
        interrupted: false,
    };
    assert_eq!(done(ROUNDS, given)[1], Column::I64(vec![13_013, 2424]));
}

const RANDOM: &str = r#"
program random
kernel k0 fused
b0 = result: i64 written
b1 = result: i64 written
b2 = result: i64 written
entry f0 "X"
fn f0 "X" (v0: i32 in 0.., v1: i64, v2: i64) {
  var x0: i64
  x0 = v1
  loop L0 {
    v3 = x0
    v4 = lt v3, v2
    if v4 {
    } else {
      break L0
    }
    tick v3
    v5 = random
    v6 = random
    v7: i64 = call f1()
    store b0[v0] = v5
    store b1[v0] = v7
    v8 = i64 1
    v9 = add v3, v8
    x0 = v9
  }
  v10 = element
  v11 = extend_i32 v10
  store b2[v0] = v11
}
fn f1 "draw" () -> i64 {
  v0 = random
  return v0
}
"#;

#[test]
fn random_numbers_are_those_of_the_generator() {
    let n = 200;
    let mut given = Given::elements(n, vec![Column::zeros(Ty::I64, n); 3]);
    given.ticks = 3;
    given.jobs.order = Some((0..n as i32).rev().collect());
    let columns = done(RANDOM, given);
    let draws = |draw| Column::I64((0..n).map(|i| rng::draw(SEED, CALL, i as u32, 2, draw) as i64).collect());
    assert_eq!(columns[0], draws(0));
    assert_eq!(columns[1], draws(2), "{}", cuda(RANDOM));
    assert_eq!(columns[2], Column::I64((0..n as i64).collect()));
}

#[test]
fn an_interrupted_run_stops() {
    let mut given = Given::elements(300, vec![Column::zeros(Ty::I64, 300); 2]);
    given.scalars = vec![300];
    given.interrupted = true;
    assert_eq!(run(RING, given).0, Outcome::Interrupted);
}

#[test]
fn columns_of_another_shape_are_refused() {
    let mut given = Given::elements(300, vec![Column::zeros(Ty::F64, 300); 2]);
    given.scalars = vec![300];
    assert!(super::attempt(RING, &mut given).is_err());
}

/// More classes than one launch has segments for.
#[test]
fn a_hundred_classes() {
    use std::fmt::Write;
    let mut text = String::from("b0 = result: i64 written\n");
    for class in 0..100 {
        let _ = writeln!(text, "entry f{class} \"C{class}\"");
    }
    for class in 0..100 {
        let _ = writeln!(
            text,
            "fn f{class} \"C{class}\" (v0: i32 in 0.., v1: i64, v2: i64) {{\nv3 = i64 {class}\nstore b0[v0] = v3\n}}"
        );
    }
    let entry_of: Vec<u16> = (0..1000).map(|i| (i * 7 % 100) as u16).collect();
    let given = Given {
        buffers: vec![Column::zeros(Ty::I64, 1000)],
        scalars: Vec::new(),
        jobs: JobOrder::new(&entry_of, 100, None).unwrap(),
        ticks: 1,
        interrupted: false,
    };
    assert_eq!(done(&text, given)[0], Column::I64(entry_of.iter().map(|c| i64::from(*c)).collect()));
}

#[test]
fn what_is_missing_is_told_and_never_raised() {
    let found = crate::backend::cuda::availability();
    let text = found.to_string();
    assert!(text.contains("driver: ") && text.contains("compiler: ") && text.contains("GPU: "), "{text}");
    assert_eq!(crate::backend::cuda::CudaBackend::new().is_some(), found.usable());
}
