//! What backtraces tell of the code being lowered: methods, blocks, clauses of a `begin` and Ruby's own methods, as
//! they call each other when it runs. Compiled code has nothing of it: sites and calls of functions keep it as data
//! (`ir::Place`).
//!
//! While code is lowered, `Lowerer::running` is what would run: a list, innermost first, of methods, blocks, clauses of
//! a `begin` and Ruby's own methods, each with the place that called it. It is another thing than the frames, which are
//! where locals are: a block runs in the frame that it was written in, and is called by `each`. What is pushed is
//! shared by all that is lowered within it, and strings are made only where a site is.
//!
//! A method of Ruby's own is pushed where the user's code calls it (`running_native`), whether a rule or Ruby code of
//! ours carries it out; what that calls is hidden, until it comes to a block or method of the user's. Then what Ruby
//! runs these through is pushed too: `each` of Enumerable's methods, `initialize` by `new`, the method that an
//! Enumerator stands for. What Ruby's backtraces print for its own methods that are written in Ruby
//! (`<internal:kernel>`), `Failures` asks Ruby for.

use super::host::{FoundMethod, Holder, Method};
use super::sites::{class_of, holder};
use super::{Frame, Lowerer, Operand};
use crate::ir::Place;
use crate::source::Span;
use crate::syntax::ast::{Begin, BlockLiteral, Code, CodeKind, Kind, Node};
use crate::types::{ClassId, Type};
use std::rc::Rc;

/// What runs, and what has called it.
#[derive(Debug)]
pub(crate) struct Running {
    what: Runs,
    /// The place in the caller's code.
    called_at: Span,
    caller: Option<Rc<Self>>,
}

#[derive(Clone, Debug)]
enum Runs {
    /// A method, with the class that defines it; or a block or lambda from around the section.
    Code(Rc<Code>, ClassId),
    /// A block or lambda that stands in such a code, in so many of its blocks.
    Block(Rc<Code>, ClassId, u32),
    /// A clause of a `begin`, in versions that have frames for these.
    Clause(&'static str),
    /// One of Ruby's own methods, called on that.
    Native(Type, Rc<str>),
    /// Code of a built-in that has no frame in Ruby.
    Hidden,
    /// What a method of Ruby's own calls as users do, by name: it has a frame, also if it is one of Ruby's own. Some call
    /// it of their own accord, and not as they go through `each`.
    Asked { directly: bool },
}

/// What the user's code is to a method of Ruby's own that calls it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    Block,
    Method,
}

/// The most methods that a block is run through.
const MOST_THROUGH: usize = 16;

impl Lowerer<'_> {
    /// Runs `f` as what is called from the current place.
    fn running<T>(&mut self, what: Runs, f: impl FnOnce(&mut Self) -> T) -> T {
        let caller = self.running.clone();
        self.enter_call(what, self.span);
        let result = f(self);
        self.running = caller;
        result
    }

    fn enter_call(&mut self, what: Runs, called_at: Span) {
        let caller = self.running.take();
        self.running = Some(Rc::new(Running { what, called_at, caller }));
    }

    /// The section's own code is what runs.
    pub(super) fn begin_running(&mut self, code: &Rc<Code>) {
        self.running = None;
        self.enter_call(Runs::Code(Rc::clone(code), ClassId::OBJECT), code.span);
    }

    /// Runs `f` as what backtraces leave out: Ikra's own methods.
    pub(super) fn running_hidden<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.running(Runs::Hidden, f)
    }

    /// Runs `f` as what a method of Ruby's own calls by name.
    pub(crate) fn running_asked<T>(&mut self, directly: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        if !self.runs_native() {
            return f(self);
        }
        let asks = Runs::Asked { directly };
        self.running(asks.clone(), |s| {
            // What is not there is missed within the `each` that it is called in.
            s.go_through(Called::Block);
            s.running(asks, f)
        })
    }

    /// Runs `f` within the `each` through which the method of Ruby's own that is at work goes: what it raises itself comes
    /// from there.
    pub(crate) fn running_in_each<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let caller = self.running.clone();
        self.go_through(Called::Block);
        let result = f(self);
        self.running = caller;
        result
    }

    /// Runs `f` as a method's code, or that of a block or lambda from around the section.
    pub(super) fn running_code<T>(
        &mut self,
        code: &Rc<Code>,
        owner: ClassId,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let caller = self.running.clone();
        self.go_through(Called::Method);
        let result = self.running(Runs::Code(Rc::clone(code), owner), f);
        self.running = caller;
        result
    }

    /// Runs `f` as a block or lambda that stands in the code of a frame.
    pub(super) fn running_block<T>(
        &mut self,
        literal: &BlockLiteral,
        frame: usize,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let Frame { builtin, code, owner, .. } = &self.frames[frame];
        if *builtin {
            return self.running(Runs::Hidden, f);
        }
        let what = Runs::Block(Rc::clone(code), *owner, literal.depth);
        let caller = self.running.clone();
        self.go_through(Called::Block);
        let result = self.running(what, f);
        self.running = caller;
        result
    }

    /// Runs `f` as a clause of a `begin`: `rescue in`, `ensure in`. The code around a `rescue` is told to be at the `begin`,
    /// or at the beginning of the method that is nothing else; within an `ensure`, at the word `rescue`. That around an
    /// `ensure` is at the end of this.
    pub(super) fn running_clause<T>(
        &mut self,
        name: &'static str,
        node: &Node,
        begin: &Begin,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.frame().builtin || !self.host.dialect().clauses_are_frames {
            return f(self);
        }
        let code = &self.frame().code;
        let is_all = match &code.body.kind {
            Kind::Sequence(nodes) => matches!(&nodes[..], [only] if only.id == node.id),
            _ => code.body.id == node.id,
        };
        let place = match (&begin.ensure, begin.rescues.first()) {
            (Some(_), Some(rescue)) if name == "rescue in" => rescue.keyword,
            (Some(ensure), _) => end_of(ensure),
            (None, _) if is_all && code.kind == CodeKind::Method => code.span,
            (None, _) => node.span,
        };
        let caller = self.running.clone();
        self.enter_call(Runs::Clause(name), place);
        let result = f(self);
        self.running = caller;
        result
    }

    /// Runs `f` as one of Ruby's own methods, unless it is another one of them that calls it, and not by name.
    pub(super) fn running_native<T>(
        &mut self,
        receiver: &Operand,
        name: &str,
        args: &[Operand],
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let by_name = match self.running.as_deref().map(|running| &running.what) {
            Some(Runs::Asked { .. }) => true,
            Some(Runs::Native(..) | Runs::Hidden) => matches!(name, "==" | "<=>" | "===" | "inspect"),
            _ => false,
        };
        let Some(ty) = receiver.types.iter().next().filter(|_| by_name || !self.runs_native()).cloned()
        else {
            return f(self);
        };
        if self.calls_alone(&ty, name) {
            return f(self);
        }
        if by_name {
            let caller = self.running.clone();
            self.go_through(Called::Method);
            self.enter_call(Runs::Native(ty, name.into()), self.span);
            let result = f(self);
            self.running = caller;
            return result;
        }
        if is_instruction(&ty, name, args) || self.array_literal == Some(self.span) {
            return self.running_hidden(f);
        }
        if name == "!~" {
            return self.running_natives(&[(ty.clone(), name), (ty, "=~")], f);
        }
        let class = match (&ty, name) {
            (Type::Module(class), "new") => Some(*class),
            _ => None,
        };
        match class.and_then(|class| self.host.method(class, "initialize").ok()?.map(|found| (class, found)))
        {
            Some((class, FoundMethod { method: Method::Native { .. }, .. })) => {
                self.running_natives(&[(ty, name), (Type::Building(0, class), "initialize")], f)
            }
            _ => self.running_natives(&[(ty, name)], f),
        }
    }

    /// Runs `f` as methods of Ruby's own of which each calls the next.
    pub(super) fn running_natives<T>(
        &mut self,
        methods: &[(Type, &str)],
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.runs_native() {
            return f(self);
        }
        let caller = self.running.clone();
        for (ty, name) in methods {
            self.enter_call(Runs::Native(ty.clone(), (*name).into()), self.span);
        }
        let result = f(self);
        self.running = caller;
        result
    }

    /// Is it a method that is nothing but the call of another one, which has no frame?
    fn calls_alone(&self, ty: &Type, name: &str) -> bool {
        match name {
            "send" | "__send__" => true,
            "call" | "()" | "yield" | "[]" | "===" => self.host.is_subclass(class_of(ty), ClassId::PROC),
            _ => false,
        }
    }

    /// Is it a method's own code that runs, and no block of it?
    pub(super) fn runs_method(&self) -> bool {
        let what = self.running.as_deref().map(|running| &running.what);
        matches!(what, Some(Runs::Code(code, _)) if code.kind == CodeKind::Method)
    }

    /// Is one of Ruby's own methods at work, and not what it has called?
    pub(super) fn runs_native(&self) -> bool {
        let what = self.running.as_deref().map(|running| &running.what);
        matches!(what, None | Some(Runs::Native(..) | Runs::Hidden))
    }

    /// The method of Ruby's own that is at work.
    pub(super) fn running_name(&self) -> Option<Rc<str>> {
        let mut next = self.running.as_deref();
        while let Some(running) = next {
            match &running.what {
                Runs::Native(_, name) => return Some(Rc::clone(name)),
                Runs::Hidden | Runs::Asked { .. } => next = running.caller.as_deref(),
                _ => return None,
            }
        }
        None
    }

    /// Adds the methods of Ruby's own through which the one that is at work calls the user's code.
    fn go_through(&mut self, called: Called) {
        let mut at = self.running.as_deref();
        let mut is_direct = false;
        while let Some(Running { what: what @ (Runs::Hidden | Runs::Asked { .. }), caller, .. }) = at {
            is_direct |= matches!(what, Runs::Asked { directly: true });
            at = caller.as_deref();
        }
        let Some(Running { what: Runs::Native(ty, name), .. }) = at else { return };
        let (mut ty, mut name) = (ty.clone(), Rc::clone(name));
        if is_direct && class_of(&ty) == ClassId::ARRAY {
            return;
        }
        for _ in 0..MOST_THROUGH {
            let Some((owner, original)) = self.definition(&ty, &name) else { return };
            let is_of_enumerable = owner == ClassId::ENUMERABLE;
            if is_of_enumerable && is_behind_each(&ty, &original, called) {
                return;
            }
            let next = match &ty {
                // An arithmetic sequence has an `each` of its own.
                Type::Enumerator(of, _) if matches!(&**of, "step" | "%") => return,
                // Its own methods run the one that it stands for.
                Type::Enumerator(of, parts) if !is_of_enumerable => {
                    let receiver = parts.first().and_then(|types| types.iter().next()).cloned();
                    let Some(receiver) = receiver else { return };
                    (receiver, Rc::clone(of))
                }
                _ if is_of_enumerable => (ty.clone(), "each".into()),
                _ => return,
            };
            (ty, name) = next;
            // One of the user's is a frame of its own.
            if !matches!(self.method_of(&ty, &name), Some(FoundMethod { method: Method::Native { .. }, .. }))
            {
                return;
            }
            self.enter_call(Runs::Native(ty.clone(), Rc::clone(&name)), self.span);
        }
    }

    fn method_of(&mut self, ty: &Type, name: &str) -> Option<FoundMethod> {
        let found = match holder(ty) {
            Holder::Module(module) => self.host.singleton_method(module, name),
            Holder::Instance(class) => self.host.method(class, name),
        };
        found.ok().flatten()
    }

    /// Who defines a method of Ruby's own, and what it is called there.
    fn definition(&mut self, ty: &Type, name: &str) -> Option<(ClassId, Rc<str>)> {
        let found = self.method_of(ty, name)?;
        let original = match &found.method {
            Method::Native { name, .. } => name.as_str().into(),
            _ => name.into(),
        };
        Some((found.owner, original))
    }

    /// The current place and the calls that it is inlined in, innermost first: what runs is then the user's code, or one
    /// of Ruby's own methods that it calls there.
    pub(super) fn places_here(&mut self) -> Vec<Place> {
        let (mut places, mut natives) = (Vec::new(), Vec::new());
        let (mut span, mut next) = (self.span, self.running.clone());
        while let Some(running) = next {
            match &running.what {
                Runs::Native(ty, name) => natives.extend(self.native_label(ty, name)),
                Runs::Hidden | Runs::Asked { .. } => {}
                what => {
                    let label = self.label_of(what, running.caller.as_deref());
                    let (path, line) = self.host.place(span);
                    if !path.is_empty() {
                        let native = |label| Place { path: path.clone(), line, label, native: true };
                        places.extend(natives.drain(..).map(native));
                        places.push(Place { path, line, label, native: false });
                    }
                    natives.clear();
                }
            }
            (span, next) = (running.called_at, running.caller.clone());
        }
        places
    }

    /// The same with a block in front that stands here.
    pub(super) fn places_of_block_here(&mut self) -> Vec<Place> {
        let mut places = self.places_here();
        if let Some(around) = places.iter().find(|place| !place.native).cloned() {
            let clauses = ["rescue in ", "ensure in "];
            let mut label = around.label.as_str();
            while let Some(rest) = clauses.iter().find_map(|clause| label.strip_prefix(clause)) {
                label = rest;
            }
            places.insert(0, Place { label: in_blocks(label, 1), ..around });
        }
        places
    }

    /// The path and line of the user's code that is being lowered, or calls what is.
    pub(super) fn line_here(&self) -> (String, u32) {
        let (mut span, mut next) = (self.span, self.running.as_deref());
        while let Some(running) = next {
            if !matches!(running.what, Runs::Native(..) | Runs::Hidden | Runs::Asked { .. }) {
                let (path, line) = self.host.place(span);
                if !path.is_empty() {
                    return (path, line);
                }
            }
            (span, next) = (running.called_at, running.caller.as_deref());
        }
        Default::default()
    }

    fn native_label(&mut self, ty: &Type, name: &str) -> Option<String> {
        let (owner, name) = self.definition(ty, name)?;
        Some(if self.host.dialect().labels_tell_classes {
            self.with_class(owner, &name)
        } else {
            name.to_string()
        })
    }

    fn label_of(&self, what: &Runs, caller: Option<&Running>) -> String {
        match what {
            Runs::Code(code, owner) => self.label(code, *owner),
            Runs::Block(code, owner, depth) => in_blocks(&self.label(code, *owner), *depth),
            Runs::Clause(name) => {
                let around = caller.map(|caller| self.label_of(&caller.what, caller.caller.as_deref()));
                format!("{name} {}", around.unwrap_or_default())
            }
            Runs::Native(..) | Runs::Hidden | Runs::Asked { .. } => String::new(),
        }
    }

    /// What is running, as versions call it that leave classes out of some backtraces.
    pub(super) fn label_without_class(&self) -> Option<String> {
        match &self.running.as_deref()?.what {
            Runs::Code(code, _) => Some(code.name.clone()),
            Runs::Block(code, _, depth) => Some(in_blocks(&code.name, *depth)),
            _ => None,
        }
    }

    /// What backtraces call a code: a method's name, with the class in front in some versions.
    fn label(&self, code: &Code, owner: ClassId) -> String {
        match code.kind == CodeKind::Method && self.host.dialect().labels_tell_classes {
            true => self.with_class(owner, &code.name),
            false => code.name.clone(),
        }
    }

    fn with_class(&self, owner: ClassId, name: &str) -> String {
        let class = self.host.class_name(owner);
        let (class, dot) = match class.strip_prefix("#<Class:").and_then(|rest| rest.strip_suffix('>')) {
            Some(module) => (module, '.'),
            None => (class.as_str(), '#'),
        };
        let has_name = class.starts_with(char::is_uppercase);
        if has_name { format!("{class}{dot}{name}") } else { name.to_string() }
    }
}

/// The label of a block that stands in so many blocks of the code with a label.
fn in_blocks(label: &str, depth: u32) -> String {
    let (around, home) = match label.strip_prefix("block ") {
        Some(rest) if let Some(home) = rest.strip_prefix("in ") => (1, home),
        Some(rest) if let Some((levels, home)) = rest.split_once(" levels) in ") => {
            (levels.trim_start_matches('(').parse().unwrap_or(1), home)
        }
        _ => (0, label),
    };
    match around + depth {
        1 => format!("block in {home}"),
        levels => format!("block ({levels} levels) in {home}"),
    }
}

/// The place of what stands last in the code that Ruby makes of a statement: its branches and clauses in their order, with
/// an `else` of a `case` before them.
fn end_of(node: &Node) -> Span {
    match &node.kind {
        Kind::Sequence(nodes) => nodes.last().map_or(node.span, end_of),
        Kind::If { then, otherwise, .. } => end_of(if is_empty(otherwise) { then } else { otherwise }),
        Kind::Begin(begin) => begin.ensure.as_ref().map_or(node.span, end_of),
        Kind::Case { whens, .. } => whens.last().map_or(node.span, |when| end_of(&when.body)),
        Kind::CaseIn { clauses, .. } => clauses.last().map_or(node.span, |clause| end_of(&clause.body)),
        _ => node.span,
    }
}

fn is_empty(node: &Node) -> bool {
    matches!(&node.kind, Kind::Nil) || matches!(&node.kind, Kind::Sequence(nodes) if nodes.is_empty())
}

/// Does a method of Enumerable call the user's code when it has gone through all items, or without `each`?
fn is_behind_each(ty: &Type, name: &str, called: Called) -> bool {
    match name {
        "sort" | "reverse_each" => true,
        "sort_by" => called == Called::Method,
        "sum" => class_of(ty) == ClassId::HASH,
        _ => false,
    }
}

/// Does Ruby have an instruction for this method of its own classes, so that it runs without a frame?
fn is_instruction(ty: &Type, name: &str, args: &[Operand]) -> bool {
    let by_number = || args.first().is_some_and(|arg| arg.types.single() == Some(&Type::Integer));
    match (class_of(ty), name, args.len()) {
        (ClassId::ARRAY | ClassId::STRING, "<<", 1)
        | (ClassId::HASH, "[]", 1)
        | (ClassId::HASH, "[]=", 2) => true,
        // By a String that is written out it is called as any method.
        (ClassId::ARRAY, "[]", 1) => !args[0].types.iter().any(Type::is_string),
        (ClassId::ARRAY, "[]=", 2) => by_number(),
        (ClassId::STRING, "=~", 1) => args[0].types.iter().all(|ty| class_of(ty) == ClassId::REGEXP),
        (ClassId::REGEXP, "=~", 1) => true,
        // Where this raises, by 0.0.
        (ClassId::FLOAT, "%", 1) => args[0].types.single() == Some(&Type::Float),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::in_blocks;

    #[test]
    fn blocks_tell_how_deep_they_stand() {
        assert_eq!(in_blocks("move", 1), "block in move");
        assert_eq!(in_blocks("Car#move", 3), "block (3 levels) in Car#move");
        assert_eq!(in_blocks("block in run", 1), "block (2 levels) in run");
        assert_eq!(in_blocks("block (2 levels) in <main>", 2), "block (4 levels) in <main>");
    }
}
