//! Iteration over arrays, ranges, Hashes and tuples: the loop, or each item side by side.

use crate::infer::{JoinIndex, Lowerer, Operand};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Value};
use crate::scalar::Interval;
use crate::types::{HashPart, RangeEnd, Type};

impl Lowerer<'_> {
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
            Some(ty) if crate::infer::opens(ty) => {
                s.opened(&sequence, 0x68, &mut |s, sequence| s.each_item(&sequence, body))
            }
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
        let result = self.looping_with(60, &[at], |s, exit, head| {
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
        let result = self.looping_with(60, &[at], |s, exit, head| {
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
            s.check(same, ErrorKind::Unsupported(crate::infer::OTHER_KEYS.into()), &[]);
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
        let result = self.looping_with(60, &[last, done, to], |s, exit, head| {
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
