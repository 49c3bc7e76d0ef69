//! The object `Ikra::Column`: some rows of memory that it may share with others: a slice is a view. The numbers lie
//! where Ikra's other large memory does, so they stay when a Column goes, and are page-locked as others are. The
//! garbage collector is told how many bytes there are.

use crate::vm::gvl::or_none;
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
use std::sync::atomic::{AtomicUsize, Ordering};

/// What columns that are views of each other share. Only the holder of the GVL looks inside, so nobody waits.
#[derive(Debug)]
pub struct Memory {
    array: Mutex<TypedArray>,
    bytes: usize,
    /// What the garbage collector was told.
    told: AtomicUsize,
}

/// Memory of a device is told as this part of it: the collector reckons with that of the host, and would run at each call.
const OF_DEVICE: usize = 64;

/// What the garbage collector is told of so many bytes.
pub const fn told(bytes: usize, is_away: bool) -> usize {
    if is_away { bytes / OF_DEVICE } else { bytes }
}

impl Memory {
    pub fn new(_ruby: &Ruby, array: TypedArray) -> Arc<Self> {
        let bytes = array.len() * array.ty().bytes();
        let told = told(bytes, array.is_away());
        // What is told alone has no garbage collected: the next allocation does, of which this is one.
        or_none(protect(|| {
            // SAFETY: the GVL is held. What is raised ends in `protect`.
            unsafe {
                rb_sys::rb_gc_adjust_memory_usage(told as _);
                rb_sys::ruby_xfree(rb_sys::ruby_xmalloc(1));
            }
            value::NIL
        }));
        Arc::new(Self { array: Mutex::new(array), bytes, told: AtomicUsize::new(told) })
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
        if array.is_away() {
            array.home()?;
            let more = self.bytes - self.told.swap(self.bytes, Ordering::Relaxed);
            // SAFETY: the GVL is held; it only counts.
            unsafe { rb_sys::rb_gc_adjust_memory_usage(more as _) };
        }
        Ok(array)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the GVL is held, or the garbage collector runs: columns and sections have it.
        unsafe { rb_sys::rb_gc_adjust_memory_usage(-(*self.told.get_mut() as isize) as _) };
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
    // What is none is told from one in no time: an error would be made for it otherwise.
    // SAFETY: the value is live.
    let is_data = unsafe { rb_sys::RB_TYPE_P(value.as_raw(), rb_sys::ruby_value_type::RUBY_T_DATA) };
    if is_data { Obj::try_convert(value).ok() } else { None }
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
