//! How elements touch each buffer. What may be reordered follows from that: the ticks of an element, if nobody else
//! sees its rows ([`super::passes::fuse_ticks`]); elements, if what is written is touched in the own row only or is
//! deferred.
//!
//! Elements touch a buffer in the *own row*, by *gather* (reads others' rows), *scatter* (writes them) or *accumulate*
//! (deferred). What has only own rows may be fused; `explain` shows it.

use super::effects::effects;
use super::passes::fuse_ticks::own_ids;
use super::{Block, Buffer, BufferKind, FuncId, Kernel, Op, Program, Stmt, Value, walk};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Ways of touching the rows of a buffer; several may be true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The element's own row is read or written.
    pub own: bool,
    /// Rows are read that may be another element's.
    pub gather: bool,
    /// Such rows are written.
    pub scatter: bool,
    /// They are changed by what is deferred ([`Stmt::Defer`]).
    pub accumulate: bool,
}

impl Access {
    /// No element sees what another one has.
    pub const fn is_private(self) -> bool {
        !self.gather && !self.scatter && !self.accumulate
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { own, gather, scatter, accumulate } = *self;
        let all = [(own, "own row"), (gather, "gather"), (scatter, "scatter"), (accumulate, "accumulate")];
        let words: Vec<&str> = all.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        f.write_str(&words.join(", "))
    }
}

/// Of all buffers that are touched, by any kernel.
pub fn accesses(program: &Program) -> BTreeMap<Buffer, Access> {
    let mut all: BTreeMap<Buffer, Access> = BTreeMap::new();
    for kernel in &program.kernels {
        for (buffer, access) in accesses_of(program, kernel) {
            let known = all.entry(buffer).or_default();
            known.own |= access.own;
            known.gather |= access.gather;
            known.scatter |= access.scatter;
            known.accumulate |= access.accumulate;
        }
    }
    all
}

/// Of all buffers that a kernel touches. Called functions do not know whose rows they are given.
pub fn accesses_of(program: &Program, kernel: &Kernel) -> BTreeMap<Buffer, Access> {
    let mut all: BTreeMap<Buffer, Access> = BTreeMap::new();
    let deferred = program.deferred();
    let own_functions = program.called_from(kernel.entries.iter().map(|entry| entry.function));
    let effects = effects(program);
    for id in own_functions {
        let (number, function) = (id.0 as usize, &program.functions[id.0 as usize]);
        if deferred.contains(&id) {
            for buffer in effects[number].writes.iter().chain(&effects[number].reads) {
                if program.buffers[buffer.0 as usize].written {
                    all.entry(*buffer).or_default().accumulate = true;
                }
            }
            continue;
        }
        let is_entry = kernel.entries.iter().any(|entry| entry.function == id);
        let ids = if is_entry { own_ids(&function.body, &program.buffers) } else { Vec::new() };
        let mut touch = |buffer: Buffer, index: Value, write: bool| {
            let own = match program.buffers[buffer.0 as usize].kind {
                BufferKind::Column { .. } | BufferKind::Frozen(_) | BufferKind::Places(_) => {
                    ids.contains(&index)
                }
                // By element index.
                BufferKind::Base(..)
                | BufferKind::Beside(..)
                | BufferKind::Result(..)
                | BufferKind::Given(..)
                | BufferKind::Kept
                | BufferKind::Accumulator(..)
                | BufferKind::AccumulatorTick(_)
                | BufferKind::FirstSame(_) => is_entry && index == Value(0),
                // Each thread sees its own.
                BufferKind::ResultWords | BufferKind::KernelWords | BufferKind::Scratch => true,
                _ => false,
            };
            let access = all.entry(buffer).or_default();
            access.own |= own;
            access.gather |= !own && !write;
            access.scatter |= !own && write;
        };
        walk::for_each(&function.body, &mut |stmt| match stmt {
            Stmt::Let {
                op:
                    Op::Load(buffer, index)
                    | Op::Match { words: buffer, first: index, .. }
                    | Op::Print { words: buffer, first: index, .. },
                ..
            } => touch(*buffer, *index, false),
            Stmt::Let { op: op @ Op::Intrinsic { texts, .. }, .. } => {
                for (at, (words, first)) in texts.iter().enumerate() {
                    touch(*words, *first, at == 0 && op.written_text().is_some());
                }
            }
            Stmt::Store { buffer, index, .. } => touch(*buffer, *index, true),
            Stmt::Let { op: Op::Watch { marks, row, write, .. }, .. } => touch(*marks, *row, *write),
            Stmt::Let { op: Op::Claim { ends, count }, .. } => touch(*ends, *count, true),
            _ => {}
        });
    }
    all
}

/// Columns that a driver's own loops touch, those without launches in them: one row after the other, each by a call.
pub fn touched_by_driver_loops(program: &Program) -> BTreeSet<Buffer> {
    let mut touched = BTreeSet::new();
    let mut functions: Vec<(FuncId, bool)> =
        program.driver.map(|driver| (driver, false)).into_iter().collect();
    let mut known = BTreeSet::new();
    while let Some((function, in_loop)) = functions.pop() {
        if known.insert((function, in_loop)) {
            let body = &program.functions[function.0 as usize].body;
            touch(body, in_loop, &mut touched, &mut functions);
        }
    }
    touched
}

fn launches(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Launch { .. }) || stmt.blocks().flatten().any(launches)
}

fn touch(block: &Block, in_loop: bool, touched: &mut BTreeSet<Buffer>, functions: &mut Vec<(FuncId, bool)>) {
    for stmt in block {
        if let Stmt::Call { function, .. } = stmt {
            functions.push((*function, in_loop));
        }
        if in_loop {
            stmt.for_each_buffer(|buffer| {
                touched.insert(buffer);
            });
        }
        let in_loop = in_loop || matches!(stmt, Stmt::Loop { .. }) && !launches(stmt);
        stmt.blocks().for_each(|block| touch(block, in_loop, touched, functions));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parser::parse;

    #[test]
    fn all_ways_are_told_apart() {
        let program = parse(
            r#"
            b0 = base: i32
            b1 = column h0 "@own": i64 written
            b2 = column h0 "@read": i64 written
            b3 = column h0 "@other": i32
            b4 = array_values a0: i64 written
            b5 = column h0 "@sum": i64 written
            b6 = column h0 "@called": i64
            entry f0
            fn f0 (v0: i32, v1: i64, v2: i64) {
              v3 = load b0[v0]
              v4 = load b1[v3]
              v5 = load b3[v3]
              v6 = load b2[v5]
              store b2[v3] = v6
              store b4[v5] = v4
              defer f1(v5, v4)
              call f2(v3)
            }
            fn f1 (v0: i32, v1: i64) { v2 = load b5[v0]; v3 = add v2, v1; store b5[v0] = v3 }
            fn f2 (v0: i32) { v1 = load b6[v0] }
            "#,
        )
        .unwrap();
        let texts: Vec<String> = accesses(&program).values().map(ToString::to_string).collect();
        let expected =
            ["own row", "own row", "own row, gather", "own row", "scatter", "accumulate", "gather"];
        assert_eq!(texts, expected);
    }
}
