//! The standard library's Date, which a program may load at any time, or never. Ikra never loads it. It is known by Ruby's
//! own methods, bound when the class is found: no method of the user's runs for one that is read or made. A section knows
//! a Date by its chronological Julian day number alone, so only by that of what is no more: of the class itself, with the
//! calendar reform in Italy, and without a fraction of a day.
//!
//! Three calls for each Date take long, so it is tried when the class is found where date_core keeps days of such Dates:
//! an Integer of periods, an `int` of days within one, and the day of the reform. Ruby's methods are asked where that is
//! otherwise, and where a Date has not computed its day yet.

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
    layout: Option<Layout>,
}

/// What a Date has behind its flags, in bytes.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// The address of what the class's data is.
    data_type: usize,
    periods: usize,
    days: usize,
    reform: usize,
}

/// Of the flags: the day is computed, and there is more than a day.
const HAS_DAY: u32 = 1;
const IS_MORE: u32 = 1 << 7;
/// Days in a period, which is one of both calendars.
const PERIOD: i64 = 71_149_239 * 3;

impl Layout {
    /// As versions of date_core have them.
    const KNOWN: [[usize; 3]; 2] = [[8, 16, 20], [8, 4, 16]];

    /// The day of a Date that has one, or else whether it is one that will have one.
    ///
    /// SAFETY: `date` must be a live instance of the class.
    unsafe fn day(&self, date: VALUE) -> Result<VALUE, bool> {
        // SAFETY: the object is live; where it is of this type its data is a structure of date_core's, of 24 bytes at least.
        unsafe {
            if rb_sys::RB_BUILTIN_TYPE(date) != rb_sys::ruby_value_type::RUBY_T_DATA
                || data_type(date) != self.data_type
            {
                return Err(false);
            }
            let data = rb_sys::rb_check_typeddata(date, self.data_type as *const rb_sys::rb_data_type_t)
                .cast::<u8>();
            let flags = data.cast::<u32>().read();
            let reform = data.add(self.reform).cast::<f32>().read();
            if flags & IS_MORE != 0 || f64::from(reform) != ITALY {
                return Err(false);
            }
            let periods = data.add(self.periods).cast::<VALUE>().read();
            if flags & HAS_DAY == 0 || !value::is_fixnum(periods) {
                return Err(true);
            }
            let days = i64::from(data.add(self.days).cast::<i32>().read());
            let all = value::fixnum_value(periods).checked_mul(PERIOD).and_then(|all| all.checked_add(days));
            Ok(all.and_then(value::fixnum).unwrap_or(value::NIL))
        }
    }
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
        let mut dates = Self { class, jd, start, day_fraction, make: make.as_raw(), layout: None };
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
        if !all_right {
            return Ok(None);
        }
        dates.layout = dates.find_layout(ruby)?;
        Ok(Some(dates))
    }

    /// Where days are, if that is known: it is right for Dates of all kinds.
    fn find_layout(&self, ruby: &Ruby) -> Result<Option<Layout>, Error> {
        // SAFETY: the class is live.
        let class = unsafe { Value::from_raw(self.class) };
        let list = ruby.ary_new();
        for day in [0, 1, 2_299_160, 2_451_545, PERIOD - 1, PERIOD, -1, -PERIOD, 1 << 40, -(1 << 40), 1 << 58]
        {
            list.push(class.funcall::<_, _, Value>("jd", (day,))?)?;
        }
        for (year, month, day) in [(2001, 2, 3), (1500, 2, 29), (-5000, 1, 1), (1_000_000_000, 3, 1)] {
            list.push(class.funcall::<_, _, Value>("civil", (year, month, day))?)?;
        }
        for start in [f64::INFINITY, f64::NEG_INFINITY, 2_361_222.0] {
            list.push(class.funcall::<_, _, Value>("jd", (2_451_545, start))?)?;
        }
        let half: Value = list.entry::<Value>(3)?.funcall("+", (0.5,))?;
        list.push(half)?;
        // SAFETY: the object is live, and of a class made in C.
        let data_type = unsafe { data_type(half.as_raw()) };
        // The list holds them.
        let all: Vec<VALUE> = list.into_iter().map(|date| date.as_raw()).collect();
        let mut found = None;
        'layouts: for [periods, days, reform] in Layout::KNOWN {
            let layout = Layout { data_type, periods, days, reform };
            // The second time all have computed their days.
            for _ in 0..2 {
                for date in &all {
                    // SAFETY: the list holds it.
                    let (told, asked) = unsafe { (layout.day(*date), self.asked_day(*date)) };
                    let is_right = match told {
                        Ok(day) => day == asked,
                        Err(is_plain) => is_plain == (asked != value::NIL),
                    };
                    if !is_right {
                        continue 'layouts;
                    }
                }
            }
            // SAFETY: as above.
            let reads = all.iter().filter(|date| unsafe { layout.day(**date) }.is_ok()).count();
            if reads >= 14 {
                found = Some(layout);
                break;
            }
        }
        let list = list.as_raw();
        rb_sys::rb_gc_guard!(list);
        Ok(found)
    }

    pub const fn class(&self) -> VALUE {
        self.class
    }

    /// The day number of a Date that is no more; nil of others, also where it is no small Integer.
    ///
    /// SAFETY: `date` must be a live instance of the class.
    pub unsafe fn day(&self, date: VALUE) -> VALUE {
        // SAFETY: as the caller says.
        match self.layout.as_ref().map(|layout| unsafe { layout.day(date) }) {
            Some(Ok(day)) => day,
            Some(Err(true)) => {
                let day = or_defer(called(self.jd, date), value::NIL);
                if value::is_fixnum(day) { day } else { value::NIL }
            }
            Some(Err(false)) => value::NIL,
            // SAFETY: as the caller says.
            None => unsafe { self.asked_day(date) },
        }
    }

    /// The same by Ruby's methods.
    ///
    /// SAFETY: as for [`Dates::day`].
    unsafe fn asked_day(&self, date: VALUE) -> VALUE {
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

/// The address of what the data of an object is.
///
/// SAFETY: it must be a live object of a class made in C.
#[expect(deprecated, reason = "there is no function that tells it")]
unsafe fn data_type(object: VALUE) -> usize {
    // SAFETY: as the caller says.
    unsafe { (*(object as *const rb_sys::RTypedData)).type_ as usize }
}

/// What a bound method gives for a value.
fn called(method: VALUE, value: VALUE) -> Result<VALUE, Error> {
    // SAFETY: the method is marked, or on the caller's stack; the value is live. What is raised ends in `protect`.
    protect(|| unsafe { rb_sys::rb_method_call(1 as c_int, &raw const value, method) })
}
