//! An entry's throughput, measured on the steps that ran. It decides only how work is cut, never what it gives.

use super::EntryCode;
use super::pool::STEP;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// Jobs whose ticks run in turns: their state stays in the nearest cache.
const TOGETHER: u64 = 1024;
/// Fewer ticks than this are not enough to try which order is faster.
const FEW_TICKS: u64 = 64;

/// The order of the two loops, which fusion interchanges; one of the two of [`EntryCode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopOrder {
    TickMajor,
    ElementMajor,
}

#[derive(Debug, Default)]
pub struct Throughput {
    /// Picoseconds a job and tick; 0 before the first measurement.
    picoseconds: AtomicU64,
    /// The order found faster: 1 is `TickMajor`, 2 is `ElementMajor`.
    order: AtomicU8,
}

impl Throughput {
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

    /// Which order runs so many ticks; `None`: to be tried.
    pub fn order(&self, code: EntryCode, ticks: u64) -> Option<LoopOrder> {
        match self.order.load(Ordering::Relaxed) {
            _ if ticks == 1 || code.element_major.is_none() => Some(LoopOrder::TickMajor),
            1 => Some(LoopOrder::TickMajor),
            2 => Some(LoopOrder::ElementMajor),
            _ if ticks < FEW_TICKS => Some(LoopOrder::TickMajor),
            _ => None,
        }
    }

    pub fn choose(&self, order: LoopOrder) {
        self.order.store(if order == LoopOrder::TickMajor { 1 } else { 2 }, Ordering::Relaxed);
    }

    /// How many jobs to run together for so many ticks: whole lives of as many as fit in a step.
    pub fn jobs(&self, order: LoopOrder, ticks: u64) -> u64 {
        let Some(work) = self.work_in(STEP) else { return 64 };
        match order {
            LoopOrder::TickMajor if ticks == 1 => work,
            LoopOrder::TickMajor => work.min(TOGETHER),
            LoopOrder::ElementMajor => (work / ticks.max(1)).max(1),
        }
    }
}
