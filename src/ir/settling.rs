//! How what elements make is given rows: which words of theirs go to which columns.
//!
//! An element of a kernel that [settles](super::Kernel::settles) writes what it makes into its words of
//! [`super::BufferKind::KernelWords`]: word `w` of element `e` is at `w * elements + e`. The first one says how many
//! are in use, less than 0 where no column refers to any; behind it lie objects and arrays, one after the other. An
//! object begins with the number of its class, an array with the number of its kind, from -1 downwards, and its length,
//! beside which it says whether it is frozen.
//! Who refers to one, within the words, has the word where it begins; in a column that is the lower half, with the
//! element, from 1, in the upper one. After each tick, before anything else runs, whoever runs the driver gives each of
//! them a row, and all that refer to them have that.
//!
//! Words of an element parse from the first to the last, so each object and array is found and numbered in one pass, in
//! the order of the base; objects then come behind all others of their hierarchy, arrays behind those of a kind that
//! belongs to their kind of lists, variables are written column by column, and what referred to words has the number.

use super::{Arrays, Buffer, Items, Scalar};
use crate::types::{ArrayKind, ClassId, HierarchyId, ListKind, Shape, Type, TypeSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// For all kernels of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settling {
    pub classes: BTreeMap<ClassId, NewObjects>,
    pub lists: BTreeMap<ListKind, NewArrays>,
    /// By the kind of the lists of items: what elements push to arrays of the heap.
    pub logs: BTreeMap<ListKind, Log>,
    /// By the kind of the lists of rows: where elements have put what they make.
    pub remembered: BTreeMap<ListKind, RememberedRows>,
    /// By number; none of those that make nothing that stays.
    pub kernels: Vec<Option<SettlingKernel>>,
    /// Words of each element.
    pub room: Option<Scalar>,
    /// 1 where an element does nothing, and has 0 words, if columns refer to words of the one before it, or that has not
    /// run.
    pub one_by_one: Option<Scalar>,
}

/// The objects of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewObjects {
    pub hierarchy: HierarchyId,
    /// The number of the class in it, and the column of these.
    pub place: u32,
    pub places: Buffer,
    pub variables: Vec<HeldValue>,
    /// With that of the class.
    pub words: usize,
    /// Where objects are said to be frozen, if some may be.
    pub frozen: Option<Buffer>,
    /// All are.
    pub all_frozen: bool,
    /// Of Strings: behind the words of each are those that its bytes are in.
    pub bytes: Option<Bytes>,
}

/// What Strings have beside variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// The arrays of words, and the column that says which of them is a String's.
    pub kind: ArrayKind,
    pub arrays: Arrays,
    pub into: Items,
    /// The words that have the number of bytes and the flags, and the flag of frozen ones.
    pub size: usize,
    pub flags: usize,
    pub frozen: i64,
    /// The first word of bytes.
    pub words: usize,
}

/// The arrays of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewArrays {
    pub kind: ArrayKind,
    pub arrays: Arrays,
    pub items: HeldValue,
    /// Words of an item.
    pub width: usize,
    /// Where arrays are said to be frozen, if some may be, and the flag of those in the word of the length.
    pub frozen: Option<(Buffer, i64)>,
}

/// What elements push to the arrays of a kind: each has evacuated a list of arrays and one of items, as long as that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// The kind of the list of arrays.
    pub arrays: ListKind,
    pub into: Arrays,
    pub room: Buffer,
    pub ends: Buffer,
    pub items: HeldValue,
    /// Words of an item.
    pub width: usize,
}

/// A column of items or of a variable: an element has evacuated a list of its rows that may refer to its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RememberedRows {
    pub payload: Buffer,
    pub tag: Buffer,
}

/// A value that is held by an object or array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldValue {
    /// From where the object, or the item, begins.
    pub word: usize,
    pub form: HeldForm,
    pub into: Items,
}

/// How such values stand in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeldForm {
    /// All are this one, a shape and its payload, so there is no word.
    One(Shape, i64),
    /// All have this shape: one word.
    Payload(Shape),
    /// Tag and payload.
    Tagged,
}

impl HeldForm {
    /// Of values of some types.
    pub fn of(types: &TypeSet) -> Self {
        match (types.single(), types.single_shape()) {
            (Some(Type::Module(ClassId(number)) | Type::Proc(number)), Some(shape)) => {
                Self::One(shape, (*number).into())
            }
            (_, Some(Shape::Nil)) => Self::One(Shape::Nil, 0),
            (_, Some(shape)) => Self::Payload(shape),
            (_, None) => Self::Tagged,
        }
    }
}

/// Where a kernel leaves what it makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettlingKernel {
    pub words: Buffer,
    /// The number of its elements.
    pub count: Scalar,
    /// The objects that its elements are, and the hierarchies and columns of the variables in which they keep things.
    pub base: Items,
    pub variables: Vec<(HierarchyId, Items)>,
    /// What the block gives, as it leaves it, and as it is to be.
    pub result: Option<(Items, Items)>,
}

impl Settling {
    /// Words of an item of lists of a kind.
    pub fn width(&self, kind: ListKind) -> Option<usize> {
        let of_list = self.lists.get(&kind).map(|list| list.width);
        let of_log = self.logs.get(&kind).map(|log| log.width);
        let is_of_numbers =
            || self.remembered.contains_key(&kind) || self.logs.values().any(|log| log.arrays == kind);
        of_list.or(of_log).or_else(|| is_of_numbers().then_some(1))
    }

    /// Changes the numbers of buffers and scalars.
    pub fn renumber(&mut self, mut buffer: impl FnMut(&mut Buffer), mut scalar: impl FnMut(&mut Scalar)) {
        let items = |items: &mut Items, buffer: &mut dyn FnMut(&mut Buffer)| {
            [&mut items.payload, &mut items.tag].into_iter().flatten().for_each(buffer);
        };
        for NewObjects { places, variables, frozen, bytes, .. } in self.classes.values_mut() {
            buffer(places);
            frozen.iter_mut().for_each(&mut buffer);
            if let Some(Bytes { arrays, into, .. }) = bytes {
                buffer(&mut arrays.offset);
                buffer(&mut arrays.length);
                items(&mut arrays.items, &mut buffer);
                items(into, &mut buffer);
            }
            variables.iter_mut().for_each(|held| items(&mut held.into, &mut buffer));
        }
        for NewArrays { arrays, items: held, frozen, .. } in self.lists.values_mut() {
            frozen.iter_mut().for_each(|(column, _)| buffer(column));
            buffer(&mut arrays.offset);
            buffer(&mut arrays.length);
            items(&mut arrays.items, &mut buffer);
            items(&mut held.into, &mut buffer);
        }
        for Log { into, room, ends, items: held, .. } in self.logs.values_mut() {
            [&mut into.offset, &mut into.length, room, ends].into_iter().for_each(&mut buffer);
            items(&mut into.items, &mut buffer);
            items(&mut held.into, &mut buffer);
        }
        for RememberedRows { payload, tag } in self.remembered.values_mut() {
            [payload, tag].into_iter().for_each(&mut buffer);
        }
        for SettlingKernel { words, count, base, variables, result } in self.kernels.iter_mut().flatten() {
            buffer(words);
            scalar(count);
            items(base, &mut buffer);
            variables.iter_mut().for_each(|(_, of)| items(of, &mut buffer));
            for of in result.iter_mut().flat_map(|(from, into)| [from, into]) {
                items(of, &mut buffer);
            }
        }
        self.room.iter_mut().chain(&mut self.one_by_one).for_each(scalar);
    }
}
