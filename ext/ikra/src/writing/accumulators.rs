//! Accumulators, the variables outside the section that it writes: what the elements gave becomes the variable's
//! new value, in the order of the base. How the parts are put together is said by lib/ikra/accumulators.rb; what may
//! raise is done before anything is written.

use crate::reading::plan::Plan;
use crate::reading::roots::{BlockScope, Source};
use crate::vm::errors::Trouble;
use crate::vm::gvl::insist;
use crate::vm::reflection::{Own, call};
use crate::vm::value;
use crate::writing::decoder::{Decoder, Values};
use crate::writing::numbers;
use ikra_core::error::Error as CoreError;
use ikra_core::faults;
use ikra_core::heap::Column;
use ikra_core::heap::schema::{AccumulatorSchema, Fold, Holder};
use ikra_core::ir::{BufferKind, Part};
use ikra_core::types::Shape;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, RArray, RModule, Ruby, Value, prelude::*};
use rb_sys::{ID, VALUE};
use std::ffi::CString;

/// Where local variables are found.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub scope: &'a BlockScope<'a>,
    pub plan: &'a Plan,
}

pub struct Accumulators<'a> {
    pub decoder: Decoder<'a>,
    pub around: Around<'a>,
}

/// The new values, ready to be assigned.
pub struct Folded {
    /// Where each goes.
    places: Vec<Place>,
    /// Value and the value until now by turns; an array keeps them alive.
    values: RArray,
}

/// A variable that is there outside the section.
enum Place {
    Local { binding: Value, name: Value },
    Global(CString),
    ClassVariable(VALUE, ID),
    Module(VALUE, ID),
}

impl Place {
    fn get(&self, ruby: &Ruby) -> Result<Value, Error> {
        let value = match self {
            Self::Local { binding, name } => {
                return call(ruby, Own::LocalVariableGet, &[binding.as_raw(), name.as_raw()]);
            }
            // SAFETY: the name is a string of C.
            Self::Global(name) => protect(|| unsafe { rb_sys::rb_gv_get(name.as_ptr()) })?,
            // SAFETY: the pool keeps the class alive; what is raised ends in `protect`.
            Self::ClassVariable(class, name) => protect(|| unsafe { rb_sys::rb_cvar_get(*class, *name) })?,
            // SAFETY: as above.
            Self::Module(class, name) => protect(|| unsafe { rb_sys::rb_ivar_get(*class, *name) })?,
        };
        // SAFETY: it was just read.
        Ok(unsafe { Value::from_raw(value) })
    }

    fn set(&self, ruby: &Ruby, value: Value) -> Result<(), Error> {
        let raw = value.as_raw();
        match self {
            Self::Local { binding, name } => {
                let values = [binding.as_raw(), name.as_raw(), raw];
                call::<Value>(ruby, Own::LocalVariableSet, &values)?;
            }
            Self::Global(name) => {
                // SAFETY: the name is a string of C, and the value is live; what is raised ends in `protect`.
                protect(|| unsafe { rb_sys::rb_gv_set(name.as_ptr(), raw) })?;
            }
            Self::ClassVariable(class, name) => {
                // SAFETY: the pool keeps the class alive, and the value is live; what is raised ends in `protect`.
                protect(|| unsafe {
                    rb_sys::rb_cvar_set(*class, *name, raw);
                    value::NIL
                })?;
            }
            Self::Module(class, name) => {
                // SAFETY: as above.
                protect(|| unsafe { rb_sys::rb_ivar_set(*class, *name, raw) })?;
            }
        }
        Ok(())
    }
}

impl Accumulators<'_> {
    pub fn fold(&self) -> Result<Folded, Trouble> {
        let ruby = self.decoder.ruby;
        let module: RModule =
            ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Accumulators")?;
        let (mut places_of, values) = (Vec::new(), ruby.ary_new());
        for (number, variable) in self.decoder.schema().accumulators.iter().enumerate() {
            let number = number as u32;
            let place = self.place(variable)?;
            let now = place.get(ruby)?;
            let known = match &variable.fold {
                Fold::Shared(_) => match self.shared(number, variable)? {
                    None => continue,
                    known => known,
                },
                _ => self.numbers(number, variable, now),
            };
            if let Some((shape, payload)) = known {
                // SAFETY: the value was just made, or is kept alive.
                let folded = unsafe { Value::from_raw(self.decoder.made(shape, payload)?) };
                places_of.push(place);
                values.push(folded)?;
                values.push(now)?;
                continue;
            }
            let (parts, places) = self.parts(number, variable)?;
            if parts.is_empty() {
                continue;
            }
            let (how, name) = match &variable.fold {
                Fold::Operator(operator) => ("operator", operator.as_str()),
                Fold::Best(method) => ("best", method.as_str()),
                Fold::BestLater(method) => ("best_later", method.as_str()),
                Fold::Or => ("or", ""),
                Fold::And => ("and", ""),
                Fold::Last | Fold::Shared(_) => ("last", ""),
            };
            faults::point("putting parts together")?;
            let frames = ruby.ary_new();
            for place in &variable.place {
                frames.push((place.path.as_str(), place.line, place.label.as_str(), place.native))?;
            }
            let folded: Value = module.funcall(how, (now, parts, name, places, frames))?;
            places_of.push(place);
            values.push(folded)?;
            values.push(now)?;
        }
        Ok(Folded { places: places_of, values })
    }

    fn place(&self, variable: &AccumulatorSchema) -> Result<Place, Trouble> {
        let ruby = self.decoder.ruby;
        let id = || value::intern(ruby, &variable.name);
        Ok(match &variable.holder {
            Holder::Scope => self.local(None, &variable.name)?,
            Holder::Closure(root) => self.local(Some(self.around.plan.root(*root)), &variable.name)?,
            Holder::Global => Place::Global(
                CString::new(variable.name.as_str())
                    .map_err(|_| CoreError::Internal("a variable without a name".into()))?,
            ),
            Holder::ClassVariable(class) => Place::ClassVariable(self.decoder.heap.pool.class(*class), id()),
            Holder::Module(class) => Place::Module(self.decoder.heap.pool.class(*class), id()),
        })
    }

    /// A local variable around the block, or around a lambda. A block such as &:name has no binding, and assigns none.
    fn local(&self, closure: Option<&Source>, name: &str) -> Result<Place, Trouble> {
        let binding = self.around.scope.binding_of(closure, &self.decoder.heap.pool)?;
        let binding = binding.ok_or_else(|| CoreError::Internal("a lambda that is gone".into()))?;
        Ok(Place::Local { binding, name: self.decoder.ruby.to_symbol(name).as_value() })
    }

    /// What elements left in a variable that they share, if they come to it at all.
    fn shared(&self, number: u32, variable: &AccumulatorSchema) -> Result<Option<(Shape, i64)>, Trouble> {
        let values = self.decoder.values(|part| BufferKind::Variable(number, part), &variable.types);
        let is_assigned = match variable.fold {
            Fold::Shared(None) => {
                self.decoder.buffer(&BufferKind::Assigned(number)).is_some_and(|it| it.bits(0) != 0)
            }
            _ => values.payload.is_some() || values.tags.is_some(),
        };
        if !is_assigned {
            return Ok(None);
        }
        Ok(Some(values.get(0)?))
    }

    /// The new value where all parts are numbers, and there are some.
    fn numbers(&self, number: u32, variable: &AccumulatorSchema, now: Value) -> Option<(Shape, i64)> {
        let Some(Column::I64(ticks)) = self.decoder.buffer(&BufferKind::AccumulatorTick(number)) else {
            return None;
        };
        let values = self.decoder.values(|part| BufferKind::Accumulator(number, part), &variable.types);
        numbers::fold(&variable.fold, now.as_raw(), (&values, self.merged(number)), ticks)
    }

    /// What the driver has made of the parts.
    fn merged(&self, number: u32) -> Option<i64> {
        let tag = self.decoder.buffer(&BufferKind::Merged(number, Part::Tag))?;
        let payload = self.decoder.buffer(&BufferKind::Merged(number, Part::Payload))?;
        (tag.bits(0) == i64::from(Shape::Integer.tag())).then(|| payload.bits(0))
    }

    /// What was given, in the order of the base, and the element and tick of each; where one part decides, that part
    /// alone.
    fn parts(&self, number: u32, variable: &AccumulatorSchema) -> Result<(RArray, RArray), Trouble> {
        let (parts, places) = (self.decoder.ruby.ary_new(), self.decoder.ruby.ary_new());
        let Some(Column::I64(ticks)) = self.decoder.buffer(&BufferKind::AccumulatorTick(number)) else {
            return Ok((parts, places));
        };
        let values = self.decoder.values(|part| BufferKind::Accumulator(number, part), &variable.types);
        let given = || (0..ticks.len()).filter(|row| ticks[*row] != 0);
        let deciding = |wanted: bool| {
            // The first (tick, element) whose part is true (false); else the last one given.
            let decides = given().filter(|row| truth(&values, *row) == wanted);
            decides
                .min_by_key(|row| (ticks[*row], *row))
                .or_else(|| given().max_by_key(|row| (ticks[*row], *row)))
        };
        match &variable.fold {
            Fold::Operator(_) | Fold::Best(_) | Fold::BestLater(_) => {
                self.decoder.push_all(parts, &values, given())?;
                for row in given() {
                    places.push((row, ticks[row] - 1))?;
                }
            }
            Fold::Or | Fold::And | Fold::Last | Fold::Shared(_) => {
                let row = match &variable.fold {
                    Fold::Or => deciding(true),
                    Fold::And => deciding(false),
                    _ => given().max_by_key(|row| (ticks[*row], *row)),
                };
                self.decoder.push_all(parts, &values, row.into_iter())?;
            }
        }
        Ok((parts, places))
    }
}

fn truth(values: &Values<'_>, row: usize) -> bool {
    match values.get(row) {
        Ok((Shape::Nil, _)) => false,
        Ok((Shape::Bool, payload)) => payload & 1 != 0,
        _ => true,
    }
}

impl Folded {
    /// Assigns all, or none if it fails.
    pub fn assign(&self) -> Result<(), Trouble> {
        let mut assigned = Assigned { folded: self, count: 0 };
        for variable in 0..self.places.len() {
            assigned.count += 1;
            self.set(variable, 0)?;
        }
        assigned.count = 0;
        Ok(())
    }

    fn set(&self, variable: usize, which: isize) -> Result<(), Trouble> {
        faults::point("assigning a local variable")?;
        let value: Value = self.values.entry(variable as isize * 2 + which)?;
        self.places[variable].set(&Ruby::get_with(value), value)?;
        Ok(())
    }
}

/// The first variables; dropped, they are what they were.
struct Assigned<'a> {
    folded: &'a Folded,
    count: usize,
}

impl Drop for Assigned<'_> {
    fn drop(&mut self) {
        for variable in 0..self.count {
            let _ = insist(|| self.folded.set(variable, 1));
        }
    }
}
