//! Exceptions that are objects: those that are made with more than a text, and those with which a clause does more
//! (`syntax/lower/errors.rs`), are in scratch memory as other objects that the section makes, with hidden variables for
//! the message and where they were raised first. No user can name these variables. What Ruby keeps besides, such as
//! `KeyError#key`, are such variables too; where a section asks for one of them (`Memo::facts`), its built-ins make
//! objects of that class when they raise, elsewhere they do not. One that leaves the section is copied out of that
//! memory by the host (`raised.rs`), with all that it holds.

use super::Lowerer;
use super::builtins::{Invocation, wrong_count};
use super::causes::{CAUSE, OPERANDS, UNKNOWN_CAUSE, UNTOLD};
use super::copies::Frozen;
use super::exception_messages::{Message, UNKNOWN_MESSAGE};
use super::host::Method;
use super::operand::Operand;
use super::raise::{NO_EXCEPTION, NO_OBJECT};
use super::rescue::Caught;
use super::sites::stays;
use crate::ir::{
    BinaryOp, Comparison, ErrorKind, MessagePart, Missing, Receiver, Site, SiteId, UnaryOp, Value,
};
use crate::scalar::Ty;
use crate::syntax::ast::Node;
use crate::types::{ClassId, Type, TypeSet};

/// What it was made with: nil stands for the name of its class.
pub const MESSAGE: &str = "#message";
/// The site that it was raised at first, from 1, and the path to the function there: what its backtrace is.
pub const RAISED: &str = "#raised";
pub const RAISED_PATH: &str = "#raised_path";

/// What Ruby keeps beside the message of a KeyError, a FrozenError, a NameError and where a pattern finds no key: the key
/// or name, the receiver, and the arguments (of an UncaughtThrowError the tag and the value); and a number that tells which of these are there (see [`Fact`]).
pub const SUBJECT: &str = "#subject";
pub const RECEIVER: &str = "#receiver";
pub const ARGUMENTS: &str = "#arguments";
pub const FACTS: &str = "#facts";
/// The classes that keep such.
const KEEPING: &[ClassId] = &[
    ClassId::KEY_ERROR,
    ClassId::FROZEN_ERROR,
    ClassId::NAME_ERROR,
    ClassId::NO_MATCHING_PATTERN_KEY_ERROR,
    ClassId::UNCAUGHT_THROW_ERROR,
];

/// Bits of [`FACTS`].
#[derive(Clone, Copy)]
pub enum Fact {
    /// It was made with a key or a name.
    Subject = 1,
    /// It was made with a receiver.
    Receiver = 2,
    /// Ruby has raised it, and the section does not know what it keeps.
    Unknown = 4,
    /// The host makes the message: it differs between versions.
    Untold = 8,
}

/// Behind these bits stands why there is no such method: [`Missing::number`].
pub const MISSING_SHIFT: u32 = 4;

/// Does Ruby keep more of the exception than a failure at the site tells? One that leaves the section has to have that, so
/// that it is made there as an object, when the section runs again.
pub fn tells_too_little(site: &Site) -> bool {
    site.has_cause || keeps_more_than_told(site)
}

/// The same but for its cause.
pub fn keeps_more_than_told(site: &Site) -> bool {
    match &site.error {
        ErrorKind::NoMethod { receiver, arguments, .. } => *arguments || is_told_by_class(receiver),
        ErrorKind::NameError { receiver, .. } => is_told_by_class(receiver),
        ErrorKind::FrozenMade(_) => true,
        ErrorKind::Raise { class, message: Some(_) } => site.raised.is_by_ruby() && KEEPING.contains(class),
        _ => false,
    }
}

const fn is_told_by_class(receiver: &Receiver) -> bool {
    matches!(receiver, Receiver::Text(_))
}

/// A class, of what is no object yet the message, whether Ruby keeps nothing else of it, and whether it may have a cause.
type Told = (ClassId, Option<Message>, bool, bool);

/// Does `initialize` of such a class, given a text alone, keep it as Exception's does?
pub(crate) const fn keeps_text(owner: ClassId) -> bool {
    matches!(
        owner,
        ClassId::NAME_ERROR
            | ClassId::NO_METHOD_ERROR
            | ClassId::KEY_ERROR
            | ClassId::FROZEN_ERROR
            | ClassId::NO_MATCHING_PATTERN_KEY_ERROR
    )
}

impl Lowerer<'_> {
    pub(crate) fn is_exception(&self, class: ClassId) -> bool {
        self.host.is_subclass(class, ClassId::EXCEPTION)
    }

    /// The variables of a new one.
    pub(super) fn exception_variables(&mut self, class: ClassId) -> Vec<(String, Operand)> {
        let zero = Operand::integer(self.b.i64(0));
        let mut all = vec![(MESSAGE, Operand::nil()), (RAISED, zero.clone()), (RAISED_PATH, zero.clone())];
        if self.keeps_more(class) {
            let none = [SUBJECT, RECEIVER, ARGUMENTS].map(|name| (name, Operand::nil()));
            all.extend(none.into_iter().chain([(FACTS, zero)]));
        }
        if self.keeps_causes() {
            let zero = Operand::integer(self.b.i64(0));
            let others = [UNTOLD, OPERANDS[0], OPERANDS[1]].map(|name| (name, zero.clone()));
            let unknown = self.memo.asks_causes.then_some((UNKNOWN_CAUSE, zero));
            all.extend(others.into_iter().chain([(CAUSE, Operand::nil())]).chain(unknown));
        }
        all.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }

    /// Does Ruby keep more of such exceptions than their message, which an object in a section has, too?
    fn keeps_more(&self, class: ClassId) -> bool {
        KEEPING.iter().any(|keeping| self.host.is_subclass(class, *keeping))
    }

    /// Exception's own `initialize`.
    pub(crate) fn initialize_exception(&mut self, receiver: &Operand, given: &[Operand]) -> Operand {
        match given {
            [] => {}
            [message] => {
                self.write_record(receiver, MESSAGE, message);
            }
            given => return wrong_count(self, given.len(), "0..1"),
        }
        receiver.clone()
    }

    /// The same of those of Ruby's classes that keep more than the message.
    pub(crate) fn initialize_keeping(&mut self, call: &Invocation) -> Operand {
        let class = match call.receiver.types.single() {
            Some(ty) => super::class_of(ty),
            None => return Operand::bottom(),
        };
        let is_a = |of: ClassId| self.host.is_subclass(class, of);
        let (most, keywords): (usize, &[&str]) = match () {
            () if is_a(ClassId::NO_METHOD_ERROR) => (3, &["receiver"]),
            () if is_a(ClassId::NAME_ERROR) => (2, &["receiver"]),
            () if is_a(ClassId::KEY_ERROR) => (1, &["receiver", "key"]),
            () if is_a(ClassId::NO_MATCHING_PATTERN_KEY_ERROR) => (1, &["matchee", "key"]),
            () => (1, &["receiver"]),
        };
        let is_known = |(name, _): &(String, Operand)| keywords.contains(&name.as_str());
        if call.args.len() > most || !call.keywords.iter().all(is_known) {
            return self.refuse_here(
                "unsupported-new",
                "an exception that keeps more than a message is made in a section with what Ruby's documentation names",
                Some("give it a message, and by name the receiver and the key".into()),
            );
        }
        let mut facts = 0;
        let mut given: Vec<(&str, Operand)> =
            [MESSAGE, SUBJECT, ARGUMENTS].into_iter().zip(call.args.iter().cloned()).collect();
        for (name, value) in &call.keywords {
            let (variable, fact) = match name.as_str() {
                "key" => (SUBJECT, Fact::Subject),
                _ => (RECEIVER, Fact::Receiver),
            };
            facts |= fact as i64;
            given.push((variable, value.clone()));
        }
        if facts != 0 {
            given.push((FACTS, Operand::integer(self.b.i64(facts))));
        }
        for (name, value) in given {
            self.write_record(&call.receiver, name, &value);
        }
        call.receiver.clone()
    }

    /// Does the section ask what an exception of Ruby's own keeps beside its message, or has one left it from this line?
    /// Where neither is so, nobody makes an object to keep it, but in a driver that cannot begin anew: one with syncs
    /// makes it of what is `given` where all of that can leave.
    pub(crate) fn keeps_facts(&self, class: ClassId, given: &[&TypeSet]) -> bool {
        self.is_asked_for(class) || self.cannot_begin_anew() && given.iter().all(|types| !stays(types))
    }

    /// Is it a driver's code that is lowered, of a section whose syncs are not to run twice?
    pub(super) fn cannot_begin_anew(&self) -> bool {
        self.memo.has_syncs && self.in_driver
    }

    /// Does the section ask for what such exceptions keep, or has one left it from this line?
    pub(super) fn is_asked_for(&self, class: ClassId) -> bool {
        self.memo.facts.contains(&class) || self.is_told_line()
    }

    fn is_told_line(&self) -> bool {
        !self.told_lines.is_empty() && self.told_lines.contains(&self.line_here())
    }

    /// Fails with an exception of Ruby's own of which it keeps what is `given`.
    pub(crate) fn fail_keeping(
        &mut self,
        class: ClassId,
        message: Vec<MessagePart>,
        operands: &[Value],
        given: &[(&str, Operand)],
    ) -> Operand {
        let types: Vec<&TypeSet> = given.iter().map(|(_, value)| &value.types).collect();
        if !self.keeps_facts(class, &types) {
            return self.fail(ErrorKind::Raise { class, message: Some(message) }, operands);
        }
        let parts = message.clone();
        let message = self.message_of_ruby(class, message, operands);
        // One that leaves the section is told without what it keeps rather than without its message.
        if message.types.contains(&Type::Nil) && !self.memo.facts.contains(&class) {
            let error = ErrorKind::Raise { class, message: Some(parts) };
            let site = self.site(error.clone());
            let is_host_able = error.made_strings() == [false; 2] && self.handler(site).is_none();
            match self.is_asked_for(class) {
                false => return self.fail(error, operands),
                true if is_host_able => return self.raise_told_by_host(class, site, operands, given),
                true => {}
            }
            let name = self.host.class_name(class);
            return self.refuse_here(
                "unsupported-rescue-variable",
                format!("the message of this {name} is not known in a section"),
                Some("give the class of what it tells an `inspect` of its own".into()),
            );
        }
        self.raise_keeping(class, Some(message), None, given)
    }

    /// Raises what nobody in the section rescues, with what it keeps and what the host makes the message of.
    fn raise_told_by_host(
        &mut self,
        class: ClassId,
        site: SiteId,
        operands: &[Value],
        given: &[(&str, Operand)],
    ) -> Operand {
        let zero = self.b.i64(0);
        let mut words = [zero; 2];
        for (word, operand) in words.iter_mut().zip(operands) {
            *word = self.encode_payload(*operand);
        }
        let mut values: Vec<(&str, Operand)> = given.to_vec();
        let (one, at, path) = (self.b.i64(1), self.b.i64(i64::from(site.0) + 1), self.own_path());
        let told = [(UNTOLD, one), (OPERANDS[0], words[0]), (OPERANDS[1], words[1]), (RAISED, at)];
        values.extend(told.into_iter().chain([(RAISED_PATH, path)]).map(|(n, v)| (n, Operand::integer(v))));
        self.raise_keeping(class, None, None, &values)
    }

    /// Raises one of Ruby's own with what it keeps; without a message where the host makes that.
    pub(crate) fn raise_keeping(
        &mut self,
        class: ClassId,
        message: Option<Operand>,
        missing: Option<Missing>,
        given: &[(&str, Operand)],
    ) -> Operand {
        let is_bottom = |value: &Operand| value.is_bottom();
        if given.iter().map(|(_, value)| value).chain(&message).any(is_bottom) || !self.is_in_memory(class) {
            return Operand::bottom();
        }
        let missing = missing.map_or(0, Missing::number);
        let mut facts = if message.is_none() { Fact::Untold as i64 } else { 0 } | missing << MISSING_SHIFT;
        for (name, _) in given {
            facts |= match *name {
                SUBJECT => Fact::Subject as i64,
                RECEIVER => Fact::Receiver as i64,
                _ => 0,
            };
        }
        let mut values = self.hidden_variables(class);
        for (name, value) in &mut values {
            if let Some((_, known)) = given.iter().find(|(known, _)| known == name) {
                *value = known.clone();
            }
            match name.as_str() {
                MESSAGE => *value = message.clone().unwrap_or_else(Operand::nil),
                FACTS => *value = Operand::integer(self.b.i64(facts)),
                _ => {}
            }
        }
        let object = self.make(class, &values);
        if object.is_bottom() {
            return object;
        }
        let site = self.site(ErrorKind::RaiseMade(class));
        if given.iter().any(|(name, _)| *name == RAISED) {
            self.note_cause(&object, class, site);
        }
        self.note_raised(&object, class, site);
        if !self.b.is_dead() {
            self.fail_at(site, &[object.value()]);
        }
        Operand::bottom()
    }

    /// What an exception keeps by that name; what Ruby says where it was made without.
    pub(crate) fn kept_fact(
        &mut self,
        receiver: &Operand,
        name: &str,
        absent: Option<(Fact, &str)>,
    ) -> Operand {
        let Some(class) = receiver.types.single().map(super::class_of) else { return Operand::bottom() };
        self.memo.changed |= self.memo.facts.insert(class);
        let Some(facts) = self.facts(receiver) else { return Operand::bottom() };
        let unknown = self.has_fact(facts, Fact::Unknown);
        let ok = self.b.unary(UnaryOp::Not, unknown);
        let of = self.host.class_name(class);
        let told = format!(
            "what this {of} keeps beside its message is not known in a section [unsupported-rescue-variable]\n  \
             hint: rescue it around the one call that raises it, where what that was given is at hand"
        );
        self.check(ok, ErrorKind::Unsupported(told), &[]);
        if let Some((fact, told)) = absent {
            let ok = self.has_fact(facts, fact);
            self.check(ok, ErrorKind::ArgumentError(told.into()), &[]);
        }
        if self.b.is_dead() {
            return Operand::bottom();
        }
        self.record_variable(receiver, name).unwrap_or_else(Operand::nil)
    }

    /// What one was made with, where that is known.
    pub(crate) fn told_text(&mut self, receiver: &Operand) -> Operand {
        if receiver.types.single().is_some_and(|ty| self.keeps_more(super::class_of(ty))) {
            let Some(facts) = self.facts(receiver) else { return Operand::bottom() };
            let untold = self.has_fact(facts, Fact::Untold);
            let ok = self.b.unary(UnaryOp::Not, untold);
            self.check(ok, ErrorKind::Unsupported(UNKNOWN_MESSAGE.into()), &[]);
            if self.b.is_dead() {
                return Operand::bottom();
            }
        }
        if self.keeps_causes()
            && let Some(untold) = self.record_variable(receiver, UNTOLD)
            && untold.types.single() == Some(&Type::Integer)
        {
            let zero = self.b.i64(0);
            let ok = self.b.compare(Comparison::Eq, untold.value(), zero);
            self.check(ok, ErrorKind::Unsupported(UNKNOWN_MESSAGE.into()), &[]);
            if self.b.is_dead() {
                return Operand::bottom();
            }
        }
        self.record_variable(receiver, MESSAGE).unwrap_or_else(Operand::nil)
    }

    fn facts(&mut self, receiver: &Operand) -> Option<Value> {
        let facts = self.record_variable(receiver, FACTS)?;
        (facts.values.len() == 1).then(|| facts.value())
    }

    fn has_fact(&mut self, facts: Value, fact: Fact) -> Value {
        let (bit, zero) = (self.b.i64(fact as i64), self.b.i64(0));
        let masked = self.b.binary(BinaryOp::And, facts, bit);
        self.b.compare(Comparison::Ne, masked, zero)
    }

    /// Does Ruby keep more of such an exception than its message?
    pub(super) fn has_more(&mut self, class: ClassId) -> bool {
        match self.host.method(class, "initialize") {
            Ok(Some(found)) => {
                found.owner != ClassId::EXCEPTION && matches!(found.method, Method::Native { .. })
            }
            _ => true,
        }
    }

    /// `raise` of a value that was made.
    pub(super) fn raise_made(&mut self, value: &Operand, node: &Node) -> Operand {
        self.enter(node);
        self.switch(value, 34, &mut |s, value| match value.types.single() {
            Some(Type::Made(class)) if s.is_exception(*class) && !s.makes_another(*class) => {
                s.raise_object(&value, node, NO_EXCEPTION)
            }
            Some(Type::Object(_, class)) if s.is_exception(*class) => s.raise_existing(&value, node),
            Some(Type::Module(class)) if s.is_exception(*class) => s.refuse_raise(node),
            _ if s.responds(&value, "to_str") => s.refuse_here(
                "unsupported-raise",
                "`raise` takes what a `to_str` gives for its message",
                Some("give it that: raise text.to_str".into()),
            ),
            _ => s.raise_asked(&value, &[], node),
        })
    }

    /// `raise` of what the `exception` of a value gives.
    pub(super) fn raise_asked(&mut self, value: &Operand, given: &[Operand], node: &Node) -> Operand {
        match value.types.single() {
            Some(Type::Object(_, class)) if self.is_exception(*class) => self.refuse_raise(node),
            _ if self.responds(value, "exception") => {
                let natives = [(Type::Nil, "raise")];
                let made = self.running_natives(&natives, |s| s.send(value, "exception", given, 0xc2));
                self.raise_object(&made, node, NO_OBJECT)
            }
            _ => self.fail_to_raise(NO_EXCEPTION),
        }
    }

    /// A copy of an exception with another message.
    pub(crate) fn copy_with_message(&mut self, exception: &Operand, message: &Operand) -> Operand {
        let Some(Type::Made(class)) = exception.types.single().cloned() else {
            let hint = "make another one: error.class.new(text)";
            return self.refuse_here(
                "unsupported-method",
                "`exception` of one from before the section cannot run in it",
                Some(hint.into()),
            );
        };
        let copy = self.copy_instance(exception, "clone", Frozen::AsIs);
        if copy.is_bottom() || self.b.is_dead() {
            return Operand::bottom();
        }
        self.check_unfrozen_made(&copy, class, "mesg");
        if !self.b.is_dead() {
            self.write_record(&copy, MESSAGE, message);
        }
        copy
    }

    /// `raise` of an exception from before the section, or of what is no exception. What is around it in the section would
    /// know it as none that exists.
    pub(super) fn raise_existing(&mut self, value: &Operand, node: &Node) -> Operand {
        self.enter(node);
        let Some(Type::Object(hierarchy, class)) = value.types.single().cloned() else {
            return self.refuse_raise(node);
        };
        let site = self.site(ErrorKind::RaiseExisting(class, hierarchy));
        if self.makes_another(class) || self.may_have_cause() || self.gives_cause() {
            return self.refuse_raise(node);
        }
        if self.handler(site).is_some() {
            return self.refuse_here(
                "unsupported-raise",
                "an exception from before the section is raised in a `begin` with `rescue` or `ensure`",
                Some("raise it where nothing in the section waits for it, or make another one".into()),
            );
        }
        self.fail_at(site, &[value.value()]);
        Operand::bottom()
    }

    /// Has the class an `exception` of the user's, which `raise` asks what to raise?
    pub(super) fn makes_another(&mut self, class: ClassId) -> bool {
        let found = self.host.method(class, "exception");
        matches!(found, Ok(Some(found)) if !matches!(found.method, Method::Native { .. }))
    }

    /// `raise` of what is raised as it is; `other` tells of what is no exception.
    pub(super) fn raise_object(&mut self, value: &Operand, node: &Node, other: &str) -> Operand {
        self.enter(node);
        self.switch(value, 34, &mut |s, value| {
            let class = match value.types.single() {
                Some(Type::Made(class)) if s.is_exception(*class) => *class,
                Some(Type::Object(_, class)) if s.is_exception(*class) => return s.refuse_raise(node),
                _ => return s.fail_to_raise(other),
            };
            let site = s.site(ErrorKind::RaiseMade(class));
            s.note_raised(&value, class, site);
            if !s.b.is_dead() {
                s.fail_at(site, &[value.value()]);
            }
            Operand::bottom()
        })
    }

    /// Where an exception is raised first its backtrace is from.
    fn note_raised(&mut self, object: &Operand, class: ClassId, site: SiteId) {
        self.memo.changed |= self.memo.raised.insert(class);
        let path = self.own_path();
        let number = self.b.i64(i64::from(site.0) + 1);
        let [known, known_path] =
            [RAISED, RAISED_PATH].map(|name| self.read_made(object.value(), class, name));
        if known.values.len() != 1 || known_path.values.len() != 1 {
            return;
        }
        let zero = self.b.i64(0);
        let is_first = self.b.compare(Comparison::Eq, known.value(), zero);
        self.note_cause(object, class, site);
        if self.b.is_dead() {
            return;
        }
        for (name, now, known) in [(RAISED, number, known), (RAISED_PATH, path, known_path)] {
            let value = self.b.select(is_first, now, known.value());
            self.write_made(object.value(), class, name, &Operand::integer(value));
        }
    }

    /// Nobody rescues what is raised: then it leaves the section, with all that it holds.
    pub(super) fn made_exception_leaves(&mut self, site: SiteId) {
        if let ErrorKind::RaiseMade(class) = self.program.sites[site.0 as usize].error {
            self.can_be_given(&Type::Made(class).into());
        }
    }

    /// The exception that a clause has, as an object.
    pub(super) fn caught_object(&mut self, error: &Caught) -> Operand {
        let mut groups: Vec<(Told, Vec<SiteId>)> = Vec::new();
        for site in &error.sites {
            let Site { error: kind, .. } = self.program.sites[site.0 as usize].clone();
            let Some(class) = super::failing::class_of_error(&kind) else { continue };
            let is_users = self.is_users(*site);
            let message = match kind {
                ErrorKind::RaiseMade(_) => None,
                _ => Some(self.message_at(*site)),
            };
            let is_all =
                !self.has_more(class) || is_users && self.is_of_text(class) && self.says_message(class);
            let has_cause = message.is_some() && self.has_unknown_cause(*site);
            let group = (class, message, is_all, has_cause);
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, sites)) => sites.push(*site),
                None => groups.push((group, vec![*site])),
            }
        }
        let [at, path] = [0, 3].map(|temp| self.temp_get(error.temps[temp]).value());
        self.by_sites(error, &groups, &mut |s, (class, message, is_all, has_cause), operands| {
            let Some(message) = message else {
                let object = s.decode_payload(operands[0], Ty::I32);
                return Operand::one(Type::Made(*class), object);
            };
            let is_untold = *message == Message::Unknown;
            let is_kept = s.keeps_more(*class);
            if !is_kept && (!is_all || is_untold) {
                return s.unknown_exception(*class);
            }
            let message = match message.is_class_name() || is_untold {
                true => Operand::nil(),
                false => s.kept_message(message, operands),
            };
            let unknown = if *is_all { 0 } else { Fact::Unknown as i64 };
            let facts = s.b.i64(unknown | if is_untold { Fact::Untold as i64 } else { 0 });
            if message.is_bottom() {
                return message;
            }
            if !s.is_in_memory(*class) {
                return Operand::bottom();
            }
            let mut values = s.hidden_variables(*class);
            let one = s.b.i64(1);
            let number = s.b.binary(BinaryOp::Add, at, one);
            for (name, value) in &mut values {
                match name.as_str() {
                    MESSAGE => *value = message.clone(),
                    RAISED => *value = Operand::integer(number),
                    RAISED_PATH => *value = Operand::integer(path),
                    FACTS => *value = Operand::integer(facts),
                    UNKNOWN_CAUSE => *value = Operand::integer(s.b.i64((*has_cause).into())),
                    _ => {}
                }
            }
            s.make(*class, &values)
        })
    }

    /// Are objects of the class in memory before `initialize` runs? If not, they are from the next walk on.
    pub(super) fn is_in_memory(&mut self, class: ClassId) -> bool {
        let is_it = self.memo.made.get(&class).is_some_and(|made| made.early);
        if !is_it {
            self.keep_from_beginning(class);
        }
        is_it
    }

    /// Are exceptions of the class, made with a text alone, no more than that?
    pub(super) fn is_of_text(&mut self, class: ClassId) -> bool {
        match self.host.method(class, "initialize") {
            Ok(Some(found)) => matches!(found.method, Method::Ruby(_)) || keeps_text(found.owner),
            _ => false,
        }
    }

    fn unknown_exception(&mut self, class: ClassId) -> Operand {
        let name = self.host.class_name(class);
        let message = format!(
            "a {name} that Ruby raises has more than a message that is known, so that it is no object in a section \
             [unsupported-rescue-variable]\n  hint: ask it for its message or class in the `rescue`, or rescue it apart \
             from others"
        );
        self.fail(ErrorKind::Unsupported(message), &[])
    }
}
