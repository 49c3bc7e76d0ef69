//! What runs a program: [`cpu`] on all cores, [`cuda`] on a GPU. Both take the same verified IR.

pub mod cpu;
pub mod cuda;
mod throughput;

use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::heap::{Column, JobOrder, Segment, Store};
use crate::ir::{Program, SiteId};
use crate::profile::Profile;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A back-end, ready to compile.
pub trait Backend: Send + Sync {
    /// `cpu`, `cuda` …, as `Ikra.backend` says it.
    fn name(&self) -> &'static str;
    /// Compiles a verified program, to be run for so many ticks, on a thread that nobody waits for any more once the
    /// token is cancelled.
    fn compile(
        &self,
        program: &Arc<Program>,
        ticks: u64,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Box<dyn Kernel>, Error>;
}

/// A compiled program.
pub trait Kernel: Send + Sync {
    /// Binds it to the columns of a section, one for each of `Program::buffers`, in that order. That of
    /// [`crate::ir::BufferKind::Scratch`] is as long as the memory of one element; back-ends take as much of it as
    /// elements are computed at once, and leave it alone.
    /// `interrupt`: set from outside to stop what is running (Ctrl-C, `Thread#raise`).
    fn bind<'a>(&'a self, store: &'a mut Store, interrupt: &'a AtomicBool) -> Box<dyn Session + 'a>;
    /// Is it what would be compiled for so many ticks? Otherwise it runs them, though not as fast.
    fn suits(&self, ticks: u64) -> bool;
    /// The generated source or assembly, for `Ikra.explain`.
    fn source(&self) -> String;
}

/// A compiled program with the columns that it runs on. Called without the GVL.
pub trait Session {
    /// Runs all ticks over all jobs. After a failure what is in written columns means nothing, until
    /// [`Store::begin_again`].
    fn launch(&mut self, launch: &Launch<'_>, profile: &mut Profile) -> Result<Outcome, Error>;
    /// Brings what the last launch has written to the store.
    fn fetch(&mut self, profile: &mut Profile) -> Result<(), Error>;
}

/// One run of a compiled program: its scalars, and the shape of the run.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// One for each of `Program::scalars`: an `I64`, the bits of an `F64`, or an `I32`/`Bool` sign-extended.
    pub scalars: &'a [u64],
    /// What is to run in order ([`JobOrder::in_order`]) comes to the CPU only.
    pub jobs: &'a JobOrder,
    /// At least 1. With a fused program and one round, all ticks run inside the thread; otherwise one launch a tick
    /// (and round), each seeing all writes of the one before.
    pub ticks: u64,
    pub seed: u64,
    /// Number of the section call since the seed was set: keys the random numbers.
    pub call: u64,
}

impl Launch<'_> {
    /// Is it what the program expects? Compiled code trusts its arguments; this is what can be checked of them. Anything
    /// else would reach beyond a column.
    fn check(&self, program: &Program, columns: &[Column]) -> Result<(), Error> {
        let types = columns.iter().map(Column::ty).eq(program.buffers.iter().map(|buffer| buffer.ty));
        let jobs = self.jobs.order.as_ref().map_or(i32::MAX as usize, Vec::len).min(i32::MAX as usize);
        let mut segments = self.jobs.rounds.iter().flat_map(|round| &round.segments);
        let fits = types
            && self.scalars.len() == program.scalars.len()
            && segments.all(|segment| {
                let Segment { entry, jobs: Range { start, end } } = segment;
                *entry < program.entries.len() && start <= end && *end <= jobs
            })
            && i64::try_from(self.ticks).is_ok();
        if fits { Ok(()) } else { Err(Error::Internal("the launch does not fit its program".into())) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Done,
    Interrupted,
    /// The failure with the lowest (tick, element).
    Failed(Failure),
    /// Elements that ran at the same time are not independent.
    Conflict,
}

/// An element failed: what sequential Ruby would have raised first.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub site: SiteId,
    pub element: u32,
    pub tick: u64,
    /// Operands of the failing statement, as 64-bit patterns (`I32` sign-extended); 0 where it has fewer.
    pub operands: [i64; 2],
    /// The path to the function that failed.
    pub path: i64,
}

/// Runs a kernel on these columns, which have the results then.
#[cfg(test)]
pub fn run_on(
    kernel: &dyn Kernel,
    columns: &mut [Column],
    launch: &Launch<'_>,
    interrupt: &AtomicBool,
) -> Result<Outcome, Error> {
    let nothing = || Column::Bool(Vec::new());
    let mut store =
        Store::new(columns.iter_mut().map(|column| std::mem::replace(column, nothing())).collect());
    let mut profile = Profile::default();
    let mut session = kernel.bind(&mut store, interrupt);
    let outcome = session.launch(launch, &mut profile);
    if matches!(outcome, Ok(Outcome::Done)) {
        session.fetch(&mut profile)?;
    }
    drop(session);
    columns
        .iter_mut()
        .zip(store.columns_mut())
        .for_each(|(to, from)| *to = std::mem::replace(from, nothing()));
    outcome
}
