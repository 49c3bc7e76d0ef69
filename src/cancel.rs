//! Compiling can take long. What does asks its [`CancellationToken`] now and then whether anyone still waits for it.

use crate::error::Error;
use crate::reserve;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by who waits for something and who does it.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// Nobody waits any more.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// To be asked at least every few milliseconds; an error ends the work. Also where there is no memory left for it.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { reserve::check() }
    }
}
