//! String: what its methods, which are Ruby (`string.rb`), are made of. See [`crate::infer`]'s `strings.rs` for where bytes
//! are.

use super::{Invocation, Row, bare, carrying, row};
use crate::infer::{Lowerer, Operand};
use crate::ir::{Comparison, ErrorKind, UnaryOp};
use crate::types::Type;

pub(super) const ROWS: &[Row] = &[
    bare("bytesize", size),
    carrying("==", equal),
    carrying("===", equal),
    carrying("eql?", |s, c| {
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        equal_to(s, c, &other)
    }),
    bare("empty?", |s, c| {
        let (size, zero) = (s.string_size(&c.receiver), s.b.i64(0));
        Operand::bool(s.b.compare(Comparison::Eq, size, zero))
    }),
    bare("ascii_only?", |s, c| Operand::bool(s.string_is_ascii(&c.receiver))),
    bare("to_s", |_, c| c.receiver.clone()),
    bare("to_str", |_, c| c.receiver.clone()),
    bare("+@", |s, c| {
        let frozen = s.is_frozen_string(&c.receiver);
        if s.b.constant(frozen) == Some(0) {
            return c.receiver.clone();
        }
        let condition = crate::infer::Condition { value: frozen, yes: vec![], no: vec![] };
        let receiver = c.receiver.clone();
        s.branch(3, condition, |s| s.send(&receiver, "#copy_string", &[], 1), |_| receiver.clone())
    }),
    bare("freeze", freeze),
    bare("hash", |s, _| {
        s.refuse_here(
            "unsupported-method",
            "`String#hash` is another number in each process, and cannot be asked for in a section",
            Some("use the String itself as a key, or sum".into()),
        )
    }),
];

pub(super) const COMMON: &[Row] = &[
    bare("frozen?", |s, c| Operand::bool(s.is_frozen_string(&c.receiver))),
    bare("dup", |s, c| s.send(&c.receiver, "#copy_string", &[], 1)),
    bare("clone", |s, c| {
        let copy = s.send(&c.receiver, "#copy_string", &[], 1);
        if copy.is_bottom() {
            return copy;
        }
        let frozen = s.is_frozen_string(&c.receiver);
        if s.b.constant(frozen) != Some(0) {
            let condition = crate::infer::Condition { value: frozen, yes: vec![], no: vec![] };
            s.branch(
                3,
                condition,
                |s| {
                    s.freeze_string(&copy, false);
                    Operand::nil()
                },
                |_| Operand::nil(),
            );
        }
        copy
    }),
];

pub(super) const PRIMITIVES: &[Row] = &[
    bare("#bytesize", size),
    bare("#encoding", |s, c| Operand::integer(s.string_encoding(&c.receiver))),
    bare("#ascii?", |s, c| Operand::bool(s.string_is_ascii(&c.receiver))),
    bare("#hash", |s, c| Operand::integer(s.string_hash(&c.receiver))),
    row("#byte", |s, c| Operand::integer(s.string_byte(&c.receiver, c.args[0].value()))),
    carrying("#same_bytes?", |s, c| {
        let (receiver, [start, other_start, count]) = (&c.receiver, [1, 2, 3].map(|i| c.args[i].value()));
        s.switch(&c.args[0], 0, &mut |s, other| {
            Operand::bool(s.same_bytes((receiver, start), (&other, other_start), count))
        })
    }),
    carrying("#index_bytes", |s, c| {
        let (receiver, from) = (&c.receiver, c.args[1].value());
        s.switch(&c.args[0], 0, &mut |s, other| Operand::integer(s.index_of_bytes(receiver, &other, from)))
    }),
    row("#build", |s, c| {
        let encoding = s.string_encoding(&c.receiver);
        s.new_string(c.args[0].value(), encoding)
    }),
    carrying("#no_string", |s, c| {
        s.fail_conversion("no implicit conversion of ", &c.args[0], " into String")
    }),
    bare("#as_key", |s, c| match c.receiver.types.iter().any(Type::is_made_string) {
        true => s.send(&c.receiver, "#frozen_copy", &[], 1),
        false => c.receiver.clone(),
    }),
    bare("#freeze", |s, c| {
        s.freeze_string(&c.receiver, false);
        c.receiver.clone()
    }),
    bare("#intern", |s, c| {
        s.freeze_string(&c.receiver, true);
        c.receiver.clone()
    }),
    bare("#made?", |s, c| {
        let made = c.receiver.types.iter().any(Type::is_made_string);
        Operand::bool(s.b.bool(made))
    }),
    bare("#check_frozen", |s, c| {
        if !c.receiver.types.iter().any(Type::is_made_string) {
            return refuse_change(s);
        }
        let frozen = s.is_frozen_string(&c.receiver);
        let ok = s.b.unary(UnaryOp::Not, frozen);
        let message =
            "can't modify frozen String that a section has made [changed-record]\n  hint: change a copy: dup";
        s.check(ok, ErrorKind::Unsupported(message.into()), &[]);
        Operand::nil()
    }),
];

/// Of one that the section makes.
pub(super) const MADE_PRIMITIVES: &[Row] = &[
    row("#push", |s, c| {
        s.push_byte(&c.receiver, c.args[0].value());
        c.receiver.clone()
    }),
    carrying("#append", |s, c| {
        let (receiver, start, count) = (&c.receiver, c.args[1].value(), c.args[2].value());
        s.switch(&c.args[0], 0, &mut |s, other| {
            s.append_bytes(receiver, &other, start, count);
            Operand::nil()
        });
        receiver.clone()
    }),
    row("#set_byte", |s, c| {
        s.set_byte(&c.receiver, c.args[0].value(), c.args[1].value());
        c.receiver.clone()
    }),
    row("#truncate", |s, c| {
        s.truncate_string(&c.receiver, c.args[0].value());
        c.receiver.clone()
    }),
    row("#force", |s, c| {
        s.force_encoding(&c.receiver, c.args[0].value());
        c.receiver.clone()
    }),
    carrying("#take", |s, c| {
        s.take_string(&c.receiver, &c.args[0]);
        c.receiver.clone()
    }),
];

fn size(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    Operand::integer(s.string_size(&call.receiver))
}

fn equal(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(other) = s.one_argument(call) else { return Operand::bottom() };
    equal_to(s, call, &other)
}

fn equal_to(s: &mut Lowerer<'_>, call: &Invocation, other: &Operand) -> Operand {
    let receiver = call.receiver.clone();
    s.switch(other, 0, &mut |s, other| match other.types.single() {
        Some(ty) if ty.is_string() => s.same_strings(&receiver, &other),
        Some(ty) if call.name != "eql?" && ty.is_instance() && s.responds(&other, "to_str") => {
            let what = s.describe(&other.types);
            s.refuse_here(
                "unsupported-argument",
                format!(
                    "`{}` of a String with {what}, which has a `to_str`, cannot run in a section",
                    call.name
                ),
                Some("call to_str on it".into()),
            )
        }
        _ => Operand::bool(s.b.bool(false)),
    })
}

/// Of a String that the section makes, or that is frozen.
fn freeze(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let receiver = &call.receiver;
    if receiver.types.iter().any(Type::is_made_string) {
        s.freeze_string(receiver, false);
        return receiver.clone();
    }
    let frozen = s.is_frozen_string(receiver);
    if s.b.constant(frozen) == Some(0) {
        return refuse_change(s);
    }
    s.check(frozen, ErrorKind::Unsupported(format!("{CHANGE} [unsupported-string]\n  hint: {COPY}")), &[]);
    receiver.clone()
}

const CHANGE: &str = "a String that was there before the section cannot be changed in it";
const COPY: &str = "change a copy: string.dup, or +\"\" << string";

fn refuse_change(s: &mut Lowerer<'_>) -> Operand {
    s.refuse_here("unsupported-string", CHANGE, Some(COPY.into()))
}

/// What an expression in a String gives.
pub(crate) fn text_of(s: &mut Lowerer<'_>, value: &Operand) -> Operand {
    s.switch(value, 0, &mut |s, value| match value.types.single() {
        Some(ty) if ty.is_string() => value,
        _ => s.send(&value, "to_s", &[], 1),
    })
}
