//! Source texts of the process and the code found in them. Where a text comes from, and whether it is still what was
//! loaded, is Ruby's part: lib/ikra/capture.rb. Both are kept for the next inference, and forgotten when no version was
//! compiled from them.

use crate::vm::errors::{Stop, Trouble};
use crate::vm::gvl::GvlCell;
use crate::vm::ruby_version;
use ikra_core::error::NoMemory;
use ikra_core::infer::host::Refusal;
use ikra_core::source::{FileId, SourceFile, SourceMap, Span};
use ikra_core::syntax::answers::{self, Answers};
use ikra_core::syntax::ast::Code;
use ikra_core::syntax::{self, CodeError};
use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{RArray, RModule, Ruby, Symbol, Value, prelude::*};
use rb_sys::VALUE;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::ffi::{CStr, c_int, c_void};
use std::rc::Rc;
use std::sync::{LazyLock, OnceLock};

/// File, start and end of a code, and the names of its own local variables where these are asked for.
type Key = (FileId, u32, u32, Vec<String>);

/// The methods of a file, by start and end.
type Methods = FxHashMap<(u32, u32), Code>;

struct Sources {
    map: SourceMap,
    codes: FxHashMap<Key, Rc<Code>>,
    /// Of the files that code was asked of: once one is asked for more, all its methods that were not yet asked for.
    methods: FxHashMap<FileId, Option<Methods>>,
    /// How many inferences are under way, whose spans point into the texts.
    users: usize,
    /// What is unused is looked for when there are so many codes.
    many: usize,
}

/// There may be so many codes, twice as many as are in use, and some.
const FEW: usize = 256;

/// While it is there, no text and no code is forgotten.
pub struct InUse<'a>(&'a Ruby);

impl<'a> InUse<'a> {
    pub fn new(ruby: &'a Ruby) -> Self {
        SOURCES.with(ruby, |sources| {
            if sources.users == 0 && sources.codes.len() >= sources.many {
                sources.forget_unused();
            }
            sources.users += 1;
        });
        Self(ruby)
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        SOURCES.with(self.0, |sources| sources.users -= 1);
    }
}

static SOURCES: LazyLock<GvlCell<Sources>> = LazyLock::new(|| {
    let (map, codes) = (SourceMap::new(ruby_version()), FxHashMap::default());
    GvlCell::new(Sources { map, codes, methods: FxHashMap::default(), users: 0, many: FEW })
});

/// No call into Ruby inside.
pub fn with_map<R>(ruby: &Ruby, f: impl FnOnce(&SourceMap) -> R) -> R {
    SOURCES.with(ruby, |sources| f(&sources.map))
}

/// The text that a span covers.
pub fn text_at(map: &SourceMap, span: Span) -> &str {
    map.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
}

/// A block that does what a Proc or Method does that has no literal.
pub fn written_out(ruby: &Ruby, callable: VALUE) -> Result<Option<VALUE>, magnus::Error> {
    let written: RModule = ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Written")?;
    // SAFETY: who asks has it, so it is live.
    let literal: Value = written.funcall("of", (unsafe { Value::from_raw(callable) },))?;
    Ok((!literal.is_nil()).then(|| literal.as_raw()))
}

/// Where the code of an instruction sequence begins and ends: line and column of both. `InstructionSequence#to_a` tells it
/// too, but with all code in it: blocks that are left by `break` or `return` twice, so that of ten, one in the other, it
/// has a thousand copies. `None`: Ruby has no such function.
pub fn location(iseq: Value) -> Option<Vec<i32>> {
    type Inner = unsafe extern "C" fn(VALUE) -> *const c_void;
    type Tell = unsafe extern "C" fn(*const c_void, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
    static FUNCTIONS: OnceLock<Option<(Inner, Tell)>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(|| {
        // SAFETY: the names end with a zero byte.
        let find = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        let (inner, tell) = (find(c"rb_iseqw_to_iseq"), find(c"rb_iseq_code_location"));
        // SAFETY: where Ruby has functions of these names, they are those (`iseq.h`).
        (!inner.is_null() && !tell.is_null()).then(|| unsafe {
            (std::mem::transmute::<*mut c_void, Inner>(inner), std::mem::transmute::<*mut c_void, Tell>(tell))
        })
    });
    let (inner, tell) = (*functions)?;
    let mut numbers = [0; 4];
    let [line, column, last_line, last_column] = &mut numbers;
    // SAFETY: it is an InstructionSequence, whose code lives as long as it does.
    unsafe { tell(inner(iseq.as_raw()), line, column, last_line, last_column) };
    Some(numbers.to_vec())
}

/// What a method does with what its block gives, as a Symbol or nil, and the names of the variables that it reads.
type Answered = (Option<Symbol>, Vec<String>);

/// That of a method, by its instruction sequence; nil where its code is not known.
pub fn answers(ruby: &Ruby, iseq: Value) -> Result<Option<Answered>, magnus::Error> {
    let code = match code_of(ruby, iseq) {
        Ok(code) => code,
        Err(Trouble::Raised(error)) => return Err(error),
        Err(_) => return Ok(None),
    };
    let name = match answers::of(&code) {
        Answers::Ignored => Some("ignored"),
        Answers::Given => Some("given"),
        Answers::Unknown => None,
        Answers::Used => Some("used"),
    };
    Ok(Some((name.map(|name| ruby.to_symbol(name)), answers::variables(&code).into_iter().collect())))
}

/// The code of an instruction sequence.
pub fn code_of(ruby: &Ruby, iseq: Value) -> Result<Rc<Code>, Trouble> {
    let capture: RModule = ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Capture")?;
    let found: RArray = capture.funcall("source", (iseq,))?;
    let text: Option<String> = found.entry(1)?;
    let Some(text) = text else {
        return Err(no_source(found.entry(0)?));
    };
    let path: String = found.entry(0)?;
    let first_lines: Vec<u32> = found.entry(2)?;
    let location: [u32; 4] = found.entry(3)?;
    let label: String = found.entry(4)?;
    let locals: Option<Vec<String>> = found.entry(5)?;
    let candidates: Vec<_> = SOURCES.with(ruby, |sources| {
        let code = |first| sources.code(&path, &text, first, location, &label, locals.as_deref()).transpose();
        first_lines.into_iter().filter_map(code).collect::<Result<_, _>>()
    })?;
    // The text of an eval may hold code of that location wherever its first line is said to be; no harm where it is the
    // same code each time.
    let text_of = |code: &Rc<Code>| with_map(ruby, |map| text_at(map, code.span).to_owned());
    match &candidates[..] {
        [] => {
            if capture.funcall("changed?", (path.as_str(),))? {
                capture.funcall::<_, _, Value>("raise_changed", (path.as_str(), location[0]))?;
            }
            let line = location[0];
            Err(no_source(format!(
                "{label} ({path}:{line}) does not stand there: it was made by the program"
            )))
        }
        [code, others @ ..] if others.iter().all(|other| text_of(other) == text_of(code)) => Ok(code.clone()),
        _ => Err(Trouble::Unsupported {
            message: format!(
                "the source of {label} ({path}:{}) cannot be told from other code [no-source]",
                location[0]
            ),
            hint: "Ikra compiles from the source text: put the code into a file".into(),
        }),
    }
}

fn no_source(message: String) -> Trouble {
    let hint = Some("Ikra compiles from the source text: put the code into a file".into());
    Trouble::Stop(Stop::Refused(Refusal { slug: "no-source", message, hint, ..Refusal::default() }))
}

impl Sources {
    fn forget_unused(&mut self) {
        self.codes.retain(|_, code| Rc::strong_count(code) > 1);
        let used: FxHashSet<FileId> = self.codes.keys().map(|(file, ..)| *file).collect();
        self.map.retain(|file| used.contains(&file));
        self.methods.clear();
        self.many = self.codes.len() * 2 + FEW;
    }

    /// The code at exactly this location of a text whose first line has number `first`; `None`: there is none. Local
    /// variables that are not among its own, where these are given, are of the binding that the text was evaluated in.
    fn code(
        &mut self,
        path: &str,
        text: &str,
        first: u32,
        location: [u32; 4],
        label: &str,
        locals: Option<&[String]>,
    ) -> Result<Option<Rc<Code>>, Trouble> {
        let file = match self.map.find(path, text, first) {
            Some(file) => file,
            None => self.map.add(SourceFile::new(path, text, first)),
        };
        let [line, column, end_line, end_column] = location;
        let source = self.map.file(file);
        let (Some(start), Some(end)) = (source.offset(line, column), source.offset(end_line, end_column))
        else {
            return Ok(None);
        };
        let key = (file, start, end, locals.unwrap_or_default().to_vec());
        if let Some(code) = self.codes.get(&key) {
            return Ok(Some(code.clone()));
        }
        let mut found = match self.method(file, start, end)? {
            Some(code) => Ok(code),
            None => syntax::code_at(&self.map, file, start, end),
        };
        if let (Ok(code), Some(locals)) = (&found, locals) {
            let outer = code.locals.iter().filter(|name| is_variable(name) && !locals.contains(name));
            let outer: Vec<String> = outer.cloned().collect();
            if !outer.is_empty() {
                found = syntax::code_in_binding(&self.map, file, start, end, &outer);
            }
        }
        match found {
            Ok(mut code) => {
                label.clone_into(&mut code.name);
                code.in_binding = locals.is_some();
                let code = Rc::new(code);
                self.codes.insert(key, code.clone());
                Ok(Some(code))
            }
            Err(CodeError::NotFound) => Ok(None),
            Err(CodeError::Memory(error)) => Err(error.into()),
            Err(CodeError::Unsupported(list)) => Err(ikra_core::error::Error::Unsupported(list).into()),
        }
    }
}

impl Sources {
    /// The method that stands there, if the file is asked for code more than once: it is not parsed for each.
    fn method(&mut self, file: FileId, start: u32, end: u32) -> Result<Option<Code>, NoMemory> {
        match self.methods.entry(file) {
            Entry::Vacant(first) => {
                first.insert(None);
                Ok(None)
            }
            Entry::Occupied(more) => {
                let methods = match more.into_mut() {
                    Some(methods) => methods,
                    none => {
                        let codes = syntax::methods_in(&self.map, file)?.into_iter();
                        none.insert(codes.map(|code| ((code.span.start, code.span.end), code)).collect())
                    }
                };
                Ok(methods.remove(&(start, end)))
            }
        }
    }
}

/// Is it the name of a variable that is written down? Parameters may have none, and `it` none that Ruby lists.
fn is_variable(name: &str) -> bool {
    name != "it" && name.starts_with(|first: char| first == '_' || first.is_alphabetic())
}

/// The code of `&:name`, where it gets so many more values than the receiver. Its place is a file of its own, which backtraces leave out, as Ruby's have no frame for it.
pub fn symbol_block(ruby: &Ruby, name: &str, more: u32) -> Rc<Code> {
    SOURCES.with(ruby, |sources| {
        let text = format!("&:{name}");
        let file = match sources.map.find(SYMBOL_PATH, &text, 1) {
            Some(file) => file,
            None => sources.map.add(SourceFile::new(SYMBOL_PATH, text.as_str(), 1)),
        };
        let span = Span { file, start: 0, end: text.len() as u32 };
        let code = || Rc::new(syntax::symbol_block(name, span, more));
        // There are no locals around it.
        let key = vec![String::new(); more as usize];
        sources.codes.entry((file, span.start, span.end, key)).or_insert_with(code).clone()
    })
}

/// The path of the places in blocks such as `&:name`.
pub const SYMBOL_PATH: &str = "(symbol)";
