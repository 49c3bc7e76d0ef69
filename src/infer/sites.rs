//! Places that can fail, and types in words.

use super::calls::Arguments;
use super::exception_messages::{UNKNOWN_NAME, missing_said};
use super::exceptions::{ARGUMENTS, RECEIVER, SUBJECT};
use super::failing::class_of_error;
use super::host::Holder;
use super::{Host, Lowerer, Operand};
use crate::ir::{ErrorKind, Missing, Raised, Receiver, Site, SiteId, THIS_METHOD, Value};
use crate::syntax::ast::{Call, Kind, Node, StringPart, Target};
use crate::types::{ClassId, METHOD, Shape, Type, TypeSet};

impl Lowerer<'_> {
    /// The number of the site of `error` at the current place.
    pub(crate) fn site(&mut self, mut error: ErrorKind) -> SiteId {
        // What a built-in written in Ruby calculates is no operation of the user's.
        if let ErrorKind::Overflow { operator, .. } = &mut error
            && self.frames.get(self.current).is_some_and(|frame| frame.builtin)
        {
            match self.builtin_name() {
                Some(name) => *operator = name,
                // A part of one that is a function of its own: who calls it turns out as it runs.
                None if !operator.contains(char::is_alphabetic) && operator != "**" => {
                    *operator = THIS_METHOD.into();
                }
                None => {}
            }
        }
        if let ErrorKind::Unsupported(told) = &mut error {
            *told = self.with_public_names(told);
        }
        let site = self.site_here(error);
        self.numbered_site(site)
    }

    /// The site of `error` at the current place.
    pub(super) fn site_here(&mut self, error: ErrorKind) -> Site {
        let mut places = self.places_here();
        // What is an error of Ikra's own no method of Ruby's has raised.
        if class_of_error(&error).is_none() {
            let natives = places.iter().take_while(|place| place.native).count();
            places.drain(..natives);
        }
        let is_refused = matches!(error, ErrorKind::Unsupported(_));
        let refused = is_refused.then(|| (self.user_span(), self.call_in_block()));
        let has_cause = class_of_error(&error).is_some() && self.may_have_cause();
        let no_cause = self.says_no_cause();
        let overflows = matches!(error, ErrorKind::Overflow { .. });
        let within = (overflows && self.span.file.is_core()).then_some(self.span);
        Site { error, raised: Raised::ByRuby, places, refused, has_cause, no_cause, within }
    }

    /// The names by which methods are called on this line, where they are not written out.
    pub(crate) fn names_called_here(&mut self) -> Vec<String> {
        let (path, line) = self.line_here();
        let known = self.host.called_names(&path, line);
        if !known.is_empty() {
            return known;
        }
        let prefix = self.prefixes.get(&(path.clone(), line));
        self.host.guess_names(&path, line, prefix.map(String::as_str));
        self.host.called_names(&path, line)
    }

    /// A method may be called by a name here that is put together: how that begins is noted, where it is written out.
    pub(super) fn note_prefix(&mut self, call: &Call) {
        if !matches!(call.name.as_str(), "send" | "public_send" | "__send__") {
            return;
        }
        if let Some(prefix) = call.args.first().and_then(prefix_of) {
            let prefix = prefix.to_string();
            self.prefixes.insert(self.line_here(), prefix);
        }
    }

    /// The number of a site in this walk.
    pub(super) fn numbered_site(&mut self, site: Site) -> SiteId {
        if let Some(id) = self.sites.get(&site) {
            return *id;
        }
        let id = SiteId(self.program.sites.len() as u32);
        self.program.sites.push(site.clone());
        self.sites.insert(site, id);
        id
    }

    /// Fails the element here.
    pub(crate) fn fail(&mut self, error: ErrorKind, operands: &[Value]) -> Operand {
        if !self.b.is_dead() {
            let site = self.site(error);
            self.fail_at(site, operands);
        }
        Operand::bottom()
    }

    /// The same, of a `raise`.
    pub(super) fn fail_raised(&mut self, error: ErrorKind, operands: &[Value], raised: Raised) -> Operand {
        if !self.b.is_dead() {
            let site = Site { raised, ..self.site_here(error) };
            let site = self.numbered_site(site);
            self.fail_at(site, operands);
        }
        Operand::bottom()
    }

    /// Fails the element unless `condition` holds.
    pub(crate) fn check(&mut self, condition: Value, error: ErrorKind, operands: &[Value]) {
        if self.b.constant(condition) != Some(1) {
            let site = self.site(error);
            self.check_at(condition, site, operands);
        }
    }

    /// NoMethodError for a receiver of one class.
    pub(crate) fn no_method(
        &mut self,
        receiver: &Operand,
        name: &str,
        missing: Missing,
        arguments: &Arguments,
    ) -> Operand {
        if self.keeps_facts(ClassId::NO_METHOD_ERROR, &[&receiver.types]) {
            let is_asked = self.memo.facts.contains(&ClassId::NO_METHOD_ERROR);
            let known = self.arguments_given(arguments);
            // The receiver leaves without those that cannot.
            let listed = known.types.single().map_or_else(TypeSet::empty, |ty| self.types_of_items(ty));
            let leaves = !stays(&known.types) && !stays(&listed);
            let arguments = if is_asked || leaves { known } else { Operand::nil() };
            let class = ClassId::NO_METHOD_ERROR;
            // That of one that nobody in the section asks the host makes.
            let message = match is_asked {
                true => self.text_about_name(class, missing_said(missing), name, receiver),
                false => None,
            };
            let name = self.symbol(name);
            let given = [(SUBJECT, name), (RECEIVER, receiver.clone()), (ARGUMENTS, arguments)];
            return self.raise_keeping(class, message, Some(missing), &given);
        }
        let is_given =
            arguments.splat.is_some() || !arguments.positional.is_empty() || !arguments.keywords.is_empty();
        let (receiver, operands) = self.receiver(receiver);
        let error = ErrorKind::NoMethod { name: name.into(), receiver, missing, arguments: is_given };
        self.fail(error, &operands)
    }

    pub(crate) fn name_error(&mut self, receiver: &Operand, name: &str) -> Operand {
        if self.keeps_facts(ClassId::NAME_ERROR, &[&receiver.types]) {
            let class = ClassId::NAME_ERROR;
            let message = match self.memo.facts.contains(&class) {
                true => self.text_about_name(class, UNKNOWN_NAME, name, receiver),
                false => None,
            };
            let given = [(SUBJECT, self.symbol(name)), (RECEIVER, receiver.clone())];
            return self.raise_keeping(class, message, None, &given);
        }
        let (receiver, operands) = self.receiver(receiver);
        self.fail(ErrorKind::NameError { name: name.into(), receiver }, &operands)
    }

    /// How an error names a receiver of one class, and the operand that identifies it.
    pub(crate) fn receiver(&mut self, receiver: &Operand) -> (Receiver, Vec<Value>) {
        let values = receiver.values.to_vec();
        match receiver.types.iter().next() {
            Some(Type::Nil) | None => (Receiver::Nil, vec![]),
            Some(Type::True) if receiver.types.len() == 1 => (Receiver::True, vec![]),
            Some(Type::True | Type::False) => (Receiver::False, vec![]),
            Some(Type::Integer) => (Receiver::Integer, values),
            Some(Type::Float) => (Receiver::Float, values),
            Some(Type::Symbol) => (Receiver::Symbol, values),
            Some(Type::Object(h, _)) => (Receiver::Object(*h), values),
            Some(Type::Array(k) | Type::Column(k, _) | Type::Hash(k, _)) => (Receiver::Array(*k), values),
            Some(Type::Module(c)) => (Receiver::Module(*c), vec![]),
            Some(Type::Range { .. }) => (Receiver::Text("an instance of Range".into()), vec![]),
            Some(ty @ (Type::Record(_) | Type::Made(_) | Type::Building(..))) => {
                let class = self.host.class_name(class_of(ty));
                (Receiver::Text(format!("an instance of {class}")), vec![])
            }
            Some(ty @ (Type::Proc(_) | Type::Closure(..))) => {
                let class = self.host.class_name(class_of(ty));
                (Receiver::Text(format!("an instance of {class}")), vec![])
            }
            Some(Type::Tuple(_) | Type::List(_)) => (Receiver::Text("an instance of Array".into()), vec![]),
            Some(Type::Enumerator(..)) => (Receiver::Text("an instance of Enumerator".into()), vec![]),
        }
    }

    /// TypeError: "no implicit conversion of nil into Integer", with what an operand is in the middle.
    pub(crate) fn fail_conversion(&mut self, before: &str, operand: &Operand, after: &str) -> Operand {
        // What says that it is one is no conversion that a section makes.
        let by = match after {
            " into String" => Some("to_str"),
            " into Hash" => Some("to_hash"),
            _ => None,
        };
        self.within_slot(0x3f2, |s| {
            s.switch(operand, 0, &mut |s, operand| {
                let class = operand.types.single().map(|ty| class_of(ty).in_ruby());
                let has = |s: &mut Self, by: &str| {
                    class.is_some_and(|class| !matches!(s.host.method(class, by), Ok(None)))
                };
                if let Some(by) = by.filter(|by| has(s, by)) {
                    let what = s.describe(&operand.types);
                    return s.refuse_here(
                        "unsupported-argument",
                        format!("{what}, which has `{by}`, cannot be an argument here in a section"),
                        Some(format!("call {by}")),
                    );
                }
                s.each_of_bool(&operand, &mut |s, operand| {
                    let name = operand.types.iter().next().map_or_else(String::new, |t| s.coercion_name(t));
                    s.fail(ErrorKind::TypeError(format!("{before}{name}{after}")), &[])
                })
            })
        })
    }

    /// Runs `f` for true and for false apart, where the operand can be both; else once.
    pub(crate) fn each_of_bool(
        &mut self,
        operand: &Operand,
        f: &mut dyn FnMut(&mut Self, &Operand) -> Operand,
    ) -> Operand {
        if operand.types != TypeSet::bool() {
            return f(self, operand);
        }
        let is_true = self.is_type(operand, &Type::True);
        let condition = super::Condition { value: is_true, yes: vec![], no: vec![] };
        let (yes, no) = (self.narrow(operand, &Type::True.into()), self.narrow(operand, &Type::False.into()));
        let f = std::cell::RefCell::new(f);
        self.branch(20, condition, |s| (*f.borrow_mut())(s, &yes), |s| (*f.borrow_mut())(s, &no))
    }

    /// How a coercion error names a value: `nil`, `true`, `Car`.
    pub(crate) fn coercion_name(&self, ty: &Type) -> String {
        match ty {
            Type::Nil => "nil".into(),
            Type::True => "true".into(),
            Type::False => "false".into(),
            other => self.host.class_name(self.exact_class(other)),
        }
    }

    /// Notes the type of an expression of the user's, for `Ikra.explain`: of names, calls and what is assigned. Literals
    /// tell their type themselves, and a value that nobody uses has none to tell.
    pub(crate) fn note_type(&mut self, node: &Node, unused: bool, operand: &Operand) {
        if self.frame().builtin || operand.is_bottom() {
            return;
        }
        self.listing.codes.insert(self.frame().code.span);
        let span = match &node.kind {
            Kind::Assign { target, .. } | Kind::OpAssign { target, .. } => match &**target {
                Target::Captured(..) if unused => return,
                target => target.span(),
            },
            Kind::Local(_)
            | Kind::Captured(_)
            | Kind::Ivar(_)
            | Kind::Global(_)
            | Kind::ClassVariable(_)
            | Kind::Constant { .. } => node.span,
            Kind::Call(_) | Kind::Yield(_) | Kind::Super { .. } | Kind::Array(_) if !unused => node.span,
            _ => return,
        };
        self.listing.types.entry(span).or_default().extend(&operand.types);
    }
}

/// Is something among them that has no place in what leaves the section?
pub(super) fn stays(types: &TypeSet) -> bool {
    types.iter().any(|ty| match ty {
        Type::Tuple(items) => items.iter().any(stays),
        Type::Record(record) => record.class == ClassId::MATCH_DATA,
        Type::Range { .. } => false,
        other => matches!(other.shape(), Shape::Local | Shape::Proc),
    })
}

/// The class that a method is looked up in.
pub(crate) fn class_of(ty: &Type) -> ClassId {
    match ty {
        Type::Nil => ClassId::NIL,
        Type::True => ClassId::TRUE,
        Type::False => ClassId::FALSE,
        Type::Integer => ClassId::INTEGER,
        Type::Float => ClassId::FLOAT,
        Type::Symbol => ClassId::SYMBOL,
        Type::Object(_, class) => *class,
        Type::Array(_) | Type::Tuple(_) | Type::List(_) => ClassId::ARRAY,
        Type::Column(..) => ClassId::COLUMN,
        Type::Hash(..) => ClassId::HASH,
        Type::Enumerator(..) => ClassId::ENUMERATOR,
        Type::Range { .. } => ClassId::RANGE,
        Type::Module(_) => ClassId::MODULE,
        Type::Proc(number) | Type::Closure(number, _) if number & METHOD != 0 => ClassId::METHOD,
        Type::Proc(_) | Type::Closure(..) => ClassId::PROC,
        Type::Building(_, class) | Type::Made(class) => *class,
        Type::Record(record) => record.class,
    }
}

/// What a method is called on.
pub(super) fn holder(ty: &Type) -> Holder {
    match ty {
        Type::Module(module) => Holder::Module(*module),
        other => Holder::Instance(class_of(other)),
    }
}

/// A set in words: `Integer`, `Car or nil`.
pub(crate) fn describe(host: &dyn Host, types: &TypeSet) -> String {
    let has_bools = types.contains(&Type::True) && types.contains(&Type::False);
    let mut words: Vec<String> = types
        .iter()
        .filter_map(|ty| match ty {
            Type::Nil => None,
            Type::True if has_bools => None,
            Type::False if has_bools => Some("true or false".into()),
            Type::True => Some("true".into()),
            Type::False => Some("false".into()),
            Type::Array(_) | Type::List(_) => Some("Array".into()),
            Type::Tuple(items) => {
                Some(format!("[{}]", items.iter().map(|t| describe(host, t)).collect::<Vec<_>>().join(", ")))
            }
            Type::Module(class) => Some(format!("the class or module {}", host.class_name(*class))),
            other => Some(host.class_name(class_of(other))),
        })
        .collect();
    if types.contains(&Type::Nil) {
        words.push("nil".into());
    }
    words.dedup();
    if words.is_empty() { "nothing".into() } else { words.join(" or ") }
}

/// The text that a String, or a Symbol made of it, begins with.
fn prefix_of(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::String(parts) => match parts.first()? {
            StringPart::Text(text) | StringPart::Frozen(text) => Some(text),
            StringPart::Expression(_) => None,
        },
        Kind::Call(call) if matches!(call.name.as_str(), "to_sym" | "+") => {
            prefix_of(call.receiver.as_ref()?)
        }
        _ => None,
    }
}
