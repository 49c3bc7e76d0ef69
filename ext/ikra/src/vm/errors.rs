//! What can go wrong, on its way to whoever called: [`crate::writing::exceptions`] makes Ruby exceptions of it.

use ikra_core::error::Error as CoreError;
use ikra_core::error::NoMemory;
use ikra_core::infer::host::Refusal;
use magnus::Error;
use std::any::Any;

/// Why tracing cannot go on.
#[derive(Debug)]
pub enum Stop {
    /// An Integer beyond 64 bits; where it is.
    Overflow(String),
    Refused(Refusal),
    /// Such as too little memory.
    Core(CoreError),
    /// There is something that the version was compiled without.
    Misfit,
    /// It would have to be looked up, and what was met is only remembered.
    Forgotten,
}

impl From<NoMemory> for Stop {
    fn from(error: NoMemory) -> Self {
        Self::Core(error.into())
    }
}

impl From<CoreError> for Stop {
    fn from(error: CoreError) -> Self {
        Self::Core(error)
    }
}

/// Everything that can keep a section from its result.
pub enum Trouble {
    /// A Ruby exception, or one that is made already.
    Raised(Error),
    Stop(Stop),
    Core(CoreError),
    /// A limit or misuse: `Ikra::Error` with this message.
    Plain(String),
    /// `Ikra::UnsupportedError` without a place in the source.
    Unsupported {
        message: String,
        hint: String,
    },
    /// The section has to be read anew: its version knows a Symbol more, or it has to run on the CPU.
    Anew,
    Panic(Box<dyn Any + Send>),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Raised(error)
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<NoMemory> for Trouble {
    fn from(error: NoMemory) -> Self {
        Self::Core(error.into())
    }
}

impl From<CoreError> for Trouble {
    fn from(error: CoreError) -> Self {
        Self::Core(error)
    }
}
