//! Every operation against the host's arithmetic.

use super::*;
use std::fmt::Write;

/// Numbers where integer operations go wrong, and random ones of all magnitudes.
fn integers() -> Vec<i64> {
    let mut numbers = vec![0, 1, -1, 2, -2, 3, -3, 7, -7, 10, -10, 63, 64, 1000, -1000];
    for bits in [8, 16, 31, 32, 33, 53, 62] {
        for near in -2..=2 {
            numbers.extend([(1i64 << bits) + near, -(1i64 << bits) + near]);
        }
    }
    numbers.extend([i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1]);
    numbers.extend((0..60).map(|i| rng::draw(1, 2, i, 3, 4) as i64 >> i));
    numbers
}

fn floats() -> Vec<f64> {
    let mut numbers = vec![0.0, 0.5, 1.0, 1.5, 2.5, 0.499_999_999_999_999_94, 1e300, 1e-300, 5e-324, 3.7];
    numbers.extend([4_503_599_627_370_497.0, 4_503_599_627_370_495.5, 9_007_199_254_740_993.0]);
    numbers.extend([f64::INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE, std::f64::consts::PI]);
    numbers.extend((0..40).map(|i| (rng::draw(5, 6, i, 7, 8) as i64 >> i) as f64 / 1024.0));
    let negative: Vec<_> = numbers.iter().map(|x| -x).collect();
    numbers.extend(negative);
    numbers
}

/// Every pair of the numbers.
fn pairs<T: Copy>(numbers: &[T]) -> (Vec<T>, Vec<T>) {
    numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b))).unzip()
}

/// `v5 = OPERATION` over v3 and v4, elements of two columns; ranges are written as `in …`.
fn binary_text(ty: &str, result: &str, operation: &str, in_a: &str, in_b: &str) -> String {
    format!(
        "b0 = column h0 \"@a\": {ty}\nb1 = column h0 \"@b\": {ty}\nb2 = result: {result} written\n{HEAD}
        fn f0 (v0: i32, v1: i64, v2: i64) {{
          v3 = load b0[v0] {in_a}
          v4 = load b1[v0] {in_b}
          v5 = {operation}
          store b2[v0] = v5
        }}"
    )
}

fn integer_binary(operation: &str, in_a: &str, in_b: &str, a: &[i64], b: &[i64]) -> (Outcome, Vec<i64>) {
    let kernel = kernel(&binary_text("i64", "i64", operation, in_a, in_b));
    let mut buffers = [Column::I64(a.to_vec()), Column::I64(b.to_vec()), Column::zeros(Ty::I64, a.len())];
    let outcome = run(&*kernel, &mut buffers, &in_order(a.len()), 1);
    (outcome, i64s(&buffers[2]).to_vec())
}

fn floor_div(a: i64, b: i64) -> i64 {
    let quotient = i128::from(a).div_euclid(i128::from(b));
    // Euclid's remainder is never negative, so that a negative divisor rounds up where floor rounds down.
    let inexact = i128::from(a).rem_euclid(i128::from(b)) != 0;
    (quotient - i128::from(b < 0 && inexact)) as i64
}

fn floor_mod(a: i64, b: i64) -> i64 {
    let rest = i128::from(a) % i128::from(b);
    (if rest != 0 && (rest < 0) != (b < 0) { rest + i128::from(b) } else { rest }) as i64
}

#[test]
fn plain_integer_operations() {
    let (a, b) = pairs(&integers());
    type Model = fn(i64, i64) -> i64;
    let operations: [(&str, Model); 7] = [
        ("add", i64::wrapping_add),
        ("sub", i64::wrapping_sub),
        ("mul", i64::wrapping_mul),
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
        ("mul_high_u", |a, b| ((u128::from(a as u64) * u128::from(b as u64)) >> 64) as i64),
    ];
    for (name, model) in operations {
        let (outcome, results) = integer_binary(&format!("{name} v3, v4"), "", "", &a, &b);
        assert_eq!(outcome, Outcome::Done);
        for i in 0..a.len() {
            assert_eq!(results[i], model(a[i], b[i]), "{name} {} {}", a[i], b[i]);
        }
    }
    let (a, b): (Vec<i64>, Vec<i64>) =
        integers().into_iter().flat_map(|a| (0..64).map(move |b| (a, b))).unzip();
    let shifts: [(&str, Model); 2] = [("shl", |a, b| a << b), ("shr", |a, b| a >> b)];
    for (name, model) in shifts {
        let (_, results) = integer_binary(&format!("{name} v3, v4"), "", "in 0..=63", &a, &b);
        assert!((0..a.len()).all(|i| results[i] == model(a[i], b[i])), "{name}");
    }
}

#[test]
fn checked_operations_fail_exactly_on_overflow() {
    let numbers = integers();
    type Model = fn(i64, i64) -> Option<i64>;
    let operations: [(&str, Model); 3] = [
        ("add_checked", i64::checked_add),
        ("sub_checked", i64::checked_sub),
        ("mul_checked", i64::checked_mul),
    ];
    for (name, model) in operations {
        let text = binary_text("i64", "i64", &format!("{name} v3, v4 at e0"), "", "");
        let general = kernel(&text);
        for &b in &numbers {
            // Only the constant form of some: each is a compilation.
            let mut kernels = vec![&general];
            let constant;
            if b.unsigned_abs() < 4 || b.unsigned_abs() > 1 << 62 {
                constant = kernel(&text.replace("v4 = load b1[v0] ", &format!("v4 = i64 {b}")));
                kernels.push(&constant);
            }
            for kernel in kernels {
                for &a in &numbers {
                    let mut buffers = [Column::I64(vec![a]), Column::I64(vec![b]), Column::I64(vec![0])];
                    let outcome = run(&**kernel, &mut buffers, &in_order(1), 1);
                    let expected = match model(a, b) {
                        Some(_) => Outcome::Done,
                        None => failed(0, 0, 0, [a, b]),
                    };
                    assert_eq!(outcome, expected, "{name} {a} {b}");
                    if let Some(result) = model(a, b) {
                        assert_eq!(i64s(&buffers[2])[0], result, "{name} {a} {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn division_of_all_magnitudes() {
    let numbers = integers();
    let ranges: [(&str, i64, i64); 7] = [
        ("", i64::MIN, i64::MAX),
        ("in 0..", 0, i64::MAX),
        ("in 0..=2147483647", 0, i32::MAX as i64),
        ("in 0..=4294967295", 0, u32::MAX as i64),
        ("in -2147483648..=2147483647", i32::MIN as i64, i32::MAX as i64),
        ("in -2147483647..=5", -2_147_483_647, 5),
        ("in ..=-1", i64::MIN, -1),
    ];
    type Model = fn(i64, i64) -> i64;
    let operations: [(&str, Model); 3] =
        [("floor_div", floor_div), ("floor_mod", floor_mod), ("trunc_rem", i64::wrapping_rem)];
    for (name, model) in operations {
        for (in_a, low_a, high_a) in ranges {
            for (in_b, low_b, high_b) in ranges {
                let fits = |&(a, b): &(i64, i64)| {
                    (low_a..=high_a).contains(&a)
                        && (low_b..=high_b).contains(&b)
                        && b != 0
                        && (name != "floor_div" || (a, b) != (i64::MIN, -1))
                };
                let (a, b) = pairs(&numbers);
                let (a, b): (Vec<_>, Vec<_>) = a.into_iter().zip(b).filter(fits).unzip();
                let (outcome, results) = integer_binary(&format!("{name} v3, v4 at e0"), in_a, in_b, &a, &b);
                assert_eq!(outcome, Outcome::Done, "{name} {in_a} {in_b}");
                for i in 0..a.len() {
                    assert_eq!(results[i], model(a[i], b[i]), "{name} {} {} ({in_a}, {in_b})", a[i], b[i]);
                }
            }
        }
    }
    let (outcome, _) = integer_binary("floor_div v3, v4 at e0", "", "", &[1, i64::MIN], &[-1, -1]);
    assert_eq!(outcome, failed(0, 1, 0, [i64::MIN, -1]));
    let (outcome, _) = integer_binary("floor_div v3, v4 at e0", "", "in -1", &[1, i64::MIN], &[-1, -1]);
    assert_eq!(outcome, failed(0, 1, 0, [i64::MIN, -1]));
}

#[test]
fn division_by_constants() {
    let mut divisors: Vec<i64> =
        (1..40).chain([60, 97, 100, 365, 500, 641, 1000, 1 << 20, 6_700_417]).collect();
    divisors.extend([i32::MAX as i64 - 1, i32::MAX as i64, 1 << 31, u32::MAX as i64, 1 << 32, 1 << 62]);
    divisors.extend([1_000_000_007, 10_000_000_000, i64::MAX - 1, i64::MAX]);
    divisors.extend((0..30).map(|i| (rng::draw(9, 9, i, 9, 9) >> (1 + 2 * i)).max(1) as i64));
    let negative: Vec<_> = divisors.iter().map(|d| -d).collect();
    divisors.extend(negative);
    divisors.push(i64::MIN);
    let mut dividends = integers();
    dividends.extend((0..200).map(|i| rng::draw(3, 2, i, 1, 0) as i64 >> (i % 64)));
    // All divisors in one program: one result column each.
    for (range, low, high) in [
        ("", i64::MIN, i64::MAX),
        ("in 0..=2147483647", 0, i32::MAX as i64),
        ("in 0..=4294967295", 0, u32::MAX as i64),
        ("in 0..", 0, i64::MAX),
        ("in -2147483648..=2147483647", i32::MIN as i64, i32::MAX as i64),
        ("in -9000000000..=9000000000", -9_000_000_000, 9_000_000_000),
    ] {
        let a: Vec<i64> =
            dividends.iter().copied().filter(|a| (low..=high).contains(a) && *a != i64::MIN).collect();
        let mut text = format!("b0 = column h0 \"@a\": i64\nb1 = result: i64 written\n{HEAD}");
        let _ = writeln!(text, "fn f0 (v0: i32, v1: i64, v2: i64) {{\nv3 = load b0[v0] {range}");
        let _ = writeln!(text, "v4 = extend_i32 v0\nv5 = i64 {}\nv6 = mul v4, v5", divisors.len() * 3);
        for (i, divisor) in divisors.iter().enumerate() {
            let v = 10 + 20 * i;
            let _ = writeln!(text, "v{v} = i64 {divisor}");
            for (j, operation) in ["floor_div", "floor_mod", "trunc_rem"].into_iter().enumerate() {
                let r = v + 1 + 4 * j;
                let _ = writeln!(text, "v{r} = {operation} v3, v{v} at e0");
                let _ = writeln!(text, "v{} = i64 {}\nv{} = add v6, v{}", r + 1, 3 * i + j, r + 2, r + 1);
                let _ = writeln!(text, "v{} = wrap_i64 v{}\nstore b1[v{}] = v{r}", r + 3, r + 2, r + 3);
            }
        }
        text += "}";
        let kernel = kernel(&text);
        let mut buffers = [Column::I64(a.clone()), Column::I64(vec![0; a.len() * divisors.len() * 3])];
        assert_eq!(run(&*kernel, &mut buffers, &in_order(a.len()), 1), Outcome::Done);
        let mut results = i64s(&buffers[1]).iter();
        for &a in &a {
            for &d in &divisors {
                let expected = [floor_div(a, d), floor_mod(a, d), a.wrapping_rem(d)];
                let found = [(); 3].map(|()| *results.next().unwrap());
                assert_eq!(found, expected, "{a} by {d} ({range})");
            }
        }
    }
}

#[test]
fn unary_integer_operations() {
    let a = integers();
    type Model = fn(i64) -> i64;
    let bit_length: Model = |x| 64 - i64::from((if x < 0 { !x } else { x }).leading_zeros());
    let operations: [(&str, Model); 4] = [
        ("v5 = bit_not v3", |x| !x),
        ("v5 = bit_length v3", bit_length),
        ("v6 = wrap_i64 v3; v7 = add v6, v6; v5 = extend_i32 v7", |x| i64::from((x as i32).wrapping_mul(2))),
        ("v6 = lt v3, v4; v5 = bool_to_i64 v6", |x| i64::from(x < 0)),
    ];
    for (operation, model) in operations {
        let text = format!(
            "b0 = column h0 \"@a\": i64\nb1 = result: i64 written\n{HEAD}
            fn f0 (v0: i32, v1: i64, v2: i64) {{
              v3 = load b0[v0]; v4 = i64 0
              {operation}
              store b1[v0] = v5
            }}"
        );
        let kernel = kernel(&text);
        let mut buffers = [Column::I64(a.clone()), Column::I64(vec![0; a.len()])];
        assert_eq!(run(&*kernel, &mut buffers, &in_order(a.len()), 1), Outcome::Done);
        for (i, &x) in a.iter().enumerate() {
            assert_eq!(i64s(&buffers[1])[i], model(x), "{operation} {x}");
        }
    }
}

#[test]
fn comparisons_and_booleans() {
    type Model = fn(i64, i64) -> bool;
    let integer: [(&str, Model); 7] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
        ("lt_u", |a, b| (a as u64) < b as u64),
    ];
    let (a, b) = pairs(&integers());
    for (name, model) in integer {
        let text = binary_text("i64", "bool", &format!("{name} v3, v4"), "", "");
        let inverse = text.replace("store b2[v0] = v5", "v6 = not v5; store b2[v0] = v6");
        for (text, flip) in [(text, false), (inverse, true)] {
            let mut buffers =
                [Column::I64(a.clone()), Column::I64(b.clone()), Column::Bool(vec![9; a.len()])];
            run(&*kernel(&text), &mut buffers, &in_order(a.len()), 1);
            let Column::Bool(found) = &buffers[2] else { unreachable!() };
            for i in 0..a.len() {
                assert_eq!(found[i], u8::from(model(a[i], b[i]) != flip), "{name} {} {}", a[i], b[i]);
            }
        }
    }
    type FloatModel = fn(f64, f64) -> bool;
    let float: [(&str, FloatModel); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    let (a, b) = pairs(&floats());
    for (name, model) in float {
        let text = binary_text("f64", "bool", &format!("{name} v3, v4"), "", "");
        let inverse = text.replace("store b2[v0] = v5", "v6 = not v5; store b2[v0] = v6");
        for (text, flip) in [(text, false), (inverse, true)] {
            let mut buffers =
                [Column::F64(a.clone()), Column::F64(b.clone()), Column::Bool(vec![9; a.len()])];
            run(&*kernel(&text), &mut buffers, &in_order(a.len()), 1);
            let Column::Bool(found) = &buffers[2] else { unreachable!() };
            for i in 0..a.len() {
                assert_eq!(found[i], u8::from(model(a[i], b[i]) != flip), "{name} {} {}", a[i], b[i]);
            }
        }
    }
    type BoolModel = fn(bool, bool) -> bool;
    let boolean: [(&str, BoolModel); 6] = [
        ("and_b v3, v4", |a, b| a & b),
        ("or_b v3, v4", |a, b| a | b),
        ("xor_b v3, v4", |a, b| a ^ b),
        ("eq v3, v4", |a, b| a == b),
        ("not v3", |a, _| !a),
        ("select v3, v4, v3", |a, b| if a { b } else { a }),
    ];
    for (operation, model) in boolean {
        let kernel = kernel(&binary_text("bool", "bool", operation, "", ""));
        // Readers take the low bit.
        let mut buffers =
            [Column::Bool(vec![0, 0, 1, 255]), Column::Bool(vec![0, 1, 2, 3]), Column::Bool(vec![7; 4])];
        run(&*kernel, &mut buffers, &in_order(4), 1);
        let expected: Vec<u8> = [(false, false), (false, true), (true, false), (true, true)]
            .map(|(a, b)| model(a, b).into())
            .into();
        assert_eq!(buffers[2], Column::Bool(expected), "{operation}");
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn float_operations() {
    // Ruby's `Float#%`.
    fn floor_mod(x: f64, y: f64) -> f64 {
        let rest = if y.is_infinite() && x.is_finite() { x } else { x % y };
        if y * rest < 0.0 { rest + y } else { rest }
    }
    let (a, b) = pairs(&floats());
    type Model = fn(f64, f64) -> f64;
    let operations: [(&str, Model); 16] = [
        ("add_f v3, v4", |a, b| a + b),
        ("sub_f v3, v4", |a, b| a - b),
        ("mul_f v3, v4", |a, b| a * b),
        ("div_f v3, v4", |a, b| a / b),
        ("floor_mod_f v3, v4", floor_mod),
        ("rem_f v3, v4", |a, b| a % b),
        ("pow_f v3, v4", f64::powf),
        ("neg_f v3", |a, _| -a),
        ("abs_f v3", |a, _| a.abs()),
        ("floor_f v3", |a, _| a.floor()),
        ("ceil_f v3", |a, _| a.ceil()),
        ("trunc_f v3", |a, _| a.trunc()),
        ("round_f v3", |a, _| a.round()),
        ("round_even_f v3", |a, _| a.round_ties_even()),
        ("math sqrt v3", |a, _| a.sqrt()),
        ("bits_to_f64 v6", |a, _| f64::from_bits(a.to_bits() ^ 1)),
    ];
    for (operation, model) in operations {
        let mut text = binary_text("f64", "f64", operation, "", "");
        if operation.ends_with("v6") {
            text = text.replace("v5 =", "v7 = bits_to_i64 v3; v8 = i64 1; v6 = xor v7, v8; v5 =");
        }
        let mut buffers = [Column::F64(a.clone()), Column::F64(b.clone()), Column::F64(vec![0.0; a.len()])];
        assert_eq!(run(&*kernel(&text), &mut buffers, &in_order(a.len()), 1), Outcome::Done);
        for (i, &found) in f64s(&buffers[2]).iter().enumerate() {
            let expected = model(a[i], b[i]);
            assert!(same(found, expected), "{operation} {} {}: {found}, not {expected}", a[i], b[i]);
        }
    }
}

#[test]
fn conversions_and_constants() {
    let text = format!(
        "b0 = column h0 \"@a\": f64\nb1 = result: i64 written\nb2 = column h0 \"@c\": f64 written
        b3 = column h0 \"@d\": bool written\ns0 = root 0: i64\ns1 = root 1: f64\ns2 = root 2: i32\ns3 = root 3: bool\n{HEAD}
        fn f0 (v0: i32, v1: i64, v2: i64) {{
          v3 = load b0[v0]
          v4 = f64_to_i64 v3
          v5 = s0; v6 = s2; v7 = extend_i32 v6; v8 = add v4, v5; v9 = add v8, v7
          store b1[v0] = v9
          v10 = i64_to_f64 v4; v11 = s1; v12 = add_f v10, v11
          v13 = s3; v14 = f64 -0.5; v15 = select v13, v12, v14
          store b2[v0] = v15
          v16 = is_nan v3
          store b3[v0] = v16
        }}"
    );
    let a = vec![0.0, -0.9, 0.9, 1e15, -1e15, 9.3e18 - 1e17, -9_223_372_036_854_775_808.0];
    let n = a.len();
    for flag in [0, 1] {
        let mut buffers = [
            Column::F64(a.clone()),
            Column::I64(vec![0; n]),
            Column::F64(vec![0.0; n]),
            Column::Bool(vec![9; n]),
        ];
        let scalars = [5, 0.25f64.to_bits(), -3i64 as u64, flag];
        assert_eq!(run_with(&*kernel(&text), &mut buffers, &scalars, &in_order(n), 1), Outcome::Done);
        for (i, x) in a.iter().enumerate() {
            assert_eq!(i64s(&buffers[1])[i], (*x as i64).wrapping_add(2));
            let expected = if flag == 1 { *x as i64 as f64 + 0.25 } else { -0.5 };
            assert!(same(f64s(&buffers[2])[i], expected));
        }
        assert_eq!(buffers[3], Column::Bool(vec![0; n]));
    }
}

#[test]
fn math_is_that_of_the_c_library() {
    let (a, b) = pairs(&floats());
    for function in MathFn::ALL {
        let args = if function.arity() == 2 { "v3, v4" } else { "v3" };
        let kernel =
            kernel(&binary_text("f64", "f64", &format!("math {} {args}", function.c_name()), "", ""));
        let mut buffers = [Column::F64(a.clone()), Column::F64(b.clone()), Column::F64(vec![0.0; a.len()])];
        assert_eq!(run(&*kernel, &mut buffers, &in_order(a.len()), 1), Outcome::Done);
        let address = crate::backend::cpu::runtime::math_address(function);
        for (i, &found) in f64s(&buffers[2]).iter().enumerate() {
            // SAFETY: the functions take as many doubles as their arity and give one.
            let expected = unsafe {
                if function.arity() == 2 {
                    std::mem::transmute::<*const u8, extern "C" fn(f64, f64) -> f64>(address)(a[i], b[i])
                } else {
                    std::mem::transmute::<*const u8, extern "C" fn(f64) -> f64>(address)(a[i])
                }
            };
            assert!(same(found, expected), "{function:?} {} {}: {found}, not {expected}", a[i], b[i]);
        }
    }
}
