//! The columns of a run on their way to the device and back.
//!
//! - One piece of device memory, which stays for the next run. The state of the run stands first in it, then the small
//!   columns that come down, then the small ones that only go up: one copy each way does for all of these, by way of a
//!   piece of page-locked memory. Large columns are copied from and to where they are, as their pages are locked when
//!   they are copied first: their memory stays (`memory.rs`), so this is done once. After a fork it is done anew, since
//!   the parent's next write may move a page.
//! - Results and marks begin as zeros that the device makes itself. Constants that are what they were are not sent. A
//!   graph of as many launches as one before is changed, not made.
//! - Nobody waits between copies and launches. The last look at the failure record brings the small columns along.
//! - A session has as many launches as the driver asks for. It knows by column whether the host or the device has
//!   changed it since: what the host has changed goes up before the next launch, from the first changed row on, and
//!   what the device has changed comes down when it is asked for. Launches that are over soon are not waited for: how
//!   they ended is looked up when something is fetched, or after as many as take 50 ms. The first failure counts, since
//!   ticks go on from launch to launch. If a column outgrows its place, all come down and go up to a larger piece of
//!   memory.
//! - What the host waits for it looks up at once for 60 µs, then after ever longer naps, of a sixteenth of the time so
//!   far.
//! - Programs that nobody has any more are unloaded by the next run, since that may wait for another thread's kernel.
//!
//! What does not pay: to compare a column with the one of the last call, to leave it on the device if it is the same.
//! Pinned pages go up at 55 GB/s, which is what comparing takes on eight cores; nor to mark rows on the device, for the
//! same reason.

use super::device::{Constant, DeviceSession, offset};
use super::layout::{self, Arena, Begins, FAILURE_WORDS};
use crate::backend::{Launch, Outcome};
use crate::error::Error;
use crate::heap::{Column, OnDevice, Store};
use crate::ir::Buffer;
use crate::ir::effects::Effects;
use std::sync::Arc;

/// Brings up what the host has changed since the last launch and a kernel touches.
pub(super) fn refresh(
    session: &mut dyn DeviceSession,
    arena: &Arena,
    (columns, effects): (&[Column], &Effects),
    launch: &Launch<'_>,
    stale: &mut [Option<usize>],
) -> Result<(), Error> {
    for buffer in (0..stale.len() as u32).map(Buffer).filter(|buffer| effects.touches(*buffer)) {
        bring(session, arena, columns, stale, buffer)?;
    }
    if let (Some(at), Some(elements)) = (arena.order, &launch.jobs.order) {
        session.put(at, bytemuck::cast_slice(elements).to_vec())?;
    }
    session.set(Constant::Run, &layout::run_words(arena, session, launch))?;
    let arguments = layout::argument_words(arena, session.base(), launch);
    if arguments.is_empty() { Ok(()) } else { session.set(Constant::Arguments, &arguments) }
}

/// The same of one column.
pub(super) fn bring(
    session: &mut dyn DeviceSession,
    arena: &Arena,
    columns: &[Column],
    stale: &mut [Option<usize>],
    buffer: Buffer,
) -> Result<(), Error> {
    let at = buffer.0 as usize;
    let Some(from) = stale[at].take().filter(|_| arena.begins[at] == Begins::Copied) else { return Ok(()) };
    let begin = from * columns[at].ty().bytes();
    let bytes = columns[at].as_bytes().get(begin..).unwrap_or_default();
    // The driver may change it before this has been waited for.
    if bytes.is_empty() { Ok(()) } else { session.put(arena.buffers[at].wrapping_add(begin), bytes.to_vec()) }
}

/// Looks how all that was launched has ended, and brings the small columns along that the device has changed.
/// `wanted`: and others. Also gives how many rows were selected.
pub(super) fn last_look(
    session: &mut dyn DeviceSession,
    arena: &Arena,
    store: &mut Store,
    ahead: &mut [bool],
    wanted: &[usize],
) -> Result<(Outcome, usize), Error> {
    let [end, _] = arena.small;
    let mut small = vec![0u64; end / 8];
    let is_small = |buffer: &usize| arena.buffers[*buffer] < end && arena.down.contains(buffer);
    let mut others = fresh(wanted.iter().copied().filter(|buffer| !is_small(buffer)), store)?;
    let mut pieces = pieces(&mut others, arena);
    pieces.push((0, bytemuck::cast_slice_mut(&mut small)));
    session.read(&mut pieces)?;
    let mut words = [0; FAILURE_WORDS];
    words.copy_from_slice(&small[Arena::FAILURE / 8..][..FAILURE_WORDS]);
    let selection = small[Arena::SELECTED / 8] as u32 as usize;
    if let Some(outcome) = layout::ended(words)? {
        return Ok((outcome, selection));
    }
    let small: &[u8] = bytemuck::cast_slice(&small);
    for buffer in arena.down.iter().filter(|buffer| arena.buffers[**buffer] < end) {
        if !std::mem::take(&mut ahead[*buffer]) {
            continue;
        }
        let now = &store.columns()[*buffer];
        let mut column = Column::zeros(now.ty(), now.len());
        let bytes = column.as_bytes_mut();
        bytes.copy_from_slice(&small[arena.buffers[*buffer]..][..bytes.len()]);
        store.replace(*buffer, column);
    }
    for (buffer, column) in others {
        ahead[buffer] = false;
        store.replace(buffer, column);
    }
    Ok((Outcome::Done, selection))
}

/// Memory of their own for some columns: where they have been left, if nobody writes them; else new one, with what they
/// hold.
pub(super) fn settle_down(
    session: &mut dyn DeviceSession,
    arena: &mut Arena,
    (columns, own): (&[Column], &[bool]),
    is_written: impl Fn(usize) -> bool,
) -> Result<Vec<Option<Arc<dyn OnDevice>>>, Error> {
    let mut all = vec![None; columns.len()];
    let base = session.base();
    for at in (0..columns.len()).filter(|at| own[*at]) {
        let bytes = columns[at].byte_len();
        let shared = if let Column::Shared(shared) = &columns[at] { Some(shared) } else { None };
        let copy = shared.and_then(|shared| shared.copy()).filter(|copy| session.adopt(copy));
        let memory = match copy {
            Some(copy) if !is_written(at) => copy,
            copy => {
                let fresh = session.memory(bytes)?;
                let to = offset(base, fresh.address());
                match (arena.begins[at], copy) {
                    (Begins::Copied, Some(copy)) => session.copy(to, offset(base, copy.address()), bytes)?,
                    (Begins::Copied, None) => {
                        columns[at].home()?;
                        session.write(to, columns[at].as_bytes())?;
                    }
                    // Each element writes its own, or the section fails.
                    (Begins::Cleared | Begins::Anything, _) => {}
                }
                if let Some(shared) = shared.filter(|_| !is_written(at)) {
                    shared.keep_on(fresh.clone());
                }
                fresh
            }
        };
        arena.buffers[at] = offset(base, memory.address());
        all[at] = Some(memory);
    }
    Ok(all)
}

pub(super) fn upload(
    session: &mut dyn DeviceSession,
    arena: &Arena,
    (columns, own): (&[Column], &[bool]),
    launch: &Launch<'_>,
) -> Result<(), Error> {
    let [_, end] = arena.small;
    let mut small = vec![0u8; end];
    let state = layout::fresh_state();
    small[..size_of_val(&state)].copy_from_slice(bytemuck::cast_slice(&state));
    let mut put = |at: usize, bytes: &[u8], session: &mut dyn DeviceSession| match small
        .get_mut(at..at + bytes.len())
    {
        Some(place) => {
            place.copy_from_slice(bytes);
            Ok(())
        }
        None => session.write(at, bytes),
    };
    // The large ones first: they are copied while the others are collected.
    for (number, (column, at)) in columns.iter().zip(&arena.buffers).enumerate().filter(|(at, _)| !own[*at]) {
        match arena.begins[number] {
            Begins::Copied => {
                column.home()?;
                put(*at, column.as_bytes(), session)?;
            }
            Begins::Cleared => session.clear(*at, column.byte_len())?,
            Begins::Anything => {}
        }
    }
    if let (Some(at), Some(elements)) = (arena.order, &launch.jobs.order) {
        put(at, bytemuck::cast_slice(elements), session)?;
    }
    if !arena.logs.is_empty() {
        session.clear(arena.counts, 8 * arena.logs.len())?;
    }
    session.put(0, small)?;
    session.set(Constant::Run, &layout::run_words(arena, session, launch))?;
    let arguments = layout::argument_words(arena, session.base(), launch);
    if arguments.is_empty() { Ok(()) } else { session.set(Constant::Arguments, &arguments) }
}

/// Brings down columns that [`Run::last_look`] has not.
pub(super) fn download(
    session: &mut dyn DeviceSession,
    arena: &Arena,
    wanted: &[usize],
    store: &mut Store,
) -> Result<(), Error> {
    let mut columns = fresh(wanted.iter().copied(), store)?;
    session.read(&mut pieces(&mut columns, arena))?;
    columns.into_iter().for_each(|(buffer, column)| store.replace(buffer, column));
    Ok(())
}

/// Room for what the device has of these.
fn fresh(buffers: impl Iterator<Item = usize>, store: &Store) -> Result<Vec<(usize, Column)>, Error> {
    let fresh = |buffer: usize| {
        let column = &store.columns()[buffer];
        Ok((buffer, Column::unset(column.ty(), column.len())?))
    };
    buffers.map(fresh).collect()
}

fn pieces<'a>(columns: &'a mut [(usize, Column)], arena: &Arena) -> Vec<(usize, &'a mut [u8])> {
    let piece = |(buffer, column): &'a mut (usize, Column)| (arena.buffers[*buffer], column.as_bytes_mut());
    columns.iter_mut().map(piece).collect()
}
