//! The memory layout of CRuby's objects and Structs: where instance variables and members are. This is the only place
//! that knows it: one table with a row for each Ruby, of which a constant is compiled in, so inner loops have no
//! dispatch. Whether the running Ruby is laid out so, a probe (`lib/ikra/probe.rb`, `reading/probe.rs`) asks when the
//! extension is loaded: it makes objects of all kinds (embedded, grown, frozen, copied, with removed variables, with an
//! id, in too many orders) and compares both ways. A Ruby that is newer than the table takes the last row, if the probe
//! confirms it; else everything goes through Ruby's functions, at half the speed.
//!
//! Since 3.2 the flags of an object name its *shape*: which variables it has, in the order in which they were set. A
//! variable has the same index in all objects of a shape, as long as the process lives; before 3.2, in all objects of a
//! class.

use super::value;
use rb_sys::{ID, VALUE};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

const UNDEFINED: VALUE = rb_sys::Qundef as VALUE;
const TYPE: VALUE = 0x1f;
const OBJECT: VALUE = rb_sys::ruby_value_type::RUBY_T_OBJECT as VALUE;
const STRUCT: VALUE = rb_sys::ruby_value_type::RUBY_T_STRUCT as VALUE;
const COMPLEX: VALUE = rb_sys::ruby_value_type::RUBY_T_COMPLEX as VALUE;
const RATIONAL: VALUE = rb_sys::ruby_value_type::RUBY_T_RATIONAL as VALUE;
/// The parts of one of these.
const PARTS: usize = 2;

static CONFIRMED: AtomicBool = AtomicBool::new(false);

/// Is the layout that of the Ruby that runs?
pub fn confirmed() -> bool {
    CONFIRMED.load(Ordering::Relaxed)
}

/// Says whether it is.
pub fn confirm(confirmed: bool) {
    CONFIRMED.store(confirmed, Ordering::Relaxed);
}

/// The flags and the class: so many words before what is the object's own.
const HEADER: usize = 2;
/// So many variables are embedded in an object without a shape.
const EMBEDDED: usize = 3;
/// The bits of the flags whose meaning depends on the type begin here (`RUBY_FL_USHIFT`).
const USER: u32 = 12;

/// What some bits of an object's flags have to be.
#[derive(Clone, Copy)]
struct Pattern {
    mask: VALUE,
    bits: VALUE,
}

impl Pattern {
    const NEVER: Self = Self { mask: 0, bits: 1 };

    const fn set(bit: u32) -> Self {
        Self { mask: 1 << bit, bits: 1 << bit }
    }

    const fn clear(bit: u32) -> Self {
        Self { mask: 1 << bit, bits: 0 }
    }

    const fn shape(number: VALUE) -> Self {
        Self { mask: ObjectLayout::SHAPE, bits: number << ObjectLayout::SHIFT }
    }

    #[inline(always)]
    const fn fits(self, flags: VALUE) -> bool {
        flags & self.mask == self.bits
    }
}

struct ObjectLayout {
    /// The bits that name the shape.
    shape: VALUE,
    /// The variables are in the object itself, not in memory apart from it.
    embedded: Pattern,
    /// They are in a hash table, because the objects of the class have too many shapes.
    complex: Pattern,
    /// One of the fields is no variable, but the `object_id`.
    has_id: Pattern,
    /// Without shapes: a variable has the same index in all objects of the class. Those that are not set are undefined,
    /// and the object says for how many it has room.
    counted: bool,
    /// The bits that count the members that are in a Struct itself; 0 where they are apart from it.
    embedded_members: VALUE,
}

impl ObjectLayout {
    const SHIFT: u32 = 32;
    const SHAPE: VALUE = (u32::MAX as VALUE) << Self::SHIFT;

    /// A version that is not known yet is taken for the newest that is.
    const fn of(version: (u32, u32)) -> Self {
        let shapes = Self {
            shape: Self::SHAPE,
            // ROBJECT_EMBED
            embedded: Pattern::set(USER + 1),
            // OBJ_TOO_COMPLEX_SHAPE_ID
            complex: Pattern::shape(11),
            has_id: Pattern::NEVER,
            counted: false,
            // RSTRUCT_EMBED_LEN_MASK
            embedded_members: 0b11 << (USER + 1),
        };
        let wide_structs = Self { embedded_members: 0b111_1111 << (USER + 1), ..shapes };
        match version {
            (3, ..=1) => Self { shape: 0, complex: Pattern::NEVER, counted: true, ..shapes },
            (3, 2) => shapes,
            (3, 3) => wide_structs,
            (3, 4) => Self { complex: Pattern::shape(2), ..wide_structs },
            _ => Self {
                // ROBJECT_HEAP
                embedded: Pattern::clear(USER + 4),
                // SHAPE_ID_FL_TOO_COMPLEX
                complex: Pattern::set(Self::SHIFT + 27),
                // SHAPE_ID_FL_HAS_OBJECT_ID
                has_id: Pattern::set(Self::SHIFT + 26),
                ..wide_structs
            },
        }
    }
}

const LAYOUT: ObjectLayout =
    ObjectLayout::of((rb_sys::RUBY_API_VERSION_MAJOR, rb_sys::RUBY_API_VERSION_MINOR));

/// The flags in which objects of a class differ that have their variables in different slots.
const KEY: VALUE = TYPE | LAYOUT.shape | LAYOUT.embedded.mask;

const FROZEN: VALUE = rb_sys::ruby_fl_type::RUBY_FL_FREEZE as VALUE;

/// [`KEY`] of an object; no object has 0.
///
/// SAFETY: `object` must be a live heap object.
#[inline(always)]
pub unsafe fn key(object: VALUE) -> VALUE {
    // SAFETY: as the caller says.
    unsafe { flags(object) & KEY }
}

/// The same of an object that may be written; of one that is frozen it is no object's key.
///
/// SAFETY: as for [`key`].
#[inline(always)]
pub unsafe fn key_to_write(object: VALUE) -> VALUE {
    // SAFETY: as the caller says.
    unsafe { flags(object) & (KEY | FROZEN) }
}

/// Where the objects with a key have a variable, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Embedded(usize),
    External(usize),
    /// They have none.
    Absent,
    /// Ruby's functions have to be asked.
    Unknown,
}

impl Slot {
    /// The slot of an object; `None` where it has none, or where that is unknown.
    ///
    /// SAFETY: `object` must be a live heap object with the key of the slot. The address is valid until Ruby runs.
    #[inline(always)]
    pub unsafe fn address(self, object: VALUE) -> Option<*mut VALUE> {
        match self {
            Self::Embedded(index) => Some(body(object).wrapping_add(index)),
            // SAFETY: as the caller says.
            Self::External(index) => unsafe {
                let (room, fields) = external(body(object));
                (index < room).then(|| fields.wrapping_add(index))
            },
            Self::Absent | Self::Unknown => None,
        }
    }

    /// The words in the slots of all objects, which Ruby may show as others ([`load`]). False: they are not all there.
    ///
    /// SAFETY: the objects must be live, with the key of the slot, and `into` as many.
    #[inline(always)]
    pub unsafe fn load_all(self, objects: &[VALUE], into: &mut [MaybeUninit<i64>]) -> bool {
        match self {
            Self::Embedded(index) => {
                for (object, into) in objects.iter().zip(into) {
                    // SAFETY: as the caller says.
                    into.write(unsafe { *body(*object).wrapping_add(index) } as i64);
                }
                true
            }
            Self::External(index) => {
                for (object, into) in objects.iter().zip(into) {
                    // SAFETY: as the caller says.
                    match unsafe { Self::External(index).address(*object).map(|slot| *slot) } {
                        Some(value) => into.write(value as i64),
                        None => return false,
                    };
                }
                true
            }
            Self::Absent | Self::Unknown => false,
        }
    }

    /// Asks for the memory that is looked at first in an object of such a slot.
    #[inline(always)]
    pub fn prefetch(self, object: VALUE) {
        value::prefetch(object as *const VALUE);
        if let Self::Embedded(index) = self {
            value::prefetch(body(object).wrapping_add(index));
        }
    }

    /// Looks for a variable. `rb_ivar_foreach` goes through those that are set in the order of their indices; the
    /// object's memory is gone through beside it, and the result tried against `rb_ivar_get`.
    ///
    /// SAFETY: `object` must be a live heap object.
    pub unsafe fn find(object: VALUE, id: ID) -> Self {
        // SAFETY: as the caller says.
        let flags = unsafe { flags(object) };
        if flags & TYPE != OBJECT || LAYOUT.complex.fits(flags) {
            return Self::Unknown;
        }
        // SAFETY: as above.
        let variables = unsafe { variables(object) };
        if variables.iter().all(|(name, _)| *name != id) {
            return if LAYOUT.counted { Self::Unknown } else { Self::Absent };
        }
        let slot = if LAYOUT.embedded.fits(flags) { Self::Embedded } else { Self::External };
        // SAFETY: an object is at least five words.
        let room = match (slot(0), unsafe { external(body(object)) }) {
            (Self::Embedded(_), _) => EMBEDDED,
            (_, (room, fields)) if fields.is_aligned() && !fields.is_null() => room,
            // The layout is another.
            _ => return Self::Unknown,
        };
        let has_id = LAYOUT.has_id.fits(flags);
        let count = if LAYOUT.counted { room } else { variables.len() + usize::from(has_id) };
        // SAFETY: the object has so many fields.
        let field = |index| unsafe { slot(index).address(object).map_or(UNDEFINED, |address| *address) };
        // SAFETY: the object is live, and has an id.
        let id_of_object = if has_id { unsafe { rb_sys::rb_obj_id(object) } } else { UNDEFINED };
        let mut found = None;
        // Which field is the id? A variable may be equal to it.
        let is_id = |i: &usize| if has_id { field(*i) == id_of_object } else { *i == count };
        for skipped in (0..count + usize::from(!has_id)).filter(is_id) {
            let mut fields =
                (0..count).filter(|i| *i != skipped && (!LAYOUT.counted || field(*i) != UNDEFINED));
            let mut index = None;
            let agrees = variables.iter().all(|(name, value)| {
                fields.next().is_some_and(|i| {
                    index = index.or((*name == id).then_some(i));
                    field(i) == *value
                })
            });
            match (agrees, found) {
                (true, None) => found = index,
                (true, Some(_)) if found != index => return Self::Unknown,
                _ => {}
            }
        }
        // SAFETY: as above.
        let value = unsafe { rb_sys::rb_ivar_get(object, id) };
        match found {
            Some(index) if field(index) == value => slot(index),
            _ => Self::Unknown,
        }
    }
}

/// How objects of a class that have just been allocated get certain variables: their flags before and after, and the slots.
/// It is learned of one object that Ruby's functions have given them.
#[derive(Clone, Debug)]
pub struct Template {
    fresh: VALUE,
    shape: VALUE,
    slots: Vec<usize>,
}

impl Template {
    const COMPARED: VALUE = KEY | FROZEN;

    /// The flags of an object that has no variables yet, to learn of it later.
    ///
    /// SAFETY: `object` must be a live heap object.
    pub unsafe fn fresh(object: VALUE) -> VALUE {
        // SAFETY: as the caller says.
        unsafe { flags(object) & Self::COMPARED }
    }

    /// `None` where the variables, or some of them, are not in the object itself.
    ///
    /// SAFETY: `object` must be a live heap object, and `fresh` what it was before it got these variables and no others.
    pub unsafe fn learn(fresh: VALUE, object: VALUE, names: &[ID]) -> Option<Self> {
        // SAFETY: as the caller says.
        let now = unsafe { flags(object) };
        let same = Self::COMPARED & !LAYOUT.shape;
        if !confirmed() || !LAYOUT.embedded.fits(now) || fresh & same != now & same {
            return None;
        }
        // SAFETY: as the caller says.
        let slots = names.iter().map(|name| match unsafe { Slot::find(object, *name) } {
            Slot::Embedded(index) => Some(index),
            _ => None,
        });
        Some(Self { fresh, shape: now & LAYOUT.shape, slots: slots.collect::<Option<_>>()? })
    }

    /// Gives the variables to an object, if it is one of those of which this was learned: then it has the same room, and
    /// Ruby would give it the same shape.
    ///
    /// SAFETY: `object` must be a live heap object that was just allocated and that nobody has seen, of the class of which
    /// this was learned; the values must be live, one for each name.
    #[inline(always)]
    pub unsafe fn fill(&self, object: VALUE, values: impl Iterator<Item = VALUE>) -> bool {
        // SAFETY: as the caller says; the flags are the object's first word, and the slots are in it.
        unsafe {
            let flags = flags(object);
            if flags & Self::COMPARED != self.fresh {
                return false;
            }
            *(object as *mut VALUE) = flags & !LAYOUT.shape | self.shape;
            for (index, value) in self.slots.iter().zip(values) {
                store(object, body(object).wrapping_add(*index), value);
            }
            true
        }
    }
}

/// What the headers of some objects say.
pub struct Headers {
    /// All are instances of the class itself: they have no singleton class either.
    pub are_of_class: bool,
    pub any_frozen: bool,
    /// That of all of them.
    pub key: Option<VALUE>,
}

/// So many objects ahead, one is fetched into the processor's cache.
const AHEAD: usize = 16;

/// Of some of these objects.
///
/// SAFETY: they must be live heap objects.
pub unsafe fn headers(objects: &[VALUE], rows: Range<usize>, class: VALUE) -> Headers {
    let later = &objects[rows.end.min(rows.start + AHEAD)..];
    let objects = &objects[rows];
    // SAFETY: as the caller says.
    let first = objects.first().map_or(0, |object| unsafe { key(*object) });
    let (mut other, mut frozen, mut keys) = (0, 0, 0);
    for (number, object) in objects.iter().enumerate() {
        if let Some(later) = later.get(number) {
            value::prefetch(*later as *const VALUE);
            value::prefetch(body(*later).wrapping_add(EMBEDDED - 1));
        }
        // SAFETY: as the caller says.
        let (flags, of) = unsafe { (flags(*object), value::class_pointer(*object)) };
        other |= of ^ class;
        frozen |= flags;
        keys |= (flags & KEY) ^ first;
    }
    Headers {
        are_of_class: other == 0,
        any_frozen: frozen & FROZEN != 0,
        key: (keys == 0 && confirmed()).then_some(first),
    }
}

/// The slot of a Struct's member, or of a part of a Complex or Rational; `None` for what is none of these or has no such
/// member.
///
/// SAFETY: `object` must be a live heap object. The slot is valid until Ruby runs.
#[inline(always)]
pub unsafe fn member(object: VALUE, index: usize) -> Option<*mut VALUE> {
    // SAFETY: the object is live, and its flags say what is in it.
    unsafe {
        let (flags, body) = (flags(object), body(object));
        match flags & TYPE {
            STRUCT => {}
            COMPLEX | RATIONAL => return (index < PARTS).then(|| body.wrapping_add(index)),
            _ => return None,
        }
        let embedded = (flags & LAYOUT.embedded_members) >> LAYOUT.embedded_members.trailing_zeros();
        let (count, members) = match embedded {
            0 => (*body, *body.wrapping_add(1) as *mut VALUE),
            _ => (embedded, body),
        };
        ((index as VALUE) < count).then(|| members.wrapping_add(index))
    }
}

/// The value of a slot of an instance variable.
///
/// SAFETY: the slot must be one.
#[inline(always)]
pub unsafe fn load(slot: *mut VALUE) -> VALUE {
    // SAFETY: as the caller says.
    match unsafe { *slot } {
        UNDEFINED if LAYOUT.counted => value::NIL,
        value => value,
    }
}

/// Is the variable of a slot set?
///
/// SAFETY: as for [`load`].
#[inline(always)]
pub unsafe fn is_set(slot: *mut VALUE) -> bool {
    // SAFETY: as the caller says.
    !LAYOUT.counted || unsafe { *slot } != UNDEFINED
}

/// Writes into a slot of an object, and tells the garbage collector of a reference. An immediate needs no more than the
/// store: also while marking goes on, Ruby's barrier (`rb_obj_written`, the same from 3.1 to 4.0) looks at the new value
/// only, and does nothing for an immediate. What was there before may be forgotten: the collector keeps what can be
/// reached when marking ends, and no snapshot of what could be when it began.
///
/// SAFETY: the slot must be one of the object, which is not frozen; the value must be live.
#[inline(always)]
pub unsafe fn store(object: VALUE, slot: *mut VALUE, value: VALUE) {
    // SAFETY: as the caller says.
    unsafe {
        *slot = value;
        if !rb_sys::SPECIAL_CONST_P(value) {
            rb_sys::rb_gc_writebarrier(object, value);
        }
    }
}

/// SAFETY: `object` must be a live heap object.
#[inline(always)]
unsafe fn flags(object: VALUE) -> VALUE {
    // SAFETY: as the caller says; every heap object begins with its flags.
    unsafe { *(object as *const VALUE) }
}

#[inline(always)]
const fn body(object: VALUE) -> *mut VALUE {
    (object as *mut VALUE).wrapping_add(HEADER)
}

/// Variables apart from their object: for how many there is room, where the shape does not say so, and where they are.
///
/// SAFETY: two words must be there.
#[inline(always)]
unsafe fn external(body: *mut VALUE) -> (usize, *mut VALUE) {
    // SAFETY: as the caller says.
    unsafe {
        match LAYOUT.counted {
            true => (*body as u32 as usize, *body.wrapping_add(1) as *mut VALUE),
            false => (usize::MAX, *body as *mut VALUE),
        }
    }
}

/// The names of the instance variables that an object has, in Ruby's order.
pub fn variables_of(object: VALUE) -> Vec<ID> {
    // SAFETY: who asks has the object, which is live.
    let all = unsafe { variables(object) };
    all.into_iter().map(|(name, _)| name).filter(|name| value::name_of(*name).starts_with('@')).collect()
}

/// The variables of an object that are set, in the order of their indices.
///
/// SAFETY: `object` must be a live heap object.
unsafe fn variables(object: VALUE) -> Vec<(ID, VALUE)> {
    unsafe extern "C" fn list(name: ID, value: VALUE, all: rb_sys::st_data_t) -> c_int {
        // SAFETY: `all` is the vector below, which outlives the call.
        unsafe { &mut *(all as *mut Vec<(ID, VALUE)>) }.push((name, value));
        rb_sys::st_retval::ST_CONTINUE as c_int
    }
    let mut all: Vec<(ID, VALUE)> = Vec::new();
    // SAFETY: as the caller says.
    unsafe { rb_sys::rb_ivar_foreach(object, Some(list), (&raw mut all) as _) };
    all
}
