//! What can go wrong around a section; what goes wrong inside one is a `Failure` of the back-end's.

use crate::diagnostic::Diagnostic;

#[derive(Debug)]
pub enum Error {
    /// The section was refused before it ran: `Ikra::UnsupportedError`.
    Unsupported(Vec<Diagnostic>),
    /// The device or its driver or compiler failed: `Ikra::DeviceError`.
    Device(String),
    /// So many bytes of memory could not be had (0: nobody knows how many): NoMemoryError.
    Memory(usize),
    /// Nobody waits for it any more (see [`crate::cancel`]).
    Cancelled,
    /// A bug of ours, to be reported: `Ikra::Error`.
    Internal(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unsupported(list) => {
                let texts: Vec<_> = list.iter().map(|d| d.message.as_str()).collect();
                f.write_str(&texts.join("; "))
            }
            Self::Memory(0) => f.write_str("failed to allocate memory for a parallel section"),
            Self::Memory(bytes) => write!(f, "failed to allocate {} for a parallel section", size(*bytes)),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Device(message) | Self::Internal(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

/// So many bytes could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory(pub usize);

impl From<NoMemory> for Error {
    fn from(NoMemory(bytes): NoMemory) -> Self {
        Self::Memory(bytes)
    }
}

/// `1.5 GiB`.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}
