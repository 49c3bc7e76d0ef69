//! Reading and writing one variable of many objects of a class: where CRuby keeps instance variables is found once and
//! then looked at directly, which costs a fifth of `rb_ivar_get`.
//!
//! This is done for the CRuby whose layout is written down here, after trying the found place against `rb_ivar_get`.
//! Everything else goes through Ruby's functions.

use crate::vm::classes;
use crate::vm::value;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, Ruby, Value, prelude::*};
use rb_sys::{ID, VALUE};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// How many objects are read at once. Their values stand on the stack, where the garbage collector sees them.
pub const BLOCK: usize = 256;
/// For so few objects looking for the place does not pay.
const FEW: usize = 16;

const UNDEFINED: VALUE = rb_sys::Qundef as VALUE;
const TYPE_MASK: VALUE = 0x1f;
const OBJECT: VALUE = rb_sys::ruby_value_type::RUBY_T_OBJECT as VALUE;
const STRUCT: VALUE = rb_sys::ruby_value_type::RUBY_T_STRUCT as VALUE;

/// An object of CRuby 3.1 (`struct RObject`): up to three variables are inside, others in memory of their own.
#[repr(C)]
struct Object {
    flags: VALUE,
    class: VALUE,
    body: Body,
}

#[repr(C)]
union Body {
    outside: Outside,
    inside: [VALUE; Object::INSIDE],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Outside {
    count: u32,
    values: *mut VALUE,
    _places_by_name: *const c_void,
}

impl Object {
    const INSIDE: usize = 3;
    /// `ROBJECT_EMBED`
    const IS_INSIDE: VALUE = 1 << 13;

    /// The place of the variable numbered `index`; `None` where the object has no room for it yet, or keeps its
    /// variables elsewhere.
    ///
    /// SAFETY: `object` must be a live heap object of CRuby 3.1. The place is valid until Ruby runs.
    #[inline]
    unsafe fn place(object: VALUE, index: usize) -> Option<*mut VALUE> {
        let object = object as *mut Self;
        // SAFETY: the object is live, and its flags say which part of the union holds.
        unsafe {
            if (*object).flags & TYPE_MASK != OBJECT {
                return None;
            }
            if (*object).flags & Self::IS_INSIDE != 0 {
                return (index < Self::INSIDE)
                    .then(|| (&raw mut (*object).body.inside).cast::<VALUE>().add(index));
            }
            let outside = (*object).body.outside;
            (index < outside.count as usize).then(|| outside.values.add(index))
        }
    }
}

/// A Struct of CRuby 3.1 (`struct RStruct`): up to three members are inside, others in memory of their own.
#[repr(C)]
struct Record {
    flags: VALUE,
    class: VALUE,
    body: RecordBody,
}

#[repr(C)]
union RecordBody {
    outside: Members,
    inside: [VALUE; Record::INSIDE],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Members {
    count: std::ffi::c_long,
    values: *mut VALUE,
}

impl Record {
    const INSIDE: usize = 3;
    /// `RSTRUCT_EMBED_LEN_MASK`: how many members are inside; 0 where they are outside.
    const COUNT_INSIDE: VALUE = 3 << Self::COUNT_SHIFT;
    const COUNT_SHIFT: u32 = 13;

    /// The place of the member numbered `index`; `None` for what is no Struct or has no such member.
    ///
    /// SAFETY: `object` must be a live heap object of CRuby 3.1. The place is valid until Ruby runs.
    #[inline]
    unsafe fn place(object: VALUE, index: usize) -> Option<*mut VALUE> {
        let object = object as *mut Self;
        // SAFETY: the object is live, and its flags say which part of the union holds.
        unsafe {
            if (*object).flags & TYPE_MASK != STRUCT {
                return None;
            }
            let inside = ((*object).flags & Self::COUNT_INSIDE) >> Self::COUNT_SHIFT;
            if inside != 0 {
                return (index < inside as usize)
                    .then(|| (&raw mut (*object).body.inside).cast::<VALUE>().add(index));
            }
            let outside = (*object).body.outside;
            (index < outside.count as usize).then(|| outside.values.add(index))
        }
    }
}

/// Is this the Ruby whose layouts `Object` and `Record` have?
fn layout_is_known() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        // SAFETY: the constant is three integers (`ruby/version.h`).
        let version = unsafe { rb_sys::ruby_api_version };
        cfg!(target_pointer_width = "64") && version[..2] == [3, 1]
    })
}

/// Where the objects of a class have a variable.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    Name(ID),
    /// In CRuby 3.1 a variable has the same place in all instances of a class, for good.
    Place(ID, usize),
    /// A Struct's member, by position.
    Member(VALUE),
    /// The same where the layout is known and was tried.
    MemberPlace(VALUE, usize),
    /// Objects of the class have no such member.
    Missing,
}

impl Access {
    /// An instance variable, or a member where the name has no `@`.
    pub fn new(ruby: &Ruby, class: VALUE, name: &str) -> Self {
        if name.starts_with('@') {
            return Self::Name(value::intern(ruby, name));
        }
        let key = classes::member_key(class, name);
        key.map_or(Self::Missing, Self::Member)
    }

    /// Looks for the place when it is not known and there are objects enough.
    ///
    /// SAFETY: the objects must be live and instances of the class.
    pub unsafe fn learn(&mut self, objects: &[VALUE]) {
        if objects.len() < FEW || !layout_is_known() {
            return;
        }
        let (first, last) = (objects[0], objects[objects.len() - 1]);
        if let Self::Member(key) = *self {
            // SAFETY: the key of a member is a small Integer.
            let index = unsafe { rb_sys::FIX2LONG(key) } as usize;
            // SAFETY: as the caller says.
            let agrees = |object| unsafe {
                Record::place(object, index)
                    .is_some_and(|place| *place == rb_sys::rb_struct_aref(object, key))
            };
            if agrees(first) && agrees(last) {
                *self = Self::MemberPlace(key, index);
            }
        }
        let Self::Name(id) = *self else { return };
        // SAFETY: as the caller says.
        unsafe {
            if let Some(index) = index_of(first, id) {
                let agrees = |object| {
                    let place = Object::place(object, index);
                    place.map_or(value::NIL, |place| defined(*place)) == rb_sys::rb_ivar_get(object, id)
                };
                if agrees(first) && agrees(last) {
                    *self = Self::Place(id, index);
                }
            }
        }
    }

    /// The variable of each object, nil where it is not set.
    ///
    /// SAFETY: the objects must be live and instances of the class, and `values` as many.
    pub unsafe fn read(&self, objects: &[VALUE], values: &mut [VALUE]) {
        let pairs = objects.iter().zip(values);
        // SAFETY: as the caller says; none of these functions runs code of the user or allocates.
        unsafe {
            match *self {
                Self::Name(id) => pairs.for_each(|(object, value)| *value = rb_sys::rb_ivar_get(*object, id)),
                Self::Place(id, index) => pairs.for_each(|(object, value)| {
                    *value = match Object::place(*object, index) {
                        Some(place) => defined(*place),
                        None => rb_sys::rb_ivar_get(*object, id),
                    }
                }),
                Self::Member(key) => {
                    pairs.for_each(|(object, value)| *value = rb_sys::rb_struct_aref(*object, key));
                }
                Self::MemberPlace(key, index) => pairs.for_each(|(object, value)| {
                    *value = match Record::place(*object, index) {
                        Some(place) => *place,
                        None => rb_sys::rb_struct_aref(*object, key),
                    }
                }),
                Self::Missing => pairs.for_each(|(_, value)| *value = value::NIL),
            }
        }
    }

    /// Sets the variable of each object. May raise where an object has no room for it yet.
    ///
    /// SAFETY: the objects must be live, instances of the class and not frozen, and `values` as many and live.
    pub unsafe fn write(&self, objects: &[VALUE], values: &[VALUE]) {
        let pairs = objects.iter().zip(values);
        // SAFETY: as the caller says. A reference that is stored is told to the garbage collector.
        unsafe {
            match *self {
                Self::Name(id) => pairs.for_each(|(object, value)| {
                    rb_sys::rb_ivar_set(*object, id, *value);
                }),
                Self::Place(id, index) => {
                    pairs.for_each(|(object, value)| match Object::place(*object, index) {
                        Some(place) => {
                            *place = *value;
                            if !rb_sys::SPECIAL_CONST_P(*value) {
                                rb_sys::rb_gc_writebarrier(*object, *value);
                            }
                        }
                        None => {
                            rb_sys::rb_ivar_set(*object, id, *value);
                        }
                    })
                }
                Self::Member(key) | Self::MemberPlace(key, _) => pairs.for_each(|(object, value)| {
                    rb_sys::rb_struct_aset(*object, key, *value);
                }),
                Self::Missing => {}
            }
        }
    }
}

/// A variable of all objects of an array, which are of one class: for the specs, which compare it with Ruby.
pub fn read_all(ruby: &Ruby, objects: RArray, name: &str) -> RArray {
    let mut values = vec![value::NIL; objects.len()];
    let mut access = of_first(ruby, objects, name);
    // SAFETY: the objects stand in a live array, and nothing below changes it. The values are held by the objects.
    unsafe {
        let objects = std::slice::from_raw_parts(rb_sys::RARRAY_CONST_PTR(objects.as_raw()), objects.len());
        access.learn(objects);
        access.read(objects, &mut values);
        ruby.ary_from_iter(values.into_iter().map(|value| Value::from_raw(value)))
    }
}

/// Sets a variable of all objects of an array, which are of one class and not frozen: for the specs.
pub fn write_all(ruby: &Ruby, objects: RArray, name: &str, values: RArray) -> Result<(), Error> {
    let mut access = of_first(ruby, objects, name);
    protect(|| {
        // SAFETY: objects and values stand in live arrays, and nothing here changes those.
        unsafe {
            let [objects, values] = [objects, values].map(|array| {
                std::slice::from_raw_parts(rb_sys::RARRAY_CONST_PTR(array.as_raw()), array.len())
            });
            access.learn(objects);
            access.write(objects, values);
        }
        value::NIL
    })?;
    Ok(())
}

fn of_first(ruby: &Ruby, objects: RArray, name: &str) -> Access {
    let class = objects.entry::<Value>(0).map(|object| object.class().as_raw());
    class.map_or(Access::Missing, |class| Access::new(ruby, class, name))
}

#[inline]
const fn defined(value: VALUE) -> VALUE {
    if value == UNDEFINED { value::NIL } else { value }
}

/// The index of a variable that is set. `rb_ivar_foreach` goes through the variables that are set in the order of their
/// indices; the object is gone through beside it.
///
/// SAFETY: the object must be live and of CRuby 3.1.
unsafe fn index_of(object: VALUE, id: ID) -> Option<usize> {
    unsafe extern "C" fn list(name: ID, value: VALUE, all: rb_sys::st_data_t) -> c_int {
        // SAFETY: `all` is the vector below, which outlives the call.
        unsafe { &mut *(all as *mut Vec<(ID, VALUE)>) }.push((name, value));
        rb_sys::st_retval::ST_CONTINUE as c_int
    }
    // SAFETY: as the caller says.
    unsafe {
        if rb_sys::rb_ivar_defined(object, id) != value::TRUE {
            return None;
        }
        let mut all: Vec<(ID, VALUE)> = Vec::new();
        rb_sys::rb_ivar_foreach(object, Some(list), (&raw mut all) as _);
        let mut set = (0..).map_while(|index| Some((index, *Object::place(object, index)?)));
        let mut found = None;
        for (name, value) in all {
            let (index, there) = set.find(|(_, value)| *value != UNDEFINED)?;
            if there != value {
                return None;
            }
            found = found.or((name == id).then_some(index));
        }
        found
    }
}
