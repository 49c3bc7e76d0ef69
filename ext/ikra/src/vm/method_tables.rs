//! Whether methods are what they were, told by CRuby's method tables in a few nanoseconds each and without allocating:
//! a *snapshot* holds the entries that some names have in the tables of a class and of all its ancestors. While these
//! are the same, so is whatever Ruby finds by the names. When they are not, nothing is known, and reflection has to
//! say.
//!
//! Where a class has its table is found out when Ikra is loaded, by looking for it in classes that are made for that,
//! and then everything that is relied on is tried. In a Ruby where that does not come out, snapshots are never taken.
//!
//! Most assumptions are about methods, forty in an ordinary section, and each call checks them all. A name takes ten
//! nanoseconds. Where entries are not the same, or there are other Ractors, reflection compares the methods, and a new
//! snapshot is taken.

use crate::vm::gvl::or_defer;
use crate::vm::reflection::{Own, call};
use crate::vm::value::class_pointer;
use magnus::Ruby;
use rb_sys::{ID, VALUE};
use std::sync::OnceLock;

mod probe;

/// Where a class has what is looked at, in bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    superclass: usize,
    /// Where the table is, or (in Ruby 3.1) where the memory is that has it, and where in that.
    methods: (usize, Option<usize>),
    /// The bits of an entry's flags that say who may call it.
    visibility: VALUE,
}

static LAYOUT: OnceLock<Option<Layout>> = OnceLock::new();

/// A hash table by ID with open addressing (`struct rb_id_table`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Table {
    capacity: i32,
    count: i32,
    _used: i32,
    items: *const Item,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Item {
    key: u32,
    /// Another key that belongs here was put elsewhere.
    collided: i32,
    entry: VALUE,
}

impl Table {
    /// SAFETY: the table must be one of CRuby's, and the GVL be held.
    #[inline]
    unsafe fn find(&self, key: u32) -> Option<VALUE> {
        let mask = (self.capacity as u32).wrapping_sub(1);
        let mut index = key & mask;
        for step in 1..=self.capacity as u32 {
            // SAFETY: the capacity is a power of two, so the index is within it.
            let item = unsafe { &*self.items.add(index as usize) };
            if item.key == key {
                return Some(item.entry);
            }
            if item.collided == 0 {
                return None;
            }
            index = (index + step) & mask;
        }
        None
    }
}

/// The key of a name: operators have IDs below all others, which are their numbers; other IDs have their kind in the
/// lowest four bits.
const fn key_of(name: ID) -> u32 {
    const OPERATORS: ID = 1024;
    (if name < OPERATORS { name } else { name >> 4 }) as u32
}

/// Where a lookup begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Start {
    /// In a class, for its instances.
    Class(VALUE),
    /// In the class of a class or module, for itself.
    ClassOf(VALUE),
}

/// So many tables a lookup may go through.
const LONGEST: usize = 128;

/// The tables from a class upwards that are not empty.
struct Chain {
    tables: [*const Table; LONGEST],
    length: usize,
}

impl Chain {
    /// `None` where there are too many.
    ///
    /// SAFETY: the class must be live, the layout be that of the running Ruby, the GVL be held, and no other Ractor run.
    unsafe fn fill(&mut self, layout: &Layout, start: Start) -> Option<()> {
        self.length = 0;
        // SAFETY: as the caller says: each class holds those above it, and its table.
        unsafe {
            let mut class = match start {
                Start::Class(class) => class,
                Start::ClassOf(module) => class_pointer(module),
            };
            while class != 0 {
                let word = |address: usize| *(address as *const usize);
                let outer = word(class as usize + layout.methods.0);
                let table = layout.methods.1.map_or(outer, |inner| word(outer + inner)) as *const Table;
                if !table.is_null() && (*table).count > 0 {
                    *self.tables.get_mut(self.length)? = table;
                    self.length += 1;
                }
                class = word(class as usize + layout.superclass) as VALUE;
            }
        }
        Some(())
    }

    /// Goes through the entries of a name, until `f` gives false.
    ///
    /// SAFETY: nothing may have run since the chain was filled.
    #[inline]
    unsafe fn each_entry(&self, layout: &Layout, key: u32, mut f: impl FnMut(Entry) -> bool) -> bool {
        self.tables[..self.length].iter().all(|table| {
            // SAFETY: as the caller says; an entry is a heap object, which begins with its flags.
            unsafe {
                (**table).find(key).is_none_or(|entry| {
                    f(Entry { object: entry, visibility: *(entry as *const VALUE) & layout.visibility })
                })
            }
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    object: VALUE,
    visibility: VALUE,
}

/// See the module's text. The entries' objects must be marked by whoever holds it, so that no other entry can take the
/// place of one.
#[derive(Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Each with the end of its names.
    starts: Vec<(Start, usize)>,
    /// Each with the end of its entries.
    names: Vec<(u32, usize)>,
    entries: Vec<Entry>,
}

impl Snapshot {
    /// Of these names, looked up from these classes, which are live.
    pub fn take(ruby: &Ruby, places: Vec<(Start, ID)>) -> Option<Self> {
        LAYOUT.get()?.as_ref().filter(|_| is_alone(ruby)).and_then(|layout| Self::of(layout, places))
    }

    fn of(layout: &Layout, mut places: Vec<(Start, ID)>) -> Option<Self> {
        places.sort_unstable();
        places.dedup();
        let (mut starts, mut names, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        let mut chain = Chain { tables: [std::ptr::null(); LONGEST], length: 0 };
        for of_start in places.chunk_by(|a, b| a.0 == b.0) {
            let start = of_start[0].0;
            // SAFETY: the class is live, as the caller says; the layout is tried before it is given; there is one Ractor,
            // and it has the GVL.
            unsafe {
                chain.fill(layout, start)?;
                for (_, name) in of_start {
                    let key = key_of(*name);
                    chain.each_entry(layout, key, |entry| {
                        entries.push(entry);
                        true
                    });
                    names.push((key, entries.len()));
                }
            }
            starts.push((start, names.len()));
        }
        Some(Self { starts, names, entries })
    }

    /// Is all as it was? False also where that is not known.
    pub fn holds(&self, ruby: &Ruby) -> bool {
        let layout = LAYOUT.get().and_then(Option::as_ref).filter(|_| is_alone(ruby));
        layout.is_some_and(|layout| self.holds_in(layout))
    }

    fn holds_in(&self, layout: &Layout) -> bool {
        let mut chain = Chain { tables: [std::ptr::null(); LONGEST], length: 0 };
        let (mut first, mut at) = (0, 0);
        self.starts.iter().all(|(start, end)| {
            let names = &self.names[std::mem::replace(&mut first, *end)..*end];
            // SAFETY: as in `of`.
            unsafe {
                chain.fill(layout, *start).is_some()
                    && names.iter().all(|(key, end)| {
                        chain.each_entry(layout, *key, |entry| {
                            let same = at < *end && self.entries[at] == entry;
                            at += 1;
                            same
                        }) && at == *end
                    })
            }
        })
    }

    /// What has to be marked.
    pub fn entries(&self) -> impl Iterator<Item = VALUE> {
        self.entries.iter().map(|entry| entry.object)
    }
}

/// Is there no other Ractor, which could change a table meanwhile?
fn is_alone(ruby: &Ruby) -> bool {
    or_defer(call::<usize>(ruby, Own::CountRactors, &[]), 0) == 1
}

/// Finds the layout.
pub fn init(ruby: &Ruby) {
    let layout = if cfg!(target_pointer_width = "64") { probe::layout(ruby) } else { None };
    let _ = LAYOUT.set(layout);
}
