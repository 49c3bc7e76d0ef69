//! Ruby's own read barrier. With `GC.auto_compact`, Ruby 3.0 and 3.1 move objects bit by bit, between allocations, and
//! protect the pages that they have left: who reads there is stopped by a signal, for which Ruby then moves the objects
//! back. Only threads of Ruby can answer that signal. From 3.2 on objects are moved within one collection.

use magnus::Ruby;
use magnus::rb_sys::AsRawValue;

/// Before threads that are not Ruby's read objects: afterwards no page is protected, until Ruby allocates.
pub fn lift(ruby: &Ruby) {
    if (rb_sys::RUBY_API_VERSION_MAJOR, rb_sys::RUBY_API_VERSION_MINOR) > (3, 1) {
        return;
    }
    // SAFETY: the GVL is held; the Symbols do not die. What is asked for is there since Ruby 2.2, so nothing is raised.
    // Disabling collections ends the one that is under way, which sweeps and so moves.
    unsafe {
        let state = rb_sys::rb_gc_latest_gc_info(ruby.to_symbol("state").as_raw());
        if state == ruby.to_symbol("sweeping").as_raw() && rb_sys::rb_gc_disable() == super::value::FALSE {
            rb_sys::rb_gc_enable();
        }
    }
}
