//! Expressions and statements.

use super::held_procs::Closure;
use super::host::RootKey;
use super::operand::Operand;
use super::splats::Spread;
use super::{Condition, Lowerer, growth, refused};
use crate::diagnostic::Diagnostic;
use crate::ir::UnaryOp;
use crate::scalar::Ty;
use crate::syntax::ast::{CodeKind, Kind, METHOD_AROUND, Node, Target, When};
use crate::types::{Type, TypeSet};

/// Joins of a node are told apart by slots; these stay clear of the small ones that built-ins use.
pub(crate) const SLOT_LOOP: u32 = 40;
/// Where `return` and `next` lead. This join is keyed by the node of the call, whose number a node of the body may have
/// too: its slot is nobody else's.
pub(crate) const SLOT_LEAVE: u32 = 0x1000;
const SLOT_SAFE: u32 = 44;
const SLOT_WHEN: u32 = 45;

impl Lowerer<'_> {
    /// Lowers `node` and gives its value.
    pub(crate) fn expr(&mut self, node: &Node) -> Operand {
        // Taken also where nothing is lowered: it is said of this node and of no other.
        let unused = std::mem::take(&mut self.unused);
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let (outer_node, outer_span, outer_origin) = (self.node, self.span, self.b.origin);
        self.enter(node);
        if !self.goes_on() {
            self.b.mark_dead();
        }
        if self.b.is_dead() {
            (self.node, self.span, self.b.origin) = (outer_node, outer_span, outer_origin);
            return Operand::bottom();
        }
        self.nested += 1;
        let operand = self.expr_here(node, unused);
        self.nested -= 1;
        self.enter(node);
        self.note_type(node, unused, &operand);
        if self.memo.changed.is_some() && self.grew_at.is_none() {
            let within = growth::is_told().then(|| self.growing_in());
            self.grew_at = Some((self.user_span(), within));
        }
        (self.node, self.span, self.b.origin) = (outer_node, outer_span, outer_origin);
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
            Kind::Nil
            | Kind::True
            | Kind::False
            | Kind::Integer(_)
            | Kind::Float(_)
            | Kind::Symbol(_)
            | Kind::Regexp(..)
            | Kind::String(_)
            | Kind::Array(_)
            | Kind::Range { .. } => self.literal_value(node),
            Kind::Splat(_) | Kind::KeywordArgs(_) => self.refuse_here(
                "unsupported-splat",
                "a splat or keyword argument cannot stand here in a section",
                None,
            ),
            Kind::SelfRef
            | Kind::Local(_)
            | Kind::Captured(_)
            | Kind::Ivar(_)
            | Kind::Global(_)
            | Kind::ClassVariable(_)
            | Kind::Constant { .. }
            | Kind::ConstantOf { .. } => self.read(node),
            Kind::Assign { .. } | Kind::OpAssign { .. } | Kind::MultiAssign { .. } => {
                self.assignment(node, unused)
            }
            Kind::And(a, b) => self.and(node, a, b, unused),
            Kind::Or(a, b) => self.or(node, a, b, unused),
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
            Kind::Return(value) => self.return_from(node, value.as_deref()),
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

    /// A variable, a constant or `self`.
    fn read(&mut self, node: &Node) -> Operand {
        match &node.kind {
            Kind::SelfRef => self.self_operand(),
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
            _ => unreachable!("the kinds of variables"),
        }
    }

    /// What is assigned.
    fn assignment(&mut self, node: &Node, unused: bool) -> Operand {
        match &node.kind {
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
            _ => unreachable!("the kinds of assignments"),
        }
    }

    fn and(&mut self, node: &Node, a: &Node, b: &Node, unused: bool) -> Operand {
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

    fn or(&mut self, node: &Node, a: &Node, b: &Node, unused: bool) -> Operand {
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

    fn return_from(&mut self, node: &Node, value: Option<&Node>) -> Operand {
        let value = value.map_or_else(Operand::nil, |v| self.expr(v));
        match self.frame().return_to {
            Some(join) => self.leave_to(join, Some(&value)),
            None => {
                self.enter(node);
                // A method has where to return to, but for the values of its parameters.
                match self.runs_method() && self.frame().code.kind == CodeKind::Method {
                    true => self.refuse(refused::return_of_default()),
                    false => self.refuse_return(),
                };
            }
        }
        Operand::bottom()
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
            Type::Module(_) => false,
            _ => !self.frame().builtin && self.is_redefined(super::class_of(ty).in_ruby(), "!"),
        })
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
