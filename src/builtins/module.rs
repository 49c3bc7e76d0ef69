//! Classes and modules as receivers: `===`, `Integer.sqrt`, `Random.rand`.

use super::{Invocation, Row, row};
use crate::infer::{Arguments, Lowerer, Operand, module_of};
use crate::types::{ClassId, Type};

pub(super) const ROWS: &[Row] = &[
    row("===", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let Some(class) = module_of(&c.receiver) else { return Operand::bottom() };
        s.is_instance(&arg, class, false)
    }),
    row("==", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let same = arg.types.single() == c.receiver.types.single();
        Operand::bool(s.b.bool(same))
    }),
    row("<=", |s, c| {
        let Some(arg) = s.one_argument(c) else { return Operand::bottom() };
        let (Some(a), Some(b)) = (module_of(&c.receiver), module_of(&arg)) else {
            return s.refuse_here(
                "unsupported-method",
                "`Module#<=` takes a class or module in a section",
                None,
            );
        };
        if s.host.is_subclass(a, b) { Operand::bool(s.b.bool(true)) } else { Operand::nil() }
    }),
    row("sqrt", |s, c| {
        if module_of(&c.receiver) != Some(ClassId::INTEGER) {
            return unknown(s, c);
        }
        match super::integer::integer_argument(s, c) {
            Some(value) => super::integer::integer_sqrt(s, value),
            None => Operand::bottom(),
        }
    }),
    row("rand", super::kernel::rand),
    row("new", |s, c| {
        let Some(class) = module_of(&c.receiver) else { return Operand::bottom() };
        let arguments = Arguments { positional: c.args.clone(), keywords: c.keywords.clone(), unused: false };
        s.construct(class, &arguments, c.block.as_ref())
    }),
];

fn unknown(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    s.refuse_here("unsupported-method", format!("`{}` cannot run in a section", call.name), None)
}

impl Lowerer<'_> {
    /// Is the operand an instance of `class` (of exactly it)?
    pub(crate) fn is_instance(&mut self, operand: &Operand, class: ClassId, exact: bool) -> Operand {
        let (inside, outside) = self.partition(&operand.types, class, exact);
        let value = if inside.is_empty() {
            self.b.bool(false)
        } else if outside.is_empty() {
            self.b.bool(true)
        } else {
            self.is_one_of(operand, &inside).value
        };
        Operand::bool(value)
    }

    /// The class of an operand of one type.
    pub(crate) fn class_operand(&mut self, operand: &Operand) -> Operand {
        let Some(ty) = operand.types.single() else {
            return self.refuse_here(
                "mixed-values",
                "the class of a value of several classes cannot be kept in a section",
                Some("ask is_a? instead".into()),
            );
        };
        Operand { types: Type::Module(crate::infer::class_of(ty)).into(), values: vec![] }
    }
}
