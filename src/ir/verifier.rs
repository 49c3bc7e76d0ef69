//! Says what is wrong with a program. A pass or a builder that has passed it can only be wrong about meaning, and the
//! back-ends need no checks of their own.
//!
//! Values are visible where structure says so: later in the block of their definition and in the blocks nested there.
//! What is defined inside a loop, a labelled block or an arm of an `If` ends with it.

use super::printer::first_line;
use super::typing::result_type;
use super::{
    Block, Buffer, BufferKind, Comparison, FuncId, Function, Items, KernelId, Label, Op, Part, Program,
    ScalarSource, SiteId, Stmt, Value, Var, walk,
};
use crate::scalar::{Interval, Ty};

/// `Err` has a line for each mistake.
pub fn verify(program: &Program) -> Result<(), Vec<String>> {
    let mut errors = declarations(program);
    let drivers = program.drivers();
    for (i, function) in program.functions.iter().enumerate() {
        let mut checker = Checker {
            program,
            function,
            is_driver: drivers.contains(&FuncId(i as u32)),
            defined: vec![false; function.values.len()],
            visible: vec![false; function.values.len()],
            scope: Vec::new(),
            labels: Vec::new(),
            seen_labels: vec![false; function.labels as usize],
            number: i,
            stmt: None,
            errors: Vec::new(),
        };
        checker.function();
        errors.extend(checker.errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn declarations(program: &Program) -> Vec<String> {
    let mut errors = Vec::new();
    for (i, buffer) in program.buffers.iter().enumerate() {
        let ty = match buffer.kind {
            BufferKind::Column { part: Part::Tag, .. }
            | BufferKind::ArrayValues(_, Part::Tag)
            | BufferKind::Base(_, Part::Tag)
            | BufferKind::Beside(_, _, Part::Tag)
            | BufferKind::Result(_, Part::Tag)
            | BufferKind::Given(_, Part::Tag)
            | BufferKind::Places(_)
            | BufferKind::Accumulator(_, Part::Tag)
            | BufferKind::Variable(_, Part::Tag)
            | BufferKind::Merged(_, Part::Tag)
            | BufferKind::Selection
            | BufferKind::ArrayOffset(_)
            | BufferKind::ArrayLength(_)
            | BufferKind::ArrayRoom(_)
            | BufferKind::FirstSame(_)
            | BufferKind::SymbolRanks
            | BufferKind::SymbolNames
            | BufferKind::SymbolIndex
            | BufferKind::KeyIndex(_) => Ty::I32,
            BufferKind::AccumulatorTick(_) | BufferKind::Marks(_) | BufferKind::ArrayEnds(_) => Ty::I64,
            BufferKind::Assigned(_) => Ty::I64,
            BufferKind::ResultWords | BufferKind::KernelWords | BufferKind::Scratch => Ty::I64,
            BufferKind::Given(_, Part::Payload) => Ty::I64,
            BufferKind::Kept | BufferKind::Frozen(_) | BufferKind::FrozenArray(_) => Ty::Bool,
            _ => buffer.ty,
        };
        if buffer.ty != ty {
            errors.push(format!("b{i}: a buffer of this kind is {ty}, not {}", buffer.ty));
        }
    }
    if let Some(driver) = program.driver {
        match program.functions.get(driver.0 as usize) {
            None => errors.push(format!("driver: there is no {driver}")),
            Some(f) if !f.params.is_empty() || !f.results.is_empty() => {
                errors.push(format!("driver: {driver} takes or gives something"));
            }
            Some(_) if program.entries().any(|entry| entry.function == driver) => {
                errors.push(format!("driver: {driver} is an entry"));
            }
            Some(_) => {}
        }
    }
    for entry in program.entries() {
        match program.functions.get(entry.function.0 as usize) {
            None => errors.push(format!("entry {:?}: there is no {}", entry.name, entry.function)),
            Some(f) if f.params != [Ty::I32, Ty::I64, Ty::I64] || !f.results.is_empty() => {
                errors.push(format!(
                    "entry {:?}: {} is not of (element: i32, first tick: i64, end tick: i64) without results",
                    entry.name, entry.function
                ))
            }
            Some(_) => {}
        }
    }
    errors
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    is_driver: bool,
    defined: Vec<bool>,
    visible: Vec<bool>,
    /// The visible values, in the order of their definition; blocks end by cutting it back.
    scope: Vec<Value>,
    /// The labels around this place, with whether they are loops.
    labels: Vec<(Label, bool)>,
    seen_labels: Vec<bool>,
    /// The number of the function, and the statement that is looked at, for messages.
    number: usize,
    stmt: Option<&'a Stmt>,
    errors: Vec<String>,
}

impl<'a> Checker<'a> {
    fn error(&mut self, message: impl std::fmt::Display) {
        let stmt = self.stmt.map(|stmt| format!("`{}`: ", first_line(self.program, self.function, stmt)));
        self.errors.push(format!("f{}: {}{message}", self.number, stmt.unwrap_or_default()));
    }

    fn function(&mut self) {
        for (i, data) in self.function.values.iter().enumerate() {
            let Interval { low, high } = data.interval;
            let fits = data.ty != Ty::I32 || data.interval == Interval::FULL || data.interval.fits_i32();
            if low > high || !fits {
                self.error(format!("v{i}: {} has no interval {low}..={high}", data.ty));
            }
        }
        for (i, ty) in self.function.params.iter().enumerate() {
            self.define(Value(i as u32), Some(*ty));
        }
        self.block(&self.function.body);
        if !self.function.results.is_empty() && walk::completes(&self.function.body) {
            self.error("a function with results reaches its end without `return`");
        }
    }

    fn block(&mut self, block: &'a Block) {
        let mark = self.scope.len();
        for (i, stmt) in block.iter().enumerate() {
            self.stmt = Some(stmt);
            if i > 0 && block[i - 1].is_terminator() {
                self.error("stands after a statement that never completes");
            }
            self.check(stmt);
        }
        for value in self.scope.drain(mark..) {
            self.visible[value.0 as usize] = false;
        }
        self.stmt = None;
    }

    fn check(&mut self, stmt: &'a Stmt) {
        self.side(stmt);
        stmt.for_each_operand(|value| {
            if self.visible.get(value.0 as usize) != Some(&true) {
                self.error(format!("{value} is not defined here"));
            }
        });
        match stmt {
            Stmt::Let { value, op, site } => {
                self.op(op);
                if let Op::Binary(op, ..) = op
                    && op.needs_site()
                    && site.is_none()
                {
                    self.error("can fail and has no site");
                }
                if let Some(site) = site {
                    self.site(*site);
                }
                let ty = result_type(op, Some(self.program), |x| self.var_type(x), |v| self.ty(v));
                self.define(*value, ty);
                let constant = match op {
                    Op::I32(n) => Some(i64::from(*n)),
                    Op::I64(n) => Some(*n),
                    _ => None,
                };
                let interval =
                    self.function.values.get(value.0 as usize).map_or(Interval::FULL, |v| v.interval);
                if constant.is_some_and(|n| !interval.contains(n)) {
                    self.error("the constant is outside its interval");
                }
            }
            Stmt::Set(var, value) => match self.var_type(*var) {
                Some(ty) => self.expect(*value, ty),
                None => self.error(format!("there is no {var}")),
            },
            Stmt::Store { buffer, index, value } => {
                self.expect(*index, Ty::I32);
                match self.buffer(*buffer) {
                    Some((ty, written)) => {
                        self.expect(*value, ty);
                        // A driver sets the rows that it has made.
                        let is_new = self.is_driver && self.has_new_rows(*buffer);
                        if !written && !is_new {
                            self.error(format!("{buffer} is not marked as written"));
                        }
                    }
                    None => self.error(format!("there is no {buffer}")),
                }
            }
            Stmt::If { condition, then, otherwise } => {
                self.expect(*condition, Ty::Bool);
                self.block(then);
                self.block(otherwise);
            }
            Stmt::Loop { label, body } => self.labelled(*label, true, body),
            Stmt::Block { label, body } => self.labelled(*label, false, body),
            Stmt::Break(label) => {
                if !self.labels.iter().any(|(l, _)| l == label) {
                    self.error(format!("{label} is not around it"));
                }
            }
            Stmt::Continue(label) => match self.labels.iter().find(|(l, _)| l == label) {
                Some((_, true)) => {}
                Some((_, false)) => self.error(format!("{label} is not a loop")),
                None => self.error(format!("{label} is not around it")),
            },
            Stmt::Check { condition, site, operands } => {
                self.expect(*condition, Ty::Bool);
                self.failure(*site, operands);
            }
            Stmt::Fail { site, operands } => self.failure(*site, operands),
            Stmt::Call { function, args, results } => {
                let Some(callee) = self.program.functions.get(function.0 as usize) else {
                    self.error(format!("there is no {function}"));
                    results.iter().for_each(|value| self.define(*value, None));
                    return;
                };
                self.expect_all(args, &callee.params, "arguments");
                if results.len() != callee.results.len() {
                    self.error(format!("{function} has {} results", callee.results.len()));
                }
                for (i, value) in results.iter().enumerate() {
                    self.define(*value, callee.results.get(i).copied());
                }
            }
            Stmt::Defer { function, args } => {
                let Some(callee) = self.program.functions.get(function.0 as usize) else {
                    return self.error(format!("there is no {function}"));
                };
                self.expect_all(args, &callee.params, "arguments");
                let [row, rest @ ..] = &callee.params[..] else {
                    return self.error(format!("{function} is deferred and has no row"));
                };
                if *row != Ty::I32 || rest.iter().any(|ty| *ty != Ty::I64) || !callee.results.is_empty() {
                    self.error(format!("{function} cannot be deferred: it takes or gives something else"));
                }
                let is_plain = |stmt: &Stmt| {
                    !matches!(
                        stmt,
                        Stmt::Call { .. } | Stmt::Defer { .. } | Stmt::Loop { .. } | Stmt::Tick(_)
                    ) && !matches!(
                        stmt,
                        Stmt::Let {
                            op: Op::Random
                                | Op::Watch { .. }
                                | Op::Claim { .. }
                                | Op::Match { .. }
                                | Op::Print { .. }
                                | Op::Intrinsic { .. }
                                | Op::Group(_)
                                | Op::Element
                                | Op::Tick,
                            ..
                        }
                    )
                };
                if walk::any(&callee.body, &mut |stmt| !is_plain(stmt)) {
                    self.error(format!("{function} is deferred and knows no element"));
                }
            }
            Stmt::Return(values) => self.expect_all(values, &self.function.results, "results"),
            Stmt::Tick(value) | Stmt::Path(value) => self.expect(*value, Ty::I64),
            Stmt::Sync(_) => {}
            Stmt::Progress { done, total } => {
                self.expect(*done, Ty::I64);
                self.expect(*total, Ty::I64);
            }
            Stmt::Launch { kernel, ticks } => {
                self.kernel(*kernel);
                if let Some(ticks) = ticks {
                    self.expect(*ticks, Ty::I64);
                }
            }
            Stmt::Over { kernel, count, own, first_same, sized } => {
                self.kernel(*kernel);
                self.expect(*count, Ty::I64);
                if let Some(own) = own {
                    self.items(*own);
                }
                for buffer in first_same.iter().chain(sized) {
                    self.buffer_there(*buffer);
                }
            }
            Stmt::Copy { from, first, count, into } => {
                self.expect(*first, Ty::I32);
                self.expect(*count, Ty::I64);
                let [from_ty, into_ty] = [from, into].map(|buffer| self.buffer(*buffer).map(|(ty, _)| ty));
                if from_ty.is_none() || from_ty != into_ty {
                    self.error(format!("{into} cannot hold what is in {from}"));
                }
            }
            Stmt::Assign(scalar, value) => match self.program.scalars.get(scalar.0 as usize) {
                Some(info) if matches!(info.source, ScalarSource::Driver(_)) => {
                    self.expect(*value, info.ty);
                }
                _ => self.error(format!("{scalar} is not the driver's to set")),
            },
            Stmt::Reduce { reduction, column, given, from, results: [number, is_one] } => {
                let ty = self.buffer(*column).map(|(ty, _)| ty);
                match ty {
                    None => self.error(format!("there is no {column}")),
                    Some(ty) if !reduction.takes(ty) => {
                        self.error(format!("{column} is {ty}, of which there is no such reduction"));
                    }
                    Some(ty) => self.expect(*from, ty),
                }
                if let Some(given) = given {
                    match self.buffer(*given) {
                        Some((Ty::Bool | Ty::I64, _)) => {}
                        _ => self.error(format!("{given} does not say what is given")),
                    }
                }
                self.define(*number, ty);
                self.define(*is_one, Some(Ty::Bool));
            }
        }
    }

    fn kernel(&mut self, kernel: KernelId) {
        if kernel.0 as usize >= self.program.kernels.len() {
            self.error(format!("there is no {kernel}"));
        }
    }

    fn items(&mut self, items: Items) {
        items.payload.into_iter().chain(items.tag).for_each(|buffer| self.buffer_there(buffer));
    }

    fn buffer_there(&mut self, buffer: Buffer) {
        if self.buffer(buffer).is_none() {
            self.error(format!("there is no {buffer}"));
        }
    }

    /// Some statements are a driver's, others an element's.
    fn side(&mut self, stmt: &Stmt) {
        let drivers = matches!(
            stmt,
            Stmt::Launch { .. }
                | Stmt::Over { .. }
                | Stmt::Copy { .. }
                | Stmt::Assign(..)
                | Stmt::Sync(_)
                | Stmt::Progress { .. }
                | Stmt::Reduce { .. }
                | Stmt::Let { op: Op::Compact { .. } | Op::Append { .. } | Op::Lengthen { .. }, .. }
        );
        let elements = match stmt {
            Stmt::Let { op, .. } => {
                matches!(op, Op::Element | Op::Tick | Op::Watch { .. } | Op::Claim { .. })
            }
            Stmt::Defer { .. } | Stmt::Tick(_) => true,
            _ => false,
        };
        match self.is_driver {
            true if elements => self.error("is for elements, not for a driver"),
            false if drivers => self.error("is for a driver only"),
            _ => {}
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_) | Op::Element | Op::Tick | Op::Path => {}
            Op::Get(var) => {
                if self.var_type(*var).is_none() {
                    self.error(format!("there is no {var}"));
                }
            }
            Op::Scalar(scalar) => {
                if scalar.0 as usize >= self.program.scalars.len() {
                    self.error(format!("there is no {scalar}"));
                }
            }
            Op::Unary(op, a) => self.expect(*a, op.signature().0),
            Op::Binary(op, a, b) => match op.ty() {
                Some(ty) => {
                    self.expect(*a, ty);
                    self.expect(*b, ty);
                }
                None => {
                    self.expect_integer(*a);
                    self.expect_like(*b, *a);
                }
            },
            Op::Compare(comparison, a, b) => {
                if *comparison == Comparison::LtU {
                    self.expect_integer(*a);
                }
                self.expect_like(*b, *a);
            }
            Op::Select(condition, a, b) => {
                self.expect(*condition, Ty::Bool);
                self.expect_like(*b, *a);
            }
            Op::WideMod(args) => args.iter().for_each(|arg| self.expect(*arg, Ty::I64)),
            Op::Load(buffer, index) => {
                self.expect(*index, Ty::I32);
                if self.buffer(*buffer).is_none() {
                    self.error(format!("there is no {buffer}"));
                }
            }
            Op::Watch { marks, row, me, .. } => {
                self.expect(*row, Ty::I32);
                self.expect(*me, Ty::I64);
                let info = self.program.buffers.get(marks.0 as usize);
                if !info.is_some_and(|info| matches!(info.kind, BufferKind::Marks(_)) && info.written) {
                    self.error(format!("{marks} holds no marks"));
                }
            }
            Op::Claim { ends, count } => {
                self.expect(*count, Ty::I64);
                let info = self.program.buffers.get(ends.0 as usize);
                if !info.is_some_and(|info| matches!(info.kind, BufferKind::ArrayEnds(_)) && info.written) {
                    self.error(format!("{ends} does not tell where arrays end"));
                }
            }
            Op::Lengthen { buffer, count } => {
                self.expect(*count, Ty::I64);
                if self.program.lengthened_with(*buffer).is_empty() {
                    self.error(format!("{buffer} is no column that gets longer"));
                }
            }
            Op::Append { from, tag, given, count, into, kept, .. } => {
                self.expect(*count, Ty::I64);
                for value in kept.iter().flatten() {
                    self.expect_integer(*value);
                }
                self.items(*from);
                self.items(into.items);
                if into.items.tag.is_some() && from.tag.is_none() && tag.is_none() {
                    self.error("what the values are is not told");
                }
                for index in [into.offset, into.length] {
                    if self.buffer(index).map(|(ty, _)| ty) != Some(Ty::I32) {
                        self.error(format!("{index} is no list of offsets or lengths"));
                    }
                }
                if let Some(given) = given
                    && self.buffer(*given).map(|(ty, _)| ty) != Some(Ty::Bool)
                {
                    self.error(format!("{given} does not say what is given"));
                }
            }
            Op::Compact { flags, indices } => {
                if self.buffer(*flags).is_none_or(|(ty, _)| ty != Ty::Bool) {
                    self.error(format!("{flags} holds no flags"));
                }
                let info = self.program.buffers.get(indices.0 as usize);
                if !info.is_some_and(|info| info.kind == BufferKind::Selection && info.written) {
                    self.error(format!("{indices} is no selection"));
                }
            }
            Op::Math(function, args) => {
                if args.len() != function.arity() {
                    self.error(format!("{} takes {} operands", function.c_name(), function.arity()));
                }
                args.iter().for_each(|v| self.expect(*v, Ty::F64));
            }
            Op::Match { words, first, asks } => {
                self.expect(*first, Ty::I32);
                if self.buffer(*words).is_none_or(|(ty, _)| ty != Ty::I64) || asks.len() != 6 {
                    self.error(format!("{words} holds no words, or it is not said what is asked"));
                }
                asks.iter().for_each(|value| self.expect(*value, Ty::I64));
            }
            Op::Print { words, first, tells } => {
                self.expect(*first, Ty::I32);
                if self.buffer(*words).is_none_or(|(ty, _)| ty != Ty::I64) || tells.len() != 4 {
                    self.error(format!("{words} holds no words, or it is not said how they are printed"));
                }
                tells.iter().for_each(|value| self.expect(*value, Ty::I64));
            }
            Op::Intrinsic { function, texts, args } => {
                if (texts.len(), args.len()) != (function.texts(), function.args()) {
                    self.error(format!("{} takes other texts or numbers", function.name()));
                }
                for (words, first) in texts {
                    self.expect(*first, Ty::I32);
                    if self.buffer(*words).is_none_or(|(ty, _)| ty != Ty::I64) {
                        self.error(format!("{words} holds no words"));
                    }
                }
                let kind = op.written_text().and_then(|words| self.program.buffers.get(words.0 as usize));
                if kind.is_some_and(|info| info.kind != BufferKind::Scratch) {
                    self.error("an intrinsic writes scratch memory only");
                }
                args.iter().for_each(|value| self.expect(*value, Ty::I64));
            }
            Op::Group(number) => self.expect(*number, Ty::I64),
            Op::Random => {
                if !self.program.uses_random {
                    self.error("the program is not marked as using random numbers");
                }
            }
        }
    }

    fn labelled(&mut self, label: Label, is_loop: bool, body: &'a Block) {
        match self.seen_labels.get_mut(label.0 as usize) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => self.error(format!("{label} is there already")),
            None => self.error(format!("the function has {} labels only", self.function.labels)),
        }
        self.labels.push((label, is_loop));
        self.block(body);
        self.labels.pop();
    }

    fn failure(&mut self, site: SiteId, operands: &[Value]) {
        self.site(site);
        if operands.len() > 2 {
            self.error("a failure has two operands at most");
        }
        for value in operands {
            if self.ty(*value) == Some(Ty::Bool) {
                self.error(format!("{value} is bool, which no message has"));
            }
        }
    }

    fn site(&mut self, site: SiteId) {
        if site.0 as usize >= self.program.sites.len() {
            self.error(format!("there is no {site}"));
        }
    }

    fn define(&mut self, value: Value, ty: Option<Ty>) {
        let at = value.0 as usize;
        match self.defined.get_mut(at) {
            None => return self.error(format!("the function has no {value}")),
            Some(true) => return self.error(format!("{value} is defined already")),
            Some(defined) => *defined = true,
        }
        self.visible[at] = true;
        self.scope.push(value);
        if let Some(ty) = ty
            && self.ty(value) != Some(ty)
        {
            self.error(format!("{value} is said to be {} and is {ty}", self.function.values[at].ty));
        }
    }

    /// Of values that are not there something else has been said already.
    fn expect(&mut self, value: Value, ty: Ty) {
        if let Some(found) = self.ty(value).filter(|found| *found != ty) {
            self.error(format!("{value} is {found}, expected {ty}"));
        }
    }

    fn expect_like(&mut self, value: Value, other: Value) {
        if let Some(ty) = self.ty(other) {
            self.expect(value, ty);
        }
    }

    fn expect_integer(&mut self, value: Value) {
        if let Some(found) = self.ty(value).filter(|found| !found.is_integer()) {
            self.error(format!("{value} is {found}, expected i32 or i64"));
        }
    }

    fn expect_all(&mut self, values: &[Value], types: &[Ty], what: &str) {
        if values.len() != types.len() {
            self.error(format!("expected {} {what}, found {}", types.len(), values.len()));
        }
        for (value, ty) in values.iter().zip(types) {
            self.expect(*value, *ty);
        }
    }

    fn ty(&self, value: Value) -> Option<Ty> {
        self.function.values.get(value.0 as usize).map(|v| v.ty)
    }

    fn var_type(&self, var: Var) -> Option<Ty> {
        self.function.vars.get(var.0 as usize).copied()
    }

    /// Can a driver make rows of the column?
    fn has_new_rows(&self, buffer: Buffer) -> bool {
        let kind = self.program.buffers.get(buffer.0 as usize).map(|info| &info.kind);
        kind.is_some_and(|kind| {
            matches!(
                kind,
                BufferKind::Column { .. }
                    | BufferKind::Frozen(_)
                    | BufferKind::Places(_)
                    | BufferKind::ArrayOffset(_)
                    | BufferKind::ArrayLength(_)
                    | BufferKind::ArrayRoom(_)
                    | BufferKind::FrozenArray(_)
                    | BufferKind::ArrayValues(..)
            )
        })
    }

    fn buffer(&self, buffer: Buffer) -> Option<(Ty, bool)> {
        self.program.buffers.get(buffer.0 as usize).map(|b| (b.ty, b.written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parser::parse;

    const HEAD: &str = r#"
        b0 = base: i32
        b1 = column h0 "@x": f64 written
        s0 = root 0: i64
        e0 = overflow "+" at "t.rb":3 in "move"
        entry f0 "Car"
        fn f1 "pair" (v0: i32, v1: f64) -> (f64, i64) { v2 = i64 1; return v1, v2 }
    "#;

    /// The errors of a program whose entry has this body; parameters are v0 to v2.
    fn errors(body: &str) -> Vec<String> {
        let [declarations, pair] = HEAD.split("fn f1").collect::<Vec<_>>()[..] else { unreachable!() };
        let text = format!("{declarations}\nfn f0 (v0: i32, v1: i64, v2: i64) {{\n{body}\n}}\nfn f1{pair}");
        verify(&parse(&text).unwrap()).err().unwrap_or_default()
    }

    #[track_caller]
    fn wrong(body: &str, error: &str) {
        assert_eq!(errors(body), [error]);
    }

    #[track_caller]
    fn right(body: &str) {
        assert_eq!(errors(body), [] as [&str; 0]);
    }

    #[test]
    fn a_right_program_has_no_errors() {
        right(
            "v3 = load b0[v0]
             v4 = load b1[v3]
             v5, v6 = call f1(v3, v4)
             loop L0 {
               v7 = add_checked v6, v1 at e0
               v8 = lt v7, v2
               block L1 { if v8 { break L1 } else { break L0 } }
               if v8 { continue L0 }
               check v8 at e0 with v7, v6
               x0 = v5
             }
             v9 = x0
             store b1[v3] = v9
             tick v1
             return",
        );
    }

    #[test]
    fn values_are_defined_before_their_use() {
        wrong("v4: i64 = add v3, v1; v3 = i64 1", "f0: `v4 = add v3, v1`: v3 is not defined here");
    }

    #[test]
    fn values_are_defined_once() {
        wrong("v3 = tick; v3 = s0", "f0: `v3 = s0`: v3 is defined already");
        wrong("v1 = i64 1", "f0: `v1 = i64 1`: v1 is defined already");
    }

    #[test]
    fn what_an_arm_defines_ends_with_it() {
        let errors = errors("v3 = true; if v3 { v4 = i64 1 } else { v5 = not v3; tick v4 }; tick v4");
        assert_eq!(errors, ["f0: `tick v4`: v4 is not defined here"; 2]);
    }

    #[test]
    fn what_loops_and_blocks_define_ends_with_them() {
        wrong("loop L0 { v3 = i64 1; break L0 }; tick v3", "f0: `tick v3`: v3 is not defined here");
        wrong("block L0 { v3 = i64 1 }; tick v3", "f0: `tick v3`: v3 is not defined here");
    }

    #[test]
    fn operands_have_the_types_of_their_operation() {
        wrong("v3 = add v1, v0", "f0: `v3 = add v1, v0`: v0 is i32, expected i64");
        wrong("v3 = true; v4 = add v3, v3", "f0: `v4 = add v3, v3`: v3 is bool, expected i32 or i64");
        wrong(
            "v3 = add_checked v1, v0 at e0",
            "f0: `v3 = add_checked v1, v0 at e0`: v0 is i32, expected i64",
        );
        wrong("v3 = neg_f v1", "f0: `v3 = neg_f v1`: v1 is i64, expected f64");
        wrong("v3 = lt v0, v1", "f0: `v3 = lt v0, v1`: v1 is i64, expected i32");
        wrong("v3 = f64 1.0; v4 = lt_u v3, v3", "f0: `v4 = lt_u v3, v3`: v3 is f64, expected i32 or i64");
        wrong("v3 = select v0, v1, v2", "f0: `v3 = select v0, v1, v2`: v0 is i32, expected bool");
        wrong("v3 = math sin v1", "f0: `v3 = math sin v1`: v1 is i64, expected f64");
        wrong("v3 = f64 1.0; v4 = math atan2 v3", "f0: `v4 = math atan2 v3`: atan2 takes 2 operands");
        wrong("v3 = load b0[v1]", "f0: `v3 = load b0[v1]`: v1 is i64, expected i32");
        wrong("if v0 { }", "f0: `if v0`: v0 is i32, expected bool");
        wrong("check v0 at e0", "f0: `check v0 at e0`: v0 is i32, expected bool");
        wrong("tick v0", "f0: `tick v0`: v0 is i32, expected i64");
        wrong("var x0: i64; x0 = v0", "f0: `x0 = v0`: v0 is i32, expected i64");
    }

    #[test]
    fn results_have_the_types_of_their_operation() {
        wrong("v3: i32 = add v1, v2", "f0: `v3: i32 = add v1, v2`: v3 is said to be i32 and is i64");
        wrong(
            "v3 = f64 1.0; v4: i64, v5 = call f1(v0, v3)",
            "f0: `v4: i64, v5 = call f1(v0, v3)`: v4 is said to be i64 and is f64",
        );
    }

    #[test]
    fn stores_fit_their_buffer_and_are_declared() {
        wrong("store b1[v0] = v1", "f0: `store b1[v0] = v1`: v1 is i64, expected f64");
        wrong("store b0[v0] = v0", "f0: `store b0[v0] = v0`: b0 is not marked as written");
        wrong("v3 = f64 1.0; store b1[v1] = v3", "f0: `store b1[v1] = v3`: v1 is i64, expected i32");
    }

    #[test]
    fn entities_exist() {
        wrong("v3: i64 = load b7[v0]", "f0: `v3: i64 = load b7[v0]`: there is no b7");
        wrong("store b7[v0] = v0", "f0: `store b7[v0] = v0`: there is no b7");
        wrong("v3: i64 = s7", "f0: `v3: i64 = s7`: there is no s7");
        wrong("v3: i64 = x7", "f0: `v3: i64 = x7`: there is no x7");
        wrong("call f7()", "f0: `call f7()`: there is no f7");
        wrong("fail at e7", "f0: `fail at e7`: there is no e7");
        let program = parse("entry f3 \"Car\"").unwrap();
        assert_eq!(verify(&program).unwrap_err(), ["entry \"Car\": there is no f3"]);
    }

    #[test]
    fn what_can_fail_has_a_site() {
        wrong("v3 = mul_checked v1, v2", "f0: `v3 = mul_checked v1, v2`: can fail and has no site");
        wrong("v3 = floor_div v1, v2", "f0: `v3 = floor_div v1, v2`: can fail and has no site");
        right("v3 = floor_mod v1, v2");
    }

    #[test]
    fn failures_have_two_numbers_at_most() {
        wrong(
            "fail at e0 with v0, v1, v2",
            "f0: `fail at e0 with v0, v1, v2`: a failure has two operands at most",
        );
        wrong("v3 = true; fail at e0 with v3", "f0: `fail at e0 with v3`: v3 is bool, which no message has");
    }

    #[test]
    fn calls_match_signatures() {
        wrong(
            "v3 = f64 1.0; v4, v5 = call f1(v3, v3)",
            "f0: `v4, v5 = call f1(v3, v3)`: v3 is f64, expected i32",
        );
        let found = errors("v4 = call f1(v0)");
        assert_eq!(
            found,
            [
                "f0: `v4 = call f1(v0)`: expected 2 arguments, found 1",
                "f0: `v4 = call f1(v0)`: f1 has 2 results"
            ]
        );
        wrong("return v0", "f0: `return v0`: expected 0 results, found 1");
    }

    #[test]
    fn entries_take_an_element_and_its_ticks() {
        let program = parse("entry f0 \"Car\"\nfn f0 (v0: i32) { }").unwrap();
        assert_eq!(
            verify(&program).unwrap_err(),
            ["entry \"Car\": f0 is not of (element: i32, first tick: i64, end tick: i64) without results"]
        );
    }

    #[test]
    fn drivers_and_elements_have_operations_of_their_own() {
        let only = "is for a driver only";
        wrong("launch k0", &format!("f0: `launch k0`: {only}"));
        let head = "b0 = result: bool written
            b1 = selection: i32 written
            b2 = merged v0: i64 written
            b3 = column h0 \"@x\": f64 written
            entry f0
            driver f1
            fn f0 (v0: i32, v1: i64, v2: i64) { }";
        let errors = |body: &str| {
            let text = format!("{head}\nfn f1 () {{\n{body}\n}}");
            verify(&parse(&text).unwrap()).err().unwrap_or_default()
        };
        let right = "launch k0
            v0 = compact b0 into b1
            v1, v2 = reduce add b2 where b0 from v0
            if v2 { v3 = i32 0; store b2[v3] = v1; v4 = load b2[v3] }";
        assert_eq!(errors(right), [] as [&str; 0]);
        let wrong = |body: &str, error: &str| {
            assert_eq!(errors(body).last().map(String::as_str), Some(format!("f1: {error}").as_str()));
        };
        wrong("launch k1", "`launch k1`: there is no k1");
        wrong("v0 = tick", "`v0 = tick`: is for elements, not for a driver");
        wrong("call f0()", "`call f0()`: expected 3 arguments, found 0");
        wrong("v0 = i64 1; over k1 for v0", "`over k1 for v0`: there is no k1");
        wrong("v0 = i32 0; over k0 for v0", "`over k0 for v0`: v0 is i32, expected i64");
        let text = "copy b3[v0] for v1 into b2";
        wrong(&format!("v0 = i32 0; v1 = i64 1; {text}"), &format!("`{text}`: b2 cannot hold what is in b3"));
        wrong("v0 = i64 1; s0 = v0", "`s0 = v0`: s0 is not the driver's to set");
        let text = "v1 = append b3 for v0 into b1, b1, b3 tag b1";
        let told = "what the values are is not told";
        wrong(&format!("v0 = i64 1; {text}"), &format!("`{text}`: {told}"));
        wrong("v0 = compact b3 into b1", "`v0 = compact b3 into b1`: b3 holds no flags");
        wrong("v0 = compact b0 into b3", "`v0 = compact b0 into b3`: b3 is no selection");
        let text = "v1 = lengthen b3 by v0";
        wrong(&format!("v0 = i64 1; {text}"), &format!("`{text}`: b3 is no column that gets longer"));
        let text = "v1, v2 = reduce xor b3 from v0";
        wrong(
            &format!("v0 = f64 1.0; {text}"),
            &format!("`{text}`: b3 is f64, of which there is no such reduction"),
        );
        let text = "v1, v2 = reduce add b2 where b3 from v0";
        wrong(&format!("v0 = i64 1; {text}"), &format!("`{text}`: b3 does not say what is given"));
        let text = "v1, v2 = reduce add b2 from v0";
        wrong(&format!("v0 = f64 1.0; {text}"), &format!("`{text}`: v0 is f64, expected i64"));
        let program = parse("driver f0\nfn f0 () -> i64 { v0 = i64 1; return v0 }").unwrap();
        assert_eq!(verify(&program).unwrap_err(), ["driver: f0 takes or gives something"]);
        assert_eq!(verify(&parse("driver f7").unwrap()).unwrap_err(), ["driver: there is no f7"]);
    }

    #[test]
    fn labels_are_around_what_leaves_them() {
        wrong("break L0", "f0: `break L0`: L0 is not around it");
        wrong("loop L0 { break L0 }; block L1 { continue L0 }", "f0: `continue L0`: L0 is not around it");
        wrong("block L0 { continue L0 }", "f0: `continue L0`: L0 is not a loop");
        wrong("block L0 { }; block L0 { }", "f0: `block L0`: L0 is there already");
        let mut program = parse("fn f0 () { block L0 { } }").unwrap();
        program.functions[0].labels = 0;
        assert_eq!(verify(&program).unwrap_err(), ["f0: `block L0`: the function has 0 labels only"]);
    }

    #[test]
    fn nothing_stands_after_a_terminator() {
        let text = "stands after a statement that never completes";
        wrong("return; tick v1", &format!("f0: `tick v1`: {text}"));
        wrong("fail at e0; tick v1", &format!("f0: `tick v1`: {text}"));
        wrong("loop L0 { break L0; tick v1 }", &format!("f0: `tick v1`: {text}"));
        wrong("loop L0 { continue L0; tick v1 }", &format!("f0: `tick v1`: {text}"));
    }

    #[test]
    fn a_function_with_results_returns_them() {
        let error = "f0: a function with results reaches its end without `return`";
        let verify = |body: &str| verify(&parse(&format!("fn f0 (v0: bool) -> bool {{ {body} }}")).unwrap());
        assert_eq!(verify("if v0 { return v0 }").unwrap_err(), [error]);
        assert_eq!(verify("loop L0 { if v0 { break L0 } }").unwrap_err(), [error]);
        assert!(verify("if v0 { return v0 } else { loop L0 { } }").is_ok());
        assert!(verify("block L0 { return v0 }").is_ok());
    }

    #[test]
    fn intervals_fit_their_type() {
        wrong("v3 = load b0[v0] in 5..=4", "f0: v3: i32 has no interval 5..=4");
        wrong("v3 = load b0[v0] in 0..=3_000_000_000", "f0: v3: i32 has no interval 0..=3000000000");
        wrong("v3 = i64 7 in 0..=5", "f0: `v3 = i64 7 in 0..=5`: the constant is outside its interval");
    }

    #[test]
    fn random_numbers_are_declared() {
        wrong("v3 = random", "f0: `v3 = random`: the program is not marked as using random numbers");
    }

    #[test]
    fn buffers_have_the_type_of_their_kind() {
        let program = parse("b0 = base tag: i64\nb1 = frozen h0: i32\nb2 = array_length a0: i64").unwrap();
        assert_eq!(
            verify(&program).unwrap_err(),
            [
                "b0: a buffer of this kind is i32, not i64",
                "b1: a buffer of this kind is bool, not i32",
                "b2: a buffer of this kind is i32, not i64",
            ]
        );
    }
}
