//! The patterns of the process, by their sources. They stay while sections run, and across them as long as there are few,
//! so what a run has found goes by its address.

use super::asking::{self, Answer, Question};
use super::{FIXED_ENCODING, INTERPOLATED, Pattern, Request, writes_unicode};
use crate::regexp::syntax::Refused;
use crate::string_layout::Encoding;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// So many may stay when no section runs.
const MOST: usize = 500;
/// So many may be made in the run of a section: what one was compiled to takes some kilobytes.
const MOST_RUNNING: usize = 20_000;
/// Of so many sources it may be known that they are none.
const MOST_REFUSED: usize = 1_000;

/// A source in its encoding, with its options.
type Source = (Vec<u8>, i64, i64);

#[derive(Default)]
struct Patterns {
    runs: usize,
    known: FxHashMap<(String, u32), Arc<Pattern>>,
    /// What Ruby says of sources that are no patterns, by numbers, with its encoding.
    refusals: Vec<(Vec<u8>, i64)>,
    refused: FxHashMap<Source, usize>,
}

static PATTERNS: Mutex<Option<Patterns>> = Mutex::new(None);

/// A run: what it asks for stays until it ends.
pub struct Running(());

impl Running {
    pub fn begin() -> Self {
        PATTERNS.lock().get_or_insert_default().runs += 1;
        Self(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut patterns = PATTERNS.lock();
        let patterns = patterns.get_or_insert_default();
        patterns.runs -= 1;
        if patterns.runs == 0 && patterns.known.len() > MOST {
            patterns.known.clear();
        }
    }
}

fn key(source: &str, options: u32) -> (String, u32) {
    let fixed = if !source.is_ascii() || writes_unicode(source) { FIXED_ENCODING } else { 0 };
    (source.to_string(), options | fixed)
}

/// The pattern of a source with its options (see [`super::IGNORE_CASE`] and the others). `transient`: a section has put it
/// together.
pub fn pattern(source: &str, options: u32, transient: bool) -> Result<Arc<Pattern>, Refused> {
    let key = key(source, options);
    let known = |patterns: &Option<Patterns>| patterns.as_ref()?.known.get(&key).cloned();
    if let Some(pattern) = known(&PATTERNS.lock()) {
        return Ok(pattern);
    }
    // It may take long.
    let made = Pattern::new(&key.0, key.1, transient)?;
    keep(key, made)
}

/// The pattern that Ruby is asked to match, with so many groups and these names.
pub fn asked(
    source: &str,
    options: u32,
    transient: bool,
    told: (u32, Vec<(String, u32)>),
) -> Result<Arc<Pattern>, Refused> {
    let key = key(source, options);
    let made = Pattern::asked(&key.0, key.1, transient, told);
    keep(key, made)
}

fn keep(key: (String, u32), made: Pattern) -> Result<Arc<Pattern>, Refused> {
    let mut patterns = PATTERNS.lock();
    let patterns = patterns.get_or_insert_default();
    if made.transient && patterns.known.len() >= MOST_RUNNING {
        let why = "so many different ones are not kept at a time";
        return Err(Refused { part: key.0, why });
    }
    Ok(Arc::clone(patterns.known.entry(key).or_insert(Arc::new(made))))
}

/// Keeps what Ruby says of a source that a section has put together, and that is no pattern. False: there is no more room.
pub fn refuse(source: Source, message: Vec<u8>, encoding: i64) -> bool {
    let mut patterns = PATTERNS.lock();
    let patterns = patterns.get_or_insert_default();
    if patterns.refusals.len() >= MOST_REFUSED {
        return false;
    }
    patterns.refused.insert(source, patterns.refusals.len());
    patterns.refusals.push((message, encoding));
    true
}

/// Does what is requested where no pattern is asked.
pub fn ask(text: &[u8], place: i64, request: Request, prepared: i64) -> i64 {
    if request == Request::Compile {
        return address(text, prepared, place);
    }
    let patterns = PATTERNS.lock();
    let refusal = patterns.as_ref().and_then(|patterns| patterns.refusals.get(place as usize));
    let Some((message, encoding)) = refusal else { return 0 };
    match request {
        Request::RefusalSize => message.len() as i64,
        Request::RefusalEncoding => *encoding,
        _ => message.get(prepared as usize).map_or(0, |byte| i64::from(*byte)),
    }
}

/// See [`Request::Compile`].
fn address(source: &[u8], encoding: i64, options: i64) -> i64 {
    let is_known = source.is_ascii() || encoding == Encoding::Utf8 as i64;
    let text = std::str::from_utf8(source).ok().filter(|_| is_known);
    let flags = options as u32 & !INTERPOLATED;
    let found = text.and_then(|text| pattern(text, flags, true).ok());
    if let Some(pattern) = found {
        return Arc::as_ptr(&pattern) as i64;
    }
    let key = (source.to_vec(), encoding, options);
    let refused = || PATTERNS.lock().as_ref().and_then(|patterns| patterns.refused.get(&key).copied());
    if let Some(number) = refused() {
        return -1 - number as i64;
    }
    if !asking::may_ask() {
        return 0;
    }
    match (asking::ask(Question::Compile { source, encoding, options }), text) {
        (Some(Answer::Pattern { groups, names }), Some(text)) => {
            asked(text, flags, true, (groups, names)).map_or(0, |pattern| Arc::as_ptr(&pattern) as i64)
        }
        (Some(Answer::NoPattern { message, encoding: told }), _) => {
            refuse(key.clone(), message, told);
            refused().map_or(0, |number| -1 - number as i64)
        }
        _ => 0,
    }
}
