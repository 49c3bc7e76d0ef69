//! Method calls: receivers, arguments, blocks, `super` and `yield`; and assignments that are calls (`a.x = 1`).

use super::params::{ANONYMOUS_BLOCK, ANONYMOUS_KEYWORDS, ANONYMOUS_REST};
use super::refusals;
use super::sync;
use super::{Lowering, text};
use crate::source::Span;
use crate::syntax::ast::{BARE_HASH, BlockArg, Call, KeywordArg, Kind, METHOD_AROUND, Node, StringPart};
use ruby_prism::{self as prism, Node as P};

/// Methods of a Hash that neither change it nor give it.
const READS: &[&str] = &[
    "[]",
    "fetch",
    "dig",
    "key?",
    "has_key?",
    "include?",
    "member?",
    "value?",
    "key",
    "size",
    "length",
    "count",
    "empty?",
    "any?",
    "all?",
    "none?",
    "nil?",
    "==",
    "!=",
    "keys",
    "values",
    "values_at",
    "fetch_values",
    "to_a",
    "map",
    "flat_map",
    "filter_map",
    "sum",
    "find",
    "inject",
    "reduce",
    "min_by",
    "max_by",
    "sort_by",
    "group_by",
    "partition",
    "select",
    "filter",
    "reject",
    "slice",
    "except",
    "merge",
    "transform_values",
    "invert",
];

impl Lowering<'_> {
    pub(super) fn call(&mut self, call: &prism::CallNode<'_>) -> Node {
        let span = self.span(&call.location());
        if call.is_attribute_write() {
            return self.attribute_write(call, span);
        }
        if sync::is_sync(call) {
            return self.sync(call);
        }
        let name = self.method_name(&call.name());
        let bare = call.arguments().is_none() && call.block().is_none();
        if name == "!"
            && bare
            && !call.is_safe_navigation()
            && let Some(receiver) = call.receiver()
        {
            let negated = Box::new(self.expression(&receiver));
            return self.node(span, Kind::Not(negated));
        }
        if name == "__method__" && bare && call.receiver().is_none() {
            return match self.method.clone() {
                Some(method) => self.node(span, Kind::Symbol(method)),
                None => {
                    self.captured_read(METHOD_AROUND);
                    self.node(span, Kind::Captured(METHOD_AROUND.into()))
                }
            };
        }
        // `a.()` has no name to point at.
        let name_location = call.message_loc().or_else(|| call.call_operator_loc());
        let name_span = name_location.map_or(span, |location| self.span(&location));
        let receiver = call.receiver().map(|receiver| match receiver {
            P::LocalVariableReadNode { .. } if READS.contains(&&*name) => {
                self.without_changes(|s| s.expression(&receiver))
            }
            _ => self.expression(&receiver),
        });
        // Ruby's compiler makes a frozen literal of it, which is one object.
        if matches!(&*name, "freeze" | "-@")
            && bare
            && let Some(Node { kind: Kind::String(parts), .. }) = &receiver
            && let Some(text) = plain_text(parts)
        {
            let text = text.to_string();
            return self.node(span, Kind::String(vec![StringPart::Frozen(text)]));
        }
        let args = self.arguments(call.arguments());
        // A lambda may run when another error is handled, or none.
        let outer = matches!(&*name, "lambda" | "proc" | "new").then(|| std::mem::take(&mut self.handled));
        let block =
            self.with_match_of_its_own(&name, |s| s.block_of(call.arguments(), call.block().as_ref()));
        if let Some(outer) = outer {
            self.handled = outer;
        }
        let call = Call {
            receiver,
            name,
            name_span,
            args,
            block,
            safe: call.is_safe_navigation(),
            variable: call.is_variable_call(),
        };
        let name = call.name.clone();
        let call = self.node(span, Kind::Call(Box::new(call)));
        self.matching_call(&name, call)
    }

    /// `receiver.name = value` and `receiver[args] = value`
    fn attribute_write(&mut self, call: &prism::CallNode<'_>, span: Span) -> Node {
        let name = text(&call.name());
        let mut operands = operands(call.arguments());
        let value = operands.pop();
        let target = if name == "[]=" {
            let end = call.closing_loc().unwrap_or_else(|| call.location());
            let target_span = self.up_to(&call.location(), &end);
            let block = call.block().and_then(|block| block.as_block_argument_node());
            self.index_target(call.receiver(), operands, block, target_span)
        } else {
            let end = call.message_loc().unwrap_or_else(|| call.location());
            let target_span = self.up_to(&call.location(), &end);
            self.attribute_target(call.receiver(), &name, call.is_safe_navigation(), target_span)
        };
        let value = Box::new(self.optional(value.as_ref(), span));
        let assignment = self.node(span, Kind::Assign { target: Box::new(target), value });
        self.matching_assignment(name == "[]=", assignment)
    }

    pub(super) fn arguments(&mut self, arguments: Option<prism::ArgumentsNode<'_>>) -> Vec<Node> {
        self.argument_list(operands(arguments))
    }

    pub(super) fn argument_list(&mut self, arguments: Vec<P<'_>>) -> Vec<Node> {
        let mut nodes = Vec::new();
        for argument in &arguments {
            if let Some(keywords) = argument.as_keyword_hash_node() {
                nodes.push(self.keyword_args(&keywords));
            } else if is_forwarding(argument) {
                let span = self.span(&argument.location());
                let rest = Box::new(self.anonymous(ANONYMOUS_REST, span));
                let keywords = self.anonymous(ANONYMOUS_KEYWORDS, span);
                nodes.push(self.node(span, Kind::Splat(rest)));
                nodes.push(self.node(span, Kind::KeywordArgs(vec![KeywordArg::Splat(keywords)])));
            } else {
                nodes.push(self.expression(argument));
            }
        }
        nodes
    }

    /// What the parameter `*`, `**` or `&` without a name holds.
    fn anonymous(&mut self, name: &str, span: Span) -> Node {
        match self.visible(name) {
            Some(local) => self.node(span, Kind::Local(local)),
            None => self.unsupported(&refusals::FORWARDING, span),
        }
    }

    fn keyword_args(&mut self, keywords: &prism::KeywordHashNode<'_>) -> Node {
        let is_keyword = |element: &P<'_>| {
            element.as_assoc_node().is_none_or(|pair| pair.key().as_symbol_node().is_some())
        };
        if !keywords.elements().iter().all(|element| is_keyword(&element)) {
            let hash = self.hash(&keywords.elements(), &keywords.location());
            return self.node(hash.span, Kind::KeywordArgs(vec![KeywordArg::Pair(BARE_HASH.into(), hash)]));
        }
        let mut pairs = Vec::new();
        for element in &keywords.elements() {
            let span = self.span(&element.location());
            let Some(pair) = element.as_assoc_node() else {
                let splat = element.as_assoc_splat_node().and_then(|splat| splat.value());
                let passed_on = splat.as_ref().and_then(|splat| self.collected_at(splat));
                pairs.push(KeywordArg::Splat(match splat {
                    _ if passed_on.is_some() => {
                        let span = self.span(&element.location());
                        let local = passed_on.unwrap_or(crate::syntax::ast::LocalId(0));
                        self.node(span, Kind::Local(local))
                    }
                    Some(value) => self.expression(&value),
                    None => self.anonymous(ANONYMOUS_KEYWORDS, span),
                }));
                continue;
            };
            if let Some(key) = pair.key().as_symbol_node() {
                let name = self.utf8(key.unescaped(), span);
                let value = self.expression(&pair.value());
                pairs.push(KeywordArg::Pair(name, value));
            }
        }
        let span = self.span(&keywords.location());
        self.node(span, Kind::KeywordArgs(pairs))
    }

    pub(super) fn splat(&mut self, splat: &prism::SplatNode<'_>) -> Node {
        let span = self.span(&splat.location());
        let expression = match splat.expression() {
            Some(expression) => self.expression(&expression),
            None => self.anonymous(ANONYMOUS_REST, span),
        };
        self.node(span, Kind::Splat(Box::new(expression)))
    }

    /// The block of a call with these arguments: `...` passes one on.
    fn block_of(
        &mut self,
        arguments: Option<prism::ArgumentsNode<'_>>,
        block: Option<&P<'_>>,
    ) -> Option<BlockArg> {
        let forwarding = operands(arguments).into_iter().find(is_forwarding);
        let Some(forwarding) = forwarding.filter(|_| block.is_none()) else { return self.block_arg(block) };
        let span = self.span(&forwarding.location());
        Some(BlockArg::Expression(Box::new(self.anonymous(ANONYMOUS_BLOCK, span))))
    }

    pub(super) fn block_arg(&mut self, block: Option<&P<'_>>) -> Option<BlockArg> {
        let block = block?;
        let span = self.span(&block.location());
        if let Some(block) = block.as_block_node() {
            let literal = self.block_literal(&block.locals(), block.parameters(), block.body(), span);
            return Some(BlockArg::Literal(std::sync::Arc::new(literal)));
        }
        let Some(argument) = block.as_block_argument_node() else {
            self.unexpected(block);
            return None;
        };
        let Some(expression) = argument.expression() else {
            return Some(BlockArg::Expression(Box::new(self.anonymous(ANONYMOUS_BLOCK, span))));
        };
        Some(match expression.as_symbol_node() {
            Some(symbol) => {
                let span = self.span(&symbol.location());
                BlockArg::Symbol(self.utf8(symbol.unescaped(), span), span)
            }
            None => BlockArg::Expression(Box::new(self.expression(&expression))),
        })
    }

    pub(super) fn super_call(&mut self, call: &prism::SuperNode<'_>) -> Node {
        let args = Some(self.arguments(call.arguments()));
        let block = self.block_of(call.arguments(), call.block().as_ref());
        let span = self.span(&call.location());
        self.node(span, Kind::Super { args, block })
    }

    pub(super) fn bare_super(&mut self, call: &prism::ForwardingSuperNode<'_>) -> Node {
        let block = self.block_arg(call.block().map(|block| block.as_node()).as_ref());
        let span = self.span(&call.location());
        if self.in_default {
            // Versions of Ruby differ in what it passes there.
            return self.unsupported(&refusals::SUPER_IN_DEFAULT, span);
        }
        self.node(span, Kind::Super { args: None, block })
    }

    pub(super) fn yield_call(&mut self, call: &prism::YieldNode<'_>) -> Node {
        self.yields = true;
        let args = self.arguments(call.arguments());
        let span = self.span(&call.location());
        self.node(span, Kind::Yield(args))
    }

    pub(super) fn lambda(&mut self, lambda: &prism::LambdaNode<'_>) -> Node {
        let span = self.span(&lambda.location());
        // As above.
        let handled = std::mem::take(&mut self.handled);
        let mut literal = self.block_literal(&lambda.locals(), lambda.parameters(), lambda.body(), span);
        self.handled = handled;
        literal.opened.start = self.span(&lambda.opening_loc()).start;
        self.node(span, Kind::Lambda(std::sync::Arc::new(literal)))
    }
}

/// Is it `...`?
fn is_forwarding(argument: &P<'_>) -> bool {
    matches!(argument, P::ForwardingArgumentsNode { .. })
}

/// The nodes of an argument list, which prism leaves out when it is empty.
pub(super) fn operands(arguments: Option<prism::ArgumentsNode<'_>>) -> Vec<P<'_>> {
    arguments.map_or_else(Vec::new, |list| list.arguments().iter().collect())
}

/// The text of a literal without interpolation.
fn plain_text(parts: &[StringPart]) -> Option<&str> {
    match parts {
        [] => Some(""),
        [StringPart::Text(text)] => Some(text),
        _ => None,
    }
}
