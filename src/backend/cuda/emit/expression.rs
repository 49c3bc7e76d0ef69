//! Operations as C++ expressions: in 32 bits where the operands' and result's intervals allow it, and with only the
//! corrections of sign and the tests that the intervals leave open.

use super::function::Writer;
use super::width::{Width, can_wrap};
use crate::ir::{BinaryOp, Buffer, BufferKind, Comparison, MathFn, Op, UnaryOp, Value};
use crate::scalar::Ty;
use std::fmt;

/// An expression, and how tightly it binds.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    binding: Binding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    /// Binary or conditional: in parentheses as an operand.
    Loose,
    /// A cast or a prefix operator.
    Prefix,
    /// A name, literal, call or index.
    Atom,
}

impl Text {
    pub fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), binding: Binding::Atom }
    }

    fn prefix(text: String) -> Self {
        Self { text, binding: Binding::Prefix }
    }

    pub fn loose(text: String) -> Self {
        Self { text, binding: Binding::Loose }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// As an operand of a binary operator.
    pub fn operand(&self) -> String {
        if self.binding >= Binding::Prefix { self.text.clone() } else { format!("({})", self.text) }
    }

    /// As the operand of a prefix operator: two of them in a row could read as `--`.
    fn tight(&self) -> String {
        if self.binding == Binding::Atom { self.text.clone() } else { format!("({})", self.text) }
    }

    pub fn cast(&self, to: &str) -> Self {
        Self::prefix(format!("({to}){}", self.operand()))
    }

    pub fn converted(self, from: Width, to: Width) -> Self {
        if from == to { self } else { self.cast(to.c_name()) }
    }

    /// `!condition`, simpler where it can be.
    pub fn negated(&self) -> Self {
        match self.text.strip_prefix('!') {
            Some(rest) if self.binding == Binding::Prefix => Self::atom(rest),
            _ => Self::prefix(format!("!{}", self.tight())),
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A constant, of this C type.
pub(super) fn literal(op: &Op, width: Width) -> Text {
    let integer = |n: i64| match width {
        Width::Int if n == i64::from(i32::MIN) => Text::atom("(-2147483647 - 1)"),
        Width::Int => signed(n.to_string()),
        _ if n == i64::MIN => Text::atom("(-9223372036854775807ll - 1)"),
        _ => signed(format!("{n}ll")),
    };
    match op {
        Op::Bool(b) => Text::atom(b.to_string()),
        Op::I32(n) => integer(i64::from(*n)),
        Op::I64(n) => integer(*n),
        Op::F64(x) => float(*x),
        _ => Text::atom("0"),
    }
}

fn signed(text: String) -> Text {
    Text::atom(if text.starts_with('-') { format!("({text})") } else { text })
}

/// Whole numbers as everyone reads them, others in hexadecimal, which no compiler rounds.
fn float(x: f64) -> Text {
    if !x.is_finite() {
        return Text::atom(format!("__longlong_as_double(0x{:x}ll)", x.to_bits()));
    }
    if x == x.trunc() && x.abs() < 9_007_199_254_740_992.0 {
        return signed(format!("{x:.1}"));
    }
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let (lead, power) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    let minus = if x.is_sign_negative() { "-" } else { "" };
    signed(format!("{minus}0x{lead}{point}{digits}p{power:+} /* {x:?} */"))
}

/// Of a size whose reciprocal is exact, too.
fn is_power_of_two(c: f64) -> bool {
    c.is_normal() && (1.0 / c).is_normal() && c.to_bits() << 12 == 0
}

/// May `div_by` divide by it? The proof wants a reciprocal that is not next to a power of two.
fn has_usable_reciprocal(c: f64) -> bool {
    let limit = 2f64.powi(60);
    c.abs() < limit && c.abs() > 1.0 / limit && c.to_bits() << 12 != u64::MAX << 12
}

impl Writer<'_, '_> {
    /// An entry of a buffer. In the scratch memory the words of the threads stand side by side.
    pub(super) fn place(&self, buffer: Buffer, index: Value) -> String {
        let (name, index) = (&self.names.buffers[buffer.0 as usize], self.text(index));
        match self.names.program.buffers[buffer.0 as usize].kind {
            BufferKind::Scratch => format!("args.{name}[own({index})]"),
            _ => format!("args.{name}[{index}]"),
        }
    }

    /// The expression of an operation, of the C type of its value. Checks have been made before.
    pub(super) fn expression(&self, value: Value, op: &Op) -> Text {
        let width = self.width(value);
        match op {
            Op::Bool(_) | Op::I32(_) | Op::I64(_) | Op::F64(_) => literal(op, width),
            Op::Get(var) => match self.counted(*var) {
                Some(count) => Text::loose(count).converted(self.var_width(*var), width),
                None => Text::atom(var.to_string()).converted(self.var_width(*var), width),
            },
            Op::Scalar(s) => {
                let name = Text::atom(format!("args.{}", self.names.scalars[s.0 as usize]));
                match width {
                    Width::Int => name.cast("int"),
                    Width::Bool => Text::loose(format!("{name} != 0")),
                    Width::Long | Width::Double => name,
                }
            }
            Op::Element => Text::atom("e.index"),
            Op::Tick => Text::atom("e.tick").converted(Width::Long, width),
            Op::Path => Text::atom("e.path").converted(Width::Long, width),
            Op::Watch { marks, row, me, write } => {
                let name = &self.names.buffers[marks.0 as usize];
                let (row, me) = (self.text(*row), self.text_as(*me, Width::Long));
                let function = if *write { "watch_write" } else { "watch_read" };
                Text::atom(format!("{function}(args.{name}, {row}, {me})")).converted(Width::Long, width)
            }
            Op::Claim { ends, count } => {
                let name = &self.names.buffers[ends.0 as usize];
                let count = self.text_as(*count, Width::Long);
                Text::atom(format!("claim(args.{name}, {count})")).converted(Width::Long, width)
            }
            // A driver's, which runs on the host.
            Op::Compact { .. } | Op::Append { .. } | Op::Lengthen { .. } => Text::atom("0"),
            // No program that has them comes here.
            Op::Match { .. } | Op::Group(_) | Op::Print { .. } | Op::Intrinsic { .. } => Text::atom("0"),
            Op::Random => Text::atom("random_bits(e)").converted(Width::Long, width),
            Op::Unary(op, a) => self.unary(width, *op, *a),
            Op::Binary(op, a, b) => self.binary(value, *op, *a, *b),
            Op::Compare(comparison, a, b) => self.compare(*comparison, *a, *b),
            Op::WideMod(args) => {
                let args = args.map(|arg| self.text_as(arg, Width::Long).to_string());
                Text::atom(format!("wide_mod({})", args.join(", "))).converted(Width::Long, width)
            }
            Op::Select(c, a, b) => {
                let (c, a, b) = (self.text(*c), self.text_as(*a, width), self.text_as(*b, width));
                Text::loose(format!("{} ? {} : {}", c.operand(), a.operand(), b.operand()))
            }
            Op::Load(buffer, index) => {
                let info = &self.names.program.buffers[buffer.0 as usize];
                let place = self.place(*buffer, *index);
                // What no one writes may come through the read-only cache, and be read once.
                let load = Text::atom(if info.written { place } else { format!("__ldg(&{place})") });
                match (info.ty, width) {
                    (Ty::Bool, _) => Text::loose(format!("({load} & 1) != 0")),
                    (Ty::I64, Width::Int) => load.cast("int"),
                    _ => load,
                }
            }
            Op::Math(function, args) => self.math(*function, args),
        }
    }

    fn math(&self, function: MathFn, args: &[Value]) -> Text {
        let args: Vec<_> = args.iter().map(|a| self.text(*a).to_string()).collect();
        Text::atom(format!("{}({})", function.c_name(), args.join(", ")))
    }

    fn unary(&self, width: Width, op: UnaryOp, a: Value) -> Text {
        let text = self.text(a);
        let from = self.width(a);
        let call = |name: &str| Text::atom(format!("{name}({text})"));
        match op {
            UnaryOp::Not => text.negated(),
            UnaryOp::NegF => Text::prefix(format!("-{}", text.tight())),
            UnaryOp::AbsF => call("fabs"),
            UnaryOp::FloorF => call("floor"),
            UnaryOp::CeilF => call("ceil"),
            UnaryOp::TruncF => call("trunc"),
            UnaryOp::RoundF => call("round"),
            UnaryOp::RoundEvenF => call("rint"),
            UnaryOp::RoundToSingle => text.cast("float").cast("double"),
            UnaryOp::BitNot => Text::prefix(format!("~{}", text.tight())).converted(from, width),
            UnaryOp::ExtendI32 | UnaryOp::WrapI64 | UnaryOp::BoolToI64 => text.converted(from, width),
            UnaryOp::I64ToF64 => text.cast("double"),
            UnaryOp::F64ToI64 => text.cast(width.c_name()),
            UnaryOp::BitsToF64 => call("__longlong_as_double"),
            UnaryOp::BitsToI64 => call("__double_as_longlong").converted(Width::Long, width),
            UnaryOp::BitLength => call("bit_length").converted(Width::Int, width),
            UnaryOp::IsNan => call("is_nan"),
        }
    }

    fn binary(&self, value: Value, op: BinaryOp, a: Value, b: Value) -> Text {
        let width = self.width(value);
        let infix = |operator: &str| {
            Text::loose(format!("{} {operator} {}", self.text(a).operand(), self.text(b).operand()))
        };
        let call = |name: &str| Text::atom(format!("{name}({}, {})", self.text(a), self.text(b)));
        match op {
            BinaryOp::Add | BinaryOp::AddChecked => self.arithmetic(value, op, "+", "wrap_add", a, b),
            BinaryOp::Sub | BinaryOp::SubChecked => self.arithmetic(value, op, "-", "wrap_sub", a, b),
            BinaryOp::Mul | BinaryOp::MulChecked => self.arithmetic(value, op, "*", "wrap_mul", a, b),
            BinaryOp::FloorDiv => self.floor_div(width, a, b),
            BinaryOp::FloorMod => self.floor_mod(width, a, b),
            BinaryOp::TruncRem => self.remainder(width, a, b),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let operator = match op {
                    BinaryOp::And => "&",
                    BinaryOp::Or => "|",
                    _ => "^",
                };
                infix(operator).converted(self.wider(a, b), width)
            }
            BinaryOp::Shl => {
                // Shifted as an unsigned number, so that bits may fall off the end.
                let narrow = width == Width::Int && self.width(a) == Width::Int && self.interval(b).high < 32;
                let shifted = if narrow {
                    format!("{} << {}", self.text(a).cast("u32"), self.text(b).operand())
                } else {
                    format!("{} << {}", self.text_as(a, Width::Long).cast("u64"), self.text(b).operand())
                };
                Text::loose(shifted).cast(width.c_name())
            }
            BinaryOp::Shr => {
                let from = if self.interval(b).high < 32 || self.width(a) == Width::Long {
                    self.width(a)
                } else {
                    Width::Long
                };
                Text::loose(format!("{} >> {}", self.text_as(a, from).operand(), self.text(b).operand()))
                    .converted(from, width)
            }
            BinaryOp::AddF => infix("+"),
            BinaryOp::SubF => infix("-"),
            BinaryOp::MulF => infix("*"),
            BinaryOp::DivF => self.divide(a, b),
            BinaryOp::FloorModF => call("floor_mod_float"),
            BinaryOp::RemF => call("fmod"),
            BinaryOp::PowF => call("pow"),
            BinaryOp::AndB => {
                Text::loose(format!("{} & {}", self.text(a).operand(), self.text(b).operand())).cast("bool")
            }
            BinaryOp::OrB => {
                Text::loose(format!("{} | {}", self.text(a).operand(), self.text(b).operand())).cast("bool")
            }
            BinaryOp::XorB => infix("!="),
            BinaryOp::MulHighU => call("__umul64hi").cast(width.c_name()),
        }
    }

    fn divide(&self, a: Value, b: Value) -> Text {
        let x = self.text(a);
        match self.float_constant(b) {
            // Both round the same exact number.
            Some(c) if is_power_of_two(c) => Text::loose(format!("{} * {}", x.operand(), float(1.0 / c))),
            Some(c) if has_usable_reciprocal(c) => {
                Text::atom(format!("div_by({x}, {}, {})", float(c), float(1.0 / c)))
            }
            _ => Text::loose(format!("{} / {}", x.operand(), self.text(b).operand())),
        }
    }

    fn wider(&self, a: Value, b: Value) -> Width {
        if self.width(a) == Width::Int && self.width(b) == Width::Int { Width::Int } else { Width::Long }
    }

    /// Addition, subtraction, multiplication: wrapping, or known not to overflow.
    fn arithmetic(&self, value: Value, op: BinaryOp, operator: &str, wrap: &str, a: Value, b: Value) -> Text {
        let width = self.width(value);
        let bits = if self.function.values[a.0 as usize].ty == Ty::I64 { 64 } else { 32 };
        let wraps = can_wrap(op, self.interval(a), self.interval(b), self.interval(value), bits);
        let call = |wrap: &str| Text::atom(format!("{wrap}({}, {})", self.text(a), self.text(b)));
        if bits == 32 && wraps {
            return call(&format!("{wrap}32"));
        }
        if wraps {
            return call(wrap).converted(Width::Long, width);
        }
        // Nothing wraps, so the exact result is the value: narrow operands of a narrow one need no more.
        if width == Width::Int && self.wider(a, b) == Width::Int {
            return Text::loose(format!("{} {operator} {}", self.text(a).operand(), self.text(b).operand()));
        }
        let left = self.text_as(a, Width::Long).operand();
        Text::loose(format!("{left} {operator} {}", self.text(b).operand())).converted(Width::Long, width)
    }

    /// `a / b` or `a % b` of two operands that are not negative, in as few bits as hold them.
    fn unsigned(&self, width: Width, operator: &str, function: &str, a: Value, b: Value) -> Text {
        let with = |ty: &str| {
            let suffix = if ty == "u32" { "u" } else { "ull" };
            let divisor = match self.constant(b) {
                Some(n) => Text::atom(format!("{n}{suffix}")),
                None => self.text(b).cast(ty),
            };
            Text::loose(format!("{} {operator} {divisor}", self.text(a).cast(ty)))
        };
        if self.wider(a, b) == Width::Int {
            return with("u32").cast(width.c_name());
        }
        if self.constant(b).is_some() {
            return with("u64").cast(width.c_name());
        }
        Text::atom(format!("{function}({}, {})", self.text(a), self.text(b))).converted(Width::Long, width)
    }

    /// Division by a value that a loop divides by again and again.
    fn with_reciprocal(&self, width: Width, name: &str, a: Value, b: Value) -> Text {
        let divisor = self.text(b);
        match (self.width(a), name) {
            (Width::Long, "div") => {
                Text::atom(format!("floor_div_with({}, {divisor}, {b}_reciprocal)", self.text(a)))
                    .converted(Width::Long, width)
            }
            (Width::Long, _) => {
                Text::atom(format!("floor_mod_with({}, {divisor}, {b}_reciprocal)", self.text(a)))
                    .converted(Width::Int, width)
            }
            (_, "div") => {
                Text::atom(format!("div_with({}, {b}_reciprocal)", self.text(a))).converted(Width::Int, width)
            }
            _ => Text::atom(format!("mod_with({}, {divisor}, {b}_reciprocal)", self.text(a)))
                .converted(Width::Int, width),
        }
    }

    fn floor_div(&self, width: Width, a: Value, b: Value) -> Text {
        let (known_a, known_b) = (self.interval(a), self.interval(b));
        if self.has_reciprocal(b) && (self.width(a) == Width::Long || known_a.low >= 0) {
            return self.with_reciprocal(width, "div", a, b);
        }
        if known_a.low >= 0 && known_b.low >= 0 {
            return self.unsigned(width, "/", "div_u", a, b);
        }
        let call = |name: &str| Text::atom(format!("{name}({}, {})", self.text(a), self.text(b)));
        let leaves_int = known_a.low <= i64::from(i32::MIN) && known_b.contains(-1);
        if self.wider(a, b) == Width::Int && !leaves_int {
            return call("floor_div32").converted(Width::Int, width);
        }
        let name = if self.constant(b).is_some() {
            "floor_div_constant"
        } else if known_b.low >= 0 && known_b.fits_i32() {
            "floor_div_by"
        } else {
            "floor_div"
        };
        call(name).converted(Width::Long, width)
    }

    fn floor_mod(&self, width: Width, a: Value, b: Value) -> Text {
        let (known_a, known_b) = (self.interval(a), self.interval(b));
        if self.has_reciprocal(b) && (self.width(a) == Width::Long || known_a.low >= 0) {
            return self.with_reciprocal(width, "mod", a, b);
        }
        if known_a.low >= 0 && known_b.low >= 0 {
            return self.unsigned(width, "%", "mod_u", a, b);
        }
        let call = |name: &str| Text::atom(format!("{name}({}, {})", self.text(a), self.text(b)));
        if self.wider(a, b) == Width::Int {
            return call("floor_mod32").converted(Width::Int, width);
        }
        // -1 as a constant would divide the smallest integer.
        if self.constant(b).is_some() && !known_b.contains(-1) {
            return call("floor_mod_constant").converted(Width::Long, width);
        }
        if known_b.low >= 0 && known_b.fits_i32() {
            return call("floor_mod_by").converted(Width::Int, width);
        }
        call("floor_mod").converted(Width::Long, width)
    }

    fn remainder(&self, width: Width, a: Value, b: Value) -> Text {
        if self.interval(a).low >= 0 && self.interval(b).low >= 0 {
            return self.unsigned(width, "%", "mod_u", a, b);
        }
        let (name, given) = match self.wider(a, b) {
            Width::Int => ("remainder32", Width::Int),
            _ => ("remainder64", Width::Long),
        };
        Text::atom(format!("{name}({}, {})", self.text(a), self.text(b))).converted(given, width)
    }

    fn compare(&self, comparison: Comparison, a: Value, b: Value) -> Text {
        let (left, right) = (self.text(a), self.text(b));
        let operator = match comparison {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
            Comparison::LtU => {
                // Extending the sign keeps the unsigned order, so two narrow operands need 32 bits only.
                let ty = if self.wider(a, b) == Width::Int { "u32" } else { "u64" };
                return Text::loose(format!("{} < {}", left.cast(ty), right.cast(ty)));
            }
        };
        Text::loose(format!("{} {operator} {}", left.operand(), right.operand()))
    }
}
