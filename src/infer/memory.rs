//! Columns and scalars of a section: their buffers, and the loads and stores of values that are kept in parts.

use super::Lowerer;
use super::births::{Birth, Holder};
use super::hash_rows::has_default_block;
use super::keys::{JoinKey, Place};
use super::operand::{self, Operand, Values, is_tagged};
use crate::heap::schema::Stored;
use crate::ir::{
    Buffer, BufferInfo, BufferKind, KernelId, Part, Scalar, ScalarInfo, ScalarSource, UnaryOp, Value,
};
use crate::scalar::{Interval, Ty};
use crate::types::{HierarchyId, Shape, Type, TypeSet};
use smallvec::smallvec;

impl Lowerer<'_> {
    pub(crate) fn buffer(&mut self, kind: BufferKind, ty: Ty) -> Buffer {
        if let Some(&buffer) = self.buffers.get(&kind) {
            // What the column holds became wider since: the walk is done again.
            let info = &mut self.program.buffers[buffer.0 as usize];
            self.memo.changed |= info.ty != ty;
            info.ty = ty;
            return buffer;
        }
        let buffer = Buffer(self.program.buffers.len() as u32);
        self.program.buffers.push(BufferInfo { kind: kind.clone(), ty, written: false });
        self.buffers.insert(kind, buffer);
        buffer
    }

    pub(crate) fn scalar(&mut self, source: ScalarSource, ty: Ty, interval: Interval) -> Value {
        let next = Scalar(self.program.scalars.len() as u32);
        let scalar = *self.scalars.entry(source.clone()).or_insert(next);
        if scalar == next {
            self.program.scalars.push(ScalarInfo { source, ty });
        }
        self.b.scalar(scalar, ty, interval)
    }

    /// First id of a class (by its index in the hierarchy).
    pub(crate) fn class_base(&mut self, hierarchy: HierarchyId, index: u32) -> Value {
        self.scalar(ScalarSource::ClassBase(hierarchy, index), Ty::I32, Interval::INDEX)
    }

    /// Can the value be kept in a column? Refuses what lives in a section only.
    pub(crate) fn is_storable(&mut self, value: &Operand) -> bool {
        if self.give_rows_to_copied(&value.types) || self.give_rows_to_hashes(&value.types) {
            return false;
        }
        // `initialize` may give its object away.
        if self.keep_building(&value.types) {
            return false;
        }
        let local = value
            .types
            .filter(|t| matches!(t.shape(), Shape::Local | Shape::List | Shape::Made | Shape::Proc));
        if local.is_empty() {
            return true;
        }
        let what = self.describe(&local);
        let hint = match local.iter().next() {
            Some(Type::Range { .. }) => "store its ends, each in a variable of its own",
            Some(ty) if has_default_block(ty) => {
                "let its default block use the Hash, the key and constants, and no variables or self"
            }
            Some(ty) if ty.is_made_hash() => "let the section give it (`pmap`), and store it then",
            Some(ty) if ty.is_made_string() => {
                "let the section give it (`pmap`), and store it then; or put it into an array or a Hash that the \
                 section makes and gives"
            }
            Some(Type::Record(_) | Type::Made(_) | Type::Building(..)) => {
                "make the objects before the section and set their variables here, or store the numbers one by one"
            }
            Some(Type::Proc(_) | Type::Enumerator(..)) => {
                "store a Symbol, and call what it stands for in a `case`"
            }
            _ => "write its items into an array that exists, or store its numbers one by one",
        };
        self.refuse_here(
            "unsupported-store",
            format!("{what} cannot be stored in an object or array by a section"),
            Some(hint.into()),
        );
        false
    }

    /// Loads the parts of a value kept as `stored` in the buffers of `kind`.
    pub(crate) fn load_parts(
        &mut self,
        kind: &dyn Fn(Part) -> BufferKind,
        index: Value,
        stored: &Stored,
        mutable: bool,
    ) -> Operand {
        if let Some(Type::Module(_)) = stored.types.single() {
            // Which one it is stands in the code.
            return Operand { types: stored.types.clone(), values: Values::new(), birth: Birth::UNKNOWN };
        }
        let (tag, payload) = stored.scalars();
        let mut values = Values::new();
        if let Some(ty) = tag {
            let buffer = self.buffer(kind(Part::Tag), ty);
            values.push(self.b.load(buffer, index, ty, mutable));
        }
        if let Some(ty) = payload {
            let is_id = matches!(stored.types.single_shape(), Some(Shape::Object(_) | Shape::Array(_)));
            let buffer = self.buffer(kind(Part::Payload), ty);
            values.push(if stored.narrow {
                let value = self.b.load(buffer, index, ty, mutable);
                self.b.unary(UnaryOp::ExtendI32, value)
            } else if is_id && !mutable {
                self.b.load_index(buffer, index)
            } else {
                self.b.load(buffer, index, ty, mutable)
            });
        }
        Operand { types: stored.types.clone(), values, birth: Birth::UNKNOWN }
    }

    pub(crate) fn store_parts(
        &mut self,
        kind: &dyn Fn(Part) -> BufferKind,
        index: Value,
        stored: &TypeSet,
        value: &Operand,
    ) {
        for buffer in self.store_new_parts(kind, index, stored, value) {
            self.program.buffers[buffer.0 as usize].written = true;
        }
    }

    /// The same in a row that nothing has looked at yet; gives the columns.
    pub(super) fn store_new_parts(
        &mut self,
        kind: &dyn Fn(Part) -> BufferKind,
        index: Value,
        stored: &TypeSet,
        value: &Operand,
    ) -> Vec<Buffer> {
        let values = match stored.single() {
            // Ruby reads which one it is.
            Some(Type::Module(class)) => smallvec![self.b.i32(class.0 as i32)],
            _ => self.convert(value, stored),
        };
        let (tag, payload) = stored.column_scalars();
        if values.is_empty() && payload.is_some() && !value.is_bottom() {
            self.refuse_here(
                "unsupported-store",
                format!("{} cannot be told apart where it is stored", self.describe(stored)),
                Some("store values of one kind, and Hashes with one default block".into()),
            );
            return vec![];
        }
        let mut buffers = Vec::new();
        let mut values = values.into_iter();
        for (part, ty) in [(Part::Tag, tag), (Part::Payload, payload)] {
            let (Some(ty), Some(value)) = (ty, ty.and_then(|_| values.next())) else { continue };
            let buffer = self.buffer(kind(part), ty);
            buffers.push(buffer);
            if self.program.buffers[buffer.0 as usize].ty == self.b.ty(value) {
                self.b.store(buffer, index, value);
            } else {
                self.memo.changed |= true;
            }
        }
        buffers
    }

    /// Stores what the section gives for the current element.
    pub(crate) fn store_result(&mut self, value: &Operand) {
        let value = &self.held(value);
        if self.b.is_dead() || value.is_bottom() || self.store_settled_result(value) {
            return;
        }
        let known = self.memo.result.clone();
        let stored = self.memo.join(&known, &value.types, JoinKey::new(Place::Section, 0));
        if stored != known {
            self.memo.result = stored.clone();
            self.memo.changed |= true;
        }
        if super::results::is_plain(&stored) {
            self.note_held(Holder::Result, value);
            let index = self.element_index();
            self.store_parts(&|part| BufferKind::Result(KernelId(0), part), index, &stored, value);
        } else {
            self.store_result_words(value, &stored);
        }
    }

    /// `item` where `condition` holds, else nil; `item` is valid to compute either way.
    pub(crate) fn or_nil(&mut self, condition: Value, item: &Operand) -> Operand {
        let mut types = item.types.clone();
        types.insert(Type::Nil);
        if types.len() == 1 {
            return Operand::nil();
        }
        if !is_tagged(&types) || operand::scalars(&types).is_none() {
            if self.keep_made(&types) {
                return Operand::bottom();
            }
            self.refuse_here(
                "mixed-values",
                format!(
                    "a value here can be {}, which cannot be told apart at run time",
                    self.describe(&types)
                ),
                None,
            );
            return Operand::bottom();
        }
        let mut values = self.convert(item, &types);
        let nil = self.b.i32(Shape::Nil.tag());
        values[0] = self.b.select(condition, values[0], nil);
        Operand { types, values, birth: Birth::UNKNOWN }
    }
}
