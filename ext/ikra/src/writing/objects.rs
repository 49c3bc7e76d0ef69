//! Objects that a section has made, as Ruby's: allocated, and their variables set in the order in which Ruby would have
//! set them. `initialize` has run in the section. Where Ruby's functions have given an object of a class its variables
//! within itself, later ones get them as plain memory with the shape of that one (`object_layout::Template`).

use crate::reading::variables::{RANDOM_SEED, RANDOM_STATE};
use crate::vm::errors::Trouble;
use crate::vm::object_layout::{self, Template};
use crate::vm::object_pool::ObjectPool;
use crate::vm::{classes, dates, random_state, value};
use crate::writing::strings;
use ikra_core::error::Error;
use ikra_core::faults;
use ikra_core::heap::Schema;
use ikra_core::infer::{
    ARGUMENTS, CAUSE, EXCEPTION_MESSAGE, FACTS, FROZEN, ORDER, ORIGINAL, OrderNames, PATTERN, RAISED,
    RAISED_PATH, RECEIVER, SUBJECT, UNTOLD, UNTOLD_OPERANDS,
};
use ikra_core::regexp::{FIXED_ENCODING, Pattern};
use ikra_core::string_layout::Encoding as StringEncoding;
use ikra_core::types::ClassId;
use magnus::rb_sys::{FromRawValue, protect};
use magnus::{Ruby, Value};
use rb_sys::{ID, VALUE};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::hint::black_box;
use std::rc::Rc;

/// How objects of a class are made of the values of their variables.
pub struct Maker {
    number: ClassId,
    class: VALUE,
    /// The variables' names, and where that of the order is among them.
    names: Vec<ID>,
    order: usize,
    /// Of an exception: where its message is, and where the site and path are that it was raised at.
    pub raised: Option<[usize; 3]>,
    /// Where what is known of it beside the message is, of one that keeps more: facts, subject, receiver, arguments.
    pub kept: Option<[usize; 4]>,
    /// Where it says whether the host makes the message, and the operands of that.
    pub untold: Option<[usize; 3]>,
    pub cause: Option<usize>,
    /// Where the number is of the object that it is a copy of.
    original: Option<usize>,
    /// Of a Random: where its state is, and its seed.
    random: Option<[usize; 2]>,
    /// Of a Regexp: where the address of its pattern is.
    pattern: Option<usize>,
    /// Of a Struct: which variable each member is.
    members: Option<Vec<usize>>,
    /// Of what is made as a whole.
    whole: Option<Whole>,
    /// Frozen as soon as they are made: all of them, or those of which this variable says so.
    frozen: bool,
    freezes: Option<usize>,
    orders: RefCell<FxHashMap<i64, Rc<Order>>>,
}

/// Where the parts are of what is made as a whole: of an Integer beyond 64 bits the words, in a String, or the low one
/// and the high one of two; of a Date its day.
#[derive(Clone, Copy)]
pub enum Whole {
    Words(usize),
    Wide(usize, usize),
    Day(usize),
}

impl Whole {
    fn known(place: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        match [ClassId::WORDS, ClassId::LOW, ClassId::HIGH, ClassId::DAY].map(place) {
            [Some(words), ..] => Some(Self::Words(words)),
            [None, Some(low), Some(high), _] => Some(Self::Wide(low, high)),
            [.., Some(day)] => Some(Self::Day(day)),
            _ => None,
        }
    }
}

/// The variables that an object gets, by their places, one after the other.
pub struct Order {
    places: Vec<usize>,
    template: RefCell<Option<Template>>,
    /// How often that was tried.
    tries: Cell<u32>,
}

/// What a copy is one of: an object that was there before, and the names of the variables that it had.
pub struct Origin {
    pub object: VALUE,
    pub names: Vec<ID>,
}

/// So often it is tried to learn a template: the first objects of a class may have less room than later ones.
const TRIES: u32 = 8;

impl Maker {
    pub fn new(ruby: &Ruby, pool: &ObjectPool, class: ClassId, names: &[&str]) -> Result<Self, Error> {
        let value = pool.class(class);
        let order = names.iter().position(|name| *name == ORDER);
        let order = order.ok_or_else(|| Error::Internal(format!("{} has no order", pool.name(class))))?;
        let known = |wanted: &str| names.iter().position(|name| *name == wanted);
        let raised = match [EXCEPTION_MESSAGE, RAISED, RAISED_PATH].map(known) {
            [Some(message), Some(site), Some(path)] => Some([message, site, path]),
            _ => None,
        };
        let kept = match [FACTS, SUBJECT, RECEIVER, ARGUMENTS].map(known) {
            [Some(facts), Some(subject), Some(receiver), Some(arguments)] => {
                Some([facts, subject, receiver, arguments])
            }
            _ => None,
        };
        let untold = [UNTOLD, UNTOLD_OPERANDS[0], UNTOLD_OPERANDS[1]].map(known);
        let untold = match untold {
            [Some(untold), Some(one), Some(two)] => Some([untold, one, two]),
            _ => None,
        };
        let random = match [RANDOM_STATE, RANDOM_SEED].map(known) {
            [Some(state), Some(seed)] => Some([state, seed]),
            _ => None,
        };
        let members = pool.members(class);
        let place = |member: &String| {
            let place = names.iter().position(|name| name == member);
            place.ok_or_else(|| Error::Internal(format!("{} lacks a member", pool.name(class))))
        };
        let members = match members.is_empty() {
            true => None,
            false => Some(members.iter().map(place).collect::<Result<_, _>>()?),
        };
        Ok(Self {
            number: class,
            class: value,
            names: names.iter().map(|name| value::intern(ruby, name)).collect(),
            order,
            raised,
            kept,
            untold,
            cause: known(CAUSE),
            random,
            pattern: known(PATTERN),
            whole: Whole::known(known),
            original: names.iter().position(|name| *name == ORIGINAL),
            members,
            freezes: names.iter().position(|name| *name == FROZEN),
            frozen: class.is_number_of_parts() || classes::inherits(value, pool.class(ClassId::DATA)),
            orders: RefCell::default(),
        })
    }

    pub const fn class(&self) -> ClassId {
        self.number
    }

    /// Where the number of the order is among the variables.
    pub const fn order(&self) -> usize {
        self.order
    }

    /// Where the array of a Random's state is, which no other object refers to.
    pub fn state(&self) -> Option<usize> {
        self.random.map(|[state, _]| state)
    }

    /// Of what is made of its parts as a whole: where they are.
    pub const fn whole(&self) -> Option<Whole> {
        self.whole
    }

    /// A new object without variables.
    pub fn allocate(&self) -> Result<VALUE, Trouble> {
        faults::point("making an object")?;
        // SAFETY: the class is live; what is raised ends in `protect`.
        Ok(protect(|| unsafe { rb_sys::rb_obj_alloc(self.class) })?)
    }

    /// The variables that an order names.
    pub fn order_of(&self, ruby: &Ruby, schema: &Schema, order: i64) -> Result<Rc<Order>, Error> {
        if let Some(known) = self.orders.borrow().get(&order) {
            return Ok(known.clone());
        }
        let variables = schema.leaving.get(&self.number).map_or(&[][..], Vec::as_slice);
        let names = OrderNames { orders: &schema.orders, variables }.of(order);
        let names = names.ok_or_else(|| Error::Internal("an object of no known order".into()))?;
        let place = |name: &String| {
            let id = value::intern(ruby, name);
            let place = self.names.iter().position(|known| *known == id);
            place.ok_or_else(|| Error::Internal(format!("{name} is not there")))
        };
        let places = names.iter().map(place).collect::<Result<_, _>>()?;
        let known = Rc::new(Order { places, template: RefCell::default(), tries: Cell::default() });
        self.orders.borrow_mut().insert(order, known.clone());
        Ok(known)
    }

    /// The number of the object that it is a copy of, by the values of its variables.
    pub fn original_of(&self, values: &[VALUE]) -> Option<i64> {
        let number = values[self.original?];
        value::is_fixnum(number).then(|| value::fixnum_value(number) - 1).filter(|number| *number >= 0)
    }

    /// Where it is said whether an object is frozen, if that is not the same for all.
    pub const fn freezes(&self) -> Option<usize> {
        self.freezes
    }

    pub const fn all_frozen(&self) -> bool {
        self.frozen
    }

    pub fn name(&self, place: usize) -> String {
        value::name_of(self.names[place])
    }

    pub fn all_names(&self) -> &[ID] {
        &self.names
    }

    pub const fn original(&self) -> Option<usize> {
        self.original
    }

    /// The names of the variables that an order has.
    pub fn names_of<'a>(&'a self, order: &'a Order) -> impl Iterator<Item = ID> + 'a {
        order.places.iter().map(|place| self.names[*place])
    }

    /// Sets all variables of an object that was just allocated. The values are on the stack, one for each name. The array
    /// of a Random's state has its items.
    pub fn set(
        &self,
        object: VALUE,
        order: &Order,
        values: &[VALUE],
        origin: Option<Origin>,
    ) -> Result<(), Trouble> {
        match origin {
            Some(origin) => self.set_copied(object, order, values, &origin)?,
            None => self.set_variables(object, order, values)?,
        }
        if let Some([state, seed]) = self.random {
            // SAFETY: the object is live.
            let ruby = Ruby::get_with(unsafe { Value::from_raw(object) });
            random_state::set(&ruby, object, values[state], values[seed])?;
        }
        if let Some(pattern) = self.pattern {
            set_pattern(object, values[pattern])?;
        }
        if self.frozen || self.freezes.is_some_and(|place| values[place] == value::TRUE) {
            // SAFETY: the object is live.
            protect(|| unsafe { rb_sys::rb_obj_freeze(object) })?;
        }
        Ok(())
    }

    /// The same of a copy: first the variables that the original had, then what was set later. What nobody has looked at
    /// is what the original has.
    fn set_copied(
        &self,
        object: VALUE,
        order: &Order,
        values: &[VALUE],
        origin: &Origin,
    ) -> Result<(), Trouble> {
        self.set_members(object, values)?;
        let is_variable = |name: &ID| origin.names.contains(name);
        let added = self.names.iter().zip(values).filter(|(name, value)| {
            **value != value::NIL && value::name_of(**name).starts_with('@') && !is_variable(name)
        });
        let added: Vec<ID> = added.map(|(name, _)| *name).collect();
        let mut names = origin.names.clone();
        for name in self.names_of(order).chain(added) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let known = self.names.iter().position(|known| *known == name).map(|place| values[place]);
            // SAFETY: both objects are live. What is raised ends in `protect`.
            protect(|| unsafe {
                let value = known.unwrap_or_else(|| rb_sys::rb_ivar_get(origin.object, name));
                rb_sys::rb_ivar_set(object, name, value);
                value::NIL
            })?;
        }
        Ok(())
    }

    fn set_members(&self, object: VALUE, values: &[VALUE]) -> Result<(), Trouble> {
        if self.number.parts().is_some() {
            return self.set_parts(object, values);
        }
        // SAFETY: the object is live, and so are the values. What is raised ends in `protect`, and nothing in the closure
        // needs dropping.
        protect(|| unsafe {
            for (position, place) in self.members.iter().flatten().enumerate() {
                rb_sys::rb_struct_aset(object, rb_sys::rb_int2inum(position as _), values[*place]);
            }
            value::NIL
        })?;
        Ok(())
    }

    /// Those of a number, which is frozen from its beginning: nobody has seen it yet.
    fn set_parts(&self, object: VALUE, values: &[VALUE]) -> Result<(), Trouble> {
        let unknown = || Error::Internal("the layout of Complex and Rational is not known".into());
        for (index, place) in self.members.iter().flatten().enumerate() {
            // SAFETY: the object is new, and of a class whose parts these are. The values are live.
            unsafe {
                let known =
                    object_layout::confirmed().then(|| object_layout::member(object, index)).flatten();
                object_layout::store(object, known.ok_or_else(unknown)?, values[*place]);
            }
        }
        Ok(())
    }

    fn set_variables(&self, object: VALUE, order: &Order, values: &[VALUE]) -> Result<(), Trouble> {
        if let Some(template) = order.template.borrow().as_ref().filter(|_| self.raised.is_none()) {
            // SAFETY: the object is new and of the class, and the values are live.
            if unsafe { template.fill(object, order.places.iter().map(|place| values[*place])) } {
                return Ok(());
            }
        }
        // SAFETY: the object is live.
        let fresh = unsafe { Template::fresh(object) };
        self.set_members(object, values)?;
        // SAFETY: as above.
        protect(|| unsafe {
            for place in &order.places {
                rb_sys::rb_ivar_set(object, self.names[*place], values[*place]);
            }
            value::NIL
        })?;
        let is_plain = self.random.is_none() && self.pattern.is_none();
        if self.members.is_none() && self.raised.is_none() && is_plain && order.tries.get() < TRIES {
            order.tries.set(order.tries.get() + 1);
            let names: Vec<ID> = order.places.iter().map(|place| self.names[*place]).collect();
            // SAFETY: the object has got these variables and no others.
            *order.template.borrow_mut() = unsafe { Template::learn(fresh, object, &names) };
        }
        Ok(())
    }
}

/// A Date of a day.
pub fn make_date(ruby: &Ruby, day: i64, is_frozen: bool) -> Result<VALUE, Trouble> {
    faults::point("making an object")?;
    let unknown = || Trouble::from(Error::Internal("a Date of no day".into()));
    let (dates, day) = dates::known(ruby).zip(value::fixnum(day)).ok_or_else(unknown)?;
    let date = black_box(dates.make(day)?);
    if is_frozen {
        // SAFETY: the object is live; what is raised ends in `protect`.
        protect(|| unsafe { rb_sys::rb_obj_freeze(date) })?;
    }
    Ok(date)
}

/// Makes a Regexp that was just allocated that of a pattern, whose address this is.
fn set_pattern(regexp: VALUE, address: VALUE) -> Result<(), Trouble> {
    if !value::is_fixnum(address) {
        return Err(Error::Internal("a Regexp without a pattern".into()).into());
    }
    // SAFETY: patterns stay as long as the run does, and this is within it.
    let pattern = unsafe { &*(value::fixnum_value(address) as usize as *const Pattern) };
    let source = black_box(strings::make(pattern.source().as_bytes(), StringEncoding::Utf8 as i64)?);
    // What has an encoding for its characters is not told so.
    let options = pattern.options();
    let options = if pattern.source().is_ascii() { options } else { options & !FIXED_ENCODING };
    // SAFETY: both are live; what is raised ends in `protect`.
    protect(|| unsafe { rb_sys::rb_reg_init_str(regexp, source, options as c_int) })?;
    Ok(())
}
