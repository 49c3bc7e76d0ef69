//! Exception: its message, and what Ruby tells of it.

use super::{Row, bare, carrying, naming};
use crate::infer::{ARGUMENTS, Fact, Operand, RECEIVER, SUBJECT};
use crate::ir::ErrorKind;
use crate::types::Type;

/// That of classes which keep more than a message.
pub(super) const INITIALIZE: Row = naming("initialize", |s, c| s.initialize_keeping(c));

/// What these classes tell beside the message.
pub(super) const KEEPING: &[Row] = &[
    bare("args", |s, c| s.kept_fact(&c.receiver, ARGUMENTS, None)),
    bare("key", |s, c| s.kept_fact(&c.receiver, SUBJECT, Some((Fact::Subject, "no key is available")))),
    bare("matchee", |s, c| {
        s.kept_fact(&c.receiver, RECEIVER, Some((Fact::Receiver, "no matchee is available")))
    }),
    bare("name", |s, c| s.kept_fact(&c.receiver, SUBJECT, None)),
    bare("receiver", |s, c| {
        s.kept_fact(&c.receiver, RECEIVER, Some((Fact::Receiver, "no receiver is available")))
    }),
];

/// What Ikra itself asks of all of them.
pub(super) const PRIMITIVES: &[&str] = &[
    "#told",
    "#refuse_lines",
    "#known_cause",
    "#write_cause",
    "#complete_cause",
    "#first_cause",
    "#give_cause",
    "#with_message",
];

pub(super) const ROWS: &[Row] = &[
    carrying("initialize", |s, c| s.initialize_exception(&c.receiver, &c.args)),
    // What it was made with.
    bare("#told", |s, c| s.told_text(&c.receiver)),
    bare("cause", |s, c| s.asked_cause(&c.receiver)),
    bare("#known_cause", |s, c| s.known_cause(&c.receiver)),
    carrying("#write_cause", |s, c| {
        let Some(cause) = s.one_argument(c) else { return Operand::bottom() };
        s.write_cause(&c.receiver, &cause)
    }),
    carrying("#with_message", |s, c| {
        let Some(message) = s.one_argument(c) else { return Operand::bottom() };
        s.copy_with_message(&c.receiver, &message)
    }),
    carrying("==", |s, c| {
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        let is_other = |ty: &Type| matches!(ty, Type::Made(class) if s.is_exception(*class));
        let may_be_alike = other.types.iter().any(is_other);
        let same = s.send(&c.receiver, "#same", &[other], 1);
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
