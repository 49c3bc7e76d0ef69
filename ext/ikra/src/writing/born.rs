//! Objects and arrays that a section has made and that have rows of the columns (`ir/settling.rs`). Those that
//! something refers to become Ruby's when they are met: empty at first, so that depth is no recursion, and filled
//! before anybody else sees them (`decoder.rs`).
//!
//! Hashes get their pairs when all else is filled, as keys are looked at.

use crate::reading::variables::{RANDOM_SEED, RANDOM_STATE};
use crate::vm::classes;
use crate::vm::errors::Trouble;
use crate::vm::object_pool::ObjectPool;
use crate::vm::reentry::once;
use crate::vm::value;
use crate::writing::objects::Maker;
use crate::writing::strings;
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::Column;
use ikra_core::infer::{FROZEN, Inferred, ORDER, ORIGINAL, PATTERN};
use ikra_core::ir::{BufferInfo, BufferKind, Part};
use ikra_core::string_layout::{BYTESIZE, ENCODING, WORDS, words_outside};
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, Type};
use magnus::rb_sys::{FromRawValue, protect};
use magnus::{Ruby, Value};
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What of a run's columns is Ruby's already.
#[derive(Default)]
pub struct Born(RefCell<Contents>);

#[derive(Default)]
struct Contents {
    /// By the numbers of hierarchies and of kinds of arrays; Hashes are among these.
    objects: Vec<Numbered>,
    arrays: Vec<Numbered>,
    classes: FxHashMap<ClassId, Rc<OfClass>>,
    places: Vec<Option<usize>>,
    kinds: Vec<Option<OfArrays>>,
    /// By the kind of arrays and Hashes: the buffer that says which of them are frozen, if there is one, once it is known.
    frozen: Vec<Option<Option<usize>>>,
    strings: Option<OfStrings>,
    /// What has to be filled.
    empty: Vec<Empty>,
    /// Hashes, and then those of them whose keys and values are there. Keys are put into them when they are filled.
    hashes: Vec<(ArrayKind, i64, VALUE)>,
    /// All of it, in the order in which it became Ruby's, and how much of that Ruby has seen in an `Ikra.sync`. Sections
    /// without these know nothing of it.
    all: Vec<Known>,
    seen: usize,
    /// How much of it was left when what is dead was forgotten (`forgetting.rs`).
    kept: usize,
}

/// Values by number. What a section makes has numbers side by side, so they are a list.
#[derive(Default)]
struct Numbered {
    first: i64,
    /// 0, which is no object: there is none of that number.
    values: Vec<VALUE>,
}

impl Numbered {
    fn get(&self, number: i64) -> Option<VALUE> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.values.get(at).copied().filter(|value| *value != 0)
    }

    fn set(&mut self, number: i64, value: VALUE) -> Result<(), NoMemory> {
        if self.values.is_empty() {
            self.first = number;
        }
        if number < self.first {
            // Lists are met from their end, most often: there is to be room for as many more as there are.
            let first = (number - self.values.len() as i64).max(0);
            let more = (self.first - first) as usize;
            let all = self.values.len() + more;
            fallible::resize(&mut self.values, all, 0)?;
            self.values.rotate_right(more);
            self.first = first;
        }
        let at = (number - self.first) as usize;
        if at >= self.values.len() {
            fallible::resize(&mut self.values, at + 1, 0)?;
        }
        self.values[at] = value;
        Ok(())
    }
}

/// The one of a number, which need not be there yet.
fn of_number<T: Default>(all: &mut Vec<T>, number: u32) -> Result<&mut T, NoMemory> {
    let at = number as usize;
    while all.len() <= at {
        fallible::push(all, T::default())?;
    }
    Ok(&mut all[at])
}

/// The arrays of a kind: the number of their schema, and the buffers that they are in.
#[derive(Clone, Copy)]
pub struct OfArrays {
    pub schema: usize,
    pub offset: usize,
    pub length: usize,
    pub items: Variable,
    /// Items are no objects, arrays or Hashes that the section may have made.
    pub flat: bool,
}

impl OfArrays {
    fn new(inferred: &Inferred, kind: ArrayKind) -> Option<Self> {
        let Inferred { program, schema, .. } = inferred;
        let buffer = |kind: BufferKind| program.buffers.iter().position(|buffer| buffer.kind == kind);
        let number = schema.arrays.iter().position(|array| array.kind == kind)?;
        let types = &schema.arrays[number].stored.types;
        let [payload, tags] =
            [Part::Payload, Part::Tag].map(|part| buffer(BufferKind::ArrayValues(kind, part)));
        Some(Self {
            schema: number,
            offset: buffer(BufferKind::ArrayOffset(kind))?,
            length: buffer(BufferKind::ArrayLength(kind))?,
            items: Variable { payload, tags, single: types.single_shape() },
            flat: types.iter().all(|ty| match ty {
                Type::Object(_, class) => *class == ClassId::STRING,
                ty => !matches!(ty, Type::Array(_) | Type::Hash(..)),
            }),
        })
    }
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

/// Are what Strings hold columns of the section?
pub fn has_strings(inferred: &Inferred, hierarchy: HierarchyId) -> bool {
    OfStrings::new(inferred, hierarchy).is_some()
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
#[derive(Clone, Copy)]
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
        // SAFETY: `Pinned` keeps it alive.
        let ruby = Ruby::get_with(unsafe { Value::from_raw(hash) });
        // SAFETY: all are kept alive by `Pinned`. Each pair is copied before anything runs. What is raised, as keys may be
        // looked at by the user's code, ends in `protect`; nothing in the closure needs dropping.
        let put = || unsafe {
            let mut at = 0;
            while let (Some(key), Some(value)) =
                (value::items(self.keys).get(at).copied(), value::items(self.values).get(at).copied())
            {
                value::put_pair(hash, key, value);
                at += 1;
            }
            value::NIL
        };
        once(&ruby, || protect(put))?;
        Ok(())
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
        let members = pool.members(class);
        let set = schema.leaving.get(&class).map_or(&[][..], Vec::as_slice);
        let mut names = vec![ORDER];
        names.extend(members.iter().chain(set).map(String::as_str));
        names.extend([FROZEN, ORIGINAL].into_iter().filter(|name| buffer(name, Part::Payload).is_some()));
        let is_random = classes::inherits(pool.class(class), pool.class(ClassId::RANDOM));
        names.extend(match class {
            _ if is_random => &[RANDOM_STATE, RANDOM_SEED][..],
            ClassId::REGEXP => &[PATTERN],
            _ => &[],
        });
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

impl Contents {
    fn set(&mut self, known: &Known) -> Result<(), NoMemory> {
        let all = match known.shape {
            Shape::Object(hierarchy) => of_number(&mut self.objects, hierarchy.0)?,
            Shape::Array(kind) => of_number(&mut self.arrays, kind.0)?,
            _ => return Ok(()),
        };
        all.set(known.number, known.value)
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

    /// How much Ruby has seen, and how much of it was left when what is dead was forgotten.
    pub fn counts(&self) -> (usize, usize) {
        let contents = self.0.borrow();
        (contents.seen, contents.kept)
    }

    /// This is what Ruby has seen, and nothing else.
    pub fn know_only(&self, known: &[Known]) -> Result<(), NoMemory> {
        self.0.borrow_mut().objects.clear();
        self.see_again(known)?;
        self.0.borrow_mut().kept = known.len();
        Ok(())
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
        for (kind, arrays) in (0..).map(ArrayKind).zip(&mut contents.arrays) {
            if !stays(kind) {
                *arrays = Numbered::default();
            }
        }
    }

    /// The run has begun again, and has come to where Ruby had seen this.
    pub fn see_again(&self, seen: &[Known]) -> Result<(), NoMemory> {
        let contents = &mut *self.0.borrow_mut();
        contents.arrays.clear();
        for known in seen {
            contents.set(known)?;
        }
        contents.all = seen.to_vec();
        contents.seen = seen.len();
        Ok(())
    }

    pub fn object(&self, hierarchy: HierarchyId, id: i64) -> Option<VALUE> {
        self.0.borrow().objects.get(hierarchy.0 as usize)?.get(id)
    }

    pub fn array(&self, kind: ArrayKind, id: i64) -> Option<VALUE> {
        self.0.borrow().arrays.get(kind.0 as usize)?.get(id)
    }

    /// The column that has the places of the classes of a hierarchy.
    pub fn places(&self, inferred: &Inferred, hierarchy: HierarchyId) -> Result<Option<usize>, NoMemory> {
        let contents = &mut *self.0.borrow_mut();
        let known = of_number(&mut contents.places, hierarchy.0)?;
        if known.is_none() {
            let is_it = |buffer: &BufferInfo| buffer.kind == BufferKind::Places(hierarchy);
            *known = inferred.program.buffers.iter().position(is_it);
        }
        Ok(*known)
    }

    /// Where the arrays of a kind are.
    pub fn arrays(&self, inferred: &Inferred, kind: ArrayKind) -> Result<Option<OfArrays>, NoMemory> {
        let contents = &mut *self.0.borrow_mut();
        let known = of_number(&mut contents.kinds, kind.0)?;
        if known.is_none() {
            *known = OfArrays::new(inferred, kind);
        }
        Ok(*known)
    }

    /// Is an array or a Hash frozen?
    pub fn is_frozen(
        &self,
        inferred: &Inferred,
        columns: &[Column],
        kind: ArrayKind,
        id: i64,
    ) -> Result<bool, NoMemory> {
        let contents = &mut *self.0.borrow_mut();
        let known = of_number(&mut contents.frozen, kind.0)?;
        let is_it = |buffer: &BufferInfo| buffer.kind == BufferKind::FrozenArray(kind);
        let buffer = *known.get_or_insert_with(|| inferred.program.buffers.iter().position(is_it));
        let column = buffer.map(|buffer| &columns[buffer]);
        Ok(column.is_some_and(|column| (id as usize) < column.len() && column.bits(id as usize) & 1 != 0))
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

    /// Something is Ruby's now, and needs no filling. `seen`: Ruby may see it before the section ends.
    pub fn add(&self, known: Known, seen: bool) -> Result<(), NoMemory> {
        let contents = &mut *self.0.borrow_mut();
        contents.set(&known)?;
        if seen { fallible::push(&mut contents.all, known) } else { Ok(()) }
    }

    /// It is to be filled.
    pub fn fill_later(&self, empty: Empty) -> Result<(), NoMemory> {
        fallible::push(&mut self.0.borrow_mut().empty, empty)
    }

    /// The same of a Hash.
    pub fn fill_hash_later(&self, kind: ArrayKind, id: i64, hash: VALUE) -> Result<(), NoMemory> {
        fallible::push(&mut self.0.borrow_mut().hashes, (kind, id, hash))
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

    pub fn next_hash(&self) -> Option<(ArrayKind, i64, VALUE)> {
        self.0.borrow_mut().hashes.pop()
    }

    /// What is to be filled next.
    pub fn next(&self) -> Option<Empty> {
        self.0.borrow_mut().empty.pop()
    }
}
