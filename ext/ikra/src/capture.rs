//! From a block to what is known of its literal: the handle, kept at the instruction sequence that all Procs of one
//! literal share, and the code.

use crate::code::methods;
use crate::code::sources;
use crate::versions::Handle;
use crate::vm::errors::Trouble;
use crate::vm::gvl::GvlCell;
use crate::vm::value;
use ikra_core::syntax::ast::Code;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Ruby, TryConvert, Value, block::Proc, prelude::*, typed_data::Obj};
use rb_sys::VALUE;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::HashMap;
use std::rc::Rc;

/// The literal that a block comes from, and its handle.
pub struct CapturedBlock {
    pub handle: Obj<Handle>,
    literal: Literal,
}

enum Literal {
    Written(Value),
    /// `&:name`
    Symbol(String),
}

/// Handles of blocks such as `&:name`, which have no instruction sequence, by name.
static OF_SYMBOLS: GvlCell<FxHashMap<String, VALUE>> = GvlCell::new(HashMap::with_hasher(FxBuildHasher));
/// Handles of frozen instruction sequences, which take no instance variable.
static OF_FROZEN: GvlCell<FxHashMap<VALUE, VALUE>> = GvlCell::new(HashMap::with_hasher(FxBuildHasher));

/// Calls `mark` with every object that the tables above hold.
pub fn each_marked(mut mark: impl FnMut(VALUE)) {
    OF_SYMBOLS.marked(|handles| handles.values().for_each(|handle| mark(*handle)));
    OF_FROZEN.marked(|handles| handles.iter().flat_map(|(k, v)| [*k, *v]).for_each(mark));
}

impl CapturedBlock {
    pub fn new(ruby: &Ruby, block: Proc) -> Result<Self, Trouble> {
        if let Some(iseq) = methods::iseq_of(ruby, block.as_value())? {
            let handle = handle_of(ruby, iseq)?;
            return Ok(Self { handle, literal: Literal::Written(iseq) });
        }
        let Some(name) = symbol_of(block)? else {
            if is_refined_symbol(ruby, block)? {
                return Err(Trouble::Unsupported {
                    message: "where a refinement is in use, Ruby does not tell the name in a block such as \
                              &:name [no-source]"
                        .into(),
                    hint: "write { |element| element.name }".into(),
                });
            }
            return Err(Trouble::Unsupported {
                message: "the block is no block literal, so there is no source to compile [no-source]".into(),
                hint: "instead of &method(:name) or a composed Proc, write { |element| name(element) }"
                    .into(),
            });
        };
        let known = OF_SYMBOLS.with(ruby, |handles| handles.get(&name).copied());
        let handle = match known {
            // SAFETY: the table keeps it alive.
            Some(handle) => TryConvert::try_convert(unsafe { Value::from_raw(handle) })?,
            None => {
                let handle = ruby.obj_wrap(Handle::default());
                OF_SYMBOLS.with(ruby, |handles| handles.insert(name.clone(), handle.as_raw()));
                handle
            }
        };
        Ok(Self { handle, literal: Literal::Symbol(name) })
    }

    pub fn code(&self, ruby: &Ruby) -> Result<Rc<Code>, Trouble> {
        match &self.literal {
            Literal::Written(iseq) => sources::code_of(ruby, *iseq),
            Literal::Symbol(name) => Ok(sources::symbol_block(ruby, name)),
        }
    }
}

fn handle_of(ruby: &Ruby, iseq: Value) -> Result<Obj<Handle>, Trouble> {
    // No name of an instance variable, so Ruby code does not see it.
    let id = value::intern(ruby, "__ikra_section__");
    // SAFETY: the object is live.
    let (known, frozen) = unsafe { (rb_sys::rb_ivar_get(iseq.as_raw(), id), value::frozen(iseq.as_raw())) };
    if known != value::NIL {
        // SAFETY: read from a live object, which keeps it.
        return Ok(TryConvert::try_convert(unsafe { Value::from_raw(known) })?);
    }
    if frozen && let Some(known) = OF_FROZEN.with(ruby, |handles| handles.get(&iseq.as_raw()).copied()) {
        // SAFETY: the table keeps it alive.
        return Ok(TryConvert::try_convert(unsafe { Value::from_raw(known) })?);
    }
    let handle = ruby.obj_wrap(Handle::default());
    if frozen {
        OF_FROZEN.with(ruby, |handles| handles.insert(iseq.as_raw(), handle.as_raw()));
    } else {
        // SAFETY: both are live; what it raises ends in `protect`.
        protect(|| unsafe { rb_sys::rb_ivar_set(iseq.as_raw(), id, handle.as_raw()) })?;
    }
    Ok(handle)
}

/// The name in `&:name`: Ruby tells it in `Proc#inspect` only.
fn symbol_of(block: Proc) -> Result<Option<String>, Trouble> {
    let text: String = block.funcall("inspect", ())?;
    let name = text.split_once("(&:").and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    Ok(name.filter(|name| !name.starts_with('"')).map(str::to_owned))
}

/// Is it the block that Ruby makes of `&:name` where refinements are in use? It is a lambda in C of one argument and
/// more, which no method makes.
fn is_refined_symbol(ruby: &Ruby, block: Proc) -> Result<bool, Trouble> {
    let parameters = ruby.ary_new();
    for kind in ["req", "rest"] {
        parameters.push(ruby.ary_new_from_values(&[ruby.to_symbol(kind)]))?;
    }
    let found: Value = block.funcall("parameters", ())?;
    Ok(block.is_lambda() && found.eql(parameters)?)
}
