//! Takes out tests whose answer is known: from a test before them that had to pass, or from that around them.
//!
//! ```text
//! v3 = lt_u v1, v2            v3 = lt_u v1, v2
//! check v3 at e0              check v3 at e0
//! v4 = lt v1, v2
//! if v4 { a } else { b }      a
//! ```
//!
//! So what is read at an index and then written there (`counts[i] += 1`) is asked for its place once. What that leaves
//! behind goes, too.

use super::eliminate;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::for_each;
use crate::ir::{BinaryOp, Block, Comparison, Function, Op, Program, Stmt, UnaryOp, Value};
use crate::scalar::Ty;

/// So many of the last facts are looked at.
const MOST: usize = 32;

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    for function in &mut program.functions {
        token.check()?;
        let mut known = Known { definitions: vec![None; function.values.len()], function, facts: Vec::new() };
        for_each(&known.function.body, &mut |stmt| {
            if let Stmt::Let {
                value,
                op: op @ (Op::I64(_) | Op::I32(_) | Op::Compare(..) | Op::Unary(..)),
                ..
            }
            | Stmt::Let { value, op: op @ Op::Binary(BinaryOp::AndB | BinaryOp::OrB, ..), .. } = stmt
            {
                known.definitions[value.0 as usize] = Some(op.clone());
            }
        });
        let mut body = function.body.clone();
        known.block(&mut body);
        function.body = body;
    }
    eliminate::run(program, token)
}

/// What two integers may be to each other: less, equal, greater.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const ANY: u8 = LESS | EQUAL | GREATER;

struct Known<'a> {
    function: &'a Function,
    /// Constants and conditions, by value.
    definitions: Vec<Option<Op>>,
    /// Conditions that hold here, or do not.
    facts: Vec<(Value, bool)>,
}

impl Known<'_> {
    fn block(&mut self, block: &mut Block) {
        let outer = self.facts.len();
        let mut at = 0;
        while at < block.len() {
            match &mut block[at] {
                Stmt::If { condition, then, otherwise } => {
                    let condition = *condition;
                    if let Some(holds) = self.holds(condition) {
                        let taken = std::mem::take(if holds { then } else { otherwise });
                        block.splice(at..=at, taken);
                        continue;
                    }
                    for (branch, holds) in [(&mut *then, true), (&mut *otherwise, false)] {
                        self.facts.push((condition, holds));
                        self.block(branch);
                        self.facts.pop();
                    }
                    match (ends(then), ends(otherwise)) {
                        (true, false) => self.facts.push((condition, false)),
                        (false, true) => self.facts.push((condition, true)),
                        _ => {}
                    }
                }
                Stmt::Check { condition, .. } => {
                    let condition = *condition;
                    if self.holds(condition) == Some(true) {
                        block.remove(at);
                        continue;
                    }
                    self.facts.push((condition, true));
                }
                stmt => {
                    for inner in stmt.blocks_mut() {
                        self.block(inner);
                    }
                }
            }
            at += 1;
        }
        self.facts.truncate(outer);
    }

    fn definition(&self, value: Value) -> Option<&Op> {
        self.definitions[value.0 as usize].as_ref()
    }

    fn is_integer(&self, value: Value) -> bool {
        matches!(self.function.values[value.0 as usize].ty, Ty::I32 | Ty::I64)
    }

    /// At least 0, whatever has been tested.
    fn is_natural(&self, value: Value) -> bool {
        self.function.values[value.0 as usize].interval.low >= 0
    }

    fn holds(&self, condition: Value) -> Option<bool> {
        let facts = self.facts.iter().rev().take(MOST);
        if let Some((_, holds)) = facts.clone().find(|(known, _)| *known == condition) {
            return Some(*holds);
        }
        match self.definition(condition)? {
            Op::Unary(UnaryOp::Not, inner) => self.holds(*inner).map(|holds| !holds),
            Op::Compare(comparison, a, b) if self.is_integer(*a) => {
                let (mut may, mut natural) = (ANY, self.is_natural(*a));
                for (known, holds) in facts {
                    let (within, is_natural) = self.relation(*known, *holds, (*a, *b));
                    may &= within;
                    natural |= is_natural;
                }
                let natural_limit = matches!(self.definition(*b), Some(Op::I64(..=0) | Op::I32(..=0)));
                if natural && natural_limit {
                    may &= if self.is_zero(*b) { EQUAL | GREATER } else { GREATER };
                }
                let wanted = match comparison {
                    Comparison::LtU if natural && self.is_natural(*b) => LESS,
                    Comparison::LtU => return None,
                    other => relations(*other),
                };
                match (may & wanted, may & !wanted) {
                    (0, 0) => None,
                    (0, _) => Some(false),
                    (_, 0) => Some(true),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is_zero(&self, value: Value) -> bool {
        matches!(self.definition(value), Some(Op::I64(0) | Op::I32(0)))
    }

    /// What a fact says of two integers, and whether the first is at least 0.
    fn relation(&self, condition: Value, holds: bool, (a, b): (Value, Value)) -> (u8, bool) {
        match self.definition(condition) {
            Some(Op::Unary(UnaryOp::Not, inner)) => self.relation(*inner, !holds, (a, b)),
            Some(Op::Binary(op @ (BinaryOp::AndB | BinaryOp::OrB), x, y))
                if holds == (*op == BinaryOp::AndB) =>
            {
                let (first, second) = (self.relation(*x, holds, (a, b)), self.relation(*y, holds, (a, b)));
                (first.0 & second.0, first.1 || second.1)
            }
            // Below what is no less than 0, as if both had no sign.
            Some(Op::Compare(Comparison::LtU, x, y))
                if self.is_natural(*y) && (holds || self.is_natural(*x)) =>
            {
                let within = if holds { LESS } else { EQUAL | GREATER };
                (between((*x, *y), within, (a, b)), holds && *x == a)
            }
            Some(Op::Compare(Comparison::LtU, ..)) => (ANY, false),
            Some(Op::Compare(comparison, x, y)) if self.is_integer(*x) => {
                let within = if holds { relations(*comparison) } else { ANY & !relations(*comparison) };
                let natural = *x == a && self.is_natural(*y) && within & LESS == 0;
                (between((*x, *y), within, (a, b)), natural)
            }
            _ => (ANY, false),
        }
    }
}

/// What a relation of two values says of two others.
fn between((x, y): (Value, Value), within: u8, (a, b): (Value, Value)) -> u8 {
    if (x, y) == (a, b) {
        within
    } else if (y, x) == (a, b) {
        let turned = [(LESS, GREATER), (EQUAL, EQUAL), (GREATER, LESS)];
        turned.iter().filter(|(from, _)| within & from != 0).map(|(_, to)| to).sum()
    } else {
        ANY
    }
}

/// Where a comparison of integers with signs holds.
const fn relations(comparison: Comparison) -> u8 {
    match comparison {
        Comparison::Eq => EQUAL,
        Comparison::Ne => LESS | GREATER,
        Comparison::Lt | Comparison::LtU => LESS,
        Comparison::Le => LESS | EQUAL,
        Comparison::Gt => GREATER,
        Comparison::Ge => GREATER | EQUAL,
    }
}

/// Does nothing come behind it?
fn ends(block: &Block) -> bool {
    matches!(block.last(), Some(Stmt::Fail { .. } | Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;

    #[track_caller]
    fn changed(body: &str, after: &str) {
        let head = "b0 = column h0 \"@x\": i64 written
            e0 = index_too_small
            entry f0";
        let text = format!("{head}\nfn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}");
        check(run, &text, &format!("fn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{after}\n}}"));
    }

    #[test]
    fn what_was_checked_is_asked_once() {
        changed(
            "v3 = load b0[v0]; v4 = i64 9; v5 = lt_u v3, v4; v6 = not v5; if v6 { fail at e0 }
             v7 = i64 0; v8 = ge v3, v7; check v8 at e0 with v3, v4; v9 = le v3, v4; check v9 at e0 with v3, v4
             v10 = gt v4, v3; if v10 { store b0[v0] = v4 } else { store b0[v0] = v7 }",
            "v3 = load b0[v0]
             v4 = i64 9
             v5 = lt_u v3, v4
             v6 = not v5
             if v6 {
               fail at e0
             }
             store b0[v0] = v4",
        );
    }

    #[test]
    fn branches_know_what_they_are_for() {
        changed(
            "v3 = load b0[v0]; v4 = lt v3, v1; if v4 { v5 = ge v3, v1; if v5 { store b0[v0] = v1 } else { return } }
             v6 = ge v3, v1; if v6 { store b0[v0] = v2 } else { store b0[v0] = v1 }",
            "v3 = load b0[v0]
             v4 = lt v3, v1
             if v4 {
               return
             }
             store b0[v0] = v2",
        );
    }
}
