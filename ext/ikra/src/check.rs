//! `Ikra.check`: what the compiler tells of a file from its source alone, with what this Ruby knows of its own classes.

use crate::code::methods::{Lookup, Methods};
use crate::section;
use crate::vm::errors::{Stop, Trouble};
use crate::vm::object_pool::ObjectPool;
use crate::vm::pinned::Pinned;
use crate::vm::ruby_version;
use ikra_core::check::{self, Checked, Finding, Known};
use ikra_core::infer::host::{FoundMethod, Refusal};
use ikra_core::source::{FileId, SourceFile, SourceMap};
use ikra_core::syntax::outline::{self, ParallelNames};
use ikra_core::types::ClassId;
use magnus::rb_sys::AsRawValue;
use magnus::{Error, RArray, RModule, Ruby, TryConvert, Value, prelude::*};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The Ruby that runs the check. What it raises meanwhile is kept.
struct LiveRuby<'a> {
    pool: Rc<ObjectPool>,
    methods: Methods<'a>,
    /// lib/ikra/check.rb, which looks constants up.
    constants: RModule,
    names_of_c: BTreeSet<String>,
    trouble: Option<Trouble>,
}

impl LiveRuby<'_> {
    fn get(&mut self, lookup: Lookup, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        self.methods.get(lookup, name).map_err(|trouble| match trouble {
            Trouble::Stop(Stop::Refused(refusal)) => refusal,
            // A library that cannot be compiled.
            Trouble::Core(_) | Trouble::Unsupported { .. } => Refusal::default(),
            trouble => {
                self.trouble.get_or_insert(trouble);
                Refusal::of_exception()
            }
        })
    }
}

impl Known for LiveRuby<'_> {
    fn module(&mut self, path: &str) -> Option<ClassId> {
        match self.constants.funcall::<_, _, Option<Value>>("module", (path,)) {
            Ok(module) => module.map(|module| self.pool.number(module.as_raw())),
            Err(error) => {
                self.trouble.get_or_insert(error.into());
                None
            }
        }
    }

    fn name(&self, module: ClassId) -> String {
        self.pool.name(module)
    }

    fn method(&mut self, class: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        self.get(Lookup::Instance(class), name)
    }

    fn singleton_method(&mut self, module: ClassId, name: &str) -> Result<Option<FoundMethod>, Refusal> {
        self.get(Lookup::Singleton(module), name)
    }

    fn is_name_of_c(&self, name: &str) -> bool {
        self.names_of_c.contains(name)
    }
}

/// `files`: path and text of the file, then of those that it requires. `names`: lists in the order of [`ParallelNames`],
/// then the names of methods in C. Gives a list for each finding, as [`told`] makes it, or the text of a syntax error.
pub fn run(ruby: &Ruby, files: RArray, misses_some: bool, names: RArray) -> Result<Value, Error> {
    let files: Vec<(String, String)> = files.to_vec()?;
    let [methods, without_block, stages, of_chains, keeping_self, names_of_c] =
        <[RArray; 6]>::try_convert(names.as_value())?;
    let set = |names: RArray| -> Result<BTreeSet<String>, Error> {
        Ok(names.to_vec::<String>()?.into_iter().collect())
    };
    let names = ParallelNames {
        methods: set(methods)?,
        without_block: set(without_block)?,
        stages: set(stages)?,
        of_chains: set(of_chains)?,
        keeping_self: set(keeping_self)?,
    };
    let names_of_c = set(names_of_c)?;
    let constants = ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Check")?;
    let mut sources = SourceMap::new(ruby_version());
    let files: Vec<FileId> =
        files.into_iter().map(|(path, text)| sources.add(SourceFile::new(path, text, 1))).collect();
    let Some((file, others)) = files.split_first() else { return Ok(ruby.qnil().as_value()) };
    let checked = Checked { sources: &sources, file: *file, others, misses_some, names: &names };
    let found = section::catch(ruby, || {
        Pinned::with(ruby, |pinned| {
            let pool = Rc::new(ObjectPool::new(ruby)?);
            pinned.pin_pool(ruby, &pool);
            let methods = Methods::new(ruby, pool.clone());
            let mut known = LiveRuby { pool, methods, constants, names_of_c, trouble: None };
            let found = check::check(&checked, &mut known).map_err(|none| Trouble::Core(none.into()))?;
            known.trouble.map_or(Ok(found), Err)
        })
    })?;
    match found {
        Err(diagnostic) => Ok(ruby.str_new(diagnostic.render(&sources).trim_end()).as_value()),
        Ok(findings) => {
            let list = ruby.ary_new();
            findings.iter().try_for_each(|finding| list.push(told(ruby, &sources, finding)?))?;
            Ok(list.as_value())
        }
    }
}

/// The message as an UnsupportedError has it; line and column of the last character; is it unsupported only where it is
/// reached? And of the parallel call the name, path, line, first and last column, and that line.
fn told(ruby: &Ruby, sources: &SourceMap, finding: &Finding) -> Result<RArray, Error> {
    let Finding { diagnostic, call: (name, call), if_reached } = finding;
    let message = diagnostic.render(sources);
    let last = place(sources.file(diagnostic.span.file), diagnostic.span.end);
    let file = sources.file(call.file);
    let ((line, first), (_, end)) = (place(file, call.start), place(file, call.end));
    let call = (name.as_str(), file.path.as_str(), line, first + 1, end, file.line(line));
    let list = ruby.ary_new();
    list.push(message.trim_end())?;
    list.push(last)?;
    list.push(*if_reached)?;
    list.push(call)?;
    Ok(list)
}

/// The line of a place, and how many characters of it stand before that.
fn place(file: &SourceFile, offset: u32) -> (u32, usize) {
    let (line, column) = file.position(offset);
    let text = file.line(line);
    (line, text.get(..column as usize).map_or(column as usize, |before| before.chars().count()))
}

/// What a file requires, each with whether it is by its place; none of one that is not Ruby.
pub fn required(ruby: &Ruby, path: String, text: String) -> Result<Vec<(String, bool)>, Error> {
    let mut sources = SourceMap::new(ruby_version());
    let file = sources.add(SourceFile::new(path, text, 1));
    section::catch(ruby, || {
        let outline = outline::outline(&sources, file, &ParallelNames::default());
        let outline = outline.map_err(|none| Trouble::Core(none.into()))?;
        Ok(outline.map_or_else(|_| Vec::new(), |outline| outline.required))
    })
}
