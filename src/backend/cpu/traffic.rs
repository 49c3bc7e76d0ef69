//! The traffic simulation of the paper (section 5) written in the IR, against the numbers of the same in C: 4,096 cars
//! and 16,384 pedestrians on 500 streets, scenario and table from glibc's `rand()` with seed 42.
//!
//! `cargo test --release traffic -- --ignored --nocapture` times it.

use super::CpuBackend;
use crate::backend::{Backend, Launch, Outcome, run_on};
use crate::cancel::CancellationToken;
use crate::heap::{Column, JobOrder};
use crate::ir::{parser, passes};
use crate::profile::{Phase, Profile};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const PROGRAM: &str = r#"
b0 = base: i32
b1 = column h0 "@progress": f64 written
b2 = column h0 "@street": i32 written
b3 = column h0 "@max_velocity": f64
b4 = column h1 "@length": f64
b5 = column h1 "@limit": f64
b6 = column h1 "@neighbors": i32
b7 = array_offset a0: i32
b8 = array_length a0: i32
b9 = array_values a0: i32
b10 = array_offset a1: i32
b11 = array_length a1: i32
b12 = array_values a1: i32
s0 = root 0: i32
s1 = root 1: f64
e0 = float_domain
e1 = zero_division
e2 = no_method "%" of nil
entry f0 "Pedestrian"
entry f1 "Car"

fn f0 "Pedestrian" (v0: i32 in 0.., v1: i64, v2: i64) {
  v3 = load b0[v0] in 0..
  v4 = load b1[v3]
  v5 = load b2[v3] in 0..
  v7 = s0
  v8 = load b10[v7] in 0..
  v9 = load b11[v7] in 0..
  v10 = extend_i32 v9 in 0..=2147483647
    // speed = table[(progress * progress).to_i % table.size] % 7 - 2
    v23 = mul_f v4, v4
    v24 = abs_f v23; v25 = f64 9223372036854775808; v26 = lt v24, v25
    check v26 at e0 with v23
    v27 = f64_to_i64 v23
    v28 = i64 0; v29 = ne v10, v28
    check v29 at e1
    v30 = floor_mod v27, v10 in 0..=2147483647
    v31 = wrap_i64 v30 in 0..
    v32 = add v31, v8 in 0..
    v33 = load b12[v32] in 0..=499
    v34 = extend_i32 v33 in 0..=499
    v35 = i64 7; v36 = floor_mod v34, v35 in 0..=6
    v37 = i64 2; v38 = sub v36, v37 in -2..=4
    v39 = i64_to_f64 v38
    MOVE
}

fn f1 "Car" (v0: i32 in 0.., v1: i64, v2: i64) {
  v3 = load b0[v0] in 0..
  v4 = load b1[v3]
  v5 = load b2[v3] in 0..
  v6 = load b3[v3]
  v11 = s1
  v7 = s0
  v8 = load b10[v7] in 0..
  v9 = load b11[v7] in 0..
    // speed = min(max_velocity, street.limit) * weather
    v24 = load b5[v5]
    v25 = lt v6, v24
    v26 = select v25, v6, v24
    v39 = mul_f v26, v11
    MOVE
}
"#;

/// What the two have in common, with the speed in v39.
const MOVE: &str = r#"
    v40 = f64 60.0; v41 = div_f v39, v40
    v42 = add_f v4, v41
    store b1[v3] = v42
    v44 = load b4[v5]
    v45 = ge v42, v44
    if v45 {
      // street = street.neighbors[table[street.id] % street.neighbors.size]
      v46 = load b6[v5] in 0..
      v47 = load b7[v46] in 0..
      v48 = load b8[v46] in 0..
      v49 = lt_u v5, v9
      check v49 at e2
      v50 = add v8, v5 in 0..
      v51 = load b12[v50] in 0..=499
      v52 = extend_i32 v51 in 0..=499
      v53 = extend_i32 v48 in 0..=2147483647
      v54 = i64 0; v55 = ne v53, v54
      check v55 at e1
      v56 = floor_mod v52, v53 in 0..=499
      v57 = wrap_i64 v56 in 0..=499
      v58 = add v47, v57 in 0..
      v59 = load b9[v58] in 0..
      store b2[v3] = v59
      v60 = f64 0.0
      store b1[v3] = v60
    }
"#;

/// glibc's `rand()`, the additive generator of its random_r.c.
struct Rand {
    r: Vec<u32>,
}

impl Rand {
    fn new(seed: i64) -> Self {
        let mut r = vec![seed];
        for i in 1..31 {
            r.push((16807 * r[i - 1]).rem_euclid(2_147_483_647));
        }
        let mut r: Vec<u32> = r.into_iter().map(|x| x as u32).collect();
        for i in 31..34 {
            r.push(r[i - 31]);
        }
        let mut made = Self { r };
        for _ in 34..344 {
            made.next(1);
        }
        made
    }

    fn next(&mut self, modulus: i32) -> i32 {
        let n = self.r.len();
        self.r.push(self.r[n - 3].wrapping_add(self.r[n - 31]));
        (self.r[n] >> 1) as i32 % modulus
    }
}

const CARS: usize = 4096;
const PEDESTRIANS: usize = 16384;
const STREETS: usize = 500;

fn scenario() -> Vec<Column> {
    let mut rand = Rand::new(42);
    let (mut length, mut limit) = (vec![], vec![]);
    for _ in 0..STREETS {
        length.push(f64::from(rand.next(25) + 1));
        limit.push(f64::from(rand.next(40) + 45));
    }
    let (mut offset, mut size, mut connections) = (vec![], vec![], 0);
    for _ in 0..STREETS {
        offset.push(connections);
        size.push(rand.next(10) + 1);
        connections += size[size.len() - 1];
    }
    let streets = STREETS as i32;
    let neighbors: Vec<i32> = (0..connections).map(|_| rand.next(streets)).collect();
    let (mut street, mut progress, mut max_velocity) = (vec![], vec![], vec![]);
    for _ in 0..CARS + PEDESTRIANS {
        street.push(rand.next(streets));
        progress.push(f64::from(rand.next(10)));
        max_velocity.push(f64::from(rand.next(20) + 65));
    }
    let mut rand = Rand::new(42);
    let table: Vec<i32> = (0..STREETS).map(|_| rand.next(streets)).collect();
    vec![
        Column::I32((0..(CARS + PEDESTRIANS) as i32).collect()),
        Column::F64(progress),
        Column::I32(street),
        Column::F64(max_velocity),
        Column::F64(length),
        Column::F64(limit),
        Column::I32((0..streets).collect()),
        Column::I32(offset),
        Column::I32(size),
        Column::I32(neighbors),
        Column::I32(vec![0]),
        Column::I32(vec![streets]),
        Column::I32(table),
    ]
}

/// Time of all cores together, so that the number of threads does not matter, nor what else the machine does.
fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is there to be written to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Runs the classes in `entries` and gives seconds of processors and of the clock, and checksums.
fn simulate(ticks: u64, weather: f64, fused: bool, entries: Range<usize>) -> (f64, Duration, String) {
    let mut program = parser::parse(&PROGRAM.replace("MOVE", MOVE)).unwrap();
    passes::run_all(&mut program, true, &CancellationToken::default(), &mut Profile::default()).unwrap();
    assert!(program.kernels[0].fused);
    program.kernels[0].fused = fused;
    let program = Arc::new(program);
    let mut profile = Profile::default();
    let compile =
        || CpuBackend.compile(&program, ticks, &CancellationToken::default(), &mut Profile::default());
    let kernel = profile.time(Phase::Compile, compile).unwrap();
    if let Some(path) = std::env::var_os("IKRA_TRAFFIC_LISTING") {
        std::fs::write(path, kernel.source()).unwrap();
    }
    println!("compiled in {:.1} ms", profile.seconds(Phase::Compile) * 1e3);
    let mut buffers = scenario();
    let entry_of: Vec<u16> = (0..CARS + PEDESTRIANS).map(|i| u16::from(i >= PEDESTRIANS)).collect();
    let mut jobs = JobOrder::new(&entry_of, 2, None).unwrap();
    jobs.rounds[0].segments.retain(|segment| entries.contains(&segment.entry));
    let launch = Launch {
        scalars: &[0, weather.to_bits()],
        jobs: &jobs,
        ticks,
        first_tick: 0,
        seed: 0,
        call: 0,
        progress: None,
    };
    let (start, wall) = (processor_seconds(), Instant::now());
    assert_eq!(run_on(&*kernel, &mut buffers, &launch, &AtomicBool::new(false)).unwrap(), Outcome::Done);
    let (seconds, wall) = (processor_seconds() - start, wall.elapsed());
    let (Column::F64(progress), Column::I32(street)) = (&buffers[1], &buffers[2]) else { unreachable!() };
    let hash: i64 = street.iter().enumerate().map(|(i, s)| i64::from(*s) * (i as i64 % 97 + 1)).sum();
    (seconds, wall, format!("sum_progress {:.6}  street_hash {hash}", progress.iter().sum::<f64>()))
}

#[test]
fn the_results_are_those_of_c() {
    for fused in [true, false] {
        let (_, _, result) = simulate(1000, 0.75, fused, 0..2);
        assert_eq!(result, "sum_progress 99672.604167  street_hash 241272337");
    }
}

#[test]
#[ignore = "a benchmark"]
fn timing() {
    let all = CARS + PEDESTRIANS;
    for (name, fused, entries, actors) in [
        ("all", true, 0..2, all),
        ("pedestrians", true, 0..1, PEDESTRIANS),
        ("cars", true, 1..2, CARS),
        ("all, a launch a tick", false, 0..2, all),
    ] {
        for _ in 0..3 {
            let (seconds, wall, result) = simulate(1000, 0.75, fused, entries.clone());
            let nanoseconds = seconds * 1e6 / actors as f64;
            println!("{name}: {result}  {nanoseconds:.2} ns a move, {wall:.1?} in all");
        }
    }
}
