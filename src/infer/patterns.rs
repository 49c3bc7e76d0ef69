//! Pattern matching. A pattern is matched from left to right, as Ruby does it: what does not match jumps to the next
//! clause, so that what follows knows what matched. A clause that only asks for classes and values is an `if`, and
//! then the clauses after it know what did not match, too.

use super::calls::CallType;
use super::host::{Method, Visibility};
use super::no_match::{Miss, Told};
use super::operand::Operand;
use super::{Condition, Lowerer};
use crate::ir::{BinaryOp, Comparison, ErrorKind};
use crate::syntax::ast::{InClause, Kind, Node, Pattern, PatternKind, StringPart, Target};
use crate::types::{ClassId, Type};

/// Joins of a pattern.
pub(super) const SLOT_HIT: u32 = 0;
pub(super) const SLOT_MISS: u32 = 1;
const SLOT_TEST: u32 = 2;
pub(super) const SLOT_CLASS: u32 = 3;

/// What a pattern compares with last, for the message where that fails.
enum Compared {
    Value(Operand),
    /// What it gave is not there any more, but it gives the same again.
    Again(Node),
    Unknown,
}

impl Lowerer<'_> {
    pub(crate) fn case_in(
        &mut self,
        node: &Node,
        subject: &Node,
        clauses: &[InClause],
        otherwise: Option<&Node>,
        unused: bool,
    ) -> Operand {
        let subject = self.expr(subject);
        if subject.is_bottom() {
            return subject;
        }
        let ([only], None) = (clauses, otherwise) else {
            return self.clauses(node, &subject, clauses, otherwise, unused);
        };
        let miss = Miss::Raise(subject.clone(), node.span);
        self.match_pattern(&only.pattern, &subject, &miss);
        self.guard(only, &miss);
        self.arm(&only.body, unused)
    }

    fn clauses(
        &mut self,
        node: &Node,
        subject: &Operand,
        clauses: &[InClause],
        otherwise: Option<&Node>,
        unused: bool,
    ) -> Operand {
        let Some((clause, rest)) = clauses.split_first() else {
            self.enter(node);
            return match otherwise {
                Some(otherwise) => self.arm(otherwise, unused),
                None => self.no_match(vec![Told::Shown(subject.clone())]),
            };
        };
        let subject = &self.refine(subject.clone());
        if clause.guard.is_none() && is_test(&clause.pattern) {
            let (condition, _) = self.test(&clause.pattern, subject);
            self.enter_pattern(&clause.pattern);
            return self.branch(
                SLOT_TEST,
                condition,
                |s| {
                    s.bind_tested(&clause.pattern, subject);
                    s.arm(&clause.body, unused)
                },
                |s| s.clauses(node, subject, rest, otherwise, unused),
            );
        }
        self.enter_pattern(&clause.pattern);
        self.labelled(SLOT_HIT, true, |s, done| {
            s.labelled(SLOT_MISS, false, |s, miss| {
                let miss = Miss::Jump(miss);
                s.match_pattern(&clause.pattern, subject, &miss);
                s.guard(clause, &miss);
                let value = s.arm(&clause.body, unused);
                if !value.is_bottom() {
                    s.jump(done, Some(&value));
                }
                Operand::bottom()
            });
            if s.b.is_dead() {
                return Operand::bottom();
            }
            s.clauses(node, subject, rest, otherwise, unused)
        })
    }

    fn guard(&mut self, clause: &InClause, miss: &Miss) {
        let Some(guard) = &clause.guard else { return };
        if self.b.is_dead() {
            return;
        }
        let condition = self.condition(guard);
        self.enter(guard);
        self.expect(condition, miss, |_| vec![Told::Text("guard clause does not return true".into())]);
    }

    /// `value in pattern`
    pub(crate) fn matches(&mut self, value: &Node, pattern: &Pattern) -> Operand {
        let subject = self.expr(value);
        if subject.is_bottom() {
            return subject;
        }
        self.enter_pattern(pattern);
        self.labelled(SLOT_HIT, true, |s, done| {
            s.labelled(SLOT_MISS, false, |s, miss| {
                s.match_pattern(pattern, &subject, &Miss::Jump(miss));
                if !s.b.is_dead() {
                    let yes = s.b.bool(true);
                    s.jump(done, Some(&Operand::bool(yes)));
                }
                Operand::bottom()
            });
            if s.b.is_dead() {
                return Operand::bottom();
            }
            let no = s.b.bool(false);
            Operand::bool(no)
        })
    }

    /// `value in pattern` as a condition, which tells what is known of the value where the pattern binds nothing.
    pub(crate) fn match_condition(&mut self, value: &Node, pattern: &Pattern) -> Condition {
        if !is_test(pattern) || binds(pattern) {
            let operand = self.matches(value, pattern);
            return self.truth_condition(&operand);
        }
        let subject = self.expr(value);
        if subject.is_bottom() {
            return self.truth_condition(&subject);
        }
        self.test(pattern, &subject).0
    }

    pub(super) fn enter_pattern(&mut self, pattern: &Pattern) {
        self.node = pattern.id;
        self.span = pattern.span;
    }

    /// The condition under which a pattern matches that [`is_test`], and what it compares with last.
    fn test(&mut self, pattern: &Pattern, subject: &Operand) -> (Condition, Option<Compared>) {
        match &pattern.kind {
            PatternKind::Value(node) => {
                let (condition, value) = self.case_equality(subject, node);
                (condition, Some(Compared::Value(value)))
            }
            PatternKind::Capture(inner, _) => self.test(inner, subject),
            PatternKind::Either(left, right) => {
                let (first, _) = self.test(left, subject);
                self.enter_pattern(pattern);
                let mut value = None;
                let last = last_value(right);
                let plain = !subject.types.iter().any(Type::is_instance);
                let eager = plain && is_literal(right);
                let condition = self.either(SLOT_TEST, first, eager, |s| {
                    let subject = s.refine(subject.clone());
                    let (condition, compared) = s.test(right, &subject);
                    value = compared;
                    condition
                });
                if !eager {
                    // What was computed in a branch is not there behind it.
                    value = last.map(|node| match can_be_read_again(node) {
                        true => Compared::Again(node.clone()),
                        false => Compared::Unknown,
                    });
                }
                (condition, value)
            }
            PatternKind::Bind(_)
            | PatternKind::Array { .. }
            | PatternKind::Find { .. }
            | PatternKind::Hash { .. } => {
                (Condition { value: self.b.bool(true), yes: vec![], no: vec![] }, None)
            }
        }
    }

    /// `pattern === subject`, with what it says of the subject, and the pattern's value.
    pub(crate) fn case_equality(&mut self, subject: &Operand, pattern: &Node) -> (Condition, Operand) {
        let test = self.expr(pattern);
        self.enter(pattern);
        let result = self.send(&test, "===", std::slice::from_ref(subject), 0);
        let mut condition = self.truth_condition(&result);
        let parts = match super::conditions::module_of(&test) {
            Some(class) => Some(self.partition(&subject.types, class, false)),
            None => self.equal_types(&subject.types, &test.types, false),
        };
        if let (Some((yes, no)), Some(key)) = (parts, subject.values.first())
            && subject.types.len() > 1
        {
            condition.yes.push((*key, yes));
            condition.no.push((*key, no));
        }
        (condition, test)
    }

    /// `first || second`. `eager`: the second can be computed anyway, since nothing can come of it but its value.
    pub(crate) fn either(
        &mut self,
        slot: u32,
        first: Condition,
        eager: bool,
        second: impl FnOnce(&mut Self) -> Condition,
    ) -> Condition {
        // Where one of them holds, the union of what both say; where none does, all of it.
        let (first_yes, first_no) = (first.yes.clone(), first.no.clone());
        let (second, value) = if eager {
            let known = self.facts.len();
            self.facts.extend(first.no.iter().cloned());
            let second = second(self);
            self.facts.truncate(known);
            let value = self.b.binary(BinaryOp::OrB, first.value, second.value);
            (second, value)
        } else {
            let mut facts = (vec![], vec![]);
            let result = self.branch(
                slot,
                first,
                |s| {
                    let yes = s.b.bool(true);
                    Operand::bool(yes)
                },
                |s| {
                    let second = second(s);
                    facts = (second.yes, second.no);
                    if s.b.is_dead() { Operand::bottom() } else { Operand::bool(second.value) }
                },
            );
            let value = if result.is_bottom() { self.b.bool(false) } else { self.truth(&result) };
            (Condition { value, yes: facts.0, no: facts.1 }, value)
        };
        let yes = first_yes
            .iter()
            .filter_map(|(key, a)| {
                let (_, b) = second.yes.iter().find(|(other, _)| other == key)?;
                Some((*key, a.union(b)))
            })
            .collect();
        Condition { value, yes, no: first_no.into_iter().chain(second.no).collect() }
    }

    /// The names in a test that holds.
    fn bind_tested(&mut self, pattern: &Pattern, subject: &Operand) {
        match &pattern.kind {
            PatternKind::Bind(target) => self.bind_name(target, subject),
            PatternKind::Capture(inner, target) => {
                self.bind_tested(inner, subject);
                self.bind_name(target, subject);
            }
            _ => {}
        }
    }

    fn bind_name(&mut self, target: &Target, subject: &Operand) {
        let subject = self.refine(subject.clone());
        self.assign(target, &subject);
    }

    /// Goes on where the pattern matches; the names in it are bound then.
    pub(super) fn match_pattern(&mut self, pattern: &Pattern, subject: &Operand, miss: &Miss) {
        if self.b.is_dead() {
            return;
        }
        let subject = &self.refine(subject.clone());
        if is_test(pattern) {
            let (condition, compared) = self.test(pattern, subject);
            self.enter_pattern(pattern);
            self.expect(condition, miss, |s| {
                let Some(compared) = compared else { return vec![] };
                let value = match compared {
                    Compared::Value(value) => value,
                    Compared::Again(node) => s.expr(&node),
                    Compared::Unknown => {
                        let message = "what no alternative of a pattern matches cannot be told where the last one is \
                                       computed [unsupported-pattern]";
                        let hint = "assign it to a variable before, and pin that: ^name";
                        s.fail(ErrorKind::Unsupported(format!("{message}\n  hint: {hint}")), &[]);
                        return vec![];
                    }
                };
                s.enter_pattern(pattern);
                vec![
                    Told::Inspected(value),
                    Told::Text(" === ".into()),
                    Told::Inspected(subject.clone()),
                    Told::Text(" does not return true".into()),
                ]
            });
            if !self.b.is_dead() {
                self.bind_tested(pattern, subject);
            }
            return;
        }
        self.enter_pattern(pattern);
        match &pattern.kind {
            PatternKind::Value(_) | PatternKind::Bind(_) => {}
            PatternKind::Capture(inner, target) => {
                self.match_pattern(inner, subject, miss);
                if !self.b.is_dead() {
                    self.bind_name(target, subject);
                }
            }
            PatternKind::Either(left, right) => {
                self.labelled(SLOT_HIT, false, |s, hit| {
                    s.labelled(SLOT_MISS, false, |s, other| {
                        s.match_pattern(left, subject, &Miss::Jump(other));
                        s.jump(hit, None);
                        Operand::bottom()
                    });
                    s.match_pattern(right, subject, miss);
                    if s.b.is_dead() { Operand::bottom() } else { Operand::nil() }
                });
            }
            PatternKind::Array { constant, .. }
            | PatternKind::Find { constant, .. }
            | PatternKind::Hash { constant, .. } => {
                if let Some(constant) = constant {
                    let (condition, value) = self.case_equality(subject, constant);
                    self.enter_pattern(pattern);
                    self.expect(condition, miss, |_| {
                        vec![
                            Told::Inspected(value),
                            Told::Text(" === ".into()),
                            Told::Inspected(subject.clone()),
                            Told::Text(" does not return true".into()),
                        ]
                    });
                }
                if !self.b.is_dead() {
                    let subject = self.refine(subject.clone());
                    match &pattern.kind {
                        PatternKind::Hash { .. } => self.match_keys(pattern, &subject, miss),
                        _ => self.match_array(pattern, &subject, miss, true),
                    }
                }
            }
        }
    }

    /// A hash pattern: over the members of a Struct or Data, or over what `deconstruct_keys` gives.
    fn match_keys(&mut self, pattern: &Pattern, subject: &Operand, miss: &Miss) {
        let PatternKind::Hash { pairs, closed, rest, .. } = &pattern.kind else { return };
        let wanted = Keys { pairs, closed: *closed, rest: rest.as_ref() };
        self.switch(subject, SLOT_CLASS, &mut |s, part| {
            s.enter_pattern(pattern);
            if let Some(members) = s.own_keys(&part) {
                s.match_members(&part, &members, wanted, miss);
            } else if s.deconstructs(&part, "deconstruct_keys") {
                // Whoever wants to know all keys gives none.
                let keys = if *closed || rest.is_some() || pairs.is_empty() {
                    Operand::nil()
                } else {
                    let keys: Vec<Operand> = pairs.iter().map(|(key, _)| s.symbol(key)).collect();
                    s.tuple(&keys)
                };
                let hash = s.send_from(&part, "deconstruct_keys", &[keys], 1, CallType::Own);
                s.switch(&hash, SLOT_CLASS + 1, &mut |s, hash| {
                    s.match_hash(&hash, wanted, miss);
                    if s.b.is_dead() { Operand::bottom() } else { Operand::nil() }
                });
            } else {
                let reason = Told::Text(" does not respond to #deconstruct_keys".into());
                s.missed(miss, vec![Told::Inspected(part), reason]);
            }
            if s.b.is_dead() { Operand::bottom() } else { Operand::nil() }
        });
    }

    /// The members of a Struct or Data whose `deconstruct_keys` is Ruby's own.
    fn own_keys(&mut self, object: &Operand) -> Option<Vec<String>> {
        let class = super::class_of(object.types.single().filter(|ty| ty.is_instance())?);
        let found = self.host.method(class, "deconstruct_keys").ok()??;
        let own = matches!(found.method, Method::Native { .. })
            && matches!(found.owner, ClassId::STRUCT | ClassId::DATA);
        own.then(|| self.host.members(class))
    }

    fn match_members(
        &mut self,
        object: &Operand,
        members: &[String],
        Keys { pairs, closed, rest }: Keys<'_>,
        miss: &Miss,
    ) {
        // Of more keys than there are members Ruby looks for none.
        let too_many = pairs.len() > members.len() && !closed && rest.is_none();
        if let Some((key, _)) = pairs.iter().find(|(key, _)| too_many || !members.contains(key)) {
            return self.missed_key(miss, object, key);
        }
        if pairs.is_empty() && rest.is_none() && !members.is_empty() {
            let mut reason = self.told_members(object, members);
            reason.push(Told::Text(" is not empty".into()));
            return self.missed(miss, reason);
        }
        let items: Vec<Operand> = pairs.iter().map(|(key, _)| self.read_ivar(object, key)).collect();
        if items.iter().any(Operand::is_bottom) {
            return;
        }
        for ((_, pattern), item) in pairs.iter().zip(&items) {
            self.match_pattern(pattern, item, miss);
        }
        let named = |member: &&String| pairs.iter().any(|(key, _)| key == *member);
        let others: Vec<String> = members.iter().filter(|member| !named(member)).cloned().collect();
        if closed && !others.is_empty() && !self.b.is_dead() {
            let mut reason = vec![Told::Text("rest of ".into())];
            reason.extend(self.told_members(object, &others));
            reason.push(Told::Text(" is not empty".into()));
            self.missed(miss, reason);
        }
        if let (Some(target), false) = (rest, self.b.is_dead()) {
            let hash = self.hash_of_members(object, &others);
            self.assign(target, &hash);
        }
    }

    fn hash_of_members(&mut self, object: &Operand, members: &[String]) -> Operand {
        let mut pairs = Vec::new();
        for member in members {
            pairs.extend([self.symbol(member), self.read_ivar(object, member)]);
        }
        if pairs.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        self.send(&Operand::nil(), "#new_hash", &pairs, 5)
    }

    /// Members as a Hash is inspected.
    fn told_members(&mut self, object: &Operand, members: &[String]) -> Vec<Told> {
        let mut told = vec![Told::Text("{".into())];
        for (i, member) in members.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let plain = member.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if self.host.dialect().hashes_show_symbols_bare && plain {
                told.push(Told::Text(format!("{comma}{member}: ")));
            } else {
                let key = self.symbol(member);
                told.extend([Told::Text(comma.into()), Told::Inspected(key), Told::Text("=>".into())]);
            }
            told.push(Told::Inspected(self.read_ivar(object, member)));
        }
        told.push(Told::Text("}".into()));
        told
    }

    /// What `deconstruct_keys` gave.
    fn match_hash(&mut self, hash: &Operand, Keys { pairs, closed, rest }: Keys<'_>, miss: &Miss) {
        let is_hash = |ty: &Type| self.host.is_subclass(super::class_of(ty), ClassId::HASH);
        if !hash.types.iter().all(is_hash) {
            self.fail(ErrorKind::TypeError("deconstruct_keys must return Hash".into()), &[]);
            return;
        }
        for (i, (key, _)) in pairs.iter().enumerate() {
            let symbol = self.symbol(key);
            let found = self.within_slot(i as u32, |s| s.send(hash, "key?", &[symbol], 2));
            if found.is_bottom() {
                return;
            }
            let condition = self.truth_condition(&found);
            self.branch(
                SLOT_MISS + 17,
                condition,
                |_| Operand::nil(),
                |s| {
                    s.missed_key(miss, hash, key);
                    Operand::bottom()
                },
            );
        }
        for (i, (key, pattern)) in pairs.iter().enumerate() {
            if self.b.is_dead() {
                return;
            }
            let symbol = self.symbol(key);
            let item = self.within_slot(i as u32, |s| s.send(hash, "[]", &[symbol], 4));
            self.match_pattern(pattern, &item, miss);
        }
        if let (Some(target), false) = (rest, self.b.is_dead()) {
            let others = self.without_keys(hash, pairs);
            return self.assign(target, &others);
        }
        if (closed || pairs.is_empty()) && !self.b.is_dead() {
            let size = self.send(hash, "size", &[], 3);
            if size.is_bottom() {
                return;
            }
            let wanted = self.b.i64(pairs.len() as i64);
            let value = self.b.compare(Comparison::Eq, size.value(), wanted);
            self.expect(Condition { value, yes: vec![], no: vec![] }, miss, |s| {
                let what = if closed { "rest of " } else { "" };
                let rest = s.without_keys(hash, pairs);
                let rest = s.send(&rest, "inspect", &[], 7);
                vec![Told::Text(what.into()), Told::Shown(rest), Told::Text(" is not empty".into())]
            });
        }
    }

    /// The Hash without the keys of a pattern.
    fn without_keys(&mut self, hash: &Operand, pairs: &[(String, Pattern)]) -> Operand {
        let others = self.send(hash, "dup", &[], 5);
        for (i, (key, _)) in pairs.iter().enumerate() {
            let symbol = self.symbol(key);
            self.within_slot(0x100 + i as u32, |s| s.send(&others, "delete", &[symbol], 6));
        }
        others
    }

    /// Can the object be taken apart? A method that is not public does not count.
    pub(super) fn deconstructs(&mut self, object: &Operand, method: &str) -> bool {
        let Some(ty) = object.types.iter().next() else { return false };
        match self.host.method(super::class_of(ty), method) {
            Ok(Some(found)) => found.visibility == Visibility::Public,
            Ok(None) => false,
            // The call refuses it, with the reason.
            Err(_) => true,
        }
    }
}

/// What a hash pattern wants.
#[derive(Clone, Copy)]
struct Keys<'a> {
    pairs: &'a [(String, Pattern)],
    closed: bool,
    rest: Option<&'a Target>,
}

/// Is the pattern a comparison of the whole subject, so that names are bound after it only?
fn is_test(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Value(_) | PatternKind::Bind(_) => true,
        PatternKind::Capture(inner, _) => is_test(inner),
        PatternKind::Either(left, right) => [left, right].iter().all(|p| is_test(p) && !binds(p)),
        PatternKind::Array { .. } | PatternKind::Find { .. } | PatternKind::Hash { .. } => false,
    }
}

/// Does the pattern give names?
fn binds(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Value(_) => false,
        PatternKind::Bind(_) | PatternKind::Capture(..) => true,
        PatternKind::Either(left, right) => binds(left) || binds(right),
        PatternKind::Array { before, rest, after, .. } => {
            matches!(rest, Some(Some(_))) || before.iter().chain(after).any(binds)
        }
        PatternKind::Find { before, middle, after, .. } => {
            before.is_some() || after.is_some() || middle.iter().any(binds)
        }
        PatternKind::Hash { pairs, rest, .. } => {
            rest.is_some() || pairs.iter().any(|(_, pattern)| binds(pattern))
        }
    }
}

/// What the value is compared with last, where none of the alternatives matches.
fn last_value(pattern: &Pattern) -> Option<&Node> {
    match &pattern.kind {
        PatternKind::Value(node) => Some(node),
        PatternKind::Capture(inner, _) => last_value(inner),
        PatternKind::Either(_, right) => last_value(right),
        _ => None,
    }
}

/// Is it the same each time, and does nothing else?
fn can_be_read_again(node: &Node) -> bool {
    let is_text = |part: &StringPart| matches!(part, StringPart::Text(_) | StringPart::Frozen(_));
    match &node.kind {
        Kind::String(parts) => parts.iter().all(is_text),
        Kind::Local(_) | Kind::Captured(_) | Kind::Ivar(_) | Kind::Constant { .. } | Kind::Regexp(..) => true,
        _ => can_be_computed_anyway(node),
    }
}

fn is_literal(pattern: &Pattern) -> bool {
    matches!(&pattern.kind, PatternKind::Value(node) if can_be_computed_anyway(node))
}

/// Literals: comparing with one cannot fail or change anything, unless the subject is an object with an `==` of its
/// own.
pub(crate) fn can_be_computed_anyway(node: &Node) -> bool {
    match &node.kind {
        Kind::Nil | Kind::True | Kind::False | Kind::Integer(_) | Kind::Float(_) | Kind::Symbol(_) => true,
        Kind::Range { low, high, .. } => {
            [low, high].into_iter().flatten().all(|end| can_be_computed_anyway(end))
        }
        _ => false,
    }
}
