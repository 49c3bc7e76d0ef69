//! What may be asked of the exception that a `rescue` has: its message, and its class. Both follow from the site that it
//! was raised at and its operands, so there is no object: the message is made at the beginning of the clause, and is the
//! same String each time, as it is in Ruby.

use super::births::Birth;
use super::exception_messages::{MESSAGE, MOST_PLACES, Message, TESTS, UNKNOWN_MESSAGE};
use super::operand::Operand;
use super::rescue::Caught;
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Receiver, SiteId, Value};
use crate::scalar::Ty;
use crate::string_layout::Encoding;
use crate::syntax::ast::{Call, Kind, LocalId, Node, StringPart};
use crate::syntax::walk::each_node_in;
use crate::types::{ClassId, Type};

/// What puts some text behind the messages of others.
pub(super) const ADDING_TEXT: &[&str] = &["DidYouMean::Correctable", "ErrorHighlight::CoreExt"];
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
            return self.told_message(&error, &kept, "to_s");
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
                self.told_message(error, &kept, &call.name)
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

    /// What it answers to `message` or `to_s`, which are apart only where one of them is a method of the user's.
    fn told_message(&mut self, error: &Caught, kept: &Operand, asked: &str) -> Operand {
        if kept.is_bottom() || !kept.types.contains(&Type::Nil) {
            return kept.clone();
        }
        let others = |s: &mut Self| {
            let error = error.clone();
            s.by_message(&error, &mut |s, message, operands| match message {
                Message::Object(class) => {
                    let object = s.decode_payload(operands[0], Ty::I32);
                    s.send(&Operand::one(Type::Made(*class), object), asked, &[], 0x22)
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
            // As an object it has one.
            let as_object = match &site.error {
                ErrorKind::FrozenMade(_) | ErrorKind::FrozenArray(_) => Some(ClassId::FROZEN_ERROR),
                ErrorKind::NoMethod { receiver: Receiver::Text(_), .. } => Some(ClassId::NO_METHOD_ERROR),
                ErrorKind::NameError { receiver: Receiver::Text(_), .. } => Some(ClassId::NAME_ERROR),
                _ => None,
            };
            let tells = self.host.dialect().receivers_are_instances;
            if let Some(class) = as_object.filter(|class| tells || *class == ClassId::FROZEN_ERROR) {
                self.memo.changed |= self.memo.facts.insert(class);
            }
            if let Some(class) = super::failing::class_of_error(&site.error) {
                let place = site.places.iter().map(|place| format!("{}:{}", place.path, place.line));
                let class = self.host.class_name(class);
                let place = place.take(1).map(|place| format!("{place} raises a {class}"));
                places.extend(place.filter(|place| !places.contains(place)).collect::<Vec<_>>());
            }
        }
        places.truncate(MOST_PLACES);
        let Some((first, class)) = places.first().and_then(|place| place.split_once(" raises a ")) else {
            return self.fail(ErrorKind::Unsupported(UNKNOWN_MESSAGE.into()), &[]);
        };
        let dialect = self.host.dialect();
        let adds_lines = dialect.names_tell_lines || dialect.names_suggest_others;
        let without = match adds_lines && ["NoMethodError", "NameError"].contains(&class) {
            true => {
                ". Without lines that others add to it, `--disable=error_highlight,did_you_mean`, it may be known"
            }
            false => "",
        };
        let told = format!(
            "the message of this exception is not known in a section: {} [unsupported-rescue-variable]\n  hint: ask in \
             {first} for what it fails for before it does, as `x.nil?`; or `rescue {class}` apart from others, and write \
             the text there{without}",
            places.join(", ")
        );
        self.fail(ErrorKind::Unsupported(told), &[])
    }

    /// Is the error an instance of a class?
    fn is_caught(&mut self, error: &Caught, class: ClassId, exactly: bool) -> Operand {
        let mut answers: Vec<(bool, Vec<SiteId>)> = Vec::new();
        for site in &error.sites {
            let Some(of) = super::failing::class_of_error(&self.program.sites[site.0 as usize].error) else {
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
            let Some(class) = super::failing::class_of_error(&self.program.sites[site.0 as usize].error)
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
