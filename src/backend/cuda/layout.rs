//! The structs that host and kernel share, as the prelude declares them, and where a run's columns lie in the one
//! piece of device memory it takes.

use super::deferred::Rooms;
use super::device::{DeviceSession, address};
use super::emit::{BLOCK, LANES};
use super::rows;
use crate::backend::{Failure, Launch, Outcome, Texts};
use crate::error::Error;
use crate::heap::Column;
use crate::heap::job_order::Segment;
use crate::ir::{BufferInfo, BufferKind, Program, SiteId};
use std::collections::BTreeSet;

/// What the scratch memory of all threads of a launch may take, in bytes.
const SCRATCH: usize = 1 << 30;
/// Alignment of columns on the device, as much as a GPU reads at once.
const ALIGNMENT: usize = 128;
/// The state of a run: failure, clock, stop.
const STATE: usize = 256;
/// Columns of fewer bytes are copied together: a copy costs microseconds whatever its size.
pub(super) const SMALL: usize = 64 << 10;
/// `Failure::key` while there is none.
const NO_FAILURE: u64 = u64::MAX;
/// Words of the prelude's `Failure` (key, operands, path, site and lock).
pub(super) const FAILURE_WORDS: usize = 5;
/// The site number of a thread that ran out of stack.
const OUT_OF_STACK: i32 = -1;
/// The site number of a thread that has found a conflict.
const CONFLICT: i32 = -3;
/// The site number of a thread that the host has stopped.
const STOPPED: i32 = -2;

/// What a column of the device holds when a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    /// What the host's holds.
    Copied,
    Cleared,
    /// Whatever is there: it is written before it is read.
    Anything,
}

impl Begins {
    /// `stays`: the kernel does not look at it; `bytes`: its length.
    fn of(info: &BufferInfo, stays: bool, bytes: usize) -> Self {
        match info.kind {
            _ if stays || info.is_drivers() => Self::Anything,
            BufferKind::Scratch => Self::Anything,
            BufferKind::Marks(_) => Self::Cleared,
            // The host's are all zeros.
            BufferKind::Result(..)
            | BufferKind::Kept
            | BufferKind::ResultWords
            | BufferKind::KernelWords
            | BufferKind::Given(..)
            | BufferKind::Accumulator(..)
            | BufferKind::AccumulatorTick(_)
                if bytes >= SMALL =>
            {
                Self::Cleared
            }
            _ => Self::Copied,
        }
    }
}

/// Does the host want to have it when a run is over? `stays`: as for [`Begins::of`].
pub(super) fn comes_down(info: &BufferInfo, stays: bool) -> bool {
    info.written
        && !stays
        && !info.is_drivers()
        && !matches!(info.kind, BufferKind::Scratch | BufferKind::Marks(_))
}

/// Offsets of everything a run needs in device memory. What is small lies together: first the state of the run, then the
/// columns that come down, then others that go up, so that one copy each way does for all.
pub(super) struct Arena {
    /// Of each of the program's buffers. Those with memory of their own get theirs when that is there.
    pub buffers: Vec<usize>,
    /// By buffer.
    pub begins: Vec<Begins>,
    /// The buffers that come down.
    pub down: Vec<usize>,
    /// End of the state and the small columns that come down, and of all that is small.
    pub small: [usize; 2],
    pub order: Option<usize>,
    /// Of what elements defer: where the records are, words of one, room for so many.
    pub logs: Vec<(usize, usize, usize)>,
    /// How many records there are: a word for each of the logs.
    pub counts: usize,
    /// Of rows that a driver selects: their numbers, and counts of flags.
    pub selection: [usize; 2],
    pub bytes: usize,
    /// By buffer, the bytes that there is room for; of the order of jobs too, and for how many threads at once.
    pub room: Vec<usize>,
    orders: usize,
    lanes: usize,
}

impl Arena {
    /// The failure record stands first, behind it the clock and the byte that stops the run.
    pub const FAILURE: usize = 0;
    pub const CLOCK: usize = 64;
    /// A byte that is set to stop the run.
    pub const STOP: usize = 128;
    /// How many rows were selected.
    pub const SELECTED: usize = 192;

    /// `lanes`: threads of the largest launch, each of which has scratch memory. `stays`: columns that the kernel does not
    /// look at; `own`: those with memory of their own. `flags`: columns that say which rows a driver selects. `before`: what this one takes the place of, as there was too little room.
    pub fn new(
        program: &Program,
        columns: &[Column],
        launch: &Launch<'_>,
        lanes: usize,
        (rooms, flags): (&Rooms, &BTreeSet<usize>),
        (stays, own): (impl Fn(usize) -> bool, &[bool]),
        before: Option<&Self>,
    ) -> Self {
        // What has grown once may grow again.
        let size = |i: usize| {
            let now = columns[i].byte_len();
            match before.map(|before| before.room[i]) {
                None | Some(usize::MAX) => now,
                Some(room) if now > room => 2 * now,
                Some(room) => room,
            }
        };
        let lanes = lanes.max(before.map_or(0, |before| before.lanes));
        let infos = || program.buffers.iter().enumerate();
        let begins: Vec<Begins> = infos().map(|(i, info)| Begins::of(info, stays(i), size(i))).collect();
        let down: Vec<usize> =
            infos().filter(|(i, info)| comes_down(info, stays(*i))).map(|(i, _)| i).collect();
        let mut end = STATE;
        let mut place = |bytes: usize| {
            let at = end;
            end = (at + bytes).next_multiple_of(ALIGNMENT);
            at
        };
        let group = |i: usize| match size(i) < SMALL {
            true if down.contains(&i) => 0,
            true if begins[i] == Begins::Copied => 1,
            _ => 2,
        };
        let (mut buffers, mut small, mut order) = (vec![0; program.buffers.len()], [0; 2], None);
        let orders = launch.jobs.order.as_ref().map_or(0, |order| order.len() * 4);
        let orders = orders.max(before.map_or(0, |before| before.orders));
        for number in 0..3 {
            for i in (0..buffers.len()).filter(|i| group(*i) == number && !stays(*i) && !own[*i]) {
                let times = if program.buffers[i].kind == BufferKind::Scratch { lanes } else { 1 };
                buffers[i] = place(size(i) * times);
            }
            if orders > 0 && (number == 1) == (orders < SMALL) && number > 0 {
                order = Some(place(orders));
            }
            if let Some(small) = small.get_mut(number) {
                *small = place(0);
            }
        }
        let logs = rooms.iter().map(|(words, room)| (place(8 * words * room), *words, *room)).collect();
        let counts = place(8 * rooms.len());
        let flags = flags.iter().map(|flags| size(*flags)).max().unwrap_or(0);
        let selection = rows::room(flags).map(&mut place);
        // What stays on the host may be as long as it likes.
        let room = (0..columns.len()).map(|i| if stays(i) { usize::MAX } else { size(i) }).collect();
        Self { buffers, begins, down, small, order, logs, counts, selection, bytes: end, room, orders, lanes }
    }

    /// Is there room for another launch with these columns?
    pub fn has_room(&self, columns: &[Column], launch: &Launch<'_>, lanes: usize, rooms: &Rooms) -> bool {
        let orders = launch.jobs.order.as_ref().map_or(0, |order| order.len() * 4);
        let fits = |(column, room): (&Column, &usize)| column.byte_len() <= *room;
        columns.iter().zip(&self.room).all(fits)
            && orders <= self.orders
            && lanes <= self.lanes
            && rooms.iter().zip(&self.logs).all(|((_, wanted), (_, _, room))| wanted <= room)
    }
}

/// What stands at the start of the arena when a run begins: no failure, tick 0.
pub(super) fn fresh_state() -> [u64; STATE / 8] {
    let mut words = [0; STATE / 8];
    words[Arena::FAILURE / 8] = NO_FAILURE;
    words
}

/// The prelude's `Run`.
pub(super) fn run_words(arena: &Arena, session: &dyn DeviceSession, launch: &Launch<'_>) -> [u64; 7] {
    let at = |offset: usize| session.base() + offset as u64;
    // An earlier launch may have had one.
    let order = launch.jobs.order.as_ref().and(arena.order).map_or(0, at);
    let (stack, stop) = (session.stack(), session.stop());
    [order, at(Arena::FAILURE), at(Arena::CLOCK), launch.seed, launch.call, stack, stop]
}

/// The generated `Arguments`: a word for each buffer and scalar, three for each log.
pub(super) fn argument_words(arena: &Arena, base: u64, launch: &Launch<'_>) -> Vec<u64> {
    let logs = arena.logs.iter().enumerate().flat_map(|(number, (offset, _, room))| {
        [base + *offset as u64, *room as u64, base + (arena.counts + 8 * number) as u64]
    });
    let buffers = arena.buffers.iter().map(|offset| address(base, *offset));
    buffers.chain(launch.scalars.iter().copied()).chain(logs).collect()
}

/// What the failure record says of how the run ends; `None` when nothing failed.
pub(super) fn ended(words: [u64; FAILURE_WORDS]) -> Result<Option<Outcome>, Error> {
    let [key, a, b, path, site_and_lock] = words;
    if key == NO_FAILURE {
        return Ok(None);
    }
    let site = site_and_lock as u32;
    if site as i32 == STOPPED {
        return Ok(Some(Outcome::Interrupted));
    }
    if site as i32 == CONFLICT {
        return Ok(Some(Outcome::Conflict));
    }
    if site as i32 == OUT_OF_STACK {
        return Err(Error::Device(format!(
            "element {} calls methods so deeply that the stack of a thread of the GPU is full; run the section on \
             the CPU",
            key as u32
        )));
    }
    Ok(Some(Outcome::Failed(Failure {
        site: SiteId(site),
        element: key as u32,
        kernel: None,
        tick: key >> 32,
        operands: [a as i64, b as i64],
        path: path as i64,
        texts: Texts::default(),
        memory: Vec::new(),
    })))
}

/// One launch of the kernel: its blocks, and its parameter, the generated struct `Launch`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub blocks: u32,
    /// A warp has each element, rather than a thread (see [`super::sharing`]).
    pub shared: bool,
    pub words: Vec<u64>,
}

impl Step {
    /// Segments of one round, at most `limit` of them (which is the struct's length). The kernel's entries begin with
    /// `first`.
    fn new(segments: &[Segment], first: usize, limit: usize, shared: bool) -> Self {
        let each = if shared { BLOCK / LANES } else { BLOCK };
        let mut words = vec![0; 3 + 2 * limit];
        let mut blocks = 0u32;
        for (i, segment) in segments.iter().enumerate() {
            let jobs = segment.jobs.len() as u32;
            words[3 + 2 * i] = u64::from(blocks) | (segment.jobs.start as u64) << 32;
            words[4 + 2 * i] = u64::from(jobs) | ((first + segment.entry) as u64) << 32;
            blocks += jobs.div_ceil(each);
        }
        words[2] = (segments.len() as u64) << 32;
        Self { blocks, shared, words }
    }

    /// The steps of one tick, round by round. Up to `most_shared` elements of one are shared by warps.
    pub fn of_tick(
        program: &Program,
        first: usize,
        columns: &[Column],
        launch: &Launch<'_>,
        (limit, most_shared): (usize, usize),
    ) -> Vec<Self> {
        let rounds = launch.jobs.rounds.iter();
        let scratch = program.buffers.iter().position(|b| b.kind == BufferKind::Scratch);
        if let Some(at) = scratch {
            // Threads have memory of their own: as many at once as that leaves room for.
            let bytes = columns[at].byte_len().max(8);
            let most = (SCRATCH / bytes).max(BLOCK as usize);
            return rounds
                .flat_map(|r| &r.segments)
                .flat_map(|s| {
                    let jobs = s.jobs.clone();
                    jobs.clone()
                        .step_by(most)
                        .map(move |start| Segment { entry: s.entry, jobs: start..jobs.end.min(start + most) })
                })
                .map(|s| Self::new(&[s], first, limit, false))
                .filter(|s| s.blocks > 0)
                .collect();
        }
        rounds
            .flat_map(|r| r.segments.chunks(limit))
            .map(|s| {
                let jobs: usize = s.iter().map(|segment| segment.jobs.len()).sum();
                Self::new(s, first, limit, jobs <= most_shared)
            })
            .filter(|s| s.blocks > 0)
            .collect()
    }

    /// Does it run elements for ticks? (Else it moves rows of columns, see [`rows`].) None that counts from the clock.
    pub fn is_of_ticks(&self) -> bool {
        (self.words[2] >> 32) as i32 > 0 && self.words[2] & 1 == 0
    }

    /// The first tick.
    pub fn tick(&self) -> u64 {
        self.words[0]
    }

    /// The same so many ticks later.
    pub fn after(&self, ticks: u64) -> Self {
        let mut step = self.clone();
        step.words[0] = step.words[0].wrapping_add(ticks);
        step.words[1] = step.words[1].wrapping_add(ticks);
        step
    }

    /// With ticks that count from the clock.
    pub fn clocked(mut self) -> Self {
        self.words[2] |= 1;
        self
    }

    /// Sets the ticks; those of a recorded graph count from the clock.
    pub fn with_ticks(&self, first: u64, end: u64, clocked: bool) -> Self {
        let mut step = self.clone();
        step.words[0] = first;
        step.words[1] = end;
        step.words[2] |= u64::from(clocked);
        step
    }
}

/// Is it more than the device can run? The clock counts ticks in 32 bits.
pub(super) fn check(launch: &Launch<'_>) -> Result<(), Error> {
    if launch.ticks > u64::from(u32::MAX) {
        return Err(Error::Device(format!(
            "{} ticks are more than a section can run on the GPU",
            launch.ticks
        )));
    }
    Ok(())
}
