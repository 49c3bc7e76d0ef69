//! Failures: where the error of a site goes, which is to a clause around it or out of the function.
//!
//! What can fail is an instruction with a site: the error, file, line, label and the inlined callers. The table of
//! sites stays on the host. A failing element records its site, element, tick, path and up to two operands. The lowest
//! (tick, element) wins, which is the error that sequential Ruby raises first when elements are independent. Elements
//! that could still be lower go on; the others end early.

use super::Lowerer;
use super::branches::Condition;
use super::memo::FunctionKey;
use super::operand::Operand;
use super::parallel::Guard;
use super::rescue::{Caught, Clause, ERROR_WORDS, Handler, NO_SITE, Region, SLOT_GUARDED};
use crate::heap::schema::Guarding;
use crate::ir::{Comparison, ErrorKind, KernelId, SiteId, Stmt, UnaryOp, Value};
use crate::scalar::Ty;
use crate::syntax::ast::{Kind, LocalId, Node, Target};
use crate::syntax::walk::each_node_in;
use crate::types::ClassId;

impl Lowerer<'_> {
    /// Fails at a site: where a region waits for its error, that is a jump.
    pub(super) fn fail_at(&mut self, site: SiteId, operands: &[Value]) {
        match self.fails_with_cause(site) {
            true => self.fail_with_cause(site, operands),
            false => self.fail_as_it_is(site, operands),
        }
    }

    pub(super) fn fail_as_it_is(&mut self, site: SiteId, operands: &[Value]) {
        match self.handler(site) {
            Some(handler) => self.jump_to_handler(handler, site, operands),
            None => {
                self.made_exception_leaves(site);
                self.note_escape(site);
                self.b.emit(Stmt::Fail { site, operands: operands.to_vec() });
            }
        }
    }

    /// Fails at a site unless the condition holds.
    pub(super) fn check_at(&mut self, condition: Value, site: SiteId, operands: &[Value]) {
        if !self.b.is_dead() && self.fails_with_cause(site) {
            let condition = Condition { value: condition, yes: vec![], no: vec![] };
            let fail = |s: &mut Self| {
                s.fail_with_cause(site, operands);
                Operand::bottom()
            };
            self.branch(0x3f9, condition, |_| Operand::nil(), fail);
            return;
        }
        match self.handler(site) {
            Some(_) if self.b.is_dead() => {}
            Some(_) if self.b.constant(condition) == Some(0) => self.fail_at(site, operands),
            Some(handler) => {
                let fails = self.b.unary(UnaryOp::Not, condition);
                self.when(fails, |s| s.jump_to_handler(handler, site, operands));
            }
            None => {
                self.note_escape(site);
                self.b.check(condition, site, operands);
            }
        }
    }

    /// The innermost region that the error of a site does not leave, and the clause there.
    pub(super) fn handler(&mut self, site: SiteId) -> Option<(usize, usize)> {
        if self.regions.is_empty() {
            return None;
        }
        let class = class_of_error(&self.program.sites[site.0 as usize].error)?;
        let takes = |(number, region): (usize, &Region)| match &region.handler {
            Handler::Ensure { .. } | Handler::Function { .. } => Some((number, 0)),
            Handler::Rescue(clauses) => {
                let takes = |clause: &Clause| clause.classes.iter().any(|c| self.host.is_subclass(class, *c));
                Some((number, clauses.iter().position(takes)?))
            }
        };
        let all = || self.regions.iter().enumerate().rev();
        all().filter(|(_, region)| !self.is_own_ensure(region)).find_map(takes)?;
        all().find_map(takes)
    }

    /// What Ruby's own methods ensure is of no use where the error leaves the section: nothing is written then.
    fn is_own_ensure(&self, region: &Region) -> bool {
        matches!(&region.handler, Handler::Ensure { .. }) && self.frames[region.around.frame].builtin
    }

    /// Might an error be handled here, or get a cause, by what is known of no error?
    pub(super) fn may_be_handled(&self) -> bool {
        self.memo.asks_causes
            || !self.handled.is_empty()
            || self.regions.iter().any(|region| !self.is_own_ensure(region))
    }

    /// Does a clause of the code around it take the error of a site?
    pub(super) fn is_rescued(&mut self, site: SiteId) -> bool {
        let class = class_of_error(&self.program.sites[site.0 as usize].error);
        class.is_some_and(|class| {
            let clauses = self.regions.iter().filter_map(|region| match &region.handler {
                Handler::Rescue(clauses) => Some(clauses),
                Handler::Ensure { .. } | Handler::Function { .. } => None,
            });
            let mut classes = clauses.flatten().flat_map(|clause| &clause.classes);
            classes.any(|rescued| self.host.is_subclass(class, *rescued))
        })
    }

    /// In a driver: what the code around this place does about errors. What Ruby's own methods ensure has no part in it.
    pub(super) fn guard_in_driver(&self) -> Option<Guard> {
        let mut guard = self.driving.guarded_outside.clone();
        for region in &self.regions {
            match &region.handler {
                Handler::Rescue(clauses) => {
                    guard.rescued.extend(clauses.iter().flat_map(|clause| &clause.classes))
                }
                Handler::Ensure { begin, .. } => {
                    let is_users = !self.frames[region.around.frame].builtin;
                    guard.ensures |=
                        is_users && begin.ensure.as_ref().is_some_and(|code| !only_assigns(code));
                }
                Handler::Function { .. } => {}
            }
        }
        guard.rescued.sort_unstable();
        guard.rescued.dedup();
        self.in_driver.then_some(guard)
    }

    /// The errors of elements that the driver would handle, by kernel: what elements have done until then is lost, as
    /// their order is.
    pub(super) fn guarded_sites(&self) -> Vec<(KernelId, SiteId, Guarding)> {
        let mut all = Vec::new();
        for (kernel, guard) in &self.driving.guards {
            for (number, site) in (0..).zip(&self.program.sites) {
                let Some(class) = class_of_error(&site.error) else { continue };
                if guard.rescued.iter().any(|rescued| self.host.is_subclass(class, *rescued)) {
                    all.push((*kernel, SiteId(number), Guarding::Rescue));
                } else if guard.ensures {
                    all.push((*kernel, SiteId(number), Guarding::Ensure));
                }
            }
        }
        all
    }

    fn jump_to_handler(&mut self, handler: (usize, usize), site: SiteId, operands: &[Value]) {
        let number = self.b.i64(site.0.into());
        let zero = self.b.i64(0);
        let mut values = [number, zero, zero, self.own_path()];
        for (value, operand) in values[1..3].iter_mut().zip(operands) {
            *value = self.encode_payload(*operand);
        }
        self.jump_with(handler, &[site], values);
    }

    /// Jumps to a handler with an error: where it was raised, one of `sites`, and its operands.
    fn jump_with(
        &mut self,
        (region, clause): (usize, usize),
        sites: &[SiteId],
        values: [Value; ERROR_WORDS],
    ) {
        if sites.iter().any(|site| self.program.sites[site.0 as usize].error.refers_to_scratch()) {
            // What it tells is needed behind the loops that it leaves.
            self.note_keeping();
        }
        let (join, error, escapes) = match &mut self.regions[region].handler {
            Handler::Ensure { passing, error, .. } => (*passing, error, false),
            Handler::Rescue(clauses) => (clauses[clause].join, &mut clauses[clause].error, false),
            Handler::Function { failed, error } => (*failed, error, true),
        };
        let temps = error.temps;
        for site in sites {
            if !error.sites.contains(site) {
                error.sites.push(*site);
            }
        }
        if escapes {
            sites.iter().for_each(|site| self.note_escape(*site));
        }
        let before = temps.map(|temp| self.temp_value(temp));
        for (temp, value) in temps.into_iter().zip(values) {
            self.temp_set(temp, Operand::integer(value));
        }
        self.jump(join, None);
        // What follows a check does not see them.
        for (temp, slot) in temps.into_iter().zip(before) {
            self.set_temp_value(temp, slot);
        }
    }

    /// Raises an error that was stopped on its way, as it was.
    pub(super) fn raise_again(&mut self, error: &Caught) -> Operand {
        if !self.b.is_dead() {
            let values = error.temps.map(|temp| self.temp_get(temp).value());
            self.raise_from(values, &error.sites);
        }
        Operand::bottom()
    }

    /// Raises the error of the site whose number is a value, one of `sites`.
    pub(super) fn raise_from(&mut self, values: [Value; ERROR_WORDS], sites: &[SiteId]) {
        let Some((last, others)) = sites.split_last() else { return self.b.mark_dead() };
        if let Some(handler) = self.handler(*last)
            && others.iter().all(|site| self.handler(*site) == Some(handler))
            && !sites.iter().any(|site| self.rescues_thrown(*site, handler))
        {
            return self.jump_with(handler, sites, values);
        }
        for other in others {
            let number = self.b.i64(other.0.into());
            let is_it = self.b.compare(Comparison::Eq, values[0], number);
            self.when(is_it, |s| s.raise_at(*other, values));
        }
        self.raise_at(*last, values);
    }

    fn raise_at(&mut self, site: SiteId, values: [Value; ERROR_WORDS]) {
        if let Some(handler) = self.handler(site) {
            if self.rescues_thrown(site, handler) {
                self.refuse_to_rescue_thrown();
                return;
            }
            return self.jump_with(handler, &[site], values);
        }
        self.made_exception_leaves(site);
        self.note_escape(site);
        if !self.functions.is_empty() {
            self.b.emit(Stmt::Path(values[3]));
        }
        self.b.emit(Stmt::Fail { site, operands: values[1..3].to_vec() });
    }

    /// Does a clause take what a function has thrown, which did not know of the clause?
    fn rescues_thrown(&self, site: SiteId, (region, _): (usize, usize)) -> bool {
        matches!(self.regions[region].handler, Handler::Rescue(_)) && self.is_thrown(site)
    }

    /// The path to the function being lowered.
    pub(super) fn own_path(&mut self) -> Value {
        if self.function.is_some() { self.b.path() } else { self.b.i64(0) }
    }

    /// An error leaves the function being lowered: who calls it may have to know.
    pub(super) fn note_escape(&mut self, site: SiteId) {
        let Some(function) = &self.function else { return };
        let site = &self.program.sites[site.0 as usize];
        if class_of_error(&site.error).is_none() {
            return;
        }
        let key = FunctionKey { guarded: false, ..function.key.clone() };
        self.memo.failures_grew |= self.memo.failures.grow(&key, |known| {
            let is_new = !known.contains(site);
            if is_new {
                known.push(site.clone());
            }
            is_new
        });
        self.memo.note_failures();
    }

    /// Raises what a guarded function, which can raise at `sites`, gave as its error.
    pub(super) fn unless_failed(&mut self, error: &[Value], sites: &[SiteId]) {
        let error = [error[0], error[1], error[2], error[3]];
        let none = self.b.i64(NO_SITE);
        let failed = self.b.compare(Comparison::Ne, error[0], none);
        if sites.iter().any(|site| self.gets_cause(*site)) {
            let condition = Condition { value: failed, yes: vec![], no: vec![] };
            let raise = |s: &mut Self| {
                s.raise_with_cause(error, sites);
                Operand::bottom()
            };
            self.branch(0x3f8, condition, raise, |_| Operand::nil());
            return;
        }
        self.when(failed, |s| s.raise_from(error, sites));
    }

    /// Makes the body of a guarded function of that of one that fails.
    pub(super) fn giving_errors(
        &mut self,
        key: &FunctionKey,
        written: &[(usize, LocalId)],
        body: impl FnOnce(&mut Self) -> (Vec<Ty>, Vec<Value>),
    ) {
        let error = self.caught();
        let mut types = vec![Ty::I64; error.temps.len()];
        self.labelled(SLOT_GUARDED, false, |s, failed| {
            let handler = Handler::Function { failed, error: error.clone() };
            let (joins, around) = (s.joins.len(), s.around());
            s.regions.push(Region { handler, joins, around });
            let (scalars, mut values) = body(s);
            s.give_back(key, written, &mut Vec::new(), &mut values);
            s.regions.pop();
            let (none, zero) = (s.b.i64(NO_SITE), s.b.i64(0));
            s.b.emit(Stmt::Return([&[none, zero, zero, zero], &values[..]].concat()));
            types.extend(scalars);
            Operand::bottom()
        });
        if self.b.is_dead() {
            self.give_back(key, written, &mut types, &mut Vec::new());
            return self.b.set_results(&types);
        }
        let mut values = error.temps.map(|temp| self.temp_get(temp).value()).to_vec();
        values.extend(types[values.len()..].iter().map(|ty| self.b.zero(*ty)));
        self.give_back(key, written, &mut types, &mut values);
        self.b.set_results(&types);
        self.b.emit(Stmt::Return(values));
    }
}

/// What a guarded function gives: an error, and what else it would give.
pub(super) fn guarded_results(results: &[Ty]) -> Vec<Ty> {
    [&[Ty::I64; ERROR_WORDS], results].concat()
}

/// The class of the exception that Ruby would raise; `None` where it would raise none.
/// Does a code do nothing but assign what it knows? Of what a section changes that an error ends, nobody sees anything.
fn only_assigns(code: &Node) -> bool {
    let mut only = true;
    each_node_in(code, &mut |node| {
        only &= match &node.kind {
            Kind::Assign { target, .. } => {
                matches!(
                    **target,
                    Target::Local(..) | Target::Ivar(..) | Target::Global(..) | Target::ClassVariable(..)
                )
            }
            Kind::Nil
            | Kind::True
            | Kind::False
            | Kind::SelfRef
            | Kind::Integer(_)
            | Kind::Float(_)
            | Kind::Symbol(_) => true,
            Kind::Local(_) | Kind::Ivar(_) | Kind::Global(_) | Kind::ClassVariable(_) | Kind::Sequence(_) => {
                true
            }
            _ => false,
        };
    });
    only
}

pub(super) const fn class_of_error(error: &ErrorKind) -> Option<ClassId> {
    Some(match error {
        ErrorKind::ZeroDivision => ClassId::ZERO_DIVISION_ERROR,
        ErrorKind::NoMethod { .. } => ClassId::NO_METHOD_ERROR,
        ErrorKind::NameError { .. } => ClassId::NAME_ERROR,
        ErrorKind::UncaughtThrow { .. } => ClassId::UNCAUGHT_THROW_ERROR,
        ErrorKind::RaiseExisting(class, _) => *class,
        ErrorKind::TypeError(_) | ErrorKind::AboutOperand { type_error: true, .. } => ClassId::TYPE_ERROR,
        ErrorKind::ArgumentError(_) | ErrorKind::AboutOperand { .. } => ClassId::ARGUMENT_ERROR,
        ErrorKind::FloatDomain => ClassId::FLOAT_DOMAIN_ERROR,
        ErrorKind::FloatIndex => ClassId::RANGE_ERROR,
        ErrorKind::MathDomain(_) => ClassId::MATH_DOMAIN_ERROR,
        ErrorKind::Frozen(_) | ErrorKind::FrozenArray(_) | ErrorKind::FrozenMade(_) => ClassId::FROZEN_ERROR,
        ErrorKind::IndexTooSmall | ErrorKind::FetchIndex => ClassId::INDEX_ERROR,
        ErrorKind::Raise { class, .. } | ErrorKind::RaiseMade(class) => *class,
        ErrorKind::StackTooDeep => ClassId::SYSTEM_STACK_ERROR,
        ErrorKind::Overflow { .. }
        | ErrorKind::ArrayGrowth
        | ErrorKind::Range(_)
        | ErrorKind::NewSymbol
        | ErrorKind::NewPattern
        | ErrorKind::NewName
        | ErrorKind::ScratchFull
        | ErrorKind::ResultFull
        | ErrorKind::ArraysFull(_)
        | ErrorKind::Unsupported(_)
        | ErrorKind::Race { .. } => return None,
    })
}
