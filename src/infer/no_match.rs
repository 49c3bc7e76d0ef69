//! NoMatchingPatternError and NoMatchingPatternKeyError: what they say of the value and of the pattern.

use super::exception_messages::Piece;
use super::exceptions::{RECEIVER, SUBJECT};
use super::operand::Operand;
use super::{Condition, JoinIndex, Lowerer, conditions};
use crate::ir::{ErrorKind, MessagePart, Raised, Receiver, Value};
use crate::source::Span;
use crate::types::{ClassId, HierarchyId, RangeEnd, Type, TypeSet};
use std::collections::BTreeSet;

/// The join behind a test that may fail.
const SLOT_MISS: u32 = 17;

/// Values that the message of an error can tell.
const MAX_OPERANDS: usize = 2;

/// Where a pattern leads that does not match.
#[derive(Clone)]
pub(super) enum Miss {
    Jump(JoinIndex),
    /// To the error for this subject. It tells the reason, as Ruby does where a single pattern can match only.
    Raise(Operand, Span),
}

/// A piece of an error's message.
#[derive(Clone)]
pub(super) enum Told {
    Text(String),
    Inspected(Operand),
    /// The value itself, which Ruby raises the error with where several patterns could match: `message` is its `to_s`.
    /// nil is no message.
    Shown(Operand),
}

/// How an error with these pieces is raised.
fn raised_by(message: &[Told]) -> Raised {
    match message {
        [Told::Shown(_)] => Raised::ByRubysText,
        _ => Raised::ByRuby,
    }
}

const NOT_SHOWN: &str = "no pattern matches, and the message would show more than a failure can tell \
     [unsupported-pattern]\n  hint: write an `else`, which raises what is to be said";

impl Told {
    fn into_value(self) -> Option<Operand> {
        match self {
            Self::Text(_) => None,
            Self::Inspected(value) | Self::Shown(value) => Some(value),
        }
    }

    const fn value(&self) -> Option<&Operand> {
        match self {
            Self::Text(_) => None,
            Self::Inspected(value) | Self::Shown(value) => Some(value),
        }
    }
}

impl Lowerer<'_> {
    /// Goes on where `condition` holds. The reason is made where it does not.
    pub(super) fn expect(
        &mut self,
        condition: Condition,
        miss: &Miss,
        reason: impl FnOnce(&mut Self) -> Vec<Told>,
    ) {
        if self.b.is_dead() {
            return;
        }
        self.branch(
            SLOT_MISS,
            condition,
            |_| Operand::nil(),
            |s| {
                let reason = if matches!(miss, Miss::Raise(..)) { reason(s) } else { vec![] };
                s.missed(miss, reason);
                Operand::bottom()
            },
        );
    }

    pub(super) fn missed(&mut self, miss: &Miss, reason: Vec<Told>) {
        match miss {
            Miss::Jump(join) => self.jump(*join, None),
            Miss::Raise(subject, span) => {
                self.span = *span;
                let mut message = vec![Told::Inspected(subject.clone()), Told::Text(": ".into())];
                message.extend(reason);
                self.no_match(message);
            }
        }
    }

    /// There is no such key in what the pattern was matched with.
    pub(super) fn missed_key(&mut self, miss: &Miss, matchee: &Operand, key: &str) {
        match miss {
            Miss::Jump(join) => self.jump(*join, None),
            Miss::Raise(subject, span) => {
                self.span = *span;
                let found = Told::Text(": key not found: ".into());
                let symbol = self.symbol(key);
                let message = vec![Told::Inspected(subject.clone()), found, Told::Inspected(symbol.clone())];
                let class = ClassId::NO_MATCHING_PATTERN_KEY_ERROR;
                if self.keeps_facts(class, &[&matchee.types, &symbol.types]) {
                    let Some(text) = self.text_of(message) else { return };
                    let text = self.in_encoding_of(class, text);
                    let given = [(RECEIVER, matchee.clone()), (SUBJECT, symbol)];
                    self.raise_keeping(class, Some(text), None, &given);
                    return;
                }
                self.no_match_of(class, message);
            }
        }
    }

    /// NoMatchingPatternError.
    pub(super) fn no_match(&mut self, message: Vec<Told>) -> Operand {
        let class = self.constant(&["NoMatchingPatternError".to_string()], true);
        match conditions::module_of(&class) {
            Some(class) => self.no_match_of(class, message),
            None => Operand::bottom(),
        }
    }

    fn no_match_of(&mut self, class: ClassId, message: Vec<Told>) -> Operand {
        // An exception without a message, as nil is none, says its class.
        if let [Told::Shown(value)] = &message[..]
            && value.types.contains(&Type::Nil)
            && value.types.iter().any(Type::is_string)
        {
            return self
                .switch(&value.clone(), 0x3f, &mut |s, part| s.no_match_of(class, vec![Told::Shown(part)]));
        }
        let values = || message.iter().filter_map(Told::value);
        let mut told = Vec::new();
        for value in values() {
            self.operands_of(value, &mut told);
        }
        let is_text =
            |told: &Told| matches!(told, Told::Shown(text) if text.types.iter().any(Type::is_string));
        let is_told = told.len() <= MAX_OPERANDS
            && values().all(|value| is_told(&value.types))
            && !message.iter().any(is_text);
        let is_struct =
            |ty: &Type| ty.is_instance() && self.host.is_subclass(super::class_of(ty), ClassId::STRUCT);
        let is_list = |ty: &Type| {
            let Type::Array(kind) = ty else { return false };
            let stored = self.memo.arrays.get(kind).map(|array| &array.stored);
            stored.is_some_and(|types| !types.is_empty() && types.iter().all(has_plain_inspect))
        };
        let can_inspect = |value: &Operand| {
            is_inspectable(&value.types)
                || value.types.iter().all(|ty| has_plain_inspect(ty) || is_struct(ty) || is_list(ty))
        };
        let is_stale = || values().any(|value| self.may_show_changed(&value.types, &mut BTreeSet::new()));
        // The encoding of an array's text is that of its first item.
        let is_array = |told: &Told| matches!(told, Told::Shown(value) if value.types.iter().any(|ty| matches!(ty, Type::Tuple(_))));
        let raised = raised_by(&message);
        if (!is_told || message.iter().any(is_array) || is_stale()) && values().all(can_inspect) {
            return self.tell_text((class, raised), message);
        }
        let mut all = message;
        all.reverse();
        self.tell((class, raised), all, vec![], vec![])
    }

    /// Does the section change what `inspect` shows of such values, as far as it reads that? A failure tells it as it was
    /// before.
    fn may_show_changed(&self, types: &TypeSet, shown: &mut BTreeSet<HierarchyId>) -> bool {
        types.iter().any(|ty| match ty {
            ty if ty.is_string() => self.memo.changes_strings && !ty.is_made_string(),
            // Where its class has no name it is shown outside alone.
            Type::Object(hierarchy, class) => {
                shown.insert(*hierarchy)
                    && !self.host.class_name(*class).starts_with('#')
                    && self.memo.columns.iter().any(|((of, _), column)| {
                        of == hierarchy && (column.is_written || self.may_show_changed(&column.stored, shown))
                    })
            }
            Type::Array(kind) => {
                self.memo.arrays.get(kind).is_some_and(|array| array.is_written || array.grows)
            }
            _ => false,
        })
    }

    /// Which operands of a failure tell the value: one each of those that are not known.
    fn operands_of(&mut self, value: &Operand, told: &mut Vec<Value>) {
        let parts = match value.types.single() {
            Some(Type::Range { .. }) => {
                pieces_of_range(value).into_iter().flatten().filter_map(Told::into_value).collect()
            }
            Some(Type::Tuple(_)) => self.tuple_items(value),
            Some(Type::Integer) if self.b.constant(value.value()).is_some() => vec![],
            Some(Type::Symbol) if self.plain_symbol(value).is_some() => vec![],
            _ => {
                told.extend(value.values.first().filter(|first| !told.contains(first)).copied());
                vec![]
            }
        };
        for part in parts {
            self.operands_of(&part, told);
        }
    }

    /// Fails with a message that the section makes: a failure by itself cannot tell what is in it.
    fn tell_text(&mut self, (class, raised): (ClassId, Raised), message: Vec<Told>) -> Operand {
        let Some(text) = self.text_of(message) else { return Operand::bottom() };
        let (receiver, operands) = self.told(&text);
        let error = ErrorKind::Raise { class, message: Some(vec![MessagePart::Value(receiver)]) };
        self.fail_raised(error, &operands, raised)
    }

    /// The message as a String.
    fn text_of(&mut self, message: Vec<Told>) -> Option<Operand> {
        if let [Told::Shown(value)] = &message[..] {
            let text = self.send(value, "to_s", &[], 0x40);
            return (!text.is_bottom()).then_some(text);
        }
        let mut pieces = Vec::new();
        for told in message {
            match told.value().and_then(pieces_of_range) {
                Some(ends) => pieces.extend(ends),
                None => pieces.push(told),
            }
        }
        let mut texts = Vec::new();
        for (i, told) in (0..).zip(pieces) {
            texts.push(match told {
                Told::Text(text) => Piece::Text(text),
                Told::Shown(value) => Piece::Value(value),
                Told::Inspected(value) => match self.send(&value, "inspect", &[], 0x40 + i) {
                    text if text.is_bottom() => return None,
                    text => Piece::Value(text),
                },
            });
        }
        let text = self.joined_pieces(texts);
        (!text.is_bottom()).then_some(text)
    }

    /// The name of a symbol written out that is inspected as it is.
    fn plain_symbol(&self, operand: &Operand) -> Option<String> {
        let name = self.symbol_name(operand)?;
        let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        (plain && !name.is_empty()).then_some(name)
    }

    /// Fails with a message; `rest` is what is still to be told, last first.
    fn tell(
        &mut self,
        (class, raised): (ClassId, Raised),
        mut rest: Vec<Told>,
        mut parts: Vec<MessagePart>,
        mut operands: Vec<Value>,
    ) -> Operand {
        let mut shown = false;
        let value = match rest.pop() {
            None => {
                let error = ErrorKind::Raise { class, message: Some(parts) };
                return self.fail_raised(error, &operands, raised);
            }
            Some(Told::Text(text)) => {
                parts.push(MessagePart::Text(text));
                return self.tell((class, raised), rest, parts, operands);
            }
            Some(Told::Inspected(value)) => self.refine(value),
            Some(Told::Shown(value)) => {
                shown = true;
                self.refine(value)
            }
        };
        match value.types.single() {
            Some(Type::Tuple(_)) => {
                rest.push(Told::Text("]".into()));
                for (i, item) in self.tuple_items(&value).into_iter().enumerate().rev() {
                    rest.push(Told::Inspected(item));
                    if i > 0 {
                        rest.push(Told::Text(", ".into()));
                    }
                }
                rest.push(Told::Text("[".into()));
                self.tell((class, raised), rest, parts, operands)
            }
            Some(Type::Range { .. }) => {
                rest.extend(pieces_of_range(&value).into_iter().flatten().rev());
                self.tell((class, raised), rest, parts, operands)
            }
            Some(Type::Integer) if self.b.constant(value.value()).is_some() => {
                let number = self.b.constant(value.value()).unwrap_or_default();
                parts.push(MessagePart::Text(number.to_string()));
                self.tell((class, raised), rest, parts, operands)
            }
            Some(Type::Nil) if shown => self.fail(ErrorKind::Raise { class, message: None }, &[]),
            Some(Type::Symbol) if self.plain_symbol(&value).is_some() => {
                let name = self.plain_symbol(&value).unwrap_or_default();
                parts.push(MessagePart::Text(if shown { name } else { format!(":{name}") }));
                self.tell((class, raised), rest, parts, operands)
            }
            Some(_) => {
                let (receiver, own) = self.receiver(&value);
                // Such as an array of a length that is not known: a failure has only its class.
                if matches!(receiver, Receiver::Text(_)) {
                    return self.fail(ErrorKind::Unsupported(NOT_SHOWN.into()), &[]);
                }
                let mut number = 0;
                if receiver.has_operand() {
                    let known = operands.iter().position(|operand| own.first() == Some(operand));
                    number = known.unwrap_or(operands.len());
                    if known.is_none() && operands.len() == MAX_OPERANDS {
                        return self.fail(ErrorKind::Unsupported(NOT_SHOWN.into()), &[]);
                    }
                    if known.is_none() {
                        operands.extend(own);
                    }
                }
                parts.push(if shown {
                    MessagePart::Value(receiver)
                } else {
                    MessagePart::Inspect(receiver, number as u8)
                });
                self.tell((class, raised), rest, parts, operands)
            }
            None => {
                let slot = 32 + parts.len() as u32;
                self.switch(&value, slot, &mut |s, part| {
                    let with = |s: &mut Self, part: Operand| {
                        let mut rest = rest.clone();
                        rest.push(if shown { Told::Shown(part) } else { Told::Inspected(part) });
                        s.tell((class, raised), rest, parts.clone(), operands.clone())
                    };
                    if part.types.len() == 1 {
                        return with(s, part);
                    }
                    let yes = s.narrow(&part, &Type::True.into());
                    let no = s.narrow(&part, &Type::False.into());
                    let condition = s.truth_condition(&part);
                    s.branch(slot, condition, |s| with(s, yes), |s| with(s, no))
                })
            }
        }
    }
}

/// Can a failure tell all such values as they are?
fn is_told(types: &TypeSet) -> bool {
    types.iter().all(|ty| match ty {
        Type::Tuple(items) => items.iter().all(is_told),
        Type::Range { .. } => true,
        Type::List(_) | Type::Made(_) | Type::Record(_) => false,
        ty if ty.is_made_hash() => false,
        _ => true,
    })
}

/// What `inspect` of a range tells.
fn pieces_of_range(value: &Operand) -> Option<[Told; 3]> {
    let Some(Type::Range { exclusive, low, high }) = value.types.single() else { return None };
    let mut values = value.values.iter();
    let mut end = |end: &RangeEnd| match end {
        RangeEnd::None => Told::Text(String::new()),
        RangeEnd::Integer => Told::Inspected(Operand::integer(*values.next().expect("an end"))),
        RangeEnd::Float => Told::Inspected(Operand::float(*values.next().expect("an end"))),
    };
    let low = end(low);
    Some([low, Told::Text(if *exclusive { "..." } else { ".." }.into()), end(high)])
}

/// Does `inspect` of such values run in every section?
fn is_inspectable(types: &TypeSet) -> bool {
    match types.single() {
        Some(Type::Range { .. } | Type::Module(_)) => true,
        _ => types.iter().all(has_plain_inspect),
    }
}

fn has_plain_inspect(ty: &Type) -> bool {
    match ty {
        Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol => true,
        Type::Tuple(items) => items.iter().all(|types| types.iter().all(has_plain_inspect)),
        ty => ty.is_string() || ty.is_made_hash(),
    }
}
