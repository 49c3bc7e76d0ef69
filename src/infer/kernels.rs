//! Kernels of a driver: each is the code of one parallel call, over columns of what the call goes over. Arrays that are
//! gone through must not change meanwhile.

use super::births::Holder;
use super::closed_blocks::ClosedBlock;
use super::handed_over::SharedLocal;
use super::keys::{Context, JoinKey, Place, Step, Watcher};
use super::operand::Operand;
use super::parallel::{Base, Elements, Gives};
use super::{Frame, Lowerer, is_plain};
use crate::heap::schema::Stored;
use crate::ir::builder::Builder;
use crate::ir::{
    BinaryOp, BufferKind, Comparison, Entry, ErrorKind, FuncId, Items, KernelId, Part, Scalar, Stmt, UnaryOp,
    Value,
};
use crate::scalar::{Interval, Ty};
use crate::source::Span;
use crate::types::{ArrayKind, Shape, Type, TypeSet};

/// The kernel that is being lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InKernel {
    pub kernel: KernelId,
    /// What it is known by in the memo.
    pub key: Context,
    /// The array of the heap that it goes over: its kind, and the scalar that is its number.
    pub base: Option<(ArrayKind, Scalar)>,
}

/// The items of a kernel's base.
pub(super) struct BaseItems {
    types: TypeSet,
    pub(super) stored: Stored,
    pub(super) columns: Items,
    /// Of a series: the scalar that it begins with.
    first: Option<Scalar>,
    /// Of an array of the heap: its kind, and the scalar that is its number.
    array: Option<(ArrayKind, Scalar)>,
}

impl BaseItems {
    pub(super) const fn is_series(&self) -> bool {
        self.first.is_some()
    }
}

impl Lowerer<'_> {
    /// Makes the columns of a kernel's base: what its items are, how many there are, and the objects among them.
    pub(super) fn set_base(
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

    /// Lowers the kernel: its only entry takes what is in the base, of whatever class. Gives what the block gives.
    pub(super) fn kernel(
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
        let running = self.running.clone();
        // What is being rescued around the launch is not known to its elements.
        let detached = self.calls_detached();
        let outer = self.begin_function();
        self.detached = detached;
        let outer_entry = std::mem::replace(&mut self.entry, function);
        let outer_kernel = self.driving.kernel.replace(InKernel { kernel, key, base: items.array });
        let outer_driver = std::mem::replace(&mut self.in_driver, false);
        self.running = running;
        self.context = self.memo.context(key, Step::Kernel, closed.number());
        (self.node, self.span, self.called) = (node, span, called);
        self.b = Builder::new(self.describe(&items.types), &[Ty::I32, Ty::I64, Ty::I64], &[]);
        self.own.shared = items.types.iter().any(|ty| matches!(ty, Type::Object(..) | Type::Array(_)));
        self.wait_for_rows();
        self.clear_scratch();
        let procs = self.procs.clone();
        let item = self.base_item(kernel, items);
        let is_object = item.types.single_shape().is_some_and(|shape| matches!(shape, Shape::Object(_)));
        self.own.id = item.values.first().copied().filter(|_| is_object);
        self.own.key = key;
        let value = self.call_closed(span, base, &item, gives, (closed, given, shared));
        let (result, made) = match gives {
            Gives::Base => (TypeSet::empty(), None),
            Gives::Values => self.give_values(kernel, key, &value),
            Gives::Selection | Gives::Others => {
                (self.give_selection(kernel, items, &item, gives, &value), None)
            }
        };
        let gives = made.map(|made| {
            (made, self.parts(&|part| BufferKind::Result(kernel, part), &Stored::written(result.clone())))
        });
        self.settle_element(kernel, &|_| items.columns, gives);
        self.procs = procs;
        let b = std::mem::replace(&mut self.b, Builder::new("", &[], &[]));
        self.program.functions[function.0 as usize] = b.finish();
        let name = self.describe(&items.types);
        self.program.kernels[kernel.0 as usize].entries.push(Entry { name, function });
        (self.entry, self.driving.kernel, self.in_driver) = (outer_entry, outer_kernel, outer_driver);
        self.end_function(outer);
        self.elsewhere += self.own_steps() - steps;
        self.refuse_changing_base(base, key);
        result
    }

    /// Calls the kernel's block, on the element and with what it takes along.
    fn call_closed(
        &mut self,
        span: Span,
        base: &Base,
        item: &Operand,
        gives: Gives,
        (closed, given, shared): (&ClosedBlock, &[Operand], &[SharedLocal]),
    ) -> Operand {
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
        self.call_block(&block, arguments)
    }

    /// Stores what the block gives. Gives its types as they are stored, and what they are if the section makes it.
    fn give_values(&mut self, kernel: KernelId, key: Context, value: &Operand) -> (TypeSet, Option<TypeSet>) {
        let element = self.b.element();
        let known = self.memo.kernel_results.get(&key).cloned().unwrap_or_default();
        let mut result = self.memo.join(&known, &value.types, JoinKey::new(Place::Given(key), 0));
        if !is_plain(&result) {
            result = self.memo.with_lists(result, JoinKey::new(Place::Given(key), 1));
        }
        self.memo.changed |= result != known;
        self.memo.kernel_results.insert(key, result.clone());
        if !is_plain(&result) {
            let given = self.give_made(kernel, &result, value);
            return (given, Some(result));
        }
        if !self.b.is_dead() && !value.is_bottom() {
            self.note_held(Holder::Result, value);
            self.store_parts(&|part| BufferKind::Result(kernel, part), element, &result, value);
        }
        (result, None)
    }

    /// Stores whether the element is one of those that are given back. Gives what these are, where that is known.
    fn give_selection(
        &mut self,
        kernel: KernelId,
        items: &BaseItems,
        item: &Operand,
        gives: Gives,
        value: &Operand,
    ) -> TypeSet {
        let element = self.b.element();
        let mut result = TypeSet::empty();
        if !self.b.is_dead() && !value.is_bottom() {
            // Items that are given back are true.
            if gives == Gives::Selection && value.values == item.values && !items.is_series() {
                result = value.types.filter(|ty| !matches!(ty, Type::Nil | Type::False));
            }
            let truth = self.truth(value);
            let truth = if gives == Gives::Others { self.b.unary(UnaryOp::Not, truth) } else { truth };
            let types = TypeSet::bool();
            let flag = Operand::bool(truth);
            self.store_parts(&|part| BufferKind::Result(kernel, part), element, &types, &flag);
            if items.is_series() {
                let column = self.buffer(BufferKind::Base(kernel, Part::Payload), Ty::I64);
                self.program.buffers[column.0 as usize].written = true;
                self.b.store(column, element, item.value());
            }
        }

        result
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

    /// An element is about to change an array: not the one that is gone through, of which kernels have a copy.
    pub(super) fn check_base(&mut self, kind: ArrayKind, id: Value) {
        let told = "an element may change the array that its parallel call goes over [changing-base]\n  \
                    hint: write into another array, such as a dup of it; or go over its indices, `array.size.ptimes { |i| … }`";
        let Some(InKernel { base: Some((of_base, number)), .. }) = self.driving.kernel else { return };
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
}
