//! Random programs, run before and after all passes: what they compute, and how they fail, must not change.

use super::{Launch, Outcome, interpreter};
use crate::cancel::CancellationToken;
use crate::heap::{Column, JobOrder};
use crate::ir::parser::parse;
use crate::ir::passes::run_all;
use crate::ir::verifier::verify;
use crate::ir::{Program, Reduction};
use crate::scalar::Ty;
use std::fmt::Write;

const ELEMENTS: usize = 5;

/// Knuth's MMIX generator: the tests need variety, not quality.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// What is visible at a place, cut back at the end of a block.
#[derive(Clone, Default)]
struct Scope {
    /// Values by type; ids of objects (`I32`) are kept apart from other numbers, for they index.
    values: [Vec<u32>; 4],
    ids: Vec<u32>,
    vars: Vec<(u32, Ty)>,
    blocks: Vec<u32>,
    loops: Vec<u32>,
}

struct Generator {
    random: Lcg,
    text: String,
    values: u32,
    vars: u32,
    labels: u32,
    scope: Scope,
    /// Written columns are touched at the element's own id only.
    private: bool,
    /// Inside an entry, which alone has the others to call.
    entry: bool,
}

impl Generator {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").unwrap();
    }

    fn define(&mut self, ty: Ty, op: &str) -> u32 {
        let value = self.values;
        self.values += 1;
        self.line(&format!("v{value} = {op}"));
        self.scope.values[ty as usize].push(value);
        value
    }

    fn of(&mut self, ty: Ty) -> String {
        if self.scope.values[ty as usize].is_empty() || self.random.one_in(6) {
            let n = self.random.below(5) as i64 - 2;
            let op = match ty {
                Ty::Bool => (n > 0).to_string(),
                Ty::I32 => format!("i32 {n}"),
                Ty::I64 if self.random.one_in(8) => format!("i64 {}", i64::MAX - n.abs()),
                Ty::I64 => format!("i64 {n}"),
                Ty::F64 => format!("f64 {n}.5"),
            };
            return format!("v{}", self.define(ty, &op));
        }
        let value = self.random.pick(&self.scope.values[ty as usize]);
        format!("v{value}")
    }

    fn id(&mut self) -> String {
        format!("v{}", self.random.pick(&self.scope.ids))
    }

    /// The element's own id, often read anew.
    fn own_id(&mut self) -> String {
        if self.random.one_in(3) {
            let index = if self.random.one_in(3) {
                self.values += 1;
                let value = self.values - 1;
                self.line(&format!("v{value} = element"));
                value
            } else {
                0
            };
            let value = self.values;
            self.values += 1;
            self.line(&format!("v{value} = load b0[v{index}]"));
            self.scope.ids.push(value);
            return format!("v{value}");
        }
        "v3".into()
    }

    fn column_index(&mut self) -> String {
        if self.private { self.own_id() } else { self.id() }
    }

    fn computation(&mut self) {
        match self.random.below(18) {
            0..=2 => {
                let op = self.random.pick(&["add", "sub", "mul", "and", "or", "xor"]);
                let ty = self.random.pick(&[Ty::I32, Ty::I64, Ty::I64]);
                let (a, b) = (self.of(ty), self.of(ty));
                self.define(ty, &format!("{op} {a}, {b}"));
            }
            3 => {
                let op = self.random.pick(&["add_checked", "sub_checked", "mul_checked"]);
                let (a, b) = (self.of(Ty::I64), self.of(Ty::I64));
                let site = self.random.below(3);
                self.define(Ty::I64, &format!("{op} {a}, {b} at e{site}"));
            }
            4 => {
                let op = self.random.pick(&["floor_div", "floor_mod", "trunc_rem"]);
                let (a, b) = (self.of(Ty::I64), self.of(Ty::I64));
                let one = self.define(Ty::I64, "i64 1");
                let divisor = self.define(Ty::I64, &format!("or {b}, v{one}"));
                self.define(Ty::I64, &format!("{op} {a}, v{divisor} at e0"));
            }
            5 => {
                let op = self.random.pick(&["shl", "shr"]);
                let (a, b) = (self.of(Ty::I64), self.of(Ty::I64));
                let mask = self.define(Ty::I64, "i64 63");
                let amount = self.define(Ty::I64, &format!("and {b}, v{mask}"));
                self.define(Ty::I64, &format!("{op} {a}, v{amount}"));
            }
            6 | 7 => {
                let op = self.random.pick(&["add_f", "sub_f", "mul_f", "div_f", "floor_mod_f", "rem_f"]);
                let (a, b) = (self.of(Ty::F64), self.of(Ty::F64));
                self.define(Ty::F64, &format!("{op} {a}, {b}"));
            }
            8 | 9 => {
                let op = self.random.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
                let ty = self.random.pick(&Ty::ALL);
                let (a, b) = (self.of(ty), self.of(ty));
                self.define(Ty::Bool, &format!("{op} {a}, {b}"));
            }
            10 => {
                let ty = self.random.pick(&Ty::ALL);
                let (c, a, b) = (self.of(Ty::Bool), self.of(ty), self.of(ty));
                self.define(ty, &format!("select {c}, {a}, {b}"));
            }
            11 => {
                let (from, to, op) = self.random.pick(&[
                    (Ty::Bool, Ty::Bool, "not"),
                    (Ty::F64, Ty::F64, "round_f"),
                    (Ty::F64, Ty::F64, "round_to_single"),
                    (Ty::I64, Ty::I64, "bit_length"),
                    (Ty::I32, Ty::I64, "extend_i32"),
                    (Ty::I64, Ty::I32, "wrap_i64"),
                    (Ty::I64, Ty::F64, "i64_to_f64"),
                    (Ty::F64, Ty::I64, "f64_to_i64"),
                    (Ty::F64, Ty::I64, "bits_to_i64"),
                    (Ty::F64, Ty::Bool, "is_nan"),
                ]);
                let a = self.of(from);
                self.define(to, &format!("{op} {a}"));
            }
            12 => {
                let id = self.id();
                let value = self.values;
                self.values += 1;
                self.line(&format!("v{value} = load b1[{id}]"));
                self.scope.ids.push(value);
            }
            13 => {
                let id = self.id();
                self.define(Ty::I64, &format!("load b2[{id}]"));
            }
            14 | 15 if self.entry || !self.private => {
                let id = self.column_index();
                if self.random.one_in(2) {
                    self.define(Ty::I64, &format!("load b3[{id}]"));
                } else {
                    self.define(Ty::F64, &format!("load b4[{id}]"));
                }
            }
            16 => {
                let op = self.random.pick(&["tick", "random", "s0"]);
                self.define(Ty::I64, op);
            }
            _ if self.entry => {
                let (id, a) = (self.id(), self.of(Ty::I64));
                self.define(Ty::I64, &format!("call f1({id}, {a})"));
            }
            _ => {}
        }
    }

    fn stmt(&mut self, depth: u32) {
        match self.random.below(if depth == 0 { 14 } else { 20 }) {
            0..=5 => self.computation(),
            6 | 7 => {
                let ty = self.random.pick(&Ty::ALL);
                let value = self.of(ty);
                let typed: Vec<_> = self.scope.vars.iter().filter(|x| x.1 == ty).copied().collect();
                let var = if typed.is_empty() || self.random.one_in(3) {
                    self.vars += 1;
                    self.scope.vars.push((self.vars - 1, ty));
                    self.vars - 1
                } else {
                    self.random.pick(&typed).0
                };
                self.line(&format!("x{var} = {value}"));
            }
            8 | 9 if !self.scope.vars.is_empty() => {
                let (var, ty) = self.random.pick(&self.scope.vars);
                self.define(ty, &format!("x{var}"));
            }
            10 | 11 if self.entry || !self.private => {
                let id = self.column_index();
                if self.random.one_in(4) {
                    let value = self.of(Ty::Bool);
                    self.line(&format!("store b6[{id}] = {value}"));
                } else if self.random.one_in(2) {
                    let value = self.of(Ty::I64);
                    self.line(&format!("store b3[{id}] = {value}"));
                } else {
                    let value = self.of(Ty::F64);
                    self.line(&format!("store b4[{id}] = {value}"));
                }
            }
            12 if self.entry => {
                let value = self.of(Ty::I64);
                self.line(&format!("store b5[v0] = {value}"));
            }
            13 if self.random.one_in(4) => {
                let (condition, operand) = (self.of(Ty::Bool), self.of(Ty::I64));
                let site = self.random.below(3);
                self.line(&format!("check {condition} at e{site} with {operand}"));
            }
            14..=16 => {
                let condition = self.of(Ty::Bool);
                self.line(&format!("if {condition} {{"));
                self.block(depth - 1, true);
                self.line("} else {");
                self.block(depth - 1, true);
                self.line("}");
            }
            17 => {
                let label = self.labels;
                self.labels += 1;
                self.line(&format!("block L{label} {{"));
                let before = self.scope.clone();
                self.scope.blocks.push(label);
                self.block(depth - 1, false);
                self.scope = before;
                self.line("}");
            }
            18 => self.counted_loop(depth),
            _ => {}
        }
    }

    /// Counts first, so that `continue` comes to an end too.
    fn counted_loop(&mut self, depth: u32) {
        let (label, counter) = (self.labels, self.vars);
        self.labels += 1;
        self.vars += 1;
        let before = self.scope.clone();
        let zero = self.define(Ty::I64, "i64 0");
        self.line(&format!("x{counter} = v{zero}"));
        self.line(&format!("loop L{label} {{"));
        let inside = self.scope.clone();
        let count = self.define(Ty::I64, &format!("x{counter}"));
        let three = self.define(Ty::I64, "i64 3");
        let done = self.define(Ty::Bool, &format!("ge v{count}, v{three}"));
        self.line(&format!("if v{done} {{ break L{label} }}"));
        let one = self.define(Ty::I64, "i64 1");
        let next = self.define(Ty::I64, &format!("add v{count}, v{one}"));
        self.line(&format!("x{counter} = v{next}"));
        self.scope.blocks.push(label);
        self.scope.loops.push(label);
        self.block(depth - 1, false);
        self.scope = inside;
        self.line("}");
        self.scope.blocks = before.blocks;
        self.scope.loops = before.loops;
    }

    fn block(&mut self, depth: u32, may_jump: bool) {
        let before = self.scope.clone();
        for _ in 0..self.random.below(5) {
            self.stmt(depth);
        }
        if may_jump && self.random.one_in(4) {
            match self.random.below(6) {
                0 | 1 if !self.scope.blocks.is_empty() => {
                    let label = self.random.pick(&self.scope.blocks);
                    self.line(&format!("break L{label}"));
                }
                2 if !self.scope.loops.is_empty() => {
                    let label = self.random.pick(&self.scope.loops);
                    self.line(&format!("continue L{label}"));
                }
                3 if self.random.one_in(4) => self.line("fail at e2"),
                _ if self.entry => self.line("return"),
                _ => {
                    let value = self.of(Ty::I64);
                    self.line(&format!("return {value}"));
                }
            }
        }
        self.scope = before;
    }

    fn function(&mut self, head: &str, entry: bool) {
        self.entry = entry;
        self.line(head);
        self.vars = 0;
        self.labels = 0;
        self.scope = Scope::default();
        if entry {
            self.values = 3;
            self.line("v3 = load b0[v0]");
            self.values += 1;
            self.scope.ids.push(3);
        } else {
            self.values = 2;
            self.scope.ids.push(0);
            self.scope.values[Ty::I64 as usize].push(1);
        }
        for _ in 0..4 + self.random.below(8) {
            self.stmt(3);
        }
        if !entry {
            let value = self.of(Ty::I64);
            self.line(&format!("return {value}"));
        }
        self.line("}");
    }
}

/// Drivers: one launch, then what can be made of the columns.
impl Generator {
    fn driver(&mut self) {
        (self.values, self.vars, self.labels) = (0, 0, 0);
        self.scope = Scope::default();
        self.line("driver f3");
        self.line("fn f3 \"driver\" () {");
        self.line("launch k0");
        self.define(Ty::I32, "i32 0");
        for _ in 0..2 + self.random.below(6) {
            self.driver_stmt(2);
        }
        self.line("}");
    }

    fn driver_stmt(&mut self, depth: u32) {
        match self.random.below(if depth == 0 { 8 } else { 9 }) {
            0 => {
                self.define(Ty::I64, "compact b6 into b7");
            }
            1..=3 => {
                let ty = self.random.pick(&[Ty::I64, Ty::F64]);
                let reductions: Vec<_> = Reduction::ALL.into_iter().filter(|r| r.takes(ty)).collect();
                let (reduction, given) =
                    (self.random.pick(&reductions), self.random.pick(&["", " where b5", " where b6"]));
                let from = self.of(ty);
                let (number, is_one) = (self.values, self.values + 1);
                self.values += 2;
                let column = if ty == Ty::I64 { "b3" } else { "b4" };
                let name = reduction.name();
                self.line(&format!("v{number}, v{is_one} = reduce {name} {column}{given} from {from}"));
                self.scope.values[ty as usize].push(number);
                self.scope.values[Ty::Bool as usize].push(is_one);
            }
            4 => {
                let value = self.of(Ty::I64);
                self.line(&format!("store b8[v0] = {value}"));
            }
            5 => {
                let value = self.of(Ty::F64);
                self.line(&format!("store b9[v0] = {value}"));
            }
            6 => {
                let load = self.random.pick(&["load b8[v0]", "s0"]);
                let (a, b) = (self.of(Ty::I64), self.define(Ty::I64, load));
                self.define(Ty::I64, &format!("add {a}, v{b}"));
            }
            7 => {
                let (condition, operand) = (self.of(Ty::Bool), self.of(Ty::I64));
                if self.random.one_in(4) {
                    self.line(&format!("check {condition} at e1 with {operand}"));
                } else {
                    self.define(Ty::I64, &format!("select {condition}, {operand}, {operand}"));
                }
            }
            _ => {
                let condition = self.of(Ty::Bool);
                let before = self.scope.clone();
                self.line(&format!("if {condition} {{"));
                self.driver_stmt(depth - 1);
                self.scope = before.clone();
                self.line("} else {");
                self.driver_stmt(depth - 1);
                self.scope = before;
                self.line("}");
            }
        }
    }
}

pub(crate) fn random_program(seed: u64) -> Program {
    let mut random = Lcg(seed);
    let private = random.one_in(2);
    let mut generator = Generator {
        random,
        text: r#"program random
            b0 = base: i32
            b1 = column h0 "@next": i32
            b2 = column h0 "@constant": i64
            b3 = column h0 "@a": i64 written
            b4 = column h0 "@b": f64 written
            b5 = result: i64 written
            b6 = column h0 "@flag": bool written
            b7 = selection: i32 written
            b8 = merged v0: i64 written
            b9 = merged v1: f64 written
            s0 = root 0: i64
            e0 = zero_division
            e1 = overflow "+"
            e2 = index_too_small
            entry f0 "Car"
            entry f2 "Bus"
        "#
        .into(),
        values: 0,
        vars: 0,
        labels: 0,
        scope: Scope::default(),
        private,
        entry: true,
    };
    generator.function("fn f0 (v0: i32, v1: i64, v2: i64) {", true);
    generator.function("fn f1 (v0: i32, v1: i64) -> i64 {", false);
    generator.function("fn f2 (v0: i32, v1: i64, v2: i64) {", true);
    if generator.random.one_in(2) {
        generator.driver();
    }
    parse(&generator.text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", generator.text))
}

/// The outcome and, of a run that succeeds, the columns as bits.
fn run(program: &Program, ticks: u64) -> (Outcome, Vec<Vec<u8>>) {
    let mut buffers = [
        Column::I32(vec![3, 0, 4, 1, 2]),
        Column::I32(vec![4, 4, 0, 1, 2]),
        Column::I64(vec![1, -1, 0, 7, i64::MAX]),
        Column::I64(vec![0, 1, 2, 3, 4]),
        Column::F64(vec![0.0, -0.5, 1.5, f64::NAN, f64::INFINITY]),
        Column::I64(vec![0; ELEMENTS]),
        Column::Bool(vec![0, 1, 1, 0, 1]),
        Column::I32(vec![]),
        Column::I64(vec![0]),
        Column::F64(vec![0.0]),
    ];
    let jobs = JobOrder::new(&[0, 1, 0, 1, 0], 2, None).unwrap();
    let launch =
        Launch { scalars: &[12], jobs: &jobs, ticks, first_tick: 0, seed: 3, call: 4, progress: None };
    let outcome = interpreter::run(program, &mut buffers, &launch);
    let columns = buffers.iter().map(|c| c.as_bytes().to_vec()).collect();
    if outcome == Outcome::Done { (outcome, columns) } else { (outcome, Vec::new()) }
}

#[test]
fn passes_keep_what_programs_mean() {
    let (mut fused, mut done, mut failed) = (0, 0, 0);
    for seed in 0..600 {
        let before = random_program(seed);
        verify(&before).unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{before}"));
        assert_eq!(parse(&before.to_string()).unwrap().to_string(), before.to_string(), "seed {seed}");
        let mut after = before.clone();
        run_all(&mut after, true, &CancellationToken::default(), &mut crate::profile::Profile::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{before}\n{after}"));
        assert_eq!(parse(&after.to_string()).unwrap().to_string(), after.to_string(), "seed {seed}");
        // What only low bits are wanted of does not fail any more.
        let mut wrapped = before.clone();
        crate::ir::passes::wrap::run(&mut wrapped, &CancellationToken::default()).unwrap();
        for ticks in [1, 3] {
            let (unwrapped, expected) = (run(&before, ticks), run(&wrapped, ticks));
            if unwrapped.0 == Outcome::Done {
                assert_eq!(expected, unwrapped, "seed {seed}, {ticks} ticks:\n{before}\n{wrapped}");
            }
            assert_eq!(run(&after, ticks), expected, "seed {seed}, {ticks} ticks:\n{before}\n{after}");
            done += usize::from(expected.0 == Outcome::Done);
            failed += usize::from(expected.0 != Outcome::Done);
        }
        fused += usize::from(after.kernels[0].fused);
    }
    // The test would mean little if nearly all programs went one way.
    assert!(fused > 100 && done > 200 && failed > 200, "{fused} fused, {done} done, {failed} failed");
}
