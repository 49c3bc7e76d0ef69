//! What inferences of a section have found in other processes, as it is kept on disk. Another process looks it up by
//! the section's own code before it infers anything: the path and a hash of the whole text of its file, its place
//! there, what it is compiled for, what runs have learned, the Ruby, the build. Up to eight recordings may be there.

use crate::code::sources;
use crate::versions::{Kind, Learned};
use crate::vm::gvl::or_none;
use ikra_core::cache::{self, Name, Sort};
use ikra_core::infer::recording::{self, Kept};
use ikra_core::ir::Program;
use ikra_core::syntax::ast::Code;
use magnus::block::Proc;
use magnus::{Error, RModule, RString, Ruby, prelude::*};
use std::rc::Rc;
use std::sync::OnceLock;

/// So many inferences of one section are kept, which objects of other classes make.
const MOST: usize = 8;

/// The place of those of one section, for one way to compile it.
pub struct Shelf(Name);

impl Shelf {
    /// `None` where nothing is to be kept, or nothing can be.
    pub fn of(ruby: &Ruby, code: &Rc<Code>, kind: Kind, learned: &Learned) -> Option<Self> {
        if !cache::is_on() || cache::of_user().folder().is_none() {
            return None;
        }
        let file = sources::with_map(ruby, |map| map.find_file(code.span.file).cloned())?;
        let key = recording::key(&file, code, kind.output, kind.repeats, &learned.facts())?;
        let ruby = running_ruby(ruby)?;
        Some(Self(Name::new([BUILD.as_bytes(), ruby.as_bytes(), tests().as_bytes(), &key])))
    }

    /// Those that can be read, one after the other.
    pub fn all(&self) -> impl Iterator<Item = Kept> {
        (0..MOST).filter_map(|number| {
            let name = self.0.one(number);
            let kept = cache::of_user().get(&name, Sort::Section)?;
            Kept::from_bytes(&kept)
        })
    }

    /// Keeps one more, in the place of another one where there are many.
    pub fn put(&self, kept: Kept, program: &Program) {
        let Some(bytes) = kept.to_bytes(program) else { return };
        let is_free = |number: &usize| !cache::of_user().has(&self.0.one(*number), Sort::Section);
        let number = (0..MOST).find(is_free).unwrap_or(bytes.len() % MOST);
        cache::of_user().put(&self.0.one(number), Sort::Section, &bytes);
    }
}

/// A table of characters of the running Ruby, by its name: as another process has kept it, or what the block gives.
pub fn table(ruby: &Ruby, name: String) -> Result<RString, Error> {
    let make: Proc = ruby.block_proc()?;
    let Some(running) = running_ruby(ruby) else { return make.call(()) };
    let name = Name::new([running.as_bytes(), name.as_bytes()]);
    if let Some(kept) = cache::of_user().get(&name, Sort::Characters) {
        return Ok(ruby.str_from_slice(&kept));
    }
    let made: RString = make.call(())?;
    // SAFETY: nothing else refers to it, and no code of Ruby's runs meanwhile.
    cache::of_user().put(&name, Sort::Characters, unsafe { made.as_slice() });
    Ok(made)
}

/// The text of the extension.
const BUILD: &str = env!("IKRA_EXTENSION_BUILD");

/// What specs and benchmarks set, which changes programs.
fn tests() -> String {
    if !cfg!(feature = "testing") {
        return String::new();
    }
    let is_one = |name: &str| name.starts_with("IKRA_TEST") || name.starts_with("IKRA_BENCHMARK");
    let set = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_one));
    set.map(|(name, value)| format!("{name:?}={value:?} ")).collect()
}

/// Which Ruby it is, and how it was built.
fn running_ruby(ruby: &Ruby) -> Option<&'static str> {
    static RUNNING: OnceLock<Option<String>> = OnceLock::new();
    let tell = || {
        let object = ruby.class_object();
        let told: String = or_none(object.const_get("RUBY_DESCRIPTION"))?;
        let ikra: RModule = or_none(object.const_get("Ikra"))?;
        let version: String = or_none(ikra.const_get("VERSION"))?;
        Some(format!("{told} {version}"))
    };
    RUNNING.get_or_init(tell).as_deref()
}
