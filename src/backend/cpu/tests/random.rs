//! Random programs against the reference interpreter.

use super::*;

#[test]
fn random_programs_do_what_the_interpreter_does() {
    type Runner<'a> = &'a dyn Fn(&Program, &mut [Column], &Launch<'_>) -> Outcome;
    let run = |program: &Program, entry_of: &[u16], ticks, runner: Runner<'_>| {
        let mut buffers = [
            Column::I32(vec![3, 0, 4, 1, 2]),
            Column::I32(vec![4, 4, 0, 1, 2]),
            Column::I64(vec![1, -1, 0, 7, i64::MAX]),
            Column::I64(vec![0, 1, 2, 3, 4]),
            Column::F64(vec![0.0, -0.5, 1.5, f64::NAN, f64::INFINITY]),
            Column::I64(vec![0; 5]),
        ];
        let jobs = JobOrder::new(entry_of, 2, None).unwrap();
        let launch = Launch { scalars: &[12], jobs: &jobs, ticks, seed: 3, call: 4 };
        let outcome = runner(program, &mut buffers, &launch);
        if let Column::F64(floats) = &mut buffers[4] {
            // Which NaN an operation gives is nobody's business.
            floats.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = f64::NAN);
        }
        let columns: Vec<_> = buffers.iter().map(|column| column.as_bytes().to_vec()).collect();
        if outcome == Outcome::Done { (outcome, columns) } else { (outcome, Vec::new()) }
    };
    let mut fused = 0;
    for seed in 0..300 {
        let before = random_program(seed);
        let mut after = before.clone();
        passes::run_all(&mut after, true, &CancellationToken::default(), &mut Profile::default()).unwrap();
        fused += u32::from(after.fused);
        for program in [&before, &after] {
            // Elements of two classes run class by class, which may be seen where they meddle with each other.
            let entries: &[[u16; 5]] = if after.fused { &[[0; 5], [0, 1, 0, 1, 0]] } else { &[[0; 5]] };
            for entry_of in entries {
                let code = Code::new(
                    program,
                    LoopOrders::Both,
                    &CancellationToken::default(),
                    &mut Profile::default(),
                    None,
                )
                .unwrap();
                for (ticks, order) in [
                    (1, None),
                    (70, None),
                    (20, Some(LoopOrder::TickMajor)),
                    (20, Some(LoopOrder::ElementMajor)),
                ] {
                    if let Some(order) = order {
                        code.tunings.iter().for_each(|tuning| tuning.choose(order));
                    }
                    let expected = run(program, entry_of, ticks, &interpreter::run);
                    let found = run(program, entry_of, ticks, &|program, columns, launch| {
                        pool::run(program, &code, columns, (launch, &AtomicBool::new(false))).unwrap()
                    });
                    assert_eq!(found, expected, "seed {seed}, {ticks} ticks, {order:?}:\n{program}");
                }
            }
        }
    }
    assert!(fused > 50, "{fused}");
}
