//! The driver: what the section does around its kernel.

use super::Lowerer;
use crate::heap::schema::{Fold, Output};
use crate::ir::builder::Builder;
use crate::ir::{Buffer, BufferKind, FuncId, KernelId, Part, Reduction};
use crate::scalar::Ty;
use crate::types::{Shape, Type};

impl Lowerer<'_> {
    /// That of a single parallel call: one launch, and what is made of the columns that it leaves.
    pub(crate) fn lower_driver(&mut self) {
        self.b = Builder::new("driver", &[], &[]);
        self.b.launch(KernelId(0), None);
        let flags = match self.output {
            Output::Nothing | Output::Values | Output::Program => None,
            Output::Selection => Some(BufferKind::Result(KernelId(0), Part::Payload)),
            Output::Kept => Some(BufferKind::Kept),
        };
        if let Some(flags) = flags {
            // They are there also where no element comes to its end.
            let flags = self.buffer(flags, Ty::Bool);
            let indices = self.drivers_buffer(BufferKind::Selection, Ty::I32);
            self.b.compact(flags, indices);
        }
        self.merge_accumulators();
        let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
        self.program.driver = Some(FuncId(self.program.functions.len() as u32));
        self.program.functions.push(b.finish());
    }

    /// Reduces the parts of those that are Integers: these can be put together before it is known what the variable holds.
    /// Of Floats the order counts, which begins with that.
    fn merge_accumulators(&mut self) {
        let all: Vec<(String, Fold)> =
            self.written.iter().map(|(name, written)| (name.clone(), written.fold.clone())).collect();
        for (number, (name, fold)) in (0..).zip(all) {
            let is_integer =
                self.memo.accumulators.get(&name).is_some_and(|types| *types == Type::Integer.into());
            let Some((reduction, identity)) = reduction(&fold).filter(|_| is_integer) else { continue };
            let parts = self.buffer(BufferKind::Accumulator(number, Part::Payload), Ty::I64);
            let ticks = self.buffer(BufferKind::AccumulatorTick(number), Ty::I64);
            let merged = self.drivers_buffer(BufferKind::Merged(number, Part::Payload), Ty::I64);
            let tag = self.drivers_buffer(BufferKind::Merged(number, Part::Tag), Ty::I32);
            let (row, from) = (self.b.i32(0), self.b.i64(identity));
            let [sum, is_one] = self.b.reduce(reduction, (parts, Some(ticks)), from);
            self.b.store(merged, row, sum);
            let [integer, nil] = [Shape::Integer, Shape::Nil].map(|shape| self.b.i32(shape.tag()));
            let shape = self.b.select(is_one, integer, nil);
            self.b.store(tag, row, shape);
        }
    }

    fn drivers_buffer(&mut self, kind: BufferKind, ty: Ty) -> Buffer {
        let buffer = self.buffer(kind, ty);
        self.program.buffers[buffer.0 as usize].written = true;
        buffer
    }
}

/// How Integers are put together, and what changes none of them.
fn reduction(fold: &Fold) -> Option<(Reduction, i64)> {
    match fold {
        Fold::Operator(name) => match name.as_str() {
            // What is taken away one by one is taken away as a sum.
            "+" | "-" => Some((Reduction::Add, 0)),
            "*" => Some((Reduction::Mul, 1)),
            "|" => Some((Reduction::Or, 0)),
            "&" => Some((Reduction::And, -1)),
            "^" => Some((Reduction::Xor, 0)),
            _ => None,
        },
        Fold::Best(name) | Fold::BestLater(name) => match name.as_str() {
            "min" => Some((Reduction::Min, i64::MAX)),
            "max" => Some((Reduction::Max, i64::MIN)),
            _ => None,
        },
        Fold::Or | Fold::And | Fold::Last | Fold::Shared(_) => None,
    }
}
