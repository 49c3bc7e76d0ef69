//! Columns, the marks beside them, and the order of jobs. How objects become ids is the extension's matter.
#![deny(unsafe_code)]

pub mod column;
pub mod dead_pairs;
pub mod job_order;
pub mod marks;
pub mod printed;
pub mod row_set;
pub mod schema;
pub mod shared;
pub mod store;
pub mod typed_array;

pub use column::{Column, Numbers};
pub use dead_pairs::dead_places;
pub use job_order::{JobOrder, Round, Segment};
pub use printed::Printed;
pub use row_set::RowSet;
pub use schema::Schema;
pub use shared::{OnDevice, Shared, Work};
pub use store::Store;
pub use typed_array::TypedArray;
