//! Objects and arrays that a section has made and that have rows of the columns (`ir/settling.rs`). Those that something
//! refers to become Ruby's when they are met: empty at first, so that depth is no recursion, and filled before anybody
//! else sees them (`decoder.rs`).

use crate::vm::classes;
use crate::vm::errors::Trouble;
use crate::vm::object_pool::ObjectPool;
use crate::vm::value;
use crate::writing::objects::Maker;
use crate::writing::strings;
use ikra_core::error::Error;
use ikra_core::heap::Column;
use ikra_core::infer::{BYTESIZE, ENCODING, FROZEN, Inferred, ORDER, ORIGINAL, WORDS, words_outside};
use ikra_core::ir::{BufferKind, Part};
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, Type};
use magnus::Ruby;
use magnus::rb_sys::protect;
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What of a run's columns is Ruby's already.
#[derive(Default)]
pub struct Born(RefCell<Contents>);

#[derive(Default)]
struct Contents {
    objects: FxHashMap<(HierarchyId, i64), VALUE>,
    classes: FxHashMap<ClassId, Rc<OfClass>>,
    strings: Option<OfStrings>,
    /// What has to be filled.
    empty: Vec<Empty>,
    /// Hashes, and then those of them whose keys and values are there. Keys are put into them when they are filled.
    hashes: Vec<(ArrayKind, i64, VALUE)>,
    /// All of it, in the order in which it became Ruby's, and how much of that Ruby has seen in an `Ikra.sync`.
    all: Vec<Known>,
    seen: usize,
}

/// An object, array or Hash that the section has made, by its number.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub shape: Shape,
    pub number: i64,
    pub value: VALUE,
}

/// The buffers of what is known of Strings: how many bytes they have, flags, which array their bytes are, where each of
/// these begins, and words.
#[derive(Clone, Copy)]
struct OfStrings([usize; 5]);

impl OfStrings {
    fn new(inferred: &Inferred, hierarchy: HierarchyId) -> Option<Self> {
        let Inferred { program, schema, .. } = inferred;
        let buffer = |kind: BufferKind| program.buffers.iter().position(|buffer| buffer.kind == kind);
        let column = |name: &str| {
            buffer(BufferKind::Column { hierarchy, name: name.to_string(), part: Part::Payload })
        };
        let words =
            schema.columns.iter().find(|column| column.hierarchy == hierarchy && column.name == WORDS);
        let Some(Type::Array(kind)) = words?.stored.types.single() else { return None };
        let (offset, values) =
            (BufferKind::ArrayOffset(*kind), BufferKind::ArrayValues(*kind, Part::Payload));
        Some(Self([column(BYTESIZE)?, column(ENCODING)?, column(WORDS)?, buffer(offset)?, buffer(values)?]))
    }
}

pub enum Empty {
    Object(Rc<OfClass>, usize, VALUE),
    Array(ArrayKind, i64, VALUE),
}

/// How the objects of a class are made.
pub struct OfClass {
    pub maker: Maker,
    /// By the names of the maker.
    pub variables: Vec<Variable>,
}

/// The buffers of payload and tag, and the shape of all values.
pub struct Variable {
    pub payload: Option<usize>,
    pub tags: Option<usize>,
    pub single: Option<Shape>,
}

/// What a Hash is to hold: an array of keys, and one of values.
#[derive(Clone, Copy)]
pub struct Pairs {
    pub keys: VALUE,
    pub values: VALUE,
}

impl Pairs {
    pub fn put_into(self, hash: VALUE) -> Result<(), Trouble> {
        let mut at = 0;
        loop {
            // SAFETY: both are kept alive by `Pinned`; the items are copied before anything runs.
            let pair = unsafe {
                let values = value::items(self.values);
                value::items(self.keys).get(at).copied().zip(values.get(at).copied())
            };
            let Some((key, value)) = pair else { return Ok(()) };
            at += 1;
            // SAFETY: all are live; what is raised ends in `protect`.
            protect(|| unsafe { rb_sys::rb_hash_aset(hash, key, value) })?;
        }
    }
}

impl OfClass {
    fn new(
        ruby: &Ruby,
        pool: &ObjectPool,
        inferred: &Inferred,
        (hierarchy, class): (HierarchyId, ClassId),
    ) -> Result<Self, Error> {
        let Inferred { program, schema, .. } = inferred;
        let buffer = |name: &str, part| {
            let kind = BufferKind::Column { hierarchy, name: name.to_string(), part };
            program.buffers.iter().position(|buffer| buffer.kind == kind)
        };
        let members = classes::members(pool.class(class));
        let set = schema.leaving.get(&class).map_or(&[][..], Vec::as_slice);
        let mut names = vec![ORDER];
        names.extend(members.iter().chain(set).map(String::as_str));
        names.extend([FROZEN, ORIGINAL].into_iter().filter(|name| buffer(name, Part::Payload).is_some()));
        let variable = |name: &&str| {
            let is_it = |column: &&ikra_core::heap::schema::ColumnSchema| {
                column.hierarchy == hierarchy && column.name == *name
            };
            let column = schema.columns.iter().find(is_it);
            let single = column.map_or(Some(Shape::Nil), |column| column.stored.types.single_shape());
            Variable { payload: buffer(name, Part::Payload), tags: buffer(name, Part::Tag), single }
        };
        let variables = names.iter().map(variable).collect();
        Ok(Self { maker: Maker::new(ruby, pool, class, &names)?, variables })
    }
}

impl Born {
    /// Forgets all, as what had these numbers is no more.
    pub fn clear(&self) {
        self.0.take();
    }

    /// What Ruby has seen in an `Ikra.sync`.
    pub fn seen(&self) -> Vec<Known> {
        let contents = self.0.borrow();
        contents.all[..contents.seen].to_vec()
    }

    /// Ruby sees all that there is, but for arrays of which `stays` says that their numbers will be others'.
    pub fn show(&self, stays: impl Fn(ArrayKind) -> bool) {
        let contents = &mut *self.0.borrow_mut();
        let later = contents.all.split_off(contents.seen);
        contents.all.extend(later.into_iter().filter(|known| match known.shape {
            Shape::Array(kind) => stays(kind),
            _ => true,
        }));
        contents.seen = contents.all.len();
    }

    /// The run has begun again, and has come to where Ruby had seen this.
    pub fn see_again(&self, seen: &[Known]) {
        let contents = &mut *self.0.borrow_mut();
        for known in seen {
            if let Shape::Object(hierarchy) = known.shape {
                contents.objects.insert((hierarchy, known.number), known.value);
            }
        }
        contents.all = seen.to_vec();
        contents.seen = seen.len();
    }

    pub fn object(&self, hierarchy: HierarchyId, id: i64) -> Option<VALUE> {
        self.0.borrow().objects.get(&(hierarchy, id)).copied()
    }

    /// A String of its own, from its row.
    pub fn string(
        &self,
        inferred: &Inferred,
        columns: &[Column],
        hierarchy: HierarchyId,
        row: usize,
    ) -> Result<VALUE, Trouble> {
        let (words, size, flags) = self.text(inferred, columns, hierarchy, row)?;
        strings::make_of_words(words, size, flags)
    }

    /// The words of its bytes, how many bytes, and flags.
    pub fn text<'a>(
        &self,
        inferred: &Inferred,
        columns: &'a [Column],
        hierarchy: HierarchyId,
        row: usize,
    ) -> Result<(&'a [i64], usize, i64), Error> {
        let known = self.0.borrow().strings;
        let of = known.or_else(|| OfStrings::new(inferred, hierarchy));
        let missing = || Error::Internal("the columns of Strings are not there".into());
        let OfStrings(buffers) = of.ok_or_else(missing)?;
        self.0.borrow_mut().strings = of;
        let columns = buffers.map(|buffer| &columns[buffer]);
        let [size, flags, array] = [0, 1, 2].map(|column| columns[column].bits(row));
        let first = columns[3].bits(array as usize) as usize;
        let Column::I64(words) = columns[4] else { return Err(missing()) };
        let words = words.get(first..first + words_outside(size as usize)).ok_or_else(missing)?;
        Ok((words, size as usize, flags))
    }

    pub fn add_string(&self, hierarchy: HierarchyId, row: usize, string: VALUE) {
        let contents = &mut *self.0.borrow_mut();
        contents.objects.insert((hierarchy, row as i64), string);
        contents.all.push(Known { shape: Shape::Object(hierarchy), number: row as i64, value: string });
    }

    pub fn class(
        &self,
        ruby: &Ruby,
        pool: &ObjectPool,
        inferred: &Inferred,
        of: (HierarchyId, ClassId),
    ) -> Result<Rc<OfClass>, Error> {
        if let Some(known) = self.0.borrow().classes.get(&of.1) {
            return Ok(known.clone());
        }
        let of_class = Rc::new(OfClass::new(ruby, pool, inferred, of)?);
        self.0.borrow_mut().classes.insert(of.1, of_class.clone());
        Ok(of_class)
    }

    /// An object has been allocated.
    pub fn add(&self, hierarchy: HierarchyId, row: usize, of_class: Rc<OfClass>, object: VALUE) {
        let contents = &mut *self.0.borrow_mut();
        contents.objects.insert((hierarchy, row as i64), object);
        contents.empty.push(Empty::Object(of_class, row, object));
        contents.all.push(Known { shape: Shape::Object(hierarchy), number: row as i64, value: object });
    }

    pub fn add_array(&self, kind: ArrayKind, id: i64, array: VALUE) {
        let contents = &mut *self.0.borrow_mut();
        contents.empty.push(Empty::Array(kind, id, array));
        contents.all.push(Known { shape: Shape::Array(kind), number: id, value: array });
    }

    pub fn add_hash(&self, kind: ArrayKind, id: i64, hash: VALUE) {
        let contents = &mut *self.0.borrow_mut();
        contents.hashes.push((kind, id, hash));
        contents.all.push(Known { shape: Shape::Array(kind), number: id, value: hash });
    }

    pub fn next_hash(&self) -> Option<(ArrayKind, i64, VALUE)> {
        self.0.borrow_mut().hashes.pop()
    }

    /// What is to be filled next.
    pub fn next(&self) -> Option<Empty> {
        self.0.borrow_mut().empty.pop()
    }
}
