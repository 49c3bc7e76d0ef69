//! Ruby's own methods of reflection, bound when Ikra is loaded: a class may define a method of its own by any of these
//! names, and so may an object, but here Ruby's is called, and no code of the user runs.

use crate::vm::value::{self, Name};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, Ruby, Symbol, TryConvert, Value, prelude::*};
use rb_sys::{ID, VALUE};
use std::ffi::c_int;
use std::sync::OnceLock;

/// A method of Ruby's. The first argument of [`call`] is the receiver, but for those of modules.
#[derive(Clone, Copy, Debug)]
pub enum Own {
    InstanceMethod,
    IsSingleton,
    /// Since Ruby 3.2; calling it raises where there is none.
    AttachedObject,
    MethodDefined,
    PrivateMethodDefined,
    ProtectedMethodDefined,
    Owner,
    SuperMethod,
    MethodName,
    OriginalName,
    SourceLocation,
    Arity,
    SameMethod,
    Path,
    BaseLabel,
    Binding,
    InspectProc,
    Parameters,
    Receiver,
    LocalVariableDefined,
    LocalVariableGet,
    LocalVariableSet,
    LocalVariables,
    Eval,
    HashDefault,
    GiveDefault,
    DefaultProc,
    GiveDefaultProc,
    ComparesByIdentity,
    DumpRandom,
    LoadRandom,
    RegexpSource,
    /// `RubyVM::InstructionSequence.of`
    InstructionsOf,
    /// `Ractor.count`
    CountRactors,
}

/// In the order of [`Own`].
const METHODS: [(&str, &str); 34] = [
    ("Module", "instance_method"),
    ("Module", "singleton_class?"),
    ("Class", "attached_object"),
    ("Module", "method_defined?"),
    ("Module", "private_method_defined?"),
    ("Module", "protected_method_defined?"),
    ("UnboundMethod", "owner"),
    ("UnboundMethod", "super_method"),
    ("UnboundMethod", "name"),
    ("UnboundMethod", "original_name"),
    ("UnboundMethod", "source_location"),
    ("UnboundMethod", "arity"),
    ("UnboundMethod", "=="),
    ("RubyVM::InstructionSequence", "path"),
    ("RubyVM::InstructionSequence", "base_label"),
    ("Proc", "binding"),
    ("Proc", "inspect"),
    ("Proc", "parameters"),
    ("Binding", "receiver"),
    ("Binding", "local_variable_defined?"),
    ("Binding", "local_variable_get"),
    ("Binding", "local_variable_set"),
    ("Binding", "local_variables"),
    ("Binding", "eval"),
    ("Hash", "default"),
    ("Hash", "default="),
    ("Hash", "default_proc"),
    ("Hash", "default_proc="),
    ("Hash", "compare_by_identity?"),
    ("Random", "marshal_dump"),
    ("Random", "marshal_load"),
    ("Regexp", "source"),
    ("RubyVM::InstructionSequence.", "of"),
    ("Ractor.", "count"),
];

/// Method objects: each is the method itself, or `bind_call` of it.
static BOUND: OnceLock<[VALUE; METHODS.len()]> = OnceLock::new();

pub fn init(ruby: &Ruby) -> Result<(), Error> {
    let mut bound = [value::NIL; METHODS.len()];
    let list = ruby.ary_new();
    for (slot, (module, name)) in bound.iter_mut().zip(METHODS) {
        let of = |module: &str| ruby.class_object().funcall::<_, _, Value>("const_get", (module,));
        let method: Value = match module.strip_suffix('.') {
            Some(module) => of(module)?.funcall("method", (name,))?,
            None if !defines(of(module)?, name)? => continue,
            None => {
                let method: Value = of(module)?.funcall("instance_method", (name,))?;
                let bind_call: Value = of("UnboundMethod")?.funcall("instance_method", ("bind_call",))?;
                bind_call.funcall("bind", (method,))?
            }
        };
        list.push(method)?;
        *slot = method.as_raw();
    }
    let _ = BOUND.set(bound);
    // The list was on the stack until here.
    let list = list.as_raw();
    rb_sys::rb_gc_guard!(list);
    Ok(())
}

fn defines(module: Value, name: &str) -> Result<bool, Error> {
    Ok(module.funcall("method_defined?", (name,))? || module.funcall("private_method_defined?", (name,))?)
}

/// Calls `mark` with every method that is held.
pub fn each_marked(mark: impl FnMut(VALUE)) {
    BOUND.get().into_iter().flatten().copied().for_each(mark);
}

/// Calls a method with its receiver and arguments, which are live.
pub fn call<T: TryConvert>(_ruby: &Ruby, method: Own, values: &[VALUE]) -> Result<T, Error> {
    let bound = BOUND.get().map_or(crate::vm::value::NIL, |bound| bound[method as usize]);
    // SAFETY: the method is a Method object, marked for good; the values are live, as the caller says. What is raised
    // ends in `protect`.
    let result =
        protect(|| unsafe { rb_sys::rb_method_call(values.len() as c_int, values.as_ptr(), bound) })?;
    // SAFETY: the value was just given.
    T::try_convert(unsafe { Value::from_raw(result) })
}

/// Is what this object answers to the name with a method that Ruby defines in C when it starts, and that nobody has
/// redefined?
pub fn is_basic(object: Value, name: Symbol) -> bool {
    is_basic_id(object.as_raw(), symbol_id(name))
}

/// The same of instances of a class.
pub fn is_basic_in(class: Value, name: Symbol) -> bool {
    // SAFETY: both are live; nothing of the user's runs.
    unsafe { rb_sys::rb_method_basic_definition_p(class.as_raw(), symbol_id(name)) != 0 }
}

/// How many items an Array has, if it goes through them by Ruby's own method of this name, and by Ruby's own `each`.
pub fn plain_size(ruby: &Ruby, object: Value, name: Symbol) -> Option<usize> {
    static EACH: Name = Name::new("each");
    let array = RArray::from_value(object)?;
    let is_basic = |id| is_basic_id(object.as_raw(), id);
    (is_basic(symbol_id(name)) && is_basic(EACH.id(ruby))).then(|| array.len())
}

fn symbol_id(name: Symbol) -> ID {
    // SAFETY: the Symbol is live.
    unsafe { rb_sys::rb_sym2id(name.as_raw()) }
}

fn is_basic_id(object: VALUE, name: ID) -> bool {
    if rb_sys::SPECIAL_CONST_P(object) {
        return false;
    }
    // SAFETY: both are live; nothing of the user's runs.
    unsafe { rb_sys::rb_method_basic_definition_p(value::class_pointer(object), name) != 0 }
}
