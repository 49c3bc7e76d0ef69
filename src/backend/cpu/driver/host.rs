//! What machine code of drivers calls: launches, and all that is done with whole columns. It works on the columns of the
//! session's store; whoever runs the kernels elsewhere is told what has changed there.

use super::super::frame::STATUS_DONE;
use super::super::internal;
use super::super::runtime::ThreadState;
use super::pushing::Pushed;
use super::{Driver, ENDED, Request};
use crate::backend::collectives::{self, Rows};
use crate::backend::{AtSync, Failure, Launch, Moved, Outcome, Session, Source, Texts};
use crate::error::Error;
use crate::fallible::{self, NoMemory};
use crate::faults;
use crate::heap::{Column, JobOrder};
use crate::ir::{Buffer, Items, KernelId, Reduction, Scalar, SiteId};
use crate::profile::{Phase, Profile};
use crate::types::{HierarchyId, Shape};
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
    pub(super) driver: &'a Driver,
    pub(super) session: &'a mut (dyn Session + 'a),
    /// The run as it begins.
    pub(super) launch: &'a Launch<'a>,
    at_sync: &'a mut AtSync<'a>,
    pub(super) profile: &'a mut Profile,
    views: Vec<View>,
    /// The buffers that have one which is not empty.
    viewed: Vec<usize>,
    /// As the driver has set them.
    pub(super) scalars: Vec<u64>,
    /// The bases that it has given to kernels.
    pub(super) bases: Vec<Option<Base>>,
    /// Which rows each column was made a copy of, and how often it was made anew.
    copies: FxHashMap<Buffer, (Copied, u64)>,
    /// Rows in which no object stands twice, as far as is known.
    distinct: FxHashSet<Copied>,
    /// What names the arrays that the next append keeps.
    kept: Vec<i64>,
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

/// Where a column's rows are, for machine code that reads them one by one: as many as the host has just now. It lasts
/// until something is done that may put the column elsewhere.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct View {
    first: *const u8,
    rows: u64,
}

impl View {
    const NONE: Self = Self { first: std::ptr::null(), rows: 0 };
    /// In the driver's state: where the views are. In them: a view, and how many rows it has.
    pub const ALL: i32 = offset_of!(DriverState<'static>, first_view) as i32;
    pub const BYTES: i32 = size_of::<Self>() as i32;
    pub const ROWS: i32 = offset_of!(Self, rows) as i32;
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

/// The elements of a kernel.
pub(super) struct Base {
    pub jobs: JobOrder,
    count: usize,
    /// The objects that they are, as [`DriverState::copies`] counts them.
    version: Vec<u64>,
}

/// Rows of a column: which, the first, and how many.
type Copied = (Buffer, i64, i64);

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
            views,
            viewed: Vec::new(),
            driver,
            session,
            launch,
            at_sync,
            profile,
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
        }
    }

    fn buffer(&self, number: u64) -> Result<Buffer, Error> {
        let known = self.driver.buffers.get(number as usize).copied();
        known.ok_or_else(|| internal("a driver's buffer is not there"))
    }

    fn buffer_of(&self, own: Buffer) -> Result<Buffer, Error> {
        self.buffer(u64::from(own.0))
    }

    fn items(&self, own: Items) -> Result<Items, Error> {
        let part = |part: Option<Buffer>| part.map(|buffer| self.buffer_of(buffer)).transpose();
        Ok(Items { payload: part(own.payload)?, tag: part(own.tag)? })
    }

    /// Machine code may read this column by itself now. The host has it.
    fn show(&mut self, number: u64, buffer: Buffer) {
        let column = self.column(buffer);
        let view = View { first: column.as_bytes().as_ptr(), rows: column.len() as u64 };
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

    pub(super) fn columns(&self) -> &[Column] {
        self.session.columns()
    }

    pub(super) fn column(&self, buffer: Buffer) -> &Column {
        // Behind `&mut`, as sessions have only that.
        &self.session.columns()[buffer.0 as usize]
    }

    /// A column that the host is about to change, from a row on.
    pub(super) fn change(&mut self, buffer: Buffer, from: usize, keep: bool) -> Result<&mut Column, Error> {
        let at = buffer.0 as usize;
        if keep {
            self.session.store().keep(std::iter::once(at))?;
        }
        self.session.changed(buffer, from);
        Ok(&mut self.session.store().columns_mut()[at])
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
        let outcome = self.session.fetch(column, self.profile)?;
        self.done(outcome)
    }

    fn launch(&mut self, kernel: KernelId, ticks: u64) -> Result<(), Stop> {
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

    fn over(&mut self, request: usize, count: i64) -> Result<(), Stop> {
        let Some(Request::Over { kernel, own, first_same, sized }) = self.driver.code.requests.get(request)
        else {
            return Err(internal("a driver goes over nothing").into());
        };
        let count = usize::try_from(count).unwrap_or(0);
        if count > MOST_ROWS {
            return Err(Error::Device(format!("{count} elements are more than a section can number")).into());
        }
        for own in sized {
            let buffer = self.buffer_of(*own)?;
            let column = self.column(buffer);
            if column.len() != count {
                let fresh = Column::unset(column.ty(), count)?;
                *self.change(buffer, 0, false)? = fresh;
            }
        }
        let own = own.map(|own| self.items(own)).transpose()?;
        let parts = own.map_or([None; 2], |own| [own.payload, own.tag]);
        let version = |buffer: Buffer| self.copies.get(&buffer).map_or(0, |(_, version)| *version);
        let version: Vec<u64> = parts.into_iter().flatten().map(version).collect();
        let place = kernel.0 as usize;
        if self.bases[place].as_ref().is_some_and(|base| (base.count, &base.version) == (count, &version)) {
            return Ok(());
        }
        let repeats =
            if self.driver.has_rounds[place] || first_same.is_some() { self.repeats(parts)? } else { None };
        let mut jobs = JobOrder::of_one(0, count);
        if let Some(repeats) = &repeats {
            jobs = JobOrder::new(&fallible::filled(0, count)?, 1, Some(&repeats.times))?;
        }
        if self.launch.jobs.in_order {
            jobs = jobs.in_order(count)?;
        }
        if let Some(own) = first_same {
            let buffer = self.buffer_of(*own)?;
            let firsts = match repeats {
                Some(repeats) => repeats.firsts,
                None => fallible::collect(0..count as i32)?,
            };
            *self.change(buffer, 0, false)? = Column::I32(firsts);
        }
        self.bases[place] = Some(Base { jobs, count, version });
        Ok(())
    }

    /// Those among the elements of a base.
    fn repeats(&mut self, [payload, tag]: [Option<Buffer>; 2]) -> Result<Option<Repeats>, Stop> {
        let Some(payload) = payload else { return Ok(None) };
        // Objects of several hierarchies may have the same number.
        let source = if tag.is_none() { self.source_of(payload) } else { None };
        if source.is_some_and(|source| self.distinct.contains(&source)) {
            return Ok(None);
        }
        for buffer in std::iter::once(payload).chain(tag) {
            self.fetch(Some(buffer))?;
        }
        let repeats = Repeats::find(self.column(payload), tag.map(|tag| self.column(tag)))?;
        if let (Some(source), None) = (source, &repeats) {
            self.distinct.insert(source);
        }
        Ok(repeats)
    }

    /// Which rows a column is a copy of, if these are what they were.
    fn source_of(&self, copy: Buffer) -> Option<Copied> {
        let (source, _) = self.copies.get(&copy)?;
        let stays = source.1 >= 0 && !self.driver.changes[source.0.0 as usize];
        stays.then_some(*source)
    }

    fn copy(&mut self, from: Buffer, rows: (i64, i64), into: Buffer) -> Result<(), Stop> {
        let copied = (from, rows.0, rows.1);
        // What nobody writes stays what it was; arrays that are made come behind.
        let stays = !self.driver.changes[from.0 as usize];
        let known = self.copies.get(&into);
        if stays && known.is_some_and(|(known, _)| *known == copied) {
            return Ok(());
        }
        let version = known.map_or(0, |(_, version)| *version) + 1;
        let (first, count) = (rows.0 as usize, rows.1 as usize);
        if first.checked_add(count).is_none_or(|end| end > self.column(from).len()) {
            return Err(internal("a driver copies beyond a column").into());
        }
        let moved = (Source::Column(from), Moved::Rows(first, count));
        if self.session.moves(Some(from), into)
            && self.session.move_rows(moved, (into, 0), count, self.profile)?
        {
            self.copies.insert(into, (copied, version));
            return Ok(());
        }
        self.fetch(Some(from))?;
        let copy =
            self.profile.time(Phase::Kernel, || column_rows(self.session.columns(), from, first, count))?;
        *self.change(into, 0, false)? = copy;
        self.copies.insert(into, (copied, version));
        Ok(())
    }

    /// The numbers of rows that are true.
    fn rows_of(&mut self, flags: Buffer) -> Result<Vec<i32>, Stop> {
        self.fetch(Some(flags))?;
        match collectives::compact(self.column(flags))? {
            Column::I32(rows) => Ok(rows),
            _ => Err(internal("rows are no indices").into()),
        }
    }

    fn append(&mut self, request: usize, count: i64) -> Result<i64, Stop> {
        let requests = &self.driver.code.requests;
        let Some(Request::Append { from, tag, given, into, reuses }) = requests.get(request) else {
            return Err(internal("a driver appends nothing").into());
        };
        let (from, items) = (self.items(*from)?, self.items(into.items)?);
        let given = given.map(|given| self.buffer_of(given)).transpose()?;
        let parts = [(from.payload, items.payload), (from.tag, items.tag)];
        // Of elements that are different objects, those that are selected are, too.
        let source = from.payload.filter(|_| items.tag.is_none()).and_then(|base| self.source_of(base));
        let is_distinct = given.is_some() && source.is_some_and(|source| self.distinct.contains(&source));
        // Where it can be, all is done where the columns are, so that the host needs no rows.
        let moves = |(from, into): &(Option<Buffer>, Option<Buffer>)| {
            into.is_none_or(|into| self.session.moves(*from, into))
        };
        let mut moved = parts.iter().all(moves).then_some(Moved::Rows(0, count.max(0) as usize));
        if let (Some(given), Some(_)) = (given, moved) {
            let (outcome, selected) = self.session.select(given, self.profile)?;
            self.done(outcome)?;
            moved = selected.map(Moved::Selected);
        }
        let mut rows = None;
        let count = match (moved, given) {
            (Some(Moved::Rows(_, count) | Moved::Selected(count)), _) => count,
            (None, Some(given)) => rows.insert(self.rows_of(given)?).len(),
            (None, None) => count.max(0) as usize,
        };
        let kept = std::mem::take(&mut self.kept);
        let (offsets, lengths) = (self.buffer_of(into.offset)?, self.buffer_of(into.length)?);
        let mut room = Room::behind(self.column(offsets).len(), 0);
        if *reuses {
            self.fetch(Some(offsets))?;
            self.fetch(Some(lengths))?;
            room = Room::find(self.column(offsets), self.column(lengths), &kept, count)?;
            // What was copied of earlier arrays in this place is something else.
            let parts = [items.payload, items.tag];
            for ((from, first, _), _) in self.copies.values_mut() {
                if parts.contains(&Some(*from)) {
                    *first = -1;
                }
            }
            let (begin, end) = (room.offset as i64, (room.offset + count) as i64);
            self.distinct.retain(|(from, first, count)| {
                !parts.contains(&Some(*from)) || first + count <= begin || *first >= end
            });
        }
        let Room { number, mut offset } = room;
        for (from, into) in parts {
            let Some(into) = into else { continue };
            let now = self.column(into).len();
            if !reuses {
                // A filler stands behind all arrays.
                offset = now.saturating_sub(1);
            }
            if offset.saturating_add(count) >= MOST_ROWS {
                return Err(Error::Device(
                    "a section can number at most 2,147,483,647 items of arrays".into(),
                )
                .into());
            }
            if let Some(moved) = moved.filter(|_| rows.is_none()) {
                self.session.store().keep(std::iter::once(into.0 as usize))?;
                let source = from.map_or(Source::Number(tag.unwrap_or(0)), Source::Column);
                let place = ((into, offset), now.max(offset + count + 1));
                if self.session.move_rows((source, moved), place.0, place.1, self.profile)? {
                    continue;
                }
            }
            if let (Some(given), None) = (given, &rows) {
                rows = Some(self.rows_of(given)?);
            }
            for buffer in from.into_iter().chain([into]) {
                self.fetch(Some(buffer))?;
            }
            self.change(into, offset, true)?;
            let columns = self.session.store().columns_mut();
            let nothing = Column::Bool(Vec::new());
            let source = from.map(|from| std::mem::replace(&mut columns[from.0 as usize], nothing));
            let to = &mut columns[into.0 as usize];
            let done = match (&source, &rows) {
                (Some(source), Some(rows)) => collectives::append((to, offset), source, Rows::These(rows)),
                (Some(source), None) => collectives::append((to, offset), source, Rows::First(count)),
                (None, _) => collectives::fill((to, offset), count, tag.unwrap_or(0)),
            };
            if let (Some(from), Some(source)) = (from, source) {
                columns[from.0 as usize] = source;
            }
            done?;
        }
        if let Some(into) = items.payload.filter(|_| is_distinct) {
            self.distinct.insert((into, offset as i64, count as i64));
        }
        for (list, value) in [(offsets, offset), (lengths, count)] {
            let Column::I32(list) = self.change(list, number, true)? else {
                return Err(internal("offsets and lengths are no numbers").into());
            };
            match list.get_mut(number) {
                Some(known) => *known = value as i32,
                None => fallible::push(list, value as i32)?,
            }
        }
        Ok(number as i64)
    }
}

fn column_rows(columns: &[Column], from: Buffer, first: usize, count: usize) -> Result<Column, Error> {
    Ok(columns[from.0 as usize].rows(first..first + count)?)
}

/// Where a new array is put: its number, and where its items begin.
#[derive(Clone, Copy)]
struct Room {
    number: usize,
    offset: usize,
}

impl Room {
    const fn behind(number: usize, offset: usize) -> Self {
        Self { number, offset }
    }

    /// The first room for so many items, among arrays that are all the driver's own, of which those stay that are named:
    /// by their number, or by a place in them. What is neither names some that need not stay, which is no harm.
    fn find(offsets: &Column, lengths: &Column, kept: &[i64], count: usize) -> Result<Self, Error> {
        let (Column::I32(offsets), Column::I32(lengths)) = (offsets, lengths) else {
            return Err(internal("offsets and lengths are no numbers"));
        };
        let arrays =
            || (0i64..).zip(offsets.iter().zip(lengths)).map(|(n, (a, b))| (n, i64::from(*a), i64::from(*b)));
        let stays = |(number, first, length): &(i64, i64, i64)| {
            kept.iter().any(|kept| kept == number || (*first..=first + length).contains(kept))
        };
        let mut staying: Vec<(i64, i64, i64)> = arrays().filter(stays).collect();
        staying.sort_unstable_by_key(|(_, first, _)| *first);
        let mut offset = 0;
        for (_, first, length) in &staying {
            if *first >= offset + count as i64 {
                break;
            }
            offset = offset.max(first + length);
        }
        let number =
            arrays().find(|array| !stays(array)).map_or(offsets.len(), |(number, ..)| number as usize);
        Ok(Self { number, offset: offset as usize })
    }
}

/// Objects that elements are several times: how often each element's object came before, and the first element that is it.
struct Repeats {
    times: Vec<u32>,
    firsts: Vec<i32>,
}

impl Repeats {
    fn find(payload: &Column, tag: Option<&Column>) -> Result<Option<Self>, Error> {
        let rows = payload.len();
        let is_object = |row: usize| {
            tag.is_none_or(|tag| tag.bits(row) >= i64::from(Shape::Object(HierarchyId(0)).tag()))
        };
        let key = |row: usize| (tag.map_or(0, |tag| tag.bits(row)), payload.bits(row));
        // Most often there are none, which bits tell: ids are dense.
        let most = (0..rows).filter(|row| is_object(*row)).map(|row| payload.bits(row)).max().unwrap_or(0);
        let mut seen = fallible::filled(0u64, most.max(0) as usize / 64 + 1)?;
        let is_new = |row: usize| {
            let id = payload.bits(row) as usize;
            let (word, bit) = (id / 64, 1 << (id % 64));
            let new = !is_object(row) || seen[word] & bit == 0;
            if is_object(row) {
                seen[word] |= bit;
            }
            new
        };
        if (0..rows).all(is_new) {
            return Ok(None);
        }
        let mut known: FxHashMap<(i64, i64), (u32, i32)> = FxHashMap::default();
        let (mut times, mut firsts) = (fallible::filled(0u32, rows)?, fallible::filled(0i32, rows)?);
        let mut any = false;
        for row in 0..rows {
            firsts[row] = row as i32;
            if !is_object(row) {
                continue;
            }
            let (count, first) = known.entry(key(row)).or_insert((0, row as i32));
            (times[row], firsts[row]) = (*count, *first);
            any |= *count > 0;
            *count += 1;
        }
        Ok(any.then_some(Self { times, firsts }))
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
        state.show(number, buffer);
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
        state.show(number, buffer);
        Ok(())
    };
    // SAFETY: as said.
    unsafe { keeping_views(state, work) }
}

fn row(column: &Column, index: i64) -> Result<usize, Error> {
    let row = usize::try_from(index).ok().filter(|row| *row < column.len());
    row.ok_or_else(|| internal("a driver reaches beyond a column"))
}
