//! Which methods become functions because inlining all their calls would cost too much: time and size of a compilation
//! are to grow with the methods there are and the classes that they are called with, not with the ways to them.
//!
//! Inlined alone, methods that call each other twice would be copied twice as often at each level. So a walk counts
//! what inlining each method has cost, with all that was inlined in it. One that was inlined more than eight times, in
//! more than 2,000 expressions, is *outlined*: from then on its calls are those of a function, as they are of a method
//! that calls itself. So is what comes behind 8,000 expressions of one function, and what is nested 60 calls deep.
//! Where a section has one tick and writes no objects, a function knows as much as inlined code (elsewhere it does not
//! know that it runs for the element itself), so there the second call suffices, and 300 expressions.
//!
//! Small methods stay inlined, as do those that take blocks or lambdas, `initialize` and most built-ins: what such code
//! does hangs on who calls it. Large built-ins that make or read texts (`is_of_texts`) are functions from their first
//! call on, where all that they are given are texts and values: one for each choice of types, and for parts of
//! built-ins of known numbers, such as a base (but of those named `__any_…`, which are one function for all). Their
//! loops are told apart from those of their callers (`Lowerer::home`), which learn what they make, so that loops that
//! call them still give back memory.
//!
//! Nothing is refused because a method was outlined: where a function refuses something, or gives what no function can,
//! its method is inlined again. A function that is called before it is known what it gives is lowered at once, in the
//! midst of its caller, as far as the stack has room for it; where that has none, the callers are lowered again in the
//! same walk, since the next one would know just one more.

use super::backtraces::Running;
use super::calls::Arguments;
use super::functions::Pending;
use super::joins::{Join, JoinIndex};
use super::keys::{Context, JoinKey};
use super::memo::{FunctionKey, Stores};
use super::operand::{self, Operand};
use super::rescue::{Caught, Region};
use super::reuse::Watched;
use super::{Activation, BlockRef, Frame, Inlined, Lowerer};
use crate::ir::Value;
use crate::ir::builder::Builder;
use crate::source::Span;
use crate::syntax::ast::{Code, CodeKind, NodeId};
use crate::types::{ClassId, ListKind, Type, TypeSet};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A method is inlined so often, whatever it costs.
const FREE_CALLS: u32 = 8;
/// Expressions of a method, with all that was inlined in it, that are inlined however often it is called: about what
/// calling a function takes.
const SMALL: u32 = 32;
/// Expressions that all inlined calls of a method may come to.
const MAX_INLINED: u32 = 2_000;
/// The same, and how often, where a function costs next to nothing: in sections whose elements write no objects and that
/// have one tick. Elsewhere the code of a function knows less: that it runs for the element itself, which then need not
/// be watched, and that it may be fused.
const FREE_CALLS_WITHOUT_WRITES: u32 = 1;
const MAX_INLINED_WITHOUT_WRITES: u32 = 300;
/// Expressions in one function, from which on what is inlined in it is inlined no more.
const MAX_FUNCTION: u32 = 8_000;

/// The calls of a code that were inlined in this walk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inlinings {
    calls: u32,
    /// Expressions, with those inlined in them.
    steps: u32,
}

/// The state of the walk in a function, while another is lowered.
pub(super) struct Suspended {
    b: Builder,
    frames: Vec<Frame>,
    current: usize,
    joins: Vec<Join>,
    context: Context,
    node: NodeId,
    span: Span,
    facts: Vec<(Value, TypeSet)>,
    running: Option<Rc<Running>>,
    active: Vec<Inlined>,
    function: Option<Rc<Pending>>,
    detached: bool,
    depth: Option<Value>,
    unused: bool,
    loops: Vec<JoinKey>,
    watched: Vec<Watched>,
    catches: Vec<(Operand, JoinIndex)>,
    regions: Vec<Region>,
    handled: Vec<Caught>,
    retries: Vec<(usize, JoinIndex)>,
    array_literal: Option<Span>,
    live: Vec<(Activation, Vec<TypeSet>)>,
    called: Option<Span>,
    causes: super::causes::Causes,
    own: Option<Value>,
    begun_at: u32,
    home: Context,
}

impl Lowerer<'_> {
    /// Steps of the code being lowered, without those of functions that were lowered in the midst of it.
    pub(super) const fn own_steps(&self) -> u32 {
        self.steps.wrapping_sub(self.elsewhere)
    }

    /// Can a call be one of a function? What the function does must not hang on who calls it, beyond the classes of its
    /// arguments.
    pub(super) fn can_be_function(
        &mut self,
        (receiver, owner): (&Operand, ClassId),
        code: &Code,
        arguments: &Arguments,
        block: Option<&BlockRef>,
    ) -> bool {
        (code.kind == CodeKind::Method || self.is_literal(owner))
            && block.is_none()
            && arguments.splat.is_none()
            && std::iter::once(receiver)
                .chain(arguments.operands())
                .all(|operand| !operand.is_bottom() && self.can_be_passed(&operand.types))
    }

    /// Does a function that is called here not know which `catch` or which error is around its calls?
    pub(super) fn calls_detached(&self) -> bool {
        self.detached || !self.catches.is_empty() || !self.handled.is_empty()
    }

    fn can_be_passed(&mut self, types: &TypeSet) -> bool {
        operand::scalars(types).is_some() && !holds_building(types) && !self.holds_procs(types)
    }

    /// Can a function give such values?
    pub(super) fn can_give(&mut self, key: &FunctionKey, types: &TypeSet) -> bool {
        self.memo.recursive.contains(&key.code) || self.can_be_passed(types)
    }

    pub(super) fn is_outlined(&self, code: usize) -> bool {
        let chosen = self.memo.outlined.contains(&code) || self.host.outlines_all();
        chosen && !self.memo.inlined.contains(&code)
    }

    pub(super) fn is_kept_inlined(&self, code: usize) -> bool {
        self.memo.inlined.contains(&code)
    }

    /// Is it a built-in, large or often used, that makes or reads texts, and has nothing to do with objects of the user's? Such ones are
    /// functions: what they do takes far longer than a call.
    pub(super) fn is_of_texts(&mut self, receiver: &Operand, code: &Code, arguments: &Arguments) -> bool {
        // No text or value is a Regexp: nothing is matched that the caller would look at.
        let identity = std::ptr::from_ref(code) as usize;
        let is_large = self.builtins.is_large_text_method(code) || self.memo.outlined.contains(&identity);
        if !is_large {
            return false;
        }
        std::iter::once(receiver).chain(arguments.operands()).all(|operand| {
            let mut lists = FxHashSet::default();
            self.lists_in(&operand.types, &mut lists);
            lists.into_iter().all(|kind| {
                let items = self.items_of(kind).0;
                items.iter().all(is_text_or_value)
            }) && operand.types.iter().all(is_text_or_value)
        })
    }

    /// A built-in that makes or reads texts or numbers was inlined: a small one is a function too, where that has been done
    /// so often that it comes to much, as in a `case` with hundreds of texts, or where parts of a Complex are of many
    /// classes.
    pub(super) fn note_inlined_value(&mut self, code: usize, steps: u32) {
        let all = self.inlinings.entry(code).or_default();
        all.calls += 1;
        all.steps = all.steps.saturating_add(steps);
        if all.steps > MAX_FUNCTION && !self.memo.inlined.contains(&code) {
            self.memo.changed |= self.memo.outlined.insert(code);
        }
    }

    /// A code is inlined from the next walk on.
    pub(super) fn keep_inlined(&mut self, code: usize) {
        self.memo.changed |= self.memo.inlined.insert(code);
    }

    /// Something was refused: were it inlined, more might be known in it.
    pub(super) fn note_refusal(&mut self) {
        if let Some(function) = &self.function
            && !self.memo.recursive.contains(&function.key.code)
        {
            self.refusing.insert(function.key.code);
        }
    }

    /// A call was inlined, in so many steps.
    pub(super) fn note_inlined(
        &mut self,
        (receiver, owner): (&Operand, ClassId),
        code: &Rc<Code>,
        arguments: &Arguments,
        result: &Operand,
        steps: u32,
    ) {
        let code = Rc::as_ptr(code) as usize;
        let all = self.inlinings.entry(code).or_default();
        all.calls += 1;
        all.steps = all.steps.saturating_add(steps);
        let writes = self.repeats || self.memo.columns.values().any(|column| column.is_written);
        let (free, most) = match writes {
            true => (FREE_CALLS, MAX_INLINED),
            false => (FREE_CALLS_WITHOUT_WRITES, MAX_INLINED_WITHOUT_WRITES),
        };
        let often = all.calls > free && all.steps > most && all.steps / all.calls >= SMALL;
        let full = steps >= SMALL && self.own_steps().wrapping_sub(self.begun_at) > MAX_FUNCTION;
        if !often && !full || self.memo.inlined.contains(&code) || !self.memo.outlined.insert(code) {
            return;
        }
        self.memo.changed |= true;
        // Calls that follow need not wait for the function, where it gives no arrays, which are of a kind of their own
        // in each function.
        if result.types.iter().any(|ty| operand::parts(ty).is_some() || matches!(ty, Type::List(_)))
            || !self.can_be_passed(&result.types)
        {
            return;
        }
        let key = FunctionKey {
            driver: self.guard_in_driver(),
            hashing: self.hashing,
            code,
            owner,
            receiver: receiver.types.clone(),
            args: arguments.operands().map(|a| a.types.clone()).collect(),
            form: arguments.form(),
            block: None,
            environment: vec![],
            unused: arguments.unused,
            detached: self.calls_detached(),
            guarded: false,
            trail: None,
            constants: vec![],
        };
        let gives = match &result.types {
            types if arguments.unused && !types.is_empty() => Type::Nil.into(),
            types => types.clone(),
        };
        self.memo.functions.entry(key).extend(&gives);
    }

    /// Is there much room on the stack for the walk?
    pub(super) fn has_much_stack(&self) -> bool {
        let marker = 0_u8;
        let used = self.stack_begin.saturating_sub(std::ptr::from_ref(&marker).addr());
        used < self.stack_begin.saturating_sub(self.stack_end).min(2 << 20) / 4
    }

    // ---- lists ---------------------------------------------------------------------------------------------------

    /// A list of the kind is made.
    pub(super) fn note_made(&mut self, kind: ListKind) {
        let grew = self.memo.list_made(kind, self.home, &self.loops);
        self.note_grown_within(grew);
        self.note_making();
        if let Some(function) = self.function.as_ref().filter(|function| function.is_of_texts) {
            let key = FunctionKey { guarded: false, ..function.key.clone() };
            self.memo.changed |= self.memo.stores.grow(&key, |stores| stores.made.insert(kind));
        }
    }

    /// Something is stored in a list of the kind: in a function, the caller may have it.
    pub(super) fn note_stored(&mut self, kind: ListKind) {
        let grew = self.memo.list_stored(kind, self.home, &self.loops);
        self.note_grown_within(grew);
        let Some(function) = self.function.clone() else { return };
        let key = FunctionKey { guarded: false, ..function.key.clone() };
        let mut found = FxHashSet::default();
        key.types().for_each(|types| self.lists_in(types, &mut found));
        if found.contains(&kind) {
            self.memo.changed |= self.memo.stores.grow(&key, |stores| stores.kinds.insert(kind));
        }
    }

    /// Something is stored in what is older than a call of the function here, and no scratch memory.
    pub(super) fn note_stores_anywhere(&mut self) {
        self.note_in_function(|stores| &mut stores.anywhere);
    }

    /// Something is made in scratch memory here.
    fn note_making(&mut self) {
        let grew = self.memo.making_loops.set_all(&self.loops);
        self.note_grown_within(grew);
        self.note_in_function(|stores| &mut stores.makes);
    }

    /// What is made in the loops here is needed behind them.
    pub(super) fn note_keeping(&mut self) {
        let grew = self.memo.keeping_loops.set_all(&self.loops);
        self.note_grown_within(grew);
    }

    /// Something may be stored in scratch memory that is older than a call of the function here.
    fn note_stores_watched(&mut self) {
        let grew = self.memo.watched_loops.set_all(&self.loops);
        self.note_grown_within(grew);
        self.note_in_function(|stores| &mut stores.watched);
    }

    /// What calls of the function that is being lowered do.
    fn note_in_function(&mut self, what: impl FnOnce(&mut Stores) -> &mut bool) {
        if let Some(function) = &self.function {
            let own = FunctionKey { guarded: false, ..function.key.clone() };
            self.memo.changed |= self.memo.stores.grow(&own, |stores| !std::mem::replace(what(stores), true));
        }
    }

    /// A function is called: what it stores, it does in the loops here.
    pub(super) fn note_stores(&mut self, key: &FunctionKey, recursive: bool) {
        let Stores { anywhere, watched, makes, kinds, made } = self.memo.stores.read(key);
        if makes {
            self.note_making();
        }
        if watched || recursive {
            self.note_stores_watched();
        }
        for kind in made {
            self.note_made(kind);
        }
        if anywhere {
            self.note_keeping();
            self.note_stores_anywhere();
        }
        for kind in kinds {
            self.note_stored(kind);
        }
    }

    pub(super) fn lists_in(&mut self, types: &TypeSet, found: &mut FxHashSet<ListKind>) {
        for ty in types {
            let kind = match ty {
                Type::List(kind) => Some(*kind),
                Type::Made(class) => Some(self.made_kind(*class)),
                _ => None,
            };
            if kind.is_some_and(|kind| found.insert(kind)) {
                self.held_by(ty).iter().for_each(|held| self.lists_in(held, found));
            }
            for part in operand::parts(ty).unwrap_or_default() {
                self.lists_in(&part, found);
            }
        }
    }

    // ---- functions in the midst of others ------------------------------------------------------------------------

    pub(super) fn begin_function(&mut self) -> Suspended {
        use std::mem::{replace, take};
        let begun_at = self.own_steps();
        Suspended {
            b: replace(&mut self.b, Builder::new("", &[], &[])),
            frames: take(&mut self.frames),
            current: take(&mut self.current),
            joins: take(&mut self.joins),
            context: self.context,
            node: self.node,
            span: self.span,
            facts: take(&mut self.facts),
            running: self.running.take(),
            active: take(&mut self.active),
            function: self.function.take(),
            detached: take(&mut self.detached),
            depth: self.depth.take(),
            unused: take(&mut self.unused),
            loops: take(&mut self.loops),
            watched: take(&mut self.watched),
            catches: take(&mut self.catches),
            regions: take(&mut self.regions),
            handled: take(&mut self.handled),
            retries: take(&mut self.retries),
            array_literal: self.array_literal.take(),
            live: take(&mut self.live),
            called: self.called.take(),
            causes: take(&mut self.causes),
            own: self.own.id.take(),
            begun_at: replace(&mut self.begun_at, begun_at),
            home: take(&mut self.home),
        }
    }

    pub(super) fn end_function(&mut self, outer: Suspended) {
        self.b = outer.b;
        self.frames = outer.frames;
        self.current = outer.current;
        self.joins = outer.joins;
        self.context = outer.context;
        self.node = outer.node;
        self.span = outer.span;
        self.facts = outer.facts;
        self.running = outer.running;
        self.active = outer.active;
        self.function = outer.function;
        self.detached = outer.detached;
        self.depth = outer.depth;
        self.unused = outer.unused;
        self.loops = outer.loops;
        self.watched = outer.watched;
        self.catches = outer.catches;
        self.regions = outer.regions;
        self.handled = outer.handled;
        self.retries = outer.retries;
        self.array_literal = outer.array_literal;
        self.live = outer.live;
        self.called = outer.called;
        self.causes = outer.causes;
        self.own.id = outer.own;
        self.begun_at = outer.begun_at;
        self.home = outer.home;
    }
}

/// Is it nothing that the user's code has to do with, nor a row of a column?
fn is_text_or_value(ty: &Type) -> bool {
    let has_parts = match ty {
        Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol | Type::List(_) => {
            false
        }
        Type::Tuple(_) | Type::Record(_) => true,
        Type::Object(_, class) | Type::Made(class) if class.parts().is_some() => return true,
        ty => return ty.is_string(),
    };
    let of_hash = !matches!(ty, Type::Record(of) if !ty.is_hash() && of.class.parts().is_none());
    let parts = if has_parts { operand::parts(ty).unwrap_or_default() } else { vec![] };
    of_hash && parts.iter().all(|types| types.iter().all(is_text_or_value))
}

fn holds_building(types: &TypeSet) -> bool {
    types.iter().any(|ty| {
        matches!(ty, Type::Building(..) | Type::Enumerator(..))
            || operand::parts(ty).is_some_and(|parts| parts.iter().any(holds_building))
    })
}
