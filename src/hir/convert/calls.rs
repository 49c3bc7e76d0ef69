//! Calls with their arguments and blocks, and what is made of several values: Strings, arrays.

use super::super::builder::Goal;
use super::super::code::{Arg, ArgKind, CodeKind, Local, Source, SyncData, Value};
use super::super::op::{Call, CallKind, Op};
use super::{Converter, goal};
use crate::source::Span;
use crate::syntax::ast::{self, BARE_HASH, BlockArg, BlockLiteral, KeywordArg, Kind, Node, StringPart};

/// What a call is sent with.
pub(super) struct Sent {
    pub kind: CallKind,
    pub receiver: Value,
    pub args: Vec<Arg>,
    pub name_span: Span,
}

impl<'a> Converter<'_, 'a> {
    /// `receiver.name(args)`
    pub(super) fn call(&mut self, name: &str, receiver: Value, args: &[Value]) -> Value {
        let args = args.iter().map(|value| Arg { kind: ArgKind::Plain, value: *value }).collect();
        let name_span = self.builder.source.span;
        self.send(name, Sent { kind: CallKind::Method, receiver, args, name_span })
    }

    pub(super) fn send(&mut self, name: &str, sent: Sent) -> Value {
        let Sent { kind, receiver, args, name_span } = sent;
        let name = self.name(name);
        let args = self.builder.args(&args);
        let last_match = self.last.and_then(|local| self.builder.local(local));
        self.emit(Op::Call(Call { kind, receiver, name, args, name_span, last_match }))
    }

    pub(super) fn call_node(&mut self, call: &'a ast::Call, wanted: bool) -> Option<Value> {
        let (kind, receiver) = match &call.receiver {
            None if call.variable => (CallKind::Variable, self.self_value()),
            None => (CallKind::Function, self.self_value()),
            Some(node) => (call_kind(node), self.value(node)),
        };
        let send = |s: &mut Self| {
            let mut args = s.arguments(&call.args);
            args.extend(s.block_arg(call.block.as_ref()));
            s.send(&call.name, Sent { kind, receiver, args, name_span: call.name_span })
        };
        if call.safe { self.unless_nil(receiver, wanted, send) } else { Some(send(self)) }
    }

    /// `f`, where the receiver is not nil; nil, where it is.
    pub(super) fn unless_nil(
        &mut self,
        receiver: Value,
        wanted: bool,
        f: impl FnOnce(&mut Self) -> Value,
    ) -> Option<Value> {
        let (there, end) = (self.join(), self.join());
        let nil = wanted.then(|| self.emit(Op::Nil));
        let is_nil = self.emit(Op::IsNil(receiver));
        self.builder.branch(is_nil, Goal { join: end, value: nil }, goal(there));
        self.builder.enter(there);
        let value = f(self);
        self.builder.jump(Goal { join: end, value: wanted.then_some(value) });
        self.builder.enter(end)
    }

    pub(super) fn arguments(&mut self, nodes: &'a [Node]) -> Vec<Arg> {
        let mut args = Vec::new();
        for node in nodes {
            match &node.kind {
                Kind::Splat(list) => {
                    let value = self.value(list);
                    let value = self.splat(node, value);
                    args.push(Arg { kind: ArgKind::Splat, value });
                }
                Kind::KeywordArgs(pairs) => {
                    for pair in pairs {
                        args.push(match pair {
                            // Others than Symbols are among the names.
                            KeywordArg::Pair(name, node) if name == BARE_HASH => {
                                Arg { kind: ArgKind::KeywordSplat, value: self.value(node) }
                            }
                            KeywordArg::Pair(name, node) => {
                                let kind = ArgKind::Keyword(self.name(name));
                                Arg { kind, value: self.value(node) }
                            }
                            KeywordArg::Splat(node) => {
                                Arg { kind: ArgKind::KeywordSplat, value: self.value(node) }
                            }
                        });
                    }
                }
                _ => args.push(Arg { kind: ArgKind::Plain, value: self.value(node) }),
            }
        }
        args
    }

    fn splat(&mut self, node: &Node, value: Value) -> Value {
        let source = self.builder.source;
        self.at(Source { span: node.span, node: node.id });
        let list = self.emit(Op::Splat(value));
        self.at(source);
        list
    }

    pub(super) fn block_arg(&mut self, block: Option<&'a BlockArg>) -> Option<Arg> {
        let value = match block? {
            BlockArg::Literal(literal) => {
                let source = self.builder.source;
                self.at(Source { span: literal.span, node: literal.id });
                let closure = self.closure(literal, CodeKind::Block);
                let closure = self.emit(closure);
                self.at(source);
                closure
            }
            BlockArg::Symbol(name, _) => {
                let name = self.name(name);
                self.emit(Op::SymbolBlock(name))
            }
            BlockArg::Expression(node) => self.value(node),
        };
        Some(Arg { kind: ArgKind::Block, value })
    }

    pub(super) fn closure(&mut self, literal: &'a BlockLiteral, kind: CodeKind) -> Op {
        self.make_cells(literal.id);
        let code = self.shared.literal(literal, kind, self.id);
        let locals = self.shared.scopes.captures(literal.id);
        let captures: Vec<Value> = locals.iter().filter_map(|local| self.builder.local(*local)).collect();
        Op::Closure { code, captures: self.builder.list(&captures) }
    }

    pub(super) fn yield_call(&mut self, args: &'a [Node]) -> Value {
        let args = self.arguments(args);
        let args = self.builder.args(&args);
        self.emit(Op::Yield(args))
    }

    pub(super) fn super_call(&mut self, args: Option<&'a [Node]>, block: Option<&'a BlockArg>) -> Value {
        let is_method = self.shared.code.kind == ast::CodeKind::Method;
        let implicit = args.is_none() && !is_method;
        let mut all = match args {
            Some(args) => self.arguments(args),
            None if is_method => self.parameters(),
            None => Vec::new(),
        };
        all.extend(self.block_arg(block));
        let args = self.builder.args(&all);
        self.emit(Op::Super { args, implicit })
    }

    /// What the parameters of the method are now, as arguments.
    fn parameters(&mut self) -> Vec<Arg> {
        let params = &self.shared.code.params;
        let mut args = Vec::new();
        let optional = params.optional.iter().map(|(local, _)| *local);
        for local in params.required.iter().copied().chain(optional) {
            args.push(Arg { kind: ArgKind::Plain, value: self.read_local(local) });
        }
        if let Some(rest) = params.rest {
            let value = self.read_local(rest);
            args.push(Arg { kind: ArgKind::Splat, value: self.emit(Op::Splat(value)) });
        }
        for local in &params.post {
            args.push(Arg { kind: ArgKind::Plain, value: self.read_local(*local) });
        }
        for (name, local, _) in &params.keywords {
            let kind = ArgKind::Keyword(self.name(name));
            args.push(Arg { kind, value: self.read_local(*local) });
        }
        if let Some(rest) = params.keyword_rest {
            args.push(Arg { kind: ArgKind::KeywordSplat, value: self.read_local(rest) });
        }
        args
    }

    pub(super) fn sync(&mut self, sync: &'a ast::Sync) -> Value {
        let mut read = Vec::new();
        for node in &sync.read {
            if let Kind::Local(local) = node.kind {
                let value = self.read_local(local);
                read.push((Local(local.0), value, sync.written.contains(&local)));
            }
        }
        let given = sync.given.iter().map(|(local, plain)| (Local(local.0), *plain)).collect();
        let number = self.builder.code.syncs.len() as u32;
        self.builder.code.syncs.push(SyncData { text: sync.text, read, given });
        let run = self.emit(Op::Sync(number));
        for local in &sync.written {
            let value = self.emit(Op::Synced { sync: run, local: Local(local.0) });
            self.write_local(*local, value);
        }
        self.emit(Op::Nil)
    }

    // ---- made of values --------------------------------------------------------------------------------------------

    pub(super) fn string(&mut self, parts: &'a [StringPart]) -> Value {
        let text = |s: &mut Self, text: &str, frozen| {
            let text = s.name(text);
            s.emit(Op::Text { text, frozen })
        };
        match parts {
            [] => return text(self, "", false),
            [StringPart::Text(only)] => return text(self, only, false),
            [StringPart::Frozen(only)] => return text(self, only, true),
            _ => {}
        }
        let mut texts = Vec::new();
        for part in parts {
            texts.push(match part {
                StringPart::Text(part) | StringPart::Frozen(part) => text(self, part, true),
                StringPart::Expression(node) => {
                    let value = self.value(node);
                    self.emit(Op::ToString(value))
                }
            });
        }
        let texts = self.builder.list(&texts);
        self.emit(Op::Concat(texts))
    }

    pub(super) fn array(&mut self, items: &'a [Node]) -> Value {
        let items = self.arguments(items);
        let items = self.builder.args(&items);
        self.emit(Op::Array(items))
    }
}

/// How a call of what that node gives is written.
pub(super) const fn call_kind(receiver: &Node) -> CallKind {
    match receiver.kind {
        Kind::SelfRef => CallKind::Own,
        _ => CallKind::Method,
    }
}
