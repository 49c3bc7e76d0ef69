//! What is recorded, carried and counted of loops, and which loops are left alone.

use super::*;
use crate::ir::parser::parse;

/// The loops of f0 that can be parted: `label: counters | record | carried`, with a `!` if the serial part may stop.
fn parted(body: &str) -> Vec<String> {
    let text = format!(
        r#"
        b0 = column h0 "@a": f64
        b1 = column h0 "@b": f64 written
        b2 = column h0 "@c": i64
        e0 = zero_division at "x.rb":1 in "m"
        fn f0 (v0: i32, v1: i64, v2: f64) {{
          var x0: i64, x1: f64, x2: f64, x3: i64, x4: i64
          v3 = i64 0
          v4 = i64 1
          v5 = f64 0.0
          x0 = v3
          x1 = v5
          {body}
          v90 = x1
          store b1[v0] = v90
        }}
        "#
    );
    let program = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = fissions(&program.functions[0], &|buffer| program.buffers[buffer.0 as usize].written);
    let line = |(label, fission): (&Label, &Fission)| {
        let Fission { counters, record, carried, stops, .. } = fission;
        format!("{label}: {counters:?} | {record:?} | {carried:?}{}", if *stops { "!" } else { "" })
    };
    found.iter().map(line).collect()
}

/// A loop over `v10 = x0` up to `v1`.
fn counted(body: &str) -> Vec<String> {
    parted(&format!(
        "loop L0 {{
          v10 = x0
          v11 = ge v10, v1
          if v11 {{ break L0 }}
          v12 = add v10, v4
          x0 = v12
          v13 = wrap_i64 v10
          v14 = load b0[v13]
          {body}
        }}"
    ))
}

#[test]
fn what_is_added_is_recorded() {
    assert_eq!(
        counted("v20 = mul_f v14, v2; v21 = x1; v22 = add_f v21, v20; x1 = v22"),
        ["L0: [(x0, 1)] | [v20] | [x1]"]
    );
}

#[test]
fn conditions_are_recorded_with_what_stands_under_them() {
    let body = "block L1 {
      v20 = lt v14, v2
      if v20 { break L1 }
      v21 = mul_f v14, v2
      v22 = x1
      v23 = add_f v22, v21
      x1 = v23
    }";
    assert_eq!(counted(body), ["L0: [(x0, 1)] | [v20, v21] | [x1]"]);
}

#[test]
fn what_hangs_on_a_carried_value_is_serial() {
    // The least item and its number: the counter is not recorded.
    let body = "v20 = x1
      v21 = lt v14, v20
      if v21 { x1 = v14; x3 = v10 }";
    let found = parted(&format!(
        "loop L0 {{
          v10 = x0
          v11 = lt v10, v1
          if v11 {{ }} else {{ break L0 }}
          v13 = wrap_i64 v10
          v14 = load b0[v13]
          {body}
          v12 = add_checked v10, v4 at e0
          x0 = v12
        }}
        v91 = x3"
    ));
    assert_eq!(found, ["L0: [(x0, 1)] | [v14] | [x1, x3]"]);
}

#[test]
fn variables_of_one_iteration_are_parallel() {
    let body = "v20 = lt v14, v2
      if v20 { x2 = v14 } else { x2 = v2 }
      v21 = x2
      v22 = x1
      v23 = add_f v22, v21
      x1 = v23";
    assert_eq!(counted(body), ["L0: [(x0, 1)] | [v21] | [x1]"]);
    // Set under a condition only, it is the one of the iteration before.
    let body = body.replace(" else { x2 = v2 }", "");
    assert_eq!(counted(&body), ["L0: [(x0, 1)] | [v14, v20] | [x1, x2]"]);
}

#[test]
fn what_may_fail_in_order_stops() {
    let body = "v20 = load b2[v13]; v21 = x3; v22 = add_checked v21, v20 at e0; x3 = v22";
    assert_eq!(counted(body), ["L0: [(x0, 1)] | [v20] | [x3]!"]);
    // A check of what is parallel does so there.
    let body = "v20 = gt v14, v2; check v20 at e0; v21 = x1; v22 = add_f v21, v14; x1 = v22";
    assert_eq!(counted(body), ["L0: [(x0, 1)] | [v14] | [x1]"]);
    // What comes after a serial break is serial.
    let body = "v20 = x1; v21 = add_f v20, v14; x1 = v21; v22 = gt v21, v2; if v22 { break L0 }
      v23 = load b0[v13]; v24 = mul_f v23, v23; x2 = v24; v25 = x2; v26 = add_f v21, v25; x1 = v26";
    assert_eq!(counted(body), ["L0: [(x0, 1)] | [v13, v14] | [x1, x2]!"]);
}

#[test]
fn inner_loops_go_along_or_are_parted_themselves() {
    let inner = |acc: &str| {
        format!(
            "x4 = v3
            x2 = v5
            loop L1 {{
              v20 = x4
              v21 = ge v20, v10
              if v21 {{ break L1 }}
              v22 = add v20, v4
              x4 = v22
              v23 = {acc}
              v24 = add_f v23, v14
              {acc} = v24
            }}
            v25 = x2
            v26 = x1
            v27 = add_f v26, v25
            x1 = v27"
        )
    };
    assert_eq!(counted(&inner("x2")), ["L0: [(x0, 1)] | [v25] | [x1]"]);
    assert_eq!(counted(&inner("x1")), ["L1: [(x4, 1)] | [] | [x1]"]);
}

#[test]
fn others_are_left_alone() {
    let add = "v21 = x1; v22 = add_f v21, v14; x1 = v22";
    // Something is written; something is read that is written; numbers are drawn.
    assert!(counted(&format!("{add}; store b1[v0] = v22")).is_empty());
    assert!(counted(&format!("{add}; v23 = load b1[v0]; v24 = add_f v22, v23; x1 = v24")).is_empty());
    assert!(counted(&format!("{add}; v23 = random; x3 = v23")).is_empty());
    // Nobody knows where it ends, or it may go past its end.
    let body = |test: &str| {
        format!(
            "loop L0 {{ v10 = x0; v11 = {test}; if v11 {{ break L0 }}; v12 = add v10, v4; x0 = v12
              v13 = wrap_i64 v10; v14 = load b0[v13]; {add} }}"
        )
    };
    assert_eq!(parted(&body("ge v10, v1")).len(), 1);
    assert_eq!(parted(&body("lt v1, v10")).len(), 1);
    assert!(parted(&body("eq v10, v1")).is_empty());
    assert!(parted(&body("le v10, v1")).is_empty());
    // Few iterations.
    assert!(parted(&body("ge v10, v4")).is_empty());
}
