//! `defined?(…)` of instance variables, constants, methods and `yield`.

use super::host::{FoundMethod, Method, RootKey, Visibility};
use super::operand::Operand;
use super::{Lowerer, class_of};
use crate::syntax::ast::{Call, Kind, Node};
use crate::types::Type;

impl Lowerer<'_> {
    pub(super) fn defined(&mut self, node: &Node, what: &str, asked: Option<&Node>) -> Operand {
        match asked.map(|asked| &asked.kind) {
            None => {}
            Some(Kind::Yield(_)) => {
                if self.is_of_block() {
                    return self.refuse_outer_block();
                }
                if self.frame().block.is_none() {
                    return Operand::nil();
                }
            }
            Some(Kind::Ivar(name)) => {
                let receiver = self.self_operand();
                self.enter(node);
                let is_set = self.is_ivar_set(&receiver, name);
                if is_set.is_bottom() {
                    return Operand::bottom();
                }
                let is_set = self.truth(&is_set);
                let what = self.what_is_defined(what);
                return if what.is_bottom() { what } else { self.or_nil(is_set, &what) };
            }
            Some(Kind::Constant { path, absolute }) if self.is_constant_defined(path, *absolute) => {}
            Some(Kind::Constant { .. }) => return Operand::nil(),
            Some(Kind::Call(call)) => {
                let receiver = match &call.receiver {
                    None => self.self_operand(),
                    Some(Node { kind: Kind::Constant { path, absolute }, .. })
                        if !self.is_constant_defined(path, *absolute) =>
                    {
                        return Operand::nil();
                    }
                    Some(receiver) => self.expr(receiver),
                };
                self.enter(node);
                return self.switch(
                    &receiver,
                    0,
                    &mut |s, receiver| match s.is_method_defined(&receiver, call) {
                        Some(true) => s.what_is_defined(what),
                        Some(false) => Operand::nil(),
                        None => Operand::bottom(),
                    },
                );
            }
            Some(_) => unreachable!("no other is asked for"),
        }
        self.enter(node);
        self.what_is_defined(what)
    }

    /// One frozen String for each text, in Ruby's encoding.
    fn what_is_defined(&mut self, what: &str) -> Operand {
        match self.outside_literal(what) {
            Some(text) => self.send(&text, "#frozen_name", &[], 1),
            None => Operand::bottom(),
        }
    }

    /// A `const_missing` is not asked.
    fn is_constant_defined(&mut self, path: &[String], absolute: bool) -> bool {
        let scope = self.frame().scope.clone();
        self.own_root(RootKey::Constant { scope, path: path.to_vec(), absolute }).is_some()
    }

    /// `None`: that is not known.
    fn is_method_defined(&mut self, receiver: &Operand, call: &Call) -> Option<bool> {
        let ty = receiver.types.iter().next()?.clone();
        let mut find = |name: &str| {
            let found = match &ty {
                Type::Module(module) => self.host.singleton_method(*module, name),
                other => self.host.method(class_of(other), name),
            };
            // What a `method_missing` answers is no method.
            found.or_else(|refusal| if refusal.slug == "method-missing" { Ok(None) } else { Err(refusal) })
        };
        let is_users =
            |found: Option<FoundMethod>| found.is_some_and(|found| matches!(found.method, Method::Ruby(_)));
        let known = (|| {
            Ok(match find(&call.name)?.map(|found| found.visibility) {
                Some(Visibility::Protected) if call.receiver.is_some() => None,
                Some(Visibility::Private) if call.receiver.is_some() => Some(false),
                Some(_) => Some(true),
                None if is_users(find("respond_to_missing?")?) || is_users(find("respond_to?")?) => None,
                None => Some(false),
            })
        })();
        match known {
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
            Ok(None) => {
                self.refuse_here(
                    "unsupported-defined",
                    format!("whether `{}` is defined hangs on more than the class in a section", call.name),
                    Some("ask respond_to?".into()),
                );
                None
            }
            Ok(known) => known,
        }
    }
}
