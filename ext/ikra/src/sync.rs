//! `Ikra.sync { … }` in the middle of a driver. What was done so far is written back (`CopyBack::write_back`,
//! `Heap::commit`), the text is evaluated in the binding of the section's block, with the locals as parameters (in one
//! with the modules and the `self` of the method, where it stands in a method), and everything is read again. Numbers
//! of objects and arrays are in the driver's registers meanwhile: reading begins with all that was found before, in
//! that order, so that they keep their numbers whatever refers to them now (`Tracer::begin_with`); where there is more
//! afterwards, it is an error.
//!
//! What the section has made and Ruby has seen (`born.rs`) keeps its rows too: the tracer knows it when it meets it,
//! and does not read it, as its classes and kinds may be none that were there before; `refresh.rs` compares what it
//! holds with the columns, after the block for what Ruby has changed, and at the next writing for what the section has.
//! What is different is kept as cells (`running/changes.rs`), items by array and index, as arrays move; arrays that
//! grow get other lengths, and room for that.
//!
//! A value may stand wherever the types of that place allow it; in a section with a sync whatever holds true or false
//! may hold the other one, and small numbers are kept in 64 bits (`Host::note_sync`). Where a variable is of several
//! classes, these are known class by class: there, who holds what the section made is the section's to say. Variables
//! show what the driver has made as these (it gets rows), but results of calls and arrays of known length, which are
//! frozen copies.
//!
//! A run that begins again (a conflict, too little memory) comes by the same syncs: their blocks do not run twice, what
//! they have changed is done again. All rows have to be the same ones then, which a digest of the columns tells: things
//! get rows in the order of the base, so they are, but where elements run in order that did not before, and make things
//! of several classes of a hierarchy. That is an error.

use crate::code::syncs::SyncText;
use crate::reading::base::Base;
use crate::reading::hashes;
use crate::reading::plan::Before;
use crate::reading::roots::{BlockScope, method_nesting};
use crate::reading::tracer::Kept;
use crate::running::changes::{Cell, Changes};
use crate::running::heap::Heap;
use crate::versions::Version;
use crate::vm::errors::Trouble;
use crate::vm::gvl::{check_deferred, check_process};
use crate::vm::pinned::Pinned;
use crate::vm::reentry::once;
use crate::vm::reflection::{Own, call};
use crate::vm::value::{Decoded, decode};
use crate::writing::accumulators::Around;
use crate::writing::born::{Born, Known};
use crate::writing::copy_back::{CopyBack, ResultForm};
use crate::writing::decoder::Decoder;
use crate::writing::exceptions;
use crate::writing::forgetting;
use crate::writing::refresh;
use ikra_core::error::Error;
use ikra_core::faults;
use ikra_core::heap::Schema;
use ikra_core::heap::schema::{SyncReceiver, SyncSchema};
use ikra_core::ir::{BufferKind, Part, SiteId};
use ikra_core::types::{ArrayKind, Collection, Shape, Type, TypeSet};
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{RArray, RModule, Ruby, TryConvert, Value, block::Proc, prelude::*};
use rb_sys::VALUE;
use std::cell::RefCell;

/// A sync that was done.
struct Done {
    /// What its block has changed.
    changes: Changes,
    /// How many of `Syncs::seen` Ruby has seen by then.
    seen: usize,
    /// Of what the objects held.
    digest: u64,
}

/// The syncs of a run.
#[derive(Default)]
pub struct Syncs {
    done: RefCell<Vec<Done>>,
    /// What the section has made and Ruby has seen.
    seen: RefCell<Vec<Known>>,
    /// The blocks, by number.
    blocks: RefCell<Vec<(u32, VALUE)>>,
    /// What local variables around the section held at first.
    at_first: RefCell<Vec<(String, VALUE)>>,
}

impl Syncs {
    /// Has one been done?
    pub fn any(&self) -> bool {
        !self.done.borrow().is_empty()
    }
}

/// What a sync works with.
#[derive(Clone, Copy)]
pub struct SyncRun<'a> {
    pub ruby: &'a Ruby,
    pub pinned: &'a Pinned,
    pub block: Proc,
    pub base: &'a Base,
    pub born: &'a Born,
    /// See [`Decoder::untold`].
    pub untold: &'a RefCell<Vec<SiteId>>,
}

/// A variable around the section that the section assigns: its name and number, and what it holds.
type Assigned = (String, u32, VALUE);

impl SyncRun<'_> {
    /// Does the sync of that number, the one after so many.
    pub fn sync(
        &self,
        version: &Version,
        heap: &mut Heap,
        (number, at): (u32, usize),
        syncs: &Syncs,
    ) -> Result<(), Trouble> {
        let layout = &version.layout;
        let printed = std::mem::take(heap.store.printed_mut());
        heap.drop_dead_pairs(&version.inferred)?;
        let done = syncs.done.borrow().get(at).map(|done| (done.changes.clone(), done.seen, done.digest));
        let changes = match done {
            Some((changes, seen, digest)) => {
                if digest != heap.digest(&version.inferred) {
                    return Err(Trouble::Unsupported {
                        message: "elements have conflicted after an Ikra.sync, and in order they make things in another \
                                  order than it has seen [changed-in-sync]"
                            .into(),
                        hint: "end the section where the Ikra.sync stands, and begin another one".into(),
                    });
                }
                heap.commit(layout);
                self.born.see_again(&syncs.seen.borrow()[..seen])?;
                changes
            }
            None => {
                let digest = heap.digest(&version.inferred);
                // It stays written, as what the block does.
                self.decoder(version, heap).write(&printed)?;
                let changes = self.run(version, heap, number, syncs)?;
                syncs.seen.replace(self.born.seen());
                let seen = syncs.seen.borrow().len();
                syncs.done.borrow_mut().push(Done { changes: changes.clone(), seen, digest });
                changes
            }
        };
        if heap.apply(layout, &changes)? {
            return Ok(());
        }
        Err(Trouble::Unsupported {
            message: "arrays have got more items in an Ikra.sync than there is room for [changed-in-sync]"
                .into(),
            hint:
                "let the section itself add them; or end it where the Ikra.sync stands, and begin another one"
                    .into(),
        })
    }

    fn run(
        &self,
        version: &Version,
        heap: &mut Heap,
        number: u32,
        syncs: &Syncs,
    ) -> Result<Changes, Trouble> {
        let of_sync =
            version.inferred.schema.syncs.get(number as usize).zip(version.syncs.get(number as usize));
        let Some((schema, text)) = of_sync else {
            return Err(Error::Internal("a sync is lost".into()).into());
        };
        faults::point("writing back in the middle")?;
        // Arrays of which only the driver knows are forgotten: what has their numbers may be another array since.
        self.born.show(|kind| version.keeps(kind));
        self.forget_dead(self.decoder(version, heap), syncs)?;
        self.remember(&version.inferred.schema, syncs)?;
        let scope = BlockScope::new(self.ruby, self.pinned, self.block);
        CopyBack { decoder: self.decoder(version, heap), form: ResultForm::Arrays }
            .write_back(Around { scope: &scope, plan: &version.plan })?;
        heap.commit(&version.layout);
        check_deferred()?;
        let around = self.around(&version.inferred.schema)?;
        let mut changed =
            self.run_block(version, self.decoder(version, heap), schema, (text, number), syncs)?;
        self.add_assigned(self.decoder(version, heap), around, text, &mut changed)?;
        self.born.show(|kind| version.keeps(kind));
        match self.read(version, heap, syncs)? {
            Ok(read) => {
                changed.extend(read);
                Ok(changed)
            }
            Err(what) => Err(Trouble::Unsupported {
                message: format!(
                    "after the block of Ikra.sync at {}:{} {what} [changed-in-sync]",
                    text.path, text.line
                ),
                hint: "change numbers there, and what objects hold to others of the same classes; for anything else end the \
                       section, and begin another"
                    .into(),
            }),
        }
    }

    fn decoder<'a>(&'a self, version: &'a Version, heap: &'a Heap) -> Decoder<'a> {
        Decoder {
            ruby: self.ruby,
            pinned: self.pinned,
            inferred: &version.inferred,
            heap,
            born: self.born,
            untold: self.untold,
        }
    }

    /// Forgets what the section has made and nobody refers to any more.
    fn forget_dead(&self, decoder: Decoder<'_>, syncs: &Syncs) -> Result<(), Trouble> {
        let Some(is_left) = forgetting::forget_dead(decoder)? else { return Ok(()) };
        for done in &mut *syncs.done.borrow_mut() {
            done.seen = is_left[..done.seen].iter().filter(|is_left| **is_left).count();
        }
        let mut seen = self.born.seen();
        let count = syncs.seen.borrow().len();
        seen.truncate(is_left[..count].iter().filter(|is_left| **is_left).count());
        syncs.seen.replace(seen);
        Ok(())
    }

    fn local(&self, name: &str) -> Result<VALUE, Trouble> {
        let binding: Value = call(self.ruby, Own::Binding, &[self.block.as_raw()])?;
        let local = self.ruby.to_symbol(name);
        let value: Value = call(self.ruby, Own::LocalVariableGet, &[binding.as_raw(), local.as_raw()])?;
        Ok(value.as_raw())
    }

    /// What variables around the section hold, before anything is written into them.
    fn remember(&self, schema: &Schema, syncs: &Syncs) -> Result<(), Trouble> {
        if syncs.at_first.borrow().is_empty() {
            let held = self.around(schema)?.into_iter().map(|(name, _, value)| (name, value)).collect();
            syncs.at_first.replace(held);
        }
        Ok(())
    }

    fn around(&self, schema: &Schema) -> Result<Vec<Assigned>, Trouble> {
        let held = (0..).zip(&schema.accumulators).map(|(number, variable)| {
            let value = self.local(&variable.name)?;
            self.pinned.pin(value);
            Ok((variable.name.clone(), number, value))
        });
        held.collect()
    }

    /// Adds what was assigned to variables around the section.
    fn add_assigned(
        &self,
        decoder: Decoder<'_>,
        around: Vec<Assigned>,
        text: &SyncText,
        changed: &mut Changes,
    ) -> Result<(), Trouble> {
        for (name, number, before) in around {
            let now = self.local(&name)?;
            if now != before {
                assign(decoder, (&name, number), now, text, changed)?;
            }
        }
        Ok(())
    }

    /// Runs the block with the driver's variables; gives those that it has assigned.
    fn run_block(
        &self,
        version: &Version,
        decoder: Decoder<'_>,
        schema: &SyncSchema,
        (text, number): (&SyncText, u32),
        syncs: &Syncs,
    ) -> Result<Changes, Trouble> {
        let block = self.block(version, schema, (text, number), syncs)?;
        let (values, originals) = (self.ruby.ary_new(), self.ruby.ary_new());
        for variable in &schema.variables {
            let raw = decoder.variable(variable.number).get(0)?;
            // SAFETY: the value was just made, or is kept alive.
            let value = unsafe { Value::from_raw(decoder.made(raw.0, raw.1)?) };
            // What is changed in an array that only variables hold the driver would not see: the block has a copy of it.
            let is_local =
                matches!(raw.0, Shape::Array(kind) if decoder.is_made(raw) && !version.keeps(kind));
            originals.push(is_local.then_some(value))?;
            values.push(if is_local { value.funcall::<_, _, Value>("clone", ())? } else { value })?;
        }
        faults::point("running a block of Ikra.sync")?;
        let located = |error: magnus::Error| exceptions::of_sync(self.ruby, error, &schema.places);
        let stopped = |error: magnus::Error| match error.is_kind_of(self.ruby.exception_stop_iteration()) {
            true if schema.in_loop => Trouble::Unsupported {
                message: format!(
                    "the block of Ikra.sync at {}:{} has raised a StopIteration, which would end the `loop` around it \
                     [unsupported-rescue]",
                    text.path, text.line
                ),
                hint: "set a variable in it, and `break` by that".into(),
            },
            _ if schema.ensured && error.is_kind_of(self.ruby.exception_standard_error()) => {
                Trouble::Raised(exceptions::before_ensure(self.ruby, error))
            }
            _ => Trouble::Raised(error),
        };
        let process = std::process::id();
        let assigned: Result<RArray, magnus::Error> =
            match schema.method.as_ref().map(|method| method.receiver) {
                None => once(self.ruby, || block.funcall("call", (values,))),
                Some(receiver) => {
                    let receiver = match receiver {
                        SyncReceiver::Module(class) => version.pool.class(class),
                        SyncReceiver::Variable(number) => {
                            let raw = decoder.variable(number).get(0)?;
                            decoder.made(raw.0, raw.1)?
                        }
                    };
                    // SAFETY: classes of the pool and objects that were read are kept alive.
                    let receiver = unsafe { Value::from_raw(receiver) };
                    once(self.ruby, || receiver.funcall_with_block("instance_exec", (values,), block))
                }
            };
        check_process(process)?;
        let assigned = assigned.map_err(located).map_err(stopped)?;
        for ((variable, shown), original) in schema.variables.iter().zip(values).zip(originals) {
            if !original.is_nil() && !are_same_items(shown, original)? {
                return Err(Trouble::Unsupported {
                    message: format!(
                        "the block of Ikra.sync at {}:{} has changed the array `{}`, which only variables of the section \
                         hold [changed-in-sync]",
                        text.path, text.line, variable.name
                    ),
                    hint: "change it in the section, or let an object hold it".into(),
                });
            }
        }
        let written = schema.variables.iter().filter(|variable| variable.is_written);
        let mut changed = Changes::default();
        for (variable, now) in written.zip(assigned) {
            assign(decoder, (&variable.name, variable.number), now.as_raw(), text, &mut changed)?;
        }
        Ok(changed)
    }

    /// The block as a proc that is given the variables' values, in an Array, and gives those that it assigns.
    fn block(
        &self,
        version: &Version,
        schema: &SyncSchema,
        (text, number): (&SyncText, u32),
        syncs: &Syncs,
    ) -> Result<Proc, Trouble> {
        let known = syncs.blocks.borrow().iter().find(|(known, _)| *known == number).map(|(_, block)| *block);
        if let Some(block) = known {
            // SAFETY: it is pinned.
            return Ok(Proc::try_convert(unsafe { Value::from_raw(block) })?);
        }
        let module: RModule = self.ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Syncs")?;
        let binding: Value = match &schema.method {
            None => call(self.ruby, Own::Binding, &[self.block.as_raw()])?,
            Some(method) => {
                let modules = self.ruby.ary_new();
                let scope = BlockScope::new(self.ruby, self.pinned, self.block);
                for class in method_nesting(&scope, &version.pool, method.owner, &method.nesting)? {
                    // SAFETY: it is pinned.
                    modules.push(unsafe { Value::from_raw(class) })?;
                }
                module.funcall("within", (modules,))?
            }
        };
        let [names, written] = [self.ruby.ary_new(), self.ruby.ary_new()];
        for variable in &schema.variables {
            names.push(variable.name.as_str())?;
            if variable.is_written {
                written.push(variable.name.as_str())?;
            }
        }
        let place = (text.path.as_str(), text.line);
        let block: Proc = module
            .funcall("block", (binding, text.text.as_str(), text.frozen, names, written, place.0, place.1))?;
        self.pinned.pin(block.as_raw());
        syncs.blocks.borrow_mut().push((number, block.as_raw()));
        Ok(block)
    }

    /// What objects hold now, or what of it cannot be. What variables around the section hold is known.
    fn read(
        &self,
        version: &Version,
        heap: &mut Heap,
        syncs: &Syncs,
    ) -> Result<Result<Changes, String>, Trouble> {
        if !version.assumptions.hold(self.ruby, &version.pool)? {
            return Ok(Err("a method has been defined again".into()));
        }
        let of_made = match refresh::read(self.decoder(version, heap))? {
            Ok(of_made) => of_made,
            Err(what) => return Ok(Err(what)),
        };
        if !self.looks_up_as_read(version) {
            let what = "a Hash has another default, another default block, or compares keys in another way";
            return Ok(Err(what.into()));
        }
        let at_first = syncs.at_first.borrow().clone();
        let kept: Vec<Kept> = self.born.seen().iter().map(|known| self.kept(heap, known)).collect();
        let read = Pinned::with(self.ruby, |pinned| {
            let scope = BlockScope::new(self.ruby, pinned, self.block).with_instead(at_first);
            let known = Some(Before { pinned: self.pinned, kept: &kept[..], symbols: &heap.symbols });
            let traced = version.plan.follow(pinned, &version.pool, &scope, self.base, known)?;
            let traced = match traced {
                Ok(traced) => traced,
                Err(misfit) => return Ok(Err(misfit.told(&version.plan, &version.pool))),
            };
            if let Some(what) = version.assumptions.hold_in(self.ruby, &version.pool, pinned)? {
                return Ok(Err(what.to_string()));
            }
            let is_exact = traced.is_exact;
            let later = Heap::build(traced, &version.layout, &version.inferred, heap.room)?;
            let same =
                later.has_same_numbers(pinned, (heap, self.pinned), (&version.program, &version.plan.asked));
            let others =
                || "there are other objects or arrays than before, or they stand elsewhere".to_string();
            Ok::<_, Trouble>(same.then_some((later, is_exact)).ok_or_else(others))
        })?;
        let later = match read {
            Ok(later) => later,
            Err(what) => return Ok(Err(what)),
        };
        for symbol in &later.0.symbols.all()[heap.symbols.all().len()..] {
            heap.symbols.number(self.pinned, *symbol)?;
        }
        let changes = heap.changes((&version.layout, &version.inferred), self.pinned, later)?;
        let lengths =
            || "a String, or an array that the section does not make longer, has another length".to_string();
        Ok(changes.ok_or_else(lengths).map(|mut changes| {
            changes.extend(of_made);
            changes
        }))
    }

    /// How Hashes look up is part of what the section knows of them: is it as it was?
    fn looks_up_as_read(&self, version: &Version) -> bool {
        let kinds = &version.plan.asked.kinds;
        let looked = self.pinned.each_array(|kind, value| match kinds.collection(ArrayKind(kind)) {
            Some(Collection::Hash(sort)) if hashes::sort(self.ruby, &version.pool, value) != sort => Err(()),
            _ => Ok(()),
        });
        looked.is_ok()
    }

    /// What is known of it when all is read again: its row behind those that were read at first.
    fn kept(&self, heap: &Heap, known: &Known) -> Kept {
        let before = match known.shape {
            Shape::Object(hierarchy) => heap.ids.count(hierarchy) as i64,
            _ => 0,
        };
        Kept { value: known.value, shape: known.shape, row: (known.number - before) as u32 }
    }
}

/// Do two arrays hold the same objects?
fn are_same_items(one: Value, other: Value) -> Result<bool, magnus::Error> {
    let [one, other] = [RArray::try_convert(one)?, RArray::try_convert(other)?];
    Ok(one.len() == other.len() && one.into_iter().zip(other).all(|(a, b)| a.as_raw() == b.as_raw()))
}

/// Adds what a variable holds now.
fn assign(
    decoder: Decoder<'_>,
    (name, number): (&str, u32),
    value: VALUE,
    text: &SyncText,
    changed: &mut Changes,
) -> Result<(), Trouble> {
    let Some((shape, payload)) = encoded(value, decoder, decoder.types_of_variable(number)) else {
        // SAFETY: the value is the caller's.
        let class = unsafe { Value::from_raw(value) }.class();
        return Err(Trouble::Unsupported {
            message: format!(
                "the block of Ikra.sync at {}:{} has assigned {class} to `{name}`, which holds something else in the section \
                 [changed-in-sync]",
                text.path, text.line
            ),
            hint: "give the variable a value of that class before (`count = 0`); a block of Ikra.sync assigns Integers, \
                   Floats, true, false and nil"
                .into(),
        });
    };
    let cells = [
        (BufferKind::Variable(number, Part::Payload), payload),
        (BufferKind::Variable(number, Part::Tag), i64::from(shape.tag())),
        (BufferKind::Assigned(number), 1),
    ];
    for (kind, bits) in cells {
        let buffers = &decoder.inferred.program.buffers;
        if let Some(buffer) = buffers.iter().position(|buffer| buffer.kind == kind) {
            changed.cells.push(Cell { buffer, row: 0, bits });
        }
    }
    Ok(())
}

fn row_of(all: &[VALUE], value: VALUE) -> Option<i64> {
    all.iter().position(|known| *known == value).map(|row| row as i64)
}

/// The number of what the section has made.
fn number_of(decoder: Decoder<'_>, shape: Shape, value: VALUE) -> Option<i64> {
    let seen = decoder.born.seen();
    seen.iter().find(|known| known.shape == shape && known.value == value).map(|known| known.number)
}

/// How a variable of these types holds a value, if it can.
fn encoded(value: VALUE, decoder: Decoder<'_>, types: &TypeSet) -> Option<(Shape, i64)> {
    let (shape, payload) = match decode(value) {
        Decoded::Nil => (Shape::Nil, 0),
        Decoded::Bool(truth) => (Shape::Bool, i64::from(truth)),
        Decoded::Integer(number) => (Shape::Integer, number),
        Decoded::Float(number) => (Shape::Float, number.to_bits() as i64),
        Decoded::Symbol(symbol) => (Shape::Symbol, i64::from(decoder.heap.symbols.find(symbol)?)),
        Decoded::Array => {
            let kinds =
                types.iter().filter_map(|ty| if let Type::Array(kind) = ty { Some(*kind) } else { None });
            let found = |kind: ArrayKind| {
                let row = row_of(&decoder.pinned.arrays(kind.0), value);
                Some((kind, row.or_else(|| number_of(decoder, Shape::Array(kind), value))?))
            };
            let (kind, row) = kinds.into_iter().find_map(found)?;
            (Shape::Array(kind), row)
        }
        Decoded::Object | Decoded::Huge => {
            let read = decoder.heap.ids.all_classes().find_map(|(hierarchy, class, base)| {
                let row = row_of(&decoder.pinned.objects(class), value)?;
                Some((Shape::Object(hierarchy), i64::from(base) + row))
            });
            let made = || decoder.born.seen().into_iter().find(|known| known.value == value);
            read.or_else(|| made().map(|known| (known.shape, known.number)))?
        }
    };
    types.iter().any(|ty| ty.shape() == shape).then_some((shape, payload))
}
