//! `format`, `sprintf` and `text % args`.

use super::Invocation;
use crate::infer::{Lowerer, Operand};
use crate::ir::{Comparison, ErrorKind, Value};
use crate::types::Type;

/// `format` and `sprintf`.
pub(super) fn format(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let Some((text, rest)) = call.args.split_first() else {
        return match call.splat {
            Some(_) => s.refuse_splat(),
            None => s.fail(ErrorKind::ArgumentError("too few arguments".into()), &[]),
        };
    };
    let args = match &call.splat {
        Some(splat) if rest.is_empty() => splat.clone(),
        Some(_) => return s.refuse_splat(),
        None => s.tuple(rest),
    };
    s.switch(text, 0, &mut |s, text| match text.types.single() {
        Some(ty) if ty.is_string() => formatted(s, &text, args.clone()),
        _ => s.fail_conversion("no implicit conversion of ", &text, " into String"),
    })
}

pub(super) fn argument_at(s: &mut Lowerer<'_>, items: &[Operand], index: Value, at: i64) -> Operand {
    let (first, rest) = match items {
        [] => return s.fail(ErrorKind::ArgumentError("too few arguments".into()), &[]),
        [last] => return last.clone(),
        [first, rest @ ..] => (first, rest),
    };
    let here = s.b.i64(at);
    let is_here = s.b.compare(Comparison::Eq, index, here);
    let condition = crate::infer::Condition { value: is_here, yes: vec![], no: vec![] };
    s.branch(0x800 + at as u32, condition, |_| first.clone(), |s| argument_at(s, rest, index, at + 1))
}

/// `text % args`. Of a text that is written out it is known which directives there are; no others are made.
pub(super) fn formatted(s: &mut Lowerer<'_>, text: &Operand, args: Operand) -> Operand {
    const KINDS: [&str; 7] = ["s", "p", "c", "diuxXobB", "f", "eEgG", "*"];
    /// Beyond those, and what tells that values have names.
    const HEXADECIMAL: i64 = 256;
    if s.b.is_dead() || text.is_bottom() {
        return Operand::bottom();
    }
    if let (Some(written), Some(Type::Tuple(_))) = (s.unchanging_text(text), args.types.single()) {
        let values = s.tuple_items(&args);
        if let Some(result) = super::format::taken_apart(s, &written, &values) {
            return result;
        }
    }
    let written = s.b.text(text.value());
    let has = |letters: &str| written.as_ref().is_none_or(|text| text.contains(|c| letters.contains(c)));
    let mut kinds: i64 = KINDS.iter().enumerate().map(|(i, letters)| i64::from(has(letters)) << i).sum();
    if written.as_ref().is_none_or(|text| has_hexadecimal_floats(text)) {
        kinds |= HEXADECIMAL;
    }
    let mut args = args;
    if let Some(hash) = only_hash(s, &args)
        && written.as_ref().is_none_or(|text| names_values(text))
    {
        // Of `%{name}` a text is made.
        kinds = (kinds | 1) & !64 | 128;
        args = hash;
    }
    let kinds = Operand::integer(s.b.i64(kinds));
    s.send(text, "#format", &[args, kinds], 1)
}

fn only_hash(s: &mut Lowerer<'_>, args: &Operand) -> Option<Operand> {
    match args.types.single() {
        Some(ty) if ty.is_hash() => Some(args.clone()),
        Some(Type::Tuple(items)) if items.len() == 1 && items[0].single().is_some_and(Type::is_hash) => {
            s.tuple_items(args).pop()
        }
        _ => None,
    }
}

/// Can there be `%a` in a text that is written out?
fn has_hexadecimal_floats(text: &str) -> bool {
    text.split('%').skip(1).any(|directive| {
        let behind = |text: &str| {
            text.trim_start_matches(|c: char| c.is_ascii_digit() || " #+-.*$".contains(c)).to_string()
        };
        let flagged = behind(directive);
        let named =
            flagged.starts_with('<').then(|| flagged.split_once('>').map(|(_, rest)| behind(rest))).flatten();
        named.unwrap_or(flagged).starts_with(['a', 'A'])
    })
}

/// Does a text that is written out have a directive with a name, as in `%<a>d` and `%-5{a}`?
fn names_values(text: &str) -> bool {
    text.split('%').skip(1).any(|directive| {
        let behind = directive.trim_start_matches(|c: char| c.is_ascii_digit() || " #+-.*$".contains(c));
        behind.starts_with(['<', '{'])
    })
}
