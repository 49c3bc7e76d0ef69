//! Seconds by phase of the sections that ran while a profile was taken.

use serde::Serialize;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Capture,
    Infer,
    Compile,
    Trace,
    Upload,
    Kernel,
    Download,
    CopyBack,
}

impl Phase {
    pub const ALL: [Self; 8] = [
        Self::Capture,
        Self::Infer,
        Self::Compile,
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
            Self::Trace => "trace",
            Self::Upload => "upload",
            Self::Kernel => "kernel",
            Self::Download => "download",
            Self::CopyBack => "copy_back",
        }
    }
}

/// Time spent by phase, summed over sections.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Profile {
    /// By [`Phase`].
    pub seconds: [f64; 8],
    pub sections: u64,
    /// The back-end that ran the last section.
    pub backend: Option<&'static str>,
}

impl Profile {
    pub fn add(&mut self, phase: Phase, time: Duration) {
        self.seconds[phase as usize] += time.as_secs_f64();
    }

    /// Runs `f` and adds its time to `phase`.
    pub fn time<T>(&mut self, phase: Phase, f: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = f();
        self.add(phase, start.elapsed());
        result
    }

    /// Seconds spent in a phase.
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.seconds[phase as usize]
    }

    pub fn merge(&mut self, other: &Self) {
        for (total, part) in self.seconds.iter_mut().zip(other.seconds) {
            *total += part;
        }
        self.sections += other.sections;
        self.backend = other.backend.or(self.backend);
    }
}
