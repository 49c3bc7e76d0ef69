//! Marks in machine code (see [`crate::heap::marks`]). What is done each time is in line: a reader whose mark is there
//! already only looks.

use super::emit::Emitter;
use super::runtime::{REPORT_READ, REPORT_WRITE};
use crate::error::Error;
use crate::heap::marks::{MANY, REPORT_WORDS, WORDS};
use crate::ir::{Buffer, Op, SiteId, Value};
use crate::scalar::Ty;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, AtomicRmwOp, InstBuilder, MemFlagsData, types};

impl<'a> Emitter<'a> {
    /// [`Op::Watch`]; who it was says a report only.
    pub fn watch(
        &mut self,
        marks: Buffer,
        (row, me): (Value, Value),
        write: bool,
        site: Option<SiteId>,
    ) -> Result<clif::Value, Error> {
        let me = self.value(me)?;
        if self.program.reports {
            let reader = self.mark_address(marks, row, REPORT_WORDS)?;
            let element = self.op(&Op::Element, Ty::I32, None)?;
            let element = self.builder.ins().uextend(types::I64, element);
            let element = self.builder.ins().ishl_imm_u(element, 32);
            let who = self.builder.ins().bor_imm_s(element, site.map_or(0, |site| i64::from(site.0)));
            let name = if write { REPORT_WRITE } else { REPORT_READ };
            return self.call_c(name, &[reader, me, who], types::I64);
        }
        let reader = self.mark_address(marks, row, WORDS)?;
        let writer = self.builder.ins().iadd_imm_s(reader, 8);
        let flags = MemFlagsData::trusted();
        let conflict = if write {
            let seen = self.builder.ins().atomic_load(types::I64, flags, writer);
            let mine = self.builder.ins().icmp(IntCC::Equal, seen, me);
            let [look, mark] = [self.builder.create_block(), self.builder.create_block()];
            let before = self.builder.append_block_param(look, types::I64);
            self.builder.ins().brif(mine, look, &[me.into()], mark, &[]);
            self.start(mark);
            let marked = self.builder.ins().atomic_rmw(types::I64, flags, AtomicRmwOp::Xchg, writer, me);
            self.builder.ins().jump(look, &[marked.into()]);
            self.start(look);
            let seen = self.builder.ins().atomic_load(types::I64, flags, reader);
            let [before, seen] = [before, seen].map(|mark| self.is_others(mark, me));
            self.builder.ins().bor(before, seen)
        } else {
            let seen = self.builder.ins().atomic_load(types::I64, flags, reader);
            let many = self.builder.ins().bor_imm_s(me, MANY as i64);
            let [mine, several] = [me, many].map(|mark| self.builder.ins().icmp(IntCC::Equal, seen, mark));
            let marked = self.builder.ins().bor(mine, several);
            let [look, mark, again] =
                [self.builder.create_block(), self.builder.create_block(), self.cold_block()];
            self.builder.ins().brif(marked, look, &[], mark, &[]);
            self.start(mark);
            let is_second = self.is_others(seen, me);
            let left = self.builder.ins().select(is_second, many, me);
            let before = self.builder.ins().atomic_rmw(types::I64, flags, AtomicRmwOp::Xchg, reader, left);
            // Another may have read meanwhile.
            let is_second = self.is_others(before, me);
            let unsaid = self.builder.ins().icmp(IntCC::NotEqual, left, many);
            let unsaid = self.builder.ins().band(is_second, unsaid);
            self.builder.ins().brif(unsaid, again, &[], look, &[]);
            self.start(again);
            self.builder.ins().atomic_rmw(types::I64, flags, AtomicRmwOp::Xchg, reader, many);
            self.builder.ins().jump(look, &[]);
            self.start(look);
            let seen = self.builder.ins().atomic_load(types::I64, flags, writer);
            self.is_others(seen, me)
        };
        let conflict = self.builder.ins().uextend(types::I64, conflict);
        Ok(self.builder.ins().iadd_imm_s(conflict, -1))
    }

    /// Where the words of a row begin.
    fn mark_address(&mut self, marks: Buffer, row: Value, words: usize) -> Result<clif::Value, Error> {
        let base = self.buffer_address(marks);
        let row = self.value(row)?;
        let row = self.builder.ins().uextend(types::I64, row);
        let at = self.builder.ins().imul_imm_s(row, 8 * words as i64);
        Ok(self.builder.ins().iadd(base, at))
    }

    /// The tick is the same, and the rest is not.
    fn is_others(&mut self, mark: clif::Value, me: clif::Value) -> clif::Value {
        let differs = self.builder.ins().bxor(mark, me);
        let below = self.builder.ins().iadd_imm_s(differs, -1);
        let limit = self.builder.ins().iconst(types::I64, MANY as i64);
        self.builder.ins().icmp(IntCC::UnsignedLessThan, below, limit)
    }
}
