//! `ikra check` reads a file and runs nothing. `syntax::outline` finds its parallel calls and what it defines; `check`
//! converts the block of each, and the methods that it calls, to HIR and walks over the operations. So only that is
//! told which is unsupported whatever the types are; a method is taken for Ruby's own where the files at hand define no
//! other. The block of each call is looked at, and the methods that it calls as far as the files define them: see
//! [`names`].
//!
//! - It has no false alarm. So it tells what needs no types: `Op::Unsupported`, codes that do not lower, `break` and
//!   `return` out of the block, functions of Kernel about the world outside, methods of C that the tables of `builtins`
//!   lack. What inference and the check say stands in one place, `infer/refused.rs`.
//! - What `self` is, `outline` says where that is known (`Own`): blocks keep it only if they are given to core methods.
//!   A class with an unknown superclass, module or `eval` may have methods of its own: then functions of Kernel are not
//!   told.
//! - Constants and methods of Ruby's own are asked of the running one (`check::Known`, `ext/ikra/src/check.rs`), which
//!   loads the parts of the standard library that the file requires. Nothing of the program is loaded.
//! - What stands in the first block of the section's own code is met by each element; all else is "if reached".
#![deny(unsafe_code)]

mod names;
#[cfg(test)]
mod tests;

use crate::builtins::{self, Methods};
use crate::diagnostic::Diagnostic;
use crate::error::NoMemory;
use crate::hir::{self, ArgKind, Block, Call, CallKind, CodeId, CodeKind, Hir, Op, Terminator};
use crate::infer::builtins::Builtins;
use crate::infer::host::{FoundMethod, Method, Refusal};
use crate::infer::refused;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::outline::{self, Own, ParallelCall, ParallelNames};
use crate::syntax::{self, CodeError, Codes};
use crate::types::{ClassId, HierarchyId, Type};
use names::{Callee, Names};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a check asks of the Ruby that runs it: its own classes and modules.
pub trait Known {
    /// The class or module of that path.
    fn module(&mut self, path: &str) -> Option<ClassId>;
    fn name(&self, module: ClassId) -> String;
    /// As [`crate::infer::Host::method`].
    fn method(&mut self, class: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal>;
    fn singleton_method(&mut self, module: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal>;
    /// Has some class that is made in C a method of that name?
    fn is_name_of_c(&self, name: &str) -> bool;
}

/// What is unsupported in a parallel call.
#[derive(Clone, Debug)]
pub struct Finding {
    pub diagnostic: Diagnostic,
    /// The name of the parallel method, and where that stands.
    pub call: (String, Span),
    /// Not each element comes there, as far as the source tells.
    pub if_reached: bool,
}

/// What a check takes.
pub struct Checked<'a> {
    pub sources: &'a SourceMap,
    /// The file whose parallel calls are looked at.
    pub file: FileId,
    /// Those that it requires by their place.
    pub others: &'a [FileId],
    /// There are more of these, which cannot be read.
    pub misses_some: bool,
    pub names: &'a ParallelNames,
}

/// Findings in the order of the calls, those of one in the order of their places; or the file's first syntax error.
pub fn check(
    checked: &Checked<'_>,
    known: &mut dyn Known,
) -> Result<Result<Vec<Finding>, Diagnostic>, NoMemory> {
    let mut outlines = Vec::new();
    match outline::outline(checked.sources, checked.file, checked.names)? {
        Ok(outline) => outlines.push(outline),
        Err(diagnostic) => return Ok(Err(diagnostic)),
    }
    let mut is_whole = !checked.misses_some;
    for file in checked.others {
        match outline::outline(checked.sources, *file, checked.names)? {
            Ok(outline) => outlines.push(outline),
            Err(_) => is_whole = false,
        }
    }
    let calls = std::mem::take(&mut outlines[0].calls);
    let definitions = outlines.iter().flat_map(|outline| outline.definitions.iter().map(|def| def.span));
    let spans: BTreeSet<Span> = definitions.chain(calls.iter().map(|call| call.block)).collect();
    let mut codes = Codes::default();
    for file in checked.others.iter().chain([&checked.file]) {
        codes.extend(syntax::codes_at(checked.sources, *file, &spans)?);
    }
    let names = Names::new(outlines, is_whole);
    // A method of the file's own by such a name is none of Ikra's.
    let calls: Vec<_> =
        calls.into_iter().filter(|call| call.is_driver || !names.are_written(&call.name)).collect();
    let mut checker = Checker { names, parallel: checked.names, codes, hirs: FxHashMap::default(), known };
    Ok(Ok(calls.iter().flat_map(|call| checker.findings(call)).collect()))
}

/// A code that is to be looked at.
struct Work {
    span: Span,
    own: Own,
    /// The call in the block that led to it.
    called: Option<Span>,
}

struct Checker<'a> {
    names: Names,
    parallel: &'a ParallelNames,
    codes: Codes,
    /// None of what has grown too large.
    hirs: FxHashMap<Span, Option<Rc<Hir>>>,
    known: &'a mut dyn Known,
}

/// What is known of a piece of a code.
#[derive(Clone, Default)]
struct Piece {
    own: Own,
    /// `return` in it leaves the block of the parallel call.
    leaves: bool,
}

/// What was found in one parallel call.
struct Found<'c> {
    call: &'c ParallelCall,
    findings: Vec<Finding>,
}

impl Found<'_> {
    fn add(&mut self, diagnostic: Diagnostic, called: Option<Span>, if_reached: bool) {
        let is_known = |known: &Finding| {
            (known.diagnostic.span, known.diagnostic.slug) == (diagnostic.span, diagnostic.slug)
        };
        if !self.findings.iter().any(is_known) {
            let diagnostic = Diagnostic { called, ..diagnostic };
            let call = (self.call.name.clone(), self.call.name_span);
            self.findings.push(Finding { diagnostic, call, if_reached });
        }
    }

    fn refuse(&mut self, refusal: Refusal, span: Span, called: Option<Span>, if_reached: bool) {
        let Refusal { slug, message, hint, .. } = refusal;
        self.add(Diagnostic { slug, span, message, hint, called: None }, called, if_reached);
    }
}

impl Checker<'_> {
    fn findings(&mut self, call: &ParallelCall) -> Vec<Finding> {
        let mut found = Found { call, findings: Vec::new() };
        let mut seen = BTreeSet::from([call.block]);
        let mut todo = vec![Work { span: call.block, own: call.own.clone(), called: None }];
        while let Some(work) = todo.pop() {
            if let Some(Err(CodeError::Unsupported(diagnostics))) = self.codes.get(&work.span) {
                for diagnostic in diagnostics {
                    found.add(diagnostic.clone(), work.called, work.called.is_some());
                }
            } else if let Some(hir) = self.hir(work.span) {
                let mut more = self.walk(&hir, &work, &mut found);
                more.retain(|work| seen.insert(work.span));
                todo.extend(more);
            }
        }
        let mut findings = found.findings;
        findings.sort_by_key(|finding| (finding.diagnostic.span, finding.diagnostic.slug));
        findings
    }

    fn hir(&mut self, span: Span) -> Option<Rc<Hir>> {
        let codes = &self.codes;
        let convert = || match codes.get(&span) {
            Some(Ok(code)) => hir::convert(code).ok().map(Rc::new),
            _ => None,
        };
        self.hirs.entry(span).or_insert_with(convert).clone()
    }

    /// Looks through a code; gives the methods that it calls.
    fn walk(&mut self, hir: &Hir, work: &Work, found: &mut Found<'_>) -> Vec<Work> {
        let pieces = self.pieces(hir, work);
        let mut more = Vec::new();
        for (code, piece) in hir.codes.iter().zip(&pieces) {
            for (number, block) in (0..).zip(&code.blocks) {
                let is_begin = code.outer.is_none() && work.called.is_none() && Block(number) == Block(0);
                for value in &code.values[block.body.start as usize..block.body.end as usize] {
                    match &value.op {
                        Op::Unsupported(id) => {
                            let diagnostic = hir.diagnostics[id.index()].clone();
                            found.add(diagnostic, work.called, !is_begin);
                        }
                        Op::Call(call) => {
                            let at = At { hir, code, own: &piece.own, span: value.source.span };
                            let is_of_block = work.called.is_none();
                            if let Some((refusal, span)) = self.refused(&at, call, is_of_block) {
                                found.refuse(refusal, span, work.called, !is_begin);
                            } else if let Some(Callee { span, own }) = self.callee(&at, call) {
                                let called = work.called.or(Some(call.name_span));
                                more.push(Work { span, own, called });
                            }
                        }
                        _ => {}
                    }
                }
                let span = block.source.span;
                match block.end {
                    Terminator::Break(_) if code.outer.is_none() && work.called.is_none() => {
                        found.refuse(refused::break_out(), span, None, !is_begin);
                    }
                    Terminator::Leave(_) if piece.leaves => {
                        let refusal = refused::return_out(found.call.is_driver);
                        found.refuse(refusal, span, None, !is_begin);
                    }
                    _ => {}
                }
            }
        }
        more
    }

    /// By the numbers of the codes of a HIR, each of which stands behind the one around it.
    fn pieces(&self, hir: &Hir, work: &Work) -> Vec<Piece> {
        let mut pieces = vec![Piece::default(); hir.codes.len()];
        pieces[0] = Piece { own: work.own.clone(), leaves: work.called.is_none() };
        for (number, code) in hir.codes.iter().enumerate() {
            let outer = pieces[number].clone();
            for value in &code.values {
                match &value.op {
                    Op::Closure { code: CodeId(inner), .. }
                        if hir.codes[*inner as usize].kind == CodeKind::Lambda =>
                    {
                        pieces[*inner as usize] = Piece { own: outer.own.clone(), leaves: false };
                    }
                    Op::Call(call) => {
                        let name = hir.name(call.name);
                        let keeps =
                            self.parallel.keeping_self.contains(name) || self.parallel.methods.contains(name);
                        let makes = matches!(name, "lambda" | "proc" | "new");
                        let args = code.arguments(call.args).iter();
                        for arg in args.filter(|arg| arg.kind == ArgKind::Block) {
                            if let Op::Closure { code: CodeId(inner), .. } = code.op(arg.value) {
                                pieces[*inner as usize] = Piece {
                                    own: if keeps { outer.own.clone() } else { Own::Unknown },
                                    leaves: keeps && !makes && outer.leaves,
                                };
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        pieces
    }

    /// Why a call cannot run, whatever it is given, and where that is said.
    fn refused(&mut self, at: &At<'_>, call: &Call, is_of_block: bool) -> Option<(Refusal, Span)> {
        let name = at.hir.name(call.name);
        if call.kind == CallKind::Method {
            let path = at.constant(call)?;
            if self.names.are_constants(&path) {
                return None;
            }
            let module = self.known.module(path.trim_start_matches("::"))?;
            return Some((self.refused_of_module(module, name)?, call.name_span));
        }
        let own = self.names.own(at.own, name, self.known)?;
        if matches!(call.kind, CallKind::Function | CallKind::Variable) {
            if name == "block_given?" && is_of_block {
                return Some((refused::block_given(), at.span));
            }
            if let Some(refusal) = refused::function(name) {
                return Some((refusal, at.span));
            }
        }
        // What else inference knows of Kernel is in its tables, or is syntax.
        if builtins::of_world(name) {
            let ty = match at.own {
                Own::Module(_) => Type::Module(ClassId::COMPARABLE),
                _ => Type::Object(HierarchyId(0), ClassId::OBJECT),
            };
            let Ok(Some(FoundMethod { owner, method: Method::Native { name: original, .. }, .. })) =
                self.known.method(ClassId::OBJECT, name)
            else {
                return None;
            };
            if owner == ClassId::KERNEL && builtins::lookup(owner, &original, &ty).is_none() {
                let hint = builtins::hint(owner, &self.known.name(owner), &original);
                return Some((refused::method(&own, name, Some(hint)), call.name_span));
            }
        }
        None
    }

    /// Why a class or module of Ruby's own does not answer to that in a section.
    fn refused_of_module(&mut self, module: ClassId, name: &str) -> Option<Refusal> {
        let class = self.known.name(module);
        let of = format!("{class}.");
        match self.known.singleton_method(module, name) {
            Err(_) | Ok(Some(FoundMethod { method: Method::Ruby(_), .. })) if Methods.is_library(&class) => {
                let hint = Methods.hint_of_class(&class, name).map(Into::into);
                Some(refused::method(&of, name, hint))
            }
            Ok(Some(FoundMethod { method: Method::Native { .. }, .. })) if name == "new" => {
                let hint = Methods.hint_of_class(&class, name)?;
                let initialize = self.known.method(module, "initialize").ok()??;
                // Objects of other classes are made by the code of their `initialize`.
                let is_native = matches!(initialize.method, Method::Native { .. });
                (is_native && module.is_plain() && initialize.owner != ClassId::BASIC_OBJECT)
                    .then(|| refused::new(&class, Some(hint)))
            }
            Ok(Some(FoundMethod { owner, method: Method::Native { name: original, .. }, .. }))
                if !is_of_all_modules(owner)
                    && builtins::lookup(owner, &original, &Type::Module(module)).is_none() =>
            {
                let hint = builtins::hint(owner, &class, &original);
                Some(refused::method(&of, name, Some(hint)))
            }
            _ => None,
        }
    }

    /// The method of the files that a call means.
    fn callee(&mut self, at: &At<'_>, call: &Call) -> Option<Callee> {
        let name = at.hir.name(call.name);
        match call.kind {
            CallKind::Method => match at.constant(call) {
                Some(path) => self.names.of_constant(at.own, &path, name),
                None => self.names.of_any(name, self.known),
            },
            _ => self.names.of_self(at.own, name, self.known),
        }
    }
}

/// Inference knows what these are by itself.
const fn is_of_all_modules(owner: ClassId) -> bool {
    matches!(
        owner,
        ClassId::OBJECT
            | ClassId::KERNEL
            | ClassId::BASIC_OBJECT
            | ClassId::MODULE
            | ClassId::CLASS
            | ClassId::COMPARABLE
    )
}

/// Where a call stands.
struct At<'a> {
    hir: &'a Hir,
    code: &'a hir::Code,
    own: &'a Own,
    span: Span,
}

impl At<'_> {
    /// The constant that is the receiver, as written.
    fn constant(&self, call: &Call) -> Option<String> {
        match self.code.op(call.receiver) {
            Op::Constant { path, absolute } => {
                Some(format!("{}{}", if *absolute { "::" } else { "" }, self.hir.name(*path)))
            }
            _ => None,
        }
    }
}
