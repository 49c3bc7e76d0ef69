//! Integers that leave 64 bits. Arithmetic is checked, and an element that fails ends the run: the section begins anew as
//! one in which Integers of that line have 128 bits (`wide_integers.rs`), or where these were too few are of any size
//! (`versions::Learned`): one class more, which `core/big_integer.rb` computes with on the CPU. Lines that nothing has
//! left cost what they did.

use super::host::IntegerSize;
use super::operand::Operand;
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp, Value};
use crate::types::{ClassId, Type};

impl Lowerer<'_> {
    /// May Integers be of any size here?
    pub(crate) fn takes_big_integers(&mut self) -> bool {
        if !self.has_intrinsics() {
            return false;
        }
        self.integer_size() == IntegerSize::Any
    }

    /// `a op b`: an Integer of any size, or a failure where it leaves 64 bits.
    pub(crate) fn integer_arithmetic(&mut self, op: BinaryOp, name: &str, a: Value, b: Value) -> Operand {
        if self.b.may_overflow(op, a, b) && self.takes_wide_integers() {
            return self.wide_arithmetic(op, name, a, b);
        }
        if !self.b.may_overflow(op, a, b) || !self.takes_big_integers() {
            let site = self.site(ErrorKind::overflow(name.into()));
            return Operand::integer(self.b.checked(op, a, b, site));
        }
        let (result, fits) = self.wrapping(op, a, b);
        let condition = Condition { value: fits, yes: vec![], no: vec![] };
        let how = match op {
            BinaryOp::AddChecked => "+",
            BinaryOp::SubChecked => "-",
            BinaryOp::MulChecked => "*",
            _ => "/",
        };
        let [left, right] = [a, b].map(Operand::integer);
        self.within_slot(0x640, |s| {
            s.branch(
                91,
                condition,
                |_| Operand::integer(result),
                |s| s.by_big_integer(&left, how, std::slice::from_ref(&right)),
            )
        })
    }

    /// The same of 128 bits.
    fn wide_arithmetic(&mut self, op: BinaryOp, name: &str, a: Value, b: Value) -> Operand {
        if op == BinaryOp::FloorDiv {
            let (result, fits) = self.wrapping(op, a, b);
            let (zero, least) = (self.b.i64(0), self.b.i64(i64::MIN));
            let low = self.b.select(fits, result, least);
            let sign = self.op(BinaryOp::Shr, result, 63);
            let high = self.b.select(fits, sign, zero);
            return self.wide_integer(low, high);
        }
        let [a, b] = [a, b].map(|word| self.wide_of_word(word));
        match op {
            BinaryOp::AddChecked => self.wide_result("+", a, b),
            BinaryOp::SubChecked => self.wide_difference(a, b, name),
            _ => self.wide_result("*", a, b),
        }
    }

    /// The result with 64 bits, and whether it is right.
    fn wrapping(&mut self, op: BinaryOp, a: Value, b: Value) -> (Value, Value) {
        let zero = self.b.i64(0);
        match op {
            BinaryOp::AddChecked | BinaryOp::SubChecked => {
                let adds = op == BinaryOp::AddChecked;
                let result = self.b.binary(if adds { BinaryOp::Add } else { BinaryOp::Sub }, a, b);
                // Its sign is another one than both have, or than the first one has where they differ.
                let one = self.b.binary(BinaryOp::Xor, a, result);
                let other = self.b.binary(BinaryOp::Xor, if adds { result } else { a }, b);
                let both = self.b.binary(BinaryOp::And, one, other);
                (result, self.b.compare(Comparison::Ge, both, zero))
            }
            BinaryOp::MulChecked => {
                let result = self.b.binary(BinaryOp::Mul, a, b);
                let mut high = self.b.binary(BinaryOp::MulHighU, a, b);
                for (one, other) in [(a, b), (b, a)] {
                    let sign = self.op(BinaryOp::Shr, one, 63);
                    let less = self.b.binary(BinaryOp::And, sign, other);
                    high = self.b.binary(BinaryOp::Sub, high, less);
                }
                let sign = self.op(BinaryOp::Shr, result, 63);
                (result, self.b.compare(Comparison::Eq, high, sign))
            }
            _ => {
                let (low, minus_one, one) = (self.b.i64(i64::MIN), self.b.i64(-1), self.b.i64(1));
                let is_low = self.b.compare(Comparison::Eq, a, low);
                let negates = self.b.compare(Comparison::Eq, b, minus_one);
                let leaves = self.b.binary(BinaryOp::AndB, is_low, negates);
                let divisor = self.b.select(leaves, one, b);
                let site = self.site(ErrorKind::overflow("/".into()));
                let result = self.b.checked(BinaryOp::FloorDiv, a, divisor, site);
                (result, self.b.unary(UnaryOp::Not, leaves))
            }
        }
    }

    /// What a method gives of an Integer that is taken for one beyond 64 bits.
    pub(crate) fn by_big_integer(&mut self, integer: &Operand, name: &str, args: &[Operand]) -> Operand {
        let big = self.send(integer, "#as_big", &[], 22);
        self.send(&big, name, args, 23)
    }

    /// An Integer beyond 64 bits of its words.
    pub(crate) fn big_integer(&mut self, words: &Operand) -> Operand {
        self.new_number(ClassId::BIG_INTEGER, &[words])
    }

    /// The words of an Integer of 64 bits.
    pub(crate) fn words_of_integer(&mut self, value: Value) -> Operand {
        let (room, encoding) = (self.b.i64(8), self.b.i64(crate::string_layout::Encoding::Binary as i64));
        let string = self.new_string(room, encoding);
        if !self.b.is_dead() {
            self.push_word(&string, value, room);
        }
        string
    }
}

/// Is it an Integer beyond 64 bits?
pub(crate) fn is_big_integer(ty: &Type) -> bool {
    ty.is_instance() && super::class_of(ty) == ClassId::BIG_INTEGER
}
