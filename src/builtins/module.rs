//! Classes and modules as receivers: `===`, `Integer.sqrt`, `Random.rand`.

use super::{Invocation, Row, bare, carrying, forwarding, row};
use crate::infer::{Birth, Lowerer, Operand, Values, module_of};
use crate::ir::ErrorKind;
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    carrying("===", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let Some(class) = module_of(&c.receiver) else { return Operand::bottom() };
        s.is_instance(&arg, class, false)
    }),
    carrying("==", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        s.switch(&arg, 0, &mut |s, arg| s.send(&c.receiver, "#same", &[arg], 1))
    }),
    row("<=", |s, c| compared(s, c, true, false)),
    row("<", |s, c| compared(s, c, false, false)),
    row(">=", |s, c| compared(s, c, true, true)),
    row(">", |s, c| compared(s, c, false, true)),
    row("sqrt", |s, c| {
        if module_of(&c.receiver) != Some(ClassId::INTEGER) {
            return unknown(s, c);
        }
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        s.switch(&arg, 0, &mut |s, arg| match arg.types.single() {
            Some(ty) if crate::infer::is_big_integer(ty) => s.send(&arg, "#root", &[], 1),
            _ => match super::integer::integer_argument(s, &c.with_args(vec![arg])) {
                Some(value) => super::integer::integer_sqrt(s, value),
                None => Operand::bottom(),
            },
        })
    }),
    row("rand", super::random::rand),
    bare("superclass", |s, c| {
        let Some(class) = module_of(&c.receiver).filter(|class| !s.host.is_module(*class)) else {
            return unknown(s, c);
        };
        match s.host.superclass(class) {
            Some(superclass) => Operand {
                types: Type::Module(superclass).into(),
                values: Values::new(),
                birth: Birth::UNKNOWN,
            },
            None => Operand::nil(),
        }
    }),
    bare("name", |s, c| name(s, c, "#frozen_name")),
    bare("to_s", |s, c| name(s, c, "#as_name")),
    bare("inspect", |s, c| name(s, c, "#as_name")),
    forwarding("new", |s, c| {
        let Some(class) = module_of(&c.receiver) else { return Operand::bottom() };
        s.construct(class, &c.arguments(true), c.block.as_ref())
    }),
    forwarding("exception", |s, c| match module_of(&c.receiver) {
        Some(class) if s.is_exception(class) => s.construct(class, &c.arguments(true), c.block.as_ref()),
        _ => unknown(s, c),
    }),
    // Of a Struct's class the same as `new`.
    forwarding("[]", |s, c| match module_of(&c.receiver) {
        Some(class) if !s.host.members(class).is_empty() => {
            s.construct(class, &c.arguments(true), c.block.as_ref())
        }
        _ => unknown(s, c),
    }),
];

/// Does one inherit from the other? `equal` is the answer of one and the same, `turned` asks whether the argument does.
fn compared(s: &mut Lowerer<'_>, call: &Invocation, equal: bool, turned: bool) -> Operand {
    let Some(arg) = s.one_argument(call) else { return Operand::bottom() };
    s.switch(&arg, 0, &mut |s, arg| {
        let (Some(one), Some(other)) = (module_of(&call.receiver), module_of(&arg)) else {
            return s.fail(ErrorKind::TypeError("compared with non class/module".into()), &[]);
        };
        let (one, other) = if turned { (other, one) } else { (one, other) };
        if one == other {
            Operand::bool(s.b.bool(equal))
        } else if s.host.is_subclass(one, other) {
            Operand::bool(s.b.bool(true))
        } else if s.host.is_subclass(other, one) {
            Operand::bool(s.b.bool(false))
        } else {
            Operand::nil()
        }
    })
}

/// The name of a class or module.
fn name(s: &mut Lowerer<'_>, call: &Invocation, form: &str) -> Operand {
    let name = module_of(&call.receiver).map_or_else(String::new, |class| s.host.class_name(class));
    if name.is_empty() || name.starts_with("#<") {
        let message = "the name of a class that has none cannot be asked for in a section";
        return s.refuse_here("unsupported-method", message, Some("ask for it before the section".into()));
    }
    match s.outside_literal(&name) {
        Some(text) => s.send(&text, form, &[], 1),
        None => Operand::bottom(),
    }
}

fn unknown(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    s.refuse_here("unsupported-method", format!("`{}` cannot run in a section", call.name), None)
}

impl Lowerer<'_> {
    /// The class of an operand.
    pub(crate) fn class_operand(&mut self, operand: &Operand) -> Operand {
        self.switch(operand, 0, &mut |s, operand| {
            s.each_of_bool(&operand, &mut |s, operand| {
                let class = operand.types.iter().next().map(|ty| Type::Module(s.exact_class(ty)));
                Operand { types: class.into_iter().collect(), values: Values::new(), birth: Birth::UNKNOWN }
            })
        })
    }
}
