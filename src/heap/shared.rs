//! Numbers that several may have and nobody changes: they are on the host, on a device, or on both. A session on a GPU
//! gives each such column of 64 KiB or more memory of its own, beside the run's (`settle_down` in `transfers.rs`). What
//! kernels only read is used where it has been left, or goes up and is left there; what they write is a fresh copy,
//! made on the device, and so is what they compute. In the end that memory becomes a column that only the device has,
//! instead of being fetched (`Store::may_stay`, `CudaSession::finish`): so a section that fails has changed nothing, at
//! the price of a copy on the device.
//!
//! Whoever looks at numbers on the host has them brought (`home`), which can fail, as a device can; the places that
//! foresee that ask before. What the host writes is not on a device any more. Where a device has too little memory, all
//! columns come home (`leave_devices`), and so they do for `Ikra.release_memory`; before a fork they come home too, and
//! stay, as a child cannot use the device. Memory that the garbage collector gives back while a run has the stream is
//! freed when that ends. What was only on a device that is lost is lost with it, and asking for it is an error.
//!
//! Of a view only its rows are copied, on the device. Not there yet: `float32`, `int32` that is written, and views that
//! are written go by the host. The garbage collector is told a 64th of what only a device has, or it would run at every
//! call.

use crate::error::Error;
use crate::error::NoMemory;
use crate::heap::Column;
use crate::scalar::Ty;
use parking_lot::Mutex;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};

/// Memory of a device, which is free again when the last owner goes.
pub trait OnDevice: Send + Sync + Debug {
    /// Tells devices apart.
    fn device(&self) -> usize;
    fn address(&self) -> u64;
    fn bytes(&self) -> usize;
    /// Copies what is there from a byte on. Nobody writes it any more.
    fn read(&self, from: usize, into: &mut [u8]) -> Result<(), Error>;
    /// A copy of some of its bytes, there too; `None`: it makes none.
    fn part(&self, _bytes: Range<usize>) -> Result<Option<Arc<dyn OnDevice>>, Error> {
        Ok(None)
    }
    /// What the device does with a whole column of these; `None`: it does not.
    fn carry_out(&self, _work: Work<'_>, _numbers: (Ty, usize)) -> Result<Option<Done>, Error> {
        Ok(None)
    }
}

/// What can be done with a column where it is, of a type and so many numbers.
#[derive(Clone, Copy, Debug)]
pub enum Work<'a> {
    /// The sum of Integers.
    Sum,
    /// The sum of Floats in their order, with what rounding loses beside it, where it goes on from.
    SumOfFloats { sum: f64, lost: f64 },
    /// The row of the least number, or the greatest: the first of these. Not of what cannot be compared.
    Best { greatest: bool },
    /// The numbers in their order. Not where equal ones differ.
    Sort,
    /// The sums of Integers up to each, and this number. Not where one leaves 64 bits.
    Scan { first: i64 },
    /// Those whose flag is set; each flag is a byte.
    Choose(&'a dyn OnDevice),
}

/// What has come of it.
#[derive(Debug)]
pub enum Done {
    Sum(i128),
    SumOfFloats {
        sum: f64,
        lost: f64,
    },
    Row(usize),
    /// So many numbers.
    Numbers(Arc<dyn OnDevice>, usize),
}

impl Done {
    /// The numbers, of a type.
    pub fn column(self, ty: Ty) -> Option<Column> {
        match self {
            Self::Numbers(memory, count) => Some(Column::Shared(Shared::on_device(ty, count, memory))),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub struct Shared {
    ty: Ty,
    len: usize,
    host: OnceLock<Column>,
    device: Mutex<Option<Arc<dyn OnDevice>>>,
}

/// All that may be on a device.
static ON_DEVICES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

impl Shared {
    pub fn new(column: Column) -> Self {
        let (ty, len) = (column.ty(), column.len());
        Self { ty, len, host: OnceLock::from(column), device: Mutex::new(None) }
    }

    /// What a device has computed.
    pub fn on_device(ty: Ty, len: usize, memory: Arc<dyn OnDevice>) -> Arc<Self> {
        let shared = Arc::new(Self { ty, len, host: OnceLock::new(), device: Mutex::new(None) });
        shared.keep_on(memory);
        shared
    }

    pub const fn ty(&self) -> Ty {
        self.ty
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Has the host the numbers?
    pub fn is_home(&self) -> bool {
        self.host.get().is_some()
    }

    /// Where a device has the numbers.
    pub fn copy(&self) -> Option<Arc<dyn OnDevice>> {
        self.device.lock().clone()
    }

    /// The device has the numbers too, from now on.
    pub fn keep_on(self: &Arc<Self>, memory: Arc<dyn OnDevice>) {
        *self.device.lock() = Some(memory);
        let mut all = ON_DEVICES.lock();
        if all.len() == all.capacity() {
            all.retain(|known| known.strong_count() > 0);
        }
        all.push(Arc::downgrade(self));
    }

    /// The numbers on the host.
    pub fn home(&self) -> Result<&Column, Error> {
        if let Some(column) = self.host.get() {
            return Ok(column);
        }
        let device = self.device.lock();
        if self.host.get().is_none() {
            let lost = || Error::Internal("a column is nowhere".into());
            let memory = device.as_ref().ok_or_else(lost)?;
            let mut column = Column::unset(self.ty, self.len)?;
            memory.read(0, column.as_bytes_mut())?;
            if let Column::Bool(truths) = &mut column {
                // Others may look at more than the lowest bit.
                truths.iter_mut().for_each(|truth| *truth &= 1);
            }
            let _ = self.host.set(column);
        }
        self.host.get().ok_or_else(|| Error::Internal("a column is nowhere".into()))
    }

    /// Some of the rows, where only a device has them: there. `None`: they are the host's to copy.
    pub fn part(&self, rows: &Range<usize>) -> Result<Option<Arc<Self>>, Error> {
        let Some(copy) = self.copy().filter(|_| !self.is_home()) else { return Ok(None) };
        let size = self.ty.bytes();
        let memory = copy.part(rows.start * size..rows.end * size)?;
        Ok(memory.map(|memory| Self::on_device(self.ty, rows.len(), memory)))
    }

    /// Has a device do it, where that has the numbers; `None`: it is the host's to do.
    pub fn carry_out(&self, work: Work<'_>) -> Result<Option<Done>, Error> {
        match self.copy() {
            Some(copy) => copy.carry_out(work, (self.ty, self.len)),
            None => Ok(None),
        }
    }

    /// A number's bits as they are in memory, without bringing all of them.
    pub fn word(&self, row: usize) -> Result<u64, Error> {
        let (size, mut word) = (self.ty.bytes(), [0; 8]);
        let range = row * size..(row + 1) * size;
        match (self.host.get(), self.copy()) {
            (None, Some(copy)) => copy.read(range.start, &mut word[..size])?,
            _ => word[..size].copy_from_slice(&self.home()?.as_bytes()[range]),
        }
        Ok(u64::from_le_bytes(word))
    }

    /// The same where it is known that the host has them.
    pub(super) fn here(&self) -> &Column {
        self.home().expect("a column that was brought to the host")
    }

    /// The device has it no more; says how many bytes that were. What is in use there stays as long as it is.
    fn leave(&self) -> Result<usize, Error> {
        self.home()?;
        Ok(self.device.lock().take().map_or(0, |memory| memory.bytes()))
    }

    /// To be written, by who has it alone: a device has something else then. `None`: it is shared.
    pub(super) fn alone(this: &mut Arc<Self>) -> Option<&mut Column> {
        let own = Arc::get_mut(this)?;
        *own.device.get_mut() = None;
        own.host.get_mut().filter(|column| !matches!(column, Column::Lent(_)))
    }

    /// Has nobody else have it: a copy, where somebody does.
    pub(super) fn unshare(this: &mut Arc<Self>) -> Result<(), NoMemory> {
        if Self::alone(this).is_some() {
            return Ok(());
        }
        let nothing = Arc::new(Self::new(Column::Bool(Vec::new())));
        let own = match Arc::try_unwrap(std::mem::replace(this, nothing)) {
            // Only the list of what is on devices knew it.
            Ok(Self { host, .. }) if host.get().is_some_and(|column| !matches!(column, Column::Lent(_))) => {
                host.into_inner()
            }
            Ok(other) => {
                *this = Arc::new(other);
                None
            }
            Err(shared) => {
                *this = shared;
                None
            }
        };
        let column = own.map_or_else(|| this.here().try_clone(), Ok)?;
        *this = Arc::new(Self::new(column));
        Ok(())
    }
}

fn all_on_devices() -> Vec<Arc<Shared>> {
    // In a forked child another thread of the parent may have it for ever.
    let Some(mut all) = ON_DEVICES.try_lock() else { return Vec::new() };
    let found: Vec<_> = all.iter().filter_map(Weak::upgrade).collect();
    all.clear();
    all.extend(found.iter().map(Arc::downgrade));
    found
}

/// All that is on devices comes to the host, and is nowhere else; says how many bytes that were.
pub fn leave_devices() -> Result<usize, Error> {
    all_on_devices().into_iter().try_fold(0, |bytes, shared| Ok(bytes + shared.leave()?))
}

/// All that is on devices comes to the host too, as far as there is memory for it: a process is about to fork, whose child
/// cannot use the device.
pub fn before_fork() {
    for shared in all_on_devices() {
        let _ = shared.home();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Memory(Vec<u8>);

    impl OnDevice for Memory {
        fn device(&self) -> usize {
            0
        }
        fn address(&self) -> u64 {
            0
        }
        fn bytes(&self) -> usize {
            self.0.len()
        }
        fn read(&self, from: usize, into: &mut [u8]) -> Result<(), Error> {
            into.copy_from_slice(&self.0[from..from + into.len()]);
            Ok(())
        }
    }

    #[test]
    fn what_a_device_has_comes_when_it_is_asked_for() {
        let mut shared = Shared::on_device(Ty::Bool, 3, Arc::new(Memory(vec![2, 3, 1])));
        assert!(!shared.is_home());
        assert_eq!((shared.word(1).unwrap(), shared.is_home()), (3, false));
        assert_eq!(shared.home().unwrap(), &Column::Bool(vec![0, 1, 1]));
        assert!(shared.copy().is_some());
        Shared::unshare(&mut shared).unwrap();
        assert!(shared.copy().is_none());
        let Some(Column::Bool(truths)) = Shared::alone(&mut shared) else { unreachable!() };
        truths[0] = 1;
        assert_eq!(shared.here(), &Column::Bool(vec![1, 1, 1]));
    }

    #[test]
    fn who_writes_has_a_copy() {
        let shared = Shared::on_device(Ty::Bool, 1, Arc::new(Memory(vec![1])));
        let mut other = shared.clone();
        Shared::unshare(&mut other).unwrap();
        assert!(!Arc::ptr_eq(&shared, &other));
        assert!(shared.copy().is_some() && other.copy().is_none());
    }
}
