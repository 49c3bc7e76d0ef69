//! Dead-code elimination. Removes what has no effect: values and variables that nobody reads, code that is never
//! reached, blocks and branches that do nothing. What is left keeps its numbers. Functions that nobody calls any more are
//! empty ones without results.

use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::{any, breaks_to};
use crate::ir::{BinaryOp, Block, FuncId, Function, Label, Op, Program, Stmt, Value, ValueData};
use rustc_hash::FxHashSet;

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    program.functions.iter_mut().try_for_each(|function| self::function(function, token))?;
    let Some(driver) = program.driver else { return Ok(()) };
    let entries = program.kernels.iter().flat_map(|kernel| &kernel.entries).map(|entry| entry.function);
    let called = program.called_from(entries.chain([driver]));
    for (number, function) in program.functions.iter_mut().enumerate() {
        if !called.contains(&FuncId(number as u32)) {
            function.results.clear();
            function.vars.clear();
            function.values.truncate(function.params.len());
            function.body = Vec::new();
        }
    }
    Ok(())
}

pub(super) fn function(function: &mut Function, token: &CancellationToken) -> Result<(), Error> {
    while remove_unreachable(&mut function.body)
        | remove_unused(function, token)?
        | flatten(&mut function.body)
        | cut_tail(&mut function.body, &|stmt| *stmt == Stmt::Return(Vec::new()))
    {
        token.check()?;
    }
    Ok(())
}

/// The operation neither fails nor draws nor marks nor writes nor matches nor prints, so that it may go or be done more or less often.
pub(super) fn is_pure(op: &Op, values: &[ValueData]) -> bool {
    match op {
        Op::Random
        | Op::Watch { .. }
        | Op::Claim { .. }
        | Op::Match { .. }
        | Op::Print { .. }
        | Op::Intrinsic { .. }
        | Op::Group(_)
        | Op::Compact { .. }
        | Op::Append { .. }
        | Op::Lengthen { .. } => false,
        Op::Binary(BinaryOp::AddChecked | BinaryOp::SubChecked | BinaryOp::MulChecked, ..) => false,
        Op::Binary(BinaryOp::FloorDiv, a, b) => {
            let interval = |v: &crate::ir::Value| values[v.0 as usize].interval;
            !interval(a).contains(i64::MIN) || !interval(b).contains(-1)
        }
        _ => true,
    }
}

/// Statements that no control reaches.
fn remove_unreachable(block: &mut Block) -> bool {
    let mut changed = false;
    if let Some(last) = block.iter().position(|stmt| !stmt.completes()) {
        changed = block.len() > last + 1;
        block.truncate(last + 1);
    }
    for stmt in block {
        for inner in stmt.blocks_mut() {
            changed |= remove_unreachable(inner);
        }
    }
    changed
}

/// What the values and variables are that some effect depends on.
struct Live<'a> {
    values: Vec<bool>,
    vars: Vec<bool>,
    data: &'a [ValueData],
    /// Values that read a variable, which is no use of it.
    glances: &'a FxHashSet<Value>,
    changed: bool,
}

impl Live<'_> {
    /// Uses stand after definitions, so that one way back marks all values; only variables need further passes.
    fn mark(&mut self, block: &Block) {
        for stmt in block.iter().rev() {
            for inner in stmt.blocks() {
                self.mark(inner);
            }
            if !self.keeps(stmt) {
                continue;
            }
            stmt.for_each_operand(|value| self.values[value.0 as usize] = true);
            if let Stmt::Let { value, op: Op::Get(var), .. } = stmt
                && !self.glances.contains(value)
            {
                let live = &mut self.vars[var.0 as usize];
                self.changed |= !*live;
                *live = true;
            }
        }
    }

    fn keeps(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Let { value, op, .. } => self.values[value.0 as usize] || !is_pure(op, self.data),
            Stmt::Set(var, _) => self.vars[var.0 as usize],
            Stmt::If { then, otherwise, .. } => !then.is_empty() || !otherwise.is_empty(),
            _ => true,
        }
    }

    fn sweep(&mut self, block: &mut Block) {
        block.retain(|stmt| {
            let keep = self.keeps(stmt);
            self.changed |= !keep;
            keep
        });
        for stmt in block {
            for inner in stmt.blocks_mut() {
                self.sweep(inner);
            }
        }
    }
}

fn remove_unused(function: &mut Function, token: &CancellationToken) -> Result<bool, Error> {
    let mut live = Live {
        values: vec![false; function.values.len()],
        vars: vec![false; function.vars.len()],
        data: &function.values,
        glances: &FxHashSet::default(),
        changed: true,
    };
    while std::mem::take(&mut live.changed) {
        token.check()?;
        live.mark(&function.body);
    }
    live.sweep(&mut function.body);
    Ok(live.changed)
}

/// A question about values that is of use only if they are: it is false where nobody else reads any of them.
#[derive(Debug)]
pub struct Question {
    pub about: Vec<Value>,
    pub answer: Value,
}

/// Questions about values that nobody uses become false.
pub(in crate::ir) fn answer(function: &mut Function, questions: &[Question], glances: &FxHashSet<Value>) {
    if questions.is_empty() {
        return;
    }
    let mut live = Live {
        values: vec![false; function.values.len()],
        vars: vec![false; function.vars.len()],
        data: &function.values,
        glances,
        changed: true,
    };
    while std::mem::take(&mut live.changed) {
        live.mark(&function.body);
    }
    let is_unused = |question: &&Question| !question.about.iter().any(|value| live.values[value.0 as usize]);
    let unused: FxHashSet<Value> =
        questions.iter().filter(is_unused).map(|question| question.answer).collect();
    deny(&mut function.body, &unused);
}

fn deny(block: &mut Block, answers: &FxHashSet<Value>) {
    for stmt in block {
        if let Stmt::Let { value, op, .. } = stmt
            && answers.contains(value)
        {
            *op = Op::Bool(false);
        }
        for inner in stmt.blocks_mut() {
            deny(inner, answers);
        }
    }
}

/// Loops that run once become blocks, blocks that nothing leaves become part of theirs, jumps to where control goes
/// anyway disappear.
fn flatten(block: &mut Block) -> bool {
    let mut changed = false;
    for stmt in block.iter_mut() {
        if let Stmt::Loop { label, body } = stmt {
            let label = *label;
            changed |= cut_tail(body, &|stmt| *stmt == Stmt::Continue(label));
            let once = body.last() == Some(&Stmt::Break(label)) && !continues(body, label);
            if once {
                *stmt = Stmt::Block { label, body: std::mem::take(body) };
                changed = true;
            }
        }
        if let Stmt::Block { label, body } = stmt {
            let label = *label;
            changed |= cut_tail(body, &|stmt| *stmt == Stmt::Break(label));
        }
        for inner in stmt.blocks_mut() {
            changed |= flatten(inner);
        }
    }
    let mut at = 0;
    while at < block.len() {
        match &mut block[at] {
            Stmt::Block { label, body } if !breaks_to(body, *label) => {
                let body = std::mem::take(body);
                let len = body.len();
                block.splice(at..=at, body);
                at += len;
                changed = true;
            }
            _ => at += 1,
        }
    }
    changed
}

fn continues(block: &Block, label: Label) -> bool {
    any(block, &mut |stmt| *stmt == Stmt::Continue(label))
}

/// Removes such a jump where it is the last thing that the block does, on whichever way.
fn cut_tail(block: &mut Block, jump: &dyn Fn(&Stmt) -> bool) -> bool {
    let mut changed = false;
    while block.last().is_some_and(jump) {
        block.pop();
        changed = true;
    }
    if let Some(stmt @ (Stmt::If { .. } | Stmt::Block { .. })) = block.last_mut() {
        for inner in stmt.blocks_mut() {
            changed |= cut_tail(inner, jump);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;

    #[track_caller]
    fn body(before: &str, after: &str) {
        let head = "b0 = column h0 \"@x\": i64 written; s0 = root 0: bool; e0 = overflow \"+\"";
        let function = |body: &str| format!("fn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}");
        check(run, &format!("program random\n{head}\n{}", function(before)), &function(after));
    }

    #[test]
    fn values_that_nobody_reads_go() {
        body(
            "v3 = load b0[v0]
             v4 = add v3, v1
             v5 = mul v4, v4
             store b0[v0] = v3",
            "v3 = load b0[v0]
             store b0[v0] = v3",
        );
    }

    #[test]
    fn what_can_fail_or_draws_stays() {
        let all = "v3 = add_checked v1, v2 at e0
             v4 = random
             v5 = floor_div v1, v2 at e0
             v6 = s0
             check v6 at e0";
        body(all, all);
    }

    #[test]
    fn a_division_that_cannot_overflow_goes() {
        body("v3 = i64 2; v4 = floor_div v1, v3 at e0", "");
        body("v3 = i64 5; v4 = floor_div v3, v2 at e0", "");
    }

    #[test]
    fn variables_that_nobody_reads_go_with_what_they_were_set_to() {
        body(
            "x0 = v1
             x1 = v1
             loop L0 {
               v3 = x1
               v4 = add v3, v1
               x0 = v4
               x1 = v4
               v5 = lt v4, v2
               if v5 {
               } else {
                 break L0
               }
             }",
            "var x0: i64, x1: i64
             x1 = v1
             loop L0 {
               v3 = x1
               v4 = add v3, v1
               x1 = v4
               v5 = lt v4, v2
               if v5 {
               } else {
                 break L0
               }
             }",
        );
    }

    #[test]
    fn branches_that_do_nothing_go() {
        body("v3 = s0; if v3 { v4 = not v3; if v4 { v5 = add v1, v2; x0 = v5 } }", "var x0: i64");
    }

    #[test]
    fn what_is_not_reached_goes() {
        body(
            "v3 = s0
             if v3 {
               store b0[v0] = v1
               return
             } else {
               fail at e0
             }
             store b0[v0] = v2",
            "v3 = s0
             if v3 {
               store b0[v0] = v1
             } else {
               fail at e0
             }",
        );
        body("loop L0 { tick v1 }; store b0[v0] = v2", "loop L0 {\ntick v1\n}");
    }

    #[test]
    fn blocks_that_nothing_leaves_open_up() {
        body("block L0 { block L1 { tick v1 }; tick v2; break L0 }", "tick v1\ntick v2");
    }

    #[test]
    fn breaks_at_the_end_of_every_way_go() {
        body(
            "v3 = s0
             block L0 {
               if v3 {
                 tick v1
                 break L0
               } else {
                 block L1 {
                   tick v2
                   break L0
                 }
               }
             }
             tick v1",
            "v3 = s0
             if v3 {
               tick v1
             } else {
               tick v2
             }
             tick v1",
        );
    }

    #[test]
    fn a_break_out_of_the_middle_stays() {
        let all = "v3 = s0
             block L0 {
               if v3 {
                 break L0
               }
               tick v1
             }";
        body(all, all);
    }

    #[test]
    fn a_loop_that_runs_once_is_no_loop() {
        body("loop L0 { tick v1; break L0 }", "tick v1");
        let twice = "v3 = s0
             loop L0 {
               if v3 {
                 continue L0
               }
               tick v1
               break L0
             }";
        body(twice, twice);
    }

    #[test]
    fn a_continue_at_the_end_of_a_loop_goes() {
        body(
            "v3 = s0; loop L0 { tick v1; if v3 { continue L0 } else { break L0 } }",
            "v3 = s0
             loop L0 {
               tick v1
               if v3 {
               } else {
                 break L0
               }
             }",
        );
    }

    #[test]
    fn functions_that_nobody_calls_any_more_are_empty() {
        check(
            run,
            "entry f0
             driver f2
             fn f0 (v0: i32, v1: i64, v2: i64) { }
             fn f1 () -> i64 { v0 = i64 1; return v0 }
             fn f2 () { }",
            "fn f0 \"\" (v0: i32, v1: i64, v2: i64) {
             }
             fn f1 \"\" () {
             }
             fn f2 \"\" () {
             }",
        );
    }
}
