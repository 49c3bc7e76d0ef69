//! What an Enumerator's method says of it: whose `each` it is, what it yields, and what it gives; and bases that are
//! made of one (`parallel.rs`).

use super::Lowerer;
use super::builtins::LAZY;
use super::host::{FoundMethod, Method};
use super::operand::Operand;
use super::parallel::is_array;
use super::sites::class_of;
use crate::syntax::answers::{self, Answers};
use crate::types::Type;
use std::rc::Rc;

/// The method of an Enumerator that stands for an object of a class of the user's which includes Enumerable: its `each`.
pub(crate) const EACH: &str = "#each";

/// The method of what `Enumerator.new` makes; the receiver is its block.
pub(crate) const GENERATE: &str = "#generate";

/// Those of what `Enumerator.produce` makes; the receiver is the block that gives the next value.
pub(crate) const PRODUCE: &str = "#produce";
pub(crate) const PRODUCE_NEXT: &str = "#produce_next";

/// What the name of a method begins with whose Enumerator was given a block for its size.
pub(crate) const SIZED: &str = "#sized ";

/// The same of one by `to_enum` without such a block: it has none.
pub(crate) const UNSIZED: &str = "#unsized ";

/// The name of a method for an Enumerator by `to_enum`, with a block for its size or without.
pub(crate) fn named(method: &str, is_sized: bool) -> String {
    format!("{}{method}", if is_sized { SIZED } else { UNSIZED })
}

/// Does the Enumerator of such a method yield what its receiver's `each` does, whatever the block gives?
pub(crate) fn yields_items(method: &str) -> bool {
    matches!(method, "each" | "map" | "collect" | "flat_map" | "collect_concat" | "filter_map")
}

/// Is it the method of an Enumerator that goes through what somebody else has written?
pub(crate) fn is_users_each(method: &str) -> bool {
    method == EACH || method.starts_with(SIZED) || method.starts_with(UNSIZED)
}

/// Does it stand for an object of a class of the user's, or for a Struct?
pub(crate) fn stands_for_object(method: &str) -> bool {
    method == EACH
}

/// The method that `to_enum` was given.
pub(crate) fn without_to_enum(method: &str) -> Option<&str> {
    method.strip_prefix(SIZED).or_else(|| method.strip_prefix(UNSIZED))
}

/// Does such a method give its receiver, whatever its block gives?
pub(crate) fn is_indifferent(method: &str) -> bool {
    matches!(
        method,
        "each"
            | "each_entry"
            | "each_with_index"
            | "each_slice"
            | "each_cons"
            | "reverse_each"
            | "each_pair"
            | "each_key"
            | "each_value"
            | "each_index"
            | "each_char"
            | "each_byte"
            | "each_line"
            | "#each_chomped"
            | "each_codepoint"
            | "times"
            | "upto"
            | "downto"
            | "combination"
            | "permutation"
            | "repeated_combination"
            | "repeated_permutation"
    )
}

/// May a method of such a value yield several values? Of Enumerators there are some that hand on what they are given.
pub(crate) fn may_yield_several(method: &str, ty: &Type) -> bool {
    let hands_on = [
        "map",
        "collect",
        "flat_map",
        "collect_concat",
        "filter_map",
        "take_while",
        "find_index",
        "cycle",
        "each",
    ];
    matches!(method, "each_with_object" | "with_object" | GENERATE)
        || ty.is_instance()
        || matches!(ty, Type::Enumerator(..)) && hands_on.contains(&method)
}

/// Does the Enumerator of such a method yield something beside each item?
pub(super) fn yields_two(method: &str) -> bool {
    matches!(method, "each_with_index" | "with_index" | "each_with_object" | "with_object")
}

/// What an Enumerator yields behind each item, as a second value.
pub(super) enum Beside {
    Nothing,
    /// Its number, from somewhere on.
    Index(Option<Operand>),
    Object(Operand),
}

impl Beside {
    pub(super) const fn is_some(&self) -> bool {
        !matches!(self, Self::Nothing)
    }
}

impl Lowerer<'_> {
    /// The method of an Enumerator, and the parts that it is made of: the receiver and the arguments.
    pub(super) fn enumerator_of(&mut self, operand: &Operand) -> Option<(Rc<str>, Vec<Operand>)> {
        let Some(Type::Enumerator(method, _)) = operand.types.single() else { return None };
        let method = Rc::clone(method);
        let parts = self.tuple_items(operand);
        let source = parts.first()?;
        // `to_enum` of a method that is known.
        let plain = without_to_enum(&method).filter(|plain| {
            !source.types.iter().any(Type::is_instance)
                && (yields_items(plain) || is_indifferent(plain) || yields_two(plain))
        });
        let method = plain.map_or_else(|| Rc::clone(&method), Rc::from);
        Some((method, parts))
    }

    /// What an Enumerator goes through, and what it yields beside that.
    pub(super) fn enumerated(&mut self, receiver: &Operand) -> (Operand, Beside) {
        let Some((method, parts)) = self.enumerator_of(receiver) else {
            return (receiver.clone(), Beside::Nothing);
        };
        let mut parts = parts.into_iter();
        let source = parts.next().unwrap_or_else(Operand::bottom);
        let beside = match &*method {
            "each_with_index" => Beside::Index(None),
            "with_index" => Beside::Index(parts.next()),
            "each_with_object" | "with_object" => {
                Beside::Object(parts.next().unwrap_or_else(Operand::bottom))
            }
            "each_pair" if source.types.iter().all(Type::is_hash) => return (source, Beside::Nothing),
            method if yields_items(method) => return self.enumerated(&source),
            _ => return (receiver.clone(), Beside::Nothing),
        };
        // Pairs of pairs are no plain items.
        match self.enumerated(&source) {
            (inner, Beside::Nothing) => (inner, beside),
            _ => (source, beside),
        }
    }

    /// May an Enumerator yield several values, or none?
    pub(super) fn yields_several(&mut self, receiver: &Operand) -> bool {
        let (source, beside) = self.enumerated(receiver);
        beside.is_some() || self.hands_on_several(&source)
    }

    /// The same of one that yields nothing beside its items: does it hand on what others yield?
    pub(crate) fn hands_on_several(&mut self, receiver: &Operand) -> bool {
        let Some((method, parts)) = self.enumerator_of(receiver) else { return false };
        if is_users_each(&method) || &*method == GENERATE {
            return true;
        }
        let may = parts[0].types.iter().any(|ty| may_yield_several(&method, ty));
        may && self.yields_several(&parts[0])
    }

    /// Does a lazy one yield several values at once? Some of Lazy's methods hand these on as they are; here they are one.
    pub(crate) fn lazy_yields_several(&mut self, lazy: &Operand) -> bool {
        let Some((method, parts)) = self.enumerator_of(lazy) else { return false };
        match &*method {
            "#lazy_with_index" => true,
            "#lazy_map" | "#lazy_flat_map" | "#lazy_filter_map" | "#lazy_each_slice" | "#lazy_each_cons" => {
                false
            }
            method if method == "each" || method.starts_with(LAZY) => self.lazy_yields_several(&parts[0]),
            method => yields_two(method),
        }
    }

    /// Does an Enumerator go through a method that somebody has written, whose block is to answer nothing?
    pub(super) fn is_of_users(&mut self, enumerator: &Operand) -> bool {
        let Some((method, parts)) = self.enumerator_of(enumerator) else { return false };
        is_users_each(&method) && parts[0].types.iter().all(Type::is_instance)
    }

    /// What the methods of the user's by which something is gone through do with what their block gives.
    pub(super) fn answers_of(&mut self, source: &Operand) -> Answers {
        let users = self.enumerator_of(source).filter(|(method, _)| is_users_each(method));
        let (method, of) = match &users {
            Some((method, parts)) => (without_to_enum(method).unwrap_or("each"), &parts[0]),
            None => ("each", source),
        };
        let answers = of.types.iter().map(|ty| match self.host.method(class_of(ty), method) {
            Ok(Some(FoundMethod { method: Method::Ruby(code), owner, .. }))
                if ty.is_instance() && self.host.class_name(owner) != "Set" =>
            {
                answers::of(&code)
            }
            _ => Answers::Ignored,
        });
        answers.max().unwrap_or_default()
    }

    /// What the `each` of an Enumerator gives, where that is known and does not depend on what its block gives.
    pub(super) fn enumerator_gives(&mut self, enumerator: &Operand) -> Option<Operand> {
        let (method, parts) = self.enumerator_of(enumerator)?;
        let mut parts = parts.into_iter();
        let source = parts.next()?;
        let inner = self.enumerator_of(&source);
        if let Some((inner, of)) = &inner {
            match &*method {
                // What stands for an object of the user's is nobody's else.
                "each_with_index" | "each_entry" | "reverse_each" | "each_slice" | "each_cons"
                    if stands_for_object(inner) =>
                {
                    return of.first().cloned();
                }
                // A sequence gives itself, its own method what it is called on.
                "each_with_index" | "with_index" if matches!(&**inner, "step" | "%") => {
                    return of.first().cloned();
                }
                "each" | "each_with_index" | "with_index" => return self.enumerator_gives(&source),
                // It goes through that one, whatever that gives.
                _ if !is_users_each(inner) => {
                    self.enumerator_gives(&source)?;
                }
                _ => {}
            }
        }
        match &*method {
            "each_with_object" | "with_object" => parts.next(),
            // That of a Date is no sequence.
            "step" if source.types.iter().any(Type::is_instance) => Some(source),
            "step" | "%" => Some(enumerator.clone()),
            "#runs" | "#chunk" | "#slice_before" | "#slice_after" | "cycle" => Some(Operand::nil()),
            method => is_indifferent(method).then_some(source),
        }
    }

    /// What elements can take from an array by their index: what it is, how, and with which arguments.
    pub(super) fn by_index(
        &mut self,
        source: &Operand,
        beside: &Beside,
    ) -> Option<(Operand, String, Vec<Operand>)> {
        let numbered = match beside {
            Beside::Nothing => None,
            Beside::Index(offset) => Some(offset.clone().unwrap_or_else(Operand::nil)),
            Beside::Object(_) => return None,
        };
        let ty = source.types.single()?.clone();
        let (array, part, mut items) = if ty.is_hash() {
            let [keys, values] =
                [("#keys", 0x3b6), ("#values", 0x3b7)].map(|(part, slot)| self.send(source, part, &[], slot));
            (keys, "pairs", vec![values])
        } else {
            let Type::Enumerator(method, _) = &ty else { return None };
            let part = match &**method {
                "each_slice" => "slices",
                "each_cons" => "windows",
                _ => return None,
            };
            let mut items = self.tuple_items(source);
            let (array, beside) = self.enumerated(&items.remove(0));
            if beside.is_some() || !is_array(&array) {
                return None;
            }
            (array, part, items)
        };
        let ending = if numbered.is_some() { "_indexed" } else { "" };
        items.extend(numbered);
        Some((array, format!("{part}{ending}"), items))
    }

    /// The same of an array of all that an Enumerator yields something beside.
    pub(super) fn beside_items(
        &mut self,
        source: &Operand,
        beside: &Beside,
    ) -> Option<(Operand, &'static str, Vec<Operand>)> {
        let (method, second) = match beside {
            Beside::Index(Some(offset)) => ("indexed", offset.clone()),
            Beside::Object(memo) => ("with_object", memo.clone()),
            Beside::Nothing | Beside::Index(None) => return None,
        };
        let (all, _) = self.all_of(source);
        let all = match all.types.single() {
            Some(Type::Range { .. } | Type::Column(..)) => self.send(&all, "to_a", &[], 0x3ba),
            Some(Type::Tuple(_)) => {
                let key = self.context_at(self.node, 0x3bb);
                self.on_heap(key, &all).unwrap_or_else(Operand::bottom)
            }
            _ => all,
        };
        Some((all, method, vec![second]))
    }
}
