//! Two elements *conflict* where they touch one place in the same tick and one of them writes it. A section whose
//! elements could do so is *watched*: before each access that could conflict stands an [`Op::Watch`], by which the
//! element leaves its *mark* in a buffer beside the column and sees those of others; `heap/marks.rs` says why of two
//! one always sees the other, whatever the interleaving, and why it does so before it has touched anything. If somebody
//! is there, the element fails at a site as always, and the run ends with `Outcome::Conflict`: nothing that it computed
//! counts. Tags and payloads are not told apart, nor is it asked whether a write changes anything.
//!
//! - What nobody writes is not watched, nor are instance variables that are touched only in the element itself. Both
//!   are in the memo, so the last walk knows them. Where nothing is left the elements are proven independent, and there
//!   is nothing to pay. An access is watched where inference reads or writes, not where the IR does: an IR pass would
//!   see loads that Ruby would not do (`array[i]` out of range loads item 0 and drops it), miss those that were found
//!   to be the same as an earlier one, take tag and payload for two variables, and have no lines.
//! - The item of the own number of an array that is a root (`ys[i]` in `n.ptimes`, or with `each_with_index`) is
//!   touched by no other element, if all accesses to its kind are of that array and such an index. (Of saxpy over 6
//!   million items marks took 40 ms of 51.)
//! - Elements that are the same object are one: `FirstSame` gives the first index of each. They run in order, so they
//!   do not conflict.
//! - Arrays are watched as wholes at first, if there are as many as elements: most often they are an element's own, and
//!   then one mark is seen again and again. Only where two elements touch one array are they watched item by item
//!   (`ScalarSource::Fine`, a kernel argument, so that nothing is compiled anew).
//! - Watching is by kernel (`Watchers`): positions that one kernel reads of others and another one writes of its own
//!   conflict in neither. Fusing of ticks is, too. Ticks of launches go on from each other, so that marks, random
//!   numbers and failures tell them apart.
//! - Since a conflict is seen before the row is touched, no element ever reads what another one has written in the same
//!   tick: unions, whose tag and payload are two columns, are never torn, and an exception of the lowest element is
//!   Ruby's. A loop that waits for what its neighbour will not write is ended by the flag that interrupts set.

use super::Lowerer;
use super::keys::Watcher;
use crate::heap::marks::MANY;
use crate::ir::builder::Builder;
use crate::ir::{
    BinaryOp, Block, BufferKind, Comparison, ErrorKind, KernelId, Op, Part, ScalarSource, Stmt, UnaryOp,
    Value, Watched, walk,
};
use crate::scalar::{Interval, Ty};
use crate::types::{ArrayKind, HierarchyId};

impl Lowerer<'_> {
    /// The element is about to touch an instance variable or member of the object `id`.
    pub(super) fn watch_variable(&mut self, hierarchy: HierarchyId, name: &str, id: Value, write: bool) {
        let who = self.watcher();
        let memo = self.memo.columns.entry((hierarchy, name.to_string())).or_default();
        if self.own.id != Some(id) {
            self.memo.changed |= memo.shared.insert(who) | (write && memo.scattered.insert(who));
        }
        let memo = &self.memo.columns[&(hierarchy, name.to_string())];
        if memo.written_by.concern(who) && memo.shared.concern(who) {
            // Who writes itself alone, and reads another, need not be known as the reader: one mark is enough for all.
            let anyone = !write && !memo.scattered.concern(who);
            let place = self.b.unary(UnaryOp::ExtendI32, id);
            self.watch(Watched::Column { hierarchy, name: name.to_string() }, (id, anyone), place, write);
        }
    }

    /// The element is about to touch an item (array, index) of the heap; `slot` is its row. Under a condition, the index
    /// is the one beside it.
    pub(super) fn watch_item(
        &mut self,
        kind: ArrayKind,
        (id, index): (Value, Value),
        slot: Value,
        write: bool,
        condition: Option<(Value, Value)>,
    ) {
        let who = self.watcher();
        // Those whose length changes are watched as wholes.
        let grows = self.array_grows(kind);
        let root = self.own_item(id, condition.map_or(index, |(_, index)| index)).filter(|_| !grows);
        let memo = self.memo.arrays.entry(kind).or_default();
        // No two elements have one number.
        let own = root.is_some_and(|root| memo.root_of(who, root) == root);
        self.memo.changed |= !own && memo.shared.insert(who);
        if !(memo.written_by.concern(who) && memo.shared.concern(who)) {
            return;
        }
        let condition = condition.map(|(condition, _)| condition);
        let watch = |s: &mut Self| {
            let place = pack(&mut s.b, id, index);
            let row = if grows {
                id
            } else {
                let fine = s.scalar(ScalarSource::Fine(kind), Ty::Bool, Interval::FULL);
                s.b.select(fine, slot, id)
            };
            s.watch(Watched::Arrays(kind), (row, false), place, write);
        };
        match condition {
            Some(condition) => self.when(condition, watch),
            None => watch(self),
        }
    }

    /// The root that the array is, if the index is the element's own number.
    fn own_item(&self, id: Value, index: Value) -> Option<u32> {
        let Some(Op::Unary(UnaryOp::ExtendI32, number)) = self.b.definition(index) else { return None };
        let (Some(Op::Element), Some(Op::Scalar(root))) = (self.b.definition(*number), self.b.definition(id))
        else {
            return None;
        };
        match self.program.scalars[root.0 as usize].source {
            ScalarSource::Root(root, Part::Payload) => Some(root),
            _ => None,
        }
    }

    /// `if condition { … }` around what defines nothing for later.
    pub(super) fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        self.b.open();
        then(self);
        let (then, _) = self.b.close();
        self.b.emit(Stmt::If { condition, then, otherwise: vec![] });
    }

    /// Who touches things here.
    pub(super) fn watcher(&self) -> Watcher {
        match self.driving.kernel {
            _ if self.in_driver => Watcher::Driver,
            Some(kernel) => Watcher::Kernel(kernel.key),
            None if self.section.is_some() || self.function.is_some() => Watcher::Functions,
            None => Watcher::ONLY,
        }
    }

    pub(super) fn watch(&mut self, what: Watched, (row, anyone): (Value, bool), place: Value, write: bool) {
        if self.in_driver {
            return;
        }
        let marks = self.buffer(BufferKind::Marks(what.clone()), Ty::I64);
        self.program.buffers[marks.0 as usize].written = true;
        if !self.b.first_watch(marks, row, write) {
            return;
        }
        let epoch = self.scalar(ScalarSource::Epoch, Ty::I64, Interval { low: 0, high: 1 << 32 });
        let (tick, one) = (self.b.tick(), self.b.i64(1));
        let now = self.b.binary(BinaryOp::Add, tick, one);
        let now = self.b.binary(BinaryOp::Add, now, epoch);
        let half = self.b.i64(32);
        let now = self.b.binary(BinaryOp::Shl, now, half);
        // Objects that stand in the base several times run one after the other: they are one to us.
        let mut first = self.b.element();
        // In a driver's program, functions do not know whose elements they are called for.
        let kernel = self.driving.kernel.map_or(KernelId(0), |kernel| kernel.kernel);
        if self.own.shared && (self.driving.kernel.is_some() || self.section.is_none()) {
            let buffer = self.buffer(BufferKind::FirstSame(kernel), Ty::I32);
            first = self.b.load(buffer, first, Ty::I32, false);
        }
        let first = self.b.unary(UnaryOp::ExtendI32, first);
        let mut me = self.b.binary(BinaryOp::Or, now, first);
        if let (true, Some(own)) = (anyone, self.own.id) {
            let many = self.b.i64(MANY as i64);
            let many = self.b.binary(BinaryOp::Or, me, many);
            let mine = self.b.compare(Comparison::Eq, row, own);
            me = self.b.select(mine, me, many);
        }
        let site = self.site(ErrorKind::Race { what, write });
        let other = self.b.watch(marks, row, me, write, site);
        let zero = self.b.i64(0);
        let nobody = self.b.compare(Comparison::Lt, other, zero);
        self.b.check(nobody, site, &[other, place]);
    }

    /// Could the block fail, jump out, write or draw a random number? What only watches does not count.
    pub(super) fn has_effects(&self, block: &Block) -> bool {
        walk::any(block, &mut |stmt| match stmt {
            Stmt::Check { site, .. } => {
                !matches!(self.program.sites[site.0 as usize].error, ErrorKind::Race { .. })
            }
            Stmt::Break(label) | Stmt::Continue(label) => !walk::any(
                block,
                &mut |stmt| matches!(stmt, Stmt::Loop { label: own, .. } | Stmt::Block { label: own, .. } if own == label),
            ),
            Stmt::Call { .. } | Stmt::Store { .. } | Stmt::Fail { .. } | Stmt::Return(_) => true,
            Stmt::Let { op: Op::Watch { .. }, .. } => false,
            Stmt::Let { op: Op::Claim { .. }, .. } => true,
            Stmt::Let { op: op @ Op::Intrinsic { .. }, .. } => op.written_text().is_some(),
            Stmt::Let { op, site, .. } => {
                site.is_some()
                    || matches!(op, Op::Random | Op::Match { .. } | Op::Group(_) | Op::Print { .. })
            }
            _ => false,
        })
    }
}

/// An `I32` in the upper and an `I64` in the lower half, which it fits.
fn pack(b: &mut Builder, upper: Value, lower: Value) -> Value {
    let (upper, half) = (b.unary(UnaryOp::ExtendI32, upper), b.i64(32));
    let upper = b.binary(BinaryOp::Shl, upper, half);
    b.binary(BinaryOp::Or, upper, lower)
}
