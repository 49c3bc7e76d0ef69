//! Roots: the values that exist once for a whole section. How each is found, read anew at every call: the block's
//! self, captured locals, constants, instance variables of modules.

use crate::code::methods;
use crate::reading::column_builder::ColumnBuilder;
use crate::reading::tracer::Tracer;
use crate::vm::classes;
use crate::vm::errors::{Stop, Trouble};
use crate::vm::gvl::GvlCell;
use crate::vm::pinned::Pinned;
use crate::vm::value::{self, Decoded, decode};
use ikra_core::infer::host::{RootKey, Scope};
use ikra_core::types::{ClassId, RangeEnd, Type};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, Ruby, TryConvert, Value, block::Proc, prelude::*};
use rb_sys::{ID, VALUE};
use std::cell::{OnceCell, RefCell};

/// The scopes around the block: its binding, made at the first question for it.
pub struct BlockScope<'a> {
    ruby: &'a Ruby,
    pinned: &'a Pinned,
    block: Proc,
    binding: OnceCell<Value>,
    /// The bindings of the lambdas and procs that are roots.
    closures: RefCell<Vec<(VALUE, Value)>>,
}

impl<'a> BlockScope<'a> {
    pub fn new(ruby: &'a Ruby, pinned: &'a Pinned, block: Proc) -> Self {
        pinned.pin(block.as_raw());
        Self { ruby, pinned, block, binding: OnceCell::new(), closures: RefCell::default() }
    }

    /// The scopes around a lambda or proc.
    pub fn of_closure(&self, closure: VALUE) -> Result<Self, Error> {
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

    fn binding(&self) -> Result<Value, Error> {
        if let Some(binding) = self.binding.get() {
            return Ok(*binding);
        }
        let binding: Value = self.block.funcall("binding", ())?;
        self.pinned.pin(binding.as_raw());
        Ok(*self.binding.get_or_init(|| binding))
    }

    /// The modules that the block stands in, innermost first.
    fn nesting(&self) -> Result<Vec<VALUE>, Error> {
        let list: RArray = self.binding()?.funcall("eval", ("Module.nesting",))?;
        self.pinned.pin(list.as_raw());
        Ok(list.into_iter().map(|module| module.as_raw()).collect())
    }
}

/// How to read a root again.
#[derive(Clone, Debug)]
pub enum Source {
    SelfValue,
    Captured(String),
    Constant(Constant),
    ModuleVariable(ClassId, ID),
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
enum Nesting {
    /// `::A`
    Absolute,
    /// The path begins in this class or module.
    In(ClassId),
    Fixed(Vec<ClassId>),
    /// The block stands in a `class << self` or the like, whose module may be another one each time.
    Block,
}

impl Source {
    /// What a message calls it.
    fn describe(&self) -> String {
        match self {
            Self::SelfValue => "self".into(),
            Self::Captured(name) => format!("the local variable `{name}`"),
            Self::Constant(constant) => {
                let path: Vec<String> = constant.path.iter().map(|name| name_of(*name)).collect();
                format!("the constant {}", path.join("::"))
            }
            Self::ModuleVariable(_, name) => format!("the variable {} of a class or module", name_of(*name)),
            Self::Within(_, inner) => inner.describe(),
        }
    }

    /// `fixed_nesting`: the modules around the block have names.
    pub fn new(scope: &BlockScope<'_>, key: &RootKey, fixed_nesting: bool) -> Result<Self, Error> {
        let ruby = scope.ruby;
        Ok(match key {
            RootKey::SelfValue => Self::SelfValue,
            RootKey::Captured(name) => Self::Captured(name.clone()),
            RootKey::Within(..) => unreachable!("taken apart by the host"),
            RootKey::ModuleIvar(class, name) => Self::ModuleVariable(*class, value::intern(ruby, name)),
            RootKey::ConstantOf(class, path) => {
                let path = path.iter().map(|name| value::intern(ruby, name)).collect();
                Self::Constant(Constant { nesting: Nesting::In(*class), path })
            }
            RootKey::Constant { scope: place, path, absolute } => {
                let nesting = match place {
                    _ if *absolute => Nesting::Absolute,
                    Scope::Block if fixed_nesting => {
                        let modules = scope.nesting()?;
                        Nesting::Fixed(modules.into_iter().map(|m| classes::number(ruby, m)).collect())
                    }
                    Scope::Block => Nesting::Block,
                    Scope::Method { owner, nesting } => {
                        Nesting::Fixed(method_nesting(ruby, *owner, nesting)?)
                    }
                };
                let path = path.iter().map(|name| value::intern(ruby, name)).collect();
                Self::Constant(Constant { nesting, path })
            }
        })
    }

    /// Does Ruby refuse to name it here, although it is there?
    pub fn private(&self, scope: &BlockScope<'_>) -> Result<bool, Error> {
        match self {
            Self::Constant(constant) => constant.private(scope),
            Self::Within(closure, inner) => match closure.read(scope)? {
                Some(closure) => inner.private(&scope.of_closure(closure)?),
                None => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// The value now; `None` where Ruby raises NameError.
    pub fn read(&self, scope: &BlockScope<'_>) -> Result<Option<VALUE>, Error> {
        let ruby = scope.ruby;
        let found = match self {
            Self::SelfValue => Some(scope.binding()?.funcall::<_, _, Value>("receiver", ())?.as_raw()),
            Self::Captured(name) => {
                let name = ruby.to_symbol(name);
                if !scope.binding()?.funcall::<_, _, bool>("local_variable_defined?", (name,))? {
                    return Ok(None);
                }
                Some(scope.binding()?.funcall::<_, _, Value>("local_variable_get", (name,))?.as_raw())
            }
            Self::ModuleVariable(class, id) => {
                // SAFETY: the class is live; reading an unset variable gives nil.
                Some(unsafe { rb_sys::rb_ivar_get(classes::value(ruby, *class), *id) })
            }
            Self::Constant(constant) => constant.read(scope)?,
            Self::Within(closure, inner) => match closure.read(scope)? {
                Some(closure) if is_proc(closure) => inner.read(&scope.of_closure(closure)?)?,
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
    fn read(&self, scope: &BlockScope<'_>) -> Result<Option<VALUE>, Error> {
        let nesting = match &self.nesting {
            Nesting::In(class) => {
                return resolve_in(scope.ruby, classes::value(scope.ruby, *class), &self.path);
            }
            Nesting::Absolute => Vec::new(),
            Nesting::Fixed(modules) => modules.iter().map(|m| classes::value(scope.ruby, *m)).collect(),
            Nesting::Block => scope.nesting()?,
        };
        resolve(scope.ruby, &nesting, &self.path)
    }

    /// Is some part of `A::B` after the first a private constant? (A bare name may be.)
    fn private(&self, scope: &BlockScope<'_>) -> Result<bool, Error> {
        let first = usize::from(!matches!(self.nesting, Nesting::In(_)));
        for end in first..self.path.len() {
            let prefix = Self { nesting: self.nesting.clone(), path: self.path[..end].to_vec() };
            let Some(module) = prefix.read(scope)? else { return Ok(false) };
            // SAFETY: the module was just read and is reachable by its name; the ID is a constant's.
            let (module, name) =
                unsafe { (Value::from_raw(module), Value::from_raw(rb_sys::rb_id2sym(self.path[end]))) };
            if !module.funcall::<_, _, RArray>("constants", ())?.includes(name) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The value of a constant's path, looked up from `nesting` (innermost first; empty for the top level).
fn resolve(ruby: &Ruby, nesting: &[VALUE], path: &[ID]) -> Result<Option<VALUE>, Error> {
    let object = classes::value(ruby, ClassId::OBJECT);
    let undefined = rb_sys::Qundef as VALUE;
    let found = protect(|| {
        // SAFETY: all modules are live (numbered, or pinned by the scope). What is raised ends in `protect`, and
        // nothing here needs dropping.
        unsafe { within(lexical(nesting, object, path[0]), &path[1..]) }
    })?;
    Ok((found != undefined).then_some(found))
}

/// The value of a path that begins in `module`.
fn resolve_in(_ruby: &Ruby, module: VALUE, path: &[ID]) -> Result<Option<VALUE>, Error> {
    // SAFETY: the module is numbered. What is raised ends in `protect`, and nothing here needs dropping.
    let found = protect(|| unsafe { within(module, path) })?;
    Ok((found != rb_sys::Qundef as VALUE).then_some(found))
}

/// `found::A::B`; Qundef when there is none. May raise, as an autoload may.
///
/// SAFETY: `found` is live, or Qundef.
unsafe fn within(mut found: VALUE, path: &[ID]) -> VALUE {
    use rb_sys::ruby_value_type as t;
    let undefined = rb_sys::Qundef as VALUE;
    // SAFETY: as the caller says; the type is asked before each use.
    unsafe {
        for id in path {
            if found == undefined
                || rb_sys::SPECIAL_CONST_P(found)
                || !matches!(rb_sys::RB_BUILTIN_TYPE(found), t::RUBY_T_CLASS | t::RUBY_T_MODULE)
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

/// The modules around a method, innermost first, from their names as written (outermost first).
fn method_nesting(ruby: &Ruby, owner: ClassId, written: &[Option<String>]) -> Result<Vec<ClassId>, Error> {
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
        let path: Vec<ID> = parts.map(|part| value::intern(ruby, part)).collect();
        let Some(module) = resolve(ruby, &around, &path)? else { break };
        modules.push(module);
    }
    if modules.len() < written.len() {
        // The owner is the innermost module, whatever it is called.
        modules.push(classes::value(ruby, owner));
    }
    Ok(modules.into_iter().rev().map(|m| classes::number(ruby, m)).collect())
}

/// Is it a Proc, of no class under it?
fn is_proc(object: VALUE) -> bool {
    // SAFETY: what is no special constant is a live heap object; the variable is set before anything is loaded.
    !rb_sys::SPECIAL_CONST_P(object) && unsafe { value::class_pointer(object) == rb_sys::rb_cProc }
}

/// The instruction sequences of lambdas and procs that were roots, each with whether it was a lambda.
static LITERALS: GvlCell<Vec<(VALUE, bool)>> = GvlCell::new(Vec::new());

/// Calls `mark` with every object that the table above holds.
pub fn each_marked(mut mark: impl FnMut(VALUE)) {
    LITERALS.marked(|literals| literals.iter().for_each(|(iseq, _)| mark(*iseq)));
}

/// A number for the literal of a Proc, the same for all Procs of it; `None` where it is not written in Ruby.
fn literal_number(ruby: &Ruby, closure: Value) -> Result<Option<u32>, Error> {
    let Some(iseq) = methods::iseq_of(ruby, closure)? else { return Ok(None) };
    let literal = (iseq.as_raw(), closure.funcall("lambda?", ())?);
    Ok(Some(LITERALS.with(ruby, |literals| {
        let known = literals.iter().position(|other| *other == literal);
        known.unwrap_or_else(|| {
            literals.push(literal);
            literals.len() - 1
        }) as u32
    })))
}

/// A root's value, taken apart.
#[derive(Debug)]
pub struct RootValue {
    pub ty: Type,
    /// One value; none for what has no scalars (a module, a range).
    pub column: ColumnBuilder,
    /// The ends of a range, as the bits of their types; 0 where there is none.
    pub ends: [u64; 2],
}

impl RootValue {
    pub fn narrow(&self) -> bool {
        self.ty == Type::Integer && self.column.seen().narrow()
    }

    /// `source` says where the value is from, in case that it does not fit.
    pub fn read(
        ruby: &Ruby,
        tracer: &mut Tracer<'_>,
        number: u32,
        source: &Source,
        root: VALUE,
    ) -> Result<Self, Trouble> {
        Self::of(ruby, tracer, number, root).map_err(|trouble| match trouble {
            Trouble::Stop(Stop::Overflow(_)) => Stop::Overflow(source.describe()).into(),
            other => other,
        })
    }

    fn of(ruby: &Ruby, tracer: &mut Tracer<'_>, number: u32, root: VALUE) -> Result<Self, Trouble> {
        if decode(ruby, root) == Decoded::Object {
            use rb_sys::ruby_value_type as t;
            // SAFETY: the root is a live heap object.
            let (kind, pointer) = unsafe { (rb_sys::RB_BUILTIN_TYPE(root), value::class_pointer(root)) };
            if matches!(kind, t::RUBY_T_CLASS | t::RUBY_T_MODULE) {
                let ty = Type::Module(classes::number(ruby, root));
                return Ok(Self { ty, column: ColumnBuilder::default(), ends: [0; 2] });
            }
            if is_proc(root) {
                // SAFETY: the root is live.
                let root = unsafe { Value::from_raw(root) };
                if let Some(number) = literal_number(ruby, root)? {
                    return Ok(Self {
                        ty: Type::Proc(number),
                        column: ColumnBuilder::default(),
                        ends: [0; 2],
                    });
                }
            }
            // SAFETY: a variable that Ruby sets before it loads anything.
            let is_range = pointer == unsafe { rb_sys::rb_cRange };
            if is_range && let Some(range) = Self::range(ruby, root)? {
                return Ok(range);
            }
        }
        let column = tracer.read_root(number, root)?;
        let types = column.seen().types();
        let ty = types.single().cloned().unwrap_or(Type::Nil);
        Ok(Self { ty, column, ends: [0; 2] })
    }

    /// `None` for a range of something else than numbers.
    fn range(ruby: &Ruby, range: VALUE) -> Result<Option<Self>, Stop> {
        let (mut low, mut high, mut exclusive) = (value::NIL, value::NIL, 0);
        // SAFETY: `range` is a Range, for which this only reads its fields.
        unsafe { rb_sys::rb_range_values(range, &mut low, &mut high, &mut exclusive) };
        let mut ends = [(RangeEnd::None, 0u64); 2];
        for (end, of) in ends.iter_mut().zip([low, high]) {
            *end = match decode(ruby, of) {
                Decoded::Nil => (RangeEnd::None, 0),
                Decoded::Integer(number) => (RangeEnd::Integer, number as u64),
                Decoded::Float(number) => (RangeEnd::Float, number.to_bits()),
                Decoded::Huge => return Err(Stop::Overflow("an end of a captured range".into())),
                _ => return Ok(None),
            };
        }
        let [(low, low_bits), (high, high_bits)] = ends;
        let ty = Type::Range { exclusive: exclusive != 0, low, high };
        Ok(Some(Self { ty, column: ColumnBuilder::default(), ends: [low_bits, high_bits] }))
    }
}

fn name_of(id: ID) -> String {
    // SAFETY: IDs come from Ruby and do not die; nor does the symbol of one.
    unsafe { Value::from_raw(rb_sys::rb_id2sym(id)) }.to_string()
}
