//! What runs a program: its kernels [`cpu`] on all cores, or [`cuda`] on a GPU; its driver the host. Both take the same
//! verified IR.

pub mod collectives;
pub mod cpu;
pub mod cuda;
#[cfg(test)]
pub(crate) mod interpreter;
#[cfg(test)]
mod random_programs;
mod throughput;

use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::heap::{Column, JobOrder, Segment, Store};
use crate::ir::{Buffer, ErrorKind, KernelId, Program, SiteId};
use crate::profile::{Phase, Profile};
use crate::progress::Progress;
use cpu::{Driver, compile};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A back-end, ready to compile.
pub trait Backend: Send + Sync {
    /// `cpu`, `cuda` …, as `Ikra.backend` says it.
    fn name(&self) -> &'static str;
    /// Compiles the kernels of a verified program, to be run for so many ticks, on a thread that nobody waits for any more once the
    /// token is cancelled.
    fn compile(
        &self,
        program: &Arc<Program>,
        ticks: u64,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Box<dyn Kernels>, Error>;
}

/// The compiled kernels of a program.
pub trait Kernels: Send + Sync {
    /// Binds them to the columns of a section, one for each of `Program::buffers`, in that order. That of
    /// [`crate::ir::BufferKind::Scratch`] is as long as the memory of one element; back-ends take as much of it as
    /// elements are computed at once, and leave it alone.
    /// `interrupt`: set from outside to stop what is running (Ctrl-C, `Thread#raise`).
    fn bind<'a>(&'a self, store: &'a mut Store, interrupt: &'a AtomicBool) -> Box<dyn Session + 'a>;
    /// Are they what would be compiled for so many ticks? Otherwise they run so many, though not as fast.
    fn suits(&self, ticks: u64) -> bool;
    /// Do elements want a large stack ([`crate::threads::STACK`]) of the thread that launches them, where it runs them?
    fn are_deep(&self) -> bool {
        false
    }
    /// The generated source or assembly, for `Ikra.explain`.
    fn source(&self) -> String;
}

/// Compiled kernels with the columns that they run on. Called without the GVL.
pub trait Session {
    /// Runs all ticks over all jobs. After a failure what is in written columns means nothing, until
    /// [`Store::begin_again`].
    fn launch(
        &mut self,
        kernel: KernelId,
        launch: &Launch<'_>,
        profile: &mut Profile,
    ) -> Result<Outcome, Error>;
    /// Brings what launches have written to the store: one column, or all. A launch may tell only now how it has ended.
    fn fetch(&mut self, column: Option<Buffer>, profile: &mut Profile) -> Result<Outcome, Error>;
    /// The same of all that is looked at when the driver is done.
    fn finish(&mut self, profile: &mut Profile) -> Result<Outcome, Error> {
        self.fetch(None, profile)
    }
    /// Could it move rows of a column to another one, where they are (see [`Self::move_rows`])? Else the host does.
    fn moves(&self, _from: Option<Buffer>, _into: Buffer) -> bool {
        false
    }
    /// How many rows are true, which are selected from now on; `None`: that is the host's to find out.
    fn select(&mut self, _flags: Buffer, _profile: &mut Profile) -> Result<(Outcome, Option<usize>), Error> {
        Ok((Outcome::Done, None))
    }
    /// Will a column stay where it was computed? Then nobody asks here which of its rows are true.
    fn leaves(&self, _flags: Buffer) -> bool {
        false
    }
    /// Puts rows into a column, from a row on; the column has so many rows then. What is written has been
    /// [kept](Store::keep). False: nothing was done, and the host does it, in columns that it fetches.
    fn move_rows(
        &mut self,
        _rows: (Source, Moved),
        _into: (Buffer, usize),
        _length: usize,
        _profile: &mut Profile,
    ) -> Result<bool, Error> {
        Ok(false)
    }
    /// The columns, as the host has them: what was launched has written to those that were fetched since.
    fn store(&mut self) -> &mut Store;
    fn columns(&self) -> &[Column];
    /// The host does something else for a while, and may change all columns. They have been fetched; nothing that others
    /// might wait for is kept.
    fn release(&mut self) {}
    /// The host changes a column of the store, from a row on. It has been fetched if what it holds is to stay. Gives the row
    /// from which on it may change it until the next launch or move without a word.
    fn changed(&mut self, column: Buffer, from: usize) -> usize;
}

/// What is moved.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    Column(Buffer),
    /// This number, for each row.
    Number(i32),
}

/// Which rows of it.
#[derive(Clone, Copy, Debug)]
pub enum Moved {
    /// From the first one on, so many.
    Rows(usize, usize),
    /// Those that were [selected](Session::select): so many.
    Selected(usize),
}

/// What a [`crate::ir::Stmt::Sync`] does, by its number, with what was computed so far. It may change columns, but not their
/// lengths.
pub type AtSync<'a> = dyn FnMut(u32, &mut Store) -> Result<(), Error> + 'a;

/// A compiled program: its kernels, by some back-end, and its driver.
pub struct Executable {
    kernels: Box<dyn Kernels>,
    driver: Driver,
}

impl Executable {
    /// Compiles a verified program with a driver; see [`Backend::compile`].
    pub fn new(
        backend: &dyn Backend,
        program: &Arc<Program>,
        ticks: u64,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Self, Error> {
        let mut of_driver = Profile::default();
        let (driver, kernels) = compile::with_driver(
            program,
            || Driver::new(program, token, &mut of_driver),
            || backend.compile(program, ticks, token, profile),
        );
        let (driver, kernels) = (driver?, kernels?);
        profile.merge(&of_driver);
        Ok(Self { kernels, driver })
    }

    /// Runs the driver on these columns (see [`Kernels::bind`]), which have the results then, if it is done. Called without
    /// the GVL. `at_sync` is what is done where the driver says so.
    pub fn run(
        &self,
        store: &mut Store,
        launch: &Launch<'_>,
        at_sync: &mut AtSync<'_>,
        interrupt: &AtomicBool,
        profile: &mut Profile,
    ) -> Result<Outcome, Error> {
        let (start, before, mut in_syncs) = (profile.now(), profile.total(), Duration::ZERO);
        let mut timed = |number: u32, store: &mut Store| {
            let begun = Instant::now();
            let done = at_sync(number, store);
            in_syncs += begun.elapsed();
            done
        };
        let mut session = self.kernels.bind(store, interrupt);
        let outcome = self.driver.run(&mut *session, launch, &mut timed, interrupt, profile);
        // What the driver does itself counts as its kernels do.
        if let Some(start) = start {
            let known = Duration::from_secs_f64((profile.total() - before).max(0.0));
            profile.add(Phase::Kernel, start.elapsed().saturating_sub(known + in_syncs));
        }
        outcome
    }

    /// Does its driver want a large stack ([`crate::threads::STACK`])?
    pub const fn is_deep(&self) -> bool {
        self.driver.deep
    }

    /// As [`Kernels::are_deep`].
    pub fn are_deep(&self) -> bool {
        self.kernels.are_deep()
    }

    /// As [`Kernels::suits`].
    pub fn suits(&self, ticks: u64) -> bool {
        self.kernels.suits(ticks)
    }

    /// As [`Kernels::source`].
    pub fn source(&self) -> String {
        self.kernels.source()
    }
}

/// One run of a compiled program, which each of its launches has: the scalars, and the shape of the run.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// One for each of `Program::scalars`: an `I64`, the bits of an `F64`, or an `I32`/`Bool` sign-extended.
    pub scalars: &'a [u64],
    /// What is to run in order ([`JobOrder::in_order`]) comes to the CPU only.
    pub jobs: &'a JobOrder,
    /// The number of the first tick: those of a run's launches go on from each other.
    pub first_tick: u64,
    /// At least 1. With a fused program and one round, all ticks run inside the thread; otherwise one launch a tick
    /// (and round), each seeing all writes of the one before.
    pub ticks: u64,
    pub seed: u64,
    /// Number of the section call since the seed was set: keys the random numbers.
    pub call: u64,
    /// Who wants to see how far it is. Elements that are done count, once for each tick.
    pub progress: Option<&'a Progress>,
}

impl Launch<'_> {
    /// Is it what the program expects? Compiled code trusts its arguments; this is what can be checked of them. Anything
    /// else would reach beyond a column.
    fn check(&self, program: &Program, kernel: KernelId, columns: &[Column]) -> Result<(), Error> {
        let entries = program.kernels.get(kernel.0 as usize).map_or(0, |kernel| kernel.entries.len());
        let types = columns.iter().map(Column::ty).eq(program.buffers.iter().map(|buffer| buffer.ty));
        let jobs = self.jobs.order.as_ref().map_or(i32::MAX as usize, Vec::len).min(i32::MAX as usize);
        let mut segments = self.jobs.rounds.iter().flat_map(|round| &round.segments);
        let fits = types
            && self.scalars.len() == program.scalars.len()
            && segments.all(|segment| {
                let Segment { entry, jobs: Range { start, end } } = segment;
                *entry < entries && start <= end && *end <= jobs
            })
            && i64::try_from(self.first_tick.saturating_add(self.ticks)).is_ok();
        if fits { Ok(()) } else { Err(Error::Internal("the launch does not fit its program".into())) }
    }
}

impl Failure {
    /// In place of an element: the code around them has failed.
    pub const DRIVER: u32 = u32::MAX;

    /// The same with what its operands stand for in this scratch memory.
    pub fn with_memory(mut self, error: &ErrorKind, memory: &[i64]) -> Self {
        if matches!(error, ErrorKind::RaiseMade(_)) {
            let used = memory.first().map_or(0, |used| usize::try_from(*used).unwrap_or(0));
            self.memory = memory[..used.min(memory.len())].to_vec();
        }
        for (i, _) in error.made_strings().into_iter().enumerate().filter(|(_, made)| *made) {
            self.texts[i] = crate::string_layout::string_in(memory, self.operands[i]).map(Box::new);
        }
        self
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

/// The bytes of a made String, and its flags.
pub type Texts = [Option<Box<(Vec<u8>, i64)>>; 2];

/// An element failed, or the driver: what sequential Ruby would have raised first.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub site: SiteId,
    /// Or [`Self::DRIVER`].
    pub element: u32,
    /// Whose element it is, of those that a driver launches.
    pub kernel: Option<KernelId>,
    pub tick: u64,
    /// Operands of the failing statement, as 64-bit patterns (`I32` sign-extended); 0 where it has fewer.
    pub operands: [i64; 2],
    /// The path to the function that failed.
    pub path: i64,
    /// What the operands stand for that are Strings which the element has made.
    pub texts: Texts,
    /// All scratch memory in use, where an exception was raised that lies there.
    pub memory: Vec<i64>,
}

/// Launches the first kernel on these columns, which have the results then.
#[cfg(test)]
pub fn run_on(
    kernels: &dyn Kernels,
    columns: &mut [Column],
    launch: &Launch<'_>,
    interrupt: &AtomicBool,
) -> Result<Outcome, Error> {
    run_with(kernels, None, columns, launch, interrupt)
}

/// The same, or a driver.
#[cfg(test)]
pub fn run_with(
    kernels: &dyn Kernels,
    driver: Option<&Driver>,
    columns: &mut [Column],
    launch: &Launch<'_>,
    interrupt: &AtomicBool,
) -> Result<Outcome, Error> {
    let nothing = || Column::Bool(Vec::new());
    let mut store =
        Store::new(columns.iter_mut().map(|column| std::mem::replace(column, nothing())).collect());
    let mut profile = Profile::default();
    let mut session = kernels.bind(&mut store, interrupt);
    let outcome = match driver {
        None => session.launch(KernelId(0), launch, &mut profile),
        Some(driver) => {
            let at_sync = &mut |_, _: &mut Store| Ok(());
            driver.run(&mut *session, launch, at_sync, interrupt, &mut profile)
        }
    };
    if matches!((&outcome, driver), (Ok(Outcome::Done), None)) {
        session.fetch(None, &mut profile)?;
    }
    drop(session);
    columns
        .iter_mut()
        .zip(store.columns_mut())
        .for_each(|(to, from)| *to = std::mem::replace(from, nothing()));
    outcome
}
