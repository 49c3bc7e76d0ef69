//! The lattice of inference, sets of exact classes, and the shapes they are stored in.
#![deny(unsafe_code)]

use crate::scalar::Ty;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// A class or module of the user's program, numbered by the host. The first numbers are Ruby's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClassId(pub u32);

impl ClassId {
    pub const OBJECT: Self = Self(0);
    pub const NIL: Self = Self(1);
    pub const TRUE: Self = Self(2);
    pub const FALSE: Self = Self(3);
    pub const INTEGER: Self = Self(4);
    pub const FLOAT: Self = Self(5);
    pub const SYMBOL: Self = Self(6);
    pub const ARRAY: Self = Self(7);
    pub const RANGE: Self = Self(8);
    pub const MATH: Self = Self(9);
    pub const KERNEL: Self = Self(10);
    pub const RANDOM: Self = Self(11);
    pub const NUMERIC: Self = Self(12);
    pub const COMPARABLE: Self = Self(13);
    pub const STRING: Self = Self(14);
    pub const PROC: Self = Self(15);
    pub const MODULE: Self = Self(16);
    pub const CLASS: Self = Self(17);
    pub const BASIC_OBJECT: Self = Self(18);
    pub const ENUMERABLE: Self = Self(19);
    pub const ENUMERATOR: Self = Self(20);
    pub const STRUCT: Self = Self(21);
    pub const STANDARD_ERROR: Self = Self(22);
    pub const ZERO_DIVISION_ERROR: Self = Self(23);
    pub const NO_METHOD_ERROR: Self = Self(24);
    pub const NAME_ERROR: Self = Self(25);
    pub const UNCAUGHT_THROW_ERROR: Self = Self(26);
    pub const TYPE_ERROR: Self = Self(27);
    pub const ARGUMENT_ERROR: Self = Self(28);
    pub const FLOAT_DOMAIN_ERROR: Self = Self(29);
    pub const MATH_DOMAIN_ERROR: Self = Self(30);
    pub const FROZEN_ERROR: Self = Self(31);
    pub const INDEX_ERROR: Self = Self(32);
    pub const SYSTEM_STACK_ERROR: Self = Self(33);
    pub const HASH: Self = Self(34);
    /// A class without instances in Rubies that have none.
    pub const DATA: Self = Self(35);
    /// `Ikra::Column`
    pub const COLUMN: Self = Self(36);
    pub const RANGE_ERROR: Self = Self(37);
    pub const KEY_ERROR: Self = Self(38);
    pub const METHOD: Self = Self(39);
    pub const REGEXP: Self = Self(40);
    pub const MATCH_DATA: Self = Self(41);
    pub const EXCEPTION: Self = Self(42);
    pub const ENCODING: Self = Self(43);
    pub const NO_MATCHING_PATTERN_KEY_ERROR: Self = Self(44);
    pub const COMPLEX: Self = Self(45);
    pub const RATIONAL: Self = Self(46);
    /// Integers beyond 64 bits. Ruby has one class for all, so nothing but dispatch tells them apart.
    pub const BIG_INTEGER: Self = Self(47);
    /// Integers of 128 bits, whose two words are in registers. What fits 64 bits may be one.
    pub const WIDE_INTEGER: Self = Self(48);
    /// The standard library's, once a program has loaded it; a class without instances until then.
    pub const DATE: Self = Self(49);
    /// The names of the classes above, in order; the host numbers them so before any other.
    pub const BUILTIN: [&'static str; 50] = [
        "Object",
        "NilClass",
        "TrueClass",
        "FalseClass",
        "Integer",
        "Float",
        "Symbol",
        "Array",
        "Range",
        "Math",
        "Kernel",
        "Random",
        "Numeric",
        "Comparable",
        "String",
        "Proc",
        "Module",
        "Class",
        "BasicObject",
        "Enumerable",
        "Enumerator",
        "Struct",
        "StandardError",
        "ZeroDivisionError",
        "NoMethodError",
        "NameError",
        "UncaughtThrowError",
        "TypeError",
        "ArgumentError",
        "FloatDomainError",
        "Math::DomainError",
        "FrozenError",
        "IndexError",
        "SystemStackError",
        "Hash",
        "Data",
        "Ikra::Column",
        "RangeError",
        "KeyError",
        "Method",
        "Regexp",
        "MatchData",
        "Exception",
        "Encoding",
        "NoMatchingPatternKeyError",
        "Complex",
        "Rational",
        "Integer",
        "Integer",
        "Date",
    ];

    /// Does a section know its objects by their variables and methods alone? Not where C keeps something in them.
    pub const fn is_plain(self) -> bool {
        self.0 == Self::OBJECT.0 || self.0 as usize >= Self::BUILTIN.len()
    }

    /// Can its objects leave the section that makes them, with their variables? Others that are Ruby's own have rules of
    /// their own.
    pub const fn leaves(self) -> bool {
        self.is_plain() || self.0 == Self::RANDOM.0 || self.0 == Self::REGEXP.0 || self.parts().is_some()
    }

    /// What a number is put together of, by the names of its readers: of a Complex or a Rational, or of an Integer beyond
    /// 64 bits, which has a String of its words (`intrinsics/big_integer.rs`) or two of them. A section knows it by these,
    /// as a Struct by its members. So it does a Date, of which the part is nil where it is more than a day of the calendar
    /// that all Dates have unless they are told otherwise.
    pub const fn parts(self) -> Option<&'static [&'static str]> {
        match self {
            Self::COMPLEX => Some(&["real", "imaginary"]),
            Self::RATIONAL => Some(&["numerator", "denominator"]),
            Self::BIG_INTEGER => Some(&[Self::WORDS]),
            Self::WIDE_INTEGER => Some(&[Self::LOW, Self::HIGH]),
            Self::DATE => Some(&[Self::DAY]),
            _ => None,
        }
    }

    /// Are its objects numbers, which are frozen always?
    pub const fn is_number_of_parts(self) -> bool {
        self.parts().is_some() && self.0 != Self::DATE.0
    }

    /// As which Ruby knows it.
    pub const fn in_ruby(self) -> Self {
        match self {
            Self::BIG_INTEGER | Self::WIDE_INTEGER => Self::INTEGER,
            class => class,
        }
    }

    /// What the words of an Integer beyond 64 bits are called, which no method of Ruby's gives.
    pub const WORDS: &'static str = "__words";
    /// The words of one of 128 bits: the low one without a sign, the high one with that of the number.
    pub const LOW: &'static str = "__low";
    pub const HIGH: &'static str = "__high";
    /// The chronological Julian day number of a Date.
    pub const DAY: &'static str = "__jd";
}

/// The classes under one user-defined root class: they share one id space, class by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HierarchyId(pub u32);

/// Arrays found at one place (an instance variable, a captured local, the elements of another kind …), sharing one
/// value column. The host joins two kinds when it meets one array at both places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArrayKind(pub u32);

/// Arrays made at one place of the section, whose items are stored alike. Places whose arrays meet share a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ListKind(pub u32);

/// What an `Ikra::Column` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ItemType {
    Float64,
    /// Single precision in memory: Floats when they are read.
    Float32,
    Int64,
    Int32,
    Bool,
}

impl ItemType {
    pub const ALL: [Self; 5] = [Self::Float64, Self::Float32, Self::Int64, Self::Int32, Self::Bool];

    /// As Ruby's Symbols name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float64 => "float64",
            Self::Float32 => "float32",
            Self::Int64 => "int64",
            Self::Int32 => "int32",
            Self::Bool => "bool",
        }
    }

    /// Of an item.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Float64 | Self::Int64 => 8,
            Self::Float32 | Self::Int32 => 4,
            Self::Bool => 1,
        }
    }

    /// The scalar that a run has for items that nobody writes, where it has them as they are in memory.
    pub const fn run_type(self) -> Option<Ty> {
        match self {
            Self::Float64 => Some(Ty::F64),
            Self::Float32 => None,
            Self::Int64 => Some(Ty::I64),
            Self::Int32 => Some(Ty::I32),
            Self::Bool => Some(Ty::Bool),
        }
    }

    /// The type of items that a run has so.
    pub const fn of_run(ty: Ty) -> Self {
        match ty {
            Ty::F64 => Self::Float64,
            Ty::I64 => Self::Int64,
            Ty::I32 => Self::Int32,
            Ty::Bool => Self::Bool,
        }
    }

    /// The type whose items these are, where they are Floats, Integers or truth values.
    pub fn of_types(types: &TypeSet) -> Option<Self> {
        match types.single_shape()? {
            Shape::Float => Some(Self::Float64),
            Shape::Integer => Some(Self::Int64),
            Shape::Bool => Some(Self::Bool),
            _ => None,
        }
    }

    /// The classes of items.
    pub fn types(self) -> TypeSet {
        match self {
            Self::Float64 | Self::Float32 => Type::Float.into(),
            Self::Int64 | Self::Int32 => Type::Integer.into(),
            Self::Bool => TypeSet::bool(),
        }
    }
}

/// How a Hash of the program looks up. Those that differ in it are of different kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HashSort {
    pub default: HashDefault,
    pub by_identity: bool,
}

impl HashSort {
    pub const PLAIN: Self = Self { default: HashDefault::Nil, by_identity: false };
}

/// What a Hash gives for a key that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HashDefault {
    Nil,
    Value,
    /// What a block gives: one of the literal that a host numbers so; `None` for what has none.
    Block(Option<u32>),
    /// What a block gives that the section makes, by its number as of [`Type::Proc`]: it uses nothing around it.
    Made(u32),
}

/// What a Hash is read as: arrays of the same number, each of a kind that goes with the kind of the Hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HashPart {
    Keys,
    Values,
    /// The default, alone.
    Default,
    /// Of those that the section changes, slots as Hashes have them that it makes: none at first.
    Slots,
    /// Of those to which the section gives another default, that one alone; nothing at first.
    Given,
}

impl HashPart {
    pub const ALL: [Self; 5] = [Self::Keys, Self::Values, Self::Default, Self::Slots, Self::Given];
}

/// What is kept as arrays are, by [`ArrayKind`], and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Collection {
    Column(ItemType),
    Hash(HashSort),
    /// The bytes of Strings, as words.
    Words,
}

impl Collection {
    pub const fn of_kind(self, kind: ArrayKind) -> Type {
        match self {
            Self::Column(items) => Type::Column(kind, items),
            Self::Hash(sort) => Type::Hash(kind, sort),
            Self::Words => Type::Array(kind),
        }
    }
}

/// A member of a [`TypeSet`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    Nil,
    False,
    True,
    Integer,
    Float,
    Symbol,
    /// An instance of exactly this class.
    Object(HierarchyId, ClassId),
    Array(ArrayKind),
    /// An `Ikra::Column`. It is kept as arrays are: its kind is one of [`ArrayKind`], of columns that hold the same.
    Column(ArrayKind, ItemType),
    /// A Hash that was there before the section. Its kind is one of [`ArrayKind`], as a Column's.
    Hash(ArrayKind, HashSort),
    /// A class or module itself: alone it is known at compile time.
    Module(ClassId),
    /// A range of integers (an end may be missing), carried as its two ends.
    Range {
        exclusive: bool,
        low: RangeEnd,
        high: RangeEnd,
    },
    /// An array made in the section, of known length: its elements' values side by side.
    Tuple(Rc<[TypeSet]>),
    /// An object made in the section: it does not change after `initialize`, and is carried as its instance variables
    /// side by side. A Hash is one, too ([`RecordType::HASH`]). Keywords that a `**` has collected are one of class Hash
    /// whose variables they are; they can only be passed on.
    Record(Rc<RecordType>),
    /// An object made in the section that is kept in scratch memory, since it changes or its identity matters: where it
    /// begins.
    Made(ClassId),
    /// An object made in the section while `initialize` runs, by number.
    Building(u32, ClassId),
    /// A lambda or proc, known at compile time by its number: that of one walk, or of its literal where a host tells a
    /// root. With [`METHOD`] in it the number is that of a Method.
    Proc(u32),
    /// Such a lambda or proc with the values of variables that it took along, since the block that they belong to may
    /// end before it is called.
    Closure(u32, Rc<[TypeSet]>),
    /// An array made in the section whose length is known at run time only: where its header is in the scratch memory.
    List(ListKind),
    /// What an iterating method gives without a block: the method, and the types of its receiver and arguments.
    Enumerator(Rc<str>, Rc<[TypeSet]>),
}

/// In the numbers of Procs that are Methods.
pub const METHOD: u32 = 0x4000_0000;

/// The class of an object made in the section, and what its instance variables hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordType {
    pub class: ClassId,
    /// In the order in which the class's `initialize` was found to write them.
    pub fields: Vec<(String, TypeSet)>,
}

impl RecordType {
    /// What carries a Hash that a section makes: three lists, which change as it does, and its default; where the section
    /// gives Hashes other defaults a list of that, too.
    pub const HASH: [&'static str; 5] = ["#keys", "#values", "#slots", "#default", "#given"];

    /// What carries a Range of Strings: its ends, of which the second is `#before` where it does not belong to it.
    pub const TEXTS: [&'static str; 3] = ["#from", "#to", "#before"];

    pub fn is_hash(&self) -> bool {
        self.class == ClassId::HASH && self.fields.first().is_some_and(|(name, _)| name == Self::HASH[0])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RangeEnd {
    None,
    Integer,
    Float,
}

/// How the values of a type are carried: the scalars, and the tag in a union. Tags are `I32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Shape {
    Nil,
    Bool,
    Integer,
    Float,
    Symbol,
    Object(HierarchyId),
    Array(ArrayKind),
    /// A class or module, by number where it is one of several: not storable in columns.
    Module,
    /// A lambda or proc that takes nothing along, by number where it is one of several: not storable in columns.
    Proc,
    /// In the scratch memory of an element: not storable in columns.
    List,
    /// As a list, an object.
    Made,
    /// Not storable: lives in values only.
    Local,
}

impl Shape {
    /// The tag of this shape in a union; stable within one section.
    #[inline]
    pub const fn tag(self) -> i32 {
        match self {
            Self::Nil => 0,
            Self::Bool => 1,
            Self::Integer => 2,
            Self::Float => 3,
            Self::Symbol => 4,
            Self::Object(HierarchyId(n)) => 0x100 + n as i32,
            Self::Array(ArrayKind(n)) => 0x10000 + n as i32,
            Self::List => 5,
            Self::Module => 6,
            Self::Made => 7,
            Self::Proc => 8,
            Self::Local => -1,
        }
    }

    /// The shape of a tag read from a column.
    #[inline]
    pub const fn of_tag(tag: i32) -> Option<Self> {
        Some(match tag {
            0 => Self::Nil,
            1 => Self::Bool,
            2 => Self::Integer,
            3 => Self::Float,
            4 => Self::Symbol,
            5 => Self::List,
            6 => Self::Module,
            7 => Self::Made,
            8 => Self::Proc,
            0x100..=0xffff => Self::Object(HierarchyId((tag - 0x100) as u32)),
            0x10000.. => Self::Array(ArrayKind((tag - 0x10000) as u32)),
            _ => return None,
        })
    }

    /// The scalar that carries a value of this shape alone; nil needs none.
    pub const fn scalar(self) -> Option<Ty> {
        match self {
            Self::Nil | Self::Local => None,
            Self::Bool => Some(Ty::Bool),
            Self::Integer => Some(Ty::I64),
            Self::Float => Some(Ty::F64),
            Self::Symbol
            | Self::Object(_)
            | Self::Array(_)
            | Self::List
            | Self::Made
            | Self::Module
            | Self::Proc => Some(Ty::I32),
        }
    }
}

impl Type {
    /// What is kept as arrays are, and is none: which kind of thing.
    pub const fn collection(&self) -> Option<(ArrayKind, Collection)> {
        match self {
            Self::Column(kind, items) => Some((*kind, Collection::Column(*items))),
            Self::Hash(kind, sort) => Some((*kind, Collection::Hash(*sort))),
            _ => None,
        }
    }

    /// A Hash, from before the section or made in it.
    pub fn is_hash(&self) -> bool {
        self.is_made_hash() || matches!(self, Self::Hash(..))
    }

    /// A lambda, proc or Method that no object stands for.
    pub const fn is_made_proc(&self) -> bool {
        matches!(self, Self::Proc(_) | Self::Closure(..))
    }

    pub fn is_made_hash(&self) -> bool {
        matches!(self, Self::Record(record) if record.is_hash())
    }

    /// Is it such a Range without its end?
    pub fn excludes_end(&self) -> bool {
        matches!(self, Self::Record(record) if record.fields.get(1).is_some_and(|end| end.0 == RecordType::TEXTS[2]))
    }

    /// Such a Range whose ends are Dates.
    pub fn is_date_range(&self) -> bool {
        let is_date = |ty: &Self| match ty {
            Self::Object(_, class) | Self::Made(class) => *class == ClassId::DATE,
            Self::Record(record) => record.class == ClassId::DATE,
            _ => false,
        };
        matches!(self, Self::Record(record) if record.class == ClassId::RANGE
            && record.fields.iter().all(|(_, types)| types.iter().all(is_date)))
    }

    /// A Range of Strings or of Dates that the section makes.
    pub fn is_text_range(&self) -> bool {
        matches!(self, Self::Record(record) if record.class == ClassId::RANGE)
    }

    /// An object of a class of the user's, wherever it is kept; not one under construction.
    pub fn is_instance(&self) -> bool {
        let is_object = matches!(self, Self::Object(..) | Self::Record(_) | Self::Made(_));
        is_object && !self.is_made_hash() && !self.is_text_range()
    }

    pub const fn shape(&self) -> Shape {
        match self {
            Self::Nil => Shape::Nil,
            Self::True | Self::False => Shape::Bool,
            Self::Integer => Shape::Integer,
            Self::Float => Shape::Float,
            Self::Symbol => Shape::Symbol,
            Self::Object(h, _) => Shape::Object(*h),
            Self::Array(k) | Self::Column(k, _) | Self::Hash(k, _) => Shape::Array(*k),
            Self::List(_) => Shape::List,
            Self::Made(_) => Shape::Made,
            Self::Module(_) => Shape::Module,
            Self::Proc(_) => Shape::Proc,
            Self::Range { .. }
            | Self::Tuple(_)
            | Self::Record(_)
            | Self::Building(..)
            | Self::Closure(..)
            | Self::Enumerator(..) => Shape::Local,
        }
    }
}

/// A set of exact classes: what an expression can be. Empty for one that never gives a value.
#[derive(Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeSet(#[serde(with = "as_list")] SmallVec<[Type; 1]>);

/// How the types of a set are written down.
mod as_list {
    use super::{SmallVec, Type};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(types: &SmallVec<[Type; 1]>, to: S) -> Result<S::Ok, S::Error> {
        types[..].serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<SmallVec<[Type; 1]>, D::Error> {
        Ok(Vec::deserialize(from)?.into())
    }
}

impl Clone for TypeSet {
    fn clone(&self) -> Self {
        // Most sets have one member.
        match &self.0[..] {
            [] => Self::empty(),
            [one] => one.clone().into(),
            all => Self(SmallVec::from_vec(all.to_vec())),
        }
    }
}

impl TypeSet {
    pub const fn empty() -> Self {
        Self(SmallVec::new_const())
    }

    pub fn bool() -> Self {
        Self(smallvec![Type::False, Type::True])
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Type> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, ty: &Type) -> bool {
        self.0.binary_search(ty).is_ok()
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|t| other.contains(t))
    }

    /// Adds `ty`; true if it was not there.
    pub fn insert(&mut self, ty: Type) -> bool {
        match self.0.binary_search(&ty) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, ty);
                true
            }
        }
    }

    /// Adds all of `other`; true if something was new.
    pub fn extend(&mut self, other: &Self) -> bool {
        other.0.iter().fold(false, |changed, t| self.insert(t.clone()) | changed)
    }

    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        let mut set = self.clone();
        set.extend(other);
        set
    }

    #[must_use]
    pub fn filter(&self, keep: impl Fn(&Type) -> bool) -> Self {
        match &self.0[..] {
            [one] if keep(one) => one.clone().into(),
            [_] => Self::empty(),
            all => Self(all.iter().filter(|t| keep(t)).cloned().collect()),
        }
    }

    /// The only member, if there is one.
    pub fn single(&self) -> Option<&Type> {
        match &self.0[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The distinct shapes of the members, in order.
    pub fn shapes(&self) -> SmallVec<[Shape; 4]> {
        let mut shapes: SmallVec<[Shape; 4]> = self.0.iter().map(Type::shape).collect();
        shapes.sort();
        shapes.dedup();
        shapes
    }

    /// The one shape of all members, so that a value needs no tag; `None` for unions and the empty set.
    pub fn single_shape(&self) -> Option<Shape> {
        let mut shapes = self.0.iter().map(Type::shape);
        let first = shapes.next()?;
        shapes.all(|shape| shape == first).then_some(first)
    }

    /// The scalars of a column for values of this set: (tag, payload). A union has both and a payload of 64 bits;
    /// a set of one shape has no tag; nil alone has neither.
    pub fn column_scalars(&self) -> (Option<Ty>, Option<Ty>) {
        match self.single_shape() {
            Some(shape) => (None, shape.scalar()),
            None if self.is_empty() => (None, None),
            None => (Some(Ty::I32), Some(Ty::I64)),
        }
    }
}

impl From<Type> for TypeSet {
    fn from(ty: Type) -> Self {
        Self(SmallVec::from_buf([ty]))
    }
}

impl FromIterator<Type> for TypeSet {
    fn from_iter<I: IntoIterator<Item = Type>>(iter: I) -> Self {
        let mut set = Self::empty();
        for ty in iter {
            set.insert(ty);
        }
        set
    }
}

impl<'a> IntoIterator for &'a TypeSet {
    type Item = &'a Type;
    type IntoIter = std::slice::Iter<'a, Type>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
