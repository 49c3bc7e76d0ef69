//! Proc: lambdas and procs that the section makes or captures, known at compile time.

use super::{Invocation, Row, carrying, row};
use crate::infer::{BlockRef, Lowerer, Operand};
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    carrying("call", call),
    carrying("()", call),
    carrying("yield", call),
    carrying("[]", call),
    carrying("===", call),
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
    let takes_keywords = match &block {
        Some(BlockRef::Literal { literal, lambda: true, .. }) => !literal.params.keywords.is_empty(),
        Some(BlockRef::Outer { code, lambda: true, .. }) => !code.params.keywords.is_empty(),
        _ => false,
    };
    if !call.keywords.is_empty() && !takes_keywords {
        return s.refuse_here(
            "unsupported-block",
            "a proc, or a lambda without keywords, cannot be called with keyword arguments in a section",
            Some("use positional arguments".into()),
        );
    }
    match block {
        Some(block) => s.call_lambda(&block, call.args.clone(), call.keywords.clone()),
        // Made later in the code than it is called: in an earlier iteration.
        None if matches!(call.receiver.types.single(), Some(Type::Proc(_) | Type::Closure(..))) => {
            s.refuse_escaping()
        }
        None => Operand::bottom(),
    }
}
