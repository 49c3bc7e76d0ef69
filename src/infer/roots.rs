//! Roots as values: captured variables, constants, class variables and `self`, each a scalar that the host fills.

use super::Lowerer;
use super::births::Birth;
use super::exceptions::{RECEIVER, SUBJECT};
use super::held_procs::Closure;
use super::host::{RootKey, Scope};
use super::operand::{self, Operand};
use crate::ir::{ErrorKind, MessagePart, Part, ScalarSource};
use crate::scalar::{Interval, Ty};
use crate::types::{ClassId, METHOD, Type};

impl Lowerer<'_> {
    /// A root as the current code sees it, which can be that of a lambda made around the section.
    pub(crate) fn own_root(&mut self, key: RootKey) -> Option<Operand> {
        match self.frame().closure {
            Some(Closure::Root(closure)) => self.root(&RootKey::Within(closure, Box::new(key))),
            Some(Closure::Receiver) => self.root_of_receiver(&key),
            Some(Closure::Method(closure)) if matches!(key, RootKey::Captured(_)) => {
                self.root(&RootKey::Within(closure, Box::new(key)))
            }
            Some(Closure::Method(_)) => self.root(&key),
            None => self.root(&key),
        }
    }

    /// A captured local, constant or self; `None` where there is no such thing.
    pub(crate) fn root(&mut self, key: &RootKey) -> Option<Operand> {
        let root = match self.host.root(key) {
            Ok(root) => root?,
            Err(refusal) => return Some(self.refuse(refusal)),
        };
        let number = root.number;
        if let Some(known) = root.wide {
            self.wide_constants.insert(number, known);
        }
        let values = match &root.ty {
            Type::Nil | Type::Module(_) => vec![],
            Type::Proc(literal) => return Some(self.outer_proc(number, literal & METHOD)),
            // True and false are told apart at each call, so that a changed flag does not compile anew.
            Type::True | Type::False => {
                let value = self.scalar(
                    ScalarSource::Root(number, Part::Payload),
                    Ty::Bool,
                    Interval { low: 0, high: 1 },
                );
                return Some(Operand::bool(value));
            }
            Type::Range { low, high, .. } => [(*low, 0), (*high, 1)]
                .into_iter()
                .filter_map(|(end, n)| Some((operand::end_ty(end)?, n)))
                .map(|(ty, n)| self.scalar(ScalarSource::RootRange(number, n), ty, Interval::FULL))
                .collect(),
            other => {
                let ty = other.shape().scalar().unwrap_or(Ty::I64);
                let interval = match ty {
                    Ty::I64 => root.interval,
                    Ty::I32 => Interval::INDEX,
                    _ => Interval::FULL,
                };
                vec![self.scalar(ScalarSource::Root(number, Part::Payload), ty, interval)]
            }
        };
        Some(Operand { types: root.ty.into(), values: values.into(), birth: Birth::UNKNOWN })
    }

    /// A constant as the current code sees it.
    pub(crate) fn constant(&mut self, path: &[String], absolute: bool) -> Operand {
        let scope = self.frame().scope.clone();
        let key = RootKey::Constant { scope, path: path.to_vec(), absolute };
        match self.own_root(key.clone()) {
            Some(operand) => operand,
            None => self.no_constant(&key, format!("uninitialized constant {}", path.join("::"))),
        }
    }

    /// There is no such constant.
    fn no_constant(&mut self, key: &RootKey, message: String) -> Operand {
        match self.host.missing_constant(key) {
            Ok(Some(missing)) => {
                let module = Operand { types: Type::Module(missing.module).into(), ..Operand::nil() };
                let given = [(RECEIVER, module), (SUBJECT, self.symbol(&missing.name))];
                let message = vec![MessagePart::Text(missing.message)];
                self.fail_keeping(ClassId::NAME_ERROR, message, &[], &given)
            }
            Ok(None) => self.refuse_here(
                "uninitialized-constant",
                message,
                Some(
                    "define the constant before the section runs; one that is loaded when it is named first \
                     (autoload, const_missing) by naming it there"
                        .into(),
                ),
            ),
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// A class variable as the current code sees it.
    pub(crate) fn class_variable(&mut self, name: &str) -> Operand {
        if let Some((known, number)) = self.shared_class_variable(name, false) {
            return self.read_shared(&known, number);
        }
        let scope = self.frame().scope.clone();
        match self.own_root(RootKey::ClassVariable { scope, name: name.into() }) {
            Some(operand) => operand,
            None => self.refuse_here(
                "uninitialized-class-variable",
                format!("the class variable {name} has no value here"),
                Some("assign it in the class's body".into()),
            ),
        }
    }

    /// A constant of a class or module that is a value: `module` is that, or its class if `of_class`.
    pub(crate) fn constant_of(&mut self, module: &Operand, path: &[String], of_class: bool) -> Operand {
        self.switch(module, 19, &mut |s, part| {
            let class = match part.types.iter().next() {
                Some(ty) if of_class => super::sites::class_of(ty),
                Some(Type::Module(class)) => *class,
                Some(Type::Nil) if module.types.len() > 1 => {
                    return s.fail(ErrorKind::TypeError("nil is not a class/module".into()), &[]);
                }
                _ => {
                    return s.refuse_here(
                        "unsupported-computed-constant",
                        "a constant is looked up in something that is no class or module known in the section",
                        Some("write the module's name, as in `Car::LIMIT`".into()),
                    );
                }
            };
            let key = RootKey::ConstantOf(class, path.to_vec());
            match s.root(&key) {
                Some(operand) => operand,
                None => {
                    let class = s.host.class_name(class);
                    s.no_constant(&key, format!("uninitialized constant {class}::{}", path.join("::")))
                }
            }
        })
    }

    /// The scope in which a method's constants are looked up.
    pub(crate) fn method_scope(owner: crate::types::ClassId, nesting: &[Option<String>]) -> Scope {
        Scope::Method { owner, nesting: nesting.to_vec() }
    }
}
