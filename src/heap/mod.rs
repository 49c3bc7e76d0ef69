//! Columns, the order of jobs, and what of it a section changed. How objects become ids is the extension's matter.
#![deny(unsafe_code)]

pub mod column;
pub mod job_order;
pub mod schema;

pub use column::Column;
pub use job_order::{JobOrder, Round, Segment};
pub use schema::Schema;
