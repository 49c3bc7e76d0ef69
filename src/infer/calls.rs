//! Calls: lookup, dispatch over the receiver's classes, inlining, blocks, and functions for methods that call
//! themselves.

use super::host::{Found, Method, Refusal, Visibility};
use super::memo::FunctionKey;
use super::operand::{self, Operand};
use super::sites::class_of;
use super::{BlockRef, Condition, Control, Frame, Home, JoinIndex, Lowerer};
use crate::builtins::{self, Builtin};
use crate::ir::builder::Builder;
use crate::ir::{Comparison, ErrorKind, FuncId, MessagePart, Receiver, Stmt, Ty, Value};
use crate::syntax::ast::{BlockArg, BlockLiteral, Call, Code, CodeKind, Kind, Node, StringPart};
use crate::syntax::walk::each_node_in;
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Frames of methods that call themselves, as deep as this; then SystemStackError.
pub(crate) const MAX_DEPTH: i64 = 10_000;
/// A recursive method is specialised for so many argument types; then they are joined.
const MAX_SPECIALISATIONS: usize = 8;
/// Calls inlined into each other, as deep as this; then the methods become functions.
const MAX_INLINE_DEPTH: usize = 60;

/// Arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub positional: Vec<Operand>,
    pub keywords: Vec<(String, Operand)>,
    /// What the call gives is dropped.
    pub unused: bool,
}

/// A function whose body is still to be lowered.
#[derive(Debug)]
pub(crate) struct PendingFunction {
    key: FunctionKey,
    function: FuncId,
    code: Rc<Code>,
    owner: ClassId,
    name: String,
    builtin: bool,
}

/// How a call is written, which says what it may call and what Ruby says where there is nothing to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// On an explicit receiver.
    Outside,
    /// On self, which has its private methods too.
    Own,
    /// A name alone, which could have been a local variable.
    Bare,
}

/// What a call on one class of receiver does.
#[derive(Clone)]
enum Callee {
    Method(Found, Rc<Code>, bool),
    Reader(String),
    Writer(String),
    Builtin(&'static builtins::Row),
    Missing {
        private: bool,
    },
    /// A name that is neither a local variable nor a method.
    Undefined,
    /// Refuses the section.
    Refused(Refusal),
    /// Fails the element.
    Unsupported(String),
}

impl Callee {
    /// Do both do the same to any receiver, so that one piece of code can serve both?
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Method(_, a, _), Self::Method(_, b, _)) => Rc::ptr_eq(a, b),
            (Self::Reader(a), Self::Reader(b)) | (Self::Writer(a), Self::Writer(b)) => a == b,
            _ => false,
        }
    }
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
            if let Some(result) = self.special_form(node, call) {
                return result;
            }
            // In an eval'd text a bare name can be a local of the binding around it.
            if call.variable
                && self.current == 0
                && let Some(operand) = self.root(&super::host::RootKey::Captured(call.name.clone()))
            {
                return operand;
            }
        }
        let form = match &call.receiver {
            None if call.variable => Form::Bare,
            None => Form::Own,
            Some(receiver) if matches!(receiver.kind, Kind::SelfRef) => Form::Own,
            Some(_) => Form::Outside,
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
            return self.unless_nil(&receiver, |s, receiver| s.call_on(node, call, &receiver, form, unused));
        }
        self.call_on(node, call, &receiver, form, unused)
    }

    fn call_on(&mut self, node: &Node, call: &Call, receiver: &Operand, form: Form, unused: bool) -> Operand {
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
            let (literal, home) = (Arc::clone(literal), *home);
            let span = self.span;
            return self.labelled(30, !unused, |s, join| {
                let block = BlockRef::Literal { literal, home, break_to: Some(join), lambda: false };
                s.span = span;
                s.dispatch(receiver, &call.name, &arguments, Some(block), form)
            });
        }
        self.dispatch(receiver, &call.name, &arguments, block, form)
    }

    /// Was the block written in a built-in of ours?
    pub(crate) fn is_ours(&self, block: &BlockRef) -> bool {
        match block {
            BlockRef::Literal { home, .. } => self.frames.get(home.frame).is_some_and(|f| f.builtin),
            BlockRef::Symbol(_) => false,
        }
    }

    pub(crate) fn block_literal(
        &mut self,
        literal: &Arc<BlockLiteral>,
        break_to: Option<JoinIndex>,
        lambda: bool,
    ) -> BlockRef {
        let activation = self.frame().activation;
        let home = Home { frame: self.current, activation, active: self.active.len() };
        BlockRef::Literal { literal: Arc::clone(literal), home, break_to, lambda }
    }

    /// `->(x) { … }`, `lambda { … }`, `proc { … }`: a value known at compile time.
    pub(crate) fn make_proc(&mut self, literal: &Arc<BlockLiteral>, lambda: bool) -> Operand {
        let number = self.memo.proc_number(self.context, literal.id.0);
        let block = self.block_literal(literal, None, lambda);
        self.procs.insert(number, block);
        Operand { types: Type::Proc(number).into(), values: vec![] }
    }

    /// The block that an operand is, where it is a lambda or proc of the section.
    pub(crate) fn proc_of(&self, operand: &Operand) -> Option<BlockRef> {
        match operand.types.single() {
            Some(Type::Proc(number)) => self.procs.get(number).cloned(),
            _ => None,
        }
    }

    /// `&expression` at a call: the method's own block handed on, a lambda, a symbol, or nil for no block at all.
    fn block_argument(&mut self, inner: &Node) -> Option<Option<BlockRef>> {
        let operand = self.expr(inner);
        if operand.types.single() == Some(&Type::Nil) {
            return Some(None);
        }
        if let Some(block) = self.proc_of(&operand) {
            return Some(Some(block));
        }
        if let Some(name) = self.symbol_name(&operand) {
            return Some(Some(BlockRef::Symbol(name)));
        }
        if !operand.is_bottom() {
            self.refuse_here(
                "unsupported-block",
                "only a literal block, a symbol, a lambda of the section or the method's own block can be passed",
                Some("write the block out: { |x| … }".into()),
            );
        }
        None
    }

    /// Calls that are syntax here: they need more than their arguments' values.
    fn special_form(&mut self, node: &Node, call: &Call) -> Option<Operand> {
        match call.name.as_str() {
            "raise" | "fail" => Some(self.raise(node, call)),
            "block_given?" if self.current == 0 && self.depth.is_none() => Some(self.refuse_outer_block()),
            "block_given?" => {
                let given = self.frame().block.is_some();
                let value = self.b.bool(given);
                Some(Operand::bool(value))
            }
            "lambda" | "proc" => match &call.block {
                Some(BlockArg::Literal(literal)) => Some(self.make_proc(literal, call.name == "lambda")),
                _ => None,
            },
            "binding" | "eval" | "instance_eval" | "send" | "__send__" | "public_send" | "catch"
            | "throw" => Some(self.refuse_here(
                "unsupported-call",
                format!("`{}` cannot run in a section", call.name),
                Some("call the method by its name".into()),
            )),
            _ => None,
        }
    }

    /// `raise`, `raise "message"`, `raise Class`, `raise Class, "message"`, `raise Class.new("message")`.
    fn raise(&mut self, node: &Node, call: &Call) -> Operand {
        let mut nodes: Vec<&Node> = call.args.iter().collect();
        if let [only] = &nodes[..]
            && let Kind::Call(inner) = &only.kind
            && inner.name == "new"
            && inner.receiver.is_some()
        {
            nodes = inner.receiver.iter().chain(inner.args.iter()).collect();
        }
        let mut class = None;
        if let Some(first) = nodes.first()
            && !matches!(first.kind, Kind::String(_))
        {
            let operand = self.expr(first);
            class = super::conditions::module_of(&operand);
            if class.is_none() {
                return self.refuse_raise(first);
            }
            nodes.remove(0);
        }
        let parts: Option<Vec<StringPart>> = match &nodes[..] {
            [] => None,
            [only] => match &only.kind {
                Kind::String(parts) => Some(parts.clone()),
                _ => return self.refuse_raise(only),
            },
            [_, extra, ..] => return self.refuse_raise(extra),
        };
        self.enter(node);
        let class = match class {
            Some(class) => class,
            None => match self.constant(&["RuntimeError".to_string()], true).types.single() {
                Some(Type::Module(class)) => *class,
                _ => return Operand::bottom(),
            },
        };
        let parts = match parts {
            None if call.args.is_empty() => Some(vec![StringPart::Text(String::new())]),
            parts => parts,
        };
        let Some(parts) = parts else {
            return self.fail(ErrorKind::Raise { class, message: None }, &[]);
        };
        let mut values = Vec::new();
        for part in &parts {
            if let StringPart::Expression(node) = part {
                let value = self.expr(node);
                if value.is_bottom() {
                    return value;
                }
                values.push(value);
            }
        }
        self.enter(node);
        let message: Vec<Option<String>> = parts
            .into_iter()
            .map(|part| match part {
                StringPart::Text(text) => Some(text),
                StringPart::Expression(_) => None,
            })
            .collect();
        self.raise_with(class, &message, values, vec![], vec![])
    }

    fn refuse_raise(&mut self, at: &Node) -> Operand {
        self.enter(at);
        self.refuse_here(
            "unsupported-raise",
            "`raise` takes an exception class and a message written out in a section",
            Some("write: raise ArgumentError, \"message\"".into()),
        )
    }

    /// Fails with a message whose values are told apart class by class: `known` are those done already.
    fn raise_with(
        &mut self,
        class: ClassId,
        message: &[Option<String>],
        mut values: Vec<Operand>,
        known: Vec<Receiver>,
        operands: Vec<Value>,
    ) -> Operand {
        if !values.is_empty() {
            let first = values.remove(0);
            return self.switch(&first, 32 + known.len() as u32, &mut |s, value| {
                if value.types.len() > 1 {
                    let (yes, no) =
                        (s.narrow(&value, &Type::True.into()), s.narrow(&value, &Type::False.into()));
                    let condition = s.truth_condition(&value);
                    let with = |s: &mut Self, value: Operand| {
                        let values = std::iter::once(value).chain(values.iter().cloned()).collect();
                        s.raise_with(class, message, values, known.clone(), operands.clone())
                    };
                    return s.branch(33, condition, |s| with(s, yes), |s| with(s, no));
                }
                let (receiver, own) = s.receiver(&value);
                if matches!(receiver, Receiver::Object(_) | Receiver::Array(_) | Receiver::Text(_)) {
                    let what = s.describe(&value.types);
                    return s.refuse_here(
                        "unsupported-raise",
                        format!("the message of `raise` cannot hold {what} in a section"),
                        Some("put numbers and symbols in the message".into()),
                    );
                }
                let known = known.iter().cloned().chain([receiver]).collect();
                let operands: Vec<Value> = operands.iter().copied().chain(own).collect();
                if operands.len() > 2 {
                    return s.refuse_here(
                        "unsupported-raise",
                        "the message of `raise` can hold two values in a section",
                        Some("leave out the others; the error says which element it was".into()),
                    );
                }
                s.raise_with(class, message, values.clone(), known, operands)
            });
        }
        let mut known = known.into_iter();
        let parts = message.iter().filter_map(|part| match part {
            Some(text) => Some(MessagePart::Text(text.clone())),
            None => known.next().map(MessagePart::Value),
        });
        let parts: Vec<MessagePart> = parts.collect();
        self.fail(ErrorKind::Raise { class, message: Some(parts) }, &operands)
    }

    // ---- dispatch --------------------------------------------------------------------------------------------------

    /// `receiver.name(args)` as generated by a built-in or an operator: `slot` tells apart the sends of one node.
    pub(crate) fn send(&mut self, receiver: &Operand, name: &str, args: &[Operand], slot: u32) -> Operand {
        self.send_from(receiver, name, args, slot, Form::Outside)
    }

    /// As [`Lowerer::send`], with a block handed on.
    pub(crate) fn send_block(
        &mut self,
        receiver: &Operand,
        name: &str,
        args: &[Operand],
        block: Option<BlockRef>,
    ) -> Operand {
        let span = self.span;
        self.within(0x180, |s| {
            s.span = span;
            let arguments = Arguments { positional: args.to_vec(), ..Arguments::default() };
            s.dispatch(receiver, name, &arguments, block, Form::Own)
        })
    }

    pub(crate) fn send_from(
        &mut self,
        receiver: &Operand,
        name: &str,
        args: &[Operand],
        slot: u32,
        form: Form,
    ) -> Operand {
        if receiver.is_bottom() || args.iter().any(Operand::is_bottom) || self.b.is_dead() {
            return Operand::bottom();
        }
        let span = self.span;
        self.within(0x100 + slot, |s| {
            s.span = span;
            let arguments = Arguments { positional: args.to_vec(), ..Arguments::default() };
            s.dispatch(receiver, name, &arguments, None, form)
        })
    }

    /// Runs the method for each class that the receiver can be of, and joins what they give.
    pub(crate) fn dispatch(
        &mut self,
        receiver: &Operand,
        name: &str,
        arguments: &Arguments,
        block: Option<BlockRef>,
        form: Form,
    ) -> Operand {
        let mut groups: Vec<(TypeSet, Callee)> = Vec::new();
        for ty in &receiver.types.clone() {
            let callee = self.callee(ty, name, form);
            match groups.iter_mut().find(|(types, other)| {
                other.is_same(&callee) && types.iter().all(|t| t.shape() == ty.shape()) && is_object(ty)
            }) {
                Some((types, _)) => {
                    types.insert(ty.clone());
                }
                None => groups.push((ty.clone().into(), callee)),
            }
        }
        self.soften(&mut groups);
        self.dispatch_groups(receiver, name, &groups, arguments, block.as_ref())
    }

    /// Where a receiver can be of several classes and some cannot do the call in a section, those fail when they come,
    /// which they may never do.
    fn soften(&mut self, groups: &mut [(TypeSet, Callee)]) {
        let is_refused = |group: &(TypeSet, Callee)| matches!(group.1, Callee::Refused(_));
        if groups.iter().all(is_refused) {
            return;
        }
        for (_, callee) in groups {
            if let Callee::Refused(refusal) = callee {
                *callee = Callee::Unsupported(refusal.message.clone());
            }
        }
    }

    fn dispatch_groups(
        &mut self,
        receiver: &Operand,
        name: &str,
        groups: &[(TypeSet, Callee)],
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        let Some(((types, callee), rest)) = groups.split_first() else { return Operand::bottom() };
        let run = |s: &mut Self| {
            let receiver = s.narrow(receiver, types);
            let choice = s.memo.type_number(types);
            s.within_here(choice, |s| s.invoke(&receiver, name, callee, arguments, block))
        };
        if rest.is_empty() {
            return run(self);
        }
        let condition = self.is_one_of(receiver, types);
        let choice = self.memo.type_number(types);
        self.branch(choice, condition, run, |s| s.dispatch_groups(receiver, name, rest, arguments, block))
    }

    /// As `within`, but places stay those of the current node.
    fn within_here<T>(&mut self, choice: u32, f: impl FnOnce(&mut Self) -> T) -> T {
        let span = self.span;
        self.within(choice, |s| {
            s.span = span;
            f(s)
        })
    }

    /// Is the operand of one of these classes?
    pub(crate) fn is_one_of(&mut self, operand: &Operand, types: &TypeSet) -> Condition {
        let mut value = self.b.bool(false);
        for ty in types {
            let one = self.is_type(operand, ty);
            value = self.b.binary(crate::ir::BinaryOp::OrB, value, one);
        }
        let mut condition = Condition { value, yes: vec![], no: vec![] };
        if let Some(key) = operand.values.first()
            && operand.types.len() > 1
        {
            condition.yes.push((*key, types.clone()));
            condition.no.push((*key, operand.types.filter(|t| !types.contains(t))));
        }
        condition
    }

    /// Runs `f` for each class that `operand` can be of, and joins what it gives.
    pub(crate) fn switch(
        &mut self,
        operand: &Operand,
        slot: u32,
        f: &mut dyn FnMut(&mut Self, Operand) -> Operand,
    ) -> Operand {
        // True and false go together.
        let mut groups: Vec<TypeSet> = Vec::new();
        for ty in &operand.types {
            match groups.last_mut() {
                Some(last) if *ty == Type::True && last.contains(&Type::False) => {
                    last.insert(Type::True);
                }
                _ => groups.push(ty.clone().into()),
            }
        }
        self.switch_groups(operand, slot, &groups, f)
    }

    fn switch_groups(
        &mut self,
        operand: &Operand,
        slot: u32,
        groups: &[TypeSet],
        f: &mut dyn FnMut(&mut Self, Operand) -> Operand,
    ) -> Operand {
        let Some((types, rest)) = groups.split_first() else { return Operand::bottom() };
        let choice = self.memo.type_number(types);
        if rest.is_empty() {
            let part = self.narrow(operand, types);
            return self.within_here(0x200 + slot, |s| s.within_here(choice, |s| f(s, part)));
        }
        let condition = self.is_one_of(operand, types);
        self.within_here(0x200 + slot, |s| {
            let f = std::cell::RefCell::new(f);
            s.branch(
                choice,
                condition,
                |s| {
                    let part = s.narrow(operand, types);
                    s.within_here(choice, |s| (*f.borrow_mut())(s, part))
                },
                |s| s.switch_groups(operand, slot, rest, *f.borrow_mut()),
            )
        })
    }

    fn callee(&mut self, ty: &Type, name: &str, form: Form) -> Callee {
        if matches!(ty, Type::Array(_) | Type::Tuple(_)) && ["peach", "pmap", "pselect"].contains(&name) {
            return Callee::Refused(Refusal {
                slug: "nested-section",
                message: format!("`{name}` cannot run inside a section: elements run in parallel already"),
                hint: Some("use each, or make one section of all pairs".into()),
            });
        }
        // The parts that built-ins are made of are no methods of Ruby's.
        if name.starts_with("__") && name != "__send__" && name != "__id__" {
            let found = Found {
                owner: class_of(ty),
                visibility: Visibility::Public,
                method: Method::Native { name: name.to_string() },
            };
            return self.callee_of(ty, name, found);
        }
        let found = match ty {
            Type::Module(module) => self.host.singleton_method(*module, name),
            other => self.host.method(class_of(other), name),
        };
        match found {
            Err(refusal) => Callee::Refused(refusal),
            Ok(None) if form == Form::Bare => Callee::Undefined,
            Ok(None) => Callee::Missing { private: false },
            Ok(Some(found)) if form == Form::Outside && !self.is_visible(&found) => {
                Callee::Missing { private: true }
            }
            Ok(Some(found)) => self.callee_of(ty, name, found),
        }
    }

    /// Can a method be called from the current code on an explicit receiver?
    fn is_visible(&mut self, found: &Found) -> bool {
        match found.visibility {
            Visibility::Public => true,
            Visibility::Private => false,
            Visibility::Protected => self.self_is(found.owner),
        }
    }

    /// A protected method is none for `&:name`, whoever passes it.
    fn is_protected(&mut self, receiver: &Operand, name: &str) -> bool {
        let mut all = receiver.types.iter().filter(|ty| matches!(ty, Type::Object(..) | Type::Record(_)));
        all.any(|ty| {
            let found = self.host.method(class_of(ty), name);
            matches!(found, Ok(Some(Found { visibility: Visibility::Protected, .. })))
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

    fn callee_of(&mut self, ty: &Type, name: &str, found: Found) -> Callee {
        match &found.method {
            Method::Ruby(code) => {
                let code = Rc::clone(code);
                Callee::Method(found, code, false)
            }
            Method::Reader(ivar) => Callee::Reader(ivar.clone()),
            Method::Writer(ivar) => Callee::Writer(ivar.clone()),
            Method::Native { name: original } => match builtins::lookup(found.owner, original, ty) {
                Some(Builtin::Rule(rule)) => Callee::Builtin(rule),
                Some(Builtin::Ruby(code)) => Callee::Method(found, code, true),
                None => {
                    let class = match ty {
                        Type::Module(module) => format!("{}.", self.host.class_name(*module)),
                        other => format!("{}#", self.host.class_name(class_of(other))),
                    };
                    Callee::Refused(Refusal {
                        slug: "unsupported-method",
                        message: format!("`{class}{name}` cannot run in a section"),
                        hint: Some(builtins::hint(found.owner, original)),
                    })
                }
            },
        }
    }

    fn invoke(
        &mut self,
        receiver: &Operand,
        name: &str,
        callee: &Callee,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        if block.is_none()
            && matches!(callee, Callee::Builtin(_) | Callee::Method(_, _, true))
            && arguments.keywords.is_empty()
            && let Some(ty) = receiver.types.single()
            && builtins::enumerates(ty, name, arguments.positional.len())
        {
            return builtins::make_enumerator(name, receiver, &arguments.positional);
        }
        match callee {
            Callee::Refused(refusal) => self.refuse(refusal.clone()),
            Callee::Unsupported(message) => self.fail(ErrorKind::Unsupported(message.clone()), &[]),
            Callee::Missing { private } => self.no_method(receiver, name, *private),
            Callee::Undefined => self.name_error(receiver, name),
            Callee::Reader(ivar) => {
                if !self.expect_arguments(arguments, 0) {
                    return Operand::bottom();
                }
                self.read_ivar(receiver, ivar)
            }
            Callee::Writer(ivar) => {
                if !self.expect_arguments(arguments, 1) {
                    return Operand::bottom();
                }
                let value = arguments.positional[0].clone();
                self.write_ivar(receiver, ivar, &value);
                value
            }
            Callee::Builtin(rule) => {
                let invocation = builtins::Invocation {
                    receiver: receiver.clone(),
                    name: name.to_string(),
                    args: arguments.positional.clone(),
                    keywords: arguments.keywords.clone(),
                    block: block.cloned(),
                };
                rule.apply(self, &invocation)
            }
            Callee::Method(found, code, builtin) => {
                let name = if code.kind == CodeKind::Method { code.name.clone() } else { name.into() };
                self.method_call(receiver, &name, found.owner, code, *builtin, arguments, block)
            }
        }
    }

    /// Does a built-in written in Ruby have this form of the method? Ruby's own may have more.
    fn takes(&mut self, code: &Code, name: &str, arguments: &Arguments, block: Option<&BlockRef>) -> bool {
        if code.yields && block.is_none() && !name.starts_with("__") {
            self.refuse_here(
                "unsupported-enumerator",
                format!("`{name}` without a block cannot run in a section"),
                Some("give it a block".into()),
            );
            return false;
        }
        let (required, given) = (code.params.required.len(), arguments.positional.len());
        let takes_keyword = |name: &String| code.params.keywords.iter().any(|(known, ..)| known == name);
        let fits = given >= required
            && (given <= required + code.params.optional.len() || code.params.rest.is_some())
            && arguments.keywords.iter().all(|(name, _)| takes_keyword(name));
        if !fits {
            self.refuse_here(
                "unsupported-method",
                format!("`{name}` with these arguments cannot run in a section"),
                Some("use another form of it, or write it with a loop".into()),
            );
        }
        fits
    }

    fn expect_arguments(&mut self, arguments: &Arguments, count: usize) -> bool {
        if arguments.positional.len() == count {
            return true;
        }
        let given = arguments.positional.len();
        let message = format!("wrong number of arguments (given {given}, expected {count})");
        self.fail(ErrorKind::ArgumentError(message), &[]);
        false
    }

    /// The block that the method around the section was called with is Ruby's alone.
    fn refuse_outer_block(&mut self) -> Operand {
        self.refuse_here(
            "unsupported-block",
            "the block of the method around the section cannot be called in it",
            Some("compute what it gives before the section, or write it in the section's block".into()),
        )
    }

    // ---- methods ---------------------------------------------------------------------------------------------------

    #[allow(clippy::too_many_arguments, reason = "the parts of a call, used together once")]
    pub(crate) fn method_call(
        &mut self,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        if builtin && !self.takes(code, name, arguments, block) {
            return Operand::bottom();
        }
        let identity = Rc::as_ptr(code) as usize;
        if self.memo.recursive.contains(&identity) {
            return self.function_call(receiver, name, owner, code, builtin, arguments, block);
        }
        if self.active.contains(&identity) || self.active.len() >= MAX_INLINE_DEPTH {
            self.memo.recursive.insert(identity);
            self.memo.changed = true;
            return Operand::bottom();
        }
        self.active.push(identity);
        let outer = self.current;
        self.push_frame(receiver, name, owner, code, builtin, block);
        let body = |s: &mut Self| {
            s.bind_method(&code.params, arguments.positional.clone(), arguments.keywords.clone());
            if s.b.is_dead() { Operand::bottom() } else { s.arm(&code.body, arguments.unused) }
        };
        let choice = identity_number(code);
        let result = self.within_here(choice, |s| {
            let block = code.kind != CodeKind::Method;
            if has_return(&code.body) || (block && (has_next(&code.body) || has_break(&code.body))) {
                s.labelled(0, !arguments.unused, |s, join| {
                    let frame = s.current;
                    s.frames[frame].return_to = Some(join);
                    if block {
                        // A block that `define_method` made a method of: all ways out of it are returns.
                        s.frames[frame].control.push(Control { break_to: Some(join), next_to: Some(join) });
                    }
                    body(s)
                })
            } else {
                body(s)
            }
        });
        self.frames.pop();
        self.current = outer;
        self.active.pop();
        result
    }

    fn push_frame(
        &mut self,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        block: Option<&BlockRef>,
    ) {
        let locals = self.fresh_locals(code);
        self.frames.push(Frame {
            code: Rc::clone(code),
            locals,
            receiver: receiver.clone(),
            owner,
            scope: Self::method_scope(owner, &code.nesting),
            block: block.cloned(),
            return_to: None,
            control: vec![],
            activation: 0,
            call_span: self.span,
            builtin,
            name: name.to_string(),
        });
        self.current = self.frames.len() - 1;
        let activation = self.fresh_version();
        self.frames[self.current].activation = activation;
        if let Some(local) = code.params.block {
            let operand = match block {
                Some(block) => {
                    let number = self.memo.proc_number(self.context, u32::MAX);
                    self.procs.insert(number, block.clone());
                    Operand { types: Type::Proc(number).into(), values: vec![] }
                }
                None => Operand::nil(),
            };
            self.write_local(local, operand);
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
        if self.frame().return_to.is_none() && self.current == 0 {
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

    // ---- blocks ----------------------------------------------------------------------------------------------------

    pub(crate) fn yield_to_block(&mut self, node: &Node, arguments: Arguments, unused: bool) -> Operand {
        if self.current == 0 && self.depth.is_none() {
            return self.refuse_outer_block();
        }
        self.enter(node);
        match self.frame().block.clone() {
            Some(block) => {
                self.unused = unused;
                self.call_block(&block, arguments.positional)
            }
            None => self.fail(ErrorKind::ArgumentError("no block given (yield)".into()), &[]),
        }
    }

    /// Runs a block's body here, in the frame it was written in.
    pub(crate) fn call_block(&mut self, block: &BlockRef, args: Vec<Operand>) -> Operand {
        let unused = std::mem::take(&mut self.unused);
        if self.b.is_dead() || args.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        match block {
            BlockRef::Symbol(name) => {
                let mut args = args.into_iter();
                let Some(receiver) = args.next() else {
                    return self.fail(ErrorKind::ArgumentError("no receiver given".into()), &[]);
                };
                let rest: Vec<Operand> = args.collect();
                if self.is_protected(&receiver, name) {
                    return self.switch(&receiver, 9, &mut |s, receiver| s.no_method(&receiver, name, true));
                }
                self.send(&receiver, name, &rest, 7)
            }
            BlockRef::Literal { literal, home, break_to, lambda } => {
                let frame = home.frame;
                if self.frames.get(frame).is_none_or(|f| f.activation != home.activation) {
                    return self.refuse_here(
                        "escaping-block",
                        "a lambda or block is called after the method that made it has returned",
                        Some("call it in that method, or write a method instead".into()),
                    );
                }
                let outer = std::mem::replace(&mut self.current, frame);
                let suspended = self.active.split_off(home.active);
                let saved: Vec<_> = literal
                    .own_locals
                    .iter()
                    .map(|l| (*l, self.frames[frame].locals[l.0 as usize].clone()))
                    .collect();
                for (local, _) in &saved {
                    let version = self.fresh_version();
                    self.frames[frame].locals[local.0 as usize] =
                        super::Slot { operand: Operand::nil(), version };
                }
                let returns = *lambda && has_return(&literal.body);
                let result = self.within_here(literal.id.0, |s| {
                    let run = |s: &mut Self, leave: Option<JoinIndex>| {
                        let break_to = if *lambda { leave } else { *break_to };
                        s.frames[frame].control.push(Control { break_to, next_to: leave });
                        let outer_return = s.frames[frame].return_to;
                        if *lambda {
                            s.frames[frame].return_to = leave;
                            s.bind_method(&literal.params, args.clone(), vec![]);
                        } else {
                            s.bind_block(&literal.params, args.clone());
                        }
                        let value =
                            if s.b.is_dead() { Operand::bottom() } else { s.arm(&literal.body, unused) };
                        s.frames[frame].return_to = outer_return;
                        s.frames[frame].control.pop();
                        value
                    };
                    if returns || has_next(&literal.body) || (*lambda && has_break(&literal.body)) {
                        s.labelled(0, !unused, |s, join| run(s, Some(join)))
                    } else {
                        run(s, None)
                    }
                });
                for (local, slot) in saved {
                    self.frames[frame].locals[local.0 as usize] = slot;
                }
                self.active.extend(suspended);
                self.current = outer;
                result
            }
        }
    }

    // ---- functions -------------------------------------------------------------------------------------------------

    /// Calls a method that calls itself: it is a function of its own, specialised by receiver and arguments.
    #[allow(clippy::too_many_arguments, reason = "the parts of a call, used together once")]
    fn function_call(
        &mut self,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        if block.is_some() || !arguments.keywords.is_empty() {
            return self.refuse_here(
                "unsupported-recursion",
                format!("`{name}` calls itself and takes a block or keyword arguments"),
                Some("pass plain positional arguments to recursive methods".into()),
            );
        }
        // What the function does with lists is not known here.
        for key in &self.loops {
            self.memo.changed |= self.memo.keeping_loops.insert(*key);
        }
        let identity = Rc::as_ptr(code) as usize;
        let mut key = FunctionKey {
            code: identity,
            owner,
            receiver: receiver.types.clone(),
            args: arguments.positional.iter().map(|a| a.types.clone()).collect(),
        };
        let known = self.memo.specialisations.entry(identity).or_default();
        if !known.contains(&key) {
            let full = known.len() >= MAX_SPECIALISATIONS;
            // Too many: the last one is widened until it takes all.
            match known.last_mut().filter(|last| full && last.args.len() == key.args.len()) {
                Some(last) => {
                    let before = last.clone();
                    last.receiver = operand::join(&last.receiver, &key.receiver);
                    for (a, b) in last.args.iter_mut().zip(&key.args) {
                        *a = operand::join(a, b);
                    }
                    self.memo.changed |= *last != before;
                    key = last.clone();
                }
                None => {
                    known.push(key.clone());
                    self.memo.changed = true;
                }
            }
        }
        let all = std::iter::once(&key.receiver).chain(&key.args);
        let Some(params) = all.clone().map(operand::scalars).collect::<Option<Vec<_>>>() else {
            return self.refuse_here(
                "mixed-values",
                format!("arguments of `{name}` mix values that cannot be told apart"),
                None,
            );
        };
        let mut params: Vec<Ty> = params.concat();
        params.push(Ty::I64);
        let results = self.memo.functions.entry(key.clone()).or_default().clone();
        let function = match self.functions.get(&key) {
            Some(function) => *function,
            None => {
                let function = FuncId(self.program.functions.len() as u32);
                self.program.functions.push(Default::default());
                self.functions.insert(key.clone(), function);
                self.pending_functions.push(PendingFunction {
                    key: key.clone(),
                    function,
                    code: Rc::clone(code),
                    owner,
                    name: name.to_string(),
                    builtin,
                });
                function
            }
        };
        let mut args = self.convert(receiver, &key.receiver);
        for (operand, types) in arguments.positional.iter().zip(&key.args) {
            args.extend(self.convert(operand, types));
        }
        let depth = match self.depth {
            Some(depth) => {
                let one = self.b.i64(1);
                self.b.binary(crate::ir::BinaryOp::Add, depth, one)
            }
            None => self.b.i64(0),
        };
        args.push(depth);
        let result_scalars = operand::scalars(&results).unwrap_or_default();
        let values = self.b.call(function, args, &result_scalars);
        if results.is_empty() {
            // It never returns, as far as is known: nothing follows.
            self.b.mark_dead();
        }
        Operand { types: results, values }
    }

    pub(crate) fn lower_pending_functions(&mut self) {
        self.races.own = None;
        while let Some(pending) = self.pending_functions.pop() {
            let PendingFunction { key, function, code, owner, name, builtin } = pending;
            let all: Vec<&TypeSet> = std::iter::once(&key.receiver).chain(&key.args).collect();
            let mut params: Vec<Ty> =
                all.iter().flat_map(|t| operand::scalars(t).unwrap_or_default()).collect();
            params.push(Ty::I64);
            self.b = Builder::new(name.clone(), &params, &[]);
            let mut at = 0;
            let mut operands = Vec::new();
            for types in all {
                let width = operand::scalars(types).map_or(0, |s| s.len());
                let values = (at..at + width).map(|i| self.b.param(i)).collect();
                operands.push(Operand { types: types.clone(), values });
                at += width;
            }
            let depth = self.b.param(at);
            self.depth = Some(depth);
            self.frames.clear();
            self.joins.clear();
            self.facts.clear();
            self.active = vec![key.code];
            let choice = self.memo.type_number(&key.receiver);
            let mut context = self.memo.context(0, u32::MAX - 1 - function.0, choice);
            for types in &key.args {
                let number = self.memo.type_number(types);
                context = self.memo.context(context, u32::MAX - 1, number);
            }
            self.context = self.memo.context(context, identity_number(&code), 0);
            self.node = code.body.id;
            self.span = code.span;
            let receiver = operands.remove(0);
            let arguments = Arguments { positional: operands, ..Arguments::default() };
            self.push_frame(&receiver, &name, owner, &code, builtin, None);
            let limit = self.b.i64(MAX_DEPTH);
            let ok = self.b.compare(Comparison::Lt, depth, limit);
            self.check(ok, ErrorKind::StackTooDeep, &[]);
            let result = self.labelled(0, true, |s, join| {
                s.frames[0].return_to = Some(join);
                s.frames[0].control.push(Control { break_to: Some(join), next_to: Some(join) });
                s.bind_method(&code.params, arguments.positional.clone(), vec![]);
                if s.b.is_dead() { Operand::bottom() } else { s.expr(&code.body) }
            });
            let known = self.memo.functions.entry(key.clone()).or_default().clone();
            let place = (self.context, u32::MAX - 2, 0);
            let joined = self.memo.join(&known, &result.types, place);
            self.memo.changed |= joined != known;
            self.memo.functions.insert(key, joined.clone());
            let result = self.listed(&result, &joined);
            let values = self.convert(&result, &joined);
            let scalars = operand::scalars(&joined).unwrap_or_default();
            self.b.set_results(&scalars);
            self.b.emit(Stmt::Return(values));
            let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
            self.program.functions[function.0 as usize] = b.finish();
        }
        self.depth = None;
    }
}

const fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Object(..))
}

/// A number for a code that is the same in every walk.
fn identity_number(code: &Rc<Code>) -> u32 {
    let span = code.span;
    span.start ^ span.end.rotate_left(11) ^ span.file.0.rotate_left(23) ^ 0x4000_0000
}

/// Looks through a body for control flow of its own: what stands in nested blocks (and loops) is theirs.
fn has_own(body: &Node, found: fn(&Kind) -> bool) -> bool {
    let (mut hits, mut inner) = (Vec::new(), Vec::new());
    each_node_in(body, &mut |node| match &node.kind {
        Kind::While { .. } | Kind::For { .. } => inner.push(node.span),
        Kind::Lambda(literal) => inner.push(literal.span),
        Kind::Super { block: Some(BlockArg::Literal(literal)), .. } => inner.push(literal.span),
        Kind::Call(call) => {
            if let Some(BlockArg::Literal(literal)) = &call.block {
                inner.push(literal.span);
            }
        }
        kind if found(kind) => hits.push(node.span),
        _ => {}
    });
    hits.iter().any(|hit| !inner.iter().any(|i| i.start <= hit.start && hit.end <= i.end))
}

fn has_return(body: &Node) -> bool {
    let mut found = false;
    each_node_in(body, &mut |node| found |= matches!(node.kind, Kind::Return(_)));
    found
}

fn has_next(body: &Node) -> bool {
    has_own(body, |kind| matches!(kind, Kind::Next(_)))
}

fn has_break(body: &Node) -> bool {
    has_own(body, |kind| matches!(kind, Kind::Break(_)))
}
