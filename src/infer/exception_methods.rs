//! What may be asked of the exception that a `rescue` has: its message, and its class. Both follow from the site that it
//! was raised at and its operands, so there is no object: the message is made at the beginning of the clause, and is the
//! same String each time, as it is in Ruby.

use super::births::Birth;
use super::host::Method;
use super::operand::Operand;
use super::rescue::Caught;
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, MessagePart, Raised, Receiver, SiteId, Value};
use crate::scalar::Ty;
use crate::string_layout::Encoding;
use crate::syntax::ast::{Call, Kind, LocalId, Node, StringPart};
use crate::syntax::walk::each_node_in;
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
    const fn is_kept(&self) -> bool {
        !matches!(self, Self::ClassName(_) | Self::Object(_) | Self::Unknown)
    }

    pub(super) const fn is_class_name(&self) -> bool {
        matches!(self, Self::ClassName(_))
    }
}

pub(super) const UNKNOWN_MESSAGE: &str = "the message of this exception is not known in a section \
     [unsupported-rescue-variable]\n  hint: rescue its class apart from others, and say it there";
/// So many places that raise one are told.
const MOST_PLACES: usize = 3;
/// What versions say in words of their own.
const CLAMP: &str = "min argument must be smaller than max argument";
const MESSAGE: &[&str] = &["message", "to_s"];
const TESTS: &[&str] = &["is_a?", "kind_of?", "instance_of?"];
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
/// What puts some text behind the messages of others.
pub(super) const ADDING_TEXT: &[&str] = &["DidYouMean::Correctable", "ErrorHighlight::CoreExt"];
/// Classes with a `message` or `to_s` of their own that gives what they were made with.
const MESSAGES_OF_RUBY: &[&str] = &["NameError", "FrozenError"];
/// The same of those that make something else of it, but take it.
const TAKING_TEXT: &[&str] = &["SystemCallError"];

impl Lowerer<'_> {
    /// Makes the message of an error that is being handled, where the clause asks for it.
    pub(super) fn with_message(&mut self, error: &mut Caught, body: &Node, local: Option<LocalId>) {
        if !local.is_some_and(|local| asks_for_message(body, local)) {
            return;
        }
        let message = self.message_of(error);
        error.message = Some(self.temp(message));
    }

    /// Nil where that is made only when somebody asks for it.
    fn message_of(&mut self, error: &Caught) -> Operand {
        self.by_message(error, &mut |s, message, values| match message.is_kept() {
            true => s.kept_message(message, values),
            false => Operand::nil(),
        })
    }

    /// An error is about to be raised again: its message is what it was made with. In Ruby it is the String that the
    /// clause has got and may have changed.
    pub(super) fn check_message(&mut self, error: &Caught) {
        let Some(kept) = error.message.map(|message| self.temp_get(message)) else { return };
        if !kept.types.iter().any(Type::is_made_string) || self.b.is_dead() {
            return;
        }
        let made = self.within_slot(0x9f0, |s| s.message_of(error));
        if made.is_bottom() {
            return;
        }
        let same = self.within_slot(0x9f1, |s| s.send(&kept, "==", &[made], 1));
        if same.is_bottom() || self.b.is_dead() {
            return;
        }
        let ok = self.truth(&same);
        let message = "an exception is raised again after its message was changed [unsupported-raise]\n  \
                       hint: raise another one: raise error.class, message";
        self.check(ok, ErrorKind::Unsupported(message.into()), &[]);
    }

    /// What stands in a text: of an exception its message.
    pub(super) fn interpolated(&mut self, node: &Node) -> Operand {
        if let Kind::Local(local) = node.kind
            && self.frame().code.errors.contains(&local)
            && !self.frame().code.error_objects.contains(&local)
            && let Some(error) = self.handled_in(local)
            && let Some(message) = error.message
        {
            self.enter(node);
            let kept = self.temp_get(message);
            return self.told_message(&error, &kept);
        }
        self.expr(node)
    }

    /// A method of an exception that a local variable stands for.
    pub(super) fn exception_method(
        &mut self,
        node: &Node,
        call: &Call,
        local: LocalId,
        error: &Caught,
    ) -> Operand {
        self.enter(node);
        let plain = call.args.is_empty() && call.block.is_none();
        match error.message {
            Some(message) if plain && MESSAGE.contains(&call.name.as_str()) => {
                let kept = self.temp_get(message);
                self.told_message(error, &kept)
            }
            _ if plain && call.name == "class" => self.class_of_caught(error),
            _ if TESTS.contains(&call.name.as_str()) && call.args.len() == 1 && call.block.is_none() => {
                let class = self.expr(&call.args[0]);
                self.enter(node);
                match super::conditions::module_of(&class) {
                    Some(class) => self.is_caught(error, class, call.name == "instance_of?"),
                    None if class.is_bottom() => class,
                    None => self.fail(ErrorKind::TypeError("class or module required".into()), &[]),
                }
            }
            _ => {
                let name = self.frame().code.locals[local.0 as usize].clone();
                self.refuse_here(
                    "unsupported-rescue-variable",
                    format!(
                        "`{name}` is an exception, of which a section knows its message and its class only"
                    ),
                    Some(format!(
                        "ask for `{name}.message` or `{name}.class`; `raise {name}` raises it again"
                    )),
                )
            }
        }
    }

    fn told_message(&mut self, error: &Caught, kept: &Operand) -> Operand {
        if kept.is_bottom() || !kept.types.contains(&Type::Nil) {
            return kept.clone();
        }
        let others = |s: &mut Self| {
            let error = error.clone();
            s.by_message(&error, &mut |s, message, operands| match message {
                Message::Object(class) => {
                    let object = s.decode_payload(operands[0], Ty::I32);
                    s.send(&Operand::one(Type::Made(*class), object), "message", &[], 0x22)
                }
                Message::ClassName(name) => {
                    let ascii = if name.is_ascii() { Encoding::UsAscii } else { Encoding::Utf8 };
                    s.text_in(name, ascii)
                }
                _ => s.unknown_message(&error),
            })
        };
        if kept.types.len() == 1 {
            return others(self);
        }
        let is_nil = self.is_type(kept, &Type::Nil);
        let strings = kept.types.filter(|ty| *ty != Type::Nil);
        let condition = Condition { value: is_nil, yes: vec![], no: vec![] };
        self.branch(90, condition, others, |s| s.narrow(kept, &strings))
    }

    fn unknown_message(&mut self, error: &Caught) -> Operand {
        let mut places = Vec::new();
        for number in &error.sites {
            if self.message_at(*number) != Message::Unknown {
                continue;
            }
            let site = self.program.sites[number.0 as usize].clone();
            if let Some(class) = super::rescue::class_of_error(&site.error) {
                let callers = site.callers.iter().map(|(path, line, _)| (path, line));
                let place = std::iter::once((&site.path, &site.line)).chain(callers);
                let place =
                    place.filter(|(path, _)| !path.is_empty()).map(|(path, line)| format!("{path}:{line}"));
                let class = self.host.class_name(class);
                let place = place.take(1).map(|place| format!("{place} raises a {class}"));
                places.extend(place.filter(|place| !places.contains(place)).collect::<Vec<_>>());
            }
        }
        places.truncate(MOST_PLACES);
        let Some((first, class)) = places.first().and_then(|place| place.split_once(" raises a ")) else {
            return self.fail(ErrorKind::Unsupported(UNKNOWN_MESSAGE.into()), &[]);
        };
        let told = format!(
            "the message of this exception is not known in a section: {} [unsupported-rescue-variable]\n  hint: ask in \
             {first} for what it fails for before it does, as `x.nil?`; or `rescue {class}` apart from others, and write \
             the text there",
            places.join(", ")
        );
        self.fail(ErrorKind::Unsupported(told), &[])
    }

    /// Is the error an instance of a class?
    fn is_caught(&mut self, error: &Caught, class: ClassId, exactly: bool) -> Operand {
        let mut answers: Vec<(bool, Vec<SiteId>)> = Vec::new();
        for site in &error.sites {
            let Some(of) = super::rescue::class_of_error(&self.program.sites[site.0 as usize].error) else {
                continue;
            };
            let is_it = if exactly { of == class } else { self.host.is_subclass(of, class) };
            match answers.iter_mut().find(|(known, _)| *known == is_it) {
                Some((_, sites)) => sites.push(*site),
                None => answers.push((is_it, vec![*site])),
            }
        }
        self.by_sites(error, &answers, &mut |s, is_it, _| Operand::bool(s.b.bool(*is_it)))
    }

    fn class_of_caught(&mut self, error: &Caught) -> Operand {
        let mut classes: Vec<(ClassId, Vec<SiteId>)> = Vec::new();
        for site in &error.sites {
            let Some(class) = super::rescue::class_of_error(&self.program.sites[site.0 as usize].error)
            else {
                continue;
            };
            match classes.iter_mut().find(|(known, _)| *known == class) {
                Some((_, sites)) => sites.push(*site),
                None => classes.push((class, vec![*site])),
            }
        }
        self.by_sites(error, &classes, &mut |_, class, _| Operand {
            types: Type::Module(*class).into(),
            values: super::Values::new(),
            birth: Birth::UNKNOWN,
        })
    }

    /// What `f` gives for the message of the error, with its operands.
    fn by_message(
        &mut self,
        error: &Caught,
        f: &mut dyn FnMut(&mut Self, &Message, [Value; 2]) -> Operand,
    ) -> Operand {
        let mut messages: Vec<(Message, Vec<SiteId>)> = Vec::new();
        for site in &error.sites {
            let message = self.message_at(*site);
            match messages.iter_mut().find(|(known, _)| *known == message) {
                Some((_, sites)) => sites.push(*site),
                None => messages.push((message, vec![*site])),
            }
        }
        self.by_sites(error, &messages, f)
    }

    /// What `f` gives for that of these whose sites has the error's among them.
    pub(super) fn by_sites<T>(
        &mut self,
        error: &Caught,
        all: &[(T, Vec<SiteId>)],
        f: &mut dyn FnMut(&mut Self, &T, [Value; 2]) -> Operand,
    ) -> Operand {
        let Some(((first, sites), others)) = all.split_first() else { return Operand::bottom() };
        let [at, one, two] = [0, 1, 2].map(|temp| self.temp_get(error.temps[temp]).value());
        if others.is_empty() {
            return f(self, first, [one, two]);
        }
        let mut is_it = self.b.bool(false);
        for site in sites {
            let number = self.b.i64(site.0.into());
            let same = self.b.compare(Comparison::Eq, at, number);
            is_it = self.b.binary(BinaryOp::OrB, is_it, same);
        }
        let condition = Condition { value: is_it, yes: vec![], no: vec![] };
        let f = std::cell::RefCell::new(f);
        self.within_slot(0x900 + others.len() as u32, |s| {
            s.branch(
                91,
                condition,
                |s| (*f.borrow_mut())(s, first, [one, two]),
                |s| s.by_sites(error, others, &mut **f.borrow_mut()),
            )
        })
    }

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
                    (Some(parts), Raised::ByText)
                        if parts.iter().any(|p| matches!(p, MessagePart::Inspect(..))) =>
                    {
                        Message::Unknown
                    }
                    (Some(parts), Raised::ByText | Raised::ByRubysText) => Message::Parts(parts.clone()),
                }
            }
            _ => Message::Unknown,
        }
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

fn asks_for_message(body: &Node, local: LocalId) -> bool {
    let mut asks = false;
    each_node_in(body, &mut |node| {
        if let Kind::Call(call) = &node.kind
            && let Some(Node { kind: Kind::Local(of), .. }) = &call.receiver
        {
            asks |= *of == local && MESSAGE.contains(&call.name.as_str());
        }
        if let Kind::String(parts) = &node.kind {
            let is_it = |part: &StringPart| matches!(part, StringPart::Expression(Node { kind: Kind::Local(of), .. }) if *of == local);
            asks |= parts.iter().any(is_it);
        }
    });
    asks
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
