//! Takes out the checks that Ruby's semantics ask for: overflow, division by zero, out-of-range and nil. For measuring
//! what they cost, and for nothing else: a program without them gives wrong answers where Ruby raises.

use crate::ir::walk::for_each_mut;
use crate::ir::{BinaryOp, Block, Op, Program, Stmt};

pub fn run(program: &mut Program) {
    for function in &mut program.functions {
        drop_checks(&mut function.body);
        for_each_mut(&mut function.body, &mut |stmt| {
            if let Stmt::Let { op: Op::Binary(op, _, _), site, .. } = stmt {
                let plain = match op {
                    BinaryOp::AddChecked => BinaryOp::Add,
                    BinaryOp::SubChecked => BinaryOp::Sub,
                    BinaryOp::MulChecked => BinaryOp::Mul,
                    _ => return,
                };
                *op = plain;
                *site = None;
            }
        });
    }
}

fn drop_checks(block: &mut Block) {
    block.retain(|stmt| !matches!(stmt, Stmt::Check { .. }) && !only_fails(stmt));
    for stmt in block {
        for inner in stmt.blocks_mut() {
            drop_checks(inner);
        }
    }
}

/// `if nil { fail }`
fn only_fails(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::If { then, otherwise, .. }
        if otherwise.is_empty() && matches!(then.last(), Some(Stmt::Fail { .. })))
}
