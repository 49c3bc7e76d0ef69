//! Ruby's VM as Ikra sees it: values, classes, the lock, exceptions.

pub mod array_layout;
pub mod asked;
pub mod background;
pub mod callers;
pub mod classes;
pub mod column;
pub mod dates;
pub mod dialect;
pub mod enumerators;
pub mod errors;
pub mod gvl;
pub mod hash_layout;
pub mod integers;
pub mod method_tables;
pub mod object_layout;
pub mod object_pool;
pub mod pinned;
pub mod proc_parts;
pub mod random_state;
pub mod reentry;
pub mod reflection;
pub mod signal_watcher;
pub mod stack;
pub mod value;

use ikra_core::source::RubyVersion;

/// The Ruby that this process runs.
pub fn ruby_version() -> RubyVersion {
    // SAFETY: the constant is three integers (`ruby/version.h`).
    let [major, minor, _] = unsafe { rb_sys::ruby_api_version };
    RubyVersion(major as u32, minor as u32)
}
