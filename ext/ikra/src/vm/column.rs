//! The object `Ikra::Column`: some rows of memory that it may share with other columns, of which it is a view.

use crate::vm::value;
use ikra_core::error::Error as CoreError;
use ikra_core::heap::TypedArray;
use ikra_core::types::ItemType;
use magnus::rb_sys::{AsRawValue, protect};
use magnus::typed_data::Obj;
use magnus::{DataTypeFunctions, Error, Ruby, TryConvert, TypedData, Value, prelude::*};
use parking_lot::{Mutex, MutexGuard};
use std::ops::Range;
use std::sync::Arc;

/// What columns that are views of each other share. Only the holder of the GVL looks inside, so nobody waits.
#[derive(Debug)]
pub struct Memory {
    array: Mutex<TypedArray>,
    /// What the garbage collector was told.
    bytes: usize,
}

impl Memory {
    pub fn new(_ruby: &Ruby, array: TypedArray) -> Arc<Self> {
        let bytes = array.len() * array.ty().bytes();
        // What is told alone has no garbage collected: the next allocation does, of which this is one.
        let _ = protect(|| {
            // SAFETY: the GVL is held. What is raised ends in `protect`.
            unsafe {
                rb_sys::rb_gc_adjust_memory_usage(bytes as _);
                rb_sys::ruby_xfree(rb_sys::ruby_xmalloc(1));
            }
            value::NIL
        });
        Arc::new(Self { array: Mutex::new(array), bytes })
    }

    /// To be replaced.
    pub fn array(&self) -> MutexGuard<'_, TypedArray> {
        self.array.lock()
    }

    /// What it holds now, which stays as it is, whoever writes.
    pub fn snapshot(&self) -> TypedArray {
        self.array().clone()
    }

    /// To be looked at or written.
    pub fn home(&self) -> Result<MutexGuard<'_, TypedArray>, CoreError> {
        let array = self.array();
        array.home()?;
        Ok(array)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the GVL is held, or the garbage collector runs: columns and sections have it.
        unsafe { rb_sys::rb_gc_adjust_memory_usage(-(self.bytes as isize) as _) };
    }
}

#[derive(TypedData)]
#[magnus(class = "Ikra::Column", free_immediately, size)]
pub struct Column {
    pub memory: Arc<Memory>,
    pub start: usize,
    pub length: usize,
    pub ty: ItemType,
}

impl DataTypeFunctions for Column {
    fn size(&self) -> usize {
        // Who made the memory tells it; who only looks at it does not.
        let all = self.memory.bytes == self.length * self.ty.bytes();
        size_of::<Self>() + if all { self.memory.bytes } else { 0 }
    }
}

impl Column {
    pub fn whole(ruby: &Ruby, array: TypedArray) -> Self {
        let (length, ty) = (array.len(), array.ty());
        Self { memory: Memory::new(ruby, array), start: 0, length, ty }
    }

    /// A view of some of its rows.
    pub fn view(&self, rows: Range<usize>) -> Self {
        let (start, length) = (self.start + rows.start, rows.len());
        Self { memory: self.memory.clone(), start, length, ty: self.ty }
    }

    /// Its rows in the memory.
    pub const fn rows(&self) -> Range<usize> {
        self.start..self.start + self.length
    }
}

/// A new object.
pub fn wrap(ruby: &Ruby, column: Column) -> Value {
    ruby.obj_wrap(column).as_value()
}

/// The column that an object is. It has what this points to as long as it lives: callers have it pinned, or on the stack.
pub fn of(value: Value) -> Option<Obj<Column>> {
    Obj::try_convert(value).ok()
}

/// FrozenError where it is frozen.
pub fn check_frozen(value: Value) -> Result<(), Error> {
    let raw = value.as_raw();
    protect(|| {
        // SAFETY: the object is live; what is raised ends in `protect`.
        unsafe { rb_sys::rb_check_frozen(raw) };
        raw
    })
    .map(|_| ())
}
