//! Bodies of functions.

use super::lexer::Token;
use super::{Parser, Result};
use crate::intrinsics::Intrinsic;
use crate::ir::typing::{plain_interval, result_type};
use crate::ir::{
    Arrays, BinaryOp, Block, Buffer, Comparison, FuncId, Function, Items, KernelId, Label, MathFn, Op,
    Program, Reduction, Scalar, SiteId, Stmt, UnaryOp, Value, ValueData, Var,
};
use crate::scalar::{Interval, Ty};

/// Reads the body of the function whose head is known, up to its `}`.
pub(super) fn body(parser: &mut Parser, program: &Program, function: usize) -> Result<Function> {
    let head = program.functions[function].clone();
    let values = head.values.iter().copied().map(Some).collect();
    let mut body = Body { parser, program, values, vars: Vec::new(), labels: 0 };
    let block = body.block()?;
    // A number that nothing defines still needs a type, for no one to see.
    let nothing = ValueData::new(Ty::I64, Interval::FULL);
    Ok(Function {
        values: body.values.into_iter().map(|v| v.unwrap_or(nothing)).collect(),
        vars: body.vars.into_iter().map(|x| x.unwrap_or(Ty::I64)).collect(),
        labels: body.labels,
        body: block,
        ..head
    })
}

struct Body<'a> {
    parser: &'a mut Parser,
    program: &'a Program,
    values: Vec<Option<ValueData>>,
    vars: Vec<Option<Ty>>,
    labels: u32,
}

/// A value on the left of `=`, with what is said of it there.
struct Target {
    value: Value,
    ty: Option<Ty>,
    interval: Option<Interval>,
}

impl Body<'_> {
    /// Statements up to and with the closing `}`.
    fn block(&mut self) -> Result<Block> {
        let mut block = Vec::new();
        loop {
            if !self.parser.skip_newlines() {
                return self.parser.expected("`}`");
            }
            if self.parser.take_mark("}") {
                return Ok(block);
            }
            if self.parser.take_word("var") {
                self.declarations()?;
            } else {
                let stmt = self.stmt()?;
                block.push(stmt);
            }
            self.parser.end_of_line()?;
        }
    }

    fn braced(&mut self) -> Result<Block> {
        self.parser.mark("{")?;
        self.block()
    }

    fn declarations(&mut self) -> Result<()> {
        loop {
            let var = self.var()?;
            self.parser.mark(":")?;
            let ty = self.parser.ty()?;
            self.type_var(var, ty);
            if !self.parser.take_mark(",") {
                return Ok(());
            }
        }
    }

    fn type_var(&mut self, var: Var, ty: Ty) {
        let at = var.0 as usize;
        self.vars.resize(self.vars.len().max(at + 1), None);
        self.vars[at].get_or_insert(ty);
    }

    fn stmt(&mut self) -> Result<Stmt> {
        if self.parser.peek_entity("v").is_some() {
            return self.definition();
        }
        if self.parser.peek_entity("x").is_some() {
            let var = self.var()?;
            self.parser.mark("=")?;
            let value = self.parser.value()?;
            match self.value_type(value) {
                Some(ty) => self.type_var(var, ty),
                None if self.var_type(var).is_some() => {}
                None => {
                    return self
                        .parser
                        .error(format!("the type of {var} is not known; write `var {var}: i64`"));
                }
            }
            return Ok(Stmt::Set(var, value));
        }
        if self.parser.peek_entity("s").is_some() {
            let scalar = Scalar(self.parser.entity("s", "a scalar")?);
            self.parser.mark("=")?;
            return Ok(Stmt::Assign(scalar, self.parser.value()?));
        }
        let word = self.parser.word("a statement")?;
        Ok(match &word[..] {
            "store" => {
                let (buffer, index) = self.place()?;
                self.parser.mark("=")?;
                Stmt::Store { buffer, index, value: self.parser.value()? }
            }
            "if" => self.branch()?,
            "loop" => {
                let label = self.label()?;
                Stmt::Loop { label, body: self.braced()? }
            }
            "block" => {
                let label = self.label()?;
                Stmt::Block { label, body: self.braced()? }
            }
            "break" => Stmt::Break(self.label()?),
            "continue" => Stmt::Continue(self.label()?),
            "check" => {
                let condition = self.parser.value()?;
                let site = self.site()?;
                Stmt::Check { condition, site, operands: self.operands()? }
            }
            "fail" => {
                let site = self.site()?;
                Stmt::Fail { site, operands: self.operands()? }
            }
            "call" => self.call(Vec::new())?,
            "defer" => match self.call(Vec::new())? {
                Stmt::Call { function, args, .. } => Stmt::Defer { function, args },
                other => other,
            },
            "return" => {
                Stmt::Return(if self.parser.peek_entity("v").is_some() { self.values()? } else { vec![] })
            }
            "progress" => {
                let done = self.parser.value()?;
                if !self.parser.take_word("of") {
                    return self.parser.expected("`of`");
                }
                Stmt::Progress { done, total: self.parser.value()? }
            }
            "sync" => Stmt::Sync(self.parser.number("a number")?),
            "tick" => Stmt::Tick(self.parser.value()?),
            "path" => Stmt::Path(self.parser.value()?),
            "launch" => {
                let kernel = self.kernel()?;
                let ticks = if self.parser.take_word("for") { Some(self.parser.value()?) } else { None };
                Stmt::Launch { kernel, ticks }
            }
            "over" => {
                let kernel = self.kernel()?;
                let count = self.counted()?;
                let own = if self.parser.take_word("own") { Some(self.items()?) } else { None };
                let first_same =
                    if self.parser.take_word("first_same") { Some(self.buffer()?) } else { None };
                let mut sized = Vec::new();
                while self.parser.take_word("sized") {
                    sized.push(self.buffer()?);
                }
                Stmt::Over { kernel, count, own, first_same, sized }
            }
            "copy" => {
                let (from, first) = self.place()?;
                let count = self.counted()?;
                Stmt::Copy { from, first, count, into: self.into()? }
            }
            _ => {
                self.parser.back();
                return self.parser.error(format!("unknown statement `{word}`"));
            }
        })
    }

    /// After `if`.
    fn branch(&mut self) -> Result<Stmt> {
        let condition = self.parser.value()?;
        let then = self.braced()?;
        let otherwise = if !self.parser.take_word("else") {
            Vec::new()
        } else if self.parser.take_word("if") {
            vec![self.branch()?]
        } else {
            self.braced()?
        };
        Ok(Stmt::If { condition, then, otherwise })
    }

    fn definition(&mut self) -> Result<Stmt> {
        let mut targets = vec![self.target()?];
        while self.parser.take_mark(",") {
            targets.push(self.target()?);
        }
        self.parser.mark("=")?;
        if self.parser.take_word("call") {
            return self.call(targets);
        }
        if self.parser.take_word("reduce") {
            return self.reduce(&targets);
        }
        let [target] = &targets[..] else {
            return self.parser.expected("`call`, which alone gives several values");
        };
        let op = self.op()?;
        let site =
            if self.parser.take_word("at") { Some(SiteId(self.parser.entity("e", "a site")?)) } else { None };
        let inferred = result_type(&op, Some(self.program), |x| self.var_type(x), |v| self.value_type(v));
        let Some(ty) = target.ty.or(inferred) else {
            let value = target.value;
            return self
                .parser
                .error(format!("the type of {value} is not known here; write it, as in `{value}: i64 = …`"));
        };
        let interval = self.parser.interval(ty)?.or(target.interval).unwrap_or(plain_interval(ty, Some(&op)));
        self.define(target.value, ty, interval);
        Ok(Stmt::Let { value: target.value, op, site })
    }

    fn target(&mut self) -> Result<Target> {
        let value = self.parser.value()?;
        let ty = if self.parser.take_mark(":") { Some(self.parser.ty()?) } else { None };
        let interval = self.parser.interval(ty.unwrap_or(Ty::I64))?;
        Ok(Target { value, ty, interval })
    }

    fn define(&mut self, value: Value, ty: Ty, interval: Interval) {
        let at = value.0 as usize;
        self.values.resize(self.values.len().max(at + 1), None);
        self.values[at] = Some(ValueData::new(ty, interval));
    }

    /// After `reduce`.
    fn reduce(&mut self, targets: &[Target]) -> Result<Stmt> {
        let [number, is_one] = targets else {
            return self.parser.expected("two values, the number and whether it is one");
        };
        let name = self.parser.word("a reduction")?;
        let Some(reduction) = Reduction::ALL.into_iter().find(|reduction| reduction.name() == name) else {
            self.parser.back();
            return self.parser.error(format!("unknown reduction `{name}`"));
        };
        let column = self.buffer()?;
        let given = if self.parser.take_word("where") { Some(self.buffer()?) } else { None };
        if !self.parser.take_word("from") {
            return self.parser.expected("`from` and a value");
        }
        let from = self.parser.value()?;
        let of = self.program.buffers.get(column.0 as usize).map(|info| info.ty);
        let Some(ty) = number.ty.or(of) else {
            return self.parser.error(format!("there is no {column}"));
        };
        self.define(number.value, ty, number.interval.unwrap_or(ty.full_interval()));
        self.define(is_one.value, is_one.ty.unwrap_or(Ty::Bool), Interval::FULL);
        let results = [number.value, is_one.value];
        Ok(Stmt::Reduce { reduction, column, given, from, results })
    }

    fn kernel(&mut self) -> Result<KernelId> {
        self.parser.entity("k", "a kernel").map(KernelId)
    }

    /// `for` and how many.
    fn counted(&mut self) -> Result<Value> {
        if self.parser.take_word("for") {
            self.parser.value()
        } else {
            self.parser.expected("`for` and a value")
        }
    }

    fn into(&mut self) -> Result<Buffer> {
        if self.parser.take_word("into") {
            self.buffer()
        } else {
            self.parser.expected("`into` and a buffer")
        }
    }

    fn items(&mut self) -> Result<Items> {
        if self.parser.take_word("nothing") {
            return Ok(Items::default());
        }
        let payload = if self.parser.peek_entity("b").is_some() { Some(self.buffer()?) } else { None };
        let tag = if self.parser.take_word("tag") { Some(self.buffer()?) } else { None };
        Ok(Items { payload, tag })
    }

    fn buffer(&mut self) -> Result<Buffer> {
        self.parser.entity("b", "a buffer").map(Buffer)
    }

    /// After `call`.
    fn call(&mut self, targets: Vec<Target>) -> Result<Stmt> {
        let function = FuncId(self.parser.entity("f", "a function")?);
        self.parser.mark("(")?;
        let args = if self.parser.take_mark(")") {
            Vec::new()
        } else {
            let args = self.values()?;
            self.parser.mark(")")?;
            args
        };
        let signature = self.program.functions.get(function.0 as usize).map_or(&[][..], |f| &f.results);
        for (i, target) in targets.iter().enumerate() {
            let value = target.value;
            let Some(ty) = target.ty.or(signature.get(i).copied()) else {
                return self.parser.error(format!("{function} has no result for {value}"));
            };
            // An open end was read as that of an `I64`.
            let full = ty.full_interval();
            let interval = target.interval.map_or(full, |given| Interval {
                low: if given.low == i64::MIN { full.low } else { given.low },
                high: if given.high == i64::MAX { full.high } else { given.high },
            });
            self.define(value, ty, interval);
        }
        Ok(Stmt::Call { function, args, results: targets.iter().map(|t| t.value).collect() })
    }

    fn op(&mut self) -> Result<Op> {
        if self.parser.peek_entity("x").is_some() {
            return Ok(Op::Get(self.var()?));
        }
        if self.parser.peek_entity("s").is_some() {
            return Ok(Op::Scalar(Scalar(self.parser.entity("s", "a scalar")?)));
        }
        let name = self.parser.word("an operation")?;
        Ok(match &name[..] {
            "true" => Op::Bool(true),
            "false" => Op::Bool(false),
            "i32" => Op::I32(self.parser.number("a 32-bit integer")?),
            "i64" => Op::I64(self.parser.number("a 64-bit integer")?),
            "f64" => Op::F64(self.float()?),
            "element" => Op::Element,
            "tick" => Op::Tick,
            "path" => Op::Path,
            "random" => Op::Random,
            "match" => {
                let (words, first) = self.place()?;
                Op::Match { words, first, asks: self.values()? }
            }
            "intrinsic" => {
                let name = self.parser.word("an intrinsic")?;
                let Some(function) = Intrinsic::ALL.into_iter().find(|known| known.name() == name) else {
                    self.parser.back();
                    return self.parser.error(format!("unknown intrinsic `{name}`"));
                };
                let texts = (0..function.texts()).map(|_| self.place()).collect::<Result<_>>()?;
                Op::Intrinsic { function, texts, args: self.values()? }
            }
            "print" => {
                let (words, first) = self.place()?;
                Op::Print { words, first, tells: self.values()? }
            }
            "group" => Op::Group(self.parser.value()?),
            "watch_read" | "watch_write" => {
                let (marks, row) = self.place()?;
                if !self.parser.take_word("by") {
                    return self.parser.expected("`by`");
                }
                Op::Watch { marks, row, me: self.parser.value()?, write: name == "watch_write" }
            }
            "claim" => {
                let ends = self.buffer()?;
                Op::Claim { ends, count: self.parser.value()? }
            }
            "lengthen" => {
                let buffer = self.buffer()?;
                if !self.parser.take_word("by") {
                    return self.parser.expected("`by`");
                }
                Op::Lengthen { buffer, count: self.parser.value()? }
            }
            "compact" => {
                let flags = self.buffer()?;
                Op::Compact { flags, indices: self.into()? }
            }
            "append" => {
                let from = self.items()?;
                let count = self.counted()?;
                let tag =
                    if self.parser.take_word("all") { Some(self.parser.number("a tag")?) } else { None };
                let given = if self.parser.take_word("where") { Some(self.buffer()?) } else { None };
                let offset = self.into()?;
                self.parser.mark(",")?;
                let length = self.buffer()?;
                self.parser.mark(",")?;
                let into = Arrays { offset, length, items: self.items()? };
                let local = self.parser.take_word("local");
                let kept = if self.parser.take_word("keeping") { Some(self.kept()?) } else { None };
                Op::Append { from, tag, given, count, into, local, kept }
            }
            "select" => {
                let condition = self.parser.value()?;
                self.parser.mark(",")?;
                let (a, b) = self.pair()?;
                Op::Select(condition, a, b)
            }
            "wide_mod" => {
                let args = self.values()?;
                let Ok(args) = args.try_into() else {
                    return self.parser.error("wide_mod has four operands");
                };
                Op::WideMod(args)
            }
            "load" => {
                let (buffer, index) = self.place()?;
                Op::Load(buffer, index)
            }
            "math" => {
                let name = self.parser.word("a function of C's math library")?;
                let Some(function) = MathFn::of_c_name(&name) else {
                    return self.parser.error(format!("unknown function `{name}`"));
                };
                Op::Math(function, self.values()?)
            }
            name => {
                if let Some(op) = UnaryOp::ALL.into_iter().find(|op| op.name() == name) {
                    Op::Unary(op, self.parser.value()?)
                } else if let Some(op) = BinaryOp::ALL.into_iter().find(|op| op.name() == name) {
                    let (a, b) = self.pair()?;
                    Op::Binary(op, a, b)
                } else if let Some(op) = Comparison::ALL.into_iter().find(|op| op.name() == name) {
                    let (a, b) = self.pair()?;
                    Op::Compare(op, a, b)
                } else {
                    self.parser.back();
                    return self.parser.error(format!("unknown operation `{name}`"));
                }
            }
        })
    }

    /// A decimal number, `inf`, `-inf`, or all 64 bits after `0x`.
    fn float(&mut self) -> Result<f64> {
        if let Token::Number(text) = self.parser.peek()
            && let Some(hex) = text.strip_prefix("0x")
            && let Ok(bits) = u64::from_str_radix(hex, 16)
        {
            self.parser.next();
            return Ok(f64::from_bits(bits));
        }
        self.parser.number("a number")
    }

    fn pair(&mut self) -> Result<(Value, Value)> {
        let a = self.parser.value()?;
        self.parser.mark(",")?;
        Ok((a, self.parser.value()?))
    }

    fn values(&mut self) -> Result<Vec<Value>> {
        let mut values = vec![self.parser.value()?];
        while self.parser.take_mark(",") {
            values.push(self.parser.value()?);
        }
        Ok(values)
    }

    fn kept(&mut self) -> Result<Vec<Value>> {
        if self.parser.take_word("nothing") { Ok(Vec::new()) } else { self.values() }
    }

    fn operands(&mut self) -> Result<Vec<Value>> {
        if self.parser.take_word("with") { self.values() } else { Ok(Vec::new()) }
    }

    fn site(&mut self) -> Result<SiteId> {
        if !self.parser.take_word("at") {
            return self.parser.expected("`at` and a site");
        }
        self.parser.entity("e", "a site").map(SiteId)
    }

    fn place(&mut self) -> Result<(Buffer, Value)> {
        let buffer = self.buffer()?;
        self.parser.mark("[")?;
        let index = self.parser.value()?;
        self.parser.mark("]")?;
        Ok((buffer, index))
    }

    fn label(&mut self) -> Result<Label> {
        let label = self.parser.entity("L", "a label")?;
        self.labels = self.labels.max(label + 1);
        Ok(Label(label))
    }

    fn var(&mut self) -> Result<Var> {
        self.parser.entity("x", "a variable").map(Var)
    }

    fn value_type(&self, value: Value) -> Option<Ty> {
        self.values.get(value.0 as usize).copied().flatten().map(|v| v.ty)
    }

    fn var_type(&self, var: Var) -> Option<Ty> {
        self.vars.get(var.0 as usize).copied().flatten()
    }
}
