//! CUDA C++ text, NVRTC, the driver.

mod device;
mod emit;
mod emulator;
mod layout;
mod run;
#[cfg(test)]
mod tests;

use crate::backend::{Backend, Kernel};
use crate::error::Error;
use crate::ir::Program;
use crate::profile::{Phase, Profile};
use device::Device;
use run::CudaKernel;
use std::sync::Arc;

/// The back-end of the card, or of its emulation.
pub struct CudaBackend {
    device: Box<dyn Device>,
}

impl Backend for CudaBackend {
    fn name(&self) -> &'static str {
        self.device.name()
    }

    fn compile(&self, program: &Arc<Program>, profile: &mut Profile) -> Result<Box<dyn Kernel>, Error> {
        profile.time(Phase::Compile, || {
            let source = emit::emit(program);
            let loaded = self.device.load(&source)?;
            Ok(Box::new(CudaKernel { program: program.clone(), source, loaded }) as Box<dyn Kernel>)
        })
    }
}
