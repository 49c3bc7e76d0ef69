//! Calls in the source: arguments, blocks, `super`, and calls that are syntax here.

use super::blocks::has_break;
use super::dispatch::Callee;
use super::operand::Operand;
use super::sites::class_of;
use super::{BlockRef, Lowerer};
use crate::syntax::ast::{BlockArg, Call, CodeKind, Kind, Node};
use crate::types::{ClassId, TypeSet};
use std::sync::Arc;

/// Arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub positional: Vec<Operand>,
    pub keywords: Vec<(String, Operand)>,
    /// What the call gives is dropped.
    pub unused: bool,
}

/// How a call is written, which says what it may call and what Ruby says where there is nothing to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallType {
    /// On an explicit receiver.
    Outside,
    /// On self, which has its private methods too.
    Own,
    /// A name alone, which could have been a local variable.
    Bare,
}

impl Lowerer<'_> {
    /// Evaluates arguments; `None` if one never gives a value or is refused.
    pub(crate) fn arguments(&mut self, nodes: &[Node]) -> Option<Arguments> {
        let mut arguments = Arguments::default();
        for node in nodes {
            match &node.kind {
                Kind::Splat(inner) => {
                    let operand = self.expr(inner);
                    self.enter(node);
                    arguments.positional.extend(self.spread(&operand));
                }
                Kind::KeywordArgs(pairs) => {
                    for (name, value) in pairs {
                        let value = self.expr(value);
                        arguments.keywords.push((name.clone(), value));
                    }
                }
                _ => arguments.positional.push(self.expr(node)),
            }
        }
        let all = arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, v)| v));
        let complete = all.clone().all(|o| !o.is_bottom());
        complete.then_some(arguments)
    }

    /// A call in the source.
    pub(crate) fn call(&mut self, node: &Node, call: &Call, unused: bool) -> Operand {
        if call.receiver.is_none() {
            if let Some(result) = self.special_form(node, call, unused) {
                return result;
            }
            // In an eval'd text a bare name can be a local of the binding around it.
            if call.variable
                && self.is_of_block()
                && let Some(operand) = self.own_root(super::host::RootKey::Captured(call.name.clone()))
            {
                return operand;
            }
        }
        let call_type = match &call.receiver {
            None if call.variable => CallType::Bare,
            None => CallType::Own,
            Some(receiver) if matches!(receiver.kind, Kind::SelfRef) => CallType::Own,
            Some(_) => CallType::Outside,
        };
        let receiver = match &call.receiver {
            Some(receiver) => self.expr(receiver),
            None => self.self_operand(),
        };
        if receiver.is_bottom() {
            return receiver;
        }
        self.enter(node);
        if call.safe {
            return self
                .unless_nil(&receiver, |s, receiver| s.call_on(node, call, &receiver, call_type, unused));
        }
        self.call_on(node, call, &receiver, call_type, unused)
    }

    fn call_on(
        &mut self,
        node: &Node,
        call: &Call,
        receiver: &Operand,
        call_type: CallType,
        unused: bool,
    ) -> Operand {
        let Some(mut arguments) = self.arguments(&call.args) else { return Operand::bottom() };
        if self.b.is_dead() {
            return Operand::bottom();
        }
        arguments.unused = unused;
        self.enter(node);
        self.span = call.name_span;
        let block = match &call.block {
            None => None,
            Some(BlockArg::Symbol(name, _)) => Some(BlockRef::Symbol(name.clone())),
            Some(BlockArg::Literal(literal)) => Some(self.block_literal(literal, None, false)),
            Some(BlockArg::Expression(inner)) => match self.block_argument(inner) {
                Some(block) => block,
                None => return Operand::bottom(),
            },
        };
        // A literal block may `break`: the call's value is then the break's.
        if let Some(BlockRef::Literal { literal, home, lambda: false, .. }) = &block
            && matches!(call.block, Some(BlockArg::Literal(_)))
            && has_break(&literal.body)
        {
            let (literal, home) = (Arc::clone(literal), home.clone());
            let span = self.span;
            return self.labelled(30, !unused, |s, join| {
                let block = BlockRef::Literal { literal, home, break_to: Some(join), lambda: false };
                s.span = span;
                s.dispatch(receiver, &call.name, &arguments, Some(block), call_type)
            });
        }
        if is_literal_extreme(call) {
            self.array_literal = Some(self.span);
        }
        self.dispatch(receiver, &call.name, &arguments, block, call_type)
    }

    /// Is a function of Kernel's what a call without a receiver means? The section's own self is not looked at for it.
    fn is_of_kernel(&mut self, name: &str) -> bool {
        let receiver = self.frame().receiver.clone();
        receiver.types.iter().all(|ty| match self.host.method(class_of(ty), name) {
            Ok(Some(found)) => found.owner == ClassId::KERNEL,
            _ => true,
        })
    }

    /// Calls that are syntax here: they need more than their arguments' values.
    fn special_form(&mut self, node: &Node, call: &Call, unused: bool) -> Option<Operand> {
        match call.name.as_str() {
            "raise" | "fail" => Some(self.raise(node, call)),
            "block_given?" if self.is_of_block() => Some(self.refuse_outer_block()),
            "block_given?" => {
                let given = self.frame().block.is_some();
                let value = self.b.bool(given);
                Some(Operand::bool(value))
            }
            "lambda" | "proc" => match &call.block {
                Some(BlockArg::Literal(literal)) => Some(self.make_proc(literal, call.name == "lambda")),
                _ => None,
            },
            "catch" if self.is_of_kernel("catch") => self.catch(node, call, unused),
            "throw" if self.is_of_kernel("throw") => self.throw(node, call),
            "binding" | "eval" | "instance_eval" | "send" | "__send__" | "public_send" => {
                let hint = match call.name.as_str() {
                    "binding" | "eval" => "write the code itself; variables are known by their names only",
                    "instance_eval" => "call the methods of the object, or write a method in its class",
                    _ => "call the method by its name",
                };
                let message = format!("`{}` cannot run in a section", call.name);
                Some(self.refuse_here("unsupported-call", message, Some(hint.into())))
            }
            // Said of the method, not of the string that it is given.
            "puts" | "print" | "p" | "pp" | "printf" | "putc" | "warn" | "format" | "sprintf"
                if call.receiver.is_none()
                    && call.args.iter().any(|arg| matches!(arg.kind, Kind::String(_)))
                    && self.is_of_kernel(&call.name) =>
            {
                self.enter(node);
                Some(self.refuse_here(
                    "unsupported-method",
                    format!("`{}` cannot run in a section", call.name),
                    Some(crate::builtins::hint(ClassId::KERNEL, "Kernel", &call.name)),
                ))
            }
            _ => None,
        }
    }

    pub(crate) fn super_call(
        &mut self,
        node: &Node,
        args: Option<&[Node]>,
        block: Option<&BlockArg>,
    ) -> Operand {
        let receiver = self.self_operand();
        let (owner, name) = (self.frame().owner, self.frame().name.clone());
        if self.is_of_block() {
            return self.refuse_here("unsupported-super", "`super` stands outside a method", None);
        }
        if args.is_none() && self.frame().code.kind != CodeKind::Method {
            return self.refuse_here(
                "unsupported-super",
                "`super` without arguments stands in a block that define_method made a method of",
                Some("name the arguments, as in `super(a)`".into()),
            );
        }
        let arguments = match args {
            Some(nodes) => match self.arguments(nodes) {
                Some(arguments) => arguments,
                None => return Operand::bottom(),
            },
            None => self.own_arguments(),
        };
        self.enter(node);
        let block = match block {
            None => self.frame().block.clone(),
            Some(BlockArg::Symbol(name, _)) => Some(BlockRef::Symbol(name.clone())),
            Some(BlockArg::Literal(literal)) => Some(self.block_literal(literal, None, false)),
            Some(BlockArg::Expression(inner)) => self.block_argument(inner).flatten(),
        };
        let mut groups = Vec::new();
        for ty in &receiver.types.clone() {
            let callee = match self.host.super_method(class_of(ty), owner, &name) {
                Err(refusal) => Callee::Refused(refusal),
                Ok(None) => Callee::Missing { private: false },
                Ok(Some(found)) => self.callee_of(ty, &name, found),
            };
            groups.push((TypeSet::from(ty.clone()), callee));
        }
        self.soften(&mut groups);
        self.dispatch_groups(&receiver, &name, &groups, &arguments, block.as_ref())
    }

    /// What a bare `super` passes on: the parameters' values now.
    fn own_arguments(&mut self) -> Arguments {
        let params = self.frame().code.params.clone();
        let mut arguments = Arguments::default();
        let local = |s: &mut Self, target: &crate::syntax::ast::Target| match target {
            crate::syntax::ast::Target::Local(id, _) => s.read_local(*id),
            _ => Operand::nil(),
        };
        for target in &params.required {
            let value = local(self, target);
            arguments.positional.push(value);
        }
        for (id, _) in &params.optional {
            let value = self.read_local(*id);
            arguments.positional.push(value);
        }
        if let Some(Some(id)) = params.rest {
            let rest = self.read_local(id);
            arguments.positional.extend(self.spread(&rest));
        }
        for target in &params.post {
            let value = local(self, target);
            arguments.positional.push(value);
        }
        for (name, id, _) in &params.keywords {
            let value = self.read_local(*id);
            arguments.keywords.push((name.clone(), value));
        }
        arguments
    }
}

/// `[a, b].max`, for which MRI has an instruction of its own that compares the other way round than Array#max. Arrays
/// of literals alone, and those with a splat, are arrays like others.
fn is_literal_extreme(call: &Call) -> bool {
    let Some(Kind::Array(items)) = call.receiver.as_ref().map(|receiver| &receiver.kind) else {
        return false;
    };
    ["min", "max"].contains(&call.name.as_str())
        && call.args.is_empty()
        && call.block.is_none()
        && !call.safe
        && !items.iter().any(|item| matches!(item.kind, Kind::Splat(_)))
        && !items.iter().all(is_static)
}

fn is_static(node: &Node) -> bool {
    match &node.kind {
        Kind::Nil | Kind::True | Kind::False | Kind::Integer(_) | Kind::Float(_) | Kind::Symbol(_) => true,
        Kind::Array(items) => items.iter().all(is_static),
        _ => false,
    }
}
