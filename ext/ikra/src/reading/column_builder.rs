//! A column being built: what was read off one place (an instance variable of a class, the arrays of a kind, the base):
//! the values as (tag, payload) pairs, and the set of types among them.
//!
//! Payloads are 64 bits: an integer, a float's bits, 0 or 1, a symbol's number, an array's row, or an object's row
//! with its class's place in the hierarchy above it ([`object_payload`]), since ids are only known when all are found.

use crate::vm::value;
use ikra_core::fallible::{self, NoMemory};
use ikra_core::heap::schema::Stored;
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, Type, TypeSet};
use rb_sys::VALUE;

#[derive(Debug, Default)]
pub struct ColumnBuilder {
    pub payload: Vec<i64>,
    pub tags: Tags,
    seen: SeenTypes,
    /// There was too little memory for the tags: the next [`ColumnBuilder::reserve`] says so.
    no_memory: Option<NoMemory>,
}

/// Nearly always all values have one shape, and then no list of tags is kept.
#[derive(Debug, Default)]
pub enum Tags {
    #[default]
    None,
    All(i32),
    Each(Vec<i32>),
}

/// The types found, or those allowed: bits for the values that are no objects, and the classes of objects.
#[derive(Clone, Debug, Default)]
pub struct SeenTypes {
    bits: u8,
    objects: Vec<(HierarchyId, ClassId)>,
    /// A bit for each class number in `objects`.
    classes: Vec<u64>,
    array: Option<ArrayKind>,
    /// Some Integer needs more than 32 bits.
    wide: bool,
}

const NIL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 4;
const INTEGER: u8 = 8;
const FLOAT: u8 = 16;
const SYMBOL: u8 = 32;

pub const fn object_payload(place: u32, row: u32) -> i64 {
    (place as i64) << 32 | row as i64
}

/// (place of the class in the hierarchy, row)
pub const fn split_object(payload: i64) -> (u32, u32) {
    ((payload >> 32) as u32, payload as u32)
}

impl ColumnBuilder {
    pub fn len(&self) -> usize {
        self.payload.len()
    }

    /// Makes room for all that will be pushed at once, which is cheaper than growing. To be called before what is
    /// pushed, and once more with 0 when all is.
    pub fn reserve(&mut self, values: usize) -> Result<(), NoMemory> {
        if let Tags::Each(each) = &mut self.tags {
            fallible::reserve(each, values)?;
        }
        fallible::reserve(&mut self.payload, values)?;
        self.no_memory.map_or(Ok(()), Err)
    }

    pub fn seen(&self) -> &SeenTypes {
        &self.seen
    }

    pub fn push_nil(&mut self) {
        self.seen.bits |= NIL;
        self.push(Shape::Nil, 0);
    }

    pub fn push_bool(&mut self, truth: bool) {
        self.seen.bits |= if truth { TRUE } else { FALSE };
        self.push(Shape::Bool, i64::from(truth));
    }

    #[inline]
    pub fn push_integer(&mut self, number: i64) {
        self.seen.bits |= INTEGER;
        self.seen.wide |= i32::try_from(number).is_err();
        self.push(Shape::Integer, number);
    }

    #[inline]
    pub fn push_float(&mut self, number: f64) {
        self.seen.bits |= FLOAT;
        self.push(Shape::Float, number.to_bits() as i64);
    }

    /// The leading Integers that need no heap, of which there is one at least; gives how many.
    pub fn push_integers(&mut self, values: &[VALUE]) -> usize {
        let start = self.len();
        let count = value::leading_integers(values, &mut self.payload);
        let wide = |number: &i64| i32::try_from(*number).is_err();
        self.seen.bits |= INTEGER;
        self.seen.wide |= self.payload[start..].iter().fold(false, |any, number| any | wide(number));
        self.tag_new(start, Shape::Integer);
        count
    }

    /// The leading Floats that need no heap, of which there is one at least; gives how many.
    pub fn push_floats(&mut self, values: &[VALUE]) -> usize {
        let start = self.len();
        let count = value::leading_floats(values, &mut self.payload);
        self.seen.bits |= FLOAT;
        self.tag_new(start, Shape::Float);
        count
    }

    pub fn push_symbol(&mut self, number: i32) {
        self.seen.bits |= SYMBOL;
        self.push(Shape::Symbol, i64::from(number));
    }

    #[inline]
    pub fn push_object(&mut self, hierarchy: HierarchyId, class: ClassId, place: u32, row: u32) {
        self.seen.add_object(hierarchy, class);
        self.push(Shape::Object(hierarchy), object_payload(place, row));
    }

    /// All arrays of one reading are of one kind; joining kinds reads anew.
    pub fn push_array(&mut self, kind: ArrayKind, row: u32) {
        self.seen.array = Some(kind);
        self.push(Shape::Array(kind), i64::from(row));
    }

    #[inline]
    fn push(&mut self, shape: Shape, payload: i64) {
        self.payload.push(payload);
        self.tag_new(self.payload.len() - 1, shape);
    }

    /// Notes the shape of the values from `start` on.
    #[inline]
    fn tag_new(&mut self, start: usize, shape: Shape) {
        let tag = shape.tag();
        if !matches!(self.tags, Tags::All(all) if all == tag) {
            self.tag_each(start, tag);
        }
    }

    #[inline(never)]
    fn tag_each(&mut self, start: usize, tag: i32) {
        match &mut self.tags {
            Tags::Each(each) => each.resize(self.payload.len(), tag),
            Tags::None => self.tags = Tags::All(tag),
            Tags::All(all) => {
                let all = *all;
                let mut each = Vec::new();
                match fallible::reserve(&mut each, self.payload.capacity()) {
                    Ok(()) => {
                        each.resize(start, all);
                        each.resize(self.payload.len(), tag);
                        self.tags = Tags::Each(each);
                    }
                    Err(error) => self.no_memory = Some(error),
                }
            }
        }
    }

    pub fn tag(&self, row: usize) -> i32 {
        self.tags.of(row)
    }
}

impl Tags {
    #[inline]
    pub fn of(&self, row: usize) -> i32 {
        match self {
            Self::None => Shape::Nil.tag(),
            Self::All(tag) => *tag,
            Self::Each(each) => each[row],
        }
    }
}

impl SeenTypes {
    /// What a column that stores these lets in.
    pub fn of(stored: &Stored) -> Self {
        let mut found = Self { wide: !stored.narrow, ..Self::default() };
        for ty in &stored.types {
            match ty {
                Type::Nil => found.bits |= NIL,
                Type::False => found.bits |= FALSE,
                Type::True => found.bits |= TRUE,
                Type::Integer => found.bits |= INTEGER,
                Type::Float => found.bits |= FLOAT,
                Type::Symbol => found.bits |= SYMBOL,
                Type::Object(hierarchy, class) => found.add_object(*hierarchy, *class),
                Type::Array(kind) => found.array = Some(*kind),
                Type::Module(_)
                | Type::Range { .. }
                | Type::Tuple(_)
                | Type::Record(_)
                | Type::Building(..)
                | Type::Proc(_)
                | Type::Closure(..)
                | Type::List(_)
                | Type::Made(_)
                | Type::Enumerator(..) => {}
            }
        }
        found
    }

    #[inline]
    fn add_object(&mut self, hierarchy: HierarchyId, class: ClassId) {
        if !self.has_class(class) {
            self.add_class(hierarchy, class);
        }
    }

    #[inline]
    fn has_class(&self, class: ClassId) -> bool {
        self.classes.get(class.0 as usize / 64).is_some_and(|word| word >> (class.0 % 64) & 1 == 1)
    }

    #[cold]
    fn add_class(&mut self, hierarchy: HierarchyId, class: ClassId) {
        let word = class.0 as usize / 64;
        if self.classes.len() <= word {
            self.classes.resize(word + 1, 0);
        }
        self.classes[word] |= 1 << (class.0 % 64);
        self.objects.push((hierarchy, class));
    }

    pub fn types(&self) -> TypeSet {
        let bits = [
            (NIL, Type::Nil),
            (FALSE, Type::False),
            (TRUE, Type::True),
            (INTEGER, Type::Integer),
            (FLOAT, Type::Float),
            (SYMBOL, Type::Symbol),
        ];
        let plain = bits.into_iter().filter(|(bit, _)| self.bits & bit != 0).map(|(_, ty)| ty);
        let objects = self.objects.iter().map(|(hierarchy, class)| Type::Object(*hierarchy, *class));
        plain.chain(objects).chain(self.array.map(Type::Array)).collect()
    }

    /// All Integers fit 32 bits.
    pub fn narrow(&self) -> bool {
        !self.wide
    }

    /// Forgets which kind of arrays was found, when kinds were joined, for the one they are of now.
    pub fn set_kind(&mut self, kind: ArrayKind) {
        if self.array.is_some() {
            self.array = Some(kind);
        }
    }

    /// Is nothing here that `allowed` has not?
    pub fn within(&self, allowed: &Self) -> bool {
        self.bits & !allowed.bits == 0
            && (!self.wide || allowed.wide)
            && (self.array.is_none() || self.array == allowed.array)
            && self.objects.iter().all(|(_, class)| allowed.has_class(*class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_shape_needs_no_list_of_tags() {
        let mut builder = ColumnBuilder::default();
        builder.push_integer(1);
        builder.push_integer(2);
        assert!(matches!(builder.tags, Tags::All(2)));
        builder.push_nil();
        assert!(matches!(&builder.tags, Tags::Each(each) if *each == [2, 2, 0]));
    }

    #[test]
    fn types_are_what_was_pushed() {
        let mut builder = ColumnBuilder::default();
        let (cars, car, van) = (HierarchyId(3), ClassId(30), ClassId(31));
        builder.push_object(cars, car, 0, 0);
        builder.push_object(cars, van, 1, 0);
        builder.push_object(cars, car, 0, 1);
        builder.push_bool(true);
        let types: TypeSet =
            [Type::True, Type::Object(cars, car), Type::Object(cars, van)].into_iter().collect();
        assert_eq!(builder.seen().types(), types);
        assert_eq!(split_object(builder.payload[1]), (1, 0));
    }

    #[test]
    fn wide_integers_do_not_fit_a_narrow_column() {
        let mut builder = ColumnBuilder::default();
        builder.push_integer(1 << 31);
        let lets_in = |stored: Stored| builder.seen().within(&SeenTypes::of(&stored));
        assert!(lets_in(Stored::written(Type::Integer.into())));
        assert!(!lets_in(Stored::read_only(Type::Integer.into(), || true)));
        assert!(!lets_in(Stored::written(Type::Float.into())));
    }
}
