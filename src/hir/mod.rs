//! The middle form of a code: what Ruby's constructs mean, without types. Each method, block and lambda is one flat arena
//! of operations in basic blocks ([`code`]), made once of its AST by [`convert()`].
//!
//! - There is one form of loop (a block that edges lead back to), of call ([`Call`]; `&.` is a branch around one) and of
//!   test ([`Terminator::Branch`], on truthiness). Patterns are tests and bindings. What an `ensure` does stands on each
//!   way through it.
//! - A local is a value, and where ways join a parameter of the block; which locals a loop or a handler has is known from
//!   how the code is written. A local that nested code assigns, or may see assigned, is a cell ([`LocalData::is_cell`]).
//! - Exceptions lead from blocks to handlers ([`BlockData::unwind`]), with what locals are all over the block.
//! - Operations stand in the order in which Ruby does them, each with its place in the source.
//!
//! [`verify()`] checks that; [`print()`] shows it to people and tests.
#![deny(unsafe_code)]

mod builder;
mod code;
mod convert;
mod finish;
mod op;
mod print;
mod scopes;
#[cfg(test)]
mod tests;
mod verify;

pub use code::*;
pub use convert::convert;
pub use op::*;
pub use print::print;
pub use verify::verify;
