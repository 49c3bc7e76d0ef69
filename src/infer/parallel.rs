//! Parallel calls in a driver. The driver is Ruby's code around them: it runs once, on the host, and each parallel call in
//! it is a kernel of its own. A kernel has no frames of the driver, so its block is *closed* as that of a function is: what
//! it uses of the frames that it was written in comes as scalars, which the driver sets before each launch; what it assigns
//! there is in columns of one row, which elements share. What a call gives is an array of the heap, as those that were read
//! are: of a kind of its own, to which the driver appends.

use super::births::{Birth, Holder};
use super::calls::Arguments;
use super::closed_blocks::{ClosedBlock, Environment};
use super::expressions::SLOT_LEAVE;
use super::host::Scope;
use super::joins::has_list;
use super::keys::{Context, JoinKey, Place, Step, Watcher};
use super::operand::{self, Operand};
use super::remembered::Holders;
use super::sites::class_of;
use super::{BlockRef, Control, Frame, Inlined, Lowerer, is_plain, range_ends};
use crate::heap::Schema;
use crate::heap::schema::{Stored, VariableSchema};
use crate::ir::builder::Builder;
use crate::ir::{
    Arrays, BinaryOp, Buffer, BufferInfo, BufferKind, Comparison, Entry, ErrorKind, FuncId, Items, Kernel,
    KernelId, Part, Scalar, ScalarInfo, ScalarSource, Stmt, UnaryOp, Value,
};
use crate::scalar::{Interval, Ty};
use crate::syntax::ast::{Code, Kind, LocalId};
use crate::syntax::walk::each_node;
use crate::types::{ArrayKind, ClassId, RangeEnd, Shape, Type, TypeSet};
use std::rc::Rc;

/// A variable of the driver that elements assign, in a frame of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedLocal {
    pub local: LocalId,
    /// As of [`BufferKind::Variable`].
    pub number: u32,
    /// What it can hold is in the memo by this.
    pub key: (Context, u32),
}

/// The kernel that is being lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InKernel {
    pub kernel: KernelId,
    /// What it is known by in the memo.
    pub key: Context,
    /// The array of the heap that it goes over: its kind, and the scalar that is its number.
    pub base: Option<(ArrayKind, Scalar)>,
}

/// What a parallel call goes over.
struct Base {
    elements: Elements,
    /// The block gets the index behind the item.
    with_index: bool,
    is_column: bool,
}

enum Elements {
    /// The items of an array of the heap.
    Array(ArrayKind, Value),
    /// Integers from the first on: so many.
    Series(Value, Value),
}

/// What is made of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
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
                let values = self.parallel_call(receiver, "pmap", &Arguments::default(), block);
                return self.send(&values, "sum", &arguments.positional, 0x31);
            }
            "pcount" => {
                let selected = self.parallel_call(receiver, "pselect", arguments, block);
                return self.send(&selected, "size", &[], 0x32);
            }
            _ => {}
        }
        // Whatever it is called on, what it gives is of one kind: else an array that takes the place of the one that it is
        // made of would be of ever new ones.
        let place = self.parallel_place;
        // An Enumerator may be one of arrays of several kinds.
        let (source, with_index) = self.enumerated(receiver);
        if source.types.len() > 1 {
            return self.switch(&source, 0x3b3, &mut |s, source| {
                s.parallel_over(place, receiver, (&source, with_index), name, arguments, block)
            });
        }
        self.parallel_over(place, receiver, (&source, with_index), name, arguments, block)
    }

    /// `+` of arrays of which a parallel call gave one. Whatever kinds both are of, it gives one kind at one place.
    pub(crate) fn concatenate(&mut self, receiver: &Operand, other: &Operand) -> Operand {
        self.concatenated_at = Some(self.plus_place);
        let given = self.send(receiver, "#concatenated", std::slice::from_ref(other), 1);
        self.concatenated_at = None;
        given
    }

    /// What an Enumerator goes through, and whether it gives indices.
    fn enumerated(&self, receiver: &Operand) -> (Operand, bool) {
        match receiver.types.single() {
            Some(Type::Enumerator(method, _)) if matches!(&**method, "each_with_index" | "each" | "map") => {
                let is_one = &**method == "each_with_index";
                let source = self.tuple_items(receiver).into_iter().next().unwrap_or_else(Operand::bottom);
                match self.enumerated(&source) {
                    // Pairs of pairs are no plain items.
                    (_, true) if is_one => (receiver.clone(), false),
                    (source, with_index) => (source, with_index || is_one),
                }
            }
            _ => (receiver.clone(), false),
        }
    }

    /// What elements can take from an array by their index: what it is, how, and with which arguments.
    fn by_index(&mut self, source: &Operand) -> Option<(Operand, &'static str, Vec<Operand>)> {
        let ty = source.types.single()?.clone();
        if ty.is_hash() {
            let [keys, values] =
                [("#keys", 0x3b6), ("#values", 0x3b7)].map(|(part, slot)| self.send(source, part, &[], slot));
            return Some((keys, "pairs", vec![values]));
        }
        let Type::Enumerator(method, _) = &ty else { return None };
        let method = match &**method {
            "each_slice" => "slices",
            "each_cons" => "windows",
            "with_index" => "indexed",
            _ => return None,
        };
        let mut items = self.tuple_items(source);
        let (array, with_index) = self.enumerated(&items.remove(0));
        let is_array = matches!(array.types.single(), Some(Type::Array(_) | Type::List(_)));
        (is_array && !with_index).then_some((array, method, items))
    }

    fn parallel_over(
        &mut self,
        place: Context,
        receiver: &Operand,
        (source, with_index): (&Operand, bool),
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
        if arguments.positional.is_empty()
            && matches!(name, "pmap" | "pcollect" | "peach")
            && let Some((array, method, rest)) = self.by_index(source)
        {
            let verb = if name == "peach" { name } else { "pmap" };
            let given = self.send_block(&array, &format!("#{verb}_{method}"), &rest, Some(block.clone()));
            return if method == "pairs" && name == "peach" { source.clone() } else { given };
        }
        // What its `each` yields. Of a Hash `select` gives a Hash.
        let is_enumerator = matches!(source.types.single(), Some(Type::Enumerator(..)));
        let is_hash = source.types.single().is_some_and(Type::is_hash);
        let all = match is_enumerator || is_hash && matches!(name, "pmap" | "pcollect" | "peach") {
            true => self.send(source, "to_a", &[], 0x3b5),
            false => source.clone(),
        };
        let Some(elements) = self.elements_of(&all, name) else { return Operand::bottom() };
        if with_index && matches!(name, "pselect" | "pfilter" | "preject") {
            return self.refuse_base(receiver, name);
        }
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
                match (gives, receiver.types.single()) {
                    // What their `each` gives.
                    (Gives::Base, Some(Type::Enumerator(method, _))) if &**method != "map" => source.clone(),
                    (Gives::Base, _) => receiver.clone(),
                    _ => result,
                }
            })
        })
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
                let site = self.site(ErrorKind::Overflow { operator: "-".into() });
                let last =
                    if exclusive { self.b.checked(BinaryOp::SubChecked, last, one, site) } else { last };
                let is_some = self.b.compare(Comparison::Ge, last, first);
                let none = self.b.i64(0);
                // Where there are any, they are counted.
                let (low, high) = (self.b.select(is_some, first, one), self.b.select(is_some, last, none));
                let span = self.b.checked(BinaryOp::SubChecked, high, low, site);
                Elements::Series(first, self.b.checked(BinaryOp::AddChecked, span, one, site))
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
            Some("call it on an array, a range of Integers, or on either with each_with_index".into()),
        )
    }

    /// An array of the driver's own memory as one of the heap, where elements can read it.
    pub(super) fn on_heap(&mut self, key: Context, array: &Operand) -> Option<Operand> {
        let (from, stored, count) = self.items_in_columns(array)?;
        Some(self.append_array(key, from, &stored, (None, count)))
    }

    /// What the items of an array of the driver's are, as columns have them. `None`: another walk is needed, or it is
    /// refused.
    pub(super) fn types_of_driver_items(&mut self, array: &Operand) -> Option<TypeSet> {
        let types = array.types.iter().fold(TypeSet::empty(), |all, ty| all.union(&self.types_of_items(ty)));
        if !is_plain(&types) && self.give_rows(&types) {
            return None;
        }
        let types = self.settled_in_driver(&types);
        if !is_plain(&types) || operand::scalars(&types).is_none() {
            self.refuse_here(
                "unsupported-capture",
                format!("elements cannot use an array of {} that the section makes", self.describe(&types)),
                Some("give them arrays of numbers or of objects that exist".into()),
            );
            return None;
        }
        Some(types)
    }

    /// The items of an array of the driver's in columns of their own, and how many there are.
    pub(super) fn items_in_columns(&mut self, array: &Operand) -> Option<(Items, Stored, Value)> {
        let types = self.types_of_driver_items(array)?;
        let kernel = KernelId(self.program.kernels.len() as u32);
        self.program.kernels.push(Kernel::default());
        let stored = Stored::written(types.clone());
        let part = |part| BufferKind::Result(kernel, part);
        let from = self.parts(&part, &stored);
        let sized: Vec<Buffer> = from.payload.into_iter().chain(from.tag).collect();
        let count = match array.types.single() {
            Some(Type::List(_)) => self.list_length(array.value()),
            _ => self.b.i64(self.tuple_items(array).len() as i64),
        };
        self.b.emit(Stmt::Over { kernel, count, own: None, first_same: None, sized });
        let store = |s: &mut Self, index: Value, item: &Operand| {
            let row = s.b.unary(UnaryOp::WrapI64, index);
            if let Some(item) = s.with_rows(item).filter(|item| !item.is_bottom()) {
                s.store_parts(&part, row, &types, &item);
            }
        };
        if let Some(Type::List(kind)) = array.types.single() {
            let (kind, list, zero) = (*kind, array.value(), self.b.i64(0));
            self.counted(zero, count, 1, &mut |s, index, _, _| {
                let item = s.list_item(kind, list, index);
                store(s, index, &item);
            });
        } else {
            for (number, item) in self.tuple_items(array).into_iter().enumerate() {
                let index = self.b.i64(number as i64);
                store(self, index, &item);
            }
        }
        Some((from, stored, count))
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
        let launched = std::mem::take(&mut self.launched);
        body(self);
        if outermost && step.abs() == 1 && self.launched && !self.b.is_dead() {
            let mut distance = |to| {
                let (low, high) = if step > 0 { (start, to) } else { (to, start) };
                self.b.binary(BinaryOp::Sub, high, low)
            };
            let (before, total) = (distance(i), distance(end));
            let one = self.b.i64(1);
            let done = self.b.binary(BinaryOp::Add, before, one);
            self.b.emit(Stmt::Progress { done, total });
        }
        self.launched |= launched;
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
        self.launched = true;
        if let Some(classes) = self.rescued_in_driver().filter(|classes| !classes.is_empty()) {
            self.guards.push((kernel, classes));
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

    /// A new array of these rows, of a kind that belongs to the place of the call.
    fn append_array(
        &mut self,
        key: Context,
        from: Items,
        stored: &Stored,
        (given, count): (Option<Buffer>, Value),
    ) -> Operand {
        let kind = self.kind_at(key);
        let local = self.is_local(kind);
        self.append_to((kind, local), from, stored, (given, count))
    }

    pub(super) fn append_to(
        &mut self,
        (kind, local): (ArrayKind, bool),
        from: Items,
        stored: &Stored,
        (given, count): (Option<Buffer>, Value),
    ) -> Operand {
        let memo = self.memo.arrays.entry(kind).or_default();
        let grew = memo.stored.extend(&stored.types) | memo.written.extend(&stored.types) | !memo.made;
        memo.made = true;
        let all = memo.stored.clone();
        self.memo.changed |= grew;
        let items = self.parts(&|part| BufferKind::ArrayValues(kind, part), &Stored::written(all));
        let offset = self.buffer(BufferKind::ArrayOffset(kind), Ty::I32);
        let length = self.buffer(BufferKind::ArrayLength(kind), Ty::I32);
        // Of none it does not matter what they are.
        let none = stored.types.is_empty().then(|| Shape::Nil.tag());
        let shape = stored.types.single_shape().map(Shape::tag).or(none);
        let tag = if from.tag.is_none() && items.tag.is_some() { shape } else { None };
        let id = self.b.append((from, tag), (given, count), (Arrays { offset, length, items }, local));
        Operand::one(Type::Array(kind), id)
    }

    /// Are numbers of such arrays in values of the driver only, as far as is known?
    fn is_local(&self, kind: ArrayKind) -> bool {
        self.is_nowhere(kind, self.memo.variables.values())
    }

    /// Or in variables that blocks of `Ikra.sync` are shown?
    pub(super) fn is_only_shown(&self, kind: ArrayKind) -> bool {
        let others = self.memo.variables.iter().filter(|(key, _)| !self.shown.contains(key));
        self.is_nowhere(kind, others.map(|(_, types)| types))
    }

    /// Do neither these variables nor any columns, lists and results hold such arrays?
    fn is_nowhere<'a>(&'a self, kind: ArrayKind, variables: impl Iterator<Item = &'a TypeSet>) -> bool {
        let memo = &self.memo;
        let columns = memo.columns.values().map(|column| &column.stored);
        let arrays = memo.arrays.values().map(|array| &array.stored);
        let given = variables.chain(memo.kernel_results.values()).chain(memo.accumulators.values());
        let lists = memo.lists.iter().map(|list| &list.items);
        let fields = memo.made.values().flat_map(|made| made.fields.iter().map(|(_, types)| types));
        let mut stored = columns.chain(arrays).chain(given).chain(lists).chain(fields);
        self.function.is_none() && !self.array_grows(kind) && !stored.any(|types| holds(types, kind))
    }

    /// In a driver: did a parallel call give such an array?
    pub(crate) fn is_of_calls(&self, ty: &Type) -> bool {
        self.in_driver && matches!(ty, Type::Array(kind) if self.made_kinds.contains(kind))
    }

    /// The kind of the arrays that the call at this place makes.
    fn kind_at(&mut self, key: Context) -> ArrayKind {
        let number = self.memo.made_kind(key);
        let kind = self.host.made_kind(number);
        self.made_kinds.insert(kind);
        kind
    }

    /// The columns of a value that is kept so.
    pub(super) fn parts(&mut self, kind: &dyn Fn(Part) -> BufferKind, stored: &Stored) -> Items {
        let (tag, payload) = stored.scalars();
        let [payload, tag] = [(Part::Payload, payload), (Part::Tag, tag)]
            .map(|(part, ty)| ty.map(|ty| self.buffer(kind(part), ty)));
        for buffer in payload.iter().chain(&tag) {
            let info: &mut BufferInfo = &mut self.program.buffers[buffer.0 as usize];
            info.written |= matches!(info.kind, BufferKind::Result(..));
        }
        Items { payload, tag }
    }

    /// What elements can have of what the driver's variables hold: a copy of a list that is in no column.
    fn for_elements(&mut self, key: Context, operand: &Operand) -> Option<Operand> {
        let types = operand.types.single();
        if let Some(Type::List(kind)) = types {
            let array = self.on_heap(key, operand)?;
            if let Some(Type::Array(copy)) = array.types.single() {
                self.note_copy(*copy, *kind);
            }
            return Some(array);
        }
        let is_object = |ty: &Type| matches!(ty, Type::Record(_)) && !ty.is_made_hash();
        let carried = types.filter(|ty| !is_object(ty)).and_then(operand::parts);
        let Some(parts) = carried.filter(|parts| parts.iter().any(has_list)) else {
            return self.with_rows(operand);
        };
        // What is carried as its parts stays so.
        let mut items = Vec::new();
        for (number, item) in (0..parts.len() as u32).zip(self.tuple_items(operand)) {
            let key = self.memo.context(key, Step::Part, number);
            items.push(self.for_elements(key, &item)?);
        }
        let parts = items.iter().map(|item| item.types.clone()).collect();
        let ty = operand::with_parts(types?, parts);
        Some(Operand {
            types: ty.into(),
            values: items.into_iter().flat_map(|item| item.values).collect(),
            birth: Birth::UNKNOWN,
        })
    }

    /// What a kernel gets of the frames around its block: scalars that are set before it is launched.
    fn hand_over(&mut self, (key, number): (Context, u32), operand: &Operand) -> Option<Operand> {
        let key = self.memo.context(key, Step::Handed, number);
        let operand = &self.for_elements(key, operand)?;
        if let Some(what) = self.driver_only(&operand.types) {
            self.refuse_here(
                "unsupported-capture",
                format!("elements cannot use {what} that the code around a parallel call makes"),
                Some(
                    "give them numbers or objects, an array that a parallel call gave, or one that was there before the \
                     section"
                        .into(),
                ),
            );
            return None;
        }
        let scalars = operand::scalars(&operand.types)?;
        if scalars.len() != operand.values.len() {
            self.memo.changed |= true;
            return None;
        }
        let mut given = operand.clone();
        for (ty, value) in scalars.into_iter().zip(&mut given.values) {
            let scalar = self.driver_scalar(ty);
            self.b.emit(Stmt::Assign(scalar, *value));
            // Which scalar it is until the kernel reads it.
            *value = Value(scalar.0);
        }
        Some(given)
    }

    /// What lives in the driver's own memory.
    fn driver_only(&self, types: &TypeSet) -> Option<&'static str> {
        types.iter().find_map(|ty| match ty {
            Type::List(_) => Some("an array"),
            Type::Made(_) | Type::Building(..) => Some("an object"),
            other => operand::parts(other)?.iter().find_map(|types| self.driver_only(types)),
        })
    }

    pub(super) fn driver_scalar(&mut self, ty: Ty) -> Scalar {
        let number = self.program.scalars.len() as u32;
        self.program.scalars.push(ScalarInfo { source: ScalarSource::Driver(number), ty });
        Scalar(number)
    }

    /// In a kernel: what [`Lowerer::hand_over`] has set.
    fn taken(&mut self, given: &Operand) -> Operand {
        let values = given.values.iter().map(|value| {
            let scalar = Scalar(value.0);
            let ty = self.program.scalars[scalar.0 as usize].ty;
            let interval = if ty == Ty::I32 { Interval::INDEX } else { Interval::FULL };
            self.b.scalar(scalar, ty, interval)
        });
        let operand = Operand { types: given.types.clone(), values: values.collect(), birth: Birth::UNKNOWN };
        self.note_stale(&operand.types);
        operand
    }

    /// Makes the columns of a kernel's base: what its items are, how many there are, and the objects among them.
    fn set_base(
        &mut self,
        kernel: KernelId,
        elements: &Elements,
    ) -> Option<(BaseItems, Value, Option<Items>)> {
        let (kind, id) = match elements {
            Elements::Series(first, count) => {
                let scalar = self.driver_scalar(Ty::I64);
                self.b.emit(Stmt::Assign(scalar, *first));
                let items = BaseItems {
                    types: Type::Integer.into(),
                    stored: Stored::written(Type::Integer.into()),
                    columns: Items::default(),
                    first: Some(scalar),
                    array: None,
                };
                return Some((items, *count, None));
            }
            Elements::Array(kind, id) => (*kind, *id),
        };
        let (types, _) = self.array_contents(kind)?;
        self.refuse_changed_by_functions(kind);
        self.memo.arrays.entry(kind).or_default().read = true;
        let stored = self.array_stored(kind);
        let count = self.array_length(kind, id);
        let from = self.parts(&|part| BufferKind::ArrayValues(kind, part), &stored);
        let into = self.parts(&|part| BufferKind::Base(kernel, part), &stored);
        let first = self.array_offset(kind, id);
        let number = self.driver_scalar(Ty::I32);
        self.b.emit(Stmt::Assign(number, id));
        for (from, into) in [(from.payload, into.payload), (from.tag, into.tag)] {
            if let (Some(from), Some(into)) = (from, into) {
                self.b.emit(Stmt::Copy { from, first, count, into });
            }
        }
        let holds_objects = types.iter().any(|ty| matches!(ty, Type::Object(..) | Type::Array(_)));
        let own = holds_objects.then_some(into);
        Some((
            BaseItems { types, stored, columns: into, first: None, array: Some((kind, number)) },
            count,
            own,
        ))
    }

    /// Puts the variables that the elements assign into columns of one row.
    fn share_locals(&mut self, key: Context, written: &[(usize, LocalId)]) -> Option<Vec<SharedLocal>> {
        let mut all = Vec::new();
        for (index, (frame, local)) in (0..).zip(written) {
            let operand = self.frames[*frame].locals[local.0 as usize].operand.clone();
            let operand = self.carrier(operand);
            let name = self.frames[*frame].code.locals[local.0 as usize].to_string();
            if !self.is_storable(&operand) {
                return None;
            }
            let (key, number) = ((key, index), self.share_local(key, index, name, &operand)?);
            all.push(SharedLocal { local: *local, number, key });
        }
        Some(all)
    }

    /// Puts what a variable holds into columns of one row; gives the variable's number.
    pub(super) fn share_local(
        &mut self,
        key: Context,
        index: u32,
        name: String,
        operand: &Operand,
    ) -> Option<u32> {
        if operand.is_bottom() {
            return None;
        }
        let number = self.written.len() as u32 + self.program_variables.len() as u32;
        self.program_variables.push(((key, index), name));
        let memo = self.memo.variables.entry((key, index)).or_default();
        self.memo.changed |= memo.extend(&operand.types);
        let types = memo.clone();
        let row = self.b.i32(0);
        self.store_parts(&|part| BufferKind::Variable(number, part), row, &types, operand);
        Some(number)
    }

    pub(super) fn driver_variables(&self) -> Vec<VariableSchema> {
        let types = |key| self.memo.variables[key].clone();
        self.program_variables
            .iter()
            .map(|(key, name)| VariableSchema { name: name.clone(), types: types(key) })
            .collect()
    }

    /// After the launch: what they hold.
    pub(super) fn take_shared(&mut self, shared: &[SharedLocal], written: &[(usize, LocalId)]) {
        for (shared, (frame, local)) in shared.iter().zip(written) {
            let row = self.b.i32(0);
            let operand = self.load_variable(&Holders::Local(shared.key), shared.number, row);
            let version = self.fresh_version();
            self.frames[*frame].locals[local.0 as usize].assign(operand, version);
        }
    }

    /// That of the current frame, if elements share it.
    pub(super) fn shared_local(&self, local: LocalId) -> Option<SharedLocal> {
        self.frame().shared.iter().find(|shared| shared.local == local).copied()
    }

    pub(super) fn read_shared_local(&mut self, shared: SharedLocal) -> Operand {
        self.read_variable(&Holders::Local(shared.key), shared.number)
    }

    pub(super) fn write_shared_local(&mut self, shared: SharedLocal, value: &Operand) {
        if !value.is_bottom() && !self.b.is_dead() {
            self.write_variable(&Holders::Local(shared.key), shared.number, value);
        }
    }

    /// An element is about to change an array: not the one that is gone through, of which kernels have a copy.
    pub(super) fn check_base(&mut self, kind: ArrayKind, id: Value) {
        let told = "an element may change the array that its parallel call goes over [changing-base]\n  \
                    hint: write into another array, such as a dup of it; or go over its indices, `array.size.ptimes { |i| … }`";
        let Some(InKernel { base: Some((of_base, number)), .. }) = self.kernel else { return };
        if of_base == kind && !self.in_driver {
            let base = self.b.scalar(number, Ty::I32, Interval::INDEX);
            let other = self.b.compare(Comparison::Ne, id, base);
            self.check(other, ErrorKind::Unsupported(told.into()), &[]);
        }
    }

    /// The same for functions that elements call, which do not know whose elements these are.
    fn refuse_changed_by_functions(&mut self, kind: ArrayKind) {
        if self.memo.arrays.get(&kind).is_some_and(|memo| memo.written_by.by_functions()) {
            self.refuse_here(
                "changing-base",
                "a method that elements call may change the array that the parallel call goes over",
                Some("write into another array, such as a dup of it".into()),
            );
        }
    }

    /// Lowers the kernel: its only entry takes what is in the base, of whatever class. Gives what the block gives.
    fn kernel(
        &mut self,
        kernel: KernelId,
        key: Context,
        base: &Base,
        items: &BaseItems,
        gives: Gives,
        (closed, given, shared): (&ClosedBlock, &[Operand], &[SharedLocal]),
    ) -> TypeSet {
        let function = FuncId(self.program.functions.len() as u32);
        self.program.functions.push(Default::default());
        let steps = self.own_steps();
        let (node, span, called) = (self.node, self.user_span(), self.call_in_block());
        let launched_at = self.places_here();
        // What is being rescued around the launch is not known to its elements.
        let detached = self.calls_detached();
        let outer = self.begin_function();
        self.detached = detached;
        let outer_entry = std::mem::replace(&mut self.entry, function);
        let outer_kernel = self.kernel.replace(InKernel { kernel, key, base: items.array });
        let outer_driver = std::mem::replace(&mut self.in_driver, false);
        let outer_places = std::mem::replace(&mut self.launched_at, launched_at);
        self.context = self.memo.context(key, Step::Kernel, closed.number());
        (self.node, self.span, self.called) = (node, span, called);
        self.b = Builder::new(self.describe(&items.types), &[Ty::I32, Ty::I64, Ty::I64], &[]);
        self.shares_elements = items.types.iter().any(|ty| matches!(ty, Type::Object(..) | Type::Array(_)));
        self.wait_for_rows();
        self.clear_scratch();
        let procs = self.procs.clone();
        let item = self.base_item(kernel, items);
        let is_object = item.types.single_shape().is_some_and(|shape| matches!(shape, Shape::Object(_)));
        self.own_id = item.values.first().copied().filter(|_| is_object);
        self.own_key = key;
        let given: Vec<Operand> = given.iter().map(|given| self.taken(given)).collect();
        // Symbols and lambdas from around the section have no frame: this one calls the block.
        if let Some(code) = self.section.clone() {
            let mut frame = Frame::of_section(&code, self.fresh_locals(&code));
            (frame.call_span, frame.outermost) = (span, true);
            self.frames.push(frame);
        }
        let (mut written, mut ways) = (Vec::new(), Vec::new());
        let block = self.open_block(closed, &mut given.into_iter(), &mut written, &mut ways);
        for ((frame, local), shared) in written.iter().zip(shared) {
            self.frames[*frame].shared.push(SharedLocal { local: *local, ..*shared });
        }
        self.current = 0;
        let mut arguments = vec![item.clone()];
        if base.with_index {
            let index = self.b.element();
            arguments.push(Operand::integer(self.b.unary(UnaryOp::ExtendI32, index)));
        }
        self.unused = gives == Gives::Base;
        let value = self.call_block(&block, arguments);
        let element = self.b.element();
        let (mut result, mut made) = (TypeSet::empty(), None);
        match gives {
            Gives::Base => {}
            Gives::Values => {
                let known = self.memo.kernel_results.get(&key).cloned().unwrap_or_default();
                result = self.memo.join(&known, &value.types, JoinKey::new(Place::Given(key), 0));
                if !is_plain(&result) {
                    result = self.memo.with_lists(result, JoinKey::new(Place::Given(key), 1));
                }
                self.memo.changed |= result != known;
                self.memo.kernel_results.insert(key, result.clone());
                if !is_plain(&result) {
                    made = Some(result.clone());
                    result = self.give_made(kernel, &result, &value);
                } else if !self.b.is_dead() && !value.is_bottom() {
                    self.note_held(Holder::Result, &value);
                    self.store_parts(&|part| BufferKind::Result(kernel, part), element, &result, &value);
                }
            }
            Gives::Selection | Gives::Others => {
                if !self.b.is_dead() && !value.is_bottom() {
                    // Items that are given back are true.
                    if gives == Gives::Selection && value.values == item.values && !items.is_series() {
                        result = value.types.filter(|ty| !matches!(ty, Type::Nil | Type::False));
                    }
                    let truth = self.truth(&value);
                    let truth =
                        if gives == Gives::Others { self.b.unary(UnaryOp::Not, truth) } else { truth };
                    let types = TypeSet::bool();
                    let flag = Operand::bool(truth);
                    self.store_parts(&|part| BufferKind::Result(kernel, part), element, &types, &flag);
                    if items.is_series() {
                        let column = self.buffer(BufferKind::Base(kernel, Part::Payload), Ty::I64);
                        self.program.buffers[column.0 as usize].written = true;
                        self.b.store(column, element, item.value());
                    }
                }
            }
        }
        let gives = made.map(|made| {
            (made, self.parts(&|part| BufferKind::Result(kernel, part), &Stored::written(result.clone())))
        });
        self.settle_element(kernel, &|_| items.columns, gives);
        self.procs = procs;
        let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
        self.program.functions[function.0 as usize] = b.finish();
        let name = self.describe(&items.types);
        self.program.kernels[kernel.0 as usize].entries.push(Entry { name, function });
        self.launched_at = outer_places;
        (self.entry, self.kernel, self.in_driver) = (outer_entry, outer_kernel, outer_driver);
        self.end_function(outer);
        self.elsewhere += self.own_steps() - steps;
        self.refuse_changing_base(base, key);
        result
    }

    /// Elements that are replaced while the base is gone through would be other elements in sequential Ruby. Of arrays that
    /// is found when it happens ([`Lowerer::check_base`]); of columns, which may share memory, before.
    fn refuse_changing_base(&mut self, base: &Base, key: Context) {
        let Elements::Array(kind, _) = base.elements else { return };
        if base.is_column
            && self.memo.arrays.get(&kind).is_some_and(|memo| memo.written_by.concern(Watcher::Kernel(key)))
        {
            self.refuse_here(
                "changing-base",
                "the block may change the column that it is called on",
                Some("write into another one, such as a dup of it".into()),
            );
        }
    }

    /// The element.
    fn base_item(&mut self, kernel: KernelId, items: &BaseItems) -> Operand {
        let element = self.b.element();
        if let Some(first) = items.first {
            let first = self.b.scalar(first, Ty::I64, Interval::FULL);
            let index = self.b.unary(UnaryOp::ExtendI32, element);
            return Operand::integer(self.b.binary(BinaryOp::Add, first, index));
        }
        if items.stored.types.is_empty() {
            // There are none.
            return Operand::nil();
        }
        let part = |part| BufferKind::Base(kernel, part);
        let item = self.load_parts(&part, element, &items.stored, false);
        self.narrow(&item, &items.types)
    }
}

fn holds(types: &TypeSet, kind: ArrayKind) -> bool {
    types.iter().any(|ty| {
        *ty == Type::Array(kind)
            || operand::parts(ty).is_some_and(|parts| parts.iter().any(|types| holds(types, kind)))
    })
}

/// The items of a kernel's base.
struct BaseItems {
    types: TypeSet,
    stored: Stored,
    columns: Items,
    /// Of a series: the scalar that it begins with.
    first: Option<Scalar>,
    /// Of an array of the heap: its kind, and the scalar that is its number.
    array: Option<(ArrayKind, Scalar)>,
}

impl BaseItems {
    const fn is_series(&self) -> bool {
        self.first.is_some()
    }
}

impl Frame {
    /// That of the section's own block.
    pub(super) fn of_section(code: &Rc<Code>, locals: super::Locals) -> Self {
        Self {
            locals,
            code: Rc::clone(code),
            receiver: Operand::bottom(),
            owner: ClassId::OBJECT,
            scope: Scope::Block,
            block: None,
            closure: None,
            return_to: None,
            break_to: None,
            control: vec![],
            activation: 0,
            blocks: Rc::default(),
            call_span: code.span,
            caller: 0,
            builtin: false,
            name: code.name.clone(),
            outermost: false,
            shared: vec![],
            last_match: None,
        }
    }
}
