//! Method lookup by Ruby's own means, and the assumptions that it leaves: each method that was asked for is still the
//! same one at each later call.

use crate::code::sources;
use crate::vm::classes;
use crate::vm::errors::{Stop, Trouble};
use crate::vm::method_tables::{Snapshot, Start};
use crate::vm::object_pool;
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use crate::vm::reflection::{Own, call};
use crate::vm::value;
use ikra_core::infer::host::{FoundMethod, Holder, Method, Refusal, Visibility};
use ikra_core::syntax::ast::{Code, CodeKind};
use ikra_core::types::ClassId;
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Error, RModule, Ruby, Symbol, Value, prelude::*};
use rb_sys::{ID, VALUE};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Why an object does not behave as those of its class.
pub enum Apart {
    /// It is ENV.
    Environment,
    /// What it has been extended with, or which method it has of its own.
    Extended(String),
}

impl Display for Apart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str(
                "the environment of the process is no part of a section: ENV has methods of its own",
            ),
            Self::Extended(what) => f.write_str(what),
        }
    }
}

/// Where a method is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lookup {
    /// In an instance of the class.
    Instance(ClassId),
    /// After the method of `owner`, in what the method is called on.
    Super { holder: Holder, owner: ClassId },
    /// In the class or module itself.
    Singleton(ClassId),
}

#[derive(Clone, Copy, Debug)]
enum Expected {
    Missing,
    /// The UnboundMethod that compares equal, and who may call it.
    Same(VALUE, Visibility),
}

/// What was found out about methods and classes; true while none of it changes. The pool of the version keeps the
/// methods.
#[derive(Debug, Default)]
pub struct Assumptions {
    methods: Vec<(Lookup, ID, Expected)>,
    /// class, ancestor, is it one
    ancestry: Vec<(ClassId, ClassId, bool)>,
    /// What Ruby's method tables held when the methods were looked up last: while they hold that, nothing has changed.
    snapshot: RefCell<Option<Snapshot>>,
}

impl Assumptions {
    pub fn hold(&self, ruby: &Ruby, pool: &ObjectPool) -> Result<bool, Error> {
        for (class, ancestor, is_one) in &self.ancestry {
            if pool.is_subclass(*class, *ancestor) != *is_one {
                return Ok(false);
            }
        }
        if self.snapshot.borrow().as_ref().is_some_and(|snapshot| snapshot.holds(ruby)) {
            return Ok(true);
        }
        let before = self.take_snapshot(ruby, pool);
        self.snapshot.take();
        // So that no other entry takes the place of one of these.
        pool.keep_method_entries(before.iter().flat_map(Snapshot::entries));
        for (lookup, name, expected) in &self.methods {
            if !is_same(ruby, pool, *lookup, *name, *expected)? {
                return Ok(false);
            }
        }
        // Another thread may have defined a method meanwhile.
        let after = self.take_snapshot(ruby, pool);
        let snapshot = after.filter(|after| before.is_some_and(|before| before == *after));
        pool.keep_method_entries(snapshot.iter().flat_map(Snapshot::entries));
        *self.snapshot.borrow_mut() = snapshot;
        Ok(true)
    }

    fn take_snapshot(&self, ruby: &Ruby, pool: &ObjectPool) -> Option<Snapshot> {
        let places = self.methods.iter().map(|(lookup, name, _)| match lookup {
            Lookup::Instance(class) | Lookup::Super { holder: Holder::Instance(class), .. } => {
                (Start::Class(pool.class(*class)), *name)
            }
            Lookup::Singleton(module) | Lookup::Super { holder: Holder::Module(module), .. } => {
                (Start::ClassOf(pool.class(*module)), *name)
            }
        });
        Snapshot::take(ruby, places.collect())
    }

    /// Would the objects that have a singleton class of their own be treated as others of their class are? Otherwise:
    /// what differs, of which object.
    pub fn hold_in(&self, ruby: &Ruby, pool: &ObjectPool, pinned: &Pinned) -> Result<Option<Apart>, Error> {
        for (class, singleton) in (0..).map_while(|number| pinned.singleton(number)) {
            for (of, ancestor, is_one) in &self.ancestry {
                if *of == class && classes::inherits(singleton, pool.class(*ancestor)) != *is_one {
                    let (class, ancestor) = (pool.name(class), pool.name(*ancestor));
                    let what = format!("an object of {class} was extended with {ancestor}");
                    return Ok(Some(Apart::Extended(what)));
                }
            }
            for (lookup, name, _) in &self.methods {
                let (Lookup::Instance(of) | Lookup::Super { holder: Holder::Instance(of), .. }) = lookup
                else {
                    continue;
                };
                if *of != class {
                    continue;
                }
                let owner = |holder| {
                    let method = classes::instance_method(ruby, holder, *name)?;
                    method.map(|method| owner(ruby, method)).transpose()
                };
                let here = owner(singleton)?;
                if owner(pool.class(class))? != here {
                    if classes::is_of_environment(ruby, singleton)? {
                        return Ok(Some(Apart::Environment));
                    }
                    let (class, name) = (pool.name(class), value::name_of(*name));
                    let module = here.filter(|owner| *owner != singleton).map(classes::path);
                    return Ok(Some(Apart::Extended(match module {
                        Some(module) => format!("an object of {class} has `{name}` from {module}, by extend"),
                        None => format!("an object of {class} has a singleton method `{name}`"),
                    })));
                }
            }
        }
        Ok(None)
    }

    fn method(&mut self, lookup: Lookup, name: ID, expected: Expected) {
        if !self.methods.iter().any(|known| (known.0, known.1) == (lookup, name)) {
            self.methods.push((lookup, name, expected));
        }
    }

    pub fn ancestry(&mut self, class: ClassId, ancestor: ClassId, is_one: bool) {
        let fact = (class, ancestor, is_one);
        if !self.ancestry.contains(&fact) {
            self.ancestry.push(fact);
        }
    }

    pub fn extend_ancestry(&mut self, other: Self) {
        self.ancestry.extend(other.ancestry);
    }
}

/// Is the method what was expected?
fn is_same(
    ruby: &Ruby,
    pool: &ObjectPool,
    lookup: Lookup,
    name: ID,
    expected: Expected,
) -> Result<bool, Error> {
    Ok(match (expected, find(ruby, pool, lookup, name)?) {
        (Expected::Missing, now) => now.is_none(),
        (Expected::Same(method, who), Some(now)) => {
            call(ruby, Own::SameMethod, &[now, method])? && visibility(ruby, pool, lookup, name)? == who
        }
        (Expected::Same(..), None) => false,
    })
}

/// The methods of one inference; each is looked up once.
pub struct Methods<'a> {
    ruby: &'a Ruby,
    pool: Rc<ObjectPool>,
    found: FxHashMap<(Lookup, String), Option<FoundMethod>>,
    /// Blocks that `define_method` made methods of and that use variables around them, which the pool keeps, with the
    /// code of each: as several can have one literal, it is a copy.
    blocks: Vec<(VALUE, Rc<Code>)>,
    pub assumptions: Assumptions,
    /// Spent on methods that were asked for the first time, with their code.
    pub time: Duration,
}

impl<'a> Methods<'a> {
    pub fn new(ruby: &'a Ruby, pool: Rc<ObjectPool>) -> Self {
        Self {
            ruby,
            pool,
            found: FxHashMap::default(),
            blocks: Vec::new(),
            assumptions: Assumptions::default(),
            time: Duration::ZERO,
        }
    }

    pub fn get(&mut self, lookup: Lookup, name: &str) -> Result<Option<FoundMethod>, Trouble> {
        let key = (lookup, name.to_owned());
        if let Some(found) = self.found.get(&key) {
            return Ok(found.clone());
        }
        let start = Instant::now();
        let id = value::intern(self.ruby, name);
        let found = match find(self.ruby, &self.pool, lookup, id)? {
            Some(method) => {
                self.refuse_repeated(lookup, name)?;
                let visibility = self.assume(lookup, id, method)?;
                let body = self.body(owner(self.ruby, method)?, method)?;
                let owner = self.pool.number(definer(self.ruby, &self.pool, lookup, method)?);
                Some(FoundMethod { owner, visibility, method: body })
            }
            None => {
                self.refuse_method_missing(lookup, name)?;
                self.assumptions.method(lookup, id, Expected::Missing);
                None
            }
        };
        self.time += start.elapsed();
        self.found.insert(key, found.clone());
        Ok(found)
    }

    /// The code of all methods that were found.
    pub fn codes(&self) -> impl Iterator<Item = Rc<Code>> {
        self.found.values().flatten().filter_map(|found| match &found.method {
            Method::Ruby(code) => Some(code.clone()),
            _ => None,
        })
    }

    /// Takes it that the method stays what it is.
    fn assume(&mut self, lookup: Lookup, name: ID, method: VALUE) -> Result<Visibility, Error> {
        self.pool.keep(method);
        let visibility = visibility(self.ruby, &self.pool, lookup, name)?;
        self.assumptions.method(lookup, name, Expected::Same(method, visibility));
        Ok(visibility)
    }

    fn body(&mut self, owner: VALUE, method: VALUE) -> Result<Method, Trouble> {
        let ruby = self.ruby;
        let name: Symbol = call(ruby, Own::OriginalName, &[method])?;
        let name = name.name()?.into_owned();
        let native = |name| -> Result<Method, Trouble> {
            let arity: i64 = call(ruby, Own::Arity, &[method])?;
            Ok(Method::Native { name, arity })
        };
        let iseq = iseq_of(ruby, method)?;
        let Some(iseq) = iseq else {
            if call::<Value>(ruby, Own::SourceLocation, &[method])?.is_nil() {
                // So are the accessors of a Struct, which are methods of the subclass that has the members.
                let members = classes::members(owner);
                return Ok(match name.strip_suffix('=') {
                    _ if members.contains(&name) => Method::Reader(name),
                    Some(member) if members.iter().any(|m| m == member) => Method::Writer(member.into()),
                    _ => native(name)?,
                });
            }
            // attr_reader and attr_writer have a place and no instructions; so has `define_method` with a Method
            // object of something else, which takes other arguments or has another name.
            return match (call::<i64>(ruby, Own::Arity, &[method])?, name.strip_suffix('=')) {
                (0, None) => Ok(Method::Reader(format!("@{name}"))),
                (1, Some(variable)) => Ok(Method::Writer(format!("@{variable}"))),
                _ => Err(refuse("method-object", format!("{name} was defined from a Method object"))),
            };
        };
        let path: String = call(ruby, Own::Path, &[iseq.as_raw()])?;
        if path.starts_with("<internal:") {
            return native(name);
        }
        let code = sources::code_of(ruby, iseq)?;
        if code.kind == CodeKind::Method {
            let label: String = call(ruby, Own::BaseLabel, &[iseq.as_raw()])?;
            if label != name {
                return Err(refuse(
                    "method-object",
                    format!("{name} was defined from a Method object, {label}"),
                ));
            }
        } else if code.captures() {
            return match block_of(ruby, method)? {
                Some(block) => Ok(Method::Ruby(self.code_of_block(block, &code))),
                None => {
                    let message = format!("{name} is a define_method block that uses variables around it");
                    Err(refuse("captured-in-method", message))
                }
            };
        }
        Ok(Method::Ruby(code))
    }

    fn code_of_block(&mut self, block: VALUE, code: &Rc<Code>) -> Rc<Code> {
        if let Some((_, known)) = self.blocks.iter().find(|(known, _)| *known == block) {
            return Rc::clone(known);
        }
        self.pool.keep(block);
        let copy = Rc::new(Code::clone(code));
        self.blocks.push((block, Rc::clone(&copy)));
        copy
    }

    /// The number of the block whose code it is.
    pub fn number_of_block(&self, code: &Rc<Code>) -> Option<u32> {
        self.blocks.iter().position(|(_, known)| Rc::ptr_eq(known, code)).map(|number| number as u32)
    }

    pub fn block(&self, number: u32) -> VALUE {
        self.blocks[number as usize].0
    }

    /// From which of two places in the chain of methods `super` goes on is not known.
    fn refuse_repeated(&self, lookup: Lookup, name: &str) -> Result<(), Trouble> {
        let Lookup::Super { owner, .. } = lookup else { return Ok(()) };
        let (holder, owner) = (looked_up_in(&self.pool, lookup), self.pool.class(owner));
        let ancestors = classes::ancestors(holder)?;
        if ancestors.into_iter().filter(|module| module.as_raw() == owner).count() < 2 {
            return Ok(());
        }
        Err(Trouble::Stop(Stop::Refused(Refusal {
            slug: "repeated-module",
            message: format!(
                "{name} has `super`, and {} stands twice among the ancestors of {}",
                classes::path(owner),
                classes::path(holder)
            ),
            hint: Some("include the module in one of the classes".into()),
            ..Refusal::default()
        })))
    }

    /// A missing method that `method_missing` would answer is no error in Ruby.
    fn refuse_method_missing(&mut self, lookup: Lookup, name: &str) -> Result<(), Trouble> {
        let lookup = match lookup {
            Lookup::Super { holder: Holder::Instance(class), .. } => Lookup::Instance(class),
            Lookup::Super { holder: Holder::Module(module), .. } => Lookup::Singleton(module),
            lookup => lookup,
        };
        let id = value::intern(self.ruby, "method_missing");
        let Some(method) = find(self.ruby, &self.pool, lookup, id)? else { return Ok(()) };
        self.assume(lookup, id, method)?;
        let of = owner(self.ruby, method)?;
        if of == object_pool::builtin(self.ruby, ClassId::BASIC_OBJECT) {
            return Ok(());
        }
        // Exceptions have one of Ruby's own that does the same.
        let is_of_exceptions = of == object_pool::builtin(self.ruby, ClassId::EXCEPTION);
        if is_of_exceptions && matches!(self.body(of, method)?, Method::Native { .. }) {
            return Ok(());
        }
        Err(Trouble::Stop(Stop::Refused(Refusal {
            slug: "method-missing",
            message: format!("{name} is answered by method_missing"),
            hint: Some(
                "define the method in its class, with def: a section calls no singleton methods of objects"
                    .into(),
            ),
            ..Refusal::default()
        })))
    }
}

fn refuse(slug: &'static str, message: String) -> Trouble {
    Trouble::Stop(Stop::Refused(Refusal {
        slug,
        message,
        hint: Some("define the method with def in a source file".into()),
        ..Refusal::default()
    }))
}

fn singleton(module: VALUE) -> VALUE {
    // SAFETY: the module is live, and its singleton class lives as long.
    unsafe { rb_sys::rb_singleton_class(module) }
}

fn owner(ruby: &Ruby, method: VALUE) -> Result<VALUE, Error> {
    Ok(call::<Value>(ruby, Own::Owner, &[method])?.as_raw())
}

fn visibility(ruby: &Ruby, pool: &ObjectPool, lookup: Lookup, name: ID) -> Result<Visibility, Error> {
    if let Lookup::Super { .. } = lookup {
        return Ok(Visibility::Public);
    }
    let values = [looked_up_in(pool, lookup), value::symbol_of(name)];
    Ok(if call(ruby, Own::PrivateMethodDefined, &values)? {
        Visibility::Private
    } else if call(ruby, Own::ProtectedMethodDefined, &values)? {
        Visibility::Protected
    } else {
        Visibility::Public
    })
}

/// Does the module itself define the method?
fn defines(ruby: &Ruby, module: VALUE, name: ID) -> Result<bool, Error> {
    let values = [module, value::symbol_of(name), value::FALSE];
    Ok(call(ruby, Own::MethodDefined, &values)? || call(ruby, Own::PrivateMethodDefined, &values)?)
}

/// The UnboundMethod that Ruby would call.
fn find(ruby: &Ruby, pool: &ObjectPool, lookup: Lookup, name: ID) -> Result<Option<VALUE>, Error> {
    let holder = looked_up_in(pool, lookup);
    let Lookup::Super { owner: above, .. } = lookup else {
        return classes::instance_method(ruby, holder, name);
    };
    let above = pool.class(above);
    // Where the class has a module prepended, its own method is not what its `instance_method` gives: then the chain of
    // methods is followed.
    let mut next = classes::instance_method(ruby, holder, name)?;
    while let Some(method) = next {
        let higher: Option<Value> = call(ruby, Own::SuperMethod, &[method])?;
        next = higher.map(|method| method.as_raw());
        if owner(ruby, method)? == above {
            return Ok(next);
        }
    }
    let ancestors = classes::ancestors(holder)?;
    for module in ancestors.into_iter().skip_while(|module| module.as_raw() != above).skip(1) {
        if defines(ruby, module.as_raw(), name)? {
            return classes::instance_method(ruby, module.as_raw(), name);
        }
    }
    Ok(None)
}

/// The class among whose ancestors a method is looked for.
fn looked_up_in(pool: &ObjectPool, lookup: Lookup) -> VALUE {
    match lookup {
        Lookup::Instance(class) | Lookup::Super { holder: Holder::Instance(class), .. } => pool.class(class),
        Lookup::Singleton(module) | Lookup::Super { holder: Holder::Module(module), .. } => {
            singleton(pool.class(module))
        }
    }
}

/// The class or module whose code a method is. Of an alias, Ruby names the one that has made the alias.
fn definer(ruby: &Ruby, pool: &ObjectPool, lookup: Lookup, method: VALUE) -> Result<VALUE, Error> {
    let named = owner(ruby, method)?;
    let original: Symbol = call(ruby, Own::OriginalName, &[method])?;
    let Some(iseq) = iseq_of(ruby, method)? else { return Ok(named) };
    if call::<Symbol>(ruby, Own::MethodName, &[method])?.as_raw() == original.as_raw() {
        return Ok(named);
    }
    let name = value::intern(ruby, &original.name()?);
    let ancestors = classes::ancestors(looked_up_in(pool, lookup))?;
    for module in ancestors.into_iter().skip_while(|module| module.as_raw() != named) {
        if defines(ruby, module.as_raw(), name)?
            && let Some(found) = classes::instance_method(ruby, module.as_raw(), name)?
            && iseq_of(ruby, found)?.is_some_and(|other| other.as_raw() == iseq.as_raw())
        {
            return owner(ruby, found);
        }
    }
    Ok(named)
}

/// The instruction sequence of a Proc or method; `None` for one that is not written in Ruby.
pub fn iseq_of(ruby: &Ruby, body: VALUE) -> Result<Option<Value>, Error> {
    call(ruby, Own::InstructionsOf, &[body])
}

/// The block that `define_method` made a method of.
fn block_of(ruby: &Ruby, method: VALUE) -> Result<Option<VALUE>, Error> {
    let module: RModule = ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("MethodBlocks")?;
    // SAFETY: the pool keeps the method.
    let block: Value = module.funcall("of", (unsafe { Value::from_raw(method) },))?;
    Ok((!block.is_nil()).then(|| block.as_raw()))
}
