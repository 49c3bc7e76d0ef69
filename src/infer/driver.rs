//! The driver: what the section does around its kernel. A section that is one parallel call has a driver with one
//! launch: `peach` launches, `pselect` and chains that drop elements compact after that, and what elements left in
//! accumulators of Integers is reduced. Its kernel's base is there before: the items that were read, sorted by class.
//! What the host reads then follows from the schema (`Output`): nothing, a column of results, or the selection.
//!
//! ```text
//! driver f1
//!
//! fn f1 "driver" () {
//!   launch k0
//!   v0 = compact b1 into b2
//!   v1 = i32 0
//!   v2 = i64 0
//!   v3, v4 = reduce add b3 where b4 from v2
//!   store b5[v1] = v3
//!   ...
//! }
//! ```
//!
//! A program has kernels and a driver. A kernel is a list of entries, one for each class of the base, and whether its
//! ticks are fused. The driver is a function of the same IR without parameters and results, which may call others;
//! these have a few operations of their own, which the verifier refuses elsewhere as it refuses those of elements in a
//! driver:
//!
//! - `launch k1 for v3` runs a kernel over its base for so many ticks, or for those of the run. A launch that fails,
//!   finds a conflict or is interrupted ends the driver, and the run with it.
//! - `over k1 for v3 own b2 first_same b4 sized b5` says how many elements the kernel's base has from now on, which
//!   objects they are (some may be there several times, which makes rounds), and which columns by element index are to
//!   be as long.
//! - `copy b3[v1] for v2 into b9` makes a column of rows of another one: the base of a kernel is a copy of an array's
//!   items.
//! - `v0 = append b5 for v2 where b7 into b1, b2, b3 local keeping v6, v8` makes a new array of a kind, of rows of a
//!   column, and gives its number; `ir/passes/reuse.rs` tells what it keeps.
//! - `s3 = v4` sets a scalar for the launches to come (`ScalarSource::Driver`).
//! - `v0 = compact b1 into b2` makes of a column of flags the selection of its rows that are true, as a column of
//!   indices as long as there are such rows, and gives their count. `pselect` reads nothing else.
//! - `v0, v1 = reduce add b3 where b4 from v2` reduces a column, or the rows that were given: Floats in their order,
//!   Integers exactly, whatever the sums on the way. `v1` says whether there is such a number: none where it is beyond
//!   64 bits, or where NaN would be compared. (Products that leave 64 bits on the way are none, also if a 0 comes
//!   later.)
//! - `progress v1 of v2` says how far the outermost loop around launches is (`progress.rs`), for who looks: a run that
//!   somebody watches has a thread of its own, and the calling thread tells Ruby ten times a second (`gvl::beside`).
//! - Rows are loaded and stored. Scalars, arithmetic, loops, calls and failures are those of any function.

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
