//! Blocks, lambdas and procs are inlined into the frame that they were written in; their own locals are part of it, and
//! are put back when the activation ends. Which one is given to a call is known at compile time. [`super::procs`] tells
//! of those that outlive their method.

use super::births::Birth;
use super::calls::{Arguments, CallType};
use super::expressions::SLOT_LEAVE;
use super::held_procs::Closure;
use super::host::{FoundMethod, Method, Scope};
use super::inlining::{MAX_INLINE_DEPTH, identity_number};
use super::keys::ProcKey;
use super::operand::{Operand, Values};
use super::used_variables::{has_break, has_next, has_return, used_of};
use super::{Activation, BlockRef, Control, Home, Inlined, JoinIndex, Lowerer, class_of};
use crate::heap::schema::ProcPlace;
use crate::ir::{ErrorKind, MessagePart, Missing};
use crate::syntax::ast::{BlockLiteral, Code, LocalId, Node};
use crate::types::{ClassId, METHOD, Type, TypeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A lambda that takes others can run within its own run, with arguments of other types, as deep as this.
const MAX_NESTED_RUNS: usize = 8;

impl Lowerer<'_> {
    /// Was the block written in a built-in of ours?
    pub(crate) fn is_ours(&self, block: &BlockRef) -> bool {
        match block {
            BlockRef::Literal { home, .. } => self.frames.get(home.frame).is_some_and(|f| f.builtin),
            BlockRef::Symbol { .. }
            | BlockRef::Outer { .. }
            | BlockRef::Held { .. }
            | BlockRef::Made { .. } => false,
        }
    }

    /// Is it a lambda that takes two arguments, or more?
    pub(crate) fn is_lambda_of_two(&mut self, block: &BlockRef) -> bool {
        let params = self.params_of(block);
        params.is_some_and(|(params, is_proc)| !is_proc && params.required.len() + params.post.len() > 1)
    }

    pub(crate) fn block_literal(
        &mut self,
        literal: &Arc<BlockLiteral>,
        break_to: Option<JoinIndex>,
        lambda: bool,
    ) -> BlockRef {
        let activation = self.frame().activation;
        let blocks = Rc::clone(&self.frame().blocks);
        let needs = if blocks.is_empty() { Vec::new() } else { used_of(&blocks, literal) };
        let (needs, taken) = (needs.into(), Rc::default());
        let active = self.active.len();
        let home = Home { frame: self.current, activation, active, blocks, needs, taken, outliving: None };
        BlockRef::Literal { literal: Arc::clone(literal), home, break_to, lambda }
    }

    /// `&:name`
    pub(crate) fn symbol_block(&self, name: String) -> BlockRef {
        BlockRef::Symbol { name, active: self.active.len(), directly: false }
    }

    /// Has `Symbol#to_proc` been redefined, which `&:name` calls?
    pub(super) fn refuse_symbol_block(&mut self) -> bool {
        !self.frame().builtin && self.refuse_redefined(&Type::Symbol.into(), "to_proc", "`&` of a Symbol")
    }

    /// `&expression` at a call: the method's own block handed on, a lambda, a symbol, or nil for no block at all.
    pub(super) fn block_argument(&mut self, operand: &Operand) -> Option<Option<BlockRef>> {
        if operand.types.single() == Some(&Type::Nil) {
            return Some(None);
        }
        if let Some(mut block) = self.proc_of(operand) {
            let is_method = |ty: &Type| matches!(ty, Type::Proc(number) | Type::Closure(number, _) if number & METHOD != 0);
            if operand.types.iter().any(is_method) && self.is_redefined(ClassId::METHOD, "to_proc") {
                let refusal = self.redefined(ClassId::METHOD, "to_proc", "`&` of a Method");
                self.refuse(refusal);
                return None;
            }
            if let BlockRef::Outer { active, .. }
            | BlockRef::Held { active, .. }
            | BlockRef::Made { active, .. } = &mut block
            {
                *active = self.active.len().min(*active);
            }
            return Some(Some(block));
        }
        if operand.types.contains(&Type::Symbol) && self.refuse_symbol_block() {
            return None;
        }
        if let Some(name) = self.symbol_name(operand) {
            return Some(Some(self.symbol_block(name)));
        }
        if operand.types.single() == Some(&Type::Symbol) {
            let parts = vec![operand.clone()];
            let block =
                BlockRef::Made { what: super::made_procs::MadeProc::Named, parts, active: self.active.len() };
            return Some(Some(block));
        }
        // True and false are told apart by the error alone.
        let is_bool = operand.types.iter().all(|ty| matches!(ty, Type::True | Type::False));
        if let Some(ty) = operand.types.iter().next().filter(|_| is_bool || operand.types.len() == 1) {
            let found = match ty {
                Type::Module(module) => self.host.singleton_method(*module, "to_proc"),
                other => self.host.method(class_of(other), "to_proc"),
            };
            match found {
                Err(refusal) => {
                    self.refuse(refusal);
                    return None;
                }
                Ok(Some(FoundMethod { method, .. })) if matches!(method, Method::Ruby(_)) || ty.is_hash() => {
                    let made = self.send_from(operand, "to_proc", &[], 0x3e0, CallType::Own);
                    return self.block_of_object(operand, &made);
                }
                Ok(None) if !matches!(ty, Type::Module(_)) => {
                    self.fail_no_proc(operand);
                    return None;
                }
                Ok(_) => {}
            }
        }
        if !operand.is_bottom() {
            self.refuse_here(
                "unsupported-block",
                "only a literal block, a Symbol, a lambda or Method of the section or the method's own block can be \
                 passed",
                Some("write the block out: { |x| … }".into()),
            );
        }
        None
    }

    /// The block that an object is which has given this for it by its `to_proc`.
    fn block_of_object(&mut self, object: &Operand, made: &Operand) -> Option<Option<BlockRef>> {
        let is_proc = |ty: &Type| ty.is_made_proc() || matches!(ty, Type::Object(..));
        if made.types.len() == 1 && made.types.iter().all(is_proc) {
            return self.block_argument(made);
        }
        if !made.is_bottom() && made.types.iter().any(is_proc) {
            self.refuse_here(
                "unsupported-block",
                "a `to_proc` that may give one thing or another cannot be called for a block in a section",
                Some("have it give one lambda".into()),
            );
        } else if !made.is_bottom() {
            self.fail_no_proc(object);
        }
        None
    }

    fn fail_no_proc(&mut self, operand: &Operand) {
        self.each_of_bool(operand, &mut |s, operand| {
            let class = operand.types.iter().next().map(class_of);
            let class = class.map_or_else(String::new, |class| s.host.class_name(class));
            s.fail(ErrorKind::TypeError(format!("wrong argument type {class} (expected Proc)")), &[])
        });
    }

    /// The block that the method around the section was called with is Ruby's alone.
    pub(super) fn refuse_outer_block(&mut self) -> Operand {
        self.refuse_here(
            "unsupported-block",
            "the block of the method around the section cannot be called in it",
            Some("give it a name, as in `def each(&block)`, and call it by that: block.(x)".into()),
        )
    }

    pub(crate) fn yield_to_block(&mut self, node: &Node, arguments: Arguments, unused: bool) -> Operand {
        if self.is_of_block() {
            return self.refuse_outer_block();
        }
        self.enter(node);
        match self.frame().block.clone() {
            Some(block) => {
                self.unused = unused;
                self.call_lambda(&block, arguments, None)
            }
            None => {
                let class = self.constant(&["LocalJumpError".to_string()], true);
                let Some(class) = super::conditions::module_of(&class) else { return Operand::bottom() };
                let message = vec![MessagePart::Text("no block given (yield)".into())];
                self.fail(ErrorKind::Raise { class, message: Some(message) }, &[])
            }
        }
    }

    /// Does the code being lowered belong to the section's block, or to a lambda made around the section?
    pub(crate) fn is_of_block(&self) -> bool {
        matches!(self.frame().scope, Scope::Block | Scope::Literal(_))
    }

    /// A root that is a lambda, proc or Method.
    pub(crate) fn outer_proc(&mut self, root: u32, method: u32) -> Operand {
        let (code, lambda) = match self.host.closure(root) {
            Ok(found) => found,
            Err(refusal) => return self.refuse(refusal),
        };
        let number = self.memo.proc_number(ProcKey::Root(root)) | method;
        let block = BlockRef::Outer { root, code, lambda, active: usize::MAX };
        if method == 0 {
            self.memo.closed_procs.insert(number, (ProcPlace::Root(root), block.clone()));
        }
        self.procs.insert(number, block);
        Operand { types: Type::Proc(number).into(), values: Values::new(), birth: Birth::UNKNOWN }
    }

    /// Runs a lambda or proc made around the section: as a method is, in a frame that sees what its own binding has.
    fn call_outer(
        &mut self,
        root: u32,
        code: &Rc<Code>,
        lambda: bool,
        arguments: Arguments,
        passed: Option<&BlockRef>,
        unused: bool,
    ) -> Operand {
        let inlined = Inlined::new(code, false);
        let calls_itself = self.active.contains(&inlined);
        if passed.is_none() && self.memo.recursive.contains(&inlined.code) {
            return self.outer_call((root, lambda), code, &arguments);
        }
        if passed.is_none() && calls_itself {
            // It becomes a function.
            self.memo.recursive.insert(inlined.code);
            self.memo.changed |= true;
            return Operand::bottom();
        }
        if calls_itself || self.active.len() >= MAX_INLINE_DEPTH {
            return self.refuse_here(
                "unsupported-recursion",
                "a lambda from around the section calls itself",
                Some("make it a method".into()),
            );
        }
        self.active.push(inlined);
        let outer = self.current;
        self.push_frame(&Operand::bottom(), &code.name, ClassId::OBJECT, code, false, passed);
        let frame = self.current;
        self.frames[frame].closure = Some(Closure::Root(root));
        self.frames[frame].scope = Scope::Block;
        // Its caller may be a built-in, whose lines are none of the user's.
        let run = |s: &mut Self| {
            s.span = code.span;
            s.labelled(SLOT_LEAVE, !unused, |s, leave| {
                let leave = Some(leave);
                if lambda {
                    s.frames[frame].return_to = leave;
                    s.frames[frame].control.push(Control { break_to: leave, next_to: leave });
                    s.bind_method(&code.params, arguments);
                } else {
                    s.frames[frame].control.push(Control { break_to: None, next_to: leave });
                    s.bind_block(&code.params, arguments);
                }
                if s.b.is_dead() { Operand::bottom() } else { s.arm(&code.body, unused) }
            })
        };
        let result = self.within_here(identity_number(code), |s| s.running_code(code, ClassId::OBJECT, run));
        self.frames.pop();
        self.current = outer;
        self.active.pop();
        result
    }

    /// Runs a block's body here, in the frame it was written in.
    pub(crate) fn call_block(&mut self, block: &BlockRef, args: Vec<Operand>) -> Operand {
        self.call_lambda(block, Arguments { positional: args, ..Arguments::default() }, None)
    }

    /// The same with whatever a lambda or proc can be called with; `passed` is the block for its `&block`.
    pub(crate) fn call_lambda(
        &mut self,
        block: &BlockRef,
        arguments: Arguments,
        passed: Option<&BlockRef>,
    ) -> Operand {
        let unused = std::mem::take(&mut self.unused);
        if self.b.is_dead() || arguments.has_bottom() {
            return Operand::bottom();
        }
        match block {
            BlockRef::Symbol { name, active, directly } => self.suspending(*active, |s| {
                s.running_asked(*directly, |s| s.call_symbol(name, arguments, passed, unused))
            }),
            BlockRef::Outer { root, code, lambda, active } => {
                self.suspending(*active, |s| s.call_outer(*root, code, *lambda, arguments, passed, unused))
            }
            BlockRef::Held { class, object, code, active, .. } => {
                self.suspending(*active, |s| s.call_held((*class, object), code, arguments, passed, unused))
            }
            BlockRef::Made { what, parts, active } => {
                self.suspending(*active, |s| s.call_made(what, parts, arguments, passed, unused))
            }
            BlockRef::Literal { literal, home, break_to, lambda } => {
                if self.is_live(home) {
                    return self.call_literal(
                        block,
                        (literal, home, *break_to, *lambda),
                        arguments,
                        passed,
                        unused,
                    );
                }
                let (outer, depth) = (self.current, self.frames.len());
                let Some(home) = self.revive(literal, home, *lambda) else { return Operand::bottom() };
                let block = BlockRef::Literal {
                    literal: Arc::clone(literal),
                    home,
                    break_to: *break_to,
                    lambda: *lambda,
                };
                self.unused = unused;
                let result = self.call_lambda(&block, arguments, passed);
                self.frames.truncate(depth);
                self.current = outer;
                result
            }
        }
    }

    /// Runs a block, lambda or proc that is written out, in its frame.
    fn call_literal(
        &mut self,
        block: &BlockRef,
        (literal, home, break_to, lambda): (&Arc<BlockLiteral>, &Home, Option<JoinIndex>, bool),
        arguments: Arguments,
        passed: Option<&BlockRef>,
        unused: bool,
    ) -> Operand {
        let frame = home.frame;
        let taken = home.taken.iter().map(|(_, value)| value);
        let named = arguments.keywords.iter().map(|(_, value)| value);
        let given = arguments.unnamed().chain(named).chain(taken);
        let types: Vec<TypeSet> = given.map(|a| a.types.clone()).collect();
        let address = Arc::as_ptr(literal) as usize;
        let opens = std::mem::take(&mut self.opening) == address;
        if !opens && passed.is_none() && self.memo.recursive.contains(&address) {
            return self.lambda_call(literal, frame, block, &arguments);
        }
        let same =
            |(a, _): &&(Activation, Vec<TypeSet>)| a.frame == frame && Arc::ptr_eq(&a.literal, literal);
        let mut running = self.live.iter().filter(same);
        if running.clone().count() >= MAX_NESTED_RUNS || running.any(|(_, known)| *known == types) {
            if passed.is_none() && break_to.is_none() {
                // It becomes a function.
                self.memo.recursive.insert(address);
                self.memo.changed |= true;
                return Operand::bottom();
            }
            return self.refuse_here(
                "unsupported-recursion",
                "a lambda or block that the section makes calls itself",
                Some("make it a method".into()),
            );
        }
        let number = self.fresh_version();
        let of_locals = home.taken.iter().filter_map(|(what, value)| Some((what.local()?, value)));
        let taken: Rc<[LocalId]> = of_locals.clone().map(|(local, _)| local).collect();
        let own: Vec<LocalId> = literal.own_locals.iter().chain(taken.iter()).copied().collect();
        let activation = Activation { number, literal: Arc::clone(literal), frame, taken };
        let blocks = home.blocks.iter().chain([&activation]).cloned().collect();
        let outer_blocks = std::mem::replace(&mut self.frames[frame].blocks, blocks);
        self.live.push((activation, types));
        let outer = std::mem::replace(&mut self.current, frame);
        let saved: Vec<_> =
            own.iter().map(|l| (*l, self.frames[frame].locals[l.0 as usize].clone())).collect();
        for (local, _) in &saved {
            let version = self.fresh_version();
            self.frames[frame].locals[local.0 as usize] = super::LocalValue::new(Operand::nil(), version);
        }
        for (local, value) in of_locals {
            self.frames[frame].locals[local.0 as usize].operand = value.clone();
        }
        if let Some(local) = literal.params.block {
            let operand = self.passed_block(passed);
            self.write_local(local, operand);
        }
        let result = self.running_block(literal, frame, |s| {
            s.call_body((literal, home, break_to, lambda), arguments, unused)
        });
        for (local, slot) in saved {
            self.frames[frame].locals[local.0 as usize] = slot;
        }
        self.current = outer;
        self.live.pop();
        self.frames[frame].blocks = outer_blocks;
        result
    }

    /// The body of one, with what its parameters get.
    fn call_body(
        &mut self,
        (literal, home, break_to, lambda): (&Arc<BlockLiteral>, &Home, Option<JoinIndex>, bool),
        arguments: Arguments,
        unused: bool,
    ) -> Operand {
        let frame = home.frame;
        let returns = lambda && has_return(&literal.body);
        self.suspending(home.active, |s| {
            s.within_here(literal.id.0, |s| {
                let run = |s: &mut Self, leave: Option<JoinIndex>| {
                    s.span = literal.opened;
                    let break_to = if lambda { leave } else { break_to.or(s.frames[frame].break_to) };
                    s.frames[frame].control.push(Control { break_to, next_to: leave });
                    let outer_return = s.frames[frame].return_to;
                    if lambda {
                        s.frames[frame].return_to = leave;
                        s.bind_method(&literal.params, arguments);
                    } else {
                        s.bind_block(&literal.params, arguments);
                    }
                    let value = if s.b.is_dead() { Operand::bottom() } else { s.arm(&literal.body, unused) };
                    s.frames[frame].return_to = outer_return;
                    s.frames[frame].control.pop();
                    value
                };
                if returns || has_next(&literal.body) || (lambda && has_break(&literal.body)) {
                    s.labelled(SLOT_LEAVE, !unused, |s, join| run(s, Some(join)))
                } else {
                    run(s, None)
                }
            })
        })
    }

    /// Runs what was written where so many codes were being inlined.
    fn suspending(&mut self, active: usize, run: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let suspended = self.active.split_off(active.min(self.active.len()));
        let result = run(self);
        self.active.extend(suspended);
        result
    }

    pub(super) fn call_symbol(
        &mut self,
        name: &str,
        mut arguments: Arguments,
        passed: Option<&BlockRef>,
        unused: bool,
    ) -> Operand {
        if arguments.positional.is_empty() && arguments.splat.is_some() {
            return self.refuse_splat();
        }
        if arguments.positional.is_empty() {
            return self.fail(ErrorKind::ArgumentError("no receiver given".into()), &[]);
        }
        let receiver = arguments.positional.remove(0);
        if self.is_protected(&receiver, name) {
            return self.switch(&receiver, 9, &mut |s, receiver| {
                s.no_method(&receiver, name, Missing::Protected, &arguments)
            });
        }
        arguments.unused = unused;
        let span = self.span;
        self.within(0x107, |s| {
            s.span = span;
            s.dispatch(&receiver, name, &arguments, passed.cloned(), CallType::Outside)
        })
    }

    /// A block that a built-in keeps, as a value.
    pub(crate) fn kept_block(&mut self, block: &BlockRef) -> Operand {
        if let BlockRef::Literal { literal, lambda: false, .. } = block
            && has_break(&literal.body)
        {
            return self.refuse_here(
                "escaping-block",
                "a block that leaves by `break` is called after the method that it was given to has ended",
                Some("leave the loop that goes through the Enumerator instead".into()),
            );
        }
        let number = self.memo.proc_number(ProcKey::Kept(self.context));
        self.proc_operand(number, block.clone())
    }

    /// What a parameter `&block` holds.
    pub(crate) fn passed_block(&mut self, passed: Option<&BlockRef>) -> Operand {
        match passed {
            Some(block) => {
                let number = self.memo.proc_number(ProcKey::Passed(self.context));
                let mut block = block.clone();
                if let BlockRef::Literal { literal, home, .. } = &mut block {
                    self.identify(literal, home);
                    if home.outliving.is_some() {
                        self.hide_stale(number, home);
                    }
                }
                self.proc_operand(number, block)
            }
            None => Operand::nil(),
        }
    }

    pub(crate) fn refuse_escaping(&mut self) -> Operand {
        self.refuse_here(
            "escaping-block",
            "a lambda or block is called after the method or block that made it has ended",
            Some("call it there, or write a method instead".into()),
        )
    }
}

impl Activation {
    /// Is the local variable one of this run's?
    pub(super) fn has(&self, local: LocalId) -> bool {
        self.literal.own_locals.contains(&local) || self.taken.contains(&local)
    }
}
