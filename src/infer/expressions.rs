//! Expressions and statements.

use super::births::Birth;
use super::held_procs::Closure;
use super::host::RootKey;
use super::operand::Operand;
use super::splats::Spread;
use super::{Condition, Lowerer, growth, refused};
use crate::diagnostic::Diagnostic;
use crate::ir::{BinaryOp, Comparison, ErrorKind, UnaryOp};
use crate::scalar::Ty;
use crate::string_layout::Encoding;
use crate::syntax::ast::{Kind, METHOD_AROUND, Node, StringPart, Target, When};
use crate::types::{ClassId, RangeEnd, RecordType, Type, TypeSet};
use std::rc::Rc;

/// Joins of a node are told apart by slots; these stay clear of the small ones that built-ins use.
pub(crate) const SLOT_LOOP: u32 = 40;
/// Where `return` and `next` lead. This join is keyed by the node of the call, whose number a node of the body may have
/// too: its slot is nobody else's.
pub(crate) const SLOT_LEAVE: u32 = 0x1000;
const SLOT_SAFE: u32 = 44;
const SLOT_WHEN: u32 = 45;

/// Bytes of a text that there is room for where a value is put into it.
const VALUE_ROOM: i64 = 8;

/// What a text is put together of.
pub(super) enum Piece {
    Written(String),
    /// What cannot change: its text is made where it is put.
    Value(Operand),
    Text(Operand),
}

impl Lowerer<'_> {
    /// Lowers `node` and gives its value.
    pub(crate) fn expr(&mut self, node: &Node) -> Operand {
        // Taken also where nothing is lowered: it is said of this node and of no other.
        let unused = std::mem::take(&mut self.unused);
        if !self.b.is_dead() && !self.goes_on() {
            self.b.mark_dead();
        }
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let (outer_node, outer_span) = (self.node, self.span);
        self.enter(node);
        self.nested += 1;
        let operand = self.expr_here(node, unused);
        self.nested -= 1;
        self.enter(node);
        self.note_type(node, unused, &operand);
        if self.memo.changed.is_some() && self.grew_at.is_none() {
            let within = growth::is_told().then(|| self.growing_in());
            self.grew_at = Some((self.user_span(), within));
        }
        (self.node, self.span) = (outer_node, outer_span);
        operand
    }

    /// Lowers one way of several that join: a value that is not used is nil, whatever it is.
    pub(crate) fn arm(&mut self, node: &Node, unused: bool) -> Operand {
        self.unused = unused;
        let value = self.expr(node);
        if unused && !value.is_bottom() { Operand::nil() } else { value }
    }

    fn expr_here(&mut self, node: &Node, unused: bool) -> Operand {
        match &node.kind {
            Kind::Unsupported(diagnostic) => {
                let Diagnostic { slug, message, hint, .. } = (**diagnostic).clone();
                self.refuse_here(slug, message, hint)
            }
            Kind::Nil => Operand::nil(),
            Kind::True | Kind::False => {
                let value = node_bool(&node.kind);
                let ty = if value { Type::True } else { Type::False };
                let value = self.b.bool(value);
                Operand::one(ty, value)
            }
            Kind::SelfRef => self.self_operand(),
            Kind::Integer(n) => {
                let value = self.b.i64(*n);
                Operand::integer(value)
            }
            Kind::Float(x) => {
                let value = self.b.f64(*x);
                Operand::float(value)
            }
            Kind::Symbol(name) => self.symbol(name),
            Kind::Regexp(source, options) => self.regexp(source, *options),
            Kind::String(parts) => self.string(node, parts),
            Kind::Array(items) => {
                if let Some(list) = self.constant_list(node, items) {
                    return list;
                }
                let all = match self.literal_items(node, items) {
                    Ok(all) => all,
                    Err(list) => return list,
                };
                if all.iter().any(Operand::is_bottom) {
                    return Operand::bottom();
                }
                self.enter(node);
                let place = (std::rc::Rc::as_ptr(&self.frame().code) as usize, node.id);
                if self.makes_endless_list(place, &all) {
                    return Operand::bottom();
                }
                let all: Vec<Operand> =
                    (0..).zip(all).map(|(i, item)| self.named(item, node.id.0.rotate_left(7) ^ i)).collect();
                let is_list = self.grows(node) || self.memo.grown.contains(&place);
                if is_list && !all.iter().fold(false, |kept, item| self.keep_building(&item.types) | kept) {
                    return self.make_list(0, &super::operand::side_by_side(&all));
                }
                let tuple = self.tuple(&all);
                self.memo.makes_array(&tuple.types, place);
                self.note_maker(&tuple, place);
                tuple
            }
            Kind::Splat(_) | Kind::KeywordArgs(_) => self.refuse_here(
                "unsupported-splat",
                "a splat or keyword argument cannot stand here in a section",
                None,
            ),
            Kind::Range { low, high, exclusive } => self.range(low.as_deref(), high.as_deref(), *exclusive),
            Kind::Local(id) => self.read_local(*id),
            Kind::Captured(name) => self.captured(name),
            Kind::Ivar(name) => {
                let receiver = self.self_operand();
                self.read_ivar(&receiver, name)
            }
            Kind::Global(name) => match self.shared_global(name, false) {
                Some((known, number)) => self.read_shared(&known, number),
                None => self.root(&RootKey::Global(name.clone())).unwrap_or_else(Operand::nil),
            },
            Kind::ClassVariable(name) => self.class_variable(name),
            Kind::Constant { path, absolute } => self.constant(path, *absolute),
            Kind::ConstantOf { module, path } => {
                // `x.class::LIMIT` is another constant for each class that x can be of.
                let (module, of_class) = match self.object_of_class(module) {
                    Some(object) => (object, true),
                    None => (self.expr(module), false),
                };
                self.enter(node);
                self.constant_of(&module, path, of_class)
            }
            Kind::Assign { target, value } => match &**target {
                Target::Captured(name, _) if self.accumulates(name) => {
                    self.write_captured(node, name, value, unused)
                }
                target => self.assign_node(target, value),
            },
            Kind::OpAssign { target, op, value } => match &**target {
                Target::Captured(name, _) if self.accumulates(name) => {
                    self.write_captured(node, name, value, unused)
                }
                target => self.op_assign(node, target, op, value),
            },
            Kind::MultiAssign { targets, value, discarded } => {
                let places = self.resolve_multiple(targets);
                let is_splat = |item: &Node| matches!(item.kind, Kind::Splat(_));
                let literal =
                    *discarded && matches!(&value.kind, Kind::Array(items) if !items.iter().any(is_splat));
                let value = self.expr(value);
                self.enter(node);
                self.assign_places(&places, &value, literal);
                value
            }
            Kind::And(a, b) => {
                let (condition, first) = self.tested(a);
                if first.is_bottom() {
                    return first;
                }
                self.enter(node);
                let falsy = first.types.filter(|t| matches!(t, Type::Nil | Type::False));
                self.branch(
                    0,
                    condition,
                    |s| s.arm(b, unused),
                    |s| if unused { Operand::nil() } else { s.narrow(&first, &falsy) },
                )
            }
            Kind::Or(a, b) => {
                let (condition, first) = self.tested(a);
                if first.is_bottom() {
                    return first;
                }
                self.enter(node);
                let truthy = first.types.filter(|t| !matches!(t, Type::Nil | Type::False));
                self.branch(
                    0,
                    condition,
                    |s| if unused { Operand::nil() } else { s.narrow(&first, &truthy) },
                    |s| s.arm(b, unused),
                )
            }
            Kind::Not(inner) => self.negation(node, inner),
            Kind::If { condition, then, otherwise } => {
                let condition = self.condition(condition);
                self.enter(node);
                self.branch(0, condition, |s| s.arm(then, unused), |s| s.arm(otherwise, unused))
            }
            Kind::Case { subject, whens, otherwise } => {
                let subject = subject.as_ref().map(|s| self.expr(s));
                self.case(node, subject.as_ref(), whens, otherwise.as_deref(), unused)
            }
            Kind::CaseIn { subject, clauses, otherwise } => {
                self.case_in(node, subject, clauses, otherwise.as_deref(), unused)
            }
            Kind::Matches { value, pattern } => self.matches(value, pattern),
            Kind::While { condition, negated, body_first, body } => {
                self.while_loop(condition, *negated, *body_first, body)
            }
            Kind::Begin(begin) => self.begin(node, begin, unused),
            Kind::Retry => self.retry(),
            Kind::Break(value) => self.leave(node, value.as_deref(), true),
            Kind::Next(value) => self.leave(node, value.as_deref(), false),
            Kind::Return(value) => {
                let value = value.as_ref().map_or_else(Operand::nil, |v| self.expr(v));
                match self.frame().return_to {
                    Some(join) => self.leave_to(join, Some(&value)),
                    None => {
                        self.enter(node);
                        self.refuse_return();
                    }
                }
                Operand::bottom()
            }
            Kind::Yield(args) => {
                let Some(args) = self.arguments(args) else { return Operand::bottom() };
                self.yield_to_block(node, args, unused)
            }
            Kind::Super { args, block } => self.super_call(node, args.as_deref(), block.as_ref(), unused),
            Kind::Sync(sync) => self.sync(node, sync),
            Kind::Call(call) => self.call(node, call, unused),
            Kind::Defined { what, asked } => self.defined(node, what, asked.as_deref()),
            Kind::Matching(last, inner) => self.matching(*last, |s| {
                s.unused = unused;
                s.expr(inner)
            }),
            Kind::Sequence(items) => {
                let mut value = Operand::nil();
                for (i, item) in items.iter().enumerate() {
                    self.unused = unused || i + 1 < items.len();
                    value = self.expr(item);
                }
                value
            }
            Kind::Lambda(literal) => self.make_proc(literal, true),
        }
    }

    pub(super) fn refuse_return(&mut self) -> Operand {
        self.refuse(refused::return_out(self.in_driver))
    }

    /// `object` in `object.class`, where that is Ruby's own `class`.
    fn object_of_class(&mut self, node: &Node) -> Option<Operand> {
        let Kind::Call(call) = &node.kind else { return None };
        if call.name != "class" || !call.args.is_empty() || call.block.is_some() || call.safe {
            return None;
        }
        let object = match &call.receiver {
            Some(receiver) => match receiver.kind {
                Kind::SelfRef | Kind::Local(_) | Kind::Captured(_) | Kind::Ivar(_) => self.expr(receiver),
                // It must not be evaluated twice.
                _ => return None,
            },
            None => self.self_operand(),
        };
        let own = |t: &Type| self.host.method(super::class_of(t), "class").ok().flatten();
        let native = object.types.iter().map(own).all(|found| {
            found.is_some_and(|found| matches!(found.method, super::host::Method::Native { .. }))
        });
        (native && !object.is_bottom()).then_some(object)
    }

    /// `!value`: the class can have its own.
    fn negation(&mut self, node: &Node, inner: &Node) -> Operand {
        let (condition, result) = self.not_condition(node, inner);
        match result {
            Some(result) => result,
            None if self.b.is_dead() => Operand::bottom(),
            None => Operand::bool(condition.value),
        }
    }

    /// Does some class of the operand define `!`?
    pub(crate) fn negates(&mut self, operand: &Operand) -> bool {
        operand.types.iter().any(|ty| match ty {
            Type::Object(..) | Type::Record(_) | Type::Made(_) => !matches!(
                self.host.method(super::class_of(ty), "!"),
                Ok(Some(super::host::FoundMethod { method: super::host::Method::Native { .. }, .. }))
            ),
            _ => false,
        })
    }

    /// What is changed came from a literal or a call that makes arrays of fixed length, here or in a method around: those
    /// that make such arrays make lists from the next walk on. False if there is none.
    pub(crate) fn grow_literals(&mut self, made: &TypeSet) -> bool {
        let places = self.memo.array_makers.get(made).cloned().unwrap_or_default();
        let known = self.memo.grown.len();
        self.memo.grown.extend(places);
        let grew = self.memo.grown.len() > known;
        // What was learned names arrays of fixed length.
        self.memo.restart |= grew;
        self.memo.changed |= grew;
        grew
    }

    /// Is the array of a literal changed later?
    fn grows(&mut self, node: &Node) -> bool {
        let code = &self.frames[self.current].code;
        let key = std::rc::Rc::as_ptr(code) as usize;
        let found = self
            .mutable_literals
            .entry(key)
            .or_insert_with(|| super::mutable_literals::mutable_literals(code).into());
        found.contains(&node.id)
    }

    /// A symbol by name.
    pub(crate) fn symbol(&mut self, name: &str) -> Operand {
        let number = self.host.symbol(name);
        self.symbols.insert(number, name.to_owned());
        let value = self.b.i32(number);
        Operand::one(Type::Symbol, value)
    }

    /// `self`. The section's own is looked at only where it is used: its frame has no receiver.
    pub(crate) fn self_operand(&mut self) -> Operand {
        let receiver = self.frame().receiver.clone();
        let is_method = matches!(self.frame().closure, None | Some(Closure::Method(_)));
        if receiver.is_bottom() || !is_method {
            return self.own_root(RootKey::SelfValue).unwrap_or_else(Operand::nil);
        }
        self.refine(receiver)
    }

    /// A captured local of the scope around the section.
    pub(crate) fn captured(&mut self, name: &str) -> Operand {
        if name == METHOD_AROUND
            && matches!(self.frame().closure, Some(Closure::Receiver | Closure::Method(_)))
        {
            return self.refuse_here(
                "unsupported-current-method",
                "`__method__` in a Proc that an object holds, or that is a method, is not known in a section",
                Some("write the method's name as a Symbol".into()),
            );
        }
        if self.frame().closure == Some(Closure::Receiver) && self.is_assigned(name) {
            return self.refuse_here(
                "captured-write",
                format!("`{name}` is assigned by the section, and read by a lambda that an object holds"),
                Some("give it to the lambda as an argument, or use another variable".into()),
            );
        }
        if let Some((known, number)) = self.shared_captured(name, false) {
            return self.read_shared(&known, number);
        }
        match self.own_root(RootKey::Captured(name.to_string())) {
            Some(operand) => operand,
            // Ruby defines a local where its assignment stands, even if it never ran.
            None => Operand::nil(),
        }
    }

    /// The end of a range, of which it is known whether there is one: what may be nil ends the section where it is.
    fn sure_end(&mut self, end: Operand, slot: u32) -> Operand {
        if end.types.len() < 2 || !end.types.contains(&Type::Nil) {
            return end;
        }
        let some = end.types.filter(|ty| *ty != Type::Nil);
        let condition = self.is_one_of(&end, &some);
        let there = |s: &mut Self| s.narrow(&end, &some);
        self.within_slot(slot, |s| {
            s.branch(0, condition, there, |s| {
                let message = "an end of a range is nil, where it is a number or String elsewhere: such a range cannot run \
                               in a section [unsupported-range]";
                let hint = "write the range without that end, in a branch of its own";
                s.fail(ErrorKind::Unsupported(format!("{message}\n  hint: {hint}")), &[])
            })
        })
    }

    /// The end of a range whose other end is a number: Ruby raises where it is what no number compares with, as what
    /// `x & 3` gives where x is nil.
    fn comparable_end(&mut self, end: &Operand, other: &Operand, slot: u32) -> Operand {
        let is_number = |ty: &Type| matches!(ty, Type::Integer | Type::Float);
        let differs = |ty: &Type| {
            matches!(ty, Type::True | Type::False | Type::Symbol)
                || matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::List(_))
                || ty.is_string()
        };
        let bad = end.types.filter(differs);
        if bad.is_empty() || other.types.is_empty() || !other.types.iter().all(is_number) {
            return end.clone();
        }
        let fail = |s: &mut Self| s.fail(ErrorKind::ArgumentError("bad value for range".into()), &[]);
        let good = end.types.filter(|ty| !differs(ty));
        if good.is_empty() {
            return fail(self);
        }
        let condition = self.is_one_of(end, &good);
        self.within_slot(slot, |s| s.branch(0, condition, |s| s.narrow(end, &good), fail))
    }

    fn range(&mut self, low: Option<&Node>, high: Option<&Node>, exclusive: bool) -> Operand {
        let mut end = |node: &Node| self.shared_literal(node).unwrap_or_else(|| self.expr(node));
        let (low, high) = (low.map(&mut end), high.map(&mut end));
        self.range_between(low, high, exclusive)
    }

    /// The range of two ends, nil being none.
    pub(crate) fn range_between(
        &mut self,
        low: Option<Operand>,
        high: Option<Operand>,
        exclusive: bool,
    ) -> Operand {
        let (low, high) =
            (low.map(|low| self.sure_end(low, 0x3e8)), high.map(|high| self.sure_end(high, 0x3e9)));
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => {
                let first = self.comparable_end(&low, &high, 0x3ea);
                (Some(first), Some(self.comparable_end(&high, &low, 0x3eb)))
            }
            ends => ends,
        };
        if let (Some(low), Some(high)) = (&low, &high) {
            let is_text = |end: &Operand| end.types.single().is_some_and(Type::is_string);
            if is_text(low) && is_text(high) {
                return Self::text_range(low, high, exclusive);
            }
            if let (Some(one), Some(other)) = (low.types.single(), high.types.single())
                && never_compare(one, other)
            {
                return self.fail(ErrorKind::ArgumentError("bad value for range".into()), &[]);
            }
        }
        let mut values = Vec::new();
        let mut end = |s: &mut Self, operand: Option<Operand>| -> Option<RangeEnd> {
            let Some(operand) = operand else { return Some(RangeEnd::None) };
            let end = match operand.types.single() {
                Some(Type::Nil) => return Some(RangeEnd::None),
                Some(Type::Integer) => RangeEnd::Integer,
                Some(Type::Float) => RangeEnd::Float,
                _ => {
                    if !operand.is_bottom() {
                        let what = s.describe(&operand.types);
                        s.refuse_here(
                            "unsupported-range",
                            format!("a range in a section goes over numbers or Strings, not {what}"),
                            Some("make sure that both its ends are numbers, or Strings".into()),
                        );
                    }
                    return None;
                }
            };
            values.push(operand.value());
            Some(end)
        };
        let (Some(low), Some(high)) = (end(self, low), end(self, high)) else { return Operand::bottom() };
        if let [low_value, high_value] = values[..] {
            // Ends that do not compare: only NaN among numbers.
            for (end, value) in [(low, low_value), (high, high_value)] {
                if end == RangeEnd::Float {
                    let ok = self.b.compare(Comparison::Eq, value, value);
                    self.check(ok, ErrorKind::ArgumentError("bad value for range".into()), &[]);
                }
            }
        }
        Operand {
            types: Type::Range { exclusive, low, high }.into(),
            values: values.into(),
            birth: Birth::UNKNOWN,
        }
    }

    fn text_range(low: &Operand, high: &Operand, exclusive: bool) -> Operand {
        let names = [RecordType::TEXTS[0], RecordType::TEXTS[if exclusive { 2 } else { 1 }]];
        let fields = names.iter().zip([low, high]).map(|(name, end)| (name.to_string(), end.types.clone()));
        let record = RecordType { class: ClassId::RANGE, fields: fields.collect() };
        Operand {
            types: Type::Record(Rc::new(record)).into(),
            values: low.values.iter().chain(&high.values).copied().collect(),
            birth: Birth::UNKNOWN,
        }
    }

    fn case(
        &mut self,
        node: &Node,
        subject: Option<&Operand>,
        whens: &[When],
        otherwise: Option<&Node>,
        unused: bool,
    ) -> Operand {
        let Some((when, rest)) = whens.split_first() else {
            return otherwise.map_or_else(Operand::nil, |n| self.arm(n, unused));
        };
        self.enter(node);
        if let Some(subject) = subject
            && let Some(texts) = self.texts_of_case(subject, whens)
        {
            let (texts, others) = whens.split_at(texts);
            let rest = |s: &mut Self| s.case(node, Some(subject), others, otherwise, unused);
            return self.case_of_texts(subject, texts, unused, rest);
        }
        let condition = self.when_condition(subject, &when.patterns);
        // Each `when` is an `if` of its own, keyed by its body.
        self.enter(&when.body);
        self.branch(
            SLOT_SAFE,
            condition,
            |s| s.arm(&when.body, unused),
            |s| s.case(node, subject, rest, otherwise, unused),
        )
    }

    /// Does one of the patterns match?
    fn when_condition(&mut self, subject: Option<&Operand>, patterns: &[Node]) -> Condition {
        let mut all: Option<Condition> = None;
        let plain = subject.is_some_and(|s| !s.types.iter().any(Type::is_instance));
        for pattern in patterns {
            let test = |s: &mut Self| match (subject, &pattern.kind) {
                (_, Kind::Splat(list)) => {
                    let subject = subject.map(|subject| s.refine(subject.clone()));
                    s.any_matches(subject.as_ref(), pattern, list)
                }
                (None, _) => s.condition(pattern),
                (Some(subject), _) => {
                    let subject = s.refine(subject.clone());
                    match s.matches_written(&subject, pattern) {
                        Some(value) => Condition { value, yes: vec![], no: vec![] },
                        None => s.case_equality(&subject, pattern).0,
                    }
                }
            };
            all = Some(match all {
                None => test(self),
                Some(first) => {
                    self.enter(pattern);
                    let eager = plain && super::patterns::can_be_computed_anyway(pattern);
                    self.either(SLOT_WHEN, first, eager, test)
                }
            });
        }
        all.unwrap_or_else(|| {
            let value = self.b.bool(false);
            Condition { value, yes: vec![], no: vec![] }
        })
    }

    /// `when *list`: does one of the items match, or is one true where there is nothing to compare?
    fn any_matches(&mut self, subject: Option<&Operand>, pattern: &Node, list: &Node) -> Condition {
        let list = self.expr(list);
        self.enter(pattern);
        let items = match self.spread(&list) {
            Spread::Items(items) => self.tuple(&items),
            Spread::Array(array) => array,
        };
        let (answer, no) = (self.b.var(Ty::Bool), self.b.bool(false));
        self.b.set(answer, no);
        self.builtins.each_item(self, &items, &mut |s, item, exit, _| {
            let result = match subject {
                Some(subject) => s.send(&item, "===", std::slice::from_ref(subject), 0),
                None => item,
            };
            let truth = s.truth(&result);
            s.when(truth, |s| {
                let yes = s.b.bool(true);
                s.b.set(answer, yes);
                s.jump(exit, None);
            });
        });
        Condition { value: self.b.get(answer), yes: vec![], no: vec![] }
    }

    fn while_loop(&mut self, condition: &Node, negated: bool, body_first: bool, body: &Node) -> Operand {
        self.looping(SLOT_LOOP, |s, exit, head| {
            let frame = s.current;
            s.frames[frame].control.push(super::Control { break_to: Some(exit), next_to: Some(head) });
            let test = |s: &mut Self| {
                let mut condition = s.condition(condition);
                if negated {
                    let value = s.b.unary(UnaryOp::Not, condition.value);
                    condition = Condition { value, yes: condition.no, no: condition.yes };
                }
                s.enter(body);
                s.branch(
                    SLOT_LOOP + 2,
                    condition,
                    |_| Operand::nil(),
                    |s| {
                        s.jump(exit, None);
                        Operand::bottom()
                    },
                );
            };
            if body_first {
                // `next` in the body goes to the test: the body is a labelled block of its own.
                s.enter(body);
                s.labelled(SLOT_LOOP + 3, false, |s, after| {
                    s.frames[frame]
                        .control
                        .push(super::Control { break_to: Some(exit), next_to: Some(after) });
                    s.arm(body, true);
                    s.frames[frame].control.pop();
                    Operand::nil()
                });
                test(s);
            } else {
                test(s);
                s.arm(body, true);
            }
            s.frames[frame].control.pop();
        })
    }

    /// `break` and `next`.
    fn leave(&mut self, node: &Node, value: Option<&Node>, is_break: bool) -> Operand {
        let value = value.map_or_else(Operand::nil, |v| self.expr(v));
        self.enter(node);
        let control = self.frame().control.last().copied();
        let to = control.and_then(|c| if is_break { c.break_to } else { c.next_to });
        match to {
            Some(join) => self.leave_to(join, Some(&value)),
            None => {
                if is_break {
                    self.refuse(refused::break_out());
                } else {
                    let hint = Some("use `return`".into());
                    self.refuse_here("unsupported-break", "`next` stands outside a block", hint);
                }
            }
        }
        Operand::bottom()
    }

    /// `operand` where `nil` stops it: runs `f` on what is not nil, and gives nil otherwise.
    pub(crate) fn unless_nil(
        &mut self,
        operand: &Operand,
        f: impl FnOnce(&mut Self, Operand) -> Operand,
    ) -> Operand {
        if !operand.types.contains(&Type::Nil) {
            return f(self, operand.clone());
        }
        let is_nil = self.is_type(operand, &Type::Nil);
        let rest = operand.types.filter(|t| *t != Type::Nil);
        let mut condition = Condition { value: is_nil, yes: vec![], no: vec![] };
        if let Some(key) = operand.values.first() {
            condition.yes.push((*key, TypeSet::from(Type::Nil)));
            condition.no.push((*key, rest.clone()));
        }
        self.branch(
            SLOT_SAFE,
            condition,
            |_| Operand::nil(),
            |s| {
                let operand = s.narrow(operand, &rest);
                f(s, operand)
            },
        )
    }
}

impl Lowerer<'_> {
    /// A String of texts and what expressions give.
    fn string(&mut self, node: &Node, parts: &[StringPart]) -> Operand {
        if let [StringPart::Frozen(text)] = parts {
            return self.outside_literal(text).unwrap_or_else(Operand::bottom);
        }
        if let [] | [StringPart::Text(_)] = parts {
            let text = if let [StringPart::Text(text)] = parts { text.as_str() } else { "" };
            return self.string_of_text(text);
        }
        let mut values = Vec::new();
        let mut pieces = Vec::new();
        // A text is made as soon as its value is there.
        for (i, part) in parts.iter().enumerate() {
            if let StringPart::Expression(expression) = part {
                values.push(self.interpolated(expression));
                self.enter(node);
            }
            match self.piece(i, part, &mut values.drain(..)) {
                Some(piece) => pieces.push(piece),
                None => return Operand::bottom(),
            }
        }
        self.joined(&pieces)
    }

    /// A part of a text, whose value comes next if it has one.
    fn piece(
        &mut self,
        number: usize,
        part: &StringPart,
        values: &mut dyn Iterator<Item = Operand>,
    ) -> Option<Piece> {
        let (StringPart::Text(text) | StringPart::Frozen(text)) = part else {
            let value = values.next().filter(|value| !value.is_bottom())?;
            if self.has_plain_text(&value.types) {
                return Some(Piece::Value(value));
            }
            let text = self.within_slot(number as u32, |s| super::strings::text_of(s, &value));
            if text.is_bottom() {
                return None;
            }
            if !text.types.iter().all(Type::is_string) {
                let (of, given) = (self.describe(&value.types), self.describe(&text.types));
                self.refuse_here(
                    "unsupported-string",
                    format!("`to_s` of {of} gives {given}: Ruby shows the object with its address then"),
                    Some("let `to_s` give a String".into()),
                );
                return None;
            }
            return Some(Piece::Text(text));
        };
        Some(Piece::Written(text.clone()))
    }

    /// The parts of a text whose values are there.
    pub(super) fn pieces_of(
        &mut self,
        parts: &[StringPart],
        values: &mut dyn Iterator<Item = Operand>,
    ) -> Option<Vec<Piece>> {
        parts.iter().enumerate().map(|(i, part)| self.piece(i, part, values)).collect()
    }

    /// Values that cannot change, and of which Ruby's own `to_s` makes texts.
    fn has_plain_text(&mut self, types: &TypeSet) -> bool {
        let is_plain = |ty: &Type| {
            matches!(ty, Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol)
        };
        types.iter().all(|ty| is_plain(ty) && !self.is_redefined(super::class_of(ty), "to_s"))
    }

    /// A String of its parts.
    pub(super) fn joined(&mut self, pieces: &[Piece]) -> Operand {
        let has_text = pieces.iter().any(|piece| matches!(piece, Piece::Written(_)));
        let like_first = has_text || pieces.len() > 1 && self.host.dialect().expressions_tell_encoding;
        let mut room = self.b.i64(0);
        for (i, piece) in pieces.iter().enumerate() {
            let size = match piece {
                Piece::Written(text) => self.b.i64(text.len() as i64),
                Piece::Value(_) => self.b.i64(VALUE_ROOM),
                Piece::Text(text) => match self.send(text, "#bytesize", &[], 0x400 + i as u32) {
                    size if size.is_bottom() => return size,
                    size => size.value(),
                },
            };
            room = self.b.binary(BinaryOp::Add, room, size);
        }
        let string = match pieces.first().filter(|_| like_first) {
            Some(Piece::Written(text)) => self.begun_text(text, room),
            Some(Piece::Text(text)) => self.send(text, "#build", &[Operand::integer(room)], 0),
            // The texts of Symbols say themselves which encoding they have.
            Some(Piece::Value(value)) if value.types.contains(&Type::Symbol) => {
                let text = super::strings::text_of(self, value);
                if text.is_bottom() {
                    return text;
                }
                self.send(&text, "#build", &[Operand::integer(room)], 0)
            }
            Some(Piece::Value(_)) => {
                let ascii = self.b.i64(Encoding::UsAscii as i64);
                self.new_string(room, ascii)
            }
            None => self.begun_text("", room),
        };
        if string.is_bottom() {
            return string;
        }
        for (i, piece) in pieces.iter().enumerate() {
            let slot = 1 + i as u32;
            let put = match piece {
                Piece::Written(_) if i == 0 => continue,
                Piece::Written(text) if text.is_ascii() => {
                    self.within_slot(slot, |s| s.put_written(&string, text, "#any_ascii"))
                }
                Piece::Written(text) => {
                    let text = self.string_of_text(text);
                    self.send(&string, "#interpolate", &[text], slot)
                }
                Piece::Value(value) => self.send(&string, "#any_value", std::slice::from_ref(value), slot),
                Piece::Text(text) => self.send(&string, "#interpolate", std::slice::from_ref(text), slot),
            };
            if put.is_bottom() {
                return put;
            }
        }
        string
    }
}

/// Is `<=>` of such values nil, whatever they are?
fn never_compare(one: &Type, other: &Type) -> bool {
    let kind = |ty: &Type| match ty {
        Type::Integer | Type::Float => Some(0),
        ty if ty.is_string() => Some(1),
        Type::Symbol => Some(2),
        Type::True => Some(3),
        Type::False => Some(4),
        Type::Array(_) | Type::Tuple(_) | Type::List(_) => Some(5),
        _ => None,
    };
    matches!((kind(one), kind(other)), (Some(one), Some(other)) if one != other)
}

const fn node_bool(kind: &Kind) -> bool {
    matches!(kind, Kind::True)
}
