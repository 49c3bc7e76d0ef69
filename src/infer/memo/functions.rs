//! What functions are known by, and what is learned of them.

use crate::infer::calls::ArgumentForm;
use crate::infer::closed_blocks::ClosedBlock;
use crate::infer::parallel::Guard;
use crate::types::{ClassId, ListKind, TypeSet};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

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
    pub driver: Option<Guard>,
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

/// What is known of functions, by their keys. What grows in a walk that has not gone by it is no reason for another one.
#[derive(Debug, Default)]
pub struct Summaries<V> {
    known: FxHashMap<FunctionKey, V>,
    /// Those that this walk has gone by.
    read: FxHashSet<FunctionKey>,
    /// It is told of all that grows.
    pub all_counts: bool,
}

impl<V: Clone + Default> Summaries<V> {
    pub fn begin_walk(&mut self) {
        self.read.clear();
    }

    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// What is known; this walk goes by it from now on.
    pub fn read(&mut self, key: &FunctionKey) -> V {
        self.read.insert(key.clone());
        self.known.get(key).cloned().unwrap_or_default()
    }

    /// What is known, where nothing of the code hangs on it.
    pub fn get(&self, key: &FunctionKey) -> Option<&V> {
        self.known.get(key)
    }

    /// Adds to what is known, and says whether that is new and this walk has gone by what was known before.
    pub fn grow(&mut self, key: &FunctionKey, add: impl FnOnce(&mut V) -> bool) -> bool {
        let known = match self.known.get_mut(key) {
            Some(known) => known,
            None => self.known.entry(key.clone()).or_default(),
        };
        add(known) && (self.all_counts || self.read.contains(key))
    }

    /// All that is known, to be put back under other keys.
    pub fn take(&mut self) -> FxHashMap<FunctionKey, V> {
        std::mem::take(&mut self.known)
    }

    pub fn entry(&mut self, key: FunctionKey) -> &mut V {
        self.known.entry(key).or_default()
    }
}
