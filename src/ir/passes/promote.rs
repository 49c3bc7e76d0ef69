//! Copy propagation through variables. Replaces reads of them by the value that was set, where structure shows which
//! one that is: after a `Set` (or another read) in the same block or around it, with no `Set` between. Variables set
//! once lose all their reads so, as do those that are only set again after their last read.

use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::for_each;
use crate::ir::{Block, Op, Program, Stmt, Value, Var};

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    for function in &mut program.functions {
        token.check()?;
        let mut promoter = Promoter {
            replaced: (0..function.values.len() as u32).map(Value).collect(),
            known: vec![None; function.vars.len()],
            changes: Vec::new(),
            sets: Vec::new(),
        };
        promoter.block(&mut function.body);
    }
    Ok(())
}

struct Promoter {
    /// What stands for each value from its definition on.
    replaced: Vec<Value>,
    /// The value that each variable is known to have here.
    known: Vec<Option<Value>>,
    /// What `known` was before each change: a block's are undone at its end.
    changes: Vec<(Var, Option<Value>)>,
    /// The variables that have been set, in order.
    sets: Vec<Var>,
}

impl Promoter {
    fn learn(&mut self, var: Var, value: Option<Value>) {
        let known = &mut self.known[var.0 as usize];
        if *known != value {
            self.changes.push((var, *known));
            *known = value;
        }
    }

    fn block(&mut self, block: &mut Block) {
        block.retain_mut(|stmt| {
            stmt.for_each_operand_mut(|v| *v = self.replaced[v.0 as usize]);
            match stmt {
                Stmt::Let { value, op: Op::Get(var), .. } => {
                    if let Some(known) = self.known[var.0 as usize] {
                        self.replaced[value.0 as usize] = known;
                        return false;
                    }
                    self.learn(*var, Some(*value));
                }
                Stmt::Set(var, value) => {
                    if self.known[var.0 as usize] == Some(*value) {
                        return false;
                    }
                    self.sets.push(*var);
                    self.learn(*var, Some(*value));
                }
                Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Block { .. } => self.nested(stmt),
                _ => {}
            }
            true
        });
    }

    /// What is set inside is unknown afterwards, in a loop also at the start of each iteration. What becomes known
    /// inside may be a value that ends with its block, so it is forgotten.
    fn nested(&mut self, stmt: &mut Stmt) {
        if let Stmt::Loop { body, .. } = stmt {
            for_each(body, &mut |stmt| {
                if let Stmt::Set(var, _) = stmt {
                    self.learn(*var, None);
                }
            });
        }
        let first = self.sets.len();
        for block in stmt.blocks_mut() {
            let mark = self.changes.len();
            self.block(block);
            for (var, known) in self.changes.drain(mark..).rev() {
                self.known[var.0 as usize] = known;
            }
        }
        for index in first..self.sets.len() {
            self.learn(self.sets[index], None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;

    #[track_caller]
    fn body(before: &str, after: &str) {
        let function = |body: &str| {
            format!("fn f0 \"\" (v0: bool, v1: i64, v2: i64) {{\nvar x0: i64, x1: i64\n{body}\n}}")
        };
        check(run, &function(before), &function(after));
    }

    #[test]
    fn a_variable_set_once_is_its_value() {
        body(
            "x0 = v1
             loop L0 {
               v3 = x0
               tick v3
               if v0 { v4 = x0; tick v4; break L0 }
             }
             v5 = x0
             tick v5",
            "x0 = v1
             loop L0 {
               tick v1
               if v0 {
                 tick v1
                 break L0
               }
             }
             tick v1",
        );
    }

    #[test]
    fn a_read_before_the_set_of_a_loop_stays() {
        let all = "loop L0 {
               v3 = x0
               tick v3
               x0 = v1
             }";
        body(all, all);
    }

    #[test]
    fn a_set_in_an_arm_counts_only_there() {
        body(
            "x0 = v1
             if v0 { x0 = v2; v3 = x0; tick v3 } else { v4 = x0; tick v4 }
             v5 = x0
             tick v5",
            "x0 = v1
             if v0 {
               x0 = v2
               tick v2
             } else {
               tick v1
             }
             v5 = x0
             tick v5",
        );
    }

    #[test]
    fn reads_follow_the_last_set_of_a_block() {
        body(
            "x0 = v1
             v3 = x0
             x0 = v2
             v4 = x0
             v5 = add v3, v4
             x0 = v5
             v6 = x0
             tick v6",
            "x0 = v1
             x0 = v2
             v5 = add v1, v2
             x0 = v5
             tick v5",
        );
    }

    #[test]
    fn a_second_read_is_the_first() {
        body(
            "loop L0 { v3 = x0; v4 = x0; v5 = add v3, v4; x0 = v5 }",
            "loop L0 {
               v3 = x0
               v5 = add v3, v3
               x0 = v5
             }",
        );
    }

    #[test]
    fn a_variable_set_to_itself_is_not_set() {
        body("v3 = x0; x0 = v3; tick v3", "v3 = x0\ntick v3");
    }

    #[test]
    fn a_loop_forgets_what_it_sets() {
        let all = "x0 = v1
             x1 = v2
             loop L0 {
               v3 = x0
               tick v3
               x0 = v2
               if v0 {
                 break L0
               }
             }
             v4 = x0
             tick v4";
        body(all, all);
    }

    #[test]
    fn a_block_left_early_forgets_what_it_sets() {
        let all = "x0 = v1
             block L0 {
               if v0 {
                 break L0
               }
               x0 = v2
             }
             v4 = x0
             tick v4";
        body(all, all);
    }
}
