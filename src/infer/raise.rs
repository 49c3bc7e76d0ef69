//! `raise`: an exception class and a message, whose values are told apart class by class. What is more than that is
//! an object of the section's ([`super::exceptions`]).

use super::Lowerer;
use super::calls::Arguments;
use super::exceptions::{RECEIVER, SUBJECT};
use super::failing::class_of_error;
use super::host::Method;
use super::operand::Operand;
use super::rescue::Caught;
use crate::ir::{ErrorKind, MessagePart, Raised, Receiver, SiteId, Value};
use crate::syntax::ast::{Call, KeywordArg, Kind, Node, StringPart};
use crate::types::{ClassId, Type, TypeSet};

/// Ruby's message for what is raised and cannot be.
pub(super) const NO_EXCEPTION: &str = "exception class/object expected";
/// The same where its `exception` gives none.
pub(super) const NO_OBJECT: &str = "exception object expected";

impl Lowerer<'_> {
    /// `raise`, `raise text`, `raise Class`, `raise Class, value`, `raise Class.new(…)`, `raise exception`.
    pub(super) fn raise(&mut self, node: &Node, call: &Call) -> Operand {
        let [args @ .., last] = &call.args[..] else { return self.raise_what(node, call) };
        let Some(cause) = given_cause(last) else { return self.raise_what(node, call) };
        let is_none = matches!(cause.kind, Kind::Nil);
        if args.is_empty() {
            if !is_none && self.expr(cause).is_bottom() {
                return Operand::bottom();
            }
            self.enter(node);
            let told = "only cause is given with no arguments".into();
            return self.fail(ErrorKind::ArgumentError(told), &[]);
        }
        let plain = Call { args: args.to_vec(), ..call.clone() };
        if !is_none {
            return self.raise_with_given(node, &plain, cause);
        }
        let outer = self.causes.without.replace((self.frames.len(), node.id));
        let raised = self.raise_what(node, &plain);
        self.causes.without = outer;
        raised
    }

    /// The same without `cause:`.
    pub(super) fn raise_what(&mut self, node: &Node, call: &Call) -> Operand {
        if let Some(raised) = self.raise_caught(node, call) {
            return raised;
        }
        let mut nodes: Vec<&Node> = call.args.iter().collect();
        let (mut class, mut by_new) = (None, false);
        if let [only] = &nodes[..]
            && let Kind::Call(inner) = &only.kind
            && inner.name == "new"
            && let Some(receiver) = &inner.receiver
        {
            if matches!(receiver.kind, Kind::Constant { .. }) {
                let operand = self.expr(receiver);
                if operand.is_bottom() {
                    return operand;
                }
                class = super::conditions::module_of(&operand);
            }
            match class {
                // A built-in method's.
                Some(of) if self.frame().builtin && inner.args.len() == 2 => {
                    match self.keeps_given(of, &inner.args[1..]) {
                        true => return self.raise_of_ruby(node, of, &inner.args),
                        false => nodes = vec![&inner.args[0]],
                    }
                }
                Some(of)
                    if has_one_text(inner)
                        && self.is_exception(of)
                        && self.is_said_by_text(of)
                        && !self.makes_another(of) =>
                {
                    nodes = inner.args.iter().collect();
                    by_new = true;
                }
                _ => {
                    let made = self.expr(only);
                    return self.raise_made(&made, node);
                }
            }
        }
        let mut text = None;
        if class.is_none()
            && let Some(first) = nodes.first()
            && (nodes.len() > 1 || !matches!(first.kind, Kind::String(_)))
        {
            let operand = self.expr(first);
            if operand.is_bottom() {
                return operand;
            }
            class = super::conditions::module_of(&operand);
            if class.is_none() && nodes.len() == 1 && operand.types.iter().all(Type::is_string) {
                text = Some(operand);
            } else if class.is_none() && nodes.len() == 1 && self.is_raised_itself(&operand) {
                return self.raise_made(&operand, node);
            } else if class.is_none() && nodes.len() > 1 || operand.types.len() > 1 {
                return self.raise_one_of(node, &operand, &nodes[1..]);
            } else if class.is_none() {
                return self.refuse_raise(first);
            }
            nodes.remove(0);
        }
        if let Some(of) = class
            && let Some(raised) = self.raise_by_call(node, of, &nodes)
        {
            return raised;
        }
        let parts: Option<Vec<StringPart>> = match &nodes[..] {
            [] => None,
            [only] => match &only.kind {
                Kind::String(parts) => Some(parts.clone()),
                _ => {
                    let operand = self.expr(only);
                    if operand.is_bottom() {
                        return operand;
                    }
                    match class {
                        Some(of) if !operand.types.iter().all(Type::is_string) => {
                            return self.raise_new(node, of, vec![operand], by_new);
                        }
                        None if !operand.types.iter().all(Type::is_string) => return self.refuse_raise(only),
                        _ => {}
                    }
                    text = Some(operand);
                    None
                }
            },
            [_, extra, ..] => return self.refuse_raise(extra),
        };
        self.enter(node);
        let Some(class) = class.or_else(|| self.runtime_error()) else { return Operand::bottom() };
        if let Some(text) = text {
            let raised = if self.frame().builtin { Raised::ByRubysText } else { Raised::ByText };
            return self.raise_with((class, raised), &[None], vec![text], vec![], vec![]);
        }
        self.raise_parts(node, class, parts, call.args.is_empty())
    }

    fn is_raised_itself(&self, operand: &Operand) -> bool {
        operand.types.iter().all(|ty| is_no_text(ty) || self.is_existing_exception(ty))
    }

    fn is_existing_exception(&self, ty: &Type) -> bool {
        matches!(ty, Type::Object(_, class) if self.is_exception(*class))
    }

    /// What `raise` without a class raises.
    fn runtime_error(&mut self) -> Option<ClassId> {
        match self.constant(&["RuntimeError".to_string()], true).types.single() {
            Some(Type::Module(class)) => Some(*class),
            _ => None,
        }
    }

    /// `raise` of an error that is being handled, and what of `raise` is refused; `None` where it is neither.
    fn raise_caught(&mut self, node: &Node, call: &Call) -> Option<Operand> {
        if call.args.is_empty()
            && let Some(caught) = self.handled.last().cloned()
        {
            return Some(self.raise_handled(node, &caught));
        }
        if let [Node { kind: Kind::Local(local), .. }] = &call.args[..]
            && !self.gives_cause()
            && let Some(caught) = self.handled_in(*local)
        {
            return Some(match self.may_get_cause(&caught) {
                true => self.raise_for_another(node, &caught),
                false => self.raise_handled(node, &caught),
            });
        }
        if call.args.is_empty() && self.detached && self.memo.handles {
            // Which error that is depends on who calls.
            return Some(self.refuse_here(
                "unsupported-raise",
                "`raise` without arguments stands outside `rescue`, in a method that calls itself",
                Some("write: raise ArgumentError, \"message\"".into()),
            ));
        }
        if call.args.is_empty() {
            // What is handled around the section.
            self.enter(node);
            let around = self.handled_around();
            return match around.types.single() {
                Some(Type::Nil) => None,
                Some(Type::Object(_, class)) if self.is_exception(*class) => {
                    Some(self.raise_existing(&around, node))
                }
                _ if around.is_bottom() => Some(around),
                _ => Some(self.refuse_raise(node)),
            };
        }
        if let Some(Node { kind: Kind::KeywordArgs(_), .. }) = call.args.last() {
            self.enter(node);
            return Some(self.refuse_here(
                "unsupported-raise",
                "`raise` hands keywords on as one Hash, and takes `cause:` itself",
                Some("make the exception with them: raise MyError.new(code: 3); `cause:` may be nil".into()),
            ));
        }
        None
    }

    /// The TypeError of `raise` itself.
    pub(super) fn fail_to_raise(&mut self, told: &str) -> Operand {
        self.running_natives(&[(Type::Nil, "raise")], |s| s.fail(ErrorKind::TypeError(told.into()), &[]))
    }

    fn raise_handled(&mut self, node: &Node, caught: &Caught) -> Operand {
        self.enter(node);
        let sites = caught.sites.iter();
        let classes: Vec<ClassId> =
            sites.filter_map(|site| class_of_error(&self.program.sites[site.0 as usize].error)).collect();
        if let Some(class) = classes.into_iter().find(|class| self.makes_another(*class)) {
            let name = self.host.class_name(class);
            return self.refuse_here(
                "unsupported-raise",
                format!("`raise` of what is being handled asks the `exception` that {name} has of its own"),
                Some("raise another one: raise ArgumentError, error.message".into()),
            );
        }
        self.check_message(caught);
        let Some(object) = self.known_object(caught) else { return self.raise_again(caught) };
        self.switch(&object, 0xc3, &mut |s, object| {
            let Some(Type::Made(class)) = object.types.single().cloned() else { return Operand::bottom() };
            s.raise_object_again(caught, &object, class)
        })
    }

    /// May what is raised again get a cause that it did not have: what is handled within its clause, which was not raised
    /// for it?
    fn may_get_cause(&self, caught: &Caught) -> bool {
        let Some(innermost) = self.handled.last().filter(|last| last.variable != caught.variable) else {
            return false;
        };
        let sites = &self.program.sites;
        let may_have_another = |site: &SiteId| {
            let site = &sites[site.0 as usize];
            site.no_cause || matches!(site.error, ErrorKind::RaiseMade(_))
        };
        innermost.sites.iter().any(may_have_another)
    }

    /// Raises the object again that is handled in a clause around the innermost one.
    fn raise_for_another(&mut self, node: &Node, caught: &Caught) -> Operand {
        self.enter(node);
        if !self.ask_causes() {
            return Operand::bottom();
        }
        match self.known_object(caught) {
            Some(object) => self.raise_made(&object, node),
            None => self.refuse_raise(node),
        }
    }

    /// Raises the object that a clause has made of what it handles, of which the variable there tells that it is that one.
    fn raise_object_again(&mut self, caught: &Caught, object: &Operand, class: ClassId) -> Operand {
        let is_of_class =
            |s: &Self, site: &SiteId| class_of_error(&s.program.sites[site.0 as usize].error) == Some(class);
        let sites: Vec<SiteId> =
            caught.sites.iter().copied().filter(|site| is_of_class(self, site)).collect();
        let Some(site) = sites.first() else { return Operand::bottom() };
        self.memo.changed |= self.memo.raised.insert(class);
        let made = self.site_of_object(*site);
        let path = self.temp_get(caught.temps[3]).value();
        let [number, zero] = [i64::from(made.0), 0].map(|number| self.b.i64(number));
        let payload = self.encode_payload(object.value());
        self.raise_from([number, payload, zero, path], &[made]);
        Operand::bottom()
    }

    /// An exception that a method of its class makes; `None` where its class and a text tell all.
    fn raise_by_call(&mut self, node: &Node, of: ClassId, nodes: &[&Node]) -> Option<Operand> {
        if !self.is_exception(of) || self.has_own_exception(of) {
            let given: Vec<Operand> = nodes.iter().map(|node| self.expr(node)).collect();
            if given.iter().any(Operand::is_bottom) {
                return Some(Operand::bottom());
            }
            self.enter(node);
            return self.made_by_class(node, of, &given);
        }
        if nodes.len() < 2 && !self.is_said_by_text(of) {
            let mut given = Vec::new();
            for node in nodes {
                given.push(self.expr(node));
            }
            return Some(self.raise_new(node, of, given, false));
        }
        None
    }

    /// An exception of a class with a text that is written out, or with none. `is_bare`: with no class either.
    fn raise_parts(
        &mut self,
        node: &Node,
        class: ClassId,
        parts: Option<Vec<StringPart>>,
        is_bare: bool,
    ) -> Operand {
        let raised = match &parts {
            _ if self.frame().builtin => Raised::ByRuby,
            None => Raised::ByRuby,
            Some(parts) => match &parts[..] {
                [StringPart::Frozen(_)] => Raised::ByFrozenText,
                _ => Raised::ByText,
            },
        };
        let parts = match parts {
            None if is_bare => Some(vec![StringPart::Text(String::new())]),
            parts => parts,
        };
        let Some(parts) = parts else {
            return self.fail_raised(ErrorKind::Raise { class, message: None }, &[], raised);
        };
        let mut values = Vec::new();
        for part in &parts {
            if let StringPart::Expression(node) = part {
                let value = self.interpolated(node);
                if value.is_bottom() {
                    return value;
                }
                values.push(value);
            }
        }
        self.enter(node);
        let has_number = |value: &&Operand| {
            !value.types.iter().all(|ty| matches!(ty, Type::Nil | Type::True | Type::False))
        };
        let is_known = |value: &Operand| value.types.iter().all(is_told);
        // A text of nothing but a String is another String.
        let is_copy = parts.len() == 1 && values.iter().any(|value| value.types.iter().any(Type::is_string));
        if is_copy || !values.iter().all(is_known) || values.iter().filter(has_number).count() > 2 {
            // Two values go along with a failure.
            let pieces = self.pieces_of(&parts, &mut values.into_iter());
            let text = match pieces {
                Some(pieces) => self.joined(&pieces),
                None => return Operand::bottom(),
            };
            if text.is_bottom() {
                return text;
            }
            return self.raise_with((class, raised), &[None], vec![text], vec![], vec![]);
        }
        let message: Vec<Option<String>> = parts
            .into_iter()
            .map(|part| match part {
                StringPart::Text(text) | StringPart::Frozen(text) => Some(text),
                StringPart::Expression(_) => None,
            })
            .collect();
        self.raise_with((class, raised), &message, values, vec![], vec![])
    }

    /// `raise Class.new(message, receiver: …)` of a built-in method, where the section asks for more than the message.
    fn raise_of_ruby(&mut self, node: &Node, class: ClassId, given: &[Node]) -> Operand {
        let Some(mut arguments) = self.arguments(given) else { return Operand::bottom() };
        self.enter(node);
        let mut message = arguments.positional.remove(0);
        if matches!(given[0].kind, Kind::String(_)) {
            let text = self.string_of_text("");
            message = self.send(&text, "#tell", &[message], 0xc1);
            message = self.in_encoding_of(class, message);
        }
        let given: Vec<(&str, Operand)> = arguments
            .keywords
            .into_iter()
            .map(|(name, value)| (if name == "key" { SUBJECT } else { RECEIVER }, value))
            .collect();
        self.raise_keeping(class, Some(message), None, &given)
    }

    /// `raise` of one of several classes, as in `raise ERRORS[code], text`, and of what is asked for its `exception`.
    fn raise_one_of(&mut self, node: &Node, classes: &Operand, given: &[&Node]) -> Operand {
        if let [_, extra, ..] = given {
            return self.refuse_raise(extra);
        }
        let given: Vec<Operand> = given.iter().map(|node| self.expr(node)).collect();
        if given.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        self.enter(node);
        self.switch(classes, 0xc3, &mut |s, class| {
            let Some(of) = super::conditions::module_of(&class) else {
                return match (&given[..], s.runtime_error()) {
                    ([], Some(of)) if class.types.iter().all(Type::is_string) => {
                        s.raise_with((of, Raised::ByText), &[None], vec![class], vec![], vec![])
                    }
                    ([], _) => s.raise_made(&class, node),
                    (given, _) => s.raise_asked(&class, given, node),
                };
            };
            if let Some(raised) = s.made_by_class(node, of, &given) {
                return raised;
            }
            match &given[..] {
                [text] if s.is_said_by_text(of) && text.types.iter().all(Type::is_string) => {
                    let kind = (of, Raised::ByText);
                    s.raise_with(kind, &[None], vec![text.clone()], vec![], vec![])
                }
                _ => s.raise_new(node, of, given.clone(), false),
            }
        })
    }

    /// What the class's own `exception` makes; the TypeError of a class that is none of an exception; else `None`.
    fn made_by_class(&mut self, node: &Node, of: ClassId, given: &[Operand]) -> Option<Operand> {
        if !self.is_exception(of) {
            match self.host.singleton_method(of, "exception") {
                Ok(None) => return Some(self.fail_to_raise(NO_EXCEPTION)),
                _ if !self.has_own_exception(of) => return Some(self.refuse_raise(node)),
                _ => {}
            }
        }
        self.has_own_exception(of).then(|| {
            let module = Operand { types: Type::Module(of).into(), ..Operand::nil() };
            let made =
                self.running_natives(&[(Type::Nil, "raise")], |s| s.send(&module, "exception", given, 0xc2));
            self.raise_object(&made, node, NO_OBJECT)
        })
    }

    /// Does such an exception keep what a built-in method gives it by name? Where a section cannot begin anew, what is to
    /// be computed first might be what it would begin anew for.
    fn keeps_given(&mut self, class: ClassId, named: &[Node]) -> bool {
        if self.is_asked_for(class) {
            return true;
        }
        if !self.cannot_begin_anew() || !named.iter().all(is_at_hand) {
            return false;
        }
        let Some(arguments) = self.arguments(named) else { return false };
        let types: Vec<&TypeSet> = arguments.keywords.iter().map(|(_, value)| &value.types).collect();
        self.keeps_facts(class, &types)
    }

    /// `raise Class, value` or, `by_new`, `raise Class.new(value)`, where that is no text alone.
    fn raise_new(&mut self, node: &Node, class: ClassId, given: Vec<Operand>, by_new: bool) -> Operand {
        if given.iter().any(Operand::is_bottom) {
            return Operand::bottom();
        }
        if !self.is_exception(class) {
            return self.refuse_raise(node);
        }
        self.enter(node);
        let arguments = Arguments { positional: given, ..Arguments::default() };
        let makers = [(Type::Nil, "raise"), (Type::Module(class), "exception"), (Type::Module(class), "new")];
        let makers = if by_new { &makers[2..] } else { &makers[..2] };
        let made = self.running_natives(makers, |s| s.construct(class, &arguments, None));
        match by_new {
            true => self.raise_made(&made, node),
            // Ruby asks the class alone.
            false => self.raise_object(&made, node, NO_OBJECT),
        }
    }

    /// Has the class an `exception` of the user's, which says what `raise` raises?
    fn has_own_exception(&mut self, class: ClassId) -> bool {
        let found = self.host.singleton_method(class, "exception");
        matches!(found, Ok(Some(found)) if !matches!(found.method, Method::Native { .. }))
    }

    /// Is such an exception known by its class and text alone? One that nobody in the section rescues, Ruby makes.
    fn is_said_by_text(&mut self, class: ClassId) -> bool {
        !self.memo.handles || self.says_message(class) || self.takes_text(class)
    }

    pub(super) fn refuse_raise(&mut self, at: &Node) -> Operand {
        self.enter(at);
        self.refuse_here(
            "unsupported-raise",
            "`raise` takes an exception that the section makes, or a class, and one value",
            Some("name the class and give it a String: raise ArgumentError, \"too far: #{x}\"".into()),
        )
    }

    /// Fails with a message whose values are told apart class by class: `known` are those done already.
    fn raise_with(
        &mut self,
        (class, raised): (ClassId, Raised),
        message: &[Option<String>],
        mut values: Vec<Operand>,
        known: Vec<Receiver>,
        operands: Vec<Value>,
    ) -> Operand {
        if !values.is_empty() {
            let first = values.remove(0);
            return self.switch(&first, 32 + known.len() as u32, &mut |s, value| {
                if value.types.len() > 1 {
                    let (yes, no) =
                        (s.narrow(&value, &Type::True.into()), s.narrow(&value, &Type::False.into()));
                    let condition = s.truth_condition(&value);
                    let with = |s: &mut Self, value: Operand| {
                        let values = std::iter::once(value).chain(values.iter().cloned()).collect();
                        s.raise_with((class, raised), message, values, known.clone(), operands.clone())
                    };
                    return s.branch(33, condition, |s| with(s, yes), |s| with(s, no));
                }
                let (receiver, own) = s.told(&value);
                let known = known.iter().cloned().chain([receiver]).collect();
                let operands: Vec<Value> = operands.iter().copied().chain(own).collect();
                s.raise_with((class, raised), message, values.clone(), known, operands)
            });
        }
        let mut known = known.into_iter();
        let parts = message.iter().filter_map(|part| match part {
            Some(text) => Some(MessagePart::Text(text.clone())),
            None => known.next().map(MessagePart::Value),
        });
        let parts: Vec<MessagePart> = parts.collect();
        self.fail_raised(ErrorKind::Raise { class, message: Some(parts) }, &operands, raised)
    }

    /// A value of one class that a message tells as it is, with its operand.
    pub(crate) fn told(&mut self, value: &Operand) -> (Receiver, Vec<Value>) {
        match value.types.single() {
            Some(ty) if ty.is_made_string() => (Receiver::MadeString, value.values.to_vec()),
            _ => self.receiver(value),
        }
    }
}

/// Is it a variable or self, or names such?
fn is_at_hand(node: &Node) -> bool {
    match &node.kind {
        Kind::KeywordArgs(pairs) => pairs.iter().all(|pair| match pair {
            KeywordArg::Pair(_, value) => is_at_hand(value),
            _ => false,
        }),
        kind => matches!(kind, Kind::Local(_) | Kind::SelfRef),
    }
}

/// `cause:`, alone.
fn given_cause(node: &Node) -> Option<&Node> {
    let Kind::KeywordArgs(pairs) = &node.kind else { return None };
    match &pairs[..] {
        [KeywordArg::Pair(name, cause)] if name == "cause" => Some(cause),
        _ => None,
    }
}

/// Is it given a String, or nothing?
fn has_one_text(new: &Call) -> bool {
    let is_value = |node: &Node| !matches!(node.kind, Kind::Splat(_) | Kind::KeywordArgs(_));
    new.args.len() <= 1 && new.args.iter().all(is_value) && new.block.is_none()
}

/// Is it an object of the section's, or what nobody can raise?
const fn is_no_text(ty: &Type) -> bool {
    match ty {
        Type::Made(class) => class.0 != ClassId::STRING.0,
        Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol => true,
        _ => false,
    }
}

/// Does a failure tell such a value by itself, as `to_s` would?
fn is_told(ty: &Type) -> bool {
    match ty {
        Type::Nil
        | Type::True
        | Type::False
        | Type::Integer
        | Type::Float
        | Type::Symbol
        | Type::Module(_) => true,
        ty => ty.is_string(),
    }
}
