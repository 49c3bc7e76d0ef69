//! The element that is run for: its index, and the values of the columns of the base.

use super::Lowerer;
use super::births::Birth;
use super::keys::Context;
use super::operand::{Operand, Values};
use super::results::RowWords;
use crate::heap::schema::{Base, BaseColumn, Stored};
use crate::ir::{BinaryOp, BufferKind, KernelId, Part, Scalar, ScalarSource, UnaryOp, Value};
use crate::scalar::{Interval, Ty};
use crate::types::{Shape, Type, TypeSet};

/// What the code being lowered knows of the element that it runs for.
#[derive(Default)]
pub(super) struct Own {
    /// The element itself, in code that knows it.
    pub id: Option<Value>,
    /// What its entry or kernel is known by in the memo.
    pub key: Context,
    /// How many elements there are, while what this one makes is written into words of its kernel.
    pub words: Option<Scalar>,
    /// Do elements that make something run one by one? (1 or 0)
    pub one_by_one: Option<Scalar>,
    /// Where the element's result and what is in its variables are written.
    pub row: Option<RowWords>,
    /// Several elements can be one object.
    pub shared: bool,
}

impl Lowerer<'_> {
    /// The values of all columns of the base for the element at `index`, of which the own one is known to be of `types`
    /// (one entry's part of the base).
    pub(crate) fn load_columns(&mut self, base: &Base, types: &TypeSet, index: Value) -> Vec<Operand> {
        let own = base.own();
        let columns = base.columns.iter().enumerate();
        columns
            .map(|(n, column)| match column {
                BaseColumn::Items(stored) if n == own => self.load_element(stored, types, index),
                BaseColumn::Items(stored) => self.load_parts(
                    &|part| BufferKind::Beside(KernelId(0), n as u32, part),
                    index,
                    stored,
                    false,
                ),
                BaseColumn::Unread => Operand::nil(),
                BaseColumn::Index => Operand::integer(self.index()),
                BaseColumn::Series { narrow } => Operand::integer(self.series_item(n as u32, *narrow)),
            })
            .collect()
    }

    /// The index of what is written by element: a driver is like the only one.
    pub(super) fn element_index(&mut self) -> Value {
        if self.in_driver { self.b.i32(0) } else { self.b.element() }
    }

    /// The element's index, as an Integer.
    fn index(&mut self) -> Value {
        let index = self.b.element();
        self.b.unary(UnaryOp::ExtendI32, index)
    }

    /// What the series gives is known to fit, so its parts may wrap.
    fn series_item(&mut self, column: u32, narrow: bool) -> Value {
        let interval = if narrow { Interval::I32 } else { Interval::FULL };
        let first = self.scalar(ScalarSource::SeriesFirst(column), Ty::I64, interval);
        let step = self.scalar(ScalarSource::SeriesStep(column), Ty::I64, Interval::FULL);
        let index = self.index();
        let distance = self.b.binary(BinaryOp::Mul, index, step);
        let item = self.b.binary(BinaryOp::Add, first, distance);
        if !narrow {
            return item;
        }
        let item = self.b.unary(UnaryOp::WrapI64, item);
        self.b.unary(UnaryOp::ExtendI32, item)
    }

    /// The current element, known to be of `types`.
    fn load_element(&mut self, base: &Stored, types: &TypeSet, index: Value) -> Operand {
        let (tag, payload) = base.scalars();
        // Which module it is stands in the code.
        let is_told = matches!(types.single(), Some(Type::Module(_)));
        let Some(ty) = payload.filter(|_| !is_told) else {
            return Operand { types: types.clone(), values: Values::new(), birth: Birth::UNKNOWN };
        };
        let buffer = self.buffer(BufferKind::Base(KernelId(0), Part::Payload), ty);
        let value = match (base.narrow, base.types.single_shape()) {
            (true, _) => {
                let value = self.b.load(buffer, index, ty, false);
                self.b.unary(UnaryOp::ExtendI32, value)
            }
            (_, Some(Shape::Object(_) | Shape::Array(_))) => self.b.load_index(buffer, index),
            _ => self.b.load(buffer, index, ty, false),
        };
        let shape = types.single_shape().unwrap_or(Shape::Nil);
        let values = match tag {
            Some(_) => shape.scalar().map(|ty| self.decode_payload(value, ty)).into_iter().collect(),
            None => Values::from_slice(&[value]),
        };
        Operand { types: types.clone(), values, birth: Birth::UNKNOWN }
    }
}
