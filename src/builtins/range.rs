//! Range of numbers.

use super::range_steps::{reverse_each, step};
use super::{Invocation, Row, bare, carrying, naming, row};
use crate::infer::{Lowerer, Operand, range_ends};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, Value};
use crate::types::{ClassId, RangeEnd, Type};

pub(super) const ROWS: &[Row] = &[
    row("===", covers),
    row("cover?", covers),
    row("include?", covers),
    row("member?", covers),
    row("begin", |s, c| end_of(s, c, 0)),
    row("first", |s, c| match (&c.args[..], range_ends(&c.receiver)) {
        (_, Some((None, ..))) => range_error(s, "cannot get the first element of beginless range"),
        ([], _) => end_of(s, c, 0),
        ([n], _) => taken(s, c, n, true),
        (args, _) => super::wrong_count(s, args.len(), "1"),
    }),
    row("last", |s, c| match (&c.args[..], range_ends(&c.receiver)) {
        (_, Some((_, None, ..))) => range_error(s, "cannot get the last element of endless range"),
        ([], _) => end_of(s, c, 1),
        (_, Some((None, ..))) => cannot_iterate(s, "NilClass"),
        (_, Some((_, _, _, RangeEnd::Float, _))) => cannot_iterate(s, "Float"),
        ([n], _) => taken(s, c, n, false),
        // Before it counts MRI looks whether there is anything between the ends.
        (args, _) => s.refuse_here(
            "unsupported-method",
            format!("`last` with {} arguments cannot run in a section", args.len()),
            Some("give it one".into()),
        ),
    }),
    row("take", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        taken(s, c, &n, true)
    }),
    row("drop", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        s.send(&c.receiver, "#drop", &[n], 1)
    }),
    row("min", |s, c| smallest(s, c, true)),
    row("max", |s, c| smallest(s, c, false)),
    carrying("sum", sum),
    row("map", |s, c| s.send_with_block(c, "#map")),
    row("collect", |s, c| s.send_with_block(c, "#map")),
    row("each_with_index", |s, c| s.send_with_block(c, "#each_with_index")),
    carrying("zip", |s, c| {
        let Some(c) = &super::several_arrays::zipped(s, c) else { return Operand::bottom() };
        let name = if c.block.is_some() { "#zip_block" } else { "#zip" };
        s.send_with_block(c, name)
    }),
    row("sort", |s, c| {
        let name = if c.block.is_some() { "#sort_block" } else { "#sort" };
        s.send_with_block(c, name)
    }),
    row("to_a", to_array),
    row("to_ary", to_array),
    row("entries", to_array),
    row("reverse_each", reverse_each),
    row("==", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let receiver = c.receiver.clone();
        s.switch(&arg, 0, &mut |s, arg| {
            let (Some(a), Some(b)) = (range_ends(&receiver), range_ends(&arg)) else {
                return Operand::bool(s.b.bool(false));
            };
            let mut same =
                s.b.bool(a.2 == b.2 && a.0.is_some() == b.0.is_some() && a.1.is_some() == b.1.is_some());
            for (x, y) in [((a.0, a.3), (b.0, b.3)), ((a.1, a.4), (b.1, b.4))] {
                if let ((Some(x), x_end), (Some(y), y_end)) = (x, y) {
                    let equal = super::numeric::compare(
                        s,
                        Comparison::Eq,
                        &end_operand(x_end, x),
                        &end_operand(y_end, y),
                    );
                    same = s.b.binary(BinaryOp::AndB, same, equal);
                }
            }
            Operand::bool(same)
        })
    }),
    row("end", |s, c| end_of(s, c, 1)),
    row("exclude_end?", |s, c| {
        let exclusive = range_ends(&c.receiver).is_some_and(|r| r.2);
        Operand::bool(s.b.bool(exclusive))
    }),
    row("size", size),
    row("#length", length),
    carrying("count", |s, c| match (&c.block, c.args.first()) {
        _ if !s.count_arguments(c, 0, 1) => Operand::bottom(),
        (_, Some(value)) => s.send(&c.receiver, "#count_value", std::slice::from_ref(value), 1),
        (Some(block), None) => s.send_block(&c.receiver, "#count_block", &[], Some(block.clone())),
        (None, None) => match range_ends(&c.receiver) {
            Some((Some(_), Some(_), _, RangeEnd::Float, _)) => cannot_iterate(s, "Float"),
            _ => size_of(s, c),
        },
    }),
    row("#empty?", |s, c| {
        let size = length(s, c);
        if size.is_bottom() {
            return size;
        }
        let zero = s.b.i64(0);
        Operand::bool(s.b.compare(Comparison::Eq, size.value(), zero))
    }),
    row("overlap?", |s, c| {
        let Some(other) = s.one_argument(c) else { return Operand::bottom() };
        let receiver = c.receiver.clone();
        s.switch(&other, 0, &mut |s, other| {
            if range_ends(&other).is_none() {
                return s.each_of_bool(&other, &mut |s, other| {
                    let class = s.describe_class(other);
                    s.fail(ErrorKind::TypeError(format!("wrong argument type {class} (expected Range)")), &[])
                });
            }
            // Versions differ on what a range of everything shares.
            let everything =
                |range: &Operand| range_ends(range).is_some_and(|ends| ends.0.is_none() && ends.1.is_none());
            if everything(&other) || everything(&receiver) {
                return s.refuse_here(
                    "unsupported-method",
                    "`overlap?` takes ranges with an end in a section",
                    None,
                );
            }
            s.send(&receiver, "#overlap?", &[other], 1)
        })
    }),
    row("step", |s, c| {
        let down = s.host.dialect().range_step_goes_down;
        step(s, c, down)
    }),
    row("%", |s, c| {
        let down = s.host.dialect().range_step_goes_down;
        step(s, c, down)
    }),
    // What `step` without a block gives goes down in all versions.
    row("#arithmetic_sequence", |s, c| step(s, c, true)),
];

pub(super) const MODULE_ROWS: &[Row] = &[carrying("new", |s, c| {
    let [low, high, rest @ ..] = &c.args[..] else { return super::wrong_count(s, c.args.len(), "2..3") };
    let (low, high) = (low.clone(), high.clone());
    let exclusive = match rest {
        [] => return s.range_between(Some(low), Some(high), false),
        [exclusive] => s.truth(exclusive),
        _ => return super::wrong_count(s, c.args.len(), "2..3"),
    };
    if let Some(exclusive) = s.b.constant(exclusive) {
        return s.range_between(Some(low), Some(high), exclusive != 0);
    }
    let condition = crate::infer::Condition { value: exclusive, yes: vec![], no: vec![] };
    let ends = || (Some(low.clone()), Some(high.clone()));
    let range = |s: &mut Lowerer<'_>, exclusive| {
        let (low, high) = ends();
        s.range_between(low, high, exclusive)
    };
    s.branch(36, condition, |s| range(s, true), |s| range(s, false))
})];

/// Of a Range of Strings.
pub(super) const TEXT_ROWS: &[Row] = &[
    bare("#from", |s, c| text_end(s, c, 0)),
    bare("#to", |s, c| text_end(s, c, 1)),
    bare("exclude_end?", |s, c| {
        let exclusive = c.receiver.types.single().is_some_and(Type::excludes_end);
        Operand::bool(s.b.bool(exclusive))
    }),
    bare("nil?", |s, _| Operand::bool(s.b.bool(false))),
    naming("min", text_extreme),
    naming("max", text_extreme),
    naming("minmax", text_extreme),
];

/// By its ends, but where it is told how many, or how they are compared.
fn text_extreme(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if call.block.is_some() || !call.args.is_empty() || !call.keywords.is_empty() {
        return (TEXT_ITEMS.rule)(s, call);
    }
    s.send(&call.receiver, &format!("#{}", call.name), &[], 1)
}

/// Its own methods that are those of an array of its Strings.
pub(super) const OF_TEXTS: &[&str] = &["count", "reverse_each"];

/// Those that it has as all objects do.
pub(super) const OF_ALL: &[&str] = &[
    "is_a?",
    "kind_of?",
    "instance_of?",
    "class",
    "itself",
    "then",
    "yield_self",
    "tap",
    "!",
    "!=",
    "freeze",
];

/// What it has from Enumerable.
pub(super) const TEXT_ITEMS: Row = naming("Enumerable", |s, c| {
    let items = s.send(&c.receiver, "to_a", &[], 2);
    if items.is_bottom() || !c.keywords.is_empty() && !s.count_arguments(c, 0, 0) {
        return Operand::bottom();
    }
    // Of an array it would tell the index.
    let name = match (&*c.name, &c.block) {
        ("to_h", Some(_)) => "#to_h_block",
        ("to_h", None) => "#to_h",
        (name, _) => name,
    };
    let found = s.send_block(&items, name, &c.args, c.block.clone());
    // How many texts there are, a range does not know.
    if let (None, Some(Type::Enumerator(method, parts))) = (&c.block, found.types.single())
        && !method.starts_with('#')
    {
        let types = Type::Enumerator(super::named_enumerator(method, false).into(), parts.clone()).into();
        return Operand { types, ..found };
    }
    let gives_itself = matches!(
        c.name.as_str(),
        "each_with_index" | "reverse_each" | "each_entry" | "each_slice" | "each_cons"
    );
    if c.block.is_some() && gives_itself && !found.is_bottom() { c.receiver.clone() } else { found }
});

fn text_end(s: &mut Lowerer<'_>, call: &Invocation, end: usize) -> Operand {
    s.tuple_items(&call.receiver).into_iter().nth(end).unwrap_or_else(Operand::bottom)
}

pub(super) fn refuse_object(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let what = call.args.first().map_or_else(String::new, |arg| s.describe(&arg.types));
    s.refuse_here(
        "unsupported-argument",
        format!("`Range#{}` with {what} cannot run in a section", call.name),
        Some("give it a number".into()),
    )
}

/// `n` is between the ends.
fn covers(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let Some((low, high, exclusive, low_end, high_end)) = range_ends(&call.receiver) else {
        return Operand::bottom();
    };
    if low.is_none() && high.is_none() && matches!(&*call.name, "include?" | "member?") {
        let told = format!(
            "`{}` of a range without ends, which Ruby goes through, cannot run in a section",
            call.name
        );
        return s.refuse_here("unsupported-method", told, Some("use cover?".into()));
    }
    let end = |end: RangeEnd, value: Value| match end {
        RangeEnd::Float => Operand::float(value),
        _ => Operand::integer(value),
    };
    s.switch(&arg, 0, &mut |s, arg| {
        if call.name == "cover?" && matches!(arg.types.single(), Some(Type::Range { .. })) {
            return covers_range(s, &call.receiver, &arg);
        }
        match arg.types.single() {
            Some(Type::Integer | Type::Float) => {}
            Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) => {
                return s.send(&call.receiver, "#holds?", &[arg], 1);
            }
            _ => return Operand::bool(s.b.bool(low.is_none() && high.is_none())),
        }
        let mut inside = s.b.bool(true);
        if let Some(low) = low {
            let test = super::numeric::compare(s, Comparison::Ge, &arg, &end(low_end, low));
            inside = s.b.binary(BinaryOp::AndB, inside, test);
        }
        if let Some(high) = high {
            let op = if exclusive { Comparison::Lt } else { Comparison::Le };
            let test = super::numeric::compare(s, op, &arg, &end(high_end, high));
            inside = s.b.binary(BinaryOp::AndB, inside, test);
        }
        Operand::bool(inside)
    })
}

fn end_operand(end: RangeEnd, value: Value) -> Operand {
    match end {
        RangeEnd::Float => Operand::float(value),
        _ => Operand::integer(value),
    }
}

/// Are all numbers of the other range, which are some, between the ends?
fn covers_range(s: &mut Lowerer<'_>, outer: &Operand, inner: &Operand) -> Operand {
    let (
        Some((Some(low), Some(high), exclusive, RangeEnd::Integer, RangeEnd::Integer)),
        Some((Some(from), Some(to), ends_before, RangeEnd::Integer, RangeEnd::Integer)),
    ) = (range_ends(outer), range_ends(inner))
    else {
        return s.refuse_here(
            "unsupported-method",
            "`cover?` takes a range of Integers with both ends in a section",
            Some("compare the ends".into()),
        );
    };
    let some = s.b.compare(if ends_before { Comparison::Lt } else { Comparison::Le }, from, to);
    let begins = s.b.compare(Comparison::Le, low, from);
    let ends = match (exclusive, ends_before) {
        (false, false) | (true, true) => s.b.compare(Comparison::Le, to, high),
        (true, false) => s.b.compare(Comparison::Lt, to, high),
        // The last number of the inner range is to - 1.
        (false, true) => {
            let within = s.b.compare(Comparison::Le, to, high);
            let one = s.b.i64(1);
            let before = s.b.binary(BinaryOp::Sub, to, one);
            let touches = s.b.compare(Comparison::Eq, before, high);
            s.b.binary(BinaryOp::OrB, within, touches)
        }
    };
    let inside = s.b.binary(BinaryOp::AndB, begins, ends);
    Operand::bool(s.b.binary(BinaryOp::AndB, some, inside))
}

fn taken(s: &mut Lowerer<'_>, call: &Invocation, n: &Operand, first: bool) -> Operand {
    if !first
        && let Some((Some(low), Some(high), _, RangeEnd::Integer, RangeEnd::Integer)) =
            range_ends(&call.receiver)
    {
        // Before anything else MRI looks at how far apart the ends are, in some versions without the last one.
        let forgets_one = s.host.dialect().range_last_forgets_one;
        let exclusive = range_ends(&call.receiver).is_some_and(|range| range.2);
        let op = if forgets_one || exclusive { Comparison::Le } else { Comparison::Lt };
        let empty = s.b.compare(op, high, low);
        let condition = crate::infer::Condition { value: empty, yes: vec![], no: vec![] };
        return s.branch(35, condition, |s| s.tuple(&[]), |s| some_taken(s, call, n, first));
    }
    some_taken(s, call, n, first)
}

fn some_taken(s: &mut Lowerer<'_>, call: &Invocation, n: &Operand, first: bool) -> Operand {
    let Some(n) = super::integer::to_integer_argument(s, n) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    let ok = s.b.compare(Comparison::Ge, n, zero);
    let message = match (&call.name[..], first) {
        ("take", _) => "attempt to take negative size",
        (_, true) => "negative array size (or size too big)",
        _ => "negative array size",
    };
    s.check(ok, ErrorKind::ArgumentError(message.into()), &[]);
    let n = Operand::integer(n);
    if first {
        return s.send(&call.receiver, "#take", &[n], 1);
    }
    let items = s.send(&call.receiver, "#copy", &[], 1);
    s.send(&items, "#last", &[n], 2)
}

/// A range with literal ends that is short is an array of known length.
fn to_array(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if let Some((Some(low), Some(high), exclusive, RangeEnd::Integer, RangeEnd::Integer)) =
        range_ends(&call.receiver)
        && let (Some(low), Some(high)) = (s.b.constant(low), s.b.constant(high))
        && let end = if exclusive { high } else { high.saturating_add(1) }
        && end.saturating_sub(low) <= 16
    {
        let items: Vec<Operand> = (low..end).map(|n| Operand::integer(s.b.i64(n))).collect();
        return s.tuple(&items);
    }
    if let Some((Some(_), None, ..)) = range_ends(&call.receiver) {
        return range_error(s, "cannot convert endless range to an array");
    }
    s.send(&call.receiver, "#copy", &[], 1)
}

/// `min` and `max` by the ends alone.
fn smallest(s: &mut Lowerer<'_>, call: &Invocation, min: bool) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    if let Some(n) = super::sequence::most(s, call) {
        let ends = range_ends(&call.receiver);
        if !matches!(ends, Some((Some(_), Some(_), _, RangeEnd::Integer, RangeEnd::Integer))) {
            return s.refuse_here(
                "unsupported-method",
                format!("`{}` of several items runs for ranges of Integers in a section", call.name),
                Some("use first(n)".into()),
            );
        }
        return match (&call.block, min) {
            (None, true) => s.send(&call.receiver, "first", &[n], 1),
            (None, false) => super::sequence::least(s, call, n, "#least"),
            (Some(_), _) => super::sequence::least(s, call, n, "#least_block"),
        };
    }
    let call = &call.with_args(Vec::new());
    if call.block.is_some() {
        return s.send_with_block(call, if min { "#min_block" } else { "#max_block" });
    }
    let Some((Some(low), Some(high), exclusive, low_end, high_end)) = range_ends(&call.receiver) else {
        return s.refuse_here(
            "unsupported-method",
            format!("`Range#{}` runs for ranges with both ends in a section", call.name),
            None,
        );
    };
    let (low, mut high) = (end_operand(low_end, low), end_operand(high_end, high));
    if exclusive && !min {
        if low_end != RangeEnd::Integer || high_end != RangeEnd::Integer {
            let message = if high_end == RangeEnd::Integer {
                "cannot exclude end value with non Integer begin value"
            } else {
                "cannot exclude non Integer end value"
            };
            return s.fail(ErrorKind::TypeError(message.into()), &[]);
        }
        let one = s.b.i64(1);
        high = super::integer::checked(s, BinaryOp::SubChecked, "max", high.value(), one);
    }
    let op = if exclusive && min { Comparison::Lt } else { Comparison::Le };
    let some = super::numeric::compare(s, op, &low, &high);
    s.or_nil(some, if min { &low } else { &high })
}

/// The sum of Integers by formula, as MRI has it: no step of it overflows unless the sum does.
fn sum(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let ends = range_ends(&call.receiver);
    let initial = call.args.first();
    if let (None, Some((Some(low), Some(high), exclusive, RangeEnd::Integer, RangeEnd::Integer))) =
        (&call.block, ends)
        && initial.is_none_or(|i| i.types.single() == Some(&Type::Integer))
    {
        let zero = s.b.i64(0);
        let one = s.b.i64(1);
        let last = if exclusive {
            super::integer::checked(s, BinaryOp::SubChecked, "sum", high, one).value()
        } else {
            high
        };
        let initial = initial.map_or(zero, Operand::value);
        let empty = s.b.compare(Comparison::Lt, last, low);
        let condition = crate::infer::Condition { value: empty, yes: vec![], no: vec![] };
        return s.branch(
            31,
            condition,
            |_| Operand::integer(initial),
            |s| {
                let span = super::integer::checked(s, BinaryOp::SubChecked, "sum", last, low).value();
                let count = super::integer::checked(s, BinaryOp::AddChecked, "sum", span, one).value();
                let ends = super::integer::checked(s, BinaryOp::AddChecked, "sum", low, last).value();
                // One of the two is even: halved before the product, which is then exact.
                let bit = s.b.binary(BinaryOp::And, count, one);
                let odd = s.b.compare(Comparison::Ne, bit, zero);
                let (half_count, half_ends) =
                    (s.b.binary(BinaryOp::Shr, count, one), s.b.binary(BinaryOp::Shr, ends, one));
                let a = s.b.select(odd, count, half_count);
                let b = s.b.select(odd, half_ends, ends);
                let product = super::integer::checked(s, BinaryOp::MulChecked, "sum", a, b).value();
                super::integer::checked(s, BinaryOp::AddChecked, "sum", product, initial)
            },
        );
    }
    let is_other = |ty: &Type| {
        matches!(ty, Type::Integer | Type::Float)
            || !ty.is_string() && matches!(ty, Type::Object(..) | Type::Record(_) | Type::Made(_))
    };
    if let (None, Some((Some(_), Some(_), _, RangeEnd::Integer, RangeEnd::Integer)), Some(initial)) =
        (&call.block, ends, initial)
        && !initial.types.iter().any(is_other)
    {
        return s.send(&call.receiver, "#sum_behind", std::slice::from_ref(initial), 1);
    }
    if let Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) = initial.and_then(|i| i.types.single()) {
        return refuse_object(s, call);
    }
    let initial = initial.cloned().unwrap_or_else(|| Operand::integer(s.b.i64(0)));
    s.send_block(&call.receiver, "#sum", &[initial], call.block.clone())
}

fn end_of(s: &mut Lowerer<'_>, call: &Invocation, which: usize) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    let Some((low, high, _, low_end, high_end)) = range_ends(&call.receiver) else {
        return Operand::bottom();
    };
    let (value, end) = if which == 0 { (low, low_end) } else { (high, high_end) };
    match (value, end) {
        (Some(value), RangeEnd::Float) => Operand::float(value),
        (Some(value), _) => Operand::integer(value),
        (None, _) => Operand::nil(),
    }
}

/// Number of Integers in a range of Integers.
fn length(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some((Some(low), Some(high), exclusive, RangeEnd::Integer, RangeEnd::Integer)) =
        range_ends(&call.receiver)
    else {
        return s.refuse_here(
            "unsupported-method",
            format!("`Range#{}` runs for ranges of Integers with both ends in a section", call.name),
            None,
        );
    };
    let span = super::integer::checked(s, BinaryOp::SubChecked, "size", high, low);
    let size = if exclusive {
        span
    } else {
        let one = s.b.i64(1);
        super::integer::checked(s, BinaryOp::AddChecked, "size", span.value(), one)
    };
    let zero = s.b.i64(0);
    let negative = s.b.compare(Comparison::Lt, size.value(), zero);
    Operand::integer(s.b.select(negative, zero, size.value()))
}

/// `size`, which newer Rubies have for ranges that begin with an Integer only.
fn size(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    match range_ends(&call.receiver) {
        Some((low, ..)) if low.is_none() && s.host.dialect().range_size_counts_integers => {
            cannot_iterate(s, "NilClass")
        }
        Some((None, None, ..)) if s.host.dialect().range_without_ends_has_no_size => Operand::nil(),
        Some((_, _, _, RangeEnd::Float, _)) if s.host.dialect().range_size_counts_integers => {
            cannot_iterate(s, "Float")
        }
        _ => size_of(s, call),
    }
}

/// How many Integers there are from the beginning on, in steps of one.
fn size_of(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    match range_ends(&call.receiver) {
        Some((Some(_), Some(_), _, RangeEnd::Integer, RangeEnd::Integer)) => length(s, call),
        Some((Some(_), Some(_), ..)) => s.send(&call.receiver, "#float_size", &[], 1),
        _ => Operand::float(s.b.f64(f64::INFINITY)),
    }
}

fn range_error(s: &mut Lowerer<'_>, message: &str) -> Operand {
    let message = vec![MessagePart::Text(message.into())];
    s.fail(ErrorKind::Raise { class: ClassId::RANGE_ERROR, message: Some(message) }, &[])
}

pub(super) fn cannot_iterate(s: &mut Lowerer<'_>, class: &str) -> Operand {
    s.fail(ErrorKind::TypeError(format!("can't iterate from {class}")), &[])
}
