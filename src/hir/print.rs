//! HIR as text, for tests and people. `v7` is a value, `b2` a block, `c1` a code; a parameter has the name of its local
//! behind it. Nil, booleans, numbers and Symbols stand where they are used. `&x` is a local in a cell. `unwind b5(v1)`
//! behind a block says where it leads when something in it raises, `handling v9` what `$!` is.

use super::code::{
    ArgKind, Args, Block, BlockData, BlockKind, Code, CodeId, CodeKind, Edge, Hir, Keys, List, Local, Name,
    Terminator, Value,
};
use super::op::{Asked, Call, CallKind, Op, Position, Reason, Variable};
use std::fmt::Write;

/// All codes, outer ones first.
pub fn print(hir: &Hir) -> String {
    let mut out = String::new();
    for (number, code) in (0..).zip(&hir.codes) {
        if number > 0 {
            out.push('\n');
        }
        Printer { hir, code }.code(CodeId(number), &mut out);
    }
    out
}

struct Printer<'a> {
    hir: &'a Hir,
    code: &'a Code,
}

impl Printer<'_> {
    fn code(&self, id: CodeId, out: &mut String) {
        let kind = match self.code.kind {
            CodeKind::Method => "method",
            CodeKind::Block => "block",
            CodeKind::Lambda => "lambda",
        };
        let name = match (self.code.kind, self.code.outer) {
            (CodeKind::Method, _) => format!(" {}", self.hir.name(self.code.name)),
            (_, Some(_)) => format!(" c{}", id.0),
            (_, None) => String::new(),
        };
        let _ = write!(out, "{kind}{name}({})", self.signature().join(", "));
        if !self.code.captures.is_empty() {
            let captures: Vec<String> = self.code.captures.iter().map(|local| self.local(*local)).collect();
            let _ = write!(out, " captures {}", captures.join(", "));
        }
        out.push('\n');
        for (number, block) in (0..).zip(&self.code.blocks) {
            self.block(Block(number), block, out);
        }
    }

    /// A local's name.
    fn plain(&self, local: Local) -> &str {
        let name = self.hir.name(self.hir.locals[local.index()].name);
        if name.is_empty() { "_" } else { name }
    }

    /// The same with `&` where it is a cell.
    fn local(&self, local: Local) -> String {
        format!("{}{}", if self.hir.locals[local.index()].is_cell { "&" } else { "" }, self.plain(local))
    }

    /// The parameters as they are written.
    fn signature(&self) -> Vec<String> {
        let params = &self.code.params;
        let mut locals = self.code.blocks.first().map_or(0..0, |entry| entry.params.clone()).skip(1);
        let mut next = || match locals.next().map(|at| self.code.op(Value(at))) {
            Some(Op::Param(Some(local))) => self.plain(*local).to_owned(),
            _ => String::new(),
        };
        let mut all: Vec<String> = Vec::new();
        all.extend((0..params.required).map(|_| next()));
        all.extend((0..params.optional).map(|_| format!("{}?", next())));
        let star = |name: String| format!("*{}", name.trim_start_matches('*'));
        all.extend(params.rest.then(|| star(next())));
        all.extend((0..params.post).map(|_| next()));
        for (name, is_required) in &params.keywords {
            next();
            all.push(format!("{}{}:", self.hir.name(*name), if *is_required { "" } else { "?" }));
        }
        all.extend(params.keyword_rest.then(|| format!("*{}", star(next()))));
        if params.keyword_hash {
            all.push(format!("{{{}}}{}", next(), if params.keywords_change { "!" } else { "" }));
        }
        all.extend(params.no_keywords.then(|| "**nil".to_owned()));
        all.extend(params.block.then(|| format!("&{}", next().trim_start_matches('&'))));
        all.extend(params.trailing_comma.then(String::new));
        all
    }

    fn block(&self, number: Block, block: &BlockData, out: &mut String) {
        let kind = match block.kind {
            BlockKind::Plain => "",
            BlockKind::Loop => "loop ",
            BlockKind::Rescue => "rescue ",
            BlockKind::Ensure => "ensure ",
        };
        let _ = write!(out, "{kind}b{}", number.0);
        let params: Vec<String> = block.params.clone().map(|at| self.param(number, at)).collect();
        if !params.is_empty() {
            let _ = write!(out, "({})", params.join(", "));
        }
        if let Some(unwind) = block.unwind {
            let _ = write!(out, " unwind {}", self.edge(unwind));
        }
        if let Some(handled) = block.handling {
            let _ = write!(out, " handling v{}", handled.0);
        }
        out.push_str(":\n");
        for at in block.body.clone() {
            let op = self.code.op(Value(at));
            if op.is_literal() {
                continue;
            }
            let text = self.op(op);
            let is_step = matches!(op, Op::Set(..) | Op::Store(..) | Op::NoMatch { .. });
            let _ = match is_step {
                true => writeln!(out, "  {text}"),
                false => writeln!(out, "  v{at} = {text}"),
            };
        }
        let _ = writeln!(out, "  {}", self.end(&block.end));
    }

    fn param(&self, block: Block, at: u32) -> String {
        match self.code.op(Value(at)) {
            _ if block.0 == 0 && at == 0 => "self".into(),
            Op::Param(Some(local)) => {
                let captured = self.code.blocks[0].params.end - self.code.captures.len() as u32;
                let is_captured = block.0 == 0 && at >= captured;
                if is_captured {
                    format!("v{at} {}", self.local(*local))
                } else {
                    format!("v{at} {}", self.plain(*local))
                }
            }
            _ => format!("v{at}"),
        }
    }

    fn value(&self, value: Value) -> String {
        match self.code.op(value) {
            Op::Nil => "nil".into(),
            Op::True => "true".into(),
            Op::False => "false".into(),
            Op::Integer(value) => value.to_string(),
            Op::Float(value) => format!("{value:?}"),
            Op::Symbol(name) => format!(":{}", self.hir.name(*name)),
            _ if value.0 == 0 => "self".into(),
            _ => format!("v{}", value.0),
        }
    }

    fn values(&self, list: List) -> String {
        let all: Vec<String> = self.code.list(list).iter().map(|value| self.value(*value)).collect();
        all.join(", ")
    }

    fn args(&self, args: Args) -> String {
        let all = self.code.arguments(args).iter().map(|arg| {
            let value = self.value(arg.value);
            match arg.kind {
                ArgKind::Plain => value,
                ArgKind::Splat => format!("*{value}"),
                ArgKind::Keyword(name) => format!("{}: {value}", self.hir.name(name)),
                ArgKind::KeywordSplat => format!("**{value}"),
                ArgKind::Block => format!("&{value}"),
            }
        });
        all.collect::<Vec<_>>().join(", ")
    }

    fn keys(&self, keys: Keys) -> String {
        let all = self.code.keys(keys).iter().map(|key| self.hir.name(*key));
        all.collect::<Vec<_>>().join(", ")
    }

    fn edge(&self, edge: Edge) -> String {
        match edge.args.count {
            0 => format!("b{}", edge.block.0),
            _ => format!("b{}({})", edge.block.0, self.values(edge.args)),
        }
    }

    fn end(&self, end: &Terminator) -> String {
        match end {
            Terminator::Jump(edge) => format!("jump {}", self.edge(*edge)),
            Terminator::Branch { test, yes, no } => {
                format!("branch {} {} {}", self.value(*test), self.edge(*yes), self.edge(*no))
            }
            Terminator::Return(value) => format!("return {}", self.value(*value)),
            Terminator::Break(value) => format!("break {}", self.value(*value)),
            Terminator::Leave(value) => format!("leave {}", self.value(*value)),
            Terminator::Resume(value) => format!("resume {}", self.value(*value)),
            Terminator::Never => "never".into(),
        }
    }

    fn variable(&self, variable: Variable) -> String {
        match variable {
            Variable::Outer(name) => format!("^{}", self.hir.name(name)),
            Variable::Instance(name) | Variable::Global(name) | Variable::Class(name) => {
                self.hir.name(name).to_owned()
            }
        }
    }

    fn constant(&self, path: Name, absolute: bool) -> String {
        format!("{}{}", if absolute { "::" } else { "" }, self.hir.name(path))
    }

    fn call(&self, call: &Call) -> String {
        let name = self.hir.name(call.name);
        let args = self.args(call.args);
        let callee = match call.kind {
            CallKind::Method | CallKind::Own => format!("{}.{name}({args})", self.value(call.receiver)),
            CallKind::Function => format!("{name}({args})"),
            CallKind::Variable => name.to_owned(),
        };
        let last = call.last_match.map_or(String::new(), |cell| format!(" matching v{}", cell.0));
        format!("call {callee}{last}")
    }

    fn position(position: Position) -> String {
        match position {
            Position::Front(index) => index.to_string(),
            Position::Back { before, after, index } => format!("-{} behind {before}", after - index),
            Position::Middle { before, after } => format!("{before}..-{}", after + 1),
        }
    }

    fn op(&self, op: &Op) -> String {
        let value = |value: Value| self.value(value);
        match op {
            Op::Param(_)
            | Op::Nil
            | Op::True
            | Op::False
            | Op::Integer(_)
            | Op::Float(_)
            | Op::Symbol(_)
            | Op::Text { .. }
            | Op::Regexp { .. }
            | Op::Constant { .. }
            | Op::ConstantOf { .. }
            | Op::SymbolBlock(_)
            | Op::Unsupported(_) => self.leaf(op),
            Op::ToString(of) => format!("to_s {}", value(*of)),
            Op::Concat(list) => format!("concat {}", self.values(*list)),
            Op::Array(args) => format!("array [{}]", self.args(*args)),
            Op::Range { low, high, exclusive } => {
                let [low, high] = [low, high].map(|end| end.map_or(String::new(), value));
                format!("range {low}{}{high}", if *exclusive { "..." } else { ".." })
            }
            Op::Get(variable) => format!("get {}", self.variable(*variable)),
            Op::Set(variable, to) => format!("set {} {}", self.variable(*variable), value(*to)),
            Op::Cell(local, first) => format!("cell {} {}", self.plain(*local), value(*first)),
            Op::Load(cell) => format!("load {}", value(*cell)),
            Op::Store(cell, to) => format!("store {} {}", value(*cell), value(*to)),
            Op::Closure { code, captures } => format!("closure c{} [{}]", code.0, self.values(*captures)),
            Op::Call(call) => self.call(call),
            Op::Super { args, implicit } => {
                format!("super{}({})", if *implicit { " implicit" } else { "" }, self.args(*args))
            }
            Op::Yield(args) => format!("yield({})", self.args(*args)),
            Op::Given(of) => format!("given {}", value(*of)),
            Op::IsNil(of) => format!("nil? {}", value(*of)),
            Op::Defined { what, asked } => self.defined(what, asked),
            Op::Sync(number) => {
                let sync = &self.code.syncs[*number as usize];
                let read =
                    sync.read.iter().map(|(local, of, _)| format!("{}: {}", self.local(*local), value(*of)));
                format!("sync({})", read.collect::<Vec<_>>().join(", "))
            }
            Op::Synced { sync, local } => format!("synced {} {}", value(*sync), self.local(*local)),
            _ => self.of_list(op),
        }
    }

    fn leaf(&self, op: &Op) -> String {
        match op {
            Op::Text { text, frozen } => {
                format!("{}{:?}", if *frozen { "frozen " } else { "string " }, self.hir.name(*text))
            }
            Op::Regexp { source, options } => format!("regexp /{}/{options}", self.hir.name(*source)),
            Op::Constant { path, absolute } => format!("constant {}", self.constant(*path, *absolute)),
            Op::ConstantOf { module, path } => {
                format!("constant {}::{}", self.value(*module), self.hir.name(*path))
            }
            Op::SymbolBlock(name) => format!("block :{}", self.hir.name(*name)),
            Op::Unsupported(id) => format!("unsupported {}", self.hir.diagnostics[id.index()].slug),
            _ => "literal".into(),
        }
    }

    /// What takes lists and Hashes apart.
    fn of_list(&self, op: &Op) -> String {
        let value = |value: Value| self.value(value);
        let more = |count: u32| if count == 0 { String::new() } else { format!("+{count}") };
        match op {
            Op::Splat(of) => format!("splat {}", value(*of)),
            Op::Spread(of) => format!("spread {}", value(*of)),
            Op::Item(list, position) => format!("item {}[{}]", value(*list), Self::position(*position)),
            Op::ItemAt { list, index, offset } => {
                format!("item {}[{}{}]", value(*list), value(*index), more(*offset))
            }
            Op::Before { list, index } => format!("item {}[0...{}]", value(*list), value(*index)),
            Op::After { list, index, offset } => {
                format!("item {}[{}{}..]", value(*list), value(*index), more(*offset))
            }
            Op::Fits { list, index, count } => format!("fits {}[{}, {count}]", value(*list), value(*index)),
            Op::Next(index) => format!("next {}", value(*index)),
            Op::Length { list, count, or_more } => {
                format!("length {} {}{count}", value(*list), if *or_more { ">= " } else { "" })
            }
            Op::Deconstructs { value: of, keys } => {
                format!("deconstructs{} {}", if *keys { " keys" } else { "" }, value(*of))
            }
            Op::Deconstruct(of) => format!("deconstruct {}", value(*of)),
            Op::DeconstructKeys { value: of, names } => {
                let names = names.map_or("nil".into(), |names| format!("[{}]", self.keys(names)));
                format!("deconstruct keys {} {names}", value(*of))
            }
            Op::HasKey { hash, key } => format!("key? {} {}", value(*hash), self.hir.name(*key)),
            Op::Key { hash, key } => format!("key {} {}", value(*hash), self.hir.name(*key)),
            Op::WithoutKeys { hash, names } => {
                format!("without keys {} [{}]", value(*hash), self.keys(*names))
            }
            Op::OnlyKeys { hash, names } => format!("only keys {} [{}]", value(*hash), self.keys(*names)),
            Op::NoMatch { subject, reason } => {
                format!("no match {}{}", value(*subject), self.reason(reason))
            }
            _ => String::new(),
        }
    }

    fn defined(&self, what: &str, asked: &Asked) -> String {
        let asked = match asked {
            Asked::Always => String::new(),
            Asked::Yield => " yield".into(),
            Asked::Constant { path, absolute } => format!(" {}", self.constant(*path, *absolute)),
            Asked::Method { receiver, name, own } => {
                let own = if *own { "own " } else { "" };
                format!(" {own}{}.{}", self.value(*receiver), self.hir.name(*name))
            }
            Asked::Variable(variable) => format!(" {}", self.variable(*variable)),
        };
        format!("defined {what:?}{asked}")
    }

    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Clauses => String::new(),
            Reason::Unequal { pattern, value } => {
                format!(": not {} === {}", self.value(*pattern), self.value(*value))
            }
            Reason::Guard => ": guard".into(),
            Reason::Missing { value, keys } => {
                format!(": no deconstruct{} of {}", if *keys { "_keys" } else { "" }, self.value(*value))
            }
            Reason::Length { list, wanted, or_more } => {
                format!(": length of {} not {wanted}{}", self.value(*list), if *or_more { "+" } else { "" })
            }
            Reason::NotFound { list } => format!(": not found in {}", self.value(*list)),
            Reason::Key(name) => format!(": no key {}", self.hir.name(*name)),
            Reason::Keys { hash, names, rest } => {
                let rest = if *rest { "rest of " } else { "" };
                format!(": {rest}{} but [{}]", self.value(*hash), self.keys(*names))
            }
        }
    }
}
