//! Source text to our own small AST. No prism type leaves this module.
#![deny(unsafe_code)]

pub mod ast;
