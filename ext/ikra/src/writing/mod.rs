//! Columns → live objects: what a run has changed, and its result or exception.

pub mod accumulators;
pub mod born;
pub mod changed_hashes;
pub mod changed_strings;
pub mod columns;
pub mod compared;
pub mod copy_back;
pub mod decoder;
pub mod exceptions;
pub mod filling;
pub mod forgetting;
pub mod grown;
pub mod in_place;
pub mod numbers;
pub mod objects;
pub mod printed;
pub mod random_states;
pub mod refresh;
pub mod results;
pub mod strings;
pub mod texts_now;
pub mod value_columns;
