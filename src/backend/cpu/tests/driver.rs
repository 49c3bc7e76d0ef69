//! Drivers: what they launch, and what they make of columns.

use super::*;

/// Two kernels: one adds to each row of b0 and says which are odd, the other fails where a row is 9.
const HEAD: &str = r#"
b0 = column h0 "@x": i64 written
b1 = result: bool written
b2 = selection: i32 written
b3 = merged v0: i64 written
b4 = merged v0 tag: i32 written
b5 = array_offset a0: i32
b6 = array_length a0: i32
b7 = array_values a0: i64
b8 = base k2: i64
b9 = result k2: i64 written
s0 = root 0: i64
s1 = driver 0: i64
e0 = overflow "+"
e1 = index_too_small
kernel k0
entry f0
kernel k1
entry f1
kernel k2
entry f2
driver f3
fn f0 (v0: i32, v1: i64, v2: i64) {
  v3 = load b0[v0]; v4 = i64 1; v5 = add_checked v3, v4 at e0; store b0[v0] = v5
  v6 = and v5, v4; v7 = eq v6, v4; store b1[v0] = v7
}
fn f1 (v0: i32, v1: i64, v2: i64) { v3 = load b0[v0]; v4 = i64 9; v5 = ne v3, v4; check v5 at e1 with v3 }
fn f2 (v0: i32, v1: i64, v2: i64) { v3 = load b8[v0]; v4 = s1; v5 = add v3, v4; store b9[v0] = v5 }
"#;

fn drive(driver: &str, rows: Vec<i64>) -> (Outcome, Vec<Column>) {
    let text = format!("{HEAD}\nfn f3 \"driver\" () {{\n{driver}\n}}");
    let kernels = kernel(&text);
    let program = parser::parse(&text).unwrap();
    assert_eq!(parser::parse(&program.to_string()).unwrap(), program);
    let driver = Driver::new(&program, &CancellationToken::default(), &mut Profile::default()).unwrap();
    let (jobs, count) = (in_order(rows.len()), rows.len());
    let launch =
        Launch { scalars: &[5, 0], jobs: &jobs, ticks: 1, first_tick: 0, seed: 1, call: 1, progress: None };
    let mut results = Vec::new();
    for interpreted in [false, true] {
        let mut columns = vec![
            Column::I64(rows.clone()),
            Column::zeros(Ty::Bool, count),
            Column::zeros(Ty::I32, 0),
            Column::zeros(Ty::I64, 1),
            Column::zeros(Ty::I32, 1),
            // Two arrays, and the filler.
            Column::I32(vec![0, 1]),
            Column::I32(vec![1, 3]),
            Column::I64(vec![7, 10, 20, 30, 0]),
            Column::I64(Vec::new()),
            Column::I64(Vec::new()),
        ];
        let interrupt = AtomicBool::new(false);
        let outcome = match interpreted {
            true => interpreter::run(&program, &mut columns, &launch),
            false => run_with_driver(&*kernels, Some(&driver), &mut columns, &launch, &interrupt).unwrap(),
        };
        results.push((outcome, columns));
    }
    let [found, expected] = &results[..] else { unreachable!() };
    assert_eq!(found.0, expected.0);
    if found.0 == Outcome::Done {
        assert_eq!(found.1, expected.1);
    }
    results.swap_remove(0)
}

#[test]
fn kernels_are_launched_in_loops_and_what_they_leave_is_compacted() {
    // Launches until no more than one row is odd, at most s0 times.
    let driver = "v0 = i64 0; x0 = v0; v1 = s0
        loop L0 {
          launch k0
          v2 = compact b1 into b2
          v3 = x0; v4 = i64 1; v5 = add v3, v4; x0 = v5
          v6 = le v2, v4; if v6 { break L0 }
          v7 = ge v5, v1; if v7 { break L0 }
        }
        v8 = x0; v9 = i32 0; store b3[v9] = v8";
    let (outcome, columns) = drive(driver, vec![0, 2, 4, 5]);
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(columns[0], Column::I64(vec![2, 4, 6, 7]));
    assert_eq!((&columns[2], &columns[3]), (&Column::I32(vec![3]), &Column::I64(vec![2])));
    let (_, columns) = drive(driver, vec![0, 1]);
    assert_eq!(columns[0], Column::I64(vec![1, 2]));
}

#[test]
fn arrays_are_made_row_by_row() {
    // Behind the two there are as many as s0 says, of one item each, while the columns move.
    let driver = "v0 = i64 1; v1 = i64 0; x2 = v1; v20 = s0
        loop L0 {
          v2 = x2; v3 = ge v2, v20; if v3 { break L0 }
          v4 = lengthen b5 by v0; v5 = wrap_i64 v4
          v6 = lengthen b7 by v0; v7 = wrap_i64 v6
          v8 = i32 1
          store b5[v5] = v7; store b6[v5] = v8; store b7[v7] = v2
          v9 = load b5[v5]; v10 = load b7[v9]; v11 = add v10, v0
          x2 = v11
        }
        v12 = x2; v13 = i32 0; store b3[v13] = v12";
    let (outcome, columns) = drive(driver, vec![0]);
    assert_eq!(outcome, Outcome::Done);
    let numbers = |list: &[i64]| Column::I64(list.to_vec());
    assert_eq!(columns[5], Column::I32(vec![0, 1, 4, 5, 6, 7, 8]));
    assert_eq!(columns[6], Column::I32(vec![1, 3, 1, 1, 1, 1, 1]));
    assert_eq!((&columns[7], &columns[3]), (&numbers(&[7, 10, 20, 30, 0, 1, 2, 3, 4, 0]), &numbers(&[5])));
}

#[test]
fn kernels_go_over_arrays_that_earlier_ones_have_given() {
    // Over the second array with 5, then over what that gave with 100, but for 0 ticks; then over it once more.
    let driver = "v0 = i32 1; x0 = v0; v1 = s0; x1 = v1; v2 = i64 0; x2 = v2; v3 = i64 1
        loop L0 {
          v4 = x0; v5 = load b5[v4]; v6 = load b6[v4]; v7 = extend_i32 v6
          copy b7[v5] for v7 into b8
          v8 = x1; s1 = v8
          over k2 for v7 own b8 sized b9
          v9 = x2; v10 = ne v9, v3; v11 = bool_to_i64 v10
          launch k2 for v11
          v12 = append b9 for v7 into b5, b6, b7
          x0 = v12; v13 = i64 100; x1 = v13
          v14 = add v9, v3; x2 = v14
          v15 = gt v14, v3; if v15 { break L0 }
        }";
    let (outcome, columns) = drive(driver, vec![0]);
    assert_eq!(outcome, Outcome::Done);
    let numbers = |list: &[i64]| Column::I64(list.to_vec());
    assert_eq!((&columns[5], &columns[6]), (&Column::I32(vec![0, 1, 4, 7]), &Column::I32(vec![1, 3, 3, 3])));
    assert_eq!(columns[7], numbers(&[7, 10, 20, 30, 15, 25, 35, 15, 25, 35, 0]));
    assert_eq!(columns[9], numbers(&[15, 25, 35]));
}

#[test]
fn a_launch_that_fails_ends_the_driver() {
    let driver = "launch k0; launch k1; launch k0";
    let (outcome, _) = drive(driver, vec![0, 7, 8, 8]);
    let Outcome::Failed(failure) = failed(1, 2, 0, [9, 0]) else { panic!("{outcome:?}") };
    assert_eq!(outcome, Outcome::Failed(Failure { kernel: Some(crate::ir::KernelId(1)), ..failure }));
    assert_eq!(drive(driver, vec![0, 7]).1[0], Column::I64(vec![2, 9]));
}

#[test]
fn sums_are_told_from_what_is_beyond_64_bits() {
    let driver = "launch k0; v0 = s0; v1 = i32 0; v2, v3 = reduce add b0 where b1 from v0
        if v3 { store b3[v1] = v2; v4 = i32 7; store b4[v1] = v4 }";
    let (_, columns) = drive(driver, vec![0, 1, 2, 3]);
    assert_eq!((&columns[3], &columns[4]), (&Column::I64(vec![9]), &Column::I32(vec![7])));
    let (_, columns) = drive(driver, vec![i64::MAX - 1, 0, 2]);
    assert_eq!((&columns[3], &columns[4]), (&Column::I64(vec![0]), &Column::I32(vec![0])));
}

#[test]
fn a_driver_may_fail_and_be_interrupted() {
    let (outcome, _) = drive("v0 = s0; v1 = false; check v1 at e1 with v0", vec![1]);
    assert_eq!(outcome, failed(1, Failure::DRIVER, 0, [5, 0]));
    let text = format!("{HEAD}\nfn f3 \"driver\" () {{ loop L0 {{ v0 = compact b1 into b2 }} }}");
    let (kernels, program) = (kernel(&text), parser::parse(&text).unwrap());
    let driver = Driver::new(&program, &CancellationToken::default(), &mut Profile::default()).unwrap();
    let jobs = in_order(1);
    let launch =
        Launch { scalars: &[5, 0], jobs: &jobs, ticks: 1, first_tick: 0, seed: 1, call: 1, progress: None };
    let types = program.buffers.iter().map(|info| Column::zeros(info.ty, 1));
    let (mut columns, interrupt) = (types.collect::<Vec<_>>(), AtomicBool::new(false));
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            interrupt.store(true, Ordering::Relaxed);
        });
        run_with_driver(&*kernels, Some(&driver), &mut columns, &launch, &interrupt).unwrap()
    });
    assert_eq!(outcome, Outcome::Interrupted);
}

#[test]
fn drivers_that_are_the_same_but_for_their_buffers_share_code() {
    let driver = |head: &str, flags: u32| {
        let text = format!(
            "{head}driver f0\nfn f0 \"driver\" () {{ v0 = i64 77; v1 = compact b{flags} into b{} }}",
            flags + 1
        );
        let program = parser::parse(&text).unwrap();
        Driver::new(&program, &CancellationToken::default(), &mut Profile::default()).unwrap()
    };
    let first = driver("b0 = result: bool written\nb1 = selection: i32 written\n", 0);
    let second = driver("b0 = base: i32\nb1 = result: bool written\nb2 = selection: i32 written\n", 1);
    assert!(first.shares_code_with(&second));
}
