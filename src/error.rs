//! What can go wrong around a section; what goes wrong inside one is a [`crate::backend::Failure`].

use crate::diagnostic::Diagnostic;

#[derive(Debug)]
pub enum Error {
    /// The section was refused before it ran: `Ikra::UnsupportedError`.
    Unsupported(Vec<Diagnostic>),
    /// The device or its driver or compiler failed: `Ikra::DeviceError`.
    Device(String),
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
            Self::Device(message) | Self::Internal(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}
