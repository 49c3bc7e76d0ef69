//! Parallel calls in a driver. A section that is a program (`Ikra.section`) has its block as driver, lowered as an
//! element's is, but that it is none: nothing that it touches is watched, and its failures have no element. A parallel
//! method called there is a launch of a kernel of its own (`k0` is the section itself, without entries); in what the
//! driver calls too, inlined or a function, of which there is one for drivers and one for elements
//! (`FunctionKey::driver`).
//!
//! - What a call gives is an array of the heap, of a kind that belongs to the place of the call (`Host::made_kind`):
//!   its items behind those of the others in the columns of that kind. So it is a base, is indexed by elements and by
//!   the driver, and is joined with others like those that were read. Whatever it is called on, a place gives one kind:
//!   else an array that takes the place of the one that it is made of would be of ever new ones. Copy-back makes an
//!   Array of what is left in the section's value or in variables around it (`Decoder::made_array`). The driver appends
//!   to it ([`super::of_drivers`]); what it uses of the frames around, [`super::handed_over`] has.
//! - What an element raises cannot be rescued around its parallel call: the others have changed things, and Ruby would
//!   have stopped at that one. Clauses around a launch are known (`Schema::rescued`), and such a failure is an
//!   UnsupportedError.
//! - What only other kernels write is constant for hoisting and fusing (`Program::changed_by`): the own position in a
//!   loop over all bodies is read once, although the next kernel writes it.
//! - One entry takes whatever is in the base: a kernel's elements are not sorted by class, as bases change while the
//!   program runs. A base that is what it was is not copied again, and who repeats in it not looked for again.
//! - Bases that are made (`Lowerer::by_index`): slices, windows, elements with an index from somewhere on and the pairs
//!   of a Hash are no arrays in the driver's memory. The launch goes over their numbers, and each element takes its own
//!   from the array, by built-ins in `core/array_bases.rb` (`__pmap_slices` …). Any other Enumerator is gone through first.
//! - An Enumerator that yields two values ([`Beside`]) hands `pmap` and `peach` both, and `pselect` an array of them.
//!   What it gives back is known by its method (`Lowerer::enumerator_gives`).
//! - What is Enumerable and no array, such as a Set, has its `each` run first, which puts what it yields into one
//!   (`__yielded` in `core/kernel.rb`). Where that looks at what the block gives (`answers_of`), `peach` runs the block
//!   as `each` goes on, in the driver.
//!
//! What it cannot do: go on with objects that an `Ikra.sync` adds; a `Column` as a base. Each is refused with its name.

use super::calls::{Arguments, CallType};
use super::closed_blocks::Environment;
use super::enumerators::Beside;
use super::expressions::SLOT_LEAVE;
use super::kernels::InKernel;
use super::keys::{Context, Step};
use super::operand::{self, Operand};
use super::sites::class_of;
use super::{BlockRef, Control, Frame, Inlined, Lowerer, is_held_range, range_ends};
use crate::heap::Schema;
use crate::heap::schema::Stored;
use crate::ir::builder::Builder;
use crate::ir::{
    BinaryOp, BufferKind, Comparison, ErrorKind, FuncId, Items, Kernel, KernelId, Part, Stmt, Value,
};
use crate::scalar::Ty;
use crate::syntax::answers::Answers;
use crate::syntax::ast::{Code, Kind};
use crate::syntax::walk::each_node;
use crate::types::{ArrayKind, ClassId, ListKind, RangeEnd, Type, TypeSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the code of a driver around a place does about errors that come from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Guard {
    /// The classes that clauses rescue, sorted.
    pub rescued: Vec<ClassId>,
    /// An `ensure` does something that is seen although the section ends.
    pub ensures: bool,
}

/// What a walk knows of the driver that it lowers, or of the code around the kernel or function that it lowers.
#[derive(Default)]
pub(super) struct Driving {
    /// A driver's loop has come by a launch, or a function that may have some.
    pub launched: bool,
    /// What the code around the calls of a driver's function does about errors.
    pub guarded_outside: Guard,
    /// What the code around the launches of a driver does about errors.
    pub guards: Vec<(KernelId, Guard)>,
    /// The kernel of a driver being lowered, with what it is known by in the memo; unknown in functions.
    pub kernel: Option<InKernel>,
    /// The parallel call being lowered, whatever it is called on.
    pub parallel_place: Context,
    /// The same of a `+`, and where it puts arrays together.
    pub plus_place: Context,
    pub concatenated_at: Option<Context>,
    /// Kinds of arrays that the driver makes.
    pub made_kinds: BTreeSet<ArrayKind>,
    /// Those of copies that elements get, and the lists that these are copies of.
    pub list_copies: BTreeMap<ArrayKind, ListKind>,
    /// Variables of the driver that elements assign, by what they are known by in the memo, with their names.
    pub variables: Vec<((Context, u32), String)>,
}

/// What a parallel call goes over.
pub(super) struct Base {
    pub(super) elements: Elements,
    /// The block gets the index behind the item.
    pub(super) with_index: bool,
    pub(super) is_column: bool,
}

pub(super) enum Elements {
    /// The items of an array of the heap.
    Array(ArrayKind, Value),
    /// Integers from the first on: so many.
    Series(Value, Value),
}

/// What is made of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Base,
    Values,
    /// The elements for which the block's value is true.
    Selection,
    /// Those for which it is not.
    Others,
}

impl Lowerer<'_> {
    /// Lowers a section whose code is a driver.
    pub(super) fn program(&mut self, code: &Rc<Code>) -> Schema {
        let Some(base) = self.begin_section(code) else { return Schema::default() };
        self.section = Some(Rc::clone(code));
        // The section itself has no elements: kernels of its calls come behind it.
        self.program.kernels.push(Kernel::default());
        self.program.functions.push(Default::default());
        let function = FuncId(0);
        (self.program.driver, self.entry, self.in_driver) = (Some(function), function, true);
        self.context = self.memo.context(Context::ROOT, Step::Section, 0);
        self.b = Builder::new("driver", &[], &[]);
        let mut syncs = false;
        each_node(code, &mut |node| syncs |= matches!(node.kind, Kind::Sync(_)));
        if syncs {
            self.b.syncs();
        }
        self.frames = vec![Frame::of_section(code, self.fresh_locals(code))];
        self.begin_running(code);
        (self.current, self.depth) = (0, None);
        self.active = vec![Inlined::new(code, false)];
        self.begun_at = self.own_steps();
        (self.node, self.span) = (code.body.id, code.span);
        self.clear_scratch();
        let value = self.labelled(SLOT_LEAVE, true, |s, join| {
            s.frames[0].control.push(Control { break_to: Some(join), next_to: Some(join) });
            s.bind_block(&code.params, Arguments::default());
            if s.b.is_dead() { Operand::bottom() } else { s.arm(&code.body, false) }
        });
        self.span = code.span;
        self.store_result(&value);
        let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
        self.program.functions[0] = b.finish();
        self.lower_pending_functions();
        self.program.uses_random = self.draws_random();
        self.schema(base, Vec::new())
    }

    /// A parallel method that a driver calls on a receiver of one type.
    pub(super) fn parallel_call(
        &mut self,
        receiver: &Operand,
        name: &str,
        arguments: &Arguments,
        block: &BlockRef,
    ) -> Operand {
        match name {
            "psum" => {
                // Its block gets one value.
                let packed = self.yields_several(receiver).then(|| self.send(receiver, "to_a", &[], 0x3b8));
                let base = packed.as_ref().unwrap_or(receiver);
                let values = self.parallel_call(base, "pmap", &Arguments::default(), block);
                return self.send(&values, "sum", &arguments.positional, 0x31);
            }
            "pcount" if self.yields_several(receiver) => {
                let values = self.parallel_call(receiver, "pmap", arguments, block);
                let present = self.send(&values, "#present", &[], 0x3b8);
                return self.send(&present, "size", &[], 0x32);
            }
            "pcount" => {
                // Its block gets a pair, and that of `select` key and value.
                let is_hash = receiver.types.single().is_some_and(Type::is_hash);
                let pairs = if is_hash { &self.send(receiver, "to_a", &[], 0x3b8) } else { receiver };
                let selected = self.parallel_call(pairs, "pselect", arguments, block);
                return self.send(&selected, "size", &[], 0x32);
            }
            _ => {}
        }
        // Whatever it is called on, what it gives is of one kind: else an array that takes the place of the one that it is
        // made of would be of ever new ones.
        let place = self.driving.parallel_place;
        // An Enumerator may be one of arrays of several kinds.
        let (source, beside) = self.enumerated(receiver);
        if source.types.len() > 1 {
            return self.switch(&source, 0x3b3, &mut |s, source| {
                s.parallel_over(place, receiver, (&source, &beside), name, arguments, block)
            });
        }
        self.parallel_over(place, receiver, (&source, &beside), name, arguments, block)
    }

    /// `+` of arrays of which a parallel call gave one. Whatever kinds both are of, it gives one kind at one place.
    pub(crate) fn concatenate(&mut self, receiver: &Operand, other: &Operand) -> Operand {
        self.driving.concatenated_at = Some(self.driving.plus_place);
        let given = self.send(receiver, "#concatenated", std::slice::from_ref(other), 1);
        self.driving.concatenated_at = None;
        given
    }

    fn parallel_over(
        &mut self,
        place: Context,
        receiver: &Operand,
        (source, beside): (&Operand, &Beside),
        name: &str,
        arguments: &Arguments,
        block: &BlockRef,
    ) -> Operand {
        // What comes of a Column is one, but by way of an Enumerator.
        if name != "peach" && matches!(receiver.types.single(), Some(Type::Column(..))) {
            return self.refuse_here(
                "unsupported-base",
                format!("`{name}` of Ikra::Column cannot run in the code around parallel calls"),
                Some("write into a column that is there: `x.size.ptimes { |i| y[i] = … }`".into()),
            );
        }
        let selects = matches!(name, "pselect" | "pfilter" | "preject");
        if selects && receiver.types.single().is_some_and(Type::is_hash) {
            return self.pairs_selected(receiver, name, arguments, block);
        }
        if name == "peach" && self.answers_of(source) != Answers::Ignored {
            // It goes on by what the block gives, so that must run in between.
            return self.dispatch(receiver, "#peach", arguments, Some(block.clone()), CallType::Own);
        }
        let is_enumerator = matches!(receiver.types.single(), Some(Type::Enumerator(..)));
        let several = !beside.is_some() && self.hands_on_several(source);
        let mut returned = None;
        if name == "peach" && is_enumerator {
            returned = self.enumerator_gives(receiver);
            if returned.is_none() && !(several && self.is_of_users(source)) {
                return self.refuse_base(receiver, name);
            }
        }
        if selects && (several || beside.is_some()) && self.is_lambda_of_several(block) {
            return self.refuse_base(receiver, name);
        }
        if arguments.positional.is_empty() && matches!(name, "pmap" | "pcollect" | "peach") {
            let verb = if name == "peach" { name } else { "pmap" };
            let made = self.by_index(source, beside).or_else(|| {
                self.beside_items(source, beside).map(|(array, method, rest)| (array, method.into(), rest))
            });
            if let Some((array, mut method, rest)) = made {
                // Hash#each yields two values where Enumerable#map tells it that a lambda takes them.
                if verb == "pmap" && method == "pairs" && self.is_lambda_of_two(block) {
                    method = "split_pairs".into();
                }
                let given = self.send_block(&array, &format!("#{verb}_{method}"), &rest, Some(block.clone()));
                return if name == "peach" { returned.unwrap_or_else(|| receiver.clone()) } else { given };
            }
        }
        let (all, given) = if selects && (several || beside.is_some()) {
            (self.send(receiver, "to_a", &[], 0x3b5), None)
        } else if several {
            self.yielded(source)
        } else {
            self.all_of(source)
        };
        if all.is_bottom() {
            return all;
        }
        let with_index = !selects && beside.is_some();
        if with_index && !matches!(beside, Beside::Index(None)) {
            return self.refuse_base(receiver, name);
        }
        let Some(elements) = self.elements_of(&all, name) else { return Operand::bottom() };
        let is_column = matches!(source.types.single(), Some(Type::Column(..)));
        let base = Base { elements, with_index, is_column };
        let gives = match name {
            "pmap" | "pcollect" => Gives::Values,
            "pselect" | "pfilter" => Gives::Selection,
            "preject" => Gives::Others,
            _ => Gives::Base,
        };
        let Some(ticks) = self.ticks(name, arguments) else { return Operand::bottom() };
        let key = self.context_at(self.node, 0x3b0);
        let span = self.span;
        self.within(0x3b1, |s| {
            s.span = span;
            s.launch_over((place, key), &base, gives, ticks, block).map_or_else(Operand::bottom, |result| {
                match gives {
                    Gives::Base => returned.or(given).unwrap_or_else(|| receiver.clone()),
                    _ => result,
                }
            })
        })
    }

    /// Would a lambda take the array apart that stands for several values? What is no code here may be one.
    fn is_lambda_of_several(&mut self, block: &BlockRef) -> bool {
        if matches!(block, BlockRef::Symbol { .. }) {
            return false;
        }
        let Some((params, is_proc)) = self.params_of(block) else { return true };
        let required = params.required.len() + params.post.len();
        !is_proc && (required != 1 || !params.optional.is_empty() || params.rest.is_some())
    }

    /// What the `each` of something Enumerable yields, as something that elements are taken from by their index; with
    /// what it gives, if that need not be itself.
    pub(super) fn all_of(&mut self, source: &Operand) -> (Operand, Option<Operand>) {
        let Some(ty) = source.types.single() else { return (source.clone(), None) };
        if ty.is_hash() || ty.is_text_range() || is_held_range(ty) || matches!(ty, Type::Enumerator(..)) {
            return (self.send(source, "to_a", &[], 0x3b5), None);
        }
        if !ty.is_instance() || !self.host.is_subclass(class_of(ty), ClassId::ENUMERABLE) {
            return (source.clone(), None);
        }
        self.yielded(source)
    }

    /// What is yielded, one value at a time, and what the method gives.
    fn yielded(&mut self, source: &Operand) -> (Operand, Option<Operand>) {
        let yielded = self.send(source, "#yielded", &[], 0x3b5);
        match &self.tuple_items(&yielded)[..] {
            [all, given] => (all.clone(), Some(given.clone())),
            _ => (Operand::bottom(), None),
        }
    }

    /// `pselect` and `preject` of a Hash, which give a Hash.
    fn pairs_selected(
        &mut self,
        hash: &Operand,
        name: &str,
        arguments: &Arguments,
        block: &BlockRef,
    ) -> Operand {
        if self.ticks(name, arguments).is_none() {
            return Operand::bottom();
        }
        let parts = [("#keys", 0x3b6), ("#values", 0x3b7), ("#fresh", 0x3b9)];
        let [keys, values, out] = parts.map(|(part, slot)| self.send(hash, part, &[], slot));
        let wanted = Operand::bool(self.b.bool(name != "preject"));
        self.send_block(&keys, "#pselect_pairs", &[values, out, wanted], Some(block.clone()))
    }

    /// The number of ticks, where it is given.
    fn ticks(&mut self, name: &str, arguments: &Arguments) -> Option<Option<Value>> {
        let most = usize::from(name == "peach");
        let given = arguments.positional.len();
        // A section has one bar at most: its own.
        let others = arguments.keywords.iter().any(|(name, _)| name != "progress");
        if arguments.splat.is_some() || others {
            self.refuse_here(
                "unsupported-method",
                format!("`{name}` with these arguments cannot run in a section"),
                Some("write its arguments out".into()),
            );
            return None;
        }
        if given > most {
            let expected = if most == 0 { "0" } else { "0..1" };
            let told = format!("wrong number of arguments (given {given}, expected {expected})");
            self.fail(ErrorKind::ArgumentError(told), &[]);
            return None;
        }
        let Some(ticks) = arguments.positional.first() else { return Some(None) };
        if ticks.types.single() != Some(&Type::Integer) {
            match ticks.types.single() {
                Some(ty) => {
                    let class = self.host.class_name(class_of(ty));
                    self.fail(ErrorKind::TypeError(format!("ticks must be an Integer, not {class}")), &[]);
                }
                None => {
                    let what = self.describe(&ticks.types);
                    self.refuse_here(
                        "unsupported-method",
                        format!("the ticks of `{name}` are {what}"),
                        Some("give it an Integer: `Integer(ticks)`, or `ticks || 1`".into()),
                    );
                }
            }
            return None;
        }
        let (ticks, zero) = (ticks.value(), self.b.i64(0));
        let ok = self.b.compare(Comparison::Ge, ticks, zero);
        self.check(ok, ErrorKind::ArgumentError("ticks must not be negative".into()), &[]);
        Some(Some(ticks))
    }

    fn elements_of(&mut self, receiver: &Operand, name: &str) -> Option<Elements> {
        Some(match receiver.types.single() {
            Some(Type::Array(kind) | Type::Column(kind, _)) => Elements::Array(*kind, receiver.value()),
            Some(Type::Integer) => {
                let (first, none) = (self.b.i64(0), self.b.i64(0));
                let is_some = self.b.compare(Comparison::Gt, receiver.value(), none);
                Elements::Series(first, self.b.select(is_some, receiver.value(), none))
            }
            Some(Type::Range { low: RangeEnd::Integer, high: RangeEnd::Integer, .. }) => {
                let (first, last, exclusive, ..) = range_ends(receiver)?;
                let (first, last) = (first?, last?);
                let one = self.b.i64(1);
                let site = self.site(ErrorKind::overflow("-".into()));
                let last =
                    if exclusive { self.b.checked(BinaryOp::SubChecked, last, one, site) } else { last };
                let is_some = self.b.compare(Comparison::Ge, last, first);
                let none = self.b.i64(0);
                // Where there are any, they are counted.
                let (low, high) = (self.b.select(is_some, first, one), self.b.select(is_some, last, none));
                let span = self.b.checked(BinaryOp::SubChecked, high, low, site);
                Elements::Series(first, self.b.checked(BinaryOp::AddChecked, span, one, site))
            }
            Some(ty) if is_held_range(ty) => {
                let items = self.send(receiver, "to_a", &[], 0x3b6);
                return self.elements_of(&items, name);
            }
            Some(Type::List(_) | Type::Tuple(_)) => {
                let key = self.context_at(self.node, 0x3b4);
                let array = self.on_heap(key, receiver)?;
                let Some(Type::Array(kind)) = array.types.single() else { return None };
                Elements::Array(*kind, array.value())
            }
            _ => {
                self.refuse_base(receiver, name);
                return None;
            }
        })
    }

    fn refuse_base(&mut self, receiver: &Operand, name: &str) -> Operand {
        let what = self.describe(&receiver.types);
        self.refuse_here(
            "unsupported-base",
            format!("`{name}` of {what} cannot run in the code around parallel calls"),
            Some("make an array of it first: to_a".into()),
        )
    }

    /// An iteration of a loop over `start`, `start + step` … before `end`. Around the driver's launches the outermost such
    /// loop tells how far it is.
    pub(crate) fn telling_progress(
        &mut self,
        (start, i, end): (Value, Value, Value),
        step: i64,
        body: impl FnOnce(&mut Self),
    ) {
        let outermost = self.in_driver && self.function.is_none() && self.loops.len() == 1;
        let launched = std::mem::take(&mut self.driving.launched);
        body(self);
        if outermost && step.abs() == 1 && self.driving.launched && !self.b.is_dead() {
            let mut distance = |to| {
                let (low, high) = if step > 0 { (start, to) } else { (to, start) };
                self.b.binary(BinaryOp::Sub, high, low)
            };
            let (before, total) = (distance(i), distance(end));
            let one = self.b.i64(1);
            let done = self.b.binary(BinaryOp::Add, before, one);
            self.b.emit(Stmt::Progress { done, total });
        }
        self.driving.launched |= launched;
    }

    /// Launches a kernel over the base, and makes what it gives.
    fn launch_over(
        &mut self,
        (place, key): (Context, Context),
        base: &Base,
        gives: Gives,
        ticks: Option<Value>,
        block: &BlockRef,
    ) -> Option<Operand> {
        let mut environment = Environment::default();
        let closed = self.close_block(block, &mut environment)?;
        if !environment.leaving.is_empty() {
            self.refuse_here(
                "unsupported-break",
                "a block of a parallel call cannot end more than its element",
                Some("let the elements give what they find, and look at that after the call".into()),
            );
            return None;
        }
        let given: Vec<Operand> = (0..)
            .zip(&environment.operands)
            .map(|(n, operand)| self.hand_over((key, n), operand))
            .collect::<Option<_>>()?;
        let kernel = KernelId(self.program.kernels.len() as u32);
        self.program.kernels.push(Kernel::default());
        let (items, count, own) = self.set_base(kernel, &base.elements)?;
        let shared = self.share_locals(key, &environment.written)?;
        let result = self.kernel(kernel, key, base, &items, gives, (&closed, &given, &shared));
        let is_selected = matches!(gives, Gives::Selection) && !result.is_empty();
        let selected_items = is_selected.then(|| Stored::written(result.clone()));
        let stored = if gives == Gives::Values { result } else { Type::Nil.into() };
        let mut sized = Vec::new();
        let results = match gives {
            Gives::Base => Items::default(),
            Gives::Values => {
                self.parts(&|part| BufferKind::Result(kernel, part), &Stored::written(stored.clone()))
            }
            Gives::Selection | Gives::Others => {
                let flags = self.buffer(BufferKind::Result(kernel, Part::Payload), Ty::Bool);
                Items { payload: Some(flags), tag: None }
            }
        };
        sized.extend(results.payload.iter().chain(&results.tag));
        for part in [Part::Payload, Part::Tag] {
            sized.extend(self.buffers.get(&BufferKind::Given(kernel, part)));
        }
        let mut selected = items.columns;
        if matches!(gives, Gives::Selection | Gives::Others) && items.is_series() {
            let column = self.buffer(BufferKind::Base(kernel, Part::Payload), Ty::I64);
            sized.push(column);
            selected.payload = Some(column);
        }
        let first_same = self.buffers.get(&BufferKind::FirstSame(kernel)).copied();
        self.b.emit(Stmt::Over { kernel, count, own, first_same, sized });
        self.b.launch(kernel, ticks);
        self.driving.launched = true;
        if let Some(guard) = self.guard_in_driver().filter(|guard| *guard != Guard::default()) {
            self.driving.guards.push((kernel, guard));
        }
        self.take_shared(&shared, &environment.written);
        let stored = match gives {
            Gives::Base => return Some(Operand::nil()),
            Gives::Values => Stored::written(stored),
            Gives::Selection | Gives::Others => selected_items.unwrap_or_else(|| items.stored.clone()),
        };
        let (from, flags) = match gives {
            Gives::Selection | Gives::Others => (selected, results.payload),
            _ => (results, None),
        };
        Some(self.append_array(place, from, &stored, (flags, count)))
    }
}

pub(super) fn is_array(operand: &Operand) -> bool {
    matches!(operand.types.single(), Some(Type::Array(_) | Type::List(_)))
}

pub(super) fn holds(types: &TypeSet, kind: ArrayKind) -> bool {
    types.iter().any(|ty| {
        *ty == Type::Array(kind)
            || operand::parts(ty).is_some_and(|parts| parts.iter().any(|types| holds(types, kind)))
    })
}
