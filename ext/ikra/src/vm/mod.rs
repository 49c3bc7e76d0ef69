//! Ruby's VM as Ikra sees it: values, classes, the lock, exceptions.

pub mod background;
pub mod classes;
pub mod dialect;
pub mod errors;
pub mod gvl;
pub mod object_layout;
pub mod pinned;
pub mod signal_watcher;
pub mod stack;
pub mod value;
