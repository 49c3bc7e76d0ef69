//! The standard library's Date, which a program may load at any time, or never. Ikra never loads it. It is known by Ruby's
//! own methods, bound when the class is found: no method of the user's runs for one that is read or made. A section knows
//! a Date by its chronological Julian day number alone, so only by that of what is no more: of the class itself, with the
//! calendar reform in Italy, and without a fraction of a day.

use crate::vm::classes;
use crate::vm::gvl::{GvlCell, or_defer};
use crate::vm::value::{self, Decoded};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, Ruby, Value, prelude::*};
use rb_sys::VALUE;
use std::ffi::c_int;

/// `Date::ITALY`.
const ITALY: f64 = 2_299_161.0;

/// The class, and what reads and makes its objects.
#[derive(Clone, Copy, Debug)]
pub struct Dates {
    class: VALUE,
    /// `bind_call` of methods of instances.
    jd: VALUE,
    start: VALUE,
    day_fraction: VALUE,
    /// `Date.jd`
    make: VALUE,
}

/// Once it is found.
static KNOWN: GvlCell<Option<Dates>> = GvlCell::new(None);

/// Calls `mark` with the class, and what is bound of it.
pub fn each_marked(mark: impl FnMut(VALUE)) {
    KNOWN.marked(|known| {
        let dates = known.iter();
        dates.flat_map(|d| [d.class, d.jd, d.start, d.day_fraction, d.make]).for_each(mark);
    });
}

/// What is known of Dates, if the program has loaded them by now.
pub fn find(ruby: &Ruby) -> Result<Option<Dates>, Error> {
    if let Some(known) = known(ruby) {
        return Ok(Some(known));
    }
    let Some(class) = classes::loaded(c"Date") else { return Ok(None) };
    let Some(found) = Dates::of(ruby, class)? else { return Ok(None) };
    KNOWN.with(ruby, |known| *known = Some(found));
    Ok(Some(found))
}

/// The same, of a program in which they have been found.
pub fn known(ruby: &Ruby) -> Option<Dates> {
    KNOWN.with(ruby, |known| *known)
}

impl Dates {
    /// Those of a class, if it is that of the standard library, with methods that nobody has redefined until now.
    fn of(ruby: &Ruby, class: VALUE) -> Result<Option<Self>, Error> {
        // SAFETY: the class is live.
        let date = unsafe { Value::from_raw(class) };
        let is_own = |method: Value, owner: Value| -> Result<bool, Error> {
            let file: Value = method.funcall("source_location", ())?;
            Ok(file.is_nil() && method.funcall::<_, _, Value>("owner", ())?.as_raw() == owner.as_raw())
        };
        let unbound: Value = ruby.class_object().const_get("UnboundMethod")?;
        let mut found = [value::NIL; 3];
        for (slot, name) in found.iter_mut().zip(["jd", "start", "day_fraction"]) {
            if !date.funcall::<_, _, bool>("method_defined?", (name,))? {
                return Ok(None);
            }
            let method: Value = date.funcall("instance_method", (name,))?;
            if !is_own(method, date)? {
                return Ok(None);
            }
            let bind_call: Value = unbound.funcall("instance_method", ("bind_call",))?;
            *slot = bind_call.funcall::<_, _, Value>("bind", (method,))?.as_raw();
        }
        let make: Value = date.funcall("method", ("jd",))?;
        if !is_own(make, date.funcall("singleton_class", ())?)? {
            return Ok(None);
        }
        let [jd, start, day_fraction] = found;
        let dates = Self { class, jd, start, day_fraction, make: make.as_raw() };
        let is_right = |day: i64| -> Result<bool, Error> {
            let made = dates.make(value::fixnum(day).unwrap_or(value::NIL))?;
            // SAFETY: it was just made, and is an object of the class.
            let read = unsafe {
                value::class_pointer(made) == class
                    && dates.day(made) == value::fixnum(day).unwrap_or(value::NIL)
            };
            Ok(read)
        };
        let all_right = is_right(0)? && is_right(2_299_160)? && is_right(-1 << 40)?;
        rb_sys::rb_gc_guard!(jd);
        rb_sys::rb_gc_guard!(start);
        rb_sys::rb_gc_guard!(day_fraction);
        Ok(all_right.then_some(dates))
    }

    pub const fn class(&self) -> VALUE {
        self.class
    }

    /// The day number of a Date that is no more; nil of others, also where it is no small Integer.
    ///
    /// SAFETY: `date` must be a live instance of the class.
    pub unsafe fn day(&self, date: VALUE) -> VALUE {
        let ask = |method| or_defer(called(method, date), value::NIL);
        let is_plain = ask(self.day_fraction) == value::fixnum(0).unwrap_or(value::NIL)
            && matches!(value::decode(ask(self.start)), Decoded::Float(start) if start == ITALY);
        let day = ask(self.jd);
        if is_plain && value::is_fixnum(day) { day } else { value::NIL }
    }

    /// A new Date of a day.
    pub fn make(&self, day: VALUE) -> Result<VALUE, Error> {
        called(self.make, day)
    }
}

/// What a bound method gives for a value.
fn called(method: VALUE, value: VALUE) -> Result<VALUE, Error> {
    // SAFETY: the method is marked, or on the caller's stack; the value is live. What is raised ends in `protect`.
    protect(|| unsafe { rb_sys::rb_method_call(1 as c_int, &raw const value, method) })
}
