//! Integers of up to 128 bits in registers: two words, of which the high one has the sign. Those of a line that 64 bits
//! have turned out to be too few for are such ones, and so are those from before the section that fit. Unlike others
//! beyond 64 bits they need no memory, and a GPU has them. What fits 64 bits may be one, so nobody but the operations
//! here gets to see them: a method that is none of these, and all that keeps values, gets an Integer of 64 bits or one of
//! any size (`narrowed`).
//!
//! An operation that leaves 128 bits fails in what gives its high word. Where nobody wants that, as with
//! `(h ^ b) * prime & 0xffff_ffff_ffff_ffff`, the pass `wrap` takes the check away.

use super::callees::Callee;
use super::host::IntegerSize;
use super::operand::Operand;
use super::{Arguments, BlockRef, CallType, Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Part, ScalarSource, UnaryOp, Value};
use crate::string_layout::Encoding;
use crate::types::{ClassId, Type, TypeSet};

/// Operations of one of these and an Integer. `builtins/wide_integer.rs` has their rules.
const OPERATIONS: &[&str] =
    &["+", "-", "*", "&", "|", "^", "%", "modulo", "<", "<=", ">", ">=", "==", "===", "<=>"];

/// What else they understand, in `builtins/wide_integer.rs` and `core/wide_integer.rb`.
const METHODS: &[&str] = &[
    "!=",
    "!",
    "~",
    "-@",
    "+@",
    "<<",
    ">>",
    "[]",
    "/",
    "div",
    "succ",
    "next",
    "pred",
    "even?",
    "odd?",
    "zero?",
    "nonzero?",
    "positive?",
    "negative?",
    "abs",
    "magnitude",
    "to_i",
    "to_int",
    "to_f",
    "integer?",
    "nil?",
    "itself",
    "class",
    "then",
    "tap",
    "frozen?",
    "#high",
    "#low",
    "#float_of_low",
    "#narrow",
];

/// The words of a number.
#[derive(Clone, Copy)]
pub(crate) struct Wide {
    pub low: Value,
    pub high: Value,
    /// Does it fit 64 bits, with its sign?
    pub is_word: bool,
}

/// Is it an Integer of 128 bits?
pub(crate) fn is_wide_integer(ty: &Type) -> bool {
    ty.is_instance() && super::class_of(ty) == ClassId::WIDE_INTEGER
}

fn holds_wide(types: &TypeSet) -> bool {
    types.iter().any(is_wide_integer)
}

impl Lowerer<'_> {
    /// How large may Integers become here?
    pub(crate) fn integer_size(&mut self) -> IntegerSize {
        // What a built-in counts by is no number of the user's.
        let core = self.span.file.is_core().then(|| self.span.place_in_core());
        let (path, line) = core.unwrap_or_else(|| self.line_here());
        self.host.integer_size(&path, line)
    }

    /// Are they as large as they must be in registers?
    pub(crate) fn takes_wide_integers(&mut self) -> bool {
        self.integer_size() == IntegerSize::Wide
    }

    /// The words of an Integer of 64 bits.
    pub(crate) fn wide_of_word(&mut self, low: Value) -> Wide {
        let interval = self.b.interval(low);
        let high = match (interval.low >= 0, interval.high < 0) {
            (true, _) => self.b.i64(0),
            (_, true) => self.b.i64(-1),
            _ => self.op(BinaryOp::Shr, low, 63),
        };
        Wide { low, high, is_word: true }
    }

    /// The words of an Integer of any class: one of more than 128 bits fails.
    pub(crate) fn wide_of(&mut self, integer: &Operand, name: &str) -> Wide {
        match integer.types.single() {
            Some(ty) if is_wide_integer(ty) => {
                let [low, high] = [ClassId::LOW, ClassId::HIGH].map(|part| self.read_ivar(integer, part));
                Wide { low: self.word_of_part(&low), high: self.word_of_part(&high), is_word: false }
            }
            Some(ty) if super::is_big_integer(ty) => {
                if let Some(known) = self.wide_constant(integer) {
                    let [low, high] = [known, known >> 64].map(|word| self.b.i64(word as i64));
                    return Wide { low, high, is_word: false };
                }
                let words = self.read_ivar(integer, ClassId::WORDS);
                let (size, two) = (self.string_size(&words), self.b.i64(16));
                let fits = self.b.compare(Comparison::Eq, size, two);
                self.check(fits, ErrorKind::wide_overflow(name.into()), &[]);
                let [low, high] = [0, 1].map(|at| {
                    let at = self.b.i64(at);
                    self.string_word(&words, at)
                });
                Wide { low, high, is_word: false }
            }
            _ => self.wide_of_word(integer.value()),
        }
    }

    /// The number that a constant is.
    fn wide_constant(&self, integer: &Operand) -> Option<i128> {
        let [value] = integer.values[..] else { return None };
        match self.program.scalars[self.b.scalar_of(value)?.0 as usize].source {
            ScalarSource::Root(root, Part::Payload) => self.wide_constants.get(&root).copied(),
            _ => None,
        }
    }

    fn word_of_part(&mut self, part: &Operand) -> Value {
        if part.is_bottom() { self.b.i64(0) } else { part.value() }
    }

    /// The number of two words: an Integer of 64 bits where that is known.
    pub(crate) fn wide_integer(&mut self, low: Value, high: Value) -> Operand {
        let (bits, sign) = (self.b.interval(low), self.b.interval(high));
        let is_word = |of: i64| sign.low == of && sign.high == of;
        if is_word(0) && bits.low >= 0 || is_word(-1) && bits.high < 0 {
            return Operand::integer(low);
        }
        self.new_wide_integer(Wide { low, high, is_word: false })
    }

    /// The number of these words, whatever is known of them.
    pub(crate) fn new_wide_integer(&mut self, Wide { low, high, .. }: Wide) -> Operand {
        let [low, high] = [low, high].map(Operand::integer);
        self.new_number(ClassId::WIDE_INTEGER, &[&low, &high])
    }

    /// The same number as an Integer of 64 bits, or else one of any size.
    pub(crate) fn narrowed(&mut self, operand: &Operand) -> Operand {
        if !holds_wide(&operand.types) {
            return operand.clone();
        }
        self.within_slot(0x660, |s| {
            s.switch(operand, 0x61, &mut |s, one| match one.types.single() {
                Some(ty) if is_wide_integer(ty) => s.narrowed_wide(&one),
                _ => one,
            })
        })
    }

    fn narrowed_wide(&mut self, number: &Operand) -> Operand {
        let Wide { low, high, .. } = self.wide_of(number, "to_i");
        let sign = self.op(BinaryOp::Shr, low, 63);
        let fits = self.b.compare(Comparison::Eq, high, sign);
        let condition = Condition { value: fits, yes: vec![], no: vec![] };
        self.branch(
            0x62,
            condition,
            |_| Operand::integer(low),
            |s| {
                if !s.has_intrinsics() {
                    return s.fail(ErrorKind::wide_overflow("to_i".into()), &[]);
                }
                let (room, encoding) = (s.b.i64(16), s.b.i64(Encoding::Binary as i64));
                let words = s.new_string(room, encoding);
                let eight = s.b.i64(8);
                for word in [low, high] {
                    if !s.b.is_dead() {
                        s.push_word(&words, word, eight);
                    }
                }
                if s.b.is_dead() { Operand::bottom() } else { s.big_integer(&words) }
            },
        )
    }

    /// A call of one of Ruby's own methods on or with such a number; `None` if there is none.
    pub(super) fn with_wide_integers(
        &mut self,
        receiver: &Operand,
        name: &str,
        callee: &Callee,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Option<Operand> {
        let of_wide = self.is_in_registers(&receiver.types);
        let with_wide = arguments
            .positional
            .iter()
            .any(|arg| arg.types.iter().any(|ty| is_wide_integer(ty) || super::is_big_integer(ty)));
        if !of_wide && !with_wide {
            return None;
        }
        let is_plain = arguments.splat.is_none() && arguments.keywords.is_empty() && block.is_none();
        let is_integer = of_wide || receiver.types.single() == Some(&Type::Integer);
        if let ([arg], true) =
            (&arguments.positional[..], is_plain && is_integer && OPERATIONS.contains(&name))
        {
            return Some(
                self.switch(arg, 0x63, &mut |s, arg| s.wide_operation(receiver, name, callee, &arg)),
            );
        }
        if of_wide && METHODS.contains(&name) {
            let is_big = receiver.types.iter().any(super::is_big_integer);
            let by_word = arguments.positional.iter().all(|arg| arg.types.single() == Some(&Type::Integer));
            return match (is_big, self.integer_size() == IntegerSize::Any) {
                (true, false) if is_plain && by_word && matches!(name, "<<" | ">>" | "~") => {
                    let Wide { low, high, .. } = self.wide_of(receiver, name);
                    let receiver =
                        if self.b.is_dead() { Operand::bottom() } else { self.wide_integer(low, high) };
                    let call_type = self.written(name, CallType::Own);
                    Some(self.within_slot(0x667, |s| s.dispatch(&receiver, name, arguments, None, call_type)))
                }
                (true, _) | (_, false) => None,
                _ => Some(self.narrowed_call(receiver, name, arguments, block)),
            };
        }
        if holds_wide(&receiver.types) {
            return Some(self.narrowed_call(receiver, name, arguments, block));
        }
        let narrows = arguments.positional.iter().any(|arg| holds_wide(&arg.types));
        if !narrows || matches!(callee, Callee::Method(..)) || matches!(name, "!=" | "#is") {
            return None;
        }
        let arguments = self.narrowed_arguments(arguments);
        if arguments.positional.iter().any(Operand::is_bottom) {
            return Some(Operand::bottom());
        }
        Some(self.within_slot(0x664, |s| s.invoke_itself(receiver, name, callee, &arguments, block)))
    }

    /// Is it a number that these operations take? Those from before the section are, unless some are larger.
    fn is_in_registers(&self, types: &TypeSet) -> bool {
        let Some(ty) = types.single() else { return false };
        is_wide_integer(ty) || super::is_big_integer(ty) && !self.host.has_big_integers()
    }

    /// `receiver op arg`, of which one is such a number, or the receiver is.
    fn wide_operation(&mut self, receiver: &Operand, name: &str, callee: &Callee, arg: &Operand) -> Operand {
        let one = Arguments { positional: vec![arg.clone()], ..Arguments::default() };
        let is_integer = arg.types.single() == Some(&Type::Integer) || self.is_in_registers(&arg.types);
        let both = [receiver, arg].map(|operand| self.is_in_registers(&operand.types));
        if !is_integer || both == [false, false] {
            return match holds_wide(&receiver.types) {
                true => self.narrowed_call(receiver, name, &one, None),
                false => self.within_slot(0x665, |s| s.invoke_itself(receiver, name, callee, &one, None)),
            };
        }
        if self.integer_size() == IntegerSize::Any {
            let one = self.narrowed_arguments(&one);
            return self.narrowed_call(receiver, name, &one, None);
        }
        let [a, b] = [receiver, arg].map(|operand| self.wide_of(operand, name));
        if self.b.is_dead() {
            return Operand::bottom();
        }
        self.wide_result(name, a, b)
    }

    /// The call on the same number that is none of 128 bits.
    fn narrowed_call(
        &mut self,
        receiver: &Operand,
        name: &str,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        let receiver = self.narrowed(receiver);
        if receiver.is_bottom() {
            return receiver;
        }
        let call_type = self.written(name, CallType::Own);
        self.within_slot(0x666, |s| s.dispatch(&receiver, name, arguments, block.cloned(), call_type))
    }

    fn narrowed_arguments(&mut self, arguments: &Arguments) -> Arguments {
        let mut arguments = arguments.clone();
        for (arg, slot) in arguments.positional.iter_mut().zip(0x668..) {
            *arg = self.within_slot(slot, |s| s.narrowed(arg));
        }
        arguments
    }

    /// `a op b`
    pub(crate) fn wide_result(&mut self, name: &str, a: Wide, b: Wide) -> Operand {
        match name {
            "+" => self.wide_sum(a, b),
            "-" => self.wide_difference(a, b, name),
            "*" => self.wide_product(a, b),
            "&" => self.wide_bits(BinaryOp::And, a, b),
            "|" => self.wide_bits(BinaryOp::Or, a, b),
            "^" => self.wide_bits(BinaryOp::Xor, a, b),
            "%" | "modulo" => self.wide_rest(a, b),
            "<" => Operand::bool(self.wide_less(a, b)),
            ">" => Operand::bool(self.wide_less(b, a)),
            "<=" | ">=" => {
                let (a, b) = if name == "<=" { (b, a) } else { (a, b) };
                let less = self.wide_less(a, b);
                Operand::bool(self.b.unary(UnaryOp::Not, less))
            }
            "<=>" => {
                let [less, greater] = [(a, b), (b, a)].map(|(a, b)| {
                    let less = self.wide_less(a, b);
                    self.b.unary(UnaryOp::BoolToI64, less)
                });
                Operand::integer(self.b.binary(BinaryOp::Sub, greater, less))
            }
            _ => {
                let low = self.b.compare(Comparison::Eq, a.low, b.low);
                let high = self.b.compare(Comparison::Eq, a.high, b.high);
                Operand::bool(self.b.binary(BinaryOp::AndB, low, high))
            }
        }
    }

    fn wide_sum(&mut self, a: Wide, b: Wide) -> Operand {
        let low = self.b.binary(BinaryOp::Add, a.low, b.low);
        let carry = self.b.compare(Comparison::LtU, low, a.low);
        let carry = self.b.unary(UnaryOp::BoolToI64, carry);
        let site = self.site(ErrorKind::wide_overflow("+".into()));
        let high = self.b.checked(BinaryOp::AddChecked, a.high, b.high, site);
        let high = self.b.checked(BinaryOp::AddChecked, high, carry, site);
        self.wide_integer(low, high)
    }

    pub(crate) fn wide_difference(&mut self, a: Wide, b: Wide, name: &str) -> Operand {
        let low = self.b.binary(BinaryOp::Sub, a.low, b.low);
        let borrow = self.b.compare(Comparison::LtU, a.low, b.low);
        let borrow = self.b.unary(UnaryOp::BoolToI64, borrow);
        let site = self.site(ErrorKind::wide_overflow(name.into()));
        let high = self.b.checked(BinaryOp::SubChecked, a.high, b.high, site);
        let high = self.b.checked(BinaryOp::SubChecked, high, borrow, site);
        self.wide_integer(low, high)
    }

    fn wide_product(&mut self, a: Wide, b: Wide) -> Operand {
        let low = self.b.binary(BinaryOp::Mul, a.low, b.low);
        let upper = self.b.binary(BinaryOp::MulHighU, a.low, b.low);
        let [no_sign, other_no_sign] = [a, b].map(|of| self.b.constant(of.high) == Some(0));
        let site = ErrorKind::wide_overflow("*".into());
        let high = match (no_sign, other_no_sign, a.is_word, b.is_word) {
            (true, true, ..) => {
                let zero = self.b.i64(0);
                let leaves = self.b.compare(Comparison::Lt, upper, zero);
                self.failing(upper, leaves, site)
            }
            // What a sign takes away: neither is larger than its word.
            (true, _, _, true) | (_, true, true, _) | (_, _, true, true) => {
                let mut high = upper;
                for (sign, of) in [(a.high, b.low), (b.high, a.low)] {
                    let less = self.b.binary(BinaryOp::And, sign, of);
                    high = self.b.binary(BinaryOp::Sub, high, less);
                }
                high
            }
            _ => {
                let mut high = upper;
                for (x, y) in [(a.high, b.low), (a.low, b.high)] {
                    let part = self.b.binary(BinaryOp::Mul, x, y);
                    high = self.b.binary(BinaryOp::Add, high, part);
                }
                // Of larger numbers it is not told whether they fit.
                let mut bad = self.b.bool(false);
                for of in [a, b] {
                    let sign = self.op(BinaryOp::Shr, of.high, 63);
                    let larger = self.b.compare(Comparison::Ne, of.high, sign);
                    bad = self.b.binary(BinaryOp::OrB, bad, larger);
                }
                let (sign, zero) = (self.op(BinaryOp::Shr, high, 63), self.b.i64(0));
                let due = self.b.binary(BinaryOp::Xor, a.high, b.high);
                let turned = self.b.compare(Comparison::Ne, sign, due);
                let [any, other] = [a, b].map(|of| {
                    let any = self.b.binary(BinaryOp::Or, of.low, of.high);
                    self.b.compare(Comparison::Ne, any, zero)
                });
                // That of 0 has no sign; that of two times -2**64 has lost its only bit.
                let any = self.b.binary(BinaryOp::AndB, any, other);
                let gone = self.b.compare(Comparison::Eq, low, zero);
                let none = self.b.compare(Comparison::Eq, high, zero);
                let gone = self.b.binary(BinaryOp::AndB, gone, none);
                let turned = self.b.binary(BinaryOp::OrB, turned, gone);
                let turned = self.b.binary(BinaryOp::AndB, turned, any);
                let bad = self.b.binary(BinaryOp::OrB, bad, turned);
                self.failing(high, bad, site)
            }
        };
        self.wide_integer(low, high)
    }

    /// A high word that fails where the number has left 128 bits: by a checked operation, which goes where nobody wants
    /// the word.
    fn failing(&mut self, high: Value, leaves: Value, error: ErrorKind) -> Value {
        let (least, zero) = (self.b.i64(i64::MIN), self.b.i64(0));
        let size = self.b.select(leaves, least, zero);
        if self.b.constant(size) == Some(0) {
            return high;
        }
        let site = self.site(error);
        let nothing = self.b.checked(BinaryOp::SubChecked, zero, size, site);
        self.b.binary(BinaryOp::Add, high, nothing)
    }

    fn wide_bits(&mut self, op: BinaryOp, a: Wide, b: Wide) -> Operand {
        let low = self.b.binary(op, a.low, b.low);
        let (x, y) = (self.b.constant(a.high), self.b.constant(b.high));
        let high = match (op, x, y) {
            (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => self.b.i64(0),
            (BinaryOp::And, Some(-1), _) => b.high,
            (BinaryOp::And, _, Some(-1)) => a.high,
            _ => self.b.binary(op, a.high, b.high),
        };
        self.wide_integer(low, high)
    }

    pub(crate) fn wide_less(&mut self, a: Wide, b: Wide) -> Value {
        let low = self.b.compare(Comparison::LtU, a.low, b.low);
        let same = self.b.compare(Comparison::Eq, a.high, b.high);
        let low = self.b.binary(BinaryOp::AndB, same, low);
        let high = self.b.compare(Comparison::Lt, a.high, b.high);
        self.b.binary(BinaryOp::OrB, high, low)
    }

    fn wide_rest(&mut self, a: Wide, b: Wide) -> Operand {
        let zero = self.b.i64(0);
        let any = self.b.binary(BinaryOp::Or, b.low, b.high);
        let some = self.b.compare(Comparison::Ne, any, zero);
        self.check(some, ErrorKind::ZeroDivision, &[]);
        if self.b.is_dead() {
            return Operand::bottom();
        }
        if let (Some(low), Some(high)) = (self.b.constant(b.low), self.b.constant(b.high)) {
            let divisor = i128::from(high) << 64 | i128::from(low as u64);
            if divisor > 0 && divisor.count_ones() == 1 {
                let [low, high] = [divisor - 1, (divisor - 1) >> 64].map(|word| self.b.i64(word as i64));
                return self.wide_bits(BinaryOp::And, a, Wide { low, high, is_word: false });
            }
        }
        if b.is_word {
            // Half a word after the other.
            let half = self.b.i64(1 << 32);
            let upper = self.logical_right(a.low, 32);
            let lower = self.op(BinaryOp::And, a.low, 0xffff_ffff);
            let rest = self.b.wide_mod([a.high, half, upper, b.low]);
            return Operand::integer(self.b.wide_mod([rest, half, lower, b.low]));
        }
        // That of more than a word is divided in memory.
        let [a, b] = [a, b].map(|of| self.new_wide_integer(of));
        let a = self.within_slot(0x669, |s| s.narrowed(&a));
        let b = self.within_slot(0x66a, |s| s.narrowed(&b));
        let a = self.send(&a, "#as_big", &[], 0x66b);
        let rest = Operand::integer(self.b.i64(4));
        self.send(&a, "#divided", &[b, rest], 0x66c)
    }

    /// A word shifted by so many bits, 0 to 63, and zeros behind it.
    fn logical_right(&mut self, word: Value, count: i64) -> Value {
        match count {
            0 => word,
            _ => {
                let shifted = self.op(BinaryOp::Shr, word, count);
                self.op(BinaryOp::And, shifted, i64::MAX >> (count - 1))
            }
        }
    }

    /// Shifted to the left by 0 to 63 bits.
    pub(crate) fn wide_left(&mut self, of: Wide, count: Value) -> Operand {
        let low = self.b.binary(BinaryOp::Shl, of.low, count);
        let last = self.b.i64(63);
        let rest = self.b.binary(BinaryOp::Sub, last, count);
        let half = self.logical_right(of.low, 1);
        let from_low = self.b.binary(BinaryOp::Shr, half, rest);
        if self.b.constant(of.high) == Some(0) {
            return self.wide_integer(low, from_low);
        }
        let upper = self.b.binary(BinaryOp::Shl, of.high, count);
        let high = self.b.binary(BinaryOp::Or, upper, from_low);
        let back = self.b.binary(BinaryOp::Shr, high, count);
        let lost = self.b.compare(Comparison::Ne, back, of.high);
        let high = self.failing(high, lost, ErrorKind::wide_overflow("<<".into()));
        self.wide_integer(low, high)
    }

    /// Shifted to the right by 0 to 63 bits.
    pub(crate) fn wide_right(&mut self, of: Wide, count: Value) -> Operand {
        let high = self.b.binary(BinaryOp::Shr, of.high, count);
        let low = match self.b.constant(count) {
            Some(count) => self.logical_right(of.low, count),
            None => {
                let (half, one, zero) = (self.logical_right(of.low, 1), self.b.i64(1), self.b.i64(0));
                let less = self.b.binary(BinaryOp::Sub, count, one);
                let none = self.b.compare(Comparison::Eq, count, zero);
                let less = self.b.select(none, zero, less);
                let less = self.op(BinaryOp::And, less, 63);
                let shifted = self.b.binary(BinaryOp::Shr, half, less);
                self.b.select(none, of.low, shifted)
            }
        };
        if self.b.constant(of.high) == Some(0) {
            return self.wide_integer(low, of.high);
        }
        let last = self.b.i64(63);
        let rest = self.b.binary(BinaryOp::Sub, last, count);
        let double = self.op(BinaryOp::Shl, of.high, 1);
        let from_high = self.b.binary(BinaryOp::Shl, double, rest);
        let low = self.b.binary(BinaryOp::Or, low, from_high);
        self.wide_integer(low, high)
    }

    /// A number without a sign of 64 bits as a Float, rounded once.
    pub(crate) fn float_of_unsigned(&mut self, word: Value) -> Value {
        let zero = self.b.i64(0);
        let is_large = self.b.compare(Comparison::Lt, word, zero);
        let half = self.logical_right(word, 1);
        // The last bit stays, for it decides where two are as near.
        let last = self.op(BinaryOp::And, word, 1);
        let half = self.b.binary(BinaryOp::Or, half, last);
        let small = self.b.select(is_large, half, word);
        let small = self.b.unary(UnaryOp::I64ToF64, small);
        let double = self.b.binary(BinaryOp::AddF, small, small);
        self.b.select(is_large, double, small)
    }
}
