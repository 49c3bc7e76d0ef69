//! Methods and variables by names that are values: Symbols, or Strings that become some.
//!
//! By which names a line calls methods that are not written out a section learns as it runs: it fails with `NewName`,
//! and begins anew (`kernel::named`): each is a branch.

use super::Condition;
use super::Lowerer;
use super::builtins::{is_primitive, wrong_count};
use super::operand::Operand;
use crate::ir::{Comparison, ErrorKind, MessagePart, UnaryOp};
use crate::types::{ClassId, Type};

/// Does `f` with the name that the first argument is: the one that is written out, or each by which calls here have been
/// so far. Any other is found out when the call comes to it, and the section begins anew.
pub(crate) fn named(
    s: &mut Lowerer<'_>,
    method: &str,
    name: Option<&Operand>,
    f: &mut dyn FnMut(&mut Lowerer<'_>, &str) -> Operand,
) -> Operand {
    let Some(name) = name else { return wrong_count(s, 0, "1+") };
    if let Some(name) = s.symbol_name(name) {
        return f(s, &name);
    }
    s.switch(name, 0x630, &mut |s, name| {
        let symbol = match name.types.single() {
            Some(Type::Symbol) => name,
            Some(ty) if ty.is_string() => s.send(&name, "to_sym", &[], 3),
            Some(Type::Nil | Type::True | Type::False | Type::Integer | Type::Float) => {
                return s.each_of_bool(&name, &mut |s, name| {
                    let (what, operands) = s.told(name);
                    let about = MessagePart::Inspect(what, 0);
                    let message = vec![about, MessagePart::Text(" is not a symbol nor a string".into())];
                    let error = ErrorKind::Raise { class: ClassId::TYPE_ERROR, message: Some(message) };
                    s.fail(error, &operands)
                });
            }
            _ => return refuse_name(s, method),
        };
        if symbol.is_bottom() {
            return symbol;
        }
        let known = s.names_called_here();
        one_of_names(s, &symbol, &known, 0, f)
    })
}

fn refuse_name(s: &mut Lowerer<'_>, method: &str) -> Operand {
    s.refuse_here(
        "unsupported-method",
        format!("`{method}` takes a Symbol or a String in a section"),
        Some("name the method or variable by one".into()),
    )
}

fn one_of_names(
    s: &mut Lowerer<'_>,
    symbol: &Operand,
    known: &[String],
    at: u32,
    f: &mut dyn FnMut(&mut Lowerer<'_>, &str) -> Operand,
) -> Operand {
    let Some((first, others)) = known.split_first() else {
        let number = s.b.unary(UnaryOp::ExtendI32, symbol.value());
        return s.fail(ErrorKind::NewName, &[number]);
    };
    let number = s.symbol(first).value();
    let is_it = s.b.compare(Comparison::Eq, symbol.value(), number);
    let condition = Condition { value: is_it, yes: vec![], no: vec![] };
    let f = std::cell::RefCell::new(f);
    s.within_slot(at, |s| {
        s.branch(
            37,
            condition,
            |s| s.within_slot(0, |s| (f.borrow_mut())(s, first)),
            |s| one_of_names(s, symbol, others, at + 1, &mut *f.borrow_mut()),
        )
    })
}

impl Lowerer<'_> {
    /// The name of a symbol written out in the section; none of a primitive.
    pub(crate) fn symbol_name(&self, operand: &Operand) -> Option<String> {
        (operand.types.single() == Some(&Type::Symbol)).then_some(())?;
        let number = self.b.constant(operand.value())?;
        self.symbols.get(&(number as i32)).filter(|name| !is_primitive(name)).cloned()
    }
}
