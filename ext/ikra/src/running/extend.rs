//! Lists made of longer ones by all threads, where that pays.

use ikra_core::error::NoMemory;
use ikra_core::fallible;
use ikra_core::parallel;

/// Appends what `f` makes of each item; it also gets the item's index.
pub fn extend<T: Sync, U: Copy + Send>(
    to: &mut Vec<U>,
    from: &[T],
    f: impl Fn(usize, &T) -> U + Sync,
) -> Result<(), NoMemory> {
    fallible::reserve(to, from.len())?;
    let chunk = parallel::chunk();
    let room = &mut to.spare_capacity_mut()[..from.len()];
    let chunks = room.chunks_mut(chunk).zip(from.chunks(chunk)).enumerate();
    parallel::each(from.len(), chunks, |(number, (room, items))| {
        for (index, (place, item)) in room.iter_mut().zip(items).enumerate() {
            place.write(f(number * chunk + index, item));
        }
    });
    // SAFETY: there is room, and each place was written above: chunks of both lists are as long as each other.
    unsafe { to.set_len(to.len() + from.len()) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_and_many_make_the_same() {
        for length in [0, 1, 100, if cfg!(miri) { 0 } else { 100_007 }] {
            let from: Vec<u32> = (0..length as u32).collect();
            let mut to = vec![7];
            extend(&mut to, &from, |index, item| index as u64 + u64::from(*item)).unwrap();
            assert_eq!(to[0], 7);
            assert!(to[1..].iter().enumerate().all(|(index, sum)| *sum == 2 * index as u64));
            assert_eq!(to.len(), length + 1);
        }
    }
}
