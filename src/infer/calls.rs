//! Calls in the source: arguments, blocks, `super`, and calls that are syntax here.

use super::callees::Callee;
use super::characters::{Side, is_equality};
use super::keyword_splats::{Beside, HASH_SPLAT};
use super::operand::Operand;
use super::sites::{class_of, holder};
use super::used_variables::has_break;
use super::{BlockRef, Lowerer, refused};
use crate::ir::{ErrorKind, Missing};
use crate::syntax::ast::{BlockArg, Call, CodeKind, KeywordArg, Kind, Node, StringPart};
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;

/// Arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub positional: Vec<Operand>,
    /// An array whose items are further arguments: how many, is known at run time only.
    pub splat: Option<Operand>,
    pub keywords: Vec<(String, Operand)>,
    /// There is a `**`, which may have passed nothing.
    pub keyword_splat: bool,
    /// What the call gives is dropped.
    pub unused: bool,
}

/// How arguments are given, whatever they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArgumentForm {
    /// The last without a name is an array of further ones.
    pub splat: bool,
    pub keywords: Vec<String>,
    pub keyword_splat: bool,
}

impl ArgumentForm {
    /// A number that is the same in every walk.
    pub(super) fn number(&self) -> u32 {
        let names = self.keywords.iter().flat_map(|name| name.bytes().chain([0]));
        let start = u32::from(self.splat) | u32::from(self.keyword_splat) << 1;
        names.fold(start, |all, byte| all.rotate_left(5) ^ u32::from(byte))
    }
}

impl Arguments {
    /// One more keyword. Of several values for one, the last counts.
    fn add_keyword(&mut self, name: &str, value: Operand) {
        let spread = self.keywords.iter().rposition(|(known, _)| known == HASH_SPLAT);
        match self.keywords.iter().position(|(known, _)| known == name) {
            Some(at) if spread.is_none_or(|spread| spread < at) => self.keywords[at].1 = value,
            Some(at) => {
                self.keywords.remove(at);
                self.keywords.push((name.into(), value));
            }
            None => self.keywords.push((name.into(), value)),
        }
    }

    /// Those without a name, the array of further ones last.
    pub(crate) fn unnamed(&self) -> impl Iterator<Item = &Operand> {
        self.positional.iter().chain(&self.splat)
    }

    /// All, in the order of their form.
    pub(super) fn operands(&self) -> impl Iterator<Item = &Operand> {
        self.unnamed().chain(self.keywords.iter().map(|(_, value)| value))
    }

    pub(super) fn form(&self) -> ArgumentForm {
        ArgumentForm {
            splat: self.splat.is_some(),
            keywords: self.keywords.iter().map(|(name, _)| name.clone()).collect(),
            keyword_splat: self.keyword_splat,
        }
    }

    /// Arguments of a form again.
    pub(super) fn of_form(form: &ArgumentForm, mut operands: Vec<Operand>) -> Self {
        let values = operands.split_off(operands.len() - form.keywords.len());
        let splat = if form.splat { operands.pop() } else { None };
        let keywords = form.keywords.iter().cloned().zip(values).collect();
        Self { positional: operands, splat, keywords, keyword_splat: form.keyword_splat, unused: false }
    }

    /// Is one of them never given?
    pub(crate) fn has_bottom(&self) -> bool {
        self.operands().any(Operand::is_bottom)
    }
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
    /// By a built-in, which means Ruby's own methods of Ruby's own classes ([`super::basic_operations`]), and
    /// asks nobody whether a method is private.
    Core,
}

/// What is said where nil is passed as a block to what is without one an Enumerator, and others where it is none.
const NO_BLOCK: &str =
    "the block is nil here, which makes an Enumerator [unsupported-enumerator]\n  hint: ask for nil before";

impl Lowerer<'_> {
    /// Evaluates arguments; `None` if one never gives a value or is refused.
    pub(crate) fn arguments(&mut self, nodes: &[Node]) -> Option<Arguments> {
        self.arguments_of(nodes, false)
    }

    /// The same, of a method that only looks at Strings where `looks`: literals among them are the same object each time.
    fn arguments_of(&mut self, nodes: &[Node], looks: bool) -> Option<Arguments> {
        let mut arguments = Arguments::default();
        for (i, node) in nodes.iter().enumerate() {
            match &node.kind {
                Kind::Splat(inner) => {
                    let operand = self.expr(inner);
                    self.enter(node);
                    let spread = self.spread(&operand);
                    self.add_splat(&mut arguments, spread, i + 1 == nodes.len());
                }
                Kind::KeywordArgs(pairs) => {
                    for pair in pairs {
                        match pair {
                            KeywordArg::Pair(name, value) => {
                                let value = self.expr(value);
                                arguments.add_keyword(name, value);
                            }
                            KeywordArg::Splat(value) => {
                                let keywords = self.keywords(value);
                                self.enter(node);
                                let splats = pairs.iter().filter(|pair| matches!(pair, KeywordArg::Splat(_)));
                                let beside = match (pairs.len(), splats.count()) {
                                    (1, _) => Beside::Nothing,
                                    (_, 1) => Beside::Keywords,
                                    _ => Beside::Splats,
                                };
                                self.splat_keywords(&mut arguments, &keywords, beside);
                            }
                        }
                    }
                }
                _ => {
                    let literal = if looks { self.shared_literal(node) } else { None };
                    let value = literal.unwrap_or_else(|| self.expr(node));
                    self.enter(node);
                    self.add_argument(&mut arguments, value);
                }
            }
        }
        (!arguments.has_bottom()).then_some(arguments)
    }

    /// What stands after `**`: keywords can be passed on, whatever else is refused.
    fn keywords(&mut self, node: &Node) -> Operand {
        match node.kind {
            Kind::Local(id) => self.local_value(id),
            _ => self.expr(node),
        }
    }

    fn splat_keywords(&mut self, arguments: &mut Arguments, keywords: &Operand, beside: Beside) {
        arguments.keyword_splat = true;
        match keywords.types.single() {
            Some(Type::Record(record)) if record.class == ClassId::HASH && !record.is_hash() => {
                for ((name, _), value) in record.fields.iter().zip(self.tuple_items(keywords)) {
                    arguments.add_keyword(name, value);
                }
            }
            _ => self.splat_hash(arguments, keywords, beside),
        }
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
                && self.frame().code.in_binding
                && let Some(operand) = self.own_root(super::host::RootKey::Captured(call.name.clone()))
            {
                return operand;
            }
        }
        if let Some(Node { kind: Kind::Local(local), .. }) = &call.receiver
            && self.frame().code.errors.contains(local)
            && !self.frame().code.error_objects.contains(local)
            && let Some(caught) = self.handled_in(*local)
        {
            return self.exception_method(node, call, *local, &caught);
        }
        let call_type = match &call.receiver {
            None if call.variable => CallType::Bare,
            None => CallType::Own,
            Some(receiver) if matches!(receiver.kind, Kind::SelfRef) => CallType::Own,
            Some(_) => CallType::Outside,
        };
        let receiver = match &call.receiver {
            Some(receiver) if is_equality(call) => match self.side(receiver) {
                Side::Value(value) => match self.equals_written(node, call, &value) {
                    Some(same) => return Operand::bool(same),
                    None => value,
                },
                Side::Character(left) => return self.equals_character(node, call, left),
            },
            Some(receiver) => {
                let shared = self.literal_stays(&call.name, unused).then(|| self.shared_literal(receiver));
                shared.flatten().unwrap_or_else(|| self.expr(receiver))
            }
            None => self.self_operand(),
        };
        if receiver.is_bottom() {
            return receiver;
        }
        self.enter(node);
        self.note_prefix(call);
        if call.safe {
            return self
                .unless_nil(&receiver, |s, receiver| s.call_on(node, call, &receiver, call_type, unused));
        }
        self.call_on(node, call, &receiver, call_type, unused)
    }

    pub(super) fn call_on(
        &mut self,
        node: &Node,
        call: &Call,
        receiver: &Operand,
        call_type: CallType,
        unused: bool,
    ) -> Operand {
        if call.name == "new"
            && call.args.is_empty()
            && let Some(BlockArg::Literal(literal)) = &call.block
            && super::conditions::module_of(receiver) == Some(ClassId::PROC)
        {
            return self.make_proc(literal, false);
        }
        let looks = self.only_looks(&receiver.types, &call.name);
        let Some(mut arguments) = self.arguments_of(&call.args, looks) else { return Operand::bottom() };
        if self.b.is_dead() {
            return Operand::bottom();
        }
        arguments.unused = unused;
        self.enter(node);
        self.span = call.name_span;
        self.with_block(call.block.as_ref(), None, unused, |s, block| {
            if is_literal_extreme(call, s.host.dialect().arrays_of_literals_are_literals) {
                s.array_literal = Some(s.span);
            }
            let call_type = s.written(&call.name, call_type);
            s.dispatch(receiver, &call.name, &arguments, block, call_type)
        })
    }

    /// Runs a call with the block that is written at it, or else with `own`.
    fn with_block(
        &mut self,
        block: Option<&BlockArg>,
        own: Option<BlockRef>,
        unused: bool,
        call: impl Fn(&mut Self, Option<BlockRef>) -> Operand,
    ) -> Operand {
        match block {
            None => call(self, own),
            Some(BlockArg::Symbol(name, _)) => {
                if self.refuse_symbol_block() {
                    return Operand::bottom();
                }
                let block = self.symbol_block(name.clone());
                call(self, Some(block))
            }
            // A literal block may `break`: the call's value is then the break's.
            Some(BlockArg::Literal(literal)) if has_break(&literal.body) => {
                let span = self.span;
                self.labelled(30, !unused, |s, join| {
                    let block = s.block_literal(literal, Some(join), false);
                    let block = s.outliving_block(literal, block);
                    s.span = span;
                    call(s, Some(block))
                })
            }
            Some(BlockArg::Literal(literal)) => {
                let block = self.block_literal(literal, None, false);
                let block = self.outliving_block(literal, block);
                call(self, Some(block))
            }
            Some(BlockArg::Expression(inner)) => {
                let span = self.span;
                let operand = self.expr(inner);
                if operand.types.len() < 2 {
                    let block = self.block_argument(&operand);
                    return block.map_or_else(Operand::bottom, |block| call(self, block));
                }
                // One of several: the call is another with each.
                self.enter(inner);
                self.switch(&operand, 31, &mut |s, operand| {
                    let block = s.block_argument(&operand);
                    s.span = span;
                    let is_none = matches!(block, Some(None));
                    let result = block.map_or_else(Operand::bottom, |block| call(s, block));
                    // It is nil as far as is known only: `names[i]` is a Symbol.
                    match is_none && result.types.iter().any(|ty| matches!(ty, Type::Enumerator(..))) {
                        true => s.fail(ErrorKind::Unsupported(NO_BLOCK.into()), &[]),
                        false => result,
                    }
                })
            }
        }
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
            "raise" | "fail" | "block_given?" | "binding" | "eval" | "lambda" | "proc"
                if !self.frame().builtin && !self.is_of_kernel(&call.name) =>
            {
                None
            }
            "raise" | "fail" => Some(self.raise(node, call)),
            "block_given?" if self.is_of_block() => Some(self.refuse(refused::block_given())),
            "block_given?" => {
                let given = self.frame().block.is_some();
                let value = self.b.bool(given);
                Some(Operand::bool(value))
            }
            "lambda" | "proc" => match &call.block {
                Some(BlockArg::Literal(literal)) => Some(self.make_proc(literal, call.name == "lambda")),
                _ => None,
            },
            "debugger" | "byebug" if self.is_of_kernel(&call.name) => {
                refused::function(&call.name).map(|refusal| self.refuse(refusal))
            }
            "catch" if self.is_of_kernel("catch") => self.catch(node, call, unused),
            "throw" if self.is_of_kernel("throw") => self.throw(node, call),
            "binding" | "eval" | "instance_eval" => {
                refused::function(&call.name).map(|refusal| self.refuse(refusal))
            }
            _ => None,
        }
    }

    pub(crate) fn super_call(
        &mut self,
        node: &Node,
        args: Option<&[Node]>,
        block: Option<&BlockArg>,
        unused: bool,
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
                Some("write the arguments out: `super()`, or `super(a)`".into()),
            );
        }
        let mut arguments = match args {
            Some(nodes) => match self.arguments(nodes) {
                Some(arguments) => arguments,
                None => return Operand::bottom(),
            },
            None => self.own_arguments(),
        };
        if arguments.has_bottom() || self.b.is_dead() {
            return Operand::bottom();
        }
        arguments.unused = unused;
        self.enter(node);
        let own = self.frame().block.clone();
        self.with_block(block, own, unused, |s, block| {
            let mut groups = Vec::new();
            for ty in &receiver.types.clone() {
                let callee = match s.host.super_method(holder(ty), owner, &name) {
                    Err(refusal) => Callee::Refused(refusal),
                    Ok(None) => Callee::Missing(Missing::Super),
                    Ok(Some(found)) => s.callee_of(ty, &name, found),
                };
                groups.push((TypeSet::from(ty.clone()), callee));
            }
            s.soften(&mut groups);
            s.dispatch_groups(&receiver, &name, &groups, &arguments, block.as_ref())
        })
    }

    /// What a bare `super` passes on: the values that the parameters have now.
    fn own_arguments(&mut self) -> Arguments {
        let code = Rc::clone(&self.frame().code);
        let params = &code.params;
        let mut arguments = Arguments::default();
        for id in params.required.iter().chain(params.optional.iter().map(|(id, _)| id)) {
            arguments.positional.push(self.read_local(*id));
        }
        if let Some(id) = params.rest {
            let rest = self.read_local(id);
            let spread = self.spread(&rest);
            self.add_splat(&mut arguments, spread, params.post.is_empty());
        }
        for (i, id) in params.post.iter().enumerate() {
            let value = self.read_local(*id);
            self.within_slot(i as u32, |s| s.add_argument(&mut arguments, value));
        }
        if let Some(id) = params.keyword_rest {
            let keywords = self.local_value(id);
            self.splat_keywords(&mut arguments, &keywords, Beside::Nothing);
            if params.keywords_change {
                self.refuse_here(
                    "unsupported-keyword-splat",
                    "a bare `super` passes on keywords that are used in other ways than to look them up",
                    Some("write the arguments of `super`".into()),
                );
            }
        }
        for (name, id, _) in &params.keywords {
            let value = self.read_local(*id);
            arguments.add_keyword(name, value);
        }
        arguments
    }
}

/// What to do instead of stopping in the middle of a section.
/// `[a, b].max`, for which MRI has an instruction of its own that compares the other way round than Array#max. Arrays
/// of literals alone, and those with a splat, are arrays like others; `arrays`: an array of literals is a literal itself.
fn is_literal_extreme(call: &Call, arrays: bool) -> bool {
    let Some(Kind::Array(items)) = call.receiver.as_ref().map(|receiver| &receiver.kind) else {
        return false;
    };
    ["min", "max"].contains(&call.name.as_str())
        && call.args.is_empty()
        && call.block.is_none()
        && !call.safe
        && !items.iter().any(|item| matches!(item.kind, Kind::Splat(_)))
        && !items.iter().all(|item| is_static(item, arrays))
}

fn is_static(node: &Node, arrays: bool) -> bool {
    match &node.kind {
        Kind::Nil | Kind::True | Kind::False | Kind::Integer(_) | Kind::Float(_) | Kind::Symbol(_) => true,
        Kind::String(parts) => matches!(parts[..], [StringPart::Frozen(_)]),
        Kind::Array(items) => arrays && items.iter().all(|item| is_static(item, arrays)),
        _ => false,
    }
}
