//! Questions to a host, and what it answers in bytes that mean the same in another process: codes have numbers in the
//! order in which they are met.

use crate::diagnostic::Diagnostic;
use crate::infer::Output;
use crate::infer::host::{FoundMethod, Holder, Host, Method, Refusal, RootKey, Scope};
use crate::source::{FileId, SourceFile, Span};
use crate::syntax::ast::{Code, CodeKind};
use crate::types::{ArrayKind, ClassId, HashPart, HashSort, HierarchyId};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// One of those of [`Host`], where the answer depends on more than the code.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Question {
    Method(ClassId, String),
    SuperMethod(Holder, ClassId, String),
    SingletonMethod(ClassId, String),
    Root(RootKey),
    Closure(u32),
    /// By the number of the code.
    MethodBlock(u32),
    IsOneVariable(u32, u32),
    Literal(ClassId),
    Captures(ClassId, String),
    RealClass(ClassId),
    Base,
    Column(HierarchyId, ClassId, String),
    MadeKind(u32),
    MadeHash(u32, HashSort),
    StringWords,
    LeavesGaps(String, u32),
    IntegerSize(String, u32),
    HasBigIntegers,
    ToldLines,
    CalledNames(String, u32),
    GuessNames(String, u32, Option<String>),
    Elements(ArrayKind),
    HashPart(ArrayKind, HashPart),
    SymbolNames,
    Members(ClassId),
    StructKeywords(ClassId),
    VariableOrders(HierarchyId, ClassId),
    NoteSync,
    AnyFrozen(HierarchyId),
    AnyFrozenArray(ArrayKind),
    FoundFrozen,
    KindsChanged,
    Dialect,
    CopiesAll,
    OutlinesAll,
    ElementsOnCpu,
    IsDropped(ClassId),
    ClassName(ClassId),
    Groups(u32),
    RefusedPattern,
    MissingConstant(RootKey),
    ClassVariableOwner(Scope, String),
    IsSubclass(ClassId, ClassId),
    IsModule(ClassId),
    Superclass(ClassId),
    IsOpaque(ClassId),
    Hierarchy(ClassId),
    ClassIndex(HierarchyId, ClassId),
    Symbol(String),
    PathOfSet,
}

/// When a question is recorded that was recorded before with the same answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// Never: neither does the answer change while one host is asked, nor does the host by being asked once more.
    Never,
    /// Where the host has learned something meanwhile: it reads objects for its answer.
    Later,
    Always,
}

impl Question {
    pub(super) const fn again(&self) -> Again {
        match self {
            Self::NoteSync | Self::FoundFrozen | Self::KindsChanged | Self::GuessNames(..) => Again::Always,
            Self::Root(_)
            | Self::Base
            | Self::Column(..)
            | Self::VariableOrders(..)
            | Self::MadeKind(_)
            | Self::MadeHash(..)
            | Self::StringWords
            | Self::CalledNames(..)
            | Self::Elements(_)
            | Self::HashPart(..)
            | Self::SymbolNames
            | Self::AnyFrozen(_)
            | Self::AnyFrozenArray(_)
            | Self::Groups(_)
            | Self::RefusedPattern => Again::Later,
            _ => Again::Never,
        }
    }

    /// Asks it, and says in bytes what the host answers; `None`: there is no such code.
    pub(super) fn ask(&self, host: &mut dyn Host, codes: &mut Codes) -> Option<Vec<u8>> {
        let mut told = Telling { bytes: Vec::new(), codes };
        match self {
            Self::Method(class, name) => {
                let found = host.method(*class, name);
                told.found(host, &found);
            }
            Self::SuperMethod(holder, owner, name) => {
                let found = host.super_method(*holder, *owner, name);
                told.found(host, &found);
            }
            Self::SingletonMethod(module, name) => {
                let found = host.singleton_method(*module, name);
                told.found(host, &found);
            }
            Self::Root(key) => told.result(&host.root(key)),
            Self::Closure(root) => {
                let closure = host.closure(*root).map(Some);
                told.literal(host, &closure);
            }
            Self::MethodBlock(code) => {
                let code = told.codes.codes.get(*code as usize)?.clone();
                told.value(&host.method_block(&code));
            }
            Self::IsOneVariable(one, other) => told.result(&host.is_one_variable(*one, *other)),
            Self::Literal(class) => {
                let literal = host.literal(*class);
                told.literal(host, &literal);
            }
            Self::Captures(class, name) => told.value(&host.captures(*class, name)),
            Self::RealClass(class) => told.value(&host.real_class(*class)),
            Self::Base => told.result(&host.base()),
            Self::Column(hierarchy, class, name) => told.result(&host.column(*hierarchy, *class, name)),
            Self::MadeKind(number) => told.value(&host.made_kind(*number)),
            Self::MadeHash(number, sort) => told.value(&host.made_hash(*number, *sort)),
            Self::StringWords => told.value(&host.string_words()),
            Self::LeavesGaps(path, line) => told.value(&host.leaves_gaps(path, *line)),
            Self::IntegerSize(path, line) => told.value(&host.integer_size(path, *line)),
            Self::HasBigIntegers => told.value(&host.has_big_integers()),
            Self::ToldLines => told.value(&host.told_lines()),
            Self::CalledNames(path, line) => told.value(&host.called_names(path, *line)),
            Self::GuessNames(path, line, prefix) => host.guess_names(path, *line, prefix.as_deref()),
            Self::Elements(kind) => told.result(&host.elements(*kind)),
            Self::HashPart(kind, part) => told.result(&host.hash_part(*kind, *part)),
            Self::SymbolNames => told.result(&host.symbol_names()),
            Self::Members(class) => told.value(&host.members(*class)),
            Self::StructKeywords(class) => told.value(&host.struct_keywords(*class)),
            Self::VariableOrders(hierarchy, class) => {
                told.result(&host.variable_orders(*hierarchy, *class));
            }
            Self::NoteSync => told.value(&host.note_sync()),
            Self::AnyFrozen(hierarchy) => told.value(&host.any_frozen(*hierarchy)),
            Self::AnyFrozenArray(kind) => told.value(&host.any_frozen_array(*kind)),
            Self::FoundFrozen => told.value(&host.found_frozen()),
            Self::KindsChanged => told.value(&host.kinds_changed()),
            Self::Dialect => told.value(&host.dialect()),
            Self::CopiesAll => told.value(&host.copies_all()),
            Self::OutlinesAll => told.value(&host.outlines_all()),
            Self::ElementsOnCpu => told.value(&host.elements_on_cpu()),
            Self::IsDropped(class) => told.value(&host.is_dropped(*class)),
            Self::ClassName(class) => told.name(&host.class_name(*class)),
            Self::Groups(root) => told.value(&host.groups(*root)),
            Self::RefusedPattern => told.value(&host.refused_pattern()),
            Self::MissingConstant(key) => told.result(&host.missing_constant(key)),
            Self::ClassVariableOwner(scope, name) => {
                told.result(&host.class_variable_owner(scope, name));
            }
            Self::IsSubclass(class, ancestor) => told.value(&host.is_subclass(*class, *ancestor)),
            Self::IsModule(class) => told.value(&host.is_module(*class)),
            Self::Superclass(class) => told.value(&host.superclass(*class)),
            Self::IsOpaque(class) => told.value(&host.is_opaque(*class)),
            Self::Hierarchy(class) => told.value(&host.hierarchy(*class)),
            Self::ClassIndex(hierarchy, class) => told.value(&host.class_index(*hierarchy, *class)),
            Self::Symbol(name) => told.value(&host.symbol(name)),
            Self::PathOfSet => told.value(&host.path_of_set()),
        }
        Some(told.bytes)
    }
}

/// An address has so many digits at least.
const LEAST_DIGITS: usize = 8;

/// The codes that were answered, the section's own first, and the files that they stand in, in the order in which they were
/// met.
pub(super) struct Codes {
    codes: Vec<Rc<Code>>,
    pub(super) files: Vec<FileId>,
    /// There are places in files of which no code was asked for.
    pub(super) is_strange: bool,
    /// What names of classes without a name tell: where they are, in this process.
    pub(super) addresses: Vec<String>,
}

impl Codes {
    pub(super) fn new(code: &Rc<Code>) -> Self {
        Self {
            codes: vec![Rc::clone(code)],
            files: vec![code.span.file],
            is_strange: false,
            addresses: Vec::new(),
        }
    }

    /// The number of a code, and whether it is a new one.
    pub(super) fn number(&mut self, code: &Rc<Code>) -> (u32, bool) {
        let known = self.codes.iter().position(|known| Rc::ptr_eq(known, code));
        if known.is_none() {
            self.codes.push(Rc::clone(code));
            if !self.files.contains(&code.span.file) {
                self.files.push(code.span.file);
            }
        }
        (known.unwrap_or(self.codes.len() - 1) as u32, known.is_none())
    }

    /// The name of a class, with numbers in place of addresses.
    fn numbered(&mut self, name: &str) -> String {
        let mut numbered = String::new();
        for (at, part) in name.split("0x").enumerate() {
            let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
            if at == 0 || end < LEAST_DIGITS {
                numbered.push_str(if at == 0 { "" } else { "0x" });
                numbered.push_str(part);
                continue;
            }
            let address = &part[..end];
            let known = self.addresses.iter().position(|known| known == address);
            let number = known.unwrap_or_else(|| {
                self.addresses.push(address.into());
                self.addresses.len() - 1
            });
            numbered.push_str(&format!("0x({number}){}", &part[end..]));
        }
        numbered
    }

    fn place(&self, span: Span) -> (Option<usize>, u32, u32) {
        (self.files.iter().position(|file| *file == span.file), span.start, span.end)
    }
}

/// Answers as bytes: those of two hosts are the same where these are.
pub(super) struct Telling<'c> {
    pub(super) bytes: Vec<u8>,
    pub(super) codes: &'c mut Codes,
}

/// What a code is lowered from, and what tells it from others at its place.
#[derive(Serialize)]
struct Identity<'a> {
    path: &'a str,
    digest: &'a [u8; 32],
    first_line: u32,
    place: (u32, u32),
    name: &'a str,
    kind: u8,
    nodes: u32,
    locals: &'a [String],
    captured_reads: &'a [String],
    captured_writes: Vec<&'a str>,
    nesting: &'a [Option<String>],
    in_binding: bool,
}

impl Telling<'_> {
    pub(super) fn value(&mut self, value: &impl Serialize) {
        let bytes = std::mem::take(&mut self.bytes);
        // Into memory, and of data that has a form: nothing can fail.
        self.bytes = postcard::to_extend(value, bytes).unwrap_or_default();
    }

    pub(super) fn name(&mut self, name: &str) {
        let name = self.codes.numbered(name);
        self.value(&name);
    }

    pub(super) fn result<T: Serialize>(&mut self, result: &Result<T, Refusal>) {
        match result {
            Ok(value) => {
                self.bytes.push(0);
                self.value(value);
            }
            Err(refusal) => self.refusal(refusal),
        }
    }

    fn refusal(&mut self, Refusal { slug, message, hint, inside }: &Refusal) {
        self.bytes.push(1);
        self.value(&(slug, message, hint));
        for Diagnostic { slug, span, message, hint, called } in inside {
            self.value(&(
                *slug,
                self.codes.place(*span),
                message,
                hint,
                called.map(|span| self.codes.place(span)),
            ));
        }
    }

    pub(super) fn found(&mut self, host: &dyn Host, found: &Result<Option<FoundMethod>, Refusal>) {
        match found {
            Err(refusal) => self.refusal(refusal),
            Ok(None) => self.bytes.push(0),
            Ok(Some(FoundMethod { owner, visibility, method })) => {
                self.bytes.push(2);
                self.value(&(owner, visibility));
                match method {
                    Method::Ruby(code) => self.code(host, code),
                    Method::Reader(name) => self.value(&(1u8, name)),
                    Method::Writer(name) => self.value(&(2u8, name)),
                    Method::Native { name, arity } => self.value(&(3u8, name, arity)),
                }
            }
        }
    }

    pub(super) fn literal(&mut self, host: &dyn Host, found: &Result<Option<(Rc<Code>, bool)>, Refusal>) {
        match found {
            Err(refusal) => self.refusal(refusal),
            Ok(None) => self.bytes.push(0),
            Ok(Some((code, is_lambda))) => {
                self.bytes.extend([2, u8::from(*is_lambda)]);
                self.code(host, code);
            }
        }
    }

    fn code(&mut self, host: &dyn Host, code: &Rc<Code>) {
        self.bytes.push(0);
        let (number, is_new) = self.codes.number(code);
        self.value(&number);
        if is_new {
            match host.file(code.span.file) {
                Some(file) => self.value(&identity(code, &file)),
                None => self.codes.is_strange = true,
            }
        }
    }
}

fn identity<'a>(code: &'a Code, file: &'a SourceFile) -> Identity<'a> {
    Identity {
        path: &file.path,
        digest: file.digest(),
        first_line: file.first_line,
        place: (code.span.start, code.span.end),
        name: &code.name,
        kind: match code.kind {
            CodeKind::Method => 0,
            CodeKind::Block => 1,
            CodeKind::Lambda => 2,
        },
        nodes: code.nodes,
        locals: &code.locals,
        captured_reads: &code.captured_reads,
        captured_writes: code.captured_writes.iter().map(|(name, _)| name.as_str()).collect(),
        nesting: &code.nesting,
        in_binding: code.in_binding,
    }
}

/// What a section's code is and what it is inferred for, as bytes: recordings of others are of no use to it. `learned`: what
/// else is known of the code before.
pub fn key(
    file: &SourceFile,
    code: &Code,
    output: Output,
    repeats: bool,
    learned: &impl Serialize,
) -> Option<Vec<u8>> {
    postcard::to_stdvec(&(identity(code, file), output, repeats, learned)).ok()
}
