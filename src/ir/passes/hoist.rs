//! Loop-invariant code motion. Moves what is the same in every iteration of a loop before it: constants, arithmetic,
//! and reads of buffers that nobody writes. Nothing that fails is moved, since errors must come in the order of ticks,
//! and nothing that is not done in every iteration's straight line.
//!
//! A load (or a division) is right only where the checks before it have passed: an index is known to be in range only
//! after its check. So these move only when nothing between the loop's start and them can leave that line. An element's
//! own instance variables are always there.

use super::eliminate::is_pure;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::any;
use crate::ir::{BinaryOp, Block, BufferInfo, BufferKind, Op, Program, Stmt, UnaryOp, Value, ValueData};
use std::rc::Rc;

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    let entries: Vec<u32> = program.entries().map(|e| e.function.0).collect();
    let changed = changed_in(program);
    for (i, function) in program.functions.iter_mut().enumerate() {
        token.check()?;
        let mut outside = vec![false; function.values.len()];
        outside[..function.params.len()].fill(true);
        let own_ids = if entries.contains(&(i as u32))
            && !super::fuse_ticks::mixes_elements(&function.body, &program.buffers)
        {
            super::fuse_ticks::own_ids(&function.body, &program.buffers)
        } else {
            Vec::new()
        };
        let mut hoister = Hoister {
            buffers: &program.buffers,
            syncs: any(&function.body, &mut |stmt| matches!(stmt, Stmt::Sync(_))),
            changed: changed[i].as_deref(),
            values: &function.values,
            own_ids,
            outside,
        };
        hoister.block(&mut function.body);
    }
    Ok(())
}

/// By function, if only one kernel calls it: what may change while it runs.
fn changed_in(program: &Program) -> Vec<Option<Rc<[bool]>>> {
    let mut all: Vec<Option<Rc<[bool]>>> = vec![None; program.functions.len()];
    let mut called = program.drivers();
    for kernel in &program.kernels {
        let changed: Rc<[bool]> = program.changed_by(kernel).into();
        for id in program.called_from(kernel.entries.iter().map(|entry| entry.function)) {
            let is_first = called.insert(id);
            all[id.0 as usize] = is_first.then(|| Rc::clone(&changed));
        }
    }
    all
}

struct Hoister<'a> {
    buffers: &'a [BufferInfo],
    /// Whatever is loaded may be something else later.
    syncs: bool,
    /// Those that the only kernel which calls the function writes.
    changed: Option<&'a [bool]>,
    values: &'a [ValueData],
    own_ids: Vec<Value>,
    /// Values defined before the place being looked at.
    outside: Vec<bool>,
}

impl Hoister<'_> {
    /// Inner loops come first: what leaves them may leave the outer ones too.
    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.len() {
            for value in block[at].definitions() {
                self.outside[value.0 as usize] = true;
            }
            let stmt = &mut block[at];
            for inner in stmt.blocks_mut() {
                self.block(inner);
            }
            // What is defined inside stays visible to nobody here; its marks must not say otherwise.
            for inner in stmt.blocks() {
                self.forget(inner);
            }
            let mut hoisted = Vec::new();
            if let Stmt::Loop { body, .. } = stmt {
                self.line(body, &mut false, &mut hoisted);
            }
            let len = hoisted.len();
            block.splice(at..at, hoisted);
            at += len + 1;
        }
    }

    fn forget(&mut self, block: &Block) {
        crate::ir::walk::for_each(block, &mut |stmt| {
            for value in stmt.definitions() {
                self.outside[value.0 as usize] = false;
            }
        });
    }

    /// Takes out of a block that every iteration goes through what does not change from iteration to iteration.
    /// `checked`: some statement before may leave the line.
    fn line(&mut self, block: &mut Block, checked: &mut bool, hoisted: &mut Vec<Stmt>) {
        let mut rest = Vec::with_capacity(block.len());
        for mut stmt in block.drain(..) {
            match &mut stmt {
                Stmt::Let { value, op, .. } => {
                    let same = op.operands().iter().all(|v| self.outside[v.0 as usize]);
                    if same && self.may_move(op, *checked) {
                        self.outside[value.0 as usize] = true;
                        hoisted.push(stmt);
                        continue;
                    }
                }
                Stmt::Block { body, .. } => self.line(body, checked, hoisted),
                stmt => *checked |= may_leave(stmt),
            }
            rest.push(stmt);
        }
        *block = rest;
    }

    fn may_move(&self, op: &Op, checked: bool) -> bool {
        match op {
            Op::Get(_) | Op::Tick | Op::Path => false,
            Op::Load(buffer, index) => {
                let BufferInfo { kind, written, .. } = &self.buffers[buffer.0 as usize];
                let own = matches!(kind, BufferKind::Column { .. } | BufferKind::Frozen(_))
                    && self.own_ids.contains(index);
                let written = self.changed.map_or(*written, |changed| changed[buffer.0 as usize]);
                !written && !self.syncs && (own || !checked)
            }
            Op::Binary(BinaryOp::FloorDiv | BinaryOp::FloorMod | BinaryOp::TruncRem, _, divisor)
            | Op::WideMod([.., divisor]) => {
                is_pure(op, self.values)
                    && (!checked || !self.values[divisor.0 as usize].interval.contains(0))
            }
            Op::Unary(UnaryOp::F64ToI64, _) => !checked,
            _ => is_pure(op, self.values),
        }
    }
}

/// The statement may keep control from what comes after it, or prove something to it.
fn may_leave(stmt: &Stmt) -> bool {
    let mut leaves = |stmt: &Stmt| {
        stmt.is_terminator() || matches!(stmt, Stmt::Check { .. } | Stmt::Call { .. } | Stmt::Loop { .. })
    };
    leaves(stmt) || stmt.blocks().any(|block| any(block, &mut leaves))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;

    #[track_caller]
    fn body(before: &str, after: &str) {
        let head = r#"
            b0 = base: i32
            b1 = column h0 "@x": i64
            b2 = column h0 "@y": i64 written
            b3 = array_values a0: i64
            e0 = overflow "+"
            entry f0
        "#;
        let function = |body: &str| format!("fn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}");
        check(run, &format!("{head}\n{}", function(before)), &function(after));
    }

    #[test]
    fn what_is_the_same_in_every_round_moves() {
        body(
            "v3 = load b0[v0]
             loop L0 {
               tick v1
               v4 = i64 3
               v5 = load b1[v3]
               v6 = mul v4, v5
               tick v6
             }",
            "v3 = load b0[v0]
             v4 = i64 3
             v5 = load b1[v3]
             v6 = mul v4, v5
             loop L0 {
               tick v1
               tick v6
             }",
        );
    }

    #[test]
    fn what_changes_stays() {
        let all = "var x0: i64
             v3 = load b0[v0]
             loop L0 {
               v4 = x0
               v5 = tick
               v6 = load b2[v3]
               v7 = add v4, v5
               v8 = add v7, v6
               x0 = v8
               store b2[v3] = v8
             }";
        body(all, all);
    }

    #[test]
    fn what_fails_stays_in_its_tick() {
        let all = "loop L0 {
               v3 = add_checked v1, v2 at e0
               v4 = lt v3, v1
               check v4 at e0
             }";
        body(all, all);
    }

    #[test]
    fn a_load_stays_behind_its_check() {
        body(
            "v3 = load b0[v0]
             loop L0 {
               v4 = lt v1, v2
               check v4 at e0
               v5 = wrap_i64 v1
               v6 = load b3[v5]
               v7 = load b1[v3]
               v8 = floor_mod v1, v2
               v9 = i64 8
               v10 = floor_mod v1, v9
               tick v6; tick v7; tick v8; tick v10
             }",
            "v3 = load b0[v0]
             v4 = lt v1, v2
             v5 = wrap_i64 v1
             v7 = load b1[v3]
             v9 = i64 8
             v10 = floor_mod v1, v9
             loop L0 {
               check v4 at e0
               v6 = load b3[v5]
               v8 = floor_mod v1, v2
               tick v6
               tick v7
               tick v8
               tick v10
             }",
        );
    }

    #[test]
    fn things_leave_nested_loops_and_blocks_but_not_branches() {
        body(
            "v3 = lt v1, v2
             loop L0 {
               block L1 {
                 loop L2 {
                   v4 = add v1, v2
                   tick v4
                   if v3 {
                     v5 = add v4, v4
                     tick v5
                     break L2
                   }
                 }
                 if v3 { break L1 }
               }
             }",
            "v3 = lt v1, v2
             v4 = add v1, v2
             loop L0 {
               block L1 {
                 loop L2 {
                   tick v4
                   if v3 {
                     v5 = add v4, v4
                     tick v5
                     break L2
                   }
                 }
                 if v3 {
                   break L1
                 }
               }
             }",
        );
    }
}
