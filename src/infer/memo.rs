//! The state of the fixpoint: what one walk over the section learns for the next. Everything here only grows; a walk
//! that adds nothing has seen all types there are, and the IR it emitted is the section's.

use super::calls::ArgumentForm;
use super::closed_blocks::ClosedBlock;
use super::growth::Growth;
use super::keys::{Context, JoinKey, Place, ProcKey, Step, Watcher};
use super::made::MadeMemo;
use super::operand;
use super::proc_identity::ProcMaker;
use super::remembered::Holders;
use crate::heap::schema::ProcPlace;
use crate::ir::Site;
use crate::syntax::ast::NodeId;
use crate::types::{ArrayKind, ClassId, HashSort, HierarchyId, ListKind, Type, TypeSet};
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

/// A method compiled as a function of its own: receiver and argument types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// Identity of the code.
    pub code: usize,
    pub owner: ClassId,
    pub receiver: TypeSet,
    pub args: Vec<TypeSet>,
    pub form: ArgumentForm,
    pub block: Option<ClosedBlock>,
    /// What the variables that go along with the block hold.
    pub environment: Vec<TypeSet>,
    /// What it gives is dropped.
    pub unused: bool,
    /// Which `catch` and which `rescue` are around its calls is not known: it calls itself, or something does that
    /// calls it.
    pub detached: bool,
    /// It gives its error back instead of failing, for callers that rescue or ensure.
    pub guarded: bool,
    /// A driver calls it, with clauses around the call that rescue these.
    pub driver: Option<Vec<ClassId>>,
    /// A Hash asks for the number of a key.
    pub hashing: bool,
    /// The method of Ruby's own that goes on behind a user's one, with a trail: the last two of what goes along.
    pub trail: Option<&'static str>,
    /// Integers that are known, of the arguments of a part of the built-ins.
    pub constants: Vec<Option<i64>>,
}

/// What calls of a function store in lists that are older than the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stores {
    /// In what is no scratch memory.
    pub anywhere: bool,
    /// In scratch memory, nobody knows where.
    pub watched: bool,
    /// They make something there.
    pub makes: bool,
    pub kinds: BTreeSet<ListKind>,
    /// Lists of these are made, of built-ins that are functions.
    pub made: BTreeSet<ListKind>,
}

impl FunctionKey {
    /// Of all that it is given: receiver, arguments, and what goes along with the block.
    pub fn types(&self) -> impl Iterator<Item = &TypeSet> {
        std::iter::once(&self.receiver).chain(&self.args).chain(&self.environment)
    }

    pub fn types_mut(&mut self) -> impl Iterator<Item = &mut TypeSet> {
        std::iter::once(&mut self.receiver).chain(&mut self.args).chain(&mut self.environment)
    }

    /// Is it that of its block itself, a lambda?
    pub fn is_of_block(&self) -> bool {
        self.block.as_ref().is_some_and(|block| block.is_literal(self.code))
    }

    /// Does it take as many arguments, and the same block?
    pub fn has_form_of(&self, other: &Self) -> bool {
        (self.form == other.form && self.block == other.block && self.driver == other.driver)
            && self.trail == other.trail
            && self.args.len() == other.args.len()
    }
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
    pub functions: FxHashMap<FunctionKey, TypeSet>,
    /// What those with a block leave in the variables that it assigns to.
    pub left: FxHashMap<FunctionKey, Vec<TypeSet>>,
    /// Errors that Ruby could rescue around a call of a function, by the key that is not guarded.
    pub failures: FxHashMap<FunctionKey, Vec<Site>>,
    /// What functions store in lists that their callers have, by the key that is not guarded.
    pub stores: FxHashMap<FunctionKey, Stores>,
    /// Some `rescue` or `ensure` handles an error.
    pub handles: bool,
    /// Classes of Ruby's own exceptions that the section asks for more than their message.
    pub facts: BTreeSet<ClassId>,
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
    list_loops: FxHashMap<(u32, Context), Vec<JoinKey>>,
    /// Loops in which what is no scratch memory gets to know what is: memory taken there may be needed later.
    pub keeping_loops: FxHashSet<JoinKey>,
    /// Loops that change lists and objects which may be older than an iteration: whether memory taken there is needed later
    /// is found out as they run.
    pub watched_loops: FxHashSet<JoinKey>,
    /// Loops that make something in scratch memory, other than by letting what is there grow.
    pub making_loops: FxHashSet<JoinKey>,
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

    // ---- arrays made in the section ------------------------------------------------------------------------------

    /// The kind of the arrays made at a place.
    pub fn list_kind(&mut self, place: JoinKey) -> ListKind {
        let next = self.lists.len() as u32;
        let number = *self.list_numbers.entry(place).or_insert(next);
        if number == next {
            self.lists.push(ListMemo::default());
            self.changed |= true;
        }
        ListKind(self.canonical(number))
    }

    fn canonical(&self, mut number: u32) -> u32 {
        while let Some(parent) = self.lists[number as usize].parent {
            number = parent;
        }
        number
    }

    pub fn list(&mut self, kind: ListKind) -> &mut ListMemo {
        let number = self.canonical(kind.0);
        &mut self.lists[number as usize]
    }

    /// Items of all kinds, by number.
    pub fn list_items(&self) -> Vec<TypeSet> {
        (0..self.lists.len()).map(|n| self.lists[self.canonical(n as u32) as usize].items.clone()).collect()
    }

    /// The kind that this one has become one with.
    pub fn known_list(&self, kind: ListKind) -> ListKind {
        ListKind(self.canonical(kind.0))
    }

    /// In which columns these elements keep what they make.
    pub fn kept_by(&self, who: Context) -> Vec<(HierarchyId, String)> {
        let all = self.kept.iter().filter(|(by, ..)| *by == who);
        all.map(|(_, hierarchy, name)| (*hierarchy, name.clone())).collect()
    }

    /// What variables of objects in memory can hold, of all classes.
    pub fn made_fields(&self) -> Vec<TypeSet> {
        self.made.values().flat_map(|made| made.fields.iter().map(|(_, types)| types.clone())).collect()
    }

    /// The arrays of fixed length that lists of the kind are copies of.
    pub fn copied(&mut self, kind: ListKind) -> Vec<TypeSet> {
        self.list(kind).copied.clone()
    }

    fn unite(&mut self, a: ListKind, b: ListKind) -> ListKind {
        let (a, b) = (self.canonical(a.0), self.canonical(b.0));
        if a != b {
            let (into, from) = (a.min(b), a.max(b));
            let old = std::mem::take(&mut self.lists[from as usize]);
            self.lists[from as usize].parent = Some(into);
            let list = &mut self.lists[into as usize];
            list.mutated |= old.mutated;
            list.sealed |= old.sealed;
            list.has_copies |= old.has_copies;
            list.copied.extend(old.copied);
            let named = self.list_loops.keys().filter(|(kind, _)| *kind == from).copied();
            for (from, home) in named.collect::<Vec<_>>() {
                let loops = self.list_loops.remove(&(from, home)).unwrap_or_default();
                let all = self.list_loops.entry((into, home)).or_insert_with(|| loops.clone());
                all.retain(|key| loops.contains(key));
            }
            self.united = true;
            self.changed |= true;
        }
        ListKind(a.min(b))
    }

    /// What `a` and `b` are together at `place`. Lists that meet become of one kind; where a list meets arrays of fixed
    /// length, or arrays of several lengths meet, all are lists.
    pub fn join(&mut self, a: &TypeSet, b: &TypeSet, place: JoinKey) -> TypeSet {
        let joined = operand::join(a, b);
        self.widen(joined, place)
    }

    /// Widening, so that the fixpoint is reached: lists for arrays of several lengths, lists of one kind for those that
    /// meet, in records too.
    pub fn widen(&mut self, types: TypeSet, place: JoinKey) -> TypeSet {
        self.unite_rows(&types);
        let (mut lists, mut tuples) = (Vec::new(), Vec::new());
        for ty in &types {
            match ty {
                Type::List(kind) => lists.push(*kind),
                Type::Tuple(items) => tuples.push(items.clone()),
                _ => {}
            }
        }
        // A Hash has no other place than values, and a set has room for one type that is carried in its parts.
        let beside_hash = !tuples.is_empty() && types.iter().any(Type::is_made_hash);
        if lists.len() + tuples.len() < 2 && !beside_hash {
            return types.iter().map(|ty| self.widen_parts(ty, place)).collect();
        }
        let first = match lists.first() {
            Some(kind) => *kind,
            None => self.list_kind(place.list()),
        };
        let kind = lists.iter().fold(first, |all, kind| self.unite(all, *kind));
        for items in tuples {
            for item in items.iter() {
                self.list_item(kind, item);
            }
            let list = self.list(kind);
            let made = TypeSet::from(Type::Tuple(items));
            if !list.copied.contains(&made) {
                list.copied.push(made);
            }
            if !list.has_copies {
                list.has_copies = true;
                self.changed |= true;
            }
        }
        let mut all = types.filter(|t| !matches!(t, Type::Tuple(_) | Type::List(_)));
        all.insert(Type::List(kind));
        all
    }

    /// What a variable that elements share holds.
    pub fn variable(&mut self, of: &Holders) -> Option<&mut TypeSet> {
        match of {
            Holders::Captured(name) => self.accumulators.get_mut(name),
            Holders::Local(key) => self.variables.get_mut(key),
            Holders::Arrays(_) | Holders::Objects(..) => None,
        }
    }

    /// Arrays of fixed length among them are lists, too.
    pub fn with_lists(&mut self, mut types: TypeSet, place: JoinKey) -> TypeSet {
        if types.iter().any(|ty| matches!(ty, Type::Tuple(_))) {
            types.insert(Type::List(self.list_kind(place)));
        }
        self.widen(types, place.next())
    }

    /// Kinds of arrays and Hashes that a driver makes on the heap become one where they meet, as those of lists do.
    pub fn unite_rows(&mut self, types: &TypeSet) {
        let mut known: BTreeMap<Option<HashSort>, ListKind> = BTreeMap::new();
        for ty in types {
            let (Type::Array(kind) | Type::Hash(kind, _)) = ty else { continue };
            let Some((list, sort)) = self.rows_of_lists.get(kind).copied() else { continue };
            let list = self.known_list(list);
            let first = *known.entry(sort).or_insert(list);
            if self.known_list(first) != list {
                self.unite(first, list);
                // What was learned names both.
                self.restart = true;
            }
        }
    }

    /// The types with the kinds that these have become.
    fn with_united_rows(&self, types: &TypeSet) -> TypeSet {
        let now = |kind: &ArrayKind| {
            let (list, sort) = self.rows_of_lists.get(kind)?;
            let united = (self.known_list(*list), *sort);
            self.rows_of_lists.iter().find(|(_, of)| **of == united).map(|(kind, _)| *kind)
        };
        let renamed = types.iter().map(|ty| match ty {
            Type::Array(kind) => Type::Array(now(kind).unwrap_or(*kind)),
            Type::Hash(kind, sort) => Type::Hash(now(kind).unwrap_or(*kind), *sort),
            other => other.clone(),
        });
        renamed.collect()
    }

    /// The same within what is carried as its parts.
    fn widen_parts(&mut self, ty: &Type, place: JoinKey) -> Type {
        let Some(parts) = operand::parts(ty).filter(|parts| parts.iter().any(has_arrays)) else {
            return ty.clone();
        };
        let parts = (0..).zip(parts).map(|(i, types)| self.widen(types, place.part(i)));
        operand::with_parts(ty, parts.collect())
    }

    /// A list of the kind is made in these loops.
    pub fn list_made(&mut self, kind: ListKind, home: Context, loops: &[JoinKey]) {
        let number = self.canonical(kind.0);
        match self.list_loops.get_mut(&(number, home)) {
            None => {
                self.list_loops.insert((number, home), loops.to_vec());
                self.changed |= true;
            }
            Some(known) => {
                let before = known.len();
                known.retain(|key| loops.contains(key));
                self.changed |= known.len() != before;
            }
        }
    }

    /// A list of the kind takes memory, or holds what does, in these loops.
    pub fn list_stored(&mut self, kind: ListKind, home: Context, loops: &[JoinKey]) {
        let number = self.canonical(kind.0);
        let within = self.list_loops.get(&(number, home)).cloned().unwrap_or_default();
        for key in loops.iter().filter(|key| !within.contains(key)) {
            self.changed |= self.watched_loops.insert(*key);
        }
    }

    /// One more type of item.
    pub fn list_item(&mut self, kind: ListKind, item: &TypeSet) {
        let number = self.canonical(kind.0);
        // An array of fixed length that holds lists of the kind, and becomes one of them while it is joined with what
        // they hold, has further items for them: those come when that is done.
        if let Some(at) = self.joining.iter().position(|(joined, _)| self.canonical(*joined) == number) {
            self.joining[at].1.push(item.clone());
            return;
        }
        let mut joined = self.lists[number as usize].items.clone();
        let mut items = vec![item.clone()];
        while let Some(item) = items.pop() {
            self.joining.push((number, Vec::new()));
            joined = self.join(&joined, &item, JoinKey::new(Place::Items(ListKind(number)), 0));
            let waiting = self.joining.pop().map_or_else(Vec::new, |(_, waiting)| waiting);
            items.extend(waiting.into_iter().filter(|item| !item.is_subset(&joined)));
        }
        let number = self.canonical(number) as usize;
        if self.lists[number].items != joined {
            self.lists[number].items = joined;
            self.changed |= true;
        }
    }

    /// Makes what one walk has learned right for the next; true if that has to see it again.
    pub fn settle(&mut self) -> bool {
        if self.restart {
            self.forget();
        } else if self.united {
            self.rename();
        }
        std::mem::take(&mut self.restart) | std::mem::take(&mut self.united) | self.changed.is_some()
    }

    /// Forgets what names lists and records; contexts, the kinds of lists and the variables of records stay.
    fn forget(&mut self) {
        self.joins.clear();
        self.functions.clear();
        self.left.clear();
        self.failures.clear();
        self.stores.clear();
        self.specialisations.clear();
        self.accumulators.clear();
        self.result = TypeSet::empty();
        self.given = TypeSet::empty();
        self.kernel_results.clear();
        self.list_loops.clear();
        self.made.values_mut().for_each(|made| made.fields.clear());
        let mut variables = std::mem::take(&mut self.variables);
        let (mut columns, mut arrays) = (std::mem::take(&mut self.columns), std::mem::take(&mut self.arrays));
        let of_columns = columns.values_mut().flat_map(|column| [&mut column.stored, &mut column.written]);
        let of_arrays = arrays.values_mut().flat_map(|array| [&mut array.stored, &mut array.written]);
        for types in of_columns.chain(of_arrays).chain(variables.values_mut()) {
            *types = self.with_united_rows(&types.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_))));
        }
        (self.columns, self.arrays, self.variables) = (columns, arrays, variables);
        for list in &mut self.lists {
            *list = ListMemo { parent: list.parent, ..ListMemo::default() };
        }
    }

    /// Names lists that have become of one kind by its number, in all that was learned.
    fn rename(&mut self) {
        let kinds: Vec<u32> = (0..self.lists.len() as u32).map(|number| self.canonical(number)).collect();
        let set = |types: &mut TypeSet| {
            if let Some(renamed) = renamed(types, &kinds) {
                *types = renamed;
            }
        };
        let key = |key: &FunctionKey| {
            let mut key = key.clone();
            key.types_mut().for_each(set);
            key
        };
        for join in self.joins.values_mut() {
            join.carried.values_mut().chain([&mut join.result]).for_each(set);
        }
        for list in &mut self.lists {
            list.copied.iter_mut().chain([&mut list.items]).for_each(set);
        }
        for column in self.columns.values_mut() {
            [&mut column.stored, &mut column.written].into_iter().for_each(set);
        }
        for array in self.arrays.values_mut() {
            [&mut array.stored, &mut array.written].into_iter().for_each(set);
        }
        let fields = self.made.values_mut().flat_map(|made| &mut made.fields).map(|(_, types)| types);
        let given = self.kernel_results.values_mut();
        fields
            .chain(self.accumulators.values_mut())
            .chain([&mut self.result, &mut self.given])
            .chain(given)
            .for_each(set);
        for (function, mut types) in std::mem::take(&mut self.functions) {
            set(&mut types);
            let known = self.functions.entry(key(&function)).or_default();
            *known = operand::join(known, &types);
        }
        for (function, mut left) in std::mem::take(&mut self.left) {
            left.iter_mut().for_each(set);
            let known = self.left.entry(key(&function)).or_default();
            known.resize(left.len().max(known.len()), TypeSet::empty());
            known.iter_mut().zip(&left).for_each(|(known, types)| *known = operand::join(known, types));
        }
        for (function, sites) in std::mem::take(&mut self.failures) {
            let known = self.failures.entry(key(&function)).or_default();
            sites.into_iter().for_each(|site| {
                if !known.contains(&site) {
                    known.push(site)
                }
            });
        }
        for (function, stores) in std::mem::take(&mut self.stores) {
            let known = self.stores.entry(key(&function)).or_default();
            known.anywhere |= stores.anywhere;
            known.watched |= stores.watched;
            known.makes |= stores.makes;
            let renamed = |kind: &ListKind| ListKind(kinds[kind.0 as usize]);
            known.kinds.extend(stores.kinds.iter().map(renamed));
            known.made.extend(stores.made.iter().map(renamed));
        }
        for known in self.specialisations.values_mut() {
            let mut all: Vec<FunctionKey> = Vec::new();
            for function in known.iter().map(key) {
                if !all.contains(&function) {
                    all.push(function);
                }
            }
            *known = all;
        }
        // Functions find what was learned of their bodies by the numbers of the types that they take.
        let mut numbers: Vec<(TypeSet, u32)> =
            self.type_numbers.iter().map(|(types, number)| (types.clone(), *number)).collect();
        numbers.sort_unstable_by_key(|(_, number)| *number);
        for (types, number) in numbers {
            if let Some(types) = renamed(&types, &kinds) {
                self.type_numbers.entry(types).or_insert(number);
            }
        }
        for makers in [&mut self.array_makers, &mut self.makers_of_arrays] {
            for (types, places) in std::mem::take(makers) {
                let types = renamed(&types, &kinds).unwrap_or(types);
                makers.entry(types).or_default().extend(places);
            }
        }
    }
}

/// The set with the kinds of lists renamed, where there are any.
fn renamed(types: &TypeSet, kinds: &[u32]) -> Option<TypeSet> {
    let is_named = |ty: &Type| match ty {
        Type::List(kind) => kinds[kind.0 as usize] != kind.0,
        other => operand::parts(other)
            .is_some_and(|parts| parts.iter().any(|types| renamed(types, kinds).is_some())),
    };
    if !types.iter().any(is_named) {
        return None;
    }
    let within = |types: &TypeSet| renamed(types, kinds).unwrap_or_else(|| types.clone());
    let each = types.iter().map(|ty| match ty {
        Type::List(kind) => Type::List(ListKind(kinds[kind.0 as usize])),
        Type::Tuple(items) => Type::Tuple(items.iter().map(within).collect()),
        Type::Closure(number, items) => Type::Closure(*number, items.iter().map(within).collect()),
        Type::Enumerator(method, items) => {
            Type::Enumerator(method.clone(), items.iter().map(within).collect())
        }
        Type::Record(record) => {
            let mut record = (**record).clone();
            record.fields.iter_mut().for_each(|(_, types)| *types = within(types));
            Type::Record(record.into())
        }
        other => other.clone(),
    });
    Some(each.fold(TypeSet::empty(), |all, ty| operand::join(&all, &ty.into())))
}

fn has_arrays(types: &TypeSet) -> bool {
    types.iter().any(|t| matches!(t, Type::List(_)) || operand::parts(t).is_some())
}
