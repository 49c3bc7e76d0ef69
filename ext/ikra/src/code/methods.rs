//! Method lookup by Ruby's own means, and the assumptions that it leaves: each method that was asked for is still the
//! same one at each later call.

use crate::code::sources;
use crate::vm::classes;
use crate::vm::errors::{Stop, Trouble};
use crate::vm::pinned::Pinned;
use crate::vm::value;
use ikra_core::infer::host::{FoundMethod, Holder, Method, Refusal, Visibility};
use ikra_core::syntax::ast::CodeKind;
use ikra_core::types::ClassId;
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Error, RArray, RClass, Ruby, Symbol, Value, prelude::*};
use rb_sys::{ID, VALUE};
use rustc_hash::FxHashMap;

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
    /// As Ruby itself defines it: cheap to ask of Ruby's own classes.
    Basic,
    /// The UnboundMethod that compares equal.
    Same(VALUE),
}

/// What was found out about methods and classes; true while none of it changes.
#[derive(Debug, Default)]
pub struct Assumptions {
    methods: Vec<(Lookup, ID, Expected)>,
    /// class, ancestor, is it one
    ancestry: Vec<(ClassId, ClassId, bool)>,
}

impl Assumptions {
    /// For the mark function of what holds the assumptions.
    pub fn each_value(&self, mut mark: impl FnMut(VALUE)) {
        for (_, _, expected) in &self.methods {
            if let Expected::Same(method) = expected {
                mark(*method);
            }
        }
    }

    pub fn hold(&self, ruby: &Ruby) -> Result<bool, Error> {
        for (class, ancestor, is_one) in &self.ancestry {
            if classes::is_subclass(ruby, *class, *ancestor) != *is_one {
                return Ok(false);
            }
        }
        for (lookup, name, expected) in &self.methods {
            let same = match (expected, lookup) {
                (Expected::Basic, Lookup::Instance(class)) => is_basic(ruby, *class, *name),
                (Expected::Basic, _) => false,
                (Expected::Missing, _) => find(ruby, *lookup, *name)?.is_none(),
                (Expected::Same(method), _) => match find(ruby, *lookup, *name)? {
                    // SAFETY: the method is marked by what holds the assumptions.
                    Some(now) => now.funcall("==", (unsafe { Value::from_raw(*method) },))?,
                    None => false,
                },
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Would objects with these singleton classes be treated as others of their class are? Otherwise: what differs, of
    /// which object.
    pub fn hold_in(&self, ruby: &Ruby, singletons: &[(ClassId, VALUE)]) -> Result<Option<String>, Error> {
        for (class, singleton) in singletons {
            // SAFETY: the object that has the singleton class is kept while its section runs.
            let own = unsafe { Value::from_raw(*singleton) };
            for (of, ancestor, is_one) in &self.ancestry {
                if of == class && classes::inherits(ruby, *singleton, *ancestor) != *is_one {
                    let (class, ancestor) = (classes::name(ruby, *class), classes::name(ruby, *ancestor));
                    return Ok(Some(format!("an object of {class} was extended with {ancestor}")));
                }
            }
            for (lookup, name, _) in &self.methods {
                let (Lookup::Instance(of) | Lookup::Super { holder: Holder::Instance(of), .. }) = lookup
                else {
                    continue;
                };
                if of != class {
                    continue;
                }
                let (usual, here) = (find_in(classes::object(ruby, *class), *name)?, find_in(own, *name)?);
                let owner =
                    |method: Option<Value>| method.map(|m| m.funcall::<_, _, Value>("owner", ())).transpose();
                let here = owner(here)?;
                if owner(usual)?.map(|o| o.as_raw()) != here.map(|o| o.as_raw()) {
                    let (class, name) = (classes::name(ruby, *class), symbol(*name));
                    let module = here.filter(|owner| owner.as_raw() != *singleton);
                    return Ok(Some(match module {
                        Some(module) => format!("an object of {class} has `{name}` from {module}, by extend"),
                        None => format!("an object of {class} has a singleton method `{name}`"),
                    }));
                }
            }
        }
        Ok(None)
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

/// The methods of one inference; each is looked up once.
pub struct Methods<'a> {
    ruby: &'a Ruby,
    pinned: &'a Pinned,
    found: FxHashMap<(Lookup, String), Option<FoundMethod>>,
    pub assumptions: Assumptions,
}

impl<'a> Methods<'a> {
    pub fn new(ruby: &'a Ruby, pinned: &'a Pinned) -> Self {
        Self { ruby, pinned, found: FxHashMap::default(), assumptions: Assumptions::default() }
    }

    pub fn get(&mut self, lookup: Lookup, name: &str) -> Result<Option<FoundMethod>, Trouble> {
        let key = (lookup, name.to_owned());
        if let Some(found) = self.found.get(&key) {
            return Ok(found.clone());
        }
        let id = value::intern(self.ruby, name);
        let method = find(self.ruby, lookup, id)?;
        let found = match method {
            Some(method) => {
                self.pinned.pin(method.as_raw());
                Some(self.describe(lookup, id, method)?)
            }
            None => {
                self.refuse_method_missing(lookup, name)?;
                None
            }
        };
        let expected = match (&found, method, lookup) {
            (Some(FoundMethod { method: Method::Native { .. }, .. }), _, Lookup::Instance(class))
                if (class.0 as usize) < ClassId::BUILTIN.len() && is_basic(self.ruby, class, id) =>
            {
                Expected::Basic
            }
            (_, Some(method), _) => Expected::Same(method.as_raw()),
            (_, None, _) => Expected::Missing,
        };
        self.assumptions.methods.push((lookup, id, expected));
        self.found.insert(key, found.clone());
        Ok(found)
    }

    fn describe(&self, lookup: Lookup, id: ID, method: Value) -> Result<FoundMethod, Trouble> {
        let body = self.body(method.funcall("owner", ())?, method)?;
        let owner = definer(self.ruby, lookup, method)?;
        let owner = classes::number(self.ruby, owner.as_raw());
        Ok(FoundMethod { owner, visibility: self.visibility(lookup, id)?, method: body })
    }

    fn visibility(&self, lookup: Lookup, id: ID) -> Result<Visibility, Error> {
        if let Lookup::Super { .. } = lookup {
            return Ok(Visibility::Public);
        }
        let (holder, name) = (looked_up_in(self.ruby, lookup), symbol(id));
        Ok(if holder.funcall("private_method_defined?", (name,))? {
            Visibility::Private
        } else if holder.funcall("protected_method_defined?", (name,))? {
            Visibility::Protected
        } else {
            Visibility::Public
        })
    }

    fn body(&self, owner: Value, method: Value) -> Result<Method, Trouble> {
        let name: Symbol = method.funcall("original_name", ())?;
        let name = name.name()?.into_owned();
        let iseq = iseq_of(self.ruby, method)?;
        let Some(iseq) = iseq else {
            if method.funcall::<_, _, Value>("source_location", ())?.is_nil() {
                // So are the accessors of a Struct, which are methods of the subclass that has the members.
                let members = classes::members(self.ruby, owner.as_raw());
                return Ok(match name.strip_suffix('=') {
                    _ if members.contains(&name) => Method::Reader(name),
                    Some(member) if members.iter().any(|m| m == member) => Method::Writer(member.into()),
                    _ => Method::Native { name },
                });
            }
            // attr_reader and attr_writer have a place and no instructions; so has `define_method` with a Method
            // object of something else, which takes other arguments or has another name.
            return match (method.funcall::<_, _, i64>("arity", ())?, name.strip_suffix('=')) {
                (0, None) => Ok(Method::Reader(format!("@{name}"))),
                (1, Some(variable)) => Ok(Method::Writer(format!("@{variable}"))),
                _ => Err(refuse("method-object", format!("{name} was defined from a Method object"))),
            };
        };
        let path: String = iseq.funcall("path", ())?;
        if path.starts_with("<internal:") {
            return Ok(Method::Native { name });
        }
        let code = sources::code_of(self.ruby, iseq)?;
        if code.kind == CodeKind::Method {
            let label: String = iseq.funcall("base_label", ())?;
            if label != name {
                return Err(refuse(
                    "method-object",
                    format!("{name} was defined from a Method object, {label}"),
                ));
            }
        } else if let Some(local) =
            code.captured_reads.iter().chain(code.captured_writes.iter().map(|w| &w.0)).next()
        {
            let message = format!("{name} is a define_method block that uses {local} of the code around it");
            return Err(refuse("captured-in-method", message));
        }
        Ok(Method::Ruby(code))
    }

    /// A missing method that `method_missing` would answer is no error in Ruby.
    fn refuse_method_missing(&self, lookup: Lookup, name: &str) -> Result<(), Trouble> {
        let lookup = match lookup {
            Lookup::Super { holder: Holder::Instance(class), .. } => Lookup::Instance(class),
            Lookup::Super { holder: Holder::Module(module), .. } => Lookup::Singleton(module),
            lookup => lookup,
        };
        let id = value::intern(self.ruby, "method_missing");
        let Some(method) = find(self.ruby, lookup, id)? else { return Ok(()) };
        let owner: Value = method.funcall("owner", ())?;
        if classes::number(self.ruby, owner.as_raw()) == ClassId::BASIC_OBJECT {
            return Ok(());
        }
        Err(refuse("method-missing", format!("{name} is answered by method_missing")))
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

fn symbol(id: ID) -> Value {
    // SAFETY: IDs come from Ruby and do not die; nor does the symbol of one.
    unsafe { Value::from_raw(rb_sys::rb_id2sym(id)) }
}

fn singleton(ruby: &Ruby, module: ClassId) -> Value {
    // SAFETY: a numbered module is live, and its singleton class lives as long.
    unsafe { Value::from_raw(rb_sys::rb_singleton_class(classes::value(ruby, module))) }
}

fn is_basic(ruby: &Ruby, class: ClassId, name: ID) -> bool {
    // SAFETY: a numbered class is live; the call only looks the method up.
    unsafe { rb_sys::rb_method_basic_definition_p(classes::value(ruby, class), name) != 0 }
}

fn defines(holder: Value, name: ID, inherit: bool) -> Result<bool, Error> {
    let name = symbol(name);
    Ok(holder.funcall("method_defined?", (name, inherit))?
        || holder.funcall("private_method_defined?", (name, inherit))?)
}

/// The UnboundMethod that Ruby would call.
fn find(ruby: &Ruby, lookup: Lookup, name: ID) -> Result<Option<Value>, Error> {
    let holder = looked_up_in(ruby, lookup);
    let Lookup::Super { owner, .. } = lookup else { return find_in(holder, name) };
    let owner = classes::value(ruby, owner);
    // Where the class has a module prepended, its own method is not what its `instance_method` gives: then the chain of
    // methods is followed.
    let mut next = find_in(holder, name)?;
    while let Some(method) = next {
        let found: Value = method.funcall("owner", ())?;
        let above: Option<Value> = method.funcall("super_method", ())?;
        if found.as_raw() == owner {
            return Ok(above);
        }
        next = above;
    }
    let ancestors: RArray = holder.funcall("ancestors", ())?;
    for module in ancestors.into_iter().skip_while(|module| module.as_raw() != owner).skip(1) {
        if defines(module, name, false)? {
            return module.funcall("instance_method", (symbol(name),)).map(Some);
        }
    }
    Ok(None)
}

/// The class among whose ancestors a method is looked for.
fn looked_up_in(ruby: &Ruby, lookup: Lookup) -> Value {
    match lookup {
        Lookup::Instance(class) | Lookup::Super { holder: Holder::Instance(class), .. } => {
            classes::object(ruby, class)
        }
        Lookup::Singleton(module) | Lookup::Super { holder: Holder::Module(module), .. } => {
            singleton(ruby, module)
        }
    }
}

/// The class or module whose code a method is. Of an alias, Ruby names the one that has made the alias.
fn definer(ruby: &Ruby, lookup: Lookup, method: Value) -> Result<Value, Error> {
    let owner: Value = method.funcall("owner", ())?;
    let original: Symbol = method.funcall("original_name", ())?;
    let Some(iseq) = iseq_of(ruby, method)? else { return Ok(owner) };
    if method.funcall::<_, _, Symbol>("name", ())?.eql(original)? {
        return Ok(owner);
    }
    let ancestors: RArray = looked_up_in(ruby, lookup).funcall("ancestors", ())?;
    for module in ancestors.into_iter().skip_while(|module| module.as_raw() != owner.as_raw()) {
        let name = value::intern(ruby, &original.name()?);
        if defines(module, name, false)? {
            let found: Value = module.funcall("instance_method", (original,))?;
            if iseq_of(ruby, found)?.is_some_and(|other| other.as_raw() == iseq.as_raw()) {
                return found.funcall("owner", ());
            }
        }
    }
    Ok(owner)
}

fn find_in(holder: Value, name: ID) -> Result<Option<Value>, Error> {
    // SAFETY: the holder is live; the call only looks the method up.
    if unsafe { rb_sys::rb_method_boundp(holder.as_raw(), name, 0) } == 0 {
        return Ok(None);
    }
    holder.funcall("instance_method", (symbol(name),)).map(Some)
}

/// The instruction sequence of a Proc or method; `None` for one that is not written in Ruby.
pub fn iseq_of(ruby: &Ruby, body: Value) -> Result<Option<Value>, Error> {
    let vm: RClass = ruby.class_object().const_get("RubyVM")?;
    let class: RClass = vm.const_get("InstructionSequence")?;
    class.funcall("of", (body,))
}
