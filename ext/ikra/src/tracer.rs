//! Tracing on demand: reads the instance variables and arrays that were asked for, of all objects found so far, and
//! finds more objects by that, until nothing is left to read.
//!
//! Nothing here runs Ruby code of the user, and apart from the first look at an unusual object nothing allocates.

use crate::classes;
use crate::reached::Reached;
use crate::reading::Reading;
use crate::slots::{Slot, Slots};
use crate::value::{self, Decoded, decode};
use ikra_core::infer::host::{Contents, Refusal};
use ikra_core::types::{ArrayKind, ClassId, HierarchyId, Shape, Type};
use magnus::Ruby;
use rb_sys::{ID, VALUE};
use rustc_hash::FxHashMap;

/// Why tracing cannot go on.
#[derive(Debug)]
pub enum Stop {
    /// An Integer beyond 64 bits; where it is.
    Overflow(String),
    Refused(Refusal),
}

/// An instance variable of a hierarchy, or a Struct's member.
#[derive(Clone, Debug)]
pub struct Variable {
    pub hierarchy: HierarchyId,
    pub name: String,
    id: ID,
}

/// What is read: the part of the trace plan that says where to look.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub variables: Vec<Variable>,
    /// (index into `variables`, class)
    pub columns: Vec<(u32, ClassId)>,
    /// By kind: are its elements read?
    pub elements: Vec<bool>,
    pub slots: Slots,
}

/// Elements of the arrays of a kind; `spans` are (offset, length) by row, for the rows read so far.
#[derive(Debug, Default)]
pub struct Elements {
    pub reading: Reading,
    pub spans: Vec<(u32, u32)>,
}

#[derive(Clone, Copy)]
enum Known {
    Object(ClassId, u32),
    Array(ArrayKind, u32),
}

pub struct Tracer<'a> {
    ruby: &'a Ruby,
    pub reached: &'a Reached,
    pub asked: Asked,
    known: FxHashMap<VALUE, Known>,
    /// Classes by class pointer, and the one seen last.
    pointers: FxHashMap<VALUE, ClassId>,
    last: (VALUE, ClassId),
    places: Vec<Option<(HierarchyId, u32)>>,
    /// Objects whose singleton class could matter: class and singleton class, which the objects in `reached` keep.
    pub singletons: Vec<(ClassId, VALUE)>,
    pub base: Reading,
    /// Some object stands more than once in the base.
    pub base_repeats: bool,
    /// What was read, in the order of `asked.columns`.
    pub columns: Vec<Reading>,
    /// By kind.
    pub elements: Vec<Elements>,
    /// Counts joins: a reading that was under way during one starts again.
    joins: u32,
    kinds_changed: bool,
}

impl<'a> Tracer<'a> {
    /// `asked`: to be read from the beginning on.
    pub fn new(ruby: &'a Ruby, reached: &'a Reached, asked: Asked) -> Self {
        reached.forget_found();
        Self {
            ruby,
            reached,
            known: FxHashMap::default(),
            pointers: FxHashMap::default(),
            last: (value::NIL, ClassId::NIL),
            places: Vec::new(),
            singletons: Vec::new(),
            base: Reading::default(),
            base_repeats: false,
            columns: asked.columns.iter().map(|_| Reading::default()).collect(),
            elements: (0..asked.slots.len()).map(|_| Elements::default()).collect(),
            asked,
            joins: 0,
            kinds_changed: false,
        }
    }

    /// Reads the base, before anything else. Its elements are found, what they hold is not read yet.
    pub fn read_base(&mut self, base: VALUE) -> Result<(), Stop> {
        let mut reading = Reading::default();
        self.read_array(base, Slot::Base, &mut reading)?;
        let is_object = |row: &usize| reading.tag(*row) >= Shape::Object(HierarchyId(0)).tag();
        self.base_repeats = (0..reading.len()).filter(is_object).count() > self.known.len();
        self.base = reading;
        Ok(())
    }

    /// The type of a root and its payload, with an object's row instead of its id.
    pub fn read_root(&mut self, number: u32, root: VALUE) -> Result<Reading, Stop> {
        let mut reading = Reading::default();
        self.observe(root, Slot::Root(number), &mut reading)?;
        Ok(reading)
    }

    /// Asks for a variable of the objects of exactly `class`; gives the index of the column.
    pub fn ask_column(&mut self, hierarchy: HierarchyId, class: ClassId, name: &str) -> usize {
        let variables = &mut self.asked.variables;
        let at = variables.iter().position(|v| v.hierarchy == hierarchy && v.name == name);
        let variable = at.unwrap_or_else(|| {
            variables.push(Variable { hierarchy, name: name.into(), id: value::intern(self.ruby, name) });
            variables.len() - 1
        }) as u32;
        let asked = &mut self.asked.columns;
        asked.iter().position(|column| *column == (variable, class)).unwrap_or_else(|| {
            asked.push((variable, class));
            self.columns.push(Reading::default());
            asked.len() - 1
        })
    }

    pub fn ask_elements(&mut self, kind: ArrayKind) -> ArrayKind {
        let kind = self.asked.slots.find(kind);
        let asked = &mut self.asked.elements;
        if asked.len() <= kind.0 as usize {
            asked.resize(kind.0 as usize + 1, false);
        }
        asked[kind.0 as usize] = true;
        kind
    }

    /// Reads until everything asked of everything found is read.
    pub fn drain(&mut self) -> Result<(), Stop> {
        loop {
            let mut progress = false;
            for column in 0..self.asked.columns.len() {
                let class = self.asked.columns[column].1;
                if self.columns[column].len() < self.reached.objects(class) {
                    progress = true;
                    self.read_column(column)?;
                }
            }
            for kind in 0..self.asked.elements.len() {
                if self.asked.elements[kind] && self.spans(kind) < self.reached.arrays(kind as u32) {
                    progress = true;
                    self.read_elements(kind)?;
                }
            }
            if !progress {
                return Ok(());
            }
        }
    }

    fn spans(&self, kind: usize) -> usize {
        self.elements.get(kind).map_or(0, |elements| elements.spans.len())
    }

    fn read_column(&mut self, column: usize) -> Result<(), Stop> {
        let (variable, class) = self.asked.columns[column];
        let id = self.asked.variables[variable as usize].id;
        // A Struct's member has a place instead of a name.
        let name = &self.asked.variables[variable as usize].name;
        let member = match name.starts_with('@') {
            true => None,
            false => classes::member_key(self.ruby, classes::value(self.ruby, class), name),
        };
        let slot = Slot::Column(variable);
        let mut reading = std::mem::take(&mut self.columns[column]);
        let mut outcome = Ok(());
        reading.reserve(self.reached.objects(class) - reading.len());
        while let Some(object) = self.reached.object(class, reading.len()) {
            // SAFETY: the object is live: it is marked in `reached`. Reading an unset variable gives nil, and the
            // member is one of the object's class.
            let value = unsafe {
                match member {
                    None => rb_sys::rb_ivar_get(object, id),
                    Some(key) => rb_sys::rb_struct_aref(object, key),
                }
            };
            outcome = self.observe(value, slot, &mut reading).map_err(|stop| match stop {
                Stop::Overflow(_) => Stop::Overflow(format!(
                    "{} of {}",
                    self.asked.variables[variable as usize].name,
                    classes::name(self.ruby, class)
                )),
                refused @ Stop::Refused(_) => refused,
            });
            if outcome.is_err() {
                break;
            }
        }
        self.columns[column] = reading;
        outcome
    }

    fn read_elements(&mut self, kind: usize) -> Result<(), Stop> {
        let mut elements = std::mem::take(&mut self.elements[kind]);
        let joins = self.joins;
        while let Some(array) = self.reached.array(kind as u32, elements.spans.len()) {
            let offset = elements.reading.len() as u32;
            self.read_array(array, Slot::Elements(ArrayKind(kind as u32)), &mut elements.reading)?;
            if self.joins != joins {
                // What was read so far may be of other kinds by now; `join` has cleared the rest.
                return Ok(());
            }
            elements.spans.push((offset, elements.reading.len() as u32 - offset));
        }
        self.elements[kind] = elements;
        Ok(())
    }

    fn read_array(&mut self, array: VALUE, slot: Slot, into: &mut Reading) -> Result<(), Stop> {
        let mut index = 0;
        // SAFETY: the array is live.
        let length = unsafe { rb_sys::RARRAY_LEN(array) } as usize;
        if slot == Slot::Base {
            self.known.reserve(length);
            into.reserve(length);
        }
        // SAFETY: the array is live (marked, or on the caller's stack), and the length is read again before each
        // element, so that no element behind the end is read whatever the others led to.
        while index < unsafe { rb_sys::RARRAY_LEN(array) } as isize {
            // SAFETY: as above.
            let value = unsafe { rb_sys::RARRAY_AREF(array, index) };
            self.observe(value, slot, into)?;
            index += 1;
        }
        Ok(())
    }

    fn observe(&mut self, value: VALUE, slot: Slot, into: &mut Reading) -> Result<(), Stop> {
        match decode(self.ruby, value) {
            Decoded::Integer(number) => into.push_integer(number),
            Decoded::Float(number) => into.push_float(number),
            Decoded::Nil => into.push_nil(),
            Decoded::Bool(truth) => into.push_bool(truth),
            Decoded::Symbol(number) => into.push_symbol(number),
            Decoded::Huge => return Err(Stop::Overflow(self.describe(slot))),
            Decoded::Array => self.array(value, slot, into),
            Decoded::Object => self.object(value, slot, into),
        }
        Ok(())
    }

    fn object(&mut self, value: VALUE, slot: Slot, into: &mut Reading) {
        let (class, row) = match self.known.get(&value) {
            Some(Known::Object(class, row)) => (*class, *row),
            Some(Known::Array(..)) => return self.array(value, slot, into),
            None => {
                let class = self.class_of(value);
                if class == ClassId::ARRAY {
                    return self.array(value, slot, into);
                }
                let row = self.reached.add_object(class, value);
                self.known.insert(value, Known::Object(class, row));
                (class, row)
            }
        };
        let (hierarchy, place) = self.place(class);
        into.push_object(hierarchy, class, place, row);
    }

    fn array(&mut self, value: VALUE, slot: Slot, into: &mut Reading) {
        let (kind, row) = match self.known.get(&value) {
            Some(Known::Array(kind, row)) => {
                let (kind, row) = (*kind, *row);
                if self.asked.slots.kind(slot) == Some(kind) {
                    (kind, row)
                } else {
                    self.join(slot, kind);
                    match self.known[&value] {
                        Known::Array(kind, row) => (kind, row),
                        Known::Object(..) => unreachable!("an array stays an array"),
                    }
                }
            }
            _ => {
                let kind = self.asked.slots.kind_or_new(slot);
                if self.elements.len() <= kind.0 as usize {
                    self.elements.resize_with(kind.0 as usize + 1, Elements::default);
                }
                let row = self.reached.add_array(kind.0, value);
                self.known.insert(value, Known::Array(kind, row));
                (kind, row)
            }
        };
        into.push_array(kind, row);
    }

    fn join(&mut self, slot: Slot, kind: ArrayKind) {
        for (kept, dropped) in self.asked.slots.meet(slot, kind) {
            for (array, row) in self.reached.move_arrays(dropped.0, kept.0) {
                self.known.insert(array, Known::Array(kept, row));
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
    }

    fn class_of(&mut self, object: VALUE) -> ClassId {
        // SAFETY: the object was just read from a live one.
        let pointer = unsafe { value::class_pointer(object) };
        if self.last.0 == pointer {
            return self.last.1;
        }
        if let Some(class) = self.pointers.get(&pointer) {
            self.last = (pointer, *class);
            return *class;
        }
        // SAFETY: as above.
        let (class, singleton) = unsafe { classes::of_instance(self.ruby, object) };
        self.singletons.extend(singleton.map(|singleton| (class, singleton)));
        // A singleton class may die and another take its address; a class with a number stays.
        if classes::value(self.ruby, class) == pointer {
            self.pointers.insert(pointer, class);
            self.last = (pointer, class);
        }
        class
    }

    fn place(&mut self, class: ClassId) -> (HierarchyId, u32) {
        let index = class.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        *self.places[index].get_or_insert_with(|| classes::place(self.ruby, class))
    }

    /// What a column holds so far.
    pub fn column(&self, column: usize) -> Contents {
        let mut found = self.columns[column].found().clone();
        if let Some(kind) = self.asked.slots.kind(Slot::Column(self.asked.columns[column].0)) {
            found.set_kind(kind);
        }
        Contents { types: found.types(), integers_fit_i32: found.narrow() }
    }

    pub fn kind_contents(&self, kind: ArrayKind) -> Contents {
        let kind = self.asked.slots.find(kind);
        let Some(elements) = self.elements.get(kind.0 as usize) else { return Contents::default() };
        let mut found = elements.reading.found().clone();
        if let Some(inner) = self.asked.slots.kind(Slot::Elements(kind)) {
            found.set_kind(inner);
        }
        Contents { types: found.types(), integers_fit_i32: found.narrow() }
    }

    pub fn base_contents(&self) -> Contents {
        let mut found = self.base.found().clone();
        if let Some(kind) = self.asked.slots.kind(Slot::Base) {
            found.set_kind(kind);
        }
        Contents { types: found.types(), integers_fit_i32: found.narrow() }
    }

    /// A root's type with the kind it is of now.
    pub fn root_type(&self, number: u32, ty: &Type) -> Type {
        match (ty, self.asked.slots.kind(Slot::Root(number))) {
            (Type::Array(_), Some(kind)) => Type::Array(kind),
            _ => ty.clone(),
        }
    }

    pub fn kinds_changed(&mut self) -> bool {
        std::mem::take(&mut self.kinds_changed)
    }

    pub fn any_frozen(&self, hierarchy: HierarchyId) -> bool {
        let classes = classes::of_hierarchy(self.ruby, hierarchy);
        classes.into_iter().any(|class| {
            let mut objects = (0..).map_while(|row| self.reached.object(class, row));
            // SAFETY: listed objects are live.
            objects.any(|object| unsafe { value::frozen(object) })
        })
    }

    pub fn any_frozen_array(&self, kind: ArrayKind) -> bool {
        let kind = self.asked.slots.find(kind);
        // SAFETY: listed arrays are live.
        (0..).map_while(|row| self.reached.array(kind.0, row)).any(|a| unsafe { value::frozen(a) })
    }

    /// Was this array met (anywhere but as the base)?
    pub fn array_kind(&self, array: VALUE) -> Option<ArrayKind> {
        match self.known.get(&array) {
            Some(Known::Array(kind, _)) => Some(*kind),
            _ => None,
        }
    }

    /// The class and the variable of an object that holds the array, where one was found.
    pub fn holder(&self, kind: ArrayKind, row: i64) -> Option<(ClassId, &str)> {
        let holds = |reading: &Reading| {
            (0..reading.len())
                .any(|at| reading.payload[at] == row && reading.tag(at) == Shape::Array(kind).tag())
        };
        let (_, (variable, class)) =
            self.columns.iter().zip(&self.asked.columns).find(|(reading, (variable, _))| {
                self.asked.slots.kind(Slot::Column(*variable)) == Some(kind) && holds(reading)
            })?;
        Some((*class, &self.asked.variables[*variable as usize].name))
    }

    fn describe(&self, slot: Slot) -> String {
        match slot {
            Slot::Base => "an element of the array".into(),
            Slot::Root(_) => "a captured variable".into(),
            Slot::Column(variable) => self.asked.variables[variable as usize].name.clone(),
            Slot::Elements(kind) => {
                let holder = (0..self.asked.variables.len() as u32)
                    .find(|v| self.asked.slots.kind(Slot::Column(*v)) == Some(kind));
                match holder {
                    Some(variable) => format!("an array in {}", self.describe(Slot::Column(variable))),
                    None => "an array".into(),
                }
            }
        }
    }
}
