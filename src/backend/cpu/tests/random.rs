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
            Column::Bool(vec![0, 1, 1, 0, 1]),
            Column::I32(vec![]),
            Column::I64(vec![0]),
            Column::F64(vec![0.0]),
        ];
        let jobs = JobOrder::new(entry_of, 2, None).unwrap();
        let launch =
            Launch { scalars: &[12], jobs: &jobs, ticks, first_tick: 0, seed: 3, call: 4, progress: None };
        let outcome = runner(program, &mut buffers, &launch);
        for column in &mut buffers {
            // Which NaN an operation gives is nobody's business.
            if let Column::F64(floats) = column {
                floats.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = f64::NAN);
            }
        }
        let columns: Vec<_> = buffers.iter().map(|column| column.as_bytes().to_vec()).collect();
        if outcome == Outcome::Done { (outcome, columns) } else { (outcome, Vec::new()) }
    };
    let mut fused = 0;
    for seed in 0..300 {
        let before = random_program(seed);
        let mut after = before.clone();
        passes::run_all(&mut after, true, &CancellationToken::default(), &mut Profile::default()).unwrap();
        fused += u32::from(after.kernels[0].fused);
        for program in [&before, &after] {
            // Elements of two classes run class by class, which may be seen where they meddle with each other.
            let entries: &[[u16; 5]] =
                if after.kernels[0].fused { &[[0; 5], [0, 1, 0, 1, 0]] } else { &[[0; 5]] };
            for entry_of in entries {
                let (token, mut profile) = (CancellationToken::default(), Profile::default());
                let orders = LoopOrders::Both;
                let code = Code::new(program, orders, &token, &mut profile, None).unwrap();
                let kernel = CpuKernel { program: Arc::new(program.clone()), orders, code };
                let driver = program.driver.map(|_| Driver::new(program, &token, &mut profile).unwrap());
                for (ticks, order) in [
                    (1, None),
                    (70, None),
                    (20, Some(LoopOrder::TickMajor)),
                    (20, Some(LoopOrder::ElementMajor)),
                ] {
                    if let Some(order) = order {
                        kernel.code.tunings.iter().for_each(|tuning| tuning.choose(order));
                    }
                    let expected = run(program, entry_of, ticks, &interpreter::run);
                    let found = run(program, entry_of, ticks, &|_, columns, launch| {
                        let interrupt = AtomicBool::new(false);
                        run_with_driver(&kernel, driver.as_ref(), columns, launch, &interrupt).unwrap()
                    });
                    assert_eq!(found, expected, "seed {seed}, {ticks} ticks, {order:?}:\n{program}");
                }
            }
        }
    }
    assert!(fused > 50, "{fused}");
}
