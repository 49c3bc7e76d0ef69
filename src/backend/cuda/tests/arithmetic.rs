//! Every operation, in every width that its operands' intervals can choose.

use super::{Given, cuda, done, run};
use crate::backend::{Failure, Outcome};
use crate::heap::column::Numbers;
use crate::heap::{Column, JobOrder};
use crate::ir::SiteId;
use std::fmt::Write;

/// Numbers around which integer operations go wrong.
const EDGES: [i64; 25] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -7,
    60,
    1000,
    -1001,
    i32::MAX as i64,
    i32::MIN as i64,
    i32::MAX as i64 + 1,
    i32::MIN as i64 - 1,
    u32::MAX as i64,
    u32::MAX as i64 + 1,
    -(u32::MAX as i64),
    1 << 40,
    -(1 << 40) + 13,
    3_037_000_500,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i64::MIN + 1,
];

/// Interval texts and what they contain.
const RANGES: [(&str, i64, i64); 5] = [
    ("..", i64::MIN, i64::MAX),
    ("-2147483648..=2147483647", i32::MIN as i64, i32::MAX as i64),
    ("0..=2147483647", 0, i32::MAX as i64),
    ("0..", 0, i64::MAX),
    ("-1000..=1000", -1000, 1000),
];

fn floor_div(a: i64, b: i64) -> i64 {
    let q = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

fn floor_mod(a: i64, b: i64) -> i64 {
    let r = a.wrapping_rem(b);
    if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
}

type Integer = fn(i64, i64) -> i64;

const INTEGER: [(&str, Integer); 13] = [
    ("add", i64::wrapping_add),
    ("sub", i64::wrapping_sub),
    ("mul", i64::wrapping_mul),
    ("floor_mod", floor_mod),
    ("trunc_rem", i64::wrapping_rem),
    ("and", |a, b| a & b),
    ("or", |a, b| a | b),
    ("xor", |a, b| a ^ b),
    ("mul_high_u", |a, b| ((u128::from(a as u64) * u128::from(b as u64)) >> 64) as i64),
    ("shl", |a, b| a.wrapping_shl(b as u32)),
    ("shr", |a, b| a.wrapping_shr(b as u32)),
    ("floor_div", floor_div),
    ("lt_u", |a, b| i64::from((a as u64) < b as u64)),
];

/// Pairs that an operation may be given.
fn legal(name: &str, a: i64, b: i64) -> bool {
    match name {
        "shl" | "shr" => (0..64).contains(&b),
        "floor_div" => b != 0 && !(a == i64::MIN && b == -1),
        "floor_mod" | "trunc_rem" => b != 0,
        _ => true,
    }
}

#[test]
fn integer_operations_in_every_width() {
    for (ra, la, ha) in RANGES {
        for (rb, lb, hb) in RANGES {
            let pairs: Vec<(i64, i64)> = EDGES
                .iter()
                .flat_map(|a| EDGES.iter().map(move |b| (*a, *b)))
                .filter(|(a, b)| (la..=ha).contains(a) && (lb..=hb).contains(b))
                .collect();
            let mut text = String::from("b0 = base: i64\nb1 = base: i64\ne0 = overflow \"/\"\n");
            for i in 0..INTEGER.len() {
                let _ = writeln!(text, "b{} = result: i64 written", i + 2);
            }
            text.push_str("entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {\n");
            let _ =
                writeln!(text, "v3 = load b0[v0] in {ra}\nv4 = load b1[v0] in {rb}\nv5 = i64 0\nv6 = i64 63");
            text.push_str("v7 = and v4, v6 in 0..=63\nv8 = i64 1\nv9 = eq v4, v5\nv10 = select v9, v8, v4\n");
            text.push_str("v11 = i64 -9223372036854775808\nv12 = eq v3, v11\nv13 = i64 -1\n");
            text.push_str("v14 = eq v4, v13\nv15 = and_b v12, v14\nv16 = select v15, v8, v10\n");
            for (i, (name, _)) in INTEGER.iter().enumerate() {
                let b = match *name {
                    "shl" | "shr" => "v7",
                    "floor_div" => "v16",
                    "floor_mod" | "trunc_rem" => "v10",
                    _ => "v4",
                };
                let v = 20 + 2 * i;
                if *name == "lt_u" {
                    let _ = writeln!(text, "v{v} = lt_u v3, v4\nv{} = bool_to_i64 v{v}", v + 1);
                    let _ = writeln!(text, "store b{}[v0] = v{}", i + 2, v + 1);
                } else {
                    let _ = writeln!(text, "v{v} = {name} v3, {b} at e0\nstore b{}[v0] = v{v}", i + 2);
                }
            }
            text.push_str("}\n");
            let mut buffers = vec![
                Column::I64(pairs.iter().map(|p| p.0).collect()),
                Column::I64(pairs.iter().map(|p| p.1).collect()),
            ];
            buffers.extend(INTEGER.iter().map(|_| Column::I64(vec![7; pairs.len()])));
            let columns = done(&text, Given::elements(pairs.len(), buffers));
            for (i, (name, expected)) in INTEGER.iter().enumerate() {
                let Column::I64(got) = &columns[i + 2] else { panic!("type") };
                for (k, (a, b)) in pairs.iter().enumerate().filter(|(_, (a, b))| legal(name, *a, *b)) {
                    assert_eq!(got[k], expected(*a, *b), "{name} {a} ({ra}), {b} ({rb})\n{}", cuda(&text));
                }
            }
        }
    }
}

#[test]
fn divisors_that_are_constants() {
    let divisors = [1, -1, 2, 7, -7, 60, 500, i64::from(i32::MIN), 1 << 40, i64::MIN, i64::MAX];
    for (range, low, high) in RANGES {
        let given: Vec<i64> = EDGES.iter().copied().filter(|a| (low..=high).contains(a)).collect();
        let mut text = String::from("b0 = base: i64\ne0 = overflow \"/\"\n");
        let mut body = format!("v3 = load b0[v0] in {range}\n");
        let mut buffers = vec![Column::I64(given.clone())];
        for (i, d) in divisors.iter().enumerate() {
            let _ =
                writeln!(text, "b{} = result: i64 written\nb{} = result: i64 written", 2 * i + 1, 2 * i + 2);
            let v = 10 + 3 * i;
            let _ = writeln!(body, "v{v} = i64 {d}\nv{} = floor_mod v3, v{v}", v + 1);
            let _ = writeln!(body, "store b{}[v0] = v{}", 2 * i + 1, v + 1);
            if *d != -1 {
                let _ = writeln!(
                    body,
                    "v{} = floor_div v3, v{v} at e0\nstore b{}[v0] = v{}",
                    v + 2,
                    2 * i + 2,
                    v + 2
                );
            }
            buffers.extend([Column::I64(vec![0; given.len()]), Column::I64(vec![0; given.len()])]);
        }
        let text =
            format!("{text}entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {{\n{body}}}\n");
        let columns = done(&text, Given::elements(given.len(), buffers));
        for (i, d) in divisors.iter().enumerate() {
            let (Column::I64(mods), Column::I64(quotients)) = (&columns[2 * i + 1], &columns[2 * i + 2])
            else {
                panic!("type")
            };
            for (k, a) in given.iter().enumerate() {
                assert_eq!(mods[k], floor_mod(*a, *d), "{a} % {d} ({range})\n{}", cuda(&text));
                if *d != -1 {
                    assert_eq!(quotients[k], floor_div(*a, *d), "{a} / {d} ({range})\n{}", cuda(&text));
                }
            }
        }
    }
}

#[test]
fn checked_operations_fail_exactly_where_they_overflow() {
    type Checked = fn(i64, i64) -> Option<i64>;
    let division: Checked = |a, b| (!(a == i64::MIN && b == -1)).then(|| floor_div(a, b));
    for (name, expected) in [
        ("add_checked", i64::checked_add as Checked),
        ("sub_checked", i64::checked_sub),
        ("mul_checked", i64::checked_mul),
        ("floor_div", division),
    ] {
        let text = format!(
            "b0 = base: i64\nb1 = base: i64\nb2 = result: i64 written\ne0 = zero_division\ne1 = overflow \"o\"\n\
             entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {{\n\
             v3 = load b0[v0]\nv4 = load b1[v0]\nv5 = {name} v3, v4 at e1\nstore b2[v0] = v5\n}}\n"
        );
        let pairs: Vec<(i64, i64)> = EDGES
            .iter()
            .flat_map(|a| EDGES.iter().map(move |b| (*a, *b)))
            .filter(|p| name != "floor_div" || p.1 != 0)
            .collect();
        let columns = vec![
            Column::I64(pairs.iter().map(|p| p.0).collect()),
            Column::I64(pairs.iter().map(|p| p.1).collect()),
            Column::I64(vec![0; pairs.len()]),
        ];
        for (k, (a, b)) in pairs.iter().enumerate() {
            let mut jobs = JobOrder::new(&vec![0; pairs.len()], 1, None).unwrap();
            jobs.rounds[0].segments[0].jobs = k..k + 1;
            let given =
                Given { buffers: columns.clone(), scalars: Vec::new(), jobs, ticks: 1, interrupted: false };
            let (outcome, columns) = run(&text, given);
            match expected(*a, *b) {
                Some(result) => {
                    assert_eq!(outcome, Outcome::Done, "{name} {a}, {b}");
                    let Column::I64(got) = &columns[2] else { panic!("type") };
                    assert_eq!(got[k], result, "{name} {a}, {b}");
                }
                None => {
                    let failure = Failure {
                        site: SiteId(1),
                        element: k as u32,
                        tick: 0,
                        operands: [*a, *b],
                        path: 0,
                        kernel: None,
                        texts: Default::default(),
                        memory: Vec::new(),
                    };
                    assert_eq!(outcome, Outcome::Failed(failure), "{name} {a}, {b}");
                }
            }
        }
    }
}

/// Ruby's `Float#%` (flo_mod).
fn float_mod(x: f64, y: f64) -> f64 {
    if y.is_nan() {
        return y;
    }
    let m = if y.is_infinite() && x.is_finite() { x } else { x % y };
    if y * m < 0.0 { m + y } else { m }
}

#[test]
fn float_operations() {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        -2.5,
        2.5,
        3.5,
        0.5,
        1e300,
        -1e-310,
        4.9e-324,
        9_007_199_254_740_993.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        12345.678,
    ];
    type Float = fn(f64, f64) -> f64;
    let operations: [(&str, bool, Float); 16] = [
        ("add_f", true, |a, b| a + b),
        ("sub_f", true, |a, b| a - b),
        ("mul_f", true, |a, b| a * b),
        ("div_f", true, |a, b| a / b),
        ("floor_mod_f", true, float_mod),
        ("rem_f", true, |a, b| a % b),
        ("neg_f", false, |a, _| -a),
        ("abs_f", false, |a, _| a.abs()),
        ("floor_f", false, |a, _| a.floor()),
        ("ceil_f", false, |a, _| a.ceil()),
        ("trunc_f", false, |a, _| a.trunc()),
        ("round_f", false, |a, _| a.round()),
        ("round_even_f", false, |a, _| a.round_ties_even()),
        ("math sqrt", false, |a, _| a.sqrt()),
        ("math cbrt", false, |a, _| a.cbrt()),
        ("math hypot", true, f64::hypot),
    ];
    let pairs: Vec<(f64, f64)> = edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))).collect();
    let mut text = String::from("b0 = base: f64\nb1 = base: f64\n");
    let mut body = String::from("v3 = load b0[v0]\nv4 = load b1[v0]\n");
    let mut buffers = vec![
        Column::F64(pairs.iter().map(|p| p.0).collect()),
        Column::F64(pairs.iter().map(|p| p.1).collect()),
    ];
    for (i, (name, two, _)) in operations.iter().enumerate() {
        let _ = writeln!(text, "b{} = result: f64 written", i + 2);
        let v = 10 + i;
        let _ =
            writeln!(body, "v{v} = {name} v3{}\nstore b{}[v0] = v{v}", if *two { ", v4" } else { "" }, i + 2);
        buffers.push(Column::F64(vec![0.0; pairs.len()]));
    }
    let text = format!("{text}entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {{\n{body}}}\n");
    let columns = done(&text, Given::elements(pairs.len(), buffers));
    for (i, (name, _, expected)) in operations.iter().enumerate() {
        let Column::F64(got) = &columns[i + 2] else { panic!("type") };
        for (k, (a, b)) in pairs.iter().enumerate() {
            let wanted = expected(*a, *b);
            // Two C libraries may differ in the last bits of a `Math` function.
            let ulp = if name.starts_with("math") { 2 } else { 0 };
            let same =
                got[k].to_bits().abs_diff(wanted.to_bits()) <= ulp || got[k].is_nan() && wanted.is_nan();
            assert!(same, "{name} {a:?}, {b:?}: {:?}, not {wanted:?}", got[k]);
        }
    }
}

#[test]
fn conversions_comparisons_and_bits() {
    let text = "b0 = base: i64\nb1 = base: f64\nb2 = result: i64 written\nb3 = result: f64 written\n\
        b4 = result: i64 written\nb5 = result: bool written\nb6 = result: bool written\nb7 = result: i32 written\n\
        b8 = result: i64 written\nb9 = result: i64 written\nb10 = result: bool written\nb11 = result: bool written\n\
        entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {\n\
        v3 = load b0[v0]\nv4 = load b1[v0]\nv5 = bit_not v3\nstore b2[v0] = v5\nv6 = i64_to_f64 v3\n\
        store b3[v0] = v6\nv7 = bits_to_i64 v4\nv8 = bits_to_f64 v7\nv9 = bits_to_i64 v8\nstore b4[v0] = v9\n\
        v10 = is_nan v4\nstore b5[v0] = v10\nv11 = not v10\nv12 = lt v4, v6\nv13 = xor_b v11, v12\n\
        v14 = or_b v13, v10\nstore b6[v0] = v14\nv15 = i64 255\nv16 = and v3, v15 in 0..=255\nv17 = wrap_i64 v16\n\
        v18 = add v17, v0\nstore b7[v0] = v18\nv19 = extend_i32 v18\nstore b8[v0] = v19\nv20 = bit_length v3\n\
        store b9[v0] = v20\nv21 = ne v4, v4\nstore b10[v0] = v21\nv22 = load b5[v0]\nv23 = not v22\n\
        store b11[v0] = v23\n}\n";
    let floats: Vec<f64> =
        (0..EDGES.len()).map(|i| if i % 3 == 0 { f64::NAN } else { i as f64 - 7.5 }).collect();
    let n = EDGES.len();
    let zeros = |ty| Column::zeros(ty, n);
    use crate::scalar::Ty::{Bool, F64, I32, I64};
    let mut buffers = vec![Column::I64(EDGES.to_vec()), Column::F64(floats.clone())];
    buffers.extend([I64, F64, I64, Bool, Bool, I32, I64, I64, Bool, Bool].map(zeros));
    let columns = done(text, Given::elements(n, buffers));
    let longs = |i: usize| match columns[i].numbers() {
        Numbers::I64(v) => v.to_vec(),
        Numbers::I32(v) => v.iter().map(|x| i64::from(*x)).collect(),
        Numbers::Bool(v) => v.iter().map(|x| i64::from(*x)).collect(),
        Numbers::F64(v) => v.iter().map(|x| x.to_bits() as i64).collect(),
    };
    for (i, (a, x)) in EDGES.iter().zip(&floats).enumerate() {
        let nan = x.is_nan();
        assert_eq!(longs(2)[i], !a);
        assert_eq!(longs(3)[i], (*a as f64).to_bits() as i64);
        assert_eq!(longs(4)[i], x.to_bits() as i64);
        assert_eq!(longs(5)[i], i64::from(nan));
        assert_eq!(longs(6)[i], i64::from((!nan ^ (*x < *a as f64)) | nan));
        assert_eq!(longs(7)[i], (a & 255) + i as i64);
        assert_eq!(longs(8)[i], (a & 255) + i as i64);
        assert_eq!(longs(9)[i], i64::from(64 - if *a < 0 { !a } else { *a }.leading_zeros()));
        assert_eq!(longs(10)[i], i64::from(nan));
        assert_eq!(longs(11)[i], i64::from(!nan));
    }
}

#[test]
fn constants_are_exact() {
    let floats = [
        0.1,
        -0.0,
        60.0,
        1e-300,
        4.9e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
        -1.5e200,
        f64::INFINITY,
        2f64.powi(53),
    ];
    let integers = [0, -1, i64::MIN, i64::MAX, i64::from(i32::MIN), 1 << 31];
    let mut text = String::new();
    let mut body = String::new();
    let mut buffers = Vec::new();
    for (i, x) in floats.iter().enumerate() {
        let _ = writeln!(text, "b{i} = result: f64 written");
        let _ = writeln!(body, "v{} = f64 {x:?}\nstore b{i}[v0] = v{}", i + 3, i + 3);
        buffers.push(Column::F64(vec![9.0]));
    }
    for (i, n) in integers.iter().enumerate() {
        let i = i + floats.len();
        let _ = writeln!(text, "b{i} = result: i64 written");
        let _ = writeln!(body, "v{} = i64 {n}\nstore b{i}[v0] = v{}", i + 3, i + 3);
        buffers.push(Column::I64(vec![9]));
    }
    let text = format!("{text}entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {{\n{body}}}\n");
    let columns = done(&text, Given::elements(1, buffers));
    for (column, x) in columns.iter().zip(floats) {
        let Column::F64(got) = column else { panic!("type") };
        assert_eq!(got[0].to_bits(), x.to_bits(), "{x:?}");
    }
    for (column, n) in columns[floats.len()..].iter().zip(integers) {
        assert_eq!(*column, Column::I64(vec![n]));
    }
}

/// Division by constants is done with their reciprocals, to the same bits.
#[test]
fn float_divisors_that_are_constants() {
    let divisors =
        [60.0, 3.6, -7.0, 3.0, 1e10, 0.1, 1.9999999999999998, 8.0, -0.25, 1e-300, 49.0, 1.0000000000000002];
    let mut given =
        vec![0.0, -0.0, f64::INFINITY, f64::NAN, 5e-324, -1e-310, f64::MAX, 1e-250, -1e290, 1.0, -2.0];
    let mut state = 1u64;
    for i in 0..20_000u64 {
        state = crate::rng::draw(7, 0, 0, i, 0) ^ state.rotate_left(1);
        // Any bits; numbers of everyday size; multiples of the divisors and their neighbours.
        given.push(f64::from_bits(state));
        given.push(f64::from_bits(state >> 12 | (1023 + state % 8) << 52));
        let product = divisors[i as usize % divisors.len()] * (state % 1_000_003) as f64;
        given.push(f64::from_bits(product.to_bits().wrapping_add(state % 3).wrapping_sub(1)));
    }
    let mut text = String::from("b0 = base: f64\n");
    let mut body = String::from("v3 = load b0[v0]\n");
    let mut buffers = vec![Column::F64(given.clone())];
    for (i, c) in divisors.iter().enumerate() {
        let _ = writeln!(text, "b{} = result: f64 written", i + 1);
        let v = 10 + 2 * i;
        let _ = writeln!(
            body,
            "v{v} = f64 {c:?}\nv{} = div_f v3, v{v}\nstore b{}[v0] = v{}",
            v + 1,
            i + 1,
            v + 1
        );
        buffers.push(Column::F64(vec![0.0; given.len()]));
    }
    let text = format!("{text}entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {{\n{body}}}\n");
    assert!(cuda(&text).contains("div_by") && cuda(&text).contains(" * 0x1p-3"));
    let columns = done(&text, Given::elements(given.len(), buffers));
    for (i, c) in divisors.iter().enumerate() {
        let Column::F64(got) = &columns[i + 1] else { panic!("type") };
        for (x, got) in given.iter().zip(got) {
            let wanted = x / c;
            let same = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
            assert!(same, "{x:?} / {c:?}: {got:?}, not {wanted:?}");
        }
    }
}

/// A loop divides by what it found outside: quotients and remainders come from a reciprocal.
#[test]
fn divisors_that_stay_the_same_over_a_loop() {
    for (range, low) in [("..", i64::MIN), ("0..=2147483647", 0)] {
        let text = format!(
            "b0 = base: i64\nb1 = base: i64\nb2 = result: i64 written\nb3 = result: i64 written\ne0 = overflow \"/\"\n\
             entry f0 \"X\"\nfn f0 \"X\" (v0: i32 in 0.., v1: i64, v2: i64) {{\nv4 = load b1[v0] in 1..=2147483647\n\
             loop L0 {{\nv3 = load b0[v0] in {range}\nv5 = floor_div v3, v4 at e0\nv6 = floor_mod v3, v4\n\
             store b2[v0] = v5\nstore b3[v0] = v6\nv7 = le v1, v2\nif v7 {{\nbreak L0\n}}\n}}\n}}\n"
        );
        assert!(cuda(&text).contains("v4_reciprocal"));
        let divisors =
            [1, 2, 3, 7, 500, 641, 65_536, 1_000_003, i64::from(i32::MAX) - 1, i64::from(i32::MAX)];
        let mut pairs = Vec::new();
        for d in divisors {
            pairs.extend(EDGES.map(|a| (a, d)));
            for k in 0..500 {
                let a = (crate::rng::draw(1, 0, 0, k, d as u32) >> 33) as i64;
                pairs.extend([(a, d), (a / d * d, d), ((a / d * d - 1).max(0), d)]);
            }
        }
        pairs.retain(|(a, _)| *a >= low && (low < 0 || *a <= i64::from(i32::MAX)));
        let buffers = vec![
            Column::I64(pairs.iter().map(|p| p.0).collect()),
            Column::I64(pairs.iter().map(|p| p.1).collect()),
            Column::I64(vec![0; pairs.len()]),
            Column::I64(vec![0; pairs.len()]),
        ];
        let columns = done(&text, Given::elements(pairs.len(), buffers));
        let expected = |f: fn(i64, i64) -> i64| Column::I64(pairs.iter().map(|(a, b)| f(*a, *b)).collect());
        assert_eq!(columns[2], expected(floor_div), "{}", cuda(&text));
        assert_eq!(columns[3], expected(floor_mod));
    }
}
