//! Loops, calls, failures, ticks, rounds, interrupts.

use super::*;

/// Collatz: the number of steps to 1, with a limit that fails.
const COLLATZ: &str = r#"
b0 = column h0 "@n": i64
b1 = result: i64 written
e0 = overflow "*"
e1 = range "too long"
entry f0 "T"
fn f0 (v0: i32, v1: i64, v2: i64) {
  v3 = load b0[v0]
  v4 = i64 0; v5 = i64 1; v6 = i64 2; v7 = i64 3; v30 = i64 200
  x0 = v3; x1 = v4
  loop L0 {
    v8 = x0
    v9 = eq v8, v5
    if v9 { break L0 }
    v10 = x1
    v11 = add v10, v5
    x1 = v11
    v12 = le v11, v30
    check v12 at e1 with v11, v8
    v13 = floor_mod v8, v6
    v14 = eq v13, v4
    block L1 {
      if v14 {
        v15 = floor_div v8, v6 at e0
        x0 = v15
        continue L0
      } else {
        if v9 { break L1 }
      }
      v16 = mul_checked v8, v7 at e0
      v17 = add v16, v5
      x0 = v17
    }
  }
  v20 = x1
  store b1[v0] = v20
}
"#;

#[test]
fn loops_breaks_and_continues() {
    let collatz = |mut n: i64| {
        let mut steps = 0;
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    };
    let n: Vec<i64> = (1..5000).collect();
    let limited: Vec<i64> = n.iter().copied().filter(|n| collatz(*n) <= 200).collect();
    let kernel = kernel(COLLATZ);
    let mut buffers = [Column::I64(limited.clone()), Column::I64(vec![0; limited.len()])];
    assert_eq!(run(&*kernel, &mut buffers, &in_order(limited.len()), 1), Outcome::Done);
    assert_eq!(i64s(&buffers[1]), limited.iter().map(|n| collatz(*n)).collect::<Vec<_>>());
    let mut buffers = [Column::I64(n.clone()), Column::I64(vec![0; n.len()])];
    let Outcome::Failed(failure) = run(&*kernel, &mut buffers, &in_order(n.len()), 1) else { panic!() };
    let first = n.iter().position(|n| collatz(*n) > 200).unwrap();
    assert_eq!((failure.site, failure.element, failure.operands[0]), (SiteId(1), first as u32, 201));
}

/// Fails at the tick that its column says, -1 for never; counts ticks otherwise.
const FAILS_AT: &str = r#"
kernel k0 fused
b0 = column h0 "@when": i64
b1 = column h0 "@count": i64 written
e0 = range "now"
entry f0 "T"
fn f0 (v0: i32, v1: i64, v2: i64) {
  v3 = load b0[v0]
  v4 = load b1[v0]
  v5 = i64 1
  x0 = v1; x1 = v4
  loop L0 {
    v6 = x0
    v7 = ge v6, v2
    if v7 { break L0 }
    tick v6
    v8 = eq v6, v3
    if v8 { fail at e0 with v0, v6 }
    v9 = x1
    v10 = add_checked v9, v5 at e0
    x1 = v10
    v11 = add v6, v5
    x0 = v11
  }
  v12 = x1
  store b1[v0] = v12
}
"#;

#[test]
fn the_failure_of_the_lowest_tick_and_element_wins() {
    let text = [FAILS_AT.to_string(), FAILS_AT.replace("kernel k0 fused", "")];
    for kernel in text.map(|text| kernel(&text)) {
        for n in [10, 100_000] {
            let mut when = vec![-1; n];
            let ticks = if n == 10 { 50 } else { 5 };
            let counts = || Column::I64(vec![0; n]);
            let mut buffers = [Column::I64(when.clone()), counts()];
            assert_eq!(run(&*kernel, &mut buffers, &in_order(n), ticks), Outcome::Done);
            assert_eq!(buffers[1], Column::I64(vec![ticks as i64; n]));

            (when[2], when[n - 1], when[n - 3], when[n - 2]) = (4, 3, 3, 3);
            let mut buffers = [Column::I64(when.clone()), counts()];
            let expected = failed(0, n as u32 - 3, 3, [n as i64 - 3, 3]);
            assert_eq!(run(&*kernel, &mut buffers, &in_order(n), ticks), expected);
            // Elements count, not jobs.
            let order = (0..n as i32).rev().collect();
            let segments = vec![Segment { entry: 0, jobs: 0..n }];
            let reverse =
                JobOrder { order: Some(order), rounds: vec![Round { segments }], in_order: false, first: 0 };
            let mut buffers = [Column::I64(when), counts()];
            assert_eq!(run(&*kernel, &mut buffers, &reverse, ticks), expected);
        }
    }
}

#[test]
fn ticks_in_many_slices() {
    let kernel = kernel(FAILS_AT);
    let mut buffers = [Column::I64(vec![-1, 29_999_999, -1]), Column::I64(vec![0; 3])];
    assert_eq!(run(&*kernel, &mut buffers, &in_order(3), 29_999_999), Outcome::Done);
    assert_eq!(buffers[1], Column::I64(vec![29_999_999; 3]));
    let expected = failed(0, 1, 29_999_999, [1, 29_999_999]);
    assert_eq!(run(&*kernel, &mut buffers, &in_order(3), 30_000_000), expected);
}

#[test]
fn entries_of_two_classes_and_rounds() {
    // Doubles or adds one, through an index: two elements may be one object.
    let text = r#"
b0 = base: i32
b1 = column h0 "@x": i64 written
e0 = overflow "+"
entry f0 "A"
entry f1 "B"
fn f0 (v0: i32, v1: i64, v2: i64) {
  v3 = load b0[v0]; v4 = load b1[v3]; v5 = add_checked v4, v4 at e0
  store b1[v3] = v5
}
fn f1 (v0: i32, v1: i64, v2: i64) {
  v3 = load b0[v0]; v4 = load b1[v3]; v6 = i64 1; v5 = add_checked v4, v6 at e0
  store b1[v3] = v5
}
"#;
    let kernel = kernel(text);
    // Objects 0 and 1 are A, 2 and 3 B; 0 and 3 stand twice in the base.
    let jobs = JobOrder::new(&[1, 0, 0, 1, 0, 1], 2, Some(&[0, 0, 0, 0, 1, 1])).unwrap();
    let base = vec![3, 0, 1, 2, 0, 3];
    let mut buffers = [Column::I32(base), Column::I64(vec![1, 10, 100, 1000])];
    assert_eq!(run(&*kernel, &mut buffers, &jobs, 3), Outcome::Done);
    assert_eq!(buffers[1], Column::I64(vec![64, 80, 103, 1006]));
}

#[test]
fn calls_results_and_recursion() {
    let text = r#"
b0 = column h0 "@n": i64
b1 = result: i64 written
b2 = column h0 "@f": f64 written
b3 = column h0 "@where": i64 written
e0 = overflow "+"
e1 = stack_too_deep
entry f0 "T"
fn f0 (v0: i32, v1: i64, v2: i64) {
  v3 = load b0[v0]; v20 = i64 0
  v4 = call f1(v3, v20)
  store b1[v0] = v4
  v5, v6, v7 = call f2(v3, v4)
  if v7 { store b2[v0] = v6 }
  call f3(v5)
}
fn f1 "fib" (v0: i64, v1: i64) -> i64 {
  v2 = i64 2; v3 = i64 1; v10 = i64 10000
  v11 = le v1, v10
  check v11 at e1 with v0, v1
  v4 = lt v0, v2
  if v4 { return v0 }
  v12 = add v1, v3
  v5 = sub v0, v3; v6 = call f1(v5, v12)
  v7 = sub v0, v2; v8 = call f1(v7, v12)
  v9 = add_checked v6, v8 at e0
  return v9
}
fn f2 "many" (v0: i64, v1: i64) -> (i64, f64, bool) {
  v2 = add v0, v1; v3 = i64_to_f64 v1; v4 = gt v1, v0
  return v2, v3, v4
}
fn f3 "element" (v0: i64) {
  v1 = element
  v2 = tick
  v3 = extend_i32 v1
  v4 = add v3, v2
  v5 = add v4, v0
  store b3[v1] = v5
}
"#;
    fn fib(n: i64) -> i64 {
        if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
    }
    let kernel = kernel(text);
    let n: Vec<i64> = (0..20).collect();
    let mut buffers = [
        Column::I64(n.clone()),
        Column::I64(vec![0; 20]),
        Column::F64(vec![-1.0; 20]),
        Column::I64(vec![0; 20]),
    ];
    assert_eq!(run(&*kernel, &mut buffers, &in_order(20), 1), Outcome::Done);
    for &i in &n {
        let at = i as usize;
        assert_eq!(i64s(&buffers[1])[at], fib(i));
        assert_eq!(f64s(&buffers[2])[at], if fib(i) > i { fib(i) as f64 } else { -1.0 });
        assert_eq!(i64s(&buffers[3])[at], i + i + fib(i));
    }
    // A failure 10,001 frames deep, and the frames fit in the stack.
    let mut buffers = [
        Column::I64(vec![3, 20_000]),
        Column::I64(vec![0; 2]),
        Column::F64(vec![0.0; 2]),
        Column::I64(vec![0; 2]),
    ];
    assert_eq!(run(&*kernel, &mut buffers, &in_order(2), 1), failed(1, 1, 0, [9_999, 10_001]));
}

#[test]
fn random_numbers_are_those_of_the_generator() {
    // Two draws a tick, one of them in a function.
    let text = r#"
program random
kernel k0 fused
b0 = column h0 "@sum": i64 written
entry f0 "T"
fn f0 (v0: i32, v1: i64, v2: i64) {
  v3 = load b0[v0]; v4 = i64 1
  x0 = v1; x1 = v3
  loop L0 {
    v5 = x0
    v6 = ge v5, v2
    if v6 { break L0 }
    tick v5
    v7 = random
    v8 = call f1()
    v9 = x1; v12 = mul v9, v15; v10 = add v12, v7; v11 = xor v10, v8
    x1 = v11
    v13 = add v5, v4
    x0 = v13
  }
  v14 = x1
  store b0[v0] = v14
}
fn f1 () -> i64 {
  v0 = random
  return v0
}
"#;
    let text = text.replace("v4 = i64 1", "v4 = i64 1; v15 = i64 31");
    let (n, ticks) = (3_000, 5);
    let mut expected = vec![0i64; n];
    for (element, sum) in expected.iter_mut().enumerate() {
        for tick in 0..ticks {
            let draw = |number| rng::draw(42, 7, element as u32, tick, number) as i64;
            *sum = sum.wrapping_mul(31).wrapping_add(draw(0)) ^ draw(1);
        }
    }
    for text in [text.clone(), text.replace("program random\nkernel k0 fused", "program random\nkernel k0")] {
        let mut buffers = [Column::I64(vec![0; n])];
        assert_eq!(run(&*kernel(&text), &mut buffers, &in_order(n), ticks), Outcome::Done);
        assert_eq!(i64s(&buffers[0]), expected);
    }
}

fn interrupted(text: &str, buffers: &mut [Column], jobs: usize, ticks: u64) -> Duration {
    let kernel = kernel(text);
    let interrupt = AtomicBool::new(false);
    let jobs = in_order(jobs);
    let (outcome, time) = std::thread::scope(|scope| {
        let stop = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            interrupt.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let launch =
            Launch { scalars: &[], jobs: &jobs, ticks, first_tick: 0, seed: 0, call: 0, progress: None };
        let outcome = run_on(&*kernel, buffers, &launch, &interrupt).unwrap();
        let end = Instant::now();
        (outcome, end - stop.join().unwrap())
    });
    assert_eq!(outcome, Outcome::Interrupted);
    time
}

#[test]
fn an_interrupt_stops_ticks_loops_and_recursion() {
    let n = 1000;
    let mut buffers = [Column::I64(vec![-1; n]), Column::I64(vec![0; n])];
    let ticks = interrupted(FAILS_AT, &mut buffers, n, i64::MAX as u64);
    let unfused = interrupted(&FAILS_AT.replace("kernel k0 fused", ""), &mut buffers, n, i64::MAX as u64);
    let endless = "entry f0\nfn f0 (v0: i32, v1: i64, v2: i64) { loop L0 { } }";
    let endless = interrupted(endless, &mut [], 1, 1);
    let recursion = "entry f0
        fn f0 (v0: i32, v1: i64, v2: i64) { v3 = i64 70; v4 = call f1(v3) }
        fn f1 (v0: i64) -> i64 {
          v1 = i64 2; v2 = i64 1; v3 = lt v0, v1
          if v3 { return v0 }
          v4 = sub v0, v2; v5 = call f1(v4); v6 = sub v0, v1; v7 = call f1(v6); v8 = add v5, v7
          return v8
        }";
    let recursion = interrupted(recursion, &mut [], 1, 1);
    // 10 ms steps; the rest is for busy machines.
    for time in [ticks, unfused, endless, recursion] {
        assert!(time < Duration::from_millis(500), "{time:?}");
    }
}

/// The threads of the pool do not exist in a forked child.
#[cfg(unix)]
#[test]
fn a_forked_child_computes_too() {
    let kernel = kernel(FAILS_AT);
    let n = 100_000;
    let compute = || {
        let mut buffers = [Column::I64(vec![-1; n]), Column::I64(vec![0; n])];
        run(&*kernel, &mut buffers, &in_order(n), 100) == Outcome::Done
            && buffers[1] == Column::I64(vec![100; n])
    };
    assert!(compute());
    // SAFETY: the child only computes and leaves without running the test harness's exit code.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(20);
            libc::_exit(i32::from(!compute()));
        }
        let mut status = -1;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
    }
}

#[test]
fn a_launch_that_does_not_fit_is_refused() {
    let kernel = kernel(COLLATZ);
    let interrupt = AtomicBool::new(false);
    let jobs = in_order(1);
    let mut buffers = [Column::I64(vec![1]), Column::F64(vec![0.0])];
    let launch =
        Launch { scalars: &[], jobs: &jobs, ticks: 1, first_tick: 0, seed: 0, call: 0, progress: None };
    assert!(run_on(&*kernel, &mut buffers, &launch, &interrupt).is_err());
}

#[test]
fn source_shows_ir_and_assembly() {
    let source = kernel(COLLATZ).source();
    assert!(source.contains("smul_overflow") && source.contains("retq"), "{source}");
}

#[test]
fn unreachable_code_compiles() {
    let text = format!(
        "{HEAD}
        fn f0 (v0: i32, v1: i64, v2: i64) {{
          v3 = true; v4 = i64 0
          if v3 {{ return }} else {{ fail at e0 }}
          v5 = floor_div v1, v4 at e0
          check v3 at e1
        }}"
    );
    assert_eq!(run(&*kernel(&text), &mut [], &in_order(3), 2), Outcome::Done);
    let text = text.replace("if v3 { return } else { fail at e0 }", "loop L0 { return }");
    assert_eq!(run(&*kernel(&text), &mut [], &in_order(3), 2), Outcome::Done);
    let text = text.replace("loop L0 { return }", "v6 = false; check v6 at e1");
    assert_eq!(run(&*kernel(&text), &mut [], &in_order(3), 2), failed(1, 0, 0, [0, 0]));
}

#[test]
fn what_is_deferred_is_done_in_the_order_of_the_elements() {
    let program = parser::parse(interpreter::DEFERRING).unwrap();
    let kernel = kernel(interpreter::DEFERRING);
    for elements in [1, 2, 5_000, 40_000] {
        let (mut expected, jobs) = interpreter::deferring(elements);
        let mut found = expected.clone();
        let launch =
            Launch { scalars: &[], jobs: &jobs, ticks: 2, first_tick: 0, seed: 42, call: 7, progress: None };
        assert_eq!(interpreter::run(&program, &mut expected, &launch), Outcome::Done);
        assert_eq!(run(&*kernel, &mut found, &jobs, 2), Outcome::Done);
        assert_eq!(found, expected, "{elements} elements");
    }
}

#[test]
fn what_fails_later_says_nothing_of_why() {
    let (mut buffers, jobs) = interpreter::deferring(100);
    buffers[1] = Column::I64(vec![i64::MAX; 7]);
    assert_eq!(run(&*kernel(interpreter::DEFERRING), &mut buffers, &jobs, 1), Outcome::Conflict);
}
