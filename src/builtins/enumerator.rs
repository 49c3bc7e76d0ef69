//! Enumerator: what an iterating method gives without a block, so that `each_with_index.map { }` and
//! `map.with_index(1) { }` run. It is known at compile time: the method, its receiver and its arguments. Nothing is
//! computed before the block is there, as in Ruby.

use super::sequence::{least, most};
use super::{Invocation, Row, bare, carrying, make_enumerator, naming, row};
use crate::infer::enumerators::{
    EACH, GENERATE, PRODUCE, PRODUCE_NEXT, SIZED, UNSIZED, may_yield_several, without_to_enum,
};
use crate::infer::{ANY_RANGE, Arguments, BlockRef, CallType, Lowerer, Operand, is_held_range};
use crate::ir::{Comparison, ErrorKind};
use crate::types::{ArrayKind, ClassId, HashSort, Type};

pub(super) const ROWS: &[Row] = &[
    row("each", |s, c| {
        let Some(block) = s.block_of(c) else { return Operand::bottom() };
        let packs = s.is_ours(&block);
        each(s, &c.receiver, block, packs)
    }),
    row("#each_values", |s, c| {
        let Some(block) = s.block_of(c) else { return Operand::bottom() };
        each(s, &c.receiver, block, false)
    }),
    row("size", |s, c| {
        let (method, source) = match source(s, &c.receiver) {
            Some(found) => found,
            None => return Operand::bottom(),
        };
        match &*method {
            sized if sized.starts_with(SIZED) => refused(s, c),
            method if method.starts_with(UNSIZED) => Operand::nil(),
            GENERATE => s.tuple_items(&c.receiver).into_iter().nth(1).unwrap_or_else(Operand::nil),
            PRODUCE | PRODUCE_NEXT => Operand::float(s.b.f64(f64::INFINITY)),
            "times" => match source.types.single() {
                Some(Type::Integer) => {
                    let zero = s.b.i64(0);
                    let none = s.b.compare(Comparison::Lt, source.value(), zero);
                    Operand::integer(s.b.select(none, zero, source.value()))
                }
                _ => source,
            },
            // Of Strings and Dates: how many there are, the range does not know.
            _ if source.types.iter().any(Type::is_text_range) => Operand::nil(),
            "each_byte" => s.send(&source, "bytesize", &[], 1),
            "each_line" => Operand::nil(),
            // None where there is none of what is cut.
            "each_slice" | "each_cons"
                if source.types.iter().any(|ty| matches!(ty, Type::Enumerator(..))) =>
            {
                let size = s.send(&source, "size", &[], 2);
                s.switch(&size, 3, &mut |s, size| match size.types.single() {
                    Some(Type::Integer) => s.send(&c.receiver, "#count", &[], 1),
                    _ => size,
                })
            }
            "upto" if source.types.iter().any(Type::is_string) => Operand::nil(),
            "upto" | "downto" | "step" if source.types.iter().any(is_date) => Operand::nil(),
            "upto" | "downto" => {
                let limit = s.tuple_items(&c.receiver).into_iter().nth(1).unwrap_or_else(Operand::bottom);
                match (source.types.single(), limit.types.single()) {
                    (Some(Type::Integer), Some(Type::Integer)) => {
                        s.send(&source, &format!("#{method}_size"), &[limit], 1)
                    }
                    _ => refused(s, c),
                }
            }
            "step"
            | "each_slice"
            | "each_cons"
            | "%"
            | "combination"
            | "permutation"
            | "repeated_combination"
            | "repeated_permutation" => s.send(&c.receiver, "#count", &[], 1),
            "#each_chomped" | "#runs" | "#chunk" | "#slice_before" | "#slice_after" => Operand::nil(),
            EACH | "each_entry" if source.types.iter().any(Type::is_instance) => {
                match source.types.single().cloned() {
                    Some(ty) if s.type_responds(&ty, "size") => s.send(&source, "size", &[], 1),
                    _ => Operand::nil(),
                }
            }
            "each" if source.types.iter().any(Type::is_instance) => Operand::nil(),
            "find" | "detect" | "rfind" | "index" | "rindex" | "find_index" | "take_while" | "drop_while" => {
                Operand::nil()
            }
            "cycle" => refused(s, c),
            _ => s.send(&source, "size", &[], 1),
        }
    }),
    bare("to_a", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    bare("entries", |s, c| s.send(&c.receiver, "#copy", &[], 1)),
    row("#room", |s, _| Operand::integer(s.b.i64(4))),
    row("take", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        s.send(&c.receiver, "#take", &[n], 1)
    }),
    row("drop", |s, c| {
        let Some(n) = s.one_argument(c) else { return Operand::bottom() };
        s.send(&c.receiver, "#drop", &[n], 1)
    }),
    row("first", |s, c| match c.args.first() {
        Some(n) => s.send(&c.receiver, "#take", std::slice::from_ref(n), 1),
        None => s.send(&c.receiver, "#first", &[], 1),
    }),
    row("each_entry", |s, c| s.send_with_block(c, "#each_entry")),
    carrying("zip", |s, c| {
        // How many items of these are asked for hangs on how many there are here.
        let is_enumerator = |ty: &Type| matches!(ty, Type::Enumerator(..));
        if c.args.iter().any(|other| other.types.iter().any(is_enumerator)) {
            let receiver = s.send(&c.receiver, "to_a", &[], 1);
            return match receiver.is_bottom() {
                true => Operand::bottom(),
                false => s.send_with_block(&Invocation { receiver, ..c.with_args(c.args.clone()) }, "zip"),
            };
        }
        match super::several_arrays::zipped(s, c) {
            Some(call) => s.send_with_block(&call, if c.block.is_some() { "#zip_block" } else { "#zip" }),
            None => Operand::bottom(),
        }
    }),
    row("min", extreme),
    row("max", extreme),
    row("minmax", extreme),
    row("sort", through_array),
    bare("#refuse_several", |s, _| {
        let told = "`lazy` of what yields several values at once, or none, cannot run in a section \
                    [unsupported-enumerator]\n  hint: yield one array, as in `yield [a, b]`; or make an array of it first: to_a, first(n)";
        s.fail(ErrorKind::Unsupported(told.into()), &[])
    }),
    row("next", refused),
    row("peek", refused),
];

pub(super) const MODULE_ROWS: &[Row] = &[
    carrying("new", |s, c| match &c.block {
        Some(block) if c.args.len() < 2 && c.args.iter().all(|size| size.types.iter().all(is_size)) => {
            let block = s.kept_block(block);
            if block.is_bottom() { block } else { make_enumerator(s, GENERATE, &block, &c.args) }
        }
        _ => s.refuse_here(
            "unsupported-new",
            "`Enumerator.new` with such a size, or without a block, cannot run in a section",
            Some("leave the size out, or give an Integer, as in Enumerator.new(1) { |y| y << 1 }".into()),
        ),
    }),
    carrying("produce", |s, c| {
        if !s.count_arguments(c, 0, 1) {
            return Operand::bottom();
        }
        let Some(block) = &c.block else {
            return s.fail(ErrorKind::ArgumentError("no block given".into()), &[]);
        };
        let block = s.kept_block(block);
        if block.is_bottom() {
            return block;
        }
        let method = if c.args.is_empty() { PRODUCE_NEXT } else { PRODUCE };
        make_enumerator(s, method, &block, &c.args)
    }),
];

const fn is_size(ty: &Type) -> bool {
    matches!(ty, Type::Integer | Type::Nil)
}

/// What such objects have from Enumerable.
pub(super) const OWN_EACH: Row = naming("Enumerable", |s, c| {
    if c.splat.is_some() {
        return s.refuse_splat();
    }
    if !c.keywords.is_empty() {
        let _ = s.count_arguments(c, 0, 0);
        return Operand::bottom();
    }
    let result = over_each(s, c);
    if GIVING_SELF.contains(&c.name.as_str()) && c.block.is_some() && !result.is_bottom() {
        return c.receiver.clone();
    }
    result
});

/// Those of Enumerable that give what they are called on.
pub(super) const GIVING_SELF: [&str; 5] =
    ["each_with_index", "reverse_each", "each_entry", "each_slice", "each_cons"];

/// A method of Enumerable's, over what stands for the receiver.
pub(super) fn over_each(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let items = standing_for(s, &call.receiver);
    s.send_block(&items, &call.name, &call.args, call.block.clone())
}

/// What goes through an object by its `each`.
pub(super) fn standing_for(s: &mut Lowerer<'_>, object: &Operand) -> Operand {
    super::make_enumerator(s, EACH, object, &[])
}

/// `min`, `max` and `minmax`: the least or largest item, by the block or by `<=>`.
fn extreme(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    if !s.count_arguments(call, 0, if call.name == "minmax" { 0 } else { 1 }) {
        return Operand::bottom();
    }
    if let Some(n) = most(s, call) {
        return least(s, call, n, if call.block.is_some() { "#least_block" } else { "#least" });
    }
    let call = &call.with_args(Vec::new());
    let by = if call.block.is_some() { "block" } else { "each" };
    s.running_in_each(|s| s.send_with_block(call, &format!("#{}_{by}", call.name)))
}

/// As Ruby, makes an array of the items first.
fn through_array(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let items = s.send(&call.receiver, "#copy", &[], 1);
    s.send_block(&items, &call.name, &call.args, call.block.clone())
}

fn refused(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    s.refuse_here(
        "unsupported-enumerator",
        format!("`Enumerator#{}` cannot run in a section", call.name),
        Some("make an array of it first: to_a, first(n)".into()),
    )
}

fn source(s: &mut Lowerer<'_>, enumerator: &Operand) -> Option<(std::rc::Rc<str>, Operand)> {
    let Some(Type::Enumerator(method, _)) = enumerator.types.single() else { return None };
    let source = s.tuple_items(enumerator).into_iter().next()?;
    Some((method.clone(), source))
}

/// Calls the method that the enumerator stands for.
fn each(s: &mut Lowerer<'_>, enumerator: &Operand, block: BlockRef, packs: bool) -> Operand {
    let Some(Type::Enumerator(method, _)) = enumerator.types.single() else { return Operand::bottom() };
    let method: std::rc::Rc<str> = without_to_enum(method).map_or_else(|| method.clone(), Into::into);
    let mut args = s.tuple_items(enumerator);
    if args.is_empty() {
        return Operand::bottom();
    }
    let source = args.remove(0);
    let range = matches!(source.types.single(), Some(Type::Range { .. }));
    let name = match &*method {
        "each_with_index" | "with_index" if packs => format!("#packed_{method}"),
        "step" | "%" if range => "#arithmetic_sequence".to_string(),
        _ if packs && source.types.iter().any(|ty| may_yield_several(&method, ty)) => {
            return s.send_block(enumerator, "#packed_each", &[], Some(block));
        }
        EACH => "each".to_string(),
        method => method.to_string(),
    };
    // The method that the Enumerator was made of is called as the user would.
    let arguments = Arguments { positional: args, ..Arguments::default() };
    let given = s.within_slot(0x180, |s| s.dispatch(&source, &name, &arguments, Some(block), CallType::Own));
    // A sequence gives itself, its other methods what it was made of.
    if name == "#arithmetic_sequence" && !packs && !given.is_bottom() {
        return enumerator.clone();
    }
    // What stands for an object of the user's is nobody's else.
    match given.types.single() {
        Some(Type::Enumerator(method, _)) if &**method == EACH => {
            s.tuple_items(&given).into_iter().next().unwrap_or(given)
        }
        _ => given,
    }
}

/// Does the method, called without a block with so many arguments, give an Enumerator?
pub(crate) fn enumerates(ty: &Type, name: &str, arguments: usize) -> bool {
    let none = arguments == 0;
    match ty {
        ty if is_held_range(ty) => enumerates(&ANY_RANGE, name, arguments),
        ty if ty.is_text_range() && matches!(name, "step" | "%") => {
            name == "step" && ty.is_date_range() && arguments <= 1
        }
        ty if ty.is_text_range() => enumerates(&ANY_RANGE, name, arguments),
        ty if super::is_lazy(ty) => name == "each" && none,
        // These give columns, or refuse.
        Type::Column(..) if matches!(name, "map" | "collect" | "select" | "filter" | "reject") => false,
        ty if ty.is_hash()
            && matches!(
                name,
                "each_pair"
                    | "each_key"
                    | "each_value"
                    | "transform_keys"
                    | "transform_values"
                    | "transform_keys!"
                    | "transform_values!"
            ) =>
        {
            none
        }
        ty if ty.is_hash() && matches!(name, "select" | "filter" | "reject") => false,
        ty if ty.is_made_hash() => enumerates(&Type::Hash(ArrayKind(0), HashSort::PLAIN), name, arguments),
        Type::Array(_)
        | Type::Column(..)
        | Type::Hash(..)
        | Type::Tuple(_)
        | Type::List(_)
        | Type::Range { .. }
        | Type::Enumerator(..) => match name {
            "select!" | "filter!" | "keep_if" | "reject!" | "delete_if" | "map!" | "collect!"
            | "sort_by!"
                if is_array(ty) =>
            {
                none
            }
            "group_by" if !ty.is_hash() => none,
            "each" | "map" | "collect" | "select" | "filter" | "find_all" | "reject" | "filter_map"
            | "flat_map" | "collect_concat" | "each_with_index" | "each_index" | "reverse_each"
            | "each_entry" | "partition" | "minmax_by" | "sort_by" | "find" | "detect" | "rfind"
            | "index" | "rindex" | "find_index" | "take_while" | "drop_while" => none,
            "min_by" | "max_by" => arguments <= 1,
            "each_slice" | "each_cons" | "each_with_object" => arguments == 1,
            "combination" | "repeated_combination" | "repeated_permutation" => arguments == 1,
            "permutation" | "cycle" => arguments <= 1,
            "with_index" => matches!(ty, Type::Enumerator(..)) && arguments <= 1,
            "with_object" => matches!(ty, Type::Enumerator(..)) && arguments == 1,
            "step" | "%" => matches!(ty, Type::Range { .. }) && arguments <= 1,
            _ => false,
        },
        ty if ty.is_string() => match name {
            "each_char" | "each_byte" | "each_codepoint" => none,
            "each_line" => arguments <= 1,
            "upto" => arguments == 1 || arguments == 2,
            _ => false,
        },
        ty if is_date(ty) => match name {
            "upto" | "downto" => arguments == 1,
            "step" => matches!(arguments, 1 | 2),
            _ => false,
        },
        Type::Integer | Type::Float => match name {
            "times" => none,
            "upto" | "downto" => arguments == 1,
            "step" => matches!(arguments, 1 | 2),
            _ => false,
        },
        _ => false,
    }
}

fn is_date(ty: &Type) -> bool {
    ty.is_instance() && crate::infer::class_of(ty) == ClassId::DATE
}

/// An array, not a Hash.
fn is_array(ty: &Type) -> bool {
    matches!(ty, Type::Array(_) | Type::List(_))
}
