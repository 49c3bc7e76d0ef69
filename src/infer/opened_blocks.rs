//! Closed blocks in the function that they were given to: frames of them, made of the values that went along.

use super::closed_blocks::{ClosedBlock, ClosedLiteral};
use super::operand::Operand;
use super::ways_out::{STAYED, WayOut};
use super::{Activation, BlockRef, Frame, Home, LocalValue, Lowerer, Taken};
use crate::syntax::ast::{BlockLiteral, LocalId};
use std::rc::Rc;
use std::sync::Arc;

impl Lowerer<'_> {
    /// Makes the frames of a closed block in a function, of the values that went along.
    pub(super) fn open_block(
        &mut self,
        block: &ClosedBlock,
        values: &mut dyn Iterator<Item = Operand>,
        written: &mut Vec<(usize, LocalId)>,
        ways: &mut Vec<WayOut>,
    ) -> BlockRef {
        match block {
            ClosedBlock::Symbol(name) => BlockRef::Symbol { name: name.clone(), active: 0, directly: false },
            ClosedBlock::Outer { root, code, lambda } => {
                BlockRef::Outer { root: *root, code: Rc::clone(code), lambda: *lambda, active: 0 }
            }
            ClosedBlock::Held { class, code, lambda } => {
                let object = values.next().unwrap_or_else(Operand::nil);
                BlockRef::Held { class: *class, object, code: Rc::clone(code), lambda: *lambda, active: 0 }
            }
            ClosedBlock::Made(what) => {
                let parts = vec![values.next().unwrap_or_else(Operand::nil)];
                BlockRef::Made { what: what.clone(), parts, active: 0 }
            }
            ClosedBlock::Literal(closed) => self.open_literal(closed, values, written, ways),
        }
    }

    /// The same of one that is written out.
    fn open_literal(
        &mut self,
        closed: &ClosedLiteral,
        values: &mut dyn Iterator<Item = Operand>,
        written: &mut Vec<(usize, LocalId)>,
        ways: &mut Vec<WayOut>,
    ) -> BlockRef {
        let mut next = || values.next().unwrap_or_else(Operand::nil);
        let receiver = if closed.has_receiver { next() } else { Operand::bottom() };
        let token = if closed.taken.contains(&Taken::Token) { next() } else { Operand::bottom() };
        let mut locals = self.fresh_locals(&closed.code);
        for local in &closed.locals {
            let version = self.fresh_version();
            locals[local.0 as usize] = LocalValue::new(next(), version);
        }
        // In the order in which its type has them.
        let value_of = |what: &Taken| match what {
            Taken::Receiver => receiver.clone(),
            Taken::Token => token.clone(),
            Taken::Local(local) => locals[local.0 as usize].operand.clone(),
        };
        let taken: Vec<(Taken, Operand)> = closed.taken.iter().map(|what| (*what, value_of(what))).collect();
        let frame = self.frames.len();
        self.frames.push(Frame {
            code: Rc::clone(&closed.code),
            locals,
            receiver,
            owner: closed.owner,
            scope: closed.scope.clone(),
            block: None,
            closure: closed.closure,
            return_to: None,
            break_to: None,
            control: vec![],
            activation: self.versions,
            blocks: Rc::default(),
            call_span: closed.span,
            caller: frame,
            builtin: closed.builtin,
            name: closed.name.clone(),
            outermost: true,
            shared: vec![],
            last_match: None,
        });
        let activation = self.fresh_version();
        self.frames[frame].activation = activation;
        let mut blocks = Vec::new();
        for literal in &closed.around {
            let number = self.fresh_version();
            let activation = Activation { number, literal: Arc::clone(literal), frame, taken: Rc::default() };
            self.live.push((activation.clone(), vec![]));
            blocks.push(activation);
        }
        written.extend(closed.written.iter().map(|local| (frame, *local)));
        if closed.leaves {
            let current = std::mem::replace(&mut self.current, frame);
            let stayed = Operand::integer(self.b.i64(STAYED));
            let (how, value) = (self.temp(stayed), self.temp(Operand::nil()));
            self.current = current;
            ways.push(WayOut { frame, how, value });
        }
        if let Some(outer) = &closed.outer {
            let outer = self.open_block(outer, values, written, ways);
            if let Some(local) = closed.code.params.block {
                self.current = frame;
                let operand = self.passed_block(Some(&outer));
                self.write_local(local, operand);
            }
            self.frames[frame].block = Some(outer);
        }
        for companion in &closed.companions {
            let blocks = &blocks[..companion.depth];
            let taken = companion.taken.iter().map(|what| (*what, Operand::nil())).collect();
            let block = opened(&companion.literal, companion.lambda, (frame, activation), blocks, taken);
            self.procs.insert(companion.number, block);
        }
        let block = opened(&closed.literal, closed.lambda, (frame, activation), &blocks, taken);
        self.give_itself(&block, &closed.literal);
        block
    }

    /// A lambda that has itself in a variable has the one that was opened.
    fn give_itself(&mut self, block: &BlockRef, opened: &Arc<BlockLiteral>) {
        let own = |known: &BlockRef| matches!(known, BlockRef::Literal { literal, .. } if Arc::ptr_eq(literal, opened));
        for known in self.procs.values_mut().filter(|known| own(known)) {
            let outliving = match known {
                BlockRef::Literal { home, .. } => home.outliving.take(),
                _ => None,
            };
            *known = block.clone();
            if let BlockRef::Literal { home, .. } = known {
                home.outliving = outliving;
            }
        }
    }
}

/// A block in a frame that was made of what went along.
fn opened(
    literal: &Arc<BlockLiteral>,
    lambda: bool,
    (frame, activation): (usize, u32),
    blocks: &[Activation],
    taken: Vec<(Taken, Operand)>,
) -> BlockRef {
    let mut needs = super::used_variables::used_of(blocks, literal);
    needs.retain(|(_, local)| !taken.iter().any(|(other, _)| *other == Taken::Local(*local)));
    let home = Home {
        frame,
        activation,
        active: 0,
        blocks: blocks.into(),
        needs: needs.into(),
        taken: taken.into(),
        outliving: None,
    };
    BlockRef::Literal { literal: Arc::clone(literal), home, break_to: None, lambda }
}
