//! Hashes that a section makes: of pairs that are written out, of arguments, empty.
//!
//! A Hash that the section makes is a record of three lists and a default (`RecordType::HASH`): keys, values, and the
//! slots that sets have (`core/text/array_keys.rb`). Looking up a key is a function of the two lists that it needs,
//! whatever the values and the default are. What changes are the lists, so the record never does: it is carried in
//! values, with types of its own at each place that makes one, and its identity is that of its lists. A default block
//! is a proc, known at compile time. Its methods are Ruby (`module Hash`, `module MadeHash` of `core/`), most of them
//! for both kinds of Hashes. A pair that is deleted is dead, as in Ruby's own table: its slot says so, and the lists
//! are rid of it before something goes through them or they leave (`make_dense`), or when slots run out. Where a
//! section deletes nothing, nothing asks for dead pairs. A Hash that is gone through must keep its keys.

use super::Invocation;
use crate::infer::{Birth, Lowerer, Operand};
use crate::ir::ErrorKind;
use crate::types::{ClassId, RecordType, Type, TypeSet};
use std::rc::Rc;

const ODD: &str = "odd number of arguments for Hash";

/// So many pairs are put in by a loop over two arrays, where these can hold them as they are.
const MANY_PAIRS: usize = 5;

/// With texts as keys, which take more to be looked for.
const MANY_PAIRS_OF_TEXTS: usize = 2;

/// Pairs from which on a Hash has slots (`core/text/array_keys.rb`).
const PAIRS_WITH_SLOTS: usize = 16;

/// `Hash[key, value, …]`, `Hash[pairs]`, `Hash[hash]`.
pub(super) fn of_arguments(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let [only] = &call.args[..] else {
        return match call.args.len() % 2 {
            0 => literal(s, call),
            _ => s.fail(ErrorKind::ArgumentError(ODD.into()), &[]),
        };
    };
    s.switch(only, 4, &mut |s, only| match only.types.single() {
        Some(ty) if ty.is_hash() => {
            let pairs = s.send(&only, "to_a", &[], 1);
            s.send(&pairs, "to_h", &[], 2)
        }
        Some(ty @ (Type::Array(_) | Type::Tuple(_) | Type::List(_))) => {
            let items = s.types_of_items(ty);
            // What is no pair, it tells in another way than to_h, and of one item it makes a key.
            let is_pair = |ty: &Type| matches!(ty, Type::Tuple(pair) if pair.len() == 2);
            match items.iter().all(is_pair) {
                true => s.send(&only, "to_h", &[], 3),
                false => s.refuse_here(
                    "unsupported-method",
                    "`Hash[…]` of an array that may hold something else than pairs cannot run in a section",
                    Some("write pairs.to_h".into()),
                ),
            }
        }
        Some(Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol) => {
            s.fail(ErrorKind::ArgumentError(ODD.into()), &[])
        }
        Some(ty) if ty.is_string() => s.fail(ErrorKind::ArgumentError(ODD.into()), &[]),
        _ => s.refuse_here(
            "unsupported-method",
            "`Hash[…]` of an object cannot run in a section",
            Some("give it pairs".into()),
        ),
    })
}

pub(super) fn new(s: &mut Lowerer<'_>, c: &Invocation) -> Operand {
    if c.args.len() > 1 || !c.keywords.is_empty() || (c.block.is_some() && !c.args.is_empty()) {
        return s.refuse_here(
            "unsupported-new",
            "`Hash.new` with these arguments cannot run in a section",
            Some("give it a default or a block, and nothing else".into()),
        );
    }
    if let Some(argument) = c.args.first()
        && argument.types.iter().any(Type::is_made_proc)
    {
        return refuse_proc(s);
    }
    let default = match &c.block {
        Some(block) => s.proc_of_block(block),
        None => Some(c.args.first().cloned().unwrap_or_else(Operand::nil)),
    };
    match default {
        Some(default) => make(s, &default),
        None => s.refuse_here(
            "unsupported-new",
            "a block that was passed on cannot be the default of a Hash in a section",
            Some("write the block here: Hash.new { |hash, key| … }".into()),
        ),
    }
}

/// What a Hash holds as its default and is a proc is its default block, everywhere in a section.
pub(super) fn refuse_proc(s: &mut Lowerer<'_>) -> Operand {
    s.refuse_here(
        "unsupported-hash",
        "a lambda, proc or Method that a Hash gives as it is for keys that it has not cannot be its default in a section",
        Some("have it called: Hash.new { |hash, key| … }; or look it up with fetch(key, function)".into()),
    )
}

/// A Hash with these keys and values in turn.
pub(super) fn literal(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let hash = make(s, &Operand::nil());
    put_pairs(s, &hash, &call.args);
    hash
}

/// The same of keys each of which is another one.
pub(super) fn literal_of_distinct(s: &mut Lowerer<'_>, call: &Invocation) -> Operand {
    let hash = match rows(s, &Operand::nil()) {
        Some(hash) => {
            put(s, &hash, &call.args, ["#put_others", "#put_other"]);
            hash
        }
        // Nothing is looked for, so the lists are made with the pairs in them.
        None => of_lists(s, &Operand::nil(), &call.args),
    };
    if call.args.len() >= 2 * PAIRS_WITH_SLOTS && !s.b.is_dead() && !hash.is_bottom() {
        s.send(&hash, "#index", &[], 2);
    }
    hash
}

pub(super) fn put_pairs(s: &mut Lowerer<'_>, hash: &Operand, pairs: &[Operand]) {
    put(s, hash, pairs, ["#put_each", "#put"]);
}

/// By the methods that put all pairs, and one.
fn put(s: &mut Lowerer<'_>, hash: &Operand, pairs: &[Operand], [all, one]: [&str; 2]) {
    if s.b.is_dead() || hash.is_bottom() {
        return;
    }
    let is_plain = |part: &Operand| part.types.iter().all(|ty| ty.is_string() || is_scalar(ty));
    let has_texts = pairs.iter().step_by(2).any(|key| key.types.iter().any(Type::is_string));
    let many = if has_texts { MANY_PAIRS_OF_TEXTS } else { MANY_PAIRS };
    if pairs.len() >= 2 * many && pairs.iter().all(is_plain) {
        let [keys, values] = [0, 1].map(|first| {
            let parts: Vec<Operand> = pairs.iter().skip(first).step_by(2).cloned().collect();
            let parts = s.tuple(&parts);
            s.make_list(0x513 + first as u32, &parts)
        });
        if !keys.is_bottom() && !values.is_bottom() {
            s.send(hash, all, &[keys, values], 1);
        }
        return;
    }
    for (i, pair) in pairs.chunks_exact(2).enumerate() {
        if s.b.is_dead() || hash.is_bottom() {
            return;
        }
        s.within_slot(i as u32, |s| s.send(hash, one, pair, 1));
    }
}

const fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Nil | Type::True | Type::False | Type::Integer | Type::Float | Type::Symbol)
}

/// An empty one.
pub(super) fn make(s: &mut Lowerer<'_>, default: &Operand) -> Operand {
    rows(s, default).unwrap_or_else(|| of_lists(s, default, &[]))
}

/// The lists of a Hash: of keys, of values, of slots, of what is given as the default.
const LISTS: [u32; 4] = [0x510, 0x511, 0x512, 0x515];

/// An empty one of the heap, if it is to be there.
fn rows(s: &mut Lowerer<'_>, default: &Operand) -> Option<Operand> {
    if default.is_bottom() {
        return Some(Operand::bottom());
    }
    let lists = if s.gives_defaults() { &LISTS[..] } else { &LISTS[..3] };
    s.new_hash(lists, default)
}

/// One of lists of the keys and of the values, and one of slots as `core/` has them, which are its own. It has
/// these keys and values in turn, as they are.
fn of_lists(s: &mut Lowerer<'_>, default: &Operand, pairs: &[Operand]) -> Operand {
    let [none, room] = [0, 4].map(|count| s.b.i64(count));
    let lists = [0, 1].map(|part| {
        let parts: Vec<Operand> = pairs.iter().skip(part).step_by(2).cloned().collect();
        if parts.is_empty() {
            return s.new_list(LISTS[part], room);
        }
        let parts = s.tuple(&parts);
        s.make_list(LISTS[part], &parts)
    });
    let mut parts = lists.to_vec();
    parts.extend([s.new_list(LISTS[2], none), default.clone()]);
    if s.gives_defaults() {
        parts.push(s.new_list(LISTS[3], none));
    }
    if parts.iter().any(Operand::is_bottom) {
        return Operand::bottom();
    }
    for part in parts[..3].iter().chain(parts.get(4)) {
        if let Some((kind, _)) = super::changes::list_of(part) {
            s.mutate_list(kind);
        }
    }
    let fields =
        RecordType::HASH.iter().zip(&parts).map(|(name, part)| (name.to_string(), part.types.clone()));
    let record = RecordType { class: ClassId::HASH, fields: fields.collect() };
    let types: TypeSet = Type::Record(Rc::new(record)).into();
    if !s.is_bounded(&types) {
        return Operand::bottom();
    }
    Operand { types, values: parts.into_iter().flat_map(|part| part.values).collect(), birth: Birth::UNKNOWN }
}

/// A part of a Hash that the section makes, in the order of [`RecordType::HASH`].
pub(super) fn made_part(s: &mut Lowerer<'_>, call: &Invocation, part: usize) -> Operand {
    s.tuple_items(&call.receiver).into_iter().nth(part).unwrap_or_else(Operand::bottom)
}
