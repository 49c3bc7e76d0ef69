//! Live objects → columns: what a section asks for is traced, and what was traced is planned for the next call.

pub mod array_kinds;
pub mod base;
pub mod batch;
pub mod column_builder;
pub mod decode;
pub mod drain;
pub mod hashes;
pub mod ids;
pub mod items;
pub mod patterns;
pub mod plan;
pub mod probe;
pub mod procs;
pub mod roots;
pub mod strings;
pub mod symbols;
pub mod tracer;
pub mod variables;
pub mod visited;
