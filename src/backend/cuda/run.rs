//! The launch policy: columns up, launches, written columns down.
//!
//! A fused program runs many ticks a launch, in slices short enough that Ctrl-C is heard; the slices of a fused
//! program are as good as one launch, as its elements do not see each other. Any other program has a launch for each
//! tick and round, replayed as a graph.

use super::deferred::{self, Finished, Logs};
use super::device::{Constant, DeviceSession, Loaded};
use super::emit::{BLOCK, Source};
use super::layout::{self, Arena, Begins, FAILURE_WORDS, Step};
use crate::backend::throughput::Throughput;
use crate::backend::{Kernels, Launch, Outcome, Session};
use crate::error::Error;
use crate::heap::{Column, Store};
use crate::ir::{Buffer, KernelId, Program};
use crate::profile::{Phase, Profile};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the device may be left alone before the interrupt flag and the failure record are looked at.
const SLICE: Duration = Duration::from_millis(50);
/// Fused sections of fewer element ticks run in one launch: they are over before anyone could interrupt them.
const SMALL: u64 = 10_000_000;
/// So many ticks are tried before anything is known of their throughput: a tick takes half a microsecond at least.
const FIRST_TICKS: u64 = 50_000;
/// Fewer ticks than this are not worth recording a graph.
const GRAPH_FROM: u64 = 16;
const GRAPH_TICKS: u64 = 64;
/// Recording takes microseconds for each launch in it.
const GRAPH_STEPS: u64 = 1024;

pub(super) struct CudaKernel {
    pub program: Arc<Program>,
    pub source: Source,
    pub loaded: Box<dyn Loaded>,
    /// What elements defer and the GPU does not do itself.
    pub logs: Option<Logs>,
    /// They defer something.
    pub defers: bool,
}

impl Kernels for CudaKernel {
    fn bind<'a>(&'a self, store: &'a mut Store, interrupt: &'a AtomicBool) -> Box<dyn Session + 'a> {
        Box::new(CudaSession { kernel: self, store, interrupt, device: None, fetched: Vec::new() })
    }

    fn suits(&self, _ticks: u64) -> bool {
        true
    }

    fn source(&self) -> String {
        self.source.text.clone()
    }
}

/// A run on the device, from its start to the columns that it leaves there. The store's are what they were, until they are
/// fetched.
struct CudaSession<'a> {
    kernel: &'a CudaKernel,
    store: &'a mut Store,
    interrupt: &'a AtomicBool,
    /// Where the results of the last launch are.
    device: Option<(Box<dyn DeviceSession + 'a>, Arena)>,
    /// The columns of these that the store has.
    fetched: Vec<usize>,
}

impl Session for CudaSession<'_> {
    fn launch(&mut self, id: KernelId, launch: &Launch<'_>, profile: &mut Profile) -> Result<Outcome, Error> {
        let kernel = self.kernel;
        launch.check(&kernel.program, id, self.store.columns())?;
        layout::check(launch)?;
        if launch.jobs.in_order {
            return Err(Error::Internal("a GPU runs no elements in order".into()));
        }
        if self.device.is_some() {
            return Err(Error::Internal("a GPU has one launch in a run".into()));
        }
        let first = kernel.program.first_entry(id);
        let segments = kernel.source.segments;
        let steps = Step::of_tick(&kernel.program, first, self.store.columns(), launch, segments);
        if steps.is_empty() || launch.ticks == 0 {
            return Ok(Outcome::Done);
        }
        let Some(logs) = &kernel.logs else {
            return self.attempt(id, &steps, launch, profile).map(|ended| ended.unwrap_or(Outcome::Done));
        };
        loop {
            // Too little room for records is enough the next time.
            self.store.keep(logs.kept())?;
            if let Some(outcome) = self.attempt(id, &steps, launch, profile)? {
                return Ok(outcome);
            }
            self.device = None;
            self.store.begin_again();
        }
    }

    fn fetch(&mut self, column: Option<Buffer>, profile: &mut Profile) -> Result<(), Error> {
        let Some((device, arena)) = &mut self.device else { return Ok(()) };
        let [end, _] = arena.small;
        let is_wanted = |buffer: &usize| {
            arena.buffers[*buffer] >= end
                && column.is_none_or(|column| column.0 as usize == *buffer)
                && !self.fetched.contains(buffer)
        };
        let wanted: Vec<usize> = arena.down.iter().copied().filter(is_wanted).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        profile.time(Phase::Download, || download(&mut **device, arena, &wanted, self.store))?;
        self.fetched.extend(wanted);
        Ok(())
    }

    fn store(&mut self) -> &mut Store {
        self.store
    }

    fn columns(&self) -> &[Column] {
        self.store.columns()
    }

    fn changed(&mut self, _column: Buffer) {}
}

impl CudaSession<'_> {
    /// `None`: there was too little room for what elements defer.
    fn attempt(
        &mut self,
        kernel: KernelId,
        steps: &[Step],
        launch: &Launch<'_>,
        profile: &mut Profile,
    ) -> Result<Option<Outcome>, Error> {
        let CudaKernel { program, loaded, logs, defers, .. } = self.kernel;
        let lanes = steps.iter().map(|s| s.blocks as usize * BLOCK as usize).max().unwrap_or_default();
        let jobs = launch.jobs.rounds.iter().flat_map(|r| &r.segments).map(|s| s.jobs.len()).sum();
        let rooms = logs.as_ref().map(|logs| logs.rooms(jobs)).unwrap_or_default();
        let columns = self.store.columns();
        let stays = |buffer| deferred::stays(logs.as_ref(), buffer);
        let arena = Arena::new(program, columns, launch, lanes, &rooms, stays);
        let device = profile.time(Phase::Upload, || {
            let mut device = loaded.start(arena.bytes, self.interrupt)?;
            if let Some(device) = &mut device {
                upload(&mut **device, &arena, columns, launch)?;
            }
            Ok::<_, Error>(device)
        })?;
        let Some(mut device) = device else { return Ok(Some(Outcome::Interrupted)) };
        let mut run =
            Run { device: &mut *device, arena: &arena, store: self.store, launch, interrupt: self.interrupt };
        let outcome = profile.time(Phase::Kernel, || {
            if let Some(logs) = logs {
                run.logging(steps, logs)
            } else if program.kernels[kernel.0 as usize].fused && launch.jobs.rounds.len() == 1 {
                run.fused(steps).map(Some)
            } else {
                run.tick_by_tick(steps).map(Some)
            }
        })?;
        if outcome == Some(Outcome::Done) {
            self.device = Some((device, arena));
        }
        // What was deferred may have failed before.
        let failed = matches!(outcome, Some(Outcome::Failed(_)));
        Ok(if failed && *defers { Some(Outcome::Conflict) } else { outcome })
    }
}

fn upload(
    session: &mut dyn DeviceSession,
    arena: &Arena,
    columns: &[Column],
    launch: &Launch<'_>,
) -> Result<(), Error> {
    let [_, end] = arena.small;
    let mut small = vec![0u8; end];
    let state = layout::fresh_state();
    small[..size_of_val(&state)].copy_from_slice(bytemuck::cast_slice(&state));
    let mut put = |at: usize, bytes: &[u8], session: &mut dyn DeviceSession| match small
        .get_mut(at..at + bytes.len())
    {
        Some(place) => {
            place.copy_from_slice(bytes);
            Ok(())
        }
        None => session.write(at, bytes),
    };
    // The large ones first: they are copied while the others are collected.
    for ((column, at), begins) in columns.iter().zip(&arena.buffers).zip(&arena.begins) {
        match begins {
            Begins::Copied => put(*at, column.as_bytes(), session)?,
            Begins::Cleared => session.clear(*at, column.as_bytes().len())?,
            Begins::Anything => {}
        }
    }
    if let (Some(at), Some(elements)) = (arena.order, &launch.jobs.order) {
        put(at, bytemuck::cast_slice(elements), session)?;
    }
    if !arena.logs.is_empty() {
        session.clear(arena.counts, 8 * arena.logs.len())?;
    }
    session.put(0, small)?;
    session.set(Constant::Run, &layout::run_words(arena, session, launch))?;
    let arguments = layout::argument_words(arena, session.base(), launch);
    if arguments.is_empty() { Ok(()) } else { session.set(Constant::Arguments, &arguments) }
}

/// Brings down columns that [`Run::last_look`] has not.
fn download(
    session: &mut dyn DeviceSession,
    arena: &Arena,
    wanted: &[usize],
    store: &mut Store,
) -> Result<(), Error> {
    let fresh = |buffer: &usize| {
        let column = &store.columns()[*buffer];
        Column::unset(column.ty(), column.len()).map(|column| (*buffer, column))
    };
    let mut columns: Vec<(usize, Column)> = wanted.iter().map(fresh).collect::<Result<_, _>>()?;
    let mut pieces: Vec<_> =
        columns.iter_mut().map(|(buffer, column)| (arena.buffers[*buffer], column.as_bytes_mut())).collect();
    session.read(&mut pieces)?;
    columns.into_iter().for_each(|(buffer, column)| store.replace(buffer, column));
    Ok(())
}

/// What is going on.
struct Run<'a, 'b> {
    device: &'a mut (dyn DeviceSession + 'b),
    arena: &'a Arena,
    store: &'a mut Store,
    launch: &'a Launch<'a>,
    interrupt: &'a AtomicBool,
}

impl Run<'_, '_> {
    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Waits for what was launched, then says how it went so far.
    fn look(&mut self) -> Result<Option<Outcome>, Error> {
        let mut words = [0u64; FAILURE_WORDS];
        self.device.read(&mut [(Arena::FAILURE, bytemuck::cast_slice_mut(&mut words))])?;
        layout::ended(words)
    }

    /// The same when everything was launched; brings the small columns down with it.
    fn last_look(&mut self) -> Result<Outcome, Error> {
        let Self { arena, store, .. } = self;
        let [end, _] = arena.small;
        let mut small = vec![0u64; end / 8];
        self.device.read(&mut [(0, bytemuck::cast_slice_mut(&mut small))])?;
        let mut words = [0; FAILURE_WORDS];
        words.copy_from_slice(&small[Arena::FAILURE / 8..][..FAILURE_WORDS]);
        if let Some(outcome) = layout::ended(words)? {
            return Ok(outcome);
        }
        let small: &[u8] = bytemuck::cast_slice(&small);
        for buffer in arena.down.iter().filter(|buffer| arena.buffers[**buffer] < end) {
            let now = &store.columns()[*buffer];
            let mut column = Column::zeros(now.ty(), now.len());
            let bytes = column.as_bytes_mut();
            bytes.copy_from_slice(&small[arena.buffers[*buffer]..][..bytes.len()]);
            store.replace(*buffer, column);
        }
        Ok(Outcome::Done)
    }

    fn fused(&mut self, steps: &[Step]) -> Result<Outcome, Error> {
        let launch = self.launch;
        let jobs: u64 =
            launch.jobs.rounds.iter().flat_map(|r| &r.segments).map(|s| s.jobs.len() as u64).sum();
        let small = jobs.saturating_mul(launch.ticks) <= SMALL;
        let first = if small { launch.ticks } else { launch.ticks.div_ceil(16) };
        let mut slices = Slices::new(first.min(FIRST_TICKS));
        let mut done = 0;
        loop {
            if self.is_interrupted() {
                return Ok(Outcome::Interrupted);
            }
            let end = launch.ticks.min(done + slices.next);
            let start = Instant::now();
            for step in steps {
                self.device.launch(&step.with_ticks(done, end, false))?;
            }
            if end == launch.ticks {
                return self.last_look();
            }
            if let Some(outcome) = self.look()? {
                return Ok(outcome);
            }
            slices.took(end - done, start.elapsed());
            done = end;
        }
    }

    fn tick_by_tick(&mut self, steps: &[Step]) -> Result<Outcome, Error> {
        let ticks = self.launch.ticks;
        let graph_ticks = (GRAPH_STEPS / steps.len() as u64).min(GRAPH_TICKS).min(ticks);
        let with_graph = ticks >= GRAPH_FROM && graph_ticks > 1;
        if with_graph {
            let all = (0..graph_ticks).flat_map(|t| steps.iter().map(move |s| s.with_ticks(t, t + 1, true)));
            self.device.record(all.collect(), graph_ticks)?;
        }
        // The clock moves with the graph only, so the graph runs first and the ticks left over after it.
        let replays = if with_graph { ticks / graph_ticks } else { 0 };
        let first = replays * graph_ticks;
        if let Some(outcome) = self.batches(replays, |device, _| device.replay())? {
            return Ok(outcome);
        }
        let outcome = self.batches(ticks - first, |device, tick| {
            let tick = first + tick;
            steps.iter().try_for_each(|step| device.launch(&step.with_ticks(tick, tick + 1, false)))
        })?;
        outcome.map_or_else(|| self.last_look(), Ok)
    }

    /// A launch for each tick, after which the host does what was deferred. `None`: there was too little room for that.
    fn logging(&mut self, steps: &[Step], logs: &Logs) -> Result<Option<Outcome>, Error> {
        for tick in 0..self.launch.ticks {
            if self.is_interrupted() {
                return Ok(Some(Outcome::Interrupted));
            }
            for step in steps {
                self.device.launch(&step.with_ticks(tick, tick + 1, false))?;
            }
            if let Some(outcome) = self.look()? {
                return Ok(Some(outcome));
            }
            let host = (self.store.columns_mut(), self.launch.scalars, self.interrupt);
            match logs.finish_tick(self.device, self.arena, host, tick)? {
                Finished::Done => {}
                Finished::Conflict => return Ok(Some(Outcome::Conflict)),
                Finished::TooMany => return Ok(None),
            }
        }
        self.last_look().map(Some)
    }

    /// Does `count` things, and looks now and then at the failure record and the interrupt flag, but not behind the last.
    /// Ticks that run after a failure before it is seen end at once (see the kernel).
    fn batches(
        &mut self,
        count: u64,
        mut each: impl FnMut(&mut dyn DeviceSession, u64) -> Result<(), Error>,
    ) -> Result<Option<Outcome>, Error> {
        let mut slices = Slices::new(1);
        let mut done = 0;
        while done < count {
            if self.is_interrupted() {
                return Ok(Some(Outcome::Interrupted));
            }
            let end = count.min(done + slices.next);
            let start = Instant::now();
            for i in done..end {
                each(self.device, i)?;
            }
            if end < count {
                if let Some(outcome) = self.look()? {
                    return Ok(Some(outcome));
                }
                slices.took(end - done, start.elapsed());
            }
            done = end;
        }
        Ok(None)
    }
}

/// How much to do before looking up again: as much as fits in a slice, judged by what has been measured.
struct Slices {
    throughput: Throughput,
    next: u64,
}

impl Slices {
    fn new(first: u64) -> Self {
        Self { throughput: Throughput::default(), next: first.max(1) }
    }

    fn took(&mut self, count: u64, time: Duration) {
        self.throughput.learn(count, time);
        // A first launch is slower than the next, so growth has a limit but not a small one.
        let fits = self.throughput.work_in(SLICE).unwrap_or(1);
        self.next = fits.clamp(1, count.saturating_mul(64));
    }
}
