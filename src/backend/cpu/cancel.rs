//! Ends the compilation of a function that nobody waits for. Cranelift has no such thing, but it tells a profiler of
//! each pass that it begins, and a profiler may unwind: it is called by safe code, which is dropped as it is.

use crate::cancel::CancellationToken;
use crate::error::Error;
use cranelift_codegen::timing::{Pass, Profiler, set_thread_profiler};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs `compile`; it ends at the next pass once the token's check fails.
pub fn within<T>(token: &CancellationToken, compile: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let before = set_thread_profiler(Box::new(Watching(token.clone())));
    let ended = catch_unwind(AssertUnwindSafe(compile));
    set_thread_profiler(before);
    ended.unwrap_or_else(|panic| match panic.downcast::<Error>() {
        Ok(error) => Err(*error),
        Err(panic) => resume_unwind(panic),
    })
}

struct Watching(CancellationToken);

impl Profiler for Watching {
    fn start_pass(&self, _pass: Pass) -> Box<dyn Any> {
        if let Err(error) = self.0.check() {
            // Not a panic: nothing is printed.
            resume_unwind(Box::new(error));
        }
        Box::new(())
    }
}
