//! Columns → live objects: what a run has changed, and its result.

pub mod accumulators;
pub mod copy_back;
pub mod results;
