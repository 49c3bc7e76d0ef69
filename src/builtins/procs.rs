//! Proc: lambdas and procs that the section makes or captures, known at compile time.

use super::{Invocation, Row, row, spreading};
use crate::infer::{BlockRef, Lowerer, Operand};
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    spreading("call", call),
    spreading("()", call),
    spreading("yield", call),
    spreading("[]", call),
    spreading("===", call),
    row("lambda?", |s, c| {
        let is_lambda = matches!(
            s.proc_of(&c.receiver),
            Some(BlockRef::Literal { lambda: true, .. } | BlockRef::Outer { lambda: true, .. })
        );
        Operand::bool(s.b.bool(is_lambda))
    }),
    row("to_proc", |_, c| c.receiver.clone()),
];

fn call(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let block = s.proc_of(&call.receiver);
    match block {
        Some(block) => s.call_lambda(&block, call.arguments(false), call.block.as_ref()),
        // Made later in the code than it is called: in an earlier iteration.
        None if matches!(call.receiver.types.single(), Some(Type::Proc(_) | Type::Closure(..))) => {
            s.refuse_escaping()
        }
        None => Operand::bottom(),
    }
}
