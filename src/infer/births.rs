//! Which array an array of fixed length is: an array that is a value (of known length, never changed) has no identity.
//! So each walk follows which literal or call made such an array (`Operand::birth`) and notes where it is put. The
//! literals whose arrays are put into two places that leave, into one in a loop that began after they were made, or are
//! frozen, make lists from the next walk on; so do all that make arrays like one that comes out of a list, loop or
//! function and could be met in a second place. A Hash is known by where its keys are.
//!
//! Lambdas and procs that leave are the same: Ruby makes another one of the literal for each place where one is met.
//! Where one would be met twice, those of its literal take along from the next walk on what tells them apart
//! (`super::proc_identity`).

use super::Lowerer;
use super::flows::Flows;
use super::keys::JoinKey;
use super::memo::Memo;
use super::operand::{self, Operand};
use super::proc_identity::ProcMaker;
use crate::syntax::ast::NodeId;
use crate::types::{ClassId, ListKind, Type, TypeSet};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// Which array a value is, where that is known, which ones its parts are, and which variables it comes from.
#[derive(Clone, Debug, Default)]
pub struct Birth(Option<Rc<Parts>>);

#[derive(Debug)]
struct Parts {
    /// Of an array: one of these. Of what else has parts, none.
    arrays: SmallVec<[u32; 2]>,
    parts: Vec<Birth>,
    /// The variables that it may have been read from, as [`super::flows`] numbers them.
    variables: SmallVec<[u32; 2]>,
}

/// Which of two equal values it is makes no difference to what they are.
impl PartialEq for Birth {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Birth {
    pub const UNKNOWN: Self = Self(None);

    /// Of what is no array, but has parts.
    pub fn of_parts(parts: Vec<Self>) -> Self {
        match parts.iter().any(|part| part.0.is_some()) {
            true => Self(Some(Rc::new(Parts { arrays: smallvec![], parts, variables: smallvec![] }))),
            false => Self::UNKNOWN,
        }
    }

    /// Of what was read from a variable.
    pub fn read_from(variable: u32) -> Self {
        Self(Some(Rc::new(Parts { arrays: smallvec![], parts: vec![], variables: smallvec![variable] })))
    }

    /// The variables that it may have been read from.
    pub fn variables(&self) -> &[u32] {
        self.0.as_ref().map_or(&[], |all| &all.variables)
    }

    pub fn part(&self, number: usize) -> Self {
        self.0.as_ref().and_then(|all| all.parts.get(number)).cloned().unwrap_or_default()
    }

    /// That of the same array, of which these are the parts now.
    pub fn with_parts(&self, items: &[Operand]) -> Self {
        let Some(all) = &self.0 else { return Self::UNKNOWN };
        let parts = items.iter().map(|item| item.birth.clone()).collect();
        Self(Some(Rc::new(Parts { arrays: all.arrays.clone(), parts, variables: all.variables.clone() })))
    }

    /// That of a value which is this one or the other.
    pub fn or(&self, other: &Self) -> Self {
        let mut variables = SmallVec::from_slice(self.variables());
        variables.extend(other.variables().iter().filter(|all| !self.variables().contains(all)).copied());
        let known = match (&self.0, &other.0) {
            (Some(one), Some(two)) if Rc::ptr_eq(one, two) => return self.clone(),
            (Some(one), Some(two)) => Some((one, two)).filter(|(one, two)| {
                one.parts.len() == two.parts.len() && one.arrays.is_empty() == two.arrays.is_empty()
            }),
            _ => None,
        };
        let Some((one, two)) = known else {
            return match variables.is_empty() {
                true => Self::UNKNOWN,
                false => Self(Some(Rc::new(Parts { arrays: smallvec![], parts: vec![], variables }))),
            };
        };
        let mut arrays = one.arrays.clone();
        arrays.extend(two.arrays.iter().filter(|array| !one.arrays.contains(array)).copied());
        let parts = one.parts.iter().zip(&two.parts).map(|(a, b)| a.or(b)).collect();
        Self(Some(Rc::new(Parts { arrays, parts, variables })))
    }

    /// Those that it can be. `None`: nobody knows.
    fn arrays(&self) -> Option<&[u32]> {
        self.0.as_ref().map(|all| &all.arrays[..]).filter(|arrays| !arrays.is_empty())
    }
}

/// One way of two that the code of a condition goes: its number, and which.
pub type Arm = (u32, bool);

/// What made an array: code (its address) and node.
pub type Maker = (usize, NodeId);

/// Numbers of nodes that no node has: those of the local variables that an array is first assigned to, where what made it
/// is a built-in.
const LOCALS: u32 = 0x8000_0000;

/// The number of no node: what made the array is the literal of a lambda or proc, at that address.
const LITERAL: NodeId = NodeId(u32::MAX);

#[derive(Debug)]
struct Born {
    maker: Option<Maker>,
    types: TypeSet,
    loops: Vec<JoinKey>,
    frozen: bool,
}

/// What an array is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The result of an element or section: it leaves.
    Result,
    List(ListKind),
    Made(ClassId),
}

#[derive(Debug)]
struct Use {
    holder: Holder,
    types: TypeSet,
    /// Which it can be. `None`: any of the type.
    arrays: Option<SmallVec<[u32; 2]>>,
    loops: Vec<JoinKey>,
    arms: Vec<Arm>,
    /// The code may run often for one element, or for elements that share it.
    often: bool,
    /// The array in which it is put there.
    within: Option<usize>,
}

/// What a walk has found out.
#[derive(Debug, Default)]
pub struct Births {
    born: Vec<Born>,
    uses: Vec<Use>,
    /// Types of what is frozen, where it is not known which one that is.
    frozen: Vec<TypeSet>,
    /// Where elements put copies that they have of arrays of a driver's.
    copies: Vec<(Holder, ListKind)>,
    /// What makes lambdas and procs, and whether it may make several.
    procs: FxHashMap<ProcMaker, bool>,
    /// What makes some that are compared.
    compared: FxHashSet<ProcMaker>,
    /// The ways that lead to the code being lowered, outermost first, and how many conditions there were.
    arms: Vec<Arm>,
    conditions: u32,
    /// What one variable hands to another.
    pub flows: Flows,
}

impl Lowerer<'_> {
    /// That of a new array of fixed length.
    pub(super) fn new_birth(&mut self, types: &TypeSet, items: &[Operand]) -> Birth {
        let number = self.births.born.len() as u32;
        let (types, loops) = (types.clone(), self.loops.clone());
        self.births.born.push(Born { maker: None, types, loops, frozen: false });
        let parts = items.iter().map(|item| item.birth.clone()).collect();
        Birth(Some(Rc::new(Parts { arrays: smallvec![number], parts, variables: smallvec![] })))
    }

    /// That of a lambda or proc of which nothing tells which one of its literal it is.
    pub(super) fn birth_of_proc(&mut self, types: &TypeSet, literal: usize) -> Birth {
        let birth = self.new_birth(types, &[]);
        let maker = (literal, LITERAL);
        if let Some(&[number]) = birth.arrays() {
            self.births.born[number as usize].maker = Some(maker);
        }
        self.memo.makers_of_arrays.entry(types.clone()).or_default().insert(maker);
        birth
    }

    /// This makes a lambda or proc here.
    pub(super) fn note_proc(&mut self, maker: ProcMaker) {
        let often = self.runs_often();
        self.births.procs.entry(maker).and_modify(|several| *several = true).or_insert(often);
    }

    /// May the code being lowered run several times for one element, or for elements that share what it makes?
    fn runs_often(&self) -> bool {
        // Of what a kernel of a driver is given, each element has the same.
        let shared = self.section.is_some() && !self.in_driver;
        !self.loops.is_empty() || self.function.is_some() || shared
    }

    /// Two of those that this makes are compared. If there can be two, they are told apart from the next walk on.
    pub(super) fn note_compared(&mut self, maker: ProcMaker) {
        self.births.compared.insert(maker);
    }

    /// A new array of fixed length was made at this place.
    pub(super) fn note_maker(&mut self, made: &Operand, maker: Maker) {
        let Some(&[array]) = made.birth.arrays() else { return };
        let born = &mut self.births.born[array as usize];
        if born.maker.is_none() {
            born.maker = Some(maker);
            self.memo.makers_of_arrays.entry(made.types.clone()).or_default().insert(maker);
        }
    }

    /// Arrays of fixed length that a built-in has made get their first name, or are put somewhere, here: they are made
    /// lists here, if they have to be some.
    pub(super) fn named(&mut self, value: Operand, number: u32) -> Operand {
        if self.b.is_dead()
            || value.birth.0.is_none()
            || !matches!(value.types.single(), Some(Type::Tuple(_)))
        {
            return value;
        }
        let items = self.tuple_items(&value);
        let named = (1..)
            .zip(&items)
            .map(|(i, item)| self.within_slot(i, |s| s.named(item.clone(), number.rotate_left(5) ^ i)));
        let named: Vec<Operand> = named.collect();
        let value = match items.iter().zip(&named).all(|(item, named)| item.types == named.types) {
            true => value,
            false => Operand { birth: value.birth.with_parts(&named), ..self.tuple(&named) },
        };
        let Some(&[array]) = value.birth.arrays() else { return value };
        if value.is_bottom() || self.births.born[array as usize].maker.is_some() {
            return value;
        }
        let maker = (Rc::as_ptr(&self.frame().code) as usize, NodeId(LOCALS | number));
        if self.memo.grown.contains(&maker) {
            return self.within_slot(0x3f8, |s| s.make_list(LOCALS | number, &value));
        }
        self.note_maker(&value, maker);
        value
    }

    /// An array of fixed length becomes a list, which is another one.
    pub(super) fn note_copied(&mut self, kind: ListKind, array: &Operand) {
        if let Some(ty) = array.types.single() {
            self.note_array(Holder::List(kind), ty, &array.birth, None);
        }
    }

    /// A value is put somewhere, with the arrays that it is made of.
    pub(super) fn note_held(&mut self, holder: Holder, value: &Operand) {
        if self.b.is_dead() {
            return;
        }
        if has_copied(&value.types) {
            self.note_parts(holder, &value.types, &value.birth, None);
        }
        if !self.driving.list_copies.is_empty() {
            self.note_copies(holder, &value.types);
        }
    }

    /// The same of arrays of a driver's, of which elements have copies as long as they only look at them.
    fn note_copies(&mut self, holder: Holder, types: &TypeSet) {
        for ty in types {
            if let Type::Array(kind) = ty
                && let Some(list) = self.driving.list_copies.get(kind)
            {
                self.births.copies.push((holder, *list));
            }
            operand::parts(ty).iter().flatten().for_each(|types| self.note_copies(holder, types));
        }
    }

    fn note_parts(&mut self, holder: Holder, types: &TypeSet, birth: &Birth, within: Option<usize>) {
        for ty in types {
            if let Type::Proc(_) = ty {
                self.note_array(holder, ty, birth, within);
            }
            let Some(parts) = operand::parts(ty) else { continue };
            let within = match ty {
                Type::Tuple(_) => Some(self.note_array(holder, ty, birth, within)),
                _ => within,
            };
            for (number, types) in parts.iter().enumerate() {
                self.note_parts(holder, types, &birth.part(number), within);
            }
        }
    }

    fn note_array(&mut self, holder: Holder, ty: &Type, birth: &Birth, within: Option<usize>) -> usize {
        let often = self.runs_often();
        self.births.uses.push(Use {
            holder,
            types: ty.clone().into(),
            arrays: birth.arrays().map(SmallVec::from_slice),
            loops: self.loops.clone(),
            arms: self.births.arms.clone(),
            often,
            within,
        });
        self.births.uses.len() - 1
    }

    /// An array of fixed length is frozen.
    pub(crate) fn note_frozen(&mut self, array: &Operand) {
        match array.birth.arrays() {
            Some(arrays) => {
                for array in arrays {
                    self.births.born[*array as usize].frozen = true;
                }
            }
            None => self.births.frozen.push(array.types.clone()),
        }
    }

    /// Is the code being lowered that of a built-in? There it is asked what is alike.
    pub(crate) fn in_builtin(&self) -> bool {
        self.frame().builtin
    }

    /// Are two arrays of fixed length one and the same? `None`: that is known in the next walk, in which they are lists.
    pub(crate) fn are_one_array(&mut self, one: &Operand, other: &Operand) -> Option<bool> {
        if let (Some(one), Some(other)) = (one.birth.arrays(), other.birth.arrays()) {
            if !one.iter().any(|array| other.contains(array)) {
                return Some(false);
            }
            if let ([array], [_]) = (one, other)
                && self.births.born[*array as usize].loops == self.loops
            {
                return Some(true);
            }
        }
        let grew = [one, other].map(|array| self.grow_array_literals(array));
        (!grew.contains(&true)).then(|| one.types == other.types && one.values == other.values)
    }

    /// What makes an array of fixed length makes lists from the next walk on. False if it is not known what does.
    pub(crate) fn grow_array_literals(&mut self, array: &Operand) -> bool {
        match array.birth.arrays() {
            Some(arrays) => {
                let makers = arrays.iter().filter_map(|array| self.births.born[*array as usize].maker);
                let makers: Vec<Maker> = makers.collect();
                self.memo.grow(makers)
            }
            None => self.memo.grow_all(&array.types),
        }
    }
}

impl Births {
    /// The number of another condition.
    pub fn condition(&mut self) -> u32 {
        self.conditions += 1;
        self.conditions
    }

    /// The code that is lowered next is on one of its ways, until [`Births::leave`].
    pub fn enter(&mut self, condition: u32, arm: bool) -> usize {
        self.arms.push((condition, arm));
        self.arms.len() - 1
    }

    /// How many ways the code is on.
    pub fn ways(&self) -> usize {
        self.arms.len()
    }

    pub fn leave(&mut self, ways: usize) {
        self.arms.truncate(ways);
    }

    /// Has what makes arrays that would be met twice outside make lists, and lambdas and procs that are compared tell them
    /// apart. True if that is new.
    pub fn grow(&self, memo: &mut Memo) -> bool {
        let several = self.compared.iter().filter(|maker| self.procs.get(maker).copied().unwrap_or(true));
        let known = memo.identified_procs.len();
        several.for_each(|maker| memo.identify(*maker));
        let grew = memo.identified_procs.len() > known;
        grew | self.grow_arrays(memo)
    }

    fn grow_arrays(&self, memo: &mut Memo) -> bool {
        if self.uses.is_empty() && self.copies.is_empty() {
            return false;
        }
        let leaving = memo.leaving_holders();
        let leaves = |holder: Holder| match holder {
            Holder::Result => true,
            Holder::List(kind) => leaving.lists.contains(&memo.known_list(kind)),
            Holder::Made(class) => leaving.classes.contains(&class),
        };
        let leaving: Vec<bool> = self.uses.iter().map(|used| leaves(used.holder)).collect();
        let mut uses = vec![Vec::new(); self.born.len()];
        let mut often = vec![false; self.born.len()];
        let (mut makers, mut types): (FxHashSet<Maker>, Vec<&TypeSet>) = Default::default();
        // What is in an array that is met twice is met twice there, but no more when that is one array.
        let mut shared = vec![false; self.uses.len()];
        // Those around come before what is in them.
        for used in self.uses.iter().zip(&leaving).filter(|(_, leaves)| **leaves).map(|(used, _)| used) {
            for array in used.arrays.iter().flatten().map(|array| *array as usize) {
                let born = &self.born[array];
                // No element comes by both.
                let excludes =
                    |other: &&Use| used.arms.iter().any(|(id, arm)| other.arms.contains(&(*id, !arm)));
                often[array] |=
                    born.frozen || used.loops.len() > born.loops.len() || !uses[array].iter().all(excludes);
                uses[array].push(used);
            }
        }
        for (i, used) in self.uses.iter().enumerate().filter(|(i, _)| leaving[*i]) {
            if used.within.is_some_and(|within| shared[within]) {
                shared[i] = true;
                continue;
            }
            match &used.arrays {
                Some(arrays) => {
                    for array in arrays.iter().filter(|array| often[**array as usize]) {
                        shared[i] = true;
                        makers.extend(self.born[*array as usize].maker);
                    }
                }
                None => {
                    let like = |types: &TypeSet| could_be_one(&used.types, types);
                    let others =
                        || self.uses.iter().enumerate().filter(|(other, _)| *other != i && leaving[*other]);
                    let is_met = used.often
                        || others().any(|(_, other)| like(&other.types))
                        || self.frozen.iter().any(like)
                        || self.born.iter().any(|born| born.frozen && like(&born.types));
                    if is_met {
                        shared[i] = true;
                        types.push(&used.types);
                    }
                }
            }
        }
        // One that is known may be one of those that are frozen and not known.
        let left =
            || self.uses.iter().zip(&leaving).filter(|(_, leaves)| **leaves).map(|(used, _)| &used.types);
        types.extend(self.frozen.iter().filter(|frozen| left().any(|types| could_be_one(frozen, types))));
        let rows = self.copies.iter().filter(|(holder, _)| leaves(*holder)).map(|(_, kind)| *kind);
        let rows: Vec<ListKind> = rows.collect();
        let grew = rows.into_iter().fold(false, |grew, kind| memo.give_rows_to_lists(kind) | grew);
        let grew = memo.grow(makers) | grew;
        types.into_iter().fold(grew, |grew, types| memo.grow_all(types) | grew)
    }
}

/// What can be reached from what leaves the section.
#[derive(Default)]
struct Leaving {
    lists: BTreeSet<ListKind>,
    classes: BTreeSet<ClassId>,
}

impl Memo {
    /// What this makes is told apart from the next walk on.
    fn identify(&mut self, maker: ProcMaker) {
        let number = self.identified_procs.len() as u32;
        if let Entry::Vacant(unknown) = self.identified_procs.entry(maker) {
            unknown.insert(number);
            self.restart = true;
            self.changed |= true;
        }
    }

    /// These make lists from the next walk on. True if that is new.
    fn grow(&mut self, makers: impl IntoIterator<Item = Maker>) -> bool {
        let known = self.grown.len() + self.identified_procs.len();
        for maker in makers {
            match maker {
                (literal, LITERAL) => self.identify(ProcMaker::Literal(literal)),
                maker => {
                    self.grown.insert(maker);
                }
            }
        }
        let grew = self.grown.len() + self.identified_procs.len() > known;
        // What was learned names arrays of fixed length.
        self.restart |= grew;
        self.changed |= grew;
        grew
    }

    /// The same of all that make arrays which could be one of these.
    pub(super) fn grow_all(&mut self, types: &TypeSet) -> bool {
        let arrays = types.filter(|ty| matches!(ty, Type::Tuple(_) | Type::Proc(_)));
        let like = self.makers_of_arrays.iter().filter(|(made, _)| could_be_one(&arrays, made));
        let makers: Vec<Maker> = like.flat_map(|(_, makers)| makers).copied().collect();
        self.grow(makers)
    }

    /// The arrays of a kind that a driver makes get rows as soon as they are made. True if that is new.
    fn give_rows_to_lists(&mut self, kind: ListKind) -> bool {
        let copied = self.copied(kind);
        let grew = copied.iter().fold(false, |grew, made| self.grow_all(made) | grew);
        let kind = self.known_list(kind);
        let is_new = self.lists_of_drivers.insert(kind);
        self.restart |= is_new;
        self.changed |= is_new;
        grew | is_new
    }

    fn leaving_holders(&mut self) -> Leaving {
        let mut all: Vec<TypeSet> = vec![self.result.clone(), self.given.clone()];
        all.extend(self.kernel_results.values().cloned());
        all.extend(self.accumulators.values().chain(self.variables.values()).cloned());
        all.extend(self.columns.values().flat_map(|column| [column.stored.clone(), column.written.clone()]));
        all.extend(self.arrays.values().flat_map(|array| [array.stored.clone(), array.written.clone()]));
        all.extend(
            self.settled_lists.iter().chain(&self.lists_of_drivers).map(|kind| Type::List(*kind).into()),
        );
        all.extend(
            self.settled
                .iter()
                .chain(&self.of_drivers)
                .chain(&self.raised)
                .map(|class| Type::Made(*class).into()),
        );
        let mut leaving = Leaving::default();
        while let Some(types) = all.pop() {
            for ty in &types {
                match ty {
                    Type::List(kind) => {
                        let kind = self.known_list(*kind);
                        if leaving.lists.insert(kind) {
                            all.push(self.list(kind).items.clone());
                        }
                    }
                    Type::Made(class) => {
                        if leaving.classes.insert(*class) {
                            let made = self.made.get(class);
                            all.extend(
                                made.iter().flat_map(|made| &made.fields).map(|(_, types)| types.clone()),
                            );
                        }
                    }
                    ty => all.extend(operand::parts(ty).unwrap_or_default()),
                }
            }
        }
        leaving
    }
}

/// Is an array of fixed length, a lambda or a proc in it?
fn has_copied(types: &TypeSet) -> bool {
    types.iter().any(|ty| match ty {
        Type::Tuple(_) | Type::Proc(_) => true,
        ty => operand::parts(ty).is_some_and(|parts| parts.iter().any(has_copied)),
    })
}

/// Could a value be in both sets, or become one in both? Arrays of fixed length in it may have become lists in one of
/// them.
fn could_be_one(a: &TypeSet, b: &TypeSet) -> bool {
    let is_array = |ty: &Type| matches!(ty, Type::Tuple(_) | Type::List(_) | Type::Array(_));
    let class = |ty: &Type| match ty {
        Type::Record(record) => Some(record.class),
        Type::Made(class) | Type::Object(_, class) => Some(*class),
        _ => None,
    };
    let alike = |a: &Type, b: &Type| match (a, b) {
        (Type::Tuple(a), Type::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| could_be_one(a, b))
        }
        (a, b) => a == b || is_array(a) && is_array(b) || class(a).is_some() && class(a) == class(b),
    };
    a.iter().any(|a| b.iter().any(|b| alike(a, b)))
}
