//! Integers beyond 64 bits: what `core/big_integer.rb` leaves to Rust, and those rules that know nothing of them.

use super::{Invocation, Row, bare, carrying, row};
use crate::infer::{Lowerer, Operand, is_big_integer};
use crate::ir::{ErrorKind, UnaryOp};
use crate::string_layout::Encoding;
use crate::types::ClassId;

pub(super) const ROWS: &[Row] = &[
    bare("#words", |s, c| s.read_ivar(&c.receiver, ClassId::WORDS)),
    bare("#as_big", |_, c| c.receiver.clone()),
    bare("#big?", |s, _| Operand::bool(s.b.bool(true))),
    // So many bits that there is no room for them. What powers call has no other name.
    bare("#overflow", |s, _| {
        let operator = s.builtin_name().unwrap_or_else(|| "**".into());
        s.fail(ErrorKind::overflow(operator), &[])
    }),
    carrying("#no_order", |s, c| {
        let other = c.args[0].clone();
        s.switch(&other, 0, &mut |s, other| s.not_comparable(&c.receiver, &other))
    }),
    bare("#integer_only", |s, _| {
        s.refuse_here(
            "unsupported-argument",
            "an Integer beyond 64 bits cannot be computed with in this way in a section",
            Some("compute with Integers alone, or with Floats".into()),
        )
    }),
];

/// What would count with them: none has been counted to yet, so this is refused when it is reached.
pub(super) const COUNTING: &[Row] = &[
    carrying("times", cannot_count),
    carrying("upto", cannot_count),
    carrying("downto", cannot_count),
    carrying("step", cannot_count),
];

fn cannot_count(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let message = format!("`{}` of an Integer beyond 64 bits cannot run in a section", call.name);
    let hint = "count with Integers of 64 bits, or compare in a loop";
    s.fail(ErrorKind::Unsupported(format!("{message} [unsupported-method]\n  hint: {hint}")), &[])
}

/// What rounds them.
pub(super) const ROUNDING: &[Row] = &[
    row("floor", |s, c| super::integer::whole(s, c, "floor")),
    row("ceil", |s, c| super::integer::whole(s, c, "ceil")),
    row("round", |s, c| super::integer::whole(s, c, "round")),
    row("truncate", |s, c| super::integer::whole(s, c, "truncate")),
];

/// Of Integers of 64 bits.
pub(super) const OF_WORDS: &[Row] = &[
    bare("#words", |s, c| s.words_of_integer(c.receiver.value())),
    bare("#as_big", |s, c| {
        let words = s.words_of_integer(c.receiver.value());
        s.big_integer(&words)
    }),
    bare("#big?", |s, _| Operand::bool(s.b.bool(false))),
];

/// Of all objects: they make such numbers, and room for their words.
pub(super) const OF_ALL: &[Row] = &[
    bare("#big_integer", |s, c| s.big_integer(&c.receiver)),
    bare("#narrow", |_, c| c.receiver.clone()),
    row("#big_literal", |s, c| {
        let digits = s.symbol_name(&c.args[0]).unwrap_or_default();
        if let Some(wide) = super::wide_integer::of_bytes(s, &digits) {
            return wide;
        }
        let words = s.literal_of_bytes(&digits, true);
        if words.is_bottom() { words } else { s.big_integer(&words) }
    }),
    carrying("#refuse_big", |s, c| {
        let items = c.args[0].clone();
        let name = s.public_name().unwrap_or_else(|| "pack".into());
        s.switch(&items, 0, &mut |s, item| match holds_one(&item) {
            true => s.refuse_here(
                "unsupported-argument",
                format!("`{name}` of an Integer beyond 64 bits cannot run in a section"),
                Some("give it parts of it, or do it after the section".into()),
            ),
            false => Operand::nil(),
        })
    }),
    row("#room_for_words", |s, c| {
        let encoding = s.b.i64(Encoding::Binary as i64);
        s.new_string(c.args[0].value(), encoding)
    }),
];

/// Can the argument be one?
pub(super) fn holds_one(operand: &Operand) -> bool {
    operand.types.iter().any(is_big_integer)
}

impl Lowerer<'_> {
    /// The call without such arguments, of a rule that knows Integers of 64 bits: others fail.
    pub(super) fn without_big_integers(&mut self, call: &Invocation) -> Option<Invocation> {
        let mut args = call.args.clone();
        for arg in args.iter_mut().filter(|arg| holds_one(arg)) {
            let big = arg.types.filter(is_big_integer);
            let rest = arg.types.filter(|ty| !big.contains(ty));
            let name = match call.name.strip_prefix(super::PRIMITIVE) {
                Some(part) => self.public_name().unwrap_or_else(|| part.into()),
                None => call.name.clone(),
            };
            let message = format!("`{name}` with an Integer beyond 64 bits cannot run in a section");
            let hint = "compute with it in steps that docs/ruby.md names, or do it after the section";
            if rest.is_empty() {
                self.refuse_here("unsupported-argument", message, Some(hint.into()));
                return None;
            }
            let is_big = self.is_one_of(arg, &big);
            let ok = self.b.unary(UnaryOp::Not, is_big.value);
            let told = format!("{message} [unsupported-argument]\n  hint: {hint}");
            self.check(ok, ErrorKind::Unsupported(told), &[]);
            *arg = self.narrow(arg, &rest);
        }
        Some(call.with_args(args))
    }
}
