//! Procs and Methods as objects: their class is their literal, and what they capture are their variables. One without a
//! literal is written out as one that has, if Ruby tells what it is made of.

use crate::code::{methods, sources};
use crate::vm::classes;
use crate::vm::object_pool::{Literal, ObjectPool};
use crate::vm::pinned::Pinned;
use crate::vm::reflection::{Own, call};
use crate::vm::value;
use ikra_core::types::ClassId;
use magnus::rb_sys::AsRawValue;
use magnus::{Error, RArray, Ruby, Value};
use rb_sys::VALUE;

/// Is it a Proc, of no class under it?
pub fn is_proc(object: VALUE) -> bool {
    // SAFETY: what is no special constant is a live heap object; the variable is set before anything is loaded.
    !rb_sys::SPECIAL_CONST_P(object) && unsafe { value::class_pointer(object) == rb_sys::rb_cProc }
}

/// Is it a Method?
pub fn is_method(object: VALUE) -> bool {
    // SAFETY: as above.
    !rb_sys::SPECIAL_CONST_P(object) && unsafe { value::class_pointer(object) == rb_sys::rb_cMethod }
}

/// Are its instances kept by their literals?
pub fn has_literals(class: VALUE) -> bool {
    // SAFETY: variables that Ruby sets before it loads anything.
    unsafe { class == rb_sys::rb_cProc || class == rb_sys::rb_cMethod }
}

/// Is it a Proc or a Method?
pub fn is_callable(object: VALUE) -> bool {
    is_proc(object) || is_method(object)
}

/// Is this Proc a lambda?
pub fn is_lambda(closure: VALUE) -> bool {
    // SAFETY: the closure is a live Proc, which is only looked at.
    unsafe { rb_sys::rb_proc_lambda_p(closure) == value::TRUE }
}

/// A Proc with a literal that does what a Proc or Method does: mostly itself; `None` where there is none.
fn with_literal(ruby: &Ruby, callable: VALUE) -> Result<Option<VALUE>, Error> {
    // SAFETY: the object is live; the variable is set before anything is loaded.
    let is_proc = unsafe { rb_sys::rb_obj_class(callable) == rb_sys::rb_cProc };
    if is_proc && methods::iseq_of(ruby, callable)?.is_some() {
        return Ok(Some(callable));
    }
    sources::written_out(ruby, callable)
}

/// The modules that a Proc's literal stands in, innermost first.
pub fn nesting(ruby: &Ruby, binding: VALUE) -> Result<RArray, Error> {
    let text = ruby.str_new("::Module.nesting").as_raw();
    call(ruby, Own::Eval, &[binding, text])
}

/// The class of the Procs or Methods (`of`) of the same literal as one of these; `of` itself where it has no literal;
/// `None` where the version was compiled without it.
pub fn class_of(
    ruby: &Ruby,
    pool: &ObjectPool,
    pinned: &Pinned,
    of: ClassId,
    callable: VALUE,
) -> Result<Option<ClassId>, Error> {
    let Some(closure) = with_literal(ruby, callable)? else { return Ok(Some(of)) };
    let Some(iseq) = methods::iseq_of(ruby, closure)? else { return Ok(Some(of)) };
    let (iseq, is_lambda) = (iseq.as_raw(), is_lambda(closure));
    if let Some(known) = pool.fixed_literal(of, iseq, is_lambda) {
        return Ok(Some(known));
    }
    let binding: Value = call(ruby, Own::Binding, &[closure])?;
    let modules = nesting(ruby, binding.as_raw())?;
    // Until the pool has them.
    let modules = modules.into_iter().map(|module| module.as_raw());
    let nesting: Vec<VALUE> = modules.inspect(|module| pinned.pin(*module)).collect();
    let is_fixed = nesting.iter().all(|module| !classes::path(*module).starts_with("#<"));
    let names: RArray = call(ruby, Own::LocalVariables, &[binding.as_raw()])?;
    let mut locals: Vec<String> =
        names.into_iter().map(|name| value::name_of_symbol(name.as_raw())).collect();
    locals.sort_unstable();
    Ok(pool.number_literal(of, Literal { iseq, is_lambda, nesting, is_fixed, locals }))
}

/// What a Proc or Method has captured by this name, nil where that was never set; `None` for its `self`.
pub fn captured(ruby: &Ruby, callable: VALUE, name: Option<VALUE>) -> Result<VALUE, Error> {
    let Some(closure) = with_literal(ruby, callable)? else { return Ok(value::NIL) };
    let binding: Value = call(ruby, Own::Binding, &[closure])?;
    let binding = binding.as_raw();
    let Some(name) = name else { return Ok(call::<Value>(ruby, Own::Receiver, &[binding])?.as_raw()) };
    if !call::<bool>(ruby, Own::LocalVariableDefined, &[binding, name])? {
        return Ok(value::NIL);
    }
    Ok(call::<Value>(ruby, Own::LocalVariableGet, &[binding, name])?.as_raw())
}
