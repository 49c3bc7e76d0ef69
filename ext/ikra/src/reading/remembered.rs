//! What the last trace of a version has found, for the next call on the same objects. A trace is a function of the words
//! that it reads: where the words of the base are what they were, its items are the same objects, with the same rows,
//! and none of them has to be looked up in the visited set.
//!
//! What is remembered is weak: the garbage collector does not mark it, and no object is touched before a word that was
//! read in this call (an item of the base) was seen to hold its pointer. Then the object's header says whether it is
//! still of its class, without a singleton class, and whether it is frozen (`sweep.rs`), and what it holds is read
//! again. Objects that `GC.compact` has moved are other words, so all is traced anew.
//!
//! The same holds level by level: where an object refers to others, the words of that variable are compared with what
//! they were, and only then is what they lead to looked at. In which order that is done is the order in which it was
//! found (`sweep.rs`).
//!
//! This is for sections that look at objects and arrays, and at no Strings, Hashes or `Ikra::Column`s ([`Rows::of`]).
//! What is met that would have to be looked up, another reference than before, ends the reading ([`Stop::Forgotten`]
//! of `vm/errors.rs`), and all is traced as usual. A version whose memory did not help twice in a row gets none for a
//! while, ever longer. It takes 8 bytes an object or array, and 24 where there is a reference to one; of a base more
//! than 8 only where objects of several classes stand there, or one stands there twice. It goes with the version, or
//! when garbage is collected after it was not used for ten seconds, or after `Ikra.release_memory`.

use crate::reading::base::{Base, Source};
use crate::reading::column_builder::{ColumnBuilder, Tags, split_object};
use crate::reading::decode::Before;
use crate::reading::roots::RootValue;
use crate::reading::tracer::{BaseValues, Tracer, Words};
use crate::vm::pinned::{Lists, Pinned};
use crate::vm::value;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::memory;
use ikra_core::parallel;
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape};
use magnus::rb_sys::AsRawValue;
use rb_sys::VALUE;
use std::cell::{Cell, Ref, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// More bytes are not remembered for a version, and none where no memory may stay between sections.
const MOST: usize = 64 << 20;

fn most() -> usize {
    MOST.min(memory::most())
}

/// After so many misses in a row nothing is remembered for a while, ever longer: so many calls.
const MISSES: u32 = 2;
const WAITS: (u32, u32) = (8, 1024);
/// What was not used for so long is forgotten when garbage is collected.
const IDLE: Duration = Duration::from_secs(10);

/// What the items of a base are.
#[derive(Debug)]
enum Items {
    /// The objects of a class at a place of its hierarchy, in the order of their rows.
    InOrder(HierarchyId, ClassId, u32),
    /// Anything else.
    Each(Box<Before>),
}

/// Where a trace has found what: in one column of the base, and from there on.
#[derive(Debug)]
pub struct Rows {
    items: Items,
    /// Of the base.
    column: usize,
    /// Does some object stand there more than once?
    repeats: bool,
    words: Words,
}

impl Rows {
    /// Of a trace of which words tell all. `None`: of any other.
    pub fn of(tracer: &Tracer<'_>, roots: &[RootValue], base: &Base) -> Result<Option<Self>, NoMemory> {
        let Some(in_base) = tracer.found_by_words() else { return Ok(None) };
        let is_read = |column: &BaseValues| !matches!(column, BaseValues::Unread | BaseValues::Series(_));
        let mut columns = (0..).zip(&tracer.base).filter(|(_, column)| is_read(column));
        let (Some((column, BaseValues::Items(builder, repeats))), None) = (columns.next(), columns.next())
        else {
            return Ok(None);
        };
        let Source::Items(array) = &base.columns[column] else { return Ok(None) };
        let found = Found::new(tracer);
        let mut room = most();
        let mut told = |column: &ColumnBuilder| match column.seen().is_flat() {
            true => Ok(Some(None)),
            false => found.told(column, &mut room).map(|before| before.map(Some)),
        };
        // An order of a base is told by its objects.
        // SAFETY: the array is live, and nothing runs before the words are compared.
        let words = unsafe { value::items(array.as_raw()) };
        let items = match builder.seen().objects() {
            [(hierarchy, class)]
                if tracer
                    .pinned
                    .objects(*class)
                    .get(..words.len())
                    .is_some_and(|all| are_same(words, all))
                    && in_base[0].get(class.0 as usize) == Some(&words.len())
                    && builder.len() == words.len() =>
            {
                Items::InOrder(*hierarchy, *class, tracer.pool.place(*class).1)
            }
            _ => match told(builder)? {
                Some(Some(before)) => Items::Each(Box::new(before)),
                // There is nothing to be found.
                _ => return Ok(None),
            },
        };
        let columns = tracer.columns.iter().map(&mut told).collect::<Result<Option<_>, _>>()?;
        let elements = tracer.elements.iter().map(|elements| told(&elements.builder));
        let elements = elements.collect::<Result<Option<_>, _>>()?;
        let roots = roots.iter().map(|root| told(&root.column)).collect::<Result<Option<_>, _>>()?;
        let (Some(columns), Some(elements), Some(roots)) = (columns, elements, roots) else {
            return Ok(None);
        };
        let words = Words { columns, elements, roots, all: tracer.pinned.counts(), in_base };
        Ok(Some(Self { items, column, repeats: *repeats, words }))
    }

    /// Takes back what was lent to the tracer.
    pub fn end(&mut self, tracer: &mut Tracer<'_>) {
        if let Some(recalled) = &mut tracer.recalled {
            self.words = std::mem::take(&mut recalled.words);
        }
    }

    /// With the objects of the section, which does not need them any more.
    pub fn keep(self, pinned: &Pinned) -> Option<Remembered> {
        let is_whole = pinned.counts() == self.words.all;
        let (objects, arrays) = pinned.take_found();
        let room: usize = objects.iter().chain(&arrays).map(Vec::capacity).sum();
        let lists = (objects, arrays);
        (is_whole && room * size_of::<VALUE>() <= most()).then_some(Remembered { lists, rows: self })
    }
}

/// The objects that a trace has found, by tag and place, and the arrays, which are at place 0.
struct Found<'a>(Vec<(i32, Vec<Ref<'a, [VALUE]>>)>);

impl<'a> Found<'a> {
    fn new(tracer: &Tracer<'a>) -> Self {
        let mut hierarchies: Vec<HierarchyId> = (0..tracer.pinned.classes())
            .map(|number| ClassId(number as u32))
            .filter(|class| !tracer.pinned.objects(*class).is_empty())
            .filter_map(|class| Some(tracer.pool.find_place(class)?.0))
            .collect();
        hierarchies.sort_unstable();
        hierarchies.dedup();
        let objects = hierarchies.iter().map(|hierarchy| {
            let classes = tracer.pool.of_hierarchy(*hierarchy);
            let lists = classes.iter().map(|class| tracer.pinned.objects(*class)).collect();
            (Shape::Object(*hierarchy).tag(), lists)
        });
        let arrays = (0..tracer.elements.len() as u32)
            .map(|kind| (Shape::Array(ArrayKind(kind)).tag(), vec![tracer.pinned.arrays(kind)]));
        Self(objects.chain(arrays).collect())
    }

    /// The word that such a value was read of, if there is but one.
    fn word(&self, tag: i32, payload: i64) -> Option<VALUE> {
        match Shape::of_tag(tag)? {
            Shape::Object(_) | Shape::Array(_) => {
                let (_, lists) = self.0.iter().find(|(known, _)| *known == tag)?;
                of_lists(lists, payload)
            }
            Shape::Integer => value::fixnum(payload),
            Shape::Float => value::small_float(f64::from_bits(payload as u64)),
            Shape::Nil => Some(value::NIL),
            Shape::Bool => Some(if payload != 0 { value::TRUE } else { value::FALSE }),
            _ => None,
        }
    }

    /// What was read somewhere, if words tell it, and if there is so much `room` for it.
    fn told(&self, column: &ColumnBuilder, room: &mut usize) -> Result<Option<Before>, NoMemory> {
        let bytes = 3 * size_of::<VALUE>() * column.len();
        if !column.seen().is_of_words() || bytes > *room {
            return Ok(None);
        }
        *room -= bytes;
        let mut words = Vec::new();
        fallible::reserve(&mut words, column.len())?;
        let alike = match column.tags {
            Tags::All(tag) => self.0.iter().find(|(known, _)| *known == tag),
            _ => None,
        };
        match alike {
            Some((_, lists)) => {
                words.extend(column.payload.iter().map_while(|payload| of_lists(lists, *payload)));
            }
            None => {
                let rows = 0..column.len();
                words.extend(rows.map_while(|row| self.word(column.tag(row), column.payload[row])));
            }
        }
        if words.len() < column.len() {
            return Ok(None);
        }
        Ok(Some(Before { words, read: column.try_clone()? }))
    }
}

fn of_lists(lists: &[Ref<'_, [VALUE]>], payload: i64) -> Option<VALUE> {
    let (place, row) = split_object(payload);
    lists.get(place as usize)?.get(row as usize).copied()
}

/// All that a trace has found, by class and row, and by kind and row.
#[derive(Debug)]
pub struct Remembered {
    lists: (Lists, Lists),
    rows: Rows,
}

impl Remembered {
    /// Takes the base for what it was, if that is so. Its objects are found then; what they are is seen when they are read.
    pub fn recall(
        self,
        tracer: &mut Tracer<'_>,
        base: &Base,
        unread: &[bool],
    ) -> Result<Option<Rows>, NoMemory> {
        let Self { lists: (mut objects, mut arrays), mut rows } = self;
        let is_read = |(number, source): &(usize, &Source)| match source {
            Source::Items(_) => !unread[*number],
            Source::Series(_) => false,
            Source::Memory(_) => true,
        };
        let mut read = base.columns.iter().enumerate().filter(is_read);
        let (Some((column, Source::Items(array))), None) = (read.next(), read.next()) else {
            return Ok(None);
        };
        // SAFETY: the array is live, and nothing runs before the objects are pinned.
        let words = unsafe { value::items(array.as_raw()) };
        let in_base = &rows.words.in_base;
        let is_same = match &rows.items {
            Items::InOrder(_, class, _) => {
                let list = objects.get(class.0 as usize).zip(in_base[0].get(class.0 as usize));
                list.is_some_and(|(list, count)| are_same(words, &list[..*count]))
            }
            Items::Each(before) => are_same(words, &before.words),
        };
        if column != rows.column || !is_same {
            return Ok(None);
        }
        let values = match &rows.items {
            Items::InOrder(hierarchy, class, place) => {
                BaseValues::InOrder(ColumnBuilder::of_class(*hierarchy, *class), *hierarchy, *place)
            }
            Items::Each(before) => BaseValues::Items(before.read.try_clone()?, rows.repeats),
        };
        for (lists, counts) in [(&mut objects, &in_base[0]), (&mut arrays, &in_base[1])] {
            for (number, list) in lists.iter_mut().enumerate() {
                // What is behind stays in the memory of the list: `Pinned::find_again`.
                list.truncate(counts.get(number).copied().unwrap_or(0));
            }
        }
        // They stand in the base, so they are alive.
        tracer.pinned.put_found((objects, arrays));
        tracer.take_base(base, unread, (column, values), std::mem::take(&mut rows.words));
        Ok(Some(rows))
    }
}

/// Are these the same words?
fn are_same(one: &[VALUE], other: &[VALUE]) -> bool {
    // Most that differ do so at once.
    if one.len() != other.len() || one.first() != other.first() || one.last() != other.last() {
        return false;
    }
    let differ = AtomicBool::new(false);
    let chunks = one.chunks(parallel::chunk()).zip(other.chunks(parallel::chunk()));
    parallel::each(one.len(), chunks, |(one, other)| {
        if !differ.load(Ordering::Relaxed) && one != other {
            differ.store(true, Ordering::Relaxed);
        }
    });
    !differ.into_inner()
}

thread_local! {
    static CALLS: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// In how many calls on this thread what was remembered was right, and in how many not.
#[cfg(feature = "testing")]
pub fn calls() -> (usize, usize) {
    CALLS.get()
}

/// Counts requests to forget all.
static FORGOTTEN: AtomicU64 = AtomicU64::new(0);

/// Whatever is remembered by now is forgotten, each when it would be used, or when garbage is collected.
pub fn forget_all() {
    FORGOTTEN.fetch_add(1, Ordering::Relaxed);
}

/// What a version remembers from one call to the next.
#[derive(Debug, Default)]
pub struct Memory(RefCell<State>);

#[derive(Debug)]
struct Last {
    remembered: Remembered,
    since: Instant,
    /// [`FORGOTTEN`] then.
    forgotten: u64,
}

impl Last {
    fn is_forgotten(&self) -> bool {
        self.forgotten != FORGOTTEN.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
struct State {
    last: Option<Last>,
    /// Calls that could have remembered something before.
    calls: u32,
    /// Calls for which it was wrong, since one for which it was right.
    misses: u32,
    /// So many calls remember nothing.
    waits: u32,
    /// How many it was at last.
    waited: u32,
}

impl Memory {
    /// For one call: it has to be kept again.
    pub fn take(&self) -> Option<Remembered> {
        let last = self.0.borrow_mut().last.take()?;
        (!last.is_forgotten()).then_some(last.remembered)
    }

    /// Was it what the call has found?
    pub fn tell(&self, fits: bool) {
        let state = &mut *self.0.borrow_mut();
        if fits {
            (state.misses, state.waited) = (0, 0);
        } else {
            state.misses += 1;
            if state.misses >= MISSES {
                state.waited = (2 * state.waited).clamp(WAITS.0, WAITS.1);
                state.waits = state.waited;
            }
        }
        let (right, wrong) = CALLS.get();
        CALLS.set((right + usize::from(fits), wrong + usize::from(!fits)));
    }

    /// Is the next call likely to want what this one has found? Most versions are called once.
    pub fn wants(&self) -> bool {
        let state = &mut *self.0.borrow_mut();
        state.calls = state.calls.saturating_add(1);
        let waits = state.waits > 0;
        state.waits = state.waits.saturating_sub(1);
        state.calls > 1 && !waits
    }

    pub fn keep(&self, remembered: Remembered) {
        let forgotten = FORGOTTEN.load(Ordering::Relaxed);
        self.0.borrow_mut().last = Some(Last { remembered, since: Instant::now(), forgotten });
    }

    /// Forgets what nobody has used for some time. Garbage is collected.
    pub fn rest(&self) {
        // Who has it now is at work with it.
        if let Ok(mut state) = self.0.try_borrow_mut()
            && state.last.as_ref().is_some_and(|last| last.is_forgotten() || last.since.elapsed() > IDLE)
        {
            state.last = None;
        }
    }
}
