//! The order of the two loops of a fused program, over ticks and over elements: which is faster is found out by trying.

use super::EntryCode;
use super::pool::STEP;
use crate::backend::throughput::Throughput;
use crate::ir::Program;
use std::sync::atomic::{AtomicU8, Ordering};

/// Jobs whose ticks run in turns: their state stays in the nearest cache.
const TOGETHER: u64 = 1024;
/// Fewer ticks than this are not enough to try which order is faster.
const FEW_TICKS: u64 = 64;

/// One of the two forms of [`EntryCode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopOrder {
    /// One tick of many elements, then the next.
    TickMajor,
    /// All ticks of one element, then the next: the tick loop is inside.
    ElementMajor,
}

/// The forms that a program is compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopOrders {
    /// That for one tick alone: all that it takes where there are few of them.
    TickMajor,
    Both,
}

impl LoopOrders {
    pub fn new(program: &Program, ticks: u64) -> Self {
        if program.kernels.iter().any(|kernel| kernel.fused) && ticks >= FEW_TICKS {
            Self::Both
        } else {
            Self::TickMajor
        }
    }
}

/// What was measured of an entry.
#[derive(Debug, Default)]
pub struct Tuning {
    /// Of jobs times ticks.
    pub throughput: Throughput,
    /// The order found faster: 1 is `TickMajor`, 2 is `ElementMajor`.
    order: AtomicU8,
}

impl Tuning {
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
        let Some(work) = self.throughput.work_in(STEP) else { return 64 };
        match order {
            LoopOrder::TickMajor if ticks == 1 => work,
            LoopOrder::TickMajor => work.min(TOGETHER),
            LoopOrder::ElementMajor => (work / ticks.max(1)).max(1),
        }
    }
}
