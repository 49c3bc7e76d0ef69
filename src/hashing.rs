//! Hashes of values. Code of sections and the host compute the same, so that one finds what the other has put away.

/// Shifts and factors, after which each bit of a number has changed half of the bits.
pub const ROUNDS: [(u32, i64); 2] = [(32, 0x4cf5_ad43_2745_937f), (29, 0x369d_ea0f_31a5_3f85)];
/// And a last shift.
pub const LAST: u32 = 32;

/// The hash of a number: different ones for different numbers.
pub const fn mix(number: i64) -> i64 {
    let mut mixed = number;
    let mut round = 0;
    while round < ROUNDS.len() {
        mixed ^= mixed >> ROUNDS[round].0;
        mixed = mixed.wrapping_mul(ROUNDS[round].1);
        round += 1;
    }
    mixed ^ mixed >> LAST
}

/// That of a Float: 0.0 and -0.0 are alike, and not like 0.
pub fn of_float(float: f64) -> i64 {
    mix(if float == 0.0 { (-0.0_f64).to_bits() } else { float.to_bits() } as i64)
}

/// That of a sequence, by the hashes of its items.
pub fn of_sequence(hashes: impl ExactSizeIterator<Item = i64>) -> i64 {
    let size = mix(hashes.len() as i64);
    hashes.fold(size, |hash, item| mix(hash ^ item))
}

/// Up to eight bytes as a word, the first one lowest.
pub fn word(bytes: &[u8]) -> i64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | i64::from(*byte))
}

/// That of a String.
pub fn of_bytes(bytes: &[u8]) -> i64 {
    bytes.chunks(8).fold(mix(bytes.len() as i64), |hash, bytes| mix(hash ^ word(bytes)))
}

/// The slot, of so many, at which to look for a hash first. Hashes are never negative.
pub const fn slot(hash: i64, slots: usize) -> usize {
    ((((hash as u64) << 1) as u128 * slots as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use crate::hashing::*;

    #[test]
    fn hashes_take_all_slots_alike() {
        let mut counts = [0; 16];
        for number in -8000..8000 {
            let hash = mix(number * 1000);
            assert!(hash >= 0);
            counts[slot(hash, 16)] += 1;
        }
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
    }
}
