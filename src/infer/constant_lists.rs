//! Long arrays of numbers that are written out: the numbers are a table beside the code, which a loop copies.

use super::operand::Operand;
use super::{Lowerer, host::RootKey};
use crate::ir::UnaryOp;
use crate::syntax::ast::{Kind, Node};

/// Items from which on an array is long.
const MANY: usize = 32;

/// Numbers as words.
enum Numbers {
    Integers(Vec<i64>),
    Floats(Vec<i64>),
}

impl Numbers {
    /// Where all items are Integers, or all are Floats.
    fn of(items: &[Node]) -> Option<Self> {
        if items.len() < MANY {
            return None;
        }
        let integers = items.iter().map(|item| if let Kind::Integer(n) = item.kind { Some(n) } else { None });
        let floats = items.iter().map(|item| match item.kind {
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
        let (words, are_floats) = match Numbers::of(items)? {
            Numbers::Integers(words) => (words, false),
            Numbers::Floats(words) => (words, true),
        };
        self.enter(node);
        let count = self.b.i64(items.len() as i64);
        let table = self.root(&RootKey::Words(words)).unwrap_or_else(Operand::bottom);
        if table.is_bottom() {
            return Some(table);
        }
        Some(self.list_of_each(0, count, &mut |s, i| {
            let word = s.string_word(&table, i);
            match are_floats {
                true => Operand::float(s.b.unary(UnaryOp::BitsToF64, word)),
                false => Operand::integer(word),
            }
        }))
    }
}
