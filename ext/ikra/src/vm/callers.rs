//! The frames of the user's that a method of Ikra's was called from.

use crate::vm::value;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RString, Ruby, Value};
use rb_sys::{ID, VALUE, rb_debug_inspector_t};
use std::ffi::c_void;

/// The Binding of the innermost frame whose file is under no such folder; nil where there is none. Frames of methods in C
/// have none. It takes the longer the deeper the stack is.
pub fn binding(ruby: &Ruby, folder: RString) -> Result<Value, Error> {
    let [path, inside] = ["path", "start_with?"].map(|name| value::intern(ruby, name));
    let mut search = Search { folder: folder.as_raw(), path, inside };
    let found = protect(|| {
        // SAFETY: what it is given lives as long as the call; what Ruby raises is caught around it.
        unsafe { rb_sys::rb_debug_inspector_open(Some(find), (&raw mut search).cast()) }
    })?;
    // SAFETY: it is a live value.
    Ok(unsafe { Value::from_raw(found) })
}

struct Search {
    folder: VALUE,
    path: ID,
    inside: ID,
}

/// SAFETY: Ruby calls it with frames and with what [`binding`] has given it.
unsafe extern "C" fn find(frames: *const rb_debug_inspector_t, search: *mut c_void) -> VALUE {
    // SAFETY: as above; the numbers are those of frames.
    unsafe {
        let search = &*search.cast::<Search>();
        let places = rb_sys::rb_debug_inspector_backtrace_locations(frames);
        for number in 0..rb_sys::RARRAY_LEN(places) {
            let binding = rb_sys::rb_debug_inspector_frame_binding_get(frames, number);
            let place = rb_sys::rb_ary_entry(places, number);
            let path = rb_sys::rb_funcall(place, search.path, 0);
            let known = binding != value::NIL && path != value::NIL;
            if known && rb_sys::rb_funcall(path, search.inside, 1, search.folder) == value::FALSE {
                return binding;
            }
        }
        value::NIL
    }
}
