//! Which numbers are one object. In MRI small Integers and most Floats are immediate values: the same where their bits are.
//! Of others (NaN among them) a section has no objects, so that it ends where Ruby's answer depends on which object it is.

use crate::infer::{Lowerer, Operand, class_of};
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp, Value};
use crate::types::{ClassId, Type};

const UNKNOWN: &str = "whether two Floats that are not a number, or two large numbers, are the same object is not known in a \
                       section [unsupported-identity]\n  hint: ask for `nan?` first, or compare numbers with `==`";

/// Integers of MRI have two bits less than a word.
const SMALLEST: i64 = -(1 << 62);

/// Fails unless `known`.
pub(super) fn check(s: &mut Lowerer<'_>, known: Value) {
    s.check(known, ErrorKind::Unsupported(UNKNOWN.into()), &[]);
}

/// As `rb_equal` and `rb_eql` ask, which take an object for equal to itself: false if both are NaN, so that which objects
/// they are decides. None where they cannot be.
pub(super) fn is_decided_by_value(s: &mut Lowerer<'_>, one: &Operand, other: &Operand) -> Option<Value> {
    let may_be = |operand: &Operand| {
        operand.types.single().is_some_and(|ty| *ty == Type::Float || class_of(ty) == ClassId::COMPLEX)
    };
    if !may_be(one) || !may_be(other) || one.types != other.types {
        return None;
    }
    let both = match one.types.single() {
        Some(Type::Float) => {
            let [one, other] = [one, other].map(|operand| s.b.unary(UnaryOp::IsNan, operand.value()));
            s.b.binary(BinaryOp::AndB, one, other)
        }
        _ => {
            let answer = s.send(one, "#alike_but_nan?", std::slice::from_ref(other), 0x650);
            if answer.is_bottom() { s.b.bool(false) } else { s.truth(&answer) }
        }
    };
    Some(s.b.unary(UnaryOp::Not, both))
}

/// Fails where two values are equal or eql? only if they are one object.
pub(super) fn check_decided_by_value(s: &mut Lowerer<'_>, one: &Operand, other: &Operand) {
    if let Some(known) = is_decided_by_value(s, one, other) {
        check(s, known);
    }
}

/// Fails where `number` is no immediate value, and it is asked whether it is the same object as one of the same bits.
pub(super) fn check_immediate(s: &mut Lowerer<'_>, number: &Operand, same_bits: Value) {
    let immediate = match number.types.single() {
        Some(Type::Integer) => {
            let (smallest, largest) = (s.b.i64(SMALLEST), s.b.i64(-(SMALLEST + 1)));
            let above = s.b.compare(Comparison::Ge, number.value(), smallest);
            let below = s.b.compare(Comparison::Le, number.value(), largest);
            s.b.binary(BinaryOp::AndB, above, below)
        }
        Some(Type::Float) => is_flonum(s, number.value()),
        _ => return,
    };
    let different = s.b.unary(UnaryOp::Not, same_bits);
    let known = s.b.binary(BinaryOp::OrB, different, immediate);
    check(s, known);
}

/// As MRI's `rb_float_new_inline`: bits 62 to 60 are 011 or 100, or it is 0.0.
fn is_flonum(s: &mut Lowerer<'_>, float: Value) -> Value {
    /// Has the word that 0.0 would have.
    const SMALLEST_OF_011: i64 = 0x3000_0000_0000_0000;
    let bits = s.b.unary(UnaryOp::BitsToI64, float);
    let [sixty, seven, low, high, smallest, zero] =
        [60, 7, 0b011, 0b100, SMALLEST_OF_011, 0].map(|number| s.b.i64(number));
    let top = s.b.binary(BinaryOp::Shr, bits, sixty);
    let top = s.b.binary(BinaryOp::And, top, seven);
    let low = s.b.compare(Comparison::Eq, top, low);
    let high = s.b.compare(Comparison::Eq, top, high);
    let within = s.b.binary(BinaryOp::OrB, low, high);
    let other = s.b.compare(Comparison::Ne, bits, smallest);
    let within = s.b.binary(BinaryOp::AndB, within, other);
    let zero = s.b.compare(Comparison::Eq, bits, zero);
    s.b.binary(BinaryOp::OrB, within, zero)
}
