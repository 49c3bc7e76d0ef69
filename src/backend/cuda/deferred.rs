//! What elements defer ([`crate::ir::Stmt::Defer`]) on a GPU. Integers that are added up are added in place, by atomic
//! operations: their order does not matter, as long as no sum on the way leaves 64 bits, which is noticed. Of everything
//! else the kernel writes *records* (as [`crate::backend::cpu`] does), which come down after each tick; the CPU makes the
//! calls on the columns of the host, which the kernel does not look at. Where another one does, they go up before it runs.

use super::device::DeviceSession;
use super::layout::Arena;
use crate::backend::cpu::DeferredCalls;
use crate::cancel::CancellationToken;
use crate::error::Error;
use crate::fallible;
use crate::heap::Column;
use crate::ir::effects::effects;
use crate::ir::{BinaryOp, Buffer, FuncId, Op, Program, Stmt, Value, walk};
use crate::profile::Profile;
use crate::scalar::Ty;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Words of records of a tick; what takes more runs in order, which takes none.
const MOST: usize = 256 << 20;

/// How a deferred function comes about on a GPU.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    /// This is added to the row of the buffer, or taken from it.
    Atomic { buffer: Buffer, added: Added, minus: bool },
    /// Calls are written down: the number of the log.
    Log(usize),
}

/// What is added.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Added {
    /// The argument of that number.
    Argument(usize),
    Constant(i64),
}

/// The deferred functions of a program, and their ways.
pub(super) fn ways(program: &Program) -> Vec<(FuncId, Way)> {
    let mut logs = 0;
    let way = |id: FuncId| {
        let way = atomic(program, id).unwrap_or_else(|| {
            logs += 1;
            Way::Log(logs - 1)
        });
        (id, way)
    };
    program.deferred().into_iter().map(way).collect()
}

/// The functions whose calls are written down, for the host.
pub(super) fn logged(program: &Program) -> BTreeSet<FuncId> {
    ways(program).into_iter().filter(|(_, way)| matches!(way, Way::Log(_))).map(|(id, _)| id).collect()
}

/// `load b[row]; add; store b[row]` of Integers, and nothing else.
fn atomic(program: &Program, id: FuncId) -> Option<Way> {
    let function = &program.functions[id.0 as usize];
    let definition = |value: Value| {
        function.body.iter().find_map(|stmt| match stmt {
            Stmt::Let { value: defined, op, .. } if *defined == value => Some(op),
            _ => None,
        })
    };
    let own = |value: Value| match definition(value) {
        // A parameter under another name.
        Some(Op::Binary(BinaryOp::Or, word, zero)) if definition(*zero) == Some(&Op::I64(0)) => *word,
        _ => value,
    };
    let (mut stored, mut others) = (None, false);
    for stmt in &function.body {
        match stmt {
            Stmt::Store { buffer, index: Value(0), value } if stored.is_none() => {
                stored = Some((*buffer, *value))
            }
            Stmt::Let { op: Op::Load(_, Value(0)) | Op::I64(_) | Op::Binary(..), .. } => {}
            _ => others = true,
        }
    }
    let (buffer, value) =
        stored.filter(|(buffer, _)| !others && program.buffers[buffer.0 as usize].ty == Ty::I64)?;
    let Some(Op::Binary(op, a, b)) = definition(value) else { return None };
    let minus = matches!(op, BinaryOp::Sub | BinaryOp::SubChecked);
    if !minus && !matches!(op, BinaryOp::Add | BinaryOp::AddChecked) {
        return None;
    }
    let is_old = |value: Value| definition(value) == Some(&Op::Load(buffer, Value(0)));
    let added = match (is_old(*a), is_old(*b)) {
        (true, false) => own(*b),
        (false, true) if !minus => own(*a),
        _ => return None,
    };
    let added = match definition(added) {
        Some(Op::I64(number)) => Added::Constant(*number),
        None => Added::Argument(added.0 as usize),
        _ => return None,
    };
    Some(Way::Atomic { buffer, added, minus })
}

/// What the kernel of a program writes down.
pub(super) struct Logs {
    /// Words of a record of each log.
    words: Vec<usize>,
    /// Places in the program where a record of each is written.
    places: Vec<usize>,
    /// Records that there is room for, of each: as many as the last run needed.
    room: Mutex<Vec<usize>>,
    /// Columns that the host changes, and no kernel that writes records.
    kept: BTreeSet<Buffer>,
    calls: DeferredCalls,
}

/// Of each log: words of a record, room for so many records.
pub(super) type Rooms = Vec<(usize, usize)>;

impl Logs {
    /// `None`: the program writes nothing down.
    pub fn new(
        program: &Program,
        token: &CancellationToken,
        profile: &mut Profile,
    ) -> Result<Option<Self>, Error> {
        let logged: Vec<FuncId> = logged(program).into_iter().collect();
        if logged.is_empty() {
            return Ok(None);
        }
        let effects = effects(program);
        let kept = logged.iter().flat_map(|id| effects[id.0 as usize].writes.clone()).collect();
        Ok(Some(Self {
            words: logged.iter().map(|id| program.functions[id.0 as usize].params.len()).collect(),
            places: logged.iter().map(|id| places(program, *id)).collect(),
            room: Mutex::new(vec![0; logged.len()]),
            kept,
            calls: DeferredCalls::new(program, logged, token, profile)?,
        }))
    }

    /// Room for the records of a run of so many jobs: one of each place, or as many as there were before.
    pub fn rooms(&self, jobs: usize) -> Rooms {
        let known = self.room.lock();
        let all = self.words.iter().zip(&self.places).zip(&*known);
        all.map(|((words, places), known)| (*words, (jobs * places).min(MOST / words).max(*known).max(64)))
            .collect()
    }

    /// The columns that the host changes while the program runs.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().map(|buffer| buffer.0 as usize)
    }

    /// Fetches what the elements of a tick have written down, and makes the calls.
    pub fn finish_tick(
        &self,
        session: &mut dyn DeviceSession,
        arena: &Arena,
        (columns, scalars, interrupt): (&mut [Column], &[u64], &AtomicBool),
        tick: u64,
    ) -> Result<Finished, Error> {
        let mut counts = vec![0usize; self.words.len()];
        session.read(&mut [(arena.counts, bytemuck::cast_slice_mut(&mut counts))])?;
        let mut fits = true;
        let mut known = self.room.lock();
        for ((count, known), (_, _, room)) in counts.iter().zip(known.iter_mut()).zip(&arena.logs) {
            *known = (*known).max(*count);
            fits &= count <= room;
        }
        drop(known);
        if !fits {
            let words = counts.iter().zip(&self.words).map(|(count, words)| count.saturating_mul(*words));
            let all = words.fold(0, usize::saturating_add);
            return Ok(if all > MOST { Finished::Conflict } else { Finished::TooMany });
        }
        let records =
            counts.iter().zip(&self.words).map(|(count, words)| fallible::filled(0u64, count * words));
        let mut all: Vec<Vec<u64>> = records.collect::<Result<_, _>>()?;
        let pieces = all.iter_mut().zip(&arena.logs);
        let pieces = pieces.map(|(records, (offset, ..))| (*offset, bytemuck::cast_slice_mut(records)));
        session.read(&mut pieces.collect::<Vec<_>>())?;
        session.clear(arena.counts, 8 * self.words.len())?;
        Ok(if self.calls.make(&all, columns, (scalars, interrupt), tick)? {
            Finished::Done
        } else {
            Finished::Conflict
        })
    }
}

/// How often the program defers a call of the function.
fn places(program: &Program, id: FuncId) -> usize {
    let mut places = 0;
    for function in &program.functions {
        walk::for_each(&function.body, &mut |stmt| {
            places += usize::from(matches!(stmt, Stmt::Defer { function, .. } if *function == id));
        });
    }
    places
}

/// How the calls of a tick ended.
pub(super) enum Finished {
    Done,
    /// One failed.
    Conflict,
    /// There was too little room.
    TooMany,
}
