//! Calls of the user's code in the middle of a section. A continuation (`callcc`) that is taken in one leads back into it,
//! also when the section has ended: the frames of the section are there again then, as they were, and what they refer to
//! is not. So each call has a number, and one that returns and is not under way any more does not go on.

use crate::vm::gvl::GvlCell;
use magnus::rb_sys::AsRawValue;
use magnus::{RModule, Ruby, Value, prelude::*};

#[derive(Default)]
struct Calls {
    last: u64,
    under_way: Vec<u64>,
}

static CALLS: GvlCell<Calls> = GvlCell::new(Calls { last: 0, under_way: Vec::new() });

/// Calls the user's code, which raises nothing but as what it gives. Where that returns a second time, an `Ikra::Error` is
/// raised at the call of the section.
pub fn once<T>(ruby: &Ruby, call: impl FnOnce() -> T) -> T {
    let number = CALLS.with(ruby, |calls| {
        calls.last += 1;
        calls.under_way.push(calls.last);
        calls.last
    });
    let given = call();
    let is_first = CALLS.with(ruby, |calls| {
        let at = calls.under_way.iter().position(|other| *other == number);
        at.map(|at| calls.under_way.swap_remove(at)).is_some()
    });
    if !is_first {
        leave(ruby);
    }
    given
}

/// Raises past the frames of the section, which may not even be unwound.
fn leave(ruby: &Ruby) -> ! {
    let message = "a continuation leads back into a section that has gone on since\n  \
                   hint: take continuations around the section, or use them in the block that takes them";
    let module = ruby.class_object().const_get::<_, RModule>("Ikra");
    let error = module.and_then(|module| module.const_get::<_, Value>("Error"));
    let made = error.and_then(|class| class.funcall::<_, _, Value>("new", (message,)));
    let exception = made.map_or_else(|_| ruby.exception_fatal().as_raw(), |exception| exception.as_raw());
    // SAFETY: the exception is live. What the jump leaves out is not to be dropped: it was, when these frames ended the
    // first time, or somebody still has it.
    unsafe { rb_sys::rb_exc_raise(exception) }
}
