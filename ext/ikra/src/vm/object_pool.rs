//! The object pool of a compiled version: the Ruby objects that its numbers stand for (classes and modules, literals of
//! Procs, Symbols), and those it was compiled for (methods). Numbers mean something within a pool only. Whoever holds
//! a pool marks its objects, which pins them, so that pointers may be compared; when no one does, they may go.

use crate::vm::classes;
use crate::vm::dates;
use crate::vm::gvl::GvlCell;
use ikra_core::types::{ClassId, HierarchyId};
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Error, RClass, Ruby, Value, prelude::*};
use rb_sys::VALUE;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::RefCell;

#[derive(Clone, Debug)]
struct ClassInfo {
    value: VALUE,
    name: Cow<'static, str>,
    is_class: bool,
    /// Known once an instance was met: the hierarchy, and the place of this class in it.
    place: Option<(HierarchyId, u32)>,
    /// Its instances are the Procs or Methods of this literal; `value` is Proc or Method then.
    literal: Option<Literal>,
}

/// The literal of Procs that objects hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    pub iseq: VALUE,
    pub is_lambda: bool,
    /// The modules that it stands in, innermost first.
    pub nesting: Vec<VALUE>,
    /// They are the same for all its Procs, as they have names.
    pub is_fixed: bool,
    /// The local variables that it sees, sorted.
    pub locals: Vec<String>,
}

/// A borrow must not span a call into Ruby, which may switch threads or collect garbage.
#[derive(Debug)]
pub struct ObjectPool(RefCell<Contents>);

#[derive(Clone, Debug)]
struct Contents {
    classes: Vec<ClassInfo>,
    numbers: FxHashMap<VALUE, ClassId>,
    /// Root class of each hierarchy and its classes in the order they were met.
    hierarchies: Vec<(VALUE, Vec<ClassId>)>,
    /// Instruction sequences of lambdas and procs that were roots, each with whether it was a lambda.
    literals: Vec<(VALUE, bool)>,
    /// Those that the code names.
    symbols: Vec<VALUE>,
    others: Vec<VALUE>,
    method_entries: Vec<VALUE>,
    /// The version is compiled: what it does not know, it was not compiled for.
    complete: bool,
}

static BUILTIN: GvlCell<Vec<VALUE>> = GvlCell::new(Vec::new());

/// Looks Ruby's own classes up.
pub fn init(ruby: &Ruby) -> Result<(), Error> {
    for name in ClassId::BUILTIN {
        let module: Value = match name {
            "Data" => data_class(ruby)?,
            // Until a program has loaded it.
            "Date" => ruby.class_class().new_instance(())?,
            _ => ruby.class_object().funcall("const_get", (name,))?,
        };
        BUILTIN.with(ruby, |builtin| builtin.push(module.as_raw()));
    }
    Ok(())
}

/// Before Ruby 3.2 `Data` can be anything.
fn data_class(ruby: &Ruby) -> Result<Value, Error> {
    let data = ruby.class_object().const_get::<_, RClass>("Data").ok();
    match data.filter(|data| data.respond_to("define", false).unwrap_or(false)) {
        Some(data) => Ok(data.as_value()),
        None => ruby.class_class().new_instance(()),
    }
}

/// Calls `mark` with Ruby's own classes.
pub fn each_builtin(mark: impl FnMut(VALUE)) {
    BUILTIN.marked(|builtin| builtin.iter().copied().for_each(mark));
}

/// One of [`ClassId::BUILTIN`].
pub fn builtin(ruby: &Ruby, class: ClassId) -> VALUE {
    BUILTIN.with(ruby, |builtin| builtin[class.0 as usize])
}

impl Contents {
    /// Dates are there since the program has loaded them. Where a pool has met their class before, it is one like others.
    fn find_dates(&mut self, ruby: &Ruby) -> Result<(), Error> {
        let Some(dates) = dates::find(ruby)? else { return Ok(()) };
        if !self.numbers.contains_key(&dates.class()) {
            self.classes[ClassId::DATE.0 as usize].value = dates.class();
            self.numbers.insert(dates.class(), ClassId::DATE);
        }
        Ok(())
    }
}

impl ObjectPool {
    /// With Ruby's own classes, numbered as [`ClassId::BUILTIN`] wants them.
    pub fn new(ruby: &Ruby) -> Result<Self, Error> {
        let info = |(value, name): (&VALUE, _)| ClassInfo {
            value: *value,
            name: Cow::Borrowed(name),
            is_class: classes::is_class(*value),
            place: None,
            literal: None,
        };
        let classes: Vec<_> =
            BUILTIN.with(ruby, |builtin| builtin.iter().zip(ClassId::BUILTIN).map(info).collect());
        // Of the two that Integer has, the first one is what is asked for.
        let numbers =
            classes.iter().enumerate().rev().map(|(i, info)| (info.value, ClassId(i as u32))).collect();
        let mut contents = Contents {
            classes,
            numbers,
            hierarchies: Vec::new(),
            literals: Vec::new(),
            symbols: Vec::new(),
            others: Vec::new(),
            method_entries: Vec::new(),
            complete: false,
        };
        contents.find_dates(ruby)?;
        Ok(Self(RefCell::new(contents)))
    }

    /// What [`classes::members`] tells of a class, and what Dates and Integers beyond 64 bits are put together of.
    pub fn members(&self, class: ClassId) -> Vec<String> {
        match class {
            ClassId::BIG_INTEGER | ClassId::WIDE_INTEGER | ClassId::DATE => classes::names_of_parts(class),
            class => classes::members(self.class(class)),
        }
    }

    /// A pool that begins with what is in this one.
    pub fn extended(&self, ruby: &Ruby) -> Result<Self, Error> {
        let mut contents = self.0.borrow().clone();
        contents.complete = false;
        contents.find_dates(ruby)?;
        Ok(Self(RefCell::new(contents)))
    }

    /// Nothing is numbered from now on.
    pub fn complete(&self) {
        self.0.borrow_mut().complete = true;
    }

    /// For the mark functions of what holds the pool.
    pub fn each_marked(&self, mut mark: impl FnMut(VALUE)) {
        let pool = self.0.borrow();
        pool.classes.iter().skip(ClassId::BUILTIN.len()).for_each(|info| mark(info.value));
        for literal in pool.classes.iter().filter_map(|info| info.literal.as_ref()) {
            literal.nesting.iter().chain([&literal.iseq]).for_each(|value| mark(*value));
        }
        pool.hierarchies.iter().for_each(|(root, _)| mark(*root));
        pool.literals.iter().for_each(|(iseq, _)| mark(*iseq));
        pool.symbols.iter().chain(&pool.others).chain(&pool.method_entries).copied().for_each(mark);
    }

    /// Keeps an object as long as the pool.
    pub fn keep(&self, value: VALUE) {
        self.0.borrow_mut().others.push(value);
    }

    /// Keeps the entries of methods, instead of those kept until now.
    pub fn keep_method_entries(&self, entries: impl Iterator<Item = VALUE>) {
        let kept = &mut self.0.borrow_mut().method_entries;
        kept.clear();
        kept.extend(entries);
    }

    /// The number of a live class or module; `None` where the version was compiled without it.
    pub fn find(&self, module: VALUE) -> Option<ClassId> {
        {
            let pool = self.0.borrow();
            if let Some(known) = pool.numbers.get(&module) {
                return Some(*known);
            }
            if pool.complete {
                return None;
            }
        }
        let (name, is_class) = (classes::path(module), classes::is_class(module));
        let pool = &mut *self.0.borrow_mut();
        // Another thread may have been here while Ruby made the name.
        Some(*pool.numbers.entry(module).or_insert_with(|| {
            pool.classes.push(ClassInfo {
                value: module,
                name: name.into(),
                is_class,
                place: None,
                literal: None,
            });
            ClassId(pool.classes.len() as u32 - 1)
        }))
    }

    /// The number of a live class or module, during inference.
    pub fn number(&self, module: VALUE) -> ClassId {
        self.find(module).expect("the pool is not complete yet")
    }

    /// The classes and modules of the user's.
    pub fn users(&self) -> Vec<VALUE> {
        let classes = &self.0.borrow().classes;
        let users = classes.iter().skip(ClassId::BUILTIN.len()).filter(|info| info.literal.is_none());
        users.map(|info| info.value).collect()
    }

    pub fn class(&self, class: ClassId) -> VALUE {
        self.0.borrow().classes[class.0 as usize].value
    }

    /// As a magnus value.
    pub fn object(&self, class: ClassId) -> Value {
        // SAFETY: the classes of a pool are neither freed nor moved.
        unsafe { Value::from_raw(self.class(class)) }
    }

    pub fn name(&self, class: ClassId) -> String {
        self.0.borrow().classes[class.0 as usize].name.to_string()
    }

    pub fn is_class(&self, class: ClassId) -> bool {
        self.0.borrow().classes[class.0 as usize].is_class
    }

    /// `class <= ancestor`.
    pub fn is_subclass(&self, class: ClassId, ancestor: ClassId) -> bool {
        classes::inherits(self.class(class), self.class(ancestor))
    }

    /// The hierarchy of a class and the place of the class in it, given at the first question; `None` where the version
    /// was compiled without instances of it.
    pub fn find_place(&self, class: ClassId) -> Option<(HierarchyId, u32)> {
        {
            let pool = self.0.borrow();
            let place = pool.classes[class.0 as usize].place;
            if place.is_some() || pool.complete {
                return place;
            }
        }
        let root = classes::root_of(self.class(class));
        let pool = &mut *self.0.borrow_mut();
        // Another thread may have been here while the root was looked for.
        if let Some(place) = pool.classes[class.0 as usize].place {
            return Some(place);
        }
        let hierarchy = pool.hierarchies.iter().position(|(other, _)| *other == root).unwrap_or_else(|| {
            pool.hierarchies.push((root, Vec::new()));
            pool.hierarchies.len() - 1
        });
        let classes = &mut pool.hierarchies[hierarchy].1;
        let place = (HierarchyId(hierarchy as u32), classes.len() as u32);
        classes.push(class);
        pool.classes[class.0 as usize].place = Some(place);
        Some(place)
    }

    /// The place of a class of which there are instances.
    pub fn place(&self, class: ClassId) -> (HierarchyId, u32) {
        self.find_place(class).expect("the class has a place")
    }

    /// The classes of a hierarchy in the order of their places.
    pub fn of_hierarchy(&self, hierarchy: HierarchyId) -> Vec<ClassId> {
        let pool = self.0.borrow();
        pool.hierarchies.get(hierarchy.0 as usize).map_or_else(Vec::new, |(_, classes)| classes.clone())
    }

    /// A number for the literal of a Proc, the same for all Procs of it; `None` where the version was compiled without
    /// it.
    pub fn root_literal(&self, iseq: VALUE, is_lambda: bool) -> Option<u32> {
        let pool = &mut *self.0.borrow_mut();
        let literal = (iseq, is_lambda);
        let known = pool.literals.iter().position(|other| *other == literal);
        if known.is_none() && pool.complete {
            return None;
        }
        Some(known.unwrap_or_else(|| {
            pool.literals.push(literal);
            pool.literals.len() - 1
        }) as u32)
    }

    /// The class of the Procs or Methods (`of`) of a literal whose modules have names, if it has a number.
    pub fn fixed_literal(&self, of: ClassId, iseq: VALUE, is_lambda: bool) -> Option<ClassId> {
        let value = self.class(of);
        self.find_literal(|known, literal| {
            known == value && (literal.iseq, literal.is_lambda, literal.is_fixed) == (iseq, is_lambda, true)
        })
    }

    fn find_literal(&self, is_it: impl Fn(VALUE, &Literal) -> bool) -> Option<ClassId> {
        let pool = self.0.borrow();
        let is_it =
            |info: &ClassInfo| info.literal.as_ref().is_some_and(|literal| is_it(info.value, literal));
        pool.classes.iter().position(is_it).map(|number| ClassId(number as u32))
    }

    /// A class for the Procs or Methods (`of`) of a literal; `None` where the version was compiled without it.
    pub fn number_literal(&self, of: ClassId, literal: Literal) -> Option<ClassId> {
        let value = self.class(of);
        if let Some(known) = self.find_literal(|known, other| known == value && *other == literal) {
            return Some(known);
        }
        let pool = &mut *self.0.borrow_mut();
        if pool.complete {
            return None;
        }
        let name = pool.classes[of.0 as usize].name.clone();
        pool.classes.push(ClassInfo { value, name, is_class: true, place: None, literal: Some(literal) });
        Some(ClassId(pool.classes.len() as u32 - 1))
    }

    /// The literal that the instances of a class come from.
    pub fn literal(&self, class: ClassId) -> Option<Literal> {
        self.0.borrow().classes[class.0 as usize].literal.clone()
    }

    /// Are its instances Procs or Methods, of a literal or of none?
    pub fn is_callable(&self, class: ClassId) -> bool {
        matches!(self.real_class(class), ClassId::PROC | ClassId::METHOD)
    }

    /// The class that Ruby has for the instances of a class.
    pub fn real_class(&self, class: ClassId) -> ClassId {
        let pool = self.0.borrow();
        let info = &pool.classes[class.0 as usize];
        if info.literal.is_some() { pool.numbers[&info.value] } else { class }
    }

    /// A number for a Symbol that the code names.
    pub fn symbol(&self, symbol: VALUE) -> i32 {
        let symbols = &mut self.0.borrow_mut().symbols;
        let known = symbols.iter().position(|other| *other == symbol);
        known.unwrap_or_else(|| {
            symbols.push(symbol);
            symbols.len() - 1
        }) as i32
    }

    /// The Symbols that the code names, by number.
    pub fn symbols(&self) -> Vec<VALUE> {
        self.0.borrow().symbols.clone()
    }
}
