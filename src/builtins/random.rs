//! Random: the generators of numbers that a program or a section makes. What they do is in `core/`; their state is an
//! array of Ruby's own Mersenne Twister (`#state`), which the host reads and writes.

use super::{Builtin, Invocation, Row, bare, row, ruby_method};
use crate::infer::{Birth, Lowerer, Operand, Values, module_of};
use crate::ir::ErrorKind;
use crate::types::{ClassId, Type};

const ROWS: &[Row] = &[
    row("rand", |s, c| with_limit(s, c, "#rand")),
    row("random_number", |s, c| with_limit(s, c, "#random_number")),
    row("#list", |s, c| s.new_list(0, c.args[0].value())),
    bare("#out_of_domain", |s, _| {
        let why = "Random draws numbers from a finite range, and up to a finite limit [unsupported-argument]";
        s.fail(ErrorKind::Unsupported(why.into()), &[])
    }),
];

/// A method of Random's instances, `initialize` among them.
pub(crate) fn lookup(name: &str) -> Option<Builtin> {
    match ROWS.iter().find(|row| row.name == name) {
        Some(row) => Some(Builtin::Rule(row)),
        None => ruby_method("Random", name).map(Builtin::Ruby),
    }
}

fn with_limit(s: &mut Lowerer<'_>, call: &Invocation, name: &str) -> Operand {
    if !s.count_arguments(call, 0, 1) {
        return Operand::bottom();
    }
    let Some(limit) = call.args.first() else { return s.send(&call.receiver, "#real", &[], 1) };
    s.switch(limit, 0, &mut |s, limit| s.send(&call.receiver, name, &[limit], 1))
}

/// What `shuffle` and `sample` draw from: a Random, or Ruby's own generator. `None`: it is refused.
pub(super) fn generator(s: &mut Lowerer<'_>, call: &Invocation) -> Option<Operand> {
    if call.keyword_splat || call.keywords.iter().any(|(name, _)| name != "random") {
        s.refuse_collected_keywords();
        return None;
    }
    let given = call.keywords.last().map(|(_, random)| random.clone());
    // Another object is asked for its `rand` where a Random draws nothing, too: of a single item.
    let is_known = |ty: &Type| *ty == Type::Module(ClassId::RANDOM) || s.is_random(ty);
    if let Some(given) = &given
        && !given.types.iter().all(is_known)
    {
        refuse_generator(s, given);
        return None;
    }
    Some(given.unwrap_or_else(|| Operand {
        types: Type::Module(ClassId::RANDOM).into(),
        values: Values::new(),
        birth: Birth::UNKNOWN,
    }))
}

/// A number below a limit, of such a generator.
pub(super) fn draw(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let [generator, limit] = &call.args[..] else { return Operand::bottom() };
    s.switch(generator, 0, &mut |s, generator| {
        let limits = [limit.clone()];
        match generator.types.single() {
            _ if module_of(&generator) == Some(ClassId::RANDOM) => s.send(&generator, "rand", &limits, 1),
            Some(ty) if s.is_random(ty) => s.send(&generator, "#below", &limits, 1),
            _ => refuse_generator(s, &generator),
        }
    })
}

fn refuse_generator(s: &mut Lowerer<'_>, generator: &Operand) -> Operand {
    let what = s.describe(&generator.types);
    s.refuse_here(
        "unsupported-argument",
        format!("{what} as a generator of random numbers cannot be used in a section"),
        Some("give a Random, or none".into()),
    )
}
