//! A test tool: the generated text compiled by the C++ compiler against a small shim, one thread after the other. It
//! shows on any machine that the text computes what the IR says, not that it is free of races or fast. Where a warp
//! shares an element, one thread plays all lanes of its loops (`IKRA_TEST_SHARING=1` has elements shared wherever they
//! can be, on a GPU too). Active where `IKRA_CUDA_EMULATOR` names the shim's folder.
//!
//! Where NVRTC is found (`bin/nvrtc` fetches it), a quarter of the generated texts are also compiled for one of two
//! generations of GPUs, which needs no GPU: to PTX and without optimizing, as that tells ten times sooner whether they
//! are valid.

use super::compiler;
use super::device::{Constant, Device, DeviceSession, Loaded, address, check_room, holds, take};
use super::emit::{BLOCK, Source};
use super::layout::Step;
use super::locate;
use super::nvrtc::Target;
use crate::backend::collectives::sums::Compensated;
use crate::backend::collectives::{in_parts, whole};
use crate::cache::{self, create_private};
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::faults;
use crate::heap::shared::{self, Done, Work};
use crate::heap::{Column, OnDevice};
use crate::profile::Profile;
use crate::scalar::Ty;
use libloading::Library;
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Stack that a kernel may use of the thread that plays the GPU: that of code that is not optimized.
const STACK: u64 = 4 << 20;
const THREAD_STACK: usize = 16 << 20;
/// What memory holds that nobody has written to.
const GARBAGE: u64 = 0xa5a5_a5a5_a5a5_a5a5;
/// How often it is looked whether the compiler has ended.
const LOOK: Duration = Duration::from_millis(5);

/// One object file may be loaded by several kernels, which then share its constants: one run at a time.
static BUSY: Mutex<()> = Mutex::new(());

/// The emulated GPU has so many bytes of memory.
fn memory() -> usize {
    let set = std::env::var("IKRA_CUDA_EMULATOR_MEMORY").ok().and_then(|bytes| bytes.parse().ok());
    set.unwrap_or(8 << 30)
}

/// Bytes of it that stay from run to run.
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Has so much memory free: columns that have been left there go home otherwise.
fn make_room(bytes: usize) -> Result<(), Error> {
    let free = || memory().saturating_sub(LEFT.load(Ordering::Relaxed));
    if bytes > free() {
        shared::leave_devices()?;
    }
    check_room(bytes, free(), memory())
}

/// Memory that stays.
#[derive(Debug)]
struct Left {
    address: u64,
    words: usize,
    bytes: usize,
}

impl Left {
    fn new(bytes: usize) -> Result<Self, Error> {
        let words = bytes.div_ceil(8);
        let mut memory = bytemuck::allocation::try_zeroed_vec(words).map_err(|()| Error::Memory(bytes))?;
        // Nothing may rely on what is there before.
        memory.fill(GARBAGE);
        LEFT.fetch_add(bytes, Ordering::Relaxed);
        let memory: *mut [u64] = Box::into_raw(memory.into_boxed_slice());
        Ok(Self { address: memory.cast::<u64>() as u64, words, bytes })
    }

    fn contents(&self) -> &[u8] {
        // SAFETY: as long as that, and nobody writes it any more.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.bytes) }
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        let memory = std::ptr::slice_from_raw_parts_mut(self.address as *mut u64, self.words);
        // SAFETY: it is from `new`, and nobody has it any more.
        drop(unsafe { Box::from_raw(memory) });
        LEFT.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl OnDevice for Left {
    fn device(&self) -> usize {
        // There is one.
        1
    }

    fn address(&self) -> u64 {
        self.address
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn read(&self, from: usize, into: &mut [u8]) -> Result<(), Error> {
        faults::point("copying from the GPU")?;
        into.copy_from_slice(&self.contents()[from..from + into.len()]);
        Ok(())
    }

    fn part(&self, bytes: Range<usize>) -> Result<Option<Arc<dyn OnDevice>>, Error> {
        faults::point("copying on the GPU")?;
        let part = Self::new(bytes.len())?;
        // SAFETY: as long as that, and nobody else knows it yet.
        let memory = unsafe { std::slice::from_raw_parts_mut(part.address as *mut u8, bytes.len()) };
        memory.copy_from_slice(&self.contents()[bytes]);
        Ok(Some(Arc::new(part)))
    }

    /// Blocks whose threads work together cannot be played one thread after the other: the host does what they do.
    fn carry_out(&self, work: Work<'_>, (ty, count): (Ty, usize)) -> Result<Option<Done>, Error> {
        faults::point("a launch")?;
        let column = |ty: Ty, memory: &dyn OnDevice| {
            let mut column = Column::unset(ty, count)?;
            memory.read(0, column.as_bytes_mut())?;
            Ok::<_, Error>(column)
        };
        let numbers = column(ty, self)?;
        let made = match work {
            Work::Sum => return Ok(whole::sum(&numbers)?.map(Done::Sum)),
            Work::SumOfFloats { sum, lost } => {
                let Column::F64(all) = &numbers else { return Ok(None) };
                let sum = in_parts::sum(&mut in_parts::OnHost(all), Compensated { sum, lost })?;
                return Ok(sum.map(|Compensated { sum, lost }| Done::SumOfFloats { sum, lost }));
            }
            Work::Best { greatest } => return Ok(whole::best(&numbers, greatest)?.map(Done::Row)),
            Work::Sort => whole::sorted(&numbers)?,
            Work::Scan { first } => whole::scan(&numbers, first)?,
            Work::Choose(flags) => Some(whole::chosen(&numbers, &column(Ty::Bool, flags)?)?),
        };
        let Some(made) = made else { return Ok(None) };
        let left = Self::new(made.byte_len())?;
        // SAFETY: as long as that, and nobody else knows it yet.
        let memory = unsafe { std::slice::from_raw_parts_mut(left.address as *mut u8, made.byte_len()) };
        memory.copy_from_slice(made.as_bytes());
        Ok(Some(Done::Numbers(Arc::new(left), made.len())))
    }
}

pub(super) struct Emulator {
    shim: PathBuf,
    /// Every program also goes through NVRTC, which the emulation does not need.
    compile_check: bool,
}

impl Emulator {
    pub fn new(shim: PathBuf, compile_check: bool) -> Self {
        Self { shim, compile_check }
    }
}

impl Device for Emulator {
    fn name(&self) -> &'static str {
        "cuda-emulated"
    }

    fn load(
        &self,
        source: &Source,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Box<dyn Loaded>, Error> {
        let text = source.complete();
        if self.compile_check {
            let start = Instant::now();
            check_compiles(&text, token)?;
            profile.step("NVRTC", start.elapsed(), 2);
        }
        faults::point("compiling for the GPU")?;
        let object = compile(&self.shim, &text, source.sharing.is_some(), token)?;
        let failed = |e: &dyn std::fmt::Display| Error::Device(format!("{}: {e}", object.display()));
        faults::point("loading onto the GPU")?;
        // SAFETY: the file was compiled from our own text; it has no initialisers but those of plain data.
        let library = unsafe { Library::new(&object) }.map_err(|e| failed(&e))?;
        let symbol = |name: &str| -> Option<*mut u8> {
            // SAFETY: only the address is taken here; each is used as the shim and the text declare it.
            unsafe { library.get::<*mut u8>(name.as_bytes()) }.ok().map(|s| *s)
        };
        let (Some(emulate), Some(advance), Some(run)) =
            (symbol("ikra_emulate"), symbol("advance"), symbol("run"))
        else {
            return Err(failed(&"incomplete"));
        };
        let arguments = symbol("args").unwrap_or(std::ptr::null_mut());
        let emulate_shared = symbol("ikra_emulate_shared").unwrap_or(emulate);
        // SAFETY: the functions are defined with these types, by the shim's `IKRA_MAIN` and by the prelude.
        let (emulate, advance) = unsafe {
            (
                [emulate, emulate_shared].map(|f| std::mem::transmute::<*mut u8, Emulate>(f)),
                std::mem::transmute::<*mut u8, Advance>(advance),
            )
        };
        Ok(Box::new(Emulated { emulate, advance, run, arguments, _library: library }))
    }
}

type Emulate = extern "C" fn(launch: *const u64, blocks: u32, threads: u32);
type Advance = extern "C" fn(ticks: i64);

struct Emulated {
    /// With a thread for an element, and with a warp.
    emulate: [Emulate; 2],
    advance: Advance,
    run: *mut u8,
    arguments: *mut u8,
    _library: Library,
}

// SAFETY: the addresses stay valid as long as the library, and what they point to is only touched under `BUSY`.
unsafe impl Send for Emulated {}
// SAFETY: as above.
unsafe impl Sync for Emulated {}

impl Loaded for Emulated {
    fn schedulers(&self) -> usize {
        0
    }

    fn start<'a>(
        &'a self,
        bytes: usize,
        interrupt: &'a AtomicBool,
    ) -> Result<Option<Box<dyn DeviceSession + 'a>>, Error> {
        let Some(busy) = take(&BUSY, interrupt) else { return Ok(None) };
        faults::point("allocating on the GPU")?;
        make_room(bytes)?;
        // Words, so that the memory is aligned for all that is read from it.
        let words = bytes.div_ceil(8);
        let mut memory = bytemuck::allocation::try_zeroed_vec(words).map_err(|()| Error::Memory(bytes))?;
        // Nothing may rely on what is there before.
        memory.fill(GARBAGE);
        Ok(Some(Box::new(EmulatedSession {
            program: self,
            memory,
            beside: Vec::new(),
            graph: (Vec::new(), 0),
            interrupt,
            _busy: busy,
        })))
    }
}

struct EmulatedSession<'a> {
    program: &'a Emulated,
    memory: Vec<u64>,
    /// Memory that the run uses beside its own.
    beside: Vec<Arc<dyn OnDevice>>,
    graph: (Vec<Step>, u64),
    interrupt: &'a AtomicBool,
    _busy: MutexGuard<'static, ()>,
}

impl EmulatedSession<'_> {
    fn bytes(&mut self, offset: usize, bytes: usize) -> &mut [u8] {
        let at = address(self.memory.as_mut_ptr() as u64, offset);
        let end = offset.checked_add(bytes);
        assert!(end.is_some_and(|end| end <= self.memory.len() * 8) || holds(&self.beside, at, bytes));
        // SAFETY: the range was just checked, every bit pattern is a valid byte, and the run has it to itself.
        unsafe { std::slice::from_raw_parts_mut(at as *mut u8, bytes) }
    }

    /// Calls into the program on a thread whose stack has a known size.
    fn play(&self, f: impl FnOnce() + Send) -> Result<(), Error> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(THREAD_STACK).spawn_scoped(scope, f);
            thread.map(|t| t.join().is_ok()).unwrap_or(false)
        })
        .then_some(())
        .ok_or_else(|| Error::Device("the emulated GPU could not run".to_owned()))
    }
}

impl DeviceSession for EmulatedSession<'_> {
    fn base(&self) -> u64 {
        self.memory.as_ptr() as u64
    }

    fn memory(&mut self, bytes: usize) -> Result<Arc<dyn OnDevice>, Error> {
        faults::point("allocating on the GPU")?;
        make_room(bytes + self.memory.len() * 8)?;
        let memory: Arc<dyn OnDevice> = Arc::new(Left::new(bytes)?);
        self.beside.push(memory.clone());
        Ok(memory)
    }

    fn adopt(&mut self, memory: &Arc<dyn OnDevice>) -> bool {
        self.beside.push(memory.clone());
        true
    }

    fn copy(&mut self, to: usize, from: usize, bytes: usize) -> Result<(), Error> {
        let from = self.bytes(from, bytes).to_vec();
        self.bytes(to, bytes).copy_from_slice(&from);
        Ok(())
    }

    fn stack(&self) -> u64 {
        STACK
    }

    fn stop(&self) -> u64 {
        self.interrupt.as_ptr() as u64
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        faults::point("copying to the GPU")?;
        self.bytes(offset, bytes.len()).copy_from_slice(bytes);
        Ok(())
    }

    fn put(&mut self, offset: usize, bytes: Vec<u8>) -> Result<(), Error> {
        self.write(offset, &bytes)
    }

    fn clear(&mut self, offset: usize, bytes: usize) -> Result<(), Error> {
        self.bytes(offset, bytes).fill(0);
        Ok(())
    }

    fn read(&mut self, pieces: &mut [(usize, &mut [u8])]) -> Result<(), Error> {
        for (offset, bytes) in pieces {
            faults::point("copying from the GPU")?;
            bytes.copy_from_slice(self.bytes(*offset, bytes.len()));
        }
        Ok(())
    }

    fn set(&mut self, constant: Constant, words: &[u64]) -> Result<(), Error> {
        let target = match constant {
            Constant::Run => self.program.run,
            Constant::Arguments => self.program.arguments,
        };
        if target.is_null() {
            return Err(Error::Internal(format!("the program has no {constant:?}")));
        }
        // SAFETY: the constant has as many words as the layout says, and `BUSY` keeps others away.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), target, words.len() * 8) };
        Ok(())
    }

    fn launch(&mut self, step: &Step) -> Result<(), Error> {
        faults::point("a launch")?;
        let emulate = self.program.emulate;
        self.play(|| emulate[usize::from(step.shared)](step.words.as_ptr(), step.blocks, BLOCK))
    }

    fn record(&mut self, steps: Vec<Step>, ticks: u64) -> Result<(), Error> {
        self.graph = (steps, ticks);
        Ok(())
    }

    fn replay(&mut self) -> Result<(), Error> {
        faults::point("a replay")?;
        let Emulated { emulate, advance, .. } = *self.program;
        let (steps, ticks) = &self.graph;
        self.play(|| {
            for step in steps {
                emulate[usize::from(step.shared)](step.words.as_ptr(), step.blocks, BLOCK);
            }
            advance(*ticks as i64);
        })
    }

    fn wait(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// Compiles a text for a GPU too, of one of two generations, which needs NVRTC but no GPU. Where NVRTC is not found that is an
/// error only if `IKRA_REQUIRE_NVRTC` is 1.
fn check_compiles(text: &str, token: &CancellationToken) -> Result<(), Error> {
    let location = match locate::nvrtc(None) {
        Ok(location) => location,
        Err(reason) if is_on("IKRA_REQUIRE_NVRTC") => return Err(Error::Device(reason)),
        Err(_) => return Ok(()),
    };
    // What stands in texts stands in many: each fourth one is compiled, and either generation gets its share of these.
    let target = match text.len() % 8 {
        0 => Target::Check(75),
        1 => Target::Check(90),
        _ => return Ok(()),
    };
    compiler::compile(&location, text, target, token).map(|_| ())
}

pub(super) fn is_on(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|v| v == "1")
}

/// The shared object of a text, compiled once for all processes of this user.
fn compile(shim: &Path, text: &str, shares: bool, token: &CancellationToken) -> Result<PathBuf, Error> {
    const OPTIONS: [&str; 7] =
        ["-std=c++17", "-O0", "-ffp-contract=off", "-fPIC", "-shared", "-w", "-Wl,-Bsymbolic"];
    let device = |what: &str, e: &dyn std::fmt::Display| Error::Device(format!("{what}: {e}"));
    let header = shim.join("shim.h");
    let shim_text = std::fs::read_to_string(&header).map_err(|e| device("IKRA_CUDA_EMULATOR", &e))?;
    let shared = if shares { "IKRA_MAIN(ikra_emulate_shared, shared_section)\n" } else { "" };
    let complete = format!("{shim_text}\n{text}\nIKRA_MAIN(ikra_emulate, section)\n{shared}");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let mut hash = Sha256::new();
    hash.update(&complete);
    hash.update(OPTIONS.join(" "));
    hash.update(&compiler);
    let mut name = String::new();
    for byte in &hash.finalize()[..16] {
        let _ = write!(name, "{byte:02x}");
    }
    // No one else can put anything there.
    let folder =
        cache::of_user().folder().ok_or_else(|| device("the emulator's folder", &"set IKRA_CACHE_DIR"))?;
    let folder = folder.join("emulated");
    create_private(&folder).ok_or_else(|| device("the emulator's folder", &folder.display()))?;
    let object = folder.join(format!("{name}.so"));
    if object.exists() {
        return Ok(object);
    }
    let work = tempfile::tempdir_in(&folder).map_err(|e| device("the emulator's folder", &e))?;
    let (source, output) = (work.path().join("section.cpp"), work.path().join("section.so"));
    std::fs::write(&source, &complete).map_err(|e| device("the emulator's source", &e))?;
    let log = work.path().join("log");
    let errors = std::fs::File::create(&log).map_err(|e| device("the emulator's log", &e))?;
    let mut child = Command::new(&compiler)
        .args(OPTIONS)
        .arg("-o")
        .arg(&output)
        .arg(&source)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        // Of its own, so that what it starts ends with it.
        .process_group(0)
        .spawn()
        .map_err(|e| device(&compiler, &e))?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| device(&compiler, &e))? {
            break status;
        }
        if let Err(cancelled) = token.check() {
            // SAFETY: it has no preconditions; the group is the child's, which has not been waited for.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            let _ = child.wait();
            return Err(cancelled);
        }
        std::thread::sleep(LOOK);
    };
    if !status.success() {
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        return Err(Error::Internal(format!("{compiler} refuses the generated text:\n{log}\n{text}")));
    }
    std::fs::rename(&output, &object).map_err(|e| device("the emulator's object", &e))?;
    Ok(object)
}
