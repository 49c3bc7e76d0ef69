//! One function: its signature, statements and control flow. Functions that can fail give `bool`, and their callers
//! check it; results go out by reference.
//!
//! A value that is pure and used once in the block that defines it is written where it is used, as a person would.

use super::divisors::loop_divisors;
use super::expression::{Text, literal};
use super::shared::Part;
use super::width::{self, Width};
use super::{Names, comment, place};
use crate::backend::cuda::deferred::{Added, Way};
use crate::ir::fission::Fission;
use crate::ir::{BinaryOp, Block, ErrorKind, FuncId, Function, Label, Op, SiteId, Stmt, Value, Var, walk};
use crate::scalar::{Interval, Ty};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// An expression written in place is no longer than this, so that lines stay readable.
const LONGEST: usize = 90;

/// The declaration of a function, without `;` or body.
pub(super) fn signature(names: &Names<'_>, index: usize) -> String {
    let function = &names.program.functions[index];
    let (values, _) = width::intervals(function);
    let result = if names.can_fail[index] { "bool" } else { "void" };
    // What inference made a function is to be compiled once, not inlined again.
    let is_entry = names.program.entries().any(|entry| entry.function.0 as usize == index);
    let inlining = if is_entry { "" } else { "__noinline__ " };
    let form = if names.sharing.functions[index] { "template <bool SHARED> " } else { "" };
    let mut text =
        format!("{form}static __device__ {inlining}{result} {}(Element& e", names.functions[index]);
    for (i, ty) in function.params.iter().enumerate() {
        let _ = write!(text, ", {} v{i}", Width::of(*ty, values[i]).c_name());
    }
    for (i, ty) in function.results.iter().enumerate() {
        let _ = write!(text, ", {}& r{i}", result_width(*ty).c_name());
    }
    text.push(')');
    text
}

/// Callers and callees agree on results by type alone.
fn result_width(ty: Ty) -> Width {
    Width::of(ty, Interval::FULL)
}

/// The definition of a function.
pub(super) fn emit(names: &Names<'_>, index: usize, out: &mut String) {
    let function = &names.program.functions[index];
    let (intervals, vars) = width::intervals(function);
    let mut writer = Writer {
        names,
        function,
        index,
        can_fail: names.can_fail[index],
        vars: function.vars.iter().zip(vars).map(|(ty, known)| Width::of(*ty, known)).collect(),
        intervals,
        uses: Uses::of(&function.body, function.values.len()),
        loops_shared: &names.sharing.loops[index],
        part: None,
        divisors: BTreeSet::new(),
        texts: vec![None; function.values.len()],
        constants: vec![None; function.values.len()],
        loops: Vec::new(),
        jumped: JumpTargets::default(),
        site: None,
        shown: 0,
        depth: 1,
        out,
    };
    writer.divisors = loop_divisors(function, &writer.intervals);
    if !function.name.is_empty() {
        let _ = writeln!(writer.out, "// {}", comment(&function.name));
    }
    let _ = writeln!(writer.out, "{} {{", signature(names, index));
    if names.recursive[index] {
        writer.line("int here;");
        // A full stack is what the function's own check of depth would say a little later.
        let mut site = -1;
        walk::for_each(&function.body, &mut |s| {
            if let Stmt::Check { site: at, .. } = s
                && names.program.sites[at.0 as usize].error == ErrorKind::StackTooDeep
            {
                site = at.0 as i32;
            }
        });
        writer.line(&format!("if (out_of_stack(e, here)) return fail(e, {site});"));
        writer.line("if (stopped(e)) return false;");
    }
    for parameter in 0..function.params.len() {
        writer.reciprocal(Value(parameter as u32));
    }
    let mut used = BTreeSet::new();
    walk::for_each(&function.body, &mut |s| {
        if let Stmt::Set(var, _) | Stmt::Let { op: Op::Get(var), .. } = s {
            used.insert(*var);
        }
    });
    for var in used {
        let ty = writer.vars[var.0 as usize];
        let zero = if ty == Width::Bool { "false" } else { "0" };
        writer.line(&format!("{} {var} = {zero};", ty.c_name()));
    }
    writer.block(&function.body, 0);
    if writer.can_fail && !matches!(function.body.last(), Some(Stmt::Return(_) | Stmt::Fail { .. })) {
        writer.line("return true;");
    }
    writer.out.push_str("}\n");
}

/// How often, and in which blocks, values are defined and used. Blocks are numbered in the order of the walk.
pub(super) struct Uses {
    defined_in: Vec<u32>,
    count: Vec<u32>,
    used_in: Vec<u32>,
    blocks: u32,
}

impl Uses {
    /// In a block of a function with so many values.
    pub(super) fn of(block: &Block, n: usize) -> Self {
        let mut uses = Self { defined_in: vec![0; n], count: vec![0; n], used_in: vec![0; n], blocks: 0 };
        uses.block(block);
        uses
    }

    fn block(&mut self, block: &Block) {
        let here = self.blocks;
        self.blocks += 1;
        for s in block {
            for v in s.operands() {
                self.count[v.0 as usize] += 1;
                self.used_in[v.0 as usize] = here;
            }
            match s {
                Stmt::Let { value, .. } => self.defined_in[value.0 as usize] = here,
                Stmt::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::Loop { body, .. } | Stmt::Block { body, .. } => self.block(body),
                _ => {}
            }
        }
    }
}

/// Labels that some `goto` of the text wants: C's `break` and `continue` reach the innermost loop only.
#[derive(Default)]
pub(super) struct JumpTargets {
    ends: Vec<Label>,
    nexts: Vec<Label>,
}

pub(super) struct Writer<'a, 'o> {
    pub(super) names: &'a Names<'a>,
    pub(super) function: &'a Function,
    /// The function's number.
    pub(super) index: usize,
    can_fail: bool,
    pub(super) vars: Vec<Width>,
    pub(super) intervals: Vec<Interval>,
    pub(super) uses: Uses,
    loops_shared: &'a BTreeMap<Label, Fission>,
    /// What is written is a part of a shared loop.
    pub(super) part: Option<Part<'a>>,
    /// Values that come with their reciprocal.
    divisors: BTreeSet<Value>,
    /// The expression of a value that is written in place.
    pub(super) texts: Vec<Option<Text>>,
    /// The literal's operation, for values that are constants.
    constants: Vec<Option<Op>>,
    /// Loops around the statement, innermost last.
    pub(super) loops: Vec<Label>,
    pub(super) jumped: JumpTargets,
    /// The place that the last comment named.
    site: Option<SiteId>,
    /// The expression that the last comment named.
    shown: u32,
    pub(super) depth: usize,
    out: &'o mut String,
}

impl Writer<'_, '_> {
    pub(super) fn width(&self, v: Value) -> Width {
        Width::of(self.function.values[v.0 as usize].ty, self.intervals[v.0 as usize])
    }

    pub(super) fn interval(&self, v: Value) -> Interval {
        self.intervals[v.0 as usize]
    }

    pub(super) fn float_constant(&self, v: Value) -> Option<f64> {
        match self.constants[v.0 as usize] {
            Some(Op::F64(x)) => Some(x),
            _ => None,
        }
    }

    /// The number that a value always is.
    pub(super) fn constant(&self, v: Value) -> Option<i64> {
        match self.constants[v.0 as usize] {
            Some(Op::I32(n)) => Some(i64::from(n)),
            Some(Op::I64(n)) => Some(n),
            _ => None,
        }
    }

    /// A value as an operand, of the C type of its width.
    pub(super) fn text(&self, v: Value) -> Text {
        if let Some(op) = &self.constants[v.0 as usize] {
            return literal(op, self.width(v));
        }
        self.texts[v.0 as usize].clone().unwrap_or_else(|| Text::atom(v.to_string()))
    }

    /// A value as an operand of this C type.
    pub(super) fn text_as(&self, v: Value, width: Width) -> Text {
        match &self.constants[v.0 as usize] {
            Some(op) => literal(op, width),
            None => self.text(v).converted(self.width(v), width),
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Says where in the user's source we are, once for each line of it.
    fn at(&mut self, site: Option<SiteId>) {
        let sites = &self.names.program.sites;
        let known = |s: &SiteId| sites.get(s.0 as usize).is_some_and(|s| !s.places.is_empty());
        let Some(site) = site.filter(known) else { return };
        let new = &sites[site.0 as usize];
        let same = self.site.is_some_and(|old| {
            let old = &sites[old.0 as usize];
            old.place() == new.place()
        });
        if !same {
            let text = format!("// {}", place(new));
            self.line(&text);
        }
        self.site = Some(site);
    }

    pub(super) fn block(&mut self, block: &Block, number: u32) -> u32 {
        // Numbers are given as `Uses` gave them: to the block itself, then to the blocks in it, in order.
        let mut next = number + 1;
        for s in block {
            next = self.statement(s, number, next);
        }
        next
    }

    fn nested(&mut self, block: &Block, number: u32) -> u32 {
        self.depth += 1;
        let next = self.block(block, number);
        self.depth -= 1;
        next
    }

    fn statement(&mut self, s: &Stmt, here: u32, mut next: u32) -> u32 {
        if self.names.is_shown {
            let number = self.function.origin(s).number().unwrap_or(0);
            if std::mem::replace(&mut self.shown, number) != number {
                self.line(&format!("// @{number:x}"));
            }
        }
        match s {
            Stmt::Let { value, op, site } => {
                self.define(*value, op, *site, here);
                self.record(*value);
                self.reciprocal(*value);
            }
            Stmt::Set(var, value) => {
                let text = self.text_as(*value, self.vars[var.0 as usize]);
                self.line(&format!("{var} = {text};"));
            }
            Stmt::Store { buffer, index, value } => {
                let target = self.place(*buffer, *index);
                let shared = self.is_shared();
                let who = if shared { "if (writes<SHARED>(e)) " } else { "" };
                self.line(&format!("{who}{target} = {};", self.text(*value)));
                if shared {
                    self.line("written<SHARED>();");
                }
            }
            Stmt::If { condition, then, otherwise } => {
                let c = self.text(*condition);
                let negate = then.is_empty() && !otherwise.is_empty();
                self.line(&format!("if ({}) {{", if negate { c.negated() } else { c }));
                next = self.nested(then, next);
                if !negate && !otherwise.is_empty() {
                    self.line("} else {");
                }
                next = self.nested(otherwise, next);
                self.line("}");
            }
            Stmt::Loop { label, body } => {
                if let Some(fission) = self.loops_shared.get(label) {
                    self.shared_loop(*label, fission);
                }
                self.line("while (true) {");
                if walk::may_run_long(body) {
                    self.depth += 1;
                    self.line("if (stopped(e)) return false;");
                    self.depth -= 1;
                }
                self.loops.push(*label);
                // A `goto` to the next round may not jump over the declarations of this one, so they get a scope; it
                // is written only where some jump needs it.
                let at = self.out.len();
                next = self.nested(body, next);
                self.loops.pop();
                if self.jumped.nexts.contains(label) {
                    self.jumped.nexts.retain(|l| l != label);
                    self.out.insert_str(at, &format!("{}{{\n", "  ".repeat(self.depth)));
                    self.line(&format!("}} {label}_next:;"));
                }
                self.close(*label);
            }
            Stmt::Block { label, body } => {
                self.line("{");
                next = self.nested(body, next);
                self.close(*label);
            }
            Stmt::Break(label) | Stmt::Continue(label) if self.ends_part(*label) => {
                let end = self.end_of_part(*label, matches!(s, Stmt::Continue(_)));
                self.line(&end);
            }
            Stmt::Break(label) => {
                if self.loops.last() == Some(label) {
                    self.line("break;");
                } else {
                    self.jumped.ends.push(*label);
                    self.line(&format!("goto {label}_end;"));
                }
            }
            Stmt::Continue(label) => {
                if self.loops.last() == Some(label) {
                    self.line("continue;");
                } else {
                    self.jumped.nexts.push(*label);
                    self.line(&format!("goto {label}_next;"));
                }
            }
            Stmt::Check { condition, site, operands } => {
                self.at(Some(*site));
                let fail = self.failure(*site, operands);
                let c = self.text(*condition).negated();
                self.line(&format!("if ({c}) {fail}"));
            }
            Stmt::Fail { site, operands } => {
                self.at(Some(*site));
                let fail = self.failure(*site, operands);
                self.line(&fail);
            }
            Stmt::Defer { function, args } => self.defer(*function, args),
            // A driver's, which runs on the host.
            Stmt::Launch { .. }
            | Stmt::Over { .. }
            | Stmt::Copy { .. }
            | Stmt::Assign(..)
            | Stmt::Sync(_)
            | Stmt::Progress { .. }
            | Stmt::Reduce { .. } => {}
            Stmt::Call { function, args, results } => self.call(function.0 as usize, args, results),
            Stmt::Return(_) if self.part.is_some() => {
                let stop = self.stop();
                self.line(&stop);
            }
            Stmt::Return(values) => {
                for (i, v) in values.iter().enumerate() {
                    let text = self.text_as(*v, result_width(self.function.results[i]));
                    self.line(&format!("r{i} = {text};"));
                }
                self.line(if self.can_fail { "return true;" } else { "return;" });
            }
            Stmt::Tick(value) => {
                let text = self.text(*value);
                self.line(&format!("start_tick(e, {text});"));
            }
            Stmt::Path(value) => {
                let text = self.text_as(*value, Width::Long);
                self.line(&format!("e.path = {text};"));
            }
        }
        next
    }

    /// The brace that ends a labelled statement, and the label if a jump wants it.
    fn close(&mut self, label: Label) {
        if self.jumped.ends.contains(&label) {
            self.jumped.ends.retain(|l| *l != label);
            self.line(&format!("}} {label}_end:;"));
        } else {
            self.line("}");
        }
    }

    fn failure(&self, site: SiteId, operands: &[Value]) -> String {
        if self.part.is_some() {
            return self.stop();
        }
        if matches!(self.names.program.sites[site.0 as usize].error, ErrorKind::Race { .. }) {
            return "return conflict();".to_owned();
        }
        let mut text = format!("return fail(e, {}", site.0);
        for v in operands.iter().take(2) {
            match self.width(*v) {
                Width::Double => {
                    let _ = write!(text, ", __double_as_longlong({})", self.text(*v));
                }
                _ => {
                    let _ = write!(text, ", {}", self.text(*v));
                }
            }
        }
        text.push_str(");");
        text
    }

    fn define(&mut self, value: Value, op: &Op, site: Option<SiteId>, here: u32) {
        let at = value.0 as usize;
        // A part of a shared loop may have had another text for it.
        self.texts[at] = None;
        if matches!(op, Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_)) {
            self.constants[at] = Some(op.clone());
            return;
        }
        let width = self.width(value);
        if let Op::Binary(binary, a, b) = op
            && width::can_overflow(*binary, self.interval(*a), self.interval(*b))
        {
            self.at(site);
            if self.checked(value, *binary, *a, *b, site.unwrap_or(SiteId(0))) {
                return;
            }
        }
        let text = self.expression(value, op);
        let moves = self.is_pure(op);
        let recorded = self.is_recorded(value);
        if self.uses.count[at] == 0 && !recorded {
            // A draw that no one looks at is a draw all the same.
            if matches!(op, Op::Random | Op::Watch { .. } | Op::Claim { .. }) {
                self.line(&format!("{text};"));
            }
            return;
        }
        let once =
            self.uses.count[at] == 1 && self.uses.used_in[at] == here && self.uses.defined_in[at] == here;
        if moves && once && !recorded && text.len() <= LONGEST {
            self.texts[at] = Some(text);
            return;
        }
        self.line(&format!("{} {value} = {text};", width.c_name()));
    }

    /// May the operation be computed later in its block, or not at all?
    fn is_pure(&self, op: &Op) -> bool {
        match op {
            Op::Get(_) | Op::Tick | Op::Path | Op::Random | Op::Watch { .. } | Op::Claim { .. } => false,
            Op::Load(buffer, _) => !self.names.program.buffers[buffer.0 as usize].written,
            _ => true,
        }
    }

    /// Writes an operation that can overflow; true when that defined the value, else what is left cannot fail.
    fn checked(&mut self, value: Value, op: BinaryOp, a: Value, b: Value, site: SiteId) -> bool {
        let fail = self.failure(site, &[a, b]);
        let (left, right) = (self.text(a), self.text(b));
        let test = match op {
            BinaryOp::AddChecked => "add_overflows",
            BinaryOp::SubChecked => "sub_overflows",
            BinaryOp::MulChecked => "mul_overflows",
            _ => {
                let (left, right) = (left.operand(), right.operand());
                self.line(&format!("if ({left} == -9223372036854775807ll - 1 && {right} == -1) {fail}"));
                return false;
            }
        };
        let wide = self.width(value) == Width::Int;
        let target = if wide { format!("{value}_wide") } else { value.to_string() };
        self.line(&format!("i64 {target};"));
        self.line(&format!("if ({test}({left}, {right}, {target})) {fail}"));
        if wide {
            self.line(&format!("int {value} = (int){target};"));
        }
        true
    }

    /// Adds in place, or writes a record (see `deferred.rs`).
    fn defer(&mut self, function: FuncId, args: &[Value]) {
        let Some((_, way)) = self.names.deferred.iter().find(|(id, _)| *id == function) else { return };
        let row = self.text_as(args[0], Width::Int);
        match way.clone() {
            Way::Atomic { buffer, added, minus } => {
                let name = &self.names.buffers[buffer.0 as usize];
                let given = match added {
                    Added::Argument(number) => self.text_as(args[number], Width::Long).to_string(),
                    Added::Constant(number) => literal(&Op::I64(number), Width::Long).to_string(),
                };
                let function = if minus { "subtract_at" } else { "add_at" };
                self.line(&format!(
                    "if (!{function}(args.{name} + {}, {given})) return conflict();",
                    row.operand()
                ));
            }
            Way::Log(number) => {
                let words = args.len();
                self.line(&format!(
                    "if (u64* r = log_place(args.log{number}, args.room{number}, args.count{number}, {words})) {{"
                ));
                self.line(&format!("  r[0] = (u64)(u32)e.index << 32 | (u32)({row});"));
                for (i, arg) in args.iter().enumerate().skip(1) {
                    let word = self.text_as(*arg, Width::Long);
                    self.line(&format!("  r[{i}] = (u64)({word});"));
                }
                self.line("}");
            }
        }
    }

    fn call(&mut self, callee: usize, args: &[Value], results: &[Value]) {
        let target = &self.names.program.functions[callee];
        let form = match (self.names.sharing.functions[callee], self.is_shared()) {
            (false, _) => "",
            (true, false) => "<false>",
            (true, true) => "<SHARED>",
        };
        let mut text = format!("{}{form}(e", self.names.functions[callee]);
        for v in args {
            // C converts to the parameter's type; the parameter's interval promises that it fits.
            let _ = write!(text, ", {}", self.text(*v));
        }
        let mut narrowed = Vec::new();
        for (v, ty) in results.iter().zip(&target.results) {
            let (given, wanted) = (result_width(*ty), self.width(*v));
            let name = if given == wanted { v.to_string() } else { format!("{v}_wide") };
            self.line(&format!("{} {name};", given.c_name()));
            let _ = write!(text, ", {name}");
            if given != wanted {
                narrowed.push(format!("{} {v} = ({}){name};", wanted.c_name(), wanted.c_name()));
            }
        }
        text.push(')');
        if self.names.can_fail[callee] {
            self.line(&format!("if (!{text}) return false;"));
        } else {
            self.line(&format!("{text};"));
        }
        for line in narrowed {
            self.line(&line);
        }
        results.iter().for_each(|v| self.reciprocal(*v));
    }

    /// Defines the reciprocal of a value that loops divide by.
    pub(super) fn reciprocal(&mut self, v: Value) {
        if self.divisors.contains(&v) {
            let text = self.text(v);
            self.line(&format!("u64 {v}_reciprocal = reciprocal({text});"));
        }
    }

    pub(super) fn has_reciprocal(&self, v: Value) -> bool {
        self.divisors.contains(&v)
    }

    pub(super) fn var_width(&self, var: Var) -> Width {
        self.vars[var.0 as usize]
    }
}
