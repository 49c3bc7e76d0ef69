//! Conditions: their truth, and what holds of values where they are true and where they are false: `nil?`, `is_a?`,
//! truth, `&.`, `case`, `==` and patterns with classes and literals (`equal_types`: what is equal to a Symbol is one,
//! unless the value's own `==` is asked). These facts are attached to values, not to variables, so they hold for every
//! variable that has the value.

use super::characters::{Side, is_equality};
use super::host::Method;
use super::operand::Operand;
use super::{Condition, Lowerer};
use crate::ir::{Origin, UnaryOp, Value};
use crate::syntax::ast::{Kind, Node};
use crate::types::{ClassId, Type, TypeSet};

type Facts = Vec<(Value, TypeSet)>;

impl Lowerer<'_> {
    /// The truth of an operand, with what it says of the operand itself.
    pub(crate) fn truth_condition(&mut self, operand: &Operand) -> Condition {
        let value = self.truth(operand);
        let is_falsy = |t: &Type| matches!(t, Type::Nil | Type::False);
        let (truthy, falsy) = (operand.types.filter(|t| !is_falsy(t)), operand.types.filter(is_falsy));
        match operand.values.first() {
            Some(key) if operand.types.len() > 1 => {
                Condition { value, yes: vec![(*key, truthy)], no: vec![(*key, falsy)] }
            }
            _ => Condition { value, yes: vec![], no: vec![] },
        }
    }

    /// Lowers `node` as a condition.
    pub(crate) fn condition(&mut self, node: &Node) -> Condition {
        match &node.kind {
            Kind::Not(inner) => self.not_condition(node, inner).0,
            _ => self.condition_negating(node).0,
        }
    }

    /// As [`Lowerer::condition`], and: can the value be of a class with a `!` of its own?
    fn condition_negating(&mut self, node: &Node) -> (Condition, bool) {
        match &node.kind {
            Kind::Not(inner) => {
                let (condition, result) = self.not_condition(node, inner);
                let own = result.is_some_and(|result| self.negates(&result));
                (condition, own)
            }
            Kind::And(a, b) => {
                let (mut yes, mut no): (Facts, Facts) = Default::default();
                let (value, own) = self.short_circuit(node, a, b, true, &mut yes, &mut no);
                (Condition { value, yes, no: vec![] }, own)
            }
            Kind::Or(a, b) => {
                let (mut yes, mut no): (Facts, Facts) = Default::default();
                let (value, own) = self.short_circuit(node, a, b, false, &mut yes, &mut no);
                (Condition { value, yes: vec![], no }, own)
            }
            Kind::Sequence(items) if items.len() == 1 => self.condition_negating(&items[0]),
            Kind::Matching(last, inner) => self.matching(*last, |s| s.condition_negating(inner)),
            _ => {
                let (condition, operand) = self.tested(node);
                let own = self.negates(&operand);
                (condition, own)
            }
        }
    }

    /// `!inner` as a condition, and its value where a `!` of the user's gave it.
    pub(crate) fn not_condition(&mut self, node: &Node, inner: &Node) -> (Condition, Option<Operand>) {
        let place = (self.context, node.id);
        if !self.memo.own_negations.contains(&place) {
            let (condition, own) = self.condition_negating(inner);
            self.enter(node);
            if !own {
                let value = self.b.unary(UnaryOp::Not, condition.value);
                return (Condition { value, yes: condition.no, no: condition.yes }, None);
            }
            // The next walk keeps the value, which conditions do without.
            self.memo.own_negations.insert(place);
            self.memo.changed |= true;
        }
        let operand = self.expr(inner);
        self.enter(node);
        let result = if operand.is_bottom() { operand } else { self.send_written(&operand, "!", &[], 5) };
        (self.truth_condition(&result), Some(result))
    }

    /// `a && b` (`and`) or `a || b` as a `Bool`; facts are collected of both sides where both are known to hold.
    fn short_circuit(
        &mut self,
        node: &Node,
        a: &Node,
        b: &Node,
        and: bool,
        yes: &mut Facts,
        no: &mut Facts,
    ) -> (Value, bool) {
        let (first, first_negates) = self.condition_negating(a);
        // What is false or nil has no `!` of its own.
        let mut negates = !and && first_negates;
        yes.extend(first.yes.iter().cloned());
        no.extend(first.no.iter().cloned());
        self.enter(node);
        let (mut inner_yes, mut inner_no) = (vec![], vec![]);
        // Is it known of the second side that it gives what skipping it gives? Then what comes after is known too.
        let mut known = false;
        let second = |s: &mut Self| {
            let (second, own) = s.condition_negating(b);
            negates |= own;
            known = s.b.constant(second.value) == Some(i64::from(!and));
            inner_yes = second.yes;
            inner_no = second.no;
            Operand::bool(second.value)
        };
        let constant = |s: &mut Self| {
            let value = s.b.bool(!and);
            Operand::bool(value)
        };
        let result = if and {
            self.branch(0, first, second, constant)
        } else {
            self.branch(0, first, constant, second)
        };
        yes.extend(inner_yes);
        no.extend(inner_no);
        let value = match result.is_bottom() {
            true => self.b.bool(false),
            false if known => self.b.bool(!and),
            false => self.truth(&result),
        };
        (value, negates)
    }

    /// Calls whose truth says something of their receiver's class.
    fn test_call(&mut self, node: &Node, call: &crate::syntax::ast::Call) -> (Condition, Operand) {
        let receiver_node = call.receiver.as_ref().expect("checked by the caller");
        let is_test = matches!(
            (call.name.as_str(), call.args.len()),
            ("nil?" | "#nil?", 0) | ("is_a?" | "kind_of?" | "instance_of?" | "==" | "!=" | "===", 1)
        );
        if !is_test {
            let operand = self.expr(node);
            return (self.truth_condition(&operand), operand);
        }
        let receiver = match is_equality(call) {
            true => match self.side(receiver_node) {
                Side::Value(value) => match self.equals_written(node, call, &value) {
                    Some(same) => {
                        let operand = Operand::bool(same);
                        return (self.truth_condition(&operand), operand);
                    }
                    None => value,
                },
                Side::Character(left) => {
                    let operand = self.equals_character(node, call, left);
                    return (self.truth_condition(&operand), operand);
                }
            },
            false => self.expr(receiver_node),
        };
        let args: Vec<Operand> = call.args.iter().map(|a| self.expr(a)).collect();
        self.enter(node);
        self.span = call.name_span;
        let result = self.send_written(&receiver, &call.name, &args, 0);
        let (subject, class) = match call.name.as_str() {
            "nil?" | "#nil?" => (&receiver, Some(ClassId::NIL)),
            "is_a?" | "kind_of?" | "instance_of?" => (&receiver, module_of(&args[0])),
            "===" => (&args[0], module_of(&receiver)),
            _ => (&receiver, None),
        };
        let equals = match call.name.as_str() {
            "==" | "!=" => self.equal_types(&receiver.types, &args[0].types, true),
            "===" => self.equal_types(&subject.types, &receiver.types, false),
            _ => None,
        };
        let mut condition = self.truth_condition(&result);
        let exact = call.name == "instance_of?";
        let parts = match class {
            Some(class) => Some(self.partition(&subject.types, class, exact)),
            None => equals,
        };
        if let (Some((inside, outside)), Some(key)) = (parts, subject.values.first())
            && subject.types.len() > 1
        {
            let (yes, no) = if call.name == "!=" { (outside, inside) } else { (inside, outside) };
            condition.yes.push((*key, yes));
            condition.no.push((*key, no));
        }
        (condition, result)
    }

    /// The left side of `&&` and `||`: as a condition, and its value.
    pub(crate) fn tested(&mut self, node: &Node) -> (Condition, Operand) {
        match &node.kind {
            Kind::Matches { value, pattern } => {
                let condition = self.match_condition(value, pattern);
                let value = Operand::bool(condition.value);
                (condition, value)
            }
            Kind::Call(call) if call.receiver.is_some() && call.block.is_none() && !call.safe => {
                self.test_call(node, call)
            }
            Kind::Sequence(items) if items.len() == 1 => self.tested(&items[0]),
            _ => {
                let operand = self.expr(node);
                (self.truth_condition(&operand), operand)
            }
        }
    }

    /// The class of a value: of a class, that is Class.
    pub(crate) fn exact_class(&self, ty: &Type) -> ClassId {
        match ty {
            Type::Module(class) if !self.host.is_module(*class) => ClassId::CLASS,
            other => self.host.real_class(super::sites::class_of(other)).in_ruby(),
        }
    }

    /// The members of a set that are instances of `class`, and the others.
    pub(crate) fn partition(&self, types: &TypeSet, class: ClassId, exact: bool) -> (TypeSet, TypeSet) {
        let is_one = |t: &Type| {
            let own = self.exact_class(t);
            if exact { own == class } else { self.host.is_subclass(own, class) }
        };
        (types.filter(is_one), types.filter(|t| !is_one(t)))
    }

    /// Which of the types a value can have that is equal to one of Ruby's own, and which one that is not. `asked`: it is the
    /// value whose `==` is called; else the other one's `===`, which asks it where that is a number or a String.
    pub(super) fn equal_types(
        &mut self,
        types: &TypeSet,
        other: &TypeSet,
        asked: bool,
    ) -> Option<(TypeSet, TypeSet)> {
        let other = other.single()?;
        let is_number = |ty: &Type| matches!(ty, Type::Integer | Type::Float);
        let (names, compared): (&[&str], Vec<&Type>) = match asked {
            true => (&["==", "!="], types.iter().filter(|ty| !is_object(ty)).collect()),
            false => (&["==="], vec![other]),
        };
        let is_redefined = |ty: &&Type| !names.iter().all(|name| self.compares_as_ruby(ty, name));
        if types.len() < 2 || compared.iter().any(is_redefined) {
            return None;
        }
        let asks = asked || is_number(other) || other.is_string();
        let is_one = |ty: &Type| match other {
            Type::Integer => is_number(ty),
            Type::Float => is_number(ty) || super::is_big_integer(ty),
            other if other.is_string() => ty.is_string(),
            other => ty == other,
        };
        match other {
            Type::Nil | Type::True | Type::False => {
                let can = |ty: &Type| is_one(ty) || asks && is_object(ty);
                Some((types.filter(can), types.filter(|ty| !is_one(ty))))
            }
            other if is_number(other) || other.is_string() || *other == Type::Symbol => {
                Some((types.filter(|ty| is_one(ty) || asks && is_object(ty)), types.clone()))
            }
            _ => None,
        }
    }

    /// Is the method Ruby's own?
    fn compares_as_ruby(&mut self, ty: &Type, name: &str) -> bool {
        let found = self.host.method(super::class_of(ty), name);
        matches!(found, Ok(Some(found)) if matches!(found.method, Method::Native { .. }))
    }

    /// Makes `node` the current one.
    pub(crate) fn enter(&mut self, node: &Node) {
        self.node = node.id;
        self.span = node.span;
        self.b.origin = Origin(Some(self.user_span()));
    }
}

/// Can such a value have an `==` of its own? Classes have, too.
fn is_object(ty: &Type) -> bool {
    let is_of_ruby = matches!(
        ty,
        Type::Nil
            | Type::True
            | Type::False
            | Type::Integer
            | Type::Float
            | Type::Symbol
            | Type::Array(_)
            | Type::Tuple(_)
            | Type::List(_)
            | Type::Hash(..)
            | Type::Range { .. }
    );
    !is_of_ruby && !ty.is_string() && !ty.is_made_hash() && !ty.is_text_range()
}

/// The class or module that an operand is.
pub(crate) fn module_of(operand: &Operand) -> Option<ClassId> {
    match operand.types.single() {
        Some(Type::Module(class)) => Some(*class),
        _ => None,
    }
}
