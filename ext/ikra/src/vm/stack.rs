//! How far down the stack goes: inference recurses as deep as the code is nested, and a Ruby thread has 1 MiB.

/// Left for what inference calls: Ruby's own functions, and signal handlers.
const RESERVE: usize = 192 << 10;
/// What a Fiber has at least (`RUBY_FIBER_MACHINE_STACK_SIZE`), where nothing tells where its stack ends.
const FIBER: usize = 512 << 10;

/// The address above which recursion is safe.
pub fn end() -> usize {
    let marker = 0_u8;
    let here = std::ptr::from_ref(&marker).addr();
    let (low, high) = of_thread(here).unwrap_or((0, 0));
    if (low..high).contains(&here) {
        return low + RESERVE.min((high - low) / 2);
    }
    // SAFETY: the GVL is held by whoever infers; it takes null for "do not tell where".
    let used = unsafe { rb_sys::ruby_stack_length(std::ptr::null_mut()) } as usize * size_of::<usize>();
    here + used.min(FIBER) - FIBER + RESERVE
}

/// Bytes of it that this thread may still use.
pub fn room() -> usize {
    let marker = 0_u8;
    std::ptr::from_ref(&marker).addr().saturating_sub(end())
}

/// Lowest and highest address of the stack that the system gave this thread.
#[cfg(target_os = "linux")]
fn of_thread(here: usize) -> Option<(usize, usize)> {
    of_first_thread().filter(|(low, high)| (*low..*high).contains(&here)).or_else(told_of_thread)
}

/// Where the stack of the first thread is, without the list of all that is mapped, which the system writes out for the other
/// way. The system puts the name of the program at the stack's upper end, and leaves 128 MiB or more below that for it to
/// grow into; it may as far as the limit tells.
#[cfg(target_os = "linux")]
fn of_first_thread() -> Option<(usize, usize)> {
    const ALWAYS_FREE: libc::rlim_t = 64 << 20;
    /// More than the name is long.
    const ABOVE: usize = 64 << 10;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the one has no preconditions and gives 0 or an address; the other's pointer is to a local.
    let (name, failed) = unsafe {
        (libc::getauxval(libc::AT_EXECFN) as usize, libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit))
    };
    if name == 0 || failed != 0 || limit.rlim_cur > ALWAYS_FREE {
        return None;
    }
    Some((name.checked_sub(limit.rlim_cur as usize)? + ABOVE, name))
}

#[cfg(target_os = "linux")]
fn told_of_thread() -> Option<(usize, usize)> {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut low, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: `attributes` is filled by the first call and destroyed once, by the last; the pointers are to locals.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let found = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut low, &raw mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        (found == 0).then(|| (low.addr(), low.addr() + size))
    }
}

#[cfg(not(target_os = "linux"))]
fn of_thread(_here: usize) -> Option<(usize, usize)> {
    None
}
