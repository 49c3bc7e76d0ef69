//! Output: what its methods, which are Ruby (`output.rb`), are made of.
//!
//! `puts` and its like are Ruby (`output.rb`): they make texts by `to_s` and `inspect`.

use super::{Builtin, Invocation, Row, bare, carrying, ruby_method, spreading};
use crate::heap::printed;
use crate::infer::{Lowerer, Operand};
use crate::ir::ErrorKind;
use crate::types::Type;

/// A method of a stream.
pub(crate) fn lookup(name: &str) -> Option<Builtin> {
    match STREAM_ROWS.iter().find(|row| row.name == name) {
        Some(row) => Some(Builtin::Rule(row)),
        None => ruby_method("IO", name).map(Builtin::Ruby),
    }
}

const STREAM_ROWS: &[Row] = &[spreading("printf", |s, c| {
    let stream = s.stream_number(&c.receiver);
    print_formatted(s, c, &stream)
})];

/// Of all objects.
pub(super) const ROWS: &[Row] = &[
    spreading("printf", |s, c| match c.args.first() {
        None if c.splat.is_some() => s.refuse_splat(),
        None => Operand::nil(),
        Some(first) => s.switch(first, 0, &mut |s, first| match first.types.single() {
            Some(ty) if ty.is_string() => {
                let stdout = Operand::integer(s.b.i64(printed::STDOUT));
                print_formatted(s, c, &stdout)
            }
            Some(ty) if s.is_stream(ty) => {
                let stream = s.stream_number(&first);
                let splat = c.splat.clone();
                print_formatted(s, &Invocation { splat, ..c.with_args(c.args[1..].to_vec()) }, &stream)
            }
            _ => {
                let what = s.describe(&first.types);
                s.refuse_here(
                    "unsupported-argument",
                    format!("`printf` with {what} as its first argument cannot run in a section"),
                    Some("give it a format, or a stream and a format".into()),
                )
            }
        }),
    }),
    bare("#out_stream", |s, c| s.stream_number(&c.receiver)),
    // The stream, what has or gives a text, and how it is printed.
    carrying("#out", |s, c| {
        let text = super::text_of(s, &c.args[1]);
        let (stream, how) = (c.args[0].value(), c.args[2].value());
        s.switch(&text, 1, &mut |s, text| match text.types.single() {
            Some(ty) if ty.is_string() => {
                s.print_text(stream, &text, how);
                Operand::nil()
            }
            _ => {
                let what = s.describe(&text.types);
                let message = format!("a `to_s` that gives {what} cannot be printed in a section");
                s.refuse_here("unsupported-conversion", message, Some("have it give a String".into()))
            }
        })
    }),
    // What `puts` does with each of its arguments.
    carrying("#out_line", |s, c| {
        let receiver = c.receiver.clone();
        let stream = c.args[0].clone();
        s.switch(&c.args[1], 0, &mut |s, value| match value.types.single() {
            Some(Type::Array(_) | Type::List(_) | Type::Tuple(_)) => {
                s.send(&receiver, "#out_items", &[stream.clone(), value], 0)
            }
            Some(ty) if !ty.is_string() && (s.responds(&value, "to_ary") || s.responds(&value, "to_str")) => {
                let what = s.describe(&value.types);
                s.refuse_here(
                    "unsupported-conversion",
                    format!("`puts` of {what}, which has a `to_ary` or `to_str`, cannot run in a section"),
                    Some("call that, or to_s".into()),
                )
            }
            _ => {
                let how = Operand::integer(s.b.i64(printed::How::Line as i64));
                s.send(&receiver, "#out", &[stream.clone(), value, how], 1)
            }
        })
    }),
    // What `putc` prints of its argument.
    carrying("#out_first", |s, c| {
        s.switch(&c.args[0], 0, &mut |s, value| match value.types.single() {
            Some(ty) if ty.is_string() => {
                let [from, count] = [0, 1].map(|number| Operand::integer(s.b.i64(number)));
                s.send(&value, "[]", &[from, count], 0)
            }
            _ => {
                let Some(number) = super::integer::to_integer_argument(s, &value) else {
                    return Operand::bottom();
                };
                let [one, binary, mask] = [1, 2, 0xff].map(|number| s.b.i64(number));
                let byte = s.b.binary(crate::ir::BinaryOp::And, number, mask);
                let string = s.new_string(one, binary);
                s.push_byte(&string, byte);
                string
            }
        })
    }),
    // Does `pp` print a value as `p` does, where that fits a line?
    carrying("#out_pretty", |s, c| {
        let receiver = c.receiver.clone();
        s.switch(&c.args[0], 0, &mut |s, value| match value.types.single() {
            Some(Type::Array(_) | Type::List(_) | Type::Tuple(_)) => {
                s.send(&receiver, "#out_pretty_items", &[value], 0)
            }
            Some(ty) if ty.is_hash() => s.send(&receiver, "#out_pretty_pairs", &[value], 1),
            Some(ty) if ty.is_string() => Operand::nil(),
            Some(Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol)
            | None => Operand::nil(),
            _ => {
                let what = s.describe(&value.types);
                s.refuse_here(
                    "unsupported-argument",
                    format!("`pp` of {what} cannot run in a section"),
                    Some("use `p`, or print behind the section".into()),
                )
            }
        })
    }),
    bare("#refuse_pretty", |s, _| {
        refuse(s, "`pp` of what takes more than a line", "use `p`, or print behind the section")
    }),
    bare("#refuse_warning", |s, _| {
        refuse(s, "`warn` with `uplevel:` or `category:`", "warn without them, or behind the section")
    }),
    bare("#refuse_last_line", |s, _| refuse(s, "`print` of `$_`", "give it what is to be printed")),
];

fn refuse(s: &mut Lowerer<'_>, what: &str, hint: &str) -> Operand {
    let message = format!("{what} cannot run in a section [unsupported-argument]\n  hint: {hint}");
    s.fail(ErrorKind::Unsupported(message), &[])
}

/// Prints what `format` makes of the arguments.
fn print_formatted(s: &mut Lowerer<'_>, call: &Invocation, stream: &Operand) -> Operand {
    let text = super::string_format::format(s, call);
    if text.is_bottom() || stream.is_bottom() {
        return Operand::bottom();
    }
    let how = Operand::integer(s.b.i64(printed::How::AsTheyAre as i64));
    s.send(&call.receiver, "#out", &[stream.clone(), text, how], 2)
}
