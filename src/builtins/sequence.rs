//! What arrays, ranges and tuples share: iteration, and the rules that `core/` builds on.

use super::{Invocation, Row, carrying, row};
use crate::infer::{Birth, BlockRef, JoinIndex, Lowerer, Operand, Values};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Value};
use crate::scalar::Interval;
use crate::types::{HashPart, RangeEnd, Type};

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
        let low = s.send_block(&c.receiver, "min", &c.args, c.block.clone());
        if low.is_bottom() {
            return low;
        }
        let high = s.within_slot(1, |s| s.send_block(&c.receiver, "max", &c.args, c.block.clone()));
        if high.is_bottom() { high } else { s.tuple(&[low, high]) }
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
        _ => super::array::item(s, &c.receiver, c.args[0].value()),
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
        let block = s.symbol_block(name.to_string());
        inject_by(s, call, args, Some(block))
    })
}

fn inject_by(s: &mut Lowerer<'_>, call: &Invocation, args: &[Operand], block: Option<BlockRef>) -> Operand {
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
            s.send_with_block(&alone, &format!("#{}", call.name))
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
    let call = &call.with_args(Vec::new());
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

    /// Runs `body` for each item of an array, range or tuple. Its value is nil, or that of a `break`.
    pub(crate) fn each_item(
        &mut self,
        sequence: &Operand,
        body: &mut dyn FnMut(&mut Self, Operand, JoinIndex, JoinIndex),
    ) -> Operand {
        let sequence = sequence.clone();
        self.switch(&sequence, 17, &mut |s, sequence| match sequence.types.single() {
            Some(Type::Array(kind) | Type::Column(kind, _)) => {
                let (kind, id) = (*kind, sequence.value());
                if s.array_grows(kind) {
                    return s.each_of_changing(
                        &|s| s.array_length(kind, id),
                        &|s, i| s.array_item(kind, id, i),
                        body,
                    );
                }
                let zero = s.b.i64(0);
                let length = s.array_length(kind, id);
                s.counted(zero, length, 1, &mut |s, i, exit, next| {
                    let item = s.array_item(kind, id, i);
                    if item.is_bottom() {
                        // Nothing is in any of these arrays: the body never runs.
                        s.b.mark_dead();
                        return;
                    }
                    body(s, item, exit, next);
                })
            }
            Some(ty) if ty.is_made_hash() => s.each_of_hash(&sequence, body),
            Some(Type::Hash(kind, _)) if s.hash_changes(*kind) => s.each_of_hash(&sequence, body),
            Some(Type::Hash(..)) => {
                let zero = s.b.i64(0);
                let keys = s.hash_part(&sequence, HashPart::Keys);
                let Some(length) = super::array::length_of(s, &keys) else { return Operand::bottom() };
                s.counted(zero, length, 1, &mut |s, i, exit, next| {
                    let pair = s.item_at(&sequence, i);
                    if pair.is_bottom() {
                        s.b.mark_dead();
                        return;
                    }
                    body(s, pair, exit, next);
                })
            }
            Some(Type::List(kind)) => {
                let (kind, list) = (*kind, sequence.value());
                if s.list_is_mutated(kind) {
                    return s.each_of_changing(
                        &|s| s.list_length(list),
                        &|s, i| s.list_item(kind, list, i),
                        body,
                    );
                }
                let zero = s.b.i64(0);
                let length = s.list_length(list);
                s.counted(zero, length, 1, &mut |s, i, exit, next| {
                    let item = s.list_item(kind, list, i);
                    if item.is_bottom() {
                        s.b.mark_dead();
                        return;
                    }
                    body(s, item, exit, next);
                })
            }
            Some(Type::Tuple(_)) => {
                let items = s.tuple_items(&sequence);
                s.labelled(64, true, |s, exit| {
                    for (i, item) in items.into_iter().enumerate() {
                        s.within_slot(i as u32, |s| {
                            s.labelled(66, false, |s, next| {
                                body(s, item, exit, next);
                                Operand::nil()
                            })
                        });
                    }
                    Operand::nil()
                })
            }
            Some(Type::Range { .. }) => s.each_in_range(&sequence, body),
            // `for` sends `each`.
            Some(Type::Nil | Type::Integer | Type::Float | Type::Symbol) => {
                s.no_method(&sequence, "each", crate::ir::Missing::Undefined, &Default::default())
            }
            _ => {
                let what = s.describe(&sequence.types);
                s.refuse_here(
                    "unsupported-iteration",
                    format!("a section cannot go through {what}"),
                    Some("go through an Array or a Range of Integers".into()),
                )
            }
        })
    }

    /// As Ruby does, looks at the length anew before each item.
    fn each_of_changing(
        &mut self,
        length: &dyn Fn(&mut Self) -> Value,
        item: &dyn Fn(&mut Self, Value) -> Operand,
        body: &mut dyn FnMut(&mut Self, Operand, JoinIndex, JoinIndex),
    ) -> Operand {
        let start = Operand::integer(self.b.i64(-1));
        let at = self.temp(start);
        let result = self.looping(60, |s, exit, head| {
            let one = s.b.i64(1);
            let before = s.temp_get(at).value();
            let i = s.b.binary(BinaryOp::Add, before, one);
            let length = length(s);
            let more = s.b.compare(Comparison::LtU, i, length);
            s.unless(more, 62, |s| s.jump(exit, None));
            s.temp_set(at, Operand::integer(i));
            let item = item(s, i);
            if item.is_bottom() {
                s.b.mark_dead();
                return;
            }
            body(s, item, exit, head);
        });
        self.temp_drop(at);
        result
    }

    /// Pairs that are deleted meanwhile are passed by. A Hash that gets other keys is refused as it runs: Ruby raises.
    fn each_of_hash(
        &mut self,
        hash: &Operand,
        body: &mut dyn FnMut(&mut Self, Operand, JoinIndex, JoinIndex),
    ) -> Operand {
        if self.may_have_dead_pairs(hash) {
            return self.each_living_pair(hash, body);
        }
        let start = self.b.i64(-1);
        let at = self.temp(Operand::integer(start));
        let length = super::array::length_of(self, hash);
        let Some(length) = length else { return Operand::bottom() };
        let before = self.temp(Operand::integer(length));
        let result = self.looping(60, |s, exit, head| {
            let one = s.b.i64(1);
            let last = s.temp_get(at).value();
            let i = s.b.binary(BinaryOp::Add, last, one);
            let Some(length) = super::array::length_of(s, hash) else { return };
            let expected = s.temp_get(before).value();
            let same = s.b.compare(Comparison::Eq, length, expected);
            // Nothing is left to be gone through in one that was cleared.
            let none = s.b.i64(0);
            let empty = s.b.compare(Comparison::Eq, length, none);
            let same = s.b.binary(BinaryOp::OrB, same, empty);
            s.check(same, ErrorKind::Unsupported(super::hash::OTHER_KEYS.into()), &[]);
            let more = s.b.compare(Comparison::LtU, i, length);
            s.unless(more, 62, |s| s.jump(exit, None));
            s.temp_set(at, Operand::integer(i));
            s.with_pair(hash, i, (exit, head), body);
        });
        self.temp_drop(before);
        self.temp_drop(at);
        result
    }

    /// The same of one from which the section deletes. Dead pairs are passed by, so that whoever looks at the first ones only
    /// does not wait until all others are dense.
    fn each_living_pair(
        &mut self,
        hash: &Operand,
        body: &mut dyn FnMut(&mut Self, Operand, JoinIndex, JoinIndex),
    ) -> Operand {
        self.note_hash_loop();
        let number =
            |s: &mut Self, slot: u32, method: &str| s.within_slot(slot, |s| s.send(hash, method, &[], 1));
        number(self, 0x623, "#begin_each");
        let [from, to] = [(0x625, "#numbered_from"), (0x626, "#numbered_to")]
            .map(|(slot, method)| number(self, slot, method));
        let Some(live) = super::array::length_of(self, hash) else { return Operand::bottom() };
        if from.is_bottom() || to.is_bottom() || self.b.is_dead() {
            return Operand::bottom();
        }
        let minus = self.b.i64(-1);
        let last = self.b.binary(BinaryOp::Add, from.value(), minus);
        let none = self.b.i64(0);
        let last = self.temp(Operand::integer(last));
        let done = self.temp(Operand::integer(none));
        let to = self.temp(to);
        let live = self.temp(Operand::integer(live));
        let result = self.looping(60, |s, exit, head| {
            let args = [last, done, to, live].map(|temp| s.temp_get(temp));
            let place = s.within_slot(0x624, |s| s.send(hash, "#next_pair", &args, 1));
            let keys = s.hash_part(hash, HashPart::Keys);
            let Some(all) = super::array::length_of(s, &keys).filter(|_| !place.is_bottom()) else {
                s.b.mark_dead();
                return;
            };
            let place = place.value();
            let more = s.b.compare(Comparison::LtU, place, all);
            s.unless(more, 62, |s| s.jump(exit, None));
            let [from, now] = [(0x627, "#numbered_from"), (0x628, "#numbered_to")]
                .map(|(slot, method)| number(s, slot, method));
            if from.is_bottom() || now.is_bottom() {
                s.b.mark_dead();
                return;
            }
            let here = s.b.binary(BinaryOp::Add, place, from.value());
            s.temp_set(last, Operand::integer(here));
            s.temp_set(to, now);
            let before = s.temp_get(done).value();
            let one = s.b.i64(1);
            let behind = s.b.binary(BinaryOp::Add, before, one);
            s.temp_set(done, Operand::integer(behind));
            s.hash_loops += 1;
            s.with_pair(hash, place, (exit, head), body);
            s.hash_loops -= 1;
        });
        for temp in [live, to, done, last] {
            self.temp_drop(temp);
        }
        result
    }

    fn with_pair(
        &mut self,
        hash: &Operand,
        place: Value,
        (exit, head): (JoinIndex, JoinIndex),
        body: &mut dyn FnMut(&mut Self, Operand, JoinIndex, JoinIndex),
    ) {
        let [key, value] = [HashPart::Keys, HashPart::Values].map(|part| {
            let items = self.hash_part(hash, part);
            self.item_at(&items, place)
        });
        if key.is_bottom() || value.is_bottom() {
            self.b.mark_dead();
            return;
        }
        let pair = self.tuple(&[key, value]);
        body(self, pair, exit, head);
    }

    fn each_in_range(
        &mut self,
        range: &Operand,
        body: &mut dyn FnMut(&mut Self, Operand, JoinIndex, JoinIndex),
    ) -> Operand {
        let Some((low, high, exclusive, low_end, high_end)) = crate::infer::range_ends(range) else {
            return Operand::bottom();
        };
        let Some(low) = low.filter(|_| low_end == RangeEnd::Integer) else {
            let what = if low_end == RangeEnd::Float { "Float" } else { "NilClass" };
            return self.fail(ErrorKind::TypeError(format!("can't iterate from {what}")), &[]);
        };
        let end = match (high, high_end) {
            (None, _) => return self.each_from(low, body),
            (Some(high), RangeEnd::Float) => {
                let rounded = if exclusive { crate::ir::UnaryOp::CeilF } else { crate::ir::UnaryOp::FloorF };
                let high = self.b.unary(rounded, high);
                let high = self.within_reach(high);
                let high = super::float::to_integer(self, high, "to_i");
                if high.is_bottom() {
                    return high;
                }
                if exclusive { high.value() } else { self.after(high.value()) }
            }
            (Some(high), _) if exclusive => high,
            (Some(high), _) => self.after(high),
        };
        self.counted(low, end, 1, &mut |s, i, exit, next| body(s, Operand::integer(i), exit, next))
    }

    /// A Float that is gone to or from: beyond 62 bits, as with Infinity, nobody gets there.
    pub(super) fn within_reach(&mut self, end: Value) -> Value {
        let (most, least) = (self.b.f64(4.611686018427388e18), self.b.f64(-4.611686018427388e18));
        let beyond = self.b.compare(Comparison::Gt, end, most);
        let end = self.b.select(beyond, most, end);
        let below = self.b.compare(Comparison::Lt, end, least);
        self.b.select(below, least, end)
    }

    /// From a number on, without end.
    fn each_from(
        &mut self,
        low: Value,
        body: &mut dyn FnMut(&mut Self, Operand, JoinIndex, JoinIndex),
    ) -> Operand {
        let var = self.b.var(crate::scalar::Ty::I64);
        self.b.set(var, low);
        let interval = Interval { low: self.b.interval(low).low, high: i64::MAX };
        self.looping(60, |s, exit, head| {
            let i = s.b.get_within(var, interval);
            let next = s.after(i);
            s.b.set(var, next);
            body(s, Operand::integer(i), exit, head);
        })
    }

    fn after(&mut self, value: Value) -> Value {
        let one = self.b.i64(1);
        super::integer::checked(self, BinaryOp::AddChecked, "each", value, one).value()
    }

    /// The item at `index`, known to be in range.
    pub(crate) fn item_at(&mut self, sequence: &Operand, index: Value) -> Operand {
        match sequence.types.single() {
            Some(Type::Array(kind) | Type::Column(kind, _)) => {
                self.array_item(*kind, sequence.value(), index)
            }
            Some(Type::List(kind)) => self.list_item(*kind, sequence.value(), index),
            Some(ty) if ty.is_hash() => {
                let keys = self.dense_part(sequence, HashPart::Keys);
                let values = self.hash_part(sequence, HashPart::Values);
                let (key, value) = (self.item_at(&keys, index), self.item_at(&values, index));
                if key.is_bottom() || value.is_bottom() {
                    return Operand::bottom();
                }
                self.tuple(&[key, value])
            }
            Some(Type::Range { low: RangeEnd::Integer, .. }) => {
                let low = sequence.values[0];
                super::integer::checked(self, BinaryOp::AddChecked, "each", low, index)
            }
            Some(Type::Tuple(_)) => {
                let items = self.tuple_items(sequence);
                match self.b.constant(index) {
                    Some(i) => usize::try_from(i)
                        .ok()
                        .and_then(|i| items.get(i).cloned())
                        .unwrap_or_else(Operand::nil),
                    None => self.choose(&items, index, 0),
                }
            }
            _ => self.refuse_here(
                "unsupported-iteration",
                "items of this cannot be taken by index in a section",
                None,
            ),
        }
    }

    /// The item of a tuple at an index known at run time only.
    pub(crate) fn choose(&mut self, items: &[Operand], index: Value, at: i64) -> Operand {
        let Some((first, rest)) = items.split_first() else { return Operand::nil() };
        let here = self.b.i64(at);
        let is_here = self.b.compare(Comparison::Eq, index, here);
        let condition = crate::infer::Condition { value: is_here, yes: vec![], no: vec![] };
        self.branch(0x800 + at as u32, condition, |_| first.clone(), |s| s.choose(rest, index, at + 1))
    }
}
