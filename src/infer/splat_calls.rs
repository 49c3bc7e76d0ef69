//! Calls of built-ins with an array of unknown length among their arguments. Those that take any number get the array.
//! The others are compiled once for each number that they take, as what they do and what they give hangs on it.

use super::arity::{self, Miscount};
use super::callees::Callee;
use super::calls::Arguments;
use super::host::{FoundMethod, Method};
use super::keyword_splats::has_hash_splat;
use super::operand::Operand;
use super::sites::class_of;
use super::{BlockRef, Condition, Lowerer, builtins};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, Receiver, Value};
use crate::syntax::ast::Params;
use crate::types::{ClassId, Type};

/// Of a method that takes any number and is not compiled for that, so many are.
const MOST: usize = 6;

impl Lowerer<'_> {
    /// An array of all that a call gives, with its keywords as a Hash, for a NoMethodError. A list, where it is known at
    /// run time only how many that are: of an empty Hash alone behind `**` there are no keywords.
    pub(super) fn arguments_given(&mut self, arguments: &Arguments) -> Operand {
        let keywords = &arguments.keywords;
        let may_be_nothing = has_hash_splat(keywords) && keywords.len() == 1;
        let mut given = arguments.positional.clone();
        if arguments.splat.is_none() && !may_be_nothing {
            if !keywords.is_empty() {
                given.push(self.hash_of_keywords(keywords));
            }
            return self.tuple(&given);
        }
        self.within_slot(0x660, |s| {
            if given.iter().any(Operand::is_bottom) {
                return Operand::bottom();
            }
            let list = s.listed_items(&given);
            if let Some(splat) = &arguments.splat {
                s.within_slot(1, |s| s.append(&list, splat, true));
            }
            if keywords.is_empty() {
                return list;
            }
            let hash = s.within_slot(2, |s| s.hash_of_keywords(keywords));
            if hash.is_bottom() {
                return hash;
            }
            let is_nothing = match may_be_nothing {
                true => s.send(&hash, "empty?", &[], 3).value(),
                false => s.b.bool(false),
            };
            let condition = Condition { value: is_nothing, yes: vec![], no: vec![] };
            s.branch(
                4,
                condition,
                |_| Operand::nil(),
                |s| {
                    s.push_all(&list, 5, std::slice::from_ref(&hash));
                    Operand::nil()
                },
            );
            list
        })
    }

    /// What a call with a splat does where its callee takes none; nothing where it takes one.
    pub(super) fn without_splat(
        &mut self,
        receiver: &Operand,
        name: &str,
        callee: &Callee,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Option<Operand> {
        let array = arguments.splat.clone()?;
        let bounds = match callee {
            Callee::Reader(_) => Some((0, 0)),
            Callee::Writer(_) => Some((1, 1)),
            Callee::Builtin(row, _) if !row.takes_splat() => self.bounds(receiver, name, block.is_some()),
            Callee::Method(found, code, true) if code.params.rest.is_none() => match &found.method {
                Method::Ruby(original) if original.params.rest.is_some() => None,
                Method::Ruby(original) => {
                    let Params { required, optional, .. } = &original.params;
                    Some((required.len(), required.len() + optional.len()))
                }
                _ => self.bounds(receiver, name, block.is_some()),
            },
            _ => return None,
        };
        let (least, most) = bounds.unwrap_or((0, MOST));
        let known = arguments.positional.len();
        let given = self.given(arguments);
        let error = match bounds {
            Some(_) => wrong_count(least, most),
            None => {
                let told = format!("`{name}` with more than {MOST} arguments cannot run in a section");
                ErrorKind::Unsupported(format!("{told} [unsupported-splat]"))
            }
        };
        let mut low = least.max(known);
        if low > most {
            return Some(self.fail(error, &[given]));
        }
        let first = self.b.i64(low as i64);
        let last = self.b.i64(most as i64);
        let enough = self.b.compare(Comparison::Ge, given, first);
        let few = self.b.compare(Comparison::Le, given, last);
        let fits = self.b.binary(BinaryOp::AndB, enough, few);
        self.check(fits, error, &[given]);
        let mut counts = Vec::new();
        while low <= most {
            counts.push(low);
            low += 1;
        }
        let call = SpreadCall { receiver, name, callee, arguments, block, array: &array, given };
        Some(self.for_each_count(&call, &counts))
    }

    /// Ruby's ArgumentError where a method of its own gets too many or too few; the exact ones have been counted.
    pub(super) fn miscounted(
        &mut self,
        receiver: &Operand,
        name: &str,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> Option<Operand> {
        let known = arguments.keywords.is_empty() && !arguments.keyword_splat && arguments.splat.is_none();
        if !known || !arity::is_counted(name) {
            return None;
        }
        let given = arguments.positional.len();
        if given > 0 && arity::hands_on(name) {
            return self.handed_to_each(receiver, name, given);
        }
        let (of, found) = self.own_method(receiver, name)?;
        let (name, arity) = found;
        let bounds = self.bounds_of(&of, &name, arity, block.is_some())?;
        if arity >= 0 || (bounds.0..=bounds.1).contains(&given) {
            return None;
        }
        match arity::miscount(&of, &name, bounds) {
            Miscount::Told(expected) => Some(builtins::wrong_count(self, given, &expected)),
            Miscount::Own => None,
            Miscount::Unknown => Some(self.refuse_here(
                "unsupported-method",
                format!("`{name}` with {given} arguments cannot run in a section"),
                Some("give it as many as it takes".into()),
            )),
        }
    }

    /// `list.each_with_index(1) { }`: Ruby calls `each` with all that is given.
    fn handed_to_each(&mut self, receiver: &Operand, name: &str, given: usize) -> Option<Operand> {
        let ty = receiver.types.single()?.clone();
        let (of, (_, arity)) = self.own_method(receiver, name)?;
        if arity >= 0 || of != "Enumerable#" {
            return None;
        }
        let takes_nothing = ty.is_hash()
            || ty.is_text_range()
            || matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::List(_) | Type::Range { .. });
        if takes_nothing {
            return Some(builtins::wrong_count(self, given, "0"));
        }
        Some(self.refuse_here(
            "unsupported-method",
            format!("`{name}` that hands arguments on to `each` cannot run in a section"),
            Some("call each with them".into()),
        ))
    }

    fn bounds(&mut self, receiver: &Operand, name: &str, has_block: bool) -> Option<(usize, usize)> {
        let (of, (name, arity)) = self.own_method(receiver, name)?;
        self.bounds_of(&of, &name, arity, has_block)
    }

    fn bounds_of(&self, of: &str, name: &str, arity: i64, has_block: bool) -> Option<(usize, usize)> {
        let (least, most) = arity::bounds(of, name, arity, has_block)?;
        let folds = of == "Enumerable#" && ["inject", "reduce"].contains(&name);
        let wants_one = folds && !has_block && self.host.dialect().inject_wants_arguments;
        Some((least.max(usize::from(wants_one)), most))
    }

    /// Whose a method of Ruby's own is, with a `#`, or a dot where it is a module's own; its name there, and its arity.
    fn own_method(&mut self, receiver: &Operand, name: &str) -> Option<(String, (String, i64))> {
        let ty = receiver.types.single()?.clone();
        let found = match &ty {
            Type::Module(module) => self.host.singleton_method(*module, name),
            other => self.host.method(class_of(other), name),
        };
        let Ok(Some(FoundMethod { owner, method: Method::Native { name, arity }, .. })) = found else {
            return None;
        };
        // `new` hands on what it is given, and the `initialize` may be another one by now.
        if let Type::Module(module) = ty
            && name == "new"
            && matches!(
                self.host.method(module, "initialize"),
                Ok(Some(FoundMethod { method: Method::Ruby(_), .. }))
            )
        {
            return None;
        }
        let of = match ty {
            Type::Module(module) if owner != ClassId::KERNEL => format!("{}.", self.host.class_name(module)),
            _ => format!("{}#", self.host.class_name(owner)),
        };
        Some((of, (name, arity)))
    }

    /// The call with so many arguments, whichever it is.
    fn for_each_count(&mut self, call: &SpreadCall<'_>, counts: &[usize]) -> Operand {
        let Some((count, rest)) = counts.split_first() else { return Operand::bottom() };
        let run = |s: &mut Self| {
            let mut arguments = Arguments { splat: None, ..call.arguments.clone() };
            let known = arguments.positional.len();
            for i in known..*count {
                let index = s.b.i64((i - known) as i64);
                let item = s.within_slot(0x900 + i as u32, |s| s.item_of(call.array, index, true));
                arguments.positional.push(item);
            }
            if arguments.has_bottom() {
                return Operand::bottom();
            }
            s.within_here(0x920 + *count as u32, |s| {
                s.invoke(call.receiver, call.name, call.callee, &arguments, call.block)
            })
        };
        if rest.is_empty() {
            return run(self);
        }
        let number = self.b.i64(*count as i64);
        let value = self.b.compare(Comparison::Eq, call.given, number);
        let condition = Condition { value, yes: vec![], no: vec![] };
        self.branch(0x940 + *count as u32, condition, run, |s| s.for_each_count(call, rest))
    }
}

/// A call whose number of arguments is known when it runs.
struct SpreadCall<'c> {
    receiver: &'c Operand,
    name: &'c str,
    callee: &'c Callee,
    arguments: &'c Arguments,
    block: Option<&'c BlockRef>,
    array: &'c Operand,
    given: Value,
}

fn wrong_count(least: usize, most: usize) -> ErrorKind {
    let expected = arity::expected(least, most);
    let message = vec![
        MessagePart::Text("wrong number of arguments (given ".into()),
        MessagePart::Value(Receiver::Integer),
        MessagePart::Text(format!(", expected {expected})")),
    ];
    ErrorKind::Raise { class: ClassId::ARGUMENT_ERROR, message: Some(message) }
}
