//! What an Enumerator goes through: its receiver, method and arguments, which Ruby tells nobody but in `inspect`. They
//! are the first words of its data. Whether they are, is tried when the extension is loaded; where they are not, an
//! Enumerator is gone through like anything else that has `each`.

use crate::vm::value;
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Error, RArray, Ruby, Value, prelude::*};
use rb_sys::{ID, VALUE};
use std::sync::OnceLock;

/// Where an object made in C has its data, in words: a pointer to it, or the data itself.
const DATA: usize = 4;
/// Newer Rubies may keep it elsewhere.
const NEWEST: (u32, u32) = (4, 0);

/// How the data of Enumerators lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Pointer,
    Embedded,
}

static LAYOUT: OnceLock<Option<Layout>> = OnceLock::new();

/// Tries it with an Enumerator of which all is known.
pub fn init(ruby: &Ruby) -> Result<(), Error> {
    let version = (rb_sys::RUBY_API_VERSION_MAJOR, rb_sys::RUBY_API_VERSION_MINOR);
    let receiver = ruby.ary_from_vec(vec![1, 2, 3]);
    let name = value::intern(ruby, "each_slice");
    let made: Value = receiver.funcall("each_slice", (2,))?;
    // SAFETY: an object made in C has a word there in all these versions: a pointer to its data, or the first word of
    // them, which is the receiver then. Behind that are more.
    let embedded = unsafe { *(made.as_raw() as *const VALUE).add(DATA) == receiver.as_raw() };
    let layout = if embedded { Layout::Embedded } else { Layout::Pointer };
    let fits = || {
        // SAFETY: as above.
        let [of, method, arguments] = unsafe { words(made.as_raw(), layout) };
        // SAFETY: if the first two are right, the third is an Array.
        (of, method as ID) == (receiver.as_raw(), name) && unsafe { begins_with(arguments, 2) }
    };
    let _ = LAYOUT.set((version <= NEWEST && fits()).then_some(layout));
    Ok(())
}

/// The first words of an Enumerator's data; zeros where it has none yet.
///
/// SAFETY: the object must be a live one made in C, whose data lie so.
unsafe fn words(enumerator: VALUE, layout: Layout) -> [VALUE; 3] {
    let object = enumerator as *const VALUE;
    // SAFETY: as the caller says.
    unsafe {
        let data = match layout {
            Layout::Embedded => object.add(DATA),
            Layout::Pointer => *object.add(DATA) as *const VALUE,
        };
        if data.is_null() { [0; 3] } else { [*data, *data.add(1), *data.add(2)] }
    }
}

/// SAFETY: a value that is no special constant must be a live object.
unsafe fn begins_with(list: VALUE, number: i64) -> bool {
    // SAFETY: as the caller says.
    !rb_sys::SPECIAL_CONST_P(list)
        && unsafe { rb_sys::RB_BUILTIN_TYPE(list) } == rb_sys::ruby_value_type::RUBY_T_ARRAY
        && unsafe { rb_sys::rb_ary_entry(list, 0) } == value::fixnum(number).unwrap_or(value::NIL)
}

/// Receiver, method and arguments of an instance of Enumerator itself, where they can be told.
pub fn parts(ruby: &Ruby, enumerator: Value) -> Result<Option<RArray>, Error> {
    let class = ruby.class_object().const_get::<_, Value>("Enumerator")?;
    // SAFETY: the object is live.
    let is_one = !rb_sys::SPECIAL_CONST_P(enumerator.as_raw())
        && unsafe { value::class_pointer(enumerator.as_raw()) } == class.as_raw();
    let Some(layout) = LAYOUT.get().copied().flatten().filter(|_| is_one) else { return Ok(None) };
    // SAFETY: it is an Enumerator, and was found to be laid out so.
    let [receiver, method, arguments] = unsafe { words(enumerator.as_raw(), layout) };
    if receiver == 0 || receiver == rb_sys::Qundef as VALUE {
        return Ok(None);
    }
    let parts = ruby.ary_new();
    // SAFETY: the Enumerator holds them. Without arguments there is no Array.
    unsafe {
        parts.push(Value::from_raw(receiver))?;
        parts.push(Value::from_raw(value::symbol_of(method as ID)))?;
        let list = if arguments == 0 { ruby.ary_new().as_raw() } else { arguments };
        parts.push(Value::from_raw(list))?;
    }
    Ok(Some(parts))
}
