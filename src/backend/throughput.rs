//! How fast work gets done, measured on the pieces that ran. It decides only how work is cut, never what it gives.
//!
//! Launches are cut into slices, as long as the throughput so far says, so that Ctrl-C is heard and a failure is seen
//! early. A launch that seems short, by the throughput so far, or because nothing is known and there are few elements,
//! is done by the calling thread alone: waking others takes as long. It begins with some of the elements, and has
//! patience for 100 µs; then what is left goes to all threads (`cpu/pool.rs`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Work is counted in what the back-end cuts: jobs times ticks, ticks, replays.
#[derive(Debug, Default)]
pub struct Throughput {
    /// Picoseconds for one; 0 before the first measurement.
    picoseconds: AtomicU64,
}

impl Throughput {
    pub fn picoseconds(&self) -> Option<u64> {
        Some(self.picoseconds.load(Ordering::Relaxed)).filter(|time| *time != 0)
    }

    /// The work that takes about `time`.
    pub fn work_in(&self, time: Duration) -> Option<u64> {
        Some((time.as_nanos() as u64 * 1_000 / self.picoseconds()?).max(1))
    }

    /// Follows the slowest of what was seen lately, so that pieces are rather too short than too long.
    pub fn learn(&self, work: u64, time: Duration) {
        let now = (time.as_nanos() as u64 * 1_000 / work.max(1)).max(1);
        let before = self.picoseconds.load(Ordering::Relaxed);
        self.picoseconds.store(now.max(before - before / 8), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_get_shorter_at_once_and_longer_little_by_little() {
        let throughput = Throughput::default();
        let slice = Duration::from_millis(10);
        assert_eq!(throughput.work_in(slice), None);
        throughput.learn(10, Duration::from_millis(1));
        assert_eq!(throughput.work_in(slice), Some(100));
        throughput.learn(10, Duration::from_millis(10));
        assert_eq!(throughput.work_in(slice), Some(10));
        throughput.learn(10, Duration::from_millis(1));
        assert_eq!(throughput.work_in(slice), Some(11));
        throughput.learn(1, Duration::from_secs(1));
        assert_eq!(throughput.work_in(slice), Some(1));
    }
}
