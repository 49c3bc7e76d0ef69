//! Results to Ruby, after everything has succeeded: changed rows of written columns and arrays, and the block's values.
//!
//! All or nothing: what may raise (making Floats and big Integers, frozen objects) is done before the first write.

use crate::captured::Captured;
use crate::errors::{self, Trouble};
use crate::heap::{Heap, Layout};
use crate::ids::Ids;
use crate::reached::Reached;
use crate::{classes, value};
use ikra_core::error::Error;
use ikra_core::heap::{Column, Schema};
use ikra_core::infer::{Inferred, Operation, is_plain, width};
use ikra_core::ir::{BufferKind, Part, Program};
use ikra_core::types::{ArrayKind, ClassId, ListKind, Shape, Type, TypeSet};
use magnus::rb_sys::{FromRawValue, protect};
use magnus::{RArray, Ruby, Value, block::Proc, prelude::*};
use rb_sys::{ID, VALUE};

/// A value to be written, kept in `Reached` at `value`.
enum Write {
    Variable {
        object: VALUE,
        id: ID,
        value: usize,
    },
    /// `key`: the member's position.
    Member {
        object: VALUE,
        key: VALUE,
        value: usize,
    },
    Element {
        array: VALUE,
        index: usize,
        value: usize,
    },
}

/// Payload and tags of one column, as they are now.
pub struct Values<'a> {
    payload: Option<&'a Column>,
    tags: Option<&'a Column>,
    /// The shape of all values, where there is one.
    single: Option<Shape>,
}

/// What a value is made from: shape and payload.
type Raw = (Shape, i64);

impl Values<'_> {
    pub fn get(&self, row: usize) -> Result<Raw, Error> {
        let shape = match (self.tags, self.single) {
            (Some(tags), _) => Shape::of_tag(bits(tags, row) as i32),
            (None, single) => single,
        };
        let shape = shape.ok_or_else(|| Error::Internal("a value of no known shape".into()))?;
        Ok((shape, self.payload.map_or(0, |payload| bits(payload, row))))
    }

    fn len(&self) -> usize {
        self.payload.or(self.tags).map_or(0, Column::len)
    }
}

fn bits(column: &Column, row: usize) -> i64 {
    match column {
        Column::Bool(values) => i64::from(values[row] & 1),
        Column::I32(values) => i64::from(values[row]),
        Column::I64(values) => values[row],
        Column::F64(values) => values[row].to_bits() as i64,
    }
}

/// Everything that decoding looks at.
pub struct CopyBack<'a> {
    pub ruby: &'a Ruby,
    pub reached: &'a Reached,
    pub layout: &'a Layout,
    pub inferred: &'a Inferred,
    pub heap: &'a Heap,
    /// The written buffers as they were before, in the order of `layout.written`.
    pub before: &'a [Column],
}

impl CopyBack<'_> {
    fn program(&self) -> &Program {
        &self.inferred.program
    }

    pub fn schema(&self) -> &Schema {
        &self.inferred.schema
    }

    /// Writes what has changed and gives the section's value.
    pub fn run(
        &self,
        operation: Operation,
        base: RArray,
        elements: RArray,
        block: Proc,
    ) -> Result<Value, Trouble> {
        // The result first: it may raise, and the writes may not.
        let result = match operation {
            Operation::Each => base,
            Operation::Map => self.map()?,
            Operation::Select => self.select(elements)?,
        };
        let captured = Captured { copy: self, block };
        let captured = if self.schema().captured.is_empty() { None } else { Some(captured.fold()?) };
        let writes = self.collect()?;
        self.write(&writes)?;
        if let Some(folded) = captured {
            folded.assign()?;
        }
        Ok(result.as_value())
    }

    pub fn buffer(&self, kind: &BufferKind) -> Option<&Column> {
        let at = self.program().buffers.iter().position(|b| b.kind == *kind)?;
        Some(&self.heap.buffers[at])
    }

    pub fn values(&self, kind: impl Fn(Part) -> BufferKind, types: &TypeSet) -> Values<'_> {
        Values {
            payload: self.buffer(&kind(Part::Payload)),
            tags: self.buffer(&kind(Part::Tag)),
            single: types.single_shape(),
        }
    }

    fn collect(&self) -> Result<Vec<Write>, Trouble> {
        let mut writes = Vec::new();
        for column in self.schema().columns.iter().filter(|column| column.written) {
            let (hierarchy, id) = (column.hierarchy, value::intern(self.ruby, &column.name));
            let kind = |part| BufferKind::Column { hierarchy, name: column.name.clone(), part };
            let values = self.values(kind, &column.types);
            let changed = self.changed(kind, &values);
            writes.reserve(changed.len());
            // The class that the last object was of, and where it has the member.
            let mut member: Option<(VALUE, VALUE)> = None;
            for row in changed {
                let object = self.heap.ids.object(self.reached, hierarchy, row as u32);
                let object = object.ok_or_else(|| Error::Internal("a row without an object".into()))?;
                let value = self.decode(values.get(row)?)?;
                if column.name.starts_with('@') {
                    writes.push(Write::Variable { object, id, value });
                    continue;
                }
                // SAFETY: the object is kept alive by `Reached`.
                let class = unsafe { rb_sys::rb_obj_class(object) };
                let key = match member {
                    Some((known, key)) if known == class => key,
                    _ => {
                        let key = classes::member_key(self.ruby, class, &column.name);
                        key.ok_or_else(|| Error::Internal(format!("no member {}", column.name)))?
                    }
                };
                member = Some((class, key));
                writes.push(Write::Member { object, key, value });
            }
        }
        for array in self.schema().arrays.iter().filter(|array| array.written) {
            let kind = |part| BufferKind::ArrayValues(array.kind, part);
            let values = self.values(kind, &array.types);
            let spans = &self.heap.spans[array.kind.0 as usize];
            for row in self.changed(kind, &values) {
                let Some((holder, index)) = self.element(array.kind, spans, row) else { continue };
                let value = self.decode(values.get(row)?)?;
                writes.push(Write::Element { array: holder, index, value });
            }
        }
        Ok(writes)
    }

    /// The array and index that an element of a value column stands for; `None` for the filler at the end.
    fn element(&self, kind: ArrayKind, spans: &[(u32, u32)], row: usize) -> Option<(VALUE, usize)> {
        let at = spans.partition_point(|(offset, _)| *offset as usize <= row).checked_sub(1)?;
        // Empty arrays share the offset of the one that follows them; the last with it is the one that has elements,
        // unless `row` lies behind all of them.
        let (offset, length) = spans[at];
        let index = row - offset as usize;
        (index < length as usize).then(|| Some((self.reached.array(kind.0, at)?, index)))?
    }

    /// The rows whose tag or payload is not what it was before.
    fn changed(&self, kind: impl Fn(Part) -> BufferKind, values: &Values<'_>) -> Vec<usize> {
        let before = |part| {
            let kind = kind(part);
            let at = self.layout.written.iter().position(|b| self.program().buffers[*b].kind == kind)?;
            self.before.get(at)
        };
        let (payload, tags) = (before(Part::Payload), before(Part::Tag));
        let same = |now: Option<&Column>, before: Option<&Column>| match (now, before) {
            (Some(now), Some(before)) => now.as_bytes() == before.as_bytes(),
            _ => true,
        };
        if same(values.payload, payload) && same(values.tags, tags) {
            return Vec::new();
        }
        let differs = |now: Option<&Column>, before: Option<&Column>, row| match (now, before) {
            (Some(now), Some(before)) => bits(now, row) != bits(before, row),
            _ => false,
        };
        let nil = i64::from(Shape::Nil.tag());
        let changed = |row: &usize| {
            let nil_now = values.tags.is_some_and(|tags| bits(tags, *row) == nil);
            differs(values.tags, tags, *row) || (!nil_now && differs(values.payload, payload, *row))
        };
        (0..values.len()).filter(changed).collect()
    }

    /// Makes the Ruby value and keeps it; gives its place in `Reached`.
    fn decode(&self, raw: Raw) -> Result<usize, Trouble> {
        let (shape, payload) = raw;
        let value = match shape {
            Shape::Integer => match value::fixnum(payload) {
                Some(value) => value,
                None => protect(|| value::integer(self.ruby, payload))?,
            },
            Shape::Float => {
                let number = f64::from_bits(payload as u64);
                match value::small_float(number) {
                    Some(value) => value,
                    None => protect(|| value::float(self.ruby, number))?,
                }
            }
            _ => self.existing(shape, payload)?,
        };
        Ok(self.reached.keep(value))
    }

    /// A value that is there already: an immediate, or one of the objects and arrays found.
    fn existing(&self, shape: Shape, payload: i64) -> Result<VALUE, Error> {
        let found = match shape {
            Shape::Nil => Some(value::NIL),
            Shape::Bool => Some(value::boolean(payload & 1 != 0)),
            Shape::Symbol => Some(value::symbol(self.ruby, payload as i32)),
            Shape::Object(hierarchy) => object(&self.heap.ids, self.reached, hierarchy, payload),
            Shape::Array(kind) => self.reached.array(kind.0, payload as usize),
            Shape::Module => {
                let class = u32::try_from(payload).ok().map(ClassId);
                class.map(|class| classes::value(self.ruby, class))
            }
            Shape::Integer | Shape::Float | Shape::List | Shape::Local => None,
        };
        found.ok_or_else(|| Error::Internal(format!("{shape:?} {payload} stands for no value")))
    }

    fn map(&self) -> Result<RArray, Trouble> {
        let types = &self.schema().result;
        if !is_plain(types) {
            return self.map_words(types);
        }
        let values = self.values(BufferKind::Result, types);
        let length = self.heap.length;
        let result = self.ruby.ary_new_capa(length);
        for row in 0..length {
            self.push(result, &values, row)?;
        }
        Ok(result)
    }

    /// Appends a row's value to an array.
    pub fn push(&self, array: RArray, values: &Values<'_>, row: usize) -> Result<(), Trouble> {
        let (shape, payload) = values.get(row)?;
        match shape {
            Shape::Integer => array.push(payload)?,
            Shape::Float => array.push(f64::from_bits(payload as u64))?,
            // SAFETY: the value is an immediate or kept alive by `Reached`.
            _ => array.push(unsafe { Value::from_raw(self.existing(shape, payload)?) })?,
        }
        Ok(())
    }

    /// Results that are arrays, of the words that the elements have written.
    fn map_words(&self, types: &TypeSet) -> Result<RArray, Trouble> {
        let words = self.buffer(&BufferKind::ResultWords);
        let length = self.heap.length;
        let result = self.ruby.ary_new_capa(length);
        for element in 0..length {
            let word = |at: usize| words.map_or(0, |words| bits(words, at * length + element));
            result.push(self.value_of_words(types, &word, 0)?)?;
        }
        Ok(result)
    }

    /// The value whose words begin at `at`.
    fn value_of_words(
        &self,
        types: &TypeSet,
        word: &dyn Fn(usize) -> i64,
        at: usize,
    ) -> Result<Value, Trouble> {
        let local = |ty: &&Type| ty.shape() == Shape::Local;
        match types.single() {
            Some(Type::Tuple(items)) => {
                let array = self.ruby.ary_new_capa(items.len());
                let mut at = at;
                for item in items.iter() {
                    array.push(self.value_of_words(item, word, at)?)?;
                    at += width(item);
                }
                return Ok(array.as_value());
            }
            Some(Type::List(kind)) => return self.list_of_words(*kind, word, word(at)),
            Some(Type::Module(class)) => return Ok(classes::object(self.ruby, *class).as_value()),
            _ => {}
        }
        let (shape, payload) = match types.single_shape() {
            Some(Shape::Nil) => (Shape::Nil, 0),
            Some(shape) => (shape, word(at)),
            None => {
                let tag = word(at) as i32;
                if tag == Shape::Local.tag()
                    && let Some(ty) = types.iter().find(local)
                {
                    return self.value_of_words(&ty.clone().into(), word, at + 2);
                }
                let shape = Shape::of_tag(tag);
                (shape.ok_or_else(|| Error::Internal("a value of no known shape".into()))?, word(at + 1))
            }
        };
        match shape {
            Shape::Integer => Ok(self.ruby.integer_from_i64(payload).as_value()),
            Shape::Float => Ok(self.ruby.float_from_f64(f64::from_bits(payload as u64)).as_value()),
            Shape::List => {
                let kind = types.iter().find_map(|ty| match ty {
                    Type::List(kind) => Some(*kind),
                    _ => None,
                });
                let kind = kind.ok_or_else(|| Error::Internal("an array of no known kind".into()))?;
                self.list_of_words(kind, word, payload)
            }
            // SAFETY: the value is an immediate or kept alive by `Reached`.
            _ => Ok(unsafe { Value::from_raw(self.existing(shape, payload)?) }),
        }
    }

    fn list_of_words(
        &self,
        kind: ListKind,
        word: &dyn Fn(usize) -> i64,
        start: i64,
    ) -> Result<Value, Trouble> {
        let items = self.schema().lists.get(kind.0 as usize);
        let items = items.ok_or_else(|| Error::Internal("an array of no known kind".into()))?;
        let (start, width) = (start as usize, width(items));
        let length = word(start) as usize;
        let array = self.ruby.ary_new_capa(length);
        for i in 0..length {
            array.push(self.value_of_words(items, word, start + 1 + i * width)?)?;
        }
        Ok(array.as_value())
    }

    fn select(&self, elements: RArray) -> Result<RArray, Trouble> {
        let keep = self.buffer(&BufferKind::Result(Part::Payload));
        let keep = keep.ok_or_else(|| Error::Internal("pselect without a result".into()))?;
        let result = self.ruby.ary_new();
        for row in (0..keep.len()).filter(|row| bits(keep, *row) != 0) {
            result.push(elements.entry::<Value>(row as isize)?)?;
        }
        Ok(result)
    }

    fn write(&self, writes: &[Write]) -> Result<(), Trouble> {
        for write in writes {
            let target = match write {
                Write::Variable { object, .. } | Write::Member { object, .. } => *object,
                Write::Element { array, .. } => *array,
            };
            // SAFETY: the target is kept alive by `Reached`.
            if unsafe { value::frozen(target) } {
                // SAFETY: as above.
                return Err(Trouble::Raised(errors::frozen(self.ruby, unsafe { Value::from_raw(target) })));
            }
        }
        protect(|| {
            for write in writes {
                // SAFETY: targets and values are kept alive by `Reached`. What is raised (no memory) ends in
                // `protect`; nothing in this closure needs dropping.
                unsafe {
                    match *write {
                        Write::Variable { object, id, value } => {
                            rb_sys::rb_ivar_set(object, id, self.reached.kept(value));
                        }
                        Write::Member { object, key, value } => {
                            rb_sys::rb_struct_aset(object, key, self.reached.kept(value));
                        }
                        Write::Element { array, index, value } => {
                            let value = self.reached.kept(value);
                            rb_sys::rb_ary_store(array, index as std::ffi::c_long, value);
                        }
                    }
                }
            }
            value::NIL
        })?;
        Ok(())
    }
}

fn object(ids: &Ids, reached: &Reached, hierarchy: ikra_core::types::HierarchyId, id: i64) -> Option<VALUE> {
    ids.object(reached, hierarchy, u32::try_from(id).ok()?)
}
