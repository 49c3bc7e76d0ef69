//! The state of the fixpoint: what one walk over the section learns for the next. Everything here only grows; a walk
//! that adds nothing to what it has gone by has seen all types there are, and the IR it emitted is the section's.

mod functions;
mod lists;
mod renaming;
mod tracked;

pub use functions::{FunctionKey, Stores};
use tracked::Tracked;

use super::growth::Growth;
use super::joins::has_list;
use super::keys::{Context, JoinKey, ProcKey, Step, Watcher};
use super::made::MadeMemo;
use super::proc_identity::ProcMaker;
use super::remembered::Holders;
use crate::heap::schema::ProcPlace;
use crate::ir::Site;
use crate::syntax::ast::NodeId;
use crate::types::{ArrayKind, ClassId, HashSort, HierarchyId, ListKind, TypeSet};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A local variable: frame, number, and for a hidden one what made it, since another walk may have others.
pub type LocalKey = (usize, usize, Context);

/// What arrives at a join.
#[derive(Debug, Default)]
pub struct JoinMemo {
    /// Locals that differ between the ways in, with all they can be.
    pub carried: BTreeMap<LocalKey, TypeSet>,
    pub result: TypeSet,
}

#[derive(Debug, Default)]
pub struct ColumnMemo {
    /// All that is stored: traced or written.
    pub stored: TypeSet,
    /// What the section writes.
    pub written: TypeSet,
    pub classes: Vec<ClassId>,
    pub read: bool,
    pub is_written: bool,
    /// How many columns were written before it was, in the order of the code.
    pub place: usize,
    /// The section makes objects that have it.
    pub grows: bool,
    /// By whom: kernels of a driver are watched apart.
    pub written_by: Watchers,
    /// Who writes it in other objects than the element itself.
    pub scattered: Watchers,
    /// Who touches it in other objects than the element itself.
    pub shared: Watchers,
}

#[derive(Clone, Debug, Default)]
pub struct Watchers(BTreeSet<Watcher>);

impl Watchers {
    /// True if it was not there.
    pub fn insert(&mut self, who: Watcher) -> bool {
        who != Watcher::Driver && self.0.insert(who)
    }

    /// Are functions that elements call among them?
    pub fn by_functions(&self) -> bool {
        self.0.contains(&Watcher::Functions)
    }

    /// Could this one be among them?
    pub fn concern(&self, who: Watcher) -> bool {
        match who {
            Watcher::Driver => false,
            Watcher::Functions => !self.0.is_empty(),
            Watcher::Kernel(_) => self.0.contains(&who) || self.by_functions(),
        }
    }
}

#[derive(Debug, Default)]
pub struct ArrayMemo {
    pub stored: TypeSet,
    pub written: TypeSet,
    /// Items are loaded.
    pub read: bool,
    pub is_written: bool,
    pub written_by: Watchers,
    /// The driver makes them.
    pub made: bool,
    /// Their length changes.
    pub grows: bool,
    /// Who pushes to such arrays, and who touches them in another way.
    pub pushed_by: Watchers,
    pub touched_by: Watchers,
    /// Who touches another item than that of the element's own number, in the only array that is touched.
    pub shared: Watchers,
    /// That array for each of them, by root.
    pub roots: Vec<(Watcher, u32)>,
}

impl ArrayMemo {
    /// The root that was the first to be touched by these, which may be this one.
    pub fn root_of(&mut self, who: Watcher, root: u32) -> u32 {
        match self.roots.iter().find(|(other, _)| *other == who) {
            Some((_, first)) => *first,
            None => {
                self.roots.push((who, root));
                root
            }
        }
    }
}

/// Arrays that the section makes.
#[derive(Clone, Debug, Default)]
pub struct ListMemo {
    /// The kind that this one has become one with.
    parent: Option<u32>,
    pub items: TypeSet,
    /// Changed after they were made.
    pub mutated: bool,
    /// Some may be sealed: frozen, or keys of Hashes.
    pub sealed: bool,
    /// Some are copies of arrays of fixed length, which may be seen elsewhere: a change would have to be seen there.
    pub has_copies: bool,
    /// Those, as they were made.
    copied: Vec<TypeSet>,
}

/// Numbers of types begin here, above all slots that callers use.
const FIRST_TYPE: u32 = 0x1000;
/// So many kinds of arrays come from one place that is reached with several types.
const MOST_ALIKE: usize = 4;

#[derive(Debug, Default)]
pub struct Memo {
    contexts: FxHashMap<(Context, Step, u32), Context>,
    /// What each was made of, from number 1 on.
    context_steps: Vec<(Context, Step, u32)>,
    type_numbers: FxHashMap<TypeSet, u32>,
    /// Numbers of the kinds of arrays that parallel calls of a driver make, by the place of the call.
    made_kinds: FxHashMap<Context, u32>,
    kinds_made: u32,
    /// The kinds of those that only types tell apart.
    alike_kinds: FxHashMap<Vec<(Step, u32)>, Vec<u32>>,
    /// What the kernels of a driver give, by the place of the call.
    pub kernel_results: FxHashMap<Context, TypeSet>,
    /// What the variables of a driver hold that elements assign: the place of the call, and which of them.
    pub variables: FxHashMap<(Context, u32), TypeSet>,
    proc_numbers: FxHashMap<ProcKey, u32>,
    pub joins: FxHashMap<JoinKey, JoinMemo>,
    pub columns: BTreeMap<(HierarchyId, String), ColumnMemo>,
    pub arrays: BTreeMap<ArrayKind, ArrayMemo>,
    /// The Hashes of the heap that the section changes, and the kinds of their keys, values and slots.
    pub hashes: BTreeMap<ArrayKind, [ArrayKind; 3]>,
    /// The kinds of the defaults of those that the driver makes, where they have one.
    pub hash_defaults: BTreeMap<ArrayKind, ArrayKind>,
    /// Hashes are given other defaults (`default=`).
    pub gives_defaults: bool,
    /// The kinds of these, of Hashes of the heap.
    pub given_defaults: BTreeMap<ArrayKind, ArrayKind>,
    /// The numbers of the default blocks of those that the section makes.
    pub hash_blocks: BTreeMap<ArrayKind, u32>,
    /// Pairs are deleted from Hashes that the section makes.
    pub dead_pairs: bool,
    /// Pairs of Hashes are gone through from which some are deleted, and maybe meanwhile.
    pub hash_loops: bool,
    pub deletes_within: bool,
    /// Blocks over arrays of fixed length run in loops, as they would be too much code side by side.
    pub loops: bool,
    /// What is unsupported ends the run where an element comes to it.
    pub traps: bool,
    /// Some run side by side that could be loops.
    pub unrolls: bool,
    /// Strings that were there before the section are changed.
    pub changes_strings: bool,
    /// Codes (by address) that call themselves, directly or through others.
    pub recursive: FxHashSet<usize>,
    /// Lambdas (by address) that are called after the method which made them has ended.
    pub outliving: FxHashSet<usize>,
    /// What makes lambdas and procs of which it matters which one of its one is; numbered.
    pub identified_procs: FxHashMap<ProcMaker, u32>,
    /// Lambdas and procs by number, as a walk has made them last.
    pub known_procs: FxHashMap<u32, super::BlockRef>,
    /// Codes (by address) that are functions wherever they can be, since inlining all their calls costs too much.
    pub outlined: FxHashSet<usize>,
    /// Codes (by address) that are inlined even so: functions of them would be refused.
    pub inlined: FxHashSet<usize>,
    /// Result types of functions so far.
    pub functions: Tracked<FunctionKey, TypeSet>,
    /// What those with a block leave in the variables that it assigns to.
    pub left: FxHashMap<FunctionKey, Vec<TypeSet>>,
    /// Errors that Ruby could rescue around a call of a function, by the key that is not guarded.
    pub failures: Tracked<FunctionKey, Vec<Site>>,
    /// What functions store in lists that their callers have, by the key that is not guarded.
    pub stores: Tracked<FunctionKey, Stores>,
    /// Some `rescue` or `ensure` handles an error.
    pub handles: bool,
    /// Functions are called where an error of theirs might be handled, or get a cause.
    pub goes_by_failures: bool,
    /// What fails in functions has grown in this walk, which has gone by it.
    pub failures_grew: Growth,
    /// Classes of Ruby's own exceptions that the section asks for more than their message.
    pub facts: BTreeSet<ClassId>,
    /// Somebody asks exceptions for their `cause`, or gives them one: all keep it.
    pub asks_causes: bool,
    /// Some code runs an `Ikra.sync`: what a failure behind it leaves out cannot be asked for in a run that begins anew.
    pub has_syncs: bool,
    /// Number of specialisations by code: beyond a bound the arguments are joined.
    pub specialisations: FxHashMap<usize, Vec<FunctionKey>>,
    /// Instance variables that `initialize` of a class writes when a section makes its objects.
    pub fields: FxHashMap<ClassId, Vec<String>>,
    /// The classes whose objects, made in the section, are kept in memory.
    pub made: BTreeMap<ClassId, MadeMemo>,
    /// The classes whose objects leave the section, with the instance variables that are set.
    pub leaving: BTreeMap<ClassId, Vec<String>>,
    /// Structs that the section makes and whose members it writes then.
    pub changed_members: BTreeSet<ClassId>,
    /// Those whose objects the section freezes.
    pub freezing: BTreeSet<ClassId>,
    /// Names of instance variables of which somebody asks whether they are set ([`super::variables::SET`]).
    pub asked_set: BTreeSet<String>,
    /// Classes of which the section copies objects that were there before.
    pub copied: BTreeSet<ClassId>,
    /// Columns that hold what the section makes, for the element itself.
    pub stores_made: BTreeSet<(HierarchyId, String)>,
    /// Which elements keep such things in which columns: an entry's, or a kernel's.
    pub kept: BTreeSet<(Context, HierarchyId, String)>,
    /// Kernels whose elements make what gets rows, as [`super::watching`] knows them.
    pub settling: BTreeSet<Watcher>,
    /// The classes and kinds of lists of what gets rows.
    pub settled: BTreeSet<ClassId>,
    pub settled_lists: BTreeSet<ListKind>,
    /// The classes of the exceptions that it makes and raises, which may leave it.
    pub raised: BTreeSet<ClassId>,
    /// Kinds of arrays to which elements push what they write down.
    pub logs: BTreeSet<ArrayKind>,
    /// Where elements put what they make and look at it, and which of them do.
    pub remembered: BTreeMap<Holders, Watchers>,
    /// Classes whose objects get rows as soon as a driver makes them, since elements or columns have them.
    pub of_drivers: BTreeSet<ClassId>,
    /// The same of arrays, by the kinds of the lists that they would be else.
    pub lists_of_drivers: BTreeSet<ListKind>,
    /// Hashes that get rows as soon as elements make them, by the kinds of the lists of keys that they would have else.
    pub lists_of_hashes: BTreeSet<ListKind>,
    /// The kinds of such Hashes.
    pub claimed_hashes: BTreeSet<ArrayKind>,
    /// The kinds of the arrays, and of the Hashes of a sort, that these are; and the lists (of a Hash its keys).
    pub rows_of_lists: BTreeMap<ArrayKind, (ListKind, Option<HashSort>)>,
    /// The variables that all objects of a class have when they have been made.
    pub always_set: BTreeMap<ClassId, BTreeSet<String>>,
    /// Orders in which variables are set: those that have a number.
    pub orders: Vec<Vec<String>>,
    /// Places of `!` on what can be of a class that has its own.
    pub own_negations: FxHashSet<(Context, NodeId)>,
    /// What elements give to accumulators, and what variables around the section hold that they share.
    pub accumulators: BTreeMap<String, TypeSet>,
    /// Variables around the section that are used as no accumulator is.
    pub shared_variables: BTreeSet<String>,
    /// Variables of others than the code around the section that it assigns.
    pub global_state: BTreeMap<String, super::global_state::GlobalState>,
    /// The lambdas and procs that Ruby can be given, by number: those that use nothing of the code around them, and those
    /// from before the section.
    pub closed_procs: BTreeMap<u32, (ProcPlace, super::BlockRef)>,
    /// Some array that the section makes is frozen.
    pub freezes_arrays: bool,
    /// The kinds of arrays and Hashes with rows of which the section may make frozen ones.
    pub frozen_rows: BTreeSet<ArrayKind>,
    /// Some lists are sealed.
    pub seals: bool,
    /// What the section's block gives.
    pub result: TypeSet,
    /// The same before it gets rows, where it does.
    pub given: TypeSet,
    list_numbers: FxHashMap<JoinKey, u32>,
    pub lists: Vec<ListMemo>,
    /// The lists that get further items at the moment, and which of these wait.
    joining: Vec<(u32, Vec<TypeSet>)>,
    /// The loops that all places stand in that make lists of a kind.
    list_loops: Tracked<(u32, Context), Option<Vec<JoinKey>>>,
    /// Loops in which what is no scratch memory gets to know what is: memory taken there may be needed later.
    pub keeping_loops: Tracked<JoinKey, bool>,
    /// Loops that change lists and objects which may be older than an iteration: whether memory taken there is needed later
    /// is found out as they run.
    pub watched_loops: Tracked<JoinKey, bool>,
    /// Loops that make something in scratch memory, other than by letting what is there grow.
    pub making_loops: Tracked<JoinKey, bool>,
    /// Some loop is watched so.
    pub watches_loops: bool,
    /// Where arrays of fixed length are made, by their types: code (its address) and node.
    pub array_makers: FxHashMap<TypeSet, FxHashSet<(usize, NodeId)>>,
    /// The same of all that is made, also of what built-ins make: see [`super::births`].
    pub makers_of_arrays: FxHashMap<TypeSet, FxHashSet<(usize, NodeId)>>,
    /// Those of them that make lists because what they make is changed elsewhere.
    pub grown: FxHashSet<(usize, NodeId)>,
    /// The section makes arrays in scratch memory.
    pub makes_lists: bool,
    /// Records have got a variable more, or what was carried as values is kept in memory: what was learned names what is
    /// no more.
    pub restart: bool,
    /// Kinds of lists have become one: what was learned names them by several numbers.
    united: bool,
    /// Whatever grows is to be told, whether the walk has gone by it or not.
    pub all_counts: bool,
    /// Something grew in this walk.
    pub changed: Growth,
}

impl Memo {
    /// For a section that was too large with this one, where it can be smaller.
    pub fn of_less_code(&self) -> Option<Self> {
        if self.unrolls && !self.loops {
            return Some(Self { loops: true, traps: self.traps, ..Self::default() });
        }
        // What is inlined to learn more of it is so no more.
        let inlines = !self.inlined.is_empty() && !self.traps;
        inlines.then(|| Self { loops: self.loops, traps: true, ..Self::default() })
    }

    /// The number of the kind of arrays that a call makes. Calls that are apart only by the types that they are reached
    /// with make arrays of few kinds, as these types may be what they make: `a.each { a = b.pmap { … } }`.
    pub fn made_kind(&mut self, place: Context) -> u32 {
        if let Some(known) = self.made_kinds.get(&place) {
            return *known;
        }
        let next = self.kinds_made;
        let kinds = self.alike_kinds.entry(self.untyped(place)).or_default();
        let kind = match kinds.last() {
            Some(last) if kinds.len() == MOST_ALIKE => *last,
            _ => {
                kinds.push(next);
                self.kinds_made += 1;
                next
            }
        };
        self.made_kinds.insert(place, kind);
        kind
    }

    /// A context without the types that tell it apart from others.
    fn untyped(&self, mut context: Context) -> Vec<(Step, u32)> {
        let types = FIRST_TYPE..FIRST_TYPE + self.type_numbers.len() as u32;
        let mut steps = Vec::new();
        while let Some(&(parent, step, choice)) =
            (context.0 as usize).checked_sub(1).and_then(|index| self.context_steps.get(index))
        {
            steps.push((step, if types.contains(&choice) { FIRST_TYPE } else { choice }));
            context = parent;
        }
        steps
    }

    /// The context of what `step` of `parent` leads to, told apart by `choice`.
    pub fn context(&mut self, parent: Context, step: Step, choice: u32) -> Context {
        let step = (parent, step, choice);
        *self.contexts.entry(step).or_insert_with(|| {
            self.context_steps.push(step);
            Context(self.context_steps.len() as u32)
        })
    }

    /// The number of what this makes.
    pub fn proc_number(&mut self, maker: ProcKey) -> u32 {
        let next = self.proc_numbers.len() as u32;
        *self.proc_numbers.entry(maker).or_insert(next)
    }

    /// An array of fixed length is made at a place.
    pub fn makes_array(&mut self, types: &TypeSet, place: (usize, NodeId)) {
        self.array_makers.entry(types.clone()).or_default().insert(place);
    }

    /// The number of an order.
    pub fn order(&mut self, names: Vec<String>) -> u32 {
        let known = self.orders.iter().position(|known| *known == names);
        known.unwrap_or_else(|| {
            self.orders.push(names);
            self.orders.len() - 1
        }) as u32
    }

    /// A number for a type set, to tell contexts apart by it.
    pub fn type_number(&mut self, types: &TypeSet) -> u32 {
        let next = self.type_numbers.len() as u32 + FIRST_TYPE;
        *self.type_numbers.entry(types.clone()).or_insert(next)
    }

    /// Nothing that is known has been gone by yet.
    pub fn begin_walk(&mut self) {
        let all = self.all_counts;
        self.changed = Growth::default();
        [&mut self.keeping_loops, &mut self.watched_loops, &mut self.making_loops]
            .into_iter()
            .for_each(|loops| loops.begin_walk(all));
        self.list_loops.begin_walk(all);
        self.functions.begin_walk(all);
        self.failures.begin_walk(all);
        self.failures_grew = Growth::default();
        self.stores.begin_walk(all);
    }

    /// Will a loop have to find out as it runs whether its memory is needed later? That concerns all code before it, too.
    fn expect_watched_loops(&mut self) {
        let carries =
            |key: &JoinKey| self.joins.get(key).is_some_and(|join| join.carried.values().any(has_list));
        let is_one = |loops: &Tracked<JoinKey, bool>, key: &JoinKey| loops.get(key) == Some(&true);
        let is_watched = |key: &JoinKey| {
            !is_one(&self.keeping_loops, key) && (is_one(&self.watched_loops, key) || carries(key))
        };
        self.watches_loops |= self.making_loops.known.keys().any(is_watched);
    }

    /// What fails in functions is a reason for another walk where somebody goes by it: elsewhere it is only handed on.
    pub fn note_failures(&mut self) {
        if self.handles || self.goes_by_failures {
            self.changed.extend(self.failures_grew);
        }
    }

    /// Makes what one walk has learned right for the next; true if that has to see it again.
    pub fn settle(&mut self) -> bool {
        if self.changed.is_some() {
            self.expect_watched_loops();
        }
        if self.restart {
            self.forget();
        } else if self.united {
            self.rename();
        }
        std::mem::take(&mut self.restart) | std::mem::take(&mut self.united) | self.changed.is_some()
    }
}
