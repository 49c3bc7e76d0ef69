//! The GPU, through the driver: its primary context, one stream on which everything is done in order, and one run at
//! a time. libcuda is loaded by cudarc, which panics where a function is missing: so all are looked for first.

mod collectives;
mod float_sums;
mod left;

use super::compiler;
use super::device::{Constant, Device, DeviceSession, Loaded, address, check_room, holds, take};
use super::emit::{BLOCK, Source};
use super::foreign::Foreign;
use super::layout::{Arena, Step};
use super::locate::{self, Location};
use super::nvrtc::{self, Target};
use crate::cache::{self, Name, Sort};
use crate::cancel::CancellationToken;
use crate::error::{Error, size};
use crate::heap::{OnDevice, shared};
use crate::memory;
use crate::profile::Profile;
use collectives::Collectives;
use cudarc::driver::result::{self, DriverError, stream::StreamKind};
use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute, CUlimit_enum as Limit};
use left::Left;
use libloading::Library;
use parking_lot::{Mutex, MutexGuard};
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Once, OnceLock, Weak};
use std::time::{Duration, Instant};

/// The driver's functions that this file uses.
const FUNCTIONS: [&str; 44] = [
    "cuInit",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceGetDefaultMemPool",
    "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",
    "cuCtxGetLimit",
    "cuCtxSetLimit",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuStreamCreate",
    "cuStreamSynchronize",
    "cuStreamQuery",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuLaunchKernel",
    "cuGraphInstantiateWithFlags",
    "cuGraphExecUpdate_v2",
    "cuGraphDestroy",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
];
/// Memory of the GPU that stays for the next run, at most: this part of it.
const KEPT: usize = 16;
/// Device memory is had in multiples of this.
const UNIT: usize = 2 << 20;
/// Page-locked memory for what is small.
const STAGING: usize = 1 << 20;
/// Columns of as many bytes are copied from and to where they are, whose pages are locked then.
const DIRECT: usize = 512 << 10;
/// The end of what takes no longer than this is waited for without sleeping, which would make it longer: a nap is 50 µs more
/// than was asked for.
const SPIN: Duration = Duration::from_millis(1);
/// Others that want the core may have it after this.
const ALONE: Duration = Duration::from_micros(60);
/// Then it is looked up again after this part of the time that has gone by.
const NAPS: u32 = 16;
const SHORTEST_NAP: Duration = Duration::from_micros(10);
const LONGEST_NAP: Duration = Duration::from_millis(2);
/// Stack of a thread of a recursive program: an eighth of the free memory, shared by all threads, within these.
const LEAST_STACK: usize = 16 << 10;
const MOST_STACK: usize = 256 << 10;

/// A call of the driver that failed, said so that a user can act on it.
fn failed(what: &str) -> impl Fn(DriverError) -> Error + '_ {
    move |error| {
        let text = |t: Result<&std::ffi::CStr, DriverError>| {
            t.map_or_else(|_| "unknown".to_owned(), |t| t.to_string_lossy().into_owned())
        };
        Error::Device(format!(
            "{what} failed on the GPU: {} ({})",
            text(error.error_string()),
            text(error.error_name())
        ))
    }
}

/// What NVIDIA's driver installs wherever it does. cudarc looks for twenty names in every folder of the system, which
/// takes as long as the first call of a small section.
const LIBRARY: &str = if cfg!(target_os = "linux") { "libcuda.so.1" } else { "libcuda.dylib" };

/// Is a driver there, with all that is needed of it? A reason where not.
pub(super) fn driver() -> Result<(), String> {
    // SAFETY: loads NVIDIA's library, whose initialisers have no preconditions.
    if !unsafe { Library::new(LIBRARY).is_ok() && sys::is_culib_present() } {
        return Err("libcuda was not found: there is no NVIDIA driver".to_owned());
    }
    // SAFETY: present, as was just seen.
    let library = unsafe { sys::culib() };
    for name in FUNCTIONS {
        // SAFETY: the symbol is looked for, not used.
        if unsafe { library.get::<*const c_void>(name.as_bytes()) }.is_err() {
            return Err(format!("the NVIDIA driver is too old: it has no {name}"));
        }
    }
    Ok(())
}

/// CUDA version of the driver, such as 13000.
pub(super) fn driver_version() -> Option<u32> {
    driver().ok()?;
    let mut version = 0;
    // SAFETY: writes one number; needs no initialisation.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().ok()?;
    u32::try_from(version).ok().filter(|v| *v > 0)
}

pub(super) struct Gpu {
    pub name: String,
    /// Compute capability, times ten.
    pub architecture: u32,
    pub memory: usize,
    pub nvrtc: Location,
    context: sys::CUcontext,
    stream: sys::CUstream,
    /// For what is copied while a kernel runs.
    beside: sys::CUstream,
    multiprocessors: usize,
    /// Threads that it holds at once.
    threads: usize,
    /// The pool that stream-ordered allocation takes from, where the driver has that.
    pool: Option<sys::CUmemoryPool>,
    driver: u32,
    /// The process that made the context: a forked child cannot use it.
    process: u32,
    /// What a run has to itself.
    busy: Mutex<Resources>,
    /// Programs that nobody has any more, to be unloaded by the next run: that may wait for what the GPU does.
    dead: Mutex<Vec<Unloading>>,
    /// Memory that nobody has any more, but was given back while a run had the stream.
    given_back: Mutex<Vec<sys::CUdeviceptr>>,
    /// What is done with whole columns, once that was wanted.
    collectives: OnceLock<Collectives>,
}

/// What stays from run to run.
struct Resources {
    /// Device memory, of so many bytes; 0: none.
    base: sys::CUdeviceptr,
    bytes: usize,
    /// [`STAGING`] bytes of the host, page-locked.
    staging: *mut u8,
}

/// A module, and the graph of its launches.
struct Unloading(sys::CUmodule, Option<sys::CUgraphExec>);

/// Counts forks: the pages of a process that has forked may be others than those that were locked, from its next write
/// on.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// GPUs that have memory to give back.
static GPUS: Mutex<Vec<Weak<Gpu>>> = Mutex::new(Vec::new());

/// The context in which pages are locked, and the process that it is of. Without a lock: it is asked for wherever memory is
/// given back.
static LOCKING: (AtomicPtr<sys::CUctx_st>, AtomicU32) =
    (AtomicPtr::new(std::ptr::null_mut()), AtomicU32::new(0));

fn unlock(pages: *mut u8) {
    let (context, process) = (LOCKING.0.load(Ordering::Acquire), LOCKING.1.load(Ordering::Acquire));
    if process == std::process::id() {
        // SAFETY: the context is retained for as long as the process lives, and the pages were locked in it.
        let _ = unsafe {
            result::ctx::set_current(context).and_then(|()| sys::cuMemHostUnregister(pages.cast()).result())
        };
    }
}

fn release_all() {
    let Some(gpus) = GPUS.try_lock() else { return };
    gpus.iter().filter_map(Weak::upgrade).for_each(|gpu| gpu.release());
}

// SAFETY: the handles are valid in every thread that makes the context current, which each use does; the driver locks
// its own state, and `busy` keeps runs apart.
unsafe impl Send for Gpu {}
// SAFETY: as above.
unsafe impl Sync for Gpu {}

impl Gpu {
    /// The first GPU that the driver shows (`CUDA_VISIBLE_DEVICES` chooses); a reason where there is none.
    pub fn open() -> Result<Self, Error> {
        driver().map_err(Error::Device)?;
        // A thread that nobody waits for may be here when the process exits.
        let _foreign = Foreign::enter(&CancellationToken::default())?;
        let driver = driver_version().unwrap_or(0);
        result::init().map_err(failed("cuInit"))?;
        if result::device::get_count().map_err(failed("cuDeviceGetCount"))? == 0 {
            return Err(Error::Device("the driver shows no GPU".to_owned()));
        }
        let device = result::device::get(0).map_err(failed("cuDeviceGet"))?;
        let attribute = |which: Attribute| {
            // SAFETY: the device was given by the driver.
            unsafe { result::device::get_attribute(device, which) }.map_err(failed("cuDeviceGetAttribute"))
        };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let threads = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?;
        let pooled = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0;
        let name = result::device::get_name(device).map_err(failed("cuDeviceGetName"))?;
        let nvrtc = locate::nvrtc(Some(driver / 1000)).map_err(Error::Device)?;
        // SAFETY: the device was given by the driver. The context is kept until the process ends.
        let context =
            unsafe { result::primary_ctx::retain(device) }.map_err(failed("cuDevicePrimaryCtxRetain"))?;
        // SAFETY: a valid context.
        unsafe { result::ctx::set_current(context) }.map_err(failed("cuCtxSetCurrent"))?;
        let stream = || result::stream::create(StreamKind::NonBlocking).map_err(failed("cuStreamCreate"));
        let (stream, beside) = (stream()?, stream()?);
        let (_, memory) = result::mem_get_info().map_err(failed("cuMemGetInfo"))?;
        let pool = if pooled {
            // SAFETY: the device was given by the driver.
            let pool = unsafe { result::device::get_default_mem_pool(device) }
                .map_err(failed("cuDeviceGetDefaultMemPool"))?;
            // What is given back beyond what stays is for others.
            let mut kept = (memory / KEPT) as u64;
            // SAFETY: the attribute is a 64-bit number, read during the call.
            unsafe {
                result::mem_pool::set_attribute(
                    pool,
                    sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                    (&raw mut kept).cast(),
                )
            }
            .map_err(failed("cuMemPoolSetAttribute"))?;
            Some(pool)
        } else {
            None
        };
        // SAFETY: page-locked memory of the context, kept until the process ends.
        let staging = unsafe { result::malloc_host(STAGING, 0) }.map_err(failed("cuMemHostAlloc"))?.cast();
        Ok(Self {
            name,
            architecture: (major * 10 + minor).max(0) as u32,
            memory,
            nvrtc,
            context,
            stream,
            beside,
            multiprocessors: multiprocessors.max(1) as usize,
            threads: (multiprocessors * threads).max(1) as usize,
            pool,
            driver,
            process: std::process::id(),
            busy: Mutex::new(Resources { base: 0, bytes: 0, staging }),
            dead: Mutex::new(Vec::new()),
            given_back: Mutex::new(Vec::new()),
            collectives: OnceLock::new(),
        })
    }

    /// Shares it, and has it give back what is kept when all else that is kept goes back.
    pub fn shared(self) -> Arc<Self> {
        static ONCE: Once = Once::new();
        extern "C" fn forks() {
            shared::before_fork();
        }
        extern "C" fn forked() {
            FORKS.fetch_add(1, Ordering::Relaxed);
        }
        ONCE.call_once(|| {
            // SAFETY: the functions live as long as the process, as an extension is never unloaded.
            unsafe { libc::pthread_atfork(Some(forks), Some(forked), None) };
        });
        LOCKING.0.store(self.context, Ordering::Release);
        LOCKING.1.store(self.process, Ordering::Release);
        let gpu = Arc::new(self);
        GPUS.lock().push(Arc::downgrade(&gpu));
        memory::on_unlock(unlock);
        memory::on_release(release_all);
        gpu
    }

    /// Gives back what is kept, if no run has it.
    fn release(&self) {
        if self.enter().is_ok()
            && let Some(mut resources) = self.busy.try_lock()
        {
            self.free(&mut resources);
            self.bury();
            if let Some(pool) = self.pool
                && self.wait().is_ok()
            {
                // SAFETY: the device's own pool.
                let _ = unsafe { result::mem_pool::trim_to(pool, 0) };
            }
        }
    }

    /// Gives the memory of the last run back.
    fn free(&self, resources: &mut Resources) {
        if resources.bytes > 0 {
            self.give_back(resources.base);
            (resources.base, resources.bytes) = (0, 0);
        }
    }

    /// Frees memory that [`Self::take`] gave. The caller has the stream to itself.
    fn give_back(&self, memory: sys::CUdeviceptr) {
        let _ = match self.pool {
            // SAFETY: allocated on this stream, freed once.
            Some(_) => unsafe { result::free_async(memory, self.stream) },
            // SAFETY: allocated, freed once.
            None => unsafe { result::free_sync(memory) },
        };
    }

    /// Frees what could not be freed when it was given back.
    fn free_given_back(&self) {
        let all = std::mem::take(&mut *self.given_back.lock());
        all.into_iter().for_each(|memory| self.give_back(memory));
    }

    /// Unloads what nobody has any more.
    fn bury(&self) {
        self.free_given_back();
        for Unloading(module, graph) in std::mem::take(&mut *self.dead.lock()) {
            if let Some(graph) = graph {
                // SAFETY: instantiated, and destroyed once; no run is using it, as runs borrow the program.
                let _ = unsafe { result::graph::exec_destroy(graph) };
            }
            // SAFETY: loaded, and unloaded once; as above.
            let _ = unsafe { result::module::unload(module) };
        }
    }

    /// Has at least so much memory ready.
    fn allocate(&self, resources: &mut Resources, bytes: usize) -> Result<(), Error> {
        if bytes <= resources.bytes {
            return Ok(());
        }
        self.free(resources);
        let bytes = bytes.next_multiple_of(UNIT);
        resources.base = self.take(bytes)?;
        resources.bytes = bytes;
        Ok(())
    }

    /// Memory, for which columns that were left there go home if need be. The caller has the stream to itself.
    fn take(&self, bytes: usize) -> Result<sys::CUdeviceptr, Error> {
        if let Ok(memory) = self.malloc(bytes) {
            return Ok(memory);
        }
        shared::leave_devices()?;
        self.free_given_back();
        self.wait()?;
        check_room(bytes, self.available()?, self.memory)?;
        self.malloc(bytes).map_err(failed(&format!("allocating {}", size(bytes))))
    }

    fn malloc(&self, bytes: usize) -> Result<sys::CUdeviceptr, DriverError> {
        self.malloc_on(self.stream, bytes)
    }

    /// For use on one of the streams, and on the other when that has been waited for.
    fn malloc_on(&self, stream: sys::CUstream, bytes: usize) -> Result<sys::CUdeviceptr, DriverError> {
        match self.pool {
            // SAFETY: the stream is valid, and is where the memory is used first.
            Some(_) => unsafe { result::malloc_async(stream, bytes) },
            // SAFETY: nothing reads the memory before it is written.
            None => unsafe { result::malloc_sync(bytes) },
        }
    }

    /// Can the GPU copy from and to this list itself? Locks its pages if need be.
    fn is_direct(&self, start: *const u8, bytes: usize) -> bool {
        let lock = |pages: *mut u8, size: usize| {
            // SAFETY: the pages are mapped, and unlocked before they are not any more.
            unsafe { sys::cuMemHostRegister_v2(pages.cast(), size, 0) }.result().is_ok()
        };
        bytes >= DIRECT && memory::lock(start, bytes, FORKS.load(Ordering::Relaxed), lock)
    }

    /// Makes the context the calling thread's.
    fn enter(&self) -> Result<(), Error> {
        if std::process::id() != self.process {
            return Err(Error::Device(
                "the GPU was in use when this process was forked, and CUDA cannot be used in a child of that; use it \
                 after the fork only, or on the CPU"
                    .to_owned(),
            ));
        }
        // SAFETY: the context is retained for as long as the process lives.
        unsafe { result::ctx::set_current(self.context) }.map_err(failed("cuCtxSetCurrent"))
    }

    /// From the disk or the compiler.
    fn code(&self, source: &Source, token: &CancellationToken) -> Result<Vec<u8>, Error> {
        let target = if source.recursive { Target::Recursive } else { Target::Gpu };
        self.code_of(&source.essence(), || source.complete(), target(self.architecture), token)
    }

    /// The same of any text. `essence`: what makes two texts the same code.
    fn code_of(
        &self,
        essence: &str,
        text: impl FnOnce() -> String,
        target: Target,
        token: &CancellationToken,
    ) -> Result<Vec<u8>, Error> {
        let architecture = target.to_string();
        let driver = self.driver.to_string();
        let options = nvrtc::OPTIONS.join(" ");
        let parts = [essence, &architecture, &options, &self.nvrtc.identity, &driver];
        let name = Name::new(parts.iter().map(|part| part.as_bytes()));
        if let Some(code) = cache::of_user().get(&name, Sort::Cubin) {
            return Ok(code);
        }
        let code = compiler::compile(&self.nvrtc, &text(), target, token)?;
        cache::of_user().put(&name, Sort::Cubin, &code);
        Ok(code)
    }

    /// Memory that an allocation can have: the driver's free memory and what the pool keeps unused.
    fn available(&self) -> Result<usize, Error> {
        let (free, _) = result::mem_get_info().map_err(failed("cuMemGetInfo"))?;
        let Some(pool) = self.pool else { return Ok(free) };
        let number = |attribute| {
            let mut value = 0u64;
            // SAFETY: both attributes asked for are 64-bit numbers.
            unsafe { result::mem_pool::get_attribute(pool, attribute, (&raw mut value).cast()) }
                .map_err(failed("cuMemPoolGetAttribute"))?;
            Ok::<_, Error>(value)
        };
        let reserved = number(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        let used = number(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        Ok(free + reserved.saturating_sub(used) as usize)
    }

    /// Is everything done that was asked for?
    fn idle(&self) -> Result<bool, Error> {
        // SAFETY: the stream is never destroyed.
        match unsafe { sys::cuStreamQuery(self.stream) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            other => other.result().map(|()| true).map_err(failed("a kernel or copy")),
        }
    }

    /// Sets a byte of memory beside what is running.
    fn set(&self, byte: sys::CUdeviceptr) -> Result<(), Error> {
        static ONE: [u8; 1] = [1];
        // SAFETY: the address is that of a byte of a run, the source lives for ever, and so does the stream.
        unsafe {
            result::memcpy_htod_async(byte, &ONE, self.beside)
                .and_then(|()| result::stream::synchronize(self.beside))
        }
        .map_err(failed("stopping a kernel"))
    }

    fn wait(&self) -> Result<(), Error> {
        // SAFETY: the stream is never destroyed.
        unsafe { result::stream::synchronize(self.stream) }.map_err(failed("a kernel or copy"))
    }
}

/// The GPU as a device; shared by its programs.
pub(super) struct GpuDevice(pub Arc<Gpu>);

impl Device for GpuDevice {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn load(
        &self,
        source: &Source,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Box<dyn Loaded>, Error> {
        let gpu = &self.0;
        let start = Instant::now();
        let mut code = gpu.code(source, token)?;
        profile.step("NVRTC", start.elapsed(), 1);
        let _foreign = Foreign::enter(token)?;
        // PTX is read as a C string.
        code.push(0);
        gpu.enter()?;
        // SAFETY: a whole cubin or zero-terminated PTX, read during the call.
        let module =
            unsafe { result::module::load_data(code.as_ptr().cast()) }.map_err(failed("cuModuleLoadData"))?;
        // From here the module is unloaded when this is dropped.
        let mut program = LoadedModule {
            gpu: gpu.clone(),
            module,
            section: std::ptr::null_mut(),
            shared_section: std::ptr::null_mut(),
            advance: std::ptr::null_mut(),
            run: 0,
            arguments: None,
            stack: 0,
            graph: Mutex::new(None),
            constants: Mutex::default(),
        };
        program.section = program.function("section")?;
        if source.sharing.is_some() {
            program.shared_section = program.function("shared_section")?;
        }
        program.advance = program.function("advance")?;
        program.run = program.global("run").map_err(failed("cuModuleGetGlobal"))?;
        program.arguments = program.global("args").ok();
        if source.recursive {
            program.stack = (gpu.available()? / 8 / gpu.threads).clamp(LEAST_STACK, MOST_STACK) & !255;
        }
        Ok(Box::new(program))
    }
}

/// Launches recorded once, and what they are.
struct Graph {
    steps: Vec<Step>,
    ticks: u64,
    executable: sys::CUgraphExec,
}

struct LoadedModule {
    gpu: Arc<Gpu>,
    module: sys::CUmodule,
    section: sys::CUfunction,
    /// With a warp for each element, where there is one.
    shared_section: sys::CUfunction,
    advance: sys::CUfunction,
    /// Addresses of the constants.
    run: sys::CUdeviceptr,
    arguments: Option<sys::CUdeviceptr>,
    /// Bytes of stack for a thread of a recursive program; 0 for others, whose needs the driver knows.
    stack: usize,
    graph: Mutex<Option<Graph>>,
    /// What [`Constant::Run`] and [`Constant::Arguments`] are on the GPU.
    constants: Mutex<[Vec<u64>; 2]>,
}

// SAFETY: as for `Gpu`; the graph is behind a lock.
unsafe impl Send for LoadedModule {}
// SAFETY: as above.
unsafe impl Sync for LoadedModule {}

impl LoadedModule {
    fn function(&self, name: &str) -> Result<sys::CUfunction, Error> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the module is loaded.
        unsafe { result::module::get_function(self.module, name) }.map_err(failed("cuModuleGetFunction"))
    }

    fn global(&self, name: &str) -> Result<sys::CUdeviceptr, DriverError> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the module is loaded.
        unsafe { result::module::get_global(self.module, name) }.map(|(address, _)| address)
    }

    /// Lets every thread have the stack that this program was promised.
    fn reserve_stack(&self) -> Result<(), Error> {
        if self.stack == 0 {
            return Ok(());
        }
        let current = result::ctx::get_limit(Limit::CU_LIMIT_STACK_SIZE).map_err(failed("cuCtxGetLimit"))?;
        if current >= self.stack {
            return Ok(());
        }
        result::ctx::set_limit(Limit::CU_LIMIT_STACK_SIZE, self.stack)
            .map_err(failed("reserving stack for a recursive section (cuCtxSetLimit)"))
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        let graph = self.graph.get_mut().take().map(|graph| graph.executable);
        self.gpu.dead.lock().push(Unloading(self.module, graph));
    }
}

impl Loaded for LoadedModule {
    fn schedulers(&self) -> usize {
        4 * self.gpu.multiprocessors
    }

    fn start<'a>(
        &'a self,
        bytes: usize,
        interrupt: &'a AtomicBool,
    ) -> Result<Option<Box<dyn DeviceSession + 'a>>, Error> {
        let gpu = &*self.gpu;
        // First of all: in a forked child the lock may be held by no one who lives.
        gpu.enter()?;
        let Some(mut resources) = take(&gpu.busy, interrupt) else { return Ok(None) };
        gpu.bury();
        self.reserve_stack()?;
        gpu.allocate(&mut resources, bytes)?;
        Ok(Some(Box::new(GpuSession {
            program: self,
            gpu,
            bytes,
            interrupt,
            stopping: false,
            staged: 0,
            held: Vec::new(),
            beside: Vec::new(),
            resources,
        })))
    }
}

struct GpuSession<'a> {
    program: &'a LoadedModule,
    gpu: &'a Gpu,
    bytes: usize,
    interrupt: &'a AtomicBool,
    /// The GPU has been told to stop.
    stopping: bool,
    /// Bytes of the staging memory that copies may be going on with.
    staged: usize,
    /// What is being copied.
    held: Vec<Vec<u8>>,
    /// Memory that the run uses beside its own.
    beside: Vec<Arc<dyn OnDevice>>,
    resources: MutexGuard<'a, Resources>,
}

impl GpuSession<'_> {
    /// The address of a range of this run's memory, or of memory beside it.
    fn range(&self, offset: usize, bytes: usize) -> sys::CUdeviceptr {
        let (at, end) = (address(self.resources.base, offset), offset.checked_add(bytes));
        let is_in = end.is_some_and(|end| end <= self.bytes) || holds(&self.beside, at, bytes);
        assert!(is_in, "beyond the memory of a run");
        at
    }

    /// A place for so many bytes in the staging memory.
    fn stage(&mut self, bytes: usize) -> Option<*mut u8> {
        let end = self.staged.checked_add(bytes).filter(|end| *end <= STAGING)?;
        let place = self.resources.staging.wrapping_add(self.staged);
        self.staged = end.next_multiple_of(64);
        Some(place)
    }

    /// Copies to the GPU, by way of the staging memory; false if there is no room there.
    fn copy_staged(&mut self, at: sys::CUdeviceptr, bytes: &[u8]) -> Result<bool, Error> {
        let Some(place) = self.stage(bytes.len()) else { return Ok(false) };
        // SAFETY: there is room for them, which nobody else uses before the next wait.
        let staged = unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
            std::slice::from_raw_parts(place, bytes.len())
        };
        // SAFETY: the range is this run's, and the source stays until the wait.
        unsafe { result::memcpy_htod_async(at, staged, self.gpu.stream) }
            .map_err(failed("copying to the GPU"))?;
        Ok(true)
    }

    fn start(
        &self,
        function: sys::CUfunction,
        blocks: u32,
        threads: u32,
        parameter: *const u64,
    ) -> Result<(), Error> {
        // SAFETY: all kernels take one parameter, whose bytes are copied during the call; `layout` checked that the
        // launch fits the program, and the memory it reads lives until the stream has been waited for.
        unsafe {
            result::launch_kernel(
                function,
                (blocks, 1, 1),
                (threads, 1, 1),
                0,
                self.gpu.stream,
                &mut [parameter.cast_mut().cast::<c_void>()],
            )
        }
        .map_err(failed("cuLaunchKernel"))
    }

    /// The launches as a graph that can be replayed; a known one of as many launches is changed, which is faster.
    fn capture(
        &mut self,
        steps: &[Step],
        ticks: u64,
        known: Option<sys::CUgraphExec>,
    ) -> Result<sys::CUgraphExec, Error> {
        // SAFETY: the stream is valid and not being captured: it has one user, this run.
        unsafe {
            result::stream::begin_capture(
                self.gpu.stream,
                sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
            )
        }
        .map_err(failed("cuStreamBeginCapture"))?;
        let launched = steps
            .iter()
            .try_for_each(|step| self.launch(step))
            .and_then(|()| self.start(self.program.advance, 1, 1, &raw const ticks));
        // Ended in any case, else the stream stays unusable.
        // SAFETY: capture has begun.
        let graph = unsafe { result::stream::end_capture(self.gpu.stream) };
        launched?;
        let graph = graph.map_err(failed("cuStreamEndCapture"))?;
        let changed = known.filter(|known| {
            // SAFETY: plain numbers, which are written by the call; both handles are valid.
            unsafe {
                let mut result: sys::CUgraphExecUpdateResultInfo = std::mem::zeroed();
                sys::cuGraphExecUpdate_v2(*known, graph, &raw mut result).result().is_ok()
            }
        });
        let mut executable = changed.unwrap_or(std::ptr::null_mut());
        let made = match changed {
            Some(_) => Ok(()),
            // SAFETY: a valid graph; the handle is written on success.
            None => unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) }.result(),
        };
        // SAFETY: a valid graph, destroyed once; what was instantiated does not need it.
        let _ = unsafe { result::graph::destroy(graph) };
        if let (None, Some(known)) = (changed, known) {
            // SAFETY: instantiated, destroyed once; earlier runs have been waited for.
            let _ = unsafe { result::graph::exec_destroy(known) };
        }
        made.map_err(failed("cuGraphInstantiate"))?;
        Ok(executable)
    }
}

impl DeviceSession for GpuSession<'_> {
    fn base(&self) -> u64 {
        self.resources.base
    }

    fn memory(&mut self, bytes: usize) -> Result<Arc<dyn OnDevice>, Error> {
        let gpu = &self.program.gpu;
        let memory: Arc<dyn OnDevice> = Arc::new(Left::new(gpu, bytes)?);
        self.beside.push(memory.clone());
        Ok(memory)
    }

    fn adopt(&mut self, memory: &Arc<dyn OnDevice>) -> bool {
        let is_own = memory.device() == std::ptr::from_ref(self.gpu).addr();
        if is_own {
            self.beside.push(memory.clone());
        }
        is_own
    }

    fn copy(&mut self, to: usize, from: usize, bytes: usize) -> Result<(), Error> {
        let (to, from) = (self.range(to, bytes), self.range(from, bytes));
        // SAFETY: both are this run's, and do not overlap.
        unsafe { result::memcpy_dtod_async(to, from, bytes, self.gpu.stream) }
            .map_err(failed("copying on the GPU"))
    }

    fn stop(&self) -> u64 {
        self.range(Arena::STOP, 1)
    }

    fn stack(&self) -> u64 {
        // The rest is for the frames above the first measure and below the last.
        self.program.stack as u64 / 4 * 3
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let at = self.range(offset, bytes.len());
        if bytes.is_empty() || bytes.len() < DIRECT && self.copy_staged(at, bytes)? {
            return Ok(());
        }
        self.gpu.is_direct(bytes.as_ptr(), bytes.len());
        // SAFETY: the range is this run's, and the caller keeps the bytes until `wait`.
        unsafe { result::memcpy_htod_async(at, bytes, self.gpu.stream) }.map_err(failed("copying to the GPU"))
    }

    fn put(&mut self, offset: usize, bytes: Vec<u8>) -> Result<(), Error> {
        let at = self.range(offset, bytes.len());
        if self.copy_staged(at, &bytes)? {
            return Ok(());
        }
        // SAFETY: the range is this run's, and the bytes are held until `wait`.
        let copied = unsafe { result::memcpy_htod_async(at, &bytes, self.gpu.stream) };
        self.held.push(bytes);
        copied.map_err(failed("copying to the GPU"))
    }

    fn clear(&mut self, offset: usize, bytes: usize) -> Result<(), Error> {
        let at = self.range(offset, bytes);
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the range is this run's.
        unsafe { result::memset_d8_async(at, 0, bytes, self.gpu.stream) }.map_err(failed("cuMemsetD8Async"))
    }

    fn read(&mut self, pieces: &mut [(usize, &mut [u8])]) -> Result<(), Error> {
        let (mut staged, mut others) = (Vec::new(), Vec::new());
        let mut copied = Ok(());
        for (number, (offset, bytes)) in pieces.iter_mut().enumerate() {
            let at = self.range(*offset, bytes.len());
            let place = if bytes.len() < DIRECT { self.stage(bytes.len()) } else { None };
            let target = match place {
                Some(place) => {
                    staged.push((number, place));
                    // SAFETY: the place is as long, and nobody else's before the next wait.
                    unsafe { std::slice::from_raw_parts_mut(place, bytes.len()) }
                }
                None if self.gpu.is_direct(bytes.as_ptr(), bytes.len()) => &mut **bytes,
                None => {
                    others.push(number);
                    continue;
                }
            };
            // SAFETY: the range is this run's, and the target stays until the wait below has ended.
            let begun = unsafe { result::memcpy_dtoh_async(target, at, self.gpu.stream) };
            copied = copied.and(begun);
        }
        let mut waited = self.wait();
        // A copy to memory that is not locked returns when it is done, and hears nothing.
        for number in others {
            let (offset, bytes) = &mut pieces[number];
            let at = self.range(*offset, bytes.len());
            // SAFETY: as above.
            let done = unsafe { result::memcpy_dtoh_async(bytes, at, self.gpu.stream) };
            copied = copied.and(done);
            waited = waited.and(self.wait());
        }
        copied.map_err(failed("copying from the GPU"))?;
        waited?;
        for (number, place) in staged {
            let bytes = &mut pieces[number].1;
            // SAFETY: as many bytes have been copied there.
            unsafe { std::ptr::copy_nonoverlapping(place, bytes.as_mut_ptr(), bytes.len()) };
        }
        Ok(())
    }

    fn set(&mut self, constant: Constant, words: &[u64]) -> Result<(), Error> {
        let at = match constant {
            Constant::Run => Some(self.program.run),
            Constant::Arguments => self.program.arguments,
        };
        let at = at.ok_or_else(|| Error::Internal(format!("the program has no {constant:?}")))?;
        let mut known = self.program.constants.lock();
        let known = &mut known[usize::from(constant == Constant::Arguments)];
        // They stay from run to run.
        if *known == words {
            return Ok(());
        }
        known.clear();
        let bytes = bytemuck::cast_slice(words);
        if !self.copy_staged(at, bytes)? {
            // SAFETY: the constant has as many words as the layout says; they are waited for at once.
            unsafe { result::memcpy_htod_async(at, words, self.gpu.stream) }
                .map_err(failed("copying to the GPU"))?;
            self.gpu.wait()?;
        }
        known.extend_from_slice(words);
        Ok(())
    }

    fn launch(&mut self, step: &Step) -> Result<(), Error> {
        let LoadedModule { section, shared_section, .. } = *self.program;
        let section = if step.shared { shared_section } else { section };
        self.start(section, step.blocks, BLOCK, step.words.as_ptr())
    }

    fn record(&mut self, steps: Vec<Step>, ticks: u64) -> Result<(), Error> {
        let mut kept = self.program.graph.lock();
        // Addresses are in the constants, so a graph serves as long as the shape of the launches stays.
        if kept.as_ref().is_some_and(|g| g.ticks == ticks && g.steps == steps) {
            return Ok(());
        }
        let known = kept.take().map(|graph| graph.executable);
        let executable = self.capture(&steps, ticks, known)?;
        *kept = Some(Graph { steps, ticks, executable });
        Ok(())
    }

    fn replay(&mut self) -> Result<(), Error> {
        let kept = self.program.graph.lock();
        let graph = kept.as_ref().ok_or_else(|| Error::Internal("no graph was recorded".to_owned()))?;
        // SAFETY: instantiated and not destroyed.
        unsafe { result::graph::launch(graph.executable, self.gpu.stream) }.map_err(failed("cuGraphLaunch"))
    }

    fn wait(&mut self) -> Result<(), Error> {
        let start = Instant::now();
        while !self.gpu.idle()? {
            if !self.stopping && self.interrupt.load(Ordering::Relaxed) {
                self.stopping = true;
                self.gpu.set(self.range(Arena::STOP, 1))?;
            }
            let waited = start.elapsed();
            if waited > SPIN {
                std::thread::sleep((waited / NAPS).clamp(SHORTEST_NAP, LONGEST_NAP));
            } else if waited > ALONE {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        self.staged = 0;
        self.held.clear();
        Ok(())
    }
}

impl Drop for GpuSession<'_> {
    fn drop(&mut self) {
        // After an error something may still be running on the memory, or be copied from the caller's.
        let _ = self.gpu.wait();
        self.beside.clear();
        self.gpu.free_given_back();
        if self.resources.bytes > self.gpu.memory / KEPT {
            self.gpu.free(&mut self.resources);
        }
    }
}
