//! Exception: its message, and what Ruby tells of it.

use super::{Row, bare, carrying, naming};
use crate::infer::{EXCEPTION_MESSAGE, Operand};
use crate::ir::ErrorKind;
use crate::types::Type;

/// That of classes which keep more than a message.
pub(super) const INITIALIZE: Row = naming("initialize", |s, c| s.initialize_with_text(c));

pub(super) const ROWS: &[Row] = &[
    carrying("initialize", |s, c| s.initialize_exception(&c.receiver, &c.args)),
    // What it was made with.
    bare("#told", |s, c| s.record_variable(&c.receiver, EXCEPTION_MESSAGE).unwrap_or_else(Operand::nil)),
    carrying("==", |s, c| {
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        let is_other = |ty: &Type| matches!(ty, Type::Made(class) if s.is_exception(*class));
        let may_be_alike = other.types.iter().any(is_other);
        let same = s.send(&c.receiver, "equal?", &[other], 1);
        if may_be_alike && !same.is_bottom() {
            let message = "two exceptions are alike where their backtraces are, which a section does not know \
                           [unsupported-method]\n  hint: compare their classes and messages";
            s.check(same.value(), ErrorKind::Unsupported(message.into()), &[]);
        }
        same
    }),
    bare("#refuse_lines", |s, _| {
        let message = "`inspect` of an exception whose message has several lines differs between versions of Ruby \
                       [unsupported-method]\n  hint: ask for its class and message";
        s.fail(ErrorKind::Unsupported(message.into()), &[])
    }),
];
