//! Tables that know what of them a walk has gone by.

use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// What is known by some key. What grows in a walk that has not gone by it is no reason for another one.
#[derive(Debug)]
pub struct Tracked<K, V> {
    pub(super) known: FxHashMap<K, V>,
    /// What this walk has gone by.
    read: FxHashSet<K>,
    /// The walk counts as one that has gone by all.
    all: bool,
}

impl<K, V> Default for Tracked<K, V> {
    fn default() -> Self {
        Self { known: FxHashMap::default(), read: FxHashSet::default(), all: false }
    }
}

impl<K: Clone + Eq + Hash, V: Clone + Default> Tracked<K, V> {
    /// `all`: whatever grows is to be told.
    pub fn begin_walk(&mut self, all: bool) {
        self.read.clear();
        self.all = all;
    }

    /// What is known; this walk goes by it from now on.
    pub fn read(&mut self, key: &K) -> V {
        if !self.read.contains(key) {
            self.read.insert(key.clone());
        }
        self.known.get(key).cloned().unwrap_or_default()
    }

    /// What is known, where nothing of the code hangs on it.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.known.get(key)
    }

    /// Adds to what is known, and says whether that is new and this walk has gone by what was known before. `add` tells
    /// whether it is new.
    pub fn grow(&mut self, key: &K, add: impl FnOnce(&mut V) -> bool) -> bool {
        let known = match self.known.get_mut(key) {
            Some(known) => known,
            None => self.known.entry(key.clone()).or_default(),
        };
        add(known) && (self.all || self.read.contains(key))
    }

    /// All that is known, to be put back under other keys.
    pub fn take(&mut self) -> FxHashMap<K, V> {
        std::mem::take(&mut self.known)
    }

    pub fn entry(&mut self, key: K) -> &mut V {
        self.known.entry(key).or_default()
    }
}

impl<K: Clone + Eq + Hash> Tracked<K, bool> {
    /// It is so of these: true if this walk has gone by something else of one.
    pub fn set_all<'k>(&mut self, keys: impl IntoIterator<Item = &'k K>) -> bool
    where
        K: 'k,
    {
        keys.into_iter()
            .fold(false, |grew, key| self.grow(key, |known| !std::mem::replace(known, true)) | grew)
    }
}
