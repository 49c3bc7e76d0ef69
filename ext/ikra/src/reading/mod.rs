//! Live objects → columns: what a section asks for is traced, and what was traced is planned for the next call.
//!
//! Inference drives tracing: only what the section reads or writes is looked at. The first question about `@street` of
//! a Car reads that variable of all Cars found so far, and the Streets in it are visited. The questions asked are the
//! section's *trace plan*.
//!
//! What inference has read is what the first run computes on, as no one else runs meanwhile. Where there are other
//! threads of Ruby, the objects are read again when all is compiled, so that a run does not overwrite what was changed
//! seconds before; they are also read again if kinds of arrays were joined after they were met, or Symbols numbered
//! that the code names itself. A version that does not fit its own objects any more is inferred again, up to four
//! times.
//!
//! Reading is meant to cost no more than looking at the objects. Objects are read 256 at a time, one variable after the
//! other while they are in the processor's cache; values in a row that are all Floats, all Integers, or either, are
//! decoded in loops without branches (`decode.rs`), the elements of many small arrays together, and a builder's list
//! that is a column as it is becomes that column. The *visited set* (`visited.rs`) is a table by address: heap page,
//! and the object's place in it. Objects in it are *pinned* (`pinned.rs`), so that addresses stay.
//!
//! While the calling thread holds the GVL and waits, Ruby neither runs nor collects, so other threads may read verified
//! slots and arrays as plain memory. What takes a function of Ruby (a class, a shape, a Symbol or a kind of arrays that
//! is new, an Integer on the heap) does not belong there (`batch.rs`): the first value of that sort *cuts* the batch,
//! what is behind it does not count, and the calling thread goes on from there, each time for longer. It also reads the
//! first block, so most batches are not cut. A page that Ruby protects while it moves objects would stop such a thread,
//! but it is unprotected before the collection ends. Everything goes through `parallel::each`, in which the calling
//! thread works too: it waits for no thread that is busy with another section. `IKRA_TEST_BATCH=2` has the smallest
//! worlds read so (`rake check:batches`).
//!
//! A later call on the same objects need not find them again: `remembered.rs`, `sweep.rs`.

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
pub mod remembered;
pub mod roots;
pub mod strings;
pub mod sweep;
pub mod symbols;
pub mod tracer;
pub mod variables;
pub mod visited;
