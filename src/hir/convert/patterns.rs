//! Pattern matching: tests and bindings, from left to right. What does not match leads to the next clause, with what is
//! bound already.

use super::super::builder::Goal;
use super::super::code::{Keys, Name, Source, Value};
use super::super::op::{Op, Position, Reason};
use super::{Converter, goal};
use crate::syntax::ast::{InClause, LocalId, Node, Pattern, PatternKind, Target};
use crate::syntax::walk::{Part, each_part_of_pattern, locals_of_pattern};

/// What a pattern that does not match leads to.
#[derive(Clone, Copy)]
enum Miss {
    Goal(Goal),
    /// NoMatchingPatternError, of a `case` with that subject.
    Raise(Value, Source),
}

/// What `deconstruct` has given for a subject, which is asked for once: nil where it was not asked yet, false where there
/// is no such method.
#[derive(Clone, Copy)]
struct Memo {
    local: LocalId,
    /// It was asked on all ways to here.
    is_asked: bool,
}

impl Memo {
    /// Where a pattern does not match.
    fn behind(self, pattern: &Pattern) -> Self {
        Self { is_asked: self.is_asked || asks_at_once(pattern), ..self }
    }
}

fn asks_at_once(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Array { constant, .. } | PatternKind::Find { constant, .. } => constant.is_none(),
        PatternKind::Capture(first, _) | PatternKind::Either(first, _) => asks_at_once(first),
        _ => false,
    }
}

/// How many patterns in it ask its subject for `deconstruct`?
fn asking(pattern: &Pattern) -> usize {
    match &pattern.kind {
        PatternKind::Array { .. } | PatternKind::Find { .. } => 1,
        PatternKind::Capture(inner, _) => asking(inner),
        PatternKind::Either(left, right) => asking(left) + asking(right),
        _ => 0,
    }
}

impl<'a> Converter<'_, 'a> {
    /// For patterns of one subject, of which several ask it.
    fn memo<'p>(&mut self, patterns: impl Iterator<Item = &'p Pattern>) -> Option<Memo> {
        let asking: usize = patterns.map(asking).sum();
        let nil = (asking > 1).then(|| self.emit(Op::Nil))?;
        Some(Memo { local: self.builder.hidden_local(nil), is_asked: false })
    }

    pub(super) fn case_in(
        &mut self,
        subject: &'a Node,
        clauses: &'a [InClause],
        otherwise: Option<&'a Node>,
        wanted: bool,
    ) -> Option<Value> {
        let source = self.builder.source;
        let subject = self.value(subject);
        if let ([only], None) = (clauses, otherwise) {
            let miss = Miss::Raise(subject, source);
            let memo = self.memo(std::iter::once(&only.pattern));
            self.pattern(&only.pattern, subject, memo, miss);
            self.guard(only, miss);
            return self.eval(&only.body, wanted);
        }
        let end = self.join();
        let mut memo = self.memo(clauses.iter().map(|clause| &clause.pattern));
        for clause in clauses {
            let next = self.join();
            let miss = Miss::Goal(goal(next));
            self.pattern(&clause.pattern, subject, memo, miss);
            memo = memo.map(|memo| memo.behind(&clause.pattern));
            self.guard(clause, miss);
            self.arm(&clause.body, end, wanted);
            self.builder.enter(next);
        }
        match otherwise {
            Some(otherwise) => self.arm(otherwise, end, wanted),
            None => {
                self.emit(Op::NoMatch { subject, reason: Reason::Clauses });
            }
        }
        self.builder.enter(end)
    }

    fn guard(&mut self, clause: &'a InClause, miss: Miss) {
        let Some(guard) = &clause.guard else { return };
        let yes = self.join();
        match miss {
            Miss::Goal(miss) => self.condition(guard, goal(yes), miss),
            Miss::Raise(..) => {
                let no = self.join();
                self.condition(guard, goal(yes), goal(no));
                self.builder.enter(no);
                self.missed(miss, Reason::Guard);
            }
        }
        self.builder.enter(yes);
    }

    /// `value in pattern`
    pub(super) fn matches(&mut self, value: &'a Node, pattern: &'a Pattern) -> Value {
        let end = self.join();
        let answers = [Op::True, Op::False].map(|op| Goal { join: end, value: Some(self.emit(op)) });
        let [yes, no] = answers;
        self.match_condition(value, pattern, yes, no);
        match self.builder.enter(end) {
            Some(value) => value,
            None => self.emit(Op::Nil),
        }
    }

    pub(super) fn match_condition(&mut self, value: &'a Node, pattern: &'a Pattern, yes: Goal, no: Goal) {
        let subject = self.value(value);
        let memo = self.memo(std::iter::once(pattern));
        self.pattern(pattern, subject, memo, Miss::Goal(no));
        self.builder.jump(yes);
    }

    fn missed(&mut self, miss: Miss, reason: Reason) {
        match miss {
            Miss::Goal(miss) => self.builder.jump(miss),
            Miss::Raise(subject, source) => {
                let around = self.builder.source;
                self.at(source);
                self.emit(Op::NoMatch { subject, reason });
                self.at(around);
            }
        }
    }

    /// Goes on where the test holds.
    fn expect(&mut self, test: Value, miss: Miss, reason: Reason) {
        let yes = self.join();
        self.branch(test, goal(yes), miss, reason);
        self.builder.enter(yes);
    }

    fn branch(&mut self, test: Value, yes: Goal, miss: Miss, reason: Reason) {
        match miss {
            Miss::Goal(miss) => self.builder.branch(test, yes, miss),
            Miss::Raise(..) => {
                let no = self.join();
                self.builder.branch(test, yes, goal(no));
                self.builder.enter(no);
                self.missed(miss, reason);
            }
        }
    }

    fn pattern(&mut self, pattern: &'a Pattern, subject: Value, memo: Option<Memo>, miss: Miss) {
        if self.builder.is_dead() {
            return;
        }
        let around = self.builder.source;
        self.at(Source { span: pattern.span, node: pattern.id });
        match &pattern.kind {
            PatternKind::Value(node) => self.case_equality(node, subject, miss),
            PatternKind::Bind(target) => self.bind(target, subject),
            PatternKind::Capture(inner, target) => {
                self.pattern(inner, subject, memo, miss);
                self.bind(target, subject);
            }
            PatternKind::Either(left, right) => {
                let (hit, other) = (self.join(), self.join());
                self.pattern(left, subject, memo, Miss::Goal(goal(other)));
                self.builder.jump(goal(hit));
                self.builder.enter(other);
                self.pattern(right, subject, memo.map(|memo| memo.behind(left)), miss);
                self.builder.jump(goal(hit));
                self.builder.enter(hit);
            }
            PatternKind::Array { constant, before, rest, after } => {
                let least = before.len() + after.len();
                self.class(constant.as_ref(), subject, miss);
                let list = self.deconstruct(subject, memo, miss);
                self.length(list, least, rest.is_some(), miss);
                let (first, last) = (before.len() as u32, after.len() as u32);
                for (index, pattern) in (0..).zip(before) {
                    let item = self.emit(Op::Item(list, Position::Front(index)));
                    self.pattern(pattern, item, None, miss);
                }
                if let Some(Some(target)) = rest {
                    let items = self.emit(Op::Item(list, Position::Middle { before: first, after: last }));
                    self.bind(target, items);
                }
                for (index, pattern) in (0..).zip(after) {
                    let position = Position::Back { before: first, after: last, index };
                    let item = self.emit(Op::Item(list, position));
                    self.pattern(pattern, item, None, miss);
                }
            }
            PatternKind::Find { constant, before, middle, after } => {
                self.class(constant.as_ref(), subject, miss);
                let list = self.deconstruct(subject, memo, miss);
                self.length(list, middle.len(), true, miss);
                self.find(list, (before.as_ref(), after.as_ref()), middle, miss);
            }
            PatternKind::Hash { constant, .. } => {
                self.class(constant.as_ref(), subject, miss);
                self.keys(&pattern.kind, subject, miss);
            }
        }
        self.at(around);
    }

    fn bind(&mut self, target: &'a Target, value: Value) {
        let place = self.resolve(target);
        self.store(&place, value);
    }

    fn case_equality(&mut self, node: &'a Node, value: Value, miss: Miss) {
        let pattern = self.value(node);
        let answer = self.call("===", pattern, &[value]);
        self.expect(answer, miss, Reason::Unequal { pattern, value });
    }

    /// `Class(…)`
    fn class(&mut self, constant: Option<&'a Node>, value: Value, miss: Miss) {
        if let Some(constant) = constant {
            self.case_equality(constant, value, miss);
        }
    }

    fn length(&mut self, list: Value, wanted: usize, or_more: bool, miss: Miss) {
        let wanted = wanted as u32;
        let fits = self.emit(Op::Length { list, count: wanted, or_more });
        self.expect(fits, miss, Reason::Length { list, wanted, or_more });
    }

    /// The array that an array pattern looks at.
    fn deconstruct(&mut self, value: Value, memo: Option<Memo>, miss: Miss) -> Value {
        let known = memo.and_then(|memo| self.builder.local(memo.local));
        let (Some(Memo { local, is_asked }), Some(known)) = (memo, known) else {
            return self.ask(value, None, miss);
        };
        if matches!(self.builder.code.op(known), Op::Nil) {
            return self.ask(value, Some(local), miss);
        }
        let (ask, there, have) = (self.join(), self.join(), self.join());
        if !is_asked {
            let is_new = self.emit(Op::IsNil(known));
            self.builder.branch(is_new, goal(ask), goal(there));
            self.builder.enter(there);
        }
        let reason = Reason::Missing { value, keys: false };
        self.branch(known, Goal { join: have, value: Some(known) }, miss, reason);
        if !is_asked {
            self.builder.enter(ask);
            let list = self.ask(value, Some(local), miss);
            self.builder.jump(Goal { join: have, value: Some(list) });
        }
        self.builder.enter(have).unwrap_or(known)
    }

    fn ask(&mut self, value: Value, memo: Option<LocalId>, miss: Miss) -> Value {
        let responds = self.emit(Op::Deconstructs { value, keys: false });
        if let Some(memo) = memo {
            let no = self.emit(Op::False);
            self.builder.set_local(memo, no);
        }
        self.expect(responds, miss, Reason::Missing { value, keys: false });
        let list = self.emit(Op::Deconstruct(value));
        if let Some(memo) = memo {
            self.builder.set_local(memo, list);
        }
        list
    }

    /// `[*before, a, b, *after]`: a loop over the places where the middle may begin.
    fn find(
        &mut self,
        list: Value,
        (before, after): (Option<&'a Target>, Option<&'a Target>),
        middle: &'a [Pattern],
        miss: Miss,
    ) {
        let count = middle.len() as u32;
        let (there, next, hit) = (self.join(), self.join(), self.join());
        let first = self.emit(Op::Integer(0));
        let assigned = self.assigned_by_patterns(middle);
        let (head, index) = self.builder.begin_loop(assigned, Some(first));
        let index = index.unwrap_or(first);
        let fits = self.emit(Op::Fits { list, index, count });
        self.branch(fits, goal(there), miss, Reason::NotFound { list });
        self.builder.enter(there);
        for (offset, pattern) in (0..).zip(middle) {
            let item = self.emit(Op::ItemAt { list, index, offset });
            self.pattern(pattern, item, None, Miss::Goal(goal(next)));
        }
        self.builder.jump(goal(hit));
        self.builder.enter(next);
        let index_after = self.emit(Op::Next(index));
        self.builder.again(&head, Some(index_after));
        self.builder.enter(hit);
        if let Some(target) = before {
            let items = self.emit(Op::Before { list, index });
            self.bind(target, items);
        }
        if let Some(target) = after {
            let items = self.emit(Op::After { list, index, offset: count });
            self.bind(target, items);
        }
    }

    fn assigned_by_patterns(&self, patterns: &'a [Pattern]) -> Vec<LocalId> {
        let (mut nodes, mut all) = (Vec::new(), Vec::new());
        for pattern in patterns {
            each_part_of_pattern(pattern, &mut |part| match part {
                Part::Node(node) => nodes.push(node),
                Part::Block(_) => {}
            });
            locals_of_pattern(pattern, &mut |local| all.push(local));
        }
        all.retain(|local| !self.is_in_cell(*local));
        all.extend(self.assigned(&nodes));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A hash pattern: all keys have to be there before their values are looked at.
    fn keys(&mut self, pattern: &'a PatternKind, value: Value, miss: Miss) {
        let PatternKind::Hash { pairs, closed, rest, .. } = pattern else { return };
        let responds = self.emit(Op::Deconstructs { value, keys: true });
        self.expect(responds, miss, Reason::Missing { value, keys: true });
        let keys: Vec<Name> = pairs.iter().map(|(key, _)| self.name(key)).collect();
        let names: Keys = self.builder.keys(&keys);
        let all = *closed || rest.is_some() || pairs.is_empty();
        let hash = self.emit(Op::DeconstructKeys { value, names: (!all).then_some(names) });
        for key in &keys {
            let found = self.emit(Op::HasKey { hash, key: *key });
            self.expect(found, miss, Reason::Key(*key));
        }
        for ((_, pattern), key) in pairs.iter().zip(&keys) {
            let item = self.emit(Op::Key { hash, key: *key });
            self.pattern(pattern, item, None, miss);
        }
        if let Some(target) = rest {
            let others = self.emit(Op::WithoutKeys { hash, names });
            self.bind(target, others);
        } else if *closed || pairs.is_empty() {
            let only = self.emit(Op::OnlyKeys { hash, names });
            self.expect(only, miss, Reason::Keys { hash, names, rest: *closed });
        }
    }
}
