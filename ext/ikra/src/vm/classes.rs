//! Classes and modules of the process, numbered as they are met, and the hierarchies they belong to.
//!
//! A class that has a number is kept alive and in place for good, so numbers and pointers may be compared for ever.

use crate::vm::gvl::GvlCell;
use crate::vm::ruby_version;
use crate::vm::value::class_pointer;
use ikra_core::infer::host::StructKeywords;
use ikra_core::source::RubyVersion;
use ikra_core::types::{ClassId, HierarchyId};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, RClass, Ruby, Symbol, Value, prelude::*};
use rb_sys::VALUE;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::HashMap;

struct Info {
    value: VALUE,
    name: String,
    is_class: bool,
    /// Known once an instance was met: the hierarchy, and the place of this class in it.
    place: Option<(HierarchyId, u32)>,
}

struct Registry {
    infos: Vec<Info>,
    numbers: FxHashMap<VALUE, ClassId>,
    /// Root class of each hierarchy and its classes in the order they were met.
    hierarchies: Vec<(VALUE, Vec<ClassId>)>,
}

static REGISTRY: GvlCell<Registry> = GvlCell::new(Registry {
    infos: Vec::new(),
    numbers: HashMap::with_hasher(FxBuildHasher),
    hierarchies: Vec::new(),
});

/// Numbers Ruby's own classes, as [`ClassId::BUILTIN`] wants them.
pub fn init(ruby: &Ruby) -> Result<(), Error> {
    for name in ClassId::BUILTIN {
        let module: Value = match name {
            "Data" => data_class(ruby)?,
            _ => ruby.class_object().funcall("const_get", (name,))?,
        };
        number(ruby, module.as_raw());
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

/// Calls `mark` with every class that has a number.
pub fn each_marked(mut mark: impl FnMut(VALUE)) {
    REGISTRY.marked(|registry| registry.infos.iter().for_each(|info| mark(info.value)));
}

/// The number of a class or module (not of a singleton class that may die).
pub fn number(ruby: &Ruby, module: VALUE) -> ClassId {
    if let Some(known) = REGISTRY.with(ruby, |r| r.numbers.get(&module).copied()) {
        return known;
    }
    // SAFETY: `module` is a live class or module.
    let (mut name, value, is_class) = unsafe {
        let name = Value::from_raw(rb_sys::rb_class_path(module)).to_string();
        let is_class = rb_sys::RB_BUILTIN_TYPE(module) == rb_sys::ruby_value_type::RUBY_T_CLASS;
        (name, Value::from_raw(module), is_class)
    };
    // That of a class's own methods is told by the class, where Ruby (since 3.2) says which one it is.
    if value.funcall("singleton_class?", ()).unwrap_or(false)
        && let Ok(attached) = value.funcall::<_, _, Value>("attached_object", ())
        && attached.is_kind_of(ruby.class_module())
    {
        // SAFETY: it was found to be a class or module.
        let path = unsafe { Value::from_raw(rb_sys::rb_class_path(attached.as_raw())) };
        name = format!("#<Class:{path}>");
    }
    REGISTRY.with(ruby, |r| {
        // Another thread may have been here while Ruby made the name.
        if let Some(known) = r.numbers.get(&module) {
            return *known;
        }
        let id = ClassId(r.infos.len() as u32);
        r.infos.push(Info { value: module, name, is_class, place: None });
        r.numbers.insert(module, id);
        id
    })
}

pub fn value(ruby: &Ruby, class: ClassId) -> VALUE {
    REGISTRY.with(ruby, |r| r.infos[class.0 as usize].value)
}

/// As a magnus module; classes pass as modules too.
pub fn object(ruby: &Ruby, class: ClassId) -> Value {
    // SAFETY: numbered classes are never freed or moved.
    unsafe { Value::from_raw(value(ruby, class)) }
}

pub fn name(ruby: &Ruby, class: ClassId) -> String {
    REGISTRY.with(ruby, |r| r.infos[class.0 as usize].name.clone())
}

pub fn is_class(ruby: &Ruby, class: ClassId) -> bool {
    REGISTRY.with(ruby, |r| r.infos[class.0 as usize].is_class)
}

/// `class <= ancestor`.
pub fn is_subclass(ruby: &Ruby, class: ClassId, ancestor: ClassId) -> bool {
    inherits(ruby, value(ruby, class), ancestor)
}

/// The same for a live class that may have no number.
pub fn inherits(ruby: &Ruby, class: VALUE, ancestor: ClassId) -> bool {
    // SAFETY: both are live classes or modules; the call asks their tables only.
    unsafe { rb_sys::rb_class_inherited_p(class, value(ruby, ancestor)) == crate::vm::value::TRUE }
}

/// The hierarchy of a class and the place of the class in it; given at the first question.
pub fn place(ruby: &Ruby, class: ClassId) -> (HierarchyId, u32) {
    if let Some(place) = REGISTRY.with(ruby, |r| r.infos[class.0 as usize].place) {
        return place;
    }
    let root = root_of(ruby, value(ruby, class));
    REGISTRY.with(ruby, |r| {
        // Another thread may have been here while the root was looked for.
        if let Some(place) = r.infos[class.0 as usize].place {
            return place;
        }
        let hierarchy = r.hierarchies.iter().position(|(other, _)| *other == root).unwrap_or_else(|| {
            r.hierarchies.push((root, Vec::new()));
            r.hierarchies.len() - 1
        });
        let classes = &mut r.hierarchies[hierarchy].1;
        let place = (HierarchyId(hierarchy as u32), classes.len() as u32);
        classes.push(class);
        r.infos[class.0 as usize].place = Some(place);
        place
    })
}

/// The classes of a hierarchy in the order of their places.
pub fn of_hierarchy(ruby: &Ruby, hierarchy: HierarchyId) -> Vec<ClassId> {
    REGISTRY.with(ruby, |r| r.hierarchies.get(hierarchy.0 as usize).map_or_else(Vec::new, |(_, c)| c.clone()))
}

/// The topmost class above `class` that a user defined: below Object, and below Struct and Data, whose subclasses have
/// nothing to do with each other.
fn root_of(ruby: &Ruby, class: VALUE) -> VALUE {
    let mut tops = vec![value(ruby, ClassId::OBJECT), value(ruby, ClassId::BASIC_OBJECT)];
    for name in ["Struct", "Data"] {
        let object = ruby.class_object();
        if object.funcall("const_defined?", (name,)).unwrap_or(false) {
            tops.extend(object.const_get::<_, Value>(name).ok().map(|class| class.as_raw()));
        }
    }
    let mut root = class;
    // SAFETY: `root` is a live class; its superclasses live as long as it does.
    unsafe {
        loop {
            let above = rb_sys::rb_class_superclass(root);
            if above == crate::vm::value::NIL || tops.contains(&above) || tops.contains(&root) {
                number(ruby, root);
                return root;
            }
            root = above;
        }
    }
}

/// The members of a subclass of Struct or Data, in order; none of other classes.
pub fn members(ruby: &Ruby, class: VALUE) -> Vec<String> {
    let is_struct = ["Struct", "Data"].into_iter().any(|name| {
        // Before Ruby 3.2 `Data` can be anything.
        let top = ruby.class_object().const_get::<_, RClass>(name).ok();
        // SAFETY: both are live classes; the call asks their tables only.
        top.is_some_and(|top| unsafe {
            top.as_raw() != class
                && rb_sys::rb_class_inherited_p(class, top.as_raw()) == crate::vm::value::TRUE
        })
    });
    if !is_struct {
        return Vec::new();
    }
    // SAFETY: the class is live. A subclass of Struct that was never given members raises, which ends in `protect`.
    let list = protect(|| unsafe { rb_sys::rb_struct_s_members(class) });
    let list = list.ok().and_then(|list| {
        // SAFETY: the list is a live array.
        RArray::from_value(unsafe { Value::from_raw(list) })
    });
    let name = |symbol: Value| Some(Symbol::from_value(symbol)?.name().ok()?.into_owned());
    list.map_or_else(Vec::new, |list| list.into_iter().filter_map(name).collect())
}

/// Are instances of the class something that is made in C, other than a Struct, a String or a Hash? That is told by the
/// function that allocates them, which a class has from its superclass.
pub fn is_opaque(ruby: &Ruby, class: ClassId) -> bool {
    let pointer = value(ruby, class);
    let top = |name: &str| ruby.class_object().const_get::<_, RClass>(name).ok();
    let understood = ["Struct", "String", "Hash"].into_iter().filter_map(top);
    // SAFETY: all are live classes; the calls ask their tables only.
    unsafe {
        if rb_sys::RB_BUILTIN_TYPE(pointer) != rb_sys::ruby_value_type::RUBY_T_CLASS {
            return false;
        }
        let allocator = |class| rb_sys::rb_get_alloc_func(class).map(|function| function as usize);
        let plain = allocator(value(ruby, ClassId::OBJECT));
        let known = understood
            .into_iter()
            .any(|top| rb_sys::rb_class_inherited_p(pointer, top.as_raw()) == crate::vm::value::TRUE);
        !known && allocator(pointer) != plain && members(ruby, pointer).is_empty()
    }
}

/// How a subclass of Struct takes keywords. One that does not say takes them for its members since Ruby 3.2.
pub fn struct_keywords(class: VALUE) -> StructKeywords {
    // SAFETY: the class is live.
    let class = unsafe { Value::from_raw(class) };
    match class.funcall::<_, _, Option<bool>>("keyword_init?", ()) {
        Ok(Some(true)) => StructKeywords::Always,
        Ok(None) if ruby_version() >= RubyVersion(3, 2) => StructKeywords::Alone,
        _ => StructKeywords::Never,
    }
}

/// The position of a member, as the key that `rb_struct_aref` and `rb_struct_aset` take.
pub fn member_key(ruby: &Ruby, class: VALUE, name: &str) -> Option<VALUE> {
    let position = members(ruby, class).iter().position(|member| member == name)?;
    crate::vm::value::fixnum(position as i64)
}

/// The class of a heap object, and its singleton class where that could make a difference: where it defines methods or
/// includes modules. Who looks up methods in the class has to compare ([`crate::code::methods::Assumptions::hold_in`]).
///
/// SAFETY: `object` must be a live heap object.
pub unsafe fn of_instance(ruby: &Ruby, object: VALUE) -> (ClassId, Option<VALUE>) {
    use rb_sys::ruby_value_type as t;
    // SAFETY: as the caller says.
    let (pointer, class, kind) = unsafe {
        let pointer = class_pointer(object);
        (pointer, rb_sys::rb_class_real(pointer), rb_sys::RB_BUILTIN_TYPE(object))
    };
    // Classes always have a singleton class; they are carried without looking into them.
    let plain = pointer == class || matches!(kind, t::RUBY_T_CLASS | t::RUBY_T_MODULE);
    let matters = !plain && singleton_matters(pointer, class).unwrap_or(true);
    (number(ruby, class), matters.then_some(pointer))
}

/// Does the singleton class define methods or include modules?
fn singleton_matters(singleton: VALUE, class: VALUE) -> Result<bool, Error> {
    // SAFETY: both are live classes, kept by the object in question.
    let (singleton, class) = unsafe { (Value::from_raw(singleton), Value::from_raw(class)) };
    let ancestors = |module: Value| module.funcall::<_, _, RArray>("ancestors", ());
    if ancestors(singleton)?.len() != ancestors(class)?.len() + 1 {
        return Ok(true);
    }
    for list in ["instance_methods", "private_instance_methods"] {
        if !singleton.funcall::<_, _, RArray>(list, (false,))?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
