//! The table of prism's expressions: which method lowers each, and which have no place in a section.

use super::calls::operands;
use super::refusals;
use super::targets::operator;
use super::{Lowering, text};
use crate::source::Span;
use crate::syntax::ast::{AssignOp, Kind, Node, Target};
use crate::syntax::parse::constant_path;
use ruby_prism::Node as P;

/// Global variables that belong to a frame or a thread, or that change by themselves, and those for input and output,
/// with their names in `English`.
const SPECIAL_GLOBALS: &[&str] = &[
    "$!",
    "$@",
    "$_",
    "$?",
    "$.",
    "$<",
    "$>",
    "$stdin",
    "$stdout",
    "$stderr",
    "$ERROR_INFO",
    "$ERROR_POSITION",
    "$LAST_MATCH_INFO",
    "$LAST_READ_LINE",
    "$LAST_PAREN_MATCH",
    "$MATCH",
    "$PREMATCH",
    "$POSTMATCH",
    "$CHILD_STATUS",
    "$INPUT_LINE_NUMBER",
    "$NR",
    "$DEFAULT_INPUT",
    "$DEFAULT_OUTPUT",
];

/// Those of them that are read as any other.
const STREAMS: &[&str] = &["$stdout", "$stderr", "$>"];

/// Those that Ruby looks at, with their names in `English`.
const HOOKED_GLOBALS: &[&str] = &[
    "$DEBUG",
    "$VERBOSE",
    "$PROGRAM_NAME",
    "$LOAD_PATH",
    "$LOADED_FEATURES",
    "$FILENAME",
    "$ARGV",
    "$FS",
    "$FIELD_SEPARATOR",
    "$OFS",
    "$OUTPUT_FIELD_SEPARATOR",
    "$RS",
    "$INPUT_RECORD_SEPARATOR",
    "$ORS",
    "$OUTPUT_RECORD_SEPARATOR",
    "$PID",
    "$PROCESS_ID",
];

/// Matches a node's variant and binds the node of that class. Each arm is a closure of its own, so
/// that the recursion of lowering has small frames.
macro_rules! lower_table {
    ($lowering:ident, $node:ident; $($variant:ident $cast:ident($bound:ident) => $lower:expr,)* ; else $otherwise:expr) => {
        match $node {
            $(P::$variant { .. } => {
                let arm = |$lowering: &mut Self| $node.$cast().map(|$bound| $lower);
                match arm($lowering) {
                    Some(lowered) => lowered,
                    None => $lowering.unexpected($node),
                }
            })*
            _ => $otherwise,
        }
    };
}

impl Lowering<'_> {
    pub(super) fn expression(&mut self, node: &P<'_>) -> Node {
        let span = self.span(&node.location());
        match self.deeper(span, |this| this.expression_at(node, span)) {
            Some(lowered) => lowered,
            None => self.node(span, Kind::Nil),
        }
    }

    fn expression_at(&mut self, node: &P<'_>, span: Span) -> Node {
        let this = self;
        lower_table! { this, node;
            // Literals
            IntegerNode as_integer_node(n) => this.integer(&n),
            RationalNode as_rational_node(n) => this.rational(&n),
            ImaginaryNode as_imaginary_node(n) => this.imaginary(&n),
            FloatNode as_float_node(n) => this.node(span, Kind::Float(n.value())),
            SymbolNode as_symbol_node(n) => this.symbol(&n),
            StringNode as_string_node(n) => this.string(&n),
            RegularExpressionNode as_regular_expression_node(n) => this.regexp(&n),
            InterpolatedStringNode as_interpolated_string_node(n) => this.interpolated_string(&n),
            InterpolatedSymbolNode as_interpolated_symbol_node(n) => this.interpolated_symbol(&n),
            InterpolatedRegularExpressionNode as_interpolated_regular_expression_node(n) => this.interpolated_regexp(&n),
            SourceFileNode as_source_file_node(n) => this.source_file(&n.location()),
            SourceLineNode as_source_line_node(n) => this.source_line(&n.location()),
            ArrayNode as_array_node(n) => this.array(&n.elements(), &n.location()),
            HashNode as_hash_node(n) => this.hash(&n.elements(), &n.location()),
            KeywordHashNode as_keyword_hash_node(n) => this.hash(&n.elements(), &n.location()),
            RangeNode as_range_node(n) => this.range(&n),

            // Variables and constants
            LocalVariableReadNode as_local_variable_read_node(n) => this.local_read(&n.name(), n.depth(), &n.location()),
            ItLocalVariableReadNode as_it_local_variable_read_node(n) => this.it(&n.location()),
            InstanceVariableReadNode as_instance_variable_read_node(n) => this.node(span, Kind::Ivar(this.variable_name(&n.name()))),
            GlobalVariableReadNode as_global_variable_read_node(n) => this.global(text(&n.name()), span),
            ClassVariableReadNode as_class_variable_read_node(n) => {
                this.node(span, Kind::ClassVariable(text(&n.name())))
            },
            ConstantReadNode as_constant_read_node(n) => this.constant(&n.as_node(), span),
            ConstantPathNode as_constant_path_node(n) => this.constant(&n.as_node(), span),

            // Assignments
            LocalVariableWriteNode as_local_variable_write_node(n) => {
                let name_span = this.span(&n.name_loc());
                let target = this.local_target(&n.name(), n.depth(), name_span);
                this.assign(target, &n.value(), &n.location())
            },
            LocalVariableOperatorWriteNode as_local_variable_operator_write_node(n) => {
                let name_span = this.span(&n.name_loc());
                let target = this.local_target(&n.name(), n.depth(), name_span);
                this.op_assign(target, operator(&n.binary_operator()), &n.value(), &n.location())
            },
            LocalVariableOrWriteNode as_local_variable_or_write_node(n) => {
                let name_span = this.span(&n.name_loc());
                let target = this.local_target(&n.name(), n.depth(), name_span);
                this.op_assign(target, AssignOp::Or, &n.value(), &n.location())
            },
            LocalVariableAndWriteNode as_local_variable_and_write_node(n) => {
                let name_span = this.span(&n.name_loc());
                let target = this.local_target(&n.name(), n.depth(), name_span);
                this.op_assign(target, AssignOp::And, &n.value(), &n.location())
            },
            InstanceVariableWriteNode as_instance_variable_write_node(n) => {
                let target = this.ivar_target(&n.name(), &n.name_loc());
                this.assign(target, &n.value(), &n.location())
            },
            InstanceVariableOperatorWriteNode as_instance_variable_operator_write_node(n) => {
                let target = this.ivar_target(&n.name(), &n.name_loc());
                this.op_assign(target, operator(&n.binary_operator()), &n.value(), &n.location())
            },
            InstanceVariableOrWriteNode as_instance_variable_or_write_node(n) => {
                let target = this.ivar_target(&n.name(), &n.name_loc());
                this.op_assign(target, AssignOp::Or, &n.value(), &n.location())
            },
            InstanceVariableAndWriteNode as_instance_variable_and_write_node(n) => {
                let target = this.ivar_target(&n.name(), &n.name_loc());
                this.op_assign(target, AssignOp::And, &n.value(), &n.location())
            },
            GlobalVariableWriteNode as_global_variable_write_node(n) => {
                let place = this.span(&n.name_loc());
                let target = this.global_target(&n.name(), place);
                this.assign(target, &n.value(), &n.location())
            },
            GlobalVariableOperatorWriteNode as_global_variable_operator_write_node(n) => {
                let place = this.span(&n.name_loc());
                let target = this.global_target(&n.name(), place);
                this.op_assign(target, operator(&n.binary_operator()), &n.value(), &n.location())
            },
            GlobalVariableOrWriteNode as_global_variable_or_write_node(n) => {
                let place = this.span(&n.name_loc());
                let target = this.global_target(&n.name(), place);
                this.op_assign(target, AssignOp::Or, &n.value(), &n.location())
            },
            GlobalVariableAndWriteNode as_global_variable_and_write_node(n) => {
                let place = this.span(&n.name_loc());
                let target = this.global_target(&n.name(), place);
                this.op_assign(target, AssignOp::And, &n.value(), &n.location())
            },
            ClassVariableWriteNode as_class_variable_write_node(n) => {
                let target = Target::ClassVariable(text(&n.name()), this.span(&n.name_loc()));
                this.assign(target, &n.value(), &n.location())
            },
            ClassVariableOperatorWriteNode as_class_variable_operator_write_node(n) => {
                let target = Target::ClassVariable(text(&n.name()), this.span(&n.name_loc()));
                this.op_assign(target, operator(&n.binary_operator()), &n.value(), &n.location())
            },
            ClassVariableOrWriteNode as_class_variable_or_write_node(n) => {
                let target = Target::ClassVariable(text(&n.name()), this.span(&n.name_loc()));
                this.op_assign(target, AssignOp::Or, &n.value(), &n.location())
            },
            ClassVariableAndWriteNode as_class_variable_and_write_node(n) => {
                let target = Target::ClassVariable(text(&n.name()), this.span(&n.name_loc()));
                this.op_assign(target, AssignOp::And, &n.value(), &n.location())
            },
            IndexOperatorWriteNode as_index_operator_write_node(n) => {
                let target_span = this.up_to(&n.location(), &n.closing_loc());
                let target = this.index_target(n.receiver(), operands(n.arguments()), n.block(), target_span);
                this.op_assign(target, operator(&n.binary_operator()), &n.value(), &n.location())
            },
            IndexOrWriteNode as_index_or_write_node(n) => {
                let target_span = this.up_to(&n.location(), &n.closing_loc());
                let target = this.index_target(n.receiver(), operands(n.arguments()), n.block(), target_span);
                this.op_assign(target, AssignOp::Or, &n.value(), &n.location())
            },
            IndexAndWriteNode as_index_and_write_node(n) => {
                let target_span = this.up_to(&n.location(), &n.closing_loc());
                let target = this.index_target(n.receiver(), operands(n.arguments()), n.block(), target_span);
                this.op_assign(target, AssignOp::And, &n.value(), &n.location())
            },
            CallOperatorWriteNode as_call_operator_write_node(n) => {
                let end = n.message_loc().unwrap_or_else(|| n.location());
                let target_span = this.up_to(&n.location(), &end);
                let target = this.attribute_target(n.receiver(), &text(&n.read_name()), n.is_safe_navigation(), target_span);
                this.op_assign(target, operator(&n.binary_operator()), &n.value(), &n.location())
            },
            CallOrWriteNode as_call_or_write_node(n) => {
                let end = n.message_loc().unwrap_or_else(|| n.location());
                let target_span = this.up_to(&n.location(), &end);
                let target = this.attribute_target(n.receiver(), &text(&n.read_name()), n.is_safe_navigation(), target_span);
                this.op_assign(target, AssignOp::Or, &n.value(), &n.location())
            },
            CallAndWriteNode as_call_and_write_node(n) => {
                let end = n.message_loc().unwrap_or_else(|| n.location());
                let target_span = this.up_to(&n.location(), &end);
                let target = this.attribute_target(n.receiver(), &text(&n.read_name()), n.is_safe_navigation(), target_span);
                this.op_assign(target, AssignOp::And, &n.value(), &n.location())
            },
            MultiWriteNode as_multi_write_node(n) => this.multi_assign(&n),

            // Calls
            CallNode as_call_node(n) => this.call(&n),
            SuperNode as_super_node(n) => this.super_call(&n),
            ForwardingSuperNode as_forwarding_super_node(n) => this.bare_super(&n),
            YieldNode as_yield_node(n) => this.yield_call(&n),
            LambdaNode as_lambda_node(n) => this.lambda(&n),
            SplatNode as_splat_node(n) => this.splat(&n),
            ImplicitNode as_implicit_node(n) => this.expression(&n.value()),

            // Control
            StatementsNode as_statements_node(n) => this.statements(&n),
            ParenthesesNode as_parentheses_node(n) => this.optional(n.body().as_ref(), span),
            BeginNode as_begin_node(n) => this.begin(&n),
            AndNode as_and_node(n) => {
                let (left, right) = (this.expression(&n.left()), this.expression(&n.right()));
                this.node(span, Kind::And(Box::new(left), Box::new(right)))
            },
            OrNode as_or_node(n) => {
                let (left, right) = (this.expression(&n.left()), this.expression(&n.right()));
                this.node(span, Kind::Or(Box::new(left), Box::new(right)))
            },
            IfNode as_if_node(n) => this.if_node(&n),
            FlipFlopNode as_flip_flop_node(n) => this.flip_flop(&n),
            DefinedNode as_defined_node(n) => this.defined(&n.value(), span),
            UnlessNode as_unless_node(n) => this.unless_node(&n),
            CaseNode as_case_node(n) => {
                let case = this.case(&n);
                this.matching(case)
            },
            CaseMatchNode as_case_match_node(n) => {
                let case = this.case_in(&n);
                this.matching(case)
            },
            MatchPredicateNode as_match_predicate_node(n) => {
                let matches = this.match_predicate(&n);
                this.matching(matches)
            },
            MatchRequiredNode as_match_required_node(n) => {
                let matches = this.match_required(&n);
                this.matching(matches)
            },
            MatchWriteNode as_match_write_node(n) => this.match_write(&n),
            NumberedReferenceReadNode as_numbered_reference_read_node(n) => this.numbered_reference(&n),
            BackReferenceReadNode as_back_reference_read_node(n) => this.back_reference(&n),
            WhileNode as_while_node(n) => this.while_node(&n),
            UntilNode as_until_node(n) => this.until_node(&n),
            ForNode as_for_node(n) => this.for_loop(&n),
            BreakNode as_break_node(n) => {
                let value = this.jump_value(n.arguments());
                this.node(span, Kind::Break(value))
            },
            NextNode as_next_node(n) => {
                let value = this.jump_value(n.arguments());
                this.node(span, Kind::Next(value))
            },
            ReturnNode as_return_node(n) => {
                let value = this.jump_value(n.arguments());
                this.node(span, Kind::Return(value))
            },
            RetryNode as_retry_node(_n) => this.node(span, Kind::Retry),
            RescueModifierNode as_rescue_modifier_node(n) => this.rescue_modifier(&n),
            ShareableConstantNode as_shareable_constant_node(n) => this.expression(&n.write()),
            ; else this.plain_or_refused(node, span)
        }
    }

    /// Nodes without parts, and all that is refused.
    fn plain_or_refused(&mut self, node: &P<'_>, span: Span) -> Node {
        let refusal = match node {
            P::NilNode { .. } => return self.node(span, Kind::Nil),
            P::TrueNode { .. } => return self.node(span, Kind::True),
            P::FalseNode { .. } => return self.node(span, Kind::False),
            P::SelfNode { .. } => return self.node(span, Kind::SelfRef),

            P::SourceEncodingNode { .. } => refusals::ENCODING,
            P::MatchLastLineNode { .. } | P::InterpolatedMatchLastLineNode { .. } => refusals::REGEXP,
            P::XStringNode { .. } | P::InterpolatedXStringNode { .. } => refusals::COMMAND,

            P::ConstantWriteNode { .. }
            | P::ConstantOperatorWriteNode { .. }
            | P::ConstantOrWriteNode { .. }
            | P::ConstantAndWriteNode { .. }
            | P::ConstantPathWriteNode { .. }
            | P::ConstantPathOperatorWriteNode { .. }
            | P::ConstantPathOrWriteNode { .. }
            | P::ConstantPathAndWriteNode { .. } => refusals::CONSTANT_ASSIGNMENT,

            P::RedoNode { .. } => refusals::REDO,
            P::PreExecutionNode { .. } | P::PostExecutionNode { .. } => refusals::BEGIN_END,

            P::DefNode { .. } => refusals::DEF,
            P::ClassNode { .. } | P::ModuleNode { .. } | P::SingletonClassNode { .. } => refusals::CLASS,
            P::AliasMethodNode { .. } | P::AliasGlobalVariableNode { .. } => refusals::ALIAS,
            P::UndefNode { .. } => refusals::UNDEF,

            P::ForwardingArgumentsNode { .. } => refusals::FORWARDING,
            _ => return self.unexpected(node),
        };
        self.unsupported(&refusal, span)
    }

    fn global(&mut self, name: String, span: Span) -> Node {
        if name == "$~" {
            return self.match_read(span);
        }
        if let ("$!", Some(Some((error, read_at)))) = (name.as_str(), self.handled.last_mut()) {
            *read_at = Some(span);
            let error = *error;
            return self.node(span, Kind::Local(error));
        }
        if is_special_global(&name) && !STREAMS.contains(&name.as_str()) {
            return self.unsupported(&refusals::SPECIAL_GLOBAL, span);
        }
        self.node(span, Kind::Global(name))
    }

    fn constant(&mut self, node: &P<'_>, span: Span) -> Node {
        match constant_path(node) {
            Some((path, absolute)) => self.node(span, Kind::Constant { path, absolute }),
            None => self.constant_of(node, span),
        }
    }

    /// A path that begins with a value.
    fn constant_of(&mut self, node: &P<'_>, span: Span) -> Node {
        let Some(mut innermost) = node.as_constant_path_node() else { return self.unexpected(node) };
        let mut path = Vec::new();
        loop {
            path.extend(innermost.name().map(|name| text(&name)));
            match innermost.parent() {
                Some(parent) => match parent.as_constant_path_node() {
                    Some(outer) => innermost = outer,
                    None => {
                        path.reverse();
                        let module = Box::new(self.expression(&parent));
                        return self.node(span, Kind::ConstantOf { module, path });
                    }
                },
                None => return self.unexpected(node),
            }
        }
    }
}

/// Does its assignment do more than to keep a value?
pub(super) fn is_hooked_global(name: &str) -> bool {
    let is_plain = name[1..].starts_with(|first: char| first.is_alphabetic() || first == '_');
    !is_plain || HOOKED_GLOBALS.contains(&name) || is_special_global(name)
}

pub(super) fn is_special_global(name: &str) -> bool {
    SPECIAL_GLOBALS.contains(&name)
}
