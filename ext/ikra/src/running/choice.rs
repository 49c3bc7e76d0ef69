//! Which back-end `:auto` takes: what was faster, by the measured pace of the section's earlier runs, copies included.
//!
//! The CPU begins: its code is ready in milliseconds. If the section takes the CPU more than 2 ms, and the copies alone
//! less, code for the GPU is compiled on a thread of its own, one section at a time, which also starts CUDA. The faster
//! one of the last two runs tells what it takes either of them, as the machine may have been busy with something else
//! during one, and the first on a GPU loads the code. A single run on the CPU tells it if it has lasted 50 ms; before
//! that its statements do. A run that has lasted 50 ms when the code for the GPU is ready is stopped as by an interrupt
//! and begins again there. Fewer than 2,048 elements never go there by themselves: one such run could last a hundred
//! times as long. What the GPU cannot do for want of memory the CPU does. What a program will launch nobody knows: it
//! runs on the CPU, and what it has launched is looked at ten times a second, and counts for the next run. It goes to
//! the GPU if even copies of all columns at each launch would take less than the CPU does.

use crate::running::backends;
use ikra_core::backend::Executable;
use ikra_core::backend::cuda::has_driver;
use ikra_core::cancel::CancellationToken;
use ikra_core::ir::Program;
use ikra_core::profile::{Phase, Profile};
use ikra_core::signals;
use ikra_core::threads;
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A run that takes the CPU less than this is not worth a GPU.
const WORTH: f64 = 2e-3;
/// Fewer elements leave most of a GPU idle.
const ENOUGH: u64 = 2_048;
/// What a statement takes on a core, before anything was measured.
const STATEMENT: f64 = 0.7e-9;
/// What a launch and the copies take before the first byte, and a byte each way.
const AROUND: f64 = 40e-6;
const BYTE: f64 = 1.0 / 20e9;
/// So many times more ticks than were measured are another matter.
const OTHER: u64 = 4;
/// A run that has lasted so long on the CPU when the code for the GPU is ready begins again there.
const PATIENCE: Duration = Duration::from_millis(50);
const LOOK: Duration = Duration::from_millis(5);
/// The stack of a thread that compiles.
const STACK: usize = 8 << 20;

/// A run, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Rows of a column.
    pub elements: u64,
    pub ticks: u64,
    /// Elements times ticks, of all launches.
    pub units: f64,
    /// Before and after which columns may have to be copied.
    pub launches: u64,
}

impl Work {
    /// A section that is one parallel call.
    pub fn of_call(elements: u64, ticks: u64) -> Self {
        Self { elements, ticks, units: elements as f64 * ticks as f64, launches: 1 }
    }

    /// A program, by its launches so far.
    pub fn of_program(rows: u64, (launches, work): (u64, u64)) -> Self {
        Self { elements: rows, ticks: 1, units: work as f64, launches }
    }
}

/// Seconds for an element and tick, of the last run and the one before. The machine does other things too, so that what
/// one short run took says little: the faster one of two counts.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    last: Option<f64>,
    before: Option<f64>,
}

impl Pace {
    fn add(self, seconds: f64) -> Self {
        Self { last: Some(seconds), before: self.last }
    }

    /// Seconds that so many units take, if that is known: of one run only if it took as long as no hiccup does.
    fn of(self, units: f64, hiccup: Duration) -> Option<f64> {
        let last = self.last? * units;
        match self.before {
            Some(before) => Some(last.min(before * units)),
            None => (last >= hiccup.as_secs_f64()).then_some(last),
        }
    }
}

/// What is known of a version's runs.
#[derive(Default)]
pub struct Choice {
    cpu: Cell<Pace>,
    /// On the GPU, with all copies; and the ticks of the last run there.
    gpu: Cell<(Pace, u64)>,
    /// The last run of a program: nobody knows what the next one will launch.
    last: Cell<Option<Work>>,
    compilation: RefCell<Option<Arc<Compilation>>>,
}

/// Code for the GPU that is being made, or is there.
pub struct Compilation {
    process: u32,
    /// `None` within: it cannot be.
    done: Mutex<Option<Option<Arc<Executable>>>>,
    /// The run that goes on meanwhile: when it began, and what stops it.
    running: Mutex<Option<(Instant, Arc<AtomicBool>)>>,
}

/// The process in which a thread compiles: one at a time.
static COMPILING: AtomicU32 = AtomicU32::new(0);

/// Are there so many rows that a GPU could be faster?
pub const fn is_enough(rows: u64) -> bool {
    rows >= ENOUGH
}

/// The GPU's back-end. Specs have it emulated.
fn gpu() -> String {
    let emulated = if cfg!(feature = "testing") { std::env::var("IKRA_TEST_AUTO").ok() } else { None };
    emulated.unwrap_or_else(|| "cuda".into())
}

/// Do elements of sections for this back-end run on the CPU for sure? Those of `auto` do where there is no GPU's driver.
pub fn is_for_cpu(backend: &str) -> bool {
    match backend {
        "cpu" => true,
        "auto" => gpu() == "cuda" && !has_driver(),
        _ => false,
    }
}

impl Choice {
    /// As [`Self::on_gpu`], by what a program did last.
    pub fn program_on_gpu(&self, program: &Arc<Program>) -> Option<Arc<Executable>> {
        self.on_gpu(program, self.last.get()?)
    }

    /// A program has run on the CPU since then, and has come so far: code for the GPU is made, or takes over where it is
    /// there.
    pub fn consider(
        &self,
        program: &Arc<Program>,
        work: Work,
        took: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Running {
        self.last.set(Some(work));
        if work.units > 0.0 {
            let pace = Some(took.as_secs_f64() / work.units);
            self.cpu.set(Pace { last: pace, before: pace });
        }
        if self.on_gpu(program, work).is_some() {
            stop.store(true, Ordering::Relaxed);
            return Running(self.compilation.borrow().clone());
        }
        self.running(work, stop)
    }

    /// The code for the GPU, if it is to run this.
    pub fn on_gpu(&self, program: &Arc<Program>, work: Work) -> Option<Arc<Executable>> {
        if !self.is_for_gpu(program, work) {
            return None;
        }
        let mut compilation = self.compilation.borrow_mut();
        match &*compilation {
            Some(compilation) => compilation.executable(),
            None => {
                *compilation = Compilation::begin(program, work.ticks);
                None
            }
        }
    }

    /// Is the GPU faster, or may it be, as far as is known?
    fn is_for_gpu(&self, program: &Program, work: Work) -> bool {
        if work.elements < ENOUGH {
            return false;
        }
        let cpu = match self.cpu.get().of(work.units, PATIENCE) {
            Some(seconds) => seconds,
            None => program.weight() as f64 * STATEMENT * work.units / threads::count() as f64,
        };
        let bytes = program.buffers.len() as f64 * 8.0 * work.elements as f64;
        // A first run there, however long, has loaded the code and claimed the memory.
        let gpu = self.gpu_pace(work).of(work.units, Duration::MAX);
        // Unknown: at least its copies take their time.
        let gpu = gpu.unwrap_or(work.launches as f64 * bytes * BYTE);
        cpu >= WORTH && cpu >= work.launches as f64 * AROUND + gpu
    }

    /// What runs of so many ticks have taken on the GPU.
    fn gpu_pace(&self, work: Work) -> Pace {
        let (pace, ticks) = self.gpu.get();
        if work.ticks / OTHER <= ticks && ticks / OTHER <= work.ticks { pace } else { Pace::default() }
    }

    /// What was measured of a run; `profile` has nothing else in these phases.
    pub fn learn(&self, on_gpu: bool, work: Work, profile: &Profile) {
        let phases = [Phase::Upload, Phase::Kernel, Phase::Download];
        let seconds: f64 = phases.into_iter().map(|phase| profile.seconds(phase)).sum();
        if work.units == 0.0 {
            return;
        }
        self.last.set(Some(work));
        let around = work.launches as f64 * AROUND;
        match on_gpu {
            true => {
                let pace = self.gpu_pace(work).add((seconds - around).max(1e-9) / work.units);
                self.gpu.set((pace, work.ticks));
            }
            false => self.cpu.set(self.cpu.get().add(seconds / work.units)),
        }
    }

    /// The GPU is of no use for it.
    pub fn give_up(&self) {
        let done = Mutex::new(Some(None));
        let process = std::process::id();
        *self.compilation.borrow_mut() =
            Some(Arc::new(Compilation { process, done, running: Mutex::new(None) }));
    }

    /// As long as this is there, a run goes on that is stopped when there is code for the GPU.
    pub fn running(&self, work: Work, stop: &Arc<AtomicBool>) -> Running {
        let compilation = self.compilation.borrow().clone();
        let compilation = compilation.filter(|compilation| {
            work.elements >= ENOUGH && compilation.is_of_this_process() && compilation.done.lock().is_none()
        });
        if let Some(compilation) = &compilation {
            *compilation.running.lock() = Some((Instant::now(), stop.clone()));
        }
        Running(compilation)
    }
}

/// See [`Choice::running`].
pub struct Running(Option<Arc<Compilation>>);

impl Running {
    /// Has it been stopped because there is code for the GPU now?
    pub fn is_overtaken(&self) -> bool {
        self.0.as_ref().is_some_and(|compilation| compilation.executable().is_some())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(compilation) = &self.0 {
            *compilation.running.lock() = None;
        }
    }
}

impl Compilation {
    /// Begins to compile, if nothing else is being compiled so, and there may be a GPU.
    fn begin(program: &Arc<Program>, ticks: u64) -> Option<Arc<Self>> {
        let process = std::process::id();
        let one = COMPILING.load(Ordering::Relaxed);
        let free = one != process
            && COMPILING.compare_exchange(one, process, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        if !free {
            return None;
        }
        let compilation = Arc::new(Self { process, done: Mutex::new(None), running: Mutex::new(None) });
        let (mine, program) = (compilation.clone(), program.clone());
        let compile = move || {
            signals::block();
            // Starts CUDA too, where that has not been done.
            let executable = backends::named(&gpu()).ok().and_then(|backend| {
                let token = CancellationToken::default();
                Executable::new(&*backend, &program, ticks, &token, &mut Profile::default()).ok()
            });
            COMPILING.store(0, Ordering::SeqCst);
            let is_there = executable.is_some();
            *mine.done.lock() = Some(executable.map(Arc::new));
            // Runs that began meanwhile.
            while is_there && mine.overtake() {
                thread::sleep(LOOK);
            }
        };
        let thread = thread::Builder::new().name("ikra-gpu".into()).stack_size(STACK).spawn(compile);
        if thread.is_err() {
            COMPILING.store(0, Ordering::SeqCst);
        }
        thread.ok().map(|_| compilation)
    }

    /// Stops the run that goes on, if it has lasted long enough; true if that may come.
    fn overtake(&self) -> bool {
        let running = self.running.lock();
        let Some((since, stop)) = &*running else { return false };
        let is_long = since.elapsed() >= PATIENCE;
        if is_long {
            stop.store(true, Ordering::Relaxed);
        }
        !is_long
    }

    fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }

    fn executable(&self) -> Option<Arc<Executable>> {
        // In a forked child the locks may be held by threads that are not there, and a GPU cannot be used.
        if !self.is_of_this_process() {
            return None;
        }
        self.done.lock().clone().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(milliseconds: f64) -> Profile {
        let mut profile = Profile::default();
        profile.add(Phase::Kernel, Duration::from_secs_f64(milliseconds * 1e-3));
        profile
    }

    #[test]
    fn what_was_faster_is_taken() {
        let (program, work) = (Program::default(), Work::of_call(1_000_000, 1));
        let choice = Choice::default();
        // Nothing is known, and it does nothing.
        assert!(!choice.is_for_gpu(&program, work));
        choice.learn(false, work, &took(30.0));
        // The machine may have been busy with something else.
        assert!(!choice.is_for_gpu(&program, work));
        choice.learn(false, work, &took(1.0));
        choice.learn(false, work, &took(30.0));
        assert!(!choice.is_for_gpu(&program, work));
        choice.learn(false, work, &took(30.0));
        assert!(choice.is_for_gpu(&program, work));
        assert!(!choice.is_for_gpu(&program, Work::of_call(1_000, 1_000_000)));
        assert!(!choice.is_for_gpu(&program, Work::of_call(20_000, 1)));
        choice.learn(true, work, &took(3.0));
        assert!(choice.is_for_gpu(&program, work));
        choice.learn(true, work, &took(40.0));
        assert!(choice.is_for_gpu(&program, work));
        choice.learn(true, work, &took(40.0));
        assert!(!choice.is_for_gpu(&program, work));
        // What many ticks take, one does not tell.
        assert!(choice.is_for_gpu(&program, Work::of_call(1_000_000, 100)));
        choice.learn(false, work, &took(50.0));
        choice.learn(false, work, &took(50.0));
        assert!(choice.is_for_gpu(&program, work));
    }

    #[test]
    fn a_program_goes_there_if_its_launches_are_long() {
        let (program, choice) = (Program::default(), Choice::default());
        let work = |launches| Work::of_program(100_000, (launches, 10_000_000));
        choice.learn(false, work(100), &took(50.0));
        assert!(choice.is_for_gpu(&program, work(100)));
        // What waits for the GPU at each turn.
        assert!(!choice.is_for_gpu(&program, work(10_000)));
        assert!(!choice.is_for_gpu(&program, Work::of_program(1_000, (100, 10_000_000))));
        choice.learn(true, work(100), &took(500.0));
        assert!(choice.is_for_gpu(&program, work(100)));
        choice.learn(true, work(100), &took(500.0));
        assert!(!choice.is_for_gpu(&program, work(100)));
    }
}
