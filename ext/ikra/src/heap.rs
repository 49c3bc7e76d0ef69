//! The buffers and scalars of a run, built from what was traced, in the order that the program wants.

use crate::errors::Trouble;
use crate::ids::Ids;
use crate::plan::{Plan, Traced};
use crate::reached::Reached;
use crate::reading::{Reading, split_object};
use crate::value;
use ikra_core::error::Error;
use ikra_core::heap::{Column, JobOrder, Schema};
use ikra_core::infer::Inferred;
use ikra_core::ir::{BufferInfo, BufferKind, Part, Program, ScalarInfo, ScalarSource, Ty};
use ikra_core::types::{ArrayKind, HierarchyId, Shape, Type, TypeSet};
use magnus::Ruby;

/// How each buffer of a program is filled; found once for each compiled section.
#[derive(Debug)]
pub struct Layout {
    recipes: Vec<Recipe>,
    hierarchies: Vec<HierarchyId>,
    /// Buffers that the section writes and that lived before it: not those of the result.
    pub written: Vec<usize>,
}

#[derive(Debug)]
enum Recipe {
    /// `columns`: (place of the class, index of the traced column).
    Column {
        hierarchy: HierarchyId,
        part: Part,
        single: Option<Shape>,
        columns: Vec<(u32, usize)>,
    },
    Offset(ArrayKind),
    Length(ArrayKind),
    Values(ArrayKind, Part, Option<Shape>),
    Base(Part, Option<Shape>),
    Result,
    ResultWords,
    Scratch,
    Frozen(HierarchyId),
    FrozenArray(ArrayKind),
    SymbolRanks,
}

/// Words that an element has for the arrays it makes, and for its result where that is arrays. What is too little for
/// an element makes it fail, and is enlarged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub scratch: usize,
    pub result: usize,
}

impl Room {
    pub const FIRST: Self = Self { scratch: 256, result: 16 };
}

/// The data of a run.
pub struct Heap {
    pub buffers: Vec<Column>,
    pub scalars: Vec<u64>,
    pub jobs: JobOrder,
    pub ids: Ids,
    /// Offset and length of each array, by kind, for the kinds whose values are in a buffer.
    pub spans: Vec<Vec<(u32, u32)>>,
    /// Number of elements of the base.
    pub length: usize,
}

const TOO_LARGE: &str =
    "a section can number at most 2,147,483,647 objects of a hierarchy, arrays or array elements";

impl Layout {
    pub fn new(ruby: &Ruby, plan: &Plan, inferred: &Inferred) -> Result<Self, Error> {
        let Inferred { program, schema, .. } = inferred;
        let recipes = program.buffers.iter().map(|buffer| recipe(ruby, plan, schema, buffer));
        let written = program
            .buffers
            .iter()
            .enumerate()
            .filter(|(_, b)| b.written && !matches!(b.kind, BufferKind::Result(_)));
        Ok(Self {
            written: written.map(|(index, _)| index).collect(),
            hierarchies: hierarchies(program, schema),
            recipes: recipes.collect::<Result<_, _>>()?,
        })
    }
}

fn recipe(ruby: &Ruby, plan: &Plan, schema: &Schema, buffer: &BufferInfo) -> Result<Recipe, Error> {
    Ok(match &buffer.kind {
        BufferKind::Column { hierarchy, name, part } => {
            let column = schema.columns.iter().find(|c| c.hierarchy == *hierarchy && c.name == *name);
            let column = column.ok_or_else(|| missing(buffer))?;
            let traced = plan.asked.columns.iter().enumerate().filter(|(_, (variable, class))| {
                let variable = &plan.asked.variables[*variable as usize];
                variable.hierarchy == *hierarchy && variable.name == *name && column.classes.contains(class)
            });
            let columns =
                traced.map(|(index, (_, class))| (crate::classes::place(ruby, *class).1, index)).collect();
            let single = column.types.single_shape();
            Recipe::Column { hierarchy: *hierarchy, part: *part, single, columns }
        }
        BufferKind::ArrayOffset(kind) => Recipe::Offset(*kind),
        BufferKind::ArrayLength(kind) => Recipe::Length(*kind),
        BufferKind::ArrayValues(kind, part) => {
            let array = schema.arrays.iter().find(|a| a.kind == *kind).ok_or_else(|| missing(buffer))?;
            Recipe::Values(*kind, *part, array.types.single_shape())
        }
        BufferKind::Base(part) => Recipe::Base(*part, schema.base.single_shape()),
        // Nothing is given at first: all zeros.
        BufferKind::Result(_) | BufferKind::Captured(..) | BufferKind::CapturedTick(_) => Recipe::Result,
        BufferKind::ResultWords => Recipe::ResultWords,
        BufferKind::Scratch => Recipe::Scratch,
        BufferKind::Frozen(hierarchy) => Recipe::Frozen(*hierarchy),
        BufferKind::FrozenArray(kind) => Recipe::FrozenArray(*kind),
        BufferKind::SymbolRanks => Recipe::SymbolRanks,
    })
}

fn missing(buffer: &BufferInfo) -> Error {
    Error::Internal(format!("{:?} is not in the schema", buffer.kind))
}

fn own_hierarchies(types: &TypeSet, all: &mut Vec<HierarchyId>) {
    for ty in types {
        match ty {
            Type::Object(hierarchy, _) => all.push(*hierarchy),
            Type::Tuple(items) => items.iter().for_each(|types| own_hierarchies(types, all)),
            _ => {}
        }
    }
}

/// The hierarchies whose ids the program can come across.
fn hierarchies(program: &Program, schema: &Schema) -> Vec<HierarchyId> {
    let mut all = Vec::new();
    let sets = schema.columns.iter().map(|c| &c.types).chain(schema.arrays.iter().map(|a| &a.types));
    for types in sets.chain([&schema.base, &schema.result]).chain(&schema.lists) {
        own_hierarchies(types, &mut all);
    }
    all.extend(schema.columns.iter().map(|c| c.hierarchy));
    for buffer in &program.buffers {
        if let BufferKind::Column { hierarchy, .. } | BufferKind::Frozen(hierarchy) = &buffer.kind {
            all.push(*hierarchy);
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
    pub fn build(
        ruby: &Ruby,
        traced: &Traced<'_>,
        layout: &Layout,
        inferred: &Inferred,
        room: Room,
    ) -> Result<Self, Trouble> {
        let too_large = || Trouble::Plain(TOO_LARGE.into());
        let reached = traced.tracer.reached;
        let mut hierarchies = layout.hierarchies.clone();
        for root in &traced.roots {
            if let Type::Object(hierarchy, _) = root.ty {
                hierarchies.push(hierarchy);
            }
        }
        let ids = Ids::new(ruby, reached, &hierarchies).ok_or_else(too_large)?;
        for elements in &traced.tracer.elements {
            i32::try_from(elements.reading.len() + 1).map_err(|_| too_large())?;
        }
        let length = traced.tracer.base.len();
        i32::try_from(length).map_err(|_| too_large())?;
        if layout.recipes.iter().any(|r| matches!(r, Recipe::ResultWords)) {
            i32::try_from(length.saturating_mul(room.result)).map_err(|_| too_large())?;
        }
        let program = &inferred.program;
        let buffers = program.buffers.iter().zip(&layout.recipes);
        let buffers =
            buffers.map(|(buffer, recipe)| fill(ruby, buffer, recipe, traced, &ids, room)).collect();
        let scalars = program.scalars.iter().map(|info| scalar(info, traced, &ids, room)).collect();
        let jobs = jobs(traced, &inferred.schema, &ids, !layout.written.is_empty())?;
        let spans = traced.tracer.elements.iter().map(|elements| elements.spans.clone()).collect();
        Ok(Self { buffers, scalars, jobs, ids, spans, length })
    }
}

fn fill(
    ruby: &Ruby,
    buffer: &BufferInfo,
    recipe: &Recipe,
    traced: &Traced<'_>,
    ids: &Ids,
    room: Room,
) -> Column {
    let tracer = &traced.tracer;
    let reached = tracer.reached;
    match recipe {
        Recipe::Column { hierarchy, part, single, columns } => {
            let mut column = Column::zeros(buffer.ty, ids.count(*hierarchy));
            for (place, index) in columns {
                let at = ids.base(*hierarchy, *place) as usize;
                write(&mut column, at, &tracer.columns[*index], *part, *single, ids);
            }
            column
        }
        Recipe::Offset(kind) => Column::I32(spans(traced, *kind).iter().map(|span| span.0 as i32).collect()),
        Recipe::Length(kind) => {
            let rows = 0..reached.arrays(kind.0);
            // SAFETY: listed arrays are live.
            let length =
                |row| reached.array(kind.0, row).map_or(0, |a| unsafe { rb_sys::RARRAY_LEN(a) } as i32);
            let spans = spans(traced, *kind);
            // A length goes with the elements that were read with it.
            Column::I32(rows.map(|row| spans.get(row).map_or_else(|| length(row), |s| s.1 as i32)).collect())
        }
        Recipe::Values(kind, part, single) => {
            let elements = tracer.elements.get(kind.0 as usize);
            let length = elements.map_or(0, |e| e.reading.len());
            let mut column = Column::zeros(buffer.ty, length + 1);
            if let Some(elements) = elements {
                write(&mut column, 0, &elements.reading, *part, *single, ids);
            }
            column
        }
        Recipe::Base(part, single) => {
            let mut column = Column::zeros(buffer.ty, tracer.base.len());
            write(&mut column, 0, &tracer.base, *part, *single, ids);
            column
        }
        Recipe::Result => Column::zeros(buffer.ty, tracer.base.len()),
        Recipe::ResultWords => Column::zeros(buffer.ty, tracer.base.len() * room.result),
        Recipe::Scratch => Column::zeros(buffer.ty, room.scratch),
        Recipe::Frozen(hierarchy) => Column::Bool(frozen_objects(reached, ids, *hierarchy)),
        Recipe::SymbolRanks => Column::I32(value::symbol_ranks(ruby)),
        Recipe::FrozenArray(kind) => {
            let arrays = (0..).map_while(|row| reached.array(kind.0, row));
            // SAFETY: listed arrays are live.
            Column::Bool(arrays.map(|array| u8::from(unsafe { value::frozen(array) })).collect())
        }
    }
}

fn spans<'a>(traced: &'a Traced<'_>, kind: ArrayKind) -> &'a [(u32, u32)] {
    traced.tracer.elements.get(kind.0 as usize).map_or(&[], |elements| &elements.spans)
}

fn frozen_objects(reached: &Reached, ids: &Ids, hierarchy: HierarchyId) -> Vec<u8> {
    let mut flags = Vec::with_capacity(ids.count(hierarchy));
    for class in ids.classes(hierarchy) {
        let objects = (0..).map_while(|row| reached.object(*class, row));
        // SAFETY: listed objects are live.
        flags.extend(objects.map(|object| u8::from(unsafe { value::frozen(object) })));
    }
    flags
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

/// Writes a reading into `column` from index `at` on: tags, or payloads in the column's type. `single` is the shape of
/// all values that the column can hold, where there is one.
fn write(column: &mut Column, at: usize, reading: &Reading, part: Part, single: Option<Shape>, ids: &Ids) {
    let payload = reading.payload.iter();
    match (part, column) {
        (Part::Tag, Column::I32(tags)) => {
            for (row, tag) in tags[at..at + reading.len()].iter_mut().enumerate() {
                *tag = reading.tag(row);
            }
        }
        (Part::Payload, Column::F64(to)) => {
            to[at..].iter_mut().zip(payload).for_each(|(to, bits)| *to = f64::from_bits(*bits as u64));
        }
        (Part::Payload, Column::Bool(to)) => {
            to[at..].iter_mut().zip(payload).for_each(|(to, truth)| *to = *truth as u8);
        }
        (Part::Payload, Column::I32(to)) => match single {
            Some(shape @ Shape::Object(_)) => {
                to[at..].iter_mut().zip(payload).for_each(|(to, row)| *to = stored(shape, *row, ids) as i32);
            }
            // The plan has checked that integers fit.
            _ => to[at..].iter_mut().zip(payload).for_each(|(to, number)| *to = *number as i32),
        },
        (Part::Payload, Column::I64(to)) => match single {
            Some(shape) => {
                to[at..].iter_mut().zip(payload).for_each(|(to, number)| *to = stored(shape, *number, ids));
            }
            None => {
                for (row, (to, number)) in to[at..].iter_mut().zip(payload).enumerate() {
                    *to =
                        Shape::of_tag(reading.tag(row)).map_or(*number, |shape| stored(shape, *number, ids));
                }
            }
        },
        (Part::Tag, _) => unreachable!("the verifier lets tags be I32 only"),
    }
}

fn scalar(info: &ScalarInfo, traced: &Traced<'_>, ids: &Ids, room: Room) -> u64 {
    match info.source {
        ScalarSource::Root(number, part) => {
            let reading = &traced.roots[number as usize].reading;
            let Some(payload) = reading.payload.first() else { return 0 };
            match part {
                Part::Tag => reading.tag(0) as i64 as u64,
                Part::Payload => match Shape::of_tag(reading.tag(0)) {
                    Some(Shape::Integer) if info.ty == Ty::F64 => (*payload as f64).to_bits(),
                    Some(shape) => stored(shape, *payload, ids) as u64,
                    None => 0,
                },
            }
        }
        ScalarSource::RootRange(number, end) => traced.roots[number as usize].ends[end as usize],
        ScalarSource::ClassBase(hierarchy, place) => u64::from(ids.base(hierarchy, place)),
        ScalarSource::ScratchWords => room.scratch as u64,
        ScalarSource::ResultWords => room.result as u64,
        ScalarSource::BaseLength => traced.tracer.base.len() as u64,
    }
}

/// The entry that each element runs, and the rounds that keep an object's repetitions apart.
fn jobs(traced: &Traced<'_>, schema: &Schema, ids: &Ids, writes: bool) -> Result<JobOrder, Error> {
    let base = &traced.tracer.base;
    let find = |ty: &Type| {
        let entry = schema.entries.iter().position(|types: &TypeSet| types.contains(ty));
        entry.map(|entry| entry as u16).ok_or_else(|| Error::Internal(format!("no entry takes {ty:?}")))
    };
    let types = base.found().types();
    let entry_of = match types.single() {
        Some(ty) => vec![find(ty)?; base.len()],
        None => {
            let mut cache: Vec<((i32, i64), u16)> = Vec::new();
            let mut entries = Vec::with_capacity(base.len());
            for row in 0..base.len() {
                let (tag, payload) = (base.tag(row), base.payload[row]);
                let key = (tag, exact(tag, payload));
                let entry = match cache.iter().find(|(known, _)| *known == key) {
                    Some((_, entry)) => *entry,
                    None => {
                        let entry = find(&type_of(tag, payload, ids)?)?;
                        cache.push((key, entry));
                        entry
                    }
                };
                entries.push(entry);
            }
            entries
        }
    };
    let repeats = (writes && traced.tracer.base_repeats).then(|| {
        let mut times = rustc_hash::FxHashMap::default();
        let count = |row: usize| {
            if base.tag(row) < Shape::Object(HierarchyId(0)).tag() {
                return 0;
            }
            let seen: &mut u32 = times.entry((base.tag(row), base.payload[row])).or_default();
            *seen += 1;
            *seen - 1
        };
        (0..base.len()).map(count).collect::<Vec<u32>>()
    });
    Ok(JobOrder::new(&entry_of, schema.entries.len(), repeats.as_deref()))
}

/// What of a payload belongs to the exact type: the class of an object, the truth of a boolean.
const fn exact(tag: i32, payload: i64) -> i64 {
    match Shape::of_tag(tag) {
        Some(Shape::Object(_)) => split_object(payload).0 as i64,
        Some(Shape::Bool) => payload,
        _ => 0,
    }
}

fn type_of(tag: i32, payload: i64, ids: &Ids) -> Result<Type, Error> {
    Ok(match Shape::of_tag(tag) {
        Some(Shape::Nil) => Type::Nil,
        Some(Shape::Bool) if payload == 0 => Type::False,
        Some(Shape::Bool) => Type::True,
        Some(Shape::Integer) => Type::Integer,
        Some(Shape::Float) => Type::Float,
        Some(Shape::Symbol) => Type::Symbol,
        Some(Shape::Object(hierarchy)) => {
            let place = split_object(payload).0 as usize;
            let class = ids.classes(hierarchy).get(place);
            Type::Object(hierarchy, *class.ok_or_else(|| Error::Internal("a class without a place".into()))?)
        }
        Some(Shape::Array(kind)) => Type::Array(kind),
        Some(Shape::Local | Shape::List | Shape::Module) | None => {
            return Err(Error::Internal(format!("tag {tag} in the base")));
        }
    })
}
