//! What is known of an entry's speed, from the steps that ran. It decides only how work is cut, never what it gives.

use super::EntryCode;
use super::pool::STEP;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// Jobs whose ticks run in turns: their state stays in the nearest cache.
const TOGETHER: u64 = 1024;
/// Fewer ticks than this are not enough to try which form is faster.
const FEW_TICKS: u64 = 64;

/// One of the two forms of [`EntryCode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Once,
    Many,
}

#[derive(Debug, Default)]
pub struct Pace {
    /// Picoseconds a job and tick; 0 before the first measurement.
    picoseconds: AtomicU64,
    /// The form found faster: 1 is `Once`, 2 is `Many`.
    form: AtomicU8,
}

impl Pace {
    pub fn picoseconds(&self) -> Option<u64> {
        Some(self.picoseconds.load(Ordering::Relaxed)).filter(|time| *time != 0)
    }

    /// Jobs times ticks that take about `time`.
    pub fn work_in(&self, time: Duration) -> Option<u64> {
        Some((time.as_nanos() as u64 * 1_000 / self.picoseconds()?).max(1))
    }

    /// Follows the slowest of what was seen lately, so that steps are rather too short than too long.
    pub fn learn(&self, work: u64, time: Duration) {
        let now = (time.as_nanos() as u64 * 1_000 / work.max(1)).max(1);
        let before = self.picoseconds.load(Ordering::Relaxed);
        self.picoseconds.store(now.max(before - before / 8), Ordering::Relaxed);
    }

    /// Which form runs so many ticks; `None`: to be tried.
    pub fn form(&self, code: EntryCode, ticks: u64) -> Option<Form> {
        match self.form.load(Ordering::Relaxed) {
            _ if ticks == 1 || code.many.is_none() => Some(Form::Once),
            1 => Some(Form::Once),
            2 => Some(Form::Many),
            _ if ticks < FEW_TICKS => Some(Form::Once),
            _ => None,
        }
    }

    pub fn choose(&self, form: Form) {
        self.form.store(if form == Form::Once { 1 } else { 2 }, Ordering::Relaxed);
    }

    /// How many jobs to run together for so many ticks: whole lives of as many as fit in a step.
    pub fn jobs(&self, form: Form, ticks: u64) -> u64 {
        let Some(work) = self.work_in(STEP) else { return 64 };
        match form {
            Form::Once if ticks == 1 => work,
            Form::Once => work.min(TOGETHER),
            Form::Many => (work / ticks.max(1)).max(1),
        }
    }
}
