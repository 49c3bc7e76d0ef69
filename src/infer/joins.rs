//! Control flow: where paths join, locals that differ between the ways in are carried by IR variables, as by φ. IR
//! values have a single assignment; variables need not. Which locals are carried, and with which types, is in the memo,
//! keyed by node and calling context: the chain of inlined calls that led there. The two arms of a condition are both
//! lowered before either sets what their join carries, and the first jump to any other join forward finds its types as
//! they are by then: such joins alone take no further walk. Loops carry what they can be seen to assign, with what that
//! is where they are entered (`assigned.rs`): they take one if it becomes something else.
//! Where a method is left, its own locals are carried no further. The locals of a frame are shared with the joins that
//! keep them, and copied where they change (`Locals`). What arrives new makes the walk be done again.

use super::assigned::is_simple;
use super::births::Birth;
use super::keys::{Context, JoinKey, Place, Step};
use super::memo::LocalKey;
use super::operand::{self, Operand};
use super::reuse::Reuse;
use super::{Locals, Lowerer, Temp};
use crate::ir::{Label, Stmt, Var};
use crate::syntax::ast::NodeId;
use crate::types::{Type, TypeSet};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Index of an open join.
pub(crate) type JoinIndex = usize;

#[derive(Debug)]
struct Carried {
    types: TypeSet,
    vars: Vec<Var>,
    /// What arrays of fixed length that have arrived are, once some have.
    birth: RefCell<Option<Birth>>,
}

/// A place where control flow joins, while the paths to it are being lowered.
#[derive(Debug)]
pub(crate) struct Join {
    key: JoinKey,
    label: Option<Label>,
    is_loop_head: bool,
    /// Locals as they were when the join was opened (for a loop head: as the loop body sees them).
    entry: Vec<Locals>,
    memory: u64,
    carried: BTreeMap<LocalKey, Carried>,
    result: Option<Carried>,
    pub(super) reached: bool,
    /// The frame that ends there: nobody asks for its locals any more.
    ends: Option<usize>,
}

impl Lowerer<'_> {
    pub(super) fn snapshot(&self) -> Vec<Locals> {
        self.frames.iter().map(|f| f.locals.clone()).collect()
    }

    /// Puts locals back as they were; frames opened since are gone already.
    pub(super) fn restore(&mut self, locals: &[Locals]) {
        for (frame, saved) in self.frames.iter_mut().zip(locals) {
            frame.locals = saved.clone();
        }
    }

    /// Is the local there in this walk?
    fn holds(&self, place: &LocalKey) -> bool {
        let local = self.frames.get(place.0).and_then(|frame| frame.locals.get(place.1));
        local.is_some_and(|local| local.maker == place.2)
    }

    fn carried(&mut self, types: TypeSet) -> Carried {
        let scalars = operand::scalars(&types).unwrap_or_default();
        let vars = scalars.into_iter().map(|ty| self.b.var(ty)).collect();
        Carried { vars, types, birth: RefCell::default() }
    }

    /// The place of what the current node has in `slot`.
    pub(super) const fn join_key(&self, slot: u32) -> JoinKey {
        JoinKey::new(Place::Node(self.context, self.node), slot)
    }

    /// The context that `choice` of a node leads to here.
    pub(super) fn context_at(&mut self, node: NodeId, choice: u32) -> Context {
        self.memo.context(self.context, Step::Node(node), choice)
    }

    /// Opens the join `slot` of the current node. `label` is the block or loop that jumps to it leave (or continue);
    /// without one, paths fall through to it.
    pub(crate) fn open_join(&mut self, slot: u32, label: Option<Label>, wants_result: bool) -> JoinIndex {
        let key = self.join_key(slot);
        let memo = self.memo.joins.entry(key).or_default();
        let places: Vec<(LocalKey, TypeSet)> = memo.carried.iter().map(|(p, t)| (*p, t.clone())).collect();
        let result = wants_result.then(|| memo.result.clone());
        let places = places.into_iter().filter(|(place, _)| self.holds(place)).collect::<Vec<_>>();
        let carried = places.into_iter().map(|(p, t)| (p, self.carried(t))).collect();
        let result = result.map(|t| self.carried(t));
        let (entry, memory) = (self.snapshot(), self.b.memory_state());
        let join = Join {
            key,
            label,
            is_loop_head: false,
            entry,
            memory,
            carried,
            result,
            reached: false,
            ends: None,
        };
        self.joins.push(join);
        self.joins.len() - 1
    }

    /// One more path to the join, with its result. Ends the path where the join has a label.
    pub(crate) fn jump(&mut self, index: JoinIndex, value: Option<&Operand>) {
        if self.b.is_dead() {
            return;
        }
        let mut join = std::mem::replace(&mut self.joins[index], Join::placeholder());
        let is_new = self.learn_path(&join, value);
        if !join.reached && !join.is_loop_head {
            // No path has set anything yet.
            self.carry_all(&mut join);
        } else {
            self.note_grown_within(is_new);
            if is_new && join.is_loop_head {
                self.learn_around(index, &join);
            }
        }
        join.reached = true;
        self.set_all(&join, value);
        self.leave_watched(index);
        match join.label {
            Some(label) if join.is_loop_head => self.b.emit(Stmt::Continue(label)),
            Some(label) => self.b.emit(Stmt::Break(label)),
            None => {}
        }
        self.joins[index] = join;
    }

    /// New or wider locals of a path to a join, and its result, go to the memo; true if there are any that the join does
    /// not carry as they are.
    pub(super) fn learn_path(&mut self, join: &Join, value: Option<&Operand>) -> bool {
        let mut is_new = false;
        for (f, locals) in join.entry.iter().enumerate() {
            // Where nothing was assigned, only what is carried counts.
            let same = self.frames[f].locals.is(locals);
            if join.ends == Some(f) {
                continue;
            }
            if same && join.carried.range((f, 0, Context::ROOT)..(f + 1, 0, Context::ROOT)).next().is_none() {
                continue;
            }
            for (l, before) in locals.iter().enumerate() {
                let now = &self.frames[f].locals[l];
                let place = (f, l, before.maker);
                if now.version == before.version && !join.carried.contains_key(&place) {
                    continue;
                }
                let types = now.operand.types.clone();
                is_new |= self.learn(join.key, place, &types) || !join.carried.contains_key(&place);
            }
        }
        if join.result.is_some() {
            let types = value.map_or_else(|| Type::Nil.into(), |value| value.types.clone());
            let known = self.memo.joins.entry(join.key).or_default().result.clone();
            let joined = self.memo.join(&known, &types, join.key);
            if joined != known {
                self.memo.joins.entry(join.key).or_default().result = joined;
                is_new = true;
            }
        }
        is_new
    }

    /// What is assigned in a loop is assigned in all loops around it, too, which would learn it one after the other.
    fn learn_around(&mut self, index: JoinIndex, join: &Join) {
        for (f, locals) in join.entry.iter().enumerate() {
            if join.ends == Some(f) || self.frames[f].locals.is(locals) {
                continue;
            }
            for (l, before) in locals.iter().enumerate() {
                let now = &self.frames[f].locals[l];
                if now.version == before.version {
                    continue;
                }
                let (place, types) = ((f, l, before.maker), now.operand.types.clone());
                let is_around = |outer: &&Join| {
                    let known = outer.entry.get(f).and_then(|locals| locals.get(l));
                    outer.is_loop_head
                        && outer.ends != Some(f)
                        && known.is_some_and(|known| known.maker == place.2)
                };
                let around: Vec<JoinKey> =
                    self.joins[..index].iter().filter(is_around).map(|outer| outer.key).collect();
                for key in around {
                    let grew = self.learn(key, place, &types);
                    self.note_grown_within(grew);
                }
            }
        }
    }

    /// Makes the join carry all that the memo knows of by now.
    pub(super) fn carry_all(&mut self, join: &mut Join) {
        let memo = self.memo.joins.entry(join.key).or_default();
        let places: Vec<(LocalKey, TypeSet)> = memo.carried.iter().map(|(p, t)| (*p, t.clone())).collect();
        let result = memo.result.clone();
        for (place, types) in places {
            if self.holds(&place) && join.carried.get(&place).is_none_or(|carried| carried.types != types) {
                join.carried.insert(place, self.carried(types));
            }
        }
        if join.result.as_ref().is_some_and(|carried| carried.types != result) {
            join.result = Some(self.carried(result));
        }
    }

    /// Sets what the join carries to what it is on this path.
    pub(super) fn set_all(&mut self, join: &Join, value: Option<&Operand>) {
        for ((f, l, _), carried) in &join.carried {
            let slot = self.frames[*f].locals[*l].clone();
            if join.is_loop_head && slot.version == join.entry[*f][*l].version {
                continue;
            }
            self.set_carried(carried, &slot.operand);
        }
        if let Some(carried) = &join.result {
            let nil = Operand::nil();
            self.set_carried(carried, value.unwrap_or(&nil));
        }
    }

    /// Adds to what a local can be at a join; true if that is new.
    fn learn(&mut self, key: JoinKey, place: LocalKey, types: &TypeSet) -> bool {
        let known = self.memo.joins.entry(key).or_default().carried.entry(place).or_default().clone();
        let joined = self.memo.join(&known, types, key.local(place.0, place.1));
        let is_new = joined != known;
        self.memo.joins.entry(key).or_default().carried.insert(place, joined);
        is_new
    }

    fn set_carried(&mut self, carried: &Carried, operand: &Operand) {
        let operand = &self.listed(operand, &carried.types);
        // In a walk that will be repeated the types may not fit yet.
        if !operand::covers(&carried.types, &operand.types) {
            self.note_grown_within(true);
            return;
        }
        if operand.types.iter().any(|ty| operand::parts(ty).is_some()) {
            let mut known = carried.birth.borrow_mut();
            *known =
                Some(known.as_ref().map_or_else(|| operand.birth.clone(), |known| known.or(&operand.birth)));
        }
        let values = self.convert(operand, &carried.types);
        for (var, value) in carried.vars.iter().zip(values) {
            if self.b.var_ty(*var) == self.b.ty(value) {
                self.b.set(*var, value);
            } else {
                self.note_grown_within(true);
            }
        }
    }

    fn get_carried(&mut self, carried: &Carried) -> Operand {
        let values = carried.vars.iter().map(|v| self.b.get(*v)).collect();
        let birth = carried.birth.borrow().clone().unwrap_or_default();
        Operand { types: carried.types.clone(), values, birth }
    }

    /// The same, for questions that are of use only where what it carries is.
    fn glance_at(&mut self, carried: &Carried) -> Operand {
        let values = carried.vars.iter().map(|v| self.b.glance(*v)).collect();
        Operand { types: carried.types.clone(), values, birth: Birth::UNKNOWN }
    }

    /// All paths to the join have been lowered: continues from it, with its result.
    pub(crate) fn land(&mut self, index: JoinIndex) -> Operand {
        let mut join = self.joins.remove(index);
        debug_assert_eq!(index, self.joins.len(), "joins are closed innermost first");
        self.restore(&join.entry);
        if !join.reached {
            self.b.mark_dead();
            return Operand::bottom();
        }
        if self.b.memory_state() != join.memory {
            self.b.forget_memory();
        }
        // What the memo learned in this walk counts already for the types downstream.
        let memo = &self.memo.joins[&join.key];
        let places: Vec<(LocalKey, TypeSet)> = memo.carried.iter().map(|(p, t)| (*p, t.clone())).collect();
        let result_types = memo.result.clone();
        for (place, types) in places {
            if !self.holds(&place) {
                continue;
            }
            let known = join.carried.remove(&place).filter(|c| c.types == types);
            let carried = match known {
                Some(carried) => carried,
                None => self.carried(types),
            };
            let operand = self.get_carried(&carried);
            let version = self.fresh_version();
            self.frames[place.0].locals[place.1].assign(operand, version);
        }
        match join.result {
            Some(carried) if carried.types == result_types => {
                let operand = self.get_carried(&carried);
                self.carrier(operand)
            }
            Some(_) => {
                let carried = self.carried(result_types);
                let operand = self.get_carried(&carried);
                self.carrier(operand)
            }
            None => Operand::nil(),
        }
    }

    /// A value of kinds that have no common carrier (a range or a number) is refused where it is used: joins let it
    /// pass, since most such locals are not looked at again.
    pub(crate) fn carrier(&mut self, operand: Operand) -> Operand {
        if operand::scalars(&operand.types).is_some() {
            return operand;
        }
        if self.keep_made(&operand.types) {
            return Operand::bottom();
        }
        self.refuse_here(
            "mixed-values",
            format!(
                "a value here can be {}, which cannot be told apart at run time",
                self.describe(&operand.types)
            ),
            Some("make both branches give the same kind of value".into()),
        )
    }

    /// Lowers a loop over two joins of the current node, `slot` and `slot + 1`. The body gets the exit and the head:
    /// a jump to the exit leaves with a value, one to the head starts the next iteration, as reaching the end does.
    pub(crate) fn looping(
        &mut self,
        slot: u32,
        body: impl FnOnce(&mut Self, JoinIndex, JoinIndex),
    ) -> Operand {
        self.looping_with(slot, &[], body)
    }

    /// The same of one that assigns these temporaries.
    pub(crate) fn looping_with(
        &mut self,
        slot: u32,
        temps: &[Temp],
        body: impl FnOnce(&mut Self, JoinIndex, JoinIndex),
    ) -> Operand {
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let node = self.node;
        let (facts, ways) = (self.facts.len(), self.births.ways());
        let label = self.b.label();
        let exit = self.open_join(slot, Some(label), true);
        self.learn_entry(self.join_key(slot + 1), temps);
        let head = self.open_join(slot + 1, Some(label), false);
        let mut join = std::mem::replace(&mut self.joins[head], Join::placeholder());
        join.is_loop_head = true;
        for carried in join.carried.values() {
            self.note_stale(&carried.types);
        }
        let mut versions = Vec::new();
        for (place, carried) in &join.carried {
            let slot = self.frames[place.0].locals[place.1].clone();
            let grew = self.learn(join.key, *place, &slot.operand.types);
            self.note_grown_within(grew);
            self.set_carried(carried, &slot.operand);
            versions.push(*place);
        }
        let reuse = self.begin_reuse(head, join.key, join.carried.values().any(|c| has_list(&c.types)));
        self.b.open();
        self.b.forget_memory();
        let mut carried = Vec::new();
        for place in &versions {
            let operand = self.get_carried(&join.carried[place]);
            // Later iterations bring others.
            let operand = Operand { birth: Birth::UNKNOWN, ..operand };
            carried.push(operand.clone());
            let version = self.fresh_version();
            self.frames[place.0].locals[place.1].assign(operand, version);
        }
        let glances: Vec<Operand> = match reuse {
            Reuse::Watched(_) => versions.iter().map(|place| self.glance_at(&join.carried[place])).collect(),
            _ => Vec::new(),
        };
        for (number, operand) in self.reuse(&reuse, &carried, &glances) {
            let version = self.fresh_version();
            self.frames[versions[number].0].locals[versions[number].1].assign(operand, version);
        }
        join.entry = self.snapshot();
        self.loops.push(join.key);
        self.joins[head] = join;
        body(self, exit, head);
        self.loops.pop();
        self.node = node;
        self.jump(head, None);
        self.end_reuse(&reuse);
        self.joins.truncate(head);
        let (block, _) = self.b.close();
        self.facts.truncate(facts);
        self.births.leave(ways);
        self.b.emit(Stmt::Loop { label, body: block });
        self.b.forget_memory();
        self.land(exit)
    }

    /// What is carried by a loop, or will be, can be what it is before the loop: that is known before anything in it is
    /// lowered.
    fn learn_entry(&mut self, key: JoinKey, temps: &[Temp]) {
        let known = |s: &Self, place: &LocalKey| {
            s.memo.joins.get(&key).is_some_and(|memo| memo.carried.contains_key(place))
        };
        let mut places: Vec<LocalKey> =
            self.memo.joins.get(&key).into_iter().flat_map(|memo| memo.carried.keys().copied()).collect();
        let assigned = self.assigned_here(temps);
        places.extend(assigned.into_iter().filter(|place| {
            !known(self, place)
                && self.holds(place)
                && is_simple(&self.frames[place.0].locals[place.1].operand.types)
        }));
        for place in places.into_iter().filter(|place| self.holds(place)).collect::<Vec<_>>() {
            let types = self.frames[place.0].locals[place.1].operand.types.clone();
            self.learn(key, place, &types);
        }
    }

    /// Lowers the code of the current frame, which `return`s can leave early, and which ends with it.
    pub(super) fn leaving(
        &mut self,
        slot: u32,
        wants_result: bool,
        body: impl FnOnce(&mut Self, JoinIndex) -> Operand,
    ) -> Operand {
        let frame = self.current;
        self.labelled(slot, wants_result, |s, join| {
            s.joins[join].ends = Some(frame);
            body(s, join)
        })
    }

    /// Lowers code that a jump can leave early: a method with `return`s, a block with `next`.
    pub(crate) fn labelled(
        &mut self,
        slot: u32,
        wants_result: bool,
        body: impl FnOnce(&mut Self, JoinIndex) -> Operand,
    ) -> Operand {
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let node = self.node;
        let (facts, ways) = (self.facts.len(), self.births.ways());
        let label = self.b.label();
        let join = self.open_join(slot, Some(label), wants_result);
        self.b.open();
        let value = body(self, join);
        self.node = node;
        if value.is_bottom() {
            self.b.mark_dead();
        }
        self.jump(join, Some(&value));
        let (block, _) = self.b.close();
        self.facts.truncate(facts);
        self.births.leave(ways);
        self.b.emit(Stmt::Block { label, body: block });
        self.land(join)
    }
}

/// Can a value of the set be, or hold, what is in scratch memory?
pub(super) fn has_list(types: &TypeSet) -> bool {
    types.iter().any(|t| match t {
        Type::List(_) | Type::Made(_) => true,
        other => operand::parts(other).is_some_and(|parts| parts.iter().any(has_list)),
    })
}

impl Join {
    pub(super) const fn placeholder() -> Self {
        Self {
            key: JoinKey::new(Place::Section, 0),
            label: None,
            is_loop_head: false,
            entry: Vec::new(),
            memory: 0,
            carried: BTreeMap::new(),
            result: None,
            reached: false,
            ends: None,
        }
    }
}
