//! The launch policy: columns up, launches, written columns down.
//!
//! A fused program runs many ticks a launch, in slices short enough that Ctrl-C is heard; the slices of a fused
//! program are as good as one launch, as its elements do not see each other. Any other program has a launch for each
//! tick and round, replayed as a graph.

use super::deferred::{self, Finished, Logs};
use super::device::{Constant, Loaded, Session, bytes_of};
use super::emit::{BLOCK, Source};
use super::layout::{self, Arena, FAILURE_WORDS, Step};
use crate::backend::throughput::Throughput;
use crate::backend::{Kernel, Launch, Outcome};
use crate::error::Error;
use crate::ir::{BufferKind, Program};
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
/// Columns that are smaller together go up as one piece: a copy costs some 10 µs whatever its size.
const ONE_PIECE: usize = 4 << 20;

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
        let arena = Arena::new(&self.program, launch, lanes, &rooms);
        let session = profile.time(Phase::Upload, || {
            let mut session = self.loaded.start(arena.bytes, launch.interrupt)?;
            if let Some(session) = &mut session {
                self.upload(&mut **session, &arena, launch)?;
            }
            Ok::<_, Error>(session)
        })?;
        let Some(mut session) = session else { return Ok(Some(Outcome::Interrupted)) };
        let outcome = profile.time(Phase::Kernel, || {
            if let Some(logs) = &self.logs {
                logging(&mut *session, (steps, &arena), logs, launch)
            } else if self.program.fused && launch.jobs.rounds.len() == 1 {
                fused(&mut *session, steps, launch).map(Some)
            } else {
                tick_by_tick(&mut *session, steps, launch).map(Some)
            }
        })?;
        if outcome == Some(Outcome::Done) {
            profile.time(Phase::Download, || self.download(&mut *session, &arena, launch))?;
        }
        // What was deferred may have failed before.
        let failed = matches!(outcome, Some(Outcome::Failed(_)));
        Ok(if failed && self.defers { Some(Outcome::Conflict) } else { outcome })
    }

    fn upload(&self, session: &mut dyn Session, arena: &Arena, launch: &Launch<'_>) -> Result<(), Error> {
        let state = bytes_of(&layout::fresh_state());
        let mut pieces: Vec<(usize, &[u8])> = vec![(Arena::FAILURE, &state)];
        if !arena.logs.is_empty() {
            session.clear(arena.counts, 8 * arena.logs.len())?;
        }
        let small = arena.bytes <= ONE_PIECE;
        for (i, info) in self.program.buffers.iter().enumerate() {
            if info.kind == BufferKind::Scratch || deferred::stays(self.logs.as_ref(), i, info) {
                continue;
            }
            let bytes = launch.buffers[i].as_bytes();
            // Columns of results begin as zeros, which need no copying.
            if small || !layout::is_output(&info.kind) || bytes.iter().any(|b| *b != 0) {
                pieces.push((arena.buffers[i], bytes));
            } else {
                session.clear(arena.buffers[i], bytes.len())?;
            }
        }
        if let (Some(at), Some(elements)) = (arena.order, &launch.jobs.order) {
            pieces.push((at, bytemuck::cast_slice(elements)));
        }
        let whole;
        if small {
            whole = joined(arena.bytes, &pieces);
            pieces = vec![(0, &whole)];
        }
        let run = layout::run_words(arena, session, launch);
        let arguments = layout::argument_words(arena, session.base(), launch);
        let copied = pieces.iter().try_for_each(|(at, bytes)| session.write(*at, bytes)).and_then(|()| {
            session.set(Constant::Run, &run)?;
            if arguments.is_empty() { Ok(()) } else { session.set(Constant::Arguments, &arguments) }
        });
        // What is being copied stays in place until it has been.
        session.wait()?;
        copied
    }

    fn download(
        &self,
        session: &mut dyn Session,
        arena: &Arena,
        launch: &mut Launch<'_>,
    ) -> Result<(), Error> {
        for (i, info) in self.program.buffers.iter().enumerate() {
            let is_result = info.written && !matches!(info.kind, BufferKind::Scratch | BufferKind::Marks(_));
            if is_result && !deferred::stays(self.logs.as_ref(), i, info) {
                session.read(arena.buffers[i], launch.buffers[i].as_bytes_mut())?;
            }
        }
        session.wait()
    }
}

/// All pieces where they go, with zeros between them.
fn joined(bytes: usize, pieces: &[(usize, &[u8])]) -> Vec<u8> {
    let mut whole = vec![0; bytes];
    for (at, piece) in pieces {
        whole[*at..at + piece.len()].copy_from_slice(piece);
    }
    whole
}

/// Waits for what was launched, then says how it went so far.
fn look(session: &mut dyn Session) -> Result<Option<Outcome>, Error> {
    let mut bytes = [0; 8 * FAILURE_WORDS];
    session.read(Arena::FAILURE, &mut bytes)?;
    session.wait()?;
    let mut words = [0; FAILURE_WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    layout::ended(words)
}

fn fused(session: &mut dyn Session, steps: &[Step], launch: &Launch<'_>) -> Result<Outcome, Error> {
    let jobs: u64 = launch.jobs.rounds.iter().flat_map(|r| &r.segments).map(|s| s.jobs.len() as u64).sum();
    let small = jobs.saturating_mul(launch.ticks) <= SMALL;
    let first = if small { launch.ticks } else { launch.ticks.div_ceil(16) };
    let mut slices = Slices::new(first.min(FIRST_TICKS));
    let mut done = 0;
    while done < launch.ticks {
        if launch.interrupt.load(Ordering::Relaxed) {
            return Ok(Outcome::Interrupted);
        }
        let end = launch.ticks.min(done + slices.next);
        let start = Instant::now();
        for step in steps {
            session.launch(&step.with_ticks(done, end, false))?;
        }
        if let Some(outcome) = look(session)? {
            return Ok(outcome);
        }
        slices.took(end - done, start.elapsed());
        done = end;
    }
    Ok(Outcome::Done)
}

fn tick_by_tick(session: &mut dyn Session, steps: &[Step], launch: &Launch<'_>) -> Result<Outcome, Error> {
    let graph_ticks = (GRAPH_STEPS / steps.len() as u64).min(GRAPH_TICKS).min(launch.ticks);
    let with_graph = launch.ticks >= GRAPH_FROM && graph_ticks > 1;
    if with_graph {
        let all = (0..graph_ticks).flat_map(|t| steps.iter().map(move |s| s.with_ticks(t, t + 1, true)));
        session.record(all.collect(), graph_ticks)?;
    }
    // The clock moves with the graph only, so the graph runs first and the ticks left over after it.
    let replays = if with_graph { launch.ticks / graph_ticks } else { 0 };
    let mut outcome = batches(session, launch, replays, |session, _| session.replay())?;
    if outcome == Outcome::Done {
        let first = replays * graph_ticks;
        outcome = batches(session, launch, launch.ticks - first, |session, tick| {
            let tick = first + tick;
            steps.iter().try_for_each(|step| session.launch(&step.with_ticks(tick, tick + 1, false)))
        })?;
    }
    Ok(outcome)
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
    Ok(Some(Outcome::Done))
}

/// Does `count` things, and looks now and then at the failure record and the interrupt flag. Ticks that run after a
/// failure before it is seen end at once (see the kernel).
fn batches(
    session: &mut dyn Session,
    launch: &Launch<'_>,
    count: u64,
    mut each: impl FnMut(&mut dyn Session, u64) -> Result<(), Error>,
) -> Result<Outcome, Error> {
    let mut slices = Slices::new(1);
    let mut done = 0;
    while done < count {
        if launch.interrupt.load(Ordering::Relaxed) {
            return Ok(Outcome::Interrupted);
        }
        let end = count.min(done + slices.next);
        let start = Instant::now();
        for i in done..end {
            each(session, i)?;
        }
        if let Some(outcome) = look(session)? {
            return Ok(outcome);
        }
        slices.took(end - done, start.elapsed());
        done = end;
    }
    Ok(Outcome::Done)
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
