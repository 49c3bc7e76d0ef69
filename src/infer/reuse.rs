//! Memory of loops: what an iteration has taken of scratch memory is taken again by the next one, unless it is needed.
//!
//! That a loop's iterations leave nothing is known at compile time where the loop carries nothing that is in scratch
//! memory and stores nothing there but in what it makes itself. Elsewhere it is found out as it runs: memory is taken
//! upwards, so what is older lies lower, and a store is a barrier that notes in a word of the scratch memory, the *low
//! mark*, the lowest place at which something has got to know something younger. An iteration that has lowered this
//! below where it began, or whose variables refer to what it made, has left something, and all that it took stays; the
//! others' memory is taken again. Each loop has a low mark of its own; that of the loop around it gets it when a jump
//! leaves the loop.
//!
//! Variables that no code reads any more do not count, such as those of a `while` loop, which are the method's: the
//! question whether they refer to something is one that is false where nobody reads them (`Builder::ask`). So it is the
//! object that decides, and not its class: `find_loops(graph)` in a loop keeps what it puts into the graph, and nothing
//! where the graph is a new one.
//!
//! Where only variables hold what was made, and that refers to nothing else (`text += line`, `list += [x]`), it is
//! copied down when four times as much was taken as it takes (a copying collector whose roots are the loop's
//! variables). A general collector would have to know all that machine code holds at the heads of loops, also what
//! built-ins go through; here it is enough that this is older than the iteration.

use super::births::Birth;
use super::joins::{JoinIndex, has_list};
use super::keys::JoinKey;
use super::lists::{LOW, START};
use super::operand::{self, Operand};
use super::{Condition, Lowerer, lists};
use crate::ir::{BinaryOp, Comparison, ScalarSource, UnaryOp, Value, Var};
use crate::scalar::{Interval, Ty};
use crate::string_layout;
use crate::types::{Shape, Type, TypeSet};

/// How a loop treats the memory of its iterations.
pub(super) enum Reuse {
    /// All is kept.
    Never,
    /// Nothing is: each begins where the first one did.
    Always(Value),
    Watched(Watched),
}

/// A loop that is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    head: JoinIndex,
    /// Where the iteration began.
    mark: Var,
    /// The low mark of what is around the loop.
    around: Var,
    /// So many words are taken before what variables hold is copied.
    limit: Var,
}

/// Something that a variable holds and that refers to nothing in scratch memory.
#[derive(Clone, Copy)]
struct Flat {
    /// Which of the carried operands it is, and which of its values the reference.
    operand: usize,
    value: usize,
    /// The words of an item; `None`: it is a String.
    width: Option<i64>,
    shape: Shape,
}

/// The reference of a [`Flat`] while it may be copied.
struct Moving {
    flat: Flat,
    before: Value,
    after: Var,
    /// Is it of this iteration?
    young: Value,
}

/// So many variables of a loop hold what can be copied; where there are more all is kept.
const MOST_FLAT: usize = 4;
/// Less is not worth it, in words.
const LEAST: i64 = 1 << 13;

/// Nothing has got to know anything younger.
const NONE: i64 = i64::MAX;

impl Lowerer<'_> {
    /// Before a loop. `carries`: its variables may refer to scratch memory.
    pub(super) fn begin_reuse(&mut self, head: JoinIndex, key: JoinKey, carries: bool) -> Reuse {
        if self.memo.keeping_loops.read(&key) {
            return Reuse::Never;
        }
        if !self.memo.makes_lists || !self.memo.making_loops.read(&key) {
            return Reuse::Never;
        }
        if !carries && !self.memo.watched_loops.read(&key) {
            return Reuse::Always(self.used());
        }
        self.memo.changed |= !std::mem::replace(&mut self.memo.watches_loops, true);
        let [mark, around, limit] = [(); 3].map(|()| self.b.var(Ty::I64));
        let (used, low, none) = (self.used(), self.low(), self.b.i64(NONE));
        self.b.set(mark, used);
        self.b.set(around, low);
        self.set_low(none);
        let least = self.b.i64(self.least_copied());
        self.b.set(limit, least);
        let watched = Watched { head, mark, around, limit };
        self.watched.push(watched);
        Reuse::Watched(watched)
    }

    /// At the head of a loop, with the variables that it carries. Those that are others now are told.
    /// `glances` are the same as `carried`, for questions about those.
    pub(super) fn reuse(
        &mut self,
        reuse: &Reuse,
        carried: &[Operand],
        glances: &[Operand],
    ) -> Vec<(usize, Operand)> {
        let watched = match reuse {
            Reuse::Never => return Vec::new(),
            Reuse::Always(mark) => {
                self.set_used(*mark);
                return Vec::new();
            }
            Reuse::Watched(watched) => *watched,
        };
        if self.b.is_dead() {
            return Vec::new();
        }
        let (begun, low) = (self.b.get(watched.mark), self.low());
        let flat: Vec<Flat> =
            carried.iter().enumerate().filter_map(|(number, operand)| self.flat(number, operand)).collect();
        let flat = if flat.len() > MOST_FLAT { Vec::new() } else { flat };
        let mut leaves = self.b.compare(Comparison::Lt, low, begun);
        for (number, operand) in carried.iter().enumerate() {
            if flat.iter().any(|flat| flat.operand == number) {
                continue;
            }
            if let Some(refers) = self.refers_behind(&glances[number], begun) {
                self.b.ask(operand.values.to_vec(), refers);
                leaves = self.b.binary(BinaryOp::OrB, leaves, refers);
            }
        }
        let used = self.used();
        let begin = self.b.select(leaves, used, begun);
        self.b.set(watched.mark, begin);
        let lower = self.lower_of(watched.around, low);
        self.b.set(watched.around, lower);
        let none = self.b.i64(NONE);
        self.set_low(none);
        if flat.is_empty() {
            self.set_used(begin);
            return Vec::new();
        }
        self.copy_down(&watched, (carried, glances), flat, (begun, used, leaves))
    }

    fn least_copied(&self) -> i64 {
        if self.host.copies_all() { 0 } else { LEAST }
    }

    fn flat(&mut self, number: usize, operand: &Operand) -> Option<Flat> {
        let refers = operand.types.filter(|ty| matches!(ty, Type::List(_) | Type::Made(_)));
        let rest = operand.types.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_)));
        let ty = refers.single()?;
        if has_list(&rest) || operand.values.is_empty() {
            return None;
        }
        let width = match ty {
            Type::List(kind) => {
                let (items, scalars) = self.items_of(*kind);
                (!has_list(&items)).then_some(Some(scalars.len() as i64))?
            }
            ty if ty.is_made_string() => None,
            _ => return None,
        };
        let value = usize::from(operand::is_tagged(&operand.types));
        Some(Flat { operand: number, value, width, shape: ty.shape() })
    }

    /// Copies what variables hold of this iteration to where it began, if much has been taken since.
    fn copy_down(
        &mut self,
        watched: &Watched,
        (carried, glances): (&[Operand], &[Operand]),
        flat: Vec<Flat>,
        (begun, used, leaves): (Value, Value, Value),
    ) -> Vec<(usize, Operand)> {
        let mut any = self.b.bool(false);
        let mut moving = Vec::new();
        for flat in flat {
            let operand = &glances[flat.operand];
            let [before, now] = [glances, carried].map(|all| match flat.value {
                0 => self.b.unary(UnaryOp::ExtendI32, all[flat.operand].values[0]),
                value => all[flat.operand].values[value],
            });
            let mut young = self.b.compare(Comparison::Ge, before, begun);
            if flat.value > 0 {
                let tag = self.b.i32(flat.shape.tag());
                let is_it = self.b.compare(Comparison::Eq, operand.values[0], tag);
                young = self.b.binary(BinaryOp::AndB, is_it, young);
            }
            any = self.b.binary(BinaryOp::OrB, any, young);
            let after = self.b.var(Ty::I64);
            self.b.set(after, now);
            moving.push(Moving { flat, before, after, young });
        }
        let stays = self.b.binary(BinaryOp::OrB, any, leaves);
        let next = self.b.select(stays, used, begun);
        self.set_used(next);
        // What is copied takes no more words than there are.
        let taken = self.b.binary(BinaryOp::Sub, used, begun);
        let end = self.b.binary(BinaryOp::Add, used, taken);
        let most = self.scalar(ScalarSource::ScratchWords, Ty::I64, Interval::INDEX);
        let limit = self.b.get(watched.limit);
        let is_much = self.b.compare(Comparison::Gt, taken, limit);
        let fits = self.b.compare(Comparison::Le, end, most);
        let alone = self.b.unary(UnaryOp::Not, leaves);
        let copies =
            [is_much, fits, alone].into_iter().fold(any, |all, one| self.b.binary(BinaryOp::AndB, all, one));
        let condition = Condition { value: copies, yes: vec![], no: vec![] };
        self.within_slot(0x3ea, |s| {
            s.branch(
                24,
                condition,
                |s| {
                    s.copy_all(&moving, (begun, used), watched.limit);
                    Operand::nil()
                },
                |_| Operand::nil(),
            );
        });
        let changed = moving.iter().map(|Moving { flat, after, young, .. }| {
            let mut operand = carried[flat.operand].clone();
            let now = self.b.get(*after);
            operand.values[flat.value] = match flat.value {
                0 => self.b.unary(UnaryOp::WrapI64, now),
                _ => now,
            };
            self.b.ask(operand.values.to_vec(), *young);
            (flat.operand, operand)
        });
        changed.collect()
    }

    fn copy_all(&mut self, moving: &[Moving], (begun, used): (Value, Value), limit: Var) {
        let (done, zero) = (self.b.var(Ty::I64), self.b.i64(0));
        self.b.set(done, zero);
        for (number, one) in moving.iter().enumerate() {
            // What two variables hold is one.
            let copies = self.b.var(Ty::Bool);
            self.b.set(copies, one.young);
            for other in &moving[..number] {
                let same = self.b.compare(Comparison::Eq, one.before, other.before);
                let both = self.b.binary(BinaryOp::AndB, one.young, other.young);
                let is_it = self.b.binary(BinaryOp::AndB, same, both);
                self.when(is_it, |s| {
                    let (after, no) = (s.b.get(other.after), s.b.bool(false));
                    s.b.set(one.after, after);
                    s.b.set(copies, no);
                });
            }
            let condition = Condition { value: self.b.get(copies), yes: vec![], no: vec![] };
            self.within_slot(number as u32, |s| {
                s.branch(
                    25,
                    condition,
                    |s| {
                        let at = s.b.get(done);
                        let (to, place) =
                            (s.b.binary(BinaryOp::Add, used, at), s.b.binary(BinaryOp::Add, begun, at));
                        let words = s.copy_flat(one, to, place);
                        s.b.set(one.after, place);
                        let all = s.b.binary(BinaryOp::Add, at, words);
                        s.b.set(done, all);
                        Operand::nil()
                    },
                    |_| Operand::nil(),
                );
            });
        }
        let all = self.b.get(done);
        self.within_slot(0x10, |s| s.move_words((begun, used), all, false));
        let end = self.b.binary(BinaryOp::Add, begun, all);
        self.set_used(end);
        let (least, four) = (self.b.i64(self.least_copied()), self.b.i64(4));
        let times = self.b.binary(BinaryOp::Mul, all, four);
        let next = self.b.binary(BinaryOp::Add, times, least);
        self.b.set(limit, next);
    }

    /// Writes a copy to `to` that is to be at `place`, without room to spare; gives how many words it takes.
    fn copy_flat(&mut self, one: &Moving, to: Value, place: Value) -> Value {
        let from = one.before;
        let header = if one.flat.width.is_some() { lists::HEADER } else { string_layout::HEADER };
        let items = self.plus(place, header);
        let header_word = |s: &mut Self, word: i64| {
            let at = s.plus(from, word);
            s.word(at)
        };
        let (words, count, first) = match one.flat.width {
            Some(width) => {
                let (word, first) = (header_word(self, 0), header_word(self, 2));
                let length = self.length_in(word);
                let width = self.b.i64(width);
                (vec![word, length, items], self.b.binary(BinaryOp::Mul, length, width), first)
            }
            None => {
                let [class, size, first, flags] =
                    [0, string_layout::SIZE, string_layout::START, string_layout::FLAGS]
                        .map(|word| header_word(self, word));
                let count = self.string_words(size);
                // There is a word behind the last one.
                (vec![class, size, size, items, flags], self.plus(count, 1), first)
            }
        };
        for (i, word) in words.into_iter().enumerate() {
            let at = self.plus(to, i as i64);
            self.set_word(at, word);
        }
        let behind = self.plus(to, header);
        self.move_words((behind, first), count, false);
        self.plus(count, header)
    }

    pub(super) fn end_reuse(&mut self, reuse: &Reuse) {
        if let Reuse::Watched(_) = reuse {
            self.watched.pop();
        }
    }

    /// A jump to a join leaves the loops that are within it.
    pub(super) fn leave_watched(&mut self, join: JoinIndex) {
        let left: Vec<Var> =
            self.watched.iter().rev().take_while(|one| one.head > join).map(|one| one.around).collect();
        if left.is_empty() || self.b.is_dead() {
            return;
        }
        let mut low = self.low();
        for around in left {
            low = self.lower_of(around, low);
        }
        self.set_low(low);
    }

    fn lower_of(&mut self, around: Var, low: Value) -> Value {
        let before = self.b.get(around);
        let less = self.b.compare(Comparison::Lt, low, before);
        self.b.select(less, low, before)
    }

    /// The list or object at `holder` gets to know `value`.
    pub(super) fn note_reference(&mut self, holder: Value, value: &Operand) {
        if !self.memo.watches_loops || self.b.is_dead() || !has_list(&value.types) {
            return;
        }
        let place = self.b.unary(UnaryOp::ExtendI32, holder);
        if let Some(younger) = self.refers_behind(value, place) {
            self.lower_if(younger, place);
        }
    }

    /// It gets memory that is younger than it is, where `condition` holds.
    pub(super) fn note_growth_of(&mut self, holder: Value, condition: Value) {
        if self.memo.watches_loops && !self.b.is_dead() {
            let place = self.b.unary(UnaryOp::ExtendI32, holder);
            self.lower_if(condition, place);
        }
    }

    fn lower_if(&mut self, condition: Value, place: Value) {
        let low = self.low();
        let less = self.b.compare(Comparison::Lt, place, low);
        let lowers = self.b.binary(BinaryOp::AndB, condition, less);
        let low = self.b.select(lowers, place, low);
        self.set_low(low);
    }

    /// Does a value refer to scratch memory from `place` (`I64`) on? `None`: to none at all.
    fn refers_behind(&mut self, operand: &Operand, place: Value) -> Option<Value> {
        let Operand { types, values, .. } = operand;
        if !has_list(types) || values.is_empty() {
            return None;
        }
        if let Some(parts) = types.single().and_then(operand::parts) {
            let mut at = 0;
            let mut any = None;
            for types in parts {
                let width = operand::scalars(&types).map_or(0, |scalars| scalars.len());
                let part = Operand { values: values[at..at + width].into(), types, birth: Birth::UNKNOWN };
                at += width;
                any = self.either_of(any, |s| s.refers_behind(&part, place));
            }
            return any;
        }
        if !operand::is_tagged(types) {
            let reference = self.b.unary(UnaryOp::ExtendI32, values[0]);
            return Some(self.b.compare(Comparison::Ge, reference, place));
        }
        let has_shape = |s: &mut Self, shape: Shape| {
            let tag = s.b.i32(shape.tag());
            s.b.compare(Comparison::Eq, values[0], tag)
        };
        let mut any = None;
        for shape in [Shape::List, Shape::Made] {
            if types.iter().any(|ty| ty.shape() == shape) {
                any = self.either_of(any, |s| {
                    let is_it = has_shape(s, shape);
                    let behind = s.b.compare(Comparison::Ge, values[1], place);
                    Some(s.b.binary(BinaryOp::AndB, is_it, behind))
                });
            }
        }
        let local: TypeSet = types.filter(|ty: &Type| ty.shape() == Shape::Local);
        if has_list(&local) {
            let part = Operand { values: values[2..].into(), types: local, birth: Birth::UNKNOWN };
            any = self.either_of(any, |s| {
                let behind = s.refers_behind(&part, place)?;
                let is_it = has_shape(s, Shape::Local);
                Some(s.b.binary(BinaryOp::AndB, is_it, behind))
            });
        }
        any
    }

    fn either_of(
        &mut self,
        one: Option<Value>,
        other: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        match (one, other(self)) {
            (Some(one), Some(other)) => Some(self.b.binary(BinaryOp::OrB, one, other)),
            (one, other) => one.or(other),
        }
    }

    fn low(&mut self) -> Value {
        let at = self.b.i64(LOW);
        self.word(at)
    }

    fn set_low(&mut self, low: Value) {
        let at = self.b.i64(LOW);
        self.set_word(at, low);
    }

    /// Nothing is in scratch memory but what `clear_logs` puts there.
    pub(super) fn begin_low(&mut self) {
        if self.memo.watches_loops {
            let none = self.b.i64(NONE);
            self.set_low(none);
        }
        const { assert!(LOW < START) };
    }
}
