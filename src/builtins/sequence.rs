//! What arrays, ranges and tuples share: iteration, and the rules that `core/` builds on.

use super::{Invocation, Row, carrying, row};
use crate::infer::{Birth, BlockRef, Lowerer, Operand, Values};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Value};
use crate::types::{RangeEnd, Type, TypeSet};

pub(super) const ROWS: &[Row] = &[
    row("each", |s, c| {
        let Some(block) = s.block_of(c) else { return Operand::bottom() };
        s.each_item(&c.receiver, &mut |s, item, _, _| {
            s.unused = true;
            s.call_block(&block, vec![item]);
        });
        // What has no end is left by jumps alone.
        if s.b.is_dead() { Operand::bottom() } else { c.receiver.clone() }
    }),
    carrying("sum", |s, c| {
        if !s.count_arguments(c, 0, 1) {
            return Operand::bottom();
        }
        let initial = match c.args.first() {
            Some(initial) => initial.clone(),
            None => Operand::integer(s.b.i64(0)),
        };
        let array = matches!(
            c.receiver.types.single(),
            Some(Type::Array(_) | Type::Tuple(_) | Type::List(_) | Type::Column(..))
        );
        let name = if array { "#array_sum" } else { "#sum" };
        s.send_block(&c.receiver, name, &[initial], c.block.clone())
    }),
    carrying("inject", inject),
    carrying("reduce", inject),
    carrying("count", |s, c| match (&c.block, c.args.first()) {
        _ if !s.count_arguments(c, 0, 1) => Operand::bottom(),
        (_, Some(value)) => s.send(&c.receiver, "#count_value", std::slice::from_ref(value), 1),
        (Some(block), None) => s.send_block(&c.receiver, "#count_block", &[], Some(block.clone())),
        (None, None) => match c.receiver.types.single() {
            Some(Type::Enumerator(..)) => s.send(&c.receiver, "#count", &[], 1),
            _ => s.send(&c.receiver, "size", &[], 1),
        },
    }),
    carrying("any?", |s, c| question(s, c, "#any", false)),
    carrying("none?", |s, c| question(s, c, "#any", true)),
    carrying("all?", |s, c| question(s, c, "#all", false)),
    carrying("one?", |s, c| question(s, c, "#one", false)),
    carrying("index", index),
    carrying("find_index", index),
    row("minmax", |s, c| {
        if c.block.is_some() && c.args.is_empty() {
            return s.send_with_block(c, "#minmax_block");
        }
        s.running_in_each(|s| {
            let low = s.send_block(&c.receiver, "min", &c.args, c.block.clone());
            if low.is_bottom() {
                return low;
            }
            let high = s.within_slot(1, |s| s.send_block(&c.receiver, "max", &c.args, c.block.clone()));
            if high.is_bottom() { high } else { s.tuple(&[low, high]) }
        })
    }),
    // Since Ruby 3.2 its source is not there.
    carrying("to_set", |s, c| {
        if !c.args.is_empty() || c.splat.is_some() {
            return s.refuse_here(
                "unsupported-method",
                "`to_set` with a class of its own cannot run in a section",
                Some("give the elements to its `new`".into()),
            );
        }
        let set = s.constant(&["Set".to_owned()], true);
        if set.is_bottom() {
            return set;
        }
        s.send_block(&set, "new", std::slice::from_ref(&c.receiver), c.block.clone())
    }),
    row("to_h", |s, c| {
        let array =
            matches!(c.receiver.types.single(), Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)));
        let name = match (array, &c.block) {
            (true, Some(_)) => "#array_to_h_block",
            (true, None) => "#array_to_h",
            (false, Some(_)) => "#to_h_block",
            (false, None) => "#to_h",
        };
        s.send_with_block(c, name)
    }),
    row("uniq", |s, c| {
        let name = if c.block.is_some() { "#uniq_block" } else { "#uniq" };
        s.send_with_block(c, name)
    }),
    carrying("grep", |s, c| s.send_with_block(c, "#grep")),
    carrying("grep_v", |s, c| s.send_with_block(c, "#grep_v")),
    row("min_by", by),
    row("max_by", by),
    row("minmax_by", by),
    row("each_entry", |s, c| s.send_with_block(c, "each")),
    row("lazy", |s, c| if s.count_arguments(c, 0, 0) { super::lazy::make(s, c) } else { Operand::bottom() }),
    carrying("chunk", runs),
    carrying("chunk_while", runs),
    carrying("slice_when", runs),
    carrying("slice_before", runs),
    carrying("slice_after", runs),
    // ---- what `core/` is made of
    row("#room", |s, c| match c.receiver.types.single() {
        Some(Type::Range { low: RangeEnd::Integer, high: RangeEnd::None | RangeEnd::Float, .. }) => {
            Operand::integer(s.b.i64(16))
        }
        Some(Type::Range { .. }) => {
            let size = s.send(&c.receiver, "#length", &[], 1);
            if size.is_bottom() {
                return size;
            }
            // A range is as long as its numbers say, which may be far longer than what is kept of it.
            let most = s.b.i64(1024);
            let small = s.b.compare(Comparison::Lt, size.value(), most);
            Operand::integer(s.b.select(small, size.value(), most))
        }
        _ => s.send(&c.receiver, "size", &[], 1),
    }),
    row("#list", |s, c| s.new_list(0, c.args[0].value())),
    carrying("#compare", |s, c| s.compared(&c.args[0], &c.args[1])),
    carrying("#order", |s, c| s.order_of(&c.args[0], &c.args[1], &c.args[2])),
    row("#at", |s, c| match c.receiver.types.single() {
        Some(Type::Range { .. }) => {
            let size = s.send(&c.receiver, "#length", &[], 1);
            if size.is_bottom() {
                return size;
            }
            let index = c.args[0].value();
            let inside = s.b.compare(Comparison::LtU, index, size.value());
            let condition = crate::infer::Condition { value: inside, yes: vec![], no: vec![] };
            s.branch(29, condition, |s| s.item_at(&c.receiver, index), |_| Operand::nil())
        }
        Some(Type::Enumerator(..)) => s.refuse_here(
            "unsupported-enumerator",
            "an Enumerator cannot be zipped with in a section",
            Some("make an array of it first: to_a".into()),
        ),
        Some(ty) if ty.is_hash() => {
            let Some(size) = super::array::length_of(s, &c.receiver) else { return Operand::bottom() };
            let index = c.args[0].value();
            let inside = s.b.compare(Comparison::LtU, index, size);
            let condition = crate::infer::Condition { value: inside, yes: vec![], no: vec![] };
            s.branch(29, condition, |s| s.item_at(&c.receiver, index), |_| Operand::nil())
        }
        _ => super::array_parts::item(s, &c.receiver, c.args[0].value()),
    }),
    row("#window", |s, c| {
        let Some(count) = s.literal(&c.args[1]).and_then(|n| usize::try_from(n).ok()) else {
            let start = c.args[0].clone();
            return s.send(&c.receiver, "#part", &[start, c.args[1].clone()], 1);
        };
        if count > 16 {
            return s.send(&c.receiver, "#part", &[c.args[0].clone(), c.args[1].clone()], 1);
        }
        let mut items = Vec::new();
        for i in 0..count {
            let i = s.b.i64(i as i64);
            let at = s.b.binary(BinaryOp::Add, c.args[0].value(), i);
            let item = s.item_at(&c.receiver, at);
            if item.is_bottom() {
                return item;
            }
            items.push(item);
        }
        s.tuple(&items)
    }),
    row("min", |s, c| extreme(s, c, Comparison::Lt)),
    row("max", |s, c| extreme(s, c, Comparison::Gt)),
    row("#item", |s, c| {
        let index = c.args[0].value();
        s.item_at(&c.receiver, index)
    }),
];

/// `inject(:+)`, `inject(initial, :+)`, `inject(initial) { }`, `inject { }`.
fn inject(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    // Behind an initial value and the name of a method the block is not used.
    if call.block.is_some() && call.args.len() < 2 {
        return inject_by(s, call, &call.args, call.block.clone());
    }
    if call.args.is_empty() {
        return s.send(&call.receiver, "#inject_nothing", &[], 1);
    }
    let (name, args) = call.args.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
    super::named(s, &call.name, name, &mut |s, name| {
        let mut block = s.symbol_block(name.to_string());
        if let BlockRef::Symbol { directly, .. } = &mut block {
            *directly = true;
        }
        inject_by(s, call, args, Some(block))
    })
}

fn inject_by(s: &mut Lowerer<'_>, call: &Invocation, args: &[Operand], block: Option<BlockRef>) -> Operand {
    // Procs that are put together, as in `[f, g].reduce(:>>)`: each that comes out is one of its own.
    let is_of_procs = |types: &TypeSet| types.iter().any(Type::is_made_proc);
    if let (Some(Type::Tuple(types)), Some(block)) = (call.receiver.types.single(), &block)
        && types.iter().any(is_of_procs)
    {
        let mut items = args.iter().cloned().chain(s.tuple_items(&call.receiver));
        let mut folded = items.next().unwrap_or_else(Operand::nil);
        for (slot, item) in (0x6c0..).zip(items) {
            if folded.is_bottom() {
                break;
            }
            folded = s.within_slot(slot, |s| s.call_block(block, vec![folded, item]));
        }
        return folded;
    }
    match args.first() {
        Some(initial) => s.send_block(&call.receiver, "#inject_from", std::slice::from_ref(initial), block),
        None => s.send_block(&call.receiver, "#inject", &[], block),
    }
}

/// `any?`, `any?(pattern)`, `any? { }` and its like.
fn question(s: &mut Lowerer<'_>, call: &Invocation, name: &str, negated: bool) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let answer = match (&call.block, call.args.first()) {
        (_, Some(pattern)) => {
            s.send(&call.receiver, &format!("{name}_pattern"), std::slice::from_ref(pattern), 1)
        }
        (Some(_), None) => s.send_with_block(call, &format!("{name}_block")),
        (None, None) => s.send(&call.receiver, name, &[], 1),
    };
    if answer.is_bottom() || !negated {
        return answer;
    }
    let truth = s.truth(&answer);
    Operand::bool(s.b.unary(crate::ir::UnaryOp::Not, truth))
}

pub(super) fn index(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    match call.args.first() {
        Some(value) => s.send(&call.receiver, "#index_value", std::slice::from_ref(value), 1),
        None => s.send_with_block(call, "#index_block"),
    }
}

fn by(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, usize::from(call.name != "minmax_by")) {
        return Operand::bottom();
    }
    match most(s, call) {
        Some(n) if call.name != "minmax_by" => least(s, call, n, "#least_by"),
        _ => {
            let alone = call.with_args(Vec::new());
            s.running_in_each(|s| s.send_with_block(&alone, &format!("#{}", call.name)))
        }
    }
}

/// The number of items that `min(n)` and its like are asked for; nil is none.
pub(super) fn most(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    let n = call.args.first().filter(|n| n.types.single() != Some(&Type::Nil))?;
    if n.types.contains(&Type::Nil) {
        let some = n.types.filter(|ty| *ty != Type::Nil);
        let is_some = s.is_one_of(n, &some);
        let what =
            format!("`{}` with a number or nil cannot run in a section [unsupported-argument]", call.name);
        s.check(is_some.value, ErrorKind::Unsupported(what), &[]);
        return Some(s.narrow(n, &some));
    }
    Some(n.clone())
}

/// So many of the smallest or largest.
pub(super) fn least(s: &mut Lowerer<'_>, call: &Invocation, n: Operand, name: &str) -> Operand {
    let sign = if call.name.starts_with("max") { -1 } else { 1 };
    let sign = Operand::integer(s.b.i64(sign));
    s.send_block(&call.receiver, name, &[n, sign], call.block.clone())
}

/// `chunk_while` and its like: an Enumerator of a method of `core/` that gets the block as a proc, or the pattern.
fn runs(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let by_pattern = matches!(&*call.name, "slice_before" | "slice_after");
    let test = match (&call.block, &call.args[..]) {
        (Some(block), []) => s.kept_block(block),
        (None, [pattern]) if by_pattern => pattern.clone(),
        (None, []) if call.name == "chunk" => {
            return s.refuse_here(
                "unsupported-enumerator",
                "`chunk` without a block cannot run in a section",
                Some("give it a block".into()),
            );
        }
        (None, []) if !by_pattern => {
            let message = "tried to create Proc object without a block";
            return s.fail(ErrorKind::ArgumentError(message.into()), &[]);
        }
        (Some(_), _) if call.name == "slice_after" => {
            return s.fail(ErrorKind::ArgumentError("both pattern and block are given".into()), &[]);
        }
        (block, args) => {
            let expected = if by_pattern && block.is_none() { "1" } else { "0" };
            return super::wrong_count(s, args.len(), expected);
        }
    };
    match &*call.name {
        // A run ends where the answer is this.
        "chunk_while" | "slice_when" => {
            let last = Operand::bool(s.b.bool(call.name == "slice_when"));
            super::make_enumerator(s, "#runs", &call.receiver, &[test, last])
        }
        name => super::make_enumerator(s, &format!("#{name}"), &call.receiver, &[test]),
    }
}

/// `min` and `max` without a block.
fn extreme(s: &mut Lowerer<'_>, call: &Invocation, better: Comparison) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    if let Some(n) = most(s, call) {
        return least(s, call, n, if call.block.is_some() { "#least_block" } else { "#least" });
    }
    s.running_in_each(|s| most_extreme(s, &call.with_args(Vec::new()), better))
}

/// One item.
fn most_extreme(s: &mut Lowerer<'_>, call: &Invocation, better: Comparison) -> Operand {
    if call.block.is_some() {
        return s.send_with_block(call, if better == Comparison::Lt { "#min_block" } else { "#max_block" });
    }
    let literal = s.array_literal == Some(s.span);
    if let Some(Type::Tuple(_)) = call.receiver.types.single() {
        let mut items = s.tuple_items(&call.receiver).into_iter();
        let Some(first) = items.next() else { return Operand::nil() };
        let mut best = first;
        for (i, item) in items.enumerate() {
            best = s.within_slot(i as u32, |s| better_of(s, &best, &item, better, literal));
        }
        return best;
    }
    let empty = s.send(&call.receiver, "#empty?", &[], 1);
    let condition = s.truth_condition(&empty);
    s.branch(
        13,
        condition,
        |_| Operand::nil(),
        |s| {
            let zero = s.b.i64(0);
            let first = s.item_at(&call.receiver, zero);
            let best = s.temp(first);
            let one = s.b.i64(1);
            let size = s.send(&call.receiver, "size", &[], 2);
            s.counted(one, size.value(), 1, &mut |s, i, _, _| {
                let item = s.item_at(&call.receiver, i);
                if item.is_bottom() {
                    s.b.mark_dead();
                    return;
                }
                let current = s.temp_get(best);
                let chosen = better_of(s, &current, &item, better, literal);
                s.temp_set(best, chosen);
            });
            let result = s.temp_get(best);
            s.temp_drop(best);
            result
        },
    )
}

/// `item` if it is better than `best` (the earlier one wins where they are equal), else `best`.
fn better_of(
    s: &mut Lowerer<'_>,
    best: &Operand,
    item: &Operand,
    better: Comparison,
    literal: bool,
) -> Operand {
    if best.types == item.types && matches!(best.types.single(), Some(Type::Integer | Type::Float)) {
        let is_better = s.b.compare(better, item.value(), best.value());
        if best.types.contains(&Type::Float) {
            // MRI compares Floats with <=> and raises where one is NaN.
            // Of an array literal it asks the new item, of other arrays the one that was best so far.
            if literal {
                s.check_ordered("Float", item.value(), best.value());
            } else {
                s.check_ordered("Float", best.value(), item.value());
            }
        }
        let value = s.b.select(is_better, item.value(), best.value());
        return Operand {
            types: best.types.clone(),
            values: Values::from_slice(&[value]),
            birth: Birth::UNKNOWN,
        };
    }
    let order = if literal { s.compared(item, best) } else { s.compared(best, item) };
    if order.is_bottom() {
        return order;
    }
    let zero = s.b.i64(0);
    let (left, right) = if literal { (order.value(), zero) } else { (zero, order.value()) };
    let is_better = s.b.compare(better, left, right);
    let condition = crate::infer::Condition { value: is_better, yes: vec![], no: vec![] };
    s.branch(16, condition, |_| item.clone(), |_| best.clone())
}

impl Lowerer<'_> {
    /// Fails unless both are numbers: "comparison of Float with NaN failed".
    fn check_ordered(&mut self, class: &str, x: Value, y: Value) {
        let equal_itself = |s: &mut Self, v| s.b.compare(Comparison::Eq, v, v);
        let (a, b) = (equal_itself(self, x), equal_itself(self, y));
        let ordered = self.b.binary(BinaryOp::AndB, a, b);
        let error = ErrorKind::AboutOperand {
            type_error: false,
            before: format!("comparison of {class} with "),
            operand: crate::ir::Receiver::Float,
            after: " failed".into(),
        };
        self.check(ordered, error, &[y]);
    }

    /// `a <=> b`, or the ArgumentError of what cannot be compared.
    pub(crate) fn compared(&mut self, a: &Operand, b: &Operand) -> Operand {
        if a.types == b.types && a.types.single() == Some(&Type::Float) {
            self.check_ordered("Float", a.value(), b.value());
        }
        let order = self.send(a, "<=>", std::slice::from_ref(b), 14);
        self.order_of(&order, a, b)
    }

    /// What a comparison of two gave, as an Integer: anything but nil is asked for its side of 0.
    pub(crate) fn order_of(&mut self, order: &Operand, a: &Operand, b: &Operand) -> Operand {
        let (a, b) = (a.clone(), b.clone());
        self.switch(order, 15, &mut |s, order| match order.types.single() {
            Some(Type::Integer) => order,
            Some(Type::Nil) => s.not_comparable(&a, &b),
            _ => s.send(&order, "#side_of_zero", &[], 16),
        })
    }

    /// ArgumentError: "comparison of Integer with nil failed".
    pub(crate) fn not_comparable(&mut self, a: &Operand, b: &Operand) -> Operand {
        self.switch(a, 18, &mut |s, a| {
            s.each_of_bool(&a, &mut |s, a| {
                s.switch(b, 19, &mut |s, b| {
                    let before = format!("comparison of {} with ", s.describe_class(a));
                    s.fail_about(false, before, &b, " failed".into())
                })
            })
        })
    }

    /// The name of an operand's class.
    pub(super) fn describe_class(&self, operand: &Operand) -> String {
        operand
            .types
            .iter()
            .next()
            .map_or_else(String::new, |ty| self.host.class_name(crate::infer::class_of(ty)))
    }

    /// The call's block, or a refusal: without one Ruby gives an Enumerator.
    pub(crate) fn block_of(&mut self, call: &Invocation) -> Option<BlockRef> {
        if call.block.is_none() {
            self.refuse_here(
                "unsupported-enumerator",
                format!(
                    "`{}` without a block gives an Enumerator, which does not run in a section",
                    call.name
                ),
                Some("give it a block".into()),
            );
        }
        call.block.clone()
    }

    pub(crate) fn send_with_block(&mut self, call: &Invocation, name: &str) -> Operand {
        self.send_spread(&call.receiver, name, (&call.args, call.splat.as_ref()), call.block.clone())
    }

    /// An Integer that is known.
    pub(crate) fn constant_integer(&self, operand: &Operand) -> Option<i64> {
        (operand.types.single() == Some(&Type::Integer)).then_some(())?;
        self.b.constant(operand.value())
    }
}
