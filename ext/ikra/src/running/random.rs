//! The seed of the process and the number of calls that drew from it.

use ikra_core::process;
use parking_lot::Mutex;
use std::hash::{BuildHasher, RandomState};

struct State {
    seed: u64,
    calls: u64,
    process: u32,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Does something with the state of this process. A child begins with a seed of its own, as Ruby's `rand` does there.
fn with<T>(f: impl FnOnce(&mut State) -> T) -> T {
    let mut state = STATE.lock();
    let process = process::id();
    let fresh = || State { seed: RandomState::new().hash_one(process), calls: 0, process };
    if state.as_ref().is_some_and(|state| state.process != process) {
        *state = None;
    }
    f(state.get_or_insert_with(fresh))
}

/// Sets the seed and starts counting anew; gives the seed until now.
pub fn seed(seed: u64) -> u64 {
    with(|state| {
        state.calls = 0;
        std::mem::replace(&mut state.seed, seed)
    })
}

/// Seed and number of a section call. Those that draw nothing are not counted, so that adding one changes nothing.
pub fn next(draws: bool) -> (u64, u64) {
    with(|state| {
        let call = state.calls;
        state.calls += u64::from(draws);
        (state.seed, call)
    })
}
