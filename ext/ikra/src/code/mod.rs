//! Ruby code: texts, the literals found in them, and the methods that names mean.

pub mod methods;
pub mod names;
pub mod sources;
pub mod syncs;
