//! Regexp: what its methods, which are Ruby (`regexp.rb`), are made of.

use super::{Invocation, Row, bare, carrying, row};
use crate::infer::{Lowerer, Operand, class_of};
use crate::ir::ErrorKind;
use crate::types::{ClassId, Type};

/// Those of what is called within the methods that match.
pub(super) const LAST_MATCH: &[Row] = &[
    bare("#keeps_match?", |s, _| {
        let keeps = s.keeps_matches();
        Operand::bool(s.b.bool(keeps))
    }),
    carrying("#set_match", |s, c| {
        s.set_match(c.args[0].clone());
        Operand::nil()
    }),
    // What is matched in a block is not the last match of the method that it is given to.
    bare("#kept_match", |s, _| s.last_match().unwrap_or_else(Operand::nil)),
    carrying("#match_data", |s, c| s.match_data([&c.args[0], &c.args[1], &c.args[2]])),
    bare("#match_before", |s, _| s.match_before()),
    bare("#refuse_earlier_match", |s, _| {
        let message = "what an earlier element or the code before the section has matched is not known in it: match \
                       first [unsupported-special-global]\n  hint: match in the block, also in that of pgrep: \
                       text[pattern, 1], or text.match(pattern)";
        s.fail(crate::ir::ErrorKind::Unsupported(message.into()), &[])
    }),
];

pub(super) const MODULE_ROWS: &[Row] = &[
    carrying("last_match", |s, c| {
        let Some(found) = s.last_match() else { return Operand::nil() };
        let found = s.send(&found, "#last", &[], 1);
        match &c.args[..] {
            [] => found,
            [group] => {
                let group = group.clone();
                s.switch(&found, 2, &mut |s, found| match found.types.single() {
                    Some(Type::Nil) => found,
                    _ => s.send(&found, "[]", std::slice::from_ref(&group), 3),
                })
            }
            args => super::wrong_count(s, args.len(), "0..1"),
        }
    }),
    carrying("new", |s, c| s.send(&c.receiver, "#new", &c.args, 4)),
    bare("#refuse_options", |s, _| {
        let message = "a Regexp can be made with the options true, false, nil, and Regexp::IGNORECASE, EXTENDED and \
                       MULTILINE in a section [unsupported-argument]";
        s.fail(crate::ir::ErrorKind::Unsupported(message.into()), &[])
    }),
];

/// Of Strings from which patterns are made.
pub(super) const OF_SOURCES: &[Row] = &[
    carrying("#compile", |s, c| Operand::integer(s.compile_pattern(&c.receiver, c.args[0].value()))),
    carrying("#regexp", |s, c| s.made_regexp([&c.args[0], &c.args[1]])),
    row("#ask_patterns", |s, c| {
        let asks = [0, 1, 2].map(|i| c.args[i].value());
        Operand::integer(s.ask_patterns(&c.receiver, asks))
    }),
    row("#new_pattern", |s, c| s.fail(ErrorKind::NewPattern, &[c.receiver.value(), c.args[0].value()])),
];

/// Of those that a section has made.
pub(super) const MADE_ROWS: &[Row] = &[bare("frozen?", |s, c| {
    let is_frozen = s.is_frozen_regexp(&c.receiver);
    Operand::bool(is_frozen)
})];

/// Of MatchData.
pub(super) const FOUND_ROWS: &[Row] = &[
    LIST,
    bare("#refuse_part", |s, _| {
        let message =
            "`values_at` with a Range that holds no group cannot run in a section [unsupported-argument]";
        s.fail(crate::ir::ErrorKind::Unsupported(message.into()), &[])
    }),
];

const LIST: Row = row("#list", |s, c| s.new_list(0, c.args[0].value()));

pub(super) const PRIMITIVES: &[Row] = &[
    LIST,
    carrying("match", find),
    // The String; where from, what to do, what preparing gave and what is wanted: see `Op::Match`.
    carrying("#ask", |s, c| {
        let asks = [1, 2, 3, 4].map(|i| c.args[i].value());
        let regexp = c.receiver.clone();
        s.switch(&c.args[0], 0, &mut |s, string| Operand::integer(s.ask_pattern(&regexp, &string, asks)))
    }),
    // One for each source with its options.
    bare("#address", |s, c| s.pattern_address(&c.receiver)),
    carrying("#group", |s, c| Operand::integer(s.b.group(c.args[0].value()))),
    bare("#refuse_search", |s, _| {
        let message = "what this pattern finds here only Ruby can tell: it begins with any characters, as `/.+a/m`, and \
                       the last match is looked for, or it takes too many steps [unsupported-regexp]";
        s.fail(crate::ir::ErrorKind::Unsupported(message.into()), &[])
    }),
    bare("#refuse_groups", |s, _| {
        let message = "`scan` with a pattern whose groups come from what is put into it cannot run in a section \
                       [unsupported-argument]\n  hint: write groups in the pattern itself, /(#{word})/, or none \
                       at all, (?:…); or make it before the section";
        s.fail(crate::ir::ErrorKind::Unsupported(message.into()), &[])
    }),
    carrying("#refuse_characters", |s, _| {
        let message = "the text has a character that versions of Unicode, or of Ruby, match differently with this \
                       pattern [unsupported-regexp]\n  hint: under /i these are ß where the pattern has ss, ſ, the \
                       Kelvin sign and ligatures (write both cases, [Aa], instead of /i); for \\b and \\p{…} letters \
                       newer than Unicode 13";
        s.fail(crate::ir::ErrorKind::Unsupported(message.into()), &[])
    }),
];

/// `match`, with a block or without.
pub(super) fn find(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let zero = Operand::integer(s.b.i64(0));
    let args = match &call.args[..] {
        [what] => vec![what.clone(), zero],
        [_, _] => call.args.clone(),
        // A String makes a pattern of the first one before that is counted.
        [pattern, ..] if !call.receiver.types.single().is_some_and(is_regexp) => {
            return s.switch(pattern, 0, &mut |s, pattern| match pattern.types.single() {
                Some(ty) if is_regexp(ty) => super::wrong_count(s, call.args.len(), "1..2"),
                Some(ty) if ty.is_string() => s.refuse_here(
                    "unsupported-method",
                    format!("`match` with {} arguments cannot run in a section", call.args.len()),
                    None,
                ),
                _ => s.send(&call.receiver, "#no_pattern", std::slice::from_ref(&pattern), 3),
            });
        }
        args => return super::wrong_count(s, args.len(), "1..2"),
    };
    match &call.block {
        Some(block) => s.send_block(&call.receiver, "#match_block", &args, Some(block.clone())),
        None => s.send(&call.receiver, "#match", &args, 1),
    }
}

fn is_regexp(ty: &Type) -> bool {
    class_of(ty) == ClassId::REGEXP
}

/// `scan`: what it gives hangs on whether the pattern has groups.
/// What `sub`, `gsub` and `scan` look for: a String is a pattern as others are where somebody looks at the last match.
pub(super) fn looked_for(s: &mut Lowerer<'_>, pattern: &Operand) -> Operand {
    if pattern.is_bottom() || !pattern.types.iter().all(Type::is_string) || !s.keeps_matches() {
        return pattern.clone();
    }
    s.send(pattern, "#as_text_pattern", &[], 9)
}

pub(super) fn scan(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let [pattern] = &call.args[..] else { return super::wrong_count(s, call.args.len(), "1") };
    let pattern = &looked_for(s, pattern);
    let is_made = |ty: &Type| is_regexp(ty) && !matches!(ty, Type::Object(..));
    let groups = match pattern.types.iter().any(is_regexp) {
        false => Some(0),
        true if pattern.types.iter().all(is_made) => s.writes_groups(pattern).map(|writes| {
            let writes_any = Operand::bool(s.b.bool(writes));
            s.send(pattern, "#check_groups", &[writes_any], 6);
            u32::from(writes)
        }),
        true => s.groups_of(pattern),
    };
    let Some(groups) = groups else {
        return s.refuse_here(
            "unsupported-argument",
            "`scan` with one of several patterns cannot run in a section",
            Some("write the pattern at the call, or name it by a constant".into()),
        );
    };
    let names =
        if groups == 0 { ["#scan_texts", "#scanned_texts"] } else { ["#scan_groups", "#scanned_groups"] };
    match &call.block {
        Some(block) => {
            s.send_block(&call.receiver, names[0], std::slice::from_ref(pattern), Some(block.clone()))
        }
        None => s.send(&call.receiver, names[1], std::slice::from_ref(pattern), 1),
    }
}
