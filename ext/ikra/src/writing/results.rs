//! Results that are arrays or objects: what the words that an element has written stand for.
//!
//! Where one array or object may stand in a result several times (`infer/evacuation.rs`), what is referred to is made
//! empty when it is met first, remembered by the word where it begins, and filled later, so that depth is no recursion.

use crate::reading::variables::BLOCK;
use crate::vm::errors::Trouble;
use crate::vm::integers;
use crate::vm::value;
use crate::writing::born::Pairs;
use crate::writing::decoder::{Decoder, append, immediate};
use crate::writing::objects::{self, Maker, Order, Whole};
use crate::writing::strings::make;
use ikra_core::error::Error;
use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::heap::Column;
use ikra_core::heap::schema::Output;
use ikra_core::infer::{ARRAY_HEADER, LIST_FROZEN, is_plain, is_shared, width};
use ikra_core::ir::BufferKind;
use ikra_core::string_layout::row_of_string;
use ikra_core::types::{ClassId, ListKind, RangeEnd, RecordType, Shape, Type, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{RArray, RHash, Value, prelude::*};
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ffi::c_long;
use std::hint::black_box;
use std::rc::Rc;

/// So many items of an array are made at a time.
const ITEMS: usize = 16;

/// How a value lies in words. It is the same for all elements, so it is found out once.
struct Encoding {
    kind: Kind,
    width: usize,
}

enum Kind {
    /// The items side by side.
    Tuple(Vec<Encoding>),
    /// An object: its variables side by side.
    Record(Rc<Maker>, Vec<Encoding>),
    /// Where the length is, with the items behind it.
    List(ListKind),
    /// Where the array or object begins that may be met several times.
    Reference,
    /// A Hash: where its keys are, where its values are, and its defaults.
    Hash(ListKind, ListKind, Box<Defaults>),
    Module(ClassId),
    /// A Range: its ends where it has them, and whether the last one does not belong to it.
    Range(Option<Box<Encoding>>, Option<Box<Encoding>>, bool),
    /// A lambda or proc of this number.
    Proc(u32),
    /// One that is told from others of its number by the array that it has taken along.
    IdentifiedProc(u32, Box<Encoding>),
    /// The payload, or for nil nothing.
    One(Shape),
    /// A tag and the payload; behind them what has no payload of its own.
    Tagged {
        list: Option<ListKind>,
        local: Option<Box<Encoding>>,
        /// Lists and objects are references.
        shared: bool,
    },
}

/// What a Hash gives for a key that it has not: what it was made with, and a list of what it was given later.
struct Defaults {
    own: Encoding,
    given: Option<Encoding>,
}

/// The encodings of lists' items, by the kind of the list, and of objects: of those that a result can hold.
struct Encodings<'a> {
    decoder: &'a Decoder<'a>,
    shared: bool,
    met: Vec<bool>,
    items: Vec<Option<Encoding>>,
    objects: FxHashMap<ClassId, Option<Encoding>>,
}

impl Encodings<'_> {
    fn of(&mut self, types: &TypeSet) -> Result<Encoding, Error> {
        let kind = match (types.single(), types.single_shape()) {
            (Some(Type::Tuple(items)), _) => {
                Kind::Tuple(items.iter().map(|item| self.of(item)).collect::<Result<_, _>>()?)
            }
            (Some(Type::Record(record)), _) if record.is_hash() => {
                let list = |part: usize| match record.fields[part].1.single() {
                    Some(Type::List(kind)) => Ok(*kind),
                    _ => Err(Error::Internal("a Hash without lists".into())),
                };
                let (keys, values) = (list(0)?, list(1)?);
                let own = self.of(&record.fields[3].1)?;
                let given = record.fields.get(4).map(|(_, types)| self.of(types)).transpose()?;
                Kind::Hash(self.list(keys)?, self.list(values)?, Box::new(Defaults { own, given }))
            }
            (Some(ty @ Type::Record(record)), _) if ty.is_text_range() => {
                let [low, high] = [0, 1].map(|end| self.of(&record.fields[end].1));
                let exclusive = record.fields[1].0 == RecordType::TEXTS[2];
                Kind::Range(Some(Box::new(low?)), Some(Box::new(high?)), exclusive)
            }
            (Some(Type::Range { exclusive, low, high }), _) => {
                Kind::Range(end_of_range(*low), end_of_range(*high), *exclusive)
            }
            (Some(Type::Record(record)), _) => self.object(record.class, &record.fields)?,
            (Some(Type::List(kind)), _) if !self.shared => Kind::List(self.list(*kind)?),
            (_, Some(Shape::List | Shape::Made)) => {
                types.iter().try_for_each(|ty| self.reference(ty))?;
                Kind::Reference
            }
            (Some(Type::Module(class)), _) => Kind::Module(*class),
            (Some(Type::Proc(number)), _) => Kind::Proc(*number),
            (Some(Type::Closure(number, along)), _) => {
                let token = along.first().ok_or_else(|| Error::Internal("a lambda like others".into()))?;
                Kind::IdentifiedProc(*number, Box::new(self.of(token)?))
            }
            (Some(_), Some(Shape::Local)) => {
                return Err(Error::Internal("a result that no value stands for".into()));
            }
            (_, Some(shape)) if shape != Shape::Local => Kind::One(shape),
            _ => {
                let (mut list, mut local) = (None, None);
                for ty in types {
                    match ty {
                        Type::List(_) | Type::Made(_) if self.shared => self.reference(ty)?,
                        Type::List(kind) => list = Some(self.list(*kind)?),
                        ty if ty.shape() == Shape::Local => {
                            local = Some(Box::new(self.of(&ty.clone().into())?))
                        }
                        _ => {}
                    }
                }
                Kind::Tagged { list, local, shared: self.shared }
            }
        };
        Ok(Encoding { kind, width: width(types) })
    }

    /// Finds out about a kind of lists, whose items may be lists of the same kind.
    fn list(&mut self, kind: ListKind) -> Result<ListKind, Error> {
        let at = kind.0 as usize;
        if !std::mem::replace(&mut self.met[at], true) {
            self.items[at] = Some(self.of(&self.decoder.schema().lists[at])?);
        }
        Ok(kind)
    }

    fn object(&mut self, class: ClassId, variables: &[(String, TypeSet)]) -> Result<Kind, Error> {
        let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
        let maker = Rc::new(Maker::new(self.decoder.ruby, &self.decoder.heap.pool, class, &names)?);
        let parts = variables.iter().map(|(_, types)| self.of(types)).collect::<Result<_, _>>()?;
        Ok(Kind::Record(maker, parts))
    }

    /// Finds out about what a reference may lead to.
    fn reference(&mut self, ty: &Type) -> Result<(), Error> {
        match ty {
            Type::List(kind) => drop(self.list(*kind)?),
            Type::Made(ClassId::STRING) => {}
            Type::Made(class) if !self.objects.contains_key(class) => {
                self.objects.insert(*class, None);
                let variables = self.decoder.schema().made.get(class).map_or(&[][..], Vec::as_slice);
                let kind = self.object(*class, variables)?;
                let width = variables.iter().map(|(_, types)| width(types)).sum();
                self.objects.insert(*class, Some(Encoding { kind, width }));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Numbers are words.
fn end_of_range(end: RangeEnd) -> Option<Box<Encoding>> {
    let shape = match end {
        RangeEnd::None => return None,
        RangeEnd::Integer => Shape::Integer,
        RangeEnd::Float => Shape::Float,
    };
    Some(Box::new(Encoding { kind: Kind::One(shape), width: 1 }))
}

/// The words of one element.
#[derive(Clone, Copy)]
struct Words<'a> {
    all: &'a [i64],
    elements: usize,
    element: usize,
}

impl Words<'_> {
    #[inline]
    fn get(self, at: usize) -> Result<i64, Error> {
        let word = self.all.get(at * self.elements + self.element);
        word.copied().ok_or_else(|| Error::Internal("a result lacks words".into()))
    }
}

/// What has been made of the words of an element.
struct Met {
    /// By the word where it begins: the element, from 1, and the array or object. Where variables of the elements hold such
    /// things too, by the word of all elements.
    known: Vec<(usize, VALUE)>,
    of_all: bool,
    /// What has to be filled.
    empty: Vec<(usize, VALUE)>,
    /// Hashes: the kinds of their keys and values, and where the words begin that tell where these are. Keys are put into
    /// them when all else is filled, as keys are looked at.
    hashes: Vec<(ListKind, ListKind, usize, VALUE)>,
    /// Exceptions whose messages tell their receivers, which have to be filled first, and why methods are missing there.
    untold: Vec<(VALUE, &'static str)>,
}

impl Met {
    fn new(words: &[i64], of_all: bool) -> Result<Self, NoMemory> {
        let known = fallible::filled((0, value::NIL), if of_all { words.len() } else { 0 })?;
        Ok(Self { known, of_all, empty: Vec::new(), hashes: Vec::new(), untold: Vec::new() })
    }

    const fn place(&self, words: Words<'_>, start: usize) -> usize {
        if self.of_all { start * words.elements + words.element } else { start }
    }

    fn find(&self, words: Words<'_>, start: usize) -> Option<VALUE> {
        let (element, value) = self.known.get(self.place(words, start))?;
        (*element == words.element + 1).then_some(*value)
    }

    /// Adds what has to be filled.
    fn add(&mut self, words: Words<'_>, start: usize, value: VALUE) -> Result<(), NoMemory> {
        self.remember(words, start, value)?;
        fallible::push(&mut self.empty, (start, value))
    }

    fn remember(&mut self, words: Words<'_>, start: usize, value: VALUE) -> Result<(), NoMemory> {
        let place = self.place(words, start);
        if self.known.len() <= place {
            fallible::resize(&mut self.known, place + 1, (0, value::NIL))?;
        }
        self.known[place] = (words.element + 1, value);
        Ok(())
    }
}

/// Makes the values of a `pmap` whose block gives arrays or objects.
pub struct Results<'a> {
    decoder: Decoder<'a>,
    result: Encoding,
    /// Of the items, by the kind of their list.
    lists: Vec<Option<Encoding>>,
    /// Of objects, by their class.
    objects: FxHashMap<ClassId, Option<Encoding>>,
    /// Where one array or object may be met several times.
    met: Option<RefCell<Met>>,
    /// The lambdas and procs that have been made, by what they have taken along.
    procs: RefCell<FxHashMap<VALUE, VALUE>>,
    /// Of the String that is made.
    bytes: RefCell<Vec<u8>>,
    /// Of all elements: the first of each, then the second. No value may need any.
    words: &'a [i64],
    elements: usize,
}

impl<'a> Results<'a> {
    pub fn new(decoder: Decoder<'a>) -> Result<Self, Error> {
        let schema = decoder.schema();
        let count = schema.lists.len();
        let items = std::iter::repeat_with(|| None).take(count).collect();
        let shared =
            schema.stores_made || is_shared(&schema.result, &|kind| schema.lists[kind.0 as usize].clone());
        let mut encodings = Encodings {
            decoder: &decoder,
            shared,
            met: vec![false; count],
            items,
            objects: FxHashMap::default(),
        };
        let result = match is_plain(&schema.result) {
            // It is in columns of its own.
            true => Encoding { kind: Kind::Tuple(vec![]), width: 0 },
            false => encodings.of(&schema.result)?,
        };
        if schema.stores_made {
            let stored = schema.columns.iter().flat_map(|column| &column.stored.types);
            stored
                .filter(|ty| matches!(ty, Type::List(_) | Type::Made(_)))
                .try_for_each(|ty| encodings.reference(ty))?;
        }
        let (lists, objects) = (encodings.items, encodings.objects);
        let words = match decoder.buffer(&BufferKind::ResultWords) {
            Some(Column::I64(words)) => words.as_slice(),
            _ => &[],
        };
        let met = if shared { Some(RefCell::new(Met::new(words, schema.stores_made)?)) } else { None };
        let (bytes, elements) = (RefCell::default(), decoder.heap.length);
        let procs = RefCell::default();
        Ok(Self { decoder, result, lists, objects, met, procs, bytes, words, elements })
    }

    /// The exception whose words these are.
    pub fn raised(decoder: Decoder<'a>, class: ClassId, words: &'a [i64]) -> Result<Value, Trouble> {
        let count = decoder.schema().lists.len();
        let items = std::iter::repeat_with(|| None).take(count).collect();
        let objects = FxHashMap::default();
        let mut encodings =
            Encodings { decoder: &decoder, shared: true, met: vec![false; count], items, objects };
        let result = encodings.of(&Type::Made(class).into())?;
        let (lists, objects) = (encodings.items, encodings.objects);
        let met = Some(RefCell::new(Met::new(words, false)?));
        let (procs, bytes) = Default::default();
        let all = Self { decoder, result, lists, objects, met, procs, bytes, words, elements: 1 };
        all.whole(all.words(0))
    }

    /// One value for each element, or for some.
    pub fn all(&self, selection: Option<&[i32]>) -> Result<Value, Trouble> {
        self.array(selection.map_or(self.elements, <[i32]>::len), |item| {
            let element = selection.map_or(item, |selection| selection[item] as usize);
            self.whole(self.words(element))
        })
    }

    /// The items of the arrays that elements give, and what is no array as it is.
    pub fn flat(&self) -> Result<Value, Trouble> {
        let mut out = Pushed::new(self.decoder.ruby.ary_new_capa(self.elements));
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let out = black_box(&mut out);
        for element in 0..self.elements {
            let words = self.words(element);
            match self.met {
                Some(_) => out.push_flat(self.whole(words)?)?,
                None => self.push_items(&self.result, words, 0, out)?,
            }
        }
        out.flush()?;
        Ok(out.array.as_value())
    }

    const fn words(&self, element: usize) -> Words<'a> {
        Words { all: self.words, elements: self.elements, element }
    }

    fn push_items(
        &self,
        encoding: &Encoding,
        words: Words<'_>,
        at: usize,
        out: &mut Pushed,
    ) -> Result<(), Trouble> {
        match &encoding.kind {
            Kind::Tuple(items) => {
                let mut at = at;
                for item in items {
                    out.push(self.value(item, words, at)?)?;
                    at += item.width;
                }
                Ok(())
            }
            Kind::List(kind) => self.push_list(*kind, words, words.get(at)?, out),
            Kind::Tagged { list, local, .. } => match (words.get(at)? as i32, local, list) {
                (tag, Some(local), _) if tag == Shape::Local.tag() => {
                    self.push_items(local, words, at + 2, out)
                }
                (tag, _, Some(kind)) if tag == Shape::List.tag() => {
                    self.push_list(*kind, words, words.get(at + 1)?, out)
                }
                _ => out.push_flat(self.value(encoding, words, at)?),
            },
            Kind::Module(_)
            | Kind::Proc(_)
            | Kind::IdentifiedProc(..)
            | Kind::One(_)
            | Kind::Record(..)
            | Kind::Reference => out.push_flat(self.value(encoding, words, at)?),
            Kind::Hash(..) | Kind::Range(..) => out.push(self.value(encoding, words, at)?),
        }
    }

    fn push_list(
        &self,
        kind: ListKind,
        words: Words<'_>,
        start: i64,
        out: &mut Pushed,
    ) -> Result<(), Trouble> {
        let items = self.items(kind)?;
        let start = start as usize;
        for item in 0..length(words.get(start)?) {
            out.push(self.value(items, words, start + 1 + item * items.width)?)?;
        }
        Ok(())
    }

    fn items(&self, kind: ListKind) -> Result<&Encoding, Error> {
        let items = self.lists.get(kind.0 as usize).and_then(Option::as_ref);
        items.ok_or_else(|| Error::Internal("an array of no known kind".into()))
    }

    /// The value of an element.
    fn whole(&self, words: Words<'_>) -> Result<Value, Trouble> {
        if self.met.is_none() {
            return self.value(&self.result, words, 0);
        }
        if matches!(self.result.kind, Kind::Reference) && !self.holds_all() {
            let start = words.get(0)? as usize;
            if words.get(start)? == i64::from(ClassId::STRING.0) {
                // Nothing else can be it.
                // SAFETY: it was just made.
                return Ok(unsafe { Value::from_raw(self.string(words, start)?) });
            }
        }
        let result = black_box(self.value(&self.result, words, 0)?);
        self.fill_all(result, words)?;
        if !self.holds_all() {
            // The result holds it all.
            self.decoder.pinned.release();
            self.procs.borrow_mut().clear();
        }
        Ok(result)
    }

    /// Is what was made for an element needed behind it?
    fn holds_all(&self) -> bool {
        let schema = self.decoder.schema();
        schema.stores_made || schema.output == Output::Program
    }

    /// What a variable of an element's is to hold: the element and the word where it begins are in the payload.
    pub fn stored(&self, payload: i64) -> Result<VALUE, Trouble> {
        let element = usize::try_from(payload >> 32).ok().and_then(|element| element.checked_sub(1));
        let element =
            element.ok_or_else(|| Error::Internal("a variable holds what nobody has made".into()))?;
        let words = self.words(element);
        let value = self.reference(words, payload & i64::from(u32::MAX))?;
        self.fill_all(value, words)?;
        Ok(value.as_raw())
    }

    /// Fills what is empty still; until then all is held.
    fn fill_all(&self, first: Value, words: Words<'_>) -> Result<(), Trouble> {
        let Some(met) = &self.met else { return Ok(()) };
        self.decoder.pinned.hold(first.as_raw())?;
        let mut pairs = Vec::new();
        loop {
            let next = met.borrow_mut().empty.pop();
            if let Some((at, value)) = next {
                self.fill(value, words, at)?;
                continue;
            }
            let next = met.borrow_mut().hashes.pop();
            let Some((keys, values, at, hash)) = next else { break };
            let lists = [(keys, at), (values, at + 1)].map(|(kind, at)| {
                let items = black_box(self.items_of_hash(kind, words, at)?.as_raw());
                self.decoder.pinned.hold(items)?;
                Ok::<_, Trouble>(items)
            });
            let [keys, values] = lists;
            let word = words.get(words.get(at)? as usize + 1)?;
            fallible::push(&mut pairs, (hash, Pairs { keys: keys?, values: values? }, word))?;
        }
        pairs.into_iter().try_for_each(|(hash, pairs, word)| {
            pairs.put_into(hash)?;
            freeze(hash, word)
        })?;
        let untold = std::mem::take(&mut met.borrow_mut().untold);
        untold.into_iter().try_for_each(|(object, missing)| self.decoder.tell_exception(object, missing))
    }

    /// The lambda or proc that has taken this array along, which Ruby makes of its literal when it is first met.
    fn identified_proc(&self, number: u32, token: VALUE) -> Result<Value, Trouble> {
        let known = self.procs.borrow().get(&token).copied();
        let made = match known {
            Some(made) => made,
            None => {
                let made = black_box(self.decoder.heap.procs.give(number)?);
                self.decoder.pinned.hold(made)?;
                self.procs.borrow_mut().insert(token, made);
                made
            }
        };
        // SAFETY: `Pinned` holds it.
        Ok(unsafe { Value::from_raw(made) })
    }

    /// Keys or values of a Hash that may be met several times, as an array.
    fn items_of_hash(&self, kind: ListKind, words: Words<'_>, at: usize) -> Result<Value, Trouble> {
        let items = self.items(kind)?;
        let start = words.get(at)? as usize;
        let (count, first) = (length(words.get(start + 1)?), start + ARRAY_HEADER as usize);
        self.array(count, |i| self.value(items, words, first + i * items.width))
    }

    /// The value whose words begin at `at`.
    fn value(&self, encoding: &Encoding, words: Words<'_>, at: usize) -> Result<Value, Trouble> {
        let (shape, payload) = match &encoding.kind {
            Kind::Tuple(items) => {
                let mut at = at;
                return self.array(items.len(), |i| {
                    let item = self.value(&items[i], words, at)?;
                    at += items[i].width;
                    Ok(item)
                });
            }
            Kind::Range(low, high, exclusive) => {
                let nil = self.decoder.ruby.qnil().as_value();
                let end = |end: &Option<Box<Encoding>>, at| match end {
                    Some(end) => self.value(end, words, at),
                    None => Ok(nil),
                };
                let first = black_box(end(low, at)?);
                let last = black_box(end(high, at + low.as_ref().map_or(0, |low| low.width))?);
                return Ok(self.decoder.ruby.range_new(first, last, *exclusive)?.as_value());
            }
            Kind::Record(maker, parts) if maker.whole().is_some() => {
                let made = self.made_whole(maker, parts, words, at)?;
                // SAFETY: it was just made.
                return Ok(unsafe { Value::from_raw(made) });
            }
            Kind::Record(maker, parts) => {
                let object = black_box(maker.allocate()?);
                self.set_variables(object, maker, parts, words, at)?;
                // SAFETY: the object was just made.
                return Ok(unsafe { Value::from_raw(object) });
            }
            Kind::List(kind) => return self.list(*kind, words, words.get(at)?),
            Kind::Reference => return self.reference(words, words.get(at)?),
            Kind::Hash(keys, values, default) if self.met.is_some() => {
                return self.shared_hash((*keys, *values), default, words, at);
            }
            Kind::Hash(keys, values, default) => return self.hash((*keys, *values), default, words, at),
            Kind::Module(class) => return Ok(self.decoder.heap.pool.object(*class)),
            Kind::Proc(number) => (Shape::Proc, i64::from(*number)),
            Kind::IdentifiedProc(number, token) => {
                let token = self.value(token, words, at)?.as_raw();
                return self.identified_proc(*number, token);
            }
            Kind::One(Shape::Nil) => (Shape::Nil, 0),
            Kind::One(shape) => (*shape, words.get(at)?),
            Kind::Tagged { list, local, shared } => {
                let tag = words.get(at)? as i32;
                match (local, list) {
                    (Some(local), _) if tag == Shape::Local.tag() => return self.value(local, words, at + 2),
                    _ if *shared && [Shape::List.tag(), Shape::Made.tag()].contains(&tag) => {
                        return self.reference(words, words.get(at + 1)?);
                    }
                    (_, Some(kind)) if tag == Shape::List.tag() => {
                        return self.list(*kind, words, words.get(at + 1)?);
                    }
                    _ => {}
                }
                let shape = Shape::of_tag(tag);
                let shape = shape.ok_or_else(|| Error::Internal("a value of no known shape".into()))?;
                (shape, words.get(at + 1)?)
            }
        };
        let value = match immediate(shape, payload) {
            Some(value) => value,
            None => self.decoder.made(shape, payload)?,
        };
        // SAFETY: the value is an immediate, was just made, or is kept alive by `Pinned`.
        Ok(unsafe { Value::from_raw(value) })
    }

    fn list(&self, kind: ListKind, words: Words<'_>, start: i64) -> Result<Value, Trouble> {
        let items = self.items(kind)?;
        let start = start as usize;
        let word = words.get(start)?;
        let array = self.array(length(word), |i| self.value(items, words, start + 1 + i * items.width))?;
        freeze(array.as_raw(), word)?;
        Ok(array)
    }

    /// What begins at a word, which is made if it has not been met yet.
    fn reference(&self, words: Words<'_>, start: i64) -> Result<Value, Trouble> {
        let met =
            self.met.as_ref().ok_or_else(|| Error::Internal("a reference in what is not shared".into()))?;
        let start = start as usize;
        let known = met.borrow().find(words, start);
        let value = match known {
            Some(value) => value,
            None if words.get(start)? == i64::from(ClassId::STRING.0) => {
                let value = black_box(self.string(words, start)?);
                self.decoder.pinned.hold(value)?;
                met.borrow_mut().remember(words, start, value)?;
                value
            }
            None if let Some(class) = class_of_whole(words.get(start)?) => {
                let (maker, parts) = self.made_object(class)?;
                let value = black_box(self.made_whole(maker, parts, words, start + 1)?);
                self.decoder.pinned.hold(value)?;
                met.borrow_mut().remember(words, start, value)?;
                value
            }
            None => {
                let what = words.get(start)?;
                let value = match u32::try_from(what) {
                    Ok(class) => self.made_object(ClassId(class))?.0.allocate()?,
                    Err(_) => self.decoder.ruby.ary_new_capa(length(words.get(start + 1)?)).as_raw(),
                };
                let value = black_box(value);
                self.decoder.pinned.hold(value)?;
                met.borrow_mut().add(words, start, value)?;
                value
            }
        };
        // SAFETY: `Pinned` holds it.
        Ok(unsafe { Value::from_raw(value) })
    }

    /// An Integer beyond 64 bits or a Date, which is made of its parts as a whole.
    fn made_whole(
        &self,
        maker: &Maker,
        parts: &[Encoding],
        words: Words<'_>,
        at: usize,
    ) -> Result<VALUE, Trouble> {
        let begins = |place: usize| at + parts[..place].iter().map(|part| part.width).sum::<usize>();
        Ok(match maker.whole() {
            Some(Whole::Words(place)) => {
                let text = black_box(self.value(&parts[place], words, begins(place))?.as_raw());
                integers::of_words(text)?
            }
            Some(Whole::Wide(low, high)) => {
                integers::of_two_words(words.get(begins(low))?, words.get(begins(high))?)?
            }
            Some(Whole::Day(place)) => {
                let is_frozen = match maker.freezes() {
                    Some(place) => words.get(begins(place))? & 1 != 0,
                    None => false,
                };
                objects::make_date(self.decoder.ruby, words.get(begins(place))?, is_frozen)?
            }
            None => return Err(Error::Internal("what is no whole has no parts".into()).into()),
        })
    }

    /// A String that the section has made, from its words.
    fn string(&self, words: Words<'_>, start: usize) -> Result<VALUE, Trouble> {
        let header = start + 1;
        let (size, flags) = (words.get(header)? as usize, words.get(header + 3)?);
        if let Some(row) = row_of_string(flags) {
            // The driver has stored it: this is a copy.
            let hierarchy = self.decoder.heap.pool.place(ClassId::STRING).0;
            return self.decoder.made(Shape::Object(hierarchy), row);
        }
        let mut bytes = self.bytes.borrow_mut();
        bytes.clear();
        fallible::reserve(&mut bytes, size + 8)?;
        for word in 0..size.div_ceil(8) {
            bytes.extend_from_slice(&words.get(header + 4 + word)?.to_le_bytes());
        }
        bytes.truncate(size);
        make(&bytes, flags)
    }

    fn made_object(&self, class: ClassId) -> Result<(&Maker, &[Encoding]), Error> {
        match self.objects.get(&class).and_then(Option::as_ref) {
            Some(Encoding { kind: Kind::Record(maker, parts), .. }) => Ok((maker, parts)),
            _ => Err(Error::Internal("an object of no known class".into())),
        }
    }

    /// Gives an array its items, or an object its variables.
    fn fill(&self, value: VALUE, words: Words<'_>, start: usize) -> Result<(), Trouble> {
        let what = words.get(start)?;
        if let Ok(class) = u32::try_from(what) {
            let (maker, parts) = self.made_object(ClassId(class))?;
            return self.set_variables(value, maker, parts, words, start + 1);
        }
        let items = self.items(ListKind(!what as u32))?;
        let mut block = [value::NIL; BLOCK];
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let block = black_box(&mut block);
        // SAFETY: the array was made in `reference`, and is held.
        let array = RArray::from_value(unsafe { Value::from_raw(value) });
        let array = array.ok_or_else(|| Error::Internal("an array is none".into()))?;
        let word = words.get(start + 1)?;
        let length = length(word);
        let mut made = 0;
        while made < length {
            let block = &mut block[..BLOCK.min(length - made)];
            for item in block.iter_mut() {
                let at = start + ARRAY_HEADER as usize + made * items.width;
                *item = self.value(items, words, at)?.as_raw();
                made += 1;
            }
            append(array, block)?;
        }
        freeze(value, word)
    }

    /// Makes the values of an object's variables, whose words begin at `at`, and sets them.
    fn set_variables(
        &self,
        object: VALUE,
        maker: &Maker,
        parts: &[Encoding],
        words: Words<'_>,
        at: usize,
    ) -> Result<(), Trouble> {
        let mut order = at;
        for part in &parts[..maker.order()] {
            order += part.width;
        }
        let order = maker.order_of(self.decoder.ruby, self.decoder.schema(), words.get(order)?)?;
        // On the stack, where the garbage collector sees them.
        if parts.len() <= ITEMS {
            let mut values = [value::NIL; ITEMS];
            return self.set_all(object, maker, &order, parts, words, at, black_box(&mut values));
        }
        let mut values = [value::NIL; BLOCK];
        self.set_all(object, maker, &order, parts, words, at, black_box(&mut values))
    }

    #[expect(clippy::too_many_arguments, reason = "memory of two sizes is handed on")]
    fn set_all(
        &self,
        object: VALUE,
        maker: &Maker,
        order: &Order,
        parts: &[Encoding],
        words: Words<'_>,
        at: usize,
        values: &mut [VALUE],
    ) -> Result<(), Trouble> {
        let Some(values) = values.get_mut(..parts.len()) else {
            return Err(Trouble::Plain(format!(
                "an object of more than {BLOCK} variables was made in a section"
            )));
        };
        let mut at = at;
        for (place, (value, part)) in values.iter_mut().zip(parts).enumerate() {
            let made = match maker.state() == Some(place) {
                true => self.filled(part, words, at)?,
                false => self.value(part, words, at)?,
            };
            *value = made.as_raw();
            at += part.width;
        }
        maker.set(object, order, values, self.decoder.origin(maker, values)?)?;
        let Some(missing) = self.decoder.complete_exception(object, maker, values)? else { return Ok(()) };
        match &self.met {
            Some(met) => Ok(fallible::push(&mut met.borrow_mut().untold, (object, missing))?),
            None => self.decoder.tell_exception(object, missing),
        }
    }

    /// An array with its items, which nothing else refers to.
    fn filled(&self, encoding: &Encoding, words: Words<'_>, at: usize) -> Result<Value, Trouble> {
        let start = match encoding.kind {
            Kind::Reference => words.get(at)?,
            Kind::Tagged { shared: true, .. } if words.get(at)? as i32 == Shape::List.tag() => {
                words.get(at + 1)?
            }
            _ => return self.value(encoding, words, at),
        } as usize;
        let items = self.items(ListKind(!words.get(start)? as u32))?;
        let first = start + ARRAY_HEADER as usize;
        self.array(length(words.get(start + 1)?), |i| self.value(items, words, first + i * items.width))
    }

    /// A Hash that may be met several times: it is known by where its keys are, and gets its pairs later.
    fn shared_hash(
        &self,
        (keys, values): (ListKind, ListKind),
        default: &Defaults,
        words: Words<'_>,
        at: usize,
    ) -> Result<Value, Trouble> {
        let internal = || Error::Internal("a Hash in what is not shared".into());
        let met = self.met.as_ref().ok_or_else(internal)?;
        let start = words.get(at)? as usize;
        let known = met.borrow().find(words, start);
        if let Some(known) = known {
            // SAFETY: `Pinned` holds it.
            return Ok(unsafe { Value::from_raw(known) });
        }
        let hash = black_box(self.decoder.ruby.hash_new());
        self.decoder.pinned.hold(hash.as_raw())?;
        {
            let mut met = met.borrow_mut();
            met.remember(words, start, hash.as_raw())?;
            fallible::push(&mut met.hashes, (keys, values, at, hash.as_raw()))?;
        }
        self.set_default(hash, default, words, at)?;
        Ok(hash.as_value())
    }

    fn hash(
        &self,
        (keys, values): (ListKind, ListKind),
        default: &Defaults,
        words: Words<'_>,
        at: usize,
    ) -> Result<Value, Trouble> {
        let items = |kind: ListKind| {
            let items = self.lists.get(kind.0 as usize).and_then(Option::as_ref);
            items.ok_or_else(|| Error::Internal("an array of no known kind".into()))
        };
        let hash = self.decoder.ruby.hash_new();
        let (key_items, value_items) = (items(keys)?, items(values)?);
        let (first_key, first_value) = (words.get(at)? as usize, words.get(at + 1)? as usize);
        // Before the items stands their number.
        let (first_key, first_value) = (first_key + 1, first_value + 1);
        let count = length(words.get(first_key - 1)?);
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let mut block = [value::NIL; 2 * ITEMS];
        let block = black_box(&mut block);
        let mut made = 0;
        while made < count {
            let pairs = &mut block[..2 * ITEMS.min(count - made)];
            for pair in pairs.as_chunks_mut::<2>().0 {
                pair[0] = self.value(key_items, words, first_key + made * key_items.width)?.as_raw();
                pair[1] = self.value(value_items, words, first_value + made * value_items.width)?.as_raw();
                made += 1;
            }
            let (first, length) = (pairs.as_ptr(), pairs.len() as c_long);
            // SAFETY: all are live; what is raised ends in `protect`.
            protect(|| unsafe {
                let kept = pairs.as_chunks().0.iter().any(|[key, _]| value::is_copied_as_key(*key));
                if count <= ITEMS && !kept {
                    rb_sys::rb_hash_bulk_insert(length, first, hash.as_raw());
                } else {
                    // Where some are there already it would look for the place of each anew.
                    for [key, value] in pairs.as_chunks().0 {
                        value::put_pair(hash.as_raw(), *key, *value);
                    }
                }
                value::NIL
            })?;
        }
        self.set_default(hash, default, words, at)?;
        freeze(hash.as_raw(), words.get(first_key - 1)?)?;
        Ok(hash.as_value())
    }

    /// What a Hash gives for a key that it has not.
    fn set_default(
        &self,
        hash: RHash,
        default: &Defaults,
        words: Words<'_>,
        at: usize,
    ) -> Result<(), Trouble> {
        let at = at + 3;
        if let Some(given) = &default.given {
            let list = self.filled(given, words, at + default.own.width)?;
            // SAFETY: the array was just made.
            let first = unsafe { value::items(list.as_raw()) }.first().copied();
            if let Some(first) = first {
                // SAFETY: both are live, the item as one of the array; what it raises ends in `protect`.
                protect(|| unsafe { rb_sys::rb_hash_set_ifnone(hash.as_raw(), first) })?;
                return Ok(());
            }
        }
        let is_block = match &default.own.kind {
            Kind::Proc(_) | Kind::One(Shape::Proc) => true,
            Kind::Tagged { .. } => words.get(at)? as i32 == Shape::Proc.tag(),
            _ => false,
        };
        let default = self.value(&default.own, words, at)?;
        if is_block {
            hash.as_value().funcall::<_, _, Value>("default_proc=", (default,))?;
        } else if !default.is_nil() {
            // SAFETY: both are live; what it raises ends in `protect`.
            protect(|| unsafe { rb_sys::rb_hash_set_ifnone(hash.as_raw(), default.as_raw()) })?;
        }
        Ok(())
    }

    /// A new array of so many values, which are made one after the other.
    fn array(
        &self,
        count: usize,
        mut value: impl FnMut(usize) -> Result<Value, Trouble>,
    ) -> Result<Value, Trouble> {
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let mut block = [value::NIL; ITEMS];
        let block = black_box(&mut block);
        let array = (count > ITEMS).then(|| self.decoder.ruby.ary_new_capa(count));
        let mut made = 0;
        loop {
            let items = &mut block[..ITEMS.min(count - made)];
            for item in items.iter_mut() {
                *item = value(made)?.as_raw();
                made += 1;
            }
            let Some(array) = array else { return new_array(items) };
            append(array, items)?;
            if made == count {
                return Ok(array.as_value());
            }
        }
    }
}

/// The length of an array, in the word that has it.
const fn length(word: i64) -> usize {
    word as u32 as usize
}

/// An array has got all its items, or a Hash its pairs: it is frozen, if the word that has the length says so, of the Hash
/// that of its keys.
fn freeze(object: VALUE, word: i64) -> Result<(), Trouble> {
    if word & LIST_FROZEN != 0 {
        // SAFETY: it is live; what is raised ends in `protect`.
        protect(|| unsafe { rb_sys::rb_obj_freeze(object) })?;
    }
    Ok(())
}

/// An array that items are appended to, some at a time.
struct Pushed {
    array: RArray,
    items: [rb_sys::VALUE; BLOCK],
    count: usize,
}

impl Pushed {
    const fn new(array: RArray) -> Self {
        Self { array, items: [value::NIL; BLOCK], count: 0 }
    }

    fn push(&mut self, value: Value) -> Result<(), Trouble> {
        self.items[self.count] = value.as_raw();
        self.count += 1;
        if self.count == BLOCK { self.flush() } else { Ok(()) }
    }

    /// The items of an array that exists, or the value.
    fn push_flat(&mut self, value: Value) -> Result<(), Trouble> {
        if rb_sys::SPECIAL_CONST_P(value.as_raw()) {
            return self.push(value);
        }
        self.flush()?;
        if let Some(items) = RArray::from_value(value) {
            self.array.concat(items)?;
            return Ok(());
        }
        let one = new_array(&[value.as_raw()])?;
        let items: RArray = one.funcall("flatten", (1,))?;
        self.array.concat(items)?;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Trouble> {
        append(self.array, &self.items[..self.count])?;
        self.count = 0;
        Ok(())
    }
}

fn new_array(values: &[rb_sys::VALUE]) -> Result<Value, Trouble> {
    let (values, count) = (values.as_ptr(), values.len() as c_long);
    // SAFETY: the values are live.
    let array = protect(|| unsafe { rb_sys::rb_ary_new_from_values(count, values) })?;
    // SAFETY: the array was just made.
    Ok(unsafe { Value::from_raw(array) })
}

/// The class of what is made of its parts as a whole, if the number is that of one.
fn class_of_whole(number: i64) -> Option<ClassId> {
    let classes = [ClassId::BIG_INTEGER, ClassId::WIDE_INTEGER, ClassId::DATE];
    classes.into_iter().find(|class| i64::from(class.0) == number)
}
