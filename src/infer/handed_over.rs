//! What a kernel has of the variables of its driver: scalars that are set before it is launched, and of what elements
//! assign columns of one row, which they share.
//!
//! A kernel has no frames of the driver. Its block is closed as that of a function is (`closed_blocks.rs`): what it
//! uses of the frames around comes as scalars, which are set before each launch. A list in the driver's own memory goes
//! along as a copy on the heap, also within a Hash, until elements turn out to change it (`of_drivers.rs`). Variables
//! that elements assign are columns of one row (`BufferKind::Variable`), written by the driver before the launch and
//! read after it. So `total += x` is what is deferred, and anything else conflicts, as everywhere. Variables around the
//! section that it assigns are such columns from its beginning to its end.

use super::Lowerer;
use super::births::Birth;
use super::joins::has_list;
use super::keys::{Context, Step};
use super::operand::{self, Operand};
use super::remembered::Holders;
use crate::heap::schema::VariableSchema;
use crate::ir::{BufferKind, Scalar, ScalarInfo, ScalarSource, Stmt, Value};
use crate::scalar::{Interval, Ty};
use crate::syntax::ast::LocalId;
use crate::types::{Type, TypeSet};

/// A variable of the driver that elements assign, in a frame of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedLocal {
    pub local: LocalId,
    /// As of [`BufferKind::Variable`].
    pub number: u32,
    /// What it can hold is in the memo by this.
    pub key: (Context, u32),
}

impl Lowerer<'_> {
    /// What elements can have of what the driver's variables hold: a copy of a list that is in no column.
    fn for_elements(&mut self, key: Context, operand: &Operand) -> Option<Operand> {
        let types = operand.types.single();
        if let Some(Type::List(kind)) = types {
            let array = self.on_heap(key, operand)?;
            if let Some(Type::Array(copy)) = array.types.single() {
                self.note_copy(*copy, *kind);
            }
            return Some(array);
        }
        let is_object = |ty: &Type| matches!(ty, Type::Record(_)) && !ty.is_made_hash();
        let carried = types.filter(|ty| !is_object(ty)).and_then(operand::parts);
        let Some(parts) = carried.filter(|parts| parts.iter().any(has_list)) else {
            return self.with_rows(operand);
        };
        // What is carried as its parts stays so.
        let mut items = Vec::new();
        for (number, item) in (0..parts.len() as u32).zip(self.tuple_items(operand)) {
            let key = self.memo.context(key, Step::Part, number);
            items.push(self.for_elements(key, &item)?);
        }
        let parts = items.iter().map(|item| item.types.clone()).collect();
        let ty = operand::with_parts(types?, parts);
        Some(Operand {
            types: ty.into(),
            values: items.into_iter().flat_map(|item| item.values).collect(),
            birth: Birth::UNKNOWN,
        })
    }

    /// What a kernel gets of the frames around its block: scalars that are set before it is launched.
    pub(super) fn hand_over(&mut self, (key, number): (Context, u32), operand: &Operand) -> Option<Operand> {
        let key = self.memo.context(key, Step::Handed, number);
        let operand = &self.for_elements(key, operand)?;
        if let Some(what) = self.driver_only(&operand.types) {
            self.refuse_here(
                "unsupported-capture",
                format!("elements cannot use {what} that the code around a parallel call makes"),
                Some(
                    "give them numbers or objects, an array that a parallel call gave, or one that was there before the \
                     section"
                        .into(),
                ),
            );
            return None;
        }
        let scalars = operand::scalars(&operand.types)?;
        if scalars.len() != operand.values.len() {
            self.memo.changed |= true;
            return None;
        }
        let mut given = operand.clone();
        for (ty, value) in scalars.into_iter().zip(&mut given.values) {
            let scalar = self.driver_scalar(ty);
            self.b.emit(Stmt::Assign(scalar, *value));
            // Which scalar it is until the kernel reads it.
            *value = Value(scalar.0);
        }
        Some(given)
    }

    /// What lives in the driver's own memory.
    fn driver_only(&self, types: &TypeSet) -> Option<&'static str> {
        types.iter().find_map(|ty| match ty {
            Type::List(_) => Some("an array"),
            Type::Made(_) | Type::Building(..) => Some("an object"),
            other => operand::parts(other)?.iter().find_map(|types| self.driver_only(types)),
        })
    }

    pub(super) fn driver_scalar(&mut self, ty: Ty) -> Scalar {
        let number = self.program.scalars.len() as u32;
        self.program.scalars.push(ScalarInfo { source: ScalarSource::Driver(number), ty });
        Scalar(number)
    }

    /// In a kernel: what [`Lowerer::hand_over`] has set.
    pub(super) fn taken(&mut self, given: &Operand) -> Operand {
        let values = given.values.iter().map(|value| {
            let scalar = Scalar(value.0);
            let ty = self.program.scalars[scalar.0 as usize].ty;
            let interval = if ty == Ty::I32 { Interval::INDEX } else { Interval::FULL };
            self.b.scalar(scalar, ty, interval)
        });
        let operand = Operand { types: given.types.clone(), values: values.collect(), birth: Birth::UNKNOWN };
        self.note_stale(&operand.types);
        operand
    }

    /// Puts the variables that the elements assign into columns of one row.
    pub(super) fn share_locals(
        &mut self,
        key: Context,
        written: &[(usize, LocalId)],
    ) -> Option<Vec<SharedLocal>> {
        let mut all = Vec::new();
        for (index, (frame, local)) in (0..).zip(written) {
            let operand = self.frames[*frame].locals[local.0 as usize].operand.clone();
            let operand = self.carrier(operand);
            let name = self.frames[*frame].code.locals[local.0 as usize].to_string();
            if !self.is_storable(&operand) {
                return None;
            }
            let (key, number) = ((key, index), self.share_local(key, index, name, &operand)?);
            all.push(SharedLocal { local: *local, number, key });
        }
        Some(all)
    }

    /// Puts what a variable holds into columns of one row; gives the variable's number.
    pub(super) fn share_local(
        &mut self,
        key: Context,
        index: u32,
        name: String,
        operand: &Operand,
    ) -> Option<u32> {
        if operand.is_bottom() {
            return None;
        }
        let number = self.written.len() as u32 + self.driving.variables.len() as u32;
        self.driving.variables.push(((key, index), name));
        let memo = self.memo.variables.entry((key, index)).or_default();
        self.memo.changed |= memo.extend(&operand.types);
        let types = memo.clone();
        let row = self.b.i32(0);
        self.store_parts(&|part| BufferKind::Variable(number, part), row, &types, operand);
        Some(number)
    }

    pub(super) fn driver_variables(&self) -> Vec<VariableSchema> {
        let types = |key| self.memo.variables[key].clone();
        self.driving
            .variables
            .iter()
            .map(|(key, name)| VariableSchema { name: name.clone(), types: types(key) })
            .collect()
    }

    /// After the launch: what they hold.
    pub(super) fn take_shared(&mut self, shared: &[SharedLocal], written: &[(usize, LocalId)]) {
        for (shared, (frame, local)) in shared.iter().zip(written) {
            let row = self.b.i32(0);
            let operand = self.load_variable(&Holders::Local(shared.key), shared.number, row);
            let version = self.fresh_version();
            self.frames[*frame].locals[local.0 as usize].assign(operand, version);
        }
    }

    /// That of the current frame, if elements share it.
    pub(super) fn shared_local(&self, local: LocalId) -> Option<SharedLocal> {
        self.frame().shared.iter().find(|shared| shared.local == local).copied()
    }

    pub(super) fn read_shared_local(&mut self, shared: SharedLocal) -> Operand {
        self.read_variable(&Holders::Local(shared.key), shared.number)
    }

    pub(super) fn write_shared_local(&mut self, shared: SharedLocal, value: &Operand) {
        if !value.is_bottom() && !self.b.is_dead() {
            self.write_variable(&Holders::Local(shared.key), shared.number, value);
        }
    }
}
