//! What the code around parallel calls makes, and columns or elements are to have: it gets rows of the columns, so that
//! it is what it would be had it been there before.
//!
//! What a driver makes stays in its scratch memory, unless columns or elements are to have it. Then, from the next walk
//! on, objects of that class, arrays of that kind of lists and Hashes of such lists get rows as soon as they are made
//! (`Memo::of_drivers`, `lists_of_drivers`), and nothing is a copy of them: an object is a row, an array is a number
//! and the place of its items, and from then on changes as those of the heap do, a Hash is three such arrays of one
//! number, of a kind that the host has for it (`Host::made_hash`). A driver is one thread, so it needs no plan of its
//! own for that, as elements do: it has the columns that belong together made longer (`Op::Lengthen`), which leaves it
//! its views of them, and sets the new rows by plain stores. These do not mark a column as written: nobody knows of the
//! row before. An object that may hold what has no row yet, as elements make some of its class, too, is settled as one
//! element's would be. Kinds of these that meet become one, as those of lists do (`unite_rows`), or `list = list.map {
//! … }` would have ever new ones.
//!
//! Elements that only read an array of the driver's have a copy of it; where the walk finds that they change it, or put
//! it somewhere, it gets rows.

use super::joins::has_list;
use super::keys::{Context, JoinKey, Place};
use super::leaving::FROZEN;
use super::operand::{self, Operand};
use super::parallel::holds;
use super::pushing::is_made;
use super::settling::given;
use super::{Condition, Lowerer, is_plain};
use crate::heap::schema::Stored;
use crate::ir::{
    Arrays, BinaryOp, Buffer, BufferInfo, BufferKind, Comparison, Items, Kernel, KernelId, Part, Stmt,
    UnaryOp, Value,
};
use crate::scalar::Ty;
use crate::string_layout::{BYTESIZE, CLASS, ENCODING, FLAGS, ROW, STRING_FROZEN, WORDS};
use crate::types::{ArrayKind, ClassId, HierarchyId, ListKind, Shape, Type, TypeSet};
use std::collections::BTreeSet;

/// Arrays of so few items are made item by item.
const SHORT: usize = 16;

impl Lowerer<'_> {
    /// Where a driver has made something: what columns can hold instead. `None`: another walk is needed, or it is refused.
    pub(super) fn with_rows(&mut self, value: &Operand) -> Option<Operand> {
        if !self.in_driver || !value.types.iter().any(is_made) {
            return Some(value.clone());
        }
        if self.keep_building(&value.types) || self.give_rows(&value.types) {
            return None;
        }
        let mut fails = false;
        let with_rows = self.within_slot(0x3b9, |s| {
            s.switch(value, 0, &mut |s, value| {
                let with_rows = match value.types.single() {
                    Some(ty) if ty.is_made_string() => Some(s.string_with_row(&value)),
                    Some(Type::Tuple(_)) => s.tuple_with_row(&value),
                    _ => Some(value.clone()),
                };
                fails |= with_rows.is_none();
                with_rows.unwrap_or(value)
            })
        });
        if fails || with_rows.is_bottom() {
            return None;
        }
        self.rename_locals(value, &with_rows);
        Some(with_rows)
    }

    /// The variables that hold a value hold another one from here on, which is the same in Ruby.
    fn rename_locals(&mut self, value: &Operand, now: &Operand) {
        if value.types == now.types || value.values.is_empty() {
            return;
        }
        for frame in 0..self.frames.len() {
            for local in 0..self.frames[frame].locals.len() {
                if self.frames[frame].locals[local].operand == *value {
                    let version = self.fresh_version();
                    self.frames[frame].locals[local].assign(now.clone(), version);
                }
            }
        }
    }

    /// Objects of classes of the user's and arrays get rows as soon as a driver makes them, from the next walk on. False if
    /// there are none.
    pub(super) fn give_rows(&mut self, types: &TypeSet) -> bool {
        if !self.in_driver {
            return false;
        }
        let (mut classes, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        self.held_within(types, &mut classes, &mut kinds);
        self.value_classes(types, &mut |class, _| {
            classes.insert(class);
        });
        classes.remove(&ClassId::STRING);
        let before = self.memo.of_drivers.len();
        self.memo.of_drivers.extend(classes);
        let grew = self.memo.of_drivers.len() > before;
        self.memo.restart |= grew;
        self.memo.changed |= grew;
        kinds.into_iter().fold(grew, |grew, kind| self.give_rows_to_lists(kind) | grew)
    }

    /// The same of the arrays of a kind, and the literals that make such arrays.
    fn give_rows_to_lists(&mut self, kind: ListKind) -> bool {
        let copied = self.memo.copied(kind);
        let literals = copied.iter().fold(false, |grew, made| self.grow_literals(made) | grew);
        let grew = self.memo.lists_of_drivers.insert(self.memo.known_list(kind));
        self.memo.restart |= grew;
        self.memo.changed |= grew;
        grew | literals
    }

    /// Do arrays of the kind, made here, get rows as soon as they are made?
    pub(super) fn has_rows(&self, kind: ListKind) -> bool {
        let is_it = |known: &ListKind| self.memo.known_list(*known) == self.memo.known_list(kind);
        self.in_driver && self.memo.lists_of_drivers.iter().any(is_it)
    }

    /// An empty array of the heap instead of a list of that kind.
    pub(super) fn new_array(&mut self, kind: ListKind) -> Operand {
        let array = self.kind_of_rows(kind);
        let id = self.append_nothing(array);
        match self.grow_array(array, id) {
            true => Operand::one(Type::Array(array), id),
            false => Operand::bottom(),
        }
    }

    pub(super) fn append_nothing(&mut self, kind: ArrayKind) -> Value {
        let none = self.b.i64(0);
        self.append_zeros(kind, none).0
    }

    /// An array of the heap with so many items, which are to be set before anything looks at them; gives its number and
    /// the place of the first.
    fn append_zeros(&mut self, kind: ArrayKind, count: Value) -> (Value, Value) {
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= !std::mem::replace(&mut memo.made, true);
        let offsets = self.buffer(BufferKind::ArrayOffset(kind), Ty::I32);
        let lengths = self.buffer(BufferKind::ArrayLength(kind), Ty::I32);
        let one = self.b.i64(1);
        let id = self.b.lengthen(offsets, one);
        let id = self.b.unary(UnaryOp::WrapI64, id);
        let first = self.new_items(kind, count);
        let mut lists = vec![(offsets, first), (lengths, count)];
        if self.array_grows(kind) {
            lists.push((self.buffer(BufferKind::ArrayRoom(kind), Ty::I32), count));
        }
        for (list, number) in lists {
            let number = self.b.unary(UnaryOp::WrapI64, number);
            self.b.store(list, id, number);
        }
        (id, first)
    }

    /// Room for so many items behind those of all arrays of a kind, of a driver: the place of the first.
    pub(super) fn new_items(&mut self, kind: ArrayKind, count: Value) -> Value {
        let stored = Stored::written(self.memo.arrays.entry(kind).or_default().stored.clone());
        let items = self.parts(&|part| BufferKind::ArrayValues(kind, part), &stored);
        match items.payload.or(items.tag) {
            Some(items) => self.b.lengthen(items, count),
            // All are the same, so that no column has them.
            None => self.b.i64(0),
        }
    }

    /// An array of the heap with these items instead of such a list. `None` as ever.
    pub(super) fn array_of_tuple(&mut self, kind: ListKind, tuple: &Operand) -> Option<Operand> {
        let array = self.kind_of_rows(kind);
        self.array_with(array, tuple)
    }

    fn kind_of_rows(&mut self, kind: ListKind) -> ArrayKind {
        let array = self.settled_kind(kind);
        self.memo.rows_of_lists.insert(array, (kind, None));
        array
    }

    pub(super) fn array_with(&mut self, kind: ArrayKind, items: &Operand) -> Option<Operand> {
        if let Some(Type::Tuple(types)) = items.types.single()
            && types.len() <= SHORT
        {
            return self.array_of_items(kind, items);
        }
        let (from, stored, count) = self.items_in_columns(items)?;
        Some(self.append_to((kind, false), from, &stored, (None, count)))
    }

    /// An array of fixed length as one of the heap; what makes it does so from the next walk on, where that is known.
    fn tuple_with_row(&mut self, tuple: &Operand) -> Option<Operand> {
        let grew = self.grow_literals(&tuple.types);
        if self.grow_array_literals(tuple) || grew {
            return None;
        }
        let kind = self.kind_of_tuple(&tuple.types);
        if self.give_rows_to_lists(kind) {
            return None;
        }
        self.array_of_tuple(kind, tuple)
    }

    fn array_of_items(&mut self, kind: ArrayKind, tuple: &Operand) -> Option<Operand> {
        let types = self.types_of_driver_items(tuple)?;
        let memo = self.memo.arrays.entry(kind).or_default();
        let grew = memo.stored.extend(&types) | memo.written.extend(&types);
        let stored = memo.stored.clone();
        self.memo.changed |= grew;
        let mut items = Vec::new();
        for item in self.tuple_items(tuple) {
            items.push(self.with_rows(&item)?);
        }
        let count = self.b.i64(items.len() as i64);
        let (id, first) = self.append_zeros(kind, count);
        for (at, item) in (0..).zip(items) {
            let slot = self.plus(first, at);
            let slot = self.b.unary(UnaryOp::WrapI64, slot);
            self.set_new(&|part| BufferKind::ArrayValues(kind, part), slot, &stored, &item);
        }
        Some(Operand::one(Type::Array(kind), id))
    }

    fn kind_of_tuple(&mut self, tuple: &TypeSet) -> ListKind {
        let place = self.memo.type_number(tuple);
        self.memo.list_kind(JoinKey::new(Place::Fixed(place), 0))
    }

    /// What columns can hold instead of what a driver has made, with its arrays of fixed length that no literal makes (any more).
    pub(super) fn settled_in_driver(&mut self, types: &TypeSet) -> TypeSet {
        let mut settled = self.settled(types);
        for ty in types.iter().filter(|ty| matches!(ty, Type::Tuple(_))) {
            let alone: TypeSet = ty.clone().into();
            let makers = self.memo.array_makers.get(&alone);
            if makers.is_none_or(|places| places.is_subset(&self.memo.grown)) {
                let kind = self.kind_of_tuple(&alone);
                settled.insert(Type::Array(self.settled_kind(kind)));
            }
        }
        settled
    }

    /// A made String as one that has a row.
    fn string_with_row(&mut self, string: &Operand) -> Operand {
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let start = self.start_of(string.value());
        let at = self.plus(start, FLAGS);
        let flags = self.word(at);
        let (half, none) = (self.b.i64(ROW), self.b.i64(0));
        let row = self.b.binary(BinaryOp::Shr, flags, half);
        let has_row = self.b.compare(Comparison::Gt, row, none);
        let hierarchy = self.host.hierarchy(ClassId::STRING);
        let condition = Condition { value: has_row, yes: vec![], no: vec![] };
        self.branch(
            86,
            condition,
            |s| {
                let row = s.plus(row, -1);
                Operand::one(Type::Object(hierarchy, ClassId::STRING), s.b.unary(UnaryOp::WrapI64, row))
            },
            |s| {
                let settled = s.settle_now(string);
                if settled.is_bottom() || s.b.is_dead() {
                    return Operand::bottom();
                }
                // What has been evacuated has its new place there.
                let class = s.b.i64(ClassId::STRING.0.into());
                let at_class = s.plus(start, CLASS);
                s.set_word(at_class, class);
                let row = s.b.unary(UnaryOp::ExtendI32, settled.value());
                let row = s.plus(row, 1);
                let row = s.b.binary(BinaryOp::Shl, row, half);
                let flags = s.b.binary(BinaryOp::Or, flags, row);
                s.set_word(at, flags);
                settled
            },
        )
    }

    /// Gives a row to what the driver has just made.
    pub(super) fn settle_now(&mut self, object: &Operand) -> Operand {
        let types = object.types.clone();
        if self.b.is_dead() || object.is_bottom() || self.keep_made(&types) {
            return Operand::bottom();
        }
        if !self.can_leave(&types) || !self.can_settle(&types) {
            return Operand::bottom();
        }
        self.settle_types(&types);
        // What it holds may be looked at as it is here.
        let within = self.held_by_all(&types);
        if self.give_rows(&within) {
            return Operand::bottom();
        }
        if let Some(Type::Made(class)) = types.single()
            && let Some(row) = self.row_of_made(*class, object)
        {
            return row;
        }
        let kernel = KernelId(self.program.kernels.len() as u32);
        self.program.kernels.push(Kernel::default());
        let (settled, given) = (self.settled(&types), given(&types));
        let into = self.parts(&|part| BufferKind::Result(kernel, part), &Stored::written(settled.clone()));
        let part = |part| BufferKind::Given(kernel, part);
        let from = self.parts(&part, &Stored::written(given.clone()));
        let sized = [into.payload, into.tag, from.payload, from.tag].into_iter().flatten().collect();
        let count = self.b.i64(1);
        self.b.emit(Stmt::Over { kernel, count, own: None, first_same: None, sized });
        let row = self.b.i32(0);
        self.store_parts(&part, row, &given, object);
        self.settle_element(kernel, &|_| Items::default(), Some((types, into)));
        self.b.launch(kernel, None);
        let part = |part| BufferKind::Result(kernel, part);
        self.load_parts(&part, row, &Stored::written(settled), true)
    }

    /// A row for an object of scratch memory, with what its variables hold. `None` where some of these hold what need not
    /// have rows yet, as elements make such objects, too.
    fn row_of_made(&mut self, class: ClassId, object: &Operand) -> Option<Operand> {
        let hierarchy = self.host.hierarchy(class);
        if class == ClassId::STRING {
            return Some(self.row_of_string(hierarchy, object.value()));
        }
        let fields = self.memo.made.get(&class).map(|made| made.fields.clone()).unwrap_or_default();
        if fields.iter().flat_map(|(_, types)| types).any(|ty| is_made(ty) && !ty.is_made_string()) {
            return None;
        }
        let mut values = Vec::new();
        for (name, _) in fields {
            let value = self.read_made(object.value(), class, &name);
            values.push((name, self.with_rows(&value)?));
        }
        let row = self.new_row(hierarchy, class);
        for (name, value) in values {
            self.set_new_variable((hierarchy, &name), row, &value);
            if name == FROZEN && self.any_frozen(hierarchy) && value.types.single_shape() == Some(Shape::Bool)
            {
                self.set_frozen(hierarchy, row, value.value());
            }
        }
        if self.is_always_frozen(class) && self.any_frozen(hierarchy) {
            let frozen = self.b.bool(true);
            self.set_frozen(hierarchy, row, frozen);
        }
        Some(Operand::one(Type::Object(hierarchy, class), row))
    }

    fn set_frozen(&mut self, hierarchy: HierarchyId, row: Value, frozen: Value) {
        let buffer = self.buffer(BufferKind::Frozen(hierarchy), Ty::Bool);
        self.b.store(buffer, row, frozen);
    }

    fn set_new_variable(&mut self, (hierarchy, name): (HierarchyId, &str), row: Value, value: &Operand) {
        let known = self.memo.columns.get(&(hierarchy, name.to_string()));
        let stored = known.map_or_else(TypeSet::empty, |memo| memo.stored.clone());
        let part = |part| BufferKind::Column { hierarchy, name: name.to_string(), part };
        self.set_new(&part, row, &stored, value);
    }

    /// Sets a value in a new row.
    fn set_new(&mut self, part: &dyn Fn(Part) -> BufferKind, row: Value, stored: &TypeSet, value: &Operand) {
        if operand::covers(stored, &value.types) {
            self.store_new_parts(part, row, stored, value);
        } else {
            self.memo.changed |= true;
        }
    }

    /// A row behind those of all objects of a hierarchy, for one of this class.
    fn new_row(&mut self, hierarchy: HierarchyId, class: ClassId) -> Value {
        let places = self.buffer(BufferKind::Places(hierarchy), Ty::I32);
        let one = self.b.i64(1);
        let row = self.b.lengthen(places, one);
        let row = self.b.unary(UnaryOp::WrapI64, row);
        let place = self.b.i32(self.host.class_index(hierarchy, class) as i32);
        self.b.store(places, row, place);
        row
    }

    /// A row for a String of scratch memory, and an array of words for its bytes.
    fn row_of_string(&mut self, hierarchy: HierarchyId, string: Value) -> Operand {
        let start = self.start_of(string);
        let (bytes, from) = self.string_in_memory(start);
        let at = self.plus(start, FLAGS);
        let flags = self.word(at);
        let kind = self.host.string_words();
        // As `words_outside` says.
        let count = self.op(BinaryOp::Shr, bytes, 3);
        let count = self.plus(count, 1);
        let (id, first) = self.append_zeros(kind, count);
        let (zero, words) = (self.b.i64(0), self.string_words(bytes));
        let buffer = self.buffer(BufferKind::ArrayValues(kind, Part::Payload), Ty::I64);
        self.within_slot(0x3ba, |s| {
            s.counted(zero, words, 1, &mut |s, i, _, _| {
                let (source, target) =
                    (s.b.binary(BinaryOp::Add, from, i), s.b.binary(BinaryOp::Add, first, i));
                let (word, target) = (s.word(source), s.b.unary(UnaryOp::WrapI64, target));
                s.b.store(buffer, target, word);
            });
        });
        let row = self.new_row(hierarchy, ClassId::STRING);
        let array = Operand::one(Type::Array(kind), id);
        let [size, held] = [bytes, flags].map(Operand::integer);
        for (name, value) in [(BYTESIZE, size), (ENCODING, held), (WORDS, array)] {
            self.set_new_variable((hierarchy, name), row, &value);
        }
        if self.any_frozen(hierarchy) {
            let bit = self.b.i64(STRING_FROZEN);
            let is_frozen = self.b.binary(BinaryOp::And, flags, bit);
            let is_frozen = self.b.compare(Comparison::Ne, is_frozen, zero);
            self.set_frozen(hierarchy, row, is_frozen);
        }
        Operand::one(Type::Object(hierarchy, ClassId::STRING), row)
    }

    /// What is held by what objects are.
    fn held_by_all(&mut self, types: &TypeSet) -> TypeSet {
        let all: Vec<TypeSet> = types.iter().flat_map(|ty| self.held_by(ty)).collect();
        all.iter().fold(TypeSet::empty(), |all, types| all.union(types))
    }

    /// What variables of objects that the driver makes hold has a row where they have one. `None` as ever.
    pub(super) fn field_with_rows(&mut self, class: ClassId, name: &str, value: &Operand) -> Option<Operand> {
        let gets_rows = self.in_driver && self.memo.of_drivers.contains(&class) && name != FROZEN;
        if gets_rows && has_list(&value.types) { self.with_rows(value) } else { Some(value.clone()) }
    }

    /// Elements have a copy of an array of the driver's, made of a list of that kind.
    pub(super) fn note_copy(&mut self, kind: ArrayKind, of: ListKind) {
        self.driving.list_copies.insert(kind, of);
    }

    /// A copy of an array of the driver's is about to be changed, or to be put elsewhere: from the next walk on it is that
    /// array itself. False if there is none.
    pub(super) fn give_rows_to_copied(&mut self, types: &TypeSet) -> bool {
        let copied = types.iter().filter_map(|ty| match ty {
            Type::Array(kind) => self.driving.list_copies.get(kind).copied(),
            _ => None,
        });
        let copied: Vec<ListKind> = copied.collect();
        copied.into_iter().fold(false, |grew, kind| self.give_rows_to_lists(kind) | grew)
    }

    /// An array of the driver's own memory as one of the heap, where elements can read it.
    pub(super) fn on_heap(&mut self, key: Context, array: &Operand) -> Option<Operand> {
        let (from, stored, count) = self.items_in_columns(array)?;
        Some(self.append_array(key, from, &stored, (None, count)))
    }

    /// What the items of an array of the driver's are, as columns have them. `None`: another walk is needed, or it is
    /// refused.
    pub(super) fn types_of_driver_items(&mut self, array: &Operand) -> Option<TypeSet> {
        let types = array.types.iter().fold(TypeSet::empty(), |all, ty| all.union(&self.types_of_items(ty)));
        if !is_plain(&types) && self.give_rows(&types) {
            return None;
        }
        let types = self.settled_in_driver(&types);
        // Which class it is needs no row.
        let kept = types.filter(|ty| !matches!(ty, Type::Module(_)));
        if !is_plain(&kept) || operand::scalars(&types).is_none() {
            self.refuse_here(
                "unsupported-capture",
                format!("elements cannot use an array of {} that the section makes", self.describe(&types)),
                Some("give them arrays of numbers or of objects that exist".into()),
            );
            return None;
        }
        Some(types)
    }

    /// The items of an array of the driver's in columns of their own, and how many there are.
    pub(super) fn items_in_columns(&mut self, array: &Operand) -> Option<(Items, Stored, Value)> {
        let types = self.types_of_driver_items(array)?;
        let kernel = KernelId(self.program.kernels.len() as u32);
        self.program.kernels.push(Kernel::default());
        let stored = Stored::written(types.clone());
        let part = |part| BufferKind::Result(kernel, part);
        let from = self.parts(&part, &stored);
        let sized: Vec<Buffer> = from.payload.into_iter().chain(from.tag).collect();
        let count = match array.types.single() {
            Some(Type::List(_)) => self.list_length(array.value()),
            _ => self.b.i64(self.tuple_items(array).len() as i64),
        };
        self.b.emit(Stmt::Over { kernel, count, own: None, first_same: None, sized });
        let store = |s: &mut Self, index: Value, item: &Operand| {
            let row = s.b.unary(UnaryOp::WrapI64, index);
            if let Some(item) = s.with_rows(item).filter(|item| !item.is_bottom()) {
                s.store_parts(&part, row, &types, &item);
            }
        };
        if let Some(Type::List(kind)) = array.types.single() {
            let (kind, list, zero) = (*kind, array.value(), self.b.i64(0));
            self.counted(zero, count, 1, &mut |s, index, _, _| {
                let item = s.list_item(kind, list, index);
                store(s, index, &item);
            });
        } else {
            for (number, item) in self.tuple_items(array).into_iter().enumerate() {
                let index = self.b.i64(number as i64);
                store(self, index, &item);
            }
        }
        Some((from, stored, count))
    }

    /// A new array of these rows, of a kind that belongs to the place of the call.
    pub(super) fn append_array(
        &mut self,
        key: Context,
        from: Items,
        stored: &Stored,
        (given, count): (Option<Buffer>, Value),
    ) -> Operand {
        let kind = self.kind_at(key);
        let local = self.is_local(kind);
        self.append_to((kind, local), from, stored, (given, count))
    }

    pub(super) fn append_to(
        &mut self,
        (kind, local): (ArrayKind, bool),
        from: Items,
        stored: &Stored,
        (given, count): (Option<Buffer>, Value),
    ) -> Operand {
        let memo = self.memo.arrays.entry(kind).or_default();
        let grew = memo.stored.extend(&stored.types) | memo.written.extend(&stored.types) | !memo.made;
        memo.made = true;
        let all = memo.stored.clone();
        self.memo.changed |= grew;
        let items = self.parts(&|part| BufferKind::ArrayValues(kind, part), &Stored::written(all));
        let offset = self.buffer(BufferKind::ArrayOffset(kind), Ty::I32);
        let length = self.buffer(BufferKind::ArrayLength(kind), Ty::I32);
        // Of none it does not matter what they are.
        let none = stored.types.is_empty().then(|| Shape::Nil.tag());
        let shape = stored.types.single_shape().map(Shape::tag).or(none);
        let tag = if from.tag.is_none() && items.tag.is_some() { shape } else { None };
        let id = self.b.append((from, tag), (given, count), (Arrays { offset, length, items }, local));
        Operand::one(Type::Array(kind), id)
    }

    /// Are numbers of such arrays in values of the driver only, as far as is known?
    fn is_local(&self, kind: ArrayKind) -> bool {
        self.is_nowhere(kind, self.memo.variables.values())
    }

    /// Or in variables that blocks of `Ikra.sync` are shown?
    pub(super) fn is_only_shown(&self, kind: ArrayKind) -> bool {
        let others = self.memo.variables.iter().filter(|(key, _)| !self.shown.contains(key));
        self.is_nowhere(kind, others.map(|(_, types)| types))
    }

    /// Do neither these variables nor any columns, lists and results hold such arrays?
    fn is_nowhere<'a>(&'a self, kind: ArrayKind, variables: impl Iterator<Item = &'a TypeSet>) -> bool {
        let memo = &self.memo;
        let columns = memo.columns.values().map(|column| &column.stored);
        let arrays = memo.arrays.values().map(|array| &array.stored);
        let given = variables.chain(memo.kernel_results.values()).chain(memo.accumulators.values());
        let lists = memo.lists.iter().map(|list| &list.items);
        let fields = memo.made.values().flat_map(|made| made.fields.iter().map(|(_, types)| types));
        let mut stored = columns.chain(arrays).chain(given).chain(lists).chain(fields);
        self.function.is_none() && !self.array_grows(kind) && !stored.any(|types| holds(types, kind))
    }

    /// In a driver: did a parallel call give such an array?
    pub(crate) fn is_of_calls(&self, ty: &Type) -> bool {
        self.in_driver && matches!(ty, Type::Array(kind) if self.driving.made_kinds.contains(kind))
    }

    /// The kind of the arrays that the call at this place makes.
    fn kind_at(&mut self, key: Context) -> ArrayKind {
        let number = self.memo.made_kind(key);
        let kind = self.host.made_kind(number);
        self.driving.made_kinds.insert(kind);
        kind
    }

    /// The columns of a value that is kept so.
    pub(super) fn parts(&mut self, kind: &dyn Fn(Part) -> BufferKind, stored: &Stored) -> Items {
        let (tag, payload) = stored.scalars();
        let [payload, tag] = [(Part::Payload, payload), (Part::Tag, tag)]
            .map(|(part, ty)| ty.map(|ty| self.buffer(kind(part), ty)));
        for buffer in payload.iter().chain(&tag) {
            let info: &mut BufferInfo = &mut self.program.buffers[buffer.0 as usize];
            info.written |= matches!(info.kind, BufferKind::Result(..));
        }
        Items { payload, tag }
    }
}
