//! The trace plan of a compiled section: what was asked and what the answers allowed. A later call asks the same at
//! once, checks every answer, and only where one does not fit is the section inferred anew.

use crate::reading::column_builder::SeenTypes;
use crate::reading::roots::{BlockScope, RootValue, Source};
use crate::reading::tracer::{Asked, Tracer};
use crate::vm::errors::{Stop, Trouble};
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use ikra_core::faults;
use ikra_core::heap::schema::{ColumnSchema, Stored};
use ikra_core::infer::Inferred;
use ikra_core::types::{ArrayKind, HierarchyId, Type};
use rb_sys::VALUE;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub struct PlannedRoot {
    pub source: Source,
    pub ty: Type,
    /// The value must fit 32 bits.
    pub narrow: bool,
}

impl PlannedRoot {
    fn fits(&self, root: &RootValue) -> bool {
        root.ty == self.ty && (!self.narrow || root.narrow())
    }
}

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Plan {
    pub asked: Asked,
    roots: Vec<PlannedRoot>,
    base: SeenTypes,
    /// What each column of `asked.columns` may hold.
    columns: Vec<SeenTypes>,
    /// What the arrays of each kind may hold.
    elements: Vec<SeenTypes>,
    /// Nothing of these may be frozen.
    unfrozen: Vec<HierarchyId>,
    unfrozen_arrays: Vec<ArrayKind>,
}

/// All that a run needs of the live objects.
pub struct Traced<'a> {
    pub tracer: Tracer<'a>,
    pub roots: Vec<RootValue>,
}

impl Plan {
    /// What the tracer was asked and answered while `inferred` came about.
    pub fn new(
        tracer: &Tracer<'_>,
        roots: Vec<PlannedRoot>,
        unfrozen: Vec<HierarchyId>,
        unfrozen_arrays: Vec<ArrayKind>,
        inferred: &Inferred,
    ) -> Self {
        let asked = tracer.asked.clone();
        let schema = &inferred.schema;
        let columns = asked.columns.iter().enumerate().map(|(index, (variable, _))| {
            let variable = &asked.variables[*variable as usize];
            let told = Stored::written(tracer.column(index).types);
            let is_it = |c: &&ColumnSchema| c.hierarchy == variable.hierarchy && c.name == variable.name;
            let Some(column) = schema.columns.iter().find(is_it) else { return SeenTypes::of(&told) };
            // Inference knows each class's own values besides what the section writes. For a class alone both
            // together are what is stored; with several, values that were written need an inference of their own.
            match column.classes.len() {
                1 => SeenTypes::of(&column.stored),
                _ => SeenTypes::of(&Stored { narrow: column.stored.narrow, ..told }),
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
            base: SeenTypes::of(&schema.base),
            columns: columns.collect(),
            elements: elements.collect(),
            roots,
            unfrozen,
            unfrozen_arrays,
            asked,
        }
    }

    /// Traces as planned. `None`: what was found is not what the section was compiled for.
    pub fn follow<'a>(
        &self,
        pinned: &'a Pinned,
        pool: &Rc<ObjectPool>,
        scope: &BlockScope<'a>,
        base: VALUE,
    ) -> Result<Option<Traced<'a>>, Trouble> {
        match self.trace(pinned, pool, scope, base) {
            Err(Trouble::Stop(Stop::Misfit)) => Ok(None),
            traced => traced,
        }
    }

    fn trace<'a>(
        &self,
        pinned: &'a Pinned,
        pool: &Rc<ObjectPool>,
        scope: &BlockScope<'a>,
        base: VALUE,
    ) -> Result<Option<Traced<'a>>, Trouble> {
        let Some(values) = self.root_values(pool, scope)? else { return Ok(None) };
        let mut tracer = Tracer::new(scope.ruby, pinned, pool, self.asked.clone());
        faults::point("reading the array")?;
        tracer.read_base(base)?;
        if !tracer.base.seen().within(&self.base) {
            return Ok(None);
        }
        let Some(roots) = self.roots(scope, &mut tracer, values)? else { return Ok(None) };
        faults::point("reading the objects")?;
        tracer.drain()?;
        faults::point("checking what was read")?;
        Ok(self.fits(&mut tracer).then_some(Traced { tracer, roots }))
    }

    /// Looks at some of the objects only. False where [`follow`](Self::follow) would find that they do not fit.
    pub fn may_fit(
        &self,
        pinned: &Pinned,
        pool: &Rc<ObjectPool>,
        scope: &BlockScope<'_>,
        base: VALUE,
    ) -> Result<bool, Trouble> {
        let sample = || {
            let Some(values) = self.root_values(pool, scope)? else { return Ok(false) };
            let mut tracer = Tracer::new(scope.ruby, pinned, pool, self.asked.clone());
            if self.roots(scope, &mut tracer, values)?.is_none() {
                return Ok(false);
            }
            tracer.sample(base)?;
            Ok(self.may_hold(&mut tracer))
        };
        match sample() {
            Err(Trouble::Stop(Stop::Misfit)) => Ok(false),
            // That is said by who reads all.
            Err(Trouble::Stop(_)) => Ok(true),
            sampled => sampled,
        }
    }

    /// What inference has read, if that is what [`follow`](Self::follow) would read, were the objects as they were.
    pub fn adopt<'a>(&self, mut tracer: Tracer<'a>, roots: Vec<RootValue>) -> Option<Traced<'a>> {
        let same = roots.iter().zip(&self.roots).all(|(root, planned)| planned.fits(root));
        (same && tracer.is_as_begun() && self.fits(&mut tracer)).then_some(Traced { tracer, roots })
    }

    /// The values of the roots now; `None` where one is not there any more.
    fn root_values(&self, pool: &ObjectPool, scope: &BlockScope<'_>) -> Result<Option<Vec<VALUE>>, Trouble> {
        let mut values = Vec::with_capacity(self.roots.len());
        for root in &self.roots {
            match root.source.read(scope, pool)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    fn roots(
        &self,
        scope: &BlockScope<'_>,
        tracer: &mut Tracer<'_>,
        values: Vec<VALUE>,
    ) -> Result<Option<Vec<RootValue>>, Trouble> {
        let mut roots = Vec::with_capacity(values.len());
        for (number, (planned, value)) in self.roots.iter().zip(values).enumerate() {
            let root = match RootValue::read(scope.ruby, tracer, number as u32, &planned.source, value) {
                // Another version may not need to know it.
                Err(Trouble::Stop(Stop::Overflow(_))) => return Ok(None),
                root => root?,
            };
            if !planned.fits(&root) {
                return Ok(None);
            }
            roots.push(root);
        }
        Ok(Some(roots))
    }

    fn fits(&self, tracer: &mut Tracer<'_>) -> bool {
        self.may_hold(tracer)
            && !self.unfrozen.iter().any(|hierarchy| tracer.any_frozen(*hierarchy))
            && !self.unfrozen_arrays.iter().any(|kind| tracer.any_frozen_array(*kind))
    }

    /// Is what was read so far of the types that were planned?
    fn may_hold(&self, tracer: &mut Tracer<'_>) -> bool {
        let columns = tracer.columns.iter().zip(&self.columns);
        let elements = tracer.elements.iter().zip(&self.elements);
        tracer.base.seen().within(&self.base)
            && columns
                .map(|(column, allowed)| (column.seen(), allowed))
                .all(|(seen, allowed)| seen.within(allowed))
            && elements
                .map(|(e, allowed)| (e.builder.seen(), allowed))
                .all(|(seen, allowed)| seen.within(allowed))
            && tracer.elements.len() <= self.elements.len()
            && !tracer.kinds_changed()
    }
}
