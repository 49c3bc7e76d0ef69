//! How far a run has come, for another thread to see.
#![deny(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};

/// Counted as the run goes. What counts depends on the program: elements times ticks of a single parallel call, else the
/// iterations of the driver's outermost loop around parallel calls, or these calls where no such loop knows its end.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    /// 0: unknown.
    total: AtomicU64,
    launches: AtomicU64,
    /// Elements times ticks of all of them.
    work: AtomicU64,
}

impl Progress {
    pub fn begin(&self) {
        self.set(0, 0);
        self.launches.store(0, Ordering::Relaxed);
        self.work.store(0, Ordering::Relaxed);
    }

    /// A driver launches so many elements times ticks.
    pub fn launch(&self, work: u64) {
        self.launches.fetch_add(1, Ordering::Relaxed);
        self.work.fetch_add(work, Ordering::Relaxed);
    }

    /// How many launches there were, and the elements times ticks of all of them.
    pub fn launched(&self) -> (u64, u64) {
        (self.launches.load(Ordering::Relaxed), self.work.load(Ordering::Relaxed))
    }

    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    pub fn set(&self, done: u64, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }

    /// What is done, and of how much, where that is known.
    pub fn so_far(&self) -> (u64, Option<u64>) {
        let total = self.total.load(Ordering::Relaxed);
        (self.done.load(Ordering::Relaxed), (total > 0).then_some(total))
    }
}
