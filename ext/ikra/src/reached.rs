//! The Ruby objects that a running section holds on to. They live in an object that the garbage collector marks, and
//! marking pins them: they neither die nor move before the section ends, whatever other threads do meanwhile.

use ikra_core::types::ClassId;
use magnus::rb_sys::AsRawValue;
use magnus::{DataTypeFunctions, Ruby, TypedData, gc};
use rb_sys::VALUE;
use std::cell::RefCell;

#[derive(Default)]
struct Lists {
    /// By class number, then row.
    objects: Vec<Vec<VALUE>>,
    /// By array kind, then row.
    arrays: Vec<Vec<VALUE>>,
    /// Roots, answers of method lookup, values about to be written.
    others: Vec<VALUE>,
}

/// Borrows end before Ruby is called, so that marking always finds the lists whole.
#[derive(TypedData, Default)]
#[magnus(class = "Ikra::Native::Reached", mark, free_immediately)]
pub struct Reached(RefCell<Lists>);

impl DataTypeFunctions for Reached {
    fn mark(&self, _marker: &gc::Marker) {
        let lists = self.0.borrow();
        let all = lists.objects.iter().chain(&lists.arrays).flatten().chain(&lists.others);
        for value in all {
            // SAFETY: this is the garbage collector's mark phase, and the values were live when they were listed and
            // have been marked since.
            unsafe { rb_sys::rb_gc_mark(*value) };
        }
    }
}

impl Reached {
    /// Runs `f` with empty lists that are marked until it returns.
    pub fn with<R>(ruby: &Ruby, f: impl FnOnce(&Self) -> R) -> R {
        let holder = ruby.obj_wrap(Self::default());
        let result = f(&holder);
        // The holder is found on the machine stack, so it has to stay there until here.
        let holder = holder.as_raw();
        rb_sys::rb_gc_guard!(holder);
        result
    }

    /// Forgets the objects and arrays found, for a tracer that begins anew.
    pub fn forget_found(&self) {
        let mut lists = self.0.borrow_mut();
        lists.objects.clear();
        lists.arrays.clear();
    }

    /// Lists an object of a class that was not listed yet; gives its row.
    pub fn add_object(&self, class: ClassId, object: VALUE) -> u32 {
        let lists = &mut self.0.borrow_mut().objects;
        let index = class.0 as usize;
        if lists.len() <= index {
            lists.resize_with(index + 1, Vec::new);
        }
        lists[index].push(object);
        lists[index].len() as u32 - 1
    }

    #[inline]
    pub fn object(&self, class: ClassId, row: usize) -> Option<VALUE> {
        self.0.borrow().objects.get(class.0 as usize)?.get(row).copied()
    }

    pub fn objects(&self, class: ClassId) -> usize {
        self.0.borrow().objects.get(class.0 as usize).map_or(0, Vec::len)
    }

    /// Lists an array of a kind that was not listed yet; gives its row.
    pub fn add_array(&self, kind: u32, array: VALUE) -> u32 {
        let lists = &mut self.0.borrow_mut().arrays;
        let index = kind as usize;
        if lists.len() <= index {
            lists.resize_with(index + 1, Vec::new);
        }
        lists[index].push(array);
        lists[index].len() as u32 - 1
    }

    #[inline]
    pub fn array(&self, kind: u32, row: usize) -> Option<VALUE> {
        self.0.borrow().arrays.get(kind as usize)?.get(row).copied()
    }

    pub fn arrays(&self, kind: u32) -> usize {
        self.0.borrow().arrays.get(kind as usize).map_or(0, Vec::len)
    }

    /// Moves the arrays of kind `from` behind those of `to`; gives them with their new rows.
    pub fn move_arrays(&self, from: u32, to: u32) -> Vec<(VALUE, u32)> {
        let moved = match self.0.borrow_mut().arrays.get_mut(from as usize) {
            Some(list) => std::mem::take(list),
            None => Vec::new(),
        };
        moved.into_iter().map(|array| (array, self.add_array(to, array))).collect()
    }

    /// Keeps any other value alive; gives its place.
    pub fn keep(&self, value: VALUE) -> usize {
        let others = &mut self.0.borrow_mut().others;
        others.push(value);
        others.len() - 1
    }

    pub fn kept(&self, place: usize) -> VALUE {
        self.0.borrow().others[place]
    }
}
