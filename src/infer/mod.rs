//! The abstract interpreter: walks the AST with sets of exact classes and emits the IR of the last, stable walk.
#![deny(unsafe_code)]

pub mod host;

pub use host::Host;
