//! The profiles being taken (`Ikra.profile`): each gets every section that ends while it is open, of all threads.

use crate::vm::gvl::GvlCell;
use ikra_core::profile::{Cost, Phase, Profile};
use magnus::{Error, RHash, Ruby};

static OPEN: GvlCell<Vec<(u64, Profile)>> = GvlCell::new(Vec::new());
static NEXT: GvlCell<u64> = GvlCell::new(0);

pub fn open(ruby: &Ruby) -> u64 {
    let number = NEXT.with(ruby, |next| {
        *next += 1;
        *next
    });
    OPEN.with(ruby, |open| open.push((number, Profile::default())));
    number
}

/// Is one being taken?
pub fn any(ruby: &Ruby) -> bool {
    OPEN.with(ruby, |open| !open.is_empty())
}

pub fn add(ruby: &Ruby, profile: &Profile) {
    OPEN.with(ruby, |open| open.iter_mut().for_each(|(_, total)| total.merge(profile)));
}

/// What has run in plain Ruby: a section as a `whole`, or elements of one.
pub fn add_ruby(ruby: &Ruby, seconds: f64, whole: bool) {
    let mut profile = Profile { sections: u64::from(whole), backend: Some("ruby"), ..Profile::default() };
    let phase = if whole { Phase::Kernel } else { Phase::Ruby };
    profile.add(phase, std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default());
    add(ruby, &profile);
}

/// Closes a profile and gives its seconds by phase, with `:sections` and `:backend`.
pub fn close(ruby: &Ruby, number: u64) -> Result<RHash, Error> {
    let profile = OPEN.with(ruby, |open| {
        let at = open.iter().position(|(other, _)| *other == number)?;
        Some(open.remove(at).1)
    });
    let profile = profile.unwrap_or_default();
    let hash = ruby.hash_new();
    for phase in Phase::ALL {
        hash.aset(ruby.to_symbol(phase.name()), profile.seconds(phase))?;
    }
    let steps = ruby.hash_new();
    for step in &profile.steps {
        let facts = ruby.hash_new();
        facts.aset(ruby.to_symbol("seconds"), step.seconds)?;
        facts.aset(ruby.to_symbol("count"), step.count)?;
        steps.aset(step.name.as_str(), facts)?;
    }
    hash.aset(ruby.to_symbol("steps"), steps)?;
    for of in Cost::ALL {
        let counts = ruby.hash_new();
        for (_, name, count) in profile.costs.iter().filter(|(known, ..)| *known == of) {
            counts.aset(name.as_str(), *count)?;
        }
        hash.aset(ruby.to_symbol(of.name()), counts)?;
    }
    hash.aset(ruby.to_symbol("sections"), profile.sections)?;
    hash.aset(ruby.to_symbol("backend"), profile.backend.map(|name| ruby.to_symbol(name)))?;
    Ok(hash)
}
