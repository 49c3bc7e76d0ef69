//! Failures on demand, for tests of "all or nothing": what can fail passes a [`point`] first, and one of them is made to
//! fail. Only the feature `testing` has that; a point costs one read of a number then, and else nothing.

use crate::error::Error;
#[cfg(feature = "testing")]
use std::sync::atomic::{AtomicI64, Ordering};

/// How many points are left before the one that fails, that one included; 0: none fails.
#[cfg(feature = "testing")]
static LEFT: AtomicI64 = AtomicI64::new(0);
/// It panics instead, as a bug would.
#[cfg(feature = "testing")]
static PANICS: AtomicI64 = AtomicI64::new(0);

/// Makes the `number`-th point from now on fail, or panic for a negative number; 0 ends that. Gives what was left: 0 when
/// the point has been passed.
#[cfg(feature = "testing")]
pub fn fail_at(number: i64) -> i64 {
    PANICS.store(i64::from(number < 0), Ordering::Relaxed);
    LEFT.swap(number.abs(), Ordering::Relaxed)
}

/// Something that can fail is about to be done.
#[cfg(feature = "testing")]
#[inline]
pub fn point(what: &str) -> Result<(), Error> {
    if LEFT.load(Ordering::Relaxed) == 0 { Ok(()) } else { count(what) }
}

#[cfg(not(feature = "testing"))]
#[inline]
pub fn point(_what: &str) -> Result<(), Error> {
    Ok(())
}

#[cfg(feature = "testing")]
#[cold]
fn count(what: &str) -> Result<(), Error> {
    let left = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left > 0).then(|| left - 1));
    if left != Ok(1) {
        return Ok(());
    }
    assert!(PANICS.load(Ordering::Relaxed) == 0, "{what} was made to panic");
    Err(Error::Device(format!("{what} was made to fail")))
}
