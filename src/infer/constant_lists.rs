//! Many numbers that are written out, as items of an array or as what the clauses of a `case` give: they are a table beside
//! the code, from which a loop copies or one is read.

use super::operand::Operand;
use super::{Lowerer, host::RootKey};
use crate::ir::{BinaryOp, UnaryOp, Value};
use crate::syntax::ast::{Kind, Node, When};

/// So many are a table.
const MANY: usize = 32;

/// Numbers as words.
enum Numbers {
    Integers(Vec<i64>),
    Floats(Vec<i64>),
}

impl Numbers {
    /// Where all of them are Integers, or all are Floats.
    fn of<'a>(items: impl ExactSizeIterator<Item = &'a Node> + Clone) -> Option<Self> {
        if items.len() < MANY {
            return None;
        }
        let integers =
            items.clone().map(|item| if let Kind::Integer(n) = item.kind { Some(n) } else { None });
        let floats = items.map(|item| match item.kind {
            Kind::Float(x) => Some(x.to_bits() as i64),
            _ => None,
        });
        let integers = integers.collect::<Option<_>>().map(Self::Integers);
        integers.or_else(|| floats.collect::<Option<_>>().map(Self::Floats))
    }
}

impl Lowerer<'_> {
    /// A list of such numbers; `None` where it is no such array.
    pub(super) fn constant_list(&mut self, node: &Node, items: &[Node]) -> Option<Operand> {
        let numbers = Numbers::of(items.iter())?;
        self.enter(node);
        let count = self.b.i64(items.len() as i64);
        let table = self.table_of(&numbers);
        if table.is_bottom() {
            return Some(table);
        }
        Some(self.list_of_each(0, count, &mut |s, i| s.number_in_table(&numbers, &table, i)))
    }

    /// What the clause of that number gives, of which the first has the number `from`; `None` where not all give such
    /// numbers.
    pub(super) fn constant_clause(&mut self, whens: &[When], number: Value, from: usize) -> Option<Operand> {
        let numbers = Numbers::of(whens.iter().map(|when| &when.body))?;
        let table = self.table_of(&numbers);
        if table.is_bottom() {
            return Some(table);
        }
        let from = self.b.i64(from as i64);
        let index = self.b.binary(BinaryOp::Sub, number, from);
        Some(self.number_in_table(&numbers, &table, index))
    }

    fn table_of(&mut self, numbers: &Numbers) -> Operand {
        let (Numbers::Integers(words) | Numbers::Floats(words)) = numbers;
        self.root(&RootKey::Words(words.clone())).unwrap_or_else(Operand::bottom)
    }

    fn number_in_table(&mut self, numbers: &Numbers, table: &Operand, index: Value) -> Operand {
        let word = self.string_word(table, index);
        match numbers {
            Numbers::Floats(_) => Operand::float(self.b.unary(UnaryOp::BitsToF64, word)),
            Numbers::Integers(_) => Operand::integer(word),
        }
    }
}
