//! The race detector (`Ikra.check = :races`): a race is that two elements touch one instance variable of one object, or
//! one place of an array, in the same tick, and at least one of the two writes it.
//!
//! Who touched a row is kept in *shadow memory*: buffers beside those that are checked. Accesses that can race are
//! *instrumented*: before them, the section calls a *race check*, a function made here for each shadowed thing. It
//! notes the element and gives who raced with it, if anyone did; then the element fails. Tags and payloads are not told
//! apart, nor is it asked whether a write changes anything.
//!
//! Shadowed is only what somebody writes, and of instance variables only those touched in other objects than the
//! element itself. Whether two elements race does not depend on the order in which they come; which race is found first
//! does, so such sections run their elements in the order of the base ([`crate::heap::JobOrder::sequential`]).

use super::Lowerer;
use crate::ir::builder::Builder;
use crate::ir::{
    Accessor, BinaryOp, Block, Buffer, BufferKind, Comparison, ErrorKind, FuncId, Op, ShadowPart, Shadowed,
    Stmt, Ty, UnaryOp, Value, walk,
};
use crate::types::{ArrayKind, HierarchyId};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Races {
    /// Is anything checked at all?
    pub wanted: bool,
    /// The element itself, in code that knows it.
    pub own: Option<Value>,
    /// By what they check and whether for writes.
    checks: BTreeMap<(Shadowed, bool), FuncId>,
}

impl Lowerer<'_> {
    /// The element is about to touch an instance variable or member of the object `id`.
    pub(super) fn instrument_variable(&mut self, hierarchy: HierarchyId, name: &str, id: Value, write: bool) {
        if !self.races.wanted {
            return;
        }
        let memo = self.memo.columns.entry((hierarchy, name.to_string())).or_default();
        if self.races.own != Some(id) && !memo.shared {
            memo.shared = true;
            self.memo.changed = true;
        }
        let memo = &self.memo.columns[&(hierarchy, name.to_string())];
        if memo.is_written && memo.shared {
            let place = self.b.unary(UnaryOp::ExtendI32, id);
            self.instrument(Shadowed::Column { hierarchy, name: name.to_string() }, id, place, write);
        }
    }

    /// The element is about to touch an item (array, index) of the heap; `slot` is its row.
    pub(super) fn instrument_item(
        &mut self,
        kind: ArrayKind,
        (id, index): (Value, Value),
        slot: Value,
        write: bool,
        condition: Option<Value>,
    ) {
        if !self.races.wanted || !self.memo.arrays.get(&kind).is_some_and(|memo| memo.is_written) {
            return;
        }
        let instrument = |s: &mut Self| {
            let place = pack(&mut s.b, id, index);
            s.instrument(Shadowed::ArrayValues(kind), slot, place, write);
        };
        match condition {
            Some(condition) => self.when(condition, instrument),
            None => instrument(self),
        }
    }

    /// `if condition { … }` around what defines nothing for later.
    pub(super) fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        self.b.open();
        then(self);
        let (then, _) = self.b.close();
        self.b.emit(Stmt::If { condition, then, otherwise: vec![] });
    }

    fn instrument(&mut self, what: Shadowed, row: Value, place: Value, write: bool) {
        let check = self.race_check(&what, write);
        if !self.b.first_time(check, row) {
            return;
        }
        let site = self.site(ErrorKind::Race { what, write });
        let number = self.b.i32(site.0 as i32);
        let other = self.b.call_beside(check, vec![row, number], &[Ty::I64])[0];
        let zero = self.b.i64(0);
        let nobody = self.b.compare(Comparison::Lt, other, zero);
        self.b.check(nobody, site, &[other, place]);
    }

    /// The function that notes a touch: (row, site) → who raced, or -1.
    fn race_check(&mut self, what: &Shadowed, write: bool) -> FuncId {
        let key = (what.clone(), write);
        if let Some(check) = self.races.checks.get(&key) {
            return *check;
        }
        let check = FuncId(self.program.functions.len() as u32);
        self.program.functions.push(Default::default());
        self.races.checks.insert(key, check);
        let name = format!("{} {what}", if write { "write" } else { "read" });
        let outer = std::mem::replace(&mut self.b, Builder::new(name, &[Ty::I32, Ty::I32], &[Ty::I64]));
        let touch = self.touch();
        if write {
            self.write_touch(what, touch);
        } else {
            self.read_touch(what, touch);
        }
        let nobody = self.b.i64(-1);
        self.b.emit(Stmt::Return(vec![nobody]));
        let body = std::mem::replace(&mut self.b, outer);
        self.program.functions[check.0 as usize] = body.finish();
        check
    }

    fn touch(&mut self) -> Touch {
        let (row, site) = (self.b.param(0), self.b.param(1));
        let (tick, one) = (self.b.tick(), self.b.i64(1));
        let now = self.b.binary(BinaryOp::Add, tick, one);
        let element = self.b.element();
        let site = self.b.unary(UnaryOp::ExtendI32, site);
        let me = pack(&mut self.b, element, site);
        let object = self.object_of(element);
        Touch { row, now, me, object }
    }

    /// Objects that stand in the base several times run one after the other: they are one to us.
    fn object_of(&mut self, element: Value) -> Value {
        let first = self.buffer(BufferKind::FirstSame, Ty::I32);
        self.b.load(first, element, Ty::I32, false)
    }

    fn write_touch(&mut self, what: &Shadowed, touch: Touch) {
        for by in [Accessor::Writer, Accessor::Reader, Accessor::OtherReader] {
            self.give_other(what, touch, by);
        }
        self.note(what, touch, Accessor::Writer);
    }

    fn read_touch(&mut self, what: &Shadowed, touch: Touch) {
        self.give_other(what, touch, Accessor::Writer);
        let is_read = self.touched_now(what, touch, Accessor::Reader);
        self.b.open();
        self.if_other(what, touch, Accessor::Reader, |s, _| s.note(what, touch, Accessor::OtherReader));
        let (then, _) = self.b.close();
        self.b.open();
        self.note(what, touch, Accessor::Reader);
        let (otherwise, _) = self.b.close();
        self.b.emit(Stmt::If { condition: is_read, then, otherwise });
    }

    /// Gives who touched the row in this tick, if it is another object.
    fn give_other(&mut self, what: &Shadowed, touch: Touch, by: Accessor) {
        let touched = self.touched_now(what, touch, by);
        self.when(touched, |s| s.if_other(what, touch, by, |s, who| s.b.emit(Stmt::Return(vec![who]))));
    }

    fn touched_now(&mut self, what: &Shadowed, touch: Touch, by: Accessor) -> Value {
        let ticks = self.touched(what, by, ShadowPart::Tick);
        let tick = self.b.load(ticks, touch.row, Ty::I64, true);
        self.b.compare(Comparison::Eq, tick, touch.now)
    }

    fn if_other(&mut self, what: &Shadowed, touch: Touch, by: Accessor, then: impl FnOnce(&mut Self, Value)) {
        let all = self.touched(what, by, ShadowPart::Who);
        let who = self.b.load(all, touch.row, Ty::I64, true);
        let half = self.b.i64(32);
        let element = self.b.binary(BinaryOp::Shr, who, half);
        let element = self.b.unary(UnaryOp::WrapI64, element);
        let object = self.object_of(element);
        let differs = self.b.compare(Comparison::Ne, object, touch.object);
        self.when(differs, |s| then(s, who));
    }

    fn note(&mut self, what: &Shadowed, touch: Touch, by: Accessor) {
        let (ticks, all) =
            (self.touched(what, by, ShadowPart::Tick), self.touched(what, by, ShadowPart::Who));
        self.b.store(ticks, touch.row, touch.now);
        self.b.store(all, touch.row, touch.me);
    }

    fn touched(&mut self, what: &Shadowed, by: Accessor, part: ShadowPart) -> Buffer {
        let buffer = self.buffer(BufferKind::Shadow { what: what.clone(), by, part }, Ty::I64);
        self.program.buffers[buffer.0 as usize].written = true;
        buffer
    }

    /// Could the block fail, jump out, write or draw a random number? What only checks does not count.
    pub(super) fn has_effects(&self, block: &Block) -> bool {
        let is_check = |function: &FuncId| self.races.checks.values().any(|check| check == function);
        walk::any(block, &mut |stmt| match stmt {
            Stmt::Check { site, .. } => {
                !matches!(self.program.sites[site.0 as usize].error, ErrorKind::Race { .. })
            }
            Stmt::Call { function, .. } => !is_check(function),
            Stmt::Break(label) | Stmt::Continue(label) => !walk::any(
                block,
                &mut |stmt| matches!(stmt, Stmt::Loop { label: own, .. } | Stmt::Block { label: own, .. } if own == label),
            ),
            Stmt::Store { .. } | Stmt::Fail { .. } | Stmt::Return(_) => true,
            Stmt::Let { op, site, .. } => site.is_some() || matches!(op, Op::Random),
            _ => false,
        })
    }
}

/// One touch: the row, the tick (counted from 1), the element with its site, and the object that it is.
#[derive(Clone, Copy)]
struct Touch {
    row: Value,
    now: Value,
    me: Value,
    object: Value,
}

/// An `I32` in the upper and an `I64` in the lower half, which it fits.
fn pack(b: &mut Builder, upper: Value, lower: Value) -> Value {
    let (upper, half) = (b.unary(UnaryOp::ExtendI32, upper), b.i64(32));
    let upper = b.binary(BinaryOp::Shl, upper, half);
    b.binary(BinaryOp::Or, upper, lower)
}

#[cfg(test)]
mod tests {
    use crate::infer::Operation;
    use crate::infer::tests::World;
    use crate::ir::{BufferKind, Shadowed};
    use crate::types::{ArrayKind, Type};

    const CELL: &str = "
        class Cell
          def x = @x
          def y = @y
          def other = @other
          def cells = @cells
          def x=(x)
            @x = x
          end
          def cool(depth)
            @y = 1
            cool(depth - 1) if depth > 0
          end
        end
    ";

    /// The variables of Cells that a block checks, and "items" for those of arrays.
    fn checked(block: &str) -> Vec<String> {
        let world = World::new(&format!("{CELL}base.peach {{ |cell| {block} }}"));
        let cell = world.object("Cell");
        let mut world = world
            .base(std::slice::from_ref(&cell))
            .column("Cell", "x", &[Type::Integer])
            .column("Cell", "y", &[Type::Integer, Type::Nil])
            .column("Cell", "other", &[cell])
            .column("Cell", "cells", &[Type::Array(ArrayKind(0))])
            .elements(0, &[Type::Integer]);
        world.races = true;
        let program = world.must_infer(Operation::Each).program;
        assert_eq!(program.fused, !program.checks_races());
        let touched = program.buffers.iter().filter_map(|buffer| match &buffer.kind {
            BufferKind::Shadow { what: Shadowed::Column { name, .. }, .. } => Some(name.clone()),
            BufferKind::Shadow { .. } => Some("items".into()),
            _ => None,
        });
        let mut touched: Vec<String> = touched.collect();
        touched.dedup();
        touched
    }

    #[test]
    fn what_nobody_writes_is_not_checked() {
        assert!(checked("cell.other.x + cell.cells[0]").is_empty());
    }

    #[test]
    fn what_is_touched_in_the_element_alone_is_not_checked() {
        assert!(checked("cell.x += cell.other.y.to_i").is_empty());
        assert!(checked("same = cell; same.x = same.x + 1").is_empty());
    }

    #[test]
    fn what_others_see_is_checked_once() {
        assert_eq!(checked("cell.x += cell.other.x"), ["@x"]);
        assert_eq!(checked("cell.other.x = 1"), ["@x"]);
        assert_eq!(checked("cell.other.x += cell.y"), ["@x"]);
    }

    #[test]
    fn called_functions_do_not_know_the_element() {
        assert_eq!(checked("cell.cool(3)"), ["@y"]);
    }

    #[test]
    fn arrays_are_checked_where_they_are_written() {
        assert_eq!(checked("cell.cells[0] += 1"), ["items"]);
    }
}
