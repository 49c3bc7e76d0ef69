//! What objects are instances of, and what they answer to.

use super::Lowerer;
use super::host::Method;
use super::operand::Operand;
use super::sites::class_of;
use crate::types::{ClassId, Type, TypeSet};

impl Lowerer<'_> {
    /// Is the operand an instance of `class` (of exactly it)?
    pub(crate) fn is_instance(&mut self, operand: &Operand, class: ClassId, exact: bool) -> Operand {
        let (inside, outside) = self.partition(&operand.types, class, exact);
        let is_module = |ty: &Type| matches!(ty, Type::Module(_));
        if !exact && self.host.is_module(class) && outside.iter().any(is_module) {
            return self.refuse_here(
                "unsupported-argument",
                format!(
                    "what a class or module is extended with is not known: `{}`",
                    self.host.class_name(class)
                ),
                Some("ask it outside the section".into()),
            );
        }
        let value = if inside.is_empty() {
            self.b.bool(false)
        } else if outside.is_empty() {
            self.b.bool(true)
        } else {
            self.is_one_of(operand, &inside).value
        };
        Operand::bool(value)
    }

    /// Is the type one whose values Ruby's own methods treat by what they are?
    pub(crate) fn is_opaque(&self, ty: &Type) -> bool {
        matches!(ty, Type::Object(_, class) if self.host.is_opaque(*class))
    }

    /// Has it an `inspect` that tells no address: one of the user's, or that of a Struct or Data?
    pub(crate) fn has_own_inspect(&mut self, ty: &Type) -> bool {
        match self.host.method(class_of(ty), "inspect") {
            Ok(Some(found)) => {
                matches!(found.method, Method::Ruby(_))
                    || matches!(found.owner, ClassId::STRUCT | ClassId::DATA)
            }
            _ => false,
        }
    }

    /// An instance of Random or of a class below it.
    pub(crate) fn is_random(&self, ty: &Type) -> bool {
        let class = class_of(ty);
        (ty.is_instance() || matches!(ty, Type::Building(..)))
            && self.host.is_opaque(class)
            && self.host.is_subclass(class, ClassId::RANDOM)
    }

    /// An object that is printed to: one of Ruby's streams.
    pub(crate) fn is_stream(&mut self, ty: &Type) -> bool {
        let Type::Object(_, class) = ty else { return false };
        match self.host.method(*class, "write") {
            Ok(Some(found)) => self.is_of_stream(found.owner),
            _ => false,
        }
    }

    /// Is it where Ruby has the methods of its streams?
    pub(crate) fn is_of_stream(&self, owner: ClassId) -> bool {
        matches!(self.host.class_name(owner).as_str(), "IO" | "StringIO" | "IO::generic_writable")
    }

    /// Does an object have a method that Ruby calls by itself? Also where that is not known: the call is refused then.
    pub(crate) fn type_responds(&mut self, ty: &Type, name: &str) -> bool {
        (ty.is_instance() || matches!(ty, Type::Column(..)))
            && !matches!(self.host.method(class_of(ty), name), Ok(None))
    }

    /// The same of an operand of one class.
    pub(crate) fn responds(&mut self, operand: &Operand, name: &str) -> bool {
        operand.types.single().is_some_and(|ty| self.type_responds(ty, name))
    }

    /// What the members of a Struct can hold.
    pub(crate) fn types_of_members(&mut self, ty: &Type) -> TypeSet {
        let names = self.host.members(class_of(ty));
        names.iter().fold(TypeSet::empty(), |all, name| all.union(&self.types_of_variable(ty, name)))
    }
}
