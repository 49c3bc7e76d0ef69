//! `Ikra.sync { … }` in a driver: Ruby in the middle (`Stmt::Sync`; the extension's `sync.rs` runs it). Its block is no
//! code of the section: the parser leaves it as text and notes which locals it uses, so that anything may stand in it.
//! The driver puts those locals into columns of one row and asks: its machine code runs on a thread of its own then
//! (`gvl::beside`), and the thread that was called, which has the GVL, gets the store with the question.
//!
//! What loads find may change at a sync, so a driver that has one knows nothing of columns across loops and syncs, ids
//! and lengths that nobody writes among them, and hoists no loads; kernels are as ever, and the GPU is given back for
//! the time (`Session::release`). To split the section at its syncs instead would have needed drivers that begin in the
//! middle of loops.

use super::Lowerer;
use super::exceptions::tells_too_little;
use super::handed_over::SharedLocal;
use super::host::Scope;
use super::keys::Context;
use super::operand::Operand;
use super::parallel::Guard;
use crate::heap::schema::{SyncMethod, SyncReceiver, SyncSchema, SyncVariable};
use crate::syntax::ast::{Kind, LocalId, Node, Plain, Sync};
use crate::types::{Type, TypeSet};
use std::rc::Rc;

impl Lowerer<'_> {
    pub(super) fn sync(&mut self, node: &Node, sync: &Sync) -> Operand {
        if !self.in_driver {
            return self.refuse_here(
                "unsupported-sync",
                "`Ikra.sync` cannot run in an element",
                Some("write it into the code around parallel calls, in Ikra.section; elements can give what it is to see".into()),
            );
        }
        if self.function.is_some() || self.frame().closure.is_some() {
            return self.refuse_here(
                "unsupported-sync",
                "`Ikra.sync` cannot stand in a method that calls itself, nor in a lambda from around the section",
                Some("write it into the block of `Ikra.section`, or into a method that it calls".into()),
            );
        }
        // A `loop` ends with a StopIteration, which no block of a sync raises.
        let Guard { rescued, ensures: ensured } = self.guard_in_driver().unwrap_or_default();
        let in_loop = !rescued.is_empty();
        if rescued.iter().any(|class| self.host.class_name(*class) != "StopIteration") {
            return self.refuse_here(
                "unsupported-rescue",
                "what `Ikra.sync` raises ends the section, and cannot be rescued in it",
                Some("rescue it within the block of Ikra.sync, or around the section".into()),
            );
        }
        if !self.memo.global_state.is_empty() {
            self.refuse_state_with_sync();
            return Operand::bottom();
        }
        let is_new = self.host.note_sync();
        self.memo.restart |= is_new;
        self.memo.changed |= is_new;
        let key = self.context_at(node.id, 0x3b5);
        let frame = self.current;
        let (mut variables, mut shared, mut written) = (Vec::new(), Vec::new(), Vec::new());
        for (index, read) in (0..).zip(&sync.read) {
            let Kind::Local(local) = read.kind else { continue };
            let is_written = sync.written.contains(&local);
            let given = sync.given.iter().filter(|(of, _)| *of == local).map(|(_, given)| type_of(*given));
            let given = given.fold(TypeSet::empty(), |all, types| all.union(&types));
            let Some(number) = self.share_with_sync((key, index), local, is_written.then_some(&given)) else {
                return Operand::bottom();
            };
            let name = self.frame().code.locals[local.0 as usize].clone();
            variables.push(SyncVariable { name, number, is_written });
            if is_written {
                shared.push(SharedLocal { local, number, key: (key, index) });
                written.push((frame, local));
            }
        }
        let is_own = self.section.as_ref().is_some_and(|code| Rc::ptr_eq(code, &self.frame().code));
        let method = match is_own {
            true => None,
            false => match self.method_of_sync((key, sync.read.len() as u32)) {
                Some(method) => Some(method),
                None => return Operand::bottom(),
            },
        };
        let number = self.syncs.len() as u32;
        let places = self.places_of_block_here();
        if !std::mem::replace(&mut self.memo.has_syncs, true) {
            self.memo.changed |= self.program.sites.iter().any(tells_too_little);
        }
        self.syncs.push(SyncSchema { text: sync.text, variables, method, in_loop, ensured, places });
        self.b.sync(number);
        self.take_shared(&shared, &written);
        Operand::nil()
    }

    /// What the block of a method sees besides variables.
    fn method_of_sync(&mut self, (key, index): (Context, u32)) -> Option<SyncMethod> {
        let Scope::Method { owner, nesting } = self.frame().scope.clone() else {
            unreachable!("code that is not the section's is that of a method")
        };
        let receiver = self.self_operand();
        if let Some(Type::Module(module)) = receiver.types.single() {
            return Some(SyncMethod { owner, nesting, receiver: SyncReceiver::Module(*module) });
        }
        if !self.is_storable(&receiver) {
            return None;
        }
        let number = self.share_local(key, index, "self".into(), &receiver)?;
        Some(SyncMethod { owner, nesting, receiver: SyncReceiver::Variable(number) })
    }

    /// `given`: of one that is assigned, what it becomes, as far as that is known.
    fn share_with_sync(
        &mut self,
        (key, index): (Context, u32),
        local: LocalId,
        given: Option<&TypeSet>,
    ) -> Option<u32> {
        let is_written = given.is_some();
        let mut operand = self.read_local(local);
        let name = self.frame().code.locals[local.0 as usize].clone();
        if is_written && matches!(operand.types.single(), Some(Type::List(_) | Type::Tuple(_))) {
            self.refuse_here(
                "unsupported-sync",
                format!("`{name}` is an array of the section's own, and cannot be assigned in `Ikra.sync`"),
                Some("assign numbers, or change the array".into()),
            );
            return None;
        }
        // What the driver has made has rows from then on.
        operand = self.with_rows(&operand)?;
        // Arrays that calls gave are shown to it.
        let is_made = |ty: &Type| matches!(ty, Type::Array(kind) if self.driving.made_kinds.contains(kind));
        let others = operand.types.filter(|ty| is_written || !is_made(ty));
        if !self.is_storable(&Operand { types: others, ..Operand::bottom() }) {
            return None;
        }
        self.shown.insert((key, index));
        let number = self.share_local(key, index, name, &operand)?;
        if let Some(given) = given.filter(|given| !given.is_empty()) {
            let memo = self.memo.variables.entry((key, index)).or_default();
            self.memo.changed |= memo.extend(given);
        }
        // What is true may become false.
        if is_written && operand.types.iter().any(|ty| matches!(ty, Type::True | Type::False)) {
            let memo = self.memo.variables.entry((key, index)).or_default();
            self.memo.changed |= memo.extend(&TypeSet::bool());
        }
        Some(number)
    }
}

fn type_of(given: Plain) -> TypeSet {
    match given {
        Plain::Nil => Type::Nil.into(),
        Plain::Bool => TypeSet::bool(),
        Plain::Integer => Type::Integer.into(),
        Plain::Float => Type::Float.into(),
    }
}
