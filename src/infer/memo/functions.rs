//! What functions are known by, and what is learned of them.

use crate::infer::calls::ArgumentForm;
use crate::infer::closed_blocks::ClosedBlock;
use crate::infer::parallel::Guard;
use crate::types::{ClassId, ListKind, TypeSet};
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
