//! The buffers and scalars of a run, built from what was traced, in the order that the program wants.

use crate::reading::base::{Series, Snapshot};
use crate::reading::column_builder::{ColumnBuilder, Tags, split_object};
use crate::reading::ids::Ids;
use crate::reading::plan::{Plan, Traced};
use crate::reading::roots::RootValue;
use crate::reading::symbols::Symbols;
use crate::reading::tracer::{Asked, BaseValues, Share, Tracer};
use crate::running::extend::extend;
use crate::running::given_procs::GivenProcs;
use crate::running::key_index;
use crate::vm::column;
use crate::vm::errors::Trouble;
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use crate::vm::value;
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::schema::{Fold, Output};
use ikra_core::heap::typed_array::Item;
use ikra_core::heap::{Column, JobOrder, Schema, Store, marks};
use ikra_core::infer::Inferred;
use ikra_core::ir::{BufferInfo, BufferKind, KernelId, Part, Program, ScalarInfo, ScalarSource, Watched};
use ikra_core::reserve;
use ikra_core::scalar::Ty;
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, Type, TypeSet};
use magnus::Value;
use magnus::rb_sys::FromRawValue;
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// How each buffer of a program is filled; found once for each compiled section.
#[derive(Debug)]
pub struct Layout {
    pub(super) recipes: Vec<Recipe>,
    hierarchies: Vec<HierarchyId>,
    /// Does the section change anything that meant something before it?
    changes: bool,
}

#[derive(Debug)]
pub(super) enum Recipe {
    /// `columns`: (place of the class, index of the traced column), by place.
    Column {
        hierarchy: HierarchyId,
        part: Part,
        single: Option<Shape>,
        columns: Vec<(u32, usize)>,
    },
    Offset(ArrayKind),
    Length(ArrayKind),
    /// Of arrays that grow, for how many items there is room, and where room is left behind all.
    Room(ArrayKind),
    Ends(ArrayKind),
    /// Of Hashes that elements make, which rows are left; with the kinds of their parts.
    Rows(ArrayKind, Vec<ArrayKind>),
    Values(ArrayKind, Part, Option<Shape>),
    /// The column's number.
    Base(usize, Part, Option<Shape>),
    Result,
    /// What elements give of an accumulator: zeros at first.
    Parts,
    /// The root that it begins with.
    Variable(u32, Part, Option<Shape>),
    ResultWords,
    /// The number of each object's class.
    Places(HierarchyId),
    /// Empty until the driver makes it.
    Drivers,
    /// One row, which is zero at first.
    Merged,
    Scratch,
    Frozen(HierarchyId),
    FrozenArray(ArrayKind),
    /// The column that elements are known by.
    FirstSame(usize),
    Marks(Watched),
    SymbolRanks,
    SymbolNames,
    SymbolIndex,
    KeyIndex(ArrayKind),
}

impl Recipe {
    /// A builder's list may become the column itself.
    const fn takes_readings(&self) -> bool {
        matches!(self, Self::Column { .. } | Self::Values(..) | Self::Base(..) | Self::Variable(..))
    }
}

/// Words that an element has for the arrays it makes, and for its result where that is arrays. What is too little for
/// an element makes it fail, and is enlarged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub scratch: usize,
    pub result: usize,
    /// Items behind the arrays of each kind that grow.
    pub items: usize,
    /// Hashes of each kind that elements make.
    pub hashes: usize,
}

impl Room {
    /// For so many elements: where there are few, their results may take more. Room for items is taken whole, and copied,
    /// whether it is used or not.
    pub fn first(elements: u64) -> Self {
        let items = elements.saturating_mul(4).clamp(1024, 1 << 20) as usize;
        let hashes = elements.clamp(256, 1 << 20) as usize;
        Self { scratch: 256, result: (4096 / elements.max(1)).clamp(16, 256) as usize, items, hashes }
    }
}

/// What was enough the last time: on the host, whose memory is memory only where it is used, and on devices.
#[derive(Debug)]
pub struct Rooms {
    host: Cell<Room>,
    device: Cell<Room>,
}

impl Rooms {
    pub const fn new(first: Room) -> Self {
        Self { host: Cell::new(first), device: Cell::new(first) }
    }

    pub const fn on(&self, host: bool) -> &Cell<Room> {
        if host { &self.host } else { &self.device }
    }
}

/// How elements run that are not known to be independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// At the same time, until two conflict. Also those that need not be watched.
    Watched,
    /// In the order of the base, until two conflict, which says who they are.
    Reporting,
    /// In the order of the base.
    InOrder,
}

/// Memory that the next run uses again, since fresh memory takes longer than what is done with it: columns of marks and of
/// parts, by the numbers of their buffers, and the ticks that have left marks there.
#[derive(Debug, Default)]
pub struct Kept {
    columns: Vec<(usize, Column)>,
    epoch: u64,
}

/// Larger ones are not kept for the next run.
const MOST_KEPT: usize = 64 << 20;
/// Ticks are numbered with 32 bits in marks.
const MOST_TICKS: u64 = 1 << 32;

/// The data of a run.
pub struct Heap {
    pub store: Store,
    pub scalars: Vec<u64>,
    pub jobs: JobOrder,
    pub ids: Ids,
    /// What the numbers of classes stand for.
    pub pool: Rc<ObjectPool>,
    pub symbols: Symbols,
    /// Offset and length of each array, by kind, for the kinds whose values are in a buffer.
    pub spans: Vec<Vec<(u32, u32)>>,
    /// The memory of `Ikra::Column`s, by kind; of kinds of arrays there is none.
    pub memories: Vec<Vec<Share>>,
    /// Number of elements of the base.
    pub length: usize,
    /// What elements have room for.
    pub room: Room,
    /// Lambdas and procs that the section gives, by number.
    pub procs: GivenProcs,
    /// The spans that arrays of kinds have since what was done was written back, if those change.
    committed: FxHashMap<ArrayKind, Vec<(u32, u32)>>,
    /// How many rows there are of arrays of a kind, where Hashes that elements make get some.
    rows: FxHashMap<ArrayKind, usize>,
    /// Ticks that have left marks before, in the memory that is used for them.
    epoch: u64,
}

impl Layout {
    /// Does the section change anything that meant something before it?
    pub const fn changes(&self) -> bool {
        self.changes
    }

    pub fn new(pool: &ObjectPool, plan: &Plan, inferred: &Inferred) -> Result<Self, Error> {
        let Inferred { program, schema, .. } = inferred;
        let recipes = program.buffers.iter().map(|buffer| recipe(pool, plan, schema, buffer));
        Ok(Self {
            changes: program.buffers.iter().any(BufferInfo::changes),
            hierarchies: hierarchies(pool, program, schema),
            recipes: recipes.collect::<Result<_, _>>()?,
        })
    }
}

fn recipe(pool: &ObjectPool, plan: &Plan, schema: &Schema, buffer: &BufferInfo) -> Result<Recipe, Error> {
    Ok(match &buffer.kind {
        BufferKind::Column { hierarchy, name, part } => {
            let column = schema.columns.iter().find(|c| c.hierarchy == *hierarchy && c.name == *name);
            let column = column.ok_or_else(|| missing(buffer))?;
            let traced = plan.asked.columns.iter().enumerate().filter(|(_, (variable, class))| {
                let variable = &plan.asked.variables[*variable as usize];
                variable.hierarchy == *hierarchy && variable.name == *name && column.classes.contains(class)
            });
            let mut columns: Vec<(u32, usize)> =
                traced.map(|(index, (_, class))| (pool.place(*class).1, index)).collect();
            columns.sort_unstable();
            let single = column.stored.types.single_shape();
            Recipe::Column { hierarchy: *hierarchy, part: *part, single, columns }
        }
        BufferKind::ArrayOffset(kind) => Recipe::Offset(*kind),
        BufferKind::ArrayLength(kind) => Recipe::Length(*kind),
        BufferKind::ArrayRoom(kind) => Recipe::Room(*kind),
        BufferKind::ArrayEnds(kind) => match schema.hashes.get(kind) {
            Some(parts) => {
                let defaults = [&schema.hash_defaults, &schema.given_defaults].map(|all| all.get(kind));
                Recipe::Rows(*kind, parts.iter().chain(defaults.into_iter().flatten()).copied().collect())
            }
            None => Recipe::Ends(*kind),
        },
        BufferKind::ArrayValues(kind, part) => {
            let array = schema.arrays.iter().find(|a| a.kind == *kind).ok_or_else(|| missing(buffer))?;
            Recipe::Values(*kind, *part, array.stored.types.single_shape())
        }
        BufferKind::Base(KernelId(0), part) => base(schema, schema.base.own(), *part),
        BufferKind::Beside(KernelId(0), column, part) => base(schema, *column as usize, *part),
        BufferKind::Result(KernelId(0), _) | BufferKind::Given(KernelId(0), _) | BufferKind::Kept => {
            Recipe::Result
        }
        // Empty until the driver makes them.
        BufferKind::Base(..)
        | BufferKind::Beside(..)
        | BufferKind::Result(..)
        | BufferKind::Given(..)
        | BufferKind::KernelWords => Recipe::Drivers,
        BufferKind::Places(hierarchy) => Recipe::Places(*hierarchy),
        BufferKind::Accumulator(..) | BufferKind::AccumulatorTick(_) => Recipe::Parts,
        BufferKind::Variable(number, part) => {
            match schema.accumulators.get(*number as usize) {
                Some(variable) => match variable.fold {
                    Fold::Shared(Some(root)) => Recipe::Variable(root, *part, variable.types.single_shape()),
                    Fold::Shared(None) => Recipe::Merged,
                    _ => return Err(missing(buffer)),
                },
                // The driver sets it.
                None => Recipe::Merged,
            }
        }
        BufferKind::ResultWords => Recipe::ResultWords,
        BufferKind::Selection => Recipe::Drivers,
        BufferKind::Merged(..) | BufferKind::Assigned(_) => Recipe::Merged,
        BufferKind::Scratch => Recipe::Scratch,
        BufferKind::Frozen(hierarchy) => Recipe::Frozen(*hierarchy),
        BufferKind::FrozenArray(kind) => Recipe::FrozenArray(*kind),
        BufferKind::FirstSame(KernelId(0)) => Recipe::FirstSame(schema.base.own()),
        BufferKind::FirstSame(_) => Recipe::Drivers,
        BufferKind::Marks(what) => Recipe::Marks(what.clone()),
        BufferKind::SymbolRanks => Recipe::SymbolRanks,
        BufferKind::SymbolNames => Recipe::SymbolNames,
        BufferKind::SymbolIndex => Recipe::SymbolIndex,
        BufferKind::KeyIndex(kind) => Recipe::KeyIndex(*kind),
    })
}

fn base(schema: &Schema, column: usize, part: Part) -> Recipe {
    Recipe::Base(column, part, schema.base.columns[column].types().single_shape())
}

fn missing(buffer: &BufferInfo) -> Error {
    Error::Internal(format!("{:?} is not in the schema", buffer.kind))
}

fn own_hierarchies(types: &TypeSet, all: &mut Vec<HierarchyId>) {
    for ty in types {
        match ty {
            Type::Object(hierarchy, _) => all.push(*hierarchy),
            Type::Tuple(items) => items.iter().for_each(|types| own_hierarchies(types, all)),
            Type::Record(record) => record.fields.iter().for_each(|(_, types)| own_hierarchies(types, all)),
            _ => {}
        }
    }
}

/// The hierarchies whose ids the program can come across.
fn hierarchies(pool: &ObjectPool, program: &Program, schema: &Schema) -> Vec<HierarchyId> {
    let mut all = Vec::new();
    let columns = schema.columns.iter().map(|column| &column.stored.types);
    let arrays = schema.arrays.iter().map(|array| &array.stored.types);
    let variables = schema.accumulators.iter().map(|variable| &variable.types);
    let variables = variables.chain(schema.variables.iter().map(|variable| &variable.types));
    let others = std::iter::once(&schema.result).chain(&schema.lists).chain(variables);
    for types in columns.chain(arrays).chain(others) {
        own_hierarchies(types, &mut all);
    }
    schema.base.columns.iter().for_each(|column| own_hierarchies(&column.types(), &mut all));
    all.extend(schema.columns.iter().map(|c| c.hierarchy));
    for buffer in &program.buffers {
        match &buffer.kind {
            BufferKind::Column { hierarchy, .. }
            | BufferKind::Frozen(hierarchy)
            | BufferKind::Places(hierarchy) => all.push(*hierarchy),
            // Also where nothing of the Strings is asked for.
            BufferKind::SymbolNames => all.push(pool.place(ClassId::STRING).0),
            _ => {}
        }
    }
    for scalar in &program.scalars {
        if let ScalarSource::ClassBase(hierarchy, _) = &scalar.source {
            all.push(*hierarchy);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

impl Heap {
    /// Takes what was traced apart: a builder's list that is a column as it is becomes that column.
    pub fn build(
        traced: Traced<'_>,
        layout: &Layout,
        inferred: &Inferred,
        room: Room,
    ) -> Result<Self, Trouble> {
        let Traced { mut tracer, mut roots, .. } = traced;
        let mut hierarchies = layout.hierarchies.clone();
        for root in &roots {
            if let Type::Object(hierarchy, _) = root.ty {
                hierarchies.push(hierarchy);
            }
        }
        let ids = Ids::new(&tracer.pool, tracer.pinned, &hierarchies).ok_or_else(too_large)?;
        key_index::fill_slots(&mut tracer, &ids, inferred)?;
        for (kind, elements) in tracer.elements.iter().enumerate() {
            let arrays = tracer.pinned.arrays(kind as u32).len();
            i32::try_from(arrays.max(elements.count() + 1)).map_err(|_| too_large())?;
        }
        let length = tracer.length;
        i32::try_from(length).map_err(|_| too_large())?;
        let program = &inferred.program;
        let scalars = program.scalars.iter().map(|info| scalar(info, &roots, &tracer, &ids)).collect();
        let jobs = jobs(&tracer, inferred, &ids, layout.changes)?;
        let mut buffers: Vec<Column> =
            program.buffers.iter().map(|buffer| Column::with_capacity(buffer.ty, 0)).collect();
        // Those that take builders apart come last.
        for takes in [false, true] {
            for ((column, buffer), recipe) in buffers.iter_mut().zip(&program.buffers).zip(&layout.recipes) {
                if recipe.takes_readings() == takes {
                    faults::point("filling a column")?;
                    *column = fill(buffer, recipe, (&mut tracer, &mut roots), &ids, length)?;
                }
            }
        }
        let (pool, symbols) = (tracer.pool, tracer.symbols);
        let (spans, memories) =
            tracer.elements.into_iter().map(|elements| (elements.spans, elements.memories)).unzip();
        let store = Store::new(buffers);
        let mut heap = Self {
            room,
            store,
            scalars,
            jobs,
            ids,
            pool,
            symbols,
            spans,
            memories,
            length,
            procs: GivenProcs::default(),
            committed: FxHashMap::default(),
            rows: FxHashMap::default(),
            epoch: 0,
        };
        heap.enlarge(layout, program, room)?;
        Ok(heap)
    }

    /// How many values were read, but for those of the base.
    pub fn rows_read(&self, layout: &Layout) -> usize {
        let read = |recipe: &Recipe| {
            matches!(
                recipe,
                Recipe::Column { .. } | Recipe::Values(..) | Recipe::Offset(_) | Recipe::Length(_)
            )
        };
        let columns = self.store.columns().iter().zip(&layout.recipes);
        columns.filter(|(_, recipe)| read(recipe)).map(|(column, _)| column.len()).sum()
    }

    /// Gives the elements as much memory for arrays as `room` says.
    pub fn enlarge(&mut self, layout: &Layout, program: &Program, room: Room) -> Result<(), Trouble> {
        self.room = room;
        for (number, recipe) in layout.recipes.iter().enumerate() {
            match recipe {
                Recipe::Ends(kind) => self.make_items(layout, (number, *kind), room.items)?,
                Recipe::Rows(kind, parts) => self.make_rows(layout, (number, *kind), parts, room.hashes)?,
                _ => {}
            }
        }
        let buffers = self.store.columns_mut().iter_mut();
        for ((buffer, info), recipe) in buffers.zip(&program.buffers).zip(&layout.recipes) {
            let words = match recipe {
                Recipe::ResultWords => self.length.saturating_mul(room.result),
                Recipe::Scratch => room.scratch,
                _ => continue,
            };
            i32::try_from(words).map_err(|_| too_large())?;
            *buffer = Column::unset(info.ty, words)?;
        }
        for (scalar, info) in self.scalars.iter_mut().zip(&program.scalars) {
            match info.source {
                ScalarSource::ScratchWords => *scalar = room.scratch as u64,
                ScalarSource::ResultWords => *scalar = room.result as u64,
                _ => {}
            }
        }
        Ok(())
    }

    /// Room for so many more items behind the arrays of a kind.
    fn make_items(
        &mut self,
        layout: &Layout,
        (ends, kind): (usize, ArrayKind),
        room: usize,
    ) -> Result<(), Trouble> {
        let spans = self.spans.get(kind.0 as usize).map_or(&[][..], Vec::as_slice);
        let first = spans.last().map_or(0, |(offset, length)| (offset + length) as usize);
        let end = first.saturating_add(room);
        i32::try_from(end).map_err(|_| too_large())?;
        let columns = self.store.columns_mut();
        columns[ends] = Column::I64(vec![first as i64, end as i64]);
        for (column, recipe) in columns.iter_mut().zip(&layout.recipes) {
            // Behind all is a filler.
            if matches!(recipe, Recipe::Values(of, ..) if *of == kind) && column.len() <= end {
                extend_zeros(column, end + 1)?;
            }
        }
        Ok(())
    }

    /// Rows for so many more Hashes of a kind, which are arrays without items.
    fn make_rows(
        &mut self,
        layout: &Layout,
        (ends, kind): (usize, ArrayKind),
        parts: &[ArrayKind],
        room: usize,
    ) -> Result<(), Trouble> {
        let first = self.spans.get(parts[0].0 as usize).map_or(0, Vec::len);
        let end = first.saturating_add(room);
        i32::try_from(end).map_err(|_| too_large())?;
        let columns = self.store.columns_mut();
        columns[ends] = Column::I64(vec![first as i64, end as i64]);
        for (column, recipe) in columns.iter_mut().zip(&layout.recipes) {
            let has_rows = match recipe {
                Recipe::Offset(of) | Recipe::Length(of) | Recipe::Room(of) => parts.contains(of),
                Recipe::FrozenArray(of) => *of == kind || parts.contains(of),
                _ => false,
            };
            if has_rows && column.len() < end {
                extend_zeros(column, end)?;
            }
        }
        for part in parts {
            self.rows.insert(*part, end);
        }
        Ok(())
    }

    /// Do the numbers of objects, arrays and Symbols, and what stands in scalars, stand for the same in both?
    /// Each comes with what it has found.
    pub fn has_same_numbers(
        &self,
        pinned: &Pinned,
        (other, others): (&Self, &Pinned),
        (program, asked): (&Program, &Asked),
    ) -> bool {
        // Ones that are new have no place in tables of names.
        let is_table = |kind: &BufferKind| matches!(kind, BufferKind::SymbolIndex | BufferKind::SymbolRanks);
        let has_tables = asked.names || program.buffers.iter().any(|buffer| is_table(&buffer.kind));
        let all = [self.symbols.all(), other.symbols.all()];
        let same_symbols = all[1].starts_with(all[0]) && (all[0].len() == all[1].len() || !has_tables);
        let numbers = 0..self.spans.len().max(other.spans.len()) as u32;
        let is_read = |info: &ScalarInfo| {
            !matches!(
                info.source,
                ScalarSource::Driver(_)
                    | ScalarSource::ScratchWords
                    | ScalarSource::ResultWords
                    | ScalarSource::Epoch
                    | ScalarSource::Fine(_)
            )
        };
        let mut scalars = self.scalars.iter().zip(&other.scalars).zip(&program.scalars);
        self.ids.all_classes().all(|(_, class, _)| pinned.objects(class)[..] == others.objects(class)[..])
            && numbers.into_iter().all(|kind| {
                // What is in Hashes is listed in arrays that are made for that.
                let is_part = asked.kinds.is_part(ArrayKind(kind));
                is_part || pinned.arrays(kind)[..] == others.arrays(kind)[..]
            })
            && same_symbols
            && scalars.all(|((mine, its), info)| mine == its || !is_read(info))
    }

    /// Where the arrays are that were read, of a kind: offset and length.
    pub fn spans_now(&self, kind: ArrayKind) -> &[(u32, u32)] {
        match self.committed.get(&kind) {
            Some(spans) => spans,
            None => self.spans.get(kind.0 as usize).map_or(&[], Vec::as_slice),
        }
    }

    pub(super) fn is_of_memories(&self, kind: ArrayKind) -> bool {
        self.memories.get(kind.0 as usize).is_some_and(|memories| !memories.is_empty())
    }

    /// What there is now has been written back.
    pub fn commit(&mut self, layout: &Layout) {
        self.store.commit();
        self.note_spans(layout);
    }

    /// Arrays that grow are where the columns say.
    pub(super) fn note_spans(&mut self, layout: &Layout) {
        let grows =
            |kind| layout.recipes.iter().any(|recipe| matches!(recipe, Recipe::Room(of) if *of == kind));
        for (number, recipe) in layout.recipes.iter().enumerate() {
            let (kind, is_length) = match recipe {
                Recipe::Offset(kind) if grows(*kind) => (*kind, false),
                Recipe::Length(kind) if grows(*kind) => (*kind, true),
                _ => continue,
            };
            let spans = self.spans.get(kind.0 as usize).map_or(&[][..], Vec::as_slice);
            let column = &self.store.columns()[number];
            let known = self.committed.entry(kind).or_insert_with(|| spans.to_vec());
            for (row, (offset, length)) in known.iter_mut().enumerate().take(column.len()) {
                let part = if is_length { length } else { offset };
                *part = column.bits(row) as u32;
            }
        }
    }

    /// Has something been written back in the middle?
    pub fn is_committed(&self) -> bool {
        !self.committed.is_empty()
    }

    /// Puts back what a run that did not end has written.
    pub fn begin_again(&mut self, layout: &Layout) {
        self.committed.clear();
        self.store.begin_again();
        for (column, recipe) in self.store.columns_mut().iter_mut().zip(&layout.recipes) {
            if matches!(recipe, Recipe::Parts) {
                column.as_bytes_mut().fill(0);
            }
        }
    }

    /// The buffers whose columns others look at where they are, such as `Ikra::Column`s. `results`: those of elements are
    /// among them.
    pub fn of_columns(&self, program: &Program, results: bool) -> Vec<usize> {
        let is_of_column = |buffer: &BufferInfo| match buffer.kind {
            BufferKind::Result(_, Part::Payload) => results,
            BufferKind::ArrayValues(kind, _) => {
                self.memories.get(kind.0 as usize).is_some_and(|memories| !memories.is_empty())
            }
            _ => false,
        };
        (0..program.buffers.len()).filter(|number| is_of_column(&program.buffers[*number])).collect()
    }

    /// Are arrays watched as wholes somewhere?
    pub fn is_coarse(&self, program: &Program) -> bool {
        let mut all = self.scalars.iter().zip(&program.scalars);
        all.any(|(scalar, info)| matches!(info.source, ScalarSource::Fine(_)) && *scalar == 0)
    }

    /// Takes what another run has left.
    pub fn use_again(&mut self, kept: Kept) {
        for (buffer, column) in kept.columns {
            self.store.columns_mut()[buffer] = column;
        }
        self.epoch = kept.epoch;
    }

    /// What the next run may use, after one of so many ticks in which elements were watched.
    pub fn leave(&mut self, layout: &Layout, ticks: u64) -> Option<Kept> {
        let stays = |(buffer, _): &(usize, &mut Column)| {
            matches!(layout.recipes[*buffer], Recipe::Marks(_) | Recipe::Parts)
        };
        let columns = self.store.columns_mut().iter_mut().enumerate().filter(stays);
        let columns: Vec<_> = columns
            .map(|(buffer, column)| (buffer, std::mem::replace(column, Column::I64(Vec::new()))))
            .collect();
        let bytes: usize = columns.iter().map(|(_, column)| column.as_bytes().len()).sum();
        let epoch = self.epoch.saturating_add(ticks);
        (bytes <= MOST_KEPT && !columns.is_empty()).then_some(Kept { columns, epoch })
    }

    /// Makes ready for a run of so many ticks in this mode, after one that did not end: nothing is marked. `fine`: the
    /// items of arrays are watched one by one, rather than arrays as wholes.
    pub fn prepare(
        &mut self,
        layout: &Layout,
        program: &Program,
        (mode, fine): (Mode, bool),
        ticks: u64,
    ) -> Result<(), Trouble> {
        let Self { store, scalars, jobs, ids, spans, memories, length, rows: known_rows, epoch, .. } = self;
        *epoch = epoch.saturating_add(ticks);
        let again = mode == Mode::Watched && epoch.saturating_add(ticks) < MOST_TICKS;
        if !again {
            *epoch = 0;
        }
        let spans = |kind: ArrayKind| spans.get(kind.0 as usize).map_or(&[][..], Vec::as_slice);
        let last_memory = |kind: ArrayKind| memories.get(kind.0 as usize).and_then(|all| all.last());
        let words = match mode {
            Mode::Watched => marks::WORDS,
            Mode::Reporting => marks::REPORT_WORDS,
            Mode::InOrder => 0,
        };
        for (column, recipe) in store.columns_mut().iter_mut().zip(&layout.recipes) {
            if matches!(recipe, Recipe::Parts) {
                match column.len() == *length {
                    true => column.as_bytes_mut().fill(0),
                    false => *column = Column::try_zeros(column.ty(), *length)?,
                }
            }
            let Recipe::Marks(what) = recipe else { continue };
            let rows = match what {
                Watched::Column { hierarchy, .. } => ids.count(*hierarchy),
                Watched::Variable(_) => 1,
                Watched::Arrays(kind) => {
                    let end = match last_memory(*kind) {
                        Some(share) => share.offset + share.array.len(),
                        None => spans(*kind).last().map_or(0, |(offset, length)| (offset + length) as usize),
                    };
                    (end + 1).max(spans(*kind).len()).max(known_rows.get(kind).copied().unwrap_or(0))
                }
            };
            let words = rows.saturating_mul(words);
            if !again || column.len() < words {
                *column = Column::try_zeros(column.ty(), words)?;
            }
        }
        for (scalar, info) in scalars.iter_mut().zip(&program.scalars) {
            if info.source == ScalarSource::Epoch {
                *scalar = *epoch;
            }
            if let ScalarSource::Fine(kind) = info.source {
                // If there is one for each element it may well be the element's own, which is seen sooner so.
                let shared = spans(kind).len() < *length;
                // Columns may overlap.
                let overlap = last_memory(kind).is_some();
                *scalar = u64::from(fine || shared || overlap || mode != Mode::Watched);
            }
        }
        if mode != Mode::Watched && !jobs.in_order {
            *jobs = jobs.in_order(*length)?;
        }
        Ok(())
    }
}

fn too_large() -> Trouble {
    Trouble::Plain(
        "a section can number at most 2,147,483,647 objects of a hierarchy, arrays or array elements".into(),
    )
}

fn fill(
    buffer: &BufferInfo,
    recipe: &Recipe,
    (tracer, roots): (&mut Tracer<'_>, &mut [RootValue]),
    ids: &Ids,
    length: usize,
) -> Result<Column, Trouble> {
    let pinned = tracer.pinned;
    Ok(match recipe {
        Recipe::Column { hierarchy, part, single, columns } => {
            let mut column = Column::with_capacity(buffer.ty, 0);
            for (place, index) in columns {
                extend_zeros(&mut column, ids.base(*hierarchy, *place) as usize)?;
                append(&mut column, &mut tracer.columns[*index], *part, *single, ids)?;
            }
            extend_zeros(&mut column, ids.count(*hierarchy))?;
            column
        }
        Recipe::Offset(kind) => {
            let mut offsets = Vec::new();
            extend(&mut offsets, spans(tracer, *kind), |_, (offset, _)| *offset as i32)?;
            Column::I32(offsets)
        }
        Recipe::Length(kind) | Recipe::Room(kind) => {
            let spans = spans(tracer, *kind);
            let arrays = pinned.arrays(kind.0);
            let is_column = tracer.asked.kinds.items(*kind).is_some();
            // A length goes with the elements that were read with it.
            let mut lengths = Vec::new();
            extend(&mut lengths, &arrays, |row, array| match spans.get(row) {
                Some((_, length)) => *length as i32,
                None if is_column => i32::try_from(length_of_column(*array)).unwrap_or(-1),
                // SAFETY: listed arrays are live, and Ruby does not run.
                None => i32::try_from(unsafe { value::items(*array) }.len()).unwrap_or(-1),
            })?;
            if lengths.contains(&-1) {
                return Err(too_large());
            }
            Column::I32(lengths)
        }
        Recipe::Values(kind, ..) if tracer.asked.kinds.items(*kind).is_some() => values_of_columns(
            buffer,
            tracer.elements.get(kind.0 as usize).map_or(&[], |elements| &elements.memories),
            spans(tracer, *kind),
        )?,
        Recipe::Values(kind, part, single) => {
            let mut column = Column::with_capacity(buffer.ty, 0);
            if let Some(elements) = tracer.elements.get_mut(kind.0 as usize) {
                append(&mut column, &mut elements.builder, *part, *single, ids)?;
            }
            let length = column.len() + 1;
            extend_zeros(&mut column, length)?;
            column
        }
        Recipe::Base(number, part, single) => match &mut tracer.base[*number] {
            BaseValues::Items(builder, _) => {
                let mut column = Column::with_capacity(buffer.ty, 0);
                append(&mut column, builder, *part, *single, ids)?;
                column
            }
            BaseValues::InOrder(_, hierarchy, place) => in_order(buffer, (*hierarchy, *place), ids, length)?,
            BaseValues::Memory(snapshot) => snapshot.array.column(snapshot.rows.clone())?,
            BaseValues::Unread | BaseValues::Series(_) => Column::with_capacity(buffer.ty, 0),
        },
        // Each element that succeeds writes its own.
        Recipe::Result => Column::unset(buffer.ty, length)?,
        Recipe::Variable(root, part, single) => {
            let mut column = Column::with_capacity(buffer.ty, 0);
            append(&mut column, &mut roots[*root as usize].column, *part, *single, ids)?;
            column
        }
        // Filled by `enlarge` and `prepare`.
        Recipe::Merged => Column::try_zeros(buffer.ty, 1)?,
        Recipe::ResultWords
        | Recipe::Drivers
        | Recipe::Scratch
        | Recipe::Marks(_)
        | Recipe::Parts
        | Recipe::Rows(..)
        | Recipe::Ends(_) => Column::with_capacity(buffer.ty, 0),
        Recipe::Places(hierarchy) => {
            let mut places = Vec::new();
            for place in 0..ids.classes(*hierarchy).len() as u32 {
                let count = ids.base(*hierarchy, place + 1) - ids.base(*hierarchy, place);
                fallible::reserve(&mut places, count as usize)?;
                places.resize(places.len() + count as usize, place as i32);
            }
            Column::I32(places)
        }
        Recipe::Frozen(hierarchy) => Column::Bool(frozen_objects(pinned, ids, *hierarchy)?),
        Recipe::KeyIndex(kind) => Column::I32(key_index::build(tracer, ids, *kind)?),
        Recipe::SymbolRanks => Column::I32(tracer.symbols.ranks()?),
        Recipe::SymbolIndex => Column::I32(tracer.symbols.index()?),
        Recipe::SymbolNames => {
            let names = tracer.names.payload.iter().map(|name| {
                let (place, row) = split_object(*name);
                (ids.base(tracer.pool.place(ClassId::STRING).0, place) + row) as i32
            });
            let mut names = fallible::collect(names)?;
            fallible::push(&mut names, 0)?;
            Column::I32(names)
        }
        Recipe::FrozenArray(kind) => {
            let arrays = pinned.arrays(kind.0);
            let mut flags = Vec::new();
            // SAFETY: listed arrays are live, and Ruby does not run.
            extend(&mut flags, &arrays, |_, array| u8::from(unsafe { value::frozen(*array) }))?;
            Column::Bool(flags)
        }
        Recipe::FirstSame(own) => Column::I32(match &tracer.base[*own] {
            BaseValues::Items(base, true) => first_same(base)?,
            _ => fallible::collect(0..length as i32)?,
        }),
    })
}

/// The ids of all objects of a class, or their tags.
fn in_order(
    buffer: &BufferInfo,
    (hierarchy, place): (HierarchyId, u32),
    ids: &Ids,
    length: usize,
) -> Result<Column, NoMemory> {
    let first = ids.base(hierarchy, place);
    let is_tag = matches!(buffer.kind, BufferKind::Base(_, Part::Tag) | BufferKind::Beside(_, _, Part::Tag));
    Ok(match buffer.ty {
        _ if is_tag => Column::I32(fallible::filled(Shape::Object(hierarchy).tag(), length)?),
        Ty::I64 => Column::I64(fallible::collect((0..length).map(|row| (first as usize + row) as i64))?),
        _ => Column::I32(fallible::collect((0..length).map(|row| (first as usize + row) as i32))?),
    })
}

fn length_of_column(column: VALUE) -> usize {
    // SAFETY: listed columns are live.
    column::of(unsafe { Value::from_raw(column) }).map_or(0, |column| column.length)
}

/// The items of `Ikra::Column`s: where they are, if there is one memory of numbers that the program has so.
fn values_of_columns(
    buffer: &BufferInfo,
    memories: &[Share],
    spans: &[(u32, u32)],
) -> Result<Column, Trouble> {
    let single = match memories {
        [share] => Some(&share.array),
        _ => None,
    };
    // Who has no items reads the first all the same, and drops it.
    let none_empty = || spans.iter().all(|(_, length)| *length > 0);
    if let Some(array) = single
        && array.ty().run_type() == Some(buffer.ty)
        && none_empty()
    {
        return Ok(array.column(0..array.len())?);
    }
    let mut column = Column::with_capacity(buffer.ty, 0);
    for share in memories {
        share.array.append_to(&mut column)?;
    }
    if !none_empty() {
        let length = column.len() + 1;
        extend_zeros(&mut column, length)?;
    }
    Ok(column)
}

/// Makes the column as long as that.
fn extend_zeros(column: &mut Column, length: usize) -> Result<(), NoMemory> {
    let count = length - column.len();
    column.try_reserve(count)?;
    column.extend_zeros(count);
    Ok(())
}

/// For each element the first one that is the same object.
fn first_same(base: &ColumnBuilder) -> Result<Vec<i32>, NoMemory> {
    let mut firsts = table(base)?;
    let first = |row: usize| match is_object(base, row) {
        true => *firsts.entry((base.tag(row), base.payload[row])).or_insert(row as i32),
        false => row as i32,
    };
    fallible::collect((0..base.len()).map(first))
}

/// A table that has room for every element.
fn table<T>(base: &ColumnBuilder) -> Result<FxHashMap<(i32, i64), T>, NoMemory> {
    let mut table = FxHashMap::default();
    let too_large = |_| NoMemory(base.len() * size_of::<((i32, i64), T)>());
    reserve::fallible(|| table.try_reserve(base.len())).map_err(too_large)?;
    Ok(table)
}

/// Is it something that can change?
fn is_object(base: &ColumnBuilder, row: usize) -> bool {
    base.tag(row) >= Shape::Object(HierarchyId(0)).tag()
}

fn spans<'a>(tracer: &'a Tracer<'_>, kind: ArrayKind) -> &'a [(u32, u32)] {
    tracer.elements.get(kind.0 as usize).map_or(&[], |elements| &elements.spans)
}

fn frozen_objects(pinned: &Pinned, ids: &Ids, hierarchy: HierarchyId) -> Result<Vec<u8>, NoMemory> {
    let mut flags = Vec::new();
    fallible::reserve(&mut flags, ids.count(hierarchy))?;
    for class in ids.classes(hierarchy) {
        // SAFETY: listed objects are live, and Ruby does not run.
        extend(&mut flags, &pinned.objects(*class), |_, object| u8::from(unsafe { value::frozen(*object) }))?;
    }
    Ok(flags)
}

/// The id or number that a payload of this shape is stored as.
fn stored(shape: Shape, payload: i64, ids: &Ids) -> i64 {
    match shape {
        Shape::Object(hierarchy) => {
            let (place, row) = split_object(payload);
            i64::from(ids.base(hierarchy, place) + row)
        }
        _ => payload,
    }
}

/// Appends what was built to a column: tags, or payloads in the column's type. `single` is the shape of all values that
/// the column can hold, where there is one.
fn append(
    column: &mut Column,
    from: &mut ColumnBuilder,
    part: Part,
    single: Option<Shape>,
    ids: &Ids,
) -> Result<(), Error> {
    let fits_i32 = from.seen().narrow();
    let payload = &mut from.payload;
    // An empty column of words becomes the payload itself, where that is stored as it is.
    let becomes = column.is_empty()
        && match column {
            Column::F64(_) => true,
            Column::I64(_) => single.is_some_and(|shape| !matches!(shape, Shape::Object(_))),
            Column::Bool(_) | Column::I32(_) | Column::Shared(_) | Column::Lent(_) => false,
        };
    if !becomes {
        column.try_reserve(payload.len())?;
    }
    match (part, column) {
        (Part::Tag, Column::I32(to)) => match &from.tags {
            Tags::None => {}
            Tags::All(tag) => to.resize(to.len() + payload.len(), *tag),
            Tags::Each(tags) => extend(to, tags, |_, tag| *tag)?,
        },
        (Part::Payload, Column::F64(to)) if to.is_empty() => {
            *to = bytemuck::cast_vec(std::mem::take(payload))
        }
        (Part::Payload, Column::F64(to)) => extend(to, payload, |_, bits| f64::from_bits(*bits as u64))?,
        (Part::Payload, Column::Bool(to)) => extend(to, payload, |_, truth| *truth as u8)?,
        (Part::Payload, Column::I32(to)) => match single {
            // Every class has a base of its own, and a builder's objects are of several.
            Some(shape @ Shape::Object(_)) => {
                extend(to, payload, |_, row| stored(shape, *row, ids) as i32)?;
            }
            Some(Shape::Integer) if !fits_i32 => {
                return Err(Error::Internal("a column of 32 bits for Integers that do not fit it".into()));
            }
            // Rows of arrays and numbers of symbols fit: `Heap::build` has counted them.
            _ => extend(to, payload, |_, number| *number as i32)?,
        },
        (Part::Payload, Column::I64(to)) => match single {
            Some(shape @ Shape::Object(_)) => {
                extend(to, payload, |_, row| stored(shape, *row, ids))?;
            }
            Some(_) if to.is_empty() => *to = std::mem::take(payload),
            Some(_) => extend(to, payload, |_, number| *number)?,
            None => extend(to, payload, |row, number| {
                let shape = Shape::of_tag(from.tags.of(row));
                shape.map_or(*number, |shape| stored(shape, *number, ids))
            })?,
        },
        (Part::Tag, _) => unreachable!("the verifier lets tags be I32 only"),
        (_, Column::Shared(_) | Column::Lent(_)) => unreachable!("what is filled is not shared"),
    }
    Ok(())
}

fn scalar(info: &ScalarInfo, roots: &[RootValue], tracer: &Tracer<'_>, ids: &Ids) -> u64 {
    let series = |column: u32| match &tracer.base[column as usize] {
        BaseValues::Series(series) => *series,
        _ => Series::default(),
    };
    match info.source {
        ScalarSource::Root(number, part) => {
            let column = &roots[number as usize].column;
            let Some(payload) = column.payload.first() else { return 0 };
            match part {
                Part::Tag => column.tag(0) as i64 as u64,
                Part::Payload => match Shape::of_tag(column.tag(0)) {
                    Some(Shape::Integer) if info.ty == Ty::F64 => (*payload as f64).to_bits(),
                    Some(shape) => stored(shape, *payload, ids) as u64,
                    None => 0,
                },
            }
        }
        ScalarSource::RootRange(number, end) => roots[number as usize].ends[end as usize],
        ScalarSource::ClassBase(hierarchy, place) => u64::from(ids.base(hierarchy, place)),
        // Filled by `enlarge` and `prepare`.
        ScalarSource::ScratchWords
        | ScalarSource::ResultWords
        | ScalarSource::Fine(_)
        | ScalarSource::Driver(_)
        | ScalarSource::Epoch => 0,
        ScalarSource::BaseLength => tracer.length as u64,
        ScalarSource::SeriesFirst(column) => series(column).first as u64,
        ScalarSource::SeriesStep(column) => series(column).step as u64,
    }
}

/// The entry that each element runs, and the rounds that keep an object's repetitions apart.
fn jobs(tracer: &Tracer<'_>, inferred: &Inferred, ids: &Ids, writes: bool) -> Result<JobOrder, Error> {
    let schema = &inferred.schema;
    if schema.output == Output::Program {
        // The driver gives each of its kernels a base.
        return Ok(JobOrder::of_one(0, 1));
    }
    let find = |ty: &Type| {
        let entry = schema.entries.iter().position(|types: &TypeSet| types.contains(ty));
        entry.map(|entry| entry as u16).ok_or_else(|| Error::Internal(format!("no entry takes {ty:?}")))
    };
    let (base, repeats) = match &tracer.base[schema.base.own()] {
        BaseValues::Items(base, repeats) => (base, *repeats),
        BaseValues::InOrder(base, ..) => {
            let types = base.seen().types();
            let ty = types.single().ok_or_else(|| Error::Internal("a base of no class".into()))?;
            return Ok(JobOrder::of_one(find(ty)?, tracer.length));
        }
        BaseValues::Series(_) => return Ok(JobOrder::of_one(find(&Type::Integer)?, tracer.length)),
        BaseValues::Unread => return Ok(JobOrder::of_one(find(&Type::Nil)?, tracer.length)),
        BaseValues::Memory(snapshot) => return jobs_of_memory(snapshot, find),
    };
    let types = base.seen().types();
    let repeating = writes && repeats;
    if let (Some(ty), false) = (types.single(), repeating) {
        return Ok(JobOrder::of_one(find(ty)?, base.len()));
    }
    let entries = EntryOf::new(&types, ids, find)?;
    let mut entry_of = Vec::new();
    extend(&mut entry_of, &base.payload, |row, payload| entries.of(base.tag(row), *payload))?;
    let mut repeats = None;
    if repeating {
        let mut times = table(base)?;
        let count = |row: usize| {
            if !is_object(base, row) {
                return 0;
            }
            let seen: &mut u32 = times.entry((base.tag(row), base.payload[row])).or_default();
            *seen += 1;
            *seen - 1
        };
        repeats = Some(fallible::collect((0..base.len()).map(count))?);
    }
    Ok(JobOrder::new(&entry_of, schema.entries.len(), repeats.as_deref())?)
}

/// The same for the items of an `Ikra::Column`.
fn jobs_of_memory(
    snapshot: &Snapshot,
    find: impl Fn(&Type) -> Result<u16, Error>,
) -> Result<JobOrder, Error> {
    let types = snapshot.array.ty().types();
    let entries = types.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    if entries.iter().all(|entry| *entry == entries[0]) {
        return Ok(JobOrder::of_one(entries[0], snapshot.rows.len()));
    }
    snapshot.array.home()?;
    // False stands before true.
    let entry = |row| entries[usize::from(snapshot.array.get(row) == Item::Bool(true))];
    let entry_of = fallible::collect(snapshot.rows.clone().map(entry))?;
    let count = entries.iter().max().map_or(0, |last| usize::from(*last) + 1);
    Ok(JobOrder::new(&entry_of, count, None)?)
}

/// The entry that takes a value: by tag, then by what of the payload belongs to the exact type.
#[derive(Default)]
struct EntryOf {
    /// By hierarchy, then place of the class.
    objects: Vec<Vec<u16>>,
    /// By kind.
    arrays: Vec<u16>,
    /// Classes and modules, by number.
    modules: Vec<u16>,
    /// Twice the tag, and one more for true.
    others: [u16; 2 * 5],
}

impl EntryOf {
    fn new(types: &TypeSet, ids: &Ids, find: impl Fn(&Type) -> Result<u16, Error>) -> Result<Self, Error> {
        let mut all = Self::default();
        for ty in types {
            let place = match ty {
                Type::Object(hierarchy, class) => {
                    let place = ids.classes(*hierarchy).iter().position(|known| known == class);
                    let place = place.ok_or_else(|| Error::Internal("a class without a place".into()))?;
                    at(at(&mut all.objects, hierarchy.0 as usize), place)
                }
                Type::Array(kind) | Type::Column(kind, _) | Type::Hash(kind, _) => {
                    at(&mut all.arrays, kind.0 as usize)
                }
                Type::Nil => &mut all.others[0],
                Type::False => &mut all.others[2],
                Type::True => &mut all.others[3],
                Type::Integer => &mut all.others[4],
                Type::Float => &mut all.others[6],
                Type::Symbol => &mut all.others[8],
                Type::Module(class) => at(&mut all.modules, class.0 as usize),
                other => return Err(Error::Internal(format!("{other:?} in the base"))),
            };
            *place = find(ty)?;
        }
        Ok(all)
    }

    #[inline]
    fn of(&self, tag: i32, payload: i64) -> u16 {
        match Shape::of_tag(tag) {
            Some(Shape::Object(hierarchy)) => {
                self.objects[hierarchy.0 as usize][split_object(payload).0 as usize]
            }
            Some(Shape::Array(kind)) => self.arrays[kind.0 as usize],
            Some(Shape::Module) => self.modules[payload as usize],
            _ => self.others[2 * tag as usize + usize::from(tag == Shape::Bool.tag() && payload != 0)],
        }
    }
}

/// The item at that place of a list that grows as needed.
fn at<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}
