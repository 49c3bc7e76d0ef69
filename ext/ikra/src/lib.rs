//! The Ruby extension of Ikra: capture of blocks, tracing of live objects, copy-back. Compiling is `ikra_core`'s, and
//! the methods that users call are Ruby's (lib/ikra.rb); here are the few private functions between them.

mod arrow;
mod capture;
mod check;
mod code;
mod column;
#[cfg(test)]
mod dropped;
mod explain;
mod gc_roots;
#[cfg(test)]
mod held;
mod host;
#[cfg(test)]
mod layers;
mod reading;
mod running;
mod section;
mod shelf;
mod sync;
mod versions;
mod vm;
mod writing;

use code::sources;
use ikra_core::backend::cuda;
use ikra_core::cache;
use ikra_core::heap::schema::Output;
use ikra_core::heap::shared;
use ikra_core::memory;
use magnus::block::Proc;
use magnus::{Error, RArray, RClass, RHash, Ruby, Symbol, TryConvert, Value, function, method, prelude::*};
use reading::base::Base;
use reading::{items, probe, remembered};
use running::{backends, profiles, random};
use section::{Chain, InTheMaking, Section};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use vm::value::{Name, one_of};
use vm::{background, dialect, enumerators, method_tables, object_pool, proc_parts, reflection};
use writing::copy_back::ResultForm;
use writing::{exceptions, value_columns};

#[global_allocator]
static ALLOCATOR: ikra_core::allocator::Allocator = ikra_core::allocator::Allocator;

/// The version that this was compiled for, as the running Ruby counts it.
const COMPILED_FOR: [i32; 3] = [
    rb_sys::RUBY_API_VERSION_MAJOR as i32,
    rb_sys::RUBY_API_VERSION_MINOR as i32,
    rb_sys::RUBY_API_VERSION_TEENY as i32,
];

#[magnus::init(name = "native")]
fn init(ruby: &Ruby) -> Result<(), Error> {
    // Objects lie otherwise in another Ruby, so nothing else may be asked of it before.
    // SAFETY: the constant is three integers (`ruby/version.h`).
    let running = unsafe { rb_sys::ruby_api_version };
    if running != COMPILED_FOR {
        let [ours, theirs] = [COMPILED_FOR, running].map(|v| format!("{}.{}.{}", v[0], v[1], v[2]));
        let message = format!("it was compiled for Ruby {ours}, and this is {theirs}");
        return Err(Error::new(ruby.exception_load_error(), message));
    }
    ikra_core::huge_pages::permit();
    let native = ruby.define_module("Ikra")?.define_module("Native")?;
    for name in ["Handle", "GcRoots", "Pinned", "InTheMaking"] {
        native.define_class(name, ruby.class_object())?.undef_default_alloc_func();
    }
    // Before Ruby's own classes are looked up, as it is one of them.
    column::init(ruby, ruby.define_module("Ikra")?, native)?;
    arrow::init(ruby, native)?;
    gc_roots::init(ruby, native)?;
    background::init(ruby);
    object_pool::init(ruby)?;
    reflection::init(ruby)?;
    method_tables::init(ruby);
    capture::init(ruby)?;
    native.define_singleton_method("code_location", function!(sources::location, 1))?;
    native.define_singleton_method("probe", function!(probe::run, 2))?;
    dialect::init(ruby);
    native.define_singleton_method("run", function!(run, 6))?;
    let in_the_making: RClass = native.const_get("InTheMaking")?;
    in_the_making.define_method("ready?", method!(InTheMaking::is_ready, 0))?;
    native.define_singleton_method("note", function!(exceptions::note, 3))?;
    native.define_singleton_method("noted", function!(exceptions::noted, 2))?;
    native.define_singleton_method("values_read", function!(section::values_read, 0))?;
    native.define_singleton_method("explain", function!(explain, 6))?;
    native.define_singleton_method("check", function!(check::run, 3))?;
    native.define_singleton_method("required", function!(check::required, 2))?;
    value_columns::init(ruby, native)?;
    enumerators::init(ruby)?;
    proc_parts::init(ruby)?;
    native.define_singleton_method("proc_parts", function!(proc_parts::parts, 1))?;
    native.define_singleton_method("basic?", function!(reflection::is_basic, 2))?;
    native.define_singleton_method("basic_in?", function!(reflection::is_basic_in, 2))?;
    native.define_singleton_method("plain_size", function!(reflection::plain_size, 2))?;
    native.define_singleton_method("enumerator", function!(enumerators::parts, 1))?;
    native.define_singleton_method("binding_of_caller", function!(vm::callers::binding, 1))?;
    native.define_singleton_method("items", function!(items::take, 2))?;
    native.define_singleton_method("answers", function!(sources::answers, 1))?;
    native.define_singleton_method("pairs", function!(items::pairs, 1))?;
    native.define_singleton_method("missing", function!(missing, 1))?;
    native.define_singleton_method("availability", function!(availability, 0))?;
    native.define_singleton_method("threads", function!(ikra_core::threads::count, 0))?;
    native.define_singleton_method("use_threads", function!(ikra_core::threads::set, 1))?;
    native.define_singleton_method("most_kept", function!(ikra_core::memory::most, 0))?;
    native.define_singleton_method("keep", function!(ikra_core::memory::keep, 1))?;
    native.define_singleton_method("kept", function!(ikra_core::memory::kept, 0))?;
    native.define_singleton_method("release", function!(release, 0))?;
    native.define_singleton_method("cache?", function!(cache::is_on, 0))?;
    native.define_singleton_method("keep_compiled", function!(cache::turn, 1))?;
    native.define_singleton_method("cache_folder", function!(cache_folder, 0))?;
    native.define_singleton_method("cache_files", function!(cache_files, 0))?;
    native.define_singleton_method("clear_cache", function!(clear_cache, 0))?;
    native.define_singleton_method("kept_table", function!(shelf::table, 1))?;
    native.define_singleton_method("seed", function!(seed, 1))?;
    native.define_singleton_method("open_profile", function!(open_profile, 0))?;
    native.define_singleton_method("close_profile", function!(close_profile, 1))?;
    native.define_singleton_method("profile_ruby", function!(profile_ruby, 1))?;
    native.define_singleton_method("profile_meanwhile", function!(profile_meanwhile, 1))?;
    native.define_singleton_method("arguments", function!(arguments, 0))?;
    native.define_singleton_method("compile_cuda_with", function!(compile_cuda_with, 1))?;
    native.define_singleton_method("compile_cuda", function!(compile_cuda, 2))?;
    native.const_set("TESTING", cfg!(feature = "testing"))?;
    #[cfg(feature = "testing")]
    testing::init(native)?;
    Ok(())
}

/// The base is told as by `bases.rb`: see [`Base::new`]. `how`: the method's name, what it gives and in which form, the
/// number of ticks, the first element's number where it may be a part, what the block is put together of, and who is told
/// how far it is, whether Ruby may run elements meanwhile and how many it has run before these (see `lib/ikra/section.rb`).
fn section(
    (columns, yielded): (RArray, Option<RArray>),
    how: RArray,
    block: Proc,
    backend: Symbol,
    conflicts: Symbol,
) -> Result<Section, Error> {
    let (name, output, form, ticks, part, owner, shape, progress, meanwhile, done) = <(
        Symbol,
        Symbol,
        Symbol,
        u64,
        Option<u64>,
        Option<Proc>,
        u32,
        Option<Proc>,
        bool,
        u64,
    )>::try_convert(
        how.as_value()
    )?;
    let ruby = &Ruby::get_with(how);
    let mut base = Base::new(columns, yielded, done)?;
    // Of a column all else gives what Ruby's methods give.
    base.is_column = base.is_column && one_of(ruby, &OF_COLUMNS, name).is_some();
    let backend = one_of(ruby, &BACKENDS, backend);
    let backend =
        backend.ok_or_else(|| Error::new(ruby.exception_arg_error(), "there is no such back-end"))?;
    Ok(Section {
        base,
        output: one_of(ruby, &OUTPUTS, output).unwrap_or(Output::Nothing),
        name,
        ticks,
        block,
        chain: Chain { owner, shape },
        progress,
        form: one_of(ruby, &FORMS, form).unwrap_or(ResultForm::Arrays),
        part,
        meanwhile,
        done,
        backend,
        raise: RAISE.is(ruby, conflicts),
    })
}

static OUTPUTS: [(Name, Output); 4] = [
    (Name::new("values"), Output::Values),
    (Name::new("selection"), Output::Selection),
    (Name::new("kept"), Output::Kept),
    (Name::new("program"), Output::Program),
];
static FORMS: [(Name, ResultForm); 3] = [
    (Name::new("column"), ResultForm::Column),
    (Name::new("rows"), ResultForm::Rows),
    (Name::new("flat"), ResultForm::Flat),
];
static BACKENDS: [(Name, &str); 4] = [
    (Name::new("cpu"), "cpu"),
    (Name::new("auto"), "auto"),
    (Name::new("cuda"), "cuda"),
    (Name::new("cuda-emulated"), "cuda-emulated"),
];
/// The methods that give a column of a column.
static OF_COLUMNS: [(Name, ()); 4] = [
    (Name::new("pmap"), ()),
    (Name::new("pcollect"), ()),
    (Name::new("pselect"), ()),
    (Name::new("pfilter"), ()),
];
static RAISE: Name = Name::new("raise");

/// Gives the values of the block, or what was selected: an array for each column of the base. Nil where it has not run,
/// as it is no part of a section that changes things, and an [`InTheMaking`] where there is no code yet.
fn run(
    columns: RArray,
    form: Option<RArray>,
    how: RArray,
    block: Proc,
    backend: Symbol,
    conflicts: Symbol,
) -> Result<Value, Error> {
    section((columns, form), how, block, backend, conflicts)?.run(&Ruby::get_with(columns))
}

fn explain(
    columns: RArray,
    form: Option<RArray>,
    how: RArray,
    block: Proc,
    backend: Symbol,
    conflicts: Symbol,
) -> Result<String, Error> {
    section((columns, form), how, block, backend, conflicts)?.explain(&Ruby::get_with(columns))
}

/// Why a back-end cannot run, or nil.
fn missing(ruby: &Ruby, backend: Symbol) -> Result<Option<String>, Error> {
    section::catch(ruby, || Ok(backends::missing(&backend.name()?)))
}

/// What was found of CUDA and what is missing, as text.
fn availability(ruby: &Ruby) -> Result<String, Error> {
    section::catch(ruby, || Ok(cuda::availability().to_string()))
}

/// Columns come home from devices, and what is kept goes back to the system; says how many bytes that were.
fn release() -> usize {
    remembered::forget_all();
    // What cannot come, as its device is lost, stays where it is.
    shared::leave_devices().unwrap_or(0) + memory::release()
}

/// Where what was compiled is kept, if there is a place for it, and why it is not kept there, or nil.
fn cache_folder() -> Option<(String, Option<&'static str>)> {
    let cache = cache::of_user();
    let folder = cache.folder()?.to_string_lossy().into_owned();
    Some((folder, cache.unusable()))
}

/// How many files there are of each sort, and their bytes.
fn cache_files() -> Vec<(&'static str, usize, u64)> {
    cache::of_user().count().into_iter().collect()
}

/// Removes all of them. Gives how many.
fn clear_cache() -> usize {
    cache::of_user().clear()
}

fn seed(seed: u64) -> u64 {
    random::seed(seed)
}

fn open_profile(ruby: &Ruby) -> u64 {
    profiles::open(ruby)
}

fn close_profile(ruby: &Ruby, number: u64) -> Result<RHash, Error> {
    profiles::close(ruby, number)
}

fn profile_ruby(ruby: &Ruby, seconds: f64) {
    profiles::add_ruby(ruby, seconds, true);
}

fn profile_meanwhile(ruby: &Ruby, seconds: f64) {
    profiles::add_ruby(ruby, seconds, false);
}

/// The arguments that the process was started with, its name first.
fn arguments(ruby: &Ruby) -> Result<RArray, Error> {
    let mut all: Vec<Vec<u8>> = std::env::args_os().map(OsString::into_vec).collect();
    if all.is_empty() {
        // Not every C library tells them to a library that is loaded later.
        let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
        all =
            line.strip_suffix(b"\0").unwrap_or(&line).split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    }
    let list = ruby.ary_new();
    all.iter().try_for_each(|argument| list.push(ruby.str_from_slice(argument)))?;
    Ok(list)
}

/// How a process is started that calls `compile_cuda` with two more arguments.
fn compile_cuda_with(command: RArray) -> Result<(), Error> {
    let words: Vec<String> = command.to_vec()?;
    cuda::set_process(words.into_iter().map(Into::into).collect());
    Ok(())
}

/// Compiles the standard input with the NVRTC there, for a target in words.
fn compile_cuda(ruby: &Ruby, nvrtc: String, target: String) -> Result<(), Error> {
    let target = target
        .parse()
        .map_err(|e: ikra_core::error::Error| Error::new(ruby.exception_arg_error(), e.to_string()))?;
    cuda::serve(nvrtc.as_ref(), target).map_err(|e| Error::new(ruby.exception_io_error(), e.to_string()))
}

/// What specs and benchmarks need beside what users call.
#[cfg(feature = "testing")]
mod testing {
    use crate::reading::remembered;
    use crate::reading::variables::testing as variables;
    use crate::vm::array_layout;
    use crate::vm::hash_layout;
    use magnus::{Error, RArray, RModule, Ruby, Symbol, function, prelude::*};

    pub fn init(native: RModule) -> Result<(), Error> {
        native.define_singleton_method("read_variable", function!(read_variable, 2))?;
        native.define_singleton_method("write_variable", function!(write_variable, 3))?;
        native.define_singleton_method("slot_of_variable", function!(variables::slot, 2))?;
        native.define_singleton_method("recalls", function!(remembered::calls, 0))?;
        native.define_singleton_method("knows_arrays", function!(array_layout::confirmed, 0))?;
        native.define_singleton_method("knows_hashes", function!(hash_layout::confirmed, 0))?;
        native.define_singleton_method("fail_at", function!(ikra_core::faults::fail_at, 1))
    }

    fn read_variable(ruby: &Ruby, objects: RArray, name: Symbol) -> Result<RArray, Error> {
        Ok(variables::read_all(ruby, objects, &name.name()?))
    }

    fn write_variable(ruby: &Ruby, objects: RArray, name: Symbol, values: RArray) -> Result<(), Error> {
        variables::write_all(ruby, objects, &name.name()?, values)
    }
}
