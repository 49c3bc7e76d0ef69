//! The name and the type of every operation, said once for the printer, the parser and the verifier.

use super::{BinaryOp, Comparison, MathFn, Op, Program, Reduction, UnaryOp, Value, Var};
use crate::scalar::{Interval, Ty};
use std::fmt;

impl Ty {
    pub const ALL: [Self; 4] = [Self::Bool, Self::I32, Self::I64, Self::F64];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F64 => "f64",
        }
    }

    pub const fn is_integer(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }

    /// What is known of a value of this type before anything is.
    pub const fn full_interval(self) -> Interval {
        match self {
            Self::I32 => Interval::I32,
            Self::Bool | Self::I64 | Self::F64 => Interval::FULL,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! names {
    ($ty:ident, $count:literal: $($variant:ident $name:literal,)*) => {
        impl $ty {
            pub const ALL: [Self; $count] = [$(Self::$variant),*];

            /// As it is written in the text of a program.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

names! { UnaryOp, 19:
    Not "not",
    NegF "neg_f",
    AbsF "abs_f",
    FloorF "floor_f",
    CeilF "ceil_f",
    TruncF "trunc_f",
    RoundF "round_f",
    RoundEvenF "round_even_f",
    RoundToSingle "round_to_single",
    BitNot "bit_not",
    ExtendI32 "extend_i32",
    WrapI64 "wrap_i64",
    I64ToF64 "i64_to_f64",
    F64ToI64 "f64_to_i64",
    BoolToI64 "bool_to_i64",
    BitsToF64 "bits_to_f64",
    BitsToI64 "bits_to_i64",
    BitLength "bit_length",
    IsNan "is_nan",
}

names! { BinaryOp, 25:
    Add "add",
    Sub "sub",
    Mul "mul",
    AddChecked "add_checked",
    SubChecked "sub_checked",
    MulChecked "mul_checked",
    FloorDiv "floor_div",
    FloorMod "floor_mod",
    TruncRem "trunc_rem",
    And "and",
    Or "or",
    Xor "xor",
    Shl "shl",
    Shr "shr",
    AddF "add_f",
    SubF "sub_f",
    MulF "mul_f",
    DivF "div_f",
    FloorModF "floor_mod_f",
    RemF "rem_f",
    PowF "pow_f",
    AndB "and_b",
    OrB "or_b",
    XorB "xor_b",
    MulHighU "mul_high_u",
}

names! { Comparison, 7:
    Eq "eq",
    Ne "ne",
    Lt "lt",
    Le "le",
    Gt "gt",
    Ge "ge",
    LtU "lt_u",
}

names! { Reduction, 10:
    Add "add",
    Sub "sub",
    Mul "mul",
    And "and",
    Or "or",
    Xor "xor",
    Min "min",
    Max "max",
    MinLast "min_last",
    MaxLast "max_last",
}

impl Reduction {
    /// Is it one of numbers of this type?
    pub const fn takes(self, ty: Ty) -> bool {
        match ty {
            Ty::I64 => true,
            Ty::F64 => !matches!(self, Self::And | Self::Or | Self::Xor),
            Ty::Bool | Ty::I32 => false,
        }
    }
}

impl UnaryOp {
    /// Types of the operand and of the result.
    pub const fn signature(self) -> (Ty, Ty) {
        match self {
            Self::Not => (Ty::Bool, Ty::Bool),
            Self::NegF
            | Self::AbsF
            | Self::FloorF
            | Self::CeilF
            | Self::TruncF
            | Self::RoundF
            | Self::RoundEvenF
            | Self::RoundToSingle => (Ty::F64, Ty::F64),
            Self::BitNot | Self::BitLength => (Ty::I64, Ty::I64),
            Self::ExtendI32 => (Ty::I32, Ty::I64),
            Self::WrapI64 => (Ty::I64, Ty::I32),
            Self::I64ToF64 | Self::BitsToF64 => (Ty::I64, Ty::F64),
            Self::F64ToI64 | Self::BitsToI64 => (Ty::F64, Ty::I64),
            Self::BoolToI64 => (Ty::Bool, Ty::I64),
            Self::IsNan => (Ty::F64, Ty::Bool),
        }
    }
}

impl BinaryOp {
    /// The type of both operands and of the result; `None` where `I32` and `I64` are both right.
    pub const fn ty(self) -> Option<Ty> {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::And | Self::Or | Self::Xor => None,
            Self::AddChecked
            | Self::SubChecked
            | Self::MulChecked
            | Self::FloorDiv
            | Self::FloorMod
            | Self::TruncRem
            | Self::Shl
            | Self::Shr
            | Self::MulHighU => Some(Ty::I64),
            Self::AddF | Self::SubF | Self::MulF | Self::DivF | Self::FloorModF | Self::RemF | Self::PowF => {
                Some(Ty::F64)
            }
            Self::AndB | Self::OrB | Self::XorB => Some(Ty::Bool),
        }
    }

    /// Fails with `Overflow` at its site.
    pub const fn needs_site(self) -> bool {
        matches!(self, Self::AddChecked | Self::SubChecked | Self::MulChecked | Self::FloorDiv)
    }
}

impl MathFn {
    pub fn of_c_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.c_name() == name)
    }
}

/// The type of an operation's result, as far as the types of its operands say it.
pub fn result_type(
    op: &Op,
    program: Option<&Program>,
    var: impl Fn(Var) -> Option<Ty>,
    value: impl Fn(Value) -> Option<Ty>,
) -> Option<Ty> {
    match op {
        Op::Bool(_) | Op::Compare(..) | Op::Print { .. } => Some(Ty::Bool),
        Op::I32(_) | Op::Element => Some(Ty::I32),
        Op::Append { .. } => Some(Ty::I32),
        Op::I64(_)
        | Op::Tick
        | Op::Path
        | Op::Random
        | Op::Watch { .. }
        | Op::Claim { .. }
        | Op::Lengthen { .. }
        | Op::Compact { .. } => Some(Ty::I64),
        Op::Match { .. } | Op::Group(_) | Op::Intrinsic { .. } => Some(Ty::I64),
        Op::WideMod(_) => Some(Ty::I64),
        Op::F64(_) | Op::Math(..) => Some(Ty::F64),
        Op::Get(x) => var(*x),
        Op::Scalar(s) => program?.scalars.get(s.0 as usize).map(|s| s.ty),
        Op::Unary(op, _) => Some(op.signature().1),
        Op::Binary(op, a, _) => op.ty().or_else(|| value(*a)),
        Op::Select(_, a, _) => value(*a),
        Op::Load(b, _) => program?.buffers.get(b.0 as usize).map(|b| b.ty),
    }
}

/// What the operation alone says of its result: all there is to know of a constant, else the whole type.
pub const fn plain_interval(ty: Ty, op: Option<&Op>) -> Interval {
    match op {
        Some(Op::I32(n)) => Interval::constant(*n as i64),
        Some(Op::I64(n)) => Interval::constant(*n),
        _ => ty.full_interval(),
    }
}
