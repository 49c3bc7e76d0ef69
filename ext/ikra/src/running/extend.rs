//! Lists made of longer ones by all threads, where that pays.

use crate::reading::batch;
use ikra_core::fallible::{self, NoMemory};
use rayon::prelude::*;
use std::mem::MaybeUninit;

/// What one thread does at once.
const CHUNK: usize = 1 << 14;

/// Appends what `f` makes of each item; it also gets the item's index.
pub fn extend<T: Sync, U: Copy + Send>(
    to: &mut Vec<U>,
    from: &[T],
    f: impl Fn(usize, &T) -> U + Sync,
) -> Result<(), NoMemory> {
    fallible::reserve(to, from.len())?;
    let Some(threads) = batch::threads_for(from.len()) else {
        to.extend(from.iter().enumerate().map(|(index, item)| f(index, item)));
        return Ok(());
    };
    let room = &mut to.spare_capacity_mut()[..from.len()];
    let fill = |(chunk, (room, items)): (usize, (&mut [MaybeUninit<U>], &[T]))| {
        for (index, (place, item)) in room.iter_mut().zip(items).enumerate() {
            place.write(f(chunk * CHUNK + index, item));
        }
    };
    threads.install(|| room.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).enumerate().for_each(fill));
    // SAFETY: there is room, and each place was written above: chunks of both lists are as long as each other.
    unsafe { to.set_len(to.len() + from.len()) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_and_many_make_the_same() {
        for length in [0, 1, CHUNK, if cfg!(miri) { 0 } else { 5 * CHUNK + 7 }] {
            let from: Vec<u32> = (0..length as u32).collect();
            let mut to = vec![7];
            extend(&mut to, &from, |index, item| index as u64 + u64::from(*item)).unwrap();
            assert_eq!(to[0], 7);
            assert!(to[1..].iter().enumerate().all(|(index, sum)| *sum == 2 * index as u64));
            assert_eq!(to.len(), length + 1);
        }
    }
}
