//! The Ruby objects that a running section pins. They live in an object that the garbage collector marks, and
//! marking pins them: they neither die nor move before the section ends, whatever other threads do meanwhile.

use crate::vm::gvl::GvlCell;
use crate::vm::object_pool::ObjectPool;
use crate::vm::value;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::types::ClassId;
use magnus::rb_sys::AsRawValue;
use magnus::typed_data::Obj;
use magnus::{DataTypeFunctions, Ruby, TypedData, gc};
use rb_sys::VALUE;
use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

/// Values by number (of a class, or of an array kind), then row.
pub type Lists = Vec<Vec<VALUE>>;

/// Marking borrows too: a mutable borrow ends before Ruby is called.
#[derive(TypedData, Default)]
#[magnus(class = "Ikra::Native::Pinned", mark, free_immediately)]
pub struct Pinned {
    /// By class number.
    objects: RefCell<Lists>,
    /// By array kind.
    arrays: RefCell<Lists>,
    /// Singleton classes of objects that were found, with the number of the class. The objects keep them alive, but not
    /// where they are.
    singletons: RefCell<Vec<(ClassId, VALUE)>>,
    /// Roots, Symbols.
    others: RefCell<Vec<VALUE>>,
    /// Values about to be written, in their order.
    prepared: RefCell<Vec<VALUE>>,
    /// What a section has made, as long as nothing else holds it.
    made: RefCell<Vec<VALUE>>,
    /// Those of the versions that were tried: their handle may drop them meanwhile.
    pools: GvlCell<Vec<Rc<ObjectPool>>>,
}

impl DataTypeFunctions for Pinned {
    fn mark(&self, _marker: &gc::Marker) {
        let (objects, arrays) = (self.objects.borrow(), self.arrays.borrow());
        let (others, prepared, made) = (self.others.borrow(), self.prepared.borrow(), self.made.borrow());
        let all = objects.iter().chain(&*arrays).flatten();
        for value in all.chain(&*others).chain(&*prepared).chain(&*made) {
            // SAFETY: this is the garbage collector's mark phase, and the values were live when they were listed and
            // have been marked since.
            unsafe { rb_sys::rb_gc_mark(*value) };
        }
        for (_, singleton) in &*self.singletons.borrow() {
            // SAFETY: as above.
            unsafe { rb_sys::rb_gc_mark(*singleton) };
        }
        self.pools.marked(|pools| {
            // SAFETY: as above.
            pools.iter().for_each(|pool| pool.each_marked(|value| unsafe { rb_sys::rb_gc_mark(value) }));
        });
    }
}

/// A holder that no section has: small calls come one after the other.
static SPARE: GvlCell<Option<VALUE>> = GvlCell::new(None);

/// Calls `mark` with it.
pub fn each_marked(mark: impl FnMut(VALUE)) {
    SPARE.marked(|spare| spare.iter().copied().for_each(mark));
}

/// The memory of lists for so many is kept for the next call.
const FEW: usize = 64;

fn empty<T>(list: &mut Vec<T>) {
    if list.capacity() > FEW {
        *list = Vec::new();
    }
    list.clear();
}

/// The lists up to the last that has something: those behind it are memory of calls before.
fn used(lists: &Lists) -> &[Vec<VALUE>] {
    let end = lists.iter().rposition(|list| !list.is_empty()).map_or(0, |last| last + 1);
    &lists[..end]
}

impl Pinned {
    /// Runs `f` with empty lists that are marked until it returns.
    pub fn with<R>(ruby: &Ruby, f: impl FnOnce(&Self) -> R) -> R {
        let spare = SPARE.with(ruby, Option::take);
        // SAFETY: it was a holder when it was put there, and is kept alive since.
        let spare = spare.map(|holder| unsafe { std::mem::transmute::<VALUE, Obj<Self>>(holder) });
        let holder = spare.unwrap_or_else(|| ruby.obj_wrap(Self::default()));
        let result = f(&holder);
        // Now, and not when the holder is collected: the next section uses the memory again.
        holder.forget_found();
        [&holder.others, &holder.prepared, &holder.made]
            .iter()
            .for_each(|list| empty(&mut list.borrow_mut()));
        holder.pools.with(ruby, empty);
        SPARE.with(ruby, |spare| *spare = Some(holder.as_raw()));
        // The holder is found on the machine stack, so it has to stay there until here.
        let holder = holder.as_raw();
        rb_sys::rb_gc_guard!(holder);
        result
    }

    /// Forgets the objects and arrays found, for a tracer that begins anew.
    pub fn forget_found(&self) {
        for lists in [&self.objects, &self.arrays] {
            let mut lists = lists.borrow_mut();
            lists.iter_mut().for_each(empty);
            if lists.len() > FEW {
                lists.clear();
            }
        }
        empty(&mut self.singletons.borrow_mut());
    }

    /// Numbers of classes of which there may be objects.
    pub fn classes(&self) -> usize {
        used(&self.objects.borrow()).len()
    }

    /// The objects and arrays found, which are not marked any more.
    pub fn take_found(&self) -> (Lists, Lists) {
        (self.objects.take(), self.arrays.take())
    }

    /// These were found, and nothing else yet. They are live.
    pub fn put_found(&self, (objects, arrays): (Lists, Lists)) {
        self.objects.replace(objects);
        self.arrays.replace(arrays);
    }

    /// More was found of what its list had when it was put there: objects of a class, or arrays of a kind.
    ///
    /// SAFETY: the list has had as many, and these are live.
    pub unsafe fn find_again(&self, (are_arrays, number): (bool, usize), count: usize) {
        let mut lists = if are_arrays { self.arrays.borrow_mut() } else { self.objects.borrow_mut() };
        let list = &mut lists[number];
        assert!(count <= list.capacity(), "more than there was");
        // SAFETY: as the caller says; nothing was put behind what it holds since.
        unsafe { list.set_len(count) };
    }

    /// Was anything found that has a singleton class?
    pub fn has_singletons(&self) -> bool {
        !self.singletons.borrow().is_empty()
    }

    /// How many objects there are of each class, and arrays of each kind.
    pub fn counts(&self) -> [Vec<usize>; 2] {
        [&self.objects, &self.arrays].map(|lists| used(&lists.borrow()).iter().map(Vec::len).collect())
    }

    /// Lists the singleton class of an object that was found, an instance of the class.
    pub fn add_singleton(&self, class: ClassId, singleton: VALUE) -> Result<(), NoMemory> {
        fallible::push(&mut self.singletons.borrow_mut(), (class, singleton))
    }

    /// What was listed so, by number.
    pub fn singleton(&self, number: usize) -> Option<(ClassId, VALUE)> {
        self.singletons.borrow().get(number).copied()
    }

    /// All objects and all arrays found, for adding more ([`add`]).
    pub fn found_mut(&self) -> (RefMut<'_, Lists>, RefMut<'_, Lists>) {
        (self.objects.borrow_mut(), self.arrays.borrow_mut())
    }

    /// How many objects and arrays were found.
    pub fn found(&self) -> usize {
        let (objects, arrays) = (self.objects.borrow(), self.arrays.borrow());
        objects.iter().chain(&*arrays).map(Vec::len).sum()
    }

    /// The objects of a class, by row.
    pub fn objects(&self, class: ClassId) -> Ref<'_, [VALUE]> {
        Ref::map(self.objects.borrow(), |lists| list(lists, class.0))
    }

    #[inline]
    pub fn object(&self, class: ClassId, row: usize) -> Option<VALUE> {
        self.objects.borrow().get(class.0 as usize)?.get(row).copied()
    }

    /// Lists an array of a kind that was not listed yet; gives its row.
    pub fn add_array(&self, kind: u32, array: VALUE) -> Result<u32, NoMemory> {
        add(&mut self.arrays.borrow_mut(), kind, array)
    }

    /// Lists nothing in the place of so many arrays of a kind, which are nobody's.
    pub fn add_nothing(&self, kind: u32, count: usize) -> Result<(), NoMemory> {
        let mut lists = self.arrays.borrow_mut();
        let index = kind as usize;
        if lists.len() <= index {
            lists.resize_with(index + 1, Vec::new);
        }
        let rows = lists[index].len() + count;
        fallible::resize(&mut lists[index], rows, value::NIL)
    }

    /// Calls `f` with all objects, those of a class in the order of their rows.
    pub fn each_object<E>(&self, mut f: impl FnMut(VALUE) -> Result<(), E>) -> Result<(), E> {
        self.objects.borrow().iter().flatten().try_for_each(|object| f(*object))
    }

    /// Calls `f` with all arrays and their kinds, those of a kind in the order of their rows.
    pub fn each_array<E>(&self, mut f: impl FnMut(u32, VALUE) -> Result<(), E>) -> Result<(), E> {
        let arrays = self.arrays.borrow();
        (0..)
            .zip(arrays.iter())
            .try_for_each(|(kind, list)| list.iter().try_for_each(|array| f(kind, *array)))
    }

    /// The arrays of a kind, by row.
    pub fn arrays(&self, kind: u32) -> Ref<'_, [VALUE]> {
        Ref::map(self.arrays.borrow(), |lists| list(lists, kind))
    }

    #[inline]
    pub fn array(&self, kind: u32, row: usize) -> Option<VALUE> {
        self.arrays.borrow().get(kind as usize)?.get(row).copied()
    }

    /// Forgets the arrays of a kind.
    pub fn forget_arrays(&self, kind: u32) {
        if let Some(list) = self.arrays.borrow_mut().get_mut(kind as usize) {
            list.clear();
        }
    }

    /// Moves the arrays of kind `from` behind those of `to`; gives them with their new rows.
    pub fn move_arrays(&self, from: u32, to: u32) -> Result<Vec<(VALUE, u32)>, NoMemory> {
        let moved = match self.arrays.borrow_mut().get_mut(from as usize) {
            Some(list) => std::mem::take(list),
            None => Vec::new(),
        };
        let mut rows = fallible::collect(moved.into_iter().map(|array| (array, 0)))?;
        for (array, row) in &mut rows {
            *row = self.add_array(to, *array)?;
        }
        Ok(rows)
    }

    /// Makes room to [`pin`](Self::pin) so many more.
    pub fn make_room(&self, more: usize) -> Result<(), NoMemory> {
        fallible::reserve(&mut self.others.borrow_mut(), more)
    }

    /// Pins any other value.
    pub fn pin(&self, value: VALUE) {
        self.others.borrow_mut().push(value);
    }

    /// Pins a value that is about to be written.
    pub fn prepare(&self, value: VALUE) -> Result<(), NoMemory> {
        fallible::push(&mut self.prepared.borrow_mut(), value)
    }

    /// How many were pinned so.
    pub fn prepared_count(&self) -> usize {
        self.prepared.borrow().len()
    }

    /// One of these, by number.
    pub fn prepared(&self, number: usize) -> VALUE {
        self.prepared.borrow()[number]
    }

    /// All of that is written.
    pub fn forget_prepared(&self) {
        self.prepared.borrow_mut().clear();
    }

    /// Pins what a section has made, if there is memory for it.
    pub fn hold(&self, value: VALUE) -> Result<(), NoMemory> {
        fallible::push(&mut self.made.borrow_mut(), value)
    }

    /// Holds only this of all that was held.
    pub fn hold_only(&self, values: impl Iterator<Item = VALUE>) {
        let mut made = self.made.borrow_mut();
        made.clear();
        made.extend(values);
    }

    /// Lets go of all that.
    pub fn release(&self) {
        self.made.borrow_mut().clear();
    }

    /// Pins what is in an object pool.
    pub fn pin_pool(&self, ruby: &Ruby, pool: &Rc<ObjectPool>) {
        self.pools.with(ruby, |pools| pools.push(pool.clone()));
    }
}

fn list(lists: &Lists, number: u32) -> &[VALUE] {
    lists.get(number as usize).map_or(&[], Vec::as_slice)
}

/// Appends to the list with a number; gives the row.
#[inline(always)]
pub fn add(lists: &mut Lists, number: u32, value: VALUE) -> Result<u32, NoMemory> {
    let index = number as usize;
    if lists.len() <= index {
        lists.resize_with(index + 1, Vec::new);
    }
    let list = &mut lists[index];
    fallible::push(list, value)?;
    Ok(list.len() as u32 - 1)
}
