//! The one place that turns what went wrong into Ruby exceptions. Their classes and messages are Ruby's business:
//! lib/ikra/errors.rb and lib/ikra/failures.rb; here the facts are collected.
//!
//! Where possible `messages.rb` makes Ruby raise the error itself and takes its message, because messages differ
//! between versions. Of some exceptions Ruby keeps more than a record tells, such as the Hash and the key of a KeyError
//! (`tells_too_little`). Then the section runs again as one that makes an object of what is raised at that line
//! (`Learned::told_lines`), on the CPU. Where one class of objects cannot keep what the exceptions of several lines
//! keep, it runs as one that tells of this line alone. What was known before leaves it where that cannot be. A driver
//! with syncs, which cannot run again, makes such objects from the start; what its elements raise behind a sync leaves
//! it as it is known.

use crate::code::sources;
use crate::vm::errors::{Stop, Trouble};
use crate::vm::value;
use crate::writing::decoder::Decoder;
use crate::writing::objects::Maker;
use crate::writing::results::Results;
use crate::writing::strings;
use crate::writing::texts_now;
use ikra_core::backend::Failure;
use ikra_core::diagnostic;
use ikra_core::error::Error as CoreError;
use ikra_core::heap::Schema;
use ikra_core::heap::schema::{ColumnSchema, Guarding};
use ikra_core::infer::host::Refusal;
use ikra_core::infer::{Fact, MISSING_SHIFT, keeps_more_than_told, raised_words};
use ikra_core::ir::{
    BufferKind, ErrorKind, KernelId, MessagePart, Missing, Part, Place, Raised, Receiver, SiteId,
    THIS_METHOD, Watched,
};
use ikra_core::types::{ArrayKind, ClassId, Shape};
use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::{Error, Exception, ExceptionClass, RArray, RModule, Ruby, Symbol, Value, prelude::*};
use rb_sys::VALUE;

const REPORT: &str = "This is a bug in Ikra. Please report it, with the block that led to it.";

/// Of a pattern that is one for Ruby.
const NEW_PATTERN: &str = "a regular expression that is put together here has parts that cannot run in a section \
    [unsupported-regexp]\n  hint: docs/regular-expressions.md has the parts that run; make the pattern before the section \
    to see which it is";

/// The exception for what went wrong.
pub fn exception(ruby: &Ruby, trouble: Trouble) -> Error {
    match trouble {
        Trouble::Raised(error) => error,
        Trouble::Stop(Stop::Overflow(place)) => {
            let hint = "keep the two ends in variables, and compare with them, as in `low <= n && n <= high`; or make them \
                        Floats";
            new(ruby, "OverflowError", &format!("{place} holds an Integer beyond 64 bits\n  hint: {hint}"))
        }
        Trouble::Stop(Stop::Refused(refusal)) => refused(ruby, &refusal),
        Trouble::Core(CoreError::Unsupported(list)) => {
            let text = sources::with_map(ruby, |map| diagnostic::render_all(&list, map));
            new(ruby, "UnsupportedError", text.trim_end())
        }
        Trouble::Core(error @ CoreError::Memory(_)) => {
            Error::new(ruby.exception_no_mem_error(), error.to_string())
        }
        Trouble::Stop(Stop::Misfit | Stop::Forgotten) => {
            let message = "a version met what it was compiled without";
            exception(ruby, Trouble::Core(CoreError::Internal(message.into())))
        }
        Trouble::Stop(Stop::Core(error)) => exception(ruby, Trouble::Core(error)),
        Trouble::Core(CoreError::Device(message)) => new(ruby, "DeviceError", &message),
        // Only told to who waits no more.
        Trouble::Core(error @ CoreError::Cancelled) => new(ruby, "Error", &error.to_string()),
        Trouble::Core(CoreError::Internal(message)) => new(ruby, "Error", &format!("{message}\n{REPORT}")),
        Trouble::Plain(message) => new(ruby, "Error", &message),
        // It never gets so far.
        Trouble::Anew => new(ruby, "Error", "a section has to begin anew"),
        Trouble::Unsupported { message, hint } => {
            new(ruby, "UnsupportedError", &format!("{message}\n  hint: {hint}"))
        }
        Trouble::Panic(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            new(ruby, "Error", &format!("internal error: {text}\n{REPORT}"))
        }
    }
}

/// The same, as an exception that knows of it: no `Ikra.fallback` begins the section again.
pub fn behind_sync(ruby: &Ruby, trouble: Trouble) -> Trouble {
    let error = exception(ruby, trouble);
    let marked = error.value().map(|error| note_by(ruby, error, "behind_sync", value::TRUE));
    Trouble::Raised(marked.and_then(Result::err).unwrap_or(error))
}

/// Refuses what a method comes to that has to tell values apart which nobody can.
pub fn tell_apart(ruby: &Ruby, name: Symbol, values: Value) -> Result<(), Trouble> {
    let telling: RModule = ikra(ruby)?.const_get("TellingApart")?;
    let _: Value = telling.funcall("check", (name, values))?;
    Ok(())
}

/// An exception of what is thrown out of a section that has changed something, where a `catch` waits for it: Ruby has to
/// do it all, as it keeps what was changed before.
pub fn thrown_with_changes(ruby: &Ruby, uncaught: &Error) -> Result<Option<Error>, Error> {
    let Some(exception) = uncaught.value() else { return Ok(None) };
    let failures: RModule = ikra(ruby)?.const_get("Failures")?;
    let told: Option<Exception> = failures.funcall("thrown_with_changes", (exception,))?;
    Ok(told.map(Error::from))
}

/// Keeps a value with an exception by a name that is none of an instance variable, as Ruby itself keeps its message and
/// backtrace: no `instance_variables` tells of it, and copies have it, those by way of Marshal too.
pub fn note(ruby: &Ruby, error: Value, name: Symbol, value: Value) -> Result<(), Error> {
    note_by(ruby, error, &name.name()?, value.as_raw())
}

fn note_by(ruby: &Ruby, error: Value, name: &str, value: VALUE) -> Result<(), Error> {
    let name = value::intern(ruby, name);
    // SAFETY: both are live, on this stack. What is raised (the exception may be frozen) ends in `protect`.
    protect(|| unsafe { rb_sys::rb_ivar_set(error.as_raw(), name, value) }).map(|_| ())
}

/// Marks one that says `cause: nil`, so that it gets none either from the code around the section.
fn without_cause(ruby: &Ruby, error: Value) -> Result<(), Error> {
    note_by(ruby, error, "without_cause", value::TRUE)
}

/// What [`note`] keeps, or nil.
pub fn noted(ruby: &Ruby, error: Value, name: Symbol) -> Result<Value, Error> {
    let name = value::intern(ruby, &name.name()?);
    // SAFETY: the exception is live, on this stack.
    protect(|| unsafe { rb_sys::rb_ivar_get(error.as_raw(), name) })
        .map(|raw| unsafe { Value::from_raw(raw) })
}

fn refused(ruby: &Ruby, refusal: &Refusal) -> Error {
    let hint = refusal.hint.as_ref().map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
    new(ruby, "UnsupportedError", &format!("{} [{}]{hint}", refusal.message, refusal.slug))
}

fn ikra(ruby: &Ruby) -> Result<RModule, Error> {
    ruby.class_object().const_get("Ikra")
}

/// Is it an exception of Ikra's, and none that Ruby would raise?
pub fn is_own(ruby: &Ruby, error: &Error) -> Result<bool, Error> {
    Ok(error.is_kind_of(ikra(ruby)?.const_get::<_, ExceptionClass>("Error")?))
}

/// An exception of one of Ikra's classes.
pub fn new(ruby: &Ruby, class: &str, message: &str) -> Error {
    match ikra(ruby).and_then(|ikra| ikra.const_get::<_, ExceptionClass>(class)) {
        Ok(class) => Error::new(class, message.to_owned()),
        Err(error) => error,
    }
}

/// Ruby's FrozenError for an object.
pub fn frozen(ruby: &Ruby, object: Value) -> Error {
    let details = ruby.ary_new_from_values(&[object]);
    build(ruby, "frozen", details, ruby.ary_new(), (0, 0), (None, false))
}

fn build(
    ruby: &Ruby,
    kind: &str,
    details: RArray,
    frames: RArray,
    (element, tick): (u32, u64),
    (guarding, leaves): (Option<&str>, bool),
) -> Error {
    // The code around the elements has neither.
    let place = (element != Failure::DRIVER).then_some((element, tick));
    let (element, tick) = place.unzip();
    let made = ikra(ruby).and_then(|ikra| {
        let failures: RModule = ikra.const_get("Failures")?;
        failures.funcall::<_, _, Exception>(
            "build",
            (ruby.to_symbol(kind), details, frames, element, tick, guarding, leaves),
        )
    });
    match made {
        Ok(exception) => exception.into(),
        Err(error) => error,
    }
}

/// An exception of a block of `Ikra.sync`, with the frames of that and of the code around it, as Ruby would have them.
pub fn of_sync(ruby: &Ruby, error: Error, places: &[Place]) -> Error {
    let Some(exception) = error.value() else { return error };
    let told = ikra(ruby).and_then(|ikra| {
        let failures: RModule = ikra.const_get("Failures")?;
        failures.funcall::<_, _, Exception>("of_sync", (exception, frames_of(ruby, places)?))
    });
    told.map_or_else(|error| error, Error::from)
}

/// Path, line and label of frames, and whether each is a method of Ruby's own.
fn frames_of<'a>(ruby: &Ruby, places: impl IntoIterator<Item = &'a Place>) -> Result<RArray, Error> {
    let frames = ruby.ary_new();
    for place in places {
        frames.push((place.path.as_str(), place.line, place.label.as_str(), place.native))?;
    }
    Ok(frames)
}

/// What tells that an exception of a block of `Ikra.sync` ends the section before the `ensure` around that.
pub fn before_ensure(ruby: &Ruby, error: Error) -> Error {
    let Some(exception) = error.value() else { return error };
    let told = ikra(ruby).and_then(|ikra| {
        let failures: RModule = ikra.const_get("Failures")?;
        failures.funcall::<_, _, Exception>("before_ensure", (exception,))
    });
    told.map_or_else(|error| error, Error::from)
}

/// An element's failure: its operands are decoded as other values are.
impl Decoder<'_> {
    /// The exception that sequential Ruby would have raised first.
    ///
    /// `leaves`: does what is thrown leave the section at once where a `catch` waits for it? Else it is an
    /// `UncaughtThrowError`.
    pub fn exception(&self, failure: &Failure, leaves: bool) -> Error {
        let site = &self.inferred.program.sites[failure.site.0 as usize];
        if let ErrorKind::RaiseMade(class) = site.error {
            return match self.raised(class, failure, leaves) {
                Ok(raised) => raised,
                Err(trouble) => exception(self.ruby, trouble),
            };
        }
        let frames = match self.frames(failure.site, failure.path) {
            Ok(frames) => frames,
            Err(error) => return error,
        };
        match self.details(&site.error, failure) {
            Ok((kind, details)) => {
                let place = (failure.element, failure.tick);
                let error = build(self.ruby, kind, details, frames, place, (self.guarding(failure), leaves));
                match (site.no_cause, error.value()) {
                    (true, Some(exception)) => without_cause(self.ruby, exception).err().unwrap_or(error),
                    _ => error,
                }
            }
            Err(error) => error,
        }
    }

    /// The frames of who fails at a site.
    fn frames(&self, site: SiteId, path: i64) -> Result<RArray, Error> {
        let site = &self.inferred.program.sites[site.0 as usize];
        frames_of(self.ruby, site.places.iter().chain(self.inferred.program.callers(path)))
    }

    /// An exception that the section has made.
    fn raised(&self, class: ClassId, failure: &Failure, leaves: bool) -> Result<Error, Trouble> {
        if failure.memory.is_empty() {
            let what = "an exception that the GPU has made leaves the section [unsupported-raise]";
            let hint = "give it nothing but a String, or run the section on the CPU: Ikra.backend = :cpu";
            return Ok(new(self.ruby, "UnsupportedError", &format!("{what}\n  hint: {hint}")));
        }
        let words = raised_words(&failure.memory, failure.operands[0], class, self.schema());
        let words = words.ok_or_else(|| CoreError::Internal("an exception that is none".into()))?;
        let made = Results::raised(*self, class, &words)?;
        let failures: RModule = ikra(self.ruby)?.const_get("Failures")?;
        let place = (failure.element != Failure::DRIVER).then_some((failure.element, failure.tick));
        let (element, tick) = place.unzip();
        let guarding = self.guarding(failure);
        let told: Exception = failures.funcall("told", (made, element, tick, guarding, leaves))?;
        Ok(told.into())
    }

    /// Gives an exception that the section has made its message and, where it was raised, its backtrace. What is
    /// returned says why a method is missing: [`Self::tell_exception`] makes the message, when the receiver has all its
    /// variables.
    pub fn complete_exception(
        &self,
        object: VALUE,
        maker: &Maker,
        values: &[VALUE],
    ) -> Result<Option<&'static str>, Trouble> {
        let Some([message, site, path]) = maker.raised else { return Ok(None) };
        let [site, path] = [site, path].map(|place| values[place]);
        let number = |value: VALUE| if value::is_fixnum(value) { value::fixnum_value(value) } else { 0 };
        let frames = match u32::try_from(number(site) - 1) {
            Ok(site) => Some(self.frames(SiteId(site), number(path))?),
            Err(_) => None,
        };
        // SAFETY: both are live.
        let (object, message) = unsafe { (Value::from_raw(object), Value::from_raw(values[message])) };
        let completion: RModule = ikra(self.ruby)?.const_get("Completion")?;
        let facts = maker.kept.map_or(0, |[facts, ..]| number(values[facts]));
        // SAFETY: it is live.
        let cause = maker.cause.map(|cause| unsafe { Value::from_raw(values[cause]) });
        let cause = cause.filter(|cause| cause.to_bool());
        let raised_at = u32::try_from(number(site) - 1).ok().map(SiteId);
        let says_none = raised_at.is_some_and(|id| self.inferred.program.sites[id.0 as usize].no_cause);
        if says_none {
            without_cause(self.ruby, object)?;
        }
        let is_untold = maker.untold.is_some_and(|[untold, ..]| number(values[untold]) == 1);
        if let Some(id) = raised_at {
            let site = &self.inferred.program.sites[id.0 as usize];
            let is_known = facts & (Fact::Subject as i64 | Fact::Receiver as i64) != 0;
            let is_unknown =
                is_untold && !is_known && keeps_more_than_told(site) || facts & Fact::Unknown as i64 != 0;
            if is_unknown || cause.is_none() && site.has_cause {
                self.untold.borrow_mut().push(id);
            }
        }
        let mut untold = None;
        let kept = self.ruby.ary_new();
        if let Some([_, rest @ ..]) = maker.kept {
            for place in rest {
                // SAFETY: it is live.
                kept.push(unsafe { Value::from_raw(values[place]) })?;
            }
            kept.push(facts & Fact::Subject as i64 != 0)?;
            kept.push(facts & Fact::Receiver as i64 != 0)?;
            let missing = usize::try_from(facts >> MISSING_SHIFT).unwrap_or(0);
            let missing = Missing::NAMES.get(missing).map(|(_, name)| *name);
            untold = (facts & Fact::Untold as i64 != 0).then_some(missing).flatten();
        }
        if let (true, Some(id), Some([_, operands @ ..])) = (is_untold, raised_at, maker.untold) {
            let mut given = [0; 2];
            for (given, place) in given.iter_mut().zip(operands) {
                // SAFETY: it is live.
                *given = i64::try_convert(unsafe { Value::from_raw(values[place]) })?;
            }
            let failure = Failure {
                site: id,
                element: 0,
                kernel: None,
                tick: 0,
                operands: given,
                path: number(path),
                texts: [None, None],
                memory: Vec::new(),
            };
            let error = &self.inferred.program.sites[id.0 as usize].error;
            let (kind, details) = self.details(error, &failure)?;
            let told = (self.ruby.to_symbol(kind), details);
            let _: Value = completion.funcall("complete_as", (object, told, frames, kept, cause))?;
            return Ok(None);
        }
        if facts & Fact::Unknown as i64 != 0 {
            return Err(Trouble::Unsupported {
                message: "an exception that one of Ruby's methods has raised leaves the section, which does not know \
                          the receiver, the name or the key that it keeps [unsupported-rescue-variable]"
                    .into(),
                hint: "let its message and class leave the section: [error.class, error.message]".into(),
            });
        }
        let _: Value = completion.funcall("complete", (object, message, frames, kept, cause))?;
        Ok(untold)
    }

    /// Gives an exception the message that Ruby makes.
    pub fn tell_exception(&self, object: VALUE, missing: &str) -> Result<(), Trouble> {
        // SAFETY: it is live.
        let object = unsafe { Value::from_raw(object) };
        let completion: RModule = ikra(self.ruby)?.const_get("Completion")?;
        let _: Value = completion.funcall("tell", (object, missing))?;
        Ok(())
    }

    /// What the driver's code around the call would do about an element's failure: the name of the clause.
    fn guarding(&self, failure: &Failure) -> Option<&'static str> {
        let is_it = |(kernel, site, _): &&(KernelId, SiteId, Guarding)| {
            (failure.kernel, failure.site) == (Some(*kernel), *site)
        };
        self.inferred.schema.guarded.iter().find(is_it).map(|(.., guarding)| match guarding {
            Guarding::Rescue => "rescue",
            Guarding::Ensure => "ensure",
        })
    }

    fn details(&self, kind: &ErrorKind, failure: &Failure) -> Result<(&'static str, RArray), Error> {
        let operands = failure.operands;
        let ruby = self.ruby;
        let details = ruby.ary_new();
        let kind = match kind {
            ErrorKind::Overflow { operator, .. } => {
                let name = self.inferred.program.builtin(failure.path).filter(|_| operator == THIS_METHOD);
                details.push(name.unwrap_or(operator))?;
                "overflow"
            }
            ErrorKind::ZeroDivision => "zero_division",
            ErrorKind::NoMethod { name, receiver, missing, arguments: _ } => {
                details.push(name.as_str())?;
                self.receiver(details, receiver, operands[0])?;
                details.push(missing.name())?;
                "no_method"
            }
            ErrorKind::NameError { name, receiver } => {
                details.push(name.as_str())?;
                self.receiver(details, receiver, operands[0])?;
                "name_error"
            }
            ErrorKind::UncaughtThrow { tag, value } => {
                self.receiver(details, tag, operands[0])?;
                self.receiver(details, value, operands[usize::from(tag.has_operand())])?;
                "uncaught_throw"
            }
            ErrorKind::RaiseExisting(_, hierarchy) => {
                details.push(self.object_value(*hierarchy, operands[0]))?;
                "existing"
            }
            ErrorKind::TypeError(message) => {
                details.push(message.as_str())?;
                "type_error"
            }
            ErrorKind::ArgumentError(message) => {
                details.push(message.as_str())?;
                "argument_error"
            }
            ErrorKind::AboutOperand { type_error, before, operand, after } => {
                details.push(before.as_str())?;
                self.receiver(details, operand, operands[0])?;
                details.push(after.as_str())?;
                if *type_error { "type_error_about" } else { "argument_error_about" }
            }
            ErrorKind::FloatIndex => {
                details.push(f64::from_bits(operands[0] as u64))?;
                "float_index"
            }
            ErrorKind::FloatDomain => {
                details.push(f64::from_bits(operands[0] as u64))?;
                "float_domain"
            }
            ErrorKind::MathDomain(name) => {
                details.push(name.as_str())?;
                "math_domain"
            }
            ErrorKind::Frozen(hierarchy) => {
                details.push(self.object_value(*hierarchy, operands[0]))?;
                "frozen"
            }
            ErrorKind::FrozenArray(kind) => match self.array_value(*kind, operands[0]) {
                Some(array) => {
                    details.push(array)?;
                    "frozen"
                }
                // An element has made it, and it is nowhere yet.
                None => {
                    let is_hash = self.inferred.schema.hashes.contains_key(kind);
                    let class = if is_hash { ClassId::HASH } else { ClassId::ARRAY };
                    details.push(self.heap.pool.object(class))?;
                    "frozen_made"
                }
            },
            ErrorKind::FrozenMade(class) => {
                details.push(self.heap.pool.object(*class))?;
                "frozen_made"
            }
            ErrorKind::IndexTooSmall => {
                details.push(operands[0])?;
                details.push(operands[1])?;
                "index_too_small"
            }
            ErrorKind::FetchIndex => {
                details.push(operands[0])?;
                details.push(operands[1])?;
                "fetch_index"
            }
            // Those who run a section give it more instead.
            ErrorKind::ScratchFull
            | ErrorKind::ResultFull
            | ErrorKind::ArraysFull(_)
            | ErrorKind::NewSymbol
            | ErrorKind::NewName => "no_memory",
            ErrorKind::ArrayGrowth => {
                details.push(operands[0])?;
                details.push(operands[1])?;
                "array_growth"
            }
            ErrorKind::Range(message) => {
                details.push(message.as_str())?;
                "range"
            }
            ErrorKind::Raise { class, message } => {
                details.push(self.heap.pool.object(*class))?;
                match message {
                    None => details.push(ruby.qnil())?,
                    Some(parts) => details.push(self.message(parts, failure)?)?,
                }
                let site = &self.inferred.program.sites[failure.site.0 as usize];
                details.push(site.raised == Raised::ByRuby)?;
                details.push(site.raised == Raised::ByFrozenText)?;
                details.push(site.raised == Raised::ByRubysText)?;
                "raise"
            }
            ErrorKind::RaiseMade(_) | ErrorKind::StackTooDeep => "stack_too_deep",
            ErrorKind::NewPattern => {
                details.push(NEW_PATTERN)?;
                "unsupported"
            }
            ErrorKind::Unsupported(message) => {
                match self.inferred.program.builtin(failure.path) {
                    Some(name) => details.push(message.replace(THIS_METHOD, &format!("`{name}`")))?,
                    None => details.push(message.as_str())?,
                }
                "unsupported"
            }
            ErrorKind::Race { what, .. } => {
                self.race(details, what, operands[1])?;
                details.push(self.touch((operands[0] >> 32) as u32, operands[0] as u32)?)?;
                details.push(self.touch(failure.element, failure.site.0)?)?;
                "race"
            }
        };
        Ok((kind, details))
    }

    /// What two elements race for: the object, the variable's name or the array's index, and of an array what holds it
    /// (a class and a variable) where that is an object.
    fn race(&self, details: RArray, what: &Watched, place: i64) -> Result<(), Error> {
        match what {
            Watched::Column { hierarchy, name } => {
                details.push(self.object_value(*hierarchy, place))?;
                details.push(name.as_str())?;
                details.push(self.ruby.qnil())
            }
            Watched::Variable(number) => {
                let Schema { accumulators, variables, .. } = &self.inferred.schema;
                let number = *number as usize;
                let of_driver = || &variables[number - accumulators.len()].name;
                let name = accumulators.get(number).map_or_else(of_driver, |variable| &variable.name);
                details.push(self.ruby.qnil())?;
                details.push(name.as_str())?;
                details.push(self.ruby.to_symbol("variable"))
            }
            Watched::Arrays(kind) => {
                let array = place >> 32;
                let Schema { hashes, given_defaults, .. } = &self.inferred.schema;
                if let Some((kind, _)) = given_defaults.iter().find(|(_, given)| *given == kind) {
                    details.push(self.array_value(*kind, array))?;
                    details.push("the default")?;
                    return details.push(self.holder(*kind, array));
                }
                if let Some((kind, _)) = hashes.iter().find(|(_, parts)| parts.contains(kind)) {
                    details.push(self.array_value(*kind, array))?;
                    details.push("the pairs")?;
                    return details.push(self.holder(*kind, array));
                }
                details.push(self.array_value(*kind, array))?;
                details.push(place as u32)?;
                details.push(self.holder(*kind, array))
            }
        }
    }

    /// The class and the variable of an object that holds the array.
    fn holder(&self, kind: ArrayKind, array: i64) -> Option<(String, String)> {
        let ids = &self.heap.ids;
        let columns = &self.inferred.schema.columns;
        let holds_any = |column: &&ColumnSchema| column.stored.types.shapes().contains(&Shape::Array(kind));
        columns.iter().filter(holds_any).find_map(|column| {
            let buffer = |part| {
                let (hierarchy, name) = (column.hierarchy, column.name.clone());
                self.buffer(&BufferKind::Column { hierarchy, name, part })
            };
            let (payload, tags) = (buffer(Part::Payload)?, buffer(Part::Tag));
            let tag = i64::from(Shape::Array(kind).tag());
            let holds = |row| payload.bits(row) == array && tags.is_none_or(|tags| tags.bits(row) == tag);
            let class = column.classes.iter().find(|class| {
                let place =
                    ids.classes(column.hierarchy).iter().position(|c| c == *class).unwrap_or(0) as u32;
                let rows = ids.base(column.hierarchy, place)..ids.base(column.hierarchy, place + 1);
                rows.into_iter().any(|row| holds(row as usize))
            })?;
            Some((self.heap.pool.name(*class), column.name.clone()))
        })
    }

    /// One touch of a race: the element, whether it writes, path and line.
    fn touch(&self, element: u32, site: u32) -> Result<RArray, Error> {
        let site = &self.inferred.program.sites[site as usize];
        let writes = matches!(site.error, ErrorKind::Race { write: true, .. });
        let touch = self.ruby.ary_new();
        touch.push(element)?;
        touch.push(writes)?;
        let (path, line) = site.place();
        touch.push(path)?;
        touch.push(line)?;
        Ok(touch)
    }

    /// Each part as [value, text, inspected]: the text, or the value that `to_s` or `inspect` is called on.
    fn message(&self, parts: &[MessagePart], failure: &Failure) -> Result<RArray, Error> {
        let all = self.ruby.ary_new();
        let mut next = 0;
        for part in parts {
            let pair = self.ruby.ary_new();
            match part {
                MessagePart::Text(text) => {
                    pair.push(self.ruby.qnil())?;
                    pair.push(text.as_str())?;
                }
                MessagePart::Value(value) => {
                    self.told(pair, value, next, failure)?;
                    next += usize::from(value.has_operand());
                }
                MessagePart::Inspect(value, number) => {
                    self.told(pair, value, usize::from(*number), failure)?;
                    pair.push(true)?;
                }
            }
            all.push(pair)?;
        }
        Ok(all)
    }

    /// As [`Self::receiver`], of the operand of that number.
    fn told(&self, details: RArray, receiver: &Receiver, at: usize, failure: &Failure) -> Result<(), Error> {
        let operand = failure.operands.get(at).copied().unwrap_or(0);
        if let Receiver::Object(hierarchy) = receiver
            && let Some(object) = self.object_value(*hierarchy, operand)
        {
            let told = texts_now::told(*self, object, *hierarchy, operand);
            details.push(told.map_err(|trouble| exception(self.ruby, trouble))?)?;
            return details.push(self.ruby.qnil());
        }
        if *receiver != Receiver::MadeString {
            return self.receiver(details, receiver, operand);
        }
        let Some((bytes, flags)) = failure.texts.get(at).and_then(Option::as_deref) else {
            let what = "the message of an error holds a String that the GPU has made [unsupported-string]";
            let hint = "run the section on the CPU: Ikra.backend = :cpu";
            return Err(new(self.ruby, "UnsupportedError", &format!("{what}\n  hint: {hint}")));
        };
        let string = strings::make(bytes, *flags).map_err(|trouble| exception(self.ruby, trouble))?;
        // SAFETY: it was just made.
        details.push(unsafe { Value::from_raw(string) })?;
        details.push(self.ruby.qnil())
    }

    /// Two details: the receiver, and its name in the message where there is no such value.
    fn receiver(&self, details: RArray, receiver: &Receiver, operand: i64) -> Result<(), Error> {
        let ruby = self.ruby;
        match receiver {
            Receiver::Nil => details.push(ruby.qnil())?,
            Receiver::True => details.push(true)?,
            Receiver::False => details.push(false)?,
            Receiver::Integer => details.push(operand)?,
            Receiver::Float => details.push(f64::from_bits(operand as u64))?,
            Receiver::Symbol => {
                let symbol = self.heap.symbols.get(operand as i32).unwrap_or(value::NIL);
                // SAFETY: the Symbols of a run are pinned.
                let symbol = unsafe { Value::from_raw(symbol) };
                details.push(symbol)?;
            }
            Receiver::Object(hierarchy) => details.push(self.object_value(*hierarchy, operand))?,
            Receiver::Array(kind) => details.push(self.array_value(*kind, operand))?,
            Receiver::Module(class) => details.push(self.heap.pool.object(*class))?,
            // It is told with its failure.
            Receiver::MadeString => details.push(ruby.qnil())?,
            Receiver::Text(text) => {
                details.push(ruby.qnil())?;
                return details.push(text.as_str());
            }
        }
        details.push(ruby.qnil())
    }
}
