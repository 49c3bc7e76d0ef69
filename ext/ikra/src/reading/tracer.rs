//! Tracing on demand: reads the instance variables and arrays that were asked for, of all objects found so far, and
//! finds more objects by that, until nothing is left to read.
//!
//! Nothing here runs Ruby code of the user, and apart from the first look at an unusual object nothing allocates.

use crate::reading::array_kinds::{ArrayKinds, Holder};
use crate::reading::base::{Base, Series, Snapshot, Source};
use crate::reading::batch;
use crate::reading::column_builder::{ColumnBuilder, Tags};
use crate::reading::decode::{Before, InOrder, Known};
use crate::reading::hashes;
use crate::reading::procs;
use crate::reading::strings::{self, Text};
use crate::reading::symbols::Symbols;
use crate::reading::variables::{Access, BLOCK, Orders, RANDOM_STATE};
use crate::reading::visited::{KEPT, Visited, VisitedSet};
use crate::vm::classes;
use crate::vm::column::{self, Memory};
use crate::vm::errors::Stop;
use crate::vm::gvl::or_defer;
use crate::vm::hash_layout;
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::{self, Pinned};
use crate::vm::value::{self, Decoded, decode};
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::TypedArray;
use ikra_core::heap::schema::{BaseColumn, Stored};
use ikra_core::infer::host::Contents;
use ikra_core::string_layout::{WORDS, words_outside};
use ikra_core::types::{
    ArrayKind, ClassId, Collection, HashDefault, HashPart, HashSort, HierarchyId, ItemType, Shape, Type,
    TypeSet,
};
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Ruby, Value};
use rb_sys::{ID, VALUE};
use rustc_hash::FxHashMap;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

/// Hashes of so many pairs at most share their keys.
const MOST_SHARED: usize = 16;
/// Hashes that are read so much later have their memory come: their own words, then their pairs.
const AHEAD: [(usize, bool); 2] = [(16, true), (8, false)];

/// An instance variable of a hierarchy, or a Struct's member.
#[derive(Clone, Debug)]
pub struct Variable {
    pub hierarchy: HierarchyId,
    pub name: String,
}

/// What is read: the part of the trace plan that says where to look.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub variables: Vec<Variable>,
    /// (index into `variables`, class)
    pub columns: Vec<(u32, ClassId)>,
    /// By kind: are its elements read?
    pub elements: Vec<bool>,
    pub kinds: ArrayKinds,
    /// Are the names of Symbols read?
    pub names: bool,
    /// The orders of instance variables that code was made for, by column.
    pub orders: FxHashMap<usize, Vec<Vec<ID>>>,
}

/// Elements of the arrays of a kind; `spans` are (offset, length) by row, for the rows read so far.
#[derive(Debug, Default)]
pub struct Elements {
    pub builder: ColumnBuilder,
    pub spans: Vec<(u32, u32)>,
    /// Of a kind of `Ikra::Column`s, in the place of what was read: where their items are.
    pub memories: Vec<Share>,
}

/// The memory of some columns, whose items begin in a kind's values at an offset.
#[derive(Debug)]
pub struct Share {
    pub memory: Arc<Memory>,
    /// What it held when it was met.
    pub array: TypedArray,
    pub offset: usize,
}

impl Elements {
    /// How many values there are.
    pub fn count(&self) -> usize {
        self.memories.last().map_or(self.builder.len(), |share| share.offset + share.array.len())
    }
}

/// What is there of a column of the base.
#[derive(Debug)]
pub enum BaseValues {
    /// What was read; whether some object stands in it more than once.
    Items(ColumnBuilder, bool),
    /// Objects of one class, at this place of its hierarchy, in the order of their rows, of which the builder has the type
    /// alone.
    InOrder(ColumnBuilder, HierarchyId, u32),
    /// An array, but nobody looks at its items.
    Unread,
    Series(Series),
    Memory(Snapshot),
}

impl BaseValues {
    /// What needs no reading.
    fn of_numbers(source: &Source, unread: bool) -> Self {
        match source {
            Source::Series(series) => Self::Series(*series),
            Source::Memory(_) | Source::Items(_) if unread => Self::Unread,
            Source::Memory(snapshot) => Self::Memory(snapshot.clone()),
            Source::Items(_) => unreachable!("items are read"),
        }
    }
}

/// Items of an array that are looked at as a sample.
const SAMPLE: usize = 8;
/// Elements of the base, what they hold, what that holds.
const SAMPLED_LEVELS: usize = 2;

/// An object or array that a section has made, and its row behind those that were read.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub value: VALUE,
    pub shape: Shape,
    pub row: u32,
}

/// What was met in a call before where there are references.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// By column, and by kind of arrays: of those that hold some.
    pub columns: Vec<Option<Before>>,
    pub elements: Vec<Option<Before>>,
    /// By number: those that are objects or arrays.
    pub roots: Vec<Option<Before>>,
    /// How many objects there are of each class, and arrays of each kind: in all, and in the base.
    pub all: [Vec<usize>; 2],
    pub in_base: [Vec<usize>; 2],
}

/// What is read was found in a call before. The lists of `Pinned` hold what is found by now; behind that, in memory that
/// they have, is what was found then.
#[derive(Debug, Default)]
pub(super) struct Recalled {
    pub words: Words,
    /// Some object is frozen.
    pub any_frozen: bool,
}

pub struct Tracer<'a> {
    pub(super) ruby: &'a Ruby,
    /// Ruby may change what is read, in the middle of the section: what is false now can be true then, and small numbers
    /// large.
    pub ruby_changes: bool,
    pub pinned: &'a Pinned,
    pub pool: Rc<ObjectPool>,
    pub asked: Asked,
    pub symbols: Symbols,
    visited: VisitedSet,
    /// The kinds of `Ikra::Column`s by the address of their memory.
    memories: FxHashMap<usize, ArrayKind>,
    /// Classes of objects by class pointer.
    pointers: FxHashMap<VALUE, ClassId>,
    /// Classes and modules that have been met as values.
    modules: FxHashMap<VALUE, ClassId>,
    places: Vec<Option<(HierarchyId, u32)>>,
    /// By column of the base.
    pub base: Vec<BaseValues>,
    /// The names of Symbols, by their numbers, if they are read: Strings.
    pub names: ColumnBuilder,
    /// Number of elements.
    pub length: usize,
    /// What was read, in the order of `asked.columns`.
    pub columns: Vec<ColumnBuilder>,
    /// How they are read, where reading has begun.
    pub(super) accesses: Vec<Option<Access>>,
    /// By kind.
    pub elements: Vec<Elements>,
    /// Counts joins: a reading that was under way during one starts again.
    pub(super) joins: u32,
    kinds_changed: bool,
    /// What a section has made, if it is read again in the middle.
    kept: Vec<(Shape, u32)>,
    /// How much had been found when the base was read.
    found_in_base: Option<[Vec<usize>; 2]>,
    /// The base is what it was, and nothing is looked up.
    pub(super) recalled: Option<Recalled>,
    /// The kinds of Hashes that the section leaves as they are, with those of their keys and values.
    pub unchanged: Vec<(ArrayKind, [ArrayKind; 2])>,
}

impl<'a> Tracer<'a> {
    /// `asked`: to be read from the beginning on. The pool says what its numbers stand for.
    pub fn new(ruby: &'a Ruby, pinned: &'a Pinned, pool: &Rc<ObjectPool>, asked: Asked) -> Self {
        pinned.forget_found();
        Self {
            ruby,
            ruby_changes: false,
            pinned,
            pool: pool.clone(),
            symbols: Symbols::new(pool.symbols()),
            visited: VisitedSet::default(),
            memories: FxHashMap::default(),
            pointers: FxHashMap::default(),
            modules: FxHashMap::default(),
            places: Vec::new(),
            base: Vec::new(),
            names: ColumnBuilder::default(),
            length: 0,
            columns: asked.columns.iter().map(|_| ColumnBuilder::default()).collect(),
            accesses: vec![None; asked.columns.len()],
            elements: (0..asked.kinds.len()).map(|_| Elements::default()).collect(),
            asked,
            joins: 0,
            kinds_changed: false,
            kept: Vec::new(),
            found_in_base: None,
            recalled: None,
            unchanged: Vec::new(),
        }
    }

    /// Finds what was found before, in the same order, before anything else: all of it has the numbers that it had. What
    /// the section has made is known when it is met, and not read.
    pub fn begin_with(&mut self, known: &Pinned, kept: &[Kept]) -> Result<(), Stop> {
        for (number, Kept { value, shape, row }) in (0..).zip(kept) {
            fallible::push(&mut self.kept, (*shape, *row))?;
            // It may have a singleton class by now.
            if let Shape::Object(_) = shape {
                self.class_of(*value)?;
            }
            self.visited.slot(*value)?.enter(Visited::Object(KEPT, number));
        }
        known.each_object(|value| {
            let class = self.class_of(value)?;
            let row = pinned::add(&mut self.pinned.found_mut().0, class.0, value)?;
            self.visited.slot(value)?.enter(Visited::Object(class, row));
            Ok::<_, Stop>(())
        })?;
        known.each_array(|kind, value| {
            // What is in Hashes is read anew with them.
            if self.asked.kinds.is_part(ArrayKind(kind)) {
                return Ok(());
            }
            // SAFETY: the object is live, as `known` marks it.
            let of = || column::of(unsafe { Value::from_raw(value) });
            if let Some(column) = self.asked.kinds.items(ArrayKind(kind)).and_then(|_| of()) {
                self.memories.insert(Arc::as_ptr(&column.memory) as usize, ArrayKind(kind));
            }
            self.enter_array(ArrayKind(kind), value)?;
            Ok::<_, Stop>(())
        })
    }

    /// Reads the base, before anything else, without the columns that nobody needs. Its elements are found, what they hold
    /// is not read yet.
    pub fn read_base(&mut self, base: &Base, unread: &[bool]) -> Result<(), Stop> {
        self.length = base.length as usize;
        for (number, source) in base.columns.iter().enumerate() {
            let values = match source {
                Source::Items(items) if unread[number] => {
                    self.length = items.len();
                    BaseValues::Unread
                }
                Source::Items(items) => {
                    let (mut builder, met) = (ColumnBuilder::default(), self.pinned.found());
                    self.read_array(items.as_raw(), 0, Holder::Base(number as u32), &mut builder)?;
                    self.length = builder.len();
                    let is_object = |tag: i32| tag >= Shape::Object(HierarchyId(0)).tag();
                    let objects = match &builder.tags {
                        Tags::None => 0,
                        Tags::All(tag) => usize::from(is_object(*tag)) * builder.len(),
                        Tags::Each(each) => each.iter().filter(|tag| is_object(**tag)).count(),
                    };
                    let repeats = objects > self.pinned.found() - met;
                    BaseValues::Items(builder, repeats)
                }
                Source::Series(_) | Source::Memory(_) => BaseValues::of_numbers(source, unread[number]),
            };
            self.base.push(values);
        }
        self.found_in_base = Some(self.pinned.counts());
        Ok(())
    }

    /// Takes over what was read of one column of the base in a call before. Of the others nothing is to be read.
    pub(super) fn take_base(
        &mut self,
        base: &Base,
        unread: &[bool],
        (own, values): (usize, BaseValues),
        words: Words,
    ) {
        let mut values = Some(values);
        for (number, source) in base.columns.iter().enumerate() {
            let column = match values.take_if(|_| number == own) {
                Some(values) => values,
                None => BaseValues::of_numbers(source, unread[number]),
            };
            self.base.push(column);
        }
        self.length = base.len() as usize;
        self.recalled = Some(Recalled { words, any_frozen: false });
    }

    /// How much of what has been found stands in the base, if classes, variables and arrays tell all that is read.
    pub(super) fn found_by_words(&self) -> Option<[Vec<usize>; 2]> {
        let is_plain = |class: ClassId| self.pointers.get(&self.pool.class(class)) == Some(&class);
        let classes = (0..self.pinned.classes()).map(|number| ClassId(number as u32));
        let mut met = classes.filter(|class| !self.pinned.objects(*class).is_empty());
        let mut kinds = (0..self.elements.len() as u32).filter(|kind| !self.pinned.arrays(*kind).is_empty());
        let is_plain = self.kept.is_empty()
            && self.joins == 0
            && !self.pinned.has_singletons()
            && self.names.len() == 0
            && met.all(is_plain)
            && kinds.all(|kind| self.asked.kinds.collection(ArrayKind(kind)).is_none())
            && self.accesses.iter().flatten().all(Access::is_flat);
        self.found_in_base.clone().filter(|_| is_plain)
    }

    /// Reads some elements of the base, and what is asked of them and of the objects that they hold: not all of that
    /// either, but what most tells objects of one kind from others.
    pub fn sample(&mut self, base: &Base, unread: &[bool]) -> Result<(), Stop> {
        self.length = base.length as usize;
        for (number, source) in base.columns.iter().enumerate() {
            let values = match source {
                Source::Items(_) if unread[number] => BaseValues::Unread,
                Source::Items(items) => {
                    let mut builder = ColumnBuilder::default();
                    self.sample_array(items.as_raw(), Holder::Base(number as u32), &mut builder)?;
                    BaseValues::Items(builder, false)
                }
                Source::Series(_) | Source::Memory(_) => BaseValues::of_numbers(source, unread[number]),
            };
            self.base.push(values);
        }
        let mut values = [value::NIL; BLOCK];
        for _ in 0..SAMPLED_LEVELS {
            for column in 0..self.asked.columns.len() {
                let class = self.asked.columns[column].1;
                let until = self.pinned.objects(class).len();
                if self.columns[column].len() < until {
                    self.read_block(column, class, until, &mut values)?;
                }
            }
            for kind in 0..self.asked.elements.len() {
                if self.asked.elements[kind] {
                    self.sample_elements(kind)?;
                }
            }
        }
        Ok(())
    }

    fn sample_elements(&mut self, kind: usize) -> Result<(), Stop> {
        if self.asked.kinds.collection(ArrayKind(kind as u32)).is_some() {
            return Ok(());
        }
        let mut elements = std::mem::take(&mut self.elements[kind]);
        let joins = self.joins;
        for _ in 0..SAMPLE {
            let Some(array) = self.pinned.array(kind as u32, elements.spans.len()) else { break };
            self.sample_array(array, Holder::Elements(ArrayKind(kind as u32)), &mut elements.builder)?;
            if self.joins != joins {
                return Ok(());
            }
            fallible::push(&mut elements.spans, (0, 0))?;
        }
        self.elements[kind] = elements;
        Ok(())
    }

    /// The first item of an array, the last one, and some between.
    fn sample_array(&mut self, array: VALUE, holder: Holder, into: &mut ColumnBuilder) -> Result<(), Stop> {
        let mut values = [value::NIL; SAMPLE];
        // SAFETY: the array is live (marked, or on the caller's stack), and nothing runs between asking for its length
        // and reading it.
        let count = unsafe {
            let items = value::items(array);
            let count = items.len().min(SAMPLE);
            for (number, value) in values[..count].iter_mut().enumerate() {
                *value = items[number * (items.len() - 1) / (count - 1).max(1)];
            }
            count
        };
        into.reserve(count)?;
        self.observe_all(&black_box(&mut values)[..count], holder, into)
    }

    /// Is all that was read as a tracer would read it that begins with the pool as it is now, and with all that has been
    /// asked?
    pub fn is_as_begun(&self) -> bool {
        self.joins == 0 && self.symbols.begin_with(&self.pool.symbols())
    }

    /// The type of a root and its payload, with an object's row instead of its id.
    pub fn read_root(&mut self, number: u32, root: VALUE) -> Result<ColumnBuilder, Stop> {
        if let Some(recalled) = &self.recalled
            && let Some(Some(before)) = recalled.words.roots.get(number as usize)
        {
            if before.words[0] != root {
                return Err(Stop::Forgotten);
            }
            let builder = before.read.try_clone()?;
            self.meet(&[&builder], 0)?;
            return Ok(builder);
        }
        let mut builder = ColumnBuilder::default();
        self.observe(root, Holder::Root(number), &mut builder)?;
        Ok(builder)
    }

    /// Asks for a variable of the objects of exactly `class`; gives the index of the column.
    pub fn ask_column(&mut self, hierarchy: HierarchyId, class: ClassId, name: &str) -> usize {
        let variables = &mut self.asked.variables;
        let at = variables.iter().position(|v| v.hierarchy == hierarchy && v.name == name);
        let variable = at.unwrap_or_else(|| {
            variables.push(Variable { hierarchy, name: name.into() });
            variables.len() - 1
        }) as u32;
        let asked = &mut self.asked.columns;
        asked.iter().position(|column| *column == (variable, class)).unwrap_or_else(|| {
            asked.push((variable, class));
            self.columns.push(ColumnBuilder::default());
            self.accesses.push(None);
            asked.len() - 1
        })
    }

    /// Asks for the bytes of Strings; gives the kind of their arrays of words, also where there are no Strings.
    pub fn ask_string_words(&mut self) -> ArrayKind {
        let hierarchy = self.pool.place(ClassId::STRING).0;
        let column = self.ask_column(hierarchy, ClassId::STRING, WORDS);
        let kind = self.asked.kinds.kind_or_new(self.holder(column), Some(Collection::Words));
        self.room_for(kind);
        self.ask_elements(kind)
    }

    pub fn ask_elements(&mut self, kind: ArrayKind) -> ArrayKind {
        let kind = self.asked.kinds.find(kind);
        let asked = &mut self.asked.elements;
        if asked.len() <= kind.0 as usize {
            asked.resize(kind.0 as usize + 1, false);
        }
        asked[kind.0 as usize] = true;
        kind
    }

    /// Asks for the names of Symbols; gives the hierarchy of Strings.
    pub fn ask_names(&mut self) -> HierarchyId {
        self.asked.names = true;
        self.pool.place(ClassId::STRING).0
    }

    /// The names of the Symbols met since this was called last. False: there are none.
    pub(super) fn read_names(&mut self) -> Result<bool, Stop> {
        let mut names = std::mem::take(&mut self.names);
        let known = names.len();
        while self.asked.names
            && let Some(symbol) = self.symbols.get(names.len() as i32)
        {
            // SAFETY: the Symbol is live, and keeps its name.
            self.object(unsafe { rb_sys::rb_sym2str(symbol) }, Holder::Made(u32::MAX), &mut names)?;
        }
        let any = names.len() > known;
        self.names = names;
        Ok(any)
    }

    /// A kind for arrays that are not there yet, or Hashes.
    pub fn made_kind(&mut self, number: u32, of: Option<Collection>) -> ArrayKind {
        let kind = self.asked.kinds.kind_or_new(Holder::Made(number), of);
        self.room_for(kind);
        kind
    }

    /// How a column is read.
    pub(super) fn access(&mut self, column: usize, class: ClassId) -> &mut Access {
        let name = &self.asked.variables[self.asked.columns[column].0 as usize].name;
        let known = || self.asked.orders.get(&column).cloned();
        self.accesses[column].get_or_insert_with(|| match known() {
            Some(known) => Access::Order(Orders::complete(known)),
            None => Access::new(self.ruby, self.pool.class(class), name),
        })
    }

    /// The orders of instance variables that were met in a column of such.
    pub fn orders(&self, column: usize) -> Option<&[Vec<ID>]> {
        match self.accesses.get(column)? {
            Some(Access::Order(orders)) => Some(orders.known()),
            _ => None,
        }
    }

    /// What has been asked, as later calls ask it.
    pub fn asked_once(&self) -> Asked {
        let orders =
            (0..self.columns.len()).filter_map(|number| Some((number, self.orders(number)?.to_vec())));
        Asked { orders: orders.collect(), ..self.asked.clone() }
    }

    /// Where arrays are met in the variable of a column.
    pub(super) fn holder(&self, column: usize) -> Holder {
        let variable = self.asked.columns[column].0;
        match self.asked.variables[variable as usize].name == RANDOM_STATE {
            true => Holder::State(variable),
            false => Holder::Column(variable),
        }
    }

    /// Reads a variable of the next objects, of those before `until`. `values` stands on the stack, for the garbage
    /// collector to see it.
    pub(super) fn read_block(
        &mut self,
        column: usize,
        class: ClassId,
        until: usize,
        values: &mut [VALUE; BLOCK],
    ) -> Result<(), Stop> {
        let variable = self.asked.columns[column].0;
        let mut builder = std::mem::take(&mut self.columns[column]);
        let pinned = self.pinned;
        let access = self.access(column, class);
        let count = {
            let objects = &pinned.objects(class)[builder.len()..until];
            builder.reserve(objects.len())?;
            let block = &objects[..objects.len().min(batch::sizes().block)];
            // SAFETY: the objects are live: they are marked in `pinned`. They were listed as instances of the class.
            unsafe { access.read(block, &mut values[..block.len()]) };
            block.len()
        };
        let is_words = matches!(access, Access::Text(Text::Words));
        let values = &black_box(values)[..count];
        let outcome = match is_words {
            true => self.list_words(values, self.holder(column), &mut builder),
            false => self.observe_all(values, self.holder(column), &mut builder),
        };
        self.columns[column] = builder;
        match outcome {
            Err(Stop::Overflow(_)) => Err(Stop::Overflow(format!(
                "{} of {}",
                self.asked.variables[variable as usize].name,
                self.pool.name(class)
            ))),
            done => done,
        }
    }

    /// Lists Strings, whose bytes are then read as arrays of words.
    fn list_words(
        &mut self,
        strings: &[VALUE],
        holder: Holder,
        into: &mut ColumnBuilder,
    ) -> Result<(), Stop> {
        let kind = self.asked.kinds.kind_or_new(holder, Some(Collection::Words));
        self.room_for(kind);
        for string in strings {
            let row = self.pinned.add_array(kind.0, *string)?;
            into.push_array(kind, row);
        }
        Ok(into.reserve(0)?)
    }

    /// The bytes of the Strings of a kind.
    pub(super) fn read_words(&mut self, kind: usize) -> Result<(), Stop> {
        let Elements { builder, spans, .. } = &mut self.elements[kind];
        let strings = self.pinned.arrays(kind as u32);
        let strings = &strings[spans.len()..];
        // SAFETY: listed Strings are live, and nothing runs meanwhile.
        let counts = strings.iter().map(|string| words_outside(unsafe { strings::bytes(*string) }.len()));
        builder.reserve(counts.sum())?;
        fallible::reserve(spans, strings.len())?;
        for string in strings {
            // SAFETY: as above.
            let bytes = unsafe { strings::bytes(*string) };
            let (offset, count) = (builder.len(), words_outside(bytes.len()));
            builder.push_words(strings::words(bytes));
            // What has no numbers so is told when all is read.
            fallible::push(spans, (offset as u32, count as u32))?;
        }
        Ok(builder.reserve(0)?)
    }

    /// What is known of the values that are met at a place.
    pub(super) fn known(&self, holder: Holder) -> Known<'_> {
        Known {
            visited: &self.visited,
            pointers: &self.pointers,
            modules: &self.modules,
            places: &self.places,
            symbols: &self.symbols,
            kind: self.asked.kinds.kind(holder),
            // SAFETY: variables that Ruby sets before it loads anything.
            array: unsafe { rb_sys::rb_cArray },
            hash: (
                // SAFETY: as above.
                unsafe { rb_sys::rb_cHash },
                self.asked.kinds.kind_of(holder, Some(Collection::Hash(HashSort::PLAIN))),
            ),
            // SAFETY: as above.
            float: (unsafe { rb_sys::rb_cFloat }, value::heap_float),
            is_recalled: self.recalled.is_some(),
            before: self.before(holder),
        }
    }

    /// Reads values, of which `into` has room for at least as many. What is known is decoded without anything of Ruby.
    pub(super) fn observe_all(
        &mut self,
        values: &[VALUE],
        holder: Holder,
        into: &mut ColumnBuilder,
    ) -> Result<(), Stop> {
        let mut rest = values;
        while !rest.is_empty() {
            let count = {
                let known = self.known(holder);
                let (mut objects, mut arrays) = self.pinned.found_mut();
                let mut enter = InOrder { objects: &mut objects, arrays: &mut arrays };
                into.append(rest.len(), |part| known.decode(rest, part, &mut enter))?
            };
            rest = &rest[count..];
            if let Some((first, others)) = rest.split_first() {
                self.observe(*first, holder, into)?;
                rest = others;
            }
        }
        Ok(into.reserve(0)?)
    }

    /// What elements of arrays were before, if there were references among them.
    fn before(&self, holder: Holder) -> Option<&Before> {
        let Holder::Elements(kind) = holder else { return None };
        self.recalled.as_ref()?.words.elements.get(kind.0 as usize)?.as_ref()
    }

    pub(super) fn observe(
        &mut self,
        value: VALUE,
        holder: Holder,
        into: &mut ColumnBuilder,
    ) -> Result<(), Stop> {
        if self.recalled.is_some() {
            let is_known = self.before(holder).is_none_or(|before| before.lets_in(into.len()));
            if !is_known || matches!(decode(value), Decoded::Array | Decoded::Object | Decoded::Huge) {
                return Err(Stop::Forgotten);
            }
        }
        match decode(value) {
            Decoded::Integer(number) => into.push_integer(number),
            Decoded::Float(number) => into.push_float(number),
            Decoded::Nil => into.push_nil(),
            Decoded::Bool(truth) => into.push_bool(truth),
            Decoded::Symbol(symbol) => into.push_symbol(self.symbols.number(self.pinned, symbol)?),
            Decoded::Array => self.array(value, holder, into)?,
            Decoded::Object | Decoded::Huge => self.object(value, holder, into)?,
        }
        Ok(())
    }

    fn object(&mut self, value: VALUE, holder: Holder, into: &mut ColumnBuilder) -> Result<(), Stop> {
        let (class, row) = match self.visited.get(value) {
            Some(Visited::Object(KEPT, number)) => {
                let (shape, row) = self.kept[number as usize];
                into.push_kept(shape, row);
                return Ok(());
            }
            Some(Visited::Object(class, row)) => (class, row),
            Some(Visited::Array(kind, _)) => {
                match self.asked.kinds.collection(kind) {
                    Some(Collection::Column(_)) => self.column_object(value, holder, into)?,
                    Some(Collection::Hash(sort)) => self.hash(value, sort, holder, into)?,
                    None | Some(Collection::Words) => self.array(value, holder, into)?,
                }
                return Ok(());
            }
            None if value::is_module(value) => {
                let module = self.pool.find(value).ok_or(Stop::Misfit)?;
                self.modules.insert(value, module);
                into.push_module(module);
                return Ok(());
            }
            None => {
                let class = self.class_of(value)?;
                if class == ClassId::ARRAY {
                    return Ok(self.array(value, holder, into)?);
                }
                if class == ClassId::COLUMN {
                    return Ok(self.column_object(value, holder, into)?);
                }
                if class == ClassId::HASH {
                    return Ok(self.hash(value, hashes::sort(self.ruby, &self.pool, value), holder, into)?);
                }
                let row = pinned::add(&mut self.pinned.found_mut().0, class.0, value)?;
                self.visited.slot(value)?.enter(Visited::Object(class, row));
                (class, row)
            }
        };
        let (hierarchy, place) = self.place(class)?;
        into.push_object(hierarchy, class, place, row);
        Ok(())
    }

    fn array(&mut self, value: VALUE, holder: Holder, into: &mut ColumnBuilder) -> Result<(), NoMemory> {
        let (kind, row) = match self.visited.get(value) {
            Some(Visited::Object(_, number)) => {
                let (shape, row) = self.kept[number as usize];
                into.push_kept(shape, row);
                return Ok(());
            }
            Some(Visited::Array(kind, row)) if self.asked.kinds.kind(holder) == Some(kind) => (kind, row),
            Some(Visited::Array(kind, _)) => {
                self.join(holder, kind)?;
                match self.visited.get(value) {
                    Some(Visited::Array(kind, row)) => (kind, row),
                    _ => unreachable!("an array stays an array"),
                }
            }
            _ => {
                let kind = self.asked.kinds.kind_or_new(holder, None);
                (kind, self.enter_array(kind, value)?)
            }
        };
        into.push_array(kind, row);
        Ok(())
    }

    /// Lists an array or column of a kind; gives its row.
    fn enter_array(&mut self, kind: ArrayKind, value: VALUE) -> Result<u32, NoMemory> {
        self.room_for(kind);
        let row = self.pinned.add_array(kind.0, value)?;
        self.visited.slot(value)?.enter(Visited::Array(kind, row));
        Ok(row)
    }

    /// An `Ikra::Column`. Those that share memory are of one kind, wherever they are met.
    fn column_object(
        &mut self,
        value: VALUE,
        holder: Holder,
        into: &mut ColumnBuilder,
    ) -> Result<(), NoMemory> {
        // SAFETY: the object was just read from a live one.
        let column = column::of(unsafe { Value::from_raw(value) }).expect("a column of its class");
        let items = Some(Collection::Column(column.ty));
        if self.visited.get(value).is_none() {
            let address = Arc::as_ptr(&column.memory) as usize;
            let kind = match self.memories.get(&address) {
                Some(kind) => self.asked.kinds.find(*kind),
                None => self.asked.kinds.kind_or_new(holder, items),
            };
            self.memories.insert(address, kind);
            self.enter_array(kind, value)?;
        }
        let met = |this: &Self| match this.visited.get(value) {
            Some(Visited::Array(kind, row)) => (kind, row),
            _ => unreachable!("a column stays one"),
        };
        let (kind, _) = met(self);
        if self.asked.kinds.kind_of(holder, items) != Some(kind) {
            self.join(holder, kind)?;
        }
        let (kind, row) = met(self);
        into.push_collection(kind, Collection::Column(column.ty), row);
        Ok(())
    }

    /// A Hash. What it holds is read when it is asked for.
    fn hash(
        &mut self,
        value: VALUE,
        sort: HashSort,
        holder: Holder,
        into: &mut ColumnBuilder,
    ) -> Result<(), NoMemory> {
        let of = Collection::Hash(sort);
        if self.visited.get(value).is_none() {
            let kind = self.asked.kinds.kind_or_new(holder, Some(of));
            self.enter_array(kind, value)?;
        }
        let met = |this: &Self| match this.visited.get(value) {
            Some(Visited::Array(kind, row)) => (kind, row),
            _ => unreachable!("a Hash stays one"),
        };
        let (kind, _) = met(self);
        if self.asked.kinds.kind_of(holder, Some(of)) != Some(kind) {
            self.join(holder, kind)?;
        }
        let (kind, row) = met(self);
        into.push_collection(kind, of, row);
        Ok(())
    }

    /// The default block of the first Hash of a kind, or nil, and whether it is that of all.
    pub fn default_block(&self, kind: ArrayKind) -> (VALUE, bool) {
        let kind = self.asked.kinds.find(kind);
        let hashes = self.pinned.arrays(kind.0);
        let mut blocks = hashes.iter().map(|hash| hashes::default_block(self.ruby, *hash));
        let first = blocks.next().unwrap_or(value::NIL);
        (first, blocks.all(|block| block == first))
    }

    /// The kind of the arrays that are parts of the Hashes of a kind.
    pub fn hash_part(&mut self, kind: ArrayKind, part: HashPart) -> ArrayKind {
        let kind = self.ask_elements(kind);
        let part = self.asked.kinds.kind_or_new(Holder::Part(kind, part), None);
        self.room_for(part);
        part
    }

    /// What Hashes of a kind have for the section alone, where it changes them: slots, and other defaults. Nothing is in
    /// either at first.
    pub fn make_own_parts(&mut self, kind: ArrayKind) -> Result<(), Stop> {
        for part in [HashPart::Slots, HashPart::Given] {
            let Some(part) = self.asked.kinds.kind(Holder::Part(kind, part)) else { continue };
            self.room_for(part);
            let there = self.pinned.arrays(part.0).len();
            for _ in there..self.elements[kind.0 as usize].spans.len() {
                self.pinned.add_array(part.0, hashes::array(0)?)?;
            }
        }
        Ok(())
    }

    /// Lists what the Hashes of a kind hold, as arrays. Other threads may change a Hash, so all is taken at once.
    pub(super) fn read_hashes(&mut self, kind: usize, sort: HashSort) -> Result<(), Stop> {
        let kind = ArrayKind(kind as u32);
        if let Some((_, parts)) = self.unchanged.iter().find(|(of, _)| *of == kind) {
            return self.read_pairs(kind, *parts);
        }
        let parts = [HashPart::Keys, HashPart::Values, HashPart::Default];
        let parts = parts.map(|part| self.hash_part(kind, part).0);
        let mut scratch = Default::default();
        while let Some(hash) = self.pinned.array(kind.0, self.elements[kind.0 as usize].spans.len()) {
            let next = self.elements[kind.0 as usize].spans.len();
            for (ahead, own) in AHEAD {
                if let Some(later) = self.pinned.array(kind.0, next + ahead) {
                    // SAFETY: listed Hashes are live.
                    unsafe { hash_layout::prefetch(later, own) };
                }
            }
            let [keys, values] = hashes::contents(hash, &mut scratch)?;
            self.pinned.add_array(parts[0], keys)?;
            self.pinned.add_array(parts[1], values)?;
            if sort.default == HashDefault::Value {
                self.pinned.add_array(parts[2], hashes::default_alone(self.ruby, hash)?)?;
            }
            fallible::push(&mut self.elements[kind.0 as usize].spans, (0, 0))?;
        }
        self.make_own_parts(kind)
    }

    /// The same of Hashes that the section leaves as they are: what they hold goes straight into the columns, some Hashes
    /// at a time, and nothing is listed for it. Those that have the very keys of the one before, as records have, share
    /// its keys in the column, and its place in the index of keys.
    fn read_pairs(&mut self, kind: ArrayKind, parts: [ArrayKind; 2]) -> Result<(), Stop> {
        let (number, joins) = (kind.0 as usize, self.joins);
        let [keys_asked, values_asked] =
            parts.map(|part| self.asked.elements.get(part.0 as usize) == Some(&true));
        let [mut keys, mut values] = parts.map(|part| std::mem::take(&mut self.elements[part.0 as usize]));
        let (mut of_keys, mut of_values) = ([value::NIL; BLOCK], [value::NIL; BLOCK]);
        // On the stack, so that no other object takes the place of one.
        let mut last = [value::NIL; MOST_SHARED];
        let mut last_count = usize::MAX;
        let mut scratch = Default::default();
        self.make_room_for_pairs(kind, [&mut keys, &mut values])?;
        let first = self.elements[number].spans.len();
        let mut next = first;
        loop {
            let (mut key_count, mut value_count, mut read) = (0, 0, 0);
            let mut long = None;
            {
                let hashes = self.pinned.arrays(kind.0);
                let starts = [keys.builder.len(), values.builder.len()];
                for (index, hash) in hashes.iter().enumerate().skip(next) {
                    for (ahead, own) in AHEAD {
                        if let Some(later) = hashes.get(index + ahead) {
                            // SAFETY: listed Hashes are live.
                            unsafe { hash_layout::prefetch(*later, own) };
                        }
                    }
                    // SAFETY: as above.
                    let size = unsafe { rb_sys::rb_hash_size_num(*hash) } as usize;
                    if size > BLOCK - key_count.max(value_count) {
                        long = (read == 0).then_some(*hash);
                        break;
                    }
                    let mut at = 0;
                    let mut same = size == last_count;
                    let pair = |key, item| {
                        same = same && last[at] == key;
                        of_keys[key_count + at] = key;
                        of_values[value_count + at] = item;
                        at += 1;
                    };
                    // SAFETY: as above; nothing of Ruby runs, and there are as many pairs as the Hash says.
                    unsafe { hash_layout::each_pair(*hash, pair) };
                    fallible::push(&mut values.spans, ((starts[1] + value_count) as u32, size as u32))?;
                    value_count += size;
                    read += 1;
                    if same && let Some(span) = keys.spans.last().copied() {
                        fallible::push(&mut keys.spans, span)?;
                        continue;
                    }
                    fallible::push(&mut keys.spans, ((starts[0] + key_count) as u32, size as u32))?;
                    last_count = if size > MOST_SHARED { usize::MAX } else { size };
                    if size <= MOST_SHARED {
                        last[..size].copy_from_slice(&of_keys[key_count..key_count + size]);
                    }
                    key_count += size;
                }
            }
            if let Some(hash) = long {
                let [all_keys, all_values] = black_box(hashes::contents(hash, &mut scratch)?);
                for (elements, all, part, is_asked) in [
                    (&mut keys, all_keys, parts[0], keys_asked),
                    (&mut values, all_values, parts[1], values_asked),
                ] {
                    // SAFETY: it was just made, and is on the stack.
                    let count = unsafe { value::items(all) }.len();
                    fallible::push(&mut elements.spans, (elements.builder.len() as u32, count as u32))?;
                    if is_asked {
                        self.read_array(all, 0, Holder::Elements(part), &mut elements.builder)?;
                    }
                }
                black_box([all_keys, all_values]);
                (last_count, read) = (usize::MAX, 1);
            } else if read == 0 {
                break;
            } else {
                black_box(&mut last);
                let of_keys = &black_box(&mut of_keys)[..key_count];
                let of_values = &black_box(&mut of_values)[..value_count];
                if keys_asked {
                    keys.builder.reserve(key_count)?;
                    self.observe_all(of_keys, Holder::Elements(parts[0]), &mut keys.builder)?;
                }
                if values_asked {
                    values.builder.reserve(value_count)?;
                    self.observe_all(of_values, Holder::Elements(parts[1]), &mut values.builder)?;
                }
            }
            if self.joins != joins {
                // The plan that says what is unchanged is not for these.
                return Err(Stop::Misfit);
            }
            next += read;
        }
        fallible::resize(&mut self.elements[number].spans, next, (0, 0))?;
        for (part, elements) in parts.into_iter().zip([keys, values]) {
            self.elements[part.0 as usize] = elements;
            self.pinned.add_nothing(part.0, next - first)?;
        }
        Ok(())
    }

    /// Most Hashes of a kind have as many pairs as the next one: memory for these, which need not grow then.
    fn make_room_for_pairs(&self, kind: ArrayKind, parts: [&mut Elements; 2]) -> Result<(), NoMemory> {
        let next = self.elements[kind.0 as usize].spans.len();
        let Some(hash) = self.pinned.array(kind.0, next) else { return Ok(()) };
        let rows = self.pinned.arrays(kind.0).len() - next;
        // SAFETY: listed Hashes are live.
        let size = unsafe { rb_sys::rb_hash_size_num(hash) } as usize;
        let [keys, values] = parts;
        if size <= MOST_SHARED {
            values.builder.reserve(size * rows)?;
        }
        fallible::reserve(&mut keys.spans, rows)?;
        fallible::reserve(&mut values.spans, rows)
    }

    fn room_for(&mut self, kind: ArrayKind) {
        if self.elements.len() <= kind.0 as usize {
            self.elements.resize_with(kind.0 as usize + 1, Elements::default);
        }
    }

    /// Where the items of the columns of a kind are.
    pub(super) fn read_memories(&mut self, kind: usize) -> Result<(), NoMemory> {
        let mut elements = std::mem::take(&mut self.elements[kind]);
        let mut offsets: FxHashMap<usize, usize> = FxHashMap::default();
        for share in &elements.memories {
            offsets.insert(Arc::as_ptr(&share.memory) as usize, share.offset);
        }
        let columns = self.pinned.arrays(kind as u32);
        for value in &columns[elements.spans.len()..] {
            // SAFETY: listed columns are live.
            let column = column::of(unsafe { Value::from_raw(*value) }).expect("a column of its class");
            let end = elements.count();
            let offset = *offsets.entry(Arc::as_ptr(&column.memory) as usize).or_insert(end);
            if offset == end {
                let (memory, array) = (column.memory.clone(), column.memory.snapshot());
                fallible::push(&mut elements.memories, Share { memory, array, offset })?;
            }
            let start = offset + column.start;
            // What has no numbers so is told when all is read.
            fallible::push(&mut elements.spans, (start as u32, column.length as u32))?;
        }
        drop(columns);
        self.elements[kind] = elements;
        Ok(())
    }

    /// The kind of the columns that share this memory, if there are any.
    pub fn kind_of_memory(&self, memory: &Arc<Memory>) -> Option<ArrayKind> {
        self.memories.get(&(Arc::as_ptr(memory) as usize)).map(|kind| self.asked.kinds.find(*kind))
    }

    fn join(&mut self, holder: Holder, kind: ArrayKind) -> Result<(), NoMemory> {
        let joins = self.asked.kinds.meet(holder, kind);
        // What Hashes hold is listed anew, in the order that they are in by then.
        for (kept, dropped) in &joins {
            if self.asked.kinds.is_part(*kept) {
                self.pinned.forget_arrays(kept.0);
                self.pinned.forget_arrays(dropped.0);
            }
            if let Some(Collection::Hash(_)) = self.asked.kinds.collection(*kept) {
                for part in HashPart::ALL {
                    if let Some(part) = self.asked.kinds.kind(Holder::Part(*kept, part)) {
                        self.pinned.forget_arrays(part.0);
                        self.elements[part.0 as usize] = Elements::default();
                    }
                }
            }
        }
        for (kept, dropped) in joins {
            for (array, row) in self.pinned.move_arrays(dropped.0, kept.0)? {
                self.visited.slot(array)?.enter(Visited::Array(kept, row));
            }
            let was_asked = |asked: &[bool], kind: ArrayKind| asked.get(kind.0 as usize) == Some(&true);
            if was_asked(&self.asked.elements, dropped) {
                self.asked.elements[dropped.0 as usize] = false;
                self.ask_elements(kept);
            }
            self.elements[kept.0 as usize] = Elements::default();
            self.elements[dropped.0 as usize] = Elements::default();
            self.joins += 1;
            self.kinds_changed = true;
        }
        Ok(())
    }

    fn class_of(&mut self, object: VALUE) -> Result<ClassId, Stop> {
        // SAFETY: the object was just read from a live one.
        let pointer = unsafe { value::class_pointer(object) };
        if let Some(class) = self.pointers.get(&pointer) {
            return Ok(*class);
        }
        // SAFETY: as above.
        let (class, singleton) = unsafe { classes::of_instance(object) };
        let mut class = self.pool.find(class).ok_or(Stop::Misfit)?;
        // Others are no objects.
        if class == ClassId::INTEGER {
            class = ClassId::BIG_INTEGER;
        }
        if matches!(class, ClassId::PROC | ClassId::METHOD) {
            let found = procs::class_of(self.ruby, &self.pool, self.pinned, class, object);
            class = or_defer(found, Some(class)).ok_or(Stop::Misfit)?;
        }
        if let Some(singleton) = singleton {
            self.pinned.add_singleton(class, singleton)?;
        }
        // A singleton class may die and another take its address; a class with a number stays. Classes whose instances
        // may be no objects here (Float, Array, Integer) are not entered.
        let no_objects = [
            ClassId::COLUMN,
            ClassId::ARRAY,
            ClassId::HASH,
            ClassId::FLOAT,
            ClassId::INTEGER,
            ClassId::BIG_INTEGER,
            ClassId::SYMBOL,
        ];
        let plain = !no_objects.contains(&class) && !self.pool.is_callable(class);
        if plain && self.pool.class(class) == pointer {
            self.pointers.insert(pointer, class);
        }
        Ok(class)
    }

    fn place(&mut self, class: ClassId) -> Result<(HierarchyId, u32), Stop> {
        let index = class.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        if let Some(place) = self.places[index] {
            return Ok(place);
        }
        let place = self.pool.find_place(class).ok_or(Stop::Misfit)?;
        Ok(*self.places[index].insert(place))
    }

    /// What a column holds so far.
    pub fn column(&self, column: usize) -> Contents {
        self.contents(&self.columns[column])
    }

    fn contents(&self, values: &ColumnBuilder) -> Contents {
        let mut found = values.seen().clone();
        found.follow(&self.asked.kinds);
        let types = found.types();
        if !self.ruby_changes {
            return Contents { types, integers_fit_i32: found.narrow() };
        }
        let is_bool = types.contains(&Type::True) || types.contains(&Type::False);
        let types = if is_bool { types.union(&TypeSet::bool()) } else { types };
        Contents { types, integers_fit_i32: false }
    }

    pub fn kind_contents(&self, kind: ArrayKind) -> Contents {
        let kind = self.asked.kinds.find(kind);
        if let Some(items) = self.asked.kinds.items(kind) {
            return Contents { types: items.types(), integers_fit_i32: items == ItemType::Int32 };
        }
        let Some(elements) = self.elements.get(kind.0 as usize) else { return Contents::default() };
        self.contents(&elements.builder)
    }

    /// The columns of the base.
    pub fn base_columns(&self) -> Vec<BaseColumn> {
        let column = |values: &BaseValues| match values {
            BaseValues::Items(builder, _) | BaseValues::InOrder(builder, ..) => {
                let mut found = builder.seen().clone();
                found.follow(&self.asked.kinds);
                BaseColumn::Items(Stored::read_only(found.types(), || found.narrow()))
            }
            BaseValues::Unread => BaseColumn::Unread,
            BaseValues::Memory(Snapshot { array, .. }) => BaseColumn::Items(Stored::items(array.ty())),
            BaseValues::Series(series) if series.is_index() => BaseColumn::Index,
            BaseValues::Series(series) => BaseColumn::Series { narrow: series.is_narrow(self.length) },
        };
        self.base.iter().map(column).collect()
    }

    /// A root's type with the kind it is of now.
    pub fn root_type(&self, number: u32, ty: &Type) -> Type {
        let kind = |of| self.asked.kinds.kind_of(Holder::Root(number), of);
        match (ty, ty.collection()) {
            (Type::Array(met), _) => Type::Array(kind(None).unwrap_or(*met)),
            (_, Some((met, of))) => of.of_kind(kind(Some(of)).unwrap_or(met)),
            _ => ty.clone(),
        }
    }

    pub fn kinds_changed(&mut self) -> bool {
        std::mem::take(&mut self.kinds_changed)
    }

    pub fn any_frozen(&self, hierarchy: HierarchyId) -> bool {
        // All of them were looked at.
        if self.recalled.as_ref().is_some_and(|recalled| !recalled.any_frozen) {
            return false;
        }
        let classes = self.pool.of_hierarchy(hierarchy);
        classes.into_iter().any(|class| batch::any_frozen(&self.pinned.objects(class)))
    }

    pub fn any_frozen_array(&self, kind: ArrayKind) -> bool {
        if self.recalled.as_ref().is_some_and(|recalled| !recalled.any_frozen) {
            return false;
        }
        let kind = self.asked.kinds.find(kind);
        batch::any_frozen(&self.pinned.arrays(kind.0))
    }

    /// What this object is, if it was met (anywhere but as the base).
    pub fn met(&self, object: VALUE) -> Option<Visited> {
        if self.recalled.is_some() {
            return self.met_again(object);
        }
        self.visited.get(object)
    }

    /// The same without the visited set.
    fn met_again(&self, object: VALUE) -> Option<Visited> {
        if rb_sys::SPECIAL_CONST_P(object) {
            return None;
        }
        // SAFETY: who asks has the object.
        let pointer = unsafe { value::class_pointer(object) };
        let row = |list: &[VALUE]| list.iter().position(|other| *other == object).map(|row| row as u32);
        let classes = (0..self.pinned.classes() as u32).map(ClassId);
        let mut objects = classes.filter(|class| self.pool.class(*class) == pointer);
        let mut kinds = (0..self.elements.len() as u32).map(ArrayKind);
        objects
            .find_map(|class| Some(Visited::Object(class, row(&self.pinned.objects(class))?)))
            .or_else(|| kinds.find_map(|kind| Some(Visited::Array(kind, row(&self.pinned.arrays(kind.0))?))))
    }
}
