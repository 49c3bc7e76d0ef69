//! What an Enumerator's method says of it: whose `each` it is, what it yields, and what it gives.

use crate::types::Type;

/// The method of an Enumerator that stands for an object of a class of the user's which includes Enumerable: its `each`.
pub(crate) const EACH: &str = "#each";

/// What the name of a method begins with whose Enumerator was given a block for its size.
pub(crate) const SIZED: &str = "#sized ";

/// The same of one by `to_enum` without such a block: it has none.
pub(crate) const UNSIZED: &str = "#unsized ";

/// The name of a method for an Enumerator by `to_enum`, with a block for its size or without.
pub(crate) fn named(method: &str, is_sized: bool) -> String {
    format!("{}{method}", if is_sized { SIZED } else { UNSIZED })
}

/// Does the Enumerator of such a method yield what its receiver's `each` does, whatever the block gives?
pub(crate) fn yields_items(method: &str) -> bool {
    matches!(method, "each" | "map" | "collect" | "flat_map" | "collect_concat" | "filter_map")
}

/// Is it the method of an Enumerator that goes through what somebody else has written?
pub(crate) fn is_users_each(method: &str) -> bool {
    method == EACH || method.starts_with(SIZED) || method.starts_with(UNSIZED)
}

/// Does it stand for an object of a class of the user's, or for a Struct?
pub(crate) fn stands_for_object(method: &str) -> bool {
    method == EACH
}

/// The method that `to_enum` was given.
pub(crate) fn without_to_enum(method: &str) -> Option<&str> {
    method.strip_prefix(SIZED).or_else(|| method.strip_prefix(UNSIZED))
}

/// Does such a method give its receiver, whatever its block gives?
pub(crate) fn is_indifferent(method: &str) -> bool {
    matches!(
        method,
        "each"
            | "each_entry"
            | "each_with_index"
            | "each_slice"
            | "each_cons"
            | "reverse_each"
            | "each_pair"
            | "each_key"
            | "each_value"
            | "each_index"
            | "each_char"
            | "each_byte"
            | "each_line"
            | "#each_chomped"
            | "each_codepoint"
            | "times"
            | "upto"
            | "downto"
            | "combination"
            | "permutation"
            | "repeated_combination"
            | "repeated_permutation"
    )
}

/// May a method of such a value yield several values? Of Enumerators there are some that hand on what they are given.
pub(crate) fn may_yield_several(method: &str, ty: &Type) -> bool {
    let hands_on = [
        "map",
        "collect",
        "flat_map",
        "collect_concat",
        "filter_map",
        "take_while",
        "find_index",
        "cycle",
        "each",
    ];
    matches!(method, "each_with_object" | "with_object")
        || ty.is_instance()
        || matches!(ty, Type::Enumerator(..)) && hands_on.contains(&method)
}
