//! What runs ask Ruby for: `Ikra::Asked` (`lib/ikra/asked.rb`) answers, on the thread that holds the GVL.

use crate::vm::errors::Trouble;
use crate::vm::gvl::{self, Asker};
use ikra_core::heap::Store;
use ikra_core::profile::Profile;
use ikra_core::regexp::INTERPOLATED;
use ikra_core::regexp::asking::{Answer, Ask, Asking, Question};
use ikra_core::signals;
use ikra_core::string_layout::Encoding;
use magnus::prelude::*;
use magnus::{Error, RModule, RString, Ruby};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a run wants of the thread that waits for it: what is to be done at the sync of a number, and answers.
pub enum Wish {
    Sync(u32, Store),
    Answer(Question<'static>),
}

pub enum Granted {
    Synced(Store),
    Answered(Answer),
}

/// Hands questions to that thread.
pub struct Questions(pub Arc<Asker<Wish, Granted>>);

impl Ask for Questions {
    fn ask(&self, question: Question<'_>) -> Option<Answer> {
        // SAFETY: the thread that answers looks at it while this one waits for the answer, and never again.
        let question = unsafe { std::mem::transmute::<Question<'_>, Question<'static>>(question) };
        match self.0.ask(Wish::Answer(question))? {
            Granted::Answered(answer) => Some(answer),
            Granted::Synced(_) => None,
        }
    }

    fn is_of_one(&self) -> bool {
        false
    }

    fn look(&self) {}
}

/// The thread that runs alone and holds the GVL, as a loop in Ruby would: it answers itself, which costs a tenth of what
/// another thread's answer costs.
pub struct Here {
    interrupt: Arc<AtomicBool>,
    pub cost: Cost,
    /// It is alive: it has asked, or looked whether Ruby wants something.
    beats: AtomicU64,
    /// It has had no answer: what the run gives is nothing.
    unanswered: AtomicBool,
    /// It has held the GVL for long.
    long: AtomicBool,
    /// It has ended.
    done: AtomicBool,
}

impl Here {
    pub fn new(interrupt: &Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self {
            interrupt: Arc::clone(interrupt),
            cost: Cost::default(),
            beats: AtomicU64::new(0),
            unanswered: AtomicBool::new(false),
            long: AtomicBool::new(false),
            done: AtomicBool::new(false),
        })
    }

    /// Runs `work` so. One that holds the GVL for long without asking anything is stopped: `None`, as for one that had no
    /// answer.
    pub fn run<T>(self: &Arc<Self>, ruby: &Ruby, work: impl FnOnce() -> T) -> Option<std::thread::Result<T>> {
        // It waits for nobody, and nobody for it: a child that is forked meanwhile does not have it.
        let watched = Arc::clone(self);
        let watchdog = std::thread::Builder::new().spawn(move || watched.watch());
        if watchdog.is_err() {
            self.give_up();
        }
        let ended = gvl::holding(ruby, &self.interrupt, || {
            let _asking = Asking::begin(Some(Arc::clone(self) as Arc<dyn Ask>));
            work()
        });
        self.done.store(true, Ordering::Relaxed);
        if let Ok(watchdog) = watchdog {
            watchdog.thread().unpark();
        }
        (!self.unanswered.load(Ordering::Relaxed)).then_some(ended)
    }

    /// Stops it once it has not been alive for long.
    fn watch(&self) {
        signals::block();
        let mut seen = u64::MAX;
        while !self.done.load(Ordering::Relaxed) {
            let beats = self.beats.load(Ordering::Relaxed);
            if beats == seen {
                self.long.store(true, Ordering::Relaxed);
                self.give_up();
            }
            seen = beats;
            std::thread::park_timeout(LONG);
        }
    }

    fn give_up(&self) {
        self.unanswered.store(true, Ordering::Relaxed);
        self.interrupt.store(true, Ordering::Relaxed);
    }

    fn refuse(&self, trouble: Trouble) {
        if let Trouble::Raised(error) = trouble {
            gvl::or_defer(Err(error), ());
        }
        self.give_up();
    }

    /// What Ruby gives; nothing once it has raised something, which the interpreter keeps until the run has ended.
    fn with_ruby<T>(&self, act: impl FnOnce(&Ruby) -> Result<T, Trouble>) -> Option<T> {
        self.beats.fetch_add(1, Ordering::Relaxed);
        if self.interrupt.load(Ordering::Relaxed) {
            self.give_up();
            return None;
        }
        // SAFETY: this thread holds the GVL (see `run`).
        let ruby = unsafe { Ruby::get_unchecked() };
        act(&ruby).map_err(|trouble| self.refuse(trouble)).ok()
    }
}

impl Ask for Here {
    fn ask(&self, question: Question<'_>) -> Option<Answer> {
        self.with_ruby(|ruby| answer_at(ruby, question, &self.cost))
    }

    fn is_of_one(&self) -> bool {
        true
    }

    fn look(&self) {
        self.with_ruby(|ruby| Ok(gvl::check_interrupts(ruby)?));
    }
}

/// So long a thread may hold the GVL without asking anything.
const LONG: Duration = Duration::from_millis(60);

/// What answers have cost.
#[derive(Debug, Default)]
pub struct Cost {
    count: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Cost {
    fn add(&self, took: Duration) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.nanoseconds.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }

    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    /// What people are told of a run that took so long, where most of it went to answers.
    pub fn told(&self, took: Duration) -> Option<String> {
        const MUCH: Duration = Duration::from_millis(20);
        let spent = self.spent();
        let count = self.count.load(Ordering::Relaxed);
        (spent > MUCH && spent * 2 > took).then(|| format!("{count} in {} ms", spent.as_millis()))
    }

    /// Tells a profile.
    pub fn tell(&self, profile: &mut Profile) {
        let count = self.count.load(Ordering::Relaxed);
        if count > 0 {
            profile.step("asked", self.spent(), count);
        }
    }
}

/// As [`answer`], with what it costs.
pub fn answer_at(ruby: &Ruby, question: Question<'_>, cost: &Cost) -> Result<Answer, Trouble> {
    let since = Instant::now();
    let answer = answer(ruby, question);
    cost.add(since.elapsed());
    answer
}

/// How the threads of a version's runs ask Ruby.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    #[default]
    Never,
    /// [The calling thread does everything](Here).
    Here,
    /// [All threads do](Questions): for each answer they compute more than another thread's answer costs.
    Beside,
}

impl Asks {
    /// What [`Self::Here`] is after a run that took so long.
    pub fn after(took: Duration, here: &Here) -> Self {
        if here.long.load(Ordering::Relaxed) {
            return Self::Beside;
        }
        let cost = &here.cost;
        const MUCH: Duration = Duration::from_millis(2);
        const OF_ANOTHER: Duration = Duration::from_micros(30);
        let computed = took.saturating_sub(cost.spent());
        let hops = OF_ANOTHER.saturating_mul(cost.count.load(Ordering::Relaxed) as u32);
        if computed > MUCH.max(hops) { Self::Beside } else { Self::Here }
    }
}

/// How many groups a pattern has, and their names with their numbers.
type Described = (u32, Vec<(String, u32)>);

fn module(ruby: &Ruby, name: &str) -> Result<RModule, Error> {
    ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get(name)
}

fn text(ruby: &Ruby, bytes: &[u8], encoding: Encoding) -> RString {
    match encoding {
        Encoding::Utf8 => ruby.enc_str_new(bytes, ruby.utf8_encoding()),
        Encoding::UsAscii => ruby.enc_str_new(bytes, ruby.usascii_encoding()),
        _ => ruby.enc_str_new(bytes, ruby.ascii8bit_encoding()),
    }
}

/// What Ruby says of the groups of a pattern; `None` where sections do not know what to make of it.
pub fn describe(ruby: &Ruby, source: &str, options: u32) -> Result<Option<Described>, Error> {
    module(ruby, "Asked")?.funcall("described", (source, options))
}

/// Answers a question of a run.
fn answer(ruby: &Ruby, question: Question<'_>) -> Result<Answer, Trouble> {
    match question {
        Question::Search { source, options, text: bytes, utf8, from, request } => {
            let encoding = if utf8 || bytes.is_ascii() { Encoding::Utf8 } else { Encoding::Binary };
            let arguments = (source, options, text(ruby, bytes, encoding), from, request as i64);
            let found: Option<Vec<Option<usize>>> = module(ruby, "Asked")?.funcall("search", arguments)?;
            Ok(found.map_or(Answer::NotFound, Answer::Found))
        }
        Question::Compile { source, encoding, options } => {
            let known =
                [Encoding::Utf8, Encoding::UsAscii].into_iter().find(|known| *known as i64 == encoding);
            let (options, interpolated) =
                (options as u32 & !INTERPOLATED, options as u32 & INTERPOLATED != 0);
            let arguments = (text(ruby, source, known.unwrap_or(Encoding::Binary)), options, interpolated);
            let said: Option<(RString, i64)> = module(ruby, "Failures")?.funcall("of_pattern", arguments)?;
            if let Some((message, encoding)) = said {
                // SAFETY: nothing changes it meanwhile.
                let message = unsafe { message.as_slice() }.to_vec();
                return Ok(Answer::NoPattern { message, encoding });
            }
            let described = match std::str::from_utf8(source) {
                Ok(source) => describe(ruby, source, options)?,
                Err(_) => None,
            };
            Ok(described.map_or(Answer::Unknown, |(groups, names)| Answer::Pattern { groups, names }))
        }
    }
}
