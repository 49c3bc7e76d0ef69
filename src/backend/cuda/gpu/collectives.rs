//! What is done with whole columns that are on the GPU. The kernels are a module of their own (`collectives.cuh`),
//! which NVRTC compiles when one is wanted first. Scans, selections and each digit of a sort read and write once, with
//! decoupled look-back. Blocks of threads that work together cannot be emulated one thread after the other: the
//! emulated device has the host do what the kernels do, so the kernels are tested on a GPU only.

use super::float_sums::Floats;
use super::left::Left;
use super::{Foreign, Gpu, KEPT, Resources, STAGING, failed};
use crate::backend::collectives::in_parts;
use crate::backend::collectives::sums::Compensated;
use crate::backend::cuda::nvrtc::Target;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::heap::OnDevice;
use crate::heap::shared::{Done, Work};
use crate::scalar::Ty;
use cudarc::driver::{result, sys};
use parking_lot::MutexGuard;
use std::ffi::{CString, c_void};
use std::sync::Arc;

const TEXT: &str = include_str!("../collectives.cuh");
/// As the text has them.
const THREADS: usize = 256;
const TILE: usize = THREADS * 16;
const SCAN_TILE: usize = THREADS * 8;
const DIGITS: usize = 256;
/// With so many numbers the counts that tiles of a sort tell have no room for their state.
const MOST: usize = 1 << 30;
/// What a block of a reduction leaves, and a tile tells.
const PART: usize = 16;
const TOLD: usize = 16;

pub(super) struct Collectives(sys::CUmodule);

impl Gpu {
    fn collectives(&self) -> Result<&Collectives, Error> {
        if let Some(known) = self.collectives.get() {
            return Ok(known);
        }
        let token = CancellationToken::default();
        let mut code = self.code_of(TEXT, || TEXT.to_owned(), Target::Gpu(self.architecture), &token)?;
        let _foreign = Foreign::enter(&token)?;
        // PTX is read as a C string.
        code.push(0);
        // SAFETY: a whole cubin or zero-terminated PTX, read during the call.
        let module =
            unsafe { result::module::load_data(code.as_ptr().cast()) }.map_err(failed("cuModuleLoadData"))?;
        // Another thread may have been as fast: its module is as good.
        Ok(self.collectives.get_or_init(|| Collectives(module)))
    }
}

/// See [`OnDevice::carry_out`].
pub(super) fn carry_out(
    memory: &Left,
    work: Work<'_>,
    (ty, count): (Ty, usize),
) -> Result<Option<Done>, Error> {
    if count == 0 || count >= MOST {
        return Ok(None);
    }
    let gpu = &memory.gpu;
    gpu.enter()?;
    let module = gpu.collectives()?.0;
    let mut run = Run { gpu, module, from: memory.address(), ty, count, resources: gpu.busy.lock() };
    match work {
        Work::Sum => run.sum(),
        Work::SumOfFloats { sum, lost } => run.sum_of_floats(Compensated { sum, lost }),
        Work::Best { greatest } => run.best(greatest),
        Work::Sort => run.sort(),
        Work::Scan { first } => run.scan(first),
        Work::Choose(flags) if flags.device() == memory.device() => run.choose(flags.address()),
        Work::Choose(_) => Ok(None),
    }
}

/// Something that is done with a column.
pub(super) struct Run<'a> {
    gpu: &'a Arc<Gpu>,
    module: sys::CUmodule,
    pub from: u64,
    ty: Ty,
    pub count: usize,
    resources: MutexGuard<'a, Resources>,
}

impl Run<'_> {
    /// Memory for the time of it, of which so many bytes begin as zeros.
    pub fn room(&mut self, bytes: usize, zeros: usize) -> Result<u64, Error> {
        self.gpu.allocate(&mut self.resources, bytes)?;
        self.clear(self.resources.base, zeros)?;
        Ok(self.resources.base)
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<(), Error> {
        // SAFETY: as long as that, and this run's.
        unsafe { result::memset_d8_async(address, 0, bytes, self.gpu.stream) }
            .map_err(failed("cuMemsetD8Async"))
    }

    /// `kernel`: its name, to which that of the type is added.
    pub fn launch(&self, kernel: &str, blocks: usize, words: &[u64]) -> Result<(), Error> {
        let ty = match self.ty {
            Ty::I64 => "i64",
            Ty::I32 => "i32",
            Ty::F64 => "f64",
            Ty::Bool => "bool",
        };
        self.launch_as(&format!("{kernel}_{ty}"), blocks, words)
    }

    fn launch_as(&self, name: &str, blocks: usize, words: &[u64]) -> Result<(), Error> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the module is loaded.
        let function = unsafe { result::module::get_function(self.module, name) };
        let function = function.map_err(failed("cuModuleGetFunction"))?;
        let mut parameters: Vec<*mut c_void> =
            words.iter().map(|word| std::ptr::from_ref(word).cast_mut().cast()).collect();
        // SAFETY: all parameters of these kernels have 64 bits, and each call gives as many as its kernel takes; they are
        // copied during the call. The memory stays until the stream has been waited for.
        unsafe {
            result::launch_kernel(
                function,
                (blocks as u32, 1, 1),
                (THREADS as u32, 1, 1),
                0,
                self.gpu.stream,
                &mut parameters,
            )
        }
        .map_err(failed("cuLaunchKernel"))
    }

    /// Waits for all that was launched.
    pub fn read<T: bytemuck::Pod>(&self, address: u64, into: &mut [T]) -> Result<(), Error> {
        let into: &mut [u8] = bytemuck::cast_slice_mut(into);
        if into.len() > STAGING {
            self.gpu.is_direct(into.as_ptr(), into.len());
            // SAFETY: the memory is as long, and the target stays until the wait has ended.
            unsafe { result::memcpy_dtoh_async(into, address, self.gpu.stream) }
                .map_err(failed("copying from the GPU"))?;
            return self.gpu.wait();
        }
        // SAFETY: it is as long, and nobody else's before the wait.
        let staged = unsafe { std::slice::from_raw_parts_mut(self.resources.staging, into.len()) };
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_async(staged, address, self.gpu.stream) }
            .map_err(failed("copying from the GPU"))?;
        self.gpu.wait()?;
        into.copy_from_slice(staged);
        Ok(())
    }

    /// Copies before anything that is launched later.
    pub fn write(&self, address: u64, words: &[u64]) -> Result<(), Error> {
        // SAFETY: the memory is as long, and of this run; the source stays until the wait.
        unsafe { result::memcpy_htod_async(address, words, self.gpu.stream) }
            .map_err(failed("copying to the GPU"))?;
        self.gpu.wait()
    }

    /// As many blocks as the GPU holds at once, if there is work for them.
    fn blocks(&self) -> usize {
        (self.gpu.threads / THREADS).min(self.count.div_ceil(THREADS * 8)).max(1)
    }

    fn parts(&mut self, kernel: &str, words: &[u64]) -> Result<Vec<[u64; 2]>, Error> {
        let blocks = self.blocks();
        let parts = self.room(blocks * PART, 0)?;
        let mut all = vec![self.from, self.count as u64];
        all.extend(words);
        all.push(parts);
        self.launch(kernel, blocks, &all)?;
        let mut found = vec![[0; 2]; blocks];
        self.read(parts, &mut found)?;
        Ok(found)
    }

    fn sum(&mut self) -> Result<Option<Done>, Error> {
        if !matches!(self.ty, Ty::I64 | Ty::I32) {
            return Ok(None);
        }
        let parts = self.parts("sum", &[])?;
        let sum = parts.iter().map(|[low, high]| i128::from(*high as i64) << 64 | i128::from(*low)).sum();
        Ok(Some(Done::Sum(sum)))
    }

    /// In their order.
    fn sum_of_floats(&mut self, from: Compensated) -> Result<Option<Done>, Error> {
        if self.ty != Ty::F64 {
            return Ok(None);
        }
        let sum = in_parts::sum(&mut Floats::new(self)?, from)?;
        Ok(sum.map(|Compensated { sum, lost }| Done::SumOfFloats { sum, lost }))
    }

    fn best(&mut self, greatest: bool) -> Result<Option<Done>, Error> {
        let is_better: fn(u64, u64) -> Option<bool> = match self.ty {
            Ty::I64 => |a, b| (a != b).then_some((a as i64) < b as i64),
            Ty::I32 => |a, b| (a as i32 != b as i32).then_some((a as i32) < b as i32),
            Ty::F64 => |a, b| {
                (f64::from_bits(a) != f64::from_bits(b)).then_some(f64::from_bits(a) < f64::from_bits(b))
            },
            Ty::Bool => return Ok(None),
        };
        let parts = self.parts("best", &[u64::from(greatest)])?;
        if parts.iter().any(|[_, row]| *row == u64::MAX) {
            return Ok(None);
        }
        let better = |best: [u64; 2], other: [u64; 2]| match is_better(other[0], best[0]) {
            None => {
                if other[1] < best[1] {
                    other
                } else {
                    best
                }
            }
            Some(is_less) => {
                if is_less != greatest {
                    other
                } else {
                    best
                }
            }
        };
        Ok(parts.into_iter().reduce(better).map(|[_, row]| Done::Row(row as usize)))
    }

    fn numbers(&self, memory: Left, count: usize) -> Result<Option<Done>, Error> {
        self.gpu.wait()?;
        Ok(Some(Done::Numbers(Arc::new(memory), count)))
    }

    fn scan(&mut self, first: i64) -> Result<Option<Done>, Error> {
        if !matches!(self.ty, Ty::I64 | Ty::I32) {
            return Ok(None);
        }
        let tiles = self.count.div_ceil(SCAN_TILE);
        let sums = Left::new(self.gpu, self.count * 8)?;
        // The number of the next tile, whether a sum is too large, and what tiles have told.
        let ticket = self.room(TOLD * (tiles + 1), TOLD * (tiles + 1))?;
        let (overflow, told) = (ticket + 4, ticket + TOLD as u64);
        let words = [self.from, sums.address(), self.count as u64, first as u64, ticket, overflow, told];
        self.launch("scan", tiles, &words)?;
        let mut overflows = [0u32];
        self.read(overflow, &mut overflows)?;
        if overflows == [0] { self.numbers(sums, self.count) } else { Ok(None) }
    }

    fn choose(&mut self, flags: u64) -> Result<Option<Done>, Error> {
        let (tiles, size) = (self.count.div_ceil(TILE), self.ty.bytes());
        let all = Left::new(self.gpu, self.count * size)?;
        let ticket = self.room(TOLD * (tiles + 1), TOLD * (tiles + 1))?;
        let told = ticket + TOLD as u64;
        let words = [self.from, flags, all.address(), self.count as u64, ticket, told];
        self.launch_as(&format!("choose_{size}"), tiles, &words)?;
        let mut chosen = [0u64];
        self.read(told + (TOLD * tiles) as u64 - 8, &mut chosen)?;
        let chosen = chosen[0] as usize;
        if chosen * 4 > self.count {
            return self.numbers(all, chosen);
        }
        // Much of it would be empty.
        let few = Left::new(self.gpu, (chosen * size).max(1))?;
        // SAFETY: both are as long, and different.
        unsafe { result::memcpy_dtod_async(few.address(), all.address(), chosen * size, self.gpu.stream) }
            .map_err(failed("copying on the GPU"))?;
        self.numbers(few, chosen)
    }

    fn sort(&mut self) -> Result<Option<Done>, Error> {
        if self.ty == Ty::Bool {
            return Ok(None);
        }
        let (size, tiles) = (self.ty.bytes(), self.count.div_ceil(TILE));
        // Counts of digits and whether there are odd numbers, what tiles tell, and keys.
        let of_digits = 4 * (size * DIGITS + 1);
        let of_tiles = 4 * (tiles * DIGITS + 1);
        let (told, other) =
            (of_digits.next_multiple_of(256), (of_digits + of_tiles).next_multiple_of(256) + 256);
        let counts = self.room(other + self.count * size, other)?;
        let (told, other) = (counts + told as u64, counts + other as u64);
        let odd = counts + 4 * (size * DIGITS) as u64;
        self.launch("digits", self.blocks(), &[self.from, self.count as u64, counts, odd])?;
        let mut found = vec![0u32; size * DIGITS + 1];
        self.read(counts, &mut found)?;
        if found[size * DIGITS] != 0 {
            return Ok(None);
        }
        let differs = |place: &usize| {
            found[place * DIGITS..][..DIGITS].iter().all(|count| *count as usize != self.count)
        };
        let places: Vec<usize> = (0..size).filter(differs).collect();
        let sorted = Left::new(self.gpu, self.count * size)?;
        let mut from = self.from;
        if places.is_empty() {
            // SAFETY: both are as long, and different.
            unsafe { result::memcpy_dtod_async(sorted.address(), from, self.count * size, self.gpu.stream) }
                .map_err(failed("copying on the GPU"))?;
        }
        for (number, place) in places.iter().enumerate() {
            let left = places.len() - 1 - number;
            let into = if left.is_multiple_of(2) { sorted.address() } else { other };
            let ends = u64::from(number == 0) | u64::from(left == 0) << 1;
            if number > 0 {
                self.clear(told, of_tiles)?;
            }
            let of_place = counts + 4 * (place * DIGITS) as u64;
            let ticket = told + 4 * (tiles * DIGITS) as u64;
            self.launch(
                "sort",
                tiles,
                &[from, into, self.count as u64, *place as u64, of_place, ticket, told, ends],
            )?;
            from = into;
        }
        self.numbers(sorted, self.count)
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let _ = self.gpu.wait();
        self.gpu.free_given_back();
        if self.resources.bytes > self.gpu.memory / KEPT {
            self.gpu.free(&mut self.resources);
        }
    }
}
