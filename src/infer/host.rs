//! What inference asks of the world of live objects. The extension answers from Ruby; tests answer from tables.
//!
//! Every answer is an *assumption* of the section being compiled: the host keeps the list and checks it at each later
//! call. Answers about values grow monotonically while one inference runs: the first question about `@street` of a
//! Car reads that column off the Cars found so far, and the Streets found in it become known objects.

use super::dialect::Dialect;
use crate::diagnostic::Diagnostic;
use crate::heap::schema::Base;
use crate::scalar::Interval;
use crate::source::{FileId, SourceFile, Span};
use crate::syntax::ast::Code;
use crate::types::{ArrayKind, ClassId, HashPart, HashSort, HierarchyId, Type, TypeSet};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;
/// The number of the first kind of arrays that a section makes, where a host has no numbers of its own for them.
const FIRST_MADE: u32 = 1 << 31;

/// What Ruby says of a constant that is not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingConstant {
    pub message: String,
    pub name: String,
    /// Where it was looked for.
    pub module: ClassId,
}

/// Why the host cannot answer: becomes a diagnostic at the place that asked.
#[derive(Clone, Debug, Default)]
pub struct Refusal {
    pub slug: &'static str,
    pub message: String,
    pub hint: Option<String>,
    /// What cannot be compiled in the method that was asked for: told in place of the above.
    pub inside: Vec<Diagnostic>,
}

impl Refusal {
    /// The slug of one at which the host has met an exception, which Ruby raises whatever else is found.
    const EXCEPTION: &'static str = "host";

    /// The host has met an exception of Ruby's, and keeps it.
    pub fn of_exception() -> Self {
        Self { slug: Self::EXCEPTION, message: "Ruby raised an exception".into(), ..Self::default() }
    }

    pub fn is_exception(&self) -> bool {
        self.slug == Self::EXCEPTION
    }

    /// The same for a place that only some objects come to.
    pub fn at_run_time(&self) -> String {
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
        format!("{} [{}]{hint}", self.message, self.slug)
    }
}

/// A value that exists once for the whole section, read anew at each call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RootKey {
    /// The block's own self.
    SelfValue,
    /// A local variable of a scope around the block.
    Captured(String),
    /// A constant looked up from `scope`, the code it stands in.
    Constant { scope: Scope, path: Vec<String>, absolute: bool },
    /// A constant of a class or module that is known by its number (`self.class::LIMIT`).
    ConstantOf(ClassId, Vec<String>),
    /// A global variable, with its `$`.
    Global(String),
    /// A class variable, with its `@@`, of the class that `scope` stands in.
    ClassVariable { scope: Scope, name: String },
    /// An instance variable of a class or module itself (`@count` in `def self.x`).
    ModuleIvar(ClassId, String),
    /// A frozen String of this text, in UTF-8.
    Text(String),
    /// A frozen String of these bytes, which are no text in UTF-8, though that is its encoding.
    Bytes(Vec<u8>),
    /// A table of what the running Ruby says of characters, in the bytes of a frozen String: `lib/ikra/characters.rb`.
    Characters(String),
    /// These words, in the bytes of a frozen String.
    Words(Vec<i64>),
    /// A literal of this source, with these options.
    Regexp(String, u32),
    /// A lambda, proc or Method that is a root by this number, as the object that others can hold.
    Object(u32),
    /// The block, by its number, that `define_method` made a method of.
    MethodBlock(u32),
    /// The default block of the Hashes of a kind, which have procs of one literal.
    DefaultBlock(ArrayKind),
    /// What a lambda or proc from around the section, itself a root by this number, sees by that key.
    Within(u32, Box<RootKey>),
}

/// Where a piece of code stands, for constant lookup: a method's owner and lexical nesting, or the section's block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    Block,
    Method {
        owner: ClassId,
        nesting: Vec<Option<String>>,
    },
    /// The literal that is the class of Procs which objects hold.
    Literal(ClassId),
}

/// A root found: its number in the trace plan and what it can be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Root {
    pub number: u32,
    /// A single type always: the root's value now. A later call with another class re-infers.
    pub ty: Type,
    /// In which an Integer root's present value lies. The host will check that it still does.
    pub interval: Interval,
    /// A constant is this Integer, of more than 64 bits and of at most 128. The host will check that it still is.
    pub wide: Option<i128>,
}

/// What a column or an array kind holds, so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    pub types: TypeSet,
    /// All its Integers fit 32 bits (the host checks it at each call while the column is stored so).
    pub integers_fit_i32: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    Public,
    Protected,
    Private,
}

/// What a method is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Holder {
    /// An instance of the class.
    Instance(ClassId),
    /// The class or module itself.
    Module(ClassId),
}

/// A method found by Ruby's own lookup.
#[derive(Clone, Debug)]
pub struct FoundMethod {
    /// The class or module that defines it.
    pub owner: ClassId,
    pub visibility: Visibility,
    pub method: Method,
}

#[derive(Clone, Debug)]
pub enum Method {
    /// With source.
    Ruby(Rc<Code>),
    /// `attr_reader`: the instance variable's name, with its `@`; or a Struct's member, without.
    Reader(String),
    /// `attr_writer`.
    Writer(String),
    /// Implemented in C: the tables of [`super::builtins`] say whether it runs, by owner and original name.
    Native { name: String, arity: i64 },
}

/// What keywords are to the `initialize` of a Struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StructKeywords {
    /// `keyword_init: true`: the members, and nothing else is taken.
    Always,
    /// The members where there are no other arguments.
    Alone,
    /// A Hash.
    Never,
}

/// What holds Integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum IntegerSize {
    /// 64 bits.
    Word,
    /// 128 bits, in registers.
    Wide,
    /// As many words as it takes, on the CPU.
    Any,
}

pub trait Host {
    /// The method that `receiver.name` would call on an instance of `class`; `None` where Ruby raises NoMethodError.
    fn method(&mut self, class: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal>;
    /// The next `name` after the method of `owner`, as `super` finds it.
    fn super_method(
        &mut self,
        holder: Holder,
        owner: ClassId,
        name: &str,
    ) -> Result<Option<FoundMethod>, Refusal>;
    /// A method of a class or module itself (`Math.sqrt`, `Car.limit`).
    fn singleton_method(&mut self, module: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal>;
    fn root(&mut self, key: &RootKey) -> Result<Option<Root>, Refusal>;
    /// The code of a root that is a lambda or proc, and whether it is a lambda.
    fn closure(&mut self, _root: u32) -> Result<(Rc<Code>, bool), Refusal> {
        let message = "there are no lambdas around the section".into();
        Err(Refusal { slug: "unsupported-block", message, ..Refusal::default() })
    }

    /// The number of the block that `define_method` made the method of this code of, where it uses variables around it.
    fn method_block(&mut self, _code: &Rc<Code>) -> Option<u32> {
        None
    }

    /// Are two roots, which are local variables as two pieces of code see them, one variable?
    fn is_one_variable(&mut self, _one: u32, _other: u32) -> Result<bool, Refusal> {
        Ok(false)
    }

    /// The code of the Procs or Methods of a class that stands for their literal, and whether they are lambdas.
    fn literal(&mut self, _class: ClassId) -> Result<Option<(Rc<Code>, bool)>, Refusal> {
        Ok(None)
    }
    /// Does such a literal see a local variable of this name?
    fn captures(&self, _class: ClassId, _name: &str) -> bool {
        false
    }
    /// The class that Ruby has for the instances of a class: another one where that stands for a literal.
    fn real_class(&self, class: ClassId) -> ClassId {
        class
    }

    /// What the section's base holds; asked first.
    fn base(&mut self) -> Result<Base, Refusal>;
    /// What `name` (with its `@`, or a Struct's member) holds in the objects of exactly `class` found so far; a
    /// variable not set is nil.
    fn column(&mut self, hierarchy: HierarchyId, class: ClassId, name: &str) -> Result<Contents, Refusal>;
    /// A kind for arrays that the section makes, by a number of its own.
    fn made_kind(&mut self, number: u32) -> ArrayKind {
        ArrayKind(FIRST_MADE + number)
    }
    /// The same for Hashes of a sort.
    fn made_hash(&mut self, number: u32, _sort: HashSort) -> ArrayKind {
        self.made_kind(number)
    }
    /// The kind of the arrays of words that the bytes of Strings are; they are read by that.
    fn string_words(&mut self) -> ArrayKind {
        ArrayKind(0x2000)
    }
    /// An item is written here behind the end of its array: does that leave nils between?
    fn leaves_gaps(&self, _path: &str, _line: u32) -> bool {
        false
    }
    /// How large have Integers become on this line?
    fn integer_size(&self, _path: &str, _line: u32) -> IntegerSize {
        IntegerSize::Word
    }
    /// Have Integers left 128 bits anywhere?
    fn has_big_integers(&self) -> bool {
        false
    }
    /// The lines of which an exception of Ruby's own has left the section that keeps more than a failure tells.
    fn told_lines(&self) -> Vec<(String, u32)> {
        Vec::new()
    }
    /// The Symbols by which methods are called here, where they are not written out.
    fn called_names(&self, _path: &str, _line: u32) -> Vec<String> {
        Vec::new()
    }
    /// None is known: those that are likely, by how they begin as far as that is written out.
    fn guess_names(&mut self, _path: &str, _line: u32, _prefix: Option<&str>) {}
    /// What the arrays of `kind` found so far hold.
    fn elements(&mut self, kind: ArrayKind) -> Result<Contents, Refusal>;
    /// The kind of the arrays that are parts of the Hashes of a kind; they are read by that.
    fn hash_part(&mut self, kind: ArrayKind, part: HashPart) -> Result<ArrayKind, Refusal> {
        Ok(ArrayKind(0x1000 + 4 * kind.0 + part as u32))
    }
    /// Has the names of Symbols read; gives the hierarchy of Strings.
    fn symbol_names(&mut self) -> Result<HierarchyId, Refusal> {
        Ok(HierarchyId(0xe00))
    }
    /// The members of a subclass of Struct or Data, in order; none of other classes. They are columns by these names.
    fn members(&mut self, _class: ClassId) -> Vec<String> {
        Vec::new()
    }
    /// Which instance variables objects of exactly this class have that were found so far, in Ruby's order: each order that
    /// was met. Its place among these is what the column [`super::VARIABLES`] holds.
    fn variable_orders(
        &mut self,
        _hierarchy: HierarchyId,
        _class: ClassId,
    ) -> Result<Vec<Vec<String>>, Refusal> {
        Ok(Vec::new())
    }
    /// How the `initialize` of a subclass of Struct takes keywords.
    fn struct_keywords(&mut self, _class: ClassId) -> StructKeywords {
        StructKeywords::Never
    }
    /// Ruby runs in the middle of the section, and may change what was read. True the first time: other walks have to know
    /// of it.
    fn note_sync(&mut self) -> bool {
        false
    }
    /// Is some object of the hierarchy frozen?
    fn any_frozen(&mut self, hierarchy: HierarchyId) -> bool;
    /// Is some array of the kind frozen?
    fn any_frozen_array(&mut self, kind: ArrayKind) -> bool;
    /// Has something turned out to be frozen behind the question whether anything is ([`Self::any_frozen`])? The answer is
    /// another one in the next walk.
    fn found_frozen(&mut self) -> bool {
        false
    }
    /// True when the host joined array kinds since the last call of this: inference then starts afresh.
    fn kinds_changed(&mut self) -> bool;

    /// What of Ruby's methods depends on its version.
    fn dialect(&self) -> Dialect;

    /// Does Ruby want the thread back? Asked now and then; inference then ends.
    fn interrupted(&mut self) -> bool {
        false
    }
    /// Do loops copy what their variables hold as soon as they can? For tests.
    fn copies_all(&self) -> bool {
        false
    }
    /// Is every method a function that can be one? For tests.
    fn outlines_all(&self) -> bool {
        false
    }
    /// Do elements run on the CPU, whatever happens?
    fn elements_on_cpu(&self) -> bool {
        false
    }
    /// The address down to which inference may use the stack of this thread.
    fn stack_end(&self) -> usize {
        0
    }

    /// Is it the constant that a chain gives for elements that it drops?
    fn is_dropped(&self, _class: ClassId) -> bool {
        false
    }
    fn class_name(&self, class: ClassId) -> String;
    /// The groups of the Regexp that a root is; a later one has as many, or the section is compiled anew.
    fn groups(&self, _root: u32) -> Option<u32> {
        None
    }
    /// What a section cannot do with a Regexp that was read, and why.
    fn refused_pattern(&self) -> Option<(String, String)> {
        None
    }
    /// The NameError that Ruby raises for a constant that is not there; `None` where it raises none, or another.
    fn missing_constant(&mut self, _key: &RootKey) -> Result<Option<MissingConstant>, Refusal> {
        Ok(None)
    }
    /// The class or module that has the class variable which a name means in a scope.
    fn class_variable_owner(&mut self, _scope: &Scope, _name: &str) -> Result<Option<ClassId>, Refusal> {
        Ok(None)
    }
    /// `class <= ancestor`, modules included.
    fn is_subclass(&self, class: ClassId, ancestor: ClassId) -> bool;
    fn is_module(&self, class: ClassId) -> bool;
    /// The class that a class inherits from.
    fn superclass(&self, _class: ClassId) -> Option<ClassId> {
        None
    }
    /// Do Ruby's own methods treat instances of the class by what they are, not by the methods that they have? So they
    /// do with a Rational, a Range, a class, an Array of a subclass. Strings and Hashes do not count: what is about
    /// them says so itself.
    fn is_opaque(&self, _class: ClassId) -> bool {
        false
    }
    /// The hierarchy of a class's objects.
    fn hierarchy(&mut self, class: ClassId) -> HierarchyId;
    /// The position of a class among those of its hierarchy: ids of class 0 come first, then class 1 … Append-only.
    fn class_index(&self, hierarchy: HierarchyId, class: ClassId) -> u32;
    /// Number of a symbol, the same throughout the process.
    fn symbol(&mut self, name: &str) -> i32;
    /// The file that a span points into, where code was asked for of which it is.
    fn file(&self, _file: FileId) -> Option<Arc<SourceFile>> {
        None
    }
    /// Path and line of a place, for sites.
    fn place(&self, span: Span) -> (String, u32);
    /// Where the source of Ruby's own Set stands, if there is any.
    fn path_of_set(&self) -> Option<String>;
}
