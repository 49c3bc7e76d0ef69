//! CUDA C++ text, NVRTC, the driver. [`emit`] writes the text, [`nvrtc`] compiles it in a process of its own that
//! [`compiler`] starts (or [`cache`] has it compiled), [`run`] says what is launched when
//! ([`sharing`]: in which form), and [`gpu`] does it.

mod batches;
mod compiler;
mod deferred;
mod device;
mod emit;
#[cfg(any(test, feature = "testing"))]
mod emulator;
mod foreign;
mod gpu;
mod layout;
mod locate;
mod nvrtc;
mod rows;
mod run;
mod sharing;
#[cfg(test)]
mod tests;
mod transfers;

use crate::backend::{Backend, Kernels};
use crate::cancel::CancellationToken;
use crate::error::{Error, size};
use crate::ir::{Op, Program, any_op};
use crate::profile::Profile;
pub use compiler::{serve, set_process};
use deferred::Logs;
use device::Device;
pub use foreign::before_exit;
use gpu::{Gpu, GpuDevice};
pub use nvrtc::Target;
use run::CudaKernel;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The back-end of the GPU, or of its emulation.
pub struct CudaBackend {
    device: Box<dyn Device>,
}

impl CudaBackend {
    /// The first GPU. `None` where there is none to use, for reasons that [`availability`] tells. Starts CUDA: a process
    /// that forks should not call it before.
    pub fn new() -> Option<Self> {
        let gpu = Gpu::open().ok()?;
        Some(Self { device: Box::new(GpuDevice(gpu.shared())) })
    }

    /// The emulated GPU instead, where `IKRA_CUDA_EMULATOR` names the folder of its shim.
    #[cfg(feature = "testing")]
    pub fn emulated() -> Option<Self> {
        let (shim, compile_check) = (set("IKRA_CUDA_EMULATOR")?, emulator::is_on("IKRA_NVRTC_CHECK"));
        Some(Self { device: Box::new(emulator::Emulator::new(shim.into(), compile_check)) })
    }
}

impl Backend for CudaBackend {
    fn name(&self) -> &'static str {
        self.device.name()
    }

    fn compile(
        &self,
        program: &Arc<Program>,
        _ticks: u64,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Box<dyn Kernels>, Error> {
        let elements = |test: &mut dyn FnMut(&Op) -> bool| {
            let called = program.called_from(program.entries().map(|entry| entry.function));
            called.into_iter().any(|id| any_op(&program.functions[id.0 as usize].body, test))
        };
        if elements(&mut |op| matches!(op, Op::Print { .. })) {
            let message = "a section whose elements print runs on the CPU only [output-on-gpu]\n  hint: let \
                           Ikra.backend be :auto or :cpu, or collect what is to be printed, as pmap does";
            return Err(Error::Device(message.into()));
        }
        if elements(&mut |op| matches!(op, Op::Match { .. })) {
            let message = "a section that matches regular expressions runs on the CPU only [unsupported-regexp]\n  \
                           hint: let Ikra.backend be :auto or :cpu";
            return Err(Error::Device(message.into()));
        }
        if program.has_big_integers() {
            let message = "a section with Integers beyond 128 bits runs on the CPU only [integer-too-big]\n  hint: let \
                           Ikra.backend be :auto or :cpu";
            return Err(Error::Device(message.into()));
        }
        if elements(&mut |op| matches!(op, Op::Intrinsic { .. })) {
            return Err(Error::Internal("elements were compiled for the CPU alone".into()));
        }
        let start = Instant::now();
        let source = emit::emit(program);
        profile.step("text", start.elapsed(), source.complete().len() as u64);
        token.check()?;
        let start = Instant::now();
        let loaded = self.device.load(&source, token, profile)?;
        profile.step("load", start.elapsed(), 1);
        let logs = Logs::new(program, token, profile)?;
        let (effects, logged) = CudaKernel::effects(program);
        Ok(Box::new(CudaKernel {
            program: program.clone(),
            source,
            loaded,
            logs,
            defers: !program.deferred().is_empty(),
            moved: CudaKernel::moved(program),
            effects,
            logged,
        }))
    }
}

/// Is there a driver for GPUs, with all that is needed of it? Starts nothing.
pub fn has_driver() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| gpu::driver().is_ok())
}

/// What was found of CUDA, and what is missing.
#[derive(Clone, Debug)]
pub struct Availability {
    /// CUDA version of the driver.
    pub driver: Result<String, String>,
    pub compiler: Result<String, String>,
    pub gpu: Result<String, String>,
}

/// Looks for a driver, a compiler and a GPU. Starts CUDA, as [`CudaBackend::new`] does.
pub fn availability() -> Availability {
    let version = gpu::driver_version();
    let driver = gpu::driver().and_then(|()| {
        let version = version.ok_or_else(|| "the NVIDIA driver does not say its version".to_owned())?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    });
    Availability {
        driver,
        compiler: locate::nvrtc(version.map(|v| v / 1000)).map(|found| found.path.display().to_string()),
        gpu: Gpu::open().map_err(|e| e.to_string()).map(|gpu| {
            let (major, minor) = (gpu.architecture / 10, gpu.architecture % 10);
            format!("{}, compute capability {major}.{minor}, {}", gpu.name, size(gpu.memory))
        }),
    }
}

impl Availability {
    pub fn usable(&self) -> bool {
        self.gpu.is_ok()
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |what: &str, found: &Result<String, String>| match found {
            Ok(text) => writeln!(f, "{what}: {text}"),
            Err(reason) => writeln!(f, "{what}: missing: {reason}"),
        };
        line("driver", &self.driver)?;
        line("compiler", &self.compiler)?;
        line("GPU", &self.gpu)
    }
}

#[cfg(feature = "testing")]
fn set(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|v| !v.is_empty())
}
