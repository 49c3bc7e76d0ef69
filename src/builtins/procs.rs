//! Proc: lambdas and procs that the section makes or captures, known at compile time.

use super::{Invocation, Row, row};
use crate::infer::{BlockRef, Lowerer, Operand};
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    row("call", call),
    row("()", call),
    row("yield", call),
    row("[]", call),
    row("===", call),
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
    if !call.keywords.is_empty() {
        return s.refuse_here(
            "unsupported-block",
            "a lambda with keyword arguments cannot run in a section",
            Some("use positional arguments".into()),
        );
    }
    match s.proc_of(&call.receiver) {
        Some(block) => s.call_block(&block, call.args.clone()),
        // Made later in the code than it is called: in an earlier round.
        None if matches!(call.receiver.types.single(), Some(Type::Proc(_))) => s.refuse_escaping(),
        None => Operand::bottom(),
    }
}
