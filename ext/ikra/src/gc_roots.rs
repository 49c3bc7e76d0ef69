//! GC roots, what lives as long as the process: one object, held by a constant, that marks the classes and handles in
//! the tables of this extension.

use crate::capture;
use crate::versions::Handle;
use crate::vm::dates;
use crate::vm::object_pool;
use crate::vm::pinned::{self, Pinned};
use crate::vm::reflection;
use magnus::{DataTypeFunctions, Error, RModule, Ruby, TypedData, gc, prelude::*};

#[derive(TypedData)]
#[magnus(class = "Ikra::Native::GcRoots", mark, free_immediately)]
struct GcRoots;

impl DataTypeFunctions for GcRoots {
    fn mark(&self, _marker: &gc::Marker) {
        // SAFETY: this is the mark phase, and whatever is in the tables has been marked since it was put there.
        let mark = |value| unsafe { rb_sys::rb_gc_mark(value) };
        object_pool::each_builtin(mark);
        dates::each_marked(mark);
        reflection::each_marked(mark);
        capture::each_marked(mark);
        pinned::each_marked(mark);
    }
}

pub fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    // magnus looks a class up when it is first wanted, under a lock of Rust's. Were that to happen later, the look-up
    // could hand the GVL to another thread that waits for the same lock, for ever.
    <Handle as TypedData>::class(ruby);
    <Pinned as TypedData>::class(ruby);
    native.const_set("GC_ROOTS", ruby.obj_wrap(GcRoots))
}
