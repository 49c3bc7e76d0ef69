//! What an exception was raised for: the `cause`, which is the one that was being handled when it was raised first.
//!
//! Which one is handled at a place is known as it is lowered ([`Lowerer::handled`]), but in a function that is called in
//! a clause: there its caller knows. Nothing is kept of it until one that has a cause leaves the section
//! ([`Site::has_cause`]). Then the section begins anew, as where one leaves of which Ruby keeps more than a failure tells:
//! what is raised at that line is made an object, which holds another one of what is being handled. So the section needs no
//! messages where nobody asks for them: of what only the host can say, the object keeps the operands ([`UNTOLD`]). The line that has raised the
//! cause is one of those that are told where that has a cause, too, or keeps more.
//!
//! A section that asks for a `cause`, or gives one (`cause:`), keeps all of them (`Memo::asks_causes`): what a clause handles is
//! one object then for all that is raised in it. Where nothing is handled in the section the cause is what is handled
//! around it (`$!`, a root).

use super::branches::Condition;
use super::exceptions::{FACTS, Fact, MESSAGE, RAISED, RAISED_PATH};
use super::failing::class_of_error;
use super::host::RootKey;
use super::operand::Operand;
use super::rescue::{Caught, ERROR_WORDS};
use super::sites::stays;
use super::{Lowerer, Temp};
use crate::ir::{BinaryOp, Comparison, ErrorKind, Site, SiteId, Value};
use crate::scalar::Ty;
use crate::syntax::ast::{Call, Kind, Node, NodeId, StringPart};
use crate::syntax::walk::{assigned_by, each_node_in};
use crate::types::{ClassId, Type};

/// An exception, nil, or false: who called the function where it was raised has the cause.
pub const CAUSE: &str = "#cause";
/// 1 where the host makes the message, of the site and these operands.
pub const UNTOLD: &str = "#untold";
pub const OPERANDS: [&str; 2] = ["#operand", "#other_operand"];

/// 1 where it has one, maybe, which the section does not know.
pub(super) const UNKNOWN_CAUSE: &str = "#unknown_cause";

const SLOT_CAUSE: u32 = 0xa10;
const SLOT_RAISED: u32 = 0xa11;
const SLOT_FIRST: u32 = 0xa12;
const SLOT_PASSED: u32 = 0xa13;
const SLOT_HANDLED: u32 = 0xa16;

const UNKNOWN: &str = "the cause of this exception is not known in a section [unsupported-rescue-variable]\n  hint: rescue what it \
     was raised for apart from others, and keep in a variable what you want of that";
const AROUND: &str = "the cause of this exception is what is handled around the section, which is not known in it \
     [unsupported-rescue-variable]\n  hint: ask for it outside: begin the section behind the `rescue`";
const CALLER: &str = "the cause of this exception is what was being handled where a method was called that calls itself, which is \
     not known in it [unsupported-rescue-variable]\n  hint: rescue it where that method is called";

/// What they keep, the host finds as it completes them (`Completion::OWN_TEXTS`).
const INITIALIZED_OUTSIDE: [&str; 3] = ["Interrupt", "SystemCallError", "SystemExit"];

/// Where no cause is kept.
#[derive(Debug, Default)]
pub(super) struct Causes {
    /// The `raise` being lowered, where it says `cause: nil`, and how many frames there are.
    pub without: Option<(usize, NodeId)>,
    /// The one being lowered that says `cause: error`, and what that is.
    pub given: Option<(usize, NodeId, Operand)>,
    /// What an exception tells is being lowered: what fails there would be told, and so on. Functions begin without.
    pub tells: bool,
}

impl Lowerer<'_> {
    /// May what is raised here have a cause?
    pub(super) fn may_have_cause(&self) -> bool {
        self.given_cause().is_some()
            || !self.says_no_cause() && (!self.handled.is_empty() || self.is_called_in_clause())
    }

    /// Is it a `raise` that says `cause: nil`?
    pub(super) fn says_no_cause(&self) -> bool {
        self.causes.without == Some((self.frames.len(), self.node))
    }

    /// What the `raise` that is lowered gives as the cause.
    fn given_cause(&self) -> Option<&Operand> {
        let (frames, node, cause) = self.causes.given.as_ref()?;
        (*frames == self.frames.len() && *node == self.node).then_some(cause)
    }

    pub(super) fn gives_cause(&self) -> bool {
        self.causes.given.is_some()
    }

    /// From the next walk on exceptions keep their causes; true where they do.
    pub(super) fn ask_causes(&mut self) -> bool {
        if !self.memo.asks_causes {
            self.memo.asks_causes = true;
            self.memo.restart = true;
            self.memo.changed |= true;
            self.b.mark_dead();
            return false;
        }
        true
    }

    /// What is handled around the section, or nil.
    pub(super) fn handled_around(&mut self) -> Operand {
        self.root(&RootKey::Global("$!".into())).unwrap_or_else(Operand::nil)
    }

    /// Is nothing handled around the section?
    fn is_alone(&mut self) -> bool {
        self.handled_around().types.iter().all(|ty| *ty == Type::Nil)
    }

    /// `Exception#cause`.
    pub(crate) fn asked_cause(&mut self, exception: &Operand) -> Operand {
        if !self.ask_causes() {
            return Operand::bottom();
        }
        let around = self.handled_around();
        let Some(unknown) = self.record_variable(exception, UNKNOWN_CAUSE) else { return Operand::bottom() };
        let Some(cause) = self.record_variable(exception, CAUSE) else { return Operand::bottom() };
        if around.is_bottom() || cause.is_bottom() || unknown.values.len() != 1 {
            return Operand::bottom();
        }
        let zero = self.b.i64(0);
        let known = self.b.compare(Comparison::Eq, unknown.value(), zero);
        self.check(known, ErrorKind::Unsupported(UNKNOWN.into()), &[]);
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let is_alone = around.types.single() == Some(&Type::Nil);
        self.switch(&cause, 0xa14, &mut |s, cause| match cause.types.single() {
            Some(Type::Nil) if !is_alone => s.fail(ErrorKind::Unsupported(AROUND.into()), &[]),
            _ if cause.types.contains(&Type::False) => s.fail(ErrorKind::Unsupported(CALLER.into()), &[]),
            _ => cause,
        })
    }

    /// `raise …, cause: error`, where that is no nil.
    pub(super) fn raise_with_given(&mut self, node: &Node, call: &Call, cause: &Node) -> Operand {
        let is_local = matches!(cause.kind, Kind::Local(_));
        let assigns = |node: &Node| {
            let mut assigns = false;
            each_node_in(node, &mut |node| assigned_by(&node.kind, &mut |_| assigns = true));
            assigns
        };
        // It is evaluated before the rest, and Ruby does so behind that.
        if !call.args.iter().all(is_plain) && (!is_local || call.args.iter().any(assigns)) {
            self.enter(node);
            return self.refuse_here(
                "unsupported-raise",
                "what `cause:` is computed of stands behind what is computed, too",
                Some("take it into a variable before: cause = …; raise Error.new(…), cause: cause".into()),
            );
        }
        let cause = self.expr(cause);
        self.enter(node);
        if cause.is_bottom() || !self.ask_causes() {
            return Operand::bottom();
        }
        self.switch(&cause, 0xa15, &mut |s, cause| {
            let at = (s.frames.len(), node.id);
            match cause.types.single() {
                Some(Type::Nil) => {
                    let outer = s.causes.without.replace(at);
                    let raised = s.raise_what(node, call);
                    s.causes.without = outer;
                    raised
                }
                Some(Type::Made(class)) if s.is_exception(*class) => {
                    let outer = s.causes.given.replace((s.frames.len(), node.id, cause));
                    let raised = s.raise_what(node, call);
                    s.causes.given = outer;
                    raised
                }
                Some(Type::Object(_, class)) if s.is_exception(*class) => s.refuse_here(
                    "unsupported-raise",
                    "an exception from before the section cannot be the cause of one in it",
                    Some("raise it behind the section, with what the section has found".into()),
                ),
                _ => s.fail(ErrorKind::TypeError("exception object expected".into()), &[]),
            }
        })
    }

    /// An exception of such a site that is made an object later: does nobody know then what its cause is?
    pub(super) fn has_unknown_cause(&self, site: SiteId) -> bool {
        self.memo.asks_causes && self.program.sites[site.0 as usize].has_cause
    }

    /// What a clause or `ensure` handles, as the one object that it is for all that is raised there.
    pub(super) fn object_as_cause(&mut self, error: &Caught) -> Option<Temp> {
        let is_wanted = self.memo.asks_causes && !self.causes.tells && !self.b.is_dead();
        if !is_wanted || !self.sites_can_be_objects(&error.sites) {
            return None;
        }
        let outer = std::mem::replace(&mut self.causes.tells, true);
        let object = self.within_slot(SLOT_HANDLED, |s| s.object_of_handled(error));
        self.causes.tells = outer;
        (!object.is_bottom()).then(|| self.temp(object))
    }

    /// Is it a function that might be called in a clause?
    fn is_called_in_clause(&self) -> bool {
        self.handled.is_empty() && self.detached && self.memo.handles
    }

    /// Does an exception in this section keep its cause, and what the host makes its message of, at all?
    pub(super) fn keeps_causes(&self) -> bool {
        !self.told_lines.is_empty() || self.memo.has_syncs || self.memo.asks_causes
    }

    /// Is what fails at a site to have its cause? Where one of them cannot be an object it leaves the section without.
    fn keeps_cause(&mut self, site: SiteId) -> bool {
        if !self.keeps_causes() || self.causes.tells {
            return false;
        }
        let site_here = &self.program.sites[site.0 as usize];
        let Site { error, has_cause: true, .. } = site_here else { return false };
        let Some(class) = class_of_error(error) else { return false };
        let is_thrown = matches!(error, ErrorKind::RaiseMade(ClassId::UNCAUGHT_THROW_ERROR));
        // Functions of built-ins have one line, which is nobody's.
        let (path, line) = site_here.place();
        let is_told = self.told_lines.contains(&(path.to_string(), line));
        let is_kept =
            is_told || self.memo.asks_causes || self.cannot_begin_anew() && self.can_tell_at_once(site);
        is_kept
            && (is_thrown || self.can_be_object(class))
            && (is_told && !self.memo.asks_causes
                || self.given_cause().is_some()
                || self.causes_can_be_objects())
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
        self.sites_can_be_objects(&sites)
    }

    fn sites_can_be_objects(&mut self, sites: &[SiteId]) -> bool {
        sites.iter().all(|site| self.site_can_be_object(*site))
    }

    fn site_can_be_object(&mut self, site: SiteId) -> bool {
        match self.program.sites[site.0 as usize].error {
            // It is one. Of what is thrown nobody knows whether a `catch` around the section waits for it.
            ErrorKind::RaiseMade(class) => class != ClassId::UNCAUGHT_THROW_ERROR,
            ref error => class_of_error(error).is_none_or(|class| self.can_be_object(class)),
        }
    }

    /// Can the host complete an exception of the class?
    fn can_be_object(&mut self, class: ClassId) -> bool {
        !self.has_more(class) || self.is_of_text(class) || self.is_initialized_outside(class)
    }

    /// Is it of a class of Ruby's own that keeps more than its message, which a text alone says?
    pub(super) fn is_initialized_outside(&mut self, class: ClassId) -> bool {
        match self.host.method(class, "initialize") {
            Ok(Some(found)) => INITIALIZED_OUTSIDE.contains(&&*self.host.class_name(found.owner)),
            _ => false,
        }
    }

    /// What is being handled here, as [`CAUSE`].
    fn cause_here(&mut self) -> Operand {
        if let Some(given) = self.given_cause() {
            return given.clone();
        }
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

    /// The object that a clause has already made of what it handles: the one that its variable is, where that is one.
    pub(super) fn known_object(&mut self, error: &Caught) -> Option<Operand> {
        if let Some(object) = error.object {
            return Some(self.temp_get(object));
        }
        let (frame, local, version) = error.variable?;
        let is_object = self.frames[frame].code.error_objects.contains(&local)
            && self.frames[frame].locals[local.0 as usize].version == version;
        is_object.then(|| self.frames[frame].locals[local.0 as usize].operand.clone())
    }

    /// What a clause has, as an object.
    fn object_of_handled(&mut self, error: &Caught) -> Operand {
        if let Some(object) = self.known_object(error) {
            return object;
        }
        let sites: Vec<(SiteId, Vec<SiteId>)> = error.sites.iter().map(|site| (*site, vec![*site])).collect();
        let [at, path] = [0, 3].map(|temp| self.temp_get(error.temps[temp]).value());
        let outside = !self.memo.asks_causes;
        self.by_sites(error, &sites, &mut |s, site, operands| {
            if !s.site_can_be_object(*site) {
                return Operand::nil();
            }
            let object = s.object_of(*site, operands, at, path, outside);
            let is_made = matches!(s.program.sites[site.0 as usize].error, ErrorKind::RaiseMade(_));
            if let (true, Some(Type::Made(class))) =
                (!is_made && s.has_unknown_cause(*site), object.types.single())
            {
                let one = Operand::integer(s.b.i64(1));
                s.write_made(object.value(), *class, UNKNOWN_CAUSE, &one);
            }
            object
        })
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
        let is_all = !self.has_more(class)
            || self.is_users(site) && (self.is_of_text(class) || self.is_initialized_outside(class));
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

    /// An exception that is raised, and has no cause yet: it gets one. What `cause:` gives it takes the place of that which
    /// it has.
    pub(super) fn note_cause(&mut self, object: &Operand, class: ClassId, site: SiteId) {
        if self.b.is_dead() {
            return;
        }
        let given = self.given_cause().cloned();
        let is_kept = self.keeps_cause(site);
        if let Some(cause) = given {
            match is_kept {
                true => self.send(object, "#give_cause", &[cause], SLOT_FIRST),
                false => self.refuse_given(),
            };
            return;
        }
        let is_unknown = !is_kept && self.has_unknown_cause(site);
        if !is_kept && !is_unknown {
            return;
        }
        let value = object.value();
        let known = self.read_made(value, class, CAUSE);
        if known.is_bottom() {
            return;
        }
        let mut has_none = self.is_type(&known, &Type::Nil);
        if !self.is_alone() {
            // Raised already it has what is handled around the section, if it did not say that it has none.
            if self.program.sites.iter().any(|site| site.no_cause) {
                self.refuse_here(
                    "unsupported-raise",
                    "whether an exception that is raised again has a cause is not known where something is handled \
                     around the section, and some have none",
                    Some("begin the section behind the `rescue`".into()),
                );
                return;
            }
            let raised = self.read_made(value, class, RAISED);
            if raised.values.len() != 1 {
                return;
            }
            let zero = self.b.i64(0);
            let is_first = self.b.compare(Comparison::Eq, raised.value(), zero);
            has_none = self.b.binary(BinaryOp::AndB, has_none, is_first);
        }
        let condition = Condition { value: has_none, yes: vec![], no: vec![] };
        let write = |s: &mut Self| {
            if is_unknown {
                let one = Operand::integer(s.b.i64(1));
                s.write_made(value, class, UNKNOWN_CAUSE, &one);
                return if s.b.is_dead() { Operand::bottom() } else { Operand::nil() };
            }
            let cause = s.cause_here();
            if cause.is_bottom() {
                return cause;
            }
            s.send(object, "#first_cause", &[cause], SLOT_FIRST)
        };
        self.within_slot(SLOT_FIRST, |s| s.branch(0x3fa, condition, write, |_| Operand::nil()));
    }

    fn refuse_given(&mut self) -> Operand {
        self.refuse_here(
            "unsupported-raise",
            "such an exception cannot be given a `cause:` in a section, which does not know all that Ruby keeps of it",
            Some("raise one of another class, as RuntimeError or one of your own".into()),
        )
    }

    /// Does what fails at a site have to be an object that keeps its cause?
    pub(super) fn fails_with_cause(&mut self, site: SiteId) -> bool {
        if matches!(self.program.sites[site.0 as usize].error, ErrorKind::RaiseMade(_)) {
            return false;
        }
        let keeps = self.keeps_cause(site);
        let is_rubys = class_of_error(&self.program.sites[site.0 as usize].error).is_some();
        if is_rubys && !keeps && self.given_cause().is_some() && !self.causes.tells {
            self.refuse_given();
        }
        keeps
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
    pub(super) fn site_of_object(&mut self, site: SiteId) -> SiteId {
        let site = self.program.sites[site.0 as usize].clone();
        let class = class_of_error(&site.error).unwrap_or(ClassId::STANDARD_ERROR);
        self.memo.changed |= self.memo.raised.insert(class);
        self.numbered_site(Site { error: ErrorKind::RaiseMade(class), ..site })
    }

    /// Does what a function raises at one of its sites get its cause where it is called here?
    pub(super) fn gets_cause(&mut self, site: SiteId) -> bool {
        // That there is none is told as well, where exceptions are asked for it.
        let is_known = !self.handled.is_empty() || self.memo.asks_causes && !self.is_called_in_clause();
        is_known && self.keeps_cause(site)
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

/// Does nothing happen where it is evaluated?
fn is_plain(node: &Node) -> bool {
    match &node.kind {
        Kind::Constant { .. } | Kind::Local(_) | Kind::SelfRef | Kind::Nil => true,
        Kind::String(parts) => {
            parts.iter().all(|part| matches!(part, StringPart::Text(_) | StringPart::Frozen(_)))
        }
        _ => false,
    }
}
