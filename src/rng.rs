//! Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter-based generator. So
//! a draw depends only on where it stands, not on the thread that makes it. Sections that draw nothing are not counted.
//!
//! Key: the seed (64 bits). Counter: element (32 bits), tick (low 32 bits), draw (32 bits), call (low 32 bits). A draw
//! gives 64 bits: word 0 of the output in the low half, word 1 in the high half.

/// The draw's 64 random bits.
pub fn draw(seed: u64, call: u64, element: u32, tick: u64, draw: u32) -> u64 {
    let [a, b, ..] =
        philox4x32_10([element, tick as u32, draw, call as u32], [seed as u32, (seed >> 32) as u32]);
    u64::from(a) | u64::from(b) << 32
}

/// One block of Philox4x32 with ten rounds.
pub fn philox4x32_10(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    const M: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const W: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    for round in 0..10 {
        if round > 0 {
            k = [k[0].wrapping_add(W[0]), k[1].wrapping_add(W[1])];
        }
        let p0 = u64::from(M[0]) * u64::from(c[0]);
        let p1 = u64::from(M[1]) * u64::from(c[2]);
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    // Known answers of the authors' Random123 distribution (kat_vectors).
    #[test]
    fn known_answers() {
        assert_eq!(philox4x32_10([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox4x32_10([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox4x32_10([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }
}
