//! Roots: the values that exist once for a whole section. How each is found, read anew at every call: the block's
//! self, captured locals, constants, instance variables of modules.

use crate::code::{methods, sources};
use crate::reading::column_builder::ColumnBuilder;
use crate::reading::patterns;
use crate::reading::procs::{self, is_callable, is_lambda, is_method, is_proc};
use crate::reading::tracer::Tracer;
use crate::vm::classes;
use crate::vm::errors::{Stop, Trouble};
use crate::vm::integers;
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use crate::vm::reflection::{Own, call};
use crate::vm::value::{self, Decoded, decode};
use ikra_core::infer::host::{MissingConstant, RootKey, Scope};
use ikra_core::scalar::Interval;
use ikra_core::syntax::ast::METHOD_AROUND;
use ikra_core::types::{ArrayKind, ClassId, METHOD, RangeEnd, Type};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, RModule, Ruby, TryConvert, Value, block::Proc, prelude::*};
use rb_sys::{ID, VALUE};
use std::cell::{OnceCell, RefCell};

/// The scopes around the block: its binding, made at the first question for it.
pub struct BlockScope<'a> {
    pub ruby: &'a Ruby,
    pinned: &'a Pinned,
    block: Proc,
    binding: OnceCell<Value>,
    /// The bindings of the lambdas and procs that are roots.
    closures: RefCell<Vec<(VALUE, Value)>>,
    /// What stands for those that have no literal.
    written: RefCell<Vec<(VALUE, VALUE)>>,
    /// Those of Hashes that have been found, by the kinds of these.
    default_blocks: RefCell<Vec<(ArrayKind, VALUE)>>,
    /// What is read in place of the values of local variables.
    instead: Vec<(String, VALUE)>,
}

impl<'a> BlockScope<'a> {
    pub fn new(ruby: &'a Ruby, pinned: &'a Pinned, block: Proc) -> Self {
        pinned.pin(block.as_raw());
        Self {
            ruby,
            pinned,
            block,
            binding: OnceCell::new(),
            closures: RefCell::default(),
            written: RefCell::default(),
            default_blocks: RefCell::default(),
            instead: Vec::new(),
        }
    }

    /// Notes which block the Hashes of a kind have.
    pub fn note_default_block(&self, kind: ArrayKind, block: VALUE) {
        self.pinned.pin(block);
        let mut known = self.default_blocks.borrow_mut();
        known.retain(|(of, _)| *of != kind);
        known.push((kind, block));
    }

    /// Keeps a value alive and where it is.
    pub fn pin(&self, value: VALUE) {
        self.pinned.pin(value);
    }

    /// Reads these in place of the values of local variables, all of which are pinned.
    pub fn with_instead(self, instead: Vec<(String, VALUE)>) -> Self {
        Self { instead, ..self }
    }

    /// A lambda or proc with a literal that does what a root does; `None` where there is none.
    pub fn literal_of(&self, root: VALUE) -> Result<Option<VALUE>, Error> {
        if is_proc(root) && methods::iseq_of(self.ruby, root)?.is_some() {
            return Ok(Some(root));
        }
        let known = self.written.borrow().iter().find(|(of, _)| *of == root).map(|(_, literal)| *literal);
        if known.is_some() {
            return Ok(known);
        }
        let found = sources::written_out(self.ruby, root)?;
        if let Some(literal) = found {
            self.pinned.pin(literal);
            self.written.borrow_mut().push((root, literal));
        }
        Ok(found)
    }

    /// The scopes around a lambda or proc.
    pub fn of_closure(&self, root: VALUE) -> Result<Self, Error> {
        let closure = self.literal_of(root)?.unwrap_or(root);
        // SAFETY: the value is pinned.
        let block = Proc::try_convert(unsafe { Value::from_raw(closure) })?;
        let scope = Self::new(self.ruby, self.pinned, block);
        let known = self.closures.borrow().iter().find(|(of, _)| *of == closure).map(|(_, binding)| *binding);
        match known {
            Some(binding) => {
                // A scope that was just made has no binding yet.
                let _ = scope.binding.set(binding);
            }
            None => self.closures.borrow_mut().push((closure, scope.binding()?)),
        }
        Ok(scope)
    }

    /// Are two local variables of one name, as two pieces of code see them, one variable? A value is put into one of them
    /// for a moment.
    pub fn is_one_variable(&self, one: &Source, other: &Source, pool: &ObjectPool) -> Result<bool, Error> {
        let (Some((one, name)), Some((other, _))) = (self.variable(one, pool)?, self.variable(other, pool)?)
        else {
            return Ok(false);
        };
        if one.as_raw() == other.as_raw() {
            return Ok(true);
        }
        let get = |binding: Value| {
            call::<Value>(self.ruby, Own::LocalVariableGet, &[binding.as_raw(), name.as_raw()])
        };
        let set = |value: Value| {
            call::<Value>(self.ruby, Own::LocalVariableSet, &[one.as_raw(), name.as_raw(), value.as_raw()])
        };
        let held = get(one)?;
        if get(other)?.as_raw() != held.as_raw() {
            return Ok(false);
        }
        let mark = self.ruby.ary_new().as_value();
        set(mark)?;
        let found = get(other);
        set(held)?;
        Ok(found?.as_raw() == mark.as_raw())
    }

    /// The binding that sees a local variable, and its name.
    fn variable(&self, source: &Source, pool: &ObjectPool) -> Result<Option<(Value, Value)>, Error> {
        match source {
            Source::Captured(_, id) => {
                // SAFETY: the Symbol of an ID does not die.
                let name = unsafe { Value::from_raw(value::symbol_of(*id)) };
                Ok(Some((self.binding()?, name)))
            }
            Source::Within(closure, inner) => match closure.read(self, pool)? {
                Some(closure) => self.of_closure(closure)?.variable(inner, pool),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// What sees the variables around the section's block, or around a lambda.
    pub fn binding_of(&self, closure: Option<&Source>, pool: &ObjectPool) -> Result<Option<Value>, Error> {
        let Some(closure) = closure else { return self.binding().map(Some) };
        let Some(closure) = closure.read(self, pool)? else { return Ok(None) };
        self.of_closure(closure)?.binding().map(Some)
    }

    fn binding(&self) -> Result<Value, Error> {
        if let Some(binding) = self.binding.get() {
            return Ok(*binding);
        }
        let binding: Value = call(self.ruby, Own::Binding, &[self.block.as_raw()])?;
        self.pinned.pin(binding.as_raw());
        Ok(*self.binding.get_or_init(|| binding))
    }

    /// The modules that the block stands in, innermost first.
    pub fn nesting(&self) -> Result<Vec<VALUE>, Error> {
        let list = procs::nesting(self.ruby, self.binding()?.as_raw())?;
        let modules = list.into_iter().map(|module| module.as_raw());
        Ok(modules.inspect(|module| self.pinned.pin(*module)).collect())
    }
}

/// How to read a root again.
#[derive(Clone, Debug)]
pub enum Source {
    SelfValue,
    Captured(String, ID),
    Constant(Constant),
    ModuleVariable(ClassId, ID),
    Global(String),
    ClassVariable(Nesting, ID),
    /// A frozen String, which the pool keeps.
    Text(VALUE),
    Regexp(VALUE),
    /// A lambda, proc or Method as an object.
    Object(Box<Self>),
    /// The block that `define_method` made a method of, which the pool keeps.
    MethodBlock(VALUE),
    /// The default block of the Hashes of a kind: that of the first one.
    DefaultBlock(ArrayKind),
    /// What a lambda or proc, which is read first, sees.
    Within(Box<Self>, Box<Self>),
}

/// A constant's path, and the modules around the place that names it, innermost first.
#[derive(Clone, Debug)]
pub struct Constant {
    nesting: Nesting,
    path: Vec<ID>,
}

#[derive(Clone, Debug)]
pub enum Nesting {
    /// `::A`
    Absolute,
    /// The path begins in this class or module.
    In(ClassId),
    Fixed(Vec<ClassId>),
    /// The block stands in a `class << self` or the like, whose module may be another one each time.
    Block,
}

impl Nesting {
    /// That of a place in code.
    fn of(
        scope: &BlockScope<'_>,
        pool: &ObjectPool,
        place: &Scope,
        fixed_nesting: bool,
    ) -> Result<Self, Error> {
        Ok(match place {
            Scope::Block if fixed_nesting => {
                let modules = scope.nesting()?;
                Self::Fixed(modules.into_iter().map(|m| pool.number(m)).collect())
            }
            Scope::Block => Self::Block,
            Scope::Literal(class) => {
                let modules = pool.literal(*class).map_or_else(Vec::new, |literal| literal.nesting);
                Self::Fixed(modules.into_iter().map(|module| pool.number(module)).collect())
            }
            Scope::Method { owner, nesting } => {
                let modules = method_nesting(scope, pool, *owner, nesting)?;
                Self::Fixed(modules.into_iter().map(|module| pool.number(module)).collect())
            }
        })
    }

    fn modules(&self, scope: &BlockScope<'_>, pool: &ObjectPool) -> Result<Vec<VALUE>, Error> {
        Ok(match self {
            Self::Absolute => Vec::new(),
            Self::In(class) => vec![pool.class(*class)],
            Self::Fixed(modules) => modules.iter().map(|m| pool.class(*m)).collect(),
            Self::Block => scope.nesting()?,
        })
    }
}

impl Source {
    fn is_constant(&self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Within(_, source) => source.is_constant(),
            _ => false,
        }
    }

    /// The NameError that Ruby raises for a constant that is not there, if it raises one.
    pub fn missing(
        &self,
        scope: &BlockScope<'_>,
        pool: &ObjectPool,
    ) -> Result<Option<MissingConstant>, Error> {
        match self {
            Self::Constant(constant) => constant.missing(scope, pool),
            _ => Ok(None),
        }
    }

    /// What a message calls it.
    fn describe(&self) -> String {
        match self {
            Self::SelfValue => "self".into(),
            Self::Captured(name, _) => format!("the local variable `{name}`"),
            Self::Constant(constant) => {
                let path: Vec<String> = constant.path.iter().map(|name| value::name_of(*name)).collect();
                format!("the constant {}", path.join("::"))
            }
            Self::ModuleVariable(_, name) => {
                format!("the variable {} of a class or module", value::name_of(*name))
            }
            Self::Global(name) => format!("the global variable {name}"),
            Self::ClassVariable(_, name) => format!("the class variable {}", value::name_of(*name)),
            Self::Text(_) => "a String".into(),
            Self::Regexp(_) => "a Regexp".into(),
            Self::MethodBlock(_) => "the block of a method".into(),
            Self::DefaultBlock(_) => "the default block of a Hash".into(),
            Self::Within(_, inner) | Self::Object(inner) => inner.describe(),
        }
    }

    /// `fixed_nesting`: the modules around the block have names.
    pub fn new(
        scope: &BlockScope<'_>,
        pool: &ObjectPool,
        key: &RootKey,
        fixed_nesting: bool,
    ) -> Result<Self, Error> {
        let ruby = scope.ruby;
        Ok(match key {
            RootKey::SelfValue => Self::SelfValue,
            RootKey::Captured(name) => Self::Captured(name.clone(), value::intern(ruby, name)),
            RootKey::DefaultBlock(kind) => Self::DefaultBlock(*kind),
            RootKey::Within(..) | RootKey::Object(_) | RootKey::MethodBlock(_) => {
                unreachable!("taken apart by the host")
            }
            RootKey::ModuleIvar(class, name) => Self::ModuleVariable(*class, value::intern(ruby, name)),
            RootKey::Global(name) => Self::Global(name.clone()),
            RootKey::Regexp(source, options) => {
                let regexp = new_regexp(source, *options)?;
                pool.keep(regexp);
                Self::Regexp(regexp)
            }
            RootKey::Characters(name) => {
                let table = characters(ruby, name)?;
                pool.keep(table);
                Self::Text(table)
            }
            RootKey::Words(words) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let text = ruby.str_from_slice(&bytes);
                text.freeze();
                pool.keep(text.as_raw());
                Self::Text(text.as_raw())
            }
            RootKey::Text(text) => {
                let text = interned(text)?;
                pool.keep(text);
                Self::Text(text)
            }
            RootKey::Bytes(bytes) => {
                let text = interned(bytes)?;
                pool.keep(text);
                Self::Text(text)
            }
            RootKey::ClassVariable { scope: place, name } => Self::ClassVariable(
                Nesting::of(scope, pool, place, fixed_nesting)?,
                value::intern(ruby, name),
            ),
            RootKey::ConstantOf(class, path) => {
                let path = path.iter().map(|name| value::intern(ruby, name)).collect();
                Self::Constant(Constant { nesting: Nesting::In(*class), path })
            }
            RootKey::Constant { scope: place, path, absolute } => {
                let nesting = match place {
                    _ if *absolute => Nesting::Absolute,
                    place => Nesting::of(scope, pool, place, fixed_nesting)?,
                };
                let path = path.iter().map(|name| value::intern(ruby, name)).collect();
                Self::Constant(Constant { nesting, path })
            }
        })
    }

    /// Does Ruby refuse to name it here, although it is there?
    pub fn private(&self, scope: &BlockScope<'_>, pool: &ObjectPool) -> Result<bool, Error> {
        match self {
            Self::Constant(constant) => constant.private(scope, pool),
            Self::Object(inner) => inner.private(scope, pool),
            Self::Within(closure, inner) => match closure.read(scope, pool)? {
                Some(closure) => inner.private(&scope.of_closure(closure)?, pool),
                None => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// The Hashes whose default block it is, or is seen by: they have to be found first.
    pub fn hashes(&self) -> Option<ArrayKind> {
        match self {
            Self::DefaultBlock(kind) => Some(*kind),
            Self::Within(closure, _) => closure.hashes(),
            _ => None,
        }
    }

    /// Those that need to have one and the same proc, as it is seen where that was made.
    pub fn hashes_of_one_proc(&self) -> Option<ArrayKind> {
        match self {
            Self::Within(closure, inner) if matches!(**inner, Self::SelfValue | Self::Captured(..)) => {
                closure.hashes()
            }
            _ => None,
        }
    }

    /// The value now; `None` where Ruby raises NameError.
    pub fn read(&self, scope: &BlockScope<'_>, pool: &ObjectPool) -> Result<Option<VALUE>, Error> {
        let ruby = scope.ruby;
        let found = match self {
            Self::SelfValue => {
                Some(call::<Value>(ruby, Own::Receiver, &[scope.binding()?.as_raw()])?.as_raw())
            }
            Self::Captured(name, _) if name == METHOD_AROUND => {
                let text = ruby.str_new("__method__").as_raw();
                Some(call::<Value>(ruby, Own::Eval, &[scope.binding()?.as_raw(), text])?.as_raw())
            }
            Self::Captured(name, id) => {
                let values = [scope.binding()?.as_raw(), value::symbol_of(*id)];
                let is_there = || call::<bool>(ruby, Own::LocalVariableDefined, &values);
                if let Some((_, value)) = scope.instead.iter().find(|(known, _)| known == name) {
                    return Ok(is_there()?.then_some(*value));
                }
                match call::<Value>(ruby, Own::LocalVariableGet, &values) {
                    Ok(value) => Some(value.as_raw()),
                    // It may be another thread's exception that was raised.
                    Err(error) if !error.is_kind_of(ruby.exception_name_error()) || is_there()? => {
                        return Err(error);
                    }
                    Err(_) => return Ok(None),
                }
            }
            Self::ModuleVariable(class, id) => {
                // SAFETY: the class is live; reading an unset variable gives nil.
                Some(unsafe { rb_sys::rb_ivar_get(pool.class(*class), *id) })
            }
            Self::Global(name) => Some(read_global(name)?),
            Self::ClassVariable(nesting, id) => {
                let mut found = None;
                for module in nesting.modules(scope, pool)? {
                    // Those of a `class << self` are of the class around it.
                    if !call::<bool>(ruby, Own::IsSingleton, &[module])? {
                        found = read_class_variable(module, *id)?;
                        break;
                    }
                }
                found
            }
            Self::Constant(constant) => constant.read(scope, pool)?,
            Self::Text(value) | Self::Regexp(value) | Self::MethodBlock(value) => Some(*value),
            Self::Object(inner) => inner.read(scope, pool)?,
            Self::DefaultBlock(kind) => {
                let known = scope.default_blocks.borrow();
                known.iter().find(|(of, _)| of == kind).map(|(_, block)| *block)
            }
            Self::Within(closure, inner) => match closure.read(scope, pool)? {
                Some(closure) if is_callable(closure) => inner.read(&scope.of_closure(closure)?, pool)?,
                _ => None,
            },
        };
        if let Some(found) = found {
            scope.pinned.pin(found);
        }
        Ok(found)
    }
}

impl Constant {
    fn read(&self, scope: &BlockScope<'_>, pool: &ObjectPool) -> Result<Option<VALUE>, Error> {
        match &self.nesting {
            Nesting::In(class) => resolve_in(pool.class(*class), &self.path),
            nesting => resolve(&nesting.modules(scope, pool)?, &self.path),
        }
    }

    /// What Ruby says of the first part of the path that is not there. `None`: it says something else, as it asks a
    /// `const_missing` of the user's, or a part is no class.
    fn missing(&self, scope: &BlockScope<'_>, pool: &ObjectPool) -> Result<Option<MissingConstant>, Error> {
        let part = |end: usize| {
            let path = self.path[..end].to_vec();
            Self { nesting: self.nesting.clone(), path }.read(scope, pool)
        };
        // SAFETY: a variable that Ruby sets before it loads anything.
        let object = unsafe { rb_sys::rb_cObject };
        let mut module = self.nesting.modules(scope, pool)?.first().copied().unwrap_or(object);
        for end in 1..=self.path.len() {
            if let Some(found) = part(end)? {
                module = found;
                continue;
            }
            // SAFETY: the module is live: the pool or its own name keeps it.
            let class = value::is_module(module).then(|| unsafe { rb_sys::rb_singleton_class(module) });
            let Some(class) = class else { return Ok(None) };
            let hook =
                classes::instance_method(scope.ruby, class, value::intern(scope.ruby, "const_missing"))?;
            let owner = hook.map(|hook| call::<Value>(scope.ruby, Own::Owner, &[hook])).transpose()?;
            if owner.is_none_or(|owner| owner.as_raw() != scope.ruby.class_module().as_raw()) {
                return Ok(None);
            }
            let name = value::name_of(self.path[end - 1]);
            let within =
                if module == object { String::new() } else { format!("{}::", classes::path(module)) };
            let message = format!("uninitialized constant {within}{name}");
            return Ok(Some(MissingConstant { message, name, module: pool.number(module) }));
        }
        Ok(None)
    }

    /// Is some part of `A::B` after the first a private constant? (A bare name may be.)
    fn private(&self, scope: &BlockScope<'_>, pool: &ObjectPool) -> Result<bool, Error> {
        let first = usize::from(!matches!(self.nesting, Nesting::In(_)));
        for end in first..self.path.len() {
            let prefix = Self { nesting: self.nesting.clone(), path: self.path[..end].to_vec() };
            let Some(module) = prefix.read(scope, pool)? else { return Ok(false) };
            if !value::is_module(module) {
                return Ok(false);
            }
            // SAFETY: the module was just read and is reachable by its name.
            let public = protect(|| unsafe { rb_sys::rb_mod_constants(0, std::ptr::null(), module) })?;
            // SAFETY: the list was just made.
            let public = RArray::try_convert(unsafe { Value::from_raw(public) })?;
            let name = value::symbol_of(self.path[end]);
            if !public.into_iter().any(|constant| constant.as_raw() == name) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The frozen String that literals of this text are.
fn interned(text: impl AsRef<[u8]>) -> Result<VALUE, Error> {
    let text = text.as_ref();
    // SAFETY: the text is copied where there is none yet; what is raised ends in `protect`.
    protect(|| unsafe {
        // Ruby looks at what is there of an empty text.
        let first = if text.is_empty() { c"".as_ptr() } else { text.as_ptr().cast() };
        let length = text.len() as _;
        rb_sys::rb_enc_interned_str(first, length, rb_sys::rb_utf8_encoding())
    })
}

/// The table of characters of this name.
fn characters(ruby: &Ruby, name: &str) -> Result<VALUE, Error> {
    let module: RModule = ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Characters")?;
    module.funcall::<_, _, Value>("table", (ruby.to_symbol(name),)).map(|table| table.as_raw())
}

/// As a literal gives it: frozen.
fn new_regexp(source: &str, options: u32) -> Result<VALUE, Error> {
    // SAFETY: the text is copied; what is raised ends in `protect`.
    protect(|| unsafe {
        let first = if source.is_empty() { c"".as_ptr() } else { source.as_ptr().cast() };
        let encoding = rb_sys::rb_utf8_encoding();
        rb_sys::rb_obj_freeze(rb_sys::rb_enc_reg_new(first, source.len() as _, encoding, options as _))
    })
}

/// The value of a global variable, nil for one that was never set.
fn read_global(name: &str) -> Result<VALUE, Error> {
    let Ok(name) = std::ffi::CString::new(name) else { return Ok(value::NIL) };
    // SAFETY: the name is a string of C. What is raised ends in `protect`, and nothing in there needs dropping.
    protect(|| unsafe { rb_sys::rb_gv_get(name.as_ptr()) })
}

/// The value of a class variable of a class or module or of its ancestors, if one has it. Ruby raises where one of a
/// subclass is hidden by that of a class above it.
fn read_class_variable(module: VALUE, id: ID) -> Result<Option<VALUE>, Error> {
    // SAFETY: the module is live. What is raised ends in `protect`, and nothing in there needs dropping.
    let found = protect(|| unsafe {
        match rb_sys::rb_cvar_defined(module, id) {
            value::FALSE => rb_sys::Qundef as VALUE,
            _ => rb_sys::rb_cvar_get(module, id),
        }
    })?;
    Ok((found != rb_sys::Qundef as VALUE).then_some(found))
}

/// The class or module that has the class variable which a name means at a place in code.
pub fn class_variable_owner(
    scope: &BlockScope<'_>,
    pool: &ObjectPool,
    place: &Scope,
    name: &str,
    fixed_nesting: bool,
) -> Result<Option<ClassId>, Error> {
    let id = value::intern(scope.ruby, name);
    for module in Nesting::of(scope, pool, place, fixed_nesting)?.modules(scope, pool)? {
        if call::<bool>(scope.ruby, Own::IsSingleton, &[module])? {
            continue;
        }
        // Ruby only sets it where it is none yet.
        let mut owner = value::FALSE;
        // SAFETY: the module is live. What is raised ends in `protect`, and nothing in there needs dropping.
        protect(|| unsafe {
            if rb_sys::rb_cvar_defined(module, id) != value::FALSE {
                rb_sys::rb_cvar_find(module, id, &raw mut owner);
            }
            value::NIL
        })?;
        return Ok((owner != value::FALSE).then(|| pool.number(owner)));
    }
    Ok(None)
}

/// The value of a constant's path, looked up from `nesting` (innermost first; empty for the top level).
fn resolve(nesting: &[VALUE], path: &[ID]) -> Result<Option<VALUE>, Error> {
    // SAFETY: a variable that Ruby sets before it loads anything.
    let object = unsafe { rb_sys::rb_cObject };
    let undefined = rb_sys::Qundef as VALUE;
    let found = protect(|| {
        // SAFETY: all modules are live (in the pool, or pinned by the scope). What is raised ends in `protect`, and
        // nothing here needs dropping.
        unsafe { within(lexical(nesting, object, path[0]), &path[1..]) }
    })?;
    Ok((found != undefined).then_some(found))
}

/// The value of a path that begins in `module`.
fn resolve_in(module: VALUE, path: &[ID]) -> Result<Option<VALUE>, Error> {
    // SAFETY: the module is in the pool. What is raised ends in `protect`, and nothing here needs dropping.
    let found = protect(|| unsafe { within(module, path) })?;
    Ok((found != rb_sys::Qundef as VALUE).then_some(found))
}

/// `found::A::B`; Qundef when there is none. May raise, as an autoload may.
///
/// SAFETY: `found` is live, or Qundef.
unsafe fn within(mut found: VALUE, path: &[ID]) -> VALUE {
    let undefined = rb_sys::Qundef as VALUE;
    // SAFETY: as the caller says; the type is asked before each use.
    unsafe {
        for id in path {
            if found == undefined
                || !value::is_module(found)
                || rb_sys::rb_const_defined_from(found, *id) == 0
            {
                return undefined;
            }
            found = rb_sys::rb_const_get_from(found, *id);
        }
    }
    found
}

/// Ruby's lookup of a bare constant: the modules around it without their ancestors, then the innermost one's ancestors,
/// then Object. Qundef when there is none. May raise, as an autoload may.
///
/// SAFETY: all are live modules.
unsafe fn lexical(nesting: &[VALUE], object: VALUE, id: ID) -> VALUE {
    // SAFETY: as the caller says.
    unsafe {
        for module in nesting {
            if *module != object && rb_sys::rb_const_defined_at(*module, id) != 0 {
                return rb_sys::rb_const_get_at(*module, id);
            }
        }
        for module in nesting.first().into_iter().chain([&object]) {
            if rb_sys::rb_const_defined(*module, id) != 0 {
                return rb_sys::rb_const_get(*module, id);
            }
        }
    }
    rb_sys::Qundef as VALUE
}

/// The modules around a method, innermost first, from their names as written (outermost first). All are pinned, as what a
/// constant holds may be replaced.
pub fn method_nesting(
    scope: &BlockScope<'_>,
    pool: &ObjectPool,
    owner: ClassId,
    written: &[Option<String>],
) -> Result<Vec<VALUE>, Error> {
    let mut modules: Vec<VALUE> = Vec::new();
    for name in written {
        // A `class << self` or a module without a name: what stands further in cannot be found by name.
        let Some(name) = name else { break };
        let path = name.strip_prefix("::");
        let around: Vec<VALUE> = match path {
            Some(_) => Vec::new(),
            None => modules.iter().rev().copied().collect(),
        };
        let parts = path.unwrap_or(name).split("::");
        let path: Vec<ID> = parts.map(|part| value::intern(scope.ruby, part)).collect();
        let Some(module) = resolve(&around, &path)? else { break };
        scope.pinned.pin(module);
        modules.push(module);
    }
    if modules.len() < written.len() {
        // The owner is the innermost module, whatever it is called.
        modules.push(pool.class(owner));
    }
    modules.reverse();
    Ok(modules)
}

/// A root's value, taken apart.
#[derive(Debug)]
pub struct RootValue {
    pub ty: Type,
    /// One value; none for what has no scalars (a module, a range).
    pub column: ColumnBuilder,
    /// The ends of a range, as the bits of their types; 0 where there is none.
    pub ends: [u64; 2],
    /// The groups of a Regexp.
    pub groups: Option<u32>,
    /// The Integer of more than 64 bits, and at most 128, that a constant is.
    pub wide: Option<i128>,
}

impl RootValue {
    pub fn integer(&self) -> Option<i64> {
        if self.ty == Type::Integer { self.column.payload.first().copied() } else { None }
    }

    /// What code may know of an Integer: does it fit 32 bits, and the sign of a constant. Variables change, and each time
    /// that they leave it there is another version of the code.
    pub fn interval(&self, source: &Source) -> Interval {
        let Some(number) = self.integer() else { return Interval::FULL };
        let Interval { low, high } =
            if i32::try_from(number).is_ok() { Interval::I32 } else { Interval::FULL };
        let low = if number >= 0 && source.is_constant() { 0 } else { low };
        Interval { low, high }
    }

    /// `source` says where the value is from, in case that it does not fit.
    pub fn read(
        ruby: &Ruby,
        tracer: &mut Tracer<'_>,
        number: u32,
        source: &Source,
        root: VALUE,
    ) -> Result<Self, Trouble> {
        let is_object = matches!(source, Source::Object(_));
        let read = Self::of(ruby, tracer, number, root, is_object).map_err(|trouble| match trouble {
            Trouble::Stop(Stop::Overflow(_)) => Stop::Overflow(source.describe()).into(),
            other => other,
        })?;
        let wide = if source.is_constant() { integers::wide(root) } else { None };
        Ok(Self { wide, ..read })
    }

    fn of(
        ruby: &Ruby,
        tracer: &mut Tracer<'_>,
        number: u32,
        root: VALUE,
        is_object: bool,
    ) -> Result<Self, Trouble> {
        if !is_object && decode(root) == Decoded::Object {
            if value::is_module(root) {
                let ty = Type::Module(tracer.pool.find(root).ok_or(Stop::Misfit)?);
                return Ok(Self {
                    ty,
                    column: ColumnBuilder::default(),
                    ends: [0; 2],
                    groups: None,
                    wide: None,
                });
            }
            if is_callable(root)
                && let Some(number) = Self::literal(ruby, tracer, root)?
            {
                let column = ColumnBuilder::default();
                return Ok(Self { ty: Type::Proc(number), column, ends: [0; 2], groups: None, wide: None });
            }
            // SAFETY: the root is a live heap object; the variable is set before anything is loaded.
            let is_range = unsafe { value::class_pointer(root) == rb_sys::rb_cRange };
            if is_range && let Some(range) = Self::range(root)? {
                return Ok(range);
            }
        }
        let column = tracer.read_root(number, root)?;
        let types = column.seen().types();
        let ty = types.single().cloned().unwrap_or(Type::Nil);
        let is_regexp = matches!(ty, Type::Object(_, ClassId::REGEXP));
        let groups = if is_regexp { patterns::groups(ruby, root) } else { None };
        Ok(Self { ty, column, ends: [0; 2], groups, wide: None })
    }

    /// The number of the literal that a Proc or Method comes from, or of what stands for it.
    fn literal(ruby: &Ruby, tracer: &Tracer<'_>, root: VALUE) -> Result<Option<u32>, Trouble> {
        let number = |iseq: Value, of: VALUE| tracer.pool.root_literal(iseq.as_raw(), is_lambda(of));
        if is_proc(root)
            && let Some(iseq) = methods::iseq_of(ruby, root)?
        {
            return Ok(Some(number(iseq, root).ok_or(Stop::Misfit)?));
        }
        let Some(literal) = sources::written_out(ruby, root)? else { return Ok(None) };
        let Some(iseq) = methods::iseq_of(ruby, literal)? else { return Ok(None) };
        let number = number(iseq, literal).ok_or(Stop::Misfit)?;
        Ok(Some(if is_method(root) { number | METHOD } else { number }))
    }

    /// `None` for a range of something else than numbers.
    fn range(range: VALUE) -> Result<Option<Self>, Stop> {
        let (mut low, mut high, mut exclusive) = (value::NIL, value::NIL, 0);
        // SAFETY: `range` is a Range, for which this only reads its fields.
        unsafe { rb_sys::rb_range_values(range, &mut low, &mut high, &mut exclusive) };
        let mut ends = [(RangeEnd::None, 0u64); 2];
        for (end, of) in ends.iter_mut().zip([low, high]) {
            *end = match decode(of) {
                Decoded::Nil => (RangeEnd::None, 0),
                Decoded::Integer(number) => (RangeEnd::Integer, number as u64),
                Decoded::Float(number) => (RangeEnd::Float, number.to_bits()),
                Decoded::Huge => return Err(Stop::Overflow("an end of a captured range".into())),
                _ => return Ok(None),
            };
        }
        let [(low, low_bits), (high, high_bits)] = ends;
        let ty = Type::Range { exclusive: exclusive != 0, low, high };
        Ok(Some(Self {
            ty,
            column: ColumnBuilder::default(),
            ends: [low_bits, high_bits],
            groups: None,
            wide: None,
        }))
    }
}
