//! What Integer and Float share: mixed arithmetic and comparison, and how other operands are refused.

use super::{Invocation, Row, bare, carrying, numeric, row};
use crate::infer::host::{FoundMethod, Method};
use crate::infer::{CallType, Condition, Lowerer, Operand, class_of, is_big_integer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Receiver, UnaryOp, Value};
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    // What is no number MRI compares with 0 before it knows what it is.
    carrying("#known_step", |s, c| {
        let is_number = |ty: &Type| matches!(ty, Type::Integer | Type::Float);
        if c.args[0].types.iter().all(is_number) {
            return Operand::nil();
        }
        let what = s.describe(&c.args[0].types);
        s.refuse_here(
            "unsupported-argument",
            format!("`step` by {what} cannot run in a section"),
            Some("give it a number".into()),
        )
    }),
    bare("positive?", |s, c| compare_zero(s, c, Comparison::Gt)),
    bare("negative?", |s, c| compare_zero(s, c, Comparison::Lt)),
    bare("zero?", |s, c| compare_zero(s, c, Comparison::Eq)),
    bare("nonzero?", |s, c| {
        let zero = compare_zero(s, c, Comparison::Ne);
        if zero.is_bottom() { zero } else { s.or_nil(zero.value(), &c.receiver) }
    }),
    bare("integer?", |s, c| {
        let value = s.b.bool(c.receiver.types.contains(&Type::Integer));
        Operand::bool(value)
    }),
    bare("real?", |s, _| {
        let value = s.b.bool(true);
        Operand::bool(value)
    }),
    bare("+@", |_, c| c.receiver.clone()),
    row("<", |s, c| comparison(s, c, Comparison::Lt)),
    row("<=", |s, c| comparison(s, c, Comparison::Le)),
    row(">", |s, c| comparison(s, c, Comparison::Gt)),
    row(">=", |s, c| comparison(s, c, Comparison::Ge)),
    carrying("==", equal),
    carrying("===", equal),
    row("<=>", spaceship),
    numeric("#below?", |s, c| ordered(s, c, Comparison::Lt)),
    numeric("#above?", |s, c| ordered(s, c, Comparison::Gt)),
];

/// The operand as a double: exact for a Float, rounded to nearest for an Integer.
pub(super) fn to_f(s: &mut Lowerer<'_>, operand: &Operand) -> Value {
    match operand.types.single() {
        Some(Type::Integer) => s.b.unary(UnaryOp::I64ToF64, operand.value()),
        _ => operand.value(),
    }
}

fn compare_zero(s: &mut Lowerer<'_>, call: &Invocation, comparison: Comparison) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    let value = call.receiver.value();
    let zero = s.b.ty(value);
    let zero = s.b.zero(zero);
    let result = s.b.compare(comparison, value, zero);
    Operand::bool(result)
}

/// Arithmetic on two numbers: `integers` for Integer with Integer, `floats` otherwise. Anything else is a TypeError.
pub(super) fn arithmetic(
    s: &mut Lowerer<'_>,
    call: &Invocation,
    integers: &dyn Fn(&mut Lowerer<'_>, Value, Value) -> Operand,
    floats: &dyn Fn(&mut Lowerer<'_>, Value, Value) -> Operand,
) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&arg, 0, &mut |s, arg| match (receiver.types.single(), arg.types.single()) {
        (Some(Type::Integer), Some(Type::Integer)) => integers(s, receiver.value(), arg.value()),
        (_, Some(Type::Integer | Type::Float)) => {
            let (a, b) = (to_f(s, &receiver), to_f(s, &arg));
            floats(s, a, b)
        }
        _ => not_a_number(s, &call.name, &receiver, &arg),
    })
}

/// `1 + nil`: TypeError; `1 + object`: what its `coerce` gives.
pub(super) fn not_a_number(s: &mut Lowerer<'_>, name: &str, receiver: &Operand, arg: &Operand) -> Operand {
    // Second names of an operator call the operator.
    let name = match name {
        "modulo" => "%",
        "pow" => "**",
        "quo" | "fdiv" if receiver.types.contains(&Type::Float) => "/",
        name => name,
    };
    if arg.types.iter().any(is_big_integer) {
        return with_big_integer(s, name, receiver, arg);
    }
    // MRI has this for the sums and products of an Integer alone, where zeros keep their signs.
    let is_complex = arg.types.single().is_some_and(|ty| crate::infer::class_of(ty) == ClassId::COMPLEX);
    if is_complex && matches!(name, "+" | "*") && receiver.types.contains(&Type::Integer) {
        let how = if name == "+" { name } else { "#times_integer" };
        return s.send(arg, how, std::slice::from_ref(receiver), 22);
    }
    match coerced(s, receiver, arg) {
        Coerced::No => {
            let after = format!(" can't be coerced into {}", s.describe(&receiver.types));
            s.fail_about(true, String::new(), arg, after)
        }
        // Whatever else the pair may do.
        Coerced::Pair(left, _) if matches!(name, "&" | "|" | "^") && lacks(s, &left, name) => {
            let after = format!(" can't be coerced into {}", s.describe(&receiver.types));
            s.fail_about(true, String::new(), arg, after)
        }
        // That of the user's, if the class of the pair has one.
        Coerced::Pair(left, right) => {
            let call_type = s.written(name, crate::infer::CallType::Own);
            s.send_from(&left, name, &[right], 22, call_type)
        }
        Coerced::Ends => Operand::bottom(),
    }
}

/// With an Integer beyond 64 bits on the right.
fn with_big_integer(s: &mut Lowerer<'_>, name: &str, receiver: &Operand, arg: &Operand) -> Operand {
    if receiver.types.contains(&Type::Integer) {
        return s.by_big_integer(receiver, name, std::slice::from_ref(arg));
    }
    let arg = s.send(arg, "to_f", &[], 24);
    s.send(receiver, name, &[arg], 25)
}

/// Has no object of these the method?
fn lacks(s: &mut Lowerer<'_>, operand: &Operand, name: &str) -> bool {
    operand.types.iter().all(|ty| ty.is_instance() && !s.type_responds(ty, name))
}

/// For what asks more of an object than `coerce`.
pub(super) fn refuse_objects(s: &mut Lowerer<'_>, call: &Invocation) {
    if let Some(arg) = call.args.first()
        && let Some(ty) =
            arg.types.iter().find(|ty| !is_big_integer(ty) && s.type_responds(ty, "coerce")).cloned()
    {
        let what = s.describe(&ty.into());
        s.refuse_here(
            "unsupported-argument",
            format!("`{}` with {what} cannot run in a section", call.name),
            Some("use % with it, or give it a number".into()),
        );
    }
}

/// What an object's `coerce` makes of a number and itself.
enum Coerced {
    /// It has none.
    No,
    Pair(Operand, Operand),
    /// It raises, or is refused.
    Ends,
}

fn coerced(s: &mut Lowerer<'_>, number: &Operand, object: &Operand) -> Coerced {
    if !s.responds(object, "coerce") {
        return Coerced::No;
    }
    let pair = s.send_from(object, "coerce", std::slice::from_ref(number), 21, CallType::Own);
    match (pair.types.single(), &s.tuple_items(&pair)[..]) {
        (Some(Type::Tuple(_)), [left, right]) => Coerced::Pair(left.clone(), right.clone()),
        _ if pair.is_bottom() => Coerced::Ends,
        _ => {
            s.refuse_here(
                "unsupported-coerce",
                format!("`coerce` of {} does not give an array of two here", s.describe(&object.types)),
                Some("write: def coerce(other) = [Other.new(other), self]".into()),
            );
            Coerced::Ends
        }
    }
}

/// As [`comparison`], but as `<=>` has it: nothing is below or above NaN.
fn ordered(s: &mut Lowerer<'_>, call: &Invocation, op: Comparison) -> Operand {
    let receiver = call.receiver.clone();
    s.switch(&call.args[0], 1, &mut |s, arg| {
        if !matches!(arg.types.single(), Some(Type::Integer | Type::Float)) {
            let order = s.compared(&receiver, &arg);
            if order.is_bottom() {
                return order;
            }
            let zero = s.b.i64(0);
            return Operand::bool(s.b.compare(op, order.value(), zero));
        }
        let mut ok = s.b.bool(true);
        for x in [&receiver, &arg] {
            if x.types.contains(&Type::Float) {
                let number = s.b.compare(Comparison::Eq, x.value(), x.value());
                ok = s.b.binary(BinaryOp::AndB, ok, number);
            }
        }
        if s.b.constant(ok) != Some(1) {
            let (operand, values) = s.receiver(&arg);
            let before = format!("comparison of {} with ", s.describe(&receiver.types));
            let error =
                ErrorKind::AboutOperand { type_error: false, before, operand, after: " failed".into() };
            s.check(ok, error, &values);
        }
        let value = compare(s, op, &receiver, &arg);
        Operand::bool(value)
    })
}

fn comparison(s: &mut Lowerer<'_>, call: &Invocation, op: Comparison) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer | Type::Float) => {
            let value = compare(s, op, &receiver, &arg);
            Operand::bool(value)
        }
        Some(ty) if is_big_integer(ty) => {
            let swapped = match call.name.as_str() {
                "<" => ">",
                "<=" => ">=",
                ">" => "<",
                _ => "<=",
            };
            s.send(&arg, swapped, std::slice::from_ref(&receiver), 22)
        }
        _ => {
            let (left, right, order) = match coerced(s, &receiver, &arg) {
                Coerced::No => (receiver.clone(), arg, Operand::nil()),
                Coerced::Pair(left, right) => {
                    let order = s.send(&left, &call.name, std::slice::from_ref(&right), 22);
                    (left, right, order)
                }
                Coerced::Ends => return Operand::bottom(),
            };
            s.switch(&order, 23, &mut |s, order| match order.types.single() {
                Some(Type::Nil) => s.not_comparable(&left, &right),
                _ => order,
            })
        }
    })
}

/// Compares two numbers exactly, as Ruby does: an Integer and a Float by value, never by rounding.
pub(super) fn compare(s: &mut Lowerer<'_>, op: Comparison, a: &Operand, b: &Operand) -> Value {
    let is_integer = |o: &Operand| o.types.contains(&Type::Integer);
    match (is_integer(a), is_integer(b)) {
        (true, true) | (false, false) => s.b.compare(op, a.value(), b.value()),
        (true, false) => integer_with_float(s, op, a.value(), b.value()),
        (false, true) => {
            let swapped = match op {
                Comparison::Lt => Comparison::Gt,
                Comparison::Le => Comparison::Ge,
                Comparison::Gt => Comparison::Lt,
                Comparison::Ge => Comparison::Le,
                same => same,
            };
            integer_with_float(s, swapped, b.value(), a.value())
        }
    }
}

fn integer_with_float(s: &mut Lowerer<'_>, op: Comparison, i: Value, f: Value) -> Value {
    const EXACT: i64 = 1 << 53;
    let interval = s.b.interval(i);
    let as_float = s.b.unary(UnaryOp::I64ToF64, i);
    if interval.low >= -EXACT && interval.high <= EXACT {
        return s.b.compare(op, as_float, f);
    }
    // Beyond 2**53 the rounded Integer decides only where it differs from the Float; where they are equal the Float
    // has no fraction, and the Integers are compared (2**63 itself does not fit: every Integer is below it).
    let rounded = s.b.compare(op, as_float, f);
    let same = s.b.compare(Comparison::Eq, as_float, f);
    let top = s.b.f64(9_223_372_036_854_775_808.0);
    let fits = s.b.compare(Comparison::Lt, f, top);
    let zero = s.b.f64(0.0);
    let in_range = s.b.binary(BinaryOp::AndB, same, fits);
    let safe = s.b.select(in_range, f, zero);
    let whole = s.b.unary(UnaryOp::F64ToI64, safe);
    let exact = s.b.compare(op, i, whole);
    let below_top = s.b.bool(matches!(op, Comparison::Lt | Comparison::Le | Comparison::Ne));
    let when_same = s.b.select(fits, exact, below_top);
    s.b.select(same, when_same, rounded)
}

fn equal(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer | Type::Float) => {
            let value = compare(s, Comparison::Eq, &receiver, &arg);
            Operand::bool(value)
        }
        // Ruby asks the other object (`other == number`); an object without a `==` of its own is not equal.
        Some(Type::Module(_)) => s.send(&arg, "==", std::slice::from_ref(&receiver), 1),
        Some(Type::Object(..) | Type::Record(_) | Type::Made(_)) if !s.compares_identity(&arg) => {
            let equal = s.send(&arg, "==", std::slice::from_ref(&receiver), 1);
            if equal.is_bottom() { equal } else { Operand::bool(s.truth(&equal)) }
        }
        _ => {
            let value = s.b.bool(false);
            Operand::bool(value)
        }
    })
}

fn spaceship(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    let receiver = call.receiver.clone();
    s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
        Some(Type::Integer | Type::Float) => {
            let less = compare(s, Comparison::Lt, &receiver, &arg);
            let greater = compare(s, Comparison::Gt, &receiver, &arg);
            let (greater, less) =
                (s.b.unary(UnaryOp::BoolToI64, greater), s.b.unary(UnaryOp::BoolToI64, less));
            let order = s.b.binary(BinaryOp::Sub, greater, less);
            let order = Operand::integer(order);
            if receiver.types.contains(&Type::Integer) && arg.types.contains(&Type::Integer) {
                return order;
            }
            // NaN compares with nothing.
            let (x, y) = (to_f(s, &receiver), to_f(s, &arg));
            let (x, y) = (s.b.unary(UnaryOp::IsNan, x), s.b.unary(UnaryOp::IsNan, y));
            let unordered = s.b.binary(BinaryOp::OrB, x, y);
            let ordered = s.b.unary(UnaryOp::Not, unordered);
            s.or_nil(ordered, &order)
        }
        Some(ty) if is_big_integer(ty) => {
            s.send(&arg, "#order_reversed", std::slice::from_ref(&receiver), 22)
        }
        _ if receiver.types.contains(&Type::Float) => float_with_object(s, receiver.value(), &arg),
        _ => order_with_object(s, &receiver, &arg),
    })
}

pub(super) fn order_with_object(s: &mut Lowerer<'_>, number: &Operand, object: &Operand) -> Operand {
    match coerced(s, number, object) {
        Coerced::No => Operand::nil(),
        Coerced::Pair(left, right) => s.send(&left, "<=>", &[right], 22),
        Coerced::Ends => Operand::bottom(),
    }
}

/// `NaN <=> object` is nil, and an infinite number asks whether the object is infinite too.
fn float_with_object(s: &mut Lowerer<'_>, number: Value, object: &Operand) -> Operand {
    let (size, infinity) = (s.b.unary(UnaryOp::AbsF, number), s.b.f64(f64::INFINITY));
    let finite = s.b.compare(Comparison::Ne, size, infinity);
    if object.types.single().is_some_and(|ty| class_of(ty).parts().is_some()) {
        let finite = Condition { value: finite, yes: vec![], no: vec![] };
        let float = Operand::float(number);
        let infinite =
            |s: &mut Lowerer<'_>| s.send(&float, "#infinite_order", std::slice::from_ref(object), 25);
        return s.branch(26, finite, |s| order_with_object(s, &float, object), infinite);
    }
    if s.responds(object, "infinite?") {
        let why = "an infinite Float is not compared with an object that has `infinite?` in a section \
                   [unsupported-argument]";
        s.check(finite, ErrorKind::Unsupported(why.into()), &[]);
    }
    let value = s.b.unary(UnaryOp::IsNan, number);
    let condition = Condition { value, yes: vec![], no: vec![] };
    s.branch(24, condition, |_| Operand::nil(), |s| order_with_object(s, &Operand::float(number), object))
}

impl Lowerer<'_> {
    /// What an object's own method converts it to where Ruby wants an instance of another class; `None` where it has no
    /// such method, or is no object.
    pub(crate) fn converted(&mut self, operand: &Operand, method: &str, wanted: &Type) -> Option<Operand> {
        if !self.responds(operand, method) {
            return None;
        }
        let found = self.send_from(operand, method, &[], 61, CallType::Own);
        if found.is_bottom() || found.types.single() == Some(wanted) {
            return Some(found);
        }
        let (what, wanted) = (self.describe(&operand.types), self.describe(&wanted.clone().into()));
        Some(self.refuse_here(
            "unsupported-conversion",
            format!("`{method}` of {what} does not always give {wanted} here"),
            Some(format!("let it give {wanted}, or call it and look at what it gives")),
        ))
    }

    /// A TypeError or ArgumentError about `operand`: MRI tells immediate values as `inspect` does, others by class.
    pub(crate) fn fail_about(
        &mut self,
        type_error: bool,
        before: String,
        operand: &Operand,
        after: String,
    ) -> Operand {
        self.each_of_bool(operand, &mut |s, operand| {
            let (receiver, values) = s.receiver(operand);
            let receiver = match (receiver, operand.types.iter().next()) {
                (
                    Receiver::Object(_) | Receiver::Array(_) | Receiver::Text(_) | Receiver::Module(_),
                    Some(ty),
                ) => Receiver::Text(s.coercion_name(ty)),
                (receiver, _) => receiver,
            };
            let (before, after) = (before.clone(), after.clone());
            s.fail(ErrorKind::AboutOperand { type_error, before, operand: receiver, after }, &values)
        })
    }

    /// Is the `==` of an operand of one class the one that compares identity?
    pub(crate) fn compares_identity(&mut self, operand: &Operand) -> bool {
        let owner = self.owner_of_equality(operand);
        owner.is_some_and(|owner| super::is_common(owner) && owner != ClassId::COMPARABLE)
    }

    pub(crate) fn has_comparable_equality(&mut self, operand: &Operand) -> bool {
        self.owner_of_equality(operand) == Some(ClassId::COMPARABLE)
    }

    /// Is the `==` of these objects one of the user's, which may say no of the object itself?
    pub(crate) fn has_own_equality(&mut self, operand: &Operand) -> bool {
        !operand.is_bottom() && self.owner_of_equality(operand).is_none()
    }

    /// Where a `==` that is not written in Ruby is defined.
    fn owner_of_equality(&mut self, operand: &Operand) -> Option<ClassId> {
        let class = operand.types.iter().next().map_or(ClassId::OBJECT, class_of);
        match self.host.method(class, "==") {
            Ok(Some(FoundMethod { owner, method: Method::Native { .. }, .. })) => Some(owner),
            _ => None,
        }
    }
}
