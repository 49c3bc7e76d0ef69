//! Messages of exceptions: made of the pieces that a site tells and the values that went along.

use super::Lowerer;
use super::births::Birth;
use super::exception_methods::ADDING_TEXT;
use super::host::Method;
use super::operand::Operand;
use crate::ir::{BinaryOp, ErrorKind, MessagePart, Missing, Raised, Receiver, SiteId, Value};
use crate::scalar::Ty;
use crate::string_layout::Encoding;
use crate::syntax::ast::{Kind, Node, StringPart};
use crate::types::{ClassId, HierarchyId, Type};

/// What the message of an error is made of.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Message {
    /// What Ruby says, in no encoding.
    Ruby(Vec<MessagePart>),
    /// The same with values that may be texts, or are inspected.
    Told(Vec<MessagePart>),
    /// The same of a value that no pattern matches, or of a name: of ASCII only it is in US-ASCII.
    InAscii(Vec<MessagePart>),
    /// The same of a value that a comparison or conversion is about: a large Integer is told by its class.
    About(Vec<MessagePart>),
    /// The same of an index and the length of an array: what is behind the index, and whether all indices are told.
    Index(&'static str, bool),
    /// A text of the user's, with values.
    Parts(Vec<MessagePart>),
    /// What `to_s` of the only value gives.
    Shown(Vec<MessagePart>),
    /// A literal that is frozen.
    Frozen(String),
    /// The name of the class: another String each time.
    ClassName(String),
    /// What the exception's method says, which is an object of this class.
    Object(ClassId),
    /// What only Ruby can say.
    Unknown,
}

/// A piece of a text.
pub(super) enum Piece {
    Text(String),
    Value(Operand),
}

impl Message {
    pub(super) const fn is_kept(&self) -> bool {
        !matches!(self, Self::ClassName(_) | Self::Object(_) | Self::Unknown)
    }

    pub(super) const fn is_class_name(&self) -> bool {
        matches!(self, Self::ClassName(_))
    }
}

pub(super) const UNKNOWN_MESSAGE: &str = "the message of this exception is not known in a section \
     [unsupported-rescue-variable]\n  hint: rescue its class apart from others, and say it there";
/// So many places that raise one are told.
pub(super) const MOST_PLACES: usize = 3;
/// … and around one that is neither that of a local variable nor of a method.
pub(super) const UNKNOWN_NAME: [&str; 2] = ["undefined local variable or method", ""];
/// What versions say in words of their own.
const CLAMP: &str = "min argument must be smaller than max argument";
pub(super) const MESSAGE: &[&str] = &["message", "to_s"];
pub(super) const TESTS: &[&str] = &["is_a?", "kind_of?", "instance_of?"];
/// Classes with an `initialize` of their own that makes of a text what Exception's does.
const KEEPING_TEXT: &[&str] = &[
    "NameError",
    "NoMethodError",
    "KeyError",
    "FrozenError",
    "NoMatchingPatternKeyError",
    "SystemExit",
    "Interrupt",
    "SyntaxError",
];

/// Classes with a `message` or `to_s` of their own that gives what they were made with.
const MESSAGES_OF_RUBY: &[&str] = &["NameError", "FrozenError"];

/// The same of those that make something else of it, but take it.
const TAKING_TEXT: &[&str] = &["SystemCallError"];

impl Lowerer<'_> {
    pub(super) fn message_at(&mut self, site: SiteId) -> Message {
        let site = self.program.sites[site.0 as usize].clone();
        let text = |text: &str| MessagePart::Text(text.into());
        match &site.error {
            ErrorKind::RaiseMade(class) => Message::Object(*class),
            ErrorKind::ZeroDivision => Message::Ruby(vec![text("divided by 0")]),
            ErrorKind::TypeError(told) | ErrorKind::ArgumentError(told) if is_same_everywhere(told) => {
                Message::Ruby(vec![text(told)])
            }
            ErrorKind::ArgumentError(told) if told == CLAMP && self.host.dialect().clamp_says_smaller => {
                Message::Ruby(vec![text(told)])
            }
            ErrorKind::ArgumentError(told) if told == CLAMP && self.host.dialect().clamp_says_less => {
                Message::Ruby(vec![text("min argument must be less than or equal to max argument")])
            }
            ErrorKind::AboutOperand { before, operand, after, .. } => match operand {
                Receiver::Nil => Message::Ruby(vec![text(before), text("nil"), text(after)]),
                Receiver::True => Message::Ruby(vec![text(before), text("true"), text(after)]),
                Receiver::False => Message::Ruby(vec![text(before), text("false"), text(after)]),
                Receiver::Text(class) if class.is_ascii() => {
                    Message::Ruby(vec![text(before), text(class), text(after)])
                }
                Receiver::Integer | Receiver::Float | Receiver::Symbol => {
                    let value = MessagePart::Inspect(operand.clone(), 0);
                    Message::About(vec![text(before), value, text(after)])
                }
                _ => Message::Unknown,
            },
            ErrorKind::MathDomain(name) => {
                let dialect = self.host.dialect();
                let is_quoted = match name.as_str() {
                    "isqrt" => dialect.domain_quotes_isqrt,
                    _ => dialect.domain_quotes_math,
                };
                let quote = if is_quoted { "\"" } else { "" };
                let told = format!("Numerical argument is out of domain - {quote}{name}{quote}");
                Message::Ruby(vec![text(&told)])
            }
            ErrorKind::NoMethod { name, receiver, missing, .. } => {
                let said = missing_said(*missing);
                self.message_about_name(ClassId::NO_METHOD_ERROR, said, name, receiver)
            }
            ErrorKind::NameError { name, receiver } => {
                self.message_about_name(ClassId::NAME_ERROR, UNKNOWN_NAME, name, receiver)
            }
            ErrorKind::FloatDomain => Message::Ruby(vec![MessagePart::Value(Receiver::Float)]),
            ErrorKind::IndexTooSmall => Message::Index(" too small for array; minimum: ", false),
            ErrorKind::FetchIndex => Message::Index(" outside of array bounds: ", true),
            ErrorKind::Raise { class, message } if self.says_message(*class) => {
                match (message, site.raised) {
                    (None, _) => {
                        let name = self.host.class_name(*class);
                        if name.starts_with('#') { Message::Unknown } else { Message::ClassName(name) }
                    }
                    (Some(parts), Raised::ByRuby) if self.tells_in_ascii(*class) => {
                        Message::InAscii(parts.clone())
                    }
                    (Some(parts), Raised::ByRuby) if parts.iter().all(is_plain_text) => {
                        Message::Ruby(parts.clone())
                    }
                    (Some(parts), Raised::ByRuby) if parts.iter().any(is_clamp) => Message::Unknown,
                    (Some(parts), Raised::ByRuby) => Message::Told(parts.clone()),
                    (Some(parts), Raised::ByFrozenText) => match &parts[..] {
                        [MessagePart::Text(text)] => Message::Frozen(text.clone()),
                        [] => Message::Frozen(String::new()),
                        _ => Message::Unknown,
                    },
                    (Some(parts), Raised::ByRubysText) => match &parts[..] {
                        [MessagePart::Value(_)] => Message::Shown(parts.clone()),
                        _ => Message::InAscii(parts.clone()),
                    },
                    (Some(parts), Raised::ByText)
                        if parts.iter().any(|p| matches!(p, MessagePart::Inspect(..))) =>
                    {
                        Message::Unknown
                    }
                    (Some(parts), Raised::ByText) => Message::Parts(parts.clone()),
                }
            }
            _ => Message::Unknown,
        }
    }

    /// The message about a name that the receiver does not have: `said` stands around it.
    fn message_about_name(
        &mut self,
        class: ClassId,
        said: [&str; 2],
        name: &str,
        receiver: &Receiver,
    ) -> Message {
        match self.parts_about_name(class, said, name, receiver, None) {
            Some(parts) => Message::InAscii(parts),
            None => Message::Unknown,
        }
    }

    /// None where more is told of the receiver than its class and what no method of its own can say in another way, or
    /// where libraries add lines. An object from before the section may be the main one, or have a singleton class; `of`
    /// is the class of one that it has made.
    fn parts_about_name(
        &mut self,
        class: ClassId,
        said: [&str; 2],
        name: &str,
        receiver: &Receiver,
        of: Option<ClassId>,
    ) -> Option<Vec<MessagePart>> {
        let dialect = self.host.dialect();
        if dialect.names_suggest_others || !self.says_message(class) {
            return None;
        }
        let [before, behind] = said;
        let open = if dialect.quotes_are_even { '\'' } else { '`' };
        let before = format!("{before} {open}{name}'{behind} for ");
        let text = |told: String| Some(vec![MessagePart::Text(format!("{before}{told}"))]);
        let of_number = |class: &str| match dialect.receivers_are_instances {
            true => text(format!("an instance of {class}")),
            false => Some(vec![
                MessagePart::Text(before.clone()),
                MessagePart::Inspect(receiver.clone(), 0),
                MessagePart::Text(format!(":{class}")),
            ]),
        };
        let (told, class) = match receiver {
            Receiver::Nil => ("nil", "NilClass"),
            Receiver::True => ("true", "TrueClass"),
            Receiver::False => ("false", "FalseClass"),
            Receiver::Integer => return of_number("Integer"),
            Receiver::Float => return of_number("Float"),
            Receiver::Symbol if dialect.receivers_are_instances => return of_number("Symbol"),
            Receiver::Module(module) => {
                let told = self.plain_name(*module)?;
                let class = if self.host.is_module(*module) { "Module" } else { "Class" };
                return match dialect.receivers_are_instances {
                    true => text(format!("{} {told}", class.to_lowercase())),
                    false => text(format!("{told}:{class}")),
                };
            }
            Receiver::Text(told) if dialect.receivers_are_instances => {
                self.plain_name(of?)?;
                return text(told.clone());
            }
            _ => return None,
        };
        match dialect.receivers_are_instances {
            true => text(told.into()),
            false => text(format!("{told}:{class}")),
        }
    }

    /// The name of a class or module that tells it itself as Ruby does.
    fn plain_name(&mut self, module: ClassId) -> Option<String> {
        let name = self.host.class_name(module);
        let is_plain = ["name", "inspect", "to_s"].iter().all(|asked| {
            let found = self.host.singleton_method(module, asked).ok().flatten();
            found.is_some_and(|found| matches!(found.method, Method::Native { .. }))
        });
        (is_plain && !name.starts_with('#')).then_some(name)
    }

    /// The message of such an exception that is made as an object.
    pub(super) fn text_about_name(
        &mut self,
        class: ClassId,
        said: [&str; 2],
        name: &str,
        receiver: &Operand,
    ) -> Option<Operand> {
        let of = receiver.types.single().map(super::class_of);
        let (receiver, operands) = self.receiver(receiver);
        let parts = self.parts_about_name(class, said, name, &receiver, of)?;
        Some(self.message_of_ruby(class, parts, &operands))
    }

    /// The same of a message that a built-in method has.
    pub(crate) fn message_of_ruby(
        &mut self,
        class: ClassId,
        parts: Vec<MessagePart>,
        operands: &[Value],
    ) -> Operand {
        let zero = self.b.i64(0);
        let mut all = [zero; 2];
        for (at, operand) in all.iter_mut().zip(operands) {
            *at = self.encode_payload(*operand);
        }
        let message = if self.tells_in_ascii(class) { Message::InAscii(parts) } else { Message::Told(parts) };
        self.kept_message(&message, all)
    }

    /// A text of one of Ruby's own methods in the encoding of the class's messages.
    pub(super) fn in_encoding_of(&mut self, class: ClassId, text: Operand) -> Operand {
        match text.types.single() {
            Some(ty) if ty.is_made_string() && self.tells_in_ascii(class) => {
                self.send(&text, "#in_ascii", &[], 0xc4)
            }
            _ => text,
        }
    }

    /// Is a message that Ruby's own methods give it in US-ASCII, where others are in no encoding?
    fn tells_in_ascii(&mut self, class: ClassId) -> bool {
        let is_name = self.host.is_subclass(class, ClassId::NAME_ERROR);
        is_name
            || ["NoMatchingPatternError", "NoMatchingPatternKeyError"]
                .contains(&self.host.class_name(class).as_str())
    }

    /// Is the message of the class's exceptions what they are raised with?
    pub(super) fn says_message(&mut self, class: ClassId) -> bool {
        // Those that know more keep a text alone as others do, and what did_you_mean adds hangs on the rest.
        let tells_lines =
            self.host.dialect().names_tell_lines && self.host.is_subclass(class, ClassId::NAME_ERROR);
        let takes_text = !tells_lines
            && match self.host.method(class, "initialize") {
                Ok(Some(found)) => KEEPING_TEXT.contains(&self.host.class_name(found.owner).as_str()),
                _ => false,
            };
        let own = ["message", "to_s", "initialize"].iter().all(|name| {
            let Some(found) = self.host.method(class, name).ok().flatten() else { return false };
            let owner = self.host.class_name(found.owner);
            match found.method {
                Method::Native { .. } => match *name {
                    "initialize" => found.owner == ClassId::EXCEPTION || takes_text,
                    _ => found.owner == ClassId::EXCEPTION || MESSAGES_OF_RUBY.contains(&owner.as_str()),
                },
                _ => takes_text && owner == "DidYouMean::Correctable",
            }
        });
        own && ["new", "exception"].iter().all(|name| {
            let found = self.host.singleton_method(class, name).ok().flatten();
            found.is_some_and(|found| matches!(found.method, Method::Native { .. }))
        })
    }

    /// Does `new` of the class take a text, of which Ruby makes a message that may be another?
    pub(super) fn takes_text(&mut self, class: ClassId) -> bool {
        let takes = match self.host.method(class, "initialize") {
            Ok(Some(found)) => {
                let owner = self.host.class_name(found.owner);
                let known = [KEEPING_TEXT, TAKING_TEXT].iter().any(|names| names.contains(&owner.as_str()));
                (found.owner == ClassId::EXCEPTION || known) && matches!(found.method, Method::Native { .. })
            }
            _ => false,
        };
        takes
            && ["message", "to_s"].iter().all(|name| {
                let Ok(Some(found)) = self.host.method(class, name) else { return false };
                let owner = self.host.class_name(found.owner);
                matches!(found.method, Method::Native { .. }) || ADDING_TEXT.contains(&owner.as_str())
            })
            && ["new", "exception"].iter().all(|name| {
                let found = self.host.singleton_method(class, name).ok().flatten();
                found.is_some_and(|found| matches!(found.method, Method::Native { .. }))
            })
    }

    pub(super) fn kept_message(&mut self, message: &Message, operands: [Value; 2]) -> Operand {
        match message {
            Message::Ruby(parts) => {
                let text = self.text_of_message(parts, operands);
                self.in_no_encoding(text)
            }
            Message::Told(parts) => self.telling_message(parts, operands, "inspect"),
            Message::InAscii(parts) => {
                let text = self.telling_message(parts, operands, "inspect");
                if text.types.single().is_some_and(Type::is_made_string) {
                    return self.send(&text, "#in_ascii", &[], 0xc0);
                }
                text
            }
            Message::Shown(parts) => {
                let [MessagePart::Value(receiver)] = &parts[..] else { return Operand::nil() };
                let operand = receiver.has_operand().then_some(operands[0]);
                match self.value_of_receiver(receiver, operand) {
                    Some(value) => self.send(&value, "to_s", &[], 0xc5),
                    None => Operand::nil(),
                }
            }
            Message::About(parts) => self.telling_message(parts, operands, "#shown"),
            Message::Index(behind, is_range) => {
                let [index, length] = operands;
                let zero = self.b.i64(0);
                let least = self.b.binary(BinaryOp::Sub, zero, length);
                let [before, behind] = ["index ", *behind].map(|text| Piece::Text(text.into()));
                let [index, least, length] =
                    [index, least, length].map(|number| Piece::Value(Operand::integer(number)));
                let mut pieces = vec![before, index, behind, least];
                if *is_range {
                    pieces.extend([Piece::Text("...".into()), length]);
                }
                let text = self.joined_pieces(pieces);
                self.in_no_encoding(text)
            }
            Message::Frozen(text) => self.outside_literal(text).unwrap_or_else(Operand::bottom),
            Message::Parts(parts) => self.text_of_message(parts, operands),
            Message::ClassName(_) | Message::Object(_) | Message::Unknown => Operand::nil(),
        }
    }

    /// Of ASCII only it is in no encoding, else in that of the values. nil where one is not a value that a section has.
    fn telling_message(&mut self, parts: &[MessagePart], operands: [Value; 2], of_integers: &str) -> Operand {
        let mut text = self.string_of_text("");
        for (i, part) in (0..).zip(parts) {
            let shown = match part {
                MessagePart::Text(part) => self.string_of_text(part),
                MessagePart::Value(receiver) | MessagePart::Inspect(receiver, _) => {
                    let number = match part {
                        MessagePart::Inspect(_, number) => usize::from(*number),
                        _ => parts.iter().take(i as usize).filter(|part| has_operand(part)).count(),
                    };
                    let operand = receiver.has_operand().then(|| operands[number]);
                    let Some(value) = self.value_of_receiver(receiver, operand) else {
                        return Operand::nil();
                    };
                    let name = match part {
                        MessagePart::Inspect(Receiver::Integer, _) => of_integers,
                        MessagePart::Inspect(..) => "inspect",
                        _ => "to_s",
                    };
                    self.send(&value, name, &[], 0x40 + i)
                }
            };
            text = self.send(&text, "#tell", &[shown], 0x80 + i);
            if text.is_bottom() {
                return text;
            }
        }
        text
    }

    pub(crate) fn text_in(&mut self, text: &str, encoding: Encoding) -> Operand {
        let string = self.string_of_text(text);
        let encoding = self.b.i64(encoding as i64);
        self.force_encoding(&string, encoding);
        string
    }

    fn in_no_encoding(&mut self, text: Operand) -> Operand {
        if text.types.single().is_some_and(Type::is_made_string) {
            let binary = self.b.i64(Encoding::Binary as i64);
            self.force_encoding(&text, binary);
        }
        text
    }

    /// nil where a value is not one that a section has.
    fn text_of_message(&mut self, parts: &[MessagePart], operands: [Value; 2]) -> Operand {
        let mut operands = operands.into_iter();
        let mut pieces = Vec::new();
        for part in parts {
            pieces.push(match part {
                MessagePart::Text(text) => Piece::Text(text.clone()),
                MessagePart::Value(receiver) | MessagePart::Inspect(receiver, _) => {
                    let operand = if receiver.has_operand() { operands.next() } else { None };
                    match self.value_of_receiver(receiver, operand) {
                        Some(value) => Piece::Value(value),
                        None => return Operand::nil(),
                    }
                }
            });
        }
        self.joined_pieces(pieces)
    }

    pub(super) fn joined_pieces(&mut self, pieces: Vec<Piece>) -> Operand {
        match &pieces[..] {
            [] => return self.string_of_text(""),
            [Piece::Text(text)] => return self.string_of_text(text),
            // What `raise` was given is the message.
            [Piece::Value(value)] if value.types.iter().all(Type::is_string) => return value.clone(),
            _ => {}
        }
        let (mut parts, mut values) = (Vec::new(), Vec::new());
        for piece in pieces {
            parts.push(match piece {
                Piece::Text(text) => StringPart::Text(text),
                Piece::Value(value) => {
                    values.push(value);
                    StringPart::Expression(Node { kind: Kind::Nil, span: self.span, id: self.node })
                }
            });
        }
        match self.pieces_of(&parts, &mut values.into_iter()) {
            Some(pieces) => self.joined(&pieces),
            None => Operand::bottom(),
        }
    }

    /// A value that a message tells.
    fn value_of_receiver(&mut self, receiver: &Receiver, operand: Option<Value>) -> Option<Operand> {
        let one = |s: &mut Self, ty: Type, scalar: Ty| {
            let value = s.decode_payload(operand?, scalar);
            Some(Operand::one(ty, value))
        };
        match receiver {
            Receiver::Nil => Some(Operand::nil()),
            Receiver::True => Some(Operand {
                types: Type::True.into(),
                values: [self.b.bool(true)].into_iter().collect(),
                birth: Birth::UNKNOWN,
            }),
            Receiver::False => Some(Operand {
                types: Type::False.into(),
                values: [self.b.bool(false)].into_iter().collect(),
                birth: Birth::UNKNOWN,
            }),
            Receiver::Integer => operand.map(Operand::integer),
            Receiver::Float => one(self, Type::Float, Ty::F64),
            Receiver::Symbol => one(self, Type::Symbol, Ty::I32),
            Receiver::MadeString => one(self, Type::Made(ClassId::STRING), Ty::I32),
            Receiver::Object(hierarchy) if self.is_of_strings(*hierarchy) => {
                one(self, Type::Object(*hierarchy, ClassId::STRING), Ty::I32)
            }
            Receiver::Module(class) => {
                let types = Type::Module(*class).into();
                Some(Operand { types, values: super::Values::new(), birth: Birth::UNKNOWN })
            }
            Receiver::Object(_) | Receiver::Array(_) | Receiver::Text(_) => None,
        }
    }

    fn is_of_strings(&mut self, hierarchy: HierarchyId) -> bool {
        self.host.hierarchy(ClassId::STRING) == hierarchy
    }
}

/// What stands around the name of a method that is not there, or not for the caller.
pub(super) const fn missing_said(missing: Missing) -> [&'static str; 2] {
    match missing {
        Missing::Undefined => ["undefined method", ""],
        Missing::Private => ["private method", " called"],
        Missing::Protected => ["protected method", " called"],
        Missing::Super => ["super: no superclass method", ""],
    }
}

const fn has_operand(part: &MessagePart) -> bool {
    match part {
        MessagePart::Text(_) => false,
        MessagePart::Value(receiver) | MessagePart::Inspect(receiver, _) => receiver.has_operand(),
    }
}

/// Does every version of Ruby say so?
fn is_same_everywhere(text: &str) -> bool {
    text.is_ascii() && text != CLAMP
}

fn is_clamp(part: &MessagePart) -> bool {
    matches!(part, MessagePart::Text(text) if text == CLAMP)
}

fn is_plain_text(part: &MessagePart) -> bool {
    matches!(part, MessagePart::Text(text) if is_same_everywhere(text))
}
