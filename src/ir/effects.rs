//! What a function reads and writes, its callees included.

use super::{Buffer, FuncId, Op, Program, Stmt, walk};
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    pub reads: BTreeSet<Buffer>,
    pub writes: BTreeSet<Buffer>,
}

impl Effects {
    pub fn touches(&self, buffer: Buffer) -> bool {
        self.reads.contains(&buffer) || self.writes.contains(&buffer)
    }
}

/// One for each function, in order.
pub fn effects(program: &Program) -> Vec<Effects> {
    effects_without(program, &BTreeSet::new())
}

/// The same, where some functions count for nothing when they are called.
pub fn effects_without(program: &Program, excepted: &BTreeSet<FuncId>) -> Vec<Effects> {
    let mut callees = Vec::new();
    let mut effects: Vec<Effects> = Vec::new();
    for function in &program.functions {
        let mut own = Effects::default();
        let mut calls = BTreeSet::new();
        walk::for_each(&function.body, &mut |stmt| match stmt {
            Stmt::Let {
                op: Op::Load(buffer, _) | Op::Match { words: buffer, .. } | Op::Print { words: buffer, .. },
                ..
            } => {
                own.reads.insert(*buffer);
            }
            Stmt::Store { buffer, .. }
            | Stmt::Let {
                op:
                    Op::Watch { marks: buffer, .. } | Op::Claim { ends: buffer, .. } | Op::Lengthen { buffer, .. },
                ..
            } => {
                own.writes.insert(*buffer);
            }
            Stmt::Let { op: op @ Op::Intrinsic { texts, .. }, .. } => {
                own.reads.extend(texts.iter().map(|(words, _)| *words));
                own.writes.extend(op.written_text());
            }
            Stmt::Let { op: Op::Compact { flags, indices }, .. } => {
                own.reads.insert(*flags);
                own.writes.insert(*indices);
            }
            Stmt::Let { op: Op::Append { from, given, into, .. }, .. } => {
                own.reads.extend(from.payload.iter().chain(&from.tag).chain(given));
                own.writes.extend(into.items.payload.iter().chain(&into.items.tag));
                own.writes.extend([into.offset, into.length]);
            }
            Stmt::Over { own: items, first_same, sized, .. } => {
                own.reads.extend(items.iter().flat_map(|items| items.payload.iter().chain(&items.tag)));
                own.writes.extend(first_same.iter().chain(sized));
            }
            Stmt::Copy { from, into, .. } => {
                own.reads.insert(*from);
                own.writes.insert(*into);
            }
            Stmt::Reduce { column, given, .. } => {
                own.reads.insert(*column);
                own.reads.extend(given);
            }
            Stmt::Call { function, .. } | Stmt::Defer { function, .. } if !excepted.contains(function) => {
                calls.insert(function.0 as usize);
            }
            _ => {}
        });
        effects.push(own);
        callees.push(calls);
    }
    // A fixpoint, for functions may call each other in circles.
    loop {
        let mut changed = false;
        for caller in 0..effects.len() {
            for &callee in &callees[caller] {
                let Effects { reads, writes } = effects[callee].clone();
                let own = &mut effects[caller];
                let before = own.reads.len() + own.writes.len();
                own.reads.extend(reads);
                own.writes.extend(writes);
                changed |= own.reads.len() + own.writes.len() > before;
            }
        }
        if !changed {
            return effects;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parser::parse;

    #[test]
    fn callees_count_even_in_circles() {
        let program = parse(
            r#"
            b0 = column h0 "@a": i64
            b1 = column h0 "@b": i64 written
            b2 = column h0 "@c": i64
            fn f0 (v0: i32) { if v1 { loop L0 { v2 = load b0[v0]; call f1(v0) } } }
            fn f1 (v0: i32) { call f2(v0); call f0(v0) }
            fn f2 (v0: i32) { v1 = i64 1; store b1[v0] = v1 }
            fn f3 (v0: i32) { v1 = load b2[v0] }
            "#,
        )
        .unwrap();
        let all = effects(&program);
        let both = Effects { reads: [Buffer(0)].into(), writes: [Buffer(1)].into() };
        assert_eq!(all[0], both);
        assert_eq!(all[1], both);
        assert_eq!(all[2], Effects { reads: [].into(), writes: [Buffer(1)].into() });
        assert!(all[3].touches(Buffer(2)) && !all[3].touches(Buffer(1)));
    }
}
