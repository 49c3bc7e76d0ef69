//! What inference asked of its [`Host`], in order, with the answers: a *recording*. What inference finds is a function of
//! these answers, so where a host of another process gives the same ones, it would find the same. To see that, they are asked
//! again in the order of the recording ([`Recording::replay`]): the numbers of classes, kinds and roots, which hosts give in
//! the order in which they are asked, mean the same then, and the host knows all that it would know after inference.
//!
//! A question is recorded where it is new or its answer is, and again where the host has learned something new meanwhile, as
//! to ask may have it look once more. Code is told by the text of its file and its place there.

use super::costs::Told as Costs;
use super::dialect::Dialect;
use super::host::{
    Contents, FoundMethod, Holder, Host, Method, MissingConstant, Refusal, Root, RootKey, Scope,
    StructKeywords,
};
use super::{Inferred, Listing, Output};
use crate::diagnostic::Diagnostic;
use crate::heap::schema::Base;
use crate::ir::{Program, verifier};
use crate::source::{FileId, SourceFile, Span};
use crate::syntax::ast::{Code, CodeKind};
use crate::types::{ArrayKind, ClassId, HashPart, HashSort, HierarchyId};
use memchr::memmem;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// One of those of [`Host`], where the answer depends on more than the code.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Question {
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
    ToldLines,
    CalledNames(String, u32),
    GuessNames(String, u32, Option<String>),
    Elements(ArrayKind),
    HashPart(ArrayKind, HashPart),
    SymbolNames,
    Members(ClassId),
    StructKeywords(ClassId),
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
enum Again {
    /// Never: neither does the answer change while one host is asked, nor does the host by being asked once more.
    Never,
    /// Where the host has learned something meanwhile: it reads objects for its answer.
    Later,
    Always,
}

impl Question {
    const fn again(&self) -> Again {
        match self {
            Self::NoteSync | Self::FoundFrozen | Self::KindsChanged | Self::GuessNames(..) => Again::Always,
            Self::Root(_)
            | Self::Base
            | Self::Column(..)
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
    fn ask(&self, host: &mut dyn Host, codes: &mut Codes) -> Option<Vec<u8>> {
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
            Self::ToldLines => told.value(&host.told_lines()),
            Self::CalledNames(path, line) => told.value(&host.called_names(path, *line)),
            Self::GuessNames(path, line, prefix) => host.guess_names(path, *line, prefix.as_deref()),
            Self::Elements(kind) => told.result(&host.elements(*kind)),
            Self::HashPart(kind, part) => told.result(&host.hash_part(*kind, *part)),
            Self::SymbolNames => told.result(&host.symbol_names()),
            Self::Members(class) => told.value(&host.members(*class)),
            Self::StructKeywords(class) => told.value(&host.struct_keywords(*class)),
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
struct Codes {
    codes: Vec<Rc<Code>>,
    files: Vec<FileId>,
    /// There are places in files of which no code was asked for.
    is_strange: bool,
    /// What names of classes without a name tell: where they are, in this process.
    addresses: Vec<String>,
}

impl Codes {
    fn new(code: &Rc<Code>) -> Self {
        Self {
            codes: vec![Rc::clone(code)],
            files: vec![code.span.file],
            is_strange: false,
            addresses: Vec::new(),
        }
    }

    /// The number of a code, and whether it is a new one.
    fn number(&mut self, code: &Rc<Code>) -> (u32, bool) {
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
struct Telling<'c> {
    bytes: Vec<u8>,
    codes: &'c mut Codes,
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
    fn value(&mut self, value: &impl Serialize) {
        let bytes = std::mem::take(&mut self.bytes);
        // Into memory, and of data that has a form: nothing can fail.
        self.bytes = postcard::to_extend(value, bytes).unwrap_or_default();
    }

    fn name(&mut self, name: &str) {
        let name = self.codes.numbered(name);
        self.value(&name);
    }

    fn result<T: Serialize>(&mut self, result: &Result<T, Refusal>) {
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

    fn found(&mut self, host: &dyn Host, found: &Result<Option<FoundMethod>, Refusal>) {
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

    fn literal(&mut self, host: &dyn Host, found: &Result<Option<(Rc<Code>, bool)>, Refusal>) {
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

/// What a question was answered last, and its place among those that were recorded.
struct Known {
    answer: Vec<u8>,
    at: usize,
}

struct Recorded {
    codes: Codes,
    list: Vec<(Question, Vec<u8>)>,
    known: FxHashMap<Question, Known>,
    /// Where something new was recorded last.
    news: usize,
}

impl Recorded {
    fn is_known(&self, question: &Question) -> bool {
        question.again() == Again::Never && self.known.contains_key(question)
    }

    fn note(&mut self, question: Question, answer: Vec<u8>) {
        let at = self.list.len();
        let again = question.again();
        let last = self.known.get_mut(&question);
        let is_new = last.as_ref().is_none_or(|last| last.answer != answer);
        if !is_new
            && (again == Again::Never
                || again == Again::Later && last.as_ref().is_some_and(|last| last.at >= self.news))
        {
            return;
        }
        if is_new && again == Again::Later {
            self.news = at;
        }
        match last {
            Some(last) => *last = Known { answer: answer.clone(), at },
            None => {
                self.known.insert(question.clone(), Known { answer: answer.clone(), at });
            }
        }
        self.list.push((question, answer));
    }
}

/// A host that keeps what it was asked.
pub struct Recorder<'h> {
    host: &'h mut dyn Host,
    recorded: RefCell<Recorded>,
}

impl<'h> Recorder<'h> {
    /// `code`: the section's own.
    pub fn new(host: &'h mut dyn Host, code: &Rc<Code>) -> Self {
        let (list, known) = (Vec::new(), FxHashMap::default());
        Self { host, recorded: RefCell::new(Recorded { codes: Codes::new(code), list, known, news: 0 }) }
    }

    /// What was asked until now; `None` where it cannot be told to another process.
    pub fn recording(self) -> Option<Recording> {
        let Recorded { codes, list, .. } = self.recorded.into_inner();
        if codes.is_strange && is_told() {
            eprintln!("ikra: not kept: there are places in files that no code was asked of");
        }
        let Codes { files, is_strange, addresses, .. } = codes;
        (!is_strange).then_some(Recording { questions: list, files, addresses })
    }

    fn note(&self, question: Question, tell: impl FnOnce(&mut Telling<'_>, &dyn Host)) {
        let recorded = &mut *self.recorded.borrow_mut();
        if recorded.is_known(&question) {
            return;
        }
        let mut told = Telling { bytes: Vec::new(), codes: &mut recorded.codes };
        tell(&mut told, &*self.host);
        let answer = told.bytes;
        recorded.note(question, answer);
    }

    fn value<T: Serialize>(&self, question: Question, answer: T) -> T {
        self.note(question, |told, _| told.value(&answer));
        answer
    }

    fn result<T: Serialize>(&self, question: Question, answer: Answer<T>) -> Answer<T> {
        self.note(question, |told, _| told.result(&answer));
        answer
    }

    fn found(&self, question: Question, answer: Answer<Option<FoundMethod>>) -> Answer<Option<FoundMethod>> {
        self.note(question, |told, host| told.found(host, &answer));
        answer
    }
}

type Answer<T> = Result<T, Refusal>;

impl Host for Recorder<'_> {
    fn method(&mut self, class: ClassId, name: &str) -> Answer<Option<FoundMethod>> {
        let found = self.host.method(class, name);
        self.found(Question::Method(class, name.into()), found)
    }

    fn super_method(&mut self, holder: Holder, owner: ClassId, name: &str) -> Answer<Option<FoundMethod>> {
        let found = self.host.super_method(holder, owner, name);
        self.found(Question::SuperMethod(holder, owner, name.into()), found)
    }

    fn singleton_method(&mut self, module: ClassId, name: &str) -> Answer<Option<FoundMethod>> {
        let found = self.host.singleton_method(module, name);
        self.found(Question::SingletonMethod(module, name.into()), found)
    }

    fn root(&mut self, key: &RootKey) -> Answer<Option<Root>> {
        let root = self.host.root(key);
        self.result(Question::Root(key.clone()), root)
    }

    fn closure(&mut self, root: u32) -> Answer<(Rc<Code>, bool)> {
        let closure = self.host.closure(root).map(Some);
        self.note(Question::Closure(root), |told, host| told.literal(host, &closure));
        closure.map(|closure| closure.unwrap_or_else(|| unreachable!("it was given")))
    }

    fn method_block(&mut self, code: &Rc<Code>) -> Option<u32> {
        let (number, is_new) = self.recorded.get_mut().codes.number(code);
        // A copy of one that was answered would be another one elsewhere.
        self.recorded.get_mut().codes.is_strange |= is_new;
        let block = self.host.method_block(code);
        self.value(Question::MethodBlock(number), block)
    }

    fn is_one_variable(&mut self, one: u32, other: u32) -> Answer<bool> {
        let is_one = self.host.is_one_variable(one, other);
        self.result(Question::IsOneVariable(one, other), is_one)
    }

    fn literal(&mut self, class: ClassId) -> Answer<Option<(Rc<Code>, bool)>> {
        let literal = self.host.literal(class);
        self.note(Question::Literal(class), |told, host| told.literal(host, &literal));
        literal
    }

    fn captures(&self, class: ClassId, name: &str) -> bool {
        self.value(Question::Captures(class, name.into()), self.host.captures(class, name))
    }

    fn real_class(&self, class: ClassId) -> ClassId {
        self.value(Question::RealClass(class), self.host.real_class(class))
    }

    fn base(&mut self) -> Answer<Base> {
        let base = self.host.base();
        self.result(Question::Base, base)
    }

    fn column(&mut self, hierarchy: HierarchyId, class: ClassId, name: &str) -> Answer<Contents> {
        let contents = self.host.column(hierarchy, class, name);
        self.result(Question::Column(hierarchy, class, name.into()), contents)
    }

    fn made_kind(&mut self, number: u32) -> ArrayKind {
        let kind = self.host.made_kind(number);
        self.value(Question::MadeKind(number), kind)
    }

    fn made_hash(&mut self, number: u32, sort: HashSort) -> ArrayKind {
        let kind = self.host.made_hash(number, sort);
        self.value(Question::MadeHash(number, sort), kind)
    }

    fn string_words(&mut self) -> ArrayKind {
        let kind = self.host.string_words();
        self.value(Question::StringWords, kind)
    }

    fn leaves_gaps(&self, path: &str, line: u32) -> bool {
        self.value(Question::LeavesGaps(path.into(), line), self.host.leaves_gaps(path, line))
    }

    fn told_lines(&self) -> Vec<(String, u32)> {
        self.value(Question::ToldLines, self.host.told_lines())
    }

    fn called_names(&self, path: &str, line: u32) -> Vec<String> {
        self.value(Question::CalledNames(path.into(), line), self.host.called_names(path, line))
    }

    fn guess_names(&mut self, path: &str, line: u32, prefix: Option<&str>) {
        self.host.guess_names(path, line, prefix);
        self.note(Question::GuessNames(path.into(), line, prefix.map(Into::into)), |_, _| {});
    }

    fn elements(&mut self, kind: ArrayKind) -> Answer<Contents> {
        let contents = self.host.elements(kind);
        self.result(Question::Elements(kind), contents)
    }

    fn hash_part(&mut self, kind: ArrayKind, part: HashPart) -> Answer<ArrayKind> {
        let of_part = self.host.hash_part(kind, part);
        self.result(Question::HashPart(kind, part), of_part)
    }

    fn symbol_names(&mut self) -> Answer<HierarchyId> {
        let strings = self.host.symbol_names();
        self.result(Question::SymbolNames, strings)
    }

    fn members(&mut self, class: ClassId) -> Vec<String> {
        let members = self.host.members(class);
        self.value(Question::Members(class), members)
    }

    fn struct_keywords(&mut self, class: ClassId) -> StructKeywords {
        let keywords = self.host.struct_keywords(class);
        self.value(Question::StructKeywords(class), keywords)
    }

    fn note_sync(&mut self) -> bool {
        let is_first = self.host.note_sync();
        self.value(Question::NoteSync, is_first)
    }

    fn any_frozen(&mut self, hierarchy: HierarchyId) -> bool {
        let any = self.host.any_frozen(hierarchy);
        self.value(Question::AnyFrozen(hierarchy), any)
    }

    fn any_frozen_array(&mut self, kind: ArrayKind) -> bool {
        let any = self.host.any_frozen_array(kind);
        self.value(Question::AnyFrozenArray(kind), any)
    }

    fn found_frozen(&mut self) -> bool {
        let found = self.host.found_frozen();
        self.value(Question::FoundFrozen, found)
    }

    fn kinds_changed(&mut self) -> bool {
        let changed = self.host.kinds_changed();
        self.value(Question::KindsChanged, changed)
    }

    fn dialect(&self) -> Dialect {
        self.value(Question::Dialect, self.host.dialect())
    }

    /// How far inference gets at once makes no difference to what it finds.
    fn interrupted(&mut self) -> bool {
        self.host.interrupted()
    }

    fn copies_all(&self) -> bool {
        self.value(Question::CopiesAll, self.host.copies_all())
    }

    fn outlines_all(&self) -> bool {
        self.value(Question::OutlinesAll, self.host.outlines_all())
    }

    fn elements_on_cpu(&self) -> bool {
        self.value(Question::ElementsOnCpu, self.host.elements_on_cpu())
    }

    fn stack_end(&self) -> usize {
        self.host.stack_end()
    }

    fn is_dropped(&self, class: ClassId) -> bool {
        self.value(Question::IsDropped(class), self.host.is_dropped(class))
    }

    fn class_name(&self, class: ClassId) -> String {
        let name = self.host.class_name(class);
        self.note(Question::ClassName(class), |told, _| told.name(&name));
        name
    }

    fn groups(&self, root: u32) -> Option<u32> {
        self.value(Question::Groups(root), self.host.groups(root))
    }

    fn refused_pattern(&self) -> Option<(String, String)> {
        self.value(Question::RefusedPattern, self.host.refused_pattern())
    }

    fn missing_constant(&mut self, key: &RootKey) -> Answer<Option<MissingConstant>> {
        let missing = self.host.missing_constant(key);
        self.result(Question::MissingConstant(key.clone()), missing)
    }

    fn class_variable_owner(&mut self, scope: &Scope, name: &str) -> Answer<Option<ClassId>> {
        let owner = self.host.class_variable_owner(scope, name);
        self.result(Question::ClassVariableOwner(scope.clone(), name.into()), owner)
    }

    fn is_subclass(&self, class: ClassId, ancestor: ClassId) -> bool {
        self.value(Question::IsSubclass(class, ancestor), self.host.is_subclass(class, ancestor))
    }

    fn is_module(&self, class: ClassId) -> bool {
        self.value(Question::IsModule(class), self.host.is_module(class))
    }

    fn superclass(&self, class: ClassId) -> Option<ClassId> {
        self.value(Question::Superclass(class), self.host.superclass(class))
    }

    fn is_opaque(&self, class: ClassId) -> bool {
        self.value(Question::IsOpaque(class), self.host.is_opaque(class))
    }

    fn hierarchy(&mut self, class: ClassId) -> HierarchyId {
        let hierarchy = self.host.hierarchy(class);
        self.value(Question::Hierarchy(class), hierarchy)
    }

    fn class_index(&self, hierarchy: HierarchyId, class: ClassId) -> u32 {
        self.value(Question::ClassIndex(hierarchy, class), self.host.class_index(hierarchy, class))
    }

    fn symbol(&mut self, name: &str) -> i32 {
        let symbol = self.host.symbol(name);
        self.value(Question::Symbol(name.into()), symbol)
    }

    fn file(&self, file: FileId) -> Option<Arc<SourceFile>> {
        self.host.file(file)
    }

    /// Told by what code is known by.
    fn place(&self, span: Span) -> (String, u32) {
        let codes = &mut self.recorded.borrow_mut().codes;
        codes.is_strange |= !codes.files.contains(&span.file);
        self.host.place(span)
    }

    fn path_of_set(&self) -> Option<String> {
        self.value(Question::PathOfSet, self.host.path_of_set())
    }
}

/// The questions and answers of an inference, and the files of the codes among them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Recording {
    questions: Vec<(Question, Vec<u8>)>,
    files: Vec<FileId>,
    /// They mean nothing elsewhere.
    #[serde(skip)]
    addresses: Vec<String>,
}

impl Recording {
    /// Asks the host the same. Gives the files of the codes that it answers where all answers are the same.
    fn replay(&self, host: &mut dyn Host, code: &Rc<Code>) -> Option<Vec<FileId>> {
        let mut codes = Codes::new(code);
        for (question, answer) in &self.questions {
            let now = question.ask(host, &mut codes)?;
            if now != *answer {
                if is_told() {
                    let [then, now] = [answer, &now].map(|answer| String::from_utf8_lossy(answer));
                    eprintln!("ikra: not what was kept: {question:?}: {then:?}, now {now:?}");
                }
                return None;
            }
        }
        (codes.files.len() == self.files.len()).then_some(codes.files)
    }
}

/// Is it told which answers are others than those that were kept? With `IKRA_LOG=cache`.
fn is_told() -> bool {
    std::env::var("IKRA_LOG").is_ok_and(|names| names.split(',').any(|name| name.trim() == "cache"))
}

/// An inference as it is kept: what it asked, and what it found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Kept {
    recording: Recording,
    /// All but the program, and the buffers that it had as it was lowered.
    found: Vec<u8>,
    program: Vec<u8>,
}

impl Kept {
    /// Without the program yet. `None` where what was found has places in files that no code
    /// was asked of.
    pub fn new(recording: Recording, inferred: &Inferred) -> Option<Self> {
        let mut is_known = true;
        inferred.each_file(&mut |file| is_known &= recording.files.contains(&file));
        let Inferred { program, schema, listing, traps, walks, expressions, costs: _ } = inferred;
        let found = (&program.buffers, schema, listing, traps, walks, expressions);
        let found = postcard::to_stdvec(&found).ok()?;
        is_known.then_some(Self { recording, found, program: Vec::new() })
    }

    /// With the program as it is compiled. `None` where something in it tells an address.
    pub fn to_bytes(mut self, program: &Program) -> Option<Vec<u8>> {
        self.program = postcard::to_stdvec(program).ok()?;
        let tells = |address: &String| {
            [&self.found, &self.program].iter().any(|bytes| memmem::find(bytes, address.as_bytes()).is_some())
        };
        if let Some(address) = self.recording.addresses.iter().find(|address| tells(address)) {
            if is_told() {
                eprintln!("ikra: not kept: it has the name of a class without a name: 0x{address}");
            }
            return None;
        }
        postcard::to_stdvec(&self).ok()
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// What inference would find with this host, if the answers of that are the same, but for the program, of
    /// which it has the buffers alone; and what that can be read from. Else the host has been asked more than inference will ask it: that needs a new one.
    pub fn replay(self, host: &mut dyn Host, code: &Rc<Code>) -> Option<(Inferred, KeptProgram)> {
        let files = self.recording.replay(host, code)?;
        let files: FxHashMap<_, _> = self.recording.files.into_iter().zip(files).collect();
        let (buffers, schema, listing, traps, walks, expressions) = postcard::from_bytes(&self.found).ok()?;
        let program = Program { buffers, ..Program::default() };
        let costs = Costs::default();
        let mut inferred = Inferred { program, schema, listing, traps, walks, expressions, costs };
        let mut is_known = true;
        inferred.map_files(&mut |file| {
            let now = files.get(&file);
            is_known &= now.is_some();
            *now.unwrap_or(&file)
        });
        is_known.then_some((inferred, KeptProgram(self.program)))
    }
}

/// A program that was written down.
#[derive(Debug)]
pub struct KeptProgram(Vec<u8>);

impl KeptProgram {
    /// Reads and verifies it. `None` where something is wrong with it. What is nested deeply takes a stack for that.
    pub fn read(&self) -> Option<Program> {
        let program: Program = postcard::from_bytes(&self.0).ok()?;
        let both = [Some(&program), program.plain.as_deref()];
        let is_right = both.into_iter().flatten().all(|program| verifier::verify(program).is_ok());
        is_right.then_some(program)
    }
}

impl Inferred {
    /// All files that places are in.
    fn each_file(&self, visit: &mut dyn FnMut(FileId)) {
        self.listing.codes.iter().chain(self.listing.types.keys()).for_each(|span| visit(span.file));
        for (_, diagnostic) in &self.traps {
            visit(diagnostic.span.file);
            diagnostic.called.iter().for_each(|span| visit(span.file));
        }
        self.schema.syncs.iter().for_each(|sync| visit(sync.text.file));
        self.schema.procs.iter().for_each(|given| visit(given.text.file));
    }

    fn map_files(&mut self, map: &mut dyn FnMut(FileId) -> FileId) {
        let mut mapped = |span: Span| Span { file: map(span.file), ..span };
        let Listing { codes, types } = std::mem::take(&mut self.listing);
        self.listing = Listing {
            codes: codes.into_iter().map(&mut mapped).collect(),
            types: types.into_iter().map(|(span, text)| (mapped(span), text)).collect(),
        };
        for (_, diagnostic) in &mut self.traps {
            diagnostic.span = mapped(diagnostic.span);
            diagnostic.called = diagnostic.called.map(&mut mapped);
        }
        self.schema.syncs.iter_mut().for_each(|sync| sync.text = mapped(sync.text));
        self.schema.procs.iter_mut().for_each(|given| given.text = mapped(given.text));
    }
}
