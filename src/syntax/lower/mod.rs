//! From prism's nodes to the AST. One [`Lowering`] numbers the nodes and locals of one [`Code`] and collects every
//! reason why it cannot run; a construct without a place in the AST is recorded and becomes `nil`.

mod calls;
mod control;
mod defined;
mod errors;
mod expressions;
mod literals;
mod matches;
mod params;
mod patterns;
pub(super) mod refusals;
mod sync;
mod targets;

use super::CodeError;
use super::ast::{Code, CodeKind, Kind, LocalId, Node, NodeId};
use super::parse::{Callable, FoundCode, error_within};
use crate::diagnostic::Diagnostic;
use crate::reserve;
use crate::source::{FileId, SourceFile, Span};
use matches::LastMatch;
use refusals::Refusal;
use ruby_prism::{self as prism};
use std::collections::HashMap;

/// Levels of nesting in one [`Code`]. What comes after recurses over the AST, on whatever stack the caller has.
const MAX_DEPTH: u32 = 250;

/// The AST of what the finder found, or all reasons why there is none.
pub(super) fn code(
    source: &SourceFile,
    file: FileId,
    tree: &prism::ParseResult<'_>,
    found: &FoundCode<'_>,
    primitive: Option<char>,
) -> Result<Code, CodeError> {
    let location = found.callable.location();
    if let Some(error) = error_within(tree, &location, file) {
        return Err(CodeError::Unsupported(vec![error]));
    }
    if let Some((start, end)) = found.using {
        let span = Span { file, start, end };
        return Err(CodeError::Unsupported(vec![refusals::REFINEMENT.at(span)]));
    }
    let mut lowering = Lowering { primitive, ..Lowering::new(source, file) };
    let span = lowering.span(&location);
    lowering.keeps_matches = lowering.reads_matches(span);
    let (kind, name, scope) = match &found.callable {
        Callable::Block { node, lambda } => {
            let kind = if *lambda { CodeKind::Lambda } else { CodeKind::Block };
            (kind, "block".into(), lowering.scope(&node.locals(), node.parameters(), node.body(), span))
        }
        Callable::Lambda(node) => {
            let scope = lowering.scope(&node.locals(), node.parameters(), node.body(), span);
            (CodeKind::Lambda, "block".into(), scope)
        }
        Callable::Def(node) => {
            let name = lowering.method_name(&node.name());
            lowering.method = Some(name.clone());
            let parameters = node.parameters().map(|parameters| parameters.as_node());
            let scope = lowering.scope(&node.locals(), parameters, node.body(), span);
            (CodeKind::Method, name, scope)
        }
    };
    // What was reached afterwards was left out.
    reserve::check_memory()?;
    let body = match kind {
        CodeKind::Method => scope.body,
        CodeKind::Block | CodeKind::Lambda => lowering.begin_section_matches(scope.body),
    };
    lowering.note_assigned_by_syncs();
    if !lowering.diagnostics.is_empty() {
        // All is said at once.
        lowering.diagnostics.append(&mut lowering.unsupported);
        lowering.diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.slug));
        return Err(CodeError::Unsupported(lowering.diagnostics));
    }
    let mut code = Code {
        kind,
        name,
        span,
        params: scope.params,
        body,
        locals: lowering.locals,
        nodes: lowering.nodes,
        captured_reads: lowering.captured_reads,
        captured_writes: lowering.captured_writes,
        errors: lowering.errors,
        error_objects: Vec::new(),
        yields: lowering.yields,
        nesting: found.nesting.clone(),
        in_binding: false,
    };
    code.error_objects = errors::objects(&code);
    Ok(code)
}

/// The diagnostic for a place beyond the depth that is looked at.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    refusals::TOO_DEEP.at(span)
}

/// The state of lowering one [`Code`].
struct Lowering<'s> {
    source: &'s SourceFile,
    file: FileId,
    /// What names that begin with two underscores begin with instead.
    primitive: Option<char>,
    /// The name of the method, where the code is one.
    method: Option<String>,
    /// The scopes between the code and the present node, by name; the code's own scope comes first.
    scopes: Vec<Scope>,
    /// The `for` loops around the present node, which are blocks for Ruby, without locals of their own.
    fors: u32,
    locals: Vec<String>,
    nodes: u32,
    depth: u32,
    /// Within a default value of the method's own parameters?
    in_default: bool,
    captured_reads: Vec<String>,
    captured_writes: Vec<(String, Span)>,
    /// Locals of enclosing scopes that blocks of `Ikra.sync` assign.
    assigned_by_syncs: Vec<(String, Span)>,
    errors: Vec<LocalId>,
    /// The local that `$!` is, in each `rescue` around the present node, innermost last, and where it was read last.
    handled: Vec<Option<(LocalId, Option<Span>)>>,
    /// Is what a pattern has matched looked at later? And the local that holds it.
    keeps_matches: bool,
    last_match: LastMatch,
    /// The parameters `**rest` of the scopes, innermost last.
    collected: Vec<Collected>,
    yields: bool,
    diagnostics: Vec<Diagnostic>,
    /// What is said of expressions that cannot run.
    unsupported: Vec<Diagnostic>,
}

/// A parameter `**rest`. Passed on as such it stands for keywords; everything else is done with a Hash of them.
struct Collected {
    keywords: LocalId,
    hash: Option<LocalId>,
    /// Of the scope.
    depth: usize,
    /// May the Hash be changed?
    changes: bool,
    /// Where it is passed on as `**rest`.
    passed_on: Option<Span>,
}

#[derive(Default)]
struct Scope {
    by_name: HashMap<String, LocalId>,
    own: Vec<LocalId>,
}

impl<'s> Lowering<'s> {
    fn new(source: &'s SourceFile, file: FileId) -> Self {
        Self {
            source,
            file,
            primitive: None,
            method: None,
            scopes: Vec::new(),
            locals: Vec::new(),
            nodes: 0,
            fors: 0,
            depth: 0,
            in_default: false,
            captured_reads: Vec::new(),
            captured_writes: Vec::new(),
            assigned_by_syncs: Vec::new(),
            errors: Vec::new(),
            handled: Vec::new(),
            keeps_matches: false,
            last_match: LastMatch::default(),
            collected: Vec::new(),
            yields: false,
            diagnostics: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    /// The name of a method that is called or defined.
    fn method_name(&self, name: &prism::ConstantId<'_>) -> String {
        let name = text(name);
        match (self.primitive, name.strip_prefix("__")) {
            (Some(first), Some(rest)) => format!("{first}{rest}"),
            _ => name,
        }
    }

    /// The name of an instance variable. One that only our own methods have is no variable of the user's.
    fn variable_name(&self, name: &prism::ConstantId<'_>) -> String {
        let name = text(name);
        match (self.primitive, name.strip_prefix("@__")) {
            (Some(first), Some(rest)) => format!("{first}{rest}"),
            _ => name,
        }
    }

    fn span(&self, location: &prism::Location<'_>) -> Span {
        Span { file: self.file, start: location.start(), end: location.end() }
    }

    fn id(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    fn node(&mut self, span: Span, kind: Kind) -> Node {
        Node { id: self.id(), span, kind }
    }

    /// Records that the code cannot run, whichever way it takes; the `nil` is there while the rest is looked at.
    fn refuse(&mut self, refusal: &Refusal, span: Span) -> Node {
        self.diagnostics.push(refusal.at(span));
        self.node(span, Kind::Nil)
    }

    /// An expression that cannot run.
    fn unsupported(&mut self, refusal: &Refusal, span: Span) -> Node {
        self.unsupported.push(refusal.at(span));
        self.node(span, Kind::Unsupported(Box::new(refusal.at(span))))
    }

    /// Runs `lower` one level deeper; `None`, and a diagnostic, where that is too deep. Where memory ends nothing more is
    /// lowered.
    fn deeper<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if reserve::check_memory().is_err() {
            return None;
        }
        if self.depth == MAX_DEPTH {
            if !self.diagnostics.iter().any(|diagnostic| diagnostic.slug == refusals::TOO_DEEP.slug) {
                self.diagnostics.push(too_deep(span));
            }
            return None;
        }
        self.depth += 1;
        let lowered = lower(self);
        self.depth -= 1;
        Some(lowered)
    }

    /// A local with a number of its own that no name leads to.
    fn fresh_local(&mut self, name: &str) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(name.into());
        if let Some(scope) = self.scopes.last_mut() {
            scope.own.push(id);
        }
        id
    }

    /// The local of that name in the innermost scope.
    fn declare(&mut self, name: &str) -> LocalId {
        self.local(name, 0).unwrap_or_else(|| self.fresh_local(name))
    }

    /// The local of that name in the scope `depth` levels out; `None` beyond the code's own scope.
    fn local(&mut self, name: &str, depth: u32) -> Option<LocalId> {
        let index = self.scopes.len().checked_sub(depth as usize + 1)?;
        let scope = &mut self.scopes[index];
        if let Some(id) = scope.by_name.get(name) {
            return Some(*id);
        }
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(name.into());
        scope.by_name.insert(name.into(), id);
        scope.own.push(id);
        Some(id)
    }

    /// Looks up a name that needs no depth, innermost scope first.
    fn visible(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|scope| scope.by_name.get(name).copied())
    }

    fn captured_read(&mut self, name: &str) {
        if !self.captured_reads.iter().any(|read| read == name) {
            self.captured_reads.push(name.into());
        }
    }
}

/// The text of a name. The source is UTF-8, so nothing is lost.
fn text(name: &prism::ConstantId<'_>) -> String {
    String::from_utf8_lossy(name.as_slice()).into_owned()
}
