//! Arithmetic of which only low bits or a remainder are wanted need not fail where it exceeds 64 bits: it wraps, or is
//! divided in 128 bits.
//!
//! ```text
//! v3 = mul_checked v1, v2     v3 = mul v1, v2
//! v4 = and v3, 0xffffffff     v4 = and v3, 0xffffffff
//!
//! v3 = mul_checked v1, v2
//! v4 = floor_mod v3, v0       v4 = wide_mod v1, v2, 0, v0
//! ```
//!
//! Sums, differences, products and shifts to the left have low bits that depend on the low bits of their operands alone;
//! so have `&`, `|` and `^`. A mask that is not negative takes these, and so does a remainder by a power of two.

use super::eliminate;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::ir::walk::for_each;
use crate::ir::{BinaryOp, Block, Function, Op, Program, Stmt, UnaryOp, Value, ValueData, Var};
use crate::scalar::{Interval, Ty};
use rustc_hash::FxHashSet;

pub fn run(program: &mut Program, token: &CancellationToken) -> Result<(), Error> {
    let mut changed = false;
    for function in &mut program.functions {
        token.check()?;
        changed |= wrap(function);
    }
    if changed { eliminate::run(program, token) } else { Ok(()) }
}

/// What a function does with a value.
#[derive(Clone, Copy)]
struct Uses {
    /// All that is wanted of it, if anything: its low bits, as many as all integers have.
    only_low_bits: bool,
    /// That, or the remainder of a division.
    only_rest: bool,
}

impl Uses {
    const NONE: Self = Self { only_low_bits: true, only_rest: true };

    const fn add(&mut self, low_bits: bool, rest: bool) {
        self.only_low_bits &= low_bits;
        self.only_rest &= rest;
    }
}

fn wrap(function: &mut Function) -> bool {
    let mut any = false;
    for_each(&function.body, &mut |stmt| {
        any |= matches!(stmt, Stmt::Let { op: Op::Binary(op, ..), .. } if unchecked(*op).is_some());
    });
    if !any {
        return false;
    }
    let count = function.values.len();
    let wanted = wanted_variables(function);
    let mut definitions = Vec::new();
    let mut wide = Wide { sums: vec![None; count], uses: vec![Uses::NONE; count] };
    for_each(&function.body, &mut |stmt| match stmt {
        Stmt::Let { value, op, .. } => {
            definitions.push((*value, op.clone()));
            wide.note(*value, op);
        }
        Stmt::Set(var, _) if !wanted.contains(var) => {}
        stmt => stmt.for_each_operand(|value| wide.uses[value.0 as usize].add(false, false)),
    });
    // What uses a value comes after it.
    for (value, op) in definitions.iter().rev() {
        wide.used_by(*value, op, &function.values);
    }
    let mut values = std::mem::take(&mut function.values);
    let changed = wide.rewrite(&mut function.body, &mut values);
    function.values = values;
    changed
}

/// The variables of which somebody wants what is read.
fn wanted_variables(function: &Function) -> FxHashSet<Var> {
    let mut is_used = vec![false; function.values.len()];
    let mut reads = Vec::new();
    for_each(&function.body, &mut |stmt| {
        if let Stmt::Let { value, op: Op::Get(var), .. } = stmt {
            reads.push((*var, *value));
        }
        match stmt {
            Stmt::Let { op, .. } => op.for_each_operand(|value| is_used[value.0 as usize] = true),
            stmt => stmt.for_each_operand(|value| is_used[value.0 as usize] = true),
        }
    });
    reads.into_iter().filter(|(_, value)| is_used[value.0 as usize]).map(|(var, _)| var).collect()
}

/// Of an operation of whose result no more than the low bits are wanted, or all: are they all that is wanted of its
/// operands?
fn low_bits_of_operands(op: BinaryOp, low_bits: bool, of: [Value; 2], values: &[ValueData]) -> [bool; 2] {
    let interval = |value: Value| values[value.0 as usize].interval;
    match op {
        BinaryOp::And => [low_bits || interval(of[1]).low >= 0, low_bits || interval(of[0]).low >= 0],
        BinaryOp::FloorMod => {
            let Interval { low, high } = interval(of[1]);
            [low == high && low > 0 && low.count_ones() == 1, false]
        }
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Or | BinaryOp::Xor => [low_bits; 2],
        BinaryOp::AddChecked | BinaryOp::SubChecked | BinaryOp::MulChecked => [low_bits; 2],
        BinaryOp::Shl => [low_bits, false],
        _ => [false; 2],
    }
}

const fn unchecked(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::AddChecked => BinaryOp::Add,
        BinaryOp::SubChecked => BinaryOp::Sub,
        BinaryOp::MulChecked => BinaryOp::Mul,
        _ => return None,
    })
}

/// A factor or summand.
#[derive(Clone, Copy, PartialEq)]
enum Term {
    Value(Value),
    Constant(i64),
}

/// `a * b + c`
#[derive(Clone, Copy)]
struct Sum {
    terms: [Term; 3],
    /// The product in it.
    product: Option<Value>,
}

/// What goes on in 128 bits.
struct Wide {
    /// What may fail, in the parts from which a remainder is computed.
    sums: Vec<Option<Sum>>,
    uses: Vec<Uses>,
}

impl Wide {
    fn note(&mut self, value: Value, op: &Op) {
        let Op::Binary(op, a, b) = op else { return };
        let [x, y] = [Term::Value(*a), Term::Value(*b)];
        let product = |of: &Value| match self.sums[of.0 as usize] {
            Some(Sum { terms: [a, b, Term::Constant(0)], .. }) => Some((*of, a, b)),
            _ => None,
        };
        let (terms, product) = match op {
            BinaryOp::MulChecked => ([x, y, Term::Constant(0)], None),
            BinaryOp::SubChecked => ([y, Term::Constant(-1), x], None),
            BinaryOp::AddChecked => match (product(a), product(b)) {
                (Some((product, a, b)), _) => ([a, b, y], Some(product)),
                (None, Some((product, a, b))) => ([a, b, x], Some(product)),
                (None, None) => ([x, Term::Constant(1), y], None),
            },
            _ => return,
        };
        self.sums[value.0 as usize] = Some(Sum { terms, product });
    }

    fn used_by(&mut self, value: Value, op: &Op, values: &[ValueData]) {
        let Uses { only_low_bits, only_rest } = self.uses[value.0 as usize];
        match op {
            Op::Binary(op, a, b) => {
                let [of_a, of_b] = low_bits_of_operands(*op, only_low_bits, [*a, *b], values);
                // A product is computed again in what it is a part of.
                let sum = self.sums[value.0 as usize].filter(|_| only_rest);
                let part = sum.and_then(|sum| sum.product);
                let rest_of_a = of_a || *op == BinaryOp::FloorMod || part == Some(*a);
                self.uses[a.0 as usize].add(of_a, rest_of_a);
                self.uses[b.0 as usize].add(of_b, of_b || part == Some(*b) && a != b);
            }
            Op::Unary(UnaryOp::BitNot, of) => self.uses[of.0 as usize].add(only_low_bits, only_low_bits),
            Op::Select(condition, a, b) => {
                self.uses[condition.0 as usize].add(false, false);
                for of in [a, b] {
                    self.uses[of.0 as usize].add(only_low_bits, only_low_bits);
                }
            }
            op => op.for_each_operand(|value| self.uses[value.0 as usize].add(false, false)),
        }
    }

    fn rewrite(&self, block: &mut Block, values: &mut Vec<ValueData>) -> bool {
        let mut changed = false;
        let mut rest = Vec::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            for inner in stmt.blocks_mut() {
                changed |= self.rewrite(inner, values);
            }
            if let Stmt::Let { value, op: op @ Op::Binary(..), site } = &mut stmt
                && let Op::Binary(of, a, b) = *op
            {
                let wraps = |value: Value| self.uses[value.0 as usize].only_rest;
                if let Some(plain) = unchecked(of).filter(|_| wraps(*value)) {
                    (*op, *site) = (Op::Binary(plain, a, b), None);
                    changed = true;
                } else if of == BinaryOp::FloorMod
                    && let Some(sum) = self.sums[a.0 as usize].filter(|_| wraps(a))
                    && !low_bits_of_operands(of, false, [a, b], values)[0]
                {
                    let of_value = value.0 as usize;
                    let terms = sum.terms.map(|term| match term {
                        Term::Value(value) => value,
                        Term::Constant(number) => {
                            let value = Value(values.len() as u32);
                            let origin = values[of_value].origin;
                            values.push(ValueData {
                                origin,
                                ..ValueData::new(Ty::I64, Interval::constant(number))
                            });
                            rest.push(Stmt::Let { value, op: Op::I64(number), site: None });
                            value
                        }
                    });
                    (*op, *site) = (Op::WideMod([terms[0], terms[1], terms[2], b]), None);
                    changed = true;
                }
            }
            rest.push(stmt);
        }
        *block = rest;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::run;

    #[track_caller]
    fn changed(body: &str, after: &str) {
        let head = "b0 = column h0 \"@x\": i64 written
            e0 = overflow \"*\"
            entry f0";
        let text = format!("{head}\nfn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}");
        check(run, &text, &format!("fn f0 \"\" (v0: i32, v1: i64, v2: i64) {{\n{after}\n}}"));
    }

    #[test]
    fn what_is_masked_wraps() {
        changed(
            "v3 = mul_checked v1, v2 at e0; v4 = add_checked v3, v1 at e0; v5 = i64 255; v6 = and v4, v5
             store b0[v0] = v6",
            "v3 = mul v1, v2
             v4 = add v3, v1
             v5 = i64 255
             v6 = and v4, v5
             store b0[v0] = v6",
        );
    }

    #[test]
    fn what_is_divided_is_wide() {
        changed(
            "v3 = mul_checked v1, v2 at e0; v4 = add_checked v3, v1 at e0; v5 = i64 7; v6 = floor_mod v4, v5
             store b0[v0] = v6",
            "v5 = i64 7
             v6 = wide_mod v1, v2, v1, v5
             store b0[v0] = v6",
        );
        changed(
            "v3 = sub_checked v1, v2 at e0; v5 = i64 7; v6 = floor_mod v3, v5; store b0[v0] = v6",
            "v5 = i64 7
             v7 = i64 -1
             v6 = wide_mod v2, v7, v1, v5
             store b0[v0] = v6",
        );
        changed(
            "v3 = mul_checked v1, v2 at e0; v5 = i64 8; v6 = floor_mod v3, v5; store b0[v0] = v6",
            "v3 = mul v1, v2
             v5 = i64 8
             v6 = floor_mod v3, v5
             store b0[v0] = v6",
        );
    }

    #[test]
    fn what_nobody_reads_wraps() {
        changed(
            "var x0: i64
             v3 = add_checked v1, v2 at e0; x0 = v3; v4 = x0; v5 = i64 7; store b0[v0] = v5",
            "var x0: i64
             v5 = i64 7
             store b0[v0] = v5",
        );
    }

    #[test]
    fn what_is_looked_at_fails() {
        let body = "v3 = mul_checked v1, v2 at e0
             v4 = i64 -8
             v5 = and v3, v4
             store b0[v0] = v5
             v6 = add_checked v1, v2 at e0
             v7 = i64 8
             v8 = and v6, v7
             store b0[v0] = v6
             store b0[v0] = v8";
        changed(body, body);
    }
}
