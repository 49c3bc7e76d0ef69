//! The compiled versions of a block literal, and the handle that holds them.

use crate::code::methods::Assumptions;
use crate::reading::plan::Plan;
use crate::running::heap::{Layout, Room};
use crate::vm::gvl::GvlCell;
use crate::vm::object_pool::ObjectPool;
use ikra_core::backend::Kernel;
use ikra_core::infer::{Inferred, Operation};
use ikra_core::ir::Program;
use ikra_core::syntax::ast::Code;
use magnus::{DataTypeFunctions, TypedData, gc};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// What is compiled of one block literal; the one used last comes first.
#[derive(TypedData, Default)]
#[magnus(class = "Ikra::Native::Handle", mark, free_immediately)]
pub struct Handle(pub GvlCell<Vec<Rc<Version>>>);

impl DataTypeFunctions for Handle {
    fn mark(&self, _marker: &gc::Marker) {
        self.0.marked(|versions| {
            for version in versions {
                // SAFETY: this is the mark phase, and the objects have been marked ever since they were put there.
                version.pool.each_marked(|value| unsafe { rb_sys::rb_gc_mark(value) });
            }
        });
    }
}

/// A block compiled for one signature: the types found when it was inferred.
pub struct Version {
    pub operation: Operation,
    pub races: bool,
    pub inferred: Inferred,
    pub program: Arc<Program>,
    pub plan: Plan,
    pub layout: Layout,
    pub assumptions: Assumptions,
    /// What numbers in all of these stand for.
    pub pool: Rc<ObjectPool>,
    /// What it was compiled from, which `explain` shows.
    pub _codes: Vec<Rc<Code>>,
    pub kernels: RefCell<Vec<(&'static str, Arc<dyn Kernel>)>>,
    /// What was enough the last time.
    pub room: Cell<Room>,
}
