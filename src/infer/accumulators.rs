//! Accumulators: local variables around the section that it only writes. Each element keeps its own part of `total +=
//! x`. The parts are reduced on the host when all elements have succeeded, in the order of the base: Integers by the
//! driver, other numbers in copy-back, where nobody has defined their operators anew, and all else by Ruby itself. The
//! parts are in a column by element index, with the tick in which an element wrote its own. So the variable ends as it
//! would after sequential Ruby.
//!
//! That works where no element needs to know what the others did: `total += x` and its like, `best = [best, x].max`,
//! `found ||= x`, and a plain assignment, of which the last one counts. A variable that is used in any other way is
//! *shared*: it is in memory, a column of one row (`BufferKind::Variable`), which is watched as others are. So is one
//! to which an element may add several Floats, also in several ticks, since their order counts. What it holds at first
//! needs no column (a Range, a class, a lambda, an IO): it is read where it is until the section has assigned it, which
//! `BufferKind::Assigned` says (`Fold::Shared(None)`).
//!
//! A driver merges only Integers. Sums of Floats begin with what the variable holds, as their order counts. A driver
//! that has that as a scalar makes it a root, with its class (and whether it fits 32 bits) as a guard of the version: a
//! counter that grows, or is 0 at first and then a Float, would compile sections anew that need no other code. So
//! Floats, and numbers of both classes, are put together in copy-back, which reads the variable anyway.

use super::host::RootKey;
use super::operand::{self, Operand};
use super::pushing::is_made;
use super::remembered::Holders;
use super::{Condition, Lowerer, Temp};
use crate::heap::schema::{AccumulatorSchema, Fold, Holder, Output, Stored};
use crate::ir::{BinaryOp, BufferKind, Comparison, Value, Watched};
use crate::scalar::Ty;
use crate::source::Span;
use crate::syntax::ast::{AssignOp, Code, Kind, Node, Target};
use crate::syntax::walk::each_node;
use crate::types::{ClassId, Type, TypeSet};
use std::collections::BTreeMap;

/// A captured variable that the section writes, with the hidden locals that hold the element's part of it.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub fold: Fold,
    part: Option<(Temp, Temp)>,
    /// Places where that is written.
    writes: usize,
    /// The first of them, as [`Lowerer::places_here`] tells it.
    place: Vec<crate::ir::Place>,
}

impl Written {
    /// What elements share, which begins with this root.
    pub(super) const fn shared(root: Option<u32>) -> Self {
        Self { fold: Fold::Shared(root), part: None, writes: 1, place: vec![] }
    }
}

/// How `name` is used at one place.
#[derive(Debug, PartialEq)]
enum Use {
    Read,
    Write(Fold),
}

impl Lowerer<'_> {
    /// Finds out how each captured variable that is written can be put together; elements share the others.
    pub(crate) fn find_written(&mut self, code: &Code) {
        let mut uses: BTreeMap<String, Vec<Use>> =
            code.captured_writes.iter().map(|(name, _)| (name.clone(), vec![])).collect();
        // A read inside `x = [x, e].min` or `x = x + e` belongs to that.
        let mut idioms: Vec<Span> = Vec::new();
        each_node(code, &mut |node| {
            let (name, how) = match &node.kind {
                Kind::Captured(name) if idioms.iter().any(|s| within(node.span, *s)) => {
                    (name, Use::Write(Fold::Last)) // counted with the idiom itself, see below
                }
                Kind::Captured(name) => (name, Use::Read),
                Kind::Assign { target, value } => match &**target {
                    Target::Captured(name, _) => match best_of(name, value) {
                        Some((fold, captured, _)) => {
                            idioms.push(captured);
                            (name, Use::Write(fold))
                        }
                        None => match operator_of(name, value) {
                            Some((operator, captured, _)) => {
                                idioms.push(captured);
                                (name, Use::Write(Fold::Operator(operator)))
                            }
                            None => (name, Use::Write(Fold::Last)),
                        },
                    },
                    _ => return,
                },
                Kind::OpAssign { target, op, .. } => match (&**target, op) {
                    (Target::Captured(name, _), AssignOp::Or) => (name, Use::Write(Fold::Or)),
                    (Target::Captured(name, _), AssignOp::And) => (name, Use::Write(Fold::And)),
                    (Target::Captured(name, _), AssignOp::Operator(op)) => {
                        (name, Use::Write(Fold::Operator(op.clone())))
                    }
                    _ => return,
                },
                _ => return,
            };
            if matches!(&node.kind, Kind::Captured(_)) && matches!(how, Use::Write(_)) {
                return;
            }
            if let Some(list) = uses.get_mut(name) {
                list.push(how);
            }
        });
        for (name, uses) in uses {
            let written: Vec<&Fold> = uses
                .iter()
                .filter_map(|one| match one {
                    Use::Write(fold) => Some(fold),
                    Use::Read => None,
                })
                .collect();
            let writes = written.len();
            let is_seen = writes == code.captured_writes.iter().filter(|(n, _)| *n == name).count();
            // One way to write it, which parts of elements can be put together by. A driver is no element: it reads and
            // writes variables where they are.
            let one = written.first().copied().filter(|first| {
                let is_known = match first {
                    Fold::Operator(op) => OPERATORS.contains(&op.as_str()),
                    _ => true,
                };
                let is_shared = self.output == Output::Program || self.memo.shared_variables.contains(&name);
                is_seen && is_known && !is_shared && written.iter().all(|fold| fold == first)
            });
            let fold = match one {
                Some(fold) if !uses.contains(&Use::Read) => fold.clone(),
                _ => self.shared_variable(&name),
            };
            self.written.insert(name, Written { fold, part: None, writes, place: vec![] });
        }
    }

    /// What a variable that elements share holds at first, if that can be in a column.
    pub(super) fn can_be_shared(ty: &Type) -> Option<TypeSet> {
        Some(match ty {
            Type::True | Type::False => TypeSet::bool(),
            ty @ (Type::Nil
            | Type::Integer
            | Type::Float
            | Type::Symbol
            | Type::Object(..)
            | Type::Array(_)
            | Type::Column(..)
            | Type::Hash(..)) => ty.clone().into(),
            _ => return None,
        })
    }

    /// How elements share a variable around the section.
    fn shared_variable(&mut self, name: &str) -> Fold {
        let root = self.host.root(&RootKey::Captured(name.to_owned())).ok().flatten();
        let shared = root.and_then(|root| Some((root.number, Self::can_be_shared(&root.ty)?)));
        let (root, types) = shared.map_or((None, TypeSet::default()), |(root, types)| (Some(root), types));
        let known = self.memo.accumulators.entry(name.to_owned()).or_default();
        if self.memo.shared_variables.insert(name.to_owned()) {
            // What it held as an accumulator is of no concern.
            known.clone_from(&types);
            self.memo.changed |= true;
        }
        self.memo.changed |= known.extend(&types);
        Fold::Shared(root)
    }

    /// Does the current code see an accumulator by this name?
    pub(crate) fn accumulates(&self, name: &str) -> bool {
        self.frame().closure.is_none() && self.shared_number(name).is_none()
    }

    /// The number of a variable that elements share.
    pub(crate) fn shared_number(&self, name: &str) -> Option<u32> {
        let number = self.written.keys().position(|known| known == name)?;
        let is_shared = matches!(self.written[name].fold, Fold::Shared(_)) && self.frame().closure.is_none();
        is_shared.then_some(number as u32)
    }

    /// What a shared variable holds now.
    pub(crate) fn read_shared(&mut self, name: &str, number: u32) -> Operand {
        let holder = Holders::Captured(name.to_owned());
        if !self.begins_outside(name) {
            return self.read_variable(&holder, number);
        }
        let row = self.watch_shared(number, false);
        let assigned = self.buffer(BufferKind::Assigned(number), Ty::I64);
        let (assigned, never) = (self.b.load(assigned, row, Ty::I64, true), self.b.i64(0));
        let is_assigned = self.b.compare(Comparison::Ne, assigned, never);
        let key = self.memo.global_state.get(name).map(|state| state.key().clone());
        let key = key.unwrap_or_else(|| RootKey::Captured(name.to_owned()));
        self.branch(
            SLOT_FIRST,
            Condition { value: is_assigned, yes: vec![], no: vec![] },
            |s| match s.stored_by(&holder).is_empty() {
                true => Operand::bottom(),
                false => s.read_variable(&holder, number),
            },
            |s| s.root(&key).unwrap_or_else(Operand::nil),
        )
    }

    /// Does the variable hold at first what no column has a place for? Then it is said whether it has been assigned.
    fn begins_outside(&self, name: &str) -> bool {
        self.written.get(name).is_some_and(|written| written.fold == Fold::Shared(None))
    }

    pub(crate) fn write_shared(&mut self, name: &str, number: u32, value: &Operand) {
        if !value.is_bottom() && !self.b.is_dead() {
            self.write_variable(&Holders::Captured(name.to_owned()), number, value);
            if self.begins_outside(name) {
                let (row, one) = (self.watch_shared(number, true), self.b.i64(1));
                let one = Operand::integer(one);
                self.store_parts(&|_| BufferKind::Assigned(number), row, &one.types, &one);
            }
        }
    }

    pub(super) fn watch_shared(&mut self, number: u32, write: bool) -> Value {
        let (row, place) = (self.b.i32(0), self.b.i64(0));
        self.watch(Watched::Variable(number), (row, false), place, write);
        row
    }

    fn adds_floats(&mut self, name: &str, given: &Operand) -> bool {
        let root = self.host.root(&RootKey::Captured(name.to_owned()));
        given.types.contains(&Type::Float) || matches!(root, Ok(Some(root)) if root.ty == Type::Float)
    }

    /// The method of Ruby's own that somebody has redefined, of those by which parts are put together.
    fn redefined_of(&mut self, fold: &Fold, given: &TypeSet) -> Option<(ClassId, &'static str)> {
        let methods: &[&str] = match fold {
            // Parts of what is taken away are added.
            Fold::Operator(op) if op == "-" => &["+", "-"],
            Fold::Operator(op) => {
                OPERATORS.iter().position(|known| known == op).map(|i| &OPERATORS[i..=i])?
            }
            Fold::Best(_) | Fold::BestLater(_) => &["<=>"],
            Fold::Or | Fold::And | Fold::Last | Fold::Shared(_) => return None,
        };
        let numbers = [(Type::Integer, ClassId::INTEGER), (Type::Float, ClassId::FLOAT)];
        let classes = numbers.into_iter().filter(|(ty, _)| given.contains(ty)).map(|(_, class)| class);
        let mut all = classes.flat_map(|class| methods.iter().map(move |method| (class, *method)));
        all.find(|(class, method)| self.is_redefined(*class, method))
    }

    /// It turns out that the variable is no accumulator: the walk is done again.
    pub(super) fn share(&mut self, name: &str) -> Operand {
        self.shared_variable(name);
        self.memo.changed |= true;
        Operand::bottom()
    }

    /// Before the body of an element: its parts as they were left by the tick before.
    pub(crate) fn open_captured(&mut self) {
        let names: Vec<String> = self.written.keys().cloned().collect();
        for (i, name) in names.iter().enumerate() {
            if matches!(self.written[name].fold, Fold::Shared(_)) {
                continue;
            }
            let element = self.b.param(0);
            let ticks = self.buffer(BufferKind::AccumulatorTick(i as u32), Ty::I64);
            let tick = self.b.load(ticks, element, Ty::I64, true);
            let stored = self.memo.accumulators.entry(name.clone()).or_default().clone();
            let part = if stored.is_empty() {
                Operand::nil()
            } else {
                self.load_parts(
                    &|part| BufferKind::Accumulator(i as u32, part),
                    element,
                    &Stored::written(stored),
                    true,
                )
            };
            let temps = (self.temp(part), self.temp(Operand::integer(tick)));
            if let Some(written) = self.written.get_mut(name) {
                written.part = Some(temps);
            }
        }
    }

    /// After the body: keeps the parts.
    pub(crate) fn close_captured(&mut self) {
        let all: Vec<(String, Written)> = self.written.iter().map(|(n, w)| (n.clone(), w.clone())).collect();
        for (i, (name, written)) in all.into_iter().enumerate() {
            let Some((part, tick)) = written.part else { continue };
            let (part, tick) = (self.temp_get(part), self.temp_get(tick));
            if self.b.is_dead() || part.is_bottom() {
                continue;
            }
            if !self.is_storable(&part) {
                return;
            }
            let memo = self.memo.accumulators.entry(name).or_default();
            let joined = operand::join(memo, &part.types);
            let grew = joined != *memo;
            memo.clone_from(&joined);
            self.memo.changed |= grew;
            let element = self.b.param(0);
            self.store_parts(&|part| BufferKind::Accumulator(i as u32, part), element, &joined, &part);
            let types = tick.types.clone();
            self.store_parts(&|_| BufferKind::AccumulatorTick(i as u32), element, &types, &tick);
        }
    }

    /// `captured op= value` or `captured = value` by an element.
    pub(crate) fn write_captured(&mut self, node: &Node, name: &str, value: &Node, unused: bool) -> Operand {
        let Some(Written { fold, part: Some((part, tick)), writes, place }) = self.written.get(name).cloned()
        else {
            return Operand::bottom();
        };
        if !unused && fold != Fold::Last {
            return self.share(name);
        }
        if self.writing.iter().any(|n| n == name) && fold != Fold::Last {
            // Ruby has read the variable before: what is given meanwhile gets lost.
            return self.share(name);
        }
        if place.is_empty() {
            let place = self.places_here();
            self.written.entry(name.to_string()).and_modify(|written| written.place = place);
        }
        self.writing.push(name.to_string());
        let given = self.given_to(&fold, node, name, value);
        self.writing.pop();
        self.enter(node);
        if given.is_bottom() {
            return given;
        }
        // What is made gets a row, which is no part, and so would what Strings are put together to.
        let is_operator = matches!(fold, Fold::Operator(_));
        if given.types.iter().any(|ty| is_made(ty) || (is_operator && ty.is_string())) {
            return self.share(name);
        }
        // Of Floats the order counts in which they are added, which parts keep where an element gives one.
        let often = self.repeats || writes > 1 || !self.loops.is_empty() || self.current != 0;
        if often && matches!(fold, Fold::Operator(_)) && self.adds_floats(name, &given) {
            return self.share(name);
        }
        // Parts are put together in another order than Ruby's, by Ruby's own methods.
        if self.redefined_of(&fold, &given.types).is_some() {
            return self.share(name);
        }
        let old = self.temp_get(part);
        let old_tick = self.temp_get(tick);
        let one = self.b.i64(1);
        let now = self.b.tick();
        let now = Operand::integer(self.b.binary(BinaryOp::Add, now, one));
        let zero = self.b.i64(0);
        let given_before = self.b.compare(Comparison::Ne, old_tick.value(), zero);
        let first = Condition { value: given_before, yes: vec![], no: vec![] };
        // Nil stands for a part not given yet. One that was given stays: the operators do not take it, which is found
        // out when the parts are put together.
        let known: TypeSet = old.types.filter(|t| *t != crate::types::Type::Nil);
        let (new, new_tick) = match &fold {
            Fold::Last => (given.clone(), now),
            Fold::Operator(op) => {
                let op = if op == "-" { "+" } else { op };
                let new = if known.is_empty() {
                    given.clone()
                } else {
                    self.branch(
                        50,
                        first,
                        |s| {
                            s.unless_nil(&old, |s, old| {
                                s.send_written(&old, op, std::slice::from_ref(&given), 51)
                            })
                        },
                        |_| given.clone(),
                    )
                };
                (new, now)
            }
            Fold::Best(method) | Fold::BestLater(method) => {
                let later = matches!(fold, Fold::BestLater(_));
                let new = if known.is_empty() {
                    given.clone()
                } else {
                    self.better_part(method, later, first, &old, &given)
                };
                (new, now)
            }
            Fold::Shared(_) => return Operand::bottom(),
            Fold::Or | Fold::And => {
                // The first part that decides stays, with its tick.
                let mut decided = self.truth_condition(&old);
                if fold == Fold::And {
                    let not = self.b.unary(crate::ir::UnaryOp::Not, decided.value);
                    decided = Condition { value: not, yes: decided.no, no: decided.yes };
                }
                decided.value = self.b.binary(BinaryOp::AndB, decided.value, given_before);
                let keep = decided.value;
                let new = self.branch(50, decided, |_| old.clone(), |_| given.clone());
                let tick = self.b.select(keep, old_tick.value(), now.value());
                (new, Operand::integer(tick))
            }
        };
        if new.is_bottom() {
            return new;
        }
        self.temp_set(part, new);
        self.temp_set(tick, new_tick);
        given
    }

    /// What an element gives to a variable that is folded so.
    fn given_to(&mut self, fold: &Fold, node: &Node, name: &str, value: &Node) -> Operand {
        match fold {
            Fold::Best(_) | Fold::BestLater(_) => match best_of(name, value) {
                Some((_, _, other)) => self.expr(other),
                None => Operand::bottom(),
            },
            Fold::Operator(_) if matches!(node.kind, Kind::Assign { .. }) => match operator_of(name, value) {
                Some((_, _, other)) => self.expr(other),
                None => Operand::bottom(),
            },
            Fold::Or | Fold::And => self.expr_without_effects(name, value),
            _ => self.expr(value),
        }
    }

    /// The better one of a part and of what is given, which is the part where there is none yet.
    fn better_part(
        &mut self,
        method: &str,
        later: bool,
        first: Condition,
        old: &Operand,
        given: &Operand,
    ) -> Operand {
        self.branch(
            50,
            first,
            |s| {
                s.unless_nil(old, |s, old| {
                    let pair = if later { [given.clone(), old] } else { [old, given.clone()] };
                    let pair = s.tuple(&pair);
                    s.array_literal = Some(s.span);
                    s.send(&pair, method, &[], 51)
                })
            },
            |_| given.clone(),
        )
    }

    /// Ruby evaluates the right side of `||=` only if it is wanted, which no element knows: it must not matter.
    fn expr_without_effects(&mut self, name: &str, node: &Node) -> Operand {
        self.b.open();
        let operand = self.expr(node);
        let (block, dead) = self.b.close();
        let matters = self.has_effects(&block);
        self.b.splice(block, dead);
        if matters {
            return self.share(name);
        }
        operand
    }

    pub(crate) fn accumulator_schema(&self) -> Vec<AccumulatorSchema> {
        let all = self.written.iter().map(|(name, written)| AccumulatorSchema {
            name: self.memo.global_state.get(name).map_or(name, |state| &state.name).clone(),
            holder: self.memo.global_state.get(name).map_or(Holder::Scope, |state| state.holder.clone()),
            fold: written.fold.clone(),
            types: self.memo.accumulators.get(name).cloned().unwrap_or_default(),
            place: written.place.clone(),
        });
        all.collect()
    }
}

/// The join of what a variable held before the section and what that has assigned.
const SLOT_FIRST: u32 = 0x390;

const fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// What `name op= e` can be put together with.
const OPERATORS: [&str; 6] = ["+", "-", "*", "|", "&", "^"];

/// `name op e`: the operator, where the variable stands, and `e`.
fn operator_of<'n>(name: &str, value: &'n Node) -> Option<(String, Span, &'n Node)> {
    let Kind::Call(call) = &value.kind else { return None };
    let receiver = call.receiver.as_ref()?;
    let is_it = matches!(&receiver.kind, Kind::Captured(other) if other == name);
    let [other] = &call.args[..] else { return None };
    let is_plain =
        !call.safe && call.block.is_none() && !matches!(other.kind, Kind::Splat(_) | Kind::KeywordArgs(_));
    let fits = is_it && is_plain && OPERATORS.contains(&call.name.as_str());
    fits.then(|| (call.name.clone(), receiver.span, other))
}

/// `[name, e].min` or `[e, name].max`: how that is put together, where the variable stands, and `e`.
fn best_of<'n>(name: &str, value: &'n Node) -> Option<(Fold, Span, &'n Node)> {
    let Kind::Call(call) = &value.kind else { return None };
    let Kind::Array(items) = &call.receiver.as_ref()?.kind else { return None };
    if !["min", "max"].contains(&call.name.as_str()) || !call.args.is_empty() || call.block.is_some() {
        return None;
    }
    let [a, b] = &items[..] else { return None };
    let is_it = |n: &Node| matches!(&n.kind, Kind::Captured(other) if other == name);
    let method = call.name.clone();
    let (fold, own, other) =
        if is_it(a) { (Fold::Best(method), a, b) } else { (Fold::BestLater(method), b, a) };
    is_it(own).then_some((fold, own.span, other))
}
