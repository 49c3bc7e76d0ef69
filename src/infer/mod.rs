//! The abstract interpreter: walks the AST with sets of exact classes and emits the IR of the last, stable walk.
#![deny(unsafe_code)]

pub mod host;

pub use host::Host;

use crate::error::Error;
use crate::heap::Schema;
use crate::ir::Program;
use crate::syntax::ast::Code;
use std::rc::Rc;

/// Which array operation a section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `peach`: the block's value is dropped.
    Each,
    /// `pmap`: the block's value is the result.
    Map,
    /// `pselect`: the truth of the block's value is the result (`Bool`).
    Select,
}

/// A compiled front: everything the back-ends and the heap need to know.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// Verified, with all passes run.
    pub program: Program,
    pub schema: Schema,
    /// The user's lines with the types beside them, for `Ikra.explain`.
    pub types: String,
}

/// Infers and lowers the section whose block is `code`. Errors are `Unsupported` (all that were found) or `Internal`.
pub fn infer(_host: &mut dyn Host, _code: &Rc<Code>, _operation: Operation) -> Result<Inferred, Error> {
    Err(Error::Internal("inference is not linked in".into()))
}
