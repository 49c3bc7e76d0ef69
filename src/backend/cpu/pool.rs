//! Runs compiled code over all jobs on all cores.
//!
//! Elements are independent within a round, so a launch is cut into tasks, ranges of jobs of one entry; a task calls
//! the machine code in steps of about [`STEP`], between which it looks whether to stop. A program whose ticks are
//! fused runs all ticks of its jobs in such steps, with the state between steps in the columns.

use super::deferred::Pending;
use super::loop_order::{LoopOrder, Tuning};
use super::runtime::{BROKEN, DONE, EntryFn, INTERRUPTED, ThreadState};
use super::{Code, EntryCode, internal};
use crate::backend::{Failure, Launch, Outcome, Texts};
use crate::error::Error;
use crate::fallible;
use crate::faults;
use crate::heap::job_order::Round;
use crate::heap::{Column, Printed};
use crate::ir::{BufferInfo, BufferKind, ErrorKind, KernelId, Program, ScalarSource, Site, SiteId};
use crate::progress::Progress;
use crate::regexp::asking::{self, Ask, Asking};
use crate::threads::{self, Together};
use parking_lot::Mutex;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a step should take: short for Ctrl-C, long for the cost of a call.
pub const STEP: Duration = Duration::from_millis(10);
/// Work that takes less than this is done by the calling thread alone: waking others takes as long.
const ALONE: Duration = Duration::from_micros(40);
/// The same, in jobs times ticks, while nothing is known of a program's speed.
const ALONE_UNKNOWN: u64 = 2_000;
/// What a thread does alone may take so long; then the rest goes to all of them.
const PATIENCE: Duration = Duration::from_micros(100);
/// Jobs on which to try which order of an entry is faster, and how many it takes to believe it of other runs too.
const TRIAL_JOBS: u64 = 256;
const ENOUGH_JOBS: u64 = 16;
/// What a trial should take, and how many there are of each order.
const TRIAL: Duration = Duration::from_micros(50);
const TRIALS: u64 = 3;
/// Tasks for each thread, so that the slow ones even out.
const TASKS: usize = 8;
/// Elements of a task that defers: what they write down should still be in a cache when it is read.
const DEFERRING: usize = 16 << 10;
/// Tasks begin at multiples of this many jobs: neighbours' columns share no cache lines.
const GRAIN: usize = 16;

/// Words of scratch memory that a thread has at least, and keeps. Only what is used becomes memory, so it has far more than
/// is asked for at first: what does not suffice makes the whole section begin again.
const SCRATCH: usize = 1 << 18;

thread_local! {
    static KEPT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The scratch memory of a thread, while it does a task. Elements write what they read of it, so it is not cleared.
struct Scratch(Vec<u64>);

impl Scratch {
    /// So many words, or more; `None` where there are not that many.
    fn new(words: usize) -> Option<Self> {
        let kept = KEPT.take();
        if kept.len() >= words.max(1) {
            return Some(Self(kept));
        }
        let unset = fallible::unset;
        unset(words.max(SCRATCH)).or_else(|_| unset(words)).ok().map(Self)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.0.len() <= SCRATCH {
            KEPT.set(std::mem::take(&mut self.0));
        }
    }
}

/// What a program asks for that makes arrays or objects.
#[derive(Clone, Copy)]
struct ScratchNeeded {
    words: usize,
    /// Which arguments are its address and its words.
    address: usize,
    length: Option<usize>,
}

/// Jobs of one entry.
#[derive(Clone)]
struct Task<'a> {
    code: EntryCode,
    tuning: &'a Tuning,
    jobs: Range<u64>,
    /// In the order of the rounds of a tick.
    number: usize,
}

struct LaunchState<'a> {
    args: Vec<u64>,
    scratch: Option<ScratchNeeded>,
    order: Option<&'a [i32]>,
    seed: u64,
    call: u64,
    interrupt: &'a AtomicBool,
    progress: Option<&'a Progress>,
    /// Seen the interrupt.
    stopped: AtomicBool,
    /// A thread could not have its scratch memory.
    no_memory: AtomicBool,
    /// Seen a program that does not do what its form promises.
    broken: AtomicBool,
    /// Lowest tick at which an element failed: no one needs to run later ticks.
    failed_tick: AtomicU64,
    failure: Mutex<Option<Failure>>,
    /// Elements that run in order end with the first that fails: those behind it would never have run.
    in_order: bool,
    /// Two elements conflict. Which failures there are says nothing then.
    conflict: AtomicBool,
    sites: &'a [Site],
    /// What elements defer, where they do.
    pending: Option<Pending<'a>>,
    /// Tasks are in the order of their elements.
    sorted: bool,
    /// Tasks print into others like this one, which are there when they are done.
    print_to: Printed,
    printed: Mutex<Vec<Printed>>,
    /// What one thread has begun alone may be gone on with by all.
    spreads: bool,
    /// Work of unknown speed that one thread begins alone.
    unknown: u64,
    /// It recurses.
    deep: bool,
    /// Whom its threads may ask.
    ask: Option<Arc<dyn Ask>>,
}

pub fn run(
    (program, kernel): (&Program, KernelId),
    code: &Code,
    (columns, printed): (&mut [Column], &mut Printed),
    (launch, interrupt): (&Launch<'_>, &AtomicBool),
) -> Result<Outcome, Error> {
    launch.check(program, kernel, columns)?;
    let code = CodeOf { code, first: program.first_entry(kernel) };
    faults::point("starting a run")?;
    let jobs = match launch.jobs.first {
        0 => Cow::Borrowed(launch.jobs),
        _ => Cow::Owned(launch.jobs.numbered()?),
    };
    // What has a row for each element begins with the first.
    let address = |(column, info): (&mut Column, &BufferInfo)| {
        let before = if info.kind.is_by_element() { jobs.first * info.ty.bytes() } else { 0 };
        column.as_mut_ptr().wrapping_byte_sub(before) as usize as u64
    };
    let mut args: Vec<u64> = columns.iter_mut().zip(&program.buffers).map(address).collect();
    args.extend_from_slice(launch.scalars);
    let scratch = program.buffers.iter().position(|b| b.kind == BufferKind::Scratch);
    let length = program.scalars.iter().position(|s| s.source == ScalarSource::ScratchWords);
    let ask = asking::current();
    let of_one = ask.as_ref().is_some_and(|ask| ask.is_of_one());
    let mut run = LaunchState {
        scratch: scratch.map(|address| ScratchNeeded {
            words: columns[address].len(),
            address,
            length: length.map(|scalar| columns.len() + scalar),
        }),
        args,
        order: jobs.order.as_deref(),
        seed: launch.seed,
        call: launch.call,
        interrupt,
        progress: launch.progress,
        stopped: AtomicBool::new(false),
        no_memory: AtomicBool::new(false),
        broken: AtomicBool::new(false),
        failed_tick: AtomicU64::new(u64::MAX),
        failure: Mutex::new(None),
        in_order: launch.jobs.in_order,
        conflict: AtomicBool::new(false),
        sites: &program.sites,
        pending: None,
        print_to: printed.to_come(),
        printed: Mutex::new(Vec::new()),
        sorted: launch.jobs.order.is_none() && launch.jobs.rounds.len() <= 1,
        // What is deferred has been divided among threads before.
        spreads: !launch.jobs.in_order && !of_one && code.deferred.is_empty() && threads::count() > 1,
        unknown: if code.deferred.is_empty() { ALONE_UNKNOWN } else { 0 },
        deep: code.deep,
        ask,
    };
    let rounds = &jobs.rounds;
    let fused = program.kernels[kernel.0 as usize].fused && rounds.len() <= 1;
    let ticks_of_run = launch.first_tick..launch.first_tick + launch.ticks;
    // What is not fused goes round by round: the largest decides.
    let ticks = if fused { launch.ticks } else { 1 };
    let split = !launch.jobs.in_order && !of_one && is_split();
    let small = |round| is_small(&tasks(&code, round, 1), ticks, run.unknown);
    let alone = launch.jobs.in_order || of_one || !split && rounds.iter().all(small);
    // A panic here is a bug of ours, but must not unwind into Ruby.
    let width = if alone { 1 } else { threads::pool(code.deep)?.current_num_threads() };
    if !code.deferred.is_empty() {
        run.pending = Some(Pending::new(&code.deferred, width, &code.spare));
    }
    catch_unwind(AssertUnwindSafe(|| {
        if alone && (!code.deep || threads::has_large_stack()) {
            run.rounds(&code, rounds, &ticks_of_run, fused, 1);
            return Ok::<_, Error>(());
        }
        let pool = threads::pool(code.deep)?;
        pool.install(|| run.rounds(&code, rounds, &ticks_of_run, fused, width));
        Ok(())
    }))
    .map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        internal(text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default())
    })??;
    if run.broken.into_inner() {
        return Err(internal("an entry ran more ticks than it was called for"));
    }
    if run.no_memory.into_inner() {
        return Err(Error::Memory(run.scratch.map_or(0, |scratch| scratch.words * 8)));
    }
    if run.conflict.into_inner() {
        return Ok(Outcome::Conflict);
    }
    if run.stopped.into_inner() {
        return Ok(Outcome::Interrupted);
    }
    if run.pending.is_some() && run.failure.lock().is_some() {
        // What was deferred may have failed before.
        return Ok(Outcome::Conflict);
    }
    let mut failure = run.failure.into_inner();
    if let Some(failure) = &mut failure {
        failure.element -= jobs.first as u32;
    }
    put_together(printed, &run.printed.into_inner(), failure.as_ref())?;
    Ok(failure.map_or(Outcome::Done, Outcome::Failed))
}

/// What tasks have printed comes behind what there is. Behind the first failure nothing would have been printed.
fn put_together(printed: &mut Printed, tasks: &[Printed], failure: Option<&Failure>) -> Result<(), Error> {
    let from = printed.len();
    if !printed.append(tasks) {
        return Err(Error::Memory(0));
    }
    if let Some(failure) = failure {
        printed.cut(from, (failure.tick, failure.element));
    }
    Ok(())
}

impl LaunchState<'_> {
    fn over(&self) -> bool {
        if let Some(ask) = &self.ask {
            ask.look();
        }
        if self.interrupt.load(Ordering::Relaxed) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        let failed = self.in_order && self.failed_tick.load(Ordering::Relaxed) != u64::MAX;
        failed || self.stopped.load(Ordering::Relaxed) || self.broken.load(Ordering::Relaxed)
    }

    fn rounds(&self, code: &CodeOf<'_>, rounds: &[Round], ticks: &Range<u64>, fused: bool, width: usize) {
        if fused {
            if let Some(round) = rounds.first() {
                self.round(&tasks(code, round, width), ticks.clone(), width);
            }
            return;
        }
        let mut rounds: Vec<_> = rounds.iter().map(|round| tasks(code, round, width)).collect();
        rounds.iter_mut().flatten().enumerate().for_each(|(number, task)| task.number = number);
        for tick in ticks.clone() {
            for tasks in &rounds {
                // What was deferred is done as early as its order is known.
                let size = if self.pending.is_some() && self.sorted { width * TASKS } else { tasks.len() };
                for tasks in tasks.chunks(size.max(1)) {
                    self.round(tasks, tick..tick + 1, width);
                    if self.sorted {
                        self.call_deferred(tick, width);
                    }
                }
            }
            self.call_deferred(tick, width);
            // Later rounds of this tick may hold elements that come earlier in the base.
            if self.over() || self.failed_tick.load(Ordering::Relaxed) != u64::MAX {
                return;
            }
        }
    }

    fn round(&self, tasks: &[Task<'_>], ticks: Range<u64>, width: usize) {
        let small = is_small(tasks, ticks.end - ticks.start, self.unknown) && !is_split();
        if width > 1 && tasks.len() > 1 && !small {
            return self.at_once(tasks, &ticks);
        }
        if !self.spreads {
            return tasks.iter().for_each(|task| {
                self.task(task, &ticks, None);
            });
        }
        if width == 1 && !small {
            // Its speed has been learned since the launch began.
            return self.spread(tasks.to_vec(), &ticks);
        }
        let mut patience = PATIENCE;
        for (number, task) in tasks.iter().enumerate() {
            if let Some(job) = self.task(task, &ticks, Some(&mut patience)) {
                let begun = Task { jobs: job..task.jobs.end, ..task.clone() };
                let rest = std::iter::once(begun).chain(tasks[number + 1..].iter().cloned());
                return self.spread(rest.collect(), &ticks);
            }
        }
    }

    fn at_once(&self, tasks: &[Task<'_>], ticks: &Range<u64>) {
        let together = Together::new();
        tasks.par_iter().with_max_len(1).for_each(|task| {
            together.begin();
            self.task(task, ticks, None);
        });
    }

    /// Cuts tasks for all threads, and has these do them.
    fn spread(&self, tasks: Vec<Task<'_>>, ticks: &Range<u64>) {
        let total: u64 = tasks.iter().map(|task| task.jobs.end - task.jobs.start).sum();
        let size = task_size(total as usize, threads::count());
        let pieces: Vec<_> = tasks.iter().flat_map(|task| task.pieces(size)).collect();
        match threads::pool(self.deep) {
            Ok(pool) => pool.install(|| self.at_once(&pieces, ticks)),
            // There are none: this thread does it.
            Err(_) => pieces.iter().for_each(|task| {
                self.task(task, ticks, None);
            }),
        }
    }

    /// Makes the calls that elements have deferred until now. There is no need to where an element has failed.
    fn call_deferred(&self, tick: u64, width: usize) {
        let Some(pending) = &self.pending else { return };
        let logs = pending.take();
        let failed = self.failed_tick.load(Ordering::Relaxed) != u64::MAX;
        let Some(logs) = logs else { return self.conflict() };
        if !self.over() && !failed && !logs.is_empty() {
            let call = |partition: usize| {
                let _asking = Asking::begin(self.ask.clone());
                pending.call(&logs, partition, self.sorted, (&self.args, tick, self.interrupt))
            };
            let done = match width > 1 && (pending.are_many(&logs) || is_split()) {
                true => (0..pending.partitions()).into_par_iter().map(call).reduce(|| true, |a, b| a && b),
                false => (0..pending.partitions()).all(call),
            };
            if !done {
                self.conflict();
            }
        }
        pending.give_back(logs);
    }

    /// What has been computed says nothing.
    fn conflict(&self) {
        self.conflict.store(true, Ordering::Relaxed);
        // What loops until another element writes something has to end too.
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Does the task; a thread that is alone only as far as its patience goes, which is what it still may take: gives the
    /// first job that is left.
    fn task(&self, task: &Task<'_>, ticks: &Range<u64>, patience: Option<&mut Duration>) -> Option<u64> {
        let mut printed = self.print_to.to_come();
        let _asking = Asking::begin(self.ask.clone());
        let mut state = ThreadState::new(self.seed, self.call, self.interrupt);
        state.printed = &raw mut printed;
        let rest = match &self.pending {
            None => self.elements(task, ticks, state, patience),
            Some(pending) => {
                let mut log = pending.log();
                state.log = &raw mut log;
                let rest = self.elements(task, ticks, state, patience);
                pending.add(task.number, log);
                rest
            }
        };
        if !printed.is_empty() {
            self.printed.lock().push(printed);
        }
        rest
    }

    fn elements(
        &self,
        task: &Task<'_>,
        ticks: &Range<u64>,
        mut state: ThreadState,
        patience: Option<&mut Duration>,
    ) -> Option<u64> {
        if let Err(error) = faults::point("a task") {
            // A thread of the pool has no other way to fail.
            panic!("{error}");
        }
        let mut args = self.args.clone();
        let mut scratch: Scratch;
        if let Some(ScratchNeeded { words, address, length }) = self.scratch {
            let Some(memory) = Scratch::new(words) else {
                self.no_memory.store(true, Ordering::Relaxed);
                self.stopped.store(true, Ordering::Relaxed);
                return None;
            };
            scratch = memory;
            args[address] = scratch.0.as_mut_ptr() as usize as u64;
            if let Some(length) = length {
                args[length] = scratch.0.len() as u64;
            }
        }
        let args = &args[..];
        let length = ticks.end - ticks.start;
        let mut job = task.jobs.start;
        // Work and time that were measured in pieces, some of which are too small to learn from.
        let mut measured = (0, Duration::ZERO);
        // A thread that is alone begins with few jobs, to see what they take.
        let mut few = match (&patience, task.tuning.throughput.picoseconds()) {
            (None, _) => u64::MAX,
            (Some(_), Some(_)) => ((task.jobs.end - job) / 4).max(1),
            (Some(_), None) => 1,
        };
        let learn = |(work, time)| {
            if work > 0 {
                task.tuning.throughput.learn(work, time);
            }
        };
        while job < task.jobs.end {
            let mut tick = ticks.start;
            let end = task.jobs.end.min(job.saturating_add(few));
            let (order, to) = match task.tuning.order(task.code, length) {
                Some(order) => (order, end.min(job.saturating_add(task.tuning.jobs(order, length)))),
                None => {
                    let to = end.min(job + TRIAL_JOBS);
                    (self.try_forms(task, args, job..to, &mut tick, ticks.end, &mut state), to)
                }
            };
            while tick < self.limit(ticks.end) {
                if self.over() {
                    return None;
                }
                let part = task.tuning.throughput.work_in(STEP).map_or(64, |work| (work / (to - job)).max(1));
                // Another thread may have failed in an earlier tick just now.
                let until = self.limit(ticks.end).min(tick.saturating_add(part)).max(tick);
                let time = self.step(task, args, order, job..to, tick..until, &mut state);
                let work = (to - job).saturating_mul(until - tick);
                if let Some(progress) = self.progress {
                    progress.add(work);
                }
                match patience {
                    None => learn((work, time)),
                    Some(_) => measured = (measured.0 + work, measured.1 + time),
                }
                tick = until;
            }
            job = to;
            few = few.saturating_mul(4);
            if job < task.jobs.end && patience.as_ref().is_some_and(|patience| measured.1 > **patience) {
                learn(measured);
                return Some(job);
            }
        }
        if let Some(patience) = patience {
            *patience = patience.saturating_sub(measured.1);
        }
        learn(measured);
        None
    }

    /// No one needs to go beyond the tick of a failure.
    fn limit(&self, end: u64) -> u64 {
        end.min(self.failed_tick.load(Ordering::Relaxed).saturating_add(1))
    }

    /// Runs the first ticks of some jobs in both forms and says which was faster.
    fn try_forms(
        &self,
        task: &Task<'_>,
        args: &[u64],
        jobs: Range<u64>,
        tick: &mut u64,
        end: u64,
        state: &mut ThreadState,
    ) -> LoopOrder {
        let mut run = |order, ticks: u64, tick: &mut u64| {
            let until = self.limit(end).min(tick.saturating_add(ticks)).max(*tick);
            let time = self.step(task, args, order, jobs.clone(), *tick..until, state);
            let work = (jobs.end - jobs.start).saturating_mul(until - *tick);
            if work >= ENOUGH_JOBS {
                task.tuning.throughput.learn(work, time);
            }
            *tick = until;
            time
        };
        let first = run(LoopOrder::TickMajor, 1, tick);
        let picoseconds = (first.as_nanos() as u64 * 1_000).max(1);
        // No tick at all: so slow ones do not overlap with those of the next job.
        let ticks = (TRIAL.as_nanos() as u64 * 1_000 / picoseconds).min((end - *tick) / (8 * TRIALS));
        let mut best = [Duration::MAX; 2];
        if ticks > 0 {
            for _ in 0..TRIALS {
                for (order, best) in
                    [LoopOrder::TickMajor, LoopOrder::ElementMajor].into_iter().zip(&mut best)
                {
                    if self.over() {
                        return order;
                    }
                    *best = (*best).min(run(order, ticks, tick));
                }
            }
        }
        let order = if best[0] < best[1] { LoopOrder::TickMajor } else { LoopOrder::ElementMajor };
        if jobs.end - jobs.start >= ENOUGH_JOBS {
            task.tuning.choose(order);
        }
        order
    }

    /// Runs some ticks of some jobs; goes on behind jobs that fail.
    fn step(
        &self,
        task: &Task<'_>,
        args: &[u64],
        order: LoopOrder,
        jobs: Range<u64>,
        ticks: Range<u64>,
        state: &mut ThreadState,
    ) -> Duration {
        let start = Instant::now();
        match (order, task.code.element_major) {
            (LoopOrder::ElementMajor, Some(many)) => self.call(many, args, jobs, ticks, state),
            _ => {
                for tick in ticks {
                    self.call(task.code.tick_major, args, jobs.clone(), tick..tick + 1, state);
                    if tick >= self.failed_tick.load(Ordering::Relaxed) {
                        break;
                    }
                }
            }
        }
        start.elapsed()
    }

    fn call(
        &self,
        entry: EntryFn,
        args: &[u64],
        jobs: Range<u64>,
        ticks: Range<u64>,
        state: &mut ThreadState,
    ) {
        let order = self.order.map_or(std::ptr::null(), <[i32]>::as_ptr);
        let (mut job, mut end) = (jobs.start, ticks.end);
        while job < jobs.end {
            // SAFETY: `Launch::check` has seen that buffers, scalars and jobs are those of the program; the columns outlive
            // the run, and no two jobs of a round touch the same written row (as none is written in another, or as they
            // are watched, or run in order); that indexes
            // are in range is what the verified program promises. The state is this thread's own.
            let result =
                unsafe { entry(args.as_ptr(), order, job, jobs.end, ticks.start as i64, end as i64, state) };
            match result {
                DONE => return,
                INTERRUPTED => return self.stopped.store(true, Ordering::Relaxed),
                BROKEN => return self.broken.store(true, Ordering::Relaxed),
                failed => {
                    job = failed;
                    let tick = state.tick as u64;
                    let site = &self.sites[state.site as usize];
                    if matches!(site.error, ErrorKind::Race { .. }) && !self.in_order {
                        return self.conflict();
                    }
                    end = end.min(tick.saturating_add(1));
                    let failure = Failure {
                        site: SiteId(state.site),
                        element: state.element,
                        kernel: None,
                        tick,
                        operands: state.operands,
                        path: std::mem::take(&mut state.path),
                        texts: Texts::default(),
                        memory: Vec::new(),
                    };
                    // A thread may have more of it than is asked for.
                    let memory = self.scratch.map(|ScratchNeeded { words, address, length }| {
                        (args[address] as usize, length.map_or(words, |length| args[length] as usize))
                    });
                    let memory = memory.map_or(&[][..], |(first, words)| {
                        // SAFETY: `run_task` has put the address of that many words there, which this thread owns; the
                        // machine code that wrote them has ended.
                        unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(first), words) }
                    });
                    self.failed(failure.with_memory(&site.error, memory));
                    if self.in_order {
                        return;
                    }
                }
            }
        }
    }

    fn failed(&self, failure: Failure) {
        self.failed_tick.fetch_min(failure.tick, Ordering::Relaxed);
        let mut first = self.failure.lock();
        let earlier = first.as_ref().is_none_or(|f| (failure.tick, failure.element) < (f.tick, f.element));
        if earlier {
            *first = Some(failure);
        }
    }
}

/// Tests have each element be a task, so that a few run at the same time.
fn is_split() -> bool {
    cfg!(feature = "testing") && std::env::var_os("IKRA_TEST_SPLIT").is_some()
}

/// Should one thread do it alone, or so much work of unknown speed?
fn is_small(tasks: &[Task<'_>], ticks: u64, most_unknown: u64) -> bool {
    let (mut time, mut unknown) = (0, 0u64);
    for task in tasks {
        let work = (task.jobs.end - task.jobs.start).saturating_mul(ticks);
        match task.tuning.throughput.picoseconds() {
            Some(picoseconds) => time += u128::from(work) * u128::from(picoseconds),
            None => unknown = unknown.saturating_add(work),
        }
    }
    time / 1_000 <= ALONE.as_nanos() && unknown <= most_unknown
}

/// Jobs of a task, where so many are cut for so many threads.
fn task_size(jobs: usize, width: usize) -> usize {
    if is_split() {
        return 1;
    }
    let size = jobs.div_ceil(width * TASKS).max(1);
    if size > GRAIN { size.next_multiple_of(GRAIN) } else { size }
}

impl<'a> Task<'a> {
    /// Tasks of so many jobs each.
    fn pieces(&self, size: usize) -> impl Iterator<Item = Task<'a>> {
        let Range { start, end } = self.jobs;
        let starts = (start..end).step_by(size);
        starts.map(move |start| Task { jobs: start..end.min(start + size as u64), ..self.clone() })
    }
}

/// The code of a kernel: its entries are those from `first` on.
struct CodeOf<'a> {
    code: &'a Code,
    first: usize,
}

impl<'a> std::ops::Deref for CodeOf<'a> {
    type Target = &'a Code;

    fn deref(&self) -> &&'a Code {
        &self.code
    }
}

/// Cuts a round for `width` threads.
fn tasks<'a>(code: &CodeOf<'a>, round: &Round, width: usize) -> Vec<Task<'a>> {
    let total: usize = round.segments.iter().map(|segment| segment.jobs.len()).sum();
    let size = if width == 1 { total.max(1) } else { task_size(total, width) };
    let size = if code.deferred.is_empty() { size } else { size.min(DEFERRING) };
    let mut tasks = Vec::new();
    for segment in &round.segments {
        let number = code.first + segment.entry;
        let (entry, tuning) = (code.entries[number], &code.tunings[number]);
        let jobs = segment.jobs.start as u64..segment.jobs.end as u64;
        tasks.extend(Task { code: entry, tuning, jobs, number: 0 }.pieces(size));
    }
    tasks
}
