//! The trace plan of a compiled section: what was asked and what the answers allowed. A later call asks the same at
//! once, checks every answer, and only where one does not fit is the section inferred anew.

use crate::reading::array_kinds::Holder;
use crate::reading::base::{Base, Source};
use crate::reading::column_builder::SeenTypes;
use crate::reading::remembered::{Remembered, Rows};
use crate::reading::roots::{self, BlockScope, RootValue};
use crate::reading::symbols::Symbols;
use crate::reading::tracer::{Asked, BaseValues, Kept, Tracer};
use crate::vm::errors::{Stop, Trouble};
use crate::vm::hash_layout;
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use crate::vm::value;
use ikra_core::faults;
use ikra_core::heap::schema::{ArraySchema, BaseColumn, ColumnSchema, Form, Stored};
use ikra_core::infer::{Inferred, VARIABLES};
use ikra_core::ir::{BufferInfo, BufferKind, Watched};
use ikra_core::scalar::Interval;
use ikra_core::types::{ArrayKind, Collection, HashDefault, HashPart, HierarchyId, Type, TypeSet};
use rb_sys::VALUE;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub struct PlannedRoot {
    pub source: roots::Source,
    pub ty: Type,
    /// In which an Integer must lie.
    pub interval: Interval,
    /// It must be this Integer.
    pub wide: Option<i128>,
    /// A Regexp has so many groups.
    pub groups: Option<u32>,
    /// It must be the same Proc as this root before it.
    pub same_as: Option<u32>,
    /// What the one default block sees that all Hashes of a kind have; else there were several, and it is not used.
    pub is_of_one_proc: bool,
}

impl PlannedRoot {
    /// Is it as it was whether all Hashes have one default block?
    fn has_procs(&self, is_one: bool) -> bool {
        self.source.hashes_of_one_proc().is_none() || self.is_of_one_proc == is_one
    }

    fn fits(&self, root: &RootValue) -> bool {
        root.ty == self.ty
            && root.groups == self.groups
            && root.wide == self.wide
            && root.integer().is_none_or(|number| self.interval.contains(number))
    }

    /// The root's value, if it fits.
    fn value(
        &self,
        scope: &BlockScope<'_>,
        tracer: &mut Tracer<'_>,
        number: usize,
        value: VALUE,
    ) -> Result<Option<RootValue>, Trouble> {
        match RootValue::read(scope.ruby, tracer, number as u32, &self.source, value) {
            // Another version may not need to know it.
            Err(Trouble::Stop(Stop::Overflow(_))) => Ok(None),
            root => Ok(Some(root?).filter(|root| self.fits(root))),
        }
    }
}

/// What the code names around it.
pub struct Named {
    pub roots: Vec<PlannedRoot>,
    /// Constants and class variables that were not there.
    pub absent: Vec<roots::Source>,
    /// Two roots that are local variables, and whether they are one.
    pub variables: Vec<(u32, u32, bool)>,
}

/// What a column of the base may hold.
#[derive(Clone, Debug)]
enum PlannedColumn {
    /// Those of an `Ikra::Column` are stored just so.
    Items(SeenTypes, Stored),
    Unread,
    Index,
    /// They must fit 32 bits.
    Series {
        narrow: bool,
    },
}

impl PlannedColumn {
    /// Is it compiled for this, whatever the items are?
    fn takes(&self, source: &Source, length: u64) -> bool {
        match (self, source) {
            (Self::Items(..) | Self::Unread, Source::Items(_)) | (Self::Unread, Source::Memory(_)) => true,
            (Self::Items(_, stored), Source::Memory(snapshot)) => {
                *stored == Stored::items(snapshot.array.ty())
            }
            (Self::Index, Source::Series(series)) => series.is_index(),
            (Self::Series { narrow }, Source::Series(series)) => {
                !series.is_index() && (!narrow || series.is_narrow(length as usize))
            }
            _ => false,
        }
    }

    fn fits(&self, values: &BaseValues) -> bool {
        match (self, values) {
            (Self::Items(allowed, _), BaseValues::Items(builder, _) | BaseValues::InOrder(builder, ..)) => {
                builder.seen().within(allowed)
            }
            _ => true,
        }
    }
}

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Plan {
    pub asked: Asked,
    roots: Vec<PlannedRoot>,
    /// What the code names and was not there.
    absent: Vec<roots::Source>,
    /// Two of them that are local variables, and whether they are one.
    variables: Vec<(u32, u32, bool)>,
    base: Vec<PlannedColumn>,
    arguments: Vec<Form>,
    takes_apart: bool,
    /// What each column of `asked.columns` may hold.
    columns: Vec<SeenTypes>,
    /// The same, with all that the section writes into other objects of the hierarchy.
    stored: Vec<SeenTypes>,
    /// What the arrays of each kind may hold.
    elements: Vec<SeenTypes>,
    /// Nothing of these may be frozen.
    unfrozen: Vec<HierarchyId>,
    unfrozen_arrays: Vec<ArrayKind>,
    /// See [`Tracer::unchanged`].
    unchanged: Vec<(ArrayKind, [ArrayKind; 2])>,
}

/// All that a run needs of the live objects.
pub struct Traced<'a> {
    /// Apart, as it is handed on several times.
    pub tracer: Box<Tracer<'a>>,
    pub roots: Vec<RootValue>,
    /// Is all of the types that were planned?
    pub is_exact: bool,
    /// It was remembered so.
    pub rows: Option<Rows>,
}

/// What has numbers already when all is read again.
#[derive(Clone, Copy)]
pub struct Before<'b> {
    pub pinned: &'b Pinned,
    /// What the section has made.
    pub kept: &'b [Kept],
    pub symbols: &'b Symbols,
}

/// What is not as it was planned.
#[derive(Clone, Copy, Debug)]
pub enum Misfit {
    /// A variable around the section, or what the code names.
    Root,
    Base,
    /// Two local variables are one now, or are not any more.
    Variables,
    /// An instance variable of a class.
    Column(usize),
    /// The items of arrays of a kind.
    Items,
    Kinds,
    Frozen,
    Others,
}

impl Misfit {
    /// In words.
    pub fn told(self, plan: &Plan, pool: &ObjectPool) -> String {
        match self {
            Self::Column(column) => {
                let (variable, class) = plan.asked.columns[column];
                let name = &plan.asked.variables[variable as usize].name;
                let class = pool.name(class);
                if name == VARIABLES {
                    return format!("an object of {class} has other instance variables than before");
                }
                format!("`{name}` of {class} holds something of another class than before")
            }
            Self::Items => "an array holds something of another class than before".into(),
            Self::Frozen => "something has been frozen that was not".into(),
            Self::Root | Self::Variables => "a variable holds something of another class than before".into(),
            Self::Base | Self::Kinds | Self::Others => {
                "there are objects of other classes or arrays elsewhere than before".into()
            }
        }
    }
}

fn planned(column: &BaseColumn) -> PlannedColumn {
    match column {
        BaseColumn::Items(stored) => PlannedColumn::Items(SeenTypes::of(stored), stored.clone()),
        BaseColumn::Unread => PlannedColumn::Unread,
        BaseColumn::Index => PlannedColumn::Index,
        BaseColumn::Series { narrow } => PlannedColumn::Series { narrow: *narrow },
    }
}

/// The Hashes that the section leaves as they are and of whose parts nobody asks what they are, with the kinds of their
/// keys and values.
fn unchanged(asked: &Asked, inferred: &Inferred, unfrozen: &[ArrayKind]) -> Vec<(ArrayKind, [ArrayKind; 2])> {
    let Inferred { program, schema, .. } = inferred;
    // What Ruby does in the middle may change them.
    if !hash_layout::confirmed() || !schema.syncs.is_empty() {
        return Vec::new();
    }
    let part = |kind, part| asked.kinds.kind(Holder::Part(kind, part));
    let is_as_read = |of: ArrayKind| {
        let is_written = |array: &ArraySchema| {
            array.kind == of && (array.written || array.made || array.local || array.grows)
        };
        let is_asked = |info: &BufferInfo| match info.kind {
            BufferKind::ArrayRoom(kind) | BufferKind::ArrayEnds(kind) | BufferKind::FrozenArray(kind) => {
                kind == of
            }
            BufferKind::Marks(Watched::Arrays(kind)) => kind == of,
            _ => false,
        };
        !unfrozen.contains(&of)
            && !schema.arrays.iter().any(is_written)
            && !program.buffers.iter().any(is_asked)
            && !schema.types().any(|types| mentions(types, of))
    };
    let kinds = (0..asked.kinds.len() as u32).map(ArrayKind).filter_map(|kind| {
        let Some(Collection::Hash(sort)) = asked.kinds.collection(kind) else { return None };
        let is_changed = schema.hashes.contains_key(&kind) || schema.given_defaults.contains_key(&kind);
        let own = [HashPart::Slots, HashPart::Given].into_iter().any(|own| part(kind, own).is_some());
        if asked.kinds.find(kind) != kind || is_changed || own || sort.default == HashDefault::Value {
            return None;
        }
        let parts = [part(kind, HashPart::Keys)?, part(kind, HashPart::Values)?];
        (parts[0] != parts[1] && parts.into_iter().all(is_as_read)).then_some((kind, parts))
    });
    kinds.collect()
}

fn mentions(types: &TypeSet, kind: ArrayKind) -> bool {
    types.iter().any(|ty| match ty {
        Type::Array(of) => *of == kind,
        Type::Tuple(items) => items.iter().any(|types| mentions(types, kind)),
        Type::Record(record) => record.fields.iter().any(|(_, types)| mentions(types, kind)),
        _ => false,
    })
}

impl Plan {
    /// What the tracer was asked and answered while `inferred` came about.
    pub fn new(
        tracer: &Tracer<'_>,
        Named { roots, absent, variables }: Named,
        (unfrozen, unfrozen_arrays): (Vec<HierarchyId>, Vec<ArrayKind>),
        inferred: &Inferred,
    ) -> Self {
        let asked = tracer.asked_once();
        let schema = &inferred.schema;
        let columns = asked.columns.iter().enumerate().map(|(index, (variable, class))| {
            let variable = &asked.variables[*variable as usize];
            let told = Stored::written(tracer.column(index).types);
            let is_it = |c: &&ColumnSchema| c.hierarchy == variable.hierarchy && c.name == variable.name;
            let Some(column) = schema.columns.iter().find(is_it) else { return SeenTypes::of(&told) };
            // Inference knows each class's own values besides what the section writes. For a class alone both
            // together are what is stored; with several, values that were written need an inference of their own.
            // A variable that keeps what elements make has nil in it for the sake of the tag: code that reads it knows of
            // no nil unless there was one.
            let keeps_made = column.stored.types.iter().any(|ty| matches!(ty, Type::List(_) | Type::Made(_)));
            let nil_is_new = keeps_made && !told.types.contains(&Type::Nil);
            // Of another class only walks have asked that came to nothing.
            if column.classes[..] != [*class] {
                return SeenTypes::of(&Stored { narrow: column.stored.narrow, ..told });
            }
            if nil_is_new {
                let types = column.stored.types.filter(|ty| *ty != Type::Nil);
                return SeenTypes::of(&Stored { types, narrow: column.stored.narrow });
            }
            SeenTypes::of(&column.stored)
        });
        let stored = asked.columns.iter().enumerate().map(|(index, (variable, _))| {
            let variable = &asked.variables[*variable as usize];
            let is_it = |c: &&ColumnSchema| c.hierarchy == variable.hierarchy && c.name == variable.name;
            match schema.columns.iter().find(is_it) {
                Some(column) => SeenTypes::of(&column.stored),
                None => SeenTypes::of(&Stored::written(tracer.column(index).types)),
            }
        });
        let elements = (0..asked.kinds.len() as u32).map(|kind| {
            let kind = ArrayKind(kind);
            match schema.arrays.iter().find(|a| a.kind == kind) {
                Some(array) => SeenTypes::of(&array.stored),
                None => SeenTypes::of(&Stored::written(tracer.kind_contents(kind).types)),
            }
        });
        Self {
            base: schema.base.columns.iter().map(planned).collect(),
            arguments: schema.base.arguments.clone(),
            takes_apart: schema.base.takes_apart,
            columns: columns.collect(),
            stored: stored.collect(),
            elements: elements.collect(),
            roots,
            absent,
            variables,
            unchanged: unchanged(&asked, inferred, &unfrozen_arrays),
            unfrozen,
            unfrozen_arrays,
            asked,
        }
    }

    /// Traces as planned, or tells what was found that the section was not compiled for. `known`: what has numbers already.
    pub fn follow<'a>(
        &self,
        pinned: &'a Pinned,
        pool: &Rc<ObjectPool>,
        scope: &BlockScope<'a>,
        base: &Base,
        known: Option<Before<'_>>,
    ) -> Result<Result<Traced<'a>, Misfit>, Trouble> {
        match self.trace(pinned, pool, scope, base, (known, None)) {
            Err(Trouble::Stop(Stop::Misfit)) => Ok(Err(Misfit::Others)),
            traced => traced,
        }
    }

    /// The same, if what was found in a call before is still there. `None`: there is something else.
    pub fn recall<'a>(
        &self,
        pinned: &'a Pinned,
        pool: &Rc<ObjectPool>,
        scope: &BlockScope<'a>,
        base: &Base,
        remembered: Remembered,
    ) -> Result<Option<Result<Traced<'a>, Misfit>>, Trouble> {
        match self.trace(pinned, pool, scope, base, (None, Some(remembered))) {
            Err(Trouble::Stop(Stop::Forgotten)) => Ok(None),
            Err(Trouble::Stop(Stop::Misfit)) => Ok(Some(Err(Misfit::Others))),
            traced => traced.map(Some),
        }
    }

    /// Is the base one that the section was compiled for, as far as that can be said without its items?
    pub fn takes(&self, base: &Base) -> bool {
        let columns = || self.base.iter().zip(&base.columns);
        self.base.len() == base.columns.len()
            && columns().all(|(planned, source)| planned.takes(source, base.len()))
            && (&self.arguments, self.takes_apart) == (&base.arguments, base.takes_apart)
    }

    /// How a root is read.
    pub fn root(&self, number: u32) -> &roots::Source {
        &self.roots[number as usize].source
    }

    /// Which columns of the base are not read?
    fn unread(&self) -> Vec<bool> {
        self.base.iter().map(|column| matches!(column, PlannedColumn::Unread)).collect()
    }

    fn base_fits(&self, tracer: &Tracer<'_>) -> bool {
        self.base.iter().zip(&tracer.base).all(|(planned, values)| planned.fits(values))
    }

    fn trace<'a>(
        &self,
        pinned: &'a Pinned,
        pool: &Rc<ObjectPool>,
        scope: &BlockScope<'a>,
        base: &Base,
        (known, remembered): (Option<Before<'_>>, Option<Remembered>),
    ) -> Result<Result<Traced<'a>, Misfit>, Trouble> {
        let Some(values) = self.root_values(pool, scope)? else { return Ok(Err(Misfit::Root)) };
        let mut tracer = Box::new(Tracer::new(scope.ruby, pinned, pool, self.asked.clone()));
        tracer.unchanged.clone_from(&self.unchanged);
        if let Some(before) = known {
            tracer.begin_with(before.pinned, before.kept)?;
            tracer.symbols = Symbols::new(before.symbols.all().to_vec());
        }
        faults::point("reading the array")?;
        let unread = self.unread();
        let mut rows = match remembered {
            Some(last) => Some(last.recall(&mut tracer, base, &unread)?.ok_or(Stop::Forgotten)?),
            None => {
                tracer.read_base(base, &unread)?;
                None
            }
        };
        if !self.base_fits(&tracer) {
            return Ok(Err(Misfit::Base));
        }
        let Some(mut roots) = self.roots(scope, &mut tracer, values)? else {
            return Ok(Err(Misfit::Root));
        };
        faults::point("reading the objects")?;
        tracer.drain()?;
        if !self.default_blocks(pool, scope, &mut tracer, &mut roots)? {
            return Ok(Err(Misfit::Root));
        }
        let Some(roots) = roots.into_iter().collect() else { return Ok(Err(Misfit::Root)) };
        for (one, other, are_one) in &self.variables {
            if scope.is_one_variable(self.root(*one), self.root(*other), pool)? != *are_one {
                return Ok(Err(Misfit::Variables));
            }
        }
        faults::point("checking what was read")?;
        let exact = self.misfit(&tracer, &self.columns);
        // What the section itself has written since is of the types that it knows.
        let misfit =
            if known.is_some() && exact.is_some() { self.misfit(&tracer, &self.stored) } else { exact };
        if let Some(misfit) = misfit {
            return Ok(Err(misfit));
        }
        if tracer.kinds_changed() {
            return Ok(Err(Misfit::Kinds));
        }
        if !self.is_unfrozen(&tracer) {
            return Ok(Err(Misfit::Frozen));
        }
        if let Some(rows) = &mut rows {
            rows.end(&mut tracer);
        }
        Ok(Ok(Traced { tracer, roots, is_exact: exact.is_none(), rows }))
    }

    /// Reads the default blocks of Hashes, when those are found, and what these see. False where they do not fit.
    fn default_blocks(
        &self,
        pool: &ObjectPool,
        scope: &BlockScope<'_>,
        tracer: &mut Tracer<'_>,
        roots: &mut [Option<RootValue>],
    ) -> Result<bool, Trouble> {
        for (number, planned) in self.roots.iter().enumerate() {
            let Some(kind) = planned.source.hashes() else { continue };
            let (block, is_one) = tracer.default_block(kind);
            if block == value::NIL || !planned.has_procs(is_one) {
                return Ok(false);
            }
            scope.note_default_block(kind, block);
            let Some(found) = planned.source.read(scope, pool)? else { return Ok(false) };
            roots[number] = planned.value(scope, tracer, number, found)?;
            if roots[number].is_none() {
                return Ok(false);
            }
            tracer.drain()?;
        }
        Ok(self.roots.iter().all(|root| {
            let kind = root.source.hashes_of_one_proc();
            kind.is_none_or(|kind| root.has_procs(tracer.default_block(kind).1))
        }))
    }

    /// Looks at some of the objects only. False where [`follow`](Self::follow) would find that they do not fit.
    pub fn may_fit(
        &self,
        pinned: &Pinned,
        pool: &Rc<ObjectPool>,
        scope: &BlockScope<'_>,
        base: &Base,
    ) -> Result<bool, Trouble> {
        let sample = || {
            let Some(values) = self.root_values(pool, scope)? else { return Ok(false) };
            let mut tracer = Tracer::new(scope.ruby, pinned, pool, self.asked.clone());
            if self.roots(scope, &mut tracer, values)?.is_none() {
                return Ok(false);
            }
            tracer.sample(base, &self.unread())?;
            Ok(self.may_hold(&tracer, &self.columns) && !tracer.kinds_changed())
        };
        match sample() {
            Err(Trouble::Stop(Stop::Misfit)) => Ok(false),
            // That is said by who reads all.
            Err(Trouble::Stop(_)) => Ok(true),
            sampled => sampled,
        }
    }

    /// What inference has read, if that is what [`follow`](Self::follow) would read, were the objects as they were.
    pub fn adopt<'a>(&self, mut tracer: Box<Tracer<'a>>, roots: Vec<RootValue>) -> Option<Traced<'a>> {
        let same = roots.iter().zip(&self.roots).all(|(root, planned)| planned.fits(root));
        (same && tracer.is_as_begun() && self.fits(&mut tracer)).then_some(Traced {
            tracer,
            roots,
            is_exact: true,
            rows: None,
        })
    }

    /// The values of the roots now, but of those that Hashes tell; `None` where one is not there any more, or one is there
    /// that was not.
    fn root_values(
        &self,
        pool: &ObjectPool,
        scope: &BlockScope<'_>,
    ) -> Result<Option<Vec<Option<VALUE>>>, Trouble> {
        for source in &self.absent {
            if !source.private(scope, pool)? && source.read(scope, pool)?.is_some() {
                return Ok(None);
            }
        }
        let mut values = Vec::with_capacity(self.roots.len());
        for root in &self.roots {
            if root.source.hashes().is_some() {
                values.push(None);
                continue;
            }
            match root.source.read(scope, pool)? {
                Some(value) => values.push(Some(value)),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    fn roots(
        &self,
        scope: &BlockScope<'_>,
        tracer: &mut Tracer<'_>,
        values: Vec<Option<VALUE>>,
    ) -> Result<Option<Vec<Option<RootValue>>>, Trouble> {
        let differs = |planned: &PlannedRoot, value: &Option<VALUE>| {
            planned.same_as.is_some_and(|same| values[same as usize] != *value)
        };
        if self.roots.iter().zip(&values).any(|(planned, value)| differs(planned, value)) {
            return Ok(None);
        }
        let mut roots = Vec::with_capacity(values.len());
        for (number, (planned, value)) in self.roots.iter().zip(values).enumerate() {
            let Some(value) = value else {
                roots.push(None);
                continue;
            };
            match planned.value(scope, tracer, number, value)? {
                Some(root) => roots.push(Some(root)),
                None => return Ok(None),
            }
        }
        Ok(Some(roots))
    }

    fn fits(&self, tracer: &mut Tracer<'_>) -> bool {
        self.may_hold(tracer, &self.columns) && !tracer.kinds_changed() && self.is_unfrozen(tracer)
    }

    fn is_unfrozen(&self, tracer: &Tracer<'_>) -> bool {
        !self.unfrozen.iter().any(|hierarchy| tracer.any_frozen(*hierarchy))
            && !self.unfrozen_arrays.iter().any(|kind| tracer.any_frozen_array(*kind))
    }

    /// Is what was read so far of the types that were planned?
    fn may_hold(&self, tracer: &Tracer<'_>, columns: &[SeenTypes]) -> bool {
        self.misfit(tracer, columns).is_none()
    }

    /// Are there types among those that were planned of which nothing was read? What cannot run may be due to these alone.
    pub fn is_wider_than(&self, tracer: &Tracer<'_>) -> bool {
        let of_base = self.base.iter().zip(&tracer.base).any(|(planned, values)| match (planned, values) {
            (
                PlannedColumn::Items(allowed, _),
                BaseValues::Items(found, _) | BaseValues::InOrder(found, ..),
            ) => allowed.has_more_than(found.seen()),
            _ => false,
        });
        let columns = tracer.columns.iter().map(|column| column.seen()).zip(&self.columns);
        let elements = tracer.elements.iter().map(|e| e.builder.seen()).zip(&self.elements);
        of_base || columns.chain(elements).any(|(found, allowed)| allowed.has_more_than(found))
    }

    /// What was read so far that is not of the types that were planned, in columns of these.
    fn misfit(&self, tracer: &Tracer<'_>, columns: &[SeenTypes]) -> Option<Misfit> {
        if !self.base_fits(tracer) {
            return Some(Misfit::Base);
        }
        let mut columns = tracer.columns.iter().zip(columns);
        if let Some(column) = columns.position(|(column, allowed)| !column.seen().within(allowed)) {
            return Some(Misfit::Column(column));
        }
        let mut elements = tracer.elements.iter().zip(&self.elements);
        if elements.any(|(e, allowed)| !e.builder.seen().within(allowed)) {
            return Some(Misfit::Items);
        }
        (tracer.elements.len() > self.elements.len()).then_some(Misfit::Kinds)
    }
}
