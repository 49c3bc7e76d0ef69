//! The paper's benchmark (its section 5) by hand: actors on a network of streets, ticks fused, state in variables.

use super::{Given, cuda, run};
use crate::backend::Outcome;
use crate::heap::{Column, JobOrder};
use std::fmt::Write;

const HEAD: &str = r#"
kernel k0 fused
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
b10 = array_values a1: i32
s0 = root 0: f64
s1 = root 1: i32
e0 = zero_division at "traffic.rb":21 in "move"
e1 = index_too_small at "traffic.rb":21 in "move"
e2 = float_domain at "traffic.rb":34 in "speed"
entry f0 "Pedestrian"
entry f1 "Car"
"#;

/// The body around the speed, `v20`, of an actor `v3` at progress `v10` on street `v11`.
fn actor(index: usize, name: &str, speed: &str) -> String {
    format!(
        r#"
fn f{index} "{name}" (v0: i32 in 0.., v1: i64 in 0.., v2: i64 in 0..) {{
  var x0: f64, x1: i32, x2: i64
  v3 = load b0[v0] in 0..
  v4 = load b1[v3]
  x0 = v4
  v5 = load b2[v3] in 0..
  x1 = v5
  v6 = load b3[v3]
  v7 = s0
  v8 = s1 in 0..
  v9 = extend_i32 v8
  x2 = v1
  loop L0 {{
    v12 = x2 in 0..
    v13 = ge v12, v2
    if v13 {{
      break L0
    }}
    tick v12
    v10 = x0
    v11 = x1 in 0..
{speed}
    v21 = f64 60.0
    v22 = div_f v20, v21
    v23 = add_f v10, v22
    x0 = v23
    v24 = load b4[v11]
    v25 = ge v23, v24
    if v25 {{
      v26 = load b6[v11] in 0..
      v27 = load b8[v26] in 0..
      v28 = extend_i32 v27
      v29 = i64 0
      v30 = ne v28, v29
      check v30 at e0
      v31 = load b10[v11] in 0..=499
      v32 = extend_i32 v31
      v33 = floor_mod v32, v28 in 0..=2147483646
      v34 = load b7[v26] in 0..
      v35 = wrap_i64 v33
      v36 = add v34, v35 in 0..
      v37 = load b9[v36] in 0..
      x1 = v37
      v38 = f64 0.0
      x0 = v38
    }}
    v39 = i64 1
    v40 = add v12, v39 in 0..
    x2 = v40
  }}
  v41 = x0
  store b1[v3] = v41
  v42 = x1
  store b2[v3] = v42
}}
"#
    )
}

const CAR: &str = "
    v50 = load b5[v11]
    v51 = lt v6, v50
    v52 = select v51, v6, v50
    v20 = mul_f v52, v7";

const PEDESTRIAN: &str = "
    v50 = mul_f v10, v10
    v51 = f64 9.2e18
    v52 = lt v50, v51
    check v52 at e2 with v50
    v53 = f64_to_i64 v50
    v54 = floor_mod v53, v9 in 0..=2147483646
    v55 = wrap_i64 v54
    v56 = load b10[v55] in 0..=499
    v57 = extend_i32 v56
    v58 = i64 7
    v59 = floor_mod v57, v58 in 0..=6
    v60 = i64 2
    v61 = sub v59, v60 in -2..=4
    v20 = i64_to_f64 v61";

fn text() -> String {
    format!("{HEAD}{}{}", actor(0, "Pedestrian", PEDESTRIAN), actor(1, "Car", CAR))
}

/// The scenario of the reference: glibc's `rand()` from seed 42.
struct Rand(Vec<u32>);

impl Rand {
    fn new(seed: i64) -> Self {
        let mut r = vec![seed as u32];
        for i in 1..31 {
            r.push((16807 * i64::from(r[i - 1]) % 0x7fff_ffff) as u32);
        }
        for i in 31..34 {
            r.push(r[i - 31]);
        }
        let mut rand = Self(r);
        for _ in 34..344 {
            rand.step();
        }
        rand
    }

    fn step(&mut self) -> u32 {
        let n = self.0.len();
        self.0.push(self.0[n - 3].wrapping_add(self.0[n - 31]));
        self.0[n]
    }

    fn below(&mut self, n: u32) -> u32 {
        (self.step() >> 1) % n
    }
}

#[test]
fn the_traffic_benchmark_gives_the_references_numbers() {
    let (pedestrians, cars, streets, ticks) = (16384, 4096, 500, 100);
    let n = pedestrians + cars;
    let mut rand = Rand::new(42);
    let (mut length, mut limit) = (Vec::new(), Vec::new());
    for _ in 0..streets {
        length.push(f64::from(rand.below(25) + 1));
        limit.push(f64::from(rand.below(40) + 45));
    }
    let sizes: Vec<i32> = (0..streets).map(|_| rand.below(10) as i32 + 1).collect();
    let offsets: Vec<i32> = (0..streets).map(|i| sizes[..i].iter().sum()).collect();
    let connections: i32 = sizes.iter().sum();
    let neighbors: Vec<i32> = (0..connections).map(|_| rand.below(streets as u32) as i32).collect();
    let (mut street, mut progress, mut velocity) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        street.push(rand.below(streets as u32) as i32);
        progress.push(f64::from(rand.below(10)));
        velocity.push(f64::from(rand.below(20) + 65));
    }
    let mut again = Rand::new(42);
    let table: Vec<i32> = (0..streets).map(|_| again.below(streets as u32) as i32).collect();
    let given = Given {
        buffers: vec![
            Column::I32((0..n).collect()),
            Column::F64(progress),
            Column::I32(street),
            Column::F64(velocity),
            Column::F64(length),
            Column::F64(limit),
            Column::I32((0..streets as i32).collect()),
            Column::I32(offsets),
            Column::I32(sizes),
            Column::I32(neighbors),
            Column::I32(table),
        ],
        scalars: vec![1f64.to_bits(), streets as u64],
        jobs: JobOrder::new(&(0..n).map(|i| u16::from(i >= pedestrians)).collect::<Vec<_>>(), 2, None)
            .unwrap(),
        ticks,
        interrupted: false,
    };
    let (outcome, columns) = run(&text(), given);
    assert_eq!(outcome, Outcome::Done);
    let (Column::F64(progress), Column::I32(street)) = (&columns[1], &columns[2]) else { panic!("type") };
    let hash: i64 = street.iter().enumerate().map(|(i, s)| i64::from(*s) * (i as i64 % 97 + 1)).sum();
    let mut said = String::new();
    let _ = write!(said, "{:.6} {hash}", progress.iter().sum::<f64>());
    // What `reference 100` prints.
    assert_eq!(said, "95897.266667 245032132");
}

/// The text is what `Ikra.explain` shows, and what is measured against the hand-written kernel: 32-bit numbers, no
/// check that ranges answer, a reciprocal for the length of the table.
#[test]
fn the_generated_text() {
    let text = cuda(&text());
    for line in [
        "  int v9 = (int)args.s1_captured;\n  u64 v9_reciprocal = reciprocal(v9);\n",
        "[floor_mod_with((i64)v50, v9, v9_reciprocal)]) % 7u) - 2);\n",
        "    // traffic.rb:21\n      if (!(v28 != 0)) return fail(e, 0);\n",
        "    case 1: f1_Car(e, element, first, end); break;  // Car\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("overflows") && !text.contains("wrap_"), "{text}");
}
