//! What inference asked of its [`Host`], in order, with the answers: a *recording*. Inference is a function of the
//! section's code and of what the host answers. So it is run with a `Recorder` around the host, and what is kept is the
//! questions in their order, the answers as bytes, the schema, and the program as passes leave it. Another process
//! looks for it: the questions are put to its own host in their order ([`Recording::replay`]), and the answers are
//! compared. If all are the same, inference would find what is kept, and the host is in the state that it would be in
//! then: the object pool has given the same numbers to its own classes, the tracer has read the columns, the
//! assumptions are noted. No object of Ruby's is ever written down. Else it goes on with a new host: one that was asked
//! too much has given numbers that inference would not give.
//!
//! A question is recorded where it is new or its answer is, and again where the host has learned something new
//! meanwhile, as to ask may have it look once more. Methods are told by path, text and place as the section is; a class
//! by its number alone, since what matters of it was asked. A question is asked again where the answer hangs on what
//! was read (`Question::again`) and something was read since. Names of classes without a name tell addresses: they are
//! compared without those, and where one has got into what was found nothing is kept.
//!
//! What inference uses and does not ask of the host would be a wrong answer in another process: there must be no such
//! thing. How much stack there is and whether Ruby wants the thread back are no questions, as they decide only how far
//! one walk gets.

mod kept;
mod questions;

pub use kept::{Kept, KeptProgram};
pub use questions::key;

use super::dialect::Dialect;
use super::host::{
    Contents, FoundMethod, Holder, Host, IntegerSize, MissingConstant, Refusal, Root, RootKey, Scope,
    StructKeywords,
};
use crate::heap::schema::Base;
use crate::source::{FileId, SourceFile, Span};
use crate::syntax::ast::Code;
use crate::types::{ArrayKind, ClassId, HashPart, HashSort, HierarchyId};
use questions::{Again, Codes, Question, Telling};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

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

    fn integer_size(&self, path: &str, line: u32) -> IntegerSize {
        self.value(Question::IntegerSize(path.into(), line), self.host.integer_size(path, line))
    }

    fn has_big_integers(&self) -> bool {
        self.value(Question::HasBigIntegers, self.host.has_big_integers())
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

    fn variable_orders(
        &mut self,
        hierarchy: HierarchyId,
        class: ClassId,
    ) -> Result<Vec<Vec<String>>, Refusal> {
        let orders = self.host.variable_orders(hierarchy, class);
        self.result(Question::VariableOrders(hierarchy, class), orders)
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
