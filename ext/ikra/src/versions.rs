//! The compiled versions of a block literal, and the handle that holds them.
//!
//! A compiled *version* of a section is its program, its plan, and its assumptions: these methods are these methods,
//! this class has this ancestor. The next call checks the assumptions, follows the plan, and while it reads compares
//! every value with the planned types, which are the guards of the version. If something does not fit, the next version
//! is tried, and then a new one is inferred. Up to eight versions are kept for a block literal, the one used last
//! first. Where there is a choice, a sample tells most versions that it is not them: the roots, some elements, what
//! they hold, and what that holds. Versions live in an object that hangs on the literal's instruction sequence, so all
//! Procs of one literal share them and they go when it goes.
//!
//! Where elements conflict, the section begins again in order, on one core, by the same program without what watches
//! (`passes/unwatch.rs`), over the elements in the order of the base (`JobOrder::in_order`). Before that, if the user
//! is to be told, it runs in order with longer marks (`Program::reports`), which say who was there before and where; so
//! what is told does not depend on chance. Versions remember it, and have elements run at the same time again now and
//! then, ever less often.

use crate::code::methods::Assumptions;
use crate::code::syncs::SyncText;
use crate::reading::plan::Plan;
use crate::reading::remembered::Memory;
use crate::running::advice::Costs;
use crate::running::choice::Choice;
use crate::running::heap::{Kept, Layout, Mode, Rooms};
use crate::vm::asked::Asks;
use crate::vm::background::Beside;
use crate::vm::gvl::GvlCell;
use crate::vm::object_pool::ObjectPool;
use ikra_core::backend::Executable;
use ikra_core::cancel::CancellationToken;
use ikra_core::error::Error;
use ikra_core::heap::schema::Output;
use ikra_core::infer::Inferred;
use ikra_core::infer::host::IntegerSize;
use ikra_core::ir::{Program, passes};
use ikra_core::profile::Profile;
use ikra_core::regexp::asking::Nobody;
use ikra_core::syntax::ast::Code;
use ikra_core::types::ArrayKind;
use magnus::{DataTypeFunctions, TypedData, gc};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// What is compiled of one block literal; the one used last comes first.
#[derive(TypedData, Default)]
#[magnus(class = "Ikra::Native::Handle", mark, free_immediately)]
pub struct Handle(pub GvlCell<Vec<Rc<Version>>>);

impl DataTypeFunctions for Handle {
    fn mark(&self, _marker: &gc::Marker) {
        self.0.marked(|versions| {
            for version in versions {
                // SAFETY: this is the mark phase, and the objects have been marked ever since they were put there.
                version.pool.each_marked(|value| unsafe { rb_sys::rb_gc_mark(value) });
                version.memory.rest();
            }
        });
    }
}

/// What runs have found out of lines of files, for which a section is compiled anew.
#[derive(Clone, Debug)]
pub struct Learned {
    /// Items are written behind the end of an array there, with nils between.
    pub gaps: Lines,
    /// Integers have left 64 bits there.
    pub wide_integers: Lines,
    /// And 128.
    pub big_integers: Lines,
    /// An exception of Ruby's own has left the section from there, which keeps more than a failure tells.
    pub told_lines: Lines,
    /// Methods are called by these names there, which are not written out.
    pub names: Names,
    /// Those of them that are only likely, unless likely ones have turned out to be in the way.
    pub likely: Option<Names>,
    /// A constant, a variable around the block or its self is an object with methods of its own, and what is called
    /// on it may be one of these: so it is refused where it is reached.
    pub refuses_singletons: bool,
}

/// Path and line.
pub type Lines = BTreeSet<(String, u32)>;

/// Path, line and name.
pub type Names = BTreeSet<(String, u32, String)>;

impl Default for Learned {
    fn default() -> Self {
        Self {
            gaps: BTreeSet::new(),
            wide_integers: BTreeSet::new(),
            big_integers: BTreeSet::new(),
            told_lines: BTreeSet::new(),
            names: BTreeSet::new(),
            likely: Some(BTreeSet::new()),
            refuses_singletons: false,
        }
    }
}

impl Learned {
    /// All of it.
    pub const fn facts(&self) -> ([&Lines; 4], &Names, Option<&Names>, bool) {
        let lines = [&self.gaps, &self.wide_integers, &self.big_integers, &self.told_lines];
        (lines, &self.names, self.likely.as_ref(), self.refuses_singletons)
    }

    /// How large have Integers become on a line?
    pub fn integer_size(&self, line: &(String, u32)) -> IntegerSize {
        if self.big_integers.contains(line) {
            IntegerSize::Any
        } else if self.wide_integers.contains(line) {
            IntegerSize::Wide
        } else {
            IntegerSize::Word
        }
    }

    pub fn extend(&mut self, other: &Self) {
        self.gaps.extend(other.gaps.iter().cloned());
        self.wide_integers.extend(other.wide_integers.iter().cloned());
        self.big_integers.extend(other.big_integers.iter().cloned());
        self.told_lines.extend(other.told_lines.iter().cloned());
        self.names.extend(other.names.iter().cloned());
        if other.likely.is_none() {
            self.likely = None;
        }
        self.refuses_singletons |= other.refuses_singletons;
    }

    /// Methods are likely to be called by these names there.
    pub fn guess(&mut self, (path, line): (&str, u32), names: BTreeSet<String>) {
        let Some(likely) = &mut self.likely else { return };
        let places = names.into_iter().map(|name| (path.to_string(), line, name));
        likely.extend(places.filter(|place| !self.names.contains(place)));
        self.names.extend(likely.iter().cloned());
    }

    /// Methods are called by this name there, and by others that are as likely.
    pub fn name(&mut self, (path, line): (String, u32), name: String, others: BTreeSet<String>) {
        let place = |name: String| (path.clone(), line, name);
        self.names.insert(place(name));
        if let Some(likely) = &mut self.likely {
            for other in others.into_iter().map(place).filter(|other| !self.names.contains(other)) {
                likely.insert(other);
            }
            self.names.extend(likely.iter().cloned());
        }
    }

    /// What was only likely is forgotten, for good: true if there was any.
    pub fn forget_likely(&mut self) -> bool {
        let likely = self.likely.take().unwrap_or_default();
        self.names.retain(|name| !likely.contains(name));
        !likely.is_empty()
    }

    pub fn is_within(&self, other: &Self) -> bool {
        self.gaps.is_subset(&other.gaps)
            && self.wide_integers.is_subset(&other.wide_integers)
            && self.big_integers.is_subset(&other.big_integers)
            && self.told_lines.is_subset(&other.told_lines)
            && self.names.is_subset(&other.names)
            && self.refuses_singletons <= other.refuses_singletons
    }
}

/// What a version is compiled for, beside the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub output: Output,
    /// Is it for several ticks?
    pub repeats: bool,
    /// Which blocks it is made of: 0 where that is the literal alone.
    pub shape: u32,
    /// Elements never run on a GPU, so that they can call what there is on the host only.
    pub elements_on_cpu: bool,
}

/// A block compiled for one signature: the types found when it was inferred.
pub struct Version {
    pub kind: Kind,
    pub inferred: Inferred,
    pub program: Arc<Program>,
    /// Does it print?
    pub prints: bool,
    /// Do its elements compute with Integers beyond 64 bits, which no GPU does?
    pub big_integers: Cell<bool>,
    /// They are watched, or what they defer can fail: there is more than one mode.
    pub may_conflict: bool,
    pub plan: Plan,
    pub layout: Layout,
    pub assumptions: Assumptions,
    /// What numbers in all of these stand for.
    pub pool: Rc<ObjectPool>,
    pub learned: Learned,
    /// What it was compiled from, which `explain` shows.
    pub _codes: Vec<Rc<Code>>,
    pub executables: RefCell<Vec<ExecutableOf>>,
    /// Code for the CPU that was begun while Ruby runs elements.
    pub pending: RefCell<Option<Pending>>,
    pub rooms: Rooms,
    pub conflicts: Conflicts,
    /// Memory for the next run.
    pub kept: RefCell<Option<Kept>>,
    /// What the last one has found.
    pub memory: Memory,
    /// The back-end that `:auto` takes.
    pub choice: Choice,
    /// What its calls cost.
    pub costs: Costs,
    /// Its threads may ask Ruby (see [`ikra_core::regexp::asking`]).
    pub asks: Cell<Asks>,
    /// Whom they have as long as they may not.
    pub nobody: Arc<Nobody>,
    /// The blocks that Ruby runs in between.
    pub syncs: Vec<SyncText>,
    /// The texts of lambdas and procs that it gives.
    pub procs: Vec<SyncText>,
}

impl Version {
    /// Does it change anything that was there before, or print?
    pub fn changes(&self) -> bool {
        self.keeps_changes() || self.prints
    }

    /// Does it change objects or variables, which is written back at its end only?
    pub fn keeps_changes(&self) -> bool {
        self.layout.changes() || !self.inferred.schema.accumulators.is_empty()
    }

    /// This is what it was compiled to.
    pub fn keep(&self, executable: ExecutableOf) {
        let mut executables = self.executables.borrow_mut();
        executables.retain(|known| (known.0, known.1) != (executable.0, executable.1));
        executables.push(executable);
    }

    /// Do arrays of this kind keep their numbers, and what they are, to the end?
    pub fn keeps(&self, kind: ArrayKind) -> bool {
        !self.inferred.schema.arrays.iter().any(|array| array.kind == kind && array.local)
    }
}

/// An executable that is being made, and what that took.
pub type Compiling = Beside<(Arc<Executable>, Profile)>;

/// Nobody wants it when its version is gone.
pub struct Pending(pub Arc<Compiling>);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What it is compiled to for a back-end and a mode.
pub type ExecutableOf = (&'static str, Mode, Arc<Executable>);

impl Mode {
    /// What a program becomes for it.
    pub fn program(self, program: &Arc<Program>, token: &CancellationToken) -> Result<Arc<Program>, Error> {
        // Only benchmark/conflicts.rb sets this: elements that are not independent race.
        #[cfg(feature = "testing")]
        if std::env::var_os("IKRA_BENCHMARK_UNWATCHED").is_some() {
            return Self::InOrder.of_watched(program, token);
        }
        if self == Self::Watched {
            return Ok(program.clone());
        }
        self.of_watched(program, token)
    }

    fn of_watched(self, program: &Program, token: &CancellationToken) -> Result<Arc<Program>, Error> {
        let mut program = program.plain.as_deref().unwrap_or(program).clone();
        match self {
            Self::Reporting => program.reports = true,
            _ => passes::unwatch::run(&mut program, token)?,
        }
        Ok(Arc::new(program))
    }
}

/// What is known of a version whose elements conflicted.
#[derive(Debug, Default)]
pub struct Conflicts {
    /// Arrays as wholes are not an element's own.
    pub fine: Cell<bool>,
    /// The user has been told.
    pub told: Cell<bool>,
    /// So many runs are in order before elements run at the same time again.
    waits: Cell<u32>,
    /// How many it was at last.
    waited: Cell<u32>,
}

impl Conflicts {
    /// Conflicts that come again and again are tried ever less often, but at least once in so many runs.
    const MOST: u32 = 64;

    /// How the next run begins.
    pub fn mode(&self) -> Mode {
        match self.waits.get() {
            0 => Mode::Watched,
            runs => {
                self.waits.set(runs - 1);
                Mode::InOrder
            }
        }
    }

    /// Elements conflict.
    pub fn met(&self) {
        let waits = (2 * self.waited.get()).clamp(1, Self::MOST);
        self.waited.set(waits);
        self.waits.set(waits);
    }

    /// Elements ran at the same time, and did not.
    pub fn none(&self) {
        self.waited.set(0);
    }
}
