//! The live Ruby process as inference sees it: answers from the tracer and from Ruby's method tables, and keeps what
//! was assumed, so that later calls can check it.

use crate::code::methods;
use crate::code::methods::{Apart, Assumptions, Lookup, Methods};
use crate::code::names;
use crate::code::sources;
use crate::reading::base::Base;
use crate::reading::patterns;
use crate::reading::plan::{Named, Plan, PlannedRoot, Traced};
use crate::reading::procs;
use crate::reading::roots::{BlockScope, RootValue, Source, class_variable_owner};
use crate::reading::tracer::{Asked, Tracer};
use crate::versions::{Kind, Learned};
use crate::vm::classes;
use crate::vm::dialect;
use crate::vm::errors::{Stop, Trouble};
use crate::vm::gvl::{check_deferred, check_interrupts, let_others_run, or_none};
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use crate::vm::stack;
use crate::vm::value;
use ikra_core::diagnostic::Diagnostic;
use ikra_core::error::Error;
use ikra_core::front::infer;
use ikra_core::heap::schema;
use ikra_core::infer::dialect::Dialect;
use ikra_core::infer::host::{
    Contents, FoundMethod, Holder, IntegerSize, MissingConstant, Refusal, Root, RootKey, Scope,
    StructKeywords,
};
use ikra_core::infer::recording::{Kept, KeptProgram, Recorder, Recording};
use ikra_core::infer::{Host, Inferred, VARIABLES, unread_columns};
use ikra_core::ir::BufferKind;
use ikra_core::profile::{Cost, Profile};
use ikra_core::source::{FileId, SourceFile, Span};
use ikra_core::syntax::ast::Code;
use ikra_core::types::{ArrayKind, ClassId, Collection, HashPart, HashSort, HierarchyId, Type};
use magnus::rb_sys::FromRawValue;
use magnus::{RHash, RModule, Ruby, Value, prelude::*};
use rb_sys::{ID, VALUE};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So often inference looks whether Ruby wants the thread back: short ones do not.
const LOOK: Duration = Duration::from_millis(10);
/// So often it lets other threads run, of which one may want to raise something here. Ruby would do so twice as rarely.
const YIELD: Duration = Duration::from_millis(50);

struct AskedRoot {
    key: RootKey,
    source: Source,
    value: RootValue,
    /// Which Proc it is, if it is one that no Hash has to be found for first.
    proc: Option<VALUE>,
    /// The root that is the same Proc, and stands for it.
    same_as: Option<u32>,
}

/// The code of a literal, and whether it is a lambda; `None` for a class that stands for no literal.
type LiteralCode = Result<Option<(Rc<Code>, bool)>, Refusal>;

pub struct LiveHost<'s, 'a> {
    ruby: &'a Ruby,
    scope: &'s BlockScope<'a>,
    base: &'s Base,
    fixed_nesting: bool,
    pool: Rc<ObjectPool>,
    learned: &'s RefCell<Learned>,
    tracer: Tracer<'a>,
    methods: Methods<'a>,
    roots: Vec<AskedRoot>,
    /// Constants and class variables that were asked for and are not there.
    absent: Vec<Source>,
    /// Roots that are local variables, and whether two of them are one.
    variables: Vec<(u32, u32, bool)>,
    ancestry: RefCell<Assumptions>,
    /// The code of lambdas that are roots.
    closures: RefCell<Vec<Rc<Code>>>,
    /// The code of those that objects hold, by class.
    literals: FxHashMap<ClassId, LiteralCode>,
    /// Hierarchies and kinds of which inference knows that nothing is frozen.
    unfrozen: Vec<HierarchyId>,
    unfrozen_arrays: Vec<ArrayKind>,
    /// What stopped the inference, when it was no refusal.
    trouble: Option<Trouble>,
    /// The address down to which the stack may grow.
    stack_end: usize,
    elements_on_cpu: bool,
    /// When interrupts were looked for, and when other threads could run.
    looked: Instant,
    yielded: Instant,
    /// Time spent on reading objects, and how often something was read.
    reading: Duration,
    tracer_reads: u64,
}

/// What an inference leaves.
pub struct Front<'a> {
    pub inferred: Inferred,
    /// What it asked, if that was to be recorded.
    pub recording: Option<Recording>,
    pub plan: Plan,
    /// What was read meanwhile, where it is all that the plan asks for.
    pub traced: Option<Traced<'a>>,
    pub assumptions: Assumptions,
    pub codes: Vec<Rc<Code>>,
}

impl<'s, 'a> LiveHost<'s, 'a> {
    /// `asked`: what an earlier inference of the section asked for, to be read at once.
    pub fn new(
        ruby: &'a Ruby,
        pinned: &'a Pinned,
        scope: &'s BlockScope<'a>,
        code: &Code,
        base: &'s Base,
        asked: Asked,
        (pool, learned): (Rc<ObjectPool>, &'s RefCell<Learned>),
    ) -> Result<Self, Trouble> {
        pinned.pin_pool(ruby, &pool);
        let mut tracer = Tracer::new(ruby, pinned, &pool, asked);
        let columns = base.columns.len();
        tracer.read_base(base, &unread_columns(code, &base.arguments, base.takes_apart, columns))?;
        tracer.drain()?;
        tracer.kinds_changed();
        Ok(Self {
            ruby,
            scope,
            base,
            fixed_nesting: code.nesting.iter().all(Option::is_some),
            tracer,
            methods: Methods::new(ruby, pool.clone()),
            pool,
            learned,
            roots: Vec::new(),
            absent: Vec::new(),
            variables: Vec::new(),
            ancestry: RefCell::default(),
            closures: RefCell::default(),
            literals: FxHashMap::default(),
            unfrozen: Vec::new(),
            unfrozen_arrays: Vec::new(),
            trouble: None,
            stack_end: stack::end(),
            elements_on_cpu: false,
            looked: Instant::now(),
            yielded: Instant::now(),
            reading: Duration::ZERO,
            tracer_reads: 0,
        })
    }

    /// `records`: what is asked is kept.
    pub fn infer(
        mut self,
        code: &Rc<Code>,
        kind: Kind,
        records: bool,
        profile: &mut Profile,
    ) -> Result<Front<'a>, Trouble> {
        let start = Instant::now();
        self.elements_on_cpu = kind.elements_on_cpu;
        let mut recording = None;
        let inferred = if records {
            let mut recorder = Recorder::new(&mut self, code);
            let inferred = infer(&mut recorder, code, kind.output, kind.repeats);
            recording = recorder.recording();
            inferred
        } else {
            infer(&mut self, code, kind.output, kind.repeats)
        };
        check_deferred()?;
        let inferred = match inferred {
            Ok(inferred) => inferred,
            Err(error) => {
                return Err(match (self.trouble, error) {
                    (Some(trouble), _) => trouble,
                    (None, error) => error.into(),
                });
            }
        };
        profile.step("walks", start.elapsed(), inferred.walks.into());
        self.finish(code, inferred, recording, profile)
    }

    /// What an inference would leave that was kept, but for its program; `None` where it would find something else.
    pub fn replay(
        mut self,
        code: &Rc<Code>,
        kind: Kind,
        kept: Kept,
        profile: &mut Profile,
    ) -> Result<Option<(Front<'a>, KeptProgram)>, Trouble> {
        let start = Instant::now();
        self.elements_on_cpu = kind.elements_on_cpu;
        let replayed = kept.replay(&mut self, code);
        check_deferred()?;
        let Some((inferred, program)) = replayed.filter(|_| self.trouble.is_none()) else { return Ok(None) };
        profile.step("kept", start.elapsed(), 1);
        Ok(Some((self.finish(code, inferred, None, profile)?, program)))
    }

    fn finish(
        mut self,
        code: &Rc<Code>,
        inferred: Inferred,
        recording: Option<Recording>,
        profile: &mut Profile,
    ) -> Result<Front<'a>, Trouble> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        profile.step("expressions", Duration::ZERO, inferred.expressions.1.into());
        profile.step("in the last walk", Duration::ZERO, inferred.expressions.0.into());
        for (place, count) in &inferred.costs.places {
            // A function of `core/` has no place in the program.
            let place =
                sources::with_map(self.ruby, |map| map.find_file(place.file).map(|_| map.place(*place)));
            let Some((path, line)) = place else { continue };
            profile.cost(Cost::Line, &format!("{path}:{line}"), (*count).into());
        }
        for (name, count) in &inferred.costs.parts {
            profile.cost(Cost::Part, name, (*count).into());
        }
        profile.step("methods", self.methods.time, self.methods.codes().count() as u64);
        profile.step("objects", self.reading, self.tracer_reads);
        let mut roots = Vec::with_capacity(self.roots.len());
        for (number, root) in self.roots.iter().enumerate() {
            let ty = self.tracer.root_type(number as u32, &root.value.ty);
            let RootValue { groups, wide, .. } = root.value;
            let (source, same_as) = (root.source.clone(), root.same_as);
            let of_procs = source.hashes_of_one_proc();
            let is_of_one_proc = of_procs.is_none_or(|kind| self.tracer.default_block(kind).1);
            let interval = root.value.interval(&source);
            roots.push(PlannedRoot { source, ty, interval, wide, groups, same_as, is_of_one_proc });
        }
        // Earlier walks may have asked what the last one knows: then there is a column.
        let is_column = |hierarchy: &HierarchyId| {
            inferred.program.buffers.iter().any(|buffer| buffer.kind == BufferKind::Frozen(*hierarchy))
        };
        self.unfrozen.retain(|hierarchy| !is_column(hierarchy));
        let frozen = (self.unfrozen, self.unfrozen_arrays);
        let named = Named { roots, absent: self.absent, variables: self.variables };
        let plan = Plan::new(&self.tracer, named, frozen, &inferred);
        let codes = std::iter::once(code.clone()).chain(self.methods.codes()).chain(self.closures.take());
        let codes = codes.collect();
        let mut assumptions = self.methods.assumptions;
        assumptions.extend_ancestry(self.ancestry.into_inner());
        if let Some(what) = assumptions.hold_in(self.ruby, &self.pool, self.tracer.pinned)? {
            let is_apart = |root: &AskedRoot| {
                let value = root.source.read(self.scope, &self.pool).ok().flatten();
                value.is_some_and(|value| singleton_of(value).is_some())
            };
            if self.roots.iter().any(is_apart)
                && !std::mem::replace(&mut self.learned.borrow_mut().refuses_singletons, true)
            {
                return Err(Trouble::Anew);
            }
            let (message, hint) = told_of(&what);
            return Err(Trouble::Unsupported {
                message: format!("{message} [singleton-methods]"),
                hint: hint.into(),
            });
        }
        let traced =
            plan.adopt(Box::new(self.tracer), self.roots.into_iter().map(|root| root.value).collect());
        Ok(Front { inferred, recording, plan, traced, assumptions, codes })
    }

    /// Turns trouble into a refusal at the place that asked, and keeps what is more than a refusal.
    fn refusal(&mut self, trouble: Trouble) -> Refusal {
        match trouble {
            Trouble::Stop(Stop::Refused(refusal)) => refusal,
            Trouble::Core(Error::Unsupported(list)) => {
                let first = list.first().cloned();
                let told = first.map(|Diagnostic { slug, message, hint, .. }| Refusal {
                    slug,
                    message,
                    hint,
                    inside: list,
                });
                told.unwrap_or_default()
            }
            trouble => {
                self.trouble.get_or_insert(trouble);
                Refusal::of_exception()
            }
        }
    }

    /// Reads what is asked for.
    fn drain(&mut self) -> Result<(), Stop> {
        let start = Instant::now();
        let read = self.tracer.drain();
        self.reading += start.elapsed();
        self.tracer_reads += 1;
        read
    }

    fn method_at(&mut self, lookup: Lookup, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        self.methods.get(lookup, name).map_err(|trouble| self.refusal(trouble))
    }

    /// How to read a root; `None` where the lambda that sees it is gone.
    fn source(&self, key: &RootKey) -> Result<Option<Source>, Trouble> {
        if let RootKey::Object(root) = key {
            return Ok(Some(Source::Object(Box::new(self.roots[*root as usize].source.clone()))));
        }
        if let RootKey::MethodBlock(number) = key {
            return Ok(Some(Source::MethodBlock(self.methods.block(*number))));
        }
        let RootKey::Within(root, inner) = key else {
            return Ok(Some(Source::new(self.scope, &self.pool, key, self.fixed_nesting)?));
        };
        let closure = &self.roots[*root as usize].source;
        let Some(value) = closure.read(self.scope, &self.pool)? else { return Ok(None) };
        let (code, _) = self.code_of_closure(value)?;
        let fixed_nesting = code.nesting.iter().all(Option::is_some);
        let inner = Source::new(&self.scope.of_closure(value)?, &self.pool, inner, fixed_nesting)?;
        Ok(Some(Source::Within(Box::new(closure.clone()), Box::new(inner))))
    }

    fn code_of_closure(&self, closure: VALUE) -> Result<(Rc<Code>, bool), Trouble> {
        let closure = self.scope.literal_of(closure)?.unwrap_or(closure);
        let iseq = methods::iseq_of(self.ruby, closure)?;
        let iseq = iseq.ok_or_else(|| Error::Internal("a lambda without instructions".into()))?;
        let code = sources::code_of(self.ruby, iseq)?;
        self.closures.borrow_mut().push(code.clone());
        Ok((code, procs::is_lambda(closure)))
    }

    /// Later calls compare them again.
    fn compare_variables(&mut self, one: u32, other: u32) -> Result<bool, Trouble> {
        let [first, second] = [one, other].map(|number| &self.roots[number as usize].source);
        let is_one = self.scope.is_one_variable(first, second, &self.pool)?;
        self.variables.push((one, other, is_one));
        Ok(is_one)
    }

    fn find_root(&mut self, key: &RootKey) -> Result<Option<Root>, Trouble> {
        let number = match self.roots.iter().position(|root| root.key == *key) {
            Some(number) => number,
            None => {
                if let RootKey::DefaultBlock(kind) = key {
                    self.scope.note_default_block(*kind, self.tracer.default_block(*kind).0);
                }
                let Some(source) = self.source(key)? else { return Ok(None) };
                let value = if source.private(self.scope, &self.pool)? {
                    None
                } else {
                    source.read(self.scope, &self.pool)?
                };
                let Some(value) = value else {
                    self.absent.push(source);
                    return Ok(None);
                };
                if self.learned.borrow().refuses_singletons
                    && let Some((class, singleton)) = singleton_of(value)
                {
                    let what = match classes::is_of_environment(self.ruby, singleton)? {
                        true => Apart::Environment,
                        false => Apart::Extended(format!(
                            "an object of {} has methods of its own",
                            classes::path(class)
                        )),
                    };
                    let (message, hint) = told_of(&what);
                    let (slug, hint) = ("singleton-methods", Some(hint.into()));
                    return Err(Stop::Refused(Refusal { slug, message, hint, ..Refusal::default() }).into());
                }
                let number = self.roots.len();
                let read = RootValue::read(self.ruby, &mut self.tracer, number as u32, &source, value)?;
                let is_proc = matches!(read.ty, Type::Proc(_)) && source.hashes().is_none();
                let proc = is_proc.then_some(value);
                // A lambda that calls itself sees itself in a variable.
                let same_as = self.roots.iter().position(|root| proc.is_some() && root.proc == proc);
                let same_as = same_as.map(|number| number as u32);
                if is_proc {
                    self.scope.pin(value);
                }
                self.roots.push(AskedRoot { key: key.clone(), source, value: read, proc, same_as });
                self.drain()?;
                number
            }
        };
        let number = self.roots[number].same_as.map_or(number, |same| same as usize);
        let root = &self.roots[number];
        if let Some(kind) = root.source.hashes_of_one_proc()
            && !self.tracer.default_block(kind).1
        {
            return Err(Stop::Refused(Refusal {
                slug: "unsupported-default",
                message: "the default block of several Hashes uses variables around it, or self, which each of them \
                          has others of"
                    .into(),
                hint: Some("let it use the Hash, the key and constants: Hash.new { |hash, key| hash[key] = [] }".into()),
                ..Refusal::default()
            })
            .into());
        }
        let ty = self.tracer.root_type(number as u32, &root.value.ty);
        Ok(Some(Root {
            number: number as u32,
            ty,
            interval: root.value.interval(&root.source),
            wide: root.value.wide,
        }))
    }
}

/// The class of an object and its singleton class, where that has methods.
fn singleton_of(value: VALUE) -> Option<(VALUE, VALUE)> {
    if rb_sys::SPECIAL_CONST_P(value) {
        return None;
    }
    // SAFETY: what is no special constant is a live heap object.
    let (class, singleton) = unsafe { classes::of_instance(value) };
    singleton.map(|singleton| (class, singleton))
}

/// What is said of such an object, and what to do.
fn told_of(what: &Apart) -> (String, &'static str) {
    let hint = match what {
        Apart::Environment => {
            "read it before the section, as in `level = ENV[\"LEVEL\"]`, and let the block use the variable"
        }
        Apart::Extended(_) => {
            "give such objects a class of their own, with the methods or the `include` in it"
        }
    };
    (format!("{what}; a section has the methods of the class only"), hint)
}

impl Host for LiveHost<'_, '_> {
    fn interrupted(&mut self) -> bool {
        if self.looked.elapsed() < LOOK {
            return false;
        }
        self.looked = Instant::now();
        let others = self.yielded.elapsed() >= YIELD;
        let heard = if others { let_others_run(self.ruby) } else { check_interrupts(self.ruby) };
        if others {
            self.yielded = Instant::now();
        }
        match heard {
            Ok(()) => false,
            Err(error) => {
                self.trouble.get_or_insert(error.into());
                true
            }
        }
    }

    fn leaves_gaps(&self, path: &str, line: u32) -> bool {
        self.learned.borrow().gaps.contains(&(path.to_string(), line))
    }

    fn integer_size(&self, path: &str, line: u32) -> IntegerSize {
        self.learned.borrow().integer_size(&(path.to_string(), line))
    }

    fn has_big_integers(&self) -> bool {
        !self.learned.borrow().big_integers.is_empty()
    }

    fn told_lines(&self) -> Vec<(String, u32)> {
        self.learned.borrow().told_lines.iter().cloned().collect()
    }

    fn called_names(&self, path: &str, line: u32) -> Vec<String> {
        let learned = self.learned.borrow();
        let here = learned.names.iter().filter(|(of, at, _)| of == path && *at == line);
        here.map(|(_, _, name)| name.clone()).collect()
    }

    fn guess_names(&mut self, path: &str, line: u32, prefix: Option<&str>) {
        let is_needed = prefix.is_some() || self.tracer.ruby_changes;
        if !is_needed || self.learned.borrow().likely.is_none() {
            return;
        }
        match names::guessed(self.ruby, &self.pool, &self.pool.symbols(), prefix) {
            Ok(names) => self.learned.borrow_mut().guess((path, line), names),
            Err(trouble) => {
                self.refusal(trouble);
            }
        }
    }

    /// Specs set these: a section behaves the same.
    #[cfg(feature = "testing")]
    fn copies_all(&self) -> bool {
        std::env::var_os("IKRA_TEST_COPIES").is_some()
    }

    #[cfg(feature = "testing")]
    fn outlines_all(&self) -> bool {
        std::env::var_os("IKRA_TEST_OUTLINED").is_some()
    }

    fn elements_on_cpu(&self) -> bool {
        self.elements_on_cpu
    }

    fn stack_end(&self) -> usize {
        self.stack_end
    }

    fn method(&mut self, class: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        self.method_at(Lookup::Instance(class), name)
    }

    fn super_method(
        &mut self,
        holder: Holder,
        owner: ClassId,
        name: &str,
    ) -> Result<Option<FoundMethod>, Refusal> {
        self.method_at(Lookup::Super { holder, owner }, name)
    }

    fn singleton_method(&mut self, module: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        self.method_at(Lookup::Singleton(module), name)
    }

    fn root(&mut self, key: &RootKey) -> Result<Option<Root>, Refusal> {
        self.find_root(key).map_err(|trouble| self.refusal(trouble))
    }

    fn missing_constant(&mut self, key: &RootKey) -> Result<Option<MissingConstant>, Refusal> {
        let told = Source::new(self.scope, &self.pool, key, self.fixed_nesting)
            .and_then(|source| source.missing(self.scope, &self.pool));
        told.map_err(|error| self.refusal(Trouble::from(error)))
    }

    fn class_variable_owner(&mut self, scope: &Scope, name: &str) -> Result<Option<ClassId>, Refusal> {
        let owner = class_variable_owner(self.scope, &self.pool, scope, name, self.fixed_nesting);
        owner.map_err(|error| self.refusal(Trouble::from(error)))
    }

    fn closure(&mut self, root: u32) -> Result<(Rc<Code>, bool), Refusal> {
        let source = self.roots[root as usize].source.clone();
        let found =
            source.read(self.scope, &self.pool).map_err(Trouble::from).and_then(|value| match value {
                Some(value) => self.code_of_closure(value),
                None => Err(Error::Internal("a lambda that is gone".into()).into()),
            });
        found.map_err(|trouble| self.refusal(trouble))
    }

    fn method_block(&mut self, code: &Rc<Code>) -> Option<u32> {
        self.methods.number_of_block(code)
    }

    fn is_one_variable(&mut self, one: u32, other: u32) -> Result<bool, Refusal> {
        if let Some(known) = self.variables.iter().find(|(a, b, _)| (*a, *b) == (one, other)) {
            return Ok(known.2);
        }
        self.compare_variables(one, other).map_err(|trouble| self.refusal(trouble))
    }

    fn literal(&mut self, class: ClassId) -> LiteralCode {
        if let Some(known) = self.literals.get(&class) {
            return known.clone();
        }
        let Some(literal) = self.pool.literal(class) else { return Ok(None) };
        // SAFETY: the pool keeps it.
        let code = sources::code_of(self.ruby, unsafe { Value::from_raw(literal.iseq) });
        let found = match code {
            Ok(code) => {
                self.closures.borrow_mut().push(code.clone());
                Ok(Some((code, literal.is_lambda)))
            }
            Err(trouble) => Err(self.refusal(trouble)),
        };
        self.literals.insert(class, found.clone());
        found
    }

    fn captures(&self, class: ClassId, name: &str) -> bool {
        let literal = self.pool.literal(class);
        literal.is_some_and(|literal| literal.locals.binary_search_by(|local| (**local).cmp(name)).is_ok())
    }

    fn real_class(&self, class: ClassId) -> ClassId {
        self.pool.real_class(class)
    }

    fn base(&mut self) -> Result<schema::Base, Refusal> {
        Ok(schema::Base {
            columns: self.tracer.base_columns(),
            arguments: self.base.arguments.clone(),
            takes_apart: self.base.takes_apart,
        })
    }

    fn column(&mut self, hierarchy: HierarchyId, class: ClassId, name: &str) -> Result<Contents, Refusal> {
        let column = self.tracer.ask_column(hierarchy, class, name);
        self.drain().map_err(|stop| self.refusal(stop.into()))?;
        Ok(self.tracer.column(column))
    }

    fn made_kind(&mut self, number: u32) -> ArrayKind {
        self.tracer.made_kind(number, None)
    }

    fn made_hash(&mut self, number: u32, sort: HashSort) -> ArrayKind {
        self.tracer.made_kind(number, Some(Collection::Hash(sort)))
    }

    fn string_words(&mut self) -> ArrayKind {
        self.tracer.ask_string_words()
    }

    fn elements(&mut self, kind: ArrayKind) -> Result<Contents, Refusal> {
        let kind = self.tracer.ask_elements(kind);
        self.drain().map_err(|stop| self.refusal(stop.into()))?;
        Ok(self.tracer.kind_contents(kind))
    }

    fn hash_part(&mut self, kind: ArrayKind, part: HashPart) -> Result<ArrayKind, Refusal> {
        let kind_of_part = self.tracer.hash_part(kind, part);
        self.drain().map_err(|stop| self.refusal(stop.into()))?;
        if matches!(part, HashPart::Slots | HashPart::Given) {
            self.tracer.make_own_parts(kind).map_err(|stop| self.refusal(stop.into()))?;
        }
        Ok(kind_of_part)
    }

    fn symbol_names(&mut self) -> Result<HierarchyId, Refusal> {
        let strings = self.tracer.ask_names();
        self.drain().map_err(|stop| self.refusal(stop.into()))?;
        Ok(strings)
    }

    fn members(&mut self, class: ClassId) -> Vec<String> {
        self.pool.members(class)
    }

    fn variable_orders(
        &mut self,
        hierarchy: HierarchyId,
        class: ClassId,
    ) -> Result<Vec<Vec<String>>, Refusal> {
        let column = self.tracer.ask_column(hierarchy, class, VARIABLES);
        self.drain().map_err(|stop| self.refusal(stop.into()))?;
        let orders = self.tracer.orders(column).unwrap_or_default();
        let names = |order: &Vec<ID>| order.iter().map(|id| value::name_of(*id).to_string()).collect();
        Ok(orders.iter().map(names).collect())
    }

    fn struct_keywords(&mut self, class: ClassId) -> StructKeywords {
        classes::struct_keywords(self.ruby, self.pool.class(class))
    }

    fn note_sync(&mut self) -> bool {
        !std::mem::replace(&mut self.tracer.ruby_changes, true)
    }

    fn any_frozen(&mut self, hierarchy: HierarchyId) -> bool {
        let frozen = self.tracer.any_frozen(hierarchy);
        remember(&mut self.unfrozen, hierarchy, !frozen);
        frozen
    }

    fn any_frozen_array(&mut self, kind: ArrayKind) -> bool {
        let frozen = self.tracer.any_frozen_array(kind);
        remember(&mut self.unfrozen_arrays, kind, !frozen);
        frozen
    }

    fn found_frozen(&mut self) -> bool {
        let told = self.unfrozen.len() + self.unfrozen_arrays.len();
        let tracer = &self.tracer;
        self.unfrozen.retain(|hierarchy| !tracer.any_frozen(*hierarchy));
        self.unfrozen_arrays.retain(|kind| !tracer.any_frozen_array(*kind));
        self.unfrozen.len() + self.unfrozen_arrays.len() < told
    }

    fn kinds_changed(&mut self) -> bool {
        self.tracer.kinds_changed()
    }

    fn dialect(&self) -> Dialect {
        dialect::dialect()
    }

    fn is_dropped(&self, class: ClassId) -> bool {
        self.pool.name(class) == "Ikra::Dropped"
    }

    fn class_name(&self, class: ClassId) -> String {
        self.pool.name(class)
    }

    fn superclass(&self, class: ClassId) -> Option<ClassId> {
        classes::superclass(self.pool.class(class)).and_then(|class| self.pool.find(class))
    }

    fn is_subclass(&self, class: ClassId, ancestor: ClassId) -> bool {
        let is_one = self.pool.is_subclass(class, ancestor);
        self.ancestry.borrow_mut().ancestry(class, ancestor, is_one);
        is_one
    }

    fn is_module(&self, class: ClassId) -> bool {
        !self.pool.is_class(class)
    }

    fn is_opaque(&self, class: ClassId) -> bool {
        class.in_ruby() != ClassId::INTEGER
            && class != ClassId::DATE
            && classes::is_opaque(self.pool.class(class))
    }

    fn groups(&self, root: u32) -> Option<u32> {
        self.roots.get(root as usize)?.value.groups
    }

    fn refused_pattern(&self) -> Option<(String, String)> {
        patterns::refused()
    }

    fn hierarchy(&mut self, class: ClassId) -> HierarchyId {
        self.pool.place(class).0
    }

    fn class_index(&self, _hierarchy: HierarchyId, class: ClassId) -> u32 {
        self.pool.place(class).1
    }

    fn symbol(&mut self, name: &str) -> i32 {
        self.pool.symbol(value::symbol_of(value::intern(self.ruby, name)))
    }

    fn file(&self, file: FileId) -> Option<Arc<SourceFile>> {
        sources::with_map(self.ruby, |map| map.find_file(file).cloned())
    }

    fn place(&self, span: Span) -> (String, u32) {
        sources::with_map(self.ruby, |map| map.place(span))
    }

    fn path_of_set(&self) -> Option<String> {
        let config: RModule = or_none(self.ruby.class_object().const_get("RbConfig"))?;
        let folder: String = or_none(or_none(config.const_get::<_, RHash>("CONFIG"))?.fetch("rubylibdir"))?;
        Some(format!("{folder}/set.rb"))
    }
}

/// The last answer counts: keeps `item` in the list, or out of it.
fn remember<T: PartialEq>(list: &mut Vec<T>, item: T, wanted: bool) {
    list.retain(|other| *other != item);
    if wanted {
        list.push(item);
    }
}
