//! The driver: what the section does around its kernel.

use super::Lowerer;
use crate::heap::schema::Output;
use crate::ir::builder::Builder;
use crate::ir::{BufferKind, FuncId, KernelId, Part, Ty};

impl Lowerer<'_> {
    /// That of a single parallel call: one launch, and what is made of the columns that it leaves.
    pub(crate) fn lower_driver(&mut self) {
        self.b = Builder::new("driver", &[], &[]);
        self.b.launch(KernelId(0));
        if self.output == Output::Selection {
            // They are there also where no element comes to its end.
            let flags = self.buffer(BufferKind::Result(Part::Payload), Ty::Bool);
            let indices = self.written_buffer(BufferKind::Selection, Ty::I32);
            self.b.compact(flags, indices);
        }
        let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
        self.program.driver = Some(FuncId(self.program.functions.len() as u32));
        self.program.functions.push(b.finish());
    }

    fn written_buffer(&mut self, kind: BufferKind, ty: Ty) -> crate::ir::Buffer {
        let buffer = self.buffer(kind, ty);
        self.program.buffers[buffer.0 as usize].written = true;
        buffer
    }
}
