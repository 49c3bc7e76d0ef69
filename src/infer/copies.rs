//! Copies of objects: `dup` and `clone`. One of an object that the section has made has the same words. One of an
//! object that was there before is made in scratch memory, with what the columns hold at that moment: variables that
//! the section looks at. Which others the object has, and in which order, Ruby's knows, so the copy has its number
//! (`#original`), and the extension sets what nobody has looked at as the original has it.

use super::Lowerer;
use super::births::Birth;
use super::calls::{Arguments, CallType};
use super::class_of;
use super::host::{FoundMethod, Method};
use super::leaving::FROZEN;
use super::operand::Operand;
use super::variables::SET;
use crate::ir::{BinaryOp, UnaryOp, Value};
use crate::types::{ClassId, HierarchyId, Type};

/// The variable that says of which object another one is a copy: its number and one more, or 0.
pub const ORIGINAL: &str = "#original";

/// Is the copy frozen?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frozen {
    No,
    /// If the original is.
    AsIs,
    Yes,
}

impl Lowerer<'_> {
    /// `dup` or `clone` of an object, with the methods of the user's that Ruby calls for it.
    pub(crate) fn copy_instance(&mut self, object: &Operand, name: &str, frozen: Frozen) -> Operand {
        let copy = self.copy_here(object, name, frozen);
        let class = object.types.single().map(class_of);
        // As one that `new` has made: see `construct`.
        if self.in_driver && class.is_some_and(|class| self.memo.of_drivers.contains(&class)) {
            self.settle_now(&copy)
        } else {
            copy
        }
    }

    fn copy_here(&mut self, object: &Operand, name: &str, frozen: Frozen) -> Operand {
        let Some(ty) = object.types.single() else { return object.clone() };
        let class = class_of(ty);
        let asked = if name == "dup" { "initialize_dup" } else { "initialize_clone" };
        // What a generator draws next is no variable of Ruby's: its own method takes that over.
        let is_random = self.is_random(ty);
        let runs_code = [asked, "initialize_copy"].into_iter().any(|name| {
            !matches!(
                self.host.method(class, name),
                Ok(Some(FoundMethod { method: Method::Native { .. }, .. })) if !is_random
            )
        });
        if runs_code && self.keep_made(&object.types) {
            return Operand::bottom();
        }
        let copy = match ty {
            Type::Object(hierarchy, class) => self.copy_outside(object, *hierarchy, *class),
            _ => self.copy_made(object, frozen == Frozen::AsIs && !runs_code),
        };
        if copy.is_bottom() {
            return copy;
        }
        if runs_code {
            let keywords = match frozen {
                Frozen::AsIs => vec![],
                _ if asked == "initialize_dup" => vec![],
                _ => {
                    let freeze = self.b.bool(frozen == Frozen::Yes);
                    let types = if frozen == Frozen::Yes { Type::True } else { Type::False }.into();
                    vec![(
                        "freeze".to_string(),
                        Operand { types, values: [freeze].into_iter().collect(), birth: Birth::UNKNOWN },
                    )]
                }
            };
            let arguments = Arguments { positional: vec![object.clone()], keywords, ..Arguments::default() };
            let given =
                self.within_slot(0x7ff, |s| s.dispatch(&copy, asked, &arguments, None, CallType::Own));
            if given.is_bottom() || self.b.is_dead() {
                return Operand::bottom();
            }
        }
        let is_frozen = match (frozen, ty) {
            (Frozen::No, _) => return copy,
            (Frozen::Yes, _) => self.b.bool(true),
            (Frozen::AsIs, Type::Object(hierarchy, _)) => self.is_frozen(*hierarchy, object.value()),
            (Frozen::AsIs, _) if runs_code => self.is_frozen_made(object),
            (Frozen::AsIs, _) => return copy,
        };
        self.freeze_copy(&copy, class, is_frozen)
    }

    fn freeze_copy(&mut self, copy: &Operand, class: ClassId, is_frozen: Value) -> Operand {
        if self.b.constant(is_frozen) == Some(0) || self.is_always_frozen(class) {
            return copy.clone();
        }
        if self.memo.freezing.insert(class) {
            self.memo.restart = true;
            self.memo.changed |= true;
        }
        self.write_record(copy, FROZEN, &Operand::bool(is_frozen));
        if self.b.is_dead() { Operand::bottom() } else { copy.clone() }
    }

    /// A copy of an object of the heap, of a class of the user's.
    fn copy_outside(&mut self, object: &Operand, hierarchy: HierarchyId, class: ClassId) -> Operand {
        self.memo.made.entry(class).or_default();
        if self.memo.copied.insert(class) {
            self.memo.restart = true;
            self.memo.changed |= true;
        }
        let mut values = self.hidden_variables(class);
        values.retain(|(name, _)| !is_copied(name));
        for (name, value) in &mut values {
            if name == ORIGINAL {
                let number = self.b.unary(UnaryOp::ExtendI32, object.value());
                let one = self.b.i64(1);
                *value = Operand::integer(self.b.binary(BinaryOp::Add, number, one));
            }
        }
        let mut names = self.host.members(class);
        let known = self.memo.made.get(&class).map(|made| made.fields.clone()).unwrap_or_default();
        for (name, _) in known {
            if is_copied(&name) && !names.contains(&name) {
                names.push(name);
            }
        }
        // What the section writes is not what Ruby's object holds, and what it reads may be read of the copy when
        // that has become a row.
        let columns = self.memo.columns.keys();
        let others =
            columns.filter(|(of, name)| *of == hierarchy && is_copied(name) && !names.contains(name));
        let others: Vec<String> = others.map(|(_, name)| name.clone()).collect();
        names.extend(others);
        for (i, name) in (0..).zip(names) {
            let value = self.within_slot(0x800 + i, |s| s.read_ivar(&object.clone(), &name));
            if value.is_bottom() {
                return Operand::bottom();
            }
            values.push((name, value));
        }
        self.make(class, &values)
    }

    /// A variable that is read of an object of the section, which is unknown so far: a copy may have it.
    pub(super) fn learn_copied_variable(&mut self, class: ClassId, name: &str) -> bool {
        if !self.memo.copied.contains(&class) || !is_copied(name) {
            return false;
        }
        let fields = &mut self.memo.made.entry(class).or_default().fields;
        fields.push((name.to_string(), crate::types::TypeSet::empty()));
        self.memo.changed |= true;
        true
    }
}

/// Does a copy have the variable from its original? Of those that no user can name it is which are set.
fn is_copied(name: &str) -> bool {
    !name.starts_with('#') || name.starts_with(SET)
}
