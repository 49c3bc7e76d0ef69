//! A column being built: what was read off one place (an instance variable of a class, the arrays of a kind, the base):
//! the values as (tag, payload) pairs, and the set of types among them.
//!
//! Payloads are 64 bits: an integer, a float's bits, 0 or 1, a symbol's number, an array's row, or an object's row
//! with its class's place in the hierarchy above it ([`object_payload`]), since ids are only known when all are found.

use crate::reading::array_kinds::ArrayKinds;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::schema::Stored;
use ikra_core::parallel;
use ikra_core::types::{ArrayKind, ClassId, Collection, HierarchyId, Shape, Type, TypeSet};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::OnceLock;

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
    /// Classes and modules themselves.
    modules: Vec<ClassId>,
    array: Option<ArrayKind>,
    /// Where something is allowed: all kinds of arrays that may be there.
    arrays: Vec<ArrayKind>,
    /// Of `Ikra::Column`s and Hashes.
    collections: Vec<(ArrayKind, Collection)>,
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
    /// The type of objects of a class, and none of them.
    pub fn of_class(hierarchy: HierarchyId, class: ClassId) -> Self {
        let mut builder = Self::default();
        builder.seen.add_object(hierarchy, class);
        builder
    }

    pub fn try_clone(&self) -> Result<Self, NoMemory> {
        let tags = match &self.tags {
            Tags::None => Tags::None,
            Tags::All(tag) => Tags::All(*tag),
            Tags::Each(each) => Tags::Each(parallel::copied(each)?),
        };
        let payload = parallel::copied(&self.payload)?;
        Ok(Self { payload, tags, seen: self.seen.clone(), no_memory: self.no_memory })
    }

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

    /// Numbers that are always kept in 64 bits.
    #[inline]
    pub fn push_words(&mut self, words: impl Iterator<Item = i64>) {
        self.seen.bits |= INTEGER;
        self.seen.wide = true;
        let start = self.payload.len();
        self.payload.extend(words);
        self.tag_new(start, Shape::Integer);
    }

    #[inline]
    pub fn push_float(&mut self, number: f64) {
        self.seen.bits |= FLOAT;
        self.push(Shape::Float, number.to_bits() as i64);
    }

    pub fn push_symbol(&mut self, number: i32) {
        self.seen.bits |= SYMBOL;
        self.push(Shape::Symbol, i64::from(number));
    }

    /// A class or module.
    pub fn push_module(&mut self, module: ClassId) {
        self.seen.add_module(module);
        self.push(Shape::Module, i64::from(module.0));
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

    /// What a section has made, which is no object of a class that has been met: its row is behind all others.
    pub fn push_kept(&mut self, shape: Shape, row: u32) {
        let place = if matches!(shape, Shape::Object(_)) { i32::MAX as u32 } else { 0 };
        self.push(shape, object_payload(place, row));
    }

    /// As arrays, other collections of a sort.
    pub fn push_collection(&mut self, kind: ArrayKind, of: Collection, row: u32) {
        self.seen.add_collection((kind, of));
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

    /// Calls `f` with the rows of objects with this tag and place, or of arrays (0), that stand here from a place on.
    pub fn each_row_of(&self, tag: i32, place: u32, from: usize, mut f: impl FnMut(usize)) {
        let mut each = |payload: i64| {
            let (of, row) = split_object(payload);
            if of == place {
                f(row as usize);
            }
        };
        match &self.tags {
            Tags::Each(tags) => {
                let rows = tags[from..].iter().zip(&self.payload[from..]);
                rows.filter(|(of, _)| **of == tag).for_each(|(_, payload)| each(*payload));
            }
            Tags::All(all) if *all == tag => self.payload[from..].iter().for_each(|payload| each(*payload)),
            Tags::All(_) | Tags::None => {}
        }
    }

    /// The tag of the last value; that of nil where there is none.
    pub fn last_tag(&self) -> i32 {
        match self.len() {
            0 => Shape::Nil.tag(),
            count => self.tag(count - 1),
        }
    }

    pub fn tag(&self, row: usize) -> i32 {
        self.tags.of(row)
    }

    /// Has `f` append up to so many values.
    pub fn append<R>(
        &mut self,
        count: usize,
        f: impl FnOnce(&mut Part<'_>) -> Result<R, NoMemory>,
    ) -> Result<R, NoMemory> {
        let spare = self.spare(count)?;
        // SAFETY: it is the only part.
        let mut part = unsafe { spare.part(0, count) };
        part.seen = std::mem::take(&mut self.seen);
        let result = f(&mut part);
        let mut filled = part.end();
        self.seen = std::mem::take(&mut filled.seen);
        // SAFETY: the room was made above, and this is what was put there.
        unsafe { self.commit(spare, &[filled]) }?;
        result
    }

    /// Room for so many values behind those that are there.
    pub fn spare(&mut self, count: usize) -> Result<Spare, NoMemory> {
        self.reserve(count)?;
        let start = self.payload.len();
        let tags = OnceLock::new();
        if let Tags::Each(each) = &mut self.tags {
            let first = each.as_mut_ptr().wrapping_add(start);
            let _ = tags.set(Ok(TagList { list: Vec::new(), first }));
        }
        let payload = self.payload.as_mut_ptr().wrapping_add(start);
        Ok(Spare { start, count, payload, tags })
    }

    /// Takes over what was put into the first parts of the spare room: those parts lie one after the other, and hold as
    /// many values as they say.
    ///
    /// SAFETY: the spare room is this builder's, into which nothing was pushed since; the parts were its own, and
    /// [`Part::end`] gave these.
    pub unsafe fn commit(&mut self, spare: Spare, parts: &[Filled]) -> Result<(), NoMemory> {
        let start = spare.start;
        let end = start + parts.iter().map(|part| part.count).sum::<usize>();
        assert!(self.payload.len() == start && end <= start + spare.count, "room of another builder");
        let list = spare.tags.into_inner().transpose()?;
        let mut tags = parts.iter().filter(|part| part.count > 0).map(|part| part.tag);
        let first = match self.tags {
            Tags::All(tag) => Some(tag),
            Tags::None => tags.next(),
            Tags::Each(_) => None,
        };
        let alike = match first {
            Some(EACH) => false,
            Some(first) => tags.all(|tag| tag == first),
            None => matches!(self.tags, Tags::None),
        };
        match first {
            Some(tag) if alike => self.tags = Tags::All(tag),
            None if alike => {}
            _ => {
                let (mut each, before) = match std::mem::take(&mut self.tags) {
                    Tags::Each(each) => (each, None),
                    Tags::All(tag) => (list.map_or_else(Vec::new, |list| list.list), Some(tag)),
                    Tags::None => (list.map_or_else(Vec::new, |list| list.list), None),
                };
                let more = end - each.len();
                fallible::reserve(&mut each, more)?;
                if let Some(tag) = before {
                    each.spare_capacity_mut()[..start].fill(MaybeUninit::new(tag));
                }
                let mut row = start - each.len();
                for part in parts {
                    if part.tag != EACH {
                        let room = &mut each.spare_capacity_mut()[row..row + part.count];
                        room.fill(MaybeUninit::new(part.tag));
                    }
                    row += part.count;
                }
                // SAFETY: all of it was filled: the rows before, parts of one tag above, and others where they were put.
                unsafe { each.set_len(end) };
                self.tags = Tags::Each(each);
            }
        }
        // SAFETY: each part has filled its own, one after the other.
        unsafe { self.payload.set_len(end) };
        parts.iter().for_each(|part| self.seen.merge(&part.seen));
        Ok(())
    }
}

/// The tag of values that have several, or none yet.
const EACH: i32 = i32::MIN;
const NONE: i32 = i32::MIN + 1;

/// Room behind what a builder holds, which several threads may fill, each a part of its own.
pub struct Spare {
    start: usize,
    count: usize,
    payload: *mut i64,
    /// Had when the values of a part turn out not to be of one tag.
    tags: OnceLock<Result<TagList, NoMemory>>,
}

struct TagList {
    list: Vec<i32>,
    /// That of the first value in the room.
    first: *mut i32,
}

// SAFETY: behind the pointers is room that belongs to who has the `Spare`; threads share it as parts that do not overlap.
unsafe impl Send for Spare {}
// SAFETY: as above.
unsafe impl Sync for Spare {}
// SAFETY: as above; the list stays as it is until the builder takes it.
unsafe impl Send for TagList {}
// SAFETY: as above.
unsafe impl Sync for TagList {}

/// A part of the room, which one thread fills from its beginning on.
pub struct Part<'a> {
    spare: &'a Spare,
    offset: usize,
    room: usize,
    count: usize,
    tag: i32,
    /// Null while there is one tag.
    each: *mut i32,
    seen: SeenTypes,
}

/// What a part holds in the end.
#[derive(Debug)]
pub struct Filled {
    pub count: usize,
    tag: i32,
    seen: SeenTypes,
}

impl Spare {
    /// `count` values from `offset` on.
    ///
    /// SAFETY: no other part that is in use overlaps, and the builder is not touched meanwhile.
    pub unsafe fn part(&self, offset: usize, count: usize) -> Part<'_> {
        assert!(offset + count <= self.count, "a part beyond the room");
        let (tag, each, seen) = (NONE, std::ptr::null_mut(), SeenTypes::default());
        Part { spare: self, offset, room: count, count: 0, tag, each, seen }
    }

    /// The value `at` that place.
    ///
    /// SAFETY: it was put there, and nobody else is at it.
    #[inline]
    pub unsafe fn payload(&self, at: usize) -> i64 {
        debug_assert!(at < self.count);
        // SAFETY: as the caller says.
        unsafe { *self.payload.add(at) }
    }

    /// SAFETY: as for [`Spare::payload`].
    #[inline]
    pub unsafe fn set_payload(&self, at: usize, payload: i64) {
        debug_assert!(at < self.count);
        // SAFETY: as the caller says.
        unsafe { *self.payload.add(at) = payload };
    }
}

impl Part<'_> {
    pub fn end(self) -> Filled {
        Filled { count: self.count, tag: self.tag, seen: self.seen }
    }

    /// How many values there are, those before the part included.
    #[inline]
    pub fn at(&self) -> usize {
        self.spare.start + self.offset + self.count
    }

    /// Puts objects, arrays or the like that were read before, in these rows, all of one tag. False: they are not.
    pub fn put_read(&mut self, read: &ColumnBuilder, rows: Range<usize>) -> Result<bool, NoMemory> {
        let Tags::All(tag) = read.tags else { return Ok(false) };
        if tag < Shape::Object(HierarchyId(0)).tag() {
            return Ok(false);
        }
        self.seen.merge_objects(&read.seen);
        self.put_all(tag, rows.len(), read.payload[rows].iter().copied())?;
        Ok(true)
    }

    /// The same of one, whatever the others are.
    pub fn put_one(&mut self, read: &ColumnBuilder, row: usize) -> Result<(), NoMemory> {
        self.seen.merge_objects(&read.seen);
        self.put_tagged(read.tag(row), read.payload[row])
    }

    /// The tag of all values so far, if there is one.
    #[inline]
    pub fn tag(&self) -> Option<i32> {
        (self.tag > NONE).then_some(self.tag)
    }

    /// Puts Floats, if `f` finds nothing else: it gives the bits of each.
    #[inline]
    pub fn try_floats(
        &mut self,
        count: usize,
        f: impl FnOnce(&mut [MaybeUninit<i64>]) -> bool,
    ) -> Result<bool, NoMemory> {
        self.try_all(Shape::Float, count, f).map(|room| room.is_some())
    }

    /// The same for Integers.
    #[inline]
    pub fn try_integers(
        &mut self,
        count: usize,
        f: impl FnOnce(&mut [MaybeUninit<i64>]) -> bool,
    ) -> Result<bool, NoMemory> {
        let Some(put) = self.try_all(Shape::Integer, count, f)? else { return Ok(false) };
        let any_wide = put.iter().fold(false, |any, number| any | (i64::from(*number as i32) != *number));
        self.seen.wide |= any_wide;
        Ok(true)
    }

    #[inline]
    fn try_all(
        &mut self,
        shape: Shape,
        count: usize,
        f: impl FnOnce(&mut [MaybeUninit<i64>]) -> bool,
    ) -> Result<Option<&[i64]>, NoMemory> {
        assert!(self.count + count <= self.room, "more values than there is room for");
        // SAFETY: within the part, as was asserted.
        let room = unsafe {
            let first = self.spare.payload.add(self.offset + self.count).cast::<MaybeUninit<i64>>();
            std::slice::from_raw_parts_mut(first, count)
        };
        if !f(room) {
            return Ok(None);
        }
        self.seen.bits |= if shape == Shape::Float { FLOAT } else { INTEGER };
        if self.tag != shape.tag() {
            self.put_tags(shape.tag(), count)?;
        }
        self.count += count;
        // SAFETY: `f` has filled it.
        Ok(Some(unsafe { room.assume_init_ref() }))
    }

    #[inline]
    pub fn put_nil(&mut self) -> Result<(), NoMemory> {
        self.seen.bits |= NIL;
        self.put(Shape::Nil, 0)
    }

    #[inline]
    pub fn put_bool(&mut self, truth: bool) -> Result<(), NoMemory> {
        self.seen.bits |= if truth { TRUE } else { FALSE };
        self.put(Shape::Bool, i64::from(truth))
    }

    #[inline]
    pub fn put_integer(&mut self, number: i64) -> Result<(), NoMemory> {
        self.seen.bits |= INTEGER;
        self.seen.wide |= i32::try_from(number).is_err();
        self.put(Shape::Integer, number)
    }

    #[inline]
    pub fn put_float(&mut self, number: f64) -> Result<(), NoMemory> {
        self.seen.bits |= FLOAT;
        self.put(Shape::Float, number.to_bits() as i64)
    }

    #[inline]
    pub fn put_symbol(&mut self, number: i32) -> Result<(), NoMemory> {
        self.seen.bits |= SYMBOL;
        self.put(Shape::Symbol, i64::from(number))
    }

    pub fn put_module(&mut self, module: ClassId) -> Result<(), NoMemory> {
        self.seen.add_module(module);
        self.put(Shape::Module, i64::from(module.0))
    }

    /// Objects of the class are among the values; gives their tag.
    pub fn note_object(&mut self, hierarchy: HierarchyId, class: ClassId) -> i32 {
        self.seen.add_object(hierarchy, class);
        Shape::Object(hierarchy).tag()
    }

    pub fn note_array(&mut self, kind: ArrayKind) -> i32 {
        self.seen.array = Some(kind);
        Shape::Array(kind).tag()
    }

    /// The same of other collections of a sort.
    pub fn note_collection(&mut self, kind: ArrayKind, of: Collection) -> i32 {
        self.seen.add_collection((kind, of));
        Shape::Array(kind).tag()
    }

    /// Of what was noted. The payload may be another one for now, until the row is known.
    #[inline]
    pub fn put_tagged(&mut self, tag: i32, payload: i64) -> Result<(), NoMemory> {
        self.put_all(tag, 1, std::iter::once(payload))
    }

    #[inline]
    fn put(&mut self, shape: Shape, payload: i64) -> Result<(), NoMemory> {
        self.put_tagged(shape.tag(), payload)
    }

    pub fn put_integers(&mut self, numbers: impl ExactSizeIterator<Item = i64>) -> Result<(), NoMemory> {
        let (from, count) = (self.count, numbers.len());
        self.seen.bits |= INTEGER;
        self.put_all(Shape::Integer.tag(), count, numbers)?;
        let wide = |number: &i64| i32::try_from(*number).is_err();
        // SAFETY: these were just put there.
        let put = unsafe { std::slice::from_raw_parts(self.spare.payload.add(self.offset + from), count) };
        self.seen.wide |= put.iter().fold(false, |any, number| any | wide(number));
        Ok(())
    }

    pub fn put_floats(&mut self, bits: impl ExactSizeIterator<Item = i64>) -> Result<(), NoMemory> {
        self.seen.bits |= FLOAT;
        self.put_all(Shape::Float.tag(), bits.len(), bits)
    }

    /// Integers and Floats, as `(is a Float, number or bits)`.
    pub fn put_numbers(
        &mut self,
        numbers: impl ExactSizeIterator<Item = (bool, i64)>,
    ) -> Result<(), NoMemory> {
        let (float, integer) = (Shape::Float.tag(), Shape::Integer.tag());
        self.seen.bits |= INTEGER | FLOAT;
        let count = numbers.len();
        assert!(self.count + count <= self.room, "more values than there is room for");
        self.tag_each()?;
        let mut wide = false;
        let start = self.offset + self.count;
        for (index, (is_float, payload)) in numbers.enumerate().take(count) {
            wide |= !is_float & i32::try_from(payload).is_err();
            // SAFETY: within the part, as was asserted; the list of tags is as long as the room.
            unsafe {
                *self.spare.payload.add(start + index) = payload;
                *self.each.add(self.count + index) = if is_float { float } else { integer };
            }
        }
        self.seen.wide |= wide;
        self.count += count;
        Ok(())
    }

    #[inline]
    fn put_all(
        &mut self,
        tag: i32,
        count: usize,
        payloads: impl Iterator<Item = i64>,
    ) -> Result<(), NoMemory> {
        assert!(self.count + count <= self.room, "more values than there is room for");
        if self.tag != tag {
            self.put_tags(tag, count)?;
        }
        // SAFETY: within the part, as was asserted.
        let room = unsafe {
            let first = self.spare.payload.add(self.offset + self.count).cast::<MaybeUninit<i64>>();
            std::slice::from_raw_parts_mut(first, count)
        };
        for (place, payload) in room.iter_mut().zip(payloads) {
            place.write(payload);
        }
        self.count += count;
        Ok(())
    }

    #[inline(never)]
    fn put_tags(&mut self, tag: i32, count: usize) -> Result<(), NoMemory> {
        if self.tag == NONE {
            self.tag = tag;
            return Ok(());
        }
        self.tag_each()?;
        for place in self.count..self.count + count {
            // SAFETY: the list of tags is as long as the room.
            unsafe { *self.each.add(place) = tag };
        }
        Ok(())
    }

    /// From now on each value has a tag of its own.
    fn tag_each(&mut self) -> Result<(), NoMemory> {
        if self.tag == EACH {
            return Ok(());
        }
        let Spare { start, count, tags, .. } = self.spare;
        let list = tags.get_or_init(|| {
            let mut list: Vec<i32> = Vec::new();
            fallible::reserve(&mut list, start + count)?;
            let first = list.as_mut_ptr().wrapping_add(*start);
            Ok(TagList { list, first })
        });
        self.each = list.as_ref().map_err(|error| *error)?.first.wrapping_add(self.offset);
        for place in 0..self.count {
            // SAFETY: the list of tags is as long as the room.
            unsafe { *self.each.add(place) = self.tag };
        }
        self.tag = EACH;
        Ok(())
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
                Type::Array(kind) => found.arrays.push(*kind),
                Type::Column(..) | Type::Hash(..) => {
                    ty.collection().into_iter().for_each(|one| found.add_collection(one))
                }
                Type::Module(module) => found.add_module(*module),
                Type::Range { .. }
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

    fn add_module(&mut self, module: ClassId) {
        if !self.modules.contains(&module) {
            self.modules.push(module);
        }
    }

    fn add_collection(&mut self, collection: (ArrayKind, Collection)) {
        if !self.collections.contains(&collection) {
            self.collections.push(collection);
        }
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
        let collections = self.collections.iter().map(|(kind, of)| of.of_kind(*kind));
        let modules = self.modules.iter().map(|module| Type::Module(*module));
        plain.chain(objects).chain(modules).chain(self.array.map(Type::Array)).chain(collections).collect()
    }

    /// All Integers fit 32 bits.
    pub fn narrow(&self) -> bool {
        !self.wide
    }

    /// Nothing here is an object, and nothing else that has a row or number of its own.
    pub fn is_flat(&self) -> bool {
        self.objects.is_empty()
            && self.modules.is_empty()
            && self.array.is_none()
            && self.collections.is_empty()
    }

    /// The kind of the arrays.
    pub const fn array(&self) -> Option<ArrayKind> {
        self.array
    }

    /// Is nothing here but objects, arrays and what a word tells itself?
    pub fn is_of_words(&self) -> bool {
        self.bits & SYMBOL == 0 && self.modules.is_empty() && self.collections.is_empty()
    }

    /// The hierarchies and classes of the objects.
    pub fn objects(&self) -> &[(HierarchyId, ClassId)] {
        &self.objects
    }

    /// What was found elsewhere besides.
    fn merge(&mut self, other: &Self) {
        self.bits |= other.bits;
        self.wide |= other.wide;
        self.merge_objects(other);
    }

    /// The same of what is an object, array or the like.
    fn merge_objects(&mut self, other: &Self) {
        self.array = other.array.or(self.array);
        other.modules.iter().for_each(|one| self.add_module(*one));
        other.collections.iter().for_each(|one| self.add_collection(*one));
        for (hierarchy, class) in &other.objects {
            self.add_object(*hierarchy, *class);
        }
    }

    /// Arrays and other collections are of the kinds that theirs have become.
    pub fn follow(&mut self, kinds: &ArrayKinds) {
        self.array = self.array.map(|kind| kinds.find(kind));
        for (kind, of) in std::mem::take(&mut self.collections) {
            self.add_collection((kinds.find(kind), of));
        }
    }

    /// Is nothing here that `allowed` has not?
    pub fn within(&self, allowed: &Self) -> bool {
        self.bits & !allowed.bits == 0
            && (!self.wide || allowed.wide)
            && self.array.is_none_or(|kind| allowed.arrays.contains(&kind))
            && self.modules.iter().all(|one| allowed.modules.contains(one))
            && self.collections.iter().all(|one| allowed.collections.contains(one))
            && self.objects.iter().all(|(_, class)| allowed.has_class(*class))
    }

    /// Where this is what is allowed: is some of it nowhere in what was found? How wide Integers are does not count.
    pub fn has_more_than(&self, found: &Self) -> bool {
        self.bits & !found.bits != 0
            || self.arrays.iter().any(|kind| found.array != Some(*kind))
            || self.modules.iter().any(|one| !found.modules.contains(one))
            || self.collections.iter().any(|one| !found.collections.contains(one))
            || self.objects.iter().any(|(_, class)| !found.has_class(*class))
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
