//! One variable where there were two: what the arms of a condition set last, and behind it is only read to set another
//! variable, they set in that one. Conditions in each other, as the clauses of a `case` are, then hand their value on once
//! and not from each to the one around it.
//!
//! ```text
//! if v1 { x0 = v2 } else { x0 = v3 }          if v1 { x1 = v2 } else { x1 = v3 }
//! v4 = x0
//! x1 = v4
//! ```
//!
//! From where an arm sets the inner variable, control goes straight to where the outer one is set: nothing can tell
//! which of the two it is.

use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::for_each;
use crate::ir::{Block, Function, Op, Program, Stmt, Var};
use crate::scalar::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    for function in &mut program.functions {
        token.check()?;
        self::function(function);
    }
    Ok(())
}

fn function(function: &mut Function) {
    let vars = function.vars.len();
    let mut unite = Unite {
        types: function.vars.clone(),
        same: (0..vars as u32).map(Var).collect(),
        gets: vec![0; vars],
        sets: vec![Vec::new(); vars],
        uses: vec![0; function.values.len()],
        at: 0,
        united: false,
    };
    let mut number = 0;
    for_each(&function.body, &mut |stmt| {
        stmt.for_each_operand(|value| unite.uses[value.0 as usize] += 1);
        match stmt {
            Stmt::Let { op: Op::Get(var), .. } => unite.gets[var.0 as usize] += 1,
            Stmt::Set(var, _) => {
                unite.sets[var.0 as usize].push(number);
                number += 1;
            }
            _ => {}
        }
    });
    unite.block(&mut function.body);
    if unite.united {
        unite.rename(&mut function.body);
    }
}

/// What control sets last on its way to the end of a block, on each way: the variables, and at how many places. `None`: it
/// does not get there.
type Last = Option<Vec<(Var, usize)>>;

struct Unite {
    /// Of the variables.
    types: Vec<Ty>,
    /// The variable that each one has become, or one that has become that.
    same: Vec<Var>,
    /// How often each variable is read.
    gets: Vec<usize>,
    /// Where each is set: the numbers of these statements, in the order of the text.
    sets: Vec<Vec<u32>>,
    /// How often each value is used.
    uses: Vec<usize>,
    /// How many statements that set have been passed.
    at: u32,
    united: bool,
}

impl Unite {
    fn now(&mut self, var: Var) -> Var {
        let mut root = var;
        while self.same[root.0 as usize] != root {
            root = self.same[root.0 as usize];
        }
        let mut next = var;
        while next != root {
            next = std::mem::replace(&mut self.same[next.0 as usize], root);
        }
        root
    }

    fn block(&mut self, block: &mut Block) -> Last {
        let mut gone = FxHashSet::default();
        // What the last condition sets last, as long as nothing but sets stands behind it.
        let mut last = Some(Vec::new());
        let mut i = 0;
        while i < block.len() {
            match &mut block[i] {
                Stmt::If { then, otherwise, .. } => {
                    let from = self.at;
                    let (then, otherwise) = (self.block(then), self.block(otherwise));
                    last = self.on_both(then, otherwise);
                    if let Some(last) = &mut last {
                        let within = from..self.at;
                        for offset in self.take_over(&block[i + 1..], last, &within) {
                            gone.insert(i + 1 + offset);
                        }
                    }
                }
                Stmt::Set(var, _) => {
                    self.at += 1;
                    let var = self.now(*var);
                    if let Some(last) = last.as_mut().filter(|_| !gone.contains(&i)) {
                        last.retain(|(other, _)| *other != var);
                        last.push((var, 1));
                    }
                }
                Stmt::Let { .. } if gone.contains(&i) => {}
                stmt => {
                    for inner in stmt.blocks_mut() {
                        self.block(inner);
                    }
                    last = stmt.completes().then(Vec::new);
                }
            }
            i += 1;
        }
        if !gone.is_empty() {
            let mut at = 0;
            block.retain(|_| {
                at += 1;
                !gone.contains(&(at - 1))
            });
        }
        last
    }

    /// What both ways set last.
    fn on_both(&mut self, one: Last, other: Last) -> Last {
        let (mut one, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => return one.or(other),
        };
        one.retain_mut(|(var, count)| {
            let var = self.now(*var);
            let there = other.iter().find(|(other, _)| self.now(*other) == var);
            there.map(|(_, more)| *count += more).is_some()
        });
        Some(one)
    }

    /// Finds the variables that `rest`, which stands behind a condition, sets to what the condition has set: these take
    /// the place of those. `within` are the statements in the condition that set. Gives which statements are to go.
    fn take_over(&mut self, rest: &[Stmt], last: &mut [(Var, usize)], within: &Range<u32>) -> Vec<usize> {
        let mut gone = Vec::new();
        if last.is_empty() {
            return gone;
        }
        let mut read = FxHashMap::default();
        let mut copies = Vec::new();
        let is_copy = |stmt: &&Stmt| matches!(stmt, Stmt::Let { op: Op::Get(_), .. } | Stmt::Set(..));
        for (offset, stmt) in rest.iter().take_while(is_copy).enumerate() {
            match stmt {
                Stmt::Let { value, op: Op::Get(var), .. } => {
                    read.insert(*value, (offset, self.now(*var)));
                }
                Stmt::Set(var, value) => copies.push((offset, self.now(*var), *value)),
                _ => {}
            }
        }
        for (number, &(offset, outer, value)) in (self.at..).zip(&copies) {
            let Some(&(read_at, inner)) = read.get(&value) else { continue };
            let is_touched = |var| {
                copies.iter().any(|copy| copy.0 != offset && copy.1 == var)
                    || read.iter().any(|(other, (_, of))| *other != value && *of == var)
            };
            let sets = self.sets[inner.0 as usize].len();
            let found = last.iter().position(|(var, count)| *var == inner && *count == sets);
            let Some(found) = found else { continue };
            if inner == outer
                || self.types[inner.0 as usize] != self.types[outer.0 as usize]
                || self.gets[inner.0 as usize] != 1
                || self.uses[value.0 as usize] != 1
                || is_touched(inner)
                || is_touched(outer)
                || self.sets[outer.0 as usize].iter().any(|at| within.contains(at))
            {
                continue;
            }
            self.become_one(inner, outer, number);
            last[found].0 = outer;
            gone.extend([read_at, offset]);
        }
        gone
    }

    /// The inner variable is the outer one, which is not set where it was, by the statement of that number.
    fn become_one(&mut self, inner: Var, outer: Var, number: u32) {
        self.united = true;
        self.same[inner.0 as usize] = outer;
        let mut some = std::mem::take(&mut self.sets[inner.0 as usize]);
        let mut more = std::mem::take(&mut self.sets[outer.0 as usize]);
        more.retain(|at| *at != number);
        if some.len() < more.len() {
            std::mem::swap(&mut some, &mut more);
        }
        some.extend(more);
        self.sets[outer.0 as usize] = some;
    }

    fn rename(&mut self, block: &mut Block) {
        for stmt in block {
            if let Stmt::Let { op: Op::Get(var), .. } | Stmt::Set(var, _) = stmt {
                *var = self.now(*var);
            }
            for inner in stmt.blocks_mut() {
                self.rename(inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[track_caller]
    fn body(before: &str, after: &str) {
        let head = "fn f0 \"\" (v0: bool, v1: i64, v2: i64) {\nvar x0: i64, x1: i64";
        check(run, &format!("{head}\n{before}\n}}"), &format!("{head}\n{after}\n}}"));
    }

    #[test]
    fn conditions_in_conditions_set_one_variable() {
        body(
            "if v0 {
               if v0 {
                 x0 = v1
               } else {
                 x0 = v2
               }
               v3 = x0
               x1 = v3
             } else {
               x1 = v2
             }
             v4 = x1
             tick v4",
            "if v0 {
               if v0 {
                 x1 = v1
               } else {
                 x1 = v2
               }
             } else {
               x1 = v2
             }
             v4 = x1
             tick v4",
        );
    }

    #[test]
    fn an_arm_that_does_not_get_there_sets_nothing() {
        body(
            "block L0 {
               if v0 {
                 x0 = v1
               } else {
                 break L0
               }
               v3 = x0
               x1 = v3
             }
             v4 = x1
             tick v4",
            "block L0 {
               if v0 {
                 x1 = v1
               } else {
                 break L0
               }
             }
             v4 = x1
             tick v4",
        );
    }

    #[test]
    fn what_is_set_on_one_way_only_stays() {
        let all = "x0 = v1
             if v0 {
               x0 = v2
             }
             v3 = x0
             x1 = v3
             v4 = x1
             tick v4";
        body(all, all);
    }

    #[test]
    fn what_is_left_before_the_end_stays() {
        let all = "block L0 {
               if v0 {
                 x0 = v1
                 if v0 {
                   break L0
                 }
               } else {
                 x0 = v2
               }
               v3 = x0
               x1 = v3
             }
             v4 = x1
             tick v4";
        body(all, all);
    }

    #[test]
    fn what_is_read_twice_or_handed_to_what_was_set_stays() {
        let twice = "if v0 {
               x0 = v1
             } else {
               x0 = v2
             }
             v3 = x0
             x1 = v3
             v4 = x0
             v5 = x1
             v6 = add v4, v5
             tick v6";
        body(twice, twice);
        let set = "if v0 {
               x0 = v1
               x1 = v1
             } else {
               x0 = v2
             }
             v3 = x0
             x1 = v3
             v4 = x1
             tick v4";
        body(set, set);
    }
}
