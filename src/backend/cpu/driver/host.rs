//! What machine code of drivers calls: launches, and all that is done with whole columns. It works on the columns of
//! the session's store; whoever runs the kernels elsewhere is told what has changed there.
//!
//! No machine code of a driver knows where a column is, as that may change with each operation. A load of a row looks
//! into a table of *views*, which has the address and the length of each column that the host has and that was loaded
//! from since the last operation; what is not there the host brings. So a loop over what elements have given costs what
//! it costs elsewhere. A view also has the rows that are known to change: the first store goes by the host, which keeps
//! the column as it was and tells the session from which row on it changes (a GPU has to be brought these), and those
//! that follow are plain. So what a driver makes in its scratch memory costs what it costs elements: it stays where it
//! is as long as the driver runs, so its machine code has the address (`View::SCRATCH`) and asks nobody. Drivers with
//! loops that launch nothing are compiled with all optimizations.

use super::super::frame::STATUS_DONE;
use super::super::internal;
use super::super::runtime::{self, ThreadState};
use super::arrays::{Base, Copied};
use super::pushing::Pushed;
use super::scratch::Scratch;
use super::settle::{Longer, too_many};
use super::{Driver, ENDED};
use crate::backend::collectives;
use crate::backend::{AtSync, Failure, Launch, Outcome, Session, Texts};
use crate::error::Error;
use crate::error::NoMemory;
use crate::faults;
use crate::heap::Column;
use crate::heap::printed::How;
use crate::ir::{Buffer, Items, KernelId, Reduction, Scalar, SiteId};
use crate::profile::{Phase, Profile};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

/// What machine code and the functions below tell each other. Machine code knows only the first part.
#[repr(C)]
pub(super) struct DriverState<'a> {
    /// Its operands are what a function gives.
    thread: ThreadState,
    /// One for each of the driver's buffers: those of `views`.
    first_view: *const View,
    /// Its scratch memory, which stays where it is.
    first_of_scratch: *mut i64,
    pub(super) driver: &'a Driver,
    pub(super) session: &'a mut (dyn Session + 'a),
    /// The run as it begins.
    pub(super) launch: &'a Launch<'a>,
    at_sync: &'a mut AtSync<'a>,
    pub(super) profile: &'a mut Profile,
    views: Vec<View>,
    /// The buffers that have one which is not empty.
    viewed: Vec<usize>,
    /// The memory for what it makes: a column of its own, in the place of that of elements.
    pub(super) scratch: Option<Scratch>,
    /// As the driver has set them.
    pub(super) scalars: Vec<u64>,
    /// The bases that it has given to kernels.
    pub(super) bases: Vec<Option<Base>>,
    /// Which rows each column was made a copy of, and how often it was made anew.
    pub(super) copies: FxHashMap<Buffer, (Copied, u64)>,
    /// Rows in which no object stands twice, as far as is known.
    pub(super) distinct: FxHashSet<Copied>,
    /// What names the arrays that the next append keeps.
    pub(super) kept: Vec<i64>,
    /// What elements of this tick push to arrays.
    pub(super) pushed: Vec<Pushed>,
    /// The first ticks of the launches so far, and their kernels; and the first tick of the next one.
    begun: Vec<(u64, KernelId)>,
    pub(super) ticks: u64,
    /// It tells by itself how far it is.
    loops: bool,
    /// Why the driver ends.
    pub ended: Option<Result<Outcome, Error>>,
}

/// Where a column's rows are, for machine code that reads and writes them one by one: as many as the host has just now. It
/// lasts until something is done that may put the column elsewhere.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct View {
    first: *const u8,
    rows: u64,
    /// Whoever has to know of it knows that these rows change: the first one, and how many they are.
    changing: u64,
    changing_rows: u64,
}

impl View {
    const NONE: Self = Self { first: std::ptr::null(), rows: 0, changing: 0, changing_rows: 0 };
    /// In the driver's state: where the views are. In them: a view, how many rows it has, and which change.
    pub const ALL: i32 = offset_of!(DriverState<'static>, first_view) as i32;
    /// In the driver's state, too: where its scratch memory begins.
    pub const SCRATCH: i32 = offset_of!(DriverState<'static>, first_of_scratch) as i32;
    pub const BYTES: i32 = size_of::<Self>() as i32;
    pub const ROWS: i32 = offset_of!(Self, rows) as i32;
    pub const CHANGING: i32 = offset_of!(Self, changing) as i32;
    pub const CHANGING_ROWS: i32 = offset_of!(Self, changing_rows) as i32;
}

/// Why a driver is to end.
pub(super) enum Stop {
    Ended(Outcome),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<NoMemory> for Stop {
    fn from(error: NoMemory) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Stop> for Result<Outcome, Error> {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Ended(outcome) => Ok(outcome),
            Stop::Failed(error) => Err(error),
        }
    }
}

/// Ticks are numbered with 32 bits in marks.
const MOST_TICKS: u64 = 1 << 32;
/// Elements are numbered with 31 bits, as are arrays and their items.
pub(super) const MOST_ROWS: usize = i32::MAX as usize;

impl<'a> DriverState<'a> {
    pub fn new(
        driver: &'a Driver,
        session: &'a mut dyn Session,
        launch: &'a Launch<'a>,
        at_sync: &'a mut AtSync<'a>,
        interrupt: &AtomicBool,
        profile: &'a mut Profile,
    ) -> Self {
        let mut thread = ThreadState::new(launch.seed, launch.call, interrupt);
        // It is no element.
        thread.element = Failure::DRIVER;
        let views = vec![View::NONE; driver.buffers.len()];
        Self {
            thread,
            first_view: views.as_ptr(),
            first_of_scratch: std::ptr::null_mut(),
            views,
            viewed: Vec::new(),
            driver,
            session,
            launch,
            at_sync,
            profile,
            scratch: None,
            scalars: launch.scalars.to_vec(),
            bases: (0..driver.kernels).map(|_| None).collect(),
            copies: FxHashMap::default(),
            distinct: FxHashSet::default(),
            kept: Vec::new(),
            pushed: Vec::new(),
            begun: Vec::new(),
            ticks: launch.first_tick,
            loops: false,
            ended: None,
        }
    }

    /// The memory for what it makes, for as long as it runs.
    pub fn use_scratch(&mut self, scratch: Option<Scratch>) {
        self.scratch = scratch;
        if let Some(Column::I64(words)) = self.scratch.as_mut().map(|scratch| &mut scratch.memory) {
            self.first_of_scratch = words.as_mut_ptr();
        }
    }

    /// What has failed in the driver itself.
    pub fn failure(&self) -> Failure {
        let ThreadState { site, operands, path, .. } = self.thread;
        Failure {
            site: SiteId(site),
            element: Failure::DRIVER,
            kernel: None,
            tick: 0,
            operands,
            path,
            texts: Texts::default(),
            memory: Vec::new(),
        }
    }

    fn buffer(&self, number: u64) -> Result<Buffer, Error> {
        let known = self.driver.buffers.get(number as usize).copied();
        known.ok_or_else(|| internal("a driver's buffer is not there"))
    }

    pub(super) fn buffer_of(&self, own: Buffer) -> Result<Buffer, Error> {
        self.buffer(u64::from(own.0))
    }

    pub(super) fn items(&self, own: Items) -> Result<Items, Error> {
        let part = |part: Option<Buffer>| part.map(|buffer| self.buffer_of(buffer)).transpose();
        Ok(Items { payload: part(own.payload)?, tag: part(own.tag)? })
    }

    /// Machine code may read this column by itself now, and write it from a row on. The host has it.
    fn show(&mut self, number: u64, buffer: Buffer, changing: Option<usize>) {
        let column = self.column(buffer);
        let (first, rows) = (column.as_bytes().as_ptr(), column.len() as u64);
        let changing = changing.map_or(rows, |row| row as u64);
        let view = View { first, rows, changing, changing_rows: rows.saturating_sub(changing) };
        if let Some(place) = self.views.get_mut(number as usize) {
            if place.first.is_null() {
                self.viewed.push(number as usize);
            }
            *place = view;
        }
    }

    /// It asks again for the columns that it reads, as they may be elsewhere.
    fn hide(&mut self) {
        for number in self.viewed.drain(..) {
            self.views[number] = View::NONE;
        }
    }

    pub(super) fn column(&self, buffer: Buffer) -> &Column {
        match &self.scratch {
            Some(scratch) if scratch.buffer == buffer => &scratch.memory,
            // Behind `&mut`, as sessions have only that.
            _ => &self.session.columns()[buffer.0 as usize],
        }
    }

    /// Bytes that lie in a column of words.
    fn text(&self, words: Buffer, first: i64, size: i64) -> Result<&[u8], Error> {
        let Column::I64(words) = self.column(words) else {
            return Err(internal("a String has no words"));
        };
        let text = bytemuck::cast_slice::<i64, u8>(words.get(first as usize..).unwrap_or_default());
        text.get(..size as usize).ok_or_else(|| internal("a String is shorter than it says"))
    }

    fn is_own(&self, buffer: Buffer) -> bool {
        self.scratch.as_ref().is_some_and(|scratch| scratch.buffer == buffer)
    }

    /// A column that the host is about to change, from a row on.
    pub(super) fn change(&mut self, buffer: Buffer, from: usize, keep: bool) -> Result<&mut Column, Error> {
        if self.is_own(buffer) {
            let scratch = self.scratch.as_mut().expect("it has some");
            return Ok(&mut scratch.memory);
        }
        let at = buffer.0 as usize;
        if keep {
            self.session.store().keep(std::iter::once(at))?;
        }
        self.session.changed(buffer, from);
        Ok(&mut self.session.store().columns_mut()[at])
    }

    /// More rows of zeros for a column and those that go with it, which machine code goes on to read and write; gives the
    /// first of them.
    fn add_rows(&mut self, buffer: Buffer, count: usize) -> Result<usize, Stop> {
        let driver = self.driver;
        let known = driver.settler.longer.get(&buffer);
        let Longer { columns, marks, items } =
            known.ok_or_else(|| internal("a column that does not get longer"))?;
        if self.view(buffer).first.is_null() {
            self.fetch(Some(buffer))?;
        }
        // A filler stands behind all items.
        let filler = usize::from(*items);
        let first = self.column(buffer).len().saturating_sub(filler);
        let end = first.saturating_add(count).saturating_add(filler);
        if end > MOST_ROWS {
            return Err(too_many(if *items { "items of arrays" } else { "objects and arrays of a kind" }));
        }
        for column in columns {
            self.extend_here(*column, end, true)?;
        }
        for (marks, words) in marks {
            self.extend_here(*marks, end * words, false)?;
        }
        Ok(first)
    }

    /// How machine code has a column, if it does.
    fn view(&self, buffer: Buffer) -> View {
        self.driver.own[buffer.0 as usize].map_or(View::NONE, |own| self.views[own as usize])
    }

    /// A column gets so many rows, if it has fewer, which may be elsewhere afterwards. `keeps` where somebody asks what it
    /// held before.
    fn extend_here(&mut self, buffer: Buffer, rows: usize, keeps: bool) -> Result<(), Stop> {
        let view = self.view(buffer);
        let (column, changing) = if view.changing_rows > 0 {
            // It changes already behind a row, so its end does.
            (&mut self.session.store().columns_mut()[buffer.0 as usize], view.changing)
        } else {
            if view.first.is_null() {
                self.fetch(Some(buffer))?;
            }
            let from = self.column(buffer).len();
            self.change(buffer, from, keeps)?;
            let changing = self.session.changed(buffer, from) as u64;
            (&mut self.session.store().columns_mut()[buffer.0 as usize], changing)
        };
        let more = rows.saturating_sub(column.len());
        column.try_reserve(more)?;
        column.extend_zeros(more);
        if let Some(own) = self.driver.own[buffer.0 as usize] {
            self.show(u64::from(own), buffer, Some(changing as usize));
        }
        Ok(())
    }

    /// How a launch has ended, where that ends the driver. Ticks of failures are counted from the launch's own.
    pub(super) fn done(&self, outcome: Outcome) -> Result<(), Stop> {
        match outcome {
            Outcome::Done => Ok(()),
            Outcome::Failed(mut failure) => {
                let behind = self.begun.partition_point(|(first, _)| *first <= failure.tick);
                if let Some((first, kernel)) = behind.checked_sub(1).map(|at| self.begun[at]) {
                    failure.tick -= first;
                    failure.kernel = Some(kernel);
                }
                Err(Stop::Ended(Outcome::Failed(failure)))
            }
            other => Err(Stop::Ended(other)),
        }
    }

    /// Brings what is looked at when the driver is done.
    pub fn finish(&mut self) -> Result<(), Stop> {
        let outcome = self.session.finish(self.profile)?;
        self.done(outcome)
    }

    /// Brings a column to the host, or all.
    pub fn fetch(&mut self, column: Option<Buffer>) -> Result<(), Stop> {
        if column.is_some_and(|column| self.is_own(column)) {
            return Ok(());
        }
        let outcome = self.session.fetch(column, self.profile)?;
        self.done(outcome)
    }

    /// Launches, and puts what is printed in the order of the elements.
    fn launch(&mut self, kernel: KernelId, ticks: u64) -> Result<(), Stop> {
        let from = self.session.store().printed_mut().len();
        let done = self.launch_ticks(kernel, ticks);
        self.session.store().printed_mut().sort(from);
        done
    }

    fn launch_ticks(&mut self, kernel: KernelId, ticks: u64) -> Result<(), Stop> {
        let base = self.bases.get(kernel.0 as usize).and_then(Option::as_ref);
        if ticks == 0 || base.is_some_and(|base| base.count == 0) {
            return Ok(());
        }
        if self.ticks.saturating_add(ticks) >= MOST_TICKS && self.driver.counts_ticks {
            let told = "a section that is watched for conflicts runs at most 4,294,967,296 ticks in all";
            return Err(Error::Device(told.into()).into());
        }
        if self.driver.settler.settles(kernel) {
            self.begun.push((self.ticks, kernel));
            self.count_launch(base.map(|base| base.count), ticks);
            return self.launch_settling(kernel, ticks);
        }
        let launch = Launch {
            scalars: &self.scalars,
            jobs: base.map_or(self.launch.jobs, |base| &base.jobs),
            ticks,
            first_tick: self.ticks,
            // Of a section that is one call the elements count.
            progress: self.launch.progress.filter(|_| base.is_none()),
            ..*self.launch
        };
        let outcome = self.session.launch(kernel, &launch, self.profile)?;
        self.begun.push((self.ticks, kernel));
        self.ticks += ticks;
        let count = base.map(|base| base.count);
        self.count_launch(count, ticks);
        self.done(outcome)
    }

    /// A launch of a driver is one step of it.
    fn count_launch(&self, elements: Option<usize>, ticks: u64) {
        if let (Some(progress), Some(elements)) = (self.launch.progress, elements) {
            progress.launch((elements as u64).saturating_mul(ticks));
            if !self.loops {
                progress.add(1);
            }
        }
    }

    fn sync(&mut self, number: u32) -> Result<(), Stop> {
        self.fetch(None)?;
        self.session.release();
        (self.at_sync)(number, self.session.store())?;
        // What was copied of columns may be something else.
        for ((_, first, _), _) in self.copies.values_mut() {
            *first = -1;
        }
        self.distinct.clear();
        Ok(())
    }
}

/// Does what machine code has asked for, or says how the driver ends.
///
/// # Safety
/// `state` is the state that the calling machine code was given.
unsafe fn host(
    state: *mut DriverState<'_>,
    work: impl FnOnce(&mut DriverState<'_>) -> Result<(), Stop>,
) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        state.hide();
        work(state)
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// The same for what leaves columns where they are.
///
/// # Safety
/// As [`host`].
unsafe fn keeping_views(
    state: *mut DriverState<'_>,
    work: impl FnOnce(&mut DriverState<'_>) -> Result<(), Stop>,
) -> i64 {
    // SAFETY: the driver was called with a pointer to a live state that only this thread uses.
    let state = unsafe { &mut *state };
    let ended = catch_unwind(AssertUnwindSafe(|| work(state)));
    // A panic is a bug of ours, but must not unwind into machine code.
    let ended = ended.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Err(internal(text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()).into())
    });
    match ended {
        Ok(()) => STATUS_DONE,
        Err(stop) => {
            state.ended = Some(stop.into());
            ENDED
        }
    }
}

/// Ticks below 0: those of the run.
///
/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn launch(state: *mut DriverState<'_>, kernel: u64, ticks: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let ticks = u64::try_from(ticks).unwrap_or(state.launch.ticks);
        state.launch(KernelId(kernel as u32), ticks)
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn over(state: *mut DriverState<'_>, request: u64, count: i64) -> i64 {
    // SAFETY: as said.
    unsafe { host(state, |state| state.over(request as usize, count)) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn copy(
    state: *mut DriverState<'_>,
    from: u64,
    first: i64,
    count: i64,
    into: u64,
) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let (from, into) = (state.buffer(from)?, state.buffer(into)?);
        state.copy(from, (first, count), into)
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn append(state: *mut DriverState<'_>, request: u64, count: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        faults::point("making an array")?;
        state.thread.operands[0] = state.append(request as usize, count)?;
        Ok(())
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn lengthen(state: *mut DriverState<'_>, buffer: u64, count: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        faults::point("making rows")?;
        let (buffer, count) = (state.buffer(buffer)?, usize::try_from(count).unwrap_or(0));
        state.thread.operands[0] = state.add_rows(buffer, count)? as i64;
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn keep(state: *mut DriverState<'_>, value: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        state.kept.push(value);
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn sync(state: *mut DriverState<'_>, number: u64) -> i64 {
    // SAFETY: as said.
    unsafe { host(state, |state| state.sync(number as u32)) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn progress(state: *mut DriverState<'_>, done: i64, total: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        state.loops = true;
        if let Some(progress) = state.launch.progress {
            progress.set(done.max(0) as u64, total.max(0) as u64);
        }
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn assign(state: *mut DriverState<'_>, scalar: u64, value: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let known: Option<&Scalar> = state.driver.scalars.get(scalar as usize);
        let scalar = known.ok_or_else(|| internal("a driver's scalar is not there"))?;
        state.scalars[scalar.0 as usize] = value as u64;
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn compact(state: *mut DriverState<'_>, flags: u64, indices: u64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        faults::point("compacting")?;
        let (flags, indices) = (state.buffer(flags)?, state.buffer(indices)?);
        if state.session.leaves(flags) {
            return Ok(());
        }
        state.fetch(Some(flags))?;
        let store = state.session.store();
        let work = || collectives::compact(&store.columns()[flags.0 as usize]);
        let rows = state.profile.time(Phase::Kernel, work)?;
        let count = rows.len() as i64;
        store.replace(indices.0 as usize, rows);
        state.thread.operands[0] = count;
        Ok(())
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn reduce(
    state: *mut DriverState<'_>,
    reduction: u64,
    column: u64,
    given: u64,
    from: i64,
) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        faults::point("reducing")?;
        let reduction = Reduction::ALL.get(reduction as usize).copied();
        let reduction = reduction.ok_or_else(|| internal("there is no such reduction"))?;
        let column = state.buffer(column)?;
        let given = if given == u64::from(u32::MAX) { None } else { Some(state.buffer(given)?) };
        for buffer in given.into_iter().chain([column]) {
            state.fetch(Some(buffer))?;
        }
        let columns = state.session.store().columns();
        let given = given.map(|given| &columns[given.0 as usize]);
        let work = || collectives::reduce(reduction, &columns[column.0 as usize], given, from);
        let number = state.profile.time(Phase::Kernel, work)?;
        state.thread.operands = [number.unwrap_or(0), i64::from(number.is_some())];
        Ok(())
    };
    // SAFETY: as said.
    unsafe { host(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn load(state: *mut DriverState<'_>, buffer: u64, index: i64) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let (number, buffer) = (buffer, state.buffer(buffer)?);
        state.fetch(Some(buffer))?;
        let column = state.column(buffer);
        state.thread.operands[0] = column.bits(row(column, index)?);
        state.show(number, buffer, None);
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// # Safety
/// As [`host`] and [`runtime::search`].
pub(super) unsafe extern "C" fn search(
    state: *mut DriverState<'_>,
    words: u64,
    first: i64,
    pattern: i64,
    size: i64,
    place: i64,
    request: i64,
    prepared: i64,
    wanted: i64,
) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let words = state.buffer(words)?;
        state.fetch(Some(words))?;
        let text = state.text(words, first, size)?;
        // SAFETY: as said.
        let found =
            unsafe { runtime::search(text.as_ptr(), pattern, size, place, request, prepared, wanted) };
        state.thread.operands[0] = found;
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn print(
    state: *mut DriverState<'_>,
    words: u64,
    first: i64,
    size: i64,
    encoding: i64,
    stream: i64,
    how: i64,
) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let words = state.buffer(words)?;
        state.fetch(Some(words))?;
        let how = How::ALL.get(how as usize).copied();
        let how = how.ok_or_else(|| internal("nothing is printed in that way"))?;
        let mut printed = std::mem::take(state.session.store().printed_mut());
        let done = state.text(words, first, size).map(|text| {
            // It is in order as it is.
            printed.print((state.ticks, Failure::DRIVER), (stream, encoding), text, how)
        });
        *state.session.store().printed_mut() = printed;
        state.thread.operands[0] = i64::from(done?);
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

/// # Safety
/// As [`host`].
pub(super) unsafe extern "C" fn store(
    state: *mut DriverState<'_>,
    buffer: u64,
    index: i64,
    value: i64,
) -> i64 {
    let work = |state: &mut DriverState<'_>| {
        let (number, buffer) = (buffer, state.buffer(buffer)?);
        // What an element of another launch has written there is not to get lost.
        state.fetch(Some(buffer))?;
        let keep = state.driver.changes[buffer.0 as usize];
        let row = row(state.column(buffer), index)?;
        let column = state.change(buffer, row, keep)?;
        column.set_bits(row, value);
        // It may have been copied to be kept.
        let changing = if state.is_own(buffer) { 0 } else { state.session.changed(buffer, row) };
        state.show(number, buffer, Some(changing));
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

fn row(column: &Column, index: i64) -> Result<usize, Error> {
    let row = usize::try_from(index).ok().filter(|row| *row < column.len());
    row.ok_or_else(|| internal("a driver reaches beyond a column"))
}
