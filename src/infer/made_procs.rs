//! Procs without a literal: a method with its receiver (`method(:name)`), procs one after the other (`f >> g`), and one
//! that waits for further arguments (`curry`). What they are made of is part of their types and operands, as the values
//! are that a lambda takes along.

use super::births::Birth;
use super::calls::{Arguments, CallType};
use super::host::{FoundMethod, Method};
use super::keys::ProcKey;
use super::operand::{Operand, Values};
use super::proc_identity::ProcMaker;
use super::sites::class_of;
use super::{BlockRef, Lowerer};
use crate::ir::ErrorKind;
use crate::syntax::ast::Params;
use crate::types::{METHOD, Type};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MadeProc {
    /// The method of this name; of its receiver.
    Method(String),
    /// Of the one that is called first, and of the one that gets what it gives.
    Composed,
    /// Of a proc that is called with so many arguments, and those that are there.
    Curried(usize),
    /// What the block of `Enumerator.new` is given: of what takes the values.
    Yielder,
    /// `&symbol`: the method that a Symbol names which is not written out.
    Named,
}

impl MadeProc {
    /// Of the method, where that is known.
    pub(super) fn name(&self) -> &str {
        if let Self::Method(name) = self { name } else { "" }
    }
}

impl Lowerer<'_> {
    /// The proc that the call which is lowered makes of values.
    pub(crate) fn make_of(&mut self, what: MadeProc, parts: Vec<Operand>) -> Operand {
        if self.b.is_dead() || parts.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        let parts: Vec<Operand> = parts.into_iter().map(|part| self.carrier(part)).collect();
        if parts.iter().any(|part| part.is_bottom() || self.keep_building(&part.types)) {
            return Operand::bottom();
        }
        let which = match &what {
            MadeProc::Method(_) => METHOD,
            MadeProc::Composed => 0,
            MadeProc::Curried(count) => *count as u32 + 1,
            MadeProc::Yielder => 0xfe,
            MadeProc::Named => 0xff,
        };
        // Types that are alike at one place are made of the same.
        let context = self.context_at(self.node, 0x600 + (which & 0xff));
        let number = self.memo.proc_number(ProcKey::Made(context)) | which & METHOD;
        let token = self.new_token(ProcMaker::Call(number));
        let along = || parts.iter().chain(&token);
        let types: Type = Type::Closure(number, along().map(|part| part.types.clone()).collect());
        let operand = Operand {
            types: types.into(),
            values: along().flat_map(|part| part.values.clone()).collect::<Values>(),
            birth: Birth::UNKNOWN,
        };
        if !self.is_bounded(&operand.types) {
            return Operand::bottom();
        }
        self.procs.insert(number, BlockRef::Made { what, parts, active: self.active.len() });
        operand
    }

    /// A Method as a Proc.
    pub(crate) fn proc_of_method(&mut self, method: &Operand) -> Operand {
        let Some(block) = self.proc_of(method) else { return Operand::bottom() };
        let (number, types) = match method.types.single() {
            Some(Type::Closure(number, parts)) => {
                (number & !METHOD, Type::Closure(number & !METHOD, parts.clone()))
            }
            Some(Type::Proc(number)) => (number & !METHOD, Type::Proc(number & !METHOD)),
            _ => return Operand::bottom(),
        };
        self.procs.insert(number, block);
        Operand { types: types.into(), values: method.values.clone(), birth: Birth::UNKNOWN }
    }

    pub(super) fn call_made(
        &mut self,
        what: &MadeProc,
        parts: &[Operand],
        mut arguments: Arguments,
        passed: Option<&BlockRef>,
        unused: bool,
    ) -> Operand {
        let span = self.span;
        match (what, parts) {
            (MadeProc::Method(name), [receiver]) => {
                arguments.unused = unused;
                self.within(0x107, |s| {
                    s.span = span;
                    let call =
                        |s: &mut Self| s.dispatch(receiver, name, &arguments, passed.cloned(), CallType::Own);
                    s.running_asked(false, call)
                })
            }
            (MadeProc::Yielder, [block]) => {
                arguments.unused = unused;
                self.within(0x10c, |s| {
                    s.span = span;
                    s.dispatch(block, "yield", &arguments, None, CallType::Own)
                })
            }
            (MadeProc::Composed, [first, second]) => {
                let between = self.within(0x108, |s| {
                    s.span = span;
                    s.dispatch(first, "call", &arguments, passed.cloned(), CallType::Outside)
                });
                if between.is_bottom() {
                    return between;
                }
                let given = Arguments { positional: vec![between], unused, ..Arguments::default() };
                self.within(0x109, |s| {
                    s.span = span;
                    s.dispatch(second, "call", &given, None, CallType::Outside)
                })
            }
            (MadeProc::Named, [symbol]) => self.within(0x10b, |s| {
                s.span = span;
                super::names::named(s, "&", Some(symbol), &mut |s, name| {
                    s.call_symbol(name, arguments.clone(), passed, unused)
                })
            }),
            (MadeProc::Curried(count), [of, known @ ..]) => {
                if arguments.splat.is_some() {
                    return self.refuse_splat();
                }
                if !arguments.keywords.is_empty() {
                    return self.refuse_collected_keywords();
                }
                let mut given = known.to_vec();
                given.append(&mut arguments.positional);
                if given.len() < *count {
                    let parts = std::iter::once(of.clone()).chain(given).collect();
                    return self.within(0x10a, |s| s.make_of(MadeProc::Curried(*count), parts));
                }
                let given = Arguments { positional: given, unused, ..Arguments::default() };
                self.within(0x10a, |s| {
                    s.span = span;
                    s.dispatch(of, "call", &given, passed.cloned(), CallType::Outside)
                })
            }
            _ => self.fail(ErrorKind::ArgumentError("a proc without its parts".into()), &[]),
        }
    }

    /// What takes the arguments of a lambda, proc or Method that is written in Ruby, and whether that is a proc.
    pub(crate) fn params_of(&mut self, block: &BlockRef) -> Option<(Params, bool)> {
        match block {
            BlockRef::Literal { literal, lambda, .. } => Some((literal.params.clone(), !lambda)),
            BlockRef::Outer { code, lambda, .. } | BlockRef::Held { code, lambda, .. } => {
                Some((code.params.clone(), !lambda))
            }
            BlockRef::Made { what: MadeProc::Method(name), parts, .. } => {
                let ty = parts.first()?.types.single()?.clone();
                let found = match &ty {
                    Type::Module(module) => self.host.singleton_method(*module, name),
                    ty => self.host.method(class_of(ty), name),
                };
                match found {
                    Ok(Some(FoundMethod { method: Method::Ruby(code), .. })) => {
                        Some((code.params.clone(), false))
                    }
                    _ => None,
                }
            }
            BlockRef::Symbol { .. } | BlockRef::Made { .. } => None,
        }
    }

    /// What Ruby calls its arity.
    pub(crate) fn arity_of(&mut self, block: &BlockRef) -> Option<i64> {
        if let BlockRef::Symbol { .. } | BlockRef::Made { what: MadeProc::Named, .. } = block {
            return Some(-2);
        }
        let (params, is_proc) = self.params_of(block)?;
        let asks = params.keywords.iter().any(|(_, _, default)| default.is_none());
        let required = params.required.len() + params.post.len();
        let least = (required + usize::from(asks)) as i64;
        let most = required + params.optional.len() + usize::from(params.take_keywords());
        let is_fixed = params.rest.is_none() && (is_proc || most as i64 == least);
        Some(if is_fixed { least } else { -least - 1 })
    }
}
