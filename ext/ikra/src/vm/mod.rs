//! Ruby's VM as Ikra sees it: values, classes, the lock, exceptions.

pub mod classes;
pub mod errors;
pub mod gvl;
pub mod method_tables;
pub mod object_pool;
pub mod pinned;
pub mod reflection;
pub mod signal_watcher;
pub mod stack;
pub mod value;
