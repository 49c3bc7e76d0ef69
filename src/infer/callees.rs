//! Which method a call means for one class that its receiver can be of, and what is said where it means none that can
//! run.

use super::calls::CallType;
use super::dispatch::count_of;
use super::host::{FoundMethod, Method, Refusal, Visibility};
use super::operand::Operand;
use super::sites::class_of;
use super::{BlockRef, Lowerer, MadeProc, basic_operations, builtins, refused};
use crate::ir::Missing;
use crate::source::Span;
use crate::syntax::ast::Code;
use crate::syntax::parallel_methods;
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;

/// What a call on one class of receiver does.
#[derive(Clone)]
pub(super) enum Callee {
    Method(FoundMethod, Rc<Code>, bool),
    Reader(String),
    Writer(String),
    /// With the number of its arguments, where Ruby's own method takes no others.
    Builtin(&'static builtins::Row, Option<usize>),
    /// What a method of that name does.
    Named(&'static str),
    /// What the Range does that it stands for, called so ([`super::ranges`]).
    Opened(CallType),
    /// `Ikra.section` in a section: a part of that.
    Section,
    Missing(Missing),
    /// A name that is neither a local variable nor a method.
    Undefined,
    /// Refuses the section.
    Refused(Refusal),
    /// Fails the element.
    Unsupported(String),
    /// A parallel method that a driver calls, and what it is without the p.
    Parallel(&'static str),
}

impl Callee {
    /// Do both do the same to any receiver, so that one piece of code can serve both?
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Method(_, a, _), Self::Method(_, b, _)) => Rc::ptr_eq(a, b),
            (Self::Reader(a), Self::Reader(b)) | (Self::Writer(a), Self::Writer(b)) => a == b,
            _ => false,
        }
    }
}

/// Those that a driver launches a kernel for; in others it goes through the elements itself.
pub(super) const LAUNCHED: [&str; 9] =
    ["peach", "pmap", "pcollect", "pselect", "pfilter", "preject", "ptimes", "psum", "pcount"];

/// Those that are nothing else in Ruby.
const OWN: [&str; 5] = ["plazy", "paccumulate", "pwith_index", "pzip", "pstencil"];

fn nested(name: &str) -> Callee {
    Callee::Refused(Refusal {
        slug: "nested-section",
        message: format!("`{name}` cannot run inside a section"),
        hint: Some("use Ruby's methods, or peach, pmap and pselect".into()),
        ..Refusal::default()
    })
}

impl Lowerer<'_> {
    pub(super) fn callee(&mut self, ty: &Type, name: &str, call_type: CallType) -> Callee {
        if let Some(plain) = sequential(name)
            && matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::List(_))
        {
            return self.parallel(name, plain);
        }
        if self.opens_for(ty, name, call_type) {
            return Callee::Opened(call_type);
        }
        if builtins::is_primitive(name) {
            let found = FoundMethod {
                owner: class_of(ty),
                visibility: Visibility::Public,
                method: Method::Native { name: name.to_string(), arity: -1 },
            };
            return self.callee_of(ty, name, found);
        }
        // What the block of `Enumerator.new` is given is no Proc for Ruby.
        if let Type::Closure(number, _) = ty
            && !matches!(name, "<<" | "yield" | "to_proc" | "nil?")
            && let Some(BlockRef::Made { what: MadeProc::Yielder, .. }) = self.known_proc(*number)
        {
            let hint = "give it values with <<, or with yield";
            return Callee::Refused(refused::method("Enumerator::Yielder#", name, Some(hint.into())));
        }
        if let Type::Module(module) = ty
            && let Some(callee) = self.callee_of_ikra(*module, name)
        {
            return callee;
        }
        let found = match ty {
            Type::Module(module) => self.host.singleton_method(*module, name),
            other => self.host.method(class_of(other), name),
        };
        if call_type == CallType::Core
            && !found.as_ref().is_ok_and(|found| found.as_ref().is_some_and(|found| is_native(found, name)))
            && let Some((owner, own)) = basic_operations::own(self.builtins, ty, name)
        {
            return match own {
                builtins::Builtin::Rule(rule) => Callee::Builtin(rule, None),
                builtins::Builtin::Ruby(code) => {
                    let method = Method::Ruby(Rc::clone(&code));
                    Callee::Method(FoundMethod { owner, visibility: Visibility::Public, method }, code, true)
                }
            };
        }
        if let Type::Module(module) = ty
            && matches!(&found, Err(_) | Ok(Some(FoundMethod { method: Method::Ruby(_), .. })))
            && let class = self.host.class_name(*module)
            && self.builtins.is_library(&class)
        {
            let hint = self.builtins.hint_of_class(&class, name).map(Into::into);
            return Callee::Refused(refused::method(&format!("{class}."), name, hint));
        }
        if call_type != CallType::Core
            && let Ok(Some(found)) = &found
            && let Some(refused) = self.asks_redefined(ty, found)
        {
            return refused;
        }
        let place = match &found {
            Ok(Some(FoundMethod { method: Method::Ruby(code), .. })) => Some(code.span),
            Err(refusal) => refusal.inside.first().map(|diagnostic| diagnostic.span),
            Ok(_) => None,
        };
        if let Some(code) = self.builtins.of_set(name)
            && place.is_some_and(|place| self.is_in_set(place))
            && self.is_set(ty)
        {
            let method = Method::Ruby(Rc::clone(&code));
            let found = FoundMethod { owner: class_of(ty), visibility: Visibility::Public, method };
            return Callee::Method(found, code, true);
        }
        match found {
            Err(refusal) => Callee::Refused(refusal),
            // `force` and `eager` are those of Enumerator::Lazy, which has no number of its own.
            Ok(None)
                if builtins::is_lazy(ty)
                    && let Some(rule) = self.builtins.of_lazy(name) =>
            {
                Callee::Builtin(rule, None)
            }
            Ok(None) if call_type == CallType::Bare => Callee::Undefined,
            Ok(None) => Callee::Missing(Missing::Undefined),
            Ok(Some(found)) if call_type == CallType::Outside && !self.is_visible(&found) => {
                self.hidden_callee(ty, name, &found)
            }
            Ok(Some(found)) if self.is_parallel_method(&found) && OWN.contains(&name) => nested(name),
            Ok(Some(found)) => match sequential(name).filter(|_| self.is_parallel_method(&found)) {
                Some(plain) => self.parallel(name, plain),
                None => self.callee_of(ty, name, found),
            },
        }
    }

    /// A method of Ikra's own modules that is no method of Ruby's here.
    fn callee_of_ikra(&self, module: ClassId, name: &str) -> Option<Callee> {
        match (&*self.host.class_name(module), name) {
            ("Ikra", "section") => Some(Callee::Section),
            ("Ikra", "sync") => Some(Callee::Refused(Refusal {
                slug: "unsupported-sync",
                message: "`Ikra.sync` runs in a section with a block without parameters that stands there"
                    .into(),
                hint: Some("write `Ikra.sync { … }`".into()),
                inside: Vec::new(),
            })),
            ("Ikra", "grid") | ("Array", "pnew") => Some(nested(name)),
            _ => None,
        }
    }

    /// What a call comes to of a method that it may not call.
    fn hidden_callee(&mut self, ty: &Type, name: &str, found: &FoundMethod) -> Callee {
        let answered = match ty {
            Type::Module(module) => self.host.singleton_method(*module, "method_missing"),
            other => self.host.method(class_of(other), "method_missing"),
        };
        match answered {
            Err(refusal) => Callee::Refused(refusal),
            Ok(Some(answer)) if !is_rubys_own(&answer) => Callee::Refused(Refusal {
                slug: "method-missing",
                message: format!("{name} is answered by method_missing"),
                ..Refusal::default()
            }),
            Ok(_) if found.visibility == Visibility::Protected => Callee::Missing(Missing::Protected),
            Ok(_) => Callee::Missing(Missing::Private),
        }
    }

    /// What a parallel method is here, that without the p being `plain`.
    fn parallel(&self, name: &str, plain: &'static str) -> Callee {
        if self.in_driver && LAUNCHED.contains(&name) {
            Callee::Parallel(plain)
        } else {
            Callee::Named(plain)
        }
    }

    /// Is it one of the parallel methods, and not one of the user's by that name?
    fn is_parallel_method(&self, found: &FoundMethod) -> bool {
        ["Array", "Enumerable", "Hash", "Integer", "Set"].contains(&&*self.host.class_name(found.owner))
    }

    /// Can a method be called from the current code on an explicit receiver?
    fn is_visible(&mut self, found: &FoundMethod) -> bool {
        match found.visibility {
            Visibility::Public => true,
            Visibility::Private => false,
            Visibility::Protected => self.self_is(found.owner),
        }
    }

    /// A protected method is none for `&:name`, whoever passes it.
    pub(super) fn is_protected(&mut self, receiver: &Operand, name: &str) -> bool {
        let mut all = receiver.types.iter().filter(|ty| ty.is_instance());
        all.any(|ty| {
            let found = self.host.method(class_of(ty), name);
            matches!(found, Ok(Some(FoundMethod { visibility: Visibility::Protected, .. })))
        })
    }

    /// Is `self` an instance of the class or module, so that it may call protected methods of it?
    fn self_is(&mut self, owner: ClassId) -> bool {
        if self.frame().builtin {
            return true;
        }
        let own = self.self_operand();
        let (inside, outside) = self.partition(&own.types, owner, false);
        if !inside.is_empty() && !outside.is_empty() {
            self.refuse_here(
                "unsupported-call",
                "whether a protected method may be called here depends on the class of self",
                Some("make the method public".into()),
            );
        }
        !inside.is_empty()
    }

    pub(super) fn callee_of(&mut self, ty: &Type, name: &str, found: FoundMethod) -> Callee {
        match &found.method {
            // The library defines it again when it is loaded.
            Method::Ruby(code)
                if name == "pp"
                    && found.owner == ClassId::KERNEL
                    && self.host.place(code.span).0.ends_with("/pp.rb") =>
            {
                let pretty = FoundMethod { method: Method::Native { name: name.into(), arity: -1 }, ..found };
                self.callee_of(ty, name, pretty)
            }
            // What is written in Ruby there, and in the module that it shares with TupleColumn, makes columns.
            Method::Ruby(_)
                if matches!(ty, Type::Column(..))
                    && self.host.class_name(found.owner).starts_with("Ikra::") =>
            {
                self.refused_method(ty, name, &found)
            }
            Method::Ruby(_) if self.tells_more(ty, name, &found) => {
                let tells_lines = self.host.dialect().names_tell_lines
                    && self.host.is_subclass(class_of(ty), ClassId::NAME_ERROR);
                if tells_lines {
                    return Callee::Unsupported(super::exception_messages::UNKNOWN_MESSAGE.into());
                }
                // What did_you_mean adds hangs on what the exception does not have here.
                let method = Method::Native { name: name.to_string(), arity: -1 };
                self.callee_of(ty, name, FoundMethod { owner: ClassId::EXCEPTION, method, ..found })
            }
            Method::Ruby(code) => {
                let code = Rc::clone(code);
                Callee::Method(found, code, false)
            }
            Method::Reader(ivar) => Callee::Reader(ivar.clone()),
            Method::Writer(ivar) => Callee::Writer(ivar.clone()),
            Method::Native { name: original, arity }
                if found.owner == ClassId::ENUMERABLE
                    && self.has_own_each(ty)
                    && (!self.is_set(ty) || ends_early(original)) =>
            {
                match self
                    .builtins
                    .of_own_each(original)
                    .filter(|_| self.is_set(ty) || self.each_has_source(ty))
                {
                    Some(rule) => Callee::Builtin(rule, count_of(*arity)),
                    None => self.refused_method(ty, name, &found),
                }
            }
            Method::Native { name: original, arity }
                if self.is_random(ty) && self.is_of_random(found.owner, original) =>
            {
                match self
                    .builtins
                    .of_random(original)
                    .or_else(|| self.builtins.lookup(found.owner, original, ty))
                {
                    Some(builtins::Builtin::Rule(rule)) => Callee::Builtin(rule, count_of(*arity)),
                    Some(builtins::Builtin::Ruby(code)) => Callee::Method(found, code, true),
                    None => self.refused_method(ty, name, &found),
                }
            }
            Method::Native { name: original, .. }
                if matches!(ty, Type::Object(..))
                    && !builtins::is_primitive(original)
                    && self.is_of_stream(found.owner) =>
            {
                match self.builtins.of_stream(original) {
                    Some(builtins::Builtin::Rule(rule)) => Callee::Builtin(rule, None),
                    Some(builtins::Builtin::Ruby(code)) => Callee::Method(found, code, true),
                    None => self.refused_method(ty, name, &found),
                }
            }
            Method::Native { .. } if let Some(refused) = self.refused_proc(ty, name, &found) => refused,
            Method::Native { name: original, arity } => match self.builtins.lookup(found.owner, original, ty)
            {
                Some(builtins::Builtin::Rule(rule)) => Callee::Builtin(rule, count_of(*arity)),
                Some(builtins::Builtin::Ruby(code)) => Callee::Method(found, code, true),
                None => self.refused_method(ty, name, &found),
            },
        }
    }

    /// Is it the text of an exception, to which did_you_mean and error_highlight add some?
    fn tells_more(&mut self, ty: &Type, name: &str, found: &FoundMethod) -> bool {
        name == "to_s"
            && matches!(ty, Type::Made(class) if self.is_exception(*class))
            && super::exception_methods::ADDING_TEXT.contains(&self.host.class_name(found.owner).as_str())
    }

    /// What is said of a Proc or Method that an object holds, and that has no code.
    fn refused_proc(&mut self, ty: &Type, name: &str, found: &FoundMethod) -> Option<Callee> {
        let Type::Object(_, class) = ty else { return None };
        if !matches!(found.owner, ClassId::PROC | ClassId::METHOD) {
            return None;
        }
        match self.host.literal(*class) {
            Ok(Some(_)) => None,
            Ok(None) => Some(self.refused_method(ty, name, found)),
            Err(refusal) => Some(Callee::Refused(refusal)),
        }
    }

    /// Does the class have another method of that name than Ruby's own?
    pub(crate) fn is_redefined(&mut self, class: ClassId, name: &str) -> bool {
        !matches!(self.host.method(class, name), Ok(Some(found)) if is_native(&found, name))
    }

    /// What is said where Ruby would call a method that somebody has redefined, and the section does not.
    pub(crate) fn redefined(&self, class: ClassId, name: &str, what: &str) -> Refusal {
        let method = format!("{}#{name}", self.host.class_name(class));
        Refusal {
            slug: "redefined-method",
            message: format!("{what} calls `{method}`, which has been redefined"),
            hint: Some(format!("write it with a loop that calls `{name}`, or give the method another name")),
            ..Refusal::default()
        }
    }

    /// A refusal where such a method of a class that a value can be of has been redefined.
    pub(crate) fn refuse_redefined(&mut self, types: &TypeSet, name: &str, what: &str) -> bool {
        let Some(class) = types.iter().map(class_of).find(|class| self.is_redefined(*class, name)) else {
            return false;
        };
        let refusal = self.redefined(class, name, what);
        self.refuse(refusal);
        true
    }

    /// A method made in C would call one that has been redefined: which, if the section does not.
    pub(super) fn asks_redefined(&mut self, ty: &Type, found: &FoundMethod) -> Option<Callee> {
        let Method::Native { name, .. } = &found.method else { return None };
        let each = found.owner == ClassId::ENUMERABLE && has_core_each(ty);
        let own_each = each.then(|| (class_of(ty), "each"));
        let in_ruby = found.owner == ClassId::INTEGER && name == "times" && self.host.dialect().times_is_ruby;
        let of_times = in_ruby.then_some(["<", "succ"]).into_iter().flatten();
        let of_times = of_times.map(|name| (ClassId::INTEGER, name));
        let of = if let Type::Module(class) = ty { *class } else { class_of(ty).in_ruby() };
        let of_receiver = basic_operations::asked_of(ty, found.owner, name).iter().map(|name| (of, *name));
        let mut asked =
            basic_operations::asked(found.owner, name).chain(own_each).chain(of_times).chain(of_receiver);
        let asked = asked.find(|(class, asked)| self.is_redefined(*class, asked));
        let mut added = basic_operations::asked_if_added(found.owner, name);
        let (class, asked) = asked
            .or_else(|| added.find(|(class, name)| !matches!(self.host.method(*class, name), Ok(None))))?;
        Some(Callee::Refused(self.redefined(class, asked, &format!("`{name}`"))))
    }

    /// Is it a place in the source of Ruby's own Set?
    fn is_in_set(&self, place: Span) -> bool {
        self.host.path_of_set().is_some_and(|path| path == self.host.place(place).0)
    }

    /// An instance of Ruby's own Set, where that is written in Ruby.
    pub(crate) fn is_set(&mut self, ty: &Type) -> bool {
        if !ty.is_instance() || self.host.class_name(class_of(ty)) != "Set" {
            return false;
        }
        // Those that others of its methods call, one of which somebody may have redefined.
        ["include?", "add", "initialize", "initialize_dup", "each", "merge"].iter().all(|name| {
            match self.host.method(class_of(ty), name) {
                Ok(Some(FoundMethod { method: Method::Ruby(code), .. })) => self.is_in_set(code.span),
                _ => false,
            }
        })
    }

    fn refused_method(&self, ty: &Type, name: &str, found: &FoundMethod) -> Callee {
        let class = match ty {
            Type::Module(module) => format!("{}.", self.host.class_name(*module)),
            other => format!("{}#", self.host.class_name(class_of(other))),
        };
        // A part of a built-in has no name for users.
        let public = builtins::is_primitive(name).then(|| self.builtin_name()).flatten();
        let part = name;
        let name = public.as_deref().unwrap_or(name);
        let original = if let Method::Native { name, .. } = &found.method { name } else { name };
        let hint = match held_hint(ty, found.owner, original).or_else(|| self.subclass_hint(ty)) {
            Some(hint) => hint,
            None => {
                let of = if let Type::Module(module) = ty { *module } else { found.owner };
                self.builtins.hint(found.owner, &self.host.class_name(of), original)
            }
        };
        if public.is_none()
            && builtins::is_primitive(part)
            && let Some(running) = self.running_name()
        {
            let with = class.trim_end_matches(['#', '.']);
            let message = format!("`{running}` with {with} cannot run in a section");
            return Callee::Refused(Refusal {
                slug: "unsupported-argument",
                message,
                hint: Some(hint),
                ..Refusal::default()
            });
        }
        Callee::Refused(refused::method(&class, name, Some(hint)))
    }

    /// What to do instead of calling a method of an instance of a subclass of these.
    fn subclass_hint(&self, ty: &Type) -> Option<String> {
        let known = [
            (ClassId::STRING, "a String", "String.new(text)"),
            (ClassId::ARRAY, "an Array", "Array.new(items)"),
            (ClassId::HASH, "a Hash", "{}.merge(hash)"),
        ];
        let class = class_of(ty);
        let is_below = |of: ClassId| ty.is_instance() && class != of && self.host.is_subclass(class, of);
        let (_, what, how) = known.into_iter().find(|(of, ..)| is_below(*of))?;
        Some(format!(
            "make {what} itself of it before the section, as in {how}: only these have methods there"
        ))
    }

    /// Does an operand of one class have a method, also a private one?
    pub(crate) fn has_method(&mut self, operand: &Operand, name: &str) -> bool {
        let Some(ty) = operand.types.iter().next().cloned() else { return false };
        !matches!(self.callee(&ty, name, CallType::Own), Callee::Missing(_) | Callee::Undefined)
    }

    /// Is a method of an instance of Random that class's own, or a part of it?
    fn is_of_random(&self, owner: ClassId, name: &str) -> bool {
        builtins::is_primitive(name)
            || matches!(name, "dup" | "clone")
            || self.host.class_name(owner).starts_with("Random")
    }

    /// Objects of a class that includes Enumerable over an `each` that is not Struct's.
    fn has_own_each(&mut self, ty: &Type) -> bool {
        ty.is_instance()
            && !matches!(
                self.host.method(class_of(ty), "each"),
                Ok(Some(FoundMethod { owner: ClassId::STRUCT, method: Method::Native { .. }, .. }))
            )
    }

    /// Is the `each` of such objects one of the user's?
    fn each_has_source(&mut self, ty: &Type) -> bool {
        match self.host.method(class_of(ty), "each") {
            // Set's is written in Ruby in some versions: over a Hash.
            Ok(Some(FoundMethod { method: Method::Ruby(_), owner, .. })) => {
                self.host.class_name(owner) != "Set"
            }
            Ok(found) => found.is_none(),
            // That is told where it is called.
            Err(_) => true,
        }
    }
}

/// What a parallel method is in an element: Ruby's method, since elements run in parallel already.
fn sequential(name: &str) -> Option<&'static str> {
    match parallel_methods::without_p(name)? {
        "each" => Some("#peach"),
        plain => Some(plain),
    }
}

/// Does a method of Enumerable's mostly look at the first items only, or tell of them otherwise than Array's does? Of a
/// Set the others get an array of all.
fn ends_early(name: &str) -> bool {
    let names = [
        "first",
        "take",
        "take_while",
        "find",
        "detect",
        "find_index",
        "any?",
        "all?",
        "none?",
        "one?",
        "each_with_index",
        "each_entry",
        "each_slice",
        "each_cons",
        "to_h",
    ];
    names.contains(&name)
}

/// What to do with objects that have no methods here, though values of their class made in a section, or captured, do;
/// and where a method comes from a module.
fn held_hint(ty: &Type, owner: ClassId, name: &str) -> Option<String> {
    if !ty.is_instance() {
        return None;
    }
    Some(match (class_of(ty), owner) {
        (_, ClassId::PROC | ClassId::METHOD) => {
            "only what is written in Ruby can be called, and asked for no more than its arity: write a lambda that \
             makes the call, in a file"
                .into()
        }
        (_, ClassId::ENUMERABLE) => {
            "Enumerable runs over arrays, ranges, Hashes, Structs, enumerators and objects with an `each` \
                                     written in Ruby: call to_a on it before the section"
                .into()
        }
        (_, ClassId::MATH) => format!("write Math.{name}(…)"),
        _ => return None,
    })
}

/// Is it of a class with an `each` made in C, which a section does by itself?
pub(super) fn has_core_each(ty: &Type) -> bool {
    ty.is_hash()
        || ty.is_text_range()
        || matches!(
            ty,
            Type::Array(_) | Type::Tuple(_) | Type::List(_) | Type::Range { .. } | Type::Enumerator(..)
        )
}

/// Is it made in C, under this name?
pub(super) fn is_native(found: &FoundMethod, name: &str) -> bool {
    matches!(&found.method, Method::Native { name: original, .. } if original == name)
}

pub(super) const fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Object(..))
}

/// Is it a `method_missing` of Ruby's own, which only raises? Exceptions have one for themselves.
fn is_rubys_own(found: &FoundMethod) -> bool {
    let is_of_exceptions = found.owner == ClassId::EXCEPTION && matches!(found.method, Method::Native { .. });
    found.owner == ClassId::BASIC_OBJECT || is_of_exceptions
}
