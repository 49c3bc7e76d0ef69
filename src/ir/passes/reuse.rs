//! Tells a driver which of the arrays that it has made are needed no more: they give their place to later ones, or a
//! loop that makes an array of the one before would need ever more memory. There is no collector, as nobody would find
//! numbers of arrays in machine code; the compiler says what is live. Where values of a kind of arrays are nowhere in
//! columns, lists or what kernels give (`append … local`, known by types), and no function makes such arrays, all their
//! numbers are in values and variables of the driver.
//!
//! The last pass finds those that are live behind each `append` and are such a number or computed of one, as a place in
//! its items is: they are its operands (`keeping`). The host (`Room` in `driver/arrays.rs`) keeps the arrays that they
//! name, by their number or by a place within, puts the new one into the first room between them, and forgets which
//! copies of what was there bases are. What is no number and looks like one keeps an array too many, which is no harm.
//! This is backward liveness over structured control flow, to a fixpoint in loops.

use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::for_each;
use crate::ir::{Block, Buffer, Function, Label, Op, Program, Stmt, Value, ValueData, Var};
use crate::scalar::{Interval, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    let Some(driver) = program.driver else { return Ok(()) };
    let mut elsewhere = FxHashSet::default();
    let mut kinds: Vec<Buffer> = Vec::new();
    for (number, function) in program.functions.iter().enumerate() {
        for_each(&function.body, &mut |stmt| {
            if let Stmt::Let { op: Op::Append { into, local, .. }, .. } = stmt {
                if number != driver.0 as usize || !local {
                    elsewhere.insert(into.offset);
                } else if !kinds.contains(&into.offset) {
                    kinds.push(into.offset);
                }
            }
        });
    }
    kinds.retain(|kind| !elsewhere.contains(kind));
    if kinds.is_empty() {
        return Ok(());
    }
    let function = &mut program.functions[driver.0 as usize];
    let mut finder = Finder::default();
    finder.block(&function.body, Live::default());
    token.check()?;
    for kind in kinds {
        let derived = Derived::of(function, kind);
        let mut body = std::mem::take(&mut function.body);
        tell(&mut body, function, kind, &derived, &finder.appends);
        function.body = body;
    }
    Ok(())
}

/// What is needed later.
#[derive(Clone, Debug, Default, PartialEq)]
struct Live {
    values: FxHashSet<Value>,
    vars: FxHashSet<Var>,
}

impl Live {
    /// True if it grew.
    fn extend(&mut self, other: &Self) -> bool {
        let before = (self.values.len(), self.vars.len());
        self.values.extend(&other.values);
        self.vars.extend(&other.vars);
        before != (self.values.len(), self.vars.len())
    }
}

#[derive(Default)]
struct Finder {
    /// Where `break` and `continue` lead, by label.
    ways: FxHashMap<Label, (Live, Live)>,
    /// What is live at the head of each loop, as far as it is known. A loop in another is met again when more is live
    /// behind it; what was live then still is, so that it goes on from there.
    heads: FxHashMap<Label, Live>,
    /// What is live behind each append, by what it gives.
    appends: FxHashMap<Value, Live>,
}

impl Finder {
    /// What is live before a block, of what is behind it.
    fn block(&mut self, block: &Block, mut live: Live) -> Live {
        for stmt in block.iter().rev() {
            self.stmt(stmt, &mut live);
        }
        live
    }

    fn stmt(&mut self, stmt: &Stmt, live: &mut Live) {
        match stmt {
            Stmt::If { then, otherwise, .. } => {
                let other = self.block(otherwise, live.clone());
                *live = self.block(then, std::mem::take(live));
                live.extend(&other);
            }
            Stmt::Block { label, body } => {
                self.ways.insert(*label, (live.clone(), Live::default()));
                *live = self.block(body, std::mem::take(live));
            }
            Stmt::Loop { label, body } => {
                let behind = std::mem::take(live);
                *live = self.heads.remove(label).unwrap_or_default();
                loop {
                    self.ways.insert(*label, (behind.clone(), live.clone()));
                    let head = self.block(body, live.clone());
                    if !live.extend(&head) {
                        break;
                    }
                }
                self.heads.insert(*label, live.clone());
            }
            Stmt::Break(label) => *live = self.ways[label].0.clone(),
            Stmt::Continue(label) => *live = self.ways[label].1.clone(),
            Stmt::Return(_) | Stmt::Fail { .. } => *live = Live::default(),
            Stmt::Set(var, _) => {
                live.vars.remove(var);
            }
            Stmt::Let { value, op, .. } => {
                live.values.remove(value);
                match op {
                    Op::Get(var) => {
                        live.vars.insert(*var);
                    }
                    Op::Append { .. } => {
                        self.appends.entry(*value).or_default().extend(live);
                    }
                    _ => {}
                }
            }
            _ => stmt.definitions().iter().for_each(|value| {
                live.values.remove(value);
            }),
        }
        stmt.for_each_operand(|value| {
            live.values.insert(value);
        });
    }
}

/// What may be the number of an array of a kind, or a place in one.
#[derive(Default)]
struct Derived {
    values: FxHashSet<Value>,
    vars: FxHashSet<Var>,
}

impl Derived {
    fn of(function: &Function, kind: Buffer) -> Self {
        let mut all = Self::default();
        loop {
            let before = (all.values.len(), all.vars.len());
            for_each(&function.body, &mut |stmt| all.stmt(stmt, kind));
            if before == (all.values.len(), all.vars.len()) {
                return all;
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt, kind: Buffer) {
        let has = |value: &Value| self.values.contains(value);
        match stmt {
            Stmt::Set(var, value) if has(value) => {
                self.vars.insert(*var);
            }
            Stmt::Let { value, op, .. } => {
                let is_derived = match op {
                    Op::Append { into, .. } => into.offset == kind,
                    Op::Get(var) => self.vars.contains(var),
                    Op::Unary(_, a) => has(a),
                    Op::Binary(_, a, b) | Op::Select(_, a, b) => has(a) || has(b),
                    // Items of such arrays, and their lengths, are nothing that arrays are found by.
                    Op::Load(buffer, index) => *buffer == kind && has(index),
                    _ => false,
                };
                if is_derived {
                    self.values.insert(*value);
                }
            }
            Stmt::Call { args, results, .. } if args.iter().any(has) => self.values.extend(results),
            _ => {}
        }
    }
}

fn tell(
    block: &mut Block,
    function: &mut Function,
    kind: Buffer,
    derived: &Derived,
    appends: &FxHashMap<Value, Live>,
) {
    let mut at = 0;
    while at < block.len() {
        block[at].blocks_mut().for_each(|block| tell(block, function, kind, derived, appends));
        if let Stmt::Let { value, op: Op::Append { into, kept, .. }, .. } = &mut block[at]
            && into.offset == kind
        {
            let can_be = |ty: Ty| matches!(ty, Ty::I32 | Ty::I64);
            let live = &appends[value];
            let mut values: Vec<Value> = live.values.intersection(&derived.values).copied().collect();
            values.retain(|value| can_be(function.values[value.0 as usize].ty));
            values.sort_unstable();
            let mut vars: Vec<Var> = live.vars.intersection(&derived.vars).copied().collect();
            vars.retain(|var| can_be(function.vars[var.0 as usize]));
            vars.sort_unstable();
            let mut read = Vec::new();
            for var in vars {
                let value = Value(function.values.len() as u32);
                let ty = function.vars[var.0 as usize];
                function.values.push(ValueData::new(ty, Interval::FULL));
                read.push(Stmt::Let { value, op: Op::Get(var), site: None });
                values.push(value);
            }
            *kept = Some(values);
            let count = read.len();
            block.splice(at..at, read);
            at += count;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    const HEAD: &str = "
        b0 = result k1: f64 written
        b1 = array_offset a0: i32
        b2 = array_length a0: i32
        b3 = array_values a0: f64
        kernel k0
        kernel k1
        driver f0
    ";

    fn told(before: &str, after: &str) {
        let function = |body: &str| format!("fn f0 \"\" () {{\n{body}\n}}");
        check(super::run, &format!("{HEAD}\n{}", function(before)), &function(after));
    }

    #[test]
    fn what_is_read_later_is_kept() {
        told(
            "v0 = i64 5
             v1 = append b0 for v0 into b1, b2, b3 local
             v2 = append b0 for v0 into b1, b2, b3 local
             v3 = load b1[v1]
             v4 = append b0 for v0 into b1, b2, b3 local
             v5 = load b3[v3]
             v6 = load b2[v4]",
            "v0 = i64 5
             v1 = append b0 for v0 into b1, b2, b3 local keeping nothing
             v2 = append b0 for v0 into b1, b2, b3 local keeping v1
             v3 = load b1[v1]
             v4 = append b0 for v0 into b1, b2, b3 local keeping v3
             v5 = load b3[v3]
             v6 = load b2[v4]",
        );
    }

    #[test]
    fn variables_are_kept_around_loops() {
        told(
            "var x0: i32, x1: i32
             v0 = i64 5
             v1 = append b0 for v0 into b1, b2, b3 local
             x0 = v1
             x1 = v1
             loop L0 {
               v2 = append b0 for v0 into b1, b2, b3 local
               v3 = x0
               v4 = load b1[v3]
               x0 = v2
             }",
            "var x0: i32, x1: i32
             v0 = i64 5
             v1 = append b0 for v0 into b1, b2, b3 local keeping nothing
             x0 = v1
             x1 = v1
             loop L0 {
               v5 = x0
               v2 = append b0 for v0 into b1, b2, b3 local keeping v5
               v3 = x0
               v4 = load b1[v3]
               x0 = v2
             }",
        );
    }

    #[test]
    fn loops_in_loops_take_no_more_than_a_few_rounds() {
        let depth = 40;
        let opened: String = (0..depth).map(|at| format!("loop L{at} {{\n")).collect();
        let made = "v1 = append b0 for v0 into b1, b2, b3 local";
        let body = |keeping: &str, read: &str| {
            let closed = "}\n".repeat(depth);
            format!(
                "var x0: i32\nv0 = i64 5\n{opened}{read}{made}{keeping}\nv2 = x0\nv3 = load b1[v2]\nx0 = v1\n{closed}"
            )
        };
        told(&body("", ""), &body(" keeping v4", "v4 = x0\n"));
    }

    #[test]
    fn arrays_that_others_may_have_stay() {
        let same = "v0 = i64 5\nv1 = append b0 for v0 into b1, b2, b3";
        told(same, same);
    }
}
