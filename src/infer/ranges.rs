//! Ranges from before the section. One that a section makes is its two ends, and whether it has the second is part of its
//! type ([`Type::Range`], and a record of Strings or Dates). One that an array, a Hash, an object or a constant holds is
//! an object with a row, so that it can be moved around and leave as itself; its ends and whether it has the second are
//! columns. Where one of Ruby's own methods is called on it, or gets it as an argument, it is *opened*: for each choice of
//! what these columns can hold the method sees a Range like those that are made here. Where all Ranges are alike, as they
//! mostly are, that is one choice, and no test.

use super::builtins::{self, Invocation};
use super::calls::{Arguments, CallType};
use super::host::{FoundMethod, Method};
use super::operand::Operand;
use super::{BlockRef, Condition, Lowerer};
use crate::types::{ClassId, RangeEnd, Type};

/// What a Range is put together of, as variables that no user can name: its ends, and whether the second is left out.
pub const RANGE_PARTS: [&str; 3] = ["#low", "#high", "#exclusive"];

/// What stands for all of them where it is asked which methods there are.
pub(crate) const ANY_RANGE: Type =
    Type::Range { exclusive: false, low: RangeEnd::Integer, high: RangeEnd::Integer };

/// Was it there before the section?
pub(crate) const fn is_held_range(ty: &Type) -> bool {
    matches!(ty, Type::Object(_, ClassId::RANGE))
}

/// Is it one, or an Enumerator of one?
pub(crate) fn opens(ty: &Type) -> bool {
    match ty {
        Type::Enumerator(_, parts) => parts.first().is_some_and(|source| source.iter().any(opens)),
        ty => is_held_range(ty),
    }
}

/// What gives the Range that a block has gone through.
const GIVING_SELF: &[&str] =
    &["each", "reverse_each", "each_entry", "each_with_index", "each_slice", "each_cons", "step", "%"];

/// Is it the same value, of which nothing else came in between?
fn is_same(one: &Operand, other: &Operand) -> bool {
    one.types == other.types && one.values == other.values
}

impl Lowerer<'_> {
    /// Is the method one of Ruby's own that looks at what the Range is put together of?
    pub(super) fn opens_for(&mut self, ty: &Type, name: &str, call_type: CallType) -> bool {
        if !opens(ty) {
            return false;
        }
        if matches!(ty, Type::Enumerator(..)) {
            return true;
        }
        let is_of_ranges = |s: &Self, owner| s.builtins.lookup(owner, name, &ANY_RANGE).is_some();
        if builtins::is_primitive(name) {
            // What all objects have, this one has as one of them.
            let of_all = self.builtins.lookup(ClassId::KERNEL, name, &Type::Nil).is_some();
            return !of_all && is_of_ranges(self, ClassId::RANGE);
        }
        match self.host.method(ClassId::RANGE, name) {
            // It is frozen already.
            Ok(Some(FoundMethod { owner, method: Method::Native { .. }, .. })) => {
                matches!(owner, ClassId::RANGE | ClassId::ENUMERABLE)
                    || owner == ClassId::KERNEL && name == "freeze"
            }
            _ => call_type == CallType::Core && is_of_ranges(self, ClassId::ENUMERABLE),
        }
    }

    /// Runs `f` with the Range, or the Enumerator of one, as one that is made here. What gives that gives the object.
    pub(crate) fn opened(
        &mut self,
        held: &Operand,
        slot: u32,
        f: &mut dyn FnMut(&mut Self, Operand) -> Operand,
    ) -> Operand {
        if let Some(Type::Enumerator(method, _)) = held.types.single() {
            let (method, parts) = (method.clone(), self.tuple_items(held));
            let Some((source, args)) = parts.split_first() else { return Operand::bottom() };
            return self.switch(source, slot, &mut |s, source| {
                let mut run = |s: &mut Self, source: Operand| {
                    let enumerator = builtins::make_enumerator(s, &method, &source, args);
                    let given = f(s, enumerator.clone());
                    if is_same(&given, &enumerator) { held.clone() } else { given }
                };
                if source.types.iter().any(opens) {
                    s.opened(&source, slot + 1, &mut run)
                } else {
                    run(s, source)
                }
            });
        }
        let [low, high, exclusive] = RANGE_PARTS.map(|part| self.read_ivar(held, part));
        if [&low, &high, &exclusive].iter().any(|part| part.is_bottom()) {
            return Operand::bottom();
        }
        self.switch(&low, slot + 2, &mut |s, low| {
            s.switch(&high, slot + 3, &mut |s, high| {
                let value = s.truth(&exclusive);
                let condition = Condition { value, yes: vec![], no: vec![] };
                let f = std::cell::RefCell::new(&mut *f);
                let run = |s: &mut Self, exclusive| {
                    let range = s.range_between(Some(low.clone()), Some(high.clone()), exclusive);
                    if range.is_bottom() {
                        return range;
                    }
                    let given = (*f.borrow_mut())(s, range.clone());
                    if is_same(&given, &range) { held.clone() } else { given }
                };
                match s.b.constant(value) {
                    Some(exclusive) => run(s, exclusive != 0),
                    None => s.within_here(0x200 + slot + 4, |s| {
                        s.branch(0, condition, |s| run(s, true), |s| run(s, false))
                    }),
                }
            })
        })
    }

    /// What a method gives that has a block called, if it is the Range.
    fn gone_through(&self, operand: &Operand, name: &str) -> Option<Operand> {
        let Some(Type::Enumerator(method, _)) = operand.types.single() else {
            return GIVING_SELF.contains(&name).then(|| operand.clone());
        };
        let is_of_items = match name {
            // A sequence gives itself.
            "each" => !matches!(&**method, "step" | "%"),
            name => matches!(name, "with_index" | "each_with_index"),
        };
        let source = self.tuple_items(operand).into_iter().next().filter(|_| is_of_items)?;
        self.gone_through(&source, method)
    }

    /// Calls one of its methods.
    pub(super) fn call_opened(
        &mut self,
        held: &Operand,
        name: &str,
        arguments: &Arguments,
        block: Option<&BlockRef>,
        call_type: CallType,
    ) -> Operand {
        self.opened(held, 0x60, &mut |s, range| {
            let given = s.dispatch(&range, name, arguments, block.cloned(), call_type);
            let source = block.and_then(|_| s.gone_through(&range, name)).filter(|_| !given.is_bottom());
            source.unwrap_or(given)
        })
    }

    /// Runs `f` with those of these arguments opened that are Ranges from before the section.
    pub(crate) fn opened_arguments(
        &mut self,
        call: &Invocation,
        which: std::ops::Range<usize>,
        f: &mut dyn FnMut(&mut Self, &Invocation) -> Operand,
    ) -> Operand {
        let held =
            |number: &usize| call.args.get(*number).is_some_and(|arg| arg.types.iter().any(is_held_range));
        let Some(number) = which.clone().find(held) else { return f(self, call) };
        let with = |arg| {
            let mut args = call.args.clone();
            args[number] = arg;
            call.with_args(args)
        };
        let slot = 0x70 + 8 * number as u32;
        self.switch(&call.args[number], slot, &mut |s, arg| {
            if !arg.types.iter().any(is_held_range) {
                return s.opened_arguments(&with(arg), number + 1..which.end, f);
            }
            s.opened(&arg, slot + 1, &mut |s, range| {
                s.opened_arguments(&with(range), number + 1..which.end, f)
            })
        })
    }
}
