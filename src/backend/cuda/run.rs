//! The launch policy: columns up, launches, written columns down.
//!
//! A fused program runs many ticks a launch, in slices short enough that Ctrl-C is heard; the slices of a fused
//! program are as good as one launch, as its elements do not see each other. Any other program has a launch for each
//! tick and round, replayed as a graph.

use super::deferred::{self, Finished, Logs};
use super::device::{Constant, Loaded, Session};
use super::emit::{BLOCK, Source};
use super::layout::{self, Arena, Begins, FAILURE_WORDS, Step};
use crate::backend::throughput::Throughput;
use crate::backend::{Kernel, Launch, Outcome};
use crate::error::Error;
use crate::ir::Program;
use crate::profile::{Phase, Profile};
use std::sync::Arc;
use std::sync::atomic::Ordering;
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

impl Kernel for CudaKernel {
    fn run(&self, launch: &mut Launch<'_>, profile: &mut Profile) -> Result<Outcome, Error> {
        launch.check(&self.program)?;
        layout::check(launch)?;
        if launch.jobs.in_order {
            return Err(Error::Internal("a GPU runs no elements in order".into()));
        }
        let steps = Step::of_tick(&self.program, launch, self.source.segments);
        if steps.is_empty() || launch.ticks == 0 {
            return Ok(Outcome::Done);
        }
        let Some(logs) = &self.logs else {
            return self.attempt(&steps, launch, profile).map(|ended| ended.unwrap_or(Outcome::Done));
        };
        let before = logs.before(launch.buffers)?;
        loop {
            // Too little room for records is enough the next time.
            if let Some(outcome) = self.attempt(&steps, launch, profile)? {
                return Ok(outcome);
            }
            logs.begin_again(launch.buffers, &before);
        }
    }

    fn suits(&self, _ticks: u64) -> bool {
        true
    }

    fn source(&self) -> String {
        self.source.text.clone()
    }
}

impl CudaKernel {
    /// `None`: there was too little room for what elements defer.
    fn attempt(
        &self,
        steps: &[Step],
        launch: &mut Launch<'_>,
        profile: &mut Profile,
    ) -> Result<Option<Outcome>, Error> {
        let lanes = steps.iter().map(|s| s.blocks as usize * BLOCK as usize).max().unwrap_or_default();
        let jobs = launch.jobs.rounds.iter().flat_map(|r| &r.segments).map(|s| s.jobs.len()).sum();
        let rooms = self.logs.as_ref().map(|logs| logs.rooms(jobs)).unwrap_or_default();
        let arena =
            Arena::new(&self.program, launch, lanes, &rooms, |i| deferred::stays(self.logs.as_ref(), i));
        let session = profile.time(Phase::Upload, || {
            let mut session = self.loaded.start(arena.bytes, launch.interrupt)?;
            if let Some(session) = &mut session {
                upload(&mut **session, &arena, launch)?;
            }
            Ok::<_, Error>(session)
        })?;
        let Some(mut session) = session else { return Ok(Some(Outcome::Interrupted)) };
        let outcome = profile.time(Phase::Kernel, || {
            if let Some(logs) = &self.logs {
                logging(&mut *session, (steps, &arena), logs, launch)
            } else if self.program.fused && launch.jobs.rounds.len() == 1 {
                fused(&mut *session, (steps, &arena), launch).map(Some)
            } else {
                tick_by_tick(&mut *session, (steps, &arena), launch).map(Some)
            }
        })?;
        if outcome == Some(Outcome::Done) {
            profile.time(Phase::Download, || download(&mut *session, &arena, launch))?;
        }
        // What was deferred may have failed before.
        let failed = matches!(outcome, Some(Outcome::Failed(_)));
        Ok(if failed && self.defers { Some(Outcome::Conflict) } else { outcome })
    }
}

fn upload(session: &mut dyn Session, arena: &Arena, launch: &Launch<'_>) -> Result<(), Error> {
    let [_, end] = arena.small;
    let mut small = vec![0u8; end];
    let state = layout::fresh_state();
    small[..size_of_val(&state)].copy_from_slice(bytemuck::cast_slice(&state));
    let mut put =
        |at: usize, bytes: &[u8], session: &mut dyn Session| match small.get_mut(at..at + bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Ok(())
            }
            None => session.write(at, bytes),
        };
    // The large ones first: they are copied while the others are collected.
    for ((column, at), begins) in launch.buffers.iter().zip(&arena.buffers).zip(&arena.begins) {
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

/// Waits for what was launched, then says how it went so far.
fn look(session: &mut dyn Session) -> Result<Option<Outcome>, Error> {
    let mut words = [0u64; FAILURE_WORDS];
    session.read(&mut [(Arena::FAILURE, bytemuck::cast_slice_mut(&mut words))])?;
    layout::ended(words)
}

/// The same when everything was launched; brings the small columns down with it.
fn last_look(session: &mut dyn Session, arena: &Arena, launch: &mut Launch<'_>) -> Result<Outcome, Error> {
    let [end, _] = arena.small;
    let mut small = vec![0u64; end / 8];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut small);
    session.read(&mut [(0, bytes)])?;
    let mut words = [0; FAILURE_WORDS];
    words.copy_from_slice(&small[Arena::FAILURE / 8..][..FAILURE_WORDS]);
    if let Some(outcome) = layout::ended(words)? {
        return Ok(outcome);
    }
    let small: &[u8] = bytemuck::cast_slice(&small);
    for i in arena.down.iter().filter(|i| arena.buffers[**i] < end) {
        let bytes = launch.buffers[*i].as_bytes_mut();
        bytes.copy_from_slice(&small[arena.buffers[*i]..][..bytes.len()]);
    }
    Ok(Outcome::Done)
}

/// Brings down what [`last_look`] has not.
fn download(session: &mut dyn Session, arena: &Arena, launch: &mut Launch<'_>) -> Result<(), Error> {
    let [end, _] = arena.small;
    let is_wanted = |i: &usize| arena.down.contains(i) && arena.buffers[*i] >= end;
    let columns = launch.buffers.iter_mut().enumerate().filter(|(i, _)| is_wanted(i));
    let mut pieces: Vec<_> = columns.map(|(i, column)| (arena.buffers[i], column.as_bytes_mut())).collect();
    if pieces.is_empty() { Ok(()) } else { session.read(&mut pieces) }
}

fn fused(
    session: &mut dyn Session,
    (steps, arena): (&[Step], &Arena),
    launch: &mut Launch<'_>,
) -> Result<Outcome, Error> {
    let jobs: u64 = launch.jobs.rounds.iter().flat_map(|r| &r.segments).map(|s| s.jobs.len() as u64).sum();
    let small = jobs.saturating_mul(launch.ticks) <= SMALL;
    let first = if small { launch.ticks } else { launch.ticks.div_ceil(16) };
    let mut slices = Slices::new(first.min(FIRST_TICKS));
    let mut done = 0;
    loop {
        if launch.interrupt.load(Ordering::Relaxed) {
            return Ok(Outcome::Interrupted);
        }
        let end = launch.ticks.min(done + slices.next);
        let start = Instant::now();
        for step in steps {
            session.launch(&step.with_ticks(done, end, false))?;
        }
        if end == launch.ticks {
            return last_look(session, arena, launch);
        }
        if let Some(outcome) = look(session)? {
            return Ok(outcome);
        }
        slices.took(end - done, start.elapsed());
        done = end;
    }
}

fn tick_by_tick(
    session: &mut dyn Session,
    (steps, arena): (&[Step], &Arena),
    launch: &mut Launch<'_>,
) -> Result<Outcome, Error> {
    let graph_ticks = (GRAPH_STEPS / steps.len() as u64).min(GRAPH_TICKS).min(launch.ticks);
    let with_graph = launch.ticks >= GRAPH_FROM && graph_ticks > 1;
    if with_graph {
        let all = (0..graph_ticks).flat_map(|t| steps.iter().map(move |s| s.with_ticks(t, t + 1, true)));
        session.record(all.collect(), graph_ticks)?;
    }
    // The clock moves with the graph only, so the graph runs first and the ticks left over after it.
    let replays = if with_graph { launch.ticks / graph_ticks } else { 0 };
    let first = replays * graph_ticks;
    let outcome = batches(session, launch, replays, |session, _| session.replay())?;
    if let Some(outcome) = outcome {
        return Ok(outcome);
    }
    let outcome = batches(session, launch, launch.ticks - first, |session, tick| {
        let tick = first + tick;
        steps.iter().try_for_each(|step| session.launch(&step.with_ticks(tick, tick + 1, false)))
    })?;
    outcome.map_or_else(|| last_look(session, arena, launch), Ok)
}

/// A launch for each tick, after which the host does what was deferred. `None`: there was too little room for that.
fn logging(
    session: &mut dyn Session,
    (steps, arena): (&[Step], &Arena),
    logs: &Logs,
    launch: &mut Launch<'_>,
) -> Result<Option<Outcome>, Error> {
    for tick in 0..launch.ticks {
        if launch.interrupt.load(Ordering::Relaxed) {
            return Ok(Some(Outcome::Interrupted));
        }
        for step in steps {
            session.launch(&step.with_ticks(tick, tick + 1, false))?;
        }
        if let Some(outcome) = look(session)? {
            return Ok(Some(outcome));
        }
        match logs.finish_tick(session, arena, launch, tick)? {
            Finished::Done => {}
            Finished::Conflict => return Ok(Some(Outcome::Conflict)),
            Finished::TooMany => return Ok(None),
        }
    }
    last_look(session, arena, launch).map(Some)
}

/// Does `count` things, and looks now and then at the failure record and the interrupt flag, but not behind the last.
/// Ticks that run after a failure before it is seen end at once (see the kernel).
fn batches(
    session: &mut dyn Session,
    launch: &Launch<'_>,
    count: u64,
    mut each: impl FnMut(&mut dyn Session, u64) -> Result<(), Error>,
) -> Result<Option<Outcome>, Error> {
    let mut slices = Slices::new(1);
    let mut done = 0;
    while done < count {
        if launch.interrupt.load(Ordering::Relaxed) {
            return Ok(Some(Outcome::Interrupted));
        }
        let end = count.min(done + slices.next);
        let start = Instant::now();
        for i in done..end {
            each(session, i)?;
        }
        if end < count {
            if let Some(outcome) = look(session)? {
                return Ok(Some(outcome));
            }
            slices.took(end - done, start.elapsed());
        }
        done = end;
    }
    Ok(None)
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
