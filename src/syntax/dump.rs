//! The AST as text, in the manner of s-expressions: for tests, and for people who look at what a section became.
//!
//! `x%0` is local 0, called `x` in the source; `^rate` is a captured local; `@a`, `A::B`, `:a`, `"a"` and numbers are
//! themselves. A call is `(call receiver .name args)`, or `(call name args)` without a receiver.

use super::ast::{
    AssignOp, BlockArg, BlockLiteral, Call, Code, CodeKind, InClause, KeywordArg, Kind, LocalId, Multiple,
    Node, Params, Pattern, PatternKind, StringPart, Target, When,
};
use std::fmt::Write;

const WIDTH: usize = 100;

/// The whole code with its parameters, captured variables and nesting.
pub fn dump(code: &Code) -> String {
    let kind = match code.kind {
        CodeKind::Method => "method",
        CodeKind::Block => "block",
        CodeKind::Lambda => "lambda",
    };
    let printer = Printer { locals: &code.locals };
    let mut items = vec![atom(kind)];
    if code.kind == CodeKind::Method {
        items.push(atom(&code.name));
    }
    if !code.nesting.is_empty() {
        let modules = code.nesting.iter().map(|module| atom(module.as_deref().unwrap_or("?")));
        items.push(form("in", modules));
    }
    if !code.captured_reads.is_empty() {
        items.push(form("reads", code.captured_reads.iter().map(|name| atom(name))));
    }
    if !code.captured_writes.is_empty() {
        items.push(form("writes", code.captured_writes.iter().map(|(name, _)| atom(name))));
    }
    if code.yields {
        items.push(atom("yields"));
    }
    items.extend(printer.params(&code.params));
    items.push(printer.node(&code.body));
    let mut out = String::new();
    List(items).print(0, &mut out);
    out.push('\n');
    out
}

/// An s-expression before it is broken into lines.
enum Sexp {
    Atom(String),
    List(Vec<Sexp>),
}
use Sexp::List;

impl Sexp {
    fn flat(&self, out: &mut String) {
        match self {
            Sexp::Atom(text) => out.push_str(text),
            List(items) => {
                out.push('(');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(' ');
                    }
                    item.flat(out);
                }
                out.push(')');
            }
        }
    }

    /// One line if it fits, else the items below each other.
    fn print(&self, indent: usize, out: &mut String) {
        let mut line = String::new();
        self.flat(&mut line);
        match self {
            List(items) if indent + line.len() > WIDTH => {
                out.push('(');
                for (index, item) in items.iter().enumerate() {
                    match (index, item) {
                        (0, _) => {}
                        // Leading atoms stay on the line of the parenthesis.
                        (_, Sexp::Atom(_))
                            if items[..index].iter().all(|item| matches!(item, Sexp::Atom(_))) =>
                        {
                            out.push(' ');
                        }
                        _ => {
                            let _ = write!(out, "\n{:1$}", "", indent + 2);
                        }
                    }
                    item.print(indent + 2, out);
                }
                out.push(')');
            }
            _ => out.push_str(&line),
        }
    }
}

fn atom(text: &str) -> Sexp {
    Sexp::Atom(text.into())
}

fn form(head: &str, items: impl IntoIterator<Item = Sexp>) -> Sexp {
    List(std::iter::once(atom(head)).chain(items).collect())
}

struct Printer<'a> {
    locals: &'a [String],
}

impl Printer<'_> {
    fn local(&self, id: LocalId) -> Sexp {
        Sexp::Atom(self.local_name(id))
    }

    fn local_name(&self, id: LocalId) -> String {
        format!("{}%{}", self.locals.get(id.0 as usize).map_or("?", String::as_str), id.0)
    }

    fn nodes<'a>(&'a self, nodes: &'a [Node]) -> impl Iterator<Item = Sexp> + 'a {
        nodes.iter().map(|node| self.node(node))
    }

    /// `(params …)`, or nothing where there are none.
    fn params(&self, params: &Params) -> Option<Sexp> {
        let required = |id: &LocalId| match params.destructured.iter().find(|(parameter, _)| parameter == id)
        {
            Some((_, multiple)) => List(vec![self.local(*id), List(self.multiple(multiple))]),
            None => self.local(*id),
        };
        let mut items: Vec<Sexp> = params.required.iter().map(required).collect();
        for (local, default) in &params.optional {
            items.push(List(vec![self.local(*local), atom("="), self.node(default)]));
        }
        if let Some(rest) = params.rest {
            items.push(Sexp::Atom(format!("*{}", self.local_name(rest))));
        }
        items.extend(params.post.iter().map(required));
        for (name, local, default) in &params.keywords {
            let local = self.local(*local);
            items.push(match default {
                None => List(vec![Sexp::Atom(format!("{name}:")), local]),
                Some(default) => {
                    List(vec![Sexp::Atom(format!("{name}:")), local, atom("="), self.node(default)])
                }
            });
        }
        if let Some(rest) = params.keyword_rest {
            items.push(Sexp::Atom(format!("**{}", self.local_name(rest))));
        }
        if params.no_keywords {
            items.push(atom("**nil"));
        }
        if let Some(block) = params.block {
            items.push(Sexp::Atom(format!("&{}", self.local_name(block))));
        }
        if params.trailing_comma {
            items.push(atom(","));
        }
        (!items.is_empty()).then(|| form("params", items))
    }

    fn target(&self, target: &Target) -> Sexp {
        match target {
            Target::Local(id, _) => self.local(*id),
            Target::Captured(name, _) => Sexp::Atom(format!("^{name}")),
            Target::Ivar(name, _) | Target::Global(name, _) | Target::ClassVariable(name, _) => atom(name),
            Target::Index { receiver, args, .. } => {
                form("index", std::iter::once(self.node(receiver)).chain(self.nodes(args)))
            }
            Target::Attribute { receiver, name, safe, .. } => {
                form("attribute", [self.node(receiver), method(name, *safe)])
            }
            Target::Multiple(multiple, _) => List(self.multiple(multiple)),
        }
    }

    fn multiple(&self, multiple: &Multiple) -> Vec<Sexp> {
        let mut items: Vec<Sexp> = multiple.before.iter().map(|target| self.target(target)).collect();
        match &multiple.splat {
            None => {}
            Some(None) => items.push(atom("*")),
            Some(Some(target)) => items.push(form("*", [self.target(target)])),
        }
        items.extend(multiple.after.iter().map(|target| self.target(target)));
        items
    }

    fn block_arg(&self, block: &BlockArg) -> Sexp {
        match block {
            BlockArg::Literal(block) => self.block("block", block),
            BlockArg::Symbol(name, _) => Sexp::Atom(format!("&:{name}")),
            BlockArg::Expression(node) => form("&", [self.node(node)]),
        }
    }

    /// `own_locals` shows as `(own …)` where it is more than the parameters' names.
    fn block(&self, head: &str, block: &BlockLiteral) -> Sexp {
        let params = self.params(&block.params);
        let mut line = String::new();
        if let Some(params) = &params {
            params.flat(&mut line);
        }
        let own = block.own_locals.iter().map(|id| self.local_name(*id));
        let more: Vec<Sexp> = own.filter(|name| !mentions(&line, name)).map(Sexp::Atom).collect();
        let own = (!more.is_empty()).then(|| form("own", more));
        form(head, params.into_iter().chain(own).chain([self.node(&block.body)]))
    }

    fn call(&self, call: &Call) -> Sexp {
        if call.variable {
            return form("variable", [atom(&call.name)]);
        }
        let callee = match &call.receiver {
            Some(receiver) => vec![self.node(receiver), method(&call.name, call.safe)],
            None => vec![atom(&call.name)],
        };
        let block = call.block.as_ref().map(|block| self.block_arg(block));
        form("call", callee.into_iter().chain(self.nodes(&call.args)).chain(block))
    }

    fn when(&self, when: &When) -> Sexp {
        form("when", [List(self.nodes(&when.patterns).collect()), self.node(&when.body)])
    }

    fn in_clause(&self, clause: &InClause) -> Sexp {
        let guard = clause.guard.iter().map(|guard| form("if", [self.node(guard)]));
        let body = self.node(&clause.body);
        form("in", std::iter::once(self.pattern(&clause.pattern)).chain(guard).chain([body]))
    }

    fn pattern(&self, pattern: &Pattern) -> Sexp {
        match &pattern.kind {
            PatternKind::Value(node) => form("===", [self.node(node)]),
            PatternKind::Bind(target) => self.target(target),
            PatternKind::Capture(inner, target) => form("=>", [self.pattern(inner), self.target(target)]),
            PatternKind::Either(left, right) => form("|", [self.pattern(left), self.pattern(right)]),
            PatternKind::Array { constant, before, rest, after } => {
                let rest = rest.iter().map(|rest| match rest {
                    None => atom("*"),
                    Some(target) => form("*", [self.target(target)]),
                });
                let constant = constant.iter().map(|constant| self.node(constant));
                let before = before.iter().map(|pattern| self.pattern(pattern));
                let after = after.iter().map(|pattern| self.pattern(pattern));
                form("items", constant.chain(before).chain(rest).chain(after))
            }
            PatternKind::Find { constant, before, middle, after } => {
                let constant = constant.iter().map(|constant| self.node(constant));
                let [before, after] = [before, after].map(|rest| match rest {
                    None => atom("*"),
                    Some(target) => form("*", [self.target(target)]),
                });
                let middle = middle.iter().map(|pattern| self.pattern(pattern));
                form("find", constant.chain([before]).chain(middle).chain([after]))
            }
            PatternKind::Hash { constant, pairs, closed, rest } => {
                let constant = constant.iter().map(|constant| self.node(constant));
                let pairs = pairs
                    .iter()
                    .flat_map(|(key, pattern)| [Sexp::Atom(format!("{key}:")), self.pattern(pattern)]);
                let closed = closed.then(|| atom("**nil"));
                let rest = rest.iter().map(|rest| form("**", [self.target(rest)]));
                form("keys", constant.chain(pairs).chain(closed).chain(rest))
            }
        }
    }

    fn optional(&self, head: &str, value: Option<&Node>) -> Sexp {
        match value {
            None => List(vec![atom(head)]),
            Some(value) => form(head, [self.node(value)]),
        }
    }

    fn node(&self, node: &Node) -> Sexp {
        match &node.kind {
            Kind::Unsupported(diagnostic) => form("unsupported", [atom(diagnostic.slug)]),
            Kind::Nil => atom("nil"),
            Kind::True => atom("true"),
            Kind::False => atom("false"),
            Kind::SelfRef => atom("self"),
            Kind::Integer(value) => Sexp::Atom(value.to_string()),
            Kind::Float(value) => Sexp::Atom(format!("{value:?}")),
            Kind::Regexp(source, options) => Sexp::Atom(format!("/{source}/{options}")),
            Kind::Symbol(name) => Sexp::Atom(format!(":{name}")),
            Kind::String(parts) => match &parts[..] {
                [] => atom("\"\""),
                [StringPart::Text(text) | StringPart::Frozen(text)] => Sexp::Atom(format!("{text:?}")),
                parts => form(
                    "string",
                    parts.iter().map(|part| match part {
                        StringPart::Text(text) | StringPart::Frozen(text) => Sexp::Atom(format!("{text:?}")),
                        StringPart::Expression(node) => self.node(node),
                    }),
                ),
            },
            Kind::Array(elements) => form("array", self.nodes(elements)),
            Kind::Range { low, high, exclusive } => {
                let end = |node: &Option<Box<Node>>| node.as_ref().map_or(atom("_"), |node| self.node(node));
                form(if *exclusive { "..." } else { ".." }, [end(low), end(high)])
            }
            Kind::Splat(value) => form("*", [self.node(value)]),
            Kind::KeywordArgs(pairs) => {
                let pair = |argument: &KeywordArg| match argument {
                    KeywordArg::Pair(name, value) => vec![Sexp::Atom(format!("{name}:")), self.node(value)],
                    KeywordArg::Splat(value) => vec![form("**", [self.node(value)])],
                };
                form("keywords", pairs.iter().flat_map(pair))
            }
            Kind::Local(id) => self.local(*id),
            Kind::Captured(name) => Sexp::Atom(format!("^{name}")),
            Kind::Ivar(name) | Kind::Global(name) | Kind::ClassVariable(name) => atom(name),
            Kind::Constant { path, absolute } => {
                Sexp::Atom(format!("{}{}", if *absolute { "::" } else { "" }, path.join("::")))
            }
            Kind::ConstantOf { module, path } => {
                form("constant", [self.node(module), atom(&path.join("::"))])
            }
            Kind::Assign { target, value } => form("=", [self.target(target), self.node(value)]),
            Kind::OpAssign { target, op, value } => {
                let op = match op {
                    AssignOp::Operator(name) => format!("{name}="),
                    AssignOp::Or => "||=".into(),
                    AssignOp::And => "&&=".into(),
                };
                form(&op, [self.target(target), self.node(value)])
            }
            Kind::MultiAssign { targets, value, .. } => {
                form("=", [List(self.multiple(targets)), self.node(value)])
            }
            Kind::And(left, right) => form("and", [self.node(left), self.node(right)]),
            Kind::Or(left, right) => form("or", [self.node(left), self.node(right)]),
            Kind::Not(value) => form("not", [self.node(value)]),
            Kind::Defined { what, asked } => {
                let what = Sexp::Atom(format!("{what:?}"));
                form("defined?", std::iter::once(what).chain(asked.iter().map(|node| self.node(node))))
            }
            Kind::Matching(last, node) => form("matching", [self.local(*last), self.node(node)]),
            Kind::If { condition, then, otherwise } => {
                form("if", [self.node(condition), self.node(then), self.node(otherwise)])
            }
            Kind::Case { subject, whens, otherwise } => {
                let subject = subject.iter().map(|subject| self.node(subject));
                let otherwise = otherwise.iter().map(|otherwise| form("else", [self.node(otherwise)]));
                form("case", subject.chain(whens.iter().map(|when| self.when(when))).chain(otherwise))
            }
            Kind::CaseIn { subject, clauses, otherwise } => {
                let otherwise = otherwise.iter().map(|otherwise| form("else", [self.node(otherwise)]));
                let clauses = clauses.iter().map(|clause| self.in_clause(clause));
                form("case", std::iter::once(self.node(subject)).chain(clauses).chain(otherwise))
            }
            Kind::Matches { value, pattern } => form("in?", [self.node(value), self.pattern(pattern)]),
            Kind::While { condition, negated, body_first, body } => {
                let head = if *negated { "until" } else { "while" };
                let order = body_first.then(|| atom("body-first"));
                form(head, order.into_iter().chain([self.node(condition), self.node(body)]))
            }
            Kind::Begin(begin) => {
                let rescues = begin.rescues.iter().map(|rescue| {
                    let classes = List(self.nodes(&rescue.classes).collect());
                    let error = rescue.error.iter().map(|error| form("=>", [self.local(*error)]));
                    let body = std::iter::once(self.node(&rescue.body));
                    form("rescue", std::iter::once(classes).chain(error).chain(body))
                });
                let otherwise = begin.otherwise.iter().map(|otherwise| form("else", [self.node(otherwise)]));
                let ensure = begin.ensure.iter().map(|ensure| form("ensure", [self.node(ensure)]));
                let body = std::iter::once(self.node(&begin.body));
                form("begin", body.chain(rescues).chain(otherwise).chain(ensure))
            }
            Kind::Retry => atom("retry"),
            Kind::Break(value) => self.optional("break", value.as_deref()),
            Kind::Next(value) => self.optional("next", value.as_deref()),
            Kind::Return(value) => self.optional("return", value.as_deref()),
            Kind::Yield(args) => form("yield", self.nodes(args)),
            Kind::Sync(sync) => {
                let written = form("writes", sync.written.iter().map(|local| self.local(*local)));
                form("sync", self.nodes(&sync.read).chain([written]))
            }
            Kind::Super { args, block } => {
                let head = if args.is_some() { "super" } else { "super-same" };
                let args = self.nodes(args.as_deref().unwrap_or_default());
                form(head, args.chain(block.as_ref().map(|block| self.block_arg(block))))
            }
            Kind::Call(call) => self.call(call),
            Kind::Sequence(nodes) => form("do", self.nodes(nodes)),
            Kind::Lambda(block) => self.block("->", block),
        }
    }
}

fn method(name: &str, safe: bool) -> Sexp {
    Sexp::Atom(format!("{}{name}", if safe { "&." } else { "." }))
}

/// Does a local's name stand in the text as a word?
fn mentions(text: &str, name: &str) -> bool {
    text.split([' ', '(', ')', '*', '&']).any(|word| word == name)
}
