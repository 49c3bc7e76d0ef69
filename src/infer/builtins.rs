//! What inference knows of Ruby's own methods: what one is, and what it asks those that stand above it ([`Builtins`]).

use super::calls::Arguments;
use super::joins::JoinIndex;
use super::operand::Operand;
use super::{Birth, BlockRef, Lowerer};
use crate::ir::{Comparison, ErrorKind};
use crate::syntax::ast::Code;
use crate::types::{ClassId, Type, TypeSet};
use std::rc::Rc;

/// Ruby's own methods, as inference asks for them.
pub(crate) trait Builtins {
    /// The method `name`, defined by `owner`, for receivers of type `ty`.
    fn lookup(&self, owner: ClassId, name: &str, ty: &Type) -> Option<Builtin>;
    /// A method of Random's instances, `initialize` among them.
    fn of_random(&self, name: &str) -> Option<Builtin>;
    /// A method of a stream.
    fn of_stream(&self, name: &str) -> Option<Builtin>;
    /// A method of Ruby's own Set that runs instead of its source.
    fn of_set(&self, name: &str) -> Option<Rc<Code>>;
    /// What only lazy Enumerators have.
    fn of_lazy(&self, name: &str) -> Option<&'static Row>;
    /// A method of Enumerable's over an `each` of the user's.
    fn of_own_each(&self, name: &str) -> Option<&'static Row>;
    /// Carries a call out.
    fn apply(&self, s: &mut Lowerer<'_>, row: &Row, call: &Invocation) -> Operand;
    /// Runs `body` for each item of what can be gone through. Its value is nil, or that of a `break`.
    fn each_item(
        &self,
        s: &mut Lowerer<'_>,
        sequence: &Operand,
        body: &mut dyn FnMut(&mut Lowerer<'_>, Operand, JoinIndex, JoinIndex),
    ) -> Operand;
    /// Does the method, called without a block with so many arguments, give an Enumerator?
    fn enumerates(&self, ty: &Type, name: &str, arguments: usize) -> bool;
    /// Does a method of String change the receiver?
    fn changes_strings(&self, name: &str) -> bool;
    /// Is it a method of the files about texts or numbers?
    fn is_value_method(&self, code: &Code) -> bool;
    /// Is it a large one of those about texts?
    fn is_large_text_method(&self, code: &Code) -> bool;
    /// What to do instead of a method that does not run.
    fn hint(&self, owner: ClassId, owner_name: &str, name: &str) -> String;
    /// Is it a module of the standard library of which no method runs?
    fn is_library(&self, module: &str) -> bool;
    /// What to do instead of a method of a class or module that sections do not have, or of its `new`.
    fn hint_of_class(&self, class: &str, name: &str) -> Option<&'static str>;
}

/// A call on a receiver of one class.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub receiver: Operand,
    pub name: String,
    pub args: Vec<Operand>,
    /// An array of further arguments, for rows that are `spreading`.
    pub splat: Option<Operand>,
    pub keywords: Vec<(String, Operand)>,
    /// There is a `**`, which may have passed nothing.
    pub keyword_splat: bool,
    pub block: Option<BlockRef>,
}

pub(crate) type Rule = fn(&mut Lowerer<'_>, &Invocation) -> Operand;

/// How a method runs.
pub(crate) enum Builtin {
    Rule(&'static Row),
    /// Written in Ruby.
    Ruby(Rc<Code>),
}

/// One method of a class.
pub(crate) struct Row {
    pub name: &'static str,
    pub rule: Rule,
    pub takes: Takes,
}

/// What a rule does with its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// There are none; other rules count theirs.
    None,
    /// Looks at what they are, so those that core code would treat in a way of its own are refused before.
    Understood,
    /// The same, of a primitive that knows of Integers of any size: others are not given them.
    Numbers,
    /// Puts them away, hands them on or calls methods of theirs. Keywords are a Hash, as in methods made in C.
    Anything,
    /// The same, and knows of keywords.
    Named,
    /// As `Anything`, be there an array of further ones or not.
    Spread,
    /// The same, and hands keywords on.
    All,
}

impl Row {
    /// Does it take an array of further arguments?
    pub(crate) fn takes_splat(&self) -> bool {
        matches!(self.takes, Takes::Spread | Takes::All)
    }

    /// May its rule know of keywords?
    pub(crate) fn takes_keywords(&self) -> bool {
        !matches!(self.takes, Takes::None | Takes::Anything | Takes::Spread)
    }
}

impl Invocation {
    /// The same call with other arguments.
    pub(crate) fn with_args(&self, args: Vec<Operand>) -> Self {
        Self {
            receiver: self.receiver.clone(),
            name: self.name.clone(),
            args,
            splat: self.splat.clone(),
            keywords: self.keywords.clone(),
            keyword_splat: self.keyword_splat,
            block: self.block.clone(),
        }
    }

    /// The arguments alone.
    pub(crate) fn arguments(&self, unused: bool) -> Arguments {
        Arguments {
            positional: self.args.clone(),
            splat: self.splat.clone(),
            keywords: self.keywords.clone(),
            keyword_splat: self.keyword_splat,
            unused,
        }
    }
}

/// The parts that built-ins are made of are no methods of Ruby's. Their names begin with what no method's name begins
/// with, so that all names that a user can write are the user's. In `core/`, which is Ruby, they are written with two
/// underscores instead.
pub(crate) const PRIMITIVE: char = '#';

pub(crate) fn is_primitive(name: &str) -> bool {
    name.starts_with(PRIMITIVE)
}

/// What the names of those begin with that are one function, whatever numbers they are given.
pub(crate) const ANY: &str = "#any_";

/// Is there a function of a part of built-ins for each choice of numbers that it is given?
pub(crate) fn is_specialised(name: &str) -> bool {
    is_primitive(name) && !name.starts_with(ANY)
}

/// What the names of their methods begin with.
pub(crate) const LAZY: &str = "#lazy";

/// Is it one?
pub(crate) fn is_lazy(ty: &Type) -> bool {
    matches!(ty, Type::Enumerator(method, _) if method.starts_with(LAZY))
}

/// An Enumerator of a method, of what it is called on and with.
pub(crate) fn make_enumerator(
    s: &mut Lowerer<'_>,
    name: &str,
    receiver: &Operand,
    args: &[Operand],
) -> Operand {
    // Of its arguments Ruby looks at one already here.
    let by = match name {
        "%" => args.first(),
        "step" if matches!(receiver.types.single(), Some(Type::Range { .. })) => args.first(),
        "step" => args.get(1),
        _ => None,
    };
    if let Some(by) = by.filter(|by| matches!(by.types.single(), Some(Type::Integer | Type::Float))) {
        let zero = s.b.ty(by.value());
        let zero = s.b.zero(zero);
        let ok = s.b.compare(Comparison::Ne, by.value(), zero);
        s.check(ok, ErrorKind::ArgumentError("step can't be 0".into()), &[]);
    }
    let parts: Vec<&Operand> = std::iter::once(receiver).chain(args).collect();
    let types: Vec<TypeSet> = parts.iter().map(|p| p.types.clone()).collect();
    let values = parts.iter().flat_map(|p| p.values.iter().copied()).collect();
    Operand { types: Type::Enumerator(name.into(), types.into()).into(), values, birth: Birth::UNKNOWN }
}

/// ArgumentError for a number of arguments that no rule takes.
pub(crate) fn wrong_count(s: &mut Lowerer<'_>, given: usize, expected: &str) -> Operand {
    let message = format!("wrong number of arguments (given {given}, expected {expected})");
    s.fail(ErrorKind::ArgumentError(message), &[])
}
