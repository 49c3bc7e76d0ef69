//! Puts the loop over ticks around the entries, whose bodies are for one tick when they come here, and finds out
//! whether one thread may run all its ticks in a go: *fusing*, which is loop interchange of ticks and elements.
//!
//! It may when no element sees what another writes: every written column is *private*, touched in all entries only at
//! the id of the element itself and never by a called function. Then the state of an element stays in variables from
//! its first tick to its last. That reads the columns even if the body would not have: the id is right for them, since
//! an entry is for the objects of one class. `pmap`'s result is written by element index and read by nobody, so it does
//! not matter.
//!
//! An element runs at least one tick, so that the loop asks at its end whether it goes on:
//!
//! ```text
//! v3 = load b0[v0]           // the element's id
//! v4 = load b1[v3]           // if fused: its state
//! x0 = v4
//! v5 = i64 1
//! x1 = v1                    // first tick
//! loop L0 {
//!   v6 = x1
//!   tick v6
//!   block L1 { ... }         // `return` has become `break L1`
//!   v7 = add v6, v5
//!   x1 = v7
//!   v8 = ge v7, v2           // end tick
//!   if v8 { break L0 }
//! }
//! v9 = x0                    // if fused
//! store b1[v3] = v9
//! ```
//!
//! `peach(n)` is n times the whole section. Of a fused program the CPU has both orders and tries which is faster
//! (`backend/cpu/loop_order.rs`), but compiles the second only when a call has enough ticks for it to be tried. Any
//! other program has one launch a tick. On a GPU those are recorded as a CUDA graph and replayed.

use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::access::accesses_of;
use crate::ir::typing::plain_interval;
use crate::ir::walk::{any, completes, for_each_mut};
use crate::ir::{
    BinaryOp, Block, Buffer, BufferInfo, BufferKind, Comparison, Function, Label, Op, Part, Program, Stmt,
    UnaryOp, Value, ValueData, Var,
};
use crate::scalar::Ty;
use std::collections::{BTreeMap, BTreeSet};

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    let entries: BTreeSet<usize> = program.entries().map(|e| e.function.0 as usize).collect();
    let mut ids = BTreeMap::new();
    for &entry in &entries {
        token.check()?;
        let function = &mut program.functions[entry];
        raise_own_ids(function, &program.buffers);
        ids.insert(entry, own_ids(&function.body, &program.buffers));
    }
    for number in 0..program.kernels.len() {
        // What other kernels write is the same for all ticks of this one.
        let changed = program.changed_by(&program.kernels[number]);
        let written: Vec<(Buffer, Ty)> = (0..)
            .map(Buffer)
            .zip(&program.buffers)
            .filter(|(buffer, info)| changed[buffer.0 as usize] && !is_own(&info.kind) && !info.is_drivers())
            .map(|(buffer, info)| (buffer, info.ty))
            .collect();
        let accesses = accesses_of(program, &program.kernels[number]);
        let is_private = |buffer| accesses.get(buffer).is_none_or(|access| access.is_private());
        let kernel = &mut program.kernels[number];
        // What elements make gets rows after each tick.
        let fused = !kernel.settles && written.iter().all(|(buffer, _)| is_private(buffer));
        kernel.fused = fused;
        let private = if fused { &written[..] } else { &[] };
        for entry in kernel.entries.clone() {
            token.check()?;
            let entry = entry.function.0 as usize;
            let function = &mut program.functions[entry];
            let private = if mixes_elements(&function.body, &program.buffers) { &[] } else { private };
            wrap(function, ids[&entry].len(), private);
        }
    }
    Ok(())
}

/// Memory of which an element sees its own part only, and nothing of an earlier tick.
const fn is_own(kind: &BufferKind) -> bool {
    matches!(
        kind,
        BufferKind::Result(..)
            | BufferKind::Given(..)
            | BufferKind::Kept
            | BufferKind::ResultWords
            | BufferKind::KernelWords
            | BufferKind::Scratch
    )
}

/// Does an entry ask what its element is? What is no object has no variables.
pub(in crate::ir) fn mixes_elements(body: &Block, buffers: &[BufferInfo]) -> bool {
    let is_tag = |buffer: &Buffer| matches!(buffers[buffer.0 as usize].kind, BufferKind::Base(_, Part::Tag));
    any(body, &mut |stmt| matches!(stmt, Stmt::Let { op: Op::Load(buffer, _), .. } if is_tag(buffer)))
}

/// The values at the top of an entry that are the element's id.
pub(in crate::ir) fn own_ids(body: &Block, buffers: &[BufferInfo]) -> Vec<Value> {
    let mut ids = Vec::new();
    for stmt in body {
        if let Stmt::Let { value, op, .. } = stmt
            && is_own_id(op, &ids, buffers)
        {
            ids.push(*value);
        }
    }
    ids
}

/// The base's payload at the element's index, or that (64 bits wide where the base mixes types) made an index.
fn is_own_id(op: &Op, ids: &[Value], buffers: &[BufferInfo]) -> bool {
    match op {
        Op::Load(buffer, Value(0)) => {
            let BufferInfo { kind, written, .. } = &buffers[buffer.0 as usize];
            matches!(kind, BufferKind::Base(_, Part::Payload)) && !written
        }
        Op::Unary(UnaryOp::WrapI64, payload) => ids.contains(payload),
        _ => false,
    }
}

/// Brings the element's id to the top of the entry, wherever and however often it was read.
fn raise_own_ids(function: &mut Function, buffers: &[BufferInfo]) {
    let mut body = std::mem::take(&mut function.body);
    let mut raised: Vec<Stmt> = Vec::new();
    let mut ids: Vec<Value> = Vec::new();
    let mut replaced: BTreeMap<Value, Value> = BTreeMap::new();
    remove(&mut body, &mut |stmt| {
        stmt.for_each_operand_mut(|v| *v = replaced.get(v).copied().unwrap_or(*v));
        let Stmt::Let { value, op, .. } = stmt else { return false };
        if *op == Op::Element {
            replaced.insert(*value, Value(0));
            return true;
        }
        if !is_own_id(op, &ids, buffers) {
            return false;
        }
        let same = raised.iter().find_map(|s| match s {
            Stmt::Let { value, op: other, .. } if op == other => Some(*value),
            _ => None,
        });
        match same {
            Some(first) => {
                let interval = function.values[value.0 as usize].interval;
                let known = &mut function.values[first.0 as usize].interval;
                *known = known.union(interval);
                replaced.insert(*value, first);
            }
            None => {
                ids.push(*value);
                raised.push(stmt.clone());
            }
        }
        true
    });
    raised.append(&mut body);
    function.body = raised;
}

/// Removes the statements that `take` takes, however deep.
fn remove(block: &mut Block, take: &mut impl FnMut(&mut Stmt) -> bool) {
    block.retain_mut(|stmt| {
        if take(stmt) {
            return false;
        }
        for inner in stmt.blocks_mut() {
            remove(inner, take);
        }
        true
    });
}

/// Puts the tick loop around the body, but for the ids at its start, and `private` into variables.
fn wrap(function: &mut Function, ids: usize, private: &[(Buffer, Ty)]) {
    const END: Value = Value(2);
    let mut before = std::mem::take(&mut function.body);
    let mut body = before.split_off(ids);
    let mut after = Vec::new();
    for (buffer, ty) in private {
        replace_by_variable(function, *buffer, *ty, &mut before, &mut body, &mut after);
    }
    let tick_loop = new_label(function);
    if any(&body, &mut |stmt| matches!(stmt, Stmt::Return(_))) {
        let label = new_label(function);
        for_each_mut(&mut body, &mut |stmt| {
            if matches!(stmt, Stmt::Return(_)) {
                *stmt = Stmt::Break(label);
            }
        });
        body = vec![Stmt::Block { label, body }];
    }
    if !completes(&body) {
        // It fails or goes on for ever in its first tick: there is no second.
        before.push(Stmt::Tick(Value(1)));
        before.append(&mut body);
        function.body = before;
        return;
    }
    let next_tick = new_var(function, Ty::I64);
    let one = define(function, &mut before, Ty::I64, Op::I64(1));
    before.push(Stmt::Set(next_tick, Value(1)));
    let mut iteration = Vec::new();
    let tick = define(function, &mut iteration, Ty::I64, Op::Get(next_tick));
    iteration.push(Stmt::Tick(tick));
    iteration.append(&mut body);
    // Below the end tick, so nothing overflows.
    let next = define(function, &mut iteration, Ty::I64, Op::Binary(BinaryOp::Add, tick, one));
    iteration.push(Stmt::Set(next_tick, next));
    let done = define(function, &mut iteration, Ty::Bool, Op::Compare(Comparison::Ge, next, END));
    iteration.push(Stmt::If { condition: done, then: vec![Stmt::Break(tick_loop)], otherwise: Vec::new() });
    before.push(Stmt::Loop { label: tick_loop, body: iteration });
    before.append(&mut after);
    function.body = before;
}

/// Keeps the element's row of a column in a variable: read before the loop, and written after it if it was inside.
fn replace_by_variable(
    function: &mut Function,
    buffer: Buffer,
    ty: Ty,
    before: &mut Block,
    body: &mut Block,
    after: &mut Block,
) {
    let var = Var(function.vars.len() as u32);
    let (mut id, mut stored) = (None, false);
    for_each_mut(body, &mut |stmt| match stmt {
        Stmt::Let { op: op @ Op::Load(..), .. } => {
            if let Op::Load(b, index) = *op
                && b == buffer
            {
                id = Some(index);
                *op = Op::Get(var);
            }
        }
        Stmt::Store { buffer: b, index, value } if *b == buffer => {
            id = Some(*index);
            stored = true;
            *stmt = Stmt::Set(var, *value);
        }
        _ => {}
    });
    let Some(id) = id else { return };
    function.vars.push(ty);
    let initial = define(function, before, ty, Op::Load(buffer, id));
    before.push(Stmt::Set(var, initial));
    if stored {
        let value = define(function, after, ty, Op::Get(var));
        after.push(Stmt::Store { buffer, index: id, value });
    }
}

fn define(function: &mut Function, block: &mut Block, ty: Ty, op: Op) -> Value {
    let value = Value(function.values.len() as u32);
    function.values.push(ValueData::new(ty, plain_interval(ty, Some(&op))));
    block.push(Stmt::Let { value, op, site: None });
    value
}

fn new_label(function: &mut Function) -> Label {
    function.labels += 1;
    Label(function.labels - 1)
}

fn new_var(function: &mut Function, ty: Ty) -> Var {
    function.vars.push(ty);
    Var(function.vars.len() as u32 - 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;
    use crate::cancel::CancellationToken;
    use crate::ir::walk::any;
    use crate::ir::{Buffer, Op, Stmt};

    const HEAD: &str = r#"
        b0 = base: i32
        b1 = column h0 "@x": i64 written
        b2 = column h0 "@next": i32
        b3 = result: i64 written
        s0 = root 0: bool
        e0 = overflow "+"
        entry f0 "Car"
    "#;

    /// The fate of an entry with this body in a program whose other functions are `others`.
    #[track_caller]
    fn fused(body: &str, others: &str) -> bool {
        let text = format!("{HEAD}\nfn f0 (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}\n{others}");
        let mut program = crate::ir::parser::parse(&text).unwrap();
        run(&mut program, &CancellationToken::default()).unwrap();
        crate::ir::verifier::verify(&program).unwrap();
        program.kernels[0].fused
    }

    #[test]
    fn the_state_of_an_element_lives_in_variables() {
        let program = check(
            run,
            &format!(
                "{HEAD} fn f0 \"Car\" (v0: i32, v1: i64, v2: i64) {{
                   v3 = load b0[v0]
                   v4 = load b1[v3] in 0..
                   v5 = tick
                   v6 = s0
                   if v6 {{ return }}
                   v7 = add_checked v4, v5 at e0
                   store b1[v3] = v7
                 }}"
            ),
            "fn f0 \"Car\" (v0: i32, v1: i64, v2: i64) {
               var x0: i64, x1: i64
               v3 = load b0[v0]
               v8 = load b1[v3]
               x0 = v8
               v10 = i64 1
               x1 = v1
               loop L0 {
                 v11 = x1
                 tick v11
                 block L1 {
                   v4 = x0 in 0..
                   v5 = tick
                   v6 = s0
                   if v6 {
                     break L1
                   }
                   v7 = add_checked v4, v5 at e0
                   x0 = v7
                 }
                 v12 = add v11, v10
                 x1 = v12
                 v13 = ge v12, v2
                 if v13 {
                   break L0
                 }
               }
               v9 = x0
               store b1[v3] = v9
             }",
        );
        assert!(program.kernels[0].fused);
    }

    #[test]
    fn what_may_be_no_object_has_no_variables_to_begin_with() {
        let text = "b0 = base: i64
             b1 = base tag: i32
             b2 = column h0 \"@x\": i64 written
             entry f0
             fn f0 (v0: i32, v1: i64, v2: i64) {
               v3 = load b0[v0]; v4 = wrap_i64 v3; v5 = load b1[v0]; v6 = i32 256; v7 = eq v5, v6
               if v7 { v8 = load b2[v4]; store b2[v4] = v8 }
             }";
        let mut program = crate::ir::parser::parse(text).unwrap();
        run(&mut program, &CancellationToken::default()).unwrap();
        crate::ir::verifier::verify(&program).unwrap();
        assert!(program.kernels[0].fused);
        let column = Buffer(2);
        let is_load = |stmt: &Stmt| matches!(stmt, Stmt::Let { op: Op::Load(b, _), .. } if *b == column);
        assert!(!program.functions[0].body.iter().any(is_load), "it is read before it is known to be there");
        assert!(any(&program.functions[0].body, &mut |stmt| is_load(stmt)));
    }

    #[test]
    fn who_sees_others_writes_runs_tick_by_tick() {
        let program = check(
            run,
            &format!(
                "{HEAD} fn f0 \"Car\" (v0: i32, v1: i64, v2: i64) {{
                   v3 = load b0[v0]
                   v4 = load b2[v3]
                   v5 = load b1[v4]
                   store b1[v3] = v5
                 }}"
            ),
            "fn f0 \"Car\" (v0: i32, v1: i64, v2: i64) {
               var x0: i64
               v3 = load b0[v0]
               v6 = i64 1
               x0 = v1
               loop L0 {
                 v7 = x0
                 tick v7
                 v4 = load b2[v3]
                 v5 = load b1[v4]
                 store b1[v3] = v5
                 v8 = add v7, v6
                 x0 = v8
                 v9 = ge v8, v2
                 if v9 {
                   break L0
                 }
               }
             }",
        );
        assert!(!program.kernels[0].fused);
    }

    #[test]
    fn ids_are_found_wherever_they_are_read() {
        assert!(fused(
            "v3 = s0
             v4 = element
             if v3 { v5 = load b0[v0]; store b1[v5] = v1 } else { v6 = load b0[v4]; store b1[v6] = v2 }",
            "",
        ));
        let payload_of_64_bits = "b0 = base: i64
             b1 = base tag: i32
             b2 = column h0 \"@x\": i64 written
             entry f0
             fn f0 (v0: i32, v1: i64, v2: i64) {
               v3 = load b0[v0]; v4 = wrap_i64 v3; v5 = load b2[v4]; v6 = wrap_i64 v3; store b2[v6] = v5
             }";
        let mut program = crate::ir::parser::parse(payload_of_64_bits).unwrap();
        run(&mut program, &CancellationToken::default()).unwrap();
        crate::ir::verifier::verify(&program).unwrap();
        assert!(program.kernels[0].fused);
    }

    #[test]
    fn reading_others_is_free_where_nobody_writes() {
        assert!(fused("v3 = load b0[v0]; v4 = load b2[v3]; v5 = load b2[v4]; store b1[v3] = v1", ""));
    }

    #[test]
    fn results_do_not_matter() {
        assert!(fused("store b3[v0] = v1", ""));
    }

    #[test]
    fn one_entry_that_looks_at_others_is_enough() {
        let looks = "entry f1
             fn f1 (v0: i32, v1: i64, v2: i64) { v3 = load b0[v0]; v4 = load b2[v3]; v5 = load b1[v4] }";
        assert!(!fused("v3 = load b0[v0]; store b1[v3] = v1", looks));
    }

    #[test]
    fn called_functions_hide_whose_state_they_touch() {
        let call = "v3 = load b0[v0]; store b1[v3] = v1; call f1(v3)";
        assert!(!fused(call, "fn f1 (v0: i32) { call f2(v0) }\nfn f2 (v0: i32) { v1 = load b1[v0] }"));
        assert!(fused(call, "fn f1 (v0: i32) { v1 = load b2[v0] }"));
    }

    #[test]
    fn arrays_are_nobodys_own() {
        let text = "b0 = base: i32
             b1 = array_values a0: i64 written
             entry f0
             fn f0 (v0: i32, v1: i64, v2: i64) { v3 = load b0[v0]; store b1[v3] = v1 }";
        let mut program = crate::ir::parser::parse(text).unwrap();
        run(&mut program, &CancellationToken::default()).unwrap();
        assert!(!program.kernels[0].fused);
    }
}
