//! Dates, which a section knows by their days ([`ClassId::parts`]): what `core/date.rb` and `core/date_class.rb` leave to
//! Rust.

use super::{Invocation, Row, bare, carrying, row};
use crate::infer::host::{FoundMethod, Method};
use crate::infer::{Lowerer, Operand, class_of, module_of};
use crate::ir::{BinaryOp, Comparison, ErrorKind};
use crate::types::{ClassId, Type, TypeSet};

/// Of all objects: Dates are made, and asked for, by methods that take anything.
pub(super) const OF_ALL: &[Row] = &[
    row("#date", |s, c| made(s, &c.args[0])),
    bare("#day_of", day_of),
    bare("#date?", |s, c| {
        let is_date =
            c.receiver.types.single().is_some_and(|ty| class_of(ty) == ClassId::DATE && ty.is_instance());
        Operand::bool(s.b.bool(is_date))
    }),
    bare("#refuse_fraction", |s, _| {
        refuse(s, "a Date with a part of a day", "add whole days, and keep hours as a number of their own")
    }),
    bare("#refuse_calendar", |s, _| {
        refuse(
            s,
            "a Date with another reform of the calendar than Date::ITALY",
            "leave the last argument out",
        )
    }),
    bare("#refuse_year", |s, _| refuse(s, "a Date so far away", "keep years within some hundred millions")),
    bare("#refuse_date_text", |s, _| {
        refuse(s, "a Date of such a text", "write it as YYYY-MM-DD, or parse it before the section")
    }),
    bare("#refuse_date_format", |s, _| {
        refuse(
            s,
            "a Date in such a format",
            "write it as Ruby's manual has it, or format it after the section",
        )
    }),
    bare("#refuse_date_argument", |s, _| {
        refuse(s, "a Date and such an argument", "give it an Integer, or another Date")
    }),
];

/// Of the class.
pub(super) const MODULE_ROWS: &[Row] = &[carrying("new", |s, c| {
    let is_own = matches!(
        s.host.method(ClassId::DATE, "initialize"),
        Ok(Some(FoundMethod { method: Method::Native { .. }, .. }))
    );
    match module_of(&c.receiver) {
        Some(class) if is_own => match class {
            ClassId::DATE => s.send(&c.receiver, "#new", &c.args, 4),
            class => s.construct(class, &c.arguments(true), c.block.as_ref()),
        },
        Some(class) => s.construct(class, &c.arguments(true), c.block.as_ref()),
        None => Operand::bottom(),
    }
})];

/// Days beyond these are Integers on Ruby's heap.
const FARTHEST: i64 = (1 << 62) - 1;

fn made(s: &mut Lowerer<'_>, day: &Operand) -> Operand {
    if day.types != Type::Integer.into() {
        return refuse(s, "a Date so far away", "keep years within some hundred millions");
    }
    let [first, last] = [-FARTHEST, FARTHEST].map(|day| s.b.i64(day));
    let above = s.b.compare(Comparison::Ge, day.value(), first);
    let below = s.b.compare(Comparison::Le, day.value(), last);
    let within = s.b.binary(BinaryOp::AndB, above, below);
    let message = told("a Date so far away", "keep years within some hundred millions");
    s.check(within, ErrorKind::Unsupported(message), &[]);
    s.new_number(ClassId::DATE, &[day])
}

/// The day of a Date, of which it is known that it has one.
fn day_of(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(ty) = call.receiver.types.single() else { return Operand::bottom() };
    if class_of(ty) != ClassId::DATE {
        let what = s.describe(&call.receiver.types);
        return s.refuse_here(
            "unsupported-argument",
            format!("{what} is made in C, and cannot be compared with a Date in a section"),
            Some(
                "keep numbers, taken before the section: time.to_f, date.jd, or a difference of two of them"
                    .into(),
            ),
        );
    }
    let day = s.read_ivar(&call.receiver, ClassId::DAY);
    let known: TypeSet = Type::Integer.into();
    if day.is_bottom() || day.types == known {
        return day;
    }
    s.switch(&day, 0, &mut |s, day| match day.types.single() {
        Some(Type::Integer) => day,
        _ => refuse(
            s,
            "a Date with a part of a day, with another reform of the calendar than Date::ITALY, or very far away",
            "keep what of it is needed, taken before the section: date.jd, or date.ajd.to_f",
        ),
    })
}

fn refuse(s: &mut Lowerer<'_>, what: &str, hint: &str) -> Operand {
    s.refuse_here("unsupported-argument", format!("{what} cannot be in a section"), Some(hint.into()))
}

fn told(what: &str, hint: &str) -> String {
    format!("{what} cannot be in a section [unsupported-argument]\n  hint: {hint}")
}
