//! Which pairs of a Hash are dead, out of its slots, as `core/` has them at `MadeHash`.
//!
//! Pairs that are deleted from a Hash with slots stay as dead ones until it is made dense (`core/text/made_hash.rb`),
//! so deletion moves nothing. Pairs have numbers that stay theirs until then: who goes through a Hash goes on behind
//! the number of the last one, whatever was deleted meanwhile (`__next_pair`), and knows by the last number that is
//! given whether pairs were added or have moved; that is refused.

/// The places of the dead pairs among keys and values, in order; `None`: there are none.
///
/// `count` words are slots and what stands behind them; `slot` gives one of them.
pub fn dead_places(count: usize, slot: impl Fn(usize) -> i64) -> Option<Vec<usize>> {
    // Behind the slots stand how many pairs are dead, and the number before that of the first.
    let count = count.checked_sub(2)?;
    let before = slot(count + 1);
    if slot(count) == 0 {
        return None;
    }
    let numbers = (0..count).map(slot).filter(|number| *number < 0);
    // Those at the beginning may have been dropped already.
    let mut places: Vec<usize> =
        numbers.filter_map(|number| usize::try_from(-number - before - 1).ok()).collect();
    places.sort_unstable();
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::dead_places;

    #[test]
    fn the_sign_of_a_number_says_that_a_pair_is_dead() {
        // Pairs have the numbers 4, 5 and 6; that of 5 is dead, and so was one that is gone: 2.
        let slots = [0, 4, -5, 0, -2, 6, 1, 3];
        assert_eq!(dead_places(slots.len(), |slot| slots[slot]), Some(vec![1]));
        let slots = [0, 4, 5, 6, 0, 3];
        assert_eq!(dead_places(slots.len(), |slot| slots[slot]), None);
        assert_eq!(dead_places(0, |_| 0), None);
    }
}
