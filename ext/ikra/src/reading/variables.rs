//! Reading and writing one variable of many objects of a class. Where a shape is met, the index is found with
//! `rb_ivar_foreach` beside the object's memory and tried against `rb_ivar_get`, and from then on the slot is accessed
//! directly (`vm/object_layout.rs`), reading and writing; objects in a row mostly have the shape of the one before.
//! Members of Structs are accessed so too. Objects that Ruby keeps in hash tables (too many shapes in a class), and
//! variables of what is no plain object, go through Ruby's functions. To access a slot costs a fifth of `rb_ivar_get`.

use crate::reading::patterns;
use crate::reading::procs;
use crate::reading::strings::Text;
use crate::vm::dates::{self, Dates};
use crate::vm::gvl::or_defer;
use crate::vm::object_layout::{self, Slot};
use crate::vm::{classes, integers, random_state, value};
use ikra_core::infer::{ADDRESS, PATTERN, PROC_SELF, RANGE_PARTS, SET, VARIABLES};
use ikra_core::types::ClassId;
use magnus::rb_sys::AsRawValue;
use magnus::{Error, Ruby, Symbol};
use rb_sys::{ID, VALUE};
use rustc_hash::FxHashMap;

/// How many objects are read at once. Their values stand on the stack, where the garbage collector sees them.
pub const BLOCK: usize = 256;
/// For so few objects looking for the slot does not pay.
const FEW: usize = 16;
/// So many objects ahead, one is fetched into the processor's cache.
const AHEAD: usize = 12;

/// How a variable of the objects of a class is read and written.
#[derive(Clone, Debug)]
pub enum Access {
    Variable(Variable),
    /// Is an instance variable set, also to nil? Writing true sets one that is not to nil.
    IsSet(Variable),
    /// Where the object is in memory, which does not change while it is pinned.
    Address,
    /// Which instance variables are set, in Ruby's order: the number of one of these.
    Order(Orders),
    /// A Struct's member, or a part of a Complex, Rational or Range, by position.
    Member(VALUE),
    /// What is in a Random: a new array of its state, or its seed.
    RandomState,
    RandomSeed,
    /// What a Regexp is compiled to.
    Pattern,
    /// The words of an Integer beyond 64 bits: a new String.
    Words,
    /// The day number of a Date.
    Day(Dates),
    /// Of a String.
    Text(Text),
    /// What a Proc or Method has captured by this name, a Symbol that does not die; or its `self`.
    Captured(Option<VALUE>),
    /// Objects of the class have no such member.
    Missing,
}

/// Variables that objects of Ruby's own classes have here, and no user can name.
pub const RANDOM_STATE: &str = "#state";
pub const RANDOM_SEED: &str = "#seed";

impl Access {
    /// An instance variable, or a member where the name has no `@`.
    pub fn new(ruby: &Ruby, class: VALUE, name: &str) -> Self {
        if name.starts_with('@') {
            return Self::Variable(Variable::new(value::intern(ruby, name)));
        }
        if let Some(name) = name.strip_prefix(SET) {
            return Self::IsSet(Variable::new(value::intern(ruby, name)));
        }
        if let Some(text) = Text::named(name) {
            return Self::Text(text);
        }
        if procs::has_literals(class) {
            let name = (name != PROC_SELF).then(|| value::symbol_of(value::intern(ruby, name)));
            return Self::Captured(name);
        }
        match name {
            ADDRESS => return Self::Address,
            VARIABLES => return Self::Order(Orders::default()),
            RANDOM_STATE => return Self::RandomState,
            RANDOM_SEED => return Self::RandomSeed,
            PATTERN => return Self::Pattern,
            ClassId::WORDS => return Self::Words,
            ClassId::DAY => return dates::known(ruby).map_or(Self::Missing, Self::Day),
            _ => {}
        }
        // For C a Range is a Struct.
        if let Some(part) = RANGE_PARTS.iter().position(|part| *part == name) {
            return value::fixnum(part as i64).map_or(Self::Missing, Self::Member);
        }
        let key = classes::member_key(class, name);
        key.map_or(Self::Missing, Self::Member)
    }

    pub fn variable(name: Symbol) -> Self {
        // SAFETY: the name is a live Symbol.
        Self::Variable(Variable::new(unsafe { rb_sys::rb_sym2id(name.as_raw()) }))
    }

    /// What Ruby's functions say; nil where the variable is not set.
    ///
    /// SAFETY: the object must be live and an instance of the class.
    pub unsafe fn ask(&self, object: VALUE) -> VALUE {
        // SAFETY: as the caller says.
        unsafe {
            match self {
                Self::Variable(variable) => rb_sys::rb_ivar_get(object, variable.id),
                Self::IsSet(variable) => rb_sys::rb_ivar_defined(object, variable.id),
                Self::Address => address(object),
                Self::Order(orders) => orders.clone().number_of(object),
                Self::Member(key) => classes::member(object, *key),
                Self::RandomState => of_random(random_state::state, object),
                Self::RandomSeed => of_random(random_state::seed, object),
                Self::Pattern => patterns::address(&Ruby::get_unchecked(), object),
                Self::Words => or_defer(integers::words(object), value::NIL),
                Self::Day(dates) => dates.day(object),
                Self::Text(text) => text.of(object),
                Self::Captured(name) => {
                    or_defer(procs::captured(&Ruby::get_unchecked(), object, *name), value::NIL)
                }
                Self::Missing => value::NIL,
            }
        }
    }

    /// The variable of each object, nil where it is not set.
    ///
    /// SAFETY: the objects must be live and instances of the class, and `values` as many.
    pub unsafe fn read(&mut self, objects: &[VALUE], values: &mut [VALUE]) {
        // SAFETY: as the caller says; none of these functions runs code of the user. What they allocate is in `values`.
        unsafe {
            match self {
                Self::Variable(variable) => variable.read::<Held>(objects, values),
                Self::IsSet(variable) => variable.read::<IsSet>(objects, values),
                Self::Address => {
                    objects.iter().zip(values).for_each(|(object, value)| *value = address(*object));
                }
                Self::Order(orders) => {
                    objects.iter().zip(values).for_each(|(object, value)| *value = orders.number_of(*object));
                }
                Self::Member(key) => {
                    let (direct, index) = (object_layout::confirmed(), rb_sys::FIX2LONG(*key) as usize);
                    for (object, value) in objects.iter().zip(values) {
                        *value = match object_layout::member(*object, index) {
                            Some(address) if direct => *address,
                            _ => classes::member(*object, *key),
                        }
                    }
                }
                Self::RandomState
                | Self::RandomSeed
                | Self::Pattern
                | Self::Words
                | Self::Day(_)
                | Self::Captured(_) => {
                    for (object, value) in objects.iter().zip(values) {
                        *value = self.ask(*object);
                    }
                }
                Self::Text(text) => {
                    objects.iter().zip(values).for_each(|(object, value)| *value = text.of(*object));
                }
                Self::Missing => values.fill(value::NIL),
            }
        }
    }

    /// As [`Access::read`], by nothing but slots that are known: of the leading objects; gives how many. Any thread may do
    /// it while Ruby does not run.
    ///
    /// SAFETY: as for [`Access::read`].
    pub unsafe fn load(&self, objects: &[VALUE], values: &mut [VALUE]) -> usize {
        // SAFETY: as the caller says.
        unsafe {
            match self {
                Self::Variable(variable) => variable.load::<Held>(objects, values),
                Self::IsSet(variable) => variable.load::<IsSet>(objects, values),
                Self::Member(key) => {
                    let (direct, index) = (object_layout::confirmed(), rb_sys::FIX2LONG(*key) as usize);
                    for (number, (object, value)) in objects.iter().zip(values).enumerate() {
                        match object_layout::member(*object, index) {
                            Some(address) if direct => *value = *address,
                            _ => return number,
                        }
                    }
                    objects.len()
                }
                Self::Address => {
                    objects.iter().zip(values).for_each(|(object, value)| *value = address(*object));
                    objects.len()
                }
                // That takes Ruby.
                Self::Order(_)
                | Self::RandomState
                | Self::RandomSeed
                | Self::Pattern
                | Self::Words
                | Self::Day(_)
                | Self::Captured(_) => 0,
                // Words are listed by the calling thread.
                Self::Text(Text::Words) => 0,
                Self::Text(text) => {
                    objects.iter().zip(values).for_each(|(object, value)| *value = text.of(*object));
                    objects.len()
                }
                Self::Missing => {
                    values.fill(value::NIL);
                    objects.len()
                }
            }
        }
    }

    /// Where all objects with this key have the variable, if any thread may look there.
    pub fn slot(&self, key: VALUE) -> Option<Slot> {
        match self {
            Self::Variable(variable) => variable.slots.get(&key).copied(),
            _ => None,
        }
    }

    /// Does it look at nothing but words of the object?
    pub const fn is_flat(&self) -> bool {
        matches!(self, Self::Variable(_) | Self::IsSet(_) | Self::Member(_) | Self::Missing)
    }

    /// Sets the variable of each object. May raise where an object has no room for it yet.
    ///
    /// SAFETY: the objects must be live, instances of the class and not frozen, and `values` as many and live.
    pub unsafe fn write(&mut self, objects: &[VALUE], values: &[VALUE]) {
        // SAFETY: as the caller says.
        unsafe {
            match self {
                Self::Variable(variable) => variable.write(objects, values),
                Self::IsSet(variable) => {
                    for (object, value) in objects.iter().zip(values) {
                        let is_unset = || rb_sys::rb_ivar_defined(*object, variable.id) != value::TRUE;
                        if *value == value::TRUE && is_unset() {
                            rb_sys::rb_ivar_set(*object, variable.id, value::NIL);
                        }
                    }
                }
                Self::Member(key) => {
                    let (direct, index) = (object_layout::confirmed(), rb_sys::FIX2LONG(*key) as usize);
                    for (object, value) in objects.iter().zip(values) {
                        match object_layout::member(*object, index) {
                            Some(address) if direct => object_layout::store(*object, address, *value),
                            _ => drop(rb_sys::rb_struct_aset(*object, *key, *value)),
                        }
                    }
                }
                // Nobody writes those so.
                Self::Text(_)
                | Self::Address
                | Self::Order(_)
                | Self::RandomState
                | Self::RandomSeed
                | Self::Pattern
                | Self::Words
                | Self::Day(_)
                | Self::Captured(_)
                | Self::Missing => {}
            }
        }
    }
}

/// As an Integer: no address takes more bits than a Fixnum has.
fn address(object: VALUE) -> VALUE {
    value::fixnum(object as i64).unwrap_or(value::NIL)
}

/// The instance variables that objects of a class have, in the order that Ruby tells them in: all orders that were met.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    known: Vec<Vec<ID>>,
    /// There are no others that code was made for: nil is the number of one.
    complete: bool,
}

impl Orders {
    pub const fn complete(known: Vec<Vec<ID>>) -> Self {
        Self { known, complete: true }
    }

    pub fn known(&self) -> &[Vec<ID>] {
        &self.known
    }

    fn number_of(&mut self, object: VALUE) -> VALUE {
        let order = object_layout::variables_of(object);
        let found = self.known.iter().position(|known| *known == order);
        match found {
            None if self.complete => value::NIL,
            found => {
                let number = found.unwrap_or_else(|| {
                    self.known.push(order);
                    self.known.len() - 1
                });
                value::fixnum(number as i64).unwrap_or(value::NIL)
            }
        }
    }
}

/// What a function of Ruby's gives of a Random; its errors are raised when the reading has ended.
fn of_random(ask: fn(&Ruby, VALUE) -> Result<VALUE, Error>, random: VALUE) -> VALUE {
    // SAFETY: objects are read by threads of Ruby that have the GVL.
    or_defer(ask(&unsafe { Ruby::get_unchecked() }, random), value::NIL)
}

/// Has the processor fetch an object that is looked at soon.
#[inline(always)]
fn fetch(objects: &[VALUE], number: usize) {
    if let Some(later) = objects.get(number + AHEAD) {
        value::prefetch(*later as *const VALUE);
    }
}

/// What is read of a variable.
trait Look {
    /// Of objects without it.
    const ABSENT: VALUE;
    /// Of a slot.
    ///
    /// SAFETY: the slot must be one.
    unsafe fn of_slot(slot: *mut VALUE) -> VALUE;
    /// What Ruby's function says.
    ///
    /// SAFETY: the object must be live.
    unsafe fn ask(object: VALUE, id: ID) -> VALUE;
}

/// Its value; nil where it is not set.
struct Held;

impl Look for Held {
    const ABSENT: VALUE = value::NIL;

    #[inline(always)]
    unsafe fn of_slot(slot: *mut VALUE) -> VALUE {
        // SAFETY: as the caller says.
        unsafe { object_layout::load(slot) }
    }

    unsafe fn ask(object: VALUE, id: ID) -> VALUE {
        // SAFETY: as the caller says.
        unsafe { rb_sys::rb_ivar_get(object, id) }
    }
}

/// Whether it is set.
struct IsSet;

impl Look for IsSet {
    const ABSENT: VALUE = value::FALSE;

    #[inline(always)]
    unsafe fn of_slot(slot: *mut VALUE) -> VALUE {
        // SAFETY: as the caller says.
        if unsafe { object_layout::is_set(slot) } { value::TRUE } else { value::FALSE }
    }

    unsafe fn ask(object: VALUE, id: ID) -> VALUE {
        // SAFETY: as the caller says.
        unsafe { rb_sys::rb_ivar_defined(object, id) }
    }
}

/// An instance variable, and the slots that were found for it.
#[derive(Clone, Debug)]
pub struct Variable {
    id: ID,
    /// By [`object_layout::key`].
    slots: FxHashMap<VALUE, Slot>,
    /// Those met last, by [`Variable::line`]: as a rule a class has few keys, or one.
    recent: [(VALUE, Slot); 8],
    /// Some are unknown.
    unknown: bool,
}

impl Variable {
    const NONE: (VALUE, Slot) = (0, Slot::Unknown);

    fn new(id: ID) -> Self {
        Self { id, slots: FxHashMap::default(), recent: [Self::NONE; 8], unknown: false }
    }

    /// Shapes are numbered one after the other, in the upper half of the key.
    const fn line(key: VALUE) -> usize {
        (key >> 32 ^ key >> 13) as usize % 8
    }

    /// SAFETY: as for [`Access::read`].
    unsafe fn read<L: Look>(&mut self, objects: &[VALUE], values: &mut [VALUE]) {
        let learns = self.begin(objects);
        let mut last = Self::NONE;
        for (number, (object, value)) in objects.iter().zip(values).enumerate() {
            fetch(objects, number);
            // SAFETY: as the caller says; the slot is that of objects with this key.
            unsafe {
                let key = object_layout::key(*object);
                if key != last.0 {
                    last = self.slot(*object, key, learns);
                }
                *value = match (last.1.address(*object), last.1) {
                    (Some(address), _) => L::of_slot(address),
                    (None, Slot::Absent) => L::ABSENT,
                    (None, _) => L::ask(*object, self.id),
                }
            }
        }
    }

    /// SAFETY: as for [`Access::read`].
    unsafe fn load<L: Look>(&self, objects: &[VALUE], values: &mut [VALUE]) -> usize {
        let mut last = Self::NONE;
        for (number, (object, value)) in objects.iter().zip(values).enumerate() {
            fetch(objects, number);
            // SAFETY: as the caller says; the slot is that of objects with this key.
            unsafe {
                let key = object_layout::key(*object);
                if key != last.0 {
                    match self.slots.get(&key) {
                        Some(slot) => last = (key, *slot),
                        None => return number,
                    }
                }
                *value = match (last.1.address(*object), last.1) {
                    (Some(address), _) => L::of_slot(address),
                    (None, Slot::Absent) => L::ABSENT,
                    (None, _) => return number,
                }
            }
        }
        objects.len()
    }

    /// SAFETY: as for [`Access::write`].
    unsafe fn write(&mut self, objects: &[VALUE], values: &[VALUE]) {
        let learns = self.begin(objects);
        let mut last = Self::NONE;
        for (object, value) in objects.iter().zip(values) {
            // SAFETY: as the caller says; the slot is that of objects with this key.
            unsafe {
                let key = object_layout::key(*object);
                if key != last.0 {
                    last = self.slot(*object, key, learns);
                }
                match last.1.address(*object) {
                    Some(address) => object_layout::store(*object, address, *value),
                    None => drop(rb_sys::rb_ivar_set(*object, self.id, *value)),
                }
            }
        }
    }

    /// Before a block of objects: are slots to be looked for? What was not found in one object may be in another.
    fn begin(&mut self, objects: &[VALUE]) -> bool {
        if std::mem::take(&mut self.unknown) {
            self.slots.retain(|_, slot| *slot != Slot::Unknown);
            self.recent = [Self::NONE; 8];
        }
        objects.len() >= FEW && object_layout::confirmed()
    }

    /// The key with the slot in objects that have it, of which `object` is one.
    ///
    /// SAFETY: the object must be live.
    #[inline(never)]
    unsafe fn slot(&mut self, object: VALUE, key: VALUE, learns: bool) -> (VALUE, Slot) {
        let recent = self.recent[Self::line(key)];
        if recent.0 == key {
            return recent;
        }
        let id = self.id;
        let slot = *self.slots.entry(key).or_insert_with(|| match learns {
            // SAFETY: as the caller says.
            true => unsafe { Slot::find(object, id) },
            false => Slot::Unknown,
        });
        self.recent[Self::line(key)] = (key, slot);
        self.unknown |= slot == Slot::Unknown;
        (key, slot)
    }
}

/// For the specs, which compare with Ruby.
#[cfg(feature = "testing")]
pub mod testing {
    use super::{Access, Slot, Variable};
    use crate::vm::{object_layout, value};
    use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
    use magnus::{Error, RArray, Ruby, Symbol, Value, prelude::*};

    /// A variable of all objects of an array, which are of one class.
    pub fn read_all(ruby: &Ruby, objects: RArray, name: &str) -> RArray {
        let mut values = vec![value::NIL; objects.len()];
        let mut access = of_first(ruby, objects, name);
        // SAFETY: the objects stand in a live array, and nothing below changes it. The values are held by the objects.
        unsafe {
            let objects =
                std::slice::from_raw_parts(rb_sys::RARRAY_CONST_PTR(objects.as_raw()), objects.len());
            access.read(objects, &mut values);
            ruby.ary_from_iter(values.into_iter().map(|value| Value::from_raw(value)))
        }
    }

    /// Sets a variable of all objects of an array, which are of one class and not frozen.
    pub fn write_all(ruby: &Ruby, objects: RArray, name: &str, values: RArray) -> Result<(), Error> {
        let mut access = of_first(ruby, objects, name);
        protect(|| {
            // SAFETY: objects and values stand in live arrays, and nothing here changes those.
            unsafe {
                let [objects, values] = [objects, values].map(|array| {
                    std::slice::from_raw_parts(rb_sys::RARRAY_CONST_PTR(array.as_raw()), array.len())
                });
                access.write(objects, values);
            }
            value::NIL
        })?;
        Ok(())
    }

    /// What kind of slot an object has for a variable; nothing where only Ruby's functions know.
    pub fn slot(object: Value, name: Symbol) -> Option<&'static str> {
        let Access::Variable(Variable { id, .. }) = Access::variable(name) else { return None };
        let asked = object_layout::confirmed() && !rb_sys::SPECIAL_CONST_P(object.as_raw());
        // SAFETY: the object is live, and no special constant.
        match asked.then(|| unsafe { Slot::find(object.as_raw(), id) })? {
            Slot::Embedded(_) => Some("embedded"),
            Slot::External(_) => Some("external"),
            Slot::Absent => Some("absent"),
            Slot::Unknown => None,
        }
    }

    fn of_first(ruby: &Ruby, objects: RArray, name: &str) -> Access {
        let class = objects.entry::<Value>(0).map(|object| object.class().as_raw());
        class.map_or(Access::Missing, |class| Access::new(ruby, class, name))
    }
}
