//! One level of descent over a prism node. [`Visit::visit`] as generated recurses without a bound and with a stack
//! frame of several kilobytes; this table lets the finder look first and go down afterwards, in small frames.

use ruby_prism::{self as prism, Node, Visit};

macro_rules! descend_table {
    ($($variant:ident, $cast:ident, $visit:ident;)*) => {
        /// Calls `visitor.visit` for each child of `node`.
        pub(super) fn descend<'pr, V: Visit<'pr>>(visitor: &mut V, node: &Node<'pr>) {
            match node {
                $(Node::$variant { .. } => {
                    #[inline(never)]
                    fn children<'pr, V: Visit<'pr>>(visitor: &mut V, node: &Node<'pr>) {
                        if let Some(node) = node.$cast() {
                            prism::$visit(visitor, &node);
                        }
                    }
                    children(visitor, node);
                })*
                // Leaves: literals, reads of variables and the like.
                _ => {}
            }
        }
    };
}

descend_table! {
    AliasGlobalVariableNode, as_alias_global_variable_node, visit_alias_global_variable_node;
    AliasMethodNode, as_alias_method_node, visit_alias_method_node;
    AlternationPatternNode, as_alternation_pattern_node, visit_alternation_pattern_node;
    AndNode, as_and_node, visit_and_node;
    ArgumentsNode, as_arguments_node, visit_arguments_node;
    ArrayNode, as_array_node, visit_array_node;
    ArrayPatternNode, as_array_pattern_node, visit_array_pattern_node;
    AssocNode, as_assoc_node, visit_assoc_node;
    AssocSplatNode, as_assoc_splat_node, visit_assoc_splat_node;
    BeginNode, as_begin_node, visit_begin_node;
    BlockArgumentNode, as_block_argument_node, visit_block_argument_node;
    BlockNode, as_block_node, visit_block_node;
    BlockParametersNode, as_block_parameters_node, visit_block_parameters_node;
    BreakNode, as_break_node, visit_break_node;
    CallAndWriteNode, as_call_and_write_node, visit_call_and_write_node;
    CallNode, as_call_node, visit_call_node;
    CallOperatorWriteNode, as_call_operator_write_node, visit_call_operator_write_node;
    CallOrWriteNode, as_call_or_write_node, visit_call_or_write_node;
    CallTargetNode, as_call_target_node, visit_call_target_node;
    CapturePatternNode, as_capture_pattern_node, visit_capture_pattern_node;
    CaseMatchNode, as_case_match_node, visit_case_match_node;
    CaseNode, as_case_node, visit_case_node;
    ClassNode, as_class_node, visit_class_node;
    ClassVariableAndWriteNode, as_class_variable_and_write_node, visit_class_variable_and_write_node;
    ClassVariableOperatorWriteNode, as_class_variable_operator_write_node, visit_class_variable_operator_write_node;
    ClassVariableOrWriteNode, as_class_variable_or_write_node, visit_class_variable_or_write_node;
    ClassVariableWriteNode, as_class_variable_write_node, visit_class_variable_write_node;
    ConstantAndWriteNode, as_constant_and_write_node, visit_constant_and_write_node;
    ConstantOperatorWriteNode, as_constant_operator_write_node, visit_constant_operator_write_node;
    ConstantOrWriteNode, as_constant_or_write_node, visit_constant_or_write_node;
    ConstantPathAndWriteNode, as_constant_path_and_write_node, visit_constant_path_and_write_node;
    ConstantPathNode, as_constant_path_node, visit_constant_path_node;
    ConstantPathOperatorWriteNode, as_constant_path_operator_write_node, visit_constant_path_operator_write_node;
    ConstantPathOrWriteNode, as_constant_path_or_write_node, visit_constant_path_or_write_node;
    ConstantPathTargetNode, as_constant_path_target_node, visit_constant_path_target_node;
    ConstantPathWriteNode, as_constant_path_write_node, visit_constant_path_write_node;
    ConstantWriteNode, as_constant_write_node, visit_constant_write_node;
    DefNode, as_def_node, visit_def_node;
    DefinedNode, as_defined_node, visit_defined_node;
    ElseNode, as_else_node, visit_else_node;
    EmbeddedStatementsNode, as_embedded_statements_node, visit_embedded_statements_node;
    EmbeddedVariableNode, as_embedded_variable_node, visit_embedded_variable_node;
    EnsureNode, as_ensure_node, visit_ensure_node;
    ErrorRecoveryNode, as_error_recovery_node, visit_error_recovery_node;
    FindPatternNode, as_find_pattern_node, visit_find_pattern_node;
    FlipFlopNode, as_flip_flop_node, visit_flip_flop_node;
    ForNode, as_for_node, visit_for_node;
    ForwardingSuperNode, as_forwarding_super_node, visit_forwarding_super_node;
    GlobalVariableAndWriteNode, as_global_variable_and_write_node, visit_global_variable_and_write_node;
    GlobalVariableOperatorWriteNode, as_global_variable_operator_write_node, visit_global_variable_operator_write_node;
    GlobalVariableOrWriteNode, as_global_variable_or_write_node, visit_global_variable_or_write_node;
    GlobalVariableWriteNode, as_global_variable_write_node, visit_global_variable_write_node;
    HashNode, as_hash_node, visit_hash_node;
    HashPatternNode, as_hash_pattern_node, visit_hash_pattern_node;
    IfNode, as_if_node, visit_if_node;
    ImaginaryNode, as_imaginary_node, visit_imaginary_node;
    ImplicitNode, as_implicit_node, visit_implicit_node;
    InNode, as_in_node, visit_in_node;
    IndexAndWriteNode, as_index_and_write_node, visit_index_and_write_node;
    IndexOperatorWriteNode, as_index_operator_write_node, visit_index_operator_write_node;
    IndexOrWriteNode, as_index_or_write_node, visit_index_or_write_node;
    IndexTargetNode, as_index_target_node, visit_index_target_node;
    InstanceVariableAndWriteNode, as_instance_variable_and_write_node, visit_instance_variable_and_write_node;
    InstanceVariableOperatorWriteNode, as_instance_variable_operator_write_node, visit_instance_variable_operator_write_node;
    InstanceVariableOrWriteNode, as_instance_variable_or_write_node, visit_instance_variable_or_write_node;
    InstanceVariableWriteNode, as_instance_variable_write_node, visit_instance_variable_write_node;
    InterpolatedMatchLastLineNode, as_interpolated_match_last_line_node, visit_interpolated_match_last_line_node;
    InterpolatedRegularExpressionNode, as_interpolated_regular_expression_node, visit_interpolated_regular_expression_node;
    InterpolatedStringNode, as_interpolated_string_node, visit_interpolated_string_node;
    InterpolatedSymbolNode, as_interpolated_symbol_node, visit_interpolated_symbol_node;
    InterpolatedXStringNode, as_interpolated_x_string_node, visit_interpolated_x_string_node;
    KeywordHashNode, as_keyword_hash_node, visit_keyword_hash_node;
    LambdaNode, as_lambda_node, visit_lambda_node;
    LocalVariableAndWriteNode, as_local_variable_and_write_node, visit_local_variable_and_write_node;
    LocalVariableOperatorWriteNode, as_local_variable_operator_write_node, visit_local_variable_operator_write_node;
    LocalVariableOrWriteNode, as_local_variable_or_write_node, visit_local_variable_or_write_node;
    LocalVariableWriteNode, as_local_variable_write_node, visit_local_variable_write_node;
    MatchPredicateNode, as_match_predicate_node, visit_match_predicate_node;
    MatchRequiredNode, as_match_required_node, visit_match_required_node;
    MatchWriteNode, as_match_write_node, visit_match_write_node;
    ModuleNode, as_module_node, visit_module_node;
    MultiTargetNode, as_multi_target_node, visit_multi_target_node;
    MultiWriteNode, as_multi_write_node, visit_multi_write_node;
    NextNode, as_next_node, visit_next_node;
    OptionalKeywordParameterNode, as_optional_keyword_parameter_node, visit_optional_keyword_parameter_node;
    OptionalParameterNode, as_optional_parameter_node, visit_optional_parameter_node;
    OrNode, as_or_node, visit_or_node;
    ParametersNode, as_parameters_node, visit_parameters_node;
    ParenthesesNode, as_parentheses_node, visit_parentheses_node;
    PinnedExpressionNode, as_pinned_expression_node, visit_pinned_expression_node;
    PinnedVariableNode, as_pinned_variable_node, visit_pinned_variable_node;
    PostExecutionNode, as_post_execution_node, visit_post_execution_node;
    PreExecutionNode, as_pre_execution_node, visit_pre_execution_node;
    ProgramNode, as_program_node, visit_program_node;
    RangeNode, as_range_node, visit_range_node;
    RescueModifierNode, as_rescue_modifier_node, visit_rescue_modifier_node;
    RescueNode, as_rescue_node, visit_rescue_node;
    ReturnNode, as_return_node, visit_return_node;
    ShareableConstantNode, as_shareable_constant_node, visit_shareable_constant_node;
    SingletonClassNode, as_singleton_class_node, visit_singleton_class_node;
    SplatNode, as_splat_node, visit_splat_node;
    StatementsNode, as_statements_node, visit_statements_node;
    SuperNode, as_super_node, visit_super_node;
    UndefNode, as_undef_node, visit_undef_node;
    UnlessNode, as_unless_node, visit_unless_node;
    UntilNode, as_until_node, visit_until_node;
    WhenNode, as_when_node, visit_when_node;
    WhileNode, as_while_node, visit_while_node;
    YieldNode, as_yield_node, visit_yield_node;
}
