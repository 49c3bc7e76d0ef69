//! What is printed: bytes of Strings go to a list of the task's, which the host puts in order and Ruby writes
//! ([`crate::heap::printed`]). Nothing in the section sees it, so elements that print are independent.

use super::Lowerer;
use super::operand::Operand;
use crate::heap::printed;
use crate::ir::{BinaryOp, ErrorKind, UnaryOp, Value};
use crate::types::Type;

impl Lowerer<'_> {
    /// Prints a String of one kind to a stream, by the number of it and of the way ([`printed::How`]).
    pub(crate) fn print_text(&mut self, stream: Value, text: &Operand, how: Value) {
        let size = self.string_size(text);
        let encoding = self.string_encoding(text);
        let Some((words, first)) = self.place_of_bytes(text) else { return };
        let there = self.b.print(words, first, vec![size, encoding, stream, how]);
        let most = printed::MOST >> 30;
        let message = format!(
            "the section prints more than {most} GiB, or than there is memory for [too-much-output]\n  hint: print in an \
             Ikra.sync, which writes what was printed before it, or write less"
        );
        self.check(there, ErrorKind::Unsupported(message), &[]);
    }

    /// The number of a stream that is an object from around the section.
    pub(crate) fn stream_number(&mut self, stream: &Operand) -> Operand {
        let Some(Type::Object(hierarchy, _)) = stream.types.single() else { return Operand::bottom() };
        let above = self.b.i64((i64::from(hierarchy.0) + 1) << printed::HIERARCHY);
        let id = self.b.unary(UnaryOp::ExtendI32, stream.value());
        Operand::integer(self.b.binary(BinaryOp::Or, above, id))
    }
}
