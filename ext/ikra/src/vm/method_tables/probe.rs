//! Finds out where a class has its method table, and tries all that is relied on. Memory that may be anything is read
//! through a pipe: the system says where there is none.

use super::{Chain, Item, LONGEST, Layout, Snapshot, Start, Table, key_of};
use crate::vm::classes::is_class;
use crate::vm::object_pool::builtin;
use crate::vm::value::{self, intern};
use ikra_core::types::ClassId;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, Ruby, TryConvert, Value, prelude::*};
use rb_sys::{ID, VALUE};
use std::ffi::c_int;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};

/// What follows the header of a class is within this many bytes: Ruby 3.1 has no larger slots.
const SLOT: usize =
    if rb_sys::RUBY_API_VERSION_MAJOR == 3 && rb_sys::RUBY_API_VERSION_MINOR < 2 { 40 } else { 160 };
const HEADER: usize = 16;
/// So far in the memory that a class points to its table is looked for.
const INNER: usize = 64;

/// Names that Ruby knows, operators among them.
const OF_PARENT: [&str; 7] = ["each", "+", "==", "[]=", "-@", "size", "name="];
const OF_CHILD: [&str; 3] = ["to_s", "<=>", "first"];
const OF_NONE: &str = "last";

/// A pipe, to read memory through.
struct Memory {
    out: File,
    into: File,
}

impl Memory {
    fn new() -> Option<Self> {
        let mut ends = [0; 2];
        // SAFETY: two descriptors are written; they are this struct's from then on.
        unsafe {
            if libc::pipe(ends.as_mut_ptr()) != 0 {
                return None;
            }
            Some(Self { out: File::from_raw_fd(ends[0]), into: File::from_raw_fd(ends[1]) })
        }
    }

    /// What lies at an address; `None` where there is no memory.
    fn read<const N: usize>(&mut self, address: usize) -> Option<[u8; N]> {
        // SAFETY: where there is no memory the call fails; it only reads.
        let written =
            unsafe { libc::write(self.into.as_raw_fd(), std::ptr::with_exposed_provenance(address), N) };
        let mut bytes = [0; N];
        let count = usize::try_from(written).ok()?;
        self.out.read_exact(&mut bytes[..count]).ok()?;
        (count == N).then_some(bytes)
    }

    fn word(&mut self, address: usize) -> Option<usize> {
        self.read(address).map(usize::from_ne_bytes)
    }

    /// Is there a table with exactly these keys?
    fn is_table(&mut self, address: usize, keys: &[u32]) -> Option<bool> {
        if address == 0 || !address.is_multiple_of(align_of::<Table>()) {
            return Some(false);
        }
        let number = |word: usize, half: usize| i32::try_from(word >> (32 * half) & 0xffff_ffff).ok();
        let first = self.word(address)?;
        let (capacity, count) = (number(first, 0)?, number(first, 1)?);
        if !(4..=64).contains(&capacity) || capacity.count_ones() != 1 || count as usize != keys.len() {
            return Some(false);
        }
        let items = self.word(address + std::mem::offset_of!(Table, items))?;
        let mut found = Vec::new();
        for index in 0..capacity as usize {
            let key = self.word(items + index * size_of::<Item>())? as u32;
            found.extend((key != 0).then_some(key));
        }
        found.sort_unstable();
        Some(found == keys)
    }
}

unsafe extern "C" fn method(_: c_int, _: *const VALUE, _: VALUE) -> VALUE {
    value::NIL
}

fn define(ruby: &Ruby, module: VALUE, name: &str) -> Result<(), Error> {
    let id = intern(ruby, name);
    protect(|| {
        // SAFETY: the module is live, and the function takes what -1 stands for.
        unsafe {
            rb_sys::rb_define_method_id(
                module,
                id,
                Some(std::mem::transmute::<*const (), unsafe extern "C" fn() -> VALUE>(method as *const ())),
                -1,
            )
        };
        value::NIL
    })
    .map(|_| ())
}

/// The layout, if it is one that is understood.
pub fn layout(ruby: &Ruby) -> Option<Layout> {
    // With boxes, a class has several tables.
    if ruby.eval("defined?(::Ruby::Box) && ::Ruby::Box.enabled? ? true : false").unwrap_or(true) {
        return None;
    }
    // On the stack, where the garbage collector sees them.
    // SAFETY: classes and modules of no name are made, which runs no code of the user.
    let [parent, child, module, front] = unsafe {
        let parent = protect(|| rb_sys::rb_class_new(rb_sys::rb_cObject)).ok()?;
        let child = protect(|| rb_sys::rb_class_new(parent)).ok()?;
        [parent, child, protect(|| rb_sys::rb_module_new()).ok()?, protect(|| rb_sys::rb_module_new()).ok()?]
    };
    for (of, names) in [(parent, &OF_PARENT[..]), (child, &OF_CHILD)] {
        names.iter().try_for_each(|name| define(ruby, of, name)).ok()?;
    }
    let layout = find(ruby, parent, child)?;
    let layout = Layout { visibility: visibility_bits(ruby, &layout, parent).ok()??, ..layout };
    let fits = notices_changes(ruby, &layout, [parent, child, module, front]).unwrap_or(false)
        && agrees_with_ruby(ruby, &layout).unwrap_or(false);
    for made in [parent, child, module, front] {
        rb_sys::rb_gc_guard!(made);
    }
    fits.then_some(layout)
}

/// Looks for the words that are the superclass and the method table.
fn find(ruby: &Ruby, parent: VALUE, child: VALUE) -> Option<Layout> {
    let mut memory = Memory::new()?;
    let keys = |names: &[&str]| {
        let mut keys: Vec<u32> = names.iter().map(|name| key_of(intern(ruby, name))).collect();
        keys.sort_unstable();
        keys
    };
    let (of_parent, of_child) = (keys(&OF_PARENT), keys(&OF_CHILD));
    let offsets = || (HEADER..SLOT).step_by(size_of::<usize>());
    // SAFETY: a variable that Ruby sets before it loads anything.
    let object = unsafe { rb_sys::rb_cObject };
    let superclass = offsets().find(|offset| {
        memory.word(child as usize + offset) == Some(parent as usize)
            && memory.word(parent as usize + offset) == Some(object as usize)
    })?;
    let inner = (0..INNER).step_by(size_of::<usize>()).map(Some);
    let inner = || std::iter::once(None).chain(inner.clone());
    let mut paths = offsets().flat_map(|outer| inner().map(move |inner| (outer, inner)));
    let methods = paths.find(|(outer, inner)| {
        let mut holds = |class: VALUE, keys: &[u32]| {
            let address = memory.word(class as usize + outer)?;
            let address = inner.map_or(Some(address), |inner| memory.word(address.checked_add(inner)?))?;
            memory.is_table(address, keys)
        };
        holds(parent, &of_parent) == Some(true) && holds(child, &of_child) == Some(true)
    })?;
    Some(Layout { superclass, methods, visibility: 0 })
}

/// The flags' bits that differ between public, private and protected methods.
fn visibility_bits(ruby: &Ruby, layout: &Layout, class: VALUE) -> Result<Option<VALUE>, Error> {
    let mut bits = VALUE::MAX;
    for name in OF_PARENT {
        let mut flags = [0; 3];
        for (flags, visibility) in flags.iter_mut().zip(["private", "protected", "public"]) {
            // SAFETY: the class is live.
            let class = unsafe { Value::from_raw(class) };
            class.funcall::<_, _, Value>(visibility, (name,))?;
            *flags = entries(ruby, layout, Start::Class(class.as_raw()), name)
                // SAFETY: an entry is a heap object, which begins with its flags.
                .map_or(0, |entries| unsafe { *(entries[0] as *const VALUE) });
        }
        bits &= (flags[0] ^ flags[2]) | (flags[1] ^ flags[2]);
    }
    Ok((bits.count_ones() == 2 && bits.trailing_zeros() >= rb_sys::ruby_fl_ushift::RUBY_FL_USHIFT as u32)
        .then_some(bits))
}

/// The entries of a name, of which there are some.
fn entries(ruby: &Ruby, layout: &Layout, start: Start, name: &str) -> Option<Vec<VALUE>> {
    let all = all_entries(layout, start, intern(ruby, name))?;
    (!all.is_empty()).then_some(all)
}

fn all_entries(layout: &Layout, start: Start, name: ID) -> Option<Vec<VALUE>> {
    let mut chain = Chain { tables: [std::ptr::null(); LONGEST], length: 0 };
    let mut all = Vec::new();
    // SAFETY: the class is live; the layout was found; only the Ractor that loads this runs.
    unsafe {
        chain.fill(layout, start)?;
        chain.each_entry(layout, key_of(name), |entry| {
            all.push(entry.object);
            true
        });
    }
    Some(all)
}

/// Does a snapshot hold as long as no method changes, and no longer?
fn notices_changes(ruby: &Ruby, layout: &Layout, made: [VALUE; 4]) -> Result<bool, Error> {
    let [parent, child, module, front] = made;
    let id = |name| intern(ruby, name);
    let places = || {
        let names = OF_PARENT.into_iter().chain(OF_CHILD).chain([OF_NONE]);
        names.flat_map(|name| [(Start::Class(child), id(name)), (Start::ClassOf(child), id(name))]).collect()
    };
    let quietly = |change: &dyn Fn()| {
        protect(|| {
            change();
            value::NIL
        })
        .map(|_| ())
    };
    // SAFETY: all are live, and what is raised ends in `protect`.
    let remove = |of, name| quietly(&|| unsafe { rb_sys::rb_remove_method_id(of, id(name)) });
    // SAFETY: as above.
    let object = |of| unsafe { Value::from_raw(of) };
    let call = |of, name, argument: &str| object(of).funcall::<_, _, Value>(name, (argument,)).map(|_| ());
    let singleton = || {
        // SAFETY: as above.
        let own = protect(|| unsafe { rb_sys::rb_singleton_class(child) })?;
        define(ruby, own, "each")
    };
    let changes: [&dyn Fn() -> Result<(), Error>; 14] = [
        &|| define(ruby, parent, "each"),
        &|| define(ruby, child, "last"),
        &|| remove(child, "last"),
        // SAFETY: as above.
        &|| quietly(&|| unsafe { rb_sys::rb_undef(child, id("to_s")) }),
        &|| define(ruby, child, "to_s"),
        &|| {
            define(ruby, module, "each")?;
            // SAFETY: as above.
            quietly(&|| unsafe { rb_sys::rb_include_module(child, module) })
        },
        &|| define(ruby, module, "size"),
        &|| remove(module, "size"),
        &|| {
            define(ruby, front, "to_s")?;
            // SAFETY: as above.
            quietly(&|| unsafe { rb_sys::rb_prepend_module(child, front) })
        },
        &|| define(ruby, child, "first"),
        // SAFETY: as above.
        &|| quietly(&|| unsafe { rb_sys::rb_alias(child, id("size"), id("first")) }),
        &|| call(parent, "private", "+"),
        &|| singleton(),
        &|| {
            call(child, "public_class_method", "each")
                .and_then(|()| call(child, "private_class_method", "each"))
        },
    ];
    let take = || Snapshot::of(layout, places());
    for change in changes {
        let Some(before) = take() else { return Ok(false) };
        if !before.holds_in(layout) {
            return Ok(false);
        }
        change()?;
        if before.holds_in(layout) || take().as_ref() == Some(&before) {
            return Ok(false);
        }
    }
    // What has another name changes nothing, though the table grows.
    let Some(before) = take() else { return Ok(false) };
    for name in ["last=", "map", "select", "reject", "inspect", "hash", "dup", "clone", "freeze", "join"] {
        define(ruby, parent, name)?;
    }
    Ok(before.holds_in(layout))
}

/// Has the table of each of Ruby's own classes the methods that Ruby lists, and no other?
fn agrees_with_ruby(ruby: &Ruby, layout: &Layout) -> Result<bool, Error> {
    let mut names: Vec<ID> = Vec::new();
    let classes = || (0..ClassId::BUILTIN.len()).map(|i| builtin(ruby, ClassId(i as u32)));
    for class in classes() {
        for list in [rb_sys::rb_class_instance_methods, rb_sys::rb_class_private_instance_methods] {
            let own = value::FALSE;
            // SAFETY: the class is live; the argument is `false`, for its own methods.
            let list = protect(|| unsafe { list(1, &raw const own, class) })?;
            // SAFETY: the list was just made.
            for name in RArray::try_convert(unsafe { Value::from_raw(list) })? {
                // SAFETY: the items are Symbols of methods, which do not go.
                let name = unsafe { rb_sys::rb_sym2id(name.as_raw()) };
                if all_entries(layout, Start::Class(class), name).is_none_or(|entries| entries.is_empty()) {
                    return Ok(false);
                }
                names.push(name);
            }
        }
    }
    // Ruby remembers what it did not find, so not too many are asked for.
    let some: Vec<ID> = names.into_iter().step_by(32).collect();
    let agrees = |class: VALUE, name: ID| {
        // SAFETY: the class is live; the call only looks the method up.
        let bound = unsafe { rb_sys::rb_method_boundp(class, name, 0) } != 0;
        all_entries(layout, Start::Class(class), name).is_some_and(|entries| !bound || !entries.is_empty())
    };
    // Not of modules, see `classes::instance_method`.
    let mut classes = classes().filter(|class| is_class(*class));
    Ok(classes.all(|class| some.iter().all(|name| agrees(class, *name))))
}
