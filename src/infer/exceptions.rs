//! Exceptions that are objects: those that the section makes with `new`, and what a `rescue` has where it does more with
//! it than to ask for message and class. They lie in scratch memory, as other objects that the section makes, with
//! variables that no user can name.

use super::Lowerer;
use super::builtins::{Invocation, wrong_count};
use super::exception_methods::Message;
use super::host::Method;
use super::operand::Operand;
use super::raise::NO_EXCEPTION;
use super::rescue::Caught;
use crate::ir::{Comparison, ErrorKind, Raised, Site, SiteId};
use crate::scalar::Ty;
use crate::syntax::ast::Node;
use crate::types::{ClassId, Type, TypeSet};

/// What it was made with: nil stands for the name of its class.
pub const MESSAGE: &str = "#message";
/// The site that it was raised at first, from 1, and the path to the function there: what its backtrace is.
pub const RAISED: &str = "#raised";
pub const RAISED_PATH: &str = "#raised_path";

/// A class, of what is no object yet the message, and whether Ruby keeps nothing else of it.
type Told = (ClassId, Option<Message>, bool);

/// Does `initialize` of such a class, given a text alone, keep it as Exception's does?
pub(crate) const fn keeps_text(owner: ClassId) -> bool {
    matches!(
        owner,
        ClassId::NAME_ERROR | ClassId::NO_METHOD_ERROR | ClassId::KEY_ERROR | ClassId::FROZEN_ERROR
    )
}

impl Lowerer<'_> {
    pub(crate) fn is_exception(&self, class: ClassId) -> bool {
        self.host.is_subclass(class, ClassId::EXCEPTION)
    }

    /// The variables of a new one.
    pub(super) fn exception_variables(&mut self) -> [(String, Operand); 3] {
        let zero = self.b.i64(0);
        [(MESSAGE, Operand::nil()), (RAISED, Operand::integer(zero)), (RAISED_PATH, Operand::integer(zero))]
            .map(|(name, value)| (name.to_string(), value))
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

    /// The same of those of Ruby's classes that keep more than the message, where they are given no more.
    pub(crate) fn initialize_with_text(&mut self, call: &Invocation) -> Operand {
        if call.args.len() > 1 || !call.keywords.is_empty() {
            return self.refuse_here(
                "unsupported-new",
                "an exception that keeps more than a message is made with a message only in a section",
                Some("leave out the name, the key and the receiver".into()),
            );
        }
        self.initialize_exception(&call.receiver, &call.args)
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
        self.switch(value, 34, &mut |s, value| {
            let class = match value.types.single() {
                Some(Type::Made(class)) if s.is_exception(*class) => *class,
                Some(Type::Object(_, class) | Type::Module(class)) if s.is_exception(*class) => {
                    return s.refuse_raise(node);
                }
                _ if s.responds(&value, "exception") => return s.refuse_raise(node),
                _ => return s.fail(ErrorKind::TypeError(NO_EXCEPTION.into()), &[]),
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
        let path = self.own_path();
        let number = self.b.i64(i64::from(site.0) + 1);
        let [known, known_path] =
            [RAISED, RAISED_PATH].map(|name| self.read_made(object.value(), class, name));
        if known.values.len() != 1 || known_path.values.len() != 1 {
            return;
        }
        let zero = self.b.i64(0);
        let is_first = self.b.compare(Comparison::Eq, known.value(), zero);
        for (name, now, known) in [(RAISED, number, known), (RAISED_PATH, path, known_path)] {
            let value = self.b.select(is_first, now, known.value());
            self.write_made(object.value(), class, name, &Operand::integer(value));
        }
    }

    /// Nobody rescues what is raised: then it leaves the section.
    pub(super) fn made_exception_leaves(&mut self, site: SiteId) {
        let ErrorKind::RaiseMade(class) = self.program.sites[site.0 as usize].error else { return };
        let types = Type::Made(class).into();
        if !self.can_leave(&types) || !self.memo.dead_pairs {
            return;
        }
        // Nobody is there to drop dead pairs.
        let (mut classes, mut kinds) = Default::default();
        self.held_within(&types, &mut classes, &mut kinds);
        let made = classes.into_iter().map(Type::Made);
        let all: Vec<Type> = made.chain(kinds.into_iter().map(Type::List)).collect();
        if all.iter().any(|ty| self.held_by(ty).iter().any(holds_hash)) {
            let class = self.host.class_name(class);
            self.refuse_here(
                "unsupported-result",
                format!("a {class} with a Hash cannot leave a section that takes pairs out of Hashes"),
                Some("give it the pairs: hash.to_a".into()),
            );
        }
    }

    /// The exception that a clause has, as an object.
    pub(super) fn caught_object(&mut self, error: &Caught) -> Operand {
        let mut groups: Vec<(Told, Vec<SiteId>)> = Vec::new();
        for site in &error.sites {
            let Site { error: kind, raised, .. } = self.program.sites[site.0 as usize].clone();
            let Some(class) = super::rescue::class_of_error(&kind) else { continue };
            // A `raise` of the user's has made it of a text, or of nothing.
            let is_users = match &kind {
                ErrorKind::Raise { message, .. } => message.is_none() || raised != Raised::ByRuby,
                _ => false,
            };
            let message = match kind {
                ErrorKind::RaiseMade(_) => None,
                _ => Some(self.message_at(*site)),
            };
            let is_all =
                !self.has_more(class) || is_users && self.is_of_text(class) && self.says_message(class);
            let group = (class, message, is_all);
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, sites)) => sites.push(*site),
                None => groups.push((group, vec![*site])),
            }
        }
        let [at, path] = [0, 3].map(|temp| self.temp_get(error.temps[temp]).value());
        self.by_sites(error, &groups, &mut |s, (class, message, is_all), operands| {
            let Some(message) = message else {
                let object = s.decode_payload(operands[0], Ty::I32);
                return Operand::one(Type::Made(*class), object);
            };
            if !is_all || *message == Message::Unknown {
                return s.unknown_exception(*class);
            }
            let message = match message.is_class_name() {
                true => Operand::nil(),
                false => s.kept_message(message, operands),
            };
            if message.is_bottom() {
                return message;
            }
            if !s.is_in_memory(*class) {
                return Operand::bottom();
            }
            let mut values = s.hidden_variables(*class);
            let one = s.b.i64(1);
            let number = s.b.binary(crate::ir::BinaryOp::Add, at, one);
            for (name, value) in &mut values {
                match name.as_str() {
                    MESSAGE => *value = message.clone(),
                    RAISED => *value = Operand::integer(number),
                    RAISED_PATH => *value = Operand::integer(path),
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

fn holds_hash(types: &TypeSet) -> bool {
    types.iter().any(|ty| {
        ty.is_made_hash() || super::operand::parts(ty).is_some_and(|parts| parts.iter().any(holds_hash))
    })
}
