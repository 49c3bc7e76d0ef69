//! Lambdas and procs that a section gives or puts into Hashes as their default blocks. A lambda, or the default block
//! of a Hash, that uses nothing of the section is given by it: the schema has its text and where it stands
//! (`ProcSchema`), and Ruby evaluates that in what makes another one each time it is called, itself made once for a
//! text, so that other sections know its code. One from around the section is given as it is.

use crate::code::syncs::SyncText;
use crate::reading::plan::Plan;
use crate::reading::roots::{BlockScope, method_nesting};
use crate::vm::errors::Trouble;
use crate::vm::object_pool::ObjectPool;
use ikra_core::error::Error;
use ikra_core::heap::schema::{ProcPlace, ProcSchema};
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{RModule, Value, prelude::*};
use rb_sys::VALUE;

/// What gives such lambdas and procs, by their numbers.
#[derive(Default)]
pub struct GivenProcs(Vec<GivenProc>);

struct GivenProc {
    number: u32,
    value: VALUE,
    /// It gives another one each time it is called.
    makes: bool,
}

impl GivenProcs {
    /// The one of a number that was there before, or another one that Ruby makes of its literal.
    pub fn give(&self, number: u32) -> Result<VALUE, Trouble> {
        let given = self.0.iter().find(|given| given.number == number);
        let given = given.ok_or_else(|| Error::Internal("a lambda that nobody gives".into()))?;
        if !given.makes {
            return Ok(given.value);
        }
        // SAFETY: it is pinned.
        let maker = unsafe { Value::from_raw(given.value) };
        let made: Value = maker.funcall("call", ())?;
        Ok(made.as_raw())
    }
}
/// One for each.
pub fn make(
    scope: &BlockScope<'_>,
    (plan, pool): (&Plan, &ObjectPool),
    schema: &[ProcSchema],
    texts: &[SyncText],
) -> Result<GivenProcs, Trouble> {
    let mut made = Vec::with_capacity(schema.len());
    for (given, text) in schema.iter().zip(texts) {
        let ruby = scope.ruby;
        let module: RModule = ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Syncs")?;
        if let ProcPlace::Root(root) = &given.place {
            let root = plan.root(*root).read(scope, pool)?;
            let root = root.ok_or_else(|| Error::Internal("a lambda is no more".into()))?;
            made.push(GivenProc { number: given.number, value: root, makes: false });
            continue;
        }
        let mut closure = None;
        let modules = match &given.place {
            ProcPlace::Method(owner, nesting) => Some(method_nesting(scope, pool, *owner, nesting)?),
            ProcPlace::Block => Some(scope.nesting()?),
            ProcPlace::BlockWithin | ProcPlace::Root(_) => None,
            ProcPlace::Closure(root) => {
                closure = Some(plan.root(*root));
                None
            }
        };
        let place: Value = match modules {
            Some(modules) => {
                let list = ruby.ary_new();
                for class in modules {
                    // SAFETY: it was just found by its name, or is pinned.
                    list.push(unsafe { Value::from_raw(class) })?;
                }
                list.as_value()
            }
            None => scope
                .binding_of(closure, pool)?
                .ok_or_else(|| Error::Internal("a block without a binding".into()))?,
        };
        let SyncText { path, line, text, frozen } = text;
        let maker: Value =
            module.funcall("literal", (place, text.as_str(), given.lambda, *frozen, path.as_str(), *line))?;
        scope.pin(maker.as_raw());
        made.push(GivenProc { number: given.number, value: maker.as_raw(), makes: true });
    }
    Ok(GivenProcs(made))
}
