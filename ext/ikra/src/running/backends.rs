//! The back-ends of the process: made at the first use, kept for good.

use crate::vm::errors::Trouble;
use ikra_core::backend::Backend;
use ikra_core::backend::cpu::CpuBackend;
use ikra_core::backend::cuda::{CudaBackend, availability};
use ikra_core::error::Error;
use std::sync::{Arc, OnceLock};

pub type Made = Result<Arc<dyn Backend>, String>;

static CPU: OnceLock<Made> = OnceLock::new();
/// With the process that started it.
static CUDA: OnceLock<(u32, Made)> = OnceLock::new();

fn cpu() -> &'static Made {
    CPU.get_or_init(|| match CpuBackend::new() {
        Ok(backend) => Ok(Arc::new(backend)),
        Err(error) => Err(error.to_string()),
    })
}

/// A back-end that none but the process that started it can use: in a forked child its locks may be held by threads that
/// are not there, and a GPU's driver does not work.
fn of_this_process(started: &OnceLock<(u32, Made)>, make: impl FnOnce() -> Made) -> Made {
    let this = std::process::id();
    match started.get_or_init(|| (this, make())) {
        (process, Ok(_)) if *process != this => {
            Err("the GPU was in use when this process was forked, and CUDA \
             cannot be used in a child of that; use it after the fork only, or on the CPU"
                .into())
        }
        (_, made) => made.clone(),
    }
}

fn cuda() -> Made {
    of_this_process(&CUDA, || match CudaBackend::new() {
        Some(backend) => Ok(Arc::new(backend)),
        None => Err(availability().to_string()),
    })
}

#[cfg(feature = "testing")]
fn emulated() -> Made {
    static EMULATED: OnceLock<(u32, Made)> = OnceLock::new();
    of_this_process(&EMULATED, || match CudaBackend::emulated() {
        Some(backend) => Ok(Arc::new(backend)),
        None => Err("IKRA_CUDA_EMULATOR does not name the folder of its shim".to_owned()),
    })
}

/// The back-end of that name, or why there is none.
pub fn named(name: &str) -> Made {
    match name {
        "cpu" => cpu().clone(),
        "cuda" => cuda(),
        #[cfg(feature = "testing")]
        "cuda-emulated" => emulated(),
        _ => Err(format!("there is no back-end called {name}")),
    }
}

/// Why a back-end cannot be used; `None` when it can.
pub fn missing(name: &str) -> Option<String> {
    named(name).err()
}

/// The back-end called `name`; of `auto`, the one that begins.
pub fn choose(name: &str) -> Result<Arc<dyn Backend>, Trouble> {
    let made = named(if name == "auto" { "cpu" } else { name });
    made.map_err(|reason| Error::Device(reason).into())
}
