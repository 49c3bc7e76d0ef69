//! The abstract interpreter: walks the AST with sets of exact classes and emits the IR of the last, stable walk.
//!
//! Inference is abstract interpretation of the AST, and lowers to IR in the same walk. The domain is the lattice of
//! sets of exact classes. Each expression gives an *operand*: such a set, and the IR values that carry it. A set of one
//! class is a bare scalar (nil needs none); a union is *tagged*: a tag, and a payload of 64 bits. Types are
//! flow-sensitive: a local has another type after each assignment, and after each test.
//!
//! Some things depend on code that the walk has not seen: what is loop-carried, what a recursive method gives, what is
//! written into a column. They are the solution of a monotone fixpoint. The walk reads them from the *memo*
//! ([`memo::Memo`]), which only grows, and joins what it finds into it. It is repeated until what it has gone by stays
//! the same (`growth.rs`); the IR of that walk is the result. Real sections take two to five walks. Refusals count only in the last one,
//! since an earlier one may have seen too little.
//!
//! The lattice has chains without end (an array in an array, as often as one likes), so there is *widening*. Arrays of
//! several lengths that meet become lists of any length; a recursive method that is called with too many signatures
//! gets one that takes all. Kinds of lists that meet become one, by whose number all that was learned is renamed; only
//! where what was carried as values turns out to be kept in memory is it forgotten. Where widening does not help,
//! inference gives up (`limits.rs`): a value that holds others like itself ever deeper is refused, as is code that
//! would overflow the stack (a Ruby thread has 1 MiB). An interrupt of Ruby's ends inference as well.
//!
//! Where a made value is kept is found out by trying: the walk assumes what is cheapest (values side by side, arrays of
//! known length, calls inlined) and notes in the memo where that does not hold; the next walk knows. So escape analysis
//! is optimistic: values until something shows that they need a place. Lambdas, ranges and enumerators are types: there
//! is nothing to carry but what they hold. So is a class, but for one of several, which is carried by its number, in
//! columns too; one of several lambdas too, where they took nothing along by value. The places are told in the modules
//! `records` (values), `made` and `lists` (memory of the element), `stored` and `results` (words of the element),
//! `settling`, `of_drivers`, `hash_rows`, `growing`, `pushing` and `remembered` (rows of columns).
#![deny(unsafe_code)]

mod accumulators;
mod arity;
mod array_patterns;
mod arrays;
mod assign;
mod assigned;
mod backtraces;
mod basic_operations;
mod big_integers;
mod births;
mod blocks;
mod branches;
pub(crate) mod builtins;
mod call_graph;
mod callees;
mod calls;
mod catches;
mod causes;
mod changing_strings;
mod characters;
mod closed_blocks;
mod conditions;
mod constant_lists;
mod copies;
mod costs;
mod counting;
mod defined;
pub mod dialect;
mod dispatch;
mod driver;
mod elements;
mod entry;
pub(crate) mod enumerators;
mod evacuation;
mod exception_messages;
mod exception_methods;
mod exceptions;
mod expressions;
mod failing;
mod flows;
mod frames;
mod function_bodies;
mod functions;
mod global_state;
mod growing;
mod growth;
mod handed_over;
mod hash_rows;
mod hashes;
mod held_procs;
pub mod host;
mod inlining;
mod instances;
mod joins;
mod kernels;
mod keys;
pub(crate) mod keyword_splats;
mod leaving;
mod limits;
mod list_items;
mod lists;
mod literals;
mod lowerer;
mod made;
mod made_procs;
mod made_strings;
mod memo;
mod memory;
mod mutable_literals;
pub(crate) mod names;
mod no_match;
mod of_drivers;
mod opened_blocks;
mod operand;
mod outlining;
mod output;
mod parallel;
mod parameters;
mod patterns;
mod proc_identity;
mod procs;
mod pushing;
mod raise;
mod raised;
mod ranges;
pub mod recording;
mod records;
pub(crate) mod refused;
mod regexps;
mod remembered;
mod rescue;
mod results;
mod reuse;
mod roots;
mod schema;
mod sealed_lists;
mod settled_strings;
mod settling;
mod shown;
mod single_assignment;
mod sites;
mod splat_calls;
mod splats;
mod stored;
mod string_bytes;
mod strings;
mod sync;
mod traps;
mod unread;
mod used_variables;
mod variables;
mod watching;
mod ways_out;
mod wide_integers;
mod written_texts;

pub(crate) use big_integers::is_big_integer;
pub(crate) use births::Birth;
pub(crate) use branches::Condition;
pub(crate) use calls::{Arguments, CallType};
pub use causes::{CAUSE, OPERANDS as UNTOLD_OPERANDS, UNTOLD};
pub(crate) use conditions::module_of;
pub(crate) use copies::Frozen;
pub use copies::ORIGINAL;
pub use evacuation::ARRAY_HEADER;
pub(crate) use exceptions::keeps_text;
pub use exceptions::{
    ARGUMENTS, FACTS, Fact, MESSAGE as EXCEPTION_MESSAGE, MISSING_SHIFT, RAISED, RAISED_PATH, RECEIVER,
    SUBJECT, keeps_more_than_told, tells_too_little,
};
pub(crate) use frames::{
    Activation, BlockRef, Control, Frame, Home, Inlined, LocalValue, Locals, Outliving, Taken, Temp,
};
pub(crate) use functions::Trail;
pub(crate) use growing::Changing;
pub use growth::tell_anew;
pub(crate) use hashes::OTHER_KEYS;
pub use held_procs::PROC_SELF;
pub use host::Host;
pub(crate) use joins::JoinIndex;
pub use leaving::{FROZEN, ORDER, OrderNames, is_shared};
pub use lists::LIST_FROZEN;
pub(crate) use lowerer::Lowerer;
pub(crate) use made_procs::MadeProc;
pub(crate) use operand::{Operand, Values, range_ends};
pub use raised::raised_words;
pub use ranges::RANGE_PARTS;
pub(crate) use ranges::{ANY_RANGE, is_held_range, opens};
pub use regexps::PATTERN;
pub use rescue::is_raised_by_ruby;
pub use results::{is_plain, result_words, width};
pub(crate) use sealed_lists::Seal;
pub(crate) use sites::class_of;
pub(crate) use strings::text_of;
pub use unread::unread_columns;
pub use variables::{ADDRESS, SET, VARIABLES};
pub(crate) use wide_integers::Wide;

use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::heap::Schema;
use crate::heap::schema::Output;
use crate::ir::{Program, SiteId};
use crate::reserve;
use crate::source::Span;
use crate::syntax::StackEnd;
use crate::syntax::ast::Code;
use builtins::Builtins;
use joins::Join;
use memo::{FunctionKey, Memo};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A compiled front: everything the back-ends and the heap need to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Inferred {
    /// As it was lowered: [`crate::ir::passes`] come next.
    pub program: Program,
    pub schema: Schema,
    pub listing: Listing,
    /// What is unsupported where an element comes to it, which it may not: by the site of the failure.
    pub traps: Vec<(SiteId, Diagnostic)>,
    /// So many walks it took, with so many expressions in the last one and in all of them.
    pub walks: u32,
    pub expressions: (u32, u32),
    /// What they were of. It is not kept.
    #[serde(skip)]
    pub costs: costs::Told,
}

/// What `Ikra.explain` shows of the user's code: the block and the methods that were inferred, and the types of
/// expressions in them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Listing<T = String> {
    pub codes: BTreeSet<Span>,
    pub types: BTreeMap<Span, T>,
}

/// Walks are bounded: each adds at least one member to some set, and real sections need fewer than ten ([`flows`] saves a
/// chain of variables that hand a value on a walk for each). What has no end mostly comes to the bound of all expressions
/// sooner.
const MAX_WALKS: u32 = 2_000;
/// What takes so many has types without end rather than too much code.
const MANY_WALKS: u32 = 200;

/// Infers and lowers the section whose block is `code`, over these methods of Ruby's own.
pub(crate) fn infer(
    host: &mut dyn Host,
    builtins: &'static dyn Builtins,
    code: &Rc<Code>,
    output: Output,
    repeats: bool,
) -> Result<Inferred, Error> {
    let mut memo = Memo::default();
    let mut grew_at = code.span;
    let mut steps_before = 0;
    let mut costs = costs::Costs::default();
    // What was refused, before it was tried to do without.
    let mut refused: Option<Vec<Diagnostic>> = None;
    let mut check = growth::Check::default();
    // Ruby's own methods are parsed as they are met.
    let _stack = StackEnd::note(host.stack_end());
    for walk in 1..=MAX_WALKS {
        memo.begin_walk();
        let mut lowerer = Lowerer::new(host, builtins, &mut memo, output);
        lowerer.steps_before = steps_before;
        lowerer.costs = costs;
        lowerer.repeats = repeats;
        let schema = lowerer.walk(code, output);
        let Lowerer { diagnostics, traps, program, listing, stopped, grew_at: at, steps, .. } = lowerer;
        let (refusing, births) = (lowerer.refusing, lowerer.births);
        costs = lowerer.costs;
        steps_before += steps;
        let (at, within) = at.unzip();
        check.compare(&memo, &program)?;
        if growth::is_told() {
            growth::tell(walk, steps, memo.changed, within.flatten().as_deref());
        }
        reserve::check()?;
        if stopped && is_too_large(&diagnostics) && walk > MANY_WALKS {
            break;
        }
        if stopped {
            let smaller = if is_too_large(&diagnostics) { memo.of_less_code() } else { None };
            let Some(smaller) = smaller else {
                return Err(Error::Unsupported(refused.unwrap_or(diagnostics)));
            };
            (memo, steps_before) = (smaller, 0);
            continue;
        }
        grew_at = at.unwrap_or(grew_at);
        if host.kinds_changed() {
            memo.traps = std::mem::take(&mut memo).traps;
            continue;
        }
        if !memo.restart {
            births.flows.close(&mut memo);
        }
        if memo.settle() || births.grow(&mut memo) && memo.settle() || host.found_frozen() {
            continue;
        }
        if !diagnostics.is_empty() && memo.traps {
            return Err(Error::Unsupported(refused.unwrap_or(diagnostics)));
        }
        if !diagnostics.is_empty() {
            refused.get_or_insert(diagnostics);
            // Inlined, more is known of the arguments of functions.
            match refusing.is_empty() {
                true => memo.traps = true,
                false => memo.inlined.extend(refusing),
            }
            continue;
        }
        if let Err(diagnostic) = limits::check_size(&program, code.span, !host.told_lines().is_empty()) {
            let Some(smaller) = memo.of_less_code() else {
                return Err(Error::Unsupported(refused.unwrap_or_else(|| vec![diagnostic])));
            };
            (memo, steps_before) = (smaller, 0);
            continue;
        }
        if traps::comes_to_one(&program, output, &traps) {
            let found = || traps.into_iter().map(|(_, diagnostic)| diagnostic).collect();
            return Err(Error::Unsupported(refused.unwrap_or_else(found)));
        }
        if check.begins(&mut memo, &program) {
            continue;
        }
        return Ok(Inferred {
            program,
            schema,
            listing: described(host, listing),
            traps,
            walks: walk,
            expressions: (steps, steps_before),
            costs: costs.told(),
        });
    }
    Err(Error::Unsupported(vec![endless_types(grew_at)]))
}

/// The listing with types as they are told.
fn described(host: &dyn Host, listing: Listing<crate::types::TypeSet>) -> Listing<String> {
    let types = listing.types.iter().map(|(span, types)| (*span, sites::describe(host, types)));
    Listing { types: types.collect(), codes: listing.codes }
}

fn endless_types(span: Span) -> Diagnostic {
    Diagnostic {
        slug: "endless-types",
        span,
        message: "what the values here can be does not come to an end for the compiler".into(),
        hint: Some("let variables, items of arrays and results keep to a few kinds of values".into()),
        called: None,
    }
}

fn is_too_large(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.first().is_some_and(|diagnostic| diagnostic.slug == "section-too-large")
}
