//! Seconds by phase of the sections that ran while a profile was taken.

use serde::Serialize;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Capture,
    Infer,
    Compile,
    /// Elements that Ruby has run while code was made.
    Ruby,
    Trace,
    Upload,
    Kernel,
    Download,
    CopyBack,
}

impl Phase {
    pub const ALL: [Self; 9] = [
        Self::Capture,
        Self::Infer,
        Self::Compile,
        Self::Ruby,
        Self::Trace,
        Self::Upload,
        Self::Kernel,
        Self::Download,
        Self::CopyBack,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Infer => "infer",
            Self::Compile => "compile",
            Self::Ruby => "ruby",
            Self::Trace => "trace",
            Self::Upload => "upload",
            Self::Kernel => "kernel",
            Self::Download => "download",
            Self::CopyBack => "copy_back",
        }
    }
}

/// A part of what a first call does within its phases, as benchmark/first_call.rb shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Step {
    pub name: String,
    pub seconds: f64,
    /// Of what the name says.
    pub count: u64,
}

/// What the expressions that were inferred are counted by: lines of the user's code with all that they call, and methods
/// of `core/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Cost {
    Line,
    Part,
}

impl Cost {
    pub const ALL: [Self; 2] = [Self::Line, Self::Part];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "lines",
            Self::Part => "parts",
        }
    }
}

/// Time spent by phase, summed over sections.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Profile {
    /// By [`Phase`].
    pub seconds: [f64; 9],
    /// By name, in the order in which they were met first.
    pub steps: Vec<Step>,
    /// By what they are of, and its name.
    pub costs: Vec<(Cost, String, u64)>,
    pub sections: u64,
    /// The back-end that ran the last section.
    pub backend: Option<&'static str>,
    /// Nobody will look at the seconds of a call that compiles nothing: the clock is not asked for them, which takes a small
    /// call longer than to run.
    #[serde(skip)]
    pub untimed: bool,
}

impl Profile {
    pub fn add(&mut self, phase: Phase, time: Duration) {
        self.seconds[phase as usize] += time.as_secs_f64();
    }

    /// Runs `f` and adds its time to `phase`.
    pub fn time<T>(&mut self, phase: Phase, f: impl FnOnce() -> T) -> T {
        if self.untimed && !matches!(phase, Phase::Infer | Phase::Compile) {
            return f();
        }
        let start = Instant::now();
        let result = f();
        self.add(phase, start.elapsed());
        result
    }

    /// The time now, where somebody will look at how long something takes.
    pub fn now(&self) -> Option<Instant> {
        (!self.untimed).then(Instant::now)
    }

    /// Adds to the step of that name.
    pub fn step(&mut self, name: impl AsRef<str> + Into<String>, time: Duration, count: u64) {
        let seconds = time.as_secs_f64();
        match self.steps.iter_mut().find(|step| step.name == name.as_ref()) {
            Some(step) => (step.seconds, step.count) = (step.seconds + seconds, step.count + count),
            None => self.steps.push(Step { name: name.into(), seconds, count }),
        }
    }

    /// Adds expressions that were inferred.
    pub fn cost(&mut self, of: Cost, name: &str, count: u64) {
        match self.costs.iter_mut().find(|(known, other, _)| *known == of && other == name) {
            Some((_, _, all)) => *all += count,
            None => self.costs.push((of, name.to_string(), count)),
        }
    }

    /// Seconds spent in a phase.
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.seconds[phase as usize]
    }

    /// Seconds spent in all phases.
    pub fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }

    pub fn merge(&mut self, other: &Self) {
        for (total, part) in self.seconds.iter_mut().zip(other.seconds) {
            *total += part;
        }
        for step in &other.steps {
            self.step(
                step.name.as_str(),
                Duration::try_from_secs_f64(step.seconds).unwrap_or_default(),
                step.count,
            );
        }
        other.costs.iter().for_each(|(of, name, count)| self.cost(*of, name, *count));
        self.sections += other.sections;
        self.backend = other.backend.or(self.backend);
    }
}
