//! What the section has made and Ruby has seen in an `Ikra.sync` (`born.rs`): it is written again when something of it
//! has changed since, and read again after the block.

use crate::code::methods;
use crate::reading::hashes;
use crate::reading::strings as texts;
use crate::reading::variables::{Access, BLOCK, RANDOM_SEED};
use crate::running::changes::{Cell, Changes, Item, Length, may_grow};
use crate::vm::errors::{Stop, Trouble};
use crate::vm::gvl::insist;
use crate::vm::random_state;
use crate::vm::value::{self, Decoded, decode};
use crate::writing::born::{Known, OfClass, Pairs};
use crate::writing::changed_strings;
use crate::writing::decoder::{Decoder, Values, immediate};
use crate::writing::exceptions;
use crate::writing::random_states;
use crate::writing::texts_now;
use ikra_core::error::Error;
use ikra_core::fallible;
use ikra_core::faults;
use ikra_core::heap::Column;
use ikra_core::heap::schema::ColumnSchema;
use ikra_core::infer::SET;
use ikra_core::ir::BufferKind;
use ikra_core::types::{ArrayKind, ClassId, HashDefault, HashSort, HierarchyId, Shape, Type, TypeSet};
use magnus::Value;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::rc::Rc;

/// The objects of a class: their rows, and themselves.
struct Group {
    class: ClassId,
    of_class: Rc<OfClass>,
    rows: Vec<usize>,
    objects: Vec<VALUE>,
}

/// A variable of a group.
struct Variable<'a> {
    name: String,
    payload: Option<usize>,
    tags: Option<usize>,
    values: Values<'a>,
    /// What it may hold, if that is the same in all objects of the hierarchy that have it.
    types: Option<&'a TypeSet>,
}

/// A variable of objects of a class, and what they are to hold.
struct Write {
    class: ClassId,
    name: String,
    objects: Vec<VALUE>,
    values: Vec<VALUE>,
}

/// What is to be written.
#[derive(Default)]
pub struct Refresh {
    variables: Vec<Write>,
    frozen: Vec<VALUE>,
    arrays: Vec<(VALUE, VALUE)>,
    hashes: Vec<(VALUE, [VALUE; 2])>,
    strings: Vec<(VALUE, VALUE)>,
    /// What [`random_state::load`] takes.
    randoms: Vec<(VALUE, VALUE)>,
}

/// The places of what is known, by sort.
struct Sorted {
    groups: Vec<Group>,
    strings: Vec<(HierarchyId, usize, VALUE)>,
    arrays: Vec<(ArrayKind, i64, VALUE)>,
    hashes: Vec<(ArrayKind, i64, VALUE)>,
}

fn sorted(decoder: Decoder<'_>, all: Vec<Known>) -> Result<Sorted, Error> {
    let mut groups = BTreeMap::<ClassId, Group>::new();
    let mut sorted =
        Sorted { groups: Vec::new(), strings: Vec::new(), arrays: Vec::new(), hashes: Vec::new() };
    let mut places = FxHashMap::default();
    for Known { shape, number, value } in all {
        match shape {
            Shape::Array(kind) if decoder.schema().hashes.contains_key(&kind) => {
                sorted.hashes.push((kind, number, value));
            }
            Shape::Array(kind) => sorted.arrays.push((kind, number, value)),
            Shape::Object(hierarchy) => {
                let column = *places
                    .entry(hierarchy)
                    .or_insert_with(|| decoder.buffer(&BufferKind::Places(hierarchy)));
                let (row, class) = decoder.row_in(column, hierarchy, number)?;
                if class == ClassId::STRING {
                    sorted.strings.push((hierarchy, row, value));
                    continue;
                }
                // Nobody can have changed it.
                if class.in_ruby() == ClassId::INTEGER {
                    continue;
                }
                let of_class = decoder.born.class(
                    decoder.ruby,
                    &decoder.heap.pool,
                    decoder.inferred,
                    (hierarchy, class),
                )?;
                let new = || Group { class, of_class, rows: Vec::new(), objects: Vec::new() };
                let group = groups.entry(class).or_insert_with(new);
                group.rows.push(row);
                group.objects.push(value);
            }
            _ => return Err(Error::Internal(format!("{shape:?} is nothing that a section keeps"))),
        }
    }
    sorted.groups = groups.into_values().collect();
    Ok(sorted)
}

impl Group {
    fn variables<'a>(&self, decoder: Decoder<'a>) -> Vec<Variable<'a>> {
        let columns = decoder.heap.store.columns();
        let hierarchy = decoder.heap.pool.place(self.class).0;
        let all = self.of_class.variables.iter().enumerate().map(|(place, variable)| {
            let [payload, tags] =
                [variable.payload, variable.tags].map(|buffer| buffer.map(|buffer| &columns[buffer]));
            let values = Values { payload, tags, single: variable.single };
            let name = self.of_class.maker.name(place);
            let is_it = |column: &&ColumnSchema| column.hierarchy == hierarchy && column.name == name;
            let column = decoder.schema().columns.iter().find(is_it);
            let types = column.filter(|column| column.classes.len() <= 1).map(|column| &column.stored.types);
            Variable { name, payload: variable.payload, tags: variable.tags, values, types }
        });
        let is_seen = |name: &str| !name.starts_with('#') || name == RANDOM_SEED || name.starts_with(SET);
        let all: Vec<_> = all.filter(|variable| is_seen(&variable.name)).collect();
        // What the section reads of others of the hierarchy, and never sets in these.
        let others = decoder.schema().columns.iter().filter(|column| {
            let is_known = || all.iter().any(|variable| variable.name == column.name);
            column.hierarchy == hierarchy && !column.name.starts_with('#') && !is_known()
        });
        let nil = Values { payload: None, tags: None, single: Some(Shape::Nil) };
        let others: Vec<_> = others
            .map(|column| Variable {
                name: column.name.clone(),
                payload: None,
                tags: None,
                values: Values { ..nil },
                types: None,
            })
            .collect();
        all.into_iter().chain(others).collect()
    }

    /// The Randoms among them, with where their states are in the section.
    fn randoms(&self, decoder: Decoder<'_>) -> Result<Vec<(VALUE, ArrayKind, i64)>, Error> {
        let OfClass { maker, variables } = &*self.of_class;
        let Some(state) = maker.state() else { return Ok(Vec::new()) };
        let states = Values::of(variables[state], decoder.heap.store.columns());
        let state = |(row, object): (&usize, &VALUE)| match states.get(*row)? {
            (Shape::Array(kind), id) => Ok((*object, kind, id)),
            _ => Err(Error::Internal("a Random without a state".into())),
        };
        self.rows.iter().zip(&self.objects).map(state).collect()
    }

    /// Calls `f` with the number of each object whose variable holds something else than its column says, and what.
    fn each_difference(
        &self,
        decoder: Decoder<'_>,
        variable: &Variable<'_>,
        mut f: impl FnMut(usize, (Shape, i64), VALUE) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut access = Access::new(decoder.ruby, decoder.heap.pool.class(self.class), &variable.name);
        let mut block = [value::NIL; BLOCK];
        // On the stack, for the garbage collector to see them.
        let block = black_box(&mut block);
        for (part, objects) in self.objects.chunks(BLOCK).enumerate() {
            // SAFETY: the objects are kept alive by `Pinned`, and are instances of the class.
            unsafe { access.read(objects, &mut block[..objects.len()]) };
            for (i, held) in block[..objects.len()].iter().enumerate() {
                let number = part * BLOCK + i;
                let raw = variable.values.get(self.rows[number])?;
                if !is_same(decoder, raw, *held) {
                    f(number, raw, *held)?;
                }
            }
        }
        Ok(())
    }
}

/// Is this what a value of that shape and payload is in Ruby?
fn is_same(decoder: Decoder<'_>, (shape, payload): (Shape, i64), held: VALUE) -> bool {
    match (shape, decode(held)) {
        (Shape::Nil, Decoded::Nil) => true,
        (Shape::Bool, Decoded::Bool(truth)) => truth == (payload & 1 != 0),
        (Shape::Integer, Decoded::Integer(number)) => number == payload,
        (Shape::Float, Decoded::Float(number)) => number.to_bits() as i64 == payload,
        (Shape::Nil | Shape::Bool | Shape::Integer | Shape::Float, _) => false,
        _ => decoder.known(shape, payload) == Some(held),
    }
}

/// The items of an array of Ruby's. They are copied, as others may change it.
fn held_items(array: VALUE) -> Vec<VALUE> {
    // SAFETY: the array is kept alive by `Pinned`, or by who asks, and nothing runs meanwhile.
    unsafe { value::items(array) }.to_vec()
}

/// Calls `f` with the index of each item that is another one; false: there are more items or fewer.
fn each_item(
    decoder: Decoder<'_>,
    (kind, id): (ArrayKind, i64),
    held: &[VALUE],
    mut f: impl FnMut(usize, (Shape, i64), VALUE),
) -> Result<bool, Trouble> {
    let (of, offset, length) = decoder.span_of_array(kind, id)?;
    if held.len() != length {
        return Ok(false);
    }
    let values = Values::of(of.items, decoder.heap.store.columns());
    for (index, held) in held.iter().enumerate() {
        let raw = values.get(offset + index)?;
        if !is_same(decoder, raw, *held) {
            f(index, raw, *held);
        }
    }
    Ok(true)
}

fn frozen_error(decoder: Decoder<'_>, object: VALUE) -> Trouble {
    // SAFETY: `Pinned` keeps it alive.
    Trouble::Raised(exceptions::frozen(decoder.ruby, unsafe { Value::from_raw(object) }))
}

/// Makes what is to be written into what Ruby has seen, which may fail.
pub fn prepare(decoder: Decoder<'_>) -> Result<Refresh, Trouble> {
    let mut refresh = Refresh::default();
    let seen = decoder.born.seen();
    if seen.is_empty() {
        return Ok(refresh);
    }
    faults::point("writing again what was made")?;
    // SAFETY: `Pinned` keeps all alive.
    let is_frozen = |object: VALUE| unsafe { value::frozen(object) };
    let sorted = sorted(decoder, seen)?;
    for group in &sorted.groups {
        for variable in group.variables(decoder) {
            let (class, name) = (group.class, variable.name.clone());
            let mut write = Write { class, name, objects: Vec::new(), values: Vec::new() };
            group.each_difference(decoder, &variable, |number, (shape, payload), _| {
                let object = group.objects[number];
                if is_frozen(object) {
                    return Err(frozen_error(decoder, object));
                }
                let now = match immediate(shape, payload) {
                    Some(now) => now,
                    None => {
                        let now = black_box(decoder.made_empty(shape, payload)?);
                        decoder.pinned.hold(now)?;
                        now
                    }
                };
                fallible::push(&mut write.objects, object)?;
                fallible::push(&mut write.values, now)?;
                Ok(())
            })?;
            if !write.objects.is_empty() {
                refresh.variables.push(write);
            }
        }
        for (random, kind, id) in group.randoms(decoder)? {
            let held = random_state::state(decoder.ruby, random)?;
            let mut differs = false;
            each_item(decoder, (kind, id), &held_items(held), |_, _, _| differs = true)?;
            if !differs {
                continue;
            }
            if is_frozen(random) {
                return Err(random_states::frozen());
            }
            let items = held_items(decoder.items(kind, id)?.as_raw());
            let dump = random_state::dump(decoder.ruby, random, items.into_iter().map(value::fixnum_value))?;
            decoder.pinned.hold(dump)?;
            fallible::push(&mut refresh.randoms, (random, dump))?;
        }
        if let Some(place) = group.of_class.maker.freezes() {
            let columns = decoder.heap.store.columns();
            let flags = group.of_class.variables[place].payload.map(|buffer| &columns[buffer]);
            let now = |row: usize| flags.is_some_and(|flags| flags.bits(row) & 1 != 0);
            let of_rows = group.rows.iter().zip(&group.objects);
            let freezes = of_rows.filter(|(row, object)| now(**row) && !is_frozen(**object));
            refresh.frozen.extend(freezes.map(|(_, object)| *object));
        }
    }
    for (hierarchy, row, string) in sorted.strings {
        if let Some(now) = texts_now::text_now(decoder, (hierarchy, row), string)? {
            if is_frozen(string) {
                return Err(frozen_error(decoder, string));
            }
            fallible::push(&mut refresh.strings, (string, now))?;
        }
    }
    for (kind, id, array) in sorted.arrays {
        let mut differs = false;
        let same = each_item(decoder, (kind, id), &held_items(array), |_, _, _| differs = true)?;
        refresh.freeze_as_told(decoder, (kind, id), array)?;
        if same && !differs {
            continue;
        }
        if is_frozen(array) {
            return Err(frozen_error(decoder, array));
        }
        let now = decoder.items(kind, id)?;
        fallible::push(&mut refresh.arrays, (array, now.as_raw()))?;
    }
    for (kind, id, hash) in sorted.hashes {
        let [keys, values, _] = decoder.schema().hashes[&kind];
        let (held_keys, held_values) = contents(hash)?;
        let mut differs = false;
        let same = each_item(decoder, (keys, id), &held_keys, |_, _, _| differs = true)?
            && each_item(decoder, (values, id), &held_values, |_, _, _| differs = true)?;
        refresh.freeze_as_told(decoder, (kind, id), hash)?;
        if same && !differs {
            continue;
        }
        if is_frozen(hash) {
            return Err(frozen_error(decoder, hash));
        }
        let [keys, values] = [decoder.items(keys, id)?, decoder.items(values, id)?];
        fallible::push(&mut refresh.hashes, (hash, [keys.as_raw(), values.as_raw()]))?;
    }
    decoder.fill_born()?;
    Ok(refresh)
}

/// The keys and the values of a Hash.
fn contents(hash: VALUE) -> Result<(Vec<VALUE>, Vec<VALUE>), Stop> {
    let [keys, values] = hashes::contents(hash, &mut Default::default())?;
    let lists = (held_items(keys), held_items(values));
    black_box([keys, values]);
    Ok(lists)
}

impl Refresh {
    /// The section has frozen an array or Hash since Ruby has seen it.
    fn freeze_as_told(
        &mut self,
        decoder: Decoder<'_>,
        (kind, id): (ArrayKind, i64),
        value: VALUE,
    ) -> Result<(), Error> {
        // SAFETY: `Pinned` keeps it alive.
        if decoder.is_frozen(kind, id)? && !unsafe { value::frozen(value) } {
            fallible::push(&mut self.frozen, value)?;
        }
        Ok(())
    }

    /// What is sent meanwhile comes when all is written.
    pub fn write(self, decoder: Decoder<'_>) -> Result<(), Trouble> {
        for Write { class, name, objects, values } in self.variables {
            let mut access = Access::new(decoder.ruby, decoder.heap.pool.class(class), &name);
            for (objects, values) in objects.chunks(BLOCK).zip(values.chunks(BLOCK)) {
                // SAFETY: objects and values are kept alive by `Pinned`; they are instances of the class, and not frozen.
                let mut write = || unsafe {
                    access.write(objects, values);
                    value::NIL
                };
                insist(|| Ok(protect(&mut write)?))?;
            }
        }
        for (random, dump) in self.randoms {
            insist(|| Ok(random_state::load(decoder.ruby, random, dump)?))?;
        }
        for (array, now) in self.arrays {
            // SAFETY: as above.
            insist(|| Ok(protect(|| unsafe { rb_sys::rb_ary_replace(array, now) })?))?;
        }
        for (string, now) in self.strings {
            insist(|| changed_strings::replace(string, now))?;
        }
        for (hash, [keys, values]) in self.hashes {
            insist(|| {
                // SAFETY: as above.
                protect(|| unsafe { rb_sys::rb_hash_clear(hash) })?;
                Pairs { keys, values }.put_into(hash)
            })?;
        }
        for object in self.frozen {
            // SAFETY: as above.
            insist(|| Ok(protect(|| unsafe { rb_sys::rb_obj_freeze(object) })?))?;
        }
        Ok(())
    }
}

/// What Ruby has changed of what it has seen, as far as that can be, or what else it has changed.
pub fn read(decoder: Decoder<'_>) -> Result<Result<Changes, String>, Trouble> {
    let mut changes = Changes::default();
    let seen = decoder.born.seen();
    let numbers = Numbers { seen: &seen, all: OnceCell::new() };
    let sorted = sorted(decoder, seen.clone())?;
    // SAFETY: `Pinned` keeps all alive.
    let is_frozen = |object: VALUE| unsafe { value::frozen(object) };
    for group in &sorted.groups {
        let columns = decoder.heap.store.columns();
        let maker = &group.of_class.maker;
        let flags = maker.freezes().and_then(|place| group.of_class.variables[place].payload);
        let was_frozen =
            |row: usize| maker.all_frozen() || flags.is_some_and(|buffer| columns[buffer].bits(row) & 1 != 0);
        if group.rows.iter().zip(&group.objects).any(|(row, object)| is_frozen(*object) && !was_frozen(*row))
        {
            return Ok(Err(format!("an object of {} has been frozen", decoder.heap.pool.name(group.class))));
        }
        for variable in group.variables(decoder) {
            let mut is_known = true;
            group.each_difference(decoder, &variable, |number, (was, _), held| {
                let is = numbers
                    .of(decoder, held)
                    .filter(|is| is.fits(decoder, variable.payload) && is.may_replace(was, variable.types));
                let Some(is) = is else {
                    is_known = false;
                    return Ok(());
                };
                for (buffer, bits) in is.parts((variable.payload, variable.tags)) {
                    fallible::push(&mut changes.cells, Cell { buffer, row: group.rows[number], bits })?;
                }
                // Without a column it is what it is.
                is_known &= variable.payload.is_some() || variable.tags.is_some();
                Ok(())
            })?;
            if !is_known {
                let class = decoder.heap.pool.name(group.class);
                return Ok(Err(format!(
                    "`{}` of an object of {class} that the section has made holds what it cannot hold in the section",
                    variable.name
                )));
            }
        }
    }
    for group in &sorted.groups {
        for (random, kind, id) in group.randoms(decoder)? {
            let held = held_items(random_state::state(decoder.ruby, random)?);
            if !read_items(decoder, &numbers, (kind, id), &held, &mut changes)? {
                return Err(Error::Internal("the state of a Random has another length".into()).into());
            }
        }
    }
    let made = |what: &str| {
        Ok(Err(format!("{what} that the section has made has been changed to what it cannot be in it")))
    };
    for (hierarchy, row, string) in sorted.strings {
        if !is_same_text(decoder, (hierarchy, row), string)? {
            return made("a String");
        }
    }
    for (kind, id, array) in sorted.arrays {
        let held = held_items(array);
        let was_frozen = decoder.is_frozen(kind, id)?;
        if is_frozen(array) && !was_frozen || !read_items(decoder, &numbers, (kind, id), &held, &mut changes)?
        {
            return made("an Array");
        }
    }
    for (kind, id, hash) in sorted.hashes {
        let [keys, values, _] = decoder.schema().hashes[&kind];
        let (held_keys, held_values) = contents(hash)?;
        let mut differs = false;
        let same = each_item(decoder, (keys, id), &held_keys, |_, _, _| differs = true)?;
        if is_frozen(hash) && !decoder.is_frozen(kind, id)?
            || !same
            || differs
            || !looks_up_as_made(decoder, (kind, id), hash)?
            || !read_items(decoder, &numbers, (values, id), &held_values, &mut changes)?
        {
            return made("a Hash");
        }
    }
    Ok(Ok(changes))
}

/// Does a Hash that the section has made still give what it was made to give for a key that it has not?
fn looks_up_as_made(
    decoder: Decoder<'_>,
    (kind, id): (ArrayKind, i64),
    hash: VALUE,
) -> Result<bool, Trouble> {
    let (ruby, schema) = (decoder.ruby, decoder.schema());
    let HashSort { default, by_identity } = hashes::sort(ruby, &decoder.heap.pool, hash);
    if by_identity {
        return Ok(false);
    }
    if let Some(number) = schema.hash_blocks.get(&kind) {
        let block = black_box(decoder.heap.procs.give(*number)?);
        let iseqs = [block, hashes::default_block(ruby, hash)]
            .map(|block| if block == value::NIL { Ok(None) } else { methods::iseq_of(ruby, block) });
        let [made, held] = iseqs;
        return Ok(made?.zip(held?).is_some_and(|(made, held)| made.as_raw() == held.as_raw()));
    }
    let Some(of_default) = schema.hash_defaults.get(&kind) else { return Ok(default == HashDefault::Nil) };
    let mut differs = matches!(default, HashDefault::Block(_));
    let held = [hashes::default(ruby, hash)];
    let same = each_item(decoder, (*of_default, id), &held, |_, _, _| differs = true)?;
    Ok(same && !differs)
}

/// False where more has changed than can.
fn read_items(
    decoder: Decoder<'_>,
    numbers: &Numbers<'_>,
    (kind, id): (ArrayKind, i64),
    held: &[VALUE],
    changes: &mut Changes,
) -> Result<bool, Trouble> {
    let (of, offset, length) = decoder.span_of_array(kind, id)?;
    let (schema, payload, tags) = (&decoder.schema().arrays[of.schema], of.items.payload, of.items.tags);
    let array = id as usize;
    if held.len() != length {
        if !may_grow(decoder.inferred, kind) {
            return Ok(false);
        }
        fallible::push(&mut changes.lengths, Length { kind, array, length: held.len() })?;
    }
    let grows = held.len() > length;
    let values = Values::of(of.items, decoder.heap.store.columns());
    for (index, held) in held.iter().enumerate() {
        let was = if grows { None } else { Some(values.get(offset + index)?) };
        if was.is_some_and(|raw| is_same(decoder, raw, *held)) {
            continue;
        }
        let is = numbers.of(decoder, *held);
        let is = is.filter(|is| is.fits(decoder, payload) && is.is_of(&schema.stored.types));
        let Some(is) = is else { return Ok(false) };
        for (buffer, bits) in is.parts((payload, tags)) {
            fallible::push(&mut changes.items, Item { buffer, kind, array, index, bits })?;
        }
    }
    Ok(true)
}

/// The numbers of all that Ruby has seen and that was read.
struct Numbers<'a> {
    seen: &'a [Known],
    all: OnceCell<FxHashMap<VALUE, Numbered>>,
}

/// A value as columns have it.
#[derive(Clone, Copy)]
struct Numbered {
    shape: Shape,
    payload: i64,
    /// Of an object.
    class: Option<ClassId>,
}

impl Numbers<'_> {
    fn of(&self, decoder: Decoder<'_>, value: VALUE) -> Option<Numbered> {
        let (shape, payload) = match decode(value) {
            Decoded::Nil => (Shape::Nil, 0),
            Decoded::Bool(truth) => (Shape::Bool, i64::from(truth)),
            Decoded::Integer(number) => (Shape::Integer, number),
            Decoded::Float(number) => (Shape::Float, number.to_bits() as i64),
            Decoded::Symbol(symbol) => (Shape::Symbol, i64::from(decoder.heap.symbols.find(symbol)?)),
            Decoded::Array | Decoded::Object | Decoded::Huge => {
                return self.all.get_or_init(|| self.listed(decoder)).get(&value).copied();
            }
        };
        Some(Numbered { shape, payload, class: None })
    }

    fn listed(&self, decoder: Decoder<'_>) -> FxHashMap<VALUE, Numbered> {
        let mut all = FxHashMap::default();
        for (hierarchy, class, base) in decoder.heap.ids.all_classes() {
            for (row, object) in (i64::from(base)..).zip(decoder.pinned.objects(class).iter()) {
                let of = Numbered { shape: Shape::Object(hierarchy), payload: row, class: Some(class) };
                all.insert(*object, of);
            }
        }
        for schema in &decoder.schema().arrays {
            for (row, array) in (0..).zip(decoder.pinned.arrays(schema.kind.0).iter()) {
                all.insert(*array, Numbered { shape: Shape::Array(schema.kind), payload: row, class: None });
            }
        }
        for Known { shape, number, value } in self.seen {
            let class = match shape {
                Shape::Object(hierarchy) => decoder.class_of_born(*hierarchy, *number),
                _ => None,
            };
            all.insert(*value, Numbered { shape: *shape, payload: *number, class });
        }
        all
    }
}

impl Numbered {
    /// A column may hold Integers of 32 bits only.
    fn fits(self, decoder: Decoder<'_>, payload: Option<usize>) -> bool {
        let column = payload.map(|buffer| &decoder.heap.store.columns()[buffer]);
        self.shape != Shape::Integer
            || !matches!(column, Some(Column::I32(_)))
            || i32::try_from(self.payload).is_ok()
    }

    fn is_of(self, types: &TypeSet) -> bool {
        types.iter().any(|ty| match ty {
            Type::Object(_, class) => ty.shape() == self.shape && self.class == Some(*class),
            ty => ty.shape() == self.shape,
        })
    }

    /// May it stand where something of this shape stood? What has been made stands where the section has put it, unless all
    /// that may stand there is known.
    fn may_replace(self, was: Shape, types: Option<&TypeSet>) -> bool {
        match types {
            Some(types) => self.is_of(types),
            None => self.shape == was && !matches!(was, Shape::Object(_) | Shape::Array(_)),
        }
    }

    fn parts(self, (payload, tags): (Option<usize>, Option<usize>)) -> impl Iterator<Item = (usize, i64)> {
        let parts = [(payload, self.payload), (tags, i64::from(self.shape.tag()))];
        parts.into_iter().filter_map(|(buffer, bits)| Some((buffer?, bits)))
    }
}

fn is_same_text(
    decoder: Decoder<'_>,
    (hierarchy, row): (HierarchyId, usize),
    string: VALUE,
) -> Result<bool, Trouble> {
    let (words, size, _) =
        decoder.born.text(decoder.inferred, decoder.heap.store.columns(), hierarchy, row)?;
    // SAFETY: `Pinned` keeps it alive, and nothing runs meanwhile.
    let bytes = unsafe { texts::bytes(string) };
    Ok(texts_now::is_text(bytes, (words, size)))
}
