//! The launch policy: columns up, launches, written columns down.
//!
//! A fused program runs many ticks a launch, in slices short enough that Ctrl-C is heard; the slices of a fused
//! program are as good as one launch, as its elements do not see each other. Any other program has a launch for each
//! tick and round, replayed as a graph.

use super::batches::Batches;
use super::deferred::{self, Finished, Logs, Rooms};
use super::device::{DeviceSession, Loaded};
use super::emit::{self, BLOCK, Source};
use super::layout::{self, Arena, FAILURE_WORDS, Step};
use super::rows::MovedColumns;
use super::sharing;
use super::transfers::{download, last_look, refresh, settle_down, upload};
use crate::backend::throughput::Throughput;
use crate::backend::{Kernels, Launch, Moved, Outcome, Session, Source as RowSource};
use crate::error::Error;
use crate::heap::{Column, OnDevice, Shared, Store};
use crate::ir::effects::{Effects, effects_without};
use crate::ir::{Buffer, BufferKind, KernelId, Program};
use crate::profile::{Phase, Profile};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the device may be left alone before the interrupt flag and the failure record are looked at.
const SLICE: Duration = Duration::from_millis(50);
/// Fused sections of fewer element ticks run in one launch: they are over before anyone could interrupt them.
const SMALL: u64 = 10_000_000;
/// So many ticks are tried before anything is known of their throughput: a tick takes half a microsecond at least.
const FIRST_TICKS: u64 = 50_000;
/// Columns of fewer bytes, all together, come down with the look at how launches have ended.
const DIRECT: usize = 512 << 10;
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
    /// What a driver moves on the device.
    pub moved: MovedColumns,
    /// What each kernel has to do with columns on the device, what it calls included.
    pub effects: Vec<Effects>,
    /// The columns that the host changes for each kernel, as its elements have written down.
    pub logged: Vec<BTreeSet<Buffer>>,
}

impl CudaKernel {
    /// Of each kernel of a program: on the device, and the columns that the host changes for it.
    pub fn effects(program: &Program) -> (Vec<Effects>, Vec<BTreeSet<Buffer>>) {
        let logged = deferred::logged(program);
        let all = effects_without(program, &logged);
        let of = |kernel: &crate::ir::Kernel| {
            let (mut own, mut by_host) = (Effects::default(), BTreeSet::new());
            for entry in &kernel.entries {
                let Effects { reads, writes } = &all[entry.function.0 as usize];
                own.reads.extend(reads);
                own.writes.extend(writes);
            }
            let calls = program.called_from(kernel.entries.iter().map(|entry| entry.function));
            for id in calls.intersection(&logged) {
                by_host.extend(&all[id.0 as usize].writes);
            }
            (own, by_host)
        };
        program.kernels.iter().map(of).unzip()
    }

    pub fn moved(program: &Program) -> MovedColumns {
        let (effects, _) = Self::effects(program);
        MovedColumns::of(program, |buffer| effects.iter().any(|effects| effects.touches(buffer)))
    }

    /// Up to how many elements of a launch are shared by warps.
    fn most_shared(&self, kernel: KernelId) -> usize {
        let sharing = &self.source.sharing;
        match sharing::is_forced() {
            Some(shares) if !shares || !sharing.shares(kernel.0 as usize) => 0,
            Some(_) => usize::MAX,
            None => sharing.most(kernel, self.loaded.schedulers()),
        }
    }

    /// Does the GPU have nothing to do with a column?
    pub fn stays(&self, buffer: usize) -> bool {
        let touches = |effects: &Effects| effects.touches(Buffer(buffer as u32));
        !self.effects.iter().any(touches) && !self.moved.sources.contains(&buffer)
    }
}

impl Kernels for CudaKernel {
    fn bind<'a>(&'a self, store: &'a mut Store, interrupt: &'a AtomicBool) -> Box<dyn Session + 'a> {
        let count = self.program.buffers.len();
        Box::new(CudaSession {
            kernel: self,
            store,
            interrupt,
            device: None,
            own: vec![None; count],
            stale: vec![Some(0); count],
            ahead: vec![false; count],
            selection: 0,
            unseen: 0,
            since: Instant::now(),
            slices: Slices::new(1),
        })
    }

    fn suits(&self, _ticks: u64) -> bool {
        true
    }

    fn source(&self) -> String {
        emit::shown(&self.program)
    }
}

/// A run on the device, from its first launch on. The store's columns are what they were, until they are fetched.
pub(super) struct CudaSession<'a> {
    pub kernel: &'a CudaKernel,
    pub store: &'a mut Store,
    interrupt: &'a AtomicBool,
    pub device: Option<(Box<dyn DeviceSession + 'a>, Arena)>,
    /// By buffer: memory of its own on the device, beside the run's.
    own: Vec<Option<Arc<dyn OnDevice>>>,
    /// By buffer: the row from which on the device does not have what the host's column holds.
    pub stale: Vec<Option<usize>>,
    /// By buffer: the host does not have the device's column.
    pub ahead: Vec<bool>,
    /// How many rows were selected, when that was last looked at.
    pub selection: usize,
    /// Launches of which nobody has looked how they ended, and when the first of them was.
    pub unseen: u64,
    since: Instant,
    /// So many may be.
    slices: Slices,
}

impl Session for CudaSession<'_> {
    fn launch(&mut self, id: KernelId, launch: &Launch<'_>, profile: &mut Profile) -> Result<Outcome, Error> {
        let kernel = self.kernel;
        launch.check(&kernel.program, id, self.store.columns())?;
        layout::check(launch)?;
        if launch.jobs.in_order {
            return Err(Error::Internal("a GPU runs no elements in order".into()));
        }
        let first = kernel.program.first_entry(id);
        let segments = kernel.source.segments;
        let most_shared = kernel.most_shared(id);
        let columns = self.store.columns();
        let steps = Step::of_tick(&kernel.program, first, columns, launch, (segments, most_shared));
        if steps.is_empty() || launch.ticks == 0 {
            return Ok(Outcome::Done);
        }
        let logged = &kernel.logged[id.0 as usize];
        let Some(logs) = kernel.logs.as_ref().filter(|_| !logged.is_empty()) else {
            return self.attempt(id, &steps, launch, profile).map(|ended| ended.unwrap_or(Outcome::Done));
        };
        // What is deferred is the host's to do, after each tick.
        let outcome = self.settle(profile)?;
        if outcome != Outcome::Done {
            return Ok(outcome);
        }
        for column in logged {
            let outcome = self.fetch(Some(*column), profile)?;
            if outcome != Outcome::Done {
                return Ok(outcome);
            }
        }
        let only = self.device.is_none();
        // The driver may have changed columns before its first launch.
        let is_changed = only && self.store.has_changed();
        let mut saved = Vec::new();
        for column in logs.kept().filter(|_| is_changed) {
            saved.push((column, self.store.columns()[column].try_clone()?));
        }
        loop {
            self.store.keep(logs.kept())?;
            if let Some(outcome) = self.attempt(id, &steps, launch, profile)? {
                for column in logged {
                    self.changed(*column, 0);
                }
                return Ok(outcome);
            }
            if !only {
                return Ok(Outcome::Conflict);
            }
            // Too little room for records is enough the next time.
            self.release();
            if is_changed {
                for (column, was) in &saved {
                    self.store.columns_mut()[*column] = was.try_clone()?;
                }
            } else {
                self.store.begin_again();
            }
        }
    }

    fn release(&mut self) {
        self.device = None;
        self.own.fill(None);
        self.stale.fill(Some(0));
        self.ahead.fill(false);
    }

    fn fetch(&mut self, column: Option<Buffer>, profile: &mut Profile) -> Result<Outcome, Error> {
        let outcome = match column {
            Some(column) if !self.ahead[column.0 as usize] => Outcome::Done,
            Some(column) => self.bring_down(|buffer| buffer == column.0 as usize, profile)?,
            None => self.bring_down(|_| true, profile)?,
        };
        if outcome == Outcome::Done {
            let away: Vec<_> = match column {
                Some(column) => vec![&self.store.columns()[column.0 as usize]],
                None => self.store.columns().iter().collect(),
            };
            profile.time(Phase::Download, || away.into_iter().try_for_each(Column::home))?;
        }
        Ok(outcome)
    }

    fn finish(&mut self, profile: &mut Profile) -> Result<Outcome, Error> {
        let buffers = &self.kernel.program.buffers;
        let stays: Vec<bool> = (0..buffers.len()).map(|at| self.stays_there(at)).collect();
        let is_wanted = |at: usize| !stays[at] && !matches!(buffers[at].kind, BufferKind::Base(..));
        let outcome = self.bring_down(is_wanted, profile)?;
        if outcome == Outcome::Done {
            for at in (0..stays.len()).filter(|at| stays[*at]) {
                if let Some(memory) = self.own[at].take().filter(|_| std::mem::take(&mut self.ahead[at])) {
                    let column = &self.store.columns()[at];
                    let shared = Shared::on_device(column.ty(), column.len(), memory);
                    self.store.replace(at, Column::Shared(shared));
                }
            }
        }
        Ok(outcome)
    }

    fn leaves(&self, flags: Buffer) -> bool {
        let at = flags.0 as usize;
        self.ahead[at] && self.stays_there(at)
    }

    fn moves(&self, from: Option<Buffer>, into: Buffer) -> bool {
        self.has_both(from, into)
    }

    fn select(&mut self, flags: Buffer, profile: &mut Profile) -> Result<(Outcome, Option<usize>), Error> {
        self.selected(flags, profile)
    }

    fn move_rows(
        &mut self,
        rows: (RowSource, Moved),
        into: (Buffer, usize),
        length: usize,
        profile: &mut Profile,
    ) -> Result<bool, Error> {
        self.moved(rows, into, length, profile)
    }

    fn store(&mut self) -> &mut Store {
        self.store
    }

    fn columns(&self) -> &[Column] {
        self.store.columns()
    }

    fn changed(&mut self, column: Buffer, from: usize) -> usize {
        let at = column.0 as usize;
        let first = self.stale[at].unwrap_or(from).min(from);
        (self.stale[at], self.ahead[at]) = (Some(first), false);
        first
    }
}

impl CudaSession<'_> {
    /// Brings columns to the host that the device has changed, once it is seen how the launches have ended.
    fn bring_down(
        &mut self,
        is_wanted: impl Fn(usize) -> bool,
        profile: &mut Profile,
    ) -> Result<Outcome, Error> {
        let mut wanted: Vec<usize> = (0..self.ahead.len()).filter(|at| is_wanted(*at)).collect();
        wanted.retain(|buffer| self.ahead[*buffer]);
        let bytes = |buffer: &usize| self.store.columns()[*buffer].byte_len();
        // Little is waited for together with the end of the launches.
        let with_look = if wanted.iter().map(bytes).sum::<usize>() < DIRECT { &wanted[..] } else { &[] };
        let outcome = self.look(with_look, profile)?;
        if outcome != Outcome::Done {
            return Ok(outcome);
        }
        wanted.retain(|buffer| self.ahead[*buffer]);
        let Some((device, arena)) = &mut self.device else { return Ok(Outcome::Done) };
        if !wanted.is_empty() {
            profile.time(Phase::Download, || download(&mut **device, arena, &wanted, self.store))?;
            wanted.iter().for_each(|buffer| self.ahead[*buffer] = false);
        }
        Ok(Outcome::Done)
    }

    /// Looks how the launches have ended that nobody has looked at; brings small columns along.
    pub(super) fn settle(&mut self, profile: &mut Profile) -> Result<Outcome, Error> {
        self.look(&[], profile)
    }

    /// The same with these columns too, if there was something to look at.
    fn look(&mut self, wanted: &[usize], profile: &mut Profile) -> Result<Outcome, Error> {
        let Some((device, arena)) = &mut self.device else { return Ok(Outcome::Done) };
        if self.unseen == 0 {
            return Ok(Outcome::Done);
        }
        let (outcome, selection) = profile
            .time(Phase::Kernel, || last_look(&mut **device, arena, self.store, &mut self.ahead, wanted))?;
        self.selection = selection;
        self.slices.took(self.unseen, self.since.elapsed());
        self.unseen = 0;
        Ok(self.ended(outcome))
    }

    /// What was deferred may have failed before.
    fn ended(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Failed(_) if self.kernel.defers => Outcome::Conflict,
            other => other,
        }
    }

    /// Is a column left on the device when the run is over?
    fn stays_there(&self, at: usize) -> bool {
        self.store.may_stay(at) && self.own[at].is_some()
    }

    /// Is a column one that has memory of its own on the device? Those do that are somebody else's, or will be.
    fn has_own(&self, at: usize) -> bool {
        let column = &self.store.columns()[at];
        let info = &self.kernel.program.buffers[at];
        let stays = self.kernel.stays(at);
        !stays
            && column.byte_len() >= layout::SMALL
            && (column.is_shared() || self.store.may_stay(at) && layout::comes_down(info, stays))
    }

    /// Has the device have what a launch needs. `None`: interrupted meanwhile.
    fn prepare(
        &mut self,
        kernel: KernelId,
        launch: &Launch<'_>,
        lanes: usize,
        rooms: &Rooms,
        profile: &mut Profile,
    ) -> Result<Option<Outcome>, Error> {
        let fits = self
            .device
            .as_ref()
            .is_some_and(|(_, arena)| arena.has_room(self.store.columns(), launch, lanes, rooms));
        if self.device.is_some() && !fits {
            // All comes to the host, and goes to where there is more room.
            let outcome = self.fetch(None, profile)?;
            if outcome != Outcome::Done {
                return Ok(Some(outcome));
            }
        }
        let CudaKernel { program, loaded, .. } = self.kernel;
        let flags = &self.kernel.moved.flags;
        let own: Vec<bool> = (0..self.ahead.len()).map(|at| self.has_own(at)).collect();
        let columns = self.store.columns();
        let begun = profile.time(Phase::Upload, || {
            if !fits {
                let before = self.device.take().map(|(_, arena)| arena);
                let stays = |buffer| self.kernel.stays(buffer);
                let mut arena = Arena::new(
                    program,
                    columns,
                    launch,
                    lanes,
                    (rooms, flags),
                    (stays, &own),
                    before.as_ref(),
                );
                let Some(device) = loaded.start(arena.bytes, self.interrupt)? else { return Ok(false) };
                let mut device: Box<dyn DeviceSession> = match program.kernels.len() {
                    0 | 1 => device,
                    _ => Box::new(Batches::new(device)),
                };
                // What is there already stays as it is, so all that may be changed is a copy.
                let is_written = |at: usize| program.buffers[at].written;
                self.own = settle_down(&mut *device, &mut arena, (columns, &own), is_written)?;
                upload(&mut *device, &arena, (columns, &own), launch)?;
                self.stale.fill(None);
                self.device = Some((device, arena));
            } else if let Some((device, arena)) = &mut self.device {
                let effects = &self.kernel.effects[kernel.0 as usize];
                refresh(&mut **device, arena, (columns, effects), launch, &mut self.stale)?;
            }
            Ok::<_, Error>(true)
        })?;
        Ok((!begun).then_some(Outcome::Interrupted))
    }

    /// `None`: there was too little room for what elements defer.
    fn attempt(
        &mut self,
        kernel: KernelId,
        steps: &[Step],
        launch: &Launch<'_>,
        profile: &mut Profile,
    ) -> Result<Option<Outcome>, Error> {
        let CudaKernel { program, logs, effects, logged, .. } = self.kernel;
        let lanes = steps.iter().map(|s| s.blocks as usize * BLOCK as usize).max().unwrap_or_default();
        let jobs = launch.jobs.rounds.iter().flat_map(|r| &r.segments).map(|s| s.jobs.len()).sum();
        let rooms = logs.as_ref().map(|logs| logs.rooms(jobs)).unwrap_or_default();
        let logs = logs.as_ref().filter(|_| !logged[kernel.0 as usize].is_empty());
        if let Some(outcome) = self.prepare(kernel, launch, lanes, &rooms, profile)? {
            return Ok(Some(outcome));
        }
        for buffer in &effects[kernel.0 as usize].writes {
            let at = buffer.0 as usize;
            self.ahead[at] |= layout::comes_down(&program.buffers[at], self.kernel.stays(at));
        }
        let fused = program.kernels[kernel.0 as usize].fused && launch.jobs.rounds.len() == 1;
        let Some((device, arena)) = &mut self.device else {
            return Err(Error::Internal("a launch without a device".into()));
        };
        // A driver that launches more goes on at once, as long as this is over soon.
        let work = (jobs as u64).saturating_mul(launch.ticks);
        let goes_on =
            logs.is_none() && program.kernels.len() > 1 && (launch.ticks == 1 || fused && work <= SMALL);
        if goes_on {
            if self.unseen == 0 {
                self.since = Instant::now();
            }
            self.unseen += 1;
            let (first, end) = (launch.first_tick, launch.first_tick + launch.ticks);
            profile.time(Phase::Kernel, || {
                steps.iter().try_for_each(|step| device.launch(&step.with_ticks(first, end, false)))
            })?;
            if self.interrupt.load(Ordering::Relaxed) {
                return Ok(Some(Outcome::Interrupted));
            }
            let outcome = if self.unseen >= self.slices.next { self.settle(profile)? } else { Outcome::Done };
            return Ok(Some(outcome));
        }
        let mut run = Run {
            device: &mut **device,
            arena,
            store: self.store,
            launch,
            interrupt: self.interrupt,
            ahead: &mut self.ahead,
        };
        let outcome = profile.time(Phase::Kernel, || {
            if let Some(logs) = logs {
                run.logging(steps, logs)
            } else if fused {
                run.fused(steps).map(Some)
            } else {
                run.tick_by_tick(steps).map(Some)
            }
        })?;
        self.unseen = 0;
        Ok(outcome.map(|outcome| self.ended(outcome)))
    }
}

/// What is going on.
struct Run<'a, 'b> {
    device: &'a mut (dyn DeviceSession + 'b),
    arena: &'a Arena,
    store: &'a mut Store,
    launch: &'a Launch<'a>,
    interrupt: &'a AtomicBool,
    ahead: &'a mut [bool],
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
        Ok(last_look(self.device, self.arena, self.store, self.ahead, &[])?.0)
    }

    fn fused(&mut self, steps: &[Step]) -> Result<Outcome, Error> {
        let launch = self.launch;
        let jobs = self.jobs();
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
                let (first, end) = (launch.first_tick + done, launch.first_tick + end);
                self.device.launch(&step.with_ticks(first, end, false))?;
            }
            if end == launch.ticks {
                return self.last_look();
            }
            if let Some(outcome) = self.look()? {
                return Ok(outcome);
            }
            slices.took(end - done, start.elapsed());
            self.tell(end - done);
            done = end;
        }
    }

    fn tick_by_tick(&mut self, steps: &[Step]) -> Result<Outcome, Error> {
        let ticks = self.launch.ticks;
        let graph_ticks = (GRAPH_STEPS / steps.len() as u64).min(GRAPH_TICKS).min(ticks);
        let with_graph = ticks >= GRAPH_FROM && graph_ticks > 1;
        let begin = self.launch.first_tick;
        if with_graph {
            // The graph counts from the clock.
            self.device.put(Arena::CLOCK, begin.to_ne_bytes().to_vec())?;
            let all = (0..graph_ticks).flat_map(|t| steps.iter().map(move |s| s.with_ticks(t, t + 1, true)));
            self.device.record(all.collect(), graph_ticks)?;
        }
        // The clock moves with the graph only, so the graph runs first and the ticks left over after it.
        let replays = if with_graph { ticks / graph_ticks } else { 0 };
        let first = replays * graph_ticks;
        if let Some(outcome) = self.batches((replays, graph_ticks), |device, _| device.replay())? {
            return Ok(outcome);
        }
        let outcome = self.batches((ticks - first, 1), |device, tick| {
            let tick = begin + first + tick;
            steps.iter().try_for_each(|step| device.launch(&step.with_ticks(tick, tick + 1, false)))
        })?;
        outcome.map_or_else(|| self.last_look(), Ok)
    }

    /// A launch for each tick, after which the host does what was deferred. `None`: there was too little room for that.
    fn logging(&mut self, steps: &[Step], logs: &Logs) -> Result<Option<Outcome>, Error> {
        let Launch { first_tick, ticks, .. } = *self.launch;
        for tick in first_tick..first_tick + ticks {
            if self.is_interrupted() {
                return Ok(Some(Outcome::Interrupted));
            }
            for step in steps {
                self.device.launch(&step.with_ticks(tick, tick + 1, false))?;
            }
            if let Some(outcome) = self.look()? {
                return Ok(Some(outcome));
            }
            self.tell(1);
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
        (count, ticks): (u64, u64),
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
            self.tell((end - done) * ticks);
            done = end;
        }
        Ok(None)
    }

    /// So many ticks are done.
    fn tell(&self, ticks: u64) {
        if let Some(progress) = self.launch.progress {
            progress.add(ticks * self.jobs());
        }
    }

    fn jobs(&self) -> u64 {
        let segments = self.launch.jobs.rounds.iter().flat_map(|round| &round.segments);
        segments.map(|segment| segment.jobs.len() as u64).sum()
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
