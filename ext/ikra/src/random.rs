//! The seed of the process and the number of calls that drew from it.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Another one in each process, unless set.
static SEED: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one("seed")));
static CALL: AtomicU64 = AtomicU64::new(0);

/// Sets the seed and starts counting anew; gives the seed until now.
pub fn seed(seed: u64) -> u64 {
    CALL.store(0, Ordering::Relaxed);
    SEED.swap(seed, Ordering::Relaxed)
}

/// Seed and number of a section call. Those that draw nothing are not counted, so that adding one changes nothing.
pub fn next(draws: bool) -> (u64, u64) {
    (SEED.load(Ordering::Relaxed), CALL.fetch_add(u64::from(draws), Ordering::Relaxed))
}
