//! Kernel's conversions: `Integer`, `Float`, `Array`, `Hash`, `String`.

use super::Invocation;
use crate::infer::{CallType, Lowerer, Operand, is_big_integer};
use crate::ir::{Comparison, ErrorKind};
use crate::types::Type;

pub(super) fn convert(s: &mut Lowerer<'_>, call: &Invocation, to_integer: bool) -> Operand {
    let exception = match &call.keywords[..] {
        [(name, value)] if name == "exception" => value.types.single(),
        _ => Some(&Type::True),
    };
    let quiet = exception == Some(&Type::False);
    if !matches!(exception, Some(Type::True | Type::False)) {
        return s.refuse_here(
            "unsupported-method",
            format!("`{}` with an `exception` that is not written out cannot run in a section", call.name),
            Some("write exception: false".into()),
        );
    }
    let is_plain = call.keywords.iter().all(|(name, _)| name == "exception");
    let call = &match is_plain {
        true => Invocation { keywords: vec![], ..call.with_args(call.args.clone()) },
        false => call.with_args(call.args.clone()),
    };
    if !s.count_arguments(call, 1, if to_integer { 2 } else { 1 }) {
        return Operand::bottom();
    }
    let is_text = |operand: &Operand| operand.types.iter().any(Type::is_string);
    if let Some(base) = call.args.get(1)
        && !is_text(&call.args[0])
        && (base.types.single() != Some(&Type::Integer) || s.literal(base).is_none_or(|base| base == 0))
    {
        return s.refuse_here(
            "unsupported-method",
            "`Integer` with a base takes a String, and a number as the base, in a section".to_owned(),
            Some("leave the base away".into()),
        );
    }
    s.switch(&call.args[0], 0, &mut |s, arg| match arg.types.single() {
        Some(ty) if is_big_integer(ty) && call.args.len() == 1 => {
            if to_integer {
                arg
            } else {
                s.send(&arg, "to_f", &[], 1)
            }
        }
        Some(ty) if ty.is_string() => super::string::number(s, call, &arg, to_integer, quiet),
        Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) => {
            let (names, wanted) = match to_integer {
                true => (&["to_int", "to_i"][..], Type::Integer),
                false => (&["to_f"][..], Type::Float),
            };
            let known = names.iter().zip(1..).find(|(name, _)| s.responds(&arg, name));
            // Its text would be read, or what its method raises be nil.
            let is_text = to_integer && s.responds(&arg, "to_str");
            if is_text || call.args.len() == 2 || (quiet && known.is_some()) {
                return s.refuse_here(
                    "unsupported-method",
                    format!("`{}` of {} cannot run in a section", call.name, s.describe(&arg.types)),
                    Some("call the method that gives the number".into()),
                );
            }
            let Some((name, slot)) = known else {
                let into = if to_integer { " into Integer" } else { " into Float" };
                return if quiet { Operand::nil() } else { s.fail_conversion("can't convert ", &arg, into) };
            };
            let given = s.send_from(&arg, name, &[], slot, crate::infer::CallType::Own);
            if given.is_bottom() || given.types.single() == Some(&wanted) {
                return given;
            }
            refuse_conversion(s, call, &arg, name)
        }
        _ if quiet && call.args.len() == 2 => Operand::nil(),
        Some(Type::Float) if quiet && to_integer => s.send(&arg, "#to_i_if_finite", &[], 1),
        Some(Type::Integer | Type::Float) if call.args.len() == 1 => {
            s.send(&arg, if to_integer { "to_i" } else { "to_f" }, &[], 1)
        }
        _ if quiet => Operand::nil(),
        _ if call.args.len() == 2 => {
            s.fail(ErrorKind::ArgumentError("base specified for non string value".into()), &[])
        }
        _ => {
            let into = if to_integer { " into Integer" } else { " into Float" };
            s.fail_conversion("can't convert ", &arg, into)
        }
    })
}

/// `Array(x)`: what `to_ary` or `to_a` give, else an array of one item.
pub(super) fn array(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => arg,
        Some(Type::Nil | Type::Column(..) | Type::Range { .. } | Type::Enumerator(..)) => {
            s.send(&arg, "to_a", &[], 1)
        }
        Some(ty) if ty.is_hash() || ty.is_text_range() || crate::infer::is_held_range(ty) => {
            s.send(&arg, "to_a", &[], 1)
        }
        Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) => {
            for (slot, name) in [(1, "to_ary"), (2, "to_a")] {
                if s.responds(&arg, name) {
                    return s.send_from(&arg, name, &[], slot, CallType::Own);
                }
            }
            s.tuple(&[arg])
        }
        _ => s.tuple(&[arg]),
    })
}

/// `Hash(x)`: of nil and of an empty array that without pairs, else what `to_hash` gives.
pub(super) fn hash_of(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let empty = |s: &mut Lowerer<'_>| super::made_hash::literal(s, &call.with_args(vec![]));
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(ty) if ty.is_hash() => arg,
        Some(Type::Nil) => empty(s),
        Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => {
            let size = s.send(&arg, "size", &[], 1);
            if size.is_bottom() {
                return size;
            }
            let zero = s.b.i64(0);
            let is_empty = s.b.compare(Comparison::Eq, size.value(), zero);
            s.check(is_empty, ErrorKind::TypeError("can't convert Array into Hash".into()), &[]);
            empty(s)
        }
        Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) if s.responds(&arg, "to_hash") => {
            let given = s.send_from(&arg, "to_hash", &[], 2, CallType::Own);
            match given.is_bottom() || given.types.iter().all(Type::is_hash) {
                true => given,
                false => refuse_conversion(s, call, &arg, "to_hash"),
            }
        }
        // Here true and false are told by their classes.
        _ => s.each_of_bool(&arg, &mut |s, arg| {
            let name = arg.types.iter().next().map_or_else(String::new, |ty| s.coercion_name(ty));
            let name = match name.as_str() {
                "true" => "TrueClass",
                "false" => "FalseClass",
                name => name,
            };
            s.fail(ErrorKind::TypeError(format!("can't convert {name} into Hash")), &[])
        }),
    })
}

/// `String(x)`: what `to_str` or `to_s` give.
pub(super) fn string_of(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&arg, 0, &mut |s, arg| {
        let is_object = arg.types.single().is_some_and(|ty| ty.is_instance() && !ty.is_string());
        let name = if is_object && s.responds(&arg, "to_str") { "to_str" } else { "to_s" };
        let given = match arg.types.single() {
            Some(ty) if ty.is_string() => return arg,
            _ => s.send_from(&arg, name, &[], 1, CallType::Own),
        };
        match given.is_bottom() || given.types.iter().all(Type::is_string) {
            true => given,
            false => refuse_conversion(s, call, &arg, name),
        }
    })
}

fn refuse_conversion(s: &mut Lowerer<'_>, call: &Invocation, arg: &Operand, name: &str) -> Operand {
    let what = s.describe(&arg.types);
    s.refuse_here(
        "unsupported-method",
        format!("`{}` of {what} cannot run in a section", call.name),
        Some(format!("let its `{name}` give what it is named after, and nothing else")),
    )
}
