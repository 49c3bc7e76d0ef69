//! Lazy Enumerators: Enumerators of methods of `core/` that go through what is before them and have the block as a proc,
//! or a number. What asks for items (`first`, `find`, `to_a`, `sum` …) is Enumerator's own, and ends where it has enough.

use super::{Invocation, Row, carrying, make_enumerator, row};
use crate::infer::builtins::LAZY;
use crate::infer::{Lowerer, Operand};
use crate::ir::{Comparison, ErrorKind};
use crate::types::Type;

/// What only lazy ones have.
pub(crate) fn of_lazy(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// `lazy` of what can be gone through.
pub(super) fn make(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    // Some of its methods hand several values on as they are, others do not.
    if s.hands_on_several(&call.receiver) {
        return make_enumerator(s, "#lazy_own", &call.receiver, &[]);
    }
    let each = make_enumerator(s, "each", &call.receiver, &[]);
    make_enumerator(s, LAZY, &each, &[])
}

pub(super) const ROWS: &[Row] = &[
    row("map", |s, c| by_block(s, c, "#lazy_map")),
    row("collect", |s, c| by_block(s, c, "#lazy_map")),
    row("select", |s, c| by_block(s, c, "#lazy_select")),
    row("filter", |s, c| by_block(s, c, "#lazy_select")),
    row("find_all", |s, c| by_block(s, c, "#lazy_select")),
    row("reject", |s, c| by_block(s, c, "#lazy_reject")),
    row("filter_map", |s, c| by_block(s, c, "#lazy_filter_map")),
    row("flat_map", |s, c| by_block(s, c, "#lazy_flat_map")),
    row("collect_concat", |s, c| by_block(s, c, "#lazy_flat_map")),
    row("take_while", |s, c| by_block(s, c, "#lazy_take_while")),
    row("drop_while", |s, c| by_block(s, c, "#lazy_drop_while")),
    row("take", |s, c| by_count(s, c, "#lazy_take")),
    row("drop", |s, c| by_count(s, c, "#lazy_drop")),
    row("with_index", with_index),
    row("each_with_index", with_index),
    row("uniq", |s, c| match c.block {
        Some(_) => by_block(s, c, "#lazy_uniq_block"),
        None => plain(s, c, "#lazy_uniq"),
    }),
    row("compact", |s, c| plain(s, c, "#lazy_compact")),
    carrying("grep", |s, c| by_pattern(s, c, "#lazy_grep")),
    carrying("grep_v", |s, c| by_pattern(s, c, "#lazy_grep_v")),
    row("lazy", |s, c| if s.count_arguments(c, 0, 0) { c.receiver.clone() } else { Operand::bottom() }),
    row("eager", |s, c| plain(s, c, "each")),
    row("force", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    carrying("chunk", refused),
    carrying("chunk_while", refused),
    carrying("slice_when", refused),
    carrying("slice_before", refused),
    carrying("slice_after", refused),
    row("each_slice", |s, c| by_size(s, c, "#lazy_each_slice")),
    row("each_cons", |s, c| by_size(s, c, "#lazy_each_cons")),
    carrying("each_entry", refused),
    carrying("zip", refused),
    carrying("tee", refused),
    carrying("size", refused),
    carrying("with_object", refused),
    carrying("cycle", refused),
    carrying("class", refused),
    carrying("inspect", refused),
    carrying("to_s", refused),
];

fn refused(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    s.refuse_here(
        "unsupported-enumerator",
        format!("`Enumerator::Lazy#{}` cannot run in a section", call.name),
        Some("make an array of it first: first(n), to_a".into()),
    )
}

fn plain(s: &mut Lowerer<'_>, call: &Invocation, method: &str) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    make_enumerator(s, method, &call.receiver, &[])
}

fn by_block(s: &mut Lowerer<'_>, call: &Invocation, method: &str) -> Operand {
    if !s.count_arguments(call, 0, 0) {
        return Operand::bottom();
    }
    let Some(block) = &call.block else {
        let message = format!("tried to call lazy {} without a block", call.name);
        return s.fail(ErrorKind::ArgumentError(message), &[]);
    };
    let hands_on = matches!(method, "#lazy_map" | "#lazy_flat_map" | "#lazy_filter_map");
    let names_all = s.arity_of(block).is_some_and(|arity| arity == 0 || arity > 1);
    if hands_on && !names_all && s.lazy_yields_several(&call.receiver) {
        return s.refuse_here(
            "unsupported-enumerator",
            format!(
                "`{}` of a lazy Enumerator that yields several values needs a block that names them",
                call.name
            ),
            Some("name all, as in |item, index|".into()),
        );
    }
    let block = s.kept_block(block);
    if block.is_bottom() { block } else { make_enumerator(s, method, &call.receiver, &[block]) }
}

fn by_count(s: &mut Lowerer<'_>, call: &Invocation, method: &str) -> Operand {
    let Some(count) = s.one_argument(call) else { return Operand::bottom() };
    let Some(count) = super::integer::to_integer_argument(s, &count) else { return Operand::bottom() };
    let zero = s.b.i64(0);
    let ok = s.b.compare(Comparison::Ge, count, zero);
    let message = format!("attempt to {} negative size", call.name);
    s.check(ok, ErrorKind::ArgumentError(message), &[]);
    make_enumerator(s, method, &call.receiver, &[Operand::integer(count)])
}

fn by_size(s: &mut Lowerer<'_>, call: &Invocation, method: &str) -> Operand {
    if call.block.is_some() {
        return refused(s, call);
    }
    let Some(size) = s.one_argument(call) else { return Operand::bottom() };
    make_enumerator(s, method, &call.receiver, &[size])
}

fn with_index(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let most = usize::from(call.name == "with_index");
    if !s.count_arguments(call, 0, most) {
        return Operand::bottom();
    }
    let first = match call.args.first() {
        Some(first) if first.types.single() != Some(&Type::Nil) => {
            super::integer::to_integer_argument(s, first)
        }
        _ => Some(s.b.i64(0)),
    };
    let Some(first) = first.map(Operand::integer) else { return Operand::bottom() };
    match &call.block {
        None => make_enumerator(s, "#lazy_with_index", &call.receiver, &[first]),
        Some(block) => {
            let block = s.kept_block(block);
            if block.is_bottom() {
                return block;
            }
            make_enumerator(s, "#lazy_each_index", &call.receiver, &[first, block])
        }
    }
}

fn by_pattern(s: &mut Lowerer<'_>, call: &Invocation, method: &str) -> Operand {
    let Some(pattern) = s.one_argument(call) else { return Operand::bottom() };
    let Some(block) = &call.block else { return make_enumerator(s, method, &call.receiver, &[pattern]) };
    let block = s.kept_block(block);
    if block.is_bottom() {
        return block;
    }
    make_enumerator(s, &format!("{method}_block"), &call.receiver, &[pattern, block])
}
