//! Calls that a section does not make faster. Where those of a version have spent their time around its kernels for a
//! while, on reading objects, on writing them and on the call itself, and the kernels have computed next to nothing, the
//! user is told so, once. Plain Ruby's own time nobody knows; with YJIT it is some thirty times what a core takes for
//! the kernel of a cheap line, less for others. `lib/ikra/section.rb` has the words.

use ikra_core::profile::{Phase, Profile};
use ikra_core::threads;
use std::cell::Cell;
use std::time::Duration;

/// So many seconds have gone before anything is told.
const MUCH: f64 = 0.5;
/// They are so many times what a core would have computed: as much for each element as in the call that took least, as
/// threads may wait for others.
const TIMES: f64 = 40.0;
/// And so many times what passed while all did.
const SHARE: f64 = 5.0;
/// And more than a loop of Ruby would take that does nothing, an element.
const LOOP: f64 = 30e-9;
/// A launch that computes nothing takes so long at most, on one core (two threads of it may share one) and on all.
const LAUNCH: f64 = 2e-6;
const WAKING: f64 = 20e-6;
/// What takes so many times as long as it ever has was waiting for a core.
const WAITED: f64 = 8.0;
/// Of calls over fewer elements some are timed: asking the clock takes longer than to run a small one.
const FEW: usize = 1_000;
const EVERY: u32 = 64;
/// A version that takes longer to make is told of.
const LONG: f64 = 1.0;

thread_local! {
    static SMALL_CALLS: Cell<u32> = const { Cell::new(0) };
}

/// For how many calls this one over so many elements stands; 0: it is not timed.
pub fn weight(elements: usize) -> u32 {
    if elements >= FEW {
        return 1;
    }
    let number = SMALL_CALLS.get().wrapping_add(1);
    SMALL_CALLS.set(number);
    if number.is_multiple_of(EVERY) { EVERY } else { 0 }
}

/// What the calls of a version have cost on the CPU, when all was compiled.
#[derive(Debug, Default)]
pub struct Costs {
    calls: Cell<u64>,
    /// Elements, with their ticks; of a section calls.
    units: Cell<f64>,
    elements: Cell<f64>,
    around: Cell<f64>,
    kernels: Cell<f64>,
    /// Around kernels, within, and of a core, for a unit.
    least: Cell<Option<[f64; 3]>>,
    told: Cell<bool>,
}

impl Costs {
    /// Adds a call over so many elements, with its ticks, of which a `weight` was told, that took so long in all.
    pub fn add(&self, weight: u32, (elements, ticks): (usize, u64), all: Duration, profile: &Profile) {
        let compiled = profile.seconds(Phase::Infer) + profile.seconds(Phase::Compile);
        if weight == 0 || compiled > 0.0 || profile.backend != Some("cpu") {
            return;
        }
        let kernels = profile.seconds(Phase::Kernel);
        let (cores, launch) = if elements < FEW { (1, LAUNCH) } else { (threads::count(), WAKING) };
        let elements = elements as f64 * ticks as f64;
        let units = elements.max(1.0);
        let around = all.as_secs_f64() - kernels;
        let paces = [around, kernels, (kernels - launch).max(0.0) * cores as f64].map(|all| all / units);
        let least = match self.least.get() {
            Some(least) => [0, 1, 2].map(|at| paces[at].min(least[at])),
            None => paces,
        };
        self.least.set(Some(least));
        let add = |to: &Cell<f64>, more: f64| to.set(to.get() + more * f64::from(weight));
        add(&self.around, around.min(WAITED * least[0] * units));
        add(&self.kernels, kernels.min(WAITED * least[1] * units));
        add(&self.units, units);
        add(&self.elements, elements);
        self.calls.set(self.calls.get() + u64::from(weight));
    }

    /// So many calls, and the seconds around their kernels and within, if that is to be told.
    pub fn told(&self) -> Option<(u64, f64, f64)> {
        let (around, kernels) = (self.around.get(), self.kernels.get());
        let computed = self.least.get().map_or(0.0, |[.., of_core]| of_core) * self.units.get();
        let bounds = [MUCH, TIMES * computed, SHARE * kernels, LOOP * self.elements.get()];
        let lost = bounds.iter().all(|bound| around > *bound);
        (lost && !self.told.replace(true)).then_some((self.calls.get(), around, kernels))
    }
}

/// Seconds that a version took to make, if that is to be told.
pub fn made_long(profile: &Profile) -> Option<f64> {
    let seconds = profile.seconds(Phase::Infer) + profile.seconds(Phase::Compile);
    (seconds > LONG).then_some(seconds)
}
