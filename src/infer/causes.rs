//! What an exception was raised for: the `cause`, which is the one that was being handled when it was raised first.
//!
//! Which one is handled at a place is known as it is lowered ([`Lowerer::handled`]), but in a function that is called in
//! a clause: there its caller knows. Nothing is kept of it until one that has a cause leaves the section
//! ([`Site::has_cause`]). Then the section begins anew, as where one leaves of which Ruby keeps more than a failure tells:
//! what is raised at that line is made an object, which holds another one of what is being handled. So the section needs no
//! messages: of what only the host can say, the object keeps the operands ([`UNTOLD`]). The line that has raised the
//! cause is one of those that are told where that has a cause, too, or keeps more.

use super::Lowerer;
use super::branches::Condition;
use super::exceptions::{FACTS, Fact, MESSAGE, RAISED, RAISED_PATH};
use super::failing::class_of_error;
use super::keys::Context;
use super::operand::Operand;
use super::rescue::{Caught, ERROR_WORDS};
use super::sites::stays;
use crate::ir::{BinaryOp, Comparison, ErrorKind, Site, SiteId, Value};
use crate::scalar::Ty;
use crate::syntax::ast::NodeId;
use crate::types::{ClassId, Type};

/// An exception, nil, or false: who called the function where it was raised has the cause.
pub const CAUSE: &str = "#cause";
/// 1 where the host makes the message, of the site and these operands.
pub const UNTOLD: &str = "#untold";
pub const OPERANDS: [&str; 2] = ["#operand", "#other_operand"];

const SLOT_CAUSE: u32 = 0xa10;
const SLOT_RAISED: u32 = 0xa11;
const SLOT_FIRST: u32 = 0xa12;
const SLOT_PASSED: u32 = 0xa13;

/// Where no cause is kept.
#[derive(Debug, Default)]
pub(super) struct Causes {
    /// The `raise` being lowered, where it says `cause: nil`.
    pub without: Option<(Context, NodeId)>,
    /// What an exception tells is being lowered: what fails there would be told, and so on. Functions begin without.
    pub tells: bool,
}

impl Lowerer<'_> {
    /// May what is raised here have a cause?
    pub(super) fn may_have_cause(&self) -> bool {
        let is_without = self.causes.without == Some((self.context, self.node));
        !is_without && (!self.handled.is_empty() || self.is_called_in_clause())
    }

    /// Is it a function that might be called in a clause?
    fn is_called_in_clause(&self) -> bool {
        self.handled.is_empty() && self.detached && self.memo.handles
    }

    /// Does an exception in this section keep its cause, and what the host makes its message of, at all?
    pub(super) fn keeps_causes(&self) -> bool {
        !self.told_lines.is_empty() || self.memo.has_syncs
    }

    /// Is what fails at a site to have its cause? Where it cannot be an object it leaves the section without.
    fn keeps_cause(&mut self, site: SiteId) -> bool {
        if !self.keeps_causes() || self.causes.tells {
            return false;
        }
        let Site { error, has_cause: true, places, .. } = &self.program.sites[site.0 as usize] else {
            return false;
        };
        let Some(class) = class_of_error(error) else { return false };
        let line = places.first().map(|place| (place.path.clone(), place.line));
        let is_told = line.is_some_and(|line| self.told_lines.contains(&line));
        let is_kept = is_told || self.cannot_begin_anew() && self.can_tell_at_once(site);
        is_kept && self.can_be_object(class) && self.causes_can_be_objects()
    }

    /// A driver that cannot begin anew is not to be refused for what the exceptions hold.
    fn can_tell_at_once(&self, site: SiteId) -> bool {
        let causes = self.handled.last().map_or(&[][..], |error| &error.sites);
        causes.iter().chain([&site]).all(|site| match &self.program.sites[site.0 as usize].error {
            ErrorKind::RaiseMade(class) => {
                let made = self.memo.made.get(class);
                made.is_none_or(|made| made.fields.iter().all(|(_, types)| !stays(types)))
            }
            _ => true,
        })
    }

    fn causes_can_be_objects(&mut self) -> bool {
        let sites = self.handled.last().map(|error| error.sites.clone()).unwrap_or_default();
        sites.into_iter().all(|site| {
            let class = class_of_error(&self.program.sites[site.0 as usize].error);
            class.is_none_or(|class| self.can_be_object(class))
        })
    }

    /// Can the host complete an exception of the class?
    fn can_be_object(&mut self, class: ClassId) -> bool {
        !self.has_more(class) || self.is_of_text(class)
    }

    /// What is being handled here, as [`CAUSE`].
    fn cause_here(&mut self) -> Operand {
        match self.handled.last().cloned() {
            Some(error) => {
                let outer = std::mem::replace(&mut self.causes.tells, true);
                let object = self.within_slot(SLOT_CAUSE, |s| s.object_of_handled(&error));
                self.causes.tells = outer;
                object
            }
            None if self.is_called_in_clause() => Operand::bool(self.b.bool(false)),
            None => Operand::nil(),
        }
    }

    /// What a clause has, as an object: the one that its variable is, where that is one.
    fn object_of_handled(&mut self, error: &Caught) -> Operand {
        if let Some((frame, local, version)) = error.variable
            && self.frames[frame].code.error_objects.contains(&local)
            && self.frames[frame].locals[local.0 as usize].version == version
        {
            return self.frames[frame].locals[local.0 as usize].operand.clone();
        }
        let sites: Vec<(SiteId, Vec<SiteId>)> = error.sites.iter().map(|site| (*site, vec![*site])).collect();
        let [at, path] = [0, 3].map(|temp| self.temp_get(error.temps[temp]).value());
        self.by_sites(error, &sites, &mut |s, site, operands| s.object_of(*site, operands, at, path, true))
    }

    /// An exception that was raised at a site, which is the number `at`, as an object; `outside`: nobody in the section asks
    /// it for its message, so that the host makes that where it can.
    fn object_of(
        &mut self,
        site: SiteId,
        operands: [Value; 2],
        at: Value,
        path: Value,
        outside: bool,
    ) -> Operand {
        let Site { error, .. } = self.program.sites[site.0 as usize].clone();
        let Some(class) = class_of_error(&error) else { return Operand::bottom() };
        if let ErrorKind::RaiseMade(class) = error {
            let object = self.decode_payload(operands[0], Ty::I32);
            return Operand::one(Type::Made(class), object);
        }
        let told = self.message_at(site);
        let is_told = told.is_kept() && !(outside && error.made_strings() == [false; 2]);
        let outer = std::mem::replace(&mut self.causes.tells, true);
        let message = match is_told {
            true => self.kept_message(&told, operands),
            false => Operand::nil(),
        };
        self.causes.tells = outer;
        if message.is_bottom() || !self.is_in_memory(class) {
            return Operand::bottom();
        }
        let is_untold = !told.is_class_name() && message.types.contains(&Type::Nil);
        let message = if is_untold { Operand::nil() } else { message };
        let is_all = !self.has_more(class) || self.is_users(site) && self.is_of_text(class);
        let facts = if is_all { 0 } else { Fact::Unknown as i64 };
        let facts = Operand::integer(self.b.i64(facts | if is_untold { Fact::Untold as i64 } else { 0 }));
        let untold = Operand::integer(self.b.i64(is_untold.into()));
        let one = self.b.i64(1);
        let number = Operand::integer(self.b.binary(BinaryOp::Add, at, one));
        let mut values = self.hidden_variables(class);
        for (name, value) in &mut values {
            *value = match name.as_str() {
                MESSAGE => message.clone(),
                RAISED => number.clone(),
                RAISED_PATH => Operand::integer(path),
                FACTS => facts.clone(),
                UNTOLD => untold.clone(),
                name if is_untold && name == OPERANDS[0] => Operand::integer(operands[0]),
                name if is_untold && name == OPERANDS[1] => Operand::integer(operands[1]),
                _ => continue,
            };
        }
        self.make(class, &values)
    }

    /// Has a `raise` of the user's made it, of a text or of nothing?
    pub(super) fn is_users(&self, site: SiteId) -> bool {
        let site = &self.program.sites[site.0 as usize];
        match &site.error {
            ErrorKind::Raise { message, .. } => message.is_none() || !site.raised.is_by_ruby(),
            _ => false,
        }
    }

    /// An exception that is raised for the first time, if `is_first`: it keeps its cause.
    pub(super) fn note_cause(&mut self, object: &Operand, class: ClassId, site: SiteId, is_first: Value) {
        if self.b.is_dead() || !self.keeps_cause(site) {
            return;
        }
        let condition = Condition { value: is_first, yes: vec![], no: vec![] };
        let value = object.value();
        let write = |s: &mut Self| {
            let cause = s.cause_here();
            if cause.is_bottom() {
                return cause;
            }
            s.write_made(value, class, CAUSE, &cause);
            if s.b.is_dead() { Operand::bottom() } else { Operand::nil() }
        };
        self.within_slot(SLOT_FIRST, |s| s.branch(0x3fa, condition, write, |_| Operand::nil()));
    }

    /// Does what fails at a site have to be an object that keeps its cause?
    pub(super) fn fails_with_cause(&mut self, site: SiteId) -> bool {
        !matches!(self.program.sites[site.0 as usize].error, ErrorKind::RaiseMade(_))
            && self.keeps_cause(site)
    }

    /// Fails at such a site.
    pub(super) fn fail_with_cause(&mut self, site: SiteId, operands: &[Value]) {
        if self.b.is_dead() {
            return;
        }
        let [at, zero] = [i64::from(site.0), 0].map(|number| self.b.i64(number));
        let path = self.own_path();
        let mut given = [zero; 2];
        for (given, operand) in given.iter_mut().zip(operands) {
            *given = self.encode_payload(*operand);
        }
        let outside = self.handler(site).is_none();
        let made = self.within_slot(SLOT_RAISED, |s| {
            let object = s.object_of(site, given, at, path, outside);
            if object.is_bottom() {
                return object;
            }
            let cause = s.cause_here();
            if cause.is_bottom() {
                return cause;
            }
            let Some(Type::Made(class)) = object.types.single() else { return Operand::bottom() };
            s.write_made(object.value(), *class, CAUSE, &cause);
            if s.b.is_dead() { Operand::bottom() } else { object }
        });
        if made.is_bottom() {
            return self.b.mark_dead();
        }
        let made_site = self.site_of_object(site);
        self.fail_as_it_is(made_site, &[made.value()]);
    }

    /// The site of the object that an exception of a site has become.
    fn site_of_object(&mut self, site: SiteId) -> SiteId {
        let site = self.program.sites[site.0 as usize].clone();
        let class = class_of_error(&site.error).unwrap_or(ClassId::STANDARD_ERROR);
        self.memo.changed |= self.memo.raised.insert(class);
        self.numbered_site(Site { error: ErrorKind::RaiseMade(class), ..site })
    }

    /// Does what a function raises at one of its sites get its cause where it is called here?
    pub(super) fn gets_cause(&mut self, site: SiteId) -> bool {
        !self.handled.is_empty() && self.keeps_cause(site)
    }

    /// Raises what a function that is called in a clause has given as its error, with the cause.
    pub(super) fn raise_with_cause(&mut self, values: [Value; ERROR_WORDS], sites: &[SiteId]) {
        let (with, without): (Vec<SiteId>, Vec<SiteId>) =
            sites.iter().partition(|site| self.gets_cause(**site));
        for (i, site) in (0..).zip(with) {
            let number = self.b.i64(site.0.into());
            let is_it = self.b.compare(Comparison::Eq, values[0], number);
            let condition = Condition { value: is_it, yes: vec![], no: vec![] };
            self.within_slot(SLOT_PASSED + i, |s| {
                s.branch(0x3fb, condition, |s| s.pass_with_cause(site, values), |_| Operand::nil())
            });
        }
        match without.is_empty() {
            true => self.b.mark_dead(),
            false => self.raise_from(values, &without),
        }
    }

    fn pass_with_cause(&mut self, site: SiteId, values: [Value; ERROR_WORDS]) -> Operand {
        let outside = self.handler(site).is_none();
        let object = self.object_of(site, [values[1], values[2]], values[0], values[3], outside);
        let Some(Type::Made(class)) = object.types.single().cloned() else { return Operand::bottom() };
        if !matches!(self.program.sites[site.0 as usize].error, ErrorKind::RaiseMade(_)) {
            // It was made just now, of what failed in the function.
            let open = Operand::bool(self.b.bool(false));
            self.write_made(object.value(), class, CAUSE, &open);
        }
        let cause = self.cause_here();
        if cause.is_bottom() || self.b.is_dead() {
            return Operand::bottom();
        }
        let done = self.send(&object, "#complete_cause", &[cause], SLOT_CAUSE);
        if done.is_bottom() || self.b.is_dead() {
            return Operand::bottom();
        }
        let made = self.site_of_object(site);
        let [number, zero] = [i64::from(made.0), 0].map(|number| self.b.i64(number));
        let payload = self.encode_payload(object.value());
        self.raise_from([number, payload, zero, values[3]], &[made]);
        Operand::bottom()
    }

    /// [`CAUSE`] of an object.
    pub(crate) fn known_cause(&mut self, object: &Operand) -> Operand {
        self.record_variable(object, CAUSE).unwrap_or_else(Operand::nil)
    }

    pub(crate) fn write_cause(&mut self, object: &Operand, cause: &Operand) -> Operand {
        self.write_record(object, CAUSE, cause);
        if self.b.is_dead() { Operand::bottom() } else { Operand::nil() }
    }
}
