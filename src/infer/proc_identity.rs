//! Which lambda or proc of its literal one is. Code and what it took along are all that a lambda is carried as, so two
//! of one literal are alike: where a section compares them, or would give one in two places (which [`super::births`]
//! tells), each of that literal takes an array along from the next walk on, which tells it from others (as arrays are
//! told apart, so are they); and not if it makes but one.

use super::keys::ProcKey;
use super::made_procs::MadeProc;
use super::operand::Operand;
use super::{BlockRef, Home, Lowerer, Taken};
use crate::ir::{Comparison, Value};
use crate::syntax::ast::BlockLiteral;
use crate::types::Type;
use std::sync::Arc;

/// The list that a token is, of the node that makes the proc.
const TOKEN_SLOT: u32 = 0x3f7;

/// What makes lambdas or procs: a literal (its address), or a call, by the number of what it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcMaker {
    Literal(usize),
    Call(u32),
}

impl ProcMaker {
    fn of(literal: &Arc<BlockLiteral>) -> Self {
        Self::Literal(Arc::as_ptr(literal) as usize)
    }
}

impl Lowerer<'_> {
    /// Which lambda or proc of its literal one is: an array that nothing else refers to.
    fn token(&mut self) -> Operand {
        let item = Operand::integer(self.b.i64(0));
        let item = self.tuple(&[item]);
        self.make_list(TOKEN_SLOT, &item)
    }

    /// That of what this makes here, if it is told apart.
    pub(super) fn new_token(&mut self, maker: ProcMaker) -> Option<Operand> {
        if self.memo.identified_procs.contains_key(&maker) {
            return Some(self.token());
        }
        self.note_proc(maker);
        None
    }

    /// A lambda or proc of a literal takes its token along, where it matters which one it is and it has none yet.
    pub(super) fn identify(&mut self, literal: &Arc<BlockLiteral>, home: &mut Home) {
        if home.taken.iter().all(|(what, _)| *what != Taken::Token)
            && let Some(token) = self.new_token(ProcMaker::of(literal))
        {
            home.taken = home.taken.iter().cloned().chain([(Taken::Token, token)]).collect();
        }
    }

    /// The number of what a literal makes here. Those that are told apart are of one type wherever they are made, if they
    /// use nothing there.
    pub(super) fn number_of_proc(&mut self, literal: &Arc<BlockLiteral>, closed: bool) -> u32 {
        match self.memo.identified_procs.get(&ProcMaker::of(literal)) {
            Some(number) if closed => self.memo.proc_number(ProcKey::Identified(*number)),
            _ => self.memo.proc_number(ProcKey::Literal(self.context, literal.id)),
        }
    }

    fn maker_of(&self, number: u32) -> Option<ProcMaker> {
        match self.known_proc(number)? {
            BlockRef::Literal { literal, .. } => Some(ProcMaker::of(&literal)),
            BlockRef::Made { .. } => Some(ProcMaker::Call(number)),
            _ => None,
        }
    }

    /// Are two lambdas, procs or Methods that the section makes the same one? Methods are alike, if that is enough, where
    /// they are one method of one object. `None`: that is refused, or known in the next walk.
    pub(crate) fn are_one_proc(&mut self, one: &Operand, other: &Operand, strict: bool) -> Option<Value> {
        let number = |operand: &Operand| match operand.types.single() {
            Some(Type::Proc(number) | Type::Closure(number, _)) => Some(*number),
            _ => None,
        };
        let (Some(number), Some(of_other)) = (number(one), number(other)) else {
            return Some(self.b.bool(false));
        };
        match (self.known_proc(number), self.known_proc(of_other)) {
            (
                Some(BlockRef::Made { what: MadeProc::Method(name), .. }),
                Some(BlockRef::Made { what: MadeProc::Method(of_other), .. }),
            ) if !strict => {
                let [one, other] = [one, other].map(|method| self.tuple_items(method).into_iter().next());
                let (true, Some(one), Some(other)) = (name == of_other, one, other) else {
                    return Some(self.b.bool(false));
                };
                let same = self.send(&one, "#same", &[other], 7);
                return (!same.is_bottom()).then(|| same.value());
            }
            (Some(BlockRef::Symbol { name, .. }), Some(BlockRef::Symbol { name: of_other, .. })) => {
                return Some(self.b.bool(name == of_other));
            }
            (Some(BlockRef::Outer { .. } | BlockRef::Held { .. }), _) => {
                return Some(self.b.bool(number == of_other));
            }
            _ => {}
        }
        let maker = self.maker_of(number);
        if maker != self.maker_of(of_other) {
            return Some(self.b.bool(false));
        }
        if let Some(maker) = maker {
            if !self.memo.identified_procs.contains_key(&maker) {
                // There is one, or another walk comes.
                self.note_compared(maker);
                return Some(self.b.bool(true));
            }
            if let (Some(one), Some(other)) = (self.token_of(one), self.token_of(other)) {
                return Some(self.b.compare(Comparison::Eq, one.value(), other.value()));
            }
        }
        self.refuse_here(
            "unsupported-identity",
            "whether two lambdas or procs of one place are the same is not known in a section",
            Some("compare what they are made of".into()),
        );
        None
    }

    pub(super) fn has_token(&self, number: u32) -> bool {
        self.maker_of(number).is_some_and(|maker| self.memo.identified_procs.contains_key(&maker))
    }

    fn token_of(&mut self, operand: &Operand) -> Option<Operand> {
        match operand.types.single() {
            Some(Type::Closure(number, _)) if self.has_token(*number) => self.tuple_items(operand).pop(),
            _ => None,
        }
    }

    /// Can a lambda or proc be given, with what tells it apart if it has that?
    pub(super) fn can_give_proc(&mut self, ty: &Type) -> bool {
        match ty {
            Type::Proc(number) => self.give_proc(*number),
            Type::Closure(number, along) => {
                along.len() == 1 && self.has_token(*number) && self.give_proc(*number)
            }
            _ => false,
        }
    }
}
