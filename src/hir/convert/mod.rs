//! From the AST to blocks. A [`Converter`] makes one code; block literals and lambdas in it have converters of their own.

mod assign;
mod calls;
mod control;
mod patterns;
mod rescue;

use super::builder::{Builder, Goal, Join};
use super::code::{
    Code, CodeId, CodeKind, DiagnosticId, ErrorUse, Hir, Local, LocalData, Name, Params, Source, Terminator,
    Value,
};
use super::op::{Asked, Op, Variable};
use super::scopes::{self, Scopes};
use super::verify;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, BlockLiteral, Kind, LocalId, Node, NodeId};
use control::Frame;
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations of a code with all that is nested in it. Only code that stands on many ways through an `ensure` grows so
/// large.
const MAX_VALUES: usize = 1 << 20;

/// The HIR of a code, or why it has none: only that it is too large.
pub fn convert(code: &ast::Code) -> Result<Hir, Diagnostic> {
    let mut shared = Shared {
        code,
        scopes: Scopes::of(code),
        hir: Hir::default(),
        names: FxHashMap::default(),
        literals: FxHashMap::default(),
        values: 0,
        too_large: None,
    };
    for (number, name) in (0..).zip(&code.locals) {
        let local = LocalId(number);
        let name = shared.name(name);
        let is_object = code.error_objects.contains(&local);
        let use_of_it = if is_object { ErrorUse::Object } else { ErrorUse::Asked };
        let error = code.errors.contains(&local).then_some(use_of_it);
        shared.hir.locals.push(LocalData { name, is_cell: shared.scopes.is_cell(local), error });
    }
    let nesting = code.nesting.iter();
    shared.hir.nesting = nesting.map(|module| module.as_deref().map(|name| shared.name(name))).collect();
    shared.hir.in_binding = code.in_binding;
    let kind = match code.kind {
        ast::CodeKind::Method => CodeKind::Method,
        ast::CodeKind::Block => CodeKind::Block,
        ast::CodeKind::Lambda => CodeKind::Lambda,
    };
    let source = Source { span: code.span, node: code.body.id };
    let name = shared.name(&code.name);
    shared.convert(Piece {
        kind,
        name,
        source,
        params: &code.params,
        body: &code.body,
        literal: None,
        outer: None,
    });
    if let Some(span) = shared.too_large {
        return Err(Diagnostic::new("section-too-large", span, "the ways through its `ensure` are too many"));
    }
    let hir = shared.hir;
    if cfg!(debug_assertions)
        && let Err(what) = verify::verify(&hir)
    {
        panic!("{what}, in\n{}", super::print(&hir));
    }
    Ok(hir)
}

/// What the converters of a code have in common.
struct Shared<'a> {
    code: &'a ast::Code,
    scopes: Scopes,
    hir: Hir,
    names: FxHashMap<String, Name>,
    /// The codes of block literals, each of which is made once, on however many ways it stands.
    literals: FxHashMap<NodeId, CodeId>,
    /// Operations made so far.
    values: usize,
    too_large: Option<Span>,
}

/// What a converter makes a code of.
struct Piece<'a> {
    kind: CodeKind,
    name: Name,
    source: Source,
    params: &'a ast::Params,
    body: &'a Node,
    literal: Option<NodeId>,
    outer: Option<CodeId>,
}

impl<'a> Shared<'a> {
    fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        let name = Name(self.hir.names.len() as u32);
        self.hir.names.push(text.into());
        self.names.insert(text.into(), name);
        name
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) -> DiagnosticId {
        self.hir.diagnostics.push(diagnostic);
        DiagnosticId(self.hir.diagnostics.len() as u32 - 1)
    }

    fn convert(&mut self, piece: Piece<'a>) -> CodeId {
        let id = CodeId(self.hir.codes.len() as u32);
        let empty = |piece: &Piece<'a>| Code {
            kind: piece.kind,
            name: piece.name,
            span: piece.source.span,
            outer: piece.outer,
            params: Params::default(),
            captures: Vec::new(),
            values: Vec::new(),
            blocks: Vec::new(),
            operands: Vec::new(),
            args: Vec::new(),
            syncs: Vec::new(),
            keys: Vec::new(),
        };
        // Codes are numbered in the order of the text.
        self.hir.codes.push(empty(&piece));
        let builder = Builder::new(empty(&piece), self.code.locals.len(), piece.source);
        let (control, cells) = (Vec::new(), FxHashSet::default());
        let mut converter =
            Converter { id, shared: self, builder, control, cells, last: None, last_of_next: None };
        converter.begin(&piece);
        let value = converter.value(piece.body);
        converter.at(piece.source);
        converter.builder.end(Terminator::Return(value));
        let code = super::finish::finish(converter.builder);
        self.values += code.values.len();
        self.hir.codes[id.index()] = code;
        id
    }

    /// The code of a block literal or lambda.
    fn literal(&mut self, literal: &'a BlockLiteral, kind: CodeKind, outer: CodeId) -> CodeId {
        if let Some(code) = self.literals.get(&literal.id) {
            return *code;
        }
        let code = self.convert(Piece {
            kind,
            name: self.hir.codes[outer.index()].name,
            source: Source { span: literal.span, node: literal.id },
            params: &literal.params,
            body: &literal.body,
            literal: Some(literal.id),
            outer: Some(outer),
        });
        self.literals.insert(literal.id, code);
        code
    }
}

/// Makes one code.
struct Converter<'s, 'a> {
    id: CodeId,
    shared: &'s mut Shared<'a>,
    builder: Builder,
    /// What `break`, `next`, `return` and `retry` lead to or through, innermost last.
    control: Vec<Frame<'a>>,
    /// The locals that are in cells here.
    cells: FxHashSet<LocalId>,
    /// The local that gets what the present node matches, and that for the next one.
    last: Option<LocalId>,
    last_of_next: Option<LocalId>,
}

impl<'a> Converter<'_, 'a> {
    /// The entry: `self`, parameters and captures; then cells, defaults, and what is taken apart.
    fn begin(&mut self, piece: &Piece<'a>) {
        let params = piece.params;
        self.builder.code.params = self.params(params);
        self.builder.param(None);
        let locals: Vec<LocalId> = scopes::locals_of_params(params).collect();
        let values: Vec<Value> = locals.iter().map(|local| self.builder.param(Some(*local))).collect();
        if let Some(literal) = piece.literal {
            for local in self.shared.scopes.captures(literal).to_vec() {
                let value = self.builder.param(Some(local));
                self.builder.set_local(local, value);
                self.cells.extend(self.shared.scopes.is_cell(local).then_some(local));
                self.builder.code.captures.push(Local(local.0));
            }
        }
        let with_default = |local: LocalId| {
            params.optional.iter().any(|(of, _)| *of == local)
                || params.keywords.iter().any(|(_, of, default)| *of == local && default.is_some())
        };
        let nil = self.emit(Op::Nil);
        for local in self.shared.scopes.own(piece.literal).collect::<Vec<_>>() {
            let given = locals.iter().position(|of| *of == local).filter(|_| !with_default(local));
            let first = given.map_or(nil, |at| values[at]);
            self.builder.set_local(local, first);
            if self.shared.scopes.is_cell_at_entry(local) {
                self.make_cell(local);
            }
        }
        let optional = params.optional.iter().map(|(local, default)| (*local, default));
        let keywords =
            params.keywords.iter().filter_map(|(_, local, default)| Some((*local, default.as_ref()?)));
        for (local, default) in optional.chain(keywords) {
            let given = locals.iter().position(|of| *of == local).map_or(nil, |at| values[at]);
            self.default(local, given, default);
        }
        for (local, targets) in &params.destructured {
            let value = self.read_local(*local);
            self.take_apart(targets, value);
        }
    }

    fn params(&mut self, params: &ast::Params) -> Params {
        let keywords = params.keywords.iter();
        Params {
            required: params.required.len() as u32,
            optional: params.optional.len() as u32,
            rest: params.rest.is_some(),
            post: params.post.len() as u32,
            keywords: keywords
                .map(|(name, _, default)| (self.shared.name(name), default.is_none()))
                .collect(),
            keyword_rest: params.keyword_rest.is_some(),
            keyword_hash: params.keyword_hash.is_some(),
            keywords_change: params.keywords_change,
            no_keywords: params.no_keywords,
            block: params.block.is_some(),
            trailing_comma: params.trailing_comma,
        }
    }

    /// An optional parameter gets the argument, or its default.
    fn default(&mut self, local: LocalId, argument: Value, default: &'a Node) {
        let (yes, no, end) = (self.join(), self.join(), self.join());
        let given = self.emit(Op::Given(argument));
        self.builder.branch(given, goal(yes), goal(no));
        self.builder.enter(yes);
        self.write_local(local, argument);
        self.builder.jump(goal(end));
        self.builder.enter(no);
        let value = self.value(default);
        self.write_local(local, value);
        self.builder.jump(goal(end));
        self.builder.enter(end);
    }

    // ---- what all parts use ----------------------------------------------------------------------------------------

    fn emit(&mut self, op: Op) -> Value {
        self.builder.emit(op)
    }

    fn join(&mut self) -> Join {
        self.builder.join()
    }

    /// What is emitted now is of there.
    const fn at(&mut self, source: Source) {
        self.builder.source = source;
    }

    fn name(&mut self, text: &str) -> Name {
        self.shared.name(text)
    }

    fn self_value(&self) -> Value {
        Value(0)
    }

    fn unsupported(&mut self, diagnostic: Diagnostic) -> Value {
        let diagnostic = self.shared.diagnostic(diagnostic);
        self.emit(Op::Unsupported(diagnostic))
    }

    /// What stands where the language has no place for it, which only an incomplete AST has.
    fn misplaced(&mut self, what: &str) -> Value {
        let span = self.builder.source.span;
        self.unsupported(Diagnostic::new("unsupported-syntax", span, format!("{what} cannot stand here")))
    }

    /// Has it become a cell?
    fn is_in_cell(&self, local: LocalId) -> bool {
        self.cells.contains(&local)
    }

    fn make_cell(&mut self, local: LocalId) {
        let Some(value) = self.builder.local(local) else { return };
        let cell = self.emit(Op::Cell(Local(local.0), value));
        self.builder.set_local(local, cell);
        self.cells.insert(local);
    }

    /// Makes the cells of what nested code may get from a node on.
    fn make_cells(&mut self, node: NodeId) {
        for at in 0..self.shared.scopes.made_at(node).len() {
            let local = self.shared.scopes.made_at(node)[at];
            if !self.is_in_cell(local) {
                self.make_cell(local);
            }
        }
    }

    fn read_local(&mut self, local: LocalId) -> Value {
        match self.builder.local(local) {
            Some(cell) if self.is_in_cell(local) => self.emit(Op::Load(cell)),
            Some(value) => value,
            None => self.emit(Op::Nil),
        }
    }

    fn write_local(&mut self, local: LocalId, value: Value) {
        match self.builder.local(local) {
            Some(cell) if self.is_in_cell(local) => {
                self.emit(Op::Store(cell, value));
            }
            _ => self.builder.set_local(local, value),
        }
    }

    /// The constant path as one name.
    fn path(&mut self, path: &[String]) -> Name {
        let path = path.join("::");
        self.name(&path)
    }

    // ---- expressions -----------------------------------------------------------------------------------------------

    /// The value of an expression.
    fn value(&mut self, node: &'a Node) -> Value {
        match self.eval(node, true) {
            Some(value) => value,
            None => self.emit(Op::Nil),
        }
    }

    /// An expression whose value nobody wants.
    fn effect(&mut self, node: &'a Node) {
        self.eval(node, false);
    }

    /// An expression; where its value is not `wanted`, it may have none.
    fn eval(&mut self, node: &'a Node, wanted: bool) -> Option<Value> {
        if self.builder.is_dead() {
            return None;
        }
        let around = self.enter_node(node);
        let value = self.eval_here(node, wanted);
        self.leave_node(around);
        value
    }

    fn enter_node(&mut self, node: &Node) -> (Source, Option<LocalId>) {
        let around = (self.builder.source, self.last);
        self.at(Source { span: node.span, node: node.id });
        self.last = self.last_of_next.take();
        self.make_cells(node.id);
        around
    }

    const fn leave_node(&mut self, (source, last): (Source, Option<LocalId>)) {
        self.at(source);
        self.last = last;
    }

    fn eval_here(&mut self, node: &'a Node, wanted: bool) -> Option<Value> {
        Some(match &node.kind {
            Kind::If { condition, then, otherwise } => {
                return self.if_else(condition, then, otherwise, wanted);
            }
            Kind::And(left, right) => return self.and_or(left, right, true, wanted),
            Kind::Or(left, right) => return self.and_or(left, right, false, wanted),
            Kind::Case { subject, whens, otherwise } => {
                return self.case(subject.as_deref(), whens, otherwise.as_deref(), wanted);
            }
            Kind::CaseIn { subject, clauses, otherwise } => {
                return self.case_in(subject, clauses, otherwise.as_deref(), wanted);
            }
            Kind::While { condition, negated, body_first, body } => {
                return self.while_loop(condition, *negated, *body_first, body, wanted);
            }
            Kind::Begin(begin) => return self.begin_node(begin, wanted),
            Kind::Sequence(nodes) => {
                let (last, before) = nodes.split_last()?;
                before.iter().for_each(|node| self.effect(node));
                return self.eval(last, wanted);
            }
            Kind::Matching(last, inner) => {
                self.last_of_next = Some(*last);
                return self.eval(inner, wanted);
            }
            Kind::Retry | Kind::Break(_) | Kind::Next(_) | Kind::Return(_) => {
                self.leave(&node.kind);
                return None;
            }
            Kind::Assign { target, value } => return self.assign(target, value, wanted),
            Kind::OpAssign { target, op, value } => return self.op_assign(target, op, value, wanted),
            Kind::MultiAssign { targets, value, .. } => return self.multi_assign(targets, value, wanted),
            Kind::Matches { value, pattern } => self.matches(value, pattern),
            Kind::Not(inner) => {
                let value = self.value(inner);
                self.call("!", value, &[])
            }
            Kind::Yield(args) => self.yield_call(args),
            Kind::Super { args, block } => self.super_call(args.as_deref(), block.as_ref()),
            Kind::Call(call) => return self.call_node(call, wanted),
            Kind::Sync(sync) => self.sync(sync),
            Kind::Defined { what, asked } => self.defined(what, asked.as_deref()),
            _ => self.simple(node),
        })
    }

    /// Literals, variables and what is made of values alone.
    fn simple(&mut self, node: &'a Node) -> Value {
        let op = match &node.kind {
            Kind::Unsupported(diagnostic) => return self.unsupported((**diagnostic).clone()),
            Kind::Nil => Op::Nil,
            Kind::True => Op::True,
            Kind::False => Op::False,
            Kind::SelfRef => return self.self_value(),
            Kind::Integer(value) => Op::Integer(*value),
            Kind::Float(value) => Op::Float(*value),
            Kind::Symbol(name) => Op::Symbol(self.name(name)),
            Kind::Regexp(source, options) => Op::Regexp { source: self.name(source), options: *options },
            Kind::String(parts) => return self.string(parts),
            Kind::Array(items) => return self.array(items),
            Kind::Range { low, high, exclusive } => {
                let low = low.as_deref().map(|low| self.value(low));
                let high = high.as_deref().map(|high| self.value(high));
                Op::Range { low, high, exclusive: *exclusive }
            }
            Kind::Local(local) => return self.read_local(*local),
            Kind::Captured(name) => Op::Get(Variable::Outer(self.name(name))),
            Kind::Ivar(name) => Op::Get(Variable::Instance(self.name(name))),
            Kind::Global(name) => Op::Get(Variable::Global(self.name(name))),
            Kind::ClassVariable(name) => Op::Get(Variable::Class(self.name(name))),
            Kind::Constant { path, absolute } => Op::Constant { path: self.path(path), absolute: *absolute },
            Kind::ConstantOf { module, path } => {
                let module = self.value(module);
                Op::ConstantOf { module, path: self.path(path) }
            }
            Kind::Lambda(literal) => self.closure(literal, CodeKind::Lambda),
            Kind::Splat(_) | Kind::KeywordArgs(_) => return self.misplaced("a splat or keyword argument"),
            _ => return self.misplaced("this"),
        };
        self.emit(op)
    }

    fn defined(&mut self, what: &'static str, asked: Option<&'a Node>) -> Value {
        let asked = match asked.map(|node| &node.kind) {
            None => Asked::Always,
            Some(Kind::Yield(_)) => Asked::Yield,
            Some(Kind::Constant { path, absolute }) => {
                Asked::Constant { path: self.path(path), absolute: *absolute }
            }
            Some(Kind::Ivar(name)) => Asked::Variable(Variable::Instance(self.name(name))),
            Some(Kind::Call(call)) => return self.defined_method(what, call),
            Some(_) => return self.misplaced("this, within `defined?`,"),
        };
        self.emit(Op::Defined { what, asked })
    }

    /// Where the receiver is a constant, that has to be defined, too.
    fn defined_method(&mut self, what: &'static str, call: &'a ast::Call) -> Value {
        let name = self.name(&call.name);
        let own = call.receiver.as_ref().is_none_or(|receiver| matches!(receiver.kind, Kind::SelfRef));
        let end = self.join();
        if let Some(Kind::Constant { path, absolute }) = call.receiver.as_ref().map(|receiver| &receiver.kind)
        {
            let asked = Asked::Constant { path: self.path(path), absolute: *absolute };
            let found = self.emit(Op::Defined { what: "constant", asked });
            let there = self.join();
            self.builder.branch(found, goal(there), Goal { join: end, value: Some(found) });
            self.builder.enter(there);
        }
        let receiver = match &call.receiver {
            Some(receiver) => self.value(receiver),
            None => self.self_value(),
        };
        let value = self.emit(Op::Defined { what, asked: Asked::Method { receiver, name, own } });
        self.builder.jump(Goal { join: end, value: Some(value) });
        self.builder.enter(end).unwrap_or(value)
    }
}

/// A way to a join that brings no value.
const fn goal(join: Join) -> Goal {
    Goal { join, value: None }
}
