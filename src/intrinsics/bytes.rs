//! Bytes that are compared, found and put together.

use super::made::MadeString;
use super::text;
use crate::hashing;
use crate::string_layout::STRING_FROZEN;
use memchr::memmem;

/// # Safety
/// So many bytes are there behind both indexes.
pub(super) unsafe extern "C" fn same(
    one: *const i64,
    other: *const i64,
    from: i64,
    other_from: i64,
    count: i64,
) -> i64 {
    // SAFETY: as said.
    let (one, other) = unsafe { (text(one, from + count), text(other, other_from + count)) };
    i64::from(one[from as usize..] == other[other_from as usize..])
}

/// # Safety
/// Both texts have this size.
pub(super) unsafe extern "C" fn same_text(
    one: *const i64,
    other: *const i64,
    size: i64,
    flags: i64,
    other_flags: i64,
) -> i64 {
    // SAFETY: as said.
    let (one, other) = unsafe { (text(one, size), text(other, size)) };
    let is_encoded_alike = (flags ^ other_flags) & (STRING_FROZEN - 1) == 0;
    i64::from(one == other && (is_encoded_alike || one.is_ascii()))
}

/// # Safety
/// The texts have these sizes.
pub(super) unsafe extern "C" fn index(
    one: *const i64,
    other: *const i64,
    size: i64,
    sought: i64,
    from: i64,
) -> i64 {
    // SAFETY: as said.
    let (one, other) = unsafe { (text(one, size), text(other, sought)) };
    let rest = usize::try_from(from).ok().and_then(|from| one.get(from..));
    rest.and_then(|rest| memmem::find(rest, other)).map_or(-1, |at| from + at as i64)
}

/// # Safety
/// As [`index`].
pub(super) unsafe extern "C" fn last_index(
    one: *const i64,
    other: *const i64,
    size: i64,
    sought: i64,
    from: i64,
) -> i64 {
    // SAFETY: as said.
    let (one, other) = unsafe { (text(one, size), text(other, sought)) };
    let end = from.saturating_add(sought).min(size);
    let upper = if from < 0 { None } else { one.get(..end as usize) };
    upper.and_then(|upper| memmem::rfind(upper, other)).map_or(-1, |at| at as i64)
}

/// # Safety
/// As [`index`].
pub(super) unsafe extern "C" fn compare(one: *const i64, other: *const i64, size: i64, others: i64) -> i64 {
    // SAFETY: as said.
    unsafe { text(one, size).cmp(text(other, others)) as i64 }
}

/// # Safety
/// The text has this size.
pub(super) unsafe extern "C" fn hash(one: *const i64, size: i64) -> i64 {
    // SAFETY: as said.
    hashing::of_bytes(unsafe { text(one, size) })
}

/// # Safety
/// As [`hash`].
pub(super) unsafe extern "C" fn is_ascii(one: *const i64, size: i64) -> i64 {
    // SAFETY: as said.
    i64::from(unsafe { text(one, size) }.is_ascii())
}

/// # Safety
/// So many bytes are there behind the index, and there is such a String in the memory.
pub(super) unsafe extern "C" fn append(
    memory: *mut i64,
    other: *const i64,
    row: i64,
    from: i64,
    count: i64,
) -> i64 {
    // SAFETY: as said. What is put behind a String is not what is written.
    unsafe { MadeString::new(memory, row).push(&text(other, from + count)[from as usize..]) };
    0
}
