//! Where inference gives up: types that hold themselves ever deeper, code nested deeper than the stack has room for,
//! sections that are too large, the end of memory, and what Ruby wants the thread for. Whichever comes first ends the
//! walk, and is all that is told.
//!
//! The size of a section bounds the memory and the time of its compilation. Programs that people write have some
//! hundreds of expressions; the largest of the specs have 6,000 instructions, the largest random program 40,000. The
//! limits are 100,000 of each: inference then takes about a second, Cranelift some ten. NVRTC may take minutes for a
//! tenth of that.

use super::Lowerer;
use super::operand::{self, Operand};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;
use crate::reserve;
use crate::source::Span;
use crate::syntax::ast::NodeId;
use crate::types::{ClassId, Type, TypeSet};

/// Objects of one class in each other, as deep as this: types need a bound, and code that nests them once more in each
/// walk would have none.
const MAX_RECORDS: usize = 5;
/// Arrays of known length in each other.
const MAX_TUPLES: usize = 8;
/// Parts of all kinds in each other.
const MAX_PARTS: usize = 16;
/// Expressions between two looks at what Ruby wants.
const STEPS: u32 = 16;
/// Expressions in one walk, and in all of a section. A method counts wherever it is inlined. Programs that people write
/// have some hundreds; with these it takes seconds to compile.
const MAX_EXPRESSIONS: u32 = 100_000;
const MAX_ALL_EXPRESSIONS: u32 = 1_000_000;
/// Statements of the IR.
const MAX_STATEMENTS: usize = 100_000;

impl Lowerer<'_> {
    /// Begins an expression; false if inference has given up.
    pub(super) fn goes_on(&mut self) -> bool {
        if self.stopped {
            return false;
        }
        self.steps = self.steps.wrapping_add(1);
        self.count_cost();
        if self.steps.is_multiple_of(STEPS) && self.host.interrupted() {
            self.stopped = true;
            return false;
        }
        if self.steps > MAX_EXPRESSIONS || self.steps_before + self.steps > MAX_ALL_EXPRESSIONS {
            self.stop("section-too-large", TOO_LARGE, TOO_LARGE_HINT);
            self.b.mark_dead();
            return false;
        }
        if reserve::check().is_err() {
            self.stopped = true;
            return false;
        }
        let marker = 0_u8;
        if std::ptr::from_ref(&marker).addr() < self.stack_end {
            self.stop_nesting();
        }
        !self.stopped
    }

    pub(super) fn stop_nesting(&mut self) {
        self.stop(
            "nesting-too-deep",
            "calls and expressions are nested too deeply for the compiler",
            "split it up: local variables, and methods that call each other less deeply",
        );
        self.b.mark_dead();
    }

    /// Refuses the section, whatever else is found.
    fn stop(&mut self, slug: &'static str, message: &str, hint: &str) {
        let span = self.user_span();
        let called = self.call_in_block();
        let (message, hint) = (message.into(), Some(hint.into()));
        self.diagnostics = vec![Diagnostic { slug, span, message, hint, called }];
        self.stopped = true;
    }

    /// Would an array of fixed length with these items hold others like itself without end? From the next walk on the
    /// literal makes a list, whose type says where it was made.
    pub(super) fn makes_endless_list(&mut self, literal: (usize, NodeId), items: &[Operand]) -> bool {
        let types = Type::Tuple(items.iter().map(|item| item.types.clone()).collect()).into();
        if is_bounded(&types, &mut Vec::new()) {
            return false;
        }
        let kept = self.keep_nested(&types) || self.memo.grown.insert(literal);
        if kept {
            self.memo.restart = true;
            self.memo.changed |= true;
            self.b.mark_dead();
        }
        kept
    }

    /// Bounds the type of a value that was just made of others; false if it was too deep.
    pub(crate) fn is_bounded(&mut self, types: &TypeSet) -> bool {
        if is_bounded(types, &mut Vec::new()) {
            return true;
        }
        // Kept in memory, they have an end.
        if self.keep_nested(types) {
            self.b.mark_dead();
            return false;
        }
        if !self.stopped {
            self.stop(
                "recursive-value",
                "what is made here holds what was made here before, ever deeper: such values have no end for the compiler",
                "make such objects before the section; or keep the parts in an array, and indices instead of objects",
            );
        }
        self.b.mark_dead();
        false
    }
}

const TOO_LARGE: &str = "the section is too large: methods that take blocks count wherever they are called, with all that they call";
const TOO_LARGE_HINT: &str = "call such methods in fewer places, in loops instead of one line after the other, or make \
                              several sections of it";

/// Refuses a program that would take too long to compile. One that `tells` more of what it has raised was small enough
/// before, and has only become larger by that.
pub(super) fn check_size(program: &Program, span: Span, tells: bool) -> Result<(), Diagnostic> {
    let most = if tells { 2 * MAX_STATEMENTS } else { MAX_STATEMENTS };
    if program.size() <= most {
        return Ok(());
    }
    let (message, hint) = (TOO_LARGE.into(), Some(TOO_LARGE_HINT.into()));
    Err(Diagnostic { slug: "section-too-large", span, message, hint, called: None })
}

fn is_bounded(types: &TypeSet, path: &mut Vec<Option<ClassId>>) -> bool {
    types.iter().all(|ty| {
        let Some(parts) = operand::parts(ty) else { return true };
        let (class, most) = match ty {
            Type::Record(record) => (Some(record.class), MAX_RECORDS),
            _ => (None, MAX_TUPLES),
        };
        if path.len() >= MAX_PARTS || path.iter().filter(|other| **other == class).count() >= most {
            return false;
        }
        path.push(class);
        let bounded = parts.iter().all(|part| is_bounded(part, path));
        path.pop();
        bounded
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Function, Stmt};
    use crate::source::FileId;

    #[test]
    fn a_program_of_too_many_statements_is_refused() {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let body = vec![Stmt::Return(Vec::new()); MAX_STATEMENTS];
        let function = Function { body, ..Function::default() };
        let mut program = Program { functions: vec![function], ..Program::default() };
        assert!(check_size(&program, span, false).is_ok());
        program.functions[0].body.push(Stmt::Return(Vec::new()));
        assert_eq!(check_size(&program, span, false).unwrap_err().slug, "section-too-large");
        assert!(check_size(&program, span, true).is_ok());
    }
}
