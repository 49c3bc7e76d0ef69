//! One call of a parallel method: finds or makes the compiled version that fits the objects, runs it, copies back.

use crate::capture::CapturedBlock;
use crate::code::names;
use crate::code::sources;
use crate::code::syncs::SyncText;
use crate::explain;
use crate::host::{Front, LiveHost};
use crate::reading::array_kinds::Holder;
use crate::reading::base::{Base, Source};
use crate::reading::plan::Traced;
use crate::reading::remembered::{Memory, Rows};
use crate::reading::roots::BlockScope;
use crate::reading::tracer::Asked;
use crate::reading::visited::Visited;
use crate::running::advice;
use crate::running::backends;
use crate::running::choice::{self, Choice, Running, Work};
use crate::running::given_procs;
use crate::running::heap::{Heap, Layout, Mode, Room, Rooms};
use crate::running::profiles;
use crate::running::random;
use crate::shelf::Shelf;
use crate::sync::{SyncRun, Syncs};
use crate::versions::{Compiling, Conflicts, ExecutableOf, Kind, Learned, Pending, Version};
use crate::vm::asked::{self, Asks, Cost, Granted, Here, Questions, Wish};
use crate::vm::background::{self, Beside};
use crate::vm::column;
use crate::vm::errors::Trouble;
use crate::vm::gvl::{self, Asker};
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use crate::vm::reentry::once;
use crate::vm::stack;
use crate::vm::value;
use crate::writing::accumulators::Around;
use crate::writing::born::Born;
use crate::writing::columns;
use crate::writing::compared;
use crate::writing::copy_back::{CopyBack, ResultForm};
use crate::writing::decoder::Decoder;
use crate::writing::{exceptions, printed, strings, texts_now};
use ikra_core::allocator;
use ikra_core::backend::{Backend, Executable, Failure, Launch, Outcome};
use ikra_core::cancel::CancellationToken;
use ikra_core::diagnostic::{self, Diagnostic};
use ikra_core::error::Error;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::schema::{ColumnSchema, Output};
use ikra_core::heap::{Column, Schema, Store};
use ikra_core::infer::recording::Kept;
use ikra_core::infer::tell_anew;
use ikra_core::ir::{ErrorKind, Program, Receiver, SiteId, passes};
use ikra_core::memory;
use ikra_core::profile::{Phase, Profile};
use ikra_core::progress::Progress;
use ikra_core::regexp::asking::{Ask, Asking};
use ikra_core::regexp::{self, table};
use ikra_core::reserve::{self, Reserve};
use ikra_core::source::SourceMap;
use ikra_core::string_layout::STRING_FROZEN;
use ikra_core::syntax::ast::Code;
use ikra_core::types::{Collection, Shape, Type};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::typed_data::Obj;
use magnus::{DataTypeFunctions, IntoValue, Ruby, Symbol, TypedData, Value, block::Proc, prelude::*};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A block called with objects of ever new types keeps this many versions.
const VERSIONS: usize = 8;
/// Inference is repeated when other threads change the objects meanwhile, but not for ever.
const ATTEMPTS: usize = 8;

/// With fewer elements than that, reading them all takes no longer than reading some.
const SAMPLED: u64 = 32;

type Inference<'a> = (Rc<Version>, Option<Traced<'a>>);

/// The arguments of a section.
pub struct Section {
    pub base: Base,
    pub output: Output,
    /// The method, as the user has called it.
    pub name: Symbol,
    pub ticks: u64,
    pub block: Proc,
    pub chain: Chain,
    pub form: ResultForm,
    /// Called now and then with how much is done, and of how much, where that is known.
    pub progress: Option<Proc>,
    /// Only where nothing is changed: then it may be a part of the elements, the first of which has this number.
    pub part: Option<u64>,
    /// May Ruby run elements while code is made for them? Then an [`InTheMaking`] may be given.
    pub meanwhile: bool,
    /// So many elements has Ruby run before these.
    pub done: u64,
    pub backend: &'static str,
    /// Elements that conflict are an error; otherwise they run in order.
    pub raise: bool,
}

/// Of which literals the block is put together, where it is not one of the user's alone.
#[derive(Clone, Copy, Default)]
pub struct Chain {
    /// A block of the user's among them, whose literal keeps the versions.
    pub owner: Option<Proc>,
    /// A number for each way to put blocks together.
    pub shape: u32,
}

thread_local! {
    static READ: Cell<usize> = const { Cell::new(0) };
}

/// How many values the last part of a section has read besides the base's own, on this thread.
pub fn values_read() -> usize {
    READ.get()
}

impl Section {
    pub fn run(self, ruby: &Ruby) -> Result<Value, magnus::Error> {
        let run = || {
            let _patterns = table::Running::begin();
            Pinned::with(ruby, |pinned| {
                let weight = advice::weight(self.base.len() as usize);
                // Where the GPU may run it, it is learned from the seconds which is faster.
                let untimed = choice::is_for_cpu(self.backend) && !profiles::any(ruby) && weight == 0;
                let mut profile = Profile { untimed, ..Profile::default() };
                let timed = (weight, profile.now());
                let result = Run::new(ruby, pinned, &self, timed)?.run(&mut profile);
                profile.sections = u64::from(self.done == 0);
                profiles::add(ruby, &profile);
                result
            })
        };
        let result = catch(ruby, run);
        memory::rest();
        result
    }

    fn name(&self) -> String {
        value::name_of_symbol(self.name.as_raw())
    }

    /// What Ikra makes of the section, as text; nothing runs.
    pub fn explain(self, ruby: &Ruby) -> Result<String, magnus::Error> {
        catch(ruby, || Pinned::with(ruby, |pinned| Run::new(ruby, pinned, &self, (0, None))?.explain()))
    }
}

/// Whatever goes wrong, a panic too, is a Ruby exception; so is what another thread raised meanwhile, before all else.
pub fn catch<T>(ruby: &Ruby, f: impl FnOnce() -> Result<T, Trouble>) -> Result<T, magnus::Error> {
    let result = catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| Err(Trouble::Panic(panic)));
    gvl::check_deferred()?;
    result.map_err(|trouble| exceptions::exception(ruby, trouble))
}

/// Bytes of memory that are set aside for inference, and for the compilation of a program besides what its size asks for.
const SET_ASIDE: usize = 4 << 20;
const FOR_A_STATEMENT: usize = 1 << 10;
/// What passes usually take of that.
const USUAL_OF_A_STATEMENT: usize = 1 << 9;

fn set_aside(program: &Program) -> usize {
    SET_ASIDE + FOR_A_STATEMENT * program.size()
}

fn optimized(mut program: Program, token: &CancellationToken) -> Result<(Program, Profile), Error> {
    let mut profile = Profile::default();
    allocator::widen(program.size() * USUAL_OF_A_STATEMENT);
    // Only specs set this: what would be deferred is watched.
    let defers = !(cfg!(feature = "testing") && std::env::var_os("IKRA_TEST_UNDEFERRED").is_some());
    passes::run_all(&mut program, defers, token, &mut profile)?;
    // Only benchmark/checks.rb sets this: what comes out may be wrong where Ruby would raise.
    #[cfg(feature = "testing")]
    if std::env::var_os("IKRA_BENCHMARK_UNCHECKED").is_some() {
        passes::uncheck::run(&mut program);
    }
    Ok((program, profile))
}

/// Has the failures of what is refused as the section runs say what would have been said before, with the place that is
/// refused, while its sources are known.
fn tell_refusals(program: &mut Program, traps: &[(SiteId, Diagnostic)], sources: &SourceMap) {
    for (number, site) in (0..).map(SiteId).zip(&mut program.sites) {
        let here: Vec<_> =
            traps.iter().filter(|(at, _)| *at == number).map(|(_, what)| what.clone()).collect();
        let Some(place) = site.refused.take() else { continue };
        let ErrorKind::Unsupported(text) = &site.error else { continue };
        let told = match here.is_empty() {
            true => diagnostic::render_text(text, place, sources),
            false => diagnostic::render_all(&here, sources),
        };
        site.error = ErrorKind::Unsupported(told.trim_end().into());
    }
}

/// An element may take this many words, which is a gigabyte.
const MOST_WORDS: usize = 1 << 27;

/// So many Symbols can a section have.
const MOST_SYMBOLS: usize = 100_000;
/// So many names are told apart on a line that calls methods by names which are not written out.
const MOST_NAMES: usize = 64;
/// So many versions that refuse a call may do so for what others were called on.
const MOST_TOO_WIDE: usize = 2;

/// The results of all elements take as many words without a thought.
const AT_ONCE: usize = 1 << 17;

/// Does the message of a failure tell a String that the section may have changed, or has made and did not hand over? Or
/// is it an exception of which that holds?
fn tells_changed(version: &Version, failure: &Failure) -> bool {
    let error = &version.program.sites[failure.site.0 as usize].error;
    if matches!(error, ErrorKind::RaiseMade(_)) && failure.memory.is_empty() {
        return true;
    }
    // What is frozen is shown with what it holds, which the GPU may have made or changed.
    if matches!(error, ErrorKind::FrozenArray(_)) {
        return true;
    }
    let changes = texts_now::is_needed(&version.inferred);
    let is_lost = failure.texts.iter().all(Option::is_none);
    error.told().any(|(_, receiver)| match receiver {
        Receiver::Object(_) => changes,
        Receiver::MadeString => is_lost,
        _ => false,
    })
}

/// What a section needs that has too little memory for the arrays of an element; `None` for any other failure. All is run
/// again, so what is memory only where it is used, as it is on the `host`, gets much more at once.
fn more_room(
    version: &Version,
    failure: &Failure,
    (room, elements): (Room, usize),
    host: bool,
) -> Result<Option<Room>, Trouble> {
    let wanted = usize::try_from(failure.operands[0]).unwrap_or(usize::MAX);
    let enlarged = |now: usize| wanted.max(now).saturating_mul(2);
    // What specs fill with garbage is memory.
    let host = host && !fallible::fills_with_garbage();
    let spare =
        |words: usize, most: usize| if host { words.max(words.saturating_mul(8).min(most)) } else { words };
    let more = match version.program.sites[failure.site.0 as usize].error {
        ErrorKind::ScratchFull => Room { scratch: spare(enlarged(room.scratch), MOST_WORDS), ..room },
        ErrorKind::ResultFull => {
            let result = enlarged(room.result);
            // Few elements get much more at once, rather than to begin again and again.
            let share = (AT_ONCE / elements.max(1)).min(result.saturating_mul(8));
            let most = MOST_WORDS / elements.max(1);
            Room { result: spare(result.max(share), most), ..room }
        }
        ErrorKind::ArraysFull(kind) if version.inferred.schema.hashes.contains_key(&kind) => {
            Room { hashes: enlarged(room.hashes).saturating_mul(2), ..room }
        }
        ErrorKind::ArraysFull(_) => Room { items: enlarged(room.items), ..room },
        _ => return Ok(None),
    };
    if more.scratch > MOST_WORDS || more.result > MOST_WORDS {
        let (who, ends) = match failure.element {
            Failure::DRIVER => ("the code around parallel calls".into(), "section"),
            element => (format!("element {element}"), "element"),
        };
        return Err(Trouble::Plain(format!(
            "{who} makes arrays and objects that take more than {} GiB at a time (with those that are not needed any more, \
             which are kept until the {ends} ends, or the iteration of a loop that leaves nothing of what it makes): make \
             fewer, or go through more elements that do less each",
            (MOST_WORDS * 8) >> 30
        )));
    }
    Ok(Some(more))
}

/// Code that is being made, for `lib/ikra/meanwhile.rb`.
#[derive(TypedData)]
#[magnus(class = "Ikra::Native::InTheMaking", free_immediately)]
pub struct InTheMaking(Arc<Compiling>);

impl DataTypeFunctions for InTheMaking {}

impl InTheMaking {
    /// Is it there, or will it never be?
    pub fn is_ready(ruby: &Ruby, this: Obj<Self>) -> bool {
        this.0.look(ruby)
    }
}

/// What makes the code of a version.
fn compilation(
    version: &Version,
    backend: Arc<dyn Backend>,
    (mode, ticks): (Mode, u64),
) -> impl FnOnce(&CancellationToken) -> Result<(Arc<Executable>, Profile), Error> + Send + 'static + use<> {
    let (program, may_conflict) = (version.program.clone(), version.may_conflict);
    move |token| {
        let mut steps = Profile::default();
        let program = if may_conflict { mode.program(&program, token)? } else { program };
        let executable = Executable::new(&*backend, &program, ticks, token, &mut steps)?;
        Ok((Arc::new(executable), steps))
    }
}

/// How a launch ended.
enum Ended {
    Done,
    Failed(Failure),
    Conflict,
    /// There is code for the GPU now, which will be faster.
    Overtaken,
}

/// What is raised where running the section again cannot tell more of it.
struct Told {
    known: magnus::Error,
    line: (String, u32),
    /// What had been printed by then.
    printed: Option<magnus::RArray>,
}

struct Run<'a> {
    ruby: &'a Ruby,
    pinned: &'a Pinned,
    section: &'a Section,
    captured: CapturedBlock,
    scope: BlockScope<'a>,
    /// What is read: where elements are selected, copies of the arrays.
    base: Cow<'a, Base>,
    syncs: Syncs,
    born: Born,
    /// See [`Decoder::untold`].
    untold: RefCell<Vec<SiteId>>,
    /// The GPU cannot say what the CPU can.
    on_cpu: Cell<bool>,
    /// Are its elements compiled for the CPU alone, as no GPU has what they compute with?
    for_cpu: Cell<bool>,
    learned: RefCell<Learned>,
    /// What leaves the section where running it again cannot tell more of it, and its line.
    told: RefCell<Option<Told>>,
    /// Of what has left the section before nothing more is told.
    alone: Cell<bool>,
    /// What is run was made for a call before, and for types of which there is nothing now.
    is_wide: Cell<bool>,
    /// Versions of which such a type may be why they refuse this call.
    too_wide: RefCell<Vec<Rc<Version>>>,
    /// When it began, where it is timed, and for how many calls it stands.
    timed: (u32, Option<Instant>),
}

impl<'a> Run<'a> {
    fn new(
        ruby: &'a Ruby,
        pinned: &'a Pinned,
        section: &'a Section,
        timed: (u32, Option<Instant>),
    ) -> Result<Self, Trouble> {
        let mut captured = CapturedBlock::new(ruby, section.block)?;
        if let Some(owner) = section.chain.owner {
            captured.handle = CapturedBlock::new(ruby, owner)?.handle;
        }
        pinned.pin(captured.handle.as_raw());
        let mut base = Cow::Borrowed(&section.base);
        base.pin(pinned);
        if section.output == Output::Selection && section.form == ResultForm::Arrays {
            base.to_mut().copy_items(pinned)?;
        }
        let scope = BlockScope::new(ruby, pinned, section.block);
        Ok(Self {
            ruby,
            pinned,
            section,
            captured,
            scope,
            base,
            syncs: Syncs::default(),
            born: Born::default(),
            untold: RefCell::default(),
            on_cpu: Cell::new(false),
            for_cpu: Cell::new(false),
            learned: RefCell::default(),
            told: RefCell::default(),
            alone: Cell::new(false),
            is_wide: Cell::new(false),
            too_wide: RefCell::default(),
            timed,
        })
    }

    fn run(&self, profile: &mut Profile) -> Result<Value, Trouble> {
        let mut random = None;
        loop {
            match self.attempt(profile, &mut random) {
                Err(Trouble::Anew) => self.born.clear(),
                // The blocks of syncs are not to run again.
                Err(trouble) if self.told.borrow().is_some() => match self.best_told(trouble) {
                    Trouble::Anew => self.born.clear(),
                    best => return Err(best),
                },
                Err(trouble) if self.syncs.any() => return Err(exceptions::behind_sync(self.ruby, trouble)),
                ended => return ended,
            }
        }
    }

    /// Of what was raised when the section began anew to tell more of it, and what was known before. One object may be
    /// unable to keep what exceptions of several lines keep: then it begins anew with this line alone.
    fn best_told(&self, trouble: Trouble) -> Trouble {
        let is_better = match &trouble {
            Trouble::Raised(error) => !gvl::or_defer(exceptions::is_own(self.ruby, error), true),
            _ => false,
        };
        if is_better {
            return trouble;
        }
        let told = &mut *self.told.borrow_mut();
        let Some(Told { known, line, printed }) = told.take() else { return trouble };
        let lines = &mut self.learned.borrow_mut().told_lines;
        if lines.len() > 1 && !self.alone.replace(true) {
            *lines = [line.clone()].into();
            *told = Some(Told { known, line, printed });
            return Trouble::Anew;
        }
        match printed.map_or(Ok(()), |printed| printed::write(self.ruby, printed)) {
            Ok(()) => Trouble::Raised(known),
            Err(trouble) => trouble,
        }
    }

    /// `random`: what random numbers hang on, once it is known.
    fn attempt(&self, profile: &mut Profile, random: &mut Option<(u64, u64)>) -> Result<Value, Trouble> {
        let (version, mut traced) = self.fitting(profile)?;
        if version.changes() && self.section.done > 0 {
            return Ok(self.ruby.qfalse().as_value());
        }
        if version.changes() && self.section.part.is_some() {
            return Ok(self.ruby.qnil().as_value());
        }
        self.refuse_before(&version, &mut traced)
            .map_err(|refused| if self.is_too_wide(&version) { Trouble::Anew } else { refused })?;
        if let Some(compiling) = self.in_the_making(&version)? {
            READ.set(0);
            return Ok(self.ruby.obj_wrap(InTheMaking(compiling)).as_value());
        }
        let mode = if self.section.raise { Mode::Watched } else { version.conflicts.mode() };
        let executable = self.executable(&version, mode, profile)?;
        self.advise(&version, profile)?;
        let random = *random.get_or_insert_with(|| random::next(version.program.uses_random));
        let rows = profile.time(Phase::Trace, || self.rows(&version, &mut traced))?;
        let room = version.rooms.on(profile.backend == Some("cpu")).get();
        let mut heap =
            profile.time(Phase::Trace, || Heap::build(traced, &version.layout, &version.inferred, room))?;
        heap.jobs.first = self.section.done as usize;
        heap.procs = given_procs::make(
            &self.scope,
            (&version.plan, &version.pool),
            &version.inferred.schema.procs,
            &version.procs,
        )?;
        if self.section.part.is_some() {
            READ.set(heap.rows_read(&version.layout));
        }
        let of_columns = heap.of_columns(&version.program, self.results_stay(&version));
        of_columns.iter().for_each(|number| heap.store.let_stay(*number));
        let mode = self.launches(&version, (mode, executable), &mut heap, random, profile)?;
        self.write(&version, &mut heap)?;
        heap.drop_dead_pairs(&version.inferred)?;
        // Without a copy.
        of_columns.iter().for_each(|number| heap.store.share(*number));
        let result = profile.time(Phase::CopyBack, || {
            let copy = CopyBack { decoder: self.decoder(&version, &heap), form: self.section.form };
            copy.run(&self.base, Around { scope: &self.scope, plan: &version.plan })
        })?;
        if mode == Mode::Watched {
            version.kept.replace(heap.leave(&version.layout, self.section.ticks));
        }
        if let (weight, Some(begun)) = self.timed
            && mode == Mode::Watched
            && !version.prints
            && self.section.part.is_none()
            && self.section.done == 0
        {
            let work = (self.base.len() as usize, self.section.ticks);
            version.costs.add(weight, work, begun.elapsed(), profile);
        }
        // Nothing of the section looks at its objects from here on.
        if let Some(last) = rows.and_then(|rows| rows.keep(self.pinned)) {
            version.memory.keep(last);
        }
        Ok(result)
    }

    /// What is to be remembered of the objects found, if anything is.
    fn rows(&self, version: &Version, traced: &mut Traced<'_>) -> Result<Option<Rows>, Trouble> {
        if !version.memory.wants() || self.section.part.is_some() || self.section.done > 0 {
            return Ok(None);
        }
        match traced.rows.take() {
            Some(rows) => Ok(Some(rows)),
            None => Ok(Rows::of(&traced.tracer, &traced.roots, &self.base)?),
        }
    }

    /// Tells what calls before have cost, or this one's code, where that is more than it gains.
    fn advise(&self, version: &Version, profile: &Profile) -> Result<(), Trouble> {
        if let Some(seconds) = advice::made_long(profile) {
            let lines = profile.costs.iter().filter(|(of, ..)| *of == ikra_core::profile::Cost::Line);
            let line = lines.max_by_key(|(_, _, count)| *count).map(|(_, line, _)| line.clone());
            self.say("was_made_long", (seconds, line))?;
        }
        let Some((calls, around, computed)) = version.costs.told() else { return Ok(()) };
        let mut classes: Vec<_> = version.plan.asked.columns.iter().map(|(_, class)| *class).collect();
        classes.sort_unstable();
        classes.dedup();
        let names: Vec<_> = classes.into_iter().map(|class| version.pool.name(class)).collect();
        self.say("costs_more", (calls, around, computed, names))
    }

    /// What is refused before anything runs.
    fn refuse_before(&self, version: &Version, traced: &mut Traced<'_>) -> Result<(), Trouble> {
        self.refuse_changing_base(version, traced)?;
        self.refuse_mixed_column(version)?;
        self.refuse_flat(version)?;
        self.refuse_compared(version)
    }

    /// It has refused this call. May that be due to objects of calls before alone? Then the section begins anew, with
    /// another version.
    fn is_too_wide(&self, version: &Rc<Version>) -> bool {
        // What is made anew may be as wide, where that is not why it refuses.
        let tried = self.too_wide.borrow().len();
        let is_wide = self.is_wide.get() && tried < MOST_TOO_WIDE && !self.syncs.any();
        if is_wide {
            tell_anew(|| "without types that calls before had".into());
            self.too_wide.borrow_mut().push(version.clone());
        }
        is_wide
    }

    /// The same of what is refused as it runs.
    fn refuses_others(&self, version: &Rc<Version>, failure: &Failure) -> bool {
        let error = &version.program.sites[failure.site.0 as usize].error;
        matches!(error, ErrorKind::Unsupported(_)) && self.is_too_wide(version)
    }

    /// May results be wherever they were computed? Then they become an `Ikra::Column`, say which of its items are chosen, or
    /// are numbers of which something is made as a whole.
    fn results_stay(&self, version: &Version) -> bool {
        let schema = &version.inferred.schema;
        let is_of_columns = self.base.columns.iter().all(|source| matches!(source, Source::Memory(_)));
        match (self.section.form, &schema.output) {
            (ResultForm::Arrays, Output::Values | Output::Selection) => self.base.is_column && is_of_columns,
            (ResultForm::Column, Output::Values) => {
                is_of_columns && matches!(schema.result.single_shape(), Some(Shape::Integer | Shape::Float))
            }
            _ => false,
        }
    }

    fn decoder<'b>(&'b self, version: &'b Version, heap: &'b Heap) -> Decoder<'b> {
        Decoder {
            ruby: self.ruby,
            pinned: self.pinned,
            inferred: &version.inferred,
            heap,
            born: &self.born,
            untold: &self.untold,
        }
    }

    /// Launches it until it has come to an end. Nothing has been written back then, so it can begin again: with more
    /// memory, or in another mode where elements conflict. Gives the mode that it has ended in.
    fn launches(
        &self,
        version: &Rc<Version>,
        (mut mode, mut executable): (Mode, Arc<Executable>),
        heap: &mut Heap,
        random: (u64, u64),
        profile: &mut Profile,
    ) -> Result<Mode, Trouble> {
        let Version { layout, program, conflicts, .. } = &**version;
        let ticks = self.section.ticks;
        if let Some(kept) = version.kept.take() {
            heap.use_again(kept);
        }
        heap.prepare(layout, program, (mode, conflicts.fine.get()), ticks)?;
        loop {
            let ended = self.launch(version, (mode, &executable), heap, random, profile);
            let failure = match ended {
                Ok(Ended::Done) => {
                    if mode == Mode::Watched {
                        conflicts.none();
                    }
                    return Ok(mode);
                }
                Ok(Ended::Failed(failure)) => Some(failure),
                Ok(Ended::Conflict) => None,
                Ok(Ended::Overtaken) => {
                    self.begin_again(version, heap);
                    heap.enlarge(layout, program, version.rooms.on(false).get())?;
                    heap.prepare(layout, program, (mode, conflicts.fine.get()), ticks)?;
                    executable = self.executable(version, mode, profile)?;
                    continue;
                }
                // What the GPU cannot do, for want of memory or for anything else, the CPU does.
                Err(Trouble::Core(Error::Device(why)))
                    if self.is_auto() && profile.backend != Some("cpu") =>
                {
                    version.choice.give_up();
                    self.say("gives_the_gpu_up", why.as_str())?;
                    self.begin_again(version, heap);
                    heap.prepare(layout, program, (mode, conflicts.fine.get()), ticks)?;
                    executable = self.executable(version, mode, profile)?;
                    continue;
                }
                Err(trouble) => return Err(trouble),
            };
            let is_race = |failure: &Failure| {
                matches!(program.sites[failure.site.0 as usize].error, ErrorKind::Race { .. })
            };
            let next = match failure {
                Some(failure) if is_race(&failure) => {
                    let told = self.decoder(version, heap).exception(&failure, false);
                    if self.section.raise {
                        return Err(Trouble::Raised(told));
                    }
                    conflicts.told.set(true);
                    self.tell(told)?;
                    Mode::InOrder
                }
                Some(failure) if program.sites[failure.site.0 as usize].error == ErrorKind::NewSymbol => {
                    return Err(self.with_symbol(&failure, version, heap));
                }
                Some(_) if version.nobody.take_missed() && !self.syncs.any() => {
                    version.asks.set(Asks::Here);
                    tell_anew(|| "Ruby is to be asked".into());
                    return Err(Trouble::Anew);
                }
                Some(failure)
                    if program.sites[failure.site.0 as usize].error == ErrorKind::NewPattern
                        && self.learns_pattern(&failure)? =>
                {
                    return Err(Trouble::Anew);
                }
                Some(failure) if self.learns(version, &failure, heap)? => {
                    return Err(Trouble::Anew);
                }
                // How deep calls may be the CPU says: a thread of a GPU has a small stack.
                Some(failure)
                    if profile.backend != Some("cpu")
                        && program.sites[failure.site.0 as usize].error == ErrorKind::StackTooDeep
                        && !self.syncs.any()
                        && !self.on_cpu.replace(true) =>
                {
                    tell_anew(|| "the stack of a thread of the GPU is full".into());
                    return Err(Trouble::Anew);
                }
                Some(failure) if self.refuses_others(version, &failure) => return Err(Trouble::Anew),
                Some(failure) if profile.backend != Some("cpu") && tells_changed(version, &failure) => {
                    return Err(self.told_by_cpu());
                }
                Some(failure) => {
                    let host = profile.backend == Some("cpu");
                    let Some(more) = more_room(version, &failure, (heap.room, heap.length), host)? else {
                        heap.drop_dead_pairs(&version.inferred)?;
                        let first = (self.section.part.unwrap_or(0) + self.section.done) as u32;
                        let failure = Failure { element: failure.element + first, ..failure };
                        self.untold.take();
                        let keeps = version.keeps_changes();
                        let raised = self.decoder(version, heap).exception(&failure, !keeps);
                        let is_thrown = program.sites[failure.site.0 as usize].error.is_throw();
                        if keeps
                            && is_thrown
                            && let Some(anew) = exceptions::thrown_with_changes(self.ruby, &raised)?
                        {
                            return Err(Trouble::Raised(anew));
                        }
                        if self.is_to_tell_more(version, &failure, &raised, heap)? {
                            return Err(Trouble::Anew);
                        }
                        // What Ruby does not raise may be what has it run the section instead.
                        let sites = &program.sites;
                        if ikra_core::infer::is_raised_by_ruby(&sites[failure.site.0 as usize].error)
                            && !exceptions::is_own(self.ruby, &raised)?
                        {
                            self.write(version, heap)?;
                        }
                        return Err(Trouble::Raised(raised));
                    };
                    version.rooms.on(host).set(more);
                    self.begin_again(version, heap);
                    heap.enlarge(layout, program, more)?;
                    mode
                }
                None => {
                    if heap.is_coarse(program) {
                        conflicts.fine.set(true);
                        Mode::Watched
                    } else {
                        conflicts.met();
                        let known = conflicts.told.get() && !self.section.raise;
                        // Where nothing is watched there is nobody to tell of.
                        let tells = version.may_conflict && !known;
                        if tells { Mode::Reporting } else { Mode::InOrder }
                    }
                }
            };
            self.begin_again(version, heap);
            if version.may_conflict || next != Mode::Watched {
                heap.prepare(layout, program, (next, conflicts.fine.get()), ticks)?;
            }
            if next != mode {
                executable = self.executable(version, next, profile)?;
            }
            mode = next;
        }
    }

    /// Writes what has been printed.
    fn write(&self, version: &Version, heap: &mut Heap) -> Result<(), Trouble> {
        let printed = std::mem::take(heap.store.printed_mut());
        self.decoder(version, heap).write(&printed)
    }

    /// What a GPU has changed does not come back with a failure: the CPU tells what it was.
    fn told_by_cpu(&self) -> Trouble {
        if self.on_cpu.replace(true) || self.syncs.any() {
            return Trouble::Unsupported {
                message:
                    "the message of an error holds a String that the GPU has changed [unsupported-string]"
                        .into(),
                hint: "run the section on the CPU: Ikra.backend = :cpu".into(),
            };
        }
        tell_anew(|| "the CPU tells of a String that the GPU has changed".into());
        Trouble::Anew
    }

    /// Has it failed for want of something that is to be known when it is compiled? Then the section begins anew with that.
    fn learns(&self, version: &Version, failure: &Failure, heap: &Heap) -> Result<bool, Trouble> {
        let site = &version.program.sites[failure.site.0 as usize];
        let (path, line) = site.place();
        let place = (path.to_string(), line);
        let learned = &mut *self.learned.borrow_mut();
        match site.error {
            ErrorKind::ArrayGrowth if self.syncs.any() => Ok(false),
            ErrorKind::ArrayGrowth => {
                tell_anew(|| format!("{}:{} writes behind the end of an array", place.0, place.1));
                learned.extend(&version.learned);
                Ok(learned.gaps.insert(place))
            }
            // The blocks of syncs are not to run again.
            ErrorKind::Overflow { .. } if self.syncs.any() => Ok(false),
            ErrorKind::Overflow { wide, .. } => {
                let bits = if wide { 128 } else { 64 };
                tell_anew(|| format!("an Integer leaves {bits} bits at {}:{}", place.0, place.1));
                learned.extend(&version.learned);
                let line = site.place_of_integers();
                if !wide && learned.wide_integers.insert(line.clone()) {
                    return Ok(true);
                }
                let is_new = learned.big_integers.insert(line);
                // What may run on a GPU has no such Integers, wherever it runs.
                let moves = self.moves_to_cpu(version);
                version.big_integers.set(true);
                Ok(is_new || moves)
            }
            ErrorKind::NewName => {
                learned.extend(&version.learned);
                let here =
                    learned.names.iter().filter(|(path, line, _)| *path == place.0 && *line == place.1);
                if self.syncs.any() || here.count() >= MOST_NAMES {
                    return Err(Trouble::Unsupported {
                        message: format!(
                            "{}:{}: a method is called by a name that is new, after an Ikra.sync or as one of more than \
                             {MOST_NAMES} [unsupported-send]",
                            place.0, place.1
                        ),
                        hint: "decide with `case` which one to call".into(),
                    });
                }
                let symbol = heap.symbols.get(failure.operands[0] as i32);
                let lost = || Error::Internal("a name is lost".into());
                // SAFETY: the table of Symbols keeps it alive.
                let symbol = magnus::Symbol::from_value(unsafe { Value::from_raw(symbol.ok_or_else(lost)?) });
                let name = symbol.ok_or_else(lost)?.name()?.into_owned();
                let others = names::likely(self.ruby, &version.pool, heap.symbols.all(), &name)?;
                tell_anew(|| format!("{}:{} calls `{name}`, and maybe {others:?}", place.0, place.1));
                learned.name(place, name, others);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Does Ruby keep more of the exception than is known? Then the section begins anew as one that makes it an object, at
    /// the line where it was raised. What is known now leaves where that does not raise it.
    fn is_to_tell_more(
        &self,
        version: &Version,
        failure: &Failure,
        raised: &magnus::Error,
        heap: &Heap,
    ) -> Result<bool, Trouble> {
        let sites = &version.program.sites;
        let site = &sites[failure.site.0 as usize];
        let mut untold = self.untold.take();
        if ikra_core::infer::tells_too_little(site) {
            untold.push(failure.site);
        }
        if self.syncs.any() || untold.is_empty() {
            return Ok(false);
        }
        let Some(exception) = raised.value() else { return Ok(false) };
        let printed = self.decoder(version, heap).texts_of(heap.store.printed())?;
        let learned = &mut *self.learned.borrow_mut();
        learned.extend(&version.learned);
        let line_of = |id: SiteId| {
            let (path, line) = sites[id.0 as usize].place();
            (path.to_string(), line)
        };
        let line = line_of(failure.site);
        let mut is_new = false;
        for told in untold.into_iter().map(line_of) {
            if learned.told_lines.insert(told.clone()) {
                is_new = true;
                tell_anew(|| format!("{}:{} raises what keeps more than its message", told.0, told.1));
            }
        }
        // What is not known of a cause is no reason to forget what was known before.
        if is_new && self.told.borrow().is_some() && exceptions::is_own(self.ruby, raised)? {
            return Ok(true);
        }
        if is_new {
            self.pinned.pin(exception.as_raw());
            if let Some(printed) = printed {
                self.pinned.pin(printed.as_raw());
            }
            self.told.replace(Some(Told { known: raised.clone(), line, printed }));
        }
        Ok(is_new)
    }

    /// A String is to be a Symbol that has no number yet: it gets one, for as long as the version is there, and the
    /// section begins anew with that.
    fn with_symbol(&self, failure: &Failure, version: &Version, heap: &Heap) -> Trouble {
        if self.syncs.any() || heap.pool.symbols().len() >= MOST_SYMBOLS {
            return Trouble::Unsupported {
                message: format!(
                    "a String names a Symbol that is new, after an Ikra.sync or as one of more than {MOST_SYMBOLS} \
                     [unsupported-symbol]"
                ),
                hint: "use the String itself".into(),
            };
        }
        let Some((bytes, flags)) = failure.texts[0].as_deref() else {
            // What lies in the memory of a GPU does not come back with a failure.
            return match self.on_cpu.replace(true) {
                false => Trouble::Anew,
                true => Error::Internal("a Symbol without a name".into()).into(),
            };
        };
        let symbol = strings::make(bytes, *flags).and_then(|string| {
            self.pinned.pin(string);
            // SAFETY: it is a live String; what is raised for invalid bytes ends in `protect`.
            Ok(protect(|| unsafe { rb_sys::rb_str_intern(string) })?)
        });
        match symbol {
            Ok(symbol) if heap.pool.symbols().contains(&symbol) => {
                Error::Internal("a Symbol that is not found by its name".into()).into()
            }
            Ok(symbol) => {
                version.pool.symbol(symbol);
                tell_anew(|| format!("the Symbol :{} is new", value::name_of_symbol(symbol)));
                Trouble::Anew
            }
            Err(trouble) => trouble,
        }
    }

    /// A String is no source of a pattern that sections match. Is it none for Ruby either? Then what it says of it is known from
    /// now on.
    fn learns_pattern(&self, failure: &Failure) -> Result<bool, Trouble> {
        let Some((bytes, flags)) = failure.texts[0].as_deref().filter(|_| !self.syncs.any()) else {
            return Ok(false);
        };
        let source = strings::make(bytes, *flags)?;
        self.pinned.pin(source);
        // SAFETY: it was just made, and is pinned.
        let source = unsafe { Value::from_raw(source) };
        let (options, interpolated) = (failure.operands[1], i64::from(regexp::INTERPOLATED));
        let ikra: magnus::RModule = self.ruby.class_object().const_get("Ikra")?;
        let failures: magnus::RModule = ikra.const_get("Failures")?;
        let arguments = (source, options & !interpolated, options & interpolated != 0);
        let said: Option<(magnus::RString, i64)> = failures.funcall("of_pattern", arguments)?;
        let Some((message, encoding)) = said else { return Ok(false) };
        // SAFETY: nothing changes it meanwhile.
        let message = unsafe { message.as_slice() }.to_vec();
        let key = (bytes.clone(), *flags & (STRING_FROZEN - 1), options);
        tell_anew(|| "a String is no regular expression".into());
        Ok(table::refuse(key, message, encoding))
    }

    /// Puts everything back to what it was when the section began.
    fn begin_again(&self, version: &Version, heap: &mut Heap) {
        heap.begin_again(&version.layout);
        self.born.clear();
    }

    /// Warns of elements that run in order because they conflict, once for each place.
    fn tell(&self, error: magnus::Error) -> Result<(), Trouble> {
        self.say("runs_in_order", error.value())
    }

    /// Has `Section` of lib/ikra say something of this one.
    fn say(&self, what: &str, about: impl IntoValue) -> Result<(), Trouble> {
        let ikra: magnus::RModule = self.ruby.class_object().const_get("Ikra")?;
        let section: magnus::RModule = ikra.const_get("Section")?;
        section.funcall::<_, _, Value>(what, (about, self.section.name()))?;
        Ok(())
    }

    fn backend(&self, mode: Mode) -> Result<Arc<dyn Backend>, Trouble> {
        // Only the CPU runs elements in order.
        backends::choose(if mode == Mode::Watched && !self.on_cpu.get() {
            self.section.backend
        } else {
            "cpu"
        })
    }

    fn is_auto(&self) -> bool {
        // Elements behind others run on the CPU only.
        self.section.backend == "auto" && !self.on_cpu.get() && self.section.done == 0
    }

    fn work(&self) -> Work {
        Work::of_call(self.base.len(), self.section.ticks)
    }

    /// The code for the GPU, if `:auto` takes it.
    fn chosen_gpu(&self, version: &Version) -> Option<Arc<Executable>> {
        match self.section.output {
            Output::Program => version.choice.program_on_gpu(&version.program),
            _ => version.choice.on_gpu(&version.program, self.work()),
        }
    }

    /// What it is compiled for.
    fn kind(&self) -> Kind {
        Kind {
            output: self.section.output,
            repeats: self.section.ticks > 1,
            shape: self.section.chain.shape,
            elements_on_cpu: choice::is_for_cpu(self.section.backend) || self.for_cpu.get(),
        }
    }

    /// What no GPU does begins again as a section for the CPU.
    fn check_device(&self, version: &Version) -> Result<(), Trouble> {
        if !version.big_integers.get() || !self.moves_to_cpu(version) {
            return Ok(());
        }
        tell_anew(|| "Integers beyond 128 bits are the CPU's".into());
        Err(Trouble::Anew)
    }

    /// From now on it is a section for the CPU; was it none before?
    fn moves_to_cpu(&self, version: &Version) -> bool {
        if version.kind.elements_on_cpu {
            return false;
        }
        self.on_cpu.set(true);
        !self.for_cpu.replace(true)
    }

    /// A version that fits, and what was traced for it.
    fn fitting(&self, profile: &mut Profile) -> Result<(Rc<Version>, Traced<'a>), Trouble> {
        let mut known = None;
        for _ in 0..ATTEMPTS {
            // Also those that were made just now: another thread may have changed the objects back.
            if let Some((version, traced)) = self.known_version(profile)? {
                self.check_device(&version)?;
                self.is_wide.set(known.is_none() && version.plan.is_wider_than(&traced.tracer));
                return Ok((version, traced));
            }
            self.is_wide.set(false);
            let alone = gvl::is_alone(self.ruby);
            let (version, traced) = self.infer(known, profile)?;
            known = Some((version.plan.asked.clone(), version.pool.extended(self.ruby)?));
            self.put_first(&version);
            self.check_device(&version)?;
            // What other threads do while it is compiled is seen, as it is read after that.
            if !self.runs_in_ruby(&version) {
                self.executable(&version, Mode::Watched, profile)?;
            }
            let traced = match traced {
                Some(traced) if alone && gvl::is_alone(self.ruby) => Some(traced),
                _ => profile.time(Phase::Trace, || self.follow(&version, false))?,
            };
            if let Some(traced) = traced {
                return Ok((version, traced));
            }
        }
        Err(Trouble::Plain(
            "other threads change what the objects hold faster than code can be made for it: change them when the \
             section has ended, with a Mutex around both"
                .into(),
        ))
    }

    /// A version that fits the objects, with what it reads of them.
    fn known_version(&self, profile: &mut Profile) -> Result<Option<(Rc<Version>, Traced<'a>)>, Trouble> {
        let mut versions = self.captured.handle.0.with(self.ruby, |versions| versions.clone());
        versions.retain(|version| version.kind == self.kind() && version.plan.takes(&self.base));
        let too_wide = self.too_wide.borrow();
        versions.retain(|version| !too_wide.iter().any(|other| Rc::ptr_eq(other, version)));
        drop(too_wide);
        let learned = self.learned.borrow();
        versions.retain(|version| {
            let is_told_alone = || version.learned.told_lines == learned.told_lines;
            learned.is_within(&version.learned) && (!self.alone.get() || is_told_alone())
        });
        drop(learned);
        // Where there is a choice, some of the objects tell which one it cannot be.
        let samples = versions.len() > 1 && self.base.len() >= SAMPLED;
        for version in versions {
            let traced = profile.time(Phase::Trace, || self.follow(&version, samples));
            if let Some(traced) = traced? {
                self.put_first(&version);
                return Ok(Some((version, traced)));
            }
        }
        Ok(None)
    }

    /// What a version's plan reads, if that is what it was compiled for; `samples`: of some objects first.
    fn follow(&self, version: &Version, samples: bool) -> Result<Option<Traced<'a>>, Trouble> {
        // Another thread may push the version out of the handle that marks its objects.
        self.pinned.pin_pool(self.ruby, &version.pool);
        if !version.assumptions.hold(self.ruby, &version.pool)? {
            return Ok(None);
        }
        if !version.plan.takes(&self.base) {
            return Ok(None);
        }
        let (pool, base) = (&version.pool, &*self.base);
        if samples && !version.plan.may_fit(self.pinned, pool, &self.scope, base)? {
            return Ok(None);
        }
        let recalled = match version.memory.take() {
            Some(last) => {
                let recalled = version.plan.recall(self.pinned, pool, &self.scope, base, last)?;
                version.memory.tell(recalled.is_some());
                recalled
            }
            None => None,
        };
        let traced = match recalled {
            Some(traced) => traced,
            None => version.plan.follow(self.pinned, pool, &self.scope, base, None)?,
        };
        let Ok(traced) = traced else { return Ok(None) };
        let differs = version.assumptions.hold_in(self.ruby, &version.pool, traced.tracer.pinned)?;
        Ok(differs.is_none().then_some(traced))
    }

    /// A new version, and what was read while it was inferred, if that is what it asks for. `known`: from an inference before.
    fn infer(
        &self,
        known: Option<(Asked, ObjectPool)>,
        profile: &mut Profile,
    ) -> Result<Inference<'a>, Trouble> {
        let _in_use = sources::InUse::new(self.ruby);
        self.infer_version(known, profile).map_err(|trouble| match trouble {
            // It may be that what was only likely cannot be compiled, or not with all the rest.
            Trouble::Core(Error::Unsupported(_)) if self.learned.borrow_mut().forget_likely() => {
                tell_anew(|| "without what was only likely".into());
                Trouble::Anew
            }
            // What it shows may be forgotten later.
            Trouble::Core(Error::Unsupported(_)) => exceptions::exception(self.ruby, trouble).into(),
            other => other,
        })
    }

    fn infer_version(
        &self,
        known: Option<(Asked, ObjectPool)>,
        profile: &mut Profile,
    ) -> Result<Inference<'a>, Trouble> {
        faults::point("finding the source")?;
        let code =
            profile.time(Phase::Capture, || self.captured.code(self.ruby, self.base.arguments.len()))?;
        let _reserve = Reserve::new(SET_ASIDE)?;
        let mut steps = Profile::default();
        let version = profile.time(Phase::Infer, || {
            let base = &*self.base;
            // What another inference has found out is no part of what is kept.
            let shelf = match &known {
                None => Shelf::of(self.ruby, &code, self.kind(), &self.learned.borrow()),
                Some(_) => None,
            };
            let (asked, pool) = match known {
                Some(known) => known,
                None => (Asked::default(), ObjectPool::new(self.ruby)?),
            };
            let mut pool = Rc::new(pool);
            let kept = match &shelf {
                Some(shelf) => self.kept(shelf, &code, &mut steps)?,
                None => None,
            };
            let front = if let Some((front, of_kept)) = kept {
                pool = of_kept;
                front
            } else {
                let mut front =
                    self.host(&code, asked, &pool)?.infer(&code, self.kind(), shelf.is_some(), &mut steps)?;
                let recording = front.recording.take();
                let kept = recording.and_then(|recording| Kept::new(recording, &front.inferred));
                let mut program = std::mem::take(&mut front.inferred.program);
                sources::with_map(self.ruby, |map| tell_refusals(&mut program, &front.inferred.traps, map));
                let bytes = set_aside(&program);
                let (program, passes) = background::run(self.ruby, bytes, |token| {
                    let (program, passes) = optimized(program, token)?;
                    if let Some((shelf, kept)) = shelf.zip(kept) {
                        shelf.put(kept, &program);
                    }
                    Ok((program, passes))
                })?;
                front.inferred.program = program;
                steps.merge(&passes);
                front
            };
            faults::point("planning the columns")?;
            let layout = Layout::new(&pool, &front.plan, &front.inferred)?;
            let (words, all) = ikra_core::infer::result_words(&front.inferred.schema);
            let first = Room::first(base.len());
            let room = Room { result: if all { words } else { words.max(first.result) }, ..first };
            let program = Arc::new(front.inferred.program.clone());
            let defers = !program.deferred().is_empty();
            reserve::check()?;
            pool.complete();
            let text = |span| sources::with_map(self.ruby, |map| SyncText::new(map, span));
            let schema = &front.inferred.schema;
            let syncs = schema.syncs.iter().map(|sync| text(sync.text)).collect();
            let procs = schema.procs.iter().map(|given| text(given.text)).collect();
            let version = Version {
                syncs,
                procs,
                pool,
                kind: self.kind(),
                prints: program.prints(),
                big_integers: Cell::new(program.has_big_integers()),
                may_conflict: defers || program.is_watched(),
                program,
                inferred: front.inferred,
                plan: front.plan,
                layout,
                assumptions: front.assumptions,
                _codes: front.codes,
                executables: RefCell::default(),
                pending: RefCell::default(),
                rooms: Rooms::new(room),
                conflicts: Conflicts::default(),
                kept: RefCell::default(),
                memory: Memory::default(),
                choice: Choice::default(),
                costs: advice::Costs::default(),
                asks: Cell::default(),
                nobody: Arc::default(),
                learned: self.learned.borrow().clone(),
            };
            Ok((Rc::new(version), front.traced))
        });
        profile.merge(&steps);
        version
    }

    fn host(&self, code: &Code, asked: Asked, pool: &Rc<ObjectPool>) -> Result<LiveHost<'_, 'a>, Trouble> {
        let known = (pool.clone(), &self.learned);
        LiveHost::new(self.ruby, self.pinned, &self.scope, code, &self.base, asked, known)
    }

    /// What was kept of an inference that would find the same here, with the numbers that it has then. To see that, things are
    /// asked that another inference would not ask: each one has a pool of its own.
    fn kept(
        &self,
        shelf: &Shelf,
        code: &Rc<Code>,
        steps: &mut Profile,
    ) -> Result<Option<(Front<'a>, Rc<ObjectPool>)>, Trouble> {
        let learned = self.learned.borrow().clone();
        for kept in shelf.all() {
            let pool = Rc::new(ObjectPool::new(self.ruby)?);
            if let Some((mut front, program)) =
                self.host(code, Asked::default(), &pool)?.replay(code, self.kind(), kept, steps)?
            {
                let start = Instant::now();
                // A thread takes longer than to read a small one.
                let program = match program.stack() <= stack::room() {
                    true => program.read(),
                    false => background::run(self.ruby, SET_ASIDE, move |_| Ok(program.read()))?,
                };
                steps.step("kept program", start.elapsed(), 1);
                if let Some(program) = program {
                    front.inferred.program = program;
                    return Ok(Some((front, pool)));
                }
            }
            self.learned.replace(learned.clone());
        }
        Ok(None)
    }

    fn put_first(&self, version: &Rc<Version>) {
        let dropped = self.captured.handle.0.with(self.ruby, |versions| {
            versions.retain(|other| !Rc::ptr_eq(other, version));
            versions.insert(0, version.clone());
            if versions.len() > VERSIONS { versions.split_off(VERSIONS) } else { Vec::new() }
        });
        drop(dropped);
    }

    /// Elements that are replaced while the base is gone through would be other elements in sequential Ruby.
    fn refuse_changing_base(&self, version: &Version, traced: &mut Traced<'_>) -> Result<(), Trouble> {
        let schema = &version.inferred.schema;
        let items = (0..self.base.columns.len() as u32)
            .filter_map(|column| traced.tracer.asked.kinds.kind(Holder::Base(column)));
        let changes = |kind| schema.arrays.iter().any(|array| array.written && array.kind == kind);
        if self.base.makes_items && self.section.ticks > 1 && items.into_iter().any(changes) {
            return Err(Trouble::Unsupported {
                message: "the block may change arrays that are made anew for each tick [changing-base]"
                    .into(),
                hint: "make them before: each_slice(2).to_a.peach(ticks) { … }".into(),
            });
        }
        for object in &self.base.looked_at {
            if self.base.is_changed && traced.tracer.met(object.as_raw()).is_some() {
                return Err(Trouble::Unsupported {
                    message: "the block may read what its method changes, and would see it half changed [changing-base]"
                        .into(),
                    hint: "let it read a dup of that, or use the method without the `!`".into(),
                });
            }
            let what = match traced.tracer.met(object.as_raw()) {
                Some(Visited::Array(kind, _)) => {
                    let what = match traced.tracer.asked.kinds.collection(kind) {
                        Some(Collection::Column(_)) => "column",
                        Some(Collection::Hash(_)) => "hash",
                        None | Some(Collection::Words) => "array",
                    };
                    let is_written = schema.hashes.contains_key(&kind)
                        || schema.given_defaults.contains_key(&kind)
                        || schema.arrays.iter().any(|array| array.written && array.kind == kind);
                    is_written.then_some(what)
                }
                Some(Visited::Object(class, _)) => {
                    let is_written =
                        |column: &ColumnSchema| column.written && column.classes.contains(&class);
                    schema.columns.iter().any(is_written).then_some("object")
                }
                None => {
                    let column = column::of(*object);
                    let kind = column.and_then(|column| traced.tracer.kind_of_memory(&column.memory));
                    let is_written =
                        |kind| schema.arrays.iter().any(|array| array.written && array.kind == kind);
                    kind.is_some_and(is_written).then_some("column")
                }
            };
            if let Some(what) = what {
                return Err(Trouble::Unsupported {
                    message: format!("the block may change the {what} that it is called on [changing-base]"),
                    hint: format!("write into another {what}, such as a dup of it"),
                });
            }
        }
        self.refuse_changing_each(schema, traced)
    }

    /// The same of variables that the `each` of an object of the user's reads.
    fn refuse_changing_each(&self, schema: &Schema, traced: &Traced<'_>) -> Result<(), Trouble> {
        let Some((object, names)) = &self.base.read else { return Ok(()) };
        let Some(Visited::Object(class, _)) = traced.tracer.met(object.as_raw()) else { return Ok(()) };
        let changes = |column: &&ColumnSchema| {
            column.written && column.classes.contains(&class) && names.contains(&column.name)
        };
        match schema.columns.iter().find(changes) {
            None => Ok(()),
            Some(column) => Err(Trouble::Unsupported {
                message: format!(
                    "the block may change {}, which the `each` of what it is called on reads [changing-base]",
                    column.name
                ),
                hint: "go through an array of the elements, which does not change: to_a".into(),
            }),
        }
    }

    /// What a `pmap` of an `Ikra::Column` gives is one again.
    fn refuse_mixed_column(&self, version: &Version) -> Result<(), Trouble> {
        let result = &version.inferred.schema.result;
        if !self.base.is_column || self.section.output != Output::Values || columns::holds(result) {
            return Ok(());
        }
        let names: Vec<_> =
            result.iter().map(|ty| explain::type_name(ty, &|class| version.pool.name(class))).collect();
        Err(Trouble::Unsupported {
            message: format!("no Column holds what the block gives: {} [column-result]", names.join(" or ")),
            hint: format!("have an Array of them: to_a.{}", self.section.name()),
        })
    }

    /// Ruby looks into what the block gives before the next element runs, which may change it.
    fn refuse_compared(&self, version: &Version) -> Result<(), Trouble> {
        if self.base.compared_by.is_none() || !compared::changes(self.ruby, &version.pool, &version.inferred)?
        {
            return Ok(());
        }
        Err(Trouble::Unsupported {
            message: format!(
                "{} looks into what its block gives, and the block changes that [unsupported-result]",
                self.section.name()
            ),
            hint: "give a copy: value.dup".into(),
        })
    }

    /// Ruby puts the items of an array into the result of `flat_map` as they are when the block has given it.
    fn refuse_flat(&self, version: &Version) -> Result<(), Trouble> {
        let schema = &version.inferred.schema;
        let changes = |ty: &Type| matches!(ty, Type::Array(kind) if schema.arrays.iter().any(|array| array.kind == *kind && array.written && !array.made));
        if self.section.form != ResultForm::Flat || !schema.result.iter().any(changes) {
            return Ok(());
        }
        Err(Trouble::Unsupported {
            message: format!(
                "{} puts arrays together that its block changes [unsupported-result]",
                self.section.name()
            ),
            hint: "have the block give a copy: array.dup".into(),
        })
    }

    fn executable(
        &self,
        version: &Version,
        mode: Mode,
        profile: &mut Profile,
    ) -> Result<Arc<Executable>, Trouble> {
        let ticks = self.section.ticks;
        if self.is_auto()
            && mode == Mode::Watched
            && let Some(executable) = self.chosen_gpu(version)
        {
            profile.backend = Some("cuda");
            return Ok(executable);
        }
        let backend = self.backend(mode)?;
        profile.backend = Some(backend.name());
        let suits =
            |known: &&ExecutableOf| (known.0, known.1) == (backend.name(), mode) && known.2.suits(ticks);
        let known = || version.executables.borrow().iter().find(suits).map(|known| known.2.clone());
        if let Some(executable) = known() {
            return Ok(executable);
        }
        if backend.name() == "cpu" && mode == Mode::Watched {
            self.take_pending(version, profile)?;
            if let Some(executable) = known() {
                return Ok(executable);
            }
        }
        let name = backend.name();
        let (executable, steps) = profile.time(Phase::Compile, || {
            let bytes = set_aside(&version.program);
            background::run(self.ruby, bytes, compilation(version, backend, (mode, ticks)))
        })?;
        profile.merge(&steps);
        version.keep((name, mode, executable.clone()));
        Ok(executable)
    }

    /// Waits for code that was begun, if there is such.
    fn take_pending(&self, version: &Version, profile: &mut Profile) -> Result<(), Trouble> {
        let pending = version.pending.borrow().as_ref().map(|pending| pending.0.clone());
        let Some(pending) = pending.filter(|pending| pending.is_of_this_process()) else { return Ok(()) };
        let waited = profile.time(Phase::Compile, || pending.wait(self.ruby));
        if pending.is_asleep() {
            drop(version.pending.take());
        }
        waited?;
        // Another thread may have taken it.
        let Some(ended) = pending.take() else { return Ok(()) };
        drop(version.pending.take());
        let (executable, steps) = ended.map_err(Trouble::Panic)??;
        profile.merge(&steps);
        version.keep(("cpu", Mode::Watched, executable));
        Ok(())
    }

    /// Can Ruby run elements, as there is no code for them, and nobody could tell?
    fn runs_in_ruby(&self, version: &Version) -> bool {
        let Section { meanwhile, output, ticks, backend, .. } = *self.section;
        let inferred = &version.inferred;
        let is_cpu = match backend {
            "auto" => !self.is_auto() || self.chosen_gpu(version).is_none(),
            name => name == "cpu",
        };
        meanwhile
            && is_cpu
            && ticks == 1
            && !matches!(output, Output::Program | Output::Nothing)
            && !version.changes()
            && !inferred.schema.pushes
            // What elements leave for their end is not in a program in which none comes to it.
            && !(matches!(output, Output::Values | Output::Kept) && inferred.schema.result.iter().next().is_none())
            && !inferred.schema.arrays.iter().any(|array| array.written && !array.made)
            && !version.program.uses_random
            && inferred.traps.is_empty()
            // What is called by a name that comes as the section runs, and what is behind that, may change anything.
            && !version.program.sites.iter().any(|site| site.error == ErrorKind::NewName)
            && version.syncs.is_empty()
            && version.procs.is_empty()
            // What comes of columns is columns.
            && self.base.columns.iter().all(|source| !matches!(source, Source::Memory(_)))
            && !version.executables.borrow().iter().any(|known| known.0 == "cpu" && known.1 == Mode::Watched)
    }

    /// Code that is not there yet, where Ruby is to run elements meanwhile.
    fn in_the_making(&self, version: &Version) -> Result<Option<Arc<Compiling>>, Trouble> {
        if !self.runs_in_ruby(version) {
            return Ok(None);
        }
        let known = version.pending.borrow().as_ref().map(|pending| pending.0.clone());
        let compiling = match known.filter(|known| known.is_of_this_process()) {
            Some(known) => known,
            None => {
                let backend = self.backend(Mode::Watched)?;
                let bytes = set_aside(&version.program);
                let new = Beside::new(bytes, compilation(version, backend, (Mode::Watched, 1)));
                drop(version.pending.replace(Some(Pending(new.clone()))));
                new
            }
        };
        Ok((!compiling.look(self.ruby)).then_some(compiling))
    }

    /// Runs the driver to its end, without the GVL. An interrupt that raises nothing (a trap handler that returns)
    /// starts it again from the columns as they were, and then on another thread: further interrupts stop it only if
    /// they raise.
    fn launch(
        &self,
        version: &Version,
        (mode, executable): (Mode, &Arc<Executable>),
        heap: &mut Heap,
        (seed, call): (u64, u64),
        profile: &mut Profile,
    ) -> Result<Ended, Trouble> {
        gvl::check_deferred()?;
        let interrupt = Arc::new(AtomicBool::new(false));
        let learns = self.is_auto() && mode == Mode::Watched;
        let on_gpu = profile.backend != Some("cpu");
        let is_program = self.section.output == Output::Program;
        let overtaken = RefCell::new(None);
        if learns && !on_gpu && !is_program {
            overtaken.replace(Some(version.choice.running(self.work(), &interrupt)));
        }
        let rows = heap.store.columns().iter().map(Column::len).max().unwrap_or(0) as u64;
        let considers = learns && !on_gpu && is_program && choice::is_enough(rows);
        let mut interrupted = false;
        let progress = Progress::default();
        loop {
            interrupt.store(false, Ordering::Relaxed);
            let mut steps = Profile { untimed: profile.untimed, ..Profile::default() };
            // The heap is the syncs', but for what the launch has of it.
            let (scalars, jobs) = (heap.scalars.clone(), std::mem::take(&mut heap.jobs));
            let ticks = self.section.ticks;
            progress.begin();
            let launch = Launch {
                scalars: &scalars,
                jobs: &jobs,
                ticks,
                first_tick: 0,
                seed,
                call,
                progress: Some(&progress),
            };
            let mut store = std::mem::take(&mut heap.store);
            store.printed_mut().clear();
            // Where Ruby is to run in the middle, this thread has to be there for it.
            let told = self.section.progress;
            let tell = || {
                let Some(told) = told else { return Ok(()) };
                once(self.ruby, || told.call::<_, Value>(progress.so_far()))
                    .map(|_| ())
                    .map_err(Trouble::from)
            };
            let (begun, in_syncs) = (considers.then(Instant::now), Cell::new(Duration::ZERO));
            let meanwhile = || {
                if let Some(begun) = begun {
                    let took = begun.elapsed().saturating_sub(in_syncs.get());
                    let work = Work::of_program(rows, progress.launched());
                    overtaken.take();
                    overtaken.replace(Some(version.choice.consider(
                        &version.program,
                        work,
                        took,
                        &interrupt,
                    )));
                }
                tell()
            };
            // A driver that launches often would wake another thread for a large stack each time.
            let is_deep = executable.is_deep() || is_program && executable.are_deep();
            let beside = considers
                || told.is_some()
                || !version.syncs.is_empty()
                || is_deep
                || version.asks.get() == Asks::Beside
                || version.asks.get() == Asks::Here && executable.are_deep();
            let (cost, mut told_of) = (Cost::default(), None);
            let ended = if interrupted || beside {
                let mut at = 0;
                let run = |asker: &Arc<Asker<Wish, Granted>>| {
                    let _asking = Asking::begin(Some(Arc::new(Questions(Arc::clone(asker)))));
                    let at_sync = &mut |number, store: &mut Store| {
                        let Some(Granted::Synced(now)) = asker.ask(Wish::Sync(number, std::mem::take(store)))
                        else {
                            return Err(Error::Internal("the section has ended".into()));
                        };
                        *store = now;
                        Ok(())
                    };
                    executable.run(&mut store, &launch, at_sync, &interrupt, &mut steps)
                };
                let answer = |wish: Wish| {
                    let (number, store) = match wish {
                        Wish::Sync(number, store) => (number, store),
                        Wish::Answer(question) => {
                            return asked::answer_at(self.ruby, question, &cost).map(Granted::Answered);
                        }
                    };
                    heap.store = store;
                    let run = SyncRun {
                        ruby: self.ruby,
                        pinned: self.pinned,
                        block: self.section.block,
                        base: &self.base,
                        born: &self.born,
                        untold: &self.untold,
                    };
                    let since = Instant::now();
                    run.sync(version, heap, (number, at), &self.syncs)?;
                    in_syncs.set(in_syncs.get() + since.elapsed());
                    at += 1;
                    Ok(Granted::Synced(std::mem::take(&mut heap.store)))
                };
                Some(gvl::beside(self.ruby, (is_deep, &interrupt), run, answer, meanwhile)?)
            } else {
                let at_sync = &mut |_, _: &mut Store| Err(Error::Internal("a driver without syncs".into()));
                let mut run = || executable.run(&mut store, &launch, at_sync, &interrupt, &mut steps);
                match version.asks.get() {
                    Asks::Here => {
                        let (here, since) = (Here::new(&interrupt), Instant::now());
                        let ended = here.run(self.ruby, run);
                        here.cost.tell(&mut steps);
                        version.asks.set(Asks::after(since.elapsed(), &here));
                        told_of = here.cost.told(since.elapsed());
                        ended
                    }
                    _ => {
                        let nobody = Arc::clone(&version.nobody) as Arc<dyn Ask>;
                        gvl::without_gvl(self.ruby, &interrupt, || {
                            let _asking = Asking::begin(Some(nobody));
                            run()
                        })
                    }
                }
            };
            (heap.store, heap.jobs) = (store, jobs);
            cost.tell(&mut steps);
            profile.merge(&steps);
            match ended.transpose().map_err(Trouble::Panic)?.transpose()? {
                Some(Outcome::Done) => {
                    tell()?;
                    if let Some(told) = told_of {
                        self.say("asks_ruby", told)?;
                    }
                    if learns {
                        let work = match is_program {
                            true => Work::of_program(rows, progress.launched()),
                            false => self.work(),
                        };
                        version.choice.learn(on_gpu, work, &steps);
                    }
                    return Ok(Ended::Done);
                }
                Some(Outcome::Failed(failure)) => return Ok(Ended::Failed(failure)),
                Some(Outcome::Conflict) => {
                    // It has ended as if by an interrupt, and there may have been one.
                    gvl::check_interrupts(self.ruby)?;
                    return Ok(Ended::Conflict);
                }
                None | Some(Outcome::Interrupted) => gvl::check_interrupts(self.ruby)?,
            }
            if overtaken.borrow().as_ref().is_some_and(Running::is_overtaken) {
                return Ok(Ended::Overtaken);
            }
            interrupted = true;
            self.begin_again(version, heap);
            let fine = version.conflicts.fine.get();
            heap.prepare(&version.layout, &version.program, (mode, fine), self.section.ticks)?;
        }
    }

    fn explain(&self) -> Result<String, Trouble> {
        let mut profile = Profile::default();
        let (mut version, _) = self.fitting(&mut profile)?;
        let mut values = version.program.functions.iter().flat_map(|function| &function.values);
        if values.all(|data| data.origin.0.is_none()) {
            // What was kept on disk does not tell.
            let known = (version.plan.asked.clone(), version.pool.extended(self.ruby)?);
            version = self.infer(Some(known), &mut profile)?.0;
        }
        let executable = self.executable(&version, Mode::Watched, &mut profile)?;
        let backend = self.backend(Mode::Watched)?;
        let inferred = &version.inferred;
        let traps: Vec<_> = inferred.traps.iter().map(|(_, what)| what.clone()).collect();
        let (lines, traps, places) = sources::with_map(self.ruby, |map| {
            let places = explain::teller(map, &inferred.program);
            (explain::lines(&inferred.listing, map), diagnostic::render_all(&traps, map), places)
        });
        let class_name = |class| version.pool.name(class);
        let told = |span| places.get(&span).cloned();
        Ok(explain::text((&lines, &traps), &told, inferred, &*backend, &executable, class_name))
    }
}
