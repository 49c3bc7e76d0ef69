//! Calls are inlined. Here methods run where they are called, in a frame of their own.
//!
//! A method that is met while it is being inlined is recursive: it becomes a function of its own, specialised by the
//! classes of receiver and arguments, with a depth as a hidden argument that raises SystemStackError at 10,000. While a
//! block runs, only the callers of the code that it was written in count as being inlined, and a built-in counts only
//! since the last method of the user's: an iterator may run a method that uses that iterator.

use super::calls::Arguments;
use super::expressions::SLOT_LEAVE;
use super::held_procs::Closure;
use super::host::Scope;
use super::operand::Operand;
use super::used_variables::{has_break, has_next, has_return};
use super::{BlockRef, Frame, Inlined, Lowerer};
use crate::syntax::ast::{Code, CodeKind};
use crate::types::ClassId;
use std::rc::Rc;

/// Calls inlined into each other, as deep as this; then the methods become functions.
pub(super) const MAX_INLINE_DEPTH: usize = 60;
/// A built-in is inlined into so many calls of itself, with other types.
const MAX_INLINED_WITHIN: usize = 3;

impl Lowerer<'_> {
    #[allow(clippy::too_many_arguments, reason = "the parts of a call, used together once")]
    pub(crate) fn method_call(
        &mut self,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Operand {
        let with_hash;
        let mut arguments = arguments;
        if builtin && !arguments.keywords.is_empty() && !code.params.take_keywords() {
            let Some(collected) = self.with_keyword_hash(arguments) else { return Operand::bottom() };
            with_hash = collected;
            arguments = &with_hash;
        }
        if builtin && !self.takes(code, name, arguments, block) {
            return Operand::bottom();
        }
        let identity = Rc::as_ptr(code) as usize;
        let of_texts = builtin && self.is_of_texts(receiver, code, arguments);
        let can_be_function =
            (!builtin || of_texts) && self.can_be_function((receiver, owner), code, arguments, block);
        let outlined =
            can_be_function && (of_texts && !self.is_kept_inlined(identity) || self.is_outlined(identity));
        if outlined || self.memo.recursive.contains(&identity) {
            return self.function_call(receiver, name, owner, code, builtin, arguments, block);
        }
        let types = std::iter::once(receiver).chain(arguments.operands()).map(|operand| &operand.types);
        let inlined = Inlined::new(code, builtin).with(types);
        let calls_itself = self.calls_itself(inlined);
        let too_deep = self.active.len() >= MAX_INLINE_DEPTH;
        if too_deep && !calls_itself && can_be_function {
            self.memo.outlined.insert(identity);
            self.memo.changed |= true;
            return self.function_call(receiver, name, owner, code, builtin, arguments, block);
        }
        if too_deep && !calls_itself && block.is_some() {
            // It cannot become a function.
            self.stop_nesting();
            return Operand::bottom();
        }
        if too_deep || calls_itself {
            self.memo.recursive.insert(identity);
            self.memo.changed |= true;
            return Operand::bottom();
        }
        let steps = self.own_steps();
        self.active.push(inlined);
        let outer = self.current;
        self.push_frame(receiver, name, owner, code, builtin, block);
        let body = |s: &mut Self| {
            s.bind_arguments(owner, code, arguments);
            if s.b.is_dead() { Operand::bottom() } else { s.arm(&code.body, arguments.unused) }
        };
        let choice = identity_number(code);
        let run = |s: &mut Self| {
            let block = code.kind != CodeKind::Method;
            if has_return(&code.body) || (block && (has_next(&code.body) || has_break(&code.body))) {
                s.leaving(SLOT_LEAVE, !arguments.unused, |s, join| {
                    s.open_ways_out(owner, code, join);
                    body(s)
                })
            } else {
                body(s)
            }
        };
        let result = self.within_here(choice, |s| match builtin {
            true if s.runs_native() => run(s),
            true => s.running_hidden(run),
            false => s.running_code(code, owner, run),
        });
        self.frames.pop();
        self.current = outer;
        self.active.pop();
        let steps = self.own_steps() - steps;
        if can_be_function && !builtin {
            self.note_inlined((receiver, owner), code, arguments, &result, steps);
        }
        if builtin && self.builtins.is_value_method(code) {
            self.note_inlined_value(identity, steps);
        }
        result
    }

    /// Binds the arguments of a method, or of a Proc that objects hold.
    pub(super) fn bind_arguments(&mut self, owner: ClassId, code: &Code, arguments: &Arguments) {
        if code.kind != CodeKind::Method && !self.frame().builtin {
            // The call may stand in a built-in.
            self.span = code.span;
        }
        if self.is_held_proc(owner) {
            self.bind_block(&code.params, arguments.clone());
        } else {
            self.bind_method(&code.params, arguments.clone());
        }
    }

    /// Does the code become a function because it calls itself?
    pub(crate) fn is_recursive(&self, code: &Rc<Code>) -> bool {
        self.memo.recursive.contains(&(Rc::as_ptr(code) as usize))
    }

    /// Is the code called from itself? A built-in that is called by a method of the user's, such as a `<=>`, is not: that
    /// method would call itself. Nor is one that goes through an array for the arrays in it, which are of other types, if
    /// it is not too deep in them: as a function it would be one for both, and their kinds one that holds itself.
    fn calls_itself(&self, inlined: Inlined) -> bool {
        let users = self.active.iter().rposition(|active| !active.builtin);
        let from = users.filter(|_| inlined.builtin).map_or(0, |last| last + 1);
        let mut around = self.active[from..].iter().filter(|active| active.code == inlined.code);
        match inlined.builtin {
            true => around.clone().count() >= MAX_INLINED_WITHIN || around.any(|active| *active == inlined),
            false => around.any(|active| *active == inlined),
        }
    }

    pub(super) fn push_frame(
        &mut self,
        receiver: &Operand,
        name: &str,
        owner: ClassId,
        code: &Rc<Code>,
        builtin: bool,
        block: Option<&BlockRef>,
    ) {
        let locals = self.fresh_locals(code);
        let is_held = self.is_literal(owner);
        let scope = match is_held {
            true => Scope::Literal(owner),
            false => Self::method_scope(owner, &code.nesting),
        };
        let closure = match is_held {
            true => Some(Closure::Receiver),
            false => self.closure_of_method(code),
        };
        self.frames.push(Frame {
            code: Rc::clone(code),
            locals,
            receiver: receiver.clone(),
            owner,
            scope,
            block: block.cloned(),
            closure,
            return_to: None,
            break_to: None,
            control: vec![],
            activation: 0,
            blocks: Rc::default(),
            call_span: self.span,
            caller: self.current,
            builtin,
            name: name.to_string(),
            outermost: false,
            shared: vec![],
            last_match: None,
        });
        self.current = self.frames.len() - 1;
        let activation = self.fresh_version();
        self.frames[self.current].activation = activation;
        if let Some(local) = code.params.block {
            let operand = self.passed_block(block);
            self.write_local(local, operand);
        }
    }
}

/// A number for a code that is the same in every walk.
pub(super) fn identity_number(code: &Rc<Code>) -> u32 {
    let span = code.span;
    span.start ^ span.end.rotate_left(11) ^ span.file.0.rotate_left(23) ^ 0x4000_0000
}
