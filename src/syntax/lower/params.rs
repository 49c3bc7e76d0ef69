//! Scopes: parameter lists and bodies of the code itself and of the blocks nested in it.

use super::refusals;
use super::{Collected, Lowering, Scope, text};
use crate::source::Span;
use crate::syntax::ast::{BlockLiteral, Kind, LocalId, Multiple, Node, Params, Target};
use ruby_prism::{self as prism, Node as P};

/// The name, which no program can write, of the parameter behind `it`; `it = 1` beside it makes another local.
const IT: &str = "0it";
/// The names of the parameters `*`, `**` and `&` without a name.
pub(super) const ANONYMOUS_REST: &str = "*";
pub(super) const ANONYMOUS_KEYWORDS: &str = "**";
pub(super) const ANONYMOUS_BLOCK: &str = "&";

/// A scope lowered.
pub(super) struct Lowered {
    pub params: Params,
    pub body: Node,
    pub own_locals: Vec<LocalId>,
}

impl Lowering<'_> {
    /// Parameters and body in a scope of their own.
    pub(super) fn scope(
        &mut self,
        locals: &prism::ConstantList<'_>,
        parameters: Option<P<'_>>,
        body: Option<P<'_>>,
        span: Span,
    ) -> Lowered {
        self.scopes.push(Scope::default());
        let params = match parameters {
            Some(parameters) => self.parameters(&parameters, locals),
            None => {
                self.declare_all(locals);
                Params::default()
            }
        };
        let collects = params.keyword_rest;
        let body = self.optional(body.as_ref(), span);
        let mut params = params;
        if collects.is_some() && self.collected.last().is_some_and(|last| Some(last.keywords) == collects) {
            self.end_collected(&mut params);
        }
        let own_locals = self.scopes.pop().map(|scope| scope.own).unwrap_or_default();
        Lowered { params, body, own_locals }
    }

    pub(super) fn block_literal(
        &mut self,
        locals: &prism::ConstantList<'_>,
        parameters: Option<P<'_>>,
        body: Option<P<'_>>,
        span: Span,
    ) -> BlockLiteral {
        let Lowered { params, body, own_locals } = self.scope(locals, parameters, body, span);
        let depth = self.blocks_around();
        BlockLiteral { id: self.id(), span, opened: span, params, body, own_locals, depth }
    }

    /// In how many blocks a block stands that stands here, with itself.
    pub(super) fn blocks_around(&self) -> u32 {
        self.scopes.len() as u32 + self.fors
    }

    fn declare_all(&mut self, locals: &prism::ConstantList<'_>) {
        for name in locals.iter() {
            self.declare(&text(&name));
        }
    }

    fn parameters(&mut self, parameters: &P<'_>, locals: &prism::ConstantList<'_>) -> Params {
        if parameters.as_it_parameters_node().is_some() {
            let it = self.declare(IT);
            if let Some(name) = self.locals.get_mut(it.0 as usize) {
                *name = "it".into();
            }
            self.declare_all(locals);
            return Params { required: vec![it], ..Params::default() };
        }
        if let Some(numbered) = parameters.as_numbered_parameters_node() {
            let required =
                (1..=numbered.maximum()).map(|number| self.declare(&format!("_{number}"))).collect();
            self.declare_all(locals);
            return Params { required, ..Params::default() };
        }
        self.declare_all(locals);
        let list = match parameters.as_block_parameters_node() {
            Some(block) => block.parameters(),
            None => parameters.as_parameters_node(),
        };
        list.map_or_else(Params::default, |list| self.parameter_list(&list))
    }

    fn parameter_list(&mut self, list: &prism::ParametersNode<'_>) -> Params {
        let mut params = Params::default();
        params.required = self.required_parameters(&list.requireds(), &mut params.destructured);
        for optional in &list.optionals() {
            if let Some(optional) = optional.as_optional_parameter_node() {
                if optional.is_repeated_parameter() {
                    // Its default would become the value of the first of that name.
                    let span = self.span(&optional.location());
                    self.refuse(&refusals::SYNTAX_KIND, span);
                }
                let local = self.parameter(&optional.name(), optional.is_repeated_parameter());
                let default = self.default_value(&optional.value());
                params.optional.push((local, default));
            }
        }
        match list.rest() {
            None => {}
            Some(rest) if rest.as_implicit_rest_node().is_some() => params.trailing_comma = true,
            Some(rest) => match rest.as_rest_parameter_node() {
                Some(rest) => {
                    let repeated = rest.is_repeated_parameter();
                    params.rest = Some(match rest.name() {
                        Some(name) => self.parameter(&name, repeated),
                        None => self.declare(ANONYMOUS_REST),
                    });
                }
                None => {
                    self.unexpected(&rest);
                }
            },
        }
        params.post = self.required_parameters(&list.posts(), &mut params.destructured);
        for keyword in &list.keywords() {
            if let Some(keyword) = keyword.as_required_keyword_parameter_node() {
                let local = self.parameter(&keyword.name(), keyword.is_repeated_parameter());
                params.keywords.push((text(&keyword.name()), local, None));
            } else if let Some(keyword) = keyword.as_optional_keyword_parameter_node() {
                let local = self.parameter(&keyword.name(), keyword.is_repeated_parameter());
                let default = self.default_value(&keyword.value());
                params.keywords.push((text(&keyword.name()), local, Some(default)));
            } else {
                self.unexpected(&keyword);
            }
        }
        match list.keyword_rest() {
            None => {}
            Some(P::ForwardingParameterNode { .. }) => {
                params.rest = Some(self.declare(ANONYMOUS_REST));
                params.keyword_rest = Some(self.declare(ANONYMOUS_KEYWORDS));
                params.block = Some(self.declare(ANONYMOUS_BLOCK));
            }
            Some(P::NoKeywordsParameterNode { .. }) => params.no_keywords = true,
            Some(rest) => match rest.as_keyword_rest_parameter_node() {
                Some(rest) => {
                    params.keyword_rest = Some(match rest.name() {
                        Some(name) => {
                            let keywords = self.parameter(&name, rest.is_repeated_parameter());
                            self.begin_collected(keywords);
                            keywords
                        }
                        None => self.declare(ANONYMOUS_KEYWORDS),
                    });
                }
                None => {
                    self.unexpected(&rest);
                }
            },
        }
        if let Some(block) = list.block() {
            match block.as_block_parameter_node() {
                Some(block) => {
                    params.block = Some(match block.name() {
                        Some(name) => self.parameter(&name, block.is_repeated_parameter()),
                        None => self.declare(ANONYMOUS_BLOCK),
                    });
                }
                // `&nil`: no block is taken, which is what having no `&block` means to a section.
                None if matches!(block, P::NoBlockParameterNode { .. }) => {}
                None => {
                    self.unexpected(&block);
                }
            }
        }
        params
    }

    fn begin_collected(&mut self, keywords: LocalId) {
        let depth = self.scopes.len();
        self.collected.push(Collected { keywords, hash: None, depth, changes: false, passed_on: None });
    }

    fn end_collected(&mut self, params: &mut Params) {
        let Some(collected) = self.collected.pop() else { return };
        params.keyword_hash = collected.hash;
        params.keywords_change = collected.changes;
        if let (true, Some(span)) = (collected.changes, collected.passed_on) {
            self.refuse(&refusals::CHANGED_KEYWORDS, span);
        }
    }

    /// The local variable for a Hash of keywords, where `local` stands for such. `changes`: it may be changed.
    pub(super) fn hash_of_collected(&mut self, local: LocalId, changes: bool) -> LocalId {
        let Some(at) = self.collected.iter().position(|collected| collected.keywords == local) else {
            return local;
        };
        self.collected[at].changes |= changes;
        if let Some(hash) = self.collected[at].hash {
            return hash;
        }
        let hash = LocalId(self.locals.len() as u32);
        self.locals.push(self.locals[local.0 as usize].clone());
        self.scopes[self.collected[at].depth - 1].own.push(hash);
        self.collected[at].hash = Some(hash);
        hash
    }

    /// The parameter `**rest` that a node names, which is passed on as such.
    pub(super) fn collected_at(&mut self, node: &P<'_>) -> Option<LocalId> {
        let read = node.as_local_variable_read_node()?;
        let local = self.local(&text(&read.name()), read.depth())?;
        let span = self.span(&node.location());
        let collected = self.collected.iter_mut().find(|collected| collected.keywords == local)?;
        collected.passed_on.get_or_insert(span);
        Some(local)
    }

    /// Runs `lower`; what it does with a parameter `**rest` does not change that.
    pub(super) fn without_changes<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let before: Vec<bool> = self.collected.iter().map(|collected| collected.changes).collect();
        let result = lower(self);
        for (collected, changes) in self.collected.iter_mut().zip(before) {
            collected.changes = changes;
        }
        result
    }

    fn default_value(&mut self, value: &P<'_>) -> Node {
        let outer = self.in_default;
        self.in_default |= self.scopes.len() == 1;
        let default = self.expression(value);
        self.in_default = outer;
        default
    }

    /// Locals of required parameters. One that is taken apart has a local without a name, and is noted.
    fn required_parameters(
        &mut self,
        list: &prism::NodeList<'_>,
        destructured: &mut Vec<(LocalId, Multiple)>,
    ) -> Vec<LocalId> {
        let mut locals = Vec::new();
        for parameter in list {
            let span = self.span(&parameter.location());
            locals.push(match self.target(&parameter) {
                Target::Local(local, _) => local,
                Target::Multiple(multiple, _) => {
                    let local = self.fresh_local("");
                    destructured.push((local, *multiple));
                    local
                }
                _ => {
                    self.refuse(&refusals::SYNTAX_KIND, span);
                    self.fresh_local("")
                }
            });
        }
        locals
    }

    /// A parameter's local. Of several parameters called `_`, the name means the first.
    pub(super) fn parameter(&mut self, name: &prism::ConstantId<'_>, repeated: bool) -> LocalId {
        let name = text(name);
        if repeated { self.fresh_local(&name) } else { self.declare(&name) }
    }

    pub(super) fn it(&mut self, location: &prism::Location<'_>) -> Node {
        let local = self.declare(IT);
        let span = self.span(location);
        self.node(span, Kind::Local(local))
    }

    /// `(a, *b, c)`
    pub(super) fn multiple(
        &mut self,
        lefts: &prism::NodeList<'_>,
        rest: Option<P<'_>>,
        rights: &prism::NodeList<'_>,
    ) -> Multiple {
        let before = self.targets(lefts);
        let splat = rest.map(|rest| match rest.as_splat_node() {
            Some(splat) => splat.expression().map(|target| self.target(&target)),
            // `a, = list` drops the surplus like `a, * = list`.
            None => None,
        });
        Multiple { before, splat, after: self.targets(rights) }
    }

    pub(super) fn targets(&mut self, list: &prism::NodeList<'_>) -> Vec<Target> {
        list.iter().map(|target| self.target(&target)).collect()
    }

    /// What prism only makes of incomplete code, or a construct younger than this table.
    pub(super) fn unexpected(&mut self, node: &P<'_>) -> Node {
        let span = self.span(&node.location());
        match node {
            P::ErrorRecoveryNode { .. } => self.refuse(&refusals::SYNTAX, span),
            _ => self.refuse(&refusals::SYNTAX_KIND, span),
        }
    }

    /// A node where there is one, else `nil` with the span of what surrounds it.
    pub(super) fn optional(&mut self, node: Option<&P<'_>>, around: Span) -> Node {
        match node {
            Some(node) => self.expression(node),
            None => self.node(around, Kind::Nil),
        }
    }
}
