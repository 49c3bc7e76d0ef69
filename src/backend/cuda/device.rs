//! The seam between the launch policy and what executes: the GPU ([`super::gpu`]) or, in tests, its emulation on
//! the CPU ([`super::emulator`]).

use super::emit::Source;
use super::layout::Step;
use crate::cancel::CancellationToken;
use crate::error::{Error, size};
use crate::heap::OnDevice;
use crate::profile::Profile;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) trait Device: Send + Sync {
    /// As `Ikra.backend` names it.
    fn name(&self) -> &'static str;
    /// Compiles, or finds compiled, and loads.
    fn load(
        &self,
        source: &Source,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Box<dyn Loaded>, Error>;
}

/// A program on the device.
pub(super) trait Loaded: Send + Sync {
    /// How many warps the device begins an instruction of at a time.
    fn schedulers(&self) -> usize;
    /// Takes the device for one run, with that much of its memory; waits for other runs to end. `None`: interrupted
    /// meanwhile. A run that is interrupted later finds the byte at `DeviceSession::stop` set.
    fn start<'a>(
        &'a self,
        bytes: usize,
        interrupt: &'a AtomicBool,
    ) -> Result<Option<Box<dyn DeviceSession + 'a>>, Error>;
}

/// A run has the device to itself until it drops this. What is asked for is done in order; only `read` and `wait`
/// wait for it.
pub(super) trait DeviceSession {
    /// Address of the run's memory. What it holds at first means nothing. Places are offsets from it.
    fn base(&self) -> u64;
    /// Memory beside that, which stays when the run is over, as long as somebody has it.
    fn memory(&mut self, bytes: usize) -> Result<Arc<dyn OnDevice>, Error>;
    /// Memory that an earlier run has left can be used in this one; false: it is another device's.
    fn adopt(&mut self, memory: &Arc<dyn OnDevice>) -> bool;
    /// Copies on the device.
    fn copy(&mut self, to: usize, from: usize, bytes: usize) -> Result<(), Error>;
    /// Bytes of stack that a thread may use.
    fn stack(&self) -> u64;
    /// Address of the byte that kernels look at now and then, and end when it is not 0.
    fn stop(&self) -> u64;
    /// The bytes stay in place until the next `wait`.
    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Error>;
    /// The same with bytes that need not stay.
    fn put(&mut self, offset: usize, bytes: Vec<u8>) -> Result<(), Error>;
    fn clear(&mut self, offset: usize, bytes: usize) -> Result<(), Error>;
    /// Several pieces, each from an offset, in one go.
    fn read(&mut self, pieces: &mut [(usize, &mut [u8])]) -> Result<(), Error>;
    /// Sets a `__constant__` of the program.
    fn set(&mut self, constant: Constant, words: &[u64]) -> Result<(), Error>;
    fn launch(&mut self, step: &Step) -> Result<(), Error>;
    /// Makes `replay` do these steps and then move the clock on by `ticks`.
    fn record(&mut self, steps: Vec<Step>, ticks: u64) -> Result<(), Error>;
    fn replay(&mut self) -> Result<(), Error>;
    fn wait(&mut self) -> Result<(), Error>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    Run,
    Arguments,
}

/// Is there so much memory?
pub(super) fn check_room(bytes: usize, free: usize, all: usize) -> Result<(), Error> {
    if bytes <= free {
        return Ok(());
    }
    let (bytes, free, all) = (size(bytes), size(free), size(all));
    Err(Error::Device(format!(
        "the section needs {bytes} of memory on the GPU, and {free} of its {all} are free"
    )))
}

/// Where memory of its own lies, as an offset from a run's.
pub(super) const fn offset(base: u64, address: u64) -> usize {
    address.wrapping_sub(base) as usize
}

/// The reverse.
pub(super) const fn address(base: u64, offset: usize) -> u64 {
    base.wrapping_add(offset as u64)
}

/// Does one of these hold so many bytes from an address on?
pub(super) fn holds(all: &[Arc<dyn OnDevice>], address: u64, bytes: usize) -> bool {
    let is_in = |memory: &Arc<dyn OnDevice>| {
        let before = address.wrapping_sub(memory.address());
        before.checked_add(bytes as u64).is_some_and(|end| end <= memory.bytes() as u64)
    };
    all.iter().any(is_in)
}

/// Waits until no one else has the device; `None`: interrupted meanwhile.
pub(super) fn take<'a, T>(busy: &'a Mutex<T>, interrupt: &AtomicBool) -> Option<MutexGuard<'a, T>> {
    const LOOK: Duration = Duration::from_millis(10);
    loop {
        let taken = busy.try_lock_for(LOOK);
        if taken.is_some() || interrupt.load(Ordering::Relaxed) {
            return taken;
        }
    }
}
