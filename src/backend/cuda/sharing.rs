//! A warp for each element. 4,096 elements are 128 warps, which leaves most of a GPU idle, and each thread waits for
//! its own arithmetic. So loops of elements are parted where they can be (loop fission, [`crate::ir::fission`]): into a
//! serial and a parallel part. For launches of few elements there is a second kernel, in which a warp has each element:
//! its lanes run the same code, and the first of them writes. In such a loop each lane computes the parallel part of
//! another iteration and records in shared memory what the serial part needs; then all of them run the serial parts of
//! these iterations, in order. Where those are only `sum += recorded` (`Fission::folds`), a lane has each sum. So sums
//! of Floats are Ruby's bit for bit, conditions and all, and nobody has to know what is an accumulator. An iteration
//! that leaves the loop, fails or overflows, in either part, stops: those before it count, and the loop as it was,
//! which stands behind, goes on with it. Loops that write, draw numbers or read what the kernel writes are left alone,
//! and so are kernels with scratch memory, marks, recursion or what is deferred. For how many elements this is faster
//! is reckoned from the operations of both parts, in cycles as measured: some 27,000 for n-body, 2,700 for `min_by`,
//! where much is serial. Its registers are bounded, so that 8 blocks fit a multiprocessor: with 6, the blocks of 4,096
//! elements come in two waves. Two lanes or four for an element were tried by hand, and are slower at 4,096 elements.

use super::emit::LANES;
use crate::ir::fission::{Fission, fissions};
use crate::ir::{
    BinaryOp, Block, Buffer, BufferKind, Function, Kernel, KernelId, Label, Op, Program, Stmt, any_op, walk,
};
use std::collections::BTreeMap;

/// So many times as fast sharing has to be, by what is reckoned here: what lanes read may lie far apart.
const MARGIN: f64 = 2.0;
/// For how many iterations a loop is reckoned to run.
const ITERATIONS: f64 = 128.0;

/// For tests: elements are shared wherever they can be (1), or nowhere (0).
pub(super) fn is_forced() -> Option<bool> {
    let set = cfg!(feature = "testing").then(|| std::env::var_os("IKRA_TEST_SHARING")).flatten();
    set.map(|set| set != "0")
}

/// How the elements of a program are shared by the lanes of warps.
#[derive(Default)]
pub(super) struct Sharing {
    /// By function.
    pub loops: Vec<BTreeMap<Label, Fission>>,
    /// By kernel, where its elements can be shared: how many of them a scheduler of the GPU (which is a quarter of a
    /// multiprocessor) may have for that to be faster.
    kernels: Vec<Option<f64>>,
    /// By function: is it a kernel's whose elements can be shared?
    pub functions: Vec<bool>,
}

impl Sharing {
    pub fn of(program: &Program, recursive: &[bool]) -> Self {
        let mut sharing = Self {
            loops: vec![BTreeMap::new(); program.functions.len()],
            kernels: Vec::new(),
            functions: vec![false; program.functions.len()],
        };
        let changed: Vec<Vec<bool>> =
            program.kernels.iter().map(|kernel| program.changed_by(kernel)).collect();
        let is_changed = |buffer: Buffer| changed.iter().any(|kernel| kernel[buffer.0 as usize]);
        for (kernel, own) in program.kernels.iter().zip(&changed) {
            let limit =
                sharing.kernel(program, kernel, recursive, &|buffer| own[buffer.0 as usize], &is_changed);
            sharing.kernels.push(limit);
        }
        sharing
    }

    /// Are there elements that can be shared?
    pub fn is_some(&self) -> bool {
        self.kernels.iter().any(Option::is_some)
    }

    /// For up to how many elements it is worth sharing them, on a GPU with so many schedulers.
    pub fn most(&self, kernel: KernelId, schedulers: usize) -> usize {
        self.kernels
            .get(kernel.0 as usize)
            .copied()
            .flatten()
            .map_or(0, |each| (each * schedulers as f64) as usize)
    }

    pub fn shares(&self, kernel: usize) -> bool {
        self.kernels[kernel].is_some()
    }

    /// The most values that an iteration of a loop records.
    pub fn record(&self) -> usize {
        self.loops.iter().flat_map(BTreeMap::values).map(|fission| fission.record.len()).max().unwrap_or(0)
    }

    fn kernel(
        &mut self,
        program: &Program,
        kernel: &Kernel,
        recursive: &[bool],
        changed: &dyn Fn(Buffer) -> bool,
        by_any: &dyn Fn(Buffer) -> bool,
    ) -> Option<f64> {
        let entries: Vec<_> = kernel.entries.iter().map(|entry| entry.function).collect();
        let called = program.called_from(entries.iter().copied());
        let is_plain = |function: &Function| {
            let scratch = |buffer: &Buffer| program.buffers[buffer.0 as usize].kind == BufferKind::Scratch;
            let mut plain = !any_op(&function.body, &mut |op| {
                matches!(
                    op,
                    Op::Watch { .. }
                        | Op::Claim { .. }
                        | Op::Match { .. }
                        | Op::Group(_)
                        | Op::Print { .. }
                        | Op::Intrinsic { .. }
                )
            });
            walk::for_each(&function.body, &mut |stmt| {
                plain &= !matches!(stmt, Stmt::Defer { .. });
                stmt.for_each_buffer(|buffer| plain &= !scratch(&buffer));
            });
            plain
        };
        let mut all = called.iter().map(|id| id.0 as usize);
        if !all.all(|at| is_plain(&program.functions[at]) && !recursive[at]) {
            return None;
        }
        let forced = is_forced() == Some(true);
        let mut found = Vec::new();
        for id in &called {
            // What several kernels call must hold for all of them.
            let is_entry = entries.contains(id);
            let changed = if is_entry { changed } else { by_any };
            let mut loops = fissions(&program.functions[id.0 as usize], changed);
            loops.retain(|_, fission| forced || is_faster(fission));
            found.push((id.0 as usize, loops));
        }
        if found.iter().all(|(_, loops)| loops.is_empty()) {
            return None;
        }
        let mut cost = Cost::default();
        for (at, loops) in &found {
            cost.add(&Cost::of(&program.functions[*at].body, loops), 1.0, 1.0);
        }
        let each = cost.alone / (cost.shared * MARGIN);
        if each < 1.0 && !forced {
            return None;
        }
        for (at, loops) in found {
            self.loops[at] = loops;
            self.functions[at] = true;
        }
        Some(each)
    }
}

/// Do lanes that share the loop wait less than one that has it alone?
fn is_faster(fission: &Fission) -> bool {
    let none = BTreeMap::new();
    let (parallel, serial) = (Cost::of(&fission.parallel, &none), Cost::of(&fission.serial, &none));
    let shared = parallel.alone / f64::from(LANES) + serial.alone;
    parallel.alone + serial.alone > 1.5 * shared
}

/// Cycles, roughly, as an H100 has them.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// For a thread that runs the element alone: it waits for each result.
    alone: f64,
    /// Of a scheduler, for a warp that shares it: other warps run while one waits.
    shared: f64,
}

impl Cost {
    fn add(&mut self, other: &Self, alone: f64, shared: f64) {
        self.alone += other.alone * alone;
        self.shared += other.shared * shared;
    }

    fn of(block: &Block, loops: &BTreeMap<Label, Fission>) -> Self {
        let mut cost = Self::default();
        for stmt in block {
            match stmt {
                Stmt::Loop { label, body } => {
                    let own = loops.get(label).map(Self::of_shared);
                    let times = ITERATIONS / f64::from(LANES);
                    match own {
                        Some(own) => cost.add(&own, times, times),
                        None if walk::may_run_long(body) => {
                            cost.add(&Self::of(body, loops), ITERATIONS, ITERATIONS);
                        }
                        None => cost.add(&Self::of(body, loops), 1.0, 1.0),
                    }
                }
                Stmt::Let { op, .. } => cost.add(&Self::of_op(op), 1.0, 1.0),
                Stmt::Store { .. } => cost.add(&Self { alone: 4.0, shared: 16.0 }, 1.0, 1.0),
                Stmt::Call { .. } => cost.add(&Self { alone: 40.0, shared: 20.0 }, 1.0, 1.0),
                Stmt::If { then, otherwise, .. } => {
                    cost.add(&Self { alone: 5.0, shared: 3.0 }, 1.0, 1.0);
                    cost.add(&Self::of(then, loops), 0.5, 0.5);
                    cost.add(&Self::of(otherwise, loops), 0.5, 0.5);
                }
                Stmt::Block { body, .. } => cost.add(&Self::of(body, loops), 1.0, 1.0),
                _ => {}
            }
        }
        cost
    }

    /// As many iterations as a warp has lanes.
    fn of_shared(fission: &Fission) -> Self {
        let none = BTreeMap::new();
        let (parallel, serial) = (Self::of(&fission.parallel, &none), Self::of(&fission.serial, &none));
        let (lanes, record) = (f64::from(LANES), fission.record.len() as f64);
        // Folds are done at the same time, and read two numbers at once.
        let in_order = if fission.folds().is_some() { 5.0 } else { serial.shared + 3.0 * record };
        Self {
            alone: lanes * (parallel.alone + serial.alone),
            shared: 30.0 + parallel.shared + 4.0 * record + lanes * in_order,
        }
    }

    const fn of_op(op: &Op) -> Self {
        let (alone, shared) = match op {
            Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_) | Op::Get(_) => (0.0, 0.0),
            Op::Load(..) => (80.0, 8.0),
            Op::Math(..) | Op::Random => (200.0, 40.0),
            Op::WideMod(_) => (70.0, 30.0),
            Op::Binary(op, ..) => match op {
                BinaryOp::AddF | BinaryOp::SubF | BinaryOp::MulF => (18.0, 2.0),
                BinaryOp::DivF => (200.0, 40.0),
                BinaryOp::FloorModF | BinaryOp::RemF | BinaryOp::PowF => (400.0, 150.0),
                BinaryOp::FloorDiv | BinaryOp::FloorMod | BinaryOp::TruncRem => (60.0, 20.0),
                BinaryOp::AddChecked | BinaryOp::SubChecked | BinaryOp::MulChecked => (10.0, 10.0),
                _ => (5.0, 1.0),
            },
            _ => (6.0, 1.0),
        };
        Self { alone, shared }
    }
}
