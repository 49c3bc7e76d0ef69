//! Memory of the GPU that columns have, beside that of runs.

use super::{Gpu, collectives, failed};
use crate::error::Error;
use crate::heap::OnDevice;
use crate::heap::shared::{Done, Work};
use crate::scalar::Ty;
use cudarc::driver::{result, sys};
use std::ops::Range;
use std::sync::Arc;

/// Memory that stays from run to run.
#[derive(Debug)]
pub(super) struct Left {
    pub gpu: Arc<Gpu>,
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl Left {
    /// The caller has the stream to itself.
    pub fn new(gpu: &Arc<Gpu>, bytes: usize) -> Result<Self, Error> {
        Ok(Self { gpu: gpu.clone(), address: gpu.take(bytes)?, bytes })
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl OnDevice for Left {
    fn device(&self) -> usize {
        std::ptr::from_ref::<Gpu>(&self.gpu).addr()
    }

    fn address(&self) -> u64 {
        self.address
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    /// What has written it has ended, so it need not wait for what the GPU does now.
    fn read(&self, from: usize, into: &mut [u8]) -> Result<(), Error> {
        assert!(from + into.len() <= self.bytes, "beyond the memory of a column");
        if into.is_empty() {
            return Ok(());
        }
        self.gpu.enter()?;
        self.gpu.is_direct(into.as_ptr(), into.len());
        // SAFETY: as long as that, and both stay until the copy has ended.
        unsafe {
            result::memcpy_dtoh_async(into, self.address + from as u64, self.gpu.beside)
                .and_then(|()| result::stream::synchronize(self.gpu.beside))
        }
        .map_err(failed("copying from the GPU"))
    }

    /// Beside what the GPU does now, as [`Self::read`]: whoever has the stream may wait for the caller.
    fn part(&self, bytes: Range<usize>) -> Result<Option<Arc<dyn OnDevice>>, Error> {
        assert!(bytes.end <= self.bytes, "beyond the memory of a column");
        if bytes.is_empty() {
            return Ok(None);
        }
        self.gpu.enter()?;
        let Ok(address) = self.gpu.malloc_on(self.gpu.beside, bytes.len()) else { return Ok(None) };
        let part = Self { gpu: self.gpu.clone(), address, bytes: bytes.len() };
        // SAFETY: both are as long, different, and stay until the copy has ended.
        unsafe {
            result::memcpy_dtod_async(address, self.address + bytes.start as u64, part.bytes, self.gpu.beside)
                .and_then(|()| result::stream::synchronize(self.gpu.beside))
        }
        .map_err(failed("copying on the GPU"))?;
        Ok(Some(Arc::new(part)))
    }

    fn carry_out(&self, work: Work<'_>, numbers: (Ty, usize)) -> Result<Option<Done>, Error> {
        collectives::carry_out(self, work, numbers)
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        // A forked child has no part in it.
        if std::process::id() != self.gpu.process {
            return;
        }
        match self.gpu.busy.try_lock() {
            Some(_has_stream) if self.gpu.enter().is_ok() => self.gpu.give_back(self.address),
            _ => self.gpu.given_back.lock().push(self.address),
        }
    }
}
