//! A compiled section's run: its heap and arguments, the back-end that it runs on, what the run is counted in.

pub mod advice;
pub mod backends;
pub mod changes;
pub mod choice;
pub mod dead_pairs;
pub mod extend;
pub mod given_procs;
pub mod heap;
pub mod key_index;
pub mod profiles;
pub mod random;
