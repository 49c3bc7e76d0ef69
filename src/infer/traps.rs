//! What is unsupported, and where that is said.
//!
//! The first walks collect all refusals, as if what is refused gave nothing. All refusals of a walk are reported
//! together, if every run comes to one of them or one concerns the section as a whole. Else the walks go on with
//! *traps*: an expression that cannot be compiled is code that never returns, and fails with its diagnostic when an
//! element comes to it. So the types behind it hold nothing of it, and sections without refusals pay nothing.
//!
//! A check that refuses as the section runs has the expression's place in its site (`Site::refused`), which becomes the
//! message before the program is optimised. Files of the core have numbers that no file of a program has
//! (`FileId::is_core`). What the syntax has no place for is a node of its own (`Kind::Unsupported`), which does the
//! same. Names that were not there are part of the plan (`Plan::absent`), so they are seen to have come.

use super::host::Refusal;
use super::operand::Operand;
use super::{Frame, Lowerer};
use crate::diagnostic::Diagnostic;
use crate::heap::schema::Output;
use crate::ir::{Block, ErrorKind, FuncId, Program, SiteId, Stmt};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

impl Lowerer<'_> {
    /// Refuses the expression that is being lowered.
    pub(crate) fn refuse_here(
        &mut self,
        slug: &'static str,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Operand {
        self.refuse(Refusal { slug, message: message.into(), hint, ..Refusal::default() })
    }

    pub(crate) fn refuse(&mut self, refusal: Refusal) -> Operand {
        let refusal = Refusal { message: self.with_public_names(&refusal.message), ..refusal };
        if self.memo.traps && self.nested > 0 && !refusal.is_exception() {
            return self.trap(&refusal);
        }
        self.note_refusal();
        for diagnostic in self.diagnostics_of(refusal) {
            add(&mut self.diagnostics, diagnostic);
        }
        Operand::bottom()
    }

    /// Ends the run here, if it ever gets here.
    fn trap(&mut self, refusal: &Refusal) -> Operand {
        if self.b.is_dead() {
            return Operand::bottom();
        }
        let site = self.site(ErrorKind::Unsupported(refusal.at_run_time()));
        for diagnostic in self.diagnostics_of(refusal.clone()) {
            if !self.traps.contains(&(site, diagnostic.clone())) {
                self.traps.push((site, diagnostic));
            }
        }
        self.fail_at(site, &[]);
        Operand::bottom()
    }

    fn diagnostics_of(&self, refusal: Refusal) -> Vec<Diagnostic> {
        let called = self.call_in_block();
        if refusal.inside.is_empty() {
            let Refusal { slug, message, hint, .. } = refusal;
            return vec![Diagnostic { slug, span: self.user_span(), message, hint, called }];
        }
        let called = Some(called.unwrap_or_else(|| self.user_span()));
        refusal.inside.into_iter().map(|inside| Diagnostic { called, ..inside }).collect()
    }

    /// The call in the section's block that led to the current code, where that is another.
    pub(crate) fn call_in_block(&self) -> Option<Span> {
        let of_user = |(frame, _): &(&Frame, Span)| !frame.builtin;
        let calls = || self.calls_to(self.current, self.span).filter(of_user).skip(1);
        self.called.or_else(|| calls().last().map(|(_, span)| span))
    }
}

/// Adds what is not known yet, from wherever it was called.
fn add(all: &mut Vec<Diagnostic>, diagnostic: Diagnostic) {
    let same = |known: &Diagnostic| Diagnostic { called: diagnostic.called, ..known.clone() } == diagnostic;
    if !all.iter().any(same) {
        all.push(diagnostic);
    }
}

/// Does each run come to a trap? Of an element it is not asked what could end it before; where objects of a class are
/// there, some element runs their entry.
pub(super) fn comes_to_one(program: &Program, output: Output, traps: &[(SiteId, Diagnostic)]) -> bool {
    if traps.is_empty() {
        return false;
    }
    let first: Vec<FuncId> = match output {
        Output::Program => program.driver.into_iter().collect(),
        _ => program.kernels.iter().flat_map(|kernel| &kernel.entries).map(|entry| entry.function).collect(),
    };
    let sites = traps.iter().map(|(site, _)| *site).collect();
    let mut search = Search { program, sites, functions: FxHashMap::default() };
    first.into_iter().any(|function| search.traps(function))
}

/// Where control goes from a statement or block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// To a trap, whatever happens.
    Trap,
    /// To what comes next.
    Next,
    /// Somewhere else, or it is not known.
    Elsewhere,
}

struct Search<'p> {
    program: &'p Program,
    /// Those of traps.
    sites: FxHashSet<SiteId>,
    /// What was found of functions; false of those that are being searched.
    functions: FxHashMap<FuncId, bool>,
}

impl Search<'_> {
    /// Does each call of the function come to a trap?
    fn traps(&mut self, function: FuncId) -> bool {
        if let Some(known) = self.functions.get(&function) {
            return *known;
        }
        self.functions.insert(function, false);
        let found = self.end(&self.program.functions[function.0 as usize].body) == End::Trap;
        self.functions.insert(function, found);
        found
    }

    fn end(&mut self, block: &Block) -> End {
        let mut ends = block.iter().map(|stmt| self.end_of(stmt));
        ends.find(|end| *end != End::Next).unwrap_or(End::Next)
    }

    fn end_of(&mut self, stmt: &Stmt) -> End {
        match stmt {
            Stmt::Fail { site, .. } if self.sites.contains(site) => End::Trap,
            Stmt::Call { function, .. } if self.traps(*function) => End::Trap,
            Stmt::If { then, otherwise, .. } => match (self.end(then), self.end(otherwise)) {
                (End::Trap, End::Trap) => End::Trap,
                (End::Next, End::Next) => End::Next,
                _ => End::Elsewhere,
            },
            Stmt::Loop { body, .. } | Stmt::Block { body, .. } => self.end(body),
            Stmt::Fail { .. } | Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_) => End::Elsewhere,
            _ => End::Next,
        }
    }
}
