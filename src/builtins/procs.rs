//! Proc and Method: lambdas and procs that the section makes or captures, known at compile time.

use super::kernel::literal_name;
use super::{Invocation, Row, bare, carrying, forwarding, row};
use crate::infer::{BlockRef, Lowerer, MadeProc, Operand};
use crate::ir::ErrorKind;
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    forwarding("call", call),
    forwarding("()", call),
    forwarding("yield", call),
    forwarding("[]", call),
    forwarding("===", call),
    bare("lambda?", |s, c| match s.proc_of(&c.receiver) {
        Some(BlockRef::Made { what: MadeProc::Composed | MadeProc::Curried(_), .. }) => s.refuse_here(
            "unsupported-method",
            "`lambda?` of a proc that `>>`, `<<` or `curry` has made cannot run in a section",
            Some("ask the procs that it is made of".into()),
        ),
        block => {
            let is_proc = match block {
                Some(
                    BlockRef::Literal { lambda, .. }
                    | BlockRef::Outer { lambda, .. }
                    | BlockRef::Held { lambda, .. },
                ) => !lambda,
                _ => false,
            };
            Operand::bool(s.b.bool(!is_proc))
        }
    }),
    bare("to_proc", |_, c| c.receiver.clone()),
    carrying(">>", |s, c| composed(s, c, true)),
    carrying("<<", |s, c| {
        if !is_yielder(s, &c.receiver) {
            return composed(s, c, false);
        }
        let Some(value) = s.one_argument(c) else { return Operand::bottom() };
        let given = s.send(&c.receiver, "yield", &[value], 1);
        if given.is_bottom() { given } else { c.receiver.clone() }
    }),
    // What the block of `Enumerator.new` gives goes to the block here.
    carrying("#generate", |s, c| {
        let Some(block) = s.block_of(c) else { return Operand::bottom() };
        let block = s.passed_block(Some(&block));
        let yielder = s.make_of(MadeProc::Yielder, vec![block]);
        if yielder.is_bottom() { yielder } else { s.send(&c.receiver, "call", &[yielder], 1) }
    }),
    bare("arity", arity),
    row("curry", curry),
];

pub(super) const METHOD_ROWS: &[Row] = &[
    forwarding("call", call),
    forwarding("()", call),
    forwarding("[]", call),
    forwarding("===", call),
    bare("to_proc", |s, c| s.proc_of_method(&c.receiver)),
    carrying(">>", |s, c| composed(s, c, true)),
    carrying("<<", |s, c| composed(s, c, false)),
    bare("arity", arity),
    row("curry", curry),
    bare("receiver", |s, c| match s.proc_of(&c.receiver) {
        Some(BlockRef::Made { parts, .. }) if !parts.is_empty() => parts[0].clone(),
        Some(BlockRef::Outer { .. } | BlockRef::Held { .. }) => refuse_outer(s, c),
        _ => Operand::bottom(),
    }),
    bare("name", |s, c| match s.proc_of(&c.receiver) {
        Some(BlockRef::Made { what: MadeProc::Method(name), .. }) => s.symbol(&name),
        Some(BlockRef::Outer { .. } | BlockRef::Held { .. }) => refuse_outer(s, c),
        _ => Operand::bottom(),
    }),
];

fn is_yielder(s: &mut Lowerer<'_>, operand: &Operand) -> bool {
    matches!(s.proc_of(operand), Some(BlockRef::Made { what: MadeProc::Yielder, .. }))
}

/// Those of objects.
pub(super) const HELD_ROWS: &[Row] = &[carrying("==", equal), carrying("eql?", equal)];

/// Two Procs can be equal where they come from one literal, two Methods where they are one method of one object. Only
/// Ruby knows.
fn equal(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let (receiver, arg) = (s.held(&call.receiver), s.held(&arg));
    s.switch(&arg, 5, &mut |s, arg| {
        if [&receiver, &arg].into_iter().all(|operand| operand.types.iter().all(Type::is_made_proc)) {
            return s.are_one_proc(&receiver, &arg, false).map_or_else(Operand::bottom, Operand::bool);
        }
        let same = s.send(&receiver, "#same", std::slice::from_ref(&arg), 6);
        let may_be_equal = match (receiver.types.single(), arg.types.single()) {
            (Some(Type::Object(_, a)), Some(Type::Object(_, b))) => {
                let is_method = |class| s.host.real_class(class) == ClassId::METHOD;
                a == b || is_method(*a) && is_method(*b)
            }
            _ => false,
        };
        if may_be_equal && !same.is_bottom() {
            let what = format!(
                "`{}` of two Procs of one literal, or of two Methods, cannot run in a section [unsupported-identity]\n  \
                 hint: compare with `equal?`",
                call.name
            );
            s.check(same.value(), ErrorKind::Unsupported(what), &[]);
        }
        same
    })
}

fn refuse_outer(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    s.refuse_here(
        "unsupported-method",
        format!("`Method#{}` of one from around the section cannot run in it", call.name),
        Some("ask before the section".into()),
    )
}

/// `object.method(:name)`
pub(super) fn method(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(name) = s.one_argument(call).and_then(|_| literal_name(s, call)) else {
        return Operand::bottom();
    };
    if !s.has_method(&call.receiver, &name) {
        return s.refuse_here(
            "unsupported-method",
            format!("`method(:{name})` of {} cannot run in a section", s.describe(&call.receiver.types)),
            Some("name a method that it has, or write a block that makes the call".into()),
        );
    }
    s.make_of(MadeProc::Method(name), vec![call.receiver.clone()])
}

/// `f >> g` is what calls f, and g with what f gives; `f << g` the other way round.
fn composed(s: &mut Lowerer<'_>, call: &Invocation, forward: bool) -> Operand {
    let Some(other) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&other, 0, &mut |s, other| {
        let is_proc = matches!(other.types.single(), Some(Type::Proc(_) | Type::Closure(..)));
        if !is_proc && !s.responds(&other, "call") {
            let message = "callable object is expected";
            return s.fail(ErrorKind::TypeError(message.into()), &[]);
        }
        let both = [call.receiver.clone(), other];
        let parts = if forward { both.into() } else { both.into_iter().rev().collect() };
        s.make_of(MadeProc::Composed, parts)
    })
}

fn arity(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let found = s.proc_of(&call.receiver).and_then(|block| s.arity_of(&block));
    match found {
        Some(arity) => Operand::integer(s.b.i64(arity)),
        None => s.refuse_here(
            "unsupported-method",
            "the arity of what is not written in Ruby cannot be asked in a section",
            Some("ask before the section, or write the number".into()),
        ),
    }
}

fn curry(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let block = s.proc_of(&call.receiver);
    let given = match call.args.first() {
        Some(count) => s.constant_integer(count),
        None => block.as_ref().and_then(|block| s.arity_of(block)),
    };
    let (Some(given), Some(block)) = (given, block) else {
        return s.refuse_here(
            "unsupported-method",
            "`curry` of what is not written in Ruby, or to a number that is not written out, cannot run in a section",
            Some("write a lambda that takes the arguments".into()),
        );
    };
    let least = if given < 0 { -given - 1 } else { given };
    if !call.args.is_empty()
        && s.params_of(&block).is_some_and(|(params, is_proc)| !is_proc && !params.takes(least as usize))
    {
        return s.refuse_here(
            "unsupported-method",
            "`curry` to a number of arguments that the lambda does not take cannot run in a section",
            Some("give it the number that the lambda takes".into()),
        );
    }
    match least {
        0 => s.send(&call.receiver, "call", &[], 1),
        least => s.make_of(MadeProc::Curried(least as usize), vec![call.receiver.clone()]),
    }
}

fn call(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let block = s.proc_of(&call.receiver);
    match block {
        Some(block) => s.call_lambda(&block, call.arguments(false), call.block.as_ref()),
        // Made later in the code than it is called: in an earlier iteration.
        None if matches!(call.receiver.types.single(), Some(Type::Proc(_) | Type::Closure(..))) => {
            s.refuse_escaping()
        }
        None => Operand::bottom(),
    }
}
