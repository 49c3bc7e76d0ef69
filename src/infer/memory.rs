//! Instance variables, arrays and roots: the loads and stores of the section, and the buffers behind them.

use super::Lowerer;
use super::births::{Birth, Holder};
use super::exceptions::{RECEIVER, SUBJECT};
use super::flows::Variable;
use super::hash_rows::has_default_block;
use super::held_procs::Closure;
use super::host::{RootKey, Scope};
use super::keys::{JoinKey, Place};
use super::operand::{self, Operand, Values, is_tagged};
use super::remembered::Holders;
use crate::heap::schema::{ArraySchema, Base, BaseColumn, ColumnSchema, Schema, Stored};
use crate::ir::{
    BinaryOp, Buffer, BufferInfo, BufferKind, Comparison, ErrorKind, KernelId, MessagePart, Part, Scalar,
    ScalarInfo, ScalarSource, UnaryOp, Value,
};
use crate::scalar::{Interval, Ty};
use crate::types::{ArrayKind, ClassId, HashPart, HierarchyId, METHOD, RangeEnd, Shape, Type, TypeSet};
use smallvec::smallvec;

impl Lowerer<'_> {
    pub(crate) fn buffer(&mut self, kind: BufferKind, ty: Ty) -> Buffer {
        if let Some(&buffer) = self.buffers.get(&kind) {
            // What the column holds became wider since: the walk is done again.
            let info = &mut self.program.buffers[buffer.0 as usize];
            self.memo.changed |= info.ty != ty;
            info.ty = ty;
            return buffer;
        }
        let buffer = Buffer(self.program.buffers.len() as u32);
        self.program.buffers.push(BufferInfo { kind: kind.clone(), ty, written: false });
        self.buffers.insert(kind, buffer);
        buffer
    }

    pub(crate) fn scalar(&mut self, source: ScalarSource, ty: Ty, interval: Interval) -> Value {
        let next = Scalar(self.program.scalars.len() as u32);
        let scalar = *self.scalars.entry(source.clone()).or_insert(next);
        if scalar == next {
            self.program.scalars.push(ScalarInfo { source, ty });
        }
        self.b.scalar(scalar, ty, interval)
    }

    /// First id of a class (by its index in the hierarchy).
    pub(crate) fn class_base(&mut self, hierarchy: HierarchyId, index: u32) -> Value {
        self.scalar(ScalarSource::ClassBase(hierarchy, index), Ty::I32, Interval::INDEX)
    }

    // ---- roots ---------------------------------------------------------------------------------------------------

    /// A root as the current code sees it, which can be that of a lambda made around the section.
    pub(crate) fn own_root(&mut self, key: RootKey) -> Option<Operand> {
        match self.frame().closure {
            Some(Closure::Root(closure)) => self.root(&RootKey::Within(closure, Box::new(key))),
            Some(Closure::Receiver) => self.root_of_receiver(&key),
            Some(Closure::Method(closure)) if matches!(key, RootKey::Captured(_)) => {
                self.root(&RootKey::Within(closure, Box::new(key)))
            }
            Some(Closure::Method(_)) => self.root(&key),
            None => self.root(&key),
        }
    }

    /// A captured local, constant or self; `None` where there is no such thing.
    pub(crate) fn root(&mut self, key: &RootKey) -> Option<Operand> {
        let root = match self.host.root(key) {
            Ok(root) => root?,
            Err(refusal) => return Some(self.refuse(refusal)),
        };
        let number = root.number;
        let values = match &root.ty {
            Type::Nil | Type::Module(_) => vec![],
            Type::Proc(literal) => return Some(self.outer_proc(number, literal & METHOD)),
            // True and false are told apart at each call, so that a changed flag does not compile anew.
            Type::True | Type::False => {
                let value = self.scalar(
                    ScalarSource::Root(number, Part::Payload),
                    Ty::Bool,
                    Interval { low: 0, high: 1 },
                );
                return Some(Operand::bool(value));
            }
            Type::Range { low, high, .. } => [(*low, 0), (*high, 1)]
                .into_iter()
                .filter_map(|(end, n)| Some((operand::end_ty(end)?, n)))
                .map(|(ty, n)| self.scalar(ScalarSource::RootRange(number, n), ty, Interval::FULL))
                .collect(),
            other => {
                let ty = other.shape().scalar().unwrap_or(Ty::I64);
                let interval = match ty {
                    Ty::I64 if root.fits_i32 => Interval::I32,
                    Ty::I32 => Interval::INDEX,
                    _ => Interval::FULL,
                };
                vec![self.scalar(ScalarSource::Root(number, Part::Payload), ty, interval)]
            }
        };
        Some(Operand { types: root.ty.into(), values: values.into(), birth: Birth::UNKNOWN })
    }

    /// A constant as the current code sees it.
    pub(crate) fn constant(&mut self, path: &[String], absolute: bool) -> Operand {
        let scope = self.frame().scope.clone();
        let key = RootKey::Constant { scope, path: path.to_vec(), absolute };
        match self.own_root(key.clone()) {
            Some(operand) => operand,
            None => self.no_constant(&key, format!("uninitialized constant {}", path.join("::"))),
        }
    }

    /// There is no such constant.
    fn no_constant(&mut self, key: &RootKey, message: String) -> Operand {
        match self.host.missing_constant(key) {
            Ok(Some(missing)) => {
                let module = Operand { types: Type::Module(missing.module).into(), ..Operand::nil() };
                let given = [(RECEIVER, module), (SUBJECT, self.symbol(&missing.name))];
                let message = vec![MessagePart::Text(missing.message)];
                self.fail_keeping(ClassId::NAME_ERROR, message, &[], &given)
            }
            Ok(None) => self.refuse_here(
                "uninitialized-constant",
                message,
                Some(
                    "define the constant before the section runs; one that is loaded when it is named first \
                     (autoload, const_missing) by naming it there"
                        .into(),
                ),
            ),
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// A class variable as the current code sees it.
    pub(crate) fn class_variable(&mut self, name: &str) -> Operand {
        if let Some((known, number)) = self.shared_class_variable(name, false) {
            return self.read_shared(&known, number);
        }
        let scope = self.frame().scope.clone();
        match self.own_root(RootKey::ClassVariable { scope, name: name.into() }) {
            Some(operand) => operand,
            None => self.refuse_here(
                "uninitialized-class-variable",
                format!("the class variable {name} has no value here"),
                Some("assign it in the class's body".into()),
            ),
        }
    }

    /// A constant of a class or module that is a value: `module` is that, or its class if `of_class`.
    pub(crate) fn constant_of(&mut self, module: &Operand, path: &[String], of_class: bool) -> Operand {
        self.switch(module, 19, &mut |s, part| {
            let class = match part.types.iter().next() {
                Some(ty) if of_class => super::sites::class_of(ty),
                Some(Type::Module(class)) => *class,
                Some(Type::Nil) if module.types.len() > 1 => {
                    return s.fail(ErrorKind::TypeError("nil is not a class/module".into()), &[]);
                }
                _ => {
                    return s.refuse_here(
                        "unsupported-computed-constant",
                        "a constant is looked up in something that is no class or module known in the section",
                        Some("write the module's name, as in `Car::LIMIT`".into()),
                    );
                }
            };
            let key = RootKey::ConstantOf(class, path.to_vec());
            match s.root(&key) {
                Some(operand) => operand,
                None => {
                    let class = s.host.class_name(class);
                    s.no_constant(&key, format!("uninitialized constant {class}::{}", path.join("::")))
                }
            }
        })
    }

    // ---- instance variables ----------------------------------------------------------------------------------------

    /// Asks the host what `name` holds in the receiver's classes and adds that to the column.
    fn column(&mut self, receiver: &Operand, name: &str) -> Option<(HierarchyId, TypeSet)> {
        let mut found: Option<(HierarchyId, TypeSet)> = None;
        for ty in receiver.types.clone().iter() {
            let Type::Object(hierarchy, class) = ty else {
                self.refuse_here(
                    "unsupported-receiver",
                    format!("{} has no instance variables in a section", self.describe(&receiver.types)),
                    Some("keep state in the objects of the base or in objects they refer to".into()),
                );
                return None;
            };
            let mut contents = match self.host.column(*hierarchy, *class, name) {
                Ok(contents) => contents,
                Err(refusal) => {
                    self.refuse(refusal);
                    return None;
                }
            };
            contents.types.extend(&self.variable_of_settled(*class, name));
            let memo = self.memo.columns.entry((*hierarchy, name.to_string())).or_default();
            if !memo.classes.contains(class) {
                memo.classes.push(*class);
                self.memo.changed |= true;
            }
            let memo = self.memo.columns.entry((*hierarchy, name.to_string())).or_default();
            self.memo.changed |= memo.stored.extend(&contents.types);
            match &mut found {
                Some((_, types)) => {
                    types.extend(&contents.types);
                }
                None => found = Some((*hierarchy, contents.types)),
            }
        }
        found
    }

    /// How a column is stored, as far as this walk knows.
    fn column_stored(&mut self, hierarchy: HierarchyId, name: &str) -> Stored {
        let memo = &self.memo.columns[&(hierarchy, name.to_string())];
        let (types, classes) = (memo.stored.clone(), memo.classes.clone());
        if memo.is_written || memo.grows || !memo.read {
            return Stored::written(types);
        }
        Stored::read_only(types, || {
            classes.iter().all(|c| self.host.column(hierarchy, *c, name).is_ok_and(|c| c.integers_fit_i32))
        })
    }

    /// What a variable of an object can hold.
    pub(crate) fn types_of_variable(&mut self, ty: &Type, name: &str) -> TypeSet {
        match ty {
            Type::Object(hierarchy, _) => {
                let object =
                    Operand { types: ty.clone().into(), values: Values::new(), birth: Birth::UNKNOWN };
                let found = self.column(&object, name).map_or_else(TypeSet::empty, |(_, types)| types);
                let key = (*hierarchy, name.to_string());
                self.memo.columns.get(&key).map_or_else(TypeSet::empty, |memo| found.union(&memo.written))
            }
            Type::Record(record) => {
                let field = record.fields.iter().find(|(field, _)| field == name);
                field.map_or_else(|| Type::Nil.into(), |(_, types)| types.clone())
            }
            Type::Made(class) => {
                let field =
                    self.memo.made.get(class).and_then(|made| made.fields.iter().find(|(f, _)| f == name));
                field.map_or_else(TypeSet::empty, |(_, types)| types.clone())
            }
            _ => TypeSet::empty(),
        }
    }

    pub(crate) fn read_ivar(&mut self, receiver: &Operand, name: &str) -> Operand {
        if let Some(Type::Module(class)) = receiver.types.single() {
            if let Some((known, number)) = self.shared_of_module(*class, name, false) {
                return self.read_shared(&known, number);
            }
            let key = RootKey::ModuleIvar(*class, name.into());
            return self.root(&key).unwrap_or_else(Operand::nil);
        }
        if receiver.is_bottom() {
            return Operand::bottom();
        }
        if let Some(operand) = self.record_variable(receiver, name) {
            return operand;
        }
        let Some((hierarchy, mut types)) = self.column(receiver, name) else { return Operand::bottom() };
        let key = (hierarchy, name.to_string());
        let memo = self.memo.columns.get_mut(&key).expect("asked just now");
        memo.read = true;
        types.extend(&memo.written);
        let mutable = memo.is_written;
        let stored = self.column_stored(hierarchy, name);
        let part = |part| BufferKind::Column { hierarchy, name: name.to_string(), part };
        let id = receiver.value();
        self.watch_variable(hierarchy, name, id, false);
        let stored = self.load_parts(&part, id, &stored, mutable);
        self.check_stored_made(&stored, name);
        if self.in_driver {
            types = types.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_)));
        }
        let operand = self.narrow(&stored, &types);
        let operand = self.refine(operand);
        self.births.flows.read(operand, &Variable::Column(hierarchy, name.to_string()))
    }

    pub(crate) fn write_ivar(&mut self, receiver: &Operand, name: &str, value: &Operand) {
        if receiver.is_bottom() || value.is_bottom() || self.b.is_dead() {
            return;
        }
        if self.write_record(receiver, name, value) {
            return;
        }
        if let Some(Type::Module(class)) = receiver.types.single() {
            if let Some((known, number)) = self.shared_of_module(*class, name, true) {
                self.write_shared(&known, number, value);
            }
            return;
        }
        let Some(value) = &self.prepare_stored(receiver, name, value) else { return };
        let Some((hierarchy, _)) = self.column(receiver, name) else { return };
        let key = (hierarchy, name.to_string());
        let Some(value) = &self.listed_in_column(&key, value) else { return };
        let who = self.watcher();
        let written_before = self.memo.columns.values().filter(|memo| memo.is_written).count();
        let memo = self.memo.columns.get_mut(&key).expect("asked just now");
        if !memo.is_written {
            memo.place = written_before;
        }
        let grew = memo.written.extend(&value.types)
            | memo.stored.extend(&value.types)
            | memo.written_by.insert(who)
            | !memo.is_written;
        memo.is_written = true;
        let stored = memo.stored.clone();
        self.memo.changed |= grew;
        self.memo.unite_rows(&stored);
        self.births.flows.write(value, &Variable::Column(hierarchy, name.to_string()), self.memo);
        let id = receiver.value();
        // Of what is known of Strings it has been seen to.
        if !name.starts_with('#') {
            self.check_unfrozen(hierarchy, id);
        }
        self.watch_variable(hierarchy, name, id, true);
        let part = |part| BufferKind::Column { hierarchy, name: name.to_string(), part };
        self.store_parts(&part, id, &stored, value);
        if self.is_remembered(receiver, name) {
            self.remember(&Holders::Objects(hierarchy, name.to_string()), id, &value.types);
        }
        self.note_late(receiver, name);
    }

    /// Something of the object is about to change.
    pub(super) fn check_unfrozen(&mut self, hierarchy: HierarchyId, id: Value) {
        if self.any_frozen(hierarchy) {
            let is_frozen = self.is_frozen(hierarchy, id);
            let ok = self.b.unary(UnaryOp::Not, is_frozen);
            self.check(ok, ErrorKind::Frozen(hierarchy), &[id]);
        }
    }

    /// Is the object frozen?
    pub(crate) fn is_frozen(&mut self, hierarchy: HierarchyId, id: Value) -> Value {
        if !self.any_frozen(hierarchy) {
            return self.b.bool(false);
        }
        let frozen = self.buffer(BufferKind::Frozen(hierarchy), Ty::Bool);
        self.b.load(frozen, id, Ty::Bool, false)
    }

    /// Is the array frozen?
    pub(crate) fn is_frozen_array(&mut self, kind: ArrayKind, id: Value) -> Value {
        if !self.host.any_frozen_array(kind) {
            return self.b.bool(false);
        }
        let frozen = self.buffer(BufferKind::FrozenArray(kind), Ty::Bool);
        self.b.load(frozen, id, Ty::Bool, false)
    }

    /// Can the value be kept in a column? Refuses what lives in a section only.
    pub(crate) fn is_storable(&mut self, value: &Operand) -> bool {
        if self.give_rows_to_copied(&value.types) || self.give_rows_to_hashes(&value.types) {
            return false;
        }
        // `initialize` may give its object away.
        if self.keep_building(&value.types) {
            return false;
        }
        let local = value
            .types
            .filter(|t| matches!(t.shape(), Shape::Local | Shape::List | Shape::Made | Shape::Proc));
        if local.is_empty() {
            return true;
        }
        let what = self.describe(&local);
        let hint = match local.iter().next() {
            Some(Type::Range { .. }) => "store its ends, each in a variable of its own",
            Some(ty) if has_default_block(ty) => {
                "let its default block use the Hash, the key and constants, and no variables or self"
            }
            Some(ty) if ty.is_made_hash() => "let the section give it (`pmap`), and store it then",
            Some(ty) if ty.is_made_string() => {
                "let the section give it (`pmap`), and store it then; or put it into an array or a Hash that the \
                 section makes and gives"
            }
            Some(Type::Record(_) | Type::Made(_) | Type::Building(..)) => {
                "make the objects before the section and set their variables here, or store the numbers one by one"
            }
            Some(Type::Proc(_) | Type::Enumerator(..)) => {
                "store a Symbol, and call what it stands for in a `case`"
            }
            _ => "write its items into an array that exists, or store its numbers one by one",
        };
        self.refuse_here(
            "unsupported-store",
            format!("{what} cannot be stored in an object or array by a section"),
            Some(hint.into()),
        );
        false
    }

    /// Loads the parts of a value kept as `stored` in the buffers of `kind`.
    pub(crate) fn load_parts(
        &mut self,
        kind: &dyn Fn(Part) -> BufferKind,
        index: Value,
        stored: &Stored,
        mutable: bool,
    ) -> Operand {
        if let Some(Type::Module(_)) = stored.types.single() {
            // Which one it is stands in the code.
            return Operand { types: stored.types.clone(), values: Values::new(), birth: Birth::UNKNOWN };
        }
        let (tag, payload) = stored.scalars();
        let mut values = Values::new();
        if let Some(ty) = tag {
            let buffer = self.buffer(kind(Part::Tag), ty);
            values.push(self.b.load(buffer, index, ty, mutable));
        }
        if let Some(ty) = payload {
            let is_id = matches!(stored.types.single_shape(), Some(Shape::Object(_) | Shape::Array(_)));
            let buffer = self.buffer(kind(Part::Payload), ty);
            values.push(if stored.narrow {
                let value = self.b.load(buffer, index, ty, mutable);
                self.b.unary(UnaryOp::ExtendI32, value)
            } else if is_id && !mutable {
                self.b.load_index(buffer, index)
            } else {
                self.b.load(buffer, index, ty, mutable)
            });
        }
        Operand { types: stored.types.clone(), values, birth: Birth::UNKNOWN }
    }

    pub(crate) fn store_parts(
        &mut self,
        kind: &dyn Fn(Part) -> BufferKind,
        index: Value,
        stored: &TypeSet,
        value: &Operand,
    ) {
        for buffer in self.store_new_parts(kind, index, stored, value) {
            self.program.buffers[buffer.0 as usize].written = true;
        }
    }

    /// The same in a row that nothing has looked at yet; gives the columns.
    pub(super) fn store_new_parts(
        &mut self,
        kind: &dyn Fn(Part) -> BufferKind,
        index: Value,
        stored: &TypeSet,
        value: &Operand,
    ) -> Vec<Buffer> {
        let values = match stored.single() {
            // Ruby reads which one it is.
            Some(Type::Module(class)) => smallvec![self.b.i32(class.0 as i32)],
            _ => self.convert(value, stored),
        };
        let (tag, payload) = stored.column_scalars();
        if values.is_empty() && payload.is_some() && !value.is_bottom() {
            self.refuse_here(
                "unsupported-store",
                format!("{} cannot be told apart where it is stored", self.describe(stored)),
                Some("store values of one kind, and Hashes with one default block".into()),
            );
            return vec![];
        }
        let mut buffers = Vec::new();
        let mut values = values.into_iter();
        for (part, ty) in [(Part::Tag, tag), (Part::Payload, payload)] {
            let (Some(ty), Some(value)) = (ty, ty.and_then(|_| values.next())) else { continue };
            let buffer = self.buffer(kind(part), ty);
            buffers.push(buffer);
            if self.program.buffers[buffer.0 as usize].ty == self.b.ty(value) {
                self.b.store(buffer, index, value);
            } else {
                self.memo.changed |= true;
            }
        }
        buffers
    }

    /// Stores what the section gives for the current element.
    pub(crate) fn store_result(&mut self, value: &Operand) {
        let value = &self.held(value);
        if self.b.is_dead() || value.is_bottom() || self.store_settled_result(value) {
            return;
        }
        let known = self.memo.result.clone();
        let stored = self.memo.join(&known, &value.types, JoinKey::new(Place::Section, 0));
        if stored != known {
            self.memo.result = stored.clone();
            self.memo.changed |= true;
        }
        if super::results::is_plain(&stored) {
            self.note_held(Holder::Result, value);
            let index = self.element_index();
            self.store_parts(&|part| BufferKind::Result(KernelId(0), part), index, &stored, value);
        } else {
            self.store_result_words(value, &stored);
        }
    }

    // ---- arrays ----------------------------------------------------------------------------------------------------

    /// The length of an array of the heap, as an Integer; equal for one array wherever it is asked.
    pub(crate) fn array_length(&mut self, kind: ArrayKind, id: Value) -> Value {
        if self.array_grows(kind) {
            return self.changing_length(kind, id);
        }
        let buffer = self.buffer(BufferKind::ArrayLength(kind), Ty::I32);
        let length = self.b.load_index(buffer, id);
        self.b.unary(UnaryOp::ExtendI32, length)
    }

    /// What the arrays of a kind hold: (as read, mutable).
    pub(super) fn array_contents(&mut self, kind: ArrayKind) -> Option<(TypeSet, bool)> {
        let contents = match self.host.elements(kind) {
            Ok(contents) => contents,
            Err(refusal) => {
                self.refuse(refusal);
                return None;
            }
        };
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.stored.extend(&contents.types);
        let read = contents.types.union(&memo.written);
        Some((read, memo.is_written))
    }

    /// How the arrays of a kind are stored, as far as this walk knows.
    pub(super) fn array_stored(&mut self, kind: ArrayKind) -> Stored {
        let memo = &self.memo.arrays[&kind];
        let types = memo.stored.clone();
        if memo.is_written || memo.made || !memo.read {
            return Stored::written(types);
        }
        Stored::read_only(types, || self.host.elements(kind).is_ok_and(|contents| contents.integers_fit_i32))
    }

    /// What arrays of the type hold.
    pub(crate) fn types_of_items(&mut self, ty: &Type) -> TypeSet {
        match ty {
            Type::Array(kind) | Type::Column(kind, _) => {
                self.array_contents(*kind).map_or_else(TypeSet::empty, |(read, _)| read)
            }
            Type::List(kind) => self.memo.list(*kind).items.clone(),
            Type::Tuple(items) => items.iter().fold(TypeSet::empty(), |all, types| all.union(types)),
            _ => TypeSet::empty(),
        }
    }

    /// The item at `index` (an `I64` known to be in `0...length`).
    pub(crate) fn array_item(&mut self, kind: ArrayKind, id: Value, index: Value) -> Operand {
        self.array_item_if(None, kind, id, index)
    }

    /// The same, of use only where a condition holds: then the index is this one.
    fn array_item_if(
        &mut self,
        condition: Option<(Value, Value)>,
        kind: ArrayKind,
        id: Value,
        index: Value,
    ) -> Operand {
        let Some((mut read, mutable)) = self.array_contents(kind) else {
            return Operand::bottom();
        };
        if self.in_driver {
            // What a driver sees has a row.
            read = read.filter(|ty| !matches!(ty, Type::List(_) | Type::Made(_)));
        }
        self.memo.arrays.entry(kind).or_default().read = true;
        let stored = self.array_stored(kind);
        if stored.types.is_empty() {
            // All arrays of the kind are empty: nothing can be read from them.
            return Operand::bottom();
        }
        let at = self.array_slot(kind, id, index);
        self.watch_item(kind, (id, index), at, false, condition);
        let part = |part| BufferKind::ArrayValues(kind, part);
        let item = self.load_parts(&part, at, &stored, mutable);
        let item = self.narrow(&item, &read);
        self.refine(item)
    }

    /// The column of the words of Strings, and where those of one begin.
    pub(super) fn place_of_words(&mut self, kind: ArrayKind, id: Value) -> Option<(Buffer, Value)> {
        self.array_contents(kind)?;
        self.memo.arrays.entry(kind).or_default().read = true;
        let stored = self.array_stored(kind);
        let (None, Some(Ty::I64)) = stored.scalars() else { return None };
        let words = self.buffer(BufferKind::ArrayValues(kind, Part::Payload), Ty::I64);
        Some((words, self.array_offset(kind, id)))
    }

    pub(super) fn array_offset(&mut self, kind: ArrayKind, id: Value) -> Value {
        if self.array_grows(kind) {
            return self.changing_offset(kind, id);
        }
        let buffer = self.buffer(BufferKind::ArrayOffset(kind), Ty::I32);
        self.b.load_index(buffer, id)
    }

    fn array_slot(&mut self, kind: ArrayKind, id: Value, index: Value) -> Value {
        let offset = self.array_offset(kind, id);
        let index = self.b.unary(UnaryOp::WrapI64, index);
        self.b.binary(BinaryOp::Add, offset, index)
    }

    /// `array[index]` of Ruby: negative indices count from the end, out of range gives nil.
    pub(crate) fn array_at(&mut self, kind: ArrayKind, id: Value, index: Value) -> Operand {
        let length = self.array_length(kind, id);
        let zero = self.b.i64(0);
        let index = if self.b.interval(index).low >= 0 {
            index
        } else {
            let negative = self.b.compare(Comparison::Lt, index, zero);
            let from_end = self.b.binary(BinaryOp::Add, index, length);
            let chosen = self.b.select(negative, from_end, index);
            if self.b.interval(index).high < 0 { from_end } else { chosen }
        };
        if self.b.is_below(index, length) {
            return self.array_item(kind, id, index);
        }
        let in_range = self.b.compare(Comparison::LtU, index, length);
        if self.b.constant(in_range) == Some(1) {
            return self.array_item(kind, id, index);
        }
        // An index out of range reads item 0 instead (there is a filler even behind an empty array) and drops it.
        let safe = self.b.select(in_range, index, zero);
        let item = self.array_item_if(Some((in_range, index)), kind, id, safe);
        if item.is_bottom() {
            return Operand::nil();
        }
        self.or_nil(in_range, &item)
    }

    /// `item` where `condition` holds, else nil; `item` is valid to compute either way.
    pub(crate) fn or_nil(&mut self, condition: Value, item: &Operand) -> Operand {
        let mut types = item.types.clone();
        types.insert(Type::Nil);
        if types.len() == 1 {
            return Operand::nil();
        }
        if !is_tagged(&types) || operand::scalars(&types).is_none() {
            if self.keep_made(&types) {
                return Operand::bottom();
            }
            self.refuse_here(
                "mixed-values",
                format!(
                    "a value here can be {}, which cannot be told apart at run time",
                    self.describe(&types)
                ),
                None,
            );
            return Operand::bottom();
        }
        let mut values = self.convert(item, &types);
        let nil = self.b.i32(Shape::Nil.tag());
        values[0] = self.b.select(condition, values[0], nil);
        Operand { types, values, birth: Birth::UNKNOWN }
    }

    /// `array[index] = value`. A write behind the items lets an array grow whose length changes elsewhere too, and fails
    /// otherwise.
    pub(crate) fn array_store(&mut self, kind: ArrayKind, id: Value, index: Value, value: &Operand) {
        if value.is_bottom() {
            return;
        }
        let Some(value) = &self.kept_item(kind, value) else { return };
        let length = self.array_length(kind, id);
        let zero = self.b.i64(0);
        let at = if self.b.interval(index).low >= 0 {
            index
        } else {
            let negative = self.b.compare(Comparison::Lt, index, zero);
            let from_end = self.b.binary(BinaryOp::Add, index, length);
            let at = self.b.select(negative, from_end, index);
            let ok = self.b.compare(Comparison::Ge, at, zero);
            self.check(ok, ErrorKind::IndexTooSmall, &[index, length]);
            at
        };
        self.check_unfrozen_array(kind, id);
        let length = match self.fill_gap(&Operand::one(Type::Array(kind), id), at) {
            true => self.array_length(kind, id),
            false => length,
        };
        if self.array_grows(kind) && !self.b.is_below(at, length) {
            return self.array_store_or_push(kind, id, at, value);
        }
        if !self.b.is_below(at, length) {
            let ok = self.b.compare(Comparison::Lt, at, length);
            self.check(ok, ErrorKind::ArrayGrowth, &[at, length]);
        }
        self.array_item_store(kind, id, at, value);
    }

    /// Are items of arrays of the kind written?
    pub(crate) fn is_written_array(&self, kind: ArrayKind) -> bool {
        self.memo.arrays.get(&kind).is_some_and(|memo| memo.is_written)
    }

    /// The array is about to be written: fails where it is frozen, or gone through.
    pub(crate) fn check_unfrozen_array(&mut self, kind: ArrayKind, id: Value) {
        let who = self.watcher();
        let memo = self.memo.arrays.entry(kind).or_default();
        self.memo.changed |= memo.written_by.insert(who) | !memo.is_written;
        memo.is_written = true;
        if self.host.any_frozen_array(kind) {
            let is_frozen = self.is_frozen_array(kind, id);
            let ok = self.b.unary(UnaryOp::Not, is_frozen);
            self.check(ok, ErrorKind::FrozenArray(kind), &[id]);
        }
        self.check_base(kind, id);
    }

    /// Writes the item at an index that is known to be in range.
    pub(crate) fn array_item_store(&mut self, kind: ArrayKind, id: Value, at: Value, value: &Operand) {
        let is_copy = self.give_rows_to_copied(&Type::Array(kind).into());
        if value.is_bottom() || is_copy || self.array_contents(kind).is_none() {
            return;
        }
        let Some(value) = &self.listed_in_array(kind, value) else { return };
        let memo = self.memo.arrays.entry(kind).or_default();
        let grew = memo.written.extend(&value.types) | memo.stored.extend(&value.types);
        let stored = memo.stored.clone();
        self.memo.changed |= grew;
        self.memo.unite_rows(&stored);
        let slot = self.array_slot(kind, id, at);
        self.watch_item(kind, (id, at), slot, true, None);
        self.store_parts(&|part| BufferKind::ArrayValues(kind, part), slot, &stored, value);
        self.remember(&Holders::Arrays(kind), slot, &value.types);
    }

    // ---- hashes ----------------------------------------------------------------------------------------------------

    /// A part of a Hash, as an array: its keys, its values, its default.
    pub(crate) fn hash_part(&mut self, hash: &Operand, part: HashPart) -> Operand {
        if hash.types.single().is_some_and(Type::is_made_hash) {
            let place = match part {
                HashPart::Keys => 0,
                HashPart::Values => 1,
                HashPart::Slots => 2,
                HashPart::Default => 3,
            };
            return self.tuple_items(hash).swap_remove(place);
        }
        let Some(Type::Hash(kind, _)) = hash.types.single() else { return Operand::bottom() };
        match self.host.hash_part(*kind, part) {
            Ok(kind) => Operand {
                types: Type::Array(kind).into(),
                values: hash.values.clone(),
                birth: Birth::UNKNOWN,
            },
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Keys or values of a Hash that has no dead pairs from now on.
    pub(crate) fn dense_part(&mut self, hash: &Operand, part: HashPart) -> Operand {
        self.make_dense(hash);
        self.hash_part(hash, part)
    }

    /// Drops dead pairs, as `core/` has them.
    pub(crate) fn make_dense(&mut self, hash: &Operand) {
        if self.may_have_dead_pairs(hash) && !self.b.is_dead() {
            self.within_slot(0x620, |s| s.send(hash, "#dense", &[], 1));
        }
    }

    pub(crate) fn may_have_dead_pairs(&self, hash: &Operand) -> bool {
        self.memo.dead_pairs && self.has_slots(hash)
    }

    /// Is it a Hash that the section makes or changes?
    fn has_slots(&self, hash: &Operand) -> bool {
        match hash.types.single() {
            Some(Type::Hash(kind, _)) => self.hash_changes(*kind),
            ty => ty.is_some_and(Type::is_made_hash),
        }
    }

    /// A Hash gets dead pairs, if it is one that can have such.
    pub(crate) fn note_dead_pairs(&mut self, hash: &Operand) -> bool {
        let has_slots = self.has_slots(hash);
        self.memo.changed |= has_slots && !self.memo.dead_pairs;
        self.memo.dead_pairs |= has_slots;
        // A function may be called anywhere.
        let within = self.hash_loops > 0 || self.function.is_some() && self.memo.hash_loops;
        self.memo.changed |= within && !self.memo.deletes_within;
        self.memo.deletes_within |= within;
        has_slots
    }

    /// All pairs of a Hash are gone through, some of which may be dead.
    pub(crate) fn note_hash_loop(&mut self) {
        self.memo.changed |= !std::mem::replace(&mut self.memo.hash_loops, true);
    }

    /// Are pairs deleted where others are gone through?
    pub(crate) fn deletes_within_loops(&self) -> bool {
        self.memo.deletes_within
    }

    /// Does the section change Hashes of the kind, which exist outside it?
    pub(crate) fn hash_changes(&self, kind: ArrayKind) -> bool {
        self.memo.hashes.contains_key(&kind)
    }

    /// A Hash is about to change. One that exists outside is from then on what one is that the section makes: its keys,
    /// values and slots are arrays that get longer and shorter. False where that cannot be.
    pub(crate) fn change_hash(&mut self, hash: &Operand) -> bool {
        if let Some(parts) = hash.types.single().and_then(operand::parts) {
            // Elements have a copy of one that the driver has made.
            return !parts.iter().fold(false, |grew, types| self.give_rows_to_copied(types) | grew);
        }
        let Some(Type::Hash(kind, sort)) = hash.types.single() else { return true };
        let (kind, id) = (*kind, hash.value());
        if sort.by_identity {
            self.refuse_here(
                "unsupported-store",
                "a Hash that compares by identity cannot be changed by a section",
                Some("use one that compares by what keys hold, or change it behind the section".into()),
            );
            return false;
        }
        let parts =
            [HashPart::Keys, HashPart::Values, HashPart::Slots].map(|part| self.hash_part(hash, part));
        let kinds = parts.each_ref().map(|part| match part.types.single() {
            Some(Type::Array(kind)) => Some(*kind),
            _ => None,
        });
        let [Some(keys), Some(values), Some(slots)] = kinds else { return false };
        self.memo.changed |= self.memo.hashes.insert(kind, [keys, values, slots]).is_none();
        let held = self.array_contents(keys).map(|contents| contents.0);
        if held.is_none_or(|types| self.any_key_written(&types)) {
            self.refuse_changed_keys();
            return false;
        }
        if self.host.any_frozen_array(kind) {
            let is_frozen = self.is_frozen_array(kind, id);
            let ok = self.b.unary(UnaryOp::Not, is_frozen);
            self.check(ok, ErrorKind::FrozenArray(kind), &[id]);
        }
        [keys, values, slots].into_iter().all(|part| self.grow_array(part, id))
    }

    fn refuse_changed_keys(&mut self) {
        self.refuse_here(
            "unsupported-key",
            "the section changes objects or arrays that are keys of a Hash, which it looks into",
            Some("look values up by what does not change".into()),
        );
    }

    /// What a slot of the index of a Hash's keys holds: the index of a key and one more, or 0.
    pub(crate) fn key_slot(&mut self, keys: &Operand, slot: Value) -> Option<Value> {
        let Some(Type::Array(kind)) = keys.types.single() else { return None };
        let (kind, id) = (*kind, keys.value());
        let types = self.array_contents(kind)?.0;
        self.memo.arrays.entry(kind).or_default().read = true;
        if self.any_key_written(&types) {
            self.refuse_changed_keys();
            return None;
        }
        let buffer = self.buffer(BufferKind::ArrayOffset(kind), Ty::I32);
        let offset = self.b.load_index(buffer, id);
        let twice = self.b.binary(BinaryOp::Add, offset, offset);
        let slot = self.b.unary(UnaryOp::WrapI64, slot);
        let at = self.b.binary(BinaryOp::Add, twice, slot);
        let index = self.buffer(BufferKind::KeyIndex(kind), Ty::I32);
        let found = self.b.load_index(index, at);
        Some(self.b.unary(UnaryOp::ExtendI32, found))
    }

    /// Is it something that is compared by what it holds as a key, and that the section changes?
    pub(crate) fn may_change_as_key(&mut self, ty: &Type, inside: &mut Vec<Type>) -> bool {
        if inside.contains(ty) {
            return false;
        }
        inside.push(ty.clone());
        match ty {
            Type::List(kind) => {
                let items = self.types_of_items(ty);
                self.list_is_mutated(*kind) || items.iter().any(|ty| self.may_change_as_key(ty, inside))
            }
            Type::Tuple(items) => {
                let items = items.clone();
                items.iter().any(|types| types.iter().any(|ty| self.may_change_as_key(ty, inside)))
            }
            Type::Made(class) if !self.host.members(*class).is_empty() => {
                let members = self.types_of_members(ty);
                self.memo.changed_members.contains(class)
                    || members.iter().any(|ty| self.may_change_as_key(ty, inside))
            }
            Type::Record(record) if !self.host.members(record.class).is_empty() => {
                let members = record.fields.iter().flat_map(|(_, types)| types.iter());
                members.cloned().collect::<Vec<_>>().iter().any(|ty| self.may_change_as_key(ty, inside))
            }
            // A Hash has a copy of one that is a key itself.
            Type::Object(_, ClassId::STRING) => self.memo.changes_strings && inside.len() > 1,
            _ => self.any_written(&ty.clone().into(), &mut Vec::new()),
        }
    }

    /// Does the section write what makes up such keys? A Hash has a copy of a String that is a key itself.
    fn any_key_written(&mut self, types: &TypeSet) -> bool {
        self.any_written(&types.filter(|ty| !ty.is_string()), &mut Vec::new())
    }

    /// Does the section write what these are compared by?
    fn any_written(&mut self, types: &TypeSet, inside: &mut Vec<Type>) -> bool {
        types.iter().any(|ty| {
            if inside.contains(ty) {
                return false;
            }
            inside.push(ty.clone());
            match ty {
                Type::Array(kind) => {
                    let written = self.memo.arrays.get(kind).is_some_and(|memo| memo.is_written);
                    let items = self.types_of_items(ty);
                    written || self.any_written(&items, inside)
                }
                Type::Object(_, ClassId::STRING) => self.memo.changes_strings,
                Type::Object(hierarchy, class) => {
                    let members = self.host.members(*class);
                    members.into_iter().any(|name| {
                        let memo = self.memo.columns.get(&(*hierarchy, name));
                        memo.is_some_and(|memo| memo.is_written)
                    })
                }
                _ => false,
            }
        })
    }

    // ---- the element -----------------------------------------------------------------------------------------------

    /// The values of all columns of the base for the element at `index`, of which the own one is known to be of `types`
    /// (one entry's part of the base).
    pub(crate) fn load_columns(&mut self, base: &Base, types: &TypeSet, index: Value) -> Vec<Operand> {
        let own = base.own();
        let columns = base.columns.iter().enumerate();
        columns
            .map(|(n, column)| match column {
                BaseColumn::Items(stored) if n == own => self.load_element(stored, types, index),
                BaseColumn::Items(stored) => self.load_parts(
                    &|part| BufferKind::Beside(KernelId(0), n as u32, part),
                    index,
                    stored,
                    false,
                ),
                BaseColumn::Unread => Operand::nil(),
                BaseColumn::Index => Operand::integer(self.index()),
                BaseColumn::Series { narrow } => Operand::integer(self.series_item(n as u32, *narrow)),
            })
            .collect()
    }

    /// The index of what is written by element: a driver is like the only one.
    pub(super) fn element_index(&mut self) -> Value {
        if self.in_driver { self.b.i32(0) } else { self.b.element() }
    }

    /// The element's index, as an Integer.
    fn index(&mut self) -> Value {
        let index = self.b.element();
        self.b.unary(UnaryOp::ExtendI32, index)
    }

    /// What the series gives is known to fit, so its parts may wrap.
    fn series_item(&mut self, column: u32, narrow: bool) -> Value {
        let interval = if narrow { Interval::I32 } else { Interval::FULL };
        let first = self.scalar(ScalarSource::SeriesFirst(column), Ty::I64, interval);
        let step = self.scalar(ScalarSource::SeriesStep(column), Ty::I64, Interval::FULL);
        let index = self.index();
        let distance = self.b.binary(BinaryOp::Mul, index, step);
        let item = self.b.binary(BinaryOp::Add, first, distance);
        if !narrow {
            return item;
        }
        let item = self.b.unary(UnaryOp::WrapI64, item);
        self.b.unary(UnaryOp::ExtendI32, item)
    }

    /// The current element, known to be of `types`.
    fn load_element(&mut self, base: &Stored, types: &TypeSet, index: Value) -> Operand {
        let (tag, payload) = base.scalars();
        // Which module it is stands in the code.
        let is_told = matches!(types.single(), Some(Type::Module(_)));
        let Some(ty) = payload.filter(|_| !is_told) else {
            return Operand { types: types.clone(), values: Values::new(), birth: Birth::UNKNOWN };
        };
        let buffer = self.buffer(BufferKind::Base(KernelId(0), Part::Payload), ty);
        let value = match (base.narrow, base.types.single_shape()) {
            (true, _) => {
                let value = self.b.load(buffer, index, ty, false);
                self.b.unary(UnaryOp::ExtendI32, value)
            }
            (_, Some(Shape::Object(_) | Shape::Array(_))) => self.b.load_index(buffer, index),
            _ => self.b.load(buffer, index, ty, false),
        };
        let shape = types.single_shape().unwrap_or(Shape::Nil);
        let values = match tag {
            Some(_) => shape.scalar().map(|ty| self.decode_payload(value, ty)).into_iter().collect(),
            None => Values::from_slice(&[value]),
        };
        Operand { types: types.clone(), values, birth: Birth::UNKNOWN }
    }

    // ---- the schema ------------------------------------------------------------------------------------------------

    /// What the heap is to build, from the memo of a finished walk.
    pub(crate) fn schema(&mut self, base: Base, entries: Vec<TypeSet>) -> Schema {
        self.plan_settling();
        let mut columns = Vec::new();
        for (hierarchy, name) in self.memo.columns.keys().cloned().collect::<Vec<_>>() {
            let stored = self.column_stored(hierarchy, &name);
            let memo = &self.memo.columns[&(hierarchy, name.clone())];
            let (classes, read, written) = (memo.classes.clone(), memo.read, memo.is_written);
            columns.push(ColumnSchema { hierarchy, name, stored, classes, read, written });
        }
        // Variables that objects have not had yet are set in this order.
        columns.sort_by_key(|column| self.memo.columns[&(column.hierarchy, column.name.clone())].place);
        let mut arrays = Vec::new();
        for kind in self.memo.arrays.keys().copied().collect::<Vec<_>>() {
            let stored = self.array_stored(kind);
            let memo = &self.memo.arrays[&kind];
            let (written, made, grows) = (memo.is_written, memo.made, memo.grows);
            let is_hash = self.memo.hashes.iter().any(|(hash, parts)| *hash == kind || parts.contains(&kind));
            let local = made && !is_hash && self.is_only_shown(kind);
            arrays.push(ArraySchema { kind, stored, written, made, local, grows });
        }
        Schema {
            columns,
            arrays,
            hashes: self.memo.hashes.clone(),
            hash_defaults: self.memo.hash_defaults.clone(),
            hash_blocks: self.memo.hash_blocks.clone(),
            accumulators: self.accumulator_schema(),
            variables: self.driver_variables(),
            syncs: self.syncs.clone(),
            procs: self.given_procs.values().cloned().collect(),
            rescued: self.rescued_sites(),
            base,
            entries,
            output: self.output,
            result: self.memo.result.clone(),
            lists: self.memo.list_items(),
            made: self.memo.made.iter().map(|(class, made)| (*class, made.fields.clone())).collect(),
            stores_made: !self.memo.stores_made.is_empty() && !self.settles(),
            settles: self.program.kernels.iter().any(|kernel| kernel.settles),
            pushes: !self.memo.logs.is_empty() || !self.memo.remembered.is_empty(),
            leaving: self.memo.leaving.clone(),
            orders: self.memo.orders.clone(),
        }
    }

    /// The scope in which a method's constants are looked up.
    pub(crate) fn method_scope(owner: crate::types::ClassId, nesting: &[Option<String>]) -> Scope {
        Scope::Method { owner, nesting: nesting.to_vec() }
    }
}

/// The ends of a range: their values, whether the high one is left out, and what they are.
pub(crate) type RangeEnds = (Option<Value>, Option<Value>, bool, RangeEnd, RangeEnd);

/// The ends of a range operand: (low, high), each with its value.
pub(crate) fn range_ends(operand: &Operand) -> Option<RangeEnds> {
    let Some(Type::Range { exclusive, low, high }) = operand.types.single() else { return None };
    let mut values = operand.values.iter().copied();
    let first = (*low != RangeEnd::None).then(|| values.next()).flatten();
    let second = (*high != RangeEnd::None).then(|| values.next()).flatten();
    Some((first, second, *exclusive, *low, *high))
}
