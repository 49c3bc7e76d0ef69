//! Parsing a file and finding, by its byte span, the block, lambda or method that a section was captured from.

use super::descend::descend;
use crate::diagnostic::Diagnostic;
use crate::error::NoMemory;
use crate::reserve::{self, Reserve};
use crate::source::{FileId, RubyVersion, Span};
use ruby_prism::{self as prism, Node, Visit};
use std::cell::Cell;
use std::marker::PhantomData;

/// Prism recurses up to 10,000 levels on any input, threads of Ruby have 1 MiB of machine stack.
const STACK_BYTES: usize = 256 << 20;
/// More than the code of a method takes.
const OWN_STACK_BYTES: usize = 2 << 20;
/// What our own methods take of it at most: a test parses all of them.
const OWN_METHOD_BYTES: usize = 512 << 10;
/// Memory set aside for what is made of the tree.
const RESERVE_BYTES: usize = 8 << 20;
/// What prism takes of it for a text, at most.
const PRISM_BYTES: usize = 4 << 20;
const PRISM_BYTES_OF_ONE: usize = 128;
/// Levels the finder goes down before it gives up; far more than a person writes.
const MAX_DEPTH: u32 = 20_000;

/// Runs `work`, which parses the text, on a stack deep enough for prism's recursion; pages that are not touched cost
/// nothing.
pub(super) fn on_deep_stack<T: Send>(text: &str, work: impl Fn() -> T + Sync) -> Result<T, NoMemory> {
    on_stack(STACK_BYTES, text, work)
}

thread_local! {
    /// Down to where this thread may use its stack; 0: nobody knows.
    static STACK_END: Cell<usize> = const { Cell::new(0) };
}

/// As long as this is there, this thread is known to have its stack down to an address.
#[derive(Debug)]
pub struct StackEnd {
    before: usize,
    _of_this_thread: PhantomData<*const ()>,
}

impl StackEnd {
    /// `end` 0: it is not known.
    pub fn note(end: usize) -> Self {
        Self { before: STACK_END.replace(end), _of_this_thread: PhantomData }
    }
}

impl Drop for StackEnd {
    fn drop(&mut self) {
        STACK_END.set(self.before);
    }
}

/// As [`on_deep_stack`], for a method of our own, of which is known how deep it is nested. A section needs many, and a
/// thread takes as long as to parse one: where the caller's stack has the room, none is started.
pub(super) fn on_own_stack<T: Send>(text: &str, work: impl Fn() -> T + Sync) -> Result<T, NoMemory> {
    let (marker, end) = (0_u8, STACK_END.get());
    if end != 0 && std::ptr::from_ref(&marker).addr().saturating_sub(end) >= OWN_METHOD_BYTES {
        return with_memory(text, work);
    }
    on_stack(OWN_STACK_BYTES, text, work)
}

/// Runs `work` with memory set aside.
fn with_memory<T>(text: &str, work: impl Fn() -> T) -> Result<T, NoMemory> {
    let _reserve = Reserve::new(RESERVE_BYTES)?;
    // Prism is written in C, and ends the process where there is no memory. So it is looked for here, where stack and
    // reserve have been taken.
    reserve::probe(PRISM_BYTES.saturating_add(text.len().saturating_mul(PRISM_BYTES_OF_ONE)))?;
    Ok(work())
}

fn on_stack<T: Send>(bytes: usize, text: &str, work: impl Fn() -> T + Sync) -> Result<T, NoMemory> {
    let aside = || with_memory(text, &work);
    let on_thread = |bytes: usize| {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("ikra parse".into()).stack_size(bytes);
            let thread = thread.spawn_scoped(scope, aside).ok()?;
            Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    };
    let mut bytes = bytes;
    loop {
        match on_thread(bytes) {
            Some(Ok(done)) => return Ok(done),
            // The stack is what left too little of the address space.
            Some(Err(_)) | None if bytes > OWN_STACK_BYTES => bytes = (bytes / 4).max(OWN_STACK_BYTES),
            Some(Err(none)) => return Err(none),
            // No thread to be had: the caller's stack does for what people write.
            None => return aside(),
        }
    }
}

/// The oldest version that prism knows is 3.3. What 3.1 and 3.2 take, it reads as they do.
const fn prism_version(version: RubyVersion) -> prism::Version {
    match version {
        RubyVersion(..3, _) | RubyVersion(3, ..=3) => prism::Version::CRuby3_3,
        RubyVersion(3, 4) => prism::Version::CRuby3_4,
        RubyVersion(3, _) | RubyVersion(4, 0) => prism::Version::CRuby4_0,
        RubyVersion(4, 1) => prism::Version::CRuby4_1,
        RubyVersion(..) => prism::Version::Latest,
    }
}

/// A parse tree handed to `with`. `outer` names the locals around an eval'd text, which the text itself does not show.
pub(super) fn with_tree<T>(
    text: &str,
    version: RubyVersion,
    outer: &[String],
    with: impl FnOnce(&prism::ParseResult<'_>) -> T,
) -> T {
    // Texts arrive as UTF-8 whatever their magic comment says.
    let version = prism_version(version);
    let mut options = prism::Options::default().version(version).encoding("UTF-8").encoding_locked(true);
    if !outer.is_empty() {
        let locals = outer.iter().map(|name| name.clone().into_bytes()).collect();
        options = options.scope(prism::Scope::default().locals(locals));
    }
    let options = options.build();
    with(&prism::parse_with_options(text.as_bytes(), &options))
}

/// A piece of code that a Proc or a method can be made of.
pub(super) enum Callable<'pr> {
    Block {
        node: prism::BlockNode<'pr>,
        /// The block of a call to `lambda`.
        lambda: bool,
    },
    Lambda(prism::LambdaNode<'pr>),
    Def(prism::DefNode<'pr>),
}

impl<'pr> Callable<'pr> {
    fn new(node: &Node<'pr>, lambda: bool) -> Option<Self> {
        match node {
            Node::BlockNode { .. } => node.as_block_node().map(|node| Callable::Block { node, lambda }),
            Node::LambdaNode { .. } => node.as_lambda_node().map(Callable::Lambda),
            Node::DefNode { .. } => node.as_def_node().map(Callable::Def),
            _ => None,
        }
    }

    pub(super) fn location(&self) -> prism::Location<'pr> {
        match self {
            Callable::Block { node, .. } => node.location(),
            Callable::Lambda(node) => node.location(),
            Callable::Def(node) => node.location(),
        }
    }

    /// Whether Ruby reports this span for the code. The span of a lambda starts at its `->` or, where the file was
    /// compiled by parse.y, at its parameters or (without parameters) right after the arrow.
    fn covers(&self, start: u32, end: u32, version: RubyVersion) -> bool {
        let location = self.location();
        (location.end() == end || version == RubyVersion(3, 4) && self.ends_early(end))
            && match self {
                Callable::Lambda(node) => (location.start()..=node.opening_loc().start()).contains(&start),
                _ => location.start() == start,
            }
    }

    /// To Ruby 3.4.5 a call such as `run(&block)` ends before its parenthesis, and so does an endless method whose body
    /// ends with such a call.
    fn ends_early(&self, end: u32) -> bool {
        let Callable::Def(node) = self else { return false };
        let (location, endless) = (self.location(), node.equal_loc().is_some());
        let rest =
            end.checked_sub(location.start()).and_then(|length| location.as_slice().get(length as usize..));
        let rest = rest.and_then(|rest| std::str::from_utf8(rest).ok());
        endless
            && rest.is_some_and(|rest| {
                let code = rest.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
                code.collect::<String>() == ")"
            })
    }
}

/// What stands at a span, with the modules around it.
pub(super) struct FoundCode<'pr> {
    pub callable: Callable<'pr>,
    pub nesting: Vec<Option<String>>,
    /// Where the `using` of a refinement stands that is active there.
    pub using: Option<(u32, u32)>,
}

/// The answer of [`find`].
pub(super) enum Answer<'pr> {
    Found(FoundCode<'pr>),
    Missing,
    /// Part of the file was not looked at.
    TooDeep(prism::Location<'pr>),
}

pub(super) fn find<'pr>(
    tree: &'pr prism::ParseResult<'_>,
    version: RubyVersion,
    start: u32,
    end: u32,
) -> Answer<'pr> {
    let mut found = None;
    let too_deep = each_callable(tree, |callable, nesting, using| {
        if found.is_none() && callable.covers(start, end, version) {
            found = Some(FoundCode { callable, nesting: nesting.to_vec(), using });
        }
    });
    match (found, too_deep) {
        (Some(found), _) => Answer::Found(found),
        (None, Some(location)) => Answer::TooDeep(location),
        (None, None) => Answer::Missing,
    }
}

/// Calls `with` for every block, lambda and method of the tree, outer ones first, with the modules around it and the
/// `using` that is active there; returns the first place that was nested too deeply to look at.
pub(super) fn each_callable<'pr>(
    tree: &'pr prism::ParseResult<'_>,
    with: impl FnMut(Callable<'pr>, &[Option<String>], Option<(u32, u32)>),
) -> Option<prism::Location<'pr>> {
    let mut finder =
        Finder { with, nesting: Vec::new(), using: None, lambda_block: None, depth: 0, too_deep: None };
    finder.visit(&tree.node());
    finder.too_deep
}

struct Finder<'pr, F> {
    with: F,
    nesting: Vec<Option<String>>,
    /// The last `using` before this place, in the file or in a module around it.
    using: Option<(u32, u32)>,
    /// Start of the block of the last call to `lambda`.
    lambda_block: Option<u32>,
    depth: u32,
    too_deep: Option<prism::Location<'pr>>,
}

impl<'pr, F: FnMut(Callable<'pr>, &[Option<String>], Option<(u32, u32)>)> Finder<'pr, F> {
    fn module(&mut self, name: Option<String>, body: Option<Node<'pr>>) {
        if let Some(body) = body {
            // A module sees the refinements around it, and its own are seen to its end.
            let using = self.using;
            self.nesting.push(name);
            self.visit(&body);
            self.nesting.pop();
            self.using = using;
        }
    }
}

impl<'pr, F: FnMut(Callable<'pr>, &[Option<String>], Option<(u32, u32)>)> Visit<'pr> for Finder<'pr, F> {
    fn visit(&mut self, node: &Node<'pr>) {
        if self.depth == MAX_DEPTH {
            self.too_deep.get_or_insert(node.location());
            return;
        }
        self.depth += 1;
        if uses_refinement(node) {
            self.using = Some((node.location().start(), node.location().end()));
        }
        if let Some(block) = lambda_block(node) {
            self.lambda_block = Some(block);
        }
        let lambda = self.lambda_block == Some(node.location().start());
        if let Some(callable) = Callable::new(node, lambda) {
            (self.with)(callable, &self.nesting, self.using);
        }
        match node {
            Node::ClassNode { .. } => {
                if let Some(class) = node.as_class_node() {
                    // The superclass is evaluated outside of the class.
                    if let Some(superclass) = class.superclass() {
                        self.visit(&superclass);
                    }
                    self.module(constant_name(&class.constant_path()), class.body());
                }
            }
            Node::ModuleNode { .. } => {
                if let Some(module) = node.as_module_node() {
                    self.module(constant_name(&module.constant_path()), module.body());
                }
            }
            Node::SingletonClassNode { .. } => {
                if let Some(class) = node.as_singleton_class_node() {
                    self.visit(&class.expression());
                    self.module(None, class.body());
                }
            }
            _ => descend(self, node),
        }
        self.depth -= 1;
    }

    // Children that prism knows the class of do not come through `visit` by themselves.
    fn visit_block_node(&mut self, node: &prism::BlockNode<'pr>) {
        self.visit(&node.as_node());
    }

    fn visit_rescue_node(&mut self, node: &prism::RescueNode<'pr>) {
        self.visit(&node.as_node());
    }
}

/// `using Module`, but for the one that gives arrays the parallel methods.
fn uses_refinement(node: &Node<'_>) -> bool {
    let Some(call) = node.as_call_node().filter(|call| call.name().as_slice() == b"using") else {
        return false;
    };
    let Some(arguments) = call.arguments().filter(|_| call.receiver().is_none()) else { return false };
    let mut names = arguments.arguments().iter().map(|argument| constant_name(&argument));
    names
        .next()
        .is_some_and(|name| !matches!(name.as_deref(), Some("Ikra::Refinements" | "::Ikra::Refinements")))
}

/// The start of the block in `lambda { … }`.
fn lambda_block(node: &Node<'_>) -> Option<u32> {
    let call = node.as_call_node()?;
    if call.receiver().is_some() || call.name().as_slice() != b"lambda" {
        return None;
    }
    Some(call.block()?.as_block_node()?.location().start())
}

/// A constant path as written without its blanks, such as `A::B` or `::A`; `None` where a part of it is computed.
pub(super) fn constant_name(node: &Node<'_>) -> Option<String> {
    let (path, absolute) = constant_path(node)?;
    Some(format!("{}{}", if absolute { "::" } else { "" }, path.join("::")))
}

/// The names of a constant path, and whether it starts with `::`; `None` where a part of it is computed.
pub(super) fn constant_path(node: &Node<'_>) -> Option<(Vec<String>, bool)> {
    let mut names = Vec::new();
    let absolute = match node.as_constant_path_node() {
        None => {
            names.push(node.as_constant_read_node()?.name());
            false
        }
        Some(mut path) => loop {
            names.push(path.name()?);
            match path.parent() {
                None => break true,
                Some(parent) => match parent.as_constant_path_node() {
                    Some(outer) => path = outer,
                    None => {
                        names.push(parent.as_constant_read_node()?.name());
                        break false;
                    }
                },
            }
        },
    };
    let names = names.iter().rev().map(|name| String::from_utf8_lossy(name.as_slice()).into_owned());
    Some((names.collect(), absolute))
}

/// The first syntax error that prism reports inside of a location; those after it tend to follow from it.
pub(super) fn error_within(
    tree: &prism::ParseResult<'_>,
    location: &prism::Location<'_>,
    file: FileId,
) -> Option<Diagnostic> {
    let inside =
        |place: &prism::Location<'_>| place.start() >= location.start() && place.end() <= location.end();
    let error = tree
        .errors()
        .filter(|error| inside(&error.location()) && !is_of_value(error.message()))
        .min_by_key(|error| error.location().start())?;
    let span = Span { file, start: error.location().start(), end: error.location().end() };
    let message = String::from_utf8_lossy(error.message());
    Some(Diagnostic::new("syntax-error", span, message).hint("run `ruby -c` on the file"))
}

/// Is it said of an expression that has no value? The tree is whole then, and Ruby's own parser, which has taken the
/// text, may see that otherwise: `x = begin; a => [b]; b; end` has one.
fn is_of_value(message: &[u8]) -> bool {
    message == b"unexpected void value expression"
}
