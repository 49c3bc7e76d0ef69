//! What the last trace of a version has found, for the next call on the same objects. A trace is a function of the words
//! that it reads: where the words of the base are what they were, its items are the same objects, with the same rows,
//! and none of them has to be looked up in the visited set.
//!
//! What is remembered is weak: the garbage collector does not mark it, and no object is touched before a word that was
//! read in this call (an item of the base) was seen to hold its pointer. Then the object's header says whether it is
//! still of its class, without a singleton class, and whether it is frozen (`sweep.rs`), and what it holds is read
//! again. Objects that `GC.compact` has moved are other words, so all is traced anew.
//!
//! So far this is for bases of objects that hold no others, and sections that look at no others ([`Rows::of`]). What
//! is met then that would have to be looked up, a reference where there was none, ends the reading ([`Stop::Forgotten`]
//! of `vm/errors.rs`), and all is traced as usual. A version whose memory did not help twice in a row gets none
//! for a while, ever longer. It takes 8 bytes an object, more only where objects of several classes stand in a base, or one stands there
//! twice; and goes with the version, or when garbage is collected after it was not used for ten seconds.

use crate::reading::base::{Base, Source};
use crate::reading::column_builder::{ColumnBuilder, split_object};
use crate::reading::roots::RootValue;
use crate::reading::tracer::{BaseValues, Tracer};
use crate::vm::pinned::{Lists, Pinned};
use crate::vm::value::{self, Decoded};
use ikra_core::error::NoMemory;
use ikra_core::parallel;
use ikra_core::types::{ClassId, HierarchyId, Shape};
use magnus::rb_sys::AsRawValue;
use rb_sys::VALUE;
use std::cell::{Cell, Ref, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// More bytes are not remembered for a version.
const MOST: usize = 64 << 20;
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
    /// Anything else: the words, and what was read of them.
    Each(Vec<VALUE>, Box<ColumnBuilder>),
}

/// Which objects stand in a base: in one column of it.
#[derive(Debug)]
pub struct Rows {
    items: Items,
    /// Of the base.
    column: usize,
    /// Does some object stand there more than once?
    repeats: bool,
    /// How many objects there are.
    count: usize,
}

impl Rows {
    /// Of a trace that has found nothing but objects in the base, which hold no others. `None`: of any other.
    pub fn of(tracer: &Tracer<'_>, roots: &[RootValue], base: &Base) -> Result<Option<Self>, NoMemory> {
        let holds_none = |column: &ColumnBuilder| column.seen().is_flat();
        let is_flat = tracer.has_found_the_base_only()
            && tracer.columns.iter().all(holds_none)
            && roots.iter().all(|root| holds_none(&root.column));
        let is_read = |column: &BaseValues| !matches!(column, BaseValues::Unread | BaseValues::Series(_));
        let mut columns = (0..).zip(&tracer.base).filter(|(_, column)| is_read(column));
        let (Some((column, BaseValues::Items(builder, repeats))), None) = (columns.next(), columns.next())
        else {
            return Ok(None);
        };
        let (Source::Items(array), true) = (&base.columns[column], is_flat) else { return Ok(None) };
        // SAFETY: the array is live, and nothing runs before the words are copied.
        let words = unsafe { value::items(array.as_raw()) };
        let count = tracer.pinned.found();
        let rows = |items| Ok(Some(Self { items, column, repeats: *repeats, count }));
        // Another thread may have changed the array since.
        if count == 0 || words.len() != builder.len() {
            return Ok(None);
        }
        if let [(hierarchy, class)] = builder.seen().objects()
            && are_same(words, &tracer.pinned.objects(*class))
        {
            let place = tracer.pool.place(*class).1;
            return rows(Items::InOrder(*hierarchy, *class, place));
        }
        let found = Found::new(tracer, builder);
        let is_told = |(row, word): (usize, &VALUE)| found.is(*word, builder.tag(row), builder.payload[row]);
        if (2 * words.len() + count) * size_of::<VALUE>() > MOST || !words.iter().enumerate().all(is_told) {
            return Ok(None);
        }
        rows(Items::Each(parallel::copied(words)?, Box::new(builder.try_clone()?)))
    }

    /// With the objects of the section, which does not need them any more.
    pub fn keep(self, pinned: &Pinned) -> Option<Remembered> {
        let lists = pinned.take_objects();
        let found: usize = lists.iter().map(Vec::len).sum();
        let room: usize = lists.iter().map(Vec::capacity).sum();
        (found == self.count && room * size_of::<VALUE>() <= MOST).then_some(Remembered { lists, rows: self })
    }
}

/// The objects that a trace has found, by hierarchy, place and row.
struct Found<'a>(Vec<(i32, Vec<Ref<'a, [VALUE]>>)>);

impl<'a> Found<'a> {
    /// Those that stand in a column.
    fn new(tracer: &Tracer<'a>, column: &ColumnBuilder) -> Self {
        let mut all: Vec<(i32, Vec<Ref<'a, [VALUE]>>)> = Vec::new();
        for (hierarchy, _) in column.seen().objects() {
            let tag = Shape::Object(*hierarchy).tag();
            if all.iter().all(|(known, _)| *known != tag) {
                let classes = tracer.pool.of_hierarchy(*hierarchy);
                all.push((tag, classes.iter().map(|class| tracer.pinned.objects(*class)).collect()));
            }
        }
        Self(all)
    }

    /// Was this read of the word, and of nothing else? Symbols have numbers that the word does not tell.
    fn is(&self, word: VALUE, tag: i32, payload: i64) -> bool {
        if !rb_sys::SPECIAL_CONST_P(word) {
            let (place, row) = split_object(payload);
            let classes = self.0.iter().find(|(known, _)| *known == tag);
            let list = classes.and_then(|(_, classes)| classes.get(place as usize));
            return list.and_then(|list| list.get(row as usize)) == Some(&word);
        }
        let (shape, told) = match value::decode(word) {
            Decoded::Integer(number) => (Shape::Integer, number),
            Decoded::Float(number) => (Shape::Float, number.to_bits() as i64),
            Decoded::Nil => (Shape::Nil, 0),
            Decoded::Bool(truth) => (Shape::Bool, i64::from(truth)),
            _ => return false,
        };
        (tag, payload) == (shape.tag(), told)
    }
}

/// The objects of a base, by class and row.
#[derive(Debug)]
pub struct Remembered {
    lists: Lists,
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
        let Self { lists, rows } = self;
        let is_read = |(number, source): &(usize, &Source)| match source {
            Source::Items(_) => !unread[*number],
            Source::Series(_) => false,
            Source::Memory(_) => true,
        };
        let mut read = base.columns.iter().enumerate().filter(is_read);
        let (Some((column, Source::Items(array))), None) = (read.next(), read.next()) else {
            return Ok(None);
        };
        // What `each` looks at may be an object that stands in the base: that is for the visited set to say.
        let met = (0..).zip(&lists).filter(|(_, list)| !list.is_empty());
        let classes: Vec<VALUE> = met.map(|(class, _)| tracer.pool.class(ClassId(class))).collect();
        let is_apart = |object: &magnus::Value| {
            let object = object.as_raw();
            // SAFETY: the base has it.
            rb_sys::SPECIAL_CONST_P(object) || !classes.contains(&unsafe { value::class_pointer(object) })
        };
        if column != rows.column || !base.looked_at.iter().all(is_apart) {
            return Ok(None);
        }
        // SAFETY: the array is live, and nothing runs before the objects are pinned.
        let words = unsafe { value::items(array.as_raw()) };
        let before = match &rows.items {
            Items::InOrder(_, class, _) => lists.get(class.0 as usize).map_or(&[][..], Vec::as_slice),
            Items::Each(words, _) => words,
        };
        if !are_same(words, before) {
            return Ok(None);
        }
        let builder = match &rows.items {
            Items::InOrder(hierarchy, class, place) => {
                ColumnBuilder::of_objects((*hierarchy, *class, *place), words.len())?
            }
            Items::Each(_, builder) => builder.try_clone()?,
        };
        // They stand in the base, so they are alive.
        tracer.pinned.put_objects(lists);
        tracer.take_base(base, unread, (column, BaseValues::Items(builder, rows.repeats)));
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

/// What a version remembers from one call to the next.
#[derive(Debug, Default)]
pub struct Memory(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    last: Option<(Remembered, Instant)>,
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
        self.0.borrow_mut().last.take().map(|(last, _)| last)
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

    pub fn keep(&self, last: Remembered) {
        self.0.borrow_mut().last = Some((last, Instant::now()));
    }

    /// Forgets what nobody has used for some time. Garbage is collected.
    pub fn rest(&self) {
        // Who has it now is at work with it.
        if let Ok(mut state) = self.0.try_borrow_mut()
            && state.last.as_ref().is_some_and(|(_, since)| since.elapsed() > IDLE)
        {
            state.last = None;
        }
    }
}
