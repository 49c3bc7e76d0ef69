//! Procs and Methods that objects, arrays and Hashes hold. They are objects whose class is their literal: the place of
//! the code, whether it is a lambda, and the modules around it where these have no names. The object pool numbers such
//! classes as others; they are one hierarchy, and their method tables are Proc's. What a Proc captured is a column by
//! the variable's name, its `self` one by a name that no user has. So a call of one dispatches by class number, and is
//! then that of a method whose receiver is the Proc: inlined, or, where it leads to itself, a function. Its frame knows
//! that it is one (`Closure::Receiver`), and reads captured variables and `self` from its receiver.
//!
//! That is sound because a literal that assigns what it captured is refused, as is one that reads by that name what the
//! section assigns: no other code runs meanwhile that could. Methods, and Procs that C code has made of others, are
//! written out (`lib/ikra/written.rb`), and the variables are those of what is written.

use super::calls::Arguments;
use super::host::RootKey;
use super::inlining::MAX_INLINE_DEPTH;
use super::joins::JoinIndex;
use super::operand::Operand;
use super::{BlockRef, Control, Lowerer};
use crate::syntax::ast::{Code, CodeKind};
use crate::types::{ClassId, Type};
use std::rc::Rc;

/// The variable of a Proc that holds its `self`. Others have the names of the locals that it captures.
pub const PROC_SELF: &str = "#self";

/// Whose roots the code of a frame sees, where that is a lambda or proc made around the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closure {
    /// Of a Proc that is a root.
    Root(u32),
    /// Of the Proc that is the frame's receiver.
    Receiver,
    /// Of the block, a root, that `define_method` made the method of: its variables. Self is that of the method.
    Method(u32),
}

impl Lowerer<'_> {
    /// Whose variables a method sees that `define_method` made of a block.
    pub(super) fn closure_of_method(&mut self, code: &Rc<Code>) -> Option<Closure> {
        if code.kind == CodeKind::Method || !code.captures() {
            return None;
        }
        let number = self.host.method_block(code)?;
        match self.host.root(&RootKey::MethodBlock(number)) {
            Ok(root) => root.map(|root| Closure::Method(root.number)),
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
        }
    }

    /// Is it the literal of Procs that objects hold?
    pub(super) fn is_literal(&self, class: ClassId) -> bool {
        self.host.real_class(class) != class
    }

    /// The block that a Proc of the heap is; a refusal is told.
    pub(super) fn held_proc(&mut self, operand: &Operand) -> Option<BlockRef> {
        let Some(Type::Object(_, class)) = operand.types.single() else { return None };
        match self.host.literal(*class) {
            Ok(found) => {
                let (code, lambda) = found?;
                let (class, object) = (*class, operand.clone());
                Some(BlockRef::Held { class, object, code, lambda, active: usize::MAX })
            }
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
        }
    }

    /// The value with objects in the place of Procs that are roots: what objects and arrays can hold.
    pub(crate) fn held(&mut self, value: &Operand) -> Operand {
        let root = |s: &Self, ty: &Type| match ty {
            Type::Proc(number) => match s.procs.get(number) {
                Some(BlockRef::Outer { root, .. }) => Some(*root),
                _ => None,
            },
            _ => None,
        };
        if self.b.is_dead() || !value.types.iter().any(|ty| root(self, ty).is_some()) {
            return value.clone();
        }
        self.within_slot(0x3fb, |s| {
            s.switch(value, 0, &mut |s, part| {
                let root = part.types.single().and_then(|ty| root(s, ty));
                root.and_then(|root| s.root(&RootKey::Object(root))).unwrap_or(part)
            })
        })
    }

    /// Each such Proc has variables of its own.
    fn refuse_outer_writes(&mut self, code: &Code) -> Option<Operand> {
        let (name, _) = code.captured_writes.first()?;
        Some(self.refuse_here(
            "captured-write",
            format!("a lambda that an object holds assigns `{name}`, a variable around it"),
            Some("let it give the value instead, or keep that in an object".into()),
        ))
    }

    pub(super) fn call_held(
        &mut self,
        (class, object): (ClassId, &Operand),
        code: &Rc<Code>,
        mut arguments: Arguments,
        passed: Option<&BlockRef>,
        unused: bool,
    ) -> Operand {
        if let Some(refused) = self.refuse_outer_writes(code) {
            return refused;
        }
        if passed.is_some() && self.active.len() >= MAX_INLINE_DEPTH {
            return self.refuse_here(
                "unsupported-recursion",
                "a Proc from around the section that takes a block calls itself",
                Some("make it a method".into()),
            );
        }
        arguments.unused = unused;
        self.method_call(object, &code.name, class, code, false, &arguments, passed)
    }

    /// What a Proc sees that is the receiver of its frame.
    pub(super) fn root_of_receiver(&mut self, key: &RootKey) -> Option<Operand> {
        let name = match key {
            RootKey::SelfValue => PROC_SELF,
            RootKey::Captured(name) if !self.host.captures(self.frame().owner, name) => return None,
            RootKey::Captured(name) => name,
            key => return self.root(key),
        };
        let receiver = self.frame().receiver.clone();
        Some(self.read_ivar(&receiver, name))
    }

    /// The ways out of a method's frame, or of that of a Proc that objects hold.
    pub(super) fn open_ways_out(&mut self, owner: ClassId, code: &Code, join: JoinIndex) {
        let is_proc = self.is_held_proc(owner);
        let frame = self.current;
        let to = (!is_proc).then_some(join);
        self.frames[frame].return_to = to;
        if code.kind != CodeKind::Method {
            // A block that `define_method` made a method of: all ways out of it are returns.
            self.frames[frame].control.push(Control { break_to: to, next_to: Some(join) });
        }
    }

    /// Is it the literal of Procs that are no lambdas?
    pub(super) fn is_held_proc(&mut self, owner: ClassId) -> bool {
        self.is_literal(owner) && matches!(self.host.literal(owner), Ok(Some((_, false))))
    }
}
