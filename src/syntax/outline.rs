//! What a file tells of itself without being run: its parallel calls, the methods and modules that it defines, and what
//! it requires.

use super::descend::descend;
use super::parse::{constant_name, error_within};
use crate::diagnostic::Diagnostic;
use crate::error::NoMemory;
use crate::source::{FileId, SourceMap, Span};
use ruby_prism::{self as prism, Node as P, Visit};
use std::collections::BTreeSet;

/// More levels than a person writes; what is deeper is not looked at.
const MAX_DEPTH: u32 = 2_000;

/// The names of what takes a block that a section is made of.
#[derive(Clone, Debug, Default)]
pub struct ParallelNames {
    /// Of parallel methods.
    pub methods: BTreeSet<String>,
    /// What may stand between one of these without a block and the block, as `with_index`.
    pub without_block: BTreeSet<String>,
    /// Stages of a chain behind `plazy`, and the methods of one with a block that is compiled.
    pub stages: BTreeSet<String>,
    pub of_chains: BTreeSet<String>,
    /// Methods of Ruby's own that leave `self` as it is in their block.
    pub keeping_self: BTreeSet<String>,
}

/// What `self` is at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Own {
    #[default]
    Unknown,
    /// The object of the program.
    Main,
    /// An instance of the class or module with this path, or of a class below it.
    Instance(String),
    /// The class or module itself.
    Module(String),
}

/// A call whose block is a section.
#[derive(Clone, Debug)]
pub struct ParallelCall {
    pub name: String,
    pub name_span: Span,
    pub block: Span,
    pub own: Own,
    /// It is `Ikra.section`.
    pub is_driver: bool,
}

/// A `def`.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub span: Span,
    /// What `self` is in it.
    pub own: Own,
}

/// A place where a class or module is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    pub path: String,
    pub is_class: bool,
    /// Its superclass as written, if that stands there; `None` in it, and below, is computed.
    pub superclass: Option<Option<String>>,
    /// The modules that it includes, and those that extend it.
    pub included: Vec<Option<String>>,
    pub extended: Vec<Option<String>>,
    pub is_prepended: bool,
    /// Its methods are its own ones too, by `module_function` or `extend self`.
    pub functions: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub calls: Vec<ParallelCall>,
    pub definitions: Vec<Definition>,
    pub openings: Vec<Opening>,
    /// The names of constants that are assigned, classes and modules included.
    pub constants: BTreeSet<String>,
    /// Symbols, which may name methods that something else defines.
    pub symbols: BTreeSet<String>,
    /// Texts are evaluated: what they define is not known.
    pub evaluates: bool,
    /// What it requires; true: relative to its own place.
    pub required: Vec<(String, bool)>,
}

/// The outline of a file, or its first syntax error.
pub fn outline(
    sources: &SourceMap,
    file: FileId,
    names: &ParallelNames,
) -> Result<Result<Outline, Diagnostic>, NoMemory> {
    let text = &sources.file(file).text;
    super::parse::on_deep_stack(text, || {
        super::parse::with_tree(text, sources.version, &[], |tree| {
            let root = tree.node();
            if let Some(error) = error_within(tree, &root.location(), file) {
                return Err(error);
            }
            let mut reader = Reader {
                names,
                file,
                outline: Outline::default(),
                nesting: Vec::new(),
                opening: None,
                own: Own::Main,
                defined_in: Own::Main,
                in_section: false,
                depth: 0,
            };
            reader.visit(&root);
            Ok(reader.outline)
        })
    })
}

struct Reader<'n> {
    names: &'n ParallelNames,
    file: FileId,
    outline: Outline,
    /// The paths of the modules around, outermost first; `None` for a computed one.
    nesting: Vec<Option<String>>,
    /// The innermost module that is open, by its number in the outline.
    opening: Option<usize>,
    own: Own,
    /// What `self` is in a method that is defined here.
    defined_in: Own,
    in_section: bool,
    depth: u32,
}

impl<'pr> Reader<'_> {
    fn span(&self, location: &prism::Location<'_>) -> Span {
        Span { file: self.file, start: location.start(), end: location.end() }
    }

    fn constant(&mut self, name: &prism::ConstantId<'_>) {
        self.outline.constants.insert(text(name));
    }

    /// The path of what is named so here.
    fn path_of(&self, node: &P<'pr>) -> Option<String> {
        let name = constant_name(node)?;
        if let Some(absolute) = name.strip_prefix("::") {
            return Some(absolute.into());
        }
        match self.nesting.last() {
            None => Some(name),
            Some(around) => Some(format!("{}::{name}", around.as_ref()?)),
        }
    }

    fn module(&mut self, path: &P<'pr>, superclass: Option<P<'pr>>, is_class: bool, body: Option<P<'pr>>) {
        if let Some(name) = constant_name(path) {
            let last = name.rsplit("::").next().unwrap_or_default();
            self.outline.constants.insert(last.into());
        }
        let around = (self.own.clone(), self.defined_in.clone(), self.opening);
        let path = self.path_of(path);
        (self.own, self.defined_in, self.opening) = match &path {
            Some(path) => {
                self.outline.openings.push(Opening {
                    path: path.clone(),
                    is_class,
                    superclass: superclass.as_ref().map(superclass_name),
                    included: Vec::new(),
                    extended: Vec::new(),
                    is_prepended: false,
                    functions: false,
                });
                let number = self.outline.openings.len() - 1;
                (Own::Module(path.clone()), Own::Instance(path.clone()), Some(number))
            }
            None => (Own::Unknown, Own::Unknown, None),
        };
        self.nesting.push(path);
        if let Some(body) = body {
            self.visit(&body);
        }
        self.nesting.pop();
        (self.own, self.defined_in, self.opening) = around;
    }

    fn singleton_class(&mut self, node: &prism::SingletonClassNode<'pr>) {
        let expression = node.expression();
        self.visit(&expression);
        let around = (self.own.clone(), self.defined_in.clone(), self.opening.take());
        self.defined_in = match (&expression, &self.own) {
            (P::SelfNode { .. }, Own::Module(path)) => Own::Module(path.clone()),
            _ => Own::Unknown,
        };
        self.own = Own::Unknown;
        self.nesting.push(None);
        if let Some(body) = node.body() {
            self.visit(&body);
        }
        self.nesting.pop();
        (self.own, self.defined_in, self.opening) = around;
    }

    fn definition(&mut self, node: &prism::DefNode<'pr>) {
        let own = match node.receiver() {
            None => self.defined_in.clone(),
            Some(P::SelfNode { .. }) => match &self.own {
                Own::Module(path) => Own::Module(path.clone()),
                _ => Own::Unknown,
            },
            Some(_) => Own::Unknown,
        };
        let (name, span) = (text(&node.name()), self.span(&node.location()));
        self.outline.definitions.push(Definition { name, span, own: own.clone() });
        // A method that is defined in a method is one of the same class.
        let around = std::mem::replace(&mut self.own, own);
        descend(self, &node.as_node());
        self.own = around;
    }

    fn call(&mut self, call: &prism::CallNode<'pr>) {
        let name = text(&call.name());
        let receiver = call.receiver();
        match &*name {
            _ if receiver.is_some() => {}
            "include" | "extend" | "prepend" | "module_function" => self.mixes_in(&name, call),
            "require" | "require_relative" => {
                let given = arguments(call).next();
                if let Some(feature) = given.as_ref().and_then(P::as_string_node) {
                    let feature = String::from_utf8_lossy(feature.unescaped()).into_owned();
                    self.outline.required.push((feature, name == "require_relative"));
                }
            }
            _ => {}
        }
        let is_text = |node: &P<'_>| matches!(node, P::StringNode { .. } | P::InterpolatedStringNode { .. });
        // One in a section is told, and does not run.
        self.outline.evaluates |=
            !self.in_section && name.ends_with("eval") && arguments(call).any(|node| is_text(&node));
        if matches!(&*name, "define_method" | "define_singleton_method" | "alias_method")
            && !arguments(call).all(|node| {
                matches!(node, P::SymbolNode { .. } | P::StringNode { .. } | P::LambdaNode { .. })
            })
        {
            // By a name that is not written out.
            self.outline.evaluates = true;
        }
        for node in arguments(call) {
            if let Some(node) = node.as_string_node() {
                self.outline.symbols.insert(String::from_utf8_lossy(node.unescaped()).into_owned());
            }
        }
        if let Some(receiver) = &receiver {
            self.visit(receiver);
        }
        // These name methods that stay what they are.
        const VISIBILITY: [&str; 6] = [
            "private",
            "public",
            "protected",
            "private_class_method",
            "public_class_method",
            "module_function",
        ];
        if receiver.is_none() && VISIBILITY.contains(&&*name) {
            arguments(call)
                .filter(|node| !matches!(node, P::SymbolNode { .. }))
                .for_each(|node| self.visit(&node));
        } else if let Some(arguments) = call.arguments() {
            self.visit_arguments_node(&arguments);
        }
        match call.block() {
            Some(block @ P::BlockNode { .. }) => self.block(call, &name, &block),
            // `&:name` defines nothing.
            Some(block) => {
                let expression = block.as_block_argument_node().and_then(|block| block.expression());
                if let Some(expression) = expression.filter(|node| !matches!(node, P::SymbolNode { .. })) {
                    self.visit(&expression);
                }
            }
            None => {}
        }
    }

    fn block(&mut self, call: &prism::CallNode<'pr>, name: &str, block: &P<'pr>) {
        let is_section = self.is_section(call, name);
        let around = (self.own.clone(), self.defined_in.clone(), self.in_section);
        if is_section && !self.in_section {
            let location = call.message_loc().unwrap_or_else(|| call.location());
            self.outline.calls.push(ParallelCall {
                name: name.into(),
                name_span: self.span(&location),
                block: self.span(&block.location()),
                own: self.own.clone(),
                is_driver: name == "section",
            });
        }
        self.in_section |= is_section;
        let keeps = is_section || self.names.keeping_self.contains(name);
        if !keeps {
            (self.own, self.defined_in) = (Own::Unknown, Own::Unknown);
        }
        self.visit(block);
        (self.own, self.defined_in, self.in_section) = around;
    }

    /// Is the block of the call a section?
    fn is_section(&self, call: &prism::CallNode<'pr>, name: &str) -> bool {
        let receiver = call.receiver();
        let of = receiver.as_ref().and_then(constant_name);
        let is_of = |module: &str| of.as_deref().is_some_and(|of| of.trim_start_matches("::") == module);
        match name {
            "section" | "grid" => is_of("Ikra"),
            "pnew" => self.names.methods.contains(name) && is_of("Array"),
            _ if self.names.methods.contains(name) => true,
            _ => {
                let before = receiver.as_ref().and_then(P::as_call_node);
                before.is_some_and(|before| self.is_continued(&before, name))
            }
        }
    }

    /// Does a method of that name go on with what a parallel one without a block, or a chain, has begun?
    fn is_continued(&self, before: &prism::CallNode<'pr>, name: &str) -> bool {
        let first = text(&before.name());
        if self.names.without_block.contains(name)
            && before.block().is_none()
            && self.names.methods.contains(&first)
        {
            return true;
        }
        if !self.names.of_chains.contains(name) {
            return false;
        }
        let (mut name, mut before) = (first, before.receiver());
        while name != "plazy" {
            let Some(call) = before.as_ref().and_then(P::as_call_node) else { return false };
            if !self.names.stages.contains(&name) {
                return false;
            }
            name = text(&call.name());
            before = call.receiver();
        }
        true
    }

    fn mixes_in(&mut self, name: &str, call: &prism::CallNode<'pr>) {
        let Some(number) = self.opening else { return };
        let is_module = self.own == Own::Module(self.outline.openings[number].path.clone());
        let opening = &mut self.outline.openings[number];
        if !is_module {
            return;
        }
        match name {
            "module_function" => opening.functions = true,
            "prepend" => opening.is_prepended = true,
            "extend" => {
                for node in arguments(call) {
                    match node {
                        P::SelfNode { .. } => opening.functions = true,
                        node => opening.extended.push(constant_name(&node)),
                    }
                }
            }
            _ => opening.included.extend(arguments(call).map(|node| constant_name(&node))),
        }
    }
}

impl<'pr> Visit<'pr> for Reader<'_> {
    fn visit(&mut self, node: &P<'pr>) {
        if self.depth == MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match node {
            P::ClassNode { .. } => {
                if let Some(class) = node.as_class_node() {
                    if let Some(superclass) = class.superclass() {
                        self.visit(&superclass);
                    }
                    self.module(&class.constant_path(), class.superclass(), true, class.body());
                }
            }
            P::ModuleNode { .. } => {
                if let Some(module) = node.as_module_node() {
                    self.module(&module.constant_path(), None, false, module.body());
                }
            }
            P::SingletonClassNode { .. } => {
                if let Some(class) = node.as_singleton_class_node() {
                    self.singleton_class(&class);
                }
            }
            P::DefNode { .. } => {
                if let Some(def) = node.as_def_node() {
                    self.definition(&def);
                }
            }
            P::CallNode { .. } => {
                if let Some(call) = node.as_call_node() {
                    self.call(&call);
                }
            }
            P::SuperNode { .. } | P::ForwardingSuperNode { .. } => {
                let around = (std::mem::take(&mut self.own), std::mem::take(&mut self.defined_in));
                descend(self, node);
                (self.own, self.defined_in) = around;
            }
            // The keys of `name: value` name no methods.
            P::AssocNode { .. } => {
                if let Some(pair) = node.as_assoc_node() {
                    if !matches!(pair.key(), P::SymbolNode { .. }) {
                        self.visit(&pair.key());
                    }
                    self.visit(&pair.value());
                }
            }
            P::SymbolNode { .. } => {
                if let Some(symbol) = node.as_symbol_node() {
                    self.outline.symbols.insert(String::from_utf8_lossy(symbol.unescaped()).into_owned());
                }
            }
            _ => {
                self.note_constant(node);
                descend(self, node);
            }
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

impl<'pr> Reader<'_> {
    /// Adds the constant that a node assigns.
    fn note_constant(&mut self, node: &P<'pr>) {
        macro_rules! assigned {
            ($($variant:ident $cast:ident;)*) => {
                match node {
                    $(P::$variant { .. } => {
                        if let Some(node) = node.$cast() {
                            self.constant(&node.name());
                        }
                    })*
                    P::ConstantPathTargetNode { .. } => {
                        if let Some(name) = node.as_constant_path_target_node().and_then(|node| node.name()) {
                            self.constant(&name);
                        }
                    }
                    P::ConstantPathWriteNode { .. } => {
                        let target = node.as_constant_path_write_node().map(|node| node.target());
                        if let Some(name) = target.and_then(|target| target.name()) {
                            self.constant(&name);
                        }
                    }
                    P::ConstantPathOrWriteNode { .. } => {
                        let target = node.as_constant_path_or_write_node().map(|node| node.target());
                        if let Some(name) = target.and_then(|target| target.name()) {
                            self.constant(&name);
                        }
                    }
                    _ => {}
                }
            };
        }
        assigned! {
            ConstantWriteNode as_constant_write_node;
            ConstantTargetNode as_constant_target_node;
            ConstantOrWriteNode as_constant_or_write_node;
            ConstantAndWriteNode as_constant_and_write_node;
            ConstantOperatorWriteNode as_constant_operator_write_node;
        }
    }
}

/// The path of a superclass; that of `Struct.new(…)` and `Data.define(…)` is Struct or Data.
fn superclass_name(node: &P<'_>) -> Option<String> {
    let made = node.as_call_node().filter(|call| matches!(call.name().as_slice(), b"new" | b"define"));
    match made.as_ref().and_then(prism::CallNode::receiver) {
        Some(receiver) => constant_name(&receiver)
            .filter(|name| matches!(name.as_str(), "Struct" | "Data" | "::Struct" | "::Data")),
        None => constant_name(node),
    }
}

fn arguments<'pr>(call: &prism::CallNode<'pr>) -> impl Iterator<Item = P<'pr>> {
    let arguments: Vec<P<'pr>> =
        call.arguments().map_or_else(Vec::new, |arguments| arguments.arguments().iter().collect());
    arguments.into_iter()
}

/// The text of a name, which is UTF-8.
fn text(name: &prism::ConstantId<'_>) -> String {
    String::from_utf8_lossy(name.as_slice()).into_owned()
}
