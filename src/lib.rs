//! The compiler and runtime of Ikra. Nothing here knows the Ruby VM: what the compiler wants to know of classes,
//! methods and live objects it asks through [`infer::Host`], and what it computes on are the columns of [`heap`].
//!
//! The way of a section: [`syntax`] turns source text into a small AST, [`infer`] walks it with sets of exact classes
//! and emits the typed, structured [`ir`], [`ir::passes`] improve that, a [`backend`] compiles and runs it.

pub mod allocator;
pub mod arrow;
pub mod backend;
pub mod builtins;
pub mod cache;
pub mod cancel;
pub mod check;
pub mod diagnostic;
pub mod error;
pub mod fallible;
pub mod faults;
pub mod front;
pub mod hashing;
pub mod heap;
pub mod hir;
pub mod huge_pages;
pub mod infer;
pub mod intrinsics;
pub mod ir;
#[cfg(test)]
mod layers;
pub mod lent;
pub mod memory;
pub mod parallel;
pub mod process;
pub mod profile;
pub mod progress;
pub mod regexp;
pub mod reserve;
pub mod rng;
pub mod scalar;
pub mod signals;
#[cfg(test)]
mod snapshots;
pub mod source;
pub mod string_layout;
pub mod syntax;
pub mod threads;
pub mod types;
