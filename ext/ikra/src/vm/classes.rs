//! What classes and modules are, asked of Ruby's tables.

use crate::vm::gvl::{or_defer, or_none};
use crate::vm::reflection::{Own, call};
use crate::vm::ruby_version;
use crate::vm::value::{self, class_pointer};
use ikra_core::infer::host::StructKeywords;
use ikra_core::source::RubyVersion;
use ikra_core::types::ClassId;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, RString, Ruby, Symbol, Value, prelude::*};
use rb_sys::{ID, VALUE};

/// Its name, or what Ruby calls a class without one. That of a class's own methods is told by the class, where Ruby (since
/// 3.2) says which one it is.
pub fn path(module: VALUE) -> String {
    // SAFETY: `module` is a live class or module.
    let ruby = &Ruby::get_with(unsafe { Value::from_raw(module) });
    // Older versions do not say.
    if ruby_version() >= RubyVersion(3, 2)
        && or_defer(call(ruby, Own::IsSingleton, &[module]), false)
        && let Some(attached) = or_defer(call(ruby, Own::AttachedObject, &[module]).map(Some), None::<Value>)
        && attached.is_kind_of(ruby.class_module())
    {
        return format!("#<Class:{}>", plain_path(attached.as_raw()));
    }
    plain_path(module)
}

fn plain_path(module: VALUE) -> String {
    // SAFETY: `module` is a live class or module; the bytes are copied before anything else runs.
    unsafe {
        let path = Value::from_raw(rb_sys::rb_class_path(module));
        RString::from_value(path)
            .map_or_else(String::new, |path| String::from_utf8_lossy(path.as_slice()).into_owned())
    }
}

pub fn is_class(module: VALUE) -> bool {
    // SAFETY: as above.
    unsafe { rb_sys::RB_BUILTIN_TYPE(module) == rb_sys::ruby_value_type::RUBY_T_CLASS }
}

/// `class <= ancestor`.
pub fn inherits(class: VALUE, ancestor: VALUE) -> bool {
    // SAFETY: both are live classes or modules; the call asks their tables only.
    unsafe { rb_sys::rb_class_inherited_p(class, ancestor) == value::TRUE }
}

/// Is it the singleton class of ENV, the one object that most programs know which has methods of its own?
pub fn is_of_environment(ruby: &Ruby, singleton: VALUE) -> Result<bool, Error> {
    let environment: Value = ruby.class_object().const_get("ENV")?;
    // SAFETY: it is live; that it is no Integer or the like, which have no such class, ends in `protect` otherwise.
    let class = protect(|| unsafe { rb_sys::rb_singleton_class(environment.as_raw()) })?;
    Ok(class == singleton)
}

/// All ancestors in order.
pub fn ancestors(module: VALUE) -> Result<RArray, Error> {
    // SAFETY: as above.
    let list = protect(|| unsafe { rb_sys::rb_mod_ancestors(module) })?;
    array(list)
}

fn array(list: VALUE) -> Result<RArray, Error> {
    // SAFETY: the list was just made.
    magnus::TryConvert::try_convert(unsafe { Value::from_raw(list) })
}

/// `Struct`, and `Data` where it is Ruby's: before 3.2 it can be anything.
fn record_classes() -> impl Iterator<Item = VALUE> {
    let data = (ruby_version() >= RubyVersion(3, 2)).then(|| constant(c"Data")).flatten();
    // SAFETY: the variable is set before anything is loaded.
    std::iter::once(unsafe { rb_sys::rb_cStruct }).chain(data)
}

/// A constant of Ruby's own that is a class.
fn constant(name: &std::ffi::CStr) -> Option<VALUE> {
    // SAFETY: the GVL is held; a constant that is there is given without running code, unless it is to be loaded.
    unsafe {
        let (object, id) = (rb_sys::rb_cObject, rb_sys::rb_intern(name.as_ptr()));
        if rb_sys::rb_const_defined_at(object, id) == 0 {
            return None;
        }
        let found = or_none(protect(|| rb_sys::rb_const_get_at(object, id)))?;
        (!rb_sys::SPECIAL_CONST_P(found) && is_class(found)).then_some(found)
    }
}

/// The class that a constant of Object's holds, if it is one and is loaded.
pub fn loaded(name: &std::ffi::CStr) -> Option<VALUE> {
    // SAFETY: the GVL is held; the call looks at tables only.
    let is_to_be_loaded =
        unsafe { rb_sys::rb_autoload_p(rb_sys::rb_cObject, rb_sys::rb_intern(name.as_ptr())) != value::NIL };
    if is_to_be_loaded { None } else { constant(name) }
}

/// The topmost class above `class` that a user defined: below Object, and below Struct and Data, whose subclasses have
/// nothing to do with each other.
pub fn root_of(class: VALUE) -> VALUE {
    // SAFETY: variables that Ruby sets before it loads anything.
    let mut tops = unsafe { vec![rb_sys::rb_cObject, rb_sys::rb_cBasicObject] };
    tops.extend(record_classes());
    let mut root = class;
    // SAFETY: `root` is a live class; its superclasses live as long as it does.
    unsafe {
        loop {
            let above = rb_sys::rb_class_superclass(root);
            if above == value::NIL || tops.contains(&above) || tops.contains(&root) {
                return root;
            }
            root = above;
        }
    }
}

/// The members of a subclass of Struct or Data, in order, and what a Complex or Rational is put together of; none of other
/// classes.
pub fn members(class: VALUE) -> Vec<String> {
    if let Some(number) = number_of_parts(class) {
        return names_of_parts(number);
    }
    if !record_classes().any(|top| top != class && inherits(class, top)) {
        return Vec::new();
    }
    // SAFETY: the class is live. A subclass of Struct that was never given members raises, which ends in `protect`.
    let list = protect(|| unsafe { rb_sys::rb_struct_s_members(class) });
    let name = |symbol: Value| Some(Symbol::from_value(symbol)?.name().ok()?.into_owned());
    list.and_then(array).map_or_else(|_| Vec::new(), |list| list.into_iter().filter_map(name).collect())
}

/// What objects of a class of Ruby's own are put together of ([`ClassId::parts`]).
pub fn names_of_parts(class: ClassId) -> Vec<String> {
    class.parts().unwrap_or_default().iter().map(|name| name.to_string()).collect()
}

/// Are instances of the class something that is made in C, other than a Struct, a String or a Hash? That is told by the
/// function that allocates them, which a class has from its superclass.
pub fn is_opaque(class: VALUE) -> bool {
    if !is_class(class) {
        return false;
    }
    // SAFETY: all are live classes; the calls ask their tables only.
    unsafe {
        let understood = [rb_sys::rb_cStruct, rb_sys::rb_cString, rb_sys::rb_cHash];
        let allocator = |class| rb_sys::rb_get_alloc_func(class).map(|function| function as usize);
        !understood.into_iter().any(|top| inherits(class, top))
            && allocator(class) != allocator(rb_sys::rb_cObject)
            && members(class).is_empty()
    }
}

/// How a subclass of Struct takes keywords, which it keeps in a variable that only C code sees. One that does not say
/// takes them for its members since Ruby 3.2.
pub fn struct_keywords(ruby: &Ruby, class: VALUE) -> StructKeywords {
    let id = value::intern(ruby, "__keyword_init__");
    let mut class = class;
    // SAFETY: the class is live, and so are those above it; a variable that is not set gives nil.
    unsafe {
        while class != rb_sys::rb_cStruct {
            match rb_sys::rb_attr_get(class, id) {
                value::TRUE => return StructKeywords::Always,
                value::FALSE => return StructKeywords::Never,
                _ => class = rb_sys::rb_class_superclass(class),
            }
            if class == value::NIL {
                return StructKeywords::Never;
            }
        }
    }
    if ruby_version() >= RubyVersion(3, 2) { StructKeywords::Alone } else { StructKeywords::Never }
}

/// The class of numbers that are put together of others, if it is one.
fn number_of_parts(class: VALUE) -> Option<ClassId> {
    // SAFETY: variables that Ruby sets before it loads anything.
    let (complex, rational) = unsafe { (rb_sys::rb_cComplex, rb_sys::rb_cRational) };
    match class {
        _ if class == complex => Some(ClassId::COMPLEX),
        _ if class == rational => Some(ClassId::RATIONAL),
        _ => None,
    }
}

/// A member of a Struct, or a part of a Complex or Rational, by the key that [`member_key`] gives.
///
/// SAFETY: `object` must be a live heap object that has it.
pub unsafe fn member(object: VALUE, key: VALUE) -> VALUE {
    use rb_sys::ruby_value_type as t;
    // SAFETY: as the caller says.
    unsafe {
        let is_first = value::fixnum_value(key) == 0;
        match rb_sys::RB_BUILTIN_TYPE(object) {
            t::RUBY_T_COMPLEX if is_first => rb_complex_real(object),
            t::RUBY_T_COMPLEX => rb_complex_imag(object),
            t::RUBY_T_RATIONAL if is_first => rb_rational_num(object),
            t::RUBY_T_RATIONAL => rb_rational_den(object),
            _ => rb_sys::rb_struct_aref(object, key),
        }
    }
}

unsafe extern "C" {
    fn rb_complex_real(number: VALUE) -> VALUE;
    fn rb_complex_imag(number: VALUE) -> VALUE;
    fn rb_rational_num(number: VALUE) -> VALUE;
    fn rb_rational_den(number: VALUE) -> VALUE;
}

/// The position of a member, as the key that `rb_struct_aref` and `rb_struct_aset` take.
pub fn member_key(class: VALUE, name: &str) -> Option<VALUE> {
    let position = members(class).iter().position(|member| member == name)?;
    value::fixnum(position as i64)
}

/// The class of a heap object, and its singleton class where that could make a difference: where it defines methods or
/// includes modules. Who looks up methods in the class has to compare ([`crate::code::methods::Assumptions::hold_in`]).
///
/// SAFETY: `object` must be a live heap object.
pub unsafe fn of_instance(object: VALUE) -> (VALUE, Option<VALUE>) {
    use rb_sys::ruby_value_type as t;
    // SAFETY: as the caller says.
    let (pointer, class, kind) = unsafe {
        let pointer = class_pointer(object);
        (pointer, rb_sys::rb_class_real(pointer), rb_sys::RB_BUILTIN_TYPE(object))
    };
    // Classes always have a singleton class; they are carried without looking into them.
    let plain = pointer == class || matches!(kind, t::RUBY_T_CLASS | t::RUBY_T_MODULE);
    let matters = !plain && or_defer(singleton_matters(pointer, class), true);
    (class, matters.then_some(pointer))
}

/// Does the singleton class define methods or include modules?
fn singleton_matters(singleton: VALUE, class: VALUE) -> Result<bool, Error> {
    if ancestors(singleton)?.len() != ancestors(class)?.len() + 1 {
        return Ok(true);
    }
    for list in [rb_sys::rb_class_instance_methods, rb_sys::rb_class_private_instance_methods] {
        let own = value::FALSE;
        // SAFETY: the class is kept by the object in question; the argument is `false`, for its own methods.
        let list = protect(|| unsafe { list(1, &raw const own, singleton) })?;
        if !array(list)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The class that a class inherits from, if there is one.
pub fn superclass(class: VALUE) -> Option<VALUE> {
    // SAFETY: the class is live; the call only looks at it.
    let superclass = unsafe { rb_sys::rb_class_superclass(class) };
    (superclass != value::NIL).then_some(superclass)
}

/// The names of all methods of a class's instances.
pub fn method_names(class: VALUE) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for list in [rb_sys::rb_class_instance_methods, rb_sys::rb_class_private_instance_methods] {
        // SAFETY: the class is live; there are no arguments.
        let list = protect(|| unsafe { list(0, std::ptr::null(), class) })?;
        for name in array(list)? {
            names.push(value::name_of_symbol(name.as_raw()));
        }
    }
    Ok(names)
}

/// The instance method that Ruby would call, as an UnboundMethod.
pub fn instance_method(ruby: &Ruby, module: VALUE, name: ID) -> Result<Option<VALUE>, Error> {
    let values = [module, value::symbol_of(name)];
    let found = if is_class(module) {
        // SAFETY: the class is live; the call only looks the method up.
        unsafe { rb_sys::rb_method_boundp(module, name, 0) != 0 }
    } else {
        // What Ruby 4.0.1 remembers of that call for a module, it loses track of when it compacts its heap.
        call(ruby, Own::MethodDefined, &values)? || call(ruby, Own::PrivateMethodDefined, &values)?
    };
    if !found {
        return Ok(None);
    }
    let method: Value = call(ruby, Own::InstanceMethod, &values)?;
    Ok(Some(method.as_raw()))
}
