//! What inference has found, as it is kept for other processes, with the recording of what it hangs on.

use super::{Recording, is_told};
use crate::infer::costs::Told as Costs;
use crate::infer::host::Host;
use crate::infer::{Inferred, Listing};
use crate::ir::{Program, verifier};
use crate::source::{FileId, Span};
use crate::syntax::ast::Code;
use memchr::memmem;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// An inference as it is kept: what it asked, and what it found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Kept {
    recording: Recording,
    /// All but the program, and the buffers that it had as it was lowered.
    found: Vec<u8>,
    program: Vec<u8>,
}

impl Kept {
    /// Without the program yet. `None` where what was found has places in files that no code
    /// was asked of.
    pub fn new(recording: Recording, inferred: &Inferred) -> Option<Self> {
        let mut is_known = true;
        inferred.each_file(&mut |file| is_known &= recording.files.contains(&file));
        let Inferred { program, schema, listing, traps, walks, expressions, costs: _ } = inferred;
        let found = (&program.buffers, schema, listing, traps, walks, expressions);
        let found = postcard::to_stdvec(&found).ok()?;
        is_known.then_some(Self { recording, found, program: Vec::new() })
    }

    /// With the program as it is compiled. `None` where something in it tells an address.
    pub fn to_bytes(mut self, program: &Program) -> Option<Vec<u8>> {
        self.program = postcard::to_stdvec(program).ok()?;
        let tells = |address: &String| {
            [&self.found, &self.program].iter().any(|bytes| memmem::find(bytes, address.as_bytes()).is_some())
        };
        if let Some(address) = self.recording.addresses.iter().find(|address| tells(address)) {
            if is_told() {
                eprintln!("ikra: not kept: it has the name of a class without a name: 0x{address}");
            }
            return None;
        }
        postcard::to_stdvec(&self).ok()
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// What inference would find with this host, if the answers of that are the same, but for the program, of
    /// which it has the buffers alone; and what that can be read from. Else the host has been asked more than inference will ask it: that needs a new one.
    pub fn replay(self, host: &mut dyn Host, code: &Rc<Code>) -> Option<(Inferred, KeptProgram)> {
        let files = self.recording.replay(host, code)?;
        let files: FxHashMap<_, _> = self.recording.files.into_iter().zip(files).collect();
        let (buffers, schema, listing, traps, walks, expressions) = postcard::from_bytes(&self.found).ok()?;
        let program = Program { buffers, ..Program::default() };
        let costs = Costs::default();
        let mut inferred = Inferred { program, schema, listing, traps, walks, expressions, costs };
        let mut is_known = true;
        inferred.map_files(&mut |file| {
            let now = files.get(&file);
            is_known &= now.is_some();
            *now.unwrap_or(&file)
        });
        is_known.then_some((inferred, KeptProgram(self.program)))
    }
}

/// A program that was written down.
#[derive(Debug)]
pub struct KeptProgram(Vec<u8>);

impl KeptProgram {
    /// Bytes of stack that reading it takes at most: each level of it is written in some bytes.
    pub fn stack(&self) -> usize {
        const FOR_A_BYTE: usize = 512;
        self.0.len().saturating_mul(FOR_A_BYTE)
    }

    /// Reads and verifies it. `None` where something is wrong with it. What is nested deeply takes a stack for that.
    pub fn read(&self) -> Option<Program> {
        let program: Program = postcard::from_bytes(&self.0).ok()?;
        let both = [Some(&program), program.plain.as_deref()];
        let is_right = both.into_iter().flatten().all(|program| verifier::verify(program).is_ok());
        is_right.then_some(program)
    }
}

impl Inferred {
    /// All files that places are in.
    fn each_file(&self, visit: &mut dyn FnMut(FileId)) {
        self.listing.codes.iter().chain(self.listing.types.keys()).for_each(|span| visit(span.file));
        for (_, diagnostic) in &self.traps {
            visit(diagnostic.span.file);
            diagnostic.called.iter().for_each(|span| visit(span.file));
        }
        self.schema.syncs.iter().for_each(|sync| visit(sync.text.file));
        self.schema.procs.iter().for_each(|given| visit(given.text.file));
    }

    fn map_files(&mut self, map: &mut dyn FnMut(FileId) -> FileId) {
        let mut mapped = |span: Span| Span { file: map(span.file), ..span };
        let Listing { codes, types } = std::mem::take(&mut self.listing);
        self.listing = Listing {
            codes: codes.into_iter().map(&mut mapped).collect(),
            types: types.into_iter().map(|(span, text)| (mapped(span), text)).collect(),
        };
        for (_, diagnostic) in &mut self.traps {
            diagnostic.span = mapped(diagnostic.span);
            diagnostic.called = diagnostic.called.map(&mut mapped);
        }
        self.schema.syncs.iter_mut().for_each(|sync| sync.text = mapped(sync.text));
        self.schema.procs.iter_mut().for_each(|given| given.text = mapped(given.text));
    }
}
