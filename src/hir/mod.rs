//! The middle form of a code: what Ruby's constructs mean, without types. Each method, block and lambda is one flat
//! arena of operations in basic blocks ([`code`]), made once of its AST by [`convert()`].
//!
//! Today the check of a file ([`crate::check`]), tests and `IKRA_LOG=hir` (which shows what a section runs) use it. It
//! is to replace the AST under inference, which then types operations and blocks and knows no syntax: the desugaring in
//! `infer` (conditions, assignment, splats, patterns, `rescue`, `case`, what `ensure` runs) goes.
//!
//! - One `Hir` for each code that `syntax` gives, made once; a `Code` in it for the method, block or lambda and for
//!   each literal nested in it. Values of a `Code` are numbered in the order of its text, blocks are ranges of them.
//! - There is one form of loop (a block that edges lead back to), of call ([`Call`]; `&.` is a branch around one) and
//!   of test ([`Terminator::Branch`], on truthiness). `||=`, `and`, optional parameters, bare `super` are branches,
//!   calls and values. Patterns are tests and bindings.
//! - A local is a value, and where ways join a parameter of the block; `scopes.rs` says which are cells instead
//!   ([`LocalData::is_cell`]).
//! - Exceptions lead from blocks to handlers ([`BlockData::unwind`]), with what locals are all over the block; where
//!   one is assigned, the next operation that raises begins a block. A `rescue` asks `===` of each class and resumes;
//!   an `ensure` is run on each way that leaves it, and by its handler for all that unwinds through the frame, `break`
//!   and `return` of blocks included (`Leave`).
//! - Operations stand in the order in which Ruby does them, each with its span and AST node. What binds arguments to
//!   parameters (taking arrays apart, missing ones) is no code: it is told by `Params` and left to whoever calls.
//! - A `case` asks its subject for `deconstruct` once and keeps what that gave, as CRuby does (inference asks in each
//!   clause).
//!
//! [`verify()`] checks that; [`print()`] shows it to people and tests. The tests are files of text (`tests/`: Ruby
//! above, HIR below), programs that an evaluator runs (`programs`: Ruby above, what Ruby prints below), and all Ruby of
//! the project.
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
