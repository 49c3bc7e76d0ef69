//! Numbers that are put together of two ([`ClassId::parts`]): what `core/complex.rb`, `core/rational.rb` and Kernel's
//! functions leave to Rust.

use super::numeric::{not_a_number, order_with_object};
use super::{Row, bare, carrying, numeric, row};
use crate::infer::{Lowerer, Operand};
use crate::ir::ErrorKind;
use crate::types::{ClassId, Type};

/// Of numbers that are put together of others ([`ClassId::parts`]): what they leave to the `coerce` of an argument.
pub(super) const ROWS: &[Row] = &[
    carrying("#by_coerce", |s, c| {
        let name = s.symbol_name(&c.args[0]).unwrap_or_default();
        let receiver = c.receiver.clone();
        s.switch(&c.args[1], 0, &mut |s, arg| not_a_number(s, &name, &receiver, &arg))
    }),
    carrying("#order_by_coerce", |s, c| {
        let receiver = c.receiver.clone();
        s.switch(&c.args[0], 0, &mut |s, arg| order_with_object(s, &receiver, &arg))
    }),
];

/// Of all objects: they make numbers, and say why there is none.
pub(super) const OF_ALL: &[Row] = &[
    row("#no_number", |s, c| {
        let wanted = s.symbol_name(&c.args[0]).unwrap_or_default();
        no_number(s, &c.receiver, &wanted)
    }),
    bare("#refuse_part", |s, _| {
        s.refuse_here(
            "unsupported-argument",
            "a Complex cannot be a part of another number in a section",
            Some("call real on it".into()),
        )
    }),
    bare("#refuse_quiet_number", |s, _| {
        s.refuse_here(
            "unsupported-argument",
            "`exception: false` of Complex and Rational cannot run in a section",
            Some("look at what they are made of first".into()),
        )
    }),
    numeric("#complex", |s, c| s.new_number(ClassId::COMPLEX, &[&c.args[0], &c.args[1]])),
    numeric("#rational", |s, c| s.new_number(ClassId::RATIONAL, &[&c.args[0], &c.args[1]])),
];

/// `Complex` or `Rational`, or a part of a Complex, of what is no number.
fn no_number(s: &mut Lowerer<'_>, operand: &Operand, wanted: &str) -> Operand {
    s.switch(operand, 0, &mut |s, operand| {
        let is_text = operand.types.iter().any(Type::is_string);
        let converts = ["to_r", "to_c", "to_int", "real?"].iter().any(|name| s.responds(&operand, name));
        if is_text || converts {
            let what = s.describe(&operand.types);
            let wanted = match wanted {
                "part" => "Complex",
                "ratio" => "Rational",
                wanted => wanted,
            };
            return s.refuse_here(
                "unsupported-argument",
                format!("`{wanted}` of {what} cannot run in a section"),
                Some("make it of numbers".into()),
            );
        }
        match wanted {
            "part" => s.fail(ErrorKind::TypeError("not a real".into()), &[]),
            "ratio" => s.fail(ErrorKind::TypeError("not an integer".into()), &[]),
            wanted => s.fail_conversion("can't convert ", &operand, &format!(" into {wanted}")),
        }
    })
}
