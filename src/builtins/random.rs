//! Random: the generators of numbers that a program or a section makes. Each is Ruby's Mersenne Twister, in
//! `core/random.rb`, over an array of the words of its state. An object from outside has that array in a variable that
//! no user can name (`#state`, `reading/variables.rs`): it is made when the object is read, so all that is said of
//! arrays holds (it is watched, so that elements which share a generator run in order), and Ruby's functions of
//! marshalling put the new state back (`vm/random_state.rs`, `writing/random_states.rs`). One that is made has a list
//! in the same variable. It leaves the section as an object of a class of the user's does, but that its `Maker` puts
//! state and seed into it by the same functions (`writing/objects.rs`); where Ruby has seen it in an `Ikra.sync`,
//! `refresh.rs` compares, writes and reads the state.

use super::{Builtin, Invocation, Row, bare, row, ruby_method};
use crate::infer::{Birth, Lowerer, Operand, Values, module_of};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, UnaryOp, Value};
use crate::types::{ClassId, RangeEnd, Type};

/// The beginning of what Random says of a limit that is none.
const INVALID: &str = "invalid argument - ";

const ROWS: &[Row] = &[
    row("rand", |s, c| with_limit(s, c, "#rand")),
    row("random_number", |s, c| with_limit(s, c, "#random_number")),
    row("#list", |s, c| s.new_list(0, c.args[0].value())),
    bare("#out_of_domain", |s, _| {
        let why = "Random draws numbers from a finite range, and up to a finite limit [unsupported-argument]";
        s.fail(ErrorKind::Unsupported(why.into()), &[])
    }),
];

/// A method of Random's instances, `initialize` among them.
pub(crate) fn lookup(name: &str) -> Option<Builtin> {
    match ROWS.iter().find(|row| row.name == name) {
        Some(row) => Some(Builtin::Rule(row)),
        None => ruby_method("Random", name).map(Builtin::Ruby),
    }
}

fn with_limit(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let Some(limit) = call.args.first() else { return s.send(&call.receiver, "#real", &[], 1) };
    s.switch(limit, 0, &mut |s, limit| s.send(&call.receiver, name, &[limit], 1))
}

/// What `shuffle` and `sample` draw from: a Random, or Ruby's own generator. `None`: it is refused.
pub(super) fn generator(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    if call.keyword_splat || call.keywords.iter().any(|(name, _)| name != "random") {
        s.refuse_collected_keywords();
        return None;
    }
    let given = call.keywords.last().map(|(_, random)| random.clone());
    // Another object is asked for its `rand` where a Random draws nothing, too: of a single item.
    let is_known = |ty: &Type| *ty == Type::Module(ClassId::RANDOM) || s.is_random(ty);
    if let Some(given) = &given
        && !given.types.iter().all(is_known)
    {
        refuse_generator(s, given);
        return None;
    }
    Some(given.unwrap_or_else(|| Operand {
        types: Type::Module(ClassId::RANDOM).into(),
        values: Values::new(),
        birth: Birth::UNKNOWN,
    }))
}

/// A number below a limit, of such a generator.
pub(super) fn draw(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let [generator, limit] = &call.args[..] else { return Operand::bottom() };
    s.switch(generator, 0, &mut |s, generator| {
        let limits = [limit.clone()];
        match generator.types.single() {
            _ if module_of(&generator) == Some(ClassId::RANDOM) => s.send(&generator, "rand", &limits, 1),
            Some(ty) if s.is_random(ty) => s.send(&generator, "#below", &limits, 1),
            _ => refuse_generator(s, &generator),
        }
    })
}

fn refuse_generator(s: &mut Lowerer<'_>, generator: &Operand) -> Operand {
    let what = s.describe(&generator.types);
    s.refuse_here(
        "unsupported-argument",
        format!("{what} as a generator of random numbers cannot be used in a section"),
        Some("give a Random, or none".into()),
    )
}

/// `rand`, `rand(n)`, `rand(range)`, and the same of Random.
pub(super) fn rand(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let strict = module_of(&call.receiver) == Some(ClassId::RANDOM);
    let Some(arg) = call.args.first() else { return random_float(s) };
    s.switch(arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Nil) if !strict => random_float(s),
        Some(Type::Nil) => s.fail(ErrorKind::ArgumentError(INVALID.into()), &[]),
        Some(Type::Float) if strict => {
            let zero = s.b.f64(0.0);
            let below_zero = s.b.compare(Comparison::Lt, arg.value(), zero);
            let ok = s.b.unary(UnaryOp::Not, below_zero);
            refuse_limit(s, ok, &arg);
            let unit = random_float(s);
            // 0.0 is no limit.
            let unlimited = s.b.compare(Comparison::Eq, arg.value(), zero);
            let limited = s.b.binary(BinaryOp::MulF, unit.value(), arg.value());
            Operand::float(s.b.select(unlimited, unit.value(), limited))
        }
        Some(Type::Integer | Type::Float) => {
            // Kernel#rand takes the size of the number, and 0 as no limit.
            let limit = match arg.types.single() {
                Some(Type::Float) => {
                    let whole = s.b.unary(UnaryOp::TruncF, arg.value());
                    super::float::to_integer(s, whole, "to_i")
                }
                _ => arg.clone(),
            };
            if limit.is_bottom() {
                return limit;
            }
            let zero = s.b.i64(0);
            if strict {
                let ok = s.b.compare(Comparison::Gt, limit.value(), zero);
                refuse_limit(s, ok, &arg);
                return below(s, limit.value());
            }
            let limit = super::integer::absolute_of(s, limit.value());
            let unlimited = s.b.compare(Comparison::Eq, limit.value(), zero);
            let condition = crate::infer::Condition { value: unlimited, yes: vec![], no: vec![] };
            s.branch(3, condition, random_float, |s| below(s, limit.value()))
        }
        Some(Type::Range { .. }) if strict => {
            let found = random_in(s, &arg);
            s.switch(&found, 8, &mut |s, found| match found.types.single() {
                Some(Type::Nil) => {
                    let text = s.send(&arg, "to_s", &[], 9);
                    if text.is_bottom() {
                        return text;
                    }
                    let (receiver, operands) = s.told(&text);
                    let parts = vec![MessagePart::Text(INVALID.into()), MessagePart::Value(receiver)];
                    let error = ErrorKind::Raise { class: ClassId::ARGUMENT_ERROR, message: Some(parts) };
                    s.fail(error, &operands)
                }
                _ => found,
            })
        }
        Some(Type::Range { .. }) => random_in(s, &arg),
        Some(ty) if crate::infer::is_big_integer(ty) => s.refuse_here(
            "unsupported-argument",
            "`rand` up to an Integer beyond 64 bits cannot run in a section",
            Some("draw its parts one by one".into()),
        ),
        _ => match s.converted(&arg, "to_int", &Type::Integer) {
            Some(limit) if limit.is_bottom() => limit,
            Some(limit) => s.send_from(&call.receiver, "rand", &[limit], 5, crate::infer::CallType::Own),
            None => s.fail_conversion("no implicit conversion of ", &arg, " into Integer"),
        },
    })
}

/// The ArgumentError of Random for a limit, unless a condition holds.
fn refuse_limit(s: &mut Lowerer<'_>, ok: Value, limit: &Operand) {
    let (receiver, operands) = s.receiver(limit);
    let error = ErrorKind::AboutOperand {
        type_error: false,
        before: INVALID.into(),
        operand: receiver,
        after: "".into(),
    };
    s.check(ok, error, &operands);
}

/// 53 random bits as a Float in 0.0...1.0.
fn random_float(s: &mut Lowerer<'_>) -> Operand {
    let bits = s.b.random();
    let (shift, mask) = (s.b.i64(11), s.b.i64((1 << 53) - 1));
    let bits = s.b.binary(BinaryOp::Shr, bits, shift);
    let bits = s.b.binary(BinaryOp::And, bits, mask);
    let float = s.b.unary(UnaryOp::I64ToF64, bits);
    let unit = s.b.f64(1.0 / (1_u64 << 53) as f64);
    Operand::float(s.b.binary(BinaryOp::MulF, float, unit))
}

/// A random Integer in `0...limit`: the upper half of bits × limit.
fn below(s: &mut Lowerer<'_>, limit: Value) -> Operand {
    let bits = s.b.random();
    let value = s.b.binary(BinaryOp::MulHighU, bits, limit);
    s.b.set_below(value, limit);
    Operand::integer(value)
}

fn random_in(s: &mut Lowerer<'_>, range: &Operand) -> Operand {
    let Some((Some(low), Some(high), exclusive, low_end, high_end)) = crate::infer::range_ends(range) else {
        return s.refuse_here("unsupported-method", "`rand` takes a range with both ends", None);
    };
    if low_end == RangeEnd::Integer && high_end == RangeEnd::Integer {
        let span = super::integer::checked(s, BinaryOp::SubChecked, "rand", high, low);
        let span = if exclusive {
            span.value()
        } else {
            let one = s.b.i64(1);
            super::integer::checked(s, BinaryOp::AddChecked, "rand", span.value(), one).value()
        };
        let zero = s.b.i64(0);
        let some = s.b.compare(Comparison::Gt, span, zero);
        let condition = crate::infer::Condition { value: some, yes: vec![], no: vec![] };
        // Kernel#rand gives nil for an empty range.
        return s.branch(
            4,
            condition,
            |s| {
                let offset = below(s, span);
                Operand::integer(s.b.binary(BinaryOp::Add, low, offset.value()))
            },
            |_| Operand::nil(),
        );
    }
    let float = |s: &mut Lowerer<'_>, value, end| match end {
        RangeEnd::Integer => s.b.unary(UnaryOp::I64ToF64, value),
        _ => value,
    };
    let (low, high) = (float(s, low, low_end), float(s, high, high_end));
    let span = s.b.binary(BinaryOp::SubF, high, low);
    let zero = s.b.f64(0.0);
    let wanted = if exclusive { Comparison::Gt } else { Comparison::Ge };
    let some = s.b.compare(wanted, span, zero);
    let condition = crate::infer::Condition { value: some, yes: vec![], no: vec![] };
    s.branch(
        4,
        condition,
        |s| {
            let unit = random_float(s);
            let offset = s.b.binary(BinaryOp::MulF, unit.value(), span);
            Operand::float(s.b.binary(BinaryOp::AddF, low, offset))
        },
        |_| Operand::nil(),
    )
}
