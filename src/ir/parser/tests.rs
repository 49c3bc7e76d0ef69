//! Text to programs and back.

use super::*;

fn round_trip(text: &str) -> String {
    let printed = parse(text).unwrap().to_string();
    let again = parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(again.to_string(), printed);
    printed
}

/// In the printer's own form: every construct once.
const ALL: &str = r#"program random
b0 = base: i32
b1 = base tag: i32
b2 = column h0 "@x": f64 written
b3 = column h1 "@tag" tag: i32
b4 = array_offset a0: i32
b5 = array_length a0: i32
b6 = array_values a0: i64
b7 = array_values a0 tag: i32
b8 = result: bool written
b9 = frozen h0: bool
b10 = frozen_array a0: bool
b11 = first_same: i32
b12 = marks column h0 "@x": i64 written
b13 = marks arrays a0: i64 written
b14 = variable v0: i64 written
b15 = variable v1 tag: i32
b16 = marks variable v0: i64 written
b17 = beside 1: f64
b18 = beside 1 tag: i32
b19 = selection: i32 written
b20 = merged v0: i64 written
b21 = merged v0 tag: i32 written
s0 = root 3: i64
s1 = root 3 tag: i32
s2 = class_base h0 1: i32
s3 = base_length: i32
s4 = root_range 1 low: i64
s5 = root_range 1 high: i64
s6 = fine a0: bool
s7 = epoch: i64
s8 = series_first 2: i64
s9 = series_step 2: i64
e0 = overflow "+" at "t.rb":3 in "move" from "t.rb":9 in "block in run" from "u.rb":1 in "<main>"
e1 = zero_division at "t.rb":4
e2 = no_method "foo" of nil at "t.rb":5 in "move"
e3 = no_method private "foo" of object h1
e4 = name_error "bar" of array a2
e5 = type_error "String can't be \"coerced\"\n\u{1b}é"
e6 = argument_error "wrong number"
e7 = float_domain
e8 = math_domain "sqrt"
e9 = frozen h0
e10 = frozen_array a0
e11 = index_too_small
e12 = array_growth
e13 = range "too big"
e14 = raise c21
e15 = raise c21 "no"
e16 = stack_too_deep
e17 = no_method "x" of module c4
e18 = no_method "x" of text "main:Object"
e19 = no_method "x" of integer
e20 = no_method "x" of float
e21 = no_method "x" of symbol
e22 = no_method "x" of true
e23 = no_method "x" of false
e24 = race write column h0 "@x" at "t.rb":5
e25 = race read arrays a0
kernel k0 fused
entry f0 "Car"
entry f0 ""
kernel k1
entry f0 "Bus"
driver f5

fn f0 "Car" (v0: i32 in 0.., v1: i64, v2: i64 in 1..=10) {
  var x0: i64, x1: f64
  v3 = load b0[v0] in 0..=99
  v4 = i64 -5
  v5 = i64 7 in ..
  v6 = i32 -2147483648
  v7 = f64 -0.0
  v8 = f64 1e300
  v9 = f64 -inf
  v10 = f64 inf
  v11 = f64 0x7ff8000000000000
  v12 = true
  v13 = false
  x0 = v4
  v14 = x0 in ..=-1
  v15 = s0
  v16 = element
  v17 = tick
  v18 = random
  v100 = watch_write b12[v0] by v18 at e24
  v101 = watch_read b13[v0] by v100 at e25
  v19 = neg_f v7
  v20 = add_checked v4, v14 at e0
  v21 = floor_div v4, v14 at e0 in 3
  v22 = lt_u v4, v14
  v23 = select v22, v4, v14
  v24 = math sin v8
  v25 = math atan2 v8, v24
  v26 = f64 5e-324
  loop L0 {
    block L1 {
      if v22 {
        break L0
      } else if v12 {
        continue L0
      } else {
        break L1
      }
      if v13 {
        tick v4
      }
    }
  }
  check v22 at e1
  check v22 at e1 with v4, v14
  v27, v28 in 0..=1 = call f1(v3, v4)
  call f2()
  defer f4(v3, v4)
  store b2[v3] = v8
  if v12 {
    fail at e2
  } else {
    fail at e3 with v3
  }
  return
}

fn f1 "Car#pair" (v0: i32, v1: i64) -> (f64, i64) {
  v2 = f64 1.5
  return v2, v1
}

fn f2 "" () {
}

fn f3 "" () -> i32 {
  v0 = i32 1
  return v0
}

fn f4 "deferred" (v0: i32, v1: i64) {
}

fn f5 "driver" () {
  launch k0
  v0 = compact b8 into b19
  v1, v2 = reduce add b6 from v0
  v3 in 0.., v4 = reduce min_last b6 where b8 from v1
  launch k1
}
"#;

#[test]
fn every_construct_is_read_and_written() {
    assert_eq!(round_trip(ALL), ALL);
}

#[test]
fn every_operation_is_read_and_written() {
    use crate::intrinsics::Intrinsic;
    use crate::ir::{BinaryOp, Comparison, MathFn, UnaryOp};
    let mut text = "fn f0 \"\" (v0: bool, v1: i32, v2: i64, v3: f64) {\n".to_string();
    let of = |ty: Ty| ["v0", "v1", "v2", "v3"][ty as usize];
    let mut lines = Vec::new();
    lines.extend(UnaryOp::ALL.map(|op| format!("{} {}", op.name(), of(op.signature().0))));
    lines.extend(BinaryOp::ALL.map(|op| {
        let operand = of(op.ty().unwrap_or(Ty::I32));
        format!("{} {operand}, {operand}", op.name())
    }));
    lines.extend(Comparison::ALL.map(|op| format!("{} v2, v2", op.name())));
    lines.extend(
        MathFn::ALL.map(|f| format!("math {} v3{}", f.c_name(), if f.arity() == 2 { ", v3" } else { "" })),
    );
    lines.extend(Intrinsic::ALL.map(|f| {
        let args = vec!["v2"; f.args()].join(", ");
        format!("intrinsic {}{} {args}", f.name(), " b0[v1]".repeat(f.texts()))
    }));
    for (i, line) in lines.iter().enumerate() {
        text += &format!("  v{} = {line}\n", i + 4);
    }
    text += "}\n";
    // The printer sets a blank line before each function.
    assert_eq!(round_trip(&text), format!("\n{text}"));
}

#[test]
fn short_forms_by_hand() {
    let printed = round_trip(
        "e0 = overflow \"*\"; entry f0
        fn f0 (v0: i32, v1: i64, v2: i64) { # nothing is declared twice
          x1 = v1; v9 = x1          // so x0 is there, of no known type
          if v3 { return }
          v4, v5 = call f1(v9)
        }
        fn f1 (v0: i64) -> (i64, f64) { loop L3 { fail at e0 } }",
    );
    assert_eq!(
        printed,
        r#"e0 = overflow "*"
kernel k0
entry f0 ""

fn f0 "" (v0: i32, v1: i64, v2: i64) {
  var x0: i64, x1: i64
  x1 = v1
  v9 = x1
  if v3 {
    return
  }
  v4, v5 = call f1(v9)
}

fn f1 "" (v0: i64) -> (i64, f64) {
  loop L3 {
    fail at e0
  }
}
"#
    );
}

#[test]
fn a_function_alone_says_what_only_its_program_knows() {
    let program = parse(ALL).unwrap();
    let text = program.functions[0].to_string();
    assert!(text.contains("  v3: i32 = load b0[v0] in 0..=99\n"), "{text}");
    assert!(text.contains("  v27: f64, v28: i64 in 0..=1 = call f1(v3, v4)\n"), "{text}");
    let text = program.functions[5].to_string();
    assert!(text.contains("  v1: i64, v2 = reduce add b6 from v0\n"), "{text}");
}

#[test]
fn nonsense_can_be_printed() {
    use crate::ir::{Function, Op, Stmt, UnaryOp};
    let mut program = Program::default();
    program.functions.push(Function {
        body: vec![Stmt::Let { value: Value(7), op: Op::Unary(UnaryOp::Not, Value(9)), site: None }],
        params: vec![Ty::I32],
        ..Function::default()
    });
    assert_eq!(program.to_string(), "\nfn f0 \"\" (v0: i32) {\n  v7 = not v9\n}\n");
}

#[test]
fn errors_name_the_line_and_what_was_found() {
    let error = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(
        error("b0 = base: i32\nb2 = base: i32"),
        "line 2: declarations are numbered in order: expected b1, found `b2`"
    );
    assert_eq!(error("b0 = base: int"), "line 1: expected a type (bool, i32, i64 or f64), found `int`");
    assert_eq!(error("fn f0 () {\n v0 = addd v1, v2\n}"), "line 2: unknown operation `addd`");
    assert_eq!(
        error("fn f0 () {\n v0 = add v1, v2\n}"),
        "line 2: the type of v0 is not known here; write it, as in `v0: i64 = …`"
    );
    assert_eq!(error("fn f0 () {\n v0 = i64 1 2\n}"), "line 2: expected the end of the line, found `2`");
    assert_eq!(error("fn f0 () {\n v0 = i32 3000000000\n}"), "line 2: `3000000000` is not a 32-bit integer");
    assert_eq!(
        error("fn f0 () {\n break\n}"),
        "line 2: expected a label such as L0, found the end of the line"
    );
    assert_eq!(error("fn f0 () {\n"), "line 1: a function has no closing `}`");
    assert_eq!(error("e0 = overflow \"+"), "line 1: a text has no closing quote");
    assert_eq!(error("\n\n%"), "line 3: unexpected character `%`");
}
