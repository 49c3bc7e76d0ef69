//! From a block to what is known of its literal: the handle, kept at the instruction sequence that all Procs of one
//! literal share, and the code.

use crate::code::methods;
use crate::code::sources;
use crate::versions::Handle;
use crate::vm::errors::Trouble;
use crate::vm::gvl::GvlCell;
use crate::vm::reflection::{Own, call};
use crate::vm::value::{self, Name};
use ikra_core::syntax::ast::Code;
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{RArray, Ruby, TryConvert, Value, block::Proc, prelude::*, typed_data::Obj};
use rb_sys::{ID, VALUE};
use std::rc::Rc;
use std::sync::OnceLock;

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

/// What a handle is kept for that cannot be kept at an instruction sequence.
#[derive(PartialEq, Eq)]
enum Key {
    /// A block such as `&:name`, which has none.
    Symbol(String),
    /// One that takes no variable.
    Literal(VALUE),
}

/// Such handles, the one used last at the end.
static RECENT: GvlCell<Vec<(Key, VALUE)>> = GvlCell::new(Vec::new());
/// So many of them are kept; Ruby keeps about as many Procs of Symbols.
const MOST_RECENT: usize = 64;

/// Calls `mark` with every object that the table above holds.
pub fn each_marked(mut mark: impl FnMut(VALUE)) {
    RECENT.marked(|recent| {
        for (key, handle) in recent {
            if let Key::Literal(iseq) = key {
                mark(*iseq);
            }
            mark(*handle);
        }
    });
}

fn recent(ruby: &Ruby, key: Key) -> Result<Obj<Handle>, Trouble> {
    let known = RECENT.with(ruby, |recent| {
        let at = recent.iter().position(|(other, _)| *other == key)?;
        let known = recent.remove(at);
        let handle = known.1;
        recent.push(known);
        Some(handle)
    });
    if let Some(handle) = known {
        // SAFETY: the table keeps it alive.
        return Ok(TryConvert::try_convert(unsafe { Value::from_raw(handle) })?);
    }
    let handle = ruby.obj_wrap(Handle::default());
    RECENT.with(ruby, |recent| {
        if recent.len() >= MOST_RECENT {
            recent.remove(0);
        }
        recent.push((key, handle.as_raw()));
    });
    Ok(handle)
}

impl CapturedBlock {
    pub fn new(ruby: &Ruby, block: Proc) -> Result<Self, Trouble> {
        if let Some(iseq) = methods::iseq_of(ruby, block.as_raw())? {
            let handle = handle_of(ruby, iseq)?;
            return Ok(Self { handle, literal: Literal::Written(iseq) });
        }
        let Some(name) = symbol_of(ruby, block)? else {
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
        let handle = recent(ruby, Key::Symbol(name.clone()))?;
        Ok(Self { handle, literal: Literal::Symbol(name) })
    }

    /// Its code, for so many arguments.
    pub fn code(&self, ruby: &Ruby, arguments: usize) -> Result<Rc<Code>, Trouble> {
        match &self.literal {
            Literal::Written(iseq) => sources::code_of(ruby, *iseq),
            Literal::Symbol(name) if arguments == 0 => Err(Trouble::Unsupported {
                message: format!(
                    "&:{name} is called on what elements are, and `each` yields nothing [mixed-yield]"
                ),
                hint: "write a block without parameters".into(),
            }),
            Literal::Symbol(name) => {
                Ok(sources::symbol_block(ruby, name, arguments.saturating_sub(1) as u32))
            }
        }
    }
}

/// Where a handle is kept. It is no name of an instance variable, so Ruby code does not see it.
static HANDLE: Name = Name::new("__ikra_section__");

fn handle_of(ruby: &Ruby, iseq: Value) -> Result<Obj<Handle>, Trouble> {
    let id = HANDLE.id(ruby);
    // SAFETY: the object is live.
    let known = unsafe { rb_sys::rb_ivar_get(iseq.as_raw(), id) };
    if known != value::NIL {
        // SAFETY: nobody else sets that variable, so it is a handle, and an `Obj` is nothing but its object, which is never
        // 0 and which the literal keeps.
        return Ok(unsafe { std::mem::transmute::<VALUE, Obj<Handle>>(known) });
    }
    if *TAKES_VARIABLES.get().unwrap_or(&false) {
        let handle = ruby.obj_wrap(Handle::default());
        // SAFETY: both are live, and it was tried.
        unsafe { set_hidden(iseq.as_raw(), id, handle.as_raw())? };
        return Ok(handle);
    }
    recent(ruby, Key::Literal(iseq.as_raw()))
}

/// Sets a variable that only C code sees, of an object that may be frozen, as instruction sequences are since Ruby 4.0.
/// Nothing that Ruby code can see changes.
///
/// SAFETY: both must be live heap objects.
unsafe fn set_hidden(object: VALUE, id: ID, value: VALUE) -> Result<(), magnus::Error> {
    let frozen = rb_sys::ruby_fl_type::RUBY_FL_FREEZE as VALUE;
    let basic = object as *mut rb_sys::RBasic;
    // SAFETY: as the caller says: a heap object begins with an RBasic. What is raised ends in `protect`.
    unsafe {
        let was_frozen = (*basic).flags & frozen;
        (*basic).flags &= !frozen;
        let set = protect(|| rb_sys::rb_ivar_set(object, id, value));
        (*basic).flags |= was_frozen;
        set.map(|_| ())
    }
}

/// Can an instruction sequence have such a variable while it is frozen?
static TAKES_VARIABLES: OnceLock<bool> = OnceLock::new();

/// Tries that.
pub fn init(ruby: &Ruby) -> Result<(), magnus::Error> {
    let compiler: Value = ruby.eval("RubyVM::InstructionSequence")?;
    let iseq: Value = compiler.funcall("compile", ("nil",))?;
    iseq.freeze();
    let (id, handle) = (HANDLE.id(ruby), ruby.obj_wrap(Handle::default()));
    // SAFETY: both are live.
    let takes = unsafe {
        set_hidden(iseq.as_raw(), id, handle.as_raw()).is_ok()
            && rb_sys::rb_ivar_get(iseq.as_raw(), id) == handle.as_raw()
            && value::frozen(iseq.as_raw())
    };
    let _ = TAKES_VARIABLES.set(takes);
    Ok(())
}

/// The name in `&:name`: Ruby tells it in `Proc#inspect` only.
fn symbol_of(ruby: &Ruby, block: Proc) -> Result<Option<String>, Trouble> {
    let text: String = call(ruby, Own::InspectProc, &[block.as_raw()])?;
    let name = text.split_once("(&:").and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    Ok(name.filter(|name| !name.starts_with('"')).map(str::to_owned))
}

/// Is it the block that Ruby makes of `&:name` where refinements are in use? It is a lambda in C of one argument and
/// more, which no method makes.
fn is_refined_symbol(ruby: &Ruby, block: Proc) -> Result<bool, Trouble> {
    let parameters: RArray = call(ruby, Own::Parameters, &[block.as_raw()])?;
    let kinds = ["req", "rest"].map(|kind| ruby.to_symbol(kind).as_raw());
    let is_kind = |(parameter, kind): (Value, VALUE)| {
        let words = RArray::from_value(parameter).map(|words| words.into_iter().map(|word| word.as_raw()));
        words.is_some_and(|words| words.eq([kind]))
    };
    Ok(block.is_lambda() && parameters.len() == 2 && parameters.into_iter().zip(kinds).all(is_kind))
}
