//! The front end: from the AST of a section to its IR, by inference over Ruby's own methods.

#[cfg(test)]
mod tests;

use crate::builtins;
use crate::error::Error;
use crate::heap::schema::Output;
use crate::infer::{self, Host, Inferred};
use crate::syntax::ast::Code;
use std::rc::Rc;

/// Infers and lowers the section whose block is `code`: what each element runs, or a driver; `repeats`: it is to run
/// several ticks. Errors are `Unsupported` (all that were found), `Memory` or `Internal`.
pub fn infer(host: &mut dyn Host, code: &Rc<Code>, output: Output, repeats: bool) -> Result<Inferred, Error> {
    infer::infer(host, &builtins::Methods, code, output, repeats)
}
