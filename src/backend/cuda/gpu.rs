//! The GPU, through the driver: its primary context, one stream on which everything is done in order, and one run at
//! a time. libcuda is loaded by cudarc, which panics where a function is missing: so all are looked for first.

use super::cache::Cache;
use super::device::{Constant, Device, Loaded, Session, check_room, take};
use super::emit::{BLOCK, Source};
use super::foreign::Foreign;
use super::layout::{Arena, Step};
use super::locate::{self, Location};
use super::{compiler, nvrtc};
use crate::cancel::CancellationToken;
use crate::error::{Error, size};
use crate::profile::Profile;
use cudarc::driver::result::{self, DriverError, stream::StreamKind};
use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute, CUlimit_enum as Limit};
use parking_lot::{Mutex, MutexGuard};
use std::ffi::{CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The driver's functions that this file uses.
const FUNCTIONS: [&str; 37] = [
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
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
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
    "cuGraphDestroy",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
];
/// Freed memory that the driver keeps for the next run.
const KEPT: u64 = 256 << 20;
/// The end of what takes no longer than this is waited for without sleeping, which would make it longer.
const SPIN: Duration = Duration::from_millis(1);
const NAP: Duration = Duration::from_micros(50);
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

/// Is a driver there, with all that is needed of it? A reason where not.
pub(super) fn driver() -> Result<(), String> {
    // SAFETY: loads NVIDIA's library, whose initialisers have no preconditions.
    if !unsafe { sys::is_culib_present() } {
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
    /// Threads that it holds at once.
    threads: usize,
    /// The pool that stream-ordered allocation takes from, where the driver has that.
    pool: Option<sys::CUmemoryPool>,
    driver: u32,
    /// The process that made the context: a forked child cannot use it.
    process: u32,
    cache: Cache,
    busy: Mutex<()>,
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
            let mut kept = KEPT;
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
        Ok(Self {
            name,
            architecture: (major * 10 + minor).max(0) as u32,
            memory,
            nvrtc,
            context,
            stream,
            beside,
            threads: (multiprocessors * threads).max(1) as usize,
            pool,
            driver,
            process: std::process::id(),
            cache: Cache::of_user(),
            busy: Mutex::new(()),
        })
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
        let (essence, architecture) = (source.essence(), self.architecture.to_string());
        let driver = self.driver.to_string();
        let options = nvrtc::OPTIONS.join(" ");
        let parts = [essence.as_str(), &architecture, &options, &self.nvrtc.identity, &driver];
        if let Some(code) = self.cache.get(&parts) {
            return Ok(code);
        }
        let code = compiler::compile(&self.nvrtc, &source.complete(), self.architecture, token)?;
        self.cache.put(&parts, &code);
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
            advance: std::ptr::null_mut(),
            run: 0,
            arguments: None,
            stack: 0,
            graph: Mutex::new(None),
        };
        program.section = program.function("section")?;
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
    advance: sys::CUfunction,
    /// Addresses of the constants.
    run: sys::CUdeviceptr,
    arguments: Option<sys::CUdeviceptr>,
    /// Bytes of stack for a thread of a recursive program; 0 for others, whose needs the driver knows.
    stack: usize,
    graph: Mutex<Option<Graph>>,
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
        // In a forked child the handles mean nothing; at the end of the process the driver may be gone already.
        if self.gpu.enter().is_err() {
            return;
        }
        if let Some(graph) = self.graph.get_mut().take() {
            // SAFETY: instantiated, and destroyed once; no run is using it, as runs borrow the program.
            let _ = unsafe { result::graph::exec_destroy(graph.executable) };
        }
        // SAFETY: loaded, and unloaded once; as above.
        let _ = unsafe { result::module::unload(self.module) };
    }
}

impl Loaded for LoadedModule {
    fn start<'a>(
        &'a self,
        bytes: usize,
        interrupt: &'a AtomicBool,
    ) -> Result<Option<Box<dyn Session + 'a>>, Error> {
        let gpu = &*self.gpu;
        // First of all: in a forked child the lock may be held by no one who lives.
        gpu.enter()?;
        let Some(busy) = take(&gpu.busy, interrupt) else { return Ok(None) };
        self.reserve_stack()?;
        check_room(bytes, gpu.available()?, gpu.memory)?;
        let what = format!("allocating {}", size(bytes));
        let base = match gpu.pool {
            // SAFETY: the stream is valid, and all use of the memory is on it.
            Some(_) => unsafe { result::malloc_async(gpu.stream, bytes) },
            // SAFETY: nothing reads the memory before it is written.
            None => unsafe { result::malloc_sync(bytes) },
        }
        .map_err(failed(&what))?;
        Ok(Some(Box::new(GpuSession {
            program: self,
            gpu,
            base,
            bytes,
            interrupt,
            stopping: false,
            _busy: busy,
        })))
    }
}

struct GpuSession<'a> {
    program: &'a LoadedModule,
    gpu: &'a Gpu,
    base: sys::CUdeviceptr,
    bytes: usize,
    interrupt: &'a AtomicBool,
    /// The GPU has been told to stop.
    stopping: bool,
    _busy: MutexGuard<'a, ()>,
}

impl GpuSession<'_> {
    /// The address of a range of this run's memory.
    fn range(&self, offset: usize, bytes: usize) -> sys::CUdeviceptr {
        assert!(offset + bytes <= self.bytes, "beyond the memory of a run");
        self.base + offset as u64
    }

    fn start(
        &self,
        function: sys::CUfunction,
        blocks: u32,
        threads: u32,
        parameter: *const u64,
    ) -> Result<(), Error> {
        // SAFETY: both kernels take one parameter, whose bytes are copied during the call; `layout` checked that the
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

    fn capture(&mut self, steps: &[Step], ticks: u64) -> Result<sys::CUgraphExec, Error> {
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
        let mut executable = std::ptr::null_mut();
        // SAFETY: a valid graph; the handle is written on success.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) }.result();
        // SAFETY: a valid graph, destroyed once; what was instantiated does not need it.
        let _ = unsafe { result::graph::destroy(graph) };
        made.map_err(failed("cuGraphInstantiate"))?;
        Ok(executable)
    }
}

impl Session for GpuSession<'_> {
    fn base(&self) -> u64 {
        self.base
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
        // SAFETY: the range is this run's, and the caller keeps the bytes until `wait`.
        unsafe { result::memcpy_htod_async(at, bytes, self.gpu.stream) }.map_err(failed("copying to the GPU"))
    }

    fn clear(&mut self, offset: usize, bytes: usize) -> Result<(), Error> {
        let at = self.range(offset, bytes);
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the range is this run's.
        unsafe { result::memset_d8_async(at, 0, bytes, self.gpu.stream) }.map_err(failed("cuMemsetD8Async"))
    }

    fn read(&mut self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let at = self.range(offset, bytes.len());
        // Before the copy: one to memory that is not pinned returns when it is done, and hears nothing.
        self.wait()?;
        // SAFETY: the range is this run's, and the bytes are borrowed until the wait below has ended.
        let copied = unsafe { result::memcpy_dtoh_async(bytes, at, self.gpu.stream) };
        let waited = self.wait();
        copied.map_err(failed("copying from the GPU"))?;
        waited
    }

    fn set(&mut self, constant: Constant, words: &[u64]) -> Result<(), Error> {
        let at = match constant {
            Constant::Run => Some(self.program.run),
            Constant::Arguments => self.program.arguments,
        };
        let at = at.ok_or_else(|| Error::Internal(format!("the program has no {constant:?}")))?;
        // SAFETY: the constant has as many words as the layout says; the caller keeps them until `wait`.
        unsafe { result::memcpy_htod_async(at, words, self.gpu.stream) }.map_err(failed("copying to the GPU"))
    }

    fn launch(&mut self, step: &Step) -> Result<(), Error> {
        self.start(self.program.section, step.blocks, BLOCK, step.words.as_ptr())
    }

    fn record(&mut self, steps: Vec<Step>, ticks: u64) -> Result<(), Error> {
        let mut kept = self.program.graph.lock();
        // Addresses are in the constants, so a graph serves as long as the shape of the launches stays.
        if kept.as_ref().is_some_and(|g| g.ticks == ticks && g.steps == steps) {
            return Ok(());
        }
        let executable = self.capture(&steps, ticks)?;
        if let Some(old) = kept.replace(Graph { steps, ticks, executable }) {
            // SAFETY: instantiated, destroyed once; earlier runs have been waited for.
            let _ = unsafe { result::graph::exec_destroy(old.executable) };
        }
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
            if start.elapsed() > SPIN {
                std::thread::sleep(NAP);
            }
        }
        Ok(())
    }
}

impl Drop for GpuSession<'_> {
    fn drop(&mut self) {
        // After an error something may still be running on the memory, or be copied from the caller's.
        let _ = self.gpu.wait();
        let _ = match self.gpu.pool {
            // SAFETY: allocated on this stream, freed once.
            Some(_) => unsafe { result::free_async(self.base, self.gpu.stream) },
            // SAFETY: allocated, freed once.
            None => unsafe { result::free_sync(self.base) },
        };
    }
}
