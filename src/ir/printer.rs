//! The text of a program, for people, tests and `Ikra.explain`; [`super::parser`] reads it back. Printing cannot
//! fail, whatever is wrong with the program.
//!
//! ```text
//! program random
//! b0 = base: i32
//! b1 = column h0 "@progress": i64 written
//! s0 = root 0: i64
//! e0 = overflow "+" at "traffic.rb":12 in "move" from "traffic.rb":40 in "block in run"
//! kernel k0 fused
//! entry f0 "Car"
//! driver f1
//!
//! fn f0 "Car" (v0: i32, v1: i64, v2: i64) {
//!   var x0: i64
//!   v3 = load b0[v0] in 0..
//!   v4 = load b1[v3]
//!   v5 = s0
//!   v6 = add_checked v4, v5 at e0
//!   store b1[v3] = v6
//! }
//!
//! fn f1 "driver" () {
//!   launch k0
//! }
//! ```
//!
//! A type stands after a value only where the operation does not say it, an interval only where it is narrower than
//! the type (or, for a constant, other than the constant).

use super::typing::{plain_interval, result_type};
use super::{
    Block, BufferInfo, BufferKind, ErrorKind, FuncId, Function, Items, KernelId, MessagePart, Missing, Op,
    Part, Place, Program, Receiver, ScalarInfo, ScalarSource, Site, Stmt, Value, Watched,
};
use crate::scalar::{Interval, Ty};
use crate::source::Span;
use std::fmt::{self, Display, Formatter};

/// Says where an expression is.
type Tell<'a> = &'a dyn Fn(Span) -> Option<String>;

/// A program whose statements say where what they compute comes from.
pub struct Annotated<'a> {
    program: &'a Program,
    told: Tell<'a>,
}

impl Program {
    /// The program's text, with what is told of the places of expressions behind statements.
    pub const fn annotated<'a>(&'a self, told: Tell<'a>) -> Annotated<'a> {
        Annotated { program: self, told }
    }

    fn write(&self, f: &mut Formatter<'_>, told: Option<Tell<'_>>) -> fmt::Result {
        if self.uses_random {
            f.write_str("program random\n")?;
        }
        for (i, buffer) in self.buffers.iter().enumerate() {
            writeln!(f, "b{i} = {buffer}")?;
        }
        for (i, scalar) in self.scalars.iter().enumerate() {
            writeln!(f, "s{i} = {scalar}")?;
        }
        for (i, site) in self.sites.iter().enumerate() {
            writeln!(f, "e{i} = {site}")?;
        }
        for (i, kernel) in self.kernels.iter().enumerate() {
            let [fused, settles] = [(kernel.fused, " fused"), (kernel.settles, " settles")]
                .map(|(is, word)| if is { word } else { "" });
            writeln!(f, "kernel k{i}{fused}{settles}")?;
            for entry in &kernel.entries {
                writeln!(f, "entry {} {}", entry.function, Quoted(&entry.name))?;
            }
        }
        if let Some(driver) = self.driver {
            writeln!(f, "driver {driver}")?;
        }
        for (i, function) in self.functions.iter().enumerate() {
            writeln!(f)?;
            let id = Some(FuncId(i as u32));
            FunctionText { program: Some(self), function, id, told }.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, None)
    }
}

impl Display for Annotated<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.program.write(f, Some(self.told))
    }
}

/// A function alone says more types than in its program, which knows those of buffers and other functions.
impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        FunctionText { program: None, function: self, id: None, told: None }.fmt(f)
    }
}

impl Display for BufferInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            BufferKind::Column { hierarchy, name, part } => {
                write!(f, "column h{} {}{}", hierarchy.0, Quoted(name), PartText(*part))
            }
            BufferKind::ArrayOffset(a) => write!(f, "array_offset a{}", a.0),
            BufferKind::ArrayLength(a) => write!(f, "array_length a{}", a.0),
            BufferKind::ArrayRoom(a) => write!(f, "array_room a{}", a.0),
            BufferKind::ArrayEnds(a) => write!(f, "array_ends a{}", a.0),
            BufferKind::ArrayValues(a, part) => write!(f, "array_values a{}{}", a.0, PartText(*part)),
            BufferKind::Base(k, part) => write!(f, "base{}{}", OfKernel(*k), PartText(*part)),
            BufferKind::Beside(k, n, part) => {
                write!(f, "beside{} {n}{}", OfKernel(*k), PartText(*part))
            }
            BufferKind::Result(k, part) => write!(f, "result{}{}", OfKernel(*k), PartText(*part)),
            BufferKind::Accumulator(n, part) => write!(f, "accumulator v{n}{}", PartText(*part)),
            BufferKind::AccumulatorTick(n) => write!(f, "accumulator_tick v{n}"),
            BufferKind::Merged(n, part) => write!(f, "merged v{n}{}", PartText(*part)),
            BufferKind::Kept => f.write_str("kept"),
            BufferKind::Selection => f.write_str("selection"),
            BufferKind::Variable(n, part) => write!(f, "variable v{n}{}", PartText(*part)),
            BufferKind::Assigned(n) => write!(f, "assigned v{n}"),
            BufferKind::ResultWords => f.write_str("result_words"),
            BufferKind::KernelWords => f.write_str("kernel_words"),
            BufferKind::Given(k, part) => write!(f, "given{}{}", OfKernel(*k), PartText(*part)),
            BufferKind::Places(h) => write!(f, "places h{}", h.0),
            BufferKind::Scratch => f.write_str("scratch"),
            BufferKind::Frozen(h) => write!(f, "frozen h{}", h.0),
            BufferKind::FrozenArray(a) => write!(f, "frozen_array a{}", a.0),
            BufferKind::FirstSame(k) => write!(f, "first_same{}", OfKernel(*k)),
            BufferKind::Marks(what) => write!(f, "marks {what}"),
            BufferKind::SymbolRanks => f.write_str("symbol_ranks"),
            BufferKind::SymbolNames => f.write_str("symbol_names"),
            BufferKind::SymbolIndex => f.write_str("symbol_index"),
            BufferKind::KeyIndex(a) => write!(f, "key_index a{}", a.0),
        }?;
        write!(f, ": {}{}", self.ty, if self.written { " written" } else { "" })
    }
}

/// The kernel, where it is not the first one.
struct OfKernel(KernelId);

impl Display for OfKernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == KernelId(0) { Ok(()) } else { write!(f, " {}", self.0) }
    }
}

impl Display for Items {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.payload, self.tag) {
            (Some(payload), None) => payload.fmt(f),
            (Some(payload), Some(tag)) => write!(f, "{payload} tag {tag}"),
            (None, Some(tag)) => write!(f, "tag {tag}"),
            (None, None) => f.write_str("nothing"),
        }
    }
}

impl Display for Watched {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column { hierarchy, name } => write!(f, "column h{} {}", hierarchy.0, Quoted(name)),
            Self::Variable(n) => write!(f, "variable v{n}"),
            Self::Arrays(a) => write!(f, "arrays a{}", a.0),
        }
    }
}

impl Display for ScalarInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.source {
            ScalarSource::Root(root, part) => write!(f, "root {root}{}", PartText(part)),
            ScalarSource::ClassBase(h, n) => write!(f, "class_base h{} {n}", h.0),
            ScalarSource::BaseLength => f.write_str("base_length"),
            ScalarSource::SeriesFirst(n) => write!(f, "series_first {n}"),
            ScalarSource::SeriesStep(n) => write!(f, "series_step {n}"),
            ScalarSource::Driver(n) => write!(f, "driver {n}"),
            ScalarSource::ScratchWords => f.write_str("scratch_words"),
            ScalarSource::ResultWords => f.write_str("result_words"),
            ScalarSource::RootRange(root, 0) => write!(f, "root_range {root} low"),
            ScalarSource::RootRange(root, 1) => write!(f, "root_range {root} high"),
            ScalarSource::Epoch => f.write_str("epoch"),
            ScalarSource::Fine(a) => write!(f, "fine a{}", a.0),
            ScalarSource::RootRange(root, end) => write!(f, "root_range {root} {end}"),
        }?;
        write!(f, ": {}", self.ty)
    }
}

impl Display for Site {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        for (number, place) in self.places.iter().enumerate() {
            write!(f, " {} {place}", if number == 0 { "at" } else { "from" })?;
        }
        Ok(())
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", Quoted(&self.path), self.line)?;
        if self.label.is_empty() {
            return Ok(());
        }
        write!(f, " {} {}", if self.native { "by" } else { "in" }, Quoted(&self.label))
    }
}

impl Display for ErrorKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow { operator, wide } => {
                write!(f, "overflow {}{}", if *wide { "wide " } else { "" }, Quoted(operator))
            }
            Self::ZeroDivision => f.write_str("zero_division"),
            Self::NoMethod { name, receiver, missing, arguments } => {
                let missing = match missing {
                    Missing::Undefined => String::new(),
                    missing => format!("{} ", missing.name()),
                };
                let arguments = if *arguments { " with arguments" } else { "" };
                write!(f, "no_method {missing}{} of {receiver}{arguments}", Quoted(name))
            }
            Self::UncaughtThrow { tag, value } => write!(f, "uncaught_throw of {tag} of {value}"),
            Self::RaiseExisting(class, hierarchy) => {
                write!(f, "raise_existing c{} h{}", class.0, hierarchy.0)
            }
            Self::NameError { name, receiver } => write!(f, "name_error {} of {receiver}", Quoted(name)),
            Self::TypeError(message) => write!(f, "type_error {}", Quoted(message)),
            Self::ArgumentError(message) => write!(f, "argument_error {}", Quoted(message)),
            Self::AboutOperand { type_error, before, operand, after } => {
                let class = if *type_error { "type" } else { "argument" };
                write!(f, "{class}_error_about {} of {operand} {}", Quoted(before), Quoted(after))
            }
            Self::FloatDomain => f.write_str("float_domain"),
            Self::FloatIndex => f.write_str("float_index"),
            Self::MathDomain(name) => write!(f, "math_domain {}", Quoted(name)),
            Self::Frozen(h) => write!(f, "frozen h{}", h.0),
            Self::FrozenArray(a) => write!(f, "frozen_array a{}", a.0),
            Self::FrozenMade(class) => write!(f, "frozen_made c{}", class.0),
            Self::IndexTooSmall => f.write_str("index_too_small"),
            Self::ArrayGrowth => f.write_str("array_growth"),
            Self::FetchIndex => f.write_str("fetch_index"),
            Self::NewSymbol => f.write_str("new_symbol"),
            Self::NewPattern => f.write_str("new_pattern"),
            Self::NewName => f.write_str("new_name"),
            Self::ScratchFull => f.write_str("scratch_full"),
            Self::ResultFull => f.write_str("result_full"),
            Self::ArraysFull(a) => write!(f, "arrays_full a{}", a.0),
            Self::Range(message) => write!(f, "range {}", Quoted(message)),
            Self::Raise { class, message: None } => write!(f, "raise c{}", class.0),
            Self::Raise { class, message: Some(message) } => {
                write!(f, "raise c{}", class.0)?;
                message.iter().try_for_each(|part| match part {
                    MessagePart::Text(text) => write!(f, " {}", Quoted(text)),
                    MessagePart::Value(value) => write!(f, " with of {value}"),
                    MessagePart::Inspect(value, operand) => write!(f, " inspect p{operand} of {value}"),
                })
            }
            Self::RaiseMade(class) => write!(f, "raise_made c{}", class.0),
            Self::Unsupported(message) => write!(f, "unsupported {}", Quoted(message)),
            Self::StackTooDeep => f.write_str("stack_too_deep"),
            Self::Race { what, write } => write!(f, "race {} {what}", if *write { "write" } else { "read" }),
        }
    }
}

impl Display for Receiver {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("nil"),
            Self::True => f.write_str("true"),
            Self::False => f.write_str("false"),
            Self::Integer => f.write_str("integer"),
            Self::Float => f.write_str("float"),
            Self::Symbol => f.write_str("symbol"),
            Self::Object(h) => write!(f, "object h{}", h.0),
            Self::Array(a) => write!(f, "array a{}", a.0),
            Self::Module(c) => write!(f, "module c{}", c.0),
            Self::MadeString => f.write_str("made_string"),
            Self::Text(text) => write!(f, "text {}", Quoted(text)),
        }
    }
}

/// The first line of a statement, for messages.
pub(super) fn first_line(program: &Program, function: &Function, stmt: &Stmt) -> String {
    struct Line<'a>(FunctionText<'a>, &'a Stmt);
    impl Display for Line<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            self.0.stmt(f, self.1, 0)
        }
    }
    let text =
        Line(FunctionText { program: Some(program), function, id: None, told: None }, stmt).to_string();
    text.lines().next().unwrap_or_default().trim_end_matches(" {").to_string()
}

/// ` tag` where it is one.
struct PartText(Part);

impl Display for PartText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Part::Payload => "",
            Part::Tag => " tag",
        })
    }
}

/// In double quotes, on one line.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\""),
                '\\' => f.write_str("\\\\"),
                '\n' => f.write_str("\\n"),
                '\t' => f.write_str("\\t"),
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c)),
                c => write!(f, "{c}"),
            }?;
        }
        f.write_str("\"")
    }
}

/// `0..=9`, `0..`, `..=9` or `7`; an end that the type sets is left out.
struct IntervalText(Interval, Ty);

impl Display for IntervalText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(interval, ty) = *self;
        let full = ty.full_interval();
        if interval.low == interval.high {
            return write!(f, "{}", interval.low);
        }
        if interval.low != full.low {
            write!(f, "{}", interval.low)?;
        }
        f.write_str("..")?;
        if interval.high != full.high {
            write!(f, "={}", interval.high)?;
        }
        Ok(())
    }
}

/// Comma-separated.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

struct FunctionText<'a> {
    program: Option<&'a Program>,
    function: &'a Function,
    id: Option<FuncId>,
    told: Option<Tell<'a>>,
}

impl Display for FunctionText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("fn ")?;
        if let Some(id) = self.id {
            write!(f, "{id} ")?;
        }
        write!(f, "{} (", Quoted(&self.function.name))?;
        for (i, ty) in self.function.params.iter().enumerate() {
            let value = Value(i as u32);
            write!(f, "{}{value}: {ty}{}", if i > 0 { ", " } else { "" }, self.interval(value, None))?;
        }
        f.write_str(")")?;
        match &self.function.results[..] {
            [] => {}
            [one] => write!(f, " -> {one}")?,
            several => write!(f, " -> ({})", List(several))?,
        }
        f.write_str(" {\n")?;
        if !self.function.vars.is_empty() {
            f.write_str("  var ")?;
            for (i, ty) in self.function.vars.iter().enumerate() {
                write!(f, "{}x{i}: {ty}", if i > 0 { ", " } else { "" })?;
            }
            f.write_str("\n")?;
        }
        self.block(f, &self.function.body, 1)?;
        f.write_str("}\n")
    }
}

impl FunctionText<'_> {
    fn block(&self, f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
        for stmt in block {
            write!(f, "{:1$}", "", 2 * depth)?;
            self.stmt(f, stmt, depth)?;
            self.origin(f, stmt)?;
            f.write_str("\n")?;
        }
        Ok(())
    }

    /// `  ; car.rb:6`
    fn origin(&self, f: &mut Formatter<'_>, stmt: &Stmt) -> fmt::Result {
        let Some(told) = self.told else { return Ok(()) };
        match self.function.origin(stmt).0.and_then(told) {
            Some(place) => write!(f, "  ; {place}"),
            None => Ok(()),
        }
    }

    fn stmt(&self, f: &mut Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
        match stmt {
            Stmt::Let { value, op, site } => {
                write!(f, "{value}")?;
                let inferred = result_type(op, self.program, |x| self.var_type(x.0), |v| self.value_type(v));
                self.type_unless(f, *value, inferred)?;
                f.write_str(" = ")?;
                write_op(f, op)?;
                if let Some(site) = site {
                    write!(f, " at {site}")?;
                }
                f.write_str(&self.interval(*value, Some(op)))
            }
            Stmt::Set(var, value) => write!(f, "{var} = {value}"),
            Stmt::Store { buffer, index, value } => write!(f, "store {buffer}[{index}] = {value}"),
            Stmt::If { condition, then, otherwise } => {
                writeln!(f, "if {condition} {{")?;
                self.block(f, then, depth + 1)?;
                write!(f, "{:1$}}}", "", 2 * depth)?;
                match &otherwise[..] {
                    [] => Ok(()),
                    [stmt @ Stmt::If { .. }] => {
                        f.write_str(" else ")?;
                        self.stmt(f, stmt, depth)
                    }
                    _ => {
                        f.write_str(" else {\n")?;
                        self.block(f, otherwise, depth + 1)?;
                        write!(f, "{:1$}}}", "", 2 * depth)
                    }
                }
            }
            Stmt::Loop { label, body } => {
                writeln!(f, "loop {label} {{")?;
                self.block(f, body, depth + 1)?;
                write!(f, "{:1$}}}", "", 2 * depth)
            }
            Stmt::Block { label, body } => {
                writeln!(f, "block {label} {{")?;
                self.block(f, body, depth + 1)?;
                write!(f, "{:1$}}}", "", 2 * depth)
            }
            Stmt::Break(label) => write!(f, "break {label}"),
            Stmt::Continue(label) => write!(f, "continue {label}"),
            Stmt::Check { condition, site, operands } => {
                write!(f, "check {condition} at {site}")?;
                write_operands(f, operands)
            }
            Stmt::Fail { site, operands } => {
                write!(f, "fail at {site}")?;
                write_operands(f, operands)
            }
            Stmt::Call { function, args, results } => {
                let signature = self.program.and_then(|p| p.functions.get(function.0 as usize));
                for (i, value) in results.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
                    self.type_unless(f, *value, signature.and_then(|s| s.results.get(i).copied()))?;
                    f.write_str(&self.interval(*value, None))?;
                }
                write!(f, "{}call {function}({})", if results.is_empty() { "" } else { " = " }, List(args))
            }
            Stmt::Defer { function, args } => write!(f, "defer {function}({})", List(args)),
            Stmt::Return(values) if values.is_empty() => f.write_str("return"),
            Stmt::Return(values) => write!(f, "return {}", List(values)),
            Stmt::Tick(value) => write!(f, "tick {value}"),
            Stmt::Path(value) => write!(f, "path {value}"),
            Stmt::Launch { kernel, ticks } => {
                write!(f, "launch {kernel}")?;
                ticks.map_or(Ok(()), |ticks| write!(f, " for {ticks}"))
            }
            Stmt::Over { kernel, count, own, first_same, sized } => {
                write!(f, "over {kernel} for {count}")?;
                own.as_ref().map_or(Ok(()), |own| write!(f, " own {own}"))?;
                first_same.map_or(Ok(()), |buffer| write!(f, " first_same {buffer}"))?;
                sized.iter().try_for_each(|buffer| write!(f, " sized {buffer}"))
            }
            Stmt::Copy { from, first, count, into } => {
                write!(f, "copy {from}[{first}] for {count} into {into}")
            }
            Stmt::Assign(scalar, value) => write!(f, "{scalar} = {value}"),
            Stmt::Progress { done, total } => write!(f, "progress {done} of {total}"),
            Stmt::Sync(number) => write!(f, "sync {number}"),
            Stmt::Reduce { reduction, column, given, from, results: [number, is_one] } => {
                let of = self.program.and_then(|program| program.buffers.get(column.0 as usize));
                write!(f, "{number}")?;
                self.type_unless(f, *number, of.map(|info| info.ty))?;
                write!(f, "{}, {is_one}", self.interval(*number, None))?;
                self.type_unless(f, *is_one, Some(Ty::Bool))?;
                write!(f, " = reduce {} {column}", reduction.name())?;
                if let Some(given) = given {
                    write!(f, " where {given}")?;
                }
                write!(f, " from {from}")
            }
        }
    }

    fn value_type(&self, value: Value) -> Option<Ty> {
        self.function.values.get(value.0 as usize).map(|v| v.ty)
    }

    fn var_type(&self, var: u32) -> Option<Ty> {
        self.function.vars.get(var as usize).copied()
    }

    fn type_unless(&self, f: &mut Formatter<'_>, value: Value, inferred: Option<Ty>) -> fmt::Result {
        match self.value_type(value) {
            Some(ty) if inferred != Some(ty) => write!(f, ": {ty}"),
            _ => Ok(()),
        }
    }

    /// ` in 0..=9` where the interval says more than the operation does.
    fn interval(&self, value: Value, op: Option<&Op>) -> String {
        let Some(v) = self.function.values.get(value.0 as usize).filter(|v| v.ty.is_integer()) else {
            return String::new();
        };
        let known = if v.interval == Interval::FULL { v.ty.full_interval() } else { v.interval };
        if known == plain_interval(v.ty, op) {
            String::new()
        } else {
            format!(" in {}", IntervalText(known, v.ty))
        }
    }
}

fn write_operands(f: &mut Formatter<'_>, operands: &[Value]) -> fmt::Result {
    match operands {
        [] => Ok(()),
        _ => write!(f, " with {}", List(operands)),
    }
}

fn write_op(f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
    match op {
        Op::Bool(b) => write!(f, "{b}"),
        Op::I32(n) => write!(f, "i32 {n}"),
        Op::I64(n) => write!(f, "i64 {n}"),
        // Not a number has many bit patterns; Rust's own text says the others exactly.
        Op::F64(x) if x.is_nan() => write!(f, "f64 0x{:x}", x.to_bits()),
        Op::F64(x) => write!(f, "f64 {x:?}"),
        Op::Get(var) => write!(f, "{var}"),
        Op::Scalar(scalar) => write!(f, "{scalar}"),
        Op::Element => f.write_str("element"),
        Op::Tick => f.write_str("tick"),
        Op::Path => f.write_str("path"),
        Op::Unary(op, a) => write!(f, "{} {a}", op.name()),
        Op::Binary(op, a, b) => write!(f, "{} {a}, {b}", op.name()),
        Op::Compare(op, a, b) => write!(f, "{} {a}, {b}", op.name()),
        Op::Select(condition, a, b) => write!(f, "select {condition}, {a}, {b}"),
        Op::WideMod(args) => write!(f, "wide_mod {}", List(args)),
        Op::Load(buffer, index) => write!(f, "load {buffer}[{index}]"),
        Op::Math(function, args) => write!(f, "math {} {}", function.c_name(), List(args)),
        Op::Random => f.write_str("random"),
        Op::Match { words, first, asks } => write!(f, "match {words}[{first}] {}", List(asks)),
        Op::Intrinsic { function, texts, args } => {
            write!(f, "intrinsic {}", function.name())?;
            texts.iter().try_for_each(|(words, first)| write!(f, " {words}[{first}]"))?;
            write!(f, " {}", List(args))
        }
        Op::Print { words, first, tells } => write!(f, "print {words}[{first}] {}", List(tells)),
        Op::Group(number) => write!(f, "group {number}"),
        Op::Compact { flags, indices } => write!(f, "compact {flags} into {indices}"),
        Op::Append { from, tag, given, count, into, local, kept } => {
            write!(f, "append {from} for {count}")?;
            tag.map_or(Ok(()), |tag| write!(f, " all {tag}"))?;
            given.map_or(Ok(()), |given| write!(f, " where {given}"))?;
            write!(f, " into {}, {}, {}", into.offset, into.length, into.items)?;
            if *local {
                f.write_str(" local")?;
            }
            let Some(kept) = kept else { return Ok(()) };
            f.write_str(if kept.is_empty() { " keeping nothing" } else { " keeping" })?;
            let mut between = " ";
            kept.iter().try_for_each(|value| write!(f, "{}{value}", std::mem::replace(&mut between, ", ")))
        }
        Op::Lengthen { buffer, count } => write!(f, "lengthen {buffer} by {count}"),
        Op::Claim { ends, count } => write!(f, "claim {ends} {count}"),
        Op::Watch { marks, row, me, write } => {
            write!(f, "watch_{} {marks}[{row}] by {me}", if *write { "write" } else { "read" })
        }
    }
}
