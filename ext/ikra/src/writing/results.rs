//! Results that are arrays: what the words that an element has written stand for.

use crate::reading::variables::BLOCK;
use crate::vm::errors::Trouble;
use crate::vm::value;
use crate::writing::decoder::{Decoder, append, immediate};
use ikra_core::error::Error;
use ikra_core::heap::{Column, Schema};
use ikra_core::infer::width;
use ikra_core::types::{ClassId, ListKind, Shape, Type, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{RArray, Value, prelude::*};
use std::ffi::c_long;
use std::hint::black_box;

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
    /// Where the length is, with the items behind it.
    List(ListKind),
    /// A Hash: where its keys are, where its values are, and its default.
    Hash(ListKind, ListKind, Box<Encoding>),
    Module(ClassId),
    /// The payload, or for nil nothing.
    One(Shape),
    /// A tag and the payload; behind them what has no payload of its own.
    Tagged {
        list: Option<ListKind>,
        local: Option<Box<Encoding>>,
    },
}

/// The encodings of lists' items, by the kind of the list: of those that a result can hold.
struct Encodings<'a> {
    schema: &'a Schema,
    met: Vec<bool>,
    items: Vec<Option<Encoding>>,
}

impl Encodings<'_> {
    fn of(&mut self, types: &TypeSet) -> Result<Encoding, Error> {
        let kind = match (types.single(), types.single_shape()) {
            (Some(Type::Tuple(items)), _) => {
                Kind::Tuple(items.iter().map(|item| self.of(item)).collect::<Result<_, _>>()?)
            }
            (Some(Type::List(kind)), _) => Kind::List(self.list(*kind)?),
            (Some(Type::Record(record)), _) if record.is_hash() => {
                let list = |part: usize| match record.fields[part].1.single() {
                    Some(Type::List(kind)) => Ok(*kind),
                    _ => Err(Error::Internal("a Hash without lists".into())),
                };
                let (keys, values) = (list(0)?, list(1)?);
                let default = Box::new(self.of(&record.fields[3].1)?);
                Kind::Hash(self.list(keys)?, self.list(values)?, default)
            }
            (Some(Type::Module(class)), _) => Kind::Module(*class),
            (Some(_), Some(Shape::Local)) => {
                return Err(Error::Internal("a result that no value stands for".into()));
            }
            (_, Some(shape)) if shape != Shape::Local => Kind::One(shape),
            _ => {
                let (mut list, mut local) = (None, None);
                for ty in types {
                    match ty {
                        Type::List(kind) => list = Some(self.list(*kind)?),
                        ty if ty.shape() == Shape::Local => {
                            local = Some(Box::new(self.of(&ty.clone().into())?))
                        }
                        _ => {}
                    }
                }
                Kind::Tagged { list, local }
            }
        };
        Ok(Encoding { kind, width: width(types) })
    }

    /// Finds out about a kind of lists, whose items may be lists of the same kind.
    fn list(&mut self, kind: ListKind) -> Result<ListKind, Error> {
        let at = kind.0 as usize;
        if !std::mem::replace(&mut self.met[at], true) {
            self.items[at] = Some(self.of(&self.schema.lists[at])?);
        }
        Ok(kind)
    }
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

/// Makes the values of a `pmap` whose block gives arrays.
pub struct Results<'a> {
    decoder: Decoder<'a>,
    result: Encoding,
    /// Of the items, by the kind of their list.
    lists: Vec<Option<Encoding>>,
}

impl<'a> Results<'a> {
    pub fn new(decoder: Decoder<'a>) -> Result<Self, Error> {
        let schema = decoder.schema();
        let count = schema.lists.len();
        let items = std::iter::repeat_with(|| None).take(count).collect();
        let mut encodings = Encodings { schema, met: vec![false; count], items };
        Ok(Self { decoder, result: encodings.of(&schema.result)?, lists: encodings.items })
    }

    /// One value for each element, or for some, of the words that all have written: the first of each, then the second.
    pub fn all(
        &self,
        elements: usize,
        selection: Option<&[i32]>,
        words: Option<&Column>,
    ) -> Result<Value, Trouble> {
        let all = match words {
            Some(Column::I64(words)) => words.as_slice(),
            // No value needs any.
            _ => &[],
        };
        self.array(selection.map_or(elements, <[i32]>::len), |item| {
            let element = selection.map_or(item, |selection| selection[item] as usize);
            self.value(&self.result, Words { all, elements, element }, 0)
        })
    }

    /// The items of the arrays that elements give, and what is no array as it is.
    pub fn flat(&self, elements: usize, words: Option<&Column>) -> Result<Value, Trouble> {
        let all = match words {
            Some(Column::I64(words)) => words.as_slice(),
            _ => &[],
        };
        let mut out = Pushed::new(self.decoder.ruby.ary_new_capa(elements));
        // On the stack, and known to others, so that the garbage collector sees what was made.
        let out = black_box(&mut out);
        for element in 0..elements {
            self.push_items(&self.result, Words { all, elements, element }, 0, out)?;
        }
        out.flush()?;
        Ok(out.array.as_value())
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
            Kind::Tagged { list, local } => match (words.get(at)? as i32, local, list) {
                (tag, Some(local), _) if tag == Shape::Local.tag() => {
                    self.push_items(local, words, at + 2, out)
                }
                (tag, _, Some(kind)) if tag == Shape::List.tag() => {
                    self.push_list(*kind, words, words.get(at + 1)?, out)
                }
                _ => out.push_flat(self.value(encoding, words, at)?),
            },
            Kind::Hash(..) => out.push(self.value(encoding, words, at)?),
            Kind::Module(_) | Kind::One(_) => out.push_flat(self.value(encoding, words, at)?),
        }
    }

    fn push_list(
        &self,
        kind: ListKind,
        words: Words<'_>,
        start: i64,
        out: &mut Pushed,
    ) -> Result<(), Trouble> {
        let items = self.lists.get(kind.0 as usize).and_then(Option::as_ref);
        let items = items.ok_or_else(|| Error::Internal("an array of no known kind".into()))?;
        let start = start as usize;
        for item in 0..words.get(start)? as usize {
            out.push(self.value(items, words, start + 1 + item * items.width)?)?;
        }
        Ok(())
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
            Kind::List(kind) => return self.list(*kind, words, words.get(at)?),
            Kind::Hash(keys, values, default) => return self.hash((*keys, *values), default, words, at),
            Kind::Module(class) => return Ok(self.decoder.heap.pool.object(*class)),
            Kind::One(Shape::Nil) => (Shape::Nil, 0),
            Kind::One(shape) => (*shape, words.get(at)?),
            Kind::Tagged { list, local } => {
                let tag = words.get(at)? as i32;
                match (local, list) {
                    (Some(local), _) if tag == Shape::Local.tag() => return self.value(local, words, at + 2),
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
        let items = self.lists.get(kind.0 as usize).and_then(Option::as_ref);
        let items = items.ok_or_else(|| Error::Internal("an array of no known kind".into()))?;
        let start = start as usize;
        let length = words.get(start)? as usize;
        self.array(length, |i| self.value(items, words, start + 1 + i * items.width))
    }

    fn hash(
        &self,
        (keys, values): (ListKind, ListKind),
        default: &Encoding,
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
        for item in 0..words.get(first_key)? as usize {
            let key = self.value(key_items, words, first_key + 1 + item * key_items.width)?;
            let value = self.value(value_items, words, first_value + 1 + item * value_items.width)?;
            hash.aset(key, value)?;
        }
        let default = self.value(default, words, at + 3)?;
        if !default.is_nil() {
            // SAFETY: both are live; what it raises ends in `protect`.
            protect(|| unsafe { rb_sys::rb_hash_set_ifnone(hash.as_raw(), default.as_raw()) })?;
        }
        Ok(hash.as_value())
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
