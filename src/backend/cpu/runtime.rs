//! What machine code needs from Rust and C: the state it shares with the thread that calls it, the C library's
//! functions behind Ruby's `Math`, and the random numbers.

use super::deferred::{Log, grow};
use crate::heap::marks::Report;
use crate::heap::printed::{How, Printed};
use crate::intrinsics::Intrinsic;
use crate::ir::MathFn;
use crate::regexp::{Pattern, Request, Wanted, last_slot, table};
use crate::rng;
use std::mem::offset_of;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

/// What a thread and the machine code it runs tell each other. Machine code knows it by the offsets below.
#[repr(C)]
pub struct ThreadState {
    /// The failed element; the current one while code draws random numbers or calls functions.
    pub element: u32,
    /// Number of the next draw in this tick.
    pub draw: u32,
    /// The tick of the failure; the current one, as `element`.
    pub tick: i64,
    /// Where it failed.
    pub site: u32,
    pub operands: [i64; 2],
    /// The path to the function that runs, or failed.
    pub path: i64,
    pub seed: u64,
    pub call: u64,
    /// Read by loops that are not the tick loop, and by functions that may recurse.
    pub interrupt: *const AtomicBool,
    /// Where the running task writes down what its elements defer, if they do.
    pub log: *mut Log,
    /// Where what they print goes; null where nothing prints.
    pub printed: *mut Printed,
}

impl ThreadState {
    pub const ELEMENT: i32 = offset_of!(Self, element) as i32;
    pub const DRAW: i32 = offset_of!(Self, draw) as i32;
    pub const TICK: i32 = offset_of!(Self, tick) as i32;
    pub const SITE: i32 = offset_of!(Self, site) as i32;
    pub const OPERANDS: i32 = offset_of!(Self, operands) as i32;
    pub const PATH: i32 = offset_of!(Self, path) as i32;
    pub const LOG: i32 = offset_of!(Self, log) as i32;
    pub const INTERRUPT: i32 = offset_of!(Self, interrupt) as i32;

    pub const fn new(seed: u64, call: u64, interrupt: &AtomicBool) -> Self {
        Self {
            element: 0,
            draw: 0,
            tick: 0,
            site: 0,
            operands: [0; 2],
            path: 0,
            seed,
            call,
            interrupt,
            log: std::ptr::null_mut(),
            printed: std::ptr::null_mut(),
        }
    }
}

/// An entry: runs jobs `lo..hi`, each for ticks `first..end`. `args` are the addresses of the buffers and then the
/// scalars; `order` maps jobs to elements, or is null. Gives [`DONE`], [`INTERRUPTED`], [`BROKEN`], or the failed job
/// plus 1 with the failure in the state.
pub type EntryFn = unsafe extern "C" fn(
    args: *const u64,
    order: *const i32,
    lo: u64,
    hi: u64,
    first: i64,
    end: i64,
    state: *mut ThreadState,
) -> u64;

pub const DONE: u64 = 0;
pub const INTERRUPTED: u64 = u64::MAX;
/// A second tick where there was only one to run.
pub const BROKEN: u64 = u64::MAX - 1;

/// The names by which machine code calls the functions that are no `Math`.
pub const RANDOM: &str = "ikra_random";
pub const REPORT_READ: &str = "ikra_report_read";
pub const REPORT_WRITE: &str = "ikra_report_write";
pub const GROW: &str = "ikra_grow";
pub const SEARCH: &str = "ikra_search";
pub const GROUP: &str = "ikra_group";
pub const WIDE_MOD: &str = "ikra_wide_mod";
pub const PRINT: &str = "ikra_print";
pub const POW: &str = "pow";
pub const FMOD: &str = "fmod";

mod c {
    unsafe extern "C" {
        pub safe fn sin(x: f64) -> f64;
        pub safe fn cos(x: f64) -> f64;
        pub safe fn tan(x: f64) -> f64;
        pub safe fn asin(x: f64) -> f64;
        pub safe fn acos(x: f64) -> f64;
        pub safe fn atan(x: f64) -> f64;
        pub safe fn sinh(x: f64) -> f64;
        pub safe fn cosh(x: f64) -> f64;
        pub safe fn tanh(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn exp(x: f64) -> f64;
        pub safe fn expm1(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn log1p(x: f64) -> f64;
        pub safe fn log2(x: f64) -> f64;
        pub safe fn log10(x: f64) -> f64;
        pub safe fn sqrt(x: f64) -> f64;
        pub safe fn cbrt(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn tgamma(x: f64) -> f64;
        pub fn lgamma_r(x: f64, sign: *mut i32) -> f64;
        pub safe fn atan2(y: f64, x: f64) -> f64;
        pub safe fn hypot(x: f64, y: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;
        pub safe fn fmod(x: f64, y: f64) -> f64;
    }
}

/// The C library's `cbrt`, looked up by name: linked statically it would be Rust's own, whose last bit is another.
pub unsafe extern "C" fn cbrt(x: f64) -> f64 {
    static LOADED: OnceLock<unsafe extern "C" fn(f64) -> f64> = OnceLock::new();
    let function = LOADED.get_or_init(|| {
        // SAFETY: the name is a C string, and the lookup has no effect.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"cbrt".as_ptr()) };
        if address.is_null() {
            return c::cbrt;
        }
        // SAFETY: it is the C standard's function, with the C standard's signature.
        unsafe { std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn(f64) -> f64>(address) }
    });
    // SAFETY: it takes any number.
    unsafe { function(x) }
}

/// C's `lgamma` without the global variable that it leaves the sign in.
unsafe extern "C" fn lgamma(x: f64) -> f64 {
    let mut sign = 0;
    // SAFETY: the pointer is to a local that outlives the call.
    unsafe { c::lgamma_r(x, &raw mut sign) }
}

/// The C library's function, the very one that Ruby's `Math` calls.
pub fn math_address(function: MathFn) -> *const u8 {
    type Unary = unsafe extern "C" fn(f64) -> f64;
    type Binary = unsafe extern "C" fn(f64, f64) -> f64;
    let unary = |f: Unary| f as *const u8;
    let binary = |f: Binary| f as *const u8;
    match function {
        MathFn::Sin => unary(c::sin),
        MathFn::Cos => unary(c::cos),
        MathFn::Tan => unary(c::tan),
        MathFn::Asin => unary(c::asin),
        MathFn::Acos => unary(c::acos),
        MathFn::Atan => unary(c::atan),
        MathFn::Sinh => unary(c::sinh),
        MathFn::Cosh => unary(c::cosh),
        MathFn::Tanh => unary(c::tanh),
        MathFn::Asinh => unary(c::asinh),
        MathFn::Acosh => unary(c::acosh),
        MathFn::Atanh => unary(c::atanh),
        MathFn::Exp => unary(c::exp),
        MathFn::Expm1 => unary(c::expm1),
        MathFn::Log => unary(c::log),
        MathFn::Log1p => unary(c::log1p),
        MathFn::Log2 => unary(c::log2),
        MathFn::Log10 => unary(c::log10),
        MathFn::Sqrt => unary(c::sqrt),
        MathFn::Cbrt => unary(cbrt),
        MathFn::Erf => unary(c::erf),
        MathFn::Erfc => unary(c::erfc),
        MathFn::Gamma => unary(c::tgamma),
        MathFn::Lgamma => unary(lgamma),
        MathFn::Atan2 => binary(c::atan2),
        MathFn::Hypot => binary(c::hypot),
    }
}

/// Every function that machine code may call, by name.
pub fn symbols() -> impl Iterator<Item = (&'static str, *const u8)> {
    let math = MathFn::ALL.into_iter().map(|f| (f.c_name(), math_address(f)));
    let intrinsics = Intrinsic::ALL.into_iter().map(|f| (f.symbol(), f.address()));
    math.chain(intrinsics).chain([
        (RANDOM, random as *const u8),
        (REPORT_READ, report_read as *const u8),
        (REPORT_WRITE, report_write as *const u8),
        (GROW, grow as *const u8),
        (SEARCH, search as *const u8),
        (GROUP, group as *const u8),
        (WIDE_MOD, wide_mod as *const u8),
        (PRINT, print as *const u8),
        (POW, c::pow as *const u8),
        (FMOD, c::fmod as *const u8),
    ])
}

/// See [`crate::ir::Op::WideMod`].
extern "C" fn wide_mod(a: i64, b: i64, c: i64, m: i64) -> i64 {
    crate::scalar::wide_mod(a, b, c, m)
}

/// The next draw of the current element and tick.
///
/// # Safety
/// `state` is the state that the calling machine code was given.
unsafe extern "C" fn random(state: *mut ThreadState) -> u64 {
    // SAFETY: the entry was called with a pointer to a live state that only this thread uses.
    let state = unsafe { &mut *state };
    let draw = state.draw;
    state.draw = draw.wrapping_add(1);
    rng::draw(state.seed, state.call, state.element, state.tick as u64, draw)
}

/// [`crate::ir::Op::Match`]
///
/// # Safety
/// There are `size` bytes at `text`, and `pattern` is the address of a pattern that outlives the run, unless one is to be
/// compiled.
pub(super) unsafe extern "C" fn search(
    text: *const u8,
    pattern: i64,
    size: i64,
    place: i64,
    request: i64,
    prepared: i64,
    wanted: i64,
) -> i64 {
    // SAFETY: as said.
    let text = unsafe { std::slice::from_raw_parts(text, size as usize) };
    let request = Request::ALL.get(request as usize).copied().unwrap_or(Request::Prepare);
    if request.is_of_table() {
        return table::ask(text, place, request, prepared);
    }
    // SAFETY: as said.
    let pattern = unsafe { &*(pattern as usize as *const Pattern) };
    let wanted = match wanted {
        0 => Wanted::Nothing,
        1 => Wanted::Whole,
        _ => Wanted::Groups,
    };
    pattern.ask(text, place, request, prepared, wanted)
}

pub(super) extern "C" fn group(number: i64) -> i64 {
    last_slot(number)
}

/// [`crate::ir::Op::Print`]
///
/// # Safety
/// `state` is the state that the calling machine code was given, and there are `size` bytes at `text`.
unsafe extern "C" fn print(
    state: *mut ThreadState,
    text: *const u8,
    size: i64,
    encoding: i64,
    stream: i64,
    how: i64,
) -> i64 {
    // SAFETY: the entry was called with a pointer to a live state that only this thread uses, which has one to what only
    // this task prints into.
    let (state, printed) = unsafe { (&*state, (*state).printed.as_mut()) };
    // SAFETY: as said.
    let text = unsafe { std::slice::from_raw_parts(text, size as usize) };
    let (Some(printed), Some(how)) = (printed, How::ALL.get(how as usize)) else { return 0 };
    i64::from(printed.print((state.tick as u64, state.element), (stream, encoding), text, *how))
}

/// # Safety
/// `row` is a row of marks of a program that reports, which runs on one thread.
unsafe extern "C" fn report_read(row: *mut Report, me: u64, who: i64) -> i64 {
    // SAFETY: as said.
    unsafe { &mut *row }.touch(me, who, false)
}

/// # Safety
/// As [`report_read`].
unsafe extern "C" fn report_write(row: *mut Report, me: u64, who: i64) -> i64 {
    // SAFETY: as said.
    unsafe { &mut *row }.touch(me, who, true)
}
